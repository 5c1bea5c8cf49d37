/* attention_accel.c - attention as members of a CUDA ww_ops: its kernels are looked up
 * once and started on the device's stream. */
#include "attention.h"
#include "runtime.h"

_Static_assert(WW_NATTENTION <= WW_ACCEL_ATTENTION, "room for attention's kernels");

static const struct {
  const char *name;
  ww_accel_unit unit;
} kernels[WW_NATTENTION] = {
#define ROW(unit, name) {#name, WW_UNIT_##unit},
    WW_ATTENTION_KERNELS(ROW)
#undef ROW
};

static void launch(void *ctx,
                   ww_attention_kernel k,
                   uint32_t gx,
                   uint32_t gy,
                   uint32_t gz,
                   uint32_t threads,
                   uint32_t shared,
                   void **args) {
  ww_accel *g = ctx;
  if (!g->attention[k])
    g->attention[k] = ww_accel_function(g, kernels[k].unit, kernels[k].name, shared);
  if (g->attention[k])
    ww_accel_launch(g, g->attention[k], (const unsigned[]){gx, gy, gz}, threads, shared,
                    args, kernels[k].name);
}

static void *scratch(void *ctx, size_t bytes) {
  return ww_accel_scratch(ctx, bytes);
}

static ww_attention_runner runner(ww_ops *o) {
  return (ww_attention_runner){.ctx = o,
                               .bf16 = o->real == WW_DTYPE_BF16,
                               .deterministic = o->deterministic,
                               .hopper = ((const ww_accel *)o)->capability == 90,
                               .launch = launch,
                               .scratch = scratch};
}

void ww_accel_attention_forward(ww_ops *o, const ww_attention_layer *a) {
  ww_attention_runner r = runner(o);
  ww_attention_forward(&r, a);
}

void ww_accel_attention_backward(ww_ops *o, const ww_attention_layer *a) {
  ww_attention_runner r = runner(o);
  ww_attention_backward(&r, a);
}
