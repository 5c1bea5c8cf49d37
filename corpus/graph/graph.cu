// One step of breadth-first search and of PageRank on a CSR graph.

// warpwise: grid=(n+255)/256 block=256 n=262144 level=1 row=i32[n+1]:monotone(0,n*8) col=i32[n*8]:uniform(0,n) depth=i32[n]:uniform(0,3) changed=i32[1]:zeros
extern "C" __global__ void bfs_step(int n, int level, const int *row, const int *col, int *depth, int *changed) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n || depth[v] != level) return;
  for (int k = row[v]; k < row[v + 1]; k++) {
    int u = col[k];
    if (depth[u] > level + 1 || depth[u] == 0) depth[u] = level + 1, *changed = 1;
  }
}

// warpwise: grid=(n+255)/256 block=256 n=262144 row=i32[n+1]:monotone(0,n*8) col=i32[n*8]:zipf(0,n) rank=f32[n] next=f32[n]:zeros
extern "C" __global__ void pagerank_push(int n, const int *row, const int *col, const float *rank, float *next) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  int first = row[v], last = row[v + 1];
  float share = last > first ? 0.85f * rank[v] / (last - first) : 0.0f;
  for (int k = first; k < last; k++) atomicAdd(&next[col[k]], share);
}

// warpwise: grid=(n+255)/256 block=256 n=262144 row=i32[n+1]:monotone(0,n*8) col=i32[n*8]:uniform(0,n) rank=f32[n] next=f32[n]
extern "C" __global__ void pagerank_pull(int n, const int *row, const int *col, const float *rank, float *next) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  float s = 0.0f;
  for (int k = row[v]; k < row[v + 1]; k++) s += rank[col[k]];
  next[v] = 0.15f + 0.85f * s;
}
