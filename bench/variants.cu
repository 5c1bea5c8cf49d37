// A space of variants for bench/variants.sh: a convolution of a picture, tiled in
// registers and shared memory as its macros say.
#ifndef BX
#define BX 32
#endif
#ifndef BY
#define BY 8
#endif
#ifndef TX
#define TX 1
#endif
#ifndef TY
#define TY 1
#endif
#ifndef R
#define R 4
#endif

constexpr int W = BX * TX + 2 * R, H = BY * TY + 2 * R;

__global__ void convolve(const float *in, float *out, const float *filter, int w, int h) {
  __shared__ float tile[H][W];
  int x0 = blockIdx.x * BX * TX, y0 = blockIdx.y * BY * TY, pitch = w + 2 * R;
  for (int y = threadIdx.y; y < H; y += BY)
    for (int x = threadIdx.x; x < W; x += BX)
      if (x0 + x < pitch && y0 + y < h + 2 * R) tile[y][x] = in[(y0 + y) * pitch + x0 + x];
  __syncthreads();
  float sum[TY][TX] = {};
  for (int j = 0; j <= 2 * R; j++)
    for (int i = 0; i <= 2 * R; i++) {
      float f = filter[j * (2 * R + 1) + i];
#pragma unroll
      for (int v = 0; v < TY; v++)
#pragma unroll
        for (int u = 0; u < TX; u++)
          sum[v][u] += f * tile[threadIdx.y + v * BY + j][threadIdx.x + u * BX + i];
    }
#pragma unroll
  for (int v = 0; v < TY; v++)
#pragma unroll
    for (int u = 0; u < TX; u++) {
      int x = x0 + threadIdx.x + u * BX, y = y0 + threadIdx.y + v * BY;
      if (x < w && y < h) out[y * w + x] = sum[v][u];
    }
}
