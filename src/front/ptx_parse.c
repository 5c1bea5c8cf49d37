/* ptx_parse.c - a PTX module as text: its variables, its functions, the names of its
 * source files.
 *
 * Bodies of functions are found by their braces and taken apart when they are needed.
 * What the text says is not trusted: sizes are limited, and what is no directive is an
 * error with its line. */
#include "ptx_int.h"

#include <stdlib.h>

#define MAX_BYTES (1ull << 32) /* of a variable */

static ww_status fail_at(ptx_module *p, const char *at, const char *what) {
  ww_status rc =
      ww_fail(p->e, WW_EPARSE, "%s: '%.*s'", what, (int)strcspn(at, "\n"), at);
  if (p->e) {
    p->e->file = p->path;
    p->e->line = ptx_line(p, at);
  }
  return rc;
}

/* ---- lines and comments ---- */

uint32_t ptx_line(const ptx_module *p, const char *at) {
  uint32_t low = 0;
  uint32_t high = p->nlines;
  while (high - low > 1) {
    uint32_t mid = (low + high) / 2;
    if (p->lines[mid] <= at - p->text)
      low = mid;
    else
      high = mid;
  }
  return low + 1;
}

static void find_lines(ptx_module *p, const char *text, size_t n) {
  uint32_t k = 1;
  for (size_t i = 0; i < n; i++)
    k += text[i] == '\n';
  p->lines = WW_NEWN(p->a, uint32_t, k);
  for (size_t i = 0; i < n; i++)
    if (text[i] == '\n')
      p->lines[++p->nlines] = i + 1;
  p->nlines++;
}

static void blank_comments(char *s) {
  for (; *s; s++) {
    bool line = s[0] == '/' && s[1] == '/', block = s[0] == '/' && s[1] == '*';
    if (*s == '"')
      for (s++; *s && *s != '"' && *s != '\n'; s++) {}
    while (line && *s && *s != '\n')
      *s++ = ' ';
    const char *end = block ? strstr(s + 2, "*/") : NULL;
    while (block && *s && s != end) {
      if (*s != '\n')
        *s = ' ';
      s++;
    }
    if (end)
      s[0] = s[1] = ' ';
    if (!*s)
      break;
  }
}

/* ---- words ---- */

static char *skip(char *c) {
  while (ww_is_space(*c))
    c++;
  return c;
}

/* ".align" and kin, or nothing. */
static size_t directive_at(const char *c) {
  return *c == '.' && ww_word_length(c + 1) ? 1 + ww_word_length(c + 1) : 0;
}

static bool is_word(const char *c, size_t n, const char *word) {
  return strlen(word) == n && !memcmp(c, word, n);
}

/* The word, where it is the next one: c behind it. */
static bool take(char **c, const char *word) {
  char *at = skip(*c);
  size_t n = directive_at(at) ? directive_at(at) : ptx_word(at);
  if (!is_word(at, n, word))
    return false;
  *c = at + n;
  return true;
}

static bool take_char(char **c, char which) {
  char *at = skip(*c);
  if (*at != which)
    return false;
  *c = at + 1;
  return true;
}

static bool take_number(char **c, uint64_t *out) {
  char *at = skip(*c);
  if (!ww_is_digit(*at))
    return false;
  *out = strtoull(at, c, 0);
  return true;
}

static char *take_name(ww_arena *a, char **c) {
  char *at = skip(*c);
  size_t n = ptx_word(at);
  *c = at + n;
  return n ? ww_strndup(a, at, n) : NULL;
}

/* Behind the bracket that closes the one at c; NULL: none does. */
static char *closed(char *c, char open, char close) {
  int depth = 0;
  for (; *c; c++) {
    if (*c == '"')
      for (c++; *c && *c != '"'; c++) {}
    depth += *c == open;
    if (*c == close && --depth == 0)
      return c + 1;
    if (!*c)
      break;
  }
  return NULL;
}

/* ---- variables ---- */

static bool take_space(char **c, ww_space *out) {
  for (int s = WW_GENERIC + 1; s < WW_NSPACES; s++) {
    char word[16];
    snprintf(word, sizeof word, ".%s", ww_space_names[s]);
    if (take(c, word)) {
      *out = s;
      return true;
    }
  }
  return false;
}

/* What may stand in front of a type: .align 8, .attribute(.managed), .ptr .global */
static bool take_quality(char **c, ptx_var *v) {
  uint64_t n;
  ww_space points;
  if (take(c, ".align")) {
    if (!take_number(c, &n))
      return false;
    if (!v->pointer)
      v->align = n > 0 && n <= 1024 ? n : 1;
    return true;
  }
  if (take(c, ".attribute")) {
    char *end = *skip(*c) == '(' ? closed(skip(*c), '(', ')') : NULL;
    if (end)
      *c = end;
    return end;
  }
  if (take(c, ".ptr")) {
    v->pointer = true;
    return true;
  }
  return v->pointer && take_space(c, &points);
}

