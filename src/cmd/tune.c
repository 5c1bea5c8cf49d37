/* tune.c - `warpwise tune`: the best values of a kernel's parameters, by prediction,
 * and by measuring few of them.
 *
 * Four ways through: ranked by prediction alone; measured here (--measure); written as
 * a job for another machine (--propose) and gone on with (--resume); played back from
 * recorded times (--replay). All rank first. */
#include <math.h>

#include "../base/jsonread.h"
#include "../base/watchdog.h"
#include "../measure/compile.h"
#include "../opt/tune_job.h"
#include "../predict/show/show.h"
#include "measure_job.h"
#include "source.h"
#include "tune_replay.h"

#define MOST 512        /* variants that are predicted */
#define MEASUREMENTS 20 /* and measured */
#define AT_A_TIME 4     /* between two looks at what was learned */
#define ENOUGH 0.003    /* expected gain, of the time, below which it ends */
#define ROWS 10
#define MOST_VERIFIED 8 /* choices that verify may turn down */

typedef struct {
  ww_source_options source;
  ww_limit_options limits;
  ww_strings params, where, tuner;
  const char *propose, *resume, *work, *svg, *results, *by, *with;
  uint64_t most, measurements, seed, rows, jobs, pool, records;
  bool measure, no_ptxas, no_verify, replay;
} options;

static const ww_option table[] = {
    WW_SOURCE_OPTIONS(options),
    WW_OPTION_AS(
        params,
        "param",
        "NAME=VALUES",
        "BX=32..1024:x2, K=0..64:+16, TILE=1,2,4; a macro, constant, template "
        "parameter, block.x, launch_bounds (repeatable; without any the source "
        "is asked)"),
    WW_OPTION(where, "COND", "which combinations: 'BX*BY<=1024' (repeatable)"),
    WW_OPTION_AS(tuner,
                 "kernel-tuner",
                 "FILE",
                 "a space of Kernel Tuner: a T1 file or a cache (repeatable)"),
    WW_OPTION(work, "EXPR", "work that one launch does: times are divided by it"),
    WW_OPTION(measure, NULL, "run the most promising ones on the device that is here"),
    WW_OPTION(measurements, "N", "at most so many (default 20)"),
    WW_OPTION(propose, "JOB", "write a job for `measure --job` on another machine"),
    WW_OPTION(resume, "JOB", "go on with a job: its options, predictions, results"),
    WW_OPTION(
        most, "N", "variants to predict, drawn where there are more (default 512)"),
    WW_OPTION(seed, "N", "of what is drawn (default 1)"),
    WW_OPTION(rows, "N", "rows of the table (default 10)"),
    WW_OPTION(svg, "FILE", "the space as a picture"),
    WW_OPTION(results, "FILE", "what was found, in Kernel Tuner's result form (T4)"),
    WW_OPTION_AS(no_ptxas, "no-ptxas", NULL, "do not ask nvcc or NVRTC for registers"),
    WW_OPTION_AS(no_verify,
                 "no-verify",
                 NULL,
                 "do not compare the best one with the original in the interpreter"),
    WW_OPTION(by, "MODEL", "machine: the machine model alone; grounded (default)"),
    WW_OPTION(with, "COMPILER", "with --measure: nvcc or nvrtc"),
    WW_OPTION(jobs, "N", "variants at a time (default: one per core)", 'j'),
    WW_OPTION(replay,
              NULL,
              "take times from the caches of --kernel-tuner: how quickly would the "
              "best have been found"),
    WW_OPTION(pool, "N", "with --replay: variants of each pool (default 100)"),
    WW_OPTION(records, "N", "with --replay: only what was recorded so many times"),
    WW_LIMIT_OPTIONS(options, "60"),
    {0},
};

typedef struct {
  ww_cmd *c;
  const options *o;
  ww_axes space;
  ww_tuner_file tuner;
  ww_query_targets targets;
  ww_tune t;
  ww_job job;
  bool proposed; /* the space is the source's own */
  bool fresh;    /* the job was made by this run */
  int held;
  uint32_t original;
} session;

