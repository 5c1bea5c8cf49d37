// Launches that follow one another, from functions of their own.
__global__ void halve(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = in[i] * 0.5f;
}

__global__ void invert(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (n <= i)
    return;
  out[i] = 1 - in[i];
}

static void run_halve(float *out, const float *in, int n) { halve<<<(n + 127) / 128, 128>>>(out, in, n); }
static void run_invert(float *out, const float *in, int n) { invert<<<(n + 127) / 128, 128>>>(out, in, n); }

int main() {
  int n = 1 << 22;
  float *x, *y;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMemset(x, 0, n * sizeof(float));
  run_halve(y, x, n);
  run_invert(x, y, n);
  cudaDeviceSynchronize();
}
