/* question_walk.c - how often each part of a kernel runs in one launch, and what it
 * does there, by the source's own arithmetic.
 *
 * No trace and no compiler: loops whose bounds are numbers, arguments or indices are
 * counted, conditions on indices give the share of threads that pass, everything else
 * is a guess that the text marks as such ('?'). Statement by statement, device
 * functions in place. Bounded by Q_STEPS tokens whatever the source is. */

#include "../../base/half.h"
#include "question_eval.h"

#define GUESSED_TRIPS 8.0
static const ww_qtimes guessed_trips = {GUESSED_TRIPS, GUESSED_TRIPS, GUESSED_TRIPS};

static uint32_t statement(ww_qwalker *w, uint32_t i, uint32_t end);

/* ---- arguments ---- */

double ww_question_scalar(const ww_arg *g, char type, uint32_t bytes) {
  if (g->kind == WW_ARG_VALUE)
    return g->expr ? NAN : g->is_int ? g->ivalue : g->value;
  if (g->kind != WW_ARG_HEX || !g->hex_n || g->hex_n > 8 || g->nptrs)
    return NAN;
  uint64_t raw = 0;
  uint32_t n = g->hex_n;
  for (uint32_t i = 0; i < n; i++)
    raw |= (uint64_t)g->hex[i] << 8 * i;
  if (type == 'f' && n == 4)
    return ww_bits_float(raw);
  if (type == 'd' && n == 8) {
    double d;
    memcpy(&d, &raw, 8);
    return d;
  }
  if (type == 'h' && n == 2)
    return (raw & 0x7c00) == 0x7c00 ? NAN : ww_half_to_float(raw);
  if (type == 'u' || type == 'b' || (type == 'o' && bytes != n))
    return raw;
  return (int64_t)(raw << (64 - 8 * n)) >> (64 - 8 * n);
}

/* ---- device functions in place ---- */

/* Arguments between two brackets, to the callee's symbols; angle: template arguments.
 */
static void bind_list(ww_qwalker *w,
                      uint32_t from,
                      uint32_t to,
                      const int32_t *syms,
                      uint32_t n,
                      ww_qval *out) {
  for (uint32_t at = 0, end; at < n && from <= to; at++, from = end + 1) {
    end = ww_qcomma(w->t, from, to);
    if (syms[at] >= 0)
      out[at] = ww_qvalue_of(w, from, end);
  }
}

void ww_qwalk_call(ww_qwalker *w, uint32_t i, const ww_qsym *y) {
  uint32_t open = i + 1;
  uint32_t angle = 0;
  if (open < w->ntokens && ww_qop_at(w, open, '<')) {
    while (open < w->ntokens && open < i + 40 && !ww_qop_at(w, open, '>'))
      open++;
    angle = open++;
  }
  if (open >= w->ntokens || !ww_qop_at(w, open, '(') || w->calls >= Q_CALLS ||
      y->function < 0)
    return;
  const ww_qpart *p = &w->k->parts.v[y->function];
  if (!p->body)
    return;
  ww_qval args[32 + 16];
  ww_qval *types = args + 32;
  for (int k = 0; k < 32 + 16; k++)
    args[k] = ww_qval_of(NAN);
  uint32_t nargs = p->nparams < 32 ? p->nparams : 32;
  bind_list(w, open + 1, w->t[open].pair, p->params, nargs, args);
  if (angle)
    bind_list(w, i + 2, angle, p->templates, p->ntemplates, types);
  for (uint32_t k = 0; k < nargs; k++) {
    int32_t sym = p->params[k];
    if (sym < 0)
      continue;
    w->value[sym] = w->k->syms.v[sym].assigned ? ww_qval_of(NAN) : args[k];
    w->ready[sym] = w->now.ready;
  }
  for (uint32_t k = 0; k < p->ntemplates; k++)
    w->value[p->templates[k]] = types[k];
  ww_qwalker inner = *w;
  inner.p = p;
  inner.part = y->function;
  inner.t = p->t.v;
  inner.ntokens = p->t.n;
  inner.loop_var = -1;
  inner.items.n = 0;
  inner.naround = 0;
  inner.calls++;
  inner.returned = w->clock;
  statement(&inner, p->body, p->body_end);
  w->steps = inner.steps;
  w->clock = inner.clock;
  w->stored = inner.stored;
  w->now.ready = fmax(w->now.ready, inner.returned);
}

