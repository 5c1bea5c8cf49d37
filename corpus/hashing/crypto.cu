// Real hashes and ciphers: rotations, tables, 64-bit logic. Integers alone.

__constant__ unsigned round_word[64] = {
    0x428a2f98u, 0x71374491u, 0xb5c0fbcfu, 0xe9b5dba5u, 0x3956c25bu, 0x59f111f1u, 0x923f82a4u, 0xab1c5ed5u,
    0xd807aa98u, 0x12835b01u, 0x243185beu, 0x550c7dc3u, 0x72be5d74u, 0x80deb1feu, 0x9bdc06a7u, 0xc19bf174u,
    0xe49b69c1u, 0xefbe4786u, 0x0fc19dc6u, 0x240ca1ccu, 0x2de92c6fu, 0x4a7484aau, 0x5cb0a9dcu, 0x76f988dau,
    0x983e5152u, 0xa831c66du, 0xb00327c8u, 0xbf597fc7u, 0xc6e00bf3u, 0xd5a79147u, 0x06ca6351u, 0x14292967u,
    0x27b70a85u, 0x2e1b2138u, 0x4d2c6dfcu, 0x53380d13u, 0x650a7354u, 0x766a0abbu, 0x81c2c92eu, 0x92722c85u,
    0xa2bfe8a1u, 0xa81a664bu, 0xc24b8b70u, 0xc76c51a3u, 0xd192e819u, 0xd6990624u, 0xf40e3585u, 0x106aa070u,
    0x19a4c116u, 0x1e376c08u, 0x2748774cu, 0x34b0bcb5u, 0x391c0cb3u, 0x4ed8aa4au, 0x5b9cca4fu, 0x682e6ff3u,
    0x748f82eeu, 0x78a5636fu, 0x84c87814u, 0x8cc70208u, 0x90befffau, 0xa4506cebu, 0xbef9a3f7u, 0xc67178f2u};

__device__ unsigned ror(unsigned v, int n) { return __funnelshift_r(v, v, n); }

// One block of 64 bytes into a state of eight words; the schedule rolls through 16 registers.
__device__ void sha256_block(unsigned *h, unsigned *w) {
  unsigned a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], k = h[7];
#pragma unroll
  for (int r = 0; r < 64; r++) {
    if (r >= 16) {
      unsigned x = w[(r + 1) & 15], y = w[(r + 14) & 15];
      w[r & 15] += (ror(x, 7) ^ ror(x, 18) ^ x >> 3) + w[(r + 9) & 15] + (ror(y, 17) ^ ror(y, 19) ^ y >> 10);
    }
    unsigned t = k + (ror(e, 6) ^ ror(e, 11) ^ ror(e, 25)) + ((e & f) ^ (~e & g)) + round_word[r] + w[r & 15];
    unsigned u = (ror(a, 2) ^ ror(a, 13) ^ ror(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    k = g, g = f, f = e, e = d + t, d = c, c = b, b = a, a = t + u;
  }
  h[0] += a, h[1] += b, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += k;
}

__device__ void sha256_start(unsigned *h) {
  h[0] = 0x6a09e667u, h[1] = 0xbb67ae85u, h[2] = 0x3c6ef372u, h[3] = 0xa54ff53au, h[4] = 0x510e527fu, h[5] = 0x9b05688cu, h[6] = 0x1f83d9abu, h[7] = 0x5be0cd19u;
}

// Messages of `blocks` blocks (padding included), each thread one; words come big-endian.
// warpwise: grid=(n+127)/128 block=128 n=65536 blocks=2 message=[n*blocks*16] digest=[n*8]
extern "C" __global__ void sha256_messages(int n, int blocks, const unsigned *__restrict__ message, unsigned *__restrict__ digest) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h[8], w[16];
  sha256_start(h);
  for (int b = 0; b < blocks; b++) {
#pragma unroll
    for (int k = 0; k < 16; k++) w[k] = message[((size_t)i * blocks + b) * 16 + k];
    sha256_block(h, w);
  }
#pragma unroll
  for (int k = 0; k < 8; k++) digest[(size_t)i * 8 + k] = h[k];
}

// Search for a number whose hash begins with zeros: no memory, all arithmetic.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 zeros=24 head=[8] found=[1]:zeros
extern "C" __global__ void sha256_search(int n, int zeros, const unsigned *__restrict__ head, unsigned *found) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, h[8], w[16];
  if (i >= n) return;
