// warpwise: grid=64 block=128 n=50000 x=[n] y=[64]
__kernel void sums(__global const float *x, __global float *y, int n) {
  __local float part[1024];
  int t = get_local_id(0);
  float sum = 0;
  for (int i = get_group_id(0) * ((n + 63) / 64) + t; i < min(n, (int)(get_group_id(0) + 1) * ((n + 63) / 64)); i += get_local_size(0))
    sum += x[i];
  part[t] = sum;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
    if (t < s)
      part[t] += part[t + s];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (t == 0)
    y[get_group_id(0)] = part[0];
}
