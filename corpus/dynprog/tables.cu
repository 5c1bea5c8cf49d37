// Tables filled in order: knapsacks, hidden states, chains of matrices, cheapest paths.

// One item over all capacities: a launch per item.
// warpwise: grid=(room+256)/256 block=256 room=1<<20 weight=1234 value=77 before=[room+1]:uniform(0,100000) after=[room+1]
extern "C" __global__ void knapsack_item(int room, int weight, int value, const int *__restrict__ before, int *__restrict__ after) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c > room) return;
  int keep = before[c];
  after[c] = c >= weight ? max(keep, before[c - weight] + value) : keep;
}

// A whole small problem per block: two rows of capacities in shared memory, items in turn. room below 2048.
// warpwise: grid=problems block=256 problems=264 items=64 room=2000 weight=[problems*items]:uniform(1,200) value=[problems*items]:uniform(1,1000) best=[problems]
extern "C" __global__ void knapsack_block(int problems, int items, int room, const int *__restrict__ weight, const int *__restrict__ value, int *__restrict__ best) {
  __shared__ int row[2][2048];
  if (blockIdx.x >= problems || room >= 2048) return;
  for (int c = threadIdx.x; c < 2048; c += blockDim.x) row[0][c] = 0;
  __syncthreads();
  for (int k = 0; k < items; k++) {
    int w = weight[blockIdx.x * items + k], v = value[blockIdx.x * items + k];
    const int *was = row[k & 1];
    int *now = row[~k & 1];
    for (int c = threadIdx.x; c <= room; c += blockDim.x) now[c] = c >= w ? max(was[c], was[c - w] + v) : was[c];
    __syncthreads();
  }
  if (threadIdx.x == 0) best[blockIdx.x] = row[items & 1][room];
}

// Viterbi, one step over many states: a warp per target state, transitions by rows.
// warpwise: grid=(states+7)/8 block=256 states=2048 trans=[states*states] emit=[states] prev=[states] next=[states] from=[states]
extern "C" __global__ void viterbi_step(int states, const float *__restrict__ trans, const float *__restrict__ emit, const float *__restrict__ prev, float *__restrict__ next, int *__restrict__ from) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, who = 0;
  if (s >= states) return;
  float best = -1e30f;
  for (int r = lane; r < states; r += 32) {
    float p = prev[r] + trans[(size_t)s * states + r];
    if (p > best) best = p, who = r;
  }
  for (int d = 16; d > 0; d >>= 1) {
    float p = __shfl_xor_sync(0xffffffffu, best, d);
    int w = __shfl_xor_sync(0xffffffffu, who, d);
    if (p > best || (p == best && w < who)) best = p, who = w;
  }
  if (lane == 0) next[s] = best + emit[s], from[s] = who;
}

// Viterbi of whole sequences with 64 states: a block of 64 per sequence, transitions kept in registers, back pointers as bytes.
// warpwise: grid=sequences block=64 sequences=512 len=128 symbols=20 obs=[sequences*len]:uniform(0,symbols) trans=[4096] emit=[symbols*64] back=[sequences*len*64] last=[sequences]
extern "C" __global__ void viterbi_block(int sequences, int len, int symbols, const unsigned char *__restrict__ obs, const float *__restrict__ trans, const float *__restrict__ emit,
                                         unsigned char *__restrict__ back, float *__restrict__ last) {
  __shared__ float score[2][64];
  int q = blockIdx.x, s = threadIdx.x;
  if (q >= sequences || s >= 64) return;
  float into[64];
#pragma unroll
  for (int r = 0; r < 64; r++) into[r] = trans[r * 64 + s];
  score[0][s] = 0.0f;
  __syncthreads();
  for (int t = 0; t < len; t++) {
    const float *was = score[t & 1];
    float best = -1e30f;
    int who = 0;
#pragma unroll
    for (int r = 0; r < 64; r++) {
      float p = was[r] + into[r];
      if (p > best) best = p, who = r;
    }
    score[~t & 1][s] = best + emit[obs[q * len + t] * 64 + s];
    back[((size_t)q * len + t) * 64 + s] = (unsigned char)who;
    __syncthreads();
  }
  float end = fmaxf(score[len & 1][s], score[len & 1][s ^ 32]);
  for (int d = 16; d > 0; d >>= 1) end = fmaxf(end, __shfl_xor_sync(0xffffffffu, end, d));
  if (s == 0) last[q] = end;
}

