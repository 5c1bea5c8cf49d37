/* ready.c - launches on their way to a device: what the source tells, the compiled
 * code, lines for another machine.
 *
 * One that fails on the way keeps its place, with its error; the others go on. */
#include "ready.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "../gpu/gpu.h"
#include "../measure/backend.h"
#include "../measure/compile.h"
#include "../measure/plan.h"

/* ---- plan ---- */

/* For the device's compiler: the project's, the spec's, those behind `--`. */
static const char **flags_of(const ww_ready_how *j, const ww_item *i, uint32_t *n) {
  ww_strings all = {0};
  ww_err ignored;
  ww_compile_flags(i->l.file, j->source->database, j->a, &all, &ignored);
  ww_strings_add(j->a, &all, i->l.flags, i->l.nflags);
  ww_strings_add(j->a, &all, j->c->rest, j->c->nrest);
  *n = all.n;
  return all.v;
}

/* Nothing is left to be found out: the device alone can tell whether it runs. */
static bool complete(const ww_launch *l) {
  bool yes = l->kernel && l->grid[0] && l->block[0] && !l->shared_expr;
  for (int k = 0; k < 3; k++)
    yes = yes && !l->grid_expr[k] && !l->block_expr[k];
  for (uint32_t k = 0; yes && k < l->nargs; k++) {
    const ww_arg *g = &l->args[k];
    yes = !g->name && !g->expr && g->kind != WW_ARG_NONE;
    if (g->kind == WW_ARG_BUFFER)
      yes = yes && g->buffer.bytes && !g->buffer.bytes_expr && !g->buffer.count_expr;
  }
  return yes;
}

/* From the source: kernel, shape, sizes, types, contents. A complete spec goes on
 * without it where the source cannot be read (a build without LLVM, a construct that
 * the interpreter does not know): the device's compiler has the last word. */
static void plan_one(const ww_ready_how *j, ww_item *i, ww_source_cache *cache) {
  ww_cmd *c = j->c;
  ww_launch l = i->l;
  ww_assumed said = {0};
  c->kernel = l.kernel;
  ww_status st = ww_source_kernel(c, j->source, cache, &l);
  if (!st && cache->module->dialect == WW_OPENMP)
    st = ww_usage(c, "OpenMP target regions cannot be measured: `warpwise trace` tells "
                     "what they do");
  if (!st)
    st = ww_plan(cache->module, cache->fn, &l, &said, j->a, &c->err);
  if (!st) {
    ww_launch_copy(&l, j->a, &i->l);
    i->kernel = ww_strdup(j->a, cache->fn->name);
    i->said = cache->said;
    ww_assumptions_add(&i->said, &said.list, j->a);
  } else if (!complete(&i->l) ||
             (st != WW_EUNSUPPORTED && ww_backend_of(&i->l) != &ww_backend_opencl)) {
    i->bad = c->err;
    if (i->bad.file)
      i->bad.file = ww_strdup(j->a, i->bad.file);
  }
  c->err = (ww_err){0};
}

void ww_ready_plan(const ww_ready_how *j, ww_item *v, uint32_t n) {
  ww_source_cache cache = {0};
  for (uint32_t k = 0; k < n; k++) {
    ww_item *i = &v[k];
    i->kernel = i->l.kernel;
    if (i->bad.code || i->l.binary)
      continue;
    plan_one(j, i, &cache);
    if (ww_backend_of(&i->l) == &ww_backend_opencl)
      i->l.flags = flags_of(j, i, &i->l.nflags); /* built when loaded */
    ww_progress("planning", k + 1, n);
  }
  ww_source_free(&cache);
}

/* ---- compile ---- */

static ww_status architecture(const ww_ready_how *j, char out[16], ww_err *e) {
  ww_gpu g;
  if (j->c->gpu) {
    ww_status st = ww_gpu_load(j->c->gpu, j->a, &g, e);
    if (!st)
      snprintf(out, 16, "%s", g.architecture);
    return st;
  }
  if (j->elsewhere)
    return ww_fail(e, WW_EUSAGE, "name the GPU to compile for: --gpu h200");
  if (!ww_backend_cuda.architecture)
    return ww_fail(e, WW_EDEVICE,
                   "the device does not tell its architecture: name it, --gpu h200");
  return ww_backend_cuda.architecture(j->c->device, out, e);
}

static bool is_hip(const ww_ready_how *j, const ww_item *i) {
  const char *dot = i->l.file ? strrchr(i->l.file, '.') : NULL;
  return ww_is(dot, ".hip") || ww_is(j->source->lang, "hip");
}

