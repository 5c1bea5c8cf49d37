/* flags.c - the user's compiler flags, as they stand in build files for nvcc, hipcc,
 * clang or an OpenCL runtime.
 *
 * What changes the meaning of the source is kept, what steers code generation, linking
 * or output is dropped: the target and the optimisation level are ours. Unknown flags
 * are listed in `ignored`, so that a note can name them.
 *
 * Flags come from people we do not know (a project's files, requests), and clang has
 * options that load code. Invariant: a word for clang is from the tables here, or a
 * value of checked form joined to one: no word begins with the value, so none is taken
 * for an option or, by a leading @, for a file of further words. */
#include "front_int.h"

typedef enum {
  KEEP,      /* for clang -cc1 as it stands, value joined or in the next word */
  DRIVER,    /* for the driver, without a value */
  DROP,      /* no word of it reaches clang */
  DROP_NEXT, /* and its value is the next word unless joined by = */
} action;

typedef struct {
  const char *name, *as; /* as: clang's spelling */
} kept_flag;

/* Exact names, or names followed by =value. Each list ends with NULL. */
static const kept_flag kept[] = {
    {"--define-macro", "-D"},      {"--undefine-macro", "-U"},
    {"--include-path", "-I"},      {"--system-include", "-isystem"},
    {"--pre-include", "-include"}, {"-include", "-include"},
    {"-isystem", "-isystem"},      {"-iquote", "-iquote"},
    {"-idirafter", "-idirafter"},  {NULL, NULL}};
static const char *const dropped_with_next[] = {"-arch",
                                                "--gpu-architecture",
                                                "-code",
                                                "--gpu-code",
                                                "-gencode",
                                                "--generate-code",
                                                "-maxrregcount",
                                                "--maxrregcount",
                                                "-ccbin",
                                                "--compiler-bindir",
                                                "-o",
                                                "--output-file",
                                                "-Xptxas",
                                                "--ptxas-options",
                                                "-Xlinker",
                                                "--linker-options",
                                                "-Xnvlink",
                                                "-Xcudafe",
                                                "-Xopenmp-target",
                                                "-Xarch_device",
                                                "-Xarch_host",
                                                "-cudart",
                                                "--cudart",
                                                "-t",
                                                "--threads",
                                                "-MF",
                                                "-MT",
                                                "-MQ",
                                                "-L",
                                                "-l",
                                                "--default-stream",
                                                "-default-stream",
                                                "-diag-suppress",
                                                "--diag-suppress",
                                                "-Xclang",
                                                NULL};
static const char *const dropped[] = {"-rdc",
                                      "--relocatable-device-code",
                                      "-dc",
                                      "-dlto",
                                      "-lineinfo",
                                      "--generate-line-info",
                                      "-extended-lambda",
                                      "--extended-lambda",
                                      "-c",
                                      "-S",
                                      "-v",
                                      "-w",
                                      "-G",
                                      "-pg",
                                      "-pthread",
                                      "-res-usage",
                                      "-keep",
                                      "-fopenmp",
                                      "-fopenmp-targets",
                                      "-mp",
                                      "-fgpu-rdc",
                                      "--offload-arch",
                                      "--amdgpu-target",
                                      "--cuda-gpu-arch",
                                      "--cuda-path",
                                      "--rocm-path",
                                      "-fPIC",
                                      "-fpic",
                                      "-fpermissive",
                                      "-MD",
                                      "-MMD",
                                      "-MP",
                                      "-M",
                                      "--compile",
                                      "--verbose",
                                      "-static",
                                      "-shared",
                                      NULL};
static const char *const for_driver[] = {"-fno-exceptions",
                                         "-fno-rtti",
                                         "-fms-extensions",
                                         "-ffast-math",
                                         "-fno-math-errno",
                                         "-funsafe-math-optimizations",
                                         "-fassociative-math",
                                         "-freciprocal-math",
                                         "-ffinite-math-only",
                                         "-fno-signed-zeros",
                                         "-fapprox-func",
                                         "-funsigned-char",
                                         "-fsigned-char",
                                         "-fno-strict-aliasing",
                                         "-fgpu-flush-denormals-to-zero",
                                         "-ansi",
                                         "-fno-unroll-loops",
                                         "-fwrapv",
                                         "-fdelayed-template-parsing",
                                         "-cl-opt-disable",
                                         "-cl-strict-aliasing",
                                         "-cl-single-precision-constant",
                                         "-cl-finite-math-only",
                                         "-cl-kernel-arg-info",
                                         "-cl-unsafe-math-optimizations",
                                         "-cl-fast-relaxed-math",
                                         "-cl-mad-enable",
                                         "-cl-no-signed-zeros",
                                         "-cl-denorms-are-zero",
                                         "-cl-fp32-correctly-rounded-divide-sqrt",
                                         "-cl-uniform-work-group-size",
                                         "-cl-no-subgroup-ifp",
                                         NULL};

