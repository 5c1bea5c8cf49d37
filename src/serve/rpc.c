/* rpc.c - JSON-RPC messages: checked, given to a method of the table, answered.
 * rpc_io.c reads and writes them.
 *
 * A call lives in r->calls from the moment it is read until its handler has returned:
 * so a cancellation finds it while it waits for a worker too. Answers of a batch are
 * gathered and leave as one array when its last call ends. */
#include "rpc_int.h"

#include <unistd.h>

/* a message of 64 MiB could hold millions of calls, each with an answer */
#define BATCH_MAX 1000

typedef struct ww_rpc_batch {
  ww_buf answers;   /* "[a,b,c" */
  uint32_t pending; /* under r->lock; the reader holds one too */
} batch;

/* ---- out ---- */

static void send_text(ww_rpc *r, const char *text, size_t n) {
  pthread_mutex_lock(&r->sending);
  r->send(r->to, text, n);
  pthread_mutex_unlock(&r->sending);
}

/* A member whose value is JSON already; NULL: none. */
static void member(ww_json *j, const char *name, const char *json) {
  if (!json)
    return;
  ww_json_key(j, name);
  ww_json_raw(j, json);
}

static ww_json begin(const char *id) {
  ww_json j = {0};
  ww_json_put(&j, "{jsonrpc:'2.0'");
  member(&j, "id", id);
  return j;
}

static void answer(ww_rpc *r, batch *in, ww_json *j) {
  ww_buf *b = &j->own;
  if (in) {
    pthread_mutex_lock(&r->lock);
    ww_buf_puts(&in->answers, in->answers.n ? "," : "[");
    ww_buf_add(&in->answers, b->s, b->n);
    pthread_mutex_unlock(&r->lock);
  } else
    send_text(r, b->s, b->n);
  ww_buf_free(b);
}

static void answer_error(ww_rpc *r,
                         batch *in,
                         const char *id,
                         int code,
                         const char *message,
                         const char *data) {
  ww_json j = begin(id);
  ww_json_put(&j, "error:{code:%d,message:%s", code, message);
  member(&j, "data", data);
  ww_json_put(&j, "}}");
  answer(r, in, &j);
}

void ww_rpc_refuse(ww_rpc *r, int code, const char *message) {
  answer_error(r, NULL, "null", code, message, NULL);
}

void ww_rpc_result(ww_rpc_call *c, const char *json) {
  if (!c->id || c->answered)
    return;
  c->answered = true;
  ww_json j = begin(c->id);
  member(&j, "result", json);
  ww_json_end_obj(&j);
  answer(c->r, c->batch, &j);
}

void ww_rpc_answer(ww_rpc_call *c, ww_json *j) {
  ww_rpc_result(c, j->own.s);
  ww_buf_free(&j->own);
}

void ww_rpc_error(ww_rpc_call *c, int code, const char *message, const char *data) {
  if (!c->id || c->answered)
    return;
  c->answered = true;
  answer_error(c->r, c->batch, c->id, code, message, data);
}

/* A document that changed under the question is no fault of anybody: LSP's clients ask
 * again at that code. */
void ww_rpc_fail(ww_rpc_call *c, const ww_err *e) {
  ww_json j = {0};
  int code = e->code == WW_EUSAGE    ? WW_RPC_BAD_PARAMS
             : e->code != WW_ECANCEL ? WW_RPC_FAILED
             : ww_rpc_cancelled(c)   ? WW_RPC_CANCELLED
                                     : WW_RPC_MODIFIED;
  ww_json_put(&j, "{code:%s,file?:%s,line?:%u}", ww_status_name(e->code), e->file,
              e->line);
  ww_rpc_error(c, code, e->msg, j.own.s);
  ww_buf_free(&j.own);
}

static void
write_call(ww_rpc *r, const char *id, const char *method, const char *params) {
  ww_json j = begin(id);
  ww_json_kstr(&j, "method", method);
  member(&j, "params", params);
  ww_json_end_obj(&j);
  answer(r, NULL, &j);
}

