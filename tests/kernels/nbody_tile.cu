// All pairs with a shared tile of float4; rsqrtf is one math operation.
__global__ void nbody_tile(const float4 *__restrict__ pos, float4 *__restrict__ acc, int n) {
  __shared__ float4 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float4 me = pos[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int base = 0; base < n; base += 64) {
    tile[threadIdx.x] = pos[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 64; j++) {
      float4 p = tile[j];
      float dx = p.x - me.x, dy = p.y - me.y, dz = p.z - me.z;
      float inv = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      float s = p.w * (inv * inv * inv);
      ax += dx * s; ay += dy * s; az += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, me.w);
}
