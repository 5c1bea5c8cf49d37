/* search.c - the beam search of `optimize`: in each round every rewrite of every kernel
 * of the beam is predicted; those that promise a gain are verified against the
 * original, the fastest first, until the beam is full.
 *
 * The predictor is asked first, as it takes a tenth of verify's time. Verify runs in a
 * process of its own: a candidate is as hostile as a stranger's code. */
#include "../base/child.h"
#include "../measure/plan.h"
#include "../predict/advice/advice.h"
#include "optimize.h"

#define BEAM 3
#define ROUNDS 5
#define MOST_CANDIDATES 400
#define GAIN 0.99       /* of the time before: less is a gain */
#define FINAL_GAIN 0.97 /* of the original's time: what is handed back is below */
#define AT_FLOOR 1.1    /* of what is needed: there is nothing left to gain */
#define VERIFY_BYTES (2ull << 30)
#define VERIFY_SECONDS 60
#define VERIFY_BUDGET 40000000u /* warp instructions of a candidate's verification */

#define C(id, name, text) name,
const char *const ww_candidate_names[] = {WW_CANDIDATES(C)};
#undef C
#define C(id, name, text) text,
const char *const ww_candidate_texts[] = {WW_CANDIDATES(C)};
#undef C

typedef struct {
  const ww_optimize_request *q;
  ww_arena *a;
  ww_optimized *out;
  WW_VEC(uint64_t) seen; /* hashes of candidates: text and launch */
} search;

static bool is_over(const search *s) {
  const ww_optimize_request *q = s->q;
  return (q->deadline > 0 && ww_now() > q->deadline) ||
         (q->cancelled && q->cancelled(q->ctx));
}

/* ---- predicting ---- */

/* Its kernel and launches: as written, and in numbers. */
static ww_status
read_candidate(search *s, ww_candidate *c, ww_launch *ready, ww_err *e) {
  ww_source source = s->q->source;
  ww_query_kernel k = {.launch = c->launch};
  source.text = c->text;
  source.once = false;
  source.as_written = true; /* names and expressions follow verify's sizes */
  ww_status st = ww_query_find(NULL, &source, s->q->deadline, s->a, &c->unit, &k, e);
  if (!st && k.fn->refusal)
    st = ww_fail(e, WW_EUNSUPPORTED, "%s", k.fn->refusal);
  if (st)
    return st;
  c->fn = k.fn;
  c->launch = k.launch;
  c->unit.source.as_written = false;
  ww_query_kernel numbers = {.fn = k.fn};
  ww_launch_copy(&k.launch, s->a, &numbers.launch);
  st = ww_query_launch(NULL, &c->unit, s->q->deadline, s->a, &numbers, e);
  *ready = numbers.launch;
  return st;
}

static ww_status predict(search *s, ww_candidate *c, ww_err *e) {
  ww_query_targets t = *s->q->targets;
  ww_prediction p;
  ww_advice advice;
  ww_launch ready;
  ww_status st = read_candidate(s, c, &ready, e);
  if (st)
    return st;
  ww_arena *own = ww_arena_new();
  t.n = 1;
  st = ww_query_predict(c->unit.unit, c->fn, &ready, &t, NULL, own, &p, e);
  if (!st) {
    const ww_quantity *time = &p.report.m[WW_M_time_us];
    ww_advise(&c->unit.unit->module, c->fn, t.gpus, t.params, &p, own, &advice);
    ww_report_copy(&p.report, s->a, &c->report);
    ww_launch_copy(&p.trace.launch, s->a, &c->ready);
    ww_job_needs_of(&p, &c->needs);
    c->us = time->value;
    c->low = time->interval ? time->low : time->value;
    c->high = time->interval ? time->high : time->value;
  }
  ww_arena_free(own);
  return st;
}

/* ---- verifying ---- */

typedef struct {
  const ww_verify_side *side;
  const ww_verify_options *how;
} comparison;

/* A line with the state and the cases, then why. */
static void compare(void *ctx, ww_buf *out) {
  const comparison *x = ctx;
  ww_arena *a = ww_arena_new();
  ww_verdict v;
  ww_err e = {0};
  ww_status st = ww_verify(&x->side[0], &x->side[1], x->how, a, &v, &e);
  if (st)
    ww_buf_fmt(out, "%d 0\n%s", WW_CANDIDATE_UNJUDGED, e.msg);
  else if (v.same)
    ww_buf_fmt(out, "%d %u\n", WW_CANDIDATE_VERIFIED, v.cases);
  else
    ww_buf_fmt(out, "%d %u\n%s%s%s with %s", WW_CANDIDATE_DIFFERENT, v.cases,
               ww_difference_texts[v.first.kind], v.first.buffer ? " in " : "",
               v.first.buffer ? v.first.buffer : "", v.first.at);
  ww_arena_free(a);
}

