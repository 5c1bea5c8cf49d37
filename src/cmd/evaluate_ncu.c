/* evaluate_ncu.c - a user's own export of Nsight Compute as cases: rows of `ncu --csv`,
 * launches from a recording of the program, or of the sources that have the kernels.
 *
 * A row belongs to a recorded launch of its kernel and shape; where there are several,
 * to the one whose turn it is in the program's order. Without a recording the row gives
 * the shape and the source all else, as for any kernel. */
#include <math.h>

#include "../measure/ncu.h"
#include "evaluate.h"

typedef struct {
  ww_cmd *c;
  const ww_gpu *gpu;
  ww_launch *recorded;
  uint32_t n;
  uint64_t *used; /* launches of each line that rows have taken */
} reader;

/* `void ns::scale<float, 4>(float *, int)` is called scale. */
static const char *plain_name(const char *full, ww_arena *a) {
  int depth = 0;
  const char *end = full;
  const char *begin = full;
  for (; *end && (*end != '(' || depth); end++) {
    depth += *end == '<' ? 1 : *end == '>' ? -1 : 0;
    if (!depth && (*end == ' ' || *end == ':'))
      begin = end + 1;
    if (*end == '<' && depth == 1)
      break;
  }
  return ww_strndup(a, begin, end - begin);
}

/* Whether a recorded kernel, mangled or plain, has this name. */
static bool
is_called(const char *recorded, const char *full, const char *plain, ww_arena *a) {
  if (!strcmp(recorded, full) || !strcmp(recorded, plain))
    return true;
  if (!ww_starts(recorded, "_Z"))
    return !strcmp(plain_name(recorded, a), plain);
  const char *part = ww_fmt(a, "%zu%s", strlen(plain), plain);
  for (const char *at = recorded; (at = strstr(at, part)); at++)
    if (at[-1] < '0' || at[-1] > '9')
      return true;
  return false;
}

static bool same(const uint64_t row[3], const uint64_t l[3]) {
  for (int k = 0; row[0] && k < 3; k++)
    if ((l[k] ? l[k] : 1) != row[k])
      return false;
  return true;
}

/* The place of the line's launch number n in the program; its own line where none is
 * kept. */
static uint64_t place(const ww_launch *l, uint64_t n, uint32_t line) {
  for (uint32_t k = 0; k + 1 < l->nat; k += 2) {
    if (n < l->at[k + 1])
      return l->at[k] + n;
    n -= l->at[k + 1];
  }
  return l->nat ? UINT64_MAX - 1 : line;
}

static const ww_launch *find(reader *r, const ww_ncu_launch *row, const char **why) {
  ww_arena *a = r->c->arena;
  const char *plain = plain_name(row->kernel, a);
  uint32_t best = UINT32_MAX;
  uint64_t first = UINT64_MAX;
  bool named = false;
  for (uint32_t k = 0; k < r->n; k++) {
    const ww_launch *l = &r->recorded[k];
    uint64_t count = l->count ? l->count : 1;
    if (!l->kernel || !is_called(l->kernel, row->kernel, plain, a))
      continue;
    named = true;
    if (!same(row->grid, l->grid) || !same(row->block, l->block) || r->used[k] >= count)
      continue;
    uint64_t at = place(l, r->used[k], k);
    if (at < first) {
      first = at;
      best = k;
    }
  }
  *why = named ? "the recording has no further launch of that kernel and shape"
               : "the kernel is not in the recording";
  if (best == UINT32_MAX)
    return NULL;
  r->used[best]++;
  return &r->recorded[best];
}

/* The launch as far as the row tells it, of the source that is named. */
static const ww_launch *from_source(const reader *r, const ww_ncu_launch *row) {
  ww_launch *l = WW_NEW(r->c->arena, ww_launch);
  *l = (ww_launch){.file = r->c->operands[0],
                   .kernel = plain_name(row->kernel, r->c->arena),
                   .seed = 1,
                   .count = 1};
  memcpy(l->grid, row->grid, sizeof l->grid);
  memcpy(l->block, row->block, sizeof l->block);
  return l;
}

