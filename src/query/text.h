/* text.h - from a launch spec to the language model's question, for predict and
 * evaluate: files are read as text, no compiler. */
#ifndef WW_QUERY_TEXT_H
#define WW_QUERY_TEXT_H

#include "../predict/text/text.h"

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
