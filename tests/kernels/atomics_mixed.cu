__global__ void atomics_mixed(const int *__restrict__ x, int *r, unsigned *u, int *swap, unsigned long long *big, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = x[i];
  atomicMin(&r[0], v - 77);
  atomicMax(&r[1], v * 3);
  atomicSub(&r[2], v);
  atomicOr(&u[0], 1u << (v & 31));
  atomicAnd(&u[1], ~(1u << (v & 7)));
  atomicXor(&u[2], (unsigned)v);
  atomicInc(&u[3], 16u);
  swap[i] = atomicExch(&swap[n + i], v + 1);
  atomicAdd(&big[v & 1], 0x100000001ull);
}
