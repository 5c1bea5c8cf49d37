/* roofline.c - roofs and places; the plot on a terminal. The SVG is in roofline_svg.c.
 */
#include "roofline.h"

#include "../learn/score.h"
#include "show.h"

const char *const ww_roof_names[WW_NROOFS] = {"DRAM", "L2", "FP64", "FP32", "tensor"};

void ww_roofs_of(const ww_gpu *g, ww_roofs *out) {
  double tensor = g->peak_tensor_bf16 > 0 ? g->peak_tensor_bf16 : g->peak_tensor_fp16;
  out->v[WW_ROOF_DRAM] = g->dram_peak;
  out->v[WW_ROOF_L2] = g->l2_gbps;
  out->v[WW_ROOF_FP64] = 1e3 * g->peak_fp64;
  out->v[WW_ROOF_FP32] = 1e3 * g->peak_fp32;
  out->v[WW_ROOF_TENSOR] = 1e3 * tensor;
}

double ww_roof_at(const ww_roofs *r, ww_roof precision, double ai) {
  double memory = r->v[WW_ROOF_DRAM] * ai;
  double peak = r->v[precision];
  return peak > 0 && peak < memory ? peak : memory;
}

double ww_roof_top(const ww_roofs *r) {
  double top = 0;
  for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++)
    top = fmax(top, r->v[m]);
  return top;
}

bool ww_roof_point_of(const ww_report *r,
                      const ww_roofs *roofs,
                      uint32_t gpu,
                      ww_roof_point *out,
                      const char **why) {
  double f64 = ww_report_value(r, WW_M_flops_fp64);
  double tensor = ww_report_value(r, WW_M_flops_tensor);
  double flops = f64 + ww_report_value(r, WW_M_flops_fp32) +
                 ww_report_value(r, WW_M_flops_fp16) + tensor;
  double bytes = ww_report_dram(r);
  double us = ww_report_value(r, WW_M_time_us);
  *why = !(us > 0)      ? "no time is known"
         : !(flops > 0) ? "no floating-point operations"
         : !(bytes > 0) ? "no DRAM traffic"
                        : NULL;
  if (*why)
    return false;
  *out = (ww_roof_point){.kernel = r->kernel ? r->kernel : "?",
                         .gpu = gpu,
                         .measured = r->by == WW_BY_HARDWARE,
                         .ai = flops / bytes,
                         .gflops = flops / us / 1e3};
  out->precision = tensor > 0.5 * flops ? WW_ROOF_TENSOR
                   : f64 > 0.5 * flops  ? WW_ROOF_FP64
                                        : WW_ROOF_FP32;
  out->roof = ww_roof_at(roofs, out->precision, out->ai);
  return true;
}

/* ---- terminal: braille dots, two across and four down in a cell ---- */

enum { LABEL = 8, COLUMNS = 70, ROWS = 17 };

typedef struct {
  uint8_t dots[ROWS][COLUMNS];  /* braille */
  char mark[ROWS][COLUMNS];     /* a letter on top, or 0 */
  uint8_t color[ROWS][COLUMNS]; /* of the mark: 0 none, else 1 + GPU */
  double x0, x1, y0, y1;        /* log10 at the edges */
} canvas;

