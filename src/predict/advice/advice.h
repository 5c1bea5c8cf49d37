/* advice.h - what a prediction tells a programmer: what each source line costs, what to
 * change first and what that would gain.
 *
 * A finding's gain is no rule of thumb: the numbers that stand for its cause are
 * changed in a copy of the prediction's ww_work and the time model runs again. Gains of
 * several findings do not multiply: each is what removing that one cause alone would
 * give. */
#ifndef WW_ADVICE_H
#define WW_ADVICE_H

#include "../model/predict.h"

/* Why a kernel is slow, most local cause first where gains tie. */
typedef enum {
#define RULE(name, id, title) WW_RULE_##name,
#include "advice.def"
  WW_NRULES
} ww_rule;

typedef struct {
  const char *id, *title; /* "uncoalesced-load"; one line for SARIF and docs */
} ww_rule_info;
extern const ww_rule_info ww_rules[WW_NRULES];

typedef struct {
  ww_rule rule;
  const char *file;   /* NULL: about the launch as a whole */
  uint32_t line;      /* 0 likewise */
  const char *cause;  /* what happens, with figures */
  const char *remedy; /* what to do about it */
  double gain;        /* predicted time / time without the cause, above 1 */
  double us;          /* time without the cause */
  uint32_t bounds[2]; /* threads and blocks that its remedy proposes; 0: none */
  ww_also also;
} ww_advice_item;

typedef struct {
  ww_advice_item *items; /* by gain, largest first */
  uint32_t nitems;
  ww_report_line *lines; /* by share, largest first */
  uint32_t nlines;
  double rest; /* share that belongs to no line: launch, tail, first fetches */
} ww_advice;

/* Does it speak of how many blocks the launch has? At another size there are others. */
static inline bool ww_rule_of_grid(ww_rule r) {
  return r == WW_RULE_FEW_BLOCKS || r == WW_RULE_TAIL;
}

/* The items become the report's findings, paths as the module has them. */
void ww_advice_report(const ww_advice *d, ww_arena *a, ww_report *r);

/* params as the prediction used them; its report gets the lines and findings. */
void ww_advise(const ww_module *m,
               const ww_fn *fn,
               const ww_gpu *g,
               const ww_params *params,
               ww_prediction *p,
               ww_arena *a,
               ww_advice *out);

/* ---- explain.c: the page a person reads, members of the report ---- */
typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_prediction *p;
  const ww_advice *advice;
} ww_explained;
void ww_explain_print(const ww_explained *x, FILE *out);
/* One line for each of n GPUs: the time, and what to change first; or why it has none.
 */
void ww_explain_compare(const ww_explained *x, uint32_t n, FILE *out);

#endif
