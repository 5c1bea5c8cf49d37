// Launches that follow one another and must not be fused: each pair has buffers of its own.
#include <cstdio>

__global__ void twice(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 2;
}

// Reads its neighbours.
__global__ void blur(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + (i ? in[i - 1] : 0);
}

// Writes what others have still to read.
__global__ void shift(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n)
    out[i] = in[i + 1];
}
__global__ void next(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + 1 < n)
    out[i] = in[i] * 2;
}

// Another range, under the same shape.
__global__ void but_first(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < n)
    out[i] = in[i] + 1;
}

__global__ void count(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(out, in[i]);
}

__global__ void sum_block(float *out, const float *in, int n) {
  __shared__ float part[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  part[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n)
    out[i] = part[threadIdx.x ^ 1];
}

// A loop over the grid: other elements than its thread's.
__global__ void strided(float *out, const float *in, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = in[i] + 1;
}

template <class T> __global__ void typed(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + 1;
}

// The index comes out of a macro.
#define AT blockIdx.x *blockDim.x + threadIdx.x
__global__ void by_macro(float *out, const float *in, int n) {
  int i = AT;
  if (i < n)
    out[i] = in[i] + 1;
}

__device__ float last;
__global__ void remember(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
    last = in[i];
  }
}

// Handed on behind functions, to a neighbour: only the comparison sees it.
__device__ float state[(1 << 20) + 1];
__device__ void put(int i, float x) { state[i] = x; }
__device__ float get(int i) { return state[i]; }
__global__ void put_all(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    out[i] = in[i];
    put(i, in[i]);
  }
}
__global__ void get_next(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] + get(i + 1);
}

static float *memory(int n) {
  float *x;
  cudaMalloc(&x, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  return x;
}

int main() {
  int n = 1 << 20;
  int blocks = n / 256; // a recording tells launches apart by their sizes
  float *a[13], *b[13], *c[13], host[4];
  for (int k = 0; k < 13; k++)
    a[k] = memory(n), b[k] = memory(n), c[k] = memory(n);
  cudaStream_t stream;
  cudaStreamCreate(&stream);

  twice<<<blocks, 256>>>(b[0], a[0], n);
  blur<<<blocks, 256>>>(c[0], b[0], n);

  shift<<<blocks, 256>>>(b[1], a[1], n);
  next<<<blocks, 256>>>(a[1], b[1], n);

  twice<<<blocks, 256>>>(b[2], a[2], n - 2);
  but_first<<<blocks, 256>>>(c[2], b[2], n - 2);

  twice<<<blocks, 256>>>(b[3], a[3], n - 3);
  count<<<blocks, 256>>>(c[3], b[3], n - 3);

  twice<<<blocks, 256>>>(b[4], a[4], n - 4);
  sum_block<<<blocks, 256>>>(c[4], b[4], n - 4);

  twice<<<blocks, 256>>>(b[5], a[5], n - 5);
  strided<<<64, 256>>>(c[5], b[5], n - 5);

  twice<<<blocks, 256>>>(b[6], a[6], n - 6);
  typed<float><<<blocks, 256>>>(c[6], b[6], n - 6);

  twice<<<blocks, 256>>>(b[7], a[7], n - 7);
  remember<<<blocks, 256>>>(c[7], b[7], n - 7);

  but_first<<<blocks, 256>>>(b[8], a[8], n - 8);
  cudaMemcpy(b[8], host, sizeof host, cudaMemcpyHostToDevice);
  but_first<<<blocks, 256>>>(c[8], b[8], n - 18);

  next<<<blocks, 256>>>(b[9], a[9], n - 9);
  next<<<blocks, 256, 0, stream>>>(c[9], b[9], n - 19);

  // the second one starts an element further on
  shift<<<blocks, 256>>>(b[10], a[10], n - 10);
  twice<<<blocks, 256>>>(c[10], b[10] + 1, n - 10);

  twice<<<blocks, 256>>>(b[11], a[11], n - 11);
  by_macro<<<blocks, 256>>>(c[11], b[11], n - 11);

  put_all<<<blocks, 256>>>(b[12], a[12], n - 12);
  get_next<<<blocks, 256>>>(c[12], b[12], n - 12);
  cudaDeviceSynchronize();
}
