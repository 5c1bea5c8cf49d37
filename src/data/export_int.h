/* export_int.h - what the files of the export share.
 *
 *   export.c        walks the store, makes launches and sources again;  export_file.c
 * where the bytes go export_table.c  columns, CSV, Parquet;  prompt.c  prompts and
 * answers;  prompt_args.c what a source says of one kernel and its parameters;
 * prompt_value.c  arguments in words; export_question.c  lines of questions;
 * export_evidence.c  what tools know of their launches */
#ifndef WW_DATA_EXPORT_INT_H
#define WW_DATA_EXPORT_INT_H

#include "../predict/text/question_evidence.h"
#include "export.h"
#include "generate.h"
#include "machine.h"

/* ---- export_file.c: a file that is whole or not there ---- */
typedef struct ww_sink ww_sink;
ww_status ww_sink_open(const char *path, ww_sink **out, ww_err *e);
ww_status ww_sink_add(ww_sink *s, const ww_buf *b, ww_err *e);
FILE *ww_sink_file(ww_sink *s); /* for those that write on their own: never packed */
/* not good: nothing is left */
ww_status ww_sink_close(ww_sink *s, bool good, ww_err *e);
/* `path` as seen from the folder of the file `from`: "../corpus". Both must exist,
 * from's folder at least. */
const char *ww_path_from(const char *from, const char *path, ww_arena *a);

/* ---- export.c ---- */
typedef struct {
  const ww_store_row *row;
  const char *split;        /* its name */
  const char *file;         /* as the row names it to others */
  const ww_launch *launch;  /* NULL: cannot be made again */
  const ww_gen_kernel *gen; /* NULL: not generated */
  ww_gen_dialect dialect;
  const char *text;  /* plain source; NULL: not asked for, or not here */
  const ww_gpu *gpu; /* NULL: no description */
  ww_arena *arena;   /* of this row */
} ww_exported;

/* ---- export_table.c ---- */
typedef struct ww_export_table ww_export_table;
ww_export_table *ww_export_table_new(const ww_export_options *o, ww_sink *s);
ww_status ww_export_table_row(ww_export_table *t, const ww_exported *x, ww_err *e);
ww_status ww_export_table_end(ww_export_table *t, bool good, ww_err *e); /* frees */

/* ---- prompt.c ---- */
/* One line; `source` in its style. False, and nothing: what is asked is not known of
 * it. */
bool ww_prompt_write(const ww_exported *x,
                     const char *source,
                     ww_query_request ask,
                     bool raw,
                     ww_buf *out);

/* ---- export_question.c ---- */
/* One line of what `train --lm` reads: prompt, completion, features, numbers, which are
 * what the question's base lacks. `told`: what the question was told, for the
 * explanation behind the answer. */
void ww_export_question(const ww_exported *x,
                        const ww_text_question *q,
                        const ww_evidence *told,
                        ww_buf *out);

/* ---- export_evidence.c ---- */
typedef struct ww_export_evidence ww_export_evidence;
ww_status ww_export_evidence_open(const char *const *paths,
                                  uint32_t n,
                                  ww_arena *a,
                                  ww_export_evidence **out,
                                  ww_err *e);
/* The lines of one launch, in the form that was asked for where there is evidence of
 * it; returns how many. evidence NULL: none. */
uint32_t ww_export_questions(const ww_export_evidence *evidence,
                             ww_export_evidence_form form,
                             const ww_exported *x,
                             const ww_text_question *q,
                             ww_buf *out);

/* ---- prompt_args.c ---- */
typedef struct {
  const char *name, *qualifiers,
      *type; /* "x", "const __restrict__", "float *"; "" where there is none */
} ww_param_text;
/* The parameters of a kernel as its source spells them: the one called `kernel` (plain
 * or mangled), else the only one. */
uint32_t ww_params_of_text(const char *source,
                           const char *kernel,
                           ww_arena *a,
                           ww_param_text **out);
/* A file of several kernels without the other ones and without launch comments; all
 * else stays. The whole text where the kernel is not found in it. */
const char *ww_kernel_text(const char *source, const char *kernel, ww_arena *a);
/* An argument's value in the words of its type: "1048576", "2.5"; hex where the type
 * says nothing.
 */
const char *ww_arg_text(const ww_arg *g, const char *type, ww_arena *a);
/* Elements of a buffer, by the type that the launch or the parameter gives; 0 unknown.
 */
uint64_t ww_arg_elements(const ww_arg *g, const char *type);

#endif
