/* verify_int.h - what the files of verify share.
 *
 *   cases.c    which sizes, contents and overlaps; the launches of a case
 *   contents.c what buffers hold at first
 *   judge.c    two memories after a run -> the first difference
 *   verify.c   the runs of a case, the cases of a verdict
 *   verify_cover.c  what they did not show
 *   verify_show.c  the verdict as text and JSON */
#ifndef WW_OPT_VERIFY_INT_H
#define WW_OPT_VERIFY_INT_H

#include "../trace/inputs.h"
#include "../trace/roles.h"
#include "verify.h"
#include "watch.h"

#define WW_MOST_SIZES 6
#define WW_OWN_SIZES                                              \
  6 /* cases at the end: parts of the launch's own size, all last \
     */

/* CONTENTS(ID, "in words"): of floats, and of integers that nothing else is known of */
#define WW_CONTENTS(C)                         \
  C(UNIT, "floats in [0, 1)")                  \
  C(SIGNED, "floats in [-1, 1)")               \
  C(WIDE, "floats in [-100, 100)")             \
  C(TINY, "zeros of both signs and denormals") \
  C(HUGE, "some floats of 1e30")               \
  C(NAN, "some NaN")                           \
  C(INF, "some infinities")                    \
  C(SPARSE, "integers of which all but eight are the same")
typedef enum {
#define C(id, text) WW_CONTENTS_##id,
  WW_CONTENTS(C)
#undef C
      WW_NCONTENTS
} ww_contents;

typedef struct {
  int64_t value[WW_MOST_SIZES];
  ww_contents contents;
  bool offset;      /* pointers one element into their buffers */
  int32_t alias[2]; /* parameters that share one buffer; -1: none */
  /* 1 + which of two sizes at which the old kernel is defined it is tried with; 0: its
   * own */
  uint8_t like;
  bool large; /* grows until the budget ends it */
  bool ran;
  uint64_t seed;
  const char *text; /* in words, once it is made */
} ww_case;

typedef struct {
  const ww_verify_side *side[2]; /* old, new */
  const ww_verify_options *o;
  ww_arena *a;        /* of the verdict */
  ww_launch said;     /* the old kernel's, resolved */
  ww_launch base;     /* and completed */
  ww_launch shape[2]; /* grid and block of each side at that size */
  ww_assumed assumed; /* of it */
  uint32_t nsizes;
  uint32_t size[WW_MOST_SIZES];    /* parameter */
  uint32_t nvalues[WW_MOST_SIZES]; /* asked for; 0: ours to choose */
  int64_t values[WW_MOST_SIZES][32];
  int32_t like[WW_MOST_SIZES]; /* the size that it may be the same as, or -1 */
  bool guarded[WW_MOST_SIZES]; /* it ends something */
  /* axes (a bit each) of the old grid that hold whole blocks of it alone: n/256 */
  uint8_t whole[WW_MOST_SIZES];
  ww_role *roles; /* of the old kernel */
  WW_VEC(ww_case) cases;
} ww_plan;

/* ---- cases.c ---- */
ww_status ww_plan_make(ww_plan *p, ww_err *e);
/* The new kernel uses dynamic shared memory that no launch gives. */
bool ww_plan_assumes_shared(const ww_plan *p);
bool ww_side_has_atomics(const ww_verify_side *s, ww_arena *a);
/* The launch of each side, complete but for contents. Fails where the old kernel has
 * none at this size. */
ww_status ww_case_launches(const ww_plan *p,
                           ww_case *c,
                           ww_arena *a,
                           ww_launch out[2],
                           ww_assumed *said,
                           ww_err *e);

/* ---- contents.c ---- */
/* The bytes of an argument's buffer before a run; they live in the arena. */
uint8_t *ww_case_contents(const ww_plan *p,
                          const ww_case *c,
                          const ww_launch *l,
                          const ww_region *r,
                          ww_arena *a);
/* Each float of these contents moved by one unit of its last place, up or down or all
 * of them up: then a sum moves by its terms, whatever their signs. */
void ww_perturb(
    const char *type, uint8_t *bytes, uint64_t n, bool all_up, uint64_t seed);

/* ---- verify_cover.c ---- */
/* Per function and block of a side, to be set where a run gets there. */
bool **ww_cover_open(const ww_plan *p, int side);
void ww_cover_close(const ww_plan *p, bool **const reached[2], ww_verdict *out);

/* ---- judge.c ---- */
typedef struct {
  const char *name, *type;
  int32_t arg, symbol; /* parameter; symbol of the old module; -1: none */
  uint64_t at, bytes;  /* in an image */
  uint64_t atomics;    /* on the element that the old kernel has most of them on */
} ww_kept;

/* What memory holds after the runs of a case, all buffers behind each other. */
typedef struct {
  ww_kept *v;
  uint32_t n;
  uint64_t bytes;
  const uint8_t *initial, *old, *other; /* before; after, in two orders */
  /* after with double precision, and with inputs moved; NULL: not run */
  const uint8_t *exact, *moved[2];
} ww_kept_all;

typedef struct {
  const ww_kept *buffer; /* NULL: no difference */
  uint64_t index;
  const char *old_value, *new_value, *exact;
  bool input; /* the old kernel leaves the buffer alone */
} ww_discrepancy;

/* How the buffers of a case are to be compared: worked out once, from what the old
 * kernel itself gave. */
typedef struct ww_yardstick ww_yardstick;
ww_yardstick *ww_judge_open(const ww_kept_all *k, ww_arena *a, ww_strings *notes);
/* Every element has its place: none depends on the order of the old kernel's threads,
 * but for last digits. */
bool ww_judge_settled(const ww_yardstick *y);
bool ww_judge_by_place(const ww_yardstick *y, uint32_t buffer);
/* The elements are the old kernel's in other places; in the image they go back. */
bool ww_judge_permuted(const ww_yardstick *y, const ww_kept *b, uint8_t *image);
/* Where only some of the blocks ran: elements that one of the two left alone become the
 * old kernel's, as blocks may have changed places; not so where the new one's are all
 * among the old one's. */
void ww_judge_common(const ww_yardstick *y, uint8_t *image);
void ww_judge(const ww_yardstick *y,
              const uint8_t *image,
              ww_discrepancy *out,
              double *error,
              uint64_t *compared);

#endif
