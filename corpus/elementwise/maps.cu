// One element in, one out: cheap and dear functions, wide loads, several elements per thread, integers.

template <int degree, typename T> __device__ T horner(T x) {
  T s = T(0.25);
#pragma unroll
  for (int k = 0; k < degree; k++) s = s * x + T(1.0) / T(k + 1);
  return s;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=f32[n] y=f32[n]
extern "C" __global__ void poly8(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = horner<8>(x[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=f32[n] y=f32[n]
extern "C" __global__ void poly128(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = horner<128>(x[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=f64[n] y=f64[n]
extern "C" __global__ void poly32_double(int n, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = horner<32>(x[i]);
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=f32[n]:uniform(0,100) y=f32[n]
extern "C" __global__ void damped_wave(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  y[i] = expf(-0.05f * v) * sinf(v) + logf(1.0f + v) * rsqrtf(v + 1.0f);
}

// warpwise: grid=(n+127)/128 block=128 n=1<<19 x=f64[n]:uniform(1,50) y=f64[n]
extern "C" __global__ void damped_wave_double(int n, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = exp(-0.05 * x[i]) * sin(x[i]) + log(x[i]) / sqrt(x[i] + 1.0);
}

// Each thread takes `each` elements, a block apart: as many loads in flight.
template <int each> __device__ void distance(int n, const float *x, const float *y, const float *z, float *r) {
  int base = blockIdx.x * blockDim.x * each + threadIdx.x;
  float a[each], b[each], c[each];
#pragma unroll
  for (int k = 0; k < each; k++) {
    int i = base + k * blockDim.x;
    a[k] = i < n ? x[i] : 0.0f, b[k] = i < n ? y[i] : 0.0f, c[k] = i < n ? z[i] : 0.0f;
  }
#pragma unroll
  for (int k = 0; k < each; k++)
    if (base + k * blockDim.x < n) r[base + k * blockDim.x] = sqrtf(a[k] * a[k] + b[k] * b[k] + c[k] * c[k]);
}

// warpwise: grid=(n+511)/512 block=256 n=1<<21 x=f32[n] y=f32[n] z=f32[n] r=f32[n]
extern "C" __global__ void distance_2(int n, const float *x, const float *y, const float *z, float *r) {
  distance<2>(n, x, y, z, r);
}

// warpwise: grid=(n+2047)/2048 block=256 n=1<<21 x=f32[n] y=f32[n] z=f32[n] r=f32[n]
extern "C" __global__ void distance_8(int n, const float *x, const float *y, const float *z, float *r) {
  distance<8>(n, x, y, z, r);
}

// Four unsigned bytes to a word, added with saturation.
__device__ unsigned add_bytes(unsigned a, unsigned b) {
  unsigned low = (a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu), both = a & b, any = a | b;
  unsigned over = (both | (any & low)) & 0x80808080u;
  return (low ^ ((a ^ b) & 0x80808080u)) | (over >> 7) * 255u;
}

// warpwise: grid=(n/16+255)/256 block=256 n=1<<24 a=u32[n/4]:uniform(0,4294967296) b=u32[n/4]:uniform(0,4294967296) c=u32[n/4]
extern "C" __global__ void saturate_add(int n, const uint4 *a, const uint4 *b, uint4 *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 16) return;
  uint4 u = a[i], v = b[i];
  c[i] = make_uint4(add_bytes(u.x, v.x), add_bytes(u.y, v.y), add_bytes(u.z, v.z), add_bytes(u.w, v.w));
}

// A divisor known only at run time: integer division in software.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 d=37 x=i32[n]:uniform(0,1000000000) q=i32[n] r=i32[n]
extern "C" __global__ void divide_each(int n, int d, const int *x, int *q, int *r) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i];
  q[i] = v / d, r[i] = v % d;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=u64[n]:random y=u64[n]:random z=u64[n]
extern "C" __global__ void divide_wide(int n, const unsigned long long *x, const unsigned long long *y,
                                       unsigned long long *z) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] / (y[i] >> 33 | 1) + (x[i] ^ y[i]) % 1000003u;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=u32[n]:uniform(0,4294967296) y=u32[n]
extern "C" __global__ void bit_tricks(int n, const unsigned *x, unsigned *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = x[i];
  y[i] = (__popc(v) << 16) + (__clz(v) << 8) + __ffs(v) + (__brev(v) >> 20) + (v & -v) % 31;
}

// Several passes over the same data: the later ones come from cache when n is small.
// warpwise: grid=264 block=256 n=1<<20 passes=4 x=f32[n] y=f32[n]
extern "C" __global__ void repeated_mix(int n, int passes, const float *x, float *y) {
  for (int p = 0; p < passes; p++)
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
      y[i] = 0.5f * y[i] + x[i] * (p + 1);
}
