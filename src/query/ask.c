/* ask.c - every kernel of a source on every GPU: answers, kept by the kernel's code and
 * its launch.
 *
 * Indices into a module shift when other functions come and go, so functions and
 * variables go into the key by name; lines shift when something above is edited, so
 * those of the kernel's own file go in as seen from its first one. */
#include "query_int.h"

#include <stdlib.h>

#include "../base/child.h"
#include "../predict/advice/advice.h"

/* ---- a kernel as a key ---- */

typedef struct {
  const ww_module *m;
  const ww_fn *kernel;
  bool lines;
  bool *seen;
  ww_key key;
} hasher;

static void number(hasher *h, uint64_t v) {
  h->key = ww_key_with(h->key, &v, sizeof v);
}
static void text(hasher *h, const char *s) {
  h->key = ww_key_str(h->key, s);
}

static void hash_ins(hasher *h, const ww_ins *i) {
  uint8_t small[8] = {i->op,  i->type, i->type2, i->space,
                      i->sub, i->n,    i->nres,  i->flags};
  uint32_t operands[5] = {i->dst, i->a, i->b, i->c, i->ext};
  h->key = ww_key_with(h->key, small, sizeof small);
  h->key = ww_key_with(h->key, operands, sizeof operands);
  if (i->op == WW_OP_CALL && (uint64_t)i->imm < h->m->nfns)
    text(h, h->m->fns[i->imm].mangled);
  else
    number(h, (uint64_t)i->imm);
  if (!h->lines || i->loc >= h->m->nlocs)
    return;
  const ww_loc *at = &h->m->locs[i->loc];
  for (;; at = &h->m->locs[at->caller]) {
    const char *file = at->file < h->m->nfiles ? h->m->files[at->file] : NULL;
    bool own = file && h->kernel->file && !strcmp(file, h->kernel->file);
    number(h, own && at->line ? (uint64_t)at->line - h->kernel->line : at->line);
    text(h, file);
    if (!at->caller)
      break;
  }
}

static void hash_value(hasher *h, const ww_value *v) {
  number(h, (uint64_t)v->type << 8 | v->kind);
  number(h, v->bits);
  if (h->lines)
    text(h, v->name);
  if (v->kind == WW_VAL_SYMBOL && v->ref < h->m->nsymbols)
    text(h, h->m->symbols[v->ref].mangled);
  else if (v->kind == WW_VAL_FN && v->ref < h->m->nfns)
    text(h, h->m->fns[v->ref].mangled);
  else
    number(h, v->ref);
}

static void hash_block(hasher *h, const ww_block *b) {
  number(h, (uint64_t)b->nphis << 32 | b->nins);
  for (uint32_t k = 0; k < b->nphis; k++) {
    uint32_t phi[3] = {b->phis[k].dst, b->phis[k].ext, b->phis[k].n};
    h->key = ww_key_with(h->key, phi, sizeof phi);
  }
  for (uint32_t k = 0; k < b->nins; k++)
    hash_ins(h, &b->ins[k]);
}

static void hash_params(hasher *h, const ww_fn *fn) {
  for (uint32_t k = 0; k < fn->nparams; k++) {
    const ww_param *p = &fn->params[k];
    uint32_t how[8] = {p->type, p->space, p->pointer, p->byval << 1 | p->readonly,
                       p->elem, p->size,  p->align,   p->elem_size};
    text(h, p->name);
    text(h, p->ctype);
    h->key = ww_key_with(h->key, how, sizeof how);
  }
}

