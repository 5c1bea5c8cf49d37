/* Cooperative groups: thread_block, tiles, coalesced and partitioned groups, grid and cluster; shuffles, votes,
 * reduce, scan and collective copies.
 *
 * Written over __shfl_sync, __ballot_sync, __match_any_sync, __syncwarp and __syncthreads. A group narrower than a
 * warp is a lane mask (32 lanes; HIP's 64-lane waves need their own); that mask goes to every primitive, so the result is
 * right in divergent code. The only
 * external is __ww_grid_sync: every thread of the grid arrives before any leaves. */
#ifndef WW_COOP_H
#define WW_COOP_H
#include "ww_vec.h"
#include "ww_words.h"

extern "C" __device__ void __ww_grid_sync(void);

namespace cooperative_groups {
namespace __ww {
#ifdef __HIP__
WW_D unsigned lane() { return __lane_id(); }
#else
WW_D unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
#endif
WW_D unsigned block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
WW_D unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
WW_D unsigned below(unsigned lane) { return (1u << lane) - 1; } /* mask of the lanes before this one */

/* Index of the set bit of m with `rank` set bits below it. */
WW_D unsigned nth_lane(unsigned m, unsigned rank) {
  if (m == 0xffffffffu) return rank;
  while (rank--) m &= m - 1;
  return (unsigned)__builtin_ctz(m);
}
} // namespace __ww

namespace details {
enum group_kind { coalesced_group_id = 1, grid_group_id = 2, thread_block_id = 4, multi_tile_group_id = 5, cluster_group_id = 6 };
}

/* ---- the type-erased group: a whole block, or some lanes of a warp ---- */
class thread_group {
protected:
  unsigned mask_; /* lanes; 0 means the whole block */
  unsigned size_, rank_, meta_rank_ = 0, meta_size_ = 1;

public:
  WW_MD thread_group(unsigned mask, unsigned size, unsigned rank) : mask_(mask), size_(size), rank_(rank) {}
  WW_MD unsigned lane_mask() const { return mask_; }
  WW_MD void sync() const { if (mask_) __syncwarp(mask_); else __syncthreads(); }
  WW_MD unsigned size() const { return size_; }
  WW_MD unsigned num_threads() const { return size_; }
  WW_MD unsigned thread_rank() const { return rank_; }
  WW_MD bool is_valid() const { return true; }
};

class thread_block : public thread_group {
public:
  WW_MD thread_block() : thread_group(0, __ww::block_size(), __ww::block_rank()) {}
  WW_MD static void sync() { __syncthreads(); }
  WW_MD static unsigned size() { return __ww::block_size(); }
  WW_MD static unsigned num_threads() { return __ww::block_size(); }
  WW_MD static unsigned thread_rank() { return __ww::block_rank(); }
  WW_MD static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  WW_MD static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  WW_MD static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  WW_MD static dim3 dim_threads() { return group_dim(); }
  struct arrival_token {};
  WW_MD static arrival_token barrier_arrive() { return arrival_token(); }
  WW_MD static void barrier_wait(arrival_token &&) { __syncthreads(); }
};
WW_D thread_block this_thread_block() { return thread_block(); }

/* ---- some lanes of a warp ---- */
class coalesced_group : public thread_group {
public:
  WW_MD explicit coalesced_group(unsigned mask)
      : thread_group(mask, (unsigned)__builtin_popcount(mask), (unsigned)__builtin_popcount(mask & __ww::below(__ww::lane()))) {}
  WW_MD void set_meta(unsigned rank, unsigned size) { meta_rank_ = rank, meta_size_ = size; }
  WW_MD unsigned meta_group_rank() const { return meta_rank_; }
  WW_MD unsigned meta_group_size() const { return meta_size_; }
  WW_MD void sync() const { __syncwarp(mask_); }
  template <class T> WW_MD T shfl(T v, int rank) const {
    unsigned m = mask_, from = __ww::nth_lane(m, (unsigned)rank % size_);
    return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)from); });
  }
  template <class T> WW_MD T shfl_up(T v, unsigned d) const {
    unsigned m = mask_, from = d > rank_ ? __ww::lane() : __ww::nth_lane(m, rank_ - d);
    return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)from); });
  }
  template <class T> WW_MD T shfl_down(T v, unsigned d) const {
    unsigned m = mask_, from = rank_ + d >= size_ ? __ww::lane() : __ww::nth_lane(m, rank_ + d);
    return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(m, w, (int)from); });
  }
  WW_MD int any(int p) const { return __ballot_sync(mask_, p) != 0; }
  WW_MD int all(int p) const { return __ballot_sync(mask_, p) == mask_; }
  WW_MD unsigned ballot(int p) const { return pack(__ballot_sync(mask_, p)); }
  template <class T> WW_MD unsigned match_any(T v) const { return pack(__match_any_sync(mask_, v)); }
  template <class T> WW_MD unsigned match_all(T v, int &p) const { return pack(__match_all_sync(mask_, v, &p)); }

