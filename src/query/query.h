/* query.h - sources and what is known of them, kept while a server runs: the core under
 * REST, editors and agents.
 *
 * Everything is kept by content: a text with its flags -> IR; a kernel's code, launch
 * and GPU -> its answer. An edit therefore costs one run of clang and the kernels whose
 * code it changed; what two clients both ask is computed once.
 *
 * Every function may be called from any thread. */
#ifndef WW_QUERY_QUERY_H
#define WW_QUERY_QUERY_H

#include "memo.h"
#include "predict.h"

typedef struct {
  /* folder; files and includes outside of it are refused. NULL: the machine is the
   * asker's own */
  const char *root;
  /* of buffers that one prediction may fill, and of memory that it may take in a child;
   * 0: no limit */
  uint64_t bytes;
  /* predictions run in child processes: one that crashes or cannot be stopped costs its
   * own question alone */
  bool children;
  uint32_t units, answers; /* kept at most; 0: defaults */
  /* descriptions besides those that came with the program; one of the same name goes
   * before */
  const char *const *gpu_files;
  uint32_t ngpu_files;
  /* folder of machine.json and correction.json.zst; NULL: the program's own */
  const char *models;
} ww_query_options;

typedef struct ww_query ww_query;
ww_query *ww_query_new(const ww_query_options *o,
                       ww_err *e); /* NULL: no such root, no GPU descriptions */
void ww_query_free(ww_query *w);   /* accepts NULL; nobody may be asking */

/* The GPUs that can be asked for. */
uint32_t ww_query_gpus(const ww_query *w, const ww_gpu **gpus);
/* A path as a client gives it -> an absolute one. WW_EUSAGE: outside of root. `exists`:
 * it has to be there, links are followed. */
ww_status ww_query_path(const ww_query *w,
                        const char *path,
                        bool exists,
                        ww_arena *a,
                        const char **out,
                        ww_err *e);
/* What stands in a file, as ww_query_path gives it or as seen from the root: a regular
 * one, below the root also at the moment it is opened. */
ww_status ww_query_text(const ww_query *w,
                        const char *path,
                        size_t max,
                        ww_arena *a,
                        char **text,
                        size_t *n,
                        ww_err *e);
const char *ww_query_root(const ww_query *w); /* real path; NULL: none */

/* ---- asking ---- */
typedef struct {
  /* as ww_query_path gives it; reports call it as it is seen from root */
  const char *path;
  const char *text;   /* what stands in it; NULL: the disk tells */
  const char *lang;   /* cuda, opencl, hip, openmp; NULL: by name and contents */
  const char **flags; /* -D -I -std: the caller has checked them */
  uint32_t nflags;
  const char **instantiate;
  uint32_t ninstantiate;
  const char **more; /* further files of the same program, on the disk */
  uint32_t nmore;
  /* a command's question: clang reads the disk, headers are precompiled first and not
   * looked at again */
  bool once;
  bool no_sdk;     /* installed CUDA and ROCm headers are not used */
  const char *via; /* "clang", "nvcc"; NULL: see ww_via */
  /* launches of its kernels are not resolved: they keep names and expressions */
  bool as_written;
} ww_source;

/* What is in a source: valid until ww_query_release. All zero: nothing yet. */
typedef struct {
  ww_source source; /* as it was asked for: what it points to is the asker's */
  const ww_unit *unit;
  const char *text;
  /* that reading it took just now, clang's part of it; 0: it was known */
  double read_ms, clang_ms;
  /* of the host code, once ww_query_launch has had to look at it */
  const ww_host_launch *launches;
  uint32_t nlaunches;
  double host_ms; /* that it took just now */
  void *kept, *kept_hosts;
  ww_key key, hosts_key;
} ww_query_unit;
/* w NULL: for one asker, without a workspace; what *r holds then stays if it is what is
 * asked for. */
ww_status ww_query_read(ww_query *w,
                        const ww_source *s,
                        double deadline,
                        ww_arena *a,
                        ww_query_unit *r,
                        ww_err *e);
void ww_query_release(ww_query *w, ww_query_unit *r);
/* The PTX that nvcc makes of what was read; files in it are named as on the disk. */
ww_status ww_query_ptx(const ww_query *w,
                       const ww_query_unit *r,
                       double deadline,
                       ww_arena *a,
                       char **ptx,
                       ww_err *e);
