/* CUB's warp-level collectives over shuffles: reduce, scan, exchange, load and store. */
#ifndef WW_CUB_WARP_CUH
#define WW_CUB_WARP_CUH
#include "ww_cub_util.cuh"

namespace cub {
/* Lanes that take part: the logical warp of W threads this lane is in. */
template <int W> WW_D unsigned WarpMask(unsigned = 0) { return W == 32 ? ~0u : ((1u << (W & 31)) - 1) << (LaneId() / W * W); }

template <class T, int W = 32, int = 0> class WarpReduce {
public:
  typedef NullType TempStorage;
  WW_MD WarpReduce(TempStorage &) {}
  WW_MD WarpReduce() {}
  /* The result is valid in lane 0; lanes from `valid` on are left out. */
  template <class Op> WW_MD T Reduce(T v, Op op, int valid = W) {
    int lane = (int)(LaneId() % W);
#pragma unroll
    for (int d = 1; d < W; d *= 2) {
      T other = __ww_by_words(v, [=](unsigned w) { return __shfl_down_sync(WarpMask<W>(), w, (unsigned)d, W); });
      if (lane + d < valid) v = op(v, other);
    }
    return v;
  }
  WW_MD T Sum(T v) { return Reduce(v, cub::Sum()); }
  WW_MD T Sum(T v, int valid) { return Reduce(v, cub::Sum(), valid); }
  /* Each segment's total goes to its first lane (head flags) */
  template <class F, class Op> WW_MD T HeadSegmentedReduce(T v, F flag, Op op) {
    unsigned base = LaneId() / W * W, heads = __ballot_sync(WarpMask<W>(), (int)flag) >> base;
    unsigned above = heads & ~((2u << (LaneId() % W)) - 1);
    return Reduce(v, op, above ? __builtin_ctz(above) : W);
  }
  template <class F, class Op> WW_MD T TailSegmentedReduce(T v, F flag, Op op) {
    unsigned base = LaneId() / W * W, tails = __ballot_sync(WarpMask<W>(), (int)flag) >> base;
    unsigned from = tails & ~((1u << (LaneId() % W)) - 1);
    return Reduce(v, op, from ? __builtin_ctz(from) + 1 : W);
  }
  template <class F> WW_MD T HeadSegmentedSum(T v, F flag) { return HeadSegmentedReduce(v, flag, cub::Sum()); }
  template <class F> WW_MD T TailSegmentedSum(T v, F flag) { return TailSegmentedReduce(v, flag, cub::Sum()); }
};

template <class T, int W = 32, int = 0> class WarpScan {
public:
  typedef NullType TempStorage;
  WW_MD WarpScan(TempStorage &) {}
  WW_MD WarpScan() {}
  template <class Op> WW_MD void InclusiveScan(T in, T &out, Op op) {
    int lane = (int)(LaneId() % W);
    T v = in;
#pragma unroll
    for (int d = 1; d < W; d *= 2) {
      T other = __ww_by_words(v, [=](unsigned w) { return __shfl_up_sync(WarpMask<W>(), w, (unsigned)d, W); });
      if (lane >= d) v = op(other, v);
    }
    out = v;
  }
  template <class Op> WW_MD void InclusiveScan(T in, T &out, Op op, T &total) { InclusiveScan(in, out, op); total = Broadcast(out, W - 1); }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, Op op) { /* lane 0 undefined */
    T incl;
    InclusiveScan(in, incl, op);
    out = __ww_by_words(incl, [](unsigned w) { return __shfl_up_sync(WarpMask<W>(), w, 1u, W); });
  }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, T initial, Op op) {
    ExclusiveScan(in, out, op);
    out = LaneId() % W ? op(initial, out) : initial;
  }
  template <class Op> WW_MD void ExclusiveScan(T in, T &out, T initial, Op op, T &total) {
    T incl;
    InclusiveScan(in, incl, op, total);
    T before = __ww_by_words(incl, [](unsigned w) { return __shfl_up_sync(WarpMask<W>(), w, 1u, W); });
    out = LaneId() % W ? op(initial, before) : initial;
  }
  template <class Op> WW_MD void Scan(T in, T &incl, T &excl, T initial, Op op) {
    InclusiveScan(in, incl, op);
    T before = __ww_by_words(incl, [](unsigned w) { return __shfl_up_sync(WarpMask<W>(), w, 1u, W); });
    incl = op(initial, incl);
    excl = LaneId() % W ? op(initial, before) : initial;
  }
  WW_MD void InclusiveSum(T in, T &out) { InclusiveScan(in, out, cub::Sum()); }
  WW_MD void InclusiveSum(T in, T &out, T &total) { InclusiveScan(in, out, cub::Sum(), total); }
  WW_MD void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(0), cub::Sum()); }
  WW_MD void ExclusiveSum(T in, T &out, T &total) { ExclusiveScan(in, out, T(0), cub::Sum(), total); }
  WW_MD T Broadcast(T v, unsigned lane) { return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(WarpMask<W>(), w, (int)lane, W); }); }
};

enum WarpExchangeAlgorithm { WARP_EXCHANGE_SMEM, WARP_EXCHANGE_SHUFFLE };
/* Rearranges ITEMS items per lane through shared memory. */
template <class T, int ITEMS, int W = 32, int = 1, WarpExchangeAlgorithm = WARP_EXCHANGE_SMEM> class WarpExchange {
  struct buffer { T at[ITEMS * W]; };
  T *at_;
  int lane_;

public:
  typedef Uninitialized<buffer> TempStorage;
  WW_MD explicit WarpExchange(TempStorage &t) : at_(t.Alias().at), lane_((int)(LaneId() % W)) {}
  template <class O> WW_MD void BlockedToStriped(const T (&in)[ITEMS], O (&out)[ITEMS]) {
    for (int i = 0; i < ITEMS; i++) at_[lane_ * ITEMS + i] = in[i];
    __syncwarp(WarpMask<W>());
    for (int i = 0; i < ITEMS; i++) out[i] = at_[i * W + lane_];
  }
  template <class O> WW_MD void StripedToBlocked(const T (&in)[ITEMS], O (&out)[ITEMS]) {
    for (int i = 0; i < ITEMS; i++) at_[i * W + lane_] = in[i];
    __syncwarp(WarpMask<W>());
    for (int i = 0; i < ITEMS; i++) out[i] = at_[lane_ * ITEMS + i];
  }
  template <class O, class R> WW_MD void ScatterToStriped(const T (&in)[ITEMS], O (&out)[ITEMS], R (&rank)[ITEMS]) {
    for (int i = 0; i < ITEMS; i++) at_[rank[i]] = in[i];
    __syncwarp(WarpMask<W>());
    for (int i = 0; i < ITEMS; i++) out[i] = at_[i * W + lane_];
  }
  template <class R> WW_MD void ScatterToStriped(T (&items)[ITEMS], R (&rank)[ITEMS]) { ScatterToStriped(items, items, rank); }
};
} // namespace cub
#endif
