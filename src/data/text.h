/* text.h - texts that are built in a buffer and stay in an arena. */
#ifndef WW_DATA_TEXT_H
#define WW_DATA_TEXT_H

#include "../report/launch.h"

/* The buffer's text; the buffer is freed. */
static inline char *ww_text_take(ww_buf *b, ww_arena *a) {
  char *text = ww_strdup(a, b->s);
  ww_buf_free(b);
  return text;
}

/* A launch spec as JSON. */
static inline char *ww_text_launch(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_launch_write(l, &(ww_json){.out = &b});
  return ww_text_take(&b, a);
}

#endif
