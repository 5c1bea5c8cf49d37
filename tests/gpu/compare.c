/* compare.c - Nsight Compute's values of a run of the triples against the counts of our
 * trace.
 *
 *   compare BUILD OUT [FOLDER] [--markdown FILE]
 *
 * BUILD/trace/NAME.json is our report; OUT/triples.csv and OUT/triples.order what
 * run.sh got from the device, OUT/probes.* the single accesses. A count is compared
 * when the device has all the counters that make it up. Counts that are in NAME.want
 * are marked with *: they hold for any compiler's code, so a difference there is a
 * finding. Differences are shown, they are no failure: nvcc's code is not ours. Probes
 * have no compiler in between: a difference fails. */
#include "../triple.h"

#include <stdlib.h>

#define MAX_TERMS 6

/* A count as a sum over counters. Of the names separated by |, the first that was
 * measured is taken. */
static const struct {
  const char *count;
  struct {
    double times;
    const char *metric;
  } of[MAX_TERMS];
} rules[] = {
    {"blocks", {{1, "launch__grid_size"}}},
    {"warps", {{1, "smsp__warps_launched.sum"}}},
#define SASS(op) "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
    {"flops_fp64", {{1, SASS("dadd")}, {1, SASS("dmul")}, {2, SASS("dfma")}}},
    {"flops_fp32", {{1, SASS("fadd")}, {1, SASS("fmul")}, {2, SASS("ffma")}}},
    {"flops_tensor",
     {{1, "sm__ops_path_tensor_op_hmma_src_fp16_dst_fp32_sparsity_off.sum"}}},
    {"flops_fp16", {{1, SASS("hadd")}, {1, SASS("hmul")}, {2, SASS("hfma")}}},
#undef SASS
    {"global_ld_requests", {{1, "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}}},
    {"global_ld_sectors", {{1, "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}}},
    {"global_st_requests", {{1, "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}}},
    {"global_st_sectors", {{1, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}}},
    {"shared_ld_requests", {{1, "smsp__sass_inst_executed_op_shared_ld.sum"}}},
    {"shared_ld_passes", {{1, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}}},
    {"shared_st_requests", {{1, "smsp__sass_inst_executed_op_shared_st.sum"}}},
    {"shared_st_passes", {{1, "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}}},
    {"atomic_requests",
     {{1, "l1tex__t_requests_pipe_lsu_mem_global_op_atom.sum"},
      {1, "l1tex__t_requests_pipe_lsu_mem_global_op_red.sum"},
      {1, "smsp__sass_inst_executed_op_shared_atom.sum"}}},
    {"local_requests",
     {{1, "smsp__sass_inst_executed_op_local_ld.sum"},
      {1, "smsp__sass_inst_executed_op_local_st.sum"}}},
};
#define NRULES (sizeof rules / sizeof *rules)

/* ---- ncu's CSV: one line per launch and metric ---- */

typedef struct {
  uint32_t launch;
  const char *metric;
  double value;
} sample;

typedef struct {
  sample *v;
  uint32_t n, launches;
} profile;

/* The next field of a line in which all are quoted, ended in place; quotes inside are
 * doubled. NULL: no more. */
static char *next_field(char **line) {
  char *p = strchr(*line, '"'), *to = p, *start = p;
  if (!p)
    return NULL;
  for (p++; *p && (*p != '"' || p[1] == '"'); p++) {
    p += *p == '"';
    *to++ = *p;
  }
  *line = *p ? p + 1 : p;
  *to = 0;
  return start;
}

static double number(const char *s) { /* "1,234.5" */
  char plain[64];
  size_t n = 0;
  for (; *s && n + 1 < sizeof plain; s++)
    if (*s != ',')
      plain[n++] = *s;
  plain[n] = 0;
  return strtod(plain, NULL);
}

#define COLUMNS 32

static void read_line(profile *p, char *line, int where[3]) {
  char *field[COLUMNS];
  int n = 0;
  while (n < COLUMNS && (field[n] = next_field(&line)))
    n++;
  if (n && where[0] < 0) { /* the heading */
    static const char *const names[3] = {"ID", "Metric Name", "Metric Value"};
    for (int i = 0; i < n; i++)
      for (int k = 0; k < 3; k++)
        if (strcmp(field[i], names[k]) == 0)
          where[k] = i;
  } else if (where[0] >= 0 && n > where[2] && n > where[1]) {
    p->v = ww_xrealloc(p->v, (p->n + 1) * sizeof *p->v);
    sample *v = &p->v[p->n++];
    *v = (sample){(uint32_t)number(field[where[0]]), field[where[1]],
                  number(field[where[2]])};
    if (v->launch >= p->launches)
      p->launches = v->launch + 1;
  }
}

static bool read_profile(profile *p, ww_arena *a, const char *path) {
  char *text;
  size_t n;
  ww_err e = {0};
  int where[3] = {-1, -1, -1};
  *p = (profile){0};
  if (ww_read_file(a, path, 256u << 20, &text, &n, &e) != WW_OK) {
    fprintf(stderr, "%s\n", e.msg);
    return false;
  }
  for (char *line = text, *end; *line; line = end) {
    end = line + strcspn(line, "\n");
    if (*end)
      *end++ = 0;
    if (*line == '"')
      read_line(p, line, where);
  }
  return p->n > 0;
}

static bool value_of(
    const profile *p, uint32_t launch, const char *metric, size_t len, double *out) {
  for (uint32_t i = 0; i < p->n; i++)
    if (p->v[i].launch == launch && strlen(p->v[i].metric) == len &&
        strncmp(p->v[i].metric, metric, len) == 0) {
      *out = p->v[i].value;
      return true;
    }
  return false;
}

/* The first of the names separated by | that was measured. */
static bool
first_of(const profile *p, uint32_t launch, const char *names, double *out) {
  for (size_t len; *names; names += len + (names[len] == '|')) {
    len = strcspn(names, "|");
    if (value_of(p, launch, names, len, out))
      return true;
  }
  return false;
}

static bool hardware(const profile *p, uint32_t launch, size_t rule, double *out) {
  *out = 0;
  for (size_t k = 0; k < MAX_TERMS && rules[rule].of[k].metric; k++) {
    double v;
    if (!first_of(p, launch, rules[rule].of[k].metric, &v))
      return false;
    *out += rules[rule].of[k].times * v;
  }
  return true;
}

/* ---- triples ---- */

typedef struct {
  const char *build, *out, *dir;
  FILE *markdown;
  uint32_t equal, compared, named_equal, named, whole, kernels;
  struct {
    uint32_t equal, compared;
  } by_rule[NRULES];
} totals;

static cJSON *read_json(ww_arena *a, const char *path) {
  char *text;
  size_t n;
  return ww_read_file(a, path, 64u << 20, &text, &n, NULL) == WW_OK ? cJSON_Parse(text)
                                                                    : NULL;
}

static void
add_difference(ww_buf *b, const char *count, bool named, double ours, double theirs) {
  ww_buf_fmt(b, "%s%s%s %.0f/%.0f", b->n ? ", " : "", count, named ? "*" : "", theirs,
             ours);
  if (ours > 0 && theirs > 0)
    ww_buf_fmt(b, " (%.3g)", theirs / ours);
}

/* One kernel: hardware/ours for what differs. A count that is 0 on both sides is left
 * out of the sums. */
static void
compare_triple(totals *s, const profile *p, uint32_t launch, const char *name) {
  ww_arena *a = ww_arena_new();
  cJSON *report = read_json(a, ww_fmt(a, "%s/trace/%s.json", s->build, name));
  cJSON *want = read_json(a, ww_fmt(a, "%s/%s.want", s->dir, name));
  const cJSON *counts = cJSON_GetObjectItemCaseSensitive(report, "counts");
  const cJSON *named = cJSON_GetObjectItemCaseSensitive(want, "counts");
  uint32_t equal = 0, compared = 0;
  ww_buf differs = {0};
  for (size_t r = 0; r < NRULES; r++) {
    const cJSON *ours = cJSON_GetObjectItemCaseSensitive(counts, rules[r].count);
    bool in_want = cJSON_HasObjectItem(named, rules[r].count);
    double theirs;
    if (!ours || !hardware(p, launch, r, &theirs) ||
        (ours->valuedouble == 0 && theirs == 0))
      continue;
    bool same = ours->valuedouble == theirs;
    if (!same)
      add_difference(&differs, rules[r].count, in_want, ours->valuedouble, theirs);
    compared++;
    equal += same;
    s->named += in_want;
    s->named_equal += in_want && same;
    s->by_rule[r].compared++;
    s->by_rule[r].equal += same;
  }
  s->compared += compared;
  s->equal += equal;
  s->kernels++;
  s->whole += equal == compared;
  printf("%-18s %2u of %2u equal%s%s\n", name, equal, compared, differs.n ? "; " : "",
         differs.n ? differs.s : "");
  if (s->markdown)
    fprintf(s->markdown, "| %s | %u of %u | %s |\n", name, equal, compared,
            differs.n ? differs.s : "");
  ww_buf_free(&differs);
  cJSON_Delete(report);
  cJSON_Delete(want);
  ww_arena_free(a);
}

static bool compare_triples(totals *s) {
  ww_arena *a = ww_arena_new();
  profile p;
  char name[256];
  FILE *order = fopen(ww_fmt(a, "%s/triples.order", s->out), "r");
  bool ok = order && read_profile(&p, a, ww_fmt(a, "%s/triples.csv", s->out));
  if (s->markdown)
    fputs("| kernel | equal | differs: hardware/ours (ratio) |\n|---|---|---|\n",
          s->markdown);
  for (uint32_t i = 0; ok && fscanf(order, "%255s", name) == 1; i++)
    compare_triple(s, &p, i, name);
  if (ok)
    free(p.v);
  if (order)
    fclose(order);
  ww_arena_free(a);
  printf("%u of %u counts equal (of those in .want: %u of %u); %u of %u kernels equal "
         "in all\n",
         s->equal, s->compared, s->named_equal, s->named, s->whole, s->kernels);
  for (size_t r = 0; r < NRULES; r++)
    printf("  %-20s %3u of %3u\n", rules[r].count, s->by_rule[r].equal,
           s->by_rule[r].compared);
  return ok;
}

/* ---- probes: lines `KIND PATTERN UNITS`, KIND being SPACE_DIRECTION_WIDTH ---- */

static const char *probe_metric(const char *kind) {
  static const struct {
    const char *prefix, *metric;
  } of[] = {
      {"shared_ld", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"},
      {"shared_st", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"},
      {"global_ld", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"},
      {"global_st", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"},
      {"global_atom", "l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum"},
      {"global_red", "l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum"},
      {"shared_atom", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
      {"shared_red", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum"},
  };
  for (size_t i = 0; i < sizeof of / sizeof *of; i++)
    if (strncmp(kind, of[i].prefix, strlen(of[i].prefix)) == 0)
      return of[i].metric;
  return "";
}

static bool compare_probes(totals *s) {
  ww_arena *a = ww_arena_new();
  profile p;
  char kind[64], pattern[64];
  unsigned ours;
  uint32_t equal = 0, n = 0,
           wrong =
               0; /* wrong: without atomics, of which we count no sectors or passes */
  double theirs;
  FILE *order = fopen(ww_fmt(a, "%s/probes.order", s->out), "r");
  bool ok = order && read_profile(&p, a, ww_fmt(a, "%s/probes.csv", s->out));
  for (uint32_t i = 0; ok && fscanf(order, "%63s %63s %u", kind, pattern, &ours) == 3;
       i++) {
    if (!first_of(&p, i, probe_metric(kind), &theirs))
      continue;
    n++;
    equal += theirs == ours;
    wrong += theirs != ours && !strstr(kind, "_atom") && !strstr(kind, "_red");
    if (theirs != ours)
      printf("probe %-14s %-12s ours %u hardware %.0f\n", kind, pattern, ours, theirs);
  }
  if (ok)
    free(p.v);
  if (order)
    fclose(order);
  ww_arena_free(a);
  printf("%u of %u single accesses equal\n", equal, n);
  return ok && n && !wrong;
}

int main(int argc, char **argv) {
  totals s = {.dir = "tests/kernels"};
  int plain = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--markdown") == 0 && i + 1 < argc)
      s.markdown = fopen(argv[++i], "w");
    else if (plain < 3)
      *(const char **[]){&s.build, &s.out, &s.dir}[plain++] = argv[i];
  }
  if (plain < 2) {
    fprintf(stderr, "usage: %s BUILD OUT [FOLDER] [--markdown FILE]\n", argv[0]);
    return 2;
  }
  bool ok = compare_triples(&s);
  ok = compare_probes(&s) && ok;
  if (s.markdown)
    fclose(s.markdown);
  return !ok;
}
