/* policy_prompt.c - a state and the calls so far as the text that a policy reads, and
 * calls as the text that it answers with: the agent's own form of a tool call.
 *
 *   <question>              code and launch as the text model reads them
 *   time 308 floor 4        what tools say; left out where they are not asked
 *   term L1 0.92
 *   find uncoalesced-load 6.9
 *   block 32 x 2            what could be done, by its name
 *   unroll 4
 *   unroll 4 #2             another loop
 *   predict unroll 4: 1.98  results of calls: time over that of now
 *   refuse swap             applied, and not the same kernel
 *
 * Which tool is called next follows from the view, so that the model chooses a rewrite
 * and nothing else: all before its name stands in the prompt. */
#include <ctype.h>

#include "policy.h"

#define LEAST_TERM 0.1 /* of the time */

/* Its head and its end. */
static void put_question(const char *text, uint32_t most, ww_buf *out) {
  const char *end = strstr(text, WW_QUESTION_END);
  size_t n = end ? (size_t)(end - text) : strlen(text);
  if (n <= most) {
    ww_buf_add(out, text, n);
  } else {
    ww_buf_add(out, text, 2 * most / 3);
    ww_buf_puts(out, "..");
    ww_buf_add(out, text + n - most / 3, most / 3);
  }
  ww_buf_puts(out, "\n");
}

static bool is_size(const char *s, size_t n) {
  return isdigit((unsigned char)*s) || (n == 1 && (*s == 'x' || *s == 'y'));
}

/* The numbers of a title, of a fix its rule; names and code of the source are left out.
 */
static void put_title(const ww_policy_offer *o, ww_buf *out) {
  if (!strcmp(o->rewrite, "fix")) {
    ww_buf_fmt(out, " %.*s", (int)strcspn(o->title, ": `"), o->title);
    return;
  }
  for (const char *s = o->title; *s;) {
    size_t n = strcspn(s, " ,`");
    if (*s == '`') {
      const char *end = strchr(s + 1, '`');
      s = end ? end + 1 : s + strlen(s);
      continue;
    }
    if (n && is_size(s, n))
      ww_buf_fmt(out, " %.*s", (int)n, s);
    s += n + (n == 0);
  }
}

void ww_policy_name_offers(ww_policy_state *p, ww_arena *a) {
  const char **plain = WW_NEWN(a, const char *, p->offers.n + 1);
  for (uint32_t k = 0; k < p->offers.n; k++) {
    ww_policy_offer *o = &p->offers.v[k];
    ww_buf name = {0};
    uint32_t nth = 1;
    ww_buf_puts(&name, o->rewrite);
    put_title(o, &name);
    plain[k] = ww_buf_text(&name, a);
    for (uint32_t i = 0; i < k; i++)
      nth += !strcmp(plain[i], plain[k]);
    o->name = nth > 1 ? ww_fmt(a, "%s #%u", plain[k], nth) : plain[k];
  }
}

static void put_tools(const ww_policy_state *p, ww_buf *out) {
  ww_buf_fmt(out, "time %.3g floor %.3g\n", p->us, p->floor_us);
  for (uint32_t k = 0; k < p->terms.n; k++)
    if (p->terms.v[k].us > LEAST_TERM * p->us)
      ww_buf_fmt(out, "term %s %.2f\n", p->terms.v[k].name, p->terms.v[k].us / p->us);
  for (uint32_t k = 0; k < p->findings.n; k++)
    ww_buf_fmt(out, "find %s %.2f\n", p->findings.v[k].rule, p->findings.v[k].gain);
}

static void put_result(const ww_policy_state *p, const ww_policy_call *c, ww_buf *out) {
  const ww_policy_offer *o = &p->offers.v[c->offer];
  if (c->act == WW_CALL_APPLY)
    ww_buf_fmt(out, "refuse %s\n", o->name);
  else if (o->us > 0 && o->state != WW_CANDIDATE_FAILED)
    ww_buf_fmt(out, "predict %s: %.2f\n", o->name, o->us / p->us);
  else
    ww_buf_fmt(out, "predict %s: failed\n", o->name);
}

static const char *const begins[] = {
    [WW_CALL_PREDICT] = "{\"name\":\"predict\",\"arguments\":{\"rewrite\":\"",
    [WW_CALL_APPLY] = "{\"name\":\"apply_rewrite\",\"arguments\":{\"rewrite\":\"",
    [WW_CALL_FINISH] = "{\"name\":\"finish\",\"arguments\":{",
};

void ww_policy_prompt(const ww_policy_state *p,
                      const ww_policy_view *v,
                      ww_policy_act act,
                      uint32_t context,
                      ww_buf *out) {
  put_question(p->question, context / 2, out);
  if (v->tools)
    put_tools(p, out);
  for (uint32_t k = 0; k < p->offers.n && k < WW_POLICY_OFFERS; k++)
    ww_buf_fmt(out, "%s\n", p->offers.v[k].name);
  for (uint32_t k = 0; k < v->ndone; k++)
    put_result(p, &v->done[k], out);
  ww_buf_puts(out, WW_QUESTION_END);
  ww_buf_puts(out, begins[act]);
}

void ww_policy_answer(const ww_policy_state *p, const ww_policy_call *c, ww_buf *out) {
  if (c->act != WW_CALL_FINISH)
    ww_buf_fmt(out, "%s\"", p->offers.v[c->offer].name);
  ww_buf_puts(out, "}}");
}

uint32_t ww_policy_predicted(const ww_policy_view *v) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < v->ndone; k++)
    n += v->done[k].act == WW_CALL_PREDICT;
  return n;
}

static bool was_done(const ww_policy_view *v, ww_policy_act act, uint32_t offer) {
  for (uint32_t k = 0; k < v->ndone; k++)
    if (v->done[k].act == act && v->done[k].offer == offer)
      return true;
  return false;
}

/* The fastest of what was predicted to gain and not refused; WW_POLICY_OFFERS: none. */
static uint32_t best_predicted(const ww_policy_state *p, const ww_policy_view *v) {
  uint32_t best = WW_POLICY_OFFERS;
  for (uint32_t k = 0; k < v->ndone; k++) {
    uint32_t id = v->done[k].offer;
    const ww_policy_offer *o = &p->offers.v[id];
    if (v->done[k].act == WW_CALL_PREDICT && !was_done(v, WW_CALL_APPLY, id) &&
        o->us > 0 && o->state != WW_CANDIDATE_FAILED &&
        o->us < WW_SEARCH_GAIN * p->us &&
        (best == WW_POLICY_OFFERS || o->us < p->offers.v[best].us))
      best = id;
  }
  return best;
}

uint32_t ww_policy_calls(const ww_policy_state *p,
                         const ww_policy_view *v,
                         ww_policy_call *out) {
  bool asks = v->tools && ww_policy_predicted(v) < v->budget;
  ww_policy_act act = asks ? WW_CALL_PREDICT : WW_CALL_APPLY;
  uint32_t n = 0;
  for (uint32_t k = 0; k < p->offers.n && k < WW_POLICY_OFFERS; k++)
    if ((asks || !v->tools) && !was_done(v, act, k))
      out[n++] = (ww_policy_call){act, k};
  if (!n && v->tools && (out[0].offer = best_predicted(p, v)) < WW_POLICY_OFFERS)
    out[n++].act = WW_CALL_APPLY;
  if (!n)
    out[n++] = (ww_policy_call){WW_CALL_FINISH, 0};
  return n;
}
