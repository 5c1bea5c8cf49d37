// Pictures in OpenCL: tiles in local memory, bytes in fours, tables.

// Box blur of radius 2 from a tile of 20x20.
// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=1920 h=1080 in=[w*h] out=[w*h]
__kernel void box_tile(int w, int h, __global const float *restrict in, __global float *restrict out) {
  __local float tile[20][21];
  int tx = get_local_id(0), ty = get_local_id(1), x = get_global_id(0), y = get_global_id(1);
  int x0 = (int)get_group_id(0) * 16 - 2, y0 = (int)get_group_id(1) * 16 - 2;
  for (int k = ty * 16 + tx; k < 400; k += 256) tile[k / 20][k % 20] = in[clamp(y0 + k / 20, 0, h - 1) * w + clamp(x0 + k % 20, 0, w - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x >= w || y >= h) return;
  float s = 0.0f;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) s += tile[ty + j][tx + i];
  out[y * w + x] = s * 0.04f;
}

// Bytes through a table held in local memory, 16 a work-item.
// warpwise: grid=(n/16+127)/128 block=128 n=1<<24 table=[256] in=u8[n]:uniform(0,256) out=[n/16]
__kernel void tone_table(int n, __global const uchar *restrict table, __global const uchar16 *restrict in, __global uchar16 *restrict out) {
  __local uchar lut[256];
  for (int k = get_local_id(0); k < 256; k += get_local_size(0)) lut[k] = table[k];
  barrier(CLK_LOCAL_MEM_FENCE);
  int i = get_global_id(0);
  if (i >= n / 16) return;
  uchar16 v = in[i], o;
  o.s0 = lut[v.s0], o.s1 = lut[v.s1], o.s2 = lut[v.s2], o.s3 = lut[v.s3], o.s4 = lut[v.s4], o.s5 = lut[v.s5], o.s6 = lut[v.s6], o.s7 = lut[v.s7];
  o.s8 = lut[v.s8], o.s9 = lut[v.s9], o.sa = lut[v.sa], o.sb = lut[v.sb], o.sc = lut[v.sc], o.sd = lut[v.sd], o.se = lut[v.se], o.sf = lut[v.sf];
  out[i] = o;
}

// Alpha blending of two pictures, integers.
// warpwise: grid=(n+255)/256 block=256 n=2073600 over=[n] under=[n] out=[n]
__kernel void blend_over(int n, __global const uchar4 *restrict over, __global const uchar4 *restrict under, __global uchar4 *restrict out) {
  int i = get_global_id(0);
  if (i >= n) return;
  uint4 a = convert_uint4(over[i]), b = convert_uint4(under[i]);
  uint4 mix = a * a.w + b * (255u - a.w) + 128u;
  out[i] = convert_uchar4((mix + (mix >> 8u)) >> 8u);
}
