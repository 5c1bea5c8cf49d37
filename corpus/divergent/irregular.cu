// Lanes of a warp that part ways: rays, programs, trees, searches.

// Mandelbrot by as many blocks as the machine holds; each walks over tiles of 16x16, the grid's width apart.
// warpwise: grid=blocks block=256 blocks=264 n=1024 most=400 out=[n*n]
extern "C" __global__ void mandelbrot_persistent(int blocks, int n, int most, unsigned short *__restrict__ out) {
  int across = n / 16;
  for (int tile = blockIdx.x; tile < across * across; tile += gridDim.x) {
    int x = tile % across * 16 + threadIdx.x % 16, y = tile / across * 16 + threadIdx.x / 16 % 16, k = 0;
    float cr = -2.0f + 2.6f * x / n, ci = -1.3f + 2.6f * y / n, zr = 0.0f, zi = 0.0f, a = 0.0f, b = 0.0f;
    for (; k < most && a + b < 4.0f; k++) zi = 2.0f * zr * zi + ci, zr = a - b + cr, a = zr * zr, b = zi * zi;
    out[(size_t)y * n + x] = (unsigned short)k;
  }
}

// Julia set, tests every fourth iteration only: less control, a little more arithmetic.
// warpwise: grid=(n+31)/32,(n+7)/8 block=32,8 n=2048 most=128 cr=-0.79 ci=0.15 out=[n*n]
extern "C" __global__ void julia_by4(int n, int most, float cr, float ci, unsigned char *__restrict__ out) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, k = 0;
  if (x >= n || y >= n) return;
  float zr = -1.5f + 3.0f * x / n, zi = -1.5f + 3.0f * y / n;
  while (k < most) {
    float r = zr, i = zi;
#pragma unroll
    for (int j = 0; j < 4; j++) {
      float t = zr * zr - zi * zi + cr;
      zi = 2.0f * zr * zi + ci, zr = t;
    }
    if (!(zr * zr + zi * zi < 4.0f)) {
      while (r * r + i * i < 4.0f && k < most) {
        float t = r * r - i * i + cr;
        i = 2.0f * r * i + ci, r = t, k++;
      }
      break;
    }
    k += 4;
  }
  out[(size_t)y * n + x] = (unsigned char)min(k, 255);
}

// Two coupled pendulums in double precision, a starting point per thread, until one turns over: a map of chaos.
// warpwise: grid=(n+15)/16,(n+15)/16 block=16,16 n=128 most=60 dt=0.05 out=[n*n]
extern "C" __global__ void pendulum_flips(int n, int most, double dt, unsigned short *__restrict__ out) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, k = 0;
  if (x >= n || y >= n) return;
  double a = -3.1 + 6.2 * x / n, b = -3.1 + 6.2 * y / n, va = 0.0, vb = 0.0;
  for (; k < most && fabs(a) < 3.14159 && fabs(b) < 3.14159; k++) {
    double s = sin(a - b), c = cos(a - b), den = 2.0 - c * c, ga = -2.0 * sin(a), gb = -sin(b);
    double fa = (ga + c * (sin(b) - va * va * s) - vb * vb * s) / den, fb = (2.0 * (va * va * s + gb + c * sin(a)) + vb * vb * s * c) / den;
    va += dt * fa, vb += dt * fb, a += dt * va, b += dt * vb;
  }
  out[(size_t)y * n + x] = (unsigned short)k;
}

// Rays marched through a field of repeated spheres and a floor.
// warpwise: grid=(w+31)/32,(h+3)/4 block=32,4 w=960 h=540 most=96 far=40.0 depth=[w*h]
extern "C" __global__ void march_spheres(int w, int h, int most, float far, float *__restrict__ depth) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
  if (x >= w || y >= h) return;
  float dx = (x - 0.5f * w) / h, dy = (y - 0.5f * h) / h, inv = rsqrtf(dx * dx + dy * dy + 1.0f), t = 0.0f;
  dx *= inv, dy *= inv;
  for (int k = 0; k < most && t < far; k++) {
    float px = t * dx, py = 1.0f + t * dy, pz = t * inv;
    float rx = px - 4.0f * rintf(px * 0.25f), rz = pz - 4.0f * rintf(pz * 0.25f);
    float d = fminf(sqrtf(rx * rx + py * py + rz * rz) - 0.9f, py + 1.5f);
    if (d < 0.001f * t) break;
    t += d;
  }
  depth[(size_t)y * w + x] = t;
}

// A small stack machine: every thread runs its own program of byte-code on its own number.
// warpwise: grid=(n+127)/128 block=128 n=65536 programs=64 len=48 code=[programs*len]:uniform(0,9) x=[n]:uniform(1,1000) out=[n]
extern "C" __global__ void byte_code(int n, int programs, int len, const unsigned char *__restrict__ code, const unsigned *__restrict__ x, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *p = code + (size_t)(i * 7 % programs) * len;
  unsigned a = x[i], b = i, c = 1;
  for (int pc = 0; pc < len; pc++) {
    switch (p[pc]) {
    case 0: a += b; break;
    case 1: a -= c; break;
    case 2: a *= 2654435769u; break;
    case 3: b ^= a << 7; break;
    case 4: c = a % (b | 1u); break;
    case 5: { unsigned t = a; a = b, b = c, c = t; } break;
    case 6: if (a & 1u) pc++; break;
    case 7: a = a >> 3 | a << 29; break;
    default: b += __popc(a); break;
    }
  }
  out[i] = a ^ b ^ c;
}

