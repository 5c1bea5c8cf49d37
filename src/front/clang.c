/* clang.c - runs clang as a child, confined: source in, bitcode and diagnostics out. No
 * other file starts it.
 *
 * clang's driver would start a second process and search the machine for toolchains on
 * each run. Its result, the `-cc1` line, depends only on clang itself and on a few
 * flags, so it is asked for once (`-###`), kept in the cache and run directly; what the
 * driver does not accept from it falls back to the driver. Bitcode comes on stdout, so
 * nothing is ever left behind in a temporary folder.
 *
 * clang works on sources and flags of people we do not know, and is far too large to be
 * trusted with that. It may read files, write what the caller names, and start nothing
 * but itself (the driver), or the linker where a program is linked. It has no network,
 * no environment, and of our descriptors the memory files of the calling thread alone.
 * Devices, and what the kernel shows of others, cannot be read. Where a root is set
 * (serve, mcp) it reads nothing but files that really are below the root, our own
 * headers and the system's: a link that leads elsewhere is not followed.
 *
 * WARPWISE_CLANG may name a script around clang: that is the user's own word, so it may
 * start programs of the system. */
#include "../base/confine.h"
#include "front_int.h"
#include "openmp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define TIMEOUT_S 120.0
/* of address space; where a server sets less, that counts */
#define MEMORY ((uint64_t)8 << 30)
/* without using the processor: it waits for a pipe that nobody writes to */
#define IDLE_S 10.0

/* ---- the driver's line ---- */

const char *ww_clang_prelude(const ww_clang_job *j, ww_arena *a) {
  if (j->no_prelude || j->plain)
    return NULL;
  const char *name = j->dialect == WW_CUDA
                         ? (j->sdk ? "cuda-sdk/ww_cuda_sdk.h" : "cuda/ww_cuda.h")
                     : j->dialect == WW_HIP                ? "hip/ww_hip.h"
                     : j->dialect == WW_OPENCL && !j->host ? "opencl/ww_opencl.h"
                                                           : NULL;
  return name ? ww_path_join(a, ww_shim_dir(a), name) : NULL;
}

/* A .c file is C, unless a C++ standard is asked for: some builds hand .c files to the
 * C++ compiler. */
static bool is_c(const ww_clang_job *j) {
  const char *dot = strrchr(j->file, '.');
  for (uint32_t i = 0; i < j->flags->driver.n; i++)
    if (ww_starts(j->flags->driver.v[i], "-std=") &&
        strstr(j->flags->driver.v[i], "++"))
      return false;
  return dot && !strcmp(dot, ".c");
}

const char *ww_clang_language(const ww_clang_job *j) {
  bool device = !j->plain && (j->dialect != WW_OPENCL || !j->host);
  return device && j->dialect == WW_CUDA     ? "cuda"
         : device && j->dialect == WW_HIP    ? "hip"
         : device && j->dialect == WW_OPENCL ? "cl"
         : is_c(j)                           ? "c"
                                             : "c++";
}

/* The shim's headers of a dialect: its own, names that stand for these, and those of
 * all dialects.
 */
static void shim_words(const char *dialect, ww_arena *a, ww_strings *v) {
  const char *shim = ww_shim_dir(a);
  const char *own = ww_path_join(a, shim, dialect);
  const char *aliases = ww_path_join(a, WW_SHIM_ALIASES, dialect);
  WW_ADD(a, v, "-I", own, "-I", aliases, "-I", ww_path_join(a, shim, "common"));
  WW_ADD(a, v, "-ivfsoverlay", ww_path_join(a, own, "aliases.yaml"));
}

