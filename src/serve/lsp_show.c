/* lsp_show.c - an analysis as the editor shows it: the line above each kernel, what hot
 * lines cost behind them, the report under the pointer.
 *
 * What was assumed is always named as such, here too. Where neither a kernel is
 * declared nor a line is hot, the pointer is told nothing: names and types are other
 * servers' to explain. */
#include "lsp_int.h"

#include <math.h>

#include "../base/units.h"

#define PATIENCE \
  1.0 /* seconds until an editor that can be told later gets lenses without numbers */

/* ---- numbers ---- */

/* Three digits that matter. */
static void number(double v, ww_buf *out) {
  double size = fabs(v);
  if (v == 0)
    ww_buf_puts(out, "0");
  else if (size < 0.01 || size >= 1e5)
    ww_buf_fmt(out, "%.2e", v);
  else
    ww_buf_fmt(out, "%.*f", 2 - (size >= 10) - (size >= 100), v);
}

static void scaled(double v, const char *const *units, ww_buf *out) {
  const char *unit = ww_unit_of(&v, units, 1000, 1000);
  number(v, out);
  if (*unit)
    ww_buf_fmt(out, " %s", unit);
}

static const char *const time_units[] = {"\u00b5s", "ms", "s", NULL};
static const char *const byte_units[] = {"B", "kB", "MB", "GB", "TB", NULL};
static const char *const flop_units[] = {"GFLOP/s", "TFLOP/s", NULL};
static const char *const rate_units[] = {"GB/s", "TB/s", NULL};
static const char *const count_units[] = {"", "k", "M", "G", "T", NULL};

void ww_show_duration(double us, ww_buf *out) {
  scaled(us, time_units, out);
}

static void interval(const ww_quantity *q, ww_buf *out) {
  double step = q->value >= 1e6 ? 1e6 : q->value >= 1000 ? 1000 : 1;
  ww_show_duration(q->value, out);
  if (!q->interval)
    return;
  ww_buf_puts(out, " (");
  number(q->low / step, out);
  ww_buf_puts(out, "\u2013");
  number(q->high / step, out);
  ww_buf_puts(out, ")");
}

/* ---- parts ---- */

const char *ww_show_gpu(const ww_gpu *g) {
  const char *name = g->full_name ? g->full_name : g->name;
  if (ww_starts(name, "NVIDIA "))
    name += 7;
  if (ww_starts(name, "AMD Instinct "))
    name += 13;
  return ww_starts(name, "AMD ") ? name + 4 : name;
}

static void dims(const uint64_t v[3], ww_buf *out) {
  ww_buf_fmt(out, "%llu", (unsigned long long)v[0]);
  if (v[1] > 1 || v[2] > 1)
    ww_buf_fmt(out, "\u00d7%llu", (unsigned long long)v[1]);
  if (v[2] > 1)
    ww_buf_fmt(out, "\u00d7%llu", (unsigned long long)v[2]);
}

static void shape(const ww_launch *l, ww_buf *out) {
  ww_buf_puts(out, "grid ");
  dims(l->grid, out);
  ww_buf_puts(out, " block ");
  dims(l->block, out);
}

double ww_show_share(const ww_report *r, const ww_gpu *g, const char **of) {
  ww_roofs roofs;
  ww_roof_point p;
  const char *why;
  ww_roofs_of(g, &roofs);
  *of = "roofline";
  if (ww_roof_point_of(r, &roofs, 0, &p, &why) && p.roof > 0)
    return p.gflops / p.roof;
  *of = "DRAM bandwidth";
  const ww_quantity *gbps = &r->m[WW_M_dram_gbps];
  return gbps->known && roofs.v[WW_ROOF_DRAM] > 0 ? gbps->value / roofs.v[WW_ROOF_DRAM]
                                                  : -1;
}

