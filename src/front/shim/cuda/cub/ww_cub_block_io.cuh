/* CUB's block-wide data movement: exchange, load, store, shuffle, discontinuity, adjacent difference, histogram. */
#ifndef WW_CUB_BLOCK_IO_CUH
#define WW_CUB_BLOCK_IO_CUH
#include "ww_cub_block_scan.cuh"

namespace cub {
/* ---- direct loads and stores, by arrangement ---- */
template <class T, int N, class It> WW_D void LoadDirectBlocked(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[tid * N + i];
}
template <class T, int N, class It> WW_D void LoadDirectBlocked(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) if (tid * N + i < valid) v[i] = p[tid * N + i];
}
template <class T, class D, int N, class It> WW_D void LoadDirectBlocked(int tid, It p, T (&v)[N], int valid, D fill) {
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = fill;
  LoadDirectBlocked(tid, p, v, valid);
}
template <class T, int N> WW_D void LoadDirectBlockedVectorized(int tid, T *p, T (&v)[N]) { LoadDirectBlocked(tid, p, v); }
template <int THREADS, class T, int N, class It> WW_D void LoadDirectStriped(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[i * THREADS + tid];
}
template <int THREADS, class T, int N, class It> WW_D void LoadDirectStriped(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) if (i * THREADS + tid < valid) v[i] = p[i * THREADS + tid];
}
template <int THREADS, class T, class D, int N, class It> WW_D void LoadDirectStriped(int tid, It p, T (&v)[N], int valid, D fill) {
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = fill;
  LoadDirectStriped<THREADS>(tid, p, v, valid);
}
template <class T, int N, class It> WW_D void LoadDirectWarpStriped(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) v[i] = p[tid / 32 * 32 * N + i * 32 + tid % 32];
}
template <class T, int N, class It> WW_D void LoadDirectWarpStriped(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) { int at = tid / 32 * 32 * N + i * 32 + tid % 32; if (at < valid) v[i] = p[at]; }
}
template <class T, int N, class It> WW_D void StoreDirectBlocked(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) p[tid * N + i] = v[i];
}
template <class T, int N, class It> WW_D void StoreDirectBlocked(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) if (tid * N + i < valid) p[tid * N + i] = v[i];
}
template <class T, int N> WW_D void StoreDirectBlockedVectorized(int tid, T *p, T (&v)[N]) { StoreDirectBlocked(tid, p, v); }
template <int THREADS, class T, int N, class It> WW_D void StoreDirectStriped(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) p[i * THREADS + tid] = v[i];
}
template <int THREADS, class T, int N, class It> WW_D void StoreDirectStriped(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) if (i * THREADS + tid < valid) p[i * THREADS + tid] = v[i];
}
template <class T, int N, class It> WW_D void StoreDirectWarpStriped(int tid, It p, T (&v)[N]) {
#pragma unroll
  for (int i = 0; i < N; i++) p[tid / 32 * 32 * N + i * 32 + tid % 32] = v[i];
}
template <class T, int N, class It> WW_D void StoreDirectWarpStriped(int tid, It p, T (&v)[N], int valid) {
#pragma unroll
  for (int i = 0; i < N; i++) { int at = tid / 32 * 32 * N + i * 32 + tid % 32; if (at < valid) p[at] = v[i]; }
}

