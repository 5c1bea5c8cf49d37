/* test_lm_ranks.c - ranks of a training find one another, exchange, sum, and notice who
 * is lost. Ranks are threads here; by NCCL against a stand-in for it
 * (tests/lm/fake_nccl.c), which says that we call it as it wants to be called, not that
 * it sums well on GPUs: tests/gpu/ranks.sh does. */
#include "folder.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../src/lm/cuda/runtime.h"
#include "../../src/lm/ranks.h"

enum { MOST = 4 };

/* One rank: what it is to do, and how it went. */
typedef struct rank rank;
struct rank {
  ww_ranks_plan plan;
  void (*work)(rank *r);
  ww_ranks *ranks;
  ww_ops *ops;
  ww_status st;
  ww_err e;
  double seconds; /* of the work */
  float sum[8];
  uint64_t seen[MOST];
  bool named;
};

static void *run(void *ctx) {
  rank *r = ctx;
  ww_err none;
  r->st = ww_ranks_open(&r->plan, &r->ranks, &r->e);
  if (!r->ops && ww_ops_cpu(&r->ops, &none))
    return NULL;
  double begin = ww_now();
  if (!r->st)
    r->work(r);
  r->seconds = ww_now() - begin;
  ww_ranks_close(r->ranks, &r->e);
  r->ranks = NULL;
  return NULL;
}

static void run_all(rank *r, uint32_t n, const char *dir, void (*work)(rank *r)) {
  pthread_t thread[MOST];
  for (uint32_t k = 0; k < n; k++) {
    ww_ranks_plan plan = {.rank = k,
                          .size = n,
                          .folder = dir,
                          .key = 7,
                          .wait_s = r[k].plan.wait_s > 0 ? r[k].plan.wait_s : 20,
                          .one_node = k % 2};
    r[k].plan = plan;
    r[k].work = work;
    assert_int_equal(pthread_create(thread + k, NULL, run, r + k), 0);
  }
  for (uint32_t k = 0; k < n; k++) {
    pthread_join(thread[k], NULL);
    if (r[k].ops)
      r[k].ops->close(r[k].ops);
    r[k].ops = NULL;
  }
}

static void check_all(const rank *r, uint32_t n) {
  for (uint32_t k = 0; k < n; k++)
    if (r[k].st)
      fail_msg("rank %u: %s", k, r[k].e.msg);
}

/* ---- exchange and sums ---- */

enum { LONG = (1 << 20) + 3 }; /* more than goes at a time */

static float value_of(uint32_t k, uint64_t i) {
  return (float)(k + 1) * 0.1f + (float)(i % 1000) * 1e-7f;
}

static void exchange(rank *r) {
  uint64_t mine = 100 + r->plan.rank;
  float *x = ww_xmalloc(LONG * sizeof *x);
  for (uint64_t i = 0; i < LONG; i++)
    x[i] = value_of(r->plan.rank, i);
  r->st = ww_ranks_gather(r->ranks, &mine, sizeof mine, r->seen, &r->e);
  if (!r->st)
    r->st = ww_ranks_join(r->ranks, r->ops, WW_RANKS_AUTO, &r->e);
  if (!r->st)
    r->st = ww_ranks_sum(r->ranks, r->ops, x, LONG, &r->e);
  for (int i = 0; i < 8; i++)
    r->sum[i] = x[(uint64_t)i * (LONG - 1) / 7];
  if (!r->st)
    r->st = ww_ranks_end(r->ranks, &r->e);
  free(x);
}