static void hash_fn(hasher *h, const ww_fn *fn) {
  if (h->seen[fn - h->m->fns])
    return;
  h->seen[fn - h->m->fns] = true;
  uint32_t shape[10] = {fn->nparams,     fn->nvals,        fn->nblocks,
                        fn->local_bytes, fn->shared_bytes, fn->max_threads,
                        fn->min_blocks,  fn->req_block[0], fn->req_block[1],
                        fn->req_block[2]};
  text(h, fn->name);
  text(h, fn->mangled);
  text(h, fn->refusal);
  text(h, fn->file);
  h->key = ww_key_with(h->key, shape, sizeof shape);
  hash_params(h, fn);
  for (uint32_t k = 0; k < fn->nvals; k++)
    hash_value(h, &fn->vals[k]);
  for (uint32_t k = 0; k < fn->nblocks; k++)
    hash_block(h, &fn->blocks[k]);
  h->key = ww_key_with(h->key, fn->pool, fn->npool * sizeof *fn->pool);
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->op == WW_OP_CALL && (uint64_t)i->imm < h->m->nfns)
        hash_fn(h, &h->m->fns[i->imm]);
    }
  for (uint32_t k = 0; k < fn->nvals; k++)
    if (fn->vals[k].kind == WW_VAL_FN && fn->vals[k].ref < h->m->nfns)
      hash_fn(h, &h->m->fns[fn->vals[k].ref]);
}

/* Tables of functions lead to further code. */
static void hash_symbol(hasher *h, const ww_symbol *s) {
  text(h, s->mangled);
  number(h, (uint64_t)s->space << 1 | s->dynamic);
  number(h, s->size);
  number(h, s->align);
  if (s->init)
    h->key = ww_key_with(h->key, s->init, s->size);
  for (uint32_t k = 0; k < s->nrelocs; k++) {
    const struct ww_reloc *r = &s->relocs[k];
    number(h, r->at);
    number(h, r->add);
    if (r->fn && r->ref < h->m->nfns)
      hash_fn(h, &h->m->fns[r->ref]);
    else if (!r->fn && r->ref < h->m->nsymbols)
      text(h, h->m->symbols[r->ref].mangled);
  }
}

/* Equal keys mean equal predictions, whatever else of the file was edited: of the
 * kernel's instructions, those of all it may call, and the module's variables (their
 * addresses depend on all of them). `lines`: also where each instruction stands in the
 * source, as seen from the kernel's line where it is in the same file, for answers that
 * name lines. */
static ww_key code_key(const ww_module *m, const ww_fn *fn, bool lines) {
  hasher h = {
      .m = m, .kernel = fn, .lines = lines, .seen = ww_xcalloc(m->nfns, sizeof(bool))};
  number(&h, (uint64_t)m->dialect << 32 | m->warp);
  hash_fn(&h, fn);
  for (uint32_t k = 0; k < m->nsymbols; k++)
    hash_symbol(&h, &m->symbols[k]);
  free(h.seen);
  return h.key;
}

/* ---- lines that moved ---- */

static uint32_t moved(const char *at, const char *file, uint32_t line, int64_t by) {
  return line && at && !strcmp(at, file) ? (uint32_t)(line + by) : line;
}

void ww_report_move(const char *file, int64_t by, ww_arena *a, ww_report *r) {
  if (!file || !by)
    return;
  for (uint32_t k = 0; k < r->nlines; k++)
    r->lines[k].line = moved(r->lines[k].file, file, r->lines[k].line, by);
  for (uint32_t k = 0; k < r->nfindings; k++) {
    ww_finding *f = &r->findings[k];
    for (uint32_t i = 0; i < f->also.n; i++)
      f->also.line[i] = moved(f->file, file, f->also.line[i], by);
    f->line = moved(f->file, file, f->line, by);
    ww_finding_word(f, a);
  }
}

/* ---- answers ---- */

typedef struct {
  ww_query *w;
  const ww_query_request *q;
  ww_arena *a;
  ww_query_result *out;
  ww_query_unit *read;
  ww_gpu *gpus; /* those asked for */
  uint32_t ngpus;
  const ww_correction *correction;
} asking;

static bool is_over(void *ctx) {
  const asking *x = ctx;
  const ww_query_request *q = x->q;
  return (q->deadline > 0 && ww_now() > q->deadline) ||
         (q->cancelled && q->cancelled(q->ctx));
}

