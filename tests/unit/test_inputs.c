/* test_inputs.c - what is found or assumed for buffers that nobody described: sizes,
 * contents, the sentences that say so; and that a described one is taken at its word.
 * The kernels are tests/sample/inputs.cu. */
#include "rig.h"
#include "source.h"

#include "../../src/trace/run.h"

static int load(void **state) {
  (void)state;
  return source_load("tests/sample/inputs.cu");
}

static ww_status run_by(const char *kernel,
                        const char *launch,
                        const ww_trace_options *how,
                        ww_trace_result *r,
                        ww_err *e) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_launch l = {0};
  if (!fn)
    fail_msg("no kernel %s", kernel);
  if (source_launch(fn, launch, arena, &l, e))
    return e->code;
  return ww_trace(&unit.module, fn, &l, how, arena, r, e);
}

static ww_status
run(const char *kernel, const char *launch, bool full, ww_trace_result *r, ww_err *e) {
  return run_by(kernel, launch, &(ww_trace_options){.sampling.full = full}, r, e);
}

/* Sampled and in full: neither may fault. */
static ww_trace_result complete(const char *kernel, const char *launch) {
  ww_trace_result r;
  ww_err e = {0};
  for (int full = 0; full < 2; full++)
    if (run(kernel, launch, full, &r, &e))
      fail_msg("%s, %s, %s: line %u: %s", kernel, launch, full ? "full" : "sampled",
               e.line, e.msg);
  return r;
}

static const ww_buffer *
buffer(const ww_trace_result *r, const char *kernel, const char *arg) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  for (uint32_t p = 0; p < fn->nparams; p++)
    if (!strcmp(fn->params[p].name, arg))
      return &r->launch.args[p].buffer;
  fail_msg("%s has no %s", kernel, arg);
  return NULL;
}

static void expect_size(const ww_trace_result *r,
                        const char *kernel,
                        const char *arg,
                        uint64_t bytes,
                        uint64_t offset) {
  const ww_buffer *b = buffer(r, kernel, arg);
  if (b->bytes != bytes || b->offset != offset)
    fail_msg("%s of %s: %llu bytes from %llu, not %llu from %llu", arg, kernel,
             (unsigned long long)b->bytes, (unsigned long long)b->offset,
             (unsigned long long)bytes, (unsigned long long)offset);
}

static bool said(const ww_trace_result *r, const char *sentence) {
  for (uint32_t k = 0; k < r->assumed.list.n; k++)
    if (!strcmp(ww_assumption_text(&r->assumed.list.v[k], arena), sentence))
      return true;
  return false;
}

static void expect_said(const ww_trace_result *r, const char *sentence) {
  if (said(r, sentence))
    return;
  for (uint32_t k = 0; k < r->assumed.list.n; k++)
    print_error("  %s\n", ww_assumption_text(&r->assumed.list.v[k], arena));
  fail_msg("nobody says `%s`", sentence);
}

/* The analysis alone: what it finds before any sampled run could correct it. */
static ww_trace_result analysed(const char *kernel, const char *launch) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_trace_result r = {0};
  ww_err e = {0};
  if (source_launch(fn, launch, arena, &r.launch, &e) ||
      ww_inputs_complete(&unit.module, fn, &r.launch, NULL, &r.assumed, arena, &e))
    fail_msg("%s, %s: %s", kernel, launch, e.msg);
  return r;
}

/* ---- sizes ---- */

static void test_sizes(void **state) {
  (void)state;
  ww_trace_result r = complete("copy", "grid=100 block=128 n=12345");
  expect_size(&r, "copy", "x", 4 * 12345, 0);
  expect_size(&r, "copy", "y", 4 * 12345, 0);
  expect_said(&r, "x: 49380 bytes, from the accesses");
  expect_said(&r, "x: random numbers in [0, 1)");
  assert_false(said(&r, "y: zeros")); /* never read: nothing to say */
  r = complete("around", "grid=10 block=64");
  expect_size(&r, "around", "x", 4 * (640 + 5), 12);
  r = complete("seventh", "grid=10 block=64");
  expect_size(&r, "seventh", "x", 8 * (639 * 7 + 1), 0);
  expect_size(&r, "seventh", "y", 2 * (2 * 639 + 2), 0);
  r = complete("stride_loop", "grid=16 block=64 n=100003");
  expect_size(&r, "stride_loop", "x", 4 * 100003, 0);
  r = complete("backwards", "grid=100 block=64 n=6001");
  expect_size(&r, "backwards", "x", 4 * 6001, 0);
  r = complete("backwards",
               "grid=40 block=64 n=6001"); /* the front part is never read */
  expect_size(&r, "backwards", "x", 4 * 6001, 0);
}

