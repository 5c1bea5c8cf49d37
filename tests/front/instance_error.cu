// One instance of a template has an error, the other has none.
struct NoPlus {
  int v;
};
template <typename T> __device__ T twice(T x) { return x + x; }
template <typename T> __global__ void doubled(T *x) { x[threadIdx.x] = twice(x[threadIdx.x]); }
template <typename T> void run(T *x) { doubled<T><<<1, 32>>>(x); }

int main() {
  run((float *)0);
  run((NoPlus *)0);
  doubled<int><<<2, 32>>>((int *)0);
}

struct texture {
  int mine;
};
__global__ void own_texture(texture *t) { t->mine = 1; }
