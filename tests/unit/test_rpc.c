/* test_rpc.c - the JSON-RPC core: what peers send, right and wrong, and what they must
 * get back. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "../../src/serve/rpc.h"
#include "unit.h"

/* ---- a server with a method for each kind of behaviour ---- */

typedef struct {
  atomic_int seen;  /* notifications */
  atomic_int asked; /* answers to what we asked: 1 a result, 10 none */
} server;

static void echo(void *s, ww_rpc_call *c) {
  char *text = cJSON_PrintUnformatted(ww_rpc_params(c));
  (void)s;
  ww_rpc_result(c, text ? text : "null");
  ww_rpc_result(c, "\"twice\""); /* is dropped */
  free(text);
}

static void until_cancelled(void *s, ww_rpc_call *c) {
  (void)s;
  for (int k = 0; k < 5000 && !ww_rpc_cancelled(c); k++)
    usleep(1000);
  ww_err e = {0};
  ww_fail(&e, WW_ECANCEL, "gave up");
  ww_rpc_fail(c, &e);
}

static void slowly(void *s, ww_rpc_call *c) {
  usleep(30000);
  echo(s, c);
}

static void silent(void *s, ww_rpc_call *c) {
  (void)s;
  (void)c;
}
static void note(void *s, ww_rpc_call *c) {
  (void)c;
  atomic_fetch_add(&((server *)s)->seen, 1);
}
static void cancel(void *s, ww_rpc_call *c) {
  (void)s;
  ww_rpc_cancel(c->r, cJSON_GetObjectItem(ww_rpc_params(c), "id"));
}
static void finish(void *s, ww_rpc_call *c) {
  (void)s;
  ww_rpc_result(c, "\"bye\"");
  ww_rpc_end(c->r);
}
static void stale(void *s, ww_rpc_call *c) {
  (void)s;
  ww_err e = {0};
  ww_fail(&e, WW_ECANCEL, "changed");
  ww_rpc_fail(c, &e);
}
static void usage(void *s, ww_rpc_call *c) {
  (void)s;
  ww_err e = {0};
  ww_fail(&e, WW_EUSAGE, "no such GPU");
  ww_rpc_fail(c, &e);
}
static void big(void *s, ww_rpc_call *c) {
  size_t n = 300000;
  char *text = ww_alloc(c->arena, n + 1);
  (void)s;
  memset(text, 'x', n);
  text[0] = text[n - 1] = '"';
  ww_rpc_result(c, text);
}
static void got(void *ctx, const cJSON *result) {
  atomic_fetch_add(&((server *)ctx)->asked, result ? 1 : 10);
}
static void ask_back(void *s, ww_rpc_call *c) {
  ww_rpc_ask(c->r, "peer/what", "{\"a\":1}", got, s);
  ww_rpc_result(c, "\"asked\"");
}
static bool before(void *s, ww_rpc_call *c) {
  (void)s;
  if (strcmp(c->name, "early") != 0)
    return false;
  ww_rpc_error(c, -32002, "not yet", NULL);
  return true;
}

static const ww_rpc_method methods[] = {
    {"echo", true, echo},    {"wait", false, until_cancelled},
    {"slow", false, slowly}, {"silent", false, silent},
    {"note", true, note},    {"cancel", true, cancel},
    {"end", true, finish},   {"stale", false, stale},
    {"usage", false, usage}, {"big", false, big},
    {"ask", true, ask_back}, {"late-end", false, finish},
    {NULL, false, NULL},
};

/* ---- a peer that writes bytes, closes, and reads the rest ---- */

typedef struct {
  ww_rpc *r;
  int in, out;
  ww_rpc_framing framing;
} side;

static void *serve(void *ctx) {
  side *s = ctx;
  ww_err e = {0};
  assert_int_equal(ww_rpc_serve(s->r, s->in, s->out, s->framing, &e), WW_OK);
  close(s->out);
  return NULL;
}

typedef struct {
  server server;
  side side;
  pthread_t thread;
  int to, from;
} peer;

static void open_peer(peer *p, ww_rpc_framing framing, size_t max) {
  int in[2], out[2];
  assert_int_equal(pipe(in), 0);
  assert_int_equal(pipe(out), 0);
  *p = (peer){.to = in[1], .from = out[0]};
  ww_rpc_options o = {.methods = methods,
                      .server = &p->server,
                      .before = before,
                      .workers = 4,
                      .max_message = max};
  p->side = (side){ww_rpc_new(&o, NULL, NULL), in[0], out[1], framing};
  assert_int_equal(pthread_create(&p->thread, NULL, serve, &p->side), 0);
}

