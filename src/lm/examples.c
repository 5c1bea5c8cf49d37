/* examples.c - JSON lines to tokens, on many threads.
 *
 * Threads take turns to read a chunk of lines and then parse and tokenize it alone; the
 * pieces are put behind one another in the file's order, so that the result does not
 * depend on the number of threads. Workload: hundreds of thousands of examples, a
 * gigabyte of text; only tokens are kept.
 */
#include "examples.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "chat.h"
#include "lines.h"
#include "team.h"

/* What came out of one chunk: arrays as ww_examples has them, `at` counted from the
 * piece's own begin. */
typedef struct {
  ww_buf token, v, number, feature, weight;
  uint32_t n, cut;
  bool weighted; /* a weight is not 1 */
} piece;

typedef struct {
  ww_lines *lines;
  const ww_tokenizer *t;
  const ww_lm_config *c;
  uint32_t most;
  ww_chat chat;
  ww_tokens front;      /* what the tokenizer puts before every text: BOS, or nothing */
  pthread_mutex_t lock; /* of all below */
  piece *pieces;
  uint32_t npieces, cap;
  bool ended;
  ww_err err; /* of the earliest chunk */
  uint32_t err_in;
} reader;

/* One thread's work on one chunk. */
typedef struct {
  reader *r;
  ww_arena *a; /* of the chunk */
  piece *to;
  ww_tokens now;           /* the example being made */
  float *number, *feature; /* [config.numbers], [config.features] of it */
  float weight;
  ww_err err;
} worker;

/* ---- one example ---- */

static void put(worker *w, const int32_t *token, uint32_t n, uint32_t prompt) {
  piece *p = w->to;
  ww_example x = {.at = p->token.n / sizeof(int32_t), .n = n, .prompt = prompt};
  ww_buf_add(&p->token, token, n * sizeof *token);
  ww_buf_add(&p->v, &x, sizeof x);
  ww_buf_add(&p->weight, &w->weight, sizeof w->weight);
  p->weighted |= w->weight != 1;
  if (w->r->c->numbers)
    ww_buf_add(&p->number, w->number, w->r->c->numbers * sizeof *w->number);
  if (w->r->c->features)
    ww_buf_add(&p->feature, w->feature, w->r->c->features * sizeof *w->feature);
  p->n++;
}

/* Takes the middle out of the prompt, both ends keep as much; an answer that leaves no
 * room for the features and one more loses its end. */
static void cut(worker *w, uint32_t *prompt) {
  uint32_t most = w->r->most, answer = w->now.n - *prompt;
  uint32_t least = ww_least(w->r->front.n + w->r->c->feature_tokens + 1, *prompt);
  answer = ww_least(answer, most - least);
  uint32_t keep = most - answer, head = ww_most((keep + 1) / 2, least);
  memmove(w->now.v + head, w->now.v + *prompt - (keep - head),
          (keep - head + answer) * sizeof *w->now.v);
  w->now.n = most;
  *prompt = keep;
  w->to->cut++;
}

static ww_status finish(worker *w, uint32_t prompt) {
  const ww_lm_config *c = w->r->c;
  for (uint32_t k = 0; k < w->now.n; k++)
    if (w->now.v[k] < 0 || (uint32_t)w->now.v[k] >= c->vocab)
      return ww_fail(&w->err, WW_EDATA,
                     "token %d is not in the model's vocabulary of %u: take the "
                     "tokenizer it was trained with",
                     w->now.v[k], c->vocab);
  if (c->features && !isnan(w->feature[0]) && w->now.n <= c->feature_tokens)
    return ww_fail(
        &w->err, WW_EDATA,
        "\"features\" need %u tokens at the begin of the prompt; it has %u in all",
        c->feature_tokens, w->now.n);
  if (w->now.n <= w->r->most || prompt) {
    if (w->now.n > w->r->most)
      cut(w, &prompt);
    put(w, w->now.v, w->now.n, prompt);
    return WW_OK;
  }
  /* a text: all of it, in several */
  for (uint32_t at = 0; at < w->now.n; at += w->r->most) {
    uint32_t n = ww_least(w->now.n - at, w->r->most);
    if (n > 1)
      put(w, w->now.v + at, n, 0);
  }
  return WW_OK;
}