static void take_type(char **c, ptx_var *v) {
  ptx_type t;
  char *at = skip(*c);
  size_t n = directive_at(at);
  char word[16] = "";
  if (!n || n >= sizeof word)
    return;
  memcpy(word, at + 1, n - 1);
  bool known = ptx_type_named(word, &t);
  if (!known && !strchr("busfvtp", *word))
    return;
  *c = at + n;
  if (*word == 'v' && ww_is_digit(word[1])) { /* .v4 .f32 */
    take_type(c, v);
    v->bytes *= atoi(word + 1);
    return;
  }
  v->type = !known ? WW_VOID : t.pair ? WW_I32 : t.t;
  v->untyped = *word == 'b' && ww_is_digit(word[1]);
  v->bytes = ww_type_bytes[v->type];
}

/* [16], [2][3], [] */
static bool take_sizes(char **c, ptx_var *v) {
  while (take_char(c, '[')) {
    uint64_t n = 0;
    v->array = true;
    take_number(c, &n);
    if (n > MAX_BYTES || v->bytes * n > MAX_BYTES || !take_char(c, ']'))
      return false;
    v->bytes *= n;
  }
  return true;
}

bool ptx_parse_var(ww_arena *a, char **c, ptx_var *out) {
  while (take_quality(c, out)) {}
  take_type(c, out);
  while (take_quality(c, out)) {}
  out->name = take_name(a, c);
  if (!out->align)
    out->align = ww_type_bytes[out->type] ? ww_type_bytes[out->type] : 1;
  return out->name && take_sizes(c, out);
}

bool ptx_parse_params(ww_arena *a, char **c, ptx_vars *out) {
  if (!take_char(c, '('))
    return false;
  while (!take_char(c, ')')) {
    ptx_var v = {0};
    bool in_register = take(c, ".reg");
    if ((!in_register && !take_space(c, &v.space)) || !ptx_parse_var(a, c, &v))
      return false;
    if (in_register)
      v.type = WW_VOID; /* as before ABIs: nobody does */
    ww_push(a, out, v);
    take_char(c, ',');
  }
  return true;
}

/* name, name[4] = {..}; behind the space */
static ww_status parse_vars(ptx_module *p, char **c, ptx_var like) {
  do {
    ptx_var v = like;
    bool fresh;
    char *at = *c;
    if (!ptx_parse_var(p->a, c, &v))
      return fail_at(p, at, "a variable was expected");
    like.type = v.type;
    like.align = v.align;
    like.bytes = ww_type_bytes[v.type];
    if (take_char(c, '=')) {
      char *from = skip(*c);
      char *end = *from == '{' ? closed(from, '{', '}') : from + strcspn(from, ",;");
      if (!end)
        return fail_at(p, at, "a brace is not closed");
      v.init = ww_strndup(p->a, from, end - from);
      *c = end;
    }
    ww_push(p->a, &p->vars, v);
    *ww_dict_at(&p->var_named, p->a, v.name, strlen(v.name), &fresh) = p->vars.n;
  } while (take_char(c, ','));
  if (!take_char(c, ';'))
    return fail_at(p, *c, "a semicolon was expected");
  return WW_OK;
}

/* ---- functions ---- */

/* .maxntid 256, 1, 1 */
static void take_numbers(char **c, uint64_t out[3]) {
  for (int k = 0; k < 3 && take_number(c, &out[k]); k++)
    if (!take_char(c, ','))
      break;
}

static void performance(char **c, ptx_function *f) {
  for (;;) {
    uint64_t n[3] = {1, 1, 1};
    char *at = *c = skip(*c);
    if (take(c, ".maxntid")) {
      take_numbers(c, n);
      f->max_threads = ww_least(n[0] * n[1] * n[2], 1 << 16);
    } else if (take(c, ".reqntid")) {
      take_numbers(c, n);
      for (int k = 0; k < 3; k++)
        f->req_block[k] = ww_least(n[k], 1 << 16);
    } else if (take(c, ".reqnctapercluster")) {
      take_numbers(c, n);
      for (int k = 0; k < 3; k++)
        f->cluster[k] = ww_least(n[k], 64);
    } else if (take(c, ".minnctapersm")) {
      take_numbers(c, n);
      f->min_blocks = ww_least(n[0], 64);
    } else if (take(c, ".pragma")) {
      *c += strcspn(*c, ";");
      take_char(c, ';');
    } else if (directive_at(at)) { /* .noreturn, .maxnreg 64 ... */
      *c = at + directive_at(at);
      take_numbers(c, n);
    } else
      return;
  }
}

