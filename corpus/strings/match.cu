// Text: patterns, distances, classes of bytes. Integers alone.

// Shift-or: bit k of the state says that the last k+1 letters match; a thread per piece, pieces overlap by the pattern's length.
// warpwise: grid=(pieces+127)/128 block=128 pieces=32768 len=64 m=12 mask=[256] text=[pieces*len+m]:uniform(97,101) count=[pieces]
extern "C" __global__ void shift_or(int pieces, int len, int m, const unsigned *__restrict__ mask, const unsigned char *__restrict__ text, int *__restrict__ count) {
  __shared__ unsigned table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) table[k] = mask[k];
  __syncthreads();
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pieces) return;
  unsigned state = ~0u;
  int found = 0;
  for (int k = 0; k < len + m - 1; k++) {
    state = state << 1 | table[text[(size_t)p * len + k]];
    found += !(state >> (m - 1) & 1u);
  }
  count[p] = found;
}

// Many words at once: a table of states by four letters in global memory, and which of them are ends.
// warpwise: grid=(pieces+127)/128 block=128 pieces=65536 len=128 states=4096 next=[states*4]:uniform(0,states) final=[states]:uniform(0,8) text=[pieces*len]:uniform(0,4) hits=[pieces]
extern "C" __global__ void automaton_global(int pieces, int len, int states, const int *__restrict__ next, const unsigned char *__restrict__ final, const unsigned char *__restrict__ text, int *__restrict__ hits) {
  int p = blockIdx.x * blockDim.x + threadIdx.x, s = 0, found = 0;
  if (p >= pieces) return;
  for (int k = 0; k < len; k++) {
    s = next[s * 4 + (text[(size_t)k * pieces + p] & 3)];
    found += final[s] == 0;
  }
  hits[p] = found;
}

// The same with 512 states of 16 bits in shared memory and letters four to a byte.
// warpwise: grid=blocks block=256 blocks=264 pieces=131072 bytes=32 next=[2048]:uniform(0,512) text=[pieces*bytes]:uniform(0,256) hits=[pieces]
extern "C" __global__ void automaton_shared(int blocks, int pieces, int bytes, const unsigned short *__restrict__ next, const unsigned char *__restrict__ text, int *__restrict__ hits) {
  __shared__ unsigned short table[2048];
  for (int k = threadIdx.x; k < 2048; k += blockDim.x) table[k] = next[k];
  __syncthreads();
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < pieces; p += gridDim.x * blockDim.x) {
    int s = 0, found = 0;
    for (int k = 0; k < bytes; k++) {
      unsigned b = text[(size_t)k * pieces + p];
#pragma unroll
      for (int j = 0; j < 4; j++) {
        s = table[s * 4 + (b >> (2 * j) & 3u)];
        found += s < 16;
      }
    }
    hits[p] = found;
  }
}

// Edit distance of a pattern of up to 64 letters to every candidate, bits of a column in one word.
// warpwise: grid=(n+127)/128 block=128 n=65536 len=64 m=60 eq=[4] text=[n*len]:uniform(0,4) distance=[n]
extern "C" __global__ void distance_bits(int n, int len, int m, const unsigned long long *__restrict__ eq, const unsigned char *__restrict__ text, int *__restrict__ distance) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long e0 = eq[0], e1 = eq[1], e2 = eq[2], e3 = eq[3], up = ~0ull, down = 0, top = 1ull << (m - 1);
  int score = m;
  for (int k = 0; k < len; k++) {
    int c = text[(size_t)k * n + i] & 3;
    unsigned long long x = c < 2 ? (c ? e1 : e0) : (c == 2 ? e2 : e3), v = x | down;
    x |= ((x & up) + up) ^ up;
    unsigned long long right = down | ~(x | up), left = up & x;
    if (right & top)
      score++;
    else if (left & top)
      score--;
    right = right << 1 | 1ull, left <<= 1;
    up = left | ~(v | right), down = right & v;
  }
  distance[i] = score;
}

// Candidates with few mismatches: 16 letters a word, xor and count; stops when too many.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 words=8 most=30 read=[words] text=[n*words] out=[n]
extern "C" __global__ void hamming_filter(int n, int words, int most, const unsigned *__restrict__ read, const unsigned *__restrict__ text, unsigned char *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, bad = 0;
  if (i >= n) return;
  for (int k = 0; k < words && bad <= most; k++) {
    unsigned d = read[k] ^ text[(size_t)k * n + i];
    bad += __popc((d | d >> 1) & 0x55555555u);
  }
  out[i] = bad <= most;
}

// Skips by the last letter: a thread searches a stretch, jumps differ between lanes.
// warpwise: grid=(pieces+127)/128 block=128 pieces=16384 len=256 m=8 skip=[256]:uniform(1,9) pattern=[m]:uniform(97,123) text=[pieces*len+m]:uniform(97,123) count=[1]:zeros
extern "C" __global__ void skip_search(int pieces, int len, int m, const unsigned char *__restrict__ skip, const unsigned char *__restrict__ pattern, const unsigned char *__restrict__ text, unsigned *count) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= pieces) return;
  size_t at = (size_t)p * len, end = at + len;
  unsigned found = 0;
  while (at < end) {
    int k = m - 1;
    while (k >= 0 && text[at + k] == pattern[k]) k--;
    found += k < 0;
    at += max((int)skip[text[at + m - 1]], 1);
  }
  if (found) atomicAdd(count, found);
}

