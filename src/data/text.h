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

static inline uint64_t ww_text_hash(const char *s, uint64_t seed) {
  return ww_hash(s, strlen(s), seed);
}

/* A launch's flags, a space before each. */
static inline const char *ww_text_flags(const ww_launch *l, ww_arena *a) {
  const char *s = "";
  for (uint32_t k = 0; k < l->nflags; k++)
    s = ww_fmt(a, "%s %s", s, l->flags[k]);
  return s;
}

/* A launch spec as JSON. */
static inline char *ww_text_launch(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_launch_write(l, &(ww_json){.out = &b});
  return ww_text_take(&b, a);
}

#endif
