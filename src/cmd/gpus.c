/* gpus.c - `warpwise gpus`: which GPUs are described, what is known of one, and what
 * micro-benchmarks say of the one that is here. */
#include <ctype.h>

#include "../measure/probe.h"
#include "gpus.h"

typedef ww_gpus_options options;

static const ww_option table[] = {
    WW_OPTION(output, "FILE", "probe, calibrate: write the description there", 'o'),
    WW_OPTION(base,
              "NAME|FILE",
              "probe, calibrate: the description to start from; else the one that fits "
              "the device"),
    WW_OPTION(verify,
              "NAME|FILE",
              "probe: compare with this description instead of writing one"),
    WW_OPTION(threshold,
              "PERCENT",
              "probe --verify: deviation that makes the exit code 1 (10%)"),
    WW_OPTION(raw, "FILE", "probe: every measured point, as JSON"),
    WW_OPTION(from,
              "FILE",
              "no device: probe the points that --raw wrote, calibrate the rows that "
              "`warpwise measure --json` wrote"),
    WW_OPTION(launch,
              "FILE",
              "calibrate: these launches instead of its own 50, at least 10",
              'l'),
    WW_OPTION(
        plan,
        "OUT",
        "calibrate: only write ready launches for --gpu, to be measured elsewhere"),
    WW_OPTION(
        with, "COMPILER", "calibrate: nvcc or nvrtc; else nvcc where it is found"),
    WW_OPTION_AS(no_counters,
                 "no-counters",
                 NULL,
                 "probe: leave out what needs hardware counters"),
    {0},
};

/* ---- list ---- */

static void list_json(const ww_gpu *g) {
  ww_json *j = ww_line_begin();
  ww_gpu_members(g, j);
  ww_line_end(j);
}

static const char *cell(double v, ww_arena *a) {
  return isnan(v) ? "-" : ww_fmt(a, "%.4g", v);
}

static ww_status list(ww_cmd *c) {
  const char **names;
  uint32_t n = ww_gpu_names(c->arena, &names);
  if (!n)
    return ww_fail(
        &c->err, WW_EDATA,
        "no GPU descriptions beside the program; set WARPWISE_DATA to where gpus/ is");
  if (!c->json)
    printf("%-10s %-40s %-8s %5s %6s %8s %8s %10s  %s\n", "NAME", "GPU", "ARCH", "SMS",
           "MHZ", "FP64 TF", "FP32 TF", "DRAM GB/s", "GRADE");
  for (uint32_t k = 0; k < n; k++) {
    ww_gpu g;
    ww_arena *a = c->arena;
    ww_status st = ww_gpu_load(names[k], c->arena, &g, &c->err);
    if (st)
      return st;
    if (c->json)
      list_json(&g);
    else
      printf("%-10s %-40s %-8s %5u %6s %8s %8s %10s  %s\n", g.name, g.full_name,
             g.architecture, g.sms, cell(g.boost_mhz, a), cell(g.peak_fp64, a),
             cell(g.peak_fp32, a), cell(g.dram_peak, a),
             ww_grades[ww_gpu_grade(&g)].text);
  }
  return WW_OK;
}

/* ---- show ---- */

static void show_figures(const ww_gpu *g) {
  printf("  %-34s %14s %-10s %s\n", "FIGURE", "VALUE", "UNIT", "SOURCE");
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
    const ww_figure *f = &ww_gpu_figures[i];
    double v = ww_figure_of(g, i);
    if (isnan(v) || ww_starts(f->path, "ops.") || ww_starts(f->path, "math."))
      continue;
    printf("  %-34s %14.10g %-10s %s\n", f->path, v,
           strcmp(f->unit, "1") ? f->unit : "", g->source[i] ? g->source[i] : "");
  }
}

static void show_curves(const ww_gpu *g) {
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    const ww_curve *v = (const ww_curve *)((const char *)g + ww_gpu_curves[i].at);
    if (!v->n)
      continue;
    printf("\n  %s (%s%s%s)%s%s\n   ", ww_gpu_curves[i].path, ww_gpu_curves[i].unit_x,
           v->y ? " -> " : "", v->y ? ww_gpu_curves[i].unit_y : "",
           v->source ? "  " : "", v->source ? v->source : "");
    for (uint32_t k = 0; k < v->n; k++)
      v->y ? printf(" %.4g: %.4g ", v->x[k], v->y[k]) : printf(" %.10g", v->x[k]);
    printf("\n");
  }
}