static void end_mark(worker *w) {
  const ww_lm_config *c = w->r->c;
  for (uint32_t k = 0; k < c->neos; k++)
    if (w->now.n && w->now.v[w->now.n - 1] == c->eos[k])
      return;
  if (c->neos && c->eos[0] >= 0)
    ww_push(w->a, &w->now, c->eos[0]);
}

/* ---- the forms ---- */

static bool has_numbers(const worker *w) {
  return ww_any_known(w->number, w->r->c->numbers);
}

static ww_status want_text(worker *w, const cJSON *node, const char *name) {
  char scratch[64];
  if (cJSON_IsString(node))
    return WW_OK;
  return ww_fail(&w->err, WW_EPARSE, "\"%s\": expected a string, not %s", name,
                 ww_json_kind(node, scratch));
}

/* Text behind a prompt: special tokens are known in it, but nothing is put before it.
 */
static void encode_on(worker *w, const char *s) {
  uint32_t from = w->now.n, front = w->r->front.n;
  ww_tokenizer_encode(w->r->t, s, strlen(s), true, w->a, &w->now);
  if (!front || w->now.n - from < front ||
      memcmp(w->now.v + from, w->r->front.v, front * sizeof *w->now.v))
    return;
  memmove(w->now.v + from, w->now.v + from + front,
          (w->now.n - from - front) * sizeof *w->now.v);
  w->now.n -= front;
}

static void encode(worker *w, const cJSON *text) {
  ww_tokenizer_encode(w->r->t, text->valuestring, strlen(text->valuestring), true, w->a,
                      &w->now);
}

static ww_status of_prompt(worker *w, const cJSON *row, const cJSON *prompt) {
  const cJSON *answer = cJSON_GetObjectItemCaseSensitive(row, "completion");
  ww_status st = want_text(w, prompt, "prompt");
  if (!st && answer)
    st = want_text(w, answer, "completion");
  if (st)
    return st;
  bool says = answer && *answer->valuestring;
  if (!says && !has_numbers(w))
    return ww_fail(&w->err, WW_EDATA,
                   "nothing to learn: no \"completion\" and no \"numbers\" that the "
                   "model has a head for");
  encode(w, prompt);
  uint32_t n = w->now.n;
  if (!n)
    return ww_fail(&w->err, WW_EDATA,
                   "the prompt is empty; a document without one is a \"text\"");
  if (says) {
    encode_on(w, answer->valuestring);
    end_mark(w);
  }
  return finish(w, n);
}

static ww_status of_text(worker *w, const cJSON *text) {
  ww_status st = want_text(w, text, "text");
  if (st)
    return st;
  encode(w, text);
  end_mark(w);
  if (w->now.n < 2 && !has_numbers(w))
    return ww_fail(&w->err, WW_EDATA, "nothing to learn: \"text\" is empty");
  return finish(w, 0);
}

static ww_status
message(worker *w, const cJSON *m, const char **role, const char **content) {
  const cJSON *r = cJSON_GetObjectItemCaseSensitive(m, "role"),
              *c = cJSON_GetObjectItemCaseSensitive(m, "content");
  ww_status st = want_text(w, r, "messages[].role");
  if (st || (st = want_text(w, c, "messages[].content")))
    return st;
  *role = r->valuestring;
  *content = c->valuestring;
  return WW_OK;
}

/* An example for each answer of the assistant's, with all before it as the prompt;
 * numbers are asked before the first. */
static ww_status of_messages(worker *w, const cJSON *list) {
  const ww_chat *chat = &w->r->chat;
  const char *role, *content;
  ww_tokens so_far = {0};
  uint32_t answers = 0;
  ww_status st =
      cJSON_IsArray(list)
          ? WW_OK
          : ww_fail(&w->err, WW_EPARSE, "\"messages\": expected an array of messages");
  ww_chat_open(chat, w->a, &so_far);
  for (const cJSON *m = list->child; !st && m; m = m->next) {
    if ((st = message(w, m, &role, &content)))
      break;
    if (!strcmp(role, "assistant")) {
      w->now.n = 0;
      ww_append(w->a, &w->now, so_far.v, so_far.n);
      ww_chat_ask(chat, w->a, &w->now);
      uint32_t n = w->now.n;
      ww_chat_answer(chat, content, w->a, &w->now);
      st = finish(w, n);
      for (uint32_t k = 0; k < w->r->c->numbers; k++)
        w->number[k] = NAN;
      answers++;
    }
    ww_chat_message(chat, role, content, w->a, &so_far);
  }
  if (!st && !answers)
    st = ww_fail(&w->err, WW_EDATA,
                 "nothing to learn: no message of the assistant's in \"messages\"");
  return st;
}

