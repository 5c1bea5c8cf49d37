/* many.c - see many.h. An answer travels from its process as one JSON object, behind
 * it, after a NUL, the lines of the reports. */
#include "many.h"

#include <stdlib.h>

#include "../base/jsonread.h"
#include "../base/process_pool.h"

enum { MOST_OF_A_JOB = 32 };

typedef struct {
  ww_ask *x;
  const ww_launch *launches;
  uint32_t n;
  const ww_many_how *how;
  uint32_t *order,
      *begin; /* launches by job; where each job begins, one more at the end */
  uint32_t jobs;
  bool *done;
  ww_many_answer *answers;
  uint32_t told; /* so many were handed on */
} many;

/* ---- in a process of its own ---- */

static void write_error(const ww_err *e, ww_json *j) {
  ww_json_put(j, "error:{code:%u,message:%s,file?:%s,line?:%u,col?:%u}",
              (unsigned)e->code, e->msg, e->file, e->line, e->col);
}

static void write_time(const ww_prediction *p, const ww_prediction *warm, ww_json *j) {
  const ww_timing *t = &p->timing;
  ww_json_put(j, "{");
  if (p->report.error.code)
    write_error(&p->report.error, j);
  else
    ww_json_put(j, "us:%g,low:%g,high:%g,term:%u,bytes:%g", t->us, t->low, t->high,
                (unsigned)t->bottleneck, p->work.traffic.footprint);
  if (warm && !warm->report.error.code)
    ww_json_put(j, "warm:[%g,%g,%g]", warm->timing.us, warm->timing.low,
                warm->timing.high);
  ww_json_put(j, "}");
}

static const ww_buffer *buffer_of(const ww_launch *l, const ww_arg_counts *c) {
  if (c->arg >= 0 && (uint32_t)c->arg < l->nargs &&
      l->args[c->arg].kind == WW_ARG_BUFFER)
    return &l->args[c->arg].buffer;
  return NULL;
}

/* Allocations by their distinct sectors; one without a name is the launch's own. */
static void write_touched(const ww_prediction *p, ww_json *j) {
  const ww_tally *t = &p->trace.sampled.tally;
  const ww_launch *l = &p->trace.launch;
  double all = 0;
  for (uint32_t k = 0; k < t->nargs; k++)
    all += t->args[k].unique_sectors;
  ww_json_put(j, "touched:[");
  for (uint32_t k = 0; k < t->nargs; k++) {
    const ww_buffer *b = buffer_of(l, &t->args[k]);
    ww_json_put(j, "{id?:%s,share:%g}", b ? b->id : NULL,
                ww_ratio(t->args[k].unique_sectors, all));
  }
  ww_json_end_arr(j);
}

static void write_shape(const char *key, const uint64_t v[3], ww_json *j) {
  ww_json_put(j, "%s:[%lu,%lu,%lu]", key, v[0], v[1], v[2]);
}

static const ww_prediction *first_known(const ww_answers *a) {
  for (uint32_t g = 0; g < a->n; g++)
    if (!a->p[g].report.error.code)
      return &a->p[g];
  return a->p;
}

static void
write_answer(const many *m, const ww_answers *a, const ww_answers *warm, ww_buf *out) {
  ww_json j = {.out = out};
  const ww_prediction *p = first_known(a);
  bool same = warm->n == a->n;
  ww_json_put(&j, "{file?:%s,kernel:%s", a->launch.file, a->fn->name);
  write_shape("grid", p->trace.launch.grid, &j);
  write_shape("block", p->trace.launch.block, &j);
  ww_json_put(&j, "gpus:[");
  for (uint32_t g = 0; g < a->n; g++)
    write_time(&a->p[g], same ? &warm->p[g] : NULL, &j);
  ww_json_end_arr(&j);
  write_touched(p, &j);
  ww_assumptions_write(&p->report.assumed, &j);
  ww_assumptions_write_kinds(&p->report.assumed, &j);
  ww_json_end_obj(&j);
  ww_buf_add(out, "", 1);
  for (uint32_t g = 0; m->how->reports && g < a->n; g++)
    ww_report_text(&a->p[g].report, NULL, NULL, out);
}

static void
predict_one(const many *m, ww_cmd *c, ww_ask *x, uint32_t index, ww_buf *out) {
  ww_launch l = m->launches[index];
  ww_answers a;
  ww_answers warm = {0};
  c->err = (ww_err){0};
  c->file = l.file;
  c->kernel = l.kernel;
  l.nat = 0;
  if (ww_answers_make(x, &l, &a)) {
    ww_json j = {.out = out};
    ww_json_put(&j, "{file?:%s,kernel?:%s", c->file, c->kernel);
    write_shape("grid", l.grid, &j);
    write_shape("block", l.block, &j);
    write_error(&c->err, &j);
    ww_json_end_obj(&j);
    return;
  }
  l.warm = true;
  if (m->how->both && ww_answers_make(x, &l, &warm))
    warm = (ww_answers){0};
  write_answer(m, &a, &warm, out);
  ww_answers_free(&warm);
  ww_answers_free(&a);
}

