/* dataset_episodes.c - `warpwise dataset episodes`: what rewrites make of kernels, all
 * of them tried: what a policy learns from. */
#include <unistd.h>

#include "../base/jsonread.h"
#include "../base/process_pool.h"
#include "../data/split.h"
#include "../opt/policy.h"
#include "source.h"

#define SECONDS 40
#define LAUNCHES 1
#define SLACK_S 60 /* that a kernel may take beyond its time before it is given up */

typedef struct {
  ww_ask_options ask;
  const char *output, *split;
  uint64_t seconds, minutes, launches, depth, verified, jobs, seed;
} options;

static const ww_option table[] = {
    WW_OPTION(output, "FILE", "where the states go, a line each; added to", 'o'),
    WW_OPTION(split, "NAME", "families of this split alone: train, validation or test"),
    WW_OPTION(launches, "N", "launches of a kernel, the first ones (default 1)"),
    WW_OPTION(depth, "N", "rewrites on top of one another (default 3)"),
    WW_OPTION(verified,
              "N",
              "of a state's rewrites: the fastest are verified, until N are the same "
              "kernel (default 6)"),
    WW_OPTION(seconds, "N", "time for a kernel (default 40)"),
    WW_OPTION(minutes, "N", "time for all of them (default: no limit)"),
    WW_OPTION(seed, "N", "of verify's contents and the random choices (default 1)"),
    WW_OPTION(jobs, "N", "kernels at a time (default: one per core)", 'j'),
    {0},
};

typedef struct {
  const char *key, *family;
  ww_launch launch;
} task;

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_ask ask;
  WW_VEC(task) tasks;
  FILE *out;
  double deadline; /* of all; 0: none */
  uint32_t states, failed;
} job;

/* ---- what is to be done ---- */

/* A corpus file lies in its family's folder, and so do generated ones. */
static void name(job *j, task *t, uint32_t number) {
  ww_arena *a = j->c->arena;
  const char *file = t->launch.file;
  t->family = ww_path_base(ww_path_dir(a, ww_path_real(a, file)));
  t->key =
      ww_fmt(a, "%s/%s:%s#%u", t->family, ww_path_base(file), t->launch.kernel, number);
}

static bool is_wanted(const job *j, const task *t) {
  ww_split split;
  if (!j->o->split)
    return true;
  return ww_split_known(t->family, &split) &&
         !strcmp(ww_split_names[split], j->o->split);
}

/* Launches of one kernel follow one another. */
static ww_status add_launches(job *j, const char *path) {
  ww_launch *v;
  uint32_t n;
  uint32_t most = j->o->launches ? (uint32_t)j->o->launches : LAUNCHES;
  uint32_t number = 0;
  if (ww_input_launches(j->c->arena, path, &v, &n, &j->c->err))
    return j->c->err.code;
  for (uint32_t k = 0; k < n; k++) {
    bool same = k && v[k].kernel && v[k - 1].kernel && v[k].file &&
                !strcmp(v[k].kernel, v[k - 1].kernel) &&
                !strcmp(v[k].file, v[k - 1].file);
    number = same ? number + 1 : 0;
    task t = {.launch = v[k]};
    if (!t.launch.file || !t.launch.kernel || number >= most)
      continue;
    name(j, &t, number);
    if (is_wanted(j, &t))
      ww_push(j->c->arena, &j->tasks, t);
  }
  return WW_OK;
}

static bool is_done(const char *text, const char *key, ww_arena *a) {
  return text && strstr(text, ww_fmt(a, "{\"key\":\"%s\"", key));
}

/* Those that the output has are left out. */
static ww_status leave_out(job *j) {
  char *text = NULL;
  size_t n;
  uint32_t kept = 0;
  if (ww_file_exists(j->o->output) &&
      ww_read_file(j->c->arena, j->o->output, 4ull << 30, &text, &n, &j->c->err))
    return j->c->err.code;
  for (uint32_t k = 0; k < j->tasks.n; k++)
    if (!is_done(text, j->tasks.v[k].key, j->c->arena))
      j->tasks.v[kept++] = j->tasks.v[k];
  j->tasks.n = kept;
  return WW_OK;
}

/* Families by turns: what the time suffices for is of all of them. */
static void take_turns(job *j) {
  uint32_t n = j->tasks.n;
  uint32_t taken = 0;
  uint32_t *turn = WW_NEWN(j->c->arena, uint32_t, n + 1);
  task *v = WW_NEWN(j->c->arena, task, n + 1);
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < k; i++)
      turn[k] += !strcmp(j->tasks.v[i].family, j->tasks.v[k].family);
  for (uint32_t t = 0; taken < n; t++)
    for (uint32_t k = 0; k < n; k++)
      if (turn[k] == t)
        v[taken++] = j->tasks.v[k];
  j->tasks.v = v;
}

/* ---- one kernel, in a child ---- */

