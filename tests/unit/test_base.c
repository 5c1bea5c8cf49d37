/* test_base.c - arena, vector, string buffer, hash, files, packed ones, child
 * processes. */
#include "unit.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>

#include "../../src/base/child.h"
#include "../../src/base/map.h"
#include "../../src/base/process_pool.h"
#include "../../src/base/units.h"
#include "../../src/base/words.h"

static void arena_blocks_are_zeroed_aligned_and_apart(void **state) {
  ww_arena *a = *state;
  unsigned char *last = NULL;
  size_t last_n = 0;
  for (size_t n = 0; n < 3000; n++) {
    unsigned char *p = ww_alloc(a, n);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < n; i++)
      assert_int_equal(p[i], 0);
    memset(p, 0xff, n);
    if (last_n)
      assert_int_equal(last[last_n - 1], 0xff);
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
    if (i % 777 == 0)
      ww_alloc(*state, 8);
  }
  assert_int_equal(v.n, 100000);
  for (int i = 0; i < 100000; i++)
    assert_int_equal(v.v[i], i);
}

static void buffer_grows_and_formats(void **state) {
  (void)state;
  ww_buf b = {0};
  for (int i = 0; i < 1000; i++)
    ww_buf_fmt(&b, "%d,", i);
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
  assert_int_equal(ww_hash("a longer text of more than sixteen bytes", 40, 5),
                   0x14d5c49e0d0aa4e4);
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
  assert_int_equal(ww_write_file_atomic(ww_fmt(a, "/dev/fd/%d", fds[1]), "xyz", 3, &e),
                   WW_OK);
  assert_int_equal(read(fds[0], got, 3), 3);
  assert_string_equal(got, "xyz");
  close(fds[0]);
  close(fds[1]);
  assert_int_equal(ww_write_file_atomic(dir, "", 0, &e), WW_EIO);
  assert_int_equal(ww_write_file_atomic(ww_path_join(a, dir, "no/such/f"), "", 0, &e),
                   WW_EIO);
  rmdir(dir);
}

/* ---- what a folder may hold ---- */

static const char *const held[] = {"plain", "sub/plain", "inside", "sub/up", NULL};
static const struct {
  const char *name;
  ww_status want;
} kept_out[] = {{"../outside", WW_EUSAGE},
                {"link", WW_EUSAGE},
                {"dirlink/outside", WW_EUSAGE},
                {"sub/link", WW_EUSAGE},
                {"sub/../../outside", WW_EUSAGE},
                {"zero", WW_EUSAGE},
                {"fifo", WW_EIO},
                {"to_fifo", WW_EIO},
                {"socket", WW_EIO},
                {"sub", WW_EIO},
                {".", WW_EIO},
                {"none", WW_EIO},
                {"loop", WW_EIO}};

static void make_folder(ww_arena *a, const char *dir) {
  struct sockaddr_un at = {.sun_family = AF_UNIX};
  const char *root = ww_path_join(a, dir, "root");
  assert_int_equal(mkdir(root, 0777) | mkdir(ww_path_join(a, root, "sub"), 0777), 0);
  assert_int_equal(
      ww_write_file_atomic(ww_path_join(a, dir, "outside"), "secret", 6, NULL), WW_OK);
  assert_int_equal(
      ww_write_file_atomic(ww_path_join(a, root, "plain"), "plain", 5, NULL), WW_OK);
  assert_int_equal(
      ww_write_file_atomic(ww_path_join(a, root, "sub/plain"), "plain", 5, NULL),
      WW_OK);
  static const char *const links[][2] = {
      {"sub/plain", "inside"},       {"../plain", "sub/up"},
      {"../outside", "link"},        {"..", "dirlink"},
      {"../../outside", "sub/link"}, {"fifo", "to_fifo"},
      {"/dev/zero", "zero"},         {"loop", "loop"}};
  for (size_t k = 0; k < sizeof links / sizeof *links; k++)
    assert_int_equal(symlink(links[k][0], ww_path_join(a, root, links[k][1])), 0);
  assert_int_equal(mkfifo(ww_path_join(a, root, "fifo"), 0666), 0);
  int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  snprintf(at.sun_path, sizeof at.sun_path, "%s/socket", root);
  assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
  close(fd);
}

/* The name of the first that is not as it should be; NULL: none. A name is given as it
 * is seen from the root, and whole. */
