/* question_trips.c - how often a loop runs in one launch, by the numbers in its head.
 *
 * Bounds are numbers, arguments, indices, or contents that the launch tells. Threads
 * differ: the mean over all of them says how much work there is, the busiest one how
 * long it takes. */

#include "question_eval.h"

/* ---- loops ---- */

bool ww_qloop_split(const ww_qwalker *w, uint32_t open, ww_qloop_head *h) {
  uint32_t close = w->t[open].pair;
  uint32_t found = 0;
  *h = (ww_qloop_head){.init = open + 1, .end = close};
  for (uint32_t i = open + 1; i < close; i++) {
    if (ww_qop_at(w, i, ';')) {
      if (found++ == 0)
        h->cond = i + 1;
      else
        h->step = i + 1;
    } else
      i = ww_qskip(w->t, i, close);
  }
  return found == 2;
}

/* The variable that the step changes, by how much: added (1), multiplied (2). 0: not
 * told. */
static int step_of(ww_qwalker *w, const ww_qloop_head *h, int32_t *var, double *by) {
  for (uint32_t i = h->step; i < h->end; i++) {
    const ww_qtoken *t = &w->t[i];
    if (t->sym < 0)
      continue;
    *var = t->sym;
    if (t[1].op == Q_INC || t[-1].op == Q_INC)
      return *by = 1, 1;
    if (t[1].op == Q_DEC || t[-1].op == Q_DEC)
      return *by = -1, 1;
    uint32_t to = ww_qfind(w->t, i + 2, h->end, ",");
    uint32_t op = t[1].op;
    uint32_t from = i + 2;
    if (op == '=' && i + 4 < h->end && t[2].sym == t->sym && t[3].op) { /* v = v + e */
      op = t[3].op | Q_OP1('=') << (t[3].n == 2 ? 16 : 8);
      from = i + 4;
    }
    *by = ww_qvalue_of(w, from, to).at[0];
    switch (op) {
    case Q_OP2('-', '='):
      *by = -*by;
      /* fallthrough */
    case Q_OP2('+', '='):
      return 1;
    case Q_OP2('/', '='):
      *by = 1 / *by;
      /* fallthrough */
    case Q_OP2('*', '='):
      return 2;
    case Q_OP3('<', '<', '='):
      *by = exp2(*by);
      return 2;
    case Q_OP3('>', '>', '='):
      *by = exp2(-*by);
      return 2;
    default:
      return 0;
    }
  }
  return 0;
}

/* The bound that the condition compares the variable with. */
static ww_qval
bound_of(const ww_qwalker *w, const ww_qloop_head *h, int32_t var, bool *inclusive) {
  uint32_t op_i = 0;
  uint32_t end = h->step - 1;
  uint32_t from = h->cond;
  for (uint32_t i = from; i < end; i++) {
    if (ww_qop_at(w, i, Q_AND)) { /* the part that has the variable */
      if (op_i)
        end = i;
      else
        from = i + 1;
    } else if (ww_qop_in(&w->t[i], "< > <= >= !=")) {
      if (!op_i)
        op_i = i;
    } else
      i = ww_qskip(w->t, i, end);
  }
  if (!op_i && from < end && w->t[from].sym == var)
    return ww_qval_of(0); /* for (s = n; s; s /= 2) */
  if (!op_i)
    return ww_qval_of(NAN);
  *inclusive = w->t[op_i].n == 2 && w->t[op_i].op != Q_NE;
  bool left = false;
  for (uint32_t i = from; i < op_i; i++)
    left |= w->t[i].sym == var;
  ww_qval bound = left ? ww_qvalue_of(w, op_i + 1, end) : ww_qvalue_of(w, from, op_i);
  ww_qval kept = w->value[var];
  w->value[var] = ww_qval_of(0); /* i + 4 <= n: the bound is n - 4 */
  ww_qval shift = left ? ww_qvalue_of(w, from, op_i) : ww_qvalue_of(w, op_i + 1, end);
  w->value[var] = kept;
  for (int k = 0; k < 4; k++)
    bound.at[k] -= isnan(shift.at[k]) ? 0 : shift.at[k];
  return bound;
}

/* What the loop's head starts the variable with. */
static ww_qval first_of(const ww_qwalker *w, const ww_qloop_head *h, int32_t var) {
  for (uint32_t i = h->init; i + 1 < h->cond; i++)
    if (w->t[i].sym == var && ww_qop_at(w, i + 1, '=')) {
      uint32_t end = i + 2;
      while (end + 1 < h->cond && !ww_qop_at(w, end, ','))
        end = ww_qclose(w->t, end) + 1;
      return ww_qvalue_of(w, i + 2, end);
    }
  return w->start[var];
}

typedef struct {
  int kind; /* of step_of */
  double by;
  bool inclusive;
} stepping;

static double trips_at(double a, double b, const stepping *s) {
  double n = (b - a) / s->by + (s->inclusive ? fabs(1 / s->by) : 0);
  if (s->kind == 2)
    n = a > 0 || b > 0 ? log2(fmax(b, 1) / fmax(a, 1)) / log2(s->by) +
                             (s->inclusive || (s->by < 1 && b < 1))
                       : NAN;
  return isnan(n) ? NAN : fmax(n, 0);
}

/* Iterations of a loop that so many warps share: every one that has a lane inside runs
 * it. */
static double by_warps(double trips, double by, double lane, double warps) {
  double whole = floor(trips);
  double rest = trips - whole;
  double step = fabs(by);
  double warp = 32 * fabs(lane);
  return whole +
         fmin(1, ceil(rest * step / warp - 1e-9) / fmin(warps, ceil(step / warp)));
}

