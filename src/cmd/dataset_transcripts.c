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
#define CONTEXT 1024
#define GROUP 8
#define BUDGET 4
#define LEAST_SPREAD 1e-3 /* of a group's rewards: all alike teach nothing */
#define MOST_ADVANTAGE 2.0
/* That every call of a way counts beside its advantage: a pull towards the model that
 * made it. */
#define PULL 0.2

typedef struct {
  const char *output, *split, *policy, *list;
  uint64_t times, context, group, states, budget, seed, jobs;
  bool score;
} options;

static const ww_option table[] = {
    WW_OPTION(output, "FILE", "where the examples go, for `train --lm --data`", 'o'),
    WW_OPTION(split, "NAME", "families of this split alone: train, validation or test"),
    WW_OPTION(times, "N", "lessons of a state (default 8)"),
    WW_OPTION(
        context, "N", "of the model that lessons are for, in tokens (default 1024)"),
    WW_OPTION(policy, "MODEL", "this policy's own ways, weighted by their rewards"),
    WW_OPTION(group, "N", "with --policy: ways through a state (default 8)"),
    WW_OPTION(states, "N", "with --policy: so many states, by --seed (default: all)"),
    WW_OPTION(budget, "N", "predictions before a rewrite is applied (default 4)"),
    WW_OPTION(score,
              NULL,
              "with --policy: how often the best first rewrite is chosen, with -o for "
              "each state"),
    WW_OPTION(
        list, "FILE", "with --score: these kernels, the first 100 with a rewrite"),
    WW_OPTION(seed, "N", "of all that is random (default 1)"),
    WW_OPTION(jobs, "N", "processes (default: one per core)", 'j'),
    {0},
};

typedef WW_VEC(ww_policy_state) states;

/* Who is scored, and with how many predictions. */
enum { MODEL, FINDINGS, CHANCE, PLAYERS };
static const char *const players[PLAYERS] = {"model", "findings", "chance"};
enum { COLUMNS = 5, CHANCE_WAYS = 64 };
static const uint32_t budgets[COLUMNS] = {0, 1, 2, 4, 8}; /* 0: without tools */

/* Sums over states, nothing but doubles. */
typedef struct {
  double ways[2], reward[2];     /* own ways: [with tools] */
  double states, possible;       /* scored; ln of the best gain */
  double best[PLAYERS][COLUMNS]; /* chosen */
  double gain[PLAYERS][COLUMNS]; /* ln */
} counts;

typedef struct {
  ww_cmd *c;
  const options *o;
  states v;
  uint32_t jobs;
  ww_buf out; /* examples, or scores */
  counts sum; /* of what the children counted */
} job;

/* ---- reading ---- */

