/* api_fix.c - edits for what explain finds: the page's buttons and an agent's patch.
 *
 * Of each finding one fix is offered; those that assume nothing are put together into
 * one patch of the source. The text is the one that was asked about: nothing is
 * written. */
#include "api_int.h"

static ww_status text_of(call *c, char **text, size_t *n) {
  const ww_source *s = &c->ask.source;
  if (!s->text)
    return ww_query_text(c->api->w, s->path, 16u << 20, c->a, text, n, &c->err);
  *n = strlen(s->text);
  *text = ww_strndup(c->a, s->text, *n);
  return WW_OK;
}

/* What the unit says: the text alone does not tell HIP from CUDA. */
static ww_status dialect_of(call *c, ww_dialect *out) {
  ww_query_unit r = {0};
  ww_query *w = c->api->w;
  ww_status st = ww_query_read(w, &c->ask.source, c->ask.deadline, c->a, &r, &c->err);
  if (!st)
    *out = r.unit->module.dialect;
  ww_query_release(w, &r);
  return st;
}

static bool is_here(const call *c, const ww_report *r, const ww_finding *f) {
  return !f->file || !r->file || !strcmp(f->file, r->file) ||
         !strcmp(f->file, c->ask.source.path);
}

static bool is_offered(const ww_call_fixes_list *l, const ww_fix *x) {
  for (uint32_t k = 0; k < l->n; k++)
    if (ww_fix_holds(&l->v[k].fix, x))
      return true;
  return false;
}

static void offer(call *c,
                  const ww_query_answer *from,
                  const ww_finding *f,
                  const ww_fix_source *s,
                  ww_call_fixes_list *out) {
  ww_fix *v;
  uint32_t n = is_here(c, &from->report, f) ? ww_fixes_find(s, f, c->a, &v) : 0;
  if (!n)
    return;
  const ww_fix *x = ww_fix_choose(v, n, false);
  if (is_offered(out, x))
    return;
  ww_offered_fix one = {.kernel = from->kernel, .finding = f, .fix = *x};
  one.taken = !x->assumes && ww_fix_join(&out->all, x, c->a);
  ww_push(c->a, out, one);
}

ww_status ww_call_find_fixes(call *c, ww_call_fixes_list *out) {
  ww_query_result x;
  ww_fix_source s = {0};
  char *text;
  ww_status st = text_of(c, &text, &s.n);
  c->ask.explain = true;
  if (!st)
    st = ww_query_ask(c->api->w, &c->ask, c->a, &x, &c->err);
  if (!st)
    st = dialect_of(c, &s.dialect);
  if (st)
    return st;
  s.text = text;
  *out = (ww_call_fixes_list){.text = text, .bytes = s.n};
  for (uint32_t k = 0; k < x.n; k++) {
    const ww_query_answer *q = &x.v[k];
    out->file = q->report.file;
    s.kernel = q->kernel;
    s.line = q->line;
    s.launch = q->report.launch;
    for (uint32_t i = 0; i < q->report.nfindings; i++)
      offer(c, q, &q->report.findings[i], &s, out);
  }
  return WW_OK;
}

void ww_call_write_patch(const ww_call_fixes_list *l, ww_json *j) {
  ww_buf diff = {0};
  if (l->all.n)
    ww_fix_diff(l->file ? l->file : "kernel.cu", l->text, l->bytes, &l->all, &diff);
  ww_json_put(j, "patch?:%s", diff.s);
  ww_buf_free(&diff);
}

static void write_fix(const ww_offered_fix *x, ww_json *j) {
  const ww_fix *f = &x->fix;
  ww_json_put(j,
              "{kernel:%s,rule:%s,line:%u,title:%s,speedup?:%g,assumes?:%s,taken:%i,"
              "launch:%i,edits:[",
              x->kernel, x->finding->rule, x->finding->line, f->title, x->finding->gain,
              f->assumes, x->taken, f->launch);
  for (uint32_t k = 0; k < f->n; k++)
    ww_json_put(j, "{begin:%u,end:%u,text:%s}", f->edits[k].begin, f->edits[k].end,
                f->edits[k].text);
  ww_json_put(j, "]}");
}

ww_status ww_call_fixes(call *c, ww_api_reply *out) {
  ww_call_fixes_list l;
  if (ww_call_read(c) || ww_call_find_fixes(c, &l))
    return c->err.code;
  ww_json j = ww_call_json(out);
  ww_json_put(&j, "{file:%s,fixes:[", l.file);
  for (uint32_t k = 0; k < l.n; k++)
    write_fix(&l.v[k], &j);
  ww_json_end_arr(&j);
  ww_call_write_patch(&l, &j);
  return ww_call_end(&j);
}
