// Convolution as networks use it, channels first (NCHW), and what comes around it.

// Direct 3x3: a block makes a 16x16 tile of 8 filters, one input channel in shared memory at a time.
// warpwise: grid=(w+15)/16,(h+15)/16,(filters+7)/8 block=16,16 w=56 h=56 ins=64 filters=128 in=[ins*w*h] weight=[filters*ins*9] out=[filters*w*h]
extern "C" __global__ void conv3_tiled(int w, int h, int ins, int filters, const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out) {
  __shared__ float s[18][19], ws[8][9];
  int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx, x = blockIdx.x * 16 + tx, y = blockIdx.y * 16 + ty, f0 = blockIdx.z * 8;
  float acc[8] = {};
  for (int c = 0; c < ins; c++) {
    for (int i = t; i < 324; i += 256) {
      int u = blockIdx.x * 16 + i % 18 - 1, v = blockIdx.y * 16 + i / 18 - 1;
      s[i / 18][i % 18] = u >= 0 && v >= 0 && u < w && v < h ? in[((size_t)c * h + v) * w + u] : 0.0f;
    }
    if (t < 72) ws[t / 9][t % 9] = f0 + t / 9 < filters ? weight[((size_t)(f0 + t / 9) * ins + c) * 9 + t % 9] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 3; j++)
#pragma unroll
      for (int i = 0; i < 3; i++) {
        float v = s[ty + j][tx + i];
#pragma unroll
        for (int f = 0; f < 8; f++) acc[f] += v * ws[f][j * 3 + i];
      }
    __syncthreads();
  }
  if (x >= w || y >= h) return;
  for (int f = 0; f < 8 && f0 + f < filters; f++) out[((size_t)(f0 + f) * h + y) * w + x] = acc[f];
}

// Depthwise 3x3, a thread per output, edges by clamping.
// warpwise: grid=(w*h+255)/256,c block=256 w=112 h=112 c=128 in=[c*w*h] weight=[c*9] out=[c*w*h]
extern "C" __global__ void depthwise_plain(int w, int h, int c, const float *in, const float *weight, float *out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= w * h || ch >= c) return;
  int x = p % w, y = p / w;
  float s = 0.0f;
  for (int j = -1; j <= 1; j++)
    for (int i = -1; i <= 1; i++) {
      int u = min(max(x + i, 0), w - 1), v = min(max(y + j, 0), h - 1);
      s += weight[ch * 9 + (j + 1) * 3 + i + 1] * in[((size_t)ch * h + v) * w + u];
    }
  out[(size_t)ch * w * h + p] = s;
}

// Depthwise 5x5 down a column: a thread keeps five rows of five in registers and moves by one row.
// warpwise: grid=(w+31)/32,(h+15)/16,(c+3)/4 block=32,4 w=112 h=112 c=128 in=[c*w*h] weight=[c*25] out=[c*w*h]
extern "C" __global__ void depthwise_rolling(int w, int h, int c, const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, ch = blockIdx.z * 4 + threadIdx.y, y0 = blockIdx.y * 16;
  if (x >= w || ch >= c) return;
  const float *plane = in + (size_t)ch * w * h;
  float k[25], v[5][5];
#pragma unroll
  for (int i = 0; i < 25; i++) k[i] = weight[ch * 25 + i];
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int i = 0; i < 5; i++) {
      int u = x + i - 2, r = y0 + j - 2;
      v[j + 1][i] = u >= 0 && u < w && r >= 0 && r < h ? plane[r * w + u] : 0.0f;
    }
  for (int y = y0; y < min(y0 + 16, h); y++) {
    float s = 0.0f;
#pragma unroll
    for (int j = 0; j < 4; j++)
#pragma unroll
      for (int i = 0; i < 5; i++) v[j][i] = v[j + 1][i];
#pragma unroll
    for (int i = 0; i < 5; i++) {
      int u = x + i - 2;
      v[4][i] = u >= 0 && u < w && y + 2 < h ? plane[(y + 2) * w + u] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < 25; i++) s += k[i] * v[i / 5][i % 5];
    out[((size_t)ch * h + y) * w + x] = s;
  }
}

