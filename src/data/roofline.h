/* roofline.h - the roofline question to a language model: is a launch bandwidth-bound
 * or compute-bound? roofline.def is the table of all that is said. */
#ifndef WW_DATA_ROOFLINE_H
#define WW_DATA_ROOFLINE_H

#include "../predict/learn/score.h"

typedef enum {
#define ASK(id, ...) WW_ROOFLINE_##id,
#include "roofline.def"
  WW_NROOFLINES
} ww_roofline_ask;
extern const char *const ww_roofline_asks[WW_NROOFLINES]; /* "zero-shot", ... */
#define WW_ROOFLINE_WORDS "zero-shot few-shot cot profile tools"

enum { WW_ROOFLINE_SOURCE_MOST = 32 << 10 }; /* bytes of a source that are shown */

typedef struct {
  const char *kernel;    /* as a profiler calls it */
  const char *plain;     /* its name in the source; NULL: kernel */
  const char *language;  /* "cuda", "openmp", "opencl", "hip"; NULL */
  const char *arguments; /* of the program that launches it; NULL: not known */
  const ww_gpu *gpu;
  ww_balance balance;         /* infinite: the kind is not spoken of */
  uint64_t grid[3], block[3]; /* 0: not known */
  const char *source;         /* NULL: not here */
  /* whose figures are shown where the way to ask shows any; NULL: there are none */
  const ww_report *measured, *predicted;
} ww_roofline_question;

/* What is said, in the arena: the system's text first, then user and assistant in turn,
 * the question last. */
void ww_roofline_messages(const ww_roofline_question *q,
                          ww_roofline_ask ask,
                          ww_arena *a,
                          ww_strings *out);
/* "Bandwidth" or "Compute" */
const char *ww_roofline_word(ww_bound bound);
/* The class that an answer names: behind its last "Answer", else in all of it, without
 * what a model thinks aloud in <think>. Both names, or none: unknown. */
ww_bound ww_roofline_answer(const char *text);

#endif
