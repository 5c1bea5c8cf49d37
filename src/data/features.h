/* features.h - measured launches as rows to learn from: the source made again or read,
 * compiled, traced and predicted by the machine model, in several processes; kept in a
 * packed file, so that learning again takes seconds. */
#ifndef WW_DATA_FEATURES_H
#define WW_DATA_FEATURES_H

#include "../predict/learn/correct.h"
#include "store.h"

typedef struct {
  const char *const
      *inputs; /* stores (.db, .zst of one) and files of reports (.jsonl, .jsonl.zst) */
  uint32_t ninputs;
  const char *corpus; /* folder of the written kernels' files; NULL: corpus */
  /* folder that was imported; NULL: rows of imported kernels are left out */
  const char *imported;
  const char *gpu; /* rows of which GPU; NULL: h200 */
  /* of generated kernels at most, 7 in 10 of them to train on; 0: a default */
  uint32_t rows;
  uint32_t each;      /* launches of a generated kernel at most; 0: a default */
  uint32_t processes; /* 0: one per core */
  uint64_t budget;    /* of a trace; 0: its default */
  bool test;          /* the test split alone */
  /* files that rows are kept in: those that are there are read and put together, rows
   * of the inputs are written into the one that is not */
  const char *const *kept;
  uint32_t nkept;
} ww_feature_options;

typedef struct {
  ww_correct_row *rows;
  uint32_t n;
  const char **families, **kernels; /* names */
  uint32_t nfamilies, nkernels;
  const char *gpu, *data; /* description's name; what the rows are from, in words */
  uint32_t failed;        /* launches that could not be predicted */
  const char *why;        /* one reason */
  double seconds;         /* that predicting took; 0: they were kept */
} ww_feature_table;

ww_status ww_features_make(const ww_feature_options *o,
                           ww_arena *a,
                           ww_feature_table *out,
                           ww_err *e);
/* What was kept. */
ww_status
ww_features_read(const char *path, ww_arena *a, ww_feature_table *out, ww_err *e);
#endif
