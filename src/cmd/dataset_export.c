/* dataset_export.c - `warpwise dataset export`: rows of a store as JSON lines, tables
 * or prompts.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "../data/export.h"
#include "cmd.h"

typedef struct {
  const char *as, *out, *split, *family, *origin, *sources, *corpus, *with, *ask,
      *style, *shard, *form;
  ww_strings evidence;
  bool counters, failed, raw, random;
} options;

static const ww_option table[] = {
    WW_OPTION(as, "FORM", "jsonl (default), csv, parquet, prompts or questions"),
    WW_OPTION(out,
              "FILE",
              "where it goes ('-': stdout); packed where the name ends in .zst",
              'o'),
    WW_OPTION(split, "NAME", "only train, validation or test"),
    WW_OPTION(
        random,
        NULL,
        "launches on all sides at random instead of whole families: for comparison "
        "with work that splits so; never for a model that is to be judged"),
    WW_OPTION(family, "NAME", "only this family of kernels"),
    WW_OPTION(origin, "NAME", "only corpus, generated or imported kernels"),
    WW_OPTION(counters, NULL, "only launches with hardware counters"),
    WW_OPTION(failed, NULL, "launches that failed too"),
    WW_OPTION(sources,
              "DIR",
              "write the sources of generated kernels there; rows name these files; "
              "prompts and questions: where those of imported kernels are"),
    WW_OPTION(corpus,
              "DIR",
              "where the corpus's sources are (default: corpus, where it is here)"),
    WW_OPTION(
        with, "WHAT", "tables: more columns: launch, source, or both: launch,source"),
    WW_OPTION(ask,
              "WHAT",
              "prompts: counters (default, as JSON), time (log2 us) or roofline "
              "(bandwidth-bound or compute-bound)"),
    WW_OPTION(raw, NULL, "prompts: prompt and completion instead of chat messages"),
    WW_OPTION(style,
              "N[,N...]",
              "prompts: generated sources in these styles, each row once in each; 0 is "
              "the plain one, "
              "others rename and reformat"),
    WW_OPTION(shard,
              "K/N",
              "questions: every N-th kernel from the K-th on (0/4, 1/4 ...), for "
              "several processes"),
    WW_OPTION(evidence,
              "ROWS",
              "questions: what `train --correction --features ROWS` kept, told with "
              "the questions of its launches (repeatable)"),
    WW_OPTION(
        form,
        "FORM",
        "with --evidence: source, compiled, traced, or mixed (default): as source "
        "and as traced, every fourth as compiled too"),
    {0},
};

static ww_status styles_of(ww_cmd *c, const char *text, ww_export_options *o) {
  WW_VEC(uint32_t) v = {0};
  while (text && *text) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    if (end == text || (*end && *end != ',') || n > UINT32_MAX || *text == '-')
      return ww_usage(c, "--style: expected numbers: 0,1,2, not '%.40s'", text);
    ww_push(c->arena, &v, n);
    text = *end ? end + 1 : end;
  }
  o->styles = v.v;
  o->nstyles = v.n;
  return WW_OK;
}

static ww_status with_of(ww_cmd *c, const char *text, ww_export_options *o) {
  while (text && *text) {
    size_t n = strcspn(text, ",");
    if (n == 6 && !strncmp(text, "launch", 6))
      o->with_launch = true;
    else if (n == 6 && !strncmp(text, "source", 6))
      o->with_source = true;
    else
      return ww_usage(
          c, "--with: expected launch, source or launch,source, not '%.40s'", text);
    text += n + (text[n] == ',');
  }
  return WW_OK;
}

static ww_status shard_of(ww_cmd *c, const char *text, ww_export_options *o) {
  unsigned k;
  unsigned n;
  int end = 0;
  if (!text)
    return WW_OK;
  if (sscanf(text, "%u/%u%n", &k, &n, &end) != 2 || text[end] || !n || k >= n)
    return ww_usage(c, "--shard: expected K/N with K below N: 0/4, not '%.40s'", text);
  o->shard = k;
  o->nshards = n;
  return WW_OK;
}

static ww_status read_options(ww_cmd *c, const options *o, ww_export_options *out) {
  int form;
  int ask;
  int split;
  int origin;
  int told;
  if ((form = ww_word_option(c, "as", o->as, "jsonl csv parquet prompts questions")) <
          0 ||
      (ask = ww_word_option(c, "ask", o->ask, "counters time roofline")) < 0 ||
      (split = ww_word_option(c, "split", o->split, "train validation test")) < 0 ||
      (origin = ww_word_option(c, "origin", o->origin, "corpus generated imported")) <
          0 ||
      (told = ww_word_option(c, "form", o->form, "source compiled traced mixed")) < 0)
    return WW_EUSAGE;
  *out = (ww_export_options){.out = o->out,
                             .form = form,
                             .ask = ask,
                             .split = o->split ? split : -1,
                             .random = o->random,
                             .origin = o->origin ? origin : -1,
                             .family = o->family,
                             .gpu = c->gpu,
                             .counters = o->counters,
                             .failed = o->failed,
                             .sources = o->sources,
                             .evidence = o->evidence.v,
                             .nevidence = o->evidence.n,
                             .evidence_form = o->form ? told : WW_EXPORT_EVIDENCE_MIXED,
                             .corpus = o->corpus                  ? o->corpus
                                       : ww_file_exists("corpus") ? "corpus"
                                                                  : NULL,
                             .raw = o->raw};
  if (!o->out)
    return ww_usage(c, "say where the rows go: -o rows.%s ('-': stdout)",
                    ww_export_names[form]);
  if ((o->evidence.n || o->form) && form != WW_EXPORT_QUESTIONS)
    return ww_usage(c, "--evidence and --form belong to --as questions");
  if (o->form && !o->evidence.n)
    return ww_usage(c, "--form needs --evidence ROWS");
  if (form == WW_EXPORT_PARQUET && !strcmp(o->out, "-"))
    return ww_usage(c, "Parquet goes to a file: -o rows.parquet");
  if (styles_of(c, o->style, out) || shard_of(c, o->shard, out))
    return WW_EUSAGE;
  return with_of(c, o->with, out);
}

static void say(const ww_cmd *c, const options *o, const ww_export_count *n) {
  FILE *f = !strcmp(o->out, "-") || c->json ? stderr : stdout;
  if (c->json && strcmp(o->out, "-"))
    ww_line_print("file:%s,rows:%lu,sources:%lu,without_launch:%lu,without_source:%lu",
                  o->out, n->rows, n->sources, n->no_launch, n->no_source);
  else if (!c->quiet) {
    fprintf(f, "%" PRIu64 " rows", n->rows);
    if (o->sources)
      fprintf(f, ", %" PRIu64 " new sources in %s", n->sources, o->sources);
    fprintf(f, "\n");
  }
  if (n->no_launch)
    fprintf(stderr, "%" PRIu64 " rows without their launch (%s)\n", n->no_launch,
            n->why);
  if (n->no_source && (ww_is(o->as, "prompts") || ww_is(o->as, "questions")))
    fprintf(stderr,
            "%" PRIu64
            " rows left out, their source is not here or not understood (%s)\n",
            n->no_source, n->why);
}

static ww_status run(ww_cmd *c) {
  const options *o = c->opt;
  ww_export_options e;
  ww_export_count n;
  ww_store *s = NULL;
  if (c->noperands > 1)
    return ww_usage(
        c, "one store at a time; `warpwise dataset merge` makes one of several");
  ww_status st = read_options(c, o, &e);
  if (!st)
    st =
        ww_store_open(c->noperands ? c->operands[0] : NULL, WW_STORE_READ, &s, &c->err);
  if (!st)
    st = ww_export(s, &e, &n, &c->err);
  ww_store_close(s);
  if (!st)
    say(c, o, &n);
  return st;
}

const ww_command ww_cmd_dataset_export = {
    "export",
    "rows as JSON lines, CSV, Parquet, or prompts for language models",
    "[STORE] -o FILE [options]",
    .details =
        "The shipped table where no store is named. Launches and sources of generated "
        "kernels are made again from their numbers.\n"
        "JSON lines are reports, as `warpwise measure --json` writes them: `warpwise "
        "evaluate` reads them, with the files\n"
        "that --sources wrote.",
    .examples =
        "  warpwise dataset export --as parquet -o launches.parquet\n"
        "  warpwise dataset export --split test --counters -o test.jsonl --sources "
        "test-sources\n"
        "  warpwise dataset export --as prompts --split train --ask time --style 0,1,2 "
        "-o "
        "train.jsonl.zst\n"
        "  warpwise dataset export --as questions --split train -o train.jsonl.zst\n"
        "  warpwise dataset export my.sqlite --as csv -o my.csv --with launch\n",
    WW_OPTIONS,
    .run = run,
};
