/* train_state.c - what a checkpoint knows of a training besides its values: the place
 * in the data, the schedule, and whose data and model they are. */
#include "train.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "../base/json_put.h"
#include "../base/jsonread.h"

/* One member of the plan that a checkpoint remembers. exact: another value is another
 * training. */
typedef struct {
  const char *name, *option;
  size_t at;
  enum { U32, U64, F32 } kind;
  bool exact;
} remembered;

#define AT(m) offsetof(ww_lm_plan, m)
static const remembered table[] = {
    {"seed", "--seed", AT(seed), U64, true},
    {"tokens", "--tokens", AT(tokens), U32, true},
    {"number_weight", "--number-weight", AT(number_weight), F32, false},
    {"noise", "--noise", AT(noise), F32, false},
    {"average", "--average", AT(average), F32, true},
    {"lr", "--lr", AT(lr), F32, false},
    {"lr_least", "--lr-least", AT(lr_least), F32, false},
    {"warmup", "--warmup", AT(warmup), U64, false},
    {"decay", "--decay", AT(decay), F32, false},
    {"clip", "--clip", AT(clip), F32, false},
    {"beta1", "--beta1", AT(beta1), F32, false},
    {"beta2", "--beta2", AT(beta2), F32, false},
};
enum { NTABLE = sizeof table / sizeof *table };

static double value_of(const ww_lm_plan *p, const remembered *m) {
  const char *at = (const char *)p + m->at;
  return m->kind == U32   ? *(const uint32_t *)at
         : m->kind == U64 ? (double)*(const uint64_t *)at
                          : *(const float *)at;
}

const char *ww_lm_plan_member(const ww_lm_plan *p, uint32_t k, double *value) {
  if (k >= NTABLE)
    return NULL;
  *value = value_of(p, table + k);
  return table[k].option;
}

void ww_lm_state_write(const ww_lm_plan *p,
                       const ww_lm_place *at,
                       uint64_t data,
                       ww_buf *json) {
  ww_json j = {0};
  char data_hash[20];
  char model_hash[20];
  snprintf(data_hash, sizeof data_hash, "%016" PRIx64, data);
  snprintf(model_hash, sizeof model_hash, "%016" PRIx64, p->model);
  ww_json_begin(&j, json);
  ww_json_put(&j, "{epoch:%lu,row:%lu,steps:%lu,best:%g,best_step:%lu,worse:%u",
              at->epoch, at->row, at->steps, at->best, at->best_step, at->worse);
  ww_json_put(&j, "data:%s,model:%s,rows:%lu", data_hash, model_hash,
              ww_lm_step_rows(p));
  for (int k = 0; k < NTABLE; k++)
    ww_json_knum(&j, table[k].name, value_of(p, table + k));
  ww_json_end_obj(&j);
}

static bool same_hash(const cJSON *s, const char *key, uint64_t v) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(s, key);
  return cJSON_IsString(n) && strtoull(n->valuestring, NULL, 16) == v;
}

static ww_status check_same(
    const char *path, const cJSON *s, const ww_lm_plan *p, uint64_t data, ww_err *e) {
  uint64_t rows = ww_json_whole(s, "rows");
  if (!same_hash(s, "model", p->model))
    return ww_fail(e, WW_EDATA,
                   "%s is of another model (sizes, adapters or base weights): give the "
                   "options it began with",
                   path);
  if (!same_hash(s, "data", data))
    return ww_fail(e, WW_EDATA,
                   "%s was trained on other data (or another tokenizer or --tokens): "
                   "give --data as it was",
                   path);
  if (rows != ww_lm_step_rows(p))
    return ww_fail(e, WW_EDATA,
                   "%s has steps of %" PRIu64
                   " rows: --batch times --accumulate, times the ranks where there are "
                   "several, must be that",
                   path, rows);
  return WW_OK;
}

ww_status ww_lm_state_read(const char *path,
                           const void *state,
                           const ww_lm_plan *p,
                           uint64_t data,
                           ww_lm_place *at,
                           ww_buf *note,
                           ww_err *e) {
  const cJSON *s = state;
  ww_status st = check_same(path, s, p, data, e);
  for (int k = 0; !st && k < NTABLE; k++) {
    const cJSON *n = cJSON_GetObjectItemCaseSensitive(s, table[k].name);
    double was = cJSON_IsNumber(n) ? n->valuedouble : NAN;
    double now = value_of(p, table + k);
    if (was == now)
      continue;
    if (table[k].exact)
      st = ww_fail(e, WW_EDATA,
                   "%s has %s %.9g, not %.9g: give the options it began with", path,
                   table[k].option, was, now);
    else
      ww_buf_fmt(note, "%s%s was %.9g, is %.9g", note->n ? ", " : "", table[k].option,
                 was, now);
  }
  if (st)
    return st;
  const cJSON *best = cJSON_GetObjectItemCaseSensitive(s, "best");
  at->epoch = ww_json_whole(s, "epoch");
  at->row = ww_json_whole(s, "row");
  at->steps = ww_json_whole(s, "steps");
  at->best = cJSON_IsNumber(best) ? best->valuedouble : NAN;
  at->best_step = ww_json_whole(s, "best_step");
  at->worse = ww_json_whole(s, "worse");
  return WW_OK;
}

/* ---- the log ---- */

/* Lines of steps beyond the checkpoint are going to be written again. */
static ww_status keep_until(const char *path, uint64_t step, ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_buf kept = {0};
  char *text;
  char *next;
  ww_status st = ww_read_file(a, path, (size_t)1 << 32, &text, NULL, e);
  for (char *line = st ? NULL : text; line && *line; line = next) {
    next = strchr(line, '\n');
    if (!next)
      break; /* cut off in the middle */
    *next++ = 0;
    cJSON *row = ww_json_read(line, strlen(line), NULL);
    if (row && ww_json_whole(row, "step") <= step)
      ww_buf_fmt(&kept, "%s\n", line);
    cJSON_Delete(row);
  }
  if (!st)
    st = ww_write_file_atomic(path, kept.n ? kept.s : "", kept.n, e);
  ww_buf_free(&kept);
  ww_arena_free(a);
  return st;
}

ww_status
ww_lm_log_open(const char *path, bool resume, uint64_t step, FILE **out, ww_err *e) {
  *out = NULL;
  if (!path)
    return WW_OK;
  if (resume && ww_file_regular(path)) {
    ww_status st = keep_until(path, step, e);
    if (st)
      return st;
  }
  *out = fopen(path, resume ? "ae" : "we");
  return *out ? WW_OK
              : ww_fail(e, WW_EIO, "cannot write '%s': %s", path, strerror(errno));
}
