/* train.c - `warpwise train`: its options; --machine, which fits the time model's
 * parameters on measured launches; --correction, which learns what the machine model
 * gets wrong. Both say how good the result is on kernels it has not seen. */
#include <math.h>
#include <stdlib.h>

#include "../base/jsonread.h"
#include "../data/features.h"
#include "../data/split.h"
#include "../predict/learn/fit.h"
#include "../predict/learn/score.h"
#include "source.h"
#include "train.h"

typedef ww_train_options options;

static const ww_option table[] = {
    WW_OPTION(
        machine, "DATA", "measured reports of the corpus, JSON lines, .zst or plain"),
    WW_OPTION(
        correction,
        NULL,
        "learn what the machine model gets wrong, from the stores and reports named"),
    WW_OPTION(out,
              "FILE|DIR",
              "where it goes (default models/machine.json, models/correction.json.zst)",
              'o'),
    WW_OPTION_AS(
        true_counters,
        "true-counters",
        NULL,
        "put measured counters in: how good is the time model alone? writes nothing"),
    WW_OPTION_AS(no_cross,
                 "no-cross",
                 NULL,
                 "no cross-validation: intervals are then from the fit itself"),
    WW_OPTION(
        features,
        "FILE",
        "with --correction: keep the predicted rows there, or take them from there "
        "(repeatable)"),
    WW_OPTION(rows,
              "N",
              "at most so many launches: with --machine of the data, evenly spread; "
              "with --correction of "
              "generated kernels (default 24000)"),
    WW_OPTION(
        each,
        "N",
        "with --correction: launches of one generated kernel at most (default 2)"),
    WW_OPTION(
        corpus,
        "DIR",
        "with --correction: where the written kernels' files are (default corpus)"),
    WW_OPTION(sources,
              "DIR",
              "with --correction: the folder that imported kernels came from; without "
              "it their rows are left out"),
    WW_OPTION(
        score,
        NULL,
        "with --correction: learn nothing, score what is in -o FILE on the test split"),
    WW_OPTION(intervals,
              NULL,
              "with --correction: keep what is in -o FILE, learn the intervals of its "
              "times again"),
    WW_OPTION(markdown, NULL, "with --correction: the tables as markdown"),
    WW_OPTION(rounds, "N", "with --correction: trees of a metric at most"),
    WW_OPTION(leaves, "N", "with --correction: leaves of a tree"),
    WW_OPTION(jobs,
              "N",
              "with --correction: processes, with --lm: threads that read (default: "
              "one per core)",
              'j'),
    WW_OPTION(budget, "N", "with --correction: warp instructions to trace of a launch"),
    WW_OPTION_AS(
        model,
        "lm",
        "DIR|new",
        "a language model: one to train further (folder or .gguf), or a new one"),
    WW_OPTION(
        data,
        "FILE",
        "with --lm and --tokenizer: examples, JSON lines, .zst or plain (repeatable; "
        "docs/training.md)"),
    WW_OPTION(valid, "FILE", "held-out examples that the loss is also taken of"),
    WW_OPTION(
        tokenizer,
        "FILE",
        "tokenizer.json of a new model; without --lm: trains one and writes it there"),
    WW_OPTION(
        special,
        "TOKEN",
        "of a tokenizer to train: a special token (default: those of our questions)"),
    WW_OPTION(width, "N", "of a new model: width (default 256)"),
    WW_OPTION(layers, "N", "layers (default 8)"),
    WW_OPTION(heads, "N", "attention heads (default: width / 64)"),
    WW_OPTION_AS(
        kv_heads, "kv-heads", "N", "heads of keys and values (default: as many)"),
    WW_OPTION(hidden, "N", "of the MLP (default: 8/3 of the width)"),
    WW_OPTION(context, "N", "longest document in tokens (default 1024)"),
    WW_OPTION(
        vocab, "N", "entries of a tokenizer to train, or of a new model's embedding"),
    WW_OPTION_AS(feature_tokens,
                 "feature-tokens",
                 "N",
                 "tokens in front that take an example's features (default: as the "
                 "prompts begin)"),
    WW_OPTION_AS(
        add_heads,
        "add-heads",
        NULL,
        "give a model that has none what the data's numbers and features need"),
    WW_OPTION(untied, NULL, "of a new model: the head is a matrix of its own"),
    WW_OPTION(steps, "N", "updates"),
    WW_OPTION(epochs, "X", "or passes over the data (default 1)"),
    WW_OPTION(batch, "ROWS", "rows on the device at a time (default 16)"),
    WW_OPTION(tokens,
              "T",
              "of a row; documents are packed into rows (default: the context, at most "
              "1024)"),
    WW_OPTION(accumulate, "K", "batches of a step (default 1)"),
    WW_OPTION(
        lr, "X", "highest learning rate (default: new 1e-3, LoRA 2e-4, else 2e-5)"),
    WW_OPTION_AS(lr_least,
                 "lr-least",
                 "X",
                 "what the cosine ends at, as a share of it (default 0.1)"),
    WW_OPTION(warmup, "N", "steps until it is reached (default: 3 % of them)"),
    WW_OPTION(decay, "X", "weight decay of matrices (default 0.1, LoRA 0)"),
    WW_OPTION(clip, "X", "longest gradient (default 1, 0: any)"),
    WW_OPTION(beta2, "X", "of AdamW (default 0.95)"),
    WW_OPTION(dropout,
              "X",
              "share of what each half of a layer adds that is left out while learning "
              "(default 0)"),
    WW_OPTION(average,
              "X",
              "write the mean of the values over this share of the steps, the last "
              "ones (default 0: the "
              "last values)"),
    WW_OPTION(noise,
              "X",
              "share of prompts' tokens and of features that is disturbed while "
              "learning (default 0)"),
    WW_OPTION_AS(number_weight,
                 "number-weight",
                 "X",
                 "of the numbers' loss beside the tokens' (default 1)"),
    WW_OPTION(lora, "R", "learn adapters of rank R, the model stays as it is"),
    WW_OPTION(alpha, "A", "their scale is A / R (default 2 R)"),
    WW_OPTION(merge, NULL, "write the model with the adapters added, not the adapters"),
    WW_OPTION(seed, "N", "of the order of examples and of first weights (default 1)"),
    WW_OPTION(precision, "P", "on a GPU: bf16 (default) or fp32"),
    WW_OPTION(deterministic, NULL, "on a GPU: the same bits each time; slower"),
    WW_OPTION_AS(
        save_as, "save-as", "TYPE", "weights written as f32 (default), f16 or bf16"),
    WW_OPTION(checkpoint, "DIR", "where the state is kept"),
    WW_OPTION(every, "N", "steps between checkpoints (default 500)"),
    WW_OPTION(resume, NULL, "go on from the checkpoint, exactly"),
    WW_OPTION(minutes, "M", "stop in time, with a checkpoint"),
    WW_OPTION_AS(check_every,
                 "valid-every",
                 "N",
                 "steps between evaluations (default: 20 of them)"),
    WW_OPTION_AS(
        check_rows, "valid-rows", "N", "rows of an evaluation at most (default 512)"),
    WW_OPTION(
        patience,
        "N",
        "stop after N evaluations that are no better; the best values are written"),
    WW_OPTION(
        ranks,
        "WAY",
        "in a parallel job: how ranks sum gradients: auto (default), nccl, sockets; "
        "none: this process trains alone"),
    WW_OPTION(parts,
              "FOLDER",
              "in a parallel job: where ranks find one another (default: beside the "
              "output)"),
    WW_OPTION(wait,
              "SECONDS",
              "in a parallel job: the longest silence of another rank (default 600)"),
    WW_OPTION(log, "FILE", "a JSON object a step"),
    WW_OPTION_AS(log_every,
                 "log-every",
                 "N",
                 "steps between readings of the loss, each of which waits for the GPU "
                 "(default 1)"),
    WW_OPTION(curve, "FILE", "the loss as a picture, SVG"),
    WW_OPTION_AS(
        peak, "peak-tflops", "X", "of the device, for MFU (default: as known)"),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  const char *dir;
  ww_gpu gpu;
  bool gpu_known;
  ww_source_cache cache;
  WW_VEC(ww_fit_sample) samples;
  uint32_t refused;
} job;

