__device__ float law(float x, float y) { return x * y + rsqrtf(x + 1); }
