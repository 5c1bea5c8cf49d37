// Alignment of sequences: anti-diagonals in a block, a band in a thread, a wave front through a warp.

// Longest common subsequence, a block per pair, three anti-diagonals in shared memory. len at most 1024.
// warpwise: grid=pairs block=256 pairs=512 len=512 a=[pairs*len]:uniform(0,4) b=[pairs*len]:uniform(0,4) out=[pairs]
extern "C" __global__ void lcs_diagonals(int pairs, int len, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ out) {
  __shared__ short diag[3][1026];
  __shared__ unsigned char as[1024], bs[1024];
  int pair = blockIdx.x;
  if (pair >= pairs || len > 1024) return;
  for (int i = threadIdx.x; i < len; i += blockDim.x) as[i] = a[(size_t)pair * len + i], bs[i] = b[(size_t)pair * len + i];
  for (int i = threadIdx.x; i < 1026; i += blockDim.x) diag[0][i] = diag[1][i] = diag[2][i] = 0;
  __syncthreads();
  int now = 0;
  for (int d = 0; d < 2 * len - 1; d++) {
    const short *one = diag[(now + 2) % 3], *two = diag[(now + 1) % 3];
    int lo = max(0, d - len + 1), hi = min(d, len - 1);
    for (int i = lo + threadIdx.x; i <= hi; i += blockDim.x) {
      int j = d - i;
      short best = max(i > 0 ? one[i - 1] : 0, j > 0 ? one[i] : 0);
      if (as[i] == bs[j]) best = (i > 0 && j > 0 ? two[i - 1] : 0) + 1;
      diag[now][i] = best;
    }
    __syncthreads();
    now = (now + 1) % 3;
  }
  if (threadIdx.x == 0) out[pair] = diag[(now + 2) % 3][len - 1];
}

// Banded edit distance, a thread per pair, the band of 15 in registers; sequences stored position by position so that lanes meet.
// warpwise: grid=(pairs+127)/128 block=128 pairs=32768 len=128 a=[pairs*len]:uniform(0,4) b=[pairs*len]:uniform(0,4) out=[pairs]
extern "C" __global__ void banded_distance(int pairs, int len, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, int *__restrict__ out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pairs) return;
  int cell[16];
#pragma unroll
  for (int k = 0; k < 16; k++) cell[k] = k < 7 || k == 15 ? 1 << 20 : k - 7;
  for (int i = 0; i < len; i++) {
    int ca = a[(size_t)i * pairs + p], left = 1 << 20;
#pragma unroll
    for (int k = 0; k < 15; k++) {
      int j = i + k - 7, cost = 1 << 20;
      if (j >= 0 && j < len) {
        cost = min(cell[k] + (ca != b[(size_t)j * pairs + p]), min(cell[k + 1], left) + 1);
      } else if (j == -1) {
        cost = i + 1;
      }
      left = cell[k] = cost;
    }
  }
  out[p] = cell[7];
}

// Local alignment of a short query (one letter a lane) with a text: the wave front moves through the lanes by shuffles.
// warpwise: grid=(texts+3)/4 block=128 texts=4096 len=256 query=[32]:uniform(0,20) score=[400]:uniform(-4,6) text=[texts*len]:uniform(0,20) best=[texts]
extern "C" __global__ void local_align_warp(int texts, int len, const unsigned char *__restrict__ query, const signed char *__restrict__ score,
                                            const unsigned char *__restrict__ text, int *__restrict__ best) {
  __shared__ signed char table[400];
  for (int i = threadIdx.x; i < 400; i += blockDim.x) table[i] = score[i];
  __syncthreads();
  int t = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (t >= texts) return;
  const signed char *mine = table + query[lane] * 20;
  int h = 0, e = -1000, f = -1000, diag = 0, top = 0;
  for (int step = 0; step < len + 31; step++) {
    int up = __shfl_up_sync(0xffffffffu, h, 1), upf = __shfl_up_sync(0xffffffffu, f, 1), j = step - lane;
    if (lane == 0) up = 0, upf = -1000;
    if (j >= 0 && j < len) {
      f = max(up - 5, upf - 1);
      e = max(h - 5, e - 1);
      h = max(max(0, diag + mine[text[(size_t)t * len + j]]), max(e, f));
      top = max(top, h);
    }
    diag = up;
  }
  for (int d = 16; d > 0; d >>= 1) top = max(top, __shfl_xor_sync(0xffffffffu, top, d));
  if (lane == 0) best[t] = top;
}

// Time warping of two series within a window, a block per pair: rows of costs in shared memory, one wave per anti-diagonal. n at most 512.
// warpwise: grid=pairs block=128 pairs=264 n=256 window=64 x=[pairs*n] y=[n] out=[pairs]
extern "C" __global__ void time_warp(int pairs, int n, int window, const float *__restrict__ x, const float *__restrict__ y, float *__restrict__ out) {
  __shared__ float cost[3][513], xs[512], ys[512];
  if (blockIdx.x >= pairs || n > 512) return;
  for (int i = threadIdx.x; i < n; i += blockDim.x) xs[i] = x[(size_t)blockIdx.x * n + i], ys[i] = y[i];
  for (int i = threadIdx.x; i < 513; i += blockDim.x) cost[0][i] = cost[1][i] = cost[2][i] = 1e30f;
  __syncthreads();
  for (int d = 0; d < 2 * n - 1; d++) {
    float *c = cost[d % 3];
    const float *p = cost[(d + 2) % 3], *q = cost[(d + 1) % 3];
    for (int i = max(0, d - n + 1) + threadIdx.x; i <= min(d, n - 1); i += blockDim.x) {
      int j = d - i;
      float best = i == 0 && j == 0 ? 0.0f : fminf(i > 0 ? fminf(p[i - 1], j > 0 ? q[i - 1] : 1e30f) : 1e30f, j > 0 ? p[i] : 1e30f);
      c[i] = abs(i - j) <= window ? fminf(best + fabsf(xs[i] - ys[j]), 1e30f) : 1e30f;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = cost[(2 * n - 2) % 3][n - 1];
}
