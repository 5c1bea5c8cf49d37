// Kernels for tests/unit/test_inputs.c: what sizes and contents are found for them when nobody describes the buffers.

__global__ void copy(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}

__global__ void around(const float *x, float *y) { // starts before the pointer
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i - 3] + x[i + 2];
}

__global__ void seventh(const double *x, short *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[2 * i + 1] = (short)x[7 * i];
}

__global__ void plane(int w, int h, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[x * h + y] = in[y * w + x];
}

__global__ void space(int nx, int ny, const float *in, float *out) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int i = (z * ny + y) * nx + x;
  out[i] = in[i + nx * ny];
}

__global__ void stride_loop(int n, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = 2 * x[i];
}

__global__ void backwards(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[n - 1 - i];
}

__global__ void spmv(int rows, const int *start, const int *col, const float *val, const float *x, float *y) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float s = 0;
  for (int k = start[r]; k < start[r + 1]; k++) s += val[k] * x[col[k]];
  y[r] = s;
}

__global__ void histogram(int n, const int *x, int *bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[x[i]], 1);
}

__global__ void gather(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = x[index[i]]; // line 54
}

__global__ void gather_block(const int *index, const float *x, float *y) { // indices by way of shared memory
  __shared__ int t[128];
  t[threadIdx.x] = index[blockIdx.x * 128 + threadIdx.x];
  __syncthreads();
  y[blockIdx.x * 128 + threadIdx.x] = x[t[127 - threadIdx.x]];
}

__global__ void filter(int n, const float *x, int *tail, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && x[i] < 0.5f) out[atomicAdd(tail, 1)] = x[i];
}

__global__ void chase(int hops, const int *next, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  for (int k = 0; k < hops; k++) at = next[at];
  out[i] = at;
}

__global__ void ragged(int n, const int *length, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = 0; k < length[i]; k++) s += x[k];
  y[i] = s;
}

__global__ void frontier(int n, const int *queue, const int *start, const int *edge, int *level) { // indices of row pointers
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = queue[i];
  for (int k = start[v]; k < start[v + 1]; k++) level[edge[k]] = 1;
}

__global__ void bytes(int n, const unsigned char *x, unsigned *table) { // 8-bit indices
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&table[x[i]], 1u);
}

__global__ void overrun(int n, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = n; // line 97
}

// Sizes that the grid covers, and a row that a warp or a block works on.
__global__ void cover(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i];
}
__global__ void cover_plane(int width, int height, int r, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  float s = 0;
  for (int d = -r; d <= r; d++)
    if (i + d >= 0 && i + d < width) s += x[j * width + i + d];
  y[j * width + i] = s;
}
__global__ void cover_rows(int rows, int cols, const float *x, float *y) {
  int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= rows) return;
  float s = 0;
  for (int i = threadIdx.x % 32; i < cols; i += 32) s += x[(size_t)row * cols + i];
  if (threadIdx.x % 32 == 0) y[row] = s;
}
__global__ void go_round(int n, const float *x, float *y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i];
}

