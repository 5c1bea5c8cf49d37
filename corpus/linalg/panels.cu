// Factorisations in doubles: the steps of large ones, and whole small ones by the thousand.

// Four steps of elimination at once: rows k to k + 3 are done, their factors stand in the same columns of the rest.
// warpwise: grid=(n+31)/32,(n+7)/8 block=32,8 n=1024 k=100 a=f64[n*n]
extern "C" __global__ void lu_update4(int n, int k, double *a) {
  __shared__ double up[4][32], left[8][4];
  int tx = threadIdx.x, ty = threadIdx.y, c = k + 4 + blockIdx.x * 32 + tx, r = k + 4 + blockIdx.y * 8 + ty;
  if (ty < 4 && c < n) up[ty][tx] = a[(size_t)(k + ty) * n + c];
  if (tx < 4 && r < n) left[ty][tx] = a[(size_t)r * n + k + tx];
  __syncthreads();
  if (c >= n || r >= n) return;
  double s = a[(size_t)r * n + c];
#pragma unroll
  for (int j = 0; j < 4; j++) s -= left[ty][j] * up[j][tx];
  a[(size_t)r * n + c] = s;
}

// The factors of a column, packed for the update that follows, and how large they grew. Elements are a row apart.
// warpwise: grid=(n+127)/128 block=128 n=4096 k=10 a=f64[n*n]:uniform(1,2) packed=f64[n] most=u64[1]:zeros
extern "C" __global__ void column_factors(int n, int k, const double *a, double *packed, unsigned long long *most) {
  int r = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
  double v = 0.0, inv = 1.0 / a[(size_t)k * n + k];
  if (r < n) packed[r] = v = a[(size_t)r * n + k] * inv;
  for (int d = 16; d > 0; d >>= 1) v = fmax(fabs(v), fabs(__shfl_xor_sync(0xffffffffu, v, d)));
  if (threadIdx.x % 32 == 0) atomicMax(most, (unsigned long long)__double_as_longlong(v));
}

// Which row has the largest element in column k: one block.
// warpwise: grid=1 block=512 n=4096 k=10 a=f64[n*n] pivot=i32[1]
extern "C" __global__ void pivot_row(int n, int k, const double *a, int *pivot) {
  __shared__ double best[512];
  __shared__ int where[512];
  int t = threadIdx.x, at = k;
  double most = -1.0;
  for (int r = k + t; r < n; r += 512) {
    double v = fabs(a[(size_t)r * n + k]);
    if (v > most) most = v, at = r;
  }
  best[t] = most, where[t] = at;
  for (int d = 256; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d && best[t + d] > best[t]) best[t] = best[t + d], where[t] = where[t + d];
  }
  if (t == 0) *pivot = where[0];
}

// warpwise: grid=(n+255)/256 block=256 n=8192 pivots=32 pivot=i32[pivots]:uniform(0,n) a=f64[n*n]
extern "C" __global__ void swap_rows(int n, int pivots, const int *pivot, double *a) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  for (int k = 0; k < min(pivots, n); k++) {
    int p = pivot[k];
    double v = a[(size_t)k * n + c];
    a[(size_t)k * n + c] = a[(size_t)p * n + c], a[(size_t)p * n + c] = v;
  }
}

// A tall panel of 16 columns factored by one block, a row per thread and turn, the pivot row in shared memory.
// warpwise: grid=1 block=256 m=1024 a=f64[m*16]:uniform(1,2)
extern "C" __global__ void lu_panel16(int m, double *a) {
  __shared__ double top[16];
  for (int k = 0; k < min(16, m); k++) {
    if (threadIdx.x < 16) top[threadIdx.x] = a[k * 16 + threadIdx.x] + (threadIdx.x == k ? 16.0 : 0.0);
    __syncthreads();
    for (int r = k + 1 + threadIdx.x; r < m; r += 256) {
      double f = a[(size_t)r * 16 + k] / top[k];
      a[(size_t)r * 16 + k] = f;
      for (int c = k + 1; c < 16; c++) a[(size_t)r * 16 + c] -= f * top[c];
    }
    __syncthreads();
  }
}

