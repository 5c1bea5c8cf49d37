/* lsp_lens.c - the line above each kernel, and what hot lines cost behind them. */
#include "lsp_int.h"

#define PATIENCE \
  1.0 /* seconds until an editor that can be told later gets lenses without numbers */

ww_lsp_analysis *ww_lsp_asked(ww_lsp *s, ww_rpc_call *c, double patience) {
  const char *uri = ww_lsp_uri(c);
  if (uri && ww_lsp_is_open(s, uri))
    return ww_lsp_await(s, c, uri, patience);
  /* no document of ours: others have something to say about it */
  if (uri)
    ww_rpc_result(c, "null");
  else
    ww_rpc_fail(c, &(ww_err){.code = WW_EUSAGE, .msg = "textDocument.uri is missing"});
  return NULL;
}

/* ---- lenses ---- */

static void write_lens(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_json *j) {
  ww_buf title = {0};
  ww_position at = {k->first - 1, 0};
  ww_show_headline(a, k, &title);
  ww_json_obj(j);
  ww_range_write(j, at, at);
  ww_json_put(j,
              "command:{title:%s,command:'warpwise.showReport',arguments:[{uri:%s,"
              "kernel:%s,line:%u,show:true}]}}",
              title.s, a->uri, k->mangled, k->line - 1);
  ww_buf_free(&title);
}

void ww_lsp_code_lens(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_lens ? PATIENCE : 0);
  if (!a)
    return;
  ww_json j = {0};
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->code_lens && k < a->nkernels; k++)
    if (a->v[k].here && a->v[k].line)
      write_lens(a, &a->v[k], &j);
  ww_json_end_arr(&j);
  ww_rpc_answer(c, &j);
  ww_lsp_let_go(s, a);
}

/* ---- hints ---- */

static void write_hint(const ww_lsp_analysis *a,
                       const ww_lsp_kernel *k,
                       const ww_report_line *l,
                       ww_json *j) {
  size_t begin;
  size_t end;
  ww_buf label = {0};
  ww_buf tip = {0};
  if (!ww_text_line(a->text, a->n, l->line - 1, &begin, &end))
    return;
  while (end > begin && strchr(" \t", a->text[end - 1]))
    end--;
  ww_show_line(l, true, &label);
  ww_buf_fmt(&tip, "%s on %s: ", k->name, ww_show_gpu(a->gpu));
  ww_show_line(l, false, &tip);
  ww_position at = ww_text_position(a->text, a->n, end);
  ww_json_put(j,
              "{position:{line:%u,character:%u},label:%s,tooltip:%s,paddingLeft:true}",
              at.line, at.col, label.s, tip.s);
  ww_buf_free(&label);
  ww_buf_free(&tip);
}

/* Of a line that several kernels have (instances, inlined functions) the one that
 * spends most there. */
static bool
is_shown(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_report_line *l) {
  if (!l->line || 100 * l->share < a->settings->hint_percent)
    return false;
  for (uint32_t i = 0; i < a->nkernels; i++)
    for (uint32_t n = 0; n < a->v[i].nlines; n++) {
      const ww_report_line *other = &a->v[i].lines[n];
      if (other->line != l->line || other == l)
        continue;
      if (other->share > l->share || (other->share == l->share && &a->v[i] < k))
        return false;
    }
  return true;
}

void ww_lsp_inlay_hint(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_position from = {0};
  ww_position to = {UINT32_MAX, 0};
  ww_range_read(ww_rpc_params(c), &from, &to);
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_hints ? PATIENCE : 0);
  if (!a)
    return;
  ww_json j = {0};
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->inlay_hints && k < a->nkernels; k++)
    for (uint32_t n = 0; n < a->v[k].nlines; n++) {
      const ww_report_line *l = &a->v[k].lines[n];
      if (l->line - 1 >= from.line && l->line - 1 <= to.line &&
          is_shown(a, &a->v[k], l))
        write_hint(a, &a->v[k], l, &j);
    }
  ww_json_end_arr(&j);
  ww_rpc_answer(c, &j);
  ww_lsp_let_go(s, a);
}