__global__ void tiles_loaded(int m, int n, int k, const float *a, const float *b, float *c) {
  __shared__ float s[16][16], t[16][16];
  int x = threadIdx.x, y = threadIdx.y;
  int col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0;
  for (int at = 0; at < k; at += 16) {
    s[y][x] = row < m ? a[row * k + at + x] : 0;
    t[y][x] = col < n ? b[(at + y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; i++)
      sum += s[y][i] * t[i][x];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

__global__ void sum_pairs(int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (i >= n)
    return;
  for (int j = 0; j < n; j++)
    s += x[j] * x[i];
  y[i] = s;
}

__global__ void square(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * n)
    x[i] = 1;
}

__global__ void in_fours(int n, float4 *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n / 4)
    x[i] = make_float4(0, 0, 0, 0);
}

__global__ void march(int n, int steps, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  float v = x[i];
  for (int k = 0; k < steps; k++)
    v = v * v + 0.5f;
  x[i] = v;
}

__global__ void row_each(int systems, int n, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (i >= systems)
    return;
  for (int k = 0; k < n; k++)
    s += x[i * n + k];
  y[i] = s;
}

__global__ void short_rows(int rows, int n, const float *x, float *y) {
  __shared__ float s[512];
  if (blockIdx.x >= rows || n > 512)
    return;
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    s[i] = x[blockIdx.x * n + i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[blockIdx.x * n + i] = s[n - 1 - i];
}

__global__ void blocks_of_512(int n, float *x) {
  int i = blockIdx.x * 512 + threadIdx.x;
  if (i < n)
    x[i] = 1;
}

__global__ void steps_of_128(int cols, const float *x, float *y) {
  for (int i = threadIdx.x; i < cols; i += 128)
    y[blockIdx.x * cols + i] = x[blockIdx.x * cols + i];
}

__global__ void array_of_64(const float *x, float *y) {
  __shared__ float s[64];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = x[i];
  __syncthreads();
  y[i] = s[63 - threadIdx.x];
}

__global__ void rows_of_8(int n, const float *x, float *y) {
  __shared__ float s[32][33];
  for (int j = 0; j < 32; j += 8)
    s[threadIdx.y + j][threadIdx.x] =
        x[(blockIdx.y * 32 + threadIdx.y + j) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  for (int j = 0; j < 32; j += 8)
    y[(blockIdx.x * 32 + threadIdx.y + j) * n + blockIdx.y * 32 + threadIdx.x] =
        s[threadIdx.x][threadIdx.y + j];
}

__global__ void __launch_bounds__(512) bounded_512(int n, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    x[i] = 1;
}

__global__ void one_block(int n, float *x) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    x[i] = 1;
}

__global__ void four_deep(int a, int b, int c, int d, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y;
  if (i >= a || j >= b)
    return;
  for (int k = 0; k < c; k++)
    for (int l = 0; l < d; l++)
      y[(((long)i * b + j) * c + k) * d + l] = x[i];
}

// What contents decide, and what they are likely to be.
__global__ void embed(const float *table, const int *tok, float *out, int dim) { // indices of rows
  for (int d = threadIdx.x; d < dim; d += blockDim.x) out[blockIdx.x * dim + d] = table[(long)tok[blockIdx.x] * dim + d];
}
__global__ void kinds(int n, const unsigned char *kind, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float v = x[i];
  if (kind[i] == 1)
    for (int k = 0; k < 100; k++) v = v * v + 0.1f;
  y[i] = v;
}
__global__ void lookup(int n, int m, const int *sorted, const int *keys, int *found) { // binary search
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = m, key = keys[i];
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (sorted[mid] < key) lo = mid + 1;
    else hi = mid;
  }
  found[i] = lo;
}
__global__ void step(int n, int level, const int *row, const int *col, int *depth) { // bounds that are loaded again
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || depth[v] != level) return;
  for (int k = row[v]; k < row[v + 1]; k++)
    if (depth[col[k]] == 0) depth[col[k]] = level + 1;
}
__global__ void insert(int n, unsigned mask, const unsigned *keys, unsigned *table) { // any key fits
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) table[keys[i] * 2654435769u & mask] = keys[i];
}
__global__ void squares(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i] * index[i] + 40 - index[i]];
}
__global__ void pointers(int n, float *const *rows, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = rows[i][threadIdx.x];
}
__global__ void root(int n, const int *parent, int *out) { // does not end where links go round
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = i;
  while (parent[v] != v) v = parent[v];
  out[i] = v;
}
__global__ void down_columns(int h, int w, float *a) { // a thread for each column
  int c = blockIdx.x * blockDim.x + threadIdx.x;
  float s = 0;
  if (c < w)
    for (int r = 0; r < h; r++) a[r * w + c] = s += a[r * w + c];
}
__global__ void from_queue(int rows, int *next, float *sum) { // no block knows its index
  __shared__ int mine;
  for (;;) {
    if (threadIdx.x == 0) mine = atomicAdd(next, 1);
    __syncthreads();
    int r = mine;
    __syncthreads();
    if (r >= rows) return;
    if (threadIdx.x == 0) sum[r] = r;
  }
}
__global__ void in_turn(volatile int *done, float *x) { // a block waits for the one before
  if (threadIdx.x == 0 && blockIdx.x > 0)
    while (done[blockIdx.x - 1] == 0) {}
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = 1;
  if (threadIdx.x == 0) done[blockIdx.x] = 1;
}
__global__ void warp_each(int m, float *x) { // no length of a row
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (w < m) x[w * 32 + threadIdx.x % 32] = w;
}
__global__ void together(int blocks, int n, int steps, float *x, volatile unsigned *arrived) { // blocks wait for one another
  for (int s = 0; s < steps; s++) {
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += blocks * 256) x[i] = i > 0 ? 1 : 2;
    __syncthreads();
    if (threadIdx.x == 0) {
      atomicAdd((unsigned *)arrived, 1u);
      while (*arrived < (s + 1u) * blocks) {}
    }
    __syncthreads();
  }
}
__global__ void channels(int w, int h, int c, float *x) { // a plane for each channel
  int i = blockIdx.x * blockDim.x + threadIdx.x, k = blockIdx.y;
  if (i < w * h && k < c) x[k * w * h + i] = 1;
}

