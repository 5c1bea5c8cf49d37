/* submit.c - what a submission may hold, and its way into the file. */
#include "submit.h"

#include "../base/words.h"
#include "pieces.h"

/* The file, and what of it is replaced. */
typedef struct {
  const ww_pieces *file;
  const ww_piece *old;
  ww_dialect dialect;
} target;

static ww_status
refuse(const ww_pieces *p, uint32_t token, ww_err *e, const char *what) {
  const ww_token *t = &p->tokens.v[token];
  return ww_fail(e, WW_EDATA, "line %u: `%.*s`: %s", ww_line_at(p->text, t->begin),
                 (int)ww_least(t->end - t->begin, 60), p->text + t->begin, what);
}

static const char *word_at(const ww_pieces *p, uint32_t k, ww_arena *a) {
  const ww_token *t = &p->tokens.v[k];
  return ww_strndup(a, p->text + t->begin, t->end - t->begin);
}

static char sign_at(const ww_pieces *p, uint32_t k) {
  return k < p->tokens.n && p->tokens.v[k].kind == WW_TOKEN_SIGN
             ? p->text[p->tokens.v[k].begin]
             : 0;
}

/* Is the token one of the words? */
static bool is_one_of(const ww_pieces *p, uint32_t k, const char *const *words) {
  while (*words && !ww_token_is(p, k, *words))
    words++;
  return *words;
}

static bool is_kernel(const ww_pieces *p, const ww_piece *x) {
  uint32_t end = x->function ? x->name : x->open;
  return ww_pieces_has(p, x->first, end, "__global__") ||
         ww_pieces_has(p, x->first, end, "__kernel") ||
         ww_pieces_has(p, x->first, end, "kernel");
}

/* By the words that stand first: further on, or inside of brackets, they may belong to
 * something else. */
static bool is_device_code(const ww_pieces *p, const ww_piece *x, ww_dialect dialect) {
  static const char *const lead[] = {
      "static",       "inline", "constexpr", "__forceinline__",
      "__noinline__", "extern", "\"C\"",     NULL};
  uint32_t k = x->head;
  while (is_one_of(p, k, lead))
    k++;
  return x->function && (dialect == WW_OPENCL || ww_token_is(p, k, "__global__") ||
                         ww_token_is(p, k, "__device__"));
}

/* Do the file's kernels and device functions have the word? Its host code says nothing:
 * most of it prints and allocates. */
static bool device_code_has(const target *to, const char *word) {
  for (uint32_t k = 0; k < to->file->v.n; k++) {
    const ww_piece *x = &to->file->v.v[k];
    if (is_device_code(to->file, x, to->dialect) &&
        ww_pieces_has(to->file, x->first, x->last, word))
      return true;
  }
  return false;
}

/* ---- words ---- */

static const char no_time[] = "a kernel does not ask for the time";

/* {word, why}: not in a submission, unless the file's device code has it. */
static const char *const banned[][2] = {
    {"__nanosleep", "a kernel does not wait"},
    {"printf", "a kernel does not print"},
    {"malloc", "a kernel allocates nothing"},
    {"free", "a kernel allocates nothing"},
    {"new", "a kernel allocates nothing"},
    {"delete", "a kernel allocates nothing"},
    {"__trap", "a kernel does not end the program"},
    {"__attribute__", "no attributes but __launch_bounds__"},
};
/* The same, whatever the file has. */
static const char *const never[][2] = {
    {"_Pragma", "write #pragma unroll"},
    {"__attribute", "no attributes but __launch_bounds__"},
    {"__declspec", "no attributes but __launch_bounds__"},
    {"__host__", "device code alone: the host code stays as it is"},
    {"__managed__", "no variables that outlive a launch"},
    {"thread_local", "no variables that outlive a launch"},
};

static bool names_a_timer(const char *text) {
  static const char *const timers[] = {"clock",        "globaltimer",  "memtime",
                                       "memrealtime",  "cyclecounter", "steadycounter",
                                       "shader_cycles"};
  for (size_t k = 0; k < WW_COUNT(timers); k++)
    if (strcasestr(text, timers[k]))
      return true;
  return false;
}

