/* flags.c - the user's compiler flags, as they stand in build files for nvcc, hipcc, clang or an
 * OpenCL runtime.
 *
 * What changes the meaning of the source is kept, what steers code generation, linking or output is
 * dropped: the target and the optimisation level are ours. Unknown flags are listed in `ignored`,
 * so that a note can name them.
 *
 * Flags come from people we do not know (a project's files, requests), and clang has options that
 * load code. Invariant: a word for clang is from the tables here, or a value of checked form joined
 * to one: no word begins with the value, so none is taken for an option or, by a leading @, for a
 * file of further words. */
#include "front_int.h"

#include <ctype.h>
#include <stdlib.h>

typedef enum {
  KEEP,      /* for clang -cc1 as it stands, value joined or in the next word */
  DRIVER,    /* for the driver, without a value */
  DROP,      /* no word of it reaches clang */
  DROP_NEXT, /* and its value is the next word unless joined by = */
} action;

typedef struct {
  const char *name;
  action what;
  const char *as; /* KEEP: clang's spelling */
} flag_rule;

/* Exact names, or names followed by =value. */
static const flag_rule exact[] = {
    {"--define-macro", KEEP, "-D"},
    {"--undefine-macro", KEEP, "-U"},
    {"--include-path", KEEP, "-I"},
    {"--system-include", KEEP, "-isystem"},
    {"--pre-include", KEEP, "-include"},
    {"-include", KEEP, "-include"},
    {"-isystem", KEEP, "-isystem"},
    {"-iquote", KEEP, "-iquote"},
    {"-idirafter", KEEP, "-idirafter"},
    {"-arch", DROP_NEXT, NULL},
    {"--gpu-architecture", DROP_NEXT, NULL},
    {"-code", DROP_NEXT, NULL},
    {"--gpu-code", DROP_NEXT, NULL},
    {"-gencode", DROP_NEXT, NULL},
    {"--generate-code", DROP_NEXT, NULL},
    {"-maxrregcount", DROP_NEXT, NULL},
    {"--maxrregcount", DROP_NEXT, NULL},
    {"-ccbin", DROP_NEXT, NULL},
    {"--compiler-bindir", DROP_NEXT, NULL},
    {"-o", DROP_NEXT, NULL},
    {"--output-file", DROP_NEXT, NULL},
    {"-Xptxas", DROP_NEXT, NULL},
    {"--ptxas-options", DROP_NEXT, NULL},
    {"-Xlinker", DROP_NEXT, NULL},
    {"--linker-options", DROP_NEXT, NULL},
    {"-Xnvlink", DROP_NEXT, NULL},
    {"-Xcudafe", DROP_NEXT, NULL},
    {"-Xopenmp-target", DROP_NEXT, NULL},
    {"-Xarch_device", DROP_NEXT, NULL},
    {"-Xarch_host", DROP_NEXT, NULL},
    {"-cudart", DROP_NEXT, NULL},
    {"--cudart", DROP_NEXT, NULL},
    {"-t", DROP_NEXT, NULL},
    {"--threads", DROP_NEXT, NULL},
    {"-MF", DROP_NEXT, NULL},
    {"-MT", DROP_NEXT, NULL},
    {"-MQ", DROP_NEXT, NULL},
    {"-L", DROP_NEXT, NULL},
    {"-l", DROP_NEXT, NULL},
    {"--default-stream", DROP_NEXT, NULL},
    {"-default-stream", DROP_NEXT, NULL},
    {"-diag-suppress", DROP_NEXT, NULL},
    {"--diag-suppress", DROP_NEXT, NULL},
    {"-Xclang", DROP_NEXT, NULL},
    {"-rdc", DROP, NULL},
    {"--relocatable-device-code", DROP, NULL},
    {"-dc", DROP, NULL},
    {"-dlto", DROP, NULL},
    {"-lineinfo", DROP, NULL},
    {"--generate-line-info", DROP, NULL},
    {"-extended-lambda", DROP, NULL},
    {"--extended-lambda", DROP, NULL},
    {"-c", DROP, NULL},
    {"-S", DROP, NULL},
    {"-v", DROP, NULL},
    {"-w", DROP, NULL},
    {"-G", DROP, NULL},
    {"-pg", DROP, NULL},
    {"-pthread", DROP, NULL},
    {"-res-usage", DROP, NULL},
    {"-keep", DROP, NULL},
    {"-fopenmp", DROP, NULL},
    {"-fopenmp-targets", DROP, NULL},
    {"-mp", DROP, NULL},
    {"-fgpu-rdc", DROP, NULL},
    {"--offload-arch", DROP, NULL},
    {"--amdgpu-target", DROP, NULL},
    {"--cuda-gpu-arch", DROP, NULL},
    {"--cuda-path", DROP, NULL},
    {"--rocm-path", DROP, NULL},
    {"-fPIC", DROP, NULL},
    {"-fpic", DROP, NULL},
    {"-fpermissive", DROP, NULL},
    {"-MD", DROP, NULL},
    {"-MMD", DROP, NULL},
    {"-MP", DROP, NULL},
    {"-M", DROP, NULL},
    {"--compile", DROP, NULL},
    {"--verbose", DROP, NULL},
    {"-static", DROP, NULL},
    {"-shared", DROP, NULL},
    {"-fno-exceptions", DRIVER, NULL},
    {"-fno-rtti", DRIVER, NULL},
    {"-fms-extensions", DRIVER, NULL},
    {"-ffast-math", DRIVER, NULL},
    {"-fno-math-errno", DRIVER, NULL},
    {"-funsafe-math-optimizations", DRIVER, NULL},
    {"-fassociative-math", DRIVER, NULL},
    {"-freciprocal-math", DRIVER, NULL},
    {"-ffinite-math-only", DRIVER, NULL},
    {"-fno-signed-zeros", DRIVER, NULL},
    {"-fapprox-func", DRIVER, NULL},
    {"-funsigned-char", DRIVER, NULL},
    {"-fsigned-char", DRIVER, NULL},
    {"-fno-strict-aliasing", DRIVER, NULL},
    {"-fgpu-flush-denormals-to-zero", DRIVER, NULL},
    {"-ansi", DRIVER, NULL},
    {"-fno-unroll-loops", DRIVER, NULL},
    {"-fwrapv", DRIVER, NULL},
    {"-fdelayed-template-parsing", DRIVER, NULL},
    {"-cl-opt-disable", DRIVER, NULL},
    {"-cl-strict-aliasing", DRIVER, NULL},
    {"-cl-single-precision-constant", DRIVER, NULL},
    {"-cl-finite-math-only", DRIVER, NULL},
    {"-cl-kernel-arg-info", DRIVER, NULL},
    {"-cl-unsafe-math-optimizations", DRIVER, NULL},
    {"-cl-fast-relaxed-math", DRIVER, NULL},
    {"-cl-mad-enable", DRIVER, NULL},
    {"-cl-no-signed-zeros", DRIVER, NULL},
    {"-cl-denorms-are-zero", DRIVER, NULL},
    {"-cl-fp32-correctly-rounded-divide-sqrt", DRIVER, NULL},
    {"-cl-uniform-work-group-size", DRIVER, NULL},
    {"-cl-no-subgroup-ifp", DRIVER, NULL},
};