static const char *wrongly_read(ww_arena *a, const char *root) {
  char *data;
  for (int whole = 0; whole < 2; whole++) {
    const char *before = whole ? ww_fmt(a, "%s/", root) : "";
    for (int k = 0; held[k]; k++)
      if (ww_read_below(a, root, ww_fmt(a, "%s%s", before, held[k]), 10, &data, NULL,
                        NULL) ||
          strcmp(data, "plain"))
        return held[k];
    for (size_t k = 0; k < sizeof kept_out / sizeof *kept_out; k++)
      if (ww_read_below(a, root, ww_fmt(a, "%s%s", before, kept_out[k].name), 10, &data,
                        NULL, NULL) != kept_out[k].want)
        return kept_out[k].name;
  }
  return NULL;
}

static void files_below_a_root_stay_there_and_nothing_waits(void **state) {
  ww_arena *a = *state;
  char dir[] = "/tmp/ww-test-XXXXXX", *data;
  ww_err e = {0};
  assert_non_null(mkdtemp(dir));
  make_folder(a, dir);
  const char *root = ww_path_join(a, dir, "root"), *wrong = wrongly_read(a, root);
  if (wrong)
    fail_msg("%s", wrong);
  assert_int_equal(
      ww_read_below(a, root, ww_path_join(a, dir, "outside"), 10, &data, NULL, &e),
      WW_EUSAGE);
  assert_int_equal(ww_read_file(a, ww_path_join(a, root, "fifo"), 10, &data, NULL, &e),
                   WW_EIO);
  assert_non_null(strstr(e.msg, "not a regular file"));
  assert_int_equal(ww_read_file(a, "/dev/zero", 10, &data, NULL, &e), WW_EIO);
  assert_int_equal(ww_read_file(a, ww_path_join(a, root, "link"), 10, &data, NULL, &e),
                   WW_OK);
  /* The same on a kernel without openat2. */
  pid_t child = fork();
  if (!child) {
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | 38 /* ENOSYS */),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof code / sizeof *code, code};
    bool without = !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
                   !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
    wrong = without ? wrongly_read(a, root) : NULL;
    if (wrong)
      fprintf(stderr, "without openat2: %s\n", wrong);
    _exit(wrong != NULL);
  }
  int status = 1;
  assert_int_equal(waitpid(child, &status, 0), child);
  assert_int_equal(status, 0);
  assert_int_equal(system(ww_fmt(a, "rm -r %s", dir)), 0);
}

static void pipes_are_read_where_the_user_names_them(void **state) {
  int fds[2];
  char *data;
  ww_err e = {0};
  assert_int_equal(pipe(fds), 0);
  assert_int_equal(write(fds[1], "xyz", 3), 3);
  close(fds[1]);
  const char *path = ww_fmt(*state, "/dev/fd/%d", fds[0]);
  assert_int_equal(ww_read_file(*state, path, 10, &data, NULL, &e), WW_EIO);
  assert_int_equal(ww_read_input(*state, path, 10, &data, NULL, &e), WW_OK);
  assert_string_equal(data, "xyz");
  close(fds[0]);
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
  for (int k = 0; k < 300000; k++)
    text[k] = (char)(k % 251);
  close(fd);
  assert_int_equal(ww_write_packed(path, text, 300000, 3, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 1 << 20, &data, &n, &e), WW_OK);
  assert_true(n == 300000 && memcmp(data, text, n) == 0);
  assert_int_equal(ww_read_packed(*state, path, 1000, &data, &n, &e), WW_ELIMIT);
  assert_int_equal(ww_write_file_atomic(path, "(\xb5/\xfd broken", 11, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 1 << 20, &data, &n, &e), WW_EDATA);
  unlink(path);
}

/* ---- packed files of strangers ---- */

/* 200 single bits of a file that is shipped, each flipped alone: an error, or the same
 * contents. */
