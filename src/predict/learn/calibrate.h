/* calibrate.h - a GPU's description brought closer to the device by a few measured
 * launches: at most five numbers, each a factor on figures that belong together. */
#ifndef WW_CALIBRATE_H
#define WW_CALIBRATE_H

#include "fit.h"

typedef struct {
  const char *name;     /* "DRAM bandwidth" */
  const char *paths[8]; /* figures and curves of gpu.def, the leading one first */
} ww_knob;
enum { WW_NKNOBS = 6 };
extern const ww_knob ww_knobs[WW_NKNOBS];

typedef struct {
  double factor[WW_NKNOBS]; /* on the base's figures; one of them at least is 1 */
} ww_calibration;

/* The factors that bring the samples' times closest; samples for which left_out says
 * true (NULL: none) are not looked at. Every sample's work is the base's. */
void ww_calibrate(const ww_fit_sample *s,
                  uint32_t n,
                  const bool *left_out,
                  const ww_gpu *base,
                  const ww_params *params,
                  ww_calibration *out);
/* The base with these factors; `source` goes to every figure that they changed. What
 * the base lacks and the factors are about gets the model's own value first. */
void ww_calibration_apply(const ww_calibration *c,
                          const ww_gpu *base,
                          const char *source,
                          ww_arena *a,
                          ww_gpu *out);

#endif
