/* optimize.c - `warpwise optimize`: a kernel rewritten to be faster, verified, as a
 * patch. */
#include "../opt/optimize.h"

#include <stdlib.h>
#include <unistd.h>

#include "../base/jsonread.h"
#include "../opt/fuse.h"
#include "../opt/policy.h"
#include "../query/input.h"
#include "../predict/show/show.h"
#include "source.h"

#define SECONDS 110

typedef struct {
  ww_ask_options ask;
  const char *patch, *page, *output, *propose, *resume, *with, *policy, *fuse;
  uint64_t predictions, beam, rounds, seed, seconds, jobs;
  bool allow_approx, may_overlap, all, measure;
} options;

/* What comes from the command line of each run, not from the job. */
static const char *const own_options[] = {"patch",  "page", "output",  "propose",
                                          "resume", "with", "seconds", "jobs",
                                          "all",    "seed", NULL};

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(ww_ask_options),
    WW_OPTION(patch, "FILE", "write the change for `git apply` ('-': stdout)"),
    WW_OPTION(output, "FILE", "write the new source ('-': stdout)"),
    WW_OPTION(page, "FILE", "write a page: before and after, what was tried"),
    WW_OPTION(
        fuse,
        "RECORDING",
        "launches of a recorded program that follow one another become one kernel"),
    WW_OPTION(
        propose,
        "JOB",
        "write what was verified as a job for `measure --job` on another machine"),
    WW_OPTION(resume, "JOB", "go on with a job: its options, answers and results"),
    WW_OPTION(measure,
              NULL,
              "the best of each round run on the device that is here, beside the "
              "original; keeps FILE.optimize.job"),
    WW_OPTION(with, "COMPILER", "with --measure: nvcc or nvrtc"),
    WW_OPTION(beam, "N", "kernels that each round goes on from (default 3)"),
    WW_OPTION(rounds, "N", "rewrites on top of one another (default 5)"),
    WW_OPTION(policy,
              "MODEL",
              "a policy chooses what is predicted and applied (docs/policy.md)"),
    WW_OPTION(predictions, "N", "with --policy: predictions of a round (default 4)"),
    WW_OPTION_AS(allow_approx,
                 "allow-approx",
                 NULL,
                 "rewrites that give other last digits, such as fast math"),
    WW_OPTION_AS(may_overlap,
                 "may-overlap",
                 NULL,
                 "buffers may overlap: no rewrite that needs them apart"),
    WW_OPTION(all, NULL, "list candidates without a gain, too"),
    WW_OPTION(seed, "N", "of verify's contents (default: another each time)"),
    WW_OPTION(seconds, "N", "time that it may take (default 110)"),
    WW_OPTION(jobs, "N", "candidates at a time (default: one per core)", 'j'),
    WW_OPTION_OF(ww_ask_options,
                 by,
                 "by",
                 "MODEL",
                 "machine: the machine model alone; grounded (default): with what "
                 "measurements taught"),
    {0},
};

static ww_status request(ww_cmd *c, ww_ask *ask, ww_optimize_request *out) {
  const options *o = c->opt;
  ww_launch *launches;
  uint32_t n;
  ww_status st = ww_source_launches(c, &o->ask.source, &launches, &n);
  if (!st)
    st = ww_ask_targets(c, &o->ask, ask);
  if (st)
    return st;
  if (n != 1)
    return ww_usage(c, "optimize takes one launch at a time");
  c->file = launches->file;
  *out = (ww_optimize_request){.targets = &ask->targets,
                               .launch = *launches,
                               .beam = o->beam,
                               .rounds = o->rounds,
                               .predictions = (uint32_t)o->predictions,
                               .seed = o->seed ? o->seed : ww_verify_fresh_seed(),
                               .processes = o->jobs < UINT32_MAX ? o->jobs : 0,
                               .approximate = o->allow_approx,
                               .overlap = o->may_overlap};
  out->deadline = ww_now() + (o->seconds ? o->seconds : SECONDS);
  const char *file = launches->file;
  const char **files = c->noperands ? c->operands : &file;
  return ww_source_of(c, &o->ask.source, files, c->noperands ? c->noperands : 1,
                      launches, &out->source);
}

