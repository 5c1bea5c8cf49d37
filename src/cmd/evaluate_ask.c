/* evaluate_ask.c - the roofline question to a language model behind an endpoint, kernel
 * by kernel.
 *
 * A question is a job of the process pool: one that fails, hangs or dies is a line with
 * its error, and the others go on. What comes back is a line of JSON, the same that
 * --out keeps: it is known again by a hash of the model's name and all that was said,
 * so that a question whose text has changed is asked anew. */
#include <math.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "../base/process_pool.h"
#include "../query/text.h"
#include "evaluate.h"

enum { AT_A_TIME = 4, LIMIT_S = 120, CHUNK = 4 /* questions of each process */ };

typedef struct {
  const ww_roofline_task *t;
  const ww_llm_http_options *endpoint;
  const char *ask; /* its name */
  const ww_eval_case *cases;
  uint32_t n;
  ww_strings *said; /* to each case: ww_roofline_messages */
  uint64_t *keys;
  uint32_t *todo, ntodo; /* cases without an answer */
  uint32_t first;        /* of this chunk, in todo */
  uint32_t failed;       /* in this chunk */
  ww_roofline_row *row;
  FILE *f; /* NULL: nothing is kept */
  ww_arena *a;
} asking;

/* ---- questions ---- */

/* With the headers of its project; where that is too long, the file alone. */
static const char *source_of(const ww_eval_case *k, ww_arena *a) {
  ww_text_file file = {
      .path = k->launch.file, .flags = k->launch.flags, .nflags = k->launch.nflags};
  char *text;
  size_t n;
  if (!file.path || ww_text_load(&file, a, &text, &n, NULL))
    return NULL;
  if (n > WW_ROOFLINE_SOURCE_MOST)
    ww_read_file(a, file.path, 64 << 20, &text, &n, NULL);
  return text;
}

static void
say(const ww_eval_case *k, ww_roofline_ask ask, ww_arena *a, ww_strings *out) {
  ww_roofline_question q = {.kernel = k->name,
                            .plain = k->function,
                            .language = k->member[WW_GROUP_DIALECT],
                            .arguments = k->words,
                            .gpu = k->gpu,
                            .balance = k->balance,
                            .source = source_of(k, a),
                            .measured = &k->measured,
                            .predicted = &k->predicted};
  memcpy(q.grid, k->launch.grid, sizeof q.grid);
  memcpy(q.block, k->launch.block, sizeof q.block);
  ww_roofline_messages(&q, ask, a, out);
}

static uint64_t key_of(const char *model, const ww_strings *said) {
  uint64_t key = model ? ww_hash(model, strlen(model), 0) : 0;
  for (uint32_t k = 0; k < said->n; k++)
    key = ww_hash(said->v[k], strlen(said->v[k]) + 1, key);
  return key;
}

/* ---- in a child ---- */

static ww_status chat(const asking *p,
                      const ww_strings *said,
                      ww_arena *a,
                      ww_llm_answer *out,
                      ww_err *e) {
  ww_message *v = WW_NEWN(a, ww_message, said->n);
  double limit = p->t->how.limit_s ? p->t->how.limit_s : LIMIT_S;
  ww_llm llm;
  for (uint32_t k = 0; k < said->n; k++)
    v[k] = (ww_message){.role = !k      ? "system"
                                : k % 2 ? "user"
                                        : "assistant",
                        .text = said->v[k]};
  ww_llm_question q = {.v = v, .n = said->n, .deadline = ww_now() + limit};
  ww_status st = ww_llm_http(p->endpoint, &llm, e);
  if (st)
    return st;
  st = llm.chat(llm.ctx, &q, a, out, e);
  llm.free(llm.ctx);
  return st;
}

/* text NULL: there is no answer, and why. */
static void put_line(const asking *p,
                     uint32_t at,
                     const ww_llm_answer *x,
                     double seconds,
                     const char *why,
                     ww_buf *line) {
  const ww_eval_case *k = &p->cases[at];
  ww_json j = {.out = line};
  ww_json_put(&j, "{key:%s,ask:%s,model?:%s,program:%s,kernel:%s,seconds:%g",
              ww_fmt(p->a, "%016lx", p->keys[at]), p->ask, p->endpoint->style.model,
              k->run, k->name, round(seconds * 1e3) / 1e3);
  if (x)
    ww_json_put(&j, "tokens:%lu,text:%s", x->tokens,
                x->message.text ? x->message.text : "");
  ww_json_put(&j, "error?:%s}", why);
}

static void work(void *ctx, uint32_t job, ww_worker *w) {
  const asking *p = ctx;
  uint32_t at = p->todo[p->first + job];
  ww_llm_answer x = {0};
  ww_err e = {0};
  ww_buf line = {0};
  double begin = ww_now();
  ww_worker_begin(w, job);
  ww_status st = chat(p, &p->said[at], p->a, &x, &e);
  put_line(p, at, st ? NULL : &x, ww_now() - begin, st ? e.msg : NULL, &line);
  ww_worker_send(w, line.s, line.n);
  ww_worker_end(w);
  ww_buf_free(&line);
}

/* ---- answers ---- */

/* A line as --out keeps it, of this run or one before; lines about other questions, and
 * what was cut off when a run ended, say nothing. */
