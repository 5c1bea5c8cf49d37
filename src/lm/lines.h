/* lines.h - large files of lines, one behind the other, plain or packed with zstd,
 * handed out in chunks of whole lines. */
#ifndef WW_LM_LINES_H
#define WW_LM_LINES_H

#include "../base/base.h"

typedef struct ww_lines ww_lines;
/* .zst is unpacked on the way; `paths`, NULL behind the last, must outlive it. All are
 * looked for before the first is read. */
ww_status ww_lines_open(const char *const *paths, ww_lines **out, ww_err *e);
void ww_lines_close(ww_lines *l); /* accepts NULL */
/* The next lines, about 4 MiB of them, each with its newline (the last one may lack
 * it), all of one file; chunk->n 0: the end. `first` is where the first one stands. The
 * buffer is the caller's and may be used again. */
typedef struct {
  const char *path;
  uint64_t line; /* from 1 */
} ww_lines_at;
ww_status ww_lines_next(ww_lines *l, ww_buf *chunk, ww_lines_at *first, ww_err *e);
/* The line at *at, NUL-terminated in place, without its end; *at moves to the next. */
char *ww_lines_take(char **at, const char *end, size_t *n);
/* How much of all files has been read, for a progress bar. */
void ww_lines_place(const ww_lines *l, uint64_t *done, uint64_t *total);

#endif
