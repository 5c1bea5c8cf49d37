/* reports.c - measured reports into rows of a store: the way back from `dataset export
 * --as jsonl`, and the way in for tables that `measure --json` wrote.
 *
 * A line that cannot be read ends it: a table with an unknown part missing is worse
 * than none. */
#include "reports.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "../base/map.h"
#include "../measure/measure.h"
#include "../report/launch_int.h"
#include "note.h"
#include "text.h"

/* ---- members ---- */

static const cJSON *get(const cJSON *o, const char *key) {
  return cJSON_GetObjectItemCaseSensitive(o, key);
}

/* Hashes are written as 16 hexadecimal digits: JSON's numbers cannot hold them. */
static uint64_t hex(const cJSON *o, const char *key) {
  const cJSON *n = get(o, key);
  return cJSON_IsString(n) ? strtoull(n->valuestring, NULL, 16) : 0;
}

/* ---- which kernel ---- */

static const char *dialect_of(const char *file) {
  const char *dot = file ? strrchr(file, '.') : NULL;
  if (!dot)
    return "cuda";
  if (!strcmp(dot, ".cl"))
    return "opencl";
  if (!strcmp(dot, ".hip"))
    return "hip";
  return !strcmp(dot, ".c") || !strcmp(dot, ".cpp") ? "openmp" : "cuda";
}

/* `../corpus/gemm/gemm.cu` is `gemm/gemm.cu` of the corpus. */
static const char *in_corpus(const char *file) {
  const char *at = file;
  for (const char *s = file; (s = strstr(s, "corpus/")); s++)
    if (s == file || s[-1] == '/')
      at = s + 7;
  return at;
}

static const char *folder_of(const char *file, ww_arena *a) {
  const char *slash = file ? strchr(file, '/') : NULL;
  return slash ? ww_strndup(a, file, slash - file) : "other";
}

/* Other flags make another kernel of the same text. */
static const char *key_of(const ww_store_kernel *k, const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  if (k->origin == WW_ORIGIN_CORPUS)
    ww_buf_fmt(&b, "corpus/%s:%s", k->file ? k->file : "", k->name);
  else
    ww_buf_fmt(&b, "import/%016" PRIx64 ":%s",
               k->source_hash ? k->source_hash
                              : ww_text_hash(k->file ? k->file : "", 0),
               k->name);
  if (l)
    ww_buf_puts(&b, ww_text_flags(l, a));
  return ww_text_take(&b, a);
}

static uint64_t hash_of_file(const char *dir, const char *file, ww_arena *a) {
  char *data;
  size_t n;
  if (!file || !dir)
    return 0;
  const char *path = ww_path_join(a, dir, file);
  if (!ww_file_exists(path) || ww_read_file(a, path, 64 << 20, &data, &n, NULL))
    return 0;
  return ww_hash(data, n, 0);
}

/* `../corpus/gemm/gemm.cu` of the family gemm: a kernel of the corpus, whatever else
 * the file holds. */
static bool from_corpus(const cJSON *row, const char *file) {
  const cJSON *family = get(row, "family");
  if (!file || !cJSON_IsString(family))
    return false;
  while (ww_starts(file, "../"))
    file += 3;
  size_t n = strlen(family->valuestring);
  return ww_starts(file, "corpus/") && ww_starts(file + 7, family->valuestring) &&
         file[7 + n] == '/';
}

static ww_status origin_of(const cJSON *row,
                           const char *file,
                           ww_origin otherwise,
                           ww_origin *out,
                           ww_err *e) {
  const cJSON *n = get(row, "origin");
  *out = from_corpus(row, file) ? WW_ORIGIN_CORPUS : otherwise;
  if (!cJSON_IsString(n))
    return WW_OK;
  for (int k = 0; k < WW_NORIGINS; k++)
    if (!strcmp(n->valuestring, ww_origin_names[k]))
      return *out = k, WW_OK;
  return ww_fail(e, WW_EPARSE,
                 "origin: expected corpus, generated or imported, not \"%.40s\"",
                 n->valuestring);
}

/* A planned launch says in its note which kernel and which launch it is. */
static bool
by_note(const ww_report *r, ww_arena *a, ww_store_kernel *k, uint32_t *number) {
  ww_note note;
  ww_err ignored;
  if (!r->launch || !r->launch->note ||
      ww_note_parse(r->launch->note, a, &note, &ignored))
    return false;
  *k = note.kernel;
  *number = note.number;
  return true;
}