static ww_status gpu_of(job *j, const char *name) {
  if (j->c->gpu)
    name = j->c->gpu;
  if (j->gpu_known && !strcmp(j->gpu.name, name))
    return WW_OK;
  if (j->gpu_known)
    return ww_fail(&j->c->err, WW_EDATA,
                   "the data is of several GPUs (%s, %s): fit on one at a time",
                   j->gpu.name, name);
  j->gpu_known = true;
  return ww_gpu_load(name, j->c->arena, &j->gpu, &j->c->err);
}

/* What the model says of one measured launch, without the time. */
static ww_status
predict(job *j, ww_launch *l, const ww_report *measured, ww_fit_sample *s) {
  ww_cmd c = *j->c; /* without operands: the launch names its file */
  c.noperands = 0;
  ww_status st = ww_source_kernel(&c, &ww_source_plain, &j->cache, l);
  if (st)
    return j->c->err = c.err, st;
  ww_arena *a = ww_arena_new();
  ww_prediction *p = WW_NEW(a, ww_prediction);
  ww_query_targets q = {
      .gpus = &j->gpu,
      .n = 1,
      .params = &ww_params_default,
      .one_contents = true,
  };
  st = ww_query_predict(j->cache.read.unit, j->cache.fn, l, &q, NULL, a, p, &j->c->err);
  if (!st)
    s->work = p->work;
  if (!st && j->o->true_counters)
    ww_work_measured(&s->work, measured);
  ww_arena_free(a);
  return st;
}

