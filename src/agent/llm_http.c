/* llm_http.c - a model behind an OpenAI-compatible endpoint; the one user of libcurl.
 *
 * No redirects, no protocol but HTTP and HTTPS, certificates checked, answers of at
 * most 4 MB within the time there is; what is busy is asked again. The key goes to this
 * address alone, over HTTPS or to this machine, and is cut out of whatever comes back:
 * a text that leaves this file does not have it. */
#include <curl/curl.h>
#include <unistd.h>

#include "../base/base.h"
#include "llm.h"

#define MOST_TRIES 5
#define CONNECT_S 20L
#define LEAST_S 1.0

typedef struct {
  char *url, *key;
  ww_llm_style style;
  char *model;
  bool local; /* the address is this machine's */
  bool asked; /* it has answered once */
  ww_buf body;
  bool too_long;
} endpoint;

/* ---- the key ---- */

static const char *hide(const endpoint *p, const char *text, ww_arena *a) {
  ww_buf out = {0};
  size_t n = p->key ? strlen(p->key) : 0;
  const char *at;
  if (!text || !n || !strstr(text, p->key))
    return text;
  for (; (at = strstr(text, p->key)); text = at + n) {
    ww_buf_add(&out, text, at - text);
    ww_buf_puts(&out, "[key]");
  }
  ww_buf_puts(&out, text);
  return ww_buf_text(&out, a);
}

static void hide_all(const endpoint *p, ww_arena *a, ww_message *m) {
  ww_tool_call *calls = WW_NEWN(a, ww_tool_call, m->ncalls + 1);
  m->text = hide(p, m->text, a);
  for (uint32_t k = 0; k < m->ncalls; k++)
    calls[k] = (ww_tool_call){.id = hide(p, m->calls[k].id, a),
                              .name = hide(p, m->calls[k].name, a),
                              .arguments = hide(p, m->calls[k].arguments, a)};
  m->calls = calls;
}

/* ---- one request ---- */

static size_t take(char *bytes, size_t size, size_t n, void *ctx) {
  endpoint *p = ctx;
  if (p->body.n + size * n > WW_LLM_MOST_BYTES) {
    p->too_long = true;
    return 0;
  }
  ww_buf_add(&p->body, bytes, size * n);
  return size * n;
}

static struct curl_slist *headers(const endpoint *p) {
  struct curl_slist *h = curl_slist_append(NULL, "Content-Type: application/json");
  if (p->key) {
    ww_buf b = {0};
    ww_buf_fmt(&b, "Authorization: Bearer %s", p->key);
    h = curl_slist_append(h, b.s);
    explicit_bzero(b.s, b.n);
    ww_buf_free(&b);
  }
  return h;
}

static void set_limits(CURL *c, const endpoint *p, double left) {
  curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L);
#if LIBCURL_VERSION_NUM >= 0x075500
  curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  curl_easy_setopt(c, CURLOPT_PROTOCOLS, CURLPROTO_HTTP | CURLPROTO_HTTPS);
#endif
  curl_easy_setopt(c, CURLOPT_SSL_VERIFYPEER, 1L);
  curl_easy_setopt(c, CURLOPT_SSL_VERIFYHOST, 2L);
  curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT, CONNECT_S);
  curl_easy_setopt(c, CURLOPT_TIMEOUT_MS, (long)(left * 1000));
  if (p->local)
    curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
}

/* *status: of HTTP; 0: nothing came. *wait: what the endpoint asks for, seconds. */
static CURLcode
post(endpoint *p, const ww_buf *json, double left, long *status, double *wait) {
  CURL *c = curl_easy_init();
  struct curl_slist *h = headers(p);
  curl_off_t after = 0;
  p->body.n = 0;
  p->too_long = false;
  curl_easy_setopt(c, CURLOPT_URL, p->url);
  curl_easy_setopt(c, CURLOPT_HTTPHEADER, h);
  curl_easy_setopt(c, CURLOPT_POSTFIELDS, json->s);
  curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)json->n);
  curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, take);
  curl_easy_setopt(c, CURLOPT_WRITEDATA, p);
  set_limits(c, p, left);
  CURLcode code = curl_easy_perform(c);
  *status = 0;
  curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, status);
  curl_easy_getinfo(c, CURLINFO_RETRY_AFTER, &after);
  *wait = after;
  curl_slist_free_all(h);
  curl_easy_cleanup(c);
  ww_buf_puts(&p->body, "");
  return code;
}

/* ---- questions ---- */

static ww_status failed(const endpoint *p, CURLcode code, ww_err *e) {
  if (p->too_long)
    return ww_fail(e, WW_ELIMIT, "the endpoint's answer is longer than %u MB",
                   WW_LLM_MOST_BYTES >> 20);
  if (code == CURLE_OPERATION_TIMEDOUT)
    return ww_fail(e, WW_ELIMIT, "the endpoint did not answer in time");
  return ww_fail(e, WW_EDEVICE, "the endpoint cannot be reached: %s",
                 curl_easy_strerror(code));
}

static ww_status refused(const endpoint *p, long status, ww_arena *a, ww_err *e) {
  ww_buf why = {0};
  ww_buf_printable(&why, hide(p, ww_llm_error_in(p->body.s, p->body.n, a), a), 200);
  const char *next =
      status == 401 || status == 403 ? "; is WARPWISE_LLM_KEY or --key-file right?"
      : status == 404     ? "; the address ends in /v1, --model names a model"
      : status / 100 == 3 ? "; redirects are not followed: give the address "
                            "itself"
                          : "";
  ww_fail(e, WW_EDEVICE, "the endpoint answers %ld%s%s%s", status, *why.s ? ": " : "",
          why.s, next);
  ww_buf_free(&why);
  return e->code;
}

