/* http.c - one thread moves bytes, a pool computes.
 *
 * A connection whose request is computed is suspended, so that slow kernels never block
 * those who ask for health or GPUs. A stream goes through a buffer: the worker fills
 * it, the thread empties it and suspends the connection while there is nothing. One
 * that asks too often is suspended before its request is answered, and costs nothing
 * meanwhile. Invariants: a suspended connection has exactly one job in the pool that
 * resumes it, or is held by the peers, which do; a call is freed by the later of its
 * connection and its job; a request whose head can be read in two ways is refused and
 * its connection closed, so that nobody's body becomes somebody's request. */
#include "http.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "../base/threads.h"
#include "api.h"
#include "peers.h"
#include "turns.h"

#define MAX_BODY ((size_t)4 << 20)
#define QUEUE 64
#define CONNECTIONS 256
/* Folded lines and bare line feeds: 1.0 refuses them at this level; before, it only
 * turns answers of ours into the library's. */
#define STRICT (MHD_VERSION >= 0x01000000 ? 1 : 0)
#define SPARE                                                                    \
  64 /* that are accepted beyond, while those that have to go for them are being \
        closed */
#define OF_ADDRESS 64 /* connections of one address that is not this machine's */
#define BODIES 64     /* largest bodies that are held at a time, in all */
#define IDLE_S 30
#define LAST_S 1.0 /* that clients have to take their last answer */
#define AHEAD                                                            \
  ((size_t)1 << 20) /* bytes of a stream that may wait for a slow client \
                     */
#define SENT_AHEAD \
  (64 << 10) /* bytes that the system may hold for a client that does not read them */
#define CHUNK ((size_t)32 << 10) /* that it is handed at a time */

static const ww_peer_limits limits = {.most = CONNECTIONS,
                                      .of_address = OF_ADDRESS,
                                      .head_s = 5,
                                      .idle_s = IDLE_S,
                                      .body_s = 5,
                                      .answer_s = 10,
                                      .bytes_per_s = 16 << 10};

struct ww_http {
  struct MHD_Daemon *daemon;
  ww_turns *turns;
  ww_peers *peers;
  ww_api *api;
  const ww_http_route *routes;
  char bind[64], token[256];
  bool loopback;
  /* known once it listens, when the first request may already be there */
  _Atomic uint16_t port;
  size_t max_body;
  atomic_size_t bodies; /* bytes of all that are held */
  atomic_int open;      /* calls whose answer has not been sent */
  atomic_bool stopping;
};

/* READING: the request; HELD: by the peers, COMPUTING: a job has it, the connection is
 * suspended; READY: the reply, or the stream's head, may be sent. */
typedef enum { READING, HELD, COMPUTING, READY, SENT } stage;

typedef struct {
  char *name, *value;
} field;

struct ww_http_call {
  ww_http *h;
  struct MHD_Connection *connection;
  ww_peer *peer;              /* while the connection is there */
  const ww_http_route *route; /* NULL: the API's */
  char method[8];
  char *path;
  ww_buf body;
  double arrived;
  stage stage;
  ww_api_reply reply; /* status 0: none yet */
  char type[128];     /* what reply.type points to when a route answered */
  field fields[8];
  uint32_t nfields;
  /* Streams; under the lock. */
  pthread_mutex_t lock;
  pthread_cond_t changed;
  ww_buf waiting;
  bool streams, ended, gone, asleep; /* asleep: suspended for want of data */
  bool last;                         /* the connection ends with this answer */
  bool paced;                        /* it has waited as long as it has to */
  int users;                         /* the connection, and the job while it runs */
};

/* ---- who may ask ---- */

/* "127.0.0.1:8080", "localhost", "[::1]:8080": the name, then nothing or a port. */
static bool is_name(const char *host, const char *name) {
  size_t n = strlen(name);
  return !strncasecmp(host, name, n) &&
         (!host[n] || (host[n] == ':' &&
                       strspn(host + n + 1, "0123456789") == strlen(host + n + 1)));
}

static bool is_ours(const ww_http *h, const char *host) {
  char v6[80];
  snprintf(v6, sizeof v6, "[%s]", h->bind);
  if (is_name(host, "127.0.0.1") || is_name(host, "localhost") ||
      is_name(host, "[::1]"))
    return true;
  if (is_name(host, h->bind) || is_name(host, v6))
    return true;
  /* Bound to every address, any number may be meant, but no name: names are what can be
   * made to point here. */
  struct in_addr v4;
  char plain[64];
  snprintf(plain, sizeof plain, "%.*s", (int)strcspn(host, ":"), host);
  return !h->loopback && inet_pton(AF_INET, plain, &v4) == 1;
}

