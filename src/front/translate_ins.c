/* translate_ins.c - the instructions of one function.
 *
 * Blocks are visited in reverse post-order, so that every operand but a phi's is
 * lowered before its use. A constant pointer offset stays apart from its base until
 * somebody needs the sum. Arithmetic is in translate_arith.c. */
#include "translate_int.h"

/* ---- values ---- */

static low_val *keep_value(low_fn *F, LLVMValueRef inst, low_val v) {
  *low_map_at(F->a, &F->of->values, inst, NULL) = F->of->val_list.n;
  ww_push(F->a, &F->of->val_list, v);
  return &F->of->val_list.v[F->of->val_list.n - 1];
}

static low_val *new_value(low_fn *F, LLVMValueRef inst, uint32_t n) {
  return keep_value(F, inst,
                    (low_val){.v = low_values(F, n), .n = n, .whole = WW_NOVAL});
}

ww_val *low_define(low_fn *F, LLVMValueRef inst) {
  return new_value(F, inst, low_type_of(F, inst)->n)->v;
}

low_val *low_set(low_fn *F, LLVMValueRef inst, const ww_val *v, uint32_t n) {
  low_val *out = new_value(F, inst, n);
  memcpy(out->v, v, n * sizeof *v);
  return out;
}

low_val *low_get(low_fn *F, LLVMValueRef v) {
  uint32_t at = low_map_get(&F->of->values, v, UINT32_MAX);
  if (at != UINT32_MAX)
    return &F->of->val_list.v[at];
  if (low_map_get(&F->of->deferred, v, 0)) {
    low_fmul_now(F, v);
    return low_get(F, v);
  }
  if (LLVMIsConstant(v)) {
    low_val c;
    low_constant(F, v, &c);
    return keep_value(F, v, c);
  }
  /* not lowered: its type was refused, or metadata */
  const low_type *t = low_type_of(F, v);
  if (t->n)
    low_refuse(F, "uses a value that could not be lowered");
  return low_set(F, v, low_zeros(F, t), t->n);
}

ww_val low_comp_of(low_fn *F, LLVMValueRef v, uint32_t i) {
  low_val *x = low_get(F, v);
  if (i >= x->n)
    return low_i32(F, 0);
  return !x->off                ? x->v[i]
         : x->whole != WW_NOVAL ? x->whole
                                : low_add_imm(F, x->v[0], WW_I64, x->off);
}

ww_val low_operand(low_fn *F, LLVMValueRef inst, unsigned k, uint32_t i) {
  return low_comp_of(F, LLVMGetOperand(inst, k), i);
}

ww_val *low_comps(low_fn *F, LLVMValueRef v, uint32_t n) {
  ww_val *out = low_values(F, n);
  for (uint32_t i = 0; i < n; i++)
    out[i] = low_comp_of(F, v, i);
  return out;
}

ww_val low_scalar(low_fn *F, LLVMValueRef v) {
  return low_comp_of(F, v, 0);
}

unsigned low_fmf(low_fn *F, LLVMValueRef inst) {
  (void)F;
#if LLVM_VERSION_MAJOR >= 18
  return LLVMCanValueUseFastMathFlags(inst) ? LLVMGetFastMathFlags(inst) : 0;
#else
  (void)inst;
  return F->L->m.dialect == WW_OPENCL ? 0 : LLVMFastMathAllowContract;
#endif
}

/* ---- static address spaces ---- */

/* Whether the function's parameter has the attribute. */
static bool param_has(low_fn *F, LLVMValueRef param, unsigned attribute) {
  uint32_t i = 1;
  for (LLVMValueRef p = LLVMGetFirstParam(F->of->fn); p && p != param;
       p = LLVMGetNextParam(p))
    i++;
  return LLVMGetEnumAttributeAtIndex(F->of->fn, i, attribute);
}

static ww_space argument_space(low_fn *F, LLVMValueRef arg) {
  if (param_has(F, arg, F->L->at_byval)) {
    const low_val *v = low_get(F, arg);
    bool in_place = F->is_kernel && v->n && F->vals.v[v->v[0]].kind == WW_VAL_PARAM;
    return in_place ? WW_PARAM : WW_LOCAL;
  }
  if (param_has(F, arg, F->L->at_byref))
    return WW_PARAM;
  ww_space s = low_addrspace(F->L, LLVMGetPointerAddressSpace(LLVMTypeOf(arg)));
  /* a kernel's pointers come from the host */
  return s == WW_GENERIC && F->is_kernel ? WW_GLOBAL : s;
}

