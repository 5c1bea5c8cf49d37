/* page_export.c - reports as one HTML file: the times, what to change, the source with
 * its heat, the roofline, every metric, what was assumed.
 *
 * Everything a reader sees goes through ww_svg_escape: kernels, files and messages may
 * hold any text. */
#include "page_export.h"

#include <ctype.h>
#include <time.h>

#include "plot.h"
#include "roofline.h"
#include "show.h"

/* The page's style, as the file is; paths are from the repository's root, where make
 * runs. */
__asm__(".pushsection .rodata\n"
        "export_css: .incbin \"src/predict/show/export.css\"\n.byte 0\n.popsection\n");
extern const char export_css[];

const char *ww_export_css(void) {
  return export_css;
}

enum {
  SHARES = 3,
  WHOLE = 400,
  AROUND = 4
}; /* GPUs with a column of heat; lines of a file shown whole; else around what counts
    */

/* One report, read. */
typedef struct {
  ww_report r;
  const ww_gpu *gpu; /* NULL: an error that does not name it */
} entry;

/* Reports of one kernel under one launch, a GPU each. */
typedef struct {
  entry *v;
  uint32_t n, nth;
} group;

typedef struct {
  const ww_export *x;
  ww_arena *a;
  ww_buf *out;
  entry *entries;
} writer;

static void esc(writer *w, const char *s) {
  ww_svg_escape(w->out, s ? s : "");
}
static void put(writer *w, const char *s) {
  ww_buf_puts(w->out, s);
}

/* A text between its tags. */
static void
element(writer *w, const char *before, const char *text, const char *behind) {
  put(w, before);
  esc(w, text);
  put(w, behind);
}

static void sentence(writer *w, const char *s) {
  char first[2] = {toupper((unsigned char)s[0]), 0};
  esc(w, first);
  if (*s)
    esc(w, s + 1);
  put(w, ".");
}

static double stall_of(const entry *e, ww_term term) {
  double v = ww_report_term_of(&e->r, "timing", "stall", ww_term_names[term]);
  return isfinite(v) ? v : 0;
}

static bool answered(const entry *e) {
  return e->r.error.code == WW_OK;
}

/* The first with an answer. */
static const entry *first_of(const group *g) {
  for (uint32_t k = 0; k < g->n; k++)
    if (answered(&g->v[k]))
      return &g->v[k];
  return &g->v[0];
}

static const char *gpu_name(const entry *e) {
  return e->gpu ? e->gpu->name : e->r.gpu ? e->r.gpu : "?";
}

/* A path that tells nothing of the machine: as the report has it, else its last part.
 */
static const char *shown(const entry *e, const char *path) {
  const char *file = e->r.file ? e->r.file : "";
  size_t n = strlen(path);
  size_t k = strlen(file);
  bool same =
      k && n >= k && !strcmp(path + n - k, file) && (n == k || path[n - k - 1] == '/');
  return same && file[0] != '/' ? file : ww_path_base(path);
}

/* ---- head ---- */

static void dims(writer *w, const char *name, const uint64_t d[3]) {
  ww_buf_fmt(w->out, "%s <b>%llu", name, (unsigned long long)d[0]);
  for (int k = 1; k < 3 && (d[k] > 1 || d[2] > 1); k++)
    ww_buf_fmt(w->out, " × %llu", (unsigned long long)d[k]);
  put(w, "</b>");
}

static void launch(writer *w, const entry *e) {
  const ww_launch *l = e->r.launch;
  char v[24];
  put(w, "<p class=\"launch\">");
  if (l) {
    dims(w, "grid", l->grid);
    dims(w, ", block", l->block);
    if (l->shared)
      ww_buf_fmt(w->out, ", %llu B of dynamic shared memory",
                 (unsigned long long)l->shared);
    for (uint32_t k = 0; k < l->nargs && k < 24; k++) {
      const ww_arg *arg = &l->args[k];
      put(w, k ? ", " : "; arguments ");
      if (arg->kind == WW_ARG_VALUE)
        ww_buf_fmt(w->out, arg->is_int ? "%.0f" : "%g", arg->value);
      else
        put(w, arg->kind == WW_ARG_BUFFER ? ww_show_amount(arg->buffer.bytes, "byte", v)
                                          : "…");
    }
    put(w, l->warm ? "; caches warm" : "; caches cold");
  }
  ww_buf_fmt(w->out, ". %llu of %llu blocks were run.</p>\n",
             (unsigned long long)e->r.sampled_blocks,
             (unsigned long long)e->r.total_blocks);
}

