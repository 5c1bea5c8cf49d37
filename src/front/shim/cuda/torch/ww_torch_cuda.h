/* What PyTorch has for CUDA code: streams, guards and checks for the host, loops, atomics and shuffles for kernels. */
#ifndef WW_TORCH_CUDA_H
#define WW_TORCH_CUDA_H
#include <cassert>
#include <torch/ww_torch_tensor.h>

namespace c10 {
struct Error {
  const char *what() const;
};
template <class... A> [[noreturn]] void ww_torch_fail(const A &...);
namespace cuda {
struct CUDAStream {
  cudaStream_t stream() const;
  operator cudaStream_t() const;
  void synchronize() const;
  DeviceIndex device_index() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex = -1), getDefaultCUDAStream(DeviceIndex = -1), getStreamFromPool(bool = false, DeviceIndex = -1);
void setCurrentCUDAStream(CUDAStream);
struct CUDAGuard {
  template <class D> explicit CUDAGuard(const D &);
  ~CUDAGuard();
  template <class D> void set_device(const D &);
  void set_index(DeviceIndex);
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard();
  template <class D> explicit OptionalCUDAGuard(const D &);
  ~OptionalCUDAGuard();
  template <class D> void set_device(const D &);
};
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(const CUDAStream &);
  ~CUDAStreamGuard();
};
DeviceIndex current_device(), device_count();
void set_device(DeviceIndex), device_synchronize();
} // namespace cuda
} // namespace c10

namespace at {
template <class T> optional<Device> device_of(const T &);
template <class T> C10_HOST_DEVICE constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }
template <class T> C10_HOST_DEVICE constexpr T round_up(T a, T b) { return ceil_div(a, b) * b; }
struct PhiloxCudaState {
  uint64_t seed_, offset_;
};
namespace cuda {
using namespace c10::cuda;
cudaDeviceProp *getCurrentDeviceProperties(), *getDeviceProperties(int64_t);
int warp_size();
template <class T> C10_HOST_DEVICE constexpr T ATenCeilDiv(T a, T b) { return ceil_div(a, b); }
namespace philox {
C10_HOST_DEVICE inline std::tuple<uint64_t, uint64_t> unpack(PhiloxCudaState s) { return std::make_tuple(s.seed_, s.offset_); }
} // namespace philox
namespace detail {
constexpr int CUDA_NUM_THREADS = 1024;
inline int GET_BLOCKS(int64_t n, int64_t threads = CUDA_NUM_THREADS) { return (n + threads - 1) / threads; }
template <class T, class I> struct TensorInfo {
  T *data;
  I sizes[25], strides[25];
  int dims;
};
} // namespace detail
} // namespace cuda
} // namespace at

#define CUDA_KERNEL_LOOP_TYPE(i, n, I)                                                       \
  int64_t _i_n_d_e_x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;                       \
  for (I i = _i_n_d_e_x; _i_n_d_e_x < (n); _i_n_d_e_x += blockDim.x * gridDim.x, i = _i_n_d_e_x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define CUDA_1D_KERNEL_LOOP_T(i, n, I) for (I i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#define CUDA_1D_KERNEL_LOOP(i, n) CUDA_1D_KERNEL_LOOP_T(i, n, int)

/* ---- checks: the host's end in an exception that nobody catches, a kernel's in a trap ---- */
#define TORCH_CHECK(COND, ...) ((COND) ? (void)0 : ::c10::ww_torch_fail(#COND, ##__VA_ARGS__))
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY TORCH_CHECK
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b))
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b))
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b))
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b))
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b))
#define TORCH_CHECK_VALUE TORCH_CHECK
#define TORCH_CHECK_INDEX TORCH_CHECK
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
#define AT_ASSERT TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define AT_CHECK TORCH_CHECK
#define AT_ERROR(...) ::c10::ww_torch_fail(__VA_ARGS__)
#define AT_CUDA_CHECK(...) TORCH_CHECK((__VA_ARGS__) == cudaSuccess)
#define C10_CUDA_CHECK AT_CUDA_CHECK
#define THCudaCheck AT_CUDA_CHECK
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define CUDA_KERNEL_ASSERT(...) assert(__VA_ARGS__)
#define CUDA_KERNEL_ASSERT_MSG(COND, ...) assert(COND)

/* ---- kernels: shuffles of any type, atomics of PyTorch's own ---- */
template <class T> __device__ __forceinline__ T WARP_SHFL(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_sync(mask, v, lane, width); }
template <class T> __device__ __forceinline__ T WARP_SHFL_XOR(T v, int lane, int width = 32, unsigned mask = 0xffffffff) { return __shfl_xor_sync(mask, v, lane, width); }
template <class T> __device__ __forceinline__ T WARP_SHFL_UP(T v, unsigned by, int width = 32, unsigned mask = 0xffffffff) { return __shfl_up_sync(mask, v, by, width); }
template <class T> __device__ __forceinline__ T WARP_SHFL_DOWN(T v, unsigned by, int width = 32, unsigned mask = 0xffffffff) { return __shfl_down_sync(mask, v, by, width); }
__device__ __forceinline__ unsigned WARP_BALLOT(int predicate, unsigned mask = 0xffffffff) { return __ballot_sync(mask, predicate); }
template <class T> __device__ __forceinline__ T gpuAtomicAdd(T *at, T v) { return atomicAdd(at, v); }
__device__ __forceinline__ int64_t gpuAtomicAdd(int64_t *at, int64_t v) { return atomicAdd((unsigned long long *)at, (unsigned long long)v); }
__device__ __forceinline__ c10::Half gpuAtomicAdd(c10::Half *at, c10::Half v) { return atomicAdd((__half *)at, static_cast<__half>(v)); }
__device__ __forceinline__ c10::BFloat16 gpuAtomicAdd(c10::BFloat16 *at, c10::BFloat16 v) { return atomicAdd((__nv_bfloat16 *)at, static_cast<__nv_bfloat16>(v)); }
template <class T> __device__ __forceinline__ void gpuAtomicAddNoReturn(T *at, T v) { gpuAtomicAdd(at, v); }
__device__ __forceinline__ c10::Half atomicAdd(c10::Half *at, c10::Half v) { return gpuAtomicAdd(at, v); }
__device__ __forceinline__ c10::BFloat16 atomicAdd(c10::BFloat16 *at, c10::BFloat16 v) { return gpuAtomicAdd(at, v); }
#endif
