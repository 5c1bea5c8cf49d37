/* fuzz_side.c - any text as the file beside a language model (text.json): read, or
 * refused, before the model itself is missed. */
#include "fuzz.h"

#include "../../src/predict/text/text.h"

int fuzz_side(const uint8_t *data, size_t n) {
  ww_arena *a = ww_arena_new();
  ww_text *t;
  ww_err e = {0};
  fuzz_file("model.json", data, n);
  fuzz_must(ww_text_open(ww_path_join(a, fuzz_folder(), "model.gguf"), 1, &t, &e));
  fuzz_must(!t && e.msg[0]);
  ww_arena_free(a);
  return 0;
}
