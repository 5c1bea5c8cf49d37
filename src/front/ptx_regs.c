/* ptx_regs.c - what is known of a function's registers before anything is emitted.
 *
 * Most are written once and read where that dominates: their value is the same
 * everywhere. The others get phis where ways meet, and one type for all of their
 * values: .b32 registers hold floats as well as integers, and what is done with one
 * tells. */
#include "ptx_int.h"

typedef struct {
  uint32_t writes;
  uint32_t named;     /* how often */
  uint32_t block, at; /* of the last write */
  uint32_t same;      /* as which register: union-find */
  uint32_t floats, integers;
  ww_type as; /* the float */
} study;

typedef struct {
  ptx_fn *f;
  WW_VEC(study) of; /* registers; grows as they are named */
} studies;

static study *study_of(studies *x, uint32_t reg) {
  while (x->of.n <= reg) {
    study new = {.same = x->of.n};
    ww_push(x->f->F->a, &x->of, new);
  }
  return &x->of.v[reg];
}

/* Calls fn for every register that an operand names. */
typedef void (*on_register)(studies *x, uint32_t reg, uint32_t block, uint32_t at);

static void each_register(
    studies *x, const char *operand, uint32_t block, uint32_t at, on_register fn) {
  char name[256];
  for (const char *c = operand; *c;) {
    size_t n = ptx_word(c);
    bool part = c > operand && c[-1] == '.';
    if (n && n < sizeof name && !part) {
      memcpy(name, c, n);
      name[n] = 0;
      uint32_t reg = ptx_find_reg(&x->f->s, name);
      if (reg != PTX_NOREG)
        fn(x, reg, block, at);
    }
    c += n ? n : 1;
    while (!n && ww_is_word(*c) && ww_is_digit(c[-1]))
      c++; /* behind a number */
  }
}

/* ---- written once ---- */

static void count_write(studies *x, uint32_t reg, uint32_t block, uint32_t at) {
  study *t = study_of(x, reg);
  t->writes++;
  t->block = block;
  t->at = at;
}

static void spoil(studies *x, uint32_t reg, uint32_t block, uint32_t at) {
  (void)block;
  (void)at;
  study_of(x, reg)->writes += 2;
}

static void check_read(studies *x, uint32_t reg, uint32_t block, uint32_t at) {
  study *t = study_of(x, reg);
  bool before = t->block == block ? t->at < at : ptx_dominates(x->f, t->block, block);
  if (!before)
    t->writes += 2;
}

/* Where it has a result, that is the first operand; what has none begins with an
 * address, or is counted once too often. */
static void find_writes(studies *x, uint32_t block, uint32_t at) {
  const ptx_ins *i = &x->f->stmts.v[at].i;
  if (i->narg && *i->arg[0] != '[')
    each_register(x, i->arg[0], block, at, count_write);
  /* what is read, too, or kept where the predicate does not hold */
  if (i->narg && (i->predicate || (i->nop && !strcmp(i->op[0], "wgmma"))))
    each_register(x, i->arg[0], block, at, spoil);
}

static void find_reads(studies *x, uint32_t block, uint32_t at) {
  const ptx_ins *i = &x->f->stmts.v[at].i;
  for (uint32_t k = i->narg && *i->arg[0] != '['; k < i->narg; k++)
    each_register(x, i->arg[k], block, at, check_read);
  if (i->predicate)
    each_register(x, i->predicate, block, at, check_read);
}

static void count_name(studies *x, uint32_t reg, uint32_t block, uint32_t at) {
  (void)block;
  (void)at;
  study_of(x, reg)->named++;
}

static void find_names(studies *x, uint32_t block, uint32_t at) {
  const ptx_ins *i = &x->f->stmts.v[at].i;
  for (uint32_t k = 0; k < i->narg; k++)
    each_register(x, i->arg[k], block, at, count_name);
  if (i->predicate)
    each_register(x, i->predicate, block, at, count_name);
}

typedef void (*on_statement)(studies *x, uint32_t block, uint32_t at);