static void tile(writer *w, const entry *e) {
  const ww_quantity *t = &e->r.m[WW_M_time_us];
  char v[16];
  char lo[16];
  char hi[16];
  element(w, "<div class=\"tile\"><h3>", e->gpu ? e->gpu->full_name : gpu_name(e),
          "</h3>");
  if (!answered(e)) {
    element(w, "<p class=\"bad\">", e->r.error.msg, "</p></div>");
    return;
  }
  ww_buf_fmt(w->out, "<b>%s</b>", ww_show_us(t->value, v));
  if (t->interval)
    ww_buf_fmt(w->out, "<span>%s to %s</span>", ww_show_us(t->low, lo),
               ww_show_us(t->high, hi));
  put(w, "<p>");
  if (e->r.bottleneck)
    sentence(w, e->r.bottleneck);
  if (e->r.grade)
    element(w, " Figures of the GPU: ", e->r.grade, ".");
  put(w, "</p></div>\n");
}

static void tiles(writer *w, const group *g) {
  put(w, "<div class=\"tiles\">");
  for (uint32_t k = 0; k < g->n; k++)
    tile(w, &g->v[k]);
  put(w, "</div>\n");
}

/* ---- findings ---- */

static const ww_finding *same_finding(const entry *e, const ww_finding *f) {
  for (uint32_t k = 0; k < e->r.nfindings; k++)
    if (e->r.findings[k].line == f->line && !strcmp(e->r.findings[k].rule, f->rule))
      return &e->r.findings[k];
  return NULL;
}

/* Told already, of a GPU before this one. */
static bool told(const group *g, uint32_t before, const ww_finding *f) {
  for (uint32_t k = 0; k < before; k++)
    if (same_finding(&g->v[k], f))
      return true;
  return false;
}

static void finding(writer *w, const group *g, const entry *e, const ww_finding *f) {
  put(w, "<li><div class=\"gains\">");
  for (uint32_t k = 0; k < g->n; k++) {
    const ww_finding *same = same_finding(&g->v[k], f);
    if (!same || !(same->gain > 0))
      continue;
    ww_buf_fmt(w->out, "<b>%.*f×</b>", same->gain < 9.95 ? 2 : 0, same->gain);
    if (g->n > 1) {
      element(w, "<i>", gpu_name(&g->v[k]), "</i>");
    }
  }
  put(w, "</div><div><p>");
  sentence(w, f->message);
  put(w, "</p><p class=\"at\">");
  if (f->line) {
    ww_buf_fmt(w->out, "<a href=\"#k%u-%u\">", g->nth, f->line);
    esc(w, f->file ? shown(e, f->file) : "");
    ww_buf_fmt(w->out, ":%u</a> · ", f->line);
  }
  element(w, "<code>", f->rule, "</code></p></div></li>\n");
}

static void findings(writer *w, const group *g) {
  bool any = false;
  put(w, "<h3>What to change</h3>\n");
  for (uint32_t k = 0; k < g->n; k++)
    for (uint32_t i = 0; i < g->v[k].r.nfindings; i++) {
      const ww_finding *f = &g->v[k].r.findings[i];
      if (told(g, k, f))
        continue;
      if (!any)
        put(w, "<ol class=\"findings\">");
      any = true;
      finding(w, g, &g->v[k], f);
    }
  put(w, any ? "</ol><p class=\"note\">Each gain is what removing that one cause would "
               "give; gains "
               "do not multiply.</p>\n"
             : "<p class=\"note\">Nothing stands out: no single change that the model "
               "knows makes "
               "it 3 % faster.</p>\n");
}

/* ---- source ---- */

static const ww_report_line *cost_of(const entry *e, const char *file, uint32_t line) {
  for (uint32_t k = 0; k < e->r.nlines; k++) {
    const ww_report_line *l = &e->r.lines[k];
    if (l->file && l->line == line && !strcmp(l->file, file))
      return l;
  }
  return NULL;
}

static bool found_at(const entry *e, const char *file, uint32_t line) {
  for (uint32_t k = 0; k < e->r.nfindings; k++) {
    const ww_finding *f = &e->r.findings[k];
    if (f->line == line && f->file && !strcmp(f->file, file))
      return true;
  }
  return false;
}

static bool counts(const group *g, const char *file, uint32_t line) {
  for (uint32_t k = 0; k < g->n; k++)
    if (cost_of(&g->v[k], file, line) || found_at(&g->v[k], file, line))
      return true;
  return false;
}

