/* predict.h - the machine model: from a trace to time and counters on a GPU that is not
 * here.
 *
 * Stages, each a file (or a few) with one exported function, all plain numbers in
 * between, so that each can be looked at, tested and fitted alone, and so that explain
 * can change one number and run the rest again:
 *
 * - trace (src/trace): what the kernel does: IR instructions, accesses, sampled and
 *   scaled to the launch
 * - lower.c: IR -> the machine's instructions: by pipe, FLOPs and integer operations as
 *   the counters count them
 * - registers.c: live ranges -> registers a thread -> resident blocks, limiter
 * - traffic.c: accesses of the co-resident blocks -> L1, L2 and DRAM traffic, hit rates
 *   as Nsight Compute defines them
 * - chain.c: one warp's dependency stream -> how long it takes alone, what it waits for
 * - time.c: all of the above -> time, by waves of warps that queue for issue slots,
 *   pipes, L1, L2 and DRAM
 * - report.c: numbers -> ww_report, self-consistent: ai * dram_gbps = gflops, nothing
 *   above a roof
 *
 * Free parameters live in one table, params.def; fit.c fits them on measurements of the
 * corpus, never on evaluation sets. */
#ifndef WW_PREDICT_H
#define WW_PREDICT_H

#include "../../front/amdgcn.h"
#include "../../gpu/gpu.h"
#include "../../trace/run.h"
#include "features.h"

/* ---- the machine's instructions (lower.c) ---- */

/* Where an instruction queues. One table for the model, explain and docs. */
typedef enum {
  WW_PIPE_FMA,  /* FP32 add, multiply, fma; on sm_90 also half of IMAD's */
  WW_PIPE_ALU,  /* integer add, logic, shifts, compares, selects, min/max, moves */
  WW_PIPE_IMAD, /* integer multiply and multiply-add */
  WW_PIPE_FP64,
  WW_PIPE_HALF,
  WW_PIPE_XU,  /* MUFU, wide conversions, popcount */
  WW_PIPE_LSU, /* loads, stores, atomics, shuffles: one queue for an SM */
  WW_PIPE_TENSOR,
  WW_PIPE_CTL, /* branches, barriers, exits, special registers, uniform datapath */
  WW_NPIPES
} ww_pipe;
extern const char *const ww_pipe_names[WW_NPIPES];

/* Cost of one IR instruction, per executing warp. Fractions stand for what happens
 * sometimes (folded, hoisted). */
typedef struct {
  float inst[WW_NPIPES]; /* warp instructions by pipe */
  /* of a sub-core (LSU: of the SM) that they occupy their pipe */
  float cycles[WW_NPIPES];
  /* per active lane, as the counters see them */
  float flops32, flops64, flops16, int_ops;
  /* cycles from issue until a dependent can issue; memory: without the memory */
  float latency;
} ww_cost;

typedef struct {
  double inst[WW_NPIPES], total; /* warp instructions of the launch */
  double thread_inst;            /* times active lanes */
  /* sub-core cycles (LSU: SM cycles) they occupy their pipe, of the launch */
  double cycles[WW_NPIPES];
  double
      beside; /* of the tensor pipe's, those of products that warps do not wait for */
  double flops32, flops64, flops16, flops_tensor, int_ops; /* threads', of the launch */
  /* SM cycles of shared memory in which float atomics try again, of the launch */
  double spin_cycles;
  uint32_t code_bytes; /* static size */
} ww_lowered;
/* lower_atomic.c: does the atomic become a loop that tries until it succeeds, and how
 * many rounds does that take in the launch's mean? */
bool ww_lower_spins(const ww_ins *i);
double ww_lower_spin_rounds(const ww_counts *c);

/* How far the compiler can order the instructions of a block anew. */
typedef struct {
  /* words that are free when its instructions stand as they are written: what loads can
   * be brought forward into */
  double room;
  float *words; /* that each of its loads takes of that, per instruction; 0: no load */
  uint32_t unrolled; /* iterations of its loop that become one; UINT32_MAX: all */
  bool exact_trips;  /* none are left over: the code says how many there are */
  /* the block with which the straight code begins that this one is part of; it runs
   * under a predicate; no branch is left of its end: what follows does */
  uint32_t straight;
  bool under, joined;
} ww_block_plan;