/* A page's requests say where it comes from; only our own pages may ask. */
static bool origin_is_ours(const ww_http *h, const char *origin) {
  const char *at = strstr(origin, "://");
  if (!at)
    return false; /* "null" */
  char port[8];
  snprintf(port, sizeof port, ":%u", h->port);
  size_t n = strlen(at + 3);
  size_t p = strlen(port);
  return n > p && !strcmp(at + 3 + n - p, port) && is_ours(h, at + 3);
}

static bool has_token(const ww_http *h, const char *authorization) {
  if (!h->token[0])
    return true;
  if (!authorization || strncasecmp(authorization, "Bearer ", 7))
    return false;
  const char *given = authorization + 7;
  size_t n = strlen(given);
  size_t want = strlen(h->token);
  unsigned char differ = n != want; /* the time it takes tells nothing of the token */
  for (size_t i = 0; i < want; i++)
    differ |= (unsigned char)(h->token[i] ^ (i < n ? given[i] : 0));
  return !differ;
}

static bool refuse(ww_http_call *x, int status, ww_status code, const char *text) {
  ww_err e = {0};
  ww_fail(&e, code, "%s", text);
  ww_api_error(status, &e, &x->reply);
  return true;
}

/* ---- heads that can be read in two ways ---- */

typedef struct {
  uint32_t hosts, lengths, encodings;
  const char *why; /* NULL: nothing is wrong */
} framing;

static bool is_token(const char *s) {
  return *s &&
         !s[strspn(s,
                   "!#$%&'*+-.^_`|~"
                   "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")];
}

/* `name` alone; a name that only begins so is no header anybody knows, but a folded
 * line that older libraries glue to it. */
static bool is_header(framing *f, const char *given, const char *name) {
  size_t n = strlen(name);
  if (strncasecmp(given, name, n) != 0)
    return false;
  if (given[n] && strcmp(name, "Host") != 0)
    f->why = "a header's name is not understood";
  return !given[n];
}

static enum MHD_Result
look_at(void *ctx, enum MHD_ValueKind kind, const char *name, const char *value) {
  framing *f = ctx;
  (void)kind;
  if (!is_token(name))
    f->why = "a header's name has a character that names may not have";
  for (const char *p = value; p && *p; p++)
    if ((unsigned char)*p < ' ' && *p != '\t')
      f->why = "a header has a control character";
  f->hosts += is_header(f, name, "Host");
  if (is_header(f, name, "Transfer-Encoding")) {
    f->encodings++;
    if (!value || strcasecmp(value, "chunked") != 0)
      f->why = "Transfer-Encoding: `chunked` alone is understood";
  }
  if (is_header(f, name, "Content-Length")) {
    f->lengths++;
    if (!value || !*value || value[strspn(value, "0123456789")] || strlen(value) > 18)
      f->why = "Content-Length is not a number";
  }
  return MHD_YES;
}

/* Where a proxy and we could disagree about where this request ends, or whom it is for.
 */
static const char *misframed(struct MHD_Connection *c, const char *method) {
  framing f = {0};
  MHD_get_connection_values(c, MHD_HEADER_KIND, look_at, &f);
  if (f.why)
    return f.why;
  if (!f.hosts)
    return "the request has no Host";
  if (f.hosts > 1)
    return "the request has more than one Host";
  if (f.lengths > 1)
    return "the request has more than one Content-Length";
  if (f.encodings > 1)
    return "the request has more than one Transfer-Encoding";
  if (f.lengths && f.encodings)
    return "the request has both Content-Length and Transfer-Encoding";
  if (!strcmp(method, "POST") && !f.lengths && !f.encodings)
    return "the request has no body, or does not say how long it is";
  return NULL;
}

