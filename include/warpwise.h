/* warpwise.h - how long a GPU kernel takes and why, from its source, without a GPU: the
 * C interface of libwarpwise.
 *
 *   context   GPU descriptions, models and what was computed so far warpwise_open ..
 * warpwise_close kernels   what is in a source warpwise_kernels_read ..
 * warpwise_kernels_free launch    shape, arguments and contents of one launch, built or
 * parsed   warpwise_launch_new .. warpwise_launch_free answer    one report for each
 * kernel and GPU that was asked about warpwise_predict .. warpwise_answer_free
 *
 * Ownership. What a function gives through a `**out` or returns as a pointer without
 * const is the caller's, who frees it with the function of its kind; these accept NULL.
 * Every const pointer, and every pointer inside a value that is returned, belongs to
 * the object it was read from and lives as long as that. What the caller passes in is
 * only read during the call, and copied where it is kept.
 *
 * Errors are values: functions that can fail return a status, and fill *error where it
 * is not NULL. Nothing is printed, no signal handler is set, the process never exits -
 * except that running out of memory aborts.
 *
 * Threads. A context may be used from any number of threads at a time; equal questions
 * are computed once. Kernels and answers never change and may be read from any thread.
 * A launch is its caller's: one thread at a time may change it, any number may ask with
 * it.
 *
 * Versions. Within one soname functions and enumerators are only added. warpwise_config
 * and warpwise_question may get members, at their end and marked with the version of
 * the interface that has them first; no other structure changes. A program says in its
 * configuration with which version it was compiled, and the library reads no member
 * that came later. Fill structures with zeros first: zero means "not given". */
#ifndef WARPWISE_H
#define WARPWISE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define WARPWISE_API __attribute__((visibility("default")))
#else
#define WARPWISE_API
#endif

#define WARPWISE_VERSION "0.2.0" /* of this header */
#define WARPWISE_API_VERSION 1   /* of the interface; goes into warpwise_config */

/* ---- errors ---- */

typedef enum {
  WARPWISE_OK = 0,
  WARPWISE_USAGE = 1, /* the question makes no sense: unknown GPU, kernel, member */
  WARPWISE_IO = 2,    /* a file or program cannot be read or run */
  WARPWISE_PARSE =
      3, /* a source, launch spec or description is not what it should be */
  WARPWISE_UNSUPPORTED = 4, /* understood, but this cannot be predicted */
  WARPWISE_LIMIT = 5,       /* longer, larger than allowed */
  WARPWISE_CANCELLED = 6,
  WARPWISE_DEVICE = 7,
  WARPWISE_DATA = 8 /* nothing there: no kernel, no description */
} warpwise_status;

typedef struct {
  warpwise_status code;
  uint32_t line, column; /* in `file`; 0: not about a place */
  char file[256];        /* "": not about a file */
  char message[512];     /* what is wrong and what to do next; UTF-8 */
} warpwise_error;

/* "ok", "usage", "io", ...: as in a report's error.code. */
WARPWISE_API const char *warpwise_status_name(warpwise_status status);
/* The library's, "0.2.0"; the header's is WARPWISE_VERSION. */
WARPWISE_API const char *warpwise_version(void);

/* ---- context ---- */

typedef struct warpwise_context warpwise_context;

typedef struct {
  uint32_t api;     /* WARPWISE_API_VERSION */
  const char *root; /* no source, header or file of contents outside of this folder is
                       read; NULL: any file of the machine */
  const char *const
      *gpu_files; /* descriptions besides those that are installed, as `warpwise gpus
                   * probe` writes them; one of the same name goes before */
  uint32_t gpu_file_count;
  const char *models; /* folder of machine.json and correction.json.zst, as `warpwise
                         train` writes them; NULL: the installed ones */
  uint64_t memory; /* bytes of buffers' contents that one prediction may make; beyond it
                      WARPWISE_LIMIT; 0: no limit */
} warpwise_config;

/* config NULL: defaults, and the first version of the interface. Descriptions, models
 * and headers are found in $WARPWISE_DATA, else where the library is installed
 * (../share/warpwise seen from its folder), else in the prefix that it was built for.
 */
WARPWISE_API warpwise_status warpwise_open(const warpwise_config *config,
                                           warpwise_context **out,
                                           warpwise_error *error);
