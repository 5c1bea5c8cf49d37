/* api_int.h - what the files of the C interface share. include/warpwise.h is the
 * contract; here it meets the workspace. */
#ifndef WW_API_INT_H
#define WW_API_INT_H

#include <locale.h>

#include "../report/launch.h"
#include "../query/query.h"
#include "warpwise.h"

struct warpwise_context {
  ww_query *workspace;
  /* version of the interface that the program was compiled with: members that came
   * later are not read */
  uint32_t api;
};

struct warpwise_launch {
  ww_arena *arena;
  ww_launch spec;
  uint32_t cap; /* of spec.args; 0: they are somebody else's array */
};

/* context.c */
/* Numbers in JSON and expressions have a point whatever the host program's locale is:
 * of this thread, until ww_api_leave. */
locale_t ww_api_enter(void);
void ww_api_leave(locale_t before);
/* Copies to the caller's error (may be NULL); returns the code. */
warpwise_status ww_api_fail(const ww_err *e, warpwise_error *out);
/* The source as the workspace takes it: an absolute path below the root, a name for a
 * text without one. */
ww_status ww_api_source(const warpwise_context *c,
                        const warpwise_source *s,
                        ww_arena *a,
                        ww_source *out,
                        ww_err *e);

#endif
