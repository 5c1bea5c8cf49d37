/* Device-wide functions of hipCUB, called from the host: declarations only. */
#ifndef WW_CUB_DEVICE_H
#define WW_CUB_DEVICE_H
#include "ww_cub_types.h"

namespace hipcub {
#define WW_CALL(name) template <class... A> static hipError_t name(A &&...) WW_NO_BODY
struct DeviceReduce { WW_CALL(Reduce) WW_CALL(Sum) WW_CALL(Min) WW_CALL(Max) WW_CALL(ArgMin) WW_CALL(ArgMax) WW_CALL(ReduceByKey) WW_CALL(TransformReduce) };
struct DeviceScan { WW_CALL(InclusiveSum) WW_CALL(ExclusiveSum) WW_CALL(InclusiveScan) WW_CALL(ExclusiveScan) WW_CALL(InclusiveSumByKey) WW_CALL(ExclusiveSumByKey) WW_CALL(InclusiveScanByKey) WW_CALL(ExclusiveScanByKey) };
struct DeviceRadixSort { WW_CALL(SortKeys) WW_CALL(SortPairs) WW_CALL(SortKeysDescending) WW_CALL(SortPairsDescending) };
struct DeviceMergeSort { WW_CALL(SortKeys) WW_CALL(SortPairs) WW_CALL(StableSortKeys) WW_CALL(StableSortPairs) };
struct DeviceSegmentedRadixSort { WW_CALL(SortKeys) WW_CALL(SortPairs) WW_CALL(SortKeysDescending) WW_CALL(SortPairsDescending) };
struct DeviceSegmentedSort { WW_CALL(SortKeys) WW_CALL(SortPairs) WW_CALL(SortKeysDescending) WW_CALL(SortPairsDescending) WW_CALL(StableSortKeys) WW_CALL(StableSortPairs) };
struct DeviceSegmentedReduce { WW_CALL(Reduce) WW_CALL(Sum) WW_CALL(Min) WW_CALL(Max) WW_CALL(ArgMin) WW_CALL(ArgMax) };
struct DeviceSelect { WW_CALL(Flagged) WW_CALL(If) WW_CALL(Unique) WW_CALL(UniqueByKey) };
struct DevicePartition { WW_CALL(Flagged) WW_CALL(If) };
struct DeviceRunLengthEncode { WW_CALL(Encode) WW_CALL(NonTrivialRuns) };
struct DeviceHistogram { WW_CALL(HistogramEven) WW_CALL(HistogramRange) WW_CALL(MultiHistogramEven) WW_CALL(MultiHistogramRange) };
struct DeviceAdjacentDifference { WW_CALL(SubtractLeft) WW_CALL(SubtractLeftCopy) WW_CALL(SubtractRight) WW_CALL(SubtractRightCopy) };
struct DeviceSpmv { WW_CALL(CsrMV) };
struct DeviceFor { WW_CALL(Bulk) WW_CALL(ForEach) WW_CALL(ForEachN) };
#undef WW_CALL

struct CachingDeviceAllocator {
  CachingDeviceAllocator(bool = false) {}
  template <class... A> CachingDeviceAllocator(A &&...) {}
  hipError_t DeviceAllocate(void **, size_t, hipStream_t = 0);
  hipError_t DeviceFree(void *);
};
} // namespace hipcub
#endif