static void cuda_words(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  const char *shim = ww_shim_dir(a);
  WW_ADD(a, v, j->host ? "--cuda-host-only" : "--cuda-device-only", "-nocudainc",
         "-nocudalib", "--cuda-path=/nonexistent", "--cuda-gpu-arch=sm_90",
         "-Wno-unknown-cuda-version");
  if (!j->host)
    WW_ADD(a, v, "-fgpu-rdc", "-ffp-contract=fast"); /* nvcc's default is -fmad=true */
  if (j->sdk) {
    WW_ADD(a, v, "-I", ww_path_join(a, shim, "cuda-sdk"), "-I",
           ww_path_join(a, shim, "common"), "-isystem",
           ww_path_join(a, j->sdk, "include"), "-isystem",
           ww_path_join(a, j->sdk, "include/cccl"), "-include",
           "__clang_cuda_runtime_wrapper.h");
  } else {
    shim_words("cuda", a, v);
  }
}

static void dialect_words(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  const char *shim = ww_shim_dir(a);
  if (j->plain) {
    WW_ADD(a, v, "-idirafter",
           ww_path_join(a, shim, "openmp")); /* omp.h, where no OpenMP is installed */
    return;
  }
  switch (j->dialect) {
  case WW_CUDA:
    cuda_words(j, a, v);
    break;
  case WW_HIP:
    WW_ADD(a, v, j->host ? "--cuda-host-only" : "--cuda-device-only", "-nogpuinc",
           "-nogpulib", "-fms-extensions", "-fno-builtin-printf");
    ww_push(
        a, v,
        ww_fmt(a, "--offload-arch=%s", j->assembly_for ? j->assembly_for : "gfx90a"));
    shim_words("hip", a, v);
    /* the old one has the stubs that hostlaunch_cuda.c reads */
    if (j->host)
      WW_ADD(a, v, "-fno-hip-new-launch-api");
    else
      WW_ADD(a, v, j->assembly_for ? "-fno-gpu-rdc" : "-fgpu-rdc",
             "-ffp-contract=fast");
    break;
  case WW_OPENCL:
    if (!j->host)
      WW_ADD(a, v, "-target", "nvptx64--nvidiacl", "-march=sm_90",
             ww_fmt(a, "-cl-std=%s", j->cl_std));
    WW_ADD(a, v, "-I", ww_path_join(a, shim, "opencl"));
    break;
  default:
    WW_ADD(a, v, "-fopenmp", "-fopenmp-targets=nvptx64-nvidia-cuda", "-Xopenmp-target",
           "-march=sm_90", "-nogpulib", "--cuda-path=/nonexistent", "-isystem",
           ww_path_join(a, shim, "openmp"),
           j->host ? "--offload-host-only" : "--offload-device-only");
  }
}

/* CUDA 13's own library needs C++17. */
static bool too_old(const char *flag) {
  static const char *const old[] = {"++98", "++03", "++11", "++14",
                                    "++0x", "++1y", NULL};
  const char *std = ww_starts(flag, "-std=") ? strstr(flag, "++") : NULL;
  return std && ww_begins(std, old);
}

/* Everything up to the prelude and the file. */
static void driver_words(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  WW_ADD(a, v, j->clang->path, "--no-default-config", "-x", ww_clang_language(j));
  ww_clang_system_words(j->clang->path, a, v);
  dialect_words(j, a, v);
  WW_ADD(a, v, j->host ? "-O2" : "-O3", "-fno-crash-diagnostics", "-w");
  /* where it may start processes, a crash would start another one to name its frames */
  WW_ADD(a, v, "-mllvm", "-disable-symbolication");
  if (j->assembly_for)
    ww_push(a, v, "-S");
  else
    WW_ADD(a, v, "-fno-discard-value-names", "-emit-llvm", "-c");
  if (!j->assembly_for && !j->object) /* what is read wants scalars */
    WW_ADD(a, v, "-fno-vectorize", "-fno-slp-vectorize");
  if (j->object)
    WW_ADD(a, v, "-DWW_EMULATE"); /* the shim then has full signatures and bodies */
  for (uint32_t i = 0; i < j->flags->driver.n; i++)
    if (!(j->sdk && too_old(j->flags->driver.v[i])))
      ww_push(a, v, j->flags->driver.v[i]);
}

