// Stencils with more points, steps and state: far neighbours, several steps per visit, colours, waves, coarser grids.

// One dimension, `radius` neighbours on both sides, staged in shared memory with a halo.
template <int radius> __device__ void star1d(int n, const float *w, const float *in, float *out) {
  __shared__ float s[256 + 2 * radius];
  int t = threadIdx.x, first = blockIdx.x * 256 - radius;
  for (int k = t; k < 256 + 2 * radius; k += 256) {
    int i = first + k;
    s[k] = in[i < 0 ? 0 : i >= n ? n - 1 : i];
  }
  __syncthreads();
  float a = w[0] * s[t + radius];
#pragma unroll
  for (int d = 1; d <= radius; d++) a += w[d] * (s[t + radius - d] + s[t + radius + d]);
  if (blockIdx.x * 256 + t < n) out[blockIdx.x * 256 + t] = a;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<22 w=f32[5] in=f32[n] out=f32[n]
extern "C" __global__ void star1d_4(int n, const float *w, const float *in, float *out) { star1d<4>(n, w, in, out); }

// warpwise: grid=(n+255)/256 block=256 n=1<<22 w=f32[33] in=f32[n] out=f32[n]
extern "C" __global__ void star1d_32(int n, const float *w, const float *in, float *out) { star1d<32>(n, w, in, out); }

// Eight steps of diffusion on a stretch of a line before it is written: the halo shrinks by one each step.
// warpwise: grid=(n+239)/240 block=256 n=1<<21 k=0.2 in=f64[n] out=f64[n]
extern "C" __global__ void diffuse8(int n, double k, const double *in, double *out) {
  __shared__ double s[2][256];
  int t = threadIdx.x, i = blockIdx.x * 240 + t - 8;
  s[0][t] = in[i < 0 ? 0 : i >= n ? n - 1 : i];
  __syncthreads();
  for (int step = 0; step < 8; step++) {
    const double *a = s[step % 2];
    int l = t > 0 ? t - 1 : 0, r = t < 255 ? t + 1 : 255;
    s[1 - step % 2][t] = a[t] + k * (a[l] - 2.0 * a[t] + a[r]);
    __syncthreads();
  }
  if (t >= 8 && t < 248 && i < n) out[i] = s[0][t];
}

// Eight directions of change, a full 3 x 3, read straight from global memory; any width and height.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=2048 c=f32[9] in=f32[w*h] out=f32[w*h]
extern "C" __global__ void nine_point(int w, int h, const float *c, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float s = 0.0f;
#pragma unroll
  for (int dy = -1; dy <= 1; dy++)
#pragma unroll
    for (int dx = -1; dx <= 1; dx++) {
      int u = min(max(x + dx, 0), w - 1), v = min(max(y + dy, 0), h - 1);
      s += c[(dy + 1) * 3 + dx + 1] * in[(size_t)v * w + u];
    }
  out[(size_t)y * w + x] = s;
}

// Fourth neighbours in both directions, the tile and its arms in shared memory.
// warpwise: grid=n/32,n/16 block=32,16 n=2048 in=f32[n*n] out=f32[n*n]
extern "C" __global__ void cross4(int n, const float *in, float *out) {
  __shared__ float s[24][40];
  if ((blockIdx.x + 1) * 32 > n || (blockIdx.y + 1) * 16 > n) return;
  int x0 = blockIdx.x * 32 - 4, y0 = blockIdx.y * 16 - 4;
  for (int k = threadIdx.y * 32 + threadIdx.x; k < 24 * 40; k += 512) {
    int x = min(max(x0 + k % 40, 0), n - 1), y = min(max(y0 + k / 40, 0), n - 1);
    s[k / 40][k % 40] = in[(size_t)y * n + x];
  }
  __syncthreads();
  int tx = threadIdx.x + 4, ty = threadIdx.y + 4;
  const float c[5] = {-2.847222f, 1.6f, -0.2f, 0.0253968f, -0.0017857f};
  float a = 2.0f * c[0] * s[ty][tx];
#pragma unroll
  for (int d = 1; d <= 4; d++) a += c[d] * ((s[ty][tx - d] + s[ty][tx + d]) + (s[ty - d][tx] + s[ty + d][tx]));
  out[(size_t)(y0 + ty) * n + x0 + tx] = a;
}

// Every other cell, from its neighbours of the other colour, in place.
// warpwise: grid=(n/2+63)/64,(n+3)/4 block=64,4 n=2048 colour=0 omega=1.5 u=f64[n*n] f=f64[n*n]
extern "C" __global__ void relax_colour(int n, int colour, double omega, double *u, const double *f) {
  int y = blockIdx.y * 4 + threadIdx.y, x = 2 * (blockIdx.x * 64 + threadIdx.x) + ((y + colour) & 1);
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  size_t i = (size_t)y * n + x;
  u[i] += omega * (0.25 * (u[i - 1] + u[i + 1] + u[i - n] + u[i + n] - f[i]) - u[i]);
}

// A wave: two old states, a speed per cell, and an absorbing rim.
// warpwise: grid=(n+63)/64,(n+3)/4 block=64,4 n=2048 c=f32[n*n] before=f32[n*n] now=f32[n*n] after=f32[n*n]
extern "C" __global__ void wave2d(int n, const float *c, const float *before, const float *now, float *after) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= n || y >= n) return;
  size_t i = (size_t)y * n + x;
  float here = now[i], lap = -4.0f * here;
  lap += (x > 0 ? now[i - 1] : 0.0f) + (x < n - 1 ? now[i + 1] : 0.0f) + (y > 0 ? now[i - n] : 0.0f) +
         (y < n - 1 ? now[i + n] : 0.0f);
  int rim = min(min(x, n - 1 - x), min(y, n - 1 - y));
  float damp = rim < 20 ? 1.0f - 0.02f * (20 - rim) : 1.0f;
  after[i] = damp * (2.0f * here - before[i] + 0.3f * c[i] * c[i] * lap);
}

