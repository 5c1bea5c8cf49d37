/* contents.c - allocations, pointers, scalars and contents of a ready launch, for every
 * backend; see contents.h.
 *
 * Any split of an allocation gives the same bytes (fill.c), so threads need nothing but
 * their range. */
#include "contents.h"

#include <math.h>
#include <pthread.h>
#include <unistd.h>

#define MOST_THREADS 16
#define SHARE (1u << 20) /* bytes that are worth a thread */
#define MOST_FILE                                                                   \
  (1ull << 30) /* bytes of a contents file, where the buffer is not larger; as in a \
                  trace */

/* ---- what a launch needs ---- */

typedef struct {
  const ww_launch *l;
  ww_arena *a;
  WW_VEC(ww_allocation) allocations;
  WW_VEC(ww_pointer) pointers;
} planner;

static ww_status check_buffer(const ww_buffer *b, const char *label, ww_err *e) {
  if (!b->bytes)
    return ww_fail(
        e, WW_EUSAGE,
        "%s is a buffer without a size: give its bytes, or let a plan find them",
        label);
  if (b->offset > b->bytes)
    return ww_fail(e, WW_EUSAGE, "%s: offset %lu lies outside its %lu bytes", label,
                   b->offset, b->bytes);
  if (b->type && !ww_elem_size(b->type))
    return ww_fail(e, WW_EUSAGE, "%s: no element type is called '%.40s'", label,
                   b->type);
  return WW_OK;
}

static uint32_t find_id(const planner *p, const char *id) {
  for (uint32_t i = 0; id && i < p->allocations.n; i++)
    if (p->allocations.v[i].id && !strcmp(p->allocations.v[i].id, id))
      return i;
  return UINT32_MAX;
}

static ww_status add_pointer(planner *p,
                             uint32_t arg,
                             uint32_t at,
                             const ww_buffer *b,
                             uint32_t seed,
                             const char *label,
                             ww_err *e) {
  ww_status st = check_buffer(b, label, e);
  if (st)
    return st;
  uint32_t index = find_id(p, b->id);
  if (index == UINT32_MAX) {
    index = p->allocations.n;
    ww_push(p->a, &p->allocations,
            (ww_allocation){.label = label,
                            .id = b->id,
                            .fill = b->fill,
                            .type = b->type ? b->type : "i32",
                            .bytes = b->bytes,
                            .filled = b->bytes,
                            .seed = ww_fill_seed(p->l->seed, seed)});
  }
  if (b->bytes > p->allocations.v[index].bytes)
    p->allocations.v[index].bytes = b->bytes;
  ww_push(p->a, &p->pointers,
          (ww_pointer){arg, at, index, b->offset,
                       arg < p->l->nargs && p->l->args[arg].kind == WW_ARG_BUFFER});
  return WW_OK;
}

static ww_status
add_inner(planner *p, const ww_arg *g, uint32_t arg, const char *label, ww_err *e) {
  for (uint32_t n = 0; g->kind == WW_ARG_HEX && n < g->nptrs; n++) {
    const ww_ptr *q = &g->ptrs[n];
    if (q->at > g->hex_n || g->hex_n - q->at < 8)
      return ww_fail(e, WW_EUSAGE, "%s: a pointer at byte %u of %u", label, q->at,
                     g->hex_n);
    ww_status st = add_pointer(p, arg, q->at, &q->buffer, WW_ALLOCATION_PTR(arg, n),
                               ww_fmt(p->a, "%s, pointer at byte %u", label, q->at), e);
    if (st)
      return st;
  }
  return WW_OK;
}