/* #pragma unroll and a number; a comment there could go beyond the line. */
static bool is_allowed_directive(const ww_pieces *p, const ww_token *t) {
  const char *s = p->text + t->begin + 1;
  s += strspn(s, " \t");
  if (!ww_starts(s, "pragma"))
    return false;
  s += 6 + strspn(s + 6, " \t");
  s += ww_starts(s, "no") ? 2 : 0;
  if (!ww_starts(s, "unroll") || ww_is_word(s[6]))
    return false;
  for (s += 6; s < p->text + t->end; s++)
    if (!ww_is_word(*s) && !strchr(" \t()", *s))
      return false;
  return true;
}

static ww_status
check_word(const ww_pieces *p, const target *to, uint32_t k, ww_arena *a, ww_err *e) {
  const char *s = p->text + p->tokens.v[k].begin;
  const char *word = word_at(p, k, a);
  for (size_t i = 0; i < WW_COUNT(never); i++)
    if (!strcmp(word, never[i][0]))
      return refuse(p, k, e, never[i][1]);
  for (size_t i = 0; i < WW_COUNT(banned); i++)
    if (!strcmp(word, banned[i][0]) && !device_code_has(to, word))
      return refuse(p, k, e, banned[i][1]);
  if (names_a_timer(word) && !device_code_has(to, word))
    return refuse(p, k, e, no_time);
  if (ww_starts(s, "cuda") && s[4] >= 'A' && s[4] <= 'Z')
    return refuse(p, k, e, "the runtime is the host's");
  return WW_OK;
}

/* Launches; another spelling of { } or #; a directive behind a comment; letters by
 * their number; attributes. */
static const char *bad_sign(const ww_pieces *p, uint32_t k) {
  const char *s = p->text + p->tokens.v[k].begin;
  if (ww_starts(s, "<<<") || ww_starts(s, "<%") || ww_starts(s, "%>") ||
      ww_starts(s, "%:"))
    return "not in a kernel: neither launches nor digraphs";
  if (*s == '#')
    return "no directives but #pragma unroll, on a line of its own";
  if (*s == '\\')
    return "no backslashes but in strings";
  if (*s == '[' && sign_at(p, k + 1) == '[')
    return "no attributes but __launch_bounds__";
  return NULL;
}

/* Letters by their number would hide what a string says. */
static bool has_numbered_letters(const char *s, const char *end) {
  for (; s < end; s++)
    if (*s == '\\' && !strchr("nt\\\"'", *++s))
      return true;
  return false;
}

/* All strings are looked at as one: the compiler joins those that stand side by side.
 */
static ww_status check_strings(const ww_pieces *p, ww_arena *a, ww_err *e) {
  ww_buf all = {0};
  uint32_t last = 0;
  for (uint32_t k = 0; k < p->tokens.n; k++) {
    const ww_token *t = &p->tokens.v[k];
    const char *s = p->text + t->begin;
    if (t->kind != WW_TOKEN_TEXT)
      continue;
    if (*s == '"' && has_numbered_letters(s, p->text + t->end)) {
      ww_buf_free(&all);
      return refuse(p, k, e, "no letters by their number");
    }
    ww_buf_add(&all, s + 1, t->end - t->begin - 2);
    last = k;
  }
  return all.n && names_a_timer(ww_buf_text(&all, a)) ? refuse(p, last, e, no_time)
                                                      : WW_OK;
}

static ww_status
check_tokens(const ww_pieces *p, const target *to, ww_arena *a, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < p->tokens.n; k++) {
    const ww_token *t = &p->tokens.v[k];
    const char *bad = t->kind == WW_TOKEN_SIGN ? bad_sign(p, k) : NULL;
    if (t->kind == WW_TOKEN_WORD)
      st = check_word(p, to, k, a, e);
    else if (t->kind == WW_TOKEN_DIRECTIVE && !is_allowed_directive(p, t))
      st = refuse(p, k, e,
                  "no directives but #pragma unroll: write constants as constexpr int");
    else if (bad)
      st = refuse(p, k, e, bad);
  }
  return st ? st : check_strings(p, a, e);
}

/* ---- names ---- */

