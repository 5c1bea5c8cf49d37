/* lower.c - how well the lowering counts: instructions, FLOPs, integer operations and registers of the corpus against the H200's.
 *
 * lower [--fit | --cross]: shares of launches within bounds; --fit then searches the coefficients of src/predict/lower.def one
 * at a time for the least mean squared log error and prints them; --cross fits each family of kernels by the others alone. */
#include <stdlib.h>

#include "../src/base/jsonread.h"
#include "../src/front/front.h"
#include "../src/predict/model/lower_int.h"

enum { ROWS = 1024, MEASURES = 4 }; /* warp instructions, FLOPs, integer operations, registers */

typedef struct {
  const char *family;
  const ww_module *m;
  const ww_fn *fn;
  ww_tally tally;
  uint64_t threads;
  double measured[MEASURES], predicted[MEASURES];
} row;

static const struct {
  const char *name;
  double *at, value, least, most;
} coefs[] = {
#define COEF(name, value, least, most, meaning) {#name, &ww_lower_coefs.name, value, least, most},
#include "../src/predict/model/lower.def"
};
enum { COEFS = sizeof coefs / sizeof *coefs };

static row rows[ROWS];
static uint32_t nrows;
static ww_gpu gpu;

static double metric(const cJSON *j, const char *name) {
  const cJSON *v = cJSON_GetObjectItem(cJSON_GetObjectItem(cJSON_GetObjectItem(j, "metrics"), name), "value");
  return v ? v->valuedouble : 0;
}

static ww_status load_row(const cJSON *j, ww_arena *a, ww_err *e) {
  static const char *file;
  static const ww_unit *unit;
  row *r = &rows[nrows];
  ww_launch l = {0};
  ww_trace_result t;
  char *text = cJSON_PrintUnformatted(cJSON_GetObjectItem(j, "launch"));
  ww_status st = ww_launch_parse(text, "data", a, &l, e);
  free(text);
  if (!st && (!file || strcmp(file, l.file))) {
    ww_unit *u = WW_NEW(a, ww_unit);
    st = ww_front_load(&(ww_front_options){.files = &l.file, .nfiles = 1, .dialect = -1}, a, u, e);
    unit = u, file = l.file;
  }
  if (st) return st;
  r->m = &unit->module;
  r->fn = ww_ir_find(r->m, l.kernel);
  if (!r->fn) return ww_fail(e, WW_EDATA, "no kernel %s in %s", l.kernel, l.file);
  if ((st = ww_trace(r->m, r->fn, &l, &(ww_trace_options){0}, a, &t, e))) return st;
  r->family = ww_strdup(a, cJSON_GetObjectItem(j, "family")->valuestring);
  r->tally = t.sampled.tally;
  r->threads = t.launch.block[0] * t.launch.block[1] * t.launch.block[2];
  r->measured[0] = metric(j, "warp_instructions");
  r->measured[1] = metric(j, "flops_fp32") + metric(j, "flops_fp64") + metric(j, "flops_fp16");
  r->measured[2] = metric(j, "int_ops");
  r->measured[3] = metric(j, "registers");
  nrows++;
  return WW_OK;
}

static void predict(row *r) {
  ww_arena *a = ww_arena_new();
  ww_lowered o;
  double spill;
  ww_lower(r->m, r->fn, &r->tally, &gpu, a, &o);
  r->predicted[0] = o.total;
  r->predicted[1] = o.flops32 + o.flops64 + o.flops16;
  r->predicted[2] = o.int_ops;
  ww_registers(r->m, r->fn, &gpu, r->threads, &r->predicted[3], &spill);
  ww_arena_free(a);
}

/* Mean squared log error over the launches of one family, or of all others, or (family NULL) of all; one operation a lane and two
 * registers are no difference. */