static void test_sum(void **state) {
  char *dir = folder_new(*state);
  for (uint32_t n = 1; n <= 3; n++) {
    rank r[MOST] = {0};
    run_all(r, n, ww_fmt(*state, "%s/%u", dir, n), exchange);
    check_all(r, n);
    for (uint32_t k = 0; k < n; k++)
      for (uint32_t i = 0; i < 8; i++) {
        uint64_t at = (uint64_t)i * (LONG - 1) / 7;
        float want = value_of(0, at); /* in the order of ranks: the same bits */
        for (uint32_t j = 1; j < n; j++)
          want += value_of(j, at);
        assert_true(r[k].sum[i] == want);
        assert_int_equal(r[k].seen[i % n], 100 + i % n);
      }
    if (n > 1) /* the folder is gone again */
      assert_int_not_equal(access(ww_fmt(*state, "%s/%u", dir, n), F_OK), 0);
  }
  assert_int_equal(ww_ranks_size(NULL), 1);
  assert_int_equal(ww_ranks_end(NULL, NULL), WW_OK);
  folder_drop(dir);
}

/* ---- what goes wrong ---- */

static void fail_in_rank_2(rank *r) {
  char none = 0;
  char all[MOST];
  if (r->plan.rank == 2)
    r->st = ww_fail(&r->e, WW_EDATA, "line 7 is none");
  else
    r->st = ww_ranks_gather(r->ranks, &none, 1, all, &r->e);
}

static void test_failure_is_told(void **state) {
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  run_all(r, 3, dir, fail_in_rank_2);
  for (uint32_t k = 0; k < 2; k++) {
    assert_int_equal(r[k].st, WW_EIO);
    assert_non_null(strstr(r[k].e.msg, "rank 2 ("));
    assert_non_null(strstr(r[k].e.msg, "line 7 is none"));
    assert_true(r[k].seconds < 10);
  }
  folder_drop(dir);
}

static void leave_in_rank_1(rank *r) {
  char none = 0;
  char all[MOST];
  if (r->plan.rank != 1)
    r->st = ww_ranks_gather(r->ranks, &none, 1, all, &r->e);
}

static void hang_in_rank_1(rank *r) {
  char none = 0;
  char all[MOST];
  if (r->plan.rank == 1)
    usleep(2500000);
  else
    r->st = ww_ranks_gather(r->ranks, &none, 1, all, &r->e);
}

static void test_lost(void **state) {
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  run_all(r, 3, dir, leave_in_rank_1);
  assert_non_null(strstr(r[0].e.msg, "rank 1 ("));
  assert_non_null(strstr(r[0].e.msg, "ended"));
  assert_int_equal(r[2].st, WW_EIO);
  memset(r, 0, sizeof r);
  r[0].plan.wait_s = 1;
  run_all(r, 2, dir, hang_in_rank_1);
  assert_non_null(strstr(r[0].e.msg, "rank 1 ("));
  assert_non_null(strstr(r[0].e.msg, "silent for 1 s"));
  assert_true(r[0].seconds < 2.4);
  folder_drop(dir);
}

static void other_sizes(rank *r) {
  char mine[2] = {0};
  char all[2 * MOST];
  r->st = ww_ranks_gather(r->ranks, mine, 1 + r->plan.rank, all, &r->e);
}

static void test_out_of_step(void **state) {
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  run_all(r, 2, dir, other_sizes);
  assert_int_equal(r[0].st, WW_EIO);
  assert_non_null(strstr(r[0].e.msg, "same options"));
  assert_int_equal(r[1].st, WW_EIO);
  folder_drop(dir);
}

static void join(rank *r) {
  if (r->plan.rank)
    snprintf(r->ops->name, sizeof r->ops->name, "abacus");
  r->st = ww_ranks_join(r->ranks, r->ops, WW_RANKS_AUTO, &r->e);
}

static void join_nccl(rank *r) {
  r->st = ww_ranks_join(r->ranks, r->ops, WW_RANKS_NCCL, &r->e);
}

static void test_kinds(void **state) {
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  run_all(r, 2, dir, join);
  for (int k = 0; k < 2; k++) {
    assert_int_equal(r[k].st, WW_EDEVICE);
    assert_non_null(strstr(r[k].e.msg, "abacus"));
  }
  memset(r, 0, sizeof r);
  run_all(r, 1, dir, join_nccl);
  assert_int_equal(r[0].st, WW_EUSAGE);
  folder_drop(dir);
}

