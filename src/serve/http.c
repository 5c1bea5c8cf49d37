/* http.c - one thread moves bytes, a pool computes.
 *
 * A connection whose request is computed is suspended, so that slow kernels never block those who ask for health or GPUs. Invariant:
 * a suspended connection has exactly one job in the pool, which resumes it. */
#include "http.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "pool.h"

#define MAX_BODY ((size_t)4 << 20)
#define QUEUE 64
#define CONNECTIONS 256
#define IDLE_S 30
#define LAST_S 1.0 /* that clients have to take their last answer */

struct ww_http {
  struct MHD_Daemon *daemon;
  ww_pool *pool;
  ww_api *api;
  char bind[64], token[256];
  bool loopback;
  uint16_t port;
  size_t max_body;
  atomic_int open; /* exchanges whose answer has not been sent */
};

typedef enum { READING, COMPUTING, DONE } stage;

typedef struct {
  ww_http *h;
  struct MHD_Connection *connection;
  char method[8];
  char *path;
  ww_buf body;
  double arrived;
  stage stage;
  ww_api_reply reply; /* status 0: none yet */
} exchange;

/* ---- who may ask ---- */

static const char *header(struct MHD_Connection *c, const char *name) {
  return MHD_lookup_connection_value(c, MHD_HEADER_KIND, name);
}

/* "127.0.0.1:8080", "localhost", "[::1]:8080": the name, then nothing or a port. */
static bool is_name(const char *host, const char *name) {
  size_t n = strlen(name);
  return !strncasecmp(host, name, n) &&
         (!host[n] || (host[n] == ':' && strspn(host + n + 1, "0123456789") == strlen(host + n + 1)));
}

static bool is_ours(const ww_http *h, const char *host) {
  char v6[80];
  snprintf(v6, sizeof v6, "[%s]", h->bind);
  if (is_name(host, "127.0.0.1") || is_name(host, "localhost") || is_name(host, "[::1]")) return true;
  if (is_name(host, h->bind) || is_name(host, v6)) return true;
  /* Bound to every address, any number may be meant, but no name: names are what can be made to point here. */
  struct in_addr v4;
  char plain[64];
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(host, ":"), host);
  return !h->loopback && inet_pton(AF_INET, plain, &v4) == 1;
}

/* A page's requests say where it comes from; only our own pages may ask. */
static bool origin_is_ours(const ww_http *h, const char *origin) {
  const char *at = strstr(origin, "://");
  if (!at) return false; /* "null" */
  char port[8];
  snprintf(port, sizeof port, ":%u", h->port);
  size_t n = strlen(at + 3), p = strlen(port);
  return n > p && !strcmp(at + 3 + n - p, port) && is_ours(h, at + 3);
}

static bool has_token(const ww_http *h, const char *authorization) {
  if (!h->token[0]) return true;
  if (!authorization || strncasecmp(authorization, "Bearer ", 7)) return false;
  const char *given = authorization + 7;
  size_t n = strlen(given), want = strlen(h->token);
  unsigned char differ = n != want; /* the time it takes tells nothing of the token */
  for (size_t i = 0; i < want; i++) differ |= (unsigned char)(h->token[i] ^ (i < n ? given[i] : 0));
  return !differ;
}

static bool refuse(exchange *x, int status, ww_status code, const char *text) {
  ww_err e = {0};
  ww_fail(&e, code, "%s", text);
  ww_api_error(status, &e, &x->reply);
  return true;
}

