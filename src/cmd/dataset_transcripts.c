/* dataset_transcripts.c - `warpwise dataset transcripts`: episodes as what a policy
 * learns from, lessons first, then its own ways weighted by what came of them; and how
 * well it chooses. */
#include <math.h>
#include <unistd.h>

#include "../base/process_pool.h"
#include "../base/random.h"
#include "../data/split.h"
#include "../opt/policy.h"
#include "cmd.h"

#define TIMES 8
#define GROUP 8
#define BUDGET 4
#define LEAST_SPREAD 1e-3 /* of a group's rewards: all alike teach nothing */
#define MOST_ADVANTAGE 2.0

typedef struct {
  const char *output, *split, *policy, *list;
  uint64_t times, group, states, budget, seed, jobs;
  bool score;
} options;

static const ww_option table[] = {
    WW_OPTION(output, "FILE", "where the examples go, for `train --lm --data`", 'o'),
    WW_OPTION(split, "NAME", "families of this split alone: train, validation or test"),
    WW_OPTION(times, "N", "lessons of a state (default 8)"),
    WW_OPTION(policy, "MODEL", "this policy's own ways, weighted by their rewards"),
    WW_OPTION(group, "N", "with --policy: ways through a state (default 8)"),
    WW_OPTION(states, "N", "with --policy: so many states, by --seed (default: all)"),
    WW_OPTION(budget, "N", "predictions that a policy may ask for (default 4)"),
    WW_OPTION(score, NULL, "with --policy: how often the best first rewrite is chosen"),
    WW_OPTION(
        list, "FILE", "with --score: these kernels, the first 100 with a rewrite"),
    WW_OPTION(seed, "N", "of all that is random (default 1)"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    {0},
};

typedef WW_VEC(ww_policy_state) states;

typedef struct {
  ww_cmd *c;
  const options *o;
  states v;
  uint32_t jobs;
  ww_buf out;    /* examples */
  double sum[8]; /* of what the children counted */
} job;

enum { COUNT, REWARD, ASKED, LISTED, WITH, WITHOUT, BY_FINDING, BY_CHANCE };

/* ---- reading ---- */

static bool is_wanted(const job *j, const ww_policy_state *p) {
  ww_split split;
  if (!p->offers.n || !*p->question)
    return false;
  return !j->o->split || (ww_split_known(p->family, &split) &&
                          !strcmp(ww_split_names[split], j->o->split));
}

static ww_status read_states(job *j, const char *path) {
  ww_cmd *c = j->c;
  char *text;
  size_t n;
  uint32_t number = 0;
  if (ww_read_packed(c->arena, path, 1ull << 31, &text, &n, &c->err))
    return c->err.code;
  for (char *line; (line = ww_next_line(&text, &number));) {
    ww_policy_state p;
    if (ww_policy_state_read(line, strlen(line), c->arena, &p, &c->err)) {
      c->err.file = path;
      c->err.line = number;
      return c->err.code;
    }
    if (is_wanted(j, &p))
      ww_push(c->arena, &j->v, p);
  }
  return WW_OK;
}

/* The first states of the listed kernels that have a rewrite, in the list's order. */
static ww_status take_listed(job *j) {
  enum { MOST = 100 };
  char *text;
  size_t n;
  uint32_t number = 0;
  states all = j->v;
  j->v = (states){0};
  if (ww_read_file(j->c->arena, j->o->list, 1 << 24, &text, &n, &j->c->err))
    return j->c->err.code;
  for (char *line; j->v.n < MOST && (line = ww_next_line(&text, &number));)
    for (uint32_t k = 0; k < all.n; k++) {
      const char *key = all.v[k].key;
      size_t len = strcspn(key, "#");
      if (!*all.v[k].path && strlen(line) == len && !strncmp(key, line, len) &&
          ww_policy_best(&all.v[k]) < WW_POLICY_OFFERS) {
        ww_push(j->c->arena, &j->v, all.v[k]);
        break;
      }
    }
  return WW_OK;
}

/* ---- examples ---- */

static void write_example(const ww_policy_state *p,
                          const ww_policy_view *v,
                          const ww_policy_call *right,
                          double weight,
                          ww_buf *out) {
  ww_buf prompt = {0};
  ww_buf answer = {0};
  ww_json j = {.out = out};
  ww_policy_prompt(p, v, &prompt);
  ww_policy_answer(right, &answer);
  ww_buf_puts(&answer, WW_ANSWER_END);
  ww_json_put(&j, "{prompt:%s,completion:%s,weight:%g,features:[", prompt.s, answer.s,
              weight);
  for (uint32_t k = 0; k < WW_QUESTION_SOURCE_FEATURES; k++)
    ww_json_put(&j, "%g", (double)p->features[k]);
  ww_json_put(&j, "]}");
  ww_buf_puts(out, "\n");
  ww_buf_free(&prompt);
  ww_buf_free(&answer);
}

static void shuffle(ww_policy_state *p, uint64_t *random) {
  for (uint32_t k = p->offers.n; k > 1; k--) {
    uint32_t other = ww_random_below(ww_random(random), k);
    ww_policy_offer t = p->offers.v[k - 1];
    p->offers.v[k - 1] = p->offers.v[other];
    p->offers.v[other] = t;
  }
}

/* Every other lesson has the offers in another order: what they are is to be read, not
 * where they stand. */
static void write_lessons(job *j) {
  uint64_t random = j->o->seed ? j->o->seed : 1;
  uint64_t times = j->o->times ? j->o->times : TIMES;
  for (uint32_t k = 0; k < j->v.n; k++)
    for (uint64_t t = 0; t < times; t++) {
      ww_policy_state p = j->v.v[k];
      ww_policy_view view;
      ww_policy_call right;
      p.offers.v = WW_NEWN(j->c->arena, ww_policy_offer, p.offers.n);
      memcpy(p.offers.v, j->v.v[k].offers.v, p.offers.n * sizeof *p.offers.v);
      if (t % 2)
        shuffle(&p, &random);
      ww_policy_lesson(&p, &random, &view, &right);
      write_example(&p, &view, &right, 1, &j->out);
    }
}

/* Every call of a way has the way's advantage over its group. */
static void write_way(const ww_policy_state *p,
                      const ww_policy_played *way,
                      double advantage,
                      ww_buf *out) {
  ww_policy_view v = way->view;
  for (uint32_t k = 0; k <= way->view.ndone; k++) {
    v.ndone = k;
    write_example(p, &v, k < way->view.ndone ? &way->view.done[k] : &way->last,
                  advantage, out);
  }
}

/* ---- in children ---- */

/* A group of ways through a state, with tools and without in turn. */
static ww_status
play_group(job *j, ww_policy *m, uint32_t k, ww_buf *out, double *sum) {
  enum { MOST = 64 };
  const ww_policy_state *p = &j->v.v[k];
  uint64_t random = ww_mix64((j->o->seed ? j->o->seed : 1) + ww_mix64(k + 1));
  uint32_t n = ww_least(j->o->group ? (uint32_t)j->o->group : GROUP, MOST);
  ww_policy_played *ways = ww_xcalloc(n, sizeof *ways);
  ww_policy_view begin = {.tools = ww_random_below(ww_random(&random), 4) > 0,
                          .budget = j->o->budget ? (uint32_t)j->o->budget : BUDGET};
  double mean = 0;
  double spread = 0;
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < n; i++) {
    st = ww_policy_play(m, p, &begin, &random, &ways[i], &j->c->err);
    mean += ways[i].reward / n;
    sum[COUNT]++;
    sum[REWARD] += ways[i].reward;
    sum[ASKED] += ww_policy_predicted(&ways[i].view);
  }
  for (uint32_t i = 0; i < n; i++)
    spread += (ways[i].reward - mean) * (ways[i].reward - mean) / n;
  spread = sqrt(spread);
  for (uint32_t i = 0; !st && spread > LEAST_SPREAD && i < n; i++) {
    double advantage = (ways[i].reward - mean) / (spread + 0.02);
    write_way(p, &ways[i], fmax(-MOST_ADVANTAGE, fmin(advantage, MOST_ADVANTAGE)), out);
  }
  free(ways);
  return st;
}

