/* test_roofline.c - roofs and places of kernels, the terminal plot's size, sweeps'
 * ranges, SVG that a browser can read. */
#include "unit.h"

#include <math.h>
#include <stdlib.h>

#include "../../src/predict/show/plot.h"
#include "../../src/predict/show/roofline.h"
#include "../../src/predict/show/show.h"
#include "../../src/predict/show/sweep.h"

static ww_gpu small_gpu(void) {
  ww_gpu g;
  ww_gpu_init(&g);
  g.name = "small";
  g.full_name = "Small <GPU> & co";
  g.lanes = 32;
  g.sms = 10;
  g.dram_peak = 1000;
  g.l2_gbps = 4000;
  g.peak_fp32 = 20;
  g.peak_fp64 = 10;
  g.peak_tensor_fp16 = 200;
  return g;
}

static ww_report report_of(double f32, double f64, double bytes, double us) {
  ww_report r = {.kernel = "k", .gpu = "small", .by = WW_BY_MACHINE};
  ww_report_set(&r, WW_M_flops_fp32, f32);
  ww_report_set(&r, WW_M_flops_fp64, f64);
  ww_report_set(&r, WW_M_dram_read_bytes, bytes);
  ww_report_set(&r, WW_M_time_us, us);
  return r;
}

static void roofs_and_places(void **state) {
  (void)state;
  ww_gpu g = small_gpu();
  ww_roofs f;
  ww_roof_point p;
  const char *why;
  ww_roofs_of(&g, &f);
  assert_true(f.v[WW_ROOF_FP32] == 20000 && f.v[WW_ROOF_TENSOR] == 200000);
  assert_true(ww_roof_at(&f, WW_ROOF_FP32, 2) == 2000 &&
              ww_roof_at(&f, WW_ROOF_FP32, 100) == 20000);
  assert_true(ww_roof_at(&f, WW_ROOF_FP64, 100) == 10000);
  ww_report r = report_of(3e6, 1e6, 2e6, 10);
  assert_true(ww_roof_point_of(&r, &f, 0, &p, &why));
  assert_true(p.ai == 2 && p.gflops == 400 && p.precision == WW_ROOF_FP32 &&
              p.roof == 2000 && !p.measured);
  r = report_of(1e6, 3e6, 1e4, 10);
  r.by = WW_BY_HARDWARE;
  assert_true(ww_roof_point_of(&r, &f, 0, &p, &why));
  assert_true(p.precision == WW_ROOF_FP64 && p.roof == 10000 && p.measured);
  r = report_of(0, 0, 1e6, 10);
  assert_false(ww_roof_point_of(&r, &f, 0, &p, &why));
  assert_string_equal(why, "no floating-point operations");
  r = report_of(1e6, 0, 0, 10);
  assert_false(ww_roof_point_of(&r, &f, 0, &p, &why));
  assert_string_equal(why, "no DRAM traffic");
}

/* Columns of a UTF-8 line. */
static int columns(const char *s, size_t n) {
  int c = 0;
  for (size_t k = 0; k < n; k++)
    c += ((unsigned char)s[k] & 0xc0) != 0x80;
  return c;
}

static void plot_fits_a_terminal(void **state) {
  (void)state;
  ww_gpu g = small_gpu();
  ww_roofs f;
  ww_roofs_of(&g, &f);
  ww_roof_point points[] = {{.kernel = "low",
                             .ai = 0.001,
                             .gflops = 0.5,
                             .precision = WW_ROOF_FP32,
                             .roof = 1},
                            {.kernel = "high",
                             .ai = 3000,
                             .gflops = 15000,
                             .precision = WW_ROOF_FP32,
                             .roof = 20000,
                             .measured = true}};
  ww_roofline r = {&g, &f, 1, points, 2};
  char *text;
  size_t n;
  FILE *out = open_memstream(&text, &n);
  ww_set_color(0);
  ww_roofline_print(&r, out);
  fclose(out);
  int lines = 0, has_a = 0, has_b = 0;
  for (char *s = text, *e; (e = strchr(s, '\n')); s = e + 1, lines++) {
    if (lines < 20 && columns(s, (size_t)(e - s)) > 80)
      fail_msg("%d columns: %.*s", columns(s, (size_t)(e - s)), (int)(e - s), s);
    if (lines >= 1 && lines <= 17) {
      has_a += memchr(s, 'A', (size_t)(e - s) - 1) != NULL;
      has_b += memchr(s, 'b', (size_t)(e - s)) != NULL;
    }
  }
  assert_true(lines <= 24);
  assert_true(has_a >= 1 && has_b == 1); /* DRAM has an A too */
  assert_null(strchr(text, '\033'));
  free(text);
}

