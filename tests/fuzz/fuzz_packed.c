/* fuzz_packed.c - any bytes as a file packed with zstd: what was packed, at most as
 * much as may be, or a message. */
#include "fuzz.h"

#include <zstd.h>

#define MOST 65536

int fuzz_packed(const uint8_t *data, size_t n) {
  ww_arena *a = ww_arena_new();
  char *out = NULL;
  size_t size = 0;
  ww_err e = {0};
  if (ww_read_packed(a, fuzz_file("f.zst", data, n), MOST, &out, &size, &e))
    fuzz_must(e.msg[0]);
  else
    fuzz_must(size <= MOST && !out[size]);
  ww_arena_free(a);
  return 0;
}

/* A changed text, packed: frames hardly survive a change of their own bytes. */
size_t fuzz_packed_mutate(uint8_t *data, size_t n, size_t max, unsigned seed) {
  uint8_t text[4096], out[ZSTD_COMPRESSBOUND(sizeof text)];
  size_t got = seed % 3 ? ZSTD_decompress(text, sizeof text, data, n) : 0;
  if (!(seed % 3) || ZSTD_isError(got))
    return LLVMFuzzerMutate(data, n, max);
  got = LLVMFuzzerMutate(text, got, sizeof text);
  ZSTD_CCtx *c = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, seed >> 4 & 1);
  ZSTD_CCtx_setParameter(c, ZSTD_c_contentSizeFlag, seed >> 5 & 1);
  size_t used = ZSTD_compress2(c, out, sizeof out, text, got);
  ZSTD_freeCCtx(c);
  if (ZSTD_isError(used) || used > max)
    return n;
  memcpy(data, out, used);
  return used;
}