static void work(void *ctx, uint32_t item, ww_worker *w) {
  job *j = ctx;
  const task *t = &j->tasks.v[item];
  ww_buf out = {0};
  ww_err e = {0};
  ww_optimize_request q = {.targets = &j->ask.targets,
                           .launch = t->launch,
                           .seed = j->o->seed ? j->o->seed : 1,
                           .processes = 1};
  ww_explore_options how = {t->key, t->family, (uint32_t)j->o->depth,
                            (uint32_t)j->o->verified};
  const char *file = t->launch.file;
  unsetenv("WARPWISE_PROGRESS");
  ww_worker_begin(w, item);
  q.deadline = ww_now() + (j->o->seconds ? j->o->seconds : SECONDS);
  if (j->deadline > 0 && j->deadline < q.deadline)
    q.deadline = j->deadline;
  bool over = j->deadline > 0 && ww_now() > j->deadline;
  ww_status st =
      over ? WW_ECANCEL
           : ww_source_of(j->c, &j->o->ask.source, &file, 1, &t->launch, &q.source);
  if (!st)
    st = ww_explore(&q, &how, j->c->arena, &out, &e);
  else
    e = j->c->err;
  if (st && !over) {
    ww_json line = {.out = &out};
    out.n = 0;
    ww_json_put(&line, "{key:%s,family:%s,error:%s}", t->key, t->family, e.msg);
    ww_buf_puts(&out, "\n");
  }
  ww_worker_send(w, out.s ? out.s : "", out.n);
  ww_worker_end(w);
  ww_buf_free(&out);
}

static void
done(void *ctx, uint32_t item, char *bytes, size_t n, const ww_worker_death *death) {
  job *j = ctx;
  const task *t = &j->tasks.v[item];
  if (death) {
    ww_json line = {0};
    ww_json_put(&line, "{key:%s,family:%s,error:%s}", t->key, t->family, death->why);
    fprintf(j->out, "%s\n", line.own.s);
    ww_buf_free(&line.own);
  } else
    fwrite(bytes, 1, n, j->out);
  fflush(j->out);
  bool failed = death || (n && strstr(bytes, ",\"error\":\""));
  j->failed += failed;
  for (size_t k = 0; !failed && k < n; k++)
    j->states += bytes[k] == '\n';
}

static ww_status work_all(job *j) {
  uint64_t seconds = j->o->seconds ? j->o->seconds : SECONDS;
  ww_process_pool pool = {.ctx = j,
                          .work = work,
                          .done = done,
                          .processes = (uint32_t)j->o->jobs,
                          .limit_s = (uint32_t)seconds + SLACK_S,
                          .items = j->tasks.n,
                          .what = "kernels"};
  if (!j->tasks.n)
    return WW_OK;
  return ww_process_pool_run(&pool, j->tasks.n, &j->c->err);
}

static ww_status run(ww_cmd *c) {
  job j = {.c = c, .o = c->opt};
  if (!c->noperands || !j.o->output)
    return ww_usage(c, "name lists of launches and where the states go: "
                       "corpus/launches.jsonl -o episodes.jsonl");
  if (ww_word_option(c, "split", j.o->split, "train validation test") < 0)
    return WW_EUSAGE;
  ww_status st = ww_ask_targets(c, &j.o->ask, &j.ask);
  for (uint32_t k = 0; !st && k < c->noperands; k++)
    st = add_launches(&j, c->operands[k]);
  if (!st)
    st = leave_out(&j);
  if (st)
    return st;
  take_turns(&j);
  j.deadline = j.o->minutes ? ww_now() + 60.0 * (double)j.o->minutes : 0;
  j.out = fopen(j.o->output, "a");
  if (!j.out)
    return ww_fail(&c->err, WW_EIO, "cannot write '%s'", j.o->output);
  st = work_all(&j);
  if (fclose(j.out) && !st)
    st = ww_fail(&c->err, WW_EIO, "cannot write '%s'", j.o->output);
  if (c->json)
    ww_line_print("kernels:%u,states:%u,failed:%u", j.tasks.n, j.states, j.failed);
  else
    printf("%u kernels, %u states; %u kernels could not be explored\n", j.tasks.n,
           j.states, j.failed);
  return st;
}

const ww_command ww_cmd_dataset_episodes = {
    "episodes",
    "all rewrites of kernels, predicted and verified: what a policy learns from",
    "LAUNCHES... -o FILE [options]",
    .details =
        "A line of JSON for each state of a kernel: its code as the text model reads "
        "it, its launch, predicted time,\n"
        "terms and findings, and every rewrite with its predicted time and what became "
        "of it. Goes on from the best\n"
        "rewrite and from a random one. Families take turns. Kernels that the file "
        "has already are left out. "
        "docs/policy.md says how they are used.",
    .examples = "  warpwise dataset episodes corpus/launches.jsonl --split train -o "
                "train.jsonl\n"
                "  warpwise dataset episodes gen.map/launches.jsonl --seconds 20 -o "
                "gen.jsonl\n",
    WW_OPTIONS,
    .run = run,
};
