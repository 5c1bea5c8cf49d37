/* translate_const.c - constants as values, and initialisers of variables as bytes with
 * relocations.
 *
 * Undefined and poison values are zero. A constant address is a symbol (or function)
 * plus an offset; constant expressions that no value kind can hold become instructions
 * in the function's prologue, so that they dominate every use. */
#include "translate_int.h"

ww_val *low_zeros(low_fn *F, const low_type *t) {
  ww_val *out = low_values(F, t->n);
  for (uint32_t i = 0; i < t->n; i++)
    out[i] = low_const(F, t->c[i].type, 0);
  return out;
}

/* Undefined and poison values are. */
static bool is_zero(LLVMValueRef c) {
  return LLVMIsNull(c) || LLVMIsUndef(c) || LLVMIsPoison(c);
}

/* ---- wide integers: LLVM-C has no accessor, so the decimal text ---- */

static void wide_limbs(LLVMValueRef c, uint64_t *limb, uint32_t n) {
  char *text = low_made(LLVMPrintValueToString(c));
  const char *s = strchr(text, ' ');
  bool neg = s && s[1] == '-';
  memset(limb, 0, n * sizeof *limb);
  for (s = s ? s + 1 + neg : ""; *s >= '0' && *s <= '9'; s++) {
    unsigned __int128 carry = (unsigned)(*s - '0');
    for (uint32_t i = 0; i < n; i++) {
      carry += (unsigned __int128)limb[i] * 10;
      limb[i] = carry;
      carry >>= 64;
    }
  }
  for (uint32_t i = 0, carry = 1; neg && i < n; i++) {
    limb[i] = ~limb[i] + carry;
    carry = carry && !limb[i];
  }
  LLVMDisposeMessage(text);
}

/* Bits of a scalar constant, one uint64 per component; false when it is symbolic. */
static bool scalar_bits(low *L, LLVMValueRef c, uint64_t *out) {
  const low_type *t = low_flat(L, LLVMTypeOf(c));
  memset(out, 0, t->n * sizeof *out);
  if (is_zero(c))
    return true;
  if (LLVMIsAConstantFP(c)) {
    LLVMBool lossy;
    out[0] = low_float_bits(t->c[0].type, LLVMConstRealGetDouble(c, &lossy));
    return true;
  }
  if (!LLVMIsAConstantInt(c))
    return false;
  if (t->n == 1)
    out[0] = LLVMConstIntGetZExtValue(c);
  else
    wide_limbs(c, out, t->n);
  return true;
}

/* ---- addresses ---- */

bool low_gep_step(LLVMTargetDataRef td,
                  LLVMTypeRef *t,
                  int i,
                  LLVMValueRef index,
                  int64_t *scale,
                  int64_t *fixed) {
  *scale = 0;
  if (i > 1 && LLVMGetTypeKind(*t) == LLVMStructTypeKind) {
    unsigned field = LLVMConstIntGetZExtValue(index);
    *fixed += (int64_t)LLVMOffsetOfElement(td, *t, field);
    *t = LLVMStructGetTypeAtIndex(*t, field);
    return true;
  }
  if (i > 1)
    *t = LLVMGetElementType(*t);
  *scale = (int64_t)LLVMABISizeOfType(td, *t);
  if (!LLVMIsAConstantInt(index))
    return false;
  *fixed += LLVMConstIntGetSExtValue(index) * *scale;
  return true;
}

int64_t low_gep_const(low *L, LLVMValueRef gep, bool *all_const) {
  LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);
  int64_t fixed = 0;
  int64_t scale;
  *all_const = true;
  for (int i = 1; i < LLVMGetNumOperands(gep); i++)
    if (!low_gep_step(L->td, &t, i, LLVMGetOperand(gep, i), &scale, &fixed))
      *all_const = false;
  return fixed;
}

/* c = *global + *off with *global NULL for a plain number. */
bool low_const_addr(low *L, LLVMValueRef c, LLVMValueRef *global, int64_t *off) {
  LLVMValueRef g2;
  int64_t o2;
  *global = NULL;
  *off = 0;
  if (is_zero(c))
    return true;
  if (LLVMIsAConstantInt(c)) {
    *off = LLVMConstIntGetSExtValue(c);
    return true;
  }
  if (LLVMIsAGlobalAlias(c))
    return low_const_addr(L, LLVMAliasGetAliasee(c), global, off);
  if (LLVMIsAFunction(c) || LLVMIsAGlobalVariable(c)) {
    *global = c;
    return true;
  }
  if (!LLVMIsAConstantExpr(c))
    return false;
  switch (LLVMGetConstOpcode(c)) {
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
  case LLVMIntToPtr:
  case LLVMPtrToInt:
    return low_const_addr(L, LLVMGetOperand(c, 0), global, off);
  case LLVMGetElementPtr: {
    bool all;
    int64_t fixed = low_gep_const(L, c, &all);
    if (!all || !low_const_addr(L, LLVMGetOperand(c, 0), global, off))
      return false;
    *off += fixed;
    return true;
  }
  case LLVMAdd:
  case LLVMSub: {
    if (!low_const_addr(L, LLVMGetOperand(c, 0), global, off) ||
        !low_const_addr(L, LLVMGetOperand(c, 1), &g2, &o2))
      return false;
    bool sub = LLVMGetConstOpcode(c) == LLVMSub;
    if (g2 && *global != (sub ? g2 : NULL))
      return false;
    if (g2)
      *global = sub ? NULL : g2;
    *off += sub ? -o2 : o2;
    return true;
  }
  default:
    return false;
  }
}

