/* export.c - walks a store and hands each row, with its launch and source made again,
 * to the form that was asked for.
 *
 * Rows come kernel by kernel, so a generated kernel is made once for all its launches.
 * Workload: some 100,000 rows; what one needs lives in an arena of its own. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sys/stat.h>

#include "../base/json_put.h"
#include "../measure/measure.h"
#include "export_int.h"
#include "split.h"
#include "text.h"

const char *const ww_export_names[WW_NEXPORTS] = {"jsonl", "csv", "parquet", "prompts",
                                                  "questions"};
const char *const ww_ask_names[WW_NASKS] = {"counters", "time", "roofline"};

typedef struct {
  const ww_export_options *o;
  ww_export_count *count;
  ww_sink *sink;
  ww_export_table *table;
  ww_machines machines;
  ww_arena *paths;              /* of the whole export */
  const char *sources, *corpus; /* folders as seen from the export's, NULL */
  /* the kernel of the last row */
  ww_arena *arena;
  char *key;
  ww_gen_kernel gen;
  bool generated;
  ww_gen_dialect dialect;
  const char *text;
  uint32_t nkernels;                  /* so far, of the split */
  const char *flags;                  /* that `question` was read with */
  const ww_question_kernel *question; /* NULL: not read yet */
  ww_export_evidence *evidence;       /* NULL: none */
  ww_buf line;
} job;

/* ---- the kernel ---- */

static ww_status write_source(job *j, const char *name, const char *text, ww_err *e) {
  struct stat s;
  const char *path = ww_path_join(j->arena, j->o->sources, name);
  size_t n = strlen(text);
  if (!stat(path, &s) && (size_t)s.st_size == n)
    return WW_OK; /* of an export before */
  j->count->sources++;
  return ww_write_file_atomic(path, text, n, e);
}

/* The folder of a written kernel's file; NULL: nobody said where it is. */
static const char *written_in(const job *j, const ww_store_kernel *k) {
  if (!k->file)
    return NULL;
  return k->origin == WW_ORIGIN_IMPORTED ? j->o->sources : j->o->corpus;
}

static void source_of(job *j, const ww_store_kernel *k) {
  ww_err e = {0};
  const char *dir = j->generated ? NULL : written_in(j, k);
  char *text;
  size_t n;
  j->text = NULL;
  if (j->generated) {
    ww_buf b = {0};
    ww_gen_print(&j->gen, j->dialect, 0, &b);
    j->text = ww_text_take(&b, j->arena);
  } else if (!dir)
    snprintf(j->count->why, sizeof j->count->why,
             "%s: where its source is was not said (%s DIR)", k->key,
             k->origin == WW_ORIGIN_IMPORTED ? "--sources" : "--corpus");
  else if (ww_read_below(j->arena, dir, k->file, 64 << 20, &text, &n, &e))
    snprintf(j->count->why, sizeof j->count->why, "%.255s", e.msg);
  else
    j->text = text;
}

static const char *source_name(const job *j, ww_arena *a) {
  return ww_fmt(a, "%s.%s", j->gen.name, j->dialect == WW_GEN_OPENCL ? "cl" : "cu");
}

/* For language models. */
static bool prompting(const ww_export_options *o) {
  return o->form == WW_EXPORT_PROMPTS || o->form == WW_EXPORT_QUESTIONS;
}

/* Questions hold their sources: none are written. */
static bool writes_sources(const ww_export_options *o) {
  return o->sources && o->form != WW_EXPORT_QUESTIONS;
}

static bool wants_text(const ww_export_options *o) {
  return prompting(o) || o->with_source || o->sources;
}

static ww_status kernel(job *j, const ww_store_kernel *k, ww_err *e) {
  if (j->key && !strcmp(j->key, k->key))
    return WW_OK;
  ww_arena_free(j->arena);
  j->arena = ww_arena_new();
  j->key = ww_strdup(j->arena, k->key);
  j->question = NULL;
  j->nkernels++;
  j->generated = k->origin == WW_ORIGIN_GENERATED;
  j->dialect =
      k->dialect && !strcmp(k->dialect, "opencl") ? WW_GEN_OPENCL : WW_GEN_CUDA;
  ww_status st = j->generated
                     ? ww_gen_make(k->version, k->seed, k->index, j->arena, &j->gen, e)
                     : WW_OK;
  if (!st && wants_text(j->o))
    source_of(j, k);
  if (!st && writes_sources(j->o) && j->generated)
    st = write_source(j, source_name(j, j->arena), j->text, e);
  return st;
}

