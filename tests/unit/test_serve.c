/* test_serve.c - the server's core without HTTP: what is kept, what is computed again,
 * that stale answers are never given. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/base/threads.h"
#include "../../src/query/query.h"
#include "unit.h"

static const char *json_of(const ww_report *r, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_report_write(r, &j, NULL, NULL);
  const char *json = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return json;
}

/* ---- memo.c ---- */

static atomic_int dropped;
static void drop(void *thing) {
  atomic_fetch_add(&dropped, 1);
  free(thing);
}

static char *make(const char *s) {
  return strcpy(ww_xmalloc(strlen(s) + 1), s);
}

static void *put(ww_memo *k, const char *s) {
  ww_key key = ww_key_of(s, strlen(s));
  void *thing;
  assert_int_equal(ww_memo_get(k, key, 0, &thing), WW_MEMO_MAKE);
  thing = make(s);
  ww_memo_put(k, key, thing, strlen(s));
  return thing;
}

static bool has(ww_memo *k, const char *s) {
  ww_key key = ww_key_of(s, strlen(s));
  void *thing;
  bool hit = ww_memo_get(k, key, 0, &thing) == WW_MEMO_HIT;
  if (hit)
    ww_memo_release(k, key, thing);
  else
    ww_memo_give_up(k, key);
  return hit;
}

static void release(ww_memo *k, const char *s, void *thing) {
  ww_memo_release(k, ww_key_of(s, strlen(s)), thing);
}

static void test_keep_oldest_goes(void **state) {
  (void)state;
  ww_memo *k = ww_memo_new(3, 1000, drop);
  atomic_store(&dropped, 0);
  release(k, "a", put(k, "a"));
  release(k, "b", put(k, "b"));
  void *c = put(k, "c"); /* stays pinned */
  assert_true(has(k, "a"));
  release(k, "d", put(k, "d"));
  assert_int_equal(atomic_load(&dropped), 1);
  assert_true(has(k, "a"));
  assert_false(has(k, "b"));
  release(k, "e", put(k, "e"));
  release(k, "f", put(k, "f"));
  assert_true(has(k, "c"));
  release(k, "c", c);
  ww_memo_free(k);
  assert_int_equal(atomic_load(&dropped), 6);
}

static void test_keep_by_bytes(void **state) {
  (void)state;
  ww_memo *k = ww_memo_new(100, 10, drop);
  release(k, "12345", put(k, "12345"));
  release(k, "123456", put(k, "123456"));
  assert_false(has(k, "12345"));
  assert_true(has(k, "123456"));
  ww_memo_free(k);
}

/* A stale thing lives on for those who have it, beside its successor of the same key.
 */
static void test_keep_forget(void **state) {
  (void)state;
  ww_memo *k = ww_memo_new(10, 1000, drop);
  ww_key key = ww_key_of("x", 1);
  void *old = put(k, "x"), *same;
  assert_int_equal(ww_memo_get(k, key, 0, &same), WW_MEMO_HIT);
  assert_ptr_equal(old, same);
  atomic_store(&dropped, 0);
  ww_memo_forget(k, key, old);
  void *new_ = put(k, "x");
  assert_ptr_not_equal(new_, old);
  ww_memo_release(k, key, new_);
  assert_int_equal(atomic_load(&dropped), 0);
  assert_string_equal((char *)same, "x");
  ww_memo_release(k, key, same);
  assert_int_equal(atomic_load(&dropped), 1);
  assert_true(has(k, "x"));
  ww_memo_free(k);
}

static void test_keep_late(void **state) {
  (void)state;
  ww_memo *k = ww_memo_new(10, 1000, drop);
  ww_key key = ww_key_of("x", 1);
  void *thing;
  assert_int_equal(ww_memo_get(k, key, 0, &thing), WW_MEMO_MAKE);
  assert_int_equal(ww_memo_get(k, key, ww_now() + 0.02, &thing), WW_MEMO_LATE);
  ww_memo_give_up(k, key);
  assert_int_equal(ww_memo_get(k, key, 0, &thing), WW_MEMO_MAKE);
  ww_memo_give_up(k, key);
  ww_memo_free(k);
}

/* ---- pool.c ---- */

static void count(void *ctx) {
  usleep(1000);
  atomic_fetch_add((atomic_int *)ctx, 1);
}