/* ---- exchange between arrangements ---- */
template <class T, int X, int N, bool = false, int Y = 1, int Z = 1, int = 0> class BlockExchange {
  enum { THREADS = X * Y * Z, ITEMS = THREADS * N, PAD = N > 4 && (N & (N - 1)) == 0 }; /* padding spreads the banks */
  struct buffer { T at[ITEMS + (PAD ? ITEMS / 32 : 0)]; };
  T *at_;
  int tid_;
  WW_MD T &at(int i) { return at_[PAD ? i + (i >> 5) : i]; }
  WW_MD int blocked(int i) const { return tid_ * N + i; }
  WW_MD int striped(int i) const { return i * THREADS + tid_; }
  WW_MD int warp_striped(int i) const { return tid_ / 32 * 32 * N + i * 32 + tid_ % 32; }

public:
  typedef Uninitialized<buffer> TempStorage;
  WW_MD BlockExchange() : BlockExchange(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockExchange(TempStorage &t) : at_(t.Alias().at), tid_(RowMajorTid(X, Y, Z)) {}
#define WW_EXCHANGE(NAME, FROM, TO)                                            \
  template <class O> WW_MD void NAME(const T (&in)[N], O (&out)[N]) {          \
    _Pragma("unroll") for (int i = 0; i < N; i++) at(FROM(i)) = in[i];         \
    __syncthreads();                                                           \
    _Pragma("unroll") for (int i = 0; i < N; i++) out[i] = at(TO(i));          \
  }                                                                            \
  WW_MD void NAME(T (&v)[N]) { NAME(v, v); }
  WW_EXCHANGE(StripedToBlocked, striped, blocked)
  WW_EXCHANGE(BlockedToStriped, blocked, striped)
  WW_EXCHANGE(WarpStripedToBlocked, warp_striped, blocked)
  WW_EXCHANGE(BlockedToWarpStriped, blocked, warp_striped)
#undef WW_EXCHANGE
#define WW_SCATTER(NAME, TO)                                                              \
  template <class O, class R> WW_MD void NAME(const T (&in)[N], O (&out)[N], R (&rank)[N]) { \
    _Pragma("unroll") for (int i = 0; i < N; i++) at(rank[i]) = in[i];                    \
    __syncthreads();                                                                      \
    _Pragma("unroll") for (int i = 0; i < N; i++) out[i] = at(TO(i));                     \
  }                                                                                       \
  template <class R> WW_MD void NAME(T (&v)[N], R (&rank)[N]) { NAME(v, v, rank); }
  WW_SCATTER(ScatterToBlocked, blocked)
  WW_SCATTER(ScatterToStriped, striped)
#undef WW_SCATTER
};

/* ---- load, store ---- */
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };

template <class T, int X, int N, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int = 0> class BlockLoad {
  typedef BlockExchange<T, X, N, false, Y, Z> Exchange;
  enum { THREADS = X * Y * Z, SWAPS = A >= BLOCK_LOAD_TRANSPOSE };
  int tid_;

public:
  typedef typename std::conditional<SWAPS, typename Exchange::TempStorage, NullType>::type TempStorage;

private:
  TempStorage *s_;
  WW_MD void arrange(T (&v)[N], std::true_type) {
    if (A == BLOCK_LOAD_TRANSPOSE) Exchange(*s_).StripedToBlocked(v); else Exchange(*s_).WarpStripedToBlocked(v);
  }
  WW_MD void arrange(T (&)[N], std::false_type) {}

public:
  WW_MD BlockLoad() : BlockLoad(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockLoad(TempStorage &t) : tid_(RowMajorTid(X, Y, Z)), s_(&t) {}
  template <class It> WW_MD void Load(It p, T (&v)[N]) {
    if (A == BLOCK_LOAD_STRIPED || A == BLOCK_LOAD_TRANSPOSE) LoadDirectStriped<THREADS>(tid_, p, v);
    else if (SWAPS) LoadDirectWarpStriped(tid_, p, v);
    else LoadDirectBlocked(tid_, p, v);
    arrange(v, std::integral_constant<bool, SWAPS>());
  }
  template <class It> WW_MD void Load(It p, T (&v)[N], int valid) {
    if (A == BLOCK_LOAD_STRIPED || A == BLOCK_LOAD_TRANSPOSE) LoadDirectStriped<THREADS>(tid_, p, v, valid);
    else if (SWAPS) LoadDirectWarpStriped(tid_, p, v, valid);
    else LoadDirectBlocked(tid_, p, v, valid);
    arrange(v, std::integral_constant<bool, SWAPS>());
  }
  template <class It, class D> WW_MD void Load(It p, T (&v)[N], int valid, D fill) {
#pragma unroll
    for (int i = 0; i < N; i++) v[i] = fill;
    Load(p, v, valid);
  }
};

template <class T, int X, int N, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int = 0> class BlockStore {
  typedef BlockExchange<T, X, N, false, Y, Z> Exchange;
  enum { THREADS = X * Y * Z, SWAPS = A >= BLOCK_STORE_TRANSPOSE };
  int tid_;

public:
  typedef typename std::conditional<SWAPS, typename Exchange::TempStorage, NullType>::type TempStorage;

private:
  TempStorage *s_;
  WW_MD void arrange(T (&v)[N], std::true_type) {
    if (A == BLOCK_STORE_TRANSPOSE) Exchange(*s_).BlockedToStriped(v); else Exchange(*s_).BlockedToWarpStriped(v);
  }
  WW_MD void arrange(T (&)[N], std::false_type) {}

public:
  WW_MD BlockStore() : BlockStore(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockStore(TempStorage &t) : tid_(RowMajorTid(X, Y, Z)), s_(&t) {}
  template <class It> WW_MD void Store(It p, T (&v)[N]) {
    arrange(v, std::integral_constant<bool, SWAPS>());
    if (A == BLOCK_STORE_STRIPED || A == BLOCK_STORE_TRANSPOSE) StoreDirectStriped<THREADS>(tid_, p, v);
    else if (SWAPS) StoreDirectWarpStriped(tid_, p, v);
    else StoreDirectBlocked(tid_, p, v);
  }
  template <class It> WW_MD void Store(It p, T (&v)[N], int valid) {
    arrange(v, std::integral_constant<bool, SWAPS>());
    if (A == BLOCK_STORE_STRIPED || A == BLOCK_STORE_TRANSPOSE) StoreDirectStriped<THREADS>(tid_, p, v, valid);
    else if (SWAPS) StoreDirectWarpStriped(tid_, p, v, valid);
    else StoreDirectBlocked(tid_, p, v, valid);
  }
};

/* ---- neighbours: each thread publishes its first and last item ---- */
template <class T, int X, int Y = 1, int Z = 1> struct __ww_neighbours {
  enum { THREADS = X * Y * Z };
  struct ends { T first[THREADS], last[THREADS]; };
  ends *s;
  int tid;
  template <int N> WW_MD void publish(T (&v)[N]) { s->first[tid] = v[0]; s->last[tid] = v[N - 1]; __syncthreads(); }
  WW_MD T &left() const { return s->last[tid - 1]; } /* lvalues: an operator may take T & */
  WW_MD T &right() const { return s->first[tid + 1]; }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockDiscontinuity {
  __ww_neighbours<T, X, Y, Z> n_;

public:
  typedef Uninitialized<typename __ww_neighbours<T, X, Y, Z>::ends> TempStorage;
  WW_MD BlockDiscontinuity() : BlockDiscontinuity(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockDiscontinuity(TempStorage &t) { n_.s = &t.Alias(); n_.tid = RowMajorTid(X, Y, Z); }
  template <int N, class F, class Op> WW_MD void FlagHeads(F (&flag)[N], T (&v)[N], Op op) {
    n_.publish(v);
    for (int i = N - 1; i > 0; i--) flag[i] = (F)op(v[i - 1], v[i]);
    flag[0] = n_.tid ? (F)op(n_.left(), v[0]) : (F)1;
  }
  template <int N, class F, class Op> WW_MD void FlagHeads(F (&flag)[N], T (&v)[N], Op op, T before) {
    FlagHeads(flag, v, op);
    if (n_.tid == 0) flag[0] = (F)op(before, v[0]);
  }
  template <int N, class F, class Op> WW_MD void FlagTails(F (&flag)[N], T (&v)[N], Op op) {
    n_.publish(v);
    for (int i = 0; i < N - 1; i++) flag[i] = (F)op(v[i], v[i + 1]);
    flag[N - 1] = n_.tid < X * Y * Z - 1 ? (F)op(v[N - 1], n_.right()) : (F)1;
  }
  template <int N, class F, class Op> WW_MD void FlagTails(F (&flag)[N], T (&v)[N], Op op, T after) {
    FlagTails(flag, v, op);
    if (n_.tid == X * Y * Z - 1) flag[N - 1] = (F)op(v[N - 1], after);
  }
  template <int N, class F, class Op> WW_MD void FlagHeadsAndTails(F (&head)[N], F (&tail)[N], T (&v)[N], Op op) {
    FlagHeads(head, v, op);
    __syncthreads();
    FlagTails(tail, v, op);
  }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockAdjacentDifference {
  __ww_neighbours<T, X, Y, Z> n_;

public:
  typedef Uninitialized<typename __ww_neighbours<T, X, Y, Z>::ends> TempStorage;
  WW_MD BlockAdjacentDifference() : BlockAdjacentDifference(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockAdjacentDifference(TempStorage &t) { n_.s = &t.Alias(); n_.tid = RowMajorTid(X, Y, Z); }
  template <int N, class O, class Op> WW_MD void SubtractLeft(T (&v)[N], O (&out)[N], Op op) {
    n_.publish(v);
    for (int i = N - 1; i > 0; i--) out[i] = op(v[i], v[i - 1]);
    out[0] = n_.tid ? (O)op(v[0], n_.left()) : (O)v[0];
  }
  template <int N, class O, class Op> WW_MD void SubtractLeft(T (&v)[N], O (&out)[N], Op op, T before) {
    T first = v[0];
    SubtractLeft(v, out, op);
    if (n_.tid == 0) out[0] = op(first, before);
  }
  template <int N, class O, class Op> WW_MD void SubtractRight(T (&v)[N], O (&out)[N], Op op) {
    n_.publish(v);
    for (int i = 0; i < N - 1; i++) out[i] = op(v[i], v[i + 1]);
    out[N - 1] = n_.tid < X * Y * Z - 1 ? (O)op(v[N - 1], n_.right()) : (O)v[N - 1];
  }
  template <int N, class O, class Op> WW_MD void SubtractRight(T (&v)[N], O (&out)[N], Op op, T after) {
    T last = v[N - 1];
    SubtractRight(v, out, op);
    if (n_.tid == X * Y * Z - 1) out[N - 1] = op(last, after);
  }
};

template <class T, int X, int Y = 1, int Z = 1, int = 0> class BlockShuffle {
  struct buffer { T at[X * Y * Z]; };
  T *at_;
  int tid_;

public:
  typedef Uninitialized<buffer> TempStorage;
  WW_MD BlockShuffle() : BlockShuffle(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockShuffle(TempStorage &t) : at_(t.Alias().at), tid_(RowMajorTid(X, Y, Z)) {}
  WW_MD void Offset(T in, T &out, int d = 1) {
    at_[tid_] = in;
    __syncthreads();
    if (tid_ + d >= 0 && tid_ + d < X * Y * Z) out = at_[tid_ + d];
  }
  WW_MD void Rotate(T in, T &out, unsigned d = 1) {
    at_[tid_] = in;
    __syncthreads();
    out = at_[(tid_ + d) % (X * Y * Z)];
  }
  template <int N> WW_MD void Up(T (&in)[N], T (&out)[N]) {
    at_[tid_] = in[N - 1];
    __syncthreads();
    for (int i = N - 1; i > 0; i--) out[i] = in[i - 1];
    if (tid_) out[0] = at_[tid_ - 1];
  }
  template <int N> WW_MD void Down(T (&in)[N], T (&out)[N]) {
    at_[tid_] = in[0];
    __syncthreads();
    for (int i = 0; i < N - 1; i++) out[i] = in[i + 1];
    if (tid_ < X * Y * Z - 1) out[N - 1] = at_[tid_ + 1];
  }
};

enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };
template <class T, int X, int N, int BINS, BlockHistogramAlgorithm = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int = 0> class BlockHistogram {
public:
  typedef NullType TempStorage;
  WW_MD BlockHistogram() {}
  WW_MD BlockHistogram(TempStorage &) {}
  template <class C> WW_MD void InitHistogram(C (&h)[BINS]) { for (int b = RowMajorTid(X, Y, Z); b < BINS; b += X * Y * Z) h[b] = 0; }
  template <class C> WW_MD void Composite(T (&v)[N], C (&h)[BINS]) { for (int i = 0; i < N; i++) atomicAdd(&h[v[i]], (C)1); }
  template <class C> WW_MD void Histogram(T (&v)[N], C (&h)[BINS]) { InitHistogram(h); __syncthreads(); Composite(v, h); }
};
} // namespace cub
#endif