/* No call with it may be under way. Answers and kernels that it gave stay valid. May
 * wait a second for clang, which prepares headers beside. */
WARPWISE_API void warpwise_close(warpwise_context *context);

/* ---- GPUs ---- */

typedef struct {
  const char *name;         /* "h200": what is asked for */
  const char *full_name;    /* "NVIDIA H200" */
  const char *vendor;       /* "nvidia", "amd" */
  const char *architecture; /* "sm_90", "gfx90a" */
  const char
      *calibrated; /* the measurement behind its figures; NULL: they are from paper */
  uint32_t multiprocessors;
  uint32_t lanes; /* of a warp */
} warpwise_gpu;

WARPWISE_API uint32_t warpwise_gpu_count(const warpwise_context *context);
WARPWISE_API warpwise_gpu
warpwise_gpu_at(const warpwise_context *context,
                uint32_t index); /* all NULL and 0 beyond the last */

/* ---- sources and kernels ---- */

typedef struct {
  const char *path; /* of the file; with `text`, what it is called (its ending tells the
                       language, its folder has its headers) */
  const char *text; /* what stands in it, UTF-8; NULL: what is on disk */
  const char
      *language; /* "cuda", "opencl", "hip", "openmp"; NULL: by name and contents */
  const char *const *flags; /* for clang: -D -U -I -std ... They can load code and write
                               files: pass on no stranger's */
  uint32_t flag_count;
  const char *const *instantiate; /* templates: "kern<float,256>" */
  uint32_t instantiate_count;
} warpwise_source;

typedef struct warpwise_kernels warpwise_kernels;

typedef struct {
  const char *name, *mangled;
  const char *file;    /* where it stands; may be a header */
  const char *launch;  /* its `// warpwise:` comment; NULL: none */
  const char *refusal; /* why it cannot be predicted; NULL: it can */
  uint32_t line;       /* 1 .. */
  uint32_t parameter_count;
} warpwise_kernel;

typedef struct {
  const char *name, *type; /* "x", "const float *" */
  uint32_t bytes;
  bool pointer;
} warpwise_parameter;

typedef struct {
  const char *file, *message; /* file NULL: not about a place */
  uint32_t line, column;
  bool is_error;
} warpwise_diagnostic;

/* A source of which something had to be left out is WARPWISE_OK: the diagnostics say
 * what. */
WARPWISE_API warpwise_status warpwise_kernels_read(warpwise_context *context,
                                                   warpwise_source source,
                                                   warpwise_kernels **out,
                                                   warpwise_error *error);
WARPWISE_API void warpwise_kernels_free(warpwise_kernels *kernels);
WARPWISE_API uint32_t warpwise_kernel_count(const warpwise_kernels *kernels);
WARPWISE_API warpwise_kernel warpwise_kernel_at(const warpwise_kernels *kernels,
                                                uint32_t index);
WARPWISE_API warpwise_parameter warpwise_parameter_at(const warpwise_kernels *kernels,
                                                      uint32_t kernel,
                                                      uint32_t index);
WARPWISE_API uint32_t warpwise_diagnostic_count(const warpwise_kernels *kernels);
WARPWISE_API warpwise_diagnostic warpwise_diagnostic_at(const warpwise_kernels *kernels,
                                                        uint32_t index);

/* ---- launches ---- */

/* What is not set is found in the source (its comment, its host code) or assumed; the
 * report lists what was. Setting twice replaces. */
typedef struct warpwise_launch warpwise_launch;

typedef struct {
  const char *type; /* of an element: "f32", "i32", "float4", ...; NULL: as the
                       parameter says */
  uint64_t count;   /* elements */
  uint64_t offset;  /* where the pointer points inside, bytes */
  const char *fill; /* "zeros", "random", "uniform(0,10)", "monotone(0,n)", ...; NULL:
                       assumed */
  const char *id;   /* buffers with the same id are one allocation; NULL: its own */
} warpwise_buffer;

WARPWISE_API warpwise_launch *warpwise_launch_new(void);
/* From one JSON object, a launch spec: warpwise-launch(5). Relative paths in it are
 * seen from `folder`; NULL: the working one. */
WARPWISE_API warpwise_status warpwise_launch_parse(const char *json,
                                                   const char *folder,
                                                   warpwise_launch **out,
                                                   warpwise_error *error);
