// record_check.cu - a CUDA program to be recorded on a real GPU: every way to launch, every kind of argument that
// `warpwise record` must see. It checks its own results, so that recording is seen to change nothing, and prints the time
// of a launch. tests/gpu/record.sh says what must be in the recording.
#include <cooperative_groups.h>
#include <cuda.h>
#include <cuda_runtime.h>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#define CHECK(x)                                                                                                       \
  do {                                                                                                                 \
    cudaError_t rc_ = (x);                                                                                             \
    if (rc_ != cudaSuccess) {                                                                                          \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(rc_));                                                      \
      exit(1);                                                                                                         \
    }                                                                                                                  \
  } while (0)

struct Pair {
  int n;
  float *x;
  double a;
  int *y;
};

__constant__ float coef[4];
__device__ float table[1024];
__device__ int *where;

template <typename T> __global__ void scale(T *x, T a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= a;
}
__global__ void filter(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = x[i] * coef[i & 3] + table[i & 1023];
}
__global__ void pair(Pair p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) p.x[i] += (float)(p.a * p.y[i]);
}
// work depends on contents: len[block] iterations
__global__ void ragged(const int *len, float *out) {
  extern __shared__ float s[];
  float v = 0;
  for (int i = 0; i < len[blockIdx.x]; i++) v += sqrtf((float)(i + threadIdx.x));
  s[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = s[0] + s[blockDim.x - 1];
}
__global__ void through_symbol() { atomicAdd(where, 1); }
__global__ void together(int *sum) {
  atomicAdd(sum, 1);
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0 && blockIdx.x == 0) sum[1] = sum[0];
}
__global__ void empty(int) {}

static const int N = 1 << 20;

static void plain(float *x, double *z) {
  float c[4] = {1, 2, 3, 4};
  CHECK(cudaMemcpyToSymbol(coef, c, sizeof c));
  scale<<<N / 256, 256>>>(x, 2.0f, N);
  scale<<<N / 512, 256>>>(z, 0.5, N / 2);
  scale<<<N / 256 / 2, 256>>>(x + N / 2, 3.0f, N / 2); // a pointer into the middle
  filter<<<N / 256, 256>>>(x, N);
  CHECK(cudaDeviceSynchronize());
}

static void structs(float *x, int *y) {
  Pair p = {1000, x, 1.5, y};
  pair<<<4, 256>>>(p);
  CHECK(cudaMemcpyToSymbol(where, &y, sizeof y));
  through_symbol<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
}

static void contents(float *out) {
  int *len, host[64];
  for (int i = 0; i < 64; i++) host[i] = i * 100;
  CHECK(cudaMalloc(&len, sizeof host));
  CHECK(cudaMemcpy(len, host, sizeof host, cudaMemcpyHostToDevice));
  ragged<<<64, 128, 128 * sizeof(float)>>>(len, out);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(len));
}

static void other_ways(float *x, int *y) {
  int n = 3000;
  float a = 1.25f;
  void *args[] = {&x, &a, &n};
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(12);
  config.blockDim = dim3(256);
  CHECK(cudaLaunchKernelExC(&config, (const void *)scale<float>, args));
  cudaKernel_t kernel; // a CUkernel where the driver wants a CUfunction
  CHECK(cudaGetKernel(&kernel, (const void *)scale<float>));
  n = 3001;
  if (cuLaunchKernel((CUfunction)kernel, 12, 1, 1, 256, 1, 1, 0, 0, args, 0) != CUDA_SUCCESS) exit(1);
  void *sum[] = {&y};
  CHECK(cudaLaunchCooperativeKernel((const void *)together, dim3(8), dim3(64), sum, 0, 0));
  CHECK(cudaDeviceSynchronize());
}

static void memories() {
  float *managed, *pinned, *pooled;
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaMallocManaged(&managed, 4096));
  CHECK(cudaMallocHost(&pinned, 8192));
  CHECK(cudaMallocAsync(&pooled, 12288, s));
  for (int i = 0; i < 1024; i++) managed[i] = 1;
  for (int i = 0; i < 2048; i++) pinned[i] = 1;
  scale<<<4, 256, 0, s>>>(managed, 2.0f, 1001);
  scale<<<8, 256, 0, s>>>(pinned, 2.0f, 1002);
  scale<<<12, 256, 0, s>>>(pooled, 2.0f, 1003);
  CHECK(cudaStreamSynchronize(s));
  if (managed[1000] != 2 || pinned[1001] != 2) printf("wrong result\n"), exit(1);
}

static void graph(float *x) {
  cudaStream_t s;
  cudaGraph_t g;
  cudaGraphExec_t e;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<16, 256, 0, s>>>(x, 1.0f, 4001);
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 5; i++) CHECK(cudaGraphLaunch(e, s));
  CHECK(cudaStreamSynchronize(s));
}

static void many(int n) {
  auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < n; i++) empty<<<1, 32>>>(7);
  double s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CHECK(cudaDeviceSynchronize());
  printf("launch: %.2f us\n", s / n * 1e6);
  for (int i = 0; i < 1000; i++) empty<<<1, 64>>>(i); // all distinct
  CHECK(cudaDeviceSynchronize());
}

int main(int argc, char **argv) {
  float *x;
  double *z;
  int *y;
  CHECK(cudaMalloc(&x, N * sizeof *x));
  CHECK(cudaMalloc(&z, N * sizeof *z));
  CHECK(cudaMalloc(&y, 4096));
  float *ones = (float *)malloc(N * sizeof *x);
  for (int i = 0; i < N; i++) ones[i] = 1;
  CHECK(cudaMemcpy(x, ones, N * sizeof *x, cudaMemcpyHostToDevice));
  CHECK(cudaMemset(z, 0, N * sizeof *z));
  CHECK(cudaMemset(y, 0, 4096));
  plain(x, z);
  structs(x, y);
  contents(x + 2000);
  other_ways(x, y + 512);
  memories();
  graph(x);
  std::thread t([&] { scale<<<1, 32>>>(x, 1.0f, 31); }), u([&] { scale<<<1, 32>>>(x, 1.0f, 32); });
  t.join();
  u.join();
  many(argc > 1 ? atoi(argv[1]) : 100000);
  CHECK(cudaMemcpy(ones, x, N * sizeof *x, cudaMemcpyDeviceToHost));
  // 2 for all, 3 more for the upper half, then times coef
  if (ones[N / 2 - 1] != 8 || ones[N - 1] != 24) printf("wrong result: %g %g\n", ones[N / 2 - 1], ones[N - 1]), exit(1);
  printf("results right\n");
  return 0;
}
