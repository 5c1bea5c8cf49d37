/* fuse.h - launches of a recorded program that follow one another, element by element,
 * as one kernel: what one leaves for the next stays in a register.
 *
 * A recording says which launches run one behind the other and which of their arguments
 * are one buffer; the source says whether threads look at elements of their own alone,
 * and whether the host code does anything in between. The result is predicted, and
 * compared with the launches in their order; docs/optimize.md. */
#ifndef WW_OPT_FUSE_H
#define WW_OPT_FUSE_H

#include "optimize.h"

#define WW_MOST_FUSED 8 /* launches in one */

/* ---- fuse_text.c: the text ---- */
typedef struct {
  const char *kernel; /* plain name */
  uint32_t line;      /* where it is declared */
  const ww_launch *launch;
} ww_fuse_part;

typedef struct {
  const char *name;      /* of the fused kernel */
  const char *kernel;    /* its text with the kernel, the host code as it was, */
  const char *text;      /* and with its launches replaced, */
  uint32_t sites;        /* so many times */
  const char *by_hand;   /* what is left to do in the host code; NULL: nothing */
  const char *registers; /* which buffers' elements are kept, in words; "": none */
  const char *judged;    /* text for verify: with the original, all launches in order */
  const char *original;  /* as one kernel that is called so; a cooperative launch */
  ww_launch launch;
} ww_fused_text;

/* WW_EUNSUPPORTED: they cannot be fused, and why. */
ww_status ww_fuse_text(const ww_syntax *s,
                       const ww_fuse_part *parts,
                       uint32_t n,
                       ww_arena *a,
                       ww_fused_text *out,
                       ww_err *e);

/* ---- fuse.c: a whole recording ---- */
typedef struct {
  const char *title;    /* "scale, add" */
  const char *path;     /* of their source */
  uint64_t from, count; /* number of the first launch; how often they ran */
  ww_candidate_state state;
  const char *why;                           /* of all but VERIFIED */
  double before_us, before_low, before_high; /* all launches, L2 carried over */
  double us, low, high;                      /* the fused one */
  uint32_t cases;
  bool apart; /* right where no two buffers overlap */
  ww_fused_text text;
} ww_fusion;

/* A file with all that was found. */
typedef struct {
  const char *path, *old, *now;
} ww_fused_file;

typedef struct {
  const ww_launch *launches;
  const ww_source *sources; /* of each launch */
  uint32_t n;
  const ww_query_targets *targets; /* the first GPU counts */
  uint64_t seed;
  double deadline;
  bool overlap; /* --may-overlap */
} ww_fuse_request;

typedef struct {
  WW_VEC(ww_fusion) v;
  WW_VEC(ww_fused_file) files;
  const char *gpu;
  bool over; /* the time was, before all launches were looked at */
} ww_fusions;

/* Fails where the recording says nothing about order; what cannot be fused has its
 * reason in *out. */
ww_status ww_fuse(const ww_fuse_request *q, ww_arena *a, ww_fusions *out, ww_err *e);

/* ---- fuse_show.c ---- */
/* All files' changes, for `git apply`. */
void ww_fusions_patch(const ww_fusions *f, ww_arena *a, ww_buf *out);
void ww_fusions_print(const ww_fusions *f, bool all, ww_buf *out);
void ww_fusions_write(const ww_fusions *f, ww_arena *a, ww_json *j); /* members */

#endif
