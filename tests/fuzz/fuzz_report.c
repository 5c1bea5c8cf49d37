/* fuzz_report.c - any text as a report: a message, or a report that is the same when it
 * is written, read and written again. */
#include "fuzz.h"

#include "../../src/report/report.h"
#include "../../src/query/query.h"

/* Written and read: what is no UTF-8 is mended by the first time. */
static void again(const ww_report *r, ww_arena *a, ww_report *back, ww_buf *b) {
  ww_json j = {0};
  ww_err e = {0};
  ww_json_begin(&j, b);
  ww_report_write(r, &j, NULL, NULL);
  if (ww_report_parse(b->s, a, back, &e)) {
    fprintf(stderr, "%s\n%s\n", b->s, e.msg);
    abort();
  }
}

int fuzz_report(const uint8_t *data, size_t n) {
  static FILE *nowhere;
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_report r, back;
  ww_err e = {0};
  if (!nowhere)
    nowhere = fopen("/dev/null", "w");
  if (ww_report_parse(text, a, &r, &e))
    fuzz_must(e.msg[0]);
  else {
    ww_buf mended = {0}, once = {0}, twice = {0};
    again(&r, a, &back, &mended);
    again(&back, a, &back, &once);
    again(&back, a, &back, &twice);
    fuzz_must(!strcmp(once.s, twice.s));
    ww_report_print(&r, nowhere);
    ww_report_copy(&back, a, &r);
    ww_report_move("a.cu", 6, a, &r);
    ww_buf_free(&mended);
    ww_buf_free(&once);
    ww_buf_free(&twice);
  }
  ww_arena_free(a);
  free(text);
  return 0;
}
