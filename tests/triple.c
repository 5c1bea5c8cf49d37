/* triple.c - reads, runs and compares one triple; see triple.h. */
#include "triple.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_S 60
#define MAX_FILE (64u << 20)

void triple_fail(triple *t, const char *fmt, ...) {
  char text[1024];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  ww_buf_fmt(&t->lines, "FAIL %-18s %s\n", t->name, text);
}

bool triple_open(triple *t, const char *dir, const char *name) {
  *t = (triple){.name = name, .a = ww_arena_new()};
  ww_err e = {0};
  uint32_t n = 0;
  char *text;
  size_t bytes;
  t->spec = ww_path_join(t->a, dir, ww_fmt(t->a, "%s.launch", name));
  const char *want = ww_path_join(t->a, dir, ww_fmt(t->a, "%s.want", name));
  if (ww_launch_read(t->spec, t->a, &t->launch, &n, &e) != WW_OK || n != 1 ||
      !t->launch->file) {
    triple_fail(t, "%s: %s", t->spec,
                e.msg[0] ? e.msg : "one launch with a \"file\" is needed");
    return false;
  }
  if (ww_read_file(t->a, want, MAX_FILE, &text, &bytes, &e) != WW_OK ||
      !(t->want = cJSON_Parse(text))) {
    triple_fail(t, "%s: %s", want, e.msg[0] ? e.msg : "not JSON");
    return false;
  }
  const cJSON *ulps = cJSON_GetObjectItemCaseSensitive(t->want, "ulps");
  const cJSON *abs = cJSON_GetObjectItemCaseSensitive(t->want, "abs");
  t->ulps = cJSON_IsNumber(ulps) ? ulps->valuedouble : -1;
  t->abs = cJSON_IsNumber(abs) ? abs->valuedouble : 0;
  return true;
}

void triple_close(triple *t) {
  cJSON_Delete(t->want);
  ww_buf_free(&t->lines);
  ww_arena_free(t->a);
}

/* ---- running ---- */

static char *first_line(char *s) {
  s[strcspn(s, "\n")] = 0;
  return s;
}

cJSON *triple_trace(triple *t, const char *program, const char *dump) {
  const char *argv[] = {program,  "trace",  t->launch->file, "--launch", t->spec,
                        "--full", "--json", "--dump",        dump,       NULL};
  ww_run_result run = {0};
  ww_err e = {0};
  cJSON *report = NULL;
  if (ww_run(argv, NULL, 0, TIMEOUT_S, &run, &e) != WW_OK) {
    triple_fail(t, "%s", e.msg);
  } else if (run.timed_out) {
    triple_fail(t, "no answer in %d s", TIMEOUT_S);
  } else {
    report = run.out.s ? cJSON_Parse(run.out.s) : NULL;
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(report, "error");
    const cJSON *message = cJSON_GetObjectItemCaseSensitive(error, "message");
    if (error || run.exit_code || !report) {
      const char *said = message                  ? message->valuestring
                         : run.err.s && run.err.n ? first_line(run.err.s)
                                                  : "no report";
      triple_fail(t, "exit %d: %s", run.exit_code, said);
      cJSON_Delete(report);
      report = NULL;
    }
  }
  ww_run_free(&run);
  return report;
}

/* ---- memory, as the launch spec gives it ---- */

static uint8_t *add_region(triple_memory *m,
                           const char *file,
                           const char *type,
                           uint8_t *base,
                           uint64_t bytes) {
  if (m->n < 2 * REF_MAX)
    m->v[m->n++] =
        (triple_region){.file = file, .type = type, .base = base, .bytes = bytes};
  return base;
}

static uint8_t *add_buffer(triple *t,
                           triple_memory *m,
                           const ww_buffer *b,
                           const char *file,
                           uint32_t allocation) {
  for (uint32_t i = 0; b->id && i < m->n; i++)
    if (m->v[i].id && strcmp(m->v[i].id, b->id) == 0)
      return m->v[i].base + b->offset;
  uint32_t size = b->type ? ww_elem_size(b->type) : 1;
  uint8_t *p = ww_alloc(t->a, b->bytes);
  bool filled = b->fill.kind != WW_FILL_NONE && size;
  char *from_file;
  size_t n;
  ww_err e;
  if (b->fill.kind == WW_FILL_FILE) {
    if (!ww_read_packed(t->a, b->fill.path, 1u << 30, &from_file, &n, &e))
      memcpy(p, from_file, n < b->bytes ? n : b->bytes);
  } else if (filled)
    ww_fill_bytes(&b->fill, b->type, b->bytes / size,
                  ww_fill_seed(t->launch->seed, allocation), 0, b->bytes / size, p);
  add_region(m, filled ? file : NULL, b->type, p, b->bytes);
  m->v[m->n - 1].id = b->id;
  return p + b->offset;
}