/* What begins so, after the exact names. */
static const flag_rule prefix[] = {
    {"-D", KEEP, "-D"},
    {"-U", KEEP, "-U"},
    {"-I", KEEP, "-I"},
    {"-cl-nv-", DROP, NULL},
    {"--expt-", DROP, NULL},
    {"-expt-", DROP, NULL},
    {"-O", DROP, NULL},
    {"-g", DROP, NULL},
    {"-W", DROP, NULL},
    {"-L", DROP, NULL},
    {"-l", DROP, NULL},
    {"-m", DROP, NULL},
    {"-fopenmp", DROP, NULL},
    {"-Minfo", DROP, NULL},
    {"--ptxas", DROP, NULL},
    {"--resource-usage", DROP, NULL},
    {"--source-in-ptx", DROP, NULL},
    {"-fdiagnostics", DROP, NULL},
    {"-fcolor", DROP, NULL},
    {"--generate-dependencies", DROP, NULL},
    {"--display-error", DROP, NULL},
};

/* Behind these stands a value for the driver. */
static const char *const with_value[] = {"-std=", "-cl-std=", "-cl-ext=", "-ffp-contract="};

/* Names of standards, extensions and modes: c++17, iso9899:1999, CL2.0, +cl_khr_fp16,-cl_khr_fp64,
 * fast-honor-pragmas. */
static bool is_plain(const char *value) {
  if (!*value)
    return false;
  for (; *value; value++)
    if (!isalnum((unsigned char)*value) && !strchr("+:._,-", *value))
      return false;
  return true;
}

static bool takes_value(const char *flag, ww_arena *a, ww_flags *out) {
  for (size_t i = 0; i < sizeof with_value / sizeof *with_value; i++) {
    if (!ww_starts(flag, with_value[i]))
      continue;
    ww_push(a, is_plain(flag + strlen(with_value[i])) ? &out->driver : &out->ignored, flag);
    return true;
  }
  return false;
}

/* NAME, NAME=text, NAME(parameters)=text. */
static bool is_macro(const char *s) {
  if (!isalpha((unsigned char)*s) && *s != '_' && *s != '$')
    return false;
  while (isalnum((unsigned char)*s) || *s == '_' || *s == '$')
    s++;
  return !*s || *s == '=' || *s == '(';
}

const char *ww_safe_path(const char *path, ww_arena *a) {
  return path[0] == '@' || path[0] == '-' ? ww_fmt(a, "./%s", path) : path;
}

void ww_strs_add(ww_arena *a, ww_strs *v, const char *const *words) {
  for (; *words; words++)
    ww_push(a, v, *words);
}

