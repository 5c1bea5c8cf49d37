// Colours, sizes, sums over areas, votes.

// 4:4:4 to planes of luma and chroma, integers.
// warpwise: grid=(n+255)/256 block=256 n=8294400 in=u8[n*4] luma=[n] cb=[n] cr=[n]
extern "C" __global__ void rgba_to_planes(int n, const uchar4 *__restrict__ in, unsigned char *__restrict__ luma, unsigned char *__restrict__ cb, unsigned char *__restrict__ cr) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uchar4 p = in[i];
  luma[i] = (unsigned char)((66 * p.x + 129 * p.y + 25 * p.z + 128 >> 8) + 16);
  cb[i] = (unsigned char)((-38 * p.x - 74 * p.y + 112 * p.z + 128 >> 8) + 128);
  cr[i] = (unsigned char)((112 * p.x - 94 * p.y - 18 * p.z + 128 >> 8) + 128);
}

// Hue, saturation, value: branches on the largest channel.
// warpwise: grid=(n+255)/256 block=256 n=2073600 in=[n*3] out=[n*3]
extern "C" __global__ void rgb_to_hsv(int n, const float *__restrict__ in, float *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float r = in[3 * i], g = in[3 * i + 1], b = in[3 * i + 2], top = fmaxf(r, fmaxf(g, b)), span = top - fminf(r, fminf(g, b)), hue = 0.0f;
  if (span > 0.0f) {
    if (top == r)
      hue = (g - b) / span;
    else if (top == g)
      hue = 2.0f + (b - r) / span;
    else
      hue = 4.0f + (r - g) / span;
    hue *= 60.0f;
    if (hue < 0.0f) hue += 360.0f;
  }
  out[3 * i] = hue, out[3 * i + 1] = top > 0.0f ? span / top : 0.0f, out[3 * i + 2] = top;
}

// Any size to any size, bilinear in fixed point of 11 bits.
// warpwise: grid=(dw+31)/32,(dh+7)/8 block=32,8 sw=1920 sh=1080 dw=1280 dh=720 in=[sw*sh] out=[dw*dh]
extern "C" __global__ void resize_fixed(int sw, int sh, int dw, int dh, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= dw || y >= dh) return;
  int fx = (int)(((long long)x * (sw - 1) << 11) / max(dw - 1, 1)), fy = (int)(((long long)y * (sh - 1) << 11) / max(dh - 1, 1));
  int u = fx >> 11, v = fy >> 11, u1 = min(u + 1, sw - 1), v1 = min(v + 1, sh - 1);
  fx &= 2047, fy &= 2047;
  int top = in[(size_t)v * sw + u] * (2048 - fx) + in[(size_t)v * sw + u1] * fx;
  int low = in[(size_t)v1 * sw + u] * (2048 - fx) + in[(size_t)v1 * sw + u1] * fx;
  out[(size_t)y * dw + x] = (unsigned char)((((long long)top * (2048 - fy) + (long long)low * fy) + (1 << 21)) >> 22);
}

// Rows of the integral image: a warp scans a row in steps of 32.
// warpwise: grid=(h+7)/8 block=256 w=2048 h=2048 in=[w*h] out=[w*h]
extern "C" __global__ void integral_rows(int w, int h, const unsigned char *__restrict__ in, unsigned *__restrict__ out) {
  int y = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (y >= h) return;
  unsigned carry = 0;
  for (int x = lane; x - lane < w; x += 32) {
    unsigned v = x < w ? in[(size_t)y * w + x] : 0u;
    for (int d = 1; d < 32; d <<= 1) {
      unsigned o = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v += o;
    }
    v += carry;
    if (x < w) out[(size_t)y * w + x] = v;
    carry = __shfl_sync(0xffffffffu, v, 31);
  }
}

// Columns: a thread per column, coalesced, one after the other down; few threads, long.
// warpwise: grid=(w+63)/64 block=64 w=4096 h=1024 sum=[w*h]:uniform(0,1000)
extern "C" __global__ void integral_columns(int w, int h, unsigned *sum) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= w) return;
  unsigned s = 0;
#pragma unroll 8
  for (int y = 0; y < h; y++) s += sum[(size_t)y * w + x], sum[(size_t)y * w + x] = s;
}

// Threshold against the mean of a window, from the integral image.
// warpwise: grid=(w+31)/32,(h+7)/8 block=32,8 w=2048 h=2048 radius=12 in=[w*h] sum=[w*h]:uniform(0,1000000) out=[w*h]
extern "C" __global__ void adaptive_threshold(int w, int h, int radius, const unsigned char *__restrict__ in, const unsigned *__restrict__ sum, unsigned char *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= w || y >= h) return;
  int x0 = max(x - radius - 1, 0), x1 = min(x + radius, w - 1), y0 = max(y - radius - 1, 0), y1 = min(y + radius, h - 1);
  unsigned area = (x1 - x0) * (y1 - y0), total = sum[(size_t)y1 * w + x1] - sum[(size_t)y0 * w + x1] - sum[(size_t)y1 * w + x0] + sum[(size_t)y0 * w + x0];
  out[(size_t)y * w + x] = in[(size_t)y * w + x] * area * 100u > total * 93u ? 255 : 0;
}

