/* svg.h - pictures that any browser shows: text as text, no scripts. Coordinates are
 * pixels and go out with one decimal: small files, the same on every machine. */
#ifndef WW_BASE_SVG_H
#define WW_BASE_SVG_H

#include "base.h"

/* A white picture of that size; its title is what a reader of the page's text gets. */
void ww_svg_begin(ww_buf *out, int width, int height, const char *title);
void ww_svg_end(ww_buf *out);
/* anchor: start, middle, end; turn: degrees. */
void ww_svg_text(ww_buf *out,
                 double x,
                 double y,
                 const char *anchor,
                 const char *color,
                 double size,
                 double turn,
                 const char *text);
void ww_svg_tick(ww_buf *out, double x, double y); /* of an axis, downwards */
void ww_svg_escape(ww_buf *out, const char *text); /* for HTML too */

#endif
