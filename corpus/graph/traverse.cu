// Steps of graph algorithms on compressed rows: who expands a vertex (thread, warp, edge), queue or bitmap.

// A queue of vertices: a thread expands one, new ones are appended one by one.
// warpwise: grid=(size+255)/256 block=256 size=65536 n=1048576 level=3 queue=[size]:uniform(0,n) row=[n+1]:monotone(0,n*8) col=[n*8]:uniform(0,n) depth=[n]:uniform(0,5) next=[n] tail=[1]:zeros
extern "C" __global__ void frontier_thread(int size, int n, int level, const int *__restrict__ queue, const int *__restrict__ row, const int *__restrict__ col, int *depth, int *next, int *tail) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= size) return;
  int v = queue[i];
  for (int k = row[v]; k < row[v + 1]; k++) {
    int u = col[k];
    if (depth[u] > level && atomicExch(&depth[u], level) > level) next[atomicAdd(tail, 1)] = u;
  }
}

// A warp expands a vertex, finds are gathered by a vote and one lane takes room for all.
// warpwise: grid=(size+7)/8 block=256 size=32768 n=524288 level=3 queue=[size]:uniform(0,n) row=[n+1]:monotone(0,n*16) col=[n*16]:uniform(0,n) depth=[n]:uniform(0,5) next=[n] tail=[1]:zeros
extern "C" __global__ void frontier_warp(int size, int n, int level, const int *__restrict__ queue, const int *__restrict__ row, const int *__restrict__ col, int *depth, int *next, int *tail) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (w >= size) return;
  int v = queue[w], last = row[v + 1];
  for (int base = row[v]; base < last; base += 32) {
    int k = base + lane, u = k < last ? col[k] : -1;
    bool fresh = u >= 0 && depth[u] > level && atomicExch(&depth[u], level) > level;
    unsigned who = __ballot_sync(0xffffffffu, fresh);
    if (!who) continue;
    int at = 0;
    if (lane == 0) at = atomicAdd(tail, __popc(who));
    at = __shfl_sync(0xffffffffu, at, 0);
    if (fresh) next[at + __popc(who & ((1u << lane) - 1u))] = u;
  }
}

// Bottom-up: an unvisited vertex looks for any parent in the bitmap and stops at the first.
// warpwise: grid=(n+255)/256 block=256 n=1048576 row=[n+1]:monotone(0,n*8) col=[n*8]:uniform(0,n) seen=[n/32+1] parent=[n]:uniform(-1,2) fresh=[n/32+1]:zeros
extern "C" __global__ void bottom_up(int n, const int *__restrict__ row, const int *__restrict__ col, const unsigned *__restrict__ seen, int *parent, unsigned *fresh) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  bool found = false;
  if (v < n && parent[v] < 0)
    for (int k = row[v]; k < row[v + 1]; k++) {
      int u = col[k];
      if (seen[u >> 5] >> (u & 31) & 1u) {
        parent[v] = u, found = true;
        break;
      }
    }
  unsigned word = __ballot_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0 && v < n) fresh[v >> 5] = word;
}

// Connected components: an edge hooks the larger root under the smaller.
// warpwise: grid=(m+255)/256 block=256 m=2097152 n=1048576 from=[m]:uniform(0,n) to=[m]:uniform(0,n) root=[n]:index changed=[1]:zeros
extern "C" __global__ void components_hook(int m, int n, const int *__restrict__ from, const int *__restrict__ to, int *root, int *changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  int a = root[from[e]], b = root[to[e]];
  if (a == b) return;
  int high = max(a, b), low = min(a, b);
  if (atomicMin(&root[high], low) > low) *changed = 1;
}

// Then pointers jump until every vertex points at a root.
// warpwise: grid=(n+255)/256 block=256 n=1048576 root=[n]:monotone(0,n/2)
extern "C" __global__ void components_jump(int n, int *root) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int r = root[v];
  for (int hops = 0; hops < 64 && root[r] < r; hops++) r = root[r];
  root[v] = r;
}

// Triangles: a thread per edge merges two sorted lists.
// warpwise: grid=(m+127)/128 block=128 m=524288 n=65536 row=[n+1]:monotone(0,m) col=[m]:monotone(0,n-1) from=[m]:monotone(0,n-1) count=[1]:zeros
extern "C" __global__ void triangles_merge(int m, int n, const int *__restrict__ row, const int *__restrict__ col, const int *__restrict__ from, unsigned *count) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned found = 0;
  if (e < m) {
    int u = from[e], v = col[e], i = row[u], iend = row[u + 1], j = row[v], jend = row[v + 1];
    while (i < iend && j < jend) {
      int a = col[i], b = col[j];
      found += a == b;
      i += a <= b, j += b <= a;
    }
  }
  for (int d = 16; d > 0; d >>= 1) found += __shfl_down_sync(0xffffffffu, found, d);
  if (threadIdx.x % 32 == 0 && found) atomicAdd(count, found);
}

