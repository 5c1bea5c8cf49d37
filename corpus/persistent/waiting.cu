// Blocks that wait for each other: running sums, barriers of the grid made by hand, wavefronts, queues of work.

// Running sums in one pass. Blocks take their tiles in the order of arrival; a warp looks back over 32 tiles at a time for their sums.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<22 in=i32[n]:uniform(0,100) out=i32[n] status=u64[(n+1023)/1024]:zeros next=i32[1]:zeros
extern "C" __global__ void sums_lookback(int n, const int4 *__restrict__ in, int4 *__restrict__ out, unsigned long long *status, int *next) {
  __shared__ int part[8], number, before;
  int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  if (t == 0) number = atomicAdd(next, 1);
  __syncthreads();
  int tile = number, i = tile * 256 + t;
  int4 v = i * 4 < n ? in[i] : make_int4(0, 0, 0, 0);
  v.y += v.x, v.z += v.y, v.w += v.z;
  int sum = v.w;
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, sum, d);
    if (lane >= d) sum += u;
  }
  if (lane == 31) part[warp] = sum;
  __syncthreads();
  int own = 0, all = 0;
  for (int w = 0; w < 8; w++) {
    if (w < warp) own += part[w];
    all += part[w];
  }
  if (warp == 0) {
    if (lane == 0) atomicExch(&status[tile], (tile ? 1ull : 2ull) << 32 | (unsigned)all);
    int p = 0;
    for (int base = tile - 1; tile > 0; base -= 32) {
      int j = base - lane;
      unsigned long long w;
      do w = j >= 0 ? *(volatile unsigned long long *)&status[j] : 2ull << 32;
      while (__any_sync(0xffffffffu, w >> 32 == 0));
      unsigned whole = __ballot_sync(0xffffffffu, w >> 32 == 2);
      int last = whole ? __ffs(whole) - 1 : 31, add = lane <= last ? (int)w : 0;
      for (int d = 16; d > 0; d >>= 1) add += __shfl_xor_sync(0xffffffffu, add, d);
      p += add;
      if (whole) break;
    }
    if (lane == 0) {
      if (tile) atomicExch(&status[tile], 2ull << 32 | (unsigned)(p + all));
      before = p;
    }
  }
  __syncthreads();
  int off = before + own + sum - v.w;
  if (i * 4 < n) out[i] = make_int4(v.x + off, v.y + off, v.z + off, v.w + off);
}

// The same with one thread that waits for the sum of the tile before: a chain from the first to the last.
// warpwise: grid=n/512 block=512 n=1<<20 in=f32[n] out=f32[n] carry=f32[n/512] ready=i32[n/512]:zeros
extern "C" __global__ void sums_chained(int n, const float *__restrict__ in, float *__restrict__ out, volatile float *carry, volatile int *ready) {
  __shared__ float part[16], before;
  int t = threadIdx.x, lane = t & 31, b = blockIdx.x, i = b * 512 + t;
  float v = in[i];
  for (int d = 1; d < 32; d *= 2) {
    float u = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) part[t >> 5] = v;
  __syncthreads();
  if (t == 0) {
    float p = 0.0f, all = 0.0f;
    for (int w = 0; w < 16; w++) {
      float s = part[w];
      part[w] = all;
      all += s;
    }
    if (b > 0) {
      while (ready[b - 1] == 0) {}
      __threadfence();
      p = carry[b - 1];
    }
    carry[b] = p + all;
    __threadfence();
    ready[b] = 1;
    before = p;
  }
  __syncthreads();
  out[i] = v + part[t >> 5] + before;
}

// Jacobi steps of a long rod that all blocks take together; between two, a counter that only grows is waited for.
// warpwise: grid=blocks block=256 blocks=132 n=blocks*256*8 steps=40 a=f32[n] b=f32[n] arrived=u32[1]:zeros
extern "C" __global__ void rod_steps(int blocks, int n, int steps, volatile float *a, volatile float *b, unsigned *arrived) {
  for (int s = 0; s < steps; s++) {
    volatile float *from = s & 1 ? b : a, *to = s & 1 ? a : b;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += blocks * 256) {
      float l = from[i > 0 ? i - 1 : 0], r = from[i < n - 1 ? i + 1 : n - 1];
      to[i] = 0.5f * from[i] + 0.25f * (l + r);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1u);
      while (*(volatile unsigned *)arrived < (s + 1u) * blocks) {}
      __threadfence();
    }
    __syncthreads();
  }
}

