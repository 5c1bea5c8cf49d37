/* mcp.c - the protocol itself: which era a message is of, the handshake, what the server can do,
 * pipes.
 *
 * A message whose `_meta` names a protocol version is of the stateless era, any other of the era
 * with a handshake; so one connection may carry both. Every result ends here, where the eras
 * differ. */
#include "mcp_int.h"

#include <stdlib.h>

#define TTL_MS (60 * 60 * 1000) /* tools and GPUs change with the program alone */

static const char *const legacy[] = {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", NULL};
#define NEWEST legacy[0]
#define CAPABILITIES_KEY "io.modelcontextprotocol/clientCapabilities"

static const char instructions[] =
    "Predicts how fast a GPU kernel (CUDA, OpenCL, HIP, OpenMP) runs and why, from its source, "
    "without a GPU. Begin with explain: it "
    "names the lines that cost most and the changes that would gain most. After an edit use "
    "compare with other_file or other_source to see "
    "what it brings. Give the real launch (grid, block, argument sizes) where you know it: what is "
    "missing is assumed, and listed as assumed. "
    "Times are predictions with intervals (low, high), about one launch with cold caches.";

bool ww_mcp_knows_version(const char *version) {
  for (const char *const *v = legacy; *v; v++)
    if (!strcmp(*v, version))
      return true;
  return false;
}

static const cJSON *meta_of(const cJSON *params) {
  return cJSON_GetObjectItemCaseSensitive(params, "_meta");
}

bool ww_mcp_is_modern(const cJSON *params) {
  return cJSON_IsObject(params) &&
         cJSON_GetObjectItemCaseSensitive(meta_of(params), WW_MCP_VERSION_KEY);
}

/* ---- what is wrong before a method looks ---- */

typedef enum { BOTH, LEGACY, MODERN } era;
static const struct {
  const char *method;
  uint8_t era;
} eras[] = {{"initialize", LEGACY}, {"ping", LEGACY}, {"server/discover", MODERN}};

static bool known(const char *method, bool modern) {
  for (size_t k = 0; k < sizeof eras / sizeof eras[0]; k++)
    if (!strcmp(eras[k].method, method) && eras[k].era != (modern ? MODERN : LEGACY))
      return false;
  for (const ww_rpc_method *m = ww_mcp_methods; m->method; m++)
    if (!strcmp(m->method, method))
      return true;
  return false;
}

static bool problem(ww_mcp_problem *out, int code, const char *message) {
  *out = (ww_mcp_problem){.code = code};
  snprintf(out->message, sizeof out->message, "%s", message);
  return true;
}

static bool wrong_version(ww_mcp_problem *out, const char *requested) {
  ww_buf b = {0};
  ww_json j = {0};
  char cut[64];
  problem(out, WW_MCP_VERSION, "Unsupported protocol version");
  snprintf(cut, sizeof cut, "%s", requested);
  ww_json_begin(&j, &b);
  ww_json_obj(&j);
  ww_json_key(&j, "supported");
  ww_json_arr(&j);
  ww_json_str(&j, WW_MCP_MODERN);
  ww_json_end_arr(&j);
  ww_json_kstr(&j, "requested", cut);
  ww_json_end_obj(&j);
  snprintf(out->data, sizeof out->data, "%s", b.s);
  ww_buf_free(&b);
  return true;
}

bool ww_mcp_bad_envelope(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params"),
              *meta = meta_of(params);
  bool asks = cJSON_GetObjectItemCaseSensitive(message, "id") != NULL;
  if (!ww_mcp_is_modern(params))
    return false;
  if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(meta, WW_MCP_VERSION_KEY)))
    return problem(out, WW_MCP_BAD_PARAMS,
                   "Invalid _meta: " WW_MCP_VERSION_KEY " must be a string");
  if (asks && !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(meta, CAPABILITIES_KEY)))
    return problem(out, WW_MCP_BAD_PARAMS, "Invalid _meta: " CAPABILITIES_KEY " must be an object");
  return false;
}

