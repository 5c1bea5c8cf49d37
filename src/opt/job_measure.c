/* job_measure.c - candidates of a job on a device.
 *
 * Candidates are measured in groups, the original first and last in each: measure.c
 * times a group in rounds, so that every run of a candidate stands between two of the
 * original, all cold and from restored contents. A group in which one failed is
 * measured again without it, because its rounds were torn apart. What a candidate
 * leaves in memory at full size is compared with what the original leaves. Only the
 * driver and its compiler are needed. */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <sys/stat.h>

#include "../gpu/gpu.h"
#include "../measure/backend.h"
#include "../measure/compile.h"
#include "../measure/contents.h"
#include "job.h"

#define GROUP 8                  /* candidates between two originals */
#define GROUP_BYTES (8ull << 30) /* of all their buffers and pristine copies */
#define MOST_REPEATS 15
#define LEAST_PAIRS 5 /* that are left when runs at another clock go */

/* A candidate on its way. */
typedef struct {
  ww_job_candidate *c;
  ww_launch l; /* ready, with its code */
  ww_err bad;  /* code WW_OK: none */
  const char *compiler;
  uint32_t registers;
  uint64_t local_bytes;
  ww_measured m; /* of the last group */
  const char *device, *gpu;
  bool measured;
} item;

typedef struct {
  ww_job *j;
  const ww_job_how *how;
  item *v; /* v[0] is the original */
  uint32_t n;
  char *folder; /* for sources and dumps */
  ww_arena *a;
  double begun;
} runner;

/* ---- code ---- */

static ww_status write_source(runner *r, item *i, ww_err *e) {
  const ww_job_candidate *c = i->c;
  const char *name = ww_fmt(r->a, "%016lx.cl", ww_hash(c->text, strlen(c->text), 0));
  i->l.file = ww_path_join(r->a, r->folder, name);
  i->l.flags = c->flags;
  i->l.nflags = c->nflags;
  i->l.kernel = c->kernel;
  return ww_file_exists(i->l.file)
             ? WW_OK
             : ww_write_file_atomic(i->l.file, c->text, strlen(c->text), e);
}

static ww_status compile_cuda(runner *r, item **of, uint32_t n, ww_err *e) {
  char arch[16];
  ww_compile_job *jobs = WW_NEWN(r->a, ww_compile_job, n + 1);
  ww_status st = ww_backend_cuda.architecture(r->how->device, arch, e);
  if (st)
    return st;
  for (uint32_t k = 0; k < n; k++)
    jobs[k] = (ww_compile_job){.file = of[k]->c->file,
                               .text = of[k]->c->text,
                               .kernel = of[k]->c->kernel,
                               .flags = of[k]->c->flags,
                               .nflags = of[k]->c->nflags};
  ww_compile_options o = {.architecture = arch,
                          .with = r->how->with,
                          .processes = r->how->processes,
                          .self = r->how->self};
  st = ww_compile(jobs, n, &o, r->a, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    of[k]->bad = jobs[k].error;
    of[k]->l.binary = jobs[k].binary;
    of[k]->l.kernel = jobs[k].entry;
    of[k]->compiler = jobs[k].compiler;
  }
  return st;
}

static ww_status make_code(runner *r, ww_err *e) {
  item **cuda = WW_NEWN(r->a, item *, r->n);
  uint32_t n = 0;
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < r->n; k++) {
    item *i = &r->v[k];
    ww_launch_copy(&i->c->launch, r->a, &i->l);
    i->l.file = i->c->file;
    if (ww_backend_of(&i->l) == &ww_backend_opencl)
      st = write_source(r, i, e);
    else
      cuda[n++] = i;
  }
  return st || !n ? st : compile_cuda(r, cuda, n, e);
}

/* ---- one group ---- */

typedef struct {
  runner *r;
  item **of; /* per launch */
  ww_measured first, last;
  uint32_t n;
  ww_err bad; /* of the original */
  bool torn;  /* one of them failed */
  bool look;  /* their results are looked at, not their times */
} group;

static void copy_measured(const ww_measured *m, ww_arena *a, ww_measured *out) {
  *out = *m;
  out->samples_us = WW_NEWN(a, double, m->nsamples + 1);
  out->dropped = WW_NEWN(a, bool, m->nsamples + 1);
  for (uint32_t k = 0; k < m->nsamples; k++) {
    out->samples_us[k] = m->samples_us[k];
    out->dropped[k] = m->dropped[k];
  }
}

