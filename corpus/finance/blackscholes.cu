// Option prices: transcendental functions per element, single and double precision.

__device__ float normal(float x) { return 0.5f * erfcf(-x * 0.70710678f); }

// warpwise: grid=(n+255)/256 block=256 n=1<<21 spot=f32[n]:uniform(10,100) strike=f32[n]:uniform(10,100) years=f32[n]:uniform(1,5) call=f32[n] put=f32[n]
extern "C" __global__ void black_scholes(int n, const float *spot, const float *strike, const float *years, float *call, float *put) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = spot[i], k = strike[i], t = years[i], root = 0.3f * sqrtf(t);
  float d1 = (logf(s / k) + (0.02f + 0.045f) * t) / root, d2 = d1 - root, discount = expf(-0.02f * t);
  float c = s * normal(d1) - k * discount * normal(d2);
  call[i] = c;
  put[i] = c - s + k * discount;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<19 spot=f64[n]:uniform(10,100) strike=f64[n]:uniform(10,100) years=f64[n]:uniform(1,5) call=f64[n]
extern "C" __global__ void black_scholes_double(int n, const double *spot, const double *strike, const double *years, double *call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  double s = spot[i], k = strike[i], t = years[i], root = 0.3 * sqrt(t);
  double d1 = (log(s / k) + 0.065 * t) / root, d2 = d1 - root;
  call[i] = s * 0.5 * erfc(-d1 * 0.7071067811865475) - k * exp(-0.02 * t) * 0.5 * erfc(-d2 * 0.7071067811865475);
}