/* -cc1 options of our own, which the driver does not decide. */
static void cc1_words(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  if (!j->object && !j->assembly_for)
    WW_ADD(a, v, "-dwarf-version=4",
           j->host ? "-debug-info-kind=line-tables-only" : "-debug-info-kind=limited");
  /* hostlaunch.c and translate_passes.c optimise */
  if ((j->host && !j->object) || (!j->host && j->dialect == WW_CUDA))
    WW_ADD(a, v, "-disable-llvm-passes");
  if (j->dialect != WW_HIP && !j->host)
    WW_ADD(a, v, "-target-feature", "+ptx85");
  if (j->dialect == WW_CUDA && !j->host)
    WW_ADD(a, v, "-fcuda-allow-variadic-functions");
  if (j->dialect == WW_OPENCL && !j->host)
    WW_ADD(a, v, "-fdeclare-opencl-builtins", "-finclude-default-header",
           "-cl-ext=+cl_khr_fp16,+cl_khr_int64_base_atomics,+cl_khr_int64_extended_"
           "atomics,+cl_khr_"
           "subgroups");
}

/* What other compilers let pass. -w already silences warnings; these are errors by
 * default. */
static void tolerant_words(ww_arena *a, ww_strings *v) {
  WW_ADD(a, v, "-Wno-c++11-narrowing", "-Wno-invalid-constexpr", "-Wno-register",
         "-Wno-reserved-user-defined-literal", "-Wno-implicit-function-declaration",
         "-Wno-int-conversion", "-Wno-incompatible-function-pointer-types",
         "-Wno-return-type", "-Wno-non-pod-varargs", "-Wno-enum-constexpr-conversion",
         "-Wno-implicit-int");
}

static void diagnostic_words(ww_arena *a, ww_strings *v, bool cc1) {
  WW_ADD(a, v, "-fno-caret-diagnostics", "-ftemplate-backtrace-limit=0");
  if (cc1)
    WW_ADD(a, v, "-ferror-limit", "0", "-w");
  else
    WW_ADD(a, v, "-ferror-limit=0", "-fno-color-diagnostics");
}

void ww_clang_own_words(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  cc1_words(j, a, v);
  diagnostic_words(a, v, true);
  tolerant_words(a, v);
}

/* ---- starting it ---- */

static bool is_script(const char *path) {
  char begin[2] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? 0 : read(fd, begin, 2);
  if (fd >= 0)
    close(fd);
  return n == 2 && !memcmp(begin, "#!", 2);
}

static void add_programs(const char *clang,
                         const ww_clang_may *may,
                         bool script,
                         ww_arena *a,
                         ww_strings *out) {
  static const char *const linkers[] = {
      "/usr/bin/ld",           "/usr/bin/ld.bfd",        "/usr/bin/ld.gold",
      "/usr/bin/ld.lld",       "/usr/bin/ld.mold",       "/usr/local/bin/ld",
      "/usr/local/bin/ld.lld", "/usr/local/bin/ld.mold", NULL};
  static const char *const system[] = {"/bin",     "/usr/bin", "/usr/local/bin",
                                       "/usr/lib", "/opt",     NULL};
  ww_push(a, out, clang);
  if (may->starts)
    ww_push(a, out, ww_clang_home(clang, a));
  if (may->starts == WW_STARTS_LINKER)
    ww_strs_add(a, out, linkers);
  if (script)
    ww_strs_add(a, out, system);
  ww_push(a, out, NULL);
}

