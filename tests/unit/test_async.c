/* test_async.c - asynchronous work in the interpreter: mbarriers and their waits, bulk
 * copies, tiles, clusters, and what is said where one is misused. */
#include "rig.h"

#include "../../src/ir/mbarrier.h"
#include "../../src/trace/async.h"

#define HEAD                             \
  "module cuda warp 32\nfile \"k.cu\"\n" \
  "symbol $bar shared size 8 align 8\n"  \
  "symbol $tile shared size 256 align 128\n"
#define KERNEL "fn $k kernel {\n  param %out i64 \"out\" pointer global\n"
#define THREAD                                            \
  "  %t = sreg i32 tid.x\n  %first = icmp.eq i32 %t, 0\n" \
  "  %j = zext i64 from i32 %t\n  %p = lea i64 %out, %j #4\n"
/* The first thread makes the mbarrier, then all go on at @go. */
#define INIT(n)                                                           \
  "  cbr %first, @make, @made\n@make:\n  mbar.init.shared i64 [$bar], " n \
  ":i32\n  br @made\n@made:\n  bar\n  br @go\n@go:\n"

/* ---- the word ---- */

static void test_the_word_keeps_its_parts(void **state) {
  (void)state;
  static const ww_mbarrier cases[] = {{1, 1, 0, false},
                                      {WW_MBAR_MOST, WW_MBAR_MOST, 1048575, true},
                                      {0, 7, -1048575, false},
                                      {3, 9, -16, true}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_mbarrier b = ww_mbarrier_of(ww_mbarrier_word(cases[k]));
    assert_int_equal(b.pending, cases[k].pending);
    assert_int_equal(b.expected, cases[k].expected);
    assert_int_equal(b.bytes, cases[k].bytes);
    assert_int_equal(b.parity, cases[k].parity);
  }
}

static void test_a_phase_ends_without_arrivals_and_bytes(void **state) {
  (void)state;
  ww_mbarrier b = {.pending = 0, .expected = 5, .bytes = 16};
  assert_false(ww_mbarrier_turn(&b));
  b.bytes = 0;
  assert_true(ww_mbarrier_turn(&b));
  assert_int_equal(b.pending, 5);
  assert_true(b.parity);
}

/* ---- waiting ---- */

/* The last warp arrives for all; the others wait, whichever runs first. */
static void test_warps_wait_for_an_mbarrier(void **state) {
  (void)state;
  uint64_t size = 96 * 4;
  for (int backwards = 0; backwards < 2; backwards++) {
    rig r = rig_open(
        HEAD KERNEL "@entry:\n" THREAD INIT(
            "32") "  %w = sreg i32 warpid\n  %c = icmp.eq i32 %w, 2\n  cbr %c, @set, "
                  "@wait\n"
                  "@set:\n  st.shared i32 [$tile], 41\n  mbar.arrive.shared i64 "
                  "[$bar], 1:i32\n"
                  "  br @wait\n"
                  "@wait:\n  %over = mwait.shared i32 [$bar], 0\n  cbr %over, @done, "
                  "@wait\n"
                  "@done:\n  %v = ld.shared i32 [$tile]\n  %s = add i32 %v, %t\n"
                  "  st.global i32 [%p], %s\n  ret\n}\n",
        1, 96, &size);
    r.spec.backwards = backwards;
    rig_must(&r);
    for (uint32_t t = 0; t < 96; t++)
      assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[t], 41 + t);
    rig_close(&r);
  }
}

/* One lane of a warp does what its others wait for. */
static void test_lanes_wait_for_one_of_their_warp(void **state) {
  (void)state;
  uint64_t size = 32 * 4;
  rig r =
      rig_open(HEAD KERNEL "@entry:\n" THREAD INIT(
                   "1") "  %c = icmp.eq i32 %t, 5\n  cbr %c, @set, @wait\n"
                        "@set:\n  mbar.arrive.shared i64 [$bar], 1:i32\n  br @done\n"
                        "@wait:\n  %over = mwait.shared i32 [$bar], 0\n  cbr %over, "
                        "@done, @wait\n"
                        "@done:\n  st.global i32 [%p], 9\n  ret\n}\n",
               1, 32, &size);
  rig_must(&r);
  for (uint32_t t = 0; t < 32; t++)
    assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[t], 9);
  rig_close(&r);
}

