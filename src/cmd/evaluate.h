/* evaluate.h - what the files of `warpwise evaluate` share: the cases, the scores, the
 * tables that every output form shows.
 *
 *   evaluate.c         options, reading of measured reports, thresholds
 *   evaluate_run.c     predictions, by worker processes;  evaluate_text.c  by the
 * language model evaluate_sum.c     cases -> scores, groups, reasons, worst cases
 *   evaluate_tables.c  scores -> tables;  evaluate_show.c  tables as text and markdown,
 * scores as JSON evaluate_page.c    the same as a page to look at evaluate_both.c the
 * machine model beside the corrected one evaluate_csv.c     roofline classes against a
 * table of somebody else's measurements;  evaluate_names.c  its kernels' names;
 * evaluate_sources.c  their sources;  evaluate_roofline.c  the roofline question;
 * evaluate_ask.c  the same to language models */
#ifndef WW_CMD_EVALUATE_H
#define WW_CMD_EVALUATE_H

#include "../data/roofline.h"
#include "../predict/learn/correct.h"
#include "../predict/learn/score.h"
#include "../predict/show/show.h"
#include "../predict/text/question.h"
#include "llm.h"
#include "parts.h"
#include "source.h"

/* One measured launch and what was said of it. */
typedef struct {
  ww_report measured, predicted;
  /* the machine model's word before the correction, where both were asked for */
  ww_report plain;
  const char *member[3]; /* suite, family, dialect, as the data says; NULL */
  const char *run;       /* which run of a program it comes from, or NULL */
  ww_launch launch;      /* the measured one, its paths resolved */
  const ww_gpu *gpu;
  ww_balance balance;
  ww_bound truth, guess;
  /* of a table: the kernel's name in full, the program's arguments, the kernels of all
   * its rows about the program; where `sourced`, the launch's shape is the table's and
   * its arguments are the host code's or guessed */
  const char *name, *words;
  const ww_strings *listed;
  const char *function; /* in the source; NULL: not known */
  bool sourced;
  const char *unready; /* why no oracle can be asked about it; NULL: it can */
  double seconds;      /* that the prediction took; 0: it came from a file */
} ww_eval_case;

enum {
  WW_GROUP_SUITE,
  WW_GROUP_FAMILY,
  WW_GROUP_DIALECT,
  WW_GROUP_SIZE,
  WW_GROUP_BOUND,
  WW_NGROUPINGS
};
extern const char *const ww_grouping_names[WW_NGROUPINGS];

typedef struct {
  const char *name;
  uint32_t n;     /* launches */
  ww_score score; /* of the evaluation's metric */
  ww_class_score classes;
} ww_group;

typedef struct {
  ww_eval_case *cases;
  uint32_t n, answered;
  uint32_t unmeasured;         /* rows of the data that are errors themselves */
  const char *data, *by, *gpu; /* in words */
  int metric;                  /* of groups, worst cases and the plot */
  ww_score score[WW_NSCORED];
  bool shown[WW_NSCORED]; /* measured, and predicted at least once */
  ww_class_score classes;
  ww_group *groups[WW_NGROUPINGS];
  uint32_t ngroups[WW_NGROUPINGS];
  ww_reasons reasons;         /* of cases without an answer */
  const ww_eval_case **worst; /* answered, worst first */
  uint32_t nworst;
  double ms, total_s; /* median of a prediction, and wall time of all */
} ww_evaluation;

/* ---- evaluate_run.c ---- */
typedef struct {
  /* by the trace oracle instead of the machine model */
  bool trace;
  const ww_correction *correction; /* of the machine model, NULL: none */
  bool both;                       /* the uncorrected report as well */
  uint32_t jobs;                   /* processes; 0: one per core */
  uint32_t limit_s;                /* of one launch; 0: a default */
  uint64_t budget;                 /* of the trace; 0: its default */
  const char *via;                 /* --via: who compiles; NULL: not said */
  bool ptxas;                      /* registers are ptxas's */
  const ww_parts *parts;           /* of a parallel job */
  /* the language model's word on what the machine model says; SOURCE: not asked */
  ww_evidence_form evidence;
  const char *model; /* its file, NULL: the shipped one */
  bool json;         /* counters from the JSON it writes, else from its head */
} ww_evaluate_how;
/* Fills predicted of every case. A launch that cannot be predicted, dies or takes too
 * long is one with an error inside. *mine: this is the rank that has them all. */
ww_status ww_evaluate_predict(
    ww_cmd *c, const ww_evaluate_how *how, ww_eval_case *cases, uint32_t n, bool *mine);

/* ---- evaluate_text.c ---- */
/* The same by the language model (NULL: the shipped one); json: counters from the JSON
 * it writes, else from its regression head. */
ww_status ww_evaluate_text(
    ww_cmd *c, const char *model, bool json, ww_eval_case *cases, uint32_t n);

/* ---- evaluate_csv.c ---- */
/* recordings NULL: there are none. */
ww_status ww_evaluate_csv(ww_cmd *c,
                          const char *path,
                          const char *recordings,
                          ww_eval_case **out,
                          uint32_t *n);