static void put(peer *p, const char *s, size_t n) {
  assert_int_equal(write(p->to, s, n), (ssize_t)n);
}

static char *rest(peer *p, ww_arena *a) {
  ww_buf b = {0};
  char chunk[4096];
  ssize_t n;
  if (p->to >= 0)
    close(p->to);
  while ((n = read(p->from, chunk, sizeof chunk)) > 0)
    ww_buf_add(&b, chunk, (size_t)n);
  char *text = ww_strndup(a, b.s ? b.s : "", b.n);
  ww_buf_free(&b);
  pthread_join(p->thread, NULL);
  ww_rpc_free(p->side.r);
  close(p->from);
  close(p->side.in);
  return text;
}

/* Everything that is sent in one go, everything that comes back. */
static char *talk(ww_rpc_framing framing, size_t max, const char *text, ww_arena *a) {
  peer p;
  open_peer(&p, framing, max);
  put(&p, text, strlen(text));
  return rest(&p, a);
}

#define REQ(id, method) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\"}"
#define RES(id, value) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":" value "}\n"

static void test_lines(void **state) {
  static const struct {
    const char *send, *want; /* want: what begins the answer; "": none */
  } rows[] = {
      {REQ("1", "echo") "\n", RES("1", "null")},
      {REQ("\"a\\\"b\"", "echo") "\n", RES("\"a\\\"b\"", "null")},
      {REQ("12345678901234567890", "echo") "\n", RES("12345678901234567890", "null")},
      {REQ("1", "echo"), RES("1", "null")}, /* the last line lacks its break */
      {"\n  \r\n" REQ("1", "echo") "\r\n", RES("1", "null")},
      {"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"echo\",\"params\":{\"x\":[1,\"\\n\"]"
       "}}\n",
       RES("2", "{\"x\":[1,\"\\n\"]}")},
      {"{\"jsonrpc\":\"2.0\",\"id\":1,\n",
       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
      {"\xff\xfe\n", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
      {REQ("1", "echo") REQ("2", "echo") "\n",
       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,"},
      {"5\n", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
      {"{\"id\":7,\"method\":\"echo\"}\n",
       "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"},
      {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"echo\"}\n",
       "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":3}\n",
       "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"},
      {"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"echo\",\"params\":1}\n",
       "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32600,"},
      {REQ("8", "nothing") "\n",
       "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32601,"},
      {REQ("8", "usage") "\n", "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-"
                               "32602,\"message\":\"no such GPU\""},
      {REQ("8", "stale") "\n",
       "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32801,"},
      {REQ("8", "silent") "\n",
       "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32603,"},
      {REQ("8", "early") "\n",
       "{\"jsonrpc\":\"2.0\",\"id\":8,\"error\":{\"code\":-32002,"},
      {"{\"jsonrpc\":\"2.0\",\"method\":\"nothing\"}\n", ""},
      {"{\"jsonrpc\":\"2.0\",\"method\":\"early\"}\n", ""},
      {"{\"jsonrpc\":\"2.0\",\"id\":99,\"result\":{}}\n",
       ""}, /* an answer to nothing */
      {"[]\n", "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
      {"[{\"jsonrpc\":\"2.0\",\"method\":\"note\"}]\n", ""},
      {"[" REQ("1", "slow") ",{\"jsonrpc\":\"2.0\",\"method\":\"note\"},3]\n",
       "[{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"},
  };
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const char *out = talk(WW_RPC_LINES, 0, rows[k].send, *state);
    bool good = *rows[k].want ? ww_starts(out, rows[k].want) : !*out;
    if (!good)
      fail_msg("row %u: %s -> %s", k, rows[k].send, out);
    if (*rows[k].want)
      assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1); /* one message */
  }
}

static void test_batch_is_one_answer(void **state) {
  const char *out =
      talk(WW_RPC_LINES, 0, "[" REQ("1", "slow") "," REQ("2", "echo") "]\n", *state);
  assert_string_equal(
      out, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":null},{\"jsonrpc\":\"2.0\","
           "\"id\":1,\"result\":null}]\n");
  ww_buf b = {0};
  for (int k = 0; k < 1001; k++)
    ww_buf_fmt(&b, "%c" REQ("%d", "echo"), k ? ',' : '[', k);
  ww_buf_puts(&b, "]\n" REQ("5", "echo") "\n");
  peer p;
  open_peer(&p, WW_RPC_LINES, 0);
  put(&p, b.s, b.n);
  out = rest(&p, *state);
  ww_buf_free(&b);
  assert_true(
      ww_starts(out, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,"));
  assert_non_null(strstr(out, RES("5", "null")));
}

static void frame(ww_buf *b, const char *text) {
  ww_buf_fmt(b, "Content-Length: %zu\r\n\r\n%s", strlen(text), text);
}

static void test_headers(void **state) {
  static const char error[] =
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,";
  static const struct {
    const char *before; /* what stands before a right message */
    bool refused;
  } rows[] = {
      {"", false},
      {"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\n", false},
      {"Content-Length: 99999\r\n", false}, /* the last one counts */
      {"Content-Length: -5\r\n\r\n", true},
      {"Content-Length: 99999999999999999999999999\r\n\r\n", true},
      {"Content-Length: 5x\r\n\r\n", true},
      {"Content-Length:\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: here\r\n\r\n", true},
      {"{\"no\":\"header\"}\r\n", true},
      {"too much of the last body",
       true}, /* a peer that counts characters instead of bytes */
      {"Content-Length: 3\r\n\r\n{]}", true},
      {"Content-Length: 0\r\n\r\n", true},
  };
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    ww_buf b = {0};
    ww_buf_puts(&b, rows[k].before);
    frame(&b, REQ("1", "echo"));
    const char *out = talk(WW_RPC_HEADERS, 0, b.s, *state);
    ww_buf_free(&b);
    if (!strstr(out, "\"id\":1,\"result\":null}"))
      fail_msg("row %u: no answer: %s", k, out);
    if ((strstr(out, error) != NULL) != rows[k].refused)
      fail_msg("row %u: %s", k, out);
    assert_true(ww_starts(out, "Content-Length: "));
  }
}

static void test_too_large(void **state) {
  static const char error[] =
      "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,";
  size_t n = 3 << 20;
  char *long_text = ww_alloc(*state, n + 1);
  memset(long_text, 'z', n);
  for (int framing = 0; framing < 2; framing++) {
    ww_buf b = {0};
    if (framing == WW_RPC_HEADERS) {
      frame(&b, long_text);
      frame(&b, REQ("1", "echo"));
    } else
      ww_buf_fmt(&b, "%s\n%s\n", long_text, REQ("1", "echo"));
    peer p;
    open_peer(&p, framing, 1 << 16);
    put(&p, b.s, b.n);
    ww_buf_free(&b);
    const char *out = rest(&p, *state), *at = strstr(out, error);
    assert_non_null(at);
    assert_non_null(strstr(at, "\"id\":1,\"result\":null}"));
    assert_null(strstr(at + 1, error));
  }
}

/* The peer closes in the middle of a message: nothing hangs, nothing is said. */
static void test_half_messages(void **state) {
  assert_string_equal(
      talk(WW_RPC_HEADERS, 0, "Content-Length: 100\r\n\r\n{\"jsonrpc\"", *state), "");
  assert_string_equal(talk(WW_RPC_HEADERS, 0, "Content-Len", *state), "");
  assert_string_equal(talk(WW_RPC_HEADERS, 0, "", *state), "");
}

/* A peer that has closed its end still gets what it asked for. */
static void test_half_closed(void **state) {
  const char *out =
      talk(WW_RPC_LINES, 0, REQ("1", "slow") "\n" REQ("2", "slow") "\n", *state);
  assert_non_null(strstr(out, RES("1", "null")));
  assert_non_null(strstr(out, RES("2", "null")));
}

/* One that reads no more ends the server, also while something runs that would take
 * long. */
static void test_peer_reads_no_more(void **state) {
  peer p;
  (void)state;
  open_peer(&p, WW_RPC_LINES, 0);
  put(&p, REQ("1", "wait") "\n", strlen(REQ("1", "wait")) + 1);
  usleep(20000);
  close(p.from);
  double t = ww_now();
  pthread_join(p.thread, NULL);
  ww_rpc_free(p.side.r);
  assert_true(ww_now() - t < 3);
  close(p.to);
  close(p.side.in);
}

static void test_cancel(void **state) {
  const char *out =
      talk(WW_RPC_LINES, 0,
           REQ("\"w\"", "wait") "\n{\"jsonrpc\":\"2.0\",\"method\":\"cancel\","
                                "\"params\":{\"id\":\"other\"}}\n"
                                "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":"
                                "{\"id\":\"w\"}}\n",
           *state);
  assert_true(
      ww_starts(out, "{\"jsonrpc\":\"2.0\",\"id\":\"w\",\"error\":{\"code\":-32800,"));
}

/* Many at a time: each gets one answer, those that never began too. */
static void test_each_one_answer(void **state) {
  ww_buf b = {0};
  for (int k = 0; k < 40; k++)
    ww_buf_fmt(&b, REQ("%d", "wait") "\n", k);
  for (int k = 0; k < 40; k++)
    ww_buf_fmt(
        &b, "{\"jsonrpc\":\"2.0\",\"method\":\"cancel\",\"params\":{\"id\":%d}}\n", k);
  const char *out = talk(WW_RPC_LINES, 0, b.s, *state);
  ww_buf_free(&b);
  for (int k = 0; k < 40; k++) {
    char id[64];
    snprintf(id, sizeof id, "\"id\":%d,\"error\":{\"code\":-32800,", k);
    const char *at = strstr(out, id);
    assert_non_null(at);
    assert_null(strstr(at + 1, id));
  }
}

/* In order: an edit is seen by what comes behind it, however long the peer takes to
 * read. */
static void test_does_not_stop_reading(void **state) {
  static const char line[] =
      "{\"jsonrpc\":\"2.0\",\"method\":\"note\",\"params\":{\"text\":\"....."
      "...........................\"}}\n";
  peer p;
  open_peer(&p, WW_RPC_LINES, 0);
  for (int k = 0; k < 20; k++)
    put(&p, REQ("1", "big") "\n", strlen(REQ("1", "big")) + 1);
  for (int k = 0; k < 2000; k++) /* more than a pipe holds */
    put(&p, line, sizeof line - 1);
  for (int k = 0; k < 3000 && atomic_load(&p.server.seen) < 2000; k++)
    usleep(1000);
  assert_int_equal(atomic_load(&p.server.seen), 2000);
  assert_int_equal(strlen(rest(&p, *state)), 20 * (300000 + strlen(RES("1", ""))));
}

static void test_end(void **state) {
  static const char *const ends[] = {REQ("1", "end") "\n", REQ("1", "late-end") "\n"};
  for (int k = 0; k < 2; k++) {
    peer p;
    open_peer(&p, WW_RPC_LINES, 0);
    put(&p, ends[k], strlen(ends[k]));
    int to = p.to;
    p.to = -1; /* stays open */
    assert_string_equal(rest(&p, *state), RES("1", "\"bye\""));
    close(to);
  }
}

static void test_asking(void **state) {
  static const char send[] = REQ("1", "ask") "\n" REQ(
      "2", "ask") "\n"
                  "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"yes\":true}"
                  "}\n{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n";
  peer p;
  open_peer(&p, WW_RPC_LINES, 0);
  put(&p, send, strlen(send));
  const char *out = rest(&p, *state);
  assert_non_null(strstr(out, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"peer/"
                              "what\",\"params\":{\"a\":1}}\n"));
  assert_int_equal(atomic_load(&p.server.asked),
                   11); /* one result; the other asker is told that none comes */
}

/* ---- without pipes ---- */

static void gather(void *to, const char *message, size_t n) {
  ww_buf_add(to, message, n);
  ww_buf_puts(to, "\n");
}

static void test_take(void **state) {
  server s = {0};
  ww_buf b = {0};
  (void)state;
  ww_rpc_options o = {.methods = methods, .server = &s, .max_message = 100};
  ww_rpc *r = ww_rpc_new(&o, gather, &b);
  ww_rpc_take(r, REQ("1", "slow"), strlen(REQ("1", "slow")));
  assert_string_equal(b.s, RES("1", "null"));
  b.n = 0;
  char large[200];
  memset(large, ' ', sizeof large);
  ww_rpc_take(r, large, sizeof large);
  assert_non_null(strstr(b.s, "-32600"));
  ww_rpc_free(r);
  ww_rpc_free(NULL);
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(test_lines),
      TEST(test_batch_is_one_answer),
      TEST(test_headers),
      TEST(test_too_large),
      TEST(test_half_messages),
      TEST(test_half_closed),
      TEST(test_peer_reads_no_more),
      TEST(test_cancel),
      TEST(test_each_one_answer),
      TEST(test_does_not_stop_reading),
      TEST(test_end),
      TEST(test_asking),
      TEST(test_take),
  };
  return RUN(tests);
}