/* ---- options, kept for --resume ---- */

static void write_list(ww_json *j, const char *key, const ww_strings *v) {
  ww_json_strings(j, key, v->v, v->n);
}

static const char *settings_of(const session *s) {
  const options *o = s->o;
  ww_json j = {0};
  ww_json_put(&j,
              "{file:%s,kernel?:%s,launch?:%s,lang?:%s,grid?:%s,block?:%s,shared?:%s,"
              "work?:%s,by?:%s,most:%lu,seed:%lu,no_ptxas:%i,text:%s",
              ww_path_real(s->c->arena, s->c->operands[0]), o->source.kernel,
              o->source.launch, o->source.lang, o->source.grid, o->source.block,
              o->source.shared, o->work, o->by, o->most, o->seed, o->no_ptxas,
              ww_fmt(s->c->arena, "%016lx", ww_hash(s->t.text, strlen(s->t.text), 0)));
  write_list(&j, "args", &o->source.args);
  write_list(&j, "param", &o->params);
  write_list(&j, "where", &o->where);
  write_list(&j, "kernel_tuner", &o->tuner);
  ww_json_strings(&j, "flags", s->c->rest, s->c->nrest);
  ww_json_put(&j, "}");
  return ww_buf_text(&j.own, s->c->arena);
}

static void read_list(const cJSON *o, const char *key, ww_arena *a, ww_strings *out) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(o, key);
  *out = (ww_strings){0};
  for (const cJSON *v = list ? list->child : NULL; v; v = v->next)
    if (cJSON_IsString(v))
      ww_push(a, out, ww_strdup(a, v->valuestring));
}

/* The options of the run that made the job, over this one's. */
static ww_status take_settings(session *s, options *o) {
  ww_cmd *c = s->c;
  ww_arena *a = c->arena;
  cJSON *j = ww_json_read(s->job.settings, strlen(s->job.settings), &c->err);
  if (!j)
    return c->err.code;
  ww_strings flags;
  o->source.kernel = ww_json_text(j, "kernel", a);
  o->source.launch = ww_json_text(j, "launch", a);
  o->source.lang = ww_json_text(j, "lang", a);
  o->source.grid = ww_json_text(j, "grid", a);
  o->source.block = ww_json_text(j, "block", a);
  o->source.shared = ww_json_text(j, "shared", a);
  o->work = ww_json_text(j, "work", a);
  o->by = ww_json_text(j, "by", a);
  o->most = ww_json_whole(j, "most");
  o->seed = ww_json_whole(j, "seed");
  o->no_ptxas = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(j, "no_ptxas"));
  read_list(j, "args", a, &o->source.args);
  read_list(j, "param", a, &o->params);
  read_list(j, "where", a, &o->where);
  read_list(j, "kernel_tuner", a, &o->tuner);
  read_list(j, "flags", a, &flags);
  c->rest = flags.v;
  c->nrest = flags.n;
  c->operands = WW_NEWN(a, const char *, 1);
  c->operands[0] = ww_json_text(j, "file", a);
  c->noperands = 1;
  c->gpu = s->job.gpu;
  cJSON_Delete(j);
  return c->operands[0] ? WW_OK
                        : ww_fail(&c->err, WW_EDATA, "%s: no job of tune", o->resume);
}

static ww_status check_text(session *s) {
  ww_cmd *c = s->c;
  cJSON *j = ww_json_read(s->job.settings, strlen(s->job.settings), &c->err);
  const char *then = j ? ww_json_text(j, "text", c->arena) : NULL;
  cJSON_Delete(j);
  const char *now =
      ww_fmt(c->arena, "%016lx", ww_hash(s->t.text, strlen(s->t.text), 0));
  return then && !strcmp(then, now)
             ? WW_OK
             : ww_fail(&c->err, WW_EDATA,
                       "%s has changed since the job was made: begin a new one",
                       c->operands[0]);
}

