/* show_json.c - the machine model's own numbers as the member `machine` of a report: all that the
 * time was computed from. */
#include "show.h"

static void write_named(ww_json *j, const char *key, const char *const *names, const double *v,
                        int n) {
  ww_json_key(j, key);
  ww_json_obj(j);
  for (int k = 0; k < n; k++)
    if (v[k] > 0)
      ww_json_knum(j, names[k], v[k]);
  ww_json_end_obj(j);
}

static void write_timing(ww_json *j, const ww_prediction *p) {
  const ww_timing *t = &p->timing;
  ww_json_key(j, "timing");
  ww_json_obj(j);
  ww_json_knum(j, "us", p->machine_us);
  ww_json_knum(j, "low", p->machine_low);
  ww_json_knum(j, "high", p->machine_high);
  ww_json_kstr(j, "bottleneck", ww_term_names[t->bottleneck]);
  ww_json_kstr(j, "busiest_pipe", ww_pipe_names[t->busiest]);
  ww_json_knum(j, "waves", t->waves);
  ww_json_knum(j, "achieved_warps", t->achieved_warps);
  write_named(j, "bound_us", ww_term_names, t->bound_us, WW_NTERMS);
  write_named(j, "stall", ww_term_names, t->stall, WW_NTERMS);
  ww_json_end_obj(j);
}

static void write_occupancy(ww_json *j, const ww_occupancy *o) {
  ww_json_key(j, "occupancy");
  ww_json_obj(j);
  ww_json_kuint(j, "blocks", o->blocks);
  ww_json_kuint(j, "warps", o->warps);
  ww_json_kstr(j, "limiter", ww_limit_names[o->limiter]);
  ww_json_knum(j, "l1_bytes", o->l1_bytes);
  ww_json_end_obj(j);
}

static void write_traffic(ww_json *j, const ww_traffic *t) {
  ww_json_key(j, "traffic");
  ww_json_obj(j);
#define FIELD(name) ww_json_knum(j, #name, t->name);
  FIELD(l1_ld_sectors)
  FIELD(l1_ld_hits)
  FIELD(l1_st_sectors)
  FIELD(l1_st_hits)
  FIELD(l1_wavefronts)
  FIELD(l2_reads)
  FIELD(l2_writes)
  FIELD(l2_atomics)
  FIELD(l2_hits)
  FIELD(l2_lookups)
  FIELD(dram_read)
  FIELD(dram_write)
  FIELD(footprint)
  FIELD(from_l1)
  FIELD(from_l2)
  FIELD(from_dram)
  FIELD(atomics_same)
  FIELD(shared_cycles)
  FIELD(partial_writes)
  FIELD(load_lines)
  FIELD(local_lines)
#undef FIELD
  ww_json_end_obj(j);
}

static void write_chain(ww_json *j, const ww_chain *c) {
  ww_json_key(j, "chain");
  ww_json_obj(j);
#define FIELD(name) ww_json_knum(j, #name, c->name);
  FIELD(warp_inst)
  FIELD(alu)
  FIELD(waits)
  FIELD(beyond_l1)
  FIELD(beyond_l2)
  FIELD(loads_per_wait)
  FIELD(first_waits)
  FIELD(shared_waits)
  FIELD(atomic_waits)
  FIELD(barriers)
  FIELD(const_waits)
  FIELD(spread)
  FIELD(atomic_cycles)
  FIELD(store_lines)
  FIELD(lines_per_load)
  FIELD(lone)
#undef FIELD
  ww_json_end_obj(j);
}

void ww_predict_write(void *ctx, ww_json *j) {
  const ww_prediction *p = ctx;
  ww_json_key(j, "machine");
  ww_json_obj(j);
  write_timing(j, p);
  write_occupancy(j, &p->work.occupancy);
  write_named(j, "instructions", ww_pipe_names, p->work.lowered.inst, WW_NPIPES);
  write_named(j, "pipe_cycles", ww_pipe_names, p->work.lowered.cycles, WW_NPIPES);
  write_traffic(j, &p->work.traffic);
  write_chain(j, &p->work.chain);
  ww_json_end_obj(j);
}
