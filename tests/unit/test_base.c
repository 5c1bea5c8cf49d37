/* test_base.c - arena, vector, string buffer, hash, files, child processes. */
#include "unit.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/base/child.h"

static void arena_blocks_are_zeroed_aligned_and_apart(void **state) {
  ww_arena *a = *state;
  unsigned char *last = NULL;
  size_t last_n = 0;
  for (size_t n = 0; n < 3000; n++) {
    unsigned char *p = ww_alloc(a, n);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < n; i++) assert_int_equal(p[i], 0);
    memset(p, 0xff, n);
    if (last_n) assert_int_equal(last[last_n - 1], 0xff);
    last = p;
    last_n = n;
  }
}

static void arena_takes_blocks_larger_than_a_chunk(void **state) {
  ww_arena *a = *state;
  char *small = ww_alloc(a, 16);
  char *big = ww_alloc(a, 10 << 20);
  char *next = ww_alloc(a, 16);
  big[(10 << 20) - 1] = 1;
  assert_ptr_equal(next, small + 16); /* the big one did not waste the chunk at hand */
}

static void grow_extends_in_place_when_last_and_copies_else(void **state) {
  ww_arena *a = *state;
  char *p = ww_alloc(a, 32);
  memset(p, 7, 32);
  char *q = ww_grow(a, p, 32, 64);
  assert_ptr_equal(p, q);
  assert_int_equal(q[40], 0);
  ww_alloc(a, 1);
  char *r = ww_grow(a, q, 64, 128);
  assert_ptr_not_equal(q, r);
  assert_int_equal(r[31], 7);
  assert_int_equal(r[127], 0);
}

static void vector_keeps_what_was_pushed(void **state) {
  WW_VEC(int) v = {0};
  for (int i = 0; i < 100000; i++) {
    ww_push(*state, &v, i);
    if (i % 777 == 0) ww_alloc(*state, 8);
  }
  assert_int_equal(v.n, 100000);
  for (int i = 0; i < 100000; i++) assert_int_equal(v.v[i], i);
}

static void buffer_grows_and_formats(void **state) {
  (void)state;
  ww_buf b = {0};
  for (int i = 0; i < 1000; i++) ww_buf_fmt(&b, "%d,", i);
  assert_int_equal(b.n, 10 * 2 + 90 * 3 + 900 * 4);
  assert_int_equal(b.s[b.n], 0);
  assert_string_equal(b.s + b.n - 4, "999,");
  ww_buf_free(&b);
  assert_null(b.s);
}

static void hash_values_never_change(void **state) {
  (void)state;
  assert_int_equal(ww_hash("", 0, 0), 0xbdacd879054f6f1e);
  assert_int_equal(ww_hash("warpwise", 8, 0), 0x4c18f73ada6e90f6);
  assert_int_equal(ww_hash("a longer text of more than sixteen bytes", 40, 5), 0x14d5c49e0d0aa4e4);
}

static void hash_sees_every_byte_and_the_seed(void **state) {
  (void)state;
  char text[64];
  for (size_t n = 1; n < sizeof text; n++) {
    memset(text, 'x', sizeof text);
    uint64_t h = ww_hash(text, n, 1);
    assert_int_not_equal(h, ww_hash(text, n, 2));
    assert_int_not_equal(h, ww_hash(text, n - 1, 1));
    for (size_t i = 0; i < n; i++) {
      text[i] ^= 1;
      assert_int_not_equal(h, ww_hash(text, n, 1));
      text[i] ^= 1;
    }
  }
}

