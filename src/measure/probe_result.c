/* probe_result.c - a probe's points: as JSON, and over a GPU description. No device
 * needed. */
#include "probe.h"

#include "../base/json_put.h"
#include "../base/jsonread.h"

void ww_probe_add(ww_probe *p, ww_arena *a, const char *name, double x, double value) {
  if (!isfinite(value))
    return;
  ww_push(a, &p->points, ((ww_probe_point){ww_strdup(a, name), x, value}));
}

void ww_probe_write(const ww_probe *p, ww_json *j) {
  ww_json_put(
      j,
      "{schema_version:1,device:%s,architecture:%s,compiler:%s,date:%s,sms:%u,lanes:%u,"
      "seconds:%g,points:[",
      p->device, p->architecture, p->compiler, p->date, p->sms, p->lanes, p->seconds);
  for (uint32_t i = 0; i < p->points.n; i++) {
    const ww_probe_point *q = &p->points.v[i];
    ww_json_put(j, "{name:%s,x!:%g,value:%g}", q->name, q->x, q->value);
  }
  ww_json_put(j, "],gaps:[");
  for (uint32_t i = 0; i < p->gaps.n; i++)
    ww_json_put(j, "{probe:%s,why:%s}", p->gaps.v[i].probe, p->gaps.v[i].why);
  ww_json_put(j, "]}");
}

static ww_status read_points(const cJSON *list, ww_arena *a, ww_probe *out, ww_err *e) {
  int k = 0;
  for (const cJSON *p = list ? list->child : NULL; p; p = p->next, k++) {
    const cJSON *x = cJSON_GetObjectItemCaseSensitive(p, "x");
    const cJSON *v = cJSON_GetObjectItemCaseSensitive(p, "value");
    const char *name;
    const char *where = ww_fmt(a, "points[%d].name", k);
    ww_status st = ww_json_want_str(cJSON_GetObjectItemCaseSensitive(p, "name"), where,
                                    &name, a, e);
    if (st)
      return st;
    if (!cJSON_IsNumber(v))
      return ww_fail(e, WW_EPARSE, "points[%d].value: expected a number", k);
    ww_probe_add(out, a, name, cJSON_IsNumber(x) ? x->valuedouble : NAN,
                 v->valuedouble);
  }
  return WW_OK;
}

ww_status
ww_probe_parse(const char *json, size_t n, ww_arena *a, ww_probe *out, ww_err *e) {
  *out = (ww_probe){0};
  cJSON *root = ww_json_read(json, n, e);
  if (!root)
    return WW_EPARSE;
  const struct {
    const char *name, **to;
  } texts[] = {{"device", &out->device},
               {"architecture", &out->architecture},
               {"date", &out->date}};
  ww_status st = WW_OK;
  for (size_t i = 0; i < 3 && !st; i++)
    st = ww_json_want_str(cJSON_GetObjectItemCaseSensitive(root, texts[i].name),
                          texts[i].name, texts[i].to, a, e);
  uint64_t sms = 0;
  uint64_t lanes = 0;
  if (!st)
    st = ww_json_want_uint(cJSON_GetObjectItemCaseSensitive(root, "sms"), "sms", &sms,
                           e);
  if (!st)
    st = ww_json_want_uint(cJSON_GetObjectItemCaseSensitive(root, "lanes"), "lanes",
                           &lanes, e);
  out->sms = sms;
  out->lanes = lanes;
  if (!st)
    st = read_points(cJSON_GetObjectItemCaseSensitive(root, "points"), a, out, e);
  cJSON_Delete(root);
  return st;
}

/* ---- over a description ---- */

/* Three significant digits: more is noise, and a description is read by people. */
static double rounded(double v) {
  if (v == 0 || !isfinite(v))
    return v;
  double unit = pow(10, floor(log10(fabs(v))) - 2);
  return unit < 1 ? round(v / unit) / round(1 / unit) : round(v / unit) * unit;
}

/* Counts and sizes are exact. */
static double kept(const char *unit, double v) {
  return v == floor(v) && (!strcmp(unit, "byte") || !strcmp(unit, "1")) ? v
                                                                        : rounded(v);
}

static void distill_curve(
    const ww_probe *p, uint32_t curve, const char *source, ww_arena *a, ww_gpu *g) {
  ww_curve c = {.x = WW_NEWN(a, double, p->points.n),
                .y = WW_NEWN(a, double, p->points.n),
                .source = source};
  for (uint32_t i = 0; i < p->points.n; i++) {
    const ww_probe_point *q = &p->points.v[i];
    if (isnan(q->x) || strcmp(q->name, ww_gpu_curves[curve].path))
      continue;
    uint32_t at = c.n++;
    for (; at && c.x[at - 1] > q->x; at--) {
      c.x[at] = c.x[at - 1];
      c.y[at] = c.y[at - 1];
    }
    c.x[at] = q->x;
    c.y[at] = rounded(q->value);
  }
  if (c.n)
    *ww_curve_at(g, curve) = c;
}

/* k of latency(u) = latency * (1 + k u^2) from bandwidth over occupancy: bytes in
 * flight / bandwidth is the latency under load. */
static void distill_queue(const char *source, ww_gpu *g) {
  const ww_curve *c = &g->dram_by_warps;
  double top = g->dram_read;
  double sum = 0;
  double weight = 0;
  if (c->n < 4 || isnan(top) || isnan(g->boost_mhz))
    return;
  double first = c->x[0] * 32 * 16 * g->sms / c->y[0]; /* ns */
  for (uint32_t i = 1; i < c->n; i++) {
    double u = c->y[i] / top;
    double ns = c->x[i] * 32 * 16 * g->sms / c->y[i];
    if (u > 0.95)
      break; /* beyond it the queue grows without bound */
    sum += (ns / first - 1) * u * u;
    weight += u * u * u * u;
  }
  int at = ww_figure_named("dram.queue");
  if (weight > 0 && sum > 0)
    ww_figure_set(g, at, rounded(sum / weight), source);
}

void ww_probe_distill(const ww_probe *p, ww_arena *a, ww_gpu *g) {
  const char *source = ww_fmt(a, "probe %s", p->date);
  for (uint32_t i = 0; i < p->points.n; i++) {
    const ww_probe_point *q = &p->points.v[i];
    int at = isnan(q->x) ? ww_figure_named(q->name) : -1;
    if (at < 0)
      continue;
    double v = kept(ww_gpu_figures[at].unit, q->value);
    if (v >= ww_gpu_figures[at].least && v <= ww_gpu_figures[at].most)
      ww_figure_set(g, at, v, source);
  }
  for (uint32_t k = 0; k < ww_ngpu_curves; k++)
    if (ww_gpu_curves[k].unit_y)
      distill_curve(p, k, source, a, g);
  distill_queue(source, g);
  g->sms = p->sms;
  g->lanes = p->lanes;
  g->architecture = p->architecture;
  g->calibrated = ww_fmt(a, "probe of an %s, %s", p->device, p->date);
}