static void show_ops(const ww_gpu *g, ww_arena *a) {
  bool head = false;
  for (int i = 0; i < WW_NGPU_OPS; i++) {
    if (isnan(g->issue[i]) && isnan(g->latency[i]))
      continue;
    if (!head)
      printf("\n  %-16s %8s %8s  (cycles)\n", "INSTRUCTION", "ISSUE", "LATENCY");
    head = true;
    printf("  %-16s %8s %8s\n", ww_gpu_op_names[i], cell(g->issue[i], a),
           cell(g->latency[i], a));
  }
  head = false;
  for (int i = 0; i < WW_NGPU_MATHS; i++) {
    if (isnan(g->math_instructions[i]) && isnan(g->math_issue[i]))
      continue;
    if (!head)
      printf("\n  %-16s %12s %8s %8s %8s %8s\n", "OPERATION", "INSTRUCTIONS", "FP32",
             "FP64", "ISSUE", "LATENCY");
    head = true;
    printf("  %-16s %12s %8s %8s %8s %8s\n", ww_gpu_math_names[i],
           cell(g->math_instructions[i], a), cell(g->math_flops32[i], a),
           cell(g->math_flops64[i], a), cell(g->math_issue[i], a),
           cell(g->math_latency[i], a));
  }
}

static ww_status show(ww_cmd *c, const char *which) {
  ww_gpu g;
  ww_status st = ww_gpu_load(which, c->arena, &g, &c->err);
  if (st)
    return st;
  if (c->json) {
    ww_buf b = {0};
    ww_gpu_write(&g, false, &b);
    ww_print_buf(&b);
    return WW_OK;
  }
  printf("%s  %s, %s, %u SMs of %u-lane warps\n", g.name, g.full_name, g.architecture,
         g.sms, g.lanes);
  const ww_grade_info *grade = &ww_grades[ww_gpu_grade(&g)];
  printf("  grade: %s: %s\n", grade->text, grade->meaning);
  if (g.calibrated)
    printf("  calibrated: %s\n", g.calibrated);
  if (g.notes)
    printf("  note: %s\n", g.notes);
  printf("\n");
  show_figures(&g);
  show_curves(&g);
  show_ops(&g, c->arena);
  return WW_OK;
}

/* ---- probe ---- */

static ww_status write_raw(ww_cmd *c, const ww_probe *p) {
  const options *o = c->opt;
  ww_buf b = {0};
  if (!o->raw)
    return WW_OK;
  ww_probe_write(p, &(ww_json){.out = &b});
  ww_buf_puts(&b, "\n");
  return ww_write_buf(o->raw, &b, &c->err);
}

/* What there is so far; the last call, when all is measured, is the one whose failure
 * counts. */
static void save(void *c, const ww_probe *p) {
  if (write_raw(c, p))
    ((ww_cmd *)c)->err = (ww_err){0};
}

static ww_status measure(ww_cmd *c, ww_probe *p) {
  const options *o = c->opt;
  char *text;
  size_t n;
  if (o->from) {
    c->file = o->from;
    ww_status st = ww_read_input(c->arena, o->from, 16u << 20, &text, &n, &c->err);
    return st ? st : ww_probe_parse(text, n, c->arena, p, &c->err);
  }
  ww_probe_options po = {.device = c->device,
                         .self = ww_self_path(c->arena),
                         .no_counters = o->no_counters,
                         .save = save,
                         .ctx = c};
  return ww_probe_run(&po, c->arena, p, &c->err);
}

static void tell_gaps(const ww_probe *p) {
  for (uint32_t i = 0; i < p->gaps.n && !ww_is_quiet(); i++)
    fprintf(stderr, "warpwise: not measured: %s: %s\n", p->gaps.v[i].probe,
            p->gaps.v[i].why);
}

const char *ww_gpus_short_name(const char *device, ww_arena *a) {
  const char *last = strrchr(device, ' ');
  char *name = ww_strdup(a, last ? last + 1 : device);
  for (char *p = name; *p; p++)
    *p = isalnum((unsigned char)*p) ? tolower((unsigned char)*p) : '-';
  return name;
}

ww_status ww_gpus_write(ww_cmd *c, const ww_gpu *g) {
  const options *o = c->opt;
  ww_buf b = {0};
  ww_gpu_write(g, o->output || !c->json, &b);
  if (o->output)
    return ww_write_buf(o->output, &b, &c->err);
  ww_print_buf(&b);
  return WW_OK;
}

static ww_status describe(ww_cmd *c, const ww_probe *p) {
  const options *o = c->opt;
  const char *base = o->base ? o->base : ww_gpu_for_device(p->device, 0, c->arena);
  ww_gpu g;
  ww_gpu_init(&g);
  g.vendor = "nvidia";
  g.name = ww_gpus_short_name(p->device, c->arena);
  g.full_name = p->device;
  ww_status st = base ? ww_gpu_load(base, c->arena, &g, &c->err) : WW_OK;
  if (st)
    return st;
  g.notes = NULL; /* it was about the figures before */
  ww_probe_distill(p, c->arena, &g);
  st = ww_gpus_write(c, &g);
  if (!st && o->output && !ww_is_quiet())
    fprintf(stderr, "%s: %u points of %s, %u probes left out, %.0f s\n", o->output,
            p->points.n, p->device, p->gaps.n, p->seconds);
  return st;
}

/* ---- verify ---- */

typedef struct {
  bool json;
  double threshold; /* a share */
  uint32_t compared, off;
} verdict;

