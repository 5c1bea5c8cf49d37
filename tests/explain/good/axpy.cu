// warpwise: grid=n/1024 block=256 n=1<<24 a=2.0 x=f32[n] y=f32[n]
__global__ void axpy(int n, float a, const float4 *__restrict__ x, float4 *__restrict__ y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  float4 u = x[i], v = y[i];
  v.x += a * u.x;
  v.y += a * u.y;
  v.z += a * u.z;
  v.w += a * u.w;
  y[i] = v;
}