// Rounds of a sum over the grid, with the barrier whose last comer resets the counter and turns the generation.
// warpwise: grid=blocks block=512 blocks=264 rounds=30 x=f32[blocks*512] part=f32[blocks] sync=u32[2]:zeros
extern "C" __global__ void sum_rounds(int blocks, int rounds, float *x, volatile float *part, unsigned *sync) {
  __shared__ float s[16];
  int t = threadIdx.x;
  float v = x[blockIdx.x * 512 + t];
  for (int r = 0; r < rounds; r++) {
    float w = v;
    for (int d = 16; d > 0; d >>= 1) w += __shfl_xor_sync(0xffffffffu, w, d);
    if (t % 32 == 0) s[t / 32] = w;
    __syncthreads();
    if (t == 0) {
      float all = 0.0f;
      for (int k = 0; k < 16; k++) all += s[k];
      part[blockIdx.x] = all;
      unsigned now = *(volatile unsigned *)&sync[1];
      __threadfence();
      if (atomicAdd(&sync[0], 1u) == blocks - 1) {
        *(volatile unsigned *)&sync[0] = 0;
        __threadfence();
        atomicAdd(&sync[1], 1u);
      } else {
        while (*(volatile unsigned *)&sync[1] == now) {}
      }
      __threadfence();
    }
    __syncthreads();
    v = v * 0.5f + part[(blockIdx.x + r) % blocks] * 1e-6f;
  }
  x[blockIdx.x * 512 + t] = v;
}

// Edit distances, a block to a strip of 128 rows; strips follow each other by 64 columns, each with a flag.
// warpwise: grid=strips block=128 strips=64 cols=2048 a=u8[strips*128]:uniform(97,101) b=u8[cols]:uniform(97,101) edge=i32[(strips+1)*cols]:index done=i32[strips*(cols/64)]:zeros
extern "C" __global__ void strips_in_step(int strips, int cols, const unsigned char *__restrict__ a, const unsigned char *__restrict__ b, volatile int *edge, volatile int *done) {
  __shared__ int left[129], old[129];
  int k = blockIdx.x, t = threadIdx.x, pieces = cols / 64;
  unsigned char mine = a[k * 128 + t];
  left[t + 1] = k * 128 + t + 1;
  old[t + 1] = left[t + 1];
  for (int p = 0; p < pieces; p++) {
    if (t == 0 && k > 0) {
      while (done[(k - 1) * pieces + p] == 0) {}
      __threadfence();
    }
    __syncthreads();
    for (int step = 0; step < 64 + 127; step++) {
      int c = step - t, v = 0;
      bool on = c >= 0 && c < 64;
      if (on) {
        int col = p * 64 + c, up = t ? left[t] : edge[k * cols + col], diag = t ? old[t] : (col ? edge[k * cols + col - 1] : k * 128);
        v = min(min(up, left[t + 1]) + 1, diag + (b[col] != mine));
      }
      __syncthreads();
      if (on) {
        old[t + 1] = left[t + 1];
        left[t + 1] = v;
        if (t == 127) edge[(k + 1) * cols + p * 64 + c] = v;
      }
      __syncthreads();
    }
    if (t == 127) {
      __threadfence();
      done[k * pieces + p] = 1;
    }
  }
}

// Rows of very different lengths, handed out one at a time by a counter: a block to a row.
// warpwise: grid=blocks block=128 blocks=528 rows=20000 nnz=rows*64 row=i32[rows+1]:monotone(0,nnz) val=f32[nnz] sum=f32[rows] next=i32[1]:zeros
extern "C" __global__ void rows_from_queue(int blocks, int rows, int nnz, const int *__restrict__ row, const float *__restrict__ val, float *__restrict__ sum, int *next) {
  __shared__ int mine;
  __shared__ float s[4];
  int t = threadIdx.x;
  for (;;) {
    if (t == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    int r = mine;
    if (r >= rows) return;
    float v = 0.0f;
    for (int k = row[r] + t; k < row[r + 1]; k += 128) v += val[k] * val[k];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
    if (t % 32 == 0) s[t / 32] = v;
    __syncthreads();
    if (t == 0) sum[r] = s[0] + s[1] + s[2] + s[3];
  }
}

// The same with 32 rows at a time to a warp, without a block's barriers.
// warpwise: grid=blocks block=256 blocks=264 rows=1<<18 len=24 val=f32[rows*len] sum=f32[rows] next=i32[1]:zeros
extern "C" __global__ void warps_from_queue(int blocks, int rows, int len, const float *__restrict__ val, float *__restrict__ sum, int *next) {
  int lane = threadIdx.x % 32;
  for (;;) {
    int r = 0;
    if (lane == 0) r = atomicAdd(next, 32);
    r = __shfl_sync(0xffffffffu, r, 0) + lane;
    if (r - lane >= rows) return;
    float v = 0.0f;
    for (int k = 0; k < len && r < rows; k++) v += val[(size_t)k * rows + r];
    if (r < rows) sum[r] = v;
  }
}