static ww_status add_row(job *j, const char *line) {
  ww_arena *a = j->c->arena;
  ww_report measured;
  ww_launch l;
  ww_status st = ww_report_parse(line, a, &measured, &j->c->err);
  if (st || measured.error.code || !measured.launch || !measured.gpu ||
      !measured.m[WW_M_time_us].known)
    return st;
  cJSON *row = ww_json_read(line, strlen(line), &j->c->err);
  if (!row)
    return j->c->err.code;
  ww_fit_sample s = {.measured_us = measured.m[WW_M_time_us].value,
                     .family = ww_json_text(row, "family", a),
                     .name = measured.kernel};
  cJSON_Delete(row);
  if (!s.family)
    s.family = s.name;
  ww_split split;
  if (ww_split_known(s.family, &split) && split == WW_SPLIT_TEST)
    return WW_OK; /* what models are judged on */
  if (gpu_of(j, measured.gpu))
    return j->c->err.code;
  ww_launch_locate(measured.launch, j->dir, a, &l);
  if (predict(j, &l, &measured, &s)) { /* the fit goes on without it, and says so */
    ww_cmd_complain(j->c);
    j->refused++;
    return WW_OK;
  }
  ww_push(a, &j->samples, s);
  return WW_OK;
}

static ww_status read_all(job *j) {
  char *text;
  char *line;
  size_t n;
  ww_status st =
      ww_input_packed(j->c->arena, j->o->machine, 1 << 30, &text, &n, &j->c->err);
  uint64_t rows = 0;
  uint64_t row = 0;
  for (size_t k = 0; !st && k < n; k++)
    rows += text[k] == '\n';
  while (!st && text && *text) {
    line = strsep(&text, "\n");
    uint64_t want = j->o->rows && j->o->rows < rows ? j->o->rows : rows;
    bool take = (row + 1) * want / rows != row * want / rows;
    if (*line && take)
      st = add_row(j, line);
    ww_progress("tracing", ++row, rows);
  }
  if (!st && j->samples.n < 20)
    st = ww_fail(&j->c->err, WW_EDATA,
                 "%s: %u measured launches could be traced; a fit needs at least 20",
                 j->o->machine, j->samples.n);
  return st;
}

/* ---- what it says ---- */

static void print_error(const char *what, const ww_fit_error *e) {
  printf("  %-22s %5u  %7.1f %%  %7.1f %%  %8.3f  %8.0f %%\n", what, e->n,
         100 * e->median, 100 * e->mean, e->log_mean, 100 * e->within20);
}

static void print_result(const job *j, const ww_fit_result *r) {
  printf("time on %s, %u launches (%u could not be traced)\n", j->gpu.name,
         j->samples.n, j->refused);
  printf("  %-22s %5s  %9s  %9s  %8s  %10s\n", "", "n", "median", "mean", "|ln|",
         "within 20%");
  print_error("before", &r->start);
  print_error("fitted", &r->fitted);
  if (r->crossed.n)
    print_error("family left out", &r->crossed);
  for (uint32_t f = 0; r->crossed.n && f < r->nfamilies; f++)
    print_error(r->families[f], &r->by_family[f]);
  printf("parameters\n");
  for (uint32_t k = 0; k < ww_nparams; k++)
    printf("  %-16s %8.4g  %s\n", ww_param_table[k].name,
           ((const double *)&r->params)[k], ww_param_table[k].meaning);
}

/* ---- a correction ---- */

static const char *shipped = "models/correction.json.zst";

