/* roofline.c - the roofline question put together from its table, and its answer read.
 */
#include "roofline.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>

#include "../base/words.h"

const char *const ww_roofline_asks[WW_NROOFLINES] = {
#define ASK(id, name, ...) name,
#include "roofline.def"
};

#define TEXT(name, text) static const char text_##name[] = text;
#include "roofline.def"

typedef enum { nothing, measured, predicted } figures_of;
typedef struct {
  bool examples, source;
  figures_of figures;
  const char *closing;
} way;
static const way ways[WW_NROOFLINES] = {
#define ASK(id, name, examples, source, figures, closing) \
  {examples, source, figures, text_##closing},
#include "roofline.def"
};

typedef struct {
  const char *language;
  ww_bound is;
  const char *kernel, *grid, *block, *source;
} example;
static const example examples[] = {
#define EXAMPLE(language, is, kernel, grid, block, file, source) \
  {language, WW_BOUND_##is, kernel, grid, block, source},
#include "roofline.def"
};

const char *ww_roofline_word(ww_bound bound) {
  return bound == WW_BOUND_COMPUTE ? "Compute" : "Bandwidth";
}

/* ---- the GPU ---- */

static void put_kind(ww_buf *b, const char *kind, double balance, double gbps) {
  if (isfinite(balance))
    ww_buf_fmt(b, "%s: peak %.6g Gop/s, balance point %.6g operations per byte\n", kind,
               balance * gbps, balance);
}

static void put_gpu(ww_buf *b, const ww_gpu *g, const ww_balance *balance) {
  double gbps = g->dram_peak;
  ww_buf_fmt(b, "GPU: %s\nMemory bandwidth: %.6g GB/s\n",
             g->full_name ? g->full_name : g->name, gbps);
  put_kind(b, "Double precision", balance->fp64, gbps);
  put_kind(b, "Single precision", balance->fp32, gbps);
  put_kind(b, "Half precision", balance->fp16, gbps);
  put_kind(b, "Tensor", balance->tensor, gbps);
  put_kind(b, "Integer", balance->integer, gbps);
}

/* ---- the launch ---- */

static const char *shape(const uint64_t d[3], ww_arena *a) {
  return ww_fmt(a, "%" PRIu64 " x %" PRIu64 " x %" PRIu64, d[0], d[1] ? d[1] : 1,
                d[2] ? d[2] : 1);
}

static void
put_launch(ww_buf *b, const char *kernel, const char *grid, const char *block) {
  ww_buf_fmt(b, "Kernel: %s\n", kernel);
  if (grid)
    ww_buf_fmt(b, "Grid: %s blocks\n", grid);
  if (block)
    ww_buf_fmt(b, "Block: %s threads\n", block);
}

/* ---- the source ---- */

/* At most so many bytes of it, around the first place that has the kernel's name. */
static void put_text(ww_buf *b, const char *text, const char *kernel) {
  size_t n = strlen(text);
  size_t from = 0;
  if (n > WW_ROOFLINE_SOURCE_MOST) {
    const char *at = strstr(text, kernel);
    size_t place = at ? at - text : 0;
    from =
        place > WW_ROOFLINE_SOURCE_MOST / 2 ? place - WW_ROOFLINE_SOURCE_MOST / 2 : 0;
    if (from + WW_ROOFLINE_SOURCE_MOST > n)
      from = n - WW_ROOFLINE_SOURCE_MOST;
    n = from + WW_ROOFLINE_SOURCE_MOST;
    while (from && ((unsigned char)text[from] & 0xc0) == 0x80)
      from++; /* no half characters */
    while (((unsigned char)text[n] & 0xc0) == 0x80)
      n--;
  }
  if (from)
    ww_buf_puts(b, "[...]\n");
  ww_buf_add(b, text + from, n - from);
  ww_buf_puts(b, n && text[n - 1] == '\n' ? "" : "\n");
  if (text[n])
    ww_buf_puts(b, "[...]\n");
}

static void
put_source(ww_buf *b, const char *language, const char *text, const char *kernel) {
  if (!text) {
    ww_buf_puts(b, "Source: not known\n");
    return;
  }
  ww_buf_fmt(b, "Source:\n```%s\n", language ? language : "");
  put_text(b, text, kernel);
  ww_buf_puts(b, "```\n");
}

/* ---- figures ---- */

static void put_figure(ww_buf *b, const char *name, double v, double balance) {
  if (isfinite(v) && isfinite(balance))
    ww_buf_fmt(b, "%s: %.9g\n", name, v);
}

static double known(const ww_report *r, ww_metric m) {
  return r->m[m].known ? r->m[m].value : NAN;
}

/* Bytes are the sum of what is read and written, or the rate over the time. */
static double bytes_of(const ww_report *r) {
  double sum = known(r, WW_M_dram_read_bytes) + known(r, WW_M_dram_write_bytes);
  return isfinite(sum) ? sum : known(r, WW_M_dram_gbps) * known(r, WW_M_time_us) * 1e3;
}

static void
put_figures(ww_buf *b, figures_of of, const ww_report *r, const ww_balance *balance) {
  if (!r || r->error.code) {
    ww_buf_fmt(b, "%s\n", text_silent);
    return;
  }
  ww_buf_fmt(b, "%s\n", of == measured ? text_measured : text_predicted);
  put_figure(b, "Time in microseconds", known(r, WW_M_time_us), 0);
  put_figure(b, "Bytes read and written in memory", bytes_of(r), 0);
  put_figure(b, "Double-precision operations", known(r, WW_M_flops_fp64),
             balance->fp64);
  put_figure(b, "Single-precision operations", known(r, WW_M_flops_fp32),
             balance->fp32);
  put_figure(b, "Half-precision operations", known(r, WW_M_flops_fp16), balance->fp16);
  put_figure(b, "Tensor operations", known(r, WW_M_flops_tensor), balance->tensor);
  put_figure(b, "Integer operations", known(r, WW_M_int_ops), balance->integer);
}

/* ---- all of it ---- */

static const char *example_text(const ww_roofline_question *q,
                                const example *x,
                                const way *w,
                                ww_arena *a) {
  ww_buf b = {0};
  put_gpu(&b, q->gpu, &q->balance);
  put_launch(&b, x->kernel, x->grid, x->block);
  put_source(&b, x->language, x->source, x->kernel);
  ww_buf_puts(&b, w->closing);
  return ww_buf_text(&b, a);
}

static const char *
question_text(const ww_roofline_question *q, const way *w, ww_arena *a) {
  ww_buf b = {0};
  put_gpu(&b, q->gpu, &q->balance);
  put_launch(&b, q->kernel, *q->grid ? shape(q->grid, a) : NULL,
             *q->block ? shape(q->block, a) : NULL);
  if (q->arguments && *q->arguments)
    ww_buf_fmt(&b, "Arguments of the program: %s\n", q->arguments);
  if (w->source)
    put_source(&b, q->language, q->source, q->plain ? q->plain : q->kernel);
  if (w->figures)
    put_figures(&b, w->figures, w->figures == measured ? q->measured : q->predicted,
                &q->balance);
  ww_buf_puts(&b, w->closing);
  return ww_buf_text(&b, a);
}

void ww_roofline_messages(const ww_roofline_question *q,
                          ww_roofline_ask ask,
                          ww_arena *a,
                          ww_strings *out) {
  const way *w = &ways[ask];
  const char *language =
      q->language && !strcmp(q->language, "openmp") ? "openmp" : "cuda";
  *out = (ww_strings){0};
  ww_push(a, out, text_task);
  for (size_t k = 0; w->examples && k < WW_COUNT(examples); k++) {
    if (strcmp(examples[k].language, language))
      continue;
    ww_push(a, out, example_text(q, &examples[k], w, a));
    ww_push(a, out, ww_roofline_word(examples[k].is));
  }
  ww_push(a, out, question_text(q, w, a));
}

/* ---- the answer ---- */

/* Behind the last place that has the word, whatever its case; NULL: none has. */
static const char *behind_last(const char *text, const char *word) {
  const char *found = NULL;
  for (const char *at = text; (at = strcasestr(at, word)); at += strlen(word))
    found = at + strlen(word);
  return found;
}

static bool names(const char *text, const char *word) {
  for (const char *at = text; (at = strcasestr(at, word)); at++)
    if (at == text || !ww_is_word(at[-1]))
      return true;
  return false;
}

ww_bound ww_roofline_answer(const char *text) {
  const char *said = behind_last(text, "</think>");
  if (!said && strstr(text, "<think>"))
    return WW_BOUND_UNKNOWN; /* it never came to an end */
  said = said ? said : text;
  const char *answer = behind_last(said, "answer");
  for (int k = 0; k < 2; k++) {
    const char *in = k ? said : answer;
    bool bandwidth = in && names(in, "bandwidth");
    bool compute = in && names(in, "compute");
    if (bandwidth != compute)
      return bandwidth ? WW_BOUND_BANDWIDTH : WW_BOUND_COMPUTE;
  }
  return WW_BOUND_UNKNOWN;
}
