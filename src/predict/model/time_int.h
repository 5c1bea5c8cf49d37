/* time_int.h - what the files of the time model share beside predict.h. */
#ifndef WW_PREDICT_TIME_H
#define WW_PREDICT_TIME_H

#include "predict.h"

double ww_time_dram_gbps(const ww_gpu *g, double read,
                         double written); /* by the mix of bytes read and written */
double
ww_time_spread(const ww_timing *t,
               const ww_params *p); /* middle 80 % of ln(measured/predicted) for such a launch */

#endif
