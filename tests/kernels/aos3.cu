// Array of 12-byte structs: three scalar loads 12 bytes apart between lanes.
struct vec3 { float x, y, z; };
__global__ void aos3(const vec3 *__restrict__ p, float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = p[i].x, y = p[i].y, z = p[i].z;
  out[i] = x * x + y * y + z * z;
}
