/* timeline.c - a program's launches as a picture: a line for each GPU on one scale of
 * time, kernels in their order, repeats together.
 *
 * A run narrower than a pixel is drawn together with its neighbours, in the colour of
 * what takes most of them, so the picture stays small for a million launches. What has
 * no answer has no width of its own: it stands at its place as a hatched mark. */
#include "../../base/svg.h"
#include "program.h"

enum {
  WIDTH = 960,
  LEFT = 78, /* of the lines */
  RIGHT = 20,
  TOP = 44,
  LANE = 46, /* height of a line */
  GAP = 18,
  KERNELS = 12, /* named below */
  ROW = 20,
  HATCHED = 7, /* pixels that a launch without an answer takes */
  LETTER = 7   /* pixels */
};
#define LEAST 0.7 /* pixels of what is drawn by itself */

/* What bounds a kernel, as few colours as one can tell apart. */
static const char *color_of(ww_term t) {
  switch (t) {
  case WW_TERM_DRAM:
    return "#0072b2";
  case WW_TERM_L2:
  case WW_TERM_L1:
    return "#56b4e9";
  case WW_TERM_SHARED:
  case WW_TERM_CONST:
    return "#009e73";
  case WW_TERM_ISSUE:
  case WW_TERM_PIPE:
    return "#d55e00";
  case WW_TERM_ATOMIC:
    return "#cc79a7";
  case WW_TERM_LATENCY:
  case WW_TERM_BARRIER:
    return "#e6a100";
  default:
    return "#9a9a9a";
  }
}

static const struct {
  ww_term term;
  const char *words;
} legend[] = {
    {WW_TERM_DRAM, "DRAM"},           {WW_TERM_L2, "L1, L2"},
    {WW_TERM_SHARED, "shared"},       {WW_TERM_PIPE, "arithmetic, issue"},
    {WW_TERM_ATOMIC, "atomics"},      {WW_TERM_LATENCY, "latency, barriers"},
    {WW_TERM_LAUNCH, "launch, tail"},
};
enum { NLEGEND = sizeof legend / sizeof *legend };

typedef struct {
  const ww_program *p;
  ww_program_runs runs;
  ww_program_sums sums;
  ww_buf *out;
  double scale; /* pixels a microsecond */
} picture;

/* A piece of a line: one run, or neighbours too narrow to be seen. */
typedef struct {
  double x, w;
  double us, n;    /* of all of it */
  uint32_t launch; /* what takes most of it */
  double most;
  uint32_t kinds;
} piece;

static void
rect(picture *c, double x, double y, double w, const char *fill, const char *title) {
  ww_buf_fmt(c->out,
             "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" fill=\"%s\" "
             "stroke=\"#ffffff\" stroke-width=\"%.1f\"><title>",
             x, y, w, LANE, fill, w > 3 ? 0.8 : 0.0);
  ww_svg_escape(c->out, title);
  ww_buf_puts(c->out, "</title></rect>\n");
}

static void draw(picture *c, const piece *q, uint32_t g, double y) {
  const ww_program_launch *l = &c->p->v[q->launch];
  char us[16];
  char text[256];
  if (!(q->w > 0))
    return;
  if (q->kinds > 1)
    snprintf(text, sizeof text, "%.0f launches, most of it %.100s: %s", q->n, l->kernel,
             ww_show_us(q->us, us));
  else
    snprintf(text, sizeof text, "%.100s, %.0f x: %s, bound by %s", l->kernel, q->n,
             ww_show_us(q->us, us), ww_term_words[l->time[g].bottleneck]);
  rect(c, q->x, y, q->w, color_of(l->time[g].bottleneck), text);
  int letters = (int)(q->w - 6) / LETTER;
  if (q->kinds > 1 || letters < 3)
    return;
  bool cut = strlen(l->kernel) > (size_t)letters;
  snprintf(text, sizeof text, "%.*s%s", cut ? letters - 1 : letters, l->kernel,
           cut ? "…" : "");
  ww_svg_text(c->out, q->x + q->w / 2, y + 20, "middle", "#ffffff", 11.5, 0, text);
  if (q->n > 1) {
    snprintf(text, sizeof text, "%.0f x", q->n);
    ww_svg_text(c->out, q->x + q->w / 2, y + 36, "middle", "#ffffff", 10.5, 0, text);
  }
}

