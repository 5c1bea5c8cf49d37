/* fuzz_rows.c - any text as lines of measured reports: rows that a store takes and
 * gives back, or a message. */
#include "fuzz.h"

#include "../../src/data/reports.h"
#include "../../src/data/store_int.h"

typedef struct {
  ww_store *store;
  uint32_t n;
} sink;

static ww_status take(sink *s, const ww_store_row *r, ww_err *e) {
  fuzz_must(r->kernel.key && r->kernel.name && r->kernel.family && r->kernel.dialect &&
            r->kernel.origin < WW_NORIGINS);
  s->n++;
  return ww_store_put(s->store, r, e);
}

static ww_status count(void *ctx, const ww_store_row *r, ww_err *e) {
  (void)r;
  (void)e;
  ++*(uint32_t *)ctx;
  return WW_OK;
}

int fuzz_rows(const uint8_t *data, size_t n) {
  sink s = {0};
  ww_err e = {0};
  ww_store_filter all = {.origin = -1, .failed = true};
  fuzz_must(!ww_store_memory(&s.store, &e));
  const char *path = fuzz_file("rows.jsonl", data, n);
  ww_reports *r;
  ww_store_row row;
  bool more = true;
  ww_status st =
      ww_reports_open(path, n % 2 ? WW_ORIGIN_CORPUS : WW_ORIGIN_IMPORTED, &r, &e);
  while (!st && !(st = ww_reports_next(r, &row, &more, &e)) && more)
    st = take(&s, &row, &e);
  ww_reports_close(r);
  fuzz_must(!st || e.msg[0]);
  if (s.n) {
    uint32_t back = 0;
    uint64_t counted = 0;
    fuzz_must(!ww_store_commit(s.store, &e));
    fuzz_must(!ww_store_each(s.store, &all, count, &back, &e));
    fuzz_must(!ww_store_count(s.store, &all, &counted, &e));
    fuzz_must(back <= s.n && counted == back);
  }
  ww_store_close(s.store);
  return 0;
}
