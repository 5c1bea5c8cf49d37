/* prompt_args.c - what a source says of one kernel: its own part of a file, and its
 * parameters as they are spelled.
 *
 * No front end here: a parameter list is text between two parentheses. What cannot be
 * told so (macros in a list, types behind typedefs) comes out as it stands in the
 * source; a prompt may carry it, nothing is computed from it. */
#include <ctype.h>

#include "../base/words.h"
#include "../measure/cubin.h"
#include "export_int.h"
#include "text.h"

/* ---- finding the list ---- */

/* The text without comments, of the same length. */
static char *without_comments(const char *s, ww_arena *a) {
  char *t = ww_strdup(a, s);
  for (char *c = t; *c; c++) {
    if (c[0] == '/' && c[1] == '/')
      while (*c && *c != '\n')
        *c++ = ' ';
    else if (c[0] == '/' && c[1] == '*') {
      while (*c && !(c[0] == '*' && c[1] == '/'))
        *c++ = ' ';
      if (*c)
        c[0] = c[1] = ' ';
    }
    if (!*c)
      break;
  }
  return t;
}

static bool word_at(const char *text, const char *at, const char *word) {
  size_t n = strlen(word);
  return !strncmp(at, word, n) && !ww_is_word(at[n]) &&
         (at == text || !ww_is_word(at[-1]));
}

static const char *skip_space(const char *s) {
  while (isspace((unsigned char)*s))
    s++;
  return s;
}

/* behind the parenthesis that closes this one; NULL: none */
static const char *closing(const char *open) {
  int depth = 0;
  for (const char *s = open; *s; s++) {
    depth += *s == '(';
    depth -= *s == ')';
    if (!depth)
      return s + 1;
  }
  return NULL;
}

/* From a kernel's keyword to the list of its parameters, over attributes with
 * arguments:
 * __launch_bounds__(256). */
static const char *list_of(const char *s, const char **name, size_t *name_n) {
  while (*s && *s != ';' && *s != '{') {
    const char *word = s;
    size_t n = ww_word_length(s);
    s += n ? n : 1;
    const char *behind = skip_space(s);
    if (!n || *behind != '(')
      continue;
    if (!strncmp(word, "__launch_bounds__", n) || !strncmp(word, "__attribute__", n)) {
      s = closing(behind);
      if (!s)
        return NULL;
      continue;
    }
    *name = word;
    *name_n = n;
    return behind;
  }
  return NULL;
}

typedef struct {
  const char *keyword, *list; /* where __global__ stands, where the parameters begin */
  const char *name;
} found;

/* The next kernel of the text from `s` on. */
static bool next_kernel(const char *text, const char *s, ww_arena *a, found *out) {
  static const char *const keywords[] = {"__global__", "__kernel", "kernel"};
  for (; *s; s++) {
    for (int k = 0; k < 3; k++) {
      const char *name;
      const char *list;
      size_t n;
      if (!word_at(text, s, keywords[k]) ||
          !(list = list_of(s + strlen(keywords[k]), &name, &n)))
        continue;
      *out = (found){s, list, ww_strndup(a, name, n)};
      return true;
    }
  }
  return false;
}

static bool is_kernel(const found *f, const char *kernel) {
  return kernel && (!strcmp(f->name, kernel) || ww_name_matches(f->name, kernel));
}

static const char *find_list(const char *text, const char *kernel, ww_arena *a) {
  const char *only = NULL;
  uint32_t n = 0;
  found f;
  for (const char *s = text; next_kernel(text, s, a, &f); s = f.list, n++) {
    if (is_kernel(&f, kernel))
      return f.list;
    only = f.list;
  }
  return n == 1 ? only : NULL;
}

/* ---- one kernel's part of a file ---- */

/* Where the declaration around `s` begins: behind the last ; } or line of the
 * preprocessor. */
static const char *begin_of(const char *text, const char *s) {
  const char *line = s;
  while (s > text && s[-1] != ';' && s[-1] != '}') {
    s--;
    if (*s == '\n') {
      const char *first = s;
      while (first > text && first[-1] != '\n')
        first--;
      if (*first == '#')
        return s + 1;
    }
    line = s;
  }
  return line;
}

static const char *
body_end(const char *list) { /* behind the body's brace; NULL: a declaration alone */
  const char *s = closing(list);
  int depth = 0;
  for (; s && *s && (depth || *s != ';'); s++) {
    depth += *s == '{';
    if (*s == '}' && --depth == 0)
      return s + 1;
  }
  return NULL;
}

static bool launch_comment(const char *line) {
  while (*line == ' ' || *line == '\t')
    line++;
  if (!ww_starts(line, "//"))
    return false;
  line += 2 + strspn(line + 2, " \t");
  return ww_starts(line, "warpwise:");
}

