/* sweep.c - ranges of sizes, and what was predicted over them as a table and as a curve
 * with its interval. */
#include "sweep.h"

#include "../../base/units.h"
#include "plot.h"
#include "show.h"

enum { MOST_POINTS = 200 };

/* ---- the range ---- */

static ww_status
list(const char *s, ww_arena *a, ww_sweep *out, uint64_t first, ww_err *e) {
  WW_VEC(uint64_t) v = {0};
  ww_push(a, &v, first);
  while (*s == ',') {
    uint64_t x;
    s++;
    if (!ww_number_read(&s, &x) || x <= v.v[v.n - 1])
      return ww_fail(e, WW_EUSAGE, "--sweep: values go up: n=1000,5000,20000");
    ww_push(a, &v, x);
  }
  if (*s)
    return ww_fail(
        e, WW_EUSAGE,
        "--sweep: '%.20s' is not understood; n=1K..64M, n=1K..64M:9 or n=1000,5000", s);
  out->v = v.v;
  out->n = v.n;
  return WW_OK;
}

static void spaced(ww_sweep *out, uint64_t lo, uint64_t hi, uint64_t points) {
  for (uint64_t k = 0; k < points; k++) {
    uint64_t x =
        points > 1 ? llround(lo * pow(hi / (double)lo, k / (double)(points - 1))) : lo;
    if (k + 1 == points)
      x = hi;
    if (!out->n || x > out->v[out->n - 1])
      out->v[out->n++] = x;
  }
}

ww_status ww_sweep_parse(const char *text, ww_arena *a, ww_sweep *out, ww_err *e) {
  const char *eq = strchr(text, '=');
  uint64_t lo;
  uint64_t hi;
  uint64_t points = 0;
  *out = (ww_sweep){0};
  if (!eq || eq == text)
    return ww_fail(e, WW_EUSAGE,
                   "--sweep: expected NAME=FROM..TO, n=1K..64M, not '%.40s'", text);
  out->name = ww_strndup(a, text, eq - text);
  const char *s = eq + 1;
  if (!ww_number_read(&s, &lo) || lo == 0)
    return ww_fail(e, WW_EUSAGE, "--sweep: expected a size from 1 up, not '%.40s'",
                   eq + 1);
  if (strncmp(s, "..", 2) != 0)
    return list(s, a, out, lo, e);
  s += 2;
  if (!ww_number_read(&s, &hi) || hi < lo)
    return ww_fail(
        e, WW_EUSAGE,
        "--sweep: the range goes from the smaller to the larger, not '%.40s'", eq + 1);
  if (*s == ':' &&
      (s++, !ww_number_read(&s, &points) || points < 2 || points > MOST_POINTS))
    return ww_fail(e, WW_EUSAGE, "--sweep: the number of points is 2 to %d",
                   MOST_POINTS);
  if (*s)
    return ww_fail(e, WW_EUSAGE,
                   "--sweep: '%.20s' is not understood; n=1K..64M or n=1K..64M:9", s);
  out->v = WW_NEWN(a, uint64_t, MOST_POINTS);
  if (points)
    spaced(out, lo, hi, points);
  else
    for (uint64_t x = lo; x <= hi && out->n < MOST_POINTS; x *= 2)
      out->v[out->n++] = x;
  return WW_OK;
}

ww_status
ww_sweep_launch(const ww_sweep *s, uint64_t v, ww_arena *a, ww_launch *l, ww_err *e) {
  ww_launch over = {0};
  const char *text = ww_fmt(a, "%llu", (unsigned long long)v);
  ww_status st = WW_OK;
  if (!strcmp(s->name, "grid"))
    st = ww_launch_shape(text, "--sweep", a, over.grid, over.grid_expr, e);
  else if (!strcmp(s->name, "block"))
    over.threads = v;
  else
    st = ww_launch_arg(ww_fmt(a, "%s=%s", s->name, text), a, &over, e);
  if (!st)
    ww_launch_merge(l, &over, a);
  return st;
}

/* 64K, 3M, 1000 */
static const char *size_text(uint64_t v, char out[24]) {
  static const char *const unit[] = {"", "K", "M", "G"};
  int k = 0;
  while (k < 3 && v >= 1024 && v % 1024 == 0) {
    v /= 1024;
    k++;
  }
  snprintf(out, 24, "%llu%s", (unsigned long long)v, unit[k]);
  return out;
}

/* ---- table ---- */

enum { CELL = 28 }; /* time and interval of one GPU; three fit beside the value */

static void
row(const ww_sweep_result *r, uint32_t i, uint32_t from, uint32_t to, FILE *f) {
  char v[24];
  char t[16];
  char lo[16];
  char hi[16];
  char text[48];
  fprintf(f, "%10s", size_text(r->sweep->v[i], v));
  for (uint32_t g = from; g < to; g++) {
    const ww_sweep_point *p = &r->points[i * r->ngpus + g];
    if (p->known)
      snprintf(text, sizeof text, "%s  %s..%s", ww_show_us(p->us, t),
               ww_show_us(p->low, lo), ww_show_us(p->high, hi));
    else
      snprintf(text, sizeof text, "-");
    fprintf(f, " %*s", CELL, text);
  }
  if (to - from == 1)
    fprintf(f, "  %s",
            r->points[i * r->ngpus + from].known ? r->points[i * r->ngpus + from].bound
                                                 : "");
  fputc('\n', f);
}

