/* gpu_write.c - a GPU description as JSON.
 *
 * What ww_gpu_write prints, ww_gpu_parse reads back to the same figures and sources. */
#include "gpu.h"

#include "../base/json_put.h"

typedef struct {
  const char *path; /* what is left of it */
  const char *json; /* the leaf */
} entry;

typedef WW_VEC(entry) entries;

static void points(ww_json *j, const ww_curve *c) {
  ww_json_arr(j);
  for (uint32_t k = 0; k < c->n; k++)
    if (c->y)
      ww_json_put(j, "[%g,%g]", c->x[k], c->y[k]);
    else
      ww_json_num(j, c->x[k]);
  ww_json_end_arr(j);
}

/* A figure, or a curve, which is then not NULL; with where it is from, if that is
 * known. */
static const char *
leaf(double figure, const ww_curve *c, const char *source, ww_arena *a) {
  ww_buf b = {0};
  ww_json j = {.out = &b};
  if (source)
    ww_json_put(&j, "{%s:", c ? "values" : "value");
  if (c)
    points(&j, c);
  else
    ww_json_num(&j, figure);
  if (source)
    ww_json_put(&j, "source:%s}", source);
  return ww_buf_text(&b, a);
}

/* Members in the order of the table; those that share a first component become one
 * object, where the first of them stands. */
static void write_level(ww_json *j, const entry *v, uint32_t n, ww_arena *a) {
  bool *done = WW_NEWN(a, bool, n + 1);
  for (uint32_t i = 0; i < n; i++) {
    size_t len = strcspn(v[i].path, ".");
    if (done[i])
      continue;
    ww_json_key(j, ww_strndup(a, v[i].path, len));
    if (!v[i].path[len]) {
      ww_json_raw(j, v[i].json);
      continue;
    }
    entries group = {0};
    for (uint32_t k = i; k < n; k++) {
      if (strncmp(v[k].path, v[i].path, len + 1))
        continue;
      done[k] = true;
      ww_push(a, &group, ((entry){v[k].path + len + 1, v[k].json}));
    }
    ww_json_obj(j);
    write_level(j, group.v, group.n, a);
    ww_json_end_obj(j);
  }
}

void ww_gpu_write(const ww_gpu *g, bool pretty, ww_buf *out) {
  ww_arena *a = ww_arena_new();
  entries all = {0};
  ww_json j = {.out = out, .pretty = pretty};
  for (uint32_t i = 0; i < WW_NGPU_FIGURES; i++) {
    double v = ww_figure_of(g, i);
    if (!isnan(v))
      ww_push(a, &all,
              ((entry){ww_gpu_figures[i].path, leaf(v, NULL, g->source[i], a)}));
  }
  for (uint32_t i = 0; i < ww_ngpu_curves; i++) {
    const ww_curve *c = (const ww_curve *)((const char *)g + ww_gpu_curves[i].at);
    if (c->n)
      ww_push(a, &all, ((entry){ww_gpu_curves[i].path, leaf(0, c, c->source, a)}));
  }
  ww_json_put(
      &j,
      "{schema_version:1,name:%s,full_name:%s,vendor:%s,architecture:%s,calibrated?:%s,"
      "notes?:%s,lanes:%u,sms:%u",
      g->name, g->full_name, g->vendor, g->architecture, g->calibrated, g->notes,
      g->lanes, g->sms);
  write_level(&j, all.v, all.n, a);
  ww_json_end_obj(&j);
  ww_buf_puts(out, "\n");
  ww_arena_free(a);
}

void ww_gpu_members(const ww_gpu *g, ww_json *j) {
  ww_json_put(j,
              "name:%s,full_name:%s,vendor:%s,architecture:%s,sms:%u,lanes:%u,"
              "calibrated:%s,grade:%s",
              g->name, g->full_name, g->vendor, g->architecture, g->sms, g->lanes,
              g->calibrated, ww_grades[ww_gpu_grade(g)].text);
}