/* ---- the source and its space ---- */

/* The text with its own headers in it, so that it can travel. */
static ww_status read_text(session *s) {
  ww_cmd *c = s->c;
  ww_source *source = &s->t.source;
  ww_status st = ww_source_of(c, &s->o->source, c->operands, 1, NULL, source);
  if (!st)
    st = ww_opencl_source(source->path, source->flags, source->nflags, c->arena,
                          &s->t.text, &c->err);
  source->once = false;
  return st;
}

static ww_status read_space(session *s) {
  const options *o = s->o;
  ww_cmd *c = s->c;
  ww_status st = WW_OK;
  s->space.a = c->arena;
  for (uint32_t k = 0; !st && k < o->params.n; k++)
    st = ww_space_axis(&s->space, o->params.v[k], &c->err);
  for (uint32_t k = 0; !st && k < o->tuner.n; k++)
    st = ww_tuner_read(o->tuner.v[k], &s->space, &s->tuner, &c->err);
  for (uint32_t k = 0; !st && k < o->where.n; k++)
    st = ww_space_where(&s->space, o->where.v[k], &c->err);
  return st;
}

/* What Kernel Tuner defines for every kernel. */
static void tuner_flags(session *s) {
  ww_arena *a = s->c->arena;
  ww_strings flags = {0};
  ww_strings_add(a, &flags, s->t.source.flags, s->t.source.nflags);
  ww_strings_add(a, &flags, s->tuner.flags.v, s->tuner.flags.n);
  ww_push(a, &flags, "-Dkernel_tuner=1");
  if (ww_space_find(&s->space, "block_size_z") < 0)
    ww_push(a, &flags, "-Dblock_size_z=1");
  s->t.source.flags = flags.v;
  s->t.source.nflags = flags.n;
}

/* The launch: the command line's over that of Kernel Tuner's file. */
static ww_status read_launch(session *s) {
  ww_cmd *c = s->c;
  ww_launch *given;
  ww_launch under = {0};
  uint32_t n;
  ww_status st = ww_source_launches(c, &s->o->source, &given, &n);
  if (!st && n != 1)
    st = ww_usage(c, "tune takes one launch; the spec has %u", n);
  for (int k = 0; !st && k < 3; k++) {
    under.grid_expr[k] = s->tuner.grid[k];
    under.block_expr[k] = s->tuner.block[k];
  }
  for (uint32_t k = 0; !st && k < s->tuner.args.n; k++)
    st = ww_launch_arg(s->tuner.args.v[k], c->arena, &under, &c->err);
  if (!st) {
    under.kernel = s->tuner.kernel;
    ww_launch_merge(&under, given, c->arena);
    s->t.over = under;
  }
  return st;
}

/* What the source says of the launch, and the axes that it offers where none are given.
 */
static ww_status look_at_source(session *s) {
  ww_cmd *c = s->c;
  ww_query_unit unit = {0};
  ww_source source = s->t.source;
  ww_query_kernel k = {.launch = s->t.over};
  source.text = s->t.text;
  source.as_written = true; /* names of parameters may stand in it */
  ww_status st = ww_query_find(NULL, &source, 0, c->arena, &unit, &k, &c->err);
  if (!st) {
    ww_launch_copy(&k.launch, c->arena, &s->t.written);
    s->t.written.nargs = 0;
    s->proposed = !s->space.n;
  }
  if (!st && s->proposed)
    st = ww_space_propose(&s->space, s->t.text, k.fn->name, k.launch.block, &c->err);
  if (!st && !s->space.n)
    st = ww_usage(c, "the source offers no parameter: name them, --param NAME=VALUES");
  ww_query_release(NULL, &unit);
  return st;
}

