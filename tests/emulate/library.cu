// Calls of libraries are launches without code; vectors are computed, thrust is too.
#include <cublas_v2.h>
#include <cufft.h>
#include <curand.h>
#include <thrust/device_vector.h>
#include <thrust/sort.h>

int main() {
  cublasHandle_t h;
  cufftHandle plan;
  curandGenerator_t g;
  const int n = 256;
  float one = 1, zero = 0, dot = 0, *a, *b, *c;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float) * 2);
  cublasCreate(&h);
  for (int i = 0; i < 3; i++)
    cublasSgemm(h, CUBLAS_OP_N, CUBLAS_OP_N, n, 128, 64, &one, a, n, b, 64, &zero, c, n);
  cublasDgemmStridedBatched(h, CUBLAS_OP_N, CUBLAS_OP_T, 16, 16, 8, nullptr, nullptr, 16, 256, nullptr, 16, 256,
                            nullptr, nullptr, 16, 256, 7);
  thrust::device_vector<float> x(1000, 2.f), y(1000, 3.f);
  cublasSdot(h, 1000, thrust::raw_pointer_cast(x.data()), 1, thrust::raw_pointer_cast(y.data()), 1, &dot);
  cufftPlan1d(&plan, 4096, CUFFT_C2C, 8);
  cufftExecC2C(plan, (cufftComplex *)c, (cufftComplex *)c, CUFFT_FORWARD);
  curandCreateGenerator(&g, CURAND_RNG_PSEUDO_DEFAULT);
  curandGenerateUniform(g, a, n * n);
  x[3] = 1;
  thrust::sort(x.begin(), x.end());
  return dot == 6000 && x[0] == 1 && x[999] == 2 ? 0 : 1;
}
