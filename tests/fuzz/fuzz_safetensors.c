/* fuzz_safetensors.c - any bytes as a safetensors file: a clear error, or tensors every byte of which is there. */
#include "fuzz_weights.h"

int fuzz_safetensors(const uint8_t *data, size_t n) {
  ww_weights *w;
  ww_err e = {0};
  ww_status rc = ww_weights_parse_safetensors(data, n, &w, &e);
  if (rc && !e.msg[0]) abort(); /* an error says what it is */
  if (!rc) fuzz_touch(w, data, n);
  ww_weights_close(w);
  return 0;
}
