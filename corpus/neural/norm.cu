// Normalisation over rows: softmax, layer norm, RMS norm, losses. Several ways to hold a row: memory, registers, shuffles.

__device__ float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

__device__ float warp_max(float v) {
#pragma unroll
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

// Sum over the block, the same in every thread; scratch holds a float per warp.
__device__ float block_sum(float v, float *scratch) {
  v = warp_sum(v);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = v;
  __syncthreads();
  v = threadIdx.x % 32 < blockDim.x / 32 ? scratch[threadIdx.x % 32] : 0.0f;
  v = warp_sum(v);
  __syncthreads();
  return v;
}

// A warp per row, maximum and sum in one pass: the running sum is rescaled when the maximum grows.
// warpwise: grid=(rows+7)/8 block=256 rows=8192 n=512 x=[rows*n] y=[rows*n]
extern "C" __global__ void softmax_online(int rows, int n, const float *__restrict__ x, float *__restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += (size_t)row * n, y += (size_t)row * n;
  float top = -3e38f, sum = 0.0f;
  for (int i = lane; i < n; i += 32) {
    float v = x[i], higher = fmaxf(top, v);
    sum = sum * __expf(top - higher) + __expf(v - higher);
    top = higher;
  }
  float all = warp_max(top);
  sum = warp_sum(sum * __expf(top - all));
  float inv = 1.0f / sum;
  for (int i = lane; i < n; i += 32) y[i] = __expf(x[i] - all) * inv;
}

// A warp per row of exactly 1024: the row stays in registers, memory is touched once each way.
// warpwise: grid=(rows+3)/4 block=128 rows=8192 x=f32[rows*1024] y=f32[rows*1024]
extern "C" __global__ void softmax_registers(int rows, const float4 *__restrict__ x, float4 *__restrict__ y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 v[8];
  float top = -3e38f, sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k] = x[(size_t)row * 256 + k * 32 + lane];
    top = fmaxf(top, fmaxf(fmaxf(v[k].x, v[k].y), fmaxf(v[k].z, v[k].w)));
  }
  top = warp_max(top);
#pragma unroll
  for (int k = 0; k < 8; k++) {
    v[k].x = __expf(v[k].x - top), v[k].y = __expf(v[k].y - top), v[k].z = __expf(v[k].z - top), v[k].w = __expf(v[k].w - top);
    sum += v[k].x + v[k].y + v[k].z + v[k].w;
  }
  float inv = 1.0f / warp_sum(sum);
#pragma unroll
  for (int k = 0; k < 8; k++) y[(size_t)row * 256 + k * 32 + lane] = make_float4(v[k].x * inv, v[k].y * inv, v[k].z * inv, v[k].w * inv);
}

// A thread per row: what a beginner writes; every load of a warp touches 32 rows.
// warpwise: grid=(rows+127)/128 block=128 rows=32768 n=64 x=[rows*n] y=[rows*n]
extern "C" __global__ void softmax_thread(int rows, int n, const float *x, float *y) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float top = x[row * n], sum = 0.0f;
  for (int i = 1; i < n; i++) top = fmaxf(top, x[row * n + i]);
  for (int i = 0; i < n; i++) {
    float e = expf(x[row * n + i] - top);
    y[row * n + i] = e;
    sum += e;
  }
  for (int i = 0; i < n; i++) y[row * n + i] /= sum;
}

// Residual added, then RMS norm; the block keeps the sum in registers between the passes. n is a multiple of 4, at most 4096.
// warpwise: grid=rows block=256 rows=4096 n=4096 eps=1e-5 x=f32[rows*n] residual=f32[rows*n] weight=f32[n] y=f32[rows*n]
extern "C" __global__ void rmsnorm_residual(int rows, int n, float eps, const float4 *__restrict__ x, float4 *__restrict__ residual,
                                            const float4 *__restrict__ weight, float4 *__restrict__ y) {
  __shared__ float scratch[32];
  int row = blockIdx.x, n4 = n / 4;
  if (row >= rows) return;
  float4 v[4];
  float sq = 0.0f;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = threadIdx.x + k * 256;
    v[k] = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (i < n4) {
      float4 a = x[(size_t)row * n4 + i], b = residual[(size_t)row * n4 + i];
      v[k] = make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
      residual[(size_t)row * n4 + i] = v[k];
    }
    sq += v[k].x * v[k].x + v[k].y * v[k].y + v[k].z * v[k].z + v[k].w * v[k].w;
  }
  float scale = rsqrtf(block_sum(sq, scratch) / n + eps);
#pragma unroll
  for (int k = 0; k < 4; k++) {
    int i = threadIdx.x + k * 256;
    if (i >= n4) break;
    float4 w = weight[i];
    y[(size_t)row * n4 + i] = make_float4(v[k].x * scale * w.x, v[k].y * scale * w.y, v[k].z * scale * w.z, v[k].w * scale * w.w);
  }
}

