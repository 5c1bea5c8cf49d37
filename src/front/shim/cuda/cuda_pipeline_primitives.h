/* Asynchronous copies from global to shared memory, as copies that are complete at once. Waiting is then free; the
 * data is what the program would see after its own wait and barrier. */
#ifndef WW_PIPELINE_PRIMITIVES_H
#define WW_PIPELINE_PRIMITIVES_H
#include "ww_cuda.h"

WW_D void __pipeline_memcpy_async(void *dst, const void *src, size_t size, size_t zfill = 0) {
  if (zfill) { /* the last zfill bytes become zero */
    for (size_t i = 0; i < size; i++) ((char *)dst)[i] = i < size - zfill ? ((const char *)src)[i] : 0;
    return;
  }
  switch (size) {
  case 4: *(unsigned *)dst = *(const unsigned *)src; break;
  case 8: *(uint2 *)dst = *(const uint2 *)src; break;
  case 16: *(uint4 *)dst = *(const uint4 *)src; break;
  default: for (size_t i = 0; i < size; i++) ((char *)dst)[i] = ((const char *)src)[i];
  }
}
WW_D void __pipeline_commit(void) {}
WW_D void __pipeline_wait_prior(size_t) {}
#endif
