/* workbench.c - versions of a kernel and what is done with them. */
#include "workbench.h"

#include "../opt/space.h"
#include "../predict/show/sweep.h"
#include "submit.h"

#define MOST_VERSIONS 200
#define MOST_POINTS 16
#define MOST_VARIANTS 48
#define VERIFY_BUDGET 40000000u /* warp instructions, of rewrites: as in a search */
#define GAIN 0.99               /* of the parent's time: less is a gain */
#define AT_FLOOR 1.1            /* of what is needed: there is nothing left to gain */
/* What a submission does at full size, of what the original does: less is work that was
 * left out. Sampling makes both uncertain by a few percent; an algorithm that needs
 * half the operations has to be measured. */
#define LEAST_BYTES 0.9
#define LEAST_FLOPS 0.5

ww_status
ww_bench_open(ww_workbench *b, const ww_optimize_request *q, ww_arena *a, ww_err *e) {
  *b = (ww_workbench){.q = *q, .a = a};
  b->s = (ww_search){.q = &b->q, .a = a, .out = &b->all};
  b->predicted = 1;
  ww_status st = ww_search_begin(&b->s, e);
  b->all.stopped = "";
  return st;
}

void ww_bench_close(ww_workbench *b) {
  for (uint32_t k = 0; k < b->all.v.n; k++)
    ww_search_unload(&b->all.v.v[k]);
}

static ww_candidate *version(const ww_workbench *b, uint32_t id) {
  return &b->all.v.v[id];
}

/* ---- looking ---- */

static ww_status is_readable(const ww_workbench *b, uint32_t id, ww_err *e) {
  const ww_candidate *c = version(b, id);
  if (c->state == WW_CANDIDATE_FAILED || c->state == WW_CANDIDATE_DIFFERENT ||
      c->state == WW_CANDIDATE_UNJUDGED)
    return ww_fail(e, WW_EUSAGE, "v%u is no version to go on from: %s", id,
                   c->why ? c->why : ww_candidate_texts[c->state]);
  return WW_OK;
}

ww_status ww_bench_look(ww_workbench *b, uint32_t id, ww_err *e) {
  ww_candidate *c = version(b, id);
  ww_status st = is_readable(b, id, e);
  if (st || c->report.gpu)
    return st;
  st = ww_search_load(&b->s, c, e);
  if (!st && id)
    ww_search_unload(c);
  return st;
}

ww_status
ww_bench_offers(ww_workbench *b, uint32_t id, const ww_bench_list **out, ww_err *e) {
  ww_status st = ww_bench_look(b, id, e);
  ww_err why = {0};
  if (st)
    return st;
  while (b->offers.n <= id)
    ww_push(b->a, &b->offers, (ww_bench_list){0});
  ww_bench_list *o = &b->offers.v[id];
  if (!o->known) {
    ww_offers all = {0};
    ww_search_offers(&b->s, id, &all, &why);
    o->known = !why.code;
    o->n = all.v.n;
    o->v = WW_NEWN(b->a, ww_candidate, o->n + 1);
    for (uint32_t k = 0; k < o->n; k++)
      o->v[k] = all.v.v[k].c;
  }
  *out = o;
  if (why.code)
    *e = why;
  return why.code;
}

bool ww_bench_at_floor(const ww_workbench *b, uint32_t id) {
  double above = ww_state_above_floor(&b->all, id);
  return above > 0 && above < AT_FLOOR;
}

/* ---- new versions ---- */

static ww_status has_room(const ww_workbench *b, ww_err *e) {
  if (ww_search_over(&b->s))
    return ww_fail(e, WW_ELIMIT, "the time is over: call finish");
  if (b->all.v.n >= MOST_VERSIONS)
    return ww_fail(e, WW_ELIMIT, "there are %u versions: call finish", b->all.v.n);
  return WW_OK;
}

/* The version with the same text and launch; 0: none. */
static uint32_t same_version(const ww_workbench *b, uint64_t key) {
  for (uint32_t k = 0; k < b->all.v.n; k++)
    if (version(b, k)->key == key)
      return k;
  return UINT32_MAX;
}

