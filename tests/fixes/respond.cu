// A running value in memory, updated by a function: what the compiler must know is that nothing overlaps.
// expect: memory-accumulator
__device__ float respond(float state, float in) { return 0.75f * state + in * in; }

// warpwise: grid=n/256 block=256 n=1<<20 taps=64 signal=[n+64] out=[n]
__global__ void step(const float *signal, float* out, int n, int taps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < taps; k++) out[i] = respond(out[i], signal[i + k]);
}