static void dot(canvas *c, double x, double y) {
  static const uint8_t bit[4][2] = {
      {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
  double u = (log10(x) - c->x0) / (c->x1 - c->x0) * (COLUMNS * 2 - 1);
  double v = (c->y1 - log10(y)) / (c->y1 - c->y0) * (ROWS * 4 - 1);
  if (!(u >= -0.5) || !(v >= -0.5) || u > COLUMNS * 2 - 0.5 || v > ROWS * 4 - 0.5)
    return;
  int i = u + 0.5;
  int j = v + 0.5;
  c->dots[j / 4][i / 2] |= bit[j % 4][i % 2];
}

static bool cell_of(const canvas *c, double x, double y, int *i, int *j) {
  *i = (log10(x) - c->x0) / (c->x1 - c->x0) * COLUMNS;
  *j = (c->y1 - log10(y)) / (c->y1 - c->y0) * ROWS;
  return *i >= 0 && *j >= 0 && *i < COLUMNS && *j < ROWS;
}

/* Memories' roofs up to the highest peak; a peak from where L2, else DRAM, meets it. */
static void draw_roofs(canvas *c, const ww_roofs *r) {
  double top = ww_roof_top(r);
  double steep = r->v[WW_ROOF_L2] > 0 ? r->v[WW_ROOF_L2] : r->v[WW_ROOF_DRAM];
  for (int k = 0; k < COLUMNS * 4; k++) {
    double x = pow(10, c->x0 + (c->x1 - c->x0) * k / (COLUMNS * 4 - 1));
    for (int m = WW_ROOF_DRAM; m <= WW_ROOF_L2; m++)
      if (r->v[m] > 0 && r->v[m] * x <= top)
        dot(c, x, r->v[m] * x);
    for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++)
      if (r->v[m] > 0 && x >= r->v[m] / steep)
        dot(c, x, r->v[m]);
  }
}

static void put_text(canvas *c, int i, int j, const char *text) {
  for (int k = 0; text[k]; k++)
    if (i + k >= 0 && i + k < COLUMNS && j >= 0 && j < ROWS) {
      c->mark[j][i + k] = text[k];
      c->color[j][i + k] = 0;
    }
}

/* Names at the roofs' ends, inside the frame. */
static void name_roofs(canvas *c, const ww_roofs *r) {
  int i;
  int j;
  for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++)
    if (r->v[m] > 0 && cell_of(c, pow(10, c->x1 - 1e-6), r->v[m], &i, &j)) {
      /* FP64 and FP32 are often close: one name above, one below */
      bool above = m == WW_ROOF_FP32 || j + 1 >= ROWS;
      put_text(c, COLUMNS - strlen(ww_roof_names[m]), above && j > 0 ? j - 1 : j + 1,
               ww_roof_names[m]);
    }
  for (int m = WW_ROOF_DRAM; m <= WW_ROOF_L2; m++) {
    double y = pow(10, c->y0 + 0.12 * (c->y1 - c->y0));
    double x = r->v[m] > 0 ? y / r->v[m] : 0;
    if (x > 0 && cell_of(c, x, y, &i, &j))
      put_text(c, m == WW_ROOF_DRAM ? i + 2 : i - 3, j, ww_roof_names[m]);
  }
}

static void bounds(const ww_roofline *r, canvas *c) {
  double lo_x = 0.05;
  double hi_x = 200;
  double lo_y = INFINITY;
  double hi_y = 0;
  for (uint32_t k = 0; k < r->npoints; k++) {
    lo_x = fmin(lo_x, r->points[k].ai / 3);
    hi_x = fmax(hi_x, r->points[k].ai * 3);
    lo_y = fmin(lo_y, r->points[k].gflops / 3);
  }
  for (uint32_t g = 0; g < r->ngpus; g++)
    for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++)
      if (r->roofs[g].v[m] > 0) {
        hi_y = fmax(hi_y, r->roofs[g].v[m] * 1.7);
        lo_y = fmin(lo_y, r->roofs[g].v[WW_ROOF_DRAM] * lo_x);
      }
  lo_x = fmax(lo_x, 1e-3);
  hi_x = fmin(hi_x, 2e4);
  lo_y = fmax(lo_y, 0.01);
  c->x0 = log10(lo_x);
  c->x1 = log10(hi_x);
  c->y0 = log10(lo_y);
  c->y1 = log10(hi_y);
}

uint32_t ww_roof_kernel(const ww_roofline *r, uint32_t point, bool *first) {
  uint32_t n = 0;
  uint32_t at = 0;
  while (strcmp(r->points[at].kernel, r->points[point].kernel) != 0)
    at++;
  *first = at == point;
  for (uint32_t k = 0; k < at; k++) {
    bool known = false;
    for (uint32_t j = 0; j < k && !known; j++)
      known = !strcmp(r->points[j].kernel, r->points[k].kernel);
    n += !known;
  }
  return n;
}

/* Points of the same kernel have the same letter. */
static char letter_of(const ww_roofline *r, uint32_t point) {
  bool first;
  return (r->points[point].measured ? 'a' : 'A') +
         ww_roof_kernel(r, point, &first) % 26;
}

