/* agent.h - a language model that makes a kernel faster by calling tools, within a
 * budget. */
#ifndef WW_AGENT_AGENT_H
#define WW_AGENT_AGENT_H

#include "llm.h"
#include "tools.h"
#include "transcript.h"

typedef struct {
  uint64_t tokens; /* of all questions and answers */
  uint32_t calls;  /* of tools */
  double deadline; /* ww_now's clock */
  void *ctx;
  /* what happens, for a person who waits; NULL */
  void (*step)(void *ctx, const char *line);
} ww_agent_budget;

/* Ends where the model finishes, a budget is used up, it goes round in circles, or the
 * endpoint fails; out->stopped says which. What was found is handed back in all cases:
 * all.best of the workbench, verified. Fails where the endpoint gives no first answer.
 */
ww_status ww_agent_run(ww_tools *t,
                       const ww_llm *llm,
                       const ww_agent_budget *budget,
                       ww_transcript *transcript,
                       ww_agent_count *out,
                       ww_err *e);

#endif