/* Values of what a statement declares: `int a = x, b = y;`. */
void ww_qwalk_declare(ww_qwalker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    const ww_qtoken *t = &w->t[i];
    i = ww_qskip(w->t, i, to);
    if (t->sym < 0 || !ww_qop_at(w, i + 1, '='))
      continue;
    const ww_qsym *y = &w->k->syms.v[t->sym];
    if (y->kind != Q_LOCAL)
      continue;
    uint32_t end = ww_qbehind(w->t, i + 2, to, ",");
    w->start[t->sym] = ww_qvalue_of(w, i + 2, end);
    w->value[t->sym] = y->assigned ? ww_qval_of(NAN) : w->start[t->sym];
    i = end - 1;
  }
}

/* ---- loops ---- */

/* The head of a loop at `for` has numbers alone beside its variable: the compiler
 * writes such loops out. */
static bool by_numbers(const ww_qwalker *w, uint32_t i) {
  int32_t var = -1;
  for (uint32_t k = i + 2; k < w->t[i + 1].pair; k++) {
    if (w->t[k].sym < 0)
      continue;
    if (var >= 0 && w->t[k].sym != var)
      return false;
    var = w->t[k].sym;
  }
  return true;
}

static bool has_loop(const ww_qwalker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    if (w->t[i].kind != Q_WORD || w->t[i].sym >= 0)
      continue;
    bool loop =
        ww_qtoken_is(&w->t[i], "for") && ww_qop_at(w, i + 1, '(') && !by_numbers(w, i);
    if (loop || ww_qtoken_is(&w->t[i], "while"))
      return true;
  }
  return false;
}

static bool is_barrier(const ww_qtoken *t) {
  return t->kind == Q_WORD && t->sym < 0 && ww_starts(t->s, "sync");
}

static bool is_break(const ww_qtoken *t) {
  return t->sym < 0 && ww_qtoken_is(t, "break");
}

static bool has(const ww_qwalker *w,
                uint32_t from,
                uint32_t to,
                bool (*wanted)(const ww_qtoken *)) {
  for (uint32_t i = from; i < to; i++)
    if (wanted(&w->t[i]))
      return true;
  return false;
}

/* One past the statement at `at`, as far as it can be told without reading it. */
static uint32_t past(const ww_qwalker *w, uint32_t at, uint32_t end) {
  uint32_t i = ww_qitem_at(&w->items, at);
  if (i < w->items.n && w->items.v[i].control && w->items.v[i].begin == at)
    return w->items.v[i].end;
  at = ww_qfind(w->t, at, end, "{ ;");
  return at < end ? w->t[at].pair + 1 : end;
}

/* Iterations that the compiler lets overlap: few of a known number it writes out, of
 * others four.
 */
static void unroll(
    const ww_qwalker *w, const ww_qtrips *n, uint32_t at, uint32_t end, ww_qaround *r) {
  static const double WRITTEN_OUT = 16;
  static const double OTHERS = 4;
  double most = isnan(n->most) ? 1 : fmax(n->most, 1);
  uint32_t to = past(w, at, end);
  if (to > end)
    to = end;
  r->written_out = false;
  if (has(w, at, to, is_barrier))
    r->unroll = 1; /* one iteration after the other */
  else if (w->pragma >= 0) {
    r->unroll = w->pragma > 0 ? fmin(w->pragma, most) : most;
    r->written_out = w->pragma == 0 || w->pragma >= most;
  } else if (n->same && n->most <= WRITTEN_OUT) {
    r->unroll = most;
    r->written_out = true;
  } else if (isnan(n->most) || !n->constant || has_loop(w, at, to))
    r->unroll = 1;
  else
    r->unroll = fmin(OTHERS, most);
}

/* i < n && something that only memory tells. */
static bool ends_by_data(const ww_qwalker *w, uint32_t from, uint32_t to) {
  bool memory = false, several = false;
  for (uint32_t i = from; i < to; i++) {
    several |= ww_qop_at(w, i, Q_AND);
    memory |= ww_qop_at(w, i, '[');
  }
  return memory && several;
}

