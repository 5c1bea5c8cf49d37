/* export.h - rows of a store for others: reports as JSON lines, tables (CSV, Parquet),
 * prompts and answers for language models, questions for our own.
 *
 * What is not stored is made again: sources and launches of generated kernels come from
 * their numbers. A file is written beside its place and moved there when it is whole; a
 * name that ends in .zst is packed. */
#ifndef WW_DATA_EXPORT_H
#define WW_DATA_EXPORT_H

#include "store.h"

typedef enum {
  WW_EXPORT_JSONL,
  WW_EXPORT_CSV,
  WW_EXPORT_PARQUET,
  WW_EXPORT_PROMPTS,
  WW_EXPORT_QUESTIONS,
  WW_NEXPORTS
} ww_export_form;
extern const char *const ww_export_names[WW_NEXPORTS]; /* "jsonl", ... */
/* What a prompt asks for: counters as a JSON object (as Omniwise), log2 of the time in
 * us (as LLMPerf), or the roofline class (roofline.h). */
typedef enum {
  WW_ASK_COUNTERS,
  WW_ASK_TIME,
  WW_ASK_ROOFLINE,
  WW_NASKS
} ww_query_request;
extern const char *const ww_ask_names[WW_NASKS]; /* "counters", ... */

/* The form of a launch's question where there are rows of evidence; mixed: its source
 * alone and traced, every fourth one compiled too. */
typedef enum {
  WW_EXPORT_EVIDENCE_SOURCE,
  WW_EXPORT_EVIDENCE_COMPILED,
  WW_EXPORT_EVIDENCE_TRACED,
  WW_EXPORT_EVIDENCE_MIXED
} ww_export_evidence_form;

typedef struct {
  ww_export_form form;
  const char *out;          /* "-": stdout */
  int split;                /* ww_split, -1 any */
  bool random;              /* launches go to splits at random, not by family */
  int origin;               /* ww_origin, -1 any */
  const char *family, *gpu; /* NULL any */
  bool counters;            /* only rows with counters */
  bool failed;              /* failures too (jsonl, csv, parquet) */
  /* folder where the sources of generated kernels go, so that the rows' `file` is
   * there; of prompts and questions also where those of imported kernels are; NULL */
  const char *sources;
  /* questions: files of rows as ww_features_make keeps them */
  const char *const *evidence;
  uint32_t nevidence;
  ww_export_evidence_form evidence_form;
  const char *corpus; /* folder of the corpus's sources; NULL: unknown */
  /* tables: a column of launch specs as JSON, one of sources */
  bool with_launch, with_source;
  ww_query_request ask;
  bool raw;               /* prompt and completion instead of chat messages */
  const uint32_t *styles; /* of the sources in prompts: every row once in each; none:
                             the plain one */
  uint32_t nstyles;
  uint32_t shard,
      /* questions: only every nshards-th kernel, from this one on; nshards 0: all */
      nshards;
} ww_export_options;

typedef struct {
  uint64_t rows;    /* written */
  uint64_t sources; /* files written */
  /* left out or without its launch: the launch cannot be made again */
  uint64_t no_launch;
  uint64_t no_source; /* left out (prompts) or without a text: the source is not here */
  char why[256];      /* of the last one of those */
} ww_export_count;

ww_status
ww_export(ww_store *s, const ww_export_options *o, ww_export_count *n, ww_err *e);

#endif