/* True: there is an answer already, and it is no. */
static bool refused(exchange *x) {
  struct MHD_Connection *c = x->connection;
  const char *host = header(c, "Host"), *origin = header(c, "Origin"), *length = header(c, "Content-Length"),
             *type = header(c, "Content-Type");
  if (!host) return refuse(x, 400, WW_EUSAGE, "the request has no Host");
  if (!is_ours(x->h, host)) return refuse(x, 403, WW_EUSAGE, "this server does not go by the name in Host");
  if (origin && !origin_is_ours(x->h, origin))
    return refuse(x, 403, WW_EUSAGE, "pages of other sites may not ask here");
  if (strcmp(x->path, "/healthz") != 0 && !has_token(x->h, header(c, "Authorization")))
    return refuse(x, 401, WW_EUSAGE, "send the server's token: Authorization: Bearer TOKEN");
  if (length && strtoull(length, NULL, 10) > x->h->max_body)
    return refuse(x, 413, WW_ELIMIT, "the body is larger than this server takes; see --max-body");
  if (!strcmp(x->method, "POST") && (!type || strncasecmp(type, "application/json", 16)))
    return refuse(x, 415, WW_EUSAGE, "send JSON: Content-Type: application/json");
  return false;
}

/* ---- answering ---- */

static void compute(void *ctx) {
  exchange *x = ctx;
  ww_api_request q = {x->method, x->path, x->body.s, x->body.n, x->arrived};
  ww_api_handle(x->h->api, &q, &x->reply);
  x->stage = DONE;
  MHD_resume_connection(x->connection);
}

static enum MHD_Result send_reply(exchange *x) {
  ww_api_reply *r = &x->reply;
  struct MHD_Response *response =
      MHD_create_response_from_buffer(r->body.n, r->body.s ? r->body.s : (char *)"", MHD_RESPMEM_MUST_COPY);
  if (!response) return MHD_NO;
  MHD_add_response_header(response, "Content-Type", r->type);
  MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
  MHD_add_response_header(response, "Cache-Control", "no-store");
  MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
  MHD_add_response_header(response, "Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'");
  if (r->status == 401) MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  if (r->status == 503) MHD_add_response_header(response, "Retry-After", "1");
  enum MHD_Result ok = MHD_queue_response(x->connection, (unsigned)r->status, response);
  MHD_destroy_response(response);
  return ok;
}

static enum MHD_Result start(exchange *x) {
  if (ww_api_is_quick(x->method, x->path)) {
    ww_api_request q = {x->method, x->path, x->body.s, x->body.n, x->arrived};
    ww_api_handle(x->h->api, &q, &x->reply);
    return send_reply(x);
  }
  x->stage = COMPUTING;
  MHD_suspend_connection(x->connection);
  if (ww_pool_submit(x->h->pool, compute, x)) return MHD_YES;
  refuse(x, 503, WW_ELIMIT, "too many requests are waiting; ask again in a moment");
  x->stage = DONE;
  MHD_resume_connection(x->connection);
  return MHD_YES;
}

static exchange *begin(ww_http *h, struct MHD_Connection *c, const char *path, const char *method) {
  exchange *x = ww_xcalloc(1, sizeof *x);
  x->h = h;
  atomic_fetch_add(&h->open, 1);
  x->connection = c;
  x->arrived = ww_now();
  snprintf(x->method, sizeof x->method, "%s", method);
  x->path = strcpy(ww_xmalloc(strlen(path) + 1), path);
  return x;
}

static enum MHD_Result on_request(void *ctx, struct MHD_Connection *c, const char *path, const char *method,
                                  const char *version, const char *data, size_t *n, void **state) {
  exchange *x = *state;
  (void)version;
  if (!x) { /* the head alone has come */
    *state = x = begin(ctx, c, path, method);
    refused(x);
    /* An answer before the body ends the connection, so that nothing large has to be read. */
    return x->reply.status && header(c, "Content-Length") ? send_reply(x) : MHD_YES;
  }
  if (*n) {
    if (!x->reply.status && x->body.n + *n > x->h->max_body)
      refuse(x, 413, WW_ELIMIT, "the body is larger than this server takes; see --max-body");
    if (!x->reply.status) ww_buf_add(&x->body, data, *n);
    *n = 0;
    return MHD_YES;
  }
  if (x->reply.status) return send_reply(x);
  return x->stage == READING ? start(x) : MHD_YES;
}

