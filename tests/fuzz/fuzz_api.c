/* fuzz_api.c - any text as a request to the REST interface, `METHOD PATH` on the first
 * line and the body behind it: an answer with a status, JSON where it says so. There is
 * no compiler here: what names a source that can be read ends with its error. */
#include "fuzz.h"

#include "../../src/base/jsonread.h"
#include "../../src/serve/api.h"

static ww_query *workspace;
static ww_api *api;

static void stop(void) {
  ww_api_free(api);
  ww_query_free(workspace);
}

static void start(void) {
  ww_err e = {0};
  fuzz_file("k.cu", "__global__ void k(float *x) { x[0] = 1; }\n", 42);
  workspace = ww_query_new(
      &(ww_query_options){.root = fuzz_folder(), .bytes = 1 << 20, .units = 4}, &e);
  if (!workspace) {
    fprintf(stderr, "fuzz: %s; WARPWISE_DATA names the folder of gpus/\n", e.msg);
    exit(2);
  }
  api = ww_api_new(workspace, &(ww_api_options){.seconds = 1, .reports = 10});
  atexit(stop);
}

int fuzz_api(const uint8_t *data, size_t n) {
  if (!api)
    start();
  char *text = fuzz_text(data, n), *body = strchr(text, '\n'), *path;
  if (body)
    *body++ = 0;
  path = strchr(text, ' ');
  if (path)
    *path++ = 0;
  ww_api_request q = {.method = text,
                      .path = path ? path : "/v1/predict",
                      .body = body,
                      .arrived = ww_now()};
  q.n = body ? n - (size_t)(body - text) : 0;
  ww_api_reply reply;
  ww_api_handle(api, &q, &reply);
  fuzz_must(reply.status >= 200 && reply.status < 600 && reply.type && reply.body.n);
  if (strstr(reply.type, "json")) {
    ww_err e = {0};
    cJSON *tree = ww_json_read(reply.body.s, reply.body.n, &e);
    fuzz_must(tree);
    cJSON_Delete(tree);
  }
  ww_api_is_quick(q.method, q.path);
  ww_buf_free(&reply.body);
  free(text);
  return 0;
}
