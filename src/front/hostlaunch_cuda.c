/* hostlaunch_cuda.c - kernel<<<grid, block, shared>>>(args) of CUDA and HIP host code.
 *
 * clang's host half turns a launch into cudaConfigureCall(grid, block, shared, stream)
 * and a call of the kernel's stub, a function with the kernel's parameters that hands
 * each of them to cudaSetupArgument. Before optimisation the stubs are emptied, so that
 * their calls keep the arguments in place, and the configuration is made to succeed, so
 * that it stands right before its stub call. The name of a stub is the kernel's with a
 * prefix inside the mangling. */
#include "hostlaunch_int.h"

#include <stdlib.h>

static const char stub_mark[] = "__device_stub__";

/* _Z20__device_stub__saxpyif -> _Z5saxpyif */
static const char *kernel_of_stub(const char *stub, ww_arena *a) {
  const char *at = strstr(stub, stub_mark);
  if (!at)
    return NULL;
  const char *digits = at;
  while (digits > stub && digits[-1] >= '0' && digits[-1] <= '9')
    digits--;
  const char *rest = at + strlen(stub_mark);
  if (digits == at)
    return ww_fmt(a, "%.*s%s", (int)(digits - stub), stub, rest);
  unsigned long n = strtoul(digits, NULL, 10);
  if (n <= strlen(stub_mark))
    return NULL;
  return ww_fmt(a, "%.*s%lu%s", (int)(digits - stub), stub, n - strlen(stub_mark),
                rest);
}

static bool is_config(const char *name) {
  return strstr(name, "cudaConfigureCall") || strstr(name, "hipConfigureCall") ||
         strstr(name, "PushCallConfiguration");
}

static bool is_setup(const char *name) {
  return strstr(name, "cudaSetupArgument") || strstr(name, "hipSetupArgument");
}

/* ---- before optimisation ---- */

enum { NONE = -1, IN_MEMORY = -2 };

/* The parameter that is stored at slot + offset and has no more bytes than `most`. */
static int parameter_at(const ww_host_ir *h,
                        LLVMValueRef stub,
                        LLVMValueRef slot,
                        int offset,
                        int64_t most) {
  ww_host_write w = ww_host_written(h, slot, offset);
  LLVMValueRef from = w.writes == 1 ? w.value : NULL;
  if (from && w.copied) { /* from where its registers were stored */
    ww_host_addr source = ww_host_address(h, from);
    from = source.exact
               ? ww_host_stored_value(h, source.base, source.offset + offset - w.at)
               : NULL;
  } else if (w.at != offset)
    from = NULL;
  if (from && LLVMIsAZExtInst(from))
    from = LLVMGetOperand(from, 0); /* a bool in its byte */
  for (unsigned k = 0; from && k < LLVMCountParams(stub); k++)
    if (LLVMGetParam(stub, k) == from &&
        LLVMStoreSizeOfType(h->layout, LLVMTypeOf(from)) <= (unsigned long long)most)
      return (int)k;
  return NONE;
}

/* Which parameters of the stub each kernel argument comes from, as a string attribute
 * on the stub that survives its emptying: "ww-args" = "size:first:second,...", size
 * negative for a struct, which may lie in two registers, or in memory that `first`
 * points to. */
static void note_arguments(const ww_host_ir *h, LLVMValueRef stub) {
  ww_buf b = {0};
  for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(stub); bb;
       bb = LLVMGetNextBasicBlock(bb))
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i;
         i = LLVMGetNextInstruction(i)) {
      int64_t size;
      if (!LLVMIsACallInst(i) || !is_setup(ww_host_callee(i)) ||
          !ww_host_int(LLVMGetOperand(i, 1), &size))
        continue;
      ww_host_addr slot = ww_host_address(h, LLVMGetOperand(i, 0));
      int first = NONE;
      int second = NONE;
      bool aggregate = false;
      if (LLVMIsAArgument(slot.base)) {
        for (unsigned k = 0; k < LLVMCountParams(stub); k++)
          first = LLVMGetParam(stub, k) == slot.base ? (int)k : first;
        second = IN_MEMORY;
        aggregate = true;
      } else if (LLVMIsAAllocaInst(slot.base)) {
        aggregate =
            LLVMGetTypeKind(LLVMGetAllocatedType(slot.base)) == LLVMStructTypeKind;
        first = parameter_at(h, stub, slot.base, 0, size);
        second = size > 8 ? parameter_at(h, stub, slot.base, 8, size - 8) : NONE;
      }
      ww_buf_fmt(&b, "%s%lld:%d:%d", b.n ? "," : "",
                 (long long)(aggregate ? -size : size), first, second);
    }
  if (b.n)
    LLVMAddAttributeAtIndex(
        stub, LLVMAttributeFunctionIndex,
        LLVMCreateStringAttribute(LLVMGetModuleContext(h->m), "ww-args", 7, b.s, b.n));
  ww_buf_free(&b);
}

