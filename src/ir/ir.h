/* ir.h - the Warpwise IR: what a kernel does, for a warp interpreter and a machine
 * model.
 *
 * SSA over scalars: vectors and aggregates are split by the front end (a wide load or
 * store keeps its width in `n`), pointers are i64 addresses. Every value has an index
 * in its function: parameters first, then constants and results in any order. A block
 * is phis, instructions and one terminator (a CTL op; CALL and CALLI do not end a
 * block). The checker (ww_ir_check) states the invariants; everything behind it relies
 * on them. docs/ir.md is the manual. */
#ifndef WW_IR_H
#define WW_IR_H

#include "../base/base.h"

typedef enum {
#define OP(name, ...) WW_OP_##name,
#include "ops.def"
  WW_NOPS
} ww_op;

typedef enum {
#define MATH(name, ...) WW_MATH_##name,
#include "math.def"
  WW_NMATH
} ww_math;

/* What the counters call an operation. FP counts flops, FPX does not (negate, min ...).
 */
typedef enum {
#define CLASS(name, ...) WW_CLASS_##name,
#include "enums.def"
  WW_NCLASSES
} ww_class;

typedef enum {
#define TYPE(name, ...) WW_##name,
#include "enums.def"
  WW_NTYPES
} ww_type;

typedef enum {
#define SPACE(name, ...) WW_##name,
#include "enums.def"
  WW_NSPACES
} ww_space;

/* Integer predicates, then floating point: O* false and U* true when an operand is NaN.
 */
typedef enum {
#define CMP(name, ...) WW_##name,
#include "enums.def"
  WW_NCMPS
} ww_cmp;

typedef enum { WW_RN, WW_RZ, WW_RD, WW_RU, WW_RNA /* ties away */ } ww_round;

typedef enum {
#define RMW(name, ...) WW_RMW_##name,
#include "enums.def"
  WW_NRMWS
} ww_rmw;

typedef enum { WW_SHFL_IDX, WW_SHFL_UP, WW_SHFL_DOWN, WW_SHFL_BFLY } ww_shfl;
typedef enum { WW_VOTE_ALL, WW_VOTE_ANY, WW_VOTE_UNI, WW_VOTE_BALLOT } ww_vote;
typedef enum { WW_BAR_SYNC, WW_BAR_POPC, WW_BAR_AND, WW_BAR_OR, WW_BAR_ARRIVE } ww_bar;

typedef enum {
#define SREG(name, ...) WW_SREG_##name,
#include "enums.def"
  WW_NSREGS
} ww_sreg;

typedef enum {
#define MBAR(name, ...) WW_MBAR_##name,
#include "enums.def"
  WW_NMBARS
} ww_mbar;

typedef enum {
#define BULK(name, ...) WW_BULK_##name,
#include "enums.def"
  WW_NBULKS
} ww_bulk;

typedef enum {
#define GROUP(name, ...) WW_GROUP_##name,
#include "enums.def"
  WW_NGROUPS
} ww_async_group;

enum {
  WW_F_APPROX = 1, /* the fast, inexact form */
  WW_F_VOLATILE = 2,
  WW_F_CONTRACT = 4,  /* may be fused with a neighbour */
  WW_F_NSW = 8,       /* integer op known not to wrap signed; mma: sums that saturate */
  WW_F_NOCACHE = 16,  /* ld.cg/.cs/.cv, st.cs: cache hints */
  WW_F_READONLY = 32, /* ld.global.nc, invariant load */
  WW_F_UNSIGNED_A = 64,
  /* matrix operands: of i8 the unsigned ones, of e4m3 those that are e5m2; of single
   * bits A's says that they are compared (xor), not multiplied (and) */
  WW_F_UNSIGNED_B = 128,
  WW_F_PART = 64 /* of any other op: see ww_is_part */
};

typedef uint32_t ww_val; /* index into ww_fn.vals */
#define WW_NOVAL UINT32_MAX
#define WW_NOBLOCK UINT32_MAX

typedef struct {
  uint8_t op;    /* ww_op */
  uint8_t type;  /* ww_type, see ops.def */
  uint8_t type2; /* source type of a conversion */
  uint8_t space; /* ww_space as far as known statically */
  uint8_t sub;   /* ww_cmp, ww_math, ww_rmw, ww_sreg, ww_round ... by op */
  uint8_t n;     /* vector width, or operands in the pool */
  uint8_t nres;  /* results: dst .. dst+nres-1 */
  uint8_t flags; /* WW_F_* */
  ww_val dst;    /* first result or WW_NOVAL */
  ww_val a, b, c;
  uint32_t ext; /* index into ww_fn.pool, or the false block of CBR */
  uint32_t loc; /* index into ww_module.locs; 0 unknown */
  int64_t imm;
} ww_ins;

