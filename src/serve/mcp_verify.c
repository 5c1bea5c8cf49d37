/* mcp_verify.c - two versions of a kernel, or two kernels of a source: are they the
 * same? */
#include "../opt/verify_ask.h"
#include "mcp_int.h"

#define DEFAULT_SEED 1

static ww_status other_launch(ww_mcp_call *t, ww_launch *out) {
  const char *text = ww_mcp_text(t, "other_launch");
  *out = (ww_launch){0};
  return text ? ww_launch_comment(ww_strdup(t->a, text), t->a, out, &t->err) : WW_OK;
}

static uint64_t seed_of(const ww_mcp_call *t) {
  const cJSON *v = cJSON_GetObjectItemCaseSensitive(t->args, "seed");
  return cJSON_IsNumber(v) && v->valuedouble >= 1 ? (uint64_t)v->valuedouble
                                                  : DEFAULT_SEED;
}

static ww_status ask(ww_mcp_call *t, const call *c, const call *d) {
  ww_launch launch;
  const char *json;
  ww_status st = other_launch(t, &launch);
  if (st)
    return st;
  ww_verify_request q = {
      .source = {c->ask.source, d->ask.source},
      .kernel = {c->ask.kernel, ww_mcp_text(t, "other_kernel")},
      .launch = {c->ask.launch, &launch},
      .deadline = c->ask.deadline,
      .how = {.seed = seed_of(t), .cancelled = ww_mcp_cancelled, .ctx = t}};
  st = ww_verify_ask(t->m->o.w, &q, t->a, &json, &t->err);
  if (st)
    return st;
  ww_json_key(&t->j, "verdict");
  ww_json_raw(&t->j, json);
  return WW_OK;
}

ww_status ww_mcp_verify(ww_mcp_call *t) {
  call c;
  call d;
  if (!ww_mcp_text(t, "other_file") && !ww_mcp_text(t, "other_source") &&
      !ww_mcp_text(t, "other_kernel"))
    return ww_fail(&t->err, WW_EUSAGE,
                   "verify_kernels needs other_file, other_source or other_kernel");
  ww_status st = ww_mcp_ask(t, t->args, &c);
  if (st)
    return st;
  cJSON *args = ww_mcp_other_args(t);
  st = ww_mcp_ask(t, args, &d);
  cJSON_Delete(args);
  return st ? st : ask(t, &c, &d);
}

/* ---- schema ---- */

void ww_mcp_schema_verify(ww_json *j) {
  ww_json_put(j, "verdict:{type:'object',properties:{");
  ww_schema_properties(
      j, "same boolean in every case that ran\n"
         "text string for a person\n"
         "seed integer repeats it\n"
         "cases integer compared\n"
         "difference object the first: kind, meaning, message, case, order, buffer, "
         "index, old, new, exact, file, line, other_line\n"
         "sizes array name, least, most, given\n"
         "coverage object of old and new: blocks, reached, unreached_lines\n"
         "notes strings what was compared in another way\n"
         "not_shown strings what small sizes cannot show\n"
         "assumed strings what the launch did not say");
  ww_json_put(j, "}}");
}