// Rolling hash of windows of m bytes against a small set, a block slides over shared memory.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<21 m=16 want=[32] text=[n+m]:uniform(97,101) where=[32]:zeros
extern "C" __global__ void rolling_windows(int n, int m, const unsigned *__restrict__ want, const unsigned char *__restrict__ text, int *where) {
  __shared__ unsigned char s[1024 + 64];
  __shared__ unsigned set[32];
  int base = blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024 + min(m, 64); k += blockDim.x) s[k] = base + k < n + m ? text[base + k] : 0;
  if (threadIdx.x < 32) set[threadIdx.x] = want[threadIdx.x];
  __syncthreads();
  unsigned power = 1, h = 0;
  int t = threadIdx.x * 4;
  if (t >= 1024) return;
  for (int k = 0; k < m; k++) h = h * 257u + s[t + k], power *= 257u;
  for (int r = 0; r < 4; r++) {
    if (base + t + r < n)
      for (int j = 0; j < 32; j++)
        if (h == set[j]) atomicMax(&where[j], base + t + r);
    h = h * 257u + s[t + r + m] - power * s[t + r];
  }
}

// Words begin where a letter follows something else: 16 bytes a thread, sums per block.
// warpwise: grid=(n/16+255)/256 block=256 n=1<<24 text=u8[n]:uniform(20,60) count=[1]:zeros
extern "C" __global__ void word_count(int n, const uint4 *__restrict__ text, unsigned *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int words = 0;
  if (i < n / 16) {
    uint4 v = text[i];
    unsigned w[4] = {v.x, v.y, v.z, v.w};
    bool before = i ? ((const unsigned char *)text)[(size_t)i * 16 - 1] > 32 : false;
#pragma unroll
    for (int k = 0; k < 16; k++) {
      bool letter = (w[k / 4] >> (k % 4 * 8) & 255u) > 32u;
      words += letter && !before;
      before = letter;
    }
  }
  for (int d = 16; d > 0; d >>= 1) words += __shfl_xor_sync(0xffffffffu, words, d);
  if (threadIdx.x % 32 == 0 && words) atomicAdd(count, (unsigned)words);
}

// UTF-8: every byte checks that it stands where it may; errors are counted.
// warpwise: grid=(n+255)/256 block=256 n=1<<22 text=[n] bad=[1]:zeros
extern "C" __global__ void utf8_check(int n, const unsigned char *__restrict__ text, unsigned *bad) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool wrong = false;
  if (i < n) {
    unsigned c = text[i], need = 0;
    for (int k = 1; k <= 3 && k <= i; k++) {
      unsigned lead = text[i - k];
      if ((lead & 0xc0u) == 0x80u) continue;
      int follow = lead >= 0xf0u ? 3 : lead >= 0xe0u ? 2 : lead >= 0xc0u ? 1 : 0;
      need = follow >= k;
      break;
    }
    wrong = ((c & 0xc0u) == 0x80u) != (need != 0) || c >= 0xf8u || c == 0xc0u || c == 0xc1u;
  }
  int all = __syncthreads_count(wrong);
  if (threadIdx.x == 0 && all) atomicAdd(bad, (unsigned)all);
}

// Three bytes to four letters.
// warpwise: grid=(n/3+255)/256 block=256 n=12582912 in=[n] out=[n/3]
extern "C" __global__ void base64_encode(int n, const unsigned char *__restrict__ in, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 3) return;
  unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2], word = 0;
#pragma unroll
  for (int k = 0; k < 4; k++) {
    unsigned s = v >> (18 - 6 * k) & 63u;
    unsigned c = s < 26u ? s + 'A' : s < 52u ? s + 71u : s < 62u ? s - 4u : s == 62u ? '+' : '/';
    word |= c << (8 * k);
  }
  out[i] = word;
}

// Words of k letters of a genome (2 bits each), the smaller of itself and its reverse complement, counted in a hashed table.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 k=12 slots=1<<20 text=[n+32]:uniform(0,4) table=[slots]:zeros
extern "C" __global__ void kmer_counts(int n, int k, unsigned slots, const unsigned char *__restrict__ text, unsigned *table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long fwd = 0, rev = 0;
  for (int j = 0; j < min(k, 32); j++) {
    unsigned long long c = text[i + j] & 3u;
    fwd = fwd << 2 | c, rev = rev >> 2 | (3ull - c) << (2 * k - 2);
  }
  unsigned long long key = fwd < rev ? fwd : rev;
  atomicAdd(&table[(unsigned)(key * 0x9e3779b97f4a7c15ull >> 32) % slots], 1u);
}
