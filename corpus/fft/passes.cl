// Transforms on OpenCL.

float2 turn(float2 a, float angle) {
  float c, s = sincos(angle, &c);
  return (float2)(a.x * c - a.y * s, a.x * s + a.y * c);
}

// One pass of radix 2 with the points in place; partners are `span` apart, the input bit-reversed.
// warpwise: grid=(n/2+255)/256 block=256 n=1<<21 span=1<<10 data=f32[2*n]
__kernel void fft_inplace(int n, int span, __global float2 *data) {
  int t = get_global_id(0), k = t % span, i = (t - k) * 2 + k;
  if (i + span >= n) return;
  float2 a = data[i], b = turn(data[i + span], -3.14159265f * k / span);
  data[i] = a + b, data[i + span] = a - b;
}

// Sixteen points to a work-item, kept in private memory; a row of sixteen each.
// warpwise: grid=(batch+63)/64 block=64 batch=65536 data=f32[batch*32]
__kernel void fft16_item(int batch, __global float2 *data) {
  int m = get_global_id(0);
  if (m >= batch) return;
  float2 v[16];
  for (int k = 0; k < 16; k++) v[(k & 1) << 3 | (k & 2) << 1 | (k & 4) >> 1 | k >> 3] = data[(size_t)m * 16 + k];
  for (int span = 1; span < 16; span <<= 1)
    for (int t = 0; t < 8; t++) {
      int k = t & (span - 1), i = (t - k) * 2 + k;
      float2 a = v[i], b = turn(v[i + span], -3.14159265f * k / span);
      v[i] = a + b, v[i + span] = a - b;
    }
  for (int k = 0; k < 16; k++) data[(size_t)m * 16 + k] = v[k];
}

// Sums and differences of whole numbers, 512 to a work-group.
// warpwise: grid=n/512 block=256 n=1<<21 x=i32[n]:uniform(0,1000)
__kernel void hadamard512(int n, __global int *x) {
  __local int s[512];
  int t = get_local_id(0), base = get_group_id(0) * 512;
  if (base + 512 > n) return;
  s[t] = x[base + t], s[t + 256] = x[base + t + 256];
  for (int d = 256; d > 0; d >>= 1) {
    barrier(CLK_LOCAL_MEM_FENCE);
    int a = ((t & ~(d - 1)) << 1) | (t & (d - 1)), u = s[a], v = s[a + d];
    s[a] = u + v, s[a + d] = u - v;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  x[base + t] = s[t], x[base + t + 256] = s[t + 256];
}
