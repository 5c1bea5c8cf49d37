// Powers where products would do.
// expect: expensive-math
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] y=[n] eps=0.001 out=[n]
__global__ void norms(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, float eps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float d = x[i] - y[i];
  float r2 = d * d + y[i] * y[i] + eps; // powf(d, 2.0f): not this one
  float r = sqrtf(r2), s = 1.0f + eps / (r2 * r2);
  out[i] = (x[i] * x[i] * x[i]) * rsqrtf(r2) + (s - r) * (s - r) + s * sqrtf(s);
}
