// Arithmetic on whole numbers: divisors, powers, sieves, curves, dates, long numbers, matrices of bits.

// warpwise: grid=(n+255)/256 block=256 n=1<<19 a=u32[n]:uniform(1,1000000000) b=u32[n]:uniform(1,1000000000) d=u32[n]
extern "C" __global__ void gcd(int n, const unsigned *a, const unsigned *b, unsigned *d) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned u = a[i], v = b[i];
  while (v) {
    unsigned r = u % v;
    u = v, v = r;
  }
  d[i] = u;
}

// warpwise: grid=(n+127)/128 block=128 n=1<<18 m=1000000007 base=u32[n]:uniform(2,1000000007) power=u32[n]:uniform(0,4294967296) out=u32[n]
extern "C" __global__ void power_mod(int n, unsigned m, const unsigned *base, const unsigned *power, unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long b = base[i] % m, r = 1;
  for (unsigned e = power[i]; e; e >>= 1, b = b * b % m)
    if (e & 1) r = r * b % m;
  out[i] = r;
}

// A block crosses out the multiples of the small primes in its own 65536 odd numbers, a bit each, in shared memory.
// warpwise: grid=segments block=256 segments=264 primes=168 prime=i32[primes]:uniform(3,1000) left=u32[segments*2048]
extern "C" __global__ void sieve(int segments, int primes, const int *prime, unsigned *left) {
  __shared__ unsigned s[2048];
  if (blockIdx.x >= segments) return;
  for (int k = threadIdx.x; k < 2048; k += 256) s[k] = 0xffffffffu;
  __syncthreads();
  long long low = (long long)blockIdx.x * 131072 + 1; // bit j stands for low + 2 j
  for (int k = threadIdx.x; k < primes; k += 256) {
    int p = prime[k] | 1;
    long long first = (low + p - 1) / p * p;
    first += first & 1 ? 0 : p;
    for (int j = (int)((first - low) / 2); j < 65536; j += p) atomicAnd(&s[j / 32], ~(1u << j % 32));
  }
  __syncthreads();
  for (int k = threadIdx.x; k < 2048; k += 256) left[(size_t)blockIdx.x * 2048 + k] = s[k];
}

__device__ unsigned spread3(unsigned v) { // ten bits, two zeros after each
  v = (v | v << 16) & 0x030000ffu, v = (v | v << 8) & 0x0300f00fu;
  v = (v | v << 4) & 0x030c30c3u, v = (v | v << 2) & 0x09249249u;
  return v;
}

// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=u16[n]:uniform(0,1024) y=u16[n]:uniform(0,1024) z=u16[n]:uniform(0,1024) code=u32[n]
extern "C" __global__ void morton(int n, const unsigned short *x, const unsigned short *y, const unsigned short *z,
                                  unsigned *code) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) code[i] = spread3(x[i]) | spread3(y[i]) << 1 | spread3(z[i]) << 2;
}

// Along a curve that fills the square: a bit of both coordinates per step, the square turned as it goes.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 order=16 at=u32[n]:uniform(0,4294967296) x=u16[n] y=u16[n]
extern "C" __global__ void hilbert(int n, int order, const unsigned *at, unsigned short *x, unsigned short *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned d = at[i], u = 0, v = 0;
  for (int k = 0; k < order; k++, d >>= 2) {
    unsigned side = 1u << k, rx = d >> 1 & 1, ry = (d ^ rx) & 1;
    if (!ry) {
      if (rx) u = side - 1 - u, v = side - 1 - v;
      unsigned w = u;
      u = v, v = w;
    }
    u += rx ? side : 0, v += ry ? side : 0;
  }
  x[i] = u, y[i] = v;
}

// Days since 1 March of year 0 to year, month, day in one word.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 days=i32[n]:uniform(0,1000000) date=u32[n]
extern "C" __global__ void calendar(int n, const int *days, unsigned *date) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int d = days[i], era = d / 146097, in = d % 146097;
  int year = (in - in / 1460 + in / 36524 - in / 146096) / 365, day = in - (365 * year + year / 4 - year / 100);
  int m = (5 * day + 2) / 153, month = m < 10 ? m + 3 : m - 9;
  date[i] = (era * 400 + year + (month <= 2)) << 9 | month << 5 | (day - (153 * m + 2) / 5 + 1);
}

