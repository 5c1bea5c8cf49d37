/* compile_text.c - flags, #include lines and messages: the words that compilers take and give. */
#include <ctype.h>
#include <stdlib.h>

#include "compile_int.h"

/* ---- flags ---- */

typedef struct {
  const char *name;         /* what the user writes, with one or two dashes */
  bool value;               /* it has one: joined, behind =, or the next word */
  const char *nvcc, *nvrtc; /* what becomes of it, the value put behind; NULL: left out */
} flag_rule;

/* The first that fits; a name that ends in '*' fits whatever follows. Unknown flags are left out.
 */
static const flag_rule rules[] = {
    {"isystem", true, "-I", "-I"},
    {"iquote", true, "-I", "-I"},
    {"idirafter", true, "-I", "-I"},
    {"system-include", true, "-I", "-I"},
    {"include-path", true, "-I", "-I"},
    {"include", true, "--pre-include=", "--pre-include="},
    {"pre-include", true, "--pre-include=", "--pre-include="},
    {"define-macro", true, "-D", "-D"},
    {"undefine-macro", true, "-U", "-U"},
    {"std", true, "--std=", "--std="},
    {"use_fast_math", false, "--use_fast_math", "--use_fast_math"},
    {"ffast-math", false, "--use_fast_math", "--use_fast_math"},
    {"cl-fast-relaxed-math", false, "--use_fast_math", "--use_fast_math"},
    {"fmad", true, "--fmad=", "--fmad="},
    {"ftz", true, "--ftz=", "--ftz="},
    {"prec-div", true, "--prec-div=", "--prec-div="},
    {"prec-sqrt", true, "--prec-sqrt=", "--prec-sqrt="},
    {"maxrregcount", true, "--maxrregcount=", "--maxrregcount="},
    {"extra-device-vectorization", false, "--extra-device-vectorization",
     "--extra-device-vectorization"},
    {"expt-relaxed-constexpr", false, "--expt-relaxed-constexpr", NULL},
    {"extended-lambda", false, "--extended-lambda", NULL},
    {"expt-extended-lambda", false, "--extended-lambda", NULL},
    /* with a value that must not be taken for a flag or a file */
    {"arch", true, NULL, NULL},
    {"gpu-architecture", true, NULL, NULL},
    {"code", true, NULL, NULL},
    {"gpu-code", true, NULL, NULL},
    {"gencode", true, NULL, NULL},
    {"generate-code", true, NULL, NULL},
    {"ccbin", true, NULL, NULL},
    {"compiler-bindir", true, NULL, NULL},
    {"Xcompiler", true, NULL, NULL},
    {"compiler-options", true, NULL, NULL},
    {"Xptxas", true, NULL, NULL},
    {"ptxas-options", true, NULL, NULL},
    {"Xlinker", true, NULL, NULL},
    {"Xclang", true, NULL, NULL},
    {"Xnvlink", true, NULL, NULL},
    {"Xcudafe", true, NULL, NULL},
    {"diag-suppress", true, NULL, NULL},
    {"x", true, NULL, NULL},
    {"o", true, NULL, NULL},
};

static const flag_rule *rule_of(const char *flag, const char **joined) {
  *joined = NULL;
  if (flag[0] != '-')
    return NULL;
  const char *name = flag + 1 + (flag[1] == '-');
  size_t n = strcspn(name, "=");
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
    if (strlen(rules[i].name) != n || strncmp(rules[i].name, name, n))
      continue;
    *joined = name[n] ? name + n + 1 : NULL;
    return &rules[i];
  }
  static const flag_rule short_form[] = {
      {"D", true, "-D", "-D"}, {"U", true, "-U", "-U"}, {"I", true, "-I", "-I"}};
  for (int i = 0; i < 3; i++)
    if (flag[1] == short_form[i].name[0]) {
      *joined = flag[2] ? flag + 2 : NULL;
      return &short_form[i];
    }
  return NULL;
}

