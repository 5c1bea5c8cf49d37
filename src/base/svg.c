/* svg.c - see svg.h. */
#include "svg.h"

void ww_svg_escape(ww_buf *out, const char *text) {
  static const char special[] = "<>&\"";
  static const char *const names[] = {"&lt;", "&gt;", "&amp;", "&quot;"};
  for (const char *s = text; *s; s++) {
    const char *at = strchr(special, *s);
    if (at)
      ww_buf_puts(out, names[at - special]);
    else
      ww_buf_add(out, s, 1);
  }
}

void ww_svg_begin(ww_buf *out, int width, int height, const char *title) {
  ww_buf_fmt(out,
             "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
             "width=\"%d\" height=\"%d\" "
             "font-family=\"system-ui, 'DejaVu Sans', Helvetica, Arial, "
             "sans-serif\">\n<title>",
             width, height, width, height);
  ww_svg_escape(out, title);
  ww_buf_fmt(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#ffffff\"/>\n",
             width, height);
}

void ww_svg_end(ww_buf *out) {
  ww_buf_puts(out, "</svg>\n");
}

void ww_svg_text(ww_buf *out,
                 double x,
                 double y,
                 const char *anchor,
                 const char *color,
                 double size,
                 double turn,
                 const char *text) {
  ww_buf_fmt(
      out,
      "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" font-size=\"%.3g\"",
      x, y, anchor, color, size);
  if (turn != 0)
    ww_buf_fmt(out, " transform=\"rotate(%.1f %.1f %.1f)\"", turn, x, y);
  ww_buf_puts(out, ">");
  ww_svg_escape(out, text);
  ww_buf_puts(out, "</text>\n");
}

void ww_svg_tick(ww_buf *out, double x, double y) {
  ww_buf_fmt(
      out,
      "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#9a9a9a\"/>\n", x,
      y, x, y + 4);
}
