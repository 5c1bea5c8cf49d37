/* mcp_http.c - MCP over HTTP: one POST a message, answered as JSON or, where progress
 * may be told, as a stream of events.
 *
 * In the stateless era the headers repeat what the body says, for those who route
 * without reading it: the two must agree. In the era with a handshake a session id
 * tells whose calls a cancellation means; nothing else depends on it, so one from
 * before a restart is as good. */
#include <sys/random.h>

#include "mcp_int.h"

#define VERSION_HEADER "MCP-Protocol-Version"
#define SESSION_HEADER "Mcp-Session-Id"

/* ---- answers without a call ---- */

static void
reply_problem(ww_http_call *x, int status, const cJSON *id, const ww_mcp_problem *p) {
  ww_json j = {0};
  ww_json_put(&j, "{jsonrpc:'2.0',id:");
  ww_json_copy(cJSON_IsString(id) || cJSON_IsNumber(id) ? id : NULL, &j);
  ww_json_put(&j, "error:{code:%d,message:%s", p->code, p->message);
  if (p->data[0]) {
    ww_json_key(&j, "data");
    ww_json_raw(&j, p->data);
  }
  ww_json_put(&j, "}}");
  ww_http_json(x, status, &j);
}

static void
refuse(ww_http_call *x, int status, const cJSON *id, int code, const char *message) {
  ww_mcp_problem p = {.code = code};
  snprintf(p.message, sizeof p.message, "%s", message);
  reply_problem(x, status, id, &p);
}

/* ---- headers ---- */

/* A header's value without blanks around it; "" and false: not there. */
static bool header(ww_http_call *x, const char *name, char *out, size_t room) {
  const char *v = ww_http_header(x, name);
  *out = 0;
  if (!v)
    return false;
  v += strspn(v, " \t");
  size_t n = strlen(v);
  while (n && (v[n - 1] == ' ' || v[n - 1] == '\t'))
    n--;
  snprintf(out, room, "%.*s", (int)n, v);
  return true;
}

static int sextet(char c) {
  static const char digits[] =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = c ? strchr(digits, c) : NULL;
  return at ? at - digits : -1;
}

/* "=?base64?aGVsbG8=?=" stands for what a header cannot carry. False: the wrapper is
 * there, what it wraps is no base64. */
static bool unwrap(char *s) {
  size_t n = strlen(s);
  size_t out = 0;
  if (!ww_starts(s, "=?base64?") || n < 11 || strcmp(s + n - 2, "?=") != 0)
    return true;
  const char *p = s + 9;
  const char *end = s + n - 2;
  if ((end - p) % 4)
    return false;
  for (; p < end; p += 4) {
    int v[4];
    int pad = (p[3] == '=') + (p[2] == '=' && p[3] == '=');
    for (int k = 0; k < 4; k++)
      v[k] = k >= 4 - pad ? 0 : sextet(p[k]);
    if (v[0] < 0 || v[1] < 0 || v[2] < 0 || v[3] < 0 || (pad && p + 4 != end))
      return false;
    uint32_t bits = v[0] << 18 | v[1] << 12 | v[2] << 6 | v[3];
    for (int k = 0; k < 3 - pad; k++)
      s[out++] = bits >> (16 - 8 * k);
  }
  s[out] = 0;
  return true;
}

static bool mismatch(ww_mcp_problem *out, const char *what) {
  *out = (ww_mcp_problem){.code = WW_MCP_HEADERS};
  snprintf(out->message, sizeof out->message, "the headers and the body disagree: %s",
           what);
  return true;
}

/* What Mcp-Name repeats: of a call the tool's name, of reading the address. */
static const char *name_of(const char *method, const cJSON *params) {
  if (ww_is_one_of("tools/call|prompts/get", method))
    return ww_member_text(params, "name");
  return !strcmp(method, "resources/read") ? ww_member_text(params, "uri") : NULL;
}

static bool headers_differ(ww_http_call *x, const cJSON *m, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(m, "params");
  const char *claim = ww_member_text(cJSON_GetObjectItemCaseSensitive(params, "_meta"),
                                     WW_MCP_VERSION_KEY);
  char version[64];
  char method[128];
  if (header(x, VERSION_HEADER, version, sizeof version) && strcmp(version, claim) != 0)
    return mismatch(out, VERSION_HEADER " names another version than _meta");
  if (header(x, "Mcp-Method", method, sizeof method) &&
      strcmp(method, ww_member_text(m, "method")) != 0)
    return mismatch(out, "Mcp-Method names another method");
  return false;
}