static void verify(search *s, ww_candidate *c, uint64_t seed, uint64_t budget) {
  const ww_candidate *o = &s->out->v.v[0];
  ww_verify_side side[2] = {{&o->unit.unit->module, o->fn, o->launch},
                            {&c->unit.unit->module, c->fn, c->launch}};
  ww_verify_options how = {.seed = seed, .budget = budget, .apart = c->apart};
  comparison x = {side, &how};
  ww_buf b = {0};
  ww_err e = {0};
  unsigned state = WW_CANDIDATE_UNJUDGED;
  double deadline = ww_now() + VERIFY_SECONDS;
  if (s->q->deadline > 0 && s->q->deadline < deadline)
    deadline = s->q->deadline;
  ww_status st = ww_child_run(
      &(ww_child){
          .work = compare, .ctx = &x, .deadline = deadline, .bytes = VERIFY_BYTES},
      &b, &e);
  c->state = WW_CANDIDATE_UNJUDGED;
  if (st)
    c->why = ww_strdup(s->a, e.msg);
  else if (b.n && sscanf(b.s, "%u %u", &state, &c->cases) == 2 &&
           state < WW_NCANDIDATES) {
    const char *why = strchr(b.s, '\n');
    c->state = state;
    c->why = why && why[1] ? ww_strdup(s->a, why + 1) : NULL;
  }
  ww_buf_free(&b);
}

/* What a device needs to run it. All get the original's buffers: the same bytes go in
 * everywhere. */
static void plan(search *s, ww_candidate *c) {
  const ww_launch *first = s->out->v.n ? &s->out->v.v[0].planned : NULL;
  ww_assumed said = {0};
  ww_err e = {0};
  ww_launch_copy(&c->ready, s->a, &c->planned);
  if (ww_plan(&c->unit.unit->module, c->fn, &c->planned, &said, s->a, &e)) {
    c->planned = (ww_launch){0};
    return;
  }
  for (uint32_t k = 0; first && k < first->nargs && k < c->planned.nargs; k++)
    if (first->args[k].kind == WW_ARG_BUFFER && !c->planned.args[k].buffer.local)
      c->planned.args[k] = first->args[k];
}

/* ---- candidates ---- */

static bool is_new(search *s, const ww_candidate *c) {
  ww_json j = {0};
  ww_launch_write(&c->launch, &j);
  uint64_t h = ww_hash(c->text, strlen(c->text), ww_hash(j.own.s, j.own.n, 1));
  ww_buf_free(&j.own);
  for (uint32_t k = 0; k < s->seen.n; k++)
    if (s->seen.v[k] == h)
      return false;
  ww_push(s->a, &s->seen, h);
  return true;
}

static void report(const search *s, uint32_t id) {
  if (s->q->tried)
    s->q->tried(s->q->ctx, &s->out->v.v[id], id);
}

/* Predicts what a rewrite makes of the parent. */
static void try_rewrite(search *s,
                        uint32_t parent,
                        const ww_rewrite_input *in,
                        const ww_rewritten *r) {
  const ww_candidate *p = &s->out->v.v[parent];
  ww_candidate c = {.parent = parent,
                    .depth = p->depth + 1,
                    .kind = r->kind,
                    .title = r->title,
                    .apart = p->apart || r->apart};
  ww_err e = {0};
  ww_launch_copy(&p->launch, s->a, &c.launch);
  ww_reshape_launch(&r->shape, &p->ready, s->a, &c.launch);
  c.text = ww_rewrite_apply(in, r, &c.launch, s->a);
  if (!c.text || !is_new(s, &c))
    return;
  double before = p->us;
  if (predict(s, &c, &e)) {
    c.state = WW_CANDIDATE_FAILED;
    c.why = ww_strdup(s->a, e.msg);
  } else
    c.state = c.us < GAIN * before ? WW_CANDIDATE_PASSED_OVER : WW_CANDIDATE_NO_GAIN;
  if (c.state != WW_CANDIDATE_PASSED_OVER)
    ww_query_release(NULL, &c.unit);
  ww_push(s->a, &s->out->v, c);
  report(s, s->out->v.n - 1);
}

/* e: why the text cannot be taken apart. */
static void expand(search *s, uint32_t parent, ww_err *e) {
  const ww_candidate *p = &s->out->v.v[parent];
  ww_source source = s->q->source;
  ww_front_options o;
  ww_syntax syntax;
  ww_rewritten *v;
  if (ww_query_front(&source, s->a, &o, NULL))
    return;
  o.texts = WW_NEWN(s->a, const char *, o.nfiles);
  o.texts[0] = p->text;
  o.deadline = s->q->deadline;
  if (ww_syntax_read(&o, s->a, &syntax, e))
    return;
  ww_rewrite_input in = {.syntax = &syntax,
                         .kernel = p->fn->name,
                         .line = p->fn->line,
                         .dialect = p->unit.unit->module.dialect,
                         .launch = &p->ready,
                         .report = &p->report,
                         .overlap = s->q->overlap,
                         .approximate = s->q->approximate};
  o.texts[0] = ww_rewrite_inlined(&in, s->a);
  if (o.texts[0] && ww_syntax_read(&o, s->a, &syntax, e))
    return;
  uint32_t n = ww_rewrite_all(&in, s->a, &v, e);
  for (uint32_t k = 0; k < n && !is_over(s) && s->out->v.n < MOST_CANDIDATES; k++)
    try_rewrite(s, parent, &in, &v[k]);
}

