/* net_batch.c - a batch as the device wants it: checked, sorted, put into one buffer
 * and sent in one piece.
 *
 * What is made here: positions within documents, the rows that have a target (prompts
 * have none, and their logits are never made), and the tokens sorted by id, so that the
 * gradient of the embedding is summed in a fixed order. */
#include "net_int.h"

/* Rows of the head's product: multiples that matrix products like. */
static uint32_t pad(uint32_t n) {
  return ww_round_up(n, n < 1024 ? 16 : 128);
}

size_t ww_net_batch_bytes(const ww_net *n) {
  size_t N = (size_t)n->rows * n->tokens;
  size_t each = 64; /* parts begin at multiples of 64 bytes */
  size_t ints = 3 * N + 3 * N + 1 + 3 * (N + 128) + N + (n->c.features ? N : 0);
  size_t floats =
      N * n->c.numbers + (n->c.features ? N / n->c.feature_tokens * n->c.features : 0);
  return (ints + floats) * 4 + 13 * each;
}

static ww_status
check_row(const ww_net *n, const ww_lm_batch *b, uint32_t r, ww_err *e) {
  int32_t V = n->c.vocab;
  size_t at = (size_t)r * b->T;
  for (uint32_t t = 0; t < b->T; t++) {
    int32_t token = b->token[at + t];
    int32_t target = b->target ? b->target[at + t] : -1;
    int32_t first = b->first[at + t];
    if (token < 0 || token >= V || target >= V)
      return ww_fail(e, WW_EDATA,
                     "row %u, place %u: token %d or target %d is not one of the "
                     "model's %d: was it "
                     "made by another tokenizer?",
                     r, t, token, target, V);
    if (first < 0 || (uint32_t)first > t || (t && first < b->first[at + t - 1]))
      return ww_fail(
          e, WW_EDATA,
          "row %u, place %u: its document begins at %d, which is not before it", r, t,
          first);
  }
  return WW_OK;
}

static ww_status check_places(const ww_net *n, const ww_lm_batch *b, ww_err *e) {
  uint32_t N = b->B * b->T;
  uint32_t G = n->c.feature_tokens;
  if (b->asked > N || (b->asked && !n->c.numbers))
    return ww_fail(e, WW_EDATA,
                   "numbers are asked at %u places of a model that gives %u", b->asked,
                   n->c.numbers);
  for (uint32_t i = 0; i < b->asked; i++)
    if (b->ask_at[i] < 0 || (uint32_t)b->ask_at[i] >= N)
      return ww_fail(e, WW_EDATA, "numbers are asked at place %d of %u", b->ask_at[i],
                     N);
  if (b->described && (!n->c.features || b->described > N / G))
    return ww_fail(e, WW_EDATA, "%u documents bring features to a model that takes %u",
                   b->described, n->c.features);
  for (uint32_t i = 0; i < b->described; i++) {
    int64_t at = b->describe_at[i];
    if (at < 0 || at + G > N || (uint32_t)(at % b->T) + G > b->T)
      return ww_fail(e, WW_EDATA,
                     "a document at place %d has no room for its %u feature tokens",
                     b->describe_at[i], G);
  }
  return WW_OK;
}

static ww_status check(const ww_net *n, const ww_lm_batch *b, ww_err *e) {
  if (!b->B || !b->T || b->B > n->rows || b->T > n->tokens)
    return ww_fail(e, WW_EUSAGE,
                   "a batch of %u x %u tokens: this model was opened for up to %u x %u",
                   b->B, b->T, n->rows, n->tokens);
  for (uint32_t r = 0; r < b->B; r++) {
    ww_status s = check_row(n, b, r, e);
    if (s)
      return s;
  }
  return check_places(n, b, e);
}

typedef struct {
  ww_net *n;
  size_t at;
} writer;