void ww_rpc_notify(ww_rpc *r, const char *method, ww_json *params) {
  write_call(r, NULL, method, params->own.s);
  ww_buf_free(&params->own);
}

void ww_rpc_tell(ww_rpc *r, const char *method, const char *pattern, ...) {
  ww_json j = {0};
  va_list args;
  va_start(args, pattern);
  ww_json_vput(&j, pattern, args);
  va_end(args);
  ww_rpc_notify(r, method, &j);
}

void ww_rpc_ask(ww_rpc *r,
                const char *method,
                const char *params,
                void (*answered)(void *ctx, const cJSON *result),
                void *ctx) {
  char id[24];
  pthread_mutex_lock(&r->lock);
  uint64_t number = ++r->asked;
  if (answered) { /* else a peer that never answers costs nothing */
    ask *a = ww_xmalloc(sizeof *a);
    *a = (ask){number, answered, ctx, r->asks};
    r->asks = a;
  }
  pthread_mutex_unlock(&r->lock);
  snprintf(id, sizeof id, "%llu", (unsigned long long)number);
  write_call(r, id, method, params);
}

/* ---- for handlers ---- */

bool ww_rpc_folder(char dir[64], int *slot) {
  const char *tmp = getenv("TMPDIR");
  snprintf(dir, 64, "%s/warpwise-XXXXXX",
           tmp && *tmp && strlen(tmp) < 40 ? tmp : "/tmp");
  if (ww_temp_folder(dir, slot))
    return true;
  dir[0] = 0;
  return false;
}

const char *ww_member_text(const cJSON *object, const char *name) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(object, name);
  return cJSON_IsString(v) ? v->valuestring : NULL;
}
const cJSON *ww_rpc_params(const ww_rpc_call *c) {
  return cJSON_GetObjectItemCaseSensitive(c->message, "params");
}
bool ww_rpc_cancelled(void *call) {
  ww_rpc_call *c = call;
  return atomic_load(&c->cancelled);
}

/* ---- ids ---- */

static bool is_id(const cJSON *id) {
  return cJSON_IsString(id) || cJSON_IsNumber(id);
}

static char *id_text(const cJSON *id) {
  ww_json j = {0};
  ww_json_copy(id, &j);
  return j.own.s;
}

void ww_rpc_cancel(ww_rpc *r, const cJSON *id) {
  if (!is_id(id))
    return;
  char *text = id_text(id);
  pthread_mutex_lock(&r->lock);
  for (ww_rpc_call *c = r->calls; c; c = c->next)
    if (c->id && !strcmp(c->id, text))
      atomic_store(&c->cancelled, true);
  pthread_mutex_unlock(&r->lock);
  free(text);
}

/* ---- calls ---- */

static void batch_done(ww_rpc *r, batch *b) {
  if (!b)
    return;
  pthread_mutex_lock(&r->lock);
  bool last = --b->pending == 0;
  pthread_mutex_unlock(&r->lock);
  if (!last)
    return;
  if (b->answers.n) {
    ww_buf_puts(&b->answers, "]");
    send_text(r, b->answers.s, b->answers.n);
  }
  ww_buf_free(&b->answers);
  free(b);
}

static void end_call(ww_rpc_call *c) {
  ww_rpc *r = c->r;
  if (ww_rpc_cancelled(c) && r->o.silent)
    c->answered = true;
  if (ww_rpc_cancelled(c))
    ww_rpc_error(c, WW_RPC_CANCELLED, "cancelled", NULL);
  /* if it did not */
  ww_rpc_error(c, WW_RPC_INTERNAL, "the method gave no answer", NULL);
  batch_done(r, c->batch);
  pthread_mutex_lock(&r->lock);
  ww_unlink(r->calls, c);
  pthread_cond_broadcast(&r->changed);
  pthread_mutex_unlock(&r->lock);
  cJSON_Delete(c->message);
  ww_arena_free(c->arena);
  free(c->id);
  free(c);
}

