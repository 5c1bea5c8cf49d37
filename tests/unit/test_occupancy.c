/* test_occupancy.c - resident blocks and their limits: by hand, and against every
 * launch of the corpus as the H200 ran it. */
#include "unit.h"

#include <math.h>

#include "../../src/base/jsonread.h"
#include "../../src/predict/model/predict.h"

static ww_gpu load(ww_arena *a, const char *name) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_load(name, a, &g, &e))
    fail_msg("%s", e.msg);
  return g;
}

static void by_hand(void **state) {
  static const struct {
    const char *gpu;
    uint64_t threads;
    double registers, shared;
    uint32_t blocks;
    ww_limit limiter;
    double carveout, pct;
  } rows[] = {
      {"h200", 256, 32, 0, 8, WW_LIMIT_WARPS, 8192, 100},
      {"h200", 32, 16, 0, 32, WW_LIMIT_BLOCKS, 32768, 50},
      {"h200", 1024, 33, 0, 1, WW_LIMIT_REGISTERS, 8192,
       50}, /* 12 warps a sub-core, 32 a block */
      {"h200", 32, 88, 0, 20, WW_LIMIT_REGISTERS, 32768,
       31.25}, /* 5 warps a sub-core */
      {"h200", 33, 32, 0, 32, WW_LIMIT_WARPS, 32768,
       100}, /* the second warp has one lane */
      {"h200", 128, 32, 49152, 4, WW_LIMIT_SHARED, 200704, 25},
      {"h200", 128, 32, 232448, 1, WW_LIMIT_SHARED, 233472, 6.25},
      {"h200", 128, 32, 232449, 0, WW_LIMIT_SHARED, 0, 0},
      {"h200", 1024, 255, 0, 0, WW_LIMIT_REGISTERS, 0, 0},
      {"a10", 1024, 40, 0, 1, WW_LIMIT_WARPS, 8192, 100. * 32 / 48},
      {"mi250", 256, 64, 20000, 3, WW_LIMIT_SHARED, 0, 37.5},
      /* waves of a SIMD as LLVM's AMD backend writes them into its assembly
       * ("Occupancy"): gfx90a 8 at 24 registers, 6 at 75, 4 at 114 and 128 */
      {"mi250", 64, 24, 0, 16, WW_LIMIT_BLOCKS, 0, 50},
      {"mi250", 256, 64, 0, 8, WW_LIMIT_WARPS, 0, 100},
      {"mi250", 256, 75, 0, 6, WW_LIMIT_REGISTERS, 0, 75},
      {"mi250", 256, 114, 0, 4, WW_LIMIT_REGISTERS, 0, 50},
      {"mi250", 1024, 128, 0, 1, WW_LIMIT_REGISTERS, 0, 50},
      /* gfx1032 16 at 62, 10 at 81, 8 at 128: wavefronts of 32, two compute units */
      {"w6600", 128, 62, 0, 16, WW_LIMIT_WARPS, 0, 100},
      {"w6600", 128, 81, 0, 10, WW_LIMIT_REGISTERS, 0, 62.5},
      {"w6600", 1024, 128, 0, 1, WW_LIMIT_REGISTERS, 0, 50},
      {"w6600", 256, 32, 65536, 2, WW_LIMIT_SHARED, 0, 25},
      {"w6600", 256, 32, 65540, 0, WW_LIMIT_SHARED, 0, 0},
      /* gfx1100: 1,536 registers a SIMD in granules of 24: 16 at 96, 12 at 120, 8 at
         192 */
      {"w7800", 128, 96, 0, 16, WW_LIMIT_WARPS, 0, 100},
      {"w7800", 128, 120, 0, 12, WW_LIMIT_REGISTERS, 0, 75},
      {"w7800", 1024, 192, 0, 1, WW_LIMIT_REGISTERS, 0, 50},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_gpu g = load(*state, rows[k].gpu);
    ww_occupancy o;
    ww_occupancy_of(&g, rows[k].threads, rows[k].registers, rows[k].shared, &o);
    if (o.blocks != rows[k].blocks || o.limiter != rows[k].limiter ||
        o.carveout_bytes != rows[k].carveout ||
        fabs(o.limit_pct - rows[k].pct) > 1e-9 ||
        o.l1_bytes != g.l1_bytes - o.carveout_bytes)
      fail_msg("row %zu: %u blocks by %s, carve-out %g, %g %%", k, o.blocks,
               ww_limit_names[o.limiter], o.carveout_bytes, o.limit_pct);
  }
}

/* A figure that nobody knows limits nothing. */
static void unknown_figures(void **state) {
  (void)state;
  ww_gpu g;
  ww_occupancy o;
  ww_gpu_init(&g);
  g.lanes = 32;
  g.max_warps = 16;
  ww_occupancy_of(&g, 64, 255, 1e6, &o);
  assert_int_equal(o.blocks, 8);
  assert_int_equal(o.limiter, WW_LIMIT_WARPS);
}

static double metric(const cJSON *row, const char *name) {
  const cJSON *m = cJSON_GetObjectItem(cJSON_GetObjectItem(row, "metrics"), name);
  const cJSON *v = m ? cJSON_GetObjectItem(m, "value") : NULL;
  return v ? v->valuedouble : NAN;
}

static void as_the_hardware(void **state) {
  ww_gpu g = load(*state, "h200");
  ww_err e = {0};
  char *text;
  size_t n;
  uint32_t rows = 0;
  if (ww_read_packed(*state, "data/corpus-h200.jsonl.zst", 64 << 20, &text, &n, &e))
    fail_msg("%s", e.msg);
  for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), rows++) {
    cJSON *row = ww_json_read(line, strlen(line), &e);
    assert_non_null(row);
    const cJSON *d,
        *block = cJSON_GetObjectItem(cJSON_GetObjectItem(row, "launch"), "block");
    uint64_t threads = 1;
    cJSON_ArrayForEach(d, block) threads *= (uint64_t)d->valuedouble;
    ww_occupancy o;
    ww_occupancy_of(&g, threads, metric(row, "registers"), metric(row, "shared_bytes"),
                    &o);
    if (fabs(o.limit_pct - metric(row, "occupancy_limit_pct")) > 0.01)
      fail_msg("row %u: %g, measured %g", rows, o.limit_pct,
               metric(row, "occupancy_limit_pct"));
    cJSON_Delete(row);
  }
  assert_true(rows > 200);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(by_hand), TEST(unknown_figures),
                                     TEST(as_the_hardware)};
  return RUN(tests);
}