/* The next name that a declaration declares, from token k on; UINT32_MAX: none. */
static uint32_t next_name(const ww_pieces *p, const ww_piece *x, uint32_t k) {
  bool value = false; /* behind = or the : of a base class */
  if (x->function)
    return k <= x->name ? x->name : UINT32_MAX;
  if (k <= x->head)
    k = x->head + x->type; /* the first word of a type is struct, using, ... */
  for (; k < x->last; k++) {
    char c = sign_at(p, k);
    char next = sign_at(p, k + 1);
    if (c == '=' || (c == ':' && x->type))
      value = true;
    else if (c == ',' || c == '{')
      value = false;
    if (c == '(' || c == '[' || (c == '{' && !ww_token_is(p, x->head, "enum")))
      k = ww_pieces_close(p, k) - 1;
    else if (p->tokens.v[k].kind == WW_TOKEN_WORD && !value && next &&
             strchr(x->type ? ",;=[{:<}" : ",;=[{", next))
      return k;
  }
  return UINT32_MAX;
}

/* Does the file have the word outside of the kernel that is replaced? */
static bool is_taken(const target *to, const char *word) {
  const ww_pieces *f = to->file;
  for (uint32_t k = 0; k < f->tokens.n; k++) {
    const ww_token *t = &f->tokens.v[k];
    const char *at =
        t->kind == WW_TOKEN_DIRECTIVE ? ww_find_word(f->text + t->begin, word) : NULL;
    bool here = at ? at < f->text + t->end : ww_token_is(f, k, word);
    if (here && (k < to->old->first || k >= to->old->last))
      return true;
  }
  return false;
}

/* A name that the file has would take the place of what the file means by it. */
static ww_status check_names(
    const ww_pieces *p, const ww_piece *x, const target *to, ww_arena *a, ww_err *e) {
  for (uint32_t k = 0; (k = next_name(p, x, k)) != UINT32_MAX; k++)
    if (is_taken(to, word_at(p, k, a)))
      return refuse(p, k, e, "the file has this name already: take another");
  return WW_OK;
}

/* ---- declarations ---- */

static bool is_extern_shared(const ww_pieces *p, uint32_t k) {
  while (k < p->tokens.n && sign_at(p, k) != ';' && !ww_token_is(p, k, "__shared__"))
    k++;
  return ww_token_is(p, k, "__shared__");
}

static ww_status check_body(const ww_pieces *p, uint32_t from, uint32_t to, ww_err *e) {
  for (uint32_t k = from; k < to; k++)
    if ((ww_token_is(p, k, "static") && !ww_token_is(p, k + 1, "constexpr")) ||
        (ww_token_is(p, k, "extern") && !is_extern_shared(p, k)))
      return refuse(p, k, e, "no variables that outlive a launch: use constexpr");
  return WW_OK;
}

/* Members: data, functions of the device, types that hold to the same. */
static ww_status
check_members(const ww_pieces *p, uint32_t from, uint32_t to, ww_err *e) {
  static const char *const types[] = {"struct", "union", "class", "enum", NULL};
  ww_status st = check_body(p, from, to, e);
  for (uint32_t k = from, first = from; !st && k < to; k++) {
    char c = sign_at(p, k);
    bool device = ww_pieces_has(p, first, k, "__device__");
    uint32_t behind = c == '(' || c == '[' || c == '{' ? ww_pieces_close(p, k) : k + 1;
    if (ww_token_is(p, k, "inline") || ww_token_is(p, k, "extern"))
      st = refuse(p, k, e, "no static members but constexpr");
    if (c == ';' ||
        (c == '{' && device && sign_at(p, behind) != '{' && sign_at(p, behind) != ','))
      first = behind;
    else if (c == '{' && !device) {
      bool type = is_one_of(p, first, types);
      st = type ? check_members(p, k + 1, behind - 1, e)
                : refuse(p, first, e, "functions of a type have to be __device__");
    }
    k = behind - 1;
  }
  return st;
}

/* struct name { ... }; with nothing behind the brace. */
static ww_status check_type(const ww_pieces *p, const ww_piece *x, ww_err *e) {
  static const char *const plain[] = {"using", "typedef", "static_assert", NULL};
  if (ww_token_is(p, x->head + 1, "namespace"))
    return refuse(p, x->head, e, "no namespaces");
  if (is_one_of(p, x->head, plain))
    return x->open < x->last ? refuse(p, x->head, e, "no braces here") : WW_OK;
  if (x->open < x->last && !ww_token_is(p, x->last - 2, "}"))
    return refuse(p, x->last - 2, e, "no objects outside of functions");
  return x->open < x->last ? check_members(p, x->open + 1, x->last - 2, e) : WW_OK;
}

