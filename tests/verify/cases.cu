// Kernels that differ only in cases that have to be looked for: no columns, masks, windows that stay small, rows that are long.

// warpwise: grid=(rows+63)/64 block=64 rows=4096 len=64 x=i32[rows*len]:uniform(1,100) best=i32[rows]
__global__ void best_of_row(int rows, int len, const int *x, int *best) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, top = 0;
  if (r >= rows) return;
  for (int k = 0; k < len; k++) top = max(top, x[r * len + k]);
  best[r] = top;
}

// Another answer for rows without elements.
__global__ void best_from_one(int rows, int len, const int *x, int *best) {
  int r = blockIdx.x * blockDim.x + threadIdx.x, top = 1;
  if (r >= rows) return;
  for (int k = 0; k < len; k++) top = max(top, x[r * len + k]);
  best[r] = top;
}

// A table whose slots are looked at before they are taken.
// warpwise: grid=(n+255)/256 block=256 n=1<<16 mask=65535 key=u32[n]:uniform(1,3000) table=u32[mask+1]:zeros count=u32[mask+1]:zeros
__global__ void count_keys(int n, unsigned mask, const unsigned *key, unsigned *table, unsigned *count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = key[i], at = k * 2654435769u >> 8;
  for (;; at++) {
    unsigned was = table[at & mask];
    if (was == 0u) was = atomicCAS(&table[at & mask], 0u, k);
    if (was == 0u || was == k) break;
  }
  atomicAdd(&count[at & mask], 1u);
}

// Blocks behind the first begin one element after each other.
__global__ void count_keys_again(int n, unsigned mask, const unsigned *key, unsigned *table, unsigned *count) {
  int i = blockIdx.x * blockDim.y + threadIdx.x;
  if (i >= n) return;
  unsigned k = key[i], at = k * 2654435769u >> 8;
  for (;; at++) {
    unsigned was = table[at & mask];
    if (was == 0u) was = atomicCAS(&table[at & mask], 0u, k);
    if (was == 0u || was == k) break;
  }
  atomicAdd(&count[at & mask], 1u);
}

// The radius is at most 5, whatever the width.
// warpwise: grid=(w+31)/32 block=32 w=4096 radius=4 in=i32[w] out=i32[w]
__global__ void window_sum(int w, int radius, const int *in, int *out) {
  __shared__ int s[42];
  int t = threadIdx.x, x = blockIdx.x * 32 + t, sum = 0;
  for (int i = t; i < 32 + 2 * radius; i += 32) s[i] = in[min(max((int)blockIdx.x * 32 + i - radius, 0), w - 1)];
  __syncthreads();
  if (x >= w) return;
  for (int i = 0; i < 2 * radius + 1; i++) sum += s[t + i];
  out[x] = sum;
}

__global__ void window_short(int w, int radius, const int *in, int *out) {
  __shared__ int s[42];
  int t = threadIdx.x, x = blockIdx.x * 32 + t, sum = 0;
  for (int i = t; i < 32 + 2 * radius; i += 32) s[i] = in[min(max((int)blockIdx.x * 32 + i - radius, 0), w - 1)];
  __syncthreads();
  if (x >= w) return;
  for (int i = 1; i < 2 * radius + 1; i++) sum += s[t + i];
  out[x] = sum;
}

// A block to a row of n, in words of 32: only rows of more than 1024 are loaded by two warps.
// warpwise: grid=n block=64 n=4096 in=u32[n*((n+31)/32)] out=u32[n] shared=(n+31)/32*4
__global__ void row_mix(int n, const unsigned *in, unsigned *out) {
  extern __shared__ unsigned mine[];
  int words = (n + 31) / 32;
  unsigned sum = 0;
  for (int k = threadIdx.x; k < words; k += 64) mine[k] = in[(size_t)blockIdx.x * words + k];
  __syncthreads();
  for (int r = 0; r < 32; r++)
    for (int k = 0; k < words; k++) sum = sum * 31u + (mine[k] >> r);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// warpwise: grid=n block=64 shared=(n+31)/32*4
__global__ void row_mix_no_barrier(int n, const unsigned *in, unsigned *out) {
  extern __shared__ unsigned mine[];
  int words = (n + 31) / 32;
  unsigned sum = 0;
  for (int k = threadIdx.x; k < words; k += 64) mine[k] = in[(size_t)blockIdx.x * words + k];
  for (int r = 0; r < 32; r++)
    for (int k = 0; k < words; k++) sum = sum * 31u + (mine[k] >> r);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

// Runs back to values: the first place of the first run is 0, for pointers into the middle of a buffer too.
// warpwise: grid=(n+255)/256 block=256 n=65536 runs=1024 start=i32[runs+1]:monotone(0,n) value=i32[runs] x=i32[n]
__global__ void expand(int n, int runs, const int *start, const int *value, int *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = runs - 1;
  while (lo < hi) {
    int mid = (lo + hi + 1) / 2;
    if (start[mid] <= i)
      lo = mid;
    else
      hi = mid - 1;
  }
  x[i] = value[lo];
}

// warpwise: grid=(runs+7)/8 block=256
__global__ void expand_by_runs(int n, int runs, const int *start, const int *value, int *x) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (r >= runs) return;
  int v = value[r], last = min(start[r + 1], n);
  for (int i = start[r] + lane; i < last; i += 32) x[i] = v;
}

// Which bits occur at all: a thread takes several words.
// warpwise: grid=8 block=64 n=1<<20 x=u32[n]:uniform(0,4294967296) any=u32[1]:zeros
__global__ void bits_of_all(int n, const unsigned *x, unsigned *any) {
  unsigned bits = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) bits |= x[i];
  atomicOr(any, bits);
}

