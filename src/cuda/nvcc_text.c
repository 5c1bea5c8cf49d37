/* nvcc_text.c - the words that nvcc and NVRTC take and give: flags, messages.
 *
 * Flags come from people we do not know. Invariant: a word for a compiler is one of the
 * table here, a value joined to it; no word begins with the value. */
#include "nvcc.h"

#include <ctype.h>
#include <stdlib.h>

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

void ww_nvcc_words(const ww_strings *flags, bool nvcc, ww_arena *a, ww_strings *out) {
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

const char *ww_nvcc_next_error(const char *log, ww_arena *a, ww_err *out) {
  while (log && *log) {
    size_t n = strcspn(log, "\n");
    bool found = read_message(log, n, a, out);
    log += n + (log[n] == '\n');
    if (found)
      return log;
  }
  return NULL;
}