/* Why it is over, in words. fn: the kernel it was at; NULL: none. */
static ww_status over(const asking *x, const ww_fn *fn, ww_err *e) {
  if (x->q->deadline > 0 && ww_now() > x->q->deadline)
    return ww_fail(
        e, WW_ELIMIT,
        "%s%.100s%s took longer than a request may; --seconds raises the limit",
        fn ? "kernel `" : "", fn ? fn->name : "the prediction", fn ? "`" : "");
  return ww_fail(e, WW_ECANCEL, "cancelled");
}

static ww_status choose_gpus(asking *x, ww_err *e) {
  const ww_query *w = x->w;
  x->ngpus = x->q->ngpus ? x->q->ngpus : 1;
  x->gpus = WW_NEWN(x->a, ww_gpu, x->ngpus);
  for (uint32_t k = 0; k < x->ngpus; k++) {
    const char *name = x->q->ngpus ? x->q->gpus[k] : "h200";
    const char *known = "";
    uint32_t g = 0;
    for (; g < w->ngpus && !ww_gpu_called(&w->gpus[g], name, x->a); g++)
      known = ww_fmt(x->a, "%s%s%s", known, g ? ", " : "", w->gpus[g].name);
    if (g == w->ngpus)
      return ww_fail(e, WW_EUSAGE, "there is no GPU '%.40s'; known are %s", name,
                     known);
    x->gpus[k] = w->gpus[g];
  }
  return WW_OK;
}

static ww_status choose_model(asking *x, ww_err *e) {
  const char *by = x->q->by;
  const char *cache = x->q->cache;
  if (!by || !strcmp(by, "grounded"))
    x->correction = x->w->correction;
  else if (strcmp(by, "machine"))
    return ww_fail(e, WW_EUSAGE, "by: expected machine or grounded, not '%.40s'", by);
  if (cache && strcmp(cache, "warm") && strcmp(cache, "cold"))
    return ww_fail(e, WW_EUSAGE, "cache: expected warm or cold, not '%.40s'", cache);
  return WW_OK;
}

static const char *shown(const asking *x) {
  return ww_query_shown(x->w, x->q->source.path);
}

/* What is known of the kernel's launch, weaker sources under what was asked. */
static ww_status launch_of(asking *x, ww_query_kernel *k, ww_err *e) {
  k->launch = x->q->launch ? *x->q->launch : (ww_launch){0};
  k->under_comment = x->q->under_comment;
  k->launch.file = shown(x);
  ww_status st = ww_query_launch(x->w, x->read, x->q->deadline, x->a, k, e);
  if (x->q->cache)
    k->launch.warm = !strcmp(x->q->cache, "warm");
  return st;
}

/* Everything that the answer is made of. */
static ww_key answer_key(const asking *x,
                         ww_key code,
                         const ww_launch *l,
                         const ww_assumptions *said,
                         const ww_gpu *g) {
  ww_buf b = {0};
  ww_launch_write(l, &(ww_json){.out = &b});
  ww_key k = ww_key_with(code, b.s, b.n);
  ww_buf_free(&b);
  uint64_t rest[5] = {x->q->budget, x->q->explain, x->correction != NULL, l->warm,
                      l->threads};
  k = ww_key_with(k, rest, sizeof rest);
  for (uint32_t i = 0; i < said->n; i++)
    k = ww_key_str(k, said->v[i].kind == WW_ASSUME_HOST_LAUNCH
                          ? "host"
                          : ww_assumption_text(&said->v[i], x->a));
  if (!x->q->ngpus)
    k = ww_key_str(k, "assumed");
  return ww_key_str(k, g->name);
}

/* What is kept of an answer. */
typedef struct {
  ww_arena *arena;
  ww_report report;
  uint32_t line; /* where the kernel stood */
} kept_answer;

