/* fuzz_safetensors.c - any bytes as a safetensors file, in memory and on disk, or as
 * the index of several: a clear error, or tensors every byte of which is there. */
#include "fuzz_weights.h"

/* As a folder of one model: the file itself, or an index (it begins with a brace) that
 * may name the file `x`. */
static void open_folder(const uint8_t *data, size_t n) {
  static const char one[] = "\x38\0\0\0\0\0\0\0{\"x\":{\"dtype\":\"U8\",\"shape\":[3],"
                            "\"data_offsets\":[0,3]}}    abc";
  ww_weights *w;
  ww_err e = {0};
  bool index = n && data[0] == '{';
  fuzz_file("x", one, sizeof one - 1);
  const char *path = index ? fuzz_file("model.safetensors.index.json", data, n)
                           : fuzz_file("model.safetensors", data, n);
  if (ww_weights_open(index ? fuzz_folder() : path, &w, &e))
    fuzz_must(e.msg[0]);
  ww_weights_close(w);
  if (index)
    fuzz_remove("model.safetensors.index.json");
  fuzz_remove("model.safetensors");
}

int fuzz_safetensors(const uint8_t *data, size_t n) {
  ww_weights *w;
  ww_err e = {0};
  ww_status rc = ww_weights_parse(data, n, &w, &e);
  if (rc && !e.msg[0])
    abort(); /* an error says what it is */
  if (!rc)
    fuzz_touch(w, data, n);
  ww_weights_close(w);
  open_folder(data, n);
  return 0;
}