/* ---- how they find one another ---- */

static void test_missing(void **state) {
  char *dir = folder_new(*state);
  ww_err e = {0};
  ww_ranks *r;
  for (uint32_t k = 0; k < 2; k++) {
    const ww_ranks_plan p = {
        .rank = k, .size = 3, .folder = dir, .key = 1, .wait_s = 0.3, .one_node = true};
    assert_int_equal(ww_ranks_open(&p, &r, &e), WW_EIO);
    assert_non_null(strstr(e.msg, k ? "rank 0 has not come" : "not there: 1, 2."));
    assert_null(r);
  }
  folder_drop(dir);
}

static int listen_here(uint16_t *port) {
  struct sockaddr_in at = {.sin_family = AF_INET,
                           .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  socklen_t n = sizeof at;
  int fd = socket(AF_INET, SOCK_STREAM, 0);
  assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
  assert_int_equal(listen(fd, 4), 0);
  assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &n), 0);
  *port = ntohs(at.sin_port);
  return fd;
}

/* Answers where a file of an earlier run points to. */
static void *stranger(void *ctx) {
  int fd = accept(*(int *)ctx, NULL, NULL);
  char bytes[256] = "220 mail ready";
  ssize_t n = read(fd, bytes, sizeof bytes);
  n += write(fd, "220 this is mail, not training", 30);
  (void)n;
  close(fd);
  return NULL;
}

/* Calls rank 0 as soon as its own file is there. */
static void *caller(void *ctx) {
  const char *path = ctx;
  for (int k = 0; k < 200; k++, usleep(10000)) {
    char *text;
    unsigned port;
    ww_arena *a = ww_arena_new();
    bool there = !ww_read_file(a, path, 1 << 14, &text, NULL, NULL) &&
                 !strstr(text, "stale") && sscanf(text, "%*[^\n]\n%u", &port) == 1;
    ww_arena_free(a);
    if (!there)
      continue;
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!connect(fd, (struct sockaddr *)&at, sizeof at)) {
      char bytes[200] = "GET / HTTP/1.1\r\n\r\n";
      ssize_t n = send(fd, bytes, sizeof bytes, MSG_NOSIGNAL);
      (void)n;
    }
    close(fd);
    break;
  }
  return NULL;
}

static void test_strangers(void **state) {
  char *dir = folder_new(*state);
  uint16_t port;
  int fd = listen_here(&port);
  pthread_t mail;
  pthread_t call;
  char *path = ww_fmt(*state, "%s/%016x.ranks", dir, 7);
  char *text = ww_fmt(*state, "warpwise ranks 1\n%u\n%032x\n%032x\n127.0.0.1\nstale\n",
                      port, 1, 2);
  assert_int_equal(ww_write_file_atomic(path, text, strlen(text), NULL), WW_OK);
  assert_int_equal(pthread_create(&mail, NULL, stranger, &fd), 0);
  assert_int_equal(pthread_create(&call, NULL, caller, path), 0);
  rank r[MOST] = {0};
  pthread_t second;
  r[1].plan = (ww_ranks_plan){
      .rank = 1, .size = 2, .folder = dir, .key = 7, .wait_s = 20, .one_node = true};
  r[0].plan = r[1].plan;
  r[0].plan.rank = 0;
  r[0].work = r[1].work = exchange;
  assert_int_equal(pthread_create(&second, NULL, run, r + 1), 0);
  pthread_join(mail, NULL); /* rank 1 has tried the stale file */
  run(r);
  pthread_join(second, NULL);
  pthread_join(call, NULL);
  close(fd);
  check_all(r, 2);
  for (int k = 0; k < 2; k++)
    r[k].ops->close(r[k].ops);
  folder_drop(dir);
}