static void
keep_answer(const asking *x, ww_key key, const ww_fn *fn, const ww_report *r) {
  ww_arena *a = ww_arena_new();
  kept_answer *k = WW_NEW(a, kept_answer);
  k->arena = a;
  k->line = fn->line;
  ww_report_copy(r, a, &k->report);
  ww_memo_put(x->w->answers, key, k, ww_arena_bytes(a));
  ww_memo_release(x->w->answers, key, k);
}

/* Of a kernel that may have moved within its file since, as may its launch in the host
 * code. */
static void known_answer(const asking *x,
                         const ww_fn *fn,
                         const ww_assumptions *said,
                         const kept_answer *k,
                         ww_report *out) {
  ww_report_copy(&k->report, x->a, out);
  ww_report_move(fn->file, (int64_t)fn->line - k->line, x->a, out);
  const ww_assumption *now = ww_assumptions_find(said, WW_ASSUME_HOST_LAUNCH);
  for (uint32_t i = 0; now && i < out->assumed.n; i++)
    if (out->assumed.v[i].kind == WW_ASSUME_HOST_LAUNCH)
      out->assumed.v[i] = *now;
}

/* A kernel and the GPUs of `list`, which nobody has an answer for yet. */
typedef struct {
  asking *x;
  const ww_fn *fn;
  const ww_launch *launch;
  const ww_assumptions *said;
  const uint32_t *list;
  uint32_t n;
} computing;

/* out[i] is the report of the list's GPU i. */
static void predict(const computing *c, ww_report *out) {
  const asking *x = c->x;
  ww_gpu *gpus = WW_NEWN(x->a, ww_gpu, c->n);
  ww_prediction *p = WW_NEWN(x->a, ww_prediction, c->n);
  ww_err e = {0};
  for (uint32_t i = 0; i < c->n; i++)
    gpus[i] = x->gpus[c->list[i]];
  ww_query_targets q = {.gpus = gpus,
                        .n = c->n,
                        .assumed = !x->q->ngpus,
                        .params = &x->w->params,
                        .correction = x->correction,
                        .budget = x->q->budget,
                        .max_bytes = x->w->bytes,
                        /* a child's parent looks at the clock */
                        .cancelled = x->w->children ? NULL : is_over,
                        .cancelled_ctx = (void *)(uintptr_t)x};
  ww_query_predict(x->read->unit, c->fn, c->launch, &q, c->said, x->a, p, &e);
  if (x->q->explain)
    ww_query_advise(x->read->unit, c->fn, &q, x->a, p, WW_NEWN(x->a, ww_advice, c->n));
  for (uint32_t i = 0; i < c->n; i++) {
    ww_err *why = &p[i].report.error;
    if (why->code == WW_ECANCEL)
      over(x, c->fn, why);
    out[i] = p[i].report; /* some of it lies in the unit */
  }
}

static void predict_here(const computing *c, ww_report *out) {
  ww_report *r = WW_NEWN(c->x->a, ww_report, c->n);
  predict(c, r);
  for (uint32_t i = 0; i < c->n; i++)
    ww_report_copy(&r[i], c->x->a, &out[i]);
}

/* In a child: the reports as text, each with its NUL. */
static void predict_in_child(void *ctx, ww_buf *out) {
  const computing *c = ctx;
  ww_report *r = WW_NEWN(c->x->a, ww_report, c->n);
  predict(c, r);
  for (uint32_t i = 0; i < c->n; i++) {
    ww_report_write(&r[i], &(ww_json){.out = out}, NULL, NULL);
    ww_buf_add(out, "", 1);
  }
}