static void flips(const char *path) {
  ww_arena *a = ww_arena_new();
  char copy[] = "/tmp/ww-flipped-XXXXXX.zst", *packed, *want;
  size_t packed_n, want_n;
  uint32_t refused = 0;
  ww_err e = {0};
  close(mkstemps(copy, 4));
  if (ww_read_checked(a, path, 1 << 26, &want, &want_n, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(ww_read_file(a, path, 1 << 26, &packed, &packed_n, &e), WW_OK);
  for (uint64_t k = 0; k < 200;
       k++) { /* of the checksum, of the header, of any place */
    ww_arena *scratch = ww_arena_new();
    uint64_t bit = k < 60    ? 8 * packed_n - 1 - k
                   : k < 120 ? k - 60
                             : ww_hash(&k, sizeof k, 0) % (8 * packed_n);
    char *data = NULL;
    size_t n = 0;
    packed[bit / 8] ^= (char)(1 << bit % 8);
    assert_int_equal(ww_write_file_atomic(copy, packed, packed_n, &e), WW_OK);
    packed[bit / 8] ^= (char)(1 << bit % 8);
    if (ww_read_checked(scratch, copy, 1 << 26, &data, &n, &e))
      refused++;
    else if (n != want_n || memcmp(data, want, n))
      fail_msg("%s: bit %llu flipped, other contents, no error", path,
               (unsigned long long)bit);
    ww_arena_free(scratch);
  }
  assert_true(refused > 180);
  unlink(copy);
  ww_arena_free(a);
}

static void a_flipped_bit_is_seen(void **state) {
  (void)state;
  flips("models/correction.json.zst");
  flips("data/corpus-h200.jsonl.zst");
}

static void a_checksum_may_be_asked_for(void **state) {
  char path[] = "/tmp/ww-unchecked-XXXXXX.zst", *data, packed[100];
  size_t n, used = ZSTD_compress(packed, sizeof packed, "text", 4, 3);
  ww_err e = {0};
  close(mkstemps(path, 4));
  assert_int_equal(ww_write_file_atomic(path, packed, used, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 100, &data, &n, &e), WW_OK);
  assert_int_equal(ww_read_checked(*state, path, 100, &data, &n, &e), WW_EDATA);
  assert_non_null(strstr(e.msg, "checksum"));
  assert_int_equal(ww_write_packed(path, "text", 4, 3, &e), WW_OK);
  assert_int_equal(ww_read_checked(*state, path, 100, &data, &n, &e), WW_OK);
  assert_true(n == 4 && !strcmp(data, "text"));
  unlink(path);
}

#define BLOCK (128u << 10)
#define UNKNOWN UINT64_MAX

/* A frame by hand: `said` bytes in its header, and blocks of BLOCK zeros, 4 bytes each.
 */
static void frame(ww_buf *b, uint64_t said, uint8_t window, uint32_t blocks) {
  ww_buf_add(b, "\x28\xb5\x2f\xfd", 4);
  ww_buf_add(b, (char[]){said == UNKNOWN ? 0 : (char)0xe0}, 1);
  if (said == UNKNOWN)
    ww_buf_add(b, &window, 1);
  else
    for (int k = 0; k < 8; k++)
      ww_buf_add(b, (char[]){(char)(said >> 8 * k)}, 1);
  for (uint32_t k = 0; k < blocks; k++) {
    uint32_t header = BLOCK << 3 | 1 << 1 | (k + 1 == blocks);
    ww_buf_add(b, (char[]){(char)header, (char)(header >> 8), (char)(header >> 16), 0},
               4);
  }
}

/* Reads it in a child; how many KiB that took at most, and what became of it. */
static long cost(const ww_buf *b, size_t max, ww_status *st) {
  char path[] = "/tmp/ww-bomb-XXXXXX.zst";
  ww_err e = {0};
  struct rusage used;
  int code;
  close(mkstemps(path, 4));
  assert_int_equal(ww_write_file_atomic(path, b->s, b->n, &e), WW_OK);
  pid_t child = fork();
  if (!child) {
    char *data;
    size_t n;
    _exit(max ? (int)ww_read_packed(ww_arena_new(), path, max, &data, &n, &e) : 0);
  }
  assert_true(child > 0 && wait4(child, &code, 0, &used) == child && WIFEXITED(code));
  unlink(path);
  *st = (ww_status)WEXITSTATUS(code);
  return used.ru_maxrss;
}

static void bombs_take_what_is_allowed(void **state) {
  (void)state;
  enum {
    SAYS,
    SAYS_NOTHING,
    SAYS_LESS,
    SAYS_MORE,
    MANY,
    MANY_SILENT,
    WINDOW,
    SKIP,
    KINDS
  };
  static const ww_status want[] = {WW_ELIMIT, WW_ELIMIT, WW_EDATA, WW_EDATA,
                                   WW_ELIMIT, WW_ELIMIT, WW_OK,    WW_EDATA};
  const size_t max = 64u << 20;
  ww_status st;
  ww_buf b = {0};
  ww_buf_puts(&b, "nothing");
  long before = cost(&b, 0, &st);
  for (int kind = 0; kind < KINDS; kind++) {
    b.n = 0;
    if (kind == SAYS)
      frame(&b, 8192ull * BLOCK, 0, 8192); /* 1 GiB */
    if (kind == SAYS_NOTHING)
      frame(&b, UNKNOWN, 0x58, 8192);
    if (kind == SAYS_LESS)
      frame(&b, 1000, 0, 8192);
    if (kind == SAYS_MORE)
      frame(&b, 1ull << 62, 0, 1);
    for (int k = 0; kind == MANY && k < 8192; k++)
      frame(&b, BLOCK, 0, 1);
    for (int k = 0; kind == MANY_SILENT && k < 8192; k++)
      frame(&b, UNKNOWN, 0x58, 1);
    if (kind == WINDOW)
      frame(&b, UNKNOWN, 21 << 3, 16); /* 2 GiB of window for 2 MiB */
    if (kind == SKIP) {
      frame(&b, BLOCK, 0, 1);
      ww_buf_add(&b, "\x50\x2a\x4d\x18\xf0\xff\xff\xff", 8);
    }
    long took = cost(&b, max, &st);
    if (st != want[kind])
      fail_msg("kind %d: %s, not %s", kind, ww_status_name(st),
               ww_status_name(want[kind]));
    if (took - before > (long)(max >> 10) + 8192)
      fail_msg("kind %d: %ld KiB", kind, took - before);
  }
  ww_buf_free(&b);
}

static void frames_behind_each_other(void **state) {
  char path[] = "/tmp/ww-frames-XXXXXX.zst", *data;
  ww_buf b = {0};
  ww_err e = {0};
  size_t n;
  close(mkstemps(path, 4));
  ww_buf_add(&b, "\x5f\x2a\x4d\x18\3\0\0\0abc", 11); /* to be skipped */
  frame(&b, BLOCK, 0, 1);
  frame(&b, UNKNOWN, 0x58, 2);
  assert_int_equal(ww_write_file_atomic(path, b.s, b.n, &e), WW_OK);
  assert_int_equal(ww_read_packed(*state, path, 3 * BLOCK, &data, &n, &e), WW_OK);
  assert_int_equal(n, 3 * BLOCK);
  assert_int_equal(ww_read_packed(*state, path, 3 * BLOCK - 1, &data, &n, &e),
                   WW_ELIMIT);
  for (size_t cut = 0; cut < b.n; cut++) {
    assert_int_equal(ww_write_file_atomic(path, b.s, cut, &e), WW_OK);
    ww_status st = ww_read_packed(*state, path, 3 * BLOCK, &data, &n, &e);
    if (st != WW_EDATA && cut != 11 && cut != 11 + 17)
      fail_msg("cut at %zu: %s", cut, ww_status_name(st));
  }
  ww_buf_free(&b);
  unlink(path);
}

/* ---- what must not outlive the program ---- */

typedef struct {
  char file[64], folder[64], below[128];
  pid_t child;
} temporaries;

/* A file, a folder with something in it and a child, as a command has them while it
 * works; then it ends. */
static void work_with(int told, void (*end)(void)) {
  temporaries t = {.file = "/tmp/ww-test.XXXXXX",
                   .folder = "/tmp/ww-test-folder.XXXXXX"};
  int slot;
  t.child = ww_fork();
  if (!t.child) {
    pause();
    _exit(0);
  }
  ww_end_on_signals();
  ww_cleanup_process(t.child);
  if (ww_temp_file(t.file, &slot) < 0 || !ww_temp_folder(t.folder, &slot))
    _exit(97);
  snprintf(t.below, sizeof t.below, "%s/in", t.folder);
  if (mkdir(t.below, 0777) || write(told, &t, sizeof t) < 0)
    _exit(99);
  end();
  _exit(98);
}

static void wait_here(void) {
  pause();
}
static void ask_for_too_much(void) {
#ifdef __SANITIZE_ADDRESS__ /* whose allocator ends the program by itself */
  ww_out_of_memory(SIZE_MAX / 2);
#else
  ww_xmalloc(SIZE_MAX / 2);
#endif
}

/* How such a process ends: by the signal, or of itself (0). Nothing of it is left. */
static int end_of(int number, void (*end)(void)) {
  temporaries t;
  int told[2], status;
  assert_int_equal(pipe(told), 0);
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    if (number)
      signal(number, SIG_DFL); /* whoever runs this may ignore it */
    if (!number)
      close(STDERR_FILENO); /* what it has to say */
    work_with(told[1], end);
  }
  assert_int_equal(read(told[0], &t, sizeof t), sizeof t);
  if (number) { /* else it ends when it likes */
    assert_true(ww_file_exists(t.file) && ww_file_exists(t.below));
    kill(pid, number);
  }
  assert_int_equal(waitpid(pid, &status, 0), pid);
  close(told[0]);
  close(told[1]);
  assert_false(ww_file_exists(t.file));
  assert_false(ww_file_exists(t.folder));
  char state = 'Z', path[64];
  snprintf(path, sizeof path, "/proc/%d/stat", (int)t.child);
  for (int k = 0; k < 300;
       k++) { /* it is gone, or nobody has taken note of its end yet */
    FILE *f = fopen(path, "r");
    if (!f || fscanf(f, "%*d (%*[^)]) %c", &state) != 1)
      state = 'Z';
    if (f)
      fclose(f);
    if (state == 'Z')
      break;
    usleep(10000);
  }
  assert_int_equal(state, 'Z');
  return status;
}

static void signals_leave_nothing_behind(void **state) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  (void)state;
  for (int k = 0; k < 3; k++) {
    int status = end_of(numbers[k], wait_here);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == numbers[k]);
  }
}

