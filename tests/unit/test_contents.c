/* test_contents.c - what a ready launch needs on a device: the bytes of ww_fill_bytes
 * whoever makes them, seeds, ids, scalars. */
#include "unit.h"

#include <stdlib.h>
#include <unistd.h>

#include "../../src/measure/contents.h"

#define SEED 12345

static const char *const types[] = {"f32", "f64", "f16",    "bf16",   "i8",
                                    "u8",  "i16", "u16",    "i32",    "u32",
                                    "i64", "u64", "float4", "uchar3", "bool"};
#define NTYPES (sizeof types / sizeof *types)

static const double ranges[][2] = {
    {0, 0},     {0, 50},     {-3, 4},       {1000, 1001}, {5, 5},          {0, 1e-5},
    {-1e20, 9}, {0, 2.5e19}, {-7.5, -2.25}, {7, 3},       {0, 70000000000}};
#define NRANGES (sizeof ranges / sizeof *ranges)

static uint8_t *
wanted(const ww_fill *f, const char *type, uint64_t bytes, ww_arena *a) {
  uint8_t *p = ww_alloc(a, bytes + 64);
  uint64_t count = bytes / ww_elem_size(type);
  if (f->kind != WW_FILL_NONE)
    ww_fill_bytes(f, type, count, SEED, 0, count, p);
  return p;
}

static void threads_do_not_change_the_bytes(void **state) {
  uint64_t bytes = 40007;
  uint8_t *got = ww_alloc(*state, bytes);
  for (uint8_t kind = WW_FILL_NONE; kind < WW_FILL_FILE; kind++)
    for (size_t t = 0; t < NTYPES; t++)
      for (uint32_t threads = 0; threads < 6; threads++) {
        ww_fill f = {.kind = kind, .hi = kind == WW_FILL_UNIFORM ? 50 : 0};
        uint8_t *want = wanted(&f, types[t], bytes, *state);
        memset(got, 0xa5, bytes);
        assert_int_equal(
            ww_contents_make(&f, types[t], bytes, SEED, threads, got, NULL), WW_OK);
        assert_memory_equal(got, want, bytes);
      }
}

/* The device's generator, here as C: every kind, type and range. */
static int differs(const ww_fill *f, const char *type, uint64_t bytes, ww_arena *a) {
  uint64_t words = (bytes + 15) / 16 * 2;
  uint64_t *got = ww_alloc(a, words * 8 + 64);
  uint8_t *want = wanted(f, type, bytes, a);
  ww_fill_job j;
  assert_true(ww_contents_job(f, type, bytes, SEED, &j));
  for (uint64_t i = 0; i < words; i++)
    got[i] = core_eight(&j, i);
  for (uint64_t i = 0; i < words * 8; i++) {
    if (((uint8_t *)got)[i] == (i < bytes ? want[i] : 0))
      continue;
    print_error("kind %d type %s range %g %g: byte %d\n", f->kind, type, f->lo, f->hi,
                (int)i);
    return 1;
  }
  return 0;
}

static void the_device_makes_the_same_bytes(void **state) {
  static const uint64_t sizes[] = {1, 4, 12, 16, 100, 4096, 12289};
  int wrong = 0;
  for (uint8_t kind = WW_FILL_NONE; kind < WW_FILL_FILE; kind++)
    for (size_t t = 0; t < NTYPES; t++)
      for (size_t r = 0; r < NRANGES; r++)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
          ww_fill f = {.kind = kind, .lo = ranges[r][0], .hi = ranges[r][1]};
          wrong += differs(&f, types[t], sizes[s], *state);
        }
  assert_int_equal(wrong, 0);
}

static void files_end_in_zeros(void **state) {
  const char *path = ww_fmt(*state, "/tmp/ww_contents_%d.bin", (int)getpid());
  ww_fill f = {.kind = WW_FILL_FILE, .path = path};
  ww_fill_job j;
  uint8_t got[8], want[8] = {'a', 'b', 'c'};
  ww_err e = {0};
  assert_int_equal(ww_write_file_atomic(path, "abc", 3, NULL), WW_OK);
  memset(got, 0xff, 8);
  assert_int_equal(ww_contents_make(&f, "u8", 8, 1, 0, got, NULL), WW_OK);
  assert_memory_equal(got, want, 8);
  assert_int_equal(ww_contents_make(&f, "u8", 2, 1, 0, got, NULL), WW_OK);
  assert_false(ww_contents_job(&f, "u8", 8, 1, &j));
  unlink(path);
  assert_int_not_equal(ww_contents_make(&f, "u8", 8, 1, 0, got, &e), WW_OK);
  assert_int_equal(
      ww_contents_make(&(ww_fill){.kind = WW_FILL_ONES}, "f31", 8, 1, 0, got, &e),
      WW_EUSAGE);
}

