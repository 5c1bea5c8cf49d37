/* ncu_table.c - the tables that `ncu --csv` prints, as metrics of a report.
 *
 * The page `raw` has a row for each launch, a column for each metric and a row of units
 * below its head; the page `details` (what ncu prints without --page) has a row for
 * each metric of each launch, under the names that its sections show, or under their
 * own where --metrics asked for them. Units are those that fit the number unless
 * --print-units base was given. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>

#include "counters.h"
#include "ncu.h"

/* Names that are no counter of counters.def: resources of the launch, and what the
 * sections of the page `details` call what is. A sum where a metric has several. */
static const struct {
  int metric; /* or -1: the counter below */
  int counter;
  const char *name;
  const char *unit; /* it must have this in its unit; NULL: any */
} named[] = {
    {WW_M_registers, 0, "launch__registers_per_thread", NULL},
    {WW_M_shared_bytes, 0, "launch__shared_mem_per_block_static", NULL},
    {WW_M_shared_bytes, 0, "launch__shared_mem_per_block_dynamic", NULL},
    {WW_M_occupancy_limit_pct, 0, "sm__maximum_warps_per_active_cycle_pct", NULL},
    {-1, WW_C_time_ns, "Duration", "s"},
    {-1, WW_C_clock_hz, "SM Frequency", NULL},
    {-1, WW_C_l1_hit, "L1/TEX Hit Rate", "%"},
    {-1, WW_C_l2_hit, "L2 Hit Rate", "%"},
    {-1, WW_C_warps_active, "Achieved Occupancy", "%"},
    {-1, WW_C_inst, "Executed Instructions", NULL},
    {WW_M_active_lanes, 0, "Avg. Active Threads Per Warp", NULL},
    {WW_M_dram_gbps, 0, "Memory Throughput", "byte"},
    {WW_M_registers, 0, "Registers Per Thread", NULL},
    {WW_M_shared_bytes, 0, "Static Shared Memory Per Block", NULL},
    {WW_M_shared_bytes, 0, "Dynamic Shared Memory Per Block", NULL},
    {WW_M_occupancy_limit_pct, 0, "Theoretical Occupancy", "%"},
};

void ww_ncu_attributes(ww_buf *out) {
  for (size_t k = 0; k < WW_COUNT(named); k++)
    if (strstr(named[k].name, "__"))
      ww_buf_fmt(out, ",%s", named[k].name);
}

/* ---- CSV ---- */

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

static const char *
get(const ww_strings *head, const ww_strings *row, const char *name) {
  for (uint32_t k = 0; k < head->n && k < row->n; k++)
    if (!strcmp(head->v[k], name))
      return row->v[k];
  return NULL;
}

/* "1,048,576" or "1.5"; NaN of what is no number. */
static double number(const char *s) {
  char text[64];
  char *to = text;
  char *end;
  for (; s && *s && to < text + sizeof text - 1; s++)
    if (*s != ',')
      *to++ = *s;
  *to = 0;
  double v = strtod(text, &end);
  return end == text ? NAN : v;
}

/* "(8, 1, 1)"; zeros where it is none. */
static void shape(const char *s, uint64_t out[3]) {
  unsigned long long d[3] = {0};
  if (s && sscanf(s, " (%llu, %llu, %llu)", &d[0], &d[1], &d[2]) != 3)
    d[0] = d[1] = d[2] = 0;
  for (int k = 0; k < 3; k++)
    out[k] = d[k];
}

/* ---- units ---- */

static double prefix(char c) {
  return c == 'K' ? 1e3 : c == 'M' ? 1e6 : c == 'G' ? 1e9 : c == 'T' ? 1e12 : 1;
}

/* Seconds as the table writes them, in nanoseconds; 0: it is no time. */
static double in_ns(const char *unit) {
  static const struct {
    const char *word;
    double ns;
  } times[] = {{"nsecond", 1},   {"ns", 1},   {"usecond", 1e3}, {"us", 1e3},
               {"msecond", 1e6}, {"ms", 1e6}, {"second", 1e9},  {"s", 1e9}};
  for (size_t k = 0; k < WW_COUNT(times); k++)
    if (!strcmp(unit, times[k].word))
      return times[k].ns;
  return 0;
}

/* What a number of this unit is multiplied by: times become nanoseconds, rates are
 * those of a second, the rest loses its prefix. */
static double factor(const char *unit) {
  if (!unit || !*unit)
    return 1;
  double ns = in_ns(unit);
  const char *per = strchr(unit, '/');
  double each = per ? in_ns(per + 1) : 0;
  if (ns > 0)
    return ns;
  double scale = isupper((unsigned char)unit[0]) && islower((unsigned char)unit[1])
                     ? prefix(unit[0])
                     : 1;
  return each > 0 ? scale * 1e9 / each : scale;
}

