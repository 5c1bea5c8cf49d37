/* fuse.c - see fuse.h: which launches of a recording follow one another, and what is
 * handed back: what is verified and surely predicted to be faster.
 *
 * Runs are tried at their longest first. Each change is made on the text with those
 * before it. Predictions and the comparison run in a child: what is fused may be as
 * hostile as any code. */
#include "fuse.h"

#include <stdlib.h>

#include "../base/child.h"
#include "../front/ptx.h"
#include "../predict/show/program.h"
#include "search_int.h"
#include "verify_int.h"

#define CHILD_BYTES (4ull << 30)

/* Where a launch first ran. */
typedef struct {
  uint64_t from;
  uint32_t launch;
} place;

typedef struct {
  const ww_fuse_request *q;
  ww_arena *a;
  ww_fusions *out;
  place *order;
  uint32_t n;
  /* the text that was read last */
  ww_query_unit unit;
  ww_syntax syntax;
  const char *text;
} fuser;

static const ww_launch *launch_of(const fuser *s, uint32_t at) {
  return &s->q->launches[s->order[at].launch];
}

/* ---- runs of launches ---- */

static bool same_axes(const uint64_t x[3], const uint64_t y[3]) {
  return x[0] == y[0] && x[1] == y[1] && x[2] == y[2];
}

static bool same_flags(const ww_launch *x, const ww_launch *y) {
  bool same = x->nflags == y->nflags;
  for (uint32_t k = 0; same && k < x->nflags; k++)
    same = !strcmp(x->flags[k], y->flags[k]);
  return same;
}

static bool is_plain(const ww_launch *l) {
  return l->kernel && l->file && !l->library && !l->cooperative && !l->cluster[0];
}

/* Is a buffer an argument of both? */
static bool share(const ww_launch *x, const ww_launch *y) {
  for (uint32_t j = 0; j < x->nargs; j++)
    for (uint32_t k = 0; k < y->nargs; k++) {
      const char *i = x->args[j].kind == WW_ARG_BUFFER ? x->args[j].buffer.id : NULL;
      const char *o = y->args[k].kind == WW_ARG_BUFFER ? y->args[k].buffer.id : NULL;
      if (i && o && !strcmp(i, o))
        return true;
    }
  return false;
}

/* The launch at `at` runs once, the next one right behind it. */
static bool is_followed(const fuser *s, uint32_t at) {
  if (at + 1 >= s->n)
    return false;
  const ww_launch *x = launch_of(s, at);
  const ww_launch *y = launch_of(s, at + 1);
  return x->at[1] == 1 && y->at[0] == x->at[0] + 1 && is_plain(x) && is_plain(y) &&
         share(x, y);
}

/* Is the next launch of the same file, so that both can be read? */
static bool same_file(const fuser *s, uint32_t at) {
  const ww_launch *x = launch_of(s, at);
  const ww_launch *y = launch_of(s, at + 1);
  return !strcmp(x->file, y->file) && same_flags(x, y);
}

/* Of the same elements, as far as the shape says; shared memory is others' business. */
static bool same_shape(const fuser *s, uint32_t at) {
  const ww_launch *x = launch_of(s, at);
  const ww_launch *y = launch_of(s, at + 1);
  return same_axes(x->grid, y->grid) && same_axes(x->block, y->block) && !x->shared &&
         !y->shared;
}

static int by_place(const void *a, const void *b) {
  const place *x = a;
  const place *y = b;
  return (x->from > y->from) - (x->from < y->from);
}

static ww_status sort_launches(fuser *s, ww_err *e) {
  s->order = WW_NEWN(s->a, place, s->q->n + 1);
  for (uint32_t k = 0; k < s->q->n; k++)
    if (s->q->launches[k].nat >= 2)
      s->order[s->n++] = (place){s->q->launches[k].at[0], k};
  if (!s->n)
    return ww_fail(e, WW_EDATA,
                   "the recording does not say in which order launches ran (`at`): "
                   "record a single process anew");
  qsort(s->order, s->n, sizeof *s->order, by_place);
  return WW_OK;
}

/* ---- files ---- */

static ww_fused_file *file_of(fuser *s, const char *path, ww_err *e) {
  ww_fused_file f = {.path = path};
  char *text;
  size_t n;
  for (uint32_t k = 0; k < s->out->files.n; k++)
    if (!strcmp(s->out->files.v[k].path, path))
      return &s->out->files.v[k];
  if (ww_read_file(s->a, path, 32 << 20, &text, &n, e))
    return NULL;
  f.old = f.now = text;
  ww_push(s->a, &s->out->files, f);
  return &s->out->files.v[s->out->files.n - 1];
}