/* Does a part of what one instruction of the GPU does, whose cost another one here has:
 * the loads of a matrix behind the first, the store of an asynchronous copy, halves of
 * a register taken apart. A branch: the
 * code has a predicate on what it goes around. */
static inline bool ww_is_part(const ww_ins *i) {
  return i->op != WW_OP_MMA && i->op != WW_OP_WGMMA && i->flags & WW_F_PART;
}

typedef enum {
  WW_VAL_PARAM,
  WW_VAL_CONST,
  WW_VAL_SYMBOL,
  WW_VAL_FN,
  WW_VAL_RESULT
} ww_val_kind;

typedef struct {
  uint8_t type; /* ww_type */
  uint8_t kind; /* ww_val_kind */
  /* PARAM: its index; SYMBOL: symbol index; FN: function index; RESULT: defining block
   */
  uint32_t ref;
  uint64_t bits;    /* CONST: the bits; SYMBOL: byte offset to add */
  const char *name; /* source name or NULL */
} ww_value;

typedef struct {
  ww_val dst;
  uint32_t ext, n; /* pool at ext: n pairs (predecessor block, value) */
} ww_phi;

typedef struct {
  ww_phi *phis;
  uint32_t nphis;
  ww_ins *ins;
  uint32_t nins;
  uint32_t *succ; /* from the terminator, without duplicates; filled by ww_ir_flow */
  uint32_t nsucc;
  /* immediate post-dominator, WW_NOBLOCK for the virtual exit; ww_ir_flow */
  uint32_t ipdom;
  uint32_t idom; /* immediate dominator, own index for the entry; ww_ir_flow */
  /* innermost loop (index into ww_fn.loops) or WW_NOBLOCK; ww_ir_flow */
  uint32_t loop;
  const char *name;
} ww_block;

typedef struct {
  uint32_t header, latch; /* latch: WW_NOBLOCK when there are several */
  uint32_t parent;        /* enclosing loop or WW_NOBLOCK */
  uint32_t depth;         /* 1 for an outermost loop */
} ww_loop;

typedef struct {
  const char *name;  /* source name, "argN" when unknown */
  const char *ctype; /* as written, e.g. "const float *" */
  /* ww_type of the value passed; by-value aggregates: WW_I64, the address of a copy in
   * param space */
  uint8_t type;
  uint8_t space; /* pointee space for pointers */
  bool pointer;
  bool byval;    /* an aggregate passed by value: size and align say how */
  bool readonly; /* const or readonly pointee */
  /* ww_type a pointer's pointee has, WW_VOID when it is an aggregate or unknown; of a *
   * float that OpenMP passes as a 64-bit integer, its real type */
  uint8_t elem;
  uint32_t size, align; /* bytes of the argument itself as passed to the launch */
  uint32_t elem_size;   /* bytes of the pointee, 0 unknown */
} ww_param;

typedef struct {
  const char *name;    /* plain: saxpy, kern<float, 256> */
  const char *mangled; /* as in the object file */
  const char *file;
  uint32_t line;
  bool kernel;
  const char *refusal; /* why it cannot be interpreted, NULL when it can; includes
                          callees' reasons */
  ww_param *params;
  uint32_t nparams;
  uint8_t ret; /* ww_type of a single result, WW_VOID otherwise */
  ww_value *vals;
  uint32_t nvals;
  ww_block *blocks; /* blocks[0] is the entry */
  uint32_t nblocks;
  ww_loop *loops;
  uint32_t nloops;
  uint32_t *pool; /* operand lists */
  uint32_t npool;
  uint32_t local_bytes;             /* frame of local memory, per lane */
  uint32_t shared_bytes;            /* static shared memory of the symbols it reaches */
  uint32_t max_threads, min_blocks; /* __launch_bounds__, 0 when not given */
  uint32_t req_block[3];            /* reqd_work_group_size, 0 when not given */
  uint32_t cluster[3];              /* __cluster_dims__, 0 when not given */
} ww_fn;