/* A folder for temporary files. */
static const char *make_folder(ww_arena *a, ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *dir = ww_fmt(a, "%s/warpwise-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  if (mkdtemp(dir))
    return dir;
  ww_fail(e, WW_EIO, "cannot make the folder '%s': %s: set TMPDIR", dir,
          strerror(errno));
  return NULL;
}

/* What this system cannot enforce is reported once. */
static void report_missing(void) {
  static atomic_flag reported = ATOMIC_FLAG_INIT;
  const char *missing = ww_confine_missing();
  if (missing && !ww_is_quiet() && !atomic_flag_test_and_set(&reported))
    fprintf(stderr,
            "warpwise: note: this kernel cannot confine %s: clang reads sources with "
            "all your "
            "rights here, so read none "
            "that you do not trust\n",
            missing);
}

/* A word that begins so would be taken for the name of a file of further words. */
static ww_status check_words(const char *const *argv, ww_err *e) {
  for (; *argv; argv++)
    if (**argv == '@')
      return ww_fail(e, WW_EUSAGE,
                     "'%.200s' cannot be given to clang: it begins with @", *argv);
  return WW_OK;
}

ww_status ww_clang_run(const char *const *argv,
                       const ww_clang_may *may,
                       double timeout_s,
                       ww_run_result *r,
                       ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_strings read = {0};
  ww_strings run = {0};
  const char *folder = NULL;
  const char *libraries = getenv("LD_LIBRARY_PATH");
  bool script = is_script(argv[0]);
  *r = (ww_run_result){0};
  ww_status rc = check_words(argv, e);
  if (!rc && may->temporary && !(folder = make_folder(a, e)))
    rc = WW_EIO;
  const char *write[] = {folder ? folder : may->write, folder ? may->write : NULL,
                         NULL};
  report_missing();
  ww_clang_readable(argv[0], may, a, &read);
  add_programs(argv[0], may, script, a, &run);
  ww_confine confine = {
      .read = read.v, .write = write, .run = run.v, .processes = may->starts || script};
  ww_run_watch w = {.confine = &confine, .idle_s = IDLE_S, .memory = MEMORY};
  w.nkeep = ww_memfds(&w.keep);
  if (folder)
    w.env = ww_fmt(a, "TMPDIR=%s", folder);
  else if (may->starts == WW_STARTS_LINKER)
    w.env = "PATH=/usr/local/bin:/usr/bin:/bin";
  else if (libraries && *libraries)
    w.env = ww_fmt(a, "LD_LIBRARY_PATH=%s", libraries);
  if (!rc)
    rc = ww_run_watched(argv, NULL, 0, timeout_s, &w, r, e);
  if (folder)
    ww_remove_tree(folder);
  ww_arena_free(a);
  return rc;
}

ww_status ww_front_run_clang(const char *const *argv,
                             const char *folder,
                             double timeout_s,
                             ww_run_result *r,
                             ww_err *e) {
  return ww_clang_run(argv,
                      &(ww_clang_may){.write = folder, .starts = WW_STARTS_LINKER},
                      timeout_s, r, e);
}

/* ---- the -cc1 line ---- */

/* Splits one line of -###: "word" "word", backslash escapes inside. */
static void split_quoted(const char *line, size_t n, ww_arena *a, ww_strings *out) {
  ww_buf b = {0};
  for (const char *p = line, *end = line + n; p < end; p++) {
    if (*p != '"')
      continue;
    b.n = 0;
    for (p++; p < end && *p != '"'; p++) {
      if (*p == '\\' && p + 1 < end)
        p++;
      ww_buf_add(&b, p, 1);
    }
    ww_push(a, out, ww_strndup(a, b.s ? b.s : "", b.n));
  }
  ww_buf_free(&b);
}

/* Leaves out what belongs to one run only: names of input and output, the working
 * folder. */
static void keep_lasting(const ww_strings *all, ww_arena *a, ww_strings *out) {
  static const char *const one[] = {"-emit-llvm-bc",
                                    "-emit-llvm-uselists",
                                    "-discard-value-names",
                                    "-fdebug-compilation-dir=",
                                    "-fcoverage-compilation-dir=",
                                    "-cuid=",
                                    "-debug-info-kind=",
                                    "-dwarf-version=",
                                    NULL};
  static const char *const two[] = {"-main-file-name",
                                    "-o",
                                    "-x",
                                    "-ferror-limit",
                                    "-fopenmp-host-ir-file-path",
                                    "-fdebug-compilation-dir",
                                    "-dumpdir",
                                    NULL};
  for (uint32_t i = 0; i + 1 < all->n; i++) { /* the last word is the input */
    const char *w = all->v[i];
    if (ww_one_of(w, two))
      i++;
    else if (!ww_begins(w, one))
      ww_push(a, out, w);
  }
}

/* The first (OpenMP's host half) or the last -cc1 line of the driver's plan. */
static bool parse_plan(const char *text, bool first, ww_arena *a, ww_strings *out) {
  ww_strings all = {0};
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    if (memmem(p, n, "\"-cc1\"", 6) && !(first && all.n)) {
      all.n = 0;
      split_quoted(p, n, a, &all);
    }
    p += n + (p[n] == '\n');
  }
  if (all.n < 8 || strcmp(all.v[1], "-cc1"))
    return false;
  keep_lasting(&all, a, out);
  return true;
}

