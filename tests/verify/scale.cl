// The same in OpenCL, with memory that the host sizes.
// warpwise: grid=(n+63)/64 block=64 n=65536 x=f32[n] y=f32[n] t=f32[66]
kernel void blur(global const float *x, global float *y, local float *t, int n) {
  int i = get_global_id(0);
  if (i < n) y[i] = 0.5f * x[i] + 0.5f * x[i + 1 < n ? i + 1 : i];
}

kernel void blur_local(global const float *x, global float *y, local float *t, int n) {
  int i = get_global_id(0), l = get_local_id(0);
  if (i < n) t[l] = x[i];
  if (i < n && (l == 63 || i == n - 1)) t[l + 1] = x[i + 1 < n ? i + 1 : i];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n) y[i] = 0.5f * t[l] + 0.5f * t[l + 1];
}

kernel void blur_race(global const float *x, global float *y, local float *t, int n) {
  int i = get_global_id(0), l = get_local_id(0);
  if (i < n) t[l] = x[i];
  if (i < n && (l == 63 || i == n - 1)) t[l + 1] = x[i + 1 < n ? i + 1 : i];
  if (i < n) y[i] = 0.5f * t[l] + 0.5f * t[l + 1];
}

// Right up to a size that only the launch has.
kernel void blur_small(global const float *x, global float *y, local float *t, int n) {
  int i = get_global_id(0);
  if (i < n && i < 50000) y[i] = 0.5f * x[i] + 0.5f * x[i + 1 < n ? i + 1 : i];
}
