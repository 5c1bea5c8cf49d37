// One lock for all lanes, then the warp together again: a sum by shuffles needs every lane.
__global__ void warp_lock(int *lock, volatile int *order, int *out) {
  int lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  int before = *order;
  *order = before + 1;
  __threadfence();
  atomicExch(lock, 0);
  __syncwarp();
  int v = lane;
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  unsigned all = __ballot_sync(0xffffffffu, before >= 0);
  if (lane == 0) out[2 * warp] = v;
  if (lane == 31) out[2 * warp + 1] = (int)all;
}