static ww_space space_walk(low_fn *F, LLVMValueRef p, int depth) {
  LLVMTypeRef t = LLVMTypeOf(p);
  if (LLVMGetTypeKind(t) != LLVMPointerTypeKind)
    return WW_GENERIC;
  ww_space s = low_addrspace(F->L, LLVMGetPointerAddressSpace(t));
  if (s != WW_GENERIC && s != WW_CONST)
    return s;
  if (LLVMIsAArgument(p))
    return argument_space(F, p);
  if (LLVMIsAAllocaInst(p))
    return WW_LOCAL;
  if (LLVMIsAGlobalVariable(p)) {
    uint32_t at = low_symbol(F->L, p); /* may add: first, the list moves */
    return F->L->m.sym_list.v[at].space;
  }
  if (s == WW_CONST)
    return s;
  if (!depth)
    return WW_GENERIC;
  LLVMOpcode op = LLVMIsAConstantExpr(p)  ? LLVMGetConstOpcode(p)
                  : LLVMIsAInstruction(p) ? LLVMGetInstructionOpcode(p)
                                          : 0;
  switch (op) {
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
    return space_walk(F, LLVMGetOperand(p, 0), depth - 1);
  case LLVMSelect: {
    ww_space a = space_walk(F, LLVMGetOperand(p, 1), depth - 1);
    return a == space_walk(F, LLVMGetOperand(p, 2), depth - 1) ? a : WW_GENERIC;
  }
  case LLVMPHI: {
    ww_space a = WW_NSPACES;
    for (unsigned i = 0; i < LLVMCountIncoming(p); i++) {
      LLVMValueRef v = LLVMGetIncomingValue(p, i);
      if (v == p)
        continue;
      if (LLVMIsAGetElementPtrInst(v) && LLVMGetOperand(v, 0) == p)
        continue; /* p stepping through a loop */
      ww_space b = space_walk(F, v, depth > 3 ? 3 : depth - 1);
      if (a != WW_NSPACES && a != b)
        return WW_GENERIC;
      a = b;
    }
    return a == WW_NSPACES ? WW_GENERIC : a;
  }
  case LLVMLoad: /* a pointer in a by-value argument comes from the host, too */
    return F->is_kernel && space_walk(F, LLVMGetOperand(p, 0), depth - 1) == WW_PARAM
               ? WW_GLOBAL
               : WW_GENERIC;
  default:
    return WW_GENERIC;
  }
}

ww_space low_space_of(low_fn *F, LLVMValueRef ptr) {
  return space_walk(F, ptr, 8);
}

bool low_readonly(low_fn *F, LLVMValueRef p) {
  while (LLVMIsAInstruction(p) &&
         (LLVMIsAGetElementPtrInst(p) || LLVMIsAAddrSpaceCastInst(p) ||
          LLVMIsABitCastInst(p)))
    p = LLVMGetOperand(p, 0);
  return F->is_kernel && LLVMIsAArgument(p) && param_has(F, p, F->L->at_noalias) &&
         param_has(F, p, F->L->at_readonly);
}

low_addr low_address(low_fn *F, LLVMValueRef ptr, uint32_t align) {
  low_val *v = low_get(F, ptr);
  low_addr p = {.off = v->off, .align = align ? align : 1};
  p.base = v->n ? v->v[0] : low_const(F, WW_I64, 0);
  p.space = low_space_of(F, ptr);
  p.flags = low_readonly(F, ptr) ? WW_F_READONLY : 0;
  return p;
}

/* ---- pointers ---- */

static bool folds_offset(LLVMValueRef user, LLVMValueRef p) {
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMLoad:
  case LLVMGetElementPtr:
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
    return true;
  case LLVMStore:
    return LLVMGetOperand(user, 0) != p;
  case LLVMAtomicRMW:
    return LLVMGetOperand(user, 1) != p;
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(user, 1) != p && LLVMGetOperand(user, 2) != p;
  case LLVMCall:
    return ww_starts(low_name(LLVMGetCalledValue(user)), "llvm.mem") ||
           ww_starts(low_name(LLVMGetCalledValue(user)), "llvm.lifetime");
  default:
    return false;
  }
}

