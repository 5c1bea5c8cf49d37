// Bodies that attract each other, four a thread.
// warpwise: grid=n/256 block=256 n=65536 p=f32[4*n] f=f32[4*n]
extern "C" __global__ void nbody4(int n, const float4 *p, float4 *f) {
  __shared__ float4 s[256];
  float4 me[4]; float3 acc[4];
  for (int i = 0; i < 4; i++) { me[i] = p[(blockIdx.x * 256 + threadIdx.x + i * 64) % n]; acc[i] = make_float3(0, 0, 0); }
  for (int t = 0; t < n; t += 256) {
    s[threadIdx.x] = p[t + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 256; j++) {
      float4 o = s[j];
      for (int i = 0; i < 4; i++) {
        float dx = o.x - me[i].x, dy = o.y - me[i].y, dz = o.z - me[i].z;
        float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), m = o.w * r * r * r;
        acc[i].x += m * dx; acc[i].y += m * dy; acc[i].z += m * dz;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; i++) f[(blockIdx.x * 256 + threadIdx.x + i * 64) % n] = make_float4(acc[i].x, acc[i].y, acc[i].z, 0);
}
