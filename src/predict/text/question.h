/* question.h - a kernel, one launch of it and a GPU as the language model reads them:
 * normalised text, and numbers beside it.
 *
 * Nothing but what the programmer wrote: source, launch, GPU. The same function makes
 * the examples that the model is trained on and the question of `predict --by text`, so
 * that training and use cannot drift apart; WW_QUESTION_VERSION changes with any change
 * of what it writes and is stored with the model. docs/text-model.md says how to read
 * it. */
#ifndef WW_PREDICT_QUESTION_H
#define WW_PREDICT_QUESTION_H

#include "../../gpu/gpu.h"
#include "../../report/report.h"
#include "../model/features.h"

#define WW_QUESTION_VERSION 3
/* Models of version 2 understand what they are asked: they take the features of the
 * source, and never saw raw words or evidence. */
#define WW_QUESTION_OLDEST 2
enum {
  WW_QUESTION_SOURCE_FEATURES = 64,
  /* two flags, the metrics and the machine model's features: question_evidence.c */
  WW_QUESTION_FEATURES = WW_QUESTION_SOURCE_FEATURES + 2 + WW_NMETRICS + WW_NFEATURES,
  WW_QUESTION_FEATURE_TOKENS = 4 /* each sees all features */
};

/* What is known besides source, launch and GPU; each form knows more. */
typedef enum {
  WW_EVIDENCE_SOURCE,
  WW_EVIDENCE_COMPILED,
  WW_EVIDENCE_TRACED,
  WW_NEVIDENCES
} ww_evidence_form;
extern const char *const ww_evidence_names[WW_NEVIDENCES]; /* "source", ... */
#define WW_EVIDENCE_WORDS "source compiled traced"

typedef struct {
  const char *text; /* arena; ends with WW_QUESTION_END */
  size_t n;
  const ww_gpu *gpu;
  ww_evidence_form form;
  float features[WW_QUESTION_FEATURES];
  /* what the regression head's numbers are added to: evidence, as ww_question_number
   * has it; 0: none */
  float base[WW_NMETRICS];
} ww_text_question;

/* The special tokens of its text: the places of the numeric features in front, and the
 * mark behind which the answer begins (and at which the numbers are read). */
#define WW_QUESTION_FEATURE "<|number|>"
#define WW_QUESTION_END "<|answer|>"
#define WW_ANSWER_WHY "<|why|>" /* an explanation follows */
#define WW_ANSWER_END "<|end|>"

/* A kernel of a source, read once for all its launches. `flags` are the launch's: -D
 * and -U count. The kernel's name is plain, mangled or with template arguments; NULL:
 * the only one. Any source with code in it is read: where no function is found that is
 * meant, the question has the words around the name, and ww_question_is_raw holds.
 * Lives in the arena. */
typedef struct ww_question_kernel ww_question_kernel;
ww_status ww_question_read(const char *source,
                           size_t n,
                           const char *kernel,
                           const char *const *flags,
                           uint32_t nflags,
                           ww_arena *a,
                           ww_question_kernel **out,
                           ww_err *e);
bool ww_question_is_raw(const ww_question_kernel *k);
/* The names of its parameters; `bytes` (may be NULL) of what the pointers among them
 * point to, 0 unknown. */
uint32_t ww_question_params(const ww_question_kernel *k,
                            const char *const **names,
                            const uint32_t **bytes,
                            ww_arena *a);
/* of the kernel, plain; line may be NULL */
const char *ww_question_name(const ww_question_kernel *k, uint32_t *line);
/* The kernels of a source in its order, plain names. */
uint32_t ww_question_kernels(const char *source,
                             size_t n,
                             ww_arena *a,
                             const char *const **names);
void ww_question_ask(const ww_question_kernel *k,
                     const ww_launch *l,
                     const ww_gpu *g,
                     ww_arena *a,
                     ww_text_question *out);

/* A metric as the regression head has it, and back: logarithms of times, bytes and
 * counts, shares as they are, all scaled to about -3 .. 3; NaN stays NaN. */
float ww_question_number(int metric, double value);
double ww_question_value(int metric, float number);
/* The answer's JSON for measured metrics: every metric in the order of metrics.def,
 * null where it is NaN, else three digits and an exponent: 525e-2. */
void ww_question_answer(const double *metrics, ww_buf *out);
/* The same without those that are NaN. */
void ww_question_known(const float *metrics, ww_buf *out);

#endif
