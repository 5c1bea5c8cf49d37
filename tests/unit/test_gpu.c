/* test_gpu.c - GPU descriptions: the shipped ones are plausible, what is written is
 * read back, errors name the member. `test_gpu --write docs/gpus.md` rewrites that
 * page's tables (make docs).
 */
#include "unit.h"

#include <stdlib.h>

#include "../../src/gpu/gpu.h"
#include "../../src/measure/probe.h"

#define HEAD                                                                         \
  "{\"name\":\"x\",\"full_name\":\"X\",\"vendor\":\"nvidia\",\"architecture\":\"sm_" \
  "90\","                                                                            \
  "\"lanes\":32,\"sms\":132"

static ww_gpu parsed(ww_arena *a, const char *text) {
  ww_gpu g;
  ww_err e = {0};
  if (ww_gpu_parse(text, strlen(text), a, &g, &e))
    fail_msg("%s: %s", text, e.msg);
  return g;
}

static void plain_and_sourced_numbers(void **state) {
  ww_gpu g = parsed(
      *state, HEAD
      ",\"l2\":{\"bytes\":52428800,\"latency\":{\"value\":245,\"source\":\"probe\"}},"
      "\"ops\":{\"ffma\":{\"issue\":1}},\"shared\":{\"carveouts_bytes\":[0,8192],"
      "\"conflict\":{\"values\":[[1,1],[2,2.5]],\"source\":\"estimate\"}}}");
  assert_true(g.l2_bytes == 52428800 && g.l2_latency == 245 &&
              g.issue[WW_GPU_OP_ffma] == 1);
  assert_true(isnan(g.latency[WW_GPU_OP_ffma]) && isnan(g.dram_read) &&
              isnan(g.math_issue[WW_GPU_MATH_div_f32]));
  assert_string_equal(g.source[ww_figure_named("l2.latency")], "probe");
  assert_null(g.source[ww_figure_named("l2.bytes")]);
  assert_int_equal(g.carveouts.n, 2);
  assert_null(g.carveouts.y);
  assert_true(g.shared_conflict.n == 2 && g.shared_conflict.y[1] == 2.5);
  assert_string_equal(g.shared_conflict.source, "estimate");
  assert_int_equal(g.dram_by_warps.n, 0);
  assert_null(g.calibrated);
}

static void grades_follow_what_it_was_calibrated_by(void **state) {
  ww_gpu g = parsed(*state, HEAD "}");
  assert_int_equal(ww_gpu_grade(&g), WW_GRADE_paper);
  g = parsed(*state, HEAD ",\"calibrated\":\"times of a paper\"}");
  assert_int_equal(ww_gpu_grade(&g), WW_GRADE_fitted);
  g = parsed(*state, HEAD ",\"calibrated\":\"calibration on an X, 2026-11-20\"}");
  assert_int_equal(ww_gpu_grade(&g), WW_GRADE_calibrated);
  g = parsed(*state, HEAD ",\"calibrated\":\"probe of an X, 2026-11-20\"}");
  assert_int_equal(ww_gpu_grade(&g), WW_GRADE_probed);
  assert_int_equal(ww_grade_named("from paper"), WW_GRADE_paper);
  assert_int_equal(ww_grade_named("probed"), WW_GRADE_probed);
  assert_int_equal(ww_grade_named("guessed"), -1);
}