static void ratio(writer *w, double v, double fine) {
  if (v > 0)
    ww_buf_fmt(w->out, "<td class=\"%s\">%.*f</td>", v > fine ? "warn" : "",
               v < 9.95 ? 1 : 0, v);
  else
    put(w, "<td></td>");
}

static void code_line(writer *w,
                      const group *g,
                      const char *file,
                      uint32_t line,
                      const char *text,
                      size_t n,
                      bool id) {
  bool finding_here = false;
  for (uint32_t k = 0; k < g->n; k++)
    finding_here |= found_at(&g->v[k], file, line);
  put(w, "<tr");
  if (id)
    ww_buf_fmt(w->out, " id=\"k%u-%u\"", g->nth, line);
  ww_buf_fmt(w->out, "%s><td class=\"n\">%u</td>",
             finding_here ? " class=\"found\"" : "", line);
  const ww_report_line *any = NULL;
  for (uint32_t k = 0; k < g->n && k < SHARES; k++) {
    const ww_report_line *cost = cost_of(&g->v[k], file, line);
    double share = cost ? cost->share : 0;
    if (!any)
      any = cost;
    if (share >= 0.001)
      ww_buf_fmt(w->out, "<td class=\"share\" style=\"--h:%.3f\">%.*f %%</td>", share,
                 share < 0.0995 ? 1 : 0, 100 * share);
    else
      put(w, "<td class=\"share\"></td>");
  }
  ratio(w, any ? any->sectors_per_request : 0, 8);
  ratio(w, any ? any->shared_conflict_ways : 0, 1.5);
  element(w, "<td class=\"c\">", ww_strndup(w->a, text, n), "");
  if (any && any->inlined >= 0.005)
    ww_buf_fmt(w->out, "<small>%.0f %% in what it calls</small>", 100 * any->inlined);
  put(w, "</td></tr>\n");
}

static void
code(writer *w, const group *g, const char *file, const char *text, bool id) {
  uint32_t lines = 1;
  uint32_t next = 0; /* next: the last that is near something that counts */
  for (const char *p = text; *p; p++)
    lines += *p == '\n';
  bool gap = false;
  for (uint32_t line = 1; *text; line++) {
    size_t n = strcspn(text, "\n");
    for (uint32_t k = line; k <= line + AROUND && lines > WHOLE; k++)
      if (counts(g, file, k))
        next = k + AROUND;
    if (lines <= WHOLE || line <= next) {
      code_line(w, g, file, line, text, n - (n && text[n - 1] == '\r'), id);
      gap = false;
    } else if (!gap) {
      put(w, "<tr class=\"gap\"><td class=\"n\">⋮</td></tr>\n");
      gap = true;
    }
    text += n + (text[n] == '\n');
  }
}

static void code_head(writer *w, const group *g) {
  put(w, "<div class=\"scroll\"><table class=\"code\"><thead><tr><th></th>");
  for (uint32_t k = 0; k < g->n && k < SHARES; k++) {
    put(w, "<th title=\"share of the kernel's time\">");
    if (g->n > 1)
      esc(w, gpu_name(&g->v[k]));
    else
      put(w, "time");
    put(w, "</th>");
  }
  put(w, "<th title=\"32-byte sectors per request of a warp, 4 for neighbouring "
         "floats\">sect.</th>"
         "<th title=\"passes per request of shared memory, 1 without bank "
         "conflicts\">ways</th><th "
         "class=\"c\">");
}

/* The kernel's file, then others that take part of the time. */
static void source(writer *w, const group *g) {
  const entry *e = g->v;
  ww_strings files = {0};
  if (!w->x->source)
    return;
  for (uint32_t i = 0; i < e->r.nlines; i++) {
    const char *file = e->r.lines[i].file;
    bool seen = !file || fmax(e->r.lines[i].share, e->r.lines[i].inlined) < 0.01;
    for (uint32_t k = 0; !seen && k < files.n; k++)
      seen = !strcmp(files.v[k], file);
    if (!seen && files.n < 4)
      ww_push(w->a, &files, file);
  }
  for (uint32_t k = 0; k < files.n; k++) {
    const char *text = w->x->source(w->x->ctx, files.v[k], w->a);
    if (!text)
      continue;
    put(w, k ? "" : "<h3>Where the time goes</h3>\n");
    code_head(w, g);
    esc(w, shown(e, files.v[k]));
    put(w, "</th></tr></thead><tbody>\n");
    code(w, g, files.v[k], text, k == 0);
    put(w, "</tbody></table></div>\n");
  }
}

