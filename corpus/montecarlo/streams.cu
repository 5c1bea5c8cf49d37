// Random numbers by several generators, and walks, spins and prices made of them.

struct quad {
  unsigned x, y, z, w;
};

__device__ unsigned xorshift128(quad &s) {
  unsigned t = s.x ^ s.x << 11;
  s.x = s.y, s.y = s.z, s.z = s.w;
  return s.w = s.w ^ s.w >> 19 ^ t ^ t >> 8;
}

__device__ quad start(unsigned i) {
  quad s = {i * 2654435761u + 1u, i ^ 0x9e3779b9u, i * 40503u + 77u, 0x12345u};
  for (int k = 0; k < 4; k++) xorshift128(s);
  return s;
}

__device__ uint4 philox7(uint4 c, unsigned k0, unsigned k1) {
#pragma unroll
  for (int r = 0; r < 7; r++) {
    unsigned a = 0xD2511F53u * c.x, b = 0xCD9E8D57u * c.z;
    c = make_uint4(__umulhi(0xCD9E8D57u, c.z) ^ c.y ^ k0, b, __umulhi(0xD2511F53u, c.x) ^ c.w ^ k1, a);
    k0 += 0x9E3779B9u, k1 += 0xBB67AE85u;
  }
  return c;
}

// Each thread makes `each` words; out is strided by the threads so that lanes store together.
// warpwise: grid=(threads+255)/256 block=256 threads=135168 each=64 out=[threads*each]
extern "C" __global__ void xorshift_fill(int threads, int each, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  quad s = start(i);
  for (int k = 0; k < each; k++) out[(size_t)k * threads + i] = xorshift128(s);
}

// A counter per 16 bytes, no state.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<24 seed=99 out=u32[n]
extern "C" __global__ void philox_fill(int n, unsigned seed, uint4 *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4) out[i] = philox7(make_uint4(i, 0u, 0u, 1u), seed, ~seed);
}

// Normal numbers, four at a time.
// warpwise: grid=(n/4+255)/256 block=256 n=1<<23 seed=5 out=f32[n]
extern "C" __global__ void philox_normals(int n, unsigned seed, float4 *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n / 4) return;
  uint4 r = philox7(make_uint4(i, 1u, 2u, 3u), seed, 0u);
  float a = sqrtf(-2.0f * __logf((r.x + 1.0f) * 2.3283064e-10f)), b = sqrtf(-2.0f * __logf((r.z + 1.0f) * 2.3283064e-10f)), s, c, t, d;
  __sincosf(r.y * 1.4629181e-9f, &s, &c);
  __sincosf(r.w * 1.4629181e-9f, &t, &d);
  out[i] = make_float4(a * c, a * s, b * d, b * t);
}

// Ising model, half of a checkerboard a launch; spins are bytes of +1 and -1 (here 0 and 1).
// warpwise: grid=(w/2+127)/128,h block=128 w=2048 h=2048 parity=0 seed=17 odds=[10]:uniform(0,2000000000) spin=[w*h]:uniform(0,2)
extern "C" __global__ void ising_half(int w, int h, int parity, unsigned seed, const unsigned *__restrict__ odds, signed char *spin) {
  int k = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (k >= w / 2 || y >= h) return;
  int x = 2 * k + ((y + parity) & 1), row = y * w;
  int around = spin[row + (x + 1 < w ? x + 1 : 0)] + spin[row + (x ? x - 1 : w - 1)] + spin[(y + 1 < h ? row + w : 0) + x] + spin[(y ? row - w : (h - 1) * w) + x];
  int mine = spin[row + x];
  unsigned r = (seed + row + x) * 747796405u + 2891336453u;
  r = (r >> ((r >> 28) + 4u) ^ r) * 277803737u, r ^= r >> 22;
  if (r < odds[mine * 5 + around]) spin[row + x] = 1 - mine;
}

// The same with 64 systems in the bits of a word: sums by full adders.
// warpwise: grid=(w*h/2+255)/256 block=256 w=512 h=1024 parity=1 rare=[w*h/2] often=[w*h/2] spin=[w*h]
extern "C" __global__ void ising_words(int w, int h, int parity, const unsigned long long *__restrict__ rare, const unsigned long long *__restrict__ often, unsigned long long *spin) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h / 2) return;
  int y = i / (w / 2), x = i % (w / 2) * 2 + ((y + parity) & 1), row = y * w;
  unsigned long long s = spin[row + x];
  unsigned long long a = s ^ spin[row + (x + 1 < w ? x + 1 : 0)], b = s ^ spin[row + (x ? x - 1 : w - 1)];
  unsigned long long c = s ^ spin[(y + 1 < h ? row + w : 0) + x], d = s ^ spin[(y ? row - w : (h - 1) * w) + x];
  unsigned long long ab = a ^ b, cd = c ^ d, two = (a & b) | (c & d) | (ab & cd), none = ~(a | b | c | d), one = ~two & ~none;
  spin[row + x] = s ^ (two | (one & often[i]) | (none & rare[i]));
}