// A triangle of 32 against many right-hand sides, a thread each; the triangle in shared memory, x in registers.
// warpwise: grid=(n+63)/64 block=64 n=16384 l=f64[1024]:uniform(1,2) b=f64[32*n]
extern "C" __global__ void trsm32(int n, const double *l, double *b) {
  __shared__ double s[32][32];
  for (int k = threadIdx.x; k < 1024; k += blockDim.x) s[k / 32][k % 32] = l[k];
  __syncthreads();
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  double x[32];
#pragma unroll
  for (int r = 0; r < 32; r++) {
    double v = b[(size_t)r * n + c];
#pragma unroll
    for (int k = 0; k < r; k++) v -= s[r][k] * x[k];
    x[r] = v / s[r][r];
    b[(size_t)r * n + c] = x[r];
  }
}

// Forward substitution by one block: a column is taken off the rest as soon as its unknown is known.
// warpwise: grid=1 block=256 n=512 l=f64[n*n]:uniform(1,2) b=f64[n]
extern "C" __global__ void trsv_columns(int n, const double *l, double *b) {
  for (int k = 0; k < n; k++) {
    if (threadIdx.x == 0) b[k] /= l[(size_t)k * n + k] + n;
    __syncthreads();
    double x = b[k];
    for (int r = k + 1 + threadIdx.x; r < n; r += 256) b[r] -= x * l[(size_t)r * n + k];
    __syncthreads();
  }
}

// Symmetric positive definite, 32 x 32, a block each: the lower triangle in shared memory. The diagonal is made heavy.
// warpwise: grid=batch block=32,8 batch=2048 a=f64[batch*1024]
extern "C" __global__ void cholesky32(int batch, double *a) {
  __shared__ double s[32][33];
  if (blockIdx.x >= batch) return;
  int tx = threadIdx.x, ty = threadIdx.y;
  double *mine = a + (size_t)blockIdx.x * 1024;
  for (int r = ty; r < 32; r += 8) s[r][tx] = mine[r * 32 + tx] + (r == tx ? 32.0 : 0.0);
  __syncthreads();
  for (int k = 0; k < 32; k++) {
    double d = sqrt(s[k][k]);
    __syncthreads();
    if (ty == 0 && tx >= k) s[tx][k] = tx == k ? d : s[tx][k] / d;
    __syncthreads();
    for (int r = k + 1 + ty; r < 32; r += 8)
      if (tx > k && tx <= r) s[r][tx] -= s[r][k] * s[tx][k];
    __syncthreads();
  }
  for (int r = ty; r < 32; r += 8) mine[r * 32 + tx] = tx <= r ? s[r][tx] : 0.0;
}

// 6 x 6 in registers, a matrix per thread, the packed triangles laid out across the batch; solves for one vector.
// warpwise: grid=(batch+127)/128 block=128 batch=65536 a=f32[batch*21] b=f32[batch*6]
extern "C" __global__ void cholesky6_solve(int batch, const float *a, float *b) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch) return;
  float l[6][6], x[6];
#pragma unroll
  for (int r = 0, at = 0; r < 6; r++) {
#pragma unroll
    for (int c = 0; c <= r; c++, at++) {
      float v = a[(size_t)at * batch + i] + (r == c ? 6.0f : 0.0f);
#pragma unroll
      for (int k = 0; k < c; k++) v -= l[r][k] * l[c][k];
      l[r][c] = r == c ? rsqrtf(v) : v * l[c][c]; // the diagonal is kept inverted
    }
    float y = b[(size_t)r * batch + i];
#pragma unroll
    for (int k = 0; k < r; k++) y -= l[r][k] * x[k];
    x[r] = y * l[r][r];
  }
#pragma unroll
  for (int r = 5; r >= 0; r--) {
#pragma unroll
    for (int k = r + 1; k < 6; k++) x[r] -= l[k][r] * x[k];
    x[r] *= l[r][r];
    b[(size_t)r * batch + i] = x[r];
  }
}

