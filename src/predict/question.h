/* question.h - a kernel, one launch of it and a GPU as the language model reads them: normalised text, and numbers beside it.
 *
 * Nothing but what the programmer wrote: source, launch, GPU. The same function makes the examples that the model is trained on and the question of
 * `predict --by text`, so that training and use cannot drift apart; WW_QUESTION_VERSION changes with any change of what it writes and
 * is stored with the model. */
#ifndef WW_PREDICT_QUESTION_H
#define WW_PREDICT_QUESTION_H

#include "../gpu/gpu.h"
#include "../report/launch.h"
#include "../report/metrics.h"

#define WW_QUESTION_VERSION 1
enum { WW_QUESTION_FEATURES = 48, WW_QUESTION_FEATURE_TOKENS = 4 };

typedef struct {
  const char *text; /* arena; ends with WW_QUESTION_END */
  size_t n;
  float features[WW_QUESTION_FEATURES];
} ww_question;

/* The special tokens of its text: the places of the numeric features in front, and the mark behind which the answer begins (and at which
 * the numbers are read). */
#define WW_QUESTION_FEATURE "<|number|>"
#define WW_QUESTION_END "<|answer|>"
#define WW_ANSWER_END "<|end|>"

ww_status ww_question_make(const char *source, size_t n, const ww_launch *l, const ww_gpu *g, ww_arena *a, ww_question *out, ww_err *e);
/* A metric as the regression head has it, and back: logarithms of times, bytes and counts, shares as they are; NaN stays NaN. */
float ww_question_number(int metric, double value);
double ww_question_value(int metric, float number);
/* The answer's JSON for measured metrics (NaN: left out): keys in the order of metrics.def, numbers with three significant digits. */
void ww_question_answer(const double *metrics, ww_buf *out);

#endif
