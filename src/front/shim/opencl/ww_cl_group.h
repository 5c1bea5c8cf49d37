/* Collective functions of OpenCL 2.0. A sub-group is a warp of 32: shuffles and votes. A work-group combines the
 * partial results of its warps through local memory that the interpreter lends (__ww_group_scratch). */
#ifndef WW_CL_GROUP_H
#define WW_CL_GROUP_H
#if __OPENCL_C_VERSION__ >= 200

/* At least 33 * 8 bytes of local memory of the running work-group that nothing else uses. */
__local ulong *WW_EXTERN __ww_group_scratch(void);

static uint WW_CL get_sub_group_size(void) {
  uint left = get_local_size(0) * get_local_size(1) * get_local_size(2) - (get_local_linear_id() & ~31u);
  return left < 32 ? left : 32;
}
static uint WW_CL get_max_sub_group_size(void) { return 32; }
static uint WW_CL get_num_sub_groups(void) { return (get_local_size(0) * get_local_size(1) * get_local_size(2) + 31) / 32; }
static uint WW_CL get_enqueued_num_sub_groups(void) { return get_num_sub_groups(); }
static uint WW_CL get_sub_group_id(void) { return get_local_linear_id() / 32; }
static uint WW_CL get_sub_group_local_id(void) { return get_local_linear_id() & 31; }
static void WW_CLM __attribute__((convergent)) sub_group_barrier(ww_fence_flags f) { __nvvm_bar_warp_sync(~0u); }
static void WW_CLM __attribute__((convergent)) sub_group_barrier(ww_fence_flags f, memory_scope s) { __nvvm_bar_warp_sync(~0u); }

/* The value of another lane. 64-bit values travel as two words. */
#define WW_LANE_32(T)                                                                                             \
  static T WW_CLM ww_lane(T a, uint lane) { return as_##T(__nvvm_shfl_sync_idx_i32(__nvvm_activemask(), as_int(a), lane, 31)); }
#define WW_LANE_64(T)                                                                                             \
  static T WW_CLM ww_lane(T a, uint lane) { int2 w = as_int2(a); return as_##T((int2)(ww_lane(w.x, lane), ww_lane(w.y, lane))); }
WW_LANE_32(int) WW_LANE_32(uint) WW_LANE_32(float) WW_LANE_64(long) WW_LANE_64(ulong) WW_LANE_64(double)
#undef WW_LANE_32
#undef WW_LANE_64

#define WW_COMBINE(T)                                                                                             \
  static T WW_CL ww_add(T a, T b) { return a + b; }                                                                      \
  static T WW_CL ww_min(T a, T b) { return min(a, b); }                                                                  \
  static T WW_CL ww_max(T a, T b) { return max(a, b); }
WW_COMBINE(int) WW_COMBINE(uint) WW_COMBINE(long) WW_COMBINE(ulong) WW_COMBINE(float) WW_COMBINE(double)
#undef WW_COMBINE

/* Reduction and scans of `op` with its neutral element, for a sub-group and for the work-group. */
#define WW_COLLECT(op, T, neutral)                                                                                \
  static T WW_CLM sub_group_scan_inclusive_##op(T a) {                                                                   \
    uint lane = get_sub_group_local_id();                                                                         \
    for (uint d = 1; d < 32; d *= 2) { T b = ww_lane(a, lane - d); if (lane >= d) a = ww_##op(a, b); }            \
    return a;                                                                                                     \
  }                                                                                                               \
  static T WW_CLM sub_group_scan_exclusive_##op(T a) {                                                                   \
    T s = ww_lane(sub_group_scan_inclusive_##op(a), get_sub_group_local_id() - 1);                                \
    return get_sub_group_local_id() ? s : (T)(neutral);                                                           \
  }                                                                                                               \
  static T WW_CLM sub_group_reduce_##op(T a) { return ww_lane(sub_group_scan_inclusive_##op(a), get_sub_group_size() - 1); } \
  static T WW_CLM work_group_scan_inclusive_##op(T a) {                                                                  \
    __local T *sums = (__local T *)__ww_group_scratch();                                                          \
    a = sub_group_scan_inclusive_##op(a);                                                                         \
    __syncthreads();                                                                                              \
    if (get_sub_group_local_id() == get_sub_group_size() - 1) sums[get_sub_group_id()] = a;                       \
    __syncthreads();                                                                                              \
    T before = (T)(neutral);                                                                                      \
    for (uint i = 0; i < get_sub_group_id(); i++) before = ww_##op(before, sums[i]);                              \
    return ww_##op(before, a);                                                                                    \
  }                                                                                                               \
  static T WW_CLM work_group_reduce_##op(T a) {                                                                          \
    __local T *sums = (__local T *)__ww_group_scratch();                                                          \
    a = sub_group_reduce_##op(a);                                                                                 \
    __syncthreads();                                                                                              \
    if (get_sub_group_local_id() == 0) sums[get_sub_group_id()] = a;                                              \
    __syncthreads();                                                                                              \
    T all = (T)(neutral);                                                                                         \
    for (uint i = 0; i < get_num_sub_groups(); i++) all = ww_##op(all, sums[i]);                                  \
    return all;                                                                                                   \
  }                                                                                                               \
  static T WW_CLM work_group_scan_exclusive_##op(T a) {                                                                  \
    __local T *sums = (__local T *)__ww_group_scratch();                                                          \
    T within = sub_group_scan_inclusive_##op(a), s = ww_lane(within, get_sub_group_local_id() - 1);               \
    __syncthreads();                                                                                              \
    if (get_sub_group_local_id() == get_sub_group_size() - 1) sums[get_sub_group_id()] = within;                  \
    __syncthreads();                                                                                              \
    T before = (T)(neutral);                                                                                      \
    for (uint i = 0; i < get_sub_group_id(); i++) before = ww_##op(before, sums[i]);                              \
    return get_sub_group_local_id() ? ww_##op(before, s) : before;                                                \
  }
