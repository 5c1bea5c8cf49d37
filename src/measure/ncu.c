/* ncu.c - runs launches under Nsight Compute and reads its table.
 *
 * One ncu for all launches: its start costs seconds. Only the launches' own kernels are
 * profiled (by their mangled names), so that our helpers neither cost time nor show up;
 * rows belong to launches in order, by name, grid and block, because a launch that
 * could not be loaded leaves none. */
#include "ncu.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "../base/json_put.h"
#include "counters.h"

/* ---- rows of launches ---- */

static bool same_shape(const uint64_t row[3], const uint64_t dims[3]) {
  for (int k = 0; row[0] && k < 3; k++)
    if (row[k] != (dims[k] ? dims[k] : 1))
      return false;
  return true;
}

ww_status ww_ncu_parse(const char *csv,
                       const ww_launch *l,
                       uint32_t n,
                       ww_arena *a,
                       ww_ncu_row *rows,
                       ww_err *e) {
  ww_ncu_table t;
  ww_status st = ww_ncu_read(csv, a, &t, e);
  for (uint32_t r = 0, k = 0; !st && r < t.n && k < n; r++)
    for (uint32_t i = k; i < n; i++) {
      if (strcmp(l[i].kernel, t.v[r].kernel) || !same_shape(t.v[r].grid, l[i].grid) ||
          !same_shape(t.v[r].block, l[i].block))
        continue;
      rows[i] = t.v[r].row;
      k = i + 1;
      break;
    }
  return st;
}

/* ---- running it ---- */

static const char *metric_list(ww_arena *a) {
  ww_buf b = {0};
  for (int k = 0; k < WW_NCOUNTERS; k++)
    ww_buf_fmt(&b, "%s%s", k ? "," : "", ww_counters[k].name);
  ww_ncu_attributes(&b);
  return ww_buf_text(&b, a);
}

/* regex:^(_Z5saxpy...|_Z...)$ */
static const char *name_filter(const ww_launch *l, uint32_t n, ww_arena *a) {
  ww_buf b = {0};
  uint32_t added = 0;
  ww_buf_puts(&b, "regex:^(");
  for (uint32_t k = 0; k < n; k++) {
    bool seen = false;
    for (uint32_t i = 0; i < k && !seen; i++)
      seen = !strcmp(l[i].kernel, l[k].kernel);
    if (!seen && added++)
      ww_buf_puts(&b, "|");
    for (const char *c = l[k].kernel; !seen && *c; c++) {
      if (!isalnum((unsigned char)*c) && *c != '_')
        ww_buf_puts(&b, "\\");
      ww_buf_add(&b, c, 1);
    }
  }
  ww_buf_puts(&b, ")$");
  return ww_buf_text(&b, a);
}

static ww_status
write_specs(const ww_launch *l, uint32_t n, const char *path, ww_err *e) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < n; k++) {
    ww_json j = {.out = &b};
    ww_launch_write(&l[k], &j);
    ww_buf_puts(&b, "\n");
  }
  ww_status st = ww_write_file_atomic(path, b.s ? b.s : "", b.n, e);
  ww_buf_free(&b);
  return st;
}

/* Paths of a spec file resolve against its folder, and this one lies elsewhere: make
 * them whole. */
static ww_launch *with_whole_paths(const ww_launch *l, uint32_t n, ww_arena *a) {
  ww_launch *out = WW_NEWN(a, ww_launch, n + 1);
  for (uint32_t k = 0; k < n; k++) {
    out[k] = l[k];
    out[k].binary = ww_path_real(a, l[k].binary);
    out[k].file = ww_path_real(a, l[k].file);
  }
  return out;
}

/* One ncu around `self measure --once` over the launches; rows[i] belongs to launch i.
 */