#pragma unroll
  for (int k = 0; k < 8; k++) w[k] = head[k];
  w[8] = i, w[9] = 0x80000000u, w[10] = w[11] = w[12] = w[13] = w[14] = 0u, w[15] = 288u;
  sha256_start(h);
  sha256_block(h, w);
  if (__clz(h[0]) >= zeros) atomicMax(found, i);
}

// One level of a tree of hashes: two digests become one (64 bytes and their padding).
// warpwise: grid=(n+127)/128 block=128 n=131072 below=u32[n*16] above=u32[n*8]
extern "C" __global__ void merkle_level(int n, const uint4 *__restrict__ below, uint4 *__restrict__ above) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h[8], w[16];
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 v = below[(size_t)i * 4 + k];
    w[4 * k] = v.x, w[4 * k + 1] = v.y, w[4 * k + 2] = v.z, w[4 * k + 3] = v.w;
  }
  sha256_start(h);
  sha256_block(h, w);
#pragma unroll
  for (int k = 0; k < 16; k++) w[k] = k == 0 ? 0x80000000u : k == 15 ? 512u : 0u;
  sha256_block(h, w);
  above[(size_t)i * 2] = make_uint4(h[0], h[1], h[2], h[3]), above[(size_t)i * 2 + 1] = make_uint4(h[4], h[5], h[6], h[7]);
}

__device__ void quarter(unsigned &a, unsigned &b, unsigned &c, unsigned &d) {
  a += b, d ^= a, d = ror(d, 16), c += d, b ^= c, b = ror(b, 20);
  a += b, d ^= a, d = ror(d, 24), c += d, b ^= c, b = ror(b, 25);
}

// ChaCha20: a thread makes 64 bytes of key stream and xors them in.
// warpwise: grid=(blocks+127)/128 block=128 blocks=131072 counter=1 key=[8] nonce=[3] data=u32[blocks*16]
extern "C" __global__ void chacha20_xor(int blocks, unsigned counter, const unsigned *__restrict__ key, const unsigned *__restrict__ nonce, uint4 *data) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  unsigned s[16] = {0x61707865u, 0x3320646eu, 0x79622d32u, 0x6b206574u}, x[16];
#pragma unroll
  for (int k = 0; k < 8; k++) s[4 + k] = key[k];
  s[12] = counter + i, s[13] = nonce[0], s[14] = nonce[1], s[15] = nonce[2];
#pragma unroll
  for (int k = 0; k < 16; k++) x[k] = s[k];
#pragma unroll 2
  for (int r = 0; r < 10; r++) {
    quarter(x[0], x[4], x[8], x[12]), quarter(x[1], x[5], x[9], x[13]), quarter(x[2], x[6], x[10], x[14]), quarter(x[3], x[7], x[11], x[15]);
    quarter(x[0], x[5], x[10], x[15]), quarter(x[1], x[6], x[11], x[12]), quarter(x[2], x[7], x[8], x[13]), quarter(x[3], x[4], x[9], x[14]);
  }
#pragma unroll
  for (int k = 0; k < 4; k++) {
    uint4 v = data[(size_t)i * 4 + k];
    v.x ^= x[4 * k] + s[4 * k], v.y ^= x[4 * k + 1] + s[4 * k + 1], v.z ^= x[4 * k + 2] + s[4 * k + 2], v.w ^= x[4 * k + 3] + s[4 * k + 3];
    data[(size_t)i * 4 + k] = v;
  }
}