/* A number with a name: const int tile = 16. Its value is worked out by the compiler.
 */
static bool is_plain_constant(const ww_pieces *p, const ww_piece *x) {
  static const char *const words[] = {"const",  "unsigned", "int",     "long", "short",
                                      "char",   "float",    "double",  "bool", "signed",
                                      "size_t", "uint32_t", "int32_t", NULL};
  uint32_t k = x->first;
  while (is_one_of(p, k, words))
    k++;
  if (!ww_pieces_has(p, x->first, k, "const") || !ww_token_is(p, k + 1, "="))
    return false;
  for (k += 2; k < x->last; k++) {
    char c = sign_at(p, k);
    if (c && (strchr("({,=", c) || ((c == '+' || c == '-') && sign_at(p, k + 1) == c)))
      return false;
  }
  return true;
}

/* What stands first makes all that follow constants; elsewhere it would not. */
static bool is_constant(const ww_pieces *p, const ww_piece *x, ww_dialect dialect) {
  static const char *const lead[] = {"static", "const", "inline", "__device__", NULL};
  uint32_t k = x->head;
  while (is_one_of(p, k, lead))
    k++;
  if (dialect == WW_OPENCL)
    return ww_token_is(p, k, "__constant") || ww_token_is(p, k, "constant") ||
           is_plain_constant(p, x);
  return ww_token_is(p, k, "constexpr") || ww_token_is(p, k, "__constant__") ||
         is_plain_constant(p, x);
}

/* A name behind a type, and a body: `__device__ int seen(0)` is a variable. */
static bool is_definition(const ww_pieces *p, const ww_piece *x) {
  static const char *const no_type[] = {"static",       "inline",     "constexpr",
                                        "const",        "volatile",   "extern",
                                        "__device__",   "__global__", "__forceinline__",
                                        "__noinline__", "struct",     "class",
                                        "union",        "enum",       "typename",
                                        "explicit",     NULL};
  static const char *const no_name[] = {
      "int",  "unsigned", "signed",   "long", "short",    "char",  "float", "double",
      "bool", "void",     "volatile", "auto", "__int128", "const", NULL};
  bool typed = false;
  for (uint32_t k = x->head; k < x->name; k++) {
    char c = sign_at(p, k);
    if (c == '(')
      k = ww_pieces_close(p, k) - 1;
    else if (p->tokens.v[k].kind == WW_TOKEN_WORD && sign_at(p, k + 1) != '(')
      typed |= !is_one_of(p, k, no_type);
  }
  return typed && x->open < x->last && sign_at(p, x->name - 1) != ':' &&
         !is_one_of(p, x->name, no_name);
}

static ww_status
check_piece(const ww_pieces *p, const ww_piece *x, ww_dialect dialect, ww_err *e) {
  static const char *const types[] = {"struct", "union", "class", "enum", NULL};
  if (x->type)
    return check_type(p, x, e);
  if (!x->function && !is_constant(p, x, dialect))
    return refuse(p, x->first, e, "no objects outside of functions but constants");
  for (uint32_t k = x->first; k < x->open; k++)
    if (is_one_of(p, k, types) && !x->function)
      return refuse(p, k, e, "a type is a declaration of its own");
  if (!x->function)
    return WW_OK;
  if (!is_device_code(p, x, dialect))
    return refuse(p, x->name, e,
                  "host code: a submission is the kernel and __device__ functions");
  if (!is_definition(p, x))
    return refuse(p, x->name, e, "no functions without a body, and no variables");
  return check_body(p, x->open, x->last, e);
}

/* Device variables of the file that its kernels do not use would be state that outlives
 * a launch where no comparison looks. */
