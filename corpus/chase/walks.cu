// Loads that wait for loads: lists, trees, several chains at once, in shared memory, up to a root.

struct node {
  int next, key;
  float value[14];
};

// A list of 64-byte nodes: where it goes and what it adds are in one line.
// warpwise: grid=(threads+63)/64 block=64 threads=2048 steps=200 n=1<<18 list=i32[n*16]:uniform(0,n) out=f32[threads]
extern "C" __global__ void walk_nodes(int threads, int steps, int n, const node *list, float *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = (unsigned)i * 2654435761u % n;
  if (i >= threads) return;
  float s = 0.0f;
  for (int k = 0; k < steps; k++) {
    s += list[at].value[k % 14];
    at = list[at].next;
  }
  out[i] = s;
}

// Four chains in each thread: four loads in flight.
// warpwise: grid=(threads+63)/64 block=64 threads=8448 steps=200 n=1<<20 next=i32[n]:permutation out=i32[threads]
extern "C" __global__ void walk_four(int threads, int steps, int n, const int *next, int *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, a = i % n, b = (i + n / 4) % n, c = (i + n / 2) % n,
      d = (i + n / 4 * 3) % n;
  if (i >= threads) return;
  for (int k = 0; k < steps; k++) a = next[a], b = next[b], c = next[c], d = next[d];
  out[i] = a ^ b ^ c ^ d;
}

// The table is in shared memory: 4096 words.
// warpwise: grid=(threads+127)/128 block=128 threads=16896 steps=1000 next=i32[4096]:permutation out=i32[threads]
extern "C" __global__ void walk_shared(int threads, int steps, const int *next, int *out) {
  __shared__ int s[4096];
  for (int k = threadIdx.x; k < 4096; k += blockDim.x) s[k] = next[k];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, at = threadIdx.x;
  for (int k = 0; k < steps; k++) at = s[at];
  if (i < threads) out[i] = at;
}

// All lanes of a warp walk together: one sector per step.
// warpwise: grid=(warps+3)/4 block=128 warps=256 steps=500 n=1<<20 next=i32[n]:permutation out=i32[warps]
extern "C" __global__ void walk_together(int warps, int steps, int n, const int *next, int *out) {
  int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, at = w * 977 % n;
  if (w >= warps) return;
  for (int k = 0; k < steps; k++) at = next[at];
  if (threadIdx.x % 32 == 0) out[w] = at;
}

// Down a tree whose children are 2 i + 1 and 2 i + 2.
// warpwise: grid=(queries+255)/256 block=256 queries=1<<19 depth=20 tree=f32[1<<depth] q=f32[queries] leaf=i32[queries]
extern "C" __global__ void tree_descend(int queries, int depth, const float *tree, const float *q, int *leaf) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= queries) return;
  float v = q[i];
  int at = 0;
  for (int d = 0; d < depth; d++) at = 2 * at + 1 + (tree[at] < v);
  leaf[i] = at;
}

// Everybody's parent is before it: how many hops to the root.
// warpwise: grid=(n+255)/256 block=256 n=1<<20 parent=i32[n]:uniform(0,n) hops=i32[n]
extern "C" __global__ void to_root(int n, const int *parent, int *hops) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int at = i, k = 0;
  while (at > 0) at = parent[at] % at, k++;
  hops[i] = k;
}

// A chain of divisions and one of square roots, for their latency.
// warpwise: grid=(threads+31)/32 block=32 threads=512 steps=2000 x=1.7 out=f64[threads]
extern "C" __global__ void slow_chain(int threads, int steps, double x, double *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= threads) return;
  double a = x + threadIdx.x, b = a;
  for (int k = 0; k < steps; k++) a = x / (a + 0.5), b = sqrt(b + x);
  out[i] = a + b;
}
