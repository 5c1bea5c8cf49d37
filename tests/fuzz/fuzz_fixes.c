/* fuzz_fixes.c - any text as the source of a finding: the edits that are offered are
 * sorted, apart from each other and inside the text. */
#include "fuzz.h"

#include "../../src/front/scan.h"
#include "../../src/predict/advice/advice.h"
#include "../../src/predict/advice/fixes.h"

static void check(const ww_fix_source *s, const ww_fix *f, ww_arena *a) {
  ww_buf diff = {0};
  uint32_t last = 0;
  size_t n;
  fuzz_must(f->n && f->title);
  for (uint32_t k = 0; k < f->n; k++) {
    fuzz_must(f->edits[k].begin <= f->edits[k].end && f->edits[k].end <= s->n &&
              f->edits[k].text);
    fuzz_must(f->edits[k].begin >= last);
    last = f->edits[k].end;
  }
  ww_fix_apply(s->text, s->n, f, a, &n);
  ww_fix_diff("a.cu", s->text, s->n, f, &diff);
  ww_buf_free(&diff);
}

/* All rules at one line of one kernel. */
static void find(const ww_fix_source *s, uint32_t line, ww_arena *a) {
  ww_fix all = {0};
  for (int rule = 0; rule < WW_NRULES; rule++) {
    ww_finding f = {.line = line, .rule = ww_rules[rule].id, .message = "m"};
    ww_fix *fixes;
    uint32_t n = ww_fixes_find(s, &f, a, &fixes);
    for (uint32_t k = 0; k < n; k++)
      check(s, &fixes[k], a);
    if (n)
      ww_fix_join(&all, &fixes[0], a);
  }
  if (all.n) {
    all.title = "all";
    check(s, &all, a);
  }
}

static void set_launch(const ww_fix_source *s, ww_arena *a) {
  ww_launch l = {0};
  ww_fix f;
  ww_err e = {0};
  fuzz_must(!ww_launch_comment(
      "grid=n/256,2 block=256 n=1<<20 x=f32[n]:uniform(0,3) y=[n] out=[64] shared=4096",
      a, &l, &e));
  if (ww_fix_launch(s, &l, a, &f, &e))
    fuzz_must(e.msg[0]);
  else
    check(s, &f, a);
}

int fuzz_fixes(const uint8_t *data, size_t n) {
  char *text = fuzz_text(data, n);
  ww_arena *a = ww_arena_new();
  ww_scan scan;
  ww_err e = {0};
  ww_launch launch = {0};
  ww_scan_source(text, n, a, &scan);
  fuzz_must(!ww_launch_comment("grid=64 block=256 n=16384", a, &launch, &e));
  uint32_t tried = 0;
  for (uint32_t k = 0; k < scan.ndecls && tried < 2; k++) {
    const ww_decl *d = &scan.decls[k];
    if (!d->body || !d->name)
      continue;
    uint32_t first = ww_scan_line(&scan, d->body),
             lines = ww_scan_line(&scan, d->body_end) - first + 1;
    ww_fix_source s = {
        text,    n,       n % 4 == 3 ? WW_OPENMP : n % 4 == 2 ? WW_OPENCL : WW_CUDA,
        d->name, d->line, &launch};
    for (uint32_t j = 0; j < 3; j++)
      find(&s, first + (uint32_t)ww_hash(data, n, j) % lines, a);
    set_launch(&s, a);
    tried++;
  }
  ww_arena_free(a);
  free(text);
  return 0;
}