/* True: there is an answer already, and it is no. */
static bool refused(ww_http_call *x) {
  const char *wrong = misframed(x->connection, x->method);
  x->last = wrong != NULL;
  if (wrong)
    return refuse(x, 400, WW_EUSAGE, wrong);
  const char *host = ww_http_header(x, "Host");
  const char *origin = ww_http_header(x, "Origin");
  const char *length = ww_http_header(x, "Content-Length");
  const char *type = ww_http_header(x, "Content-Type");
  if (!is_ours(x->h, host))
    return refuse(x, 403, WW_EUSAGE, "this server does not go by the name in Host");
  if (origin && !origin_is_ours(x->h, origin))
    return refuse(x, 403, WW_EUSAGE, "pages of other sites may not ask here");
  if (strcmp(x->path, "/healthz") != 0 && !(x->route && x->route->open) &&
      !has_token(x->h, ww_http_header(x, "Authorization")))
    return refuse(x, 401, WW_EUSAGE,
                  "send the server's token: Authorization: Bearer TOKEN");
  if (length && strtoull(length, NULL, 10) > x->h->max_body)
    return refuse(x, 413, WW_ELIMIT,
                  "the body is larger than this server takes; see --max-body");
  if (!strcmp(x->method, "POST") &&
      (!type || strncasecmp(type, "application/json", 16)))
    return refuse(x, 415, WW_EUSAGE, "send JSON: Content-Type: application/json");
  return false;
}

/* ---- what handlers call ---- */

const char *ww_http_method(const ww_http_call *x) {
  return x->method;
}
const char *ww_http_path(const ww_http_call *x) {
  return x->path;
}
const char *ww_http_header(const ww_http_call *x, const char *name) {
  return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

const char *ww_http_body(const ww_http_call *x, size_t *n) {
  if (n)
    *n = x->body.n;
  return x->body.s ? x->body.s : "";
}

void ww_http_reply_header(ww_http_call *x, const char *name, const char *value) {
  if (x->nfields < sizeof x->fields / sizeof x->fields[0] && !strpbrk(value, "\r\n"))
    x->fields[x->nfields++] = (field){ww_xstrdup(name), ww_xstrdup(value)};
}

static void set_head(ww_http_call *x, int status, const char *type) {
  snprintf(x->type, sizeof x->type, "%s", type ? type : "text/plain");
  x->reply.status = status;
  x->reply.type = x->type;
}

void ww_http_reply(
    ww_http_call *x, int status, const char *type, const char *body, size_t n) {
  if (x->reply.status)
    return; /* the first counts */
  set_head(x, status, type);
  ww_buf_add(&x->reply.body, body, n);
}

void ww_http_json(ww_http_call *x, int status, ww_json *body) {
  ww_http_reply(x, status, "application/json", body->own.s, body->own.n);
  ww_buf_free(&body->own);
}

void ww_http_stream(ww_http_call *x, int status, const char *type) {
  if (x->reply.status)
    return;
  set_head(x, status, type);
  x->streams = true;
  x->stage = READY;
  MHD_resume_connection(x->connection);
}

static void wake(ww_http_call *x) {
  if (x->asleep && !x->gone) {
    x->asleep = false;
    MHD_resume_connection(x->connection);
  }
}

bool ww_http_write(ww_http_call *x, const char *data, size_t n) {
  if (!x->streams)
    return false;
  double until = ww_now() + IDLE_S;
  pthread_mutex_lock(&x->lock);
  bool patient = true;
  while (x->waiting.n > AHEAD && !x->gone && patient && !atomic_load(&x->h->stopping))
    patient = ww_cond_wait(&x->changed, &x->lock, until);
  bool ok = !x->gone && patient && !atomic_load(&x->h->stopping);
  if (ok && n) {
    ww_buf_add(&x->waiting, data, n);
    wake(x);
  }
  pthread_mutex_unlock(&x->lock);
  return ok;
}

/* ---- answering ---- */

static void leave(ww_http_call *x) {
  pthread_mutex_lock(&x->lock);
  bool last = --x->users == 0;
  pthread_mutex_unlock(&x->lock);
  if (!last)
    return;
  for (uint32_t k = 0; k < x->nfields; k++) {
    free(x->fields[k].name);
    free(x->fields[k].value);
  }
  atomic_fetch_sub(&x->h->bodies, x->body.n);
  ww_buf_free(&x->waiting);
  ww_buf_free(&x->body);
  ww_buf_free(&x->reply.body);
  pthread_cond_destroy(&x->changed);
  pthread_mutex_destroy(&x->lock);
  free(x->path);
  free(x);
}

static void ask_api(ww_http_call *x) {
  ww_api_request q = {x->method, x->path, x->body.s, x->body.n, x->arrived};
  if (x->h->api)
    ww_api_handle(x->h->api, &q, &x->reply);
  else
    refuse(x, 404, WW_EUSAGE, "there is no such thing here");
}

static void compute(void *ctx) {
  ww_http_call *x = ctx;
  if (x->route)
    x->route->handle(x->route->ctx, x);
  else
    ask_api(x);
  if (!x->reply.status)
    refuse(x, 500, WW_EDATA, "no answer was made; this is a mistake of the server");
  if (x->streams) {
    pthread_mutex_lock(&x->lock);
    x->ended = true;
    if (!x->gone)
      ww_peer_at(x->h->peers, x->peer, WW_PEER_ANSWER, x->waiting.n);
    wake(x);
    pthread_mutex_unlock(&x->lock);
  } else {
    x->stage = READY;
    MHD_resume_connection(x->connection);
  }
  leave(x);
}

/* What a stream's client gets next; on the thread that moves bytes. */
static ssize_t next_bytes(void *ctx, uint64_t at, char *out, size_t most) {
  ww_http_call *x = ctx;
  (void)at;
  pthread_mutex_lock(&x->lock);
  size_t n = x->waiting.n < most ? x->waiting.n : most;
  ssize_t told = (ssize_t)n;
  if (n) {
    memcpy(out, x->waiting.s, n);
    memmove(x->waiting.s, x->waiting.s + n, x->waiting.n - n + 1); /* with its NUL */
    x->waiting.n -= n;
    pthread_cond_broadcast(&x->changed);
  } else if (x->ended)
    told = MHD_CONTENT_READER_END_OF_STREAM;
  else {
    x->asleep = true;
    MHD_suspend_connection(x->connection);
  }
  pthread_mutex_unlock(&x->lock);
  return told;
}

static void add_header(const ww_http_call *x,
                       struct MHD_Response *response,
                       const char *name,
                       const char *value) {
  for (uint32_t k = 0; k < x->nfields; k++)
    if (!strcasecmp(x->fields[k].name, name))
      return;
  MHD_add_response_header(response, name, value);
}

static enum MHD_Result send_reply(ww_http_call *x) {
  ww_api_reply *r = &x->reply;
  struct MHD_Response *response =
      x->streams ? MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, CHUNK,
                                                     next_bytes, x, NULL)
                 : MHD_create_response_from_buffer(r->body.n,
                                                   r->body.s ? r->body.s : (char *)"",
                                                   MHD_RESPMEM_MUST_COPY);
  if (!response)
    return MHD_NO;
  for (uint32_t k = 0; k < x->nfields; k++)
    MHD_add_response_header(response, x->fields[k].name, x->fields[k].value);
  add_header(x, response, "Content-Type", r->type);
  add_header(x, response, "X-Content-Type-Options", "nosniff");
  add_header(x, response, "Cache-Control", "no-store");
  add_header(x, response, "Cross-Origin-Resource-Policy", "same-origin");
  add_header(x, response, "Content-Security-Policy",
             "default-src 'none'; style-src 'unsafe-inline'");
  if (r->status == 401)
    MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
  if (r->status == 503)
    MHD_add_response_header(response, "Retry-After", "1");
  if (x->last)
    MHD_add_response_header(response, "Connection", "close");
  pthread_mutex_lock(&x->lock);
  ww_peer_at(x->h->peers, x->peer, WW_PEER_ANSWER,
             x->streams && !x->ended ? SIZE_MAX : r->body.n + x->waiting.n);
  pthread_mutex_unlock(&x->lock);
  enum MHD_Result ok = MHD_queue_response(x->connection, r->status, response);
  MHD_destroy_response(response);
  x->stage = SENT;
  return ok;
}

