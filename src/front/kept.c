/* kept.c - IR kept by what it was made from: WARPWISE_IR names a folder, and whoever
 * has read a source leaves its IR there.
 *
 * For work that reads the same sources again and again (training, evaluations), and to
 * do it on a machine without clang: a build without LLVM reads sources from there
 * alone. The key is the text of the files, their flags and our version; headers are not
 * part of it. */
#include "kept.h"

#include <stdlib.h>

static const char *path_of(const ww_front_options *o, ww_arena *a) {
  const char *folder = getenv("WARPWISE_IR");
  if (!folder || !*folder)
    return NULL;
  uint64_t key = ww_hash(WW_VERSION, strlen(WW_VERSION),
                         (uint64_t)(o->dialect + 2) * 2 + o->no_sdk);
  for (uint32_t i = 0; i < o->nfiles; i++) {
    char *text = o->texts ? (char *)o->texts[i] : NULL;
    size_t n = text ? strlen(text) : 0;
    if (!text && ww_read_file(a, o->files[i], 64 << 20, &text, &n, NULL))
      return NULL;
    key = ww_hash(text, n, key);
  }
  for (uint32_t i = 0; i < o->nflags; i++)
    key = ww_hash(o->flags[i], strlen(o->flags[i]) + 1, key);
  for (uint32_t i = 0; i < o->ninstantiate; i++)
    key = ww_hash(o->instantiate[i], strlen(o->instantiate[i]) + 1, key + 1);
  return ww_fmt(a, "%s/%016llx.ir.zst", folder, (unsigned long long)key);
}

bool ww_kept_read(const ww_front_options *o, ww_arena *a, ww_unit *out) {
  const char *path = path_of(o, a);
  char *text;
  size_t n;
  if (!path || !ww_file_exists(path) ||
      ww_read_packed(a, path, 1 << 30, &text, &n, NULL))
    return false;
  *out = (ww_unit){0};
  return !ww_ir_parse(text, a, &out->module, NULL);
}

/* What cannot be told by the IR alone is not kept: what was left out of a file, regions
 * of OpenMP.
 */
void ww_kept_write(const ww_front_options *o, const ww_unit *u, ww_arena *a) {
  const char *path = path_of(o, a);
  ww_buf b = {0};
  if (!path || u->partial || u->nregions)
    return;
  ww_ir_print_module(&u->module, &b);
  ww_write_packed(path, b.s, b.n, 3, NULL);
  ww_buf_free(&b);
}
