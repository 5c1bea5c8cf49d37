/* fuzz_scan.c - any text as a source to find declarations in: what is found lies inside
 * the text and in order. */
#include "fuzz.h"

#include "../../src/front/scan.h"

static void check(const ww_scan *s, const ww_decl *d) {
  fuzz_must(d->begin <= d->end && d->end <= s->n);
  fuzz_must(!d->body ||
            (d->begin <= d->body && d->body < d->body_end && d->body_end <= d->end));
  fuzz_must(d->params <= d->params_end && d->params_end <= s->n);
  fuzz_must(d->line <= s->nlines);
}

int fuzz_scan(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_scan s;
  ww_scan_source(text, n, a, &s);
  fuzz_must(s.n == n && s.nlines >= 1);
  for (uint32_t k = 0; k < s.n; k++)
    fuzz_must(s.kind[k] <= WW_BYTE_SKIPPED);
  for (uint32_t k = 0; k < s.ndecls; k++)
    check(&s, &s.decls[k]);
  for (uint32_t k = 0; k <= s.n; k += 1 + s.n / 64) {
    uint32_t line = ww_scan_line(&s, k), end = ww_scan_statement_end(&s, k);
    fuzz_must(line >= 1 && line <= s.nlines && end <= s.n);
    fuzz_must(ww_scan_offset(&s, line, 1) <= k || k == s.n);
    ww_scan_decl_at(&s, k);
  }
  ww_scan_offset(&s, s.nlines + 7, UINT32_MAX);
  ww_scan_has_word(&s, "__global__");
  ww_arena_free(a);
  free(text);
  return 0;
}