__constant__ unsigned char sbox[256] = {
  0x63, 0x7c, 0x77, 0x7b, 0xf2, 0x6b, 0x6f, 0xc5, 0x30, 0x01, 0x67, 0x2b, 0xfe, 0xd7, 0xab, 0x76,
  0xca, 0x82, 0xc9, 0x7d, 0xfa, 0x59, 0x47, 0xf0, 0xad, 0xd4, 0xa2, 0xaf, 0x9c, 0xa4, 0x72, 0xc0,
  0xb7, 0xfd, 0x93, 0x26, 0x36, 0x3f, 0xf7, 0xcc, 0x34, 0xa5, 0xe5, 0xf1, 0x71, 0xd8, 0x31, 0x15,
  0x04, 0xc7, 0x23, 0xc3, 0x18, 0x96, 0x05, 0x9a, 0x07, 0x12, 0x80, 0xe2, 0xeb, 0x27, 0xb2, 0x75,
  0x09, 0x83, 0x2c, 0x1a, 0x1b, 0x6e, 0x5a, 0xa0, 0x52, 0x3b, 0xd6, 0xb3, 0x29, 0xe3, 0x2f, 0x84,
  0x53, 0xd1, 0x00, 0xed, 0x20, 0xfc, 0xb1, 0x5b, 0x6a, 0xcb, 0xbe, 0x39, 0x4a, 0x4c, 0x58, 0xcf,
  0xd0, 0xef, 0xaa, 0xfb, 0x43, 0x4d, 0x33, 0x85, 0x45, 0xf9, 0x02, 0x7f, 0x50, 0x3c, 0x9f, 0xa8,
  0x51, 0xa3, 0x40, 0x8f, 0x92, 0x9d, 0x38, 0xf5, 0xbc, 0xb6, 0xda, 0x21, 0x10, 0xff, 0xf3, 0xd2,
  0xcd, 0x0c, 0x13, 0xec, 0x5f, 0x97, 0x44, 0x17, 0xc4, 0xa7, 0x7e, 0x3d, 0x64, 0x5d, 0x19, 0x73,
  0x60, 0x81, 0x4f, 0xdc, 0x22, 0x2a, 0x90, 0x88, 0x46, 0xee, 0xb8, 0x14, 0xde, 0x5e, 0x0b, 0xdb,
  0xe0, 0x32, 0x3a, 0x0a, 0x49, 0x06, 0x24, 0x5c, 0xc2, 0xd3, 0xac, 0x62, 0x91, 0x95, 0xe4, 0x79,
  0xe7, 0xc8, 0x37, 0x6d, 0x8d, 0xd5, 0x4e, 0xa9, 0x6c, 0x56, 0xf4, 0xea, 0x65, 0x7a, 0xae, 0x08,
  0xba, 0x78, 0x25, 0x2e, 0x1c, 0xa6, 0xb4, 0xc6, 0xe8, 0xdd, 0x74, 0x1f, 0x4b, 0xbd, 0x8b, 0x8a,
  0x70, 0x3e, 0xb5, 0x66, 0x48, 0x03, 0xf6, 0x0e, 0x61, 0x35, 0x57, 0xb9, 0x86, 0xc1, 0x1d, 0x9e,
  0xe1, 0xf8, 0x98, 0x11, 0x69, 0xd9, 0x8e, 0x94, 0x9b, 0x1e, 0x87, 0xe9, 0xce, 0x55, 0x28, 0xdf,
  0x8c, 0xa1, 0x89, 0x0d, 0xbf, 0xe6, 0x42, 0x68, 0x41, 0x99, 0x2d, 0x0f, 0xb0, 0x54, 0xbb, 0x16};

// AES-128 in counter mode, bytes looked up one by one in constant memory: lanes ask for different addresses.
// warpwise: grid=(blocks+127)/128 block=128 blocks=16384 keys=[44]:uniform(0,4294967295) out=u32[blocks*4]
extern "C" __global__ void aes_constant(int blocks, const unsigned *__restrict__ keys, uint4 *__restrict__ out) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= blocks) return;
  unsigned s[4] = {keys[0], keys[1], keys[2], i ^ keys[3]}, t[4];
  for (int r = 1; r <= 10; r++) {
#pragma unroll
    for (int c = 0; c < 4; c++) {
      unsigned b0 = sbox[s[c] >> 24], b1 = sbox[s[(c + 1) & 3] >> 16 & 255u], b2 = sbox[s[(c + 2) & 3] >> 8 & 255u], b3 = sbox[s[(c + 3) & 3] & 255u];
      unsigned v = b0 << 24 | b1 << 16 | b2 << 8 | b3;
      if (r < 10) {
        unsigned twice = (v & 0x7f7f7f7fu) << 1 ^ (v >> 7 & 0x01010101u) * 0x1bu, turn = v << 8 | v >> 24, both = twice << 8 | twice >> 24;
        v = twice ^ both ^ turn ^ (v << 16 | v >> 16) ^ (v << 24 | v >> 8);
      }
      t[c] = v ^ keys[4 * r + c];
    }
#pragma unroll
    for (int c = 0; c < 4; c++) s[c] = t[c];
  }
  out[i] = make_uint4(s[0], s[1], s[2], s[3]);
}

