/* question_find.h - which kernel of a source is meant. */
#ifndef WW_PREDICT_QUESTION_FIND_H
#define WW_PREDICT_QUESTION_FIND_H

#include "question_int.h"

typedef struct {
  int32_t decl;      /* of the scan; -1: no function, a range of the text instead */
  uint32_t from, to; /* bytes of it */
  bool directive;    /* the name stands in a macro */
  const char *plain; /* the wanted name alone; "" none */
} ww_qkernel_place;

/* `scan` and `lex` become those of a longer text where macros or strings make the
 * kernel. lex has the macros of the file. Fails where no name says which of several
 * kernels is meant. */
ww_status ww_qkernel_find(ww_scan *scan,
                          ww_qlex *lex,
                          const char *wanted,
                          const char *const *flags,
                          uint32_t nflags,
                          ww_qkernel_place *out,
                          ww_err *e);
/* A function that is a kernel, or has an OpenMP target region. */
bool ww_qkernel_is(const ww_scan *s, const ww_decl *d);

#endif