static ww_status score_state(job *j, ww_policy *m, uint32_t k, double *sum) {
  const ww_policy_state *p = &j->v.v[k];
  ww_policy_played way;
  uint32_t good = 0;
  for (uint32_t i = 0; i < p->offers.n; i++)
    good += ww_policy_is_best(p, i);
  sum[LISTED]++;
  sum[BY_CHANCE] += (double)good / p->offers.n;
  sum[BY_FINDING] += ww_policy_is_best(p, ww_policy_first_fix(p));
  for (int tools = 0; tools < 2; tools++) {
    ww_policy_view begin = {.tools = tools,
                            .budget = j->o->budget ? (uint32_t)j->o->budget : BUDGET};
    ww_status st = ww_policy_play(m, p, &begin, NULL, &way, &j->c->err);
    if (st)
      return st;
    sum[tools ? WITH : WITHOUT] +=
        way.last.act == WW_CALL_APPLY && ww_policy_is_best(p, way.last.offer);
    if (!tools)
      continue;
    sum[COUNT]++;
    sum[REWARD] += way.reward;
    sum[ASKED] += ww_policy_predicted(&way.view);
  }
  return WW_OK;
}

/* Every jobs-th state. "=", what it counted, the examples; or "!" and why not. */
static void work(void *ctx, uint32_t item, ww_worker *w) {
  job *j = ctx;
  ww_policy *m;
  ww_buf out = {0};
  double sum[8] = {0};
  ww_worker_begin(w, item);
  ww_status st = ww_policy_open(j->o->policy, 1, &m, &j->c->err);
  for (uint32_t k = item; !st && k < j->v.n; k += j->jobs)
    st = j->o->score ? score_state(j, m, k, sum) : play_group(j, m, k, &out, sum);
  ww_worker_send(w, st ? "!" : "=", 1);
  if (!st) {
    ww_worker_send(w, sum, sizeof sum);
    ww_worker_send(w, out.s ? out.s : "", out.n);
  } else
    ww_worker_send(w, j->c->err.msg, strlen(j->c->err.msg));
  ww_worker_end(w);
}

