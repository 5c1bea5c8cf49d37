/* translate_align.c - what accesses are aligned to, as nvcc sees it.
 *
 * Of `*(float4 *)&tile[i]` clang knows the alignment of tile's elements and no more;
 * nvcc takes the pointer's word for it, so the access stays one. And ptxas places the
 * arrays of shared memory itself, one behind the other in the order of the source, so
 * it knows the alignment of every constant part of an address; words that lie side by
 * side become one access of 8 or 16 bytes. */
#include "translate_int.h"

enum { WIDEST = 16 };

static uint32_t low_bit(uint64_t n) {
  return !n || n % WIDEST == 0 ? WIDEST : (uint32_t)(n & (~n + 1));
}

/* ---- types ---- */

/* A field of a packed struct is the one thing that may lie anywhere. */
static bool in_packed(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer)) {
    LLVMTypeRef t = LLVMGetGEPSourceElementType(pointer);
    if (LLVMGetTypeKind(t) == LLVMStructTypeKind && LLVMIsPackedStruct(t))
      return true;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return false;
}

static void trust_access(low *L, LLVMValueRef v, LLVMTypeRef t, LLVMValueRef pointer) {
  if (LLVMGetTypeKind(t) == LLVMStructTypeKind ||
      LLVMGetTypeKind(t) == LLVMArrayTypeKind || in_packed(pointer))
    return;
  uint32_t natural = LLVMABIAlignmentOfType(L->td, t);
  if (LLVMGetAlignment(v) < natural)
    LLVMSetAlignment(v, natural);
}

/* An assignment of a struct: both sides are objects of its type, so the alignment that
 * one of them is known to have is the other's too. A call of memcpy promises nothing;
 * clang marks assignments by the struct's fields. */
static void trust_copy(low *L, LLVMValueRef v) {
  LLVMValueRef length = LLVMGetOperand(v, 2);
  uint32_t align[2];
  if (!LLVMIsAConstantInt(length) || !LLVMGetMetadata(v, L->md_fields))
    return;
  uint32_t most = low_bit(LLVMConstIntGetZExtValue(length));
  for (unsigned k = 0; k < 2; k++) {
    if (in_packed(LLVMGetOperand(v, k)))
      return;
    align[k] = low_copy_alignment(L, v, k);
  }
  uint32_t known = align[0] > align[1] ? align[0] : align[1];
  for (unsigned k = 0; k < 2; k++)
    if (align[k] < known && align[k] < most) {
      LLVMRemoveCallSiteEnumAttribute(v, k + 1, L->at_align);
      LLVMAddCallSiteAttribute(
          v, k + 1,
          LLVMCreateEnumAttribute(L->ctx, L->at_align, known < most ? known : most));
    }
}

void low_trust_types(low *L) {
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef v = LLVMGetFirstInstruction(b); v;
           v = LLVMGetNextInstruction(v)) {
        if (LLVMIsALoadInst(v))
          trust_access(L, v, LLVMTypeOf(v), LLVMGetOperand(v, 0));
        else if (LLVMIsAStoreInst(v))
          trust_access(L, v, LLVMTypeOf(LLVMGetOperand(v, 0)), LLVMGetOperand(v, 1));
        else if (low_is_copy(v))
          trust_copy(L, v);
      }
}

/* ---- shared memory ---- */

static bool is_used_in(LLVMValueRef v, LLVMValueRef fn) {
  for (LLVMUseRef u = LLVMGetFirstUse(v); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    if (LLVMIsAInstruction(user)
            ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == fn
            : LLVMIsAConstant(user) && is_used_in(user, fn))
      return true;
  }
  return false;
}

static uint64_t size_of(low *L, LLVMValueRef global) {
  LLVMTypeRef t = LLVMGlobalGetValueType(global);
  return LLVMTypeIsSized(t) ? LLVMABISizeOfType(L->td, t) : 0;
}

/* Where each variable lies, in the kernels that have it: `align` gets the least. */
static void place(low *L, LLVMValueRef fn, ww_map *align) {
  uint64_t at = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(L->mod); g; g = LLVMGetNextGlobal(g)) {
    unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(g));
    if (low_addrspace(L, space) != WW_SHARED || !is_used_in(g, fn))
      continue;
    uint32_t own = LLVMGetAlignment(g) ? LLVMGetAlignment(g) : 1;
    uint64_t size = size_of(L, g);
    at = (at + own - 1) / own * own;
    uint32_t here = size ? low_bit(at) : WIDEST; /* what the launch gives is aligned */
    uint32_t *known = low_map_at(L->a, align, g, NULL);
    if (!*known || here < *known)
      *known = here;
    at += size;
  }
}

static void place_shared(low *L) {
  ww_map align = {0};
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      place(L, f, &align);
  for (LLVMValueRef g = LLVMGetFirstGlobal(L->mod); g; g = LLVMGetNextGlobal(g)) {
    uint32_t known = low_map_get(&align, g, 0);
    if (known > LLVMGetAlignment(g))
      LLVMSetAlignment(g, known);
  }
}

void low_find_alignment(low *L) {
  place_shared(L);
  low_run(L, "function(infer-address-spaces)");
  low_run(L, "function(infer-alignment)");
  low_run(L, "function(instcombine<no-verify-fixpoint>)");
}
