/* optimize.h - a kernel made faster: rewrites are tried, predicted, verified against
 * the original and combined.
 *
 * A candidate is kernel text and a launch. Nothing counts as faster that `verify` has
 * not found the same as the original; docs/optimize.md says what is tried and when the
 * search ends. */
#ifndef WW_OPT_OPTIMIZE_H
#define WW_OPT_OPTIMIZE_H

#include "../query/query.h"
#include "job.h"
#include "rewrite.h"
#include "verify.h"

/* CANDIDATE(ID, "name in JSON", "what became of it") */
#define WW_CANDIDATES(C)                                              \
  C(ORIGINAL, "original", "the original")                             \
  C(FAILED, "failed", "cannot be read, predicted or run")             \
  C(NO_GAIN, "no_gain", "no gain predicted")                          \
  C(PASSED_OVER, "passed_over", "others were predicted to be faster") \
  C(DIFFERENT, "different", "not the same kernel")                    \
  C(UNJUDGED, "unjudged", "could not be compared with the original")  \
  C(VERIFIED, "verified", "the same, and predicted to be faster")     \
  C(NOT_FASTER, "not_faster", "measured: not surely faster")          \
  C(FASTER, "faster", "measured: faster")
typedef enum {
#define C(id, name, text) WW_CANDIDATE_##id,
  WW_CANDIDATES(C)
#undef C
      WW_NCANDIDATES
} ww_candidate_state;
extern const char *const ww_candidate_names[WW_NCANDIDATES],
    *const ww_candidate_texts[WW_NCANDIDATES];

typedef struct {
  uint32_t parent;      /* the candidate that it was made from; its own number: none */
  uint32_t depth;       /* rewrites since the original */
  ww_rewrite_kind kind; /* of the last one; WW_NREWRITES: of a job */
  const char *title;    /* of the last one; NULL: the original */
  const char *text;     /* of the whole file */
  ww_launch launch;     /* as written */
  ww_launch ready;      /* complete, in numbers */
  ww_launch planned;    /* for a device (plan.h), of those that are verified */
  ww_candidate_state state;
  const char *why;      /* of a failure or a difference */
  double us, low, high; /* predicted */
  double local_bytes;   /* of a thread, predicted */
  ww_report report;     /* explained; of the original, the beams and the best */
  ww_job_needs needs;
  ww_job_result result; /* what a device said */
  uint32_t cases;       /* that verify compared */
  bool apart;           /* right where no two buffers overlap */
  uint64_t key;         /* of its text and launch */
  bool expanded;        /* its own rewrites were tried */
  bool loaded;          /* unit and fn, ready and planned are there */
  ww_query_unit unit;   /* while the search runs */
  const ww_fn *fn;
} ww_candidate;

typedef struct {
  ww_source source;
  ww_launch launch;                /* what is known of it, and the kernel's name */
  const ww_query_targets *targets; /* the first GPU counts */
  uint32_t beam;                   /* candidates that each round goes on from; 0: 3 */
  uint32_t rounds;                 /* rewrites at most on top of one another; 0: 5 */
  uint64_t seed;                   /* of verify's contents */
  double deadline;                 /* ww_now's clock; 0: none */
  bool approximate, overlap;       /* --allow-approx, --may-overlap */
  /* chooses what is predicted and applied, at most so many predictions a round (0: 4);
   * NULL: everything is predicted */
  struct ww_policy *policy;
  uint32_t predictions;
  uint32_t processes; /* at a time; 0: one per core */
  /* where every candidate is kept as it is tried, so that a search goes on with the
   * answers of the one before; NULL: nowhere */
  ww_job *job;
  /* the best of each round run on this device, and decide; NULL: by prediction */
  const ww_job_how *measure;
  void *ctx;
  void (*tried)(void *ctx, const ww_candidate *c, uint32_t id); /* NULL */
  bool (*cancelled)(void *ctx);                                 /* NULL: never */
} ww_optimize_request;

typedef struct {
  WW_VEC(ww_candidate) v; /* v[0] is the original */
  uint32_t best;          /* 0: nothing better was found */
  double floor_us;        /* what the bytes and operations need; 0: not known */
  const char *stopped;    /* why the search ended */
  uint32_t predictions;   /* that were made */
  const char *kernel, *path;
} ww_optimized;

/* Was it measured; its time, measured where it was, else predicted; how many times as
 * fast as the original. */
bool ww_candidate_measured(const ww_candidate *c);
double ww_candidate_us(const ww_candidate *c);
double ww_candidate_gain(const ww_optimized *o, uint32_t id);

/* Lives in the arena. Fails where the original cannot be read or predicted. */
ww_status
ww_optimize(const ww_optimize_request *q, ww_arena *a, ww_optimized *out, ww_err *e);

/* ---- edit.c ---- */
/* What turns one text into the other, by lines; edits as of a fix. */
void ww_edits_between(const char *old, const char *now, ww_arena *a, ww_fix *out);
/* A patch for `git apply`; `path` as it is seen from the folder it is applied in. */
void ww_patch_write(
    const char *path, const char *old, const char *now, ww_arena *a, ww_buf *out);
/* How many kernel<<<...>>> the text has. */
uint32_t ww_text_launches(const char *text, const char *kernel);
/* The edits of a rewrite, the kernel's `// warpwise:` comment and its <<<...>>> in the
 * same file made for the launch. NULL: a launch in the text cannot be followed. */
const char *ww_rewrite_apply(const ww_rewrite_input *in,
                             const ww_rewritten *r,
                             const ww_launch *launch,
                             ww_arena *a);

/* ---- optimize_job.c ---- */
/* One candidate, which is loaded: its number in the job, where it may be already. */
ww_status ww_optimized_add(const ww_optimized *o,
                           const ww_optimize_request *q,
                           uint32_t id,
                           uint32_t *number,
                           ww_err *e);
/* Has the search that wrote the job come to its end? */
bool ww_optimized_complete(const ww_job *j);
/* What a device said of them: the fastest that is right and surely faster than the
 * original becomes the best one, else none. `measured`: how many were. */
ww_status ww_optimized_resume(
    const ww_job *j, ww_arena *a, ww_optimized *out, uint32_t *measured, ww_err *e);

/* ---- optimize_show.c ---- */
void ww_optimized_print(const ww_optimized *o, bool all, ww_buf *out);
void ww_optimized_write(const ww_optimized *o, ww_json *j); /* members */
/* Who made the page, and what it says before the table of candidates. */
typedef struct {
  const char *made;
  void *ctx;
  void (*more)(void *ctx, ww_buf *out); /* no <section>: they are counted */
} ww_page_frame;
void ww_optimized_page(const ww_optimized *o,
                       const ww_gpu *g,
                       const ww_page_frame *frame, /* NULL: optimize's */
                       ww_arena *a,
                       ww_buf *out);
void ww_page_diff(const char *patch, ww_buf *out); /* its lines, coloured */

#endif
