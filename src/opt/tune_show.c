/* tune_show.c - a tuned space as a picture, as JSON and in Kernel Tuner's form. */
#include <math.h>
#include <time.h>

#include "../base/json_put.h"
#include "../base/svg.h"
#include "tune.h"

/* ---- JSON ---- */

void ww_tuned_write(const ww_tune *t, const ww_tuned *v, ww_json *j) {
  ww_json_put(j, "label:%s,values:{", v->label);
  for (uint32_t k = 0; k < t->space->n; k++)
    ww_json_knum(j, t->space->axes[k].name, t->space->axes[k].v[v->c[k]]);
  ww_json_put(j, "}");
  if (v->known)
    ww_json_put(j, "predicted:{us:%g,low:%g,high:%g}", v->us, v->low, v->high);
  if (isfinite(v->measured_us))
    ww_json_knum(j, "measured_us", v->measured_us);
  ww_json_put(j,
              "failed?:%i,compiled_registers?:%u,error?:%s,verdict:%s,difference?:%s",
              isinf(v->measured_us), v->compiled, v->error,
              ww_job_verdict_names[v->verdict], v->difference);
}

static const char *invalidity(const ww_tuned *v) {
  if (v->refused)
    return "constraints";
  return isinf(v->measured_us) ? "runtime" : "correct";
}

/* One measurement or, where none was made, the prediction under its own name. */
static void write_result(const ww_tune *t, const ww_tuned *v, ww_json *j) {
  bool measured = isfinite(v->measured_us);
  const ww_job_result *r = measured && t->job && v->candidate < t->job->v.n
                               ? &t->job->v.v[v->candidate].result
                               : NULL;
  char now[40];
  time_t at = time(NULL);
  strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S+00:00", gmtime(&at));
  ww_json_put(j, "{timestamp:%s,configuration:{", now);
  for (uint32_t k = 0; k < t->space->n; k++)
    ww_json_knum(j, t->space->axes[k].name, t->space->axes[k].v[v->c[k]]);
  ww_json_put(j, "},times:{compilation:0,framework:0,search_algorithm:0,validation:0,"
                 "runtimes:[");
  for (uint32_t k = 0; r && k < r->n; k++)
    ww_json_num(j, r->samples[k] / 1e3);
  ww_json_put(j, "]},invalidity:%s,correctness:%d,measurements:[", invalidity(v),
              !v->refused && !isinf(v->measured_us));
  if (measured)
    ww_json_put(j, "{name:'time',value:%g,unit:'ms'}", v->measured_us / 1e3);
  if (v->known)
    ww_json_put(j, "{name:'predicted_time',value:%g,unit:'ms'}", v->us / 1e3);
  ww_json_put(j, "],objectives:[%s]}", measured ? "time" : "predicted_time");
}

void ww_tune_results(const ww_tune *t, ww_json *j) {
  ww_json_put(j, "{metadata:{timeunit:'miliseconds'},results:[");
  for (uint32_t k = 0; k < t->n; k++)
    write_result(t, &t->v[k], j);
  ww_json_put(j, "],schema_version:'1.0.0'}");
}

/* ---- picture: parallel axes, one line a variant, from slow (grey) to fast (blue) ----
 */

enum { WIDTH = 960, HEIGHT = 460, LEFT = 70, RIGHT = 60, TOP = 60, BOTTOM = 70 };

typedef struct {
  const ww_tune *t;
  uint32_t axis[WW_MOST_AXES];
  uint32_t n;        /* axes with a choice; one more stands for the time */
  double fast, slow; /* ln of the time a unit of work */
  double shift; /* ln(measured / predicted) in the median: predictions move by it */
  ww_buf *out;
} picture;

static double time_of(const picture *p, const ww_tuned *v) {
  return isfinite(v->measured_us) ? log(v->measured_us / v->work)
                                  : log(v->us / v->work) + p->shift;
}

static double across(const picture *p, uint32_t k) {
  return LEFT + (double)k / p->n * (WIDTH - LEFT - RIGHT);
}

static double down(double place) {
  return HEIGHT - BOTTOM - place * (HEIGHT - TOP - BOTTOM);
}

/* 0 fast, 1 slow. */
static double slowness(const picture *p, const ww_tuned *v) {
  return p->slow > p->fast ? (time_of(p, v) - p->fast) / (p->slow - p->fast) : 0;
}

static void line(const picture *p, const ww_tuned *v, const char *color, double width) {
  ww_buf_fmt(p->out,
             "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%.1f\" "
             "stroke-linejoin=\"round\" points=\"",
             color, width);
  for (uint32_t k = 0; k < p->n; k++) {
    const ww_axis *x = &p->t->space->axes[p->axis[k]];
    ww_buf_fmt(p->out, "%.1f,%.1f ", across(p, k),
               down(ww_space_place(x, v->c[p->axis[k]])));
  }
  ww_buf_fmt(p->out, "%.1f,%.1f\"><title>", across(p, p->n), down(slowness(p, v)));
  ww_svg_escape(p->out, v->label);
  ww_buf_puts(p->out, "</title></polyline>\n");
}