private:
  /* Lane bits to rank bits. */
  WW_MD unsigned pack(unsigned lanes) const {
    if (mask_ == 0xffffffffu) return lanes;
    unsigned out = 0, m = mask_;
    for (unsigned r = 0; m; r++, m &= m - 1) out |= (lanes >> __builtin_ctz(m) & 1) << r;
    return out;
  }
};
WW_D coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

WW_D thread_group tiled_partition(const thread_group &parent, unsigned n) {
  unsigned first = __ww::lane() & ~(n - 1);
  unsigned tile = n >= 32 ? 0xffffffffu : ((1u << n) - 1) << first;
  unsigned mask = parent.lane_mask() ? parent.lane_mask() & tile : tile;
  return thread_group(mask, (unsigned)__builtin_popcount(mask), (unsigned)__builtin_popcount(mask & __ww::below(__ww::lane())));
}
WW_D coalesced_group tiled_partition(const coalesced_group &parent, unsigned n) {
  unsigned first = parent.thread_rank() / n * n, mask = 0;
  for (unsigned r = first; r < first + n && r < parent.size(); r++) mask |= 1u << __ww::nth_lane(parent.lane_mask(), r);
  coalesced_group g(mask);
  g.set_meta(parent.thread_rank() / n, (parent.size() + n - 1) / n);
  return g;
}

/* ---- tiles: N consecutive threads of the block ---- */
template <unsigned N, class Parent = void> class thread_block_tile : public thread_group {
public:
  WW_MD thread_block_tile() : thread_group(lane_mask(), N, thread_rank()) {}
  template <class Q> WW_MD thread_block_tile(const thread_block_tile<N, Q> &) : thread_block_tile() {}
  WW_MD static unsigned lane_mask() { return N >= 32 ? 0xffffffffu : ((1u << (N & 31)) - 1) << (__ww::lane() & ~(N - 1)); }
  WW_MD static constexpr unsigned size() { return N; }
  WW_MD static constexpr unsigned num_threads() { return N; }
  WW_MD static unsigned thread_rank() { return __ww::block_rank() & (N - 1); }
  WW_MD static unsigned meta_group_rank() { return __ww::block_rank() / N; }
  WW_MD static unsigned meta_group_size() { return (__ww::block_size() + N - 1) / N; }
  WW_MD void sync() const {
    if (N <= 32) __syncwarp(lane_mask());
    #ifdef __HIP__
    else __syncthreads();
#else
    else __nvvm_barrier_sync_cnt(1 + meta_group_rank() % 15, N); /* several warps: a named barrier */
#endif
  }
  template <class T> WW_MD T shfl(T v, int rank) const {
    return __ww_by_words(v, [=](unsigned w) { return __shfl_sync(lane_mask(), w, rank, (int)N); });
  }
  template <class T> WW_MD T shfl_up(T v, unsigned d) const {
    return __ww_by_words(v, [=](unsigned w) { return __shfl_up_sync(lane_mask(), w, d, (int)N); });
  }
  template <class T> WW_MD T shfl_down(T v, unsigned d) const {
    return __ww_by_words(v, [=](unsigned w) { return __shfl_down_sync(lane_mask(), w, d, (int)N); });
  }
  template <class T> WW_MD T shfl_xor(T v, unsigned m) const {
    return __ww_by_words(v, [=](unsigned w) { return __shfl_xor_sync(lane_mask(), w, (int)m, (int)N); });
  }
  WW_MD int any(int p) const { return N == 32 ? __any_sync(0xffffffffu, p) : __ballot_sync(lane_mask(), p) != 0; }
  WW_MD int all(int p) const { return N == 32 ? __all_sync(0xffffffffu, p) : __ballot_sync(lane_mask(), p) == lane_mask(); }
  WW_MD unsigned ballot(int p) const { return shift(__ballot_sync(lane_mask(), p)); }
  template <class T> WW_MD unsigned match_any(T v) const { return shift(__match_any_sync(lane_mask(), v)); }
  template <class T> WW_MD unsigned match_all(T v, int &p) const { return shift(__match_all_sync(lane_mask(), v, &p)); }

private:
  WW_MD static unsigned shift(unsigned lanes) { return N == 32 ? lanes : lanes >> (__ww::lane() & ~(N - 1)); }
};
template <unsigned N, class P> WW_D thread_block_tile<N, P> tiled_partition(const P &) { return thread_block_tile<N, P>(); }
template <unsigned N> struct block_tile_memory { char unused; };
template <unsigned N> WW_D thread_block this_thread_block(block_tile_memory<N> &) { return thread_block(); }
namespace experimental {
using cooperative_groups::block_tile_memory;
using cooperative_groups::this_thread_block;
using cooperative_groups::tiled_partition;
}

