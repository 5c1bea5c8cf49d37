/* rpc.h - JSON-RPC 2.0: messages in, a table of methods, messages out; the core under
 * `lsp` and `mcp`.
 *
 * One thread reads. Methods that change what is known (an edit) run on it, in order;
 * the others on workers, in any order. Invariants: a request gets exactly one answer,
 * also when it is cancelled or its handler says nothing; ids go back as the peer wrote
 * them; nobody but `send` writes to the peer, one whole message at a time. */
#ifndef WW_SERVE_RPC_H
#define WW_SERVE_RPC_H

#include <stdatomic.h>

#include "../base/base.h"
#include "../base/jsonread.h"
#include "../base/json_put.h"

enum {
  WW_RPC_PARSE = -32700,
  WW_RPC_INVALID = -32600,
  WW_RPC_NO_METHOD = -32601,
  WW_RPC_BAD_PARAMS = -32602,
  WW_RPC_INTERNAL = -32603,
  WW_RPC_BUSY = -32000,
  WW_RPC_CANCELLED = -32800, /* these three are LSP's */
  WW_RPC_MODIFIED = -32801,
  WW_RPC_FAILED = -32803,
};

typedef struct ww_rpc ww_rpc; /* a connection */

/* One request or notification while it is handled; handlers read the first five. */
typedef struct ww_rpc_call {
  ww_rpc *r;
  const char *name; /* the method */
  cJSON *message;   /* owned */
  ww_arena *arena;  /* lives as long as the call */
  /* what `before` notes for the handler: it runs when the message is read, the handler
   * perhaps later. 0: nothing */
  uint64_t mark;
  const struct ww_rpc_method *method;
  char *id;                   /* JSON; NULL: a notification */
  struct ww_rpc_batch *batch; /* NULL: a message of its own */
  atomic_bool cancelled;
  bool answered;
  struct ww_rpc_call *next;
} ww_rpc_call;

typedef struct ww_rpc_method {
  const char *method; /* NULL ends the table */
  bool in_order;      /* on the reading thread: what comes next sees its effect */
  void (*handle)(void *server, ww_rpc_call *c); /* NULL: nothing is to be done */
} ww_rpc_method;

typedef struct {
  const ww_rpc_method *methods;
  void *server; /* handed to the handlers */
  /* Asked before each handler, NULL: never. May answer itself (not initialised, a
   * version nobody speaks); then true. */
  bool (*before)(void *server, ww_rpc_call *c);
  uint32_t workers, queue; /* 0: one per core; 256 */
  size_t max_message;      /* bytes; 0: 64 MiB */
  /* a call that the peer cancelled gets no answer, as MCP wants it; else an error, as
   * LSP does */
  bool silent;
} ww_rpc_options;

/* `send` gets one message, without framing, NUL-terminated; calls never overlap. */
typedef void (*ww_rpc_send)(void *to, const char *message, size_t n);
ww_rpc *ww_rpc_new(const ww_rpc_options *o, ww_rpc_send send, void *to);
/* waits for the workers, whose calls count as cancelled; accepts NULL */
void ww_rpc_free(ww_rpc *r);

/* ---- where messages come from ---- */
typedef enum {
  WW_RPC_HEADERS /* Content-Length, as LSP */,
  WW_RPC_LINES /* a JSON value a line, as MCP over stdio */
} ww_rpc_framing;
/* Reads until the peer closes or ww_rpc_end; what cannot be parsed is answered (-32700)
 * and skipped. Sends go to `out` in the same framing: `send` of ww_rpc_new must be
 * NULL. A peer that reads no more ends it too. */
ww_status ww_rpc_serve(ww_rpc *r, int in, int out, ww_rpc_framing framing, ww_err *e);
/* One message (or batch) that came another way, as over HTTP: on return everything it
 * asked for has been sent. */
void ww_rpc_take(ww_rpc *r, const char *text, size_t n);
/* Cancels what runs and wakes the reader; from a handler: serve returns once its answer
 * is out. */
void ww_rpc_end(ww_rpc *r);

/* ---- for handlers ---- */
/* Makes a temporary folder for the source of a child; false with errno: "", none. */
bool ww_rpc_folder(char dir[64], int *slot);
/* NULL: it is no string */
const char *ww_member_text(const cJSON *object, const char *name);
const cJSON *ww_rpc_params(const ww_rpc_call *c); /* NULL: none */
/* the peer gave up; fits ww_query_request.cancelled */
bool ww_rpc_cancelled(void *call);
/* Answers. The first counts, later ones are dropped; a notification's goes nowhere. */
void ww_rpc_result(ww_rpc_call *c, const char *json); /* one JSON value */
/* what was written, which it frees */
void ww_rpc_answer(ww_rpc_call *c, ww_json *j);
void ww_rpc_error(ww_rpc_call *c,
                  int code,
                  const char *message,
                  const char *data); /* data: JSON or NULL */
/* the one place where a status becomes a JSON-RPC code */
void ww_rpc_fail(ww_rpc_call *c, const ww_err *e);

/* ---- to the peer, from any thread ---- */
void ww_rpc_notify(ww_rpc *r, const char *method, ww_json *params); /* which it frees */
void ww_rpc_tell(ww_rpc *r, const char *method, const char *pattern, ...)
    __attribute__((format(printf, 3, 4))); /* the same by a pattern of json_put.h */
/* Asks the peer; `answered` runs on the reading thread, result NULL where it was an
 * error; also when the connection ends. NULL: whatever. */
void ww_rpc_ask(ww_rpc *r,
                const char *method,
                const char *params,
                void (*answered)(void *ctx, const cJSON *result),
                void *ctx);
/* Cancels the call with that id (as $/cancelRequest and notifications/cancelled ask);
 * unknown ones are none. */
void ww_rpc_cancel(ww_rpc *r, const cJSON *id);

#endif