static ww_status generated_of(const cJSON *row, ww_store_kernel *k, ww_err *e) {
  k->version = ww_json_whole(row, "version");
  k->index = ww_json_whole(row, "index");
  k->seed = ww_json_whole(row, "seed");
  if (!k->key || !k->version)
    return ww_fail(e, WW_EPARSE,
                   "a generated kernel needs key, version, seed and index");
  return WW_OK;
}

static ww_status kernel_of(const cJSON *row,
                           const ww_report *r,
                           const char *dir,
                           ww_origin origin,
                           ww_arena *a,
                           ww_store_row *out,
                           ww_err *e) {
  const char *file = r->file ? r->file : r->launch ? r->launch->file : NULL;
  ww_store_kernel *k = &out->kernel;
  bool noted = !get(row, "key") && by_note(r, a, k, &out->number);
  ww_status st = noted ? WW_OK : origin_of(row, file, origin, &k->origin, e);
  if (st)
    return st;
  if (!k->name)
    k->name = ww_json_text(row, "name", a);
  if (!k->name)
    k->name = r->launch && r->launch->kernel ? r->launch->kernel : r->kernel;
  if (!k->name)
    return ww_fail(e, WW_EPARSE, "kernel: the report does not name one");
  if (!k->dialect)
    k->dialect = ww_json_text(row, "dialect", a);
  if (!k->dialect)
    k->dialect = dialect_of(file);
  if (!noted) {
    k->key = ww_json_text(row, "key", a);
    k->source_hash = hex(row, "source_hash");
    k->structure = hex(row, "structure");
  }
  if (k->origin == WW_ORIGIN_GENERATED)
    st = generated_of(row, k, e);
  else {
    if (!k->source_hash)
      k->source_hash = hash_of_file(dir, file, a);
    if (!k->file && file)
      k->file = k->origin == WW_ORIGIN_CORPUS ? in_corpus(file) : file;
    if (!k->key)
      k->key = key_of(k, r->launch, a);
  }
  const char *family = ww_json_text(row, "family", a);
  if (family)
    k->family = family;
  if (!k->family)
    k->family = ww_json_text(row, "suite", a);
  if (!k->family)
    k->family = folder_of(k->file, a);
  return st;
}

/* ---- which launch, and what was measured ---- */

static ww_status
measured_of(const cJSON *row, const ww_report *r, ww_store_row *out, ww_err *e) {
  const ww_measured *m = r->measured;
  if (!r->m[WW_M_time_us].known)
    return ww_fail(e, WW_EDATA, "metrics.time_us: a measured report has one");
  if (!m)
    return WW_OK;
  const ww_device_info *d = &m->device;
  out->device = d->device;
  out->driver = d->driver;
  out->versions = d->versions;
  out->compiler = m->compiler;
  out->sms = d->sms;
  out->l2_bytes = d->l2_bytes;
  if (!out->gpu)
    out->gpu = d->gpu ? d->gpu : d->device;
  out->iqr_us = m->iqr_us;
  out->samples = m->nsamples ? m->nsamples : (uint32_t)ww_json_whole(row, "samples");
  out->passes = m->passes;
  out->accumulates = m->accumulates;
  return WW_OK;
}

/* An export keeps the launches of failures too, which other reports of errors do not
 * have. */
static ww_status failed_launch(const cJSON *row, ww_arena *a, ww_report *r, ww_err *e) {
  ww_launch *l = WW_NEW(a, ww_launch);
  r->launch = l;
  return ww_launch_from_json(get(row, "launch"), NULL, a, l, e);
}