/* ---- partitions by value ---- */
template <class G> WW_D unsigned __ww_lane_mask(const G &g) { return g.lane_mask(); }
template <class G, class L> WW_D coalesced_group labeled_partition(const G &g, L label) {
  return coalesced_group(__match_any_sync(__ww_lane_mask(g), label));
}
template <class G> WW_D coalesced_group binary_partition(const G &g, bool p) {
  unsigned m = __ww_lane_mask(g), yes = __ballot_sync(m, p);
  coalesced_group part(p ? yes : m & ~yes);
  part.set_meta(p ? 0 : 1, 2);
  return part;
}

/* ---- grid and cluster ---- */
class grid_group {
public:
  WW_MD bool is_valid() const { return true; }
  WW_MD void sync() const { __ww_grid_sync(); }
  struct arrival_token {};
  WW_MD arrival_token barrier_arrive() const { return arrival_token(); }
  WW_MD void barrier_wait(arrival_token &&) const { __ww_grid_sync(); }
  WW_MD static unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
  WW_MD static unsigned long long block_rank() { return blockIdx.x + (unsigned long long)gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z); }
  WW_MD static unsigned long long num_threads() { return num_blocks() * __ww::block_size(); }
  WW_MD static unsigned long long size() { return num_threads(); }
  WW_MD static unsigned long long thread_rank() { return block_rank() * __ww::block_size() + __ww::block_rank(); }
  WW_MD static dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  WW_MD static dim3 dim_blocks() { return group_dim(); }
  WW_MD static dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
};
WW_D grid_group this_grid() { return grid_group(); }
typedef grid_group multi_grid_group; /* one device is all there is */
WW_D multi_grid_group this_multi_grid() { return multi_grid_group(); }

#ifndef __HIP__
class cluster_group {
public:
  WW_MD static void sync() { __cluster_barrier_arrive(); __cluster_barrier_wait(); }
  struct arrival_token {};
  WW_MD static arrival_token barrier_arrive() { __cluster_barrier_arrive(); return arrival_token(); }
  WW_MD static void barrier_wait(arrival_token && = arrival_token()) { __cluster_barrier_wait(); }
  WW_MD static dim3 block_index() { return __clusterRelativeBlockIdx(); }
  WW_MD static unsigned block_rank() { return __clusterRelativeBlockRank(); }
  WW_MD static dim3 dim_blocks() { return __clusterDim(); }
  WW_MD static unsigned num_blocks() { return __clusterSizeInBlocks(); }
  WW_MD static unsigned num_threads() { return num_blocks() * __ww::block_size(); }
  WW_MD static unsigned size() { return num_threads(); }
  WW_MD static unsigned thread_rank() { return block_rank() * __ww::block_size() + __ww::block_rank(); }
  template <class T> WW_MD static T *map_shared_rank(T *p, int rank) { return (T *)__cluster_map_shared_rank(p, (unsigned)rank); }
  WW_MD static unsigned query_shared_rank(const void *p) { return __cluster_query_shared_rank(p); }
};
WW_D cluster_group this_cluster() { return cluster_group(); }
#endif

template <class G> WW_D void sync(const G &g) { g.sync(); }
template <class G> WW_D unsigned thread_rank(const G &g) { return g.thread_rank(); }
template <class G> WW_D unsigned group_size(const G &g) { return g.size(); }
template <class G, class F, class... A> WW_D void invoke_one(const G &g, F f, A... a) { if (g.thread_rank() == 0) f(a...); }

/* ---- operators ---- */
#define WW_COOP_OP(N, E) \
  template <class T = void> struct N { WW_MHD T operator()(T a, T b) const { return (E); } }; \
  template <> struct N<void> { template <class T> WW_MHD T operator()(T a, T b) const { return (E); } };
WW_COOP_OP(plus, a + b) WW_COOP_OP(less, b < a ? b : a) WW_COOP_OP(greater, a < b ? b : a)
WW_COOP_OP(bit_and, a & b) WW_COOP_OP(bit_or, a | b) WW_COOP_OP(bit_xor, a ^ b)
#undef WW_COOP_OP