// Patches as columns of a matrix, ready for a matrix product.
// warpwise: grid=(w*h+255)/256,c block=256 w=56 h=56 c=64 in=[c*w*h] cols=[c*9*w*h]
extern "C" __global__ void im2col3(int w, int h, int c, const float *__restrict__ in, float *__restrict__ cols) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= w * h || ch >= c) return;
  int x = p % w, y = p / w;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    int u = x + k % 3 - 1, v = y + k / 3 - 1;
    cols[((size_t)ch * 9 + k) * w * h + p] = u >= 0 && v >= 0 && u < w && v < h ? in[((size_t)ch * h + v) * w + u] : 0.0f;
  }
}

// Winograd F(2x2,3x3), input side: a thread turns a 4x4 patch into 16 numbers, one plane each.
// warpwise: grid=((w/2)*(h/2)+127)/128,c block=128 w=56 h=56 c=64 in=[c*w*h] out=[16*c*(w/2)*(h/2)]
extern "C" __global__ void winograd_input(int w, int h, int c, const float *__restrict__ in, float *__restrict__ out) {
  int tiles = (w / 2) * (h / 2), p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= tiles || ch >= c) return;
  int x0 = p % (w / 2) * 2 - 1, y0 = p / (w / 2) * 2 - 1;
  float d[4][4], m[4][4];
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int u = x0 + i, v = y0 + j;
      d[j][i] = u >= 0 && v >= 0 && u < w && v < h ? in[((size_t)ch * h + v) * w + u] : 0.0f;
    }
#pragma unroll
  for (int i = 0; i < 4; i++) m[0][i] = d[0][i] - d[2][i], m[1][i] = d[1][i] + d[2][i], m[2][i] = d[2][i] - d[1][i], m[3][i] = d[1][i] - d[3][i];
#pragma unroll
  for (int j = 0; j < 4; j++) {
    float r[4] = {m[j][0] - m[j][2], m[j][1] + m[j][2], m[j][2] - m[j][1], m[j][1] - m[j][3]};
#pragma unroll
    for (int i = 0; i < 4; i++) out[((size_t)(j * 4 + i) * c + ch) * tiles + p] = r[i];
  }
}

// Output side: 16 planes back to 2x2 pixels, bias and ReLU.
// warpwise: grid=((w/2)*(h/2)+127)/128,c block=128 w=56 h=56 c=64 bias=[c] in=[16*c*(w/2)*(h/2)] out=[c*w*h]
extern "C" __global__ void winograd_output(int w, int h, int c, const float *__restrict__ bias, const float *__restrict__ in, float *__restrict__ out) {
  int tiles = (w / 2) * (h / 2), p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= tiles || ch >= c) return;
  float m[4][4], r[2][4];
#pragma unroll
  for (int k = 0; k < 16; k++) m[k / 4][k % 4] = in[((size_t)k * c + ch) * tiles + p];
#pragma unroll
  for (int i = 0; i < 4; i++) r[0][i] = m[0][i] + m[1][i] + m[2][i], r[1][i] = m[1][i] - m[2][i] - m[3][i];
  float b = bias[ch];
  float *o = out + ((size_t)ch * h + p / (w / 2) * 2) * w + p % (w / 2) * 2;
#pragma unroll
  for (int j = 0; j < 2; j++) {
    o[j * w] = fmaxf(r[j][0] + r[j][1] + r[j][2] + b, 0.0f);
    o[j * w + 1] = fmaxf(r[j][1] - r[j][2] - r[j][3] + b, 0.0f);
  }
}

