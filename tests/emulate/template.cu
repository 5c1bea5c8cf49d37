// Template kernels, a struct by value with a pointer in it, two-dimensional shapes, dynamic shared memory.
struct view {
  int rows, cols;
  float *data;
};
template <class T, int N> __global__ void fill(T *p, T v) { p[blockIdx.x * N + threadIdx.x] = v; }
__global__ void scale(view m, double by) {
  extern __shared__ float tile[];
  int i = threadIdx.y * blockDim.x + threadIdx.x;
  tile[i] = m.data[i];
  m.data[i] = tile[i] * (float)by;
}
int main() {
  float *p;
  cudaMalloc(&p, 4096);
  fill<float, 64><<<16, 64>>>(p, 3.0f);
  fill<int, 32><<<dim3(32), 32>>>((int *)p, -7);
  scale<<<dim3(1, 1, 1), dim3(8, 4), 128>>>(view{8, 4, p + 32}, 0.5);
  return cudaGetLastError();
}
