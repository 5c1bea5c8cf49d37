// A library that has no stand-in does nothing; what the program launches itself is seen.
#include <cudnn.h>
#include <cusparse.h>

__global__ void scale(float *x, float by) {
  x[threadIdx.x] *= by;
}

int main() {
  cudnnHandle_t dnn;
  cusparseHandle_t sparse;
  float *x;
  if (cudnnCreate(&dnn) != CUDNN_STATUS_SUCCESS || cusparseCreate(&sparse) != CUSPARSE_STATUS_SUCCESS)
    return 1;
  if (cudnnGetErrorString(CUDNN_STATUS_SUCCESS)[0])
    return 2;
  cudaMalloc(&x, 32 * sizeof *x);
  scale<<<1, 32>>>(x, 3);
  cudnnDestroy(dnn);
  return cusparseDestroy(sparse);
}
