// A struct passed by value and indexed by a number that is known at run time only: the callee has it in memory.
struct Row { int v[40]; };
__device__ __noinline__ int pick(Row r, int k) {
  r.v[(k + 5) % 40] += k;
  return r.v[k % 40] + r.v[k * 7 % 40];
}
__global__ void struct_index(const int *__restrict__ x, int *__restrict__ out) {
  int i = threadIdx.x;
  Row r;
  for (int k = 0; k < 40; k++) r.v[k] = x[i] * (k + 1);
  out[i] = pick(r, i);
}
