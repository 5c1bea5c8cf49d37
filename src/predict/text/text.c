/* text.c - questions to a language model and its answers as reports.
 *
 * Workload: one question from an editor (some 10 ms), or thousands of an evaluation,
 * BATCH at a time. A question that is longer than the model's context loses its middle,
 * as in training.
 * Numbers come from the regression head; write.c has what the model writes. */
#include "text_int.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../base/jsonread.h"
#include "../learn/score.h"
#include "../model/predict.h"

enum { BATCH = 16, FEW = 4 };
/* half of 90 % of a Laplace distribution in scales, which the head gives: ln 10 */
static const double WIDTH90 = 2.303;

/* ---- passes ---- */

void ww_text_pass_add(
    ww_text_pass *p, ww_arena *a, int32_t token, uint32_t sequence, bool wanted) {
  ww_push(a, &p->token, token);
  ww_push(a, &p->sequence, sequence);
  ww_push(a, &p->wanted, wanted);
}

ww_status ww_text_pass_run(const ww_text_pass *p,
                           ww_lm_session *s,
                           const float *features,
                           float *logits,
                           float *numbers,
                           ww_err *e) {
  ww_lm_pass all = {.n = p->token.n,
                    .token = p->token.v,
                    .sequence = p->sequence.v,
                    .wanted = p->wanted.v,
                    .features = features};
  return all.n ? ww_lm_run(s, &all, logits, numbers, e) : WW_OK;
}

struct ww_text {
  ww_arena *arena;
  ww_lm *lm;
  const ww_tokenizer *tokenizer;
  ww_text_grammar *grammar;
  ww_lm_session *session;
  uint32_t sequences; /* that the session has room for */
  uint32_t context;   /* tokens of a sequence here */
  double scale;       /* of intervals, by calibration */
  /* deviations that the time told lies below the median, by calibration */
  double caution;
};

/* ---- the model ---- */

/* "check" of the side file: over the weights and what stands beside them. A flipped bit
 * in either is still a model. */
static ww_status
check(const ww_text *t, const char *path, const cJSON *side, ww_err *e) {
  const cJSON *said = cJSON_GetObjectItemCaseSensitive(side, "check");
  const double beside[] = {t->scale, t->caution};
  struct stat st;
  char is[17] = "";
  if (!said)
    return WW_OK;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  void *at = fd >= 0 && !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size
                 ? mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0)
                 : MAP_FAILED;
  if (fd >= 0)
    close(fd);
  if (at == MAP_FAILED)
    return ww_fail(e, WW_EIO, "cannot read '%s'", path);
  uint64_t sum = ww_hash(at, st.st_size, ww_hash(beside, sizeof beside, 0));
  munmap(at, st.st_size);
  snprintf(is, sizeof is, "%016llx", (unsigned long long)sum);
  if (cJSON_IsString(said) && !strcmp(said->valuestring, is))
    return WW_OK;
  return ww_fail(
      e, WW_EDATA,
      "%s and its .json do not fit the checksum in there: one is damaged, get them "
      "again; for a new model write \"check\":\"%s\"",
      path, is);
}

static double member(const cJSON *j, const char *name) { /* NaN: no number */
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(j, name);
  return cJSON_IsNumber(v) ? v->valuedouble : NAN;
}

