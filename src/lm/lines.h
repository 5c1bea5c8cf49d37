/* lines.h - a large file of lines, plain or packed with zstd, handed out in chunks of
 * whole lines.
 */
#ifndef WW_LM_LINES_H
#define WW_LM_LINES_H

#include "../base/base.h"

typedef struct ww_lines ww_lines;
/* .zst is unpacked on the way; `path` must outlive it */
ww_status ww_lines_open(const char *path, ww_lines **out, ww_err *e);
void ww_lines_close(ww_lines *l); /* accepts NULL */
/* The next lines, about 4 MiB of them, each with its newline (the last one may lack
 * it); chunk->n 0: the end. `first` is the number of the first line, from 1. The buffer
 * is the caller's and may be used again. */
ww_status ww_lines_next(ww_lines *l, ww_buf *chunk, uint64_t *first, ww_err *e);
/* The line at *at, NUL-terminated in place, without its end; *at moves to the next. */
char *ww_lines_take(char **at, const char *end, size_t *n);
/* How much of the file has been read, for a progress bar. */
void ww_lines_place(const ww_lines *l, uint64_t *done, uint64_t *total);

#endif
