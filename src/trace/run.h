/* run.h - the trace oracle: a kernel and a launch in, a report with counts out. */
#ifndef WW_TRACE_RUN_H
#define WW_TRACE_RUN_H

#include "../report/report.h"
#include "inputs.h"
#include "sample.h"
#include "setup.h"

typedef struct {
  ww_sampling sampling;
  uint32_t lanes; /* 0: the module's */
  uint32_t sms;   /* multiprocessors of the GPU, for kernels that ask; 0: 132 */
  /* warp instructions; 0: a default that ends an endless loop within seconds */
  uint64_t max_steps;
  bool print; /* device printf reaches stdout */
  /* polled now and then, also by later runs; true ends it with WW_ECANCEL; NULL: never
   */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
  /* of buffers' contents that may be made at a time; beyond it WW_ELIMIT; 0: none */
  uint64_t max_bytes;
  /* a device has run the launch: what lies outside of a buffer did no harm there, and
   * is taken inside it */
  bool ran;
  /* what was assumed where the launch is complete already; NULL: complete it */
  const ww_assumed *completed;
  const char *dump; /* folder for the buffers' contents afterwards, or NULL */
} ww_trace_options;

typedef struct {
  ww_launch launch; /* completed: can be run anywhere */
  ww_assumed assumed;
  ww_sampled sampled;
  double inputs_ms, trace_ms; /* wall time */
  double trace_cpu_ms;        /* processor time of the same */
} ww_trace_result;

/* A launch whose sampled blocks have run, on a machine that still lives: more of its
 * blocks can be run on it. Stays where it is: the machine keeps the spec by reference.
 */
typedef struct {
  ww_setup setup;
  ww_run_spec spec;
  ww_machine *machine;
  uint64_t max_bytes;
} ww_traced;

/* Runs the sampled blocks. `given` holds what is known of the launch, resolved; the
 * rest is completed and said in assumed. After WW_OK, `r` is to be closed. */
ww_status ww_trace_open(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *given,
                        const ww_trace_options *o,
                        ww_arena *a,
                        ww_trace_result *out,
                        ww_traced *r,
                        ww_err *e);
/* Fails where its runs met the limit of max_bytes: what they said is not to be
 * believed. */
ww_status ww_trace_close(ww_traced *r, ww_err *e);
/* Both: for those that want the counts alone. */
ww_status ww_trace(const ww_module *m,
                   const ww_fn *fn,
                   const ww_launch *given,
                   const ww_trace_options *o,
                   ww_arena *a,
                   ww_trace_result *out,
                   ww_err *e);
/* Set where there is something to divide by. */
static inline void ww_report_ratio(ww_report *r, ww_metric m, double a, double b) {
  if (b > 0)
    ww_report_set(r, m, a / b);
}
/* The metrics a trace knows. */
void ww_trace_report(const ww_fn *fn, const ww_trace_result *t, ww_report *out);
/* Extra members of the report's JSON: counts, classes, lines, args, footprints,
 * dependencies, timing. */
typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_trace_result *t;
} ww_trace_json;
void ww_trace_write(void *ctx, ww_json *j);
void ww_trace_print(const ww_module *m,
                    const ww_fn *fn,
                    const ww_trace_result *t,
                    FILE *out); /* tables for a person */

#endif
