/* Tensors of PyTorch: accessors, which kernels take as arguments, with their layout; everything of the host declared alone.
 *
 * Functions that return tensors take any arguments: a host function is parsed so that the kernels it launches are known,
 * it is never run. */
#ifndef WW_TORCH_TENSOR_H
#define WW_TORCH_TENSOR_H
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>
#include <torch/ww_torch_scalar.h>

namespace c10 {
template <class T> struct ArrayRef {
  const T *data_ = nullptr;
  size_t size_ = 0;
  ArrayRef() = default;
  ArrayRef(const T &one) : data_(&one), size_(1) {}
  ArrayRef(const T *data, size_t n) : data_(data), size_(n) {}
  ArrayRef(const std::vector<T> &v) : data_(v.data()), size_(v.size()) {}
  ArrayRef(const std::initializer_list<T> &v) : data_(v.begin()), size_(v.size()) {}
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  const T *data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return !size_; }
  const T &operator[](size_t i) const { return data_[i]; }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  bool equals(ArrayRef) const;
  friend bool operator==(ArrayRef a, ArrayRef b) { return a.equals(b); }
  friend bool operator!=(ArrayRef a, ArrayRef b) { return !a.equals(b); }
};
typedef ArrayRef<int64_t> IntArrayRef;
template <class T> using optional = std::optional<T>;
using std::nullopt;
using std::nullopt_t;

enum class DeviceType : int8_t { CPU = 0, CUDA = 1, HIP = 6, Meta = 14, COMPILE_TIME_MAX_DEVICE_TYPES = 21 };
std::string DeviceTypeName(DeviceType, bool = false);
constexpr DeviceType kCPU = DeviceType::CPU, kCUDA = DeviceType::CUDA;
typedef int8_t DeviceIndex;
struct Device {
  Device(DeviceType, DeviceIndex = -1);
  Device(const std::string &);
  Device(const char *);
  DeviceType type() const;
  DeviceIndex index() const;
  bool is_cuda() const, is_cpu() const, has_index() const;
  std::string str() const;
  bool operator==(const Device &) const, operator!=(const Device &) const;
};
struct Scalar {
  template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>> Scalar(T);
  Scalar();
  template <class T> T to() const;
  double toDouble() const;
  float toFloat() const;
  int64_t toLong() const;
  int toInt() const;
};
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast, ChannelsLast3d };
enum class Layout : int8_t { Strided, Sparse };
constexpr Layout kStrided = Layout::Strided, kSparse = Layout::Sparse;
struct TensorOptions {
  TensorOptions();
  TensorOptions(ScalarType);
  TensorOptions(DeviceType);
  TensorOptions(const Device &);
  TensorOptions dtype(ScalarType) const, device(const Device &) const, device(DeviceType, int) const, device_index(int) const, requires_grad(bool = true) const,
      layout(Layout) const, memory_format(MemoryFormat) const, pinned_memory(bool = true) const;
  template <class T> TensorOptions dtype() const;
  ScalarType dtype() const;
  Device device() const;
};
template <class... A> TensorOptions device(const A &...);
template <class... A> TensorOptions dtype(const A &...);
} // namespace c10