// The same machine with the whole warp on one program: uniform branches.
// warpwise: grid=(n+127)/128 block=128 n=131072 programs=64 len=48 code=[programs*len]:uniform(0,9) x=[n]:uniform(1,1000) out=[n]
extern "C" __global__ void byte_code_warp(int n, int programs, int len, const unsigned char *__restrict__ code, const unsigned *__restrict__ x, unsigned *__restrict__ out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned char *p = code + (size_t)(i / 32 % programs) * len;
  unsigned a = x[i], b = i, c = 1;
  for (int pc = 0; pc < len; pc++) {
    unsigned op = p[pc];
    if (op == 0) a += b;
    else if (op == 1) a -= c;
    else if (op == 2) a *= 2654435769u;
    else if (op == 3) b ^= a << 7;
    else if (op == 4) c = __umulhi(a, b);
    else if (op == 5) a = a >> 3 | a << 29;
    else b += __popc(a ^ c);
  }
  out[i] = a ^ b ^ c;
}

// Descent in a quad-tree given as children of four: points stop at leaves of any depth.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 nodes=65536 child=[nodes*4]:uniform(-20000,nodes) x=[n] y=[n] leaf=[n]
extern "C" __global__ void quadtree_descend(int n, int nodes, const int *__restrict__ child, const float *__restrict__ x, const float *__restrict__ y, int *__restrict__ leaf) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, node = 0, depth = 0;
  if (i >= n) return;
  float px = x[i], py = y[i];
  for (; depth < 24; depth++) {
    px *= 2.0f, py *= 2.0f;
    int qx = px >= 1.0f, qy = py >= 1.0f;
    px -= qx, py -= qy;
    int next = child[node * 4 + qy * 2 + qx];
    if (next < 0) break;
    node = next;
  }
  leaf[i] = node * 32 + depth;
}

// A forest of decision trees, each a heap of 2^depth: 16 bytes of features a row.
// warpwise: grid=(rows+127)/128 block=128 rows=65536 trees=32 depth=8 feature=[trees<<depth]:uniform(0,16) cut=[trees<<depth]:uniform(0,256) x=[rows*16]:uniform(0,256) score=[rows]
extern "C" __global__ void forest_score(int rows, int trees, int depth, const unsigned char *__restrict__ feature, const unsigned char *__restrict__ cut, const unsigned char *__restrict__ x, int *__restrict__ score) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  if (r >= rows) return;
  for (int t = 0; t < trees; t++) {
    int node = 1;
    for (int d = 0; d < depth - 1; d++) {
      int at = (t << depth) + node;
      node = 2 * node + (x[(size_t)feature[at] * rows + r] > cut[at]);
    }
    sum += node & 1 ? 1 : -1;
  }
  score[r] = sum;
}

// Trial division with an early exit: neighbours have very different work.
// warpwise: grid=(n+127)/128 block=128 n=131072 first=1000001 smallest=[n]
extern "C" __global__ void smallest_factor(int n, unsigned first, unsigned *__restrict__ smallest) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned v = first + 2 * i, f = v;
  for (unsigned d = 3; d * d <= v; d += 2)
    if (v % d == 0) {
      f = d;
      break;
    }
  smallest[i] = f;
}

// Queens on a board, the first two rows given by the thread, the rest by backtracking over bits.
// warpwise: grid=(size*size+63)/64 block=64 size=10 count=[size*size]
extern "C" __global__ void queens_backtrack(int size, int *__restrict__ count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size * size) return;
  unsigned full = (1u << size) - 1u, a = 1u << i % size, b = 1u << i / size, found = 0;
  unsigned cols[16], left[16], right[16], open[16];
  int row = 2;
  if (!(b & (a | a << 1 | a >> 1))) {
    cols[2] = a | b, left[2] = (a << 1 | b) << 1, right[2] = (a >> 1 | b) >> 1;
    open[2] = full & ~(cols[2] | left[2] | right[2]);
    while (row >= 2) {
      if (!open[row]) {
        row--;
        continue;
      }
      unsigned bit = open[row] & -open[row];
      open[row] ^= bit;
      if (row == size - 1) {
        found++;
        continue;
      }
      cols[row + 1] = cols[row] | bit, left[row + 1] = (left[row] | bit) << 1, right[row + 1] = (right[row] | bit) >> 1;
      row++;
      open[row] = full & ~(cols[row] | left[row] | right[row]);
    }
  }
  count[i] = found;
}

// Inverses modulo a prime by Euclid's extended algorithm: divisions, as many as the numbers ask for.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 prime=2147483647 a=[n]:uniform(1,2000000000) inverse=[n]
extern "C" __global__ void modular_inverse(int n, int prime, const int *__restrict__ a, int *__restrict__ inverse) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int r = prime, s = a[i] % prime;
  long long u = 0, v = 1;
  while (s) {
    int q = r / s, t = r - q * s;
    long long w = u - q * v;
    r = s, s = t, u = v, v = w;
  }
  inverse[i] = (int)(u < 0 ? u + prime : u);
}