typedef struct {
  const char *name, *mangled;
  uint8_t space; /* WW_GLOBAL, WW_SHARED, WW_CONST */
  bool dynamic;  /* extern __shared__: starts behind the static part */
  uint64_t size; /* bytes */
  uint32_t align;
  const uint8_t *init; /* size bytes or NULL for zeros */
  struct ww_reloc {
    uint64_t at;
    bool fn;
    uint32_t ref;
    uint64_t add;
  } * relocs; /* addresses inside init */
  uint32_t nrelocs;
} ww_symbol;

/* A place in the source. What was inlined also has the place of its call. */
typedef struct {
  uint32_t file; /* index into ww_module.files */
  uint32_t line;
  uint32_t caller; /* index into ww_module.locs, below its own; 0: none */
} ww_loc;
enum { WW_MOST_CALLERS = 32 }; /* one inside the other, as they are written down */

typedef enum { WW_CUDA, WW_OPENCL, WW_HIP, WW_OPENMP, WW_NDIALECTS } ww_dialect;

typedef struct {
  ww_dialect dialect;
  uint32_t warp; /* lanes: 32, or 64 for AMD code */
  /* read from PTX: its compiler has unrolled loops and moved code as far as it does */
  bool compiled;
  ww_fn *fns;
  uint32_t nfns;
  ww_symbol *symbols;
  uint32_t nsymbols;
  ww_loc *locs; /* locs[0] is unknown */
  uint32_t nlocs;
  const char **files;
  uint32_t nfiles;
} ww_module;

typedef struct {
  const char *name;
  int8_t nsrc;
  uint8_t cls;
  const char *types; /* that check.c wants: see ops.def */
} ww_op_info;
extern const ww_op_info ww_ops[WW_NOPS];
extern const char *const ww_math_names[WW_NMATH];
extern const uint8_t ww_math_args[WW_NMATH];
extern const char *const ww_type_names[WW_NTYPES];
extern const uint8_t ww_type_bytes[WW_NTYPES]; /* 0 for void; i1 counts 1 */
extern const char *const ww_space_names[WW_NSPACES];
extern const char *const ww_sreg_names[WW_NSREGS];
extern const char *const ww_dialect_names[WW_NDIALECTS];
extern const char *const ww_class_names[WW_NCLASSES];

/* A barrier of the block that combines a value of all who wait there. */
static inline bool ww_bar_reduces(const ww_ins *i) {
  return i->sub >= WW_BAR_POPC && i->sub <= WW_BAR_OR;
}

/* Operands of one instruction: the first `fixed` of a, b, c, then n values in the pool,
 * `stride` slots apart (2 for the (value, block) pairs of a switch). */
typedef struct {
  uint32_t fixed, ext, n, stride;
} ww_operands;
ww_operands ww_ins_operands(const ww_ins *i);
/* Operand values of an instruction (a, b, c and pool lists) in order, at most max of
 * them; returns how many it wrote. */
uint32_t ww_ins_uses(const ww_fn *fn, const ww_ins *i, ww_val *out, uint32_t max);
/* Pair n of a phi: the block it comes from, and the value. */
static inline uint32_t ww_phi_from(const ww_fn *fn, const ww_phi *p, uint32_t n) {
  return fn->pool[p->ext + 2 * n];
}
static inline ww_val ww_phi_value(const ww_fn *fn, const ww_phi *p, uint32_t n) {
  return fn->pool[p->ext + 2 * n + 1];
}
ww_val ww_phi_of(const ww_fn *fn, const ww_phi *p, uint32_t block); /* WW_NOVAL: none */
/* Per value the instruction that defines it; NULL for phis, constants and parameters.
 * Its block is in ww_value.ref. */
const ww_ins **ww_ir_defs(const ww_fn *fn, ww_arena *a);
/* One instruction after the other: ww_ins_walk w = {.fn = fn}, then ww_next_ins(&w)
 * until it is NULL. */
typedef struct {
  const ww_fn *fn;
  uint32_t block, at;
} ww_ins_walk;
const ww_ins *ww_next_ins(ww_ins_walk *w);
bool ww_fn_has(const ww_fn *fn, ww_op op); /* such an instruction */
static inline const ww_ins *ww_terminator(const ww_block *b) {
  return &b->ins[b->nins - 1];
}
/* A branch of the machine that lanes can part at, not a predicate. */
static inline bool ww_is_branch(const ww_ins *i) {
  return (i->op == WW_OP_CBR && !ww_is_part(i)) || i->op == WW_OP_SWITCH;
}
static inline bool ww_is_atomic(const ww_ins *i) {
  return ww_ops[i->op].cls == WW_CLASS_ATOMIC;
}
/* Does not end before something has happened elsewhere: at an mbarrier, in the cluster.
 */
