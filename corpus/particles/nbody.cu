// All pairs, and neighbours from a list.

// warpwise: grid=(n+127)/128 block=128 n=16384 p=f32[n*4] acc=f32[n*4]
extern "C" __global__ void nbody(int n, const float4 *p, float4 *acc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 me = p[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int j = 0; j < n; j++) {
    float4 q = p[j];
    float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
    float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = q.w * r * r * r;
    ax += dx * s, ay += dy * s, az += dz * s;
  }
  acc[i] = make_float4(ax, ay, az, 0.0f);
}

// warpwise: grid=n/128 block=128 n=16384 p=f32[n*4] acc=f32[n*4]
extern "C" __global__ void nbody_tiled(int n, const float4 *p, float4 *acc) {
  __shared__ float4 tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  float4 me = p[i];
  float ax = 0.0f, ay = 0.0f, az = 0.0f;
  for (int base = 0; base < n; base += 128) {
    tile[threadIdx.x] = p[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; j++) {
      float4 q = tile[j];
      float dx = q.x - me.x, dy = q.y - me.y, dz = q.z - me.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 1e-6f), s = q.w * r * r * r;
      ax += dx * s, ay += dy * s, az += dz * s;
    }
    __syncthreads();
  }
  acc[i] = make_float4(ax, ay, az, 0.0f);
}

struct __align__(32) vec {
  double x, y, z, w;
};

// Lennard-Jones with a neighbour list of 64, column-major.
// warpwise: grid=(n+127)/128 block=128 n=65536 cut=4.0 p=f64[n*4] list=i32[n*64]:uniform(0,n) f=f64[n*4]
extern "C" __global__ void lennard_jones(int n, double cut, const vec *p, const int *list, vec *f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  vec me = p[i];
  double fx = 0, fy = 0, fz = 0;
  for (int k = 0; k < 64; k++) {
    vec q = p[list[(size_t)k * n + i]];
    double dx = me.x - q.x, dy = me.y - q.y, dz = me.z - q.z, r2 = dx * dx + dy * dy + dz * dz;
    if (r2 < cut && r2 > 1e-9) {
      double s = 1.0 / r2, s3 = s * s * s, g = 24.0 * s * s3 * (2.0 * s3 - 1.0);
      fx += g * dx, fy += g * dy, fz += g * dz;
    }
  }
  f[i] = {fx, fy, fz, 0.0};
}