static bool headers_missing(ww_http_call *x, const cJSON *m, ww_mcp_problem *out) {
  const char *want = name_of(ww_member_text(m, "method"),
                             cJSON_GetObjectItemCaseSensitive(m, "params"));
  char name[1024];
  if (!ww_http_header(x, VERSION_HEADER))
    return mismatch(out, "the header " VERSION_HEADER " is missing");
  if (!ww_http_header(x, "Mcp-Method"))
    return mismatch(out, "the header Mcp-Method is missing");
  if (!want)
    return false;
  if (!header(x, "Mcp-Name", name, sizeof name))
    return mismatch(out, "the header Mcp-Name is missing");
  if (!unwrap(name))
    return mismatch(out, "Mcp-Name is no base64");
  return strcmp(name, want) != 0 && mismatch(out, "Mcp-Name names another one");
}

/* ---- one message ---- */

/* The stateless era's checks, in the order that its servers make them. True: refused.
 */
static bool modern_refused(ww_http_call *x, const cJSON *m) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  ww_mcp_problem p;
  bool bad = ww_mcp_bad_envelope(m, &p) || headers_differ(x, m, &p) ||
             ww_mcp_bad_version(m, &p) || (id && headers_missing(x, m, &p)) ||
             ww_mcp_bad_method(m, &p);
  if (bad)
    reply_problem(x, p.code == WW_RPC_NO_METHOD ? 404 : 400, id, &p);
  return bad;
}

static bool legacy_refused(ww_http_call *x, const cJSON *m) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  const char *method = ww_member_text(m, "method");
  char version[64];
  if (!header(x, VERSION_HEADER, version, sizeof version) ||
      ww_mcp_knows_version(version))
    return false;
  bool modern = strcmp(version, WW_MCP_MODERN) >= 0;
  if (modern && id && method && strcmp(method, "initialize") != 0)
    refuse(
        x, 400, id, WW_RPC_BAD_PARAMS,
        "the header " VERSION_HEADER
        " is of the stateless era, but the request's _meta lacks " WW_MCP_VERSION_KEY);
  else if (modern && !id && !strcmp(version, WW_MCP_MODERN))
    return false; /* a notification carries no _meta of its own */
  else
    refuse(x, 400, id, modern && id ? WW_MCP_HEADERS : WW_RPC_INVALID,
           "unsupported " VERSION_HEADER);
  return true;
}

/* Batches are of one version, 2025-03-26, which is also what no header means. */
static bool batch_refused(ww_http_call *x, const cJSON *list) {
  const cJSON *m;
  char version[64];
  bool newer = header(x, VERSION_HEADER, version, sizeof version) &&
               strcmp(version, "2025-03-26") > 0;
  cJSON_ArrayForEach(m, list) newer |=
      ww_mcp_is_modern(cJSON_GetObjectItemCaseSensitive(m, "params"));
  if (newer)
    refuse(x, 400, NULL, WW_RPC_INVALID, "this version of the protocol has no batches");
  return newer;
}

/* No message at all; answers to what a server asked are taken, though this one asks
 * nothing. */
static bool is_message(const cJSON *m) {
  const char *version = ww_member_text(m, "jsonrpc");
  bool said = ww_member_text(m, "method") ||
              cJSON_GetObjectItemCaseSensitive(m, "result") ||
              cJSON_GetObjectItemCaseSensitive(m, "error");
  return cJSON_IsObject(m) && said && version && !strcmp(version, "2.0");
}

static bool accepts_nothing(ww_http_call *x) {
  const char *accept = ww_http_header(x, "Accept");
  return accept && *accept && !strcasestr(accept, "application/json") &&
         !strcasestr(accept, "text/event-stream") && !strstr(accept, "*/*") &&
         !strcasestr(accept, "application/*");
}

/* Only calls have something to tell on the way, or take so long that a client may
 * leave. */
static bool wants_stream(ww_http_call *x, const cJSON *m) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(m, "params");
  const char *method = ww_member_text(m, "method");
  const char *name = ww_member_text(params, "name");
  const char *accept = ww_http_header(x, "Accept");
  if (!method || strcmp(method, "tools/call") != 0 || !name || !accept ||
      !strcasestr(accept, "text/event-stream") ||
      !cJSON_GetObjectItemCaseSensitive(m, "id"))
    return false;
  if (cJSON_GetObjectItemCaseSensitive(
          cJSON_GetObjectItemCaseSensitive(params, "_meta"), "progressToken"))
    return true;
  for (const ww_mcp_tool *t = ww_mcp_tools; t->name; t++)
    if (!strcmp(t->name, name))
      return t->slow;
  return false;
}

