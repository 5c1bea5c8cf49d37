/* CUB's BlockReduce and BlockScan, by warp shuffles and one exchange of warp totals through shared memory. */
#ifndef WW_CUB_BLOCK_SCAN_CUH
#define WW_CUB_BLOCK_SCAN_CUH
#include "ww_cub_warp.cuh"

namespace cub {
enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

/* Storage for a collective constructed without one. */
template <class S> WW_D S &__ww_private_storage() {
  __shared__ S storage;
  return storage;
}

template <class T, int X, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int = 0> class BlockReduce {
  enum { THREADS = X * Y * Z, WARPS = (THREADS + 31) / 32 };
  struct totals { T warp[WARPS]; };
  T *warp_;
  int tid_;

public:
  typedef Uninitialized<totals> TempStorage;
  WW_MD BlockReduce() : BlockReduce(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockReduce(TempStorage &t) : warp_(t.Alias().warp), tid_(RowMajorTid(X, Y, Z)) {}
  /* The result is valid in thread 0 only; threads from `valid` on are left out. */
  template <class Op> WW_MD T Reduce(T v, Op op, int valid) {
    int first = tid_ & ~31, here = valid - first;
    int width = THREADS < 32 ? THREADS : 32;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) {
      if (d >= width) break;
      T other = __ww_by_words(v, [=](unsigned w) { return __shfl_down_sync(~0u, w, (unsigned)d); });
      if ((tid_ & 31) + d < here && (tid_ & 31) + d < 32) v = op(v, other);
    }
    if (WARPS > 1) {
      if ((tid_ & 31) == 0) warp_[tid_ / 32] = v;
      __syncthreads();
      if (tid_ == 0) {
#pragma unroll
        for (int w = 1; w < WARPS; w++) if (w * 32 < valid) v = op(v, warp_[w]);
      }
    }
    return v;
  }
  template <class Op> WW_MD T Reduce(T v, Op op) { return Reduce(v, op, (int)THREADS); }
  template <int N, class Op> WW_MD T Reduce(T (&v)[N], Op op) { return Reduce(ThreadReduce(v, op), op); }
  WW_MD T Sum(T v) { return Reduce(v, cub::Sum()); }
  WW_MD T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  template <int N> WW_MD T Sum(T (&v)[N]) { return Reduce(v, cub::Sum()); }
};

template <class T, int X, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int = 0> class BlockScan {
  enum { THREADS = X * Y * Z, WARPS = (THREADS + 31) / 32 };
  struct totals { T warp[WARPS], prefix; };
  totals *s_;
  int tid_;

  /* Scan of one value per thread: incl, excl (undefined in thread 0), and the block's total. */
  template <class Op> WW_MD void core(T v, T &incl, T &excl, T &total, Op op) {
    WarpScan<T>().InclusiveScan(v, incl, op);
    excl = __ww_by_words(incl, [](unsigned w) { return __shfl_up_sync(~0u, w, 1u); });
    int lane = tid_ & 31, warp = tid_ / 32;
    if (lane == 31 || tid_ == THREADS - 1) s_->warp[warp] = incl;
    __syncthreads();
    total = s_->warp[0];
    T before = total; /* of the warps before this one; read when warp > 0 */
#pragma unroll
    for (int w = 1; w < WARPS; w++) {
      if (warp == w) before = total;
      total = op(total, s_->warp[w]);
    }
    if (warp) {
      incl = op(before, incl);
      excl = lane ? op(before, excl) : before;
    }
  }
  /* The first warp asks the caller for the value that precedes this tile; everyone gets it. */
  template <class F> WW_MD T prefix_of(T total, F &callback) {
    if (tid_ < 32) {
      T p = callback(total);
      if (tid_ == 0) s_->prefix = p;
    }
    __syncthreads();
    return s_->prefix;
  }
  template <int N, class Op> WW_MD void spread_exclusive(T (&in)[N], T (&out)[N], T start, Op op) {
#pragma unroll
    for (int i = 0; i < N; i++) { T v = in[i]; out[i] = start; start = op(start, v); }
  }
  template <int N, class Op> WW_MD void spread_inclusive(T (&in)[N], T (&out)[N], T start, bool has, Op op) {
    T run = has ? op(start, in[0]) : in[0];
    out[0] = run;
#pragma unroll
    for (int i = 1; i < N; i++) { run = op(run, in[i]); out[i] = run; }
  }

public:
  typedef Uninitialized<totals> TempStorage;
  WW_MD BlockScan() : BlockScan(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockScan(TempStorage &t) : s_(&t.Alias()), tid_(RowMajorTid(X, Y, Z)) {}

  /* ---- one item per thread ---- */
  template <class Op> WW_MD void InclusiveScan(T in, T &out, Op op, T &total) { T excl; core(in, out, excl, total, op); }
  template <class Op> WW_MD void InclusiveScan(T in, T &out, Op op) { T total; InclusiveScan(in, out, op, total); }
  template <class Op, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void InclusiveScan(T in, T &out, Op op, F &callback) {
    T excl, total;
    core(in, out, excl, total, op);
    out = op(prefix_of(total, callback), out);
  }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, T initial, Op op, T &total) {
    T incl, excl;
    core(in, incl, excl, total, op);
    out = tid_ ? op(initial, excl) : initial;
  }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, T initial, Op op) { T total; ExclusiveScan(in, out, initial, op, total); }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, Op op, T &total) { T incl; core(in, incl, out, total, op); }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, Op op) { T total; ExclusiveScan(in, out, op, total); }
  template <class Op, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void ExclusiveScan(T in, T &out, Op op, F &callback) {
    T incl, excl, total;
    core(in, incl, excl, total, op);
    T p = prefix_of(total, callback);
    out = tid_ ? op(p, excl) : p;
  }
  WW_MD void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  WW_MD void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
  template <class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void InclusiveSum(T in, T &out, F &callback) { InclusiveScan(in, out, cub::Sum(), callback); }
  WW_MD void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  WW_MD void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
  template <class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void ExclusiveSum(T in, T &out, F &callback) { ExclusiveScan(in, out, cub::Sum(), callback); }

  /* ---- N items per thread, blocked ---- */
  template <int N, class Op> WW_MD void InclusiveScan(T (&in)[N], T (&out)[N], Op op, T &total) {
    T incl, excl;
    core(ThreadReduce(in, op), incl, excl, total, op);
    spread_inclusive(in, out, excl, tid_ != 0, op);
  }
  template <int N, class Op> WW_MD void InclusiveScan(T (&in)[N], T (&out)[N], Op op) { T total; InclusiveScan(in, out, op, total); }
  template <int N, class Op, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void InclusiveScan(T (&in)[N], T (&out)[N], Op op, F &callback) {
    T incl, excl, total;
    core(ThreadReduce(in, op), incl, excl, total, op);
    T p = prefix_of(total, callback);
    spread_inclusive(in, out, tid_ ? op(p, excl) : p, true, op);
  }
  template <int N, class Op> WW_MD void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op, T &total) {
    T incl, excl;
    core(ThreadReduce(in, op), incl, excl, total, op);
    spread_exclusive(in, out, tid_ ? op(initial, excl) : initial, op);
  }
  template <int N, class Op> WW_MD void ExclusiveScan(T (&in)[N], T (&out)[N], T initial, Op op) { T total; ExclusiveScan(in, out, initial, op, total); }
  template <int N, class Op, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void ExclusiveScan(T (&in)[N], T (&out)[N], Op op, F &callback) {
    T incl, excl, total;
    core(ThreadReduce(in, op), incl, excl, total, op);
    T p = prefix_of(total, callback);
    spread_exclusive(in, out, tid_ ? op(p, excl) : p, op);
  }
  template <int N> WW_MD void InclusiveSum(T (&in)[N], T (&out)[N]) { InclusiveScan(in, out, cub::Sum()); }
  template <int N> WW_MD void InclusiveSum(T (&in)[N], T (&out)[N], T &total) { InclusiveScan(in, out, cub::Sum(), total); }
  template <int N, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void InclusiveSum(T (&in)[N], T (&out)[N], F &callback) { InclusiveScan(in, out, cub::Sum(), callback); }
  template <int N> WW_MD void ExclusiveSum(T (&in)[N], T (&out)[N]) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  template <int N> WW_MD void ExclusiveSum(T (&in)[N], T (&out)[N], T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
  template <int N, class F, class = decltype(std::declval<F &>()(std::declval<T>()))> WW_MD void ExclusiveSum(T (&in)[N], T (&out)[N], F &callback) { ExclusiveScan(in, out, cub::Sum(), callback); }
};
} // namespace cub
#endif
