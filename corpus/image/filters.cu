// Filters of pictures: order statistics, morphology, edges, smoothing that keeps edges.

__device__ void order(int &a, int &b) {
  int lo = min(a, b);
  b = max(a, b), a = lo;
}

// Median of 3x3 by a network of 19 exchanges.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1920 h=1080 in=[w*h] out=[w*h]
extern "C" __global__ void median3(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, v[9];
  if (x >= w || y >= h) return;
#pragma unroll
  for (int k = 0; k < 9; k++) v[k] = in[(size_t)min(max(y + k / 3 - 1, 0), h - 1) * w + min(max(x + k % 3 - 1, 0), w - 1)];
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[1]), order(v[3], v[4]), order(v[6], v[7]);
  order(v[1], v[2]), order(v[4], v[5]), order(v[7], v[8]), order(v[0], v[3]), order(v[5], v[8]), order(v[4], v[7]);
  order(v[3], v[6]), order(v[1], v[4]), order(v[2], v[5]), order(v[4], v[7]), order(v[4], v[2]), order(v[6], v[4]);
  order(v[4], v[2]);
  out[(size_t)y * w + x] = (unsigned char)v[4];
}

// Median of 5x5 by counting in a histogram of 16 then 16: a thread works in its own column of shared memory.
// warpwise: grid=(w+63)/64,h block=64 w=640 h=480 in=[w*h]:uniform(0,256) out=[w*h]
extern "C" __global__ void median5_counting(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  __shared__ unsigned char count[16][64];
  int t = threadIdx.x, x = blockIdx.x * 64 + t, y = blockIdx.y;
  if (x >= w || y >= h) return;
  int left = 13, coarse = 0, fine = 0;
  for (int pass = 0; pass < 2; pass++) {
    for (int b = 0; b < 16; b++) count[b][t] = 0;
    for (int j = -2; j <= 2; j++)
      for (int i = -2; i <= 2; i++) {
        int v = in[(size_t)min(max(y + j, 0), h - 1) * w + min(max(x + i, 0), w - 1)];
        if (pass == 0)
          count[v >> 4][t]++;
        else if (v >> 4 == coarse)
          count[v & 15][t]++;
      }
    int b = 0;
    while (b < 15 && left > count[b][t]) left -= count[b][t], b++;
    if (pass == 0)
      coarse = b;
    else
      fine = b;
  }
  out[(size_t)y * w + x] = (unsigned char)(coarse * 16 + fine);
}

// Largest of a square, every pixel read (2r+1)^2 times.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=1024 h=1024 radius=3 in=[w*h] out=[w*h]
extern "C" __global__ void dilate_plain(int w, int h, int radius, const unsigned char *in, unsigned char *out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, top = 0;
  if (x >= w || y >= h) return;
  for (int v = max(y - radius, 0); v <= min(y + radius, h - 1); v++)
    for (int u = max(x - radius, 0); u <= min(x + radius, w - 1); u++) top = max(top, (int)in[(size_t)v * w + u]);
  out[(size_t)y * w + x] = (unsigned char)top;
}

// The same with rows first, then columns, inside a tile of shared memory; radius at most 8.
// warpwise: grid=(w+31)/32,(h+31)/32 block=32,8 w=2048 h=2048 radius=5 in=[w*h] out=[w*h]
extern "C" __global__ void dilate_tiled(int w, int h, int radius, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  __shared__ unsigned char raw[48][48], wide[48][32];
  int tx = threadIdx.x, ty = threadIdx.y, side = 32 + 2 * radius;
  int x0 = blockIdx.x * 32 - radius, y0 = blockIdx.y * 32 - radius;
  for (int j = ty; j < side; j += 8)
    for (int i = tx; i < side; i += 32) {
      int u = x0 + i, v = y0 + j;
      raw[j][i] = u >= 0 && v >= 0 && u < w && v < h ? in[(size_t)v * w + u] : 0;
    }
  __syncthreads();
  for (int j = ty; j < side; j += 8) {
    int top = 0;
    for (int k = 0; k <= 2 * radius; k++) top = max(top, (int)raw[j][tx + k]);
    wide[j][tx] = (unsigned char)top;
  }
  __syncthreads();
  for (int j = ty; j < 32; j += 8) {
    int x = blockIdx.x * 32 + tx, y = blockIdx.y * 32 + j, top = 0;
    if (x >= w || y >= h) continue;
    for (int k = 0; k <= 2 * radius; k++) top = max(top, (int)wide[j + k][tx]);
    out[(size_t)y * w + x] = (unsigned char)top;
  }
}

