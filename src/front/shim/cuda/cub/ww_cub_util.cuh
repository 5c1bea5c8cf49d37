/* CUB's small parts: operators, key-value pairs, type traits, iterators, thread-level loads and reductions. */
#ifndef WW_CUB_UTIL_CUH
#define WW_CUB_UTIL_CUH
#include "../ww_cuda.h"
#include "../cuda_bf16.h"
#include "ww_words.h"
#include <iterator>
#include <type_traits>

#define CUB_VERSION 200700
#define CUB_PTX_ARCH 900
#define CUB_RUNTIME_FUNCTION __host__ __device__
#define CUB_NS_PREFIX
#define CUB_NS_POSTFIX
#define CUB_LOG_WARP_THREADS(arch) 5
#define CUB_WARP_THREADS(arch) 32
#define CUB_PTX_WARP_THREADS 32
#define CUB_PTX_LOG_WARP_THREADS 5
#define CUB_MIN(a, b) ((a) < (b) ? (a) : (b))
#define CUB_MAX(a, b) ((a) > (b) ? (a) : (b))
#define CUB_QUOTIENT_CEILING(x, y) (((x) + (y) - 1) / (y))
#define CubDebug(e) (e)
#define CubDebugExit(e) ((void)(e))

namespace cub {
struct NullType {};
template <int A> struct Int2Type { enum { VALUE = A }; };
template <bool IF, class A, class B> struct If { typedef typename std::conditional<IF, A, B>::type Type; };
template <class A, class B> struct Equals { enum { VALUE = std::is_same<A, B>::value, NEGATE = !VALUE }; };
template <int N, int K = 31> struct Log2 { enum { VALUE = N <= 1 ? 0 : 1 + Log2<(N + 1) / 2, K - 1>::VALUE }; };
template <int N> struct Log2<N, 0> { enum { VALUE = 0 }; };
template <int N> struct PowerOfTwo { enum { VALUE = (N & (N - 1)) == 0 }; };
template <class A, class B> WW_HD constexpr A DivideAndRoundUp(A n, B d) { return (n + d - 1) / d; }

/* Bytes for a T that a constructor must not touch: shared memory is never constructed. */
template <class T> struct Uninitialized {
  alignas(T) unsigned char storage[sizeof(T)];
  WW_MD T &Alias() { return *(T *)storage; }
};

/* ---- operators ---- */
struct Sum { template <class A, class B> WW_MHD auto operator()(const A &a, const B &b) const -> decltype(a + b) { return a + b; } };
struct Difference { template <class A, class B> WW_MHD auto operator()(const A &a, const B &b) const -> decltype(a - b) { return a - b; } };
struct Division { template <class A, class B> WW_MHD auto operator()(const A &a, const B &b) const -> decltype(a / b) { return a / b; } };
struct Max { template <class T> WW_MHD T operator()(const T &a, const T &b) const { return a < b ? b : a; } };
struct Min { template <class T> WW_MHD T operator()(const T &a, const T &b) const { return b < a ? b : a; } };
struct Equality { template <class A, class B> WW_MHD bool operator()(const A &a, const B &b) const { return a == b; } };
struct Inequality { template <class A, class B> WW_MHD bool operator()(const A &a, const B &b) const { return a != b; } };
struct ArgMax { template <class P> WW_MHD P operator()(const P &a, const P &b) const { return b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
struct ArgMin { template <class P> WW_MHD P operator()(const P &a, const P &b) const { return b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a; } };
template <class B> struct CastOp { template <class A> WW_MHD B operator()(const A &a) const { return (B)a; } };
template <class K, class V, class = void> struct KeyValuePair {
  typedef K Key;
  typedef V Value;
  K key;
  V value;
  KeyValuePair() = default;
  WW_MHD KeyValuePair(const K &k, const V &v) : key(k), value(v) {}
  WW_MHD bool operator!=(const KeyValuePair &b) const { return value != b.value || key != b.key; }
};
template <class Op> struct ReduceByKeyOp { /* segmented reduction: a new key restarts */
  Op op;
  template <class P> WW_MD P operator()(const P &a, const P &b) const { P r = b; if (a.key == b.key) r.value = op(a.value, b.value); return r; }
};

/* ---- traits: the order-preserving bits of a key ---- */
enum Category { NOT_A_NUMBER, SIGNED_INTEGER, UNSIGNED_INTEGER, FLOATING_POINT };
template <int BYTES> struct __ww_bits;
template <> struct __ww_bits<1> { typedef unsigned char type; };
template <> struct __ww_bits<2> { typedef unsigned short type; };
template <> struct __ww_bits<4> { typedef unsigned int type; };
template <> struct __ww_bits<8> { typedef unsigned long long type; };
template <class T> struct __ww_is_float : std::is_floating_point<T> {};
template <> struct __ww_is_float<__half> : std::true_type {};
template <> struct __ww_is_float<__nv_bfloat16> : std::true_type {};
template <class T> struct NumericTraits {
  typedef typename __ww_bits<sizeof(T)>::type UnsignedBits;
  enum {
    PRIMITIVE = true, NULL_TYPE = false,
    CATEGORY = __ww_is_float<T>::value ? FLOATING_POINT : std::is_signed<T>::value ? SIGNED_INTEGER : UNSIGNED_INTEGER
  };
  static const UnsignedBits HIGH_BIT = (UnsignedBits)1 << (sizeof(T) * 8 - 1);
  WW_MHD static UnsignedBits TwiddleIn(UnsignedBits k) {
    return CATEGORY == FLOATING_POINT ? (UnsignedBits)(k & HIGH_BIT ? ~k : k ^ HIGH_BIT) : CATEGORY == SIGNED_INTEGER ? (UnsignedBits)(k ^ HIGH_BIT) : k;
  }
  WW_MHD static UnsignedBits TwiddleOut(UnsignedBits k) {
    return CATEGORY == FLOATING_POINT ? (UnsignedBits)(k & HIGH_BIT ? k ^ HIGH_BIT : ~k) : CATEGORY == SIGNED_INTEGER ? (UnsignedBits)(k ^ HIGH_BIT) : k;
  }
  WW_MHD static T Max() { return std::numeric_limits<T>::max(); }
  WW_MHD static T Lowest() { return std::numeric_limits<T>::lowest(); }
};
template <class T> struct Traits : NumericTraits<T> {};

/* ---- thread level ---- */
enum CacheLoadModifier { LOAD_DEFAULT, LOAD_CA, LOAD_CG, LOAD_CS, LOAD_CV, LOAD_LDG, LOAD_VOLATILE };
enum CacheStoreModifier { STORE_DEFAULT, STORE_WB, STORE_CG, STORE_CS, STORE_WT, STORE_VOLATILE };
template <CacheLoadModifier M, class It> WW_D typename std::iterator_traits<It>::value_type ThreadLoad(It p) { return *p; }
template <CacheStoreModifier M, class It, class T> WW_D void ThreadStore(It p, T v) { *p = v; }
template <int N, class T, class Op> WW_D T ThreadReduce(T (&v)[N], Op op) {
  T r = v[0];
#pragma unroll
  for (int i = 1; i < N; i++) r = op(r, v[i]);
  return r;
}
WW_D unsigned LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
WW_D unsigned WarpId() { return __nvvm_read_ptx_sreg_warpid(); }
WW_D unsigned LaneMaskLt() { return (1u << LaneId()) - 1; }
WW_D unsigned LaneMaskLe() { return (2u << LaneId()) - 1; }
WW_D unsigned LaneMaskGe() { return ~LaneMaskLt(); }
WW_D unsigned LaneMaskGt() { return ~LaneMaskLe(); }
/* Thread number in the block; a dimension known to be 1 is not read. */
WW_D int RowMajorTid(int x, int y, int z) {
  return (int)threadIdx.x + (y == 1 ? 0 : x * (int)threadIdx.y) + (z == 1 ? 0 : x * y * (int)threadIdx.z);
}
template <int W = 32, class T> WW_D T ShuffleIndex(T v, int lane, unsigned m = ~0u) { return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(m, w, lane, W); }); }
template <int W = 32, class T> WW_D T ShuffleUp(T v, int d, int first, unsigned m) {
  T r = __ww_by_words(v, [=](unsigned w) { return __shfl_up_sync(m, w, (unsigned)d, W); });
  return (int)(LaneId() % W) - d < first ? v : r;
}
template <int W = 32, class T> WW_D T ShuffleDown(T v, int d, int last, unsigned m) {
  T r = __ww_by_words(v, [=](unsigned w) { return __shfl_down_sync(m, w, (unsigned)d, W); });
  return (int)(LaneId() % W) + d > last ? v : r;
}

/* ---- iterators ---- */
template <class T, class Offset = ptrdiff_t> struct CountingInputIterator {
  typedef T value_type; typedef T reference; typedef T *pointer; typedef Offset difference_type; typedef std::random_access_iterator_tag iterator_category;
  T v;
  WW_MHD CountingInputIterator(T x) : v(x) {}
  WW_MHD T operator*() const { return v; }
  template <class D> WW_MHD T operator[](D d) const { return v + (T)d; }
  template <class D> WW_MHD CountingInputIterator operator+(D d) const { return v + (T)d; }
  WW_MHD CountingInputIterator &operator++() { ++v; return *this; }
  WW_MHD Offset operator-(CountingInputIterator o) const { return (Offset)(v - o.v); }
};
template <class T, class Offset = ptrdiff_t> struct ConstantInputIterator {
  typedef T value_type; typedef T reference; typedef T *pointer; typedef Offset difference_type; typedef std::random_access_iterator_tag iterator_category;
  T v;
  WW_MHD ConstantInputIterator(T x, Offset = 0) : v(x) {}
  WW_MHD T operator*() const { return v; }
  template <class D> WW_MHD T operator[](D) const { return v; }
  template <class D> WW_MHD ConstantInputIterator operator+(D) const { return *this; }
};
template <class T, class Op, class It, class Offset = ptrdiff_t> struct TransformInputIterator {
  typedef T value_type; typedef T reference; typedef T *pointer; typedef Offset difference_type; typedef std::random_access_iterator_tag iterator_category;
  It it;
  Op op;
  WW_MHD TransformInputIterator(It i, Op o) : it(i), op(o) {}
  WW_MHD T operator*() const { return op(*it); }
  template <class D> WW_MHD T operator[](D d) const { return op(it[d]); }
  template <class D> WW_MHD TransformInputIterator operator+(D d) const { return TransformInputIterator(it + d, op); }
};
template <CacheLoadModifier M, class T, class Offset = ptrdiff_t> struct CacheModifiedInputIterator {
  typedef T value_type; typedef T reference; typedef T *pointer; typedef Offset difference_type; typedef std::random_access_iterator_tag iterator_category;
  const T *p;
  WW_MHD CacheModifiedInputIterator(const T *x) : p(x) {}
  WW_MHD T operator*() const { return *p; }
  template <class D> WW_MHD T operator[](D d) const { return p[d]; }
  template <class D> WW_MHD CacheModifiedInputIterator operator+(D d) const { return p + d; }
};
template <class It, class Offset = ptrdiff_t, class V = typename std::iterator_traits<It>::value_type> struct ArgIndexInputIterator {
  typedef KeyValuePair<Offset, V> value_type; typedef value_type reference; typedef value_type *pointer; typedef Offset difference_type; typedef std::random_access_iterator_tag iterator_category;
  It it;
  Offset at;
  WW_MHD ArgIndexInputIterator(It i, Offset o = 0) : it(i), at(o) {}
  WW_MHD value_type operator*() const { return value_type(at, it[at]); }
  template <class D> WW_MHD value_type operator[](D d) const { return value_type(at + d, it[at + d]); }
  template <class D> WW_MHD ArgIndexInputIterator operator+(D d) const { return ArgIndexInputIterator(it, at + d); }
};
struct DiscardOutputIterator {
  struct sink { template <class T> WW_MHD sink &operator=(const T &) { return *this; } };
  WW_MHD DiscardOutputIterator(size_t = 0) {}
  WW_MHD sink operator*() const { return sink(); }
  template <class D> WW_MHD sink operator[](D) const { return sink(); }
};
template <class T> struct DoubleBuffer {
  T *d_buffers[2];
  int selector = 0;
  WW_MHD DoubleBuffer() : d_buffers{0, 0} {}
  WW_MHD DoubleBuffer(T *a, T *b) : d_buffers{a, b} {}
  WW_MHD T *Current() { return d_buffers[selector]; }
  WW_MHD T *Alternate() { return d_buffers[selector ^ 1]; }
};
} // namespace cub
#endif