ww_status
ww_contents_plan(const ww_launch *l, ww_arena *a, ww_buffer_contents *out, ww_err *e) {
  planner p = {
      .l = l,
      .a = a,
  };
  ww_status st = WW_OK;
  for (uint32_t i = 0; i < l->nargs && !st; i++) {
    const char *label = ww_fmt(a, "argument %u", i);
    if (l->args[i].kind == WW_ARG_BUFFER && l->args[i].buffer.local)
      continue; /* no contents, no address */
    if (l->args[i].kind == WW_ARG_BUFFER || l->args[i].kind == WW_ARG_TENSORMAP)
      st = add_pointer(&p, i, 0, &l->args[i].buffer, i, label, e);
    else
      st = add_inner(&p, &l->args[i], i, label, e);
  }
  for (uint32_t i = 0; i < l->nsymbols && !st; i++)
    st = add_inner(&p, &l->symbols[i].arg, WW_SYMBOL_ARG + i,
                   ww_fmt(a, "symbol `%s`", l->symbols[i].name), e);
  *out = (ww_buffer_contents){p.allocations.v, p.allocations.n, p.pointers.v,
                              p.pointers.n};
  return st;
}

/* ---- scalars ---- */

static ww_status
put_float(const ww_arg *g, const char *what, uint64_t size, void *to, ww_err *e) {
  float f = g->value;
  if (size == 4)
    memcpy(to, &f, 4);
  else if (size == 8)
    memcpy(to, &g->value, 8);
  else
    return ww_fail(e, WW_EUSAGE,
                   "%s takes %lu bytes: %g has no form of that size, give it as hex",
                   what, size, g->value);
  return WW_OK;
}

ww_status ww_contents_scalar(
    const ww_arg *g, const char *what, uint64_t size, void *to, ww_err *e) {
  if (size != 1 && size != 2 && size != 4 && size != 8)
    return ww_fail(e, WW_EUSAGE, "%s takes %lu bytes, not a number: give it as hex",
                   what, size);
  if (!g->is_int)
    return put_float(g, what, size, to, e);
  double span = ldexp(1, 8 * size);
  if (size < 8 && (g->value < -span / 2 || g->value >= span))
    return ww_fail(e, WW_EDATA, "%s takes %lu bytes and cannot hold %.17g", what, size,
                   g->value);
  memcpy(to, &g->ivalue, size);
  return WW_OK;
}

/* ---- contents on the host ---- */

typedef struct {
  const ww_fill *f;
  const char *type;
  uint64_t count, seed, first, n; /* elements */
  uint8_t *to;                    /* where element `first` goes */
} share;

static void *make_share(void *at) {
  share *s = at;
  ww_fill_bytes(s->f, s->type, s->count, s->seed, s->first, s->n, s->to);
  return NULL;
}

static uint32_t threads_for(uint64_t bytes, uint32_t asked) {
  long cores = asked ? asked : sysconf(_SC_NPROCESSORS_ONLN);
  uint64_t most = cores < 1 ? 1 : cores > MOST_THREADS ? MOST_THREADS : cores;
  uint64_t useful = asked ? most : bytes / SHARE + 1;
  return useful < most ? useful : most;
}

static void make_parallel(share whole, uint32_t size, uint32_t threads) {
  pthread_t ids[MOST_THREADS];
  share parts[MOST_THREADS];
  bool started[MOST_THREADS] = {0};
  for (uint32_t t = 0; t < threads; t++) {
    uint64_t first =
        whole.n / threads * t + (t < whole.n % threads ? t : whole.n % threads);
    parts[t] = whole;
    parts[t].first = first;
    parts[t].n = whole.n / threads + (t < whole.n % threads);
    parts[t].to = whole.to + first * size;
    started[t] =
        t + 1 < threads && !pthread_create(&ids[t], NULL, make_share, &parts[t]);
    /* the last one is ours; and where no thread is to be had */
    if (!started[t])
      make_share(&parts[t]);
  }
  for (uint32_t t = 0; t < threads; t++)
    if (started[t])
      pthread_join(ids[t], NULL);
}

static ww_status
make_from_file(const ww_fill *f, uint64_t bytes, uint8_t *out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  char *data = NULL;
  size_t n = 0;
  ww_status st = ww_read_packed_below(
      a, f->root, f->path, bytes > MOST_FILE ? bytes : MOST_FILE, &data, &n, e);
  if (!st) {
    if (n > bytes)
      n = bytes;
    memcpy(out, data, n);
    memset(out + n, 0, bytes - n);
  }
  ww_arena_free(a);
  return st;
}

