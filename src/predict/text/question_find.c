/* question_find.c - which kernel of a source is meant, however it is made there.
 *
 * A launch names a kernel plainly, mangled, with template arguments, or as an OpenMP
 * runtime does. The source may define it under that name; under a macro that stands
 * for the name or for its attributes; by a macro that is given the name; or in a string
 * that is compiled when the program runs. What such macros and strings make is put
 * behind the text and looked through again. What is nowhere a function is a range of
 * the text around its name: the question then has its words alone.
 *
 * Workload: most kernels are found by the first look; everything behind it is bounded
 * by MADE_MOST and RAW_MOST bytes. */
#include <stdlib.h>

#include "../../base/words.h"
#include "../../front/ptx.h"
#include "question_find.h"

enum { MADE_MOST = 1 << 19, RAW_MOST = 12000, MAKERS_MOST = 256, NESTED_MOST = 8 };

/* ---- names ---- */

/* The last name of a mangled one behind its _Z, N2ns3fooILi4EEEvPf: foo. NULL: none
 * that is plain to see. */
static const char *unmangled(const char *s, ww_arena *a) {
  const char *name = NULL;
  size_t n = 0;
  s += strspn(s, "NKL");
  while (ww_is_digit(*s) || *s == 'S') {
    if (*s == 'S') { /* St, S_, S0_ */
      size_t more = s[1] == 't' || s[1] == '_' ? 2 : 3;
      s += strnlen(s, more);
      continue;
    }
    char *at;
    n = strtoul(s, &at, 10);
    if (n > strlen(at))
      return NULL;
    name = at;
    s = at + n;
  }
  return name ? ww_strndup(a, name, n) : NULL;
}

/* `void ns::foo<4>(float*)`: foo. */
static const char *unqualified(const char *s, ww_arena *a) {
  size_t n = strcspn(s, "<(");
  while (n && !ww_is_word(s[n - 1]))
    n--;
  size_t from = n;
  while (from && ww_is_word(s[from - 1]))
    from--;
  return ww_strndup(a, s + from, n - from);
}

static const char *plain_name(const char *wanted, ww_arena *a) {
  const char *plain = NULL;
  const char *omp =
      ww_starts(wanted, "__omp_offloading") ? strstr(wanted, "__Z") : NULL;
  if (omp || ww_starts(wanted, "_Z"))
    plain = unmangled(omp ? omp + 3 : wanted + 2, a);
  return plain ? plain : unqualified(wanted, a);
}

/* Is `name` what a launch calls `wanted`: plain, with template arguments, or mangled?
 */
static bool means(const char *wanted, const char *name) {
  size_t n = strlen(name);
  if (!strncmp(wanted, name, n) && (!wanted[n] || wanted[n] == '<' || wanted[n] == '('))
    return true;
  if (ww_starts(wanted, "_Z")) {
    char part[160];
    int m = snprintf(part, sizeof part, "%zu%.120s", n, name);
    const char *at = strstr(wanted, part);
    return at && at - wanted >= 2 && !isdigit((unsigned char)at[-1]) && at[m] != 0;
  }
  /* of two numbers, the name and the line, with _ between them */
  static const char omp[] = "__omp_offloading";
  if (!ww_starts(wanted, omp))
    return false;
  for (const char *at = wanted + sizeof omp - 1; (at = strstr(at, name)); at++)
    if (at[-1] == '_' && at[n] == '_')
      return true;
  return false;
}

/* ---- kernels ---- */

static bool has_target(const ww_scan *s, const ww_decl *d) {
  for (uint32_t i = d->body; d->body && i < d->body_end; i++)
    if (s->kind[i] == WW_BYTE_DIRECTIVE) {
      uint32_t end = i;
      while (end < d->body_end && s->kind[end] == WW_BYTE_DIRECTIVE)
        end++;
      if (memmem(s->text + i, end - i, "target", 6) &&
          memmem(s->text + i, end - i, "omp", 3))
        return true;
      i = end;
    }
  return false;
}

bool ww_qkernel_is(const ww_scan *s, const ww_decl *d) {
  return d->name && d->body && (d->kernel || has_target(s, d));
}