static void errors_name_the_member(void **state) {
  static const struct {
    const char *text, *want;
  } rows[] = {
      {"[1]", "a GPU description is a JSON object"},
      {"{\"name\":\"x\"}", "full_name is missing"},
      {"{\"name\":\"x\",\"full_name\":\"X\",\"vendor\":\"nvidia\",\"architecture\":"
       "\"sm_90\","
       "\"lanes\":32}",
       "sms is missing"},
      {"{\"name\":\"x\",\"full_name\":\"X\",\"vendor\":\"v\",\"architecture\":\"a\","
       "\"lanes\":16,"
       "\"sms\":1}",
       "lanes: expected 32 or 64, not 16"},
      {HEAD ",\"l2\":{\"bites\":1}}", "l2.bites: no figure is called so"},
      {HEAD ",\"l3x\":{}}", "l3x: no figure is called so"},
      {HEAD ",\"l2\":{\"bytes\":\"50 MB\"}}", "l2.bytes: expected a number"},
      {HEAD ",\"l2\":{\"bytes\":{\"value\":null}}}", "l2.bytes: expected a number"},
      {HEAD ",\"l2\":{\"bytes\":{\"source\":\"x\"}}}", "l2.bytes.value is missing"},
      {HEAD ",\"l2\":{\"bytes\":{\"value\":99999999,\"note\":1}}}", "note"},
      {HEAD ",\"l2\":{\"bytes\":4}}", "l2.bytes: expected 65536 to 1e+10 byte, not 4"},
      {HEAD ",\"l2\":7}", "l2: expected an object"},
      {HEAD ",\"ops\":{\"ffma\":{\"rate\":1}}}",
       "ops.ffma.rate: no figure is called so"},
      {HEAD ",\"shared\":{\"conflict\":[[1,1],[1,2]]}}",
       "shared.conflict[1]: expected more than 1"},
      {HEAD ",\"shared\":{\"conflict\":[1,2]}}",
       "shared.conflict[0]: expected [ways, cycles]"},
      {HEAD ",\"shared\":{\"carveouts_bytes\":8192}}",
       "shared.carveouts_bytes: expected an array"},
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_gpu g;
    ww_err e = {0};
    if (ww_gpu_parse(rows[k].text, strlen(rows[k].text), *state, &g, &e) != WW_EPARSE)
      fail_msg("row %zu is taken: %s", k, rows[k].text);
    if (!strstr(e.msg, rows[k].want))
      fail_msg("row %zu: \"%s\" does not say \"%s\"", k, e.msg, rows[k].want);
  }
}

/* Every figure set to a value of its own, written and read back. */
static void round_trip(void **state) {
  ww_gpu g, back;
  ww_err e = {0};
  ww_gpu_init(&g);
  g.name = "x";
  g.full_name = "X \"quoted\"";
  g.vendor = "amd";
  g.architecture = "gfx90a";
  g.lanes = 64;
  g.sms = 7;
  g.calibrated = "probe";
  g.notes = "two\nlines";
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
    const ww_figure *f = &ww_gpu_figures[i];
    double share =
        (i % 97 + 1) / 100.0; /* neighbours differ, so that a swapped offset shows */
    if (i % 5 != 4)
      ww_figure_set(&g, i, f->least + share * (f->most - f->least),
                    i % 3 ? "datasheet" : NULL);
  }
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    static double x[3] = {1, 2.5, 1e9}, y[3] = {0.1, 3, 7};
    *ww_curve_at(&g, i) = (ww_curve){x, ww_gpu_curves[i].unit_y ? y : NULL, i % 4,
                                     i % 2 ? "probe" : NULL};
  }
  for (int pretty = 0; pretty < 2; pretty++) {
    ww_buf b = {0};
    ww_gpu_write(&g, pretty, &b);
    if (ww_gpu_parse(b.s, b.n, *state, &back, &e))
      fail_msg("%s in %s", e.msg, b.s);
    ww_buf_free(&b);
    for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
      double v = ww_figure_of(&g, i), w = ww_figure_of(&back, i);
      if (v != w && !(isnan(v) && isnan(w)))
        fail_msg("%s: %g became %g", ww_gpu_figures[i].path, v, w);
      if (!isnan(v) && (!g.source[i] != !back.source[i]))
        fail_msg("%s: source lost", ww_gpu_figures[i].path);
    }
    for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
      const ww_curve *c = ww_curve_at(&g, i), *d = ww_curve_at(&back, i);
      assert_int_equal(c->n, d->n);
      for (uint32_t k = 0; k < c->n; k++)
        assert_true(c->x[k] == d->x[k] && (!c->y || c->y[k] == d->y[k]));
    }
    assert_string_equal(back.full_name, g.full_name);
    assert_string_equal(back.notes, g.notes);
    assert_true(back.lanes == 64 && back.sms == 7);
  }
}

