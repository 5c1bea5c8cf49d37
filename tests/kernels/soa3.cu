__global__ void soa3(const float *__restrict__ x, const float *__restrict__ y, const float *__restrict__ z,
                     float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = y[i], c = z[i];
  out[i] = a * a + b * b + c * c;
}
