// Checksums and tables of keys. Integers alone.

// FNV-1a of strings of different length, a thread per string.
// warpwise: grid=(n+255)/256 block=256 n=131072 row=[n+1]:monotone(0,n*24) text=[n*24]:uniform(0,256) hash=[n]
extern "C" __global__ void fnv_strings(int n, const int *__restrict__ row, const unsigned char *__restrict__ text, unsigned *__restrict__ hash) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = 2166136261u;
  for (int k = row[i]; k < row[i + 1]; k++) h = (h ^ text[k]) * 16777619u;
  hash[i] = h;
}

// CRC-32 of pieces of equal length, bit by bit.
// warpwise: grid=(n+127)/128 block=128 n=65536 words=16 data=[n*words] crc=[n]
extern "C" __global__ void crc32_bits(int n, int words, const unsigned *__restrict__ data, unsigned *__restrict__ crc) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned c = ~0u;
  for (int k = 0; k < words; k++) {
    c ^= data[(size_t)i * words + k];
#pragma unroll
    for (int b = 0; b < 32; b++) c = c >> 1 ^ (c & 1u ? 0xedb88320u : 0u);
  }
  crc[i] = ~c;
}

// With a table of 256 that the block computes, a byte at a time.
// warpwise: grid=(n+255)/256 block=256 n=65536 words=64 data=[n*words]:uniform(0,4294967295) crc=[n]
extern "C" __global__ void crc32_table(int n, int words, const unsigned *__restrict__ data, unsigned *__restrict__ crc) {
  __shared__ unsigned table[256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned c = k;
    for (int b = 0; b < 8; b++) c = c >> 1 ^ (c & 1u ? 0xedb88320u : 0u);
    table[k] = c;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned c = ~0u;
  for (int k = 0; k < words; k++) {
    unsigned v = data[(size_t)i * words + k];
#pragma unroll
    for (int b = 0; b < 4; b++) c = table[(c ^ v >> (8 * b)) & 255u] ^ c >> 8;
  }
  crc[i] = ~c;
}

// Four bytes at a step from four tables; pieces interleaved word by word so that lanes read together.
// warpwise: grid=blocks block=256 blocks=264 n=262144 words=32 data=[n*words]:uniform(0,4294967295) crc=[n]
extern "C" __global__ void crc32_slices(int blocks, int n, int words, const unsigned *__restrict__ data, unsigned *__restrict__ crc) {
  __shared__ unsigned table[4][256];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned c = k;
    for (int b = 0; b < 8; b++) c = c >> 1 ^ (c & 1u ? 0xedb88320u : 0u);
    table[0][k] = c;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned c = table[0][k];
    for (int s = 1; s < 4; s++) table[s][k] = c = table[0][c & 255u] ^ c >> 8;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned c = ~0u;
    for (int k = 0; k < words; k++) {
      c ^= data[(size_t)k * n + i];
      c = table[3][c & 255u] ^ table[2][c >> 8 & 255u] ^ table[1][c >> 16 & 255u] ^ table[0][c >> 24];
    }
    crc[i] = ~c;
  }
}

// Adler-like sums of a piece per warp, lanes weighted by position.
// warpwise: grid=(pieces+7)/8 block=256 pieces=8192 len=4096 data=[pieces*len/4] sum=[pieces]
extern "C" __global__ void adler_warp(int pieces, int len, const unsigned *__restrict__ data, unsigned *__restrict__ sum) {
  int p = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (p >= pieces) return;
  unsigned a = 0, b = 0;
  for (int k = lane; k < len / 4; k += 32) {
    unsigned v = data[(size_t)p * (len / 4) + k], left = len - 4 * k;
    unsigned s = (v & 255u) + (v >> 8 & 255u) + (v >> 16 & 255u) + (v >> 24);
    a += s;
    b = (b + s * left - (v >> 8 & 255u) - 2u * (v >> 16 & 255u) - 3u * (v >> 24)) % 65521u;
  }
  for (int d = 16; d > 0; d >>= 1) a += __shfl_xor_sync(0xffffffffu, a, d), b += __shfl_xor_sync(0xffffffffu, b, d);
  if (lane == 0) sum[p] = (b + len) % 65521u << 16 | (a + 1u) % 65521u;
}

