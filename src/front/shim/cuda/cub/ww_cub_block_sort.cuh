/* CUB's block-wide sorts: BlockRadixSort (4 bits a pass, stable) and BlockMergeSort (odd-even merge of thread runs). */
#ifndef WW_CUB_BLOCK_SORT_CUH
#define WW_CUB_BLOCK_SORT_CUH
#include "ww_cub_block_io.cuh"

namespace cub {
template <class K, int X, int N, class V = NullType, int RADIX_BITS = 4, bool = true, BlockScanAlgorithm = BLOCK_SCAN_WARP_SCANS, int = 0, int Y = 1, int Z = 1, int = 0>
class BlockRadixSort {
  enum { THREADS = X * Y * Z, DIGITS = 1 << RADIX_BITS, KEYS_ONLY = std::is_same<V, NullType>::value };
  typedef NumericTraits<K> KT;
  typedef typename KT::UnsignedBits Bits;
  typedef BlockScan<unsigned, X, BLOCK_SCAN_WARP_SCANS, Y, Z> Scan;
  typedef typename std::conditional<KEYS_ONLY, unsigned char, V>::type Stored;
  union buffers {
    struct { unsigned short count[DIGITS * THREADS]; typename Scan::TempStorage scan; } rank; /* digit-major */
    Bits keys[THREADS * N];
    unsigned char values[sizeof(Stored) * THREADS * N];
  };
  buffers *s_;
  int tid_;

