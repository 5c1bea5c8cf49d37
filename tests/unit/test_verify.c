/* test_verify.c - what verify rests on: double precision instead of single, the watcher
 * of races, and the judgement of two memories. The whole of it: tests/verify. */
#include "rig.h"

#include "../../src/opt/verify_int.h"
#include "../../src/opt/widen.h"

#include <math.h>

#define HEAD "module cuda warp 32\nfile \"k.cu\"\n"

/* ---- widen ---- */

/* y[0] = (x[0] + x[1]) - x[0]: single precision loses x[1]. */
static const char lossy[] =
    HEAD "fn $k kernel {\n  param %x i64 \"x\" pointer global\n"
         "  param %y i64 \"y\" pointer global\n@entry:\n"
         "  %a = ld.global f32 [%x]\n  %b = ld.global f32 [%x + 4]\n"
         "  %c = fadd f32 %a, %b\n  %d = fsub f32 %c, %a\n"
         "  st.global f32 [%y], %d\n  ret\n}\n";

static float run_lossy(bool wide) {
  const uint64_t sizes[2] = {8, 4};
  rig r = rig_open(lossy, 1, 1, sizes);
  const float in[2] = {1, 0x1p-30f};
  if (wide) {
    ww_module *m = WW_NEW(arena, ww_module);
    assert_true(ww_widen(r.m, r.fn, arena, m));
    assert_int_equal(ww_ir_check(m, &r.e), WW_OK);
    r.spec.module = m;
    r.spec.fn = rig_kernel(m);
  }
  memcpy(rig_buffer(&r, 0), in, sizeof in);
  const uint64_t block = 0;
  ww_status st = ww_machine_new(&r.spec, &r.mc, &r.e);
  if (!st)
    st = ww_machine_run(r.mc, &block, 1, 1, &(ww_observer){0}, &r.stats, arena, &r.e);
  if (st)
    fail_msg("%s", r.e.msg);
  float out = *(float *)rig_buffer(&r, 1);
  ww_machine_free(r.mc);
  ww_setup_free(&r.s);
  return out;
}

static void test_widen(void **state) {
  (void)state;
  assert_true(run_lossy(false) == 0);
  assert_true(run_lossy(true) == 0x1p-30f);
}

/* ---- judge ---- */

enum { N = 64 };

typedef struct {
  ww_kept buffer;
  ww_kept_all k;
  ww_strings notes;
} memories;

static memories
of(const char *type, uint32_t bytes, const void *old, const void *exact) {
  static uint8_t zeros[N * 8];
  return (memories){.buffer = {.name = "y", .type = type, .bytes = bytes},
                    .k = {.n = 1,
                          .bytes = bytes,
                          .initial = zeros,
                          .old = old,
                          .other = old,
                          .exact = exact}};
}

static bool same(memories *m, const void *image) {
  ww_discrepancy d;
  double error = 0;
  uint64_t compared = 0;
  m->k.v = &m->buffer;
  const ww_yardstick *y = ww_judge_open(&m->k, arena, &m->notes);
  ww_judge(y, image, &d, &error, &compared);
  assert_int_equal(compared, m->buffer.bytes / (m->buffer.type[1] == '6' ? 8 : 4));
  return !d.buffer;
}

static void test_integers(void **state) {
  (void)state;
  int32_t old[N];
  int32_t new[N];
  for (int i = 0; i < N; i++)
    old[i] = new[i] = 3 * i - 50;
  memories m = of("i32", sizeof old, old, NULL);
  assert_true(same(&m, new));
  new[40]++;
  assert_false(same(&m, new));
  /* one that double precision rounds to another integer is not the old kernel's to say;
   * its neighbours are */
  int32_t exact[N];
  memcpy(exact, old, sizeof old);
  m = of("i32", sizeof old, old, exact);
  assert_false(same(&m, new));
  exact[40]--;
  assert_true(same(&m, new));
  new[41]++;
  assert_false(same(&m, new));
}

/* Twice the old error is granted, in the scale of the element; four times is not. */
static void test_floats(void **state) {
  (void)state;
  float old[N];
  float exact[N];
  float new[N];
  for (int i = 0; i < N; i++) {
    exact[i] = 1 + i;
    old[i] = exact[i] * (1 + (i == 7 ? 1e-4f : 0));
    new[i] = exact[i] * (1 - 1.9e-4f);
  }
  memories m = of("f32", sizeof old, old, exact);
  assert_true(same(&m, new));
  new[12] = exact[12] * (1 - 4e-4f);
  assert_false(same(&m, new));
  for (int i = 0; i < N; i++) /* without an error of the old one: some last digits */
    old[i] = exact[i];
  memcpy(new, exact, sizeof new);
  new[3] = exact[3] * (1 + 1e-6f);
  assert_true(same(&m, new));
  new[3] = exact[3] * (1 + 1e-5f);
  assert_false(same(&m, new));
}

