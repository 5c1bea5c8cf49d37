// One kernel for CUDA, HIP and OpenCL: bins of a block in shared memory, then added to the grid's.
#include "../../src/measure/compat/warpwise_kernel.h"

#define BINS 64

// warpwise: grid=256 block=128 n=1<<20 x=u32[n] bins=i32[64]:zeros
KERNEL void histogram(int n, GLOBAL const unsigned int *RESTRICT x, GLOBAL int *bins) {
  LOCAL int mine[BINS];
  for (int b = LOCAL_ID(0); b < BINS; b += LOCAL_SIZE(0)) mine[b] = 0;
  BARRIER();
  for (int i = GLOBAL_ID(0); i < n; i += GLOBAL_SIZE(0)) ATOMIC_ADD(&mine[x[i] % BINS], 1);
  BARRIER();
  for (int b = LOCAL_ID(0); b < BINS; b += LOCAL_SIZE(0)) ATOMIC_ADD(&bins[b], mine[b]);
}
