/* translate_local.c - local variables that nvcc keeps in registers and LLVM in memory.
 *
 * Arrays: LLVM unrolls a loop of 64 rounds in parts, and an array that its counter
 * indexes stays in memory. nvcc unrolls it whole, and the array becomes registers: that
 * is what register tiles are. So where every index of a small array comes from loops
 * with a constant number of rounds, these are marked, and the optimiser runs once more.
 * An array that is indexed otherwise stays in memory in nvcc's code too, and its loops
 * stay as they are. */
#include "translate_int.h"

#include <llvm-c/DebugInfo.h>

enum {
  /* bytes: more than the registers of a thread, spilt ones included */
  ARRAY_MOST = 2048,
  DEPTH_MOST = 12 /* of the expression of an index */
};

typedef WW_VEC(LLVMValueRef) latches; /* the branches that end the rounds of loops */

/* phi = constant, then phi + constant until a comparison with a constant ends the loop:
 * the branch back, else NULL. */
static LLVMValueRef counter_latch(LLVMValueRef phi) {
  if (!low_is_op(phi, LLVMPHI) || LLVMCountIncoming(phi) != 2)
    return NULL;
  bool swapped = LLVMIsAConstantInt(LLVMGetIncomingValue(phi, 1));
  LLVMValueRef first = LLVMGetIncomingValue(phi, swapped);
  LLVMValueRef next = LLVMGetIncomingValue(phi, !swapped);
  if (!LLVMIsAConstantInt(first) || !low_is_op(next, LLVMAdd) ||
      LLVMGetOperand(next, 0) != phi || !LLVMIsAConstantInt(LLVMGetOperand(next, 1)))
    return NULL;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, !swapped));
  LLVMValueRef test =
      low_is_op(end, LLVMBr) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
  if (!test || !low_is_op(test, LLVMICmp) ||
      !LLVMIsAConstantInt(LLVMGetOperand(test, 1)))
    return NULL;
  return LLVMGetOperand(test, 0) == phi || LLVMGetOperand(test, 0) == next ? end : NULL;
}

/* Is it made of constants and such counters? Their loops are added. */
static bool from_counters(low *L, LLVMValueRef v, int depth, latches *to) {
  if (LLVMIsAConstantInt(v))
    return true;
  if (!LLVMIsAInstruction(v) || depth == DEPTH_MOST)
    return false;
  if (low_is_op(v, LLVMPHI)) {
    LLVMValueRef latch = counter_latch(v);
    if (latch && low_unroll_of(L, latch)) /* a pragma has the last word */
      return false;
    if (latch)
      ww_push(L->a, to, latch);
    return latch;
  }
  if (!LLVMIsABinaryOperator(v) && !LLVMIsACastInst(v))
    return false;
  for (int k = 0; k < LLVMGetNumOperands(v); k++)
    if (!from_counters(L, LLVMGetOperand(v, k), depth + 1, to))
      return false;
  return true;
}

/* Every place that a pointer into the array goes to: loads, stores and copies of whole
 * pieces. */
static bool indexed_by_counters(low *L, LLVMValueRef pointer, int depth, latches *to) {
  if (depth == DEPTH_MOST)
    return false;
  for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    bool good = low_is_op(user, LLVMLoad) || LLVMIsAIntrinsicInst(user) ||
                (low_is_op(user, LLVMStore) && LLVMGetOperand(user, 0) != pointer);
    if (low_is_op(user, LLVMGetElementPtr)) {
      good = LLVMGetOperand(user, 0) == pointer &&
             indexed_by_counters(L, user, depth + 1, to);
      for (int k = 1; good && k < LLVMGetNumOperands(user); k++)
        good = from_counters(L, LLVMGetOperand(user, k), 0, to);
    }
    if (!good)
      return false;
  }
  return true;
}

static bool mark_array(low *L, LLVMValueRef array) {
  LLVMTypeRef t = LLVMGetAllocatedType(array);
  latches found = {0};
  if (!LLVMTypeIsSized(t) || LLVMABISizeOfType(L->td, t) > ARRAY_MOST ||
      !indexed_by_counters(L, array, 0, &found))
    return false;
  for (uint32_t k = 0; k < found.n; k++)
    low_set_unrolling(L, found.v[k], 0);
  return found.n;
}

