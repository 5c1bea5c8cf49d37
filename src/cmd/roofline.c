/* roofline.c - `warpwise roofline`: kernels under the roofs of one or several GPUs,
 * predicted and measured. */
#include "../predict/show/roofline.h"

#include "source.h"

typedef struct {
  ww_ask_options ask;
  const char *svg, *measured;
} options;

static const ww_option table[] = {
    WW_PREDICT_OPTIONS,
    WW_OPTION(svg, "FILE", "write the plot as SVG ('-': stdout, instead of the table)"),
    WW_OPTION(measured, "FILE", "reports of `warpwise measure --json` to show as well"),
    WW_LIMIT_OPTIONS(ww_ask_options, "60"),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_ask ask;
  ww_roofs *roofs;
  WW_VEC(ww_roof_point) points;
  ww_strings left_out;
} job;

static void add(job *j, const ww_report *r, uint32_t gpu) {
  ww_arena *a = j->c->arena;
  ww_roof_point p;
  const char *why;
  if (ww_roof_point_of(r, &j->roofs[gpu], gpu, &p, &why)) {
    p.kernel = ww_strdup(a, p.kernel ? p.kernel : "?");
    ww_push(a, &j->points, p);
  } else
    ww_push(a, &j->left_out,
            ww_fmt(a, "%s on %s has no place here: %s", r->kernel ? r->kernel : "?",
                   j->ask.targets.gpus[gpu].name, why));
}

static ww_status add_measured(job *j) {
  ww_cmd *c = j->c;
  char *text;
  char *line;
  size_t n;
  ww_status st = ww_input_packed(c->arena, j->o->measured, 1 << 30, &text, &n, &c->err);
  for (uint32_t at = 1; !st && (line = strsep(&text, "\n")); at++) {
    ww_report r;
    if (!line[strspn(line, " \t\r")])
      continue;
    st = ww_report_parse(line, c->arena, &r, &c->err);
    if (st) {
      c->err.file = j->o->measured;
      c->err.line = at;
      return st;
    }
    for (uint32_t g = 0; !r.error.code && g < j->ask.targets.n; g++)
      if (r.gpu && !strcmp(r.gpu, j->ask.targets.gpus[g].name))
        add(j, &r, g);
  }
  return st;
}

static ww_status add_predicted(job *j) {
  ww_cmd *c = j->c;
  uint32_t n = j->ask.n;
  ww_status worst = WW_OK;
  for (uint32_t k = 0; k < n; k++) {
    ww_answers a;
    ww_status one = ww_answers_make(&j->ask, &j->ask.launches[k], &a);
    for (uint32_t g = 0; g < a.n; g++)
      if (!a.p[g].report.error.code)
        add(j, &a.p[g].report, g);
    ww_answers_free(&a);
    if (one && n > 1)
      ww_cmd_complain(c);
    worst = ww_worse(worst, one);
  }
  ww_source_free(&j->ask.cache);
  return worst;
}

static void print_json(const ww_roofline *r) {
  for (uint32_t k = 0; k < r->npoints; k++) {
    const ww_roof_point *p = &r->points[k];
    ww_line_print(
        "kernel:%s,gpu:%s,measured:%i,ai:%g,gflops:%g,precision:%s,roof_gflops:%g",
        p->kernel, r->gpus[p->gpu].name, p->measured, p->ai, p->gflops,
        ww_roof_names[p->precision], p->roof);
  }
}

static ww_status show(job *j) {
  const ww_query_targets *t = &j->ask.targets;
  ww_roofline r = {t->gpus, j->roofs, t->n, j->points.v, j->points.n};
  const char *svg = j->o->svg;
  if (svg) {
    ww_buf b = {0};
    ww_roofline_svg(&r, &b);
    ww_status st = ww_write_text(svg, &b, &j->c->err);
    if (st || !strcmp(svg, "-"))
      return st;
  }
  if (j->c->json)
    print_json(&r);
  else {
    ww_roofline_print(&r, stdout);
    for (uint32_t k = 0; k < j->left_out.n; k++)
      puts(j->left_out.v[k]);
  }
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  job j = {
      .c = c,
      .o = c->opt,
  };
  /* with --measured and no source nothing is to be predicted */
  bool predict = c->noperands || j.o->ask.source.launch || !j.o->measured;
  ww_status st = (predict ? ww_ask_open : ww_ask_targets)(c, &j.o->ask, &j.ask);
  if (st)
    return st;
  j.roofs = WW_NEWN(c->arena, ww_roofs, j.ask.targets.n);
  for (uint32_t g = 0; g < j.ask.targets.n; g++)
    ww_roofs_of(&j.ask.targets.gpus[g], &j.roofs[g]);
  ww_status worst = add_predicted(&j);
  if (worst && !j.points.n)
    return worst;
  if (j.o->measured)
    st = add_measured(&j);
  if (!st)
    st = show(&j);
  return st ? st : worst;
}

const ww_command ww_cmd_roofline = {
    "roofline",
    "kernels under the roofs of one or several GPUs: a plot on the terminal, or SVG",
    "FILE... [options] [-- clang flags]",
    .details = "A kernel stands at its flops per byte of DRAM traffic and its flops "
               "per second; "
               "the lines are what memory and\n"
               "arithmetic allow. Capital letters are predicted, small ones measured.",
    .examples = "  warpwise roofline matmul.cu -k naive --gpu h200\n"
                "  warpwise roofline --launch launches.jsonl --gpu h200,a100 --svg "
                "roofline.svg\n"
                "  warpwise roofline main.cu --measured measured.jsonl\n",
    WW_OPTIONS,
    .run = run,
};