static ww_status read_side(ww_text *t, const char *path, ww_err *e) {
  size_t n = strlen(path);
  size_t size;
  bool gguf = n > 5 && !strcmp(path + n - 5, ".gguf");
  const char *side = ww_fmt(t->arena, "%.*s.json", (int)(gguf ? n - 5 : n), path);
  char *text;
  t->scale = 1;
  t->caution = 0;
  if (!ww_file_exists(side))
    return WW_OK;
  ww_status st = ww_read_file(t->arena, side, 1 << 20, &text, &size, e);
  cJSON *j = st ? NULL : ww_json_read(text, size, e);
  if (!j)
    return e->code;
  uint64_t version = ww_json_whole(j, "question_version");
  double scale = member(j, "interval_scale");
  double caution = member(j, "time_caution");
  if (scale > 0 && scale < 100)
    t->scale = scale;
  if (fabs(caution) < 4)
    t->caution = caution;
  st = gguf ? check(t, path, j, e) : WW_OK;
  cJSON_Delete(j);
  if (st)
    return st;
  if (version && (version < WW_QUESTION_OLDEST || version > WW_QUESTION_VERSION))
    return ww_fail(
        e, WW_EDATA,
        "%s was trained on questions of version %llu, this program asks versions %d to "
        "%d: take the model that came with it",
        path, (unsigned long long)version, WW_QUESTION_OLDEST, WW_QUESTION_VERSION);
  return WW_OK;
}

/* Does it have the heads and tokens that our questions need? */
static ww_status fits(const ww_text *t, const char *path, ww_err *e) {
  const ww_lm_config *c = ww_lm_config_of(t->lm);
  const char *what = !t->tokenizer               ? "has no tokenizer"
                     : c->numbers != WW_NMETRICS ? "has no head for our metrics"
                     : (c->features != WW_QUESTION_FEATURES &&
                        c->features != WW_QUESTION_SOURCE_FEATURES) ||
                             c->feature_tokens != WW_QUESTION_FEATURE_TOKENS
                         ? "does not take our features"
                     : ww_tokenizer_id(t->tokenizer, WW_QUESTION_END) < 0
                         ? "does not know " WW_QUESTION_END
                     : ww_tokenizer_id(t->tokenizer, WW_QUESTION_FEATURE) < 0
                         ? "does not know " WW_QUESTION_FEATURE
                     : c->context < WW_TEXT_JSON_ROOM + WW_TEXT_WHY_ROOM + 64
                         ? "has too short a context"
                         : NULL;
  if (!what)
    return WW_OK;
  return ww_fail(
      e, WW_EDATA,
      "%s %s: it was not trained on `warpwise dataset export --as questions`; "
      "docs/text-model.md has the commands",
      path, what);
}

ww_status ww_text_open(const char *path, uint32_t threads, ww_text **out, ww_err *e) {
  ww_text *t = ww_xcalloc(1, sizeof *t);
  t->arena = ww_arena_new();
  *out = NULL;
  ww_status st = WW_OK;
  if (!path) {
    const char *dir = ww_data_dir(t->arena);
    path = ww_path_join(t->arena, dir ? dir : ".", "models/text.gguf");
    if (!ww_file_exists(path))
      st = ww_fail(e, WW_EDEVICE,
                   "there is no language model at %s: name one with --model PATH, or "
                   "train one as "
                   "docs/text-model.md says (`--by grounded` needs none)",
                   path);
  }
  if (!st)
    st = read_side(t, path, e);
  if (!st)
    st = ww_lm_open(path, &(ww_lm_options){.threads = threads, .weights = WW_NDTYPE},
                    &t->lm, e);
  if (!st) {
    t->tokenizer = ww_lm_tokenizer(t->lm);
    st = fits(t, path, e);
  }
  if (!st) {
    t->context = fmin(ww_lm_config_of(t->lm)->context, 2048);
    t->grammar = ww_text_grammar_new(t->tokenizer, t->arena);
  }
  if (st)
    ww_text_close(t);
  else
    *out = t;
  return st;
}

void ww_text_close(ww_text *t) {
  if (!t)
    return;
  ww_lm_session_free(t->session);
  ww_lm_close(t->lm);
  ww_arena_free(t->arena);
  free(t);
}

/* ---- asking ---- */

