/* assume.h - what a report rests on although nobody gave it, as values that code can
 * tell apart.
 *
 * assumptions.def is the table of kinds; they are worded in assume.c alone, and no
 * program reads the words. */
#ifndef WW_REPORT_ASSUME_H
#define WW_REPORT_ASSUME_H

#include "../base/base.h"

typedef enum {
#define ASSUMPTION(kind, ...) WW_ASSUME_##kind,
#include "assumptions.def"
  WW_NASSUMPTIONS
} ww_assumption_kind;

/* What the contents of a buffer decide of how a kernel runs. */
enum {
  WW_DECIDES_ADDRESSES = 1,
  WW_DECIDES_LOOPS = 2, /* how often they run */
  WW_DECIDES_BRANCHES = 4
};

/* Who says what a launch is like. */
typedef enum {
  WW_FROM_COMMENT,
  WW_FROM_PROJECT,
  WW_FROM_HOST,
  WW_FROM_NOBODY, /* a default */
  WW_NFROMS
} ww_launch_origin;

typedef struct {
  ww_assumption_kind kind;
  /* the parameter, GPU, file, symbol or reason that the wording names */
  const char *argument;
  /* bytes, elements, threads, a line: see the wording; a negative one as int64_t */
  uint64_t value[3];
} ww_assumption;
typedef WW_VEC(ww_assumption) ww_assumptions;
struct cJSON;

void ww_assumption_put(const ww_assumption *x, ww_buf *out); /* its sentence */
char *ww_assumption_text(const ww_assumption *x, ww_arena *a);
/* One that ww_assumptions_write_kinds wrote; of another kind, or NULL: the sentence,
 * WW_ASSUME_WORDED. */
ww_assumption
ww_assumption_read(const struct cJSON *x, const char *sentence, ww_arena *a);

/* Adds copies of all of `more`. */
void ww_assumptions_add(ww_assumptions *list, const ww_assumptions *more, ww_arena *a);
/* The first of a kind; NULL: there is none. */
const ww_assumption *ww_assumptions_find(const ww_assumptions *list,
                                         ww_assumption_kind kind);
/* "assumed":[sentences] */
void ww_assumptions_write(const ww_assumptions *list, ww_json *j);
/* "assumptions":[{"kind":...,"argument":...,"values":[...]}]; nothing of none */
void ww_assumptions_write_kinds(const ww_assumptions *list, ww_json *j);
/* One a line, the first behind `head` and a blank, the others behind `next`. */
void ww_assumptions_print(const ww_assumptions *list,
                          const char *head,
                          const char *next,
                          FILE *f);

#endif
