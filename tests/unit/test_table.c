/* test_table.c - the shipped table: what it says of itself can be made again. Sources
 * of a sample of its generated kernels come out of their numbers with the hash that was
 * stored when they were measured; launches have the shape that was measured; corpus
 * kernels are there. */
#include "../../src/data/generate.h"
#include "../../src/data/split.h"
#include "../../src/data/store.h"
#include "unit.h"

#define TABLE "data/h200.sqlite.zst"
#define EVERY 211 /* rows between two that are looked at */

typedef struct {
  uint64_t rows, generated, corpus, counters;
  uint64_t source, structure, shape, family, file; /* that differ */
} looked;

static void look_generated(looked *x, const ww_store_row *r) {
  ww_arena *a = ww_arena_new();
  const ww_store_kernel *k = &r->kernel;
  ww_gen_kernel g;
  ww_launch l;
  ww_err e = {0};
  ww_gen_dialect d = strcmp(k->dialect, "opencl") ? WW_GEN_CUDA : WW_GEN_OPENCL;
  assert_int_equal(ww_gen_make(k->version, k->seed, k->index, a, &g, &e), WW_OK);
  assert_int_equal(ww_gen_launch(&g, r->number, r->sms, r->l2_bytes, a, &l, NULL, &e),
                   WW_OK);
  x->generated++;
  x->source += ww_gen_source_hash(&g, d) != k->source_hash;
  x->structure += g.structure != k->structure;
  x->family += strcmp(g.family, k->family) != 0;
  x->shape += memcmp(l.grid, r->grid, sizeof l.grid) ||
              memcmp(l.block, r->block, sizeof l.block);
  ww_arena_free(a);
}

static ww_status look(void *ctx, const ww_store_row *r, ww_err *e) {
  looked *x = ctx;
  (void)e;
  x->counters += r->passes > 0;
  if (x->rows++ % EVERY)
    return WW_OK;
  if (r->kernel.origin == WW_ORIGIN_GENERATED) {
    look_generated(x, r);
  } else {
    char path[512];
    snprintf(path, sizeof path, "corpus/%s", r->kernel.file ? r->kernel.file : "");
    x->corpus++;
    x->file += !ww_file_exists(path) && !ww_file_exists(r->kernel.file);
  }
  return WW_OK;
}

static void rows_can_be_made_again(void **state) {
  (void)state;
  ww_store *s = NULL;
  ww_err e = {0};
  looked x = {0};
  assert_int_equal(ww_store_open(TABLE, WW_STORE_READ, &s, &e), WW_OK);
  assert_int_equal(ww_store_each(s, &(ww_store_filter){.origin = -1}, look, &x, &e),
                   WW_OK);
  ww_store_close(s);
  assert_true(x.rows >= 420000);
  assert_true(x.counters >= 40000);
  assert_true(x.generated > 1000 && x.corpus > 20);
  assert_int_equal(x.source, 0);
  assert_int_equal(x.structure, 0);
  assert_int_equal(x.family, 0);
  assert_int_equal(x.shape, 0);
  assert_int_equal(x.file, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_can_be_made_again)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
