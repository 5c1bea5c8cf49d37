/* verify_ask.h - verify for those who serve others: two sources in, a verdict as JSON
 * out, worked out in a process of its own. */
#ifndef WW_OPT_VERIFY_ASK_H
#define WW_OPT_VERIFY_ASK_H

#include "../query/query.h"
#include "verify.h"

typedef struct {
  ww_source source[2]; /* old, new */
  /* NULL: the only one; of the new one: that of the old one's name, else the only one
   */
  const char *kernel[2];
  const ww_launch *launch[2]; /* what is known of it; NULL: nothing */
  double deadline;            /* ww_now's clock; 0: none */
  ww_verify_options how;
} ww_verify_request;

/* *json, in the arena: an object with the verdict's members, `old`, `new`, and `text`
 * for a person. */
ww_status ww_verify_ask(
    ww_query *w, const ww_verify_request *q, ww_arena *a, const char **json, ww_err *e);

#endif