static ww_status run_child(computing *c, ww_buf *out, ww_err *e) {
  asking *x = c->x;
  ww_err why = {0};
  ww_child child = {.work = predict_in_child,
                    .ctx = c,
                    .deadline = x->q->deadline,
                    /* what keeps account of the buffers comes on top of them */
                    .bytes = x->w->bytes + x->w->bytes / 4,
                    .cancelled = is_over,
                    .cancelled_ctx = x};
  ww_status st = ww_child_run(&child, out, &why);
  if (!st)
    return WW_OK;
  if (is_over(x))
    return over(x, c->fn, e);
  if (st == WW_ELIMIT)
    return ww_fail(
        e, st,
        "kernel `%.100s` took more than %llu MB of memory; --memory raises the limit",
        c->fn->name, (unsigned long long)x->w->bytes >> 20);
  if (st == WW_EUNSUPPORTED)
    return ww_fail(
        e, st,
        "kernel `%.100s` cannot be predicted: the process that did it failed, %s",
        c->fn->name, why.msg);
  return ww_fail(e, st, "kernel `%.100s`: %s", c->fn->name, why.msg);
}

static ww_report
error_report(const asking *x, const ww_fn *fn, const ww_gpu *g, const ww_err *why) {
  return (ww_report){.file = shown(x),
                     .kernel = ww_strdup(x->a, fn->name),
                     .gpu = g->name,
                     .error = *why};
}

/* predict in a child: what it wrote is read, what it did not write is an error. */
static void predict_apart(computing *c, ww_report *out) {
  asking *x = c->x;
  ww_buf text = {0};
  ww_err why = {0};
  run_child(c, &text, &why);
  size_t at = 0;
  for (uint32_t i = 0; i < c->n; i++) {
    if (!why.code && at >= text.n)
      ww_fail(&why, WW_EUNSUPPORTED, "kernel `%.100s` has no prediction", c->fn->name);
    if (!why.code && !ww_report_parse(text.s + at, x->a, &out[i], &why))
      at += strlen(text.s + at) + 1;
    if (why.code)
      out[i] = error_report(x, c->fn, &x->gpus[c->list[i]], &why);
  }
  ww_buf_free(&text);
}

/* told[k] is GPU k's. */
static void compute(computing *c, const ww_key *keys, ww_query_answer *told) {
  asking *x = c->x;
  ww_report *r = WW_NEWN(x->a, ww_report, c->n);
  if (x->w->children)
    predict_apart(c, r);
  else
    predict_here(c, r);
  for (uint32_t i = 0; i < c->n; i++) {
    uint32_t g = c->list[i];
    told[g].report = r[i];
    told[g].code = r[i].error.code;
    told[g].done = true;
    if (told[g].code)
      ww_memo_give_up(x->w->answers, keys[g]);
    else
      keep_answer(x, keys[g], c->fn, &r[i]);
  }
}

/* Two askers may want the same GPUs in another order: claiming them in the order of
 * their keys, nobody waits in a circle. */
static void sort_by_key(const ww_key *keys, uint32_t *order, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    order[i] = i;
  for (uint32_t i = 1; i < n; i++)
    for (uint32_t k = i; k && keys[order[k]].a < keys[order[k - 1]].a; k--) {
      uint32_t t = order[k];
      order[k] = order[k - 1];
      order[k - 1] = t;
    }
}

