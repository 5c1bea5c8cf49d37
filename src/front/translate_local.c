/* translate_local.c - local variables that nvcc keeps in registers and LLVM in memory.
 *
 * Arrays: LLVM unrolls a loop of 64 rounds in parts, and an array that its counter indexes stays in
 * memory. nvcc unrolls it whole, and the array becomes registers: that is what register tiles are.
 * So where every index of a small array comes from loops with a constant number of rounds, these
 * are marked, and the optimiser runs once more. An array that is indexed otherwise stays in memory
 * in nvcc's code too, and its loops stay as they are. */
#include "translate_int.h"

#include <llvm-c/DebugInfo.h>

enum {
  ARRAY_MOST = 2048, /* bytes: more than the registers of a thread, spilt ones included */
  DEPTH_MOST = 12,   /* of the expression of an index */
  PROPERTIES_MOST = 16
};

typedef WW_VEC(LLVMValueRef) latches; /* the branches that end the rounds of loops */

static bool is_op(LLVMValueRef v, LLVMOpcode op) {
  return LLVMIsAInstruction(v) && LLVMGetInstructionOpcode(v) == op;
}

static LLVMValueRef operand(LLVMValueRef v, unsigned k) {
  return LLVMGetOperand(v, k);
}

/* phi = constant, then phi + constant until a comparison with a constant ends the loop: the branch
 * back, else NULL. */
static LLVMValueRef counter_latch(LLVMValueRef phi) {
  if (!is_op(phi, LLVMPHI) || LLVMCountIncoming(phi) != 2)
    return NULL;
  bool swapped = LLVMIsAConstantInt(LLVMGetIncomingValue(phi, 1));
  LLVMValueRef first = LLVMGetIncomingValue(phi, swapped),
               next = LLVMGetIncomingValue(phi, !swapped);
  if (!LLVMIsAConstantInt(first) || !is_op(next, LLVMAdd) || operand(next, 0) != phi ||
      !LLVMIsAConstantInt(operand(next, 1)))
    return NULL;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, !swapped));
  LLVMValueRef test = is_op(end, LLVMBr) && LLVMIsConditional(end) ? LLVMGetCondition(end) : NULL;
  if (!test || !is_op(test, LLVMICmp) || !LLVMIsAConstantInt(operand(test, 1)))
    return NULL;
  return operand(test, 0) == phi || operand(test, 0) == next ? end : NULL;
}

/* Is it made of constants and such counters? Their loops are added. */
static bool from_counters(low *L, LLVMValueRef v, int depth, latches *to) {
  if (LLVMIsAConstantInt(v))
    return true;
  if (!LLVMIsAInstruction(v) || depth == DEPTH_MOST)
    return false;
  if (is_op(v, LLVMPHI)) {
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
    if (!from_counters(L, operand(v, (unsigned)k), depth + 1, to))
      return false;
  return true;
}

/* Every place that a pointer into the array goes to: loads, stores and copies of whole pieces. */
static bool indexed_by_counters(low *L, LLVMValueRef pointer, int depth, latches *to) {
  if (depth == DEPTH_MOST)
    return false;
  for (LLVMUseRef u = LLVMGetFirstUse(pointer); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u);
    bool good = is_op(user, LLVMLoad) || LLVMIsAIntrinsicInst(user) ||
                (is_op(user, LLVMStore) && operand(user, 0) != pointer);
    if (is_op(user, LLVMGetElementPtr)) {
      good = operand(user, 0) == pointer && indexed_by_counters(L, user, depth + 1, to);
      for (int k = 1; good && k < LLVMGetNumOperands(user); k++)
        good = from_counters(L, operand(user, (unsigned)k), 0, to);
    }
    if (!good)
      return false;
  }
  return true;
}

static bool speaks_of_unrolling(LLVMValueRef property) {
  LLVMValueRef word[4];
  unsigned n = LLVMGetMDNodeNumOperands(property), length;
  if (!n || n > 4)
    return false;
  LLVMGetMDNodeOperands(property, word);
  const char *name = word[0] && LLVMIsAMDString(word[0]) ? LLVMGetMDString(word[0], &length) : NULL;
  return name && ww_starts(name, "llvm.loop.unroll.");
}

/* The loop's properties, with what they said of unrolling replaced. Their node begins with itself.
 */
static void unroll_whole(low *L, LLVMValueRef latch) {
  static const char whole[] = "llvm.loop.unroll.full";
  LLVMMetadataRef self = LLVMTemporaryMDNode(L->ctx, NULL, 0);
  LLVMMetadataRef word = LLVMMDStringInContext2(L->ctx, whole, strlen(whole));
  LLVMMetadataRef out[PROPERTIES_MOST + 2] = {self, LLVMMDNodeInContext2(L->ctx, &word, 1)};
  LLVMValueRef old = LLVMGetMetadata(latch, L->md_loop), of[PROPERTIES_MOST];
  unsigned n = old ? LLVMGetMDNodeNumOperands(old) : 0, kept = 2;
  if (n > PROPERTIES_MOST)
    n = 0;
  if (n)
    LLVMGetMDNodeOperands(old, of);
  for (unsigned k = 1; k < n; k++) {
    LLVMMetadataRef m = of[k] ? LLVMValueAsMetadata(of[k]) : NULL;
    bool tuple = m && LLVMGetMetadataKind(m) == LLVMMDTupleMetadataKind;
    if (m && !(tuple && speaks_of_unrolling(of[k])))
      out[kept++] = m;
  }
  LLVMMetadataRef node = LLVMMDNodeInContext2(L->ctx, out, kept);
  LLVMMetadataReplaceAllUsesWith(self, node);
  LLVMSetMetadata(latch, L->md_loop, LLVMMetadataAsValue(L->ctx, node));
}