/* A poll that fails says so: the warp has something else to do, and looks again. */
static void test_a_poll_gives_up(void **state) {
  (void)state;
  uint64_t size = 8;
  rig r = rig_open(
      HEAD KERNEL "@entry:\n" THREAD INIT(
          "33") "  %s = mbar.arrive.shared i64 [$bar], 1:i32\n"
                "  %early = mwait.shared i64 [$bar], %s\n"
                "  cbr %first, @last, @both\n@last:\n  mbar.arrive.shared i64 [$bar], "
                "1:i32\n"
                "  br @both\n@both:\n  %late = mwait.shared i64 [$bar], %s\n"
                "  %e = zext i32 from i1 %early\n  %l = zext i32 from i1 %late\n"
                "  cbr %first, @tell, @done\n@tell:\n  st.global i32 [%out], %e\n"
                "  st.global i32 [%out + 4], %l\n  br @done\n@done:\n  ret\n}\n",
      1, 32, &size);
  rig_must(&r);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[0], 0);
  assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[1], 1);
  rig_close(&r);
}

static void expect_failure(const char *text, const char *part, uint32_t line) {
  uint64_t size = 256;
  rig r = rig_open(text, 1, 64, &size);
  if (rig_run(&r, 1, NULL) == WW_OK)
    fail_msg("it passed: %s", part);
  if (!strstr(r.e.msg, part) || r.e.line != line)
    fail_msg("line %u: %s", r.e.line, r.e.msg);
  rig_close(&r);
}

static void test_what_is_wrong_with_an_mbarrier(void **state) {
  (void)state;
  expect_failure(HEAD KERNEL "@entry:\n" THREAD INIT(
                     "65") "  mbar.arrive.shared i64 [$bar], 1:i32\n  br @wait\n"
                           "@wait:\n  %over = mwait.shared i32 [$bar], 0  !7\n"
                           "  cbr %over, @done, @wait\n@done:\n  ret\n}\n",
                 "still awaits 1 of 65 arrivals and 0 bytes", 7);
  expect_failure(HEAD KERNEL "@entry:\n" THREAD INIT(
                     "1") "  mbar.expect.shared i64 [$bar], 64:i32\n  br @wait\n"
                          "@wait:\n  %over = mwait.shared i32 [$bar], 0  !3\n"
                          "  cbr %over, @done, @wait\n@done:\n  ret\n}\n",
                 "4096 bytes of copies", 3);
  expect_failure(HEAD KERNEL "@entry:\n  mbar.arrive.shared i64 [$bar], 1:i32  !4\n"
                             "  ret\n}\n",
                 "no mbarrier has been initialised", 4);
  expect_failure(HEAD KERNEL "@entry:\n" THREAD INIT(
                     "63") "  mbar.expect.shared i64 [$bar], 1:i32\n"
                           "  mbar.arrive.shared i64 [$bar], 1:i32  !5\n  ret\n}\n",
                 "arrivals at an mbarrier whose phase awaits 0", 5);
  expect_failure(HEAD KERNEL "@entry:\n  mbar.init.shared i64 [$bar + 4], 1:i32  !6\n"
                             "  ret\n}\n",
                 "no multiple of 8", 6);
}

