/* show.c - a trace for people and for programs: tables on a terminal, members of the
 * report's JSON.
 */
#include "run.h"

#include <stdlib.h>

#include "../base/units.h"

static const char *const kinds[] = {"load", "store", "atomic"};

/* ---- JSON ---- */

#define NUM(of, member) ww_json_knum(j, #member, (of)->member)

static void write_counts(ww_json *j, const ww_tally *t) {
  ww_json_key(j, "counts");
  ww_json_obj(j);
  for (uint32_t k = 0; k < ww_ncounts; k++)
    ww_json_knum(j, ww_count_table[k].name,
                 *(const double *)((const char *)&t->c + ww_count_table[k].at));
  ww_json_end_obj(j);
  ww_json_key(j, "instructions");
  ww_json_obj(j);
  for (int k = 0; k < WW_NCLASSES; k++)
    if (t->by_class[k])
      ww_json_knum(j, ww_class_names[k], t->by_class[k]);
  ww_json_end_obj(j);
  ww_json_key(j, "dependencies");
  ww_json_obj(j);
  NUM(&t->dep, ilp);
  NUM(&t->dep, load_use_distance);
  NUM(&t->dep, loads_in_flight);
  ww_json_end_obj(j);
}

static void write_lines(ww_json *j, const ww_module *m, const ww_tally *t) {
  ww_json_key(j, "lines");
  ww_json_arr(j);
  for (uint32_t k = 0; k < t->nlines; k++) {
    const ww_line_counts *l = &t->lines[k];
    ww_json_obj(j);
    ww_json_kstr(j, "file", l->line ? m->files[l->file] : NULL);
    ww_json_kuint(j, "line", l->line);
    NUM(l, warp_instructions);
    NUM(l, thread_instructions);
    NUM(l, flops);
    if (l->ld_requests) {
      NUM(l, ld_requests);
      NUM(l, ld_sectors);
      NUM(l, ld_bytes);
    }
    if (l->st_requests) {
      NUM(l, st_requests);
      NUM(l, st_sectors);
      NUM(l, st_bytes);
    }
    if (l->shared_requests) {
      NUM(l, shared_requests);
      NUM(l, shared_passes);
      NUM(l, shared_ideal_passes);
    }
    if (l->atomics)
      NUM(l, atomics);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void write_args(ww_json *j, const ww_tally *t) {
  ww_json_key(j, "args");
  ww_json_arr(j);
  for (uint32_t k = 0; k < t->nargs; k++) {
    const ww_arg_counts *g = &t->args[k];
    ww_json_obj(j);
    ww_json_kstr(j, "name", g->name);
    if (g->arg >= 0)
      ww_json_kint(j, "arg", g->arg);
    NUM(g, ld_requests);
    NUM(g, ld_sectors);
    NUM(g, ld_bytes);
    NUM(g, st_requests);
    NUM(g, st_sectors);
    NUM(g, st_bytes);
    NUM(g, atomics);
    ww_json_kint(j, "touched_from", g->lo);
    ww_json_kint(j, "touched_to", g->hi);
    NUM(g, unique_sectors);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

static void
write_footprints(ww_json *j, const ww_module *m, const ww_fn *fn, const ww_sampled *s) {
  ww_json_key(j, "footprints");
  ww_json_arr(j);
  for (uint32_t k = 0; k < s->nfootprints; k++) {
    const ww_footprint *f = &s->footprints[k];
    ww_json_obj(j);
    ww_json_kstr(j, "kind", kinds[f->kind]);
    ww_json_kuint(j, "line", m->locs[f->ins->loc].line);
    if (f->arg >= 0)
      ww_json_kstr(j, "arg", fn->params[f->arg].name);
    ww_json_knum(j, "from", f->at);
    ww_json_key(j, "stride");
    ww_json_arr(j);
    for (int d = 0; d < 3; d++)
      ww_json_num(j, f->stride[d]);
    ww_json_end_arr(j);
    NUM(f, bytes);
    ww_json_kbool(j, "affine", f->affine);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

void ww_trace_write(void *ctx, ww_json *j) {
  const ww_trace_json *x = ctx;
  const ww_sampled *s = &x->t->sampled;
  write_counts(j, &s->tally);
  write_args(j, &s->tally);
  write_lines(j, x->m, &s->tally);
  if (s->nfootprints)
    write_footprints(j, x->m, x->fn, s);
  ww_json_kbool(j, "loops_extrapolated", s->extrapolated);
  ww_json_kbool(j, "sampling_complete", s->complete);
  ww_json_key(j, "timing");
  ww_json_obj(j);
  NUM(x->t, inputs_ms);
  NUM(x->t, trace_ms);
  NUM(x->t, trace_cpu_ms);
  ww_json_kuint(j, "warp_instructions_run", s->warp_instructions);
  ww_json_end_obj(j);
}

/* ---- terminal ---- */

/* 1234567 as 1.23 M: four digits are enough to compare, columns stay narrow. */
static const char *human(double v, char b[16]) {
  const char *unit = ww_unit_of(&v, ww_units_thousands, 9999.5, 9999.5);
  snprintf(b, 16, *unit || v != (int64_t)v ? "%.4g%s%s" : "%.0f%s%s", v,
           *unit ? " " : "", unit);
  return b;
}

static void row(FILE *f, const char *name, double v, const char *note) {
  char b[16];
  fprintf(f, "  %-24s %12s%s%s\n", name, human(v, b), *note ? "  " : "", note);
}

/* A row only where there is something to show. */
static void some(FILE *f, const char *name, double v, const char *note) {
  if (v)
    row(f, name, v, note);
}

/* a / b in words, as the format has it; nothing where there is nothing to divide by. */
static const char *per(double a, double b, const char *format, char out[64]) {
  *out = 0;
  if (b > 0)
    snprintf(out, 64, format, a / b);
  return out;
}

static void print_totals(const ww_tally *t, FILE *f) {
  const ww_counts *c = &t->c;
  char b[64];
  fprintf(f, "\ninstructions\n");
  row(f, "warp instructions", c->warp_instructions,
      per(c->thread_instructions, c->warp_instructions, "%.3g active lanes", b));
  some(f, "branches", c->branches,
       per(100 * c->divergent_branches, c->branches, "%.3g %% diverge", b));
  some(f, "flops fp64", c->flops_fp64, "");
  some(f, "flops fp32", c->flops_fp32, "");
  some(f, "flops fp16", c->flops_fp16, "");
  some(f, "flops tensor", c->flops_tensor, "");
  row(f, "integer operations", c->int_ops, "");
  some(f, "barriers", c->barriers, "");
  some(f, "shuffles and votes", c->shuffles, "");
  fprintf(f, "\nmemory\n");
  some(f, "global load requests", c->global_ld_requests,
       per(c->global_ld_sectors, c->global_ld_requests, "%.3g sectors each", b));
  some(f, "  bytes asked for", c->global_ld_bytes,
       per(100 * c->global_ld_bytes, 32 * c->global_ld_sectors,
           "%.3g %% of the sectors' bytes", b));
  some(f, "global store requests", c->global_st_requests,
       per(c->global_st_sectors, c->global_st_requests, "%.3g sectors each", b));
  some(f, "  bytes written", c->global_st_bytes,
       per(100 * c->global_st_bytes, 32 * c->global_st_sectors,
           "%.3g %% of the sectors' bytes", b));
  double shared = c->shared_ld_requests + c->shared_st_requests;
  some(f, "shared requests", shared,
       per(c->shared_ld_passes + c->shared_st_passes, c->shared_ideal_passes,
           "%.3g passes where 1 would do", b));
  some(f, "local requests", c->local_requests, "");
  some(f, "constant requests", c->const_requests,
       per(c->const_words, c->const_requests, "%.3g words each", b));
  some(
      f, "atomic requests", c->atomic_requests,
      per(c->atomic_max_same, c->atomic_requests, "%.3g lanes meet at one address", b));
  if (t->dep.loads_in_flight) {
    fprintf(f, "\nparallelism within a warp\n");
    fprintf(f, "  %-25s %11.3g\n  %-25s %11.3g\n  %-25s %11.3g\n",
            "instructions together", t->dep.ilp, "loads in flight",
            t->dep.loads_in_flight, "load to use, instructions",
            t->dep.load_use_distance);
  }
}

static void print_args(const ww_tally *t, FILE *f) {
  char a[16];
  char b[16];
  char c[16];
  char d[16];
  if (!t->nargs)
    return;
  fprintf(f, "\n%-20s %12s %12s %12s %14s\n", "argument", "load bytes", "store bytes",
          "atomics", "touched");
  for (uint32_t k = 0; k < t->nargs; k++) {
    const ww_arg_counts *g = &t->args[k];
    fprintf(f, "%-20s %12s %12s %12s %14s\n", g->name, human(g->ld_bytes, a),
            human(g->st_bytes, b), human(g->atomics, c), human(g->hi - g->lo, d));
  }
}

static int by_work(const void *a, const void *b) {
  const ww_line_counts *x = a;
  const ww_line_counts *y = b;
  double p = x->warp_instructions + 4 * (x->ld_sectors + x->st_sectors);
  double q = y->warp_instructions + 4 * (y->ld_sectors + y->st_sectors);
  return p < q ? 1 : p > q ? -1 : 0;
}

static void print_lines(const ww_module *m, const ww_tally *t, FILE *f) {
  enum { MOST = 12 };
  char a[16];
  char b[16];
  ww_line_counts *l = ww_xmalloc(t->nlines * sizeof *l + 1);
  memcpy(l, t->lines, t->nlines * sizeof *l);
  qsort(l, t->nlines, sizeof *l, by_work);
  fprintf(f, "\n%-28s %12s %12s %10s %10s %10s\n", "line", "warp instr.", "flops",
          "ld sect.", "st sect.", "conflict");
  for (uint32_t k = 0; k < t->nlines && k < MOST; k++) {
    char where[256];
    char ld[64];
    char st[64];
    char conflict[64];
    char row[512];
    if (l[k].line)
      snprintf(where, sizeof where, "%s:%u", ww_path_base(m->files[l[k].file]),
               l[k].line);
    else
      snprintf(where, sizeof where, "(no line)");
    int n = snprintf(
        row, sizeof row, "%-28s %12s %12s %10s %10s %10s", where,
        human(l[k].warp_instructions, a), l[k].flops ? human(l[k].flops, b) : "",
        per(l[k].ld_sectors, l[k].ld_requests, "%.3g", ld),
        per(l[k].st_sectors, l[k].st_requests, "%.3g", st),
        per(l[k].shared_passes, l[k].shared_ideal_passes, "%.3gx", conflict));
    while (n > 0 && n < (int)sizeof row && row[n - 1] == ' ')
      row[--n] = 0;
    fprintf(f, "%s\n", row);
  }
  free(l);
}

void ww_trace_print(const ww_module *m,
                    const ww_fn *fn,
                    const ww_trace_result *t,
                    FILE *f) {
  const ww_launch *l = &t->launch;
  fprintf(f, "%s  %s:%u\n", fn->name, ww_path_base(fn->file), fn->line);
  fprintf(f, "grid %llu x %llu x %llu, block %llu x %llu x %llu",
          (unsigned long long)l->grid[0], (unsigned long long)l->grid[1],
          (unsigned long long)l->grid[2], (unsigned long long)l->block[0],
          (unsigned long long)l->block[1], (unsigned long long)l->block[2]);
  fprintf(f, "; ran %llu of %llu blocks%s\n", (unsigned long long)t->sampled.blocks,
          (unsigned long long)t->sampled.of,
          t->sampled.extrapolated ? ", long loops in part" : "");
  ww_assumptions_print(&t->assumed.list, "assumed:", "        ", f);
  print_totals(&t->sampled.tally, f);
  print_args(&t->sampled.tally, f);
  print_lines(m, &t->sampled.tally, f);
}

/* ---- the report ---- */

#define COUNTED(metric) ww_report_set(out, WW_M_##metric, c->metric)

void ww_trace_report(const ww_fn *fn, const ww_trace_result *t, ww_report *out) {
  const ww_counts *c = &t->sampled.tally.c;
  *out = (ww_report){.file = fn->file,
                     .kernel = fn->name,
                     .by = WW_BY_TRACE,
                     .launch = &t->launch,
                     .assumed = t->assumed.list,
                     .sampled_blocks = t->sampled.blocks,
                     .total_blocks = t->sampled.of};
  ww_report_set(out, WW_M_shared_bytes, fn->shared_bytes + t->launch.shared);
  ww_report_set(out, WW_M_local_bytes, fn->local_bytes);
  COUNTED(warp_instructions);
  ww_report_ratio(out, WW_M_active_lanes, c->thread_instructions, c->warp_instructions);
  COUNTED(flops_fp64);
  COUNTED(flops_fp32);
  COUNTED(flops_fp16);
  COUNTED(flops_tensor);
  COUNTED(int_ops);
  ww_report_ratio(out, WW_M_ld_sectors_per_request, c->global_ld_sectors,
                  c->global_ld_requests);
  ww_report_ratio(out, WW_M_st_sectors_per_request, c->global_st_sectors,
                  c->global_st_requests);
  ww_report_ratio(out, WW_M_shared_conflict_ways,
                  c->shared_ld_passes + c->shared_st_passes, c->shared_ideal_passes);
}
