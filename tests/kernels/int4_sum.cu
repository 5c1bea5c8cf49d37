__global__ void int4_sum(const int4 *__restrict__ x, int *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int4 v = x[i];
  out[i] = v.x + v.y + v.z + v.w;
}
