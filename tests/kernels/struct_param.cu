struct Params { int n; float a; const float *x; const float *y; };
__global__ void struct_param(Params p, float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.n) out[i] = fmaf(p.a, p.x[i], p.y[i]);
}
