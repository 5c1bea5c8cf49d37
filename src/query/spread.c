/* spread.c - see spread.h.
 *
 * An argument whose contents decide addresses, trip counts or branches (trace/roles.c)
 * is given other contents that it might as well have (trace/likely.c), one argument at
 * a time; predict.c runs trace and model again for each. A kernel whose contents decide
 * nothing never comes here. */
#include "spread.h"

#include <math.h>

ww_launch
ww_spread_launch(const ww_trace_result *t, uint32_t d, uint32_t k, ww_arena *a) {
  const ww_deciding *x = &t->assumed.deciding.v[d];
  ww_launch l = t->launch;
  l.args = WW_NEWN(a, ww_arg, l.nargs + 1);
  memcpy(l.args, t->launch.args, l.nargs * sizeof *l.args);
  ww_fill *f = &l.args[x->arg].buffer.fill;
  double more = f->hi > 0 ? x->fill[k].hi / f->hi : 1;
  *f = x->fill[k];
  if (!ww_fill_is_rows(f->kind) || !(more > 1))
    return l;
  for (uint32_t p = 0; p < l.nargs && p < 64; p++) /* room for rows of more entries */
    if (x->targets >> p & 1 && t->assumed.sized[p])
      l.args[p].buffer.bytes = (uint64_t)(more * (double)l.args[p].buffer.bytes);
  return l;
}

void ww_spread_instead(ww_assumptions *list,
                       const ww_fn *fn,
                       const ww_deciding *d,
                       ww_arena *a) {
  const char *name = fn->params[d->arg].name;
  ww_push(a, list, (ww_assumption){WW_ASSUME_OTHER_CONTENTS, ww_strdup(a, name), {0}});
}

void ww_spread_add(ww_other_times *s, const ww_prediction *other) {
  double us = other->timing.us;
  s->low = s->n ? fmin(s->low, us) : us;
  s->high = s->n ? fmax(s->high, us) : us;
  s->n++;
}

static void widen(ww_prediction *p, double low, double high) {
  ww_quantity *q = &p->report.m[WW_M_time_us];
  q->low = p->timing.low = fmin(p->timing.low, low);
  q->high = p->timing.high = fmax(p->timing.high, high);
}

void ww_spread_say(const ww_other_times *s,
                   const ww_fn *fn,
                   const ww_deciding *d,
                   ww_arena *a,
                   ww_prediction *p) {
  if (!s->n)
    return;
  uint64_t low = (uint64_t)llround(1e3 * fmin(s->low, p->timing.us));
  uint64_t high = (uint64_t)llround(1e3 * fmax(s->high, p->timing.us));
  ww_assumptions own = {0}; /* GPUs share what the trace assumed */
  ww_assumptions_add(&own, &p->report.assumed, a);
  ww_push(a, &own,
          (ww_assumption){WW_ASSUME_CONTENTS_DECIDE,
                          ww_strdup(a, fn->params[d->arg].name),
                          {low, high, d->decides}});
  p->report.assumed = own;
  widen(p, s->low, s->high);
}
