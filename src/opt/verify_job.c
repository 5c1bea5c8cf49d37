/* verify_job.c - see verify_job.h. Candidate 0 is the original, candidate 1 the new
 * kernel; `measure --job` compares all buffers of the two. */
#include "verify_job.h"

#include "../measure/plan.h"

static ww_status add(ww_job *j,
                     const ww_verify_side *side,
                     const ww_source *source,
                     const ww_launch *launch,
                     ww_err *e) {
  uint32_t id;
  bool first = !j->v.n;
  ww_job_candidate c = {.label = first ? "original" : "new",
                        .file = source->path,
                        .text = source->text,
                        .flags = source->flags,
                        .nflags = source->nflags,
                        .kernel = launch->kernel ? launch->kernel : side->fn->name,
                        .launch = *launch,
                        .verdict = first ? WW_JOB_UNVERIFIED : WW_JOB_SAME};
  return ww_job_add(j, &c, &id, e);
}

/* What a device needs to run them. Both get the original's buffers. */
static ww_status
plan(const ww_verify_side side[2], ww_launch launch[2], ww_arena *a, ww_err *e) {
  ww_status st = ww_verify_launches(&side[0], &side[1], a, launch, e);
  for (int s = 0; !st && s < 2; s++) {
    ww_assumed said = {0};
    st = ww_plan(side[s].module, side[s].fn, &launch[s], &said, a, e);
  }
  for (uint32_t k = 0; !st && k < launch[0].nargs && k < launch[1].nargs; k++)
    if (launch[0].args[k].kind == WW_ARG_BUFFER && !launch[1].args[k].buffer.local)
      launch[1].args[k] = launch[0].args[k];
  return st;
}

ww_status ww_verify_propose(const ww_verify_side side[2],
                            const ww_source source[2],
                            const char *path,
                            ww_arena *a,
                            ww_err *e) {
  ww_launch launch[2] = {0};
  ww_job j = {.path = path, .tool = "verify", .gpu = "", .settings = "{}", .a = a};
  ww_status st = plan(side, launch, a, e);
  if (!st)
    st = ww_job_create(&j, e);
  for (int s = 0; !st && s < 2; s++)
    st = add(&j, &side[s], &source[s], &launch[s], e);
  return st;
}

ww_status
ww_verify_resume(const char *path, ww_arena *a, ww_job *out, bool *same, ww_err *e) {
  ww_status st = ww_job_read(path, a, out, e);
  if (st)
    return st;
  if (out->v.n != 2 || strcmp(out->tool, "verify"))
    return ww_fail(e, WW_EUSAGE, "'%s' is not a job of verify", path);
  ww_job_state found = out->v.v[1].result.state;
  if (found == WW_JOB_NONE)
    return ww_fail(
        e, WW_EUSAGE,
        "nothing of '%s' is measured yet: run `warpwise measure --job` on it", path);
  *same = found == WW_JOB_MEASURED;
  return WW_OK;
}
