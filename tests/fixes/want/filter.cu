// One output of a filter bank per thread.
// expect: memory-accumulator 9
// warpwise: grid=n/256 block=256 n=1<<20 taps=64 signal=[n+64] weight=[64] out=[n]
__global__ void filter(const float *signal, const float *weight, float *out, int n, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0.0f;
  for (int k = 0; k < taps; k++)
    sum += signal[i + k] * weight[k];
  out[i] = sum;
}
