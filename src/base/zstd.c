/* zstd.c - packed files: contents of recorded buffers, measured tables. */
#include "base.h"

#include <stdlib.h>
#include <zstd.h>

/* One frame with its size in the header, as ww_write_packed and `zstd` on a file make it; a stream without one is
 * unpacked piece by piece. */
static ww_status unpack(ww_arena *a, const char *path, const char *in, size_t in_n, size_t max, char **data, size_t *n,
                        ww_err *e) {
  ZSTD_DStream *z = ZSTD_createDStream();
  unsigned long long known = ZSTD_getFrameContentSize(in, in_n);
  size_t cap = known < max ? (size_t)known + 1 : (size_t)1 << 20, used = 0, left = 1;
  char *out = ww_alloc(a, cap + 1);
  ZSTD_inBuffer src = {in, in_n, 0};
  ww_status st = WW_OK;
  while (!st && left) {
    if (used == cap) {
      out = ww_grow(a, out, cap + 1, cap * 2 + 1);
      cap *= 2;
    }
    ZSTD_outBuffer dst = {out, cap, used};
    left = ZSTD_decompressStream(z, &dst, &src);
    if (ZSTD_isError(left))
      st = ww_fail(e, WW_EDATA, "%s: not a zstd file, or damaged (%s)", path, ZSTD_getErrorName(left));
    else if (left && src.pos == src.size && dst.pos == used)
      st = ww_fail(e, WW_EDATA, "%s: ends in the middle; it was not written to its end", path);
    else if (dst.pos > max)
      st = ww_fail(e, WW_ELIMIT, "%s: more than %zu bytes when unpacked", path, max);
    used = dst.pos;
    if (!st && !left && src.pos < src.size) left = 1; /* another frame behind it */
  }
  ZSTD_freeDStream(z);
  out[used] = 0;
  *data = out;
  *n = used;
  return st;
}

ww_status ww_read_packed(ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  return ww_read_packed_below(a, NULL, path, max, data, n, e);
}

ww_status ww_read_packed_below(ww_arena *a, const char *root, const char *path, size_t max, char **data, size_t *n,
                               ww_err *e) {
  size_t len = strlen(path);
  if (len < 4 || strcmp(path + len - 4, ".zst") != 0) return ww_read_below(a, root, path, max, data, n, e);
  ww_arena *scratch = ww_arena_new();
  char *in;
  size_t in_n;
  ww_status st = ww_read_below(scratch, root, path, max, &in, &in_n, e);
  if (!st) st = unpack(a, path, in, in_n, max, data, n, e);
  ww_arena_free(scratch);
  return st;
}

ww_status ww_write_packed(const char *path, const void *data, size_t n, int level, ww_err *e) {
  size_t cap = ZSTD_compressBound(n);
  void *out = ww_xmalloc(cap);
  size_t used = ZSTD_compress(out, cap, data, n, level);
  ww_status st = ZSTD_isError(used) ? ww_fail(e, WW_EIO, "%s: %s", path, ZSTD_getErrorName(used))
                                    : ww_write_file_atomic(path, out, used, e);
  free(out);
  return st;
}
