// Bytes in, bytes out.

// warpwise: grid=(w*h+255)/256 block=256 w=3840 h=2160 rgb=u8[w*h*3] grey=u8[w*h]
extern "C" __global__ void grey(int w, int h, const unsigned char *rgb, unsigned char *grey) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w * h) grey[i] = (unsigned char)((77 * rgb[3 * i] + 150 * rgb[3 * i + 1] + 29 * rgb[3 * i + 2]) >> 8);
}

// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=3840 h=2160 in=u8[w*h] out=u8[w*h]
extern "C" __global__ void sobel(int w, int h, const unsigned char *in, unsigned char *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 1 || y < 1 || x >= w - 1 || y >= h - 1) return;
  const unsigned char *p = in + (size_t)y * w + x;
  int gx = p[-w + 1] + 2 * p[1] + p[w + 1] - p[-w - 1] - 2 * p[-1] - p[w - 1];
  int gy = p[w - 1] + 2 * p[w] + p[w + 1] - p[-w - 1] - 2 * p[-w] - p[-w + 1];
  float g = sqrtf((float)(gx * gx + gy * gy));
  out[(size_t)y * w + x] = g > 255.0f ? 255 : (unsigned char)g;
}

// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=1024 h=1024 radius=4 in=f32[w*h] out=f32[w*h]
extern "C" __global__ void bilateral(int w, int h, int radius, const float *in, float *out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x >= w || y >= h) return;
  float here = in[y * w + x], sum = 0.0f, norm = 0.0f;
  for (int j = -radius; j <= radius; j++)
    for (int i = -radius; i <= radius; i++) {
      int u = min(max(x + i, 0), w - 1), v = min(max(y + j, 0), h - 1);
      float there = in[v * w + u], d = there - here;
      float k = __expf(-(i * i + j * j) * 0.05f - d * d * 8.0f);
      sum += k * there, norm += k;
    }
  out[y * w + x] = sum / norm;
}