WARPWISE_API void warpwise_launch_free(warpwise_launch *launch);

WARPWISE_API warpwise_status warpwise_launch_grid(
    warpwise_launch *launch, uint32_t x, uint32_t y, uint32_t z, warpwise_error *error);
WARPWISE_API warpwise_status warpwise_launch_block(
    warpwise_launch *launch, uint32_t x, uint32_t y, uint32_t z, warpwise_error *error);
WARPWISE_API void warpwise_launch_shared(warpwise_launch *launch,
                                         uint64_t bytes); /* dynamic shared memory */
WARPWISE_API void
warpwise_launch_warm(warpwise_launch *launch,
                     bool warm); /* the second of two launches; else caches are cold */
/* An argument by its name, or by its position in digits: "0". */
WARPWISE_API warpwise_status warpwise_launch_int(warpwise_launch *launch,
                                                 const char *name,
                                                 int64_t value,
                                                 warpwise_error *error);
WARPWISE_API warpwise_status warpwise_launch_float(warpwise_launch *launch,
                                                   const char *name,
                                                   double value,
                                                   warpwise_error *error);
WARPWISE_API warpwise_status warpwise_launch_buffer(warpwise_launch *launch,
                                                    const char *name,
                                                    warpwise_buffer buffer,
                                                    warpwise_error *error);
/* All of it in the words of the source's comment: "grid=(n+255)/256 block=256 n=1<<20
 * x=f32[n]:random". */
WARPWISE_API warpwise_status warpwise_launch_set(warpwise_launch *launch,
                                                 const char *words,
                                                 warpwise_error *error);
/* As a launch spec; the caller frees it with warpwise_string_free. */
WARPWISE_API char *warpwise_launch_json(const warpwise_launch *launch);
WARPWISE_API void warpwise_string_free(char *string);

/* ---- asking ---- */

typedef enum {
  WARPWISE_MODEL_DEFAULT =
      0, /* what measurements taught where it is known, else the machine model */
  WARPWISE_MODEL_MACHINE = 1 /* the machine model alone */
} warpwise_model;

/* Called now and then by the thread that asks; true ends it with WARPWISE_CANCELLED. A
 * run of clang is not cut short: `seconds` does that. */
typedef struct {
  void *payload;
  bool (*cancelled)(void *payload); /* NULL: never */
} warpwise_cancellation;

typedef struct {
  warpwise_source
      source; /* neither path nor text: the file and flags that the launch names */
  const char *kernel; /* plain or mangled name; NULL: every one of the source, or the
                         one that the launch names */
  const warpwise_launch *launch; /* NULL: all is found or assumed */
  const char *const
      *gpus; /* names; none: the H200, which the report lists as assumed */
  uint32_t gpu_count;
  warpwise_model model;
  bool explain;    /* findings and lines too; some ms more */
  uint64_t budget; /* warp instructions to spend on sampling; 0: 500000 */
  double seconds;  /* that it may take; 0: no limit */
  warpwise_cancellation cancellation;
} warpwise_question;

typedef struct warpwise_answer
    warpwise_answer; /* kernels in the order of the source, GPUs as asked within each */
typedef struct warpwise_report
    warpwise_report; /* of one kernel on one GPU; the answer's */

/* Fails where nothing could be asked: no such file, kernel or GPU. A kernel that cannot
 * be predicted is a report that says so. */
WARPWISE_API warpwise_status warpwise_predict(warpwise_context *context,
                                              const warpwise_question *question,
                                              warpwise_answer **out,
                                              warpwise_error *error);
WARPWISE_API void warpwise_answer_free(warpwise_answer *answer);
WARPWISE_API uint32_t warpwise_report_count(const warpwise_answer *answer);
WARPWISE_API const warpwise_report *
warpwise_report_at(const warpwise_answer *answer,
                   uint32_t index); /* NULL beyond the last */

/* ---- reports ---- */

/* WARPWISE_OK: it is a prediction. Else *error has the reason, and what follows is
 * unknown, empty or NULL. */
WARPWISE_API warpwise_status warpwise_report_status(const warpwise_report *report,
                                                    warpwise_error *error);
WARPWISE_API const char *warpwise_report_kernel(const warpwise_report *report);
WARPWISE_API const char *warpwise_report_gpu(const warpwise_report *report);
WARPWISE_API uint32_t
warpwise_report_line(const warpwise_report *report); /* of the kernel */
WARPWISE_API bool warpwise_report_was_known(
    const warpwise_report *report); /* nothing had to be computed */
