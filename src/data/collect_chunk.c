/* collect_chunk.c - some kernels of a campaign made ready for the device: sources,
 * launches, code.
 *
 * Sources of many generated kernels stand behind each other in one program, because a
 * run of the compiler costs more than a kernel does. A program that fails is compiled
 * again kernel by kernel, so that only what is at fault fails. OpenCL code is its
 * source, a file for each kernel. */
#include <sched.h>
#include <unistd.h>

#include "../measure/compile.h"
#include "collect_int.h"
#include "text.h"

#define TOGETHER 32 /* kernels of a program, at most */

/* One generated kernel of the chunk. */
typedef struct {
  const ww_gen_kernel *gen;
  uint32_t first, n; /* its items */
  const char *text;
} source;

typedef struct {
  const ww_maker *m;
  ww_chunk *k;
  WW_VEC(source) sources;
} making;

/* ---- launches ---- */

/* As the store keeps it: without code, the file relative to the corpus. */
static const char *
spec_text(const ww_launch *l, const ww_store_kernel *kernel, ww_arena *a) {
  ww_launch copy = *l;
  copy.binary = copy.note = NULL;
  copy.file = kernel->file ? kernel->file : l->file;
  return ww_text_launch(&copy, a);
}

static ww_status add_items(making *x,
                           const ww_collect_work *w,
                           const ww_store_kernel *kernel,
                           ww_err *e) {
  const ww_target *t = x->m->t;
  ww_arena *a = x->k->a;
  for (uint32_t i = 0; i < w->n; i++) {
    const ww_wanted *v = &w->v[i];
    ww_collect_item item = {
        .kernel = kernel, .number = v->number, .counters = v->counters, .us = v->us};
    ww_status st = WW_OK;
    if (v->ready) {
      item.l = *v->ready;
      item.spec = spec_text(&item.l, kernel, a);
    } else
      st = ww_gen_launch(&w->gen, item.number, t->sms, t->l2_bytes, a, &item.l,
                         &item.us, e);
    if (st)
      return st;
    ww_push(a, &x->k->v, item);
  }
  return WW_OK;
}

static ww_status add_kernel(making *x, const ww_collect_work *w, ww_err *e) {
  ww_arena *a = x->k->a;
  ww_gen_dialect d = x->m->t->opencl ? WW_GEN_OPENCL : WW_GEN_CUDA;
  ww_store_kernel *kernel = WW_NEW(a, ww_store_kernel);
  *kernel = w->kernel;
  uint32_t first = x->k->v.n;
  ww_status st = add_items(x, w, kernel, e);
  if (st || kernel->origin != WW_ORIGIN_GENERATED)
    return st;
  ww_gen_kernel *gen = WW_NEW(a, ww_gen_kernel);
  ww_buf text = {0};
  *gen = w->gen;
  kernel->source_hash = ww_gen_source_hash(gen, d);
  ww_gen_print(gen, d, 0, &text);
  ww_push(
      a, &x->sources,
      (source){.gen = gen, .first = first, .n = w->n, .text = ww_text_take(&text, a)});
  return WW_OK;
}

/* ---- code ---- */

/* Gives the code, or the reason why there is none, to all launches of a kernel. */
static void give_code(making *x,
                      const source *s,
                      const char *binary,
                      const char *entry,
                      const char *compiler,
                      const ww_err *error) {
  for (uint32_t i = s->first; i < s->first + s->n; i++) {
    ww_collect_item *item = &x->k->v.v[i];
    item->l.file = NULL;
    item->l.binary = binary;
    item->compiler = compiler;
    if (entry)
      item->l.kernel = entry;
    if (error)
      item->error = *error;
  }
}

static ww_status write_opencl(making *x, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < x->sources.n; i++) {
    const source *s = &x->sources.v[i];
    const char *path =
        ww_path_join(x->k->a, x->m->work, ww_fmt(x->k->a, "%s.cl", s->gen->name));
    st = ww_write_file_atomic(path, s->text, strlen(s->text), e);
    give_code(x, s, path, NULL, NULL, NULL);
    ww_push(x->k->a, &x->k->files, path);
  }
  return st;
}

static uint32_t processes(const ww_campaign *c) {
  cpu_set_t set;
  if (c->processes)
    return c->processes;
  int n = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  /* one for the process that measures, one for this one */
  return n > 3 ? (uint32_t)n - 2 : 1;
}

