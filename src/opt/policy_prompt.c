/* policy_prompt.c - a state and the calls so far as the text that a policy reads, and
 * calls as the text that it answers with: the agent's own form of a tool call.
 *
 *   <question>           code and launch as the text model reads them
 *   did swap             rewrites since the original
 *   time 308 floor 4     what tools say; left out where they are not asked
 *   term L1 0.92
 *   find uncoalesced-load 6.9
 *   r0 block 32 x 2      what could be done: rewrite and numbers
 *   predict r0 1.98      results of calls: time over that of now
 *   refuse r4            applied, and not the same kernel */
#include <ctype.h>

#include "policy.h"

#define MOST_QUESTION 1000 /* bytes: its head and its end */
#define LEAST_TERM 0.1     /* of the time */
#define TITLE_WORDS 4      /* of an edit that has no numbers */

static void put_question(const char *text, ww_buf *out) {
  const char *end = strstr(text, WW_QUESTION_END);
  size_t n = end ? (size_t)(end - text) : strlen(text);
  if (n <= MOST_QUESTION) {
    ww_buf_add(out, text, n);
  } else {
    ww_buf_add(out, text, 2 * MOST_QUESTION / 3);
    ww_buf_puts(out, "..");
    ww_buf_add(out, text + n - MOST_QUESTION / 3, MOST_QUESTION / 3);
  }
  ww_buf_puts(out, "\n");
}

static bool is_size(const char *s, size_t n) {
  return isdigit((unsigned char)*s) || (n == 1 && (*s == 'x' || *s == 'y'));
}

/* The numbers of a title; names and code of the source are left out. */
static void put_title(const ww_policy_offer *o, ww_buf *out) {
  bool fix = !strcmp(o->rewrite, "fix");
  uint32_t words = 0;
  for (const char *s = o->title; *s;) {
    size_t n = strcspn(s, " ,`");
    if (*s == '`') {
      const char *end = strchr(s + 1, '`');
      s = end ? end + 1 : s + strlen(s);
      continue;
    }
    if (n && (is_size(s, n) || (fix && words < TITLE_WORDS)))
      ww_buf_fmt(out, " %.*s", (int)n, s);
    words += n > 0;
    s += n + (n == 0);
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
    ww_buf_fmt(out, "refuse r%u\n", c->offer);
  else if (o->us > 0 && o->state != WW_CANDIDATE_FAILED)
    ww_buf_fmt(out, "predict r%u %.2f\n", c->offer, o->us / p->us);
  else
    ww_buf_fmt(out, "predict r%u failed\n", c->offer);
}

void ww_policy_prompt(const ww_policy_state *p, const ww_policy_view *v, ww_buf *out) {
  put_question(p->question, out);
  if (*p->path)
    ww_buf_fmt(out, "did %s\n", p->path);
  if (v->tools)
    put_tools(p, out);
  for (uint32_t k = 0; k < p->offers.n && k < WW_POLICY_OFFERS; k++) {
    ww_buf_fmt(out, "r%u %s", k, p->offers.v[k].rewrite);
    put_title(&p->offers.v[k], out);
    ww_buf_puts(out, "\n");
  }
  for (uint32_t k = 0; k < v->ndone; k++)
    put_result(p, &v->done[k], out);
  ww_buf_puts(out, WW_QUESTION_END);
}

void ww_policy_answer(const ww_policy_call *c, ww_buf *out) {
  if (c->act == WW_CALL_FINISH)
    ww_buf_puts(out, "{\"name\":\"finish\",\"arguments\":{}}");
  else
    ww_buf_fmt(out, "{\"name\":\"%s\",\"arguments\":{\"rewrite\":\"r%u\"}}",
               c->act == WW_CALL_PREDICT ? "predict" : "apply_rewrite", c->offer);
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

/* With tools what was predicted to gain, else anything. */
static bool may_apply(const ww_policy_state *p, const ww_policy_view *v, uint32_t k) {
  const ww_policy_offer *o = &p->offers.v[k];
  if (was_done(v, WW_CALL_APPLY, k))
    return false;
  return !v->tools ||
         (was_done(v, WW_CALL_PREDICT, k) && o->us > 0 &&
          o->state != WW_CANDIDATE_FAILED && o->us < WW_SEARCH_GAIN * p->us);
}

uint32_t ww_policy_calls(const ww_policy_state *p,
                         const ww_policy_view *v,
                         ww_policy_call *out) {
  uint32_t offers = ww_least(p->offers.n, WW_POLICY_OFFERS);
  bool more = v->tools && ww_policy_predicted(v) < v->budget;
  uint32_t n = 0;
  for (uint32_t k = 0; k < offers; k++)
    if (more && !was_done(v, WW_CALL_PREDICT, k))
      out[n++] = (ww_policy_call){WW_CALL_PREDICT, k};
  for (uint32_t k = 0; k < offers; k++)
    if (may_apply(p, v, k))
      out[n++] = (ww_policy_call){WW_CALL_APPLY, k};
  out[n++] = (ww_policy_call){WW_CALL_FINISH, 0};
  return n;
}