static ww_eval_case case_of(reader *r, const ww_ncu_launch *row) {
  ww_eval_case k = {.gpu = r->gpu};
  const ww_launch *l = r->recorded ? find(r, row, &k.unready) : from_source(r, row);
  k.measured = (ww_report){.kernel = plain_name(row->kernel, r->c->arena),
                           .gpu = r->gpu->name,
                           .by = WW_BY_HARDWARE};
  for (int m = 0; m < WW_NMETRICS; m++)
    if (isfinite(row->row.m[m]))
      ww_report_set(&k.measured, m, row->row.m[m]);
  ww_balance_of(r->gpu, &k.balance);
  if (!l)
    return k;
  k.unready = NULL;
  k.measured.launch = l;
  k.measured.file = l->file;
  k.launch = *l;
  k.launch.nat = 0;
  return k;
}

ww_status
ww_evaluate_ncu(ww_cmd *c, const char *path, ww_eval_case **out, uint32_t *n) {
  ww_arena *a = c->arena;
  reader r = {.c = c};
  WW_VEC(ww_eval_case) cases = {0};
  ww_gpu *gpu = WW_NEW(a, ww_gpu);
  ww_ncu_table table;
  char *text;
  size_t bytes;
  if (c->noperands != 1)
    return ww_usage(c, "--ncu FILE.csv takes one operand: the recording of the program "
                       "(warpwise record), or the source of its kernels");
  if (!c->gpu)
    return ww_usage(c, "the table does not name a GPU: give it with --gpu");
  const char *launches = c->operands[0];
  bool recording = ww_ends(launches, ".jsonl") || ww_ends(launches, ".json");
  if (ww_input_packed(a, path, 1 << 30, &text, &bytes, &c->err) ||
      ww_ncu_read(text, a, &table, &c->err) || ww_gpu_load(c->gpu, a, gpu, &c->err) ||
      (recording && ww_input_launches(a, launches, &r.recorded, &r.n, &c->err)))
    return c->err.code;
  r.gpu = gpu;
  r.used = WW_NEWN(a, uint64_t, r.n + 1);
  for (uint32_t k = 0; k < table.n; k++)
    ww_push(a, &cases, case_of(&r, &table.v[k]));
  *out = cases.v;
  *n = cases.n;
  return cases.n ? WW_OK : ww_fail(&c->err, WW_EDATA, "%s has no launches", path);
}

/* ---- line by line ---- */

static void print_metric(const ww_eval_case *k, ww_metric m, FILE *f) {
  const ww_quantity *was = &k->measured.m[m];
  const ww_quantity *is = &k->predicted.m[m];
  char low[24];
  char high[24];
  char v[24];
  char w[24];
  const char *unit = ww_metrics[m].unit;
  if (!was->known || !is->known)
    return;
  fprintf(f, "  %-22s %13s %13s", ww_metrics[m].name,
          ww_show_amount(was->value, unit, v), ww_show_amount(is->value, unit, w));
  if (was->value > 0)
    fprintf(f, " %+8.1f %%", 100 * (is->value / was->value - 1));
  if (is->interval)
    fprintf(f, "  %s %s .. %s",
            was->value >= is->low && was->value <= is->high ? "inside" : "OUTSIDE",
            ww_show_amount(is->low, unit, low), ww_show_amount(is->high, unit, high));
  fputc('\n', f);
}

void ww_evaluate_ncu_print(const ww_eval_case *cases,
                           uint32_t n,
                           ww_arena *a,
                           FILE *f) {
  for (uint32_t k = 0; k < n; k++) {
    const ww_eval_case *x = &cases[k];
    fprintf(f, "%s\n", ww_case_name(x, a));
    if (x->predicted.error.code) {
      fprintf(f, "  no answer: %s\n", x->predicted.error.msg);
      continue;
    }
    fprintf(f, "  %-22s %13s %13s\n", "", "ncu", "predicted");
    for (int m = 0; m < WW_NMETRICS; m++)
      print_metric(x, m, f);
  }
  fputc('\n', f);
}