static ww_status load_targets(session *s) {
  ww_ask ask;
  ww_ask_options how = {
      .source = s->o->source,
      .limits = s->o->limits,
      .by = s->o->by,
  };
  ww_status st = ww_ask_targets(s->c, &how, &ask);
  s->targets = ask.targets;
  s->targets.cancelled = NULL;
  return st;
}

static ww_status prepare(session *s) {
  ww_cmd *c = s->c;
  const options *o = s->o;
  if (c->noperands != 1)
    return ww_usage(c, "name one source file");
  ww_status st = ww_limits_read(&o->limits, 60, 0, c);
  if (!st)
    st = read_text(s);
  if (!st && o->resume)
    st = check_text(s);
  if (!st)
    st = load_targets(s);
  if (!st && s->targets.n != 1)
    st = ww_usage(c, "--gpu: tune ranks for one GPU at a time");
  if (!st)
    st = read_space(s);
  if (!st && o->tuner.n)
    tuner_flags(s);
  if (!st)
    st = read_launch(s);
  s->t.written = s->t.over;
  if (!st && (!s->space.n || ww_space_find(&s->space, "launch_bounds") >= 0))
    st = look_at_source(s);
  if (!st)
    st = ww_space_bind(&s->space, s->t.text, s->t.over.kernel, &c->err);
  return st;
}

static ww_status open_tune(session *s) {
  const options *o = s->o;
  ww_cmd *c = s->c;
  ww_tune *t = &s->t;
  t->space = &s->space;
  t->targets = &s->targets;
  t->work = o->work;
  t->self = ww_self_path(c->arena);
  t->processes = o->jobs < UINT32_MAX ? o->jobs : 0;
  t->limit_s = c->limits.seconds;
  t->ptxas = !o->no_ptxas;
  t->a = c->arena;
  ww_front_options front;
  ww_source source = t->source;
  source.text = t->text;
  if (!ww_query_front(&source, c->arena, &front, &c->err))
    ww_front_precompile(&front);
  c->err = (ww_err){0};
  return WW_OK;
}

/* ---- what comes out ---- */

static void print_time(double us) {
  char text[16];
  printf(" %10s", ww_show_us(us, text));
}

static void print_row(const ww_tuned *v, uint32_t nth) {
  printf("%4u  %-34.60s", nth, v->label);
  if (v->known)
    print_time(v->us);
  else
    printf(" %10s", "?");
  if (isinf(v->measured_us))
    printf(" %10s", "failed");
  else if (!isnan(v->measured_us))
    print_time(v->measured_us);
  if (v->compiled)
    printf("  %u registers", v->compiled);
  putchar('\n');
}

static uint32_t count(const session *s, bool refused) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < s->t.n; k++)
    n += refused ? s->t.v[k].refused != NULL : !isnan(s->t.v[k].measured_us);
  return n;
}

static void print_refused(const session *s) {
  ww_reasons all = {0};
  for (uint32_t k = 0; k < s->t.n; k++)
    if (s->t.v[k].refused)
      ww_reason_add(&all, ww_without_names(s->t.v[k].refused, 100, "", s->c->arena),
                    &s->t.v[k], s->c->arena);
  ww_reasons_sort(&all);
  for (uint32_t k = 0; k < all.n && k < 3; k++) {
    const ww_tuned *v = all.v[k].example;
    printf("refused: %u, as %s: %.160s\n", all.v[k].n, v->label, v->refused);
  }
}