/* Something of its launch besides contents was assumed. */
static bool is_guessed(const ww_lsp_kernel *k) {
  for (uint32_t i = 0; i < k->report.assumed.n; i++) {
    ww_assumption_kind kind = k->report.assumed.v[i].kind;
    if (kind != WW_ASSUME_GPU && kind != WW_ASSUME_HOST_LAUNCH &&
        kind != WW_ASSUME_RANDOM_NUMBERS)
      return true;
  }
  return false;
}

static const char *origin_words(const ww_lsp_kernel *k) {
  static const char *const words[WW_NFROMS][2] = {
      [WW_FROM_COMMENT] = {"", " (partly assumed)"},
      [WW_FROM_PROJECT] = {" (.warpwise.json)", " (.warpwise.json, partly assumed)"},
      [WW_FROM_HOST] = {" (host code)", " (host code, partly assumed)"},
      [WW_FROM_NOBODY] = {" (assumed)", " (assumed)"},
  };
  return words[k->origin][is_guessed(k)];
}

/* Several instances of a template stand at one line. */
static bool needs_name(const ww_lsp_analysis *a, const ww_lsp_kernel *k) {
  uint32_t same = 0;
  for (uint32_t i = 0; i < a->nkernels; i++)
    same += a->v[i].here == k->here && a->v[i].line == k->line;
  return same > 1;
}

static void headline(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_buf *out) {
  const ww_report *r = &k->report;
  const char *of;
  if (needs_name(a, k))
    ww_buf_fmt(out, "%s: ", k->name);
  if (r->error.code) {
    const ww_err *e = &r->error;
    if (a->provisional)
      return ww_buf_puts(out, e->msg);
    ww_buf_fmt(out, "no prediction: %.*s", (int)strcspn(e->msg, "\n"), e->msg);
    if (a->error.code && e->line)
      ww_buf_fmt(out, " (line %u)", e->line);
    return;
  }
  interval(&r->m[WW_M_time_us], out);
  double share = ww_show_share(r, a->gpu, &of);
  if (share >= 0)
    ww_buf_fmt(out, " \u00b7 %.*f %% of %s", share < 0.1 ? 1 : 0, 100 * share, of);
  if (r->bottleneck)
    ww_buf_fmt(out, " \u00b7 bound by %.*s", (int)strcspn(r->bottleneck, ":"),
               r->bottleneck);
  ww_buf_fmt(out, " \u00b7 %s (%s)", ww_show_gpu(a->gpu),
             ww_grades[ww_gpu_grade(a->gpu)].text);
  if (a->gpu_note)
    ww_buf_fmt(out, " (%s)", a->gpu_note);
  ww_buf_puts(out, " \u00b7 ");
  shape(&k->launch, out);
  ww_buf_puts(out, origin_words(k));
  if (r->nfindings && r->findings[0].gain >= 1.2)
    ww_buf_fmt(out, " \u00b7 up to %.1f\u00d7 faster", r->findings[0].gain);
}

static void line_cost(const ww_report_line *l, bool brief, ww_buf *out) {
  ww_buf_fmt(out, "%.*f %%%s", l->share < 0.1 ? 1 : 0, 100 * l->share,
             brief ? "" : " of the kernel's time");
  if (l->sectors_per_request > 0)
    ww_buf_fmt(out, " \u00b7 %.3g sectors/request", l->sectors_per_request);
  if (l->shared_conflict_ways > 1.05)
    ww_buf_fmt(out, " \u00b7 %.3g-way bank conflicts", l->shared_conflict_ways);
  if (brief || l->bytes <= 0)
    return;
  ww_buf_puts(out, " \u00b7 ");
  scaled(l->bytes, byte_units, out);
  ww_buf_puts(out, " of global memory's sectors");
}

/* ---- the table ---- */

static const char *const percent_units[] = {"%", NULL};
#define PLAIN NULL

