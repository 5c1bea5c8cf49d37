// Complex numbers: products, sums, matrices, roots, phases, fractals; and quaternions.

__device__ float2 times(float2 a, float2 b) { return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }

// warpwise: grid=(n+255)/256 block=256 n=1<<21 a=f32[2*n] b=f32[2*n] c=f32[2*n]
extern "C" __global__ void multiply(int n, const float2 *a, const float2 *b, float2 *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = times(a[i], b[i]);
}

// Two at a time, the second conjugated, scaled: what stands between two transforms in a correlation.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<21 scale=0.001 a=f32[2*n] b=f32[2*n]
extern "C" __global__ void correlate(int n, float scale, float4 *a, const float4 *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 2) return;
  float4 u = a[i], v = b[i];
  a[i] = make_float4((u.x * v.x + u.y * v.y) * scale, (u.y * v.x - u.x * v.y) * scale, (u.z * v.z + u.w * v.w) * scale,
                     (u.w * v.z - u.z * v.w) * scale);
}

// warpwise: grid=528 block=256 n=1<<20 re=0.5 im=0.25 x=f64[2*n] y=f64[2*n]
extern "C" __global__ void zaxpy(int n, double re, double im, const double2 *x, double2 *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    double2 u = x[i], v = y[i];
    y[i] = make_double2(v.x + re * u.x - im * u.y, v.y + re * u.y + im * u.x);
  }
}

// warpwise: grid=264 block=256 n=1<<21 x=f32[2*n] y=f32[2*n] sum=f32[2]:zeros
extern "C" __global__ void cdot(int n, const float2 *x, const float2 *y, float *sum) {
  float2 s = make_float2(0.0f, 0.0f);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float2 u = x[i], v = y[i];
    s.x += u.x * v.x + u.y * v.y, s.y += u.x * v.y - u.y * v.x;
  }
  for (int d = 16; d > 0; d >>= 1)
    s.x += __shfl_down_sync(0xffffffffu, s.x, d), s.y += __shfl_down_sync(0xffffffffu, s.y, d);
  if (threadIdx.x % 32 == 0) atomicAdd(&sum[0], s.x), atomicAdd(&sum[1], s.y);
}

// warpwise: grid=(m+7)/8 block=256 m=2048 n=2048 a=f32[2*m*n] x=f32[2*n] y=f32[2*m]
extern "C" __global__ void cgemv(int m, int n, const float2 *a, const float2 *x, float2 *y) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= m) return;
  float re = 0.0f, im = 0.0f;
  for (int k = lane; k < n; k += 32) {
    float2 u = a[(size_t)r * n + k], v = x[k];
    re += u.x * v.x - u.y * v.y, im += u.x * v.y + u.y * v.x;
  }
  for (int d = 16; d > 0; d >>= 1) re += __shfl_xor_sync(0xffffffffu, re, d), im += __shfl_xor_sync(0xffffffffu, im, d);
  if (lane == 0) y[r] = make_float2(re, im);
}

// Tiles of 16, real and imaginary parts apart in shared memory; any size.
// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=512 a=f32[2*n*n] b=f32[2*n*n] c=f32[2*n*n]
extern "C" __global__ void cgemm(int n, const float2 *a, const float2 *b, float2 *c) {
  __shared__ float ar[16][17], ai[16][17], br[16][16], bi[16][16];
  int tx = threadIdx.x, ty = threadIdx.y, col = blockIdx.x * 16 + tx, row = blockIdx.y * 16 + ty;
  float re = 0.0f, im = 0.0f;
  for (int k0 = 0; k0 < n; k0 += 16) {
    float2 u = row < n && k0 + tx < n ? a[(size_t)row * n + k0 + tx] : make_float2(0, 0);
    float2 v = k0 + ty < n && col < n ? b[(size_t)(k0 + ty) * n + col] : make_float2(0, 0);
    ar[ty][tx] = u.x, ai[ty][tx] = u.y, br[ty][tx] = v.x, bi[ty][tx] = v.y;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; k++) {
      re += ar[ty][k] * br[k][tx] - ai[ty][k] * bi[k][tx];
      im += ar[ty][k] * bi[k][tx] + ai[ty][k] * br[k][tx];
    }
    __syncthreads();
  }
  if (row < n && col < n) c[(size_t)row * n + col] = make_float2(re, im);
}