static ww_source source_of(const fuser *s, uint32_t at, const char *text) {
  ww_source source = s->q->sources[s->order[at].launch];
  source.text = text;
  source.once = false;
  return source;
}

/* The kernels and the syntax of the file as it is by now. */
static ww_status read_text(fuser *s, uint32_t at, const char *text, ww_err *e) {
  ww_source source = source_of(s, at, text);
  ww_front_options o;
  if (s->text == text &&
      same_flags(
          &(ww_launch){.flags = s->unit.source.flags, .nflags = s->unit.source.nflags},
          &(ww_launch){.flags = source.flags, .nflags = source.nflags}))
    return WW_OK;
  if (ww_ptx_begins(text))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "PTX has no source to change: record with --source FILE");
  s->text = NULL;
  ww_query_release(NULL, &s->unit);
  s->unit = (ww_query_unit){0};
  ww_status st = ww_query_read(NULL, &source, s->q->deadline, s->a, &s->unit, e);
  if (!st && s->unit.unit->module.dialect != WW_CUDA)
    return ww_fail(e, WW_EUNSUPPORTED, "%s: kernels of CUDA alone are fused",
                   ww_dialect_names[s->unit.unit->module.dialect]);
  if (!st)
    st = ww_query_front(&source, s->a, &o, e);
  if (st)
    return st;
  o.texts = WW_NEWN(s->a, const char *, o.nfiles);
  o.texts[0] = text;
  o.deadline = s->q->deadline;
  st = ww_syntax_read(&o, s->a, &s->syntax, e);
  if (!st)
    s->text = text;
  return st;
}

/* ---- in a child: how fast, and the same? ---- */

typedef struct {
  fuser *s;
  uint32_t at, n;
  const ww_query_kernel *kernels; /* n */
  ww_fusion *f;
  ww_arena *a;
} trial;

static void touched(const ww_prediction *p, ww_arena *a, ww_program_launch *l) {
  const ww_tally *t = &p->trace.sampled.tally;
  double all = 0;
  for (uint32_t k = 0; k < t->nargs; k++)
    all += t->args[k].unique_sectors;
  l->touched = WW_NEWN(a, ww_program_touch, t->nargs + 1);
  for (uint32_t k = 0; k < t->nargs; k++) {
    int32_t q = t->args[k].arg;
    const ww_launch *from = &p->trace.launch;
    if (q < 0 || (uint32_t)q >= from->nargs || from->args[q].kind != WW_ARG_BUFFER)
      continue;
    l->touched[l->ntouched++] = (ww_program_touch){
        from->args[q].buffer.id, ww_ratio(t->args[k].unique_sectors, all)};
  }
}

static ww_status predict(const trial *t,
                         const ww_unit *unit,
                         const ww_query_kernel *k,
                         ww_program_launch *out,
                         ww_err *e) {
  ww_query_targets targets = *t->s->q->targets;
  ww_launch launch = k->launch;
  ww_prediction p;
  targets.n = 1;
  targets.one_contents = true;
  *out = (ww_program_launch){.time = WW_NEW(t->a, ww_program_time), .count = 1};
  for (int warm = 1; warm >= 0; warm--) {
    launch.warm = warm;
    ww_status st = ww_query_predict(unit, k->fn, &launch, &targets, NULL, t->a, &p, e);
    if (st)
      return st;
    const ww_quantity *time = &p.report.m[WW_M_time_us];
    ww_program_time *to = out->time;
    to->warm_us = to->us;
    to->warm_low = to->low;
    to->warm_high = to->high;
    to->known = true;
    to->us = time->value;
    to->low = time->interval ? time->low : time->value;
    to->high = time->interval ? time->high : time->value;
    to->footprint = p.work.traffic.footprint;
  }
  touched(&p, t->a, out);
  return WW_OK;
}

/* All launches in their order: each finds in L2 what those before it left there. */
static ww_status predict_originals(const trial *t, ww_err *e) {
  const ww_gpu *g = t->s->q->targets->gpus;
  double part = g->l2_partitions > 1 ? WW_FIGURE(g, l2_once) : 1;
  double room = part * WW_FIGURE(g, l2_bytes);
  ww_program p = {
      .ngpus = 1, .n = t->n, .v = WW_NEWN(t->a, ww_program_launch, t->n + 1)};
  uint64_t *at = WW_NEWN(t->a, uint64_t, 2 * t->n + 1);
  for (uint32_t k = 0; k < t->n; k++) {
    ww_status st = predict(t, t->s->unit.unit, &t->kernels[k], &p.v[k], e);
    if (st)
      return st;
    at[2 * k] = k;
    at[2 * k + 1] = 1;
    p.v[k].at = &at[2 * k];
    p.v[k].nat = 2;
  }
  ww_program_carry(&p, &room);
  for (uint32_t k = 0; k < t->n; k++) {
    t->f->before_us += p.v[k].time->us;
    t->f->before_low += p.v[k].time->low;
    t->f->before_high += p.v[k].time->high;
  }
  return WW_OK;
}