static ww_status fill(const char *line,
                      const cJSON *row,
                      const char *dir,
                      ww_origin origin,
                      ww_arena *a,
                      ww_store_row *out,
                      bool *numbered,
                      ww_err *e) {
  ww_report r;
  ww_status st = ww_report_parse(line, a, &r, e);
  if (!st && r.error.code && cJSON_IsObject(get(row, "launch")))
    st = failed_launch(row, a, &r, e);
  if (!st)
    st = kernel_of(row, &r, dir, origin, a, out, e);
  if (st)
    return st;
  *numbered = cJSON_IsNumber(get(row, "number"));
  if (*numbered)
    out->number = ww_json_whole(row, "number");
  *numbered |= out->number != 0; /* of its note */
  out->gpu = r.gpu ? r.gpu : ww_json_text(row, "gpu", a);
  for (int k = 0; k < WW_NMETRICS; k++)
    out->m[k] = r.m[k].known ? r.m[k].value : NAN;
  out->iqr_us = NAN;
  if (r.launch) {
    for (int d = 0; d < 3; d++) {
      out->grid[d] = r.launch->grid[d];
      out->block[d] = r.launch->block[d];
    }
    if (out->kernel.origin != WW_ORIGIN_GENERATED) {
      ww_launch *own = WW_NEW(a, ww_launch);
      *own = *r.launch;
      own->file = out->kernel.file;
      out->launch = own;
    }
  }
  out->status = r.error.code;
  if (r.error.code) {
    out->error = ww_strdup(a, r.error.msg);
    return WW_OK;
  }
  return measured_of(row, &r, out, e);
}

ww_status ww_reports_row(const char *line,
                         const char *dir,
                         ww_origin origin,
                         ww_arena *a,
                         ww_store_row *out,
                         bool *numbered,
                         ww_err *e) {
  *out = (ww_store_row){0};
  *numbered = false;
  cJSON *row = ww_json_read(line, strlen(line), e);
  if (!row)
    return WW_EPARSE;
  ww_status st = fill(line, row, dir, origin, a, out, numbered, e);
  cJSON_Delete(row);
  return st;
}

/* ---- a whole file ---- */

struct ww_reports {
  ww_arena *arena, *own; /* the file's; the line's */
  const char *path, *dir;
  ww_origin origin;
  ww_map seen; /* launches of each kernel so far */
  char *left;  /* of the text */
  uint32_t line;
};

/* How many launches of the kernel were seen before. */
static uint32_t next_number(ww_map *seen, const char *key, const char *gpu) {
  uint64_t h = ww_text_hash(key, gpu ? ww_text_hash(gpu, 0) : 0) | 1;
  return (*ww_map_at(seen, NULL, h, NULL))++;
}

ww_status
ww_reports_open(const char *path, ww_origin origin, ww_reports **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_reports *r = WW_NEW(a, ww_reports);
  size_t n;
  *out = NULL;
  *r = (ww_reports){.arena = a, .path = path, .origin = origin};
  r->dir = ww_path_dir(a, path);
  ww_status st = ww_read_packed(a, path, (size_t)1 << 32, &r->left, &n, e);
  if (st)
    ww_arena_free(a);
  else
    *out = r;
  return st;
}

void ww_reports_close(ww_reports *r) {
  if (!r)
    return;
  ww_map_free(&r->seen);
  ww_arena_free(r->own);
  ww_arena_free(r->arena);
}

static char *next_line(ww_reports *r) {
  while (r->left && *r->left) {
    char *line = strsep(&r->left, "\n");
    r->line++;
    line += strspn(line, " \t\r");
    if (*line && *line != '#')
      return line;
  }
  return NULL;
}

ww_status ww_reports_next(ww_reports *r, ww_store_row *out, bool *more, ww_err *e) {
  bool numbered;
  char *line = next_line(r);
  *more = line;
  ww_arena_free(r->own);
  r->own = NULL;
  if (!line)
    return WW_OK;
  r->own = ww_arena_new();
  ww_status st = ww_reports_row(line, r->dir, r->origin, r->own, out, &numbered, e);
  if (st && e) {
    snprintf(e->msg, sizeof e->msg, "%s",
             ww_fmt(r->own, "%s, line %u: %s", r->path, r->line, e->msg));
    e->line = 0;
  }
  if (!st && !numbered)
    out->number = next_number(&r->seen, out->kernel.key, out->gpu);
  return st;
}

ww_status ww_reports_import(
    ww_store *s, const char *path, ww_origin origin, uint64_t *added, ww_err *e) {
  ww_reports *r;
  ww_store_row row;
  bool more;
  uint64_t n = 0;
  ww_status st = ww_reports_open(path, origin, &r, e);
  while (!st && !(st = ww_reports_next(r, &row, &more, e)) && more) {
    n++;
    st = ww_store_put(s, &row, e);
  }
  ww_reports_close(r);
  if (!st)
    st = ww_store_commit(s, e);
  if (added)
    *added = n;
  return st;
}
