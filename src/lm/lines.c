/* lines.c - chunks of whole lines from plain or packed files, so that many threads can
 * parse while one reads.
 *
 * Invariant: a chunk ends with a newline, unless it is the last of the file; what was
 * read behind that waits in `rest`. */
#include "lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

enum { CHUNK = 4 << 20, PIECE = 1 << 20, LONGEST_LINE = 256 << 20 };

struct ww_lines {
  const char *const *paths; /* the file that is read, then those that follow */
  int fd;                   /* -1: none is open */
  ZSTD_DStream *z;          /* NULL: plain */
  char *packed;             /* PIECE bytes as the file has them */
  ZSTD_inBuffer in;
  bool ended;    /* the file has no more bytes */
  bool inside;   /* of a zstd frame */
  ww_buf rest;   /* the begin of the next line */
  uint64_t line; /* of the next chunk */
  uint64_t done, total;
};

static ww_status look_for(const char *path, uint64_t *bytes, ww_err *e) {
  struct stat st;
  if (stat(path, &st))
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return ww_fail(e, WW_EIO, "'%s' is a folder, not a file of JSON lines", path);
  *bytes += S_ISREG(st.st_mode) ? st.st_size : 0;
  return WW_OK;
}

static void leave(ww_lines *l) {
  if (l->fd >= 0)
    close(l->fd);
  ZSTD_freeDStream(l->z);
  l->fd = -1;
  l->z = NULL;
}

static ww_status enter(ww_lines *l, ww_err *e) {
  const char *path = *l->paths;
  leave(l);
  l->fd = open(path, O_RDONLY | O_CLOEXEC);
  if (l->fd < 0)
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", path, strerror(errno));
  if (ww_ends(path, ".zst")) {
    l->z = ZSTD_createDStream();
    l->packed = l->packed ? l->packed : ww_xmalloc(PIECE);
  }
  l->in = (ZSTD_inBuffer){0};
  l->ended = l->inside = false;
  l->line = 1;
  return WW_OK;
}

ww_status ww_lines_open(const char *const *paths, ww_lines **out, ww_err *e) {
  ww_lines *l = ww_xcalloc(1, sizeof *l);
  *l = (ww_lines){.paths = paths, .fd = -1};
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && paths[k]; k++)
    st = look_for(paths[k], &l->total, e);
  if (!st)
    st = enter(l, e);
  *out = st ? NULL : l;
  if (st)
    ww_lines_close(l);
  return st;
}

void ww_lines_close(ww_lines *l) {
  if (!l)
    return;
  leave(l);
  free(l->packed);
  ww_buf_free(&l->rest);
  free(l);
}

void ww_lines_place(const ww_lines *l, uint64_t *done, uint64_t *total) {
  *done = l->done;
  *total = l->total;
}

static ww_status read_some(ww_lines *l, void *to, size_t most, size_t *got, ww_err *e) {
  ssize_t n;
  do
    n = read(l->fd, to, most);
  while (n < 0 && errno == EINTR);
  if (n < 0)
    return ww_fail(e, WW_EIO, "cannot read '%s': %s", *l->paths, strerror(errno));
  *got = n;
  l->done += n;
  return WW_OK;
}

static void reserve(ww_buf *b, size_t more) { /* room behind b->n, and for a NUL */
  if (b->n + more + 1 <= b->cap)
    return;
  b->cap = b->n + more + 1 > 2 * b->cap ? b->n + more + 1 : 2 * b->cap;
  b->s = ww_xrealloc(b->s, b->cap);
}

static ww_status add_plain(ww_lines *l, ww_buf *b, ww_err *e) {
  size_t got = 0;
  reserve(b, PIECE);
  ww_status st = read_some(l, b->s + b->n, PIECE, &got, e);
  b->n += got;
  if (!st && !got)
    l->ended = true;
  return st;
}

static ww_status add_packed(ww_lines *l, ww_buf *b, ww_err *e) {
  if (l->in.pos == l->in.size) {
    size_t got = 0;
    ww_status st = read_some(l, l->packed, PIECE, &got, e);
    if (st)
      return st;
    if (!got && l->inside)
      return ww_fail(e, WW_EDATA,
                     "%s: ends in the middle; it was not written to its end",
                     *l->paths);
    if (!got)
      return l->ended = true, WW_OK;
    l->in = (ZSTD_inBuffer){l->packed, got, 0};
  }
  reserve(b, PIECE);
  ZSTD_outBuffer to = {b->s + b->n, PIECE, 0};
  size_t left = ZSTD_decompressStream(l->z, &to, &l->in);
  if (ZSTD_isError(left))
    return ww_fail(e, WW_EDATA, "%s: not a zstd file, or damaged (%s)", *l->paths,
                   ZSTD_getErrorName(left));
  l->inside = left != 0;
  b->n += to.pos;
  return WW_OK;
}

/* Behind the last newline of b from `from` on; 0: there is none. */
static size_t end_of_lines(const ww_buf *b, size_t from) {
  const char *at = b->n > from ? memrchr(b->s + from, '\n', b->n - from) : NULL;
  return at ? (at - b->s) + 1 : 0;
}

static uint64_t count_lines(const char *s, size_t n) {
  uint64_t lines = 0;
  for (size_t k = 0; k < n; k++)
    lines += s[k] == '\n';
  return lines;
}

char *ww_lines_take(char **at, const char *end, size_t *n) {
  char *line = *at, *stop = memchr(line, '\n', end - line);
  if (!stop)
    stop = (char *)end;
  *at = stop < end ? stop + 1 : stop;
  if (stop > line && stop[-1] == '\r')
    stop--;
  *stop = 0;
  *n = stop - line;
  return line;
}

static ww_status
next_of_file(ww_lines *l, ww_buf *chunk, ww_lines_at *first, ww_err *e) {
  size_t end = 0, seen = 0;
  ww_status st = WW_OK;
  chunk->n = 0;
  reserve(chunk, CHUNK);
  if (l->rest.n)
    ww_buf_add(chunk, l->rest.s, l->rest.n);
  l->rest.n = 0;
  while (!st && !l->ended && (chunk->n < CHUNK || !end)) {
    st = l->z ? add_packed(l, chunk, e) : add_plain(l, chunk, e);
    size_t here = end_of_lines(chunk, seen);
    if (here)
      end = here;
    seen = chunk->n;
    if (!st && chunk->n - end > LONGEST_LINE)
      st = ww_fail(e, WW_ELIMIT,
                   "%s: a line of more than %d MiB; is it JSON lines, one object each?",
                   *l->paths, LONGEST_LINE >> 20);
  }
  if (l->ended)
    end = chunk->n;
  if (!st && end < chunk->n)
    ww_buf_add(&l->rest, chunk->s + end, chunk->n - end);
  chunk->n = end;
  chunk->s[end] = 0;
  *first = (ww_lines_at){*l->paths, l->line};
  l->line += count_lines(chunk->s, end);
  return st;
}

ww_status ww_lines_next(ww_lines *l, ww_buf *chunk, ww_lines_at *first, ww_err *e) {
  ww_status st = next_of_file(l, chunk, first, e);
  while (!st && !chunk->n && l->paths[1]) {
    l->paths++;
    st = enter(l, e);
    if (!st)
      st = next_of_file(l, chunk, first, e);
  }
  return st;
}
