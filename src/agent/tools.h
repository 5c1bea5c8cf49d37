/* tools.h - the tools that a model calls: one table, short numbered text as results.
 *
 * Arguments come from a stranger: whatever is wrong with them is a result that says
 * what to do, never more. */
#ifndef WW_AGENT_TOOLS_H
#define WW_AGENT_TOOLS_H

#include "workbench.h"

typedef struct {
  ww_workbench *b;
  bool finished;
} ww_tools;

typedef struct {
  const char *name, *description;
  const char *arguments; /* schema.h: a line each */
  const char *required;  /* one of them, or "" */
} ww_tool_info;
/* Those that can be called here; NULL behind the last. */
const ww_tool_info *ww_tools_next(const ww_tools *t, const ww_tool_info *before);
/* The JSON schema of a tool's arguments: an object. */
void ww_tool_schema(const ww_tool_info *t, ww_json *j);
/* Runs a call; what comes back goes to `out`. False: it failed, and `out` says why. */
bool ww_tools_call(ww_tools *t, const char *name, const char *arguments, ww_buf *out);
/* The first message about a kernel: what it is, what is known of it, its text. */
void ww_tools_task(ww_tools *t, ww_buf *out);

#endif