static bool read_words(const char *path, ww_arena *a, ww_strings *out) {
  char *text;
  size_t n;
  if (ww_read_file(a, path, 1 << 20, &text, &n, NULL))
    return false;
  for (char *p = text; p < text + n; p += strlen(p) + 1)
    ww_push(a, out, p);
  return out->n > 8 && !strcmp(out->v[1], "-cc1");
}

static void write_words(const char *path, const ww_strings *words) {
  ww_buf b = {0};
  for (uint32_t i = 0; i < words->n; i++)
    ww_buf_add(&b, words->v[i], strlen(words->v[i]) + 1);
  /* a cache that cannot be written only costs time */
  ww_write_file_atomic(path, b.s, b.n, NULL);
  ww_buf_free(&b);
}

uint64_t ww_strs_hash(const ww_strings *v, uint64_t h) {
  for (uint32_t i = 0; i < v->n; i++)
    h = ww_hash(v->v[i], strlen(v->v[i]) + 1, h);
  return h;
}

ww_status ww_clang_line(
    const ww_clang_job *j, bool openmp_host, ww_arena *a, ww_strings *out, ww_err *e) {
  ww_strings words = {0};
  driver_words(j, a, &words);
  WW_ADD(a, &words, "-o", "-", "/dev/null", "-###");
  const char *cache = j->no_cache ? NULL : ww_front_cache(a);
  const char *file = NULL;
  if (cache) {
    uint64_t key = ww_strs_hash(&words, ww_hash(j->clang->id, strlen(j->clang->id), 0));
    file = ww_fmt(a, "%s/line-%016llx%s", cache, (unsigned long long)key,
                  openmp_host ? "h" : "");
    if (read_words(file, a, out))
      return WW_OK;
    out->n = 0;
  }
  ww_push(a, &words, NULL);
  ww_run_result r;
  ww_clang_may may = {.temporary = j->dialect == WW_OPENMP && !j->plain};
  ww_status rc = ww_clang_run(words.v, &may, TIMEOUT_S, &r, e);
  if (!rc && (r.exit_code || !parse_plan(r.err.s, openmp_host, a, out))) {
    const char *at = strstr(r.err.s, "error: ");
    rc = at ? ww_fail(e, WW_EUSAGE, "clang does not accept the flags: %.*s",
                      (int)strcspn(at + 7, "\n"), at + 7)
            : ww_fail(e, WW_EDATA, "clang's driver printed no -cc1 line");
  }
  ww_run_free(&r);
  if (!rc && file)
    write_words(file, out);
  return rc;
}

/* ---- diagnostics ---- */

static const char *const severities[] = {
    ": note: ", ": warning: ", ": error: ", ": fatal error: "};

/* Takes ":12" off the end; false: there is no colon. */
static bool cut_number(char *place, uint32_t *number) {
  char *colon = strrchr(place, ':');
  if (!colon)
    return false;
  *colon = 0;
  *number = strtoul(colon + 1, NULL, 10);
  return true;
}