// 32 x 32 without pivots, a warp each: a lane holds a row in registers, the pivot row goes round by shuffle.
// warpwise: grid=(batch+3)/4 block=128 batch=4096 a=f32[batch*1024]
extern "C" __global__ void lu32_warp(int batch, float *a) {
  int m = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (m >= batch) return;
  float row[32], *mine = a + (size_t)m * 1024; // column-major: lanes read neighbours
#pragma unroll
  for (int c = 0; c < 32; c++) row[c] = mine[c * 32 + lane] + (c == lane ? 32.0f : 0.0f);
#pragma unroll
  for (int k = 0; k < 32; k++) {
    float pivot = __shfl_sync(0xffffffffu, row[k], k), f = lane > k ? row[k] / pivot : 0.0f;
#pragma unroll
    for (int c = k + 1; c < 32; c++) row[c] -= f * __shfl_sync(0xffffffffu, row[c], k);
    if (lane > k) row[k] = f;
  }
#pragma unroll
  for (int c = 0; c < 32; c++) mine[c * 32 + lane] = row[c];
}

// A sweep of rotations over neighbouring rows, a thread to a column: a row is carried down in a register.
// warpwise: grid=(n+127)/128 block=128 m=256 n=16384 cs=f64[m] sn=f64[m] a=f64[m*n]
extern "C" __global__ void rotate_rows(int m, int n, const double *cs, const double *sn, double *a) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= n) return;
  double up = a[c];
  for (int r = 1; r < m; r++) {
    double low = a[(size_t)r * n + c];
    a[(size_t)(r - 1) * n + c] = cs[r] * up + sn[r] * low;
    up = cs[r] * low - sn[r] * up;
  }
  a[(size_t)(m - 1) * n + c] = up;
}

// QR of 6 x 6 by rotations, a matrix per thread in local memory; R is left.
// warpwise: grid=(batch+127)/128 block=128 batch=32768 a=f64[batch*36]:uniform(1,2)
extern "C" __global__ void givens6(int batch, double *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch) return;
  double m[6][6];
  for (int k = 0; k < 36; k++) m[k / 6][k % 6] = a[(size_t)k * batch + i];
  for (int c = 0; c < 5; c++)
    for (int r = 5; r > c; r--) {
      double x = m[r - 1][c], y = m[r][c], inv = rsqrt(x * x + y * y), cs = x * inv, sn = y * inv;
      for (int k = c; k < 6; k++) {
        double u = m[r - 1][k], v = m[r][k];
        m[r - 1][k] = cs * u + sn * v, m[r][k] = cs * v - sn * u;
      }
    }
  for (int k = 0; k < 36; k++) a[(size_t)k * batch + i] = m[k / 6][k % 6];
}

// A -= beta v (v^T A): a block takes 32 columns, adds up the products down them, and goes over them again.
// warpwise: grid=(n+31)/32 block=32,16 m=1024 n=2048 beta=0.001 v=f64[m] a=f64[m*n]
extern "C" __global__ void reflect(int m, int n, double beta, const double *v, double *a) {
  __shared__ double s[16][33];
  int c = blockIdx.x * 32 + threadIdx.x;
  double dot = 0.0;
  if (c < n)
    for (int r = threadIdx.y; r < m; r += 16) dot += v[r] * a[(size_t)r * n + c];
  s[threadIdx.y][threadIdx.x] = dot;
  __syncthreads();
  dot = 0.0;
  for (int j = 0; j < 16; j++) dot += s[j][threadIdx.x];
  if (c < n)
    for (int r = threadIdx.y; r < m; r += 16) a[(size_t)r * n + c] -= beta * v[r] * dot;
}

// Tridiagonal systems, a thread each; systems side by side in memory.
// warpwise: grid=(systems+127)/128 block=128 systems=16384 n=64 low=f64[systems*n] mid=f64[systems*n]:uniform(4,5) up=f64[systems*n] d=f64[systems*n]
extern "C" __global__ void thomas(int systems, int n, const double *low, const double *mid, double *up, double *d) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  double c = 0.0, y = 0.0;
  for (int k = 0; k < n; k++) {
    size_t i = (size_t)k * systems + s;
    double f = 1.0 / (mid[i] - low[i] * c);
    c = up[i] * f, y = (d[i] - low[i] * y) * f;
    up[i] = c, d[i] = y;
  }
  for (int k = n - 2; k >= 0; k--) {
    size_t i = (size_t)k * systems + s;
    y = d[i] - up[i] * y;
    d[i] = y;
  }
}