typedef struct {
  ww_scan *scan;
  ww_qlex *lex;
  const char *wanted, *plain; /* NULL: no name was given */
  const char *const *flags;
  uint32_t nflags;
  ww_arena *a;
} finder;

/* The words that stand before a function's body, with macros replaced: its name may
 * be one, or what a macro was given. */
static bool is_headed(const finder *f, const ww_decl *d) {
  ww_qtokens t = {0};
  uint32_t to = d->body < d->begin + 600 ? d->body : d->begin + 600;
  ww_qlex_range(f->lex, d->begin, to, true, &t);
  for (uint32_t i = 0; i < t.n; i++)
    if (ww_qtoken_is(&t.v[i], f->plain))
      return true;
  return false;
}

typedef bool match(const finder *f, const ww_decl *d);

static bool same_kernel(const finder *f, const ww_decl *d) {
  return ww_qkernel_is(f->scan, d) && !strcmp(d->name, f->plain);
}
static bool meant_kernel(const finder *f, const ww_decl *d) {
  return ww_qkernel_is(f->scan, d) && means(f->wanted, d->name);
}
static bool renamed_kernel(const finder *f, const ww_decl *d) {
  return d->kernel && d->name && d->body && is_headed(f, d);
}
static bool same_function(const finder *f, const ww_decl *d) {
  return d->name && d->body && !strcmp(d->name, f->plain);
}
static bool headed_function(const finder *f, const ww_decl *d) {
  uint32_t n = strlen(f->plain);
  for (uint32_t i = d->begin; d->name && d->body && i + n <= d->body; i++)
    if (f->scan->kind[i] == WW_BYTE_CODE && !memcmp(f->scan->text + i, f->plain, n) &&
        !ww_is_word(f->scan->text[i + n]) && !(i && ww_is_word(f->scan->text[i - 1])))
      return i < d->params || i >= d->params_end;
  return false;
}

/* The first declaration by the strictest rule that holds for any; -1: none. */
static int32_t named(const finder *f) {
  static match *const rules[] = {same_kernel, meant_kernel, renamed_kernel,
                                 same_function, headed_function};
  for (size_t k = 0; *f->plain && k < sizeof rules / sizeof *rules; k++)
    for (uint32_t i = 0; i < f->scan->ndecls; i++)
      if (rules[k](f, &f->scan->decls[i]))
        return i;
  return -1;
}

typedef struct {
  uint32_t kernels, hosts; /* functions with target regions */
  int32_t kernel, host;    /* the last ones */
} census;

static census count(const ww_scan *s) {
  census c = {.kernel = -1, .host = -1};
  for (uint32_t i = 0; i < s->ndecls; i++) {
    const ww_decl *d = &s->decls[i];
    if (!ww_qkernel_is(s, d))
      continue;
    *(d->kernel ? &c.kernel : &c.host) = i;
    *(d->kernel ? &c.kernels : &c.hosts) += 1;
  }
  return c;
}

static int32_t only(const ww_scan *s) {
  census c = count(s);
  return c.kernels == 1 ? c.kernel : !c.kernels && c.hosts == 1 ? c.host : -1;
}

/* ---- kernels that are made ---- */

/* Macros with a kernel in them, by themselves or by another such macro. */
static uint32_t find_makers(const ww_qlex *l, const char **out) {
  uint32_t n = 0;
  bool more = true;
  for (int depth = 0; more && depth < NESTED_MOST; depth++) {
    more = false;
    for (uint32_t i = 0; i < l->macros.n && n < MAKERS_MOST; i++) {
      const ww_qmacro *m = &l->macros.v[i];
      bool known = !m->function || !m->name.n;
      bool makes = false;
      for (uint32_t k = 0; k < n && !known; k++)
        known = ww_qtoken_is(&m->name, out[k]);
      for (uint32_t t = 0; t < m->body.n && !known && !makes; t++) {
        makes = ww_qtoken_in(&m->body.v[t], "__global__ __kernel kernel");
        for (uint32_t k = 0; k < n && !makes; k++)
          makes = ww_qtoken_is(&m->body.v[t], out[k]);
      }
      if (!makes)
        continue;
      out[n++] = ww_strndup(l->a, m->name.s, m->name.n);
      more = true;
    }
  }
  return n;
}