static ww_val address_value(low_fn *F, LLVMValueRef global, int64_t off) {
  low *L = F->L;
  if (!global)
    return low_const(F, WW_I64, off);
  if (LLVMIsAFunction(global)) {
    if (LLVMIsDeclaration(global)) {
      low_refuse(F, "takes the address of %s, which has no definition",
                 low_name(global));
      return low_const(F, WW_I64, 0);
    }
    return low_fn_address(F, low_want_fn(L, global), off);
  }
  return low_symbol_address(F, low_symbol(L, global), off);
}

/* ---- constant expressions that need instructions ---- */

/* An address with the offset that loads and stores would fold. */
static ww_val whole_of(const low_val *v) {
  return v->whole != WW_NOVAL ? v->whole : v->v[0];
}

static ww_val expression(low_fn *F, LLVMValueRef c, ww_type t) {
  uint32_t was = F->cur;
  uint32_t loc = F->loc;
  F->cur = LOW_PROLOGUE;
  F->loc = 0;
  low_val a = {0};
  low_val b = {0};
  LLVMOpcode op = LLVMIsAConstantExpr(c) ? LLVMGetConstOpcode(c) : 0;
  ww_val out = low_const(F, t, 0);
  low_constant(F, LLVMGetOperand(c, 0), &a);
  if (LLVMGetNumOperands(c) > 1)
    low_constant(F, LLVMGetOperand(c, 1), &b);
  ww_type from = a.n ? F->vals.v[a.v[0]].type : t;
  if (a.n != 1)
    low_refuse(F, "a constant expression that is not supported");
  else if (op == LLVMTrunc || op == LLVMPtrToInt || op == LLVMIntToPtr ||
           op == LLVMBitCast || op == LLVMAddrSpaceCast)
    out = ww_is_float(from) || ww_is_float(t)
              ? low_bits(F, a.v[0], from, t)
              : low_int_to(F, whole_of(&a), from, t, false);
  else if (op == LLVMAdd || op == LLVMSub || op == LLVMXor || op == LLVMMul)
    out = low_binary(F, low_int_op(op), t, whole_of(&a), whole_of(&b));
  else
    low_refuse(F, "a constant expression that is not supported");
  F->cur = was;
  F->loc = loc;
  return out;
}

static uint32_t constant_into(low_fn *F, LLVMValueRef c, ww_val *out) {
  LLVMTypeRef lt = LLVMTypeOf(c);
  const low_type *t = low_flat(F->L, lt);
  LLVMTypeKind k = LLVMGetTypeKind(lt);
  if (t->refuse)
    low_refuse(F, "uses %s", t->refuse);
  if (k == LLVMStructTypeKind || k == LLVMArrayTypeKind || k == LLVMVectorTypeKind) {
    bool zero = is_zero(c);
    uint64_t n = k == LLVMStructTypeKind  ? LLVMCountStructElementTypes(lt)
                 : k == LLVMArrayTypeKind ? LLVMGetArrayLength2(lt)
                                          : LLVMGetVectorSize(lt);
    uint32_t at = 0;
    if (zero || LLVMIsAConstantExpr(c)) {
      if (!zero)
        low_refuse(F, "a constant expression over vectors");
      memcpy(out, low_zeros(F, t), t->n * sizeof *out);
      return t->n;
    }
    for (uint64_t i = 0; i < n; i++)
      at += constant_into(F, LLVMGetAggregateElement(c, i), out + at);
    return at;
  }
  uint64_t bits[16];
  if (!t->n)
    return 0;
  if (scalar_bits(F->L, c, bits)) {
    for (uint32_t i = 0; i < t->n; i++)
      out[i] = low_const(F, t->c[i].type, bits[i]);
    return t->n;
  }
  LLVMValueRef g;
  int64_t off;
  if (t->c[0].bits == 64 && t->n == 1 && low_const_addr(F->L, c, &g, &off))
    out[0] = address_value(F, g, off);
  else if (t->n == 1 && LLVMIsAConstantExpr(c))
    out[0] = expression(F, c, t->c[0].type);
  else {
    low_refuse(F, "a constant that is not supported");
    memcpy(out, low_zeros(F, t), t->n * sizeof *out);
  }
  return t->n;
}