static void empty_function(LLVMValueRef f) {
  LLVMBasicBlockRef bb;
  for (bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb))
    for (LLVMValueRef i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i))
      if (LLVMGetTypeKind(LLVMTypeOf(i)) != LLVMVoidTypeKind)
        LLVMReplaceAllUsesWith(i, LLVMGetUndef(LLVMTypeOf(i)));
  while ((bb = LLVMGetLastBasicBlock(f))) {
    LLVMValueRef i;
    while ((i = LLVMGetLastInstruction(bb)))
      LLVMInstructionEraseFromParent(i);
    LLVMReplaceAllUsesWith(
        LLVMBasicBlockAsValue(bb),
        LLVMGetUndef(LLVMLabelTypeInContext(LLVMGetTypeContext(LLVMTypeOf(f)))));
    LLVMDeleteBasicBlock(bb);
  }
  LLVMSetLinkage(f, LLVMExternalLinkage);
}

/* A body that only traps stands for one that is not known: the shim's host functions,
 * what recover.c took out. To the optimiser it would be a promise that nothing behind
 * the call happens.
 */
static bool only_traps(LLVMValueRef f) {
  LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f);
  if (!bb || LLVMGetNextBasicBlock(bb))
    return false;
  LLVMValueRef last = LLVMGetLastInstruction(bb);
  LLVMValueRef before = last ? LLVMGetPreviousInstruction(last) : NULL;
  return before && LLVMIsAUnreachableInst(last) && LLVMIsACallInst(before) &&
         !strcmp(ww_host_callee(before), "llvm.trap");
}

static void config_succeeds(LLVMValueRef config) {
  for (LLVMUseRef u = LLVMGetFirstUse(config); u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    LLVMTypeRef t = ww_host_is_call(call) ? LLVMTypeOf(call) : NULL;
    if (t && LLVMGetTypeKind(t) == LLVMIntegerTypeKind)
      LLVMReplaceAllUsesWith(call, LLVMConstInt(t, 0, 0));
  }
}

void ww_hostlaunch_prepare_cuda(const ww_host_ir *h) {
  for (LLVMValueRef f = LLVMGetFirstFunction(h->m), next; f; f = next) {
    const char *name = low_name(f);
    next = LLVMGetNextFunction(f);
    if (is_config(name))
      config_succeeds(f);
    bool stub = strstr(name, stub_mark) != NULL;
    if (LLVMIsDeclaration(f) || (!stub && !only_traps(f)))
      continue;
    if (stub)
      note_arguments(h, f);
    LLVMSetComdat(f, NULL);
    empty_function(f);
  }
}

/* ---- after ---- */

/* A dim3 is passed as i64 (y:x) and i32 z. */
static void dim3_of(LLVMValueRef xy, LLVMValueRef z, uint64_t out[3]) {
  int64_t a;
  int64_t b;
  if (!ww_host_int(xy, &a) || !ww_host_int(z, &b))
    return;
  out[0] = (uint32_t)a;
  out[1] = (uint64_t)a >> 32;
  out[2] = (uint32_t)b;
}

/* The configuration before `stub_call`: in its block, else up a chain of single
 * predecessors. */
static LLVMValueRef config_before(LLVMValueRef stub_call) {
  LLVMBasicBlockRef bb = LLVMGetInstructionParent(stub_call);
  LLVMValueRef i = LLVMGetPreviousInstruction(stub_call);
  for (int depth = 0; depth < 8; depth++) {
    for (; i; i = LLVMGetPreviousInstruction(i)) {
      if (!ww_host_is_call(i))
        continue;
      const char *name = ww_host_callee(i);
      if (is_config(name))
        return i;
      if (strstr(name, stub_mark))
        return NULL;
    }
    LLVMBasicBlockRef pred = NULL;
    for (LLVMUseRef u = LLVMGetFirstUse(LLVMBasicBlockAsValue(bb)); u;
         u = LLVMGetNextUse(u)) {
      if (!LLVMIsAInstruction(LLVMGetUser(u)) || LLVMIsAPHINode(LLVMGetUser(u)))
        continue;
      LLVMBasicBlockRef from = LLVMGetInstructionParent(LLVMGetUser(u));
      if (pred && pred != from)
        return NULL;
      pred = from;
    }
    if (!pred)
      return NULL;
    bb = pred;
    i = LLVMGetLastInstruction(bb);
  }
  return NULL;
}

