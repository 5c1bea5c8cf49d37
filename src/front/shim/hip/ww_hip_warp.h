/* Wavefront functions: lane id, shuffles, votes, match. 64 lanes.
 *
 * Shuffles are llvm.amdgcn.ds.bpermute on 32-bit words (byte address = 4 * source lane); votes are
 * llvm.amdgcn.ballot.i64 over the active lanes; the _sync forms restrict the vote to their mask. */
#ifndef WW_HIP_WARP_H
#define WW_HIP_WARP_H

WW_DEVICE unsigned __lane_id() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
WW_DEVICE unsigned long long __lanemask_lt() { return (1ull << __lane_id()) - 1; }
WW_DEVICE unsigned long long __lanemask_le() { return ~0ull >> (63 - __lane_id()); }
WW_DEVICE unsigned long long __lanemask_eq() { return 1ull << __lane_id(); }
WW_DEVICE unsigned long long __lanemask_gt() { return ~__lanemask_le(); }
WW_DEVICE unsigned long long __lanemask_ge() { return ~__lanemask_lt(); }

/* Votes. */
WW_DEVICE unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
WW_DEVICE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
WW_DEVICE int __any(int predicate) { return __ballot(predicate) != 0; }
WW_DEVICE int __all(int predicate) { return __ballot(!predicate) == 0; }
WW_DEVICE unsigned long long __activemask() { return __ballot(1); }
template <class M> WW_DEVICE unsigned long long __ballot_sync(M mask, int predicate) { return __ballot(predicate) & (unsigned long long)mask; }
template <class M> WW_DEVICE int __any_sync(M mask, int predicate) { return __ballot_sync(mask, predicate) != 0; }
template <class M> WW_DEVICE int __all_sync(M mask, int predicate) { return __ballot_sync(mask, !predicate) == 0; }

namespace ww {
/* The value that `lane` holds, word by word. */
template <class T> WW_DEVICE T from_lane(T value, int lane) {
  constexpr int words = (sizeof(T) + 3) / 4;
  int word[words] = {};
  __builtin_memcpy(word, &value, sizeof(T));
  for (int i = 0; i < words; i++) word[i] = __builtin_amdgcn_ds_bpermute(lane << 2, word[i]);
  __builtin_memcpy((void *)&value, word, sizeof(T));
  return value;
}
} // namespace ww

/* Shuffles inside segments of `width` lanes, a power of two. Out of the segment: the lane's own value. */
namespace ww {
template <class T> WW_DEVICE T shfl(T value, int source, int width) {
  int self = __lane_id();
  return from_lane(value, (source & (width - 1)) + (self & ~(width - 1)));
}
template <class T> WW_DEVICE T shfl_up(T value, unsigned delta, int width) {
  int self = __lane_id(), source = self - (int)delta;
  return from_lane(value, source < (self & ~(width - 1)) ? self : source);
}
template <class T> WW_DEVICE T shfl_down(T value, unsigned delta, int width) {
  int self = __lane_id(), source = self + (int)delta;
  return from_lane(value, (int)((self & (width - 1)) + delta) >= width ? self : source);
}
template <class T> WW_DEVICE T shfl_xor(T value, int mask, int width) {
  int self = __lane_id(), source = self ^ mask;
  return from_lane(value, source >= ((self + width) & ~(width - 1)) ? self : source);
}
} // namespace ww

/* Overloads, not templates, so that a unit's own template for its structures is never ambiguous. */
#define WW_SHUFFLES(T)                                                                                                                 \
  WW_DEVICE T __shfl(T v, int source, int width = warpSize) { return ww::shfl(v, source, width); }                                     \
  WW_DEVICE T __shfl_up(T v, unsigned delta, int width = warpSize) { return ww::shfl_up(v, delta, width); }                            \
  WW_DEVICE T __shfl_down(T v, unsigned delta, int width = warpSize) { return ww::shfl_down(v, delta, width); }                        \
  WW_DEVICE T __shfl_xor(T v, int mask, int width = warpSize) { return ww::shfl_xor(v, mask, width); }
