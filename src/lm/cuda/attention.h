/* attention.h - flash attention on the GPU: which kernels are launched for a shape,
 * with what grid and scratch memory.
 *
 * The kernels are in attention_forward.cu and attention_backward.cu (bf16, tensor
 * cores, compute capability 8.0; both include attention.cuh, which includes
 * attention_ptx.cuh), attention_hopper.cu (the same with the warpgroup products of
 * compute capability 9.0) and attention_plain.cu (fp32, and head sizes that the others
 * do not take); all are extern "C". How a kernel is started is the runner's business,
 * so that a test can run this without the rest; attention_accel.c has the one over
 * runtime.h. */
#ifndef WW_LM_CUDA_ATTENTION_H
#define WW_LM_CUDA_ATTENTION_H

#include "../ops.h"

/* KERNEL(unit, name): unit is the .cu file */
/* clang-format off */
#define WW_ATTENTION_KERNELS(KERNEL) \
  KERNEL(attention_forward, attention_forward_64) \
  KERNEL(attention_forward, attention_forward_128) \
  KERNEL(attention_backward, attention_prepare_64) \
  KERNEL(attention_backward, attention_prepare_128) \
  KERNEL(attention_backward, attention_backward_64) \
  KERNEL(attention_backward, attention_backward_128) \
  KERNEL(attention_backward, attention_backward_keys_64) \
  KERNEL(attention_backward, attention_backward_keys_128) \
  KERNEL(attention_backward, attention_backward_queries_64) \
  KERNEL(attention_backward, attention_backward_queries_128) \
  KERNEL(attention_backward, attention_finish_64) \
  KERNEL(attention_backward, attention_finish_128) \
  KERNEL(attention_hopper, attention_hopper_forward_64) \
  KERNEL(attention_hopper, attention_hopper_forward_128) \
  KERNEL(attention_hopper, attention_hopper_backward_64) \
  KERNEL(attention_hopper, attention_hopper_backward_128) \
  KERNEL(attention_hopper, attention_hopper_finish_64) \
  KERNEL(attention_hopper, attention_hopper_finish_128) \
  KERNEL(attention_plain, attention_plain_forward_bf16) \
  KERNEL(attention_plain, attention_plain_forward_f32) \
  KERNEL(attention_plain, attention_plain_delta_bf16) \
  KERNEL(attention_plain, attention_plain_delta_f32) \
  KERNEL(attention_plain, attention_plain_queries_bf16) \
  KERNEL(attention_plain, attention_plain_queries_f32) \
  KERNEL(attention_plain, attention_plain_keys_bf16) \
  KERNEL(attention_plain, attention_plain_keys_f32)
/* clang-format on */

typedef enum {
#define WW_ATTENTION_ID(unit, name) WW_K_##name,
  WW_ATTENTION_KERNELS(WW_ATTENTION_ID)
#undef WW_ATTENTION_ID
      WW_NATTENTION
} ww_attention_kernel;

typedef struct {
  void *ctx;
  bool bf16;          /* real is bf16, else fp32 */
  bool deterministic; /* the backward pass gives the same bits each time */
  bool hopper;        /* compute capability 9.0, kernels compiled for sm_90a */
  /* Starts a kernel on the stream, behind all that was started before. `shared` is
   * dynamic shared memory, always the same for one kernel; above 48 KiB the function's
   * limit is to be raised first. args: a pointer to each argument, as cuLaunchKernel
   * takes them. */
  void (*launch)(void *ctx,
                 ww_attention_kernel kernel,
                 uint32_t gx,
                 uint32_t gy,
                 uint32_t gz,
                 uint32_t threads,
                 uint32_t shared,
                 void **args);
  /* Device memory of at least `bytes`, 256-byte aligned, of any content, asked for once
   * in a call of backward. NULL: there is not so much, and the runner remembers that.
   */
  void *(*scratch)(void *ctx, size_t bytes);
} ww_attention_runner;

/* Head sizes up to 256. */
void ww_attention_forward(const ww_attention_runner *r, const ww_attention_layer *a);
void ww_attention_backward(const ww_attention_runner *r, const ww_attention_layer *a);

/* ---- attention_accel.c: the same as members of a CUDA ww_ops ---- */
void ww_accel_attention_forward(ww_ops *o, const ww_attention_layer *a);
void ww_accel_attention_backward(ww_ops *o, const ww_attention_layer *a);

#endif
