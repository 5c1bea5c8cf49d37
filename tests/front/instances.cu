// Kernel templates that no host code instantiates.
namespace deep {
template <typename T, int B> __global__ void kern(T *x, int n) {
  int i = blockIdx.x * B + threadIdx.x;
  if (i < n) x[i] = x[i] * T(B);
}
} // namespace deep
template <typename T> __global__ void never(T *x) { *x = 0; }
__global__ void plain(int *x) { *x = 1; }