/* "file:12:3: error: text"; false when the line is something else. */
static bool parse_msg(const char *line, size_t n, ww_arena *a, ww_msg *m) {
  for (int s = WW_MSG_FATAL; s >= WW_MSG_NOTE; s--) {
    const char *at = memmem(line, n, severities[s], strlen(severities[s]));
    if (!at)
      continue;
    const char *text = at + strlen(severities[s]);
    *m = (ww_msg){.severity = s, .text = ww_strndup(a, text, line + n - text)};
    char *place = ww_strndup(a, line, at - line);
    if (cut_number(place, &m->col) && cut_number(place, &m->line))
      m->file = place;
    return true;
  }
  for (int s = WW_MSG_ERROR; s <= WW_MSG_FATAL; s++) {
    const char *word = severities[s] + 2; /* behind ": " */
    size_t k = strlen(word);
    if (n > k && ww_starts(line, word)) {
      *m = (ww_msg){.severity = s, .text = ww_strndup(a, line + k, n - k)};
      return true;
    }
  }
  return false;
}

static void parse_msgs(const char *text, ww_arena *a, ww_compiled *out) {
  static const char from[] = "In file included from ";
  WW_VEC(ww_msg) msgs = {0};
  const char *inc = NULL;
  uint32_t inc_line = 0;
  for (const char *p = text; *p;) {
    size_t n = strcspn(p, "\n");
    ww_msg m;
    if (ww_starts(p, from)) {
      char *place = ww_strndup(a, p + strlen(from), n - strlen(from) - 1);
      if (!inc && cut_number(place, &inc_line)) /* the first is the outermost */
        inc = place;
    } else if (parse_msg(p, n, a, &m)) {
      if (m.severity != WW_MSG_NOTE) {
        m.from = inc;
        m.from_line = inc_line;
      }
      inc = NULL;
      ww_push(a, &msgs, m);
    }
    p += n + (p[n] == '\n');
  }
  out->msgs = msgs.v;
  out->nmsgs = msgs.n;
}

/* ---- one run over a source ---- */

static _Thread_local double spent; /* seconds that this thread has waited for clang */

double ww_clang_spent(void) {
  return spent;
}

static ww_status run(const ww_clang_job *j,
                     ww_strings *argv,
                     ww_clang_starts starts,
                     ww_arena *a,
                     ww_compiled *out,
                     ww_err *e) {
  ww_push(a, argv, NULL);
  argv->n--;
  ww_run_result r;
  *out = (ww_compiled){0};
  double most = ww_front_left(j->deadline, TIMEOUT_S);
  double begun = ww_now();
  ww_clang_may may = {.write = j->object,
                      .starts = starts,
                      .temporary = starts == WW_STARTS_ITSELF,
                      .visible = j->visible,
                      .nvisible = j->nvisible,
                      .sdk = j->sdk};
  ww_status rc = ww_clang_check_reads(argv->v, &may, most, a, e);
  if (rc)
    return rc;
  rc = ww_clang_run(argv->v, &may, most, &r, e);
  spent += ww_now() - begun;
  if (!rc && r.timed_out)
    rc = ww_fail(e, WW_ELIMIT, "clang did not finish in %.3g seconds", most);
  else if (!rc && (r.exit_code >= 128 || strstr(r.err.s, "PLEASE submit a bug report")))
    rc = ww_fail(e, WW_EDATA, "clang crashed (exit code %d)", r.exit_code);
  else if (!rc) {
    parse_msgs(r.err.s, a, out);
    out->ok = r.exit_code == 0 && (j->object || r.out.n > 4);
    if (out->ok && !j->object) {
      out->bitcode = memcpy(ww_alloc(a, r.out.n + 1), r.out.s, r.out.n);
      out->n = r.out.n;
    }
  }
  ww_run_free(&r);
  return rc;
}

/* -I/usr/local/cuda/include: half of an SDK mixed with the shim would fit neither. */
static bool
is_sdk_folder(const ww_clang_job *j, const char *flag, const char *dir, ww_arena *a) {
  if (j->sdk || flag[1] == 'D' || flag[1] == 'U')
    return false;
  return ww_file_exists(ww_path_join(a, dir, "cuda_runtime.h")) ||
         ww_file_exists(ww_path_join(a, dir, "hip/hip_runtime.h"));
}

/* driver: it would take a precompiled header from beside a file of -include, which is
 * somebody else's: -cc1 does not. */
