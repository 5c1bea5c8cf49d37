/* page_text.c - the files of the page as text inside the program.
 *
 * The assembler includes them as they are; paths are from the repository's root, where
 * make runs. uPlot is there where npm has brought it (scripts/deps.sh); without it the
 * page shows the server's own plots. */
#include "page_text.h"

#define NAMED(name, what)                                                         \
  __asm__(".pushsection .rodata\n"                                                \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name \
          ":\n" what "\n.byte 0\n"                                                \
          ".size " #name ", . - " #name "\n.popsection\n")
#define TEXT(name, path) NAMED(name, ".incbin \"" path "\"")

#define PAGE(url, media, name, path) TEXT(ww_page_text_##name, path);
#define EXAMPLE PAGE
#ifndef WW_UPLOT
#define UPLOT(url, media, name, path) NAMED(ww_page_text_##name, "");
#endif
#include "page.def"