// The same from one table of 256 words in shared memory, turned for the other three.
// warpwise: grid=blocks/1024 block=256 blocks=524288 keys=[44]:uniform(0,4294967295) out=u32[blocks*4]
extern "C" __global__ void aes_shared(int blocks, const unsigned *__restrict__ keys, uint4 *__restrict__ out) {
  __shared__ unsigned table[256], key[44];
  for (int k = threadIdx.x; k < 256; k += blockDim.x) {
    unsigned b = sbox[k], twice = b << 1 ^ (b >> 7) * 0x11bu;
    table[k] = twice << 24 | b << 16 | b << 8 | (twice ^ b);
  }
  if (threadIdx.x < 44) key[threadIdx.x] = keys[threadIdx.x];
  __syncthreads();
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < blocks; i += gridDim.x * blockDim.x) {
    unsigned s0 = key[0], s1 = key[1], s2 = key[2], s3 = i ^ key[3];
#pragma unroll
    for (int r = 1; r < 10; r++) {
      unsigned t0 = table[s0 >> 24] ^ ror(table[s1 >> 16 & 255u], 8) ^ ror(table[s2 >> 8 & 255u], 16) ^ ror(table[s3 & 255u], 24) ^ key[4 * r];
      unsigned t1 = table[s1 >> 24] ^ ror(table[s2 >> 16 & 255u], 8) ^ ror(table[s3 >> 8 & 255u], 16) ^ ror(table[s0 & 255u], 24) ^ key[4 * r + 1];
      unsigned t2 = table[s2 >> 24] ^ ror(table[s3 >> 16 & 255u], 8) ^ ror(table[s0 >> 8 & 255u], 16) ^ ror(table[s1 & 255u], 24) ^ key[4 * r + 2];
      unsigned t3 = table[s3 >> 24] ^ ror(table[s0 >> 16 & 255u], 8) ^ ror(table[s1 >> 8 & 255u], 16) ^ ror(table[s2 & 255u], 24) ^ key[4 * r + 3];
      s0 = t0, s1 = t1, s2 = t2, s3 = t3;
    }
    unsigned v[4] = {s0, s1, s2, s3}, o[4];
#pragma unroll
    for (int c = 0; c < 4; c++)
      o[c] = ((table[v[c] >> 24] & 0xff00u) << 16 | (table[v[(c + 1) & 3] >> 16 & 255u] & 0xff00u) << 8 | (table[v[(c + 2) & 3] >> 8 & 255u] & 0xff00u) |
              (table[v[(c + 3) & 3] & 255u] >> 8 & 255u)) ^ key[40 + c];
    out[i] = make_uint4(o[0], o[1], o[2], o[3]);
  }
}

__constant__ unsigned long long keccak_round[24] = {
    0x0000000000000001ull, 0x0000000000008082ull, 0x800000000000808aull, 0x8000000080008000ull,
    0x000000000000808bull, 0x0000000080000001ull, 0x8000000080008081ull, 0x8000000000008009ull,
    0x000000000000008aull, 0x0000000000000088ull, 0x0000000080008009ull, 0x000000008000000aull,
    0x000000008000808bull, 0x800000000000008bull, 0x8000000000008089ull, 0x8000000000008003ull,
    0x8000000000008002ull, 0x8000000000000080ull, 0x000000000000800aull, 0x800000008000000aull,
    0x8000000080008081ull, 0x8000000000008080ull, 0x0000000080000001ull, 0x8000000080008008ull};

__device__ unsigned long long rol64(unsigned long long v, int n) { return n ? v << n | v >> (64 - n) : v; }

// The permutation of SHA-3 on states of 25 words, kept in registers.
// warpwise: grid=(n+63)/64 block=64 n=32768 state=[n*25]
extern "C" __global__ void keccak_states(int n, unsigned long long *state) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long a[25], b[25], c[5];
#pragma unroll
  for (int k = 0; k < 25; k++) a[k] = state[(size_t)k * n + i];
  const int turn[25] = {0, 1, 62, 28, 27, 36, 44, 6, 55, 20, 3, 10, 43, 25, 39, 41, 45, 15, 21, 8, 18, 2, 61, 56, 14};
#pragma unroll 1
  for (int r = 0; r < 24; r++) {
#pragma unroll
    for (int x = 0; x < 5; x++) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int k = 0; k < 25; k++) {
      int x = k % 5, y = k / 5;
      b[(2 * x + 3 * y) % 5 * 5 + y] = rol64(a[k] ^ c[(x + 4) % 5] ^ rol64(c[(x + 1) % 5], 1), turn[k]);
    }
#pragma unroll
    for (int k = 0; k < 25; k++) a[k] = b[k] ^ (~b[k / 5 * 5 + (k % 5 + 1) % 5] & b[k / 5 * 5 + (k % 5 + 2) % 5]);
    a[0] ^= keccak_round[r];
  }
#pragma unroll
  for (int k = 0; k < 25; k++) state[(size_t)k * n + i] = a[k];
}
