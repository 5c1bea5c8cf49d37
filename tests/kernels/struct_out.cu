// Pointers inside a by-value struct, one of them written through.
struct Job { const int *x; int *y; short n, factor; };
__global__ void struct_out(Job job, int *__restrict__ copy) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= job.n) return;
  int v = job.x[job.n - 1 - i] * job.factor;
  job.y[i] = v;
  copy[i] = v - 1;
}
