// Conversions with their roundings, saturation and NaN.
__global__ void convert(const float *__restrict__ x, int *rn, int *rz, int *ru, int *rd, unsigned *sat, float *from, float *narrow, long long *wide) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = (x[i] - 64.0f) * 0.375f;
  rn[i] = __float2int_rn(v);
  rz[i] = __float2int_rz(v);
  ru[i] = __float2int_ru(v);
  rd[i] = __float2int_rd(v);
  sat[i] = __float2uint_rz(i == 0 ? __int_as_float(0x7fc00000) : v * 1e9f);
  from[i] = (float)(16777217 + i * 3);
  narrow[i] = (float)(1.0 + (double)i * 1e-9);
  wide[i] = (long long)(v * 1e12);
}
