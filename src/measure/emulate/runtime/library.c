/* library.c - calls of NVIDIA's libraries in an emulated program: each is recorded as a
 * launch without code, by what it is asked to do. See library.h for what is computed.
 */
#include "library.h"

#include <stdlib.h>

int ww_emu_library(const char *function, const ww_library_call *call) {
  ww_emu *s = ww_emu_get();
  ww_library_call c = *call;
  for (int i = 0; i < WW_LIBRARY_SIZES; i++)
    if (!c.size[i]) /* nothing to do, or not given */
      c.size[i] = 1;
  ww_emu_lock();
  ww_recorder_launch(s->recorder, &(ww_raw_launch){.kernel = function, .library = &c});
  ww_emu_unlock();
  return EMU_OK;
}

const char *ww_emu_type_of(int data_type) {
  static const struct {
    int number;
    const char *type;
  } types[] = {{0, "f32"},   {1, "f64"}, {2, "f16"}, {3, "i8"},
               {4, "c32"},   {5, "c64"}, {8, "u8"},  {10, "i32"},
               {14, "bf16"}, {28, "f8"}, {29, "f8"}};
  for (size_t i = 0; i < WW_COUNT(types); i++)
    if (types[i].number == data_type)
      return types[i].type;
  return "f32";
}

/* ---- thrust: computed by its headers; told from its loops ---- */

void __wwThrust(const void *first, const char *call, const char *type, size_t n) {
  ww_emu_block b;
  if (!n || !ww_emu_find((uintptr_t)first, &b))
    return; /* of host memory */
  char name[64];
  snprintf(name, sizeof name, "thrust::%s", call);
  ww_emu_library(name, &(ww_library_call){"thrust", call, type, {n}});
}
