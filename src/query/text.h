/* text.h - from a launch spec to the language model's question, for predict and
 * evaluate: files are read as text, no compiler. */
#ifndef WW_QUERY_TEXT_H
#define WW_QUERY_TEXT_H

#include "../predict/text/text.h"

/* A source of the disk as the question reads it: the headers of its project that it
 * includes stand in it (text_files.c). `flags` are a compiler's. */
typedef struct {
  const char *path;
  const char *const *flags;
  uint32_t nflags;
} ww_text_file;
ww_status
ww_text_load(const ww_text_file *f, ww_arena *a, char **text, size_t *n, ww_err *e);

/* The kernel of the last launch, kept while the next one is about the same. All zero:
 * none. */
typedef struct {
  ww_arena *arena;
  const char *key;
  ww_question_kernel *kernel;
  const char *comment; /* of the launch, NULL: none */
} ww_text_reader;
void ww_text_reader_free(ww_text_reader *s);

/* Reads l->file, puts l over what the kernel's comment says and resolves it in place;
 * `said` collects what nobody told. */
ww_status ww_text_reader_ready(
    ww_text_reader *s, ww_launch *l, ww_arena *a, ww_assumptions *said, ww_err *e);

#endif