/* ---- the launch ---- */

/* A spec says where things were on the machine that measured; here only what others can
 * use stays.
 */
static ww_status launch(job *j, ww_exported *x, ww_launch *l, ww_err *e) {
  const ww_store_row *r = x->row;
  uint32_t sms = r->sms || !x->gpu ? r->sms : x->gpu->sms;
  uint64_t l2 = r->l2_bytes || !x->gpu ? r->l2_bytes : (uint64_t)x->gpu->l2_bytes;
  ww_status st;
  if (r->spec)
    st = ww_launch_parse(r->spec, NULL, x->arena, l, e);
  else if (!j->generated)
    st = ww_fail(e, WW_EDATA, "%s: the store does not have this launch's spec",
                 r->kernel.key);
  else if (!(sms && l2))
    st = ww_fail(e, WW_EDATA,
                 "%s: the store does not say how many SMs and how much L2 the launches "
                 "were sampled for",
                 r->kernel.key);
  else
    st = ww_gen_launch(&j->gen, r->number, sms, l2, x->arena, l, NULL, e);
  l->file = x->file;
  if (!l->kernel)
    l->kernel = r->kernel.name;
  l->binary = l->note = l->dir = NULL;
  return st;
}

/* Reports name files so that they are found from where the reports are; tables name
 * them as the corpus does. */
static const char *file_of(const job *j, const ww_store_kernel *k, ww_arena *a) {
  bool report = j->o->form == WW_EXPORT_JSONL;
  if (!j->generated && report && j->corpus && k->origin == WW_ORIGIN_CORPUS && k->file)
    return ww_path_join(a, j->corpus, k->file);
  if (!j->generated)
    return k->file;
  const char *name = source_name(j, a);
  return j->sources ? ww_path_join(a, j->sources, name) : name;
}

/* ---- reports ---- */

static const char *hash_text(uint64_t v, ww_arena *a) {
  return v ? ww_fmt(a, "%016" PRIx64, v) : NULL;
}

/* What the store knows of the kernel; ww_reports_row reads it back. */
static void identity(const ww_exported *x, ww_json *j) {
  const ww_store_kernel *k = &x->row->kernel;
  /* name: plain, where the launch has a mangled one */
  ww_json_put(j, "key:%s,name:%s,origin:%s,family:%s,split:%s,dialect:%s,number:%u",
              k->key, k->name, ww_origin_names[k->origin], k->family, x->split,
              k->dialect, x->row->number);
  if (x->gen)
    ww_json_put(j, "version:%u,seed:%lu,index:%u", k->version, k->seed, k->index);
  ww_json_put(j, "source_hash?:%s,structure?:%s", hash_text(k->source_hash, x->arena),
              hash_text(k->structure, x->arena));
}

/* What `measure` writes, without the single samples: only their number and spread are
 * kept. */
static void extra(void *ctx, ww_json *j) {
  const ww_exported *x = ctx;
  const ww_store_row *r = x->row;
  ww_measured m = {
      .device = {.device = r->device,
                 .backend = x->dialect == WW_GEN_OPENCL ? "opencl" : "cuda",
                 .driver = r->driver,
                 .versions = r->versions,
                 .sms = r->sms,
                 .l2_bytes = r->l2_bytes},
      .median_us = r->m[WW_M_time_us],
      .iqr_us = r->iqr_us,
      .passes = r->passes,
      .accumulates = r->accumulates,
      .compiler = r->compiler};
  ww_measured_write(&m, j);
  ww_json_kuint(j, "samples", r->samples);
  identity(x, j);
}

