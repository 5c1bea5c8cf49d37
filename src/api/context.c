/* context.c - opening and closing, errors, the GPUs that can be asked for. */
#include <pthread.h>
#include <stdlib.h>

#include "api_int.h"

/* ---- errors and versions ---- */

_Static_assert((int)WARPWISE_USAGE == WW_EUSAGE && (int)WARPWISE_IO == WW_EIO &&
                   (int)WARPWISE_PARSE == WW_EPARSE &&
                   (int)WARPWISE_UNSUPPORTED == WW_EUNSUPPORTED &&
                   (int)WARPWISE_LIMIT == WW_ELIMIT &&
                   (int)WARPWISE_CANCELLED == WW_ECANCEL &&
                   (int)WARPWISE_DEVICE == WW_EDEVICE && (int)WARPWISE_DATA == WW_EDATA,
               "statuses of the interface are those of the library");

const char *warpwise_status_name(warpwise_status status) {
  return (unsigned)status <= WARPWISE_DATA ? ww_status_name((ww_status)status)
                                           : "unknown";
}

const char *warpwise_version(void) {
  return WW_VERSION;
}

warpwise_status ww_api_fail(const ww_err *e, warpwise_error *out) {
  if (!out)
    return (warpwise_status)e->code;
  *out = (warpwise_error){
      .code = (warpwise_status)e->code, .line = e->line, .column = e->col};
  snprintf(out->file, sizeof out->file, "%s", e->file ? e->file : "");
  snprintf(out->message, sizeof out->message, "%s", e->msg);
  return out->code;
}

/* ---- locale ---- */

static locale_t plain; /* never freed: threads may still have it */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_plain(void) {
  plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

locale_t ww_api_enter(void) {
  pthread_once(&once, make_plain);
  return plain ? uselocale(plain) : (locale_t)0;
}

void ww_api_leave(locale_t before) {
  if (before)
    uselocale(before);
}

/* ---- the context ---- */

static ww_status
open_context(const warpwise_config *config, warpwise_context **out, ww_err *e) {
  static const warpwise_config none = {.api = 1};
  const warpwise_config *c = config ? config : &none;
  if (!c->api || c->api > WARPWISE_API_VERSION)
    return ww_fail(
        e, WW_EUSAGE,
        "the program asks for version %u of the interface, libwarpwise " WW_VERSION
        " has 1 to %d: set warpwise_config.api to WARPWISE_API_VERSION, or install a "
        "newer library",
        c->api, WARPWISE_API_VERSION);
  ww_set_quiet(true); /* a host program's terminal is its own */
  ww_query_options o = {.root = c->root,
                        .bytes = c->memory,
                        .gpu_files = c->gpu_files,
                        .ngpu_files = c->gpu_file_count,
                        .models = c->models};
  ww_query *w = ww_query_new(&o, e);
  if (!w)
    return e->code;
  *out = ww_xcalloc(1, sizeof **out);
  **out = (warpwise_context){w, c->api};
  return WW_OK;
}

warpwise_status warpwise_open(const warpwise_config *config,
                              warpwise_context **out,
                              warpwise_error *error) {
  ww_err e = {0};
  *out = NULL;
  locale_t before = ww_api_enter();
  ww_status st = open_context(config, out, &e);
  ww_api_leave(before);
  return st ? ww_api_fail(&e, error) : WARPWISE_OK;
}

void warpwise_close(warpwise_context *context) {
  if (!context)
    return;
  ww_query_free(context->workspace);
  free(context);
}

/* ---- GPUs ---- */

uint32_t warpwise_gpu_count(const warpwise_context *context) {
  const ww_gpu *gpus;
  return ww_query_gpus(context->workspace, &gpus);
}

warpwise_gpu warpwise_gpu_at(const warpwise_context *context, uint32_t index) {
  const ww_gpu *gpus;
  if (index >= ww_query_gpus(context->workspace, &gpus))
    return (warpwise_gpu){0};
  const ww_gpu *g = &gpus[index];
  return (warpwise_gpu){.name = g->name,
                        .full_name = g->full_name,
                        .vendor = g->vendor,
                        .architecture = g->architecture,
                        .calibrated = g->calibrated,
                        .multiprocessors = g->sms,
                        .lanes = g->lanes};
}