/* Grids larger than the data: whole blocks at the end have nothing to do. */
static void test_sizes_by_analysis(void **state) {
  (void)state;
  ww_trace_result r = analysed("copy", "grid=1000 block=128 n=12345");
  expect_size(&r, "copy", "x", 4 * 12345, 0);
  r = analysed("around", "grid=10 block=64");
  expect_size(&r, "around", "x", 4 * (640 + 5), 12);
  r = analysed("plane", "grid=50,60 block=16,8 w=313 h=317");
  expect_size(&r, "plane", "in", 4 * 313 * 317, 0);
  r = analysed("spmv", "grid=100 block=128 rows=10000");
  expect_size(&r, "spmv", "start", 4 * 10001, 0);
  r = complete("spmv", "grid=100 block=128 rows=10000");
  assert_true(r.sampled.tally.c.flops_fp32 > 2 * 8 * 10000);
}

static void test_sizes_on_more_axes(void **state) {
  (void)state;
  ww_trace_result r = complete("plane", "grid=20,40 block=16,8 w=313 h=317");
  expect_size(&r, "plane", "in", 4 * 313 * 317, 0);
  expect_size(&r, "plane", "out", 4 * 313 * 317, 0);
  r = complete("space", "grid=4,5,6 block=8,4,2 nx=32 ny=20");
  expect_size(&r, "space", "in", 4 * 32 * 20 * 13, 0);
  expect_size(&r, "space", "out", 4 * 32 * 20 * 12, 0);
}

/* ---- contents ---- */

static void test_row_pointers(void **state) {
  (void)state;
  ww_trace_result r = complete("spmv", "grid=79 block=128 rows=10000");
  expect_size(&r, "spmv", "start", 4 * 10001, 0);
  expect_size(&r, "spmv", "y", 4 * 10000, 0);
  const ww_buffer *start = buffer(&r, "spmv", "start"),
                  *col = buffer(&r, "spmv", "col"), *x = buffer(&r, "spmv", "x");
  assert_int_equal(start->fill.kind, WW_FILL_MONOTONE);
  expect_said(
      &r, ww_fmt(arena, "start: row pointers rising from 0 to %.0f", start->fill.hi));
  assert_true(col->bytes >= 4 * (uint64_t)start->fill.hi &&
              buffer(&r, "spmv", "val")->bytes >= 4 * (uint64_t)start->fill.hi);
  assert_int_equal(col->fill.kind, WW_FILL_UNIFORM);
  assert_true(col->fill.lo >= 0 && col->fill.hi >= 1000 &&
              x->bytes >= 4 * (uint64_t)col->fill.hi);
  expect_said(&r,
              ww_fmt(arena, "col: integers in [0, %.0f), as they index other buffers",
                     col->fill.hi));
  assert_true(r.sampled.tally.c.flops_fp32 > 2 * 8 * 10000); /* rows are not empty */
}

static void test_given_sizes_are_kept(void **state) {
  (void)state;
  ww_trace_result r = complete("spmv", "grid=79 block=128 rows=10000 start=[rows+1] "
                                       "col=[50000] val=[50000] x=[777] y=[rows]");
  expect_size(&r, "spmv", "x", 4 * 777, 0);
  assert_true(buffer(&r, "spmv", "start")->fill.hi <= 50000 &&
              buffer(&r, "spmv", "col")->fill.hi <= 777);
  complete("spmv",
           "grid=79 block=128 rows=10000 start=[rows+1]:random col=[50000]:random "
           "val=[50000] x=[777] y=[rows]");
  r = complete("histogram", "grid=79 block=128 n=10000 x=[n] bins=[64]");
  assert_true(buffer(&r, "histogram", "x")->fill.hi <= 64);
  r = complete("histogram", "grid=79 block=128 n=10000 x=[n]:random bins=[64]");
  assert_true(buffer(&r, "histogram", "x")->fill.hi <= 64);
  expect_said(&r, "x: integers in [0, 64), as they index other buffers");
  r = complete("gather", "grid=79 block=128 n=10000 index=[n] x=[100] y=[n]");
  assert_true(buffer(&r, "gather", "index")->fill.hi <= 100);
  r = complete("gather_block", "grid=79 block=128 x=[50]");
  assert_true(buffer(&r, "gather_block", "index")->fill.hi <= 50);
  complete("chase", "grid=4 block=64 hops=10 next=[256] out=[256]");
  complete("frontier",
           "grid=40 block=128 n=5000 queue=[n] start=[2001] edge=[30000] level=[2000]");
  complete("filter", "grid=40 block=128 n=5000 x=[n] tail=[1] out=[n]");
  complete("bytes", "grid=40 block=128 n=5000 x=[n] table=[256]");
  complete("bytes", "grid=40 block=128 n=5000 x=[n] table=[100]");
}

