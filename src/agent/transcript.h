/* transcript.h - what was said and done, as it happens: JSON lines for programs, and
 * the steps of a page for people.
 *
 * What comes from the model was cleared of the key before it gets here (llm_http.c). */
#ifndef WW_AGENT_TRANSCRIPT_H
#define WW_AGENT_TRANSCRIPT_H

#include "llm.h"
#include "workbench.h"

typedef struct {
  ww_message m;
  double at;             /* seconds since the beginning */
  uint32_t before, made; /* versions that there were, and are now */
} ww_step;

typedef struct {
  FILE *f;      /* NULL: kept in memory alone */
  double begun; /* ww_now's clock */
  ww_arena *a;
  WW_VEC(ww_step) v;
  bool failed; /* it could not be written */
} ww_transcript;

/* The first line: which kernel, which model. */
void ww_transcript_begin(ww_transcript *t, const ww_workbench *b, const char *model);
/* `before`: versions before what this tells of. */
void ww_transcript_add(ww_transcript *t,
                       const ww_workbench *b,
                       const ww_message *m,
                       uint32_t before);
typedef struct {
  const char *stopped;
  uint64_t tokens;
  uint32_t calls, answers;
} ww_agent_count;
/* The last line: what came of it. */
void ww_transcript_end(ww_transcript *t,
                       const ww_workbench *b,
                       const ww_agent_count *n);
void ww_agent_count_write(const ww_agent_count *n, const ww_workbench *b, ww_json *j);

/* ---- transcript_page.c ---- */
/* One page without scripts: the steps, each version against what it was made from,
 * original and best side by side. */
void ww_transcript_page(const ww_transcript *t,
                        const ww_workbench *b,
                        const ww_gpu *g,
                        ww_buf *out);

#endif
