// Powers where products would do.
// expect: expensive-math
// warpwise: grid=n/256 block=256 n=1<<22 x=[n] y=[n] eps=0.001 out=[n]
__global__ void norms(const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out, float eps, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float d = x[i] - y[i];
  float r2 = powf(d, 2.0f) + powf(y[i], 2.0f) + eps; // powf(d, 2.0f): not this one
  float r = powf(r2, 0.5f), s = 1.0f + eps / powf(r2, 2.0f);
  out[i] = powf(x[i], 3.0f) * powf(r2, -0.5f) + powf(s - r, 2.0f) + powf(s, 1.5f);
}
