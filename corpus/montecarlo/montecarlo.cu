// Random numbers from counters and from a state per thread; compute with hardly any memory.

__device__ unsigned next(unsigned &s) {
  s ^= s << 13, s ^= s >> 17, s ^= s << 5;
  return s;
}

// warpwise: grid=n/256 block=256 n=270336 steps=1000 hits=u32[n]
extern "C" __global__ void pi_hits(int n, int steps, unsigned *hits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = i * 747796405u + 2891336453u, inside = 0;
  for (int k = 0; k < steps; k++) {
    float x = next(s) * 2.3283064e-10f, y = next(s) * 2.3283064e-10f;
    inside += x * x + y * y < 1.0f;
  }
  hits[i] = inside;
}

// Paths of a stock price, Box-Muller normals.
// warpwise: grid=(n+127)/128 block=128 n=131072 steps=64 price=f32[n]
extern "C" __global__ void asian_option(int n, int steps, float *price) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned s = i * 747796405u + 1u;
  float p = 100.0f, sum = 0.0f;
  for (int k = 0; k < steps; k++) {
    float u = (next(s) | 1u) * 2.3283064e-10f, v = next(s) * 2.3283064e-10f;
    float z = sqrtf(-2.0f * logf(u)) * cosf(6.2831853f * v);
    p *= expf(0.0002f + 0.01f * z);
    sum += p;
  }
  price[i] = fmaxf(sum / steps - 100.0f, 0.0f);
}
