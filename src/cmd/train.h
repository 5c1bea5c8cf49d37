/* train.h - what `warpwise train` fits: the time model's parameters (train.c), or what is learned on top (train_correction.c). */
#ifndef WW_CMD_TRAIN_H
#define WW_CMD_TRAIN_H

#include "cmd.h"

typedef struct {
  const char *machine, *out;
  bool true_counters, no_cross;
  bool correction, score, markdown;
  const char *features, *corpus;
  uint64_t rows, each, jobs, budget, rounds, leaves;
} ww_train_options;

/* The data are the operands: stores and files of reports. */
ww_status ww_train_correction(ww_cmd *c, const ww_train_options *o);

#endif
