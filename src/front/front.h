/* front.h - source files in, Warpwise IR out. clang runs as a child process; LLVM-C is
 * used in this folder and nowhere else. */
#ifndef WW_FRONT_H
#define WW_FRONT_H

#include "../ir/ir.h"
#include "../report/launch.h"
#include "../report/omp_shape.h"

/* Who compiles CUDA: clang, or nvcc, of whose PTX the IR is made. ANY: clang, and nvcc
 * where clang loses kernels over a library's headers. */
typedef enum { WW_VIA_ANY, WW_VIA_CLANG, WW_VIA_NVCC } ww_via;

typedef struct {
  /* one or more translation units, device functions linked together */
  const char **files;
  uint32_t nfiles;
  int dialect;        /* ww_dialect or -1: by file name and contents */
  const char **flags; /* the user's -I -D -std ... (after `--`, or a launch spec's) */
  uint32_t nflags;
  const char **instantiate; /* "kern<float,256>" */
  uint32_t ninstantiate;
  bool no_sdk; /* ignore installed CUDA/ROCm headers, use the shim */
  ww_via via;
  bool no_cache; /* no precompiled prelude */
  /* NULL, or one for each file: what stands in it (NULL: on disk), as an editor has it
   */
  const char **texts;
  /* absolute folders: no file outside of them, of the system's headers and of our own
   * can be included. NULL: any */
  const char **visible;
  uint32_t nvisible;
  bool list_headers; /* fill the unit's headers */
  /* a set of standard headers that is not precompiled yet is not precompiled now: see
   * ww_front_precompile */
  bool headers_later;
  /* ww_now's clock: reading it all ends by then; 0: 120 s for each run of clang */
  double deadline;
} ww_front_options;

typedef struct {
  const char *file;
  uint32_t line, col;
  bool error;          /* else a warning or note about what was left out */
  bool missing_header; /* it was taken to be empty */
  const char *message;
  const char *cause; /* of what was left out: clang's words alone; else NULL */
} ww_diag;

/* A launch that the host code shows: constants folded as far as LLVM folds them. */
typedef struct {
  const char *kernel; /* mangled name of the kernel */
  /* grid, block, shared, scalar args where constant; the rest not given */
  ww_launch launch;
  const char *file;
  uint32_t line;
  bool defaults; /* of a program that looks at its arguments, run without any */
} ww_host_launch;

/* What the device compile decided about a target region of OpenMP, which the shape of
 * its launches depends on. */
typedef struct {
  const char *kernel; /* mangled name */
  bool may_nest;      /* parallel regions inside parallel regions are possible */
  ww_omp_bounds bounds;
} ww_omp_env;

typedef struct {
  ww_module module;    /* every kernel, the refused ones with their reason */
  ww_omp_env *regions; /* OpenMP only, in no order */
  uint32_t nregions;
  ww_diag *diags;
  uint32_t ndiags;
  /* per function: 1 + the diagnostic that is the reason of its refusal; 0: none. NULL
   * where nothing was left out */
  uint32_t *refused_by;
  /* something of the file was left out to save the rest; diags say what */
  bool partial;
  /* files included but for the system's, where they were asked for; the sources may be
   * among them */
  const char **headers;
  uint32_t nheaders;
  double clang_ms; /* wall time of clang's runs */
} ww_unit;

/* Of a kernel that cannot run: where the compiler's complaint about it points to, and
 * the header that is missing, where one is. e->file is the unit's. */
void ww_diags_blame(const ww_unit *u, const ww_fn *fn, ww_err *e);
void ww_diags_write(const ww_unit *u, ww_json *j); /* "diagnostics":[...] */
/* Whether the kernel can be interpreted, why not, and which diagnostic tells of it. */
void ww_refusal_write(const ww_unit *u, const ww_fn *fn, ww_json *j);

/* Parses, lowers, checks. Fails when something was left out and no kernel could be
 * listed; files without kernels are fine. */
ww_status
ww_front_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e);
/* What nvcc makes of a CUDA source, as text; WW_EDEVICE where there is none. */
ww_status
ww_front_ptx(const ww_front_options *o, ww_arena *a, char **ptx, size_t *n, ww_err *e);
/* `--lower`, its lowering in this program called again (isolate.h): bitcode on stdin,
 * IR on stdout. */
ww_status
ww_front_lower_child(const char *dialect, const char *raw, ww_arena *a, ww_err *e);
/* The launches of the host code, from the host half of the same sources; none found is
 * WW_OK and n
 * == 0. */
ww_status ww_front_host_launches(const ww_front_options *o,
                                 ww_arena *a,
                                 ww_host_launch **out,
                                 uint32_t *n,
                                 ww_err *e);
/* The text includes cub, thrust, CUTLASS: kernels that only nvcc lists. */
bool ww_front_uses_library(const char *text, ww_arena *a);
/* Precompiles the standard headers of the files, for the device and the host half,
 * where that was not done before: a second or more each, which those who answer people
 * do beside. */
void ww_front_precompile(const ww_front_options *o);
/* The host half of files[which] as an object file: kernel launches call the CUDA
 * runtime's entry points (OpenMP's: the offload library's), which the caller links.
 * Errors in the source are WW_EPARSE with the first of them in e. */
ww_status ww_front_host_object(const ww_front_options *o,
                               uint32_t which,
                               const char *object,
                               ww_arena *a,
                               ww_err *e);
/* The dialect of the program: as given, or of its first file that has one; -1: none. */
int ww_front_dialect_of(const ww_front_options *o, ww_arena *a);
/* Runs clang's driver (argv[0] is its path), which may start the linker, confined: both
 * write below `folder` alone (NULL: nowhere). Free r in any case. */
ww_status ww_front_run_clang(const char *const *argv,
                             const char *folder,
                             double timeout_s,
                             ww_run_result *r,
                             ww_err *e);
/* The clang that will be used and its version; NULL with e filled when none is found.
 */
const char *ww_front_clang(ww_arena *a, int *version, ww_err *e);
/* Where that clang brings its own C library, as in a bundle: the folder of what
 * programs that it links need at run time, and the words for its driver to link with
 * it. NULL and none: the system's. */
const char *ww_front_libraries(ww_arena *a);
void ww_front_link_words(const char *clang, ww_arena *a, ww_strings *v);

#endif