static void
common_words(const ww_clang_job *j, bool driver, ww_arena *a, ww_strings *v) {
  for (uint32_t i = 0; i + 1 < j->flags->cc1.n; i += 2) {
    const char *flag = j->flags->cc1.v[i];
    const char *value = j->flags->cc1.v[i + 1];
    if (is_sdk_folder(j, flag, value, a))
      continue;
    if (driver && !strcmp(flag, "-include"))
      ww_push(a, v, "-Xclang");
    ww_push(a, v, ww_flag_word(flag, value, a));
  }
  if (j->overlay)
    WW_ADD(a, v, "-ivfsoverlay", j->overlay, "-idirafter", "/warpwise-missing");
}

/* True when the run failed for the sake of the precompiled prelude, not of the source.
 */
static bool pch_is_stale(const ww_compiled *c) {
  for (uint32_t i = 0; i < c->nmsgs; i++)
    if (strstr(c->msgs[i].text, "precompiled") || strstr(c->msgs[i].text, "PCH file") ||
        strstr(c->msgs[i].text, "AST file"))
      return true;
  return false;
}

static const char *output_kind(const ww_clang_job *j) {
  return j->object ? "-emit-obj" : j->assembly_for ? "-S" : "-emit-llvm-bc";
}

static ww_status run_cc1(const ww_clang_job *j,
                         const ww_strings *line,
                         bool rebuild,
                         const ww_strings *extra,
                         ww_arena *a,
                         ww_compiled *out,
                         ww_err *e) {
  ww_strings v = {0};
  char cwd[PATH_MAX];
  ww_strs_append(a, &v, line);
  ww_clang_own_words(j, a, &v);
  const char *prelude = ww_clang_prelude(j, a);
  const char *pch = ww_pch_get(j, line, rebuild, a);
  if (pch)
    WW_ADD(a, &v, "-include-pch", pch);
  else if (prelude)
    WW_ADD(a, &v, "-include", prelude);
  common_words(j, false, a, &v);
  if (j->headers)
    WW_ADD(a, &v, "-dependency-file", j->headers, "-MT", "x");
  if (getcwd(cwd, sizeof cwd))
    WW_ADD(a, &v, ww_fmt(a, "-fdebug-compilation-dir=%s", cwd));
  if (extra)
    ww_strs_append(a, &v, extra);
  if (j->object && j->dialect == WW_CUDA && !j->plain)
    WW_ADD(a, &v, "-fcuda-include-gpubinary",
           "/dev/null"); /* asks for the constructor that registers kernels */
  bool other = j->input && strcmp(j->input, j->file);
  if (other)
    ww_push(a, &v,
            ww_flag_word("-iquote", ww_safe_path(ww_path_dir(a, j->file), a), a));
  if (j->object)
    WW_ADD(a, &v, "-fno-temp-file"); /* it may write this file and no other */
  WW_ADD(a, &v, "-main-file-name", ww_safe_path(ww_path_base(j->file), a),
         output_kind(j), "-o", j->object ? j->object : "-", "-x", ww_clang_language(j),
         other ? j->input : ww_safe_path(j->file, a));
  ww_status rc = run(j, &v, WW_STARTS_NOTHING, a, out, e);
  if (!rc && pch && !out->ok && pch_is_stale(out) && !rebuild)
    return run_cc1(j, line, true, extra, a, out, e);
  return rc;
}

void ww_clang_driver_line(const ww_clang_job *j, ww_arena *a, ww_strings *v) {
  ww_strings own = {0};
  driver_words(j, a, v);
  cc1_words(j, a, &own);
  for (uint32_t i = 0; i < own.n; i++)
    WW_ADD(a, v, "-Xclang", own.v[i]);
  diagnostic_words(a, v, false);
  tolerant_words(a, v);
  const char *prelude = ww_clang_prelude(j, a);
  if (prelude)
    WW_ADD(a, v, "-include", prelude);
  common_words(j, true, a, v);
}

