/* roofline_svg.c - the roofline as SVG: roofs of each GPU, filled marks predicted, open
 * marks measured. */
#include "../../base/units.h"
#include "plot.h"
#include "roofline.h"

enum { LEGEND = 190, MOST_KERNELS = 18 };

static const char *ai_tick(double v, char out[24]) {
  snprintf(out, 24, "%g", v);
  return out;
}

static const char *rate_tick(double gflops, char out[24]) {
  static const char *const units[] = {"G", "T", "P", NULL};
  const char *unit = ww_unit_of(&gflops, units, 999, 999);
  snprintf(out, 24, "%g %s", gflops, unit);
  return out;
}

static const char *peak_text(double gflops, char out[24]) {
  return rate_tick(round(gflops / 100) * 100, out);
}

/* Intensities without end (no DRAM traffic to speak of) are drawn at the edge. */
static void ranges(const ww_roofline *r, ww_plot *p) {
  p->x0 = 0.03;
  p->x1 = 300;
  p->y0 = INFINITY;
  p->y1 = 0;
  for (uint32_t k = 0; k < r->npoints; k++) {
    const ww_roof_point *q = &r->points[k];
    p->x0 = fmin(p->x0, q->ai / 3);
    p->x1 = fmax(p->x1, q->ai * 3);
    p->y0 = fmin(p->y0, q->gflops / 3);
    p->y1 = fmax(p->y1, q->gflops * 2);
  }
  p->x0 = fmax(p->x0, 1e-3);
  p->x1 = fmin(p->x1, 2e4);
  p->y0 = fmax(p->y0, 0.01);
  for (uint32_t g = 0; g < r->ngpus; g++)
    for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++) {
      if (!(r->roofs[g].v[m] > 0))
        continue;
      p->y1 = fmax(p->y1, r->roofs[g].v[m] * 2);
      p->y0 = fmin(p->y0, r->roofs[g].v[WW_ROOF_DRAM] * p->x0 * 1.5);
    }
}

/* Where y = slope * x enters and leaves the frame, at most up to y = top. */
static void diagonal(ww_plot *p,
                     double slope,
                     double top,
                     const char *color,
                     bool dashed,
                     const char *name) {
  double xa = fmax(p->x0, p->y0 / slope);
  double xb = fmin(p->x1, fmin(top, p->y1) / slope);
  if (xa >= xb)
    return;
  ww_plot_line(p, xa, slope * xa, xb, slope * xb, color, dashed ? 1.4 : 2, dashed);
  double ax = ww_plot_x(p, xa);
  double ay = ww_plot_y(p, slope * xa);
  double bx = ww_plot_x(p, xb);
  double by = ww_plot_y(p, slope * xb);
  double turn = atan2(by - ay, bx - ax) * 180 / 3.14159265358979;
  double at = dashed ? 0.3 : 0.42;
  if (name)
    ww_svg_text(p->out, ax + at * (bx - ax) - 5, ay + at * (by - ay) - 6, "middle",
                color, 11.5, turn, name);
}

/* Names stand at the roofs of one GPU; of several they would lie on each other, so the
 * legend has them. */
static void roofs_of(const ww_roofline *r, ww_plot *p, uint32_t g) {
  const ww_roofs *f = &r->roofs[g];
  const char *color = r->ngpus > 1 ? ww_plot_colors[g % WW_PLOT_COLORS] : "#555555";
  double top = ww_roof_top(f);
  double steep = f->v[WW_ROOF_L2] > 0 ? f->v[WW_ROOF_L2] : f->v[WW_ROOF_DRAM];
  bool named = r->ngpus == 1;
  char name[64];
  char v[24];
  for (int m = WW_ROOF_DRAM; m <= WW_ROOF_L2; m++) {
    if (!(f->v[m] > 0))
      continue;
    snprintf(name, sizeof name, "%s %.3g TB/s", ww_roof_names[m], f->v[m] / 1e3);
    diagonal(p, f->v[m], top, color, m == WW_ROOF_L2, named ? name : NULL);
  }
  for (int m = WW_ROOF_FP64; m < WW_NROOFS; m++) {
    double xa = fmax(p->x0, f->v[m] / steep);
    if (!(f->v[m] > 0) || xa >= p->x1)
      continue;
    ww_plot_line(p, xa, f->v[m], p->x1, f->v[m], color, m == WW_ROOF_TENSOR ? 1.4 : 2,
                 m == WW_ROOF_TENSOR);
    snprintf(name, sizeof name, "%s %sFLOP/s", ww_roof_names[m], peak_text(f->v[m], v));
    /* its name would lie on the next roof's */
    bool below = m == WW_ROOF_FP64 && f->v[WW_ROOF_FP32] < 3 * f->v[m];
    if (named)
      ww_svg_text(p->out, p->left + p->width - 6,
                  ww_plot_y(p, f->v[m]) + (below ? 14 : -6), "end", color, 11.5, 0,
                  name);
  }
}

/* One GPU: colour tells the kernel. Several: colour tells the GPU, as its roofs', and a
 * number the kernel. */