// The same with each system's numbers together: every load is its own sector.
// warpwise: grid=(systems+127)/128 block=128 systems=16384 n=64 low=f32[systems*n] mid=f32[systems*n]:uniform(4,5) up=f32[systems*n] d=f32[systems*n]
extern "C" __global__ void thomas_apart(int systems, int n, const float *low, const float *mid, float *up, float *d) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  size_t at = (size_t)s * n;
  float c = 0.0f, y = 0.0f;
  for (int k = 0; k < n; k++) {
    float f = 1.0f / (mid[at + k] - low[at + k] * c);
    c = up[at + k] * f, y = (d[at + k] - low[at + k] * y) * f;
    up[at + k] = c, d[at + k] = y;
  }
  for (int k = n - 2; k >= 0; k--) d[at + k] -= up[at + k] * d[at + k + 1];
}

// 256 equations to a block: neighbours at growing distance are eliminated until every equation stands alone.
// warpwise: grid=systems block=256 systems=4096 low=f64[systems*256] mid=f64[systems*256]:uniform(4,5) up=f64[systems*256] d=f64[systems*256]
extern "C" __global__ void parallel_reduction256(int systems, const double *low, const double *mid, const double *up,
                                                 double *d) {
  __shared__ double a[256], c[256], r[256];
  if (blockIdx.x >= systems) return;
  int t = threadIdx.x;
  size_t i = (size_t)blockIdx.x * 256 + t;
  double f = 1.0 / mid[i], l = t > 0 ? low[i] * f : 0.0, u = t < 255 ? up[i] * f : 0.0, y = d[i] * f;
  for (int far = 1; far < 256; far *= 2) {
    a[t] = l, c[t] = u, r[t] = y;
    __syncthreads();
    double la = 0.0, lc = 0.0, lr = 0.0, ra = 0.0, rc = 0.0, rr = 0.0;
    if (t >= far) la = a[t - far], lc = c[t - far], lr = r[t - far];
    if (t + far < 256) ra = a[t + far], rc = c[t + far], rr = r[t + far];
    f = 1.0 / (1.0 - l * lc - u * ra);
    y = (y - l * lr - u * rr) * f, l = -l * la * f, u = -u * rc * f;
    __syncthreads();
  }
  d[i] = y;
}

// Eigenvalues of symmetric 3 x 3 matrices in closed form.
// warpwise: grid=(n+255)/256 block=256 n=1<<19 a=f32[n*6] e=f32[n*3]
extern "C" __global__ void eigen3(int n, const float *a, float *e) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float xx = a[i], yy = a[i + n], zz = a[i + 2 * n], xy = a[i + 3 * n], xz = a[i + 4 * n], yz = a[i + 5 * n];
  float m = (xx + yy + zz) * (1.0f / 3.0f), u = xx - m, v = yy - m, w = zz - m;
  float p = sqrtf((u * u + v * v + w * w + 2.0f * (xy * xy + xz * xz + yz * yz)) * (1.0f / 6.0f)) + 1e-12f;
  float det = u * (v * w - yz * yz) - xy * (xy * w - yz * xz) + xz * (xy * yz - v * xz);
  float angle = acosf(fminf(fmaxf(det / (2.0f * p * p * p), -1.0f), 1.0f)) * (1.0f / 3.0f);
  float big = m + 2.0f * p * cosf(angle), small = m + 2.0f * p * cosf(angle + 2.0943951f);
  e[i] = big, e[i + n] = 3.0f * m - big - small, e[i + 2 * n] = small;
}

// Everything a step of conjugate gradients does to its vectors, and the new residual's square.
// warpwise: grid=264 block=256 n=1<<20 alpha=0.3 p=f64[n] q=f64[n] x=f64[n] r=f64[n] rr=f64[1]:zeros
extern "C" __global__ void gradient_step(int n, double alpha, const double *p, const double *q, double *x, double *r,
                                         double *rr) {
  double s = 0.0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    double v = r[i] - alpha * q[i];
    r[i] = v, s += v * v;
  }
  for (int d = 16; d > 0; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
  if (threadIdx.x % 32 == 0) atomicAdd(rr, s);
}
