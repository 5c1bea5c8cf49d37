// One fault of each kind; every kernel whose own code is sound must survive.
#include <no/such/header.h>
#include "helper_missing.h"

#define BLOCK 256

struct Broken {
  unknown_type_t field;
  __device__ float good(float x) const { return x * 2.0f; }
};

__device__ float lost_helper(float x) { return undeclared_function(x); }
__device__ float sound_helper(float x) { return x + 1.0f; }

__global__ void sound(float *x, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n) x[i] = sound_helper(x[i]);
}

__global__ void bad_body(float *x, const int n) {
  x[threadIdx.x] = no_such_name + n;
}

__global__ void calls_lost(float *x) { x[threadIdx.x] = lost_helper(x[threadIdx.x]); }

__global__ void bad_signature(float *x, missing_t y, int n) { x[n] = 0.0f; }

template <typename T, int B> __global__ void only_from_host(T *x, int n) {
  __shared__ T s[B];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  if (n) x[threadIdx.x] = s[B - 1 - threadIdx.x];
}

int this is not a declaration at all;

void run(float *x, int n) {
  UnknownTimer timer;
  timer.start();
  for (int i = 0; i < n; i++) {
    only_from_host<float, 128><<<n, 128>>>(x, mystery(n));
  }
  only_from_host<double, 64><<<1, 64>>>((double *)x, timer.count());
  sound<<<n / BLOCK, BLOCK>>>(x, n);
}

extern "C" __global__ void sound_last(int *x) { x[threadIdx.x] += 1; }
