/* front_int.h - what the files of the front end's driver share.
 *
 * The way of a source file: flags.c sorts the user's flags, clang.c turns them into a
 * `clang -cc1` line and runs it, pch.c keeps the prelude precompiled; where clang
 * rejects the file, recover.c repeats the run with broken parts taken out; front.c
 * hands the bitcode to lowering. scan.h finds declarations in source text for those who
 * must work without clang's understanding. */
#ifndef WW_FRONT_INT_H
#define WW_FRONT_INT_H

#include "../base/words.h"
#include "front.h"
#include "scan.h"

#define WW_SOURCE_MAX \
  (32u << 20) /* bytes of one source file; more is generated data or not a source */

typedef WW_VEC(ww_diag) ww_diags;

/* up to a NULL */
void ww_strs_add(ww_arena *a, ww_strings *v, const char *const *words);
uint64_t ww_strs_hash(const ww_strings *v, uint64_t h);
void ww_strs_append(ww_arena *a, ww_strings *v, const ww_strings *more);
#define WW_ADD(a, v, ...) \
  ww_strs_add((a), (v), (const char *const[]){__VA_ARGS__, NULL})

/* ---- flags.c: what the user's compiler flags mean to us ---- */

typedef struct {
  /* valid for the driver and -cc1 alike: -I -D -U -include -isystem -iquote */
  ww_strings cc1;
  ww_strings driver; /* only the driver knows what these become: -std= -cl-* -f... */
  ww_strings ignored;
  int dialect; /* from -x, or -1 */
} ww_flags;
void ww_flags_sort(const char **flags, uint32_t n, ww_arena *a, ww_flags *out);
/* The same for a program whose own `texture` or `surface` clashes with the prelude's
 * references. */
const ww_flags *ww_flags_own_textures(const ww_flags *f, ww_arena *a);
/* One word out of a pair of cc1's: what begins with the value could be taken for
 * something else. */
const char *ww_flag_word(const char *flag, const char *value, ww_arena *a);
/* the same file, by a name that does not begin with - or @ */
const char *ww_safe_path(const char *path, ww_arena *a);

/* ---- clang.c: runs it ---- */

typedef enum { WW_STARTS_NOTHING, WW_STARTS_ITSELF, WW_STARTS_LINKER } ww_clang_starts;
typedef struct {
  /* a file that is there, or a folder; NULL: it writes to stdout alone */
  const char *write;
  ww_clang_starts starts;
  /* it has a folder for temporary files, which goes when it ends: OpenMP's driver wants
   * one even to make its plan */
  bool temporary;
  const char **visible; /* see ww_front_options */
  uint32_t nvisible;
  const char *sdk;
} ww_clang_may;
/* Runs clang (argv[0] is its path) confined. Free r in any case. */
ww_status ww_clang_run(const char *const *argv,
                       const ww_clang_may *may,
                       double timeout_s,
                       ww_run_result *r,
                       ww_err *e);

typedef struct {
  const char *path; /* absolute */
  const char *id;   /* path, modification time and size: part of every cache key */
  int version;      /* major */
} ww_clang;

typedef enum { WW_MSG_NOTE, WW_MSG_WARNING, WW_MSG_ERROR, WW_MSG_FATAL } ww_severity;

typedef struct {
  const char *file; /* as clang spells it; NULL when the message has no place */
  uint32_t line, col;
  ww_severity severity;
  const char *text;
  const char *from; /* "In file included from" of the outermost user file, or NULL */
  uint32_t from_line;
} ww_msg;

typedef struct {
  const ww_clang *clang;
  ww_dialect dialect;
  /* the host half of a CUDA, HIP or OpenMP file, or an OpenCL host program */
  bool host;
  /* root of the CUDA toolkit whose headers to use; NULL: our shim */
  const char *sdk;
  const char *cl_std; /* OpenCL: "CL1.2", when the user's flags do not say */
  const ww_flags *flags;
  const char *file;
  const ww_scan *scan; /* of the file as it stands on disk, or NULL */
  /* text behind the file's end, or NULL; recover.c puts it there */
  const char *append;
  const char *overlay; /* -ivfsoverlay, or NULL */
  bool in_memory;      /* the file is what scan says, whatever the disk has */
  /* what clang reads instead of `file`, in the same folder to #include from; NULL: the
   * file */
  const char *input;
  const char **visible; /* see ww_front_options */
  uint32_t nvisible;
  const char *headers; /* where to write the names of included files, as a make rule;
                          NULL: nowhere */
  double deadline;     /* ww_now's clock; 0: the default time */
  bool no_cache;
  /* sets of headers that are not precompiled: go without; precompile at the first time
   */
  bool headers_later, headers_now;
  bool no_prelude; /* without our definitions of built-ins (OpenCL) */
  /* host code of no dialect: C or C++ by the file's name */
  bool plain;
  /* where to write an object file of host code that will run; NULL: bitcode, on stdout
   */
  const char *object;
  /* HIP device code as assembly for this architecture, on stdout; NULL: bitcode */
  const char *assembly_for;
} ww_clang_job;