static void no_memory_is_an_exit_code_and_leaves_nothing_behind(void **state) {
  (void)state;
  int status = end_of(0, ask_for_too_much);
  assert_true(WIFEXITED(status));
  assert_int_equal(WEXITSTATUS(status), ww_exit_code(WW_ELIMIT));
}

static void what_is_forgotten_or_a_parents_stays(void **state) {
  char kept[] = "/tmp/ww-test.XXXXXX", parents[] = "/tmp/ww-test.XXXXXX";
  int slot, other;
  (void)state;
  close(ww_temp_file(kept, &slot));
  ww_cleanup_forget(slot);
  close(ww_temp_file(parents, &other));
  fflush(NULL);
  pid_t pid = fork();
  if (!pid) {
    ww_cleanup_now();
    _exit(0);
  }
  waitpid(pid, NULL, 0);
  assert_true(ww_file_exists(kept) && ww_file_exists(parents));
  ww_cleanup_now();
  assert_true(ww_file_exists(kept));
  assert_false(ww_file_exists(parents));
  ww_cleanup_forget(other);
  unlink(kept);
}

/* ---- work in a forked child ---- */

static void say_hello(void *ctx, ww_buf *out) {
  ww_buf_fmt(out, "hello %s, descriptor 40 is %s", (const char *)ctx,
             fcntl(40, F_GETFD) < 0 ? "closed" : "open");
}
static void say_much(void *ctx, ww_buf *out) {
  (void)ctx;
  for (int k = 0; k < 1000000; k++)
    ww_buf_puts(out, "0123456789");
}
static void never_end(void *ctx, ww_buf *out) {
  (void)out;
  for (volatile int *k = ctx;;)
    *k = *k + 1;
}
static void take_memory(void *ctx, ww_buf *out) {
  (void)ctx;
  (void)out;
  for (;;)
    memset(ww_xmalloc(8 << 20), 1, 8 << 20);
}
static void crash(void *ctx, ww_buf *out) {
  (void)ctx;
  (void)out;
  raise(SIGSEGV);
}
static bool is_later(void *ctx) {
  return ww_now() > *(double *)ctx;
}

