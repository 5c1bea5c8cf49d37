// options: --execute all
// Kernels and variables of internal linkage: found for running them, named as nvcc names them. A host variable that lies
// right behind a symbol's copy is no part of it.
struct pack {
  int a[4];
};
pack host_first = {{1, 2, 3, 4}};
__constant__ pack first;
pack host_second = {{5, 6, 7, 8}};
__constant__ pack second;
pack host_third;
static __constant__ float factor;
static __device__ int calls;
namespace ns {
static __global__ void bump(int *p) { p[threadIdx.x] += first.a[threadIdx.x] + second.a[threadIdx.x], atomicAdd(&calls, 1); }
}
namespace {
__global__ void hidden(int *p) { p[threadIdx.x] *= 2; }
}
template <class T> static __global__ void scale(T *x, unsigned short by) { x[threadIdx.x] *= by * factor; }
int main() {
  int *p, h[4], n = -1;
  float *x, f = 0.5f, one[4] = {1, 2, 3, 4};
  cudaMalloc(&p, sizeof h), cudaMalloc(&x, sizeof one);
  cudaMemcpy(x, one, sizeof one, cudaMemcpyHostToDevice);
  if (cudaMemcpyToSymbol(first, &host_first, sizeof first) || cudaMemcpyToSymbol(second, &host_second, sizeof second)) return 1;
  if (cudaMemcpyFromSymbol(&host_third, first, sizeof first) || host_third.a[3] != 4) return 2;
  if (cudaMemcpyToSymbol(factor, &f, sizeof f)) return 3;
  ns::bump<<<1, 4>>>(p);
  hidden<<<1, 4>>>(p);
  scale<<<1, 4>>>(x, 6);
  cudaMemcpy(h, p, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(one, x, sizeof one, cudaMemcpyDeviceToHost);
  if (cudaMemcpyFromSymbol(&n, calls, sizeof n) || n != 4) return 4;
  return h[3] != 24 || one[3] != 12;
}
