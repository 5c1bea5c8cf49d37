/* completions.h - the interface that OpenAI's clients speak: /v1/models,
 * /v1/models/NAME, /v1/completions, /v1/chat/completions, whole or as a stream. */
#ifndef WW_SERVE_COMPLETIONS_H
#define WW_SERVE_COMPLETIONS_H

#include "http.h"

typedef struct ww_completions ww_completions;
/* `path` of the model, NULL: none (requests are told how to start with one). */
ww_status
ww_completions_new(const char *path, uint32_t threads, ww_completions **out, ww_err *e);
void ww_completions_free(ww_completions *c); /* accepts NULL */
void ww_completions_stop(ww_completions *c); /* what is being written ends soon */

/* Routes of http.h, with a ww_completions as their ctx. */
void ww_completions_models(void *ctx, ww_http_call *x);
void ww_completions_model(void *ctx, ww_http_call *x); /* /v1/models/NAME */
void ww_completions_text(void *ctx, ww_http_call *x);
void ww_completions_chat(void *ctx, ww_http_call *x);

#endif
