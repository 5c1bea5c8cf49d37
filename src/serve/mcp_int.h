/* mcp_int.h - what the files of the MCP server share: mcp.c the protocol, mcp_http.c
 * its HTTP binding, mcp_tools.c the table of tools and their schemas, mcp_predict.c and
 * mcp_child.c what they do, mcp_docs.c resources and prompts. */
#ifndef WW_SERVE_MCP_INT_H
#define WW_SERVE_MCP_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "api_int.h"
#include "mcp.h"
#include "rpc.h"

#define WW_MCP_MODERN "2026-07-28"
#define WW_MCP_VERSION_KEY "io.modelcontextprotocol/protocolVersion"

enum {
  WW_MCP_HEADERS = -32020, /* HTTP headers and body say different things */
  WW_MCP_VERSION = -32022, /* a version that nobody here speaks */
};

/* Who is served: a pipe's client, or one HTTP request. */
typedef struct ww_mcp_peer ww_mcp_peer;
struct ww_mcp_peer {
  ww_mcp *m;
  ww_rpc *rpc;
  ww_http_call *x; /* NULL: a pipe */
  /* what is sent is an event of a stream; else it is kept in `answer` */
  bool streams;
  atomic_bool gone;
  double wrote;         /* ww_now: when the stream last had something */
  pthread_mutex_t lock; /* of `wrote` */
  ww_buf answer;
  char session[40]; /* whose calls a cancellation means; "" none */
  ww_mcp_peer *next;
};

struct ww_mcp {
  ww_mcp_options o;
  atomic_bool stopping;
  pthread_mutex_t lock; /* of peers */
  ww_mcp_peer *peers;   /* HTTP requests that run */
  ww_rpc *pipe;         /* the client of ww_mcp_serve */
  atomic_int slow;      /* evaluations and measurements that run */
};

/* ---- mcp.c ---- */
extern const ww_rpc_method ww_mcp_methods[];
/* What is wrong with a message before any method looks at it; false: nothing. In this
 * order. */
typedef struct {
  int code;
  char message[300];
  char data[400]; /* JSON; "" none */
} ww_mcp_problem;
bool ww_mcp_is_modern(const cJSON *params);
bool ww_mcp_bad_envelope(const cJSON *message,
                         ww_mcp_problem *out); /* `_meta` of the stateless era */
bool ww_mcp_bad_version(const cJSON *message, ww_mcp_problem *out);
/* not of the message's era */
bool ww_mcp_bad_method(const cJSON *message, ww_mcp_problem *out);
/* of the era with a handshake */
bool ww_mcp_knows_version(const char *version);
bool ww_mcp_before(void *peer, ww_rpc_call *c);
/* The rest of a result, an open object: "resultType" where the era has it, and for what
 * may be kept by clients how long. Answers, and frees what was written. */
void ww_mcp_end_result(ww_rpc_call *c, ww_json *j, bool cacheable);

/* ---- mcp_tools.c ---- */
typedef struct ww_mcp_tool ww_mcp_tool;
typedef struct {
  ww_mcp *m;
  ww_mcp_peer *peer;
  ww_rpc_call *c;
  const ww_mcp_tool *tool;
  const cJSON *args;  /* an object, or NULL */
  const cJSON *token; /* what progress notifications carry; NULL: none asked for */
  double arrived;
  ww_arena *a;
  bool full; /* "detail":"full" */
  /* the structured result, an open object; a further content item, or none */
  ww_json j, content;
  ww_err err;
} ww_mcp_call;

struct ww_mcp_tool {
  const char *name, *title, *description;
  uint8_t groups;       /* of ww_api_members: its arguments beside its own */
  const ww_member *own; /* ends with a NULL name; no meaning: the command's option of
                           that name says it */
  ww_status (*run)(ww_mcp_call *t);
  void (*output)(ww_json *j); /* properties of its outputSchema */
  const char *required;       /* an argument that must be there; NULL: source or file */
  const char *command;        /* whose options they are; NULL: none */
  bool slow;                  /* minutes; progress; one at a time */
  /* runs kernels on this machine: only where that is allowed */
  bool runs;
};
/* The schema of each tool's result: {name, outputSchema}, items of an array. */
void ww_mcp_write_schemas(const ww_mcp *m, ww_json *j);
/* in the order that clients see; ends with a NULL name */
extern const ww_mcp_tool ww_mcp_tools[];
void ww_mcp_list_tools(void *peer, ww_rpc_call *c);
void ww_mcp_call_tool(void *peer, ww_rpc_call *c);
/* of the arguments; NULL: not there */
const char *ww_mcp_text(ww_mcp_call *t, const char *name);
/* a ww_mcp_call; also: the client is gone, the server ends */
bool ww_mcp_cancelled(void *call);
void ww_mcp_progress(ww_mcp_call *t, uint64_t done, uint64_t total, const char *what);
/* The arguments of the tool's groups, checked as the REST interface does; fields of
 * `own` are passed over. */
