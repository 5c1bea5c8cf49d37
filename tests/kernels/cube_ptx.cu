// A cube map whose faces have 8 x 8 elements: the direction to each element, of any length, fetches it. Faces: x, -x, y, -y, z, -z.
__global__ void cube_ptx(const float4 *__restrict__ cube, float4 *__restrict__ out) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, face = k / 64;
  float s = (2 * (k % 8) + 1) / 8.0f - 1, t = (2 * (k / 8 % 8) + 1) / 8.0f - 1, x, y, z, r, g, b, a;
  switch (face) {
  case 0: x = 1, y = -t, z = -s; break;
  case 1: x = -1, y = -t, z = s; break;
  case 2: x = s, y = 1, z = t; break;
  case 3: x = s, y = -1, z = -t; break;
  case 4: x = s, y = -t, z = 1; break;
  default: x = -s, y = -t, z = -1;
  }
  float far = 3 + k;
  asm("tex.level.cube.v4.f32.f32 {%0,%1,%2,%3}, [%4, {%5, %6, %7, %7}], %8;" : "=f"(r), "=f"(g), "=f"(b), "=f"(a) : "l"(cube), "f"(x * far), "f"(y * far), "f"(z * far), "f"(0.0f));
  out[k] = make_float4(r, g, b, a);
}