/* On the thread that moves bytes, as ww_turns_submit says. */
static void turn_away(void *ctx) {
  ww_http_call *x = ctx;
  refuse(x, 503, WW_ELIMIT, "too many requests are waiting; ask again in a moment");
  x->stage = READY;
  MHD_resume_connection(x->connection);
  leave(x);
}

static void go_on(void *ctx, bool shut) {
  ww_http_call *x = ctx;
  if (shut)
    refuse(x, 503, WW_ELIMIT, "too many connections ask without a pause");
  x->stage = READING;
  MHD_resume_connection(x->connection);
}

/* Whether the request has to wait, because its client asks too often. */
static bool hold(ww_http_call *x) {
  double wait =
      x->paced ? 0 : ww_turns_pause(x->h->turns, ww_peer_share(x->peer), ww_now());
  x->paced = true;
  if (wait <= 0)
    return false;
  x->stage = HELD;
  MHD_suspend_connection(x->connection);
  ww_peer_hold(x->h->peers, x->peer, wait, go_on, x);
  return true;
}

static enum MHD_Result start(ww_http_call *x) {
  if (hold(x))
    return MHD_YES;
  if (!x->route && (!x->h->api || ww_api_is_quick(x->method, x->path))) {
    ask_api(x);
    return send_reply(x);
  }
  x->stage = COMPUTING;
  x->users++; /* nobody else knows it yet */
  ww_peer_at(x->h->peers, x->peer, WW_PEER_BUSY, 0);
  MHD_suspend_connection(x->connection);
  ww_turns_submit(x->h->turns, ww_peer_share(x->peer), compute, turn_away, x);
  return MHD_YES;
}