static void forked_child_gives_back_what_it_wrote(void **state) {
  (void)state;
  ww_buf out;
  ww_err e = {0};
  assert_int_equal(dup2(1, 40), 40);
  assert_int_equal(ww_child_run(&(ww_child){.work = say_hello, .ctx = "you"}, &out, &e),
                   WW_OK);
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
  endless = (ww_child){.work = never_end,
                       .ctx = &counter,
                       .cancelled = is_later,
                       .cancelled_ctx = &later};
  later = ww_now() + 0.2;
  assert_int_equal(ww_child_run(&endless, &out, &e), WW_ECANCEL);
  ww_buf_free(&out);
  assert_int_equal(
      ww_child_run(&(ww_child){.work = take_memory, .bytes = 64 << 20}, &out, &e),
      WW_ELIMIT);
  assert_non_null(strstr(e.msg, "more than 64 MB"));
  ww_buf_free(&out);
  assert_int_equal(counter, 0); /* its memory is its own */
  assert_true(ww_now() - begun < 20);
}

static const char *manners(void) {
  return sched_getscheduler(0) == SCHED_IDLE  ? "idle"
         : getpriority(PRIO_PROCESS, 0) >= 19 ? "polite"
                                              : "as before";
}

static void say_manners(void *ctx, ww_buf *out) {
  const double *until = ctx;
  while (!strcmp(manners(), "as before") && ww_now() < *until) {}
  ww_buf_puts(out, manners());
}

