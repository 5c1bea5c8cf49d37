// Blocks turned round through shared memory: asynchronous copies that are waited for or not, arrays of no size, lanes without syncwarp.
#include <cuda_pipeline.h>

// warpwise: grid=n/256 block=256 n=65536 x=f32[n] y=f32[n]
__global__ void turn(int n, const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = x[i];
  __syncthreads();
  y[i] = s[255 - t];
}

// warpwise: grid=n/256 block=256
__global__ void turn_async(int n, const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  __pipeline_memcpy_async(&s[t], &x[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  y[i] = s[255 - t];
}

// warpwise: grid=n/256 block=256
__global__ void turn_no_wait(int n, const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  __pipeline_memcpy_async(&s[t], &x[i], 4);
  __pipeline_commit();
  __syncthreads();
  y[i] = s[255 - t];
}

// One group may stay in flight: this one.
// warpwise: grid=n/256 block=256
__global__ void turn_waits_for_less(int n, const float *x, float *y) {
  __shared__ float s[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  __pipeline_memcpy_async(&s[t], &x[i], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  y[i] = s[255 - t];
}

// Two tiles a block, the second on its way while the first is used.
// warpwise: grid=n/512 block=256
__global__ void turn_two_stages(int n, const float *x, float *y) {
  __shared__ float s[2][256];
  int t = threadIdx.x, i = blockIdx.x * 512 + t;
  __pipeline_memcpy_async(&s[0][t], &x[i], 4);
  __pipeline_commit();
  __pipeline_memcpy_async(&s[1][t], &x[i + 256], 4);
  __pipeline_commit();
  __pipeline_wait_prior(1);
  __syncthreads();
  y[i] = s[0][255 - t];
  __pipeline_wait_prior(0);
  __syncthreads();
  y[i + 256] = s[1][255 - t];
}

// warpwise: grid=n/256 block=256
__global__ void turn_no_array(int n, const float *x, float *y) {
  __shared__ float s[0];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = x[i];
  __syncthreads();
  y[i] = s[255 - t];
}

// Its launch does not say how much shared memory it has.
// warpwise: grid=n/256 block=256
__global__ void turn_unsized(int n, const float *x, float *y) {
  extern __shared__ float unsized[];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  unsized[t] = x[i];
  __syncthreads();
  y[i] = unsized[255 - t];
}

// warpwise: grid=n/32 block=32 n=65536 x=f32[n] y=f32[n]
__global__ void turn_warps(int n, const float *x, float *y) {
  __shared__ float s[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t] = x[i];
  __syncwarp();
  y[i] = s[31 - t];
}

// warpwise: grid=n/32 block=32
__global__ void turn_warps_bare(int n, const float *x, float *y) {
  __shared__ float s[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t] = x[i];
  y[i] = s[31 - t];
}

// An array of no elements: what its block touches fits into the gap behind it.
// warpwise: grid=n/32 block=32
__global__ void turn_warps_no_array(int n, const float *x, float *y) {
  __shared__ float s[0];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  s[t] = x[i];
  __syncwarp();
  y[i] = s[31 - t];
}

// The same beside an array that it might be taken for.
// warpwise: grid=n/32 block=32
__global__ void turn_warps_two_arrays(int n, const float *x, float *y) {
  __shared__ float none[0];
  __shared__ float s[32];
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  none[t] = x[i];
  s[t] = x[i];
  __syncwarp();
  y[i] = 0.5f * none[31 - t] + 0.5f * s[31 - t];
}
