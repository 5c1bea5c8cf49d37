// Radix-2 transforms of 1024 points, one per block, in shared memory.

// warpwise: grid=batch block=512 batch=2048 data=f32[batch*2048]
extern "C" __global__ void fft1024(int batch, float2 *data) {
  if (blockIdx.x >= batch) return;
  __shared__ float2 s[1024];
  float2 *mine = data + (size_t)blockIdx.x * 1024;
  int t = threadIdx.x;
  s[__brev(t) >> 22] = mine[t];
  s[__brev(t + 512) >> 22] = mine[t + 512];
  __syncthreads();
  for (int half = 1; half < 1024; half *= 2) {
    int k = t % half, at = (t / half) * 2 * half + k;
    float sn, cs;
    __sincosf(-3.14159265f * k / half, &sn, &cs);
    float2 a = s[at], b = s[at + half], c = make_float2(b.x * cs - b.y * sn, b.x * sn + b.y * cs);
    __syncthreads();
    s[at] = make_float2(a.x + c.x, a.y + c.y);
    s[at + half] = make_float2(a.x - c.x, a.y - c.y);
    __syncthreads();
  }
  mine[t] = s[t];
  mine[t + 512] = s[t + 512];
}