static void has_manners(bool eager, double seconds, const char *want) {
  ww_buf out;
  ww_err e = {0};
  double until = ww_now() + seconds;
  ww_child c = {.work = say_manners, .ctx = &until, .eager = eager};
  assert_int_equal(ww_child_run(&c, &out, &e), WW_OK);
  assert_string_equal(out.s, want);
  ww_buf_free(&out);
}

static void forked_child_that_takes_long_leaves_the_processor_to_others(void **state) {
  (void)state;
  has_manners(true, 0.5, manners());
  has_manners(false, 20, "polite");
  ww_child_for_many();
  has_manners(false, 20, "idle");
}

static void forked_child_that_crashes_costs_itself(void **state) {
  (void)state;
  ww_buf out;
  ww_err e = {0};
  assert_int_equal(ww_child_run(&(ww_child){.work = crash}, &out, &e), WW_EUNSUPPORTED);
  assert_non_null(strstr(e.msg, "signal 11"));
  ww_buf_free(&out);
}

/* ---- a pool of them ---- */

enum { POOL_JOBS = 5, POOL_EACH = 3, POOL_ITEMS = POOL_JOBS * POOL_EACH };
enum { CRASHING = 4, ENDLESS = 8 };

typedef struct {
  char text[POOL_ITEMS][32];
  int death[POOL_ITEMS]; /* 0 none, 1 late, 2 other */
  uint32_t done[POOL_ITEMS];
} pool_state;

static void pool_work(void *ctx, uint32_t job, ww_worker *w) {
  const pool_state *p = ctx;
  for (uint32_t i = job * POOL_EACH; i < (job + 1) * POOL_EACH; i++) {
    char text[16];
    if (p->done[i])
      continue;
    ww_worker_begin(w, i);
    snprintf(text, sizeof text, "item %u", i);
    ww_worker_send(w, text, 4);
    if (i == CRASHING)
      raise(SIGKILL);
    while (i == ENDLESS) {}
    ww_worker_send(w, text + 4, strlen(text + 4));
    ww_worker_end(w);
  }
}

static void pool_done(
    void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  pool_state *p = ctx;
  assert_int_equal(n, strlen(bytes));
  snprintf(p->text[item], sizeof p->text[item], "%s", bytes);
  p->death[item] = !death ? 0 : death->late ? 1 : 2;
  if (item == CRASHING)
    assert_string_equal(death->why, "ended the program (signal 9)");
  if (item == ENDLESS)
    assert_string_equal(death->why, "took longer than 1 s");
  p->done[item]++;
}

static void pool_loses_the_item_that_a_child_died_of(void **state) {
  (void)state;
  pool_state p = {0};
  ww_err e = {0};
  ww_process_pool pool = {.ctx = &p,
                          .work = pool_work,
                          .done = pool_done,
                          .processes = 2,
                          .limit_s = 1,
                          .resume = true,
                          .items = POOL_ITEMS,
                          .what = "testing"};
  assert_int_equal(ww_process_pool_run(&pool, POOL_JOBS, &e), WW_OK);
  for (uint32_t i = 0; i < POOL_ITEMS; i++) {
    char want[32];
    snprintf(want, sizeof want, i == CRASHING || i == ENDLESS ? "item" : "item %u", i);
    assert_string_equal(p.text[i], want);
    assert_int_equal(p.done[i], 1);
    assert_int_equal(p.death[i], i == ENDLESS ? 1 : i == CRASHING ? 2 : 0);
  }
  p = (pool_state){0};
  pool.resume = false;
  assert_int_equal(ww_process_pool_run(&pool, POOL_JOBS, &e), WW_OK);
  assert_int_equal(p.done[CRASHING], 1);
  assert_int_equal(p.done[CRASHING + 1], 0); /* the rest of its job is left out */
}

/* ---- maps, units, words ---- */