static void work(void *ctx, uint32_t job, ww_worker *w) {
  const many *m = ctx;
  ww_cmd c = *m->x->c;
  ww_ask x = *m->x;
  x.c = &c;
  c.limits.silent = true;
  for (uint32_t i = m->begin[job]; i < m->begin[job + 1]; i++) {
    ww_buf line = {0};
    if (m->done[m->order[i]])
      continue; /* the process before this one died of it, or got it done */
    ww_worker_begin(w, m->order[i]);
    predict_one(m, &c, &x, m->order[i], &line);
    ww_worker_send(w, line.s, line.n);
    ww_worker_end(w);
    ww_buf_free(&line);
  }
}

/* ---- answers ---- */

static double number(const cJSON *o, const char *key) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, key);
  return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

static double item(const cJSON *list, int k) {
  const cJSON *n = cJSON_GetArrayItem(list, k);
  return cJSON_IsNumber(n) ? n->valuedouble : 0;
}

static bool read_error(const cJSON *o, ww_arena *a, ww_err *e) {
  const cJSON *n = cJSON_GetObjectItemCaseSensitive(o, "error");
  if (!n)
    return false;
  const char *message = ww_json_text(n, "message", a);
  ww_fail(e, ww_json_whole(n, "code"), "%s", message ? message : "no message");
  e->file = ww_json_text(n, "file", a);
  e->line = ww_json_whole(n, "line");
  e->col = ww_json_whole(n, "col");
  return true;
}

static void read_time(const cJSON *o, ww_arena *a, ww_program_time *t, ww_err *e) {
  const cJSON *warm = cJSON_GetObjectItemCaseSensitive(o, "warm");
  uint64_t term = ww_json_whole(o, "term");
  if (read_error(o, a, e))
    return;
  *t = (ww_program_time){.known = true,
                         .bottleneck = term < WW_NTERMS ? term : 0,
                         .us = number(o, "us"),
                         .low = number(o, "low"),
                         .high = number(o, "high"),
                         .footprint = number(o, "bytes"),
                         .warm_us = item(warm, 0),
                         .warm_low = item(warm, 1),
                         .warm_high = item(warm, 2)};
}

static void
read_touched(const cJSON *o, uint32_t index, ww_arena *a, ww_program_launch *l) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, "touched");
  const cJSON *n;
  l->touched = WW_NEWN(a, ww_program_touch, cJSON_GetArraySize(list) + 1);
  cJSON_ArrayForEach(n, list) {
    const char *id = ww_json_text(n, "id", a);
    if (!id)
      id = ww_fmt(a, "launch %u, %u", index, l->ntouched);
    l->touched[l->ntouched++] = (ww_program_touch){id, number(n, "share")};
  }
}

static void read_assumed(const cJSON *o, ww_arena *a, ww_assumptions *out) {
  const cJSON *sentences = cJSON_GetObjectItemCaseSensitive(o, "assumed");
  const cJSON *kinds = cJSON_GetObjectItemCaseSensitive(o, "assumptions");
  const cJSON *n;
  int k = 0;
  cJSON_ArrayForEach(n, sentences) {
    ww_push(a, out,
            ww_assumption_read(cJSON_GetArrayItem(kinds, k++),
                               ww_strdup(a, n->valuestring ? n->valuestring : ""), a));
  }
}

static void read_answer(many *m, uint32_t index, const cJSON *o, ww_many_answer *x) {
  ww_arena *a = m->x->c->arena;
  ww_program_launch *l = &x->launch;
  const cJSON *gpus = cJSON_GetObjectItemCaseSensitive(o, "gpus");
  const cJSON *grid = cJSON_GetObjectItemCaseSensitive(o, "grid");
  const cJSON *block = cJSON_GetObjectItemCaseSensitive(o, "block");
  l->file = ww_json_text(o, "file", a);
  l->kernel = ww_json_text(o, "kernel", a);
  for (int k = 0; k < 3; k++) {
    l->grid[k] = item(grid, k);
    l->block[k] = item(block, k);
  }
  if (read_error(o, a, &x->error))
    return;
  for (uint32_t g = 0; g < m->x->targets.n; g++)
    read_time(cJSON_GetArrayItem(gpus, g), a, &l->time[g], &x->errors[g]);
  read_touched(o, index, a, l);
  read_assumed(o, a, &x->assumed);
}

/* A process that ended itself was over a limit: its watchdog ended it. */
static void read_death(const many *m, const ww_worker_death *d, ww_err *e) {
  const ww_limits *l = &m->x->c->limits;
  if (d->signal)
    ww_fail(e, WW_EUNSUPPORTED, "the prediction %s", d->why);
  else
    ww_fail(e, WW_ELIMIT,
            "it took longer than %g s or more than %llu MB of memory; --seconds and "
            "--memory raise the limits, 0 takes one away",
            l->seconds, (unsigned long long)l->bytes >> 20);
}

static void hand_on(many *m) {
  for (; m->told < m->n && m->done[m->told]; m->told++)
    m->how->each(m->how->ctx, m->told, &m->answers[m->told]);
}

