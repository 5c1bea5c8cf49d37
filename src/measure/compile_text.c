/* compile_text.c - flags, #include lines and messages: the words that compilers take
 * and give. */
#include <ctype.h>
#include <stdlib.h>

#include "compile_int.h"

/* ---- flags ---- */

typedef struct {
  const char *name; /* what the user writes, with one or two dashes */
  const char *as;   /* what becomes of it, the value put behind */
  bool value;       /* it has one: joined, behind =, or the next word */
} flag_rule;

#define NVCC_ALONE 3 /* the last rules: NVRTC does without them */
static const flag_rule rules[] = {
    {"isystem", "-I", true},
    {"iquote", "-I", true},
    {"idirafter", "-I", true},
    {"system-include", "-I", true},
    {"include-path", "-I", true},
    {"include", "--pre-include=", true},
    {"pre-include", "--pre-include=", true},
    {"define-macro", "-D", true},
    {"undefine-macro", "-U", true},
    {"std", "--std=", true},
    {"use_fast_math", "--use_fast_math", false},
    {"ffast-math", "--use_fast_math", false},
    {"cl-fast-relaxed-math", "--use_fast_math", false},
    {"fmad", "--fmad=", true},
    {"ftz", "--ftz=", true},
    {"prec-div", "--prec-div=", true},
    {"prec-sqrt", "--prec-sqrt=", true},
    {"maxrregcount", "--maxrregcount=", true},
    {"extra-device-vectorization", "--extra-device-vectorization", false},
    {"expt-relaxed-constexpr", "--expt-relaxed-constexpr", false},
    {"extended-lambda", "--extended-lambda", false},
    {"expt-extended-lambda", "--extended-lambda", false},
};
/* Left out, with a value that must not be taken for a flag or a file; so are unknown
 * flags. */
static const char *const dropped[] = {"arch",
                                      "gpu-architecture",
                                      "code",
                                      "gpu-code",
                                      "gencode",
                                      "generate-code",
                                      "ccbin",
                                      "compiler-bindir",
                                      "Xcompiler",
                                      "compiler-options",
                                      "Xptxas",
                                      "ptxas-options",
                                      "Xlinker",
                                      "Xclang",
                                      "Xnvlink",
                                      "Xcudafe",
                                      "diag-suppress",
                                      "x",
                                      "o",
                                      NULL};

static bool is_named(const char *name, size_t n, const char *rule) {
  return strlen(rule) == n && !strncmp(rule, name, n);
}

/* The rule of a flag, `as` NULL where it is left out. *joined: its value, NULL: not
 * joined. */
static flag_rule rule_of(const char *flag, bool nvcc, const char **joined) {
  const char *name = flag + 1 + (flag[1] == '-');
  size_t n = strcspn(name, "=");
  size_t nrules = WW_COUNT(rules);
  *joined = name[n] ? name + n + 1 : NULL;
  for (size_t i = 0; i < nrules; i++)
    if (is_named(name, n, rules[i].name))
      return nvcc || i < nrules - NVCC_ALONE ? rules[i] : (flag_rule){0};
  for (int i = 0; dropped[i]; i++)
    if (is_named(name, n, dropped[i]))
      return (flag_rule){.value = true};
  static const char *const short_forms[] = {"-D", "-U", "-I", NULL};
  *joined = flag[2] ? flag + 2 : NULL;
  for (int i = 0; short_forms[i]; i++)
    if (ww_starts(flag, short_forms[i]))
      return (flag_rule){.as = short_forms[i], .value = true};
  return (flag_rule){0};
}

/* gnu++17 is c++17 here; C's standards and those older than both compilers mean their
 * default. */
static const char *standard(const char *value) {
  static const char *const known[] = {"c++11", "c++14", "c++17",
                                      "c++20", "c++23", NULL};
  if (ww_starts(value, "gnu"))
    value += 3;
  for (int i = 0; known[i]; i++)
    if (!strcmp(value, known[i] + (value[0] == '+')))
      return known[i];
  return NULL;
}

void ww_compile_words(const ww_strings *flags,
                      bool nvcc,
                      ww_arena *a,
                      ww_strings *out) {
  for (uint32_t i = 0; i < flags->n; i++) {
    const char *value;
    if (flags->v[i][0] != '-' || !flags->v[i][1])
      continue;
    flag_rule r = rule_of(flags->v[i], nvcc, &value);
    if (r.value && !value)
      value = i + 1 < flags->n ? flags->v[++i] : NULL;
    if (r.as && value && !strcmp(r.as, "--std="))
      value = standard(value);
    if (r.as && (value || !r.value))
      ww_push(a, out, r.value ? ww_fmt(a, "%s%s", r.as, value) : r.as);
  }
}

/* ---- #include lines ---- */

