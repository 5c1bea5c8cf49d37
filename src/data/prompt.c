/* prompt.c - a measured launch as a question and its answer, in the forms that the
 * papers train language models on.
 *
 *   counters  source, GPU, compiler and launch -> all counters as one JSON object (as
 * Omniwise) time      source in a fence, a line per argument, global and local size ->
 * log2 of the time in us (as LLMPerf); roofline  the zero-shot question of
 * roofline.def -> bandwidth or compute, by the rule of docs/evaluation.md
 *
 * Four significant digits: a label holds no more than the measurement's noise, and
 * every digit is a token. */
#include <inttypes.h>
#include <math.h>

#include "../base/json_put.h"
#include "export_int.h"
#include "roofline.h"
#include "text.h"

static const char system_counters[] = "You are a performance model of GPUs. You are "
                                      "given a GPU, the source of a kernel and one "
                                      "launch of it. Answer with one JSON object: "
                                      "the hardware counters of this launch with cold "
                                      "caches, names as keys, numbers as values.";
static const char system_time[] =
    "You are a performance model of GPUs. You are given the source of a kernel, its "
    "arguments and "
    "its global and local size. Answer with "
    "one number: the base-2 logarithm of the execution time in microseconds.";

/* ---- the question ---- */

static void fence(ww_buf *b, const char *language, const char *source) {
  size_t n = strlen(source);
  ww_buf_fmt(b, "```%s\n%s%s```\n", language, source,
             n && source[n - 1] == '\n' ? "" : "\n");
}

static void
argument(ww_buf *b, uint32_t at, const ww_arg *g, const ww_param_text *p, ww_arena *a) {
  ww_buf_fmt(b, "Argument %u: %s", at, *p->name ? p->name : "?");
  if (*p->qualifiers)
    ww_buf_fmt(b, ", %s", p->qualifiers);
  ww_buf_fmt(b, ", %s, ", *p->type ? p->type : "?");
  if (g->kind != WW_ARG_BUFFER) {
    ww_buf_fmt(b, "value %s\n", ww_arg_text(g, p->type, a));
    return;
  }
  uint64_t n = ww_arg_elements(g, p->type);
  ww_buf_fmt(b, "%s of %" PRIu64 " bytes", g->buffer.local ? "local memory" : "buffer",
             g->buffer.bytes);
  if (n)
    ww_buf_fmt(b, " (%" PRIu64 " elements)", n);
  ww_buf_puts(b, "\n");
}

static void arguments(ww_buf *b, const ww_exported *x, const char *source) {
  ww_param_text *p;
  ww_param_text unnamed = {"", "", ""};
  uint32_t n = ww_params_of_text(source, x->launch->kernel, x->arena, &p);
  for (uint32_t k = 0; k < x->launch->nargs; k++)
    argument(b, k, &x->launch->args[k], k < n ? &p[k] : &unnamed, x->arena);
}

static void ask_time(ww_buf *b, const ww_exported *x, const char *source) {
  const uint64_t *g = x->row->grid;
  const uint64_t *l = x->row->block;
  fence(b, "", source);
  arguments(b, x, source);
  ww_buf_fmt(b,
             "Global size: %" PRIu64 " %" PRIu64 " %" PRIu64 "\nLocal size: %" PRIu64
             " %" PRIu64 " %" PRIu64 "\n",
             g[0] * l[0], g[1] * l[1], g[2] * l[2], l[0], l[1], l[2]);
}

static void describe_gpu(ww_buf *b, const ww_exported *x) {
  const ww_gpu *g = x->gpu;
  if (!g) {
    ww_buf_fmt(b, "GPU: %s\n",
               x->row->device ? x->row->device
               : x->row->gpu  ? x->row->gpu
                              : "?");
    return;
  }
  ww_buf_fmt(b, "GPU: %s (%s), %u SMs", g->full_name ? g->full_name : g->name,
             g->architecture, g->sms);
  if (isfinite(g->l2_bytes))
    ww_buf_fmt(b, ", L2 %.3g MB", g->l2_bytes / 1e6);
  ww_buf_puts(b, "\n");
}

