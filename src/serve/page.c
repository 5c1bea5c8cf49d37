/* page.c - the page's routes. Its files lie in the program (page_text.c); what it shows
 * comes from the API. */
#include "page.h"

#include "api.h"

#include "../predict/show/show.h"
#include "../base/json_put.h"
#include "page_text.h"

/* Scripts, styles and answers from this server alone, nothing inline: what a kernel's
 * text or a message holds is never run. */
#define POLICY                                                                    \
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " \
  "img-src 'self' "                                                               \
  "data:; "                                                                       \
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

typedef struct {
  const char *type, *text;
} file;

typedef struct {
  const char *name, *file, *text;
} example;

static const example examples[] = {
#define EXAMPLE(title, file, name, path) {title, file, ww_page_text_##name},
#include "page.def"
    {0},
};

static bool is_get(ww_http_call *x) {
  if (!strcmp(ww_http_method(x), "GET") || !strcmp(ww_http_method(x), "HEAD"))
    return true;
  ww_api_reply r = {0};
  ww_api_error(
      405, &(ww_err){.code = WW_EUSAGE, .msg = "this is a file of the page: GET it"},
      &r);
  ww_http_reply(x, 405, r.type, r.body.s, r.body.n);
  ww_buf_free(&r.body);
  return false;
}

static void send(ww_http_call *x, const char *type, const char *text, size_t n) {
  ww_http_reply_header(x, "Content-Security-Policy", POLICY);
  ww_http_reply_header(x, "Referrer-Policy", "no-referrer");
  ww_http_reply_header(x, "X-Frame-Options", "DENY");
  ww_http_reply_header(x, "Cross-Origin-Opener-Policy", "same-origin");
  ww_http_reply(x, 200, type, text, n);
}

static void send_file(void *ctx, ww_http_call *x) {
  const file *f = ctx;
  if (is_get(x))
    send(x, f->type, f->text, strlen(f->text));
}

static void send_examples(void *ctx, ww_http_call *x) {
  ww_json j = {0};
  (void)ctx;
  if (!is_get(x))
    return;
  ww_json_arr(&j);
  for (const example *e = examples; e->name; e++)
    ww_json_put(&j, "{name:%s,file:%s,text:%s}", e->name, e->file, e->text);
  ww_json_end_arr(&j);
  send(x, "application/json", j.own.s, j.own.n);
  ww_buf_free(&j.own);
}

/* Units and meanings of a report's rows, words for what limits a kernel, kinds of
 * contents: from their one table each. */
static void send_words(void *ctx, ww_http_call *x) {
  ww_json j = {0};
  (void)ctx;
  if (!is_get(x))
    return;
  ww_json_put(&j, "{metrics:[");
  for (const ww_metric_info *m = ww_metrics; m < ww_metrics + WW_NMETRICS; m++)
    ww_json_put(&j, "{name:%s,unit:%s,meaning:%s}", m->name, m->unit, m->meaning);
  ww_json_put(&j, "],terms:{");
  for (int k = 0; k < WW_NTERMS; k++)
    ww_json_kstr(&j, ww_term_names[k], ww_term_words[k]);
  ww_json_put(&j, "},fills:[");
  for (int k = 0; k < WW_NFILLS; k++)
    if (ww_fill_names[k] && k != WW_FILL_FILE)
      ww_json_str(&j, ww_fill_names[k]);
  ww_json_put(&j, "]}");
  send(x, "application/json", j.own.s, j.own.n);
  ww_buf_free(&j.own);
}

const ww_http_route ww_page_routes[] = {
#define PAGE(url, media, name, file_path)      \
  {.path = url,                                \
   .handle = send_file,                        \
   .ctx = &(file){media, ww_page_text_##name}, \
   .open = true},
#include "page.def"
    {.path = "/page/examples.json", .handle = send_examples, .open = true},
    {.path = "/page/words.json", .handle = send_words, .open = true},
    {0},
};