/* ---- metrics ---- */

typedef struct {
  double counters[WW_NCOUNTERS];
  double metrics[WW_NMETRICS]; /* what is no counter */
} values;

static values none(void) {
  values v;
  for (int k = 0; k < WW_NCOUNTERS; k++)
    v.counters[k] = NAN;
  for (int k = 0; k < WW_NMETRICS; k++)
    v.metrics[k] = NAN;
  return v;
}

static void take(values *v, const char *name, const char *unit, const char *text) {
  double x = number(text) * factor(unit);
  if (isnan(x))
    return;
  for (int k = 0; k < WW_NCOUNTERS; k++)
    if (!strcmp(ww_counters[k].name, name))
      v->counters[k] = x;
  for (size_t k = 0; k < WW_COUNT(named); k++) {
    if (strcmp(named[k].name, name) ||
        (named[k].unit && !(unit && strstr(unit, named[k].unit))))
      continue;
    double *to = named[k].metric < 0 ? &v->counters[named[k].counter]
                                     : &v->metrics[named[k].metric];
    bool sum = named[k].metric == WW_M_shared_bytes;
    double scale = named[k].metric == WW_M_dram_gbps ? 1e-9 : 1;
    *to = sum && !isnan(*to) ? *to + x : x * scale;
  }
}

static void finish(const values *v, ww_ncu_row *out) {
  ww_counters_to_metrics(v->counters, out->m);
  for (int k = 0; k < WW_NMETRICS; k++)
    if (!isnan(v->metrics[k]) && (isnan(out->m[k]) || k == WW_M_shared_bytes))
      out->m[k] = v->metrics[k];
  out->known = true;
}

/* ---- the two forms ---- */

static ww_ncu_launch
launch_of(const ww_strings *head, const ww_strings *row, const char *kernel) {
  ww_ncu_launch l = {.kernel = kernel, .device = get(head, row, "Device Name")};
  shape(get(head, row, "Grid Size"), l.grid);
  shape(get(head, row, "Block Size"), l.block);
  return l;
}

static void
read_raw(const char *at, const ww_strings *head, ww_arena *a, ww_ncu_table *out) {
  ww_strings units = fields(&at, a);
  while (*at) {
    ww_strings row = fields(&at, a);
    const char *kernel = get(head, &row, "Kernel Name");
    if (!kernel || !*kernel)
      continue;
    values v = none();
    for (uint32_t k = 0; k < head->n && k < row.n; k++)
      take(&v, head->v[k], k < units.n ? units.v[k] : NULL, row.v[k]);
    ww_ncu_launch l = launch_of(head, &row, kernel);
    finish(&v, &l.row);
    ww_push(a, out, l);
  }
}

/* Rows of one launch follow one another and have its ID. */
static void
read_details(const char *at, const ww_strings *head, ww_arena *a, ww_ncu_table *out) {
  const char *id = NULL;
  values v = none();
  while (*at) {
    ww_strings row = fields(&at, a);
    const char *kernel = get(head, &row, "Kernel Name");
    const char *this = get(head, &row, "ID");
    const char *name = get(head, &row, "Metric Name");
    if (!kernel || !*kernel || !this)
      continue;
    if (!id || strcmp(id, this)) {
      ww_push(a, out, launch_of(head, &row, kernel));
      v = none();
      id = this;
    }
    if (name)
      take(&v, name, get(head, &row, "Metric Unit"), get(head, &row, "Metric Value"));
    finish(&v, &out->v[out->n - 1].row);
  }
}

ww_status ww_ncu_read(const char *csv, ww_arena *a, ww_ncu_table *out, ww_err *e) {
  const char *at = csv;
  *out = (ww_ncu_table){0};
  while (at && !ww_starts(at, "\"ID\"") && !ww_starts(at, "ID,"))
    at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL;
  if (!at)
    return ww_fail(e, WW_EDATA, "Nsight Compute gave no table: %.300s",
                   csv + (strlen(csv) > 300 ? strlen(csv) - 300 : 0));
  ww_strings head = fields(&at, a);
  if (!get(&head, &head, "Kernel Name"))
    return ww_fail(e, WW_EDATA, "the table has no column \"Kernel Name\"");
  bool long_form =
      get(&head, &head, "Metric Name") && get(&head, &head, "Metric Value");
  (long_form ? read_details : read_raw)(at, &head, a, out);
  return WW_OK;
}