static bool is_constant(const ww_qwalker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++)
    if (w->t[i].sym >= 0 && w->t[i].sym < Q_NBUILTINS * 3)
      return false;
  return true;
}

const ww_qtrips ww_qtrips_unknown = {.mean = {NAN, NAN, NAN}, .most = NAN};

/* Steps of a block or grid start at the first thread; the mean of steps of one is the
 * middle thread's. */
ww_qtrips ww_qloop_for(ww_qwalker *w, const ww_qloop_head *h) {
  int32_t var = -1;
  stepping s = {.by = NAN};
  ww_qwalk_declare(w, h->init, h->cond - 1);
  w->loop_var = -1;
  s.kind = h->step < h->end ? step_of(w, h, &var, &s.by) : 0;
  if (!s.kind || isnan(s.by) || s.by == 0)
    return ww_qtrips_unknown;
  ww_qval from = first_of(w, h, var);
  ww_qval to = bound_of(w, h, var, &s.inclusive);
  bool wide = s.kind == 1 && fabs(s.by) > 1.5;
  double a = from.at[wide ? 0 : 2];
  double b = to.at[wide ? 0 : 2];
  double mean = trips_at(a, b, &s);
  double most = ceil(mean - 1e-9);
  double lane = wide ? fabs(from.at[1] - from.at[0]) : 0;
  ww_qtrips n = {{mean, mean, most}, most, true, is_constant(w, h->step, h->end)};
  double span = fabs(from.at[3] - from.at[0]);
  double rest = to.at[3] - from.at[3];
  if (wide && rest < 0 && s.by > 0 && s.by < 0.9 * span &&
      mean > 0) /* a piece for each block, and none for the last ones */
  {
    mean *= fmax(span + rest, s.by) / span;
    n.mean.threads = n.mean.warps = mean;
  }
  if (lane > 0) {
    double first = trips_at(from.at[0], to.at[0], &s);
    n.mean.busiest = by_warps(first, s.by, lane, w->block_warps);
    n.mean.warps =
        first > 0 ? by_warps(first, s.by, lane, INFINITY) * mean / first : mean;
  }
  for (int k = 0; k < 4; k++) {
    double one = ceil(trips_at(from.at[k], to.at[k], &s) - 1e-9);
    n.same &= one == most;
    if (one > n.most)
      n.most = one;
  }
  ww_qval *v = &w->value[var];
  *v = from;
  double middle = s.kind == 2 ? sqrt(fmax(a, 1) * fmax(b, 1)) - a : (b - a) / 2;
  for (int k = 0; k < 4; k++) {
    v->at[k] += isnan(middle) ? 0 : fmin(middle, 1e15);
    if (s.kind == 2)
      v->at[k] = exp2(round(log2(fmax(v->at[k], 1))));
  }
  if (w->k->openmp && w->loops + 1 == w->k->collapse)
    v->at[1] += s.by; /* its iterations are the threads */
  if (s.kind == 1) {
    w->loop_var = var;
    w->loop_by = s.by;
  }
  return n;
}

static bool is_variable(const ww_qwalker *w, uint32_t i) {
  return w->t[i].sym >= 0 && w->k->syms.v[w->t[i].sym].kind <= Q_LOCAL;
}

/* A while loop's body from .. to: does it halve something, and what does it add to the
 * variable? */
static bool halves(const ww_qwalker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    if (ww_qop_in(&w->t[i], ">> /") && w->t[i + 1].kind == Q_INT &&
        w->t[i + 1].value <= 2)
      return true;
  }
  return false;
}

static double added(const ww_qwalker *w, int32_t var, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    if (w->t[i].sym != var)
      continue;
    if (w->t[i + 1].op == Q_INC || (i && w->t[i - 1].op == Q_INC))
      return 1;
    if (w->t[i + 1].op != Q_OP2('+', '='))
      continue;
    return ww_qvalue_of(w, i + 2, ww_qfind(w->t, i + 2, to, ";")).at[0];
  }
  return NAN;
}

/* while (a < b): a binary search, or a counter that the body moves on. */
static double while_trips(const ww_qwalker *w, uint32_t open, uint32_t end) {
  uint32_t close = w->t[open].pair;
  uint32_t a = open + 1;
  uint32_t to = close + 1;
  if (a + 2 >= close || close + 1 >= end || !is_variable(w, a) ||
      (w->t[a + 1].op & 255) != '<' || w->t[a + 1].op == Q_SHL)
    return NAN;
  if (ww_qop_at(w, to, '{'))
    to = w->t[to].pair;
  uint32_t behind = ww_qfind(w->t, a + 2, close, "&&");
  bool moving = behind == a + 3 && is_variable(w, a + 2) &&
                w->k->syms.v[w->t[a + 2].sym].assigned;
  double from = w->start[w->t[a].sym].at[0];
  double bound =
      moving ? w->start[w->t[a + 2].sym].at[0] : ww_qvalue_of(w, a + 2, behind).at[0];
  if (isnan(bound - from))
    return NAN;
  if (halves(w, close + 1, to))
    return log2(fmax(bound - from, 1)) + 1;
  double by = moving ? NAN : added(w, w->t[a].sym, close + 1, to);
  return by > 0 ? fmax((bound - from) / by, 0) : NAN;
}

ww_qtrips ww_qloop_while(const ww_qwalker *w, uint32_t open, uint32_t end) {
  double n = while_trips(w, open, end);
  return (ww_qtrips){.mean = {n, n, n}, .most = n};
}