static void set_pointer(low_fn *F, LLVMValueRef inst, ww_val base, int64_t off) {
  low_val *v = low_set(F, inst, &base, 1);
  v->off = off;
  for (LLVMUseRef u = LLVMGetFirstUse(inst); off && u; u = LLVMGetNextUse(u))
    if (!folds_offset(LLVMGetUser(u), inst)) {
      v->whole = low_add_imm(F, base, WW_I64, off);
      return;
    }
}

static void gep(low_fn *F, LLVMValueRef inst) {
  if (LLVMGetTypeKind(LLVMTypeOf(inst)) == LLVMVectorTypeKind) {
    low_refuse(F, "vectors of pointers");
    return;
  }
  low_val *from = low_get(F, LLVMGetOperand(inst, 0));
  int64_t off = from->off;
  int64_t scale;
  ww_val base = from->v[0];
  LLVMTypeRef t = LLVMGetGEPSourceElementType(inst);
  for (int i = 1; i < LLVMGetNumOperands(inst); i++) {
    LLVMValueRef index = LLVMGetOperand(inst, i);
    if (low_gep_step(F->L->td, &t, i, index, &scale, &off))
      continue;
    const low_comp *c = low_type_of(F, index)->c;
    ww_val k = low_signed(F, low_scalar(F, index), c->type, c->bits);
    base = low_lea(F, base, low_int_to(F, k, c->type, WW_I64, true), scale);
  }
  set_pointer(F, inst, base, off);
}

static void same(low_fn *F, LLVMValueRef inst) { /* freeze, address-space cast */
  low_val *v = low_get(F, LLVMGetOperand(inst, 0));
  if (v->off)
    set_pointer(F, inst, v->v[0], v->off);
  else
    low_set(F, inst, v->v, v->n);
}

/* ---- memory ---- */

static bool bit_vector(LLVMTypeRef t) {
  return LLVMGetTypeKind(t) == LLVMVectorTypeKind &&
         LLVMGetTypeKind(LLVMGetElementType(t)) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(LLVMGetElementType(t)) % 8;
}

/* Loads from AMD's dispatch packet and implicit arguments are launch dimensions. */
static int amd_dimension(low_fn *F, LLVMValueRef ptr, const low_comp *c) {
  int64_t off = c->off;
  bool all = true;
  while (LLVMIsAGetElementPtrInst(ptr) && all) {
    off += low_gep_const(F->L, ptr, &all);
    ptr = LLVMGetOperand(ptr, 0);
  }
  if (!LLVMIsACallInst(ptr) || !all)
    return -1;
  const char *name = low_name(LLVMGetCalledValue(ptr));
  if (!strcmp(name, "llvm.amdgcn.dispatch.ptr")) {
    if (off >= 4 && off <= 8 && c->mem == 2)
      return WW_SREG_NTID_X + (off - 4) / 2;
    if (off >= 12 && off <= 20 && c->mem == 4)
      return 1000 + (off - 12) / 4; /* grid size in work-items */
  }
  if (!strcmp(name, "llvm.amdgcn.implicitarg.ptr")) {
    if (off <= 8 && c->mem == 4)
      return WW_SREG_NCTAID_X + off / 4;
    if (off >= 12 && off <= 16 && c->mem == 2)
      return WW_SREG_NTID_X + (off - 12) / 2;
  }
  return -1;
}

static bool load_dimension(low_fn *F, LLVMValueRef inst, const low_type *t) {
  ww_val *out = low_values(F, t->n);
  if (F->L->target != LOW_AMDGPU)
    return false;
  for (uint32_t i = 0; i < t->n; i++) {
    int s = amd_dimension(F, LLVMGetOperand(inst, 0), &t->c[i]);
    if (s < 0)
      return false;
    ww_val v = s >= 1000
                   ? low_op32(F, WW_OP_MUL, low_sreg(F, WW_SREG_NTID_X + s - 1000),
                              low_sreg(F, WW_SREG_NCTAID_X + s - 1000))
                   : low_sreg(F, s);
    out[i] = low_int_to(F, v, WW_I32, t->c[i].type, false);
  }
  low_set(F, inst, out, t->n);
  return true;
}