static ww_status rows_of(ww_cmd *c, const ww_train_options *o, ww_feature_table *t) {
  ww_feature_options f = {.inputs = c->operands,
                          .ninputs = c->noperands,
                          .corpus = o->corpus,
                          .gpu = c->gpu,
                          .rows = o->rows,
                          .each = o->each,
                          .processes = o->jobs,
                          .budget = o->budget,
                          .test = o->score,
                          .imported = o->sources,
                          .kept = o->features.v,
                          .nkept = o->features.n};
  ww_status st = ww_features_make(&f, c->arena, t, &c->err);
  if (!st && t->seconds > 0 && !c->quiet)
    fprintf(stderr, "%u launches predicted in %.0f s, %u could not be%s%s\n", t->n,
            t->seconds, t->failed, t->failed ? ", such as " : "",
            t->failed ? t->why : "");
  return st;
}

static void line(const ww_train_options *o,
                 const char *what,
                 const ww_correct_score *s,
                 bool points) {
  double k = points ? 1 : 100;
  const char *unit = points ? "pt" : "%";
  if (!s->n)
    return;
  printf(o->markdown
             ? "| %s | %u | %.1f %s | %.1f %s | %.1f %s | %.1f %s | %.1f %% |\n"
             : "  %-32s %7u %7.1f %-2s %7.1f %-2s %7.1f %-2s %7.1f %-2s %6.1f %%\n",
         what, s->n, k * s->machine_median, unit, k * s->machine_mean, unit,
         k * s->median, unit, k * s->mean, unit, 100 * s->inside);
}

static void head(const ww_train_options *o, const char *title) {
  if (o->markdown)
    printf("\n| %s | launches | machine: median | mean | corrected: median | mean | in "
           "interval |\n"
           "|---|---:|---:|---:|---:|---:|---:|\n",
           title);
  else
    printf("%-34s %7s %21s %21s %8s\n%-34s %7s %10s %10s %10s %10s %8s\n", title, "",
           "machine", "corrected", "in", "", "n", "median", "mean", "median", "mean",
           "interval");
}

static void time_table(const ww_train_options *o,
                       const ww_correction *k,
                       const ww_feature_table *t) {
  static const int origins[] = {-1, WW_ORIGIN_CORPUS, WW_ORIGIN_GENERATED};
  head(o, "time");
  for (int split = o->score ? WW_SPLIT_TEST : 0; split < WW_NSPLITS; split++)
    for (int i = 0; i < 3; i++) {
      ww_correct_score s;
      char name[64];
      ww_correct_score_of(k, t->rows, t->n, WW_M_time_us, split, origins[i], &s);
      snprintf(name, sizeof name, "%s%s%s", ww_split_names[split], i ? ", " : "",
               i ? ww_origin_names[origins[i]] : "");
      line(o, name, &s, false);
    }
}

static void metric_table(const ww_train_options *o,
                         const ww_correction *k,
                         const ww_feature_table *t) {
  head(o, "test split");
  for (int m = 0; m < WW_NMETRICS; m++) {
    ww_correct_score s;
    ww_correct_score_of(k, t->rows, t->n, (ww_metric)m, WW_SPLIT_TEST, -1, &s);
    if (fabs(s.mean - s.machine_mean) > 0 || m == WW_M_time_us)
      line(o, ww_metrics[m].name, &s, ww_rule_of(m).points);
  }
}

static void family_table(const ww_train_options *o,
                         const ww_correction *k,
                         const ww_feature_table *t) {
  head(o, "time by family");
  ww_correct_row *part = ww_xcalloc(t->n + 1, sizeof *part);
  for (uint32_t f = 0; f < t->nfamilies; f++) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n; i++)
      if (t->rows[i].family == f && t->rows[i].split == WW_SPLIT_TEST)
        part[n++] = t->rows[i];
    ww_correct_score s;
    ww_correct_score_of(k, part, n, WW_M_time_us, -1, -1, &s);
    line(o, t->families[f], &s, false);
  }
  free(part);
}

static ww_status write_model(ww_cmd *c, const char *path, const ww_correction *k) {
  ww_buf b = {0};
  ww_correction_write(k, &b);
  return ww_write_packable(path, &b, 19, &c->err);
}

static ww_status learn(ww_cmd *c,
                       const ww_train_options *o,
                       const ww_feature_table *t,
                       ww_correction **out) {
  ww_buf log = {0};
  ww_correct_options f = {
      .gpu = t->gpu, .data = t->data, .rounds = o->rounds, .leaves = o->leaves};
  ww_status st = ww_correct_fit(t->rows, t->n, &f, c->arena, out, &log, &c->err);
  if (!st && log.s)
    printf("%u rows, %u families, %u kernels\n%s\n", t->n, t->nfamilies, t->nkernels,
           log.s);
  ww_buf_free(&log);
  return st ? st : write_model(c, o->out ? o->out : shipped, *out);
}

