/* kernels.c - which kernels this processor runs, and matrices in the layout they read
 * (see kernels.h). */
#include "kernels.h"

#include <stdlib.h>
#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* ---- sets ---- */

extern const ww_kernels ww_kernels_base;
#if defined(__x86_64__)
extern const ww_kernels ww_kernels_avx2, ww_kernels_avx512, ww_kernels_vnni,
    ww_kernels_amx;

/* Tiles must be asked for: the kernel gives each thread room for them only then. */
static bool has_amx(void) {
  enum {
    REQUEST = 0x1023,
    TILE_DATA = 18,
    TILE = 1u << 24,
    BF16 = 1u << 22,
    BF16_512 = 1u << 5
  };
  unsigned a, b, c, d;
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || !(d & TILE) || !(d & BF16))
    return false;
  if (!__get_cpuid_count(7, 1, &a, &b, &c, &d) || !(a & BF16_512))
    return false;
  return syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
}
#endif

static uint32_t list_sets(const ww_kernels *to[8]) {
  uint32_t n = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
              __builtin_cpu_supports("f16c");
  bool avx512 =
      avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  bool vnni = avx512 && __builtin_cpu_supports("avx512vnni");
  if (vnni && has_amx())
    to[n++] = &ww_kernels_amx;
  if (vnni)
    to[n++] = &ww_kernels_vnni;
  if (avx512)
    to[n++] = &ww_kernels_avx512;
  if (avx2)
    to[n++] = &ww_kernels_avx2;
#endif
  to[n++] = &ww_kernels_base;
  return n;
}

const ww_kernels *ww_kernels_at(uint32_t i) {
  const ww_kernels *sets[8];
  return i < list_sets(sets) ? sets[i] : NULL;
}

ww_status ww_kernels_pick(const ww_kernels **out, ww_err *e) {
  const char *name = getenv("WARPWISE_LM_KERNELS");
  *out = ww_kernels_at(0);
  if (!name || !*name)
    return WW_OK;
  for (uint32_t i = 0; (*out = ww_kernels_at(i)); i++)
    if (!strcmp((*out)->name, name))
      return WW_OK;
  return ww_fail(
      e, WW_EUSAGE,
      "WARPWISE_LM_KERNELS=%s: no kernels of this name run on this processor; unset it "
      "to use \"%s\"",
      name, ww_kernels_at(0)->name);
}

/* Two panels as tiles of two parts; or what attend_state of kernels_attend.h points to.
 */
uint64_t ww_scratch_bytes(uint32_t depth, uint32_t head_size) {
  uint64_t product = (uint64_t)depth * WW_PANEL * 2 * 2 * sizeof(uint16_t);
  uint64_t stride = ww_round_up(head_size, 16),
           attend =
               (64 * 2 + 32 * 2) * stride * sizeof(float) + 16 * 64 * sizeof(float);
  return ww_round_up(ww_most(product, attend), 64);
}

/* ---- matrices ---- */

uint64_t ww_matrix_shape(ww_matrix *m, ww_dtype type, uint32_t panels, uint32_t cols) {
  *m =
      (ww_matrix){.type = type, .panels = panels, .depth = ww_round_up(cols, WW_DEPTH)};
  uint64_t values = (uint64_t)m->depth * WW_PANEL;
  uint64_t bytes = type == WW_DTYPE_Q8_0
                       ? values + (uint64_t)m->depth / 32 * WW_PANEL * 2
                       : values * (type == WW_DTYPE_F32 ? 4 : 2);
  m->panel_bytes = ww_round_up(bytes, 64);
  return m->panel_bytes * panels;
}

uint32_t ww_matrix_parts(const ww_matrix *m) {
  return m->type == WW_DTYPE_Q8_0 || m->type == WW_DTYPE_BF16 ? 1 : 2;
}
uint64_t ww_matrix_tiles(const ww_matrix *m) {
  return (uint64_t)m->panels * m->depth * WW_PANEL * ww_matrix_parts(m);
}

void ww_matrix_fill(const ww_kernels *k,
                    ww_matrix *m,
                    uint32_t from,
                    uint32_t step,
                    const float *x,
                    uint64_t rows,
                    uint64_t cols) {
  float *padded = ww_xcalloc(m->depth, sizeof *padded);
  for (uint64_t row = 0; row < ww_round_up(rows, WW_PANEL); row++) {
    uint8_t *panel = m->data + (from + row / 16 * step) * m->panel_bytes;
    if (row < rows)
      memcpy(padded, x + row * cols, cols * sizeof *padded);
    else
      memset(padded, 0, cols * sizeof *padded);
    k->fill(m, panel, row % 16, padded);
  }
  free(padded);
}
