/* compile.c - jobs into units, units into the cache or to the compilers.
 *
 * Jobs with the same source and flags are one unit: one run, one .cubin, many entries.
 * A unit's name in the cache is a hash of everything the code depends on: source, local
 * headers, flags, architecture, compiler and its version, and which templates are
 * instantiated. */
#include "compile.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "compile_int.h"

typedef struct {
  ww_compile_job *jobs;
  uint32_t n;
  const ww_compile_options *o;
  ww_arena *a;
  bool nvcc;
  const char *compiler; /* name and version */
  const char *dir;      /* of the cache */
} session;

static uint64_t hash_text(const char *s, uint64_t h) {
  return s ? ww_hash(s, strlen(s), h) : ww_hash("", 0, ~h);
}

/* ---- which compiler, which folder ---- */

static ww_status choose_compiler(session *s, ww_err *e) {
  const char *with = s->o->with;
  if (with && strcmp(with, "nvcc") && strcmp(with, "nvrtc"))
    return ww_fail(e, WW_EUSAGE, "no such compiler '%.40s': nvcc or nvrtc", with);
  const char *nvcc = with && !strcmp(with, "nvrtc") ? NULL : ww_nvcc_find(s->a);
  s->nvcc = nvcc;
  if (!nvcc && with && !strcmp(with, "nvcc"))
    return ww_fail(
        e, WW_EDEVICE,
        "no nvcc: install the CUDA toolkit, or set PATH or CUDA_HOME to where it is");
  s->compiler = nvcc ? ww_nvcc_version(nvcc, s->a) : ww_nvrtc_version(s->a, e);
  return s->compiler ? WW_OK : WW_EDEVICE;
}

