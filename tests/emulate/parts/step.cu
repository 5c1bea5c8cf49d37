extern __device__ float law(float x, float y);
__global__ void apart(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] = law(p[i], FACTOR);
}
__global__ void alone(float *p) { p[blockIdx.x] = 1; }
void step(float *p, int n) {
  apart<<<(n + 255) / 256, 256>>>(p, n);
  alone<<<8, 1>>>(p);
}
