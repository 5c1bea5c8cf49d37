/* library.h - the time of a call of a vendor's library: its code is not known, so what
 * it moves and computes is set against the GPU's peaks, with efficiencies that were
 * measured on an H200. */
#ifndef WW_PREDICT_LIBRARY_H
#define WW_PREDICT_LIBRARY_H

#include "../../report/launch.h"
#include "predict.h"

typedef struct {
  double bytes; /* to and from DRAM */
  double flops; /* a multiply-add counts two */
  double us, low, high;
  ww_term bottleneck;
} ww_library_time;

/* WW_EUNSUPPORTED: no such call is known. */
ww_status ww_library_predict(const ww_library_call *c,
                             const ww_gpu *g,
                             ww_library_time *out,
                             ww_err *e);

#endif
