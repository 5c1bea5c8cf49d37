// Walks through memory on OpenCL.

// warpwise: grid=(items+31)/32 block=32 items=256 steps=500 n=1<<20 next=i32[n]:permutation out=i32[items]
__kernel void walk(int items, int steps, int n, __global const int *next, __global int *out) {
  int i = get_global_id(0), at = i % n;
  if (i >= items) return;
  for (int k = 0; k < steps; k++) at = next[at];
  out[i] = at;
}

// Two tables in turn; the second is short and stays near.
// warpwise: grid=(items+63)/64 block=64 items=4096 steps=200 n=1<<22 far=i32[n]:permutation near=u16[65536]:uniform(0,65536) out=i32[items]
__kernel void walk_two(int items, int steps, int n, __global const int *far, __global const ushort *near,
                       __global int *out) {
  int i = get_global_id(0);
  uint at = i % n;
  if (i >= items) return;
  for (int k = 0; k < steps; k++) at = (far[at] + near[at & 65535]) % (uint)n;
  out[i] = at;
}
