/* confidence.h - `predict --require-confidence`: whether an answer is as sure as it has
 * to be. */
#ifndef WW_CMD_CONFIDENCE_H
#define WW_CMD_CONFIDENCE_H

#include "../predict/model/predict.h"
#include "cmd.h"

typedef struct {
  double ratio; /* high / low of the time at most; INFINITY: any */
  int grade;    /* of the GPU's description at least */
} ww_confidence;
/* "2", "probed", "2,calibrated"; NULL asks for nothing. */
ww_status ww_confidence_parse(ww_cmd *c, const char *text, ww_confidence *out);
/* How sure an answer is. */
typedef struct {
  const char *kernel, *gpu, *grade; /* of the GPU's figures; NULL: none */
  double low, high;                 /* of its time */
} ww_sureness;
/* Says on stderr where it is less sure than it has to be, and then sets c->missed. */
void ww_confidence_one(ww_cmd *c, const ww_confidence *want, const ww_sureness *x);
/* Says on stderr which of n answers are not that sure, and then sets c->missed. */
void ww_confidence_check(ww_cmd *c,
                         const ww_confidence *want,
                         const ww_prediction *p,
                         uint32_t n);

#endif