  /* Ranks the keys by one digit: thread-private counters, one scan over digit-major order, stable within a thread. */
  WW_MD void rank_keys(Bits (&k)[N], int (&rank)[N], int bit, int bits) {
    unsigned short *count = s_->rank.count;
    for (int d = 0; d < DIGITS; d++) count[d * THREADS + tid_] = 0;
    unsigned mask = (1u << bits) - 1;
    for (int i = 0; i < N; i++) rank[i] = count[((unsigned)(k[i] >> bit) & mask) * THREADS + tid_]++;
    __syncthreads();
    unsigned sum = 0, start;
    for (int i = 0; i < DIGITS; i++) sum += count[tid_ * DIGITS + i];
    Scan(s_->rank.scan).ExclusiveSum(sum, start);
    for (int i = 0; i < DIGITS; i++) { unsigned c = count[tid_ * DIGITS + i]; count[tid_ * DIGITS + i] = (unsigned short)start; start += c; }
    __syncthreads();
    for (int i = 0; i < N; i++) rank[i] += count[((unsigned)(k[i] >> bit) & mask) * THREADS + tid_];
    __syncthreads();
  }
  template <class T> WW_MD void scatter(T *at, T (&v)[N], int (&rank)[N], bool striped) {
    for (int i = 0; i < N; i++) at[rank[i]] = v[i];
    __syncthreads();
    for (int i = 0; i < N; i++) v[i] = at[striped ? i * THREADS + tid_ : tid_ * N + i];
    __syncthreads();
  }
  WW_MD void scatter_values(V (&v)[N], int (&rank)[N], bool striped, std::false_type) { scatter((V *)s_->values, v, rank, striped); }
  WW_MD void scatter_values(V (&)[N], int (&)[N], bool, std::true_type) {}
  WW_MD void sort(K (&keys)[N], V (&values)[N], int begin, int end, bool descending, bool striped) {
    Bits k[N];
    for (int i = 0; i < N; i++) { k[i] = KT::TwiddleIn(__builtin_bit_cast(Bits, keys[i])); if (descending) k[i] = (Bits)~k[i]; }
    for (int bit = begin; bit < end; bit += RADIX_BITS) {
      int rank[N], bits = end - bit < RADIX_BITS ? end - bit : RADIX_BITS;
      bool last = bit + RADIX_BITS >= end;
      rank_keys(k, rank, bit, bits);
      scatter(s_->keys, k, rank, striped && last);
      scatter_values(values, rank, striped && last, std::integral_constant<bool, KEYS_ONLY>());
    }
    for (int i = 0; i < N; i++) { if (descending) k[i] = (Bits)~k[i]; keys[i] = __builtin_bit_cast(K, KT::TwiddleOut(k[i])); }
  }

public:
  typedef Uninitialized<buffers> TempStorage;
  WW_MD BlockRadixSort() : BlockRadixSort(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockRadixSort(TempStorage &t) : s_(&t.Alias()), tid_(RowMajorTid(X, Y, Z)) {}
#define WW_SORT(NAME, DESC, STRIPED)                                                                                  \
  WW_MD void NAME(K (&k)[N], int begin = 0, int end = sizeof(K) * 8) { V none[N]; sort(k, none, begin, end, DESC, STRIPED); } \
  template <class U> WW_MD void NAME(K (&k)[N], U (&v)[N], int begin = 0, int end = sizeof(K) * 8) { sort(k, v, begin, end, DESC, STRIPED); }
  WW_SORT(Sort, false, false)
  WW_SORT(SortDescending, true, false)
  WW_SORT(SortBlockedToStriped, false, true)
  WW_SORT(SortDescendingBlockedToStriped, true, true)
#undef WW_SORT
};

/* Stable sort by comparison: each thread sorts its items, then neighbouring runs merge by merge path. */
template <class K, int X, int N, class V = NullType, int Y = 1, int Z = 1> class BlockMergeSort {
  enum { THREADS = X * Y * Z, ITEMS = THREADS * N, KEYS_ONLY = std::is_same<V, NullType>::value };
  struct buffers { K keys[ITEMS]; V values[ITEMS]; };
  buffers *s_;
  int tid_;
  template <class Op> WW_MD void sort(K (&k)[N], V (&v)[N], int valid, Op less) {
    for (int i = 1; i < N; i++) /* insertion sort of this thread's run */
      for (int j = i; j > 0 && tid_ * N + j < valid && less(k[j], k[j - 1]); j--) {
        K kt = k[j]; k[j] = k[j - 1]; k[j - 1] = kt;
        V vt = v[j]; v[j] = v[j - 1]; v[j - 1] = vt;
      }
    for (int width = N; width < ITEMS; width *= 2) {
      for (int i = 0; i < N; i++) { s_->keys[tid_ * N + i] = k[i]; if (!KEYS_ONLY) s_->values[tid_ * N + i] = v[i]; }
      __syncthreads();
      int at = tid_ * N, a0 = at / (2 * width) * 2 * width;
      int a1 = min(a0 + width, valid), b1 = min(a0 + 2 * width, valid), b0 = a1;
      a0 = min(a0, valid);
      int diagonal = min(at - a0, b1 - a0), lo = max(0, diagonal - (b1 - b0)), hi = min(diagonal, a1 - a0);
      while (lo < hi) { /* how many of the first `diagonal` outputs come from run a */
        int mid = (lo + hi) / 2;
        if (!less(s_->keys[b0 + diagonal - 1 - mid], s_->keys[a0 + mid])) lo = mid + 1; else hi = mid;
      }
      int a = a0 + lo, b = b0 + diagonal - lo;
      for (int i = 0; i < N && at + i < valid; i++) {
        bool from_a = a < a1 && (b >= b1 || !less(s_->keys[b], s_->keys[a]));
        int from = from_a ? a++ : b++;
        k[i] = s_->keys[from];
        if (!KEYS_ONLY) v[i] = s_->values[from];
      }
      __syncthreads();
    }
  }

public:
  typedef Uninitialized<buffers> TempStorage;
  WW_MD BlockMergeSort() : BlockMergeSort(__ww_private_storage<TempStorage>()) {}
  WW_MD BlockMergeSort(TempStorage &t) : s_(&t.Alias()), tid_(RowMajorTid(X, Y, Z)) {}
  template <class Op> WW_MD void Sort(K (&k)[N], Op less) { V none[N]; sort(k, none, ITEMS, less); }
  template <class Op> WW_MD void StableSort(K (&k)[N], Op less) { V none[N]; sort(k, none, ITEMS, less); }
  template <class Op> WW_MD void Sort(K (&k)[N], Op less, int valid, K) { V none[N]; sort(k, none, valid, less); }
  template <class Op> WW_MD void Sort(K (&k)[N], V (&v)[N], Op less) { sort(k, v, ITEMS, less); }
  template <class Op> WW_MD void Sort(K (&k)[N], V (&v)[N], Op less, int valid, K) { sort(k, v, valid, less); }
};
} // namespace cub
#endif