static void print_tokens(const ww_qtokens *t, ww_buf *b) {
  for (uint32_t i = 0; i < t->n && b->n < MADE_MOST; i++) {
    ww_buf_add(b, t->v[i].s, t->v[i].n);
    ww_buf_puts(b, i % 16 == 15 || t->v[i].op == ';' ? "\n" : " ");
  }
}

/* One past the bracket that closes the one at i, at most `end`. */
static uint32_t close_of(const ww_scan *s, uint32_t i, uint32_t end) {
  int depth = 0;
  for (; i < end; i++) {
    if (s->kind[i] != WW_BYTE_CODE)
      continue;
    depth += s->text[i] == '(';
    depth -= s->text[i] == ')';
    if (!depth)
      return i + 1;
  }
  return end;
}

static bool is_one_of(const char *s, uint32_t n, const char **words, uint32_t nwords) {
  for (uint32_t k = 0; k < nwords; k++)
    if (strlen(words[k]) == n && !memcmp(words[k], s, n))
      return true;
  return false;
}

/* What uses of these macros become. */
static void made_by_macros(const finder *f, ww_buf *b) {
  const ww_scan *s = f->scan;
  const char *makers[MAKERS_MOST];
  uint32_t nmakers = find_makers(f->lex, makers);
  for (uint32_t i = 0; nmakers && i < s->n && b->n < MADE_MOST; i++) {
    uint32_t n = 0;
    while (s->kind[i] == WW_BYTE_CODE && i + n < s->n && ww_is_word(s->text[i + n]))
      n++;
    if (!n)
      continue;
    uint32_t open = i + n;
    while (open < s->n && ww_is_space(s->text[open]))
      open++;
    if (open < s->n && s->text[open] == '(' &&
        is_one_of(s->text + i, n, makers, nmakers)) {
      uint32_t end = open + 20000 < s->n ? open + 20000 : s->n;
      ww_qtokens t = {0};
      ww_qlex_range(f->lex, i, close_of(s, open, end), true, &t);
      print_tokens(&t, b);
      ww_buf_puts(b, "\n;\n");
    }
    i += n - 1;
  }
}

/* Strings one after the other as the compiler of the text in them gets it. */
static void made_by_strings(const finder *f, ww_buf *b) {
  const ww_scan *s = f->scan;
  for (uint32_t i = 0; i < s->n && b->n < MADE_MOST; i++) {
    if (s->kind[i] != WW_BYTE_STRING || s->text[i] != '"')
      continue;
    uint32_t end = i + 1;
    while (end < s->n && s->kind[end] == WW_BYTE_STRING && s->text[end - 1] != '\n')
      end++;
    bool raw = i && s->text[i - 1] == 'R';
    uint32_t from = i + 1;
    uint32_t to = end - 1;
    while (raw && from < to && s->text[from - 1] != '(')
      from++;
    while (raw && to > from && s->text[to] != ')')
      to--;
    for (uint32_t k = from; k < to; k++) {
      bool escape = !raw && s->text[k] == '\\' && k + 1 < to;
      char c = s->text[k += escape];
      ww_buf_fmt(b, "%c", escape && strchr("nrt", c) && c ? '\n' : c);
    }
    ww_buf_puts(b, raw ? "\n" : "");
    i = end - 1;
  }
}

/* The text with more behind it takes its place; false: there is no more. */
static bool extend(finder *f, ww_buf *more) {
  bool any = more->n > 0;
  if (any) {
    ww_buf all = {0};
    ww_buf_add(&all, f->scan->text, f->scan->n);
    ww_buf_puts(&all, "\n");
    ww_buf_add(&all, more->s, more->n);
    size_t n = all.n;
    ww_scan_source(ww_buf_text(&all, f->a), n, f->a, f->scan);
    *f->lex = (ww_qlex){.scan = f->scan, .a = f->a};
    ww_qlex_macros(f->lex, f->flags, f->nflags);
  }
  ww_buf_free(more);
  return any;
}

