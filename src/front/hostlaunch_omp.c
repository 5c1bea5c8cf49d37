/* hostlaunch_omp.c - target regions of OpenMP host code: __tgt_target_kernel(location,
 * device, teams, threads, region, arguments).
 *
 * The last operand points at a struct that the host fills right before the call. Arrays
 * of pointers and sizes hang off it, one element per kernel parameter; scalars travel
 * in the pointer slots. */
#include "hostlaunch_int.h"

#include <stdlib.h>

/* Byte offsets in clang's struct __tgt_kernel_arguments. */
enum { NARGS = 4, POINTERS = 16, SIZES = 24, TYPES = 32, TRIPS = 56 };
enum { MAP_LITERAL = 0x100 };

static LLVMValueRef array_at(const ww_host_ir *h, LLVMValueRef args, int64_t offset) {
  LLVMValueRef v = ww_host_stored_value(h, args, offset);
  return v ? ww_host_address(h, v).base : NULL;
}

static void argument(const ww_host_ir *h,
                     LLVMValueRef pointers,
                     LLVMValueRef sizes,
                     LLVMValueRef types,
                     int64_t i,
                     ww_arg *out,
                     LLVMValueRef *origin) {
  int64_t type = 0;
  int64_t value;
  int64_t bytes;
  if (!types || !ww_host_stored(h, types, 8 * i, 8, &type))
    return;
  if (type & MAP_LITERAL) {
    if (!ww_host_stored(h, pointers, 8 * i, 8, &value))
      return;
    *out = ww_host_hex(h, value,
                       8); /* any scalar travels as the bits of an unsigned long */
    return;
  }
  LLVMValueRef p = ww_host_stored_value(h, pointers, 8 * i);
  uint64_t allocated = p ? ww_host_allocation(h, p, origin) : 0;
  if (sizes && ww_host_stored(h, sizes, 8 * i, 8, &bytes) && bytes > 0)
    allocated = bytes;
  if (allocated)
    *out = (ww_arg){.kind = WW_ARG_BUFFER, .buffer = {.bytes = allocated}};
}

static void arguments(const ww_host_ir *h, LLVMValueRef args, ww_launch *l) {
  int64_t n;
  LLVMValueRef pointers = array_at(h, args, POINTERS);
  LLVMValueRef sizes = array_at(h, args, SIZES);
  LLVMValueRef types = array_at(h, args, TYPES);
  if (!ww_host_stored(h, args, NARGS, 4, &n) || n < 0 || n > 4096 || !pointers)
    return;
  l->nargs = n + 1;
  l->args = WW_NEWN(h->a, ww_arg, n + 1);
  /* dyn_ptr, which our runtime never reads */
  l->args[0] = (ww_arg){.kind = WW_ARG_VALUE, .is_int = true};
  LLVMValueRef *origins = WW_NEWN(h->a, LLVMValueRef, n + 1);
  for (int64_t i = 0; i < n; i++)
    argument(h, pointers, sizes, types, i, &l->args[i + 1], &origins[i + 1]);
  ww_host_share_buffers(h, l, origins);
}

static ww_omp_env environment_of(const char *kernel, const ww_omp_envs *envs) {
  for (uint32_t i = 0; i < envs->n; i++)
    if (!strcmp(envs->v[i].kernel, kernel))
      return envs->v[i];
  return (ww_omp_env){0};
}

static void shape(const ww_host_ir *h,
                  LLVMValueRef call,
                  LLVMValueRef args,
                  const ww_omp_env *env,
                  ww_launch *l) {
  int64_t teams;
  int64_t limit;
  int64_t trips = 0;
  if (!ww_host_int(LLVMGetOperand(call, 2), &teams) ||
      !ww_host_int(LLVMGetOperand(call, 3), &limit))
    return;
  if (!teams && (!ww_host_stored(h, args, TRIPS, 8, &trips) || trips <= 0))
    return;
  if (!env->kernel)
    return;
  for (int d = 0; d < 3; d++)
    l->grid[d] = l->block[d] = 1;
  ww_omp_request want = {.teams = teams, .threads = limit, .trips = trips};
  ww_omp_shape(&env->bounds, &want, &l->grid[0], &l->block[0]);
}

void ww_hostlaunch_openmp(const ww_host_ir *h, const ww_omp_envs *envs) {
  LLVMValueRef f = LLVMGetNamedFunction(h->m, "__tgt_target_kernel");
  for (LLVMUseRef u = f ? LLVMGetFirstUse(f) : NULL; u; u = LLVMGetNextUse(u)) {
    LLVMValueRef call = LLVMGetUser(u);
    if (!ww_host_is_call(call) || LLVMGetNumArgOperands(call) < 6)
      continue;
    const char *region = low_name(LLVMGetOperand(call, 4));
    const char *end = strstr(region, ".region_id");
    if (region[0] != '.' || !end || end < region + 2)
      continue;
    const char *kernel = ww_strndup(h->a, region + 1, end - region - 1);
    ww_host_launch l = ww_host_new_launch(h, call, kernel);
    LLVMValueRef args = ww_host_address(h, LLVMGetOperand(call, 5)).base;
    ww_omp_env env = environment_of(kernel, envs);
    shape(h, call, args, &env, &l.launch);
    arguments(h, args, &l.launch);
    const char *line = strrchr(kernel, 'l'); /* ..._l12 is where the region begins */
    if (line)
      l.line = strtoul(line + 1, NULL, 10);
    ww_push(h->a, h->out, l);
  }
}
