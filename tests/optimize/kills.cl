// warpwise: grid=(n+63)/64 block=64 n=8192 a=f32[n] b=f32[n]
__kernel void halves(int n, __global const float *a, __global float *b) {
  int i = get_global_id(0);
  float s = 0.0f;
  for (int k = 0; k < 4; k++)
    s += a[i < n ? i : 0] * 0.5;
  if (i < n)
    b[i] = s;
}