typedef struct {
  bool ok; /* bitcode is there */
  const void *bitcode;
  size_t n;
  ww_msg *msgs; /* errors and their notes, in clang's order; no warnings */
  uint32_t nmsgs;
  bool append_failed; /* the job's appended text was rejected (recover.c) */
} ww_compiled;

/* One clang run. Errors in the source are WW_OK with ok == false and msgs; a status
 * only when clang could not be run. */
ww_status
ww_clang_compile(const ww_clang_job *j, ww_arena *a, ww_compiled *out, ww_err *e);
/* The -cc1 line without input, output and prelude: from the cache, else from the
 * driver's -###. WW_EDATA: no such line. */
ww_status ww_clang_line(
    const ww_clang_job *j, bool openmp_host, ww_arena *a, ww_strings *out, ww_err *e);
double ww_clang_spent(void); /* seconds that this thread has waited for clang so far */
/* options of -cc1 that the driver does not decide */
void ww_clang_own_words(const ww_clang_job *j, ww_arena *a, ww_strings *out);
/* Words for the driver up to the file, without output: a line of its own, no cache. */
void ww_clang_driver_line(const ww_clang_job *j, ww_arena *a, ww_strings *v);
/* header of -include, NULL: the dialect has none */
const char *ww_clang_prelude(const ww_clang_job *j, ww_arena *a);
const char *ww_clang_language(const ww_clang_job *j); /* operand of -x */
/* ---- clang_find.c ---- */

ww_status ww_clang_find(ww_arena *a, ww_clang *out, ww_err *e);
/* to compile with the C library that this clang brings; none: it brings none */
void ww_clang_system_words(const char *clang, ww_arena *a, ww_strings *v);
/* the folder that it really is in */
const char *ww_clang_home(const char *clang, ww_arena *a);
/* folder for what is cached here, or NULL */
const char *ww_front_cache(ww_arena *a);
const char *ww_shim_dir(ww_arena *a);
/* absolute, . and .. gone by the letter, as in an overlay */
const char *ww_plain_path(const char *path, ww_arena *a);
/* Where clang finds the header names of the shim's aliases.yaml: a folder of its
 * overlay. */
#define WW_SHIM_ALIASES "/warpwise-shim"

/* ---- clang_files.c ---- */

/* Where the kernel does not confine what is read: whether all files that a run of clang
 * would read, by its own list of them, may be. */
ww_status ww_clang_check_reads(const char *const *argv,
                               const ww_clang_may *may,
                               double timeout_s,
                               ww_arena *a,
                               ww_err *e);
void ww_rule_files(const char *rule,
                   ww_arena *a,
                   ww_strings *out); /* "x: a.h b.h \": the names behind the colon */
/* A memory file that clang, when this thread starts it, opens by *path. -1 on failure.
 */
int ww_memfd(const void *data, size_t n, ww_arena *a, const char **path);
void ww_memfd_close(int fd);
/* Those of this thread that are open. */
uint32_t ww_memfds(const int **v);
/* The folders that it may read, up to a NULL. */
void ww_clang_readable(const char *clang,
                       const ww_clang_may *may,
                       ww_arena *a,
                       ww_strings *out);

/* clang's overlay (-ivfsoverlay): files of memory in place of the disk's, and, where
 * the job names visible folders, nothing else but these. Begin, files, end; closed
 * after the run, whatever happened. */
