/* measure.h - the hardware oracle: launches in, reports out, from a real device.
 *
 * Three steps, each of which can be taken on its own machine:
 *   plan     (plan.c)    launch spec + source -> a *ready* spec: shape, every buffer's
 * size, type and fill, scalars as hex, `binary` the compiled code, `kernel` its entry
 * in it. Needs the front end, not the device. compile  (compile.c) source -> .cubin by
 * nvcc, else NVRTC; .cl stays source. Needs the toolkit, not the device. measure
 * (measure.c) ready specs -> reports, by the convention of docs/measuring.md. Needs the
 * device alone.
 *
 * A batch runs in a child process (worker.c), so that a kernel that faults, hangs or
 * breaks its context costs its own row. */
#ifndef WW_MEASURE_H
#define WW_MEASURE_H

#include "../report/report.h"

typedef struct {
  /* a part of its name; NULL: the first GPU, CUDA before OpenCL; for .cl sources OpenCL
   */
  const char *device;
  bool time_only;   /* no counters */
  uint32_t repeats; /* timed runs; 0: the convention's, adaptive to the spread */
  /* for campaigns: fewer timed runs (3 below 100 us, 2 below 1 ms, else 1), none before
   * them, `accumulates` not looked for */
  bool quick;
  /* whether they run at all: each once, nothing is timed or counted, and no profiler is
   * opened, so that several processes can do it side by side */
  bool tried;
  double limit_s; /* a launch that takes longer is given up; 0: 10 */
  uint32_t batch; /* launches that share a pass configuration; 0: 256 */
  /* folder for the buffers after the first run: arg0.bin, ...; NULL */
  const char *dump;
  bool dump_each; /* each launch's in a folder of its own number */
  /* the result of every timed run is looked at, not that of the first alone: the digest
   * and the dump are those of the first run that left something else */
  bool every;
  const uint32_t *number; /* per launch: what it is called there; NULL: its index */
  /* per launch: not to be run on its own output again (it broke the last time); NULL:
   * none */
  const bool *alone;
} ww_measure_options;

typedef struct {
  ww_report report; /* by: hardware; error set where the row failed */
  ww_measured measured;
} ww_measure_row;

/* Called in the order of the launches; the row lives until it returns. `at` (may be
 * NULL) tells what is done just now. */
typedef enum {
  WW_AT_OPEN,
  WW_AT_LOAD,
  WW_AT_WARM,
  WW_AT_DIGEST,
  WW_AT_TIME,
  WW_AT_COUNT,
  WW_AT_AGAIN,
  WW_NSTAGES
} ww_measure_stage;
typedef struct {
  void *ctx;
  void (*row)(void *ctx, uint32_t index, const ww_measure_row *row);
  void (*at)(void *ctx, uint32_t index, ww_measure_stage stage);
  /* Asked by ww_measure several times a second, may be NULL: 0 go on, 1 end with the
   * batch in hand, 2 end now. Ended so it returns WW_ECANCEL; launches without a row
   * were not measured. */
  int (*stop)(void *ctx);
} ww_measure_sink;

/* Measures ready specs in this process, batch by batch; a fault ends it (worker.c's
 * child calls this). */
ww_status ww_measure_here(const ww_launch *l,
                          uint32_t n,
                          const ww_measure_options *o,
                          const ww_measure_sink *s,
                          ww_err *e);
/* The same in child processes: every launch gets its row, whatever happens. `self` is
 * the program's own path. */
ww_status ww_measure(const ww_launch *l,
                     uint32_t n,
                     const ww_measure_options *o,
                     const char *self,
                     const ww_measure_sink *s,
                     ww_err *e);
/* The child's side: options and specs as lines on stdin, rows as lines on stdout. */
ww_status ww_measure_worker(FILE *in, FILE *out, ww_err *e);

/* Starts `self measure MODE` in a process group of its own; fds: its stdin, stdout,
 * stderr, -1 as ours. *slot: for ww_cleanup_forget. */
ww_status ww_measure_spawn(const char *self,
                           const char *mode,
                           const int fds[3],
                           pid_t *pid,
                           int *slot,
                           ww_err *e);

/* Loads each launch and runs it exactly once, without any counting of our own: what a
 * profiler around it sees. */
ww_status
ww_measure_once(const ww_launch *l, uint32_t n, const ww_measure_options *o, ww_err *e);

#endif