// Mean and variance by Welford's recurrence, partial results merged across lanes, then across warps.
// warpwise: grid=rows block=128 rows=8192 n=768 x=[rows*n] weight=[n] bias=[n] y=[rows*n]
extern "C" __global__ void layernorm_welford(int rows, int n, const float *__restrict__ x, const float *__restrict__ weight,
                                             const float *__restrict__ bias, float *__restrict__ y) {
  __shared__ float means[32], squares[32], counts[32];
  int row = blockIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (row >= rows) return;
  const float *in = x + (size_t)row * n;
  float mean = 0.0f, m2 = 0.0f, count = 0.0f;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float delta = in[i] - mean;
    count += 1.0f;
    mean += delta / count;
    m2 += delta * (in[i] - mean);
  }
  for (int round = 0; round < 2; round++) {
    for (int d = 16; d > 0; d >>= 1) {
      float other = __shfl_down_sync(0xffffffffu, mean, d), om2 = __shfl_down_sync(0xffffffffu, m2, d), oc = __shfl_down_sync(0xffffffffu, count, d);
      float total = count + oc, delta = other - mean, part = total > 0.0f ? oc / total : 0.0f;
      mean += delta * part;
      m2 += om2 + delta * delta * count * part;
      count = total;
    }
    if (round == 1) break;
    if (lane == 0) means[warp] = mean, squares[warp] = m2, counts[warp] = count;
    __syncthreads();
    bool on = lane < blockDim.x / 32;
    mean = on ? means[lane] : 0.0f, m2 = on ? squares[lane] : 0.0f, count = on ? counts[lane] : 0.0f;
  }
  mean = __shfl_sync(0xffffffffu, mean, 0);
  float scale = rsqrtf(__shfl_sync(0xffffffffu, m2, 0) / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[(size_t)row * n + i] = (in[i] - mean) * scale * weight[i] + bias[i];
}

// Gradients of weight and bias: sums over the rows of a tile of 32 columns, added up with atomics.
// warpwise: grid=(n+31)/32,(rows+255)/256 block=32,8 rows=4096 n=1024 dy=[rows*n] x=[rows*n] mean=[rows] scale=[rows] dweight=[n]:zeros dbias=[n]:zeros
extern "C" __global__ void layernorm_grad_columns(int rows, int n, const float *__restrict__ dy, const float *__restrict__ x,
                                                  const float *__restrict__ mean, const float *__restrict__ scale, float *dweight, float *dbias) {
  __shared__ float sw[8][33], sb[8][33];
  int col = blockIdx.x * 32 + threadIdx.x, last = min(rows, (int)(blockIdx.y + 1) * 256);
  float dw = 0.0f, db = 0.0f;
  if (col < n)
    for (int r = blockIdx.y * 256 + threadIdx.y; r < last; r += 8) {
      float g = dy[(size_t)r * n + col];
      dw += g * (x[(size_t)r * n + col] - mean[r]) * scale[r];
      db += g;
    }
  sw[threadIdx.y][threadIdx.x] = dw, sb[threadIdx.y][threadIdx.x] = db;
  __syncthreads();
  if (threadIdx.y > 1 || col >= n) return;
  float s = 0.0f;
  for (int k = 0; k < 8; k++) s += threadIdx.y ? sb[k][threadIdx.x] : sw[k][threadIdx.x];
  atomicAdd(threadIdx.y ? &dbias[col] : &dweight[col], s);
}

// Loss and gradient of a row of logits in place: block per row, vocabulary in two passes.
// warpwise: grid=rows block=512 rows=1024 vocab=32000 label=[rows]:uniform(0,vocab) logits=[rows*vocab] loss=[rows]
extern "C" __global__ void cross_entropy(int rows, int vocab, const int *__restrict__ label, float *__restrict__ logits, float *__restrict__ loss) {
  __shared__ float scratch[32], peak[32];
  int row = blockIdx.x;
  if (row >= rows) return;
  float *z = logits + (size_t)row * vocab, top = -3e38f, sum = 0.0f;
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) {
    float v = z[i];
    if (v > top) sum *= __expf(top - v), top = v;
    sum += __expf(v - top);
  }
  float all = warp_max(top);
  if (threadIdx.x % 32 == 0) peak[threadIdx.x / 32] = all;
  __syncthreads();
  all = warp_max(threadIdx.x % 32 < blockDim.x / 32 ? peak[threadIdx.x % 32] : -3e38f);
  sum = block_sum(sum * __expf(top - all), scratch);
  if (threadIdx.x == 0) loss[row] = logf(sum) + all - z[label[row]];
  __syncthreads();
  float inv = 1.0f / sum;
  int right = label[row];
  for (int i = threadIdx.x; i < vocab; i += blockDim.x) z[i] = __expf(z[i] - all) * inv - (i == right);
}

// Statistics of a channel over images and pixels (NCHW): few channels, few blocks.
// warpwise: grid=c block=512 images=16 c=64 pixels=3136 x=[images*c*pixels] mean=[c] var=[c]
extern "C" __global__ void batchnorm_stats(int images, int c, int pixels, const float *__restrict__ x, float *mean, float *var) {
  __shared__ float scratch[32];
  int ch = blockIdx.x;
  if (ch >= c) return;
  float s = 0.0f, q = 0.0f;
  for (int b = 0; b < images; b++) {
    const float *plane = x + ((size_t)b * c + ch) * pixels;
    for (int i = threadIdx.x; i < pixels; i += blockDim.x) {
      float v = plane[i];
      s += v, q = fmaf(v, v, q);
    }
  }
  s = block_sum(s, scratch);
  q = block_sum(q, scratch);
  if (threadIdx.x) return;
  float m = s / ((float)images * pixels);
  mean[ch] = m;
  var[ch] = q / ((float)images * pixels) - m * m;
}