// A carrier taken off a signal: the phase grows with the sample.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 step=0.01 x=f32[2*n] y=f32[2*n]
extern "C" __global__ void mix_down(int n, float step, const float2 *x, float2 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s, c;
  sincosf(step * i, &s, &c);
  y[i] = times(x[i], make_float2(c, -s));
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=f32[2*n] size=f32[n] angle=f32[n]
extern "C" __global__ void polar(int n, const float2 *x, float *size, float *angle) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) size[i] = hypotf(x[i].x, x[i].y), angle[i] = atan2f(x[i].y, x[i].x);
}

// All roots at once: each moves by the polynomial's value over the product of its distances. A polynomial per block.
// warpwise: grid=count block=32 count=2048 rounds=20 coef=f64[count*33] root=f64[count*64]
extern "C" __global__ void all_roots(int count, int rounds, const double *coef, double2 *root) {
  __shared__ double2 z[32];
  if (blockIdx.x >= count) return;
  int t = threadIdx.x;
  const double *c = coef + (size_t)blockIdx.x * 33;
  double2 w;
  sincospi((t + 0.3) / 16.0, &w.y, &w.x); // from points around the circle
  for (int k = 0; k < rounds; k++) {
    z[t] = w;
    __syncthreads();
    double2 p = make_double2(c[32] + 1.0, 0.0), q = p;
    for (int j = 31; j >= 0; j--) p = make_double2(p.x * w.x - p.y * w.y + c[j], p.x * w.y + p.y * w.x);
    for (int j = 0; j < 32; j++) {
      double2 d = j == t ? make_double2(1.0, 0.0) : make_double2(w.x - z[j].x, w.y - z[j].y);
      q = make_double2(q.x * d.x - q.y * d.y, q.x * d.y + q.y * d.x);
    }
    double inv = 1.0 / (q.x * q.x + q.y * q.y + 1e-300);
    w.x -= (p.x * q.x + p.y * q.y) * inv, w.y -= (p.y * q.x - p.x * q.y) * inv;
    __syncthreads();
  }
  root[(size_t)blockIdx.x * 32 + t] = w;
}

// Which cube root of one Newton's method ends at, and after how many steps.
// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=1024 h=1024 most=50 kind=u8[w*h]
extern "C" __global__ void newton_basins(int w, int h, int most, unsigned char *kind) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float2 z = make_float2(3.0f * x / w - 1.5f + 1e-4f, 3.0f * y / h - 1.5f + 1e-4f);
  int k = 0;
  for (; k < most; k++) {
    float2 s = times(z, z), t = times(s, z);
    float inv = 1.0f / (3.0f * (s.x * s.x + s.y * s.y) + 1e-20f), fx = t.x - 1.0f;
    if (fx * fx + t.y * t.y < 1e-8f) break;
    z.x -= (fx * s.x + t.y * s.y) * inv, z.y -= (t.y * s.x - fx * s.y) * inv;
  }
  kind[(size_t)y * w + x] = (z.x > 0.0f ? 0 : z.y > 0.0f ? 1 : 2) | min(k, 63) << 2;
}

// Sensors added up with a phase for each direction: a block per direction and stretch of samples.
// warpwise: grid=(samples+127)/128,beams block=128 sensors=64 samples=8192 beams=32 weight=f32[2*sensors*beams] x=f32[2*sensors*samples] y=f32[2*beams*samples]
extern "C" __global__ void beams(int sensors, int samples, int beams, const float2 *weight, const float2 *x,
                                 float2 *y) {
  int s = blockIdx.x * blockDim.x + threadIdx.x, b = blockIdx.y;
  if (s >= samples || b >= beams) return;
  float2 sum = make_float2(0.0f, 0.0f);
  for (int k = 0; k < sensors; k++) {
    float2 v = times(weight[b * sensors + k], x[(size_t)k * samples + s]);
    sum.x += v.x, sum.y += v.y;
  }
  y[(size_t)b * samples + s] = sum;
}

// Points turned by unit quaternions, one each.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 q=f32[4*n] p=f32[4*n]
extern "C" __global__ void turn_points(int n, const float4 *q, float4 *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 r = q[i], v = p[i];
  float f = rsqrtf(r.x * r.x + r.y * r.y + r.z * r.z + r.w * r.w + 1e-20f);
  r.x *= f, r.y *= f, r.z *= f, r.w *= f;
  float tx = 2.0f * (r.y * v.z - r.z * v.y), ty = 2.0f * (r.z * v.x - r.x * v.z), tz = 2.0f * (r.x * v.y - r.y * v.x);
  v.x += r.w * tx + r.y * tz - r.z * ty, v.y += r.w * ty + r.z * tx - r.x * tz, v.z += r.w * tz + r.x * ty - r.y * tx;
  p[i] = v;
}