/* Both ends of a question that is too long. */
static void add_question(const ww_text *t,
                         const ww_text_question *q,
                         uint32_t sequence,
                         bool json,
                         ww_arena *a,
                         ww_text_pass *p) {
  ww_tokens all = {0};
  ww_tokenizer_encode(t->tokenizer, q->text, q->n, true, a, &all);
  uint32_t why = q->form == WW_EVIDENCE_TRACED ? WW_TEXT_WHY_ROOM : 0;
  uint32_t most = t->context - (json ? WW_TEXT_JSON_ROOM + why : 1);
  uint32_t head = all.n <= most ? all.n : most / 2;
  uint32_t tail = all.n <= most ? 0 : most - head;
  for (uint32_t i = 0; i < head + tail; i++)
    ww_text_pass_add(p, a, all.v[i < head ? i : all.n - tail + (i - head)], sequence,
                     i + 1 == head + tail);
}

static ww_status read_json(ww_text_answer *x, ww_err *e) {
  cJSON *j = ww_json_read(x->text, strlen(x->text), e);
  if (!j)
    return e->code;
  for (int m = 0; m < WW_NMETRICS; m++)
    x->json[m] = member(j, ww_metrics[m].name);
  cJSON_Delete(j);
  return WW_OK;
}

static ww_status ask_batch(ww_text *t,
                           const ww_text_question *q,
                           uint32_t n,
                           bool json,
                           ww_arena *a,
                           ww_text_answer *out,
                           ww_err *e) {
  uint32_t vocab = ww_lm_config_of(t->lm)->vocab;
  size_t nlogits = (size_t)n * vocab;
  uint32_t nfeatures = ww_lm_config_of(t->lm)->features;
  float *features = WW_NEWN(a, float, (size_t)n *nfeatures);
  float *numbers = WW_NEWN(a, float, (size_t)n * 2 * WW_NMETRICS);
  float *logits = json ? WW_NEWN(a, float, nlogits) : NULL;
  ww_text_pass p = {0};
  for (uint32_t i = 0; i < n; i++) {
    ww_lm_session_clear(t->session, i);
    add_question(t, &q[i], i, json, a, &p);
    memcpy(features + (size_t)i * nfeatures, q[i].features,
           nfeatures * sizeof *q->features);
  }
  ww_status st = ww_text_pass_run(&p, t->session, features, logits, numbers, e);
  for (uint32_t i = 0; i < n; i++)
    out[i].text = out[i].why = NULL;
  if (!st && json)
    st = ww_text_write(&(ww_text_writing){t->grammar, t->session, vocab, n, logits, q},
                       out, a, e);
  for (uint32_t i = 0; i < n && !st; i++) {
    ww_text_answer *x = &out[i];
    x->form = q[i].form;
    const float *v = numbers + (size_t)i * 2 * WW_NMETRICS;
    for (int m = 0; m < WW_NMETRICS; m++) {
      x->number[m] = v[m] + q[i].base[m];
      x->spread[m] = v[WW_NMETRICS + m];
      x->json[m] = NAN;
    }
    if (json)
      st = read_json(x, e);
  }
  return st;
}

/* One question does not pay for the keys and values of many. */
static ww_status room_for(ww_text *t, uint32_t n, ww_err *e) {
  if (t->session && n <= t->sequences)
    return WW_OK;
  ww_lm_session_free(t->session);
  t->session = NULL;
  t->sequences = n > 1 ? BATCH : 1;
  return ww_lm_session_new(t->lm, t->sequences, t->context, &t->session, e);
}

/* ---- the report ---- */

static void limit(ww_report *r, ww_metric m, double least, double most) {
  if (r->m[m].known)
    r->m[m].value = fmin(fmax(r->m[m].value, least), most);
}

/* What a rate allows in that time; a rate that nobody knows allows all. */
static double in_time(double a_us, double us) {
  return isfinite(a_us) && isfinite(us) ? a_us * us : INFINITY;
}

static void scale(ww_report *r, ww_metric m, double by) {
  if (r->m[m].known)
    r->m[m].value *= by;
}

