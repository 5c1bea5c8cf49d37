__constant__ float scale;
__constant__ int offsets[4];
__device__ float table[64];
__device__ int counter;
__global__ void symbols(float *__restrict__ out) {
  int i = threadIdx.x;
  float v = table[i] + scale;
  table[i] = v * 2.0f;
  out[i] = v - (float)offsets[i & 3];
  atomicAdd(&counter, 2);
}
