/* tools.c - the table of tools, their arguments and results. */
#include "tools.h"

#include "../base/jsonread.h"
#include "../predict/show/show.h"
#include "../serve/schema.h"
#include "pieces.h"

#define MOST_FINDINGS 5
#define MOST_LINES 5
#define MOST_OFFERS 60
#define MOST_POINTS 12
#define MOST_WHOLE (12u << 10) /* bytes of a file that is shown whole */

typedef struct {
  ww_tools *t;
  ww_workbench *b;
  const cJSON *args; /* an object, or NULL */
  ww_buf *out;
  ww_err err;
} call;

/* ---- arguments ---- */

static const char *text_of(const call *c, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(c->args, name);
  return cJSON_IsString(v) ? v->valuestring : NULL;
}

/* v3, "3" or 3; `letter` is v or r. False: it is there and is none. */
static bool number_of(const call *c, const char *name, char letter, uint32_t *out) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(c->args, name);
  char *end;
  if (!v || cJSON_IsNull(v))
    return true;
  if (cJSON_IsNumber(v)) {
    *out = v->valuedouble >= 0 && v->valuedouble < 1e9 ? v->valuedouble : UINT32_MAX;
    return true;
  }
  if (!cJSON_IsString(v))
    return false;
  const char *s = v->valuestring + (*v->valuestring == letter);
  unsigned long n = strtoul(s, &end, 10);
  *out = n < UINT32_MAX ? n : UINT32_MAX;
  return *s >= '0' && *s <= '9' && !*end;
}

static ww_status version_of(call *c, uint32_t *out) {
  *out = c->b->all.best;
  if (!number_of(c, "version", 'v', out) || *out >= c->b->all.v.n)
    return ww_fail(&c->err, WW_EUSAGE, "version: there are v0 to v%u",
                   c->b->all.v.n - 1);
  return WW_OK;
}

/* "256", "16,16"; up to three whole numbers. */
static ww_status shape_of(call *c, const char *name, uint32_t most, uint32_t out[3]) {
  const char *s = text_of(c, name);
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(c->args, name);
  char digits[16];
  if (cJSON_IsNumber(v)) {
    snprintf(digits, sizeof digits, "%.0f",
             v->valuedouble > 0 && v->valuedouble < 1e9 ? v->valuedouble : 0);
    s = digits;
  }
  for (int k = 0; s && *s; k++) {
    char *end;
    unsigned long n = strtoul(s, &end, 10);
    if (k == 3 || *s < '0' || *s > '9' || !n || n > most || (*end && *end != ','))
      return ww_fail(&c->err, WW_EUSAGE,
                     "%s: one to three whole numbers up to %u, as 256 or 16,16", name,
                     most);
    out[k] = n;
    s = *end ? end + 1 : end;
  }
  return WW_OK;
}

/* ---- words ---- */

static void put_us(ww_buf *out, double us) {
  char text[16];
  ww_buf_puts(out, ww_show_us(us, text));
}

/* Of names and messages that come from the source or the model: one line. */
static void put_line(ww_buf *out, const char *text) {
  ww_buf_printable(out, text, SIZE_MAX);
}

static void put_time(const call *c, uint32_t id) {
  const ww_candidate *v = &c->b->all.v.v[id];
  put_us(c->out, ww_candidate_us(v));
  if (ww_candidate_measured(v))
    ww_buf_puts(c->out, " measured");
  else {
    ww_buf_puts(c->out, " (");
    put_us(c->out, v->low);
    ww_buf_puts(c->out, " .. ");
    put_us(c->out, v->high);
    ww_buf_puts(c->out, ") predicted");
  }
  if (id)
    ww_buf_fmt(c->out, ", %.2f times as fast as v0", ww_candidate_gain(&c->b->all, id));
}

static bool is_same_kernel(const ww_candidate *v) {
  return v->state >= WW_CANDIDATE_VERIFIED;
}

/* What a version is and what is known of it, in one line. */
static void put_version(const call *c, uint32_t id) {
  const ww_candidate *v = &c->b->all.v.v[id];
  ww_buf_fmt(c->out, "v%u", id);
  if (id) {
    ww_buf_fmt(c->out, " (v%u, ", v->parent);
    put_line(c->out, v->title);
    ww_buf_puts(c->out, ")");
  }
  ww_buf_puts(c->out, ": ");
  if (v->state == WW_CANDIDATE_FAILED || v->state == WW_CANDIDATE_DIFFERENT ||
      v->state == WW_CANDIDATE_UNJUDGED) {
    ww_buf_fmt(c->out, "refused, %s", ww_candidate_texts[v->state]);
    if (v->why) {
      ww_buf_puts(c->out, ": ");
      put_line(c->out, v->why);
    }
    ww_buf_puts(c->out, "\n");
    return;
  }
  put_time(c, id);
  if (id && is_same_kernel(v))
    ww_buf_fmt(c->out, "; the same kernel in %u cases", v->cases);
  else if (id)
    ww_buf_puts(c->out, "; not verified: no gain over what it was made from");
  ww_buf_puts(c->out, "\n");
}

