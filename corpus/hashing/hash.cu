// Integer work only.

// warpwise: grid=(n+255)/256 block=256 n=1<<21 keys=u32[n] out=u32[n]
extern "C" __global__ void murmur(int n, const unsigned *keys, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = keys[i];
  h ^= h >> 16, h *= 0x85ebca6bu, h ^= h >> 13, h *= 0xc2b2ae35u, h ^= h >> 16;
  out[i] = h;
}

// Rounds of a ChaCha-like mix: adds, xors, rotations, no memory.
// warpwise: grid=(n+127)/128 block=128 n=262144 rounds=20 out=u32[n]
extern "C" __global__ void quarter_rounds(int n, int rounds, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned a = 0x61707865u + i, b = 0x3320646eu, c = 0x79622d32u ^ i, d = 0x6b206574u;
  for (int r = 0; r < rounds; r++) {
    a += b, d ^= a, d = d << 16 | d >> 16;
    c += d, b ^= c, b = b << 12 | b >> 20;
    a += b, d ^= a, d = d << 8 | d >> 24;
    c += d, b ^= c, b = b << 7 | b >> 25;
  }
  out[i] = a ^ b ^ c ^ d;
}

// Inserts into an open-addressing table with compare-and-swap.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 mask=2097151 keys=u32[n]:uniform(1,1000000000) table=u32[2097152]:zeros
extern "C" __global__ void table_insert(int n, unsigned mask, const unsigned *keys, unsigned *table) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned key = keys[i], at = key * 2654435769u >> 3;
  for (int tries = 0; tries < 64; tries++, at++) {
    unsigned was = atomicCAS(&table[at & mask], 0u, key);
    if (was == 0u || was == key) return;
  }
}

// Modular exponentiation: 64-bit remainders.
// warpwise: grid=(n+127)/128 block=128 n=65536 e=65537 m=4294967291 x=u64[n]:uniform(2,4000000000) y=u64[n]
extern "C" __global__ void modpow(int n, unsigned long long e, unsigned long long m, const unsigned long long *x, unsigned long long *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long b = x[i] % m, r = 1;
  for (unsigned long long k = e; k; k >>= 1) {
    if (k & 1) r = r * b % m;
    b = b * b % m;
  }
  y[i] = r;
}
