/* translate_loops.c - loops as nvcc's optimiser leaves them.
 *
 * It is an LLVM that unrolls by other numbers, which were found by compiling loops of
 * all lengths: a loop whose trips are known is laid out whole up to 400 instructions;
 * of any other that counts by a constant and has no loop inside, four iterations lie
 * side by side, or two where four would be more than 170. What an unroll pragma asks
 * for is done, and ptxas then leaves the loop alone. */
#include <pthread.h>

#include "translate_int.h"

#include <llvm-c/DebugInfo.h>
#include <llvm-c/Support.h>

enum { WHOLE_MOST = 400, SIDE_BY_SIDE_MOST = 170 };

static void set_options(void) {
  char whole[40];
  snprintf(whole, sizeof whole, "-unroll-threshold=%d", WHOLE_MOST);
  const char *options[] = {"warpwise", whole, "-unroll-runtime=0",
                           "-unroll-allow-partial=0", "-unroll-max-count=4"};
  LLVMParseCommandLineOptions(WW_COUNT(options), options, NULL);
}

void low_unroll_options(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, set_options);
}

/* ---- loops with an unroll pragma: nvcc does what it says, and ptxas then leaves the
 * loop alone
 * ---- */

const char *low_unrolling(low *L, LLVMValueRef property, low_nodes *words) {
  static const char begin[] = "llvm.loop.unroll.";
  *words = low_operands(L->a, property);
  const char *name = words->n ? low_node_string(words->v[0]) : NULL;
  return name && ww_starts(name, begin) ? name + strlen(begin) : NULL;
}

/* By how much one property of a loop says it is unrolled, 0: it speaks of something
 * else. nvcc unrolls by four where no number is given. */
static uint8_t unroll_count(low *L, LLVMValueRef property) {
  low_nodes word;
  const char *name = low_unrolling(L, property, &word);
  if (!name)
    return 0;
  if (ww_starts(name, "disable"))
    return 1;
  if (ww_starts(name, "enable"))
    return 4;
  bool count = ww_starts(name, "count") && word.n == 2 && word.v[1];
  bool known = count && LLVMIsAConstantInt(word.v[1]);
  unsigned long long by = known ? LLVMConstIntGetZExtValue(word.v[1]) : 0;
  return by < 255 ? by : 255;
}

/* The loop's place, and what its properties say together. */
static struct low_unroll loop_of(low *L, LLVMValueRef latch) {
  struct low_unroll u = {0};
  low_nodes of = low_operands(L->a, latch ? LLVMGetMetadata(latch, L->md_loop) : NULL);
  for (unsigned k = 1; k < of.n; k++) { /* the first is the node itself */
    LLVMMetadataRef m = of.v[k] ? LLVMValueAsMetadata(of.v[k]) : NULL;
    LLVMMetadataKind kind = m ? LLVMGetMetadataKind(m) : LLVMMDStringMetadataKind;
    if (kind == LLVMDILocationMetadataKind && !u.line) {
      u.line = LLVMDILocationGetLine(m);
      u.col = LLVMDILocationGetColumn(m);
    }
    uint8_t by = kind == LLVMMDTupleMetadataKind ? unroll_count(L, of.v[k]) : 0;
    if (by)
      u.by = by;
  }
  return u;
}

void low_note_loops(low *L) {
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b)) {
      struct low_unroll u = loop_of(L, LLVMGetBasicBlockTerminator(b));
      if (u.by && u.line)
        ww_push(L->a, &L->unroll, u);
    }
}

/* What was noted of the loop at its place; NULL: nothing. */
static const struct low_unroll *noted(low *L, LLVMValueRef latch) {
  struct low_unroll u = L->unroll.n ? loop_of(L, latch) : (struct low_unroll){0};
  for (uint32_t k = 0; u.line && k < L->unroll.n; k++)
    if (L->unroll.v[k].line == u.line && L->unroll.v[k].col == u.col)
      return &L->unroll.v[k];
  return NULL;
}

/* What is left over when an unrolled loop has run: a loop of its own. */
static bool is_remainder(LLVMValueRef latch) {
  const char *name = LLVMGetBasicBlockName(LLVMGetInstructionParent(latch));
  return strstr(name, ".epil") || strstr(name, ".prol");
}