namespace at {
/* ---- what kernels see ---- */
template <class T> struct DefaultPtrTraits { typedef T *PtrType; };
template <class T> struct RestrictPtrTraits { typedef T *__restrict__ PtrType; };

/* A view whose sizes and strides are elsewhere: what indexing leaves. */
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t> struct TensorAccessorBase {
  typedef typename Traits<T>::PtrType PtrType;
  C10_HOST_DEVICE TensorAccessorBase(PtrType data, const I *sizes, const I *strides) : data_(data), sizes_(sizes), strides_(strides) {}
  C10_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  C10_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() { return data_; }
  C10_HOST_DEVICE const PtrType data() const { return data_; }

protected:
  PtrType data_;
  const I *sizes_, *strides_;
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t> struct TensorAccessor : TensorAccessorBase<T, N, Traits, I> {
  using TensorAccessorBase<T, N, Traits, I>::TensorAccessorBase;
  C10_HOST_DEVICE TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, Traits, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <class T, template <class> class Traits, class I> struct TensorAccessor<T, 1, Traits, I> : TensorAccessorBase<T, 1, Traits, I> {
  using TensorAccessorBase<T, 1, Traits, I>::TensorAccessorBase;
  C10_HOST_DEVICE T &operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};

/* A view that a launch passes by value. */
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t> struct PackedTensorAccessorBase {
  typedef typename Traits<T>::PtrType PtrType;
  C10_HOST PackedTensorAccessorBase(PtrType data, const I *sizes, const I *strides) : data_(data) {
    for (size_t i = 0; i < N; i++) {
      sizes_[i] = sizes[i];
      strides_[i] = strides[i];
    }
  }
  C10_HOST_DEVICE I stride(I i) const { return strides_[i]; }
  C10_HOST_DEVICE I size(I i) const { return sizes_[i]; }
  C10_HOST_DEVICE PtrType data() { return data_; }
  C10_HOST_DEVICE const PtrType data() const { return data_; }

protected:
  PtrType data_;
  I sizes_[N], strides_[N];
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
struct GenericPackedTensorAccessor : PackedTensorAccessorBase<T, N, Traits, I> {
  using PackedTensorAccessorBase<T, N, Traits, I>::PackedTensorAccessorBase;
  C10_HOST_DEVICE TensorAccessor<T, N - 1, Traits, I> operator[](I i) const {
    return TensorAccessor<T, N - 1, Traits, I>(this->data_ + this->strides_[0] * i, this->sizes_ + 1, this->strides_ + 1);
  }
};
template <class T, template <class> class Traits, class I> struct GenericPackedTensorAccessor<T, 1, Traits, I> : PackedTensorAccessorBase<T, 1, Traits, I> {
  using PackedTensorAccessorBase<T, 1, Traits, I>::PackedTensorAccessorBase;
  C10_HOST_DEVICE T &operator[](I i) const { return this->data_[this->strides_[0] * i]; }
};
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits> using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits> using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t> using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, I>;

/* ---- what the host sees ---- */
struct Tensor;
namespace indexing {
struct Slice {
  template <class... A> Slice(const A &...);
};
struct TensorIndex {
  template <class T> TensorIndex(const T &);
};
enum class EllipsisIndexType { Ellipsis };
using c10::nullopt;
constexpr auto None = nullopt;
constexpr EllipsisIndexType Ellipsis = EllipsisIndexType::Ellipsis;
} // namespace indexing
struct DeprecatedTypeProperties {
  ScalarType scalarType() const;
  bool is_cuda() const;
  operator TensorOptions() const;
};

#define WW_TORCH_METHODS(M)                                                                                                             \
  M(abs) M(add) M(add_) M(all) M(alias) M(any) M(arange) M(argmax) M(argsort) M(bmm) M(ceil) M(chunk) M(clamp) M(clone) M(contiguous)    \
  M(copy_) M(cpu) M(cuda) M(cumsum) M(detach) M(diag) M(div) M(div_) M(exp) M(expand) M(expand_as) M(fill_) M(flatten) M(flip) M(floor)  \
  M(gather) M(ge) M(grad) M(gt) M(half) M(index_select) M(le) M(log) M(lt) M(masked_fill) M(masked_fill_) M(masked_select)      \
  M(matmul) M(max) M(mean) M(min) M(mm) M(mul) M(mul_) M(narrow) M(ne) M(neg) M(new_empty) M(new_full) M(new_ones) M(new_zeros) M(nonzero) M(norm) M(permute) M(pow) M(prod) M(repeat)     \
  M(requires_grad_) M(reshape) M(resize_) M(round) M(scatter_) M(select) M(set_) M(sigmoid) M(slice) M(softmax) M(sqrt) M(square)        \
  M(squeeze) M(squeeze_) M(std) M(sub) M(sub_) M(sum) M(t) M(tanh) M(to) M(toType) M(transpose) M(transpose_) M(triu) M(unfold)          \
  M(unsqueeze) M(unsqueeze_) M(var) M(view) M(view_as) M(zero_)
struct Tensor {
  Tensor();
  int64_t numel() const, dim() const, ndimension() const, size(int64_t) const, stride(int64_t) const, nbytes() const, element_size() const, itemsize() const,
      storage_offset() const, get_device() const;
  IntArrayRef sizes() const, strides() const;
  ScalarType scalar_type() const, dtype() const;
  DeprecatedTypeProperties type() const;
  Device device() const;
  TensorOptions options() const;
  MemoryFormat suggest_memory_format() const;
  bool defined() const, is_cuda() const, is_cpu() const, is_contiguous(MemoryFormat = MemoryFormat::Contiguous) const, is_floating_point() const,
      is_sparse() const, is_non_overlapping_and_dense() const, requires_grad() const, is_same(const Tensor &) const;
  void *data_ptr() const;
  const void *const_data_ptr() const;
  void *mutable_data_ptr() const;
  template <class T> T *data_ptr() const;
  template <class T> const T *const_data_ptr() const;
  template <class T> T *mutable_data_ptr() const;
  template <class T> T *data() const;
  template <class T> T item() const;
  Scalar item() const;
  template <class T, size_t N> TensorAccessor<T, N> accessor() const;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits> PackedTensorAccessor32<T, N, Traits> packed_accessor32() const;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits> PackedTensorAccessor64<T, N, Traits> packed_accessor64() const;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, I> packed_accessor() const;
  template <class T, size_t N, template <class> class Traits = DefaultPtrTraits, class I = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, I> generic_packed_accessor() const;
  std::vector<Tensor> unbind(int64_t = 0) const, split(int64_t, int64_t = 0) const;
  std::tuple<Tensor, Tensor> sort(int64_t = -1, bool = false) const, topk(int64_t, int64_t = -1, bool = true, bool = true) const;
  Tensor index(std::initializer_list<indexing::TensorIndex>) const, index(const std::vector<Tensor> &) const;
  template <class V> Tensor &index_put_(std::initializer_list<indexing::TensorIndex>, const V &);
  Tensor operator[](int64_t) const, operator-() const, operator~() const;
  Tensor &operator+=(const Tensor &), &operator-=(const Tensor &), &operator*=(const Tensor &), &operator/=(const Tensor &);
#define M(NAME)                                                                \
  Tensor NAME(IntArrayRef, bool = false) const;                                \
  Tensor NAME(IntArrayRef, const TensorOptions &) const;                       \
  template <class... A> Tensor NAME(const A &...) const;
  WW_TORCH_METHODS(M)
#undef M
};
#undef WW_TORCH_METHODS
#define WW_TORCH_OPERATOR(OP)                            \
  Tensor operator OP(const Tensor &, const Tensor &);    \
  Tensor operator OP(const Tensor &, const Scalar &);    \
  Tensor operator OP(const Scalar &, const Tensor &);
WW_TORCH_OPERATOR(+) WW_TORCH_OPERATOR(-) WW_TORCH_OPERATOR(*) WW_TORCH_OPERATOR(/) WW_TORCH_OPERATOR(==) WW_TORCH_OPERATOR(!=)
WW_TORCH_OPERATOR(<) WW_TORCH_OPERATOR(<=) WW_TORCH_OPERATOR(>) WW_TORCH_OPERATOR(>=) WW_TORCH_OPERATOR(&) WW_TORCH_OPERATOR(|)
#undef WW_TORCH_OPERATOR
typedef ArrayRef<Tensor> TensorList;

#define WW_TORCH_FUNCTIONS(F)                                                                                                            \
  F(abs) F(add) F(addmm) F(arange) F(argmax) F(bmm) F(cat) F(clamp) F(cumsum) F(div) F(dot) F(einsum) F(empty) F(empty_like)             \
  F(empty_strided) F(exp) F(eye) F(from_blob) F(full) F(full_like) F(gather) F(index_select) F(linear) F(log) F(matmul) F(max) F(mean)   \
  F(min) F(mm) F(mul) F(norm) F(ones) F(ones_like) F(rand) F(randint) F(randn) F(relu) F(rsqrt) F(scalar_tensor) F(sigmoid) F(softmax)   \
  F(sqrt) F(stack) F(sub) F(sum) F(tanh) F(tensor) F(transpose) F(where) F(zeros) F(zeros_like)
#define F(NAME)                                                              \
  Tensor NAME(IntArrayRef, const TensorOptions & = {}, optional<MemoryFormat> = nullopt); \
  Tensor NAME(IntArrayRef, const Scalar &, const TensorOptions & = {});      \
  Tensor NAME(TensorList, int64_t = 0);                                      \
  template <class... A> Tensor NAME(const A &...);
WW_TORCH_FUNCTIONS(F)
#undef F
#undef WW_TORCH_FUNCTIONS
} // namespace at
#endif
