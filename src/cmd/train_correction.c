/* train_correction.c - `warpwise train --correction`: learns from measured launches
 * what the machine model gets wrong, and says how good the result is on families of
 * kernels it has not seen.
 */
#include <math.h>
#include <stdlib.h>

#include "../data/features.h"
#include "../data/split.h"
#include "../gpu/gpu.h"
#include "../predict/learn/score.h"
#include "train.h"

static const char *shipped = "models/correction.json.zst";

/* ---- rows ---- */

/* From the features' file where it is there, else made, and kept in it. */
static ww_status rows_of(ww_cmd *c, const ww_train_options *o, ww_feature_table *t) {
  bool kept = o->features && ww_file_exists(o->features);
  double begin = ww_now();
  if (kept)
    return ww_features_read(o->features, c->arena, t, &c->err);
  if (!c->noperands)
    return ww_usage(c, "name what to learn from: stores of `warpwise dataset collect`, "
                       "files of measured reports");
  ww_feature_options f = {.inputs = c->operands,
                          .ninputs = c->noperands,
                          .corpus = o->corpus,
                          .gpu = c->gpu,
                          .rows = o->rows,
                          .each = o->each,
                          .processes = o->jobs,
                          .budget = o->budget,
                          .test = o->score};
  ww_status st = ww_features_make(&f, c->arena, t, &c->err);
  if (st)
    return st;
  if (!c->quiet)
    fprintf(stderr, "%u launches predicted in %.0f s, %u could not be%s%s\n", t->n,
            ww_now() - begin, t->failed, t->failed ? ", such as " : "",
            t->failed ? t->why : "");
  return o->features ? ww_features_write(t, o->features, &c->err) : WW_OK;
}

/* ---- tables ---- */

static void line(const ww_train_options *o,
                 const char *what,
                 const ww_correct_score *s,
                 bool points) {
  double k = points ? 1 : 100;
  const char *unit = points ? "pt" : "%";
  if (!s->n)
    return;
  printf(o->markdown
             ? "| %s | %u | %.1f %s | %.1f %s | %.1f %s | %.1f %s | %.1f %% |\n"
             : "  %-32s %7u %7.1f %-2s %7.1f %-2s %7.1f %-2s %7.1f %-2s %6.1f %%\n",
         what, s->n, k * s->machine_median, unit, k * s->machine_mean, unit,
         k * s->median, unit, k * s->mean, unit, 100 * s->inside);
}

static void head(const ww_train_options *o, const char *title) {
  if (o->markdown)
    printf("\n| %s | launches | machine: median | mean | corrected: median | mean | in "
           "interval |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n",
           title);
  else
    printf("%-34s %7s %21s %21s %8s\n%-34s %7s %10s %10s %10s %10s %8s\n", title, "",
           "machine", "corrected", "in", "", "n", "median", "mean", "median", "mean",
           "interval");
}

static void time_table(const ww_train_options *o,
                       const ww_correction *k,
                       const ww_feature_table *t) {
  static const int origins[] = {-1, WW_ORIGIN_CORPUS, WW_ORIGIN_GENERATED};
  head(o, "time");
  for (int split = o->score ? WW_SPLIT_TEST : 0; split < WW_NSPLITS; split++)
    for (int i = 0; i < 3; i++) {
      ww_correct_score s;
      char name[64];
      ww_correct_score_of(k, t->rows, t->n, WW_M_time_us, split, origins[i], &s);
      snprintf(name, sizeof name, "%s%s%s", ww_split_names[split], i ? ", " : "",
               i ? ww_origin_names[origins[i]] : "");
      line(o, name, &s, false);
    }
}

static void metric_table(const ww_train_options *o,
                         const ww_correction *k,
                         const ww_feature_table *t) {
  head(o, "test split");
  for (int m = 0; m < WW_NMETRICS; m++) {
    ww_correct_score s;
    ww_correct_score_of(k, t->rows, t->n, (ww_metric)m, WW_SPLIT_TEST, -1, &s);
    if (fabs(s.mean - s.machine_mean) > 0 || m == WW_M_time_us)
      line(o, ww_metrics[m].name, &s, ww_rule_of(m).points);
  }
}

static void family_table(const ww_train_options *o,
                         const ww_correction *k,
                         const ww_feature_table *t) {
  head(o, "time by family");
  ww_correct_row *part = ww_xcalloc(t->n + 1, sizeof *part);
  for (uint32_t f = 0; f < t->nfamilies; f++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
      if (t->rows[i].family == f && t->rows[i].split == WW_SPLIT_TEST)
        part[n++] = t->rows[i];
    ww_correct_score s;
    ww_correct_score_of(k, part, n, WW_M_time_us, -1, -1, &s);
    line(o, t->families[f], &s, false);
  }
  free(part);
}

/* ---- the command ---- */

static ww_status write_model(ww_cmd *c, const char *path, const ww_correction *k) {
  ww_buf b = {0};
  ww_correction_write(k, &b);
  return ww_write_packable(path, &b, 19, &c->err);
}

static ww_status learn(ww_cmd *c,
                       const ww_train_options *o,
                       const ww_feature_table *t,
                       ww_correction **out) {
  ww_buf log = {0};
  ww_correct_options f = {
      .gpu = t->gpu, .data = t->data, .rounds = o->rounds, .leaves = o->leaves};
  ww_status st = ww_correct_fit(t->rows, t->n, &f, c->arena, out, &log, &c->err);
  if (!st && log.s)
    printf("%u rows, %u families, %u kernels\n%s\n", t->n, t->nfamilies, t->nkernels,
           log.s);
  ww_buf_free(&log);
  return st ? st : write_model(c, o->out ? o->out : shipped, *out);
}

ww_status ww_train_correction(ww_cmd *c, const ww_train_options *o) {
  ww_feature_table t;
  ww_correction *k = NULL;
  ww_status st = rows_of(c, o, &t);
  if (st)
    return st;
  st = o->score ? ww_correction_read(o->out ? o->out : shipped, c->arena, &k, &c->err)
                : learn(c, o, &t, &k);
  if (st)
    return st;
  time_table(o, k, &t);
  metric_table(o, k, &t);
  if (!o->markdown)
    family_table(o, k, &t);
  return WW_OK;
}