static void failure(const ww_exported *x, const char *name, ww_json *j) {
  const ww_store_row *r = x->row;
  ww_json_put(j, "{schema_version:1,file?:%s,kernel:%s,gpu?:%s", x->file, name, r->gpu);
  if (x->launch) {
    ww_json_key(j, "launch");
    ww_launch_write(x->launch, j);
  }
  ww_json_put(j, "error:{code:%s,message:%s}", ww_status_name(r->status),
              r->error ? r->error : "");
  identity(x, j);
  ww_json_end_obj(j);
}

static ww_status report(job *j, const ww_exported *x, ww_err *e) {
  const ww_store_row *r = x->row;
  const char *name =
      x->launch && x->launch->kernel ? x->launch->kernel : r->kernel.name;
  ww_report out = {
      .file = x->file, .kernel = name, .by = WW_BY_HARDWARE, .launch = x->launch};
  ww_json w = {.out = &j->line};
  if (x->gpu)
    out.gpu = r->gpu; /* a device without a description goes by `measured.device` */
  for (int m = 0; m < WW_NMETRICS; m++)
    if (isfinite(r->m[m]))
      ww_report_set(&out, m, r->m[m]);
  j->line.n = 0;
  if (r->status)
    failure(x, name, &w);
  else
    ww_report_write(&out, &w, extra, (void *)x);
  ww_buf_puts(&j->line, "\n");
  return ww_sink_add(j->sink, &j->line, e);
}

/* ---- prompts ---- */

static ww_status prompts(job *j, const ww_exported *x, ww_err *e) {
  static const uint32_t plain[] = {0};
  const uint32_t *styles = j->o->nstyles ? j->o->styles : plain;
  uint32_t n = j->o->nstyles ? j->o->nstyles : 1;
  j->line.n = 0;
  for (uint32_t k = 0; k < n; k++) {
    ww_buf source = {0};
    if (styles[k] && !x->gen)
      continue; /* written kernels have one style: their author's */
    if (styles[k])
      ww_gen_print(x->gen, x->dialect, styles[k], &source);
    const char *text = styles[k] ? source.s
                       : x->gen  ? x->text
                                 : ww_kernel_text(x->text, x->launch->kernel, x->arena);
    j->count->rows += ww_prompt_write(x, text, j->o->ask, j->o->raw, &j->line);
    ww_buf_free(&source);
  }
  return ww_sink_add(j->sink, &j->line, e);
}

/* ---- questions ---- */

/* A kernel is read once for its launches with the same flags. */
static ww_status question(job *j, const ww_exported *x, ww_err *e) {
  const char *flags = ww_text_flags(x->launch, x->arena);
  ww_question_kernel *k = NULL;
  ww_text_question q;
  ww_err why = {0};
  if (!j->question || strcmp(flags, j->flags)) {
    if (ww_question_read(x->text, strlen(x->text), x->launch->kernel, x->launch->flags,
                         x->launch->nflags, j->arena, &k, &why)) {
      j->count->no_source++;
      snprintf(j->count->why, sizeof j->count->why, "%.60s: %.190s", x->row->kernel.key,
               why.msg);
      return WW_OK;
    }
    j->question = k;
    j->flags = ww_strdup(j->arena, flags);
  }
  ww_question_ask(j->question, x->launch, x->gpu, x->arena, &q);
  j->line.n = 0;
  j->count->rows +=
      ww_export_questions(j->evidence, j->o->evidence_form, x, &q, &j->line);
  return ww_sink_add(j->sink, &j->line, e);
}

/* ---- rows ---- */

static ww_status write_row(job *j, ww_exported *x, ww_err *e) {
  bool prompt = prompting(j->o);
  if (!x->text && wants_text(j->o))
    j->count->no_source++;
  if (prompt && (!x->text || !x->launch))
    return WW_OK;
  if (j->o->form == WW_EXPORT_QUESTIONS && !x->gpu)
    return WW_OK; /* nothing is known of the device */
  if (!prompt)
    j->count->rows++; /* each style of a prompt is a row */
  switch (j->o->form) {
  case WW_EXPORT_JSONL:
    return report(j, x, e);
  case WW_EXPORT_PROMPTS:
    return prompts(j, x, e);
  case WW_EXPORT_QUESTIONS:
    return question(j, x, e);
  default:
    return ww_export_table_row(j->table, x, e);
  }
}

