/* submit.c - what a submission may hold, and its way into the file. */
#include "submit.h"

#include "pieces.h"

static ww_status
refuse(const ww_pieces *p, uint32_t token, ww_err *e, const char *what) {
  const ww_token *t = &p->tokens.v[token];
  return ww_fail(e, WW_EDATA, "line %u: `%.*s`: %s", ww_line_at(p->text, t->begin),
                 (int)ww_least(t->end - t->begin, 60), p->text + t->begin, what);
}

/* ---- words ---- */

/* {word, why}: neither in the kernel nor in its functions, unless the file has it. */
static const char *const banned[][2] = {
    {"clock", "a kernel does not ask for the time"},
    {"clock64", "a kernel does not ask for the time"},
    {"__clock", "a kernel does not ask for the time"},
    {"__clock64", "a kernel does not ask for the time"},
    {"wall_clock64", "a kernel does not ask for the time"},
    {"__builtin_readcyclecounter", "a kernel does not ask for the time"},
    {"__globaltimer", "a kernel does not ask for the time"},
    {"__nanosleep", "a kernel does not wait"},
    {"printf", "a kernel does not print"},
    {"malloc", "a kernel allocates nothing"},
    {"free", "a kernel allocates nothing"},
    {"new", "a kernel allocates nothing"},
    {"delete", "a kernel allocates nothing"},
    {"__trap", "a kernel does not end the program"},
    {"_Pragma", "write #pragma unroll"},
    {"__attribute__", "no attributes but __launch_bounds__"},
    {"__host__", "device code alone: the host code stays as it is"},
    {"__managed__", "no variables that outlive a launch"},
    {"thread_local", "no variables that outlive a launch"},
    {"namespace", "no namespaces: write the kernel as it stands in the file"},
};

static bool is_allowed_directive(const char *text) {
  text++;
  text += strspn(text, " \t");
  if (!ww_starts(text, "pragma"))
    return false;
  text += 6 + strspn(text + 6, " \t");
  return ww_starts(text, "unroll") || ww_starts(text, "nounroll");
}

static bool is_launch(const ww_pieces *p, uint32_t k) {
  return ww_token_is(p, k, "<") && ww_token_is(p, k + 1, "<") &&
         ww_token_is(p, k + 2, "<");
}

/* Another spelling of { } or #. */
static bool is_digraph(const ww_pieces *p, uint32_t k) {
  const char *s = p->text + p->tokens.v[k].begin;
  return ww_starts(s, "<%") || ww_starts(s, "%>") || ww_starts(s, "%:");
}

static bool names_a_timer(const ww_pieces *p, const ww_token *t) {
  ww_buf text = {0};
  ww_buf_add(&text, p->text + t->begin, t->end - t->begin);
  ww_buf_puts(&text, "");
  bool out = strstr(text.s, "clock") || strstr(text.s, "globaltimer");
  ww_buf_free(&text);
  return out;
}

static ww_status
check_word(const ww_pieces *p, const ww_pieces *file, uint32_t k, ww_err *e) {
  const char *s = p->text + p->tokens.v[k].begin;
  for (size_t i = 0; i < WW_COUNT(banned); i++)
    if (ww_token_is(p, k, banned[i][0]) &&
        !ww_pieces_has(file, 0, file->tokens.n, banned[i][0]))
      return refuse(p, k, e, banned[i][1]);
  if (ww_starts(s, "cuda") && s[4] >= 'A' && s[4] <= 'Z')
    return refuse(p, k, e, "the runtime is the host's");
  if (ww_token_is(p, k, "static") && !ww_token_is(p, k + 1, "constexpr") &&
      !ww_token_is(p, k + 1, "__device__") && !ww_token_is(p, k + 1, "inline") &&
      !ww_token_is(p, k + 1, "__global__") && !ww_token_is(p, k + 1, "__forceinline__"))
    return refuse(p, k, e, "no variables that outlive a launch: use constexpr");
  return WW_OK;
}

static ww_status check_tokens(const ww_pieces *p, const ww_pieces *file, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < p->tokens.n; k++) {
    const ww_token *t = &p->tokens.v[k];
    if (t->kind == WW_TOKEN_WORD)
      st = check_word(p, file, k, e);
    else if (t->kind == WW_TOKEN_DIRECTIVE && !is_allowed_directive(p->text + t->begin))
      st = refuse(p, k, e,
                  "no directives but #pragma unroll: write constants as constexpr int");
    else if (t->kind == WW_TOKEN_TEXT && names_a_timer(p, t))
      st = refuse(p, k, e, "a kernel does not ask for the time");
    else if (t->kind == WW_TOKEN_SIGN && (is_launch(p, k) || is_digraph(p, k)))
      st = refuse(p, k, e, "not in a kernel: neither launches nor digraphs");
  }
  return st;
}

