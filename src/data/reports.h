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

/* Calls `row` for each line of a file of reports, without a store. */
ww_status ww_reports_each(
    const char *path, ww_origin origin, ww_store_row_fn row, void *ctx, ww_err *e);

#endif
