// The same work with worse addresses: strides, gathers, scatters.

// warpwise: grid=(n+255)/256 block=256 n=1<<20 stride=8 x=f32[n*8] y=f32[n]
extern "C" __global__ void strided_read(int n, int stride, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[(size_t)i * stride];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 stride=8 x=f32[n] y=f32[n*8]
extern "C" __global__ void strided_write(int n, int stride, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[(size_t)i * stride] = 2.0f * x[i];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 index=i32[n]:permutation x=f32[n] y=f32[n]
extern "C" __global__ void gather(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[index[i]];
}

// warpwise: grid=(n+255)/256 block=256 n=1<<20 index=i32[n]:permutation x=f32[n] y=f32[n]
extern "C" __global__ void scatter(int n, const int *index, const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[index[i]] = x[i];
}

struct particle {
  float x, y, z, vx, vy, vz, mass, pad;
};

// warpwise: grid=(n+255)/256 block=256 n=1<<19 dt=0.01 p=[n*32]
extern "C" __global__ void move_aos(int n, float dt, particle *p) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  p[i].x += dt * p[i].vx;
  p[i].y += dt * p[i].vy;
  p[i].z += dt * p[i].vz;
}
