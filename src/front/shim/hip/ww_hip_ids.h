/* threadIdx, blockIdx, blockDim, gridDim and warpSize.
 *
 * Ids are llvm.amdgcn.workitem/workgroup.id.*; sizes are the externals __ww_ntid and __ww_nctaid, because ROCm's own
 * way (loads from the implicit kernel arguments or the dispatch packet) would only add loads to see through. */
#ifndef WW_HIP_IDS_H
#define WW_HIP_IDS_H

extern "C" {
__device__ __attribute__((const, nothrow)) int __ww_ntid(int axis);   /* threads of a block along axis 0, 1, 2 */
__device__ __attribute__((const, nothrow)) int __ww_nctaid(int axis); /* blocks of the grid along axis */
}

/* Members are properties (-fms-extensions), so `threadIdx.x` is a call and the variable is never read. */
#define WW_COORDINATES(type, get_x, get_y, get_z)                                      \
  struct type {                                                                        \
    __declspec(property(get = ww_x)) uint32_t x;                                       \
    __declspec(property(get = ww_y)) uint32_t y;                                       \
    __declspec(property(get = ww_z)) uint32_t z;                                       \
    __device__ __attribute__((always_inline)) uint32_t ww_x() const { return get_x; }  \
    __device__ __attribute__((always_inline)) uint32_t ww_y() const { return get_y; }  \
    __device__ __attribute__((always_inline)) uint32_t ww_z() const { return get_z; }  \
    __device__ operator dim3() const { return dim3(get_x, get_y, get_z); }             \
    __device__ operator uint3() const { return uint3(get_x, get_y, get_z); }           \
  };

WW_COORDINATES(ww_hip_thread_idx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(), __builtin_amdgcn_workitem_id_z())
WW_COORDINATES(ww_hip_block_idx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(), __builtin_amdgcn_workgroup_id_z())
WW_COORDINATES(ww_hip_block_dim, __ww_ntid(0), __ww_ntid(1), __ww_ntid(2))
WW_COORDINATES(ww_hip_grid_dim, __ww_nctaid(0), __ww_nctaid(1), __ww_nctaid(2))
#undef WW_COORDINATES

extern const __device__ __attribute__((weak)) ww_hip_thread_idx threadIdx;
extern const __device__ __attribute__((weak)) ww_hip_block_idx blockIdx;
extern const __device__ __attribute__((weak)) ww_hip_block_dim blockDim;
extern const __device__ __attribute__((weak)) ww_hip_grid_dim gridDim;

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

static constexpr int warpSize = __AMDGCN_WAVEFRONT_SIZE;

#endif