typedef struct {
  const ww_clang_job *job;
  ww_arena *a;
  ww_json json;
  ww_buf yaml;
  WW_VEC(int) fds; /* memory files */
  bool failed;     /* one could not be made */
} ww_overlay;
void ww_overlay_begin(ww_overlay *o, const ww_clang_job *j, ww_arena *a);
/* a memory file's path, which stays until ww_overlay_close; NULL: failed */
const char *ww_overlay_memory(ww_overlay *o, const char *text, size_t n);
void ww_overlay_file(ww_overlay *o, const char *path, const char *contents);
/* The job's own file; returns what clang is to read instead of it, NULL: the file. */
const char *
ww_overlay_main(ww_overlay *o, const char *path, const char *text, size_t n);
/* `missing`: headers that are taken to be empty. The overlay's path, NULL: failed. */
const char *ww_overlay_end(ww_overlay *o, const ww_strings *missing);
void ww_overlay_close(ww_overlay *o);

/* ---- pch.c ---- */

/* Path of the precompiled prelude for this line, built when missing; NULL: go without.
 * rebuild: the one there is stale. */
const char *
ww_pch_get(const ww_clang_job *j, const ww_strings *line, bool rebuild, ww_arena *a);

/* identity of all files below: names, sizes, times */
uint64_t ww_pch_tree(const char *dir, ww_arena *a);

/* ---- sdk.c ---- */

/* toolkit root with include/cuda_runtime.h, or NULL */
const char *ww_sdk_cuda(ww_arena *a);

/* ---- recover.c ---- */

typedef struct {
  uint32_t id; /* __ww_lost_<id> marks it in the bitcode */
  const char *file;
  uint32_t line;
  const char *message; /* clang's */
  const char *name;    /* of the function, NULL at file scope */
  const char *params;  /* text between the parentheses */
  bool kernel;
  /* the declaration is gone, not only its body: clang lists nothing for it */
  bool whole;
  uint32_t told; /* 1 + the diagnostic that tells of it; 0: none */
} ww_loss;
typedef WW_VEC(ww_loss) ww_losses;

/* For a file that clang rejects, *out has said why: takes out what it rejects until it
 * compiles or nothing helps. What was taken out is appended to losses and diags.
 * out->ok == false: beyond recovery, out->msgs are the first run's. */
ww_status ww_recover(const ww_clang_job *j,
                     ww_arena *a,
                     ww_compiled *out,
                     ww_losses *losses,
                     ww_diags *diags,
                     ww_err *e);

/* ---- ptx_load.c ---- */

ww_status
ww_front_read(const char *file, ww_arena *a, char **text, size_t *n, ww_err *e);
bool ww_ptx_given(const ww_front_options *o); /* whether the first file is PTX */
ww_status ww_ptx_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e);
/* ptx_nvcc.c: the same of a CUDA source, compiled by nvcc. */
ww_status
ww_ptx_by_nvcc(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e);
/* It includes a library whose kernels are templates of many headers: clang reads
 * stand-ins for some, nvcc all. */
bool ww_includes_library(const ww_scan *s);
uint32_t ww_kernels_that_run(const ww_module *m);
/* "const float *x, int n": parameters with name and type as text. */
void ww_front_params(const char *text, ww_arena *a, ww_fn *fn);
/* Kernels' parameters get the names that they have in the text of a source. */
void ww_ptx_take_names(const char *text, size_t n, ww_arena *a, ww_module *m);

/* ---- front.c ---- */

/* Dialect of a file by its name and text, -1 when unknown. */
int ww_front_dialect(const char *file, const ww_scan *s);
/* What stands in files[which], taken apart, and the job to compile it. */
ww_status ww_front_scan(
    const ww_front_options *o, uint32_t which, ww_arena *a, ww_scan *out, ww_err *e);
ww_clang_job ww_front_new_job(const ww_front_options *o,
                              const ww_clang *clang,
                              ww_dialect d,
                              const ww_flags *flags);
void ww_front_job(const ww_front_options *o,
                  uint32_t which,
                  const ww_scan *scan,
                  ww_clang_job *j);

/* Compiles the job's file: as it stands, else with as little as possible taken out,
 * which losses and diags tell of. */
ww_status ww_front_compile(const ww_clang_job *j,
                           ww_arena *a,
                           ww_compiled *out,
                           ww_losses *losses,
                           ww_diags *diags,
                           ww_err *e);
/* WW_EPARSE with the first error of a compilation that failed, and its place in `file`
 * or elsewhere. */
ww_status ww_front_first_error(const ww_compiled *c, const char *file, ww_err *e);
double ww_front_left(double deadline,
                     double otherwise); /* seconds for what is started now; never 0 */

#endif