static void
argument(const ww_host_ir *h, LLVMValueRef v, ww_arg *out, ww_host_owners *owned) {
  LLVMValueRef origin = NULL;
  if (ww_host_arg(v, out) || LLVMGetTypeKind(LLVMTypeOf(v)) != LLVMPointerTypeKind)
    return;
  uint64_t bytes = ww_host_allocation(h, v, &origin);
  ww_host_addr at = ww_host_address(h, v);
  if (!bytes || !at.exact || at.offset < 0 || (uint64_t)at.offset >= bytes)
    return;
  *out =
      (ww_arg){.kind = WW_ARG_BUFFER, .buffer = {.bytes = bytes, .offset = at.offset}};
  ww_push(h->a, owned, (ww_host_owned){&out->buffer, origin});
}

static void aggregate(const ww_host_ir *h,
                      LLVMValueRef call,
                      long size,
                      const long at[2],
                      ww_arg *out,
                      ww_host_owners *owned) {
  LLVMValueRef values[2] = {LLVMGetOperand(call, at[0]), NULL};
  if (at[1] == IN_MEMORY) {
    ww_host_struct_at(h, values[0], size, out, owned);
    return;
  }
  if (at[1] != NONE)
    values[1] = LLVMGetOperand(call, at[1]);
  if (values[1] || size <= 8)
    ww_host_struct_of(h, values, size, out, owned);
}

static void arguments(const ww_host_ir *h, LLVMValueRef call, ww_launch *l) {
  LLVMAttributeRef attr = LLVMGetStringAttributeAtIndex(
      LLVMGetCalledValue(call), LLVMAttributeFunctionIndex, "ww-args", 7);
  if (!attr)
    return;
  unsigned n;
  const char *p = ww_strdup(h->a, LLVMGetStringAttributeValue(attr, &n));
  long count = LLVMGetNumArgOperands(call);
  ww_host_owners owned = {0};
  l->args = WW_NEWN(h->a, ww_arg, n / 2 + 1); /* no fewer than there are */
  while (*p) {
    char *end;
    long at[2];
    ww_arg *arg = &l->args[l->nargs++];
    long size = strtol(p, &end, 10);
    at[0] = *end == ':' ? strtol(end + 1, &end, 10) : NONE;
    at[1] = *end == ':' ? strtol(end + 1, &end, 10) : NONE;
    if (at[0] >= 0 && at[0] < count && at[1] < count) {
      if (size < 0)
        aggregate(h, call, -size, at, arg, &owned);
      else
        argument(h, LLVMGetOperand(call, at[0]), arg, &owned);
    }
    p = end + (*end == ',');
  }
  ww_host_share(h, owned.v, owned.n);
}

/* config: a call whose arguments from `at` on are grid, block and, at `shared`, bytes;
 * the arguments of the kernel are those of `call`, where it is a stub's. */
static void add_launch(const ww_host_ir *h,
                       LLVMValueRef call,
                       LLVMValueRef config,
                       unsigned at,
                       unsigned shared,
                       const char *kernel) {
  ww_host_launch l = ww_host_new_launch(h, call, kernel);
  int64_t bytes;
  if (config && LLVMGetNumArgOperands(config) > shared) {
    dim3_of(LLVMGetOperand(config, at), LLVMGetOperand(config, at + 1), l.launch.grid);
    dim3_of(LLVMGetOperand(config, at + 2), LLVMGetOperand(config, at + 3),
            l.launch.block);
    if (ww_host_int(LLVMGetOperand(config, shared), &bytes)) {
      l.launch.shared = bytes;
      l.launch.shared_given = true;
    }
  }
  if (call != config)
    arguments(h, call, &l.launch);
  ww_push(h->a, h->out, l);
}

void ww_hostlaunch_cuda(const ww_host_ir *h) {
  for (LLVMValueRef f = LLVMGetFirstFunction(h->m); f; f = LLVMGetNextFunction(f)) {
    const char *kernel = kernel_of_stub(low_name(f), h->a);
    for (LLVMUseRef u = kernel ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
      LLVMValueRef user = LLVMGetUser(u);
      if (!ww_host_is_call(user))
        continue;
      if (LLVMGetCalledValue(user) == f)
        add_launch(h, user, config_before(user), 0, 4, kernel);
      else if (strstr(ww_host_callee(user), "Launch"))
        add_launch(h, user, user, 1, 6, kernel); /* cudaLaunchKernel written by hand */
    }
  }
}
