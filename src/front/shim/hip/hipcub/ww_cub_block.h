/* Block-wide primitives: warps by shuffles, then the warps' results through shared memory. Results follow hipCUB's
 * contract; the algorithm tags are accepted and make no difference. */
#ifndef WW_CUB_BLOCK_H
#define WW_CUB_BLOCK_H
#include "ww_cub_warp.h"

namespace hipcub {

enum BlockReduceAlgorithm { BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY, BLOCK_REDUCE_RAKING, BLOCK_REDUCE_WARP_REDUCTIONS };
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm { BLOCK_LOAD_DIRECT, BLOCK_LOAD_STRIPED, BLOCK_LOAD_VECTORIZE, BLOCK_LOAD_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE, BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED };
enum BlockStoreAlgorithm { BLOCK_STORE_DIRECT, BLOCK_STORE_STRIPED, BLOCK_STORE_VECTORIZE, BLOCK_STORE_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE, BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED };
enum BlockHistogramAlgorithm { BLOCK_HISTO_SORT, BLOCK_HISTO_ATOMIC };

namespace ww_impl {
WW_DEVICE int block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
/* Scratch for a primitive declared without a TempStorage. */
template <class S> WW_DEVICE S &own_storage() {
  static __shared__ S storage;
  return storage;
}
} // namespace ww_impl

template <class T, int X, BlockReduceAlgorithm A = BLOCK_REDUCE_WARP_REDUCTIONS, int Y = 1, int Z = 1, int Arch = 0> class BlockReduce {
  static constexpr int threads = X * Y * Z, warps = (threads + 63) / 64;

public:
  struct TempStorage { Uninitialized<T> partial[warps]; };
  __device__ BlockReduce() : temp(ww_impl::own_storage<TempStorage>()) {}
  __device__ BlockReduce(TempStorage &t) : temp(t) {}
  /* Valid in thread 0; only the first n threads count. */
  template <class F> __device__ T Reduce(T v, F f, int n) {
    typename WarpReduce<T>::TempStorage none;
    int rank = ww_impl::block_rank(), warp = rank / 64, left = (n < threads ? n : threads) - warp * 64;
    v = WarpReduce<T>(none).Reduce(v, f, left);
    if (warps == 1) return v;
    if (rank % 64 == 0) temp.partial[warp].Alias() = v;
    __syncthreads();
    if (rank == 0)
      for (int w = 1; w < warps && w * 64 < n; w++) v = f(v, temp.partial[w].Alias());
    return v;
  }
  template <class F> __device__ T Reduce(T v, F f) { return Reduce(v, f, threads); }
  template <class F, int I> __device__ T Reduce(T (&items)[I], F f) {
    T v = items[0];
    for (int i = 1; i < I; i++) v = f(v, items[i]);
    return Reduce(v, f);
  }
  __device__ T Sum(T v) { return Reduce(v, hipcub::Sum()); }
  __device__ T Sum(T v, int n) { return Reduce(v, hipcub::Sum(), n); }
  template <int I> __device__ T Sum(T (&items)[I]) { return Reduce(items, hipcub::Sum()); }

private:
  TempStorage &temp;
};

template <class T, int X, BlockScanAlgorithm A = BLOCK_SCAN_RAKING, int Y = 1, int Z = 1, int Arch = 0> class BlockScan {
  static constexpr int threads = X * Y * Z, warps = (threads + 63) / 64;

public:
  struct TempStorage { Uninitialized<T> last[warps]; };
  __device__ BlockScan() : temp(ww_impl::own_storage<TempStorage>()) {}
  __device__ BlockScan(TempStorage &t) : temp(t) {}

  template <class F> __device__ void InclusiveScan(T in, T &out, F f, T &all) {
    bool any;
    T before;
    out = scan(in, f, before, any, all);
  }
  template <class F> __device__ void InclusiveScan(T in, T &out, F f) { T all; InclusiveScan(in, out, f, all); }
  template <class F> __device__ void ExclusiveScan(T in, T &out, T first, F f, T &all) {
    bool any;
    T before;
    scan(in, f, before, any, all);
    out = any ? (T)f(first, before) : first;
  }
  template <class F> __device__ void ExclusiveScan(T in, T &out, T first, F f) { T all; ExclusiveScan(in, out, first, f, all); }
  template <class F> __device__ void ExclusiveScan(T in, T &out, F f) {
    bool any;
    T before, all;
    scan(in, f, before, any, all);
    out = before;
  }
  /* The callback is run by the first warp with the block's total; lane 0's answer precedes everything. */
  template <class F, class P> __device__ std::enable_if_t<std::is_class<P>::value && !std::is_same<P, T>::value> InclusiveScan(T in, T &out, F f, P &prefix) {
    bool any;
    T before, all;
    T v = scan(in, f, before, any, all);
    out = f(block_prefix(prefix, all), v);
  }
  template <class F, class P> __device__ std::enable_if_t<std::is_class<P>::value && !std::is_same<P, T>::value> ExclusiveScan(T in, T &out, F f, P &prefix) {
    bool any;
    T before, all;
    scan(in, f, before, any, all);
    T start = block_prefix(prefix, all);
    out = any ? (T)f(start, before) : start;
  }

  template <int I, class F> __device__ void InclusiveScan(T (&in)[I], T (&out)[I], F f, T &all) {
    T sum = fold(in, f), before;
    bool any;
    scan(sum, f, before, any, all);
    T run = any ? (T)f(before, in[0]) : in[0];
    out[0] = run;
    for (int i = 1; i < I; i++) out[i] = run = f(run, in[i]);
  }
  template <int I, class F> __device__ void InclusiveScan(T (&in)[I], T (&out)[I], F f) { T all; InclusiveScan(in, out, f, all); }
  template <int I, class F, class P> __device__ std::enable_if_t<std::is_class<P>::value && !std::is_same<P, T>::value> InclusiveScan(T (&in)[I], T (&out)[I], F f, P &prefix) {
    T sum = fold(in, f), before, all;
    bool any;
    scan(sum, f, before, any, all);
    T start = block_prefix(prefix, all);
    T run = any ? (T)f(start, before) : start;
    for (int i = 0; i < I; i++) out[i] = run = f(run, in[i]);
  }
  template <int I, class F> __device__ void ExclusiveScan(T (&in)[I], T (&out)[I], T first, F f, T &all) {
    T sum = fold(in, f), before;
    bool any;
    scan(sum, f, before, any, all);
    T run = any ? (T)f(first, before) : first;
    for (int i = 0; i < I; i++) {
      T v = in[i];
      out[i] = run;
      run = f(run, v);
    }
  }
  template <int I, class F> __device__ void ExclusiveScan(T (&in)[I], T (&out)[I], T first, F f) { T all; ExclusiveScan(in, out, first, f, all); }

  __device__ void InclusiveSum(T in, T &out) { InclusiveScan(in, out, hipcub::Sum()); }
  __device__ void InclusiveSum(T in, T &out, T &all) { InclusiveScan(in, out, hipcub::Sum(), all); }
  __device__ void ExclusiveSum(T in, T &out) { ExclusiveScan(in, out, T(), hipcub::Sum()); }
  __device__ void ExclusiveSum(T in, T &out, T &all) { ExclusiveScan(in, out, T(), hipcub::Sum(), all); }
  template <class P> __device__ std::enable_if_t<std::is_class<P>::value && !std::is_same<P, T>::value> ExclusiveSum(T in, T &out, P &prefix) { ExclusiveScan(in, out, hipcub::Sum(), prefix); }
  template <int I> __device__ void InclusiveSum(T (&in)[I], T (&out)[I]) { InclusiveScan(in, out, hipcub::Sum()); }
  template <int I> __device__ void InclusiveSum(T (&in)[I], T (&out)[I], T &all) { InclusiveScan(in, out, hipcub::Sum(), all); }
  template <int I> __device__ void ExclusiveSum(T (&in)[I], T (&out)[I]) { ExclusiveScan(in, out, T(), hipcub::Sum()); }
  template <int I> __device__ void ExclusiveSum(T (&in)[I], T (&out)[I], T &all) { ExclusiveScan(in, out, T(), hipcub::Sum(), all); }

private:
  TempStorage &temp;

  template <int I, class F> __device__ static T fold(T (&in)[I], F f) {
    T v = in[0];
    for (int i = 1; i < I; i++) v = f(v, in[i]);
    return v;
  }
  /* Inclusive result of this thread; `before` combines the threads before it, if there are any; `all` combines every thread. */
  template <class F> __device__ T scan(T in, F f, T &before, bool &any, T &all) {
    typename WarpScan<T>::TempStorage none;
    int rank = ww_impl::block_rank(), warp = rank / 64, lane = rank % 64;
    T v;
    WarpScan<T>(none).InclusiveScan(in, v, f);
    before = ww::shfl_up(v, 1, 64);
    any = rank > 0;
    if (lane == 63 || rank == threads - 1) temp.last[warp].Alias() = v;
    __syncthreads();
    all = temp.last[0].Alias();
    T earlier = all;
    for (int w = 1; w < warps; w++) {
      T l = temp.last[w].Alias();
      if (w < warp) earlier = f(earlier, l);
      all = f(all, l);
    }
    __syncthreads();
    if (warp > 0) {
      before = lane ? (T)f(earlier, before) : earlier;
      v = f(earlier, v);
    }
    return v;
  }
  template <class P> __device__ T block_prefix(P &prefix, T all) {
    T start;
    if (ww_impl::block_rank() < 64) {
      start = prefix(all);
      if (ww_impl::block_rank() == 0) temp.last[0].Alias() = start;
    }
    __syncthreads();
    start = temp.last[0].Alias();
    __syncthreads();
    return start;
  }
};

/* Items of thread t: t * I ... (blocked), or t, t + threads, ... (striped). */
template <class T, int X, int I, BlockLoadAlgorithm A = BLOCK_LOAD_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockLoad {
public:
  struct TempStorage {};
  __device__ BlockLoad() {}
  __device__ BlockLoad(TempStorage &) {}
  template <class In> __device__ void Load(In in, T (&items)[I]) {
    for (int i = 0; i < I; i++) items[i] = in[at(i)];
  }
  template <class In> __device__ void Load(In in, T (&items)[I], int n) {
    for (int i = 0; i < I; i++) if (at(i) < n) items[i] = in[at(i)];
  }
  template <class In, class D> __device__ void Load(In in, T (&items)[I], int n, D fill) {
    for (int i = 0; i < I; i++) items[i] = at(i) < n ? (T)in[at(i)] : (T)fill;
  }

private:
  __device__ static int at(int i) { return A == BLOCK_LOAD_STRIPED ? ww_impl::block_rank() + i * X * Y * Z : ww_impl::block_rank() * I + i; }
};
template <class T, int X, int I, BlockStoreAlgorithm A = BLOCK_STORE_DIRECT, int Y = 1, int Z = 1, int Arch = 0> class BlockStore {
public:
  struct TempStorage {};
  __device__ BlockStore() {}
  __device__ BlockStore(TempStorage &) {}
  template <class Out> __device__ void Store(Out out, T (&items)[I]) {
    for (int i = 0; i < I; i++) out[at(i)] = items[i];
  }
  template <class Out> __device__ void Store(Out out, T (&items)[I], int n) {
    for (int i = 0; i < I; i++) if (at(i) < n) out[at(i)] = items[i];
  }

private:
  __device__ static int at(int i) { return A == BLOCK_STORE_STRIPED ? ww_impl::block_rank() + i * X * Y * Z : ww_impl::block_rank() * I + i; }
};
template <class T, int I, class In> WW_DEVICE void LoadDirectBlocked(int t, In in, T (&items)[I]) { for (int i = 0; i < I; i++) items[i] = in[t * I + i]; }
template <class T, int I, class In> WW_DEVICE void LoadDirectBlocked(int t, In in, T (&items)[I], int n) { for (int i = 0; i < I; i++) if (t * I + i < n) items[i] = in[t * I + i]; }
template <int N, class T, int I, class In> WW_DEVICE void LoadDirectStriped(int t, In in, T (&items)[I]) { for (int i = 0; i < I; i++) items[i] = in[t + i * N]; }
template <int N, class T, int I, class In> WW_DEVICE void LoadDirectStriped(int t, In in, T (&items)[I], int n) { for (int i = 0; i < I; i++) if (t + i * N < n) items[i] = in[t + i * N]; }
template <class T, int I, class Out> WW_DEVICE void StoreDirectBlocked(int t, Out out, T (&items)[I]) { for (int i = 0; i < I; i++) out[t * I + i] = items[i]; }
template <class T, int I, class Out> WW_DEVICE void StoreDirectBlocked(int t, Out out, T (&items)[I], int n) { for (int i = 0; i < I; i++) if (t * I + i < n) out[t * I + i] = items[i]; }
template <int N, class T, int I, class Out> WW_DEVICE void StoreDirectStriped(int t, Out out, T (&items)[I]) { for (int i = 0; i < I; i++) out[t + i * N] = items[i]; }
template <int N, class T, int I, class Out> WW_DEVICE void StoreDirectStriped(int t, Out out, T (&items)[I], int n) { for (int i = 0; i < I; i++) if (t + i * N < n) out[t + i * N] = items[i]; }

/* Rearrangements through shared memory. */
template <class T, int X, int I, bool Slices = false, int Y = 1, int Z = 1, int Arch = 0> class BlockExchange {
  static constexpr int threads = X * Y * Z;

public:
  struct TempStorage { Uninitialized<T> items[threads * I]; };
  __device__ BlockExchange() : temp(ww_impl::own_storage<TempStorage>()) {}
  __device__ BlockExchange(TempStorage &t) : temp(t) {}
  __device__ void StripedToBlocked(T (&in)[I], T (&out)[I]) { move(in, out, [](int t, int i) { return t + i * threads; }, blocked); }
  __device__ void BlockedToStriped(T (&in)[I], T (&out)[I]) { move(in, out, blocked, [](int t, int i) { return t + i * threads; }); }
  __device__ void StripedToBlocked(T (&items)[I]) { StripedToBlocked(items, items); }
  __device__ void BlockedToStriped(T (&items)[I]) { BlockedToStriped(items, items); }
  template <class R> __device__ void ScatterToBlocked(T (&items)[I], R (&ranks)[I]) { move(items, items, [&](int, int i) { return (int)ranks[i]; }, blocked); }
  template <class R> __device__ void ScatterToStriped(T (&items)[I], R (&ranks)[I]) { move(items, items, [&](int, int i) { return (int)ranks[i]; }, [](int t, int i) { return t + i * threads; }); }

private:
  TempStorage &temp;
  __device__ static int blocked(int t, int i) { return t * I + i; }
  template <class From, class To> __device__ void move(T (&in)[I], T (&out)[I], From from, To to) {
    int t = ww_impl::block_rank();
    for (int i = 0; i < I; i++) temp.items[from(t, i)].Alias() = in[i];
    __syncthreads();
    for (int i = 0; i < I; i++) out[i] = temp.items[to(t, i)].Alias();
    __syncthreads();
  }
};

/* Radix sort: a stable split by each bit, by ranks from a scan of the ones. */
template <class K, int X, int I, class V = NullType, int Bits = 4, bool Memoize = true, BlockScanAlgorithm A = BLOCK_SCAN_WARP_SCANS, int Config = 0, int Y = 1, int Z = 1, int Arch = 0>
class BlockRadixSort {
  static constexpr int threads = X * Y * Z;
  typedef typename Traits<K>::UnsignedBits U;
  typedef BlockScan<int, X, BLOCK_SCAN_WARP_SCANS, Y, Z> Scan;

public:
  struct TempStorage {
    typename Scan::TempStorage scan;
    Uninitialized<K> keys[threads * I];
    Uninitialized<V> values[threads * I];
  };
  __device__ BlockRadixSort() : temp(ww_impl::own_storage<TempStorage>()) {}
  __device__ BlockRadixSort(TempStorage &t) : temp(t) {}
  __device__ void Sort(K (&k)[I], int first = 0, int end = sizeof(K) * 8) { V none[I]; sort(k, none, first, end, false, false); }
  __device__ void Sort(K (&k)[I], V (&v)[I], int first = 0, int end = sizeof(K) * 8) { sort(k, v, first, end, false, false); }
  __device__ void SortDescending(K (&k)[I], int first = 0, int end = sizeof(K) * 8) { V none[I]; sort(k, none, first, end, true, false); }
  __device__ void SortDescending(K (&k)[I], V (&v)[I], int first = 0, int end = sizeof(K) * 8) { sort(k, v, first, end, true, false); }
  __device__ void SortBlockedToStriped(K (&k)[I], int first = 0, int end = sizeof(K) * 8) { V none[I]; sort(k, none, first, end, false, true); }
  __device__ void SortBlockedToStriped(K (&k)[I], V (&v)[I], int first = 0, int end = sizeof(K) * 8) { sort(k, v, first, end, false, true); }

private:
  TempStorage &temp;
  __device__ void sort(K (&k)[I], V (&v)[I], int first, int end, bool descending, bool striped) {
    int t = ww_impl::block_rank();
    for (int bit = first; bit < end; bit++) {
      int one[I], before[I], ones;
      for (int i = 0; i < I; i++) one[i] = (Traits<K>::TwiddleIn(__builtin_bit_cast(U, k[i])) >> bit & 1) != descending;
      Scan(temp.scan).ExclusiveSum(one, before, ones);
      bool last = bit + 1 == end;
      for (int i = 0; i < I; i++) {
        int at = t * I + i, zeros = threads * I - ones, rank = one[i] ? zeros + before[i] : at - before[i];
        temp.keys[rank].Alias() = k[i];
        temp.values[rank].Alias() = v[i];
      }
      __syncthreads();
      for (int i = 0; i < I; i++) {
        int at = striped && last ? t + i * threads : t * I + i;
        k[i] = temp.keys[at].Alias();
        v[i] = temp.values[at].Alias();
      }
      __syncthreads();
    }
  }
};

/* Differences and flags between neighbouring items (blocked order). */
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> class BlockAdjacentDifference {
public:
  struct TempStorage { Uninitialized<T> edge[X * Y * Z]; };
  __device__ BlockAdjacentDifference() : temp(ww_impl::own_storage<TempStorage>()) {}
  __device__ BlockAdjacentDifference(TempStorage &t) : temp(t) {}
  template <int I, class O, class F> __device__ void SubtractLeft(T (&in)[I], O (&out)[I], F f) {
    int t = ww_impl::block_rank();
    temp.edge[t].Alias() = in[I - 1];
    __syncthreads();
    for (int i = I - 1; i > 0; i--) out[i] = f(in[i], in[i - 1]);
    out[0] = t ? (O)f(in[0], temp.edge[t - 1].Alias()) : (O)in[0];
    __syncthreads();
  }
  template <int I, class O, class F> __device__ void SubtractRight(T (&in)[I], O (&out)[I], F f) {
    int t = ww_impl::block_rank();
    temp.edge[t].Alias() = in[0];
    __syncthreads();
    for (int i = 0; i < I - 1; i++) out[i] = f(in[i], in[i + 1]);
    out[I - 1] = t + 1 < X * Y * Z ? (O)f(in[I - 1], temp.edge[t + 1].Alias()) : (O)in[I - 1];
    __syncthreads();
  }
  template <int I, class O, class F> __device__ void FlagHeads(O (&flags)[I], T (&in)[I], F f) {
    int t = ww_impl::block_rank();
    temp.edge[t].Alias() = in[I - 1];
    __syncthreads();
    for (int i = I - 1; i > 0; i--) flags[i] = f(in[i - 1], in[i]);
    flags[0] = t ? (O)f(temp.edge[t - 1].Alias(), in[0]) : (O)1;
    __syncthreads();
  }
  template <int I, class O, class F> __device__ void FlagTails(O (&flags)[I], T (&in)[I], F f) {
    int t = ww_impl::block_rank();
    temp.edge[t].Alias() = in[0];
    __syncthreads();
    for (int i = 0; i < I - 1; i++) flags[i] = f(in[i], in[i + 1]);
    flags[I - 1] = t + 1 < X * Y * Z ? (O)f(in[I - 1], temp.edge[t + 1].Alias()) : (O)1;
    __syncthreads();
  }

private:
  TempStorage &temp;
};
template <class T, int X, int Y = 1, int Z = 1, int Arch = 0> using BlockDiscontinuity = BlockAdjacentDifference<T, X, Y, Z, Arch>;

template <class T, int X, int I, int Bins, BlockHistogramAlgorithm A = BLOCK_HISTO_SORT, int Y = 1, int Z = 1, int Arch = 0> class BlockHistogram {
public:
  struct TempStorage {};
  __device__ BlockHistogram() {}
  __device__ BlockHistogram(TempStorage &) {}
  template <class C> __device__ void InitHistogram(C *bins) {
    for (int b = ww_impl::block_rank(); b < Bins; b += X * Y * Z) bins[b] = 0;
    __syncthreads();
  }
  template <class C> __device__ void Composite(T (&items)[I], C *bins) {
    for (int i = 0; i < I; i++) atomicAdd(bins + items[i], (C)1);
    __syncthreads();
  }
  template <class C> __device__ void Histogram(T (&items)[I], C *bins) {
    InitHistogram(bins);
    Composite(items, bins);
  }
};

} // namespace hipcub
#endif
