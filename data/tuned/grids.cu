// Grids and images: a stencil that keeps three planes in registers, a convolution as a product of matrices.

// Heat in three dimensions: a block walks along z, its plane in shared memory with a rim, planes below and above in registers.
// warpwise: grid=nx/32,ny/8 block=32,8 nx=256 ny=256 nz=256 c=0.1 u=f32[nx*ny*nz] v=f32[nx*ny*nz]
extern "C" __global__ void __launch_bounds__(256) heat_planes(int nx, int ny, int nz, float c, const float *__restrict__ u, float *__restrict__ v) {
  __shared__ float s[2][10][34];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  size_t plane = (size_t)nx * ny, at = (size_t)y * nx + x;
  int west = x ? -1 : 0, east = x < nx - 1 ? 1 : 0, south = y ? -nx : 0, north = y < ny - 1 ? nx : 0;
  float below, here = u[at], above = u[at + plane];
  below = here;
  for (int z = 0; z < nz; z++, at += plane) {
    float next = z + 2 < nz ? u[at + 2 * plane] : above;
    float(*p)[34] = s[z & 1];
    p[ty][tx] = here;
    if (threadIdx.x == 0) p[ty][0] = u[at + west];
    if (threadIdx.x == 31) p[ty][33] = u[at + east];
    if (threadIdx.y == 0) p[0][tx] = u[at + south];
    if (threadIdx.y == 7) p[9][tx] = u[at + north];
    __syncthreads();
    v[at] = here + c * (p[ty][tx - 1] + p[ty][tx + 1] + p[ty - 1][tx] + p[ty + 1][tx] + below + above - 6 * here);
    below = here;
    here = above;
    above = next;
  }
}

// Images N x H x W x C, filters K x 3 x 3 x C, a rim of zeros. Rows of the product are pixels, columns are filters,
// tile 64 x 64 x 16, 4 x 4 a thread; the next 16 channels wait in registers.
// warpwise: grid=K/64,N*H*W/64 block=256 N=8 H=32 W=32 C=128 K=128 in=f32[N*H*W*C] filter=f32[K*9*C] out=f32[N*H*W*K]
extern "C" __global__ void __launch_bounds__(256)
    conv_product(int N, int H, int W, int C, int K, const float *__restrict__ in, const float *__restrict__ filter, float *__restrict__ out) {
  __shared__ float a[2][16][68], b[2][16][68];
  int t = threadIdx.x, r = t / 4, q = t % 4 * 4, y = t / 16 * 4, x = t % 16 * 4;
  int pixel = blockIdx.y * 64 + r, px = pixel % W, py = pixel / W % H;
  const float *ip = in + (size_t)pixel * C + q, *fp = filter + (size_t)(blockIdx.x * 64 + r) * 9 * C + q;
  int steps = 9 * C / 16;
  float4 u, w;
  float s[4][4] = {};
  auto fetch = [&](int i) {
    int tap = i * 16 / C, channel = i * 16 % C, dy = tap / 3 - 1, dx = tap % 3 - 1;
    bool inside = (unsigned)(py + dy) < (unsigned)H && (unsigned)(px + dx) < (unsigned)W;
    u = inside ? *(const float4 *)&ip[(dy * W + dx) * C + channel] : make_float4(0, 0, 0, 0);
    w = *(const float4 *)&fp[i * 16];
  };
  auto put = [&](int to) {
    a[to][q][r] = u.x;
    a[to][q + 1][r] = u.y;
    a[to][q + 2][r] = u.z;
    a[to][q + 3][r] = u.w;
    b[to][q][r] = w.x;
    b[to][q + 1][r] = w.y;
    b[to][q + 2][r] = w.z;
    b[to][q + 3][r] = w.w;
  };
  fetch(0);
  put(0);
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    int now = i & 1;
    if (i + 1 < steps) fetch(i + 1);
#pragma unroll
    for (int k = 0; k < 16; k++) {
      float4 e = *(const float4 *)&a[now][k][y], f = *(const float4 *)&b[now][k][x];
      float ev[4] = {e.x, e.y, e.z, e.w}, fv[4] = {f.x, f.y, f.z, f.w};
#pragma unroll
      for (int j = 0; j < 4; j++)
#pragma unroll
        for (int l = 0; l < 4; l++) s[j][l] += ev[j] * fv[l];
    }
    if (i + 1 < steps) put(now ^ 1);
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
    *(float4 *)&out[(size_t)(blockIdx.y * 64 + y + j) * K + blockIdx.x * 64 + x] = make_float4(s[j][0], s[j][1], s[j][2], s[j][3]);
}
