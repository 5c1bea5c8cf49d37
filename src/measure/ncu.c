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

/* What is no counter: resources of the launch. */
static const struct {
  ww_metric metric;
  const char *name;
} attributes[] = {
    {WW_M_registers, "launch__registers_per_thread"},
    {WW_M_shared_bytes, "launch__shared_mem_per_block_static"},
    {WW_M_shared_bytes, "launch__shared_mem_per_block_dynamic"},
    {WW_M_occupancy_limit_pct, "sm__maximum_warps_per_active_cycle_pct"},
};
#define NATTRIBUTES WW_COUNT(attributes)

/* ---- its table ---- */

/* The fields of one line of CSV, quotes taken off; *at moves behind the line. */
static ww_strings fields(const char **at, ww_arena *a) {
  ww_strings out = {0};
  const char *s = *at;
  while (*s && *s != '\n') {
    ww_buf b = {0};
    bool quoted = *s == '"';
    s += quoted;
    while (*s && (quoted || (*s != ',' && *s != '\n' && *s != '\r'))) {
      if (quoted && *s == '"' && s[1] != '"')
        break;
      s += quoted && *s == '"'; /* a doubled quote is one */
      ww_buf_add(&b, s++, 1);
    }
    s += quoted && *s == '"';
    ww_push(a, &out, ww_buf_text(&b, a));
    while (*s == '\r')
      s++;
    if (*s == ',')
      s++;
  }
  *at = *s ? s + 1 : s;
  return out;
}

static int column(const ww_strings *head, const char *name) {
  for (uint32_t k = 0; k < head->n; k++)
    if (!strcmp(head->v[k], name))
      return k;
  return -1;
}

/* "1,048,576" or "1.5"; NaN of what is no number. */
static double number(const ww_strings *row, int at) {
  char text[64];
  char *to = text;
  char *end;
  if (at < 0 || (uint32_t)at >= row->n)
    return NAN;
  for (const char *s = row->v[at]; *s && to < text + sizeof text - 1; s++)
    if (*s != ',')
      *to++ = *s;
  *to = 0;
  double v = strtod(text, &end);
  return end == text ? NAN : v;
}

/* "(8, 1, 1)" is grid or block. */
static bool same_shape(const ww_strings *row, int at, const uint64_t dims[3]) {
  unsigned long long d[3];
  if (at < 0 || (uint32_t)at >= row->n ||
      sscanf(row->v[at], " (%llu, %llu, %llu)", &d[0], &d[1], &d[2]) != 3)
    return true;
  for (int k = 0; k < 3; k++)
    if (d[k] != (dims[k] ? dims[k] : 1))
      return false;
  return true;
}

static void read_row(const ww_strings *head, const ww_strings *row, ww_ncu_row *out) {
  double c[WW_NCOUNTERS];
  for (int k = 0; k < WW_NCOUNTERS; k++)
    c[k] = number(row, column(head, ww_counters[k].name));
  ww_counters_to_metrics(c, out->m);
  for (size_t k = 0; k < NATTRIBUTES; k++) {
    double v = number(row, column(head, attributes[k].name));
    double *to = &out->m[attributes[k].metric];
    if (!isnan(v))
      *to = isnan(*to) ? v : *to + v;
  }
  out->known = true;
}

ww_status ww_ncu_parse(const char *csv,
                       const ww_launch *l,
                       uint32_t n,
                       ww_arena *a,
                       ww_ncu_row *rows,
                       ww_err *e) {
  const char *at = csv;
  while (at && !ww_starts(at, "\"ID\""))
    at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  if (!at)
    return ww_fail(e, WW_EDATA, "Nsight Compute gave no table: %.300s",
                   csv + (strlen(csv) > 300 ? strlen(csv) - 300 : 0));
  ww_strings head = fields(&at, a);
  int name = column(&head, "Kernel Name");
  int grid = column(&head, "Grid Size");
  int block = column(&head, "Block Size");
  fields(&at, a); /* units */
  uint32_t k = 0;
  while (*at && k < n) {
    ww_strings row = fields(&at, a);
    if (name < 0 || row.n <= (uint32_t)name)
      continue;
    for (uint32_t i = k; i < n; i++) {
      if (strcmp(l[i].kernel, row.v[name]) || !same_shape(&row, grid, l[i].grid) ||
          !same_shape(&row, block, l[i].block))
        continue;
      read_row(&head, &row, &rows[i]);
      k = i + 1;
      break;
    }
  }
  return WW_OK;
}

/* ---- running it ---- */

static const char *metric_list(ww_arena *a) {
  ww_buf b = {0};
  for (int k = 0; k < WW_NCOUNTERS; k++)
    ww_buf_fmt(&b, "%s%s", k ? "," : "", ww_counters[k].name);
  for (size_t k = 0; k < NATTRIBUTES; k++)
    ww_buf_fmt(&b, ",%s", attributes[k].name);
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