/* The stopping rule. */
static void put_left(const call *c, uint32_t id) {
  double above = ww_state_above_floor(&c->b->all, id);
  if (above <= 0)
    return;
  ww_buf_fmt(c->out, "v%u is at %.2f times its floor of ", id, above);
  put_us(c->out, c->b->all.floor_us);
  ww_buf_puts(c->out, ww_bench_at_floor(c->b, id)
                          ? ": nothing left to gain, call finish\n"
                          : ": there may be that much to gain\n");
}

static void put_best(const call *c) {
  const ww_optimized *o = &c->b->all;
  if (o->best)
    ww_buf_fmt(c->out, "best so far: v%u, %.2f times as fast as v0\n", o->best,
               ww_candidate_gain(o, o->best));
  else
    ww_buf_puts(c->out, "best so far: none that is verified and surely faster\n");
}

static void put_next(const call *c, uint32_t id, const char *calls) {
  ww_buf_puts(c->out, "next: ");
  if (ww_bench_at_floor(c->b, c->b->all.best) && c->b->all.best)
    ww_buf_puts(c->out, "finish\n");
  else
    for (; *calls; calls++)
      if (*calls == '$')
        ww_buf_fmt(c->out, "v%u", id);
      else
        ww_buf_fmt(c->out, "%c%s", *calls, calls[1] ? "" : "\n");
}

/* ---- asking ---- */

static ww_status look(call *c, uint32_t *id) {
  ww_status st = version_of(c, id);
  return st ? st : ww_bench_look(c->b, *id, &c->err);
}

static ww_status run_predict(call *c) {
  uint32_t id;
  ww_status st = look(c, &id);
  if (st)
    return st;
  put_version(c, id);
  ww_state_write(&c->b->all, id, NULL, 0, c->out);
  put_left(c, id);
  put_next(c, id, "explain $; list_rewrites $; submit_source");
  return WW_OK;
}

static void put_finding(const call *c, uint32_t nth, const ww_finding *f) {
  ww_buf_fmt(c->out, "%u. line %u, %s", nth, f->line, f->rule);
  if (f->gain > 0)
    ww_buf_fmt(c->out, ", %.2f times as fast without it", f->gain);
  ww_buf_puts(c->out, ": ");
  put_line(c->out, f->message);
  ww_buf_puts(c->out, "\n");
}

static ww_status run_explain(call *c) {
  uint32_t id;
  ww_status st = look(c, &id);
  if (st)
    return st;
  const ww_report *r = &c->b->all.v.v[id].report;
  put_version(c, id);
  ww_buf_puts(c->out, "limited by ");
  put_line(c->out, r->bottleneck);
  ww_buf_puts(c->out, "\n");
  for (uint32_t k = 0; k < r->nfindings && k < MOST_FINDINGS; k++)
    put_finding(c, k + 1, &r->findings[k]);
  if (!r->nfindings)
    ww_buf_puts(c->out, "no findings\n");
  for (uint32_t k = 0; k < r->nlines && k < MOST_LINES; k++)
    if (r->lines[k].file && r->lines[k].share > 0.01)
      ww_buf_fmt(c->out, "line %u: %.0f %% of the time\n", r->lines[k].line,
                 100 * r->lines[k].share);
  put_left(c, id);
  put_next(c, id, "list_rewrites $; submit_source");
  return WW_OK;
}

static ww_status run_roofline(call *c) {
  uint32_t id;
  ww_status st = look(c, &id);
  if (st)
    return st;
  const ww_candidate *v = &c->b->all.v.v[id];
  put_version(c, id);
  ww_buf_fmt(c->out,
             "reads at least %.3g bytes, writes %.3g; operations: %.3g fp32, "
             "%.3g fp64\n",
             v->needs.read_bytes, v->needs.written_bytes, v->needs.flops32,
             v->needs.flops64);
  if (v->report.roofline_class)
    ww_buf_fmt(c->out, "class: %s\n", v->report.roofline_class);
  put_left(c, id);
  put_next(c, id, "explain $; list_rewrites $");
  return WW_OK;
}

static void put_points(const call *c, const ww_bench_points *v) {
  for (uint32_t k = 0; k < v->n && k < MOST_POINTS; k++) {
    const ww_candidate *p = &v->v[k].c;
    ww_buf_fmt(c->out, "%u. %s: ", k + 1, v->v[k].label);
    if (p->state == WW_CANDIDATE_FAILED)
      put_line(c->out, p->why);
    else
      put_us(c->out, p->us);
    ww_buf_puts(c->out, "\n");
  }
  if (v->n > MOST_POINTS)
    ww_buf_fmt(c->out, "and %u more\n", v->n - MOST_POINTS);
}