bool ww_mcp_bad_version(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(meta_of(params), WW_MCP_VERSION_KEY);
  bool other = cJSON_IsString(version) && strcmp(version->valuestring, WW_MCP_MODERN) != 0;
  return other && wrong_version(out, version->valuestring);
}

bool ww_mcp_bad_method(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params"),
              *method = cJSON_GetObjectItemCaseSensitive(message, "method");
  char text[160];
  if (!cJSON_GetObjectItemCaseSensitive(message, "id") || !cJSON_IsString(method))
    return false; /* notifications get no answer; the core says what else is wrong */
  if (!known(method->valuestring, ww_mcp_is_modern(params))) {
    snprintf(text, sizeof text, "Method not found: %.100s", method->valuestring);
    return problem(out, WW_MCP_NO_METHOD, text);
  }
  if (params && !cJSON_IsObject(params))
    return problem(out, WW_MCP_BAD_PARAMS, "params must be an object");
  return false;
}

/* The core hands name and params apart: the checks want the message. */
bool ww_mcp_before(void *peer, ww_rpc_call *c) {
  (void)peer;
  ww_mcp_problem p;
  cJSON *message = cJSON_CreateObject();
  cJSON_AddItemToObject(message, "method", cJSON_CreateStringReference(ww_rpc_name(c)));
  if (ww_rpc_params(c))
    cJSON_AddItemReferenceToObject(message, "params", (cJSON *)ww_rpc_params(c));
  if (ww_rpc_wants_answer(c))
    cJSON_AddNullToObject(message, "id");
  bool refused = ww_mcp_bad_envelope(message, &p) || ww_mcp_bad_version(message, &p) ||
                 ww_mcp_bad_method(message, &p);
  cJSON_Delete(message);
  if (refused)
    ww_rpc_error(c, p.code, p.message, p.data[0] ? p.data : NULL);
  return refused;
}

/* ---- results ---- */

static void write_server(ww_json *j) {
  ww_json_obj(j);
  ww_json_kstr(j, "name", "warpwise");
  ww_json_kstr(j, "title", "Warpwise: GPU kernel performance, predicted");
  ww_json_kstr(j, "version", WW_VERSION);
  ww_json_end_obj(j);
}

void ww_mcp_begin_result(ww_json *j, ww_buf *b) {
  *j = (ww_json){0};
  ww_json_begin(j, b);
  ww_json_obj(j);
}

void ww_mcp_end_result(ww_rpc_call *c, ww_json *j, ww_buf *b, bool cacheable) {
  if (ww_mcp_is_modern(ww_rpc_params(c))) {
    ww_json_kstr(j, "resultType", "complete");
    if (cacheable) {
      ww_json_kint(j, "ttlMs", TTL_MS);
      ww_json_kstr(j, "cacheScope", "public");
    }
    ww_json_key(j, "_meta");
    ww_json_obj(j);
    ww_json_key(j, "io.modelcontextprotocol/serverInfo");
    write_server(j);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
  ww_rpc_result(c, b->s);
  ww_buf_free(b);
}

/* ---- methods ---- */

static void write_capabilities(ww_json *j) {
  static const char *const names[] = {"tools", "resources", "prompts", "completions"};
  ww_json_key(j, "capabilities");
  ww_json_obj(j);
  for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
    ww_json_key(j, names[k]);
    ww_json_obj(j);
    ww_json_end_obj(j);
  }
  ww_json_end_obj(j);
}

static void initialize(void *peer, ww_rpc_call *c) {
  const cJSON *version = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "protocolVersion");
  ww_buf b = {0};
  ww_json j;
  (void)peer;
  if (!cJSON_IsString(version)) {
    ww_rpc_error(c, WW_MCP_BAD_PARAMS, "initialize needs a protocolVersion, a string", NULL);
    return;
  }
  bool spoken = ww_mcp_knows_version(version->valuestring);
  ww_mcp_begin_result(&j, &b);
  ww_json_kstr(&j, "protocolVersion",
               spoken ? version->valuestring : NEWEST); /* the client decides whether to stay */
  write_capabilities(&j);
  ww_json_key(&j, "serverInfo");
  write_server(&j);
  ww_json_kstr(&j, "instructions", instructions);
  ww_mcp_end_result(c, &j, &b, false);
}