/* Who comes before the ranks do: one that knows the secret, or a silent stranger. */
typedef struct {
  const char *path;
  bool silent;
  unsigned mode; /* of the file, as it was found */
} early_caller;

/* Comes first, says what rank 1 would, and hangs up without waiting for the answer. */
static void *impatient(void *ctx) {
  early_caller *x = ctx;
  struct stat st;
  struct {
    uint8_t secret[16];
    uint32_t rank, size;
    char node[56];
  } hello = {.rank = 1, .size = 2};
  for (int k = 0; k < 200; k++, usleep(10000)) {
    char *text;
    char hex[33];
    unsigned port;
    ww_arena *a = ww_arena_new();
    bool there = !ww_read_file(a, x->path, 1 << 14, &text, NULL, NULL) &&
                 sscanf(text, "%*[^\n]\n%u\n%32s", &port, hex) == 2;
    ww_arena_free(a);
    if (!there)
      continue;
    if (!stat(x->path, &st))
      x->mode = st.st_mode & 0777;
    for (int i = 0; i < 16; i++)
      sscanf(hex + 2 * i, "%2hhx", &hello.secret[i]);
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (!connect(fd, (struct sockaddr *)&at, sizeof at) && !x->silent)
      send(fd, &hello, sizeof hello, MSG_NOSIGNAL);
    if (x->silent)
      usleep(600000);
    close(fd);
    if (!x->silent)
      break;
  }
  return NULL;
}

/* A rank that gave up waiting and comes again is no second one. */
static void test_impatient(void **state) {
  char *dir = folder_new(*state);
  early_caller x = {.path = ww_fmt(*state, "%s/%016x.ranks", dir, 7)};
  pthread_t call;
  pthread_t first;
  rank r[2] = {0};
  for (uint32_t k = 0; k < 2; k++) {
    r[k].plan = (ww_ranks_plan){
        .rank = k, .size = 2, .folder = dir, .key = 7, .wait_s = 20, .one_node = true};
    r[k].work = exchange;
  }
  assert_int_equal(pthread_create(&call, NULL, impatient, &x), 0);
  assert_int_equal(pthread_create(&first, NULL, run, r), 0);
  pthread_join(call, NULL);
  assert_int_equal(x.mode, 0600);
  run(r + 1);
  pthread_join(first, NULL);
  check_all(r, 2);
  for (int k = 0; k < 2; k++)
    r[k].ops->close(r[k].ops);
  folder_drop(dir);
}

/* Strangers that come without end do not keep rank 0 beyond its time; the file with the
 * secret is for its owner alone. */
static void test_besieged(void **state) {
  char *dir = folder_new(*state);
  early_caller x[3];
  const ww_ranks_plan p = {
      .size = 2, .folder = dir, .key = 7, .wait_s = 1, .one_node = true};
  pthread_t call[3];
  ww_ranks *r;
  ww_err e = {0};
  double begin = ww_now();
  for (int k = 0; k < 3; k++) {
    x[k] = (early_caller){.path = ww_fmt(*state, "%s/%016x.ranks", dir, 7),
                          .silent = true};
    assert_int_equal(pthread_create(call + k, NULL, impatient, x + k), 0);
  }
  assert_int_equal(ww_ranks_open(&p, &r, &e), WW_EIO);
  assert_non_null(strstr(e.msg, "not there: 1."));
  assert_true(ww_now() - begin < 4);
  for (int k = 0; k < 3; k++)
    pthread_join(call[k], NULL);
  folder_drop(dir);
}

/* ---- NCCL ---- */

static int attribute(int *value, int which, int device) {
  *value = which == 33 ? device : 0; /* PCI bus */
  return 0;
}
static int current(void *context) {
  (void)context;
  return 0;
}
static const ww_cuda_api driver = {.cuDeviceGetAttribute = attribute,
                                   .cuCtxSetCurrent = current};

static int same_device; /* all ranks on device 0 */
static int lose = -1;   /* this rank leaves before the second sum; -1: none */