static void ask_counters(ww_buf *b, const ww_exported *x, const char *source) {
  const ww_store_row *r = x->row;
  const ww_launch *l = x->launch;
  describe_gpu(b, x);
  if (r->compiler)
    ww_buf_fmt(b, "Compiler: %s\n", r->compiler);
  ww_buf_fmt(b, "Flags:%s\n", l->nflags ? ww_text_flags(l, x->arena) : " none");
  ww_buf_fmt(b, "Kernel: %s\n", r->kernel.name);
  ww_buf_fmt(b,
             "Grid: %" PRIu64 " x %" PRIu64 " x %" PRIu64 " blocks\nBlock: %" PRIu64
             " x %" PRIu64 " x %" PRIu64 " threads\nDynamic shared "
             "memory: %" PRIu64 " bytes\n",
             r->grid[0], r->grid[1], r->grid[2], r->block[0], r->block[1], r->block[2],
             l->shared);
  arguments(b, x, source);
  fence(b,
        !r->kernel.dialect                     ? ""
        : !strcmp(r->kernel.dialect, "opencl") ? "opencl"
                                               : "cuda",
        source);
}

/* ---- the answer ---- */

static double digits4(double v) {
  char text[32];
  double back = v;
  snprintf(text, sizeof text, "%.4g", v);
  sscanf(text, "%lf", &back);
  return back;
}

static void answer_counters(ww_buf *b, const ww_store_row *r) {
  ww_json j = {.out = b};
  ww_json_obj(&j);
  for (int m = 0; m < WW_NMETRICS; m++)
    if (isfinite(r->m[m]))
      ww_json_knum(&j, ww_metrics[m].name, digits4(r->m[m]));
  ww_json_end_obj(&j);
}

/* Question and answer; false: the launch's class is not known. */
static bool roofline(const ww_exported *x,
                     const char *source,
                     ww_buf *question,
                     ww_buf *answer,
                     const char **system) {
  const ww_store_row *r = x->row;
  ww_roofline_question q = {.kernel = r->kernel.name,
                            .language = r->kernel.dialect,
                            .gpu = x->gpu,
                            .source = source};
  ww_report *measured = WW_NEW(x->arena, ww_report);
  ww_strings said;
  if (!x->gpu)
    return false;
  for (int m = 0; m < WW_NMETRICS; m++)
    if (isfinite(r->m[m]))
      ww_report_set(measured, m, r->m[m]);
  ww_balance_of(x->gpu, &q.balance);
  ww_bound is = ww_bound_of(measured, &q.balance);
  memcpy(q.grid, r->grid, sizeof q.grid);
  memcpy(q.block, r->block, sizeof q.block);
  ww_roofline_messages(&q, WW_ROOFLINE_ZERO_SHOT, x->arena, &said);
  *system = said.v[0];
  ww_buf_puts(question, said.v[1]);
  ww_buf_puts(answer, ww_roofline_word(is));
  return is != WW_BOUND_UNKNOWN;
}

/* ---- one line ---- */

bool ww_prompt_write(const ww_exported *x,
                     const char *source,
                     ww_query_request ask,
                     bool raw,
                     ww_buf *out) {
  ww_buf question = {0};
  ww_buf answer = {0};
  ww_json j = {.out = out};
  const char *system = system_counters;
  bool known = true;
  if (ask == WW_ASK_ROOFLINE)
    known = roofline(x, source, &question, &answer, &system);
  else if (ask == WW_ASK_TIME) {
    system = system_time;
    ask_time(&question, x, source);
    ww_buf_fmt(&answer, "%.4f", log2(x->row->m[WW_M_time_us]));
  } else {
    ask_counters(&question, x, source);
    answer_counters(&answer, x->row);
  }
  if (known && raw)
    ww_json_put(&j, "{prompt:%s,completion:%s}", question.s, answer.s);
  else if (known)
    ww_json_put(&j,
                "{messages:[{role:'system',content:%s},{role:'user',content:%s},"
                "{role:'assistant',content:%s}]}",
                system, question.s, answer.s);
  if (known)
    ww_buf_puts(out, "\n");
  ww_buf_free(&question);
  ww_buf_free(&answer);
  return known;
}