/* What the compiler makes of one function for one GPU. */
typedef struct {
  /* per block, nblocks + 1: the number of its first instruction */
  const uint32_t *first;
  /* per instruction; depends on its operands and users (folding). The prologue is part
   * of the entry block's first instruction */
  const ww_cost *cost;
  const ww_block_plan *plan;    /* per block */
  double registers;             /* of a thread, as if there were no cap */
  struct ww_lowering *lowering; /* how it came about: lower_int.h */
} ww_fn_code;

/* The functions of a module for one GPU, each lowered once, when it is first asked for:
 * every stage reads the same. */
typedef struct {
  const ww_module *m;
  const ww_gpu *g;
  ww_arena *arena;
  const ww_fn_code **of; /* per function; NULL: not asked for yet */
} ww_gpu_code;
ww_gpu_code *ww_gpu_code_new(const ww_module *m, const ww_gpu *g, ww_arena *a);
const ww_fn_code *ww_fn_code_of(ww_gpu_code *c, const ww_fn *fn);

/* The launch's machine instructions; returns fn's own code. */
const ww_fn_code *
ww_lower(ww_gpu_code *c, const ww_fn *fn, const ww_tally *t, ww_lowered *out);

/* ---- registers and resident blocks (registers.c) ---- */
typedef enum {
  WW_LIMIT_WARPS,
  WW_LIMIT_BLOCKS,
  WW_LIMIT_REGISTERS,
  WW_LIMIT_SHARED,
  WW_NLIMITS
} ww_limit;
extern const char *const
    ww_limit_names[WW_NLIMITS]; /* "warps", "blocks", "registers", "shared memory" */

typedef struct {
  double registers;    /* a thread */
  double shared_bytes; /* a block, static and dynamic */
  uint32_t blocks;     /* resident of one SM; 0: a block does not fit */
  uint32_t warps;      /* the same in warps */
  double limit_pct;    /* theoretical occupancy */
  ww_limit limiter;
  uint32_t by[WW_NLIMITS]; /* blocks that each limit alone would allow */
  double carveout_bytes;   /* shared part of the L1 array that this takes */
  double l1_bytes;         /* what is left for L1 */
} ww_occupancy;

void ww_occupancy_of(const ww_gpu *g,
                     uint64_t block_threads,
                     double registers,
                     double shared_bytes,
                     ww_occupancy *out);
/* The same for a kernel's code: with the registers that a thread takes (`compiled`
 * where a compiler has said it, else 0), and bytes of spills where the cap (launch
 * bounds, 255) is below the need. */
void ww_resources(const ww_fn_code *c,
                  uint64_t block_threads,
                  double shared_bytes,
                  double compiled,
                  ww_occupancy *out,
                  double *spill_bytes);

/* ---- memory traffic of the launch (traffic.c), one warp alone (chain.c) ---- */
typedef struct {
#define TRAFFIC(name, unit, reported, meaning) double name;
#include "work.def"
} ww_traffic;
typedef struct {
#define CHAIN(name, unit, reported, meaning) double name;
#include "work.def"
} ww_chain;

/* ---- everything the time model needs: explain edits this and runs ww_time again ----
 */
typedef struct {
  uint64_t blocks, block_threads; /* blocks that do the work */
  /* blocks that end at once: the launch is larger than its work */
  uint64_t idle;
  double idle_share; /* of all instructions, theirs */
  double branches,
      splits; /* of all warps of the launch: branches, those of them that part a warp */
  uint32_t warps_per_block;
  ww_occupancy occupancy;
  ww_lowered lowered;
  ww_traffic traffic;
  ww_chain chain;
  bool warm;
} ww_work;

/* spill.c: adds the traffic of spills that a compiler has shown. */
void ww_spill_traffic(const ww_built *b, const ww_gpu *g, ww_work *w);

