/* predict.c - questions to answers, and what a report says.
 *
 * A report's JSON is what the workspace keeps; here it is read once, into what the
 * functions give by value. */

#include "../base/jsonread.h"
#include "../report/report.h"
#include "api_int.h"

struct warpwise_report {
  ww_report report;
  const char *kernel, *gpu, *json;
  uint32_t line;
  bool known;
  uint32_t nlines;      /* of the report that are shown */
  const char **assumed; /* in words */
};

struct warpwise_answer {
  ww_arena *arena;
  warpwise_report *v;
  uint32_t n;
};

/* ---- the question ---- */

/* Flags of the launch go behind those of the source. */
static void add_flags(const ww_launch *l, ww_arena *a, ww_source *s) {
  ww_strings all = {0};
  ww_strings_add(a, &all, s->flags, s->nflags);
  ww_strings_add(a, &all, l->flags, l->nflags);
  s->flags = all.v;
  s->nflags = all.n;
}

/* The further files that a recorded launch names. */
static ww_status add_files(const warpwise_context *c,
                           const ww_launch *l,
                           ww_arena *a,
                           ww_source *s,
                           ww_err *e) {
  ww_status st = WW_OK;
  s->more = WW_NEWN(a, const char *, l->nmore + 1);
  for (s->nmore = 0; s->nmore < l->nmore && !st; s->nmore++)
    st = ww_query_path(c->workspace, l->more[s->nmore], true, a, &s->more[s->nmore], e);
  return st;
}

static ww_status ask_of(const warpwise_context *c,
                        const warpwise_question *q,
                        ww_arena *a,
                        ww_query_request *out,
                        ww_err *e) {
  warpwise_source source = q->source;
  ww_launch *l = q->launch ? WW_NEW(a, ww_launch) : NULL;
  ww_status st = WW_OK;
  if (l)
    *l = q->launch->spec;
  if (l && !source.path && !source.text)
    source.path = l->file;
  bool own = l && source.path == l->file;
  *out = (ww_query_request){.kernel = q->kernel || !l ? q->kernel : l->kernel,
                            .launch = l,
                            .gpus = (const char **)q->gpus,
                            .ngpus = q->gpu_count,
                            .by = q->model == WARPWISE_MODEL_MACHINE ? "machine" : NULL,
                            .budget = q->budget,
                            .explain = q->explain,
                            .deadline = q->seconds > 0 ? ww_now() + q->seconds : 0,
                            .cancelled = q->cancellation.cancelled,
                            .ctx = q->cancellation.payload};
  if (!st && q->model != WARPWISE_MODEL_DEFAULT && q->model != WARPWISE_MODEL_MACHINE)
    st = ww_fail(e, WW_EUSAGE, "model: there is no number %d", (int)q->model);
  if (!st)
    st = ww_api_source(c, &source, a, &out->source, e);
  if (!st && own)
    st = add_files(c, l, a, &out->source, e);
  if (!st && l)
    add_flags(l, a, &out->source);
  return st;
}

/* ---- the answer ---- */

static const char *json_of(const ww_report *r, ww_arena *a) {
  ww_buf b = {0};
  ww_report_write(r, &(ww_json){.out = &b}, NULL, NULL);
  return ww_buf_text(&b, a);
}

/* All that it points to goes into the answer's arena: the context may be closed before.
 */
static warpwise_answer *
answer_of(const ww_query_result *told, bool explain, ww_arena *a) {
  warpwise_answer *x = WW_NEW(a, warpwise_answer);
  *x = (warpwise_answer){
      .arena = a, .v = WW_NEWN(a, warpwise_report, told->n), .n = told->n};
  for (uint32_t k = 0; k < told->n; k++) {
    const ww_query_answer *t = &told->v[k];
    warpwise_report *r = &x->v[k];
    ww_report_copy(&t->report, a, &r->report);
    r->kernel = ww_strdup(a, t->kernel);
    r->gpu = ww_strdup(a, t->gpu);
    r->json = json_of(&r->report, a);
    r->line = t->line;
    r->known = t->known;
    r->assumed = WW_NEWN(a, const char *, r->report.assumed.n);
    for (uint32_t i = 0; i < r->report.assumed.n; i++)
      r->assumed[i] = ww_assumption_text(&r->report.assumed.v[i], a);
    r->nlines = explain ? r->report.nlines : 0;
  }
  return x;
}

warpwise_status warpwise_predict(warpwise_context *context,
                                 const warpwise_question *question,
                                 warpwise_answer **out,
                                 warpwise_error *error) {
  ww_arena *a = ww_arena_new();
  ww_arena *scratch = ww_arena_new();
  ww_err e = {0};
  ww_query_request ask;
  ww_query_result told;
  *out = NULL;
  locale_t before = ww_api_enter();
  ww_status st = ask_of(context, question, scratch, &ask, &e);
  if (!st)
    st = ww_query_ask(context->workspace, &ask, scratch, &told, &e);
  if (!st)
    *out = answer_of(&told, question->explain, a);
  ww_api_leave(before);
  if (st) {
    ww_api_fail(&e, error);
    ww_arena_free(a);
  }
  ww_arena_free(scratch);
  return (warpwise_status)st;
}

void warpwise_answer_free(warpwise_answer *answer) {
  if (answer)
    ww_arena_free(answer->arena);
}

uint32_t warpwise_report_count(const warpwise_answer *answer) {
  return answer->n;
}

const warpwise_report *warpwise_report_at(const warpwise_answer *answer,
                                          uint32_t index) {
  return index < answer->n ? &answer->v[index] : NULL;
}

/* ---- reports ---- */

