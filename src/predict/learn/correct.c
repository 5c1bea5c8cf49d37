/* correct.c - applies what was learned from measurements to a prediction of the machine
 * model.
 *
 * Invariants: the corrected report agrees with itself as the machine model's does
 * (rates are counts over time, nothing above a roof, shares between 0 and 100 %);
 * outside the data it was trained on the correction fades to nothing and the interval
 * only grows. */

#include <float.h>

#include "../../base/json_put.h"
#include "../../base/jsonread.h"
#include "correct_int.h"
#include "score.h"

const ww_metric_space ww_metric_spaces[WW_NMETRICS] = {
    [WW_M_time_us] = {WW_IN_LOG, 0},
    [WW_M_dram_read_bytes] = {WW_IN_LOG, 65536},
    [WW_M_dram_write_bytes] = {WW_IN_LOG, 65536},
    [WW_M_l1_hit_pct] = {WW_IN_POINTS, 0},
    [WW_M_l2_hit_pct] = {WW_IN_POINTS, 0},
    [WW_M_l2_bytes] = {WW_IN_LOG, 16384},
    [WW_M_occupancy_pct] = {WW_IN_POINTS, 0},
    [WW_M_registers] = {WW_IN_LOG, 0},
    [WW_M_warp_instructions] = {WW_IN_LOG, 0},
    [WW_M_active_lanes] = {WW_IN_LOG, 0},
    [WW_M_int_ops] = {WW_IN_LOG, 1000},
};

double ww_space_between(const ww_metric_space *s, double machine, double value) {
  if (s->space == WW_IN_POINTS)
    return (value - machine) / 100;
  double a = machine + s->floor;
  double b = value + s->floor;
  return a > 0 && b > 0 ? log(b / a) : NAN;
}

static double apply(const ww_metric_space *s, double machine, double by) {
  if (s->space == WW_IN_POINTS)
    return fmin(100, fmax(0, machine + 100 * by));
  double v = (machine + s->floor) * exp(by) - s->floor;
  return fmax(v, 0);
}

/* ---- forests ---- */

double ww_forest_eval(const ww_forest *f, const float *x) {
  double sum = f->base;
  for (uint32_t k = 0; k < f->ntrees; k++) {
    const ww_tree_node *n = &f->nodes[f->roots[k]];
    while (n->feature >= 0)
      n += x[n->feature] < n->v ? 1 : n->right;
    sum += n->v;
  }
  return sum;
}

uint32_t ww_forest_leaves(const ww_forest *f) {
  return (f->nnodes + f->ntrees) / 2;
}

ww_members ww_members_eval(const ww_forest *f, uint32_t n, const float *x) {
  double sum = 0;
  double squares = 0;
  for (uint32_t k = 0; k < n; k++) {
    double y = ww_forest_eval(&f[k], x);
    sum += y;
    squares += y * y;
  }
  double mean = n ? sum / n : 0;
  return (ww_members){mean, n ? fmax(0, squares / n - mean * mean) : 0};
}

double ww_metric_model_use(const ww_metric_model *m, ww_members v) {
  double square = v.mean * v.mean;
  double by = square > 0 ? v.mean * square / (square + m->shrinkage * v.variance) : 0;
  if (fabs(by) <= m->dead)
    return 0; /* the machine model is exact more often than a mean of leaves can say */
  by = m->share * (by - copysign(m->dead, by)) + m->shift;
  return fmin(m->clip, fmax(-m->clip, by));
}

bool ww_correction_knows(const ww_correction *c, const ww_gpu *g) {
  return c && c->gpu && g->name && !strcmp(c->gpu, g->name);
}

/* How far outside the range of its data any feature lies, in ranges: up to a tenth is
 * still like it, a whole range is nothing like it. */
double ww_correction_trust(const ww_correction *c, const ww_features *x) {
  double most = 0;
  for (int k = 0; k < WW_NFEATURES; k++) {
    double range = fmax(c->hi[k] - c->lo[k], 1e-3);
    most = fmax(most, fmax(c->lo[k] - x->v[k], x->v[k] - c->hi[k]) / range);
  }
  return fmin(1, fmax(0, (1 - most) / 0.9));
}

void ww_doubts_of(const ww_correction *c,
                  const ww_features *x,
                  ww_members said,
                  double by,
                  ww_doubts *out) {
  uint32_t outside = 0;
  for (int k = 0; k < WW_NFEATURES; k++)
    outside += x->v[k] < c->lo[k] || x->v[k] > c->hi[k];
  memcpy(out->v, x->v, sizeof x->v);
  /* in steps: a threshold written with seven digits still parts them as it did */
  out->v[WW_DOUBT_SPREAD] = rint(1000 * log(0.01 + sqrt(said.variance))) / 1000;
  out->v[WW_DOUBT_SIZE] = rint(1000 * fabs(by)) / 1000;
  out->v[WW_DOUBT_BY] = rint(1000 * by) / 1000;
  out->v[WW_DOUBT_OUTSIDE] = outside;
}

