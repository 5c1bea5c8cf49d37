/* api_int.h - the tables that api.c answers by and openapi.c writes down, and what the
 * handlers share. */
#ifndef WW_SERVE_API_INT_H
#define WW_SERVE_API_INT_H

#include <stdatomic.h>

#include "../base/jsonread.h"
#include "../predict/advice/fixes.h"
#include "api.h"
#include "schema.h"

/* NAMES: a string or an array of strings; SPEC: a launch spec, or the words of a `//
 * warpwise:` comment */
typedef enum {
  WW_MEMBER_TEXT,
  WW_MEMBER_TEXTS,
  WW_MEMBER_NAMES,
  WW_MEMBER_COUNT,
  WW_MEMBER_SPEC
} ww_member_kind;
typedef enum {
  WW_IN_SOURCE = 1,
  WW_IN_LAUNCH = 2,
  WW_IN_SWEEP = 4,
  WW_IN_FILE = 8,
  WW_IN_METHOD = 16, /* how it is predicted: scripts ask for that, agents do not */
  WW_IN_CODE = 32
} ww_member_group;

typedef struct {
  const char *name;
  ww_member_kind kind;
  uint8_t group; /* ww_member_group, one or several */
  const char *meaning;
  const char *one_of; /* "warm|cold", NULL: anything */
} ww_member;
extern const ww_member ww_api_members[]; /* ends with a NULL name */

typedef struct call call;
typedef struct {
  const char *method, *path, *summary;
  uint8_t groups; /* members of the request; 0: it has no body */
  bool quick;
  const char *answer, *type; /* name of the answer's schema, NULL: none; media type */
  /* what it says is not WW_OK is in c->err */
  ww_status (*handle)(call *c, ww_api_reply *out);
} ww_route;
extern const ww_route ww_api_routes[]; /* ends with a NULL method */

struct ww_api {
  ww_query *w;
  ww_api_options o;
  ww_buf openapi, gpus; /* answers that never change, made once */
  atomic_bool stopping;
  atomic_uint_fast64_t answered, failed;
};

struct call {
  ww_api *api;
  const ww_api_request *q;
  const ww_route *route;
  ww_arena *a;
  cJSON *body; /* NULL: none */
  ww_launch launch;
  ww_query_request ask;
  ww_err err;
};

/* ---- api.c ---- */
/* the body, by the members of the route's groups, into c->ask */
ww_status ww_call_read(call *c);
/* NULL: not there */
ww_status ww_call_text(call *c, const char *member, const char **out);
/* the answer is JSON */
ww_json ww_call_json(ww_api_reply *out);
ww_status ww_call_end(ww_json *j);                  /* closes its object; WW_OK */
ww_status ww_call_ask(call *c, ww_query_result *x); /* reads the request and asks it */
/* items of an array */
void ww_call_reports(const ww_query_result *x, uint32_t most, ww_json *j);
bool ww_call_harmless(const char *flag); /* a definition, or the language's standard */
/* The GPUs of the request, in its order. */
uint32_t ww_call_gpus(call *c, ww_gpu **out);

/* ---- api_page.c: what a page needs beyond reports ---- */
ww_status ww_call_files(call *c, ww_api_reply *out);
ww_status ww_call_source(call *c, ww_api_reply *out);
/* members of an object; of a request that was read */
ww_status ww_call_write_sweep(call *c, const char *range, ww_json *j);
ww_status ww_call_sweep(call *c, ww_api_reply *out);
ww_status ww_call_sweep_svg(call *c, ww_api_reply *out);
ww_status ww_call_html(call *c, ww_api_reply *out);

/* ---- api_code.c: what a kernel is compiled to ---- */
ww_status ww_call_instructions(call *c, ww_api_reply *out);

/* ---- api_fix.c: edits for findings ---- */
typedef struct {
  const char *kernel;
  const ww_finding *finding;
  ww_fix fix;
  bool taken; /* it assumes nothing: its edits are in `all` */
} ww_offered_fix;
typedef struct {
  ww_offered_fix *v;
  uint32_t n, cap;
  ww_fix all;
  const char *file, *text; /* the source */
  size_t bytes;
} ww_call_fixes_list;
/* of a request that was read */
ww_status ww_call_find_fixes(call *c, ww_call_fixes_list *out);
/* member `patch`: a unified diff of all that is taken; none where nothing is */
void ww_call_write_patch(const ww_call_fixes_list *l, ww_json *j);
ww_status ww_call_fixes(call *c, ww_api_reply *out);

#endif