static ww_status run_sweep(call *c) {
  uint32_t id;
  ww_bench_points v;
  const char *range = text_of(c, "range");
  ww_status st = version_of(c, &id);
  if (!st && !range)
    st = ww_fail(&c->err, WW_EUSAGE, "range: a text such as n=1K..64M");
  if (!st)
    st = ww_bench_sweep(c->b, id, range, &v, &c->err);
  if (!st)
    put_points(c, &v);
  return st;
}

static ww_status run_verify(call *c) {
  uint32_t id;
  ww_status st = version_of(c, &id);
  if (!st)
    st = ww_bench_verify(c->b, id, &c->err);
  if (st)
    return st;
  put_version(c, id);
  put_best(c);
  return WW_OK;
}

/* ---- doing ---- */

static ww_status run_list(call *c) {
  uint32_t id;
  const ww_bench_list *o;
  ww_status st = version_of(c, &id);
  if (!st)
    st = ww_bench_offers(c->b, id, &o, &c->err);
  if (st)
    return st;
  for (uint32_t k = 0; k < o->n && k < MOST_OFFERS; k++) {
    ww_buf_fmt(c->out, "r%u %s: ", k + 1, ww_rewrites[o->v[k].kind].id);
    put_line(c->out, o->v[k].title);
    ww_buf_puts(c->out, "\n");
  }
  if (!o->n)
    ww_buf_fmt(c->out, "v%u has no rewrites that are not versions already\n", id);
  put_next(c, id, o->n ? "apply_rewrite of $; submit_source" : "submit_source; finish");
  return WW_OK;
}

static void put_made(const call *c, uint32_t id) {
  const ww_candidate *v = &c->b->all.v.v[id];
  put_version(c, id);
  put_best(c);
  if (is_same_kernel(v) && v->us < c->b->all.v.v[v->parent].us) {
    put_left(c, id);
    put_next(c, id, "explain $; list_rewrites $; finish");
  } else
    put_next(c, v->parent, "list_rewrites $; submit_source; finish");
}

static ww_status run_apply(call *c) {
  uint32_t id;
  uint32_t made;
  uint32_t nth = 0;
  ww_status st = version_of(c, &id);
  if (!st && (!number_of(c, "rewrite", 'r', &nth) || !nth))
    st = ww_fail(&c->err, WW_EUSAGE, "rewrite: r1, r2, ... as list_rewrites has them");
  if (!st)
    st = ww_bench_apply(c->b, id, nth - 1, &made, &c->err);
  if (!st)
    put_made(c, made);
  return st;
}

static ww_status run_submit(call *c) {
  ww_submission x = {.source = text_of(c, "source")};
  uint32_t made;
  ww_status st = WW_OK;
  if (!x.source || !*x.source)
    st = ww_fail(&c->err, WW_EUSAGE, "source: the text of the kernel");
  if (!st)
    st = shape_of(c, "block", 1024, x.block);
  if (!st)
    st = shape_of(c, "covers", 1u << 20, x.covers);
  if (!st)
    st = ww_bench_submit(c->b, &x, &made, &c->err);
  if (!st)
    put_made(c, made);
  return st;
}

static ww_status run_tune(call *c) {
  uint32_t id;
  uint32_t made;
  ww_bench_points v;
  ww_status st = version_of(c, &id);
  if (!st)
    st = ww_bench_tune(c->b, id, text_of(c, "param"), &v, &made, &c->err);
  if (st)
    return st;
  put_points(c, &v);
  if (made)
    put_made(c, made);
  else {
    ww_buf_fmt(c->out, "none is faster than v%u\n", id);
    put_best(c);
  }
  return WW_OK;
}

static ww_status run_measure(call *c) {
  uint32_t id;
  ww_status st = version_of(c, &id);
  if (!st)
    st = ww_bench_measure(c->b, id, &c->err);
  if (st)
    return st;
  put_version(c, id);
  put_best(c);
  return WW_OK;
}

static ww_status run_finish(call *c) {
  c->t->finished = true;
  put_best(c);
  return WW_OK;
}

/* ---- the table ---- */

static const ww_tool_info infos[] = {
#define TOOL(name, run, what, args, required) {#name, what, args, required},
#include "tools.def"
#undef TOOL
    {0},
};
static ww_status (*const runs[])(call *c) = {
#define TOOL(name, run, what, args, required) run,
#include "tools.def"
#undef TOOL
};