static ww_status parse_function(ptx_module *p, char **c, bool entry) {
  ptx_function f = {.entry = entry, .line = ptx_line(p, *c)};
  char *at = skip(*c);
  if (*at == '(' && !ptx_parse_params(p->a, c, &f.results))
    return fail_at(p, at, "results were expected");
  f.name = take_name(p->a, c);
  if (!f.name)
    return fail_at(p, skip(*c), "the name of a function was expected");
  at = skip(*c);
  if (*at == '(' && !ptx_parse_params(p->a, c, &f.params))
    return fail_at(p, at, "parameters were expected");
  performance(c, &f);
  *c = skip(*c);
  if (**c == '{') {
    char *end = closed(*c, '{', '}');
    if (!end)
      return fail_at(p, *c, "a brace is not closed");
    f.body = *c + 1;
    end[-1] = 0;
    *c = end;
  } else if (!take_char(c, ';'))
    return fail_at(p, *c, "the body of a function was expected");
  bool fresh;
  uint32_t *index = ww_dict_at(&p->fn_named, p->a, f.name, strlen(f.name), &fresh);
  if (fresh) {
    ww_push(p->a, &p->fns, f);
    *index = p->fns.n;
  } else if (f.body && !p->fns.v[*index - 1].body) /* was declared before */
    p->fns.v[*index - 1] = f;
  return WW_OK;
}

/* ---- the module ---- */

/* .file 1 "/src/k.cu", 1700000000, 512 */
static void parse_file(ptx_module *p, char **c) {
  uint64_t number;
  char *at = *c;
  *c = at + strcspn(at, "\n");
  if (!take_number(&at, &number) || !take_char(&at, '"'))
    return;
  const char *path = ww_strndup(p->a, at, strcspn(at, "\"\n"));
  ww_push(p->a, &p->files, (struct ptx_file){number, path, 0});
}

static ww_status parse_declaration(ptx_module *p, char **c) {
  char *at = skip(*c);
  ptx_var v = {0};
  *c = at;
  for (bool link = true; link;) {
    link = take(c, ".visible") || take(c, ".weak") || take(c, ".common");
    if (take(c, ".extern"))
      link = v.external = true;
  }
  if (take(c, ".entry"))
    return parse_function(p, c, true);
  if (take(c, ".func"))
    return parse_function(p, c, false);
  if (take_space(c, &v.space))
    return parse_vars(p, c, v);
  if (take(c, ".tex") || take(c, ".texref") || take(c, ".surfref") ||
      take(c, ".samplerref"))
    return parse_vars(p, c, v);
  return fail_at(p, at, "a directive was expected");
}

static ww_status parse_one(ptx_module *p, char **c) {
  static const char *const lines[] = {".version", ".target", ".address_size", ".loc",
                                      NULL};
  for (const char *const *l = lines; *l; l++)
    if (take(c, *l)) {
      *c += strcspn(*c, "\n");
      return WW_OK;
    }
  if (take(c, ".file")) {
    parse_file(p, c);
    return WW_OK;
  }
  if (take(c, ".alias")) {
    bool fresh;
    const char *name = take_name(p->a, c);
    const char *of = take_char(c, ',') ? take_name(p->a, c) : NULL;
    if (name && of)
      *ww_dict_at(&p->aliases, p->a, name, strlen(name), &fresh) =
          ww_dict_find(&p->fn_named, of, strlen(of))
              ? *ww_dict_find(&p->fn_named, of, strlen(of))
              : 0;
    *c += strcspn(*c, ";");
    return WW_OK;
  }
  if (take(c, ".pragma")) {
    *c += strcspn(*c, ";");
    return WW_OK;
  }
  if (take(c, ".section")) {
    char *open = strchr(*c, '{');
    char *end = open ? closed(open, '{', '}') : NULL;
    if (!end)
      return fail_at(p, *c, "a section is not closed");
    *c = end;
    return WW_OK;
  }
  return parse_declaration(p, c);
}

ww_status ptx_parse_module(ptx_module *p, char *text, size_t n) {
  p->text = text;
  blank_comments(text);
  find_lines(p, text, n);
  ww_status rc = WW_OK;
  for (char *c = text; !rc;) {
    while (ww_is_space(*c) || *c == ';')
      c++;
    if (!*c)
      break;
    rc = parse_one(p, &c);
  }
  return rc;
}