static void run(void *ctx) {
  ww_rpc_call *c = ctx;
  bool given_up = c->id && ww_rpc_cancelled(c); /* before it began */
  if (c->method->handle && !given_up)
    c->method->handle(c->r->o.server, c);
  end_call(c);
}

static const ww_rpc_method *find(const ww_rpc *r, const char *name) {
  const ww_rpc_method *m = r->o.methods;
  while (m->method && strcmp(m->method, name) != 0)
    m++;
  return m->method ? m : NULL;
}

static void start(ww_rpc *r, ww_rpc_call *c) {
  char text[160];
  if (r->o.before && r->o.before(r->o.server, c))
    return end_call(c);
  c->method = find(r, c->name);
  if (!c->method) {
    snprintf(text, sizeof text, "there is no method '%.100s'", c->name);
    ww_rpc_error(c, WW_RPC_NO_METHOD, text, NULL);
    end_call(c);
  } else if (c->method->in_order || !r->pool)
    run(c);
  else if (!ww_pool_submit(r->pool, run, c)) {
    ww_rpc_error(c, WW_RPC_BUSY, "too many requests are waiting; ask again later",
                 NULL);
    end_call(c);
  }
}

/* ---- in ---- */

static void take_answer(ww_rpc *r, const cJSON *m) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  int64_t n = 0;
  bool big;
  if (!cJSON_IsNumber(id) || !ww_json_as_int(id, &n, &big))
    return;
  pthread_mutex_lock(&r->lock);
  ask **a = &r->asks;
  while (*a && (*a)->id != (uint64_t)n)
    a = &(*a)->next;
  ask *found = *a;
  if (found)
    *a = found->next;
  pthread_mutex_unlock(&r->lock);
  if (found)
    found->answered(found->ctx, cJSON_GetObjectItemCaseSensitive(m, "result"));
  free(found);
}

/* What is wrong with a message that parsed; NULL: nothing. */
static const char *problem(const cJSON *m) {
  const char *version = ww_member_text(m, "jsonrpc");
  const cJSON *params = cJSON_GetObjectItemCaseSensitive(m, "params");
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  if (!cJSON_IsObject(m))
    return "a message is a JSON object";
  if (!version || strcmp(version, "2.0") != 0)
    return "a message says \"jsonrpc\":\"2.0\"";
  if (id && !is_id(id))
    return "an id is a string or a number";
  if (!ww_member_text(m, "method"))
    return "a message names a method by a string";
  if (params && !cJSON_IsObject(params) && !cJSON_IsArray(params) &&
      !cJSON_IsNull(params))
    return "params are an object or an array";
  return NULL;
}

static bool is_answer(const cJSON *m) {
  return cJSON_IsObject(m) && !cJSON_HasObjectItem(m, "method") &&
         (cJSON_HasObjectItem(m, "result") || cJSON_HasObjectItem(m, "error"));
}

static void take_call(ww_rpc *r, cJSON *m, batch *in) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  ww_rpc_call *c = ww_xcalloc(1, sizeof *c);
  c->r = r;
  c->message = m;
  c->name = ww_member_text(m, "method");
  c->id = id ? id_text(id) : NULL;
  c->arena = ww_arena_new();
  c->batch = in;
  pthread_mutex_lock(&r->lock);
  atomic_store(&c->cancelled, atomic_load(&r->over));
  if (in)
    in->pending++;
  c->next = r->calls;
  r->calls = c;
  pthread_mutex_unlock(&r->lock);
  start(r, c);
}

static void take_one(ww_rpc *r, cJSON *m, batch *in) {
  const cJSON *id = cJSON_GetObjectItemCaseSensitive(m, "id");
  bool answers = is_answer(m);
  const char *wrong = answers ? NULL : problem(m);
  if (!answers && !wrong)
    return take_call(r, m, in);
  if (answers)
    take_answer(r, m);
  else {
    char *text = is_id(id) ? id_text(id) : NULL;
    answer_error(r, in, text ? text : "null", WW_RPC_INVALID, wrong, NULL);
    free(text);
  }
  cJSON_Delete(m);
}

