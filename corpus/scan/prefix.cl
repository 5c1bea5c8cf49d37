// Prefix sums by work-groups of 256.

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=i32[n]:uniform(0,100) y=i32[n] total=i32[(n+255)/256]
__kernel void scan_group(int n, __global const int *x, __global int *y, __global int *total) {
  __local int s[2][256];
  int t = get_local_id(0), i = get_global_id(0), from = 0;
  if (get_group_id(0) * 256 >= n) return;
  s[0][t] = i < n ? x[i] : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int d = 1; d < 256; d <<= 1, from ^= 1) {
    s[from ^ 1][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n) y[i] = s[from][t];
  if (t == 255) total[get_group_id(0)] = s[from][255];
}

// Four numbers to a work-item; exclusive.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<22 x=u32[n]:uniform(0,100) y=u32[n] total=u32[(n+1023)/1024]
__kernel void scan_group4(int n, __global const uint4 *x, __global uint4 *y, __global uint *total) {
  __local uint s[256];
  int t = get_local_id(0), i = get_global_id(0);
  if (get_group_id(0) * 1024 >= n) return;
  uint4 v = 4 * i < n ? x[i] : (uint4)0;
  uint mine = v.x + v.y + v.z + v.w, run = mine;
  s[t] = mine;
  for (int d = 1; d < 256; d <<= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    uint before = t >= d ? s[t - d] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    s[t] = run += before;
  }
  if (t == 255) total[get_group_id(0)] = run;
  run -= mine;
  if (4 * i < n) y[i] = (uint4)(run, run + v.x, run + v.x + v.y, run + v.x + v.y + v.z);
}

// What is before each group is added to it.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<22 before=u32[(n+1023)/1024]:uniform(0,1000) y=u32[n]:uniform(0,1000)
__kernel void add_before(int n, __global const uint *before, __global uint4 *y) {
  int i = get_global_id(0);
  if (4 * i < n) y[i] += before[get_group_id(0)];
}