__global__ void bits_of_last(int n, const unsigned *x, unsigned *any) {
  unsigned bits = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) bits = x[i];
  atomicOr(any, bits);
}

// Numbers above 50, row by row, into a queue: the few rows of one warp have an order, many have none.
// warpwise: grid=(rows+63)/64 block=64 rows=4096 len=40 x=i32[rows*len]:uniform(0,100) tail=i32[1]:zeros found=i32[rows*len]
__global__ void queue_by_thread(int rows, int len, const int *x, int *tail, int *found) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  for (int k = 0; k < len; k++)
    if (x[r * len + k] > 50) found[atomicAdd(tail, 1)] = x[r * len + k];
}

// warpwise: grid=(rows+1)/2 block=64
__global__ void queue_by_warp(int rows, int len, const int *x, int *tail, int *found) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows) return;
  for (int k = threadIdx.x % 32; k < len; k += 32)
    if (x[r * len + k] > 50) found[atomicAdd(tail, 1)] = x[r * len + k];
}

// A place is left out for each row.
// warpwise: grid=(rows+1)/2 block=64
__global__ void queue_with_gaps(int rows, int len, const int *x, int *tail, int *found) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (r >= rows) return;
  for (int k = threadIdx.x % 32; k < len; k += 32)
    if (x[r * len + k] > 50 && k) found[atomicAdd(tail, 1)] = x[r * len + k];
}

// Rows of up to 1024 numbers, four to a thread of 256.
// warpwise: grid=rows block=256 rows=1024 n=1024 x=i32[rows*n] y=i32[rows*n] bias=i32[n]
__global__ void add_bias(int rows, int n, const int *x, const int *bias, int *y) {
  for (int k = 0; k < 4; k++) {
    int i = threadIdx.x + k * 256;
    if (i < n) y[blockIdx.x * n + i] = x[blockIdx.x * n + i] + bias[i];
  }
}

__global__ void add_bias_to_half(int rows, int n, const int *x, const int *bias, int *y) {
  for (int k = 0; k < 4; k++) {
    int i = threadIdx.x + k * 256;
    if (i < n) y[blockIdx.x * n + i] = x[blockIdx.x * n + i] + (k < 3 ? bias[i] : 0);
  }
}

// Where the first of few small numbers is.
// warpwise: grid=(n+1023)/1024 block=256 n=1<<20 x=i32[n]:uniform(0,100000000) first=i32[1]:uniform(2000000000,2000000001)
__global__ void first_small(int n, const int *x, int *first) {
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 1024 + k * 256 + threadIdx.x;
    if (i < n && x[i] < 3) atomicMin(first, i);
  }
}

__global__ void first_small_of_half(int n, const int *x, int *first) {
  for (int k = 0; k < 4; k++) {
    int i = blockIdx.x * 1024 + k * 128 + threadIdx.x;
    if (i < n && x[i] < 3) atomicMin(first, i);
  }
}

// Channels of a signal: with all sizes alike one block along `len` is as much as a case can take.
// warpwise: grid=(len+127)/128,outs block=128 len=4096 ins=64 outs=64 x=[ins*len] w=[outs*ins] y=[outs*len]
__global__ void channels(int len, int ins, int outs, const float *x, const float *w, float *y) {
  int t = blockIdx.x * blockDim.x + threadIdx.x, o = blockIdx.y;
  if (t >= len || o >= outs) return;
  float s = 0;
  for (int c = 0; c < ins; c++)
    for (int k = 0; k < 40; k++) s += w[o * ins + c] * x[c * len + max(t - k, 0)];
  y[o * len + t] = s;
}