/* A loop that may be left before its end. */
static void leave_early(ww_qtrips *n) {
  double mean = n->mean.threads;
  double few = GUESSED_TRIPS / 2;
  double share = mean > few ? (few + mean / 4) / mean : 1;
  if (isnan(share) || share > 1)
    return;
  n->mean = ww_qtimes_by(n->mean, (ww_qtimes){share, share, share});
  n->most *= fmin(1, 2 * share);
  n->same = false;
}

/* The second iteration is like all that follow: what it takes the others take as well.
 * Nothing is counted again. */
static void
others(ww_qwalker *w, uint32_t at, uint32_t end, double begin, double trips) {
  static const uint32_t DEEP = 4;
  double first = w->clock;
  if (!(trips > 1.5))
    return;
  if (w->loops < DEEP) {
    ww_qwalker kept = *w;
    w->runs = (ww_qtimes){0};
    w->again = true;
    statement(w, at, end);
    w->runs = kept.runs;
    w->again = kept.again;
  } else
    w->clock = first + (first - begin);
  double each = fmax(w->clock - first, 0);
  double last = first + (trips - 1) * each;
  double later = last - w->clock;
  for (uint32_t i = 0; i < w->k->syms.n; i++)
    if (w->ready[i] > first)
      w->ready[i] += later;
  if (w->stored > first)
    w->stored += later;
  w->clock = last;
}

/* The loop is one more around its body: what changes in it. False: nothing, so that it
 * runs once.
 */
static bool enter(ww_qwalker *w, const ww_qtrips *n, uint32_t from, uint32_t end) {
  if (w->naround >= Q_LOOPS)
    return true;
  ww_qaround *r = &w->around[w->naround++];
  r->trips = isnan(n->mean.threads) ? guessed_trips : n->mean;
  unroll(w, n, from, end, r);
  w->pragma = -1;
  if (w->items.n)
    return ww_qvariant(w->k, w->t, &w->items, from, past(w, from, end), w->loop_var,
                       r->variant, r->serial);
  memset(r->variant, 1, w->k->syms.n); /* a device function: anything may */
  memset(r->serial, 1, w->k->syms.n);
  return true;
}

/* The body so often; what it does is the loop's. Returns one past it. */
static uint32_t
body(ww_qwalker *w, uint32_t keyword, uint32_t at, uint32_t end, const ww_qtrips *n) {
  uint32_t slot = w->w->first[w->part] + keyword;
  static const ww_qtrips once = {{1, 1, 1}, 1, true, true};
  ww_qwalker kept = *w;
  if (!enter(w, n, at, end)) {
    n = &once;
    w->naround = kept.naround;
  }
  bool known = !isnan(n->mean.threads);
  double apart = w->naround > kept.naround ? w->around[w->naround - 1].unroll : 1;
  w->runs = ww_qtimes_by(w->runs, known ? n->mean : guessed_trips);
  w->nseen = 0;
  if (!w->again) {
    w->w->unknown += !known;
    w->w->trips[slot] = known ? n->most : -1;
    w->w->weight[slot] = fmax(w->w->weight[slot], w->runs.threads);
  }
  w->loops++;
  if (w->runs.threads > w->w->heaviest) {
    w->w->heaviest = w->runs.threads;
    w->w->depth = w->loops;
  }
  w->now = (ww_qissue){0};
  ww_qwork_add(w, Q_C_integer, 1 / apart);
  ww_qwork_add(w, Q_C_branches, 1 / apart);
  w->clock += w->now.issue + w->now.chain;
  double begin = w->clock;
  uint32_t next = statement(w, at, end);
  others(w, at, end, begin, known ? n->most : 2 * GUESSED_TRIPS);
  w->loops--;
  w->naround = kept.naround;
  w->nseen = 0;
  w->runs = kept.runs;
  w->loop_var = kept.loop_var;
  w->loop_by = kept.loop_by;
  return next;
}

static double or_guessed(double trips) {
  return isnan(trips) ? GUESSED_TRIPS : trips;
}