static void take_batch(ww_rpc *r, cJSON *list) {
  int n = cJSON_GetArraySize(list);
  if (!n || n > BATCH_MAX)
    return ww_rpc_refuse(r, WW_RPC_INVALID,
                         n ? "a batch has at most 1000 messages"
                           : "a batch has a message at least");
  batch *b = ww_xcalloc(1, sizeof *b);
  b->pending = 1;
  while (list->child)
    take_one(r, cJSON_DetachItemFromArray(list, 0), b);
  batch_done(r, b);
}

void ww_rpc_message(ww_rpc *r, const char *text, size_t n) {
  ww_err e = {0};
  /* the next message may follow at once */
  char *ended = memcpy(ww_xmalloc(n + 1), text, n);
  ended[n] = 0;
  cJSON *m = ww_json_read(ended, n, &e);
  free(ended);
  if (!m) {
    char why[600];
    snprintf(why, sizeof why, "no JSON: %s (line %u, column %u)", e.msg, e.line, e.col);
    ww_rpc_refuse(r, WW_RPC_PARSE, why);
  } else if (cJSON_IsArray(m)) {
    take_batch(r, m);
    cJSON_Delete(m);
  } else
    take_one(r, m, NULL);
}

void ww_rpc_take(ww_rpc *r, const char *text, size_t n) {
  if (n > r->o.max_message)
    ww_rpc_refuse(r, WW_RPC_INVALID, "the message is too large");
  else
    ww_rpc_message(r, text, n);
}

/* ---- the connection ---- */

ww_rpc *ww_rpc_new(const ww_rpc_options *o, ww_rpc_send send, void *to) {
  ww_rpc *r = ww_xcalloc(1, sizeof *r);
  r->o = *o;
  if (!r->o.max_message)
    r->o.max_message = (size_t)64 << 20;
  if (!r->o.queue)
    r->o.queue = 256;
  if (!r->o.workers)
    r->o.workers = sysconf(_SC_NPROCESSORS_ONLN);
  r->send = send;
  r->to = to;
  r->wake = -1;
  pthread_mutex_init(&r->sending, NULL);
  pthread_mutex_init(&r->lock, NULL);
  ww_cond_init(&r->changed);
  return r;
}

void ww_rpc_end(ww_rpc *r) {
  atomic_store(&r->over, true);
  pthread_mutex_lock(&r->lock);
  for (ww_rpc_call *c = r->calls; c; c = c->next)
    atomic_store(&c->cancelled, true);
  if (r->wake >= 0 && write(r->wake, "", 1) < 0)
    r->wake = -1; /* full: it wakes up anyway */
  pthread_mutex_unlock(&r->lock);
}

bool ww_rpc_wait(ww_rpc *r, double seconds) {
  double until = ww_now() + seconds;
  pthread_mutex_lock(&r->lock);
  while (r->calls && ww_cond_wait(&r->changed, &r->lock, until)) {}
  bool none = !r->calls;
  pthread_mutex_unlock(&r->lock);
  return none;
}

void ww_rpc_forget_asks(ww_rpc *r) {
  for (;;) {
    pthread_mutex_lock(&r->lock);
    ask *a = r->asks;
    if (a)
      r->asks = a->next;
    pthread_mutex_unlock(&r->lock);
    if (!a)
      return;
    a->answered(a->ctx, NULL);
    free(a);
  }
}

void ww_rpc_free(ww_rpc *r) {
  if (!r)
    return;
  ww_rpc_end(r);
  ww_pool_free(r->pool);
  while (!ww_rpc_wait(r, 1)) {} /* calls of ww_rpc_take on other threads */
  ww_rpc_forget_asks(r);
  pthread_cond_destroy(&r->changed);
  pthread_mutex_destroy(&r->lock);
  pthread_mutex_destroy(&r->sending);
  free(r);
}
