// A picture of W x H pixels: grey, blurred along rows and columns, edges, their histogram;
// 30 pictures.
//   warpwise record --emulate bench/programs/picture.cu -- 1920 1080
#include <cstdlib>

__global__ void grey(const uchar4 *in, float *out, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = 0.3f * in[i].x + 0.6f * in[i].y + 0.1f * in[i].z;
}

__global__ void rows(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int d = -3; d <= 3; d++) sum += in[y * w + min(max(x + d, 0), w - 1)];
  out[y * w + x] = sum / 7;
}

__global__ void columns(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float sum = 0;
  for (int d = -3; d <= 3; d++) sum += in[min(max(y + d, 0), h - 1) * w + x];
  out[y * w + x] = sum / 7;
}

__global__ void edges(const float *in, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  int i = y * w + x;
  float dx = in[i + 1] - in[i - 1], dy = in[i + w] - in[i - w];
  out[i] = sqrtf(dx * dx + dy * dy);
}

__global__ void histogram(const float *in, unsigned *out, int count) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < count; i += gridDim.x * 256)
    atomicAdd(&bins[min(255, (int)in[i])], 1);
  __syncthreads();
  atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

int main(int argc, char **argv) {
  int w = argc > 1 ? atoi(argv[1]) : 1920, h = argc > 2 ? atoi(argv[2]) : 1080, count = w * h;
  uchar4 *in;
  float *a, *b;
  unsigned *bins;
  cudaMalloc(&in, count * sizeof *in);
  cudaMalloc(&a, count * sizeof *a);
  cudaMalloc(&b, count * sizeof *b);
  cudaMalloc(&bins, 256 * sizeof *bins);
  unsigned char *pixels = (unsigned char *)malloc(count * sizeof *in);
  for (int i = 0; i < 4 * count; i++) pixels[i] = i * 2654435761u >> 24;
  cudaMemset(a, 0, count * sizeof *a);
  cudaMemset(bins, 0, 256 * sizeof *bins);
  dim3 block(32, 8), grid((w + 31) / 32, (h + 7) / 8);
  for (int k = 0; k < 30; k++) {
    cudaMemcpy(in, pixels, count * sizeof *in, cudaMemcpyHostToDevice);
    grey<<<(count + 255) / 256, 256>>>(in, a, count);
    rows<<<grid, block>>>(a, b, w, h);
    columns<<<grid, block>>>(b, a, w, h);
    edges<<<grid, block>>>(a, b, w, h);
    histogram<<<264, 256>>>(b, bins, count);
  }
  return cudaDeviceSynchronize();
}