static uint32_t for_loop(ww_qwalker *w, uint32_t i, uint32_t end) {
  ww_qloop_head h;
  ww_qtrips n = ww_qtrips_unknown;
  uint32_t open = i + 1;
  if (open >= end || !ww_qop_at(w, open, '('))
    return i + 1;
  int32_t var = w->loop_var;
  double by = w->loop_by;
  if (ww_qloop_split(w, open, &h))
    n = ww_qloop_for(w, &h);
  if (h.cond && h.step) {
    ww_qtimes runs = w->runs;
    ww_qtimes trips = {or_guessed(n.mean.threads), or_guessed(n.mean.warps),
                       or_guessed(n.mean.busiest)};
    ww_qwork(w, h.init, h.cond - 1);
    ww_qwork_done(w);
    w->runs = ww_qtimes_by(runs, trips);
    ww_qwork(w, h.cond, h.step - 1); /* loads in the condition, say */
    ww_qwork_done(w);
    w->runs = runs;
  }
  uint32_t at = w->t[open].pair + 1;
  if (h.cond && h.step &&
      (has(w, at, past(w, at, end), is_break) || ends_by_data(w, h.cond, h.step - 1)))
    leave_early(&n);
  uint32_t next = body(w, i, at, end, &n);
  w->loop_var = var;
  w->loop_by = by;
  return next;
}

/* ---- conditions ---- */

static bool leaves(const ww_qwalker *w, uint32_t at) {
  if (ww_qop_at(w, at, '{'))
    at++;
  return at < w->ntokens && ww_qtoken_is(&w->t[at], "return");
}

/* A branch of a condition; one that no thread takes costs no time. */
static uint32_t branch(ww_qwalker *w, uint32_t i, uint32_t end, ww_qtimes share) {
  ww_qtimes runs = w->runs;
  double clock = w->clock;
  w->runs = ww_qtimes_by(runs, share);
  uint32_t next = statement(w, i, end);
  w->runs = runs;
  if (share.threads == 0)
    w->clock = clock;
  return next;
}

static uint32_t condition(ww_qwalker *w, uint32_t i, uint32_t end) {
  uint32_t open = i + 1;
  if (open < end && ww_qtoken_is(&w->t[open], "constexpr"))
    open++;
  if (open >= end || !ww_qop_at(w, open, '('))
    return i + 1;
  uint32_t close = w->t[open].pair;
  ww_qshare yes = ww_qshare_of(w, open + 1, close);
  ww_qwork(w, open + 1, close);
  ww_qwork_add(w, Q_C_branches, yes.divergent ? 2 : 1); /* those that part meet again */
  /* it must be known before anything else */
  w->clock = fmax(w->clock, ww_qwork_done(w));
  bool out = close + 1 < end && leaves(w, close + 1);
  double before = w->clock;
  uint32_t next = branch(w, close + 1, end, yes.of);
  if (next < end && ww_qtoken_is(&w->t[next], "else")) {
    double one = w->clock;
    if (!yes.divergent)
      w->clock = before; /* the longer one; else one after the other */
    next = branch(w, next + 1, end, ww_qshare_not(yes).of);
    w->clock = fmax(w->clock, one);
  }
  if (out) { /* those that are left */
    w->runs = ww_qtimes_by(w->runs, ww_qshare_not(yes).of);
    w->clock = before;
  }
  return next;
}

/* ---- statements ---- */

static uint32_t block(ww_qwalker *w, uint32_t i, uint32_t end) {
  uint32_t close = w->t[i].pair;
  ww_qtimes runs = w->runs;
  bool outer = w->nested == 1 && !w->calls; /* an early return of the kernel lasts */
  if (close > end)
    close = end;
  for (i++; i < close && w->steps < Q_STEPS;) {
    uint32_t next = statement(w, i, close);
    i = next > i ? next : i + 1;
  }
  if (!outer)
    w->runs = runs;
  return close + 1;
}

/* The declaration of an array, float t[16][17]: how much of it there is. False:
 * something else. */