ww_status ww_contents_make(const ww_fill *f,
                           const char *type,
                           uint64_t bytes,
                           uint64_t seed,
                           uint32_t threads,
                           void *out,
                           ww_err *e) {
  if (!type)
    type = "i32";
  uint32_t size = ww_elem_size(type);
  if (!size)
    return ww_fail(e, WW_EUSAGE, "no element type is called '%.40s'", type);
  if (f->kind == WW_FILL_FILE)
    return make_from_file(f, bytes, out, e);
  uint64_t count = f->kind == WW_FILL_NONE ? 0 : bytes / size;
  share whole = {f, type, count, seed, 0, count, out};
  if (count)
    make_parallel(whole, size, threads_for(bytes, threads));
  memset((uint8_t *)out + count * size, 0, bytes - count * size);
  return WW_OK;
}

/* ---- contents as a job for the device ---- */

/* The largest value of the type below hi, by its step near the larger end. */
static double below(double lo, double hi, uint32_t number) {
  static const int bits[] = {11, 8, 24, 53};
  int exponent;
  frexp(fabs(lo) > fabs(hi) ? lo : hi, &exponent);
  return hi - ldexp(1, exponent - bits[number]);
}

static void job_range(ww_fill_job *j) {
  j->base = core_whole(j->lo);
  switch (j->kind) {
  case WW_JOB_RANDOM:
    j->range = ww_fill_steps(j->lo, j->hi);
    if (!j->range)
      j->range = 1;
    if (j->number <= WW_NUMBER_F64)
      j->top = below(j->lo, j->hi, j->number);
    break;
  case WW_JOB_MONOTONE:
    if (!j->given)
      j->hi = j->n > 1 ? (double)(j->n - 1) : 0;
    j->step = j->n > 1 ? (j->hi - j->lo) / (j->n - 1) : 0;
    break;
  case WW_JOB_ZIPF:
    if (j->hi <= j->lo)
      j->base = 0;
    j->range = j->hi > j->lo ? ww_fill_steps(j->lo, j->hi) : j->n;
    if (!j->range)
      j->range = 1;
    j->top = ww_fill_log2((double)j->range + 1);
    break;
  default:
    break;
  }
}

bool ww_contents_job(const ww_fill *f,
                     const char *type,
                     uint64_t bytes,
                     uint64_t seed,
                     ww_fill_job *out) {
  static const uint8_t kinds[WW_NFILLS] = {
      [WW_FILL_ONES] = WW_JOB_ONES,        [WW_FILL_INDEX] = WW_JOB_INDEX,
      [WW_FILL_RANDOM] = WW_JOB_RANDOM,    [WW_FILL_UNIFORM] = WW_JOB_RANDOM,
      [WW_FILL_ZIPF] = WW_JOB_ZIPF,        [WW_FILL_PERMUTATION] = WW_JOB_PERMUTATION,
      [WW_FILL_MONOTONE] = WW_JOB_MONOTONE};
  char kind;
  uint32_t size;
  uint32_t lanes;
  if (f->kind == WW_FILL_FILE || f->kind == WW_FILL_SKEWED ||
      !ww_elem_parts(type ? type : "i32", &kind, &size, &lanes))
    return false;
  *out = (ww_fill_job){.seed = seed,
                       .n = bytes / (size * lanes) * lanes,
                       .lo = f->lo,
                       .hi = f->hi,
                       .kind = kinds[f->kind],
                       .bytes = size,
                       .given = f->lo || f->hi};
  if (f->kind == WW_FILL_NONE || f->kind == WW_FILL_ZEROS)
    out->n = 0;
  out->number = kind == '?'   ? WW_NUMBER_BOOL
                : kind == 'i' ? WW_NUMBER_INT
                : kind == 'b' ? WW_NUMBER_BF16
                : size == 2   ? WW_NUMBER_F16
                : size == 4   ? WW_NUMBER_F32
                              : WW_NUMBER_F64;
  job_range(out);
  return true;
}