static int32_t look(const finder *f) {
  return f->wanted ? named(f) : only(f->scan);
}

static bool has_kernel_strings(const ww_scan *s) {
  static const char *const words[] = {"__kernel", "kernel void", "__global__"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++)
    for (const char *p = s->text; (p = strstr(p, words[k])); p++)
      if (s->kind[p - s->text] == WW_BYTE_STRING)
        return true;
  return false;
}

static int32_t look_into_macros(finder *f) {
  ww_buf more = {0};
  made_by_macros(f, &more);
  return extend(f, &more) ? look(f) : -1;
}

static int32_t look_into_strings(finder *f) {
  ww_buf more = {0};
  if (!has_kernel_strings(f->scan))
    return -1;
  made_by_strings(f, &more);
  return extend(f, &more) ? look(f) : -1;
}

/* ---- what is no function ---- */

/* Where the name stands: in a directive (the macro that makes it) or in code, best
 * where a bracket follows; the end: nowhere. */
static uint32_t place_of(const ww_scan *s, const char *name) {
  size_t n = strlen(name);
  uint32_t best = s->n;
  int most = 0;
  for (const char *p = s->text; n && (p = strstr(p, name)); p += n) {
    uint32_t at = p - s->text;
    int score = 1;
    if ((at && ww_is_word(p[-1])) || ww_is_word(p[n]))
      continue;
    if (s->kind[at] == WW_BYTE_DIRECTIVE || s->kind[at] == WW_BYTE_CODE)
      score = p[n] == '(' ? 3 : 2;
    if (score > most) {
      best = at;
      most = score;
    }
  }
  return best;
}

/* A kernel of PTX, in its braces. */
static void ptx_range(const ww_scan *s, uint32_t at, ww_qkernel_place *out) {
  const char *open = at < s->n ? strchr(s->text + at, '{') : NULL;
  uint32_t end = open ? ww_scan_braces(s, open - s->text) : s->n;
  out->from = at < s->n ? at : 0;
  out->to = end < s->n ? end : s->n;
}

static void raw_range(const finder *f, ww_qkernel_place *out) {
  const ww_scan *s = f->scan;
  uint32_t at = f->wanted ? place_of(s, f->plain) : s->n;
  const ww_decl *d = at < s->n ? ww_scan_decl_at(s, at) : NULL;
  out->decl = -1;
  if (ww_ptx_begins(s->text)) {
    ptx_range(s, at, out);
    return;
  }
  out->directive = at < s->n && s->kind[at] == WW_BYTE_DIRECTIVE;
  if (d && d->end - d->begin < RAW_MOST) {
    out->from = d->begin;
    out->to = d->end;
    return;
  }
  if (at >= s->n)
    at = 0;
  while (at && s->text[at - 1] != '\n')
    at--;
  out->from = at;
  out->to = s->n;
}

/* ---- */

ww_status ww_qkernel_find(ww_scan *scan,
                          ww_qlex *lex,
                          const char *wanted,
                          const char *const *flags,
                          uint32_t nflags,
                          ww_qkernel_place *out,
                          ww_err *e) {
  finder f = {.scan = scan,
              .lex = lex,
              .wanted = wanted,
              .plain = wanted ? plain_name(wanted, lex->a) : "",
              .flags = flags,
              .nflags = nflags,
              .a = lex->a};
  *out = (ww_qkernel_place){.decl = -1, .plain = f.plain};
  if (!ww_ptx_begins(scan->text)) {
    census first = count(scan);
    if (!wanted && first.kernels + (first.kernels ? 0 : first.hosts) > 1)
      return ww_fail(e, WW_EUSAGE,
                     "the source has %u kernels; say which one: --kernel NAME",
                     first.kernels ? first.kernels : first.hosts);
    out->decl = look(&f);
    if (out->decl < 0)
      out->decl = look_into_macros(&f);
    if (out->decl < 0)
      out->decl = look_into_strings(&f);
    if (out->decl < 0 && place_of(scan, f.plain) == scan->n)
      out->decl = only(scan);
  }
  if (out->decl < 0)
    raw_range(&f, out);
  return WW_OK;
}