static void print_best(const session *s, const ww_tune_verdict *w) {
  const ww_tuned *v = &s->t.v[w->best];
  char us[16];
  char low[16];
  char high[16];
  ww_variant x;
  bool measured = !isnan(v->measured_us);
  ww_space_variant(&s->space, v->c, s->t.text, s->c->arena, &x);
  printf("\nbest: %s%s\n  ", v->label,
         measured && w->best == s->original
             ? ", the original: nothing was surely faster"
             : "");
  for (uint32_t k = 0; k < x.flags.n; k++)
    printf("%s ", x.flags.v[k]);
  if (x.kernel)
    printf("%s ", x.kernel);
  printf("%s%s", x.flags.n || x.kernel ? "  " : "", ww_show_us(w->us, us));
  if (!measured)
    printf(" (%s .. %s), predicted", ww_show_us(w->low, low),
           ww_show_us(w->high, high));
  printf("\n  the fastest of all with %.0f %%, within 5 %% of it with %.0f %%; "
         "%.1f %% slower than it on average\n",
         100 * w->sure, 100 * w->within, 100 * w->loss);
  if (v->verdict == WW_JOB_SAME)
    puts("  verify: does the same as the original");
  if (s->original < s->t.n && s->original != w->best && s->t.v[s->original].known) {
    const ww_tuned *o = &s->t.v[s->original];
    double was = isnan(o->measured_us) ? o->us : o->measured_us;
    if (isnan(o->measured_us) == !measured)
      printf("  %.2fx of the original (%s)\n", was / o->work / (w->us / v->work),
             o->label);
  }
}

static void print_all(const session *s, const ww_tune_verdict *w) {
  uint32_t n;
  uint32_t *order = ww_tune_order(&s->t, &n);
  uint32_t rows = s->o->rows ? s->o->rows : ROWS;
  printf("%s  %s on %s: %u of %.0f variants, %u refused, %u measured\n",
         s->t.over.kernel ? s->t.over.kernel : ww_path_base(s->t.source.path),
         s->t.source.path, s->targets.gpus[0].name, s->t.n, ww_space_size(&s->space),
         count(s, true), count(s, false));
  for (uint32_t k = 0; s->proposed && k < s->space.n; k++) {
    const ww_axis *x = &s->space.axes[k];
    printf("%s %s=%g..%g (%s)", k ? "," : "found:", x->name, x->v[0], x->v[x->n - 1],
           ww_axis_kind_names[x->kind]);
  }
  if (s->proposed)
    putchar('\n');
  printf("\n      %-34s %10s %10s\n", "variant", "predicted",
         count(s, false) ? "measured" : "");
  for (uint32_t k = 0; k < n && k < rows; k++)
    print_row(&s->t.v[order[k]], k + 1);
  print_refused(s);
  if (w)
    print_best(s, w);
}

static void write_all(const session *s, const ww_tune_verdict *w) {
  ww_json *j = ww_line_begin();
  uint32_t n;
  uint32_t *order = ww_tune_order(&s->t, &n);
  ww_json_put(j, "file:%s,kernel?:%s,gpu:%s,variants:%u,size:%g,refused:%u,measured:%u",
              s->t.source.path, s->t.over.kernel, s->targets.gpus[0].name, s->t.n,
              ww_space_size(&s->space), count(s, true), count(s, false));
  ww_json_put(j, "parameters:[");
  for (uint32_t k = 0; k < s->space.n; k++) {
    const ww_axis *x = &s->space.axes[k];
    ww_json_put(j, "{name:%s,kind:%s,original!:%g,values:[", x->name,
                ww_axis_kind_names[x->kind], x->original);
    for (uint32_t i = 0; i < x->n; i++)
      ww_json_num(j, x->v[i]);
    ww_json_put(j, "]}");
  }
  ww_json_put(j, "],");
  if (w) {
    ww_json_put(j,
                "best:{us:%g,low:%g,high:%g,sure:%g,within_5_pct:%g,expected_loss:%g,",
                w->us, w->low, w->high, w->sure, w->within, w->loss);
    ww_tuned_write(&s->t, &s->t.v[w->best], j);
    ww_json_put(j, "},");
  }
  if (s->original < s->t.n) {
    ww_json_put(j, "original:{");
    ww_tuned_write(&s->t, &s->t.v[s->original], j);
    ww_json_put(j, "},");
  }
  ww_json_put(j, "ranked:[");
  for (uint32_t k = 0; k < n; k++) {
    ww_json_put(j, "{");
    ww_tuned_write(&s->t, &s->t.v[order[k]], j);
    ww_json_put(j, "}");
  }
  ww_json_put(j, "],refusals:[");
  for (uint32_t k = 0; k < s->t.n; k++)
    if (s->t.v[k].refused)
      ww_json_put(j, "{label:%s,why:%s}", s->t.v[k].label, s->t.v[k].refused);
  ww_json_put(j, "]");
  ww_line_end(j);
}