static void test_pool(void **state) {
  (void)state;
  atomic_int n = 0;
  int taken = 0;
  ww_pool *p = ww_pool_new(3, 8);
  for (int k = 0; k < 200; k++)
    taken += ww_pool_submit(p, count, &n);
  assert_true(taken >= 8 && taken < 200); /* more than the queue holds came at once */
  ww_pool_free(p);
  assert_int_equal(atomic_load(&n), taken);
}

/* ---- workspace.c ---- */

static const char source[] =
    "// warpwise: grid=n/128 block=128 n=8192 x=f32[n]\n"
    "extern \"C\" __global__ void a(int n, float *x) { x[blockIdx.x * 128 "
    "+ threadIdx.x] *= 2.0f; }\n"
    "__device__ float helper(float v) { return v + 3.0f; }\n"
    "// warpwise: grid=n/128 block=128 n=8192 x=f32[n]\n"
    "extern \"C\" __global__ void b(int n, float *x) { int i = blockIdx.x "
    "* 128 + threadIdx.x; x[i] = helper(x[i]); }\n";

static ww_query *workspace;
static ww_arena *arena;

static int open_workspace(void **state) {
  (void)state;
  ww_err e = {0};
  arena = ww_arena_new();
  workspace = ww_query_new(&(ww_query_options){.root = "."}, &e);
  if (!workspace)
    print_error("%s\n", e.msg);
  return workspace ? 0 : -1;
}

static int close_workspace(void **state) {
  (void)state;
  ww_query_free(workspace);
  ww_arena_free(arena);
  return 0;
}

static const char *path_of(const char *name) {
  const char *path;
  assert_int_equal(ww_query_path(workspace, name, false, arena, &path, NULL), WW_OK);
  return path;
}

static char *edited(const char *from, const char *to) {
  const char *at = strstr(source, from);
  assert_non_null(at);
  return ww_fmt(arena, "%.*s%s%s", (int)(at - source), source, to, at + strlen(from));
}

static ww_query_result ask(const ww_query_request *q) {
  ww_query_result x;
  ww_err e = {0};
  if (ww_query_ask(workspace, q, arena, &x, &e))
    fail_msg("%s", e.msg);
  return x;
}

static void test_only_what_changed(void **state) {
  (void)state;
  ww_query_request q = {.source = {.path = path_of("edit.cu"), .text = source}};
  ww_query_result x = ask(&q);
  assert_int_equal(x.n, 2);
  assert_string_equal(x.v[0].kernel, "a");
  assert_false(x.v[0].known || x.v[1].known);
  q.source.text = edited("2.0f", "x[0]");
  ww_query_result y = ask(&q);
  assert_false(y.v[0].known);
  assert_true(y.v[1].known);
  assert_string_equal(json_of(&y.v[1].report, arena), json_of(&x.v[1].report, arena));
  q.source.text = edited("v + 3.0f", "v * v - 3.0f"); /* in what a kernel calls */
  y = ask(&q);
  assert_true(y.v[0].known);
  assert_false(y.v[1].known);
  q.source.text = edited("n=8192", "n=16384"); /* its launch */
  y = ask(&q);
  assert_false(y.v[0].known);
  assert_true(y.v[1].known);
  q.source.text = edited("// warpwise", "\n\n// warpwise"); /* where it stands */
  y = ask(&q);
  assert_true(y.v[0].known && y.v[1].known);
  assert_int_equal(y.v[0].line, x.v[0].line + 2);
}

static void test_explain_has_its_lines(void **state) {
  (void)state;
  ww_query_request q = {.source = {.path = path_of("lines.cu"), .text = source},
                        .explain = true,
                        .kernel = "b"};
  ww_query_result x = ask(&q);
  assert_non_null(strstr(json_of(&x.v[0].report, arena), "\"line\":5"));
  q.source.text = ww_fmt(arena, "\n%s", source);
  x = ask(&q);
  assert_non_null(strstr(json_of(&x.v[0].report, arena), "\"line\":6"));
  assert_null(strstr(json_of(&x.v[0].report, arena), "\"line\":5"));
}

/* Lines above, below and inside come and go: what is known moves along, to the byte as
 * if it were computed anew. */