static void
hatch(picture *c, const ww_program_launch *l, double n, double x, double y) {
  char text[400];
  snprintf(text, sizeof text, "%.100s, %.0f x: no answer: %.200s", l->kernel, n,
           l->why ? l->why : "not on this GPU");
  rect(c, x, y, HATCHED, "url(#none)", text);
}

static void take(piece *q, const ww_program_run *r, double us, double w) {
  q->us += us;
  q->w += w;
  q->n += r->n;
  q->kinds += q->kinds && q->launch == r->launch ? 0 : 1;
  if (us > q->most || q->kinds == 1) {
    q->most = us;
    q->launch = r->launch;
  }
}

/* Hatched marks stand one beside the other, those of one kernel as one. */
static void draw_line(picture *c, uint32_t g, double y) {
  double x = LEFT;
  piece now = {.x = x};
  uint32_t hatched = UINT32_MAX;
  for (uint32_t k = 0; k < c->runs.n; k++) {
    const ww_program_run *r = &c->runs.v[k];
    const ww_program_launch *l = &c->p->v[r->launch];
    const ww_program_time *t = &l->time[g];
    double us = t->known ? t->us * r->n : 0;
    bool alone = !t->known || us * c->scale >= LEAST;
    if (alone && now.w > 0) {
      draw(c, &now, g, y);
      now = (piece){.x = x};
    }
    if (!t->known) {
      if (hatched != r->launch) {
        hatch(c, l, l->count, x, y);
        x += HATCHED;
      }
      hatched = r->launch;
      now.x = x;
      continue;
    }
    take(&now, r, us, us * c->scale);
    x += us * c->scale;
    if (alone || now.w >= LEAST) {
      draw(c, &now, g, y);
      now = (piece){.x = x};
    }
  }
  draw(c, &now, g, y);
}

/* Marks that the hatched ones of a line take. */
static uint32_t marks(const picture *c, uint32_t g) {
  uint32_t n = 0;
  uint32_t last = UINT32_MAX;
  for (uint32_t k = 0; k < c->runs.n; k++) {
    uint32_t l = c->runs.v[k].launch;
    if (c->p->v[l].time[g].known)
      continue;
    n += last != l;
    last = l;
  }
  return n;
}

static double step_of(double longest) {
  double step = pow(10, floor(log10(longest)));
  return longest / step < 2 ? step / 5 : longest / step < 5 ? step / 2 : step;
}

static void axis(picture *c, double longest, double y) {
  double step = step_of(longest);
  for (double us = 0; us <= longest * 1.0001; us += step) {
    char v[16];
    double x = LEFT + us * c->scale;
    ww_svg_tick(c->out, x, y);
    ww_svg_text(c->out, x, y + 18, "middle", "#555555", 11, 0,
                us > 0 ? ww_show_us(us, v) : "0");
  }
}

static void draw_legend(picture *c, double y) {
  double x = LEFT;
  for (int k = 0; k < NLEGEND; k++) {
    ww_buf_fmt(c->out,
               "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"%s\"/>\n",
               x, y - 10, color_of(legend[k].term));
    ww_svg_text(c->out, x + 16, y, "start", "#444444", 11.5, 0, legend[k].words);
    x += 36 + 6.2 * strlen(legend[k].words);
  }
  ww_buf_fmt(
      c->out,
      "<rect x=\"%.1f\" y=\"%.1f\" width=\"11\" height=\"11\" fill=\"url(#none)\" "
      "stroke=\"#9a9a9a\" stroke-width=\"0.6\"/>\n",
      x, y - 10);
  ww_svg_text(c->out, x + 16, y, "start", "#444444", 11.5, 0, "no answer");
}