static void gpu_heads(writer *w, const group *g) {
  put(w, "<thead><tr><th></th>");
  for (uint32_t k = 0; k < g->n; k++) {
    element(w, "<th>", gpu_name(&g->v[k]), "</th>");
  }
  put(w, "</tr></thead><tbody>\n");
}

static void waits(writer *w, const group *g) {
  put(w, "<h3>What warps wait for</h3>\n<div class=\"scroll\"><table class=\"waits\">");
  gpu_heads(w, g);
  for (int term = 0; term < WW_NTERMS; term++) {
    double most = 0;
    for (uint32_t k = 0; k < g->n; k++) {
      most = fmax(most, stall_of(&g->v[k], term));
    }
    if (most < 0.01)
      continue;
    ww_buf_fmt(w->out, "<tr><th>%s</th>", ww_term_words[term]);
    for (uint32_t k = 0; k < g->n; k++) {
      double v = stall_of(&g->v[k], term);
      ww_buf_fmt(w->out, "<td class=\"share\" style=\"--h:%.3f\">%.0f %%</td>", v,
                 100 * v);
    }
    put(w, "</tr>\n");
  }
  put(w, "</tbody></table></div>\n");
}

/* ---- metrics ---- */

static void quantity(writer *w, const entry *e, int m) {
  const ww_quantity *q = &e->r.m[m];
  char v[24];
  char lo[24];
  char hi[24];
  if (!q->known) {
    put(w, "<td></td>");
    return;
  }
  ww_buf_fmt(w->out, "<td><b>%s</b>", ww_show_amount(q->value, ww_metrics[m].unit, v));
  put(w, "<span>");
  if (q->interval)
    ww_buf_fmt(w->out, "%s … %s", ww_show_amount(q->low, ww_metrics[m].unit, lo),
               ww_show_amount(q->high, ww_metrics[m].unit, hi));
  put(w, "</span></td>");
}

static void metrics(writer *w, const group *g) {
  put(w, "<h3>Report</h3>\n<div class=\"scroll\"><table class=\"report\">");
  gpu_heads(w, g);
  for (int m = 0; m < WW_NMETRICS; m++) {
    bool any = false;
    for (uint32_t k = 0; k < g->n; k++)
      any |= g->v[k].r.m[m].known;
    if (!any)
      continue;
    ww_buf_fmt(w->out, "<tr><th>%s<small>", ww_metrics[m].name);
    esc(w, ww_metrics[m].meaning);
    put(w, "</small></th>");
    for (uint32_t k = 0; k < g->n; k++)
      quantity(w, &g->v[k], m);
    put(w, "</tr>\n");
  }
  put(w, "</tbody></table></div>\n");
}

static void assumed(writer *w, const group *g) {
  const entry *e = g->v;
  put(w, "<h3>Assumed</h3>\n");
  if (!e->r.assumed.n) {
    put(w, "<p class=\"note\">Nothing: the launch says it all.</p>\n");
    return;
  }
  put(w, "<ul class=\"assumed\">");
  for (uint32_t k = 0; k < e->r.assumed.n; k++) {
    element(w, "<li>", ww_assumption_text(&e->r.assumed.v[k], w->a), "</li>");
  }
  put(w, "</ul>\n");
}

static void kernel(writer *w, const group *g) {
  const entry *e = first_of(g);
  element(w, "<section>\n<h2>", e->r.kernel ? e->r.kernel : "?", "</h2>\n");
  if (answered(e))
    launch(w, e);
  tiles(w, g);
  group known = {.v = WW_NEWN(w->a, entry, g->n), .nth = g->nth};
  for (uint32_t k = 0; k < g->n; k++)
    if (answered(&g->v[k]))
      known.v[known.n++] = g->v[k];
  if (known.n) {
    findings(w, &known);
    source(w, &known);
    waits(w, &known);
    metrics(w, &known);
    assumed(w, &known);
  }
  put(w, "</section>\n");
}

/* ---- roofline ---- */