/* The route /a/ has all paths that begin so; / is the page alone. */
static bool is_below(const char *route, const char *path) {
  size_t n = strlen(route);
  return n > 1 && route[n - 1] == '/' && !strncmp(path, route, n) && path[n];
}

static ww_http_call *
begin(ww_http *h, struct MHD_Connection *c, const char *path, const char *method) {
  ww_http_call *x = ww_xcalloc(1, sizeof *x);
  x->h = h;
  atomic_fetch_add(&h->open, 1);
  x->connection = c;
  x->peer =
      MHD_get_connection_info(c, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context;
  x->arrived = ww_now();
  x->users = 1;
  pthread_mutex_init(&x->lock, NULL);
  ww_cond_init(&x->changed);
  snprintf(x->method, sizeof x->method, "%s", method);
  x->path = ww_xstrdup(path);
  for (const ww_http_route *r = h->routes; r && r->path && !x->route; r++)
    if (!strcmp(r->path, path) || is_below(r->path, path))
      x->route = r;
  return x;
}

static void add_body(ww_http_call *x, const char *data, size_t n) {
  ww_http *h = x->h;
  if (x->reply.status)
    return; /* what is left of a body that was refused */
  if (x->body.n + n > h->max_body) {
    refuse(x, 413, WW_ELIMIT,
           "the body is larger than this server takes; see --max-body");
  } else if (atomic_load(&h->bodies) + n > BODIES * h->max_body) {
    refuse(x, 503, WW_ELIMIT,
           "too many large requests are waiting; ask again in a moment");
  } else {
    atomic_fetch_add(&h->bodies, n);
    ww_buf_add(&x->body, data, n);
    ww_peer_at(h->peers, x->peer, WW_PEER_BODY, x->body.n);
  }
}

static enum MHD_Result on_request(void *ctx,
                                  struct MHD_Connection *c,
                                  const char *path,
                                  const char *method,
                                  const char *version,
                                  const char *data,
                                  size_t *n,
                                  void **state) {
  ww_http_call *x = *state;
  (void)version;
  if (!x) { /* the head alone has come */
    *state = x = begin(ctx, c, path, method);
    ww_peer_at(x->h->peers, x->peer, WW_PEER_BODY, 0);
    refused(x);
    /* An answer before the body ends the connection, so that nothing large has to be
     * read. */
    return x->reply.status && (x->last || ww_http_header(x, "Content-Length"))
               ? send_reply(x)
               : MHD_YES;
  }
  if (*n) {
    add_body(x, data, *n);
    *n = 0;
    return MHD_YES;
  }
  if (x->stage == READY || (x->stage == READING && x->reply.status))
    return send_reply(x);
  return x->stage == READING ? start(x) : MHD_YES;
}

static void on_end(void *ctx,
                   struct MHD_Connection *c,
                   void **state,
                   enum MHD_RequestTerminationCode why) {
  ww_http_call *x = *state;
  (void)ctx;
  (void)c;
  (void)why;
  if (!x)
    return;
  atomic_fetch_sub(&x->h->open, 1);
  pthread_mutex_lock(&x->lock);
  x->gone = true;
  /* nobody else speaks of it from now on */
  ww_peer_at(x->h->peers, x->peer, WW_PEER_HEAD, 0);
  pthread_cond_broadcast(&x->changed);
  pthread_mutex_unlock(&x->lock);
  leave(x);
  *state = NULL;
}

static void on_connection(void *ctx,
                          struct MHD_Connection *c,
                          void **socket,
                          enum MHD_ConnectionNotificationCode what) {
  ww_http *h = ctx;
  if (what == MHD_CONNECTION_NOTIFY_STARTED) {
    int fd = MHD_get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    int ahead = SENT_AHEAD;
    setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &ahead,
               sizeof ahead); /* else megabytes, for each that does not read */
    *socket = ww_peer_join(
        h->peers, fd,
        MHD_get_connection_info(c, MHD_CONNECTION_INFO_CLIENT_ADDRESS)->client_addr);
  } else {
    ww_peer_leave(h->peers, *socket);
    *socket = NULL;
  }
}