static ww_status choose_folder(session *s, ww_err *e) {
  const char *cache = s->o->cache ? s->o->cache : ww_cache_dir(s->a);
  if (!cache)
    return ww_fail(
        e, WW_EIO,
        "no folder for compiled code: set XDG_CACHE_HOME or HOME to one you can write");
  s->dir = ww_path_join(s->a, cache, "cubin");
  mkdir(cache, 0777);
  if (mkdir(s->dir, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", s->dir,
                   strerror(errno));
  return WW_OK;
}

/* ---- jobs into groups ---- */

typedef struct {
  uint64_t hash;
  uint32_t job;
} keyed;

static int by_hash(const void *x, const void *y) {
  const keyed *a = x;
  const keyed *b = y;
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return a->job < b->job ? -1 : a->job > b->job;
}

static keyed *group_jobs(session *s) {
  keyed *k = WW_NEWN(s->a, keyed, s->n + 1);
  for (uint32_t i = 0; i < s->n; i++) {
    const ww_compile_job *j = &s->jobs[i];
    uint64_t h = hash_text(j->text, hash_text(j->file, 1));
    for (uint32_t f = 0; f < j->nflags; f++)
      h = hash_text(j->flags[f], h);
    k[i] = (keyed){h, i};
  }
  qsort(k, s->n, sizeof *k, by_hash);
  return k;
}

/* ---- a unit and its name in the cache ---- */

static bool is_instance(const char *kernel, ww_arena *a) {
  return strchr(ww_kernel_expression(kernel, a), '<');
}

static int by_text(const void *x, const void *y) {
  return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static void mix(uint64_t h[2], const char *s) {
  h[0] = hash_text(s, h[0]);
  h[1] = hash_text(s, h[1]);
}

static void name_unit(session *s, ww_unit_job *u, ww_err *e) {
  const char *text;
  if (ww_unit_text(u, &text, e))
    return;
  uint64_t h[2] = {1, 2};
  ww_headers headers = {0};
  ww_compile_includes(u->file, text, &u->flags, s->a, &headers);
  mix(h, text);
  for (uint32_t i = 0; i < headers.n; i++) {
    mix(h, headers.v[i].name);
    mix(h, headers.v[i].text);
  }
  ww_strings words = {0};
  ww_strings instances = {0};
  ww_nvcc_words(&u->flags, u->nvcc, s->a, &words);
  for (uint32_t i = 0; i < words.n; i++)
    mix(h, words.v[i]);
  mix(h, s->compiler);
  mix(h, WW_VERSION); /* of what becomes of the source before NVRTC sees it */
  for (int i = 0; !u->nvcc && ww_nvrtc_headers[i][0]; i++)
    mix(h, ww_nvrtc_headers[i][1]);
  mix(h, u->architecture);
  for (uint32_t i = 0; i < u->kernels.n; i++)
    if (is_instance(u->kernels.v[i], s->a))
      ww_push(s->a, &instances, u->kernels.v[i]);
  if (instances.n)
    qsort(instances.v, instances.n, sizeof *instances.v, by_text);
  for (uint32_t i = 0; i < instances.n; i++)
    mix(h, instances.v[i]);
  u->out = ww_fmt(s->a, "%s/%016lx%016lx.cubin", s->dir, h[0], h[1]);
}

static void make_unit(session *s, const keyed *k, uint32_t n, ww_pool_unit *out) {
  const ww_compile_job *first = &s->jobs[k[0].job];
  *out = (ww_pool_unit){.job = {.a = s->a,
                                .nvcc = s->nvcc,
                                .architecture = s->o->architecture,
                                .limit_s = s->o->limit_s,
                                .file = first->file,
                                .text = first->text,
                                .compiler = s->compiler}};
  for (uint32_t f = 0; f < first->nflags; f++)
    ww_push(s->a, &out->job.flags, first->flags[f]);
  for (uint32_t i = 0; i < n; i++) {
    const char *kernel = s->jobs[k[i].job].kernel;
    if (kernel && !ww_strings_have(&out->job.kernels, kernel))
      ww_push(s->a, &out->job.kernels, kernel);
  }
  if (!first->file && !first->text)
    ww_fail(&out->error, WW_EUSAGE, "nothing to compile: neither a file nor its text");
  else
    name_unit(s, &out->job, &out->error);
}

/* ---- running units ---- */

static uint32_t cores(void) {
  cpu_set_t set;
  return !sched_getaffinity(0, sizeof set, &set) ? CPU_COUNT(&set) : 1;
}

/* Those not in the cache; without a program to run as the worker, in this process. */
static ww_status run_units(session *s, ww_pool_unit *units, uint32_t n, ww_err *e) {
  ww_pool_unit **todo = WW_NEWN(s->a, ww_pool_unit *, n + 1);
  uint32_t count = 0;
  for (uint32_t i = 0; i < n; i++)
    if (!units[i].error.code && !ww_unit_cached(&units[i].job)) {
      units[i].job.compiler = s->compiler;
      todo[count++] = &units[i];
    }
  if (s->o->self)
    return ww_pool_run(todo, count, s->o->processes ? s->o->processes : cores(),
                       s->o->self, s->o->cancel, s->a, e);
  for (uint32_t i = 0; i < count; i++)
    ww_unit_compile(&todo[i]->job, &todo[i]->error);
  return WW_OK;
}

static void finish_job(ww_compile_job *j, const ww_pool_unit *u) {
  j->error = u->error;
  for (uint32_t i = 0; !j->error.code && j->kernel && i < u->job.kernels.n; i++) {
    if (strcmp(u->job.kernels.v[i], j->kernel))
      continue;
    j->entry = u->job.entries[i];
    if (!j->entry)
      ww_unit_no_entry(&u->job, j->kernel, &j->error);
  }
  if (j->error.code && !j->error.file)
    j->error.file = j->file;
  j->binary = j->error.code ? NULL : u->job.out;
  j->compiler = u->job.compiler;
}

/* Whether another kernel's name may be to blame: then each is tried on its own. (nvcc
 * is asked again without such names.) */
static bool worth_splitting(session *s, const ww_pool_unit *u) {
  if (u->job.nvcc)
    return false;
  uint32_t missing = 0;
  uint32_t instances = 0;
  for (uint32_t i = 0; i < u->job.kernels.n; i++) {
    instances += is_instance(u->job.kernels.v[i], s->a);
    missing += !u->error.code && !u->job.entries[i];
  }
  return u->job.kernels.n > 1 &&
         (missing > 1 || (u->error.code == WW_EDATA && instances));
}

static ww_status split_failed(session *s,
                              const keyed *k,
                              const ww_pool_unit *units,
                              const uint32_t *unit_of,
                              ww_err *e) {
  ww_pool_unit *alone = WW_NEWN(s->a, ww_pool_unit, s->n + 1);
  uint32_t *job = WW_NEWN(s->a, uint32_t, s->n + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < s->n; i++) {
    if (!worth_splitting(s, &units[unit_of[i]]))
      continue;
    make_unit(s, &k[i], 1, &alone[n]);
    job[n++] = k[i].job;
  }
  ww_status st = n ? run_units(s, alone, n, e) : WW_OK;
  for (uint32_t i = 0; !st && i < n; i++)
    finish_job(&s->jobs[job[i]], &alone[i]);
  return st;
}

ww_status ww_compile(ww_compile_job *jobs,
                     uint32_t n,
                     const ww_compile_options *o,
                     ww_arena *a,
                     ww_err *e) {
  session s = {
      .jobs = jobs,
      .n = n,
      .o = o,
      .a = a,
  };
  if (!o->architecture)
    return ww_fail(e, WW_EUSAGE,
                   "which architecture to compile for is not known, e.g. sm_90");
  ww_status st = choose_compiler(&s, e);
  if (st || (st = choose_folder(&s, e)))
    return st;
  keyed *k = group_jobs(&s);
  ww_pool_unit *units = WW_NEWN(a, ww_pool_unit, n + 1);
  uint32_t *unit_of = WW_NEWN(a, uint32_t, n + 1);
  uint32_t nunits = 0;
  for (uint32_t i = 0, end; i < n; i = end) {
    for (end = i; end < n && k[end].hash == k[i].hash; end++)
      unit_of[end] = nunits;
    make_unit(&s, &k[i], end - i, &units[nunits++]);
  }
  st = run_units(&s, units, nunits, e);
  for (uint32_t i = 0; !st && i < n; i++)
    finish_job(&jobs[k[i].job], &units[unit_of[i]]);
  return st ? st : split_failed(&s, k, units, unit_of, e);
}