uint8_t low_unroll_of(low *L, LLVMValueRef latch) {
  if (LLVMGetMetadata(latch, L->md_loop) && is_remainder(latch))
    return 1;
  const struct low_unroll *u = noted(L, latch);
  return u && !u->ours ? u->by : 0;
}

uint8_t low_side_by_side(low *L, LLVMValueRef latch) {
  const struct low_unroll *u = noted(L, latch);
  bool done = u && u->by > 1 && loop_of(L, latch).by == 1; /* and not again */
  return done && !is_remainder(latch) ? u->by : 1;
}

/* The loop's properties, with what they said of unrolling replaced. Their node begins
 * with itself. */
void low_set_unrolling(low *L, LLVMValueRef latch, uint32_t by) {
  const char *what = by ? "llvm.loop.unroll.count" : "llvm.loop.unroll.full";
  LLVMMetadataRef self = LLVMTemporaryMDNode(L->ctx, NULL, 0);
  LLVMValueRef number = LLVMConstInt(LLVMInt32TypeInContext(L->ctx), by, 0);
  LLVMMetadataRef words[] = {LLVMMDStringInContext2(L->ctx, what, strlen(what)),
                             LLVMValueAsMetadata(number)};
  WW_VEC(LLVMMetadataRef) out = {0};
  low_nodes of = low_operands(L->a, LLVMGetMetadata(latch, L->md_loop));
  low_nodes said;
  ww_push(L->a, &out, self);
  ww_push(L->a, &out, LLVMMDNodeInContext2(L->ctx, words, by ? 2 : 1));
  for (unsigned k = 1; k < of.n; k++) {
    LLVMMetadataRef m = of.v[k] ? LLVMValueAsMetadata(of.v[k]) : NULL;
    bool tuple = m && LLVMGetMetadataKind(m) == LLVMMDTupleMetadataKind;
    if (m && !(tuple && low_unrolling(L, of.v[k], &said)))
      ww_push(L->a, &out, m);
  }
  LLVMMetadataRef node = LLVMMDNodeInContext2(L->ctx, out.v, out.n);
  LLVMMetadataReplaceAllUsesWith(self, node);
  LLVMSetMetadata(latch, L->md_loop, LLVMMetadataAsValue(L->ctx, node));
}

/* ---- loops whose trips only the launch knows ---- */

typedef WW_VEC(LLVMBasicBlockRef) blocks;

typedef struct {
  LLVMValueRef end; /* the branch back */
  LLVMBasicBlockRef header, latch;
  blocks body;
} loop;

static bool has(const blocks *v, LLVMBasicBlockRef b) {
  for (uint32_t k = 0; k < v->n; k++)
    if (v->v[k] == b)
      return true;
  return false;
}

/* Blocks from which the latch is reached without passing the header; false: one of
 * them is the function's first, so `header` is none. */
static bool gather(low *L, loop *l, LLVMBasicBlockRef first) {
  ww_push(L->a, &l->body, l->header);
  if (l->latch != l->header)
    ww_push(L->a, &l->body, l->latch);
  for (uint32_t k = 1; k < l->body.n; k++) {
    if (l->body.v[k] == first)
      return false;
    LLVMValueRef b = LLVMBasicBlockAsValue(l->body.v[k]);
    for (LLVMUseRef u = LLVMGetFirstUse(b); u; u = LLVMGetNextUse(u)) {
      LLVMValueRef user = LLVMGetUser(u);
      if (!LLVMIsATerminatorInst(user))
        continue;
      LLVMBasicBlockRef from = LLVMGetInstructionParent(user);
      if (!has(&l->body, from))
        ww_push(L->a, &l->body, from);
    }
  }
  return true;
}

/* The loop that a conditional branch ends, which is the only way out of it and has no
 * loop inside. */
