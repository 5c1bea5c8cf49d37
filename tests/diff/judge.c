/* judge.c - a batch of kernels through the interpreter and a device, and what became of each; see
 * diff.h.
 *
 * Steps, each for what the one before did not settle: as compiled by default; without contraction
 * on both sides; the device against itself with the last bits of its math functions moved; and our
 * side with signed integers that wrap around. */
#include "diff.h"

#include <stdlib.h>

const char *const diff_class_names[] = {
#define C(id, name, text) name,
    DIFF_CLASSES(C)
#undef C
};
const char *const diff_class_texts[] = {
#define C(id, name, text) text,
    DIFF_CLASSES(C)
#undef C
};

/* One kernel on its way through the steps. */
typedef struct {
  diff_kernel k;
  uint8_t *ours, *other, *theirs, *again; /* images; again: a second run of the device */
  uint64_t steps;
  bool ordered_by_threads; /* our two orders differ */
  bool varies;             /* two runs of the device differ */
  bool settled;
  diff_class class;
  uint32_t done; /* variants compared */
  diff_comparison c[DIFF_NVARIANTS];
  ww_err error;
} trial;

typedef struct {
  const diff_judge *j;
  ww_arena *a;
  const diff_kernel **all; /* the trials' own */
  trial *v;
  uint32_t n;
} batch;

static void settle(trial *t, diff_class c) {
  t->class = c;
  t->settled = true;
}

static void fail_all(batch *b, diff_class c, const ww_err *e) {
  for (uint32_t i = 0; i < b->n; i++) {
    if (b->v[i].settled)
      continue;
    b->v[i].error = *e;
    settle(&b->v[i], c);
  }
}

static bool all_settled(const batch *b) {
  for (uint32_t i = 0; i < b->n; i++)
    if (!b->v[i].settled)
      return false;
  return true;
}

/* ---- the two sides ---- */

static ww_status make(batch *b, const diff_number *numbers, ww_err *e) {
  b->all = WW_NEWN(b->a, const diff_kernel *, b->n);
  b->v = WW_NEWN(b->a, trial, b->n);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    const char *why = NULL;
    ww_status st = diff_make(numbers[i], b->j->backend->dialect, b->a, &t->k, e);
    if (st)
      return st;
    b->all[i] = &t->k;
    t->ours = ww_alloc(b->a, t->k.bytes);
    t->other = ww_alloc(b->a, t->k.bytes);
    t->theirs = ww_alloc(b->a, t->k.bytes);
    t->again = ww_alloc(b->a, t->k.bytes);
    if (!b->j->skip(b->j->ctx, i, &why))
      continue;
    ww_fail(&t->error, WW_EDEVICE, "%s", why);
    settle(t, CLASS_DEVICE);
  }
  return WW_OK;
}

/* The exponent, or the largest bits, of the last buffer's first element. */
static void spoil(const diff_kernel *k, uint8_t *image) {
  const diff_buffer *last = &k->buffers[k->nbuffers - 1];
  uint32_t bytes = 1, lanes;
  char kind;
  ww_elem_parts(last->type, &kind, &bytes, &lanes);
  image[last->at + bytes - 1] ^= 0x40;
}

static void interpret(batch *b, diff_variant v) {
  ww_module m;
  ww_err e = {0};
  ww_arena *a = ww_arena_new();
  const char *text = diff_source(b->all, b->n, b->j->backend->dialect, v, a);
  if (diff_load(text, b->j->backend->dialect, v, a, &m, &e))
    fail_all(b, v == DIFF_WRAPPED ? CLASS_FAR : CLASS_REFUSED, &e);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    uint64_t steps;
    uint8_t *image = v == DIFF_WRAPPED ? t->other : t->ours;
    uint8_t *other = v == DIFF_PLAIN ? t->other : NULL;
    if (t->settled)
      continue;
    b->j->at(b->j->ctx, i);
    if (diff_interpret(&m, &t->k, image, other, &steps, &t->error)) {
      settle(t, CLASS_REFUSED);
      continue;
    }
    if (b->j->spoil)
      spoil(&t->k, image);
    if (v != DIFF_PLAIN)
      continue;
    t->steps = steps;
    t->ordered_by_threads = memcmp(t->ours, t->other, t->k.bytes) != 0 && !b->j->spoil;
  }
  ww_arena_free(a);
}

