/* translate_types.c - LLVM's types as lists of scalars. */
#include "translate_int.h"

enum { MAX_COMPONENTS = 8192 };

typedef struct {
  low *L;
  WW_VEC(low_comp) c;
  const char *refuse;
} flattening;

static void
flat_add(flattening *f, ww_type t, unsigned bits, unsigned mem, uint64_t off) {
  if (f->c.n >= MAX_COMPONENTS) {
    f->refuse = "an aggregate value of more than 8192 elements";
    return;
  }
  ww_push(f->L->a, &f->c, (low_comp){t, mem, bits, off});
}

static void flat_int(flattening *f, unsigned bits, uint64_t off) {
  if (bits > 1024) {
    f->refuse = "an integer of more than 1024 bits";
    return;
  }
  for (unsigned at = 0; at < bits; at += 64) {
    unsigned b = bits - at < 64 ? bits - at : 64;
    flat_add(f, bits > 64 ? WW_I64 : low_int_type(b), b, (b + 7) / 8, off + at / 8);
  }
}

static void flat_walk(flattening *f, LLVMTypeRef t, uint64_t off);

static void flat_sequence(flattening *f, LLVMTypeRef t, uint64_t off, bool vector) {
  uint64_t n = vector ? LLVMGetVectorSize(t) : LLVMGetArrayLength2(t);
  LLVMTypeRef e = LLVMGetElementType(t);
  uint64_t step = vector ? (LLVMSizeOfTypeInBits(f->L->td, e) + 7) / 8
                         : LLVMABISizeOfType(f->L->td, e);
  for (uint64_t i = 0; i < n && !f->refuse; i++)
    flat_walk(f, e, off + i * step);
}

static void flat_walk(flattening *f, LLVMTypeRef t, uint64_t off) {
  LLVMTargetDataRef td = f->L->td;
  switch (LLVMGetTypeKind(t)) {
  case LLVMVoidTypeKind:
  case LLVMMetadataTypeKind:
  case LLVMTokenTypeKind:
  case LLVMLabelTypeKind:
    break;
  case LLVMHalfTypeKind:
    flat_add(f, WW_F16, 16, 2, off);
    break;
  case LLVMBFloatTypeKind:
    flat_add(f, WW_BF16, 16, 2, off);
    break;
  case LLVMFloatTypeKind:
    flat_add(f, WW_F32, 32, 4, off);
    break;
  case LLVMDoubleTypeKind:
    flat_add(f, WW_F64, 64, 8, off);
    break;
  case LLVMIntegerTypeKind:
    flat_int(f, LLVMGetIntTypeWidth(t), off);
    break;
  case LLVMPointerTypeKind:
    flat_add(f, WW_I64, 64, LLVMABISizeOfType(td, t), off);
    break;
  case LLVMTargetExtTypeKind:
    flat_add(f, WW_I64, 64, 8, off);
    break; /* an image, sampler or event: a handle */
  case LLVMVectorTypeKind:
    flat_sequence(f, t, off, true);
    break;
  case LLVMArrayTypeKind:
    flat_sequence(f, t, off, false);
    break;
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(t) && !f->refuse; i++)
      flat_walk(f, LLVMStructGetTypeAtIndex(t, i), off + LLVMOffsetOfElement(td, t, i));
    break;
  case LLVMX86_FP80TypeKind:
  case LLVMFP128TypeKind:
  case LLVMPPC_FP128TypeKind:
    f->refuse = "long double, which GPUs do not have";
    break;
  default:
    f->refuse = "a type without a scalar form";
    break;
  }
}

const low_type *low_flat(low *L, LLVMTypeRef t) {
  bool fresh;
  uint32_t *at = low_map_at(L->a, &L->types, t, &fresh);
  if (!fresh)
    return L->type_list.v[*at];
  *at = L->type_list.n;
  flattening f = {.L = L};
  LLVMTypeKind k = LLVMGetTypeKind(t);
  bool sized = LLVMTypeIsSized(t);
  low_type *out = WW_NEW(L->a, low_type);
  ww_push(L->a, &L->type_list, out);
  if (sized || k == LLVMVoidTypeKind || k == LLVMMetadataTypeKind ||
      k == LLVMTokenTypeKind || k == LLVMLabelTypeKind || k == LLVMTargetExtTypeKind)
    flat_walk(&f, t, 0);
  else
    f.refuse = "a type of unknown size";
  *out = (low_type){f.c.v, f.c.n, sized ? LLVMABISizeOfType(L->td, t) : 0, f.refuse};
  return out;
}

const low_type *low_type_of(low_fn *F, LLVMValueRef v) {
  return low_flat(F->L, LLVMTypeOf(v));
}