static ww_status write_files(session *s, const ww_tune_verdict *w) {
  ww_status st = WW_OK;
  if (s->o->svg) {
    ww_buf b = {0};
    ww_tune_svg(&s->t, w, &b);
    st = ww_write_text(s->o->svg, &b, &s->c->err);
  }
  if (!st && s->o->results) {
    ww_json j = {.pretty = true};
    ww_tune_results(&s->t, &j);
    ww_buf_puts(&j.own, "\n");
    st = ww_write_text(s->o->results, &j.own, &s->c->err);
  }
  return st;
}

/* One beside the original, in the interpreter. */
static void verify_one(session *s, ww_tuned *v) {
  ww_err why = {0};
  ww_verify_options how = {
      .seed = 1,
      .budget = 40000000,
  };
  if (ww_tune_verify(&s->t, &s->t.v[s->original], v, &how, &why) && !ww_is_quiet() &&
      !s->c->json)
    fprintf(stderr, "warpwise: verify: %s\n", why.msg);
}

/* The variant that differs from the original in this value alone. */
static ww_tuned *neighbour(session *s, uint32_t axis, uint32_t value) {
  ww_config c;
  memcpy(c, s->t.v[s->original].c, sizeof c);
  c[axis] = value;
  for (uint32_t k = 0; k < s->t.n; k++)
    if (!memcmp(s->t.v[k].c, c, sizeof c))
      return &s->t.v[k];
  return NULL;
}

/* Of a space that the source offers nobody has said that it is one: a value that
 * changes the result is taken out. */
static void check_values(session *s) {
  for (uint32_t k = 0; k < s->space.n; k++) {
    const ww_axis *x = &s->space.axes[k];
    for (uint32_t i = 0; i < x->n; i++) {
      ww_tuned *v = neighbour(s, k, i);
      if (!v || v == &s->t.v[s->original] || v->refused)
        continue;
      verify_one(s, v);
      ww_progress("verifying", i + 1, x->n);
      for (uint32_t o = 0; v->verdict == WW_JOB_DIFFERENT && o < s->t.n; o++)
        if (s->t.v[o].c[k] == i && !s->t.v[o].refused)
          s->t.v[o].refused =
              ww_fmt(s->c->arena, "%s=%g changes the result", x->name, x->v[i]);
    }
  }
}

/* The best that does what the original does. */
static bool verified_best(session *s, ww_tune_verdict *w) {
  bool any = ww_tune_best(&s->t, s->o->seed, w);
  bool asked = !s->o->no_verify && !s->o->work && s->original < s->t.n;
  for (int k = 0; any && asked && k < MOST_VERIFIED; k++) {
    ww_tuned *v = &s->t.v[w->best];
    if (w->best == s->original || isfinite(v->measured_us))
      return any; /* a device has compared it at full size */
    if (v->verdict == WW_JOB_UNVERIFIED)
      verify_one(s, v);
    if (v->verdict != WW_JOB_DIFFERENT)
      return any;
    v->refused =
        ww_fmt(s->c->arena, "does not do the same as the original: %s", v->difference);
    any = ww_tune_best(&s->t, s->o->seed, w);
  }
  return any;
}

/* Of what was measured nothing but what is surely faster than the original; else that
 * one. */
static void never_slower(const session *s, ww_tune_verdict *w) {
  const ww_tuned *v = &s->t.v[w->best];
  const ww_tuned *o = &s->t.v[s->original];
  if (isnan(v->measured_us) || v->candidate == WW_NOT_PROPOSED ||
      ww_job_faster(&s->job.v.v[v->candidate]) || isnan(o->measured_us))
    return;
  w->best = s->original;
  w->us = w->low = w->high = o->measured_us;
}