/* The kernels that take most, a bar each; then those without an answer. */
static void draw_kernels(picture *c, double y) {
  char text[512];
  char us[16];
  uint32_t n = 0;
  for (uint32_t k = 0; k < c->sums.rows.n && n < KERNELS; k++) {
    const ww_program_row *r = &c->sums.rows.v[k];
    bool none = r->unanswered[0] >= r->launches;
    double share = ww_ratio(r->us[0], c->sums.total.us[0]);
    double at = y + n++ * ROW;
    ww_buf_fmt(c->out,
               "<rect x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>\n",
               LEFT, at - 10, none ? 120.0 : 1 + 120 * share,
               none ? "url(#none)" : color_of(ww_program_bound(r)));
    if (none)
      snprintf(text, sizeof text, "%.60s   %.0f launches, no answer: %.70s", r->kernel,
               r->launches, r->why ? r->why : "not on this GPU");
    else
      snprintf(text, sizeof text, "%.90s   %.1f %%, %.0f launches, %s", r->kernel,
               100 * share, r->launches, ww_show_us(r->us[0], us));
    ww_svg_text(c->out, LEFT + 132, at, "start", "#222222", 12, 0, text);
  }
}

static void draw_total(picture *c, uint32_t g, double y) {
  const ww_program_row *all = &c->sums.total;
  char us[16];
  char low[16];
  char high[16];
  char text[160];
  int n =
      snprintf(text, sizeof text, "%s%s (%s .. %s)",
               all->unanswered[g] > 0 ? "at least " : "", ww_show_us(all->us[g], us),
               ww_show_us(all->low[g], low), ww_show_us(all->high[g], high));
  if (!(all->us[g] > 0))
    snprintf(text, sizeof text, "no answer for any of %.0f launches", all->launches);
  else if (all->unanswered[g] > 0)
    snprintf(text + n, sizeof text - n, ", without %.0f of %.0f launches",
             all->unanswered[g], all->launches);
  ww_svg_text(c->out, LEFT, y - 5, "start", "#555555", 11, 0, text);
  ww_svg_text(c->out, LEFT - 8, y + LANE / 2 + 4, "end", "#222222", 13, 0,
              c->p->gpus[g]);
}

void ww_program_svg(const ww_program *p, ww_buf *out) {
  ww_arena *a = ww_arena_new();
  picture c = {.p = p, .out = out};
  double longest = 0;
  uint32_t most = 0;
  ww_program_order(p, a, &c.runs);
  ww_program_sum(p, a, &c.sums);
  for (uint32_t g = 0; g < p->ngpus; g++) {
    longest = fmax(longest, c.sums.total.us[g]);
    uint32_t n = c.sums.total.us[g] > 0 ? marks(&c, g) : 0;
    most = n > most ? n : most;
  }
  double room = WIDTH - LEFT - RIGHT;
  c.scale = longest > 0 ? fmax(room / 4, room - most * HATCHED) / longest : 1;
  uint32_t kernels = c.sums.rows.n < KERNELS ? c.sums.rows.n : KERNELS;
  double lanes = TOP + p->ngpus * (LANE + GAP + 4.0);
  char title[256];
  snprintf(title, sizeof title, "%.200s: %.0f launches", p->name,
           c.sums.total.launches);
  ww_svg_begin(out, WIDTH, (int)lanes + 52 + (int)kernels * ROW, title);
  ww_buf_puts(out,
              "<defs><pattern id=\"none\" width=\"6\" height=\"6\" "
              "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
              "<rect width=\"6\" height=\"6\" fill=\"#f3f3f3\"/><rect width=\"2.4\" "
              "height=\"6\" fill=\"#b3261e\"/></pattern></defs>\n");
  ww_svg_text(out, LEFT, 18, "start", "#1a1a1a", 15, 0, title);
  for (uint32_t g = 0; g < p->ngpus; g++) {
    double y = TOP + g * (LANE + GAP + 4.0);
    draw_total(&c, g, y);
    if (c.sums.total.us[g] > 0)
      draw_line(&c, g, y);
    else
      rect(&c, LEFT, y, 60, "url(#none)", "no answer");
  }
  if (longest > 0)
    axis(&c, longest, lanes - GAP);
  draw_legend(&c, lanes + 28);
  draw_kernels(&c, lanes + 58);
  ww_svg_end(out);
  ww_arena_free(a);
}
