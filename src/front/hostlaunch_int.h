/* hostlaunch_int.h - what the finders of host launches share: constants, addresses and
 * memory of optimised host IR. */
#ifndef WW_HOSTLAUNCH_INT_H
#define WW_HOSTLAUNCH_INT_H

#include "llvm_read.h"
#include "openmp.h"

#include <llvm-c/Comdat.h>

typedef WW_VEC(ww_host_launch) ww_host_launches;

/* ---- hostlaunch_wire.c ---- */
void ww_hostlaunch_put(const ww_host_launches *all, ww_buf *b);
/* adds them; what is cut off is left out */
void ww_hostlaunch_take(const ww_buf *b, ww_arena *a, ww_host_launches *all);

typedef struct {
  LLVMModuleRef m;
  LLVMTargetDataRef layout;
  ww_arena *a;
  const char *file; /* the source, as given */
  ww_host_launches *out;
} ww_host_ir;

/* ---- hostvalue.c ---- */

typedef struct {
  /* what the address is an offset from: alloca, global, load, call, argument */
  LLVMValueRef base;
  int64_t offset; /* bytes */
  bool exact;     /* the offset is constant */
} ww_host_addr;

bool ww_host_int(LLVMValueRef v, int64_t *out); /* a constant integer, sign-extended */
bool ww_host_arg(LLVMValueRef v, ww_arg *out);  /* a constant scalar as an argument */
ww_host_addr ww_host_address(const ww_host_ir *h, LLVMValueRef v);
/* The one value that `size` bytes at base + offset are given by a store or a constant
 * initialiser; false when there are several or none. Vector stores are taken apart. */
bool ww_host_stored(const ww_host_ir *h,
                    LLVMValueRef base,
                    int64_t offset,
                    uint64_t size,
                    int64_t *out);
LLVMValueRef
ww_host_stored_value(const ww_host_ir *h, LLVMValueRef base, int64_t offset);
/* What covers the byte at base + offset: `value` is known where `writes` is 1. */
typedef struct {
  LLVMValueRef value;
  int64_t at;      /* where it begins */
  bool copied;     /* from where value points to */
  uint32_t writes; /* 0: nothing is stored there */
} ww_host_write;
ww_host_write ww_host_written(const ww_host_ir *h, LLVMValueRef base, int64_t offset);
/* Constant size of the allocation that a pointer value comes from (cudaMalloc & co.
 * into the variable it was loaded from, malloc, new); 0 unknown. *origin identifies the
 * allocation. */
uint64_t
ww_host_allocation(const ww_host_ir *h, LLVMValueRef pointer, LLVMValueRef *origin);
/* The size of the allocations into the variable at `want` when all agree; else 0. */
uint64_t ww_host_allocated_into(const ww_host_ir *h, ww_host_addr want);
/* Somebody who cannot be seen from here may write there. */
bool ww_host_escapes(LLVMValueRef memory, int depth);
/* name of a directly called function, or "" */
const char *ww_host_callee(LLVMValueRef call);
bool ww_host_is_call(LLVMValueRef ins);
/* A launch that the instruction makes, with its place. */
ww_host_launch
ww_host_new_launch(const ww_host_ir *h, LLVMValueRef ins, const char *kernel);
ww_arg ww_host_hex(const ww_host_ir *h, int64_t bits, uint32_t n); /* n bytes of them */
/* Of buffers, those of the same allocation get an id. */
typedef struct {
  ww_buffer *buffer;
  LLVMValueRef origin; /* NULL: not known */
} ww_host_owned;
void ww_host_share(const ww_host_ir *h, const ww_host_owned *v, uint32_t n);
/* The same of a launch's arguments; origins: one per argument or NULL. */
void ww_host_share_buffers(const ww_host_ir *h, ww_launch *l, LLVMValueRef *origins);

/* ---- hostlaunch_struct.c ---- */

typedef WW_VEC(ww_host_owned) ww_host_owners;
/* A struct of `size` bytes by value: what lies at `memory`, or one or two values as
 * registers have them (second: NULL). False: part of it is not known. */
bool ww_host_struct_at(const ww_host_ir *h,
                       LLVMValueRef memory,
                       uint32_t size,
                       ww_arg *out,
                       ww_host_owners *owned);
bool ww_host_struct_of(const ww_host_ir *h,
                       const LLVMValueRef values[2],
                       uint32_t size,
                       ww_arg *out,
                       ww_host_owners *owned);

/* ---- one finder per dialect ---- */

void ww_hostlaunch_prepare_cuda(const ww_host_ir *h); /* before optimisation */
void ww_hostlaunch_cuda(const ww_host_ir *h);
void ww_hostlaunch_openmp(const ww_host_ir *h, const ww_omp_envs *envs);
void ww_hostlaunch_opencl(const ww_host_ir *h);

#endif
