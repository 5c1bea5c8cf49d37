/* predict.h - what the files of `warpwise predict` share.
 *
 *   predict.c       options; single launches, batches, comparisons, sweeps
 *   predict_text.c  what a language model says
 */
#ifndef WW_CMD_PREDICT_H
#define WW_CMD_PREDICT_H

#include "confidence.h"
#include "../predict/text/question.h"
#include "source.h"

typedef struct {
  ww_ask_options ask;
  const char *batch, *slower, *sweep, *svg, *html, *model, *dump, *parts, *confidence,
      *evidence;
  uint64_t jobs;
  bool diff, heads;
} ww_predict_options;

typedef struct {
  ww_cmd *c;
  const ww_predict_options *o;
  ww_ask_options asked; /* with the launches of --batch */
  ww_ask ask;
  const char **gpus, **grades; /* their names, and what is known of their figures */
  ww_confidence confidence;
  ww_evidence_form evidence; /* with --by text */
} ww_predict_job;

ww_status ww_predict_by_text(ww_predict_job *j);

#endif