static low_addr access_address(low_fn *F, LLVMValueRef inst, LLVMValueRef ptr) {
  low_addr p = low_address(F, ptr, LLVMGetAlignment(inst));
  if (LLVMGetVolatile(inst) || LLVMGetOrdering(inst) != LLVMAtomicOrderingNotAtomic)
    p.flags |= WW_F_VOLATILE;
  return p;
}

static void load(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  if (bit_vector(LLVMTypeOf(inst)))
    low_refuse(F, "a vector of bits in memory");
  if (t->refuse || load_dimension(F, inst, t))
    return;
  low_addr p = access_address(F, inst, LLVMGetOperand(inst, 0));
  if (LLVMGetMetadata(inst, F->L->md_invariant))
    p.flags |= WW_F_READONLY;
  low_load(F, p, t->c, t->n, low_define(F, inst));
}

static void store(low_fn *F, LLVMValueRef inst) {
  LLVMValueRef v = LLVMGetOperand(inst, 0);
  const low_type *t = low_type_of(F, v);
  if (bit_vector(LLVMTypeOf(v)))
    low_refuse(F, "a vector of bits in memory");
  ww_val *in = low_comps(F, v, t->n);
  low_addr p = access_address(F, inst, LLVMGetOperand(inst, 1));
  p.flags &= ~WW_F_READONLY;
  low_store(F, p, t->c, t->n, in);
}

static void alloca_(low_fn *F, LLVMValueRef inst) {
  LLVMValueRef count = LLVMGetOperand(inst, 0);
  if (!LLVMIsAConstantInt(count)) {
    low_refuse(F, "an array of run-time size in local memory (alloca)");
    return;
  }
  uint64_t bytes = LLVMABISizeOfType(F->L->td, LLVMGetAllocatedType(inst)) *
                   LLVMConstIntGetZExtValue(count);
  ww_val v = low_local(F, bytes, LLVMGetAlignment(inst));
  low_set(F, inst, &v, 1);
}

void low_atoms(
    low_fn *F, ww_rmw op, low_addr p, LLVMValueRef v, bool used, ww_val *out) {
  const low_type *t = low_type_of(F, v);
  int64_t off = p.off;
  for (uint32_t i = 0; i < t->n; i++) {
    p.off = off + t->c[i].off;
    ww_val old = low_atom(F, op, t->c[i].type, p, low_comp_of(F, v, i), used);
    if (used)
      out[i] = old;
  }
}

static void atomicrmw(low_fn *F, LLVMValueRef inst) {
  static const int8_t map[] = {
    [LLVMAtomicRMWBinOpXchg] = WW_RMW_XCHG,
    [LLVMAtomicRMWBinOpAdd] = WW_RMW_ADD,
    [LLVMAtomicRMWBinOpSub] = WW_RMW_SUB,
    [LLVMAtomicRMWBinOpAnd] = WW_RMW_AND,
    [LLVMAtomicRMWBinOpNand] = WW_RMW_NAND,
    [LLVMAtomicRMWBinOpOr] = WW_RMW_OR,
    [LLVMAtomicRMWBinOpXor] = WW_RMW_XOR,
    [LLVMAtomicRMWBinOpMax] = WW_RMW_SMAX,
    [LLVMAtomicRMWBinOpMin] = WW_RMW_SMIN,
    [LLVMAtomicRMWBinOpUMax] = WW_RMW_UMAX,
    [LLVMAtomicRMWBinOpUMin] = WW_RMW_UMIN,
    [LLVMAtomicRMWBinOpFAdd] = WW_RMW_FADD,
    [LLVMAtomicRMWBinOpFSub] = WW_RMW_FSUB,
    [LLVMAtomicRMWBinOpFMax] = WW_RMW_FMAX,
    [LLVMAtomicRMWBinOpFMin] = WW_RMW_FMIN,
#if LLVM_VERSION_MAJOR >= 19
    [LLVMAtomicRMWBinOpUIncWrap] = WW_RMW_INC,
    [LLVMAtomicRMWBinOpUDecWrap] = WW_RMW_DEC
#endif
  };
  const low_type *t = low_type_of(F, inst);
  unsigned op = LLVMGetAtomicRMWBinOp(inst);
  if (op >= sizeof map || t->n > 16 || low_wide_int(LLVMTypeOf(inst))) {
    low_refuse(F, "an atomic operation that is not supported");
    return;
  }
  bool used = LLVMGetFirstUse(inst) != NULL;
  low_addr p = low_address(F, LLVMGetOperand(inst, 0), 16);
  p.flags &= ~WW_F_READONLY;
  low_atoms(F, map[op], p, LLVMGetOperand(inst, 1), used, low_define(F, inst));
}

