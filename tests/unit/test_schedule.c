/* test_schedule.c - warps, lanes and blocks that wait for each other: they end, a wait
 * counts as one look, and one without an end says so. */
#include "rig.h"

#define HEAD "module cuda warp 32\nfile \"k.cu\"\n"
#define KERNEL "fn $k kernel {\n  param %out i64 \"out\" pointer global\n"

/* Block b waits for the flag of block b + 1 of `last`, then sets its own. */
#define CHAIN(last)                                                             \
  HEAD KERNEL                                                                   \
      "@entry:\n  %b = sreg i32 ctaid.x\n  %j = zext i64 from i32 %b\n"         \
      "  %p = lea i64 %out, %j #4\n  %c = icmp.eq i32 %b, " last                \
      "\n  cbr %c, @set, @spin\n"                                               \
      "@spin:\n  %f = ld.global.volatile i32 [%p + 4]  !5\n  %z = icmp.eq i32 " \
      "%f, 0\n  cbr %z, @spin, @set\n"                                          \
      "@set:\n  st.global.volatile i32 [%p], 1\n  ret\n}\n"

static void count_load(void *ctx, const ww_access *a) {
  *(int *)ctx += a->kind == WW_ACCESS_LOAD;
}

/* One block runs at a time, more when it waits; each wait is seen as one look. */
static void test_blocks_wait_for_later_ones(void **state) {
  (void)state;
  uint64_t size = 40;
  EVERYWHERE({
    int looks = 0;
    ww_observer obs = {.ctx = &looks, .access = count_load};
    rig r = rig_open(CHAIN("7"), 8, 64, &size);
    r.spec.lanes = lanes;
    if (rig_run(&r, 1, &obs))
      fail_msg("%s", r.e.msg);
    for (int b = 0; b < 8; b++)
      assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[b], 1);
    assert_int_equal(looks, 7 * (64 / lanes));
    rig_close(&r);
  })
}

/* The last block's flag is not set by anybody. */
static void test_a_wait_without_end(void **state) {
  (void)state;
  uint64_t size = 40;
  rig r = rig_open(CHAIN("9"), 8, 64, &size);
  assert_int_equal(rig_run(&r, 1, NULL), WW_ELIMIT);
  assert_true(r.stats.stuck);
  assert_int_equal(r.e.line, 5);
  if (!strstr(r.e.msg, "byte 4 of `out`"))
    fail_msg("%s", r.e.msg);
  rig_close(&r);
}

/* Where results do not matter, what waits for blocks that do not run goes on. */
static void test_passing_a_wait(void **state) {
  (void)state;
  uint64_t size = 40;
  uint64_t third = 3;
  const ww_observer nobody = {0};
  rig r = rig_open(CHAIN("7"), 8, 64, &size);
  r.spec.pass_waits = true;
  assert_int_equal(ww_machine_new(&r.spec, &r.mc, &r.e), WW_OK);
  assert_int_equal(ww_machine_run(r.mc, &third, 1, 1, &nobody, &r.stats, arena, &r.e),
                   WW_OK);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[3], 1);
  assert_non_null(r.stats.passed);
  rig_close(&r);
}

/* Every lane takes one lock for itself, then the warp is whole again: the shuffle reads
 * a lane that has left the loop at another time. */
#define LOCK                                                                          \
  HEAD KERNEL                                                                         \
      "@entry:\n  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n"                 \
      "  %p = lea i64 %out, %j #4\n  br @try\n"                                       \
      "@try:\n  %old = cas.global i32 [%out], 0, 1  !4\n  %got = icmp.eq i32 %old, "  \
      "0\n  cbr %got, @held, @try\n"                                                  \
      "@held:\n  %n = ld.global.volatile i32 [%out + 4]\n  %m = add i32 %n, 1\n"      \
      "  st.global.volatile i32 [%out + 4], %m\n  %k = atom.xchg.global i32 [%out], " \
      "0\n  %s = shfl.bfly i32 %t, 1, 31\n  st.global i32 [%p + 8], %s\n  ret\n}\n"

static void test_a_lock_within_a_warp(void **state) {
  (void)state;
  uint64_t size = 8 + 4 * 96;
  for (uint32_t isa = 0; isa < 3; isa++) {
    if (!rig_use_isa(rig_isas[isa]))
      continue;
    rig r = rig_open(LOCK, 1, 96, &size);
    rig_must(&r);
    const uint32_t *out = rig_buffer(&r, 0);
    assert_int_equal(out[0], 0);
    assert_int_equal(out[1], 96);
    for (uint32_t t = 0; t < 96; t++)
      assert_int_equal(out[2 + t], t ^ 1);
    rig_close(&r);
  }
}