static void on_row(void *ctx, uint32_t index, const ww_measure_row *row) {
  group *g = ctx;
  item *i = g->of[index];
  bool original = index == 0 || index == g->n - 1;
  const ww_err *bad = &row->report.error;
  g->torn |= bad->code != WW_OK;
  if (bad->code && original)
    g->bad = *bad;
  if (bad->code && !original)
    i->bad = *bad;
  if (bad->code || g->look)
    return;
  ww_arena *a = g->r->a;
  copy_measured(&row->measured, a, index == g->n - 1 ? &g->last : &i->m);
  if (index == 0)
    g->first = i->m;
  i->device = ww_strdup(a, row->measured.device.device);
  i->gpu = ww_strdup(a, row->report.gpu);
  i->registers = row->report.m[WW_M_registers].value;
  i->local_bytes = row->report.m[WW_M_local_bytes].value;
}

static ww_status run_group(group *g, const char *dump, ww_err *e) {
  const ww_job_how *how = g->r->how;
  ww_launch *l = WW_NEWN(g->r->a, ww_launch, g->n);
  for (uint32_t k = 0; k < g->n; k++)
    l[k] = g->of[k]->l;
  uint32_t repeats = how->repeats ? how->repeats : WW_JOB_REPEATS;
  ww_measure_options o = {.device = how->device,
                          .time_only = true,
                          .limit_s = how->limit_s,
                          .batch = g->n,
                          .dump = dump,
                          .dump_each = true,
                          .every = true,
                          .repeats = repeats};
  if (o.repeats > MOST_REPEATS)
    o.repeats = MOST_REPEATS;
  ww_measure_sink sink = {
      .ctx = g,
      .row = on_row,
  };
  ww_status st = ww_measure(l, g->n, &o, how->self, &sink, e);
  if (!st && g->bad.code) {
    *e = g->bad;
    st = e->code;
  }
  return st;
}

/* ---- are the buffers the original's ---- */

static const char *type_of(const ww_launch *l, const char *file) {
  unsigned arg;
  if (sscanf(file, "arg%u.bin", &arg) != 1 || arg >= l->nargs)
    return NULL;
  return l->args[arg].buffer.type;
}

typedef struct {
  char *data;
  size_t n;
} bytes;

static bool read_dump(const char *dir, const char *name, ww_arena *a, bytes *out) {
  ww_err ignored;
  return !ww_read_file(a, ww_path_join(a, dir, name), SIZE_MAX / 2, &out->data, &out->n,
                       &ignored);
}

/* One buffer of three runs: the original's, the original's again, the candidate's.
 * False with `why`. A buffer of which the original makes another thing each time is
 * nobody's to be measured by. */
static bool same_file(const char *const dirs[3],
                      const char *name,
                      const char *type,
                      char why[160]) {
  ww_arena *a = ww_arena_new();
  bytes b[3] = {{0}};
  char own[160];
  bool there = true;
  for (int k = 0; k < 3; k++)
    there = there && read_dump(dirs[k], name, a, &b[k]);
  bool same = there && b[0].n == b[2].n;
  snprintf(why, 160, "its size differs");
  if (same && b[1].n == b[0].n &&
      ww_contents_same(type, b[0].data, b[1].data, b[0].n, own))
    same = ww_contents_same(type, b[0].data, b[2].data, b[0].n, why);
  ww_arena_free(a);
  return same;
}

static void compare(runner *r, item *i, const char *const dirs[3]) {
  DIR *d = opendir(dirs[0]);
  char why[160];
  if (!d) {
    ww_fail(&i->bad, WW_EDATA, "the original's results could not be read");
    return;
  }
  for (struct dirent *f; !i->bad.code && (f = readdir(d));)
    if (ww_starts(f->d_name, "arg") &&
        !same_file(dirs, f->d_name, type_of(&r->v[0].l, f->d_name), why))
      ww_fail(&i->bad, WW_EDATA, "%.*s: %s", (int)strcspn(f->d_name, "."), f->d_name,
              why);
  closedir(d);
  if (i->bad.code)
    i->c->result.state = WW_JOB_WRONG;
}

/* Those whose hash is not the original's, in any of the timed runs, are run once more
 * in the same way, and looked at. */