/* The slow, sure way: no cache, no precompiled prelude. */
static ww_status
run_driver(const ww_clang_job *j, ww_arena *a, ww_compiled *out, ww_err *e) {
  ww_strings v = {0};
  ww_clang_driver_line(j, a, &v);
  WW_ADD(a, &v, "-o", "-", ww_safe_path(j->file, a));
  return run(j, &v, WW_STARTS_ITSELF, a, out, e);
}

static bool may_nest(const ww_compiled *c, ww_arena *a) {
  ww_omp_envs envs = {0};
  bool any = false;
  ww_openmp_environments(c, a, &envs);
  for (uint32_t i = 0; i < envs.n; i++)
    any |= envs.v[i].may_nest;
  return any;
}

/* OpenMP's device half needs the host half's table of target regions, and our device
 * runtime: the flat one, or the nested one where a kernel turns out to need it. */
static ww_status run_openmp(const ww_clang_job *j,
                            const ww_strings *line,
                            ww_arena *a,
                            ww_compiled *out,
                            ww_err *e) {
  ww_strings host = {0};
  const char *table = NULL;
  const char *runtime;
  ww_status rc = ww_clang_line(j, true, a, &host, e);
  ww_clang_job half = *j;
  half.host = true;
  if (!rc)
    rc = run_cc1(&half, &host, false, NULL, a, out, e);
  if (rc || !out->ok)
    return rc;
  int table_fd = ww_memfd(out->bitcode, out->n, a, &table);
  int fd;
  if (table_fd < 0)
    return ww_fail(e, WW_EIO, "cannot make an anonymous file: %s", strerror(errno));
  for (int nested = 0; nested < 2; nested++) {
    ww_strings extra = {0};
    rc = ww_openmp_runtime(j, nested, a, &runtime, &fd, e);
    if (rc)
      break;
    WW_ADD(a, &extra, "-fopenmp-host-ir-file-path", table, "-mlink-builtin-bitcode",
           runtime);
    rc = run_cc1(j, line, false, &extra, a, out, e);
    if (fd >= 0)
      ww_memfd_close(fd);
    if (rc || !out->ok || !may_nest(out, a))
      break;
  }
  ww_memfd_close(table_fd);
  return rc;
}

static bool driver_may_help(const ww_compiled *c) {
  if (c->ok)
    return false;
  for (uint32_t i = 0; i < c->nmsgs; i++)
    if (!c->msgs[i].file && strstr(c->msgs[i].text, "unknown argument"))
      return true;
  return c->nmsgs == 0;
}

static ww_status
compile(const ww_clang_job *j, ww_arena *a, ww_compiled *out, ww_err *e) {
  ww_strings line = {0};
  ww_status rc = ww_clang_line(j, false, a, &line, e);
  if (rc == WW_EUSAGE)
    return rc;
  if (!rc) {
    bool openmp = j->dialect == WW_OPENMP && !j->host;
    rc = openmp ? run_openmp(j, &line, a, out, e)
                : run_cc1(j, &line, false, NULL, a, out, e);
    if (!rc && !driver_may_help(out))
      return WW_OK;
    if (rc == WW_ELIMIT || rc == WW_EPARSE || j->object)
      return rc;
  }
  return run_driver(j, a, out, e);
}

ww_status
ww_clang_compile(const ww_clang_job *j, ww_arena *a, ww_compiled *out, ww_err *e) {
  bool changed = j->append || j->in_memory;
  if (j->overlay || !(changed || j->nvisible))
    return compile(j, a, out, e);
  ww_clang_job own = *j;
  ww_overlay o;
  ww_overlay_begin(&o, j, a);
  if (changed) {
    const char *text = ww_fmt(a, "%s%s", j->scan->text, j->append ? j->append : "");
    own.input = ww_overlay_main(&o, ww_plain_path(j->file, a), text, strlen(text));
  }
  own.overlay = ww_overlay_end(&o, &(ww_strings){0});
  ww_status rc =
      own.overlay
          ? compile(&own, a, out, e)
          : ww_fail(e, WW_EIO, "cannot make an anonymous file for '%s'", j->file);
  ww_overlay_close(&o);
  return rc;
}
