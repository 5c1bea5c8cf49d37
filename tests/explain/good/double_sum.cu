// The sum is double on purpose: no accident to report.
// warpwise: grid=1056 block=256 n=1<<24 x=f32[n] out=[1056*256]
__global__ void double_sum(const float *x, float *out, int n) {
  double sum = 0.0;
  int step = gridDim.x * blockDim.x, me = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = me; i < n; i += step) sum += x[i];
  out[me] = (float)sum;
}
