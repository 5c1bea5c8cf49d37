/* schema.h - what the interfaces share of what clients are told: words and properties
 * of JSON Schemas (of the REST interface, of tools, of .warpwise.json), roofs, GPUs by
 * name. */
#ifndef WW_SERVE_SCHEMA_H
#define WW_SERVE_SCHEMA_H

#include "../predict/show/roofline.h"
#include "../query/query.h"
#include "../base/json_put.h"
#include "../report/report.h"

/* Lists of words: "warm|cold". */
bool ww_is_one_of(const char *list, const char *word);
void ww_json_words(ww_json *j, const char *name, const char *list, const char *between);
void ww_schema_one_of(ww_json *j, const char *list); /* "enum":[words] */
/* Properties, one a line: name, type, what it means, as in "line integer where it
 * begins". The type `strings` is an array of them, `any` is none. */
void ww_schema_properties(ww_json *j, const char *lines);
const char *ww_schema_meaning(ww_metric m, char text[512]); /* with its unit */
void ww_roofs_members(const ww_roofs *r,
                      ww_json *j); /* those that a GPU has, in GB/s and GFLOP/s */
/* NULL: unknown, or no name */
const ww_gpu *ww_gpu_of(const ww_query *w, const char *name);

#endif
