/* reports.h - measured reports, JSON lines as `measure --json` and `dataset export --as
 * jsonl` write them, into rows of a store. */
#ifndef WW_DATA_REPORTS_H
#define WW_DATA_REPORTS_H

#include "store.h"

/* One line. Members of an export (`key`, `origin`, `number`, ...) are taken as they
 * are; the note of a planned launch says as much; else the kernel's key follows from
 * `origin` (corpus, where the file is corpus/<family>/...), the file, the kernel's name
 * and the flags, and `number` is left to the caller. `dir`: where the file's paths are
 * relative to. Strings live in `a`. *numbered: the line says which launch it is. */
ww_status ww_reports_row(const char *line,
                         const char *dir,
                         ww_origin origin,
                         ww_arena *a,
                         ww_store_row *out,
                         bool *numbered,
                         ww_err *e);

/* All lines of a file (.zst too) into the store, committed at the end; launches of a
 * kernel are numbered in their order. added: rows that were put, with failures. */
ww_status ww_reports_import(
    ww_store *s, const char *path, ww_origin origin, uint64_t *added, ww_err *e);

/* The lines of a file of reports, one after the other; a row's strings last until the
 * next one. */
typedef struct ww_reports ww_reports;
ww_status
ww_reports_open(const char *path, ww_origin origin, ww_reports **out, ww_err *e);
/* *more: false at the end, where there is no row */
ww_status ww_reports_next(ww_reports *r, ww_store_row *out, bool *more, ww_err *e);
void ww_reports_close(ww_reports *r); /* accepts NULL */

#endif
