/* explain.c - advice as a page: what to change first with its source line, then the
 * rest, then where the time goes.
 *
 * Everything a person needs to begin fits the first screen: at most one finding in full
 * and four in short come before the lines. */
#include "../advice/advice.h"

#include <ctype.h>

#include "show.h"

enum { FULL = 1, SHORT = 5, LINES = 10, CALLS = 5 };
#define LARGE 1.1 /* a gain worth a person's afternoon */

/* ---- source text ---- */

typedef struct {
  ww_arena *arena;
  const char *file; /* NULL: none read yet */
  const char *text; /* of that file; "": it cannot be read */
} source;

/* The line without its indentation; "" when the file is not there. */
static const char *source_line(source *s, const char *file, uint32_t line) {
  ww_err ignored;
  char *data;
  size_t n;
  if (!line)
    return "";
  if (s->file != file) {
    s->file = file;
    s->text = !ww_read_file(s->arena, file, 64 << 20, &data, &n, &ignored) ? data : "";
  }
  const char *at = s->text;
  for (uint32_t k = 1; k < line && at; k++)
    at = (at = strchr(at, '\n')) ? at + 1 : NULL;
  if (!at)
    return "";
  at += strspn(at, " \t");
  size_t len = strcspn(at, "\r\n");
  while (len && isspace((unsigned char)at[len - 1]))
    len--;
  return ww_strndup(s->arena, at, len);
}

/* "12", or "util.cuh:12" where it is not the kernel's own file. */
static const char *
place(const ww_explained *x, ww_arena *a, const char *file, uint32_t line) {
  if (!line)
    return "the launch";
  if (x->fn->file && !strcmp(file, x->fn->file))
    return ww_fmt(a, "line %u", line);
  return ww_fmt(a, "%s:%u", ww_path_base(file), line);
}

static const char *
place_of(const ww_explained *x, const source *s, const ww_advice_item *i) {
  ww_rule r = i->rule;
  bool launch = r == WW_RULE_LOW_OCCUPANCY || r == WW_RULE_PARTIAL_WARPS ||
                r == WW_RULE_FEW_BLOCKS || r == WW_RULE_TAIL || r == WW_RULE_IMBALANCE;
  return place(x, s->arena, i->file, launch ? 0 : i->line);
}

/* ---- findings ---- */

static const char *factor(double gain, char out[16]) {
  snprintf(out, 16, gain < 1.995 ? "%.2f" : gain < 9.95 ? "%.1f" : "%.0f", gain);
  return out;
}

static void
print_first(const ww_explained *x, source *s, const ww_advice_item *i, FILE *f) {
  const char *green = ww_show_color(f, "\033[32m");
  const char *off = ww_show_color(f, "\033[0m");
  char us[16];
  char g[16];
  fputc('\n', f);
  ww_show_bold(f, i->gain >= LARGE ? "Change first" : "Little to gain");
  fprintf(f, ": %s, %s%sx faster%s (%s) [%s]\n", place_of(x, s, i), green,
          factor(i->gain, g), off, ww_show_us(i->us, us), ww_rules[i->rule].id);
  const char *text = source_line(s, i->file, i->line);
  if (*text)
    fprintf(f, "\n  %5u | %.*s\n\n", i->line, WW_SHOW_COLUMNS - 12, text);
  char first[2] = {toupper((unsigned char)i->cause[0]), 0};
  ww_show_wrapped(f,
                  ww_fmt(s->arena, "%s%s%s.", first, i->cause + 1,
                         ww_also_text(&i->also, s->arena)),
                  2);
  first[0] = toupper((unsigned char)i->remedy[0]);
  ww_show_wrapped(f, ww_fmt(s->arena, "-> %s%s.", first, i->remedy + 1), 2);
}

static void
print_short(const ww_explained *x, source *s, const ww_advice_item *i, FILE *f) {
  char g[16];
  fprintf(f, "  %-14s %5sx  %s\n", place_of(x, s, i), factor(i->gain, g),
          ww_rules[i->rule].id);
  ww_show_wrapped(
      f, ww_fmt(s->arena, "%s%s", i->cause, ww_also_text(&i->also, s->arena)), 24);
}

static void print_findings(const ww_explained *x, source *s, FILE *f) {
  const ww_advice *d = x->advice;
  if (!d->nitems) {
    fprintf(f, "\nNothing stands out: no single change that this model knows makes it "
               "3 %% faster.\n");
    return;
  }
  print_first(x, s, &d->items[0], f);
  if (d->nitems > FULL) {
    fputc('\n', f);
    ww_show_bold(f, "Then");
    fputc('\n', f);
  }
  for (uint32_t k = FULL; k < d->nitems && k < SHORT; k++)
    print_short(x, s, &d->items[k], f);
  if (d->nitems > SHORT)
    fprintf(f, "  and %u smaller ones, with --json\n", d->nitems - SHORT);
}

/* ---- lines ---- */

