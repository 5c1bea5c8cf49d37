/* The numbers of PyTorch's kernels: c10::Half, c10::BFloat16, c10::complex, and ScalarType, which names one at run time.
 *
 * As in PyTorch, 16-bit numbers are stored as bits and every operation on them is done in float and rounded once; clang
 * would otherwise make 16-bit operations of these and contract two into one. */
#ifndef WW_TORCH_SCALAR_H
#define WW_TORCH_SCALAR_H
#include <cstddef>
#include <cstdint>
#include <limits>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define C10_HOST_DEVICE __host__ __device__
#define C10_HOST __host__
#define C10_DEVICE __device__
#define C10_ALWAYS_INLINE __attribute__((always_inline)) inline
#define C10_LAUNCH_BOUNDS_0 __launch_bounds__(256, 4)
#define C10_LAUNCH_BOUNDS_1(threads) __launch_bounds__((threads))
#define C10_LAUNCH_BOUNDS_2(threads, blocks) __launch_bounds__((threads), (blocks))
#define C10_LIKELY(x) __builtin_expect(static_cast<bool>(x), 1)
#define C10_UNLIKELY(x) __builtin_expect(static_cast<bool>(x), 0)
#define C10_RESTRICT __restrict__
#define C10_UNUSED __attribute__((unused))
#define C10_WARP_SIZE 32
#define C10_API
#define TORCH_API