void low_constant(low_fn *F, LLVMValueRef c, low_val *out) {
  LLVMValueRef g;
  const low_type *t = low_type_of(F, c);
  *out = (low_val){.v = low_values(F, t->n), .n = t->n, .whole = WW_NOVAL};
  constant_into(F, c, out->v);
  /* a variable's address keeps its offset apart, for loads and stores to fold */
  if (LLVMGetTypeKind(LLVMTypeOf(c)) == LLVMPointerTypeKind &&
      low_const_addr(F->L, c, &g, &out->off) && g && LLVMIsAGlobalVariable(g)) {
    out->whole = out->v[0];
    out->v[0] = address_value(F, g, 0);
  } else
    out->off = 0;
}

/* ---- initialisers ---- */

typedef struct {
  low *L;
  uint8_t *bytes;
  uint64_t size;
  bool any; /* a byte that is not zero, or a relocation */
  WW_VEC(struct ww_reloc) relocs;
  bool failed;
} init;

static void init_put(init *in, uint64_t at, uint64_t bits, uint32_t n) {
  if (at + n > in->size)
    return;
  memcpy(in->bytes + at, &bits, n < 8 ? n : 8);
  if (bits)
    in->any = true;
}

static void init_scalar(init *in, LLVMValueRef c, uint64_t at) {
  low *L = in->L;
  const low_type *t = low_flat(L, LLVMTypeOf(c));
  uint64_t bits[16];
  LLVMValueRef g;
  int64_t off;
  if (!t->n)
    return;
  if (scalar_bits(L, c, bits)) {
    for (uint32_t i = 0; i < t->n; i++)
      init_put(in, at + t->c[i].off, bits[i], t->c[i].mem);
    return;
  }
  if (!low_const_addr(L, c, &g, &off) ||
      (g && LLVMIsAFunction(g) && LLVMIsDeclaration(g))) {
    in->failed = true;
    return;
  }
  if (!g) {
    init_put(in, at, off, t->c[0].mem);
    return;
  }
  bool fn = LLVMIsAFunction(g) != NULL;
  struct ww_reloc r = {at, fn, fn ? low_want_fn(L, g) : low_symbol(L, g), off};
  ww_push(L->a, &in->relocs, r);
  in->any = true;
}

static void init_walk(init *in, LLVMValueRef c, uint64_t at) {
  low *L = in->L;
  LLVMTypeRef t = LLVMTypeOf(c);
  LLVMTypeKind k = LLVMGetTypeKind(t);
  size_t len;
  if (is_zero(c))
    return;
  if (k == LLVMArrayTypeKind && LLVMIsConstantString(c)) {
    const char *s = LLVMGetAsString(c, &len);
    for (size_t i = 0; i < len; i++)
      init_put(in, at + i, (uint8_t)s[i], 1);
  } else if (k == LLVMStructTypeKind) {
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t); i++)
      init_walk(in, LLVMGetAggregateElement(c, i),
                at + LLVMOffsetOfElement(L->td, t, i));
  } else if (k == LLVMArrayTypeKind || k == LLVMVectorTypeKind) {
    LLVMTypeRef et = LLVMGetElementType(t);
    uint64_t n = k == LLVMArrayTypeKind ? LLVMGetArrayLength2(t) : LLVMGetVectorSize(t);
    uint64_t step = k == LLVMArrayTypeKind ? LLVMABISizeOfType(L->td, et)
                                           : (LLVMSizeOfTypeInBits(L->td, et) + 7) / 8;
    for (uint64_t i = 0; i < n; i++)
      init_walk(in, LLVMGetAggregateElement(c, i), at + i * step);
  } else
    init_scalar(in, c, at);
}

void low_init_symbol(low *L, uint32_t index) {
  LLVMValueRef gv = L->sym_llvm.v[index];
  LLVMValueRef c = LLVMGetInitializer(gv);
  ww_symbol *s = &L->m.sym_list.v[index];
  if (!c || s->space == WW_SHARED || !s->size || s->size > 1ull << 30 || is_zero(c))
    return;
  init in = {.L = L, .bytes = ww_alloc(L->a, s->size), .size = s->size};
  init_walk(&in, c, 0);
  s = &L->m.sym_list.v[index]; /* the walk may have added symbols */
  if (in.any) {
    s->init = in.bytes;
    s->relocs = in.relocs.v;
    s->nrelocs = in.relocs.n;
  }
  if (in.failed)
    L->m.sym_refusal.v[index] =
        ww_fmt(L->a, "uses %s, whose initialiser is not supported", s->name);
}
