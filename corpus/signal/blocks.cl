// Signals in OpenCL.

// Filter of 32 taps with the group's samples in local memory, taps in constant memory.
// warpwise: grid=(n+127)/128 block=128 n=1<<20 x=[n+32] h=[32] y=[n]
__kernel void cl_fir32(int n, __global const float *restrict x, __constant float *h, __global float *restrict y) {
  __local float s[160];
  int t = get_local_id(0), i = get_global_id(0), base = get_group_id(0) * 128;
  for (int k = t; k < 160; k += 128) s[k] = base + k < n + 32 ? x[base + k] : 0.0f;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i >= n) return;
  float a = 0.0f;
  for (int k = 0; k < 32; k++) a = mad(h[k], s[t + k], a);
  y[i] = a;
}

// Envelope: jumps up, falls slowly; a work-item per channel.
// warpwise: grid=(channels+63)/64 block=64 channels=8192 len=200 x=[channels*len] y=[channels*len]
__kernel void cl_envelope(int channels, int len, __global const float *restrict x, __global float *restrict y) {
  int c = get_global_id(0);
  if (c >= channels) return;
  float level = 0.0f;
  for (int t = 0; t < len; t++) {
    float v = fabs(x[(size_t)t * channels + c] - 0.5f);
    level = v > level ? v : level * 0.995f;
    y[(size_t)t * channels + c] = level;
  }
}