static ww_status
check_variables(const ww_pieces *p, const target *to, ww_arena *a, ww_err *e) {
  const ww_pieces *f = to->file;
  for (uint32_t i = 0; i < f->v.n; i++) {
    const ww_piece *x = &f->v.v[i];
    if (x->function || x->type ||
        (!ww_pieces_has(f, x->first, x->last, "__device__") &&
         !ww_pieces_has(f, x->first, x->last, "__managed__")))
      continue;
    for (uint32_t k = 0; (k = next_name(f, x, k)) != UINT32_MAX; k++) {
      const char *name = word_at(f, k, a);
      for (uint32_t t = 0; t < p->tokens.n && !device_code_has(to, name); t++)
        if (ww_token_is(p, t, name))
          return refuse(p, t, e, "a variable of the file that its kernels do not use");
    }
  }
  return WW_OK;
}

/* ---- the kernel ---- */

static const ww_piece *find_kernel(const ww_pieces *p, const char *name, uint32_t *n) {
  const ww_piece *out = NULL;
  *n = 0;
  for (uint32_t k = 0; k < p->v.n; k++) {
    const ww_piece *x = &p->v.v[k];
    if (!x->function || !is_kernel(p, x) || x->open == x->last)
      continue;
    if (!name || ww_token_is(p, x->name, name)) {
      out = x;
      ++*n;
    }
  }
  return out;
}

static bool is_qualifier(const ww_pieces *p, uint32_t k) {
  return ww_token_is(p, k, "const") || ww_token_is(p, k, "__restrict__") ||
         ww_token_is(p, k, "__restrict") || ww_token_is(p, k, "restrict");
}

static uint32_t next_plain(const ww_pieces *p, uint32_t k, uint32_t end) {
  while (k < end && is_qualifier(p, k))
    k++;
  return k;
}

static bool same_tokens(const ww_pieces *p,
                        uint32_t i,
                        uint32_t iend,
                        const ww_pieces *q,
                        uint32_t j,
                        uint32_t jend) {
  for (;; i++, j++) {
    i = next_plain(p, i, iend);
    j = next_plain(q, j, jend);
    if (i >= iend || j >= jend)
      return i >= iend && j >= jend;
    const ww_token *t = &p->tokens.v[i];
    const ww_token *u = &q->tokens.v[j];
    if (t->end - t->begin != u->end - u->begin ||
        memcmp(p->text + t->begin, q->text + u->begin, t->end - t->begin) != 0)
      return false;
  }
}

static ww_status check_kernel(const ww_pieces *p,
                              const ww_piece *x,
                              const ww_pieces *file,
                              const ww_piece *old,
                              ww_err *e) {
  uint32_t from = file->tokens.v[old->params[0] - 1].begin;
  uint32_t to = file->tokens.v[old->params[1]].end;
  if (!same_tokens(p, x->params[0], x->params[1], file, old->params[0],
                   old->params[1]) ||
      !same_tokens(p, x->first, x->head, file, old->first, old->head))
    return ww_fail(e, WW_EDATA, "the kernel's parameters have to stay: %.*s",
                   (int)(to - from), file->text + from);
  if (ww_pieces_has(p, x->first, x->name, "extern") !=
      ww_pieces_has(file, old->first, old->name, "extern"))
    return ww_fail(e, WW_EDATA,
                   "the kernel has to be extern \"C\" where it was, and "
                   "only there");
  return WW_OK;
}

/* ---- together ---- */

/* One newline, and printable ASCII: what a reader sees is what a compiler sees. */
static ww_status clean(const char *source, ww_arena *a, const char **out, ww_err *e) {
  size_t n = strlen(source);
  if (n > WW_SUBMIT_MOST)
    return ww_fail(e, WW_EDATA, "the source is longer than %u KB",
                   WW_SUBMIT_MOST >> 10);
  char *s = ww_strdup(a, source);
  for (size_t k = 0; k < n; k++) {
    if (s[k] == '\r')
      s[k] = s[k + 1] == '\n' ? ' ' : '\n';
    else if ((s[k] < ' ' && s[k] != '\n' && s[k] != '\t') || s[k] == 127)
      s[k] = (unsigned char)s[k] >= 128 ? '.' : ' ';
  }
  for (const char *p = s; (p = strchr(p, '\\')); p++)
    if (p[1 + strspn(p + 1, " \t")] == '\n')
      return ww_fail(e, WW_EDATA, "line %u: no line ends in a backslash",
                     ww_line_at(s, p - s));
  if (strstr(s, "??"))
    return ww_fail(e, WW_EDATA, "`??` is not understood here");
  if (strstr(s, "warpwise:"))
    return ww_fail(e, WW_EDATA,
                   "no `warpwise:` comment: `block` and `covers` give the "
                   "launch, arguments stay");
  *out = s;
  return WW_OK;
}