static ww_status
one_kernel(asking *x, const ww_fn *fn, ww_query_answer *told, ww_err *e) {
  ww_query_kernel one = {.fn = fn};
  ww_status st = launch_of(x, &one, e);
  if (st)
    return st;
  for (uint32_t g = 0; g < x->ngpus; g++)
    told[g].commented = one.commented;
  ww_key code = code_key(&x->read->unit->module, fn, x->q->explain);
  ww_key *keys = WW_NEWN(x->a, ww_key, x->ngpus);
  uint32_t *missing = WW_NEWN(x->a, uint32_t, x->ngpus);
  uint32_t *order = WW_NEWN(x->a, uint32_t, x->ngpus);
  uint32_t n = 0;
  for (uint32_t g = 0; g < x->ngpus; g++)
    keys[g] = answer_key(x, code, &one.launch, &one.said, &x->gpus[g]);
  sort_by_key(keys, order, x->ngpus);
  for (uint32_t i = 0; i < x->ngpus; i++) {
    uint32_t g = order[i];
    void *kept;
    bool twice =
        i && keys[g].a == keys[order[i - 1]].a && keys[g].b == keys[order[i - 1]].b;
    ww_memo_answer answer =
        twice ? WW_MEMO_LATE
              : ww_memo_get(x->w->answers, keys[g], x->q->deadline, &kept);
    if (answer == WW_MEMO_HIT) {
      known_answer(x, fn, &one.said, kept, &told[g].report);
      told[g].known = told[g].done = true;
      ww_memo_release(x->w->answers, keys[g], kept);
    } else if (answer == WW_MEMO_MAKE)
      missing[n++] = g;
    else if (!twice)
      told[g].code = over(x, fn, e);
  }
  double t = ww_now();
  if (n) {
    compute(&(computing){x, fn, &one.launch, &one.said, missing, n}, keys, told);
    x->out->predict_ms += 1e3 * (ww_now() - t);
  }
  for (uint32_t i = 1; i < x->ngpus; i++) /* a GPU that was named twice */
    if (!told[order[i]].done && !told[order[i]].code)
      told[order[i]] = told[order[i - 1]];
  for (uint32_t g = 0; g < x->ngpus; g++)
    if (told[g].code && !told[g].done)
      return told[g].code;
  return WW_OK;
}

static void begin_answers(const asking *x, const ww_fn *fn, ww_query_answer *told) {
  for (uint32_t g = 0; g < x->ngpus; g++)
    told[g] = (ww_query_answer){
        .kernel = ww_strdup(x->a, fn->name), .gpu = x->gpus[g].name, .line = fn->line};
}

static ww_status all_kernels(asking *x, ww_err *e) {
  const ww_module *m = &x->read->unit->module;
  const ww_fn *only = NULL;
  uint32_t kernels = 0;
  for (uint32_t k = 0; k < m->nfns; k++)
    kernels += m->fns[k].kernel;
  if (x->q->kernel || kernels < 2) {
    ww_status st =
        ww_query_kernel_in(x->w, x->read, x->q->deadline, x->a, x->q->kernel, &only, e);
    if (st)
      return st;
    kernels = 1;
    m = &x->read->unit->module;
  }
  x->out->v = WW_NEWN(x->a, ww_query_answer, (size_t)kernels * x->ngpus);
  for (uint32_t k = 0; k < m->nfns; k++) {
    const ww_fn *fn = &m->fns[k];
    if (only ? fn != only : !fn->kernel)
      continue;
    ww_err why = {0};
    ww_query_answer *told = x->out->v + x->out->n;
    if (is_over(x))
      return over(x, fn, e);
    begin_answers(x, fn, told);
    ww_status st = one_kernel(x, fn, told, &why);
    if (st == WW_ECANCEL || (st && only)) {
      if (e)
        *e = why;
      return st;
    }
    if (st)
      begin_answers(x, fn, told);
    /* a launch that could not be understood */
    for (uint32_t g = 0; st && g < x->ngpus; g++) {
      told[g].report = error_report(x, fn, &x->gpus[g], &why);
      told[g].code = st;
    }
    x->out->n += x->ngpus;
  }
  return WW_OK;
}

ww_status ww_query_ask(ww_query *w,
                       const ww_query_request *q,
                       ww_arena *a,
                       ww_query_result *out,
                       ww_err *e) {
  ww_query_unit own = {0};
  asking x = {.w = w, .q = q, .a = a, .out = out, .read = q->read ? q->read : &own};
  *out = (ww_query_result){0};
  ww_status st = choose_gpus(&x, e);
  if (!st)
    st = choose_model(&x, e);
  if (!st && !q->read)
    st = ww_query_read(w, &q->source, q->deadline, a, &own, e);
  if (st)
    return st;
  out->read_ms = own.read_ms;
  out->clang_ms = own.clang_ms;
  st = all_kernels(&x, e);
  if (e && e->file)
    e->file = ww_strdup(a, e->file); /* it may lie in the unit */
  out->host_ms = x.read->host_ms;
  ww_query_release(w, &own);
  return st;
}