static ww_status predict(ww_workbench *b, ww_candidate *v, uint32_t n, ww_err *e) {
  b->predicted += n;
  ww_status st = ww_search_predict(&b->s, v, n, e);
  for (uint32_t k = 0; !st && k < n; k++)
    if (v[k].state == WW_CANDIDATE_ORIGINAL) {
      v[k].state = WW_CANDIDATE_FAILED;
      v[k].why = "the time was over";
    }
  return st;
}

/* At full size it does what the original does: as many bytes, and no miracle. */
static const char *work_left_out(const ww_workbench *b, const ww_candidate *c) {
  const ww_job_needs *o = &version(b, 0)->needs;
  const ww_job_needs *n = &c->needs;
  double was = o->flops64 + o->flops32 + o->flops16 + o->flops_tensor;
  double now = n->flops64 + n->flops32 + n->flops16 + n->flops_tensor;
  if (n->written_bytes < LEAST_BYTES * o->written_bytes)
    return ww_fmt(b->a, "at full size it writes %.3g bytes, the original %.3g",
                  n->written_bytes, o->written_bytes);
  if (n->read_bytes < LEAST_BYTES * o->read_bytes)
    return ww_fmt(b->a, "at full size it reads %.3g bytes, the original %.3g",
                  n->read_bytes, o->read_bytes);
  if (now < LEAST_FLOPS * was)
    return ww_fmt(b->a, "at full size it does %.3g operations, the original %.3g", now,
                  was);
  return NULL;
}

static ww_status judge(ww_workbench *b, uint32_t id, const ww_judging *how, ww_err *e) {
  ww_judgement told = {0};
  ww_candidate *c = version(b, id);
  b->verified++;
  ww_status st = ww_search_judge(&b->s, &id, 1, how, &told, e);
  if (st)
    return st;
  c->state = told.state ? told.state : WW_CANDIDATE_UNJUDGED;
  c->cases = told.cases;
  c->why = told.state ? told.why : "the time was over";
  /* code that runs at other sizes only may do anything there */
  if (c->kind == WW_NREWRITES && told.state == WW_CANDIDATE_VERIFIED &&
      told.unreached) {
    c->state = WW_CANDIDATE_UNJUDGED;
    c->why = ww_fmt(b->a,
                    "line %u is reached in no case, so that it cannot be judged: let "
                    "small sizes take the same way as large ones",
                    told.unreached);
  }
  const char *less = c->kind == WW_NREWRITES ? work_left_out(b, c) : NULL;
  if (c->state == WW_CANDIDATE_VERIFIED && less) {
    c->state = WW_CANDIDATE_DIFFERENT;
    c->why = less;
  }
  return WW_OK;
}

/* Predicted, and verified where it gains. */
static ww_status
add_version(ww_workbench *b, ww_candidate *c, uint32_t *made, ww_err *e) {
  ww_status st = predict(b, c, 1, e);
  if (st)
    return st;
  *made = b->all.v.n;
  ww_push(b->a, &b->all.v, *c);
  if (c->state == WW_CANDIDATE_NO_GAIN && c->us < GAIN * version(b, c->parent)->us)
    st = judge(b, *made, &(ww_judging){b->q.seed, VERIFY_BUDGET}, e);
  ww_search_take_best(&b->s);
  return st;
}

ww_status
ww_bench_apply(ww_workbench *b, uint32_t id, uint32_t nth, uint32_t *made, ww_err *e) {
  const ww_bench_list *o;
  ww_status st = has_room(b, e);
  if (!st)
    st = ww_bench_offers(b, id, &o, e);
  if (st)
    return st;
  if (nth >= o->n)
    return ww_fail(e, WW_EUSAGE, "v%u has rewrites r1 to r%u", id, o->n);
  ww_candidate c = o->v[nth];
  *made = same_version(b, c.key);
  return *made < b->all.v.n ? WW_OK : add_version(b, &c, made, e);
}

/* ---- submissions ---- */

static void reshape_of(const ww_workbench *b, const ww_submission *x, ww_reshape *out) {
  const uint64_t *block = version(b, 0)->ready.block;
  *out = (ww_reshape){0};
  for (int k = 0; k < 3; k++) {
    uint32_t was = block[k] ? block[k] : 1;
    uint32_t now = x->block[k] ? x->block[k] : x->block[0] ? 1 : was;
    uint32_t covers = x->covers[k] ? x->covers[k] : now;
    if (now != was)
      out->block[k] = now;
    if (covers != was) {
      out->was[k] = was;
      out->now[k] = covers;
    }
  }
}

