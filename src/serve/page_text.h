/* page_text.h - the files of the page, inside the program. All end with a NUL. */
#ifndef WW_SERVE_PAGE_TEXT_H
#define WW_SERVE_PAGE_TEXT_H

extern const char ww_page_text_export_css[];
extern const char ww_page_text_index_html[], ww_page_text_style_css[];
extern const char ww_page_text_app_js[], ww_page_text_editor_js[], ww_page_text_parts_js[],
    ww_page_text_plots_js[], ww_page_text_server_js[], ww_page_text_state_js[],
    ww_page_text_sweep_js[], ww_page_text_view_js[], ww_page_text_icon_svg[];
extern const char ww_page_text_transpose_cu[], ww_page_text_saxpy_cu[], ww_page_text_matmul_cu[],
    ww_page_text_spmv_cl[], ww_page_text_reduce_hip[], ww_page_text_stencil_c[];
/* Empty in a build without it. */
extern const char ww_page_text_uplot_js[], ww_page_text_uplot_css[], ww_page_text_uplot_license[];

#endif