static void
take(void *ctx, uint32_t index, char *bytes, size_t n, const ww_worker_death *death) {
  many *m = ctx;
  ww_arena *a = m->x->c->arena;
  ww_many_answer *x = &m->answers[index];
  const ww_launch *l = &m->launches[index];
  ww_err bad = {0};
  cJSON *o = death ? NULL : ww_json_read(bytes, strlen(bytes), &bad);
  m->done[index] = true;
  x->launch.time = WW_NEWN(a, ww_program_time, m->x->targets.n);
  x->errors = WW_NEWN(a, ww_err, m->x->targets.n);
  if (o)
    read_answer(m, index, o, x);
  else if (death)
    read_death(m, death, &x->error);
  else
    x->error = bad;
  cJSON_Delete(o);
  size_t head = death ? n : strlen(bytes) + 1;
  if (head < n && m->how->reports)
    x->reports = ww_strndup(a, bytes + head, n - head);
  if (!x->launch.kernel)
    x->launch.kernel = l->kernel ? l->kernel : l->library ? l->library->call : "?";
  if (!x->launch.file)
    x->launch.file = l->file;
  x->launch.count = l->count ? l->count : 1;
  x->launch.at = l->at;
  x->launch.nat = l->nat;
  if (x->error.code)
    x->launch.why = ww_strdup(a, x->error.msg);
  if (!m->how->parts || m->how->parts->size < 2)
    hand_on(m);
}

/* ---- jobs ---- */

typedef struct {
  const char *key;
  uint32_t at;
} keyed;

static int by_key(const void *a, const void *b) {
  const keyed *x = a;
  const keyed *y = b;
  int d = strcmp(x->key, y->key);
  return d ? d : (x->at > y->at) - (x->at < y->at);
}

static const char *key_of(const ww_launch *l, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(&b, l->file ? l->file : "");
  for (uint32_t i = 0; i < l->nflags; i++)
    ww_buf_fmt(&b, "\n%s", l->flags[i]);
  return ww_buf_text(&b, a);
}

/* Launches of one source stay together; shared: all are of one, so that any process is
 * as good as another. A job has several sources where each has few launches: what LLVM
 * sets up and what memory is paged in serves all of them. */
static void make_jobs(many *m, bool *shared) {
  ww_arena *a = m->x->c->arena;
  keyed *all = WW_NEWN(a, keyed, m->n + 1);
  uint32_t sources = 0;
  for (uint32_t k = 0; k < m->n; k++)
    all[k] = (keyed){key_of(&m->launches[k], a), k};
  qsort(all, m->n, sizeof *all, by_key);
  for (uint32_t k = 0; k < m->n; k++)
    sources += !k || strcmp(all[k].key, all[k - 1].key);
  *shared = sources == 1;
  uint32_t enough = 1 + m->n / 16;
  if (enough > MOST_OF_A_JOB)
    enough = MOST_OF_A_JOB;
  m->order = WW_NEWN(a, uint32_t, m->n + 1);
  m->begin = WW_NEWN(a, uint32_t, m->n + 1);
  for (uint32_t k = 0; k < m->n; k++) {
    uint32_t has = m->jobs ? k - m->begin[m->jobs - 1] : 0;
    bool other = !k || strcmp(all[k].key, all[k - 1].key);
    bool full = has >= MOST_OF_A_JOB || (has >= enough && (*shared || other));
    m->order[k] = all[k].at;
    if (!k || full)
      m->begin[m->jobs++] = k;
  }
  m->begin[m->jobs] = m->n;
}

/* Read once, before the processes begin: they have it then. What is wrong with it each
 * launch tells by itself. */
static void read_first(many *m) {
  ww_cmd *c = m->x->c;
  ww_launch l = m->launches[0];
  ww_source_kernel(c, &m->x->o->source, &m->x->cache, &l);
  c->err = (ww_err){0};
}

static void unanswered_left(many *m) {
  ww_worker_death none = {.signal = -1, .why = "could not be started"};
  char nothing[1] = "";
  for (uint32_t k = 0; k < m->n; k++)
    if (!m->done[k])
      take(m, k, nothing, 0, &none);
}

ww_status ww_many_predict(ww_ask *x,
                          const ww_launch *launches,
                          uint32_t n,
                          const ww_many_how *how,
                          bool *mine) {
  ww_arena *a = x->c->arena;
  many m = {.x = x,
            .launches = launches,
            .n = n,
            .how = how,
            .done = WW_NEWN(a, bool, n + 1),
            .answers = WW_NEWN(a, ww_many_answer, n + 1)};
  bool shared;
  make_jobs(&m, &shared);
  if (shared)
    read_first(&m);
  ww_process_pool pool = {.ctx = &m,
                          .work = work,
                          .done = take,
                          .processes = how->processes,
                          .resume = true,
                          .items = n,
                          .what = "predicting"};
  *mine = true;
  ww_status st = ww_parts_run(how->parts, &pool, m.jobs, mine, &x->c->err);
  if (!st && *mine)
    unanswered_left(&m);
  if (!st && *mine)
    hand_on(&m);
  return st;
}