/* Contents of floats are verify's to choose: zeros would hide what differs. */
static ww_launch without_floats(const ww_launch *l, const ww_fn *fn, ww_arena *a) {
  ww_launch out;
  ww_launch_copy(l, a, &out);
  for (uint32_t k = 0; k < out.nargs && k < fn->nparams; k++) {
    const char *type = fn->params[k].ctype;
    bool floats = type && (strstr(type, "float") || strstr(type, "double") ||
                           strstr(type, "half") || strstr(type, "bfloat"));
    if (out.args[k].kind == WW_ARG_BUFFER && floats) {
      out.args[k].buffer.fill = (ww_fill){0};
      out.args[k].buffer.head_n = 0;
    }
  }
  return out;
}

static ww_status compare(const trial *t,
                         ww_query_unit *unit,
                         const ww_query_kernel k[2],
                         bool apart,
                         ww_verdict *v,
                         ww_err *e) {
  const ww_module *m = &unit->unit->module;
  ww_verify_side side[2];
  for (int i = 0; i < 2; i++)
    side[i] = (ww_verify_side){m, k[i].fn, without_floats(&k[i].launch, k[i].fn, t->a)};
  side[0].launch.cooperative = true; /* it waits for the whole grid between two */
  if (ww_side_has_atomics(&side[1], t->a))
    return ww_fail(e, WW_EUNSUPPORTED, "a function that they call has atomics");
  ww_verify_options how = {.seed = t->s->q->seed, .apart = apart};
  return ww_verify(&side[0], &side[1], &how, t->a, v, e);
}

static ww_status try_it(const trial *t, ww_err *e) {
  ww_fusion *f = t->f;
  ww_source source = source_of(t->s, t->at, f->text.judged);
  ww_query_unit unit = {0};
  ww_query_kernel k[2] = {{.launch = f->text.launch}, {.launch = f->text.launch}};
  ww_program_launch fused;
  ww_verdict v = {0};
  k[0].launch.kernel = f->text.original;
  ww_status st = predict_originals(t, e);
  for (int i = 1; !st && i >= 0; i--)
    st = ww_query_find(NULL, &source, t->s->q->deadline, t->a, &unit, &k[i], e);
  if (!st)
    st = predict(t, unit.unit, &k[1], &fused, e);
  f->state = WW_CANDIDATE_FAILED;
  if (st)
    return st;
  f->us = fused.time->us;
  f->low = fused.time->low;
  f->high = fused.time->high;
  f->state = WW_CANDIDATE_NO_GAIN;
  if (f->before_us < WW_SURE_GAIN * f->us)
    return ww_fail(e, WW_EDATA,
                   "predicted %.2f times as fast: too little to be relied on",
                   f->before_us / f->us);
  f->state = WW_CANDIDATE_UNJUDGED;
  st = compare(t, &unit, k, false, &v, e);
  if (!st && !v.same && !t->s->q->overlap) {
    f->apart = true;
    st = compare(t, &unit, k, true, &v, e);
  }
  if (st)
    return st;
  f->cases = v.cases;
  f->state = v.same ? WW_CANDIDATE_VERIFIED : WW_CANDIDATE_DIFFERENT;
  return v.same ? WW_OK
                : ww_fail(e, WW_EDATA, "%s with %s", ww_difference_texts[v.first.kind],
                          v.first.at);
}

static void work(void *ctx, ww_buf *out) {
  trial *t = ctx;
  ww_err e = {0};
  const ww_fusion *f = t->f;
  try_it(t, &e);
  ww_buf_fmt(out, "%d %d %u %.17g %.17g %.17g %.17g %.17g %.17g\n%s", f->state,
             f->apart, f->cases, f->before_us, f->before_low, f->before_high, f->us,
             f->low, f->high, e.msg);
}

static void judge(trial *t) {
  ww_fusion *f = t->f;
  ww_buf out = {0};
  ww_err e = {0};
  unsigned state;
  int apart;
  ww_child how = {.work = work,
                  .ctx = t,
                  .deadline = t->s->q->deadline,
                  .bytes = CHILD_BYTES,
                  .eager = true};
  ww_status st = ww_child_run(&how, &out, &e);
  ww_buf_add(&out, "", 1);
  f->state = WW_CANDIDATE_UNJUDGED;
  f->why = ww_strdup(t->a, e.msg);
  if (!st &&
      sscanf(out.s, "%u %d %u %lg %lg %lg %lg %lg %lg", &state, &apart, &f->cases,
             &f->before_us, &f->before_low, &f->before_high, &f->us, &f->low,
             &f->high) == 9 &&
      state < WW_NCANDIDATES) {
    f->state = state;
    f->apart = apart;
    f->why = ww_strdup(t->a, strchr(out.s, '\n') + 1);
  }
  ww_buf_free(&out);
}