static void color_of(double slow, char out[8]) {
  static const int fast[3] = {0x1f, 0x5f, 0xbf};
  static const int far[3] = {0xe4, 0xe4, 0xe4};
  double s = sqrt(fmin(1, fmax(0, slow)));
  snprintf(out, 8, "#%02x%02x%02x", (int)(fast[0] + s * (far[0] - fast[0])),
           (int)(fast[1] + s * (far[1] - fast[1])),
           (int)(fast[2] + s * (far[2] - fast[2])));
}

static const char *time_text(double ln, char out[24]) {
  double us = exp(ln);
  snprintf(out, 24, us < 1e3 ? "%.3g µs" : "%.3g ms", us < 1e3 ? us : us / 1e3);
  return out;
}

static void draw_axes(const picture *p) {
  char text[24];
  for (uint32_t k = 0; k <= p->n; k++) {
    ww_buf_fmt(p->out,
               "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" "
               "stroke=\"#444444\"/>\n",
               across(p, k), across(p, k), down(0), down(1));
    if (k == p->n)
      break;
    const ww_axis *x = &p->t->space->axes[p->axis[k]];
    ww_svg_text(p->out, across(p, k), HEIGHT - BOTTOM + 24, "middle", "#222222", 12, 0,
                x->name);
    uint32_t step = x->n > 12 ? x->n / 8 : 1;
    for (uint32_t i = 0; i < x->n; i += step) {
      snprintf(text, sizeof text, "%.6g", x->v[i]);
      ww_svg_text(p->out, across(p, k) - 5, down(ww_space_place(x, i)) + 4, "end",
                  "#666666", 10, 0, text);
    }
  }
  for (int k = 0; k <= 4; k++)
    ww_svg_text(p->out, across(p, p->n) + 6, down(k / 4.) + 4, "start", "#666666", 10,
                0, time_text(p->fast + k / 4. * (p->slow - p->fast), text));
  ww_svg_text(p->out, across(p, p->n), HEIGHT - BOTTOM + 24, "middle", "#222222", 12, 0,
              "time");
}

typedef struct {
  double time;
  const ww_tuned *v;
} timed;

static int by_time(const void *x, const void *y) {
  double a = ((const timed *)x)->time;
  double b = ((const timed *)y)->time;
  return a > b ? -1 : a < b;
}

static int by_value(const void *x, const void *y) {
  return -by_time(&(timed){*(const double *)x, NULL},
                  &(timed){*(const double *)y, NULL});
}

static double shift_of(const ww_tune *t) {
  double *ratio = WW_NEWN(t->a, double, t->n + 1);
  uint32_t n = 0;
  for (uint32_t k = 0; k < t->n; k++)
    if (t->v[k].known && isfinite(t->v[k].measured_us))
      ratio[n++] = log(t->v[k].measured_us / t->v[k].us);
  qsort(ratio, n, sizeof *ratio, by_value);
  return n ? ratio[n / 2] : 0;
}

static void draw_lines(picture *p, const ww_tune_verdict *best) {
  const ww_tune *t = p->t;
  timed *v = WW_NEWN(t->a, timed, t->n + 1);
  uint32_t n = 0;
  p->shift = shift_of(t);
  for (uint32_t k = 0; k < t->n; k++)
    if (!t->v[k].refused && !isinf(t->v[k].measured_us) &&
        (t->v[k].known || isfinite(t->v[k].measured_us)))
      v[n++] = (timed){time_of(p, &t->v[k]), &t->v[k]};
  qsort(v, n, sizeof *v, by_time);
  p->slow = n ? v[0].time : 0;
  p->fast = n ? v[n - 1].time : 0;
  for (uint32_t k = 0; k < n; k++) {
    bool measured = isfinite(v[k].v->measured_us);
    char color[8];
    color_of(slowness(p, v[k].v), color);
    line(p, v[k].v, measured ? "#d0741c" : color, measured ? 1.6 : 1);
  }
  if (best)
    line(p, &t->v[best->best], "#c0143c", 3);
}

void ww_tune_svg(const ww_tune *t, const ww_tune_verdict *best, ww_buf *out) {
  picture p = {
      .t = t,
      .out = out,
  };
  for (uint32_t k = 0; k < t->space->n; k++)
    if (t->space->axes[k].n > 1)
      p.axis[p.n++] = k;
  const char *name = t->over.kernel ? t->over.kernel : ww_path_base(t->source.path);
  const char *title =
      ww_fmt(t->a, "%s on %s: %u variants", name, t->targets->gpus[0].full_name, t->n);
  ww_svg_begin(out, WIDTH, HEIGHT, title);
  ww_svg_text(out, LEFT - 40, 28, "start", "#222222", 15, 0, title);
  ww_svg_text(
      out, LEFT - 40, HEIGHT - 14, "start", "#666666", 11, 0,
      "blue: predicted, the darker the faster; orange: measured; red: the best");
  if (p.n) {
    draw_lines(&p, best);
    draw_axes(&p);
  }
  ww_svg_end(out);
}