static void test_specials(void **state) {
  (void)state;
  float old[4] = {NAN, INFINITY, -0.0f, 1};
  float new[4] = {-NAN, INFINITY, 0.0f, 1};
  memories m = of("f32", sizeof old, old, old);
  assert_true(same(&m, new));
  new[0] = 0;
  assert_false(same(&m, new));
  new[0] = NAN;
  new[1] = 3e38f;
  assert_false(same(&m, new));
  new[1] = INFINITY;
  new[3] = NAN;
  assert_false(same(&m, new));
}

/* Places that the order of the old kernel's threads decides: as a set. */
static void test_order(void **state) {
  (void)state;
  int32_t old[4] = {5, 6, 7, 8};
  int32_t other[4] = {8, 7, 6, 5};
  int32_t new[4] = {7, 5, 8, 6};
  memories m = of("i32", sizeof old, old, NULL);
  assert_false(same(&m, new));
  m.k.other = (const uint8_t *)other;
  assert_true(same(&m, new));
  assert_int_equal(m.notes.n, 1);
  new[2] = 9;
  assert_false(same(&m, new));
}

/* A buffer that the old kernel leaves alone has to stay bit for bit. */
static void test_untouched(void **state) {
  (void)state;
  float old[4] = {1, 2, 3, 4};
  float new[4] = {1, 2, 3, 4};
  memories m = of("f32", sizeof old, old, old);
  m.k.initial = (const uint8_t *)old;
  assert_true(same(&m, new));
  new[2] = nextafterf(3, 4);
  assert_false(same(&m, new));
}

/* ---- watch ---- */

/* Thread t of 64 writes word t of shared memory and reads word 63 - t, which the other
 * warp wrote. */
#define EXCHANGE(barrier)                                                   \
  HEAD "symbol $tile shared size 256 align 4\n"                             \
       "fn $k kernel {\n  param %out i64 \"out\" pointer global\n@entry:\n" \
       "  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n"               \
       "  %p = lea i64 %out, %j #4\n  %s = lea i64 $tile, %j #4\n"          \
       "  st.shared i32 [%s], %t\n" barrier "  %b = sub i32 63, %t\n"       \
       "  %b64 = zext i64 from i32 %b\n  %q = lea i64 $tile, %b64 #4\n"     \
       "  %w = ld.shared i32 [%q]\n  st.global i32 [%p], %w\n  ret\n}\n"

static ww_mishap race_of(const char *text, ww_mishap_kind kind) {
  const uint64_t sizes[1] = {256};
  const uint64_t block = 0;
  rig r = rig_open(text, 1, 64, sizes);
  ww_watch *w = ww_watch_new(&r.spec, &r.s, NULL, arena);
  const ww_observer obs = ww_watch_observer(w);
  ww_status st = ww_machine_new(&r.spec, &r.mc, &r.e);
  if (!st)
    st = ww_machine_run(r.mc, &block, 1, 1, &obs, &r.stats, arena, &r.e);
  if (st)
    fail_msg("%s", r.e.msg);
  ww_mishap m = ww_watch_mishaps(w)[kind];
  ww_watch_free(w);
  ww_machine_free(r.mc);
  ww_setup_free(&r.s);
  return m;
}

static void test_races(void **state) {
  (void)state;
  assert_false(race_of(EXCHANGE("  bar\n"), WW_MISHAP_SHARED_RACE).seen);
  assert_false(race_of(EXCHANGE("  bar\n"), WW_MISHAP_STALE).seen);
  assert_true(race_of(EXCHANGE(""), WW_MISHAP_SHARED_RACE).seen);
  assert_true(race_of(EXCHANGE(""), WW_MISHAP_STALE).seen);
  assert_false(race_of(EXCHANGE(""), WW_MISHAP_GLOBAL_RACE).seen);
}

static void test_texts(void **state) {
  (void)state;
  for (int k = 0; k < WW_NDIFFERENCES; k++) {
    assert_non_null(ww_difference_names[k]);
    assert_non_null(ww_difference_texts[k]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_widen),  cmocka_unit_test(test_integers),
      cmocka_unit_test(test_floats), cmocka_unit_test(test_specials),
      cmocka_unit_test(test_order),  cmocka_unit_test(test_untouched),
      cmocka_unit_test(test_races),  cmocka_unit_test(test_texts),
  };
  return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
