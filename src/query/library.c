/* library.c - see library.h. The report has a time and says that there is no code
 * behind it; counts of instructions are unknown. */
#include "library.h"

#include "../predict/model/library.h"

static void
answer(const ww_launch *l, const ww_library_time *t, ww_arena *a, ww_prediction *p) {
  const ww_library_call *c = l->library;
  ww_report *r = &p->report;
  p->trace.launch = *l;
  p->timing.us = p->machine_us = t->us;
  p->timing.low = p->machine_low = t->low;
  p->timing.high = p->machine_high = t->high;
  p->timing.bottleneck = t->bottleneck;
  p->work.traffic.footprint = t->bytes;
  r->by = WW_BY_MACHINE;
  r->launch = &p->trace.launch;
  r->bottleneck = ww_fmt(a, "bound by %s (a call of %s: its code is not known)",
                         ww_term_names[t->bottleneck], c->name);
  r->m[WW_M_time_us] = (ww_quantity){
      .known = true, .interval = true, .value = t->us, .low = t->low, .high = t->high};
  ww_push(
      a, &r->assumed,
      (ww_assumption){WW_ASSUME_WORDED,
                      ww_fmt(a,
                             "opaque: a call of %s, predicted from what it computes "
                             "and moves",
                             c->name),
                      {0}});
}

ww_status ww_query_library(const ww_launch *launch,
                           const ww_query_targets *q,
                           ww_arena *a,
                           ww_prediction *out,
                           ww_err *e) {
  ww_status st = WW_OK;
  bool any = false;
  for (uint32_t k = 0; k < q->n; k++) {
    ww_library_time t;
    out[k] =
        (ww_prediction){.report = {.kernel = launch->kernel,
                                   .gpu = q->gpus[k].name,
                                   .grade = ww_grades[ww_gpu_grade(&q->gpus[k])].text}};
    ww_status one =
        ww_library_predict(launch->library, &q->gpus[k], &t, &out[k].report.error);
    if (!one)
      answer(launch, &t, a, &out[k]);
    any |= !one;
    if (one && !st)
      *e = out[k].report.error;
    st = st ? st : one;
  }
  return any ? WW_OK : st;
}