const char *ww_directive(const char *line, const char *name) {
  line += strspn(line, " \t");
  if (*line++ != '#')
    return NULL;
  line += strspn(line, " \t");
  if (!ww_starts(line, name))
    return NULL;
  line += strlen(name);
  return line + strspn(line, " \t");
}

typedef struct {
  ww_headers *out;
  ww_strings dirs; /* of -I */
  ww_arena *a;
} finder;

static const char *resolve(finder *f, const char *from, const char *name, bool angled) {
  const char *beside = ww_path_join(f->a, ww_path_dir(f->a, from), name);
  if (!angled && ww_file_exists(beside))
    return beside;
  for (uint32_t i = 0; i < f->dirs.n; i++) {
    const char *p = ww_path_join(f->a, f->dirs.v[i], name);
    if (ww_file_exists(p))
      return p;
  }
  return NULL;
}

/* A header may be spelled in several ways. */
static const ww_header *known(const finder *f, const char *path, const char *name) {
  for (uint32_t i = 0; i < f->out->n; i++)
    if (!strcmp(f->out->v[i].path, path) && (!name || !strcmp(f->out->v[i].name, name)))
      return &f->out->v[i];
  return NULL;
}

static void find_in(finder *f, const char *file, const char *text, int depth) {
  for (const char *p = text; p && depth < 32; p = strchr(p, '\n')) {
    p += *p == '\n';
    const char *q = ww_directive(p, "include");
    if (!q || (*q != '"' && *q != '<'))
      continue;
    size_t n = strcspn(q + 1, *q == '"' ? "\"\n" : ">\n");
    const char *name = ww_strndup(f->a, q + 1, n);
    const char *path = resolve(f, file, name, *q == '<');
    if (!path || known(f, path, name) || f->out->n >= 512)
      continue;
    const ww_header *before = known(f, path, NULL);
    char *body = NULL;
    if (!before && ww_read_file(f->a, path, 32u << 20, &body, NULL, NULL))
      continue;
    ww_push(
        f->a, f->out,
        (ww_header){.name = name, .path = path, .text = before ? before->text : body});
    if (!before)
      find_in(f, path, body, depth + 1);
  }
}

void ww_compile_includes(const char *file,
                         const char *text,
                         const ww_strings *flags,
                         ww_arena *a,
                         ww_headers *out) {
  finder f = {.out = out, .a = a};
  ww_strings words = {0};
  ww_compile_words(flags, true, a, &words);
  for (uint32_t i = 0; i < words.n; i++) {
    const char *w = words.v[i];
    const char *path = ww_starts(w, "--pre-include=") ? w + 14 : NULL;
    char *body;
    if (ww_starts(w, "-I"))
      ww_push(a, &f.dirs, w + 2);
    if (!path || ww_read_file(a, path, 32u << 20, &body, NULL, NULL))
      continue;
    ww_push(a, out, (ww_header){.name = path, .path = path, .text = body});
    find_in(&f, path, body, 0);
  }
  if (file)
    ww_push(a, &f.dirs, ww_path_dir(a, file)); /* as both compilers are told */
  find_in(&f, file ? file : "./source.cu", text, 0);
}

/* ---- messages ---- */

/* One line: `file(12): error: text`, `file(12): catastrophic error: text`, `file:12:3:
 * fatal error: text`. */
static bool read_message(const char *line, size_t n, ww_arena *a, ww_err *out) {
  const char *mark = memmem(line, n, "error", 5);
  if (!mark)
    return false;
  const char *text = mark + 5;
  const char *end = line + n;
  while (text < end && (*text == ':' || *text == ' ' ||
                        (*text == '#' && isdigit((unsigned char)text[1]))))
    text++;
  ww_err e = {.code = WW_EDATA};
  snprintf(e.msg, sizeof e.msg, "%.*s", (int)(end - text), text);
  size_t at = 0;
  char *stop = NULL;
  for (const char *const *sign = (const char *const[]){"(", ":", NULL}; *sign && !stop;
       sign++) {
    at = strcspn(line, *sign);
    if (line + at < mark && isdigit((unsigned char)line[at + 1]))
      e.line = strtoul(line + at + 1, &stop, 10);
  }
  if (stop && *stop == ':' && isdigit((unsigned char)stop[1]))
    e.col = strtoul(stop + 1, NULL, 10);
  bool other = ww_starts(line, "ptxas") || ww_starts(line, "nvlink") ||
               ww_starts(line, "At end of source");
  if (!e.line && !other)
    return false;
  if (e.line)
    e.file = ww_strndup(a, line, at);
  *out = e;
  return true;
}

const char *ww_compile_next_error(const char *log, ww_arena *a, ww_err *out) {
  while (log && *log) {
    size_t n = strcspn(log, "\n");
    bool found = read_message(log, n, a, out);
    log += n + (log[n] == '\n');
    if (found)
      return log;
  }
  return NULL;
}