static ww_status finish(session *s) {
  ww_tune_verdict w;
  bool any = verified_best(s, &w);
  if (any)
    never_slower(s, &w);
  if (s->c->json)
    write_all(s, any ? &w : NULL);
  else
    print_all(s, any ? &w : NULL);
  ww_status st = write_files(s, any ? &w : NULL);
  if (!st && !any)
    st = ww_fail(&s->c->err, WW_EDATA, "none of the variants can run");
  return st;
}

/* ---- measuring ---- */

static ww_status open_job(session *s) {
  ww_cmd *c = s->c;
  const char *path = s->o->propose;
  if (!path && s->o->measure) {
    path = ww_fmt(c->arena, "%s.tune.job", c->operands[0]);
    if (ww_file_exists(path))
      return ww_usage(c, "%s is there: --resume %s goes on with it", path, path);
  }
  if (!path)
    return WW_OK;
  s->job = (ww_job){.path = path,
                    .tool = "tune",
                    .gpu = s->targets.gpus[0].name,
                    .settings = settings_of(s),
                    .a = c->arena};
  s->fresh = true;
  ww_status st = ww_job_create(&s->job, &c->err);
  return st ? st : ww_job_hold(path, &s->held, &c->err);
}

static ww_status propose(session *s, uint32_t most, uint32_t *n) {
  ww_search_state state;
  uint32_t *next = WW_NEWN(s->c->arena, uint32_t, most + 1);
  ww_status st = WW_OK;
  *n = 0;
  if (!s->job.v.n)
    st = ww_tune_propose(&s->t, s->original, &s->c->err);
  uint32_t found = ww_tune_next(&s->t, most, next, &state);
  bool enough = state.expected_gain < ENOUGH;
  for (uint32_t k = 0; !st && !enough && k < found; k++) {
    if (s->t.v[next[k]].candidate != WW_NOT_PROPOSED)
      continue;
    st = ww_tune_propose(&s->t, next[k], &s->c->err);
    *n += !st;
  }
  return st;
}

static void on_result(void *ctx, const ww_job_candidate *k) {
  const session *s = ctx;
  if (!s->c->json && !ww_is_quiet())
    ww_cmd_show_result(s->c, k);
}

static ww_status measure_here(session *s) {
  const options *o = s->o;
  ww_cmd *c = s->c;
  uint32_t most = o->measurements ? o->measurements : MEASUREMENTS;
  ww_job_how how = {.device = c->device,
                    .with = o->with,
                    .self = s->t.self,
                    .ctx = s,
                    .done = on_result};
  ww_status st = WW_OK;
  for (;;) {
    uint32_t added = 0;
    uint32_t *ids = WW_NEWN(c->arena, uint32_t, s->job.v.n + AT_A_TIME + 2);
    uint32_t n = 0;
    uint32_t open = 0;
    for (uint32_t k = 0; k < s->job.v.n; k++)
      open += s->job.v.v[k].result.state == WW_JOB_NONE;
    if (!open && s->job.v.n <= most)
      st = propose(s, ww_least(AT_A_TIME, most + 1 - s->job.v.n), &added);
    if (st || (!open && !added))
      return st;
    for (uint32_t k = 0; k < s->job.v.n; k++)
      if (s->job.v.v[k].result.state == WW_JOB_NONE)
        ids[n++] = k;
    st = ww_job_measure(&s->job, ids, n, &how, &c->err);
    if (st)
      return st;
    ww_tune_take(&s->t);
  }
}

/* ---- the command ---- */

static const char *obstacle(const ww_tuned *v) {
  return v->refused ? v->refused : v->error ? v->error : "";
}

/* What keeps every variant from running for the same reason is no matter of variants.
 */