bool ww_correction_value(const ww_correction *c,
                         ww_metric m,
                         const ww_features *x,
                         double trust,
                         double machine,
                         ww_quantity *out) {
  const ww_metric_model *k = &c->m[m];
  const ww_metric_space *s = &ww_metric_spaces[m];
  if (!k->known || !(trust > 0) ||
      !(machine + s->floor > 0 || s->space == WW_IN_POINTS))
    return false;
  ww_members said = ww_members_eval(k->forest, k->members, x->v);
  double by = k->members ? ww_metric_model_use(k, said) : 0;
  ww_doubts doubts;
  ww_doubts_of(c, x, said, by, &doubts);
  /* in the metric's space */
  double size = exp(ww_forest_eval(&k->scale, doubts.v));
  by *= trust;
  double value = apply(s, machine, by);
  *out = (ww_quantity){
      .known = true,
      .interval = true,
      .value = value,
      .low = fmin(value, apply(s, machine, by + fmin(-k->least, k->low * size))),
      .high = fmax(value, apply(s, machine, by + fmax(k->least, k->high * size)))};
  return true;
}

/* ---- a whole prediction ---- */

static void clamp(ww_quantity *q, double least, double most) {
  double *const v[] = {&q->value, &q->low, &q->high};
  for (int k = 0; k < 3; k++)
    *v[k] = fmin(fmax(*v[k], least), most);
}

/* No launch is faster than the datasheet's peaks allow, or than an empty one. */
static double roof_us(const ww_report *r, const ww_gpu *g) {
  const struct {
    double work, per_us;
  } roofs[] = {{ww_report_dram(r), 1e3 * g->dram_peak},
               {ww_report_value(r, WW_M_flops_fp64), 1e6 * g->peak_fp64},
               {ww_report_value(r, WW_M_flops_fp32), 1e6 * g->peak_fp32},
               {ww_report_value(r, WW_M_flops_fp16), 1e6 * g->peak_fp16}};
  /* the floor itself varies by some percent */
  double us = g->launch_floor > 0 ? 0.8 * g->launch_floor : 0;
  for (size_t k = 0; k < sizeof roofs / sizeof *roofs; k++)
    if (roofs[k].per_us > 0)
      us = fmax(us, roofs[k].work / roofs[k].per_us);
  return us;
}

/* Registers are whole; occupancy follows from them. */
static void fit_occupancy(const ww_gpu *g, ww_prediction *p) {
  ww_quantity *q = &p->report.m[WW_M_registers];
  ww_occupancy o;
  q->value = fmax(1, fmin(round(q->value),
                          g->max_thread_registers > 0 ? g->max_thread_registers : 255));
  ww_occupancy_of(g, p->work.block_threads, q->value, p->work.occupancy.shared_bytes,
                  &o);
  if (o.blocks)
    ww_report_set(&p->report, WW_M_occupancy_limit_pct, o.limit_pct);
  clamp(&p->report.m[WW_M_occupancy_pct], -INFINITY,
        p->report.m[WW_M_occupancy_limit_pct].value);
}

static void set_time(const ww_gpu *g, double trust, ww_prediction *p) {
  ww_quantity *q = &p->report.m[WW_M_time_us];
  ww_timing *t = &p->timing;
  if (trust < 1) {
    q->low = fmin(q->low, t->low);
    q->high = fmax(q->high, t->high);
  }
  clamp(q, roof_us(&p->report, g), INFINITY);
  t->us = q->value;
  t->low = q->low;
  t->high = q->high;
}

void ww_correct(const ww_correction *c,
                const ww_gpu *g,
                ww_arena *a,
                ww_prediction *p) {
  const ww_features *x = &p->features;
  ww_report *r = &p->report;
  if (!ww_correction_knows(c, g))
    return;
  double trust = ww_correction_trust(c, x);
  if (!(trust > 0))
    return;
  for (int m = 0; m < WW_NMETRICS; m++)
    if (r->m[m].known)
      ww_correction_value(c, m, x, trust, r->m[m].value, &r->m[m]);
  clamp(&r->m[WW_M_active_lanes], -INFINITY, g->lanes);
  fit_occupancy(g, p);
  set_time(g, trust, p);
  r->by = WW_BY_GROUNDED;
  ww_predict_derive(g, a, p);
}

/* ---- a forest as text ---- */

