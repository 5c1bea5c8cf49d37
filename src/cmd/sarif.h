/* sarif.h - findings in the forms that code hosts read. */
#ifndef WW_CMD_SARIF_H
#define WW_CMD_SARIF_H

#include "../predict/advice/advice.h"

typedef struct ww_sarif ww_sarif;
/* One SARIF 2.1.0 log of all kernels that are added; paths are made relative to the
 * working folder where they lie in it. */
ww_sarif *ww_sarif_new(void);
void ww_sarif_add(ww_sarif *s, const ww_report *r);
void ww_sarif_end(ww_sarif *s, ww_buf *out); /* writes the log and frees s */

/* ::warning file=...,line=...,title=...::message for each finding. */
void ww_github_write(const ww_report *r, ww_buf *out);

#endif