void ww_sweep_print(const ww_sweep_result *r, FILE *f) {
  enum { MOST = 3 };
  ww_show_bold(f, r->kernel);
  fprintf(f, "  %s\n", r->file);
  for (uint32_t from = 0; from < r->ngpus; from += MOST) {
    uint32_t to = from + MOST < r->ngpus ? from + MOST : r->ngpus;
    fprintf(f, "\n%10s", r->sweep->name);
    for (uint32_t g = from; g < to; g++)
      fprintf(f, " %*s", CELL, r->gpus[g]);
    fprintf(f, "%s\n", to - from == 1 ? "  bound by" : "");
    for (uint32_t i = 0; i < r->sweep->n; i++)
      row(r, i, from, to, f);
  }
  char v[24];
  if (r->last.assumed.n)
    fprintf(f, "\nfor %s = %s\n", r->sweep->name,
            size_text(r->sweep->v[r->sweep->n - 1], v));
  ww_show_assumed(f, &r->last);
}

/* ---- curve ---- */

static const char *time_tick(double us, char out[24]) {
  static const char *const units[] = {"µs", "ms", "s", NULL};
  const char *unit = ww_unit_of(&us, units, 999, 999);
  snprintf(out, 24, "%.4g %s", us, unit);
  return out;
}

static void ranges(const ww_sweep_result *r, ww_plot *p) {
  double lo = INFINITY;
  double hi = 0;
  for (uint32_t k = 0; k < r->sweep->n * r->ngpus; k++) {
    if (!r->points[k].known)
      continue;
    lo = fmin(lo, r->points[k].low);
    hi = fmax(hi, r->points[k].high);
  }
  if (!(hi > 0)) {
    lo = 1;
    hi = 10;
  }
  double first = r->sweep->v[0];
  double last = r->sweep->v[r->sweep->n - 1];
  double margin = last > first ? pow(last / first, 0.03) : 2;
  p->x0 = first / margin;
  p->x1 = last * margin;
  p->y0 = lo / 1.3;
  p->y1 = hi * 1.3;
}

/* Ticks at the sweep's own values, at most nine. */
static void size_ticks(const ww_sweep_result *r, ww_plot *p) {
  char t[24];
  uint32_t every = (r->sweep->n + 8) / 9;
  for (uint32_t i = 0; i < r->sweep->n; i += every)
    ww_plot_tick_x(p, r->sweep->v[i], size_text(r->sweep->v[i], t));
}

/* Ticks between the decades where there are few. */
static void time_ticks(ww_plot *p) {
  char t[24];
  ww_plot_decades(p, NULL, time_tick);
  if (p->y1 / p->y0 > 300)
    return;
  for (double d = pow(10, floor(log10(p->y0))); d < p->y1; d *= 10)
    for (int k = 2; k <= 5; k += 3)
      if (d * k > p->y0 && d * k < p->y1)
        ww_plot_tick_y(p, d * k, time_tick(d * k, t));
}

/* Points of a polygon or line, in the order of sizes or back; `value` of each point. */
static void
points(const ww_sweep_result *r, ww_plot *p, uint32_t g, size_t value, bool back) {
  for (uint32_t k = 0; k < r->sweep->n; k++) {
    uint32_t i = back ? r->sweep->n - 1 - k : k;
    const ww_sweep_point *q = &r->points[i * r->ngpus + g];
    if (q->known)
      ww_buf_fmt(p->out, "%.1f,%.1f ", ww_plot_x(p, r->sweep->v[i]),
                 ww_plot_y(p, *(const double *)((const char *)q + value)));
  }
}

static void curve(const ww_sweep_result *r, ww_plot *p, uint32_t g) {
  const char *color = ww_plot_colors[g % WW_PLOT_COLORS];
  const ww_sweep *s = r->sweep;
  ww_buf *b = p->out;
  ww_buf_puts(b, "<polygon points=\"");
  points(r, p, g, offsetof(ww_sweep_point, low), false);
  points(r, p, g, offsetof(ww_sweep_point, high), true);
  ww_buf_fmt(b, "\" fill=\"%s\" fill-opacity=\"0.14\"/>\n<polyline points=\"", color);
  points(r, p, g, offsetof(ww_sweep_point, us), false);
  ww_buf_fmt(b, "\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>\n", color);
  for (uint32_t i = 0; i < s->n; i++) {
    const ww_sweep_point *q = &r->points[i * r->ngpus + g];
    char t[16];
    char v[24];
    if (!q->known)
      continue;
    ww_buf_fmt(b, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"><title>",
               ww_plot_x(p, s->v[i]), ww_plot_y(p, q->us), color);
    ww_svg_escape(b, r->gpus[g]);
    ww_buf_fmt(b, ", %s = %s: %s, bound by %s</title></circle>\n", s->name,
               size_text(s->v[i], v), ww_show_us(q->us, t), q->bound);
  }
}

void ww_sweep_svg(const ww_sweep_result *r, ww_buf *out) {
  ww_plot p = {.out = out};
  ww_buf title = {0};
  ranges(r, &p);
  ww_buf_fmt(&title, "%s over %s", r->kernel, r->sweep->name);
  ww_plot_begin(&p, 130, title.s, "predicted time, with its interval");
  ww_buf_free(&title);
  size_ticks(r, &p);
  time_ticks(&p);
  for (uint32_t g = 0; g < r->ngpus; g++)
    curve(r, &p, g);
  for (uint32_t g = 0; g < r->ngpus; g++) {
    double x = p.left + p.width + 16;
    double y = p.top + 14 + 22 * g;
    ww_buf_fmt(out,
               "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
               "stroke-width=\"3\"/>\n",
               x, y, x + 18, y, ww_plot_colors[g % WW_PLOT_COLORS]);
    ww_svg_text(p.out, x + 25, y + 4, "start", "#222222", 13, 0, r->gpus[g]);
  }
  ww_plot_titles(&p, r->sweep->name, "time of the kernel");
  ww_plot_end(&p);
}
