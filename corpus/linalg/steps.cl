// Steps of solvers on OpenCL, in doubles.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Two steps of elimination at once: rows k and k + 1 are done, their factors are in columns k and k + 1.
// warpwise: grid=(n+31)/32,(n+7)/8 block=32,8 n=1024 k=64 a=f64[n*n]
__kernel void eliminate_two(int n, int k, __global double *a) {
  int c = k + 2 + get_global_id(0), r = k + 2 + get_global_id(1);
  if (c >= n || r >= n) return;
  __global double *row = a + (size_t)r * n;
  row[c] -= row[k] * a[(size_t)k * n + c] + row[k + 1] * a[(size_t)(k + 1) * n + c];
}

// A triangle of 16 solved for many vectors, the triangle in local memory.
// warpwise: grid=(n+127)/128 block=128 n=65536 u=f64[256]:uniform(1,2) b=f64[16*n]
__kernel void back_substitute16(int n, __global const double *u, __global double *b) {
  __local double s[256];
  for (int k = get_local_id(0); k < 256; k += get_local_size(0)) s[k] = u[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  int c = get_global_id(0);
  if (c >= n) return;
  double x[16];
  for (int r = 15; r >= 0; r--) {
    double v = b[(size_t)r * n + c];
    for (int k = r + 1; k < 16; k++) v -= s[r * 16 + k] * x[k];
    b[(size_t)r * n + c] = x[r] = v / s[r * 17];
  }
}

// Inverses of 3 x 3 matrices, one per work-item.
// warpwise: grid=(n+127)/128 block=128 n=1<<18 a=f32[9*n]:uniform(1,3) inv=f32[9*n]
__kernel void invert3(int n, __global const float *a, __global float *inv) {
  int i = get_global_id(0);
  if (i >= n) return;
  float3 p = vload3(3 * i, a), q = vload3(3 * i + 1, a), r = vload3(3 * i + 2, a);
  float3 u = cross(q, r), v = cross(r, p), w = cross(p, q);
  float f = 1.0f / (dot(p, u) + 1e-6f);
  vstore3(f * (float3)(u.x, v.x, w.x), 3 * i, inv);
  vstore3(f * (float3)(u.y, v.y, w.y), 3 * i + 1, inv);
  vstore3(f * (float3)(u.z, v.z, w.z), 3 * i + 2, inv);
}
