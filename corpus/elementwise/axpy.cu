// Streams: one multiply-add per element, in the ways people write it.

// warpwise: grid=(n+255)/256 block=256 n=1<<22 a=2.0 x=f32[n] y=f32[n]
extern "C" __global__ void axpy(int n, float a, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// warpwise: grid=(n/4+255)/256 block=256 n=1<<22 a=2.0 x=f32[n] y=f32[n]
extern "C" __global__ void axpy_vec4(int n, float a, const float4 *x, float4 *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n) {
    float4 u = x[i], v = y[i];
    v.x += a * u.x, v.y += a * u.y, v.z += a * u.z, v.w += a * u.w;
    y[i] = v;
  }
}

// warpwise: grid=1056 block=256 n=1<<22 a=2.0 x=f32[n] y=f32[n]
extern "C" __global__ void axpy_gridstride(int n, float a, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 a=2.0 x=f64[n] y=f64[n]
extern "C" __global__ void daxpy(int n, double a, const double *x, double *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 x=f32[n] y=f32[n] z=f32[n] w=f32[n] out=f32[n]
extern "C" __global__ void fused4(int n, const float *x, const float *y, const float *z, const float *w, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = (x[i] + y[i]) * (z[i] - w[i]);
}