static ww_status write_files(ww_cmd *c, const ww_optimized *r, const ww_gpu *g) {
  const options *o = c->opt;
  const char *old = r->v.v[0].text;
  const char *now = r->v.v[r->best].text;
  ww_status st = WW_OK;
  ww_buf b = {0};
  if (o->patch) {
    ww_patch_write(ww_path_from_here(r->path, c->arena), old, now, c->arena, &b);
    st = ww_write_text(o->patch, &b, &c->err);
  }
  if (!st && o->output) {
    ww_buf_puts(&b, now);
    st = ww_write_text(o->output, &b, &c->err);
  }
  if (!st && o->page) {
    ww_optimized_page(r, g, NULL, c->arena, &b);
    st = ww_write_text(o->page, &b, &c->err);
  }
  return st;
}

static void show(const ww_cmd *c, const ww_optimized *r) {
  const options *o = c->opt;
  bool taken = ww_is(o->patch, "-") || ww_is(o->output, "-");
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_optimized_write(r, j);
    ww_line_end(j);
  } else if (!taken) {
    ww_buf text = {0};
    ww_optimized_print(r, o->all, &text);
    if (r->best && !o->patch) {
      ww_buf_puts(&text, "\n");
      ww_patch_write(ww_path_from_here(r->path, c->arena), r->v.v[0].text,
                     r->v.v[r->best].text, c->arena, &text);
    }
    ww_print_buf(&text);
  }
}

/* ---- the job ---- */

static const char *hash_of(const ww_optimize_request *q, ww_arena *a) {
  char *text;
  size_t n;
  ww_err ignored;
  if (q->source.text)
    return ww_fmt(a, "%016lx", ww_hash(q->source.text, strlen(q->source.text), 0));
  return ww_read_file(a, q->source.path, 32 << 20, &text, &n, &ignored)
             ? ""
             : ww_fmt(a, "%016lx", ww_hash(text, n, 0));
}

/* The command line, so that --resume can go on with the same search. */
static const char *settings_of(const ww_cmd *c, const ww_optimize_request *q) {
  ww_strings words = {0};
  ww_json j = {0};
  ww_options_words(&ww_cmd_optimize, c, own_options, &words);
  for (uint32_t k = 0; k < c->noperands; k++)
    ww_push(c->arena, &words, ww_path_real(c->arena, c->operands[k]));
  ww_json_put(&j, "{kernel?:%s,file:%s,seed:%lu,text:%s,", q->launch.kernel,
              q->source.path, q->seed, hash_of(q, c->arena));
  ww_json_strings(&j, "words", words.v, words.n);
  ww_json_strings(&j, "flags", c->rest, c->nrest);
  ww_json_put(&j, "}");
  return ww_buf_text(&j.own, c->arena);
}

static ww_status create_job(ww_cmd *c, ww_optimize_request *q, ww_job *j, int *held) {
  const options *o = c->opt;
  const char *path = o->propose;
  if (!path)
    path = ww_fmt(c->arena, "%s.optimize.job", c->operands[0]);
  if (ww_file_exists(path))
    return ww_usage(c, "%s is there: --resume %s goes on with it", path, path);
  *j = (ww_job){.path = path,
                .tool = "optimize",
                .gpu = q->targets->gpus->name,
                .settings = settings_of(c, q),
                .a = c->arena};
  ww_status st = ww_job_create(j, &c->err);
  return st ? st : ww_job_hold(path, held, &c->err);
}

static void add_words(const cJSON *list, ww_arena *a, ww_strings *out) {
  for (const cJSON *w = list ? list->child : NULL; w; w = w->next)
    if (cJSON_IsString(w))
      ww_push(a, out, ww_strdup(a, w->valuestring));
}