static uint8_t *
add_symbol(triple *t, triple_memory *m, const ww_symbol_arg *s, uint32_t i) {
  const ww_arg *arg = &s->arg;
  if (arg->kind == WW_ARG_BUFFER)
    return add_buffer(t, m, &arg->buffer, s->name, 1000 + i);
  uint8_t *p = ww_alloc(t->a, arg->hex_n + 8);
  float f = (float)arg->value;
  int32_t w = (int32_t)arg->ivalue;
  if (arg->kind == WW_ARG_HEX)
    memcpy(p, arg->hex, arg->hex_n);
  if (arg->kind == WW_ARG_VALUE)
    memcpy(p, arg->is_int ? (const void *)&w : (const void *)&f, 4);
  return add_region(m, s->name, NULL, p, arg->kind == WW_ARG_HEX ? arg->hex_n : 4);
}

void triple_initial_memory(triple *t, triple_memory *m, ref_state *r) {
  uint32_t nptrs = 0;
  *m = (triple_memory){0};
  *r = (ref_state){.launch = t->launch};
  for (uint32_t i = 0; i < t->launch->nargs && i < REF_MAX; i++) {
    const ww_arg *arg = &t->launch->args[i];
    if (arg->kind == WW_ARG_BUFFER || arg->kind == WW_ARG_TENSORMAP)
      r->arg[i] = add_buffer(t, m, &arg->buffer, ww_fmt(t->a, "arg%u", i), i);
    for (uint32_t k = 0; k < arg->nptrs && nptrs < REF_MAX; k++)
      r->ptr[nptrs++] = add_buffer(t, m, &arg->ptrs[k].buffer,
                                   ww_fmt(t->a, "arg%u.%u", i, arg->ptrs[k].at), i);
  }
  for (uint32_t i = 0; i < t->launch->nsymbols && i < REF_MAX; i++)
    r->symbol[i] = add_symbol(t, m, &t->launch->symbols[i], i);
}

/* ---- comparing elements ---- */

typedef enum { BITS, REAL16, REALB16, REAL32, REAL64 } real_kind;

static real_kind kind_of(const char *type) {
  if (!type)
    return BITS;
  return strcmp(type, "f32") == 0    ? REAL32
         : strcmp(type, "f64") == 0  ? REAL64
         : strcmp(type, "f16") == 0  ? REAL16
         : strcmp(type, "bf16") == 0 ? REALB16
                                     : BITS;
}

static uint64_t element_bits(const uint8_t *p, uint32_t size) {
  uint64_t v = 0;
  memcpy(&v, p, size < 8 ? size : 8);
  return v;
}

static double real_of(uint64_t bits, real_kind k) {
  uint32_t u = (uint32_t)(k == REALB16 ? bits << 16 : bits);
  float f;
  double d;
  _Float16 h;
  memcpy(&f, &u, 4);
  memcpy(&d, &bits, 8);
  memcpy(&h, &u, 2);
  return k == REAL64 ? d : k == REAL16 ? (double)h : (double)f;
}

/* Position of a float on the number line of its format: neighbours differ by 1, -0 and
 * 0 are one.
 */
static int64_t ordinal(uint64_t bits, uint32_t size) {
  uint64_t sign = 1ull << (8 * size - 1);
  return bits & sign ? -(int64_t)(bits & ~sign) : (int64_t)bits;
}

static bool
same(const triple *t, uint64_t want, uint64_t got, uint32_t size, real_kind k) {
  if (want == got)
    return true;
  if (k == BITS)
    return false;
  double w = real_of(want, k), g = real_of(got, k);
  if (isnan(w) || isnan(g))
    return isnan(w) && isnan(g);
  if (t->ulps < 0)
    return false;
  if (fabs(w - g) <= t->abs)
    return true;
  return fabs((double)((__int128)ordinal(want, size) - ordinal(got, size))) <=
         t->ulps; /* no double holds an ordinal of f64 */
}

static void show(char *out, size_t n, uint64_t bits, uint32_t size, real_kind k) {
  if (k == BITS)
    snprintf(out, n, "%lld (0x%0*llx)", (long long)bits, (int)(2 * size),
             (unsigned long long)bits);
  else
    snprintf(out, n, "%.9g (0x%0*llx)", real_of(bits, k), (int)(2 * size),
             (unsigned long long)bits);
}