static void on_end(void *ctx, struct MHD_Connection *c, void **state, enum MHD_RequestTerminationCode why) {
  exchange *x = *state;
  (void)ctx, (void)c, (void)why;
  if (!x) return;
  atomic_fetch_sub(&x->h->open, 1);
  ww_buf_free(&x->body);
  ww_buf_free(&x->reply.body);
  free(x->path);
  free(x);
  *state = NULL;
}

/* ---- the server ---- */

static ww_status address_of(const ww_http_options *o, ww_http *h, struct sockaddr_storage *out, ww_err *e) {
  struct sockaddr_in *v4 = (struct sockaddr_in *)out;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)out;
  const char *text = o->bind ? o->bind : "127.0.0.1";
  *out = (struct sockaddr_storage){0};
  snprintf(h->bind, sizeof h->bind, "%s", text);
  if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
    v4->sin_family = AF_INET;
    v4->sin_port = htons(o->port);
    h->loopback = ntohl(v4->sin_addr.s_addr) >> 24 == 127;
  } else if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
    v6->sin6_family = AF_INET6;
    v6->sin6_port = htons(o->port);
    h->loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
  } else
    return ww_fail(e, WW_EUSAGE, "--bind: expected a numeric address, 127.0.0.1 or ::1, not '%.60s'", text);
  if (!h->loopback && !o->token)
    return ww_fail(
        e, WW_EUSAGE,
        "--bind %s: others could ask; give a token of at least 16 characters with --token-file or WARPWISE_TOKEN",
        text);
  return WW_OK;
}

static ww_status set_token(const ww_http_options *o, ww_http *h, ww_err *e) {
  if (!o->token) return WW_OK;
  if (strlen(o->token) < 16 || strlen(o->token) >= sizeof h->token || strpbrk(o->token, " \t\r\n"))
    return ww_fail(e, WW_EUSAGE, "the token must have 16 to 255 characters and no blanks");
  snprintf(h->token, sizeof h->token, "%s", o->token);
  return WW_OK;
}

static ww_status listen_on(ww_http *h, const ww_http_options *o, const struct sockaddr_storage *address, ww_err *e) {
  unsigned flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (address->ss_family == AF_INET6) flags |= MHD_USE_IPv6;
  h->daemon = MHD_start_daemon(flags, o->port, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR, address,
                               MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_CONNECTION_LIMIT,
                               (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
                               MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
  if (!h->daemon)
    return ww_fail(e, WW_EIO, "cannot listen on %s port %u: is something else there? Try --port 0", h->bind, o->port);
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
  h->port = info ? info->port : o->port;
  return WW_OK;
}

ww_status ww_http_start(const ww_http_options *o, ww_api *api, ww_http **out, ww_err *e) {
  ww_http *h = ww_xcalloc(1, sizeof *h);
  struct sockaddr_storage address;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  h->api = api;
  h->max_body = o->max_body ? o->max_body : MAX_BODY;
  *out = NULL;
  ww_status st = address_of(o, h, &address, e);
  if (!st) st = set_token(o, h, e);
  if (!st) {
    h->pool = ww_pool_new(o->workers ? o->workers : cores > 0 ? (uint32_t)cores : 1, o->queue ? o->queue : QUEUE);
    st = h->pool ? listen_on(h, o, &address, e) : ww_fail(e, WW_EIO, "cannot start threads");
  }
  if (!st) *out = h;
  if (st) ww_http_stop(h);
  return st;
}

uint16_t ww_http_port(const ww_http *h) { return h->port; }

void ww_http_stop(ww_http *h) {
  if (!h) return;
  if (h->api) ww_api_stop(h->api);
  if (h->daemon) {
    MHD_socket fd = MHD_quiesce_daemon(h->daemon); /* nobody new */
    if (fd != MHD_INVALID_SOCKET) close(fd);
  }
  ww_pool_free(h->pool); /* whoever waits gets an answer: no connection stays suspended */
  double patience = ww_now() + LAST_S;
  while (atomic_load(&h->open) && ww_now() < patience) nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  if (h->daemon) MHD_stop_daemon(h->daemon);
  free(h);
}
