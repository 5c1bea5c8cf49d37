// Structs that a launch passes by value: in memory, in two registers, with pointers, and those that are not known.
#include <cuda_runtime.h>

struct Params {
  int nx, ny;
  float dt, dx[2];
};
struct Matrix {
  int rows, cols;
  float *data;
};
struct Box {
  unsigned x, y, z;
};
struct Fields {
  float *u, *v;
  double scale;
};

__global__ void step(float *u, Params p) { u[threadIdx.x * p.nx] *= p.dt; }
__global__ void product(Matrix a, Matrix b) { a.data[threadIdx.x] = b.data[threadIdx.x * b.cols]; }
__global__ void fill(float *u, Box b) { u[threadIdx.x * b.z] = 0; }
__global__ void both(Fields f) { f.u[threadIdx.x] = f.v[threadIdx.x] * f.scale; }
template <class F> __global__ void apply(int n, F f) { if (threadIdx.x < n) f(threadIdx.x); }

void configure(Params *p);

static Params defaults(int n) {
  Params p;
  p.nx = n;
  p.ny = 2 * n;
  p.dt = 0.5f;
  p.dx[0] = p.dx[1] = 0.25f;
  return p;
}

int main() {
  float *u, *v;
  cudaMalloc(&u, 4096 * sizeof(float));
  cudaMalloc(&v, 64);
  step<<<1, 32>>>(u, defaults(100));
  Matrix a = {8, 16, u}, b = {16, 8, nullptr};
  cudaMalloc(&b.data, 512);
  product<<<1, 32>>>(a, b);
  fill<<<1, 32>>>(u, Box{1, 2, 3});
  both<<<1, 32>>>(Fields{u, u + 16, 2.0});
  apply<<<1, 32>>>(16, [=] __device__(int i) { v[i] = u[i]; });
  Params unknown = defaults(7);
  configure(&unknown);
  step<<<2, 32>>>(u, unknown);
}
