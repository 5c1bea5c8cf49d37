/* job.h - candidates and what a device said of them, in a file that travels between the
 * machine that has clang and the one that has the GPU.
 *
 * A job is JSON lines: one `job` line, then `candidate` and `result` lines in any
 * order. Candidate 0 is the original, every other one is compared with it. A candidate
 * is kernel text and a ready launch (plan.h: numbers only), never host code. Lines are
 * only ever appended, each in one write that is synced; a line that a crash cut off is
 * dropped by whoever appends next. docs/tune.md has the format. */
#ifndef WW_OPT_JOB_H
#define WW_OPT_JOB_H

#include "../measure/measure.h"
#include "../predict/model/predict.h"

#define WW_JOB_SURE 0.01 /* p below which a difference is one */
#define WW_JOB_REPEATS 9 /* timed runs of each candidate, between the original's */

/* What `verify` said of a candidate. */
typedef enum {
  WW_JOB_UNVERIFIED,
  WW_JOB_SAME,
  WW_JOB_DIFFERENT,
  WW_NJOB_VERDICTS
} ww_job_verdict;
extern const char *const ww_job_verdict_names[WW_NJOB_VERDICTS];

/* What is the least that the work needs, whoever does it: the roofline gate. */
typedef struct {
  double read_bytes, written_bytes; /* distinct ones in global memory */
  double flops64, flops32, flops16, flops_tensor;
} ww_job_needs;

/* How a measurement ended. */
typedef enum {
  WW_JOB_NONE, /* no measurement yet */
  WW_JOB_MEASURED,
  WW_JOB_FAILED,     /* it does not compile, load or end */
  WW_JOB_WRONG,      /* at full size its buffers are not the original's */
  WW_JOB_IMPOSSIBLE, /* quicker than its bytes and operations can be */
  WW_NJOB_STATES
} ww_job_state;
extern const char *const ww_job_state_names[WW_NJOB_STATES];

typedef struct {
  ww_job_state state;
  const char *why;      /* of all but MEASURED */
  double us, low, high; /* median and middle half */
  double original_us;   /* the original's median beside it */
  double ratio;         /* median of original / candidate, pair by pair */
  double p;             /* of the pairs, were the two equally fast; two-sided */
  double *samples,
      *pair; /* [n]: the candidate's runs, and the original's beside each */
  uint32_t n;
  uint32_t registers;
  uint64_t local_bytes; /* a thread */
  const char *device;   /* "NVIDIA H200" */
  const char *compiler; /* or NULL */
  double wall_s;        /* that its measurement took, compiling included */
} ww_job_result;

/* Of one parameter of a space, or of nothing for a candidate of another kind. */
typedef struct {
  const char *name;
  double value;
} ww_job_value;

typedef struct {
  uint32_t id;
  uint32_t parent;   /* the candidate that it was made from; its own id: none */
  const char *label; /* "BX=32 TILE=4", "index swap, line 12" */
  const char *file;  /* what messages call it; .cl is OpenCL, else CUDA */
  const char *text;
  const char **flags;
  uint32_t nflags;
  const char *kernel; /* plain or mangled name, or scale<float, 4> */
  ww_launch launch;   /* ready; its file, kernel and flags do not count */
  ww_job_value *values;
  uint32_t nvalues;
  ww_quantity predicted; /* us */
  ww_job_needs needs;    /* all 0: no gate */
  ww_job_verdict verdict;
  const char *why; /* of a difference */
  ww_job_result result;
} ww_job_candidate;

typedef struct {
  const char *path;
  const char *tool; /* "tune", "optimize" */
  const char *gpu;  /* what the predictions are for */
  /* a JSON object that the tool keeps for --resume; "{}" where there is none */
  const char *settings;
  WW_VEC(ww_job_candidate) v; /* v[k].id is k */
  ww_strings notes;           /* lines of the tool's own, as they are */
  ww_arena *a;                /* the caller's: everything lives there */
} ww_job;

/* ---- job.c ---- */
/* A new file; one that is there is WW_EUSAGE. *j has path, tool, gpu, settings, a. */
ww_status ww_job_create(const ww_job *j, ww_err *e);
/* All of it. Lines of a later version are passed over; a broken line in the middle is
 * WW_EDATA with its number. */
ww_status ww_job_read(const char *path, ww_arena *a, ww_job *out, ww_err *e);
/* Gives it the next number, keeps a copy and writes its line. */
ww_status ww_job_add(ww_job *j, const ww_job_candidate *c, uint32_t *id, ww_err *e);
/* A line of the tool's own: an object whose first member is none of `job`, `candidate`
 * and `result`. */
ww_status ww_job_note(ww_job *j, const char *json, ww_err *e);
/* What was measured of candidate `id`. */
ww_status ww_job_put(ww_job *j, uint32_t id, const ww_job_result *r, ww_err *e);
/* One process at a time works on a job: WW_ELIMIT where another does. -1: not held. */
ww_status ww_job_hold(const char *path, int *fd, ww_err *e);
void ww_job_release(int fd);
/* The least that a predicted launch needs. */
void ww_job_needs_of(const ww_prediction *p, ww_job_needs *out);
void ww_job_result_write(uint32_t id, const ww_job_result *r, ww_json *j);

/* ---- job_measure.c ---- */
typedef struct {
  const char *device; /* as ww_measure_options */
  const char *with;   /* nvcc, nvrtc; NULL: nvcc where found */
  const char *self;   /* the program's own path */
  uint32_t repeats;   /* 0: WW_JOB_REPEATS; at most 15 */
  double limit_s;     /* of a launch; 0: 10 */
  const ww_gpu *gate; /* whose roofs count; NULL: the device's, where they are known */
  uint32_t processes; /* compilations at a time; 0: one per core */
  void *ctx;
  /* each result as it is written; NULL */
  void (*done)(void *ctx, const ww_job_candidate *c);
} ww_job_how;
/* Measures those of `ids` that have no result; the original first where it has none.
 * Every one gets a result, that of a failure too; the call fails where there is no
 * device or the original itself cannot be measured. */
ww_status ww_job_measure(
    ww_job *j, const uint32_t *ids, uint32_t n, const ww_job_how *how, ww_err *e);
/* Significantly faster than the original, right, and possible. */
bool ww_job_faster(const ww_job_candidate *c);

/* ---- job_judge.c ---- */
/* Two-sided probability of so uneven pairs by chance: signed ranks, the signs tossed in
 * all 2^n ways (n at most 16). */
double ww_pairs_p(const double *a, const double *b, uint32_t n);
/* Compares two buffers of one element type. False: `why` names the element. */
bool ww_contents_same(
    const char *type, const void *want, const void *got, uint64_t bytes, char why[160]);
/* Microseconds below which the needs cannot be met; 0: the figures are not known. */
double ww_needs_floor(const ww_job_needs *n, const ww_gpu *g);

#endif