/* Room for `count` ints or floats: *host to fill, its place on the device returned. */
static const void *put(writer *w, size_t count, void *host) {
  char *here = w->n->host + w->at;
  const void *there = w->n->device + w->at;
  memcpy(host, &here, sizeof here);
  w->at += ww_round_up(count * 4, 64);
  return there;
}

static const int32_t *put_copy(writer *w, const void *from, size_t count) {
  int32_t *to;
  const int32_t *there = put(w, count, &to);
  if (count)
    memcpy(to, from, count * 4);
  return there;
}

/* A counting sort by token: order[group[u]] .. are the places of id[u], ids in the
 * order they appear. */
static void sort_tokens(writer *w, const int32_t *token, uint32_t N) {
  ww_net *n = w->n;
  int32_t *order;
  int32_t *group;
  int32_t *id;
  uint32_t unique = 0;
  n->b.order = put(w, N, &order);
  n->b.id = put(w, N, &id);
  for (uint32_t i = 0; i < N; i++)
    if (n->seen[token[i]]++ == 0)
      id[unique++] = token[i];
  n->b.group = put(w, unique + 1, &group);
  int32_t at = 0;
  for (uint32_t u = 0; u < unique; u++) {
    int32_t count = n->seen[id[u]];
    group[u] = n->seen[id[u]] = at;
    at += count;
  }
  group[unique] = at;
  for (uint32_t i = 0; i < N; i++)
    order[n->seen[token[i]]++] = i;
  for (uint32_t u = 0; u < unique; u++)
    n->seen[id[u]] = 0;
  n->b.unique = unique;
}

static void
find_targets(writer *w, const int32_t *target, const float *weight, uint32_t N) {
  ww_net_batch *b = &w->n->b;
  int32_t *row;
  int32_t *value;
  float *counts;
  b->target_row = put(w, N + 128, &row);
  b->target = put(w, N + 128, &value);
  b->weight = weight ? put(w, N + 128, &counts) : NULL;
  uint32_t k = 0;
  for (uint32_t i = 0; target && i < N; i++)
    if (target[i] >= 0) {
      if (weight)
        counts[k] = weight[i];
      row[k] = i;
      value[k++] = target[i];
    }
  b->targets = k;
  b->padded = k == N ? N : pad(k);
  for (; k < b->padded; k++) {
    if (weight)
      counts[k] = 0;
    row[k] = 0;
    value[k] = -1;
  }
}

ww_status ww_net_batch_send(ww_net *n, const ww_lm_batch *in, ww_err *e) {
  ww_status s = check(n, in, e);
  if (s)
    return s;
  ww_net_batch *b = &n->b;
  uint32_t N = in->B * in->T;
  uint32_t G = n->c.feature_tokens;
  writer w = {.n = n};
  *b = (ww_net_batch){
      .B = in->B, .T = in->T, .N = N, .asked = in->asked, .described = in->described};
  b->token = put_copy(&w, in->token, N);
  b->first = put_copy(&w, in->first, N);
  int32_t *position;
  int32_t *row;
  b->position = put(&w, N, &position);
  for (uint32_t i = 0; i < N; i++)
    position[i] = (i % in->T) - in->first[i];
  sort_tokens(&w, in->token, N);
  find_targets(&w, in->target, in->weight, N);
  b->ask_at = put_copy(&w, in->ask_at, in->asked);
  b->number =
      (const float *)put_copy(&w, in->numbers, (size_t)in->asked * n->c.numbers);
  b->describe_row = put(&w, (size_t)in->described * G, &row);
  for (uint32_t d = 0; d < in->described; d++)
    for (uint32_t g = 0; g < G; g++)
      row[d * G + g] = in->describe_at[d] + g;
  b->feature =
      (const float *)put_copy(&w, in->features, (size_t)in->described * n->c.features);
  n->o->upload(n->o, n->device, n->host, w.at);
  n->ntokens += b->targets;
  n->nasked += b->asked;
  return WW_OK;
}