static void test_answers_move(void **state) {
  static const char text[] = "__global__ void first(int n, float *x) {\n  int i = "
                             "blockIdx.x * 128 + threadIdx.x;\n  if "
                             "(i < n) x[i * 32 % n] *= 2.0f;\n}\n"
                             "__global__ void second(int n, const float *x, float *y) "
                             "{\n  int i = blockIdx.x * 128 + "
                             "threadIdx.x;\n"
                             "  if (i < n) y[i * 8 % n] = x[i * 32 % n];\n  if (i < n) "
                             "y[i] += x[i * 16 % n];\n}\n"
                             "int main() {\n  float *x, *y;\n  first<<<64, "
                             "128>>>(8192, x);\n  second<<<64, 128>>>(8192, "
                             "x, y);\n}\n";
  static const struct {
    const char *at, *with;
    bool first; /* its code changes too */
  } rows[] = {
      {"__global__ void first", "\n\n// new\n__global__ void first", false},
      {"__global__ void second", "static int more;\n\n__global__ void second", false},
      {"  if (i < n) x[", "\n\n  if (i < n) x[", true},
      {"= x[i * 32 % n];\n", "=\n    x[i * 32 % n];\n", false},
      {"  float *x, *y;", "\n  float *x,\n      *y;", false},
  };
  (void)state;
  ww_query *known = workspace;
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_query_request q = {.source = {.path = path_of("move.cu"), .text = text},
                          .explain = true};
    ask(&q);
    const char *at = strstr(text, rows[k].at);
    q.source.text = ww_fmt(arena, "%.*s%s%s", (int)(at - text), text, rows[k].with,
                           at + strlen(rows[k].at));
    ww_query_result x = ask(&q);
    ww_err e = {0};
    workspace = ww_query_new(&(ww_query_options){.root = "."}, &e);
    assert_non_null(workspace);
    ww_query_result fresh = ask(&q);
    ww_query_free(workspace);
    workspace = known;
    assert_int_equal(x.n, 2);
    for (int i = 0; i < 2; i++)
      check_text(json_of(&x.v[i].report, arena), json_of(&fresh.v[i].report, arena), k);
    assert_non_null(strstr(json_of(&x.v[0].report, arena),
                           "launch: as in the host code, move.cu:"));
    if (x.v[0].known == rows[k].first)
      fail_msg("row %u: first", k);
    if (x.v[1].known != (k != 3))
      fail_msg("row %u: second", k);
    if (k == 2)
      assert_true(x.host_ms == 0); /* a kernel's lines are not the host's */
  }
}

static void test_gpus_as_asked(void **state) {
  (void)state;
  const char *gpus[] = {"a100", "h200", "a100", "mi250"}, *one[] = {"h200"};
  ww_query_request q = {.source = {.path = path_of("gpus.cu"), .text = source},
                        .kernel = "a",
                        .gpus = gpus,
                        .ngpus = 4};
  ww_query_result x = ask(&q);
  assert_int_equal(x.n, 4);
  assert_string_equal(x.v[0].gpu, "a100");
  assert_string_equal(json_of(&x.v[0].report, arena), json_of(&x.v[2].report, arena));
  assert_int_equal(x.v[3].code, WW_EUSAGE);
  q.gpus = one;
  q.ngpus = 1;
  ww_query_result y = ask(&q);
  assert_true(y.v[0].known);
  assert_string_equal(json_of(&y.v[0].report, arena), json_of(&x.v[1].report, arena));
}

/* ---- ends ---- */

static bool soon(void *ctx) {
  return ++*(int *)ctx >= 2;
}

/* What was asked is given up while its kernels are predicted. */
static void test_given_up(void **state) {
  (void)state;
  int polls = 0;
  ww_query_result x;
  ww_err e = {0};
  ww_query_request q = {
      .source = {.path = path_of("typed.cu"), .text = edited("2.0f", "7.0f")},
      .cancelled = soon,
      .ctx = &polls};
  assert_int_equal(ww_query_ask(workspace, &q, arena, &x, &e), WW_ECANCEL);
  assert_true(polls >= 2);
  q.source.text = NULL; /* the disk has none */
  assert_int_equal(ww_query_ask(workspace, &q, arena, &x, &e), WW_EIO);
}

/* A source that the asker has read is not read again; what is given gives way to the
 * comment where that is asked for. */