static void cmpxchg(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, LLVMGetOperand(inst, 1));
  if (t->n != 1) {
    low_refuse(F, "an atomic compare and swap wider than 64 bits");
    return;
  }
  ww_val cmp = low_operand(F, inst, 1, 0);
  ww_val *out = low_define(F, inst);
  low_addr p = low_address(F, LLVMGetOperand(inst, 0), 16);
  p.flags &= ~WW_F_READONLY;
  out[0] = low_cas(F, t->c[0].type, p, cmp, low_operand(F, inst, 2, 0));
  bool flag = false; /* the success bit is only compared when somebody asks for it */
  for (LLVMUseRef u = LLVMGetFirstUse(inst); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (!LLVMIsAExtractValueInst(user) || LLVMGetIndices(user)[0] == 1)
      flag = true;
  }
  out[1] = flag ? low_cmp(F, WW_EQ, t->c[0].type, out[0], cmp) : low_const(F, WW_I1, 0);
}

/* ---- aggregates and vectors ---- */

static uint32_t
range_start(low *L, LLVMTypeRef t, const unsigned *index, unsigned n, uint32_t *count) {
  uint32_t at = 0;
  for (unsigned i = 0; i < n; i++) {
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
      for (unsigned f = 0; f < index[i]; f++)
        at += low_flat(L, LLVMStructGetTypeAtIndex(t, f))->n;
      t = LLVMStructGetTypeAtIndex(t, index[i]);
    } else {
      t = LLVMGetElementType(t);
      at += index[i] * low_flat(L, t)->n;
    }
  }
  *count = low_flat(L, t)->n;
  return at;
}

static void extractvalue(low_fn *F, LLVMValueRef inst) {
  uint32_t n;
  uint32_t at = range_start(F->L, LLVMTypeOf(LLVMGetOperand(inst, 0)),
                            LLVMGetIndices(inst), LLVMGetNumIndices(inst), &n);
  low_val *v = low_get(F, LLVMGetOperand(inst, 0));
  if (at + n > v->n)
    low_refuse(F, "uses a value that could not be lowered");
  else
    low_set(F, inst, v->v + at, n);
}

static void insertvalue(low_fn *F, LLVMValueRef inst) {
  uint32_t n;
  uint32_t at = range_start(F->L, LLVMTypeOf(inst), LLVMGetIndices(inst),
                            LLVMGetNumIndices(inst), &n);
  low_val *v = low_get(F, LLVMGetOperand(inst, 0));
  ww_val *out = low_values(F, v->n);
  memcpy(out, v->v, v->n * sizeof *out);
  for (uint32_t i = 0; i < n && at + i < v->n; i++)
    out[at + i] = low_operand(F, inst, 1, i);
  low_set(F, inst, out, v->n);
}

static void extractelement(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  const low_val from = *low_get(F, LLVMGetOperand(inst, 0));
  LLVMValueRef index = LLVMGetOperand(inst, 1);
  uint32_t lanes = t->n ? from.n / t->n : 0;
  if (LLVMIsAConstantInt(index)) {
    uint64_t k = LLVMConstIntGetZExtValue(index);
    low_set(F, inst, from.v + (k < lanes ? k * t->n : 0), t->n);
    return;
  }
  ww_type it = low_type_of(F, index)->c[0].type;
  ww_val x = low_scalar(F, index);
  ww_val *out = low_define(F, inst);
  memcpy(out, from.v, t->n * sizeof *out);
  for (uint32_t i = 1; i < lanes; i++) {
    ww_val c = low_cmpk(F, WW_EQ, it, x, i);
    for (uint32_t j = 0; j < t->n; j++)
      out[j] = low_select(F, t->c[j].type, c, from.v[i * t->n + j], out[j]);
  }
}

