/* test_cache.c - the sectored cache: against a plain list as long as everything fits,
 * and what random replacement must keep. */
#include "unit.h"

#include <stdlib.h>

#include "../../src/predict/model/cache.h"

enum { LINES = 37 };

/* The reference: lines, sectors beside them. */
typedef struct {
  uint64_t line[LINES];
  uint32_t mask[LINES];
  uint32_t n;
} list;

static uint32_t list_touch(list *l, uint64_t line, uint32_t sectors, bool *present) {
  uint32_t k = 0;
  while (k < l->n && l->line[k] != line)
    k++;
  *present = k < l->n;
  if (!*present)
    l->line[l->n++] = line;
  uint32_t had = l->mask[k] & sectors;
  l->mask[k] |= sectors;
  return had;
}

static void test_like_a_list(void **state) {
  (void)state;
  ww_cache *c = ww_cache_new(LINES);
  list l = {.n = 0};
  srand(7);
  for (int k = 0; k < 20000; k++) {
    uint64_t line = (uint64_t)(rand() % (k < 200 ? 20 : LINES)) << 30;
    uint32_t sectors = (uint32_t)rand() % 16;
    bool present, want;
    uint32_t had = list_touch(&l, line, sectors, &want),
             got = ww_cache_touch(c, line, sectors, &present);
    if (got != had || present != want)
      fail_msg("step %d: sectors %x, not %x", k, got, had);
  }
  assert_int_equal(ww_cache_used(c), LINES);
  ww_cache_free(c);
}

/* A cyclic walk over twice the capacity: about a fifth survives (h = exp(-(1 - h) *
 * 2)). */
static void test_at_random(void **state) {
  (void)state;
  uint32_t hits = 0;
  ww_cache *c = ww_cache_new(1000);
  for (int k = 0; k < 200000; k++)
    hits += ww_cache_touch(c, (uint64_t)(k % 2000), 1, NULL);
  assert_int_equal(ww_cache_used(c), 1000);
  ww_cache_free(c);
  if (hits < 36000 || hits > 46000)
    fail_msg("%u of 200000 hit", hits);
}

/* Everything fits: each line misses once, whatever is replaced. */
static void test_fits(void **state) {
  (void)state;
  ww_cache *c = ww_cache_new(64);
  uint32_t misses = 0;
  for (int k = 0; k < 64 * 50; k++)
    misses += !ww_cache_touch(c, (uint64_t)(k * 7 % 64), 4, NULL);
  assert_int_equal(misses, 64);
  bool present;
  assert_int_equal(ww_cache_touch(c, 3, 8, &present),
                   0); /* its tag is there, this sector is not */
  assert_true(present);
  assert_int_equal(ww_cache_touch(c, 3, 12, NULL), 12);
  ww_cache_free(c);
  ww_cache_free(NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(test_like_a_list), TEST(test_at_random),
                                     TEST(test_fits)};
  return RUN(tests);
}