// Order of a product of matrices: a block per chain, the triangle in shared memory, one diagonal after the other. n at most 64.
// warpwise: grid=chains block=64 chains=264 n=48 size=[chains*(n+1)]:uniform(2,50) cost=[chains]
extern "C" __global__ void matrix_chain(int chains, int n, const int *__restrict__ size, int *__restrict__ cost) {
  __shared__ int best[64][65], dims[65];
  if (blockIdx.x >= chains || n > 64) return;
  for (int i = threadIdx.x; i <= n; i += blockDim.x) dims[i] = size[blockIdx.x * (n + 1) + i];
  for (int i = threadIdx.x; i < n; i += blockDim.x) best[i][i] = 0;
  __syncthreads();
  for (int d = 1; d < n; d++) {
    for (int i = threadIdx.x; i + d < n; i += blockDim.x) {
      int least = 0x7fffffff;
      for (int k = i; k < i + d; k++) least = min(least, best[i][k] + best[k + 1][i + d] + dims[i] * dims[k + 1] * dims[i + d + 1]);
      best[i][i + d] = least;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) cost[blockIdx.x] = best[0][n - 1];
}

// Who reaches whom in at most two steps: a row of bits is the union of the rows its bits name. A block per row, its bits in shared memory.
// warpwise: grid=n block=64 n=2048 in=[n*((n+31)/32)]:uniform(0,65536) out=[n*((n+31)/32)] shared=((n+31)/32)*4
extern "C" __global__ void reach_bits(int n, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  extern __shared__ unsigned mine[];
  int row = blockIdx.x, words = (n + 31) / 32;
  if (row >= n) return;
  for (int k = threadIdx.x; k < words; k += blockDim.x) mine[k] = in[(size_t)row * words + k];
  __syncthreads();
  for (int k = threadIdx.x; k < words; k += blockDim.x) {
    unsigned sum = mine[k];
    for (int j = 0; j < words; j++)
      for (unsigned bits = mine[j]; bits; bits &= bits - 1) {
        int via = j * 32 + __ffs(bits) - 1;
        if (via < n) sum |= in[(size_t)via * words + k];
      }
    out[(size_t)row * words + k] = sum;
  }
}

// Ways to pay an amount, a warp per set of coins: residue classes of a coin go to different lanes. amount below 1024.
// warpwise: grid=(sets+3)/4 block=128 sets=4096 coins=8 amount=1000 coin=[sets*coins]:uniform(1,100) ways=[sets]
extern "C" __global__ void coin_ways(int sets, int coins, int amount, const int *__restrict__ coin, unsigned *__restrict__ ways) {
  __shared__ unsigned table[4][1024];
  int set = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (set >= sets || amount >= 1024) return;
  unsigned *t = table[threadIdx.x / 32];
  for (int i = lane; i <= amount; i += 32) t[i] = i == 0;
  __syncwarp();
  for (int k = 0; k < coins; k++) {
    int c = coin[set * coins + k];
    for (int r = lane; r < c; r += 32)
      for (int i = r + c; i <= amount; i += c) t[i] += t[i - c];
    __syncwarp();
  }
  if (lane == 0) ways[set] = t[amount];
}

// Longest increasing subsequence, a thread per sequence: patience piles in a column of shared memory, a binary search per number.
// warpwise: grid=(sequences+63)/64 block=64 sequences=8192 len=256 x=[sequences*len]:uniform(0,1000000) out=[sequences]
extern "C" __global__ void increasing_piles(int sequences, int len, const int *__restrict__ x, int *__restrict__ out) {
  __shared__ int pile[128][64];
  int t = threadIdx.x, s = blockIdx.x * 64 + t, piles = 0;
  if (s >= sequences) return;
  for (int i = 0; i < len; i++) {
    int v = x[(size_t)i * sequences + s], lo = 0, hi = piles;
    while (lo < hi) {
      int mid = lo + hi >> 1;
      if (pile[mid][t] < v)
        lo = mid + 1;
      else
        hi = mid;
    }
    if (lo < 128) pile[lo][t] = v, piles = max(piles, lo + 1);
  }
  out[s] = piles;
}
