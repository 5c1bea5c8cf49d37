// More prefix sums: by a tree, several items per thread, over segments, rows and columns, of flags, of recurrences.

// Up and down a tree in shared memory, exclusive; a word is skipped every 32 against conflicts.
// warpwise: grid=(n+1023)/1024 block=512 n=1<<22 x=i32[n]:uniform(0,100) y=i32[n] totals=i32[(n+1023)/1024]
extern "C" __global__ void scan_tree(int n, const int *x, int *y, int *totals) {
  __shared__ int s[1024 + 32];
  int t = threadIdx.x, base = blockIdx.x * 1024;
  if (base >= n) return;
  auto at = [](int i) { return i + i / 32; };
  for (int k = t; k < 1024; k += 512) s[at(k)] = base + k < n ? x[base + k] : 0;
  int step = 1;
  for (int live = 512; live > 0; live /= 2, step *= 2) {
    __syncthreads();
    if (t < live) s[at(step * (2 * t + 2) - 1)] += s[at(step * (2 * t + 1) - 1)];
  }
  if (t == 0) totals[blockIdx.x] = s[at(1023)], s[at(1023)] = 0;
  for (int live = 1; live <= 512; live *= 2) {
    step /= 2;
    __syncthreads();
    if (t < live) {
      int left = at(step * (2 * t + 1) - 1), right = at(step * (2 * t + 2) - 1), v = s[left];
      s[left] = s[right], s[right] += v;
    }
  }
  __syncthreads();
  for (int k = t; k < 1024; k += 512)
    if (base + k < n) y[base + k] = s[at(k)];
}

__device__ int warp_inclusive(int v) {
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, v, d);
    if (threadIdx.x % 32 >= d) v += u;
  }
  return v;
}

// Inclusive over the block of `warps` warps; the sum of all is left in total.
template <int warps> __device__ int block_inclusive(int v, int *total) {
  __shared__ int s[warps];
  v = warp_inclusive(v);
  if (threadIdx.x % 32 == 31) s[threadIdx.x / 32] = v;
  __syncthreads();
  int before = 0, all = 0;
#pragma unroll
  for (int w = 0; w < warps; w++) {
    before += w < threadIdx.x / 32 ? s[w] : 0;
    all += s[w];
  }
  __syncthreads();
  *total = all;
  return v + before;
}

// A thread adds up `items` neighbours, four to a load, and spreads the block's sum over them.
template <int items> __device__ void scan_items(int n, const int4 *x, int4 *y, int *totals) {
  int first = (blockIdx.x * blockDim.x + threadIdx.x) * items, total, sum = 0;
  if (blockIdx.x * blockDim.x * items >= n) return;
  int4 v[items / 4];
#pragma unroll
  for (int k = 0; k < items / 4; k++) {
    v[k] = first + 4 * k < n ? x[first / 4 + k] : make_int4(0, 0, 0, 0);
    v[k].y += v[k].x, v[k].z += v[k].y, v[k].w += v[k].z;
    sum += v[k].w;
  }
  int run = block_inclusive<8>(sum, &total) - sum;
#pragma unroll
  for (int k = 0; k < items / 4; k++) {
    if (first + 4 * k < n) y[first / 4 + k] = make_int4(v[k].x + run, v[k].y + run, v[k].z + run, v[k].w + run);
    run += v[k].w;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// warpwise: grid=(n+1023)/1024 block=256 n=1<<22 x=i32[n]:uniform(0,100) y=i32[n] totals=i32[(n+1023)/1024]
extern "C" __global__ void scan_items4(int n, const int4 *x, int4 *y, int *totals) { scan_items<4>(n, x, y, totals); }

// warpwise: grid=(n+4095)/4096 block=256 n=1<<22 x=i32[n]:uniform(0,100) y=i32[n] totals=i32[(n+4095)/4096]
extern "C" __global__ void scan_items16(int n, const int4 *x, int4 *y, int *totals) { scan_items<16>(n, x, y, totals); }

// The second pass: what came before the block is added to its elements.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<22 y=i32[n]:uniform(0,1000) offsets=i32[(n+1023)/1024]:uniform(0,1000)
extern "C" __global__ void scan_add(int n, int *y, const int *offsets) {
  if (blockIdx.x * 1024 >= n) return;
  int off = offsets[blockIdx.x];
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n) y[i] += off;
  }
}

