// The benchmark's kernel: one work-item per element, no local memory.
__kernel void matmul(__global const float *A, __global const float *B, __global float *C, int N) {
  int col = get_global_id(0), row = get_global_id(1);
  float acc = 0.0f;
  for (int k = 0; k < N; k++) acc += A[row * N + k] * B[k * N + col];
  C[row * N + col] = acc;
}
