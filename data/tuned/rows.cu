// Rows of floats: norms, softmax, sums; four numbers at a time, kept in registers between the passes.
__device__ float warp_sum(float v) {
  for (int o = 16; o; o /= 2) v += __shfl_xor_sync(~0u, v, o);
  return v;
}
__device__ float warp_max(float v) {
  for (int o = 16; o; o /= 2) v = fmaxf(v, __shfl_xor_sync(~0u, v, o));
  return v;
}
template <int WARPS> __device__ float block_sum(float v) {
  __shared__ float part[WARPS];
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
  __syncthreads();
  float s = 0;
  for (int i = 0; i < WARPS; i++) s += part[i];
  __syncthreads();
  return s;
}

// warpwise: grid=rows block=256 rows=4096 x=f32[rows*4096] g=f32[4096] y=f32[rows*4096]
extern "C" __global__ void rms_norm(int rows, const float *x, const float *g, float *y) {
  const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 4096);
  float4 v[4], *out = (float4 *)(y + (size_t)blockIdx.x * 4096);
  float s = 0;
  for (int i = 0; i < 4; i++) {
    v[i] = row[threadIdx.x + 256 * i];
    s += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
  float r = rsqrtf(block_sum<8>(s) / 4096 + 1e-5f);
  for (int i = 0; i < 4; i++) {
    float4 w = ((const float4 *)g)[threadIdx.x + 256 * i];
    out[threadIdx.x + 256 * i] = make_float4(v[i].x * r * w.x, v[i].y * r * w.y, v[i].z * r * w.z, v[i].w * r * w.w);
  }
}

// warpwise: grid=rows block=256 rows=4096 x=f32[rows*2048] y=f32[rows*2048]
extern "C" __global__ void layer_norm(int rows, const float *x, float *y) {
  const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 2048);
  float4 v[2], *out = (float4 *)(y + (size_t)blockIdx.x * 2048);
  float s = 0, q = 0;
  for (int i = 0; i < 2; i++) {
    v[i] = row[threadIdx.x + 256 * i];
    s += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  float mean = block_sum<8>(s) / 2048;
  for (int i = 0; i < 2; i++) {
    v[i] = make_float4(v[i].x - mean, v[i].y - mean, v[i].z - mean, v[i].w - mean);
    q += v[i].x * v[i].x + v[i].y * v[i].y + v[i].z * v[i].z + v[i].w * v[i].w;
  }
  float r = rsqrtf(block_sum<8>(q) / 2048 + 1e-5f);
  for (int i = 0; i < 2; i++) out[threadIdx.x + 256 * i] = make_float4(v[i].x * r, v[i].y * r, v[i].z * r, v[i].w * r);
}

// A warp a row.
// warpwise: grid=rows/8 block=256 rows=65536 x=f32[rows*512] y=f32[rows*512]
extern "C" __global__ void softmax_warp(int rows, const float *x, float *y) {
  int row = blockIdx.x * 8 + threadIdx.x / 32, lane = threadIdx.x % 32;
  const float4 *in = (const float4 *)(x + (size_t)row * 512);
  float4 v[4], *out = (float4 *)(y + (size_t)row * 512);
  float m = -1e30f, s = 0;
  for (int i = 0; i < 4; i++) {
    v[i] = in[lane + 32 * i];
    m = fmaxf(m, fmaxf(fmaxf(v[i].x, v[i].y), fmaxf(v[i].z, v[i].w)));
  }
  m = warp_max(m);
  for (int i = 0; i < 4; i++) {
    v[i] = make_float4(__expf(v[i].x - m), __expf(v[i].y - m), __expf(v[i].z - m), __expf(v[i].w - m));
    s += v[i].x + v[i].y + v[i].z + v[i].w;
  }
  float r = 1 / warp_sum(s);
  for (int i = 0; i < 4; i++) out[lane + 32 * i] = make_float4(v[i].x * r, v[i].y * r, v[i].z * r, v[i].w * r);
}

// warpwise: grid=rows block=512 rows=1024 x=f32[rows*16384] y=f32[rows]
extern "C" __global__ void row_sums(int rows, const float *x, float *y) {
  const float4 *row = (const float4 *)(x + (size_t)blockIdx.x * 16384);
  float4 s = make_float4(0, 0, 0, 0);
  for (int i = threadIdx.x; i < 4096; i += 512) {
    float4 v = row[i];
    s.x += v.x;
    s.y += v.y;
    s.z += v.z;
    s.w += v.w;
  }
  float all = block_sum<16>(s.x + s.y + s.z + s.w);
  if (!threadIdx.x) y[blockIdx.x] = all;
}
