static __device__ float same_name(float x) { return x - 1.0f; }
__device__ float twice(float x) { return 2.0f * same_name(x); }
__global__ void other(float *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
