/* translate_int.h - what the files of the translation share: translate.c (module),
 * translate_passes.c (LLVM's passes), translate_ins.c (instructions), translate_arith.c
 * (arithmetic), translate_const.c (constants), translate_emit.c (building the IR),
 * translate_mem.c (loads, stores, copies), callees*.c (known callees), translate_asm*.c
 * (inline PTX), translate_mma.c (matrix fragments), debuginfo.c (names, types, lines).
 *
 * An LLVM value becomes a list of scalars, its components, in the order of its type's
 * flattening: low_flat gives type, width and byte offset of each. A pointer is one
 * component plus a constant offset that loads and stores fold. */
#ifndef WW_FRONT_TRANSLATE_INT_H
#define WW_FRONT_TRANSLATE_INT_H

#include <math.h>

#include "../base/map.h"
#include "../base/words.h"
#include "llvm_read.h"
#include "translate.h"

/* ---- pointer -> number ---- */
static inline uint32_t *
low_map_at(ww_arena *a, ww_map *m, const void *key, bool *fresh) {
  return ww_map_at(m, a, (uintptr_t)key, fresh); /* inserts 0 */
}
static inline uint32_t low_map_get(const ww_map *m, const void *key, uint32_t none) {
  const uint32_t *at = ww_map_find(m, (uintptr_t)key);
  return at ? *at : none;
}

/* ---- types ---- */
typedef struct {
  uint8_t type; /* ww_type of the scalar */
  uint8_t mem;  /* bytes in memory */
  /* width of an integer; below the container's width the upper bits are kept zero */
  uint16_t bits;
  uint32_t off; /* byte offset in the aggregate */
} low_comp;

typedef struct {
  low_comp *c;
  uint32_t n;
  uint64_t bytes;     /* alloc size */
  const char *refuse; /* a type that has no scalar form, and why */
} low_type;

typedef enum { LOW_NVPTX, LOW_SPIR, LOW_AMDGPU } low_target;

/* What the source says of a loop: by how much it is unrolled, 1 for not at all. The
 * place is the loop's own, which outlives all passes. */
struct low_unroll {
  uint32_t line, col;
  uint8_t by;
  bool ours; /* as nvcc does, without a pragma */
};

typedef struct {
  ww_arena *a;
  ww_module *out;
  ww_dialect dialect;
  low_target target;
  LLVMContextRef ctx;
  LLVMModuleRef mod;
  LLVMTargetDataRef td;
  struct LLVMOpaqueTargetMachine *machine; /* NULL: none; both while passes run */
  struct LLVMOpaquePassBuilderOptions *options;
  ww_map fns;     /* LLVM function -> index into list + 1 */
  ww_map syms;    /* LLVM global variable -> symbol index */
  ww_map types;   /* LLVM type -> index into type_list */
  ww_map callees; /* LLVM declaration -> row of callees.def + 1, see callees.c */
  ww_map locs;    /* DILocation -> ww_module.locs */
  ww_map files;   /* DIFile -> ww_module.files */
  ww_map kernels; /* LLVM function -> index into `kernel` */
  WW_VEC(low_type *) type_list;
  WW_VEC(struct low_fn *) list;
  WW_VEC(struct low_kernel) kernel;
  WW_VEC(ww_loc) loc_list;
  WW_VEC(const char *) file_list;
  WW_VEC(ww_symbol) sym_list;
  WW_VEC(LLVMValueRef) sym_llvm; /* beside sym_list */
  /* beside sym_list: a variable without a definition */
  WW_VEC(const char *) sym_refusal;
  WW_VEC(struct low_unroll) unroll; /* loops that are unrolled, by their places */
  unsigned md_invariant, md_reqd, md_fpmath, md_loop, md_fields;
  unsigned at_byval, at_byref, at_noalias, at_readonly, at_align;
} low;

struct low_kernel {
  LLVMValueRef fn;
  uint32_t max_threads, min_blocks, req[3];
};