__global__ void halves(int n, int m, const int *sorted, const int *key, int *found) { // a search
  int i = blockIdx.x * blockDim.x + threadIdx.x, base = 0;
  if (i >= n) return;
  for (int len = m; len > 1;) {
    int half = len >> 1;
    base += sorted[base + half - 1] < key[i] ? half : 0;
    len -= half;
  }
  found[i] = base;
}
__global__ void narrows(int n, int m, const int *sorted, const int *key, int *found) { // by a warp
  int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32, lo = 0, hi = m;
  if (i >= n) return;
  while (hi - lo > 32) {
    int step = (hi - lo + 32) / 33, p = lo + (lane + 1) * step;
    int below = __popc(__ballot_sync(0xffffffffu, p - 1 < hi && sorted[p - 1] < key[i]));
    hi = min(hi, lo + (below + 1) * step), lo += below * step;
  }
  if (lane == 0) found[i] = lo;
}
__global__ void segments(int many, int total, const int *start, const float *x, float *sum) {
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, end = 0;
  float v = 0;
  if (s >= many) return;
  end = min(start[s + 1], total);
  for (int k = start[s] + threadIdx.x % 32; k < end; k += 32) v += x[k];
  atomicAdd(&sum[s], v);
}
__global__ void look_up(int rows, int width, const int *index, const float *from, float *to) {
  int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  for (int k = threadIdx.x % 32; k < width && r < rows; k += 32)
    to[r * width + k] = from[(size_t)index[r] * width + k];
}
__global__ void both_ways(int sets, int most, const int *step, int *sum) { // a row, and a bound
  int s = (blockIdx.x * blockDim.x + threadIdx.x) / 32, v = 0;
  if (s >= sets || most > 1024) return;
  for (int i = threadIdx.x % 32; i < most; i += 32) v += i;
  for (int i = threadIdx.x % 32 + step[s]; i < most; i += step[s] | 1) v += i;
  atomicAdd(&sum[s], v);
}
__global__ void down_together(int m, int n, const float *a, float *y) { // 16 threads to a column
  int c = blockIdx.x * 32 + threadIdx.x;
  float s = 0;
  if (c < n)
    for (int r = threadIdx.y; r < m; r += 16) s += a[(size_t)r * n + c];
  if (c < n) atomicAdd(&y[c], s);
}
__global__ void follow(int items, int steps, const int *next, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = i;
  if (i >= items) return;
  for (int k = 0; k < steps; k++) at = next[at];
  out[i] = at;
}
__global__ void pairs_in_tiles(int n, const float *p, float *sum) { // no guard
  __shared__ float tile[128];
  float v = 0;
  for (int base = 0; base < n; base += 128) {
    tile[threadIdx.x] = p[base + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < 128; j++) v += tile[j] * p[blockIdx.x * 128 + threadIdx.x];
    __syncthreads();
  }
  sum[blockIdx.x * 128 + threadIdx.x] = v;
}
__global__ void all_count(int n, const float4 *x, int *count) { // blocks behind the end write too
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool any = i < n / 4 && x[i].x > 2;
  if (threadIdx.x < 3) atomicAdd(&count[threadIdx.x], any);
}
__global__ void far_blocks(int n, const float *x, float *y) { // indices of far ones overflow
  int base = blockIdx.x * 1024;
  if (base >= n) return;
  for (int k = threadIdx.x; k < 1024; k += 64) y[base + k] = x[base + k];
}
__global__ void above_diagonal(int n, float *a) {
  if (blockIdx.x < blockIdx.y || (blockIdx.x + 1) * 32 > n) return;
  for (int j = threadIdx.y; j < 32; j += 8)
    a[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + threadIdx.x] = 1;
}
__global__ void inside_cube(int n, float *a) { // the first plane is an edge
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= n - 1 || y >= n - 1 || z >= n - 1) return;
  a[((size_t)z * n + y) * n + x] = 1;
}
__global__ void last_of_128(const float *x, float *y) {
  __shared__ float part[32];
  part[threadIdx.x / 32] = x[threadIdx.x];
  __syncthreads();
  if (threadIdx.x == 127) y[0] = part[0];
}
__global__ void frames(int n, const int4 *x, int4 *y) { // a warp to 128
  int f = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (f < n / 128) y[f * 32 + threadIdx.x % 32] = x[f * 32 + threadIdx.x % 32];
}
__global__ void by_heads(int heads, int len, float *x) {
  if (blockIdx.x < heads && blockIdx.y < 4)
    for (int k = threadIdx.x; k < len; k += 128) x[((size_t)blockIdx.y * heads + blockIdx.x) * len + k] = 1;
}
__global__ void by_rows(int w, int h, float *x) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < w && blockIdx.y < h) x[blockIdx.y * w + i] = 1;
}
__global__ void lowest_bits(const unsigned *mask, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[__ffs(mask[i] | 1u << 31) * 8];
}
__global__ void merge(int n, const int *row, const int *col, int *count) { // two ends
  int e = blockIdx.x * blockDim.x + threadIdx.x, found = 0;
  if (e + 1 >= n) return;
  int i = row[e], last = row[e + 1], j = row[e + 1], end = row[e + 2];
  while (i < last && j < end) {
    int a = col[i], b = col[j];
    found += a == b, i += a <= b, j += b <= a;
  }
  count[e] = found;
}
__global__ void by_itself(int n, float *x) {
  for (int i = 1; i < n; i++) x[i] += x[i - 1];
}
struct extents { int none, w; long h, d; };
__global__ void unravel(int n, extents e, float *x) { // divides by w, and by h * d
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = i % e.w + i / (e.h * e.d) + e.none;
}
