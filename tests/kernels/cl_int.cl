__kernel void cl_int(__global const uint *restrict x, __global int *out, int n) {
  int i = get_global_id(0);
  uint u = x[i] * 2654435761u;
  int v = (int)u, w = (int)(u * 40503u + 17u);
  out[0 * n + i] = mul_hi(v, w);
  out[1 * n + i] = (int)rotate(u, (uint)(i & 31));
  out[2 * n + i] = clz(u >> (i & 31));
  out[3 * n + i] = (int)popcount(u);
  out[4 * n + i] = mad24(v >> 18, w >> 16, i);
  out[5 * n + i] = hadd(v, w);
  out[6 * n + i] = (int)abs_diff(v, w);
  out[7 * n + i] = add_sat(v, w);
  out[8 * n + i] = (int)sub_sat(u, (uint)w);
  out[9 * n + i] = clamp(v, -1000000, 2000000);
  out[10 * n + i] = (int)upsample((ushort)(u >> 16), (ushort)u);
  out[11 * n + i] = rhadd(v, w);
}
