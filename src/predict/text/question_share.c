/* question_share.c - the share of threads, warps and blocks for which a condition
 * holds, by what its two sides are at the first thread, its neighbour and the last one.
 */

#include "question_eval.h"

static const double GUESSED_SHARE = 0.5, GUESSED_WARPS = 0.9;

static const ww_qshare guessed = {{GUESSED_SHARE, GUESSED_WARPS, GUESSED_WARPS}, true};

static ww_qshare both(ww_qshare a, ww_qshare b) {
  double warps = fmin(a.of.warps, b.of.warps);
  double busiest = fmin(a.of.busiest, b.of.busiest);
  return (ww_qshare){{a.of.threads * b.of.threads, warps, busiest},
                     a.divergent || b.divergent};
}

ww_qshare ww_qshare_not(ww_qshare a) {
  double others = 1 - a.of.threads;
  double apart = a.of.warps - a.of.threads;
  double warps = a.divergent ? fmin(1, others + 0.5 * apart) : 1 - a.of.warps;
  return (ww_qshare){{others, warps, a.of.threads < 1}, a.divergent};
}

/* x % n, x & m: how many values it has; NaN: it is something else. x is the tokens
 * *start .. *base.
 */
static double by_remainder(const ww_qwalker *w,
                           uint32_t from,
                           uint32_t op_i,
                           uint32_t *start,
                           uint32_t *base) {
  while (from + 1 < op_i && ww_qop_at(w, from, '(') && w->t[from].pair == op_i - 1) {
    from++;
    op_i--;
  }
  uint32_t at = 0;
  for (uint32_t i = from; i < op_i; i++)
    if (ww_qop_in(&w->t[i], "% &"))
      at = i;
    else
      i = ww_qclose(w->t, i);
  if (at <= from)
    return NAN;
  double n = ww_qvalue_of(w, at + 1, op_i).at[0];
  *start = from;
  *base = at;
  if (!(n >= 1))
    return NAN;
  if (ww_qop_at(w, at, '&'))
    n = exp2(__builtin_popcountll((unsigned long long)fmin(n, 9e15)));
  return n;
}

/* Where x % n lies every value is as likely. */
static ww_qshare remainder_share(const ww_qwalker *w,
                                 uint32_t what,
                                 double n,
                                 double k,
                                 uint32_t start,
                                 uint32_t base) {
  ww_qval x = ww_qvalue_of(w, start, base);
  bool inclusive = what > 255;
  double p = what == Q_EQ          ? 1 / n
             : what == Q_NE        ? 1 - 1 / n
             : (what & 255) == '<' ? (k + inclusive) / n
                                   : 1 - (k + !inclusive) / n;
  p = fmin(fmax(p, 0), 1);
  bool uniform = x.at[0] == x.at[1];
  double any = uniform ? p : 1 - pow(1 - p, 32);
  double busiest = p > 0 ? (uniform && x.at[3] != x.at[0] ? 1 : any) : 0;
  return (ww_qshare){{p, any, busiest}, !uniform && p > 0 && p < 1};
}

/* One comparison, the operator at op_i. Where left - right lies is taken to be even. */
static ww_qshare
comparison(const ww_qwalker *w, uint32_t from, uint32_t op_i, uint32_t to) {
  uint32_t start;
  uint32_t base;
  double n = by_remainder(w, from, op_i, &start, &base);
  double k = ww_qvalue_of(w, op_i + 1, to).at[0];
  if (!isnan(n) && !isnan(k))
    return remainder_share(w, w->t[op_i].op, n, k, start, base);
  ww_qval a = ww_qvalue_of(w, from, op_i);
  ww_qval b = ww_qvalue_of(w, op_i + 1, to);
  uint32_t what = w->t[op_i].op;
  uint32_t kind = what & 255;
  double lo = a.at[0] - b.at[0];
  double hi = a.at[3] - b.at[3];
  double lane = fabs(a.at[1] - b.at[1] - lo);
  if (isnan(lo) || isnan(hi))
    return guessed;
  if (lo > hi) {
    double t = lo;
    lo = hi;
    hi = t;
  }
  double span = hi - lo + 1;
  double hit = (lo <= 0 && hi >= 0) / span;
  double inside = what == Q_EQ   ? hit
                  : what == Q_NE ? 1 - hit
                  : kind == '<'  ? fmin(fmax(-lo / span, 0), 1)
                                 : fmin(fmax((hi + 1) / span, 0), 1);
  if (a.at[0] > a.at[3] && kind != '=' && kind != '!')
    inside = GUESSED_SHARE;
  if (lane == 0 || isnan(lane))
    return (ww_qshare){{inside, inside, inside > 0}, isnan(lane)};
  double all = ceil(span / (32 * lane));
  /* neighbours differ: a run of lanes */
  double run = ceil(inside * span / (32 * lane) - 1e-9);
  double warps = fmin(1, run / all);
  double busiest = fmin(1, run / fmin(all, w->block_warps));
  return (ww_qshare){{inside, warps, busiest}, inside > 0 && inside < 1};
}

static ww_qshare either(ww_qshare a, ww_qshare b) {
  double warps = fmin(1, a.of.warps + b.of.warps);
  double busiest = fmin(1, a.of.busiest + b.of.busiest);
  double threads = 1 - (1 - a.of.threads) * (1 - b.of.threads);
  return (ww_qshare){{threads, warps, busiest}, a.divergent || b.divergent};
}

ww_qshare ww_qshare_of(const ww_qwalker *w, uint32_t from, uint32_t to) {
  ww_qshare all = {{1, 1, 1}, false};
  uint32_t op_i = 0;
  for (uint32_t i = from; i < to; i++) /* what binds least */
    if (ww_qop_at(w, i, Q_OR))
      return either(ww_qshare_of(w, from, i), ww_qshare_of(w, i + 1, to));
    else
      i = ww_qskip(w->t, i, to);
  for (uint32_t i = from; i <= to; i++) {
    uint32_t op = i < to ? w->t[i].op : 0;
    if (op == '?')
      return guessed;
    if (op == '<' || op == '>' || ww_qcompares(op))
      op_i = i;
    else if (i == to || op == Q_AND) {
      all = both(all, op_i ? comparison(w, from, op_i, i) : guessed);
      from = i + 1;
      op_i = 0;
    } else if (i < to)
      i = ww_qskip(w->t, i, to);
  }
  return all;
}
