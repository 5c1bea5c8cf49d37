/* Cooperative groups for wavefronts of 64: blocks, tiles, coalesced groups, the grid. */
#ifndef WW_HIP_COOPERATIVE_GROUPS_H
#define WW_HIP_COOPERATIVE_GROUPS_H
#include "../ww_hip.h"

/* Every thread of the grid arrives before any leaves. */
extern "C" __device__ void __ww_grid_sync(void);

namespace cooperative_groups {
namespace ww_impl {
WW_DEVICE unsigned block_rank() { return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z); }
WW_DEVICE unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }
} // namespace ww_impl

/* Any group: a block, or the lanes of `mask` (0: the whole block). */
class thread_group {
protected:
  unsigned long long mask_;
  unsigned size_, rank_;

public:
  __device__ thread_group(unsigned long long mask, unsigned size, unsigned rank) : mask_(mask), size_(size), rank_(rank) {}
  __device__ unsigned size() const { return size_; }
  __device__ unsigned num_threads() const { return size_; }
  __device__ unsigned thread_rank() const { return rank_; }
  __device__ bool is_valid() const { return true; }
  __device__ unsigned long long lanes() const { return mask_; }
  __device__ void sync() const { if (mask_) __syncwarp(); else __syncthreads(); }
};

class thread_block : public thread_group {
public:
  __device__ thread_block() : thread_group(0, ww_impl::block_size(), ww_impl::block_rank()) {}
  __device__ static unsigned size() { return ww_impl::block_size(); }
  __device__ static unsigned num_threads() { return ww_impl::block_size(); }
  __device__ static unsigned thread_rank() { return ww_impl::block_rank(); }
  __device__ static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  __device__ static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  __device__ static dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
  __device__ static void sync() { __syncthreads(); }
};
WW_DEVICE thread_block this_thread_block() { return thread_block(); }

class grid_group {
public:
  __device__ unsigned long long size() const { return (unsigned long long)ww_impl::block_size() * gridDim.x * gridDim.y * gridDim.z; }
  __device__ unsigned long long num_threads() const { return size(); }
  __device__ unsigned long long thread_rank() const {
    unsigned long long block = blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)gridDim.y * blockIdx.z);
    return block * ww_impl::block_size() + ww_impl::block_rank();
  }
  __device__ dim3 group_dim() const { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  __device__ bool is_valid() const { return true; }
  __device__ void sync() const { __ww_grid_sync(); }
};
WW_DEVICE grid_group this_grid() { return grid_group(); }
typedef grid_group multi_grid_group;
WW_DEVICE multi_grid_group this_multi_grid() { return grid_group(); }

/* The active lanes, ranked in lane order. */
class coalesced_group : public thread_group {
public:
  __device__ explicit coalesced_group(unsigned long long mask) : thread_group(mask, __popcll(mask), __popcll(mask & __lanemask_lt())) {}
  __device__ unsigned lane_of(unsigned rank) const {
    unsigned long long m = mask_;
    for (unsigned i = 0; i < rank; i++) m &= m - 1;
    return __builtin_ctzll(m);
  }
  template <class T> __device__ T shfl(T v, unsigned rank) const { return ww::from_lane(v, lane_of(rank % size_)); }
  template <class T> __device__ T shfl_up(T v, unsigned d) const { return ww::from_lane(v, d > rank_ ? __lane_id() : lane_of(rank_ - d)); }
  template <class T> __device__ T shfl_down(T v, unsigned d) const { return ww::from_lane(v, rank_ + d >= size_ ? __lane_id() : lane_of(rank_ + d)); }
  __device__ unsigned long long ballot(int p) const {
    unsigned long long votes = __ballot(p) & mask_, packed = 0, m = mask_;
    for (unsigned r = 0; m; r++, m &= m - 1) packed |= (votes >> __builtin_ctzll(m) & 1) << r;
    return packed;
  }
  __device__ int any(int p) const { return (__ballot(p) & mask_) != 0; }
  __device__ int all(int p) const { return (__ballot(!p) & mask_) == 0; }
};
WW_DEVICE coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

/* `Size` consecutive lanes, Size a power of two up to 64. */
template <unsigned Size, class Parent = void> class thread_block_tile : public thread_group {
  static_assert(Size && (Size & (Size - 1)) == 0 && Size <= 64, "a tile has 1 to 64 lanes");
  __device__ static unsigned first() { return __lane_id() & ~(Size - 1); }
  __device__ static unsigned long long tile_mask() { return (Size == 64 ? ~0ull : (1ull << (Size % 64)) - 1) << first(); }

public:
  template <class P> __device__ thread_block_tile(const thread_block_tile<Size, P> &) : thread_block_tile() {}
  __device__ thread_block_tile() : thread_group(tile_mask(), Size, __lane_id() & (Size - 1)) {}
  __device__ static constexpr unsigned size() { return Size; }
  __device__ static constexpr unsigned num_threads() { return Size; }
  __device__ unsigned thread_rank() const { return __lane_id() & (Size - 1); }
  __device__ unsigned meta_group_rank() const { return ww_impl::block_rank() / Size; }
  __device__ unsigned meta_group_size() const { return (ww_impl::block_size() + Size - 1) / Size; }
  __device__ void sync() const { __syncwarp(); }
  template <class T> __device__ T shfl(T v, int rank) const { return ww::shfl(v, rank, Size); }
  template <class T> __device__ T shfl_up(T v, unsigned d) const { return ww::shfl_up(v, d, Size); }
  template <class T> __device__ T shfl_down(T v, unsigned d) const { return ww::shfl_down(v, d, Size); }
  template <class T> __device__ T shfl_xor(T v, unsigned m) const { return ww::shfl_xor(v, (int)m, Size); }
  __device__ unsigned long long ballot(int p) const { return (__ballot(p) & tile_mask()) >> first(); }
  __device__ int any(int p) const { return ballot(p) != 0; }
  __device__ int all(int p) const { return ballot(!p) == 0; }
  template <class T> __device__ unsigned long long match_any(T v) const { return (__match_any(v) & tile_mask()) >> first(); }
};
template <unsigned Size, class Parent> WW_DEVICE thread_block_tile<Size, Parent> tiled_partition(const Parent &) { return thread_block_tile<Size, Parent>(); }
WW_DEVICE thread_group tiled_partition(const thread_group &, unsigned size) {
  unsigned lane = __lane_id();
  unsigned long long mask = (size >= 64 ? ~0ull : (1ull << size) - 1) << (lane & ~(size - 1));
  return thread_group(mask, size, lane & (size - 1));
}

template <class G> WW_DEVICE void sync(const G &g) { g.sync(); }
template <class G> WW_DEVICE unsigned thread_rank(const G &g) { return g.thread_rank(); }
template <class G> WW_DEVICE unsigned group_size(const G &g) { return g.size(); }

template <class T> struct plus { __device__ T operator()(T a, T b) const { return a + b; } };
template <class T> struct less { __device__ T operator()(T a, T b) const { return b < a ? b : a; } };
template <class T> struct greater { __device__ T operator()(T a, T b) const { return a < b ? b : a; } };
/* All lanes of the group get the result. */
template <class G, class T, class F> WW_DEVICE T reduce(const G &g, T v, F f) {
  T all = g.shfl(v, 0);
  for (unsigned i = 1; i < g.size(); i++) all = f(all, g.shfl(v, i));
  return all;
}
} // namespace cooperative_groups
#endif