static void print_cell(const canvas *c, int j, int i, FILE *f) {
  uint8_t d = c->dots[j][i];
  if (c->mark[j][i]) {
    static const char *const colors[] = {"", "\033[1;36m", "\033[1;33m", "\033[1;32m",
                                         "\033[1;35m"};
    bool on = c->color[j][i] && ww_color_on(f);
    fprintf(f, "%s%c%s", on ? colors[1 + (c->color[j][i] - 1) % 4] : "", c->mark[j][i],
            on ? "\033[0m" : "");
  } else if (d)
    fprintf(f, "\xe2%c%c", 0xa0 + (d >> 6), 0x80 + (d & 0x3f)); /* U+2800 + dots */
  else
    fputc(' ', f);
}

static void print_canvas(const canvas *c, FILE *f) {
  char v[24];
  for (int j = 0; j < ROWS; j++) {
    double y = c->y1 - (j + 0.5) / ROWS * (c->y1 - c->y0);
    double step = (c->y1 - c->y0) / ROWS;
    bool decade = floor(y + step / 2) != floor(y - step / 2);
    double at = 1e9 * pow(10, floor(y + step / 2));
    fprintf(f, "%*s %s", LABEL - 1, decade ? ww_show_amount(at, "1", v) : "",
            decade ? "\u253c" : "\u2502");
    int last = COLUMNS;
    while (last > 0 && !c->mark[j][last - 1] && !c->dots[j][last - 1])
      last--;
    for (int i = 0; i < last; i++)
      print_cell(c, j, i, f);
    fputc('\n', f);
  }
}

static void print_axis(const canvas *c, FILE *f) {
  char labels[COLUMNS + 9];
  char v[24];
  memset(labels, ' ', sizeof labels);
  fprintf(f, "%*s\u2514", LABEL, "");
  for (int i = 0; i < COLUMNS; i++) {
    double a = c->x0 + (double)i / COLUMNS * (c->x1 - c->x0);
    double b = c->x0 + (double)(i + 1) / COLUMNS * (c->x1 - c->x0);
    bool decade = floor(b) != floor(a);
    fputs(decade ? "\u253c" : "\u2500", f);
    if (!decade)
      continue;
    snprintf(v, sizeof v, "%g", pow(10, floor(b)));
    memcpy(labels + i, v, strlen(v));
  }
  int n = COLUMNS + 8;
  while (n > 0 && labels[n - 1] == ' ')
    n--;
  fprintf(f, "\n%*s %.*s\n", LABEL, "", n, labels);
}

static void print_points(const ww_roofline *r, FILE *f) {
  enum { MOST = 40 };
  if (r->npoints > MOST)
    fprintf(f, "%u points, the first %d of them (--json has all):\n", r->npoints, MOST);
  for (uint32_t k = 0; k < r->npoints && k < MOST; k++) {
    const ww_roof_point *p = &r->points[k];
    char v[24];
    char w[24];
    fprintf(f, "%c %-26.26s %-8s %-9s %8.3g flop/B %13s/s %4.0f %% of %s\n",
            letter_of(r, k), p->kernel, r->gpus[p->gpu].name,
            p->measured ? "measured" : "predicted", p->ai,
            ww_show_amount(1e9 * p->gflops, "1", v), 100 * p->gflops / p->roof,
            ww_show_amount(1e9 * p->roof, "1", w));
  }
}

void ww_roofline_print(const ww_roofline *r, FILE *f) {
  canvas c = {0};
  bounds(r, &c);
  for (uint32_t g = 0; g < r->ngpus; g++)
    draw_roofs(&c, &r->roofs[g]);
  name_roofs(&c, &r->roofs[0]);
  for (uint32_t k = 0; k < r->npoints; k++) {
    int i;
    int j;
    cell_of(&c, r->points[k].ai, r->points[k].gflops, &i, &j);
    i = i < 0 ? 0 : i >= COLUMNS ? COLUMNS - 1 : i;
    j = j < 0 ? 0 : j >= ROWS ? ROWS - 1 : j; /* beyond: at the edge */
    c.mark[j][i] = letter_of(r, k);
    c.color[j][i] = 1 + r->points[k].gpu;
  }
  fputs("flop/s over flop/byte of DRAM traffic; roofs of", f);
  for (uint32_t g = 0; g < r->ngpus; g++)
    fprintf(f, "%s %s", g ? "," : "", r->gpus[g].name);
  fputc('\n', f);
  print_canvas(&c, f);
  print_axis(&c, f);
  print_points(r, f);
}