static double error(const char *family, bool others) {
  double sum = 0, n = 0;
  for (uint32_t k = 0; k < nrows; k++) {
    row *r = &rows[k];
    if (family && (strcmp(r->family, family) == 0) == others) continue;
    predict(r);
    double lanes = 32 * r->tally.c.warps, floor_of[MEASURES] = {0, lanes, lanes, 2};
    for (uint32_t i = 0; i < MEASURES; i++) {
      double d = log((r->predicted[i] + floor_of[i]) / (r->measured[i] + floor_of[i]));
      sum += fmin(d * d, 0.5); /* what is quite another thing is no reason to bend the rest */
    }
    n += MEASURES;
  }
  return n ? sum / n : 0;
}

static double fit(const char *family) {
  double best = error(family, true);
  for (uint32_t round = 0; round < 2; round++)
    for (uint32_t c = 0; c < COEFS; c++)
      for (uint32_t k = 0; k <= 8; k++) {
        double was = *coefs[c].at, wide = (coefs[c].most - coefs[c].least) / (round ? 8 : 2);
        double v = was + wide * (k / 8.0 - 0.5);
        if (v < coefs[c].least || v > coefs[c].most) continue;
        *coefs[c].at = v;
        double now = error(family, true);
        if (now < best - 1e-6)
          best = now;
        else
          *coefs[c].at = was;
      }
  return best;
}

static void reset(void) {
  for (uint32_t c = 0; c < COEFS; c++) *coefs[c].at = coefs[c].value;
}

static void cross(void) {
  double sum = 0, n = 0;
  for (uint32_t k = 0; k < nrows; k++) {
    if (k && !strcmp(rows[k].family, rows[k - 1].family)) continue;
    reset();
    double shipped = error(rows[k].family, false);
    fit(rows[k].family);
    double without = error(rows[k].family, false);
    printf("%-16s root mean squared log error %.3f, fitted without it %.3f\n", rows[k].family, sqrt(shipped),
           sqrt(without));
    sum += without, n++;
  }
  printf("%-16s fitted without it %.3f\n", "mean", sqrt(sum / n));
}

static void shares(void) {
  static const char *const names[MEASURES] = {"warp instructions within 20 %", "FLOPs within 10 %",
                                              "integer operations within 25 %", "registers within 8"};
  static const double within[MEASURES] = {0.2, 0.1, 0.25, 0};
  for (uint32_t i = 0; i < MEASURES; i++) {
    uint32_t good = 0;
    for (uint32_t k = 0; k < nrows; k++) {
      double t = rows[k].measured[i], d = fabs(rows[k].predicted[i] - t), bound = i == 3 ? 8 : within[i] * t;
      good += d <= fmax(bound, i == 3 ? 0 : 0.01 * 32 * rows[k].tally.c.warps);
    }
    printf("%-32s %3u of %u, %.1f %%\n", names[i], good, nrows, 100.0 * good / nrows);
  }
}

int main(int argc, char **argv) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  char *text;
  size_t n;
  if (ww_gpu_load("h200", a, &gpu, &e) || ww_read_packed(a, "data/corpus-h200.jsonl.zst", 64 << 20, &text, &n, &e))
    goto failed;
  for (char *line = strtok(text, "\n"); line && nrows < ROWS; line = strtok(NULL, "\n")) {
    cJSON *j = ww_json_read(line, strlen(line), &e);
    if (!j || load_row(j, a, &e)) goto failed;
    cJSON_Delete(j);
  }
  printf("root mean squared log error %.3f\n", sqrt(error(NULL, false)));
  shares();
  if (argc > 1 && !strcmp(argv[1], "--fit")) {
    printf("fitted: %.3f\n", sqrt(fit(NULL)));
    for (uint32_t c = 0; c < COEFS; c++) printf("  %-14s %g (was %g)\n", coefs[c].name, *coefs[c].at, coefs[c].value);
    shares();
  } else if (argc > 1 && !strcmp(argv[1], "--cross"))
    cross();
  ww_arena_free(a);
  return 0;
failed:
  fprintf(stderr, "lower: %s\n", e.msg);
  return 3;
}
