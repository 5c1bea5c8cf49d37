/* mcp.c - the protocol itself: which era a message is of, the handshake, what the
 * server can do, pipes.
 *
 * A message whose `_meta` names a protocol version is of the stateless era, any other
 * of the era with a handshake; so one connection may carry both. Every result ends
 * here, where the eras differ. */
#include "mcp_int.h"

#define TTL_MS (60 * 60 * 1000) /* tools and GPUs change with the program alone */

#define NEWEST "2025-11-25" /* of the era with a handshake */
#define CAPABILITIES_KEY "io.modelcontextprotocol/clientCapabilities"

static const char instructions[] = "Predicts how fast a GPU kernel (CUDA, OpenCL, HIP, "
                                   "OpenMP) runs and why, from its source, "
                                   "without a GPU. Begin with explain: it "
                                   "names the lines that cost most and the changes "
                                   "that would gain most. After an edit use "
                                   "compare with other_file or other_source to see "
                                   "what it brings. Give the real launch (grid, block, "
                                   "argument sizes) where you know it: what is "
                                   "missing is assumed, and listed as assumed. "
                                   "Times are predictions with intervals (low, high), "
                                   "about one launch with cold caches.";

bool ww_mcp_knows_version(const char *version) {
  return ww_is_one_of(NEWEST "|2025-06-18|2025-03-26|2024-11-05", version);
}

static const cJSON *meta_of(const cJSON *params) {
  return cJSON_GetObjectItemCaseSensitive(params, "_meta");
}

bool ww_mcp_is_modern(const cJSON *params) {
  return cJSON_IsObject(params) &&
         cJSON_GetObjectItemCaseSensitive(meta_of(params), WW_MCP_VERSION_KEY);
}

/* ---- what is wrong before a method looks ---- */

static bool known(const char *method, bool modern) {
  if (ww_is_one_of(modern ? "initialize|ping" : "server/discover", method))
    return false; /* the other era's */
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
  ww_json j = {0};
  char cut[64];
  problem(out, WW_MCP_VERSION, "Unsupported protocol version");
  snprintf(cut, sizeof cut, "%s", requested);
  ww_json_put(&j, "{supported:[%s],requested:%s}", WW_MCP_MODERN, cut);
  snprintf(out->data, sizeof out->data, "%s", j.own.s);
  ww_buf_free(&j.own);
  return true;
}

bool ww_mcp_bad_envelope(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  const cJSON *meta = meta_of(params);
  bool asks = cJSON_GetObjectItemCaseSensitive(message, "id");
  if (!ww_mcp_is_modern(params))
    return false;
  if (!cJSON_IsString(cJSON_GetObjectItemCaseSensitive(meta, WW_MCP_VERSION_KEY)))
    return problem(out, WW_RPC_BAD_PARAMS,
                   "Invalid _meta: " WW_MCP_VERSION_KEY " must be a string");
  if (asks && !cJSON_IsObject(cJSON_GetObjectItemCaseSensitive(meta, CAPABILITIES_KEY)))
    return problem(out, WW_RPC_BAD_PARAMS,
                   "Invalid _meta: " CAPABILITIES_KEY " must be an object");
  return false;
}

bool ww_mcp_bad_version(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  const char *version = ww_member_text(meta_of(params), WW_MCP_VERSION_KEY);
  return version && strcmp(version, WW_MCP_MODERN) != 0 && wrong_version(out, version);
}

bool ww_mcp_bad_method(const cJSON *message, ww_mcp_problem *out) {
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(message, "params");
  const char *method = ww_member_text(message, "method");
  char text[160];
  if (!cJSON_GetObjectItemCaseSensitive(message, "id") || !method)
    return false; /* notifications get no answer; the core says what else is wrong */
  if (!known(method, ww_mcp_is_modern(params))) {
    snprintf(text, sizeof text, "Method not found: %.100s", method);
    return problem(out, WW_RPC_NO_METHOD, text);
  }
  if (params && !cJSON_IsObject(params))
    return problem(out, WW_RPC_BAD_PARAMS, "params must be an object");
  return false;
}