/* ---- a line ---- */

static ww_status floats(worker *w,
                        const cJSON *row,
                        const char *name,
                        uint32_t n,
                        bool may_lack,
                        float *out) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(row, name);
  char scratch[64];
  for (uint32_t k = 0; k < n; k++)
    out[k] = NAN;
  if (!n || !list || cJSON_IsNull(list))
    return WW_OK;
  if (!cJSON_IsArray(list) || (uint32_t)cJSON_GetArraySize(list) != n)
    return ww_fail(
        &w->err, WW_EDATA,
        "\"%s\": expected an array of %u, as the model has them, not %s of %d", name, n,
        ww_json_kind(list, scratch), cJSON_GetArraySize(list));
  uint32_t k = 0;
  for (const cJSON *v = list->child; v; v = v->next, k++) {
    if (may_lack && cJSON_IsNull(v))
      continue;
    out[k] = v->valuedouble;
    if (!cJSON_IsNumber(v) || !isfinite(out[k]))
      return ww_fail(&w->err, WW_EDATA,
                     "\"%s\"[%u]: expected a finite number%s, not %s", name, k,
                     may_lack ? " or null" : "", ww_json_kind(v, scratch));
  }
  return WW_OK;
}

static ww_status weight_of(worker *w, const cJSON *row) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(row, "weight");
  char scratch[64];
  w->weight = 1;
  if (!v)
    return WW_OK;
  w->weight = (float)v->valuedouble;
  if (!cJSON_IsNumber(v) || !isfinite(w->weight))
    return ww_fail(&w->err, WW_EDATA, "\"weight\": expected a finite number, not %s",
                   ww_json_kind(v, scratch));
  return WW_OK;
}

static ww_status example(worker *w, const cJSON *row) {
  const cJSON *it;
  w->now.n = 0;
  if (!cJSON_IsObject(row))
    return ww_fail(&w->err, WW_EPARSE, "expected a JSON object a line");
  if (weight_of(w, row))
    return w->err.code;
  ww_status st = floats(w, row, "numbers", w->r->c->numbers, true, w->number);
  if (st || (st = floats(w, row, "features", w->r->c->features, false, w->feature)))
    return st;
  if ((it = cJSON_GetObjectItemCaseSensitive(row, "prompt")))
    return of_prompt(w, row, it);
  if ((it = cJSON_GetObjectItemCaseSensitive(row, "messages")))
    return of_messages(w, it);
  if ((it = cJSON_GetObjectItemCaseSensitive(row, "text")))
    return of_text(w, it);
  return ww_fail(&w->err, WW_EDATA,
                 "nothing to learn: expected \"prompt\" and \"completion\", or "
                 "\"messages\", or \"text\"");
}

static void chunk(worker *w, ww_buf *text, ww_lines_at first) {
  reader *r = w->r;
  size_t n;
  w->number = WW_NEWN(w->a, float, r->c->numbers + 1);
  w->feature = WW_NEWN(w->a, float, r->c->features + 1);
  for (char *s = text->s, *end = text->s + text->n; s < end; first.line++) {
    char *l = ww_lines_take(&s, end, &n);
    if (!n)
      continue;
    cJSON *row = ww_json_read(l, n, &w->err);
    ww_status st = row ? example(w, row) : w->err.code;
    if (row)
      w->err.col = 0;
    cJSON_Delete(row);
    if (!st)
      continue;
    w->err.file = first.path;
    w->err.line = first.line;
    return;
  }
}

/* ---- all of them ---- */

