/* many.h - predictions of many launches: in as many processes as there are cores,
 * answers in the order of the launches.
 *
 * What is common is done once: a source that all of them share is read before the
 * processes begin; launches of one source stay together. One that crashes or takes too
 * long costs itself alone. */
#ifndef WW_CMD_MANY_H
#define WW_CMD_MANY_H

#include "../predict/show/program.h"
#include "parts.h"
#include "source.h"

typedef struct {
  ww_err error; /* of all GPUs; else each one's time says whether it is known */
  ww_program_launch launch; /* its count and place are the asker's */
  ww_err *errors;           /* per GPU, where it is not known */
  ww_assumptions assumed;   /* of the first GPU with an answer */
  const char *reports;      /* a line a GPU, where they were asked for; NULL: none */
} ww_many_answer;

typedef struct {
  bool reports;       /* as JSON too */
  bool both;          /* as the second of two launches in a row too */
  uint64_t processes; /* 0: one a core */
  /* In the order of the launches, each as soon as those before it are there. */
  void (*each)(void *ctx, uint32_t index, ww_many_answer *x);
  void *ctx;
  const ww_parts *parts; /* other ranks' work; NULL: all of it is done here */
} ww_many_how;

/* WW_OK where every launch was asked about, whatever the answers. *mine: whether this
 * is the process that has them all. */
ww_status ww_many_predict(ww_ask *x,
                          const ww_launch *launches,
                          uint32_t n,
                          const ww_many_how *how,
                          bool *mine);

#endif
