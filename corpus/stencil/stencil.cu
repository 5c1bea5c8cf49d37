// Neighbours in one, two and three dimensions.

// warpwise: grid=(n+255)/256 block=256 n=1<<22 in=f32[n] out=f32[n]
extern "C" __global__ void blur1d(int n, const float *in, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4 || i >= n - 4) return;
  float s = 0.0f;
  for (int d = -4; d <= 4; d++) s += in[i + d];
  out[i] = s * (1.0f / 9.0f);
}

// warpwise: grid=n/32,n/8 block=32,8 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void jacobi2d(int n, const float *in, float *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  const float *p = in + (size_t)y * n + x;
  out[(size_t)y * n + x] = 0.25f * (p[-1] + p[1] + p[-n] + p[n]);
}

// warpwise: grid=n/32,n/32 block=32,32 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void jacobi2d_tiled(int n, const float *in, float *out) {
  __shared__ float s[34][34];
  int tx = threadIdx.x + 1, ty = threadIdx.y + 1, x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  size_t at = (size_t)y * n + x;
  s[ty][tx] = in[at];
  if (threadIdx.x == 0) s[ty][0] = x > 0 ? in[at - 1] : 0.0f;
  if (threadIdx.x == 31) s[ty][33] = x < n - 1 ? in[at + 1] : 0.0f;
  if (threadIdx.y == 0) s[0][tx] = y > 0 ? in[at - n] : 0.0f;
  if (threadIdx.y == 31) s[33][tx] = y < n - 1 ? in[at + n] : 0.0f;
  __syncthreads();
  out[at] = 0.25f * (s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
}

// warpwise: grid=n/32,n/4,n block=32,4 n=256 in=f32[n*n*n] out=f32[n*n*n]
extern "C" __global__ void heat3d(int n, const float *in, float *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  size_t i = ((size_t)z * n + y) * n + x, plane = (size_t)n * n;
  out[i] = 0.4f * in[i] + 0.1f * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane]);
}

// Each thread walks a column of z and keeps its neighbours in registers.
// warpwise: grid=n/32,n/8 block=32,8 n=256 in=f64[n*n*n] out=f64[n*n*n]
extern "C" __global__ void heat3d_column(int n, const double *in, double *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  size_t plane = (size_t)n * n, i = (size_t)y * n + x;
  double below = in[i], here = in[i + plane];
  for (int z = 1; z < n - 1; z++) {
    i += plane;
    double above = in[i + plane];
    out[i] = 0.4 * here + 0.1 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + below + above);
    below = here, here = above;
  }
}