// All 27 neighbours; a plane at a time in shared memory, the planes above and below in registers.
// warpwise: grid=(n+29)/30,(n+5)/6,(n+31)/32 block=32,8 n=256 in=f32[n*n*n] out=f32[n*n*n]
extern "C" __global__ void box27(int n, const float *in, float *out) {
  __shared__ float s[8][32];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 30 + tx - 1, y = blockIdx.y * 6 + ty - 1;
  int cx = min(max(x, 0), n - 1), cy = min(max(y, 0), n - 1), z0 = blockIdx.z * 32, z1 = min(n, z0 + 32);
  bool mine = tx > 0 && tx < 31 && ty > 0 && ty < 7 && x < n && y < n;
  float below = 0.0f, here = 0.0f; // sums of nine in a plane
  for (int z = z0 - 1; z <= z1; z++) {
    s[ty][tx] = in[((size_t)min(max(z, 0), n - 1) * n + cy) * n + cx];
    __syncthreads();
    float above = 0.0f;
    if (mine)
      for (int d = -1; d <= 1; d++) above += s[ty + d][tx - 1] + s[ty + d][tx] + s[ty + d][tx + 1];
    if (mine && z > z0) out[((size_t)(z - 1) * n + y) * n + x] = (below + here + above) * (1.0f / 27.0f);
    below = here, here = above;
    __syncthreads();
  }
}

// Carried along by a velocity field, from the side it comes from.
// warpwise: grid=(nx+63)/64,(ny+3)/4,nz block=64,4 nx=256 ny=256 nz=128 dt=0.1 u=f32[nx*ny*nz] v=f32[nx*ny*nz] w=f32[nx*ny*nz] q=f32[nx*ny*nz] out=f32[nx*ny*nz]
extern "C" __global__ void upwind(int nx, int ny, int nz, float dt, const float *u, const float *v, const float *w,
                                  const float *q, float *out) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  size_t i = ((size_t)z * ny + y) * nx + x, plane = (size_t)nx * ny;
  float c = q[i], s = 0.0f;
  s +=
      u[i] - 0.5f > 0.0f ? (u[i] - 0.5f) * (c - (x ? q[i - 1] : c)) : (u[i] - 0.5f) * ((x < nx - 1 ? q[i + 1] : c) - c);
  s += v[i] - 0.5f > 0.0f ? (v[i] - 0.5f) * (c - (y ? q[i - nx] : c))
                          : (v[i] - 0.5f) * ((y < ny - 1 ? q[i + nx] : c) - c);
  s += w[i] - 0.5f > 0.0f ? (w[i] - 0.5f) * (c - (z ? q[i - plane] : c))
                          : (w[i] - 0.5f) * ((z < nz - 1 ? q[i + plane] : c) - c);
  out[i] = c - dt * s;
}

// To the next coarser grid and back, cell-centred.
// warpwise: grid=(n/2+31)/32,(n/2+7)/8 block=32,8 n=4096 fine=f64[n*n] coarse=f64[n*n/4]
extern "C" __global__ void coarsen(int n, const double *fine, double *coarse) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, m = n / 2;
  if (x >= m || y >= m) return;
  const double *p = fine + (size_t)2 * y * n + 2 * x;
  coarse[(size_t)y * m + x] = 0.25 * ((p[0] + p[1]) + (p[n] + p[n + 1]));
}

// warpwise: grid=(n+31)/32,(n+7)/8 block=32,8 n=2048 coarse=f64[n*n/4] fine=f64[n*n]
extern "C" __global__ void refine(int n, const double *coarse, double *fine) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, m = n / 2;
  if (x >= n || y >= n) return;
  int cx = min(x / 2, m - 1), cy = min(y / 2, m - 1);
  int ox = min(max(cx + (x & 1 ? 1 : -1), 0), m - 1), oy = min(max(cy + (y & 1 ? 1 : -1), 0), m - 1);
  double a = 0.75 * coarse[(size_t)cy * m + cx] + 0.25 * coarse[(size_t)cy * m + ox];
  double b = 0.75 * coarse[(size_t)oy * m + cx] + 0.25 * coarse[(size_t)oy * m + ox];
  fine[(size_t)y * n + x] += 0.75 * a + 0.25 * b;
}
