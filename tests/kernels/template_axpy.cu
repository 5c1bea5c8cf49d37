// U elements a thread, a block's width apart.
template <typename T, int U> __global__ void template_axpy(T a, const T *__restrict__ x, T *__restrict__ y) {
  int i = blockIdx.x * blockDim.x * U + threadIdx.x;
#pragma unroll
  for (int u = 0; u < U; u++) y[i + u * blockDim.x] += a * x[i + u * blockDim.x];
}
template __global__ void template_axpy<float, 4>(float, const float *, float *);
template __global__ void template_axpy<double, 2>(double, const double *, double *);
