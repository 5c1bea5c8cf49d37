/* report.h - what an oracle says about one launch: the same object from trace, machine
 * model, language model and hardware.
 *
 * metrics.def is the one table of metrics. A metric not known stays absent: never zero,
 * never a guess. */
#ifndef WW_REPORT_H
#define WW_REPORT_H

#include "assume.h"
#include "launch.h"

typedef enum {
#define METRIC(name, ...) WW_M_##name,
#include "metrics.def"
  WW_NMETRICS
} ww_metric;

/* see metrics.def */
typedef enum { WW_ZERO_ABS, WW_ZERO_SKIP, WW_ZERO_NEVER } ww_zero_rule;

typedef struct {
  const char *name, *unit, *meaning, *nvidia, *amd;
  uint8_t zero; /* how relative error treats a true zero: ww_zero_rule */
} ww_metric_info;
extern const ww_metric_info ww_metrics[WW_NMETRICS];
int ww_metric_named(const char *name); /* ww_metric or -1 */

typedef struct {
  bool known;
  bool interval; /* low and high are set */
  double value, low, high;
} ww_quantity;

/* Further lines of which the same can be said, and how many more there are. */
typedef struct {
  uint32_t line[3];
  uint32_t n, more;
} ww_also;

typedef struct {
  uint32_t line;
  const char *file, *rule;
  const char *message;        /* all of it in words: ww_finding_word */
  const char *cause, *remedy; /* what happens, what to do; NULL: the message alone */
  ww_also also;
  double gain;        /* estimated speed-up factor, 0 unknown */
  uint32_t bounds[2]; /* threads and blocks that its remedy proposes; 0: none */
} ww_finding;

/* What a line of the source costs. */
typedef struct {
  const char *file; /* NULL: code that no line stands for */
  uint32_t line;
  double share; /* of the kernel's time */
  double instructions, bytes;
  double sectors_per_request, shared_conflict_ways; /* 0: it has no such accesses */
  double inlined; /* share of the time, of functions that were inlined at this line */
} ww_report_line;

/* A number, or a word, that the machine model's time was computed from: member `name`
 * of `group` (NULL: none) of `stage`. Without a name it says that the group or stage is
 * there. */
typedef struct {
  const char *stage, *group, *name;
  const char *word; /* NULL: it is a number */
  double value;
} ww_report_term;

typedef enum {
  WW_BY_GROUNDED,
  WW_BY_MACHINE,
  WW_BY_TEXT,
  WW_BY_TRACE,
  WW_BY_HARDWARE,
  WW_NBY
} ww_by;
extern const char *const ww_by_names[WW_NBY]; /* "grounded", "machine", ... */

/* A device that measured. */
typedef struct {
  const char *device;   /* "NVIDIA H200" */
  const char *backend;  /* "cuda" */
  const char *driver;   /* "580.159.04", "PoCL 3.1" */
  const char *versions; /* "CUDA 13.0, CUPTI 13.0" */
  const char *gpu;      /* the description's name where one fits ("h200"), else NULL */
  uint32_t sms, lanes;
  uint64_t l2_bytes, memory_bytes;
} ww_device_info;

/* What a measured report holds beyond the metrics; member `measured` of its JSON. */
typedef struct {
  ww_device_info device;
  double *samples_us; /* every timed run, in order */
  double *clocks_mhz; /* SM clock of each, NaN unknown */
  bool *dropped;      /* off the batch's median clock by 2 % */
  uint32_t nsamples;
  double median_us, iqr_us;
  uint32_t passes;      /* of the counters; 0: time alone */
  uint64_t digest;      /* of all buffers after one run */
  bool accumulates;     /* a second run on its own output gives another result */
  const char *compiler; /* "nvcc 13.0.88", "NVRTC 13.0", NULL unknown */
} ww_measured;

typedef struct {
  const char *file, *kernel, *gpu; /* gpu NULL when none was named */
  const char *grade; /* of the GPU's description ("probed", "from paper"), or NULL */
  ww_by by;
  const ww_launch *launch;
  ww_assumptions assumed;
  ww_quantity m[WW_NMETRICS];
  const char *roofline_class; /* "bandwidth", "compute", NULL */
  const char *bottleneck;
  ww_finding *findings;
  uint32_t nfindings;
  /* other sizes at which the findings hold, "half, twice and four times the size (n)";
   * NULL: the sizes could not be varied */
  const char *held;
  uint64_t sampled_blocks, total_blocks;
  bool explained; /* `lines` are known */
  ww_report_line *lines;
  uint32_t nlines;
  ww_report_term *terms; /* of one stage or group one after the other */
  uint32_t nterms;
  const ww_measured *measured; /* of a report that was read; NULL: none */
  ww_err error; /* code != WW_OK: only file, kernel and error are printed */
} ww_report;

static inline void ww_report_set(ww_report *r, ww_metric m, double v) {
  r->m[m] = (ww_quantity){.known = true, .value = v};
}
/* Writes the object; `extra` (may be NULL) adds members before it closes, e.g. the
 * trace's counts.
 */
void ww_report_write(const ww_report *r,
                     ww_json *j,
                     void (*extra)(void *ctx, ww_json *j),
                     void *ctx);
/* An extra, of a ww_measured: "measured":{...} */
void ww_measured_write(void *measured, ww_json *j);
void ww_report_members(const ww_report *r, ww_json *j); /* the same within an object */
/* A number of the machine model; NAN: not there. */
double ww_report_term_of(const ww_report *r,
                         const char *stage,
                         const char *group,
                         const char *name);
const char *ww_report_word_of(const ww_report *r,
                              const char *stage,
                              const char *name); /* or NULL */
/* A copy that stands on its own; of what was measured it has the metrics alone. */
void ww_report_copy(const ww_report *r, ww_arena *a, ww_report *out);
/* Reads what ww_report_write wrote; members it does not know (a newer writer's,
 * `extra`'s) are passed over. */
ww_status ww_report_parse(const char *json, ww_arena *a, ww_report *out, ww_err *e);
/* report_print.c: " (also lines 12, 14 and 2 more)", or nothing */
const char *ww_also_text(const ww_also *also, ww_arena *a);
/* The message, of cause, further lines and remedy; one without a cause keeps its own.
 */
void ww_finding_word(ww_finding *f, ww_arena *a);
void ww_report_print(const ww_report *r, FILE *out); /* the table a person reads */

#endif
