// Matches, prefix codes, variable-length numbers: loops whose length the data decide. Integers alone.

// Longest match in the last `window` bytes, a thread per position; tries every distance.
// warpwise: grid=(n+127)/128 block=128 n=65536 window=64 text=[n]:uniform(0,3) best=[n]
extern "C" __global__ void match_brute(int n, int window, const unsigned char *__restrict__ text, unsigned *__restrict__ best) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int most = min(18, n - i), len = 0, far = 0;
  for (int d = 1; d <= min(window, i); d++) {
    int k = 0;
    while (k < most && text[i + k] == text[i + k - d]) k++;
    if (k > len) len = k, far = d;
  }
  best[i] = (unsigned)far << 8 | len;
}

// The same text in shared memory: a block reads its stretch and the window before it.
// warpwise: grid=(n+255)/256 block=256 n=262144 text=[n]:uniform(0,3) best=[n]
extern "C" __global__ void match_shared(int n, const unsigned char *__restrict__ text, unsigned *__restrict__ best) {
  __shared__ unsigned char s[128 + 256 + 32];
  int base = blockIdx.x * 256 - 128, i = blockIdx.x * 256 + threadIdx.x;
  for (int k = threadIdx.x; k < 416; k += 256) s[k] = base + k >= 0 && base + k < n ? text[base + k] : 0;
  __syncthreads();
  if (i >= n) return;
  const unsigned char *p = s + 128 + threadIdx.x;
  int most = min(18, n - i), len = 0, far = 0;
  for (int d = 1; d <= min(128, i) && len < most; d++) {
    if (len && p[len] != p[len - d]) continue;
    int k = 0;
    while (k < most && p[k] == p[k - d]) k++;
    if (k > len) len = k, far = d;
  }
  best[i] = (unsigned)far << 8 | len;
}

// Hash heads: the last position of each 4-byte beginning, then checked.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 text=[n+4]:uniform(97,105) head=[65536]:zeros
extern "C" __global__ void match_heads(int n, const unsigned char *__restrict__ text, int *head) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = text[i] | text[i + 1] << 8 | text[i + 2] << 16 | (unsigned)text[i + 3] << 24;
  atomicMax(&head[v * 2654435761u >> 16], i);
}

// Prefix codes of at most 12 bits by a table (length << 8 | symbol): a thread per chunk that begins at a known bit, table in shared memory.
// warpwise: grid=(chunks+127)/128 block=128 chunks=16384 symbols=64 words=20 table=[4096]:uniform(768,3328) in=[chunks*words]:uniform(0,4294967295) out=[chunks*symbols]
extern "C" __global__ void prefix_decode(int chunks, int symbols, int words, const unsigned short *__restrict__ table, const unsigned *__restrict__ in, unsigned char *__restrict__ out) {
  __shared__ unsigned short codes[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) codes[k] = table[k];
  __syncthreads();
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= chunks) return;
  const unsigned *p = in + (size_t)c * words;
  unsigned long long buffer = 0;
  int held = 0, next = 0;
  for (int k = 0; k < symbols; k++) {
    if (held < 12) {
      buffer |= (unsigned long long)(next < words ? p[next] : 0u) << held;
      held += 32, next++;
    }
    unsigned code = codes[buffer & 4095u];
    int len = max(code >> 8, 1u);
    buffer >>= len, held -= len;
    out[(size_t)k * chunks + c] = (unsigned char)code;
  }
}

// Numbers of 7-bit groups: each thread walks its stretch of bytes and counts and sums what ends in it.
// warpwise: grid=(pieces+255)/256 block=256 pieces=65536 len=32 in=[pieces*len] count=[pieces] sum=[pieces]
extern "C" __global__ void varint_walk(int pieces, int len, const unsigned char *__restrict__ in, int *__restrict__ count, unsigned *__restrict__ sum) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pieces) return;
  unsigned v = 0, total = 0;
  int shift = 0, found = 0;
  for (int k = 0; k < len; k++) {
    unsigned b = in[(size_t)p * len + k];
    v |= (b & 127u) << shift;
    if (b & 128u)
      shift = min(shift + 7, 28);
    else
      total += v, found++, v = 0, shift = 0;
  }
  count[p] = found, sum[p] = total;
}

// Move to front of 16 symbols kept as nibbles of one 64-bit word, a thread per piece.
// warpwise: grid=(pieces+127)/128 block=128 pieces=32768 len=128 in=[pieces*len]:uniform(0,16) out=[pieces*len]
extern "C" __global__ void move_to_front(int pieces, int len, const unsigned char *__restrict__ in, unsigned char *__restrict__ out) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pieces) return;
  unsigned long long order = 0xfedcba9876543210ull;
  for (int k = 0; k < len; k++) {
    unsigned s = in[(size_t)k * pieces + p] & 15u;
    int at = 0;
    while (at < 15 && (order >> (4 * at) & 15u) != s) at++;
    unsigned long long low = order & ((1ull << (4 * at)) - 1ull), high = at < 15 ? order >> (4 * at + 4) << (4 * at + 4) : 0ull;
    order = high | low << 4 | s;
    out[(size_t)k * pieces + p] = (unsigned char)at;
  }
}

// Frequencies of bytes, a private table per warp in shared memory.
// warpwise: grid=blocks block=256 blocks=264 n=1<<24 in=[n/4]:uniform(0,4294967295) count=[256]:zeros
extern "C" __global__ void symbol_counts(int blocks, int n, const unsigned *__restrict__ in, unsigned *count) {
  __shared__ unsigned mine[8][256];
  unsigned *table = mine[threadIdx.x / 32 % 8];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) mine[k / 256][k % 256] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n / 4; i += gridDim.x * blockDim.x) {
    unsigned v = in[i];
    atomicAdd(&table[v & 255u], 1u), atomicAdd(&table[v >> 8 & 255u], 1u), atomicAdd(&table[v >> 16 & 255u], 1u), atomicAdd(&table[v >> 24], 1u);
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned s = 0;
    for (int w = 0; w < 8; w++) s += mine[w][k];
    if (s) atomicAdd(&count[k], s);
  }
}

// 4x4 blocks of grey to two end points and 2-bit choices (a texture code).
// warpwise: grid=((w/4)*(h/4)+127)/128 block=128 w=2048 h=2048 in=[w*h] out=u32[(w/4)*(h/4)*2]
extern "C" __global__ void texture_blocks(int w, int h, const unsigned char *__restrict__ in, uint2 *__restrict__ out) {
  int b = blockIdx.x * blockDim.x + threadIdx.x, across = w / 4;
  if (b >= across * (h / 4)) return;
  const unsigned char *p = in + (size_t)(b / across * 4) * w + b % across * 4;
  int v[16], lo = 255, hi = 0;
#pragma unroll
  for (int k = 0; k < 16; k++) v[k] = p[(size_t)(k / 4) * w + k % 4], lo = min(lo, v[k]), hi = max(hi, v[k]);
  unsigned picks = 0;
  int span = max(hi - lo, 1);
#pragma unroll
  for (int k = 0; k < 16; k++) picks |= (unsigned)((v[k] - lo) * 3 + span / 2) / span << (2 * k);
  out[b] = make_uint2(lo | hi << 8, picks);
}
