/* translate_int.h - what the files of the translation share: translate.c (module),
 * translate_passes.c (LLVM's passes), translate_ins.c (instructions), translate_arith.c
 * (arithmetic), translate_const.c (constants), translate_types.c (types), callees*.c
 * (known callees), debuginfo.c (names, types, lines). emit.h builds the IR.
 *
 * An LLVM value becomes a list of scalars, its components, in the order of its type's
 * flattening: low_flat gives type, width and byte offset of each. A pointer is one
 * component plus a constant offset that loads and stores fold. */
#ifndef WW_FRONT_TRANSLATE_INT_H
#define WW_FRONT_TRANSLATE_INT_H

#include "emit.h"
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

typedef struct low {
  low_module m;
  ww_arena *a; /* m's */
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
  WW_VEC(struct low_kernel) kernel;
  WW_VEC(LLVMValueRef) sym_llvm;    /* beside m.sym_list */
  WW_VEC(struct low_unroll) unroll; /* loops that are unrolled, by their places */
  unsigned md_invariant, md_reqd, md_fpmath, md_loop, md_fields;
  unsigned at_byval, at_byref, at_noalias, at_readonly, at_align;
} low;

struct low_kernel {
  LLVMValueRef fn;
  uint32_t max_threads, min_blocks, req[3], cluster[3];
};

/* ---- functions ---- */
typedef struct {
  ww_val *v;
  uint32_t n;
  int64_t off;  /* pointers: address = v[0] + off */
  ww_val whole; /* pointers: v[0] + off as one value, WW_NOVAL until made */
} low_val;

/* What only the translation of LLVM's values needs of a function. */
typedef struct low_source {
  LLVMValueRef fn;
  ww_map values; /* LLVM value -> index into val_list */
  WW_VEC(low_val) val_list;
  WW_VEC(LLVMValueRef) phi_llvm; /* phis to complete, in the order of phi_at */
  WW_VEC(uint64_t) phi_at;       /* block << 32 | first phi */
  ww_map block_of;               /* LLVM block -> its first block */
  WW_VEC(uint32_t) last_of;      /* LLVM block (same numbering) -> its last block */
  ww_map deferred;               /* fmul waiting to be fused */
} low_source;

/* translate_types.c */
const low_type *low_flat(low *L, LLVMTypeRef t);
const low_type *low_type_of(low_fn *F, LLVMValueRef v);
static inline bool low_wide_int(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(t) > 64;
}

/* translate_const.c */
ww_val *low_zeros(low_fn *F, const low_type *t); /* of all its components */
void low_constant(low_fn *F, LLVMValueRef c, low_val *out);
bool low_const_addr(low *L, LLVMValueRef c, LLVMValueRef *global, int64_t *off);
void low_init_symbol(low *L, uint32_t index);

int64_t low_gep_const(low *L, LLVMValueRef gep, bool *all_const);
uint32_t low_symbol(low *L, LLVMValueRef gv);

/* translate.c */
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
low_addr low_address(low_fn *F, LLVMValueRef ptr, uint32_t align);
/* The same of each component of v; out only where it is used. */
void low_atoms(
    low_fn *F, ww_rmw op, low_addr p, LLVMValueRef v, bool used, ww_val *out);
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

/* callees.c */
void low_call(low_fn *F, LLVMValueRef inst);
int low_math_named(const char *name, size_t n); /* ww_math or -1 */
/* callees_asm.c */
void low_asm(low_fn *F, LLVMValueRef inst, LLVMValueRef inline_asm);

/* debuginfo.c */
uint32_t low_loc(low *L, LLVMValueRef inst);
void low_describe(low *L, LLVMValueRef f, ww_fn *fn); /* name, file, line */
/* ctype, elem, elem_size of the kernel's parameters */
void low_describe_params(low *L, LLVMValueRef f, ww_fn *fn);

#endif
