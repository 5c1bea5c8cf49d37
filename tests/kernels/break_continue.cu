__global__ void break_continue(const int *__restrict__ x, int *__restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
  for (int k = 0; k < n; k++) {
    int v = (x[i] * 31 + k * 17) % 64;
    if (v == 0) break;
    if (v & 1) continue;
    for (int j = v; j > 0; j -= 16) {
      if (sum > 400) goto done;
      sum += j;
    }
  }
done:
  out[i] = sum;
}