void ww_forest_write(const ww_forest *f, ww_buf *out) {
  ww_buf_fmt(out, "%.5g", f->base);
  for (uint32_t k = 0; k < f->nnodes; k++)
    if (f->nodes[k].feature >= 0)
      ww_buf_fmt(out, " %d<%.7g", f->nodes[k].feature, f->nodes[k].v);
    else
      ww_buf_fmt(out, " =%.4g", f->nodes[k].v);
}

/* Reads one tree from node `at` on; false: the text ends or is no tree. */
static bool
parse_tree(const char **s, uint32_t nfeatures, uint32_t most, ww_forest *out) {
  enum { DEEP = 256 };
  uint32_t open[DEEP];
  uint32_t depth = 0;
  uint32_t from = out->nnodes;
  do {
    ww_tree_node *n = &out->nodes[out->nnodes];
    char *end;
    if (out->nnodes >= most)
      return false;
    if (**s == '=') {
      *n = (ww_tree_node){-1, 0, strtof(*s + 1, &end)};
      if (end == *s + 1 || !isfinite(n->v))
        return false;
    } else {
      long feature = strtol(*s, &end, 10);
      if (end == *s || *end != '<' || feature < 0 || feature >= nfeatures ||
          depth == DEEP)
        return false;
      *n = (ww_tree_node){feature, 0, strtof(end + 1, &end)};
    }
    *s = end + strspn(end, " ");
    uint32_t at = out->nnodes++;
    if (n->feature >= 0) {
      open[depth++] = at; /* its left child comes next */
      continue;
    }
    while (depth && out->nodes[open[depth - 1]].right)
      depth--; /* that was a right child: its parents are whole */
    if (depth)
      out->nodes[open[depth - 1]].right = out->nnodes - open[depth - 1];
  } while (depth && out->nnodes - from < UINT16_MAX);
  return !depth;
}

ww_status ww_forest_parse(
    const char *text, uint32_t nfeatures, ww_arena *a, ww_forest *out, ww_err *e) {
  uint32_t most = 0;
  char *end;
  for (const char *s = text; *s; s++)
    most += *s == ' ';
  *out = (ww_forest){.base = strtof(text, &end),
                     .nodes = WW_NEWN(a, ww_tree_node, most + 1),
                     .roots = WW_NEWN(a, uint32_t, most + 1)};
  bool bad = end == text || !isfinite(out->base);
  const char *s = end + strspn(end, " ");
  while (!bad && *s) {
    out->roots[out->ntrees++] = out->nnodes;
    bad = !parse_tree(&s, nfeatures, most, out);
  }
  return bad ? ww_fail(e, WW_EDATA, "a forest's text is broken at '%.20s'", s) : WW_OK;
}

/* ---- the file ---- */

static double number(const cJSON *o, const char *name) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, name);
  return cJSON_IsNumber(n) && isfinite(n->valuedouble) ? n->valuedouble : 0;
}

static ww_status
forest(const cJSON *n, uint32_t nfeatures, ww_arena *a, ww_forest *out, ww_err *e) {
  if (!cJSON_IsString(n))
    return WW_OK; /* none: zero everywhere */
  return ww_forest_parse(n->valuestring, nfeatures, a, out, e);
}

static ww_status
read_metric(const cJSON *o, ww_arena *a, ww_metric_model *out, ww_err *e) {
  *out = (ww_metric_model){
      .known = true,
      .share = number(o, "share"),
      .shift = number(o, "shift"),
      .dead = number(o, "dead"),
      .clip = number(o, "clip"),
      .shrinkage = number(o, "doubt"),
      .low = number(o, "low"),
      .high = number(o, "high"),
      .least = number(o, "least"),
      .before = number(o, "validation_machine"),
      .after = number(o, "validation"),
      .launches = fmin(UINT32_MAX, fmax(0, number(o, "validation_launches")))};
  ww_status st = forest(cJSON_GetObjectItemCaseSensitive(o, "scale"), WW_NDOUBTS, a,
                        &out->scale, e);
  const cJSON *n;
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "forests");
  cJSON_ArrayForEach(n, list) {
    if (st || out->members == WW_MOST_MEMBERS)
      break;
    st = forest(n, WW_NFEATURES, a, &out->forest[out->members++], e);
  }
  return st;
}

