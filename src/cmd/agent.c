/* agent.c - `warpwise agent`: a language model makes a kernel faster by calling tools;
 * what it finds is verified and comes as a patch. */
#include "../agent/agent.h"

#include <fcntl.h>
#include <unistd.h>

#include "llm.h"
#include "source.h"

#define MINUTES 10
#define TOKENS 400000
#define CALLS 40

typedef struct {
  ww_ask_options ask;
  ww_llm_options llm;
  const char *patch, *page, *output, *transcript, *with, *minutes;
  uint64_t tokens, calls, seed, jobs;
  bool plain, measure, may_overlap, allow_approx;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(ww_ask_options),
    WW_LLM_OPTIONS(options),
    WW_OPTION_AS(llm.model, "model", "NAME", "the model's name there"),
    WW_OPTION(
        plain, NULL, "tools in words, calls in the text: for models without tools"),
    WW_OPTION(tokens, "N", "of all questions and answers (default 400000)"),
    WW_OPTION(calls, "N", "of tools (default 40)"),
    WW_OPTION(minutes, "N", "that it may take (default 10)"),
    WW_OPTION(patch, "FILE", "write the change for `git apply` ('-': stdout)"),
    WW_OPTION(output, "FILE", "write the new source ('-': stdout)"),
    WW_OPTION(page, "FILE", "write a page: step by step, before and after"),
    WW_OPTION(transcript, "FILE", "write every message as a line of JSON"),
    WW_OPTION(measure,
              NULL,
              "the model may run verified versions on the device that is here; keeps "
              "FILE.agent.job"),
    WW_OPTION(with, "COMPILER", "with --measure: nvcc or nvrtc"),
    WW_OPTION_AS(may_overlap, "may-overlap", NULL, "buffers may overlap"),
    WW_OPTION_AS(allow_approx,
                 "allow-approx",
                 NULL,
                 "rewrites that give other last digits, such as fast math"),
    WW_OPTION(seed, "N", "of verify's contents (default: another each time)"),
    WW_OPTION(jobs, "N", "processes at a time (default: one per core)", 'j'),
    WW_OPTION_OF(ww_ask_options, by, "by", "MODEL", "machine or grounded (default)"),
    {0},
};

typedef struct {
  ww_ask ask;
  ww_job job;
  ww_job_how how;
  int held;
  ww_workbench bench;
  ww_transcript transcript;
  ww_agent_count count;
} session;

/* ---- the endpoint ---- */

static ww_status open_llm(ww_cmd *c, ww_llm *out) {
  const options *o = c->opt;
  ww_llm_http_options how;
  ww_status st = ww_llm_read_options(c, &o->llm, &how);
  how.style.plain = o->plain;
  return st ? st : ww_llm_http(&how, out, &c->err);
}

/* ---- the kernel ---- */

static ww_status request(ww_cmd *c, session *s, ww_optimize_request *out) {
  const options *o = c->opt;
  ww_launch *launches;
  uint32_t n;
  double minutes = MINUTES;
  ww_status st = ww_llm_real(c, "minutes", o->minutes, 1e6, &minutes);
  if (!st)
    st = ww_source_launches(c, &o->ask.source, &launches, &n);
  if (!st)
    st = ww_ask_targets(c, &o->ask, &s->ask);
  if (!st && n != 1)
    st = ww_usage(c, "agent takes one launch at a time");
  if (st)
    return st;
  c->file = c->operands[0];
  *out = (ww_optimize_request){.targets = &s->ask.targets,
                               .launch = *launches,
                               .seed = o->seed ? o->seed : ww_verify_fresh_seed(),
                               .processes = o->jobs < UINT32_MAX ? o->jobs : 0,
                               .approximate = o->allow_approx,
                               .overlap = o->may_overlap};
  out->deadline = ww_now() + 60 * minutes;
  return ww_source_of(c, &o->ask.source, c->operands, c->noperands, launches,
                      &out->source);
}

/* Measured candidates are kept in a job, as optimize's are. */
static ww_status open_job(ww_cmd *c, session *s, ww_optimize_request *q) {
  const options *o = c->opt;
  if (!o->measure)
    return WW_OK;
  const char *path = ww_fmt(c->arena, "%s.agent.job", c->operands[0]);
  if (ww_file_exists(path))
    return ww_usage(c, "%s is there: move it away", path);
  s->job = (ww_job){.path = path,
                    .tool = "agent",
                    .gpu = q->targets->gpus->name,
                    .settings = "{}",
                    .a = c->arena};
  s->how = (ww_job_how){.device = c->device,
                        .with = o->with,
                        .self = ww_self_path(c->arena),
                        .processes = q->processes};
  ww_status st = ww_job_create(&s->job, &c->err);
  if (!st)
    st = ww_job_hold(path, &s->held, &c->err);
  q->job = &s->job;
  q->measure = &s->how;
  return st;
}

