// A lock a bucket, taken by single lanes: the one that holds it must get on while others of its warp spin.
__global__ void bucket_locks(const int *__restrict__ bucket, int *lock, volatile int *members, volatile int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = bucket[i] & 7;
  while (atomicCAS(&lock[k], 0, 1) != 0) {}
  __threadfence();
  members[k] = members[k] + 1;
  sum[k] = sum[k] + i;
  __threadfence();
  atomicExch(&lock[k], 0);
}