static bool array_declared(ww_qwalker *w, uint32_t i, uint32_t to) {
  uint32_t from = i;
  while (i < to && w->t[i].skip)
    i++;
  const ww_qtoken *t = &w->t[i];
  if (i == from || i + 1 >= to || t->sym < 0 || !ww_qop_at(w, i + 1, '['))
    return false;
  const ww_qsym *y = &w->k->syms.v[t->sym];
  if (y->kind != Q_SHARED && y->kind != Q_ARRAY)
    return false;
  double n = 1;
  double row = 1;
  uint32_t k = i + 1;
  for (; k < to && ww_qop_at(w, k, '['); k = w->t[k].pair + 1) {
    row = ww_qvalue_of(w, k + 1, w->t[k].pair).at[0];
    n *= isnan(row) ? 1 : row;
  }
  w->pitch[t->sym] = y->kind == Q_SHARED ? row : n;
  if (y->kind == Q_SHARED && !w->again)
    w->w->shared += n * y->bytes;
  return k >= to;
}

/* What the statement gives a value is there when the statement is done. */
static void results(ww_qwalker *w, uint32_t from, uint32_t to, double done) {
  for (uint32_t i = from; i + 1 < to; i++) {
    const ww_qtoken *t = &w->t[i];
    i = ww_qskip(w->t, i, to);
    if (t->sym < 0)
      continue;
    uint32_t next = ww_qop_at(w, i + 1, '[') ? w->t[i + 1].pair + 1 : i + 1;
    uint8_t kind = w->k->syms.v[t->sym].kind;
    if (next < to && ww_qassigns(&w->t[next]) && kind <= Q_ARRAY && kind != Q_POINTER)
      w->ready[t->sym] = done;
  }
}

/* A statement that the loops around it do not change is moved out of them, and runs
 * less often. */
static bool moved_out(ww_qwalker *w, uint32_t from, uint32_t to) {
  uint32_t n = w->naround;
  for (; n > 0 && !ww_qwork_changes(w, &w->around[n - 1], from, to); n--) {
    const ww_qtimes *trips = &w->around[n - 1].trips;
    w->runs.threads /= fmax(1, trips->threads);
    w->runs.warps /= fmax(1, trips->warps);
    w->runs.busiest /= fmax(1, trips->busiest);
  }
  return n < w->naround;
}

static uint32_t simple(ww_qwalker *w, uint32_t i, uint32_t end) {
  uint32_t to = ww_qstatement_end(w->t, i, end);
  if (array_declared(w, i, to))
    return to + 1;
  ww_qtimes runs = w->runs;
  double clock = w->clock;
  uint32_t around = w->naround;
  bool out = moved_out(w, i, to);
  if (out)
    w->naround = 0;
  ww_qwork(w, i, to);
  w->naround = around;
  double done = ww_qwork_done(w);
  w->runs = runs;
  if (is_barrier(&w->t[i]))
    w->clock = fmax(done, w->stored + (done - w->clock));
  if (out && w->again)
    w->clock = done = clock;
  if (ww_qtoken_is(&w->t[i], "return"))
    w->returned = fmax(w->returned, done);
  results(w, i, to, done);
  ww_qwalk_declare(w, i, to);
  return to + 1;
}

/* #pragma unroll [N]: 0 all of it. */
static uint32_t pragma(ww_qwalker *w, uint32_t i, uint32_t end) {
  uint32_t next = i + 1;
  if (ww_qtoken_is(&w->t[i], "unroll")) {
    w->pragma = 0;
    for (uint32_t k = next; k < end && k < i + 3; k++)
      if (w->t[k].kind == Q_INT)
        w->pragma = fmin(w->t[k].value, 64);
  }
  return ww_qfind(w->t, next, end, "\n {");
}

static uint32_t while_loop(ww_qwalker *w, uint32_t i, uint32_t end) {
  int32_t var = w->loop_var;
  ww_qtrips n = ww_qloop_while(w, i + 1, end);
  ww_qwork(w, i + 2, w->t[i + 1].pair);
  w->clock = fmax(w->clock, ww_qwork_done(w));
  w->loop_var = -1;
  uint32_t next = body(w, i, w->t[i + 1].pair + 1, end, &n);
  w->loop_var = var;
  return next;
}