/* Whether `change` did so to any local variable of the module. */
static bool each_variable(low *L, bool (*change)(low *, LLVMValueRef)) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    LLVMBasicBlockRef entry = LLVMIsDeclaration(f) ? NULL : LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef v = entry ? LLVMGetFirstInstruction(entry) : NULL; v;
         v = LLVMGetNextInstruction(v))
      any |= low_is_op(v, LLVMAlloca) && change(L, v);
  }
  return any;
}

bool low_mark_array_loops(low *L) {
  return each_variable(L, mark_array);
}

/* ---- variables that are only copied whole ----
 *
 * A float4 that is loaded in one round of a loop and stored in the next is copied into
 * its variable and out of it; LLVM leaves a variable that nobody looks into in memory.
 * As vectors of words the copies are loads and stores, and the variable goes. */

enum { PIECE = 16 };

static bool calls(LLVMValueRef v, const char *begin) {
  LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  return f && LLVMIsAFunction(f) && ww_starts(low_name(f), begin);
}

bool low_is_copy(LLVMValueRef v) {
  return calls(v, "llvm.memcpy.");
}

static bool only_copied(low *L, LLVMValueRef variable) {
  LLVMTypeRef t = LLVMGetAllocatedType(variable);
  unsigned long long bytes = LLVMTypeIsSized(t) ? LLVMABISizeOfType(L->td, t) : 0;
  bool any = false;
  for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    LLVMValueRef length = low_is_copy(user) ? LLVMGetOperand(user, 2) : NULL;
    if (calls(user, "llvm.lifetime."))
      continue;
    if (!length || !LLVMIsAConstantInt(length) ||
        LLVMConstIntGetZExtValue(length) != bytes)
      return false;
    any = true;
  }
  return any && bytes && bytes % PIECE == 0 && bytes <= 4 * PIECE;
}

uint32_t low_copy_alignment(low *L, LLVMValueRef copy, unsigned k) {
  LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(copy, k + 1, L->at_align);
  return a ? (uint32_t)LLVMGetEnumAttributeValue(a) : 1;
}

static void copy_by_pieces(low *L, LLVMBuilderRef b, LLVMValueRef copy) {
  LLVMTypeRef piece = LLVMVectorType(LLVMInt32TypeInContext(L->ctx), PIECE / 4);
  uint64_t n = LLVMConstIntGetZExtValue(LLVMGetOperand(copy, 2)) / PIECE;
  LLVMPositionBuilderBefore(b, copy);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(copy));
  for (uint64_t k = 0; k < n; k++) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(L->ctx), k, 0);
    LLVMValueRef from = LLVMBuildGEP2(b, piece, LLVMGetOperand(copy, 1), &at, 1, "");
    LLVMValueRef to = LLVMBuildGEP2(b, piece, LLVMGetOperand(copy, 0), &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(b, piece, from, "");
    LLVMSetAlignment(v, low_copy_alignment(L, copy, 1));
    LLVMSetAlignment(LLVMBuildStore(b, v, to), low_copy_alignment(L, copy, 0));
  }
  LLVMInstructionEraseFromParent(copy);
}

static bool split_copies(low *L, LLVMValueRef variable) {
  if (!only_copied(L, variable))
    return false;
  LLVMBuilderRef b = LLVMCreateBuilderInContext(L->ctx);
  for (LLVMUseRef u = LLVMGetFirstUse(variable), next; u; u = next) {
    LLVMValueRef user = LLVMGetUser(u);
    for (next = LLVMGetNextUse(u); next && LLVMGetUser(next) == user;)
      next = LLVMGetNextUse(next);
    if (low_is_copy(user))
      copy_by_pieces(L, b, user);
  }
  LLVMDisposeBuilder(b);
  return true;
}

bool low_split_copies(low *L) {
  return each_variable(L, split_copies);
}