static void insertelement(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, LLVMGetOperand(inst, 1));
  low_val *v = low_get(F, LLVMGetOperand(inst, 0));
  LLVMValueRef index = LLVMGetOperand(inst, 2);
  uint32_t lanes = t->n ? v->n / t->n : 0;
  ww_val *out = low_values(F, v->n + t->n);
  memcpy(out, v->v, v->n * sizeof *out);
  for (uint32_t i = 0; i < lanes; i++) {
    bool fixed = LLVMIsAConstantInt(index);
    if (fixed && LLVMConstIntGetZExtValue(index) != i)
      continue;
    ww_val c = WW_NOVAL;
    if (!fixed) {
      ww_type it = low_type_of(F, index)->c[0].type;
      c = low_cmpk(F, WW_EQ, it, low_scalar(F, index), i);
    }
    for (uint32_t j = 0; j < t->n; j++) {
      ww_val x = low_operand(F, inst, 1, j);
      out[i * t->n + j] =
          fixed ? x : low_select(F, t->c[j].type, c, x, out[i * t->n + j]);
    }
  }
  low_set(F, inst, out, v->n);
}

static void shufflevector(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  uint32_t lanes = LLVMGetVectorSize(LLVMTypeOf(inst));
  uint32_t n = t->n / lanes;
  uint32_t from = LLVMGetVectorSize(LLVMTypeOf(LLVMGetOperand(inst, 0)));
  const ww_val *a = low_get(F, LLVMGetOperand(inst, 0))->v;
  const ww_val *b = low_get(F, LLVMGetOperand(inst, 1))->v;
  ww_val *out = low_define(F, inst);
  for (uint32_t i = 0; i < lanes; i++) {
    int m = LLVMGetMaskValue(inst, i);
    for (uint32_t j = 0; j < n; j++)
      out[i * n + j] = m < 0                ? low_const(F, t->c[j].type, 0)
                       : (uint32_t)m < from ? a[m * n + j]
                                            : b[(m - from) * n + j];
  }
}

static void select_(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  uint32_t nc = low_get(F, LLVMGetOperand(inst, 0))->n;
  ww_val *out = low_define(F, inst);
  for (uint32_t i = 0; i < t->n; i++)
    out[i] = low_select(F, t->c[i].type, low_operand(F, inst, 0, nc == t->n ? i : 0),
                        low_operand(F, inst, 1, i), low_operand(F, inst, 2, i));
}

static void fneg(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  for (uint32_t i = 0; i < t->n; i++)
    out[i] = low_unary(F, WW_OP_FNEG, t->c[i].type, low_operand(F, inst, 0, i));
}

/* ---- control flow ---- */

static uint32_t target(low_fn *F, LLVMValueRef term, unsigned i) {
  return low_map_get(&F->of->block_of, LLVMGetSuccessor(term, i), 0);
}

static void phi(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  ww_val *out = low_define(F, inst);
  low_block *b = &F->blocks.v[F->cur];
  ww_push(F->a, &F->of->phi_llvm, inst);
  ww_push(F->a, &F->of->phi_at, (uint64_t)F->cur << 32 | b->phis.n);
  for (uint32_t i = 0; i < t->n; i++) {
    out[i] = low_new_val(F, t->c[i].type);
    if (*low_name(inst))
      F->vals.v[out[i]].name = ww_strdup(F->a, low_name(inst));
    ww_push(F->a, &b->phis, (ww_phi){.dst = out[i]});
  }
}

static void complete_phi(low_fn *F, LLVMValueRef inst, uint64_t at) {
  low_block *b = &F->blocks.v[at >> 32];
  uint32_t first = at;
  uint32_t n = low_type_of(F, inst)->n;
  uint32_t edges = LLVMCountIncoming(inst);
  for (uint32_t j = 0; j < n; j++) {
    ww_phi *p = &b->phis.v[first + j];
    uint32_t *pairs = WW_NEWN(F->a, uint32_t, 2 * edges);
    uint32_t k = 0;
    for (uint32_t e = 0; e < edges; e++) {
      uint32_t from =
          low_map_get(&F->of->block_of, LLVMGetIncomingBlock(inst, e), WW_NOBLOCK);
      if (from == WW_NOBLOCK)
        continue;
      uint32_t last = F->of->last_of.v[from];
      bool seen = last == WW_NOBLOCK;
      for (uint32_t q = 0; q < k; q++)
        seen |= pairs[2 * q] == last;
      if (seen)
        continue;
      pairs[2 * k] = last;
      pairs[2 * k++ + 1] = low_comp_of(F, LLVMGetIncomingValue(inst, e), j);
    }
    p->ext = low_pool(F, pairs, 2 * k);
    p->n = k;
  }
}

