// What host code says of its launches: constants through calls, variables and allocations.
#include <cuda_runtime.h>

struct Pair {
  int a;
  float b;
};

__global__ void saxpy(int n, float a, const float *x, float *y, Pair p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i] + p.b;
}
template <typename T, int B> __global__ void block_sum(const T *x, T *out, int n) {
  if (threadIdx.x < B) out[threadIdx.x] = x[n];
}
extern "C" __global__ void unknown_shape(double *x, bool flag) { x[threadIdx.x] = flag; }

static float *device_array(int n) {
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  return p;
}

void run(int n, int steps) {
  float *x = device_array(n), *y = device_array(2 * n);
  dim3 block(256), grid((n + block.x - 1) / block.x, 2);
  for (int i = 0; i < steps; i++) saxpy<<<grid, block, 16 * sizeof(float)>>>(n, 2.5f, x, y, Pair{3, 4.0f});
  block_sum<float, 128><<<n / 128, 128>>>(x, x + 16, n / 2);
}

int main(int argc, char **argv) {
  double *z;
  cudaMalloc((void **)&z, 8 * argv[0][0]);
  run(1 << 20, argv[0][0]);
  unknown_shape<<<argv[0][0], 64>>>(z, true);
}
