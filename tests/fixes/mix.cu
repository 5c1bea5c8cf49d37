// Many values alive at once: registers leave room for few warps.
// expect: low-occupancy
// warpwise: grid=n/256 block=256 n=1<<18 steps=64 x=[n*64] out=[n]
__global__ void mix(const float *__restrict__ x, float *__restrict__ out, int n, int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[80];
#pragma unroll
  for (int k = 0; k < 80; k++) a[k] = k * 0.01f;
  for (int s = 0; s < steps; s++) {
    float v = x[s * n + i];
#pragma unroll
    for (int k = 0; k < 80; k++) a[k] += v * a[(k * 7 + 3) % 80];
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 80; k++) sum += a[k];
  out[i] = sum;
}
