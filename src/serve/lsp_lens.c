/* lsp_lens.c - the line above each kernel, and what hot lines cost behind them. */
#include "lsp_int.h"

#define PATIENCE \
  1.0 /* seconds until an editor that can be told later gets lenses without numbers */

static const char *document_of(ww_rpc_call *c) {
  const cJSON *d = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "textDocument");
  const cJSON *uri = cJSON_GetObjectItemCaseSensitive(d, "uri");
  return cJSON_IsString(uri) ? uri->valuestring : NULL;
}

ww_lsp_analysis *ww_lsp_asked(ww_lsp *s, ww_rpc_call *c, double patience) {
  const char *uri = document_of(c);
  ww_err e = {0};
  if (!uri) {
    ww_fail(&e, WW_EUSAGE, "textDocument.uri is missing");
    ww_rpc_fail(c, &e);
    return NULL;
  }
  pthread_mutex_lock(&s->lock);
  bool open = ww_lsp_find(s, uri) != NULL;
  pthread_mutex_unlock(&s->lock);
  if (open)
    return ww_lsp_await(s, c, uri, patience);
  ww_rpc_result(c, "null"); /* no document of ours: others have something to say about it */
  return NULL;
}

/* ---- lenses ---- */

static void write_lens(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_json *j) {
  ww_buf title = {0};
  ww_position at = {k->first - 1, 0};
  ww_show_headline(a, k, &title);
  ww_json_obj(j);
  ww_range_write(j, "range", at, at);
  ww_json_key(j, "command");
  ww_json_obj(j);
  ww_json_kstr(j, "title", title.s);
  ww_json_kstr(j, "command", "warpwise.showReport");
  ww_json_key(j, "arguments");
  ww_json_arr(j);
  ww_json_obj(j);
  ww_json_kstr(j, "uri", a->uri);
  ww_json_kstr(j, "kernel", k->mangled);
  ww_json_kuint(j, "line", k->line - 1);
  ww_json_kbool(j, "show", true);
  ww_json_end_obj(j);
  ww_json_end_arr(j);
  ww_json_end_obj(j);
  ww_json_end_obj(j);
  ww_buf_free(&title);
}

void ww_lsp_code_lens(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_lens ? PATIENCE : 0);
  if (!a)
    return;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->code_lens && k < a->nkernels; k++)
    if (a->v[k].here && a->v[k].line)
      write_lens(a, &a->v[k], &j);
  ww_json_end_arr(&j);
  ww_rpc_result(c, b.s);
  ww_buf_free(&b);
  ww_lsp_let_go(s, a);
}

/* ---- hints ---- */

static void write_hint(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_lsp_line *l,
                       ww_json *j) {
  size_t begin, end;
  ww_buf label = {0}, tip = {0};
  if (!ww_text_line(a->text, a->n, l->line - 1, &begin, &end))
    return;
  while (end > begin && strchr(" \t", a->text[end - 1]))
    end--;
  ww_show_line(l, true, &label);
  ww_buf_fmt(&tip, "%s on %s: ", k->name, ww_show_gpu(a->gpu));
  ww_show_line(l, false, &tip);
  ww_json_obj(j);
  ww_json_key(j, "position");
  ww_position_write(j, ww_text_position(a->text, a->n, end));
  ww_json_kstr(j, "label", label.s);
  ww_json_kstr(j, "tooltip", tip.s);
  ww_json_kbool(j, "paddingLeft", true);
  ww_json_end_obj(j);
  ww_buf_free(&label);
  ww_buf_free(&tip);
}

/* Of a line that several kernels have (instances, inlined functions) the one that spends most
 * there. */
static bool is_shown(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_lsp_line *l) {
  if (!l->line || 100 * l->share < a->settings->hint_percent)
    return false;
  for (uint32_t i = 0; i < a->nkernels; i++)
    for (uint32_t n = 0; n < a->v[i].nlines; n++) {
      const ww_lsp_line *other = &a->v[i].lines[n];
      if (other->line != l->line || other == l)
        continue;
      if (other->share > l->share || (other->share == l->share && &a->v[i] < k))
        return false;
    }
  return true;
}

void ww_lsp_inlay_hint(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  const cJSON *range = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "range");
  ww_position from = {0}, to = {UINT32_MAX, 0};
  ww_position_read(cJSON_GetObjectItemCaseSensitive(range, "start"), &from);
  ww_position_read(cJSON_GetObjectItemCaseSensitive(range, "end"), &to);
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_hints ? PATIENCE : 0);
  if (!a)
    return;
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->inlay_hints && k < a->nkernels; k++)
    for (uint32_t n = 0; n < a->v[k].nlines; n++) {
      const ww_lsp_line *l = &a->v[k].lines[n];
      if (l->line - 1 >= from.line && l->line - 1 <= to.line && is_shown(a, &a->v[k], l))
        write_hint(a, &a->v[k], l, &j);
    }
  ww_json_end_arr(&j);
  ww_rpc_result(c, b.s);
  ww_buf_free(&b);
  ww_lsp_let_go(s, a);
}
