/* text.h - the oracle `text`: what the shipped language model says of a kernel from its
 * source, launch and GPU alone.
 *
 * A model is opened once and asked many questions at a time: those of a batch share
 * their passes. Time and its interval come from the regression head, counters from the
 * JSON that the model writes under a grammar (it always parses), or from the head as
 * well. */
#ifndef WW_PREDICT_TEXT_H
#define WW_PREDICT_TEXT_H

#include "../../lm/infer.h"
#include "question.h"

typedef struct ww_text ww_text;
/* A .gguf or a folder; NULL: models/text.gguf of the data folder. What it was
 * calibrated with is read from <model>.json beside it, where it is there:
 * {"question_version":2,"interval_scale":1.2,"time_caution":0.4}; "check" in it is a
 * hash of both files' contents. threads 0: one per core. */
ww_status ww_text_open(const char *path, uint32_t threads, ww_text **out, ww_err *e);
void ww_text_close(ww_text *t); /* accepts NULL */

typedef struct {
  /* of the head: middle and log of the scale of a Laplace distribution, as
   * ww_question_number has them */
  float number[WW_NMETRICS], spread[WW_NMETRICS];
  double json[WW_NMETRICS]; /* of the JSON; NaN: null there, or not asked for */
  const char *text;         /* the JSON itself, arena; NULL: not asked for */
  const char *why; /* what limits a traced launch, in words, arena; NULL: not said */
  ww_evidence_form form; /* what the question had besides the text */
  ww_report report;      /* the caller fills file, kernel, launch */
} ww_text_answer;
/* out[n], on the questions' GPUs. `json`: write the JSON too (slower). */
ww_status ww_text_ask(ww_text *t,
                      const ww_text_question *q,
                      uint32_t n,
                      bool json,
                      ww_arena *a,
                      ww_text_answer *out,
                      ww_err *e);

/* The answer's numbers as a report that agrees with itself: rates are counts over the
 * time, nothing is above a roof of the GPU. t NULL: not calibrated. */
void ww_text_report(const ww_text *t,
                    const ww_text_answer *x,
                    const ww_gpu *g,
                    ww_arena *a,
                    ww_report *out);

#endif
