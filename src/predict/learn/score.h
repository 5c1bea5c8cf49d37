/* score.h - how good predictions are: the rules by which `warpwise evaluate` compares
 * reports; docs/evaluation.md is the manual.
 *
 * A pair is a measured launch and what an oracle said of it. Everything here is a pure
 * function of pairs. A launch that was not answered stays in: it counts as an error of
 * 100 % and as not right; what needs two numbers (rank correlation, bias, logarithms)
 * is over the answered ones. What cannot be said is NaN. */
#ifndef WW_SCORE_H
#define WW_SCORE_H

#include "../../gpu/gpu.h"
#include "../../report/report.h"

/* ---- reports ---- */
/* 0: not known */
static inline double ww_report_value(const ww_report *r, ww_metric m) {
  return r->m[m].known ? r->m[m].value : 0;
}
static inline double ww_report_dram(const ww_report *r) { /* bytes read and written */
  return ww_report_value(r, WW_M_dram_read_bytes) +
         ww_report_value(r, WW_M_dram_write_bytes);
}

/* ---- statistics; NaN for no values ---- */
/* qsort's: doubles, and structs that begin with one, ascending */
int ww_by_double(const void *a, const void *b);
/* sorts v; of an even number the mean of the middle two */
double ww_stat_median(double *v, uint32_t n);
/* sorts v; the smallest value that is not below `share` of them */
double ww_stat_share(double *v, uint32_t n, double share);
double ww_stat_mean(const double *v, uint32_t n);
/* ties share their mean rank; NaN: n < 3, all equal */
double ww_stat_spearman(const double *x, const double *y, uint32_t n, ww_arena *a);

/* ---- what is scored: every metric, and two sums that rules speak of ---- */
enum { WW_Q_flops = WW_NMETRICS, WW_Q_dram_bytes, WW_NSCORED };
const char *ww_scored_name(int q);
const char *ww_scored_unit(int q);
int ww_scored_named(
    const char *name); /* also short: "time", "l1_hit"; -1: none, or several begin so */
bool ww_scored_value(const ww_report *r, int q, double *value);

/* When a prediction is right: |p - m| <= max(relative * m, absolute). */
typedef struct {
  double relative, absolute;
  bool points; /* a percentage: errors are in its points, not relative */
  /* scale of the unit: where the truth is zero, the error is the prediction's share of
   * this, at most 1 */
  double floor;
} ww_score_rule;
ww_score_rule ww_rule_of(int q);
const char *ww_rule_text(int q, ww_arena *a); /* "within 15 % or 256 KiB" */

typedef struct {
  /* predicted: an error inside, or NULL, is no answer */
  const ww_report *measured, *predicted;
} ww_pair;

/* One quantity of one pair. */
typedef struct {
  bool counted; /* measured, and not left out by a rule */
  bool skipped; /* measured, but left out by a rule */
  bool answered;
  bool right;
  bool zero; /* the truth is zero */
  double truth, guess;
  double error;          /* |p - m| / m, or points; 1 (100 points) where not answered */
  double bias;           /* the same with its sign; NaN where not answered */
  double ln;             /* ln(p / m), NaN where there is none */
  bool interval, inside; /* the prediction had low and high; the truth lies in them */
  double ratio, cost;    /* high / low; ww_interval_cost; NaN where there is none */
} ww_mark;
ww_mark ww_mark_of(int q, const ww_pair *p);
/* Winkler's score of a 90 % interval on the logarithm: ln(high / low), and 20 times
 * what the truth lies outside by. Neither a wider nor a narrower interval than the
 * right one lowers its mean. NaN: something is not above 0. */
double ww_interval_cost(double low, double high, double truth);

typedef struct {
  uint32_t n, answered, zeros, skipped; /* n: counted; skipped: left out by a rule */
  double median, mean, p90;             /* of errors; fractions, or points */
  double ln;                            /* median |ln(p/m)| */
  /* share of n with an error of at most 10 % (10 points) */
  double within10;
  double right;          /* share of n that the rule calls right */
  double spearman, bias; /* bias: median of (p - m) / m, or of points */
  uint32_t intervals;
  double inside;   /* share of the intervals that hold the truth */
  double ratio;    /* median high / low */
  double cost;     /* mean ww_interval_cost */
  uint32_t small;  /* time alone: answered launches below 10 us ... */
  double small_us; /* ... and the median |p - m| of them */
} ww_score;
void ww_score_of(int q, const ww_pair *pairs, uint32_t n, ww_arena *a, ww_score *out);

/* ---- roofline classes ---- */

/* Operations per byte of DRAM at which the roof bends, from the datasheet's peaks. */
typedef struct {
  double fp64, fp32, fp16, tensor, integer;
} ww_balance;
void ww_balance_of(const ww_gpu *g, ww_balance *out);

typedef enum {
  WW_BOUND_UNKNOWN,
  WW_BOUND_BANDWIDTH,
  WW_BOUND_COMPUTE,
  WW_NBOUNDS
} ww_bound;
extern const char *const ww_bound_names[WW_NBOUNDS];
/* Bandwidth-bound iff below the balance point in every kind of operation. Where the
 * counters are not there, the report's own word; else unknown. */
ww_bound ww_bound_of(const ww_report *r, const ww_balance *b);
/* The rule itself. Every ratio in operations per byte; an operation that does not occur
 * is 0. */
ww_bound ww_bound_rule(const ww_balance *intensity, const ww_balance *balance);

typedef struct {
  uint32_t n, answered; /* n: launches whose true class is known */
  /* answered: [truth][guess], 0 bandwidth, 1 compute */
  uint32_t matrix[2][2];
  double accuracy, balanced, f1, mcc; /* over the answered; f1: macro */
  double accuracy_all;                /* an unanswered launch is a wrong one */
} ww_class_score;
void ww_class_score_of(const ww_bound *truth,
                       const ww_bound *guess,
                       uint32_t n,
                       ww_class_score *out);

#endif
