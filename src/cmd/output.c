/* output.c - how commands speak: data on stdout, complaints on stderr; with --json both are lines
 * of JSON on stdout. */
#include "../report/report.h"
#include "cmd.h"

ww_status ww_usage(ww_cmd *c, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  c->err.code = WW_EUSAGE;
  c->err.reason = WW_REASON_NONE;
  vsnprintf(c->err.msg, sizeof c->err.msg, fmt, ap);
  va_end(ap);
  return WW_EUSAGE;
}

void ww_print_error(const ww_err *e, FILE *f) {
  const char *red = ww_color_on(f) ? "\033[31m" : "", *off = *red ? "\033[0m" : "";
  fprintf(f, "%swarpwise:%s ", red, off);
  if (e->file)
    fprintf(f, "%s:", e->file);
  if (e->line)
    fprintf(f, "%u:", e->line);
  if (e->line && e->col)
    fprintf(f, "%u:", e->col);
  fprintf(f, "%s%s\n", e->file || e->line ? " " : "", e->msg);
}

void ww_print_error_json(const ww_err *e, const char *file, const char *kernel) {
  ww_report r = {.file = file, .kernel = kernel, .error = *e};
  ww_buf b = {0};
  ww_json j = {0};
  ww_json_begin(&j, &b);
  ww_report_write(&r, &j, NULL, NULL);
  ww_buf_puts(&b, "\n");
  ww_print_buf(&b);
}

ww_status ww_cmd_complain(ww_cmd *c) {
  ww_status code = c->err.code;
  if (c->json)
    ww_print_error_json(&c->err, c->file, c->kernel);
  else
    ww_print_error(&c->err, stderr);
  c->err = (ww_err){0};
  return code;
}

void ww_print_buf(ww_buf *b) {
  if (b->n)
    fwrite(b->s, 1, b->n, stdout);
  ww_buf_free(b);
}