/* Images of all that is not settled, into `theirs` or `again`. */
static void run_device(batch *b, diff_variant v, bool twice) {
  const diff_backend *x = b->j->backend;
  diff_program *p = NULL;
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  const diff_kernel **open = WW_NEWN(a, const diff_kernel *, b->n);
  uint32_t n = 0;
  for (uint32_t i = 0; i < b->n; i++)
    if (!b->v[i].settled)
      open[n++] = &b->v[i].k;
  if (n && x->build(b->j->device, open, n, v, a, &p, &e))
    fail_all(b, CLASS_DEVICE, &e);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    if (t->settled || !b->j->run)
      continue;
    uint8_t *image = v >= DIFF_RAISED ? t->again : t->theirs;
    b->j->at(b->j->ctx, i);
    memcpy(image, t->k.initial, t->k.bytes);
    memcpy(t->again, t->k.initial, t->k.bytes);
    ww_status st = x->run(b->j->device, p, &t->k, image, &t->error);
    if (!st && twice)
      st = x->run(b->j->device, p, &t->k, t->again, &t->error);
    if (!st && twice)
      t->varies = memcmp(t->theirs, t->again, t->k.bytes) != 0;
    if (!st && !diff_gaps_intact(&t->k, image))
      st = ww_fail(&t->error, WW_EDATA, "the device wrote outside the buffers");
    if (st)
      settle(t, st == WW_EUSAGE ? CLASS_LAUNCH : CLASS_DEVICE);
  }
  x->drop(b->j->device, p);
  ww_arena_free(a);
}

/* ---- the steps ---- */

/* A set of values, where a place in the buffer follows from who came first. Where even that differs
 * (a queue that is full drops who comes last), our own two orders must differ in it too, or two
 * runs of the device. */
static void judge_order(trial *t) {
  diff_comparison *c = &t->c[DIFF_PLAIN], own, same_device;
  diff_compare(&t->k, t->ours, t->theirs, false, c);
  if (c->verdict == DIFF_FAR)
    diff_compare(&t->k, t->ours, t->theirs, true, c);
  t->done = 1;
  if (c->verdict != DIFF_FAR) {
    settle(t, CLASS_ORDER);
    return;
  }
  diff_compare(&t->k, t->ours, t->other, true, &own);
  diff_compare(&t->k, t->theirs, t->again, true, &same_device);
  bool by_order = own.verdict == DIFF_FAR || same_device.verdict == DIFF_FAR;
  settle(t, by_order ? CLASS_ORDER_SET : CLASS_ORDER_FAR);
}

static void plain(batch *b) {
  interpret(b, DIFF_PLAIN);
  run_device(b, DIFF_PLAIN, true);
  if (!b->j->run)
    return;
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    if (t->settled)
      continue;
    if (t->ordered_by_threads || t->varies) {
      judge_order(t);
      continue;
    }
    diff_compare(&t->k, t->ours, t->theirs, false, &t->c[DIFF_PLAIN]);
    t->done = 1;
    if (t->c[DIFF_PLAIN].verdict == DIFF_SAME)
      settle(t, CLASS_EQUAL);
  }
}

static void exact(batch *b) {
  interpret(b, DIFF_EXACT);
  run_device(b, DIFF_EXACT, false);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    if (t->settled)
      continue;
    diff_compare(&t->k, t->ours, t->theirs, false, &t->c[DIFF_EXACT]);
    t->done = 2;
    uint8_t before = t->c[DIFF_PLAIN].verdict, now = t->c[DIFF_EXACT].verdict;
    if (before == DIFF_NEAR)
      settle(t, now == DIFF_SAME ? CLASS_EXACT : CLASS_NEAR);
    else if (now != DIFF_FAR)
      settle(t, CLASS_CONTRACTION);
  }
}

static void nudged(batch *b, diff_variant v) {
  run_device(b, v, false);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    if (t->settled)
      continue;
    diff_compare(&t->k, t->theirs, t->again, false, &t->c[v]);
    t->done = v + 1;
    if (t->c[v].verdict == DIFF_FAR)
      settle(t, CLASS_MATH);
  }
}

/* Compilers may take it that signed integers do not overflow, and differ where one does: then our
 * own result has to change when they wrap around. */
static void wrapped(batch *b) {
  interpret(b, DIFF_WRAPPED);
  for (uint32_t i = 0; i < b->n; i++) {
    trial *t = &b->v[i];
    if (t->settled)
      continue;
    diff_compare(&t->k, t->ours, t->other, false, &t->c[DIFF_WRAPPED]);
    t->done = DIFF_WRAPPED + 1;
    settle(t, t->c[DIFF_WRAPPED].verdict == DIFF_FAR ? CLASS_OVERFLOW : CLASS_FAR);
  }
}