/* Every tag is closed in turn; text has no bare < or &. */
static void well_formed(const char *s) {
  const char *open[64];
  int depth = 0;
  while ((s = strpbrk(s, "<&"))) {
    if (*s == '&') {
      assert_true(ww_starts(s, "&lt;") || ww_starts(s, "&gt;") ||
                  ww_starts(s, "&amp;") || ww_starts(s, "&quot;"));
      s++;
      continue;
    }
    const char *end = strchr(s, '>');
    assert_non_null(end);
    if (s[1] == '/') {
      assert_true(depth > 0);
      depth--;
      assert_int_equal(strncmp(open[depth], s + 2, (size_t)(end - s - 2)), 0);
    } else if (end[-1] != '/') {
      assert_true(depth < 64);
      open[depth++] = s + 1;
    }
    s = end;
  }
  assert_int_equal(depth, 0);
}

static void svg_is_well_formed(void **state) {
  ww_gpu g[2] = {small_gpu(), small_gpu()};
  ww_roofs f[2];
  ww_roofs_of(&g[0], &f[0]);
  ww_roofs_of(&g[1], &f[1]);
  ww_roof_point points[] = {{.kernel = "k<float, 256>",
                             .ai = 1,
                             .gflops = 500,
                             .precision = WW_ROOF_FP32,
                             .roof = 1000},
                            {.kernel = "k<float, 256>",
                             .gpu = 1,
                             .ai = 2,
                             .gflops = 700,
                             .precision = WW_ROOF_FP32,
                             .roof = 1000,
                             .measured = true}};
  ww_roofline r = {g, f, 2, points, 2};
  ww_buf b = {0};
  ww_roofline_svg(&r, &b);
  well_formed(b.s);
  assert_non_null(strstr(b.s, "k&lt;float, 256&gt;"));
  assert_non_null(strstr(b.s, "Small &lt;GPU&gt; &amp; co"));
  assert_null(strstr(b.s, "nan"));
  ww_buf_free(&b);
  ww_sweep s;
  ww_err e;
  assert_int_equal(ww_sweep_parse("n=1K..64K", *state, &s, &e), WW_OK);
  ww_sweep_point curve[7] = {{0}};
  for (int k = 0; k < 7; k++)
    curve[k] = (ww_sweep_point){k != 3, 2 + k, 1 + k, 3 + k, "latency"};
  const char *gpus[] = {"a<b"};
  ww_sweep_svg(&(ww_sweep_result){&s, gpus, 1, curve, "k<int>", "f.cu", {0}}, &b);
  well_formed(b.s);
  assert_null(strstr(b.s, "nan"));
  ww_buf_free(&b);
}

static void ranges(void **state) {
  static const struct {
    const char *text;
    uint32_t n;
    uint64_t first, last;
  } good[] = {{"n=1K..64K", 7, 1024, 65536},
              {"n=1000..3000", 2, 1000, 2000},
              {"n=1K..1M:5", 5, 1024, 1 << 20},
              {"block=64,128,1024", 3, 64, 1024},
              {"n=1..3:9", 3, 1, 3},
              {"n=7..7", 1, 7, 7}};
  static const char *const bad[] = {"n",      "=1..2",    "n=0..4",
                                    "n=8..4", "n=1..4:1", "n=1..4x",
                                    "n=5,4",  "n=-1..4",  "n=1K..99999999999999G",
                                    ""};
  for (size_t k = 0; k < sizeof good / sizeof *good; k++) {
    ww_sweep s;
    ww_err e = {0};
    if (ww_sweep_parse(good[k].text, *state, &s, &e))
      fail_msg("%s: %s", good[k].text, e.msg);
    if (s.n != good[k].n || s.v[0] != good[k].first || s.v[s.n - 1] != good[k].last)
      fail_msg("%s: %u values, %llu to %llu", good[k].text, s.n,
               (unsigned long long)s.v[0], (unsigned long long)s.v[s.n - 1]);
  }
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
    ww_sweep s;
    ww_err e = {0};
    if (ww_sweep_parse(bad[k], *state, &s, &e) != WW_EUSAGE)
      fail_msg("'%s' was taken", bad[k]);
  }
}

static void numbers_have_units(void **state) {
  (void)state;
  char a[24], t[16];
  check_text(ww_show_us(3.456, t), "3.46 us", 0);
  check_text(ww_show_us(999.7, t), "1.00 ms", 1);
  check_text(ww_show_us(45600, t), "45.6 ms", 2);
  check_text(ww_show_us(7.2e6, t), "7.20 s", 3);
  check_text(ww_show_amount(123456789, "byte", a), "123 MB", 4);
  check_text(ww_show_amount(4096, "1", a), "4096", 5);
  check_text(ww_show_amount(0.249, "flop/byte", a), "0.249 flop/byte", 6);
}

int main(void) {
  const struct CMUnitTest tests[] = {TEST(roofs_and_places), TEST(plot_fits_a_terminal),
                                     TEST(svg_is_well_formed), TEST(ranges),
                                     TEST(numbers_have_units)};
  return RUN(tests);
}