/* The store keeps what is not known of a machine as empty texts. */
static const char *known(const char *s) {
  return s && *s ? s : NULL;
}

static ww_status each(void *ctx, const ww_store_row *given, ww_err *e) {
  job *j = ctx;
  const ww_export_options *o = j->o;
  ww_store_row own = *given;
  const ww_store_row *r = &own;
  own.device = known(own.device);
  own.driver = known(own.driver);
  own.versions = known(own.versions);
  own.compiler = known(own.compiler);
  own.error = known(own.error);
  ww_split split = o->random ? ww_split_at_random(r) : ww_split_of(&r->kernel);
  if (o->split >= 0 && (int)split != o->split)
    return WW_OK;
  ww_status st = kernel(j, &r->kernel, e);
  if (st)
    return st;
  if (o->nshards && j->nkernels % o->nshards != o->shard)
    return WW_OK;
  ww_exported x = {.row = r,
                   .split = ww_split_names[split],
                   .gen = j->generated ? &j->gen : NULL,
                   .dialect = j->dialect};
  ww_launch l = {0};
  ww_err why = {0};
  x.arena = ww_arena_new();
  x.text = j->text;
  if ((st = ww_machine_of(&j->machines, r->gpu, &x.gpu, e)))
    goto out;
  x.file = file_of(j, &r->kernel, x.arena);
  bool wanted = o->form == WW_EXPORT_JSONL || prompting(j->o) || o->with_launch;
  if (wanted && !launch(j, &x, &l, &why))
    x.launch = &l;
  else if (wanted) {
    j->count->no_launch++;
    snprintf(j->count->why, sizeof j->count->why, "%.255s", why.msg);
  }
  st = write_row(j, &x, e);
  ww_progress("exporting", j->count->rows, 0);
out:
  ww_arena_free(x.arena);
  return st;
}

static ww_status prepare(job *j, ww_err *e) {
  const ww_export_options *o = j->o;
  j->paths = ww_arena_new();
  if (writes_sources(o) && mkdir(o->sources, 0777) && errno != EEXIST)
    return ww_fail(e, WW_EIO, "cannot make the folder %s: %s", o->sources,
                   strerror(errno));
  ww_status st = WW_OK;
  if (o->nevidence)
    st = ww_export_evidence_open(o->evidence, o->nevidence, j->paths, &j->evidence, e);
  if (!st)
    st = ww_sink_open(o->out, &j->sink, e);
  if (st)
    return st;
  if (writes_sources(o))
    j->sources = ww_path_from(o->out, o->sources, j->paths);
  if (o->corpus)
    j->corpus = ww_path_from(o->out, o->corpus, j->paths);
  if (o->form == WW_EXPORT_CSV || o->form == WW_EXPORT_PARQUET)
    j->table = ww_export_table_new(o, j->sink);
  return WW_OK;
}

ww_status
ww_export(ww_store *s, const ww_export_options *o, ww_export_count *n, ww_err *e) {
  job j = {
      .o = o,
      .count = n,
  };
  ww_store_filter f = {.gpu = o->gpu,
                       .family = o->family,
                       .origin = o->origin,
                       .failed = o->failed && !prompting(o),
                       .counters = o->counters || (o->form == WW_EXPORT_PROMPTS &&
                                                   o->ask != WW_ASK_TIME)};
  *n = (ww_export_count){0};
  ww_status st = prepare(&j, e);
  ww_status closed;
  if (!st)
    st = ww_store_each(s, &f, each, &j, e);
  if (j.table) {
    closed = ww_export_table_end(j.table, !st, st ? NULL : e);
    st = st ? st : closed;
  }
  closed = ww_sink_close(j.sink, !st, st ? NULL : e);
  ww_progress("exporting", 1, 1);
  ww_buf_free(&j.line);
  ww_arena_free(j.arena);
  ww_arena_free(j.paths);
  ww_machines_free(&j.machines);
  return st ? st : closed;
}