static ww_status run_compiler(making *x, ww_compile_job *jobs, uint32_t n, ww_err *e) {
  ww_compile_options o = {.architecture = x->m->t->architecture,
                          .with = "nvrtc",
                          .processes = processes(x->m->c),
                          .self = x->m->self,
                          .cache = x->m->work,
                          .cancel = &x->m->cancel};
  return n ? ww_compile(jobs, n, &o, x->k->a, e) : WW_OK;
}

/* A full disk or no compiler is not the kernel's fault: the campaign ends. */
static ww_status
take_code(making *x, const source *s, const ww_compile_job *j, ww_err *e) {
  ww_chunk *k = x->k;
  if (j->error.code == WW_EIO || j->error.code == WW_EDEVICE)
    return *e = j->error, e->code;
  give_code(x, s, j->binary, j->entry, j->compiler, j->error.code ? &j->error : NULL);
  if (j->binary && (!k->files.n || strcmp(k->files.v[k->files.n - 1], j->binary)))
    ww_push(k->a, &k->files, j->binary);
  return WW_OK;
}

/* So many that every process has work. */
static uint32_t together(const making *x) {
  uint32_t n = x->sources.n / (2 * processes(x->m->c));
  return n < 1 ? 1 : n < TOGETHER ? n : TOGETHER;
}

static ww_status compile(making *x, ww_err *e) {
  ww_arena *a = x->k->a;
  uint32_t n = x->sources.n;
  uint32_t each = together(x);
  uint32_t alone = 0;
  ww_compile_job *jobs = WW_NEWN(a, ww_compile_job, n + 1);
  ww_compile_job *again = WW_NEWN(a, ww_compile_job, n + 1);
  const source **of = WW_NEWN(a, const source *, n + 1);
  for (uint32_t i = 0; i < n; i += each) {
    ww_buf text = {0};
    uint32_t end = i + each < n ? i + each : n;
    for (uint32_t k = i; k < end; k++)
      ww_buf_fmt(&text, "%s\n", x->sources.v[k].text);
    const char *all = ww_text_take(&text, a);
    for (uint32_t k = i; k < end; k++)
      jobs[k] = (ww_compile_job){.text = all, .kernel = x->sources.v[k].gen->name};
  }
  ww_status st = run_compiler(x, jobs, n, e);
  for (uint32_t i = 0; !st && i < n; i++) {
    const source *s = &x->sources.v[i];
    if (!jobs[i].error.code || each == 1) {
      st = take_code(x, s, &jobs[i], e);
      continue;
    }
    of[alone] = s;
    again[alone++] = (ww_compile_job){.text = s->text, .kernel = s->gen->name};
  }
  if (!st)
    st = run_compiler(x, again, alone, e);
  for (uint32_t i = 0; !st && i < alone; i++)
    st = take_code(x, of[i], &again[i], e);
  return st;
}

/* ---- the chunk ---- */

ww_status ww_chunk_make(
    const ww_maker *m, ww_works *w, uint32_t kernels, ww_chunk **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_chunk *k = WW_NEW(a, ww_chunk);
  making x = {
      .m = m,
      .k = k,
  };
  bool more = true;
  k->a = a;
  ww_status st = WW_OK;
  for (uint32_t n = 0; !st && n < kernels && more && !m->cancel;) {
    ww_collect_work work;
    ww_arena *own = ww_arena_new(); /* a kernel that is held leaves nothing behind */
    st = ww_works_next(w, own, &work, &more, e);
    bool take = !st && more && work.n;
    if (take)
      st = add_kernel(&x, &work, e);
    if (take)
      ww_push(a, &k->owned, own);
    else
      ww_arena_free(own);
    n += take;
  }
  k->last = !more;
  if (!st && x.sources.n)
    st = m->t->opencl ? write_opencl(&x, e) : compile(&x, e);
  if (st)
    ww_chunk_free(k);
  *out = st ? NULL : k;
  return st;
}

void ww_chunk_free(ww_chunk *c) {
  if (!c)
    return;
  for (uint32_t i = 0; i < c->files.n; i++) {
    unlink(c->files.v[i]);
    unlink(ww_fmt(c->a, "%s.json", c->files.v[i]));
  }
  for (uint32_t i = 0; i < c->owned.n; i++)
    ww_arena_free(c->owned.v[i]);
  ww_arena_free(c->a);
}
