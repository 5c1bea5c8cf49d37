// 5x5 convolution of an image, coefficients from constant memory or from global memory.

__constant__ float filter[25] = {1, 4, 6, 4, 1, 4, 16, 24, 16, 4, 6, 24, 36, 24, 6, 4, 16, 24, 16, 4, 1, 4, 6, 4, 1};

// warpwise: grid=w/32,h/8 block=32,8 w=2048 h=2048 in=f32[w*h] out=f32[w*h]
extern "C" __global__ void conv5_constant(int w, int h, const float *in, float *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < 2 || y < 2 || x >= w - 2 || y >= h - 2) return;
  float s = 0.0f;
  for (int j = 0; j < 5; j++)
    for (int i = 0; i < 5; i++) s += filter[j * 5 + i] * in[(size_t)(y + j - 2) * w + x + i - 2];
  out[(size_t)y * w + x] = s;
}

// Channels last, `k` filters of 3x3xC: one output pixel and filter per thread.
// warpwise: grid=(w*w+63)/64,k/4 block=64,4 w=58 c=64 k=64 in=f32[w*w*c] weights=f32[k*9*c] out=f32[w*w*k]
extern "C" __global__ void conv3_channels(int w, int c, int k, const float *in, const float *weights, float *out) {
  int p = blockIdx.x * 64 + threadIdx.x, f = blockIdx.y * 4 + threadIdx.y, x = p % w, y = p / w;
  if (x < 1 || y < 1 || x >= w - 1 || y >= w - 1) return;
  float s = 0.0f;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      for (int q = 0; q < c; q++)
        s += in[((y + j - 1) * w + x + i - 1) * c + q] * weights[(f * 9 + j * 3 + i) * c + q];
  out[(size_t)p * k + f] = s;
}