ww_status ww_mcp_ask(ww_mcp_call *t, const cJSON *args, call *out);

/* ---- mcp_predict.c ---- */
ww_status ww_mcp_list_kernels(ww_mcp_call *t);
ww_status ww_mcp_predict(ww_mcp_call *t);
ww_status ww_mcp_explain(ww_mcp_call *t);
ww_status ww_mcp_roofline(ww_mcp_call *t);
ww_status ww_mcp_compare(ww_mcp_call *t); /* mcp_compare.c */
/* The arguments of the other version: the same, with what other_* says in their place.
 * The caller deletes them. */
cJSON *ww_mcp_other_args(const ww_mcp_call *t);
ww_status ww_mcp_verify(ww_mcp_call *t); /* mcp_verify.c */
void ww_mcp_schema_verify(ww_json *j);
void ww_mcp_schema_kernels(ww_json *j);
void ww_mcp_schema_reports(ww_json *j);
void ww_mcp_schema_roofline(ww_json *j);
void ww_mcp_schema_compare(ww_json *j);
/* One report in short: an object. `lines` of an explanation are in `json`, the report's
 * text. */
void ww_mcp_short(const ww_report *r, uint32_t line, bool explain, ww_json *j);
void ww_mcp_quantity(ww_json *j, const char *name, const ww_quantity *q);
double ww_mcp_digits(double v); /* its four digits that count */
/* A property that is a list of objects: with the properties of `lines` (schema.h), or
 * with those that the caller writes before it ends with "}}}". */
void ww_mcp_list(ww_json *j, const char *name, const char *meaning, const char *lines);
void ww_mcp_begin_list(ww_json *j, const char *name, const char *meaning);

/* ---- mcp_child.c ---- */
/* Our own program at work for a tool. */
typedef struct {
  ww_mcp_call *t;
  const char *dir; /* where it runs: reports call files as they are seen from there */
  WW_VEC(const char *) argv;
  ww_run_result r;       /* the caller's to free */
  uint64_t before, done; /* of its progress */
} ww_mcp_child;
ww_status ww_mcp_child_start(ww_mcp_child *k, ww_mcp_call *t, const char *command);
void ww_mcp_child_word(ww_mcp_child *k, const char *w);
/* In one word: a value that looks like an option stays a value. */
void ww_mcp_child_option(ww_mcp_child *k, const char *name, const char *value);
/* The tool's own counts and words, which the command knows by the same names. */
void ww_mcp_child_options(ww_mcp_child *k, const char *const *names);
ww_status ww_mcp_child_run(ww_mcp_child *k, const char *input);
/* Runs it on the source, kernel and launch of the call, with options of these names. */
ww_status ww_mcp_child_source(ww_mcp_child *k, call *c, const char *const *names);
/* The tree of the first line of what it printed. */
cJSON *ww_mcp_child_line(const ww_mcp_child *k, ww_err *e);
/* These members, where they are there; numbers with four digits. */
void ww_mcp_copy(const cJSON *from, const char *const *names, ww_json *j);
/* Whether a launch that a table names stays below the root: sources are seen from one
 * folder, contents of buffers from the table's own. */
ww_status ww_mcp_check_launch(ww_mcp_call *t,
                              const char *sources,
                              const char *dir,
                              const ww_launch *l,
                              ww_arena *a);
ww_status ww_mcp_measure(ww_mcp_call *t);
ww_status ww_mcp_evaluate(ww_mcp_call *t);
void ww_mcp_schema_evaluate(ww_json *j);

/* ---- mcp_sweep.c, mcp_batch.c ---- */
ww_status ww_mcp_sweep(ww_mcp_call *t);
ww_status ww_mcp_fix(ww_mcp_call *t);
ww_status ww_mcp_batch(ww_mcp_call *t);
void ww_mcp_schema_sweep(ww_json *j);
void ww_mcp_schema_fix(ww_json *j);
void ww_mcp_schema_batch(ww_json *j);

/* ---- mcp_optimize.c ---- */
ww_status ww_mcp_tune(ww_mcp_call *t);
ww_status ww_mcp_optimize(ww_mcp_call *t);
void ww_mcp_schema_tune(ww_json *j);
void ww_mcp_schema_optimize(ww_json *j);

/* ---- mcp_docs.c ---- */
void ww_mcp_list_resources(void *peer, ww_rpc_call *c);
void ww_mcp_list_templates(void *peer, ww_rpc_call *c);
void ww_mcp_read_resource(void *peer, ww_rpc_call *c);
void ww_mcp_list_prompts(void *peer, ww_rpc_call *c);
void ww_mcp_get_prompt(void *peer, ww_rpc_call *c);
void ww_mcp_complete(void *peer, ww_rpc_call *c);

#endif
