// Streams, events, a captured graph launched three times, host functions, managed and pinned memory.
#include <cstdio>
__global__ void a(int *p) { p[threadIdx.x] = 1; }
__global__ void b(int *p, int v) { p[threadIdx.x] += v; }
static void called(void *p) { ++*(int *)p; }
int main() {
  cudaStream_t s[2];
  cudaEvent_t from, to;
  cudaGraph_t g;
  cudaGraphExec_t e;
  int *m, *h, *d, calls = 0;
  float ms = 0;
  if (cudaMallocManaged(&m, 256) || cudaMallocHost((void **)&h, 256) || cudaMalloc((void **)&d, 256)) return 1;
  for (int i = 0; i < 2; i++) cudaStreamCreate(&s[i]);
  cudaEventCreate(&from), cudaEventCreate(&to);
  cudaEventRecord(from);
  a<<<1, 64, 0, s[0]>>>(m);
  h[0] = 77;
  cudaMemcpyAsync(d, h, 256, cudaMemcpyHostToDevice, s[1]);
  cudaStreamBeginCapture(s[1], cudaStreamCaptureModeGlobal);
  b<<<2, 64, 0, s[1]>>>(d, 5);
  cudaMemcpyAsync(h, d, 4, cudaMemcpyDeviceToHost, s[1]);
  cudaStreamEndCapture(s[1], &g);
  cudaGraphInstantiate(&e, g, NULL, NULL, 0);
  for (int i = 0; i < 3; i++) cudaGraphLaunch(e, s[1]);
  cudaLaunchHostFunc(s[0], called, &calls);
  cudaEventRecord(to);
  cudaEventSynchronize(to);
  if (cudaEventElapsedTime(&ms, from, to) || !(ms > 0)) return 2;
  return calls != 1 || cudaGetLastError();
}