/* measured / from the units, within `share` */
static void consistent(const ww_gpu *g,
                       const char *what,
                       double peak,
                       double flops_per_lane,
                       double issue,
                       double share) {
  if (isnan(peak) || isnan(issue))
    return;
  double units =
      g->sms * g->subcores * g->lanes / issue * flops_per_lane * g->boost_mhz / 1e6;
  if (fabs(peak / units - 1) > share)
    fail_msg("%s %s: the peak is %g, the units give %g TFLOP/s", g->name, what, peak,
             units);
}

static void shipped_descriptions_are_plausible(void **state) {
  const char **names;
  uint32_t n = ww_gpu_names(*state, &names);
  assert_true(n >= 18);
  for (uint32_t k = 0; k < n; k++) {
    ww_gpu g;
    ww_err e = {0};
    if (ww_gpu_load(names[k], *state, &g, &e))
      fail_msg("%s: %s", names[k], e.msg);
    check_text(g.name, names[k], k);
    double packing = isnan(g.fp32_packing) ? 1 : g.fp32_packing;
    consistent(&g, "fp32", g.peak_fp32, 2 * packing, g.issue[WW_GPU_OP_ffma], 0.1);
    consistent(&g, "fp64", g.peak_fp64, 2, g.issue[WW_GPU_OP_dfma], 0.1);
    /* these reach their peaks of half precision by other instructions */
    bool otherwise =
        !strcmp(g.architecture, "sm_90") || !strcmp(g.architecture, "sm_100");
    if (!strcmp(g.vendor, "nvidia") && !otherwise) {
      consistent(&g, "fp16", g.peak_fp16, 4, g.issue[WW_GPU_OP_hfma2], 0.1);
      consistent(&g, "tensor fp16", g.peak_tensor_fp16, 128, g.issue[WW_GPU_OP_mma_f16],
                 0.1);
    }
    for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++)
      if (!isnan(ww_figure_of(&g, i)) && !g.source[i])
        fail_msg("%s: %s has no source", g.name, ww_gpu_figures[i].path);
    assert_true(g.dram_read <= g.dram_peak && g.max_warps * g.lanes == g.max_threads);
    assert_true(g.l1_latency < g.l2_latency && g.l2_latency < g.dram_latency &&
                g.dram_peak < g.l2_gbps);
    if (g.carveouts.n)
      assert_true(g.carveouts.x[g.carveouts.n - 1] == g.shared_max &&
                  g.shared_max < g.l1_bytes);
  }
}

/* What an SM holds, by its architecture: cuda_occupancy.h, and AMD's guides. */
static void architectures_have_their_limits(void **state) {
  static const struct {
    const char *architecture;
    double threads, blocks, shared, reserved, granule, l1;
  } rows[] = {{"sm_70", 2048, 32, 98304, 0, 256, 131072},
              {"sm_75", 1024, 16, 65536, 0, 256, 98304},
              {"sm_80", 2048, 32, 167936, 1024, 128, 196608},
              {"sm_86", 1536, 16, 102400, 1024, 128, 131072},
              {"sm_89", 1536, 24, 102400, 1024, 128, 131072},
              {"sm_90", 2048, 32, 233472, 1024, 128, 262144},
              {"sm_100", 2048, 32, 233472, 1024, 128, 262144},
              {"sm_120", 1536, 24, 102400, 1024, 128, 131072},
              {"gfx90a", 2048, 16, 65536, 0, 512, 16384},
              {"gfx942", 2048, 16, 65536, 0, 512, 32768},
              {"gfx950", 2048, 16, 163840, 0, 512, 32768}};
  const char **names;
  uint32_t n = ww_gpu_names(*state, &names);
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    uint32_t seen = 0;
    for (uint32_t k = 0; k < n; k++) {
      ww_gpu g;
      if (ww_gpu_load(names[k], *state, &g, NULL) ||
          strcmp(g.architecture, rows[r].architecture))
        continue;
      seen++;
      if (g.max_threads != rows[r].threads || g.max_blocks != rows[r].blocks ||
          g.shared_max != rows[r].shared || g.shared_reserved != rows[r].reserved ||
          g.shared_granule != rows[r].granule || g.l1_bytes != rows[r].l1)
        fail_msg("%s is not as other %s", g.name, g.architecture);
    }
    if (!seen)
      fail_msg("no description is of %s", rows[r].architecture);
  }
}