warpwise_status warpwise_report_status(const warpwise_report *report,
                                       warpwise_error *error) {
  return ww_api_fail(&report->report.error, error);
}

const char *warpwise_report_kernel(const warpwise_report *report) {
  return report->kernel;
}
const char *warpwise_report_gpu(const warpwise_report *report) {
  return report->gpu;
}
uint32_t warpwise_report_line(const warpwise_report *report) {
  return report->line;
}
bool warpwise_report_was_known(const warpwise_report *report) {
  return report->known;
}
const char *warpwise_report_roofline(const warpwise_report *report) {
  return report->report.roofline_class;
}
const char *warpwise_report_bottleneck(const warpwise_report *report) {
  return report->report.bottleneck;
}
const char *warpwise_report_json(const warpwise_report *report) {
  return report->json;
}

const char *warpwise_report_model(const warpwise_report *report) {
  return report->report.error.code ? NULL : ww_by_names[report->report.by];
}

/* ---- metrics ---- */

/* The interface's numbers never change, whatever becomes of metrics.def. */
static const uint8_t metrics[] = {
    [WARPWISE_TIME_US] = WW_M_time_us,
    [WARPWISE_DRAM_READ_BYTES] = WW_M_dram_read_bytes,
    [WARPWISE_DRAM_WRITE_BYTES] = WW_M_dram_write_bytes,
    [WARPWISE_DRAM_GBPS] = WW_M_dram_gbps,
    [WARPWISE_L1_HIT_PCT] = WW_M_l1_hit_pct,
    [WARPWISE_L2_HIT_PCT] = WW_M_l2_hit_pct,
    [WARPWISE_L2_BYTES] = WW_M_l2_bytes,
    [WARPWISE_OCCUPANCY_PCT] = WW_M_occupancy_pct,
    [WARPWISE_OCCUPANCY_LIMIT_PCT] = WW_M_occupancy_limit_pct,
    [WARPWISE_REGISTERS] = WW_M_registers,
    [WARPWISE_SHARED_BYTES] = WW_M_shared_bytes,
    [WARPWISE_LOCAL_BYTES] = WW_M_local_bytes,
    [WARPWISE_WARP_INSTRUCTIONS] = WW_M_warp_instructions,
    [WARPWISE_ACTIVE_LANES] = WW_M_active_lanes,
    [WARPWISE_FLOPS_FP64] = WW_M_flops_fp64,
    [WARPWISE_FLOPS_FP32] = WW_M_flops_fp32,
    [WARPWISE_FLOPS_FP16] = WW_M_flops_fp16,
    [WARPWISE_FLOPS_TENSOR] = WW_M_flops_tensor,
    [WARPWISE_INT_OPS] = WW_M_int_ops,
    [WARPWISE_GFLOPS] = WW_M_gflops,
    [WARPWISE_SM_CLOCK_MHZ] = WW_M_sm_clock_mhz,
    [WARPWISE_AI] = WW_M_ai,
    [WARPWISE_LD_SECTORS_PER_REQUEST] = WW_M_ld_sectors_per_request,
    [WARPWISE_ST_SECTORS_PER_REQUEST] = WW_M_st_sectors_per_request,
    [WARPWISE_SHARED_CONFLICT_WAYS] = WW_M_shared_conflict_ways,
};
enum { NMETRICS = sizeof metrics };
_Static_assert(sizeof metrics == WW_NMETRICS,
               "a new metric goes to the end of warpwise_metric and of this table");

static warpwise_quantity quantity(const warpwise_report *r, int m) {
  const ww_quantity *q = &r->report.m[m];
  return (warpwise_quantity){q->known, q->interval, q->value, q->low, q->high};
}

warpwise_quantity warpwise_report_metric(const warpwise_report *report,
                                         warpwise_metric metric) {
  return (unsigned)metric < NMETRICS ? quantity(report, metrics[metric])
                                     : (warpwise_quantity){0};
}

warpwise_quantity warpwise_report_metric_named(const warpwise_report *report,
                                               const char *name) {
  int m = ww_metric_named(name);
  return m >= 0 ? quantity(report, m) : (warpwise_quantity){0};
}

uint32_t warpwise_metric_count(void) {
  return NMETRICS;
}

warpwise_metric_info warpwise_metric_at(uint32_t metric) {
  if (metric >= NMETRICS)
    return (warpwise_metric_info){0};
  const ww_metric_info *m = &ww_metrics[metrics[metric]];
  return (warpwise_metric_info){m->name, m->unit, m->meaning};
}

/* ---- lists ---- */

uint32_t warpwise_assumption_count(const warpwise_report *report) {
  return report->report.assumed.n;
}

const char *warpwise_assumption_at(const warpwise_report *report, uint32_t index) {
  return index < report->report.assumed.n ? report->assumed[index] : NULL;
}

uint32_t warpwise_finding_count(const warpwise_report *report) {
  return report->report.nfindings;
}

warpwise_finding warpwise_finding_at(const warpwise_report *report, uint32_t index) {
  if (index >= report->report.nfindings)
    return (warpwise_finding){0};
  const ww_finding *f = &report->report.findings[index];
  return (warpwise_finding){f->rule, f->message, f->file, f->line, f->gain};
}

uint32_t warpwise_line_count(const warpwise_report *report) {
  return report->nlines;
}

warpwise_line warpwise_line_at(const warpwise_report *report, uint32_t index) {
  if (index >= report->nlines)
    return (warpwise_line){0};
  const ww_report_line *l = &report->report.lines[index];
  return (warpwise_line){.file = l->file,
                         .line = l->line,
                         .share = l->share,
                         .instructions = l->instructions,
                         .bytes = l->bytes};
}
