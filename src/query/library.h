/* library.h - predictions of library calls that a recording holds in place of kernels.
 */
#ifndef WW_QUERY_LIBRARY_H
#define WW_QUERY_LIBRARY_H

#include "predict.h"

/* launch->library on every GPU: out[n]; as ww_query_predict. */
ww_status ww_query_library(const ww_launch *launch,
                           const ww_query_targets *q,
                           ww_arena *a,
                           ww_prediction *out,
                           ww_err *e);

#endif
