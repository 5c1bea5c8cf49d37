/* CUB's device-wide algorithms, for host code to type-check: every call is accepted and nothing is run. The kernels
 * they would launch are the library's, not the program's. */
#ifndef WW_CUB_DEVICE_CUH
#define WW_CUB_DEVICE_CUH
#include "ww_cub_util.cuh"

namespace cub {
#ifdef WW_EMULATE /* host code that runs: it is told how much scratch memory to get, and that nothing is computed */
#define WW_DEVICE(NAME)                                                                                              \
  template <class... A> static cudaError_t NAME(void *scratch, size_t &bytes, A &&...) {                              \
    if (!scratch) bytes = 256;                                                                                       \
    else __wwNothing("cub " #NAME);                                                                                  \
    return cudaSuccess;                                                                                              \
  }
#else
#define WW_DEVICE(NAME) template <class... A> WW_MHD static cudaError_t NAME(A &&...) { return cudaSuccess; }
#endif
struct DeviceReduce { WW_DEVICE(Reduce) WW_DEVICE(Sum) WW_DEVICE(Min) WW_DEVICE(Max) WW_DEVICE(ArgMin) WW_DEVICE(ArgMax) WW_DEVICE(ReduceByKey) WW_DEVICE(TransformReduce) };
struct DeviceSegmentedReduce { WW_DEVICE(Reduce) WW_DEVICE(Sum) WW_DEVICE(Min) WW_DEVICE(Max) WW_DEVICE(ArgMin) WW_DEVICE(ArgMax) };
struct DeviceScan {
  WW_DEVICE(ExclusiveSum) WW_DEVICE(InclusiveSum) WW_DEVICE(ExclusiveScan) WW_DEVICE(InclusiveScan) WW_DEVICE(InclusiveScanInit)
  WW_DEVICE(ExclusiveSumByKey) WW_DEVICE(InclusiveSumByKey) WW_DEVICE(ExclusiveScanByKey) WW_DEVICE(InclusiveScanByKey)
};
struct DeviceSelect { WW_DEVICE(Flagged) WW_DEVICE(If) WW_DEVICE(Unique) WW_DEVICE(UniqueByKey) WW_DEVICE(FlaggedIf) };
struct DevicePartition { WW_DEVICE(Flagged) WW_DEVICE(If) };
struct DeviceRadixSort { WW_DEVICE(SortPairs) WW_DEVICE(SortPairsDescending) WW_DEVICE(SortKeys) WW_DEVICE(SortKeysDescending) };
struct DeviceSegmentedRadixSort { WW_DEVICE(SortPairs) WW_DEVICE(SortPairsDescending) WW_DEVICE(SortKeys) WW_DEVICE(SortKeysDescending) };
struct DeviceSegmentedSort {
  WW_DEVICE(SortPairs) WW_DEVICE(SortPairsDescending) WW_DEVICE(SortKeys) WW_DEVICE(SortKeysDescending) WW_DEVICE(StableSortPairs) WW_DEVICE(StableSortKeys)
};
struct DeviceMergeSort { WW_DEVICE(SortPairs) WW_DEVICE(SortKeys) WW_DEVICE(StableSortPairs) WW_DEVICE(StableSortKeys) WW_DEVICE(SortPairsCopy) WW_DEVICE(SortKeysCopy) };
struct DeviceHistogram { WW_DEVICE(HistogramEven) WW_DEVICE(HistogramRange) WW_DEVICE(MultiHistogramEven) WW_DEVICE(MultiHistogramRange) };
struct DeviceRunLengthEncode { WW_DEVICE(Encode) WW_DEVICE(NonTrivialRuns) };
struct DeviceAdjacentDifference { WW_DEVICE(SubtractLeft) WW_DEVICE(SubtractLeftCopy) WW_DEVICE(SubtractRight) WW_DEVICE(SubtractRightCopy) };
struct DeviceSpmv { WW_DEVICE(CsrMV) };
struct DeviceFor { WW_DEVICE(Bulk) WW_DEVICE(ForEach) WW_DEVICE(ForEachN) WW_DEVICE(ForEachCopy) };
struct DeviceTransform { WW_DEVICE(Transform) };
struct DeviceCopy { WW_DEVICE(Batched) };
struct DeviceMemcpy { WW_DEVICE(Batched) };
#undef WW_DEVICE

struct CachingDeviceAllocator {
  template <class... A> CachingDeviceAllocator(A...) {}
  template <class... A> cudaError_t DeviceAllocate(A &&...) { return cudaSuccess; }
  template <class... A> cudaError_t DeviceFree(A &&...) { return cudaSuccess; }
  cudaError_t FreeAllCached() { return cudaSuccess; }
  size_t cached_bytes = 0;
  bool debug = false;
};
inline cudaError_t PtxVersion(int &v) { v = 900; return cudaSuccess; }
inline cudaError_t SmVersion(int &v, int = 0) { v = 900; return cudaSuccess; }
} // namespace cub
#endif
