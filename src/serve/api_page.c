/* api_page.c - what a page asks for beyond reports: files of the folder, sweeps over
 * sizes, a report to pass on. */
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../predict/show/page_export.h"
#include "../predict/show/show.h"
#include "../predict/show/sweep.h"
#include "api_int.h"

/* ---- files ---- */

enum { MOST_FILES = 1000, MOST_SEEN = 20000, DEEPEST = 12 };
#define MOST_TEXT ((size_t)1 << 20)

typedef struct {
  const char *path; /* from the root */
  uint64_t bytes;
} listed;

typedef struct {
  ww_arena *a;
  WW_VEC(listed) files;
  uint32_t seen;
  bool truncated;
} listing;

#define FOR_GPUS ".cu|.cl|.hip"   /* code for a GPU */
#define MAY_BE ".c|.cc|.cpp|.cxx" /* that may have some */
#define HEADERS ".h|.hh|.hpp|.hxx|.cuh|.inc|.inl|.clh"

static bool ends_in(const char *name, const char *endings) {
  const char *dot = strrchr(name, '.');
  return dot && ww_is_one_of(endings, dot);
}

/* Does its beginning speak of kernels? */
static bool has_kernels(int folder, const char *name) {
  char *text = ww_xmalloc(65537);
  int fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  ssize_t n = fd < 0 ? 0 : read(fd, text, 65536);
  if (fd >= 0)
    close(fd);
  text[n > 0 ? n : 0] = 0;
  bool found = strstr(text, "omp target") || strstr(text, "__global__");
  free(text);
  return found;
}

/* Links are not followed: nothing outside of the root is named, and there are no
 * circles. Takes `folder`. */