static void test_what_is_wrong_with_a_copy(void **state) {
  (void)state;
#define COPY(to, from, bytes)                                        \
  HEAD KERNEL "@entry:\n  bulk.load.shared " to ", " from ", " bytes \
              ":i32, 0:i64, 0:i32  !8\n  ret\n}\n"
  expect_failure(COPY("$tile:i64", "%out", "24"), "no multiple of 16", 8);
  expect_failure(COPY("$tile:i64", "%out", "512"), "copy from of 512 bytes", 8);
  expect_failure(COPY("$tile+8:i64", "%out", "16"), "no multiple of 16", 8);
  expect_failure(HEAD KERNEL
                 "@entry:\n  tma.load.shared %out, $tile:i64, 0:i64, 0:i32, "
                 "0:i32  !9\n  ret\n}\n",
                 "no tensor map lies there", 9);
}

/* ---- what observers see of a copy ---- */

typedef struct {
  uint32_t requests, parts;
  uint64_t bytes;
} copied;

static void note(void *ctx, const ww_access *a) {
  copied *c = ctx;
  if (a->space != WW_GLOBAL)
    return;
  c->requests += !a->more;
  c->parts++;
  c->bytes += a->bytes * (uint64_t)__builtin_popcountll(a->lanes);
}

static void test_a_copy_is_one_request(void **state) {
  (void)state;
  uint64_t size = 4096;
  copied c = {0};
  ww_observer obs = {.ctx = &c, .access = note};
  rig r =
      rig_open("module cuda warp 32\nsymbol $tile shared size 2048 align 128\n" KERNEL
               "@entry:\n" THREAD "  cbr %first, @copy, @done\n@copy:\n"
               "  bulk.load.shared $tile:i64, %out, 1040:i32, 0:i64, 0:i32\n"
               "  br @done\n@done:\n  ret\n}\n",
               1, 32, &size);
  if (rig_run(&r, 1, &obs))
    fail_msg("%s", r.e.msg);
  assert_int_equal(c.requests, 1);
  assert_int_equal(c.parts, 3);
  assert_int_equal(c.bytes, 1040);
  rig_close(&r);
}

/* ---- tiles ---- */

static void test_rows_of_a_tile(void **state) {
  (void)state;
  ww_tensor_map m = {.type = "f32", .rank = 2, .dims = {10, 4}, .box = {8, 3}};
  uint8_t bytes[WW_TENSOR_MAP_BYTES];
  ww_tma_tensor t;
  assert_string_equal(ww_tensor_encode(&m, 4096, bytes),
                      "strides are multiples of 16 bytes, below 2^40");
  m.strides[1] = 48;
  assert_null(ww_tensor_encode(&m, 4096, bytes));
  assert_true(ww_tensor_decode(bytes, &t));
  assert_int_equal(ww_tensor_tile_bytes(&t), 96);
  ww_tile_walk w = {.t = &t, .at = {-2, 2}};
  static const uint32_t here[3] = {24, 24, 0}; /* bytes in the tensor, by row */
  ww_tile_run run;
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(ww_tile_next(&w, &run));
    assert_int_equal(run.shared, 32 * k);
    assert_int_equal(run.here, here[k]);
    if (run.here)
      assert_int_equal(run.global + run.before, 4096 + 48 * (2 + k));
  }
  assert_false(ww_tile_next(&w, &run));
}

/* Kernels write into maps: what no encoding gives is none. */
static void test_forged_maps(void **state) {
  (void)state;
  ww_tensor_map m = {
      .type = "f32", .rank = 2, .dims = {10, 4}, .strides = {0, 48}, .box = {8, 3}};
  static const struct {
    size_t at;
    uint8_t to;
  } forged[] = {{offsetof(ww_tma_tensor, mark), 1},
                {offsetof(ww_tma_tensor, rank), 6},
                {offsetof(ww_tma_tensor, rank), 0},
                {offsetof(ww_tma_tensor, type), WW_NTYPES},
                {offsetof(ww_tma_tensor, bytes), 0},
                {offsetof(ww_tma_tensor, bytes), 8},
                {offsetof(ww_tma_tensor, swizzle), WW_NSWIZZLES},
                {offsetof(ww_tma_tensor, nan_fill), 2},
                {offsetof(ww_tma_tensor, sign), 255},
                {offsetof(ww_tma_tensor, box) + 1, 1},
                {offsetof(ww_tma_tensor, box), 0}};
  for (size_t k = 0; k < WW_COUNT(forged); k++) {
    uint8_t bytes[WW_TENSOR_MAP_BYTES];
    ww_tma_tensor t;
    assert_null(ww_tensor_encode(&m, 4096, bytes));
    assert_true(ww_tensor_decode(bytes, &t));
    bytes[forged[k].at] = forged[k].to;
    assert_false(ww_tensor_decode(bytes, &t));
  }
}