/* gnu++17 is c++17 here; C's standards and those older than both compilers mean their default. */
static const char *standard(const char *value) {
  static const char *const known[] = {"c++11", "c++14", "c++17", "c++20", "c++23", NULL};
  if (ww_starts(value, "gnu"))
    value += 3;
  for (int i = 0; known[i]; i++)
    if (!strcmp(value, known[i] + (value[0] == '+')))
      return known[i];
  return NULL;
}

void ww_compile_words(const ww_words *flags, bool nvcc, ww_arena *a, ww_words *out) {
  for (uint32_t i = 0; i < flags->n; i++) {
    const char *value;
    const flag_rule *r = rule_of(flags->v[i], &value);
    if (!r)
      continue;
    if (r->value && !value)
      value = i + 1 < flags->n ? flags->v[++i] : NULL;
    const char *as = nvcc ? r->nvcc : r->nvrtc;
    if (as && !strcmp(as, "--std="))
      value = value ? standard(value) : NULL;
    if (!as || (r->value && !value))
      continue;
    ww_push(a, out, r->value ? ww_fmt(a, "%s%s", as, value) : as);
  }
}

/* ---- #include lines ---- */

typedef struct {
  ww_headers *out;
  ww_words dirs; /* of -I */
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
    const char *q = p + strspn(p, " \t");
    if (*q != '#')
      continue;
    q += 1 + strspn(q + 1, " \t");
    if (!ww_starts(q, "include"))
      continue;
    q += 7 + strspn(q + 7, " \t");
    if (*q != '"' && *q != '<')
      continue;
    size_t n = strcspn(q + 1, *q == '"' ? "\"\n" : ">\n");
    const char *name = ww_strndup(f->a, q + 1, n), *path = resolve(f, file, name, *q == '<');
    if (!path || known(f, path, name) || f->out->n >= 512)
      continue;
    const ww_header *before = known(f, path, NULL);
    char *body = NULL;
    if (!before && ww_read_file(f->a, path, 32u << 20, &body, NULL, NULL))
      continue;
    ww_push(f->a, f->out,
            (ww_header){.name = name, .path = path, .text = before ? before->text : body});
    if (!before)
      find_in(f, path, body, depth + 1);
  }
}

void ww_compile_includes(const char *file, const char *text, const ww_words *flags, ww_arena *a,
                         ww_headers *out) {
  finder f = {.out = out, .a = a};
  ww_words words = {0};
  ww_compile_words(flags, true, a, &words);
  for (uint32_t i = 0; i < words.n; i++) {
    const char *w = words.v[i], *path = ww_starts(w, "--pre-include=") ? w + 14 : NULL;
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

/* One line: `file(12): error: text`, `file(12): catastrophic error: text`, `file:12:3: fatal error:
 * text`. */
static bool read_message(const char *line, size_t n, ww_arena *a, ww_err *out) {
  const char *mark = memmem(line, n, "error", 5);
  if (!mark)
    return false;
  const char *text = mark + 5, *end = line + n;
  while (text < end &&
         (*text == ':' || *text == ' ' || (*text == '#' && isdigit((unsigned char)text[1]))))
    text++;
  ww_err e = {.code = WW_EDATA};
  snprintf(e.msg, sizeof e.msg, "%.*s", (int)(end - text), text);
  size_t at = strcspn(line, "(");
  char *stop = NULL;
  if (line + at < mark && isdigit((unsigned char)line[at + 1])) {
    e.line = strtoul(line + at + 1, &stop, 10);
  } else {
    at = strcspn(line, ":");
    if (line + at < mark && isdigit((unsigned char)line[at + 1]))
      e.line = strtoul(line + at + 1, &stop, 10);
    if (stop && *stop == ':' && isdigit((unsigned char)stop[1]))
      e.col = strtoul(stop + 1, NULL, 10);
  }
  bool other =
      ww_starts(line, "ptxas") || ww_starts(line, "nvlink") || ww_starts(line, "At end of source");
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