static bool mark_array(low *L, LLVMValueRef array) {
  LLVMTypeRef t = LLVMGetAllocatedType(array);
  latches found = {0};
  if (!LLVMTypeIsSized(t) || LLVMABISizeOfType(L->td, t) > ARRAY_MOST ||
      !indexed_by_counters(L, array, 0, &found))
    return false;
  for (uint32_t k = 0; k < found.n; k++)
    unroll_whole(L, found.v[k]);
  return found.n;
}

bool low_mark_array_loops(low *L) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    LLVMBasicBlockRef entry = LLVMIsDeclaration(f) ? NULL : LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef v = entry ? LLVMGetFirstInstruction(entry) : NULL; v;
         v = LLVMGetNextInstruction(v))
      if (is_op(v, LLVMAlloca) && mark_array(L, v))
        any = true;
  }
  return any;
}

/* ---- variables that are only copied whole ----
 *
 * A float4 that is loaded in one round of a loop and stored in the next is copied into its variable
 * and out of it; LLVM leaves a variable that nobody looks into in memory. As vectors of words the
 * copies are loads and stores, and the variable goes. */

enum { PIECE = 16 };

static bool is_copy(LLVMValueRef v) {
  LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  return f && LLVMIsAFunction(f) && ww_starts(low_name(f), "llvm.memcpy.");
}

static bool is_lifetime(LLVMValueRef v) {
  LLVMValueRef f = LLVMIsACallInst(v) ? LLVMGetCalledValue(v) : NULL;
  return f && LLVMIsAFunction(f) && ww_starts(low_name(f), "llvm.lifetime.");
}

static bool only_copied(low *L, LLVMValueRef variable) {
  LLVMTypeRef t = LLVMGetAllocatedType(variable);
  unsigned long long bytes = LLVMTypeIsSized(t) ? LLVMABISizeOfType(L->td, t) : 0;
  bool any = false;
  for (LLVMUseRef u = LLVMGetFirstUse(variable); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef user = LLVMGetUser(u), length = is_copy(user) ? operand(user, 2) : NULL;
    if (is_lifetime(user))
      continue;
    if (!length || !LLVMIsAConstantInt(length) || LLVMConstIntGetZExtValue(length) != bytes)
      return false;
    any = true;
  }
  return any && bytes && bytes % PIECE == 0 && bytes <= 4 * PIECE;
}

static unsigned alignment_of(low *L, LLVMValueRef copy, unsigned k) {
  LLVMAttributeRef a = LLVMGetCallSiteEnumAttribute(copy, k + 1, L->at_align);
  return a ? (unsigned)LLVMGetEnumAttributeValue(a) : 1;
}

static void copy_by_pieces(low *L, LLVMBuilderRef b, LLVMValueRef copy) {
  LLVMTypeRef piece = LLVMVectorType(LLVMInt32TypeInContext(L->ctx), PIECE / 4);
  uint64_t n = LLVMConstIntGetZExtValue(operand(copy, 2)) / PIECE;
  LLVMPositionBuilderBefore(b, copy);
  LLVMSetCurrentDebugLocation2(b, LLVMInstructionGetDebugLoc(copy));
  for (uint64_t k = 0; k < n; k++) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(L->ctx), k, 0);
    LLVMValueRef from = LLVMBuildGEP2(b, piece, operand(copy, 1), &at, 1, "");
    LLVMValueRef to = LLVMBuildGEP2(b, piece, operand(copy, 0), &at, 1, "");
    LLVMValueRef v = LLVMBuildLoad2(b, piece, from, "");
    LLVMSetAlignment(v, alignment_of(L, copy, 1));
    LLVMSetAlignment(LLVMBuildStore(b, v, to), alignment_of(L, copy, 0));
  }
  LLVMInstructionEraseFromParent(copy);
}

static void split_copies(low *L, LLVMBuilderRef b, LLVMValueRef variable) {
  for (LLVMUseRef u = LLVMGetFirstUse(variable), next; u; u = next) {
    LLVMValueRef user = LLVMGetUser(u);
    for (next = LLVMGetNextUse(u); next && LLVMGetUser(next) == user;)
      next = LLVMGetNextUse(next);
    if (is_copy(user))
      copy_by_pieces(L, b, user);
  }
}

bool low_split_copies(low *L) {
  bool any = false;
  LLVMBuilderRef b = LLVMCreateBuilderInContext(L->ctx);
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f)) {
    LLVMBasicBlockRef entry = LLVMIsDeclaration(f) ? NULL : LLVMGetEntryBasicBlock(f);
    for (LLVMValueRef v = entry ? LLVMGetFirstInstruction(entry) : NULL; v;
         v = LLVMGetNextInstruction(v))
      if (is_op(v, LLVMAlloca) && only_copied(L, v)) {
        split_copies(L, b, v);
        any = true;
      }
  }
  LLVMDisposeBuilder(b);
  return any;
}