/* ---- functions ---- */
typedef struct {
  ww_val *v;
  uint32_t n;
  int64_t off;  /* pointers: address = v[0] + off */
  ww_val whole; /* pointers: v[0] + off as one value, WW_NOVAL until made */
} low_val;

typedef struct {
  WW_VEC(ww_ins) ins;
  WW_VEC(ww_phi) phis;
  const char *name;
  bool ended; /* has its terminator */
} low_block;

typedef WW_VEC(uint32_t) low_numbers; /* each once */

typedef struct low_fn {
  low *L;
  ww_arena *a; /* L's */
  LLVMValueRef llvm;
  uint32_t index; /* in L->list and in the module */
  ww_fn fn;       /* what comes out */
  WW_VEC(ww_value) vals;
  WW_VEC(uint32_t) pool;
  WW_VEC(low_block) blocks;
  /* block being filled; LOW_PROLOGUE: before the entry's first instruction */
  uint32_t cur;
  uint32_t loc; /* of the instructions being made */
  low_block prologue;
  ww_map values; /* LLVM value -> index into val_list */
  WW_VEC(low_val) val_list;
  ww_map consts;                 /* hash of (type, bits) -> value, chained by probing */
  WW_VEC(LLVMValueRef) phi_llvm; /* phis to complete, in the order of phi_at */
  WW_VEC(uint64_t) phi_at;       /* block << 32 | first phi */
  ww_map block_of;               /* LLVM block -> its first block */
  WW_VEC(uint32_t) last_of;      /* LLVM block (same numbering) -> its last block */
  uint32_t frame;                /* bytes of local memory so far */
  ww_map widened;                /* result of a zext or sext + 1 -> its operand */
  ww_map deferred;               /* fmul waiting to be fused */
  low_numbers callees;           /* function indices called or referenced */
  ww_map symbols;                /* symbol index used + 1 */
  bool indirect;                 /* calls through a pointer */
  bool callee_refused;           /* its refusal names the function that it calls */
  bool is_kernel;
} low_fn;

#define LOW_PROLOGUE UINT32_MAX

/* translate_emit.c */
void low_refuse(low_fn *F, const char *fmt, ...)
    __attribute__((format(printf, 2, 3))); /* keeps the first reason */
const low_type *low_flat(low *L, LLVMTypeRef t);
low_comp low_element(ww_type t, uint32_t k); /* the k-th of an array of scalars */
/* The first n of them, for which c has room: c. */
const low_comp *low_elements(low_comp *c, ww_type t, uint32_t n);
const low_type *low_type_of(low_fn *F, LLVMValueRef v);
ww_type low_int_type(unsigned bits);
static inline bool low_wide_int(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) > 64;
}
uint32_t low_new_block(low_fn *F, const char *name);
low_block *low_cur(low_fn *F);
ww_val low_new_val(low_fn *F, ww_type t);
ww_ins *low_ins(low_fn *F, ww_op op, ww_type t); /* valid until the next emission */
/* the next instruction's place in its block */
uint32_t low_here(low_fn *F);
/* What was emitted since then is one instruction of the GPU: the first `one`, the rest
 * parts of it.
 */
void low_parts(low_fn *F, uint32_t from, ww_op one);
/* the one just made, unless it ends its block */
ww_ins *low_last(low_fn *F);
ww_val *low_values(low_fn *F, uint32_t n); /* room for them, in the arena */
ww_val low_nullary(low_fn *F, ww_op op, ww_type t);
ww_val low_unary(low_fn *F, ww_op op, ww_type t, ww_val a);
ww_val low_binary(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b);
ww_val low_op32(low_fn *F, ww_op op, ww_val a, ww_val b); /* of WW_I32 */
ww_val low_op64(low_fn *F, ww_op op, ww_val a, ww_val b);
/* The same with a constant of the operation's type. */
ww_val low_binaryk(low_fn *F, ww_op op, ww_type t, ww_val a, uint64_t k);
ww_val low_op32k(low_fn *F, ww_op op, ww_val a, uint64_t k);
ww_val low_op64k(low_fn *F, ww_op op, ww_val a, uint64_t k);
ww_val low_op(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b, ww_val c);
ww_val low_opx(
    low_fn *F, ww_op op, ww_type t, int sub, int flags, ww_val a, ww_val b, ww_val c);