/* Case, blanks and dashes do not matter; what is not known is told with what it is
 * like. */
static void names_in_any_spelling(void **state) {
  static const struct {
    const char *given, *name;
  } rows[] = {{"H100", "h100"},        {"RTX 4090", "rtx4090"},
              {"rtx-4090", "rtx4090"}, {"GeForce RTX 5090", "rtx5090"},
              {"Mi300X", "mi300x"},    {"h1000", NULL},
              {"4090", NULL},          {"zx-spectrum", NULL}};
  static const char *const told[] = {"did you mean h100?", "did you mean rtx4090?",
                                     "known are a10, a100"};
  uint32_t missed = 0;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_gpu g;
    ww_err e = {0};
    ww_status st = ww_gpu_load(rows[k].given, *state, &g, &e);
    if (!st != !!rows[k].name)
      fail_msg("%s: %s", rows[k].given, e.msg);
    if (rows[k].name)
      assert_string_equal(g.name, rows[k].name);
    else if (!strstr(e.msg, told[missed++]))
      fail_msg("%s: %s", rows[k].given, e.msg);
  }
}

static void devices_find_their_description(void **state) {
  static const struct {
    const char *device, *name;
    uint32_t sms;
  } rows[] = {{"NVIDIA H200", "h200", 132},
              {"NVIDIA H100 80GB HBM3", "h100", 132},
              {"NVIDIA H100 PCIe", NULL, 114},
              {"NVIDIA GeForce RTX 3080", "rtx3080", 68},
              {"NVIDIA A100-SXM4-80GB", "a100", 0},
              {"NVIDIA A10", "a10", 0},
              {"NVIDIA A10G", NULL, 0},
              {"NVIDIA GeForce RTX 3080 Ti", NULL, 0},
              {"NVIDIA L40S", "l40s", 142},
              {"NVIDIA L40", NULL, 142},
              {"NVIDIA L4", "l4", 58},
              {"Tesla T4", "t4", 40},
              {"Tesla V100-SXM2-32GB", "v100", 80},
              {"NVIDIA GH200 480GB", "gh200", 132},
              {"NVIDIA GeForce RTX 4090 Laptop GPU", NULL, 76},
              {"AMD Instinct MI300X", "mi300x", 304}};
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const char *name = ww_gpu_for_device(rows[k].device, rows[k].sms, *state);
    if (!name != !rows[k].name || (name && strcmp(name, rows[k].name)))
      fail_msg("%s gives %s", rows[k].device, name ? name : "none");
  }
}

static void curves_interpolate(void **state) {
  (void)state;
  double x[] = {1, 4, 16}, y[] = {10, 20, 60};
  ww_curve c = {x, y, 3, NULL};
  assert_true(ww_curve_at_x(&c, 0.5) == 10 && ww_curve_at_x(&c, 100) == 60 &&
              ww_curve_at_x(&c, 4) == 20);
  assert_true(fabs(ww_curve_at_x(&c, 2) - 15) < 1e-9 &&
              fabs(ww_curve_at_x(&c, 8) - 40) < 1e-9);
  assert_true(isnan(ww_curve_at_x(&(ww_curve){0}, 1)));
}

/* Points by path become figures and curves with the probe as their source; what was not
 * measured stays. */