/* ---- trying ---- */

/* Their kernels, and what they are called. */
static ww_status find_kernels(
    fuser *s, uint32_t at, uint32_t n, ww_query_kernel *k, ww_fusion *f, ww_err *e) {
  const char *title = "";
  for (uint32_t i = 0; i < n; i++) {
    k[i] = (ww_query_kernel){0};
    ww_launch_copy(launch_of(s, at + i), s->a, &k[i].launch);
    ww_status st = ww_query_launch(NULL, &s->unit, s->q->deadline, s->a, &k[i], e);
    if (!st && k[i].fn->refusal)
      st = ww_fail(e, WW_EUNSUPPORTED, "%s", k[i].fn->refusal);
    if (st)
      return st;
    title = ww_fmt(s->a, "%s%s%s", title, i ? ", " : "", k[i].fn->name);
  }
  f->title = title;
  return WW_OK;
}

/* The launches from `at` on as one; *f has what became of it. */
static ww_status try_run(fuser *s, uint32_t at, uint32_t n, ww_fusion *f, ww_err *e) {
  ww_fuse_part parts[WW_MOST_FUSED];
  ww_query_kernel kernels[WW_MOST_FUSED];
  const ww_launch *first = launch_of(s, at);
  *f = (ww_fusion){
      .path = first->file,
      .title = ww_fmt(s->a, "%s, %s", first->kernel, launch_of(s, at + n - 1)->kernel),
      .from = first->at[0],
      .count = first->count ? first->count : 1,
      .state = WW_CANDIDATE_FAILED};
  if (!same_file(s, at + n - 2))
    return ww_fail(e, WW_EUNSUPPORTED,
                   "they are in other files, or compiled with other flags");
  const ww_fused_file *file = file_of(s, first->file, e);
  ww_status st = file ? read_text(s, at, file->now, e) : e->code;
  if (!st)
    st = find_kernels(s, at, n, kernels, f, e);
  for (uint32_t k = 0; !st && k < n; k++)
    parts[k] = (ww_fuse_part){ww_strdup(s->a, kernels[k].fn->name), kernels[k].fn->line,
                              &kernels[k].launch};
  if (!st && !same_shape(s, at + n - 2))
    st = ww_fail(e, WW_EUNSUPPORTED, "their blocks, threads or shared memory differ");
  if (!st)
    st = ww_fuse_text(&s->syntax, parts, n, s->a, &f->text, e);
  if (st)
    return st;
  trial t = {s, at, n, kernels, f, s->a};
  judge(&t);
  return WW_OK;
}

static bool is_known(const fuser *s, const ww_fusion *f) {
  for (uint32_t k = 0; k < s->out->v.n; k++)
    if (!strcmp(s->out->v.v[k].title, f->title) &&
        !strcmp(s->out->v.v[k].path, f->path))
      return true;
  return false;
}

/* Returns how many launches are dealt with. */
static uint32_t try_from(fuser *s, uint32_t at) {
  ww_fusion f = {0};
  uint32_t n = 1;
  while (n < WW_MOST_FUSED && is_followed(s, at + n - 1)) {
    n++;
    if (!same_file(s, at + n - 2) || !same_shape(s, at + n - 2))
      break; /* a pair is looked at all the same, to say why */
  }
  for (; n >= 2; n--) {
    ww_err e = {0};
    if (n > 2 && (!same_file(s, at + n - 2) || !same_shape(s, at + n - 2)))
      continue;
    if (try_run(s, at, n, &f, &e))
      f.why = ww_strdup(s->a, e.msg);
    if (n > 2 && f.state != WW_CANDIDATE_VERIFIED)
      continue;
    if (is_known(s, &f))
      return 1;
    ww_push(s->a, &s->out->v, f);
    if (f.state != WW_CANDIDATE_VERIFIED)
      return 1;
    ww_err none;
    file_of(s, f.path, &none)->now = f.text.text;
    return n;
  }
  return 1;
}

ww_status ww_fuse(const ww_fuse_request *q, ww_arena *a, ww_fusions *out, ww_err *e) {
  fuser s = {.q = q, .a = a, .out = out};
  *out = (ww_fusions){.gpu = q->targets->gpus->name};
  ww_status st = sort_launches(&s, e);
  for (uint32_t at = 0; !st && !out->over && at < s.n;) {
    at += try_from(&s, at);
    out->over = at < s.n && q->deadline > 0 && ww_now() > q->deadline;
  }
  ww_query_release(NULL, &s.unit);
  return st;
}