// Numbers of 256 bits, limb by limb across the batch so that lanes read neighbours: the low half of a product.
// warpwise: grid=(n+127)/128 block=128 n=1<<17 a=u32[n*8]:uniform(0,4294967296) b=u32[n*8]:uniform(0,4294967296) c=u32[n*8]
extern "C" __global__ void long_multiply(int n, const unsigned *a, const unsigned *b, unsigned *c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned u[8], v[8], w[8] = {};
#pragma unroll
  for (int k = 0; k < 8; k++) u[k] = a[(size_t)k * n + i], v[k] = b[(size_t)k * n + i];
#pragma unroll
  for (int p = 0; p < 8; p++) {
    unsigned long long carry = 0;
#pragma unroll
    for (int q = 0; q + p < 8; q++) {
      carry += (unsigned long long)u[p] * v[q] + w[p + q];
      w[p + q] = (unsigned)carry, carry >>= 32;
    }
  }
#pragma unroll
  for (int k = 0; k < 8; k++) c[(size_t)k * n + i] = w[k];
}

// Numbers of 1024 bits, a limb per lane: carries move by ballot and one addition.
// warpwise: grid=(n+7)/8 block=256 n=1<<17 a=u32[n*32]:uniform(0,4294967296) b=u32[n*32]:uniform(0,4294967296) c=u32[n*32]
extern "C" __global__ void long_add_warp(int n, const unsigned *a, const unsigned *b, unsigned *c) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (m >= n) return;
  size_t at = (size_t)m * 32 + lane;
  unsigned u = a[at], s = u + b[at];
  unsigned makes = __ballot_sync(0xffffffffu, s < u), passes = __ballot_sync(0xffffffffu, s == 0xffffffffu);
  unsigned in = ((makes << 1) + passes) ^ passes; // a carry that arrives runs through the limbs that pass it on
  c[at] = s + (in >> lane & 1);
}

// Bit matrix times bit matrix over GF(2): rows of a pick rows of b; 32 columns per thread.
// warpwise: grid=n/32/32,n/8 block=32,8 n=2048 a=u32[n*n/32]:uniform(0,4294967296) b=u32[n*n/32]:uniform(0,4294967296) c=u32[n*n/32]
extern "C" __global__ void bit_multiply(int n, const unsigned *a, const unsigned *b, unsigned *c) {
  int w = n / 32, col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  if (col >= w || row >= n) return;
  unsigned s = 0;
  for (int k = 0; k < w; k++) {
    unsigned bits = a[(size_t)row * w + k];
    while (bits) {
      int j = __ffs(bits) - 1;
      bits &= bits - 1;
      s ^= b[(size_t)(32 * k + j) * w + col];
    }
  }
  c[(size_t)row * w + col] = s;
}

// Fixed point with 16 bits behind the point: a second-order filter along each channel.
// warpwise: grid=(channels+63)/64 block=64 channels=8192 samples=256 x=i32[channels*samples]:uniform(0,65536) y=i32[channels*samples]
extern "C" __global__ void fixed_filter(int channels, int samples, const int *x, int *y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  int y1 = 0, y2 = 0;
  for (int s = 0; s < samples; s++) {
    long long v = (long long)x[(size_t)s * channels + c] * 9830 + (long long)y1 * 72090 - (long long)y2 * 26214;
    y2 = y1, y1 = (int)(v >> 16);
    y[(size_t)s * channels + c] = y1;
  }
}

// Integer square roots, bit by bit.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 x=u64[n]:random root=u32[n]
extern "C" __global__ void square_root(int n, const unsigned long long *x, unsigned *root) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long v = x[i], r = 0;
#pragma unroll
  for (int b = 31; b >= 0; b--) {
    unsigned long long t = r | 1ull << b;
    if (t * t <= v) r = t;
  }
  root[i] = (unsigned)r;
}
