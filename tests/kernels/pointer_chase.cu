// Each lane follows its own chain: the next address is the last load's value.
__global__ void pointer_chase(const int *__restrict__ next, int *__restrict__ out, int steps) {
  int i = threadIdx.x, p = i * 16;
#pragma unroll 1
  for (int k = 0; k < steps; k++) p = next[p];
  out[i] = p;
}
