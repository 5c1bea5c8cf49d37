__kernel void cl_select(__global const int4 *restrict a, __global const int4 *restrict b, __global int4 *restrict out, __global int *restrict f) {
  int i = get_global_id(0);
  int4 p = a[i], q = b[i] * 3 - 100;
  out[i] = select(p, q, p < q) + (p == q);
  f[i] = any(p > q) + 2 * all(p < q);
}
