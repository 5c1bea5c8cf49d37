/* transcript_page.c - the transcript as one page: optimize's page with the steps before
 * what was tried. */
#include "transcript.h"

#include "../base/svg.h"

#define SHOWN 6000 /* bytes of a message */

typedef struct {
  const ww_transcript *t;
  const ww_workbench *b;
} pages;

static const char css[] =
    "<style>.steps{list-style:none;padding:0}.steps li{margin:.5rem 0;padding:.5rem "
    ".8rem;border-left:3px solid var(--soft)}.steps "
    ".assistant{border-color:var(--gain)}"
    ".steps h4{margin:0 0 .3rem}.steps pre{white-space:pre-wrap;margin:.2rem "
    "0;font:13px/"
    "1.45 var(--mono)}</style>\n";

static void put_text(const char *text, ww_buf *out) {
  size_t n = text ? strlen(text) : 0;
  ww_buf part = {0};
  if (!n)
    return;
  ww_buf_add(&part, text, ww_least(n, SHOWN));
  ww_buf_puts(&part, n > SHOWN ? " ..." : "");
  ww_buf_puts(out, "<pre>");
  ww_svg_escape(out, part.s);
  ww_buf_puts(out, "</pre>");
  ww_buf_free(&part);
}

/* What the version changes in the one that it was made from. */
static void put_change(const ww_workbench *b, uint32_t id, ww_arena *a, ww_buf *out) {
  const ww_candidate *c = &b->all.v.v[id];
  ww_buf patch = {0};
  ww_patch_write(ww_path_base(b->all.path), b->all.v.v[c->parent].text, c->text, a,
                 &patch);
  ww_buf_fmt(out, "<details><summary>v%u against v%u</summary><pre class=\"diff\">", id,
             c->parent);
  ww_page_diff(patch.s ? patch.s : "no change of the text\n", out);
  ww_buf_puts(out, "</pre></details>");
  ww_buf_free(&patch);
}

static void put_step(const pages *p, uint32_t nth, ww_buf *out) {
  const ww_step *s = &p->t->v.v[nth];
  const char *who = !strcmp(s->m.role, "assistant") ? "the model"
                    : s->m.answers                  ? s->m.answers->name
                                                    : s->m.role;
  ww_buf_fmt(out, "<li class=\"%s\"><h4>%u. ", s->m.role, nth);
  ww_svg_escape(out, who);
  ww_buf_fmt(out, " <small>%.1f s</small></h4>", s->at);
  bool first = nth < 2; /* the instructions and the task: long, and known */
  if (first)
    ww_buf_puts(out, "<details><summary>its text</summary>");
  put_text(s->m.text, out);
  if (first)
    ww_buf_puts(out, "</details>");
  for (uint32_t k = 0; k < s->m.ncalls; k++) {
    ww_buf call = {0};
    ww_buf_fmt(&call, "%s %s", s->m.calls[k].name, s->m.calls[k].arguments);
    put_text(call.s, out);
    ww_buf_free(&call);
  }
  for (uint32_t k = s->before; k < s->made; k++)
    put_change(p->b, k, p->t->a, out);
  ww_buf_puts(out, "</li>\n");
}

static void put_steps(void *ctx, ww_buf *out) {
  const pages *p = ctx;
  ww_buf_puts(out, css);
  ww_buf_puts(out, "<article><h2>Step by step</h2><ol class=\"steps\">\n");
  for (uint32_t k = 0; k < p->t->v.n; k++)
    put_step(p, k, out);
  ww_buf_puts(out, "</ol></article>\n");
}

void ww_transcript_page(const ww_transcript *t,
                        const ww_workbench *b,
                        const ww_gpu *g,
                        ww_buf *out) {
  pages p = {t, b};
  ww_page_frame frame = {.made = "warpwise agent", .ctx = &p, .more = put_steps};
  ww_optimized_page(&b->all, g, &frame, t->a, out);
}