/* ---- declarations ---- */

static bool is_kernel(const ww_pieces *p, const ww_piece *x) {
  uint32_t end = x->function ? x->name : x->open;
  return ww_pieces_has(p, x->first, end, "__global__") ||
         ww_pieces_has(p, x->first, end, "__kernel") ||
         ww_pieces_has(p, x->first, end, "kernel");
}

/* struct name { ... }; with nothing behind the brace, and no object inside that lives
 * on. */
static ww_status check_type(const ww_pieces *p, const ww_piece *x, ww_err *e) {
  if (ww_token_is(p, x->head, "using") || ww_token_is(p, x->head, "typedef") ||
      ww_token_is(p, x->head, "static_assert"))
    return WW_OK;
  if (x->open < x->last && !ww_token_is(p, x->last - 2, "}"))
    return refuse(p, x->last - 2, e, "no objects outside of functions");
  for (uint32_t k = x->open; k < x->last; k++)
    if (ww_token_is(p, k, "inline") || ww_token_is(p, k, "extern") ||
        (ww_token_is(p, k, "static") && !ww_token_is(p, k + 1, "constexpr")))
      return refuse(p, k, e, "no static members but constexpr");
  return WW_OK;
}

/* A number with a name: const int tile = 16. Its value is worked out by the compiler.
 */
static bool is_plain_constant(const ww_pieces *p, const ww_piece *x) {
  static const char *const words[] = {"const",  "unsigned", "int",    "long", "short",
                                      "char",   "float",    "double", "bool", "signed",
                                      "size_t", "uint32_t", "int32_t"};
  uint32_t k = x->first;
  for (bool known = true; known; k += known) {
    known = false;
    for (size_t i = 0; i < WW_COUNT(words); i++)
      known |= ww_token_is(p, k, words[i]);
  }
  if (!ww_pieces_has(p, x->first, k, "const") || !ww_token_is(p, k + 1, "="))
    return false;
  for (; k < x->last; k++)
    if (ww_token_is(p, k, "(") || ww_token_is(p, k, "{") || ww_token_is(p, k, ","))
      return false;
  return true;
}

static bool is_constant(const ww_pieces *p, const ww_piece *x) {
  return ww_pieces_has(p, x->first, x->last, "constexpr") ||
         ww_pieces_has(p, x->first, x->last, "__constant__") ||
         ww_pieces_has(p, x->first, x->last, "__constant") ||
         ww_pieces_has(p, x->first, x->last, "constant") || is_plain_constant(p, x);
}

static ww_status
check_piece(const ww_pieces *p, const ww_piece *x, ww_dialect dialect, ww_err *e) {
  static const char *const types[] = {"struct", "union",   "class",        "enum",
                                      "using",  "typedef", "static_assert"};
  for (size_t i = 0; i < WW_COUNT(types); i++)
    if (ww_token_is(p, x->head, types[i]))
      return ww_token_is(p, x->head + 1, "namespace")
                 ? refuse(p, x->head, e, "no namespaces")
                 : check_type(p, x, e);
  if (!x->function)
    return is_constant(p, x) ? WW_OK
                             : refuse(p, x->first, e,
                                      "no objects outside of functions but constants");
  if (dialect == WW_OPENCL || is_kernel(p, x) ||
      ww_pieces_has(p, x->first, x->name, "__device__"))
    return WW_OK;
  return refuse(p, x->name, e,
                "host code: a submission is the kernel and __device__ functions");
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
  if (clean(source, a, &source, e) || ww_pieces_cut(source, a, &part, e) ||
      check_tokens(&part, &whole, e))
    return NULL;
  if (part.blocks) {
    ww_fail(e, WW_EDATA, "no namespace and no extern \"C\" { } around the kernel");
    return NULL;
  }
  for (uint32_t k = 0; k < part.v.n; k++)
    if (check_piece(&part, &part.v.v[k], dialect, e))
      return NULL;
  const ww_piece *now = find_kernel(&part, NULL, &all);
  if (all != 1 || !ww_token_is(&part, now->name, kernel)) {
    ww_fail(e, WW_EDATA, "the source has to hold one kernel, named %s; it holds %u%s",
            kernel, all, all == 1 ? " of another name" : "");
    return NULL;
  }
  return check_kernel(&part, now, &whole, old, e)
             ? NULL
             : splice(&whole, old, &part, now, a, line);
}
