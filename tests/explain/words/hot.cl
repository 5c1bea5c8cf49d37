// Every work-item adds to one number.
// warpwise: grid=4096 block=256 n=1<<20 x=i32[n] sum=i32[1]
__kernel void hot(__global const int *x, __global int *sum, int n) {
  int i = get_global_id(0);
  if (i < n) atomic_add(sum, x[i]);
}