/* The rows a person wants, in reading order. */
static const struct {
  ww_metric metric;
  const char *const *units;
  const char *label;
} rows[] = {
    {WW_M_time_us, time_units, "time"},
    {WW_M_gflops, flop_units, "arithmetic"},
    {WW_M_ai, PLAIN, "flop per DRAM byte"},
    {WW_M_dram_gbps, rate_units, "DRAM throughput"},
    {WW_M_dram_read_bytes, byte_units, "DRAM read"},
    {WW_M_dram_write_bytes, byte_units, "DRAM written"},
    {WW_M_l1_hit_pct, percent_units, "L1 hits"},
    {WW_M_l2_hit_pct, percent_units, "L2 hits"},
    {WW_M_ld_sectors_per_request, PLAIN, "sectors per load"},
    {WW_M_st_sectors_per_request, PLAIN, "sectors per store"},
    {WW_M_shared_conflict_ways, PLAIN, "bank conflicts, ways"},
    {WW_M_occupancy_pct, percent_units, "occupancy"},
    {WW_M_occupancy_limit_pct, percent_units, "occupancy limit"},
    {WW_M_active_lanes, PLAIN, "active lanes"},
    {WW_M_registers, count_units, "registers"},
    {WW_M_shared_bytes, byte_units, "shared memory of a block"},
    {WW_M_local_bytes, byte_units, "local memory of a thread"},
    {WW_M_warp_instructions, count_units, "warp instructions"},
};

static void cell(double v, const char *const *units, ww_buf *out) {
  if (!units)
    number(v, out);
  else if (units == percent_units)
    ww_buf_fmt(out, "%.1f %%", v);
  else if (units == count_units && v < 1000)
    ww_buf_fmt(out, "%.0f", v);
  else
    scaled(v, units, out);
}

static void table_rows(const ww_report *r, ww_buf *out) {
  ww_buf_puts(out, "| | predicted | interval |\n|:--|--:|:-:|\n");
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const ww_quantity *q = &r->m[rows[k].metric];
    const char *const *units = rows[k].units;
    bool idle = q->value == 0 && (units == byte_units || units == flop_units);
    if (!q->known || (idle && rows[k].metric != WW_M_dram_write_bytes))
      continue;
    ww_buf_fmt(out, "| %s | ", rows[k].label);
    cell(q->value, units, out);
    ww_buf_puts(out, " | ");
    if (q->interval) {
      cell(q->low, units, out);
      ww_buf_puts(out, " \u2013 ");
      cell(q->high, units, out);
    }
    ww_buf_puts(out, " |\n");
  }
}

/* Text of a source or a message, in markdown: what would be markup is not. */
static void plain(const char *s, ww_buf *out) {
  for (; *s; s++) {
    if (strchr("\\`*_{}[]<>#|", *s))
      ww_buf_puts(out, "\\");
    ww_buf_add(out, s, 1);
  }
}

static void findings(const ww_lsp_analysis *a, const ww_report *r, ww_buf *out) {
  for (uint32_t k = 0; k < r->nfindings; k++) {
    const ww_finding *f = &r->findings[k];
    bool other = f->file && strcmp(f->file, a->path) != 0;
    ww_buf_puts(out, k ? "- " : "\n**What to change**\n\n- ");
    if (f->gain > 1)
      ww_buf_fmt(out, "**%.2g\u00d7 faster** ", f->gain);
    if (f->line && other)
      ww_buf_fmt(out, "(%s:%u) ", ww_path_base(f->file), f->line);
    else if (f->line)
      ww_buf_fmt(out, "(line %u) ", f->line);
    plain(f->message, out);
    ww_buf_puts(out, "\n");
  }
}