/* The options of the run that made the job, with this one's own. */
static ww_status take_settings(ww_cmd *c, const ww_job *j, const char **text) {
  const options own = *(const options *)c->opt;
  ww_strings words = {0};
  cJSON *settings = ww_json_read(j->settings, strlen(j->settings), &c->err);
  if (!settings)
    return c->err.code;
  ww_push(c->arena, &words, "optimize");
  add_words(cJSON_GetObjectItemCaseSensitive(settings, "words"), c->arena, &words);
  ww_push(c->arena, &words, "--");
  add_words(cJSON_GetObjectItemCaseSensitive(settings, "flags"), c->arena, &words);
  *text = ww_json_text(settings, "text", c->arena);
  ww_status st = ww_options_parse(&ww_cmd_optimize, (int)words.n, (char **)words.v, c);
  options *o = c->opt;
  o->seed = ww_json_whole(settings, "seed");
  o->seconds = own.seconds;
  o->jobs = own.jobs;
  o->measure |= own.measure;
  o->with = own.with;
  o->patch = own.patch;
  o->output = own.output;
  o->page = own.page;
  o->all = own.all;
  c->gpu = j->gpu;
  cJSON_Delete(settings);
  return st;
}

/* ---- the search ---- */

/* A line that counts on a terminal. */
static void tell(void *ctx, const ww_candidate *k, uint32_t id) {
  const ww_cmd *c = ctx;
  char us[16];
  if (c->quiet || !isatty(STDERR_FILENO))
    return;
  fprintf(stderr, "\r\033[K%u %s: %s", id, k->title, ww_show_us(k->us, us));
}

typedef struct {
  ww_ask ask;
  ww_job job;
  ww_job_how how;
  int held;
  ww_optimized out;
} session;

/* `text`: of the job that is gone on with; NULL: a new search. */
static ww_status search(ww_cmd *c, session *s, const char *text) {
  const options *o = c->opt;
  ww_optimize_request q;
  ww_status st = request(c, &s->ask, &q);
  if (!st && text && strcmp(text, hash_of(&q, c->arena)) != 0)
    st = ww_fail(&c->err, WW_EDATA,
                 "%s has changed since the job was made: begin a new one",
                 q.source.path);
  if (!st && !text && (o->propose || o->measure))
    st = create_job(c, &q, &s->job, &s->held);
  if (st)
    return st;
  s->how = (ww_job_how){.device = c->device,
                        .with = o->with,
                        .self = ww_self_path(c->arena),
                        .processes = q.processes};
  q.job = s->job.path ? &s->job : NULL;
  q.measure = o->measure ? &s->how : NULL;
  q.ctx = c;
  q.tried = tell;
  st = o->policy ? ww_policy_open(o->policy, 0, &q.policy, &c->err) : WW_OK;
  if (!st)
    st = ww_optimize(&q, c->arena, &s->out, &c->err);
  ww_policy_close(q.policy);
  if (!c->quiet && isatty(STDERR_FILENO))
    fputs("\r\033[K", stderr);
  return st;
}

/* What was proposed and measured elsewhere: the job says all. */
static ww_status decide(ww_cmd *c, session *s) {
  const options *o = c->opt;
  uint32_t measured;
  if (o->page)
    return ww_usage(c, "--page: of a search, not of a job that was measured elsewhere");
  ww_status st = ww_optimized_resume(&s->job, c->arena, &s->out, &measured, &c->err);
  if (!st && !measured)
    st = ww_fail(&c->err, WW_EUSAGE,
                 "nothing of '%s' is measured yet: run `warpwise measure --job` on it",
                 s->job.path);
  return st;
}

/* A search that did not come to its end goes on; so does one that a device decides. */
static ww_status resume(ww_cmd *c, session *s) {
  const options own = *(const options *)c->opt;
  const char *text = NULL;
  if (own.propose || c->noperands)
    return ww_usage(c, "--resume takes the job alone, with --measure, --patch, "
                       "--output, --page or --json");
  ww_status st = ww_job_hold(own.resume, &s->held, &c->err);
  if (!st)
    st = ww_job_read(own.resume, c->arena, &s->job, &c->err);
  if (!st && strcmp(s->job.tool, "optimize") != 0)
    st = ww_fail(&c->err, WW_EUSAGE, "'%s' is not a job of optimize", own.resume);
  if (!st)
    st = take_settings(c, &s->job, &text);
  if (st)
    return st;
  bool complete = !text || ww_optimized_complete(&s->job);
  return complete && !((const options *)c->opt)->measure ? decide(c, s)
                                                         : search(c, s, text);
}

