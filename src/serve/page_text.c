/* page_text.c - the files of the page as text inside the program.
 *
 * The assembler includes them as they are; paths are from the repository's root, where make runs.
 * uPlot is there where npm has brought it (scripts/deps.sh); without it the page shows the server's
 * own plots. */
#include "page_text.h"

#define NAMED(name, what)                                                                    \
  __asm__(".pushsection .rodata\n"                                                           \
          ".globl " #name "\n.hidden " #name "\n.type " #name ", %object\n" #name ":\n" what \
          "\n.byte 0\n"                                                                      \
          ".size " #name ", . - " #name "\n.popsection\n")
#define TEXT(name, path) NAMED(name, ".incbin \"" path "\"")

TEXT(ww_page_text_export_css, "src/serve/page/export.css");
TEXT(ww_page_text_index_html, "src/serve/page/index.html");
TEXT(ww_page_text_style_css, "src/serve/page/style.css");
TEXT(ww_page_text_app_js, "src/serve/page/app.js");
TEXT(ww_page_text_editor_js, "src/serve/page/editor.js");
TEXT(ww_page_text_plots_js, "src/serve/page/plots.js");
TEXT(ww_page_text_parts_js, "src/serve/page/parts.js");
TEXT(ww_page_text_server_js, "src/serve/page/server.js");
TEXT(ww_page_text_state_js, "src/serve/page/state.js");
TEXT(ww_page_text_sweep_js, "src/serve/page/sweep.js");
TEXT(ww_page_text_view_js, "src/serve/page/view.js");
TEXT(ww_page_text_icon_svg, "src/serve/page/icon.svg");

TEXT(ww_page_text_transpose_cu, "src/serve/page/examples/transpose.cu");
TEXT(ww_page_text_saxpy_cu, "examples/saxpy.cu");
TEXT(ww_page_text_matmul_cu, "src/serve/page/examples/matmul.cu");
TEXT(ww_page_text_spmv_cl, "examples/spmv.cl");
TEXT(ww_page_text_reduce_hip, "examples/reduce.hip");
TEXT(ww_page_text_stencil_c, "examples/stencil.c");

#ifdef WW_UPLOT
TEXT(ww_page_text_uplot_js, "src/serve/page/node_modules/uplot/dist/uPlot.iife.min.js");
TEXT(ww_page_text_uplot_css, "src/serve/page/node_modules/uplot/dist/uPlot.min.css");
TEXT(ww_page_text_uplot_license, "src/serve/page/node_modules/uplot/LICENSE");
#else
NAMED(ww_page_text_uplot_js, "");
NAMED(ww_page_text_uplot_css, "");
NAMED(ww_page_text_uplot_license, "");
#endif
