// Lattice Boltzmann in other layouts and models, and a lattice gas in bits.

__device__ float equilibrium(int ex, int ey, float w, float rho, float ux, float uy, float u2) {
  float eu = ex * ux + ey * uy;
  return w * rho * (1.0f + 3.0f * eu + 4.5f * eu * eu - 1.5f * u2);
}

// Push: collide what lies here, send it to the neighbours; writes are shifted. Obstacles send back.
// warpwise: grid=(w+127)/128,h block=128 w=1024 h=1024 omega=1.4 solid=[w*h]:uniform(0,2) in=[9*w*h] out=[9*w*h]
extern "C" __global__ void d2q9_push(int w, int h, float omega, const unsigned char *__restrict__ solid, const float *__restrict__ in, float *__restrict__ out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, n = w * h;
  if (x >= w || y >= h) return;
  int at = y * w + x;
  float f[9];
#pragma unroll
  for (int k = 0; k < 9; k++) f[k] = in[(size_t)k * n + at];
  if (!solid[at]) {
    float rho = f[0] + f[1] + f[2] + f[3] + f[4] + f[5] + f[6] + f[7] + f[8] + 1e-6f;
    float ux = (f[1] + f[5] + f[8] - f[3] - f[6] - f[7]) / rho, uy = (f[2] + f[5] + f[6] - f[4] - f[7] - f[8]) / rho, u2 = ux * ux + uy * uy;
    f[0] += omega * (equilibrium(0, 0, 4 / 9.0f, rho, ux, uy, u2) - f[0]);
    f[1] += omega * (equilibrium(1, 0, 1 / 9.0f, rho, ux, uy, u2) - f[1]);
    f[2] += omega * (equilibrium(0, 1, 1 / 9.0f, rho, ux, uy, u2) - f[2]);
    f[3] += omega * (equilibrium(-1, 0, 1 / 9.0f, rho, ux, uy, u2) - f[3]);
    f[4] += omega * (equilibrium(0, -1, 1 / 9.0f, rho, ux, uy, u2) - f[4]);
    f[5] += omega * (equilibrium(1, 1, 1 / 36.0f, rho, ux, uy, u2) - f[5]);
    f[6] += omega * (equilibrium(-1, 1, 1 / 36.0f, rho, ux, uy, u2) - f[6]);
    f[7] += omega * (equilibrium(-1, -1, 1 / 36.0f, rho, ux, uy, u2) - f[7]);
    f[8] += omega * (equilibrium(1, -1, 1 / 36.0f, rho, ux, uy, u2) - f[8]);
  } else {
    float t = f[1];
    f[1] = f[3], f[3] = t, t = f[2], f[2] = f[4], f[4] = t;
    t = f[5], f[5] = f[7], f[7] = t, t = f[6], f[6] = f[8], f[8] = t;
  }
  int e = x + 1 < w ? x + 1 : 0, v = x > 0 ? x - 1 : w - 1, up = (y + 1 < h ? y + 1 : 0) * w, dn = (y > 0 ? y - 1 : h - 1) * w, row = y * w;
  out[at] = f[0];
  out[(size_t)n + row + e] = f[1], out[(size_t)2 * n + up + x] = f[2], out[(size_t)3 * n + row + v] = f[3], out[(size_t)4 * n + dn + x] = f[4];
  out[(size_t)5 * n + up + e] = f[5], out[(size_t)6 * n + up + v] = f[6], out[(size_t)7 * n + dn + v] = f[7], out[(size_t)8 * n + dn + e] = f[8];
}

// Array of structures: nine numbers of a node lie together, lanes are 36 bytes apart.
// warpwise: grid=(w*h+127)/128 block=128 w=512 h=512 omega=1.1 in=[9*w*h] out=[9*w*h]
extern "C" __global__ void d2q9_nodes(int w, int h, float omega, const float *in, float *out) {
  const int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= w * h) return;
  int x = at % w, y = at / w;
  float f[9], rho = 1e-6f, ux = 0.0f, uy = 0.0f;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    f[k] = in[((y - ey[k] + h) % h * w + (x - ex[k] + w) % w) * 9 + k];
    rho += f[k], ux += ex[k] * f[k], uy += ey[k] * f[k];
  }
  ux /= rho, uy /= rho;
#pragma unroll
  for (int k = 0; k < 9; k++)
    out[at * 9 + k] = f[k] + omega * (equilibrium(ex[k], ey[k], k == 0 ? 4 / 9.0f : k < 5 ? 1 / 9.0f : 1 / 36.0f, rho, ux, uy, ux * ux + uy * uy) - f[k]);
}

