/* policy_state.c - a policy's state: of a candidate of the search, as a line of JSON,
 * and back. */
#include "../base/json_put.h"
#include "../base/jsonread.h"
#include "policy.h"

/* Rewrites from the original to the candidate, the oldest first. */
static const char *path_of(const ww_search *s, uint32_t id) {
  const ww_candidate *v = s->out->v.v;
  const char *path = "";
  for (; id; id = v[id].parent)
    path = ww_fmt(s->a, *path ? "%s %s" : "%s%s", ww_rewrites[v[id].kind].id, path);
  return path;
}

/* A kernel that the reader of text does not understand has no question: "". */
static void ask(const ww_search *s, const ww_candidate *c, ww_policy_state *out) {
  ww_question_kernel *k;
  ww_text_question q;
  ww_err ignored = {0};
  out->question = "";
  if (ww_question_read(c->text, strlen(c->text), c->fn->name, c->launch.flags,
                       c->launch.nflags, s->a, &k, &ignored))
    return;
  ww_question_ask(k, &c->ready, s->q->targets->gpus, s->a, &q);
  out->question = q.text;
  memcpy(out->features, q.features, sizeof out->features); /* of the source alone */
}

void ww_policy_state_of(const ww_search *s,
                        uint32_t id,
                        const ww_candidate *offers,
                        uint32_t n,
                        ww_policy_state *out) {
  const ww_candidate *c = &s->out->v.v[id];
  const ww_report *r = &c->report;
  *out = (ww_policy_state){.path = path_of(s, id),
                           .us = c->us,
                           .low = c->low,
                           .high = c->high,
                           .floor_us = s->out->floor_us,
                           .original_us = s->out->v.v[0].us};
  ask(s, c, out);
  for (uint32_t k = 0; k < r->nterms; k++)
    if (!r->terms[k].word && r->terms[k].group && r->terms[k].name &&
        !strcmp(r->terms[k].group, "bound_us"))
      ww_push(s->a, &out->terms,
              ((ww_policy_term){r->terms[k].name, r->terms[k].value}));
  for (uint32_t k = 0; k < r->nfindings; k++)
    ww_push(s->a, &out->findings,
            ((ww_policy_finding){r->findings[k].rule, r->findings[k].gain}));
  for (uint32_t k = 0; k < n; k++)
    ww_push(s->a, &out->offers,
            ((ww_policy_offer){.rewrite = ww_rewrites[offers[k].kind].id,
                               .title = offers[k].title,
                               .state = offers[k].state,
                               .us = offers[k].us}));
  ww_policy_name_offers(out, s->a);
}

void ww_policy_state_write(const ww_policy_state *p, ww_buf *out) {
  ww_json j = {.out = out};
  ww_json_put(&j, "{key?:%s,family?:%s,path:%s,us:%g,low:%g,high:%g,floor_us:%g,",
              p->key, p->family, p->path, p->us, p->low, p->high, p->floor_us);
  ww_json_put(&j, "original_us:%g,terms:[", p->original_us);
  for (uint32_t k = 0; k < p->terms.n; k++)
    ww_json_put(&j, "{name:%s,us:%g}", p->terms.v[k].name, p->terms.v[k].us);
  ww_json_put(&j, "],findings:[");
  for (uint32_t k = 0; k < p->findings.n; k++)
    ww_json_put(&j, "{rule:%s,gain:%g}", p->findings.v[k].rule, p->findings.v[k].gain);
  ww_json_put(&j, "],offers:[");
  for (uint32_t k = 0; k < p->offers.n; k++) {
    const ww_policy_offer *o = &p->offers.v[k];
    ww_json_put(&j, "{rewrite:%s,title:%s,state:%s,us?:%g}", o->rewrite, o->title,
                ww_candidate_names[o->state], o->us);
  }
  ww_json_put(&j, "],question:%s,features:[", p->question);
  for (uint32_t k = 0; k < WW_QUESTION_SOURCE_FEATURES; k++)
    ww_json_put(&j, "%g", (double)(float)((int)(p->features[k] * 1e4f)) * 1e-4);
  ww_json_put(&j, "]}");
  ww_buf_puts(out, "\n");
}

/* ---- reading ---- */

static const cJSON *member(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static double number(const cJSON *o, const char *name) {
  const cJSON *v = member(o, name);
  return cJSON_IsNumber(v) ? v->valuedouble : 0;
}

static const char *text(const cJSON *o, const char *name, ww_arena *a) {
  const char *s = ww_json_text(o, name, a);
  return s ? s : "";
}

static ww_candidate_state state_named(const char *name) {
  for (int k = 0; k < WW_NCANDIDATES; k++)
    if (!strcmp(name, ww_candidate_names[k]))
      return k;
  return WW_CANDIDATE_FAILED;
}

static void read_lists(const cJSON *o, ww_arena *a, ww_policy_state *out) {
  const cJSON *x;
  cJSON_ArrayForEach(x, member(o, "terms"))
      ww_push(a, &out->terms, ((ww_policy_term){text(x, "name", a), number(x, "us")}));
  cJSON_ArrayForEach(x, member(o, "findings")) ww_push(
      a, &out->findings, ((ww_policy_finding){text(x, "rule", a), number(x, "gain")}));
  cJSON_ArrayForEach(x, member(o, "offers"))
      ww_push(a, &out->offers,
              ((ww_policy_offer){.rewrite = text(x, "rewrite", a),
                                 .title = text(x, "title", a),
                                 .state = state_named(text(x, "state", a)),
                                 .us = number(x, "us")}));
  ww_policy_name_offers(out, a);
  uint32_t k = 0;
  cJSON_ArrayForEach(x, member(o, "features")) if (k < WW_QUESTION_SOURCE_FEATURES)
      out->features[k++] = (float)x->valuedouble;
}

ww_status ww_policy_state_read(
    const char *line, size_t n, ww_arena *a, ww_policy_state *out, ww_err *e) {
  cJSON *o = ww_json_read(line, n, e);
  if (!o)
    return e->code;
  *out = (ww_policy_state){.key = text(o, "key", a),
                           .family = text(o, "family", a),
                           .path = text(o, "path", a),
                           .question = text(o, "question", a),
                           .us = number(o, "us"),
                           .low = number(o, "low"),
                           .high = number(o, "high"),
                           .floor_us = number(o, "floor_us"),
                           .original_us = number(o, "original_us")};
  ww_status st = WW_OK;
  if (!cJSON_IsArray(member(o, "offers")) && !member(o, "error"))
    st = ww_fail(e, WW_EDATA, "not a state of `dataset episodes`: no offers");
  read_lists(o, a, out);
  cJSON_Delete(o);
  return st;
}