ww_val low_cvt(low_fn *F, ww_op op, ww_type to, ww_type from, int round, ww_val a);
ww_val low_cmp(low_fn *F, ww_cmp p, ww_type t, ww_val a, ww_val b);
ww_val low_cmpk(low_fn *F, ww_cmp p, ww_type t, ww_val a, uint64_t k);
ww_val low_nonzero(low_fn *F, ww_val a); /* of an i32 */
ww_val low_not(low_fn *F, ww_val a);     /* of an i1 */
ww_val low_select(low_fn *F, ww_type t, ww_val c, ww_val a, ww_val b);
ww_val low_math1(low_fn *F, ww_math m, ww_type t, int flags, ww_val a);
ww_val
low_math(low_fn *F, ww_math m, ww_type t, int flags, ww_val a, ww_val b, ww_val c);
/* of the math function just emitted; sqrt and rcp have one */
void low_math_round(low_fn *F, ww_math m, int round);
ww_val low_int_to(low_fn *F,
                  ww_val a,
                  ww_type from,
                  ww_type to,
                  bool sign); /* widens, narrows or nothing */
ww_val low_convert(low_fn *F,
                   ww_val a,
                   ww_type from,
                   ww_type to,
                   int round,
                   bool sign); /* integers and floats; sign: of the integer */
ww_val low_relu(low_fn *F, ww_type t, ww_val a);
ww_val low_clamp01(low_fn *F, ww_type t, ww_val a);
ww_val low_24(low_fn *F, ww_val a, bool sign); /* the low 24 bits of an i32, extended */
/* a + b, or a - b, and the carry in *carry (WW_NOVAL: none), which becomes the one that
 * goes out */
ww_val low_carry(low_fn *F, ww_type t, bool sub, ww_val a, ww_val b, ww_val *carry);
/* same width, other type */
ww_val low_bits(low_fn *F, ww_val a, ww_type from, ww_type to);
/* clears what is above bits */
ww_val low_mask(low_fn *F, ww_val a, ww_type t, unsigned bits);
ww_val low_signed(low_fn *F,
                  ww_val a,
                  ww_type t,
                  unsigned bits); /* sign-extends bits within the container */
ww_val low_lea(low_fn *F, ww_val base, ww_val index, int64_t scale);
ww_val low_add_imm(low_fn *F, ww_val a, ww_type t, int64_t k);
ww_val low_sreg(low_fn *F, ww_sreg s);
void low_br(low_fn *F, uint32_t to);
void low_cbr(low_fn *F, ww_val c, uint32_t yes, uint32_t no);
uint32_t low_pool(low_fn *F, const ww_val *v, uint32_t n);
/* in the current, still empty block */
ww_val
low_phi2(low_fn *F, ww_type t, uint32_t pred1, ww_val v1, uint32_t pred2, ww_val v2);
/* address of new local memory */
ww_val low_local(low_fn *F, uint64_t bytes, uint32_t align);
void low_finish(low_fn *F);
void low_repack(low_fn *F,
                const low_comp *from,
                uint32_t nfrom,
                const ww_val *in,
                const low_comp *to,
                uint32_t nto,
                ww_val *out);

/* translate_const.c */
ww_val low_const(low_fn *F, ww_type t, uint64_t bits);
ww_val low_i32(low_fn *F, uint64_t k);
ww_val *low_zeros(low_fn *F, const low_type *t); /* of all its components */
ww_val low_fconst(low_fn *F, ww_type t, double v);
bool low_is_const(const low_fn *F, ww_val v, uint64_t *bits);
uint64_t low_float_bits(ww_type t, double v);
void low_constant(low_fn *F, LLVMValueRef c, low_val *out);
bool low_const_addr(low *L, LLVMValueRef c, LLVMValueRef *global, int64_t *off);
void low_init_symbol(low *L, uint32_t index);

