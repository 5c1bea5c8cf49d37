// Radix sort of N keys, 4 bits a pass, 8 passes: histogram of blocks, scan, scatter.
//   warpwise record --emulate --execute bench/programs/sortkeys.cu -- 1048576
#include <cstdlib>

#define BLOCK 256
#define EACH 8 /* keys a thread */

__global__ void count(const unsigned *keys, unsigned *table, int n, int shift) {
  __shared__ unsigned bins[16];
  if (threadIdx.x < 16) bins[threadIdx.x] = 0;
  __syncthreads();
  int first = blockIdx.x * BLOCK * EACH;
  for (int k = 0; k < EACH; k++) {
    int i = first + k * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[keys[i] >> shift & 15], 1);
  }
  __syncthreads();
  if (threadIdx.x < 16) table[threadIdx.x * gridDim.x + blockIdx.x] = bins[threadIdx.x];
}

__global__ void scan(unsigned *table, int entries) { // one block
  __shared__ unsigned sums[1024];
  unsigned carry = 0;
  for (int first = 0; first < entries; first += 1024) {
    int i = first + threadIdx.x;
    unsigned v = i < entries ? table[i] : 0;
    sums[threadIdx.x] = v;
    __syncthreads();
    for (int d = 1; d < 1024; d *= 2) {
      unsigned other = threadIdx.x >= d ? sums[threadIdx.x - d] : 0;
      __syncthreads();
      sums[threadIdx.x] += other;
      __syncthreads();
    }
    if (i < entries) table[i] = carry + sums[threadIdx.x] - v;
    carry += sums[1023];
    __syncthreads();
  }
}

__global__ void scatter(const unsigned *keys, unsigned *out, const unsigned *table, int n, int shift) {
  __shared__ unsigned next[16];
  if (threadIdx.x < 16) next[threadIdx.x] = table[threadIdx.x * gridDim.x + blockIdx.x];
  __syncthreads();
  int first = blockIdx.x * BLOCK * EACH;
  for (int k = 0; k < EACH; k++) {
    int i = first + k * BLOCK + threadIdx.x;
    if (i < n) {
      unsigned place = atomicAdd(&next[keys[i] >> shift & 15], 1);
      if (place < n) out[place] = keys[i];
    }
    __syncthreads();
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1 << 20, blocks = (n + BLOCK * EACH - 1) / (BLOCK * EACH);
  unsigned *a, *b, *table, *host = (unsigned *)malloc(n * sizeof *host);
  for (int i = 0; i < n; i++) host[i] = i * 2654435761u;
  cudaMalloc(&a, n * sizeof *a);
  cudaMalloc(&b, n * sizeof *b);
  cudaMalloc(&table, 16 * blocks * sizeof *table);
  cudaMemcpy(a, host, n * sizeof *a, cudaMemcpyHostToDevice);
  cudaMemcpy(b, host, n * sizeof *b, cudaMemcpyHostToDevice);
  cudaMemset(table, 0, 16 * blocks * sizeof *table);
  for (int shift = 0; shift < 32; shift += 4) {
    count<<<blocks, BLOCK>>>(a, table, n, shift);
    scan<<<1, 1024>>>(table, 16 * blocks);
    scatter<<<blocks, BLOCK>>>(a, b, table, n, shift);
    unsigned *swap = a;
    a = b;
    b = swap;
  }
  return cudaDeviceSynchronize();
}