/* Which chunk it took, or -1: there is none left. */
static int64_t take(reader *r, ww_buf *text, ww_lines_at *first) {
  uint64_t done, total;
  pthread_mutex_lock(&r->lock);
  int64_t ticket = -1;
  if (!r->ended && !r->err.code) {
    if (ww_lines_next(r->lines, text, first, &r->err) || !text->n)
      r->ended = true;
    else
      ticket = r->npieces++;
    ww_lines_place(r->lines, &done, &total);
    ww_progress("reading examples", done, total > done ? total : done + 1);
  }
  pthread_mutex_unlock(&r->lock);
  return ticket;
}

static void keep(reader *r, uint32_t ticket, const piece *p, const ww_err *err) {
  pthread_mutex_lock(&r->lock);
  if (ticket >= r->cap) {
    uint32_t cap = ticket * 2 + 16;
    r->pieces = ww_xrealloc(r->pieces, cap * sizeof *r->pieces);
    memset(r->pieces + r->cap, 0, (cap - r->cap) * sizeof *r->pieces);
    r->cap = cap;
  }
  r->pieces[ticket] = *p;
  if (err->code && (!r->err.code || !r->err.line || ticket < r->err_in)) {
    r->err = *err;
    r->err_in = ticket;
  }
  pthread_mutex_unlock(&r->lock);
}

static void *work(void *ctx) {
  reader *r = ctx;
  ww_buf text = {0};
  ww_lines_at first;
  int64_t ticket;
  while ((ticket = take(r, &text, &first)) >= 0) {
    piece p = {0};
    worker w = {.r = r, .a = ww_arena_new(), .to = &p};
    chunk(&w, &text, first);
    ww_arena_free(w.a);
    keep(r, ticket, &p, &w.err);
  }
  ww_buf_free(&text);
  return NULL;
}

static void run_all(reader *r, uint32_t threads) {
  enum { MOST = 256 };
  pthread_t id[MOST];
  uint32_t n = 0;
  if (!threads)
    threads = ww_team_cores();
  for (; n + 1 < threads && n < MOST; n++)
    if (pthread_create(id + n, NULL, work, r))
      break;
  work(r);
  for (uint32_t k = 0; k < n; k++)
    pthread_join(id[k], NULL);
  ww_progress("reading examples", 1, 1);
}

static void drop(piece *p) {
  ww_buf_free(&p->token);
  ww_buf_free(&p->v);
  ww_buf_free(&p->number);
  ww_buf_free(&p->feature);
  ww_buf_free(&p->weight);
}

static void copy(void *to, const ww_buf *from) {
  if (from->n)
    memcpy(to, from->s, from->n);
}

/* Puts the pieces behind one another; each is given back as soon as it is copied. */
static void join(reader *r, ww_examples *x) {
  bool weighted = false;
  for (uint32_t k = 0; k < r->npieces; k++) {
    x->n += r->pieces[k].n;
    x->cut += r->pieces[k].cut;
    weighted |= r->pieces[k].weighted;
    x->tokens += r->pieces[k].token.n / sizeof(int32_t);
  }
  x->token = ww_alloc(x->arena, x->tokens * sizeof *x->token);
  x->v = WW_NEWN(x->arena, ww_example, x->n);
  x->number = WW_NEWN(x->arena, float, (uint64_t)x->n * x->numbers);
  x->feature = WW_NEWN(x->arena, float, (uint64_t)x->n * x->features);
  x->weight = weighted ? WW_NEWN(x->arena, float, x->n) : NULL;
  uint64_t at = 0, token = 0;
  for (uint32_t k = 0; k < r->npieces; k++) {
    piece *p = r->pieces + k;
    copy(x->token + token, &p->token);
    copy(x->v + at, &p->v);
    copy(x->number + at * x->numbers, &p->number);
    copy(x->feature + at * x->features, &p->feature);
    if (weighted)
      copy(x->weight + at, &p->weight);
    for (uint32_t i = 0; i < p->n; i++)
      x->v[at + i].at += token;
    at += p->n;
    token += p->token.n / sizeof(int32_t);
    drop(p);
  }
}

