// Latency and nothing else.

// warpwise: grid=1 block=32 steps=1000 next=i32[1<<20]:permutation out=i32[32]
extern "C" __global__ void chase_warp(int steps, const int *next, int *out) {
  int at = threadIdx.x;
  for (int k = 0; k < steps; k++) at = next[at];
  out[threadIdx.x] = at;
}

// warpwise: grid=132 block=128 steps=200 next=i32[1<<22]:permutation out=i32[132*128]
extern "C" __global__ void chase_many(int steps, const int *next, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  for (int k = 0; k < steps; k++) at = next[at];
  out[i] = at;
}

// warpwise: grid=1 block=32 out=i32[32]
extern "C" __global__ void nothing(int *out) {
  if (threadIdx.x > 31) out[0] = 1;
}

// A chain of dependent multiply-adds.
// warpwise: grid=132 block=32 steps=10000 x=1.0001 out=f32[132*32]
extern "C" __global__ void chain(int steps, float x, float *out) {
  float s = threadIdx.x;
  for (int k = 0; k < steps; k++) s = s * x + 0.5f;
  out[blockIdx.x * 32 + threadIdx.x] = s;
}

// warpwise: grid=1056 block=256 steps=4096 x=0.999 out=f32[1056*256]
extern "C" __global__ void fma_peak(int steps, float x, float *out) {
  float a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3, e = a + 4, f = a + 5, g = a + 6, h = a + 7;
  for (int k = 0; k < steps; k++)
    a = a * x + 1, b = b * x + 1, c = c * x + 1, d = d * x + 1, e = e * x + 1, f = f * x + 1, g = g * x + 1, h = h * x + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d + e + f + g + h;
}

// warpwise: grid=1056 block=256 steps=2048 x=0.999 out=f64[1056*256]
extern "C" __global__ void dfma_peak(int steps, double x, double *out) {
  double a = threadIdx.x, b = a + 1, c = a + 2, d = a + 3;
  for (int k = 0; k < steps; k++) a = a * x + 1, b = b * x + 1, c = c * x + 1, d = d * x + 1;
  out[blockIdx.x * blockDim.x + threadIdx.x] = a + b + c + d;
}
