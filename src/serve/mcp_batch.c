/* mcp_batch.c - the launches of a whole program added up, as `record` wrote them: our
 * own program predicts them as a child, one line a launch.
 *
 * What has no answer stands beside the sum with its count and reason, never inside it.
 */
#include "mcp_int.h"

#define SHOWN 24 /* kernels, and reasons */

/* All launches of one kernel on one GPU. */
typedef struct {
  const char *kernel, *gpu, *why; /* why: they have no answer */
  uint64_t launches;
  double us, low, high;
} part;

typedef struct {
  WW_VEC(part) v;
  const ww_launch *launches; /* of the recording */
  uint32_t n;
  const char *first; /* GPU; NULL: none yet */
  uint32_t launch;   /* lines are of the how-manieth one, from 1 */
} parts;

static part *part_of(parts *p, const ww_report *r, ww_arena *a) {
  const char *why = r->error.code ? ww_strdup(a, r->error.msg) : NULL;
  for (uint32_t k = 0; k < p->v.n; k++) {
    part *x = &p->v.v[k];
    if (!strcmp(x->kernel, r->kernel) && !strcmp(x->gpu, r->gpu) && !x->why == !why)
      return x;
  }
  part one = {.kernel = r->kernel, .gpu = r->gpu, .why = why};
  ww_push(a, &p->v, one);
  return &p->v.v[p->v.n - 1];
}

/* A line for each launch and GPU, in their order; of one without any answer, one line
 * without a GPU. */
static void add_line(parts *p, const char *line, ww_arena *a) {
  ww_report r = {0};
  ww_err e;
  if (!*line || ww_report_parse(line, a, &r, &e))
    return;
  if (!r.kernel)
    r.kernel = "";
  if (!r.gpu)
    r.gpu = "";
  if (!p->first && *r.gpu)
    p->first = r.gpu;
  p->launch += !*r.gpu || !strcmp(r.gpu, p->first);
  bool known = p->launch && p->launch <= p->n;
  uint64_t count = known ? p->launches[p->launch - 1].count : 1;
  count = count ? count : 1;
  const ww_quantity *q = &r.m[WW_M_time_us];
  part *x = part_of(p, &r, a);
  x->launches += count;
  x->us += q->value * (double)count;
  x->low += (q->interval ? q->low : q->value) * (double)count;
  x->high += (q->interval ? q->high : q->value) * (double)count;
}

static int by_time(const void *a, const void *b) {
  const part *x = a;
  const part *y = b;
  if (!x->why != !y->why)
    return x->why ? 1 : -1;
  return (x->us < y->us) - (x->us > y->us);
}

static void write_part(const part *x, ww_json *j) {
  ww_json_put(j, "{kernel:%s,gpu:%s,launches:%lu", x->kernel, x->gpu, x->launches);
  if (x->why)
    ww_json_kstr(j, "error", x->why);
  else
    ww_mcp_quantity(j, "time_us",
                    &(ww_quantity){.value = x->us,
                                   .known = true,
                                   .interval = true,
                                   .low = x->low,
                                   .high = x->high});
  ww_json_end_obj(j);
}

/* Once for each GPU that the parts name; what has no answer at all is missing on each.
 */
static void write_total(const parts *p, uint32_t first, ww_json *j) {
  const char *gpu = p->v.v[first].gpu;
  part sum = {0};
  uint64_t without = 0;
  if (!*gpu && p->first)
    return;
  for (uint32_t k = 0; k < p->v.n; k++) {
    const part *x = &p->v.v[k];
    if (*x->gpu && strcmp(x->gpu, gpu))
      continue;
    if (k < first && !strcmp(x->gpu, gpu))
      return;
    sum.launches += x->launches;
    sum.us += x->us;
    without += x->why ? x->launches : 0;
  }
  ww_json_put(j, "{gpu:%s,launches:%lu,unanswered:%lu,time_us:%g}", gpu, sum.launches,
              without, ww_mcp_digits(sum.us));
}

static void write_parts(ww_mcp_call *t, parts p, char *lines) {
  for (char *line; (line = strsep(&lines, "\n"));)
    add_line(&p, line, t->a);
  if (p.v.n)
    qsort(p.v.v, p.v.n, sizeof *p.v.v, by_time);
  ww_json_put(&t->j, "totals:[");
  for (uint32_t k = 0; k < p.v.n; k++)
    write_total(&p, k, &t->j);
  ww_json_put(&t->j, "],kernels:[");
  for (uint32_t k = 0; k < p.v.n && k < SHOWN; k++)
    write_part(&p.v.v[k], &t->j);
  ww_json_end_arr(&t->j);
  if (p.v.n > SHOWN)
    ww_json_kuint(&t->j, "more", p.v.n - SHOWN);
}

/* A recording names files: none may lie outside of what is served. */
static ww_status read_launches(ww_mcp_call *t,
                               const char *path,
                               const ww_launch **out,
                               uint32_t *count) {
  ww_launch *v;
  uint32_t n;
  ww_status st = ww_launch_read(path, t->a, &v, &n, &t->err);
  const char *dir = ww_path_dir(t->a, path);
  for (uint32_t k = 0; !st && k < n; k++)
    st = ww_mcp_check_launch(t, dir, dir, &v[k], t->a);
  *out = v;
  *count = n;
  return st;
}

/* One name, or a list of them, as the command takes it; NULL: the server's, if any. */
static const char *gpus(ww_mcp_call *t) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(t->args, "gpu");
  const cJSON *list = cJSON_IsArray(v) ? v : NULL;
  const char *all = cJSON_IsString(v) ? v->valuestring : t->m->o.gpu;
  const char *named = NULL;
  const cJSON *x;
  cJSON_ArrayForEach(x, list) {
    if (cJSON_IsString(x))
      named =
          ww_fmt(t->a, "%s%s%s", named ? named : "", named ? "," : "", x->valuestring);
  }
  return named ? named : all;
}

ww_status ww_mcp_batch(ww_mcp_call *t) {
  const char *path;
  ww_mcp_child k;
  parts p = {0};
  ww_query *w = t->m->o.w;
  if (ww_query_path(w, ww_mcp_text(t, "launches"), true, t->a, &path, &t->err) ||
      read_launches(t, path, &p.launches, &p.n) || ww_mcp_child_start(&k, t, "predict"))
    return t->err.code;
  ww_mcp_child_option(&k, "batch", path);
  ww_mcp_child_option(&k, "gpu", gpus(t));
  ww_status st = ww_mcp_child_run(&k, NULL);
  if (!st)
    write_parts(t, p, k.r.out.s);
  ww_run_free(&k.r);
  return st;
}

void ww_mcp_schema_batch(ww_json *j) {
  ww_mcp_list(j, "totals", "one per GPU",
              "gpu string\n"
              "launches integer\n"
              "unanswered integer that the time leaves out\n"
              "time_us number");
  ww_mcp_list(j, "kernels", "most time first, those without an answer last",
              "kernel string\n"
              "gpu string\n"
              "launches integer\n"
              "time_us object of all its launches: value, low, high\n"
              "error string why there is none");
  ww_schema_properties(j, "more integer kernels that were left out");
}
