// Sparse matrix times vector, a row per work-item.
// warpwise: grid=4096 block=256 rows=1048576 start=[rows+1]:monotone column=[16*rows] value=[16*rows] x=[rows] y=[rows]
__kernel void spmv(int rows, __global const int *start, __global const int *column, __global const float *value,
                   __global const float *x, __global float *y) {
  int r = get_global_id(0);
  if (r >= rows) return;
  float sum = 0;
  for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[column[k]];
  y[r] = sum;
}
