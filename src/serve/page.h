/* page.h - the page that `warpwise serve` shows at /: its files, and examples to begin
 * with. */
#ifndef WW_SERVE_PAGE_H
#define WW_SERVE_PAGE_H

#include "http.h"

/* Ends with a NULL path. No token is needed for these: they hold nothing of the served
 * folder. */
extern const ww_http_route ww_page_routes[];

#endif