static ww_status
place(ww_workbench *b, const ww_submission *x, ww_candidate *c, ww_err *e) {
  const ww_candidate *o = version(b, 0);
  ww_rewritten r = {0};
  ww_rewrite_input in = {.kernel = o->fn->name,
                         .dialect = o->unit.unit->module.dialect,
                         .launch = &o->ready};
  const char *text =
      ww_submit_put(o->text, in.kernel, in.dialect, x->source, b->a, &in.line, e);
  if (!text)
    return e->code;
  ww_syntax syntax = {.text = text, .bytes = strlen(text)};
  in.syntax = &syntax;
  reshape_of(b, x, &r.shape);
  *c = (ww_candidate){.parent = 0,
                      .depth = 1,
                      .kind = WW_NREWRITES,
                      .title = "a source that was submitted",
                      .apart = !b->q.overlap};
  ww_launch_copy(&o->launch, b->a, &c->launch);
  ww_reshape_launch(&r.shape, &o->ready, b->a, &c->launch);
  c->text = ww_rewrite_apply(&in, &r, &c->launch, b->a);
  if (!c->text)
    return ww_fail(e, WW_EUNSUPPORTED,
                   "the file launches the kernel in a way that cannot be changed: keep "
                   "the block and what it covers");
  c->key = ww_candidate_key(c);
  return WW_OK;
}

ww_status
ww_bench_submit(ww_workbench *b, const ww_submission *x, uint32_t *made, ww_err *e) {
  ww_candidate c;
  ww_status st = has_room(b, e);
  if (!st)
    st = place(b, x, &c, e);
  if (st)
    return st;
  *made = same_version(b, c.key);
  if (*made < b->all.v.n)
    return WW_OK;
  st = predict(b, &c, 1, e);
  if (st)
    return st;
  *made = b->all.v.n;
  ww_push(b->a, &b->all.v, c);
  ww_candidate *v = version(b, *made);
  if (v->state == WW_CANDIDATE_FAILED)
    return WW_OK;
  st = judge(b, *made, &(ww_judging){.seed = b->q.seed}, e);
  ww_search_take_best(&b->s);
  return st;
}

/* ---- verifying, measuring ---- */

ww_status ww_bench_verify(ww_workbench *b, uint32_t id, ww_err *e) {
  ww_candidate *c = version(b, id);
  ww_candidate_state was = c->state;
  if (!id)
    return ww_fail(e, WW_EUSAGE, "v0 is the original: the others are compared with it");
  ww_status st = is_readable(b, id, e);
  if (!st)
    st = judge(b, id, &(ww_judging){.seed = b->q.seed + 1}, e);
  if (!st && c->state == WW_CANDIDATE_VERIFIED && was > WW_CANDIDATE_VERIFIED)
    c->state = was; /* it was measured */
  ww_search_take_best(&b->s);
  return st;
}

ww_status ww_bench_measure(ww_workbench *b, uint32_t id, ww_err *e) {
  if (!b->q.measure)
    return ww_fail(e, WW_EUSAGE,
                   "nothing is measured here: `warpwise agent --measure` "
                   "allows it");
  if (!id)
    return ww_fail(e, WW_EUSAGE, "v0 is measured beside every other version");
  if (version(b, id)->state < WW_CANDIDATE_VERIFIED)
    return ww_fail(e, WW_EUSAGE,
                   "v%u is not verified: only what is the same kernel is "
                   "run",
                   id);
  b->measured++;
  ww_status st = ww_search_measure(&b->s, &id, 1, e);
  ww_search_take_best(&b->s);
  return st;
}

/* ---- many predictions ---- */

static ww_status predict_points(ww_workbench *b, ww_bench_points *out, ww_err *e) {
  ww_candidate *v = WW_NEWN(b->a, ww_candidate, out->n + 1);
  for (uint32_t k = 0; k < out->n; k++) {
    out->v[k].c.key = ww_candidate_key(&out->v[k].c);
    v[k] = out->v[k].c;
  }
  ww_status st = predict(b, v, out->n, e);
  for (uint32_t k = 0; k < out->n; k++)
    out->v[k].c = v[k];
  return st;
}

