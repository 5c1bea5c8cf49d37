/* jsonread.h - reading JSON: cJSON's tree, with exact numbers and errors that name the
 * member.
 *
 * cJSON keeps numbers as doubles only. Here every number node also carries its text in
 * `valuestring`, so integers beyond 2^53 survive and `2` differs from `2.0`. */
#ifndef WW_JSONREAD_H
#define WW_JSONREAD_H

#include <cjson/cJSON.h>

#include "base.h"

/* The tree of exactly one JSON value (free with cJSON_Delete); NULL with e filled (line
 * and col inside text). */
cJSON *ww_json_read(const char *text, size_t n, ww_err *e);
/* The line and col of a member of the outermost object into e, of a text that could be
 * read; as they are where it is not there. */
void ww_json_place(const char *text, const char *name, ww_err *e);

/* The number of a node as an integer: also 1e6 and 4096.0. Numbers of 2^63 .. 2^64-1
 * give their bits and *big = true. */
bool ww_json_as_int(const cJSON *node, int64_t *value, bool *big);
bool ww_json_written_as_int(const cJSON *node); /* no '.', no exponent */

/* One value of a given kind; `where` names the member in the message:
 * `args[2].buffer.bytes: expected ...`. */
ww_status
ww_json_want_uint(const cJSON *node, const char *where, uint64_t *out, ww_err *e);
ww_status ww_json_want_str(
    const cJSON *node, const char *where, const char **out, ww_arena *a, ww_err *e);
/* Every member of the object is one of the NULL-terminated names, each at most once;
 * else the message lists them. */
ww_status ww_json_want_members(const cJSON *obj,
                               const char *where,
                               const char *const *names,
                               ww_err *e);
/* A member that may be missing: its text in the arena or NULL; its whole number or 0.
 */
const char *ww_json_text(const cJSON *obj, const char *key, ww_arena *a);
uint64_t ww_json_whole(const cJSON *obj, const char *key);
/* What a node is, for messages: "a string", "an array", "the number 4.5" (in
 * `scratch`). */
const char *ww_json_kind(const cJSON *node, char scratch[64]);
/* Writes it again, numbers as they were written; NULL, and what is nested deeper than
 * the writer goes: null. */
void ww_json_copy(const cJSON *value, ww_json *j);

#endif