static void print_lines(const ww_explained *x, source *s, FILE *f) {
  const ww_advice *d = x->advice;
  char a[24];
  char b[24];
  fputc('\n', f);
  ww_show_bold(f, "Where the time goes");
  fputs("\n  share      instr.       bytes  line\n", f);
  uint32_t shown = 0;
  for (uint32_t k = 0; k < d->nlines && shown < LINES + CALLS; k++) {
    const ww_report_line *l = &d->lines[k];
    if (shown < LINES ? l->share < 0.005 && l->inlined < 0.005 && k : l->inlined < 0.1)
      continue; /* a call that costs much is never cut off */
    shown++;
    const char *at = l->line ? place(x, s->arena, l->file, l->line) : "(no line)";
    at = ww_starts(at, "line ") ? at + 5 : at;
    fprintf(f, "  %3.0f %%  %10s  %10s  %4s | ", 100 * l->share,
            ww_show_amount(l->instructions, "1", a),
            l->bytes > 0 ? ww_show_amount(l->bytes, "byte", b) : "", at);
    if (l->inlined >= 0.005)
      fprintf(f, "(%.0f %% in what it calls) %.*s\n", 100 * l->inlined, 34,
              source_line(s, l->file, l->line));
    else
      fprintf(f, "%.*s\n", 58, source_line(s, l->file, l->line));
  }
  if (d->rest >= 0.005)
    fprintf(f, "  %3.0f %%  %10s  %10s  start, end and what no line asks for\n",
            100 * d->rest, "", "");
}

static void print_stalls(const ww_timing *t, FILE *f) {
  ww_buf text = {0};
  bool done[WW_NTERMS] = {0};
  ww_buf_puts(&text, "Warps wait for: ");
  for (int shown = 0; shown < 5; shown++) {
    int best = -1;
    for (int k = 0; k < WW_NTERMS; k++)
      if (!done[k] && (best < 0 || t->stall[k] > t->stall[best]))
        best = k;
    if (t->stall[best] < 0.02)
      break;
    done[best] = true;
    ww_buf_fmt(&text, "%s%s %.0f %%", shown ? ", " : "", ww_term_words[best],
               100 * t->stall[best]);
  }
  fputc('\n', f);
  ww_show_wrapped(f, text.s, 0);
  ww_buf_free(&text);
}

void ww_explain_compare(const ww_explained *x, uint32_t n, FILE *f) {
  source s = {.arena = ww_arena_new()};
  char us[16];
  char g[16];
  fputc('\n', f);
  ww_show_bold(f, ww_fmt(s.arena, "%s on each GPU", x->fn->name));
  fputs("\n  GPU              time  change first\n", f);
  for (uint32_t k = 0; k < n; k++) {
    const ww_report *r = &x[k].p->report;
    const ww_advice_item *i = x[k].advice->nitems ? x[k].advice->items : NULL;
    if (r->error.code) {
      fprintf(f, "  %s\n", r->gpu);
      ww_show_wrapped(f, ww_fmt(s.arena, "no answer: %s", r->error.msg), 24);
    } else if (!i)
      fprintf(f, "  %-12s %8s  nothing stands out\n", r->gpu,
              ww_show_us(x[k].p->timing.us, us));
    else
      fprintf(f, "  %-12s %8s  %s, %sx  %s\n", r->gpu,
              ww_show_us(x[k].p->timing.us, us), place_of(&x[k], &s, i),
              factor(i->gain, g), ww_rules[i->rule].id);
  }
  ww_arena_free(s.arena);
}

/* At which other sizes the findings were looked for again. */
static void print_held(const ww_explained *x, source *s, FILE *f) {
  const char *held = x->p->report.held;
  bool any = false;
  for (uint32_t k = 0; k < x->advice->nitems; k++)
    any |= !ww_rule_of_grid(x->advice->items[k].rule);
  if (any)
    ww_show_wrapped(
        f,
        held ? ww_fmt(s->arena, "Gains hold at %s.", held)
             : "Gains are for this launch alone: its sizes cannot be varied.",
        0);
}

void ww_explain_print(const ww_explained *x, FILE *f) {
  const ww_timing *t = &x->p->timing;
  const ww_report *r = &x->p->report;
  char us[16];
  char lo[16];
  char hi[16];
  source s = {.arena = ww_arena_new()};
  ww_show_bold(f, r->kernel);
  const char *file = r->file ? r->file : "";
  if (x->fn->file && strcmp(ww_path_base(x->fn->file), ww_path_base(file)))
    file = x->fn->file; /* a header, or the source of the PTX */
  fprintf(f, "  %s:%u  on %s (%s)\n", file, x->fn->line, r->gpu, r->grade);
  ww_show_launch(f, r);
  ww_show_bold(f, ww_show_us(t->us, us));
  fprintf(f, " (%s .. %s)\n", ww_show_us(t->low, lo), ww_show_us(t->high, hi));
  if (r->bottleneck)
    ww_show_wrapped(f, ww_fmt(s.arena, "limited by %s", r->bottleneck), 0);
  print_findings(x, &s, f);
  print_lines(x, &s, f);
  print_stalls(t, f);
  print_held(x, &s, f);
  ww_show_assumed(f, r);
  ww_arena_free(s.arena);
}