static ww_status check_results(runner *r, item **v, uint32_t n, ww_err *e) {
  group g = {
      .r = r,
      .look = true,
      .of = WW_NEWN(r->a, item *, n + 2),
  };
  uint64_t want = r->v[0].m.digest;
  for (uint32_t k = 0; k < n; k++)
    if (!v[k]->bad.code && v[k]->m.digest != want)
      g.of[++g.n] = v[k];
  if (!g.n)
    return WW_OK;
  g.of[0] = g.of[g.n + 1] = &r->v[0];
  g.n += 2;
  const char *dir = ww_path_join(r->a, r->folder, "dump");
  ww_status st = run_group(&g, dir, e);
  for (uint32_t k = 1; !st && k + 1 < g.n; k++) {
    const char *dirs[3] = {ww_path_join(r->a, dir, "0"),
                           ww_path_join(r->a, dir, ww_fmt(r->a, "%u", g.n - 1)),
                           ww_path_join(r->a, dir, ww_fmt(r->a, "%u", k))};
    if (!g.of[k]->bad.code)
      compare(r, g.of[k], dirs);
  }
  ww_remove_tree(dir);
  return st;
}

/* ---- results ---- */

static int by_value(const void *x, const void *y) {
  double a = *(const double *)x;
  double b = *(const double *)y;
  return a < b ? -1 : a > b;
}

static double quantile(const double *from, uint32_t n, double q) {
  double v[MOST_REPEATS];
  memcpy(v, from, n * sizeof *v);
  qsort(v, n, sizeof *v, by_value);
  double x = q * (n - 1);
  uint32_t k = x;
  return k + 1 < n ? v[k] + (x - k) * (v[k + 1] - v[k]) : v[k];
}

/* The candidate's runs and the original's around each; without those at another clock,
 * where enough are left. */
static void pair_up(const group *g, const item *i, ww_arena *a, ww_job_result *out) {
  uint32_t n = i->m.nsamples;
  n = ww_least(n, ww_least(g->first.nsamples, g->last.nsamples));
  out->samples = WW_NEWN(a, double, n + 1);
  out->pair = WW_NEWN(a, double, n + 1);
  uint32_t off = 0;
  for (uint32_t k = 0; k < n; k++)
    off += i->m.dropped[k] || g->first.dropped[k] || g->last.dropped[k];
  bool all = n - off < LEAST_PAIRS;
  for (uint32_t k = 0; k < n; k++) {
    if (!all && (i->m.dropped[k] || g->first.dropped[k] || g->last.dropped[k]))
      continue;
    out->samples[out->n] = i->m.samples_us[k];
    out->pair[out->n++] = (g->first.samples_us[k] + g->last.samples_us[k]) / 2;
  }
}

static void fill_times(ww_job_result *r) {
  double ratio[MOST_REPEATS];
  for (uint32_t k = 0; k < r->n; k++)
    ratio[k] = r->pair[k] / r->samples[k];
  r->us = quantile(r->samples, r->n, 0.5);
  r->low = quantile(r->samples, r->n, 0.25);
  r->high = quantile(r->samples, r->n, 0.75);
  r->original_us = quantile(r->pair, r->n, 0.5);
  r->ratio = quantile(ratio, r->n, 0.5);
  r->p = ww_pairs_p(r->samples, r->pair, r->n);
}

/* Whose roofs count: those that were asked for, else the device's own. */
static bool gate_of(runner *r, const item *i, ww_gpu *out) {
  ww_err ignored;
  if (r->how->gate)
    *out = *r->how->gate;
  return r->how->gate || (i->gpu && !ww_gpu_load(i->gpu, r->a, out, &ignored));
}

static void pass_gate(runner *r, const item *i, ww_job_result *out) {
  ww_gpu g;
  if (!gate_of(r, i, &g))
    return;
  ww_job_needs n = i->c->needs;
  if (i->c->launch.warm)
    n.read_bytes = fmax(0, n.read_bytes - WW_FIGURE(&g, l2_bytes));
  double floor = ww_needs_floor(&n, &g);
  if (out->us >= floor)
    return;
  out->state = WW_JOB_IMPOSSIBLE;
  out->why = ww_fmt(r->a,
                    "%.4g us; its bytes and operations need %.4g us on %s: not all of "
                    "the work is done, or not from memory",
                    out->us, floor, g.full_name);
}