WARPWISE_API const char *
warpwise_report_model(const warpwise_report *report); /* "grounded", "machine" */
WARPWISE_API const char *
warpwise_report_roofline(const warpwise_report *report); /* "bandwidth", "compute" */
WARPWISE_API const char *warpwise_report_bottleneck(
    const warpwise_report *report); /* what limits it, a sentence */
WARPWISE_API const char *warpwise_report_json(
    const warpwise_report
        *report); /* the line of `warpwise predict --json`: warpwise-report(5) */

/* warpwise-metrics(5) has units, meanings and the profilers' counters. */
typedef enum {
  WARPWISE_TIME_US = 0,
  WARPWISE_DRAM_READ_BYTES = 1,
  WARPWISE_DRAM_WRITE_BYTES = 2,
  WARPWISE_DRAM_GBPS = 3,
  WARPWISE_L1_HIT_PCT = 4,
  WARPWISE_L2_HIT_PCT = 5,
  WARPWISE_L2_BYTES = 6,
  WARPWISE_OCCUPANCY_PCT = 7,
  WARPWISE_OCCUPANCY_LIMIT_PCT = 8,
  WARPWISE_REGISTERS = 9,
  WARPWISE_SHARED_BYTES = 10,
  WARPWISE_LOCAL_BYTES = 11,
  WARPWISE_WARP_INSTRUCTIONS = 12,
  WARPWISE_ACTIVE_LANES = 13,
  WARPWISE_FLOPS_FP64 = 14,
  WARPWISE_FLOPS_FP32 = 15,
  WARPWISE_FLOPS_FP16 = 16,
  WARPWISE_FLOPS_TENSOR = 17,
  WARPWISE_INT_OPS = 18,
  WARPWISE_GFLOPS = 19,
  WARPWISE_SM_CLOCK_MHZ = 20,
  WARPWISE_AI = 21,
  WARPWISE_LD_SECTORS_PER_REQUEST = 22,
  WARPWISE_ST_SECTORS_PER_REQUEST = 23,
  WARPWISE_SHARED_CONFLICT_WAYS = 24
} warpwise_metric;

typedef struct {
  bool known;    /* else the rest is 0: what is not known is never a guess */
  bool interval; /* low and high are known too */
  double value, low, high;
} warpwise_quantity;

typedef struct {
  const char *name, *unit,
      *meaning; /* "time_us", "us", "duration of the kernel alone" */
} warpwise_metric_info;

WARPWISE_API warpwise_quantity warpwise_report_metric(const warpwise_report *report,
                                                      warpwise_metric metric);
WARPWISE_API warpwise_quantity warpwise_report_metric_named(
    const warpwise_report *report, const char *name); /* "time_us" */
WARPWISE_API uint32_t warpwise_metric_count(void);
WARPWISE_API warpwise_metric_info warpwise_metric_at(uint32_t metric);

typedef struct {
  const char *rule,
      *message; /* "uncoalesced-load"; what happens and what to do about it */
  const char *file;
  uint32_t line; /* 0: about the launch as a whole */
  double gain;   /* how many times faster without the cause; 0: not known */
} warpwise_finding;

typedef struct {
  const char *file;
  uint32_t line;
  double share;        /* of the kernel's time, 0 .. 1 */
  double instructions; /* of warps */
  double bytes;        /* of global memory's sectors */
} warpwise_line;

/* What nobody gave and was filled in, a sentence each. */
WARPWISE_API uint32_t warpwise_assumption_count(const warpwise_report *report);
WARPWISE_API const char *warpwise_assumption_at(const warpwise_report *report,
                                                uint32_t index);
/* What to change, the largest gain first; where the question asked to explain. */
WARPWISE_API uint32_t warpwise_finding_count(const warpwise_report *report);
WARPWISE_API warpwise_finding warpwise_finding_at(const warpwise_report *report,
                                                  uint32_t index);
/* Source lines, the dearest first; where the question asked to explain. */
WARPWISE_API uint32_t warpwise_line_count(const warpwise_report *report);
WARPWISE_API warpwise_line warpwise_line_at(const warpwise_report *report,
                                            uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
