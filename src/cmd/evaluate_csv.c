/* evaluate_csv.c - somebody else's table of profiled launches as cases: rows of a CSV
 * file, launches from recordings of the programs.
 *
 * The columns are those of gpuFLOPBench's table: "Kernel Name", "Block Size", "Grid
 * Size", dpAI, spAI, intAI, dpPerf, spPerf, intPerf, traffic (bytes/s), xtime (ns),
 * device, targetName, kernelName. Repetitions of a launch (same program, kernel and
 * shape) are one case, the first. A recording is DIR/<targetName>.jsonl, as `warpwise
 * record --emulate` writes it. Classes follow the table's authors: its three
 * intensities against their three balance points. */
#include <math.h>
#include <stdlib.h>

#include "evaluate.h"

typedef ww_strings csv_row;

typedef struct {
  const char *program;
  ww_launch *v;
  uint32_t n;
  ww_strings kernels;       /* names of its launches */
  const ww_strings *listed; /* names of its rows in the table */
  const char *why;          /* there is none: why */
} recording;

typedef struct {
  ww_cmd *c;
  const char *dir;
  csv_row head;
  WW_VEC(csv_row) rows;
  WW_VEC(recording) recordings;
} reader;

/* ---- CSV ---- */

/* One field at *at, unquoted in place; moves *at behind its comma or line end, which
 * comes back (0: the text's end). */
static char field(char **at, const char **out) {
  char *from = *at;
  char *to = *at;
  *out = to;
  bool quoted = *from == '"';
  if (quoted)
    from++;
  for (; *from; from++) {
    if (quoted && *from == '"') {
      if (from[1] != '"') {
        quoted = false;
        continue;
      }
      from++;
    } else if (!quoted && (*from == ',' || *from == '\n'))
      break;
    if (*from != '\r' || quoted)
      *to++ = *from;
  }
  char end = *from;
  *at = end ? from + 1 : from;
  *to = 0;
  return end;
}

static csv_row next_row(char **at, ww_arena *a) {
  csv_row all = {0};
  const char *one;
  for (char end = **at; end && end != '\n';) {
    end = field(at, &one);
    ww_push(a, &all, one);
  }
  return all;
}

static const char *get(const reader *r, const csv_row *row, const char *column) {
  for (uint32_t k = 0; k < r->head.n && k < row->n; k++)
    if (!strcmp(r->head.v[k], column))
      return row->v[k];
  return "";
}

static double number(const reader *r, const csv_row *row, const char *column) {
  const char *s = get(r, row, column);
  char *end;
  double v = strtod(s, &end);
  return end == s ? NAN : v;
}

static void shape(const char *s, uint64_t d[3]) {
  for (int k = 0; k < 3; k++) {
    s += strcspn(s, "0123456789");
    d[k] = strtoull(s, (char **)&s, 10);
    if (!d[k])
      d[k] = 1;
  }
}

/* ---- recordings ---- */

static const recording *recorded(reader *r, const char *program) {
  ww_arena *a = r->c->arena;
  for (uint32_t k = 0; k < r->recordings.n; k++)
    if (!strcmp(r->recordings.v[k].program, program))
      return &r->recordings.v[k];
  recording one = {.program = program};
  const char *path =
      r->dir ? ww_path_join(a, r->dir, ww_fmt(a, "%s.jsonl", program)) : NULL;
  ww_strings *listed = WW_NEW(a, ww_strings);
  ww_err e = {0};
  if (!path || !ww_file_exists(path))
    one.why = "the program has no recording";
  else if (ww_launch_read(path, a, &one.v, &one.n, &e) || !one.n)
    one.why = "the program's recording has no launch";
  for (uint32_t k = 0; k < one.n; k++)
    if (one.v[k].kernel)
      ww_push(a, &one.kernels, one.v[k].kernel);
  for (uint32_t k = 0; k < r->rows.n; k++)
    if (!strcmp(get(r, &r->rows.v[k], "targetName"), program))
      ww_push(a, listed, get(r, &r->rows.v[k], "kernelName"));
  one.listed = listed;
  ww_push(a, &r->recordings, one);
  return &r->recordings.v[r->recordings.n - 1];
}

static bool
same_shape(const ww_launch *l, const uint64_t grid[3], const uint64_t block[3]) {
  for (int k = 0; k < 3; k++)
    if (l->grid[k] != grid[k] || l->block[k] != block[k])
      return false;
  return true;
}

/* The launch that a row is about. The shape of an OpenMP region is its runtime's
 * choice, so any will do there. */
static const ww_launch *
find(reader *r, const recording *rec, const ww_eval_case *k, const char **why) {
  const ww_launch *other = NULL;
  const ww_launch *loose = NULL;
  bool region = ww_listed_region(k->measured.kernel);
  *why = rec->why;
  for (uint32_t i = 0; i < rec->n; i++) {
    const ww_launch *l = &rec->v[i];
    if (!l->kernel || !ww_listed_is(k, l->kernel, &rec->kernels, r->c->arena))
      continue;
    bool shaped = same_shape(l, k->launch.grid, k->launch.block);
    if (shaped && ww_listed_instance(k, l->kernel))
      return l;
    if (shaped || (region && !loose))
      loose = l;
    other = l;
  }
  if (loose)
    return loose;
  if (!*why)
    *why = other ? "the recorded launches of the kernel have other shapes"
                 : "the kernel is not in the program's recording";
  return NULL;
}