// One block, tile after tile, with the sum carried along: what people write for the totals.
// warpwise: grid=1 block=256 n=1<<16 x=i32[n]:uniform(0,10) y=i32[n]
extern "C" __global__ void scan_one_block(int n, const int *x, int *y) {
  int carry = 0;
  for (int base = 0; base < n; base += 256) {
    int i = base + threadIdx.x, total, v = i < n ? x[i] : 0, s = block_inclusive<8>(v, &total);
    if (i < n) y[i] = carry + s - v;
    carry += total;
  }
}

// A set flag starts a new segment.
// warpwise: grid=(n+255)/256 block=256 n=1<<21 x=i32[n]:uniform(0,100) flag=u8[n]:uniform(0,2) y=i32[n]
extern "C" __global__ void scan_segments_warp(int n, const int *x, const unsigned char *flag, int *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  bool start = i < n && flag[i];
  int v = i < n ? x[i] : 0;
  unsigned heads = __ballot_sync(0xffffffffu, start) & (0xffffffffu >> (31 - lane));
  int since = heads ? lane - (31 - __clz(heads)) : lane; // lanes back to this segment's start
  for (int d = 1; d < 32; d *= 2) {
    int u = __shfl_up_sync(0xffffffffu, v, d);
    if (d <= since) v += u;
  }
  if (i < n) y[i] = v;
}

// Where each set flag goes: a word of 32 flags per thread.
// warpwise: grid=(words+255)/256 block=256 words=1<<18 bits=u32[words]:uniform(0,4294967296) rank=i32[words] totals=i32[(words+255)/256]
extern "C" __global__ void scan_popcount(int words, const unsigned *bits, int *rank, int *totals) {
  if (blockIdx.x * 256 >= words) return;
  int i = blockIdx.x * 256 + threadIdx.x, c = i < words ? __popc(bits[i]) : 0, total;
  int s = block_inclusive<8>(c, &total);
  if (i < words) rank[i] = s - c;
  if (threadIdx.x == 0) totals[blockIdx.x] = total;
}

// Running maximum along rows, a block per row.
// warpwise: grid=rows block=256 rows=2048 n=2048 x=i32[rows*n]:random y=i32[rows*n]
extern "C" __global__ void scan_max_rows(int rows, int n, const int *x, int *y) {
  __shared__ int s[8];
  int lane = threadIdx.x % 32, w = threadIdx.x / 32, carry = 0x80000000;
  if (blockIdx.x >= rows) return;
  size_t row = (size_t)blockIdx.x * n;
  for (int base = 0; base < n; base += 256) {
    int k = base + threadIdx.x, v = k < n ? x[row + k] : 0x80000000;
    for (int d = 1; d < 32; d *= 2) {
      int u = __shfl_up_sync(0xffffffffu, v, d);
      if (lane >= d) v = max(v, u);
    }
    if (lane == 31) s[w] = v;
    __syncthreads();
    int all = carry;
    for (int j = 0; j < 8; j++) {
      if (j == w) v = max(v, all);
      all = max(all, s[j]);
    }
    carry = all;
    if (k < n) y[row + k] = v;
    __syncthreads();
  }
}

// Down the columns of a table, a thread for each: the second half of a summed-area table.
// warpwise: grid=(w+63)/64 block=64 h=1024 w=4096 a=f32[h*w]
extern "C" __global__ void scan_columns(int h, int w, float *a) {
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= w) return;
  float s = 0.0f;
  for (int r = 0; r < h; r++) s += a[(size_t)r * w + c], a[(size_t)r * w + c] = s;
}

// y[i] = a[i] y[i-1] + b[i] inside blocks of 512: pairs (factor, sum) are what is scanned.
// warpwise: grid=(n+511)/512 block=512 n=1<<20 a=f64[n] b=f64[n] y=f64[n]
extern "C" __global__ void scan_recurrence(int n, const double *a, const double *b, double *y) {
  __shared__ double f[512], s[512];
  int t = threadIdx.x, i = blockIdx.x * 512 + t;
  double p = i < n ? a[i] : 1.0, q = i < n ? b[i] : 0.0;
  for (int d = 1; d < 512; d *= 2) {
    f[t] = p, s[t] = q;
    __syncthreads();
    if (t >= d) q += p * s[t - d], p *= f[t - d];
    __syncthreads();
  }
  if (i < n) y[i] = q;
}
