/* export_file.c - the file an export goes to: beside its place until it is whole,
 * packed where its name says so. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <zstd.h>

#include "export_int.h"
#include "text.h"

enum { LEVEL = 9 };

struct ww_sink {
  ww_arena *a; /* holds all of it */
  FILE *f;
  const char *path, *part; /* path NULL: stdout */
  int slot;                /* of part, for cleaning up */
  ZSTD_CStream *z;         /* NULL: plain */
  char *scratch;
  size_t scratch_n;
};

ww_status ww_sink_open(const char *path, ww_sink **out, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_sink *s = *out = WW_NEW(a, ww_sink);
  size_t n = strlen(path);
  s->a = a;
  if (!strcmp(path, "-")) {
    s->f = stdout;
    return WW_OK;
  }
  s->path = ww_strdup(a, path);
  s->part = ww_fmt(a, "%s.part", path);
  s->slot = ww_cleanup_file(s->part);
  s->f = fopen(s->part, "wb");
  if (!s->f) {
    ww_status st = ww_fail(e, WW_EIO, "cannot write %s: %s", path, strerror(errno));
    ww_cleanup_forget(s->slot);
    ww_arena_free(a);
    *out = NULL;
    return st;
  }
  if (n > 4 && !strcmp(path + n - 4, ".zst")) {
    s->z = ZSTD_createCStream();
    if (!s->z || ZSTD_isError(ZSTD_initCStream(s->z, LEVEL)))
      ww_out_of_memory(sizeof s->z);
    ZSTD_CCtx_setParameter(s->z, ZSTD_c_checksumFlag, 1);
    s->scratch_n = ZSTD_CStreamOutSize();
    s->scratch = ww_alloc(a, s->scratch_n);
  }
  return WW_OK;
}

static ww_status put(ww_sink *s, const void *bytes, size_t n, ww_err *e) {
  if (n && fwrite(bytes, 1, n, s->f) != n)
    return ww_fail(e, WW_EIO, "cannot write %s: %s", s->path ? s->path : "to stdout",
                   strerror(errno));
  return WW_OK;
}

static ww_status
pack(ww_sink *s, const char *bytes, size_t n, ZSTD_EndDirective how, ww_err *e) {
  ZSTD_inBuffer in = {bytes, n, 0};
  size_t left;
  do {
    ZSTD_outBuffer to = {s->scratch, s->scratch_n, 0};
    left = ZSTD_compressStream2(s->z, &to, &in, how);
    if (ZSTD_isError(left))
      return ww_fail(e, WW_EIO, "cannot pack %s: %s", s->path, ZSTD_getErrorName(left));
    ww_status st = put(s, s->scratch, to.pos, e);
    if (st)
      return st;
  } while (how == ZSTD_e_end ? left > 0 : in.pos < in.size);
  return WW_OK;
}

ww_status ww_sink_add(ww_sink *s, const ww_buf *b, ww_err *e) {
  return s->z ? pack(s, b->s, b->n, ZSTD_e_continue, e) : put(s, b->s, b->n, e);
}

FILE *ww_sink_file(ww_sink *s) {
  return s->f;
}

ww_status ww_sink_close(ww_sink *s, bool good, ww_err *e) {
  ww_status st = WW_OK;
  if (!s)
    return WW_OK;
  if (good && s->z)
    st = pack(s, "", 0, ZSTD_e_end, e);
  if (!s->path)
    fflush(s->f);
  else {
    bool sound = !ferror(s->f);
    sound = fclose(s->f) == 0 && sound;
    if (good && !st && (!sound || rename(s->part, s->path)))
      st = ww_fail(e, WW_EIO, "cannot write %s: %s", s->path, strerror(errno));
    if (!good || st)
      unlink(s->part);
    ww_cleanup_forget(s->slot);
  }
  ZSTD_freeCStream(s->z);
  ww_arena_free(s->a);
  return st;
}

static size_t next_name(const char *s) {
  size_t n = strcspn(s, "/");
  return n + (s[n] == '/');
}

const char *ww_path_from(const char *from, const char *path, ww_arena *a) {
  char *base = realpath(strcmp(from, "-") ? ww_path_dir(a, from) : ".", NULL);
  char *to = realpath(path, NULL);
  const char *result = path;
  if (base && to) {
    const char *x = base + 1;
    const char *y = to + 1;
    ww_buf b = {0};
    while (*x && *y && strcspn(x, "/") == strcspn(y, "/") &&
           !strncmp(x, y, strcspn(x, "/"))) {
      x += next_name(x);
      y += next_name(y);
    }
    for (; *x; x += next_name(x))
      ww_buf_puts(&b, "../");
    if (!*y && b.n)
      b.s[--b.n] = 0; /* a folder above: no slash behind it */
    else
      ww_buf_puts(&b, *y ? y : ".");
    result = ww_text_take(&b, a);
  }
  free(base);
  free(to);
  return result;
}