__device__ unsigned mix(unsigned h, unsigned salt) {
  h = (h ^ salt) * 0xcc9e2d51u;
  h ^= h >> 15, h *= 0x1b873593u;
  return h ^ h >> 13;
}

// Bloom filter, four bits a key.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 words=1<<18 keys=[n]:uniform(0,4294967295) filter=[words]:zeros
extern "C" __global__ void bloom_insert(int n, unsigned words, const unsigned *__restrict__ keys, unsigned *filter) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = mix(keys[i], 1u), b = mix(keys[i], 2u) | 1u;
#pragma unroll
  for (int k = 0; k < 4; k++, a += b) atomicOr(&filter[(a >> 5) % words], 1u << (a & 31u));
}

// Question with early exit, hits counted by warp.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 words=1<<20 keys=[n]:uniform(0,4294967295) filter=[words]:uniform(0,4294967295) hits=[1]:zeros
extern "C" __global__ void bloom_ask(int n, unsigned words, const unsigned *__restrict__ keys, const unsigned *__restrict__ filter, unsigned *hits) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool in = i < n;
  if (in) {
    unsigned a = mix(keys[i], 1u), b = mix(keys[i], 2u) | 1u;
    for (int k = 0; k < 4 && in; k++, a += b) in = filter[(a >> 5) % words] >> (a & 31u) & 1u;
  }
  unsigned who = __ballot_sync(0xffffffffu, in);
  if (threadIdx.x % 32 == 0 && who) atomicAdd(hits, (unsigned)__popc(who));
}

// Cuckoo table: a key is in one of two buckets of four.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 buckets=1<<18 keys=[n]:uniform(1,1000000) table=u32[buckets*4]:uniform(1,1000000) found=[n]
extern "C" __global__ void cuckoo_probe(int n, unsigned buckets, const unsigned *__restrict__ keys, const uint4 *__restrict__ table, unsigned char *__restrict__ found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i];
  uint4 b = table[mix(key, 11u) % buckets];
  bool hit = b.x == key || b.y == key || b.z == key || b.w == key;
  if (!hit) {
    b = table[mix(key, 23u) % buckets];
    hit = b.x == key || b.y == key || b.z == key || b.w == key;
  }
  found[i] = hit;
}

// Group by key: sums into an open table, first in shared memory for a block's own keys, then flushed.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<20 slots=4096 keys=[n]:zipf(1,3000) value=[n]:uniform(0,100) table=[slots]:zeros sums=[slots]:zeros
extern "C" __global__ void group_sums(int n, int slots, const unsigned *__restrict__ keys, const unsigned *__restrict__ value, unsigned *table, unsigned *sums) {
  __shared__ unsigned key[512], sum[512];
  for (int k = threadIdx.x; k < 512; k += blockDim.x) key[k] = sum[k] = 0;
  __syncthreads();
  for (int r = 0; r < 4; r++) {
    int i = blockIdx.x * 1024 + r * 256 + threadIdx.x;
    if (i >= n || threadIdx.x >= 256) continue;
    unsigned k = keys[i], at = mix(k, 3u), tries = 0;
    for (; tries < 8; tries++, at++) {
      unsigned was = atomicCAS(&key[at & 511u], 0u, k);
      if (was == 0u || was == k) break;
    }
    if (tries < 8) {
      atomicAdd(&sum[at & 511u], value[i]);
      continue;
    }
    for (at = mix(k, 5u), tries = 0; tries < 64; tries++, at++) {
      unsigned was = atomicCAS(&table[at % slots], 0u, k);
      if (was != 0u && was != k) continue;
      atomicAdd(&sums[at % slots], value[i]);
      break;
    }
  }
  __syncthreads();
  for (int j = threadIdx.x; j < 512; j += blockDim.x) {
    if (!key[j]) continue;
    unsigned at = mix(key[j], 5u);
    for (int tries = 0; tries < 64; tries++, at++) {
      unsigned was = atomicCAS(&table[at % slots], 0u, key[j]);
      if (was != 0u && was != key[j]) continue;
      atomicAdd(&sums[at % slots], sum[j]);
      break;
    }
  }
}