static void
done(void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  job *j = ctx;
  double sum[8];
  (void)item;
  if (death || n < 1 + sizeof sum || *bytes != '=') {
    ww_fail(&j->c->err, WW_EDATA, "%s", death ? death->why : bytes + (n > 0));
    return;
  }
  memcpy(sum, bytes + 1, sizeof sum);
  for (int k = 0; k < 8; k++)
    j->sum[k] += sum[k];
  ww_buf_add(&j->out, bytes + 1 + sizeof sum, n - 1 - sizeof sum);
}

/* ---- all ---- */

static void choose_states(job *j) {
  uint64_t random = ww_mix64(j->o->seed + 7);
  uint32_t n = ww_least((uint32_t)j->o->states, j->v.n);
  for (uint32_t k = 0; n && k < n; k++) {
    uint32_t other = k + ww_random_below(ww_random(&random), j->v.n - k);
    ww_policy_state t = j->v.v[k];
    j->v.v[k] = j->v.v[other];
    j->v.v[other] = t;
  }
  j->v.n = n ? n : j->v.n;
}

static ww_status play_all(job *j) {
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  j->jobs = j->o->jobs ? (uint32_t)j->o->jobs : cores > 0 ? (uint32_t)cores : 1;
  ww_process_pool pool = {.ctx = j,
                          .work = work,
                          .done = done,
                          .processes = j->jobs,
                          .items = j->jobs,
                          .what = "states"};
  ww_status st = ww_process_pool_run(&pool, j->jobs, &j->c->err);
  return st ? st : j->c->err.code;
}

static void tell(const job *j) {
  const double *s = j->sum;
  double n = s[COUNT] > 0 ? s[COUNT] : 1;
  double listed = s[LISTED] > 0 ? s[LISTED] : 1;
  if (j->c->json && j->o->score)
    ww_line_print("kernels:%u,with_tools:%g,without:%g,findings:%g,chance:%g,reward:%g,"
                  "predictions:%g",
                  (unsigned)s[LISTED], s[WITH] / listed, s[WITHOUT] / listed,
                  s[BY_FINDING] / listed, s[BY_CHANCE] / listed, s[REWARD] / n,
                  s[ASKED] / n);
  else if (j->c->json)
    ww_line_print("states:%u,ways:%u,reward:%g,predictions:%g", j->v.n,
                  (unsigned)s[COUNT], s[REWARD] / n, s[ASKED] / n);
  else if (j->o->score)
    printf(
        "best first rewrite of %u kernels: %.0f %% with tool results (%.1f "
        "predictions), %.0f %% without, %.0f %% by the order of findings, %.0f %% by "
        "chance\n",
        (unsigned)s[LISTED], 100 * s[WITH] / listed, s[ASKED] / n,
        100 * s[WITHOUT] / listed, 100 * s[BY_FINDING] / listed,
        100 * s[BY_CHANCE] / listed);
  else
    printf("%u states%s\n", j->v.n, j->o->policy ? ", played" : "");
}

static ww_status run(ww_cmd *c) {
  job j = {.c = c, .o = c->opt};
  const options *o = j.o;
  if (!c->noperands || (!o->output && !o->score))
    return ww_usage(c, "name episodes and where the examples go: episodes.jsonl -o "
                       "lessons.jsonl");
  if (o->score && !o->policy)
    return ww_usage(c, "--score: of which --policy?");
  if (ww_word_option(c, "split", o->split, "train validation test") < 0)
    return WW_EUSAGE;
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < c->noperands; k++)
    st = read_states(&j, c->operands[k]);
  if (!st && o->list)
    st = take_listed(&j);
  if (!st && !j.v.n)
    st = ww_fail(&c->err, WW_EDATA, "no states of such kernels in %s", c->operands[0]);
  if (st)
    return st;
  choose_states(&j);
  if (o->policy)
    st = play_all(&j);
  else
    write_lessons(&j);
  if (!st && o->output)
    st = ww_write_packable(o->output, &j.out, 3, &c->err);
  ww_buf_free(&j.out);
  if (!st)
    tell(&j);
  return st;
}

const ww_command ww_cmd_dataset_transcripts = {
    "transcripts",
    "episodes as examples for a policy: lessons, or its own ways with their weights",
    "EPISODES... -o FILE [--policy MODEL] [options]",
    .details =
        "Without a policy every state gives lessons: a call that is right there, with "
        "calls before it or without tools.\n"
        "With --policy a group of its ways is sampled in each state; each way weighs "
        "what it gained more than its group.\n"
        "`train --lm` learns from both. docs/policy.md says how a policy was made.",
    .examples =
        "  warpwise dataset transcripts episodes.jsonl --split train -o lessons.jsonl\n"
        "  warpwise dataset transcripts episodes.jsonl --policy model -o ways.jsonl\n"
        "  warpwise dataset transcripts episodes.jsonl --policy model --score\n",
    WW_OPTIONS,
    .run = run,
};