static void maps_keep_what_was_put(void **state) {
  (void)state;
  ww_arena *a = ww_arena_new();
  ww_map own = {0}, arena = {0};
  ww_dict names = {0};
  bool fresh;
  assert_null(ww_map_find(&own, 1));
  assert_null(ww_dict_find(&names, "x", 1));
  for (uint32_t k = 1; k < 5000; k++) {
    const char *name = ww_fmt(a, "%u", k);
    *ww_map_at(&own, NULL, (uint64_t)k << 33, &fresh) = k;
    assert_true(fresh);
    *ww_map_at(&arena, a, k, NULL) = k;
    *ww_dict_at(&names, a, name, (uint32_t)strlen(name), &fresh) = k;
    assert_true(fresh);
  }
  for (uint32_t k = 1; k < 5000; k++) {
    char name[16];
    uint32_t n = (uint32_t)snprintf(name, sizeof name, "%u", k);
    assert_int_equal(*ww_map_at(&own, NULL, (uint64_t)k << 33, &fresh), k);
    assert_false(fresh);
    assert_int_equal(*ww_map_find(&arena, k), k);
    assert_int_equal(*ww_dict_find(&names, name, n), k);
  }
  assert_null(ww_map_find(&arena, 5000));
  assert_null(ww_dict_find(&names, "12345", 5));
  ww_map_free(&own);
  ww_arena_free(a);
}

static void numbers_get_the_unit_that_fits(void **state) {
  (void)state;
  double v = 1234567;
  assert_string_equal(ww_unit_of(&v, ww_units_thousands, 9999.5, 999.5), "M");
  assert_true(v > 1.234 && v < 1.235);
  v = 9999;
  assert_string_equal(ww_unit_of(&v, ww_units_thousands, 9999.5, 999.5), "");
  v = 5e12;
  assert_string_equal(ww_unit_of(&v, ww_units_time, 1e3, 1e3), "s");
  assert_true(v == 5e6);
  const char *s = "64k,";
  uint64_t n;
  assert_true(ww_number_read(&s, &n));
  assert_int_equal(n, 65536);
  assert_string_equal(s, ",");
  s = "k";
  assert_false(ww_number_read(&s, &n));
  s = "99999999999G";
  assert_false(ww_number_read(&s, &n));
}

static void words_are_found_whole(void **state) {
  (void)state;
  const char *text = "n_2 + bn + n";
  assert_ptr_equal(ww_find_word(text, "n"), text + 11);
  assert_null(ww_find_word(text, "b"));
  assert_null(ww_find_word(text, ""));
  assert_null(ww_find_word("", ""));
  assert_int_equal(ww_word_length(text), 3);
  assert_int_equal(ww_word_length(" x"), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(pool_loses_the_item_that_a_child_died_of),
      TEST(maps_keep_what_was_put),
      TEST(numbers_get_the_unit_that_fits),
      TEST(words_are_found_whole),
      TEST(arena_blocks_are_zeroed_aligned_and_apart),
      TEST(arena_takes_blocks_larger_than_a_chunk),
      TEST(grow_extends_in_place_when_last_and_copies_else),
      TEST(vector_keeps_what_was_pushed),
      TEST(buffer_grows_and_formats),
      TEST(hash_values_never_change),
      TEST(hash_sees_every_byte_and_the_seed),
      TEST(files_are_written_whole_and_read_back),
      TEST(files_below_a_root_stay_there_and_nothing_waits),
      TEST(pipes_are_read_where_the_user_names_them),
      TEST(paths_join_and_split),
      TEST(child_gets_input_and_gives_both_outputs),
      TEST(child_that_hangs_is_ended_with_its_children),
      TEST(child_that_is_not_there_is_an_error),
      TEST(statuses_have_names_and_exit_codes),
      TEST(packed_files),
      TEST(a_flipped_bit_is_seen),
      TEST(a_checksum_may_be_asked_for),
      TEST(bombs_take_what_is_allowed),
      TEST(frames_behind_each_other),
      TEST(signals_leave_nothing_behind),
      TEST(no_memory_is_an_exit_code_and_leaves_nothing_behind),
      TEST(what_is_forgotten_or_a_parents_stays),
      TEST(forked_child_gives_back_what_it_wrote),
      TEST(forked_child_is_held_in_time_and_memory),
      TEST(forked_child_that_takes_long_leaves_the_processor_to_others),
      TEST(forked_child_that_crashes_costs_itself),
  };
  return RUN(tests);
}