ww_status ww_bench_sweep(
    ww_workbench *b, uint32_t id, const char *range, ww_bench_points *out, ww_err *e) {
  ww_sweep s;
  ww_status st = is_readable(b, id, e);
  *out = (ww_bench_points){0};
  if (!st)
    st = ww_sweep_parse(range, b->a, &s, e);
  for (uint32_t k = 0; !st && k < s.n && k < MOST_POINTS; k++) {
    const ww_candidate *from = version(b, id);
    ww_bench_point p = {.label = ww_fmt(b->a, "%s=%lu", s.name, s.v[k])};
    p.c = (ww_candidate){
        .parent = id, .kind = from->kind, .title = p.label, .text = from->text};
    ww_launch_copy(&from->launch, b->a, &p.c.launch);
    st = ww_sweep_launch(&s, s.v[k], b->a, &p.c.launch, e);
    if (!st)
      ww_push(b->a, out, p);
  }
  return st ? st : predict_points(b, out, e);
}

/* Variants that the text alone can hold: no flags, no other template arguments. */
static ww_status variants(
    ww_workbench *b, uint32_t id, const char *param, ww_bench_points *out, ww_err *e) {
  const ww_candidate *from = version(b, id);
  const char *kernel = version(b, 0)->fn->name;
  ww_axes space = {.a = b->a};
  uint32_t n = 0;
  ww_status st =
      param ? ww_space_axis(&space, param, e)
            : ww_space_propose(&space, from->text, kernel, from->ready.block, e);
  if (!st && !space.n)
    st = ww_fail(e, WW_EUSAGE,
                 "the source offers no parameter: give `param`, such as "
                 "TILE=8..64:x2");
  if (!st)
    st = ww_space_bind(&space, from->text, kernel, e);
  ww_config *v = st ? NULL : ww_space_configs(&space, MOST_VARIANTS, b->q.seed, &n);
  for (uint32_t k = 0; k < n; k++) {
    ww_variant x;
    ww_space_variant(&space, v[k], from->text, b->a, &x);
    if (x.flags.n || x.kernel || !strcmp(x.text, from->text))
      continue;
    ww_bench_point p = {.label = ww_space_label(&space, v[k], b->a)};
    p.c = (ww_candidate){.parent = id,
                         .depth = from->depth + 1,
                         .kind = WW_NREWRITES,
                         .text = x.text,
                         .apart = from->apart};
    p.c.title = ww_fmt(b->a, "tuned: %s", p.label);
    ww_launch_copy(&b->q.launch, b->a, &p.c.launch);
    ww_push(b->a, out, p);
  }
  if (!st && !out->n)
    st = ww_fail(e, WW_EUSAGE,
                 "no number of the source changes with that: `param` names "
                 "a #define or a constant of the file");
  return st;
}

ww_status ww_bench_tune(ww_workbench *b,
                        uint32_t id,
                        const char *param,
                        ww_bench_points *out,
                        uint32_t *made,
                        ww_err *e) {
  uint32_t best = UINT32_MAX;
  *out = (ww_bench_points){0};
  *made = 0;
  ww_status st = is_readable(b, id, e);
  if (!st)
    st = has_room(b, e);
  if (!st)
    st = variants(b, id, param, out, e);
  if (!st)
    st = predict_points(b, out, e);
  for (uint32_t k = 0; !st && k < out->n; k++)
    if (out->v[k].c.state != WW_CANDIDATE_FAILED &&
        (best == UINT32_MAX || out->v[k].c.us < out->v[best].c.us))
      best = k;
  if (st || best == UINT32_MAX || out->v[best].c.us >= GAIN * version(b, id)->us)
    return st;
  *made = same_version(b, out->v[best].c.key);
  if (*made < b->all.v.n)
    return WW_OK;
  *made = b->all.v.n;
  ww_push(b->a, &b->all.v, out->v[best].c);
  st = judge(b, *made, &(ww_judging){b->q.seed, VERIFY_BUDGET}, e);
  ww_search_take_best(&b->s);
  return st;
}

/* ---- the end ---- */

ww_status ww_bench_finish(ww_workbench *b, ww_err *e) {
  ww_search_take_best(&b->s);
  ww_status st = ww_search_confirm(&b->s, e);
  b->q.deadline = 0; /* what was found is handed over all the same */
  ww_err ignored = {0};
  if (!st && b->all.best)
    ww_bench_look(b, b->all.best, &ignored);
  return st;
}