/* ---- a recorded program ---- */

static ww_status fuse(ww_cmd *c) {
  const options *o = c->opt;
  ww_ask ask;
  ww_launch *launches;
  ww_fusions found;
  ww_buf b = {0};
  uint32_t n;
  if (c->noperands || o->ask.source.launch || o->ask.source.kernel || o->propose ||
      o->resume || o->measure || o->policy || o->page || o->output)
    return ww_usage(c, "--fuse takes a recording alone, with --patch, --gpu, --all, "
                       "--seed, --seconds, --may-overlap or --json");
  ww_status st = ww_ask_targets(c, &o->ask, &ask);
  if (!st)
    st = ww_input_launches(c->arena, o->fuse, &launches, &n, &c->err);
  if (st)
    return st;
  ww_source *sources = WW_NEWN(c->arena, ww_source, n + 1);
  for (uint32_t k = 0; k < n; k++)
    if (launches[k].file && ww_source_of(c, &o->ask.source, &launches[k].file, 1,
                                         &launches[k], &sources[k]))
      return c->err.code;
  ww_fuse_request q = {.launches = launches,
                       .sources = sources,
                       .n = n,
                       .targets = &ask.targets,
                       .seed = o->seed ? o->seed : ww_verify_fresh_seed(),
                       .deadline = ww_now() + (o->seconds ? o->seconds : SECONDS),
                       .overlap = o->may_overlap};
  st = ww_fuse(&q, c->arena, &found, &c->err);
  if (st)
    return st;
  ww_fusions_patch(&found, c->arena, &b);
  if (o->patch && (st = ww_write_text(o->patch, &b, &c->err)))
    return st;
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_fusions_write(&found, c->arena, j);
    ww_line_end(j);
  } else if (!ww_is(o->patch, "-")) {
    ww_buf text = {0};
    ww_fusions_print(&found, o->all, &text);
    if (!o->patch && b.n)
      ww_buf_fmt(&text, "\n%s", b.s);
    ww_print_buf(&text);
  }
  return WW_OK;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  session s = {.held = -1};
  if (o->fuse)
    return fuse(c);
  if (!c->noperands && !o->ask.source.launch && !o->resume)
    return ww_usage(c, "name a source file");
  if (o->policy && o->measure)
    return ww_usage(c, "--policy goes by prediction: leave --measure out");
  if (o->measure && !o->propose && !o->resume && !c->noperands)
    return ww_usage(c, "--measure needs a name for its job: --propose JOB");
  ww_status st = o->resume ? resume(c, &s) : search(c, &s, NULL);
  if (!st)
    st = write_files(c, &s.out, s.ask.targets.gpus);
  if (!st)
    show(c, &s.out);
  ww_job_release(s.held);
  return st;
}

const ww_command ww_cmd_optimize = {
    "optimize",
    "makes a kernel faster: rewrites are predicted, verified, and come as a patch",
    "FILE [options] [-- clang flags]",
    .details =
        "Rewrites of the source (block sizes, coalescing, atomics, registers, loops) "
        "are "
        "tried on top of one another;\n"
        "what promises a gain is verified against the original in the interpreter. No "
        "GPU is needed. A change of the\n"
        "launch is made in the kernel's comment and in <<<...>>> of the same file.",
    .examples = "  warpwise optimize matmul.cu --patch matmul.patch\n"
                "  warpwise optimize sum.cu --kernel sum --arg n=1e7 --gpu h200\n"
                "  warpwise optimize blur.cu --page blur.html --json\n"
                "  warpwise optimize blur.cu --measure --patch blur.patch\n"
                "  warpwise optimize --fuse launches.jsonl --patch fused.patch\n",
    WW_OPTIONS,
    .run = run,
};