#define WW_COLLECTS(T, lowest, highest) WW_COLLECT(add, T, 0) WW_COLLECT(min, T, highest) WW_COLLECT(max, T, lowest)
WW_COLLECTS(int, INT_MIN, INT_MAX) WW_COLLECTS(uint, 0, UINT_MAX) WW_COLLECTS(long, LONG_MIN, LONG_MAX)
WW_COLLECTS(ulong, 0, ULONG_MAX) WW_COLLECTS(float, -INFINITY, INFINITY) WW_COLLECTS(double, -INFINITY, INFINITY)
#undef WW_COLLECTS
#undef WW_COLLECT

#define WW_BROADCAST(T)                                                                                           \
  static T WW_CLM sub_group_broadcast(T a, uint lane) { return ww_lane(a, lane); }                                       \
  static T WW_CLM sub_group_shuffle(T a, uint lane) { return ww_lane(a, lane); }                                         \
  static T WW_CLM sub_group_shuffle_xor(T a, uint m) { return ww_lane(a, get_sub_group_local_id() ^ m); }                \
  static T WW_CLM sub_group_shuffle_up(T a, uint d) { return ww_lane(a, get_sub_group_local_id() - d); }                 \
  static T WW_CLM sub_group_shuffle_down(T a, uint d) { return ww_lane(a, get_sub_group_local_id() + d); }               \
  static T WW_CLM ww_broadcast(T a, size_t linear) {                                                                     \
    __local T *slot = (__local T *)__ww_group_scratch();                                                          \
    __syncthreads();                                                                                              \
    if (get_local_linear_id() == linear) *slot = a;                                                               \
    __syncthreads();                                                                                              \
    return *slot;                                                                                                 \
  }                                                                                                               \
  static T WW_CLM work_group_broadcast(T a, size_t x) { return ww_broadcast(a, x); }                                     \
  static T WW_CLM work_group_broadcast(T a, size_t x, size_t y) { return ww_broadcast(a, y * get_local_size(0) + x); }   \
  static T WW_CLM work_group_broadcast(T a, size_t x, size_t y, size_t z) {                                              \
    return ww_broadcast(a, (z * get_local_size(1) + y) * get_local_size(0) + x);                                  \
  }
WW_BROADCAST(int) WW_BROADCAST(uint) WW_BROADCAST(long) WW_BROADCAST(ulong) WW_BROADCAST(float) WW_BROADCAST(double)
#undef WW_BROADCAST
static int WW_CLM work_group_any(int p) { return work_group_reduce_max(p != 0 ? 1 : 0); }
static int WW_CLM work_group_all(int p) { return work_group_reduce_min(p != 0 ? 1 : 0); }
static int WW_CLM sub_group_any(int p) { return sub_group_reduce_max(p != 0 ? 1 : 0); }
static int WW_CLM sub_group_all(int p) { return sub_group_reduce_min(p != 0 ? 1 : 0); }

#endif
#endif