static ww_launch parsed(const char *json, ww_arena *a) {
  ww_launch l;
  ww_err e = {0};
  if (ww_launch_parse(json, NULL, a, &l, &e))
    fail_msg("%s", e.msg);
  return l;
}

static void seeds_and_ids_follow_the_trace(void **state) {
  ww_launch l = parsed(
      "{\"args\":[{\"value\":4},{\"buffer\":{\"bytes\":64,\"type\":\"f32\",\"id\":"
      "\"a\"}},"
      "{\"hex\":\"00000000000000000000000000000000\",\"ptrs\":[{\"at\":0,\"bytes\":32,"
      "\"fill\":\"ones\"},"
      "{\"at\":8,\"bytes\":96,\"id\":\"a\"}]},"
      "{\"buffer\":{\"bytes\":64,\"offset\":16,\"id\":\"a\"}}],"
      "\"symbols\":{\"s\":{\"value\":1},\"p\":{\"hex\":\"0000000000000000\","
      "\"ptrs\":[{\"at\":0,\"bytes\":8}]}}}",
      *state);
  ww_buffer_contents c;
  assert_int_equal(ww_contents_plan(&l, *state, &c, NULL), WW_OK);
  assert_int_equal(c.n, 3);
  assert_int_equal(c.npointers, 5);
  assert_true(c.v[0].seed == ww_fill_seed(1, 1) && c.v[0].bytes == 96 &&
              c.v[0].filled == 64);
  assert_true(c.v[1].seed == ww_fill_seed(1, 2 * 64 + 4096) &&
              !strcmp(c.v[1].type, "i32"));
  assert_true(c.v[2].seed == ww_fill_seed(1, 1001 * 64 + 4096));
  assert_true(c.pointers[2].allocation == 0 && c.pointers[2].arg == 2 &&
              c.pointers[2].at == 8);
  assert_true(c.pointers[3].allocation == 0 && c.pointers[3].offset == 16);
  assert_true(c.pointers[4].arg == WW_SYMBOL_ARG + 1);
}

static void bad_buffers_are_named(void **state) {
  static const char *const rows[][2] = {
      {"{\"args\":[null,{\"buffer\":{}}]}", "argument 1 is a buffer without a size"},
      {"{\"args\":[{\"buffer\":{\"bytes\":8,\"offset\":9}}]}",
       "argument 0: offset 9 lies outside its 8 bytes"},
      {"{\"args\":[{\"hex\":\"0000000000000000\",\"ptrs\":[{\"at\":4,\"bytes\":8}]}]}",
       "a pointer at byte 4 of 8"}};
  for (size_t i = 0; i < 3; i++) {
    ww_buffer_contents c;
    ww_err e = {0};
    ww_launch l;
    if (ww_launch_parse(rows[i][0], NULL, *state, &l, &e))
      continue; /* caught earlier: as good */
    assert_int_equal(ww_contents_plan(&l, *state, &c, &e), WW_EUSAGE);
    if (!strstr(e.msg, rows[i][1]))
      fail_msg("%s", e.msg);
  }
}

static void scalars_take_their_size(void **state) {
  (void)state;
  ww_arg whole = {.kind = WW_ARG_VALUE, .is_int = true, .ivalue = -2, .value = -2};
  ww_arg real = {.kind = WW_ARG_VALUE, .value = 1.5};
  ww_err e = {0};
  int64_t i = 0;
  float f;
  double d;
  assert_int_equal(ww_contents_scalar(&whole, "argument 0", 8, &i, &e), WW_OK);
  assert_true(i == -2);
  i = 0;
  assert_int_equal(ww_contents_scalar(&whole, "argument 0", 1, &i, &e), WW_OK);
  assert_true(i == 0xfe);
  assert_int_equal(ww_contents_scalar(&real, "argument 0", 4, &f, &e), WW_OK);
  assert_int_equal(ww_contents_scalar(&real, "argument 0", 8, &d, &e), WW_OK);
  assert_true(f == 1.5f && d == 1.5);
  assert_int_equal(ww_contents_scalar(&real, "argument 3", 2, &d, &e), WW_EUSAGE);
  assert_int_equal(ww_contents_scalar(&whole, "argument 3", 24, &d, &e), WW_EUSAGE);
  assert_non_null(strstr(e.msg, "argument 3 takes 24 bytes"));
  whole.ivalue = 256;
  whole.value = 256;
  assert_int_equal(ww_contents_scalar(&whole, "argument 3", 1, &i, &e), WW_EDATA);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(threads_do_not_change_the_bytes),
                                     TEST(the_device_makes_the_same_bytes),
                                     TEST(files_end_in_zeros),
                                     TEST(seeds_and_ids_follow_the_trace),
                                     TEST(bad_buffers_are_named),
                                     TEST(scalars_take_their_size)};
  return RUN(tests);
}