static void discover(void *peer, ww_rpc_call *c) {
  ww_buf b = {0};
  ww_json j;
  (void)peer;
  ww_mcp_begin_result(&j, &b);
  ww_json_key(&j, "supportedVersions");
  ww_json_arr(&j);
  ww_json_str(&j, WW_MCP_MODERN);
  ww_json_end_arr(&j);
  write_capabilities(&j);
  ww_json_kstr(&j, "instructions", instructions);
  ww_mcp_end_result(c, &j, &b, true);
}

static void ping(void *peer, ww_rpc_call *c) {
  (void)peer;
  ww_rpc_result(c, "{}");
}

/* A cancellation over HTTP comes in a request of its own: it means the calls of the same session.
 */
static void cancel(void *ctx, ww_rpc_call *c) {
  ww_mcp_peer *peer = ctx;
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "requestId");
  if (!id)
    return;
  if (!peer->x) {
    ww_rpc_cancel(peer->rpc, id);
    return;
  }
  pthread_mutex_lock(&peer->m->lock);
  for (ww_mcp_peer *p = peer->m->peers; p; p = p->next)
    if (peer->session[0] && !strcmp(p->session, peer->session))
      ww_rpc_cancel(p->rpc, id);
  pthread_mutex_unlock(&peer->m->lock);
}

static void nothing(void *peer, ww_rpc_call *c) {
  (void)peer;
  (void)c;
}

const ww_rpc_method ww_mcp_methods[] = {
    {"initialize", true, initialize},
    {"notifications/initialized", true, nothing},
    {"notifications/cancelled", true, cancel},
    {"notifications/progress", true, nothing},
    {"notifications/roots/list_changed", true, nothing},
    {"ping", true, ping},
    {"server/discover", true, discover},
    {"tools/list", true, ww_mcp_list_tools},
    {"tools/call", false, ww_mcp_call_tool},
    {"resources/list", true, ww_mcp_list_resources},
    {"resources/templates/list", true, ww_mcp_list_templates},
    {"resources/read", true, ww_mcp_read_resource},
    {"prompts/list", true, ww_mcp_list_prompts},
    {"prompts/get", true, ww_mcp_get_prompt},
    {"completion/complete", true, ww_mcp_complete},
    {0},
};

/* ---- the server ---- */

ww_mcp *ww_mcp_new(const ww_mcp_options *o) {
  ww_mcp *m = ww_xcalloc(1, sizeof *m);
  m->o = *o;
  if (m->o.slow_s <= 0)
    m->o.slow_s = 1800;
  pthread_mutex_init(&m->lock, NULL);
  return m;
}

void ww_mcp_free(ww_mcp *m) {
  if (!m)
    return;
  pthread_mutex_destroy(&m->lock);
  free(m);
}

void ww_mcp_stop(ww_mcp *m) {
  atomic_store(&m->stopping, true);
  ww_api_stop(m->o.api);
  pthread_mutex_lock(&m->lock);
  if (m->pipe)
    ww_rpc_end(m->pipe);
  pthread_mutex_unlock(&m->lock);
}

ww_status ww_mcp_serve(ww_mcp *m, int in, int out, ww_err *e) {
  ww_mcp_peer peer = {.m = m};
  ww_rpc_options o = {.methods = ww_mcp_methods,
                      .server = &peer,
                      .before = ww_mcp_before,
                      .silent = true,
                      .workers = m->o.jobs,
                      .max_message = m->o.max_message ? m->o.max_message : (size_t)4 << 20};
  pthread_mutex_init(&peer.lock, NULL);
  peer.rpc = ww_rpc_new(&o, NULL, NULL);
  pthread_mutex_lock(&m->lock);
  m->pipe = peer.rpc;
  pthread_mutex_unlock(&m->lock);
  ww_status st = ww_rpc_serve(peer.rpc, in, out, WW_RPC_LINES, e);
  pthread_mutex_lock(&m->lock);
  m->pipe = NULL;
  pthread_mutex_unlock(&m->lock);
  ww_rpc_free(peer.rpc);
  pthread_mutex_destroy(&peer.lock);
  return st;
}