/* as seen from the root, where there is one */
const char *ww_query_shown(const ww_query *w, const char *path);

/* A kernel and its launch. */
typedef struct {
  /* set as soon as it is found; not NULL before: it is known */
  const ww_fn *fn;
  /* what is given; its `kernel` names it, plain or mangled, NULL: the only one */
  ww_launch launch;
  bool under_comment;  /* what is given counts where no comment in the source does */
  ww_assumptions said; /* what was taken from the host code */
  bool commented;      /* a comment was looked for, and found */
} ww_query_kernel;
/* Finds the kernel, puts k->launch over what the source says of its launch and resolves
 * it. What is found lives in the arena and in r. */
ww_status ww_query_launch(ww_query *w,
                          ww_query_unit *r,
                          double deadline,
                          ww_arena *a,
                          ww_query_kernel *k,
                          ww_err *e);
/* Both: from a source to one of its kernels. */
ww_status ww_query_find(ww_query *w,
                        const ww_source *s,
                        double deadline,
                        ww_arena *a,
                        ww_query_unit *r,
                        ww_query_kernel *k,
                        ww_err *e);
/* The `// warpwise:` comment above (or inside) a kernel of the source's own text; NULL:
 * there is none. */
const char *ww_query_comment(const ww_query *w,
                             const ww_query_unit *r,
                             const ww_fn *fn,
                             ww_arena *a);
/* The same of the kernel at `line` of a text, or the text's only one where it is no
 * other kernel's. */
const char *ww_source_comment(const char *text, size_t n, uint32_t line, ww_arena *a);
/* ww_front_load, where the IR is not kept in WARPWISE_IR's folder. */
ww_status
ww_query_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e);
/* HIP code for an AMD GPU as clang's backend builds it: built.c. Nothing of other code;
 * nothing and why where it cannot be asked. */
ww_built ww_query_built(const ww_query_unit *u,
                        const ww_fn *fn,
                        const ww_gpu *g,
                        ww_arena *a,
                        ww_assumptions *said);
/* How the front end is asked for a source: files, dialect, flags. */
ww_status
ww_query_front(const ww_source *s, ww_arena *a, ww_front_options *out, ww_err *e);

typedef struct {
  ww_source source;
  ww_query_unit *read;     /* where the asker has read it; NULL: it is read */
  const char *kernel;      /* NULL: every one of the file */
  const ww_launch *launch; /* what is known of it; NULL: nothing */
  bool under_comment;      /* as in ww_query_kernel */
  const char **gpus;       /* names; none: the H200, as assumed */
  uint32_t ngpus;
  const char *cache; /* "warm", "cold", NULL: as the launch says */
  /* "machine", "grounded", NULL: grounded where it is known */
  const char *by;
  uint64_t budget;              /* 0: the default */
  bool explain;                 /* reports with findings and lines */
  double deadline;              /* ww_now's clock; 0: none */
  bool (*cancelled)(void *ctx); /* NULL: never; any thread's */
  void *ctx;
} ww_query_request;

typedef struct {
  const char *kernel, *gpu;
  uint32_t line;
  ww_report report; /* of an error too */
  ww_status code;
  bool known;     /* nothing had to be computed */
  bool done;      /* there is a report, of an error too */
  bool commented; /* a comment in the source gave its launch */
} ww_query_answer;

typedef struct {
  ww_query_answer *v; /* kernels in the order of the file, GPUs as asked within each */
  uint32_t n;
  double read_ms, clang_ms, host_ms,
      predict_ms; /* wall time, clang's is part of the first; 0 where it was known */
} ww_query_result;
/* Lives in the arena. Fails where the source cannot be read or no such kernel is there;
 * a kernel without an answer is one whose code is not WW_OK. */
ww_status ww_query_ask(ww_query *w,
                       const ww_query_request *q,
                       ww_arena *a,
                       ww_query_result *out,
                       ww_err *e);

/* The report of a kernel that stands `by` lines further down in its file by now. */
void ww_report_move(const char *file, int64_t by, ww_arena *a, ww_report *r);

typedef struct {
  ww_memo_stats units, hosts, answers;
} ww_query_stats;
ww_query_stats ww_query_count(ww_query *w);

#endif
