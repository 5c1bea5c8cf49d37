// Work for one block or a few: what runs between the large kernels.

// Largest, least, mean and spread of a short array.
// warpwise: grid=1 block=256 n=4096 x=f32[n] stats=f32[4]
extern "C" __global__ void stats_one_block(int n, const float *x, float *stats) {
  __shared__ float s[4][8];
  float lo = 1e30f, hi = -1e30f, a = 0.0f, b = 0.0f;
  for (int i = threadIdx.x; i < n; i += 256) {
    float v = x[i];
    lo = fminf(lo, v), hi = fmaxf(hi, v), a += v, b += v * v;
  }
  for (int d = 16; d > 0; d >>= 1) {
    lo = fminf(lo, __shfl_xor_sync(0xffffffffu, lo, d)), hi = fmaxf(hi, __shfl_xor_sync(0xffffffffu, hi, d));
    a += __shfl_xor_sync(0xffffffffu, a, d), b += __shfl_xor_sync(0xffffffffu, b, d);
  }
  if (threadIdx.x % 32 == 0) {
    int w = threadIdx.x / 32;
    s[0][w] = lo, s[1][w] = hi, s[2][w] = a, s[3][w] = b;
  }
  __syncthreads();
  if (threadIdx.x) return;
  for (int w = 1; w < 8; w++) lo = fminf(lo, s[0][w]), hi = fmaxf(hi, s[1][w]), a += s[2][w], b += s[3][w];
  stats[0] = lo, stats[1] = hi, stats[2] = a / n, stats[3] = b / n - (a / n) * (a / n);
}

// A line in shared memory, stepped many times without leaving the block.
// warpwise: grid=lines block=256 lines=4 steps=500 u=f32[lines*1024]
extern "C" __global__ void string_steps(int lines, int steps, float *u) {
  __shared__ float s[2][1024];
  if (blockIdx.x >= lines) return;
  float *mine = u + (size_t)blockIdx.x * 1024;
  for (int k = threadIdx.x; k < 1024; k += 256) s[0][k] = mine[k];
  __syncthreads();
  for (int t = 0; t < steps; t++) {
    const float *a = s[t % 2];
    for (int k = threadIdx.x; k < 1024; k += 256)
      s[1 - t % 2][k] = a[k] + 0.25f * (a[k ? k - 1 : 1023] - 2.0f * a[k] + a[k < 1023 ? k + 1 : 0]);
    __syncthreads();
  }
  for (int k = threadIdx.x; k < 1024; k += 256) mine[k] = s[steps % 2][k];
}

// The largest eigenvalue's vector of a small matrix: multiply, normalise, again; a row per thread.
// warpwise: grid=1 block=128 rounds=10 a=f64[128*128] v=f64[128]
extern "C" __global__ void power_rounds(int rounds, const double *a, double *v) {
  __shared__ double x[128], part[4];
  int t = threadIdx.x;
  x[t] = v[t];
  __syncthreads();
  for (int k = 0; k < rounds; k++) {
    double y = 0.0, s;
    for (int j = 0; j < 128; j++) y += a[j * 128 + t] * x[j];
    s = y * y;
    for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (t % 32 == 0) part[t / 32] = s;
    __syncthreads();
    x[t] = y * rsqrt(part[0] + part[1] + part[2] + part[3]);
    __syncthreads();
  }
  v[t] = x[t];
}

// A system of 32 equations in one warp, Gauss-Jordan, a row per lane in shared memory; several systems are a few blocks.
// warpwise: grid=systems block=32 systems=8 a=f32[systems*1024] b=f32[systems*32]
extern "C" __global__ void solve32(int systems, const float *a, float *b) {
  __shared__ float m[32][33];
  if (blockIdx.x >= systems) return;
  int t = threadIdx.x;
  for (int r = 0; r < 32; r++) m[r][t] = a[(size_t)blockIdx.x * 1024 + r * 32 + t] + (r == t ? 32.0f : 0.0f);
  __syncwarp();
  float x = b[(size_t)blockIdx.x * 32 + t];
  for (int k = 0; k < 32; k++) {
    float p = 1.0f / m[k][k], f = t == k ? 0.0f : m[t][k] * p;
    x -= f * __shfl_sync(0xffffffffu, x, k);
    __syncwarp();
    for (int c = k; c < 32; c++) m[t][c] -= f * m[k][c];
    __syncwarp();
  }
  b[(size_t)blockIdx.x * 32 + t] = x / m[t][t];
}

