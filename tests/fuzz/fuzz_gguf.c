/* fuzz_gguf.c - any bytes as a GGUF: a clear error, or tensors every byte of which is
 * there; then as a model, whose parameters are read. */
#include "fuzz_weights.h"

#include "../../src/lm/model.h"

static void read_model(const ww_weights *w) {
  ww_lm_config c;
  ww_err e = {0};
  if (ww_lm_config_of_gguf(w, &c, &e) || ww_lm_config_params(&c) > 1 << 20)
    return;
  ww_arena *a = ww_arena_new();
  ww_lm_layout l;
  ww_lm_layout_make(&c, a, &l);
  ww_lm_read_params(w, &c, &l, WW_NEWN(a, float, l.total), &e);
  ww_arena_free(a);
}

int fuzz_gguf(const uint8_t *data, size_t n) {
  ww_weights *w;
  ww_err e = {0};
  ww_status rc = ww_weights_parse(data, n, &w, &e);
  if (rc && !e.msg[0])
    abort();
  if (!rc) {
    fuzz_touch(w, data, n);
    read_model(w);
  }
  ww_weights_close(w);
  return 0;
}