/* ---- what comes out ---- */

static ww_status write_files(ww_cmd *c, const session *s) {
  const options *o = c->opt;
  const ww_optimized *r = &s->bench.all;
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
    ww_transcript_page(&s->transcript, &s->bench, s->ask.targets.gpus, &b);
    st = ww_write_text(o->page, &b, &c->err);
  }
  return st;
}

static void show(const ww_cmd *c, const session *s) {
  const options *o = c->opt;
  const ww_optimized *r = &s->bench.all;
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_optimized_write(r, j);
    ww_json_put(j, "agent:{");
    ww_agent_count_write(&s->count, &s->bench, j);
    ww_json_put(j, "}");
    ww_line_end(j);
  } else if (!ww_is(o->patch, "-") && !ww_is(o->output, "-")) {
    ww_buf text = {0};
    ww_optimized_print(r, true, &text);
    ww_buf_fmt(&text, "\n%u answers, %u calls, %lu tokens\n", s->count.answers,
               s->count.calls, s->count.tokens);
    if (r->best && !o->patch)
      ww_patch_write(ww_path_from_here(r->path, c->arena), r->v.v[0].text,
                     r->v.v[r->best].text, c->arena, &text);
    ww_print_buf(&text);
  }
}

static void tell(void *ctx, const char *line) {
  const ww_cmd *c = ctx;
  if (!c->quiet)
    fprintf(stderr, "%s\n", line);
}

/* ---- the run ---- */

/* Readable by its owner alone: it holds the source. */
static ww_status open_transcript(ww_cmd *c, session *s) {
  const options *o = c->opt;
  s->transcript = (ww_transcript){.begun = ww_now(), .a = c->arena};
  if (!o->transcript)
    return WW_OK;
  int fd = open(o->transcript, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  s->transcript.f = fd < 0 ? NULL : fdopen(fd, "w");
  return s->transcript.f ? WW_OK
                         : ww_fail(&c->err, WW_EIO, "cannot write %s", o->transcript);
}

static ww_status talk(ww_cmd *c, session *s, const ww_llm *llm) {
  const options *o = c->opt;
  ww_optimize_request q;
  ww_status st = request(c, s, &q);
  if (!st)
    st = open_job(c, s, &q);
  if (!st)
    st = open_transcript(c, s);
  if (!st)
    st = ww_bench_open(&s->bench, &q, c->arena, &c->err);
  if (st)
    return st;
  ww_tools tools = {.b = &s->bench};
  ww_agent_budget budget = {.tokens = o->tokens ? o->tokens : TOKENS,
                            .calls =
                                o->calls && o->calls < UINT32_MAX ? o->calls : CALLS,
                            .deadline = q.deadline,
                            .ctx = c,
                            .step = tell};
  ww_transcript_begin(&s->transcript, &s->bench, o->llm.model);
  st = ww_agent_run(&tools, llm, &budget, &s->transcript, &s->count, &c->err);
  if (!st)
    st = write_files(c, s);
  if (!st && s->transcript.failed)
    st = ww_fail(&c->err, WW_EIO, "%s could not be written whole", o->transcript);
  if (!st)
    show(c, s);
  ww_bench_close(&s->bench);
  return st;
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  session s = {.held = -1};
  ww_llm llm;
  if (!c->noperands)
    return ww_usage(c, "name a source file");
  if (!o->llm.url)
    return ww_usage(c,
                    "--llm URL says where the model is, as http://localhost:8080/v1; "
                    "without one: `warpwise optimize`");
  ww_status st = open_llm(c, &llm);
  if (st)
    return st;
  st = talk(c, &s, &llm);
  if (s.transcript.f)
    fclose(s.transcript.f);
  ww_job_release(s.held);
  llm.free(llm.ctx);
  return st;
}

const ww_command ww_cmd_agent = {
    "agent",
    "a language model makes a kernel faster by calling tools; verified, as a patch",
    "FILE --llm URL [options] [-- clang flags]",
    .details =
        "The model is given the kernel and tools: predict, explain, roofline, sweep, "
        "rewrites, its own source,\n"
        "tune, verify. Only what `verify` finds to be the same kernel, and is surely "
        "faster, is handed back.\n"
        "The key is read from " WW_LLM_KEY " or --key-file, and is written nowhere.",
    .examples =
        "  warpwise agent matmul.cu --llm http://localhost:8080/v1 --patch m.patch\n"
        "  " WW_LLM_KEY "=... warpwise agent blur.cu --llm https://api.openai.com/v1 "
        "--model NAME --page blur.html\n"
        "  warpwise agent sum.cu --llm http://localhost:11434/v1 --model NAME "
        "--transcript sum.jsonl\n",
    WW_OPTIONS,
    .run = run,
};
