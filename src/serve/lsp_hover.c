/* lsp_hover.c - the report under the pointer: of the kernel where it is declared, of a
 * line where it is hot.
 *
 * Elsewhere nothing: names and types are other servers' to explain. */
#include "lsp_int.h"

static void
hot_line(const ww_lsp_analysis *a, const ww_lsp_kernel *k, uint32_t line, ww_buf *out) {
  uint32_t n = 0;
  while (n < k->nlines && k->lines[n].line != line)
    n++;
  const ww_report_line *l = &k->lines[n];
  if (n == k->nlines || 100 * l->share < a->settings->hint_percent)
    return;
  if (out->n)
    ww_buf_puts(out, "\n\n");
  ww_buf_fmt(out, "**%s** on %s: ", k->name, ww_show_gpu(a->gpu));
  ww_show_line(l, false, out);
  ww_buf_puts(out, "\n");
  for (uint32_t i = 0; i < k->report.nfindings; i++) {
    const ww_finding *f = &k->report.findings[i];
    if (f->line != line || (f->file && strcmp(f->file, a->path) != 0))
      continue;
    ww_buf_fmt(out, "\n- **%.2g\u00d7 faster** %s\n", f->gain, f->message);
  }
}

/* Tables in a client that shows plain text are read as they are. */
static void answer(const ww_lsp *s,
                   ww_rpc_call *c,
                   const ww_buf *text,
                   uint32_t first,
                   uint32_t last) {
  ww_json j = {0};
  ww_json_put(&j, "{contents:{kind:%s,value:%s}",
              s->can.markdown ? "markdown" : "plaintext", text->s);
  ww_range_write(&j, (ww_position){first - 1, 0}, (ww_position){last, 0});
  ww_json_end_obj(&j);
  ww_rpc_answer(c, &j);
}

void ww_lsp_hover(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_position at;
  if (!ww_position_read(cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "position"),
                        &at))
    return ww_rpc_fail(c, &(ww_err){.code = WW_EUSAGE, .msg = "position is missing"});
  ww_lsp_analysis *a = ww_lsp_asked(s, c, 0);
  if (!a)
    return;
  ww_buf text = {0};
  uint32_t line = at.line + 1;
  uint32_t first = line;
  uint32_t last = line;
  for (uint32_t i = 0; a->settings->hover && i < a->nkernels; i++) {
    const ww_lsp_kernel *k = &a->v[i];
    if (k->here && line >= k->first && line <= k->body) {
      if (text.n)
        ww_buf_puts(&text, "\n\n---\n\n");
      ww_show_table(a, k, &text);
      first = k->first;
      last = k->body;
    } else
      hot_line(a, k, line, &text);
  }
  if (text.n)
    answer(s, c, &text, first, last);
  else
    ww_rpc_result(c, "null");
  ww_buf_free(&text);
  ww_lsp_let_go(s, a);
}