// Walkers on a plane until they leave a circle: lengths differ.
// warpwise: grid=(n+127)/128 block=128 n=131072 radius=12 most=400 steps=[n]
extern "C" __global__ void walk_out(int n, int radius, int most, int *__restrict__ steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, x = 0, y = 0, k = 0;
  if (i >= n) return;
  quad s = start(i);
  unsigned bits = 0;
  while (k < most && x * x + y * y < radius * radius) {
    if (k % 16 == 0) bits = xorshift128(s);
    int d = 1 - (int)(bits & 2u);
    if (bits & 1u)
      x += d;
    else
      y += d;
    bits >>= 2, k++;
  }
  steps[i] = k;
}

// Barrier option by paths, antithetic pairs, sums per block.
// warpwise: grid=(paths+255)/256 block=256 paths=65536 steps=52 barrier=130.0 sum=[(paths+31)/32]
extern "C" __global__ void barrier_paths(int paths, int steps, float barrier, float *__restrict__ sum) {
  __shared__ float part[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float pay = 0.0f;
  if (i < paths) {
    quad s = start(i);
    float a = 100.0f, b = 100.0f;
    bool outa = false, outb = false;
    for (int k = 0; k < steps; k++) {
      float u = (xorshift128(s) + 1.0f) * 2.3283064e-10f, v = xorshift128(s) * 2.3283064e-10f;
      float z = 0.028f * sqrtf(-2.0f * __logf(u)) * __cosf(6.2831853f * v);
      a *= __expf(0.0004f + z), b *= __expf(0.0004f - z);
      outa |= a > barrier, outb |= b > barrier;
    }
    pay = 0.5f * ((outa ? 0.0f : fmaxf(a - 100.0f, 0.0f)) + (outb ? 0.0f : fmaxf(b - 100.0f, 0.0f)));
  }
  for (int d = 16; d > 0; d >>= 1) pay += __shfl_down_sync(0xffffffffu, pay, d);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = pay;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int k = 0; k < blockDim.x / 32; k++) total += part[k];
    sum[blockIdx.x] = total;
  }
}

// Photons in layers: free paths, scattering, roulette; everything depends on the dice.
// warpwise: grid=(n+127)/128 block=128 n=65536 most=200 layers=8 scatter=[layers] absorb=[layers] depth=[64]:zeros
extern "C" __global__ void photon_layers(int n, int most, int layers, const float *__restrict__ scatter, const float *__restrict__ absorb, unsigned *depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  quad s = start(i * 3 + 1);
  float z = 0.0f, cosine = 1.0f, weight = 1.0f;
  for (int k = 0; k < most && z >= 0.0f && z < layers; k++) {
    int layer = min((int)z, layers - 1);
    float us = 2.0f + 8.0f * scatter[layer], ua = absorb[layer], total = us + ua;
    z -= cosine * __logf((xorshift128(s) + 1.0f) * 2.3283064e-10f) / total;
    weight *= us / total;
    cosine = 2.0f * (xorshift128(s) * 2.3283064e-10f) - 1.0f;
    if (weight < 0.01f) {
      if (xorshift128(s) > 429496730u) break;
      weight *= 10.0f;
    }
  }
  int bin = (int)(z * 64.0f / layers);
  if (bin >= 0 && bin < 64) atomicAdd(&depth[bin], 1u);
}

// Metropolis chains of a double-well energy: a chain per thread, acceptance tests diverge.
// warpwise: grid=(chains+127)/128 block=128 chains=65536 steps=200 step=0.5 beta=2.0 mean=[chains] accepted=[chains]
extern "C" __global__ void metropolis(int chains, int steps, float step, float beta, float *__restrict__ mean, int *__restrict__ accepted) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, hits = 0;
  if (i >= chains) return;
  quad s = start(i);
  float x = 0.1f, e = (x * x - 1.0f) * (x * x - 1.0f), sum = 0.0f;
  for (int k = 0; k < steps; k++) {
    float y = x + step * (xorshift128(s) * 4.6566129e-10f - 1.0f), f = (y * y - 1.0f) * (y * y - 1.0f);
    if (f < e || xorshift128(s) * 2.3283064e-10f < __expf(beta * (e - f))) x = y, e = f, hits++;
    sum += x;
  }
  mean[i] = sum / steps, accepted[i] = hits;
}