// 1x1: a thread makes eight filters at one pixel, so an input is read once for eight outputs.
// warpwise: grid=(pixels+127)/128,filters/8 block=128 pixels=3136 ins=128 filters=128 in=[ins*pixels] weight=[filters*ins] out=[filters*pixels]
extern "C" __global__ void pointwise_conv8(int pixels, int ins, int filters, const float *__restrict__ in, const float *__restrict__ weight, float *__restrict__ out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, f0 = blockIdx.y * 8;
  if (p >= pixels || f0 + 8 > filters) return;
  float acc[8] = {};
  for (int c = 0; c < ins; c++) {
    float v = in[(size_t)c * pixels + p];
#pragma unroll
    for (int f = 0; f < 8; f++) acc[f] += v * weight[(f0 + f) * ins + c];
  }
#pragma unroll
  for (int f = 0; f < 8; f++) out[(size_t)(f0 + f) * pixels + p] = acc[f];
}

// Largest of 2x2, and where it was.
// warpwise: grid=((w/2)*(h/2)+255)/256,c block=256 w=112 h=112 c=128 in=f32[c*w*h] out=[c*(w/2)*(h/2)] which=[c*(w/2)*(h/2)]
extern "C" __global__ void maxpool2(int w, int h, int c, const float2 *__restrict__ in, float *__restrict__ out, unsigned char *__restrict__ which) {
  int n = (w / 2) * (h / 2), p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= n || ch >= c) return;
  int x = p % (w / 2), y = p / (w / 2);
  float2 a = in[((size_t)ch * h + 2 * y) * (w / 2) + x], b = in[((size_t)ch * h + 2 * y + 1) * (w / 2) + x];
  float top = a.x;
  int at = 0;
  if (a.y > top) top = a.y, at = 1;
  if (b.x > top) top = b.x, at = 2;
  if (b.y > top) top = b.y, at = 3;
  out[(size_t)ch * n + p] = top;
  which[(size_t)ch * n + p] = (unsigned char)at;
}

// Mean of each plane, a warp per plane.
// warpwise: grid=(planes+7)/8 block=256 planes=8192 pixels=196 in=[planes*pixels] out=[planes]
extern "C" __global__ void global_average(int planes, int pixels, const float *__restrict__ in, float *__restrict__ out) {
  int plane = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (plane >= planes) return;
  float s = 0.0f;
  for (int i = lane; i < pixels; i += 32) s += in[(size_t)plane * pixels + i];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) out[plane] = s / pixels;
}

// Twice the size, bilinear.
// warpwise: grid=(4*w*h+255)/256,c block=256 w=64 h=64 c=128 in=[c*w*h] out=[c*w*h*4]
extern "C" __global__ void upsample_bilinear2(int w, int h, int c, const float *__restrict__ in, float *__restrict__ out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y;
  if (p >= 4 * w * h || ch >= c) return;
  float fx = fmaxf(0.5f * (p % (2 * w)) - 0.25f, 0.0f), fy = fmaxf(0.5f * (p / (2 * w)) - 0.25f, 0.0f);
  int x = (int)fx, y = (int)fy, x1 = min(x + 1, w - 1), y1 = min(y + 1, h - 1);
  const float *s = in + (size_t)ch * w * h;
  fx -= x, fy -= y;
  float top = s[y * w + x] + fx * (s[y * w + x1] - s[y * w + x]), low = s[y1 * w + x] + fx * (s[y1 * w + x1] - s[y1 * w + x]);
  out[(size_t)ch * 4 * w * h + p] = top + fy * (low - top);
}

// Pixel shuffle: groups of four channels become 2x2 pixels; nothing but moves.
// warpwise: grid=(w*h+255)/256,c block=256 w=128 h=128 c=32 in=[4*c*w*h] out=f32[4*c*w*h]
extern "C" __global__ void pixel_shuffle2(int w, int h, int c, const float *__restrict__ in, float2 *__restrict__ out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, ch = blockIdx.y, n = w * h;
  if (p >= n || ch >= c) return;
  const float *s = in + (size_t)ch * 4 * n + p;
  float2 *o = out + ((size_t)ch * 2 * h + p / w * 2) * w + p % w;
  o[0] = make_float2(s[0], s[n]);
  o[w] = make_float2(s[2 * n], s[3 * n]);
}
