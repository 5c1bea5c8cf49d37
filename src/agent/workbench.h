/* workbench.h - what a model works on: the original kernel and its versions, and what
 * can be asked and done about them.
 *
 * A version is a candidate of `optimize` (optimize.h): the whole file's text and a
 * launch, made by a rewrite, by tuning, or of a source that was submitted. All are
 * read, predicted and verified in children, as a search's candidates are. Version 0 is
 * the original; versions are only ever added. */
#ifndef WW_AGENT_WORKBENCH_H
#define WW_AGENT_WORKBENCH_H

#include "../opt/search_int.h"
#include "../opt/state.h"

typedef struct {
  bool known;
  ww_candidate *v; /* r1 is v[0] */
  uint32_t n;
} ww_bench_list;

typedef struct {
  ww_optimize_request q;
  ww_optimized all;
  ww_search s;
  ww_arena *a;
  WW_VEC(ww_bench_list) offers;           /* of each version that was looked at */
  uint32_t predicted, verified, measured; /* how often that was done */
} ww_workbench;

/* Reads and predicts the original. *b stays where it is. */
ww_status
ww_bench_open(ww_workbench *b, const ww_optimize_request *q, ww_arena *a, ww_err *e);
void ww_bench_close(ww_workbench *b);

/* Its report with findings. */
ww_status ww_bench_look(ww_workbench *b, uint32_t id, ww_err *e);
/* Its rewrites, numbered for good. */
ww_status
ww_bench_offers(ww_workbench *b, uint32_t id, const ww_bench_list **out, ww_err *e);

/* A new version; one that gains by prediction is verified at once. WW_OK: *made is
 * there, its state says what became of it. */
ww_status
ww_bench_apply(ww_workbench *b, uint32_t id, uint32_t nth, uint32_t *made, ww_err *e);
typedef struct {
  const char *source; /* kernel text: submit.h */
  uint32_t block[3];  /* threads; all 0: as in the original */
  uint32_t covers[3]; /* items that a block works on, as many as it has threads in the
                         original; 0: as there */
} ww_submission;
/* It is verified before anything else. */
ww_status
ww_bench_submit(ww_workbench *b, const ww_submission *x, uint32_t *made, ww_err *e);
/* Once more, with other contents and more cases. */
ww_status ww_bench_verify(ww_workbench *b, uint32_t id, ww_err *e);
ww_status ww_bench_measure(ww_workbench *b, uint32_t id, ww_err *e);

typedef struct {
  const char *label; /* "n=4096", "TILE=32" */
  ww_candidate c;
} ww_bench_point;
typedef WW_VEC(ww_bench_point) ww_bench_points;
/* Its time over sizes: "n=1K..64M". */
ww_status ww_bench_sweep(
    ww_workbench *b, uint32_t id, const char *range, ww_bench_points *out, ww_err *e);
/* Numbers in its text (constants, macros) varied: `param` as `tune --param` takes it,
 * NULL: those that the source offers. The fastest becomes a version where it gains
 * (*made, else 0). */
ww_status ww_bench_tune(ww_workbench *b,
                        uint32_t id,
                        const char *param,
                        ww_bench_points *out,
                        uint32_t *made,
                        ww_err *e);

/* Is there nothing left to gain? The best stands by its floor. */
bool ww_bench_at_floor(const ww_workbench *b, uint32_t id);
/* The best that may be handed back, verified once more; all.best. */
ww_status ww_bench_finish(ww_workbench *b, ww_err *e);

#endif