/* What DRAM moves is cut to what it can; what is read from it comes through L2. */
static void bytes_under_roofs(ww_report *r, const ww_gpu *g, double us) {
  double bytes = ww_report_dram(r);
  double most = in_time(g->dram_peak * 1e3, us);
  if (bytes > most) {
    scale(r, WW_M_dram_read_bytes, most / bytes);
    scale(r, WW_M_dram_write_bytes, most / bytes);
  }
  double read = ww_report_value(r, WW_M_dram_read_bytes);
  limit(r, WW_M_l2_bytes, read, fmax(read, in_time(g->l2_gbps * 1e3, us)));
}

static double tensor_peak(const ww_gpu *g) {
  const double peaks[] = {g->peak_tensor_fp64, g->peak_tensor_tf32,
                          g->peak_tensor_fp16, g->peak_tensor_bf16,
                          g->peak_tensor_fp8,  g->peak_tensor_int8};
  double most = NAN;
  for (size_t i = 0; i < sizeof peaks / sizeof *peaks; i++)
    most = fmax(most, peaks[i]);
  return most;
}

static void flops_under_roofs(ww_report *r, const ww_gpu *g, double us) {
  const double peaks[] = {g->peak_fp64, g->peak_fp32, g->peak_fp16, tensor_peak(g)};
  for (int m = WW_M_flops_fp64; m <= WW_M_flops_tensor; m++)
    limit(r, m, 0, in_time(peaks[m - WW_M_flops_fp64] * 1e6, us));
}

/* Instructions of threads that the operations need at least: a multiply-add counts two,
 * a pair of halves four. */
static double needed(const ww_report *r, const ww_gpu *g) {
  double packed = g->fp32_packing > 1 ? g->fp32_packing : 1;
  return ww_report_value(r, WW_M_int_ops) + ww_report_value(r, WW_M_flops_fp64) / 2 +
         ww_report_value(r, WW_M_flops_fp32) / (2 * packed) +
         ww_report_value(r, WW_M_flops_fp16) / 4;
}

/* Each scheduler issues one instruction a cycle, and there are no operations without
 * instructions: these become more as far as the time allows, then operations less. */
static void instructions_under_roofs(ww_report *r, const ww_gpu *g, double us) {
  static const ww_metric operations[] = {WW_M_int_ops, WW_M_flops_fp64, WW_M_flops_fp32,
                                         WW_M_flops_fp16};
  ww_quantity *warps = &r->m[WW_M_warp_instructions];
  double lanes =
      r->m[WW_M_active_lanes].known ? r->m[WW_M_active_lanes].value : g->lanes;
  if (!warps->known)
    return;
  double most = in_time(g->sms * g->subcores * g->boost_mhz, us);
  double least = needed(r, g) / lanes;
  warps->value = fmin(fmax(warps->value, least), most);
  for (size_t i = 0; least > most && i < sizeof operations / sizeof *operations; i++)
    scale(r, operations[i], most / least);
}

/* Counts that the time would not allow are cut down to what it does. */
static void under_roofs(ww_report *r, const ww_gpu *g) {
  double us = ww_report_value(r, WW_M_time_us);
  bytes_under_roofs(r, g, us);
  flops_under_roofs(r, g, us);
  instructions_under_roofs(r, g, us);
}

static void bounded(ww_report *r, const ww_gpu *g) {
  static const ww_metric shares[] = {WW_M_l1_hit_pct, WW_M_l2_hit_pct,
                                     WW_M_occupancy_pct, WW_M_occupancy_limit_pct};
  for (size_t i = 0; i < sizeof shares / sizeof *shares; i++)
    limit(r, shares[i], 0, 100);
  if (r->m[WW_M_occupancy_limit_pct].known)
    limit(r, WW_M_occupancy_pct, 0, r->m[WW_M_occupancy_limit_pct].value);
  limit(r, WW_M_active_lanes, 1, g->lanes);
  limit(r, WW_M_registers, 1,
        isfinite(g->max_thread_registers) ? g->max_thread_registers : 255);
  limit(r, WW_M_sm_clock_mhz, 100, isfinite(g->boost_mhz) ? g->boost_mhz : 10000);
  limit(r, WW_M_ld_sectors_per_request, 0, g->lanes);
  limit(r, WW_M_st_sectors_per_request, 0, g->lanes);
  limit(r, WW_M_shared_conflict_ways, 0, g->lanes);
  static const ww_metric whole[] = {WW_M_registers, WW_M_shared_bytes,
                                    WW_M_local_bytes};
  for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
    if (r->m[whole[i]].known)
      r->m[whole[i]].value = round(r->m[whole[i]].value);
}