void ww_show_table(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_buf *out) {
  const ww_report *r = &k->report;
  const char *of;
  ww_buf_puts(out, "**");
  plain(k->name, out);
  ww_buf_fmt(out, "** on %s (%s)\n\n",
             a->gpu->full_name ? a->gpu->full_name : a->gpu->name,
             ww_grades[ww_gpu_grade(a->gpu)].text);
  if (a->gpu_note)
    ww_buf_fmt(out, "%s, so another GPU is shown.\n\n", a->gpu_note);
  if (r->error.code) {
    ww_buf_puts(out, "No prediction: ");
    plain(r->error.msg, out);
    ww_buf_puts(out, "\n");
    return;
  }
  table_rows(r, out);
  double share = ww_show_share(r, a->gpu, &of);
  ww_buf_puts(out, "\n");
  if (share >= 0)
    ww_buf_fmt(out, "%.*f %% of the %s. ", share < 0.1 ? 1 : 0, 100 * share, of);
  if (r->bottleneck) {
    ww_buf_puts(out, "Bound by ");
    plain(r->bottleneck, out);
    ww_buf_puts(out, ".");
  }
  ww_buf_puts(out, "\n");
  findings(a, r, out);
  ww_buf_puts(out, "\n**Launch** ");
  shape(&k->launch, out);
  ww_buf_puts(out, origin_words(k));
  ww_buf_puts(out, "\n");
  ww_buf sentence = {0};
  for (uint32_t i = 0; i < r->assumed.n; i++) {
    sentence.n = 0;
    ww_assumption_put(&r->assumed.v[i], &sentence);
    ww_buf_puts(out, i ? "- " : "\n**Assumed**\n\n- ");
    plain(sentence.s, out);
    ww_buf_puts(out, "\n");
  }
  ww_buf_free(&sentence);
}

/* ---- lenses ---- */

static void write_lens(const ww_lsp_analysis *a, const ww_lsp_kernel *k, ww_json *j) {
  ww_buf title = {0};
  ww_position at = {k->first - 1, 0};
  headline(a, k, &title);
  ww_json_obj(j);
  ww_range_write(j, at, at);
  ww_json_put(j,
              "command:{title:%s,command:'warpwise.showReport',arguments:[{uri:%s,"
              "kernel:%s,line:%u,show:true}]}}",
              title.s, a->uri, k->mangled, k->line - 1);
  ww_buf_free(&title);
}

void ww_lsp_code_lens(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_lens ? PATIENCE : 0);
  if (!a)
    return;
  ww_json j = {0};
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->code_lens && k < a->nkernels; k++)
    if (a->v[k].here && a->v[k].line)
      write_lens(a, &a->v[k], &j);
  ww_json_end_arr(&j);
  ww_rpc_answer(c, &j);
  ww_lsp_let_go(s, a);
}

/* ---- hints ---- */

static void write_hint(const ww_lsp_analysis *a,
                       const ww_lsp_kernel *k,
                       const ww_report_line *l,
                       ww_json *j) {
  size_t begin;
  size_t end;
  ww_buf label = {0};
  ww_buf tip = {0};
  if (!ww_text_line(a->text, a->n, l->line - 1, &begin, &end))
    return;
  while (end > begin && strchr(" \t", a->text[end - 1]))
    end--;
  line_cost(l, true, &label);
  ww_buf_fmt(&tip, "%s on %s: ", k->name, ww_show_gpu(a->gpu));
  line_cost(l, false, &tip);
  ww_position at = ww_text_position(a->text, a->n, end);
  ww_json_put(j,
              "{position:{line:%u,character:%u},label:%s,tooltip:%s,paddingLeft:true}",
              at.line, at.col, label.s, tip.s);
  ww_buf_free(&label);
  ww_buf_free(&tip);
}

/* Of a line that several kernels have (instances, inlined functions) the one that
 * spends most there. */
static bool
is_shown(const ww_lsp_analysis *a, const ww_lsp_kernel *k, const ww_report_line *l) {
  if (!l->line || 100 * l->share < a->settings->hint_percent)
    return false;
  for (uint32_t i = 0; i < a->nkernels; i++)
    for (uint32_t n = 0; n < a->v[i].nlines; n++) {
      const ww_report_line *other = &a->v[i].lines[n];
      if (other->line != l->line || other == l)
        continue;
      if (other->share > l->share || (other->share == l->share && &a->v[i] < k))
        return false;
    }
  return true;
}

