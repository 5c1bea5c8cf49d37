/* mcp_optimize.c - a kernel made faster, and the best values of its parameters: both
 * take minutes and all cores, so our own program does it as a child.
 *
 * The source is read here first: what it includes has to lie below the root. */
#include "mcp_int.h"

#define SHOWN 12 /* candidates and variants */

static ww_status check_source(ww_mcp_call *t, const call *c) {
  ww_query_unit unit = {0};
  ww_status st =
      ww_query_read(t->m->o.w, &c->ask.source, c->ask.deadline, t->a, &unit, &t->err);
  ww_query_release(t->m->o.w, &unit);
  return st;
}

/* *all: what the command printed; the caller deletes it. */
static ww_status ask(ww_mcp_call *t,
                     const char *command,
                     const char *const *names,
                     const char *const *more,
                     cJSON **all) {
  call c;
  ww_mcp_child k;
  *all = NULL;
  if (ww_mcp_ask(t, t->args, &c) || check_source(t, &c) ||
      ww_mcp_child_start(&k, t, command))
    return t->err.code;
  if (c.ask.ngpus > 1)
    return ww_fail(&t->err, WW_EUSAGE, "gpu: one GPU at a time");
  ww_mcp_child_option(&k, "gpu", c.ask.ngpus ? c.ask.gpus[0] : NULL);
  for (; *more; more++)
    ww_mcp_child_word(&k, *more);
  ww_status st = ww_mcp_child_source(&k, &c, names);
  if (!st && !(*all = ww_mcp_child_line(&k, &t->err)))
    st = t->err.code;
  ww_run_free(&k.r);
  return st;
}

static const cJSON *member(const cJSON *o, const char *name) {
  return cJSON_GetObjectItemCaseSensitive(o, name);
}

static void copy_object(const cJSON *from,
                        const char *name,
                        const char *const *members,
                        ww_json *j) {
  if (!cJSON_IsObject(member(from, name)))
    return;
  ww_json_put(j, "%s:{", name);
  ww_mcp_copy(member(from, name), members, j);
  ww_json_end_obj(j);
}

/* The first of a list; with `state`, those that came further than a prediction. */
static void copy_list(const cJSON *list,
                      const char *name,
                      const char *const *members,
                      bool judged,
                      ww_json *j) {
  const cJSON *v;
  uint32_t n = 0;
  ww_json_put(j, "%s:[", name);
  cJSON_ArrayForEach(v, list) {
    const char *state = ww_member_text(v, "state");
    bool no = judged && state && ww_is_one_of("no_gain|passed_over|failed", state);
    if (no || n++ >= SHOWN)
      continue;
    ww_json_put(j, "{");
    ww_mcp_copy(v, members, j);
    ww_json_end_obj(j);
  }
  ww_json_end_arr(j);
}

/* ---- optimize ---- */

ww_status ww_mcp_optimize(ww_mcp_call *t) {
  static const char *const names[] = {"seconds", "rounds", "seed", NULL};
  static const char *const none[] = {NULL};
  static const char *const heads[] = {"kernel",   "file",     "gpu",
                                      "gain",     "improved", "stopped",
                                      "patch",    "floor_us", "assumes_no_overlap",
                                      "launched", NULL};
  static const char *const times[] = {"time_us", "low", "high", NULL};
  static const char *const tried[] = {"id",  "from",  "title",   "state",
                                      "why", "cases", "time_us", NULL};
  cJSON *all;
  ww_status st = ask(t, "optimize", names, none, &all);
  if (st)
    return st;
  ww_mcp_copy(all, heads, &t->j);
  copy_object(all, "before", times, &t->j);
  copy_object(all, "after", times, &t->j);
  const cJSON *list = member(all, "tried");
  ww_json_put(&t->j, "candidates:%d", cJSON_GetArraySize(list));
  copy_list(list, "tried", tried, true, &t->j);
  if (t->full)
    ww_json_put(&t->j, "source:%s", ww_member_text(all, "source"));
  cJSON_Delete(all);
  return WW_OK;
}

void ww_mcp_schema_optimize(ww_json *j) {
  ww_schema_properties(
      j, "kernel string\nfile string\ngpu string\n"
         "improved boolean false: nothing surely better was found\n"
         "gain number times as fast, by prediction\n"
         "patch string for `git apply`\n"
         "before object time_us, low, high\nafter object time_us, low, high\n"
         "floor_us number what its bytes and operations need\n"
         "assumes_no_overlap boolean right where no two buffers overlap\n"
         "launched string what becomes of the launch, and where; else it stays\n"
         "stopped string why the search ended\n"
         "candidates integer that were predicted\n"
         "tried array that were compared with the original: title, state, why\n"
         "source string the new text, with detail full");
}

/* ---- tune ---- */

ww_status ww_mcp_tune(ww_mcp_call *t) {
  static const char *const names[] = {"param", "where", "most", NULL};
  static const char *const quick[] = {"--no-ptxas", NULL};
  static const char *const heads[] = {"file",     "kernel",  "gpu",
                                      "variants", "refused", NULL};
  static const char *const best[] = {"label", "values", "us",      "low",
                                     "high",  "sure",   "verdict", NULL};
  static const char *const one[] = {"label", "values", "predicted", NULL};
  static const char *const axis[] = {"name", "kind", "original", "values", NULL};
  static const char *const refusal[] = {"label", "why", NULL};
  cJSON *all;
  ww_status st = ask(t, "tune", names, quick, &all);
  if (st)
    return st;
  ww_mcp_copy(all, heads, &t->j);
  copy_list(member(all, "parameters"), "parameters", axis, false, &t->j);
  copy_object(all, "best", best, &t->j);
  copy_object(all, "original", one, &t->j);
  copy_list(member(all, "ranked"), "ranked", one, false, &t->j);
  if (t->full)
    copy_list(member(all, "refusals"), "refusals", refusal, false, &t->j);
  cJSON_Delete(all);
  return WW_OK;
}

void ww_mcp_schema_tune(ww_json *j) {
  ww_schema_properties(
      j, "file string\nkernel string\ngpu string\n"
         "variants integer that were predicted\n"
         "refused integer that cannot run\n"
         "parameters array name, kind, original, values\n"
         "best object label, values, us, sure: that none is faster, verdict: same as "
         "the original\n"
         "original object\n"
         "ranked array the best ones: label, values, predicted\n"
         "refusals array with detail full: label, why");
}