static void test_indices(void **state) {
  (void)state;
  ww_trace_result r = complete("histogram", "grid=79 block=128 n=10000");
  const ww_buffer *x = buffer(&r, "histogram", "x"),
                  *bins = buffer(&r, "histogram", "bins");
  assert_int_equal(x->fill.kind, WW_FILL_UNIFORM);
  assert_true(bins->bytes >= 4 * (uint64_t)x->fill.hi && x->fill.hi > 1);
  r = complete("gather", "grid=79 block=128 n=10000");
  assert_int_equal(buffer(&r, "gather", "index")->fill.kind, WW_FILL_UNIFORM);
  expect_size(&r, "gather", "y", 40000, 0);
  r = complete("gather_block", "grid=79 block=128");
  assert_int_equal(buffer(&r, "gather_block", "index")->fill.kind, WW_FILL_UNIFORM);
  r = complete("chase", "grid=4 block=64 hops=100");
  const ww_buffer *next = buffer(&r, "chase", "next");
  assert_true(next->bytes >= 4 * 256 && next->fill.kind == WW_FILL_PERMUTATION);
  r = complete("frontier", "grid=40 block=128 n=5000");
  assert_true(r.sampled.tally.c.global_st_requests > 0);
  r = complete("bytes", "grid=40 block=128 n=5000");
  assert_true(buffer(&r, "bytes", "table")->bytes >= 4 * 200);
}

static void test_queues_and_bounds(void **state) {
  (void)state;
  ww_trace_result r = complete("filter", "grid=40 block=128 n=5000");
  assert_int_equal(buffer(&r, "filter", "tail")->fill.kind, WW_FILL_ZEROS);
  expect_said(&r, "tail: zeros, as it counts up");
  assert_true(buffer(&r, "filter", "out")->bytes >= 4 * 1500); /* half of 5000 pass */
  r = complete("ragged", "grid=40 block=128 n=5000");
  expect_said(&r, "length: integers in [1, 32), as they end a loop");
  assert_true(buffer(&r, "ragged", "x")->bytes >= 4 * 31 &&
              buffer(&r, "ragged", "x")->bytes <= 4 * 32);
}

/* An index that is multiplied names rows: the table is as large as their number asks
 * for, or their number fits the table. */
static void test_indices_of_rows(void **state) {
  (void)state;
  ww_trace_result r = complete("embed", "grid=400 block=128 dim=1000");
  const ww_buffer *tok = buffer(&r, "embed", "tok");
  assert_int_equal(tok->bytes, 4 * 400);
  assert_true(tok->fill.hi > 1000 && tok->fill.hi * 4000 <= 1 << 28);
  expect_size(&r, "embed", "table", (uint64_t)(4000 * tok->fill.hi), 0);
  r = complete("embed", "grid=400 block=128 dim=1000 table=[32000*dim]");
  expect_said(&r, "tok: integers in [0, 32000), as they index other buffers");
}