// A block per vertex: its neighbours set bits in shared memory (a hash of 8192), lists of neighbours are looked up.
// warpwise: grid=n block=128 n=8192 row=[n+1]:monotone(0,n*32) col=[n*32]:uniform(0,n) count=[1]:zeros
extern "C" __global__ void triangles_bitmap(int n, const int *__restrict__ row, const int *__restrict__ col, unsigned *count) {
  __shared__ unsigned bits[256];
  int v = blockIdx.x, first = row[v], last = row[v + 1], warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bits[i] = 0;
  __syncthreads();
  for (int k = first + threadIdx.x; k < last; k += blockDim.x) atomicOr(&bits[col[k] % 8192 / 32], 1u << (col[k] & 31));
  __syncthreads();
  unsigned found = 0;
  for (int k = first + warp; k < last; k += blockDim.x / 32) {
    int u = col[k];
    for (int j = row[u] + lane; j < row[u + 1]; j += 32) {
      int x = col[j];
      found += bits[x % 8192 / 32] >> (x & 31) & 1u;
    }
  }
  for (int d = 16; d > 0; d >>= 1) found += __shfl_down_sync(0xffffffffu, found, d);
  if (lane == 0 && found) atomicAdd(count, found);
}

// Shortest paths: all edges of the list relax at once.
// warpwise: grid=(m+255)/256 block=256 m=4194304 n=524288 from=[m]:uniform(0,n) to=[m]:uniform(0,n) weight=[m]:uniform(1,100) dist=[n]:uniform(0,10000) changed=[1]:zeros
extern "C" __global__ void relax_edges(int m, int n, const int *__restrict__ from, const int *__restrict__ to, const int *__restrict__ weight, int *dist, int *changed) {
  int e = blockIdx.x * blockDim.x + threadIdx.x;
  if (e >= m) return;
  int far = dist[from[e]] + weight[e];
  if (far < dist[to[e]] && atomicMin(&dist[to[e]], far) > far) *changed = 1;
}

// Rank pulled by a warp per vertex, contributions ready divided.
// warpwise: grid=(n+7)/8 block=256 n=131072 row=[n+1]:monotone(0,n*32) col=[n*32]:zipf(0,n) share=[n] next=[n]
extern "C" __global__ void rank_pull_warp(int n, const int *__restrict__ row, const int *__restrict__ col, const float *__restrict__ share, float *__restrict__ next) {
  int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (v >= n) return;
  float s = 0.0f;
  for (int k = row[v] + lane; k < row[v + 1]; k += 32) s += share[col[k]];
  for (int d = 16; d > 0; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  if (lane == 0) next[v] = 0.15f / n + 0.85f * s;
}

// Independent set: a vertex joins when its priority beats all undecided neighbours.
// warpwise: grid=(n+255)/256 block=256 n=524288 row=[n+1]:monotone(0,n*6) col=[n*6]:uniform(0,n) state=[n]:uniform(0,3) out=[n]
extern "C" __global__ void independent_step(int n, const int *__restrict__ row, const int *__restrict__ col, const unsigned char *__restrict__ state, unsigned char *__restrict__ out) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned char s = state[v];
  if (s == 0) {
    unsigned mine = (unsigned)v * 2654435761u;
    s = 1;
    for (int k = row[v]; k < row[v + 1] && s == 1; k++) {
      int u = col[k];
      if (state[u] == 1) s = 2;
      if (state[u] == 0 && u != v && (unsigned)u * 2654435761u > mine) s = 0;
    }
  }
  out[v] = s;
}

// Greedy colours: the lowest of 64 that no neighbour has.
// warpwise: grid=(n+127)/128 block=128 n=262144 row=[n+1]:monotone(0,n*12) col=[n*12]:uniform(0,n) colour=[n]:uniform(0,64)
extern "C" __global__ void colour_step(int n, const int *__restrict__ row, const int *__restrict__ col, int *colour) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  unsigned long long used = 0;
  for (int k = row[v]; k < row[v + 1]; k++) used |= 1ull << (colour[col[k]] & 63);
  colour[v] = used == ~0ull ? 63 : __ffsll(~used) - 1;
}
