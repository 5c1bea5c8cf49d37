/* predict_text.h - the language model's way through `warpwise predict`. */
#ifndef WW_CMD_PREDICT_TEXT_H
#define WW_CMD_PREDICT_TEXT_H

#include "source.h"

typedef struct {
  const ww_ask_options *ask;
  const char *model; /* NULL: the shipped one */
  const char *batch; /* launches, one per line; NULL */
  bool heads;        /* counters from the regression head, without the JSON */
} ww_text_options;
ww_status ww_predict_by_text(ww_cmd *c, const ww_text_options *o);

#endif