static void list_folder(listing *l, int folder, const char *path, int depth) {
  DIR *d = fdopendir(folder);
  if (!d) {
    close(folder);
    return;
  }
  for (struct dirent *f; !l->truncated && (f = readdir(d));) {
    struct stat st;
    const char *name = f->d_name;
    if (name[0] == '.' || fstatat(dirfd(d), name, &st, AT_SYMLINK_NOFOLLOW))
      continue;
    l->truncated = l->files.n >= MOST_FILES || ++l->seen > MOST_SEEN;
    const char *full =
        *path ? ww_fmt(l->a, "%s/%s", path, name) : ww_strdup(l->a, name);
    if (S_ISDIR(st.st_mode) && depth < DEEPEST && strcmp(name, "node_modules") != 0) {
      int below =
          openat(dirfd(d), name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
      if (below >= 0)
        list_folder(l, below, full, depth + 1);
    } else if (S_ISREG(st.st_mode) && !l->truncated &&
               (size_t)st.st_size <= MOST_TEXT &&
               (ends_in(name, FOR_GPUS) ||
                (ends_in(name, MAY_BE) && has_kernels(dirfd(d), name))))
      ww_push(l->a, &l->files, (listed){full, (uint64_t)st.st_size});
  }
  closedir(d);
}

static int by_path(const void *a, const void *b) {
  return strcmp(((const listed *)a)->path, ((const listed *)b)->path);
}

ww_status ww_call_files(call *c, ww_api_reply *out) {
  listing l = {.a = c->a};
  const char *root;
  int folder = -1;
  if (!ww_query_path(c->api->w, ".", true, c->a, &root, &c->err))
    folder = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0)
    list_folder(&l, folder, "", 0);
  if (l.files.n)
    qsort(l.files.v, l.files.n, sizeof *l.files.v, by_path);
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{files:[");
  for (uint32_t k = 0; k < l.files.n; k++)
    ww_json_put(&j, "{path:%s,bytes:%lu}", l.files.v[k].path, l.files.v[k].bytes);
  ww_json_put(&j, "],truncated:%i", l.truncated);
  return ww_call_end(&j);
}

/* A source and nothing else: a folder may hold more than what is meant to be read by
 * all who can ask. */
static ww_status read_text(call *c, const char *path, char **text) {
  size_t n;
  if (!ends_in(path, FOR_GPUS "|" MAY_BE "|" HEADERS))
    return ww_fail(&c->err, WW_EUSAGE, "'%.200s' is not called like a source file",
                   ww_path_base(path));
  ww_status st = ww_query_text(c->api->w, path, MOST_TEXT, c->a, text, &n, &c->err);
  if (!st && strlen(*text) != n)
    st = ww_fail(&c->err, WW_EUSAGE, "'%.200s' is not a text", ww_path_base(path));
  return st;
}

ww_status ww_call_source(call *c, ww_api_reply *out) {
  const char *file;
  char *text;
  if (ww_call_read(c) || ww_call_text(c, "file", &file) ||
      read_text(c, c->ask.source.path, &text))
    return c->err.code;
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{file:%s,text:%s", file, text);
  return ww_call_end(&j);
}

/* ---- sweeps ---- */

typedef struct {
  bool known;
  ww_err why; /* where it is not */
  uint64_t grid[3], block[3];
} swept;

typedef struct {
  ww_sweep s;
  swept *values;          /* s.n */
  ww_sweep_point *points; /* s.n times GPUs */
  const char **gpus;
  uint32_t ngpus;
  const char *kernel, *file;
} sweeping;

static const char *bound_of(const ww_report *r) {
  const char *name = ww_report_word_of(r, "timing", "bottleneck");
  for (int k = 0; name && k < WW_NTERMS; k++)
    if (!strcmp(ww_term_names[k], name))
      return ww_term_words[k];
  return "";
}

static void
keep_point(const ww_query_answer *t, sweeping *w, swept *value, ww_sweep_point *out) {
  const ww_report *r = &t->report;
  const ww_quantity *q = &r->m[WW_M_time_us];
  if (r->error.code)
    value->why = r->error;
  if (t->code || !q->known)
    return;
  *out = (ww_sweep_point){true, q->value, q->interval ? q->low : q->value,
                          q->interval ? q->high : q->value, bound_of(r)};
  value->known = true;
  w->kernel = t->kernel;
  w->file = r->file;
  for (int d = 0; r->launch && d < 3; d++) {
    value->grid[d] = r->launch->grid[d];
    value->block[d] = r->launch->block[d];
  }
}

static ww_status sweep_value(call *c, sweeping *w, uint32_t i) {
  ww_launch l = c->launch;
  ww_query_result x;
  swept *value = &w->values[i];
  ww_status st = ww_sweep_launch(&w->s, w->s.v[i], c->a, &l, &c->err);
  if (st)
    return st;
  c->ask.launch = &l;
  st = ww_query_ask(c->api->w, &c->ask, c->a, &x, &c->err);
  c->ask.launch = NULL; /* it goes with this function */
  if (!st && x.n != w->ngpus)
    return ww_fail(&c->err, WW_EUSAGE,
                   "the source has several kernels; name one with `kernel`");
  if (st == WW_ECANCEL || st == WW_EUSAGE ||
      (c->ask.deadline > 0 && ww_now() > c->ask.deadline))
    return st;
  if (st)
    value->why = c->err; /* a size that does not fit: a gap in the curve */
  for (uint32_t g = 0; !st && g < x.n; g++)
    keep_point(&x.v[g], w, value, &w->points[i * w->ngpus + g]);
  return WW_OK;
}

static ww_status sweep(call *c, const char *range, sweeping *w) {
  ww_gpu *gpus;
  if (!range)
    return ww_fail(&c->err, WW_EUSAGE,
                   "give `sweep`: what goes over which sizes, n=1K..64M");
  ww_status st = ww_sweep_parse(range, c->a, &w->s, &c->err);
  if (st)
    return st;
  w->ngpus = ww_call_gpus(c, &gpus);
  if ((uint64_t)w->s.n * w->ngpus > 1000)
    return ww_fail(&c->err, WW_EUSAGE, "sweep: at most 1000 sizes times GPUs");
  w->gpus = WW_NEWN(c->a, const char *, w->ngpus);
  for (uint32_t g = 0; g < w->ngpus; g++)
    w->gpus[g] = gpus[g].name ? gpus[g].name : "";
  w->values = WW_NEWN(c->a, swept, w->s.n);
  w->points = WW_NEWN(c->a, ww_sweep_point, (size_t)w->s.n * w->ngpus);
  bool any = false;
  for (uint32_t i = 0; !st && i < w->s.n; i++) {
    st = sweep_value(c, w, i);
    any |= w->values[i].known;
  }
  if (!st && !any) {
    c->err = w->values[0].why;
    st = c->err.code ? c->err.code : WW_EDATA;
  } /* nothing at all: why */
  return st;
}

static void write_value(const sweeping *w, uint32_t i, ww_json *j) {
  const swept *v = &w->values[i];
  ww_json_put(j, "{value:%lu", w->s.v[i]);
  if (v->known)
    ww_json_put(j, "grid:[%lu,%lu,%lu],block:[%lu,%lu,%lu]", v->grid[0], v->grid[1],
                v->grid[2], v->block[0], v->block[1], v->block[2]);
  ww_json_put(j, "times:[");
  for (uint32_t g = 0; g < w->ngpus; g++) {
    const ww_sweep_point *p = &w->points[i * w->ngpus + g];
    if (p->known)
      ww_json_put(j, "{us:%g,low:%g,high:%g,bound:%s}", p->us, p->low, p->high,
                  p->bound);
    else
      ww_json_put(j, "null");
  }
  ww_json_put(j, "],error?:%s}", v->why.code ? v->why.msg : NULL);
}

ww_status ww_call_write_sweep(call *c, const char *range, ww_json *j) {
  sweeping w = {0};
  ww_status st = sweep(c, range, &w);
  if (st)
    return st;
  ww_json_put(j, "kernel:%s,name:%s,gpus:[", w.kernel, w.s.name);
  for (uint32_t g = 0; g < w.ngpus; g++)
    ww_json_str(j, w.gpus[g]);
  ww_json_put(j, "],points:[");
  for (uint32_t i = 0; i < w.s.n; i++)
    write_value(&w, i, j);
  ww_json_end_arr(j);
  return WW_OK;
}

static ww_status read_sweep(call *c, const char **range) {
  ww_status st = ww_call_read(c);
  return st ? st : ww_call_text(c, "sweep", range);
}

ww_status ww_call_sweep(call *c, ww_api_reply *out) {
  const char *range;
  ww_status st = read_sweep(c, &range);
  if (st)
    return st;
  ww_json j = ww_call_json(out);
  ww_json_obj(&j);
  st = ww_call_write_sweep(c, range, &j);
  ww_call_end(&j);
  return st;
}

ww_status ww_call_sweep_svg(call *c, ww_api_reply *out) {
  sweeping w = {0};
  const char *range;
  ww_status st = read_sweep(c, &range);
  if (!st)
    st = sweep(c, range, &w);
  if (st)
    return st;
  ww_sweep_result r = {.sweep = &w.s,
                       .gpus = w.gpus,
                       .ngpus = w.ngpus,
                       .points = w.points,
                       .kernel = w.kernel ? w.kernel : "",
                       .file = w.file ? w.file : ""};
  *out = (ww_api_reply){.status = 200, .type = "image/svg+xml"};
  ww_sweep_svg(&r, &out->body);
  return WW_OK;
}

/* ---- a report to pass on ---- */

/* The text that was asked about, else a file below the root. */
static const char *text_of(void *ctx, const char *file, ww_arena *a) {
  call *c = ctx;
  const char *path;
  char *text;
  if (ww_query_path(c->api->w, file, false, a, &path, &c->err))
    return NULL;
  if (c->ask.source.text && !strcmp(path, c->ask.source.path))
    return c->ask.source.text;
  if (ww_query_path(c->api->w, file, true, a, &path, &c->err) ||
      read_text(c, path, &text))
    return NULL;
  return text;
}

ww_status ww_call_html(call *c, ww_api_reply *out) {
  ww_query_result x;
  ww_gpu *gpus;
  c->ask.explain = true;
  ww_status st = ww_call_ask(c, &x);
  if (st)
    return st;
  ww_report *reports = WW_NEWN(c->a, ww_report, x.n + 1);
  for (uint32_t k = 0; k < x.n; k++)
    reports[k] = x.v[k].report;
  ww_export page = {.reports = reports,
                    .n = x.n,
                    .source = text_of,
                    .ctx = c,
                    .made = "the page of warpwise serve"};
  page.ngpus = ww_call_gpus(c, &gpus);
  page.gpus = gpus;
  *out = (ww_api_reply){.status = 200, .type = "text/html; charset=utf-8"};
  ww_export_html(&page, &out->body);
  return WW_OK;
}
