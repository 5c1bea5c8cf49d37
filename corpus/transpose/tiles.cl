// Transposes through local memory.

// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 h=2000 w=1500 in=f32[h*w] out=f32[h*w]
__kernel void transpose_local(int h, int w, __global const float *in, __global float *out) {
  __local float tile[16 * 17];
  int lx = get_local_id(0), ly = get_local_id(1), x = get_group_id(0) * 16 + lx, y = get_group_id(1) * 16 + ly;
  if (x < w && y < h) tile[ly * 17 + lx] = in[(size_t)y * w + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  x = get_group_id(1) * 16 + lx, y = get_group_id(0) * 16 + ly;
  if (x < h && y < w) out[(size_t)y * h + x] = tile[lx * 17 + ly];
}

// Each work-item turns a 4 x 4 block in registers; n a multiple of 4.
// warpwise: grid=(n/4+15)/16,(n/4+7)/8 block=16,8 n=2048 in=u32[n*n]:uniform(0,4294967296) out=u32[n*n]
__kernel void transpose_4x4(int n, __global const uint4 *in, __global uint4 *out) {
  int bx = get_global_id(0), by = get_global_id(1), q = n / 4;
  if (bx >= q || by >= q) return;
  __global const uint4 *p = in + (size_t)by * 4 * q + bx;
  uint4 a = p[0], b = p[q], c = p[2 * q], d = p[3 * q];
  __global uint4 *o = out + (size_t)bx * 4 * q + by;
  o[0] = (uint4)(a.x, b.x, c.x, d.x), o[q] = (uint4)(a.y, b.y, c.y, d.y);
  o[2 * q] = (uint4)(a.z, b.z, c.z, d.z), o[3 * q] = (uint4)(a.w, b.w, c.w, d.w);
}