/* Warps of 64 lanes are in lock step: there it has no end, as on their GPUs. */
static void test_a_lock_in_lock_step(void **state) {
  (void)state;
  uint64_t size = 8 + 4 * 96;
  rig r = rig_open(LOCK, 1, 96, &size);
  r.spec.lanes = 64;
  assert_int_equal(rig_run(&r, 1, NULL), WW_ELIMIT);
  assert_int_equal(r.e.line, 4);
  rig_close(&r);
}

/* A whole block goes round with barriers inside, until another block sets the flag. */
#define TOGETHER(who)                                                                 \
  HEAD "symbol $s shared size 4 align 4\n" KERNEL                                     \
       "@entry:\n  %t = sreg i32 tid.x\n  %b = sreg i32 ctaid.x\n"                    \
       "  %c = icmp.eq i32 %b, " who "\n  cbr %c, @set, @round\n"                     \
       "@round:\n  %first = icmp.eq i32 %t, 0\n  cbr %first, @look, @met\n"           \
       "@look:\n  %f = ld.global.volatile i32 [%out]  !6\n  st.shared i32 [$s], %f\n" \
       "  br @met\n"                                                                  \
       "@met:\n  bar\n  %g = ld.shared i32 [$s]\n  bar\n  %z = icmp.eq i32 %g, 0\n"   \
       "  cbr %z, @round, @done\n"                                                    \
       "@set:\n  st.global.volatile i32 [%out], 1\n  br @done\n"                      \
       "@done:\n  atom.add.global i32 [%out + 4], 1\n  ret\n}\n"

static void test_a_block_that_looks_together(void **state) {
  (void)state;
  uint64_t size = 8;
  rig r = rig_open(TOGETHER("1"), 2, 96, &size);
  rig_must(&r);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[1], 2 * 96);
  rig_close(&r);
  r = rig_open(TOGETHER("7"), 2, 96, &size);
  assert_int_equal(rig_run(&r, 1, NULL), WW_ELIMIT);
  assert_true(r.stats.stuck);
  rig_close(&r);
  r = rig_open(TOGETHER("7"), 2, 96, &size);
  r.spec.pass_waits = true;
  rig_must(&r);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[1], 2 * 96);
  rig_close(&r);
}

/* Blocks draw numbers below 40; each number drawn is marked. */
#define QUEUE                                                                         \
  HEAD KERNEL                                                                         \
      "@entry:\n  br @draw\n"                                                         \
      "@draw:\n  %n = atom.add.global i32 [%out], 1\n  %more = icmp.slt i32 %n, 40\n" \
      "  cbr %more, @work, @done\n"                                                   \
      "@work:\n  %j = zext i64 from i32 %n\n  %p = lea i64 %out, %j #4\n"             \
      "  st.global i32 [%p + 4], 1\n  br @draw\n"                                     \
      "@done:\n  ret\n}\n"

/* A block that stands for four draws as one of four does, and puts back what it drew.
 */
static void test_a_queue_shared_out(void **state) {
  (void)state;
  uint64_t size = 4 * 41;
  uint64_t second = 1;
  const ww_observer nobody = {0};
  rig r = rig_open(QUEUE, 4, 1, &size);
  r.spec.share = 4;
  assert_int_equal(ww_machine_new(&r.spec, &r.mc, &r.e), WW_OK);
  for (int again = 0; again < 2; again++)
    assert_int_equal(
        ww_machine_run(r.mc, &second, 1, 1, &nobody, &r.stats, arena, &r.e), WW_OK);
  const uint32_t *out = rig_buffer(&r, 0);
  assert_int_equal(out[0], 0);
  for (uint32_t n = 0; n < 40; n++)
    assert_int_equal(out[1 + n], n % 4 == 1);
  rig_close(&r);
  r = rig_open(QUEUE, 4, 1, &size);
  rig_must(&r);
  out = rig_buffer(&r, 0);
  assert_int_equal(out[0], 44);
  for (uint32_t n = 0; n < 40; n++)
    assert_int_equal(out[1 + n], 1);
  rig_close(&r);
}

/* A loop that reads the time does change, and ends. */
static void test_waiting_for_the_time(void **state) {
  (void)state;
  uint64_t size = 8;
  rig r = rig_open(HEAD KERNEL "@entry:\n  %a = clock i64\n  %b = add i64 %a, 1000\n"
                               "  br @loop\n@loop:\n  %c = clock i64\n"
                               "  %d = icmp.ult i64 %c, %b\n  cbr %d, @loop, @done\n"
                               "@done:\n  st.global i32 [%out], 7\n  ret\n}\n",
                   1, 32, &size);
  rig_must(&r);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[0], 7);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_blocks_wait_for_later_ones),
      RIG_TEST(test_a_wait_without_end),
      RIG_TEST(test_passing_a_wait),
      RIG_TEST(test_a_lock_within_a_warp),
      RIG_TEST(test_a_lock_in_lock_step),
      RIG_TEST(test_a_block_that_looks_together),
      RIG_TEST(test_a_queue_shared_out),
      RIG_TEST(test_waiting_for_the_time),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
