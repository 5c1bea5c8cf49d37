// Matrix products whose loads go to shared memory, straight or through registers of the next trip, or are used again and
// again by the thread itself: there is no tile left to advise.
// warpwise: grid=n/16,n/16 block=16,16 n=1024 a=[n*n] b=[n*n] c=[n*n]
__global__ void straight(const float *a, const float *b, float *c, int n) {
  __shared__ float at[16][16], bt[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    at[y][x] = a[row * n + k + x];
    bt[y][x] = 2.0f * b[(k + y) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; i++) sum += at[y][i] * bt[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// warpwise: grid=n/16,n/16 block=16,16 n=1024 a=[n*n] b=[n*n] c=[n*n]
__global__ void ahead(const float *a, const float *b, float *c, int n) {
  __shared__ float at[16][16], bt[16][16];
  int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  float sum = 0, p = a[row * n + x], q = b[y * n + col];
  for (int k = 0; k < n; k += 16) {
    at[y][x] = p;
    bt[y][x] = q;
    __syncthreads();
    if (k + 16 < n) {
      p = a[row * n + k + 16 + x];
      q = b[(k + 16 + y) * n + col];
    }
    for (int i = 0; i < 16; i++) sum += at[y][i] * bt[i][x];
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// warpwise: grid=n/64,n/64 block=16,16 n=1024 a=[n*n] b=[n*n] c=[n*n]
__global__ void registers(const float *a, const float *b, float *c, int n) {
  int row = (blockIdx.y * 16 + threadIdx.y) * 4, col = (blockIdx.x * 16 + threadIdx.x) * 4;
  float sum[4][4] = {};
  for (int k = 0; k < n; k++) {
    float4 q = *(const float4 *)&b[k * n + col];
    for (int i = 0; i < 4; i++) {
      float p = a[(row + i) * n + k];
      sum[i][0] += p * q.x;
      sum[i][1] += p * q.y;
      sum[i][2] += p * q.z;
      sum[i][3] += p * q.w;
    }
  }
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) c[(row + i) * n + col + j] = sum[i][j];
}