static bool is_busy(CURLcode code, long status) {
  return code == CURLE_OK && (status == 429 || (status >= 500 && status != 501));
}

/* As often as it is busy and there is time; the last answer counts. */
static CURLcode ask(endpoint *p, const ww_buf *json, double deadline, long *status) {
  CURLcode code = CURLE_OPERATION_TIMEDOUT;
  double wait = 1;
  *status = 0;
  for (int k = 0; k < MOST_TRIES; k++) {
    double asked;
    double left = deadline - ww_now();
    if (left < LEAST_S)
      break;
    code = post(p, json, left, status, &asked);
    wait = asked > wait ? asked : wait;
    if (!is_busy(code, *status) || ww_now() + wait > deadline || k + 1 == MOST_TRIES)
      break;
    usleep((useconds_t)(wait * 1e6));
    wait *= 2;
  }
  return code;
}

/* It knows no tools: they are told in words from now on. */
static bool knows_no_tools(const endpoint *p, long status, ww_arena *a) {
  const char *why = ww_llm_error_in(p->body.s, p->body.n, a);
  return !p->style.plain && !p->asked &&
         (status == 400 || status == 422 || status == 501) && why &&
         (strstr(why, "tool") || strstr(why, "function"));
}

static ww_status
chat(void *ctx, const ww_llm_question *q, ww_arena *a, ww_llm_answer *out, ww_err *e) {
  endpoint *p = ctx;
  long status;
  CURLcode code;
  for (;;) {
    ww_json j = {0};
    ww_llm_write(q, &p->style, &j);
    code = ask(p, &j.own, q->deadline, &status);
    out->tokens = j.own.n / 4;
    ww_buf_free(&j.own);
    if (code || !knows_no_tools(p, status, a))
      break;
    p->style.plain = true;
  }
  uint64_t sent = out->tokens;
  if (code)
    return failed(p, code, e);
  if (status / 100 != 2)
    return refused(p, status, a, e);
  p->asked = true;
  ww_status st = ww_llm_read(p->body.s, p->body.n, a, out, e);
  if (st)
    return st;
  hide_all(p, a, &out->message);
  out->plain |= p->style.plain;
  /* one that counts nothing, or too little to be true, is counted by bytes */
  uint64_t least = (sent + p->body.n / 4) / 4;
  if (out->tokens < least)
    out->tokens = sent + p->body.n / 4;
  return WW_OK;
}

/* ---- the endpoint ---- */

static void free_endpoint(void *ctx) {
  endpoint *p = ctx;
  if (!p)
    return;
  if (p->key)
    explicit_bzero(p->key, strlen(p->key));
  free(p->key);
  free(p->url);
  free(p->model);
  ww_buf_free(&p->body);
  free(p);
}

/* Its parts by curl's own reading, so that what is checked is what is asked. */
static ww_status check_url(endpoint *p, const char *url, ww_err *e) {
  CURLU *u = curl_url();
  char *scheme = NULL;
  char *host = NULL;
  char *user = NULL;
  bool ok = !curl_url_set(u, CURLUPART_URL, url, 0) &&
            !curl_url_get(u, CURLUPART_SCHEME, &scheme, 0) &&
            !curl_url_get(u, CURLUPART_HOST, &host, 0);
  ww_status st = WW_OK;
  if (!ok || (strcmp(scheme, "http") && strcmp(scheme, "https")))
    st = ww_fail(e, WW_EUSAGE,
                 "--llm takes an address such as http://localhost:8080/v1");
  else if (!curl_url_get(u, CURLUPART_USER, &user, 0))
    st = ww_fail(e, WW_EUSAGE,
                 "--llm: no name or password in the address; "
                 "WARPWISE_LLM_KEY or --key-file has the key");
  else {
    p->local =
        !strcmp(host, "localhost") || !strcmp(host, "[::1]") || ww_starts(host, "127.");
    if (p->key && !p->local && strcmp(scheme, "https"))
      st = ww_fail(e, WW_EUSAGE, "a key goes over https alone, but for this machine");
  }
  curl_free(scheme);
  curl_free(host);
  curl_free(user);
  curl_url_cleanup(u);
  return st;
}

static char *whole_url(const char *url) {
  static const char path[] = "/chat/completions";
  size_t n = strlen(url);
  ww_buf b = {0};
  while (n && url[n - 1] == '/')
    n--;
  ww_buf_add(&b, url, n);
  ww_buf_puts(&b, "");
  if (!ww_ends(b.s, path))
    ww_buf_puts(&b, path);
  return b.s;
}

ww_status ww_llm_http(const ww_llm_http_options *o, ww_llm *out, ww_err *e) {
  static bool begun;
  endpoint *p = ww_xcalloc(1, sizeof *p);
  if (!begun)
    curl_global_init(CURL_GLOBAL_DEFAULT);
  begun = true;
  p->style = o->style;
  p->model = o->style.model ? ww_xstrdup(o->style.model) : NULL;
  p->style.model = p->model;
  p->key = o->key && *o->key ? ww_xstrdup(o->key) : NULL;
  p->url = whole_url(o->url);
  ww_status st = check_url(p, p->url, e);
  for (const char *k = p->key; !st && k && *k; k++)
    if (*k <= ' ' || *k > '~')
      st = ww_fail(e, WW_EUSAGE, "the key has a character that no key has");
  if (st) {
    free_endpoint(p);
    return st;
  }
  *out = (ww_llm){.ctx = p, .chat = chat, .free = free_endpoint};
  return WW_OK;
}