/* ---- rows ---- */

static void write_comparison(ww_json *j, const char *key, const diff_comparison *c) {
  static const char *const names[] = {"same", "near", "far"};
  ww_json_key(j, key);
  ww_json_obj(j);
  ww_json_kstr(j, "verdict", names[c->verdict]);
  if (c->other) {
    ww_json_kuint(j, "elements", c->elements);
    ww_json_kuint(j, "other", c->other);
    ww_json_kuint(j, "far", c->far);
    ww_json_knum(j, "worst", c->worst);
    ww_json_kuint(j, "arg", c->arg);
    ww_json_kuint(j, "index", c->index);
    ww_json_kstr(j, "ours", c->ours);
    ww_json_kstr(j, "theirs", c->theirs);
  }
  ww_json_end_obj(j);
}

static void write_shape(ww_json *j, const char *key, const uint64_t v[3]) {
  ww_json_key(j, key);
  ww_json_arr(j);
  for (int i = 0; i < 3; i++)
    ww_json_uint(j, v[i]);
  ww_json_end_arr(j);
}

static void write_row(const batch *b, const trial *t) {
  static const char *const keys[DIFF_NVARIANTS] = {"plain", "exact", "raised", "lowered",
                                                   "wrapped"};
  ww_buf out = {0};
  ww_json j = {0};
  ww_json_begin(&j, &out);
  ww_json_obj(&j);
  ww_json_kstr(&j, "kernel", t->k.gen.name);
  ww_json_kstr(&j, "family", t->k.gen.family);
  ww_json_kstr(&j, "class", diff_class_names[t->class]);
  write_shape(&j, "grid", t->k.launch.grid);
  write_shape(&j, "block", t->k.launch.block);
  ww_json_kuint(&j, "bytes", t->k.bytes);
  ww_json_kuint(&j, "warp_instructions", t->steps);
  if (t->ordered_by_threads)
    ww_json_kbool(&j, "ordered", true);
  if (t->varies)
    ww_json_kbool(&j, "varies", true);
  for (uint32_t v = 0; v < t->done; v++)
    write_comparison(&j, keys[v], &t->c[v]);
  if (t->error.code)
    ww_json_kstr(&j, "error", t->error.msg);
  ww_json_end_obj(&j);
  b->j->row(b->j->ctx, &t->k, t->class, out.s);
  ww_buf_free(&out);
}

/* Both sides of every variant without a device: what would be compared can be compiled and
 * interpreted. */
static void compile_alone(batch *b) {
  plain(b);
  interpret(b, DIFF_EXACT);
  run_device(b, DIFF_EXACT, false);
  run_device(b, DIFF_RAISED, false);
  for (uint32_t i = 0; i < b->n; i++)
    if (!b->v[i].settled)
      settle(&b->v[i], CLASS_COMPILED);
}

ww_status diff_batch(const diff_judge *j, const diff_number *numbers, uint32_t n, ww_err *e) {
  batch b = {.j = j, .a = ww_arena_new(), .n = n};
  ww_status st = make(&b, numbers, e);
  if (!st && !j->run)
    compile_alone(&b);
  if (!st && j->run) {
    plain(&b);
    if (!all_settled(&b))
      exact(&b);
    if (!all_settled(&b))
      nudged(&b, DIFF_RAISED);
    if (!all_settled(&b))
      nudged(&b, DIFF_LOWERED);
    if (!all_settled(&b))
      wrapped(&b);
  }
  for (uint32_t i = 0; !st && i < n; i++)
    write_row(&b, &b.v[i]);
  ww_arena_free(b.a);
  return st;
}

ww_status diff_prepare(const diff_number *numbers, uint32_t n, ww_gen_dialect d, ww_err *e) {
  ww_arena *a = ww_arena_new();
  diff_kernel *k = WW_NEWN(a, diff_kernel, n);
  const diff_kernel **all = WW_NEWN(a, const diff_kernel *, n);
  ww_module m;
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < n; i++) {
    st = diff_make(numbers[i], d, a, &k[i], e);
    all[i] = &k[i];
  }
  for (diff_variant v = DIFF_PLAIN; !st && v <= DIFF_EXACT; v++)
    st = diff_load(diff_source(all, n, d, v, a), d, v, a, &m, e);
  ww_arena_free(a);
  return st;
}