int64_t low_gep_const(low *L, LLVMValueRef gep, bool *all_const);
uint32_t low_symbol(low *L, LLVMValueRef gv);

/* translate.c */
void low_note(low *L, low_numbers *list, uint32_t number);
uint32_t low_want_fn(low *L, LLVMValueRef f); /* index; queued for lowering */
ww_space low_addrspace(const low *L, unsigned as);
unsigned low_attribute(const char *name); /* its number */

/* translate_fresh.c */
/* false: read it again while this one is kept */
bool low_fresh(LLVMModuleRef m, ww_arena *a);

/* translate_passes.c */
void low_run(low *L, const char *passes);
/* raw: no optimiser has seen the module */
void low_run_passes(low *L, bool linked, bool raw);
bool low_mark_array_loops(low *L); /* translate_local.c: whether there are any */
bool low_split_copies(low *L);
bool low_is_copy(LLVMValueRef v); /* a copy of bytes */
/* of one side of a copy: 0 its target, 1 its source */
uint32_t low_copy_alignment(low *L, LLVMValueRef copy, unsigned side);
/* translate_align.c: before the optimiser what types promise, behind it the rest */
void low_trust_types(low *L);
void low_find_alignment(low *L);

/* translate_loops.c */
void low_unroll_options(void); /* LLVM's own, once */
void low_note_loops(low *L);   /* those with a pragma, while they are all there */
/* the terminator of a loop's last block; 0: the source does not say */
uint8_t low_unroll_of(low *L, LLVMValueRef latch);
/* iterations of the source that one of its iterations does */
uint8_t low_side_by_side(low *L, LLVMValueRef latch);
/* What a property of a loop says of unrolling: "full", "count" ...; NULL: it speaks of
 * something else. */