const ww_tool_info *ww_tools_next(const ww_tools *t, const ww_tool_info *before) {
  const ww_tool_info *i = before ? before + 1 : infos;
  while (i->name && runs[i - infos] == run_measure && !t->b->q.measure)
    i++;
  return i->name ? i : NULL;
}

void ww_tool_schema(const ww_tool_info *t, ww_json *j) {
  ww_json_put(j, "{type:'object',properties:{");
  ww_schema_properties(j, t->arguments);
  ww_json_put(j, "},required:[");
  if (*t->required)
    ww_json_str(j, t->required);
  ww_json_put(j, "],additionalProperties:false}");
}

/* Is it a name of the tool's own lines? */
static bool has_argument(const ww_tool_info *t, const char *name) {
  size_t n = strlen(name);
  for (const char *line = t->arguments; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (!strncmp(line, name, n) && line[n] == ' ')
      return true;
  }
  return false;
}

static ww_status check_arguments(const ww_tool_info *t, call *c) {
  const cJSON *v;
  if (!cJSON_IsObject(c->args))
    return ww_fail(&c->err, WW_EUSAGE, "arguments: a JSON object");
  cJSON_ArrayForEach(v, c->args) {
    if (!has_argument(t, v->string))
      return ww_fail(&c->err, WW_EUSAGE, "%s has no argument `%.40s`", t->name,
                     v->string);
  }
  if (*t->required && !cJSON_GetObjectItemCaseSensitive(c->args, t->required))
    return ww_fail(&c->err, WW_EUSAGE, "%s needs `%s`", t->name, t->required);
  return WW_OK;
}

static void unknown_tool(const ww_tools *t, const char *name, ww_buf *out) {
  ww_buf_puts(out, "error: there is no tool `");
  ww_buf_printable(out, name, 40);
  ww_buf_puts(out, "`; there are:");
  for (const ww_tool_info *i = NULL; (i = ww_tools_next(t, i));)
    ww_buf_fmt(out, " %s", i->name);
  ww_buf_puts(out, "\n");
}

bool ww_tools_call(ww_tools *t, const char *name, const char *arguments, ww_buf *out) {
  const ww_tool_info *i = NULL;
  call c = {.t = t, .b = t->b, .out = out};
  while ((i = ww_tools_next(t, i)) && strcmp(i->name, name) != 0) {}
  if (!i) {
    unknown_tool(t, name, out);
    return false;
  }
  const char *text = arguments && *arguments ? arguments : "{}";
  cJSON *args = ww_json_read(text, strlen(text), &c.err);
  ww_status st = args ? WW_OK : c.err.code;
  c.args = args;
  if (!st)
    st = check_arguments(i, &c);
  if (!st)
    st = runs[i - infos](&c);
  cJSON_Delete(args);
  if (st) {
    out->n = 0;
    ww_buf_puts(out, "error: ");
    put_line(out, c.err.msg);
    ww_buf_puts(out, "\n");
  }
  return !st;
}

/* ---- the task ---- */

/* The kernel alone, where it can be told from the rest; else all there is. */
static void put_source(const ww_tools *t, ww_buf *out) {
  const ww_optimized *o = &t->b->all;
  const char *text = o->v.v[0].text;
  ww_pieces p;
  ww_err e = {0};
  if (strlen(text) > MOST_WHOLE && !ww_pieces_cut(text, t->b->a, &p, &e))
    for (uint32_t k = 0; k < p.v.n; k++)
      if (p.v.v[k].function && ww_token_is(&p, p.v.v[k].name, o->kernel) &&
          p.v.v[k].open < p.v.v[k].last) {
        uint32_t from = p.tokens.v[p.v.v[k].first].begin;
        ww_buf_fmt(out, "(line %u on)\n", ww_line_at(text, from));
        ww_buf_add(out, text + from, p.tokens.v[p.v.v[k].last - 1].end - from);
        ww_buf_puts(out, "\n");
        return;
      }
  ww_buf_add(out, text, ww_least(strlen(text), 4 * MOST_WHOLE));
  ww_buf_puts(out, "\n");
}

void ww_tools_task(ww_tools *t, ww_buf *out) {
  const ww_optimized *o = &t->b->all;
  const ww_bench_list *offers = NULL;
  ww_err e = {0};
  bool known = !ww_bench_offers(t->b, 0, &offers, &e);
  ww_buf_fmt(out, "Make the kernel %s faster. What is known of it:\n\n", o->kernel);
  ww_state_write(o, 0, known ? offers->v : NULL,
                 known ? ww_least(offers->n, MOST_OFFERS) : 0, out);
  ww_buf_puts(out, "\nThe file, which is data:\n\n<<<<\n");
  put_source(t, out);
  ww_buf_puts(out, ">>>>\n");
}