static void compare(
    verdict *v, const char *path, const char *unit, double expected, double measured) {
  if (isnan(expected) || isnan(measured))
    return;
  double deviation = expected != 0   ? measured / expected - 1
                     : measured != 0 ? INFINITY
                                     : 0;
  bool off = fabs(deviation) > v->threshold &&
             !(!strcmp(unit, "cycles") && fabs(measured - expected) < 0.5);
  v->compared++;
  v->off += off;
  if (!v->json) {
    printf("  %-40s %12.5g %12.5g %+8.1f%% %s\n", path, expected, measured,
           100 * deviation, off ? "OFF" : "");
    return;
  }
  ww_line_print("figure:%s,expected:%g,measured:%g,deviation_pct:%g,off:%i", path,
                expected, measured, 100 * deviation, off);
}

static void compare_all(verdict *v, ww_gpu *expected, ww_gpu *measured, ww_arena *a) {
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++)
    compare(v, ww_gpu_figures[i].path, ww_gpu_figures[i].unit,
            ww_figure_of(expected, i), ww_figure_of(measured, i));
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    const ww_curve *m = ww_curve_at(measured, i);
    const ww_curve *x = ww_curve_at(expected, i);
    for (uint32_t k = 0; k < m->n && x->n && m->y; k++)
      compare(v, ww_fmt(a, "%s[%g]", ww_gpu_curves[i].path, m->x[k]),
              ww_gpu_curves[i].unit_y, ww_curve_at_x(x, m->x[k]), m->y[k]);
  }
}

static ww_status parse_threshold(ww_cmd *c, double *share) {
  const options *o = c->opt;
  double percent = 10;
  if (o->threshold && !ww_real(o->threshold, "%", 0, INFINITY, &percent))
    return ww_usage(c, "--threshold %.40s: expected a percentage, e.g. 10%%",
                    o->threshold);
  *share = percent / 100;
  return WW_OK;
}

static ww_status
verify(ww_cmd *c, const ww_probe *p, ww_gpu *expected, double threshold) {
  ww_gpu measured;
  verdict v = {
      .json = c->json,
      .threshold = threshold,
  };
  ww_gpu_init(&measured);
  ww_probe_distill(p, c->arena, &measured);
  if (!v.json)
    printf("%s against %s\n  %-40s %12s %12s %9s\n", p->device, expected->full_name,
           "FIGURE", "EXPECTED", "MEASURED", "DEVIATION");
  compare_all(&v, expected, &measured, c->arena);
  if (!v.json)
    printf("%u of %u figures are off by more than %g %%\n", v.off, v.compared,
           100 * v.threshold);
  c->missed = v.off > 0;
  return WW_OK;
}

static ww_status probe(ww_cmd *c) {
  const options *o = c->opt;
  ww_probe p;
  ww_gpu expected;
  double threshold = 0;
  /* what is named is read before the device is kept busy */
  if (parse_threshold(c, &threshold) ||
      (o->verify && ww_gpu_load(o->verify, c->arena, &expected, &c->err)) ||
      (o->base && ww_gpu_load(o->base, c->arena, &(ww_gpu){0}, &c->err)) ||
      measure(c, &p))
    return c->err.code;
  tell_gaps(&p);
  if (write_raw(c, &p))
    return c->err.code;
  return o->verify ? verify(c, &p, &expected, threshold) : describe(c, &p);
}

static ww_status run(ww_cmd *c) {
  const char *what = c->noperands ? c->operands[0] : "list";
  bool shows = !strcmp(what, "show");
  if (!strcmp(what, "list") && c->noperands < 2)
    return list(c);
  if (shows && c->noperands == 2)
    return show(c, c->operands[1]);
  if (shows && c->noperands == 1 && c->gpu)
    return show(c, c->gpu);
  if (!strcmp(what, "probe") && c->noperands == 1)
    return probe(c);
  if (!strcmp(what, "calibrate") && c->noperands == 1)
    return ww_gpus_calibrate(c);
  if (shows)
    return ww_usage(c, "gpus show: name one GPU; `warpwise gpus` lists them");
  return ww_usage(
      c, "gpus: expected nothing, `show NAME`, `probe` or `calibrate`, not '%.40s'",
      what);
}

const ww_command ww_cmd_gpus = {
    "gpus",
    "list the GPUs that are described, show one, or measure the one that is here",
    "[show NAME|FILE | probe [options] | calibrate [options]]",
    .details =
        "Each description is a file gpus/NAME.json; docs/gpus.md has every "
        "figure and how "
        "to add a GPU.\n"
        "`probe` runs micro-benchmarks on the CUDA device, about a minute, and "
        "writes a "
        "description or compares with one.\n"
        "`calibrate` runs 50 launches on a CUDA or OpenCL device, under a minute, "
        "and fits five "
        "numbers of a description to them.",
    .examples = "  warpwise gpus\n"
                "  warpwise gpus show h200\n"
                "  warpwise gpus probe -o gpus/h200.json --raw h200-probe.json\n"
                "  warpwise gpus probe --verify h200 --threshold 15%\n"
                "  warpwise gpus calibrate --base rtx3080 -o mine.json\n"
                "  warpwise predict saxpy.cu --gpu mine.json\n",
    WW_OPTIONS,
    .run = run,
};