// Error diffusion along rows only, each row on its own: a thread per row, picture stored by columns so that lanes meet.
// warpwise: grid=(h+63)/64 block=64 w=1024 h=4096 in=[w*h] out=[w*h]
extern "C" __global__ void dither_rows(int w, int h, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  int carry = 0, before = 0;
  for (int x = 0; x < w; x++) {
    int v = in[(size_t)x * h + y] + (carry * 5 + before * 3 >> 3), bit = v > 127 ? 255 : 0;
    before = carry >> 1, carry = v - bit;
    out[(size_t)x * h + y] = (unsigned char)bit;
  }
}

// Lines through edge points: a thread per point and angle step votes in global memory.
// warpwise: grid=(points+255)/256,angles/4 block=256 points=16384 angles=180 w=1024 radii=2048 xy=u32[points]:uniform(0,1048576) votes=[angles*radii]:zeros
extern "C" __global__ void hough_votes(int points, int angles, int w, int radii, const unsigned *__restrict__ xy, unsigned *votes) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float x = (float)(xy[i] % w), y = (float)(xy[i] / w);
  for (int a = blockIdx.y * 4; a < min((int)blockIdx.y * 4 + 4, angles); a++) {
    float s, c;
    __sincosf(a * 3.14159265f / angles, &s, &c);
    int r = (int)(x * c + y * s) + radii / 2;
    if (r >= 0 && r < radii) atomicAdd(&votes[a * radii + r], 1u);
  }
}

// A block per angle: its row of votes lives in shared memory and is stored once.
// warpwise: grid=angles block=512 points=65536 angles=180 w=1024 radii=2048 xy=u32[points]:uniform(0,1048576) votes=[angles*radii] shared=radii*4
extern "C" __global__ void hough_private(int points, int angles, int w, int radii, const unsigned *__restrict__ xy, unsigned *__restrict__ votes) {
  extern __shared__ unsigned mine[];
  int a = blockIdx.x;
  if (a >= angles) return;
  for (int r = threadIdx.x; r < radii; r += blockDim.x) mine[r] = 0;
  __syncthreads();
  float s, c;
  sincosf(a * 3.14159265f / angles, &s, &c);
  for (int i = threadIdx.x; i < points; i += blockDim.x) {
    unsigned p = xy[i];
    int r = (int)((p % w) * c + (p / w) * s) + radii / 2;
    if (r >= 0 && r < radii) atomicAdd(&mine[r], 1u);
  }
  __syncthreads();
  for (int r = threadIdx.x; r < radii; r += blockDim.x) votes[a * radii + r] = mine[r];
}

// Raw sensor (RGGB) to colour, bilinear, a 2x2 cell a thread.
// warpwise: grid=(w/2+31)/32,(h/2+7)/8 block=32,8 w=4096 h=3072 raw=[w*h] rgb=u16[w*h*3]
extern "C" __global__ void demosaic(int w, int h, const unsigned short *__restrict__ raw, ushort3 *__restrict__ rgb) {
  int x = 2 * (blockIdx.x * 32 + threadIdx.x), y = 2 * (blockIdx.y * 8 + threadIdx.y);
  if (x + 1 >= w || y + 1 >= h) return;
  int v[4][4];
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) v[j][i] = raw[(size_t)min(max(y + j - 1, 0), h - 1) * w + min(max(x + i - 1, 0), w - 1)];
  ushort3 *o = rgb + (size_t)y * w + x;
  o[0] = make_ushort3(v[1][1], (v[0][1] + v[2][1] + v[1][0] + v[1][2]) >> 2, (v[0][0] + v[0][2] + v[2][0] + v[2][2]) >> 2);
  o[1] = make_ushort3((v[1][1] + v[1][3]) >> 1, v[1][2], (v[0][2] + v[2][2]) >> 1);
  o[w] = make_ushort3((v[1][1] + v[3][1]) >> 1, v[2][1], (v[2][0] + v[2][2]) >> 1);
  o[w + 1] = make_ushort3((v[1][1] + v[1][3] + v[3][1] + v[3][3]) >> 2, (v[1][2] + v[3][2] + v[2][1] + v[2][3]) >> 2, v[2][2]);
}

// Half the size after a 5-tap blur both ways, from a tile.
// warpwise: grid=(w/2+15)/16,(h/2+15)/16 block=16,16 w=2048 h=2048 in=[w*h] out=[(w/2)*(h/2)]
extern "C" __global__ void pyramid_down(int w, int h, const float *__restrict__ in, float *__restrict__ out) {
  __shared__ float tile[35][36], rows[35][17];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty;
  for (int j = ty; j < 35; j += 16)
    for (int i = tx; i < 35; i += 16)
      tile[j][i] = in[(size_t)min(max((int)blockIdx.y * 32 + j - 2, 0), h - 1) * w + min(max((int)blockIdx.x * 32 + i - 2, 0), w - 1)];
  __syncthreads();
  for (int j = ty; j < 35; j += 16) {
    const float *p = &tile[j][2 * tx];
    rows[j][tx] = 0.0625f * (p[0] + p[4]) + 0.25f * (p[1] + p[3]) + 0.375f * p[2];
  }
  __syncthreads();
  if (x >= w / 2 || y >= h / 2) return;
  out[(size_t)y * (w / 2) + x] = 0.0625f * (rows[2 * ty][tx] + rows[2 * ty + 4][tx]) + 0.25f * (rows[2 * ty + 1][tx] + rows[2 * ty + 3][tx]) + 0.375f * rows[2 * ty + 2][tx];
}