static void mark(const ww_roofline *r, ww_plot *p, uint32_t k) {
  const ww_roof_point *q = &r->points[k];
  bool first;
  uint32_t kernel = ww_roof_kernel(r, k, &first);
  const char *color = ww_plot_colors[(r->ngpus > 1 ? q->gpu : kernel) % WW_PLOT_COLORS];
  double x = ww_plot_x(p, q->ai);
  double y = ww_plot_y(p, q->gflops);
  char v[24];
  char text[16];
  ww_buf_fmt(p->out,
             "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"%s\" stroke=\"%s\" "
             "stroke-width=\"2\"%s><title>",
             x, y, q->measured ? "none" : color, color,
             q->measured ? "" : " fill-opacity=\"0.85\"");
  ww_svg_escape(p->out, q->kernel);
  ww_buf_fmt(
      p->out,
      " on %s, %s: %.3g flop/byte, %sFLOP/s, %.0f %% of its roof</title></circle>\n",
      r->gpus[q->gpu].name, q->measured ? "measured" : "predicted", q->ai,
      rate_tick(q->gflops, v), 100 * q->gflops / q->roof);
  if (r->ngpus == 1)
    return;
  snprintf(text, sizeof text, "%u", kernel + 1);
  ww_svg_text(p->out, x + 9, y + 4, "start", color, 11, 0, text);
}

static void note(ww_plot *p, double x, double y, double size, const char *text) {
  ww_svg_text(p->out, x, y, "start", "#666666", size, 0, text);
}

/* A GPU's colour and roofs, three lines; returns where the next may stand. */
static double
gpu_legend(const ww_roofline *r, ww_plot *p, uint32_t g, double x, double y) {
  const ww_roofs *f = &r->roofs[g];
  char text[64];
  char v[24];
  char w[24];
  ww_buf_fmt(p->out,
             "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
             "stroke-width=\"3\"/>\n",
             x, y - 4, x + 14, y - 4, ww_plot_colors[g % WW_PLOT_COLORS]);
  ww_svg_text(p->out, x + 20, y, "start", "#222222", 13, 0, r->gpus[g].name);
  snprintf(text, sizeof text, "DRAM %.3g, L2 %.3g TB/s", f->v[WW_ROOF_DRAM] / 1e3,
           f->v[WW_ROOF_L2] / 1e3);
  note(p, x, y + 16, 11, text);
  snprintf(text, sizeof text, "FP32 %s, FP64 %s", peak_text(f->v[WW_ROOF_FP32], v),
           peak_text(f->v[WW_ROOF_FP64], w));
  note(p, x, y + 31, 11, text);
  if (f->v[WW_ROOF_TENSOR] > 0) {
    snprintf(text, sizeof text, "tensor %s", peak_text(f->v[WW_ROOF_TENSOR], v));
    note(p, x, y + 46, 11, text);
  }
  return y + 72;
}

static double kernel_legend(const ww_roofline *r, ww_plot *p, double x, double y) {
  uint32_t kernels = 0;
  uint32_t most = r->ngpus > 1 ? MOST_KERNELS - 4 * r->ngpus : MOST_KERNELS;
  for (uint32_t k = 0; k < r->npoints; k++) {
    char name[40];
    bool first;
    uint32_t kernel = ww_roof_kernel(r, k, &first);
    if (!first || kernels++ >= most)
      continue;
    if (r->ngpus > 1)
      snprintf(name, sizeof name, "%u  %.20s", kernel + 1, r->points[k].kernel);
    else {
      ww_buf_fmt(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"%s\"/>\n",
                 x + 5, y - 4, ww_plot_colors[kernel % WW_PLOT_COLORS]);
      snprintf(name, sizeof name, "%.20s", r->points[k].kernel);
    }
    ww_svg_text(p->out, x + (r->ngpus > 1 ? 0 : 18), y, "start", "#222222", 12.5, 0,
                name);
    y += 20;
  }
  if (kernels > most) {
    char more[40];
    snprintf(more, sizeof more, "and %u more", kernels - most);
    note(p, x, y, 12, more);
    y += 20;
  }
  return y;
}

static void legend(const ww_roofline *r, ww_plot *p) {
  double x = p->left + p->width + 16;
  double y = p->top + 12;
  bool any_measured = false, any_predicted = false;
  for (uint32_t g = 0; r->ngpus > 1 && g < r->ngpus; g++)
    y = gpu_legend(r, p, g, x, y);
  y = kernel_legend(r, p, x, y);
  for (uint32_t k = 0; k < r->npoints; k++) {
    any_measured |= r->points[k].measured;
    any_predicted |= !r->points[k].measured;
  }
  if (!any_measured || !any_predicted)
    return;
  note(p, x, y + 10, 12, "filled: predicted");
  note(p, x, y + 28, 12, "open: measured");
}

void ww_roofline_svg(const ww_roofline *r, ww_buf *out) {
  ww_plot p = {.out = out};
  ww_buf title = {0};
  ranges(r, &p);
  ww_buf_puts(&title, "Roofline of ");
  for (uint32_t g = 0; g < r->ngpus; g++)
    ww_buf_fmt(&title, "%s%s", g ? ", " : "", r->gpus[g].full_name);
  ww_plot_begin(&p, LEGEND, title.s, "lines: datasheet peaks, L2 as measured");
  ww_buf_free(&title);
  ww_plot_decades(&p, ai_tick, rate_tick);
  for (uint32_t g = 0; g < r->ngpus; g++)
    roofs_of(r, &p, g);
  for (uint32_t k = 0; k < r->npoints; k++)
    mark(r, &p, k);
  legend(r, &p);
  ww_plot_titles(&p, "flops per byte of DRAM traffic", "FLOP/s");
  ww_plot_end(&p);
}
