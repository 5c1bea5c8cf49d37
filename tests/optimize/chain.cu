// Programs whose launches follow one another element by element; the argument says how many elements there are. They print what they computed.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void scale(float *out, const float *in, float by, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * by;
}

__global__ void add(const float *x, const float *y, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float sum = x[i] + y[i];
  out[i] = sum;
}

__global__ void clamp01(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = fminf(fmaxf(x[i], 0.0f), 1.0f);
}

#define CHECK(x) \
  if ((x) != cudaSuccess) exit(1)

namespace motion {
// Two axes, sums in place, and locals that are called as the other's parameters.
__global__ void faster(float *v, const float *force, float dt, int width, int height) {
  int col = threadIdx.x + blockIdx.x * blockDim.x, row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col >= width || row >= height)
    return;
  int at = row * width + col;
  v[at] += force[at] * dt;
}

__global__ void further(float *x, const float *speed, float step, int w, int h) {
  int col = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (col < w && row < h) {
    float v = speed[row * w + col];
    if (v > 0)
      x[w * row + col] += v * step;
  }
}
} // namespace motion

static float *numbers(int n, unsigned seed) {
  std::vector<float> host(n);
  float *device;
  for (float &x : host)
    x = (seed = seed * 1664525u + 1013904223u) / 4294967296.0f - 0.25f;
  cudaMalloc(&device, n * sizeof(float));
  cudaMemcpy(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  return device;
}

static void show(const char *name, const float *device, int n) {
  std::vector<float> host(n);
  double sum = 0;
  cudaMemcpy(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost);
  for (int i = 0; i < n; i++)
    sum += host[i] * (i % 7 + 1);
  printf("%s %.9g\n", name, sum);
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 22;
  float *x = numbers(n, 1), *y = numbers(n, 2), *scaled = numbers(n, 3), *sum = numbers(n, 4);
  int blocks = (n + 255) / 256;
  for (int k = 0; k < 3; k++) {
    scale<<<blocks, 256>>>(scaled, x, 2.0f, n);
    add<<<blocks, 256>>>(scaled, y, sum, n);
    clamp01<<<blocks, 256>>>(sum, n);
  }
  show("scaled", scaled, n);
  show("sum", sum, n);
  int w = 1000, h = n / w;
  dim3 tiles((w + 31) / 32, (h + 7) / 8), tile(32, 8);
  motion::faster<<<tiles, tile>>>(x, y, 0.125f, w, h);
  CHECK(cudaGetLastError());
  motion::further<<<tiles, tile>>>(sum, x, 0.5f, w, h);
  show("x", x, n);
  show("sum", sum, n);
}