WW_SHUFFLES(int) WW_SHUFFLES(unsigned) WW_SHUFFLES(long) WW_SHUFFLES(unsigned long) WW_SHUFFLES(long long) WW_SHUFFLES(unsigned long long)
WW_SHUFFLES(float) WW_SHUFFLES(double)

template <class M, class T> WW_DEVICE T __shfl_sync(M, T value, int source, int width = warpSize) { return ww::shfl(value, source, width); }
template <class M, class T> WW_DEVICE T __shfl_up_sync(M, T value, unsigned delta, int width = warpSize) { return ww::shfl_up(value, delta, width); }
template <class M, class T> WW_DEVICE T __shfl_down_sync(M, T value, unsigned delta, int width = warpSize) { return ww::shfl_down(value, delta, width); }
template <class M, class T> WW_DEVICE T __shfl_xor_sync(M, T value, int mask, int width = warpSize) { return ww::shfl_xor(value, mask, width); }

/* Lanes of mask whose value is bit for bit this lane's: peel off one value at a time. */
template <class T> WW_DEVICE unsigned long long __match_any(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match needs a 4- or 8-byte type");
  using I = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  I bits = __builtin_bit_cast(I, value);
  unsigned long long result = 0;
  for (bool done = false; __any(!done);) {
    if (!done) {
      unsigned lo = __builtin_amdgcn_readfirstlane((unsigned)bits);
      unsigned hi = __builtin_amdgcn_readfirstlane((unsigned)((unsigned long long)bits >> 32));
      bool same = bits == (I)((unsigned long long)hi << 32 | lo);
      unsigned long long lanes = __ballot(same);
      if (same) {
        result = lanes;
        done = true;
      }
    }
  }
  return result;
}
template <class M, class T> WW_DEVICE unsigned long long __match_any_sync(M mask, T value) { return __match_any(value) & (unsigned long long)mask; }
template <class T> WW_DEVICE unsigned long long __match_all(T value, int *same) {
  using I = std::conditional_t<sizeof(T) == 4, unsigned, unsigned long long>;
  I bits = __builtin_bit_cast(I, value);
  unsigned lo = __builtin_amdgcn_readfirstlane((unsigned)bits);
  unsigned hi = __builtin_amdgcn_readfirstlane((unsigned)((unsigned long long)bits >> 32));
  *same = __all(bits == (I)((unsigned long long)hi << 32 | lo));
  return *same ? __activemask() : 0;
}
template <class M, class T> WW_DEVICE unsigned long long __match_all_sync(M mask, T value, int *same) { return __match_all(value, same) & (unsigned long long)mask; }

/* Reductions over the lanes of mask (each lane of mask calls). */
#define WW_REDUCE_SYNC(name, combine)                                                                     \
  template <class M, class T> WW_DEVICE T name(M mask, T value) {                                         \
    unsigned long long rest = mask;                                                                       \
    T a = ww::from_lane(value, __builtin_ctzll(rest));                                                    \
    for (rest &= rest - 1; rest; rest &= rest - 1) {                                                      \
      T b = ww::from_lane(value, __builtin_ctzll(rest));                                                  \
      a = combine;                                                                                        \
    }                                                                                                     \
    return a;                                                                                             \
  }
WW_REDUCE_SYNC(__reduce_add_sync, a + b)
WW_REDUCE_SYNC(__reduce_min_sync, b < a ? b : a)
WW_REDUCE_SYNC(__reduce_max_sync, a < b ? b : a)
WW_REDUCE_SYNC(__reduce_and_sync, a & b)
WW_REDUCE_SYNC(__reduce_or_sync, a | b)
WW_REDUCE_SYNC(__reduce_xor_sync, a ^ b)
#undef WW_REDUCE_SYNC

#endif
