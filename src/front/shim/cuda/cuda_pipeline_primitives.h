/* Asynchronous copies from global to shared memory: cp.async where it can be had, so that commits and waits are told; else,
 * and for copies that fill up with zeros, copies that are complete at once. */
#ifndef WW_PIPELINE_PRIMITIVES_H
#define WW_PIPELINE_PRIMITIVES_H
#include "ww_cuda.h"

#ifdef __NVPTX__
#define WW_CP_ASYNC(how, bytes)                                                                                          \
  asm volatile("cp.async." how ".shared.global [%0], [%1], " #bytes ";" ::"r"((unsigned)__cvta_generic_to_shared(dst)), \
               "l"(src)                                                                                                  \
               : "memory")
#define WW_CP_WAIT(left) asm volatile("cp.async.wait_group " #left ";" ::: "memory")
#endif

WW_D void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill = 0) {
  if (zfill) { /* the last zfill bytes become zero */
    for (size_t i = 0; i < size; i++) ((char *)dst)[i] = i < size - zfill ? ((const char *)src)[i] : 0;
    return;
  }
  switch (size) {
#ifdef __NVPTX__
  case 4: WW_CP_ASYNC("ca", 4); break;
  case 8: WW_CP_ASYNC("ca", 8); break;
  case 16: WW_CP_ASYNC("cg", 16); break;
#endif
  default: for (size_t i = 0; i < size; i++) ((char *)dst)[i] = ((const char *)src)[i];
  }
}
WW_D void __pipeline_commit(void) {
#ifdef __NVPTX__
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
WW_D void __pipeline_wait_prior(size_t left) {
#ifdef __NVPTX__
  switch (left) {
  case 0: WW_CP_WAIT(0); break;
  case 1: WW_CP_WAIT(1); break;
  case 2: WW_CP_WAIT(2); break;
  case 3: WW_CP_WAIT(3); break;
  case 4: WW_CP_WAIT(4); break;
  case 5: WW_CP_WAIT(5); break;
  case 6: WW_CP_WAIT(6); break;
  default: WW_CP_WAIT(7); break; /* the last: eight stages are many */
  }
#else
  (void)left;
#endif
}
#endif