ww_status ww_examples_read(const char *const *paths,
                           const ww_tokenizer *t,
                           const ww_lm_config *c,
                           uint32_t most,
                           uint32_t threads,
                           ww_examples *out,
                           ww_err *e) {
  reader r = {.t = t, .c = c, .most = most, .lock = PTHREAD_MUTEX_INITIALIZER};
  *out = (ww_examples){0};
  ww_status st = ww_lines_open(paths, &r.lines, e);
  if (st)
    return st;
  *out = (ww_examples){
      .arena = ww_arena_new(), .numbers = c->numbers, .features = c->features};
  r.chat = ww_chat_of(t);
  ww_tokenizer_encode(t, "", 0, true, out->arena, &r.front);
  if (most < r.front.n + c->feature_tokens + 8)
    st = ww_fail(e, WW_EUSAGE, "rows of %u tokens are too short; at least %u", most,
                 r.front.n + c->feature_tokens + 8);
  if (!st)
    run_all(&r, threads);
  if (!st && r.err.code) {
    if (e)
      *e = r.err;
    st = r.err.code;
  }
  if (!st)
    join(&r, out);
  if (!st && !out->n)
    st = ww_fail(e, WW_EDATA, "%s: no examples in it", *paths);
  for (uint32_t k = 0; st && k < r.npieces && k < r.cap; k++)
    drop(r.pieces + k);
  free(r.pieces);
  ww_lines_close(r.lines);
  if (st)
    ww_examples_free(out);
  return st;
}

void ww_examples_free(ww_examples *x) {
  ww_arena_free(x->arena);
  *x = (ww_examples){0};
}

uint64_t ww_examples_hash(const ww_examples *x) {
  uint64_t h = ww_hash(x->token, x->tokens * sizeof *x->token, x->n);
  h = ww_hash(x->v, x->n * sizeof *x->v, h);
  if (x->numbers)
    h = ww_hash(x->number, (uint64_t)x->n * x->numbers * sizeof(float), h);
  if (x->weight)
    h = ww_hash(x->weight, x->n * sizeof *x->weight, h);
  return x->features
             ? ww_hash(x->feature, (uint64_t)x->n * x->features * sizeof(float), h)
             : h;
}

/* ---- before there is a model ---- */

static void
look(const cJSON *row, const ww_tokenizer *t, ww_arena *a, ww_examples_shape *s) {
  const cJSON *numbers = cJSON_GetObjectItemCaseSensitive(row, "numbers"),
              *features = cJSON_GetObjectItemCaseSensitive(row, "features");
  const cJSON *prompt = cJSON_GetObjectItemCaseSensitive(row, "prompt");
  if (cJSON_IsArray(numbers) && !s->numbers)
    s->numbers = cJSON_GetArraySize(numbers);
  if (!cJSON_IsArray(features) || s->features)
    return;
  s->features = cJSON_GetArraySize(features);
  ww_tokens v = {0};
  if (t && cJSON_IsString(prompt))
    ww_tokenizer_encode(t, prompt->valuestring, strlen(prompt->valuestring), true, a,
                        &v);
  while (s->feature_tokens < v.n && v.v[s->feature_tokens] == v.v[0] &&
         ww_tokenizer_special(t, v.v[0]))
    s->feature_tokens++;
}

ww_status ww_examples_peek(const char *const *paths,
                           const ww_tokenizer *t,
                           ww_examples_shape *out,
                           ww_err *e) {
  enum { LINES = 1000 };
  ww_lines *lines;
  ww_buf text = {0};
  ww_lines_at first;
  size_t n;
  *out = (ww_examples_shape){0};
  ww_status st = ww_lines_open(paths, &lines, e);
  if (st)
    return st;
  ww_arena *a = ww_arena_new();
  st = ww_lines_next(lines, &text, &first, e);
  char *s = text.s, *end = text.s + text.n;
  for (int k = 0; !st && k < LINES && s < end; k++) {
    char *l = ww_lines_take(&s, end, &n);
    /* what is wrong with it is told by who reads it all */
    cJSON *row = n ? ww_json_read(l, n, NULL) : NULL;
    if (row)
      look(row, t, a, out);
    cJSON_Delete(row);
  }
  ww_arena_free(a);
  ww_buf_free(&text);
  ww_lines_close(lines);
  return st;
}
