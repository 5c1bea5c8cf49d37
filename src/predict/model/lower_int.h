/* lower_int.h - what the files of the lowering share. */
#ifndef WW_PREDICT_LOWER_INT_H
#define WW_PREDICT_LOWER_INT_H

#include "predict.h"

typedef enum {
#define SASS(name, ...) WW_SASS_##name,
#include "lower.def"
  WW_NSASS
} ww_sass;

typedef struct {
  const char *name, *meaning;
  uint8_t pipe;
  int16_t figure; /* ww_gpu_op or -1 */
  float issue, latency, integer, flops;
} ww_sass_info;
extern const ww_sass_info ww_sass_table[WW_NSASS];

typedef struct {
#define COEF(name, ...) double name;
#include "lower.def"
} ww_lower_coef;
extern ww_lower_coef ww_lower_coefs; /* a variable only for the program that fits it */

/* What becomes of a loop. */
typedef struct {
  /* iterations that become one, besides those that the IR has unrolled already */
  uint32_t unrolled;
  uint32_t before; /* those */
  uint32_t whole;  /* trips of a loop that is laid out in full; else 0 */
  /* of the body, per iteration of the source: instructions as ptxas and as nvcc count
   * them; those that neither access memory nor branch; loads of global and of shared
   * memory */
  double size, nvcc_size, arithmetic, loads, shared;
  uint32_t calls, atomics;
  uint32_t pointers, narrow_pointers; /* that walk: of 64 and of 32 bits */
  bool leaps;    /* through memory, with steps beyond a vector's width */
  bool counted;  /* by a constant step: addresses become pointers */
  float streams; /* additions that keep its pointers going, per unrolled iteration */
  ww_cost entry; /* of what is done where it is entered from */
} ww_lower_loop;

/* One function under the eyes of the lowering. Instructions are numbered over all
 * blocks: block b's first is first[b]. */
typedef struct ww_lowering {
  const ww_module *m;
  const ww_fn *fn;
  const ww_gpu *g;
  ww_arena *arena;
  uint32_t nins;      /* of all blocks */
  uint32_t *first;    /* nblocks + 1 */
  uint32_t *block_of; /* per instruction */
  /* per value: what defines it; NULL: a phi, parameter, constant */
  const ww_ins **def;
  uint32_t *uses_at; /* per value, nvals + 1: its users in uses[] */
  uint32_t *uses;    /* instructions; WW_PHI | block: a phi of that block */
  /* per value: the same in every lane of every warp of a block, by integer arithmetic
   * alone */
  bool *uniform;
  /* per value: the same in every lane, what loops carry included */
  bool *same;
  bool *gone;          /* per instruction: folded into another one */
  uint8_t *predicated; /* per block: runs under its predecessor's predicate */
  /* per value: an address that shares a register (lower_address.c) */
  uint8_t *shares;
  ww_val *base; /* per value that does: the address whose register it is */
  float *step;  /* per value that is one step away: instructions of the step */
  /* per value: only fed addresses that share another's register */
  bool *dead;
  bool *known;          /* per value: a constant once its loops are unrolled */
  bool *vanishes;       /* per loop: unrolled in full */
  bool *fixed;          /* per loop: its trips are constants of the source */
  uint8_t *moves;       /* per value: how it moves in its loop (lower_loop.c) */
  bool *address;        /* per value: moves evenly, and only addresses need it */
  ww_lower_loop *loops; /* per loop */
  /* per instruction: of the block's executions, those in which it is there at all
   * (unrolled loops); -1: one addition */
  float *share;
  ww_cost *cost; /* per instruction */
} ww_lowering;
#define WW_PHI 0x80000000u
enum {
  WW_INVARIANT,
  WW_STEADY,
  WW_STRIDED,
  WW_MOVES
}; /* moves: fixed in the loop; by a constant; by an invariant; else */
enum {
  WW_ALONE,
  WW_SAME,
  WW_ONE_STEP
}; /* shares: not; differs by a constant; by one multiply-add */

/* lower_fold.c: everything but the costs. */
ww_lowering *
ww_lower_analyse(const ww_module *m, const ww_fn *fn, const ww_gpu *g, ww_arena *a);
static inline const ww_ins *ww_lower_ins(const ww_lowering *x, uint32_t at) {
  uint32_t b = x->block_of[at];
  return &x->fn->blocks[b].ins[at - x->first[b]];
}
static inline uint32_t ww_lower_nuses(const ww_lowering *x, ww_val v) {
  return x->uses_at[v + 1] - x->uses_at[v];
}
/* Loop of an instruction, or WW_NOBLOCK. */
static inline uint32_t ww_lower_loop_of(const ww_lowering *x, uint32_t at) {
  return x->fn->blocks[x->block_of[at]].loop;
}
/* Written as a number. */
static inline bool ww_lower_literal(const ww_lowering *x, ww_val v) {
  return x->fn->vals[v].kind == WW_VAL_CONST;
}
/* What defines it, or NULL. */
static inline const ww_ins *ww_lower_def(const ww_lowering *x, ww_val v) {
  return v == WW_NOVAL ? NULL : x->def[v];
}
/* The number of the instruction that defines it. */
static inline uint32_t ww_lower_at(const ww_lowering *x, ww_val v) {
  uint32_t b = x->fn->vals[v].ref;
  return x->first[b] + (uint32_t)(x->def[v] - x->fn->blocks[b].ins);
}
/* Its k-th user; NULL: a phi. */
static inline const ww_ins *ww_lower_user(const ww_lowering *x, ww_val v, uint32_t k) {
  uint32_t user = x->uses[x->uses_at[v] + k];
  return user & WW_PHI ? NULL : ww_lower_ins(x, user);
}
/* The 32-bit value that v widens, or WW_NOVAL. */
ww_val ww_lower_widened(const ww_lowering *x, ww_val v);
/* The widened value that v scales by a number, or v. */
ww_val ww_lower_scaled(const ww_lowering *x, ww_val v);
/* An index that is the sum of two words: clang widens both of them, nvcc the sum. */
bool ww_lower_sums_words(const ww_lowering *x, ww_val v);
bool ww_lower_constant(const ww_lowering *x, ww_val v);
/* There are users, none of them a phi, and each is such a one. */
bool ww_lower_all_users(const ww_lowering *x, ww_val v, bool (*such)(const ww_ins *));
/* Addresses of shared and local memory have 32 bits. */
bool ww_lower_short(const ww_lowering *x, ww_val address);