static void switch_(low_fn *F, LLVMValueRef inst) {
  unsigned n = LLVMGetNumSuccessors(inst) - 1;
  const low_type *t = low_type_of(F, LLVMGetOperand(inst, 0));
  if (n > 255 || t->n != 1) {
    low_refuse(F, n > 255 ? "a switch with more than 255 cases"
                          : "a switch over integers wider than 64 bits");
    return;
  }
  ww_val a = low_operand(F, inst, 0, 0);
  uint32_t pairs[510];
  for (unsigned i = 0; i < n; i++) {
    pairs[2 * i] = low_scalar(F, LLVMGetOperand(inst, 2 + 2 * i));
    pairs[2 * i + 1] = target(F, inst, i + 1);
  }
  uint32_t ext = low_pool(F, pairs, 2 * n);
  ww_ins *s = low_ins(F, WW_OP_SWITCH, t->c[0].type);
  s->a = a;
  s->imm = target(F, inst, 0);
  s->ext = ext;
  s->n = n;
}

static void ret(low_fn *F, LLVMValueRef inst) {
  LLVMValueRef value = LLVMGetNumOperands(inst) ? LLVMGetOperand(inst, 0) : NULL;
  uint32_t n = value ? low_get(F, value)->n : 0;
  ww_val *v = low_comps(F, value, n);
  if (n > 255)
    low_refuse(F, "a function that returns more than 255 values");
  uint32_t ext = low_pool(F, v, n);
  ww_ins *r = low_ins(F, WW_OP_RET, WW_VOID);
  r->n = n;
  r->ext = ext;
}

static const char *refused_opcode(LLVMOpcode op) {
  switch (op) {
  case LLVMInvoke:
  case LLVMLandingPad:
  case LLVMResume:
    return "exceptions";
  case LLVMIndirectBr:
    return "computed goto";
  case LLVMVAArg:
    return "variable arguments";
  default:
    return "an instruction that is not supported";
  }
}

static void branch(low_fn *F, LLVMValueRef inst) {
  if (LLVMIsConditional(inst))
    low_cbr(F, low_scalar(F, LLVMGetCondition(inst)), target(F, inst, 0),
            target(F, inst, 1));
  else
    low_br(F, target(F, inst, 0));
  low_block *b = low_cur(F);
  ww_ins *end = &b->ins.v[b->ins.n - 1];
  end->sub = low_unroll_of(F->L, inst);
  uint8_t by = low_side_by_side(F->L, inst);
  end->n = by > 1 ? by : 0;
}

static void fence(low_fn *F, LLVMValueRef inst) {
  low_ins(F, WW_OP_FENCE, WW_VOID)->sub = !LLVMIsAtomicSingleThread(inst);
}

static void unreachable(low_fn *F, LLVMValueRef inst) {
  (void)inst;
  low_ins(F, WW_OP_TRAP, WW_VOID)->imm = 2;
}

