/* launch_int.h - what the files of the launch spec share. */
#ifndef WW_LAUNCH_INT_H
#define WW_LAUNCH_INT_H

#include "launch.h"

#define WW_DIM_MAX 0xffffffffull
/* bytes of a buffer: what an address can reach */
#define WW_SIZE_MAX ((uint64_t)1 << 48)

struct cJSON;

/* The spec that a node read by ww_json_read holds. */
ww_status ww_launch_from_json(
    const struct cJSON *node, const char *dir, ww_arena *a, ww_launch *out, ww_err *e);
/* Bytes from hex digits (either case, blanks allowed); `where` names the member. */
ww_status ww_hex_parse(const char *text,
                       const char *where,
                       ww_arena *a,
                       const uint8_t **out,
                       uint32_t *n,
                       ww_err *e);
/* A size in bytes or elements: a constant goes to *value (and *expr stays NULL), else
 * *expr keeps the text. */
ww_status ww_size_text(const char *text,
                       const char *where,
                       ww_arena *a,
                       uint64_t *value,
                       const char **expr,
                       ww_err *e);
ww_status ww_type_check(const char *type, const char *where, ww_err *e);
/* A number given as text: the value, or the text kept in arg->expr. */
ww_status
ww_value_text(const char *text, const char *where, ww_arena *a, ww_arg *out, ww_err *e);
/* A bound of a fill's range. */
ww_status ww_bound_text(const char *text,
                        const char *where,
                        ww_arena *a,
                        double *value,
                        const char **expr,
                        ww_err *e);
ww_status ww_fill_check(const ww_fill *f, const char *where, ww_err *e);
int ww_fill_named(const char *name, size_t n); /* ww_fill_kind or -1 */

#endif
