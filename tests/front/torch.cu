// An extension of PyTorch: the dispatch macro names the types, accessors are arguments, nothing of PyTorch is installed.
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <vector>

#define CHECK_INPUT(x) TORCH_CHECK(x.is_cuda() && x.is_contiguous(), #x " must lie on the GPU, in order, ", x.numel())

template <typename scalar_t>
__global__ void gate(const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> in,
                     torch::PackedTensorAccessor32<scalar_t, 2> out) {
  int n = blockIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c < in.size(1)) out[n][c] = 1.0 / (1.0 + exp(-in[n][c]));
}

template <typename T, typename acc_t = at::acc_type<T, true>>
C10_LAUNCH_BOUNDS_1(256)
__global__ void sums(const T *__restrict__ x, T *__restrict__ y, int64_t n) {
  acc_t s = 0;
  CUDA_KERNEL_LOOP(i, n) s += x[i];
  gpuAtomicAdd(y, static_cast<T>(s));
}

std::vector<torch::Tensor> forward(torch::Tensor in, c10::optional<at::Tensor> mask) {
  CHECK_INPUT(in);
  const at::cuda::OptionalCUDAGuard guard(device_of(in));
  auto out = torch::zeros({in.size(0), in.size(1)}, in.options().dtype(torch::kFloat32));
  auto all = torch::empty_like(in).sum({0, 1}, true);
  const dim3 blocks((in.size(1) + 127) / 128, in.size(0));
  auto stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES(in.scalar_type(), "gate", ([&] {
    gate<scalar_t><<<blocks, 128, 0, stream>>>(in.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(), out.packed_accessor32<scalar_t, 2>());
  }));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, in.scalar_type(), "sums", [&] {
    sums<scalar_t><<<at::ceil_div<int64_t>(in.numel(), 256), 256, 0, stream>>>(in.data_ptr<scalar_t>(), all.data_ptr<scalar_t>(), in.numel());
  });
  return {out, at::cat({all, all}, 0) * 2.0};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("forward", &forward, "gates and their sum", py::arg("in"), py::arg("mask") = py::object()); }
