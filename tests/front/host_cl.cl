kernel void scale(global float *x, int n, local float *t) {
  int i = get_global_id(0);
  t[get_local_id(0)] = x[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) x[i] = 2.0f * t[get_local_id(0)];
}