static void files_are_written_whole_and_read_back(void **state) {
  ww_arena *a = *state;
  char dir[] = "/tmp/ww-test-XXXXXX";
  assert_non_null(mkdtemp(dir));
  const char *path = ww_path_join(a, dir, "f");
  ww_err e = {0};
  char *data;
  size_t n;
  assert_int_equal(ww_write_file_atomic(path, "a\0b", 3, &e), WW_OK);
  assert_int_equal(ww_read_file(a, path, 100, &data, &n, &e), WW_OK);
  assert_int_equal(n, 3);
  assert_memory_equal(data, "a\0b", 4);
  assert_int_equal(ww_read_file(a, path, 2, &data, &n, &e), WW_ELIMIT);
  assert_int_equal(ww_read_file(a, dir, 100, &data, &n, &e), WW_EIO);
  assert_non_null(strstr(e.msg, "is a directory"));
  unlink(path);
  assert_int_equal(ww_read_file(a, path, 100, &data, &n, &e), WW_EIO);
  int fds[2]; /* what is no plain file is written to, not replaced */
  char got[4] = "";
  assert_int_equal(pipe(fds), 0);
  assert_int_equal(ww_write_file_atomic(ww_fmt(a, "/dev/fd/%d", fds[1]), "xyz", 3, &e), WW_OK);
  assert_int_equal(read(fds[0], got, 3), 3);
  assert_string_equal(got, "xyz");
  close(fds[0]);
  close(fds[1]);
  assert_int_equal(ww_write_file_atomic(dir, "", 0, &e), WW_EIO);
  assert_int_equal(ww_write_file_atomic(ww_path_join(a, dir, "no/such/f"), "", 0, &e), WW_EIO);
  rmdir(dir);
}

static void paths_join_and_split(void **state) {
  ww_arena *a = *state;
  assert_string_equal(ww_path_join(a, "a", "b"), "a/b");
  assert_string_equal(ww_path_join(a, "a/", "b"), "a/b");
  assert_string_equal(ww_path_join(a, ".", "b"), "b");
  assert_string_equal(ww_path_join(a, NULL, "b"), "b");
  assert_string_equal(ww_path_join(a, "a", "/b"), "/b");
  assert_string_equal(ww_path_dir(a, "a/b/c"), "a/b");
  assert_string_equal(ww_path_dir(a, "c"), ".");
  assert_string_equal(ww_path_dir(a, "/c"), "/");
  assert_string_equal(ww_path_base("a/b"), "b");
  assert_string_equal(ww_path_base("b"), "b");
}

static void child_gets_input_and_gives_both_outputs(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "cat; echo oops >&2; exit 7", NULL};
  ww_run_result r;
  ww_err e = {0};
  size_t n = 1 << 20; /* more than a pipe holds, both ways */
  char *input = malloc(n);
  memset(input, 'z', n);
  assert_int_equal(ww_run(argv, input, n, 60, &r, &e), WW_OK);
  assert_int_equal(r.exit_code, 7);
  assert_int_equal(r.out.n, n);
  assert_string_equal(r.err.s, "oops\n");
  assert_false(r.timed_out);
  ww_run_free(&r);
  free(input);
}

static void child_that_hangs_is_ended_with_its_children(void **state) {
  (void)state;
  const char *argv[] = {"sh", "-c", "sleep 60 & sleep 60", NULL};
  ww_run_result r;
  ww_err e = {0};
  double start = ww_now();
  assert_int_equal(ww_run(argv, NULL, 0, 0.2, &r, &e), WW_OK);
  assert_true(r.timed_out);
  assert_int_equal(r.exit_code, 128 + 9);
  assert_true(ww_now() - start < 20);
  ww_run_free(&r);
}

static void child_that_is_not_there_is_an_error(void **state) {
  (void)state;
  const char *argv[] = {"warpwise-no-such-program", NULL};
  ww_run_result r;
  ww_err e = {0};
  assert_int_equal(ww_run(argv, NULL, 0, 1, &r, &e), WW_EIO);
  assert_non_null(strstr(e.msg, "warpwise-no-such-program"));
  ww_run_free(&r);
}

static void statuses_have_names_and_exit_codes(void **state) {
  (void)state;
  assert_string_equal(ww_status_name(WW_EUNSUPPORTED), "unsupported");
  assert_string_equal(ww_status_name(WW_EDATA), "data");
  assert_int_equal(ww_exit_code(WW_OK), 0);
  assert_int_equal(ww_exit_code(WW_EUSAGE), 2);
  assert_int_equal(ww_exit_code(WW_EPARSE), 3);
  assert_int_equal(ww_exit_code(WW_EDEVICE), 4);
}

static void packed_files(void **state) {
  char path[] = "/tmp/ww-packed-XXXXXX.zst", *data;
  int fd = mkstemps(path, 4);
  size_t n;
  ww_err e = {0};
  char *text = ww_alloc(*state, 300000);
  for (int k = 0; k < 300000; k++) text[k] = (char)(k % 251);
  close(fd);
  assert_int_equal(ww_write_packed(path, text, 300000, 3, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 1 << 20, &data, &n, &e), WW_OK);
  assert_true(n == 300000 && memcmp(data, text, n) == 0);
  assert_int_equal(ww_read_packed(*state, path, 1000, &data, &n, &e), WW_ELIMIT);
  assert_int_equal(ww_write_file_atomic(path, "(\xb5/\xfd broken", 11, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 1 << 20, &data, &n, &e), WW_EDATA);
  unlink(path);
}