/* The file's features must be this program's, in its order. */
static ww_status read_features(const cJSON *root, ww_correction *c, ww_err *e) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(root, "features");
  const cJSON *n;
  int k = 0;
  cJSON_ArrayForEach(n, list) {
    const cJSON *name = cJSON_GetArrayItem(n, 0);
    const cJSON *lo = cJSON_GetArrayItem(n, 1);
    const cJSON *hi = cJSON_GetArrayItem(n, 2);
    if (k >= WW_NFEATURES || !cJSON_IsString(name) ||
        strcmp(name->valuestring, ww_feature_names[k]) || !cJSON_IsNumber(lo) ||
        !cJSON_IsNumber(hi))
      break;
    if (!(fabs(lo->valuedouble) <= FLT_MAX) || !(fabs(hi->valuedouble) <= FLT_MAX))
      break;
    c->lo[k] = lo->valuedouble;
    c->hi[k++] = hi->valuedouble;
  }
  if (k == WW_NFEATURES && !n)
    return WW_OK;
  return ww_fail(e, WW_EDATA,
                 "the learned correction was made for other features than this "
                 "program's (at '%s'): make it "
                 "again with `warpwise train --correction`, or use --by machine",
                 k < WW_NFEATURES ? ww_feature_names[k] : "its end");
}

ww_status ww_correction_parse(
    const char *text, size_t n, ww_arena *a, ww_correction **out, ww_err *e) {
  ww_correction *c = WW_NEW(a, ww_correction);
  cJSON *root = ww_json_read(text, n, e);
  if (!root)
    return e->code;
  c->gpu = ww_json_text(root, "gpu", a);
  c->data = ww_json_text(root, "data", a);
  ww_status st = read_features(root, c, e);
  const cJSON *metrics = cJSON_GetObjectItemCaseSensitive(root, "metrics");
  const cJSON *o;
  if (!st && metrics && !cJSON_IsObject(metrics))
    st = ww_fail(
        e, WW_EDATA,
        "metrics: expected an object: make the correction again with `warpwise train "
        "--correction`");
  if (st)
    metrics = NULL;
  cJSON_ArrayForEach(o, metrics) {
    int m = ww_metric_named(o->string);
    if (st || m < 0 || ww_metric_spaces[m].space == WW_IN_NOTHING)
      continue;
    st = read_metric(o, a, &c->m[m], e);
  }
  cJSON_Delete(root);
  *out = c;
  return st;
}

ww_status
ww_correction_read(const char *path, ww_arena *a, ww_correction **out, ww_err *e) {
  char *text;
  size_t n;
  ww_status st = ww_read_checked(a, path, 1 << 26, &text, &n, e);
  if (!st)
    st = ww_correction_parse(text, n, a, out, e);
  if (st && !e->file)
    e->file = path;
  return st;
}

ww_status ww_correction_load(ww_arena *a, const ww_correction **out, ww_err *e) {
  const char *dir = ww_data_dir(a);
  const char *path = dir ? ww_path_join(a, dir, "models/correction.json.zst") : NULL;
  ww_correction *c = NULL;
  *out = NULL;
  if (!path || !ww_file_exists(path))
    return WW_OK;
  ww_status st = ww_correction_read(path, a, &c, e);
  if (!st)
    *out = c;
  return st;
}

static void write_forest(ww_json *j, const ww_forest *f) {
  ww_buf b = {0};
  ww_forest_write(f, &b);
  ww_json_str(j, b.s);
  ww_buf_free(&b);
}

static void write_metric(ww_json *j, const ww_metric_model *m) {
  ww_json_put(j, "{validation_launches:%u,validation_machine:%g,validation:%g",
              m->launches, m->before, m->after);
  if (m->members) {
    ww_json_put(j, "share:%g,shift:%g,dead:%g,clip:%g,doubt:%g,forests:[", m->share,
                m->shift, m->dead, m->clip, m->shrinkage);
    for (uint32_t k = 0; k < m->members; k++)
      write_forest(j, &m->forest[k]);
    ww_json_end_arr(j);
  }
  ww_json_put(j, "low:%g,high:%g,least:%g,scale:", m->low, m->high, m->least);
  write_forest(j, &m->scale);
  ww_json_end_obj(j);
}

void ww_correction_write(const ww_correction *c, ww_buf *out) {
  static const char what[] =
      "correction of the machine model, by `warpwise train --correction`";
  ww_json j = {.out = out, .pretty = true};
  ww_json_put(&j, "{schema_version:1,what:%s,gpu:%s,data:%s,features:[", what, c->gpu,
              c->data);
  for (int k = 0; k < WW_NFEATURES; k++)
    ww_json_put(&j, "[%s,%g,%g]", ww_feature_names[k], c->lo[k], c->hi[k]);
  ww_json_put(&j, "],metrics:{");
  for (int m = 0; m < WW_NMETRICS; m++) {
    if (!c->m[m].known)
      continue;
    ww_json_key(&j, ww_metrics[m].name);
    write_metric(&j, &c->m[m]);
  }
  ww_json_put(&j, "}}");
  ww_buf_puts(out, "\n");
}
