// Braces that balance only along one branch of the preprocessor.
#if 0
void garbage( { { don't look
#endif
#ifdef WIDE
__global__ void shape(double *x, int n) {
#else
__global__ void shape(float *x, int n) {
#endif
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void faulty(int *x) { x[0] = nowhere; }
template <class T> struct Op {
  T v;
  Op(T a) : v{a} { this->bad_member(); }
  __device__ T operator()(T x) const { return x * v; }
};
__global__ void uses_op(float *x) { x[threadIdx.x] = Op<float>(3.0f)(x[threadIdx.x]); }
__global__ void sound(int *x) { x[threadIdx.x] = R"(})"[0] + '}' + 1'000; }
