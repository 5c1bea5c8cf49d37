/* measure_job.c - `warpwise measure --job`: the half of tune and optimize that runs
 * where the GPU is. Driver and NVRTC (or an OpenCL device) are all it needs. */
#include "measure_job.h"

#include "../gpu/gpu.h"
#include "../predict/show/show.h"

static const char *beside(const ww_job_candidate *k) {
  const ww_job_result *r = &k->result;
  if (!k->id)
    return "the original";
  if (r->p >= WW_JOB_SURE)
    return "not told apart from the original";
  return r->ratio > 1 ? "faster" : "slower";
}

void ww_cmd_show_result(const ww_cmd *c, const ww_job_candidate *k) {
  const ww_job_result *r = &k->result;
  char us[16];
  if (c->json) {
    ww_json *j = ww_line_begin();
    ww_json_kstr(j, "label", k->label);
    ww_job_result_write(k->id, r, j);
    ww_line_end(j);
    return;
  }
  printf("%4u  %-32.60s ", k->id, k->label ? k->label : "");
  if (r->state == WW_JOB_MEASURED) {
    printf("%10s  %s", ww_show_us(r->us, us), beside(k));
    if (k->id)
      printf(" (%.3fx, p %.2g)", r->ratio, r->p);
  } else
    printf("%10s  %s", ww_job_state_names[r->state], r->why ? r->why : "");
  putchar('\n');
}

static void show_done(void *ctx, const ww_job_candidate *k) {
  const ww_cmd *c = ctx;
  ww_cmd_show_result(c, k);
  fflush(stdout);
}

ww_status ww_cmd_measure_job(ww_cmd *c, const char *path, ww_job_how *how) {
  ww_job j;
  int held = -1;
  ww_status st = ww_job_hold(path, &held, &c->err);
  if (!st)
    st = ww_job_read(path, c->arena, &j, &c->err);
  if (!st && c->gpu) {
    ww_gpu *gate = WW_NEW(c->arena, ww_gpu);
    how->gate = gate;
    st = ww_gpu_load(c->gpu, c->arena, gate, &c->err);
  }
  how->self = ww_self_path(c->arena);
  how->ctx = c;
  how->done = show_done;
  if (!st) {
    uint32_t *ids = WW_NEWN(c->arena, uint32_t, j.v.n + 1);
    uint32_t n = 0;
    for (uint32_t k = 0; k < j.v.n; k++)
      if (j.v.v[k].verdict != WW_JOB_DIFFERENT)
        ids[n++] = k;
    st = ww_job_measure(&j, ids, n, how, &c->err);
  }
  ww_job_release(held);
  return st;
}