static uint32_t statement(ww_qwalker *w, uint32_t i, uint32_t end) {
  if (i >= end || w->steps++ > Q_STEPS || w->nested > Q_NESTED)
    return end;
  const ww_qtoken *t = &w->t[i];
  uint32_t next = i;
  w->nested++;
  if (!w->calls && w->dead[i] && !ww_qop_at(w, i, '{'))
    while (next < end && w->dead[next])
      next++;
  else if (ww_qop_at(w, i, '{'))
    next = block(w, i, end);
  else if (ww_qtoken_is(t, "for"))
    next = for_loop(w, i, end);
  else if (ww_qtoken_is(t, "while") && i + 1 < end && ww_qop_at(w, i + 1, '('))
    next = while_loop(w, i, end);
  else if (ww_qtoken_is(t, "do"))
    next = body(w, i, i + 1, end, &ww_qtrips_unknown);
  else if (ww_qtoken_is(t, "if"))
    next = condition(w, i, end);
  else if (ww_qtoken_in(t, "unroll omp switch"))
    next = pragma(w, i, end);
  else
    next = simple(w, i, end);
  w->nested--;
  return next > i ? next : i + 1;
}

/* ---- the whole launch ---- */

static ww_qline line_of(const ww_buffer *u, uint32_t bytes) {
  double n = (double)u->bytes / (bytes ? bytes : 4) - 1;
  if (u->fill.kind == WW_FILL_INDEX)
    return (ww_qline){0, 1};
  if (u->fill.kind != WW_FILL_MONOTONE || n < 1 || !(u->fill.hi > u->fill.lo))
    return (ww_qline){NAN, NAN};
  return (ww_qline){u->fill.lo, (u->fill.hi - u->fill.lo) / n};
}

static void set_values(ww_qwalker *w) {
  const ww_question_kernel *k = w->k;
  const ww_qpart *p = w->p;
  for (uint32_t i = 0; i < k->syms.n; i++) {
    w->value[i] = i < Q_NBUILTINS * 3 ? ww_qval_builtin(w->l, i / 3, i % 3)
                                      : ww_qval_of(k->constant[i]);
    w->start[i] = ww_qval_of(NAN);
    w->line[i] = (ww_qline){NAN, NAN};
  }
  for (uint32_t i = 0; i < p->nparams && i < w->l->nargs; i++) {
    const ww_qsym *y = ww_qsym_of(k, p->params[i]);
    if (y && w->l->args[i].kind == WW_ARG_BUFFER)
      w->line[p->params[i]] = line_of(&w->l->args[i].buffer, y->bytes);
    if (y && y->kind == Q_SCALAR && !y->assigned)
      w->value[p->params[i]] =
          ww_qval_of(ww_question_scalar(&w->l->args[i], y->type, y->bytes));
  }
}

/* What the compiler leaves out is neither counted nor written. */
static void leave_out(ww_qwalker *w, ww_arena *a) {
  ww_qitems_of(w->k, w->p, a, &w->items);
  ww_qlive(w->k, w->p, w->value, a, &w->items);
  for (uint32_t i = 0; i < w->items.n; i++) {
    const ww_qitem *m = &w->items.v[i];
    uint32_t to = m->control ? m->end : m->to + 1;
    for (uint32_t k = m->begin; !m->live && !m->none && k < to && k < w->ntokens; k++)
      w->dead[k] = true;
  }
}

/* Once through for what must be known before: which arrays are indexed by what only
 * memory tells, and how much of each buffer's traffic is new. */
static void look(const ww_qwalker *w, ww_arena *a, uint32_t tokens) {
  static const double MANY_SMS = 128;
  ww_qwalk scratch = *w->w;
  ww_qwalker first = *w;
  scratch.trips = WW_NEWN(a, float, tokens + 1);
  scratch.weight = WW_NEWN(a, float, tokens + 1);
  first.w = &scratch;
  statement(&first, w->p->body, w->p->body_end);
  memset(w->ready, 0, sizeof *w->ready * w->k->syms.n);
  for (uint32_t i = 0; i < w->p->nparams && i < w->l->nargs; i++) {
    int32_t sym = w->p->params[i];
    if (sym < 0 || w->l->args[i].kind != WW_ARG_BUFFER)
      continue;
    double all = w->l->args[i].buffer.bytes;
    w->first[sym] = fmin(1, w->moved[sym] > 0 ? all / w->moved[sym]
                                              : all * fmin(MANY_SMS, w->blocks) /
                                                    fmax(1, w->asked[sym]));
    w->moved[sym] = w->asked[sym] = 0;
  }
}

