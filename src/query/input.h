/* input.h - files that the user named on a command line: sources, launch specs, packed
 * tables. */
#ifndef WW_QUERY_INPUT_H
#define WW_QUERY_INPUT_H

#include "../report/launch.h"

/* input.c: of a folder, as in Triton's cache, its only PTX file; else the path itself.
 */
const char *ww_input_file(const char *path, ww_arena *a);
/* A source file that clang may be given: there, regular, at most 64 MiB, text.
 */
ww_status ww_input_check(const char *path, ww_err *e);
/* What else the user named, which may be a pipe: ww_read_packed, ww_launch_read. */
ww_status ww_input_packed(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e);
ww_status ww_input_launches(
    ww_arena *a, const char *path, ww_launch **out, uint32_t *n, ww_err *e);

#endif