/* What begins so, after the exact names; -D, -U and -I are kept. */
static const char *const prefixes[] = {"-D",
                                       "-U",
                                       "-I",
                                       "-cl-nv-",
                                       "--expt-",
                                       "-expt-",
                                       "-O",
                                       "-g",
                                       "-W",
                                       "-L",
                                       "-l",
                                       "-m",
                                       "-fopenmp",
                                       "-Minfo",
                                       "--ptxas",
                                       "--resource-usage",
                                       "--source-in-ptx",
                                       "-fdiagnostics",
                                       "-fcolor",
                                       "--generate-dependencies",
                                       "--display-error",
                                       NULL};

/* Behind these stands a value for the driver. */
static const char *const with_value[] = {
    "-std=", "-cl-std=", "-cl-ext=", "-ffp-contract=", NULL};

/* Names of standards, extensions and modes: c++17, iso9899:1999, CL2.0,
 * +cl_khr_fp16,-cl_khr_fp64, fast-honor-pragmas. */
static bool is_plain(const char *value) {
  if (!*value)
    return false;
  for (; *value; value++)
    if (!isalnum((unsigned char)*value) && !strchr("+:._,-", *value))
      return false;
  return true;
}

static bool takes_value(const char *flag, ww_arena *a, ww_flags *out) {
  const char *name = ww_begins(flag, with_value);
  if (name)
    ww_push(a, is_plain(flag + strlen(name)) ? &out->driver : &out->ignored, flag);
  return name;
}

/* NAME, NAME=text, NAME(parameters)=text. */
static bool is_macro(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '_' && *s != '$')
    return false;
  while (ww_is_word(*s) || *s == '$')
    s++;
  return !*s || *s == '=' || *s == '(';
}

const char *ww_safe_path(const char *path, ww_arena *a) {
  return path[0] == '@' || path[0] == '-' ? ww_fmt(a, "./%s", path) : path;
}

void ww_strs_add(ww_arena *a, ww_strings *v, const char *const *words) {
  for (; *words; words++)
    ww_push(a, v, *words);
}

void ww_strs_append(ww_arena *a, ww_strings *v, const ww_strings *more) {
  for (uint32_t i = 0; i < more->n; i++)
    ww_push(a, v, more->v[i]);
}

const ww_flags *ww_flags_own_textures(const ww_flags *f, ww_arena *a) {
  ww_flags *g = WW_NEW(a, ww_flags);
  *g = *f;
  g->cc1 = (ww_strings){0};
  ww_strs_append(a, &g->cc1, &f->cc1);
  WW_ADD(a, &g->cc1, "-D", "WW_NO_TEXTURE_REFERENCES");
  return g;
}

const char *ww_flag_word(const char *flag, const char *value, ww_arena *a) {
  return ww_fmt(a, "%s%s", flag, value);
}

static void keep(const char *flag, const char *value, ww_arena *a, ww_flags *out) {
  bool macro = !strcmp(flag, "-D") || !strcmp(flag, "-U");
  if (macro ? !is_macro(value) : !*value) {
    ww_push(a, &out->ignored, ww_flag_word(flag, value, a));
    return;
  }
  ww_push(a, &out->cc1, flag);
  ww_push(a, &out->cc1, macro ? value : ww_safe_path(value, a));
}

/* What is done with a flag, and where its name ends. */
typedef struct {
  action what;
  const char *as; /* KEEP */
  size_t len;
  bool joined; /* a value follows the name */
} rule;

static bool is_named(const char *flag, const char *name, rule *r) {
  if (!ww_starts(flag, name))
    return false;
  r->len = strlen(name);
  r->joined = flag[r->len] == '=';
  return r->joined || !flag[r->len];
}

static bool
is_one_of(const char *flag, const char *const *names, action what, rule *r) {
  r->what = what;
  while (*names && !is_named(flag, *names, r))
    names++;
  return *names;
}