/* ---- evaluate_names.c ---- */
/* "main_l44" of an OpenMP region's name; NULL: it is no region. */
const char *ww_listed_region(const char *name);
/* Is this kernel (mangled or plain; one of `all`) the one that the table means? */
bool ww_listed_is(const ww_eval_case *c,
                  const char *kernel,
                  const ww_strings *all,
                  ww_arena *a);
/* Of several of that name: may it be the table's instance of the template? */
bool ww_listed_instance(const ww_eval_case *c, const char *kernel);
/* Is the kernel this function, or a region in it? Plain name. */
bool ww_listed_function(const ww_eval_case *c, const char *function, ww_arena *a);
/* NULL: the module does not have it. */
const ww_fn *ww_listed_kernel(const ww_eval_case *c, const ww_module *m, ww_arena *a);

/* ---- evaluate_sources.c ---- */
/* Cases without a launch get the source that has their kernel, from
 * `suite`/<program>. */
void ww_evaluate_sources(const char *suite,
                         ww_eval_case *cases,
                         uint32_t n,
                         ww_arena *a);
/* What ww_source_kernel does, of such a case. */
ww_status ww_evaluate_sourced(ww_cmd *c,
                              const ww_source_options *o,
                              ww_source_cache *cache,
                              const ww_eval_case *k,
                              ww_launch *l);

/* ---- evaluate_roofline.c ---- */
typedef struct {
  const char *table, *sources, *recordings, *by; /* by: words with , between them */
  uint64_t per_class, seed;
  ww_evaluate_how how;
  const ww_llm_http_options *endpoint; /* NULL: none is asked */
  const char *ask; /* words of WW_ROOFLINE_WORDS with , between them */
  const char *out; /* where its answers are kept; NULL: nowhere */
  bool markdown;
} ww_roofline_task;
ww_status ww_evaluate_roofline(ww_cmd *c, ww_roofline_task *t);

/* ---- evaluate_ask.c ---- */
/* A way to the class of each case, and what came of it. */
typedef struct {
  const char *name; /* "grounded", "zero-shot" */
  ww_bound *said;   /* unknown: no answer */
  const char **why; /* then: why not */
  uint64_t tokens;
  uint32_t calls;
  double seconds; /* of all cases, added up */
} ww_roofline_row;
/* Asks t->endpoint about every case that t->out has no answer of yet. Fails only where
 * files or processes do. */
ww_status ww_evaluate_ask(ww_cmd *c,
                          const ww_roofline_task *t,
                          ww_roofline_ask ask,
                          const ww_eval_case *cases,
                          uint32_t n,
                          ww_roofline_row *row);

/* ---- evaluate_ncu.c ---- */
/* The rows of `ncu --csv`; launches are those of the operand, a recording or a source.
 */
ww_status ww_evaluate_ncu(ww_cmd *c, const char *path, ww_eval_case **out, uint32_t *n);
/* Each launch with its metrics, measured and predicted. */
void ww_evaluate_ncu_print(const ww_eval_case *cases, uint32_t n, ww_arena *a, FILE *f);

/* ---- evaluate_sum.c ---- */
const char *ww_group_of(const ww_eval_case *c, int grouping);
void ww_evaluate_sum(ww_evaluation *v, int metric, uint32_t worst, ww_arena *a);
/* by the evaluation's metric */
ww_mark ww_case_mark(const ww_evaluation *v, const ww_eval_case *c);
/* "median" of "time_us" as --fail-if compares it: percents as 30, not 0.3. False: there
 * is no such number. */
bool ww_evaluate_stat(const ww_evaluation *v,
                      const char *metric,
                      const char *stat,
                      double *value);

/* ---- evaluate_tables.c ---- */
typedef struct {
  const char *title, *note;   /* note: a line below, or NULL */
  const char **head, **cells; /* cells: nrows * ncols */
  uint32_t ncols, nrows;
  /* the first columns that are words, not numbers; the others are set to the right */
  uint32_t left;
  uint32_t words; /* bit k: column k is words too */
} ww_table;
/* Every table of an evaluation, in order. grouping: that one alone, or -1 for all that
 * tell something. */
uint32_t
ww_evaluate_tables(const ww_evaluation *v, int grouping, ww_arena *a, ww_table **out);
const char *ww_case_name(const ww_eval_case *c, ww_arena *a); /* kernel, file, shape */
/* one sentence: what was compared */
const char *ww_evaluate_head(const ww_evaluation *v, ww_arena *a);
const char *ww_scored_text(int q, double v, ww_arena *a); /* with its unit: "12.3 us" */

/* ---- evaluate_both.c ---- */
ww_table
ww_evaluate_both(const ww_evaluation *without, const ww_evaluation *with, ww_arena *a);

/* ---- evaluate_show.c, evaluate_page.c ---- */
bool ww_table_words(const ww_table *t, uint32_t col); /* whether the column is words */
void ww_tables_text(const ww_table *t, uint32_t n, FILE *f);
void ww_tables_markdown(const ww_table *t, uint32_t n, FILE *f);
void ww_evaluate_json(const ww_evaluation *v);
void ww_evaluate_page(
    const ww_evaluation *v, const ww_table *t, uint32_t n, ww_arena *a, ww_buf *out);

#endif
