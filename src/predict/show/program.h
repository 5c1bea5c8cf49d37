/* program.h - a whole program from the predictions of its launches: the sum with what
 * it leaves out, caches that carry over from launch to launch, the timeline. */
#ifndef WW_PREDICT_PROGRAM_H
#define WW_PREDICT_PROGRAM_H

#include "show.h"

/* One launch on one GPU. */
typedef struct {
  bool known;
  ww_term bottleneck;
  double us, low, high;
  /* the same right after itself, what fits still in L2; 0: not asked for */
  double warm_us, warm_low, warm_high;
  double footprint; /* bytes of memory that it touches */
} ww_program_time;

typedef struct {
  const char *id; /* of the allocation */
  double share;   /* of the footprint */
} ww_program_touch;

/* Launches that are the same, or were recorded as the same. */
typedef struct {
  const char *file, *kernel; /* the kernel's whole name */
  uint64_t grid[3], block[3];
  uint64_t count; /* at least 1 */
  /* pairs: from the how-manieth launch of the program, so many; NULL: not known */
  const uint64_t *at;
  uint32_t nat;
  const char *why;       /* it has no answer on any GPU; NULL: it has one */
  ww_program_time *time; /* one a GPU */
  ww_program_touch *touched;
  uint32_t ntouched;
} ww_program_launch;

typedef struct {
  const char *name; /* as tables show it */
  const char *const *gpus;
  const char *const *grades; /* of their figures; NULL: not shown */
  uint32_t ngpus;
  ww_program_launch *v; /* in the order in which they first ran */
  uint32_t n;
} ww_program;

/* ---- order.c: in which order they ran ---- */
typedef struct {
  uint32_t launch; /* of the program's */
  uint64_t n;      /* times in a row */
} ww_program_run;
typedef WW_VEC(ww_program_run) ww_program_runs;
/* As recorded. Where that is not known, one after the other, each as often as it ran.
 */
void ww_program_order(const ww_program *p, ww_arena *a, ww_program_runs *out);

/* ---- carry.c ---- */
/* Times change to what they are where each launch finds in L2 what the launches before
 * it left there: a list of allocations, the least recently used leave first. room:
 * bytes that stay in each GPU's L2. */
void ww_program_carry(ww_program *p, const double *room);

/* ---- summary.c: the sum ---- */
/* Kernels by their time, those without an answer with the reason, and the total. */
void ww_program_print(const ww_program *p, FILE *f);

/* ---- timeline.c: the picture; program_page.c ---- */
/* A line a GPU, kernels in their order, as wide as their time, in the colour of what
 * bounds them; hatched where there is no answer. */
void ww_program_svg(const ww_program *p, ww_buf *out);
void ww_program_page(const ww_program *p, ww_buf *out); /* the same with its tables */

/* One kernel of the program. */
typedef struct {
  const char *file, *kernel;
  double launches;
  const char *why; /* the first reason of those without an answer */
  double *unanswered, *us, *low, *high; /* per GPU: launches, microseconds */
  double by_term[WW_NTERMS];            /* of the first GPU, microseconds */
} ww_program_row;
typedef struct {
  WW_VEC(ww_program_row) rows; /* by the first GPU's time; unanswered ones last */
  ww_program_row total;
} ww_program_sums;
void ww_program_sum(const ww_program *p, ww_arena *a, ww_program_sums *out);
/* What most of a row's time is bound by. */
ww_term ww_program_bound(const ww_program_row *r);

#endif