static void take_line(asking *p, const char *line) {
  ww_err ignored;
  cJSON *o = ww_json_read(line, strlen(line), &ignored);
  const char *key = ww_json_text(o, "key", p->a);
  const char *text = ww_json_text(o, "text", p->a);
  const char *error = ww_json_text(o, "error", p->a);
  const cJSON *seconds = cJSON_GetObjectItemCaseSensitive(o, "seconds");
  ww_roofline_row *r = p->row;
  uint32_t at = 0;
  while (key && at < p->n && p->keys[at] != strtoull(key, NULL, 16))
    at++;
  if (key && at < p->n && (text || error)) {
    r->said[at] = text ? ww_roofline_answer(text) : WW_BOUND_UNKNOWN;
    r->why[at] = !text         ? error
                 : r->said[at] ? NULL
                               : "the answer names no class, or both";
    if (text) {
      r->calls++;
      r->tokens += ww_json_whole(o, "tokens");
      r->seconds += cJSON_IsNumber(seconds) ? seconds->valuedouble : 0;
      p->keys[at] = 0; /* answered */
    }
  }
  cJSON_Delete(o);
}

static void
done(void *ctx, uint32_t job, char *bytes, size_t n, const ww_worker_death *death) {
  asking *p = ctx;
  uint32_t at = p->todo[p->first + job];
  ww_buf line = {0};
  if (death)
    put_line(p, at, NULL, 0, death->why, &line);
  else
    ww_buf_add(&line, bytes, n);
  ww_buf_puts(&line, "");
  if (p->f) {
    fprintf(p->f, "%s\n", line.s);
    fflush(p->f);
  }
  take_line(p, line.s);
  p->failed += p->keys[at] != 0;
  ww_buf_free(&line);
}

/* ---- --out ---- */

static ww_status open_out(ww_cmd *c, asking *p) {
  const char *path = p->t->out;
  char *text = "";
  char *line;
  size_t n = 0;
  if (!path)
    return WW_OK;
  if (ww_file_exists(path) &&
      ww_read_file(c->arena, path, (size_t)1 << 31, &text, &n, &c->err))
    return c->err.code;
  bool cut = n && text[n - 1] != '\n';
  while ((line = strsep(&text, "\n")))
    if (*line)
      take_line(p, line);
  p->f = fopen(path, "a");
  if (p->f && cut)
    fputc('\n', p->f);
  return p->f ? WW_OK : ww_fail(&c->err, WW_EIO, "cannot write %s", path);
}

/* ---- all of them ---- */

static void prepare(asking *p, ww_roofline_ask ask) {
  p->said = WW_NEWN(p->a, ww_strings, p->n);
  p->keys = WW_NEWN(p->a, uint64_t, p->n);
  p->todo = WW_NEWN(p->a, uint32_t, p->n);
  for (uint32_t k = 0; k < p->n; k++) {
    say(&p->cases[k], ask, p->a, &p->said[k]);
    p->keys[k] = key_of(p->endpoint->style.model, &p->said[k]);
  }
}

/* In chunks: when all questions of one fail, the endpoint is gone. */
static ww_status ask_all(ww_cmd *c, asking *p) {
  uint32_t processes = p->t->how.jobs ? p->t->how.jobs : AT_A_TIME;
  uint32_t limit = p->t->how.limit_s ? p->t->how.limit_s : LIMIT_S;
  ww_process_pool pool = {.ctx = p,
                          .work = work,
                          .done = done,
                          .processes = processes,
                          .limit_s = limit + 10, /* it ends by itself before */
                          .what = p->ask};
  ww_status st = WW_OK;
  for (uint32_t n; p->first < p->ntodo && !st; p->first += n) {
    n = ww_least(processes * CHUNK, p->ntodo - p->first);
    pool.items = n;
    p->failed = 0;
    st = ww_process_pool_run(&pool, n, &c->err);
    if (p->failed == n && p->first + n < p->ntodo) {
      for (uint32_t k = p->first + n; k < p->ntodo; k++)
        p->row->why[p->todo[k]] = "not asked: the endpoint had stopped answering";
      break;
    }
  }
  return st;
}

static void complain(const asking *p) {
  uint32_t left = 0;
  const char *why = NULL;
  for (uint32_t k = 0; k < p->n; k++) {
    left += p->keys[k] != 0;
    why = p->keys[k] && !why ? p->row->why[k] : why;
  }
  if (left)
    fprintf(stderr, "%s: %u of %u questions have no answer (%s)%s\n", p->ask, left,
            p->n, why ? why : "?",
            p->t->out ? "; the same command asks them again" : "; --out keeps answers");
}

ww_status ww_evaluate_ask(ww_cmd *c,
                          const ww_roofline_task *t,
                          ww_roofline_ask ask,
                          const ww_eval_case *cases,
                          uint32_t n,
                          ww_roofline_row *row) {
  asking p = {.t = t,
              .endpoint = t->endpoint,
              .ask = ww_roofline_asks[ask],
              .cases = cases,
              .n = n,
              .row = row,
              .a = c->arena};
  prepare(&p, ask);
  ww_status st = open_out(c, &p);
  for (uint32_t k = 0; k < n; k++)
    if (p.keys[k])
      p.todo[p.ntodo++] = k;
  if (!st)
    st = ask_all(c, &p);
  if (p.f && fclose(p.f) && !st)
    st = ww_fail(&c->err, WW_EIO, "%s could not be written whole", t->out);
  if (!st)
    complain(&p);
  return st;
}
