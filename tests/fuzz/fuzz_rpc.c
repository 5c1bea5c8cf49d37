/* fuzz_rpc.c - any bytes as what a peer of JSON-RPC sends, in both framings and as one
 * message that came another way: what goes back is whole messages of valid JSON. The
 * first byte says which framing it is. */
#include "fuzz.h"

#include <fcntl.h>
#include <unistd.h>

#include "../../src/serve/rpc.h"

static void echo(void *server, ww_rpc_call *c) {
  ww_buf b = {0};
  ww_json j = {0};
  (void)server;
  ww_json_begin(&j, &b);
  ww_json_copy(ww_rpc_params(c), &j);
  if (cJSON_GetObjectItemCaseSensitive(c->message, "id"))
    ww_rpc_result(c, b.s);
  ww_rpc_result(c, "2"); /* dropped */
  ww_buf_free(&b);
}

static void fail(void *server, ww_rpc_call *c) {
  ww_err e = {0};
  (void)server;
  c->mark = 3;
  ww_fail(&e,
          ww_rpc_params(c)      ? WW_EUSAGE
          : ww_rpc_cancelled(c) ? WW_ECANCEL
                                : WW_EIO,
          "as asked for: %s", c->name);
  e.file = "a.cu";
  e.line = (uint32_t)c->mark;
  ww_rpc_fail(c, &e);
}

static void silent(void *server, ww_rpc_call *c) {
  (void)server;
  (void)c;
}
static void end(void *server, ww_rpc_call *c) {
  (void)server;
  ww_rpc_end(c->r);
}
static void answered(void *ctx, const cJSON *result) {
  (void)result;
  ++*(int *)ctx;
}

static void ask(void *server, ww_rpc_call *c) {
  ww_rpc_ask(c->r, "peer/ask", "[1]", answered, server);
  ww_rpc_ask(c->r, "peer/ask", NULL, NULL, NULL);
  ww_rpc_tell(c->r, "peer/note", "{}");
  ww_rpc_result(c, "null");
}

static void cancel(void *server, ww_rpc_call *c) {
  (void)server;
  ww_rpc_cancel(c->r, cJSON_GetObjectItemCaseSensitive(ww_rpc_params(c), "id"));
}

static bool before(void *server, ww_rpc_call *c) {
  (void)server;
  if (strcmp(c->name, "refused") != 0)
    return false;
  ww_rpc_error(c, -32002, "not now", "{\"a\":1}");
  return true;
}

static const ww_rpc_method methods[] = {
    {"echo", true, echo},    {"work", false, echo}, {"fail", true, fail},
    {"idle", true, silent},  {"ask", true, ask},    {"$/cancelRequest", true, cancel},
    {"refused", true, echo}, {"end", true, end},    {0}};

static void must_be_json(const char *text, size_t n) {
  ww_err e = {0};
  char *own = fuzz_text((const uint8_t *)text, n);
  cJSON *tree = ww_json_read(own, n, &e);
  free(own);
  if (!tree)
    fprintf(stderr, "%.*s\n%s\n", (int)n, text, e.msg);
  fuzz_must(tree);
  cJSON_Delete(tree);
}

static void taken(void *to, const char *message, size_t n) {
  (void)to;
  must_be_json(message, n);
}

/* Whole messages and nothing else. */
static void check(const char *s, size_t n, ww_rpc_framing framing) {
  while (n) {
    size_t head = 0, length = 0;
    if (framing == WW_RPC_HEADERS) {
      const char *end = memmem(s, n, "\r\n\r\n", 4);
      fuzz_must(end && ww_starts(s, "Content-Length: "));
      length = strtoul(s + 16, NULL, 10);
      head = (size_t)(end - s) + 4;
    } else {
      const char *end = memchr(s, '\n', n);
      fuzz_must(end);
      length = (size_t)(end - s) + 1;
    }
    fuzz_must(head + length <= n);
    must_be_json(s + head, length);
    s += head + length;
    n -= head + length;
  }
}

static void
serve(const uint8_t *data, size_t n, const ww_rpc_options *o, ww_rpc_framing framing) {
  const char *to = fuzz_file("out", "", 0), *from = fuzz_file("in", data, n);
  int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_RDWR | O_CLOEXEC);
  ww_err e = {0};
  ww_rpc *r = ww_rpc_new(o, NULL, NULL);
  fuzz_must(in >= 0 && out >= 0 && !ww_rpc_serve(r, in, out, framing, &e));
  ww_rpc_free(r);
  off_t size = lseek(out, 0, SEEK_END);
  char *text = ww_xmalloc((size_t)size + 1);
  fuzz_must(pread(out, text, (size_t)size, 0) == size);
  text[size] = 0;
  check(text, (size_t)size, framing);
  free(text);
  close(in);
  close(out);
}

int fuzz_rpc(const uint8_t *data, size_t n) {
  if (!n)
    return -1;
  int asks = 0;
  ww_rpc_options o = {
      .methods = methods, .server = &asks, .before = before, .workers = 1, .queue = 2};
  o.max_message = data[0] & 4 ? 64 : 0;
  o.silent = data[0] & 8;
  if (data[0] & 2) {
    ww_rpc *r = ww_rpc_new(&o, taken, NULL);
    char *text = fuzz_text(data + 1, n - 1);
    ww_rpc_take(r, text, n - 1);
    free(text);
    ww_rpc_free(r);
  } else
    serve(data + 1, n - 1, &o, data[0] & 1 ? WW_RPC_LINES : WW_RPC_HEADERS);
  return 0;
}
