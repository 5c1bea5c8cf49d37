// One work-group, or a few, on OpenCL.

// A rule of a cellular automaton on a ring of 256 cells, many steps in local memory.
// warpwise: grid=rings block=256 rings=8 steps=1000 rule=110 cell=u8[rings*256]:uniform(0,2)
__kernel void ring(int rings, int steps, int rule, __global uchar *cell) {
  __local uchar s[2][256];
  int t = get_local_id(0), from = 0;
  if (get_group_id(0) >= rings) return;
  s[0][t] = cell[get_group_id(0) * 256 + t];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int k = 0; k < steps; k++, from ^= 1) {
    int near = s[from][(t + 255) & 255] << 2 | s[from][t] << 1 | s[from][(t + 1) & 255];
    s[from ^ 1][t] = rule >> near & 1;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  cell[get_group_id(0) * 256 + t] = s[from][t];
}
