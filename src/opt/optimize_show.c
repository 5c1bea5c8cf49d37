/* optimize_show.c - what became of a search: for a person, as JSON, as a page. */
#include "../base/json_put.h"
#include "../base/svg.h"
#include "../predict/show/page_export.h"
#include "../predict/show/show.h"
#include "optimize.h"

/* ---- text ---- */

static double low_of(const ww_candidate *c) {
  return ww_candidate_measured(c) ? c->result.low : c->low;
}

static double high_of(const ww_candidate *c) {
  return ww_candidate_measured(c) ? c->result.high : c->high;
}

static void put_time(const ww_candidate *c, ww_buf *out) {
  char us[16];
  char low[16];
  char high[16];
  ww_buf_fmt(out, "%s [%s, %s]", ww_show_us(ww_candidate_us(c), us),
             ww_show_us(low_of(c), low), ww_show_us(high_of(c), high));
}

/* The rewrites that led to a candidate, the first one first. */
static void put_way(const ww_optimized *o, uint32_t id, ww_buf *out) {
  const ww_candidate *c = &o->v.v[id];
  if (!c->title)
    return;
  put_way(o, c->parent, out);
  if (c->kind < WW_NREWRITES)
    ww_buf_fmt(out, "    %s: %s\n", ww_rewrites[c->kind].id, c->title);
  else
    ww_buf_fmt(out, "    %s\n", c->title);
}

static const char *rewrite_name(const ww_candidate *c) {
  return c->kind < WW_NREWRITES ? ww_rewrites[c->kind].id : "";
}

static void put_candidate(const ww_optimized *o, uint32_t id, ww_buf *out) {
  const ww_candidate *c = &o->v.v[id];
  char us[16];
  ww_buf_fmt(out, "%4u %4u  %-12s %-46.46s ", id, c->parent, rewrite_name(c), c->title);
  if (c->state == WW_CANDIDATE_FAILED)
    ww_buf_fmt(out, "%10s        ", "");
  else
    ww_buf_fmt(out, "%10s %5.2fx ", ww_show_us(ww_candidate_us(c), us),
               ww_candidate_gain(o, id));
  ww_buf_fmt(out, " %s", ww_candidate_texts[c->state]);
  if (c->cases && c->state == WW_CANDIDATE_VERIFIED)
    ww_buf_fmt(out, " (%u cases)", c->cases);
  if (c->why)
    ww_buf_fmt(out, ": %s", c->why);
  ww_buf_puts(out, "\n");
}

/* Nothing is handed back; what was verified may be faster all the same. */
static void put_none(const ww_optimized *o, ww_buf *out) {
  uint32_t near = 0;
  for (uint32_t k = 1; k < o->v.n; k++)
    if (o->v.v[k].state == WW_CANDIDATE_VERIFIED && o->v.v[k].us < o->v.v[near].us)
      near = k;
  ww_buf_puts(out, ": nothing better was found\n");
  if (near)
    ww_buf_fmt(
        out,
        "  candidate %u is verified and predicted %.2f times as fast: too little "
        "to be relied on; --measure decides\n",
        near, o->v.v[0].us / o->v.v[near].us);
}

static bool has_other_launch(const ww_optimized *o) {
  const ww_launch *old = &o->v.v[0].ready;
  const ww_launch *now = &o->v.v[o->best].ready;
  return old->grid[0] && now->grid[0] && /* of a job they are not known */
         (memcmp(old->grid, now->grid, sizeof old->grid) != 0 ||
          memcmp(old->block, now->block, sizeof old->block) != 0);
}

static void put_shape(const ww_launch *l, ww_buf *out) {
  const uint64_t *of[] = {l->grid, l->block};
  for (int k = 0; k < 2; k++) {
    int n = of[k][2] > 1 ? 3 : of[k][1] > 1 ? 2 : 1;
    for (int axis = 0; axis < n; axis++)
      ww_buf_fmt(out, "%s%llu", axis ? " x " : "", (unsigned long long)of[k][axis]);
    ww_buf_puts(out, k ? " threads" : " blocks of ");
  }
}

/* What becomes of the launch: whoever takes the patch has to know where else the kernel
 * is launched. "": it stays. */
static void put_launch(const ww_optimized *o, ww_buf *out) {
  const ww_candidate *best = &o->v.v[o->best];
  uint32_t n = ww_text_launches(best->text, o->kernel);
  if (!has_other_launch(o))
    return;
  put_shape(&best->ready, out);
  ww_buf_puts(out, " instead of ");
  put_shape(&o->v.v[0].ready, out);
  if (n)
    ww_buf_fmt(out, ", at %u place%s of the text", n, n == 1 ? "" : "s");
  else
    ww_buf_puts(out, ": by hand, as no <<<>>> of this file launches it");
}