static void a_probe_goes_over_a_description(void **state) {
  ww_arena *a = *state;
  ww_probe p = {.device = "NVIDIA X",
                .architecture = "sm_99",
                .date = "2026-11-20",
                .sms = 10,
                .lanes = 32},
           back;
  ww_gpu g = parsed(a, HEAD ",\"l2\":{\"latency\":{\"value\":100,\"source\":"
                            "\"estimate\"},\"line_bytes\":128}}");
  ww_probe_add(&p, a, "l2.latency", NAN, 245.678);
  ww_probe_add(&p, a, "l2.bytes", NAN, 52428800);
  ww_probe_add(&p, a, "ops.ffma.issue", NAN, 1.0123);
  ww_probe_add(&p, a, "ops.fadd.issue", NAN, NAN);   /* dropped */
  ww_probe_add(&p, a, "dram.latency", NAN, -3);      /* out of range: not taken */
  ww_probe_add(&p, a, "clock.measured_mhz", NAN, 5); /* no figure: for readers */
  ww_probe_add(&p, a, "shared.conflict", 2, 2.004);
  ww_probe_add(&p, a, "shared.conflict", 1, 1);
  ww_push(a, &p.gaps, ((ww_probe_gap){"ops.redux", "no such instruction"}));
  ww_buf b = {0};
  ww_json j = {0};
  ww_err e = {0};
  ww_json_begin(&j, &b);
  ww_probe_write(&p, &j);
  if (ww_probe_parse(b.s, b.n, a, &back, &e))
    fail_msg("%s", e.msg);
  assert_int_equal(back.points.n, 7);
  assert_non_null(strstr(b.s, "no such instruction"));
  ww_buf_free(&b);
  ww_probe_distill(&back, a, &g);
  assert_true(g.l2_latency == 246 && g.l2_bytes == 52428800 && g.l2_line == 128 &&
              g.issue[WW_GPU_OP_ffma] == 1.01);
  assert_string_equal(g.source[ww_figure_named("l2.latency")], "probe 2026-11-20");
  assert_true(isnan(g.dram_latency) && isnan(g.issue[WW_GPU_OP_fadd]));
  assert_true(g.shared_conflict.n == 2 && g.shared_conflict.x[0] == 1 &&
              g.shared_conflict.y[1] == 2);
  assert_string_equal(g.architecture, "sm_99");
  assert_true(g.sms == 10 && strstr(g.calibrated, "NVIDIA X"));
}

/* Bandwidth over occupancy of a memory with latency 300 ns (1 + 1.4 u^2) gives 1.4
 * back. */
static void queueing_is_found_from_bandwidth_over_occupancy(void **state) {
  ww_arena *a = *state;
  ww_probe p = {
      .device = "X", .architecture = "sm_90", .date = "d", .sms = 100, .lanes = 32};
  ww_gpu g = parsed(a, HEAD ",\"clock\":{\"boost_mhz\":2000}}");
  ww_probe_add(&p, a, "dram.read_gbps", NAN, 4000);
  for (double warps = 1; warps <= 16; warps *= 2) {
    double bw = 0; /* the fixed point of bw = bytes / latency(bw), by bisection */
    for (double step = 4000; step > 0.01; step /= 2)
      if ((bw + step) * 300 * (1 + 1.4 * (bw + step) * (bw + step) / 16e6) <
          warps * 32 * 16 * 100)
        bw += step;
    ww_probe_add(&p, a, "dram.read_gbps_by_warps", warps, bw);
  }
  ww_probe_distill(&p, a, &g);
  if (!(fabs(g.dram_queue - 1.4) < 0.15))
    fail_msg("k is %g", g.dram_queue);
}

static void figure_row(ww_buf *b,
                       const char *path,
                       const char *unit,
                       double otherwise,
                       const char *meaning) {
  char number[32] = "";
  if (!isnan(otherwise))
    snprintf(number, sizeof number, "%.10g", otherwise);
  ww_buf_fmt(b, "| `%s` | %s | %s | %s |\n", path, strcmp(unit, "1") ? unit : "",
             number, meaning);
}

/* gpu.def as the tables of docs/gpus.md. */
static void put_tables(ww_buf *b) {
  ww_buf_puts(b, "| figure | unit | without it | meaning |\n|---|---|---|---|\n");
#define FIGURE(field, path, unit, least, most, otherwise, meaning) \
  figure_row(b, path, unit, otherwise, meaning);
#include "../../src/gpu/gpu.def"
  ww_buf_puts(
      b, "\nLists and curves:\n\n| curve | from | to | meaning |\n|---|---|---|---|\n");
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    const ww_curve_info *c = &ww_gpu_curves[i];
    ww_buf_fmt(b, "| `%s` | %s | %s | %s |\n", c->path, c->unit_x,
               c->unit_y ? c->unit_y : "", c->meaning);
  }
  ww_buf_puts(
      b, "\nMachine instructions, each with `ops.NAME.issue` (cycles of a sub-core per "
         "warp instruction, all sub-cores of the SM\n"
         "busy) and `ops.NAME.latency` (cycles until a dependent instruction can "
         "issue):\n\n| name | meaning |\n|---|---|\n");