static bool find_rule(const char *flag, rule *r) {
  r->what = KEEP;
  for (const kept_flag *k = kept; k->name; k++) {
    r->as = k->as;
    if (is_named(flag, k->name, r))
      return true;
  }
  if (is_one_of(flag, dropped_with_next, DROP_NEXT, r) ||
      is_one_of(flag, dropped, DROP, r) || is_one_of(flag, for_driver, DRIVER, r))
    return true;
  r->as = ww_begins(flag, prefixes);
  if (!r->as)
    return false;
  r->what = strchr("DUI", r->as[1]) && !r->as[2] ? KEEP : DROP;
  r->len = strlen(r->as);
  r->joined = flag[r->len];
  return true;
}

/* nvcc's fast mathematics: approximate division, square root and functions, denormals
 * flushed; no reassociation, which is why it is not clang's -ffast-math. */
static bool nvcc_math(const char *flag, ww_arena *a, ww_flags *out) {
  static const char *const off[] = {"ftz=true", "prec-div=false", "prec-sqrt=false",
                                    "fmad=false"};
  static const char *const on[] = {"ftz=false", "prec-div=true", "prec-sqrt=true",
                                   "fmad=true"};
  static const char *const words[] = {"-fgpu-flush-denormals-to-zero",
                                      "-freciprocal-math", "-fapprox-func",
                                      "-ffp-contract=off"};
  flag += strspn(flag, "-");
  bool all = !strcmp(flag, "use_fast_math"), known = all;
  for (int k = 0; k < 4; k++) {
    bool is_off = !strcmp(flag, off[k]);
    known |= is_off || !strcmp(flag, on[k]);
    if (is_off || (all && k < 3))
      ww_push(a, &out->driver, words[k]);
  }
  if (all)
    ww_push(a, &out->driver, "-fgpu-approx-transcendentals");
  return known;
}

static int dialect_of(const char *x) {
  return !strcmp(x, "cu") || !strcmp(x, "cuda") ? WW_CUDA
         : !strcmp(x, "hip")                    ? WW_HIP
         : !strcmp(x, "cl")                     ? WW_OPENCL
                                                : -1;
}

/* The host compiler's own flags, comma-separated: only what the preprocessor sees
 * matters to device code. */
static void host_options(const char *list, ww_arena *a, ww_flags *out) {
  while (*list) {
    size_t n = strcspn(list, ",");
    if (n > 2 && list[0] == '-' && strchr("DUI", list[1]))
      keep(ww_strndup(a, list, 2), ww_strndup(a, list + 2, n - 2), a, out);
    list += n + (list[n] == ',');
  }
}

/* One flag; `next` may be NULL. Returns whether next was its value. */
static bool sort_one(const char *flag, const char *next, ww_arena *a, ww_flags *out) {
  const char *eq = strchr(flag, '=');
  size_t head = strcspn(flag, "=");
  if (nvcc_math(flag, a, out))
    return false;
  if (ww_starts(flag, "-fopenmp-targets") || !strcmp(flag, "-mp=gpu"))
    out->dialect = WW_OPENMP; /* regions may be in headers */
  const char *given = eq ? eq + 1 : next;
  if (given && head >= 4 &&
      (!strncmp(flag, "-std", head) || !strncmp(flag, "--std", head))) {
    takes_value(ww_fmt(a, "-std=%s", given), a, out);
    return !eq;
  }
  if (ww_starts(flag, "-x")) {
    const char *value = flag[2] == '=' ? flag + 3 : flag[2] ? flag + 2 : next;
    if (value && dialect_of(value) >= 0)
      out->dialect = dialect_of(value);
    return value == next;
  }
  if (head >= 10 && (!strncmp(flag, "-Xcompiler", head) ||
                     !strncmp(flag, "--compiler-options", head))) {
    if (given)
      host_options(given, a, out);
    return given == next;
  }
  if (takes_value(flag, a, out))
    return false;
  rule r;
  if (!find_rule(flag, &r) || (r.what == DRIVER && r.joined)) {
    ww_push(a, &out->ignored, flag);
    return false;
  }
  if (r.what == DRIVER)
    ww_push(a, &out->driver, flag);
  if (r.what == KEEP) {
    const char *value =
        r.joined ? flag + r.len + (flag[r.len] == '=' && r.len > 2) : next;
    if (!value)
      return false;
    keep(r.as, value, a, out);
  }
  return !r.joined && (r.what == KEEP || r.what == DROP_NEXT);
}

void ww_flags_sort(const char **flags, uint32_t n, ww_arena *a, ww_flags *out) {
  *out = (ww_flags){.dialect = -1};
  for (uint32_t i = 0; i < n; i++) {
    const char *next = i + 1 < n ? flags[i + 1] : NULL;
    if (sort_one(flags[i], next, a, out) && next)
      i++;
  }
}