/* ---- cases ---- */

/* As the table's authors have them for their RTX 3080; they know three kinds of
 * operations. */
static const ww_balance authors = {.fp64 = 0.515,
                                   .fp32 = 32.97,
                                   .integer = 16.49,
                                   .fp16 = INFINITY,
                                   .tensor = INFINITY};

static void set(ww_report *m, ww_metric metric, double v) {
  if (isfinite(v))
    ww_report_set(m, metric, v);
}

static ww_report report_of(const reader *r, const csv_row *row) {
  ww_report m = {
      .kernel = get(r, row, "kernelName"),
      .by = WW_BY_HARDWARE,
  };
  double ns = number(r, row, "xtime");
  ww_balance i = {.fp64 = number(r, row, "dpAI"),
                  .fp32 = number(r, row, "spAI"),
                  .integer = number(r, row, "intAI")};
  set(&m, WW_M_time_us, ns / 1e3);
  set(&m, WW_M_dram_gbps, number(r, row, "traffic") / 1e9);
  set(&m, WW_M_flops_fp64, number(r, row, "dpPerf") * ns / 1e9);
  set(&m, WW_M_flops_fp32, number(r, row, "spPerf") * ns / 1e9);
  set(&m, WW_M_int_ops, number(r, row, "intPerf") * ns / 1e9);
  if (isfinite(i.fp64) && isfinite(i.fp32) && isfinite(i.integer))
    m.roofline_class = ww_bound_names[ww_bound_rule(&i, &authors)];
  return m;
}

static bool
repeated(const reader *r, const csv_row *rows, uint32_t n, const csv_row *row) {
  static const char *const key[] = {"Kernel Name", "targetName", "Grid Size",
                                    "Block Size"};
  for (uint32_t k = n, i; k-- > 0;) {
    for (i = 0; i < 4 && !strcmp(get(r, &rows[k], key[i]), get(r, row, key[i])); i++) {}
    if (i == 4)
      return true;
  }
  return false;
}

static ww_eval_case case_of(reader *r, const csv_row *row, const ww_gpu *gpu) {
  ww_eval_case k = {.measured = report_of(r, row),
                    .gpu = gpu,
                    .balance = authors,
                    .run = get(r, row, "targetName"),
                    .name = get(r, row, "Kernel Name"),
                    .words = get(r, row, "exeArgs")};
  const char *dash = strrchr(k.run, '-');
  const recording *rec = recorded(r, k.run);
  k.listed = rec->listed;
  shape(get(r, row, "Grid Size"), k.launch.grid);
  shape(get(r, row, "Block Size"), k.launch.block);
  const ww_launch *l = find(r, rec, &k, &k.unready);
  k.member[WW_GROUP_DIALECT] = dash && !strcmp(dash, "-omp") ? "openmp"
                               : dash                        ? dash + 1
                                                             : NULL;
  if (!l)
    return k;
  k.unready = NULL;
  k.measured.launch = l;
  k.measured.file = l->file;
  k.launch = *l;
  return k;
}

ww_status ww_evaluate_csv(ww_cmd *c,
                          const char *path,
                          const char *recordings,
                          ww_eval_case **out,
                          uint32_t *n) {
  ww_arena *a = c->arena;
  reader r = {
      .c = c,
      .dir = recordings,
  };
  char *text;
  size_t bytes;
  ww_gpu *gpu = WW_NEW(a, ww_gpu);
  if (ww_input_packed(a, path, 1 << 30, &text, &bytes, &c->err) ||
      ww_gpu_load(c->gpu ? c->gpu : "rtx3080", a, gpu, &c->err))
    return c->err.code;
  static const char *const need[] = {"Kernel Name", "kernelName", "targetName",
                                     "Grid Size",   "Block Size", "dpAI",
                                     "spAI",        "intAI"};
  WW_VEC(ww_eval_case) cases = {0};
  r.head = next_row(&text, a);
  for (size_t k = 0; k < WW_COUNT(need); k++)
    if (!*get(&r, &r.head, need[k]))
      return ww_fail(&c->err, WW_EPARSE, "%s: there is no column \"%s\"", path,
                     need[k]);
  while (*text) {
    csv_row row = next_row(&text, a);
    if (row.n >= r.head.n && !repeated(&r, r.rows.v, r.rows.n, &row))
      ww_push(a, &r.rows, row);
  }
  for (uint32_t k = 0; k < r.rows.n; k++)
    ww_push(a, &cases, case_of(&r, &r.rows.v[k], gpu));
  *out = cases.v;
  *n = cases.n;
  return cases.n ? WW_OK : ww_fail(&c->err, WW_EDATA, "%s has no rows", path);
}