__global__ void channels_wrong_start(int len, int ins, int outs, const float *x, const float *w, float *y) {
  int t = blockIdx.x * blockDim.y + threadIdx.x, o = blockIdx.y;
  if (t >= len || o >= outs) return;
  float s = 0;
  for (int c = 0; c < ins; c++)
    for (int k = 0; k < 40; k++) s += w[o * ins + c] * x[c * len + max(t - k, 0)];
  y[o * len + t] = s;
}

// The largest value and where it is, in one word: rounding decides its last digits, not all of them.
// warpwise: grid=(n+255)/256 block=256 n=65536 x=f32[n] most=u64[1]:zeros
extern "C" __global__ void largest_at(int n, const float *__restrict__ x, unsigned long long *most) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicMax(most, (unsigned long long)__float_as_uint(fabsf(x[i])) << 32 | i);
}

extern "C" __global__ void largest_of_the_first(int n, const float *__restrict__ x, unsigned long long *most) {
  int i = blockIdx.x + threadIdx.x;
  if (i < n) atomicMax(most, (unsigned long long)__float_as_uint(fabsf(x[i])) << 32 | i);
}

// How often a word is found: in random letters hardly ever.
// warpwise: grid=(lines+127)/128 block=128 lines=8192 len=200 m=7 word=u8[m]:uniform(97,123) text=u8[lines*len+m]:uniform(97,123) count=u32[1]:zeros
extern "C" __global__ void find_word(int lines, int len, int m, const unsigned char *word, const unsigned char *text, unsigned *count) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  for (int at = line * len; at < line * len + len; at++) {
    int k = 0;
    while (k < m && text[at + k] == word[k]) k++;
    if (k == m) atomicAdd(count, 1);
  }
}

extern "C" __global__ void find_word_not_in_last(int lines, int len, int m, const unsigned char *word, const unsigned char *text, unsigned *count) {
  int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines || (blockIdx.x && blockIdx.x == gridDim.x - 1)) return;
  for (int at = line * len; at < line * len + len; at++) {
    int k = 0;
    while (k < m && text[at + k] == word[k]) k++;
    if (k == m) atomicAdd(count, 1);
  }
}

// Too long for a whole grid of more than 48 columns: what is missing shows in its first blocks.
// warpwise: grid=(n+31)/32,(n+3)/4 block=32,4 n=192 x=f32[n*n] y=f32[n*n]
extern "C" __global__ void orbit(int n, const float *x, float *y) {
  int i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y;
  if (i >= n || j >= n) return;
  float v = x[j * n + i];
  for (int k = 0; k < 4000; k++) v = v * 0.5f + 0.25f;
  y[j * n + i] = v;
}

extern "C" __global__ void orbit_narrow(int n, const float *x, float *y) {
  signed char i = blockIdx.x * 32 + threadIdx.x, j = blockIdx.y * 4 + threadIdx.y;
  if (i < 0 || j < 0 || i >= n || j >= n) return;
  float v = x[j * n + i];
  for (int k = 0; k < 4000; k++) v = v * 0.5f + 0.25f;
  y[j * n + i] = v;
}

extern "C" __global__ void orbit_other_blocks(int n, const float *x, float *y) {
  int i = (gridDim.x - 1 - blockIdx.x) * 32 + threadIdx.x, j = (blockIdx.y + 1) % gridDim.y * 4 + threadIdx.y;
  if (i >= n || j >= n) return;
  float v = x[j * n + i];
  for (int k = 0; k < 4000; k++) v = v * 0.5f + 0.25f;
  y[j * n + i] = v;
}

// Every number follows its pointers to the end: warps race, and all of them get there.
// warpwise: grid=(n+255)/256 block=256 n=65536 root=i32[n]:monotone(0,n/2)
extern "C" __global__ void jump(int n, int *root) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = root[v];
  for (int hops = 0; hops < 64 && root[r] < r; hops++) r = root[r];
  root[v] = r;
}

extern "C" __global__ void jump_by_stride(int n, int *root) {
  for (int v = blockIdx.x * blockDim.x + threadIdx.x; v < n; v += gridDim.x * blockDim.x) {
    int r = root[v];
    for (int hops = 0; hops < 64 && root[r] < r; hops++) r = root[r];
    root[v] = r;
  }
}

extern "C" __global__ void jump_wrong_start(int n, int *root) {
  int v = blockIdx.x * 64 + threadIdx.x;
  if (v >= n) return;
  int r = root[v];
  for (int hops = 0; hops < 64 && root[r] < r; hops++) r = root[r];
  root[v] = r;
}
