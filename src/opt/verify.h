/* verify.h - are two kernels the same? Both run whole, at small sizes, in the
 * interpreter, over cases that are chosen to tell them apart; what differs is named.
 *
 * docs/verify.md says what a verdict means and what it cannot mean. */
#ifndef WW_OPT_VERIFY_H
#define WW_OPT_VERIFY_H

#include "../report/assume.h"
#include "../trace/trace.h"

typedef struct {
  const ww_module *module;
  const ww_fn *fn;
  /* what is known of its launch, not resolved; the new kernel's shape is the old one's
   * where it says nothing, its arguments always are */
  ww_launch launch;
} ww_verify_side;

typedef struct {
  uint64_t seed;    /* of contents; the same one repeats a run */
  uint64_t budget;  /* warp instructions over all runs; 0: the default */
  bool finite;      /* no case with NaN or infinity among its inputs */
  bool apart;       /* no case in which buffers overlap */
  const char *root; /* folder that files with contents lie below; NULL: anywhere */
  ww_strings sizes; /* "n=32,64": these values of n and no others */
  bool (*cancelled)(void *ctx); /* polled now and then; NULL: never */
  void *ctx;
} ww_verify_options;

/* DIFFERENCE(ID, "name in JSON", "what it means") */
#define WW_DIFFERENCES(D)                                                    \
  D(RESULT, "result", "another result")                                      \
  D(INPUT, "input", "writes a buffer that the original leaves alone")        \
  D(ORDER, "order", "its result depends on the order of its threads")        \
  D(FAULT, "fault", "fails where the original does not")                     \
  D(ENDLESS, "endless", "does not end")                                      \
  D(SHARED_RACE, "shared_race", "threads race for shared memory")            \
  D(GLOBAL_RACE, "global_race", "threads race for global memory")            \
  D(SHARED_GAP, "shared_range", "leaves its variable in shared memory")      \
  D(COPY, "copy", "uses what an asynchronous copy may not have brought yet") \
  D(MISALIGNED, "alignment", "accesses an address that is not a multiple of its size")
typedef enum {
#define D(id, name, text) WW_DIFFERS_##id,
  WW_DIFFERENCES(D)
#undef D
      WW_NDIFFERENCES
} ww_difference_kind;
extern const char *const ww_difference_names[WW_NDIFFERENCES],
    *const ww_difference_texts[WW_NDIFFERENCES];

typedef struct {
  uint8_t kind;      /* ww_difference_kind */
  const char *what;  /* in a sentence */
  const char *at;    /* the case: "n=33, floats in [-1, 1)" */
  const char *order; /* of the new kernel's threads */
  const char *buffer;
  uint64_t index; /* component of the buffer; of a result */
  /* of a result; exact: what double precision gives, NULL: integers */
  const char *old_value, *new_value, *exact;
  const char *file; /* of the new kernel, NULL: not known */
  uint32_t line, other_line;
  bool stale; /* it reads shared memory that nobody wrote, in this line: */
  uint32_t stale_line;
} ww_difference;

typedef struct {
  const char *file;
  uint32_t line;
} ww_place;
typedef WW_VEC(ww_place) ww_places;

typedef struct {
  bool same;
  ww_difference first; /* where they are not */
  uint64_t seed;
  uint32_t cases; /* compared */
  uint32_t
      refused; /* the original fails in them, so that nothing is asked of the new */
  const char *refusal; /* why, of the first; NULL */
  uint32_t undefined;  /* left out: the order of the original's threads decides there */
  uint32_t too_long;   /* left out for their length */
  uint64_t compared;   /* elements */
  uint64_t steps;      /* warp instructions */
  struct ww_size {
    const char *name;
    int64_t least, most;
    int64_t given; /* what the launch says */
  } * sizes;
  uint32_t nsizes;
  /* the largest error of floats against double precision, in parts of the original's
   * (with the floor that is always granted); 0: there were none */
  double error;
  /* IR blocks of each side that no case reached, and how many there are */
  uint32_t blocks[2], missed[2];
  ww_places unreached[2]; /* their lines */
  ww_strings notes;       /* what was compared in another way, and why */
  ww_strings limits;      /* what cannot be seen this way */
  ww_assumptions assumed;
} ww_verdict;

/* Another one each time, short enough to be typed again. */
uint64_t ww_verify_fresh_seed(void);
/* Fails where nothing can be compared: no common parameters, no case in which the
 * original runs. WW_ECANCEL: the verdict tells of the cases until then, which were the
 * same. Lives in the arena. */
ww_status ww_verify(const ww_verify_side *old,
                    const ww_verify_side *new,
                    const ww_verify_options *o,
                    ww_arena *a,
                    ww_verdict *out,
                    ww_err *e);
/* The launches of both at the size that the old one's has, complete but for contents.
 */
ww_status ww_verify_launches(const ww_verify_side *old,
                             const ww_verify_side *new,
                             ww_arena *a,
                             ww_launch out[2],
                             ww_err *e);
/* The members of its JSON object, which is open. */
void ww_verdict_write(const ww_verdict *v, ww_json *j);
/* For a person. */
void ww_verdict_print(const ww_verdict *v,
                      const ww_verify_side *old,
                      const ww_verify_side *new,
                      ww_buf *out);

#endif