/* Into the file that they come from: its forests stay as they are. */
static ww_status learn_intervals(ww_cmd *c,
                                 const ww_train_options *o,
                                 const ww_feature_table *t,
                                 ww_correction **out) {
  const char *path = o->out ? o->out : shipped;
  ww_status st = ww_correction_read(path, c->arena, out, &c->err);
  if (!st)
    st = ww_correct_intervals(t->rows, t->n, c->arena, *out, &c->err);
  return st ? st : write_model(c, path, *out);
}

static ww_status train_correction(ww_cmd *c, const ww_train_options *o) {
  ww_feature_table t;
  ww_correction *k = NULL;
  ww_status st = rows_of(c, o, &t);
  if (st)
    return st;
  st = o->score ? ww_correction_read(o->out ? o->out : shipped, c->arena, &k, &c->err)
       : o->intervals ? learn_intervals(c, o, &t, &k)
                      : learn(c, o, &t, &k);
  if (st)
    return st;
  time_table(o, k, &t);
  metric_table(o, k, &t);
  if (!o->markdown)
    family_table(o, k, &t);
  return WW_OK;
}

/* ---- the command ---- */

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  job j = {
      .c = c,
      .o = o,
  };
  if (!!o->correction + !!o->machine + !!o->model > 1)
    return ww_usage(c, "choose one of --machine, --correction and --lm");
  if (o->model)
    return ww_train_lm(c, o);
  if (o->tokenizer)
    return ww_train_tokenizer(c, o);
  if (o->correction)
    return train_correction(c, o);
  if (!o->machine)
    return ww_usage(
        c, "say what to fit on: --machine data/corpus-h200.jsonl.zst, or --correction "
           "STORE, or --lm new --data FILE");
  j.dir = ww_path_dir(c->arena, o->machine);
  ww_status st = read_all(&j);
  ww_source_free(&j.cache);
  if (st)
    return st;
  ww_fit_result r;
  ww_fit(j.samples.v, j.samples.n, &j.gpu, !o->no_cross, c->arena, &r);
  ww_buf b = {0};
  ww_fit_write(&r, &j.gpu, ww_path_base(o->machine), &b);
  if (c->json)
    fputs(b.s, stdout);
  else
    print_result(&j, &r);
  if (!o->true_counters)
    return ww_write_buf(o->out ? o->out : "models/machine.json", &b, &c->err);
  ww_buf_free(&b);
  return WW_OK;
}

const ww_command ww_cmd_train = {
    "train",
    "fit the machine model, what is learned on top of it, or a language model",
    "--machine DATA | --correction STORE|REPORTS... | --lm DIR|new --data FILE -o DIR "
    "| "
    "--tokenizer OUT --vocab N --data FILE [options]",
    .details =
        "Traces every launch of the data, searches the free parameters of the time "
        "model "
        "(docs/model.md), and predicts each\n"
        "family of kernels with parameters found without it. Never give it data that "
        "the "
        "model is judged on.\n"
        "--correction learns log(measured / machine model) of time and counters from "
        "the "
        "trace's features; families of the\n"
        "test split are never looked at. --features FILE keeps the predicted rows, so "
        "that "
        "learning again takes seconds.\n"
        "--lm trains a language model on questions and answers, from nothing, further, "
        "or "
        "by adapters (LoRA), on a GPU or the\n"
        "processor (--device cuda, cpu or auto), alone or as ranks of mpirun or srun. "
        "Ctrl-C makes a checkpoint and leaves; "
        "docs/training.md has the formats.",
    .examples =
        "  warpwise train --machine data/corpus-h200.jsonl.zst\n"
        "  warpwise train --machine data/corpus-h200.jsonl.zst --true-counters\n"
        "  warpwise train --correction data/h200.sqlite.zst --features rows.zst\n"
        "  warpwise train --tokenizer tokenizer.json --vocab 4096 --data "
        "questions.jsonl.zst\n"
        "  warpwise train --lm new --tokenizer tokenizer.json --data "
        "questions.jsonl.zst -o model "
        "--curve loss.svg\n"
        "  warpwise train --lm Llama-3.2-3B --lora 24 --data prompts.jsonl -o adapter "
        "--checkpoint "
        "state --minutes 55\n",
    WW_OPTIONS,
    .run = run,
};