const char *low_unrolling(low *L, LLVMValueRef property, low_nodes *words);
/* by: 0 whole */
void low_set_unrolling(low *L, LLVMValueRef latch, uint32_t by);
void low_unroll_loops(low *L);
static inline bool low_is_op(LLVMValueRef v, LLVMOpcode op) {
  return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

/* translate_ins.c */
void low_body(low_fn *F);
low_val *low_get(low_fn *F, LLVMValueRef v);
ww_val low_scalar(low_fn *F, LLVMValueRef v);
ww_val low_comp_of(low_fn *F, LLVMValueRef v, uint32_t i);
/* the first n */
ww_val *low_comps(low_fn *F, LLVMValueRef v, uint32_t n);
/* of operand k */
ww_val low_operand(low_fn *F, LLVMValueRef inst, unsigned k, uint32_t i);
low_val *low_set(low_fn *F, LLVMValueRef inst, const ww_val *v, uint32_t n);
/* The components of the instruction's value, to be filled in. */
ww_val *low_define(low_fn *F, LLVMValueRef inst);
unsigned low_fmf(low_fn *F, LLVMValueRef inst); /* LLVMFastMath* */
ww_space low_space_of(low_fn *F, LLVMValueRef ptr);
bool low_readonly(low_fn *F, LLVMValueRef ptr);

/* translate_arith.c */
void low_binop(low_fn *F, LLVMValueRef inst);
int low_predicate(int64_t llvm); /* ww_cmp of LLVM's number of a comparison, or -1 */
ww_op low_int_op(LLVMOpcode op); /* of an integer binary operator */
void low_icmp(low_fn *F, LLVMValueRef inst);
void low_fcmp(low_fn *F, LLVMValueRef inst);
void low_cast(low_fn *F, LLVMValueRef inst);
void low_bitcast(low_fn *F, LLVMValueRef inst);
void low_pointer_cast(low_fn *F, LLVMValueRef inst);
void low_fmul_now(low_fn *F, LLVMValueRef inst); /* one that waited to be fused */

/* translate_mem.c */
typedef struct {
  ww_val base;
  int64_t off;
  ww_space space;
  uint32_t align;
  int flags; /* WW_F_* */
} low_addr;
ww_val low_addr_value(low_fn *F, low_addr p); /* the address as one value */
low_addr low_address(low_fn *F, LLVMValueRef ptr, uint32_t align);
void low_load(low_fn *F, low_addr p, const low_comp *c, uint32_t n, ww_val *out);
void low_store(low_fn *F, low_addr p, const low_comp *c, uint32_t n, const ww_val *in);
void low_copy(low_fn *F, low_addr to, low_addr from, uint64_t bytes);
/* cp.async */
void low_copy_async(low_fn *F, low_addr to, low_addr from, uint32_t bytes);
void low_await_copies(low_fn *F);
void low_fill(low_fn *F, low_addr to, ww_val byte, uint64_t bytes);
/* A copy or fill of run-time size; b: the address to copy from, or the byte. */
void low_sized(low_fn *F, ww_op op, low_addr to, ww_val b, ww_space from, ww_val bytes);
ww_val low_atom(low_fn *F, ww_rmw op, ww_type t, low_addr p, ww_val b, bool used);
/* The same of each component of v; out only where it is used. */
void low_atoms(
    low_fn *F, ww_rmw op, low_addr p, LLVMValueRef v, bool used, ww_val *out);
ww_val low_cas(low_fn *F, ww_type t, low_addr p, ww_val cmp, ww_val with);

/* callees.c */
void low_call(low_fn *F, LLVMValueRef inst);
int low_math_named(const char *name, size_t n); /* ww_math or -1 */
typedef struct {
  const char *name; /* NULL ends a table */
  int16_t value;
} low_named;
/* the last row's: none */
int low_value_named(const low_named *rows, const char *name, size_t n);
/* as PTX and NVVM write them */
extern const low_named low_rounds[], low_shuffles[], low_votes[];

/* callees_nv.c */
ww_val low_bar(low_fn *F,
               int sub,
               ww_val p,
               int64_t id,
               uint32_t count); /* its result, WW_NOVAL where sub is 0 */
/* out[1]: i1, whether there is such a lane; only with `flag` */
void low_shfl(
    low_fn *F, ww_shfl mode, ww_type t, const ww_val in[3], bool flag, ww_val out[2]);
ww_val low_vote(low_fn *F,
                ww_vote mode,
                ww_val p,
                ww_val mask,
                ww_type t); /* mask may be WW_NOVAL: all that run */
void low_match(low_fn *F, ww_val v, ww_val mask, bool all, ww_val out[2]);
/* clears when src_bytes is 0 */
void low_copy_or_zero(
    low_fn *F, low_addr to, low_addr from, ww_val src_bytes, uint32_t bytes);
/* i1: whether it points there */
ww_val low_in_space(low_fn *F, ww_val address, ww_space s);
/* What a name stands for on signed and unsigned integers and on floats; -1: nothing. */
typedef struct {
  const char *name; /* NULL ends a table */
  int16_t s, u, f;
} low_kinds;
int low_pick(const low_kinds *rows, const char *name, ww_type t, bool sign);
/* ww_op of "add", "min" ..., or -1 */
int low_arith_named(const char *name, ww_type t, bool sign);
/* ww_rmw of "add", "exch" ..., or -1 */
int low_rmw_named(const char *name, ww_type t, bool sign);
/* ww_sreg of "tid.x" ..., or -1 */
int low_nv_sreg(const char *name);

/* translate_asm.c */
void low_asm(low_fn *F, LLVMValueRef inst, LLVMValueRef inline_asm);

/* debuginfo.c */
/* The <length><name> of a mangled name at s: where the name begins; NULL: it is cut
 * off. */
const char *low_mangled(const char *s, size_t *n);
uint32_t low_loc(low *L, LLVMValueRef inst);
void low_describe(low *L, LLVMValueRef f, ww_fn *fn);       /* name, file, line */
const char *low_variable_name(low *L, const char *mangled); /* "coef", "kern::tile" */
/* ctype, elem, elem_size of the kernel's parameters */
void low_describe_params(low *L, LLVMValueRef f, ww_fn *fn);

#endif
