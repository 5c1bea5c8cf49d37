/* Work-item ids, barriers, fences. A work-group is a block: llvm.nvvm special registers and barrier0.
 * The global offset is always 0 and work-groups are uniform: the launch counts whole work-groups. */
#ifndef WW_CL_WORK_H
#define WW_CL_WORK_H

#define WW_AXIS(reg, d, other) \
  (d == 0 ? (size_t)__nvvm_read_ptx_sreg_##reg##_x() : d == 1 ? (size_t)__nvvm_read_ptx_sreg_##reg##_y() : d == 2 ? (size_t)__nvvm_read_ptx_sreg_##reg##_z() : (size_t)(other))

static size_t WW_CL get_local_id(uint d) { return WW_AXIS(tid, d, 0); }
static size_t WW_CL get_group_id(uint d) { return WW_AXIS(ctaid, d, 0); }
static size_t WW_CL get_local_size(uint d) { return WW_AXIS(ntid, d, 1); }
static size_t WW_CL get_enqueued_local_size(uint d) { return WW_AXIS(ntid, d, 1); }
static size_t WW_CL get_num_groups(uint d) { return WW_AXIS(nctaid, d, 1); }
#undef WW_AXIS
static size_t WW_CL get_global_size(uint d) { return get_local_size(d) * get_num_groups(d); }
static size_t WW_CL get_global_offset(uint d) { return 0; }
static size_t WW_CL get_global_id(uint d) { return get_group_id(d) * get_local_size(d) + get_local_id(d); }
static size_t WW_CL get_local_linear_id(void) { return (get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + get_local_id(0); }
static size_t WW_CL get_global_linear_id(void) { return (get_global_id(2) * get_global_size(1) + get_global_id(1)) * get_global_size(0) + get_global_id(0); }

/* Dimensions of the NDRange, as the launch gave it. */
uint WW_EXTERN __ww_work_dim(void);
static uint WW_CL get_work_dim(void) { return __ww_work_dim(); }

typedef uint ww_fence_flags;
static void WW_CLM __attribute__((convergent)) barrier(ww_fence_flags f) { __syncthreads(); }
static void WW_CLM mem_fence(ww_fence_flags f) { if (f & ~CLK_LOCAL_MEM_FENCE) __nvvm_membar_gl(); else __nvvm_membar_cta(); }
static void WW_CLM read_mem_fence(ww_fence_flags f) { mem_fence(f); }
static void WW_CLM write_mem_fence(ww_fence_flags f) { mem_fence(f); }
#if __OPENCL_C_VERSION__ >= 200
static void WW_CLM __attribute__((convergent)) work_group_barrier(ww_fence_flags f) { __syncthreads(); }
static void WW_CLM __attribute__((convergent)) work_group_barrier(ww_fence_flags f, memory_scope s) { __syncthreads(); }
static void WW_CLM atomic_work_item_fence(ww_fence_flags f, memory_order o, memory_scope s) { mem_fence(f); }
#endif

#endif
