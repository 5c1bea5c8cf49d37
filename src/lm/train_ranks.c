/* train_ranks.c - what the ranks of a training agree on: the plan before the first
 * step, the values at checkpoints, losses and the wish to stop in between.
 *
 * Every rank compares the same numbers, so all of them come to the same end. */
#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#include "train.h"

enum { FACTS = 40, TEXT = 32 };

/* What has to be the same on all ranks: a name to speak of, and its value. */
typedef struct {
  struct {
    char what[TEXT];
    double value;
  } v[FACTS];
  uint64_t data, valid, model, values, step;
  uint32_t n, pad;
} facts;

static void add(facts *f, const char *what, double value) {
  assert(f->n < FACTS);
  snprintf(f->v[f->n].what, TEXT, "%s", what);
  f->v[f->n++].value = value;
}

static uint64_t hash_values(ww_net *n) {
  uint64_t count = ww_net_learned(n);
  float *v = ww_xmalloc(count * sizeof *v);
  ww_net_get(n, 0, v);
  uint64_t h = ww_hash(v, count * sizeof *v, 0);
  free(v);
  return h;
}

static void collect(ww_net *n, const ww_lm_plan *p, const ww_lm_begin *b, facts *f) {
  double value;
  const char *option;
  *f = (facts){.data = b->data,
               .valid = b->valid,
               .model = p->model,
               .values = hash_values(n),
               .step = b->step};
  for (uint32_t k = 0; (option = ww_lm_plan_member(p, k, &value)); k++)
    add(f, option, value);
  add(f, "--batch", p->rows);
  add(f, "--accumulate", p->accumulate);
  add(f, "--steps (or --epochs)", p->steps);
  add(f, "--log-every", p->log_every);
  add(f, "--valid-every", p->check_every);
  add(f, "--valid-rows", p->check_rows);
  add(f, "--patience", p->patience);
  add(f, "--dropout", ww_net_given(n)->dropout);
  add(f, "--minutes", p->minutes);
  add(f, "--resume", p->resume);
  add(f, "--every", p->every);
  add(f, "--checkpoint (there or not)", p->checkpoint != NULL);
}

static ww_status differs(const facts *a, const facts *b, uint32_t rank, ww_err *e) {
  const struct {
    uint64_t a, b;
    const char *what;
  } hashes[] = {{a->data, b->data, "reads other examples (--data)"},
                {a->valid, b->valid, "reads other examples (--valid)"},
                {a->model, b->model, "has another model"}};
  for (uint32_t k = 0; k < a->n && k < b->n; k++)
    if (a->v[k].value != b->v[k].value)
      return ww_fail(e, WW_EUSAGE,
                     "rank %u has %s %.9g, rank 0 has %.9g: give all ranks the same "
                     "options",
                     rank, a->v[k].what, b->v[k].value, a->v[k].value);
  for (size_t k = 0; k < WW_COUNT(hashes); k++)
    if (hashes[k].a != hashes[k].b)
      return ww_fail(
          e, WW_EDATA,
          "rank %u %s than rank 0: all ranks need the same files and options", rank,
          hashes[k].what);
  if (a->step != b->step)
    return ww_fail(e, WW_EDATA,
                   "rank %u goes on from step %" PRIu64 ", rank 0 from step %" PRIu64
                   ": the checkpoint's folder must be one that all ranks see",
                   rank, b->step, a->step);
  if (a->values != b->values)
    return ww_fail(e, WW_EDATA, "rank %u begins with other weights than rank 0", rank);
  return WW_OK;
}

ww_status
ww_lm_ranks_begin(ww_net *n, const ww_lm_plan *p, const ww_lm_begin *b, ww_err *e) {
  uint32_t size = ww_ranks_size(p->ranks);
  facts mine;
  if (size < 2)
    return WW_OK;
  collect(n, p, b, &mine);
  facts *all = ww_xcalloc(size, sizeof *all);
  ww_status st = ww_ranks_gather(p->ranks, &mine, sizeof mine, all, e);
  for (uint32_t k = 1; !st && k < size; k++)
    st = differs(all, all + k, k, e);
  free(all);
  return st;
}

ww_status ww_lm_ranks_same(ww_net *n, ww_ranks *r, uint64_t step, ww_err *e) {
  uint32_t size = ww_ranks_size(r);
  if (size < 2)
    return WW_OK;
  uint64_t mine = hash_values(n);
  uint64_t *all = ww_xcalloc(size, sizeof *all);
  ww_status st = ww_ranks_gather(r, &mine, sizeof mine, all, e);
  for (uint32_t k = 1; !st && k < size; k++)
    if (all[k] != all[0])
      st = ww_fail(e, WW_EDATA,
                   "after step %" PRIu64
                   " rank %u has other weights than rank 0: its device or its memory "
                   "computes something else. The last checkpoint is good; start again "
                   "without that machine, with --resume",
                   step, k);
  free(all);
  return st;
}

ww_status ww_lm_ranks_losses(ww_ranks *r, ww_net_loss *l, ww_lm_wish *wish, ww_err *e) {
  typedef struct {
    double token_loss, number_loss; /* sums */
    uint64_t tokens, asked;
    uint64_t stop, late;
  } part;
  uint32_t size = ww_ranks_size(r);
  part sum = {0};
  const part mine = {.token_loss = l->token_loss * l->tokens,
                     .number_loss = l->number_loss * l->asked,
                     .tokens = l->tokens,
                     .asked = l->asked,
                     .stop = wish->stop,
                     .late = wish->late};
  if (size < 2)
    return WW_OK;
  part *all = ww_xcalloc(size, sizeof *all);
  ww_status st = ww_ranks_gather(r, &mine, sizeof mine, all, e);
  for (uint32_t k = 0; !st && k < size; k++) {
    sum.token_loss += all[k].token_loss;
    sum.number_loss += all[k].number_loss;
    sum.tokens += all[k].tokens;
    sum.asked += all[k].asked;
    sum.stop += all[k].stop;
    sum.late += all[k].late;
  }
  free(all);
  *l = (ww_net_loss){.token_loss = sum.tokens ? sum.token_loss / sum.tokens : 0,
                     .number_loss = sum.asked ? sum.number_loss / sum.asked : 0,
                     .tokens = sum.tokens,
                     .asked = sum.asked};
  *wish = (ww_lm_wish){sum.stop > 0, sum.late > 0};
  return st;
}
