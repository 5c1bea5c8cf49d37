#define TS 8
// warpwise: grid=n/TS,n/TS block=TS,TS n=128 a=[n*n] b=[n*n] c=[n*n]
__kernel void product(__global const float *a, __global const float *b, __global float *c, int n) {
  __local float as[TS][TS];
  __local float bs[TS][TS];
  int row = get_global_id(1), col = get_global_id(0);
  int r = get_local_id(1), q = get_local_id(0);
  float sum = 0;
  for (int t = 0; t < n; t += TS) {
    as[r][q] = a[row * n + t + q];
    bs[r][q] = b[(t + r) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TS; k++)
      sum += as[r][k] * bs[k][q];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  c[row * n + col] = sum;
}