// Two relaxation times, moments kept beside: reads nine, writes nine and three.
// warpwise: grid=(w+63)/64,(h+3)/4 block=64,4 w=1024 h=512 plus=1.6 minus=1.1 in=[9*w*h] out=[9*w*h] rho=[w*h] u=f32[w*h*2]
extern "C" __global__ void d2q9_two_times(int w, int h, float plus, float minus, const float *__restrict__ in, float *__restrict__ out, float *__restrict__ rho, float2 *__restrict__ u) {
  int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= w || y >= h) return;
  size_t n = (size_t)w * h, at = (size_t)y * w + x;
  int l = x ? x - 1 : w - 1, r = x + 1 < w ? x + 1 : 0, d = y ? y - 1 : h - 1, t = y + 1 < h ? y + 1 : 0;
  float f0 = in[at], f1 = in[n + (size_t)y * w + l], f2 = in[2 * n + (size_t)d * w + x], f3 = in[3 * n + (size_t)y * w + r], f4 = in[4 * n + (size_t)t * w + x];
  float f5 = in[5 * n + (size_t)d * w + l], f6 = in[6 * n + (size_t)d * w + r], f7 = in[7 * n + (size_t)t * w + r], f8 = in[8 * n + (size_t)t * w + l];
  float m = f0 + f1 + f2 + f3 + f4 + f5 + f6 + f7 + f8, inv = 1.0f / (m + 1e-6f);
  float ux = (f1 - f3 + f5 - f6 - f7 + f8) * inv, uy = (f2 - f4 + f5 + f6 - f7 - f8) * inv, u2 = 1.5f * (ux * ux + uy * uy);
  rho[at] = m, u[at] = make_float2(ux, uy);
  out[at] = f0 + plus * (4 / 9.0f * m * (1.0f - u2) - f0);
  float pair[4][2] = {{f1, f3}, {f2, f4}, {f5, f7}, {f6, f8}}, eu[4] = {ux, uy, ux + uy, uy - ux};
  const int id[4][2] = {{1, 3}, {2, 4}, {5, 7}, {6, 8}};
#pragma unroll
  for (int k = 0; k < 4; k++) {
    float wgt = (k < 2 ? 1 / 9.0f : 1 / 36.0f) * m, even = wgt * (1.0f + 4.5f * eu[k] * eu[k] - u2), odd = 3.0f * wgt * eu[k];
    float p = plus * (even - 0.5f * (pair[k][0] + pair[k][1])), q = minus * (odd - 0.5f * (pair[k][0] - pair[k][1]));
    out[id[k][0] * n + at] = pair[k][0] + p + q;
    out[id[k][1] * n + at] = pair[k][1] + p - q;
  }
}

__constant__ signed char dir19[19][3] = {{0, 0, 0},  {1, 0, 0},   {-1, 0, 0}, {0, 1, 0},  {0, -1, 0}, {0, 0, 1},   {0, 0, -1}, {1, 1, 0},  {-1, -1, 0}, {1, -1, 0},
                                         {-1, 1, 0}, {1, 0, 1},   {-1, 0, -1}, {1, 0, -1}, {-1, 0, 1}, {0, 1, 1},   {0, -1, -1}, {0, 1, -1}, {0, -1, 1}};

// Three dimensions, 19 directions, pull, periodic; a block is a line of 64.
// warpwise: grid=(n+63)/64,n,n block=64 n=128 omega=1.3 in=[19*n*n*n] out=[19*n*n*n]
extern "C" __global__ void d3q19_pull(int n, float omega, const float *__restrict__ in, float *__restrict__ out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z;
  if (x >= n) return;
  size_t cells = (size_t)n * n * n, at = ((size_t)z * n + y) * n + x;
  float f[19], rho = 1e-6f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
  for (int k = 0; k < 19; k++) {
    int sx = x - dir19[k][0], sy = y - dir19[k][1], sz = z - dir19[k][2];
    sx = sx < 0 ? n - 1 : sx == n ? 0 : sx, sy = sy < 0 ? n - 1 : sy == n ? 0 : sy, sz = sz < 0 ? n - 1 : sz == n ? 0 : sz;
    f[k] = in[k * cells + ((size_t)sz * n + sy) * n + sx];
    rho += f[k], ux += dir19[k][0] * f[k], uy += dir19[k][1] * f[k], uz += dir19[k][2] * f[k];
  }
  float inv = 1.0f / rho;
  ux *= inv, uy *= inv, uz *= inv;
  float u2 = 1.5f * (ux * ux + uy * uy + uz * uz);
#pragma unroll
  for (int k = 0; k < 19; k++) {
    float eu = 3.0f * (dir19[k][0] * ux + dir19[k][1] * uy + dir19[k][2] * uz), w = k == 0 ? 1 / 3.0f : k < 7 ? 1 / 18.0f : 1 / 36.0f;
    out[k * cells + at] = f[k] + omega * (w * rho * (1.0f + eu + 0.5f * eu * eu - u2) - f[k]);
  }
}

// Lattice gas on a square grid, a bit per direction and cell, 32 cells a word: collisions are logic.
// warpwise: grid=(words*h+255)/256 block=256 words=128 h=4096 in=[4*words*h] out=[4*words*h]
extern "C" __global__ void lattice_gas(int words, int h, const unsigned *__restrict__ in, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, n = words * h;
  if (i >= n) return;
  int x = i % words, y = i / words, l = x ? i - 1 : i + words - 1, r = x + 1 < words ? i + 1 : i - words + 1;
  int up = y + 1 < h ? i + words : x, dn = y ? i - words : x + (h - 1) * words;
  unsigned e = in[i] << 1 | in[l] >> 31, w = in[n + i] >> 1 | in[n + r] << 31, s = in[2 * n + up], t = in[3 * n + dn];
  unsigned head = (e & w & ~s & ~t) | (s & t & ~e & ~w);
  out[i] = e ^ head, out[n + i] = w ^ head, out[2 * n + i] = s ^ head, out[3 * n + i] = t ^ head;
}