// One thread: a generator stepped until it has gone `steps` places.
// warpwise: grid=1 block=1 steps=2000 seed=1 out=u32[1]
extern "C" __global__ void one_thread(int steps, unsigned seed, unsigned *out) {
  unsigned v = seed;
  for (int k = 0; k < steps; k++) v = v * 1664525u + 1013904223u, v ^= v >> 7;
  *out = v;
}

// Offsets of a few thousand groups from their counts, and the largest group: two things in one block.
// warpwise: grid=1 block=1024 n=4096 count=i32[n]:uniform(0,50) start=i32[n+1] most=i32[1]
extern "C" __global__ void group_starts(int n, const int *count, int *start, int *most) {
  __shared__ int sum[32], top[32];
  int t = threadIdx.x, lane = t % 32, each = (n + 1023) / 1024, first = min(n, t * each), last = min(n, first + each),
      s = 0, m = 0;
  for (int k = first; k < last; k++) s += count[k], m = max(m, count[k]);
  int run = s;
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, run, d);
    if (lane >= d) run += u;
  }
  m = __reduce_max_sync(0xffffffffu, m);
  if (lane == 31) sum[t / 32] = run, top[t / 32] = m;
  __syncthreads();
  if (t < 32) {
    int v = sum[t];
    for (int d = 1; d < 32; d *= 2) {
      int u = __shfl_up_sync(0xffffffffu, v, d);
      if (t >= d) v += u;
    }
    sum[t] = v;
    m = __reduce_max_sync(0xffffffffu, top[t]);
    if (t == 0) *most = m;
  }
  __syncthreads();
  run += (t >= 32 ? sum[t / 32 - 1] : 0) - s;
  for (int k = first; k < last; k++) start[k] = run, run += count[k];
  if (t == 1023) start[n] = run;
}

// Connected parts of a small picture, by passing the least label on until nothing changes: 32 x 32 in one block.
// warpwise: grid=pictures block=32,32 pictures=16 solid=u8[pictures*1024]:uniform(0,2) label=i32[pictures*1024]
extern "C" __global__ void label32(int pictures, const unsigned char *solid, int *label) {
  __shared__ int s[34][34];
  if (blockIdx.x >= pictures) return;
  int x = threadIdx.x + 1, y = threadIdx.y + 1, id = threadIdx.y * 32 + threadIdx.x;
  for (int k = id; k < 34 * 34; k += 1024) s[k / 34][k % 34] = 1 << 20;
  __syncthreads();
  bool in = solid[(size_t)blockIdx.x * 1024 + id];
  int mine = in ? id : 1 << 20;
  s[y][x] = mine;
  for (int changed = 1; changed;) {
    __syncthreads();
    int low = min(min(s[y - 1][x], s[y + 1][x]), min(s[y][x - 1], s[y][x + 1]));
    bool move = in && low < mine;
    __syncthreads();
    if (move) s[y][x] = mine = low;
    changed = __syncthreads_or(move);
  }
  label[(size_t)blockIdx.x * 1024 + id] = in ? mine : -1;
}

// A short filter over a long signal by few blocks: taps in registers, one output after the other from a sliding window.
// warpwise: grid=(channels+31)/32 block=32 channels=256 samples=2048 tap=f32[8] x=f32[channels*samples] y=f32[channels*samples]
extern "C" __global__ void slide8(int channels, int samples, const float *tap, const float *x, float *y) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= channels) return;
  float w[8] = {}, f[8];
#pragma unroll
  for (int k = 0; k < 8; k++) f[k] = tap[k];
  for (int s = 0; s < samples; s++) {
    float sum = 0.0f;
#pragma unroll
    for (int k = 7; k > 0; k--) w[k] = w[k - 1], sum += f[k] * w[k];
    w[0] = x[(size_t)s * channels + c];
    y[(size_t)s * channels + c] = sum + f[0] * w[0];
  }
}