/* ---- clusters ---- */

/* Every block reads what the next one of its cluster has put into its memory. */
static void test_blocks_of_a_cluster_see_each_other(void **state) {
  (void)state;
  uint64_t size = 8 * 4;
  uint64_t firsts[2] = {0, 4};
  const ww_observer nobody = {0};
  rig r = rig_open(
      HEAD KERNEL
      "@entry:\n  %b = sreg i32 ctaid.x\n  %rank = sreg i32 cluster.ctarank\n"
      "  %n = sreg i32 cluster.nctarank\n  %j = zext i64 from i32 %b\n"
      "  %p = lea i64 %out, %j #4\n  st.shared i32 [$tile], %b\n"
      "  clusterbar.arrive\n  clusterbar.wait\n  %r = add i32 %rank, 1\n"
      "  %next = urem i32 %r, %n\n  %far = mapa i64 $tile, %next\n"
      "  %who = ctarank i32 %far\n  %v = ld.shared i32 [%far]\n"
      "  %x = mul i32 %who, 100\n  %y = add i32 %x, %v\n  st.global i32 [%p], %y\n"
      "  clusterbar.arrive\n  clusterbar.wait\n  ret\n}\n",
      8, 32, &size);
  r.spec.cluster[0] = 4;
  r.spec.cluster[1] = r.spec.cluster[2] = 1;
  assert_int_equal(ww_machine_new(&r.spec, &r.mc, &r.e), WW_OK);
  if (ww_machine_run(r.mc, firsts, 2, 1, &nobody, &r.stats, arena, &r.e))
    fail_msg("%s", r.e.msg);
  for (uint32_t b = 0; b < 8; b++) {
    uint32_t next = (b % 4 + 1) % 4;
    assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[b], next * 100 + b / 4 * 4 + next);
  }
  rig_close(&r);
}

static void test_clusters_that_cannot_be(void **state) {
  (void)state;
  uint64_t size = 64;
  rig r = rig_open(HEAD KERNEL "@entry:\n  ret\n}\n", 6, 32, &size);
  r.spec.cluster[0] = 4;
  r.spec.cluster[1] = r.spec.cluster[2] = 1;
  assert_int_equal(ww_machine_new(&r.spec, &r.mc, &r.e), WW_EUSAGE);
  assert_non_null(strstr(r.e.msg, "no multiple of clusters of 4"));
  r.spec.cluster[0] = 17;
  assert_int_equal(ww_machine_new(&r.spec, &r.mc, &r.e), WW_EUSAGE);
  rig_close(&r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_the_word_keeps_its_parts),
      RIG_TEST(test_a_phase_ends_without_arrivals_and_bytes),
      RIG_TEST(test_warps_wait_for_an_mbarrier),
      RIG_TEST(test_lanes_wait_for_one_of_their_warp),
      RIG_TEST(test_a_poll_gives_up),
      RIG_TEST(test_what_is_wrong_with_an_mbarrier),
      RIG_TEST(test_what_is_wrong_with_a_copy),
      RIG_TEST(test_a_copy_is_one_request),
      RIG_TEST(test_rows_of_a_tile),
      RIG_TEST(test_forged_maps),
      RIG_TEST(test_blocks_of_a_cluster_see_each_other),
      RIG_TEST(test_clusters_that_cannot_be),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