/* One way into a phi. */
typedef struct {
  uint32_t from; /* block */
  ww_val value;
} ww_phi_way;
static inline ww_phi_way ww_phi_edge(const ww_fn *fn, const ww_phi *p, uint32_t k) {
  return (ww_phi_way){ww_phi_from(fn, p, k), ww_phi_value(fn, p, k)};
}
static inline const ww_ins *ww_block_end(const ww_fn *fn, uint32_t block) {
  return ww_terminator(&fn->blocks[block]);
}
static inline bool ww_is_local(const ww_ins *i) {
  return i->space == WW_LOCAL && (i->op == WW_OP_LD || i->op == WW_OP_ST);
}
static inline bool ww_is_division(const ww_ins *i) { /* of integers */
  return i->op >= WW_OP_SDIV && i->op <= WW_OP_UREM;
}

/* Cycles until a load of shared memory can be used. */
static inline double ww_shared_latency(const ww_gpu *g) {
  double probed = g->latency[WW_GPU_OP_lds32];
  /* an estimate, for descriptions without the figure */
  return probed > 0 ? probed : 28;
}

/* ---- parameters: params.def ---- */
typedef struct {
#define PARAM(name, value, least, most, meaning) double name;
#include "params.def"
} ww_params;
typedef struct {
  const char *name, *meaning;
  double value, least, most;
} ww_param_info;
extern const ww_param_info ww_param_table[];
extern const uint32_t ww_nparams;
/* models/machine.json overrides, where it is there */
extern const ww_params ww_params_default;
ww_status ww_params_load(ww_arena *a, ww_params *out, ww_err *e);
ww_status ww_params_parse(const char *text, size_t n, ww_params *out, ww_err *e);
/* adds one to the file's checksum, which begins with 0 */
uint64_t ww_param_check(uint64_t sum, const char *name, double value);

/* ---- time (time.c) ---- */
typedef enum {
#define TERM(name, ...) WW_TERM_##name,
#include "terms.def"
  WW_NTERMS
} ww_term;
extern const char *const ww_term_names[WW_NTERMS];

typedef struct {
  double us, low, high; /* the answer */
  double mhz;           /* SM clock that it is for */
  /* what each resource alone would take; LAUNCH, TAIL, COLD: what they add */
  double bound_us[WW_NTERMS];
  ww_term bottleneck;
  ww_pipe busiest;         /* of WW_TERM_PIPE */
  double achieved_warps;   /* mean resident warps of an SM while it has any */
  double stall[WW_NTERMS]; /* share of the warps' time, sums to 1 */
  double waves;            /* blocks / resident slots */
} ww_timing;
void ww_time(const ww_work *w, const ww_gpu *g, const ww_params *p, ww_timing *out);
/* The middle 80 % of ln(measured / predicted) for such a launch. */
double ww_time_spread(const ww_timing *t, const ww_params *p);

/* ---- all together: src/query/predict.c runs the stages ---- */
typedef struct {
  ww_trace_result trace;
  ww_gpu_code *code; /* of the GPU */
  ww_work work;
  ww_timing timing;
  double spill_bytes; /* a thread */
  ww_built built;     /* what a compiler said of it; all zero: estimated */
  /* the machine model's own time: what bounds and stalls are of; timing.us is the
   * answer */
  double machine_us, machine_low, machine_high;
  /* by: machine, or grounded where it is corrected */
  ww_report report;
  ww_features features; /* of the machine model's answer */
} ww_prediction;

/* report.c: fills p->report, its terms too, and p->features from p->trace, p->work and
 * p->timing. */
void ww_predict_report(const ww_fn *fn, const ww_gpu *g, ww_arena *a, ww_prediction *p);
/* What follows from the report's other values and the time: rates, intensity, class. */
void ww_report_derive(const ww_gpu *g, ww_report *r);
/* The same of a prediction, and the sentence. */
void ww_predict_derive(const ww_gpu *g, ww_arena *a, ww_prediction *p);

#endif