static void send(void *to, const char *message, size_t n) {
  ww_mcp_peer *p = to;
  ww_buf b = {0};
  if (!p->streams) {
    ww_buf_add(&p->answer, message, n);
    return;
  }
  ww_buf_puts(&b, "event: message\ndata: ");
  ww_buf_add(&b, message, n);
  ww_buf_puts(&b, "\n\n");
  pthread_mutex_lock(&p->lock);
  p->wrote = ww_now();
  pthread_mutex_unlock(&p->lock);
  if (!ww_http_write(p->x, b.s, b.n))
    atomic_store(&p->gone, true);
  ww_buf_free(&b);
}

static void join(ww_mcp_peer *p) {
  pthread_mutex_lock(&p->m->lock);
  p->next = p->m->peers;
  p->m->peers = p;
  pthread_mutex_unlock(&p->m->lock);
}

static void leave(ww_mcp_peer *p) {
  pthread_mutex_lock(&p->m->lock);
  ww_unlink(p->m->peers, p);
  pthread_mutex_unlock(&p->m->lock);
}

/* A session begins with the handshake. */
static void give_session(ww_http_call *x) {
  unsigned char v[16];
  char text[33];
  if (getrandom(v, sizeof v, 0) != (ssize_t)sizeof v)
    return; /* without one, nothing can be cancelled */
  for (int k = 0; k < 16; k++)
    snprintf(text + 2 * k, 3, "%02x", v[k]);
  ww_http_reply_header(x, SESSION_HEADER, text);
}

static void take(ww_mcp *m, ww_http_call *x, const cJSON *message) {
  size_t n;
  const char *body = ww_http_body(x, &n);
  const char *method = ww_member_text(message, "method");
  ww_mcp_peer p = {
      .m = m, .x = x, .wrote = ww_now(), .streams = wants_stream(x, message)};
  ww_rpc_options o = {.methods = ww_mcp_methods,
                      .server = &p,
                      .before = ww_mcp_before,
                      .silent = true,
                      .max_message = SIZE_MAX};
  pthread_mutex_init(&p.lock, NULL);
  header(x, SESSION_HEADER, p.session, sizeof p.session);
  p.rpc = ww_rpc_new(&o, send, &p);
  if (method && !strcmp(method, "initialize"))
    give_session(x);
  if (p.streams)
    ww_http_stream(x, 200, "text/event-stream");
  join(&p);
  ww_rpc_take(p.rpc, body, n);
  leave(&p);
  ww_rpc_free(p.rpc);
  if (!p.streams)
    ww_http_reply(x, p.answer.n ? 200 : 202, "application/json", p.answer.s,
                  p.answer.n);
  ww_buf_free(&p.answer);
  pthread_mutex_destroy(&p.lock);
}

void ww_mcp_http(void *ctx, ww_http_call *x) {
  size_t n;
  ww_err e = {0};
  const char *body = ww_http_body(x, &n);
  if (strcmp(ww_http_method(x), "POST") != 0) {
    ww_http_reply_header(x, "Allow", "POST");
    return refuse(x, 405, NULL, WW_RPC_INVALID,
                  "messages come by POST; there is nothing to listen to");
  }
  if (accepts_nothing(x))
    return refuse(x, 406, NULL, WW_RPC_INVALID,
                  "answers are application/json or text/event-stream");
  cJSON *m = ww_json_read(body, n, &e);
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(m, "params");
  if (!m) {
    char text[300];
    snprintf(text, sizeof text, "Parse error: %.200s", e.msg);
    refuse(x, 400, NULL, WW_RPC_PARSE, text);
  } else if (!cJSON_IsArray(m) && !is_message(m))
    refuse(x, 400, cJSON_GetObjectItemCaseSensitive(m, "id"), WW_RPC_INVALID,
           "Invalid request: a message says \"jsonrpc\":\"2.0\" and names a method");
  else {
    bool refused = false;
    if (cJSON_IsArray(m))
      refused = batch_refused(x, m);
    else if (ww_member_text(m, "method"))
      refused = ww_mcp_is_modern(params) ? modern_refused(x, m) : legacy_refused(x, m);
    if (!refused)
      take(ctx, x, m);
  }
  cJSON_Delete(m);
}
