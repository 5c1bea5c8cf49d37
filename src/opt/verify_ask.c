/* verify_ask.c - see verify_ask.h.
 *
 * Sources are read in this process, where they are kept. What the child writes begins
 * with a status: behind WW_OK the object, else the error's file, line and message, a
 * line each. */
#include "verify_ask.h"

#include <stdlib.h>

#include "../base/child.h"
#include "../base/json_put.h"

#define MOST_BYTES (2ull << 30) /* of the child's memory */

typedef struct {
  const ww_verify_request *q;
  const ww_verify_side *side;
  const char *root;
} job;

static void write_verdict(const ww_verdict *v, const ww_verify_side *s, ww_buf *out) {
  ww_json j = {.out = out};
  ww_buf text = {0};
  ww_verdict_print(v, &s[0], &s[1], &text);
  ww_json_put(&j, "{old:{kernel:%s,file?:%s},new:{kernel:%s,file?:%s}", s[0].fn->name,
              s[0].fn->file, s[1].fn->name, s[1].fn->file);
  ww_verdict_write(v, &j);
  ww_json_put(&j, "text:%s}", text.s);
  ww_buf_free(&text);
}

static void work(void *ctx, ww_buf *out) {
  const job *x = ctx;
  ww_arena *a = ww_arena_new();
  ww_verify_options how = x->q->how;
  ww_verdict v;
  ww_err e = {0};
  how.cancelled = NULL; /* this process is ended */
  how.root = x->root;
  ww_status st = ww_verify(&x->side[0], &x->side[1], &how, a, &v, &e);
  ww_buf_fmt(out, "%d\n", st);
  if (st)
    ww_buf_fmt(out, "%s\n%u\n%s", e.file ? e.file : "", e.line, e.msg);
  else
    write_verdict(&v, x->side, out);
  ww_arena_free(a);
}

static ww_status told(char *text, ww_arena *a, const char **json, ww_err *e) {
  ww_status st = atoi(strsep(&text, "\n"));
  if (!st) {
    *json = ww_strdup(a, text);
    return WW_OK;
  }
  const char *file = strsep(&text, "\n");
  uint32_t line = text ? (uint32_t)atoi(strsep(&text, "\n")) : 0;
  ww_fail(e, st, "%s", text ? text : "the comparison ended early");
  e->file = *file ? ww_strdup(a, file) : NULL;
  e->line = line;
  return st;
}

static ww_status read_side(ww_query *w,
                           const ww_verify_request *q,
                           int side,
                           const char *kernel,
                           ww_query_unit *unit,
                           ww_verify_side *out,
                           ww_arena *a,
                           ww_err *e) {
  ww_query_kernel k = {0};
  ww_source s = q->source[side];
  s.as_written = true; /* names and expressions follow the sizes */
  ww_status st = ww_query_read(w, &s, q->deadline, a, unit, e);
  *out = (ww_verify_side){0};
  if (st)
    return st;
  if (q->launch[side])
    ww_launch_copy(q->launch[side], a, &k.launch);
  k.launch.kernel = kernel;
  k.launch.file = s.path;
  if (side && !q->kernel[1] && !ww_ir_find(&unit->unit->module, kernel))
    k.launch.kernel = NULL;
  st = ww_query_launch(w, unit, q->deadline, a, &k, e);
  *out = (ww_verify_side){&unit->unit->module, k.fn, k.launch};
  return st;
}

ww_status ww_verify_ask(ww_query *w,
                        const ww_verify_request *q,
                        ww_arena *a,
                        const char **json,
                        ww_err *e) {
  ww_query_unit unit[2] = {0};
  ww_verify_side side[2] = {0};
  ww_buf out = {0};
  ww_status st = read_side(w, q, 0, q->kernel[0], &unit[0], &side[0], a, e);
  if (!st) {
    const char *kernel = q->kernel[1] ? q->kernel[1] : side[0].fn->name;
    st = read_side(w, q, 1, kernel, &unit[1], &side[1], a, e);
  }
  job x = {q, side, ww_query_root(w)};
  if (!st)
    st = ww_child_run(&(ww_child){.work = work,
                                  .ctx = &x,
                                  .deadline = q->deadline,
                                  .bytes = MOST_BYTES,
                                  .cancelled = q->how.cancelled,
                                  .cancelled_ctx = q->how.ctx},
                      &out, e);
  if (!st)
    st = told(out.s, a, json, e);
  ww_buf_free(&out);
  for (int s = 0; s < 2; s++)
    ww_query_release(w, &unit[s]);
  return st;
}
