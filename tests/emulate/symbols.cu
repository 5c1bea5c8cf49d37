// __constant__ and __device__ variables: set by the host, and as the source initialises them; managed ones are the host's too.
__constant__ float coef[4];
__constant__ int untouched[2] = {5, 6};
__device__ int counter = 41;
__managed__ int shared_value = 3;
__global__ void use(float *x) { x[threadIdx.x] = coef[threadIdx.x & 3] + untouched[0] + counter + shared_value; }
int main() {
  float h[4] = {1, 2, 3, 4}, *x;
  int n = 0;
  size_t bytes = 0;
  if (cudaMemcpyToSymbol(coef, h, sizeof h)) return 1;
  if (cudaMemcpyFromSymbol(&n, counter, sizeof n) || n != 41) return 2;
  n = 42;
  if (cudaMemcpyToSymbol(counter, &n, sizeof n, 0, cudaMemcpyHostToDevice)) return 3;
  if (cudaGetSymbolSize(&bytes, coef) || bytes != sizeof h) return 4;
  if (cudaMemcpyToSymbol(coef, h, sizeof h, 8) != cudaErrorInvalidValue) return 5;
  cudaGetLastError();
  if (shared_value != 3) return 6;
  shared_value = 9;
  cudaMalloc(&x, 128);
  use<<<1, 32>>>(x);
  return cudaGetLastError();
}