static void test_read_before(void **state) {
  (void)state;
  ww_query_unit r = {0};
  ww_err e = {0};
  ww_launch given = {.grid = {3, 1, 1}, .block = {32, 1, 1}};
  ww_query_request q = {.source = {.path = path_of("before.cu"), .text = source},
                        .kernel = "a",
                        .read = &r,
                        .launch = &given,
                        .under_comment = true};
  assert_int_equal(ww_query_read(workspace, &q.source, 0, arena, &r, &e), WW_OK);
  ww_query_result x = ask(&q);
  assert_true(x.read_ms == 0 && x.v[0].commented);
  assert_int_equal(x.v[0].report.launch->grid[0], 64);
  q.under_comment = false;
  assert_int_equal(ask(&q).v[0].report.launch->grid[0], 3);
  ww_query_release(workspace, &r);
}

static bool always(void *ctx) {
  (void)ctx;
  return true;
}

static void test_cancelled(void **state) {
  (void)state;
  ww_query_result x;
  ww_err e = {0};
  ww_query_request q = {
      .source = {.path = path_of("cancel.cu"), .text = edited("2.0f", "9.0f")},
      .cancelled = always};
  assert_int_equal(ww_query_ask(workspace, &q, arena, &x, &e), WW_ECANCEL);
  q.cancelled = NULL;
  assert_int_equal(ask(&q).n, 2); /* nothing half-made was kept */
}

static void test_deadline(void **state) {
  (void)state;
  ww_query_result x;
  ww_err e = {0};
  ww_query_request q = {.source = {.path = path_of("late.cu"), .text = source},
                        .deadline = ww_now() - 1};
  assert_int_equal(ww_query_ask(workspace, &q, arena, &x, &e), WW_ELIMIT);
}

/* ---- threads ---- */

enum { THREADS = 6, TEXTS = 3 };

typedef struct {
  int number;
  char *json[TEXTS];
} asker;

static void *run(void *ctx) {
  asker *me = ctx;
  for (int k = 0; k < TEXTS; k++) {
    int which = (k + me->number) % TEXTS;
    ww_arena *a = ww_arena_new();
    char *text = ww_fmt(a, "%s// %d\n__device__ int d%d;\n", source, which, which);
    const char *gpus[] = {"h200", "a100"};
    ww_query_request q = {
        .source = {.path = "/threads.cu", .text = text}, .gpus = gpus, .ngpus = 2};
    ww_query_result x;
    ww_err e = {0};
    if (ww_query_ask(workspace, &q, a, &x, &e) == WW_OK && x.n == 4)
      me->json[which] = make(json_of(&x.v[3].report, a));
    ww_arena_free(a);
  }
  return NULL;
}

static void test_threads(void **state) {
  (void)state;
  pthread_t t[THREADS];
  asker askers[THREADS] = {0};
  ww_query_stats before = ww_query_count(workspace);
  for (int k = 0; k < THREADS; k++) {
    askers[k].number = k;
    pthread_create(&t[k], NULL, run, &askers[k]);
  }
  for (int k = 0; k < THREADS; k++)
    pthread_join(t[k], NULL);
  ww_query_stats after = ww_query_count(workspace);
  for (int k = 0; k < THREADS; k++)
    for (int i = 0; i < TEXTS; i++) {
      assert_non_null(askers[k].json[i]);
      assert_string_equal(askers[k].json[i], askers[0].json[i]);
    }
  for (int k = 0; k < THREADS; k++)
    for (int i = 0; i < TEXTS; i++)
      free(askers[k].json[i]);
  assert_int_equal(after.units.made - before.units.made,
                   TEXTS); /* each was read once */
  assert_true(after.answers.bytes <=
              16384 * (size_t)after.answers.n); /* they are small: many fit */
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_keep_oldest_goes),
      cmocka_unit_test(test_keep_by_bytes),
      cmocka_unit_test(test_keep_forget),
      cmocka_unit_test(test_keep_late),
      cmocka_unit_test(test_pool),
      cmocka_unit_test(test_only_what_changed),
      cmocka_unit_test(test_explain_has_its_lines),
      cmocka_unit_test(test_answers_move),
      cmocka_unit_test(test_gpus_as_asked),
      cmocka_unit_test(test_given_up),
      cmocka_unit_test(test_read_before),
      cmocka_unit_test(test_cancelled),
      cmocka_unit_test(test_deadline),
      cmocka_unit_test(test_threads),
  };
  return cmocka_run_group_tests(tests, open_workspace, close_workspace);
}