/* Integers are what becomes of them, and none is larger than its type holds. */
static void test_likely_integers(void **state) {
  (void)state;
  ww_trace_result r = complete("bytes", "grid=4000 block=128 n=500000");
  expect_said(&r, "x: integers in [0, 256), as they index other buffers");
  r = complete("kinds", "grid=40 block=128 n=5000");
  expect_said(&r, "kind: integers in [0, 2), around what they are compared with");
  r = complete("lookup", "grid=40 block=128 n=5000 m=4096");
  assert_int_equal(buffer(&r, "lookup", "sorted")->fill.kind, WW_FILL_MONOTONE);
  assert_true(buffer(&r, "lookup", "keys")->fill.hi <=
              buffer(&r, "lookup", "sorted")->fill.hi + 1);
  r = complete("step", "grid=40 block=128 n=5000 level=3 row=[n+1] depth=[n]");
  assert_int_equal(buffer(&r, "step", "row")->fill.kind, WW_FILL_MONOTONE);
  expect_said(&r, "depth: integers in [0, 6), around what they are compared with");
  r = complete("insert", "grid=40 block=128 n=5000 mask=4095");
  assert_true(buffer(&r, "insert", "keys")->fill.hi > 1 << 20);
  assert_int_equal(buffer(&r, "insert", "table")->bytes, 4 * 4096);
  r = complete("chase", "grid=4 block=64 hops=10 next=[256] out=[256]");
  assert_int_equal(buffer(&r, "chase", "next")->fill.kind, WW_FILL_PERMUTATION);
  complete("root", "grid=40 block=128 n=5000 parent=[n]");
}

static uint8_t decides(const ww_trace_result *r, const char *kernel, const char *arg) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  for (uint32_t k = 0; k < r->assumed.deciding.n; k++)
    if (!strcmp(fn->params[r->assumed.deciding.v[k].arg].name, arg))
      return r->assumed.deciding.v[k].decides;
  return 0;
}

/* Which contents decide how a kernel runs; none that were given. */
static void test_what_contents_decide(void **state) {
  (void)state;
  ww_trace_result r = analysed("copy", "grid=79 block=128 n=10000");
  assert_int_equal(r.assumed.deciding.n, 0);
  r = analysed("plane", "grid=20,40 block=16,8 w=320 h=320");
  assert_int_equal(r.assumed.deciding.n, 0);
  r = analysed("gather", "grid=79 block=128 n=10000");
  assert_int_equal(decides(&r, "gather", "index"), WW_DECIDES_ADDRESSES);
  assert_int_equal(decides(&r, "gather", "x"), 0);
  r = analysed("gather", "grid=79 block=128 n=10000 index=[n]:permutation x=[n]");
  assert_int_equal(r.assumed.deciding.n, 0);
  r = analysed("kinds", "grid=40 block=128 n=5000");
  assert_int_equal(decides(&r, "kinds", "kind"), WW_DECIDES_BRANCHES);
  assert_int_equal(decides(&r, "kinds", "x"), 0);
  r = analysed("spmv", "grid=79 block=128 rows=10000");
  assert_true(decides(&r, "spmv", "start") & WW_DECIDES_LOOPS);
  assert_int_equal(decides(&r, "spmv", "col"), WW_DECIDES_ADDRESSES);
  r = analysed("ragged", "grid=40 block=128 n=5000");
  assert_true(decides(&r, "ragged", "length") & WW_DECIDES_LOOPS);
}

/* Assumed contents that lead outside cost no answer; given ones do. */
static void test_outside_is_taken_inside(void **state) {
  (void)state;
  ww_trace_result r;
  ww_err e = {0};
  const char *launch = "grid=4 block=64 n=256 index=[n] x=[20] y=[n]";
  assert_int_equal(run("squares", launch, false, &r, &e), WW_OK);
  assert_non_null(ww_assumptions_find(&r.assumed.list, WW_ASSUME_TAKEN_INSIDE));
  assert_int_equal(run("pointers", "grid=4 block=64 n=256 y=[n]", false, &r, &e),
                   WW_OK);
  assert_non_null(ww_assumptions_find(&r.assumed.list, WW_ASSUME_TAKEN_INSIDE));
  assert_int_equal(run("squares", "grid=4 block=64 n=256 index=[n]:zeros x=[20] y=[n]",
                       false, &r, &e),
                   WW_EDATA);
  assert_int_equal(
      run("squares", "grid=4 block=64 n=256 index=[n] x=[99] y=[99]", false, &r, &e),
      WW_EDATA);
  if (!strstr(e.msg, "of `y`, which has 396 bytes"))
    fail_msg("%s", e.msg);
}

/* A device has run the launch: given contents and sizes lead outside, and no answer is
 * lost for it. */
static void test_what_ran_is_answered(void **state) {
  (void)state;
  static const char launch[] = "grid=4 block=64 n=256 index=[n]:zeros x=[20] y=[99]";
  const ww_trace_options ran = {.ran = true};
  ww_trace_result r;
  ww_err e = {0};
  assert_int_equal(run("squares", launch, false, &r, &e), WW_EDATA);
  assert_int_equal(run_by("squares", launch, &ran, &r, &e), WW_OK);
  assert_non_null(ww_assumptions_find(&r.assumed.list, WW_ASSUME_TAKEN_INSIDE));
}

