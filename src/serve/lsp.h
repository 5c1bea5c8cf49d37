/* lsp.h - the language server: predictions in an editor while kernels are written. */
#ifndef WW_SERVE_LSP_H
#define WW_SERVE_LSP_H

#include "../base/base.h"

typedef struct {
  const char *gpu; /* that the command line names: under every setting. NULL: none */
  /* that reading a source, or predicting a kernel, may take; 0: no limit */
  double seconds;
  uint64_t bytes; /* of memory that a prediction may take; 0: no limit */
} ww_lsp_options;

/* Speaks LSP 3.17 over the two descriptors until the editor says `exit` or closes.
 * *orderly: it said `shutdown` first. */
ww_status
ww_lsp_run(const ww_lsp_options *o, int in, int out, bool *orderly, ww_err *e);

#endif
