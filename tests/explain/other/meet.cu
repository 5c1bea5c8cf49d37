// Threads that meet at one place: what helps there, and what does not.
// Rounds with a barrier of the grid: each block has to arrive by itself.
// warpwise: grid=264 block=128 rounds=100 sync=u32[2]:zeros x=f32[264*128]
__global__ void rounds_of(int rounds, unsigned *sync, float *x) {
  float v = x[blockIdx.x * 128 + threadIdx.x];
  for (int r = 0; r < rounds; r++) {
    __syncthreads();
    if (threadIdx.x == 0) {
      unsigned now = *(volatile unsigned *)&sync[1];
      __threadfence();
      if (atomicAdd(&sync[0], 1u) == gridDim.x - 1) {
        *(volatile unsigned *)&sync[0] = 0;
        __threadfence();
        atomicAdd(&sync[1], 1u);
      } else
        while (*(volatile unsigned *)&sync[1] == now) {}
    }
    __syncthreads();
    v = v * 0.5f + 1.0f;
  }
  x[blockIdx.x * 128 + threadIdx.x] = v;
}
// All lanes read the same weight: a tile of them would be no nearer than constant memory.
// warpwise: grid=n/256 block=256 n=1<<22 w=f32[16] x=f32[n+16] y=f32[n]
__global__ void smooth(int n, const float *w, const float *x, float *y) {
  __shared__ float s[256 + 16];
  int i = blockIdx.x * 256 + threadIdx.x;
  s[threadIdx.x] = x[i];
  if (threadIdx.x < 16) s[threadIdx.x + 256] = x[i + 256];
  __syncthreads();
  float a = 0.0f;
  for (int k = 0; k < 16; k++) a += w[k] * s[threadIdx.x + k];
  y[i] = a;
}
// Banks that data chooses: no row to pad, and by chance three or four of 32 lanes meet.
// warpwise: grid=1056 block=256 n=1<<22 key=u32[n]:random out=f32[n] table=f32[1024]
__global__ void lookup(int n, const unsigned *key, const float *table, float *out) {
  __shared__ float s[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) s[k] = table[k];
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned k = key[i];
    float v = 0.0f;
    for (int r = 0; r < 16; r++) v += s[(k >> r) & 1023];
    out[i] = v;
  }
}
// The same with a table of power-of-two rows: most lanes meet.
// warpwise: grid=1056 block=256 n=1<<22 key=u32[n]:random out=f32[n] table=f32[1024]
__global__ void lookup_rows(int n, const unsigned *key, const float *table, float *out) {
  __shared__ float s[1024];
  for (int k = threadIdx.x; k < 1024; k += 256) s[k] = table[k];
  __syncthreads();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) {
    unsigned k = key[i];
    float v = 0.0f;
    for (int r = 0; r < 16; r++) v += s[((k >> r) & 31) * 32];
    out[i] = v;
  }
}
// A warp to a row of 36: the loop's last turn has four lanes, what one lane writes down at the end is none of its loss.
// warpwise: grid=n/8 block=256 n=65536 width=36 x=f32[n*width] y=f32[n]
__global__ void means(int n, int width, const float *x, float *y) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  float s = 0.0f;
  for (int i = lane; i < width; i += 32) s += x[row * width + i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffffu, s, d);
  if (lane == 0) y[row] = s / width;
}
