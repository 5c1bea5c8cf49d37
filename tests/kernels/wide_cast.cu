// 16 bytes at a time through an array whose elements are 2 bytes: nvcc takes the pointer's word for the alignment.
__global__ void wide_cast(const unsigned short *__restrict__ in, unsigned short *__restrict__ out) {
  __shared__ unsigned short tile[128 * 8];
  int i = blockIdx.x * 128 + threadIdx.x;
  *(uint4 *)&tile[threadIdx.x * 8] = *(const uint4 *)&in[i * 8];
  __syncthreads();
  *(uint4 *)&out[i * 8] = *(uint4 *)&tile[(127 - threadIdx.x) * 8];
}