void triple_compare(triple *t,
                    const char *what,
                    const char *type,
                    const uint8_t *want,
                    const uint8_t *got,
                    uint64_t bytes) {
  uint32_t size = type ? ww_elem_size(type) : 1;
  real_kind k = kind_of(type);
  uint64_t wrong = 0, first = 0, n = bytes / size;
  for (uint64_t i = 0; i < n; i++)
    if (!same(t, element_bits(want + i * size, size),
              element_bits(got + i * size, size), size, k) &&
        wrong++ == 0)
      first = i;
  if (!wrong)
    return;
  char w[64], g[64];
  show(w, sizeof w, element_bits(want + first * size, size), size, k);
  show(g, sizeof g, element_bits(got + first * size, size), size, k);
  triple_fail(t, "%s[%llu] want %s got %s (%llu of %llu differ)", what,
              (unsigned long long)first, w, g, (unsigned long long)wrong,
              (unsigned long long)n);
}

/* ---- comparing memories ---- */

/* Contents of DIR/what.bin, at least `bytes` long; NULL: lines say why. */
static const uint8_t *
read_dump(triple *t, const char *dir, const char *what, uint64_t bytes) {
  char *got;
  size_t n;
  ww_err e = {0};
  const char *path = ww_path_join(t->a, dir, ww_fmt(t->a, "%s.bin", what));
  if (ww_read_file(t->a, path, MAX_FILE, &got, &n, &e) != WW_OK)
    triple_fail(t, "%s: no dump: %s", what, e.msg);
  else if (n < bytes)
    triple_fail(t, "%s: dump has %zu bytes, want %llu", what, n,
                (unsigned long long)bytes);
  else
    return (const uint8_t *)got;
  return NULL;
}

void triple_check_reference(triple *t, const char *dump, const char *who) {
  ref_fn fn = ref_find(t->name);
  if (!fn) {
    triple_fail(t, "no reference in kernels/refs.c");
    return;
  }
  ref_state r;
  triple_memory m;
  triple_initial_memory(t, &m, &r);
  fn(&r);
  for (uint32_t i = 0; i < m.n; i++) {
    const triple_region *want = &m.v[i];
    if (!want->file)
      continue;
    const uint8_t *got = read_dump(t, dump, want->file, want->bytes);
    const char *what = who ? ww_fmt(t->a, "%s: %s", who, want->file) : want->file;
    if (got)
      triple_compare(t, what, want->type, want->base, got, want->bytes);
  }
}

void triple_check_dumps(triple *t,
                        const char *want_dump,
                        const char *want_name,
                        const char *got_dump,
                        const char *got_name) {
  ref_state r;
  triple_memory m;
  triple_initial_memory(t, &m, &r);
  for (uint32_t i = 0; i < m.n; i++) {
    const triple_region *v = &m.v[i];
    if (!v->file)
      continue;
    const uint8_t *want = read_dump(t, want_dump, v->file, v->bytes),
                  *got = read_dump(t, got_dump, v->file, v->bytes);
    if (want && got)
      triple_compare(t, ww_fmt(t->a, "%s against %s: %s", got_name, want_name, v->file),
                     v->type, want, got, v->bytes);
  }
}

/* ---- folders ---- */

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char **
triple_names(const char *dir, const char *prefix, const char *only, uint32_t *n) {
  DIR *d = opendir(dir);
  char **names = NULL;
  *n = 0;
  for (struct dirent *f; d && (f = readdir(d));) {
    size_t len = strlen(f->d_name);
    if (len < 6 || strcmp(f->d_name + len - 5, ".want") != 0 ||
        strncmp(f->d_name, prefix, strlen(prefix)) != 0)
      continue;
    char *name = ww_xmalloc(len);
    snprintf(name, len, "%.*s", (int)(len - 5), f->d_name);
    if (only && !strstr(name, only)) {
      free(name);
      continue;
    }
    names = ww_xrealloc(names, (*n + 1) * sizeof *names);
    names[(*n)++] = name;
  }
  if (d)
    closedir(d);
  if (*n)
    qsort(names, *n, sizeof *names, by_name);
  return names;
}

void triple_names_free(char **names, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    free(names[i]);
  free(names);
}

void triple_remove_dump(const char *dir) {
  DIR *d = opendir(dir);
  for (struct dirent *f; d && (f = readdir(d));) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, f->d_name);
    if (f->d_name[0] != '.')
      unlink(path);
  }
  if (d)
    closedir(d);
  rmdir(dir);
}