/* Settles as training does: the device is done, then losses are exchanged. */
static ww_status second_sum(rank *r, ww_ops *o, float *x) {
  uint64_t all[MOST] = {0};
  ww_status st = ww_ranks_sum(r->ranks, o, x, 3, &r->e);
  if (!st)
    st = ww_ranks_gather(r->ranks, all + r->plan.rank, sizeof *all, all, &r->e);
  return st ? st : ww_ranks_end(r->ranks, &r->e);
}

/* On a device that has nothing but its sums over ranks; memory is the host's. */
static void sum_by_nccl(rank *r) {
  float x[3] = {1, 10, 100};
  ww_accel g = {.api = &driver, .stream = (void *)0x57};
  g.device = same_device ? 0 : (int)r->plan.rank;
  snprintf(g.o.name, sizeof g.o.name, "pretended");
  ww_accel_ranks(&g);
  for (int i = 0; i < 3; i++)
    x[i] *= (float)(r->plan.rank + 1);
  r->st = ww_ranks_join(r->ranks, &g.o, WW_RANKS_NCCL, &r->e);
  if (!r->st)
    r->st = ww_ranks_sum(r->ranks, &g.o, x, 3, &r->e);
  memcpy(r->sum, x, sizeof x);
  r->named = !strcmp(ww_ranks_by(r->ranks), "NCCL 2.99.1");
  if (!r->st && (int)r->plan.rank != lose)
    r->st = second_sum(r, &g.o, x);
  ww_ranks_close(r->ranks, &r->e);
  r->ranks = NULL;
  ww_nccl_close(g.nccl);
}

static void test_nccl(void **state) {
  static const float powers[3] = {1, 10, 100};
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  for (uint32_t n = 1; n <= 3; n++) {
    memset(r, 0, sizeof r);
    run_all(r, n, dir, sum_by_nccl);
    check_all(r, n);
    for (uint32_t k = 0; k < n; k++) {
      assert_true(r[k].named);
      for (int i = 0; i < 3; i++)
        assert_true(r[k].sum[i] == powers[i] * (float)(n * (n + 1) / 2));
    }
  }
  same_device = 1;
  memset(r, 0, sizeof r);
  run_all(r, 2, dir, sum_by_nccl);
  same_device = 0;
  for (int k = 0; k < 2; k++) {
    assert_int_equal(r[k].st, WW_EUSAGE);
    assert_non_null(strstr(r[k].e.msg, "same GPU"));
  }
  folder_drop(dir);
}

/* The stand-in waits for lost ranks for ever, as NCCL does: it has to be ended. */
static void test_nccl_lost(void **state) {
  char *dir = folder_new(*state);
  rank r[MOST] = {0};
  lose = 1;
  run_all(r, 3, dir, sum_by_nccl);
  lose = -1;
  for (int k = 0; k < 3; k += 2) {
    assert_int_equal(r[k].st, WW_EIO);
    assert_true(r[k].seconds < 10);
  }
  assert_non_null(strstr(r[0].e.msg, "rank 1 ("));
  folder_drop(dir);
}

int main(int argc, char **argv) {
  char *root = ww_xmalloc(strlen(argv[0]) + 32);
  char *slash = strrchr(argv[0], '/');
  (void)argc;
  sprintf(root, "%.*s/../fake", slash ? (int)(slash - argv[0]) : 1,
          slash ? argv[0] : ".");
  setenv("CUDA_HOME", root, 1);
  free(root);
  ww_set_quiet(true);
  const struct CMUnitTest tests[] = {
      TEST(test_sum),         TEST(test_failure_is_told), TEST(test_lost),
      TEST(test_out_of_step), TEST(test_kinds),           TEST(test_missing),
      TEST(test_strangers),   TEST(test_impatient),       TEST(test_besieged),
      TEST(test_nccl),        TEST(test_nccl_lost),
  };
  return RUN(tests);
}
