/* zstd.c - packed files: contents of recorded buffers, measured tables, the learned
 * correction.
 *
 * Written: one frame with its size and a checksum of the contents. Read: any number of
 * frames, from anybody. Before a byte is unpacked all headers are walked, so that one
 * buffer of the right size takes it all; a decoder that writes straight into that
 * buffer needs no window. Memory is what the contents take, at most `max`, whatever
 * headers say: pages of the buffer that no byte goes to are never touched. */
#include "base.h"

#include <endian.h>
#include <zstd.h>
#include <zstd_errors.h>

#define SKIPPABLE 0x184d2a50u /* the last four bits are free */
#define BLOCK_MAX (128 << 10)

/* What the headers say about a file (RFC 8878, 3.1). */
typedef struct {
  size_t least,
      /* bytes of the contents: what headers promise, what blocks can hold; saturated */
      most;
  bool checked; /* every frame of contents ends with a checksum */
} outline;

static size_t add(size_t a, size_t b) {
  return a + b < a ? SIZE_MAX : a + b;
}

static uint32_t word(const unsigned char *p, size_t n) {
  uint32_t w = 0;
  memcpy(&w, p, n);
  return le32toh(w);
}

/* From *at, the first block, to behind the last one; no block holds more than
 * BLOCK_MAX. */
static bool
walk_blocks(const unsigned char *p, size_t n, size_t *at, size_t *contents) {
  bool last = false;
  while (!last) {
    if (n < 3 || *at > n - 3)
      return false;
    uint32_t header = word(p + *at, 3);
    uint32_t kind = header >> 1 & 3;
    uint32_t size = header >> 3;
    *at += 3 + (kind == 1 ? 1 : size); /* 1: one byte, repeated; 2: compressed */
    *contents = add(*contents, kind == 2 || size > BLOCK_MAX ? BLOCK_MAX : size);
    last = header & 1;
  }
  return true;
}

/* The frame at p, to *end. Frames of zstd before 0.8 are refused: their decoders are
 * not for files of strangers. */
static bool walk_frame(const unsigned char *p, size_t n, size_t *end, outline *o) {
  if (n >= 8 && (word(p, 4) & ~15u) == SKIPPABLE) {
    *end = (size_t)word(p + 4, 4) + 8;
    return *end <= n;
  }
  if (n < 6 || word(p, 4) != ZSTD_MAGICNUMBER)
    return false;
  bool single = p[4] & 0x20, checked = p[4] & 4;
  const size_t id_bytes[] = {0, 1, 2, 4};
  const size_t size_bytes[] = {single, 2, 4, 8};
  unsigned long long said = ZSTD_getFrameContentSize(p, n);
  size_t held = 0;
  *end = 5 + !single + id_bytes[p[4] & 3] + size_bytes[p[4] >> 6];
  if (said == ZSTD_CONTENTSIZE_ERROR || !walk_blocks(p, n, end, &held))
    return false;
  if (said != ZSTD_CONTENTSIZE_UNKNOWN && said > held)
    return false;
  o->least = add(o->least, said == ZSTD_CONTENTSIZE_UNKNOWN ? 0 : said);
  o->most = add(o->most, said == ZSTD_CONTENTSIZE_UNKNOWN ? held : said);
  o->checked &= checked;
  *end += checked ? 4 : 0;
  return *end <= n;
}

static bool walk(const char *in, size_t n, outline *o) {
  *o = (outline){.checked = true};
  for (size_t at = 0, frame; at < n; at += frame)
    if (!walk_frame((const unsigned char *)in + at, n - at, &frame, o))
      return false;
  return n > 0;
}

/* Under a limit on memory a file that is too large for it is an error of the file, not
 * the end of the program. */
static bool room_for(size_t bytes) {
  /* volatile: or the compiler leaves both calls out */
  void *volatile p = malloc(bytes);
  bool there = p;
  free(p);
  return there;
}

typedef struct {
  ww_arena *a;
  const char *root, *path; /* below the root; NULL: anywhere */
  size_t max;              /* of the unpacked bytes */
  bool checked;            /* a checksum must be there */
} reading;

static ww_status unpack(
    const reading *r, const char *in, size_t in_n, char **data, size_t *n, ww_err *e) {
  const char *path = r->path;
  outline o;
  if (!walk(in, in_n, &o))
    return ww_fail(
        e, WW_EDATA,
        "%s: not a zstd file, or damaged, or not written to its end; get it again",
        path);
  if (r->checked && !o.checked)
    return ww_fail(e, WW_EDATA,
                   "%s: packed without a checksum, damage would not be seen; pack it "
                   "with `zstd --check`",
                   path);
  if (o.least > r->max)
    return ww_fail(e, WW_ELIMIT, "%s: more than %zu bytes when unpacked", path, r->max);
  size_t cap = o.most < r->max ? o.most : r->max;
  if (!room_for(cap + 1))
    return ww_fail(e, WW_ELIMIT, "%s: no memory for its %zu bytes", path, cap);
  char *out = ww_alloc(r->a, cap + 1);
  size_t used = ZSTD_decompress(out, cap, in, in_n);
  if (ZSTD_isError(used))
    return cap < o.most && ZSTD_getErrorCode(used) == ZSTD_error_dstSize_tooSmall
               ? ww_fail(e, WW_ELIMIT, "%s: more than %zu bytes when unpacked", path,
                         r->max)
               : ww_fail(e, WW_EDATA,
                         "%s: not a zstd file, or damaged (%s); get it again", path,
                         ZSTD_getErrorName(used));
  out[used] = 0;
  *data = out;
  *n = used;
  return WW_OK;
}

static bool packed(const char *path) {
  size_t n = strlen(path);
  return n >= 4 && !strcmp(path + n - 4, ".zst");
}

static ww_status read_packed(const reading *r, char **data, size_t *n, ww_err *e) {
  if (!packed(r->path))
    return ww_read_below(r->a, r->root, r->path, r->max, data, n, e);
  ww_arena *scratch = ww_arena_new();
  char *in;
  size_t in_n;
  ww_status st = ww_read_below(scratch, r->root, r->path, r->max, &in, &in_n, e);
  if (!st)
    st = unpack(r, in, in_n, data, n, e);
  ww_arena_free(scratch);
  return st;
}

ww_status ww_read_packed(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  return read_packed(&(reading){a, NULL, path, max, false}, data, n, e);
}

ww_status ww_read_packed_below(ww_arena *a,
                               const char *root,
                               const char *path,
                               size_t max,
                               char **data,
                               size_t *n,
                               ww_err *e) {
  return read_packed(&(reading){a, root, path, max, false}, data, n, e);
}

ww_status ww_read_checked(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  return read_packed(&(reading){a, NULL, path, max, true}, data, n, e);
}

static size_t pack(void *out, size_t cap, const void *data, size_t n, int level) {
  ZSTD_CCtx *z = ZSTD_createCCtx();
  if (!z)
    return -ZSTD_error_memory_allocation;
  ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
  size_t used = ZSTD_compress2(z, out, cap, data, n);
  ZSTD_freeCCtx(z);
  return used;
}

ww_status
ww_write_packed(const char *path, const void *data, size_t n, int level, ww_err *e) {
  size_t cap = ZSTD_compressBound(n);
  void *out = ww_xmalloc(cap);
  size_t used = pack(out, cap, data, n, level);
  ww_status st = ZSTD_isError(used)
                     ? ww_fail(e, WW_EIO, "%s: %s", path, ZSTD_getErrorName(used))
                     : ww_write_file_atomic(path, out, used, e);
  free(out);
  return st;
}