/* Where no rewrite gains there is nothing to choose. */
static bool is_wanted(const job *j, const ww_policy_state *p) {
  ww_split split;
  if (!*p->question || ww_policy_best(p) == WW_POLICY_OFFERS)
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

/* The first states of the listed kernels, in the list's order. */
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
      if (!*all.v[k].path && strlen(line) == len && !strncmp(key, line, len)) {
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
                          uint32_t context,
                          double weight,
                          ww_buf *out) {
  ww_buf prompt = {0};
  ww_buf answer = {0};
  ww_json j = {.out = out};
  ww_policy_prompt(p, v, right->act, context, &prompt);
  ww_policy_answer(p, right, &answer);
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

/* Half of the lessons have the offers in another order: what they are is to be read,
 * not where they stand. */
static void write_lessons(job *j) {
  uint64_t random = j->o->seed ? j->o->seed : 1;
  uint64_t times = j->o->times ? j->o->times : TIMES;
  uint32_t context = j->o->context ? (uint32_t)j->o->context : CONTEXT;
  for (uint32_t k = 0; k < j->v.n; k++)
    for (uint64_t t = 0; t < times; t++) {
      ww_policy_state p = j->v.v[k];
      ww_policy_view view;
      ww_policy_call right;
      p.offers.v = WW_NEWN(j->c->arena, ww_policy_offer, p.offers.n);
      memcpy(p.offers.v, j->v.v[k].offers.v, p.offers.n * sizeof *p.offers.v);
      if (ww_random_below(ww_random(&random), 2))
        shuffle(&p, &random);
      ww_policy_lesson(&p, &random, &view, &right);
      write_example(&p, &view, &right, context, 1, &j->out);
    }
}

/* Every call that the policy chose has the way's advantage over its group. */
static void write_way(const ww_policy_state *p,
                      const ww_policy_played *way,
                      uint32_t context,
                      double advantage,
                      ww_buf *out) {
  ww_policy_call calls[WW_POLICY_CALLS];
  ww_policy_view v = way->view;
  for (v.ndone = 0; v.ndone <= way->view.ndone; v.ndone++)
    if (ww_policy_calls(p, &v, calls) > 1)
      write_example(p, &v,
                    v.ndone < way->view.ndone ? &way->view.done[v.ndone] : &way->last,
                    context, advantage + PULL, out);
}

/* ---- in children ---- */

static uint64_t random_of(const job *j, uint32_t k) {
  return ww_mix64((j->o->seed ? j->o->seed : 1) + ww_mix64(k + 1));
}

/* A group of ways through a state; every other state without tools. */
static ww_status
play_group(job *j, ww_policy *m, uint32_t k, ww_buf *out, counts *sum) {
  enum { MOST = 64 };
  const ww_policy_state *p = &j->v.v[k];
  uint64_t random = random_of(j, k);
  uint32_t n = ww_least(j->o->group ? (uint32_t)j->o->group : GROUP, MOST);
  ww_policy_played *ways = ww_xcalloc(n, sizeof *ways);
  uint32_t budget = j->o->budget ? (uint32_t)j->o->budget : BUDGET;
  ww_policy_view begin = {.tools = !(k % 2), .budget = budget};
  double mean = 0;
  double spread = 0;
  ww_status st = WW_OK;
  for (uint32_t i = 0; !st && i < n; i++) {
    st = ww_policy_play(m, p, &begin, &random, &ways[i], &j->c->err);
    mean += ways[i].reward / n;
    sum->ways[begin.tools]++;
    sum->reward[begin.tools] += ways[i].reward;
  }
  for (uint32_t i = 0; i < n; i++)
    spread += (ways[i].reward - mean) * (ways[i].reward - mean) / n;
  spread = sqrt(spread);
  for (uint32_t i = 0; !st && spread > LEAST_SPREAD && i < n; i++) {
    double advantage = (ways[i].reward - mean) / (spread + 0.02);
    advantage = fmax(-MOST_ADVANTAGE, fmin(advantage, MOST_ADVANTAGE));
    write_way(p, &ways[i], ww_policy_context(m), advantage, out);
  }
  free(ways);
  return st;
}

/* *best, *gain: of one who chooses in this state; of many ways, where it is chance. */
static ww_status score_one(job *j,
                           ww_policy *m,
                           const ww_policy_state *p,
                           uint32_t budget,
                           uint64_t *random,
                           double *best,
                           double *gain) {
  uint32_t ways = random ? CHANCE_WAYS : 1;
  ww_policy_view begin = {.tools = budget > 0, .budget = budget};
  *best = *gain = 0;
  for (uint32_t i = 0; i < ways; i++) {
    ww_policy_played way;
    ww_status st = ww_policy_play(m, p, &begin, random, &way, &j->c->err);
    if (st)
      return st;
    bool is_best =
        way.last.act == WW_CALL_APPLY && ww_policy_is_best(p, way.last.offer);
    *best += (double)is_best / ways;
    *gain += fmax(way.reward, 0) / ways; /* what is slower is not handed back */
  }
  return WW_OK;
}

static ww_status
score_state(job *j, ww_policy *m, uint32_t k, ww_buf *out, counts *sum) {
  const ww_policy_state *p = &j->v.v[k];
  uint64_t random = random_of(j, k);
  ww_json line = {.out = out};
  double best;
  double gain;
  sum->states++;
  sum->possible += log(p->us / p->offers.v[ww_policy_best(p)].us);
  ww_json_put(&line, "{key:%s,path:%s", p->key, p->path);
  for (int who = 0; who < PLAYERS; who++) {
    ww_json_put(&line, "%s:[", players[who]);
    for (int c = 0; c < COLUMNS; c++) {
      ww_status st = score_one(j, who == MODEL ? m : NULL, p, budgets[c],
                               who == CHANCE ? &random : NULL, &best, &gain);
      if (st)
        return st;
      sum->best[who][c] += best;
      sum->gain[who][c] += gain;
      ww_json_put(&line, "{best:%g,gain:%g}", best, exp(gain));
    }
    ww_json_end_arr(&line);
  }
  ww_json_put(&line, "}");
  ww_buf_puts(out, "\n");
  return WW_OK;
}

/* Every jobs-th state. "=", what it counted, the examples; or "!" and why not. */
static void work(void *ctx, uint32_t item, ww_worker *w) {
  job *j = ctx;
  ww_policy *m;
  ww_buf out = {0};
  counts sum = {0};
  ww_worker_begin(w, item);
  ww_status st = ww_policy_open(j->o->policy, 1, &m, &j->c->err);
  for (uint32_t k = item; !st && k < j->v.n; k += j->jobs)
    st = j->o->score ? score_state(j, m, k, &out, &sum)
                     : play_group(j, m, k, &out, &sum);
  ww_worker_send(w, st ? "!" : "=", 1);
  if (!st) {
    ww_worker_send(w, &sum, sizeof sum);
    ww_worker_send(w, out.s ? out.s : "", out.n);
  } else
    ww_worker_send(w, j->c->err.msg, strlen(j->c->err.msg));
  ww_worker_end(w);
}

static void
done(void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  job *j = ctx;
  double sum[sizeof(counts) / sizeof(double)];
  double *all = (double *)&j->sum;
  (void)item;
  if (death || n < 1 + sizeof sum || *bytes != '=') {
    ww_fail(&j->c->err, WW_EDATA, "%s", death ? death->why : bytes + (n > 0));
    return;
  }
  memcpy(sum, bytes + 1, sizeof sum);
  for (size_t k = 0; k < sizeof sum / sizeof *sum; k++)
    all[k] += sum[k];
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

static void tell_score(const job *j) {
  const counts *s = &j->sum;
  ww_json *w = j->c->json ? ww_line_begin() : NULL;
  if (w)
    ww_json_put(w, "states:%u,possible:%g,rows:[", (unsigned)s->states,
                exp(s->possible / s->states));
  else
    printf("%u states, gain at most %.3fx. Best first rewrite and gain without tools, "
           "and with 1, 2, 4 and 8 predictions:\n",
           (unsigned)s->states, exp(s->possible / s->states));
  for (int who = 0; who < PLAYERS; who++) {
    if (!w)
      printf("%-9s", players[who]);
    for (int c = 0; c < COLUMNS; c++) {
      double best = s->best[who][c] / s->states;
      double gain = exp(s->gain[who][c] / s->states);
      if (w)
        ww_json_put(w, "{by:%s,predictions:%u,best:%g,gain:%g}", players[who],
                    budgets[c], best, gain);
      else
        printf("  %3.0f %% %.3fx", 100 * best, gain);
    }
    if (!w)
      printf("\n");
  }
  if (w) {
    ww_json_end_arr(w);
    ww_line_end(w);
  }
}

static void tell(const job *j) {
  const counts *s = &j->sum;
  if (j->o->score)
    tell_score(j);
  else if (j->c->json && j->o->policy)
    ww_line_print("states:%u,ways:%u,with_tools:%g,without:%g", j->v.n,
                  (unsigned)(s->ways[0] + s->ways[1]),
                  s->reward[1] / fmax(s->ways[1], 1),
                  s->reward[0] / fmax(s->ways[0], 1));
  else if (j->c->json)
    ww_line_print("states:%u", j->v.n);
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