void ww_optimized_print(const ww_optimized *o, bool all, ww_buf *out) {
  const ww_candidate *old = &o->v.v[0];
  const ww_candidate *best = &o->v.v[o->best];
  ww_buf launch = {0};
  uint32_t kept = 0;
  for (uint32_t k = 1; k < o->v.n; k++)
    kept += o->v.v[k].state >= WW_CANDIDATE_VERIFIED;
  ww_buf_fmt(out, "%s  %s  on %s\n  ", o->kernel, o->path, old->report.gpu);
  put_time(old, out);
  if (o->best) {
    ww_buf_puts(out, " -> ");
    put_time(best, out);
    ww_buf_fmt(out, ", %.2f times as fast", ww_candidate_gain(o, o->best));
    if (ww_candidate_measured(best))
      ww_buf_puts(out, ", measured\n");
    else
      ww_buf_fmt(out, " by prediction; verified in %u cases\n", best->cases);
    put_way(o, o->best, out);
    put_launch(o, &launch);
    if (launch.n)
      ww_buf_fmt(out, "  launched as %s\n", launch.s);
    ww_buf_free(&launch);
    if (best->apart)
      ww_buf_puts(out, "  right where no two buffers overlap; --may-overlap leaves out "
                       "what needs that\n");
  } else
    put_none(o, out);
  ww_buf_fmt(out, "  %u tried, %u verified; ended: %s\n", o->v.n - 1, kept, o->stopped);
  if (o->v.n > 1)
    ww_buf_fmt(out, "\n%4s %4s  %-12s %-46s %10s %6s  %s\n", "", "from", "rewrite", "",
               "time", "gain", "what became of it");
  for (uint32_t k = 1; k < o->v.n; k++)
    if (all || o->v.v[k].state != WW_CANDIDATE_NO_GAIN)
      put_candidate(o, k, out);
}

/* ---- JSON ---- */

static void write_launch(const ww_candidate *c, ww_json *j) {
  ww_json_key(j, "launch");
  ww_launch shape = {0};
  memcpy(shape.grid, c->ready.grid, sizeof shape.grid);
  memcpy(shape.block, c->ready.block, sizeof shape.block);
  ww_launch_write(&shape, j);
}

static void write_patch(const ww_optimized *o, ww_json *j) {
  ww_arena *a = ww_arena_new();
  ww_buf patch = {0};
  if (o->best)
    ww_patch_write(ww_path_base(o->path), o->v.v[0].text, o->v.v[o->best].text, a,
                   &patch);
  ww_json_put(j, "patch?:%s", patch.s);
  ww_buf_free(&patch);
  ww_arena_free(a);
}