/* The first bytes of a recorded buffer tell what follows. */
static ww_fill recorded(const char *kernel,
                        const char *launch,
                        const char *arg,
                        const int32_t head[16]) {
  const ww_fn *fn = ww_ir_find(&unit.module, kernel);
  ww_trace_result r = {0};
  ww_err e = {0};
  if (source_launch(fn, launch, arena, &r.launch, &e))
    fail_msg("%s", e.msg);
  ww_buffer *b = (ww_buffer *)buffer(&r, kernel, arg);
  memcpy(b->head, head, b->head_n = sizeof b->head);
  if (ww_inputs_complete(&unit.module, fn, &r.launch, NULL, &r.assumed, arena, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(decides(&r, kernel, arg), 0); /* it is not in doubt */
  return buffer(&r, kernel, arg)->fill;
}

static void test_recorded_heads(void **state) {
  (void)state;
  int32_t head[16] = {0};
  const char *spmv = "grid=79 block=128 rows=10000 start=i32[rows+1] col=i32[50000] "
                     "val=[50000] x=[777] y=[rows]";
  ww_fill f = recorded("spmv", spmv, "col", head);
  assert_int_equal(f.kind, WW_FILL_ZEROS);
  for (int k = 0; k < 16; k++)
    head[k] = 7;
  f = recorded("spmv", spmv, "col", head);
  assert_true(f.kind == WW_FILL_UNIFORM && f.lo == 7 && f.hi == 8);
  for (int k = 0; k < 16; k++)
    head[k] = 5 * k;
  f = recorded("spmv", spmv, "start", head);
  assert_true(f.kind == WW_FILL_MONOTONE && f.lo == 0 && f.hi == 50000);
  f = recorded("gather", "grid=79 block=128 n=10000 index=i32[n] x=[60000] y=[n]",
               "index", head);
  assert_true(f.kind == WW_FILL_MONOTONE && f.hi == 5 * 9999);
  for (int k = 0; k < 16; k++)
    head[k] = k * 7919 % 700;
  f = recorded("spmv", spmv, "col", head);
  assert_true(f.kind == WW_FILL_UNIFORM && f.lo == 0 && f.hi == 777);
  for (int k = 0; k < 16; k++)
    head[k] = k;
  f = recorded("gather", "grid=79 block=128 n=10000 index=i32[n] x=[n] y=[n]", "index",
               head);
  assert_int_equal(f.kind, WW_FILL_INDEX);
}

/* ---- shape and scalars ---- */

#define FITS " blocks, as many as have work with what was given"
#define SIZED " blocks, as many as have work with the sizes below"

static void test_no_launch_at_all(void **state) {
  (void)state;
  ww_trace_result r = complete("copy", "block=256");
  assert_int_equal(r.launch.grid[0], 4096);
  expect_said(&r, "grid: 4096 x 1 x 1" SIZED);
  expect_said(&r, "n: 1048576, as a usual size of what the grid covers");
  r = complete("copy", "grid=4096 block=256");
  expect_said(&r, "n: 1048576, the number of threads");
  r = complete("copy", "n=5000");
  assert_int_equal(r.launch.block[0], 256);
  expect_said(&r, "block: 256 x 1 x 1 threads, as none was given");
  expect_size(&r, "copy", "x", 20000, 0);
  r = complete("plane", "grid=20,40 block=16,8");
  expect_said(&r, "w: 320, the threads along its axis");
  expect_said(&r, "h: 320, the threads along its axis");
}

/* ---- what is given is taken at its word ---- */

static void
expect_fault(const char *kernel, const char *launch, const char *part, uint32_t line) {
  ww_trace_result r;
  for (int full = 0; full < 2; full++) {
    ww_err e = {0};
    ww_status st = run(kernel, launch, full, &r, &e);
    if (st != WW_EDATA)
      fail_msg("%s, %s: %s", kernel, launch, st ? e.msg : "no fault");
    if (!strstr(e.msg, part))
      fail_msg("`%s` does not say `%s`", e.msg, part);
    if (strstr(e.msg, "assumed"))
      fail_msg("`%s` blames an assumption", e.msg);
    if (e.line != line || !e.file || !strstr(e.file, "inputs.cu"))
      fail_msg("`%s` is said of line %u of %s, not %u", e.msg, e.line,
               e.file ? e.file : "?", line);
  }
}

static void test_textures(void **state) {
  (void)state;
  ww_trace_result r = complete("textured", "");
  expect_said(&r, "picture: random integers");
  expect_said(&r, "w: 1024, as a usual size of what the grid covers");
}

/* Its sizes are the grid's, its pointers lead somewhere. */
static void test_structs_by_value(void **state) {
  (void)state;
  ww_trace_result r = complete("by_struct", "");
  expect_said(&r,
              "p: a struct of 32 bytes whose integers are 1024 and other numbers 1; "
              "give it in a launch spec");
  expect_said(&r, "p+16: zeros");
  assert_true(r.sampled.tally.c.global_st_bytes == 4 * 1024 * 1024);
}

static void test_what_has_no_effect(void **state) {
  (void)state;
  ww_trace_result r = complete("for_nothing", "");
  const char *sentence =
      "for_nothing stores nothing: the compiler leaves out what it computes";
  expect_said(&r, sentence);
  r = analysed("copy", "");
  assert_false(
      said(&r, "copy stores nothing: the compiler leaves out what it computes"));
}

static void test_sorted_is_no_row_pointer(void **state) {
  (void)state;
  ww_trace_result r = analysed("looked_up", "");
  expect_said(&r, "sorted: sorted, rising from 0 to 1073741823");
  expect_said(&r, "keys: integers in [0, 1073741824)");
}

static void test_given_contents_may_fault(void **state) {
  (void)state;
  expect_fault(
      "gather",
      "grid=79 block=128 n=10000 index=i32[n]:uniform(0,200) x=[100]:zeros y=[n]:zeros",
      "of `x`, which has 400 bytes", 54);
  expect_fault("gather",
               "grid=79 block=128 n=10000 index=i32[n]:index x=[100]:zeros y=[n]:zeros",
               "of `x`, which has 400 bytes", 54);
  expect_fault("overrun", "grid=79 block=128 n=1 y=[10000]:zeros",
               "store of 4 bytes at byte 40000 of `y`, which has 40000 bytes", 97);
}

/* Sizes alone decide here: the contents nobody gave have no part in it. */
static void test_given_sizes_may_fault(void **state) {
  (void)state;
  ww_trace_result r;
  ww_err e = {0};
  assert_int_equal(run("overrun", "grid=79 block=128 n=1 y=[10000]", false, &r, &e),
                   WW_EDATA);
  assert_int_equal(e.line, 97);
  e = (ww_err){0};
  assert_int_equal(run("copy", "grid=79 block=128 n=10000 x=[n] y=[n-1]", true, &r, &e),
                   WW_EDATA);
  if (!strstr(e.msg, "of `y`"))
    fail_msg("%s", e.msg);
}

static void test_bad_launches(void **state) {
  (void)state;
  ww_trace_result r;
  ww_err e = {0};
  assert_int_equal(run("copy", "grid=79 block=2000 n=10000", false, &r, &e), WW_EUSAGE);
  assert_int_equal(run("copy", "grid=79 block=128 n=i32[100]", false, &r, &e),
                   WW_EUSAGE);
  if (!strstr(e.msg, "not a pointer"))
    fail_msg("%s", e.msg);
  assert_int_equal(run("copy", "grid=79 block=128 x=5", false, &r, &e), WW_EUSAGE);
}

static void expect_grid(const char *kernel, const char *launch, const char *sentence) {
  ww_trace_result r = analysed(kernel, launch);
  expect_said(&r, sentence);
}

/* Who gives a size and no grid means a launch that covers it. */
static void test_a_grid_that_covers_what_was_given(void **state) {
  (void)state;
  expect_grid("cover", "n=1<<24", "grid: 65536 x 1 x 1" FITS);
  expect_grid("cover", "n=1000", "grid: 4 x 1 x 1" FITS);
  expect_grid("cover", "n=1000 block=64", "grid: 16 x 1 x 1" FITS);
  expect_grid("cover_plane", "width=3840 height=2160", "grid: 240 x 135 x 1" FITS);
  expect_grid("cover_plane", "height=2160", "grid: 64 x 135 x 1" SIZED);
  expect_grid("cover_rows", "rows=8192", "grid: 1024 x 1 x 1" FITS);
  expect_grid("go_round", "n=1000", "grid: 4 x 1 x 1" FITS);
  /* threads that go round: no more of them than fill a GPU */
  expect_grid("go_round", "n=1<<28", "grid: 512 x 1 x 1 blocks, as none was given");
  expect_grid("cover_rows", "cols=64", "grid: 512 x 1 x 1" SIZED);
  /* blocks behind the last row load what other rows need, and write nothing */
  expect_grid("tiles_loaded", "m=4096 n=2048 k=64", "grid: 128 x 256 x 1" FITS);
  ww_trace_result r = analysed("cover", "n=1000 grid=7 block=32");
  assert_int_equal(r.launch.grid[0], 7);
}

/* A row is not as long as the grid has threads, and a radius is small. */
static void test_usual_lengths(void **state) {
  (void)state;
  expect_grid("cover_rows", "", "cols: 1024, as a row of usual length");
  expect_grid("cover_plane", "", "r: 3");
  expect_grid("normed", "", "C: 1024, as a row of usual length");
  expect_grid("cover_rows", "", "rows: 4096, as a usual number of rows");
  expect_grid("sum_pairs", "", "n: 16384, as a usual size of what the grid covers");
  expect_grid("square", "", "n: 1024, as a usual size of what the grid covers");
  expect_grid("in_fours", "", "n: 4194304, as a usual size of what the grid covers");
  expect_grid("march", "", "steps: 100, as a usual number of turns");
  expect_grid("row_each", "", "grid: 128 x 1 x 1" SIZED);
  expect_grid("short_rows", "", "n: 256");
  expect_grid("down_columns", "", "w: 8192, as a usual size of what the grid covers");
  expect_grid("down_columns", "", "h: 1024, as a usual number of turns");
  expect_grid("warp_each", "", "m: 16384, as a usual number of rows");
  expect_grid("channels", "", "w: 256, as a usual size of what the grid covers");
  expect_grid("channels", "", "c: 16, as a usual number of rows");
}

/* A number that is compared with a thread's index is no row where the index begins
 * somewhere else, nor one that each thread goes through where a search halves it. */
static void test_totals(void **state) {
  (void)state;
  expect_grid("halves", "", "m: 1048576");
  expect_grid("halves", "", "n: 1048576, as a usual size of what the grid covers");
  expect_grid("narrows", "", "m: 1048576");
  expect_grid("segments", "", "total: 1048576");
  expect_grid("both_ways", "", "most: 1024, as a row of usual length");
  ww_trace_result r = analysed("merge", "");
  expect_said(&r, "n: 1048576, as a usual size of what the grid covers");
  expect_size(&r, "merge", "row", 4 * (1048576 + 1), 0);
  r = analysed("look_up", "");
  expect_said(&r, "width: 128");
  /* a table of as many rows as are looked up in it */
  expect_size(&r, "look_up", "from", 4096 * 128 * 4, 0);
  r = analysed("lowest_bits", "grid=4 block=64");
  assert_true(buffer(&r, "lowest_bits", "x")->bytes <= 4 * (32 * 8 + 1));
}

/* Sizes of a matrix that blocks share, of links, of pairs, of a cube. */
static void test_usual_shapes(void **state) {
  (void)state;
  expect_grid("down_together", "", "n: 8192, as a usual size of what the grid covers");
  expect_grid("down_together", "", "m: 1024, as a row of usual length");
  expect_grid("follow", "", "items: 32768, as a usual size of what the grid covers");
  expect_grid("pairs_in_tiles", "", "n: 16384, as a usual number of turns");
  expect_grid("pairs_in_tiles", "", "grid: 128 x 1 x 1 blocks, as none was given");
  expect_grid("inside_cube", "", "n: 256, as a usual size of what the grid covers");
  expect_grid("inside_cube", "", "grid: 8 x 64 x 255" SIZED);
  expect_grid("frames", "", "n: 2097152, as a usual number of rows");
  expect_grid("frames", "", "grid: 2048 x 1 x 1" SIZED);
  expect_grid("by_heads", "", "heads: 16, as a usual number of rows");
  expect_grid("by_rows", "", "h: 1024, as a usual number of rows");
}

/* Where the work ends although a block far behind it, or none beside the first, works.
 */
static void test_ends_of_the_work(void **state) {
  (void)state;
  expect_grid("all_count", "", "grid: 4096 x 1 x 1" SIZED);
  expect_grid("far_blocks", "n=1<<20", "grid: 1024 x 1 x 1" FITS);
  expect_grid("above_diagonal", "n=1024", "grid: 32 x 32 x 1" FITS);
}

/* Blocks that share out work or wait for one another fill a GPU, whatever the work. */
static void test_grids_that_fill(void **state) {
  (void)state;
  /* a grid that says where something lies is no loop over it */
  expect_grid("few_counters", "", "grid: 4096 x 1 x 1" SIZED);
  expect_grid("by_rank", "", "grid: 4096 x 1 x 1" SIZED);
  expect_grid("from_queue", "", "grid: 512 x 1 x 1 blocks, as none was given");
  expect_grid("in_turn", "", "grid: 512 x 1 x 1 blocks, as none was given");
  expect_grid("together", "", "blocks: 512");
}

/* The block that the code's constants are written for. */
static void test_blocks_of_the_code(void **state) {
  (void)state;
#define ASKED " threads, as the code's constants ask for"
  expect_grid("blocks_of_512", "", "block: 512 x 1 x 1" ASKED);
  expect_grid("steps_of_128", "", "block: 128 x 1 x 1" ASKED);
  expect_grid("array_of_64", "", "block: 64 x 1 x 1" ASKED);
  expect_grid("rows_of_8", "", "block: 32 x 8 x 1" ASKED);
  expect_grid("last_of_128", "", "block: 128 x 1 x 1" ASKED);
  expect_grid("bounded_512", "", "block: 512 x 1 x 1" ASKED);
  expect_grid("by_itself", "", "block: 1 x 1 x 1" ASKED);
  expect_grid("cover", "", "block: 256 x 1 x 1 threads, as none was given");
  expect_grid("steps_of_a_warp", "", "block: 32 x 8 x 1" ASKED);
  /* what only some of the threads do says nothing of how many there are */
  expect_grid("few_counters", "", "block: 256 x 1 x 1 threads, as none was given");
  expect_grid("by_rank", "", "block: 256 x 1 x 1 threads, as none was given");
  expect_grid("rank_and_rows", "", "block: 16 x 16 x 1 threads, as none was given");
  /* one block, as nothing tells it from others */
  expect_grid("one_block", "", "grid: 1 x 1 x 1 blocks, as none was given");
  /* what was given is kept */
  ww_trace_result r = analysed("blocks_of_512", "block=256");
  assert_int_equal(r.launch.block[0], 256);
}

/* No answer is better than one about hundreds of gigabytes. */
static void test_sizes_beyond_all_guesses(void **state) {
  (void)state;
  ww_trace_result r;
  ww_err e = {0};
  assert_int_equal(run("four_deep", "a=8192 b=24576", false, &r, &e), WW_EUSAGE);
  if (!strstr(e.msg, "give them: --arg c=... --arg d=..."))
    fail_msg("%s", e.msg);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_sizes),
      RIG_TEST(test_sizes_by_analysis),
      RIG_TEST(test_sizes_on_more_axes),
      RIG_TEST(test_row_pointers),
      RIG_TEST(test_given_sizes_are_kept),
      RIG_TEST(test_indices),
      RIG_TEST(test_queues_and_bounds),
      RIG_TEST(test_indices_of_rows),
      RIG_TEST(test_likely_integers),
      RIG_TEST(test_what_contents_decide),
      RIG_TEST(test_outside_is_taken_inside),
      RIG_TEST(test_what_ran_is_answered),
      RIG_TEST(test_recorded_heads),
      RIG_TEST(test_no_launch_at_all),
      RIG_TEST(test_textures),
      RIG_TEST(test_what_has_no_effect),
      RIG_TEST(test_structs_by_value),
      RIG_TEST(test_sorted_is_no_row_pointer),
      RIG_TEST(test_given_contents_may_fault),
      RIG_TEST(test_given_sizes_may_fault),
      RIG_TEST(test_bad_launches),
      RIG_TEST(test_a_grid_that_covers_what_was_given),
      RIG_TEST(test_usual_lengths),
      RIG_TEST(test_totals),
      RIG_TEST(test_usual_shapes),
      RIG_TEST(test_ends_of_the_work),
      RIG_TEST(test_grids_that_fill),
      RIG_TEST(test_blocks_of_the_code),
      RIG_TEST(test_sizes_beyond_all_guesses),
  };
  return cmocka_run_group_tests(tests, load, source_unload);
}