static ww_status profile(const ww_launch *l,
                         uint32_t n,
                         const char *metrics,
                         const ww_measure_options *o,
                         const char *self,
                         ww_arena *a,
                         ww_ncu_row *rows,
                         ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *dir = ww_fmt(a, "%s/warpwise-ncu-XXXXXX", tmp && *tmp ? tmp : "/tmp");
  ww_run_result r = {0};
  int slot;
  if (!ww_temp_folder(dir, &slot))
    return ww_fail(e, WW_EIO, "cannot make a folder in %s", tmp ? tmp : "/tmp");
  const char *spec = ww_path_join(a, dir, "launches.jsonl");
  /* clang-format off */
  const char *argv[] = {"env", "LC_ALL=C", "ncu", "--csv", "--page", "raw", "--print-units", "base",
                        "--print-fp",
                        "--print-kernel-base", "mangled", "--metrics", metrics,
                        "--cache-control", "all", "--clock-control", "none",
                        "--kernel-name-base", "mangled", "--kernel-name", name_filter(l, n, a),
                        self, "measure", "--once", "--launch", spec,
                        o->device ? "--device" : NULL, o->device, NULL};
  /* clang-format on */
  ww_status st = write_specs(l, n, spec, e);
  if (!st)
    st = ww_run(argv, NULL, 0, 600 + 10.0 * n, &r, e);
  if (!st && r.exit_code == 127)
    st = ww_fail(e, WW_EDEVICE,
                 "ncu is not there: install Nsight Compute (part of the CUDA toolkit) "
                 "and put it on PATH");
  else if (!st && r.timed_out)
    st = ww_fail(e, WW_ELIMIT, "Nsight Compute took more than %g s", 600 + 10.0 * n);
  else if (!st)
    st = ww_ncu_parse(r.out.s, l, n, a, rows, e);
  ww_run_free(&r);
  ww_remove_tree(dir);
  ww_cleanup_forget(slot);
  return st;
}

static double middle(double a, double b, double c) {
  return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

/* A single run of ncu spreads as any run does: its time is the median of three more,
 * profiled for the time alone. */
static ww_status median_times(const ww_launch *l,
                              uint32_t n,
                              const ww_measure_options *o,
                              const char *self,
                              ww_arena *a,
                              ww_ncu_row *rows,
                              ww_err *e) {
  ww_launch *thrice = WW_NEWN(a, ww_launch, 3 * n);
  ww_ncu_row *times = WW_NEWN(a, ww_ncu_row, 3 * n);
  for (uint32_t k = 0; k < 3 * n; k++)
    thrice[k] = l[k % n];
  ww_status st =
      profile(thrice, 3 * n, ww_counters[WW_C_time_ns].name, o, self, a, times, e);
  for (uint32_t k = 0; !st && k < n; k++) {
    double *t = &rows[k].m[WW_M_time_us];
    if (times[k].known && times[n + k].known && times[2 * n + k].known)
      *t = middle(times[k].m[WW_M_time_us], times[n + k].m[WW_M_time_us],
                  times[2 * n + k].m[WW_M_time_us]);
    ww_metrics_derive(rows[k].m);
  }
  return st;
}

ww_status ww_ncu_run(const ww_launch *l,
                     uint32_t n,
                     const ww_measure_options *o,
                     const char *self,
                     ww_arena *a,
                     ww_ncu_row **rows,
                     ww_err *e) {
  *rows = WW_NEWN(a, ww_ncu_row, n + 1);
  for (uint32_t k = 0; k < n; k++)
    if (!l[k].kernel)
      return ww_fail(e, WW_EUSAGE, "--compare-ncu: launch %u names no kernel", k + 1);
  if (!n)
    return WW_OK;
  const ww_launch *whole = with_whole_paths(l, n, a);
  ww_status st = profile(whole, n, metric_list(a), o, self, a, *rows, e);
  return st ? st : median_times(whole, n, o, self, a, *rows, e);
}

/* ---- side by side ---- */

double ww_ncu_deviation(const ww_ncu_row *row, const ww_report *r, ww_metric m) {
  double theirs = row->m[m];
  if (!row->known || !r->m[m].known || isnan(theirs) || theirs == 0)
    return NAN;
  return 100 * (r->m[m].value - theirs) / theirs;
}

void ww_ncu_write(const ww_ncu_row *row, const ww_report *r, ww_json *j) {
  ww_json_put(j, "ncu:{");
  for (int k = 0; row->known && k < WW_NMETRICS; k++)
    if (!isnan(row->m[k]))
      ww_json_knum(j, ww_metrics[k].name, row->m[k]);
  ww_json_put(j, "},deviation_pct:{");
  for (int k = 0; k < WW_NMETRICS; k++) {
    double d = ww_ncu_deviation(row, r, k);
    if (!isnan(d))
      ww_json_knum(j, ww_metrics[k].name, d);
  }
  ww_json_end_obj(j);
}

void ww_ncu_print(const ww_ncu_row *row, const ww_report *r, FILE *f) {
  if (!row->known) {
    fputs("  Nsight Compute has no row for this launch\n", f);
    return;
  }
  fprintf(f, "  %-24s %16s %16s %9s\n", "", "warpwise", "ncu", "apart");
  for (int k = 0; k < WW_NMETRICS; k++) {
    if (isnan(row->m[k]) || !r->m[k].known)
      continue;
    double d = ww_ncu_deviation(row, r, k);
    fprintf(f, "  %-24s %16.6g %16.6g", ww_metrics[k].name, r->m[k].value, row->m[k]);
    isnan(d) ? fputc('\n', f) : fprintf(f, " %8.2f%%\n", d);
  }
}