#define OP(name, meaning) ww_buf_fmt(b, "| `%s` | %s |\n", #name, meaning);
#include "../../src/gpu/gpu.def"
  ww_buf_puts(b, "\nOperations of the language, each with `math.NAME.instructions`, "
                 "`.flops_fp32`, "
                 "`.flops_fp64` (what the counters see, per lane),\n"
                 "`.issue` and `.latency`, on ordinary numbers:\n\n| name | meaning "
                 "|\n|---|---|\n");
#define MATH(name, meaning) ww_buf_fmt(b, "| `%s` | %s |\n", #name, meaning);
#include "../../src/gpu/gpu.def"
}

/* docs/gpus.md: what stands behind its marker is made from gpu.def. */
static ww_status docs_page(ww_arena *a, char **text, ww_buf *want, ww_err *e) {
  static const char marker[] = "<!-- table -->\n";
  ww_status st = ww_read_file(a, "docs/gpus.md", 1 << 20, text, NULL, e);
  char *at = st ? NULL : strstr(*text, marker);
  if (!st && !at)
    st = ww_fail(e, WW_EPARSE, "docs/gpus.md has no %s", marker);
  if (st)
    return st;
  ww_buf_add(want, *text, (size_t)(at - *text) + strlen(marker));
  ww_buf_puts(want, "\n");
  put_tables(want);
  return WW_OK;
}

static void docs_page_is_current(void **state) {
  char *text;
  ww_buf b = {0};
  ww_err e = {0};
  if (docs_page(*state, &text, &b, &e))
    fail_msg("%s", e.msg);
  int differ = strcmp(text, b.s);
  ww_buf_free(&b);
  if (differ)
    fail_msg("docs/gpus.md is not what gpu.def says: run `make docs`");
}

static void docs_example_parses(void **state) {
  char *text;
  ww_err e = {0};
  if (ww_read_file(*state, "docs/gpus.md", 1 << 20, &text, NULL, &e))
    fail_msg("%s", e.msg);
  char *at = strstr(text, "```json\n"), *end = at ? strstr(at + 8, "```") : NULL;
  assert_non_null(end);
  ww_gpu g = parsed(*state, ww_strndup(*state, at + 8, (size_t)(end - at - 8)));
  assert_true(g.l2_curve.n == 2);
}

static int write_docs(const char *path) {
  ww_arena *a = ww_arena_new();
  char *text;
  ww_buf b = {0};
  ww_err e = {0};
  ww_status st = docs_page(a, &text, &b, &e);
  if (!st)
    st = ww_write_file_atomic(path, b.s, b.n, &e);
  if (st)
    fprintf(stderr, "%s\n", e.msg);
  ww_buf_free(&b);
  ww_arena_free(a);
  return st != WW_OK;
}

int main(int argc, char **argv) {
  if (argc == 3 && strcmp(argv[1], "--write") == 0)
    return write_docs(argv[2]);
  const struct CMUnitTest tests[] = {
      TEST(plain_and_sourced_numbers),
      TEST(grades_follow_what_it_was_calibrated_by),
      TEST(errors_name_the_member),
      TEST(round_trip),
      TEST(shipped_descriptions_are_plausible),
      TEST(architectures_have_their_limits),
      TEST(names_in_any_spelling),
      TEST(devices_find_their_description),
      TEST(curves_interpolate),
      TEST(a_probe_goes_over_a_description),
      TEST(queueing_is_found_from_bandwidth_over_occupancy),
      TEST(docs_page_is_current),
      TEST(docs_example_parses)};
  return RUN(tests);
}
