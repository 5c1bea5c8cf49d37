// Two files are one unit: the kernel here calls a device function of the other.
__device__ float twice(float x);
static __device__ float same_name(float x) { return x + 1.0f; }
__global__ void caller(float *x) { x[threadIdx.x] = twice(same_name(x[threadIdx.x])); }
