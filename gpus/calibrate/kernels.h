// kernels.h - what `warpwise gpus calibrate` measures, as CUDA and as OpenCL C: kernels whose time one part of the
// machine decides (launching, DRAM, L2, waiting, arithmetic) and small ones of everyday code. launches.jsonl has the sizes.
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL __local
#define RESTRICT restrict
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LX ((int)get_local_id(0))
#define LY ((int)get_local_id(1))
#define BX ((int)get_group_id(0))
#define BY ((int)get_group_id(1))
#define X ((int)get_global_id(0))
#define Y ((int)get_global_id(1))
#define NX ((int)get_global_size(0))
#define ATOMIC_ADD(p, v) atomic_add(p, v)
#define EXP(x) exp(x)
#define SQRT(x) sqrt(x)
#else
#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL __shared__
#define RESTRICT __restrict__
#define BARRIER() __syncthreads()
#define LX ((int)threadIdx.x)
#define LY ((int)threadIdx.y)
#define BX ((int)blockIdx.x)
#define BY ((int)blockIdx.y)
#define X ((int)(blockIdx.x * blockDim.x + threadIdx.x))
#define Y ((int)(blockIdx.y * blockDim.y + threadIdx.y))
#define NX ((int)(gridDim.x * blockDim.x))
#define ATOMIC_ADD(p, v) atomicAdd(p, v)
#define EXP(x) expf(x)
#define SQRT(x) sqrtf(x)
#endif

// ---- launching ----
KERNEL void touch(int n, GLOBAL int *out) {
  int i = X;
  if (i < n) out[i] = i;
}

// ---- DRAM ----
KERNEL void copy(int n, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int i = X;
  if (i < n) y[i] = x[i];
}

KERNEL void triad(int n, float s, GLOBAL const float *RESTRICT x, GLOBAL const float *RESTRICT y, GLOBAL float *RESTRICT z) {
  int i = X;
  if (i < n) z[i] = x[i] + s * y[i];
}

KERNEL void total(int n, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT sums) {
  LOCAL float part[256];
  float mine = 0;
  for (int i = X; i < n; i += NX) mine += x[i];
  part[LX] = mine;
  BARRIER();
  for (int by = 128; by > 0; by /= 2) {
    if (LX < by) part[LX] += part[LX + by];
    BARRIER();
  }
  if (LX == 0) sums[BX] = part[0];
}

KERNEL void every(int n, int stride, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int i = X;
  if (i < n) y[i] = x[(long)i * stride];
}

KERNEL void gather(int n, GLOBAL const int *RESTRICT at, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int i = X;
  if (i < n) y[i] = x[at[i]];
}

KERNEL void stencil(int width, int height, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int c = X, r = Y;
  if (c < 1 || r < 1 || c >= width - 1 || r >= height - 1) return;
  int i = r * width + c;
  y[i] = 0.5f * x[i] + 0.125f * (x[i - 1] + x[i + 1] + x[i - width] + x[i + width]);
}

// ---- caches ----
KERNEL void again(int n, int rounds, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int i = X;
  float sum = 0;
  for (int r = 0; r < rounds; r++) sum += x[(i + r * 8192) % n];
  y[i] = sum;
}

KERNEL void transpose(int n, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  if (X < n && Y < n) y[(long)X * n + Y] = x[(long)Y * n + X];
}

KERNEL void transpose_tiled(int n, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  LOCAL float tile[16][17];
  if (X < n && Y < n) tile[LY][LX] = x[(long)Y * n + X];
  BARRIER();
  int c = BY * 16 + LX, r = BX * 16 + LY;
  if (c < n && r < n) y[(long)r * n + c] = tile[LX][LY];
}

// ---- waiting ----
KERNEL void follow(int steps, GLOBAL const int *RESTRICT next, GLOBAL int *RESTRICT out) {
  int at = X * 64;
  for (int k = 0; k < steps; k++) at = next[at];
  out[X] = at;
}

KERNEL void steps(int n, GLOBAL float *x) {
  LOCAL float part[256];
  int i = X;
  part[LX] = i < n ? x[i] : 0;
  BARRIER();
  for (int by = 1; by < 256; by *= 2) {
    float other = LX >= by ? part[LX - by] : 0;
    BARRIER();
    part[LX] += other;
    BARRIER();
  }
  if (i < n) x[i] = part[LX];
}

// ---- arithmetic ----
KERNEL void chain(int n, float a, GLOBAL float *x) {
  float v = x[X];
  for (int k = 0; k < n; k++) v = v * a + 0.5f;
  x[X] = v;
}

KERNEL void chains(int n, float a, GLOBAL float *x) {
  float p = x[X], q = p + 1, r = p + 2, s = p + 3;
  for (int k = 0; k < n; k++) {
    p = p * a + 0.5f;
    q = q * a + 0.5f;
    r = r * a + 0.5f;
    s = s * a + 0.5f;
  }
  x[X] = p + q + r + s;
}

KERNEL void scramble(int n, GLOBAL unsigned int *x) {
  unsigned int v = x[X];
  for (int k = 0; k < n; k++) {
    v ^= v << 13;
    v ^= v >> 17;
    v = (v ^ (v << 5)) + 0x9e3779b9u;
  }
  x[X] = v;
}

KERNEL void decay(int n, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT y) {
  int i = X;
  if (i >= n) return;
  float v = x[i];
  for (int k = 0; k < 16; k++) v = EXP(-v) / (1.0f + SQRT(v * v + 1.0f));
  y[i] = v;
}

// ---- everyday code ----
KERNEL void product(int n, GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b, GLOBAL float *RESTRICT c) {
  float sum = 0;
  if (X >= n || Y >= n) return;
  for (int k = 0; k < n; k++) sum += a[Y * n + k] * b[k * n + X];
  c[Y * n + X] = sum;
}

KERNEL void product_tiled(int n, GLOBAL const float *RESTRICT a, GLOBAL const float *RESTRICT b, GLOBAL float *RESTRICT c) {
  LOCAL float ta[16][16], tb[16][16];
  float sum = 0;
  for (int t = 0; t < n; t += 16) {
    ta[LY][LX] = a[Y * n + t + LX];
    tb[LY][LX] = b[(t + LY) * n + X];
    BARRIER();
    for (int k = 0; k < 16; k++) sum += ta[LY][k] * tb[k][LX];
    BARRIER();
  }
  c[Y * n + X] = sum;
}

KERNEL void bins(int n, GLOBAL const unsigned int *RESTRICT x, GLOBAL int *count) {
  LOCAL int mine[256];
  mine[LX] = 0;
  BARRIER();
  for (int i = X; i < n; i += NX) ATOMIC_ADD(&mine[x[i] % 256], 1);
  BARRIER();
  ATOMIC_ADD(&count[LX], mine[LX]);
}

KERNEL void neighbours(int n, int near, GLOBAL const float *RESTRICT x, GLOBAL float *RESTRICT force) {
  int i = X;
  if (i >= n) return;
  float px = x[i], sum = 0;
  for (int k = 1; k <= near; k++) {
    float d = x[(i + k * 37) % n] - px;
    sum += d / SQRT(d * d + 0.01f);
  }
  force[i] = sum;
}