/* ---- reduce ---- */
template <class G, class T, class Op> WW_D T __ww_reduce_any(const G &g, T v, Op op) {
  /* shuffle down over ranks, guarded by the group's size, then broadcast rank 0 */
  for (unsigned d = 1; d < g.size(); d <<= 1) {
    T other = g.shfl_down(v, d);
    if (g.thread_rank() + d < g.size()) v = op(v, other);
  }
  return g.shfl(v, 0);
}
template <unsigned N, class P, class T, class Op> WW_D T __ww_reduce(const thread_block_tile<N, P> &g, T v, Op op) {
#pragma unroll
  for (unsigned d = N / 2; d; d >>= 1) v = op(v, g.shfl_xor(v, d));
  return v;
}
template <class T, class Op> WW_D T __ww_reduce(const coalesced_group &g, T v, Op op) { return __ww_reduce_any(g, v, op); }
#ifndef __HIP__
/* 32-bit integers have an instruction for it (redux.sync). */
#define WW_REDUX(OP, FN)                                                                                            \
  template <unsigned N, class P, class X> WW_D unsigned __ww_reduce(const thread_block_tile<N, P> &g, unsigned v, OP<X>) { return FN(g.lane_mask(), v); } \
  template <unsigned N, class P, class X> WW_D int __ww_reduce(const thread_block_tile<N, P> &g, int v, OP<X>) { return (int)FN(g.lane_mask(), v); } \
  template <class X> WW_D unsigned __ww_reduce(const coalesced_group &g, unsigned v, OP<X>) { return FN(g.lane_mask(), v); } \
  template <class X> WW_D int __ww_reduce(const coalesced_group &g, int v, OP<X>) { return (int)FN(g.lane_mask(), v); }
WW_REDUX(plus, __reduce_add_sync) WW_REDUX(less, __reduce_min_sync) WW_REDUX(greater, __reduce_max_sync)
WW_REDUX(bit_and, __reduce_and_sync) WW_REDUX(bit_or, __reduce_or_sync) WW_REDUX(bit_xor, __reduce_xor_sync)
#undef WW_REDUX
#endif
template <class G, class T, class Op> WW_D T reduce(const G &g, T v, Op op) { return __ww_reduce(g, v, op); }
template <class G, class A, class T, class Op> WW_D void reduce_update_async(const G &g, A &target, T v, Op op) {
  T total = __ww_reduce(g, v, op);
  if (g.thread_rank() == 0) target.fetch_add(total);
}

/* ---- scan ---- */
template <class G, class T, class Op> WW_D T inclusive_scan(const G &g, T v, Op op) {
  for (unsigned d = 1; d < g.size(); d <<= 1) {
    T other = g.shfl_up(v, d);
    if (g.thread_rank() >= d) v = op(other, v);
  }
  return v;
}
template <class G, class T> WW_D T inclusive_scan(const G &g, T v) { return inclusive_scan(g, v, plus<T>()); }
template <class G, class T, class Op> WW_D T exclusive_scan(const G &g, T v, Op op) {
  T before = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() ? before : T();
}
template <class G, class T> WW_D T exclusive_scan(const G &g, T v) { return exclusive_scan(g, v, plus<T>()); }

/* ---- collective copies: plain copies, as wide as alignment allows; complete when they return ---- */
template <class W, class G> WW_D void __ww_copy(const G &g, void *dst, const void *src, size_t bytes) {
  for (size_t i = g.thread_rank(); i < bytes / sizeof(W); i += g.size()) ((W *)dst)[i] = ((const W *)src)[i];
}
template <class G> WW_D void __ww_copy_bytes(const G &g, void *dst, const void *src, size_t bytes) {
  size_t low = (size_t)dst | (size_t)src | bytes;
  if (low % 16 == 0) __ww_copy<uint4>(g, dst, src, bytes);
  else if (low % 4 == 0) __ww_copy<unsigned>(g, dst, src, bytes);
  else __ww_copy<unsigned char>(g, dst, src, bytes);
}
template <class G, class T, class S> WW_D void memcpy_async(const G &g, T *dst, const S *src, size_t bytes) { __ww_copy_bytes(g, dst, src, bytes); }
template <class G, class T> WW_D void memcpy_async(const G &g, T *dst, size_t dst_n, const T *src, size_t src_n) {
  __ww_copy_bytes(g, dst, src, sizeof(T) * (dst_n < src_n ? dst_n : src_n));
}
template <class G> WW_D void wait(const G &g) { g.sync(); }
template <unsigned Stages, class G> WW_D void wait_prior(const G &g) { g.sync(); }
} // namespace cooperative_groups
#endif