/* Where the comment lines begin that stand right above. */
static uint32_t above_comments(const char *text, uint32_t at) {
  for (;;) {
    uint32_t line = at;
    while (line && text[line - 1] != '\n')
      line--;
    if (line != at && strspn(text + line, " \t") < at - line)
      return at; /* something stands before it on the line */
    at = line;
    uint32_t before = line ? line - 1 : 0;
    while (before && text[before - 1] != '\n')
      before--;
    const char *s = text + before;
    if (!line || !ww_starts(s + strspn(s, " \t"), "//"))
      return at;
    at = before;
  }
}

static const char *splice(const ww_pieces *file,
                          const ww_piece *old,
                          const ww_pieces *p,
                          const ww_piece *x,
                          ww_arena *a,
                          uint32_t *line) {
  uint32_t was[2] = {file->tokens.v[old->first].begin,
                     file->tokens.v[old->last - 1].end};
  uint32_t now[2] = {p->tokens.v[x->first].begin, p->tokens.v[x->last - 1].end};
  uint32_t top = above_comments(file->text, was[0]);
  ww_buf out = {0};
  ww_buf_add(&out, file->text, top);
  ww_buf_add(&out, p->text, now[0]);
  if (now[0] && out.s[out.n - 1] != '\n')
    ww_buf_puts(&out, "\n");
  ww_buf_add(&out, file->text + top, was[0] - top);
  *line = 1;
  for (size_t k = 0; k < out.n; k++)
    *line += out.s[k] == '\n';
  ww_buf_add(&out, p->text + now[0], now[1] - now[0]);
  if (p->text[now[1]])
    ww_buf_fmt(&out, "%s\n", p->text + now[1]);
  ww_buf_puts(&out, file->text + was[1]);
  return ww_buf_text(&out, a);
}

const char *ww_submit_put(const char *file,
                          const char *kernel,
                          ww_dialect dialect,
                          const char *source,
                          ww_arena *a,
                          uint32_t *line,
                          ww_err *e) {
  ww_pieces whole;
  ww_pieces part;
  uint32_t n;
  uint32_t all;
  ww_err why = {0};
  if (dialect == WW_OPENMP || ww_pieces_cut(file, a, &whole, &why)) {
    ww_fail(e, WW_EUNSUPPORTED,
            "the kernel of this file cannot be replaced (%s): "
            "use apply_rewrite",
            why.code ? why.msg : "it is part of the host code");
    return NULL;
  }
  const ww_piece *old = find_kernel(&whole, kernel, &n);
  if (n != 1) {
    ww_fail(e, WW_EUNSUPPORTED,
            "the file has %u definitions of %s that can be seen: use apply_rewrite", n,
            kernel);
    return NULL;
  }
  target to = {&whole, old, dialect};
  if (clean(source, a, &source, e) || ww_pieces_cut(source, a, &part, e) ||
      check_tokens(&part, &to, a, e))
    return NULL;
  if (part.blocks) {
    ww_fail(e, WW_EDATA, "no namespace and no extern \"C\" { } around the kernel");
    return NULL;
  }
  const ww_piece *now = find_kernel(&part, NULL, &all);
  for (uint32_t k = 0; k < part.v.n; k++)
    if (check_piece(&part, &part.v.v[k], dialect, e))
      return NULL;
  if (all != 1 || !ww_token_is(&part, now->name, kernel)) {
    ww_fail(e, WW_EDATA, "the source has to hold one kernel, named %s; it holds %u%s",
            kernel, all, all == 1 ? " of another name" : "");
    return NULL;
  }
  for (uint32_t k = 0; k < part.v.n; k++)
    if (&part.v.v[k] != now && check_names(&part, &part.v.v[k], &to, a, e))
      return NULL;
  if (check_variables(&part, &to, a, e))
    return NULL;
  return check_kernel(&part, now, &whole, old, e)
             ? NULL
             : splice(&whole, old, &part, now, a, line);
}