namespace c10 {
/* NAME: a 16-bit number whose bits become VENDOR's type by AS, with conversions FROM and TO float. */
#define WW_TORCH_16(NAME, VENDOR, AS, BITS, FROM, TO)                                                  \
  struct alignas(2) NAME {                                                                             \
    unsigned short x;                                                                                  \
    struct from_bits_t {};                                                                             \
    static constexpr C10_HOST_DEVICE from_bits_t from_bits() { return {}; }                            \
    NAME() = default;                                                                                  \
    constexpr C10_HOST_DEVICE NAME(unsigned short bits, from_bits_t) : x(bits) {}                      \
    C10_HOST_DEVICE NAME(float f) : x(BITS(FROM(f))) {}                                                \
    C10_HOST_DEVICE NAME(const VENDOR &v) : x(BITS(v)) {}                                              \
    C10_HOST_DEVICE operator float() const { return TO(AS(x)); }                                       \
    explicit C10_HOST_DEVICE operator VENDOR() const { return AS(x); }                                 \
  };                                                                                                   \
  inline C10_HOST_DEVICE NAME operator-(NAME a) { return -static_cast<float>(a); }                     \
  WW_TORCH_16_OPERATOR(NAME, +)                                                                        \
  WW_TORCH_16_OPERATOR(NAME, -)                                                                        \
  WW_TORCH_16_OPERATOR(NAME, *)                                                                        \
  WW_TORCH_16_OPERATOR(NAME, /)
#define WW_TORCH_16_OPERATOR(NAME, OP)                                                                                 \
  inline C10_HOST_DEVICE NAME operator OP(NAME a, NAME b) {                                                            \
    _Pragma("clang fp contract(off)") return static_cast<float>(a) OP static_cast<float>(b);                           \
  }                                                                                                                    \
  WW_TORCH_16_MIXED(NAME, float, float, OP)                                                                            \
  WW_TORCH_16_MIXED(NAME, double, double, OP)                                                                          \
  WW_TORCH_16_MIXED(NAME, int, NAME, OP)                                                                               \
  WW_TORCH_16_MIXED(NAME, int64_t, NAME, OP)                                                                           \
  inline C10_HOST_DEVICE NAME &operator OP##=(NAME &a, const NAME &b) { return a = a OP b; }                           \
  inline C10_HOST_DEVICE float &operator OP##=(float &a, const NAME &b) { return a = a OP static_cast<float>(b); }
/* With a number of type T the result is an R: float and double stay, integers become 16 bits first. */
#define WW_TORCH_16_MIXED(NAME, T, R, OP)                                                                              \
  inline C10_HOST_DEVICE R operator OP(NAME a, T b) { return static_cast<R>(static_cast<float>(a)) OP static_cast<R>(b); } \
  inline C10_HOST_DEVICE R operator OP(T a, NAME b) { return static_cast<R>(a) OP static_cast<R>(static_cast<float>(b)); }
WW_TORCH_16(Half, __half, __ushort_as_half, __half_as_ushort, __float2half, __half2float)
WW_TORCH_16(BFloat16, __nv_bfloat16, __ushort_as_bfloat16, __bfloat16_as_ushort, __float2bfloat16, __bfloat162float)
#undef WW_TORCH_16_OPERATOR
#undef WW_TORCH_16_MIXED
#undef WW_TORCH_16

template <class T> struct alignas(2 * sizeof(T)) complex {
  typedef T value_type;
  T real_, imag_;
  constexpr C10_HOST_DEVICE complex(T re = T(), T im = T()) : real_(re), imag_(im) {}
  template <class U> explicit constexpr C10_HOST_DEVICE complex(const complex<U> &o) : real_(o.real()), imag_(o.imag()) {}
  constexpr C10_HOST_DEVICE T real() const { return real_; }
  constexpr C10_HOST_DEVICE T imag() const { return imag_; }
  constexpr C10_HOST_DEVICE complex &operator+=(const complex &o) { return *this = *this + o; }
  constexpr C10_HOST_DEVICE complex &operator-=(const complex &o) { return *this = *this - o; }
  constexpr C10_HOST_DEVICE complex &operator*=(const complex &o) { return *this = *this * o; }
  friend constexpr C10_HOST_DEVICE complex operator+(const complex &a, const complex &b) { return {a.real_ + b.real_, a.imag_ + b.imag_}; }
  friend constexpr C10_HOST_DEVICE complex operator-(const complex &a, const complex &b) { return {a.real_ - b.real_, a.imag_ - b.imag_}; }
  friend constexpr C10_HOST_DEVICE complex operator-(const complex &a) { return {-a.real_, -a.imag_}; }
  friend constexpr C10_HOST_DEVICE complex operator*(const complex &a, const complex &b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  friend constexpr C10_HOST_DEVICE complex operator/(const complex &a, const complex &b) {
    T d = b.real_ * b.real_ + b.imag_ * b.imag_;
    return {(a.real_ * b.real_ + a.imag_ * b.imag_) / d, (a.imag_ * b.real_ - a.real_ * b.imag_) / d};
  }
  friend constexpr C10_HOST_DEVICE bool operator==(const complex &a, const complex &b) { return a.real_ == b.real_ && a.imag_ == b.imag_; }
};

/* One table: type, name, name of its constant (kFloat). */
#define WW_TORCH_TYPES(T)                                                                                                     \
  T(uint8_t, Byte) T(int8_t, Char) T(int16_t, Short) T(int32_t, Int) T(int64_t, Long) T(c10::Half, Half) T(float, Float)      \
  T(double, Double) T(c10::complex<c10::Half>, ComplexHalf) T(c10::complex<float>, ComplexFloat)                              \
  T(c10::complex<double>, ComplexDouble) T(bool, Bool) T(c10::BFloat16, BFloat16)
enum class ScalarType : int8_t {
#define T(TYPE, NAME) NAME,
  WW_TORCH_TYPES(T)
#undef T
  Undefined,
  NumOptions
};
template <class T> struct CppTypeToScalarType;
namespace impl {
template <ScalarType S> struct ScalarTypeToCPPType;
template <ScalarType S> using ScalarTypeToCPPTypeT = typename ScalarTypeToCPPType<S>::type;
#define T(TYPE, NAME) \
  template <> struct ScalarTypeToCPPType<ScalarType::NAME> { typedef TYPE type; };
WW_TORCH_TYPES(T)
#undef T
} // namespace impl
#define T(TYPE, NAME)                                                                                              \
  template <> struct CppTypeToScalarType<TYPE> { static constexpr ScalarType value = ScalarType::NAME; };          \
  constexpr ScalarType k##NAME = ScalarType::NAME;
WW_TORCH_TYPES(T)
#undef T
constexpr ScalarType kFloat16 = kHalf, kFloat32 = kFloat, kFloat64 = kDouble, kInt8 = kChar, kUInt8 = kByte, kInt16 = kShort, kInt32 = kInt, kInt64 = kLong;
} // namespace c10

namespace std {
#define WW_TORCH_LIMITS(NAME, MAX, LOWEST, LEAST, EPSILON)                                                          \
  template <> class numeric_limits<c10::NAME> {                                                                     \
  public:                                                                                                           \
    static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;         \
    static constexpr C10_HOST_DEVICE c10::NAME max() { return c10::NAME(MAX, c10::NAME::from_bits()); }             \
    static constexpr C10_HOST_DEVICE c10::NAME lowest() { return c10::NAME(LOWEST, c10::NAME::from_bits()); }       \
    static constexpr C10_HOST_DEVICE c10::NAME min() { return c10::NAME(LEAST, c10::NAME::from_bits()); }           \
    static constexpr C10_HOST_DEVICE c10::NAME epsilon() { return c10::NAME(EPSILON, c10::NAME::from_bits()); }     \
    static constexpr C10_HOST_DEVICE c10::NAME infinity() { return c10::NAME(MAX + 1, c10::NAME::from_bits()); }    \
  };
WW_TORCH_LIMITS(Half, 0x7bff, 0xfbff, 0x0400, 0x1400)
WW_TORCH_LIMITS(BFloat16, 0x7f7f, 0xff7f, 0x0080, 0x3c00)
#undef WW_TORCH_LIMITS
} // namespace std

namespace at {
using namespace c10;
/* The type in which sums of T are kept, and in which one operation is done. */
template <class T, bool CUDA> struct AccumulateType { typedef T type; };
template <bool CUDA> struct AccumulateType<Half, CUDA> { typedef float type; };
template <bool CUDA> struct AccumulateType<BFloat16, CUDA> { typedef float type; };
template <bool CUDA> struct AccumulateType<int, CUDA> { typedef int64_t type; };
template <bool CUDA> struct AccumulateType<int16_t, CUDA> { typedef int64_t type; };
template <bool CUDA> struct AccumulateType<int8_t, CUDA> { typedef int64_t type; };
template <bool CUDA> struct AccumulateType<uint8_t, CUDA> { typedef int64_t type; };
template <class T, bool CUDA> using acc_type = typename AccumulateType<T, CUDA>::type;
template <class T> struct OpMathType { typedef T type; };
template <> struct OpMathType<Half> { typedef float type; };
template <> struct OpMathType<BFloat16> { typedef float type; };
template <class T> using opmath_type = typename OpMathType<T>::type;
} // namespace at
#endif