bool ww_mcp_before(void *peer, ww_rpc_call *c) {
  (void)peer;
  ww_mcp_problem p;
  const cJSON *message = c->message;
  bool refused = ww_mcp_bad_envelope(message, &p) || ww_mcp_bad_version(message, &p) ||
                 ww_mcp_bad_method(message, &p);
  if (refused)
    ww_rpc_error(c, p.code, p.message, p.data[0] ? p.data : NULL);
  return refused;
}

/* ---- results ---- */

#define SERVER \
  "{name:'warpwise',title:'Warpwise: GPU kernel performance, predicted',version:%s}"

void ww_mcp_end_result(ww_rpc_call *c, ww_json *j, bool cacheable) {
  if (ww_mcp_is_modern(ww_rpc_params(c))) {
    ww_json_put(j, "resultType:'complete'");
    if (cacheable)
      ww_json_put(j, "ttlMs:%d,cacheScope:'public'", TTL_MS);
    ww_json_put(j, "_meta:{io.modelcontextprotocol/serverInfo:" SERVER "}", WW_VERSION);
  }
  ww_json_end_obj(j);
  ww_rpc_answer(c, j);
}

/* ---- methods ---- */

#define CAPABILITIES "capabilities:{tools:{},resources:{},prompts:{},completions:{}}"

static void initialize(void *peer, ww_rpc_call *c) {
  const char *version = ww_member_text(ww_rpc_params(c), "protocolVersion");
  ww_json j = {0};
  (void)peer;
  if (!version)
    return ww_rpc_error(c, WW_RPC_BAD_PARAMS,
                        "initialize needs a protocolVersion, a string", NULL);
  if (!ww_mcp_knows_version(version))
    version = NEWEST; /* the client decides whether to stay */
  ww_json_put(
      &j, "{protocolVersion:%s," CAPABILITIES ",serverInfo:" SERVER ",instructions:%s",
      version, WW_VERSION, instructions);
  ww_mcp_end_result(c, &j, false);
}

static void discover(void *peer, ww_rpc_call *c) {
  ww_json j = {0};
  (void)peer;
  ww_json_put(&j, "{supportedVersions:[%s]," CAPABILITIES ",instructions:%s",
              WW_MCP_MODERN, instructions);
  ww_mcp_end_result(c, &j, true);
}

static void ping(void *peer, ww_rpc_call *c) {
  (void)peer;
  ww_rpc_result(c, "{}");
}

/* A cancellation over HTTP comes in a request of its own: it means the calls of the
 * same session.
 */
static void cancel(void *ctx, ww_rpc_call *c) {
  ww_mcp_peer *peer = ctx;
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "requestId");
  if (!id)
    return;
  if (!peer->x)
    return ww_rpc_cancel(peer->rpc, id);
  pthread_mutex_lock(&peer->m->lock);
  for (ww_mcp_peer *p = peer->m->peers; p; p = p->next)
    if (peer->session[0] && !strcmp(p->session, peer->session))
      ww_rpc_cancel(p->rpc, id);
  pthread_mutex_unlock(&peer->m->lock);
}

const ww_rpc_method ww_mcp_methods[] = {
    {"initialize", true, initialize},
    {"notifications/initialized", true, NULL},
    {"notifications/cancelled", true, cancel},
    {"notifications/progress", true, NULL},
    {"notifications/roots/list_changed", true, NULL},
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

static void set_pipe(ww_mcp *m, ww_rpc *pipe) {
  pthread_mutex_lock(&m->lock);
  m->pipe = pipe;
  pthread_mutex_unlock(&m->lock);
}

ww_status ww_mcp_serve(ww_mcp *m, int in, int out, ww_err *e) {
  ww_mcp_peer peer = {.m = m};
  ww_rpc_options o = {.methods = ww_mcp_methods,
                      .server = &peer,
                      .before = ww_mcp_before,
                      .silent = true,
                      .workers = m->o.jobs,
                      .max_message =
                          m->o.max_message ? m->o.max_message : (size_t)4 << 20};
  pthread_mutex_init(&peer.lock, NULL);
  peer.rpc = ww_rpc_new(&o, NULL, NULL);
  set_pipe(m, peer.rpc);
  ww_status st = ww_rpc_serve(peer.rpc, in, out, WW_RPC_LINES, e);
  set_pipe(m, NULL);
  ww_rpc_free(peer.rpc);
  pthread_mutex_destroy(&peer.lock);
  return st;
}
