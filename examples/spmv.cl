// Sparse matrix times vector, a row for each work-item. Nothing is said about the matrix: the row pointers and column
// indices are recognised by what the kernel does with them.
// warpwise: grid=rows/128 block=128 rows=1<<18
__kernel void spmv(int rows, __global const int *start, __global const int *col, __global const float *val,
                   __global const float *x, __global float *y) {
  int row = get_global_id(0);
  if (row >= rows) return;
  float sum = 0;
  for (int k = start[row]; k < start[row + 1]; k++) sum += val[k] * x[col[k]];
  y[row] = sum;
}