/* Elements of constant tables. */
static void tables(ww_qwalker *w) {
  for (uint32_t n = 1; n < w->k->parts.n; n++) {
    const ww_qpart *p = &w->k->parts.v[n];
    if (p->body || p->sym < 0 || w->k->syms.v[p->sym].kind != Q_GLOBAL)
      continue;
    double all = 1;
    const ww_qtoken *t = p->t.v;
    for (uint32_t i = 0; i < p->t.n && !ww_qop_in(&t[i], "= ;"); i++)
      if (t[i].op == '[') {
        double size = ww_qval_range(t, i + 1, t[i].pair, w->value, w->line).at[0];
        all *= isnan(size) ? 1 : size;
        i = t[i].pair;
      }
    w->pitch[p->sym] = all;
  }
}

/* Each buffer comes from DRAM at most once, as long as L2 holds it. */
static void finish(ww_qwalker *w) {
  for (uint32_t i = 0; i < w->p->nparams && i < w->l->nargs; i++) {
    if (w->p->params[i] < 0 || w->l->args[i].kind != WW_ARG_BUFFER)
      continue;
    w->w->count[Q_C_dram_bytes] +=
        fmin(w->l->args[i].buffer.bytes, w->moved[w->p->params[i]]);
  }
  w->w->cycles = fmax(w->clock, w->stored);
  w->w->dead = w->dead;
}

void ww_question_walk(const ww_question_kernel *k,
                      const ww_launch *l,
                      ww_arena *a,
                      ww_qwalk *out) {
  uint32_t total = 0;
  uint32_t nsyms = k->syms.n + 1;
  double blocks = ww_qproduct(l->grid);
  double threads = blocks * ww_qproduct(l->block);
  *out = (ww_qwalk){.first = WW_NEWN(a, uint32_t, k->parts.n)};
  for (uint32_t i = 0; i < k->parts.n; i++) {
    out->first[i] = total;
    total += k->parts.v[i].t.n;
  }
  out->trips = WW_NEWN(a, float, total + 1);
  out->weight = WW_NEWN(a, float, total + 1);
  out->mark = WW_NEWN(a, char, total + 1);
  const ww_qpart *p = &k->parts.v[0];
  double warps = ceil(threads / blocks / 32);
  double *room = WW_NEWN(a, double, 5 * nsyms);
  ww_qwalker w = {.k = k,
                  .l = l,
                  .w = out,
                  .p = p,
                  .t = p->t.v,
                  .ntokens = p->t.n,
                  .loop_var = -1,
                  .pragma = -1,
                  .blocks = blocks,
                  .block_warps = warps,
                  .runs = {threads, blocks * warps, warps},
                  .resident = fmin(2048, ceil(blocks / 100) * threads / blocks),
                  .value = WW_NEWN(a, ww_qval, nsyms),
                  .line = WW_NEWN(a, ww_qline, nsyms),
                  .start = WW_NEWN(a, ww_qval, nsyms),
                  .ready = room,
                  .moved = room + nsyms,
                  .first = room + 2 * nsyms,
                  .asked = room + 3 * nsyms,
                  .pitch = room + 4 * nsyms,
                  .dynamic = WW_NEWN(a, bool, nsyms),
                  .dead = WW_NEWN(a, bool, p->t.n + 1)};
  if (k->openmp)
    w.runs = (ww_qtimes){1, 1.0 / 32, 1.0 / 32 / blocks};
  for (int i = 0; i < Q_LOOPS; i++) {
    w.around[i].variant = WW_NEWN(a, bool, nsyms);
    w.around[i].serial = WW_NEWN(a, bool, nsyms);
  }
  set_values(&w);
  tables(&w);
  if (!p->body)
    return;
  out->heaviest = w.runs.threads;
  leave_out(&w, a);
  ww_qwork_add(&w, Q_C_integer, 8); /* what every thread does before it begins */
  look(&w, a, total);
  statement(&w, p->body, p->body_end);
  finish(&w);
}
