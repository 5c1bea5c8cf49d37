/* fuzz_params.c - any text as the machine model's parameters: each within its bounds,
 * or a message.
 */
#include "fuzz.h"

#include "../../src/predict/model/predict.h"

int fuzz_params(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_params p;
  ww_err e = {0};
  if (ww_params_parse(text, n, &p, &e))
    fuzz_must(e.msg[0]);
  for (uint32_t k = 0; k < ww_nparams; k++) {
    double v = ((const double *)&p)[k];
    fuzz_must(v >= ww_param_table[k].least && v <= ww_param_table[k].most);
  }
  free(text);
  return 0;
}
