/* Reductions and scans over a logical warp of W lanes (a power of two, at most 64), by shuffles. */
#ifndef WW_CUB_WARP_H
#define WW_CUB_WARP_H
#include "ww_cub_types.h"

namespace hipcub {

template <class T, int W = 64, int Arch = 0> class WarpReduce {
public:
  struct TempStorage {};
  __device__ WarpReduce(TempStorage &) {}
  /* Valid in lane 0 of the logical warp; only its first n lanes count. */
  template <class F> __device__ T Reduce(T v, F f, int n = W) {
    int lane = __lane_id() & (W - 1);
    for (int d = 1; d < W; d *= 2) {
      T other = ww::shfl_down(v, d, W);
      if ((lane & (2 * d - 1)) == 0 && lane + d < n) v = f(v, other);
    }
    return v;
  }
  __device__ T Sum(T v, int n = W) { return Reduce(v, hipcub::Sum(), n); }
};

template <class T, int W = 64, int Arch = 0> class WarpScan {
public:
  struct TempStorage {};
  __device__ WarpScan(TempStorage &) {}
  template <class F> __device__ void InclusiveScan(T in, T &out, F f) {
    int lane = __lane_id() & (W - 1);
    T v = in;
    for (int d = 1; d < W; d *= 2) {
      T other = ww::shfl_up(v, d, W);
      if (lane >= d) v = f(other, v);
    }
    out = v;
  }
  template <class F> __device__ void InclusiveScan(T in, T &out, F f, T &all) {
    InclusiveScan(in, out, f);
    all = ww::shfl(out, W - 1, W);
  }
  template <class F> __device__ void ExclusiveScan(T in, T &out, T first, F f) {
    T sum;
    InclusiveScan(in, sum, f);
    sum = ww::shfl_up(sum, 1, W);
    out = (__lane_id() & (W - 1)) ? (T)f(first, sum) : first;
  }
  template <class F> __device__ void ExclusiveScan(T in, T &out, F f) {
    T sum;
    InclusiveScan(in, sum, f);
    out = ww::shfl_up(sum, 1, W);
  }
  template <class F> __device__ void ExclusiveScan(T in, T &out, T first, F f, T &all) {
    T sum;
    InclusiveScan(in, sum, f, all);
    sum = ww::shfl_up(sum, 1, W);
    out = (__lane_id() & (W - 1)) ? (T)f(first, sum) : first;
  }
  __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, hipcub::Sum()); }
  __device__ void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, hipcub::Sum(), all); }
  __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), hipcub::Sum()); }
  __device__ void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(), hipcub::Sum(), all); }
  __device__ T Broadcast(T v, unsigned lane) { return ww::shfl(v, (int)lane, W); }
};

} // namespace hipcub
#endif