void ww_lsp_inlay_hint(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_position from = {0};
  ww_position to = {UINT32_MAX, 0};
  ww_range_read(ww_rpc_params(c), &from, &to);
  ww_lsp_analysis *a = ww_lsp_asked(s, c, s->can.refresh_hints ? PATIENCE : 0);
  if (!a)
    return;
  ww_json j = {0};
  ww_json_arr(&j);
  for (uint32_t k = 0; a->settings->inlay_hints && k < a->nkernels; k++)
    for (uint32_t n = 0; n < a->v[k].nlines; n++) {
      const ww_report_line *l = &a->v[k].lines[n];
      if (l->line - 1 >= from.line && l->line - 1 <= to.line &&
          is_shown(a, &a->v[k], l))
        write_hint(a, &a->v[k], l, &j);
    }
  ww_json_end_arr(&j);
  ww_rpc_answer(c, &j);
  ww_lsp_let_go(s, a);
}

/* ---- hovers ---- */

static void
hot_line(const ww_lsp_analysis *a, const ww_lsp_kernel *k, uint32_t line, ww_buf *out) {
  uint32_t n = 0;
  while (n < k->nlines && k->lines[n].line != line)
    n++;
  const ww_report_line *l = &k->lines[n];
  if (n == k->nlines || 100 * l->share < a->settings->hint_percent)
    return;
  if (out->n)
    ww_buf_puts(out, "\n\n");
  ww_buf_fmt(out, "**%s** on %s (%s): ", k->name, ww_show_gpu(a->gpu),
             ww_grades[ww_gpu_grade(a->gpu)].text);
  line_cost(l, false, out);
  ww_buf_puts(out, "\n");
  for (uint32_t i = 0; i < k->report.nfindings; i++) {
    const ww_finding *f = &k->report.findings[i];
    if (f->line != line || (f->file && strcmp(f->file, a->path) != 0))
      continue;
    ww_buf_fmt(out, "\n- **%.2g\u00d7 faster** %s\n", f->gain, f->message);
  }
}

/* Tables in a client that shows plain text are read as they are. */
static void answer_hover(const ww_lsp *s,
                         ww_rpc_call *c,
                         const ww_buf *text,
                         uint32_t first,
                         uint32_t last) {
  ww_json j = {0};
  ww_json_put(&j, "{contents:{kind:%s,value:%s}",
              s->can.markdown ? "markdown" : "plaintext", text->s);
  ww_range_write(&j, (ww_position){first - 1, 0}, (ww_position){last, 0});
  ww_json_end_obj(&j);
  ww_rpc_answer(c, &j);
}

void ww_lsp_hover(void *server, ww_rpc_call *c) {
  ww_lsp *s = server;
  ww_position at;
  if (!ww_position_read(cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "position"),
                        &at))
    return ww_rpc_fail(c, &(ww_err){.code = WW_EUSAGE, .msg = "position is missing"});
  ww_lsp_analysis *a = ww_lsp_asked(s, c, 0);
  if (!a)
    return;
  ww_buf text = {0};
  uint32_t line = at.line + 1;
  uint32_t first = line;
  uint32_t last = line;
  for (uint32_t i = 0; a->settings->hover && i < a->nkernels; i++) {
    const ww_lsp_kernel *k = &a->v[i];
    if (k->here && line >= k->first && line <= k->body) {
      if (text.n)
        ww_buf_puts(&text, "\n\n---\n\n");
      ww_show_table(a, k, &text);
      first = k->first;
      last = k->body;
    } else
      hot_line(a, k, line, &text);
  }
  if (text.n)
    answer_hover(s, c, &text, first, last);
  else
    ww_rpc_result(c, "null");
  ww_buf_free(&text);
  ww_lsp_let_go(s, a);
}
