// Stencils on OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// A conductivity for each cell; the tile with its rim in local memory.
// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=2048 h=2048 k=f32[w*h] u=f32[w*h] out=f32[w*h]
__kernel void conduct(int w, int h, __global const float *k, __global const float *u, __global float *out) {
  __local float s[18][18];
  int lx = get_local_id(0), ly = get_local_id(1), x0 = get_group_id(0) * 16, y0 = get_group_id(1) * 16;
  for (int c = ly * 16 + lx; c < 324; c += 256) {
    int x = clamp(x0 + c % 18 - 1, 0, w - 1), y = clamp(y0 + c / 18 - 1, 0, h - 1);
    s[c / 18][c % 18] = u[(size_t)y * w + x];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  int x = x0 + lx, y = y0 + ly;
  if (x >= w || y >= h) return;
  float c = s[ly + 1][lx + 1];
  float flow = s[ly][lx + 1] + s[ly + 2][lx + 1] + s[ly + 1][lx] + s[ly + 1][lx + 2] - 4.0f * c;
  out[(size_t)y * w + x] = c + 0.2f * k[(size_t)y * w + x] * flow;
}

// Seven points in three dimensions, doubles; a work-item goes up in z.
// warpwise: grid=(n+31)/32,(n+3)/4,(n+15)/16 block=32,4 n=192 in=f64[n*n*n] out=f64[n*n*n]
__kernel void seven_point(int n, __global const double *in, __global double *out) {
  int x = get_global_id(0), y = get_global_id(1), z0 = get_group_id(2) * 16;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  size_t plane = (size_t)n * n, base = (size_t)y * n + x;
  for (int z = max(z0, 1); z < min(z0 + 16, n - 1); z++) {
    size_t i = base + z * plane;
    out[i] =
        in[i] + 0.1 * (in[i - 1] + in[i + 1] + in[i - n] + in[i + n] + in[i - plane] + in[i + plane] - 6.0 * in[i]);
  }
}

// Four neighbours in a line at once: vectors and the elements beside them.
// warpwise: grid=(n/4+127)/128 block=128 n=1<<22 in=f32[n] out=f32[n]
__kernel void line4(int n, __global const float *in, __global float *out) {
  int i = 4 * get_global_id(0);
  if (i + 4 > n) return;
  float4 v = vload4(0, in + i);
  float l = i > 0 ? in[i - 1] : v.x, r = i + 4 < n ? in[i + 4] : v.w;
  vstore4(0.25f * ((float4)(l, v.xyz) + (float4)(v.yzw, r)) + 0.5f * v, 0, out + i);
}

// A fire spreads: a cell of whole numbers burns down or catches from its neighbours.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=2048 in=u8[w*h]:uniform(0,6) out=u8[w*h]
__kernel void fire(int w, int h, __global const uchar *in, __global uchar *out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  size_t i = (size_t)y * w + x;
  uchar c = in[i], near = 0;
  if (c == 1) {
    if (x > 0) near |= in[i - 1] > 3;
    if (x < w - 1) near |= in[i + 1] > 3;
    if (y > 0) near |= in[i - w] > 3;
    if (y < h - 1) near |= in[i + w] > 3;
  }
  out[i] = c > 1 ? c - 1 : near ? 5 : c;
}