/* The fastest of those from `first` on that wait for their verdict; 0: none. */
static uint32_t fastest_waiting(const search *s, uint32_t first) {
  uint32_t out = 0;
  for (uint32_t k = first; k < s->out->v.n; k++)
    if (s->out->v.v[k].state == WW_CANDIDATE_PASSED_OVER &&
        (!out || s->out->v.v[k].us < s->out->v.v[out].us))
      out = k;
  return out;
}

/* The next beam; 0: nothing is left. */
static uint32_t verify_round(search *s, uint32_t first, uint32_t *beam, uint32_t most) {
  uint32_t n = 0;
  while (n < most && !is_over(s)) {
    uint32_t k = fastest_waiting(s, first);
    if (!k)
      break;
    ww_candidate *c = &s->out->v.v[k];
    verify(s, c, s->q->seed, VERIFY_BUDGET);
    report(s, k);
    if (c->state == WW_CANDIDATE_VERIFIED) {
      plan(s, c);
      beam[n++] = k;
    }
  }
  for (uint32_t k = first; k < s->out->v.n; k++)
    if (s->out->v.v[k].state != WW_CANDIDATE_VERIFIED)
      ww_query_release(NULL, &s->out->v.v[k].unit);
  return n;
}

static void take_best(search *s) {
  ww_optimized *o = s->out;
  o->best = 0;
  for (uint32_t k = 1; k < o->v.n; k++)
    if (o->v.v[k].state == WW_CANDIDATE_VERIFIED &&
        o->v.v[k].us < FINAL_GAIN * o->v.v[0].us && o->v.v[k].us < o->v.v[o->best].us)
      o->best = k;
}

/* The best one has to hold over more cases, with other contents; else the next. */
static void confirm_best(search *s) {
  ww_optimized *o = s->out;
  while (o->best) {
    ww_candidate *c = &o->v.v[o->best];
    uint32_t cases = c->cases;
    verify(s, c, s->q->seed + 1, 0);
    if (c->state == WW_CANDIDATE_VERIFIED)
      return;
    if (c->state == WW_CANDIDATE_UNJUDGED && is_over(s)) { /* no time for more cases */
      c->state = WW_CANDIDATE_VERIFIED;
      c->cases = cases;
      c->why = NULL;
      return;
    }
    take_best(s);
  }
}

static void run_rounds(search *s) {
  ww_optimized *o = s->out;
  uint32_t most = s->q->beam ? s->q->beam : BEAM;
  uint32_t rounds = s->q->rounds ? s->q->rounds : ROUNDS;
  uint32_t *beam = WW_NEWN(s->a, uint32_t, most);
  uint32_t n = 1;
  ww_err e = {0};
  o->stopped = "no rewrite promises a further gain";
  for (uint32_t round = 0; n && round < rounds; round++) {
    uint32_t first = o->v.n;
    if (o->floor_us > 0 && o->v.v[o->best].us < AT_FLOOR * o->floor_us) {
      o->stopped = "it takes hardly longer than its bytes and operations need";
      return;
    }
    for (uint32_t k = 0; k < n; k++)
      expand(s, beam[k], &e);
    if (e.code && o->v.n == 1)
      o->stopped = ww_strdup(s->a, e.msg);
    n = verify_round(s, first, beam, most);
    take_best(s);
    if (is_over(s)) {
      o->stopped = "the time is over";
      return;
    }
  }
  if (n)
    o->stopped = "the last round that was asked for";
}

ww_status
ww_optimize(const ww_optimize_request *q, ww_arena *a, ww_optimized *out, ww_err *e) {
  search s = {.q = q, .a = a, .out = out};
  char *text;
  size_t n;
  *out = (ww_optimized){.path = q->source.path};
  ww_status st = ww_read_file(a, q->source.path, 32 << 20, &text, &n, e);
  if (st)
    return st;
  ww_candidate original = {.text = q->source.text ? q->source.text : text};
  ww_launch_copy(&q->launch, a, &original.launch);
  st = predict(&s, &original, e);
  if (st) {
    ww_query_release(NULL, &original.unit);
    return st;
  }
  out->kernel = ww_strdup(a, original.fn->name);
  out->floor_us = ww_needs_floor(&original.needs, q->targets->gpus);
  is_new(&s, &original);
  plan(&s, &original);
  ww_push(a, &out->v, original);
  run_rounds(&s);
  confirm_best(&s);
  for (uint32_t k = 0; k < out->v.n; k++)
    ww_query_release(NULL, &out->v.v[k].unit);
  return WW_OK;
}