void ww_strs_append(ww_arena *a, ww_strs *v, const ww_strs *more) {
  for (uint32_t i = 0; i < more->n; i++)
    ww_push(a, v, more->v[i]);
}

const ww_flags *ww_flags_own_textures(const ww_flags *f, ww_arena *a) {
  ww_flags *g = WW_NEW(a, ww_flags);
  *g = *f;
  g->cc1 = (ww_strs){0};
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

static const flag_rule *find_rule(const char *flag, size_t *len, bool *joined) {
  for (size_t i = 0; i < sizeof exact / sizeof *exact; i++) {
    *len = strlen(exact[i].name);
    if (strncmp(flag, exact[i].name, *len))
      continue;
    *joined = flag[*len] == '=';
    if (*joined || !flag[*len])
      return &exact[i];
  }
  for (size_t i = 0; i < sizeof prefix / sizeof *prefix; i++) {
    *len = strlen(prefix[i].name);
    if (strncmp(flag, prefix[i].name, *len))
      continue;
    *joined = flag[*len] != 0;
    return &prefix[i];
  }
  return NULL;
}

static bool is(const char *flag, const char *name) {
  while (*flag == '-')
    flag++;
  return !strcmp(flag, name);
}

/* nvcc's fast mathematics: approximate division, square root and functions, denormals flushed; no
 * reassociation, which is why it is not clang's -ffast-math. */
static bool nvcc_math(const char *flag, ww_arena *a, ww_flags *out) {
  bool all = is(flag, "use_fast_math");
  if (all || is(flag, "ftz=true"))
    ww_push(a, &out->driver, "-fgpu-flush-denormals-to-zero");
  if (all || is(flag, "prec-div=false"))
    ww_push(a, &out->driver, "-freciprocal-math");
  if (all || is(flag, "prec-sqrt=false"))
    ww_push(a, &out->driver, "-fapprox-func");
  if (all)
    ww_push(a, &out->driver, "-fgpu-approx-transcendentals");
  if (is(flag, "fmad=false"))
    ww_push(a, &out->driver, "-ffp-contract=off");
  return all || is(flag, "ftz=true") || is(flag, "ftz=false") || is(flag, "prec-div=false") ||
         is(flag, "prec-div=true") || is(flag, "prec-sqrt=false") || is(flag, "prec-sqrt=true") ||
         is(flag, "fmad=false") || is(flag, "fmad=true");
}

static int dialect_of(const char *x) {
  if (!strcmp(x, "cu") || !strcmp(x, "cuda"))
    return WW_CUDA;
  if (!strcmp(x, "hip"))
    return WW_HIP;
  if (!strcmp(x, "cl"))
    return WW_OPENCL;
  return -1;
}

/* The host compiler's own flags, comma-separated: only what the preprocessor sees matters to device
 * code. */
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
  size_t head = eq ? (size_t)(eq - flag) : strlen(flag);
  if (nvcc_math(flag, a, out))
    return false;
  if (ww_starts(flag, "-fopenmp-targets") || !strcmp(flag, "-mp=gpu"))
    out->dialect = WW_OPENMP; /* regions may be in headers */
  if (!strncmp(flag, "-std", head) || !strncmp(flag, "--std", head)) {
    const char *value = eq ? eq + 1 : next;
    if (head >= 4 && value) {
      takes_value(ww_fmt(a, "-std=%s", value), a, out);
      return !eq;
    }
  }
  if (ww_starts(flag, "-x")) {
    const char *value = flag[2] == '=' ? flag + 3 : flag[2] ? flag + 2 : next;
    if (value && dialect_of(value) >= 0)
      out->dialect = dialect_of(value);
    return value == next;
  }
  if (head >= 10 &&
      (!strncmp(flag, "-Xcompiler", head) || !strncmp(flag, "--compiler-options", head))) {
    const char *value = eq ? eq + 1 : next;
    if (value)
      host_options(value, a, out);
    return value == next;
  }
  if (takes_value(flag, a, out))
    return false;
  size_t len;
  bool joined;
  const flag_rule *r = find_rule(flag, &len, &joined);
  if (!r || (r->what == DRIVER && joined)) {
    ww_push(a, &out->ignored, flag);
    return false;
  }
  if (r->what == DRIVER)
    ww_push(a, &out->driver, flag);
  if (r->what == KEEP) {
    const char *value = joined ? flag + len + (flag[len] == '=' && r->as && len > 2) : next;
    if (!value)
      return false;
    keep(r->as, value, a, out);
  }
  return !joined && (r->what == KEEP || r->what == DROP_NEXT);
}

void ww_flags_sort(const char **flags, uint32_t n, ww_arena *a, ww_flags *out) {
  *out = (ww_flags){.dialect = -1};
  for (uint32_t i = 0; i < n; i++) {
    const char *next = i + 1 < n ? flags[i + 1] : NULL;
    if (sort_one(flags[i], next, a, out) && next)
      i++;
  }
}
