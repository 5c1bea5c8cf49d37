// A tile in local memory, read by columns.
// expect: bank-conflict
// warpwise: grid=n/32,n/32 block=32,8 n=4096 in=[n*n] out=[n*n]
__kernel void turn(__global const float *in, __global float *out, int n) {
  __local float tile[32][32];
  int lx = get_local_id(0), ly = get_local_id(1);
  int gx = get_group_id(0) * 32, gy = get_group_id(1) * 32;
  for (int k = 0; k < 32; k += 8) tile[ly + k][lx] = in[(gy + ly + k) * n + gx + lx];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 16; r++)
    for (int k = 0; k < 32; k += 8) out[(gx + ly + k) * n + gy + lx] = tile[lx][ly + k] * 2.0f;
}