void ww_text_report(const ww_text *t,
                    const ww_text_answer *x,
                    const ww_gpu *g,
                    ww_arena *a,
                    ww_report *out) {
  double deviation = exp(fmin(fmax(x->spread[WW_M_time_us], -5), 5));
  double spread = WIDTH90 * (t ? t->scale : 1) * deviation;
  float mean = x->number[WW_M_time_us];
  double caution = (t ? t->caution : 0) * deviation;
  double point = mean - fmin(fmax(caution, -spread), spread);
  *out = (ww_report){.gpu = g->name, .by = WW_BY_TEXT};
  for (int m = 0; m < WW_NMETRICS; m++) {
    double v = x->text ? x->json[m] : ww_question_value(m, x->number[m]);
    bool counted =
        !strcmp(ww_metrics[m].unit, "byte") || ww_starts(ww_metrics[m].name, "flops_");
    if (counted && v < FEW)
      v = 0; /* a logarithm is never quite at zero */
    if (isfinite(v) && m != WW_M_time_us)
      ww_report_set(out, m, fmax(v, 0));
  }
  out->m[WW_M_time_us] =
      (ww_quantity){.known = true,
                    .interval = true,
                    .value = ww_question_value(WW_M_time_us, point),
                    .low = ww_question_value(WW_M_time_us, mean - spread),
                    .high = ww_question_value(WW_M_time_us, mean + spread)};
  bounded(out, g);
  under_roofs(out, g);
  out->m[WW_M_ai].known = false;
  ww_report_derive(g, out);
  static const ww_assumption_kind known_by[WW_NEVIDENCES] = {
      WW_ASSUME_LANGUAGE_MODEL, WW_ASSUME_MODEL_COMPILED, WW_ASSUME_MODEL_TRACED};
  ww_push(a, &out->assumed, (ww_assumption){.kind = known_by[x->form]});
}

/* ---- both ---- */

static ww_status
knows_forms(const ww_text *t, const ww_text_question *q, uint32_t n, ww_err *e) {
  bool all = ww_lm_config_of(t->lm)->features == WW_QUESTION_FEATURES;
  for (uint32_t i = 0; i < n && !all; i++)
    if (q[i].form)
      return ww_fail(
          e, WW_EDATA,
          "this model was trained on the source alone and takes no evidence: "
          "leave out --evidence, or take another with --model");
  return WW_OK;
}

ww_status ww_text_ask(ww_text *t,
                      const ww_text_question *q,
                      uint32_t n,
                      bool json,
                      ww_arena *a,
                      ww_text_answer *out,
                      ww_err *e) {
  ww_status st = knows_forms(t, q, n, e);
  if (!st && n)
    st = room_for(t, n < BATCH ? n : BATCH, e);
  for (uint32_t i = 0; i < n && !st; i += BATCH) {
    ww_arena *scratch = ww_arena_new();
    uint32_t m = n - i < BATCH ? n - i : BATCH;
    st = ask_batch(t, q + i, m, json, scratch, out + i, e);
    for (uint32_t k = i; k < i + m; k++) {
      out[k].text = !st && out[k].text ? ww_strdup(a, out[k].text) : NULL;
      out[k].why = !st && out[k].why ? ww_strdup(a, out[k].why) : NULL;
      if (!st)
        ww_text_report(t, &out[k], q[k].gpu, a, &out[k].report);
    }
    ww_arena_free(scratch);
  }
  return st;
}