void ww_optimized_write(const ww_optimized *o, ww_json *j) {
  const ww_candidate *old = &o->v.v[0];
  const ww_candidate *best = &o->v.v[o->best];
  ww_buf launch = {0};
  ww_json_put(j,
              "kernel:%s,file:%s,gpu:%s,before:{time_us:%g,low:%g,high:%g},"
              "after:{time_us:%g,low:%g,high:%g},gain:%g,improved:%i,stopped:%s",
              o->kernel, o->path, old->report.gpu, ww_candidate_us(old), low_of(old),
              high_of(old), ww_candidate_us(best), low_of(best), high_of(best),
              ww_candidate_gain(o, o->best), o->best > 0, o->stopped);
  ww_json_put(
      j,
      "measured:%i,floor_us?:%g,predictions:%u,best:%u,assumes_no_overlap:%i,source:%s",
      ww_candidate_measured(best), o->floor_us, o->predictions, o->best, best->apart,
      best->text);
  put_launch(o, &launch);
  ww_json_put(j, "launched?:%s", launch.s);
  ww_buf_free(&launch);
  write_patch(o, j);
  ww_json_put(j, "tried:[");
  for (uint32_t k = 1; k < o->v.n; k++) {
    const ww_candidate *c = &o->v.v[k];
    ww_json_put(j, "{id:%u,from:%u,rewrite:%s,title:%s,state:%s,why?:%s,cases?:%u", k,
                c->parent, rewrite_name(c), c->title, ww_candidate_names[c->state],
                c->why, c->cases);
    if (c->state != WW_CANDIDATE_FAILED) {
      ww_json_put(j, "time_us:%g,low:%g,high:%g", c->us, c->low, c->high);
      if (c->result.n)
        ww_json_put(j, "measured_us:%g,ratio:%g,p:%g", c->result.us, c->result.ratio,
                    c->result.p);
      write_launch(c, j);
    }
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

/* ---- page ---- */

#define LEFT " style=\"text-align:left;white-space:normal\""

typedef struct {
  const ww_optimized *o;
  const char *before, *after; /* names of the two texts on the page */
  const ww_page_frame *frame;
  ww_arena *a;
} page;

static const char *page_source(void *ctx, const char *file, ww_arena *a) {
  const page *p = ctx;
  (void)a;
  if (!strcmp(file, p->before))
    return p->o->v.v[0].text;
  return strcmp(file, p->after) ? NULL : p->o->v.v[p->o->best].text;
}

static void put_cell(ww_buf *out, const char *text) {
  ww_buf_puts(out, "<td" LEFT ">");
  ww_svg_escape(out, text ? text : "");
  ww_buf_puts(out, "</td>");
}

/* The two kernels stand side by side where there is room. */
static const char page_css[] =
    "<style>@media(min-width:85rem){body{max-width:112rem;display:grid;"
    "grid-template-columns:minmax(0,1fr) minmax(0,1fr);column-gap:1.5rem}"
    "body>*{grid-column:1/-1}body>section:nth-of-type(4){grid-column:1}"
    "body>section:nth-of-type(5){grid-column:2}}"
    ".diff{margin:0;padding:.6rem;font:13px/1.45 var(--mono)}"
    ".diff .add{color:var(--gain)}.diff .cut{color:var(--bad)}.diff .at{color:var("
    "--soft)}.way{margin:.4rem 0 .8rem 1.2rem}.best>*{font-weight:650;color:var(--gain)"
    "}.out>*{color:var(--soft)}</style>\n";

static void put_row(const ww_optimized *o, uint32_t id, ww_buf *out) {
  const ww_candidate *c = &o->v.v[id];
  char us[16];
  bool kept = c->state == WW_CANDIDATE_VERIFIED || c->state == WW_CANDIDATE_FASTER;
  ww_buf_fmt(out, "<tr%s><td>%u</td><td>%u</td>",
             id && id == o->best ? " class=\"best\""
             : kept || !id       ? ""
                                 : " class=\"out\"",
             id, c->parent);
  put_cell(out, id ? rewrite_name(c) : "");
  put_cell(out, c->title ? c->title : "the original");
  if (c->us > 0)
    ww_buf_fmt(out, "<td>%s</td>", ww_show_us(c->us, us));
  else
    ww_buf_puts(out, "<td></td>");
  if (ww_candidate_measured(c))
    ww_buf_fmt(out, "<td>%s</td>", ww_show_us(c->result.us, us));
  else
    ww_buf_puts(out, "<td></td>");
  if (c->us > 0)
    ww_buf_fmt(out, "<td>%.2fx</td>", ww_candidate_gain(o, id));
  else
    ww_buf_puts(out, "<td></td>");
  ww_buf_puts(out, "<td" LEFT ">");
  ww_svg_escape(out, ww_candidate_texts[c->state]);
  if (c->cases)
    ww_buf_fmt(out, " (%u cases)", c->cases);
  if (c->why) {
    ww_buf_puts(out, ": ");
    ww_svg_escape(out, c->why);
  }
  ww_buf_puts(out, "</td></tr>\n");
}

static void put_value(const ww_report *r, int m, ww_buf *out) {
  char v[24];
  const char *unit = ww_metrics[m].unit;
  unit = !strcmp(unit, "1") || !strcmp(unit, "1/thread") ? "" : unit;
  ww_buf_fmt(out, "<td>%s</td>",
             m == WW_M_time_us ? ww_show_us(r->m[m].value, v)
                               : ww_show_amount(r->m[m].value, unit, v));
}

/* What stays as it was says nothing. */
static void put_compared(const ww_optimized *o, ww_buf *out) {
  const ww_report *old = &o->v.v[0].report;
  const ww_report *now = &o->v.v[o->best].report;
  ww_buf_puts(out, "<h3>Before and after, predicted</h3><div class=\"scroll\"><table>"
                   "<thead><tr><th></th><th>before</th><th>after</th><th>after / "
                   "before</th></tr></thead><tbody>\n");
  for (int m = 0; m < WW_NMETRICS; m++) {
    double before = old->m[m].value;
    double after = now->m[m].value;
    if (!old->m[m].known || !now->m[m].known || before == after)
      continue;
    ww_buf_fmt(out, "<tr><th" LEFT ">%s</th>", ww_metrics[m].name);
    put_value(old, m, out);
    put_value(now, m, out);
    if (before != 0)
      ww_buf_fmt(out, "<td>%.3g</td></tr>\n", after / before);
    else
      ww_buf_puts(out, "<td></td></tr>\n");
  }
  ww_buf_puts(out, "</tbody></table></div>");
}

void ww_page_diff(const char *patch, ww_buf *out) {
  for (const char *line = patch; *line;) {
    size_t n = strcspn(line, "\n");
    const char *class = line[0] == '+'   ? "add"
                        : line[0] == '-' ? "cut"
                        : line[0] == '@' ? "at"
                                         : "";
    ww_buf text = {0};
    ww_buf_add(&text, line, n);
    ww_buf_puts(&text, "");
    ww_buf_fmt(out, "<span class=\"%s\">", class);
    ww_svg_escape(out, text.s);
    ww_buf_puts(out, "</span>\n");
    ww_buf_free(&text);
    line += n + (line[n] == '\n');
  }
}

static void put_summary(const ww_optimized *o, ww_buf *out) {
  const ww_candidate *best = &o->v.v[o->best];
  ww_buf text = {0};
  put_time(&o->v.v[0], &text);
  if (o->best) {
    ww_buf_puts(&text, " -> ");
    put_time(best, &text);
    ww_buf_fmt(&text, ": %.2f times as fast %s, verified in %u cases",
               ww_candidate_gain(o, o->best),
               ww_candidate_measured(best) ? "by measurement" : "by prediction",
               best->cases);
  } else
    ww_buf_puts(&text, ": nothing surely better was found");
  ww_buf_fmt(out, "<section><h2>%s</h2><p>", o->best ? "Faster" : "As it was");
  ww_svg_escape(out, text.s);
  ww_buf_puts(out, "</p><ol class=\"way\">");
  uint32_t way[64];
  uint32_t n = 0;
  for (uint32_t k = o->best; k && n < WW_COUNT(way); k = o->v.v[k].parent)
    way[n++] = k;
  while (n--) {
    ww_buf_puts(out, "<li>");
    ww_svg_escape(out, o->v.v[way[n]].title);
    ww_buf_puts(out, "</li>");
  }
  ww_buf_puts(out, "</ol>");
  if (o->best)
    put_compared(o, out);
  ww_buf_puts(out, "</section>\n");
  ww_buf_free(&text);
}

static void put_first(void *ctx, ww_buf *out) {
  const page *p = ctx;
  const ww_optimized *o = p->o;
  ww_buf patch = {0};
  ww_buf_puts(out, page_css);
  put_summary(o, out);
  if (p->frame->more)
    p->frame->more(p->frame->ctx, out);
  ww_patch_write(ww_path_base(o->path), o->v.v[0].text, o->v.v[o->best].text, p->a,
                 &patch);
  ww_buf_puts(out, "<section><h2>The change</h2><div class=\"scroll\"><pre "
                   "class=\"diff\">");
  ww_page_diff(patch.s ? patch.s : "none", out);
  ww_buf_puts(out, "</pre></div></section>\n<section><h2>What was tried, and what "
                   "became of it</h2><p class=\"note\">The search ended: ");
  ww_svg_escape(out, o->stopped);
  ww_buf_puts(out,
              "</p><div class=\"scroll\"><table><thead><tr><th></th><th>from</th>"
              "<th" LEFT ">rewrite</th><th" LEFT "></th><th>predicted</th>"
              "<th>measured</th><th>gain</th><th" LEFT "></th></tr></thead><tbody>\n");
  for (uint32_t k = 0; k < o->v.n; k++)
    put_row(o, k, out);
  ww_buf_puts(out, "</tbody></table></div></section>\n");
  ww_buf_free(&patch);
}

/* A report of one of the two, named so that the page tells them apart. */
static ww_report
named(const page *p, uint32_t id, const char *file, const char *which) {
  ww_report r;
  ww_report_copy(&p->o->v.v[id].report, p->a, &r);
  r.kernel = ww_fmt(p->a, "%s, %s", p->o->kernel, which);
  r.file = file;
  for (uint32_t k = 0; k < r.nlines; k++)
    if (r.lines[k].file)
      r.lines[k].file = file;
  for (uint32_t k = 0; k < r.nfindings; k++)
    if (r.findings[k].file)
      r.findings[k].file = file;
  return r;
}

void ww_optimized_page(const ww_optimized *o,
                       const ww_gpu *g,
                       const ww_page_frame *frame,
                       ww_arena *a,
                       ww_buf *out) {
  static const ww_page_frame plain = {.made = "warpwise optimize"};
  const char *name = ww_path_base(o->path);
  page p = {o, ww_fmt(a, "%s (before)", name), ww_fmt(a, "%s (after)", name),
            frame ? frame : &plain, a};
  ww_report reports[2] = {named(&p, 0, p.before, "before"),
                          named(&p, o->best, p.after, "after")};
  ww_export x = {.reports = reports,
                 .n = o->best ? 2 : 1,
                 .gpus = g,
                 .ngpus = 1,
                 .source = page_source,
                 .first = put_first,
                 .ctx = &p,
                 .title = ww_fmt(a, "%s in %s, optimised", o->kernel, name),
                 .made = p.frame->made};
  ww_export_html(&x, out);
}
