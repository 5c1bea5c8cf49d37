// Grids in OpenCL.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

// Transport with a limiter along rows, double precision.
// warpwise: grid=(w+63)/64,h block=64 w=2048 h=512 c=0.4 in=[w*h] out=[w*h]
__kernel void limited_transport(int w, int h, double c, __global const double *restrict in, __global double *restrict out) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= w || y >= h) return;
  __global const double *r = in + (size_t)y * w;
  double a = r[(x + w - 2) % w], b = r[(x + w - 1) % w], v = r[x], d = r[(x + 1) % w];
  double here = (v - b) * (d - v) > 0.0 ? copysign(fmin(fabs(v - b), fabs(d - v)), v - b) : 0.0;
  double before = (b - a) * (v - b) > 0.0 ? copysign(fmin(fabs(b - a), fabs(v - b)), b - a) : 0.0;
  out[(size_t)y * w + x] = v - c * (v - b + 0.5 * (1.0 - c) * (here - before));
}

// Five steps of a wire world in local memory: 0 empty, 1 head, 2 tail, 3 wire; the tile's margin of five goes stale and is dropped. Integers alone.
// warpwise: grid=(w+21)/22,(h+21)/22 block=32,32 w=1024 h=1024 in=[w*h]:uniform(0,4) out=[w*h]
__kernel void wire_steps(int w, int h, __global const uchar *restrict in, __global uchar *restrict out) {
  __local uchar s[2][34][34];
  int tx = get_local_id(0), ty = get_local_id(1), x = (int)get_group_id(0) * 22 + tx - 5, y = (int)get_group_id(1) * 22 + ty - 5;
  int inside = x >= 0 && y >= 0 && x < w && y < h;
  for (int k = ty * 32 + tx; k < 2 * 34 * 34; k += 1024) s[k / 1156][k % 1156 / 34][k % 34] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  s[0][ty + 1][tx + 1] = inside ? in[y * w + x] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < 5; k++) {
    uchar v = s[k & 1][ty + 1][tx + 1];
    if (v == 3) {
      int heads = 0;
      for (int j = 0; j < 3; j++)
        for (int i = 0; i < 3; i++) heads += s[k & 1][ty + j][tx + i] == 1;
      if (heads == 1 || heads == 2) v = 1;
    } else if (v)
      v++;
    s[~k & 1][ty + 1][tx + 1] = v;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (inside && tx >= 5 && tx < 27 && ty >= 5 && ty < 27) out[y * w + x] = s[1][ty + 1][tx + 1];
}