static bool find_loop(low *L, LLVMValueRef end, loop *out) {
  if (!low_is_op(end, LLVMBr) || !LLVMIsConditional(end) ||
      !LLVMGetMetadata(end, L->md_loop))
    return false;
  LLVMBasicBlockRef latch = LLVMGetInstructionParent(end);
  LLVMBasicBlockRef first = LLVMGetEntryBasicBlock(LLVMGetBasicBlockParent(latch));
  for (unsigned k = 0; k < 2; k++) {
    *out = (loop){.end = end, .header = LLVMGetSuccessor(end, k), .latch = latch};
    if (out->header == first || !gather(L, out, first) ||
        has(&out->body, LLVMGetSuccessor(end, !k)))
      continue;
    for (uint32_t b = 0; b < out->body.n; b++) {
      LLVMValueRef t = LLVMGetBasicBlockTerminator(out->body.v[b]);
      for (unsigned s = 0; t != end && s < LLVMGetNumSuccessors(t); s++)
        if (!has(&out->body, LLVMGetSuccessor(t, s)))
          return false;
      if (t != end && LLVMGetMetadata(t, L->md_loop))
        return false;
    }
    return true;
  }
  return false;
}

static bool is_inside(const loop *l, LLVMValueRef v) {
  return LLVMIsAInstruction(v) && has(&l->body, LLVMGetInstructionParent(v));
}

/* A value that the loop carries and moves by a constant, or the moved one. */
static bool counts(const loop *l, LLVMValueRef v) {
  for (int back = 0; back < 2; back++) {
    if (low_is_op(v, LLVMPHI) && LLVMGetInstructionParent(v) == l->header) {
      for (unsigned k = 0; k < LLVMCountIncoming(v); k++) {
        LLVMValueRef next = LLVMGetIncomingValue(v, k);
        if (LLVMGetIncomingBlock(v, k) == l->latch)
          return low_is_op(next, LLVMAdd) && LLVMGetOperand(next, 0) == v &&
                 LLVMIsAConstantInt(LLVMGetOperand(next, 1));
      }
      return false;
    }
    if (!low_is_op(v, LLVMAdd))
      return false;
    v = LLVMGetOperand(v, 0);
  }
  return false;
}

static bool ends_by_counting(const loop *l) {
  LLVMValueRef test = LLVMGetCondition(l->end);
  if (!low_is_op(test, LLVMICmp) || !is_inside(l, test))
    return false;
  LLVMValueRef a = LLVMGetOperand(test, 0);
  LLVMValueRef b = LLVMGetOperand(test, 1);
  return (counts(l, a) && !is_inside(l, b)) || (counts(l, b) && !is_inside(l, a));
}

/* What nvcc counts an instruction for: addresses and widenings are free, a call of a
 * math function is two. */
static uint32_t size_of(LLVMValueRef v) {
  if (LLVMIsACallInst(v))
    return ww_starts(low_name(LLVMGetCalledValue(v)), "__nv_") ? 2 : 1;
  switch (LLVMGetInstructionOpcode(v)) {
  case LLVMPHI:
  case LLVMGetElementPtr:
  case LLVMSExt:
  case LLVMZExt:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
    return 0;
  default:
    return 1;
  }
}

static uint32_t loop_size(const loop *l) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < l->body.n; k++)
    for (LLVMValueRef v = LLVMGetFirstInstruction(l->body.v[k]); v;
         v = LLVMGetNextInstruction(v))
      n += size_of(v);
  return n;
}

/* Iterations that lie side by side, 1: none. */
static uint32_t side_by_side(low *L, LLVMValueRef end) {
  loop l;
  if (!end || !find_loop(L, end, &l) || low_unroll_of(L, end) || !ends_by_counting(&l))
    return 1;
  enum { CONTROL = 2 }; /* instructions that are there once */
  uint32_t n = loop_size(&l) - CONTROL;
  uint32_t by = 4;
  while (by > 1 && by * n + CONTROL > SIDE_BY_SIDE_MOST)
    by /= 2;
  return by;
}

void low_unroll_loops(low *L) {
  bool any = false;
  for (LLVMValueRef f = LLVMGetFirstFunction(L->mod); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b;
         b = LLVMGetNextBasicBlock(b)) {
      LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
      uint32_t by = side_by_side(L, end);
      if (by == 1)
        continue;
      struct low_unroll u = loop_of(L, end);
      if (!u.line)
        continue;
      u.by = by;
      u.ours = true;
      ww_push(L->a, &L->unroll, u);
      low_set_unrolling(L, end, by);
      any = true;
    }
  if (any)
    low_run(L, "function(loop-unroll,instcombine<no-verify-fixpoint>,early-cse<memssa>,"
               "gvn,simplifycfg)");
}
