/* question_evidence.h - what tools found out about a launch, told to the language model
 * with its question.
 *
 * Compiled: registers, shared and local memory, the occupancy they allow; nothing is
 * run. Traced: every metric of the machine model's report, the features that the
 * correction learns from, what bounds the time. The regression head then gives how far
 * the measurement lies from what was told, so that a model which says nothing repeats
 * the tool. */
#ifndef WW_PREDICT_QUESTION_EVIDENCE_H
#define WW_PREDICT_QUESTION_EVIDENCE_H

#include "../model/predict.h"
#include "question.h"

typedef struct {
  ww_evidence_form form;
  float metrics[WW_NMETRICS]; /* NaN: not known */
  /* the rest of what is traced */
  ww_features features;
  ww_term bottleneck;
  ww_pipe busiest;
  ww_limit limiter; /* compiled as well */
} ww_evidence;

/* Of a prediction before any correction. */
void ww_evidence_of(const ww_prediction *p, ww_evidence *out);
/* Leaves out what a weaker form does not know. */
void ww_evidence_weaken(ww_evidence *x, ww_evidence_form form);
/* Adds it to a question: text, features, base. */
void ww_question_tell(ww_text_question *q, const ww_evidence *x, ww_arena *a);
/* The same of a prediction before any correction, as far as the form knows it. */
void ww_question_tell_prediction(ww_text_question *q,
                                 const ww_prediction *p,
                                 ww_evidence_form form,
                                 ww_arena *a);
/* What limits a traced launch and why, in words: what the model learns to write behind
 * its JSON. At most WW_EXPLANATION_MOST bytes, printable ASCII. */
enum { WW_EXPLANATION_MOST = 240 };
void ww_evidence_explain(const ww_evidence *x, ww_buf *out);

#endif