/* ---- work in a forked child ---- */

static void say_hello(void *ctx, ww_buf *out) {
  ww_buf_fmt(out, "hello %s, descriptor 40 is %s", (const char *)ctx, fcntl(40, F_GETFD) < 0 ? "closed" : "open");
}
static void say_much(void *ctx, ww_buf *out) {
  (void)ctx;
  for (int k = 0; k < 1000000; k++) ww_buf_puts(out, "0123456789");
}
static void never_end(void *ctx, ww_buf *out) {
  (void)out;
  for (volatile int *k = ctx;;) *k = *k + 1;
}
static void take_memory(void *ctx, ww_buf *out) {
  (void)ctx;
  (void)out;
  for (;;) memset(ww_xmalloc(8 << 20), 1, 8 << 20);
}
static void crash(void *ctx, ww_buf *out) {
  (void)ctx;
  (void)out;
  raise(SIGSEGV);
}
static bool is_later(void *ctx) { return ww_now() > *(double *)ctx; }

static void forked_child_gives_back_what_it_wrote(void **state) {
  (void)state;
  ww_buf out;
  ww_err e = {0};
  assert_int_equal(dup2(1, 40), 40);
  assert_int_equal(ww_child_run(&(ww_child){.work = say_hello, .ctx = "you"}, &out, &e), WW_OK);
  assert_string_equal(out.s, "hello you, descriptor 40 is closed");
  close(40);
  ww_buf_free(&out);
  assert_int_equal(ww_child_run(&(ww_child){.work = say_much}, &out, &e), WW_OK);
  assert_int_equal(out.n, 10000000);
  ww_buf_free(&out);
}

static void forked_child_is_held_in_time_and_memory(void **state) {
  (void)state;
  ww_buf out;
  ww_err e = {0};
  int counter = 0;
  double begun = ww_now(), later = begun + 0.2;
  ww_child endless = {.work = never_end, .ctx = &counter, .deadline = later};
  assert_int_equal(ww_child_run(&endless, &out, &e), WW_ELIMIT);
  ww_buf_free(&out);
  endless = (ww_child){.work = never_end, .ctx = &counter, .cancelled = is_later, .cancelled_ctx = &later};
  later = ww_now() + 0.2;
  assert_int_equal(ww_child_run(&endless, &out, &e), WW_ECANCEL);
  ww_buf_free(&out);
  assert_int_equal(ww_child_run(&(ww_child){.work = take_memory, .bytes = 64 << 20}, &out, &e), WW_ELIMIT);
  assert_non_null(strstr(e.msg, "more than 64 MB"));
  ww_buf_free(&out);
  assert_int_equal(counter, 0); /* its memory is its own */
  assert_true(ww_now() - begun < 20);
}

static void forked_child_that_crashes_costs_itself(void **state) {
  (void)state;
  ww_buf out;
  ww_err e = {0};
  assert_int_equal(ww_child_run(&(ww_child){.work = crash}, &out, &e), WW_EUNSUPPORTED);
  assert_non_null(strstr(e.msg, "signal 11"));
  ww_buf_free(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(arena_blocks_are_zeroed_aligned_and_apart),
      TEST(arena_takes_blocks_larger_than_a_chunk),
      TEST(grow_extends_in_place_when_last_and_copies_else),
      TEST(vector_keeps_what_was_pushed),
      TEST(buffer_grows_and_formats),
      TEST(hash_values_never_change),
      TEST(hash_sees_every_byte_and_the_seed),
      TEST(files_are_written_whole_and_read_back),
      TEST(paths_join_and_split),
      TEST(child_gets_input_and_gives_both_outputs),
      TEST(child_that_hangs_is_ended_with_its_children),
      TEST(child_that_is_not_there_is_an_error),
      TEST(statuses_have_names_and_exit_codes),
      TEST(packed_files),
      TEST(forked_child_gives_back_what_it_wrote),
      TEST(forked_child_is_held_in_time_and_memory),
      TEST(forked_child_that_crashes_costs_itself),
  };
  return RUN(tests);
}