/* ---- the server ---- */

static ww_status address_of(const ww_http_options *o,
                            ww_http *h,
                            struct sockaddr_storage *out,
                            ww_err *e) {
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
    return ww_fail(e, WW_EUSAGE,
                   "--bind: expected a numeric address, 127.0.0.1 or ::1, not '%.60s'",
                   text);
  if (!h->loopback && !o->token)
    return ww_fail(
        e, WW_EUSAGE,
        "--bind %s: others could ask; give a token of at least 16 characters with "
        "--token-file or WARPWISE_TOKEN",
        text);
  return WW_OK;
}

static ww_status set_token(const ww_http_options *o, ww_http *h, ww_err *e) {
  if (!o->token)
    return WW_OK;
  if (strlen(o->token) < 16 || strlen(o->token) >= sizeof h->token ||
      strpbrk(o->token, " \t\r\n"))
    return ww_fail(e, WW_EUSAGE,
                   "the token must have 16 to 255 characters and no blanks");
  snprintf(h->token, sizeof h->token, "%s", o->token);
  return WW_OK;
}

static ww_status listen_on(ww_http *h,
                           const ww_http_options *o,
                           const struct sockaddr_storage *address,
                           ww_err *e) {
  unsigned flags = MHD_USE_AUTO_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;
  if (address->ss_family == AF_INET6)
    flags |= MHD_USE_IPv6;
  h->daemon = MHD_start_daemon(
      flags, o->port, NULL, NULL, on_request, h, MHD_OPTION_SOCK_ADDR, address,
      MHD_OPTION_NOTIFY_COMPLETED, on_end, NULL, MHD_OPTION_NOTIFY_CONNECTION,
      on_connection, h, MHD_OPTION_CONNECTION_LIMIT, (unsigned)(CONNECTIONS + SPARE),
      MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S + 5, MHD_OPTION_STRICT_FOR_CLIENT,
      STRICT, MHD_OPTION_LISTENING_ADDRESS_REUSE, 1u, MHD_OPTION_END);
  if (!h->daemon)
    return ww_fail(e, WW_EIO,
                   "cannot listen on %s port %u: is something else there? Try --port 0",
                   h->bind, o->port);
  const union MHD_DaemonInfo *info =
      MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_BIND_PORT);
  h->port = info ? info->port : o->port;
  return WW_OK;
}

ww_status ww_http_start(const ww_http_options *o,
                        const ww_http_route *routes,
                        ww_api *api,
                        ww_http **out,
                        ww_err *e) {
  ww_http *h = ww_xcalloc(1, sizeof *h);
  struct sockaddr_storage address;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  h->api = api;
  h->routes = routes;
  h->max_body = o->max_body ? o->max_body : MAX_BODY;
  *out = NULL;
  ww_status st = address_of(o, h, &address, e);
  if (!st)
    st = set_token(o, h, e);
  if (!st) {
    /* One more than cores: a long request leaves the others as many. */
    h->turns = ww_turns_new(o->workers  ? o->workers
                            : cores > 0 ? (uint32_t)cores + 1
                                        : 2,
                            o->queue ? o->queue : QUEUE);
    h->peers = ww_peers_new(&limits);
    st = h->turns && h->peers ? listen_on(h, o, &address, e)
                              : ww_fail(e, WW_EIO, "cannot start threads");
  }
  if (st)
    ww_http_stop(h);
  else
    *out = h;
  return st;
}

uint16_t ww_http_port(const ww_http *h) {
  return h->port;
}

void ww_http_stop(ww_http *h) {
  if (!h)
    return;
  atomic_store(&h->stopping, true);
  if (h->api)
    ww_api_stop(h->api);
  if (h->daemon) {
    MHD_socket fd = MHD_quiesce_daemon(h->daemon); /* nobody new */
    if (fd != MHD_INVALID_SOCKET)
      close(fd);
  }
  /* whoever waits gets an answer: no connection stays suspended */
  ww_peers_release(h->peers);
  ww_turns_finish(h->turns);
  double patience = ww_now() + LAST_S;
  while (atomic_load(&h->open) && ww_now() < patience)
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
  if (h->daemon)
    MHD_stop_daemon(h->daemon);
  ww_turns_free(h->turns);
  ww_peers_free(h->peers);
  free(h);
}