static inline bool ww_is_wait(const ww_ins *i) {
  return i->op == WW_OP_MWAIT || (i->op == WW_OP_CLUSTERBAR && i->sub);
}
/* A copy that one instruction asks for and the hardware makes by itself. */
static inline bool ww_is_bulk(const ww_ins *i) {
  return i->op == WW_OP_BULK || i->op == WW_OP_TMA;
}
/* In global memory, as far as the code tells. */
static inline bool ww_is_global(const ww_ins *i) {
  return i->space == WW_GLOBAL || i->space == WW_GENERIC;
}
static inline bool ww_loads_global(const ww_ins *i) {
  return i->op == WW_OP_LD && ww_is_global(i);
}
/* Copies and fills of many bytes included. */
static inline bool ww_touches_memory(const ww_ins *i) {
  return ww_ops[i->op].cls >= WW_CLASS_LOAD && ww_ops[i->op].cls <= WW_CLASS_ATOMIC;
}
/* Loads, stores and atomics: what has one address. */
static inline bool ww_accesses(const ww_ins *i) {
  return i->op == WW_OP_LD || i->op == WW_OP_ST || ww_is_atomic(i);
}
static inline bool ww_is_float(ww_type t) {
  return t >= WW_F16;
}
static inline uint32_t ww_type_bits(ww_type t) {
  return t == WW_I1 ? 1 : 8u * ww_type_bytes[t];
}
static inline bool ww_ends_block(ww_op op) {
  return op == WW_OP_BR || op == WW_OP_CBR || op == WW_OP_SWITCH || op == WW_OP_RET ||
         op == WW_OP_EXIT || op == WW_OP_TRAP;
}

/* exits.c: conditional edges to a kernel's bare return become exits; before ww_ir_flow.
 */
void ww_ir_split_exits(ww_fn *fn, ww_arena *a);
/* flow.c: successors, dominators, post-dominators, natural loops of one function. Where
 * a side can return, one that only traps or exits does not count for ipdom: that is
 * where the lanes which go on meet. */
void ww_ir_flow(ww_fn *fn, ww_arena *a);
/* Of what it found: every way from the entry to block b passes a; the block lies in the
 * loop or in one nested in it. */
bool ww_ir_dominates(const ww_fn *fn, uint32_t a, uint32_t b);
bool ww_ir_in_loop(const ww_fn *fn, uint32_t block, uint32_t loop);
/* print.c: the text form of a function or of everything. */
void ww_ir_print_fn(const ww_module *m, const ww_fn *fn, ww_buf *out);
/* One instruction, without its place in the source and the end of the line. */
void ww_ir_print_ins(const ww_module *m, const ww_fn *fn, const ww_ins *i, ww_buf *out);
void ww_ir_print_module(const ww_module *m, ww_buf *out);
/* parse.c: reads what print.c prints into the arena and runs ww_ir_flow; ww_ir_check is
 * left to the caller. WW_EPARSE with e->line. */
ww_status ww_ir_parse(const char *text, ww_arena *a, ww_module *out, ww_err *e);
/* check.c: the invariants; WW_EDATA with a message naming function, block and
 * instruction. */
ww_status ww_ir_check(const ww_module *m, ww_err *e);

/* names.c: what nvcc calls a kernel or variable that clang calls `mangled`, as far as
 * that can be known (not in anonymous namespaces); two mangled names that differ only
 * in how compilers mark internal linkage. */
char *ww_ir_nvcc_name(const char *mangled, ww_arena *a);
bool ww_ir_same_internal(const char *a, const char *b);

/* demangle.c: the plain name, as kern<float, 256>, and the types of the parameters of a
 * function; NULL: the name cannot be taken apart. */
const char *ww_ir_demangle(const char *mangled, ww_arena *a, ww_strings *params);
/* The same with the namespaces: `ns::kern<float, 256>`. */
const char *ww_ir_demangle_full(const char *mangled, ww_arena *a, ww_strings *params);

/* by plain or mangled name; NULL: none or ambiguous */
const ww_fn *ww_ir_find(const ww_module *m, const char *kernel);

#endif