static void each_statement(studies *x, on_statement fn) {
  for (uint32_t k = 0; k < x->f->order.n; k++) {
    uint32_t b = x->f->order.v[k];
    const ptx_block *t = &x->f->blocks.v[b];
    for (uint32_t at = t->first; at < t->first + t->n; at++)
      fn(x, b, at);
  }
}

/* ---- what they hold ---- */

static uint32_t root(studies *x, uint32_t reg) {
  while (study_of(x, reg)->same != reg)
    reg = x->of.v[reg].same = x->of.v[x->of.v[reg].same].same;
  return reg;
}

static void vote(studies *x, const char *operand, ptx_type t, bool plain) {
  uint32_t reg = ptx_find_reg(&x->f->s, operand);
  if (reg == PTX_NOREG ||
      ww_type_bits(x->f->s.regs.v[reg].declared) != ww_type_bits(t.t) || t.pair)
    return;
  study *s = study_of(x, root(x, reg));
  if (!ww_is_float(t.t)) {
    s->integers += plain;
    return;
  }
  s->floats++;
  s->as = t.t;
}

static void join(studies *x, const char *a, const char *b) {
  uint32_t ra = ptx_find_reg(&x->f->s, a);
  uint32_t rb = ptx_find_reg(&x->f->s, b);
  if (ra == PTX_NOREG || rb == PTX_NOREG ||
      x->f->s.regs.v[ra].declared != x->f->s.regs.v[rb].declared)
    return;
  ra = root(x, ra);
  rb = root(x, rb);
  x->of.v[ra].same = rb;
}

/* Copies tell nothing; with an untyped suffix, neither do moves through memory. */
static void find_copies(studies *x, uint32_t block, uint32_t at) {
  const ptx_ins *i = &x->f->stmts.v[at].i;
  (void)block;
  if (!i->nop || i->narg < 2)
    return;
  if (!strcmp(i->op[0], "mov"))
    join(x, i->arg[0], i->arg[1]);
  if (!strcmp(i->op[0], "selp") && i->narg > 2) {
    join(x, i->arg[0], i->arg[1]);
    join(x, i->arg[0], i->arg[2]);
  }
}

static void find_votes(studies *x, uint32_t block, uint32_t at) {
  static const char *const neutral[] = {"mov",  "selp", "ld",   "st",  "shfl", "cvta",
                                        "atom", "call", "prmt", "ldu", NULL};
  const ptx_ins *i = &x->f->stmts.v[at].i;
  (void)block;
  ptx_type first = ptx_nth_type(i, 0);
  ptx_type second = ptx_nth_type(i, 1);
  if (!i->nop || first.t == WW_VOID)
    return;
  bool plain = !ptx_untyped(i) || !ww_one_of(i->op[0], neutral);
  bool converts = !strcmp(i->op[0], "cvt") || !strcmp(i->op[0], "set");
  for (uint32_t k = 0; k < i->narg; k++) {
    const char *part[64];
    uint32_t n = ptx_list((ptx_ins *)i, i->arg[k], part, 64);
    for (uint32_t e = 0; e < n; e++)
      vote(x, part[e], converts && k && second.t != WW_VOID ? second : first, plain);
  }
}

/* ---- all of it ---- */

void ptx_study_registers(ptx_fn *f) {
  studies x = {.f = f};
  each_statement(&x, find_writes);
  each_statement(&x, find_reads);
  each_statement(&x, find_names);
  each_statement(&x, find_copies);
  each_statement(&x, find_votes);
  for (uint32_t r = 0; r < f->s.regs.n; r++) {
    ptx_reg *reg = &f->s.regs.v[r];
    reg->once = study_of(&x, r)->writes == 1;
    reg->settled = !reg->once;
    reg->unread = study_of(&x, r)->named == 1;
    study votes = *study_of(&x, root(&x, r));
    if (!ww_is_float(reg->declared) && votes.floats && votes.floats >= votes.integers)
      reg->natural = votes.as;
  }
}