/* Without launch comments, and of several empty lines one. */
static const char *tidy(const char *s, ww_arena *a) {
  char *out = ww_strdup(a, s);
  char *to = out;
  bool empty = true;
  while (*s) {
    size_t n = strcspn(s, "\n") + (s[strcspn(s, "\n")] == '\n');
    bool blank =
        strspn(s, " \t\r") + 1 >= n && s[n - 1] == '\n' && strspn(s, " \t\r\n") >= n;
    if (!launch_comment(s) && !(blank && empty)) {
      memcpy(to, s, n);
      to += n;
      empty = blank;
    }
    s += n;
  }
  while (to > out + 1 && to[-1] == '\n' && to[-2] == '\n')
    to--;
  *to = 0;
  return out;
}

const char *ww_kernel_text(const char *source, const char *kernel, ww_arena *a) {
  const char *plain = without_comments(source, a);
  const char *from = plain;
  const char *whole = tidy(source, a);
  ww_buf b = {0};
  found f;
  bool here = false;
  for (const char *s = plain; next_kernel(plain, s, a, &f);) {
    const char *end = body_end(f.list);
    const char *begin = begin_of(plain, f.keyword);
    s = end ? end : f.list;
    if (is_kernel(&f, kernel))
      here = true;
    else if (end && begin >= from) {
      ww_buf_add(&b, source + (from - plain), begin - from);
      ww_buf_puts(&b, "\n");
      from = end;
    }
  }
  ww_buf_puts(&b, source + (from - plain));
  if (here)
    whole = tidy(b.s, a);
  ww_buf_free(&b);
  return whole;
}

/* ---- one parameter ---- */

static bool qualifier(const char *word, size_t n) {
  static const char *const words[] = {
      "const",    "volatile",  "restrict", "__restrict", "__restrict__",
      "__global", "global",    "__local",  "local",      "__constant",
      "constant", "__private", "private",  "register",   "__shared__"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    if (strlen(words[k]) == n && !strncmp(word, words[k], n))
      return true;
  return false;
}

static void add_word(ww_buf *b, const char *word, size_t n) {
  if (b->n)
    ww_buf_puts(b, " ");
  ww_buf_add(b, word, n);
}

/* `const float *__restrict__ x`: the last word is the name, unless it is the only one
 * that could be the type. */
static ww_param_text param(const char *s, size_t n, ww_arena *a) {
  ww_buf type = {0};
  ww_buf qualifiers = {0};
  const char *name = NULL;
  const char *end = s + n;
  size_t name_n = 0;
  ww_buf_puts(&type, "");
  ww_buf_puts(&qualifiers, "");
  while (s < end) {
    if (isspace((unsigned char)*s)) {
      s++;
      continue;
    }
    const char *word = s;
    while (s < end && ww_is_word(*s))
      s++;
    if (s == word)
      s++; /* * & < > , [ ] */
    size_t len = s - word;
    if (*word == '[' || *word == '=')
      break;
    if (qualifier(word, len))
      add_word(&qualifiers, word, len);
    else {
      if (name)
        add_word(&type, name, name_n); /* was no name after all */
      name = NULL;
      if (ww_is_word(*word)) {
        name = word;
        name_n = len;
      } else
        add_word(&type, word, len);
    }
  }
  if (name && !type.n) {
    add_word(&type, name, name_n);
    name = NULL;
  } /* a type without a name */
  return (ww_param_text){.name = name ? ww_strndup(a, name, name_n) : "",
                         .qualifiers = ww_text_take(&qualifiers, a),
                         .type = ww_text_take(&type, a)};
}

uint32_t ww_params_of_text(const char *source,
                           const char *kernel,
                           ww_arena *a,
                           ww_param_text **out) {
  WW_VEC(ww_param_text) v = {0};
  const char *list = find_list(without_comments(source, a), kernel, a);
  const char *end = list ? closing(list) : NULL;
  int depth = 0;
  *out = NULL;
  if (!end)
    return 0;
  const char *from = ++list;
  for (const char *s = list; s < end; s++) {
    if ((*s == ',' && !depth) || s == end - 1) {
      bool empty = skip_space(from) >= s ||
                   (s == end - 1 && !v.n && word_at(from, skip_space(from), "void") &&
                    !memchr(from, '*', s - from));
      if (!empty)
        ww_push(a, &v, param(from, (size_t)(s - from), a));
      from = s + 1;
    }
    depth += *s == '(' || *s == '<' || *s == '[';
    depth -= *s == ')' || *s == '>' || *s == ']';
  }
  *out = v.v;
  return v.n;
}