/* lower_uniform.c: fills uniform, same. */
void ww_lower_uniform(ww_lowering *x);

/* lower_idiom.c: marks what is part of another instruction as gone. */
void ww_lower_idioms(ww_lowering *x);

/* lower_predicate.c: fills predicated; what is gone is known. */
void ww_lower_predicated(ww_lowering *x);
/* v cannot be known before a load is there. */
bool ww_lower_waits_for_load(const ww_lowering *x, ww_val v, uint32_t depth);

/* lower_address.c: fills shares, base, step, dead. */
void ww_lower_addresses(ww_lowering *x);
/* lower_address.c: addresses that are computed from a row's product each for itself;
 * how values move is known. The second one: whether i is such an address. */
void ww_lower_rows(ww_lowering *x);
bool ww_lower_in_row(const ww_lowering *x, const ww_ins *i);
/* Whether an address adds what a loop moves by a step that is not known to a row that
 * begins before the loop; then, whether the row is a product of words. */
bool ww_lower_walks_row(const ww_lowering *x, uint32_t at);
bool ww_lower_word_row(const ww_lowering *x, const ww_ins *i);

/* lower_loop.c: ww_lower_unrolled fills known and vanishes before anything is folded;
 * the other fills moves, address, loops, share. */
void ww_lower_unrolled(ww_lowering *x);
void ww_lower_loops(ww_lowering *x);
double ww_lower_rounds(const ww_lower_loop *l, double trips);

/* lower_math.c: whether a math function only rounds, which is one instruction. */
bool ww_lower_rounding(const ww_ins *i);
/* lower_math.c: adds a math function, a division or another operation that becomes
 * several instructions. */
void ww_lower_math(const ww_lowering *x, const ww_ins *i, ww_cost *c);

/* lower_atomic.c: adds an atomic; the second one, what a warp that executes block b
 * spends beyond that, because lanes meet in one bank: instructions of the warp, FLOPs
 * and integer operations a lane. Returns how many atomics of it do. */
void ww_lower_atomic(const ww_lowering *x, const ww_ins *i, ww_cost *c);
/* One lane speaks for all of its warp. */
bool ww_lower_one_for_all(const ww_lowering *x, const ww_ins *i);
uint32_t ww_lower_spinning(const ww_lowering *x,
                           uint32_t b,
                           const ww_counts *counts,
                           ww_cost *c);

/* live.c: words that live in a block. */
typedef struct {
  double most, least; /* at once */
  double loaded;      /* of the most, those that the block has loaded itself */
} ww_block_words;
ww_block_words *ww_lower_live(ww_lowering *x, ww_arena *a);
/* Values of registers that an instruction needs, each once: folded ones are looked
 * through. */
enum { WW_LIVE_USES = 160 }; /* a product of matrices has the most */
uint32_t
ww_lower_operands(const ww_lowering *x, const ww_ins *i, ww_val out[WW_LIVE_USES]);
bool ww_lower_only_computes(const ww_ins *i);
/* The block with which straight code begins that b is part of: bodies under a predicate
 * and what follows them need no branch. */
uint32_t ww_lower_straight(const ww_lowering *x, uint32_t b);
/* live_tight.c: the same words in an order of the block's instructions that keeps them
 * few, what only computes behind it included. `begin` is given. False: it is too large
 * to look for one. */
typedef struct {
  double begin, most, end;
} ww_tight_words;
/* Nothing but the block leads to s, and what stands there could stand in the block. */
bool ww_lower_continues(const ww_fn *fn, uint32_t block, uint32_t s);
bool ww_lower_tight(const ww_lowering *x,
                    uint32_t block,
                    const double *weight,
                    ww_tight_words *out);

/* registers.c: fills plan and registers of the code. */
void ww_lower_registers(ww_lowering *x, ww_fn_code *out);
/* Words that a load of memory which can change brings; others: 0. */
double ww_lower_loaded(const ww_ins *i);

/* lower.c */
void ww_lower_put(const ww_lowering *x, ww_sass s, float n, ww_cost *c);
void ww_lower_scale(ww_cost *c, float by); /* instructions and cycles */

#endif