static void instruction(low_fn *F, LLVMValueRef inst) {
  static void (*const handlers[])(low_fn *, LLVMValueRef) = {
      [LLVMFNeg] = fneg,
      [LLVMICmp] = low_icmp,
      [LLVMFCmp] = low_fcmp,
      [LLVMBitCast] = low_bitcast,
      [LLVMPtrToInt] = low_pointer_cast,
      [LLVMIntToPtr] = low_pointer_cast,
      [LLVMAddrSpaceCast] = same,
      [LLVMFreeze] = same,
      [LLVMGetElementPtr] = gep,
      [LLVMLoad] = load,
      [LLVMStore] = store,
      [LLVMAlloca] = alloca_,
      [LLVMAtomicRMW] = atomicrmw,
      [LLVMAtomicCmpXchg] = cmpxchg,
      [LLVMExtractValue] = extractvalue,
      [LLVMInsertValue] = insertvalue,
      [LLVMExtractElement] = extractelement,
      [LLVMInsertElement] = insertelement,
      [LLVMShuffleVector] = shufflevector,
      [LLVMSelect] = select_,
      [LLVMPHI] = phi,
      [LLVMCall] = low_call,
      [LLVMBr] = branch,
      [LLVMSwitch] = switch_,
      [LLVMRet] = ret,
      [LLVMFence] = fence,
      [LLVMUnreachable] = unreachable};
  LLVMOpcode op = LLVMGetInstructionOpcode(inst);
  if (op < sizeof handlers / sizeof *handlers && handlers[op])
    handlers[op](F, inst);
  else if (LLVMIsABinaryOperator(inst))
    low_binop(F, inst);
  else if (LLVMIsACastInst(inst))
    low_cast(F, inst);
  else
    low_refuse(F, "%s", refused_opcode(op));
}

/* ---- the function ---- */

/* Reachable blocks: numbered in layout order, `order` filled in reverse post-order. */
static uint32_t order_blocks(low_fn *F, LLVMBasicBlockRef *order) {
  ww_arena *a = F->a;
  uint32_t n = LLVMCountBasicBlocks(F->of->fn);
  uint32_t top = 0;
  uint32_t done = n;
  struct frame {
    LLVMBasicBlockRef b;
    LLVMValueRef term;
    unsigned next;
  } *stack = ww_alloc(a, (n + 1) * sizeof *stack);
  ww_map seen = {0};
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(F->of->fn);
  *low_map_at(a, &seen, entry, NULL) = 1;
  stack[top++] = (struct frame){entry, LLVMGetBasicBlockTerminator(entry), 0};
  while (top) {
    struct frame *f = &stack[top - 1];
    if (f->next == LLVMGetNumSuccessors(f->term)) {
      order[--done] = f->b;
      top--;
      continue;
    }
    LLVMBasicBlockRef s = LLVMGetSuccessor(f->term, f->next++);
    bool fresh;
    *low_map_at(a, &seen, s, &fresh) = 1;
    if (fresh)
      stack[top++] = (struct frame){s, LLVMGetBasicBlockTerminator(s), 0};
  }
  memmove(order, order + done, (n - done) * sizeof *order);
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(F->of->fn); b;
       b = LLVMGetNextBasicBlock(b)) {
    if (!low_map_get(&seen, b, 0))
      continue;
    const char *name = LLVMGetBasicBlockName(b);
    uint32_t at = low_new_block(F, name && *name ? ww_strdup(a, name) : NULL);
    *low_map_at(a, &F->of->block_of, b, NULL) = at;
    ww_push(a, &F->of->last_of, at);
  }
  return n - done;
}

static void check_type(low_fn *F, LLVMValueRef inst) {
  const low_type *t = low_type_of(F, inst);
  if (t->refuse)
    low_refuse(F, "uses %s", t->refuse);
}

void low_body(low_fn *F) {
  LLVMBasicBlockRef *order =
      WW_NEWN(F->a, LLVMBasicBlockRef, LLVMCountBasicBlocks(F->of->fn));
  uint32_t n = order_blocks(F, order);
  for (uint32_t i = 0; i < n && !F->fn.refusal; i++) {
    uint32_t first = low_map_get(&F->of->block_of, order[i], 0);
    bool cut = false;
    F->cur = first;
    for (LLVMValueRef v = LLVMGetFirstInstruction(order[i]); v && !F->fn.refusal;
         v = LLVMGetNextInstruction(v)) {
      F->loc = low_loc(F->L, v);
      check_type(F, v);
      if (low_cur(F)->ended)
        cut = true; /* an exit or trap before the terminator: no edge leaves */
      else if (!F->fn.refusal)
        instruction(F, v);
    }
    F->of->last_of.v[first] = cut ? WW_NOBLOCK : F->cur;
  }
  for (uint32_t i = 0; i < F->of->phi_llvm.n && !F->fn.refusal; i++)
    complete_phi(F, F->of->phi_llvm.v[i], F->of->phi_at.v[i]);
}
