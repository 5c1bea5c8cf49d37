/* program_page.c - a program's timeline and its kernels as one HTML file: no script,
 * nothing fetched. */
#include "../../base/svg.h"
#include "page_export.h"
#include "program.h"

static void cell(ww_buf *out, const char *tag, const char *text) {
  ww_buf_fmt(out, "<%s>", tag);
  ww_svg_escape(out, text);
  ww_buf_fmt(out, "</%s>", tag);
}

static void
page_row(const ww_program *p, const ww_program_row *r, double all, ww_buf *out) {
  char v[24];
  char low[16];
  char high[16];
  ww_buf_puts(out, "<tr>");
  cell(out, "th", r->kernel ? r->kernel : "all");
  cell(out, "td", ww_show_amount(r->launches, "1", v));
  ww_buf_fmt(out, "<td class=\"share\" style=\"--h:%.3f\">%.1f %%</td>",
             ww_ratio(r->us[0], all), 100 * ww_ratio(r->us[0], all));
  for (uint32_t g = 0; g < p->ngpus; g++) {
    if (r->unanswered[g] >= r->launches) {
      ww_buf_puts(out, "<td>-</td>");
      continue;
    }
    ww_buf_fmt(out, "<td><b>%s%s</b> <span>%s … %s</span></td>",
               r->unanswered[g] > 0 ? "at least " : "", ww_show_us(r->us[g], v),
               ww_show_us(r->low[g], low), ww_show_us(r->high[g], high));
  }
  cell(out, "td",
       r->why      ? r->why
       : r->kernel ? ww_term_words[ww_program_bound(r)]
                   : "");
  ww_buf_puts(out, "</tr>\n");
}

void ww_program_page(const ww_program *p, ww_buf *out) {
  ww_arena *a = ww_arena_new();
  ww_program_sums s;
  ww_program_sum(p, a, &s);
  ww_buf_puts(out, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
                   "<meta name=\"viewport\" content=\"width=device-width\"><title>");
  ww_svg_escape(out, p->name);
  ww_buf_puts(out, "</title><style>");
  ww_buf_puts(out, ww_export_css());
  ww_buf_puts(out, "</style></head><body>\n<header>");
  cell(out, "h1", p->name);
  ww_buf_fmt(out, "<p>%.0f launches of %u kernels, predicted</p></header>\n<figure>",
             s.total.launches, s.rows.n);
  ww_program_svg(p, out);
  ww_buf_puts(out,
              "</figure>\n<h2>Kernels</h2>\n<div class=\"scroll\"><table "
              "class=\"waits\"><thead><tr><th></th><th>launches</th><th>share</th>");
  for (uint32_t g = 0; g < p->ngpus; g++)
    cell(out, "th", p->gpus[g]);
  ww_buf_puts(out, "<th>bound by</th></tr></thead><tbody>\n");
  for (uint32_t k = 0; k < s.rows.n; k++)
    page_row(p, &s.rows.v[k], s.total.us[0], out);
  s.total.why = NULL;
  page_row(p, &s.total, s.total.us[0], out);
  ww_buf_puts(out, "</tbody></table></div>\n</body></html>\n");
  ww_arena_free(a);
}