static void roofline(writer *w) {
  const ww_export *x = w->x;
  ww_roofs *roofs = WW_NEWN(w->a, ww_roofs, x->ngpus);
  ww_roof_point *points = WW_NEWN(w->a, ww_roof_point, x->n + 1);
  uint32_t n = 0;
  const char *why = NULL;
  if (!x->ngpus)
    return;
  for (uint32_t g = 0; g < x->ngpus; g++)
    ww_roofs_of(&x->gpus[g], &roofs[g]);
  for (uint32_t k = 0; k < x->n; k++) {
    const entry *e = &w->entries[k];
    if (!answered(e) || !e->gpu)
      continue;
    uint32_t g = e->gpu - x->gpus;
    if (ww_roof_point_of(&e->r, &roofs[g], g, &points[n], &why))
      n++;
  }
  put(w, "<section><h2>Roofline</h2>\n");
  if (!n) {
    put(w, "<p class=\"note\">No kernel has a place under the roofs");
    if (why) {
      put(w, ": ");
      esc(w, why);
    }
    put(w, ".</p></section>\n");
    return;
  }
  put(w, "<figure>");
  ww_roofline_svg(&(ww_roofline){x->gpus, roofs, x->ngpus, points, n}, w->out);
  put(w, "</figure></section>\n");
}

/* ---- the page ---- */

static void read_entries(writer *w) {
  const ww_export *x = w->x;
  w->entries = WW_NEWN(w->a, entry, x->n + 1);
  for (uint32_t k = 0; k < x->n; k++) {
    entry *e = &w->entries[k];
    e->r = x->reports[k];
    for (uint32_t g = 0; e->r.gpu && g < x->ngpus; g++)
      if (!strcmp(x->gpus[g].name, e->r.gpu))
        e->gpu = &x->gpus[g];
    if (e->r.error.code && x->ngpus && x->n % x->ngpus == 0)
      e->gpu = &x->gpus[k % x->ngpus]; /* it does not say */
  }
}

static bool belongs(const group *g, const entry *e, uint32_t most) {
  const char *a = g->v[0].r.kernel;
  const char *b = e->r.kernel;
  if (g->n >= most || !a || !b || strcmp(a, b) != 0)
    return false;
  for (uint32_t k = 0; k < g->n; k++)
    if (g->v[k].gpu && g->v[k].gpu == e->gpu)
      return false;
  return true;
}

static void head(writer *w) {
  put(w, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
         "style-src "
         "'unsafe-inline'\">\n"
         "<meta name=\"generator\" content=\"Warpwise " WW_VERSION "\">\n<title>");
  esc(w, w->x->n ? w->entries[0].r.kernel : "Report");
  put(w, " · Warpwise</title>\n<style>\n");
  put(w, export_css);
  put(w, "</style></head>\n<body>\n<header><h1>");
  const char *file = w->x->n ? w->entries[0].r.file : NULL;
  if (w->x->title)
    file = w->x->title;
  esc(w, file ? (file[0] == '/' ? ww_path_base(file) : file) : "Report");
  put(w, "</h1><p>What a GPU will make of it, predicted by Warpwise from the "
         "source</p></header>\n");
}

static void foot(writer *w) {
  char day[32] = "";
  time_t now = time(NULL);
  struct tm tm;
  if (gmtime_r(&now, &tm))
    strftime(day, sizeof day, "%Y-%m-%d %H:%M UTC", &tm);
  bool corrected = false;
  for (uint32_t k = 0; k < w->x->n; k++)
    corrected |= answered(&w->entries[k]) && w->entries[k].r.by == WW_BY_GROUNDED;
  put(w, "<footer><h2>How it was made</h2>\n<p>A warp interpreter ran sampled blocks "
         "of the "
         "kernel's own code; a machine model of the GPU "
         "turned what they did into time and counters");
  put(w, corrected ? ", corrected by what measurements taught. " : ". ");
  put(w, "Nothing was measured on a device. Small figures are intervals. By ");
  esc(w, w->x->made ? w->x->made : "warpwise");
  ww_buf_fmt(w->out, ", Warpwise " WW_VERSION ", %s.</p></footer>\n</body></html>\n",
             day);
}

void ww_export_html(const ww_export *x, ww_buf *out) {
  writer w = {.x = x, .a = ww_arena_new(), .out = out};
  read_entries(&w);
  head(&w);
  if (x->first)
    x->first(x->ctx, out);
  uint32_t nth = 0;
  for (uint32_t k = 0; k < x->n;) {
    group g = {.v = &w.entries[k], .n = 1, .nth = nth++};
    while (k + g.n < x->n && belongs(&g, &w.entries[k + g.n], x->ngpus))
      g.n++;
    kernel(&w, &g);
    k += g.n;
  }
  roofline(&w);
  foot(&w);
  ww_arena_free(w.a);
}

const char *ww_export_from_disk(void *ctx, const char *file, ww_arena *a) {
  char *text;
  ww_err ignored = {0};
  (void)ctx;
  return ww_read_file(a, file, (size_t)4 << 20, &text, NULL, &ignored) ? NULL : text;
}