static bool to_compile(const ww_item *i) {
  return !i->bad.code && !i->l.binary && ww_backend_of(&i->l) == &ww_backend_cuda;
}

/* Everything that is to run on CUDA, in one go; its errors are the launches' own. */
void ww_ready_compile(const ww_ready_how *j, ww_item *v, uint32_t count) {
  uint32_t n = 0;
  char arch[16];
  ww_err e = {0};
  ww_compile_job *jobs = WW_NEWN(j->a, ww_compile_job, count + 1);
  ww_item **of = WW_NEWN(j->a, ww_item *, count + 1);
  for (uint32_t k = 0; k < count; k++) {
    ww_item *i = &v[k];
    if (!to_compile(i))
      continue;
    if (is_hip(j, i)) {
      ww_fail(&i->bad, WW_EUNSUPPORTED,
              "HIP code cannot be measured: there is no backend for AMD GPUs; a kernel "
              "written "
              "with warpwise_kernel.h "
              "runs as CUDA and OpenCL too");
      continue;
    }
    of[n] = i;
    jobs[n] = (ww_compile_job){.file = i->l.file, .kernel = i->l.kernel};
    jobs[n].flags = flags_of(j, i, &jobs[n].nflags);
    n++;
  }
  if (!n)
    return;
  ww_status st = architecture(j, arch, &e);
  ww_compile_options o = {.architecture = arch,
                          .with = j->with,
                          .processes = j->jobs,
                          .limit_s = j->limit_s,
                          .self = ww_self_path(j->a)};
  if (!st)
    st = ww_compile(jobs, n, &o, j->a, &e);
  for (uint32_t k = 0; k < n; k++) {
    of[k]->bad = st ? e : jobs[k].error;
    of[k]->l.binary = jobs[k].binary;
    of[k]->compiler = jobs[k].compiler;
    if (jobs[k].entry)
      of[k]->l.kernel = jobs[k].entry;
  }
}

/* ---- ready launches for another machine ---- */

/* Puts code beside OUT under the hash of its bytes; the path as OUT's lines name it. */
static ww_status put_beside(const char *plan,
                            ww_arena *a,
                            const char *data,
                            size_t n,
                            const char *suffix,
                            const char **out,
                            ww_err *e) {
  const char *dir = ww_fmt(a, "%s.d", plan);
  const char *name = ww_fmt(a, "%016" PRIx64 "%s", ww_hash(data, n, 0), suffix);
  if (mkdir(dir, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make the folder %s: %s", dir, strerror(errno));
  const char *to = ww_path_join(a, dir, name);
  *out = ww_fmt(a, "%s/%s", ww_path_base(dir), name);
  return ww_file_exists(to) ? WW_OK : ww_write_file_atomic(to, data, n, e);
}

/* The code of a launch: compiled, or an OpenCL source with its headers in it. */
static ww_status code_beside(
    const char *plan, ww_arena *a, const ww_launch *l, const char **out, ww_err *e) {
  char *data;
  const char *text;
  const char *dot;
  size_t n;
  if (!l->binary) {
    ww_status st = ww_opencl_source(l->file, l->flags, l->nflags, a, &text, e);
    return st ? st : put_beside(plan, a, text, strlen(text), ".cl", out, e);
  }
  ww_status st = ww_read_file(a, l->binary, 1 << 30, &data, &n, e);
  dot = strrchr(ww_path_base(l->binary), '.');
  return st ? st : put_beside(plan, a, data, n, dot ? dot : "", out, e);
}

static const char *absolute(const char *path, ww_arena *a) {
  char full[PATH_MAX];
  return path && realpath(path, full) ? ww_strdup(a, full) : path;
}

/* Contents are named by their whole path: the lines may lie elsewhere than the spec
 * did. */
static ww_status whole_path(void *a, ww_buffer *b, ww_err *e) {
  (void)e;
  b->fill.path = absolute(b->fill.path, a);
  return WW_OK;
}

ww_status ww_ready_line(const char *plan, const ww_item *i, ww_buf *out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_launch l;
  ww_launch_copy(&i->l, a, &l);
  ww_status st = code_beside(plan, a, &i->l, &l.binary, e);
  if (!st) {
    l.file = absolute(l.file, a);
    ww_launch_buffers(&l, whole_path, a, e);
    ww_launch_write(&l, &(ww_json){.out = out});
    ww_buf_puts(out, "\n");
  }
  ww_arena_free(a);
  return st;
}
