/* hostlaunch_cl.c - clEnqueueNDRangeKernel calls of an OpenCL host program, where the
 * kernel's name and the sizes are constants. */
#include "hostlaunch_int.h"

/* The string a constant pointer points at, or NULL. */
static const char *string_at(const ww_host_ir *h, LLVMValueRef v) {
  LLVMValueRef g = ww_host_address(h, v).base;
  LLVMValueRef init = LLVMIsAGlobalVariable(g) ? LLVMGetInitializer(g) : NULL;
  size_t n;
  if (!init || !LLVMIsAConstantDataSequential(init) || !LLVMIsConstantString(init))
    return NULL;
  const char *s = LLVMGetAsString(init, &n);
  return ww_strndup(h->a, s, n);
}

static bool calls(LLVMValueRef v, const char *name) {
  return v && ww_host_is_call(v) && !strcmp(ww_host_callee(v), name);
}

/* The clCreateKernel call whose result `kernel` is, directly or through one variable.
 */
static LLVMValueRef created_by(const ww_host_ir *h, LLVMValueRef kernel) {
  if (LLVMIsALoadInst(kernel)) {
    ww_host_addr at = ww_host_address(h, LLVMGetOperand(kernel, 0));
    kernel = at.exact ? ww_host_stored_value(h, at.base, at.offset) : NULL;
  }
  return calls(kernel, "clCreateKernel") ? kernel : NULL;
}

static bool
sizes_of(const ww_host_ir *h, LLVMValueRef v, int64_t dims, uint64_t out[3]) {
  if (LLVMIsNull(v))
    return false;
  ww_host_addr at = ww_host_address(h, v);
  out[0] = out[1] = out[2] = 1;
  for (int64_t d = 0; d < dims; d++) {
    int64_t size;
    if (!at.exact || !ww_host_stored(h, at.base, at.offset + 8 * d, 8, &size) ||
        size <= 0)
      return false;
    out[d] = size;
  }
  return true;
}

/* clSetKernelArg(kernel, index, size, pointer) for the same kernel: local memory sizes
 * and constant scalars. */
static void arguments(const ww_host_ir *h, LLVMValueRef created, ww_launch *l) {
  LLVMValueRef f = LLVMGetNamedFunction(h->m, "clSetKernelArg");
  WW_VEC(ww_arg) args = {0};
  for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    LLVMValueRef p;
    int64_t index;
    int64_t size;
    int64_t value;
    if (!ww_host_is_call(call) || LLVMGetNumArgOperands(call) < 4 ||
        created_by(h, LLVMGetOperand(call, 0)) != created)
      continue;
    if (!ww_host_int(LLVMGetOperand(call, 1), &index) ||
        !ww_host_int(LLVMGetOperand(call, 2), &size) || index < 0 || index > 255)
      continue;
    while (args.n <= index)
      ww_push(h->a, &args, (ww_arg){0});
    p = LLVMGetOperand(call, 3);
    ww_host_addr at = ww_host_address(h, p);
    if (LLVMIsNull(p))
      args.v[index] = (ww_arg){.kind = WW_ARG_BUFFER, .buffer = {.bytes = size}};
    else if (size <= 8 && at.exact &&
             ww_host_stored(h, at.base, at.offset, size, &value))
      args.v[index] = ww_host_hex(h, value, size);
  }
  l->args = args.v;
  l->nargs = args.n;
}

void ww_hostlaunch_opencl(const ww_host_ir *h) {
  LLVMValueRef f = LLVMGetNamedFunction(h->m, "clEnqueueNDRangeKernel");
  for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    int64_t dims;
    if (!ww_host_is_call(call) || LLVMGetNumArgOperands(call) < 6)
      continue;
    LLVMValueRef created = created_by(h, LLVMGetOperand(call, 1));
    const char *kernel = created ? string_at(h, LLVMGetOperand(created, 1)) : NULL;
    if (!kernel || !ww_host_int(LLVMGetOperand(call, 2), &dims) || dims < 1 || dims > 3)
      continue;
    ww_host_launch l = ww_host_new_launch(h, call, kernel);
    uint64_t global[3];
    uint64_t local[3];
    if (sizes_of(h, LLVMGetOperand(call, 5), dims, local)) {
      memcpy(l.launch.block, local, sizeof local);
      if (sizes_of(h, LLVMGetOperand(call, 4), dims, global))
        for (int d = 0; d < 3; d++)
          l.launch.grid[d] = (global[d] + local[d] - 1) / local[d];
    }
    arguments(h, created, &l.launch);
    ww_push(h->a, h->out, l);
  }
}