// Erosion of a black and white picture, 32 pixels a word: shifts and ands.
// warpwise: grid=(words*h+255)/256 block=256 words=256 h=8192 in=[words*h] out=[words*h]
extern "C" __global__ void erode_bits(int words, int h, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= words * h) return;
  int x = i % words, y = i / words;
  unsigned keep = 0xffffffffu;
#pragma unroll
  for (int j = -1; j <= 1; j++) {
    int v = min(max(y + j, 0), h - 1);
    const unsigned *row = in + (size_t)v * words;
    unsigned c = row[x], l = x > 0 ? row[x - 1] : 0u, r = x + 1 < words ? row[x + 1] : 0u;
    keep &= c & (c << 1 | l >> 31) & (c >> 1 | r << 31);
  }
  out[i] = keep;
}

// Bilateral filter, weights of distance and of difference from tables in shared memory, pixels from a tile. radius at most 5.
// warpwise: grid=(w+15)/16,(h+15)/16 block=16,16 w=1024 h=1024 radius=4 spread=0.05 sharp=12.0 in=[w*h]:uniform(0,256) out=[w*h]
extern "C" __global__ void bilateral_tables(int w, int h, int radius, float spread, float sharp, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  __shared__ float near[121], like[256];
  __shared__ unsigned char tile[26][28];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, side = 2 * radius + 1, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  if (t < side * side) {
    int i = t % side - radius, j = t / side - radius;
    near[t] = __expf(-spread * (i * i + j * j));
  }
  like[t] = __expf(-sharp * (t / 255.0f) * (t / 255.0f));
  for (int j = ty; j < 16 + 2 * radius; j += 16)
    for (int i = tx; i < 16 + 2 * radius; i += 16)
      tile[j][i] = in[(size_t)min(max((int)blockIdx.y * 16 + j - radius, 0), h - 1) * w + min(max((int)blockIdx.x * 16 + i - radius, 0), w - 1)];
  __syncthreads();
  if (x >= w || y >= h) return;
  int here = tile[ty + radius][tx + radius];
  float sum = 0.0f, norm = 0.0f;
  for (int j = 0; j < side; j++)
    for (int i = 0; i < side; i++) {
      int there = tile[ty + j][tx + i];
      float k = near[j * side + i] * like[abs(there - here)];
      sum += k * there, norm += k;
    }
  out[(size_t)y * w + x] = (unsigned char)(sum / norm + 0.5f);
}

// Gradient of a tile, four pixels a thread, magnitude as |gx|+|gy|; bytes come as words.
// warpwise: grid=(w/4+31)/32,(h+7)/8 block=32,8 w=3840 h=2160 in=[w*h/4] out=[w*h/4]
extern "C" __global__ void sobel_words(int w, int h, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, words = w / 4;
  if (x >= words || y >= h) return;
  int p[3][6];
#pragma unroll
  for (int j = 0; j < 3; j++) {
    const unsigned *row = in + (size_t)min(max(y + j - 1, 0), h - 1) * words;
    unsigned c = row[x], l = row[max(x - 1, 0)], r = row[min(x + 1, words - 1)];
    p[j][0] = l >> 24, p[j][5] = r & 255u;
    for (int k = 0; k < 4; k++) p[j][k + 1] = c >> (8 * k) & 255u;
  }
  unsigned word = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int gx = p[0][k + 2] + 2 * p[1][k + 2] + p[2][k + 2] - p[0][k] - 2 * p[1][k] - p[2][k];
    int gy = p[2][k] + 2 * p[2][k + 1] + p[2][k + 2] - p[0][k] - 2 * p[0][k + 1] - p[0][k + 2];
    word |= (unsigned)min((abs(gx) + abs(gy)) >> 1, 255) << (8 * k);
  }
  out[(size_t)y * words + x] = word;
}

// Thin edges: keeps a pixel that is the largest along its direction (0 to 3), a byte each.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=2048 low=40 mag=[w*h] dir=[w*h]:uniform(0,4) out=[w*h]
extern "C" __global__ void edge_thin(int w, int h, int low, const unsigned char *__restrict__ mag, const unsigned char *__restrict__ dir, unsigned char *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  size_t at = (size_t)y * w + x;
  int m = mag[at], keep = 0;
  if (m >= low && x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    int step;
    switch (dir[at]) {
    case 0: step = 1; break;
    case 1: step = w + 1; break;
    case 2: step = w; break;
    default: step = w - 1; break;
    }
    if (m >= mag[at + step] && m > mag[at - step]) keep = m;
  }
  out[at] = (unsigned char)keep;
}