static ww_status nothing_runs(const ww_tune *t, ww_err *e) {
  bool same = t->n > 0;
  for (uint32_t k = 1; k < t->n; k++)
    same &= !strcmp(obstacle(&t->v[k]), obstacle(&t->v[0]));
  if (same && *obstacle(&t->v[0]))
    return ww_fail(e, WW_EDATA, "%.400s", obstacle(&t->v[0]));
  return ww_fail(e, WW_EDATA, "no variant can run; the first: %.300s",
                 t->n ? obstacle(&t->v[0]) : "there is none");
}

static ww_status rank(session *s, ww_config *configs, uint32_t n) {
  ww_cmd *c = s->c;
  ww_status st = ww_tune_begin(&s->t, configs, n, &c->err);
  if (!st)
    st = ww_tune_rank(&s->t, &c->err);
  if (st)
    return st;
  s->original = ww_tune_original(&s->t);
  if (s->job.path)
    ww_tune_take(&s->t);
  if (s->proposed && s->original < s->t.n && !s->o->no_verify)
    check_values(s);
  return s->original < s->t.n ? WW_OK : nothing_runs(&s->t, &c->err);
}

static ww_status tune(session *s) {
  const options *o = s->o;
  ww_cmd *c = s->c;
  uint32_t n;
  ww_status st = prepare(s);
  if (!st)
    st = open_tune(s);
  if (!st && o->replay)
    return ww_tune_replay(&s->t, &s->tuner,
                          &(ww_replay){.pool = o->pool,
                                       .most = o->most,
                                       .records = o->records,
                                       .seed = o->seed,
                                       .json = c->json},
                          &c->err);
  if (!st && !o->resume)
    st = open_job(s);
  s->t.job = s->job.path ? &s->job : NULL;
  ww_config *configs =
      st ? NULL : ww_space_configs(&s->space, o->most ? o->most : MOST, o->seed, &n);
  if (!st)
    st = rank(s, configs, n);
  if (st)
    return st;
  uint32_t added;
  if (o->measure)
    st = measure_here(s);
  else if (s->job.path)
    st = propose(s, o->measurements ? o->measurements : MEASUREMENTS, &added);
  return st ? st : finish(s);
}

static ww_status run(ww_cmd *c) {
  options *o = WW_NEW(c->arena, options);
  *o = *(const options *)c->opt;
  session s = {
      .c = c,
      .o = o,
      .held = -1,
  };
  ww_status st = WW_OK;
  if (!o->seed)
    o->seed = 1;
  if (o->resume) {
    st = ww_job_hold(o->resume, &s.held, &c->err);
    if (!st)
      st = ww_job_read(o->resume, c->arena, &s.job, &c->err);
    if (!st)
      st = take_settings(&s, o);
  }
  if (!st)
    st = tune(&s);
  ww_job_release(s.held);
  return st;
}

const ww_command ww_cmd_tune = {
    "tune",
    "the best values of a kernel's parameters, without a GPU or by few measurements",
    "FILE [options] [-- compiler flags]",
    .details =
        "Parameters are macros, constants, template arguments and launch shapes; their "
        "names may stand in --grid, --block and --arg.\n"
        "All variants are predicted; those that cannot run are refused. With --measure "
        "the most promising ones run beside the original,\n"
        "and what is learned decides which are next. docs/tune.md",
    .examples =
        "  warpwise tune stencil.cu --param BX=32..1024:x2 --param TILE=1,2,4,8 \\\n"
        "    --where 'BX*TILE<=2048' --block BX --grid '(n+BX*TILE-1)/(BX*TILE)'\n"
        "  warpwise tune saxpy.cu --gpu a100 --svg space.svg\n"
        "  warpwise tune stencil.cl --param W=1,2,4 --measure --device pocl\n"
        "  warpwise tune stencil.cu --propose a.job     # then: warpwise measure --job "
        "a.job; warpwise tune --resume a.job\n",
    WW_OPTIONS,
    .run = run,
};
