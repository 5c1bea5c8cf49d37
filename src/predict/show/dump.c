/* dump.c - the numbers of one stage of the machine model, a line each: what goes into
 * the next one.
 */
#include "show.h"

#include "../../base/json_put.h"

typedef struct {
  const ww_prediction *p;
  ww_arena *a;
  ww_buf *out;
  ww_json *json; /* NULL: lines of text */
} dump;

static void add(const dump *d, const char *name, double value, const char *unit) {
  if (d->json)
    ww_json_put(d->json, "%s:{value:%g,unit:%s}", name, value, unit);
  else
    ww_buf_fmt(d->out, "  %-24s %14.6g  %s\n", name, value, unit);
}

static const char *compound(const dump *d, const char *what, const char *of) {
  char *name = ww_fmt(d->a, "%s_%s", what, of);
  for (char *c = name; *c; c++)
    if (*c == ' ')
      *c = '_';
  return name;
}

static void add_lowered(dump *d) {
  const ww_lowered *l = &d->p->work.lowered;
  const ww_occupancy *o = &d->p->work.occupancy;
  for (int p = 0; p < WW_NPIPES; p++)
    add(d, compound(d, "inst", ww_pipe_names[p]), l->inst[p], "warp instructions");
  add(d, "total", l->total, "warp instructions");
  add(d, "thread_inst", l->thread_inst, "thread instructions");
  for (int p = 0; p < WW_NPIPES; p++)
    add(d, compound(d, "cycles", ww_pipe_names[p]), l->cycles[p], "cycles");
  add(d, "flops32", l->flops32, "operations");
  add(d, "flops64", l->flops64, "operations");
  add(d, "flops16", l->flops16, "operations");
  add(d, "flops_tensor", l->flops_tensor, "operations");
  add(d, "int_ops", l->int_ops, "operations");
  add(d, "code_bytes", l->code_bytes, "bytes");
  add(d, "registers", o->registers, "registers a thread");
  add(d, "spill_bytes", d->p->spill_bytes, "bytes a thread");
  add(d, "resident_blocks", o->blocks, "blocks an SM");
  add(d, "resident_warps", o->warps, "warps an SM");
  add(d, "l1_bytes", o->l1_bytes, "bytes an SM");
}

static void add_traffic(dump *d) {
#define TRAFFIC(name, unit, ...) add(d, #name, d->p->work.traffic.name, unit);
#include "../model/work.def"
}

static void add_chain(dump *d) {
#define CHAIN(name, unit, ...) add(d, #name, d->p->work.chain.name, unit);
#include "../model/work.def"
}

static void add_time(dump *d) {
  const ww_timing *t = &d->p->timing;
  add(d, "time", d->p->machine_us, "us");
  add(d, "low", d->p->machine_low, "us");
  add(d, "high", d->p->machine_high, "us");
  add(d, "waves", t->waves, "waves");
  add(d, "achieved_warps", t->achieved_warps, "warps an SM");
  for (int k = 0; k < WW_NTERMS; k++)
    add(d, compound(d, "bound", ww_term_names[k]), t->bound_us[k], "us");
  for (int k = 0; k < WW_NTERMS; k++)
    add(d, compound(d, "stall", ww_term_names[k]), t->stall[k], "share");
}

static const struct {
  const char *name;
  void (*add)(dump *d);
} stages[] = {{"lowered", add_lowered},
              {"traffic", add_traffic},
              {"chain", add_chain},
              {"time", add_time}};

static int stage_named(const char *name) {
  for (int k = 0; k < (int)(sizeof stages / sizeof *stages); k++)
    if (!strcmp(stages[k].name, name))
      return k;
  return -1;
}

ww_status ww_dump_check(const char *stage, ww_err *e) {
  if (stage_named(stage) >= 0)
    return WW_OK;
  return ww_fail(e, WW_EUSAGE,
                 "--dump: expected lowered, traffic, chain or time, not '%.40s'",
                 stage);
}

void ww_dump_write(const ww_prediction *p, const char *stage, bool json, ww_buf *out) {
  ww_json j = {.out = out};
  dump d = {p, ww_arena_new(), out, json ? &j : NULL};
  if (json)
    ww_json_put(&j, "{kernel:%s,gpu:%s,stage:%s,values:{", p->report.kernel,
                p->report.gpu, stage);
  else
    ww_buf_fmt(out, "%s on %s: %s\n", p->report.kernel, p->report.gpu, stage);
  stages[stage_named(stage)].add(&d);
  if (json) {
    ww_json_put(&j, "}}");
    ww_buf_puts(out, "\n");
  }
  ww_arena_free(d.a);
}
