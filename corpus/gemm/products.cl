// Matrix products on OpenCL.
#ifndef SIDE
#define SIDE 16
#endif

// Tiles of SIDE x SIDE; any size.
// warpwise: grid=(n+15)/16,(m+15)/16 block=16,16 m=512 n=512 k=512 a=f32[m*k] b=f32[k*n] c=f32[m*n]
__kernel void gemm_tile(int m, int n, int k, __global const float *a, __global const float *b, __global float *c) {
  __local float as[SIDE][SIDE], bs[SIDE][SIDE];
  int lx = get_local_id(0), ly = get_local_id(1), col = get_group_id(0) * SIDE + lx, row = get_group_id(1) * SIDE + ly;
  float s = 0.0f;
  for (int k0 = 0; k0 < k; k0 += SIDE) {
    as[ly][lx] = row < m && k0 + lx < k ? a[(size_t)row * k + k0 + lx] : 0.0f;
    bs[ly][lx] = k0 + ly < k && col < n ? b[(size_t)(k0 + ly) * n + col] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int p = 0; p < SIDE; p++) s = mad(as[ly][p], bs[p][lx], s);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (row < m && col < n) c[(size_t)row * n + col] = s;
}

// A work-item makes 4 x 4 of C straight from global memory, in vectors; n a multiple of 4.
// warpwise: grid=(n/4+15)/16,(n/4+7)/8 block=16,8 n=1024 a=f32[n*n] b=f32[n*n] c=f32[n*n]
__kernel void gemm_vectors(int n, __global const float *a, __global const float4 *b, __global float4 *c) {
  int j = get_global_id(0), i = 4 * get_global_id(1), q = n / 4;
  if (j >= q || i + 4 > n) return;
  float4 r0 = 0.0f, r1 = 0.0f, r2 = 0.0f, r3 = 0.0f;
  for (int k = 0; k < n; k++) {
    float4 v = b[(size_t)k * q + j];
    r0 += a[(size_t)i * n + k] * v, r1 += a[(size_t)(i + 1) * n + k] * v;
    r2 += a[(size_t)(i + 2) * n + k] * v, r3 += a[(size_t)(i + 3) * n + k] * v;
  }
  c[(size_t)i * q + j] = r0, c[(size_t)(i + 1) * q + j] = r1, c[(size_t)(i + 2) * q + j] = r2,
                    c[(size_t)(i + 3) * q + j] = r3;
}

// Whole numbers of 16 bits, summed in 32; b is given turned, so that both are read along rows.
// warpwise: grid=(n+31)/32,(m+7)/8 block=32,8 m=512 n=512 k=512 a=i16[m*k]:uniform(0,100) b=i16[n*k]:uniform(0,100) c=i32[m*n]
__kernel void gemm_shorts(int m, int n, int k, __global const short *a, __global const short *b, __global int *c) {
  int col = get_global_id(0), row = get_global_id(1);
  if (col >= n || row >= m) return;
  int s = 0;
  for (int p = 0; p + 4 <= k; p += 4) {
    int4 u = convert_int4(vload4(0, a + (size_t)row * k + p)), v = convert_int4(vload4(0, b + (size_t)col * k + p));
    int4 w = mul24(u, v);
    s += w.x + w.y + w.z + w.w;
  }
  c[(size_t)row * n + col] = s;
}
