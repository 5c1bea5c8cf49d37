/* page_text.h - the files of the page, inside the program. All end with a NUL. */
#ifndef WW_SERVE_PAGE_TEXT_H
#define WW_SERVE_PAGE_TEXT_H

#define PAGE(url, media, name, path) extern const char ww_page_text_##name[];
#define EXAMPLE PAGE
#include "page.def"

#endif
