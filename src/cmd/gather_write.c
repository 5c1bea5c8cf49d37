/* gather_write.c - gathered launches as ready specs: compiled, written, summed up. */
#include <math.h>
#include <stdlib.h>

#include "gather.h"

#define COMPILE_S 60 /* a file with hundreds of instances is left out */

typedef struct {
  uint32_t ready, kernels, regime[WW_NREGIMES];
  double seconds; /* estimated, of one run of each */
  double *us;     /* of those that have an estimate */
  uint32_t nus;
} summary;

static void sum_up(const ww_gathered *g, const ww_gpu *gpu, ww_arena *a, summary *s) {
  *s = (summary){.us = WW_NEWN(a, double, g->launches.n + 1)};
  uint32_t last = UINT32_MAX;
  for (uint32_t k = 0; k < g->launches.n; k++) {
    const ww_gathered_launch *x = &g->launches.v[k];
    if (x->item.bad.code)
      continue;
    s->ready++;
    s->kernels += x->kernel != last;
    last = x->kernel;
    s->regime[ww_regime_of(ww_volume(x->item.l.grid), gpu->sms)]++;
    if (isnan(x->note.us))
      continue;
    s->us[s->nus++] = x->note.us;
    s->seconds += 1e-6 * x->note.us;
  }
}

static int by_value(const void *a, const void *b) {
  double x = *(const double *)a;
  double y = *(const double *)b;
  return (x > y) - (x < y);
}

static void
print_summary(const ww_gathered *g, const summary *s, const char *out, ww_arena *a) {
  printf("%u files, %u kernels", g->files.n, g->kernels.n);
  if (g->duplicates)
    printf(", %u of them near-duplicates of others and left out", g->duplicates);
  if (g->evaluated)
    printf(", %u like one that is kept for evaluation", g->evaluated);
  printf("\n%u ready launches of %u kernels in %s\n", s->ready, s->kernels, out);
  if (s->nus) {
    qsort(s->us, s->nus, sizeof *s->us, by_value);
    printf("  estimated times: %.3g us least, %.3g, %.3g and %.3g quartiles, %.3g "
           "most; %.3g s for "
           "one run of each\n",
           s->us[0], s->us[s->nus / 4], s->us[s->nus / 2], s->us[3 * s->nus / 4],
           s->us[s->nus - 1], s->seconds);
  }
  printf("  ");
  for (int r = 0; r < WW_NREGIMES; r++)
    printf("%s%s %.0f %%", r ? ", " : "", ww_regime_names[r],
           s->ready ? 100.0 * s->regime[r] / s->ready : 0);
  const ww_variants_count *c = &g->count;
  printf("\n  sampled: %u tried, %u kept, %u left their buffers or did not run, %u too "
         "slow, %u "
         "too large, %u equal\n",
         c->tried, c->kept, c->fault, c->slow, c->large, c->same);
  if (g->failures.n) {
    printf("%u failure%s, by cause:\n", g->failures.n, g->failures.n == 1 ? "" : "s");
    ww_gather_print_failures(g, a, stdout);
  }
}

static void print_json(const ww_gathered *g, const summary *s, const char *path) {
  ww_line_print(
      "ready:{file:%s,files:%u,found:%u,near_duplicates:%u,kernels:%u,launches:%u,"
      "failures:%u,estimated_s:%g}",
      path, g->files.n, g->kernels.n, g->duplicates, s->kernels, s->ready,
      g->failures.n, s->seconds);
}

/* Compiles what was gathered and writes the lines; what does not compile joins the
 * failures. */
ww_status ww_gather_write(
    ww_cmd *c, const char *path, const char *with, uint32_t jobs, ww_gathered *g) {
  ww_cmd own = *c;
  ww_item *v = WW_NEWN(c->arena, ww_item, g->launches.n + 1);
  ww_buf out = {0};
  own.noperands = 0;
  ww_ready_how how = {.c = &own,
                      .source = &ww_source_plain,
                      .with = with,
                      .jobs = jobs,
                      .limit_s = COMPILE_S,
                      .elsewhere = true,
                      .a = c->arena};
  for (uint32_t k = 0; k < g->launches.n; k++)
    v[k] = g->launches.v[k].item;
  ww_ready_compile(&how, v, g->launches.n);
  for (uint32_t k = 0; k < g->launches.n; k++) {
    ww_gathered_launch *x = &g->launches.v[k];
    if (!v[k].bad.code && ww_ready_line(path, &v[k], &out, &v[k].bad))
      v[k].bad.code = WW_EIO;
    x->item = v[k];
    if (v[k].bad.code)
      ww_gather_failed(g, g->kernels.v[x->kernel].file, x->item.kernel, v[k].bad.msg,
                       c->arena);
  }
  return ww_write_buf(path, &out, &c->err);
}

uint32_t
ww_gather_print(ww_cmd *c, const ww_gathered *g, const ww_gpu *gpu, const char *path) {
  summary s;
  sum_up(g, gpu, c->arena, &s);
  if (c->json)
    print_json(g, &s, path);
  else if (!ww_is_quiet())
    print_summary(g, &s, path, c->arena);
  return s.ready;
}