static ww_status put_result(runner *r, const group *g, item *i, ww_err *e) {
  ww_job_result out = {.state = WW_JOB_MEASURED,
                       .device = i->device,
                       .compiler = i->compiler,
                       .registers = i->registers,
                       .local_bytes = i->local_bytes,
                       .wall_s = ww_now() - r->begun};
  r->begun = ww_now();
  if (i->bad.code) {
    bool wrong = i->c->result.state == WW_JOB_WRONG;
    out.state = wrong ? WW_JOB_WRONG : WW_JOB_FAILED;
    out.why = ww_strdup(r->a, i->bad.msg);
  } else {
    pair_up(g, i, r->a, &out);
    fill_times(&out);
    pass_gate(r, i, &out);
  }
  i->measured = true;
  ww_status st = ww_job_put(r->j, i->c->id, &out, e);
  if (!st && r->how->done)
    r->how->done(r->how->ctx, i->c);
  return st;
}

/* ---- groups ---- */

static uint64_t bytes_of(const ww_launch *l) {
  ww_arena *a = ww_arena_new();
  ww_buffer_contents c = {0};
  ww_err ignored;
  uint64_t sum = 0;
  if (!ww_contents_plan(l, a, &c, &ignored))
    for (uint32_t k = 0; k < c.n; k++)
      sum += 2 * c.v[k].bytes;
  ww_arena_free(a);
  return sum;
}

static ww_status measure_group(runner *r, item **v, uint32_t n, ww_err *e) {
  group g;
  ww_status st;
  do {
    g = (group){.r = r, .of = WW_NEWN(r->a, item *, n + 2)};
    g.of[g.n++] = &r->v[0];
    for (uint32_t k = 0; k < n; k++)
      if (!v[k]->bad.code)
        g.of[g.n++] = v[k];
    g.of[g.n++] = &r->v[0];
    st = run_group(&g, NULL, e);
  } while (!st && g.torn);
  if (!st)
    st = check_results(r, v, n, e);
  if (!st && !r->v[0].measured && r->v[0].c->result.state == WW_JOB_NONE)
    st = put_result(r, &g, &r->v[0], e);
  for (uint32_t k = 0; !st && k < n; k++)
    st = put_result(r, &g, v[k], e);
  return st;
}

static ww_status measure_all(runner *r, ww_err *e) {
  ww_status st = make_code(r, e);
  if (!st && r->v[0].bad.code) {
    *e = r->v[0].bad;
    return e->code;
  }
  uint64_t each = bytes_of(&r->v[0].l) + 1;
  uint64_t room = GROUP_BYTES / each;
  uint32_t most = room > GROUP + 2 ? GROUP : room > 3 ? room - 2 : 1;
  item **v = WW_NEWN(r->a, item *, GROUP);
  if (r->n == 1 && !st)
    return measure_group(r, v, 0, e);
  for (uint32_t k = 1, n; !st && k < r->n; k += n) {
    for (n = 0; n < most && k + n < r->n; n++)
      v[n] = &r->v[k + n];
    st = measure_group(r, v, n, e);
  }
  return st;
}

ww_status ww_job_measure(
    ww_job *j, const uint32_t *ids, uint32_t n, const ww_job_how *how, ww_err *e) {
  runner r = {
      .j = j,
      .how = how,
      .a = ww_arena_new(),
      .begun = ww_now(),
  };
  int slot;
  r.v = WW_NEWN(r.a, item, n + 1);
  ww_status st = WW_OK;
  if (!j->v.n)
    st = ww_fail(e, WW_EDATA, "%s: the job has no candidates", j->path);
  else
    r.v[r.n++].c = &j->v.v[0];
  for (uint32_t k = 0; !st && k < n; k++)
    if (ids[k] && j->v.v[ids[k]].result.state == WW_JOB_NONE)
      r.v[r.n++].c = &j->v.v[ids[k]];
  bool nothing = r.n <= 1 && j->v.n && j->v.v[0].result.state != WW_JOB_NONE;
  const char *tmp = getenv("TMPDIR");
  r.folder = ww_fmt(r.a, "%s/warpwise-job-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  if (!st && !nothing) {
    if (!ww_temp_folder(r.folder, &slot))
      st = ww_fail(e, WW_EIO, "cannot make the folder '%s': %s: set TMPDIR", r.folder,
                   strerror(errno));
    else {
      st = measure_all(&r, e);
      if (st && e->file)
        e->file = NULL; /* the arena goes */
      ww_remove_tree(r.folder);
      ww_cleanup_forget(slot);
    }
  }
  ww_arena_free(r.a);
  return st;
}

bool ww_job_faster(const ww_job_candidate *c) {
  const ww_job_result *r = &c->result;
  return r->state == WW_JOB_MEASURED && r->ratio > 1 && r->p < WW_JOB_SURE;
}
