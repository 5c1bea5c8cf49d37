/* fixes.c - from a finding to its fixes: the table of rules, the kernel's place in the
 * text, edits and what becomes of them. */
#include "fixes_int.h"

#include <stdlib.h>

#include "advice.h"

enum {
  MOST_BYTES = 1 << 20,
  MOST_TOKENS = 50000
}; /* of a text, of a kernel; above that it is nothing that a person edits */

static void (*const find_fixes[WW_NRULES])(ww_ctext *x) = {
#define FIX(name, function, about) [WW_RULE_##name] = function,
#include "fixes.def"
};

static int rule_named(const char *id) {
  for (int k = 0; id && k < WW_NRULES; k++)
    if (!strcmp(ww_rules[k].id, id))
      return k;
  return -1;
}

/* ---- the kernel ---- */

/* The last part of a name without template arguments: "ns::scale<float>" is scale. */
static bool names_it(const char *kernel, const char *name) {
  if (!kernel || !name)
    return false;
  size_t n = strcspn(kernel, "<(");
  size_t from = n;
  while (from && kernel[from - 1] != ':')
    from--;
  return strlen(name) == n - from && !memcmp(kernel + from, name, n - from);
}

static const ww_decl *find_decl(const ww_ctext *c, const ww_fix_source *s) {
  const ww_decl *by_name = NULL;
  const ww_decl *covers = NULL;
  uint32_t at = s->line ? ww_scan_offset(&c->scan, s->line, 1) : UINT32_MAX;
  for (uint32_t k = 0; k < c->scan.ndecls; k++) {
    const ww_decl *d = &c->scan.decls[k];
    bool named = names_it(s->kernel, d->name);
    if (!d->body)
      continue;
    if (s->line && d->line == s->line && (named || !s->kernel))
      return d;
    if (named && (d->kernel || !by_name))
      by_name = d;
    if (at >= d->begin && at < d->end)
      covers = d;
  }
  if (covers && (!s->kernel || names_it(s->kernel, covers->name) || !by_name))
    return covers;
  return by_name;
}

void ww_scope_of(const ww_ctext *x, const ww_decl *d, ww_scope *out) {
  *out = (ww_scope){.fn = d,
                    .lo = ww_tok_from(x, d->body + 1),
                    .hi = ww_tok_from(x, d->body_end - 1)};
  uint32_t params = ww_tok_from(x, d->params);
  uint32_t params_end = ww_tok_from(x, d->params_end);
  ww_ctext_names(x, params, params_end, &out->names);
  for (uint32_t k = 0; k < out->names.n; k++)
    out->names.v[k].parameter = true;
  ww_ctext_names(x, out->lo, out->hi, &out->names);
}

/* The region behind a `#pragma omp target` at the kernel's line. */
static bool omp_region(ww_ctext *x) {
  const ww_scan *s = &x->scan;
  uint32_t at = ww_scan_offset(s, x->s->line, 1);
  while (at < s->n && (s->text[at] == ' ' || s->text[at] == '\t'))
    at++;
  if (at >= s->n || s->kind[at] != WW_BYTE_DIRECTIVE)
    return false;
  while (at < s->n && s->kind[at] == WW_BYTE_DIRECTIVE)
    at++;
  uint32_t lo = ww_tok_from(x, at);
  if (lo < x->kernel.lo || lo >= x->kernel.hi)
    return false;
  x->kernel.hi = ww_ctext_statement_end(x, lo, x->kernel.hi);
  x->kernel.lo = lo;
  return true;
}

bool ww_ctext_open(ww_ctext *x, const ww_fix_source *s, ww_arena *a) {
  if (!s->text || s->n > MOST_BYTES || memchr(s->text, 0, s->n))
    return false;
  ww_ctext_read(s, a, x);
  const ww_decl *d = find_decl(x, s);
  if (!d || d->body_end <= d->body + 1)
    return false;
  ww_scope_of(x, d, &x->kernel);
  if (x->kernel.lo > x->kernel.hi || x->kernel.hi - x->kernel.lo > MOST_TOKENS)
    return false;
  return (s->dialect != WW_OPENMP || !s->line || omp_region(x));
}

void ww_scope_at_finding(const ww_ctext *x, ww_scope *out) {
  const ww_scan *s = &x->scan;
  uint32_t at = ww_scan_offset(s, x->f->line, 1);
  *out = x->kernel;
  for (uint32_t k = 0; x->f->line && k < s->ndecls; k++) {
    const ww_decl *d = &s->decls[k];
    if (d->body && d != x->kernel.fn && at > d->body && at < d->body_end &&
        d->body_end > d->body + 1)
      ww_scope_of(x, d, out);
  }
}

bool ww_scope_initial(
    const ww_ctext *x, const ww_scope *s, uint32_t i, uint32_t *from, uint32_t *end) {
  const ww_name *v = ww_ctext_name(x, s, i);
  if (!v || v->pointer || v->tok == i || v->tok < s->lo ||
      !ww_tok_is(x, v->tok + 1, "="))
    return false;
  *from = v->tok + 2;
  *end = ww_tok_find(x, *from, s->hi, " ; , ");
  return true;
}

uint32_t ww_ctext_line(const ww_ctext *x, uint32_t tok) {
  return tok < x->n ? ww_scan_line(&x->scan, x->t[tok].at) : 0;
}

/* ---- edits ---- */

void ww_edit_insert(const ww_ctext *x, ww_edits *e, uint32_t at, const char *text) {
  ww_push(x->a, e, (ww_edit){at, at, text});
}

void ww_edit_replace(
    const ww_ctext *x, ww_edits *e, uint32_t begin, uint32_t end, const char *text) {
  ww_push(x->a, e, (ww_edit){begin, end, text});
}

void ww_edit_tokens(
    const ww_ctext *x, ww_edits *e, uint32_t i, uint32_t end, const char *text) {
  if (i < end && end <= x->n)
    ww_edit_replace(x, e, x->t[i].at, x->t[end - 1].end, text);
}

static int by_place(const void *a, const void *b) {
  const ww_edit *p = a;
  const ww_edit *q = b;
  if (p->begin != q->begin)
    return p->begin < q->begin ? -1 : 1;
  return p->end < q->end ? -1 : p->end > q->end;
}

/* By place; two at the same place, or one inside another, are no edit that everyone
 * would apply in the same way: false. */
static bool sort(const ww_edits *e) {
  qsort(e->v, e->n, sizeof *e->v, by_place);
  for (uint32_t k = 1; k < e->n; k++)
    if (e->v[k].begin < e->v[k - 1].end || e->v[k].begin == e->v[k - 1].begin)
      return false;
  return true;
}

void ww_fix_offer(ww_ctext *x, const ww_edits *e, const ww_fix *about) {
  ww_fix f = *about;
  f.rule = x->f->rule;
  f.edits = e->v;
  f.n = e->n;
  if (e->n && sort(e) && e->v[e->n - 1].end <= x->s->n)
    ww_push(x->a, &x->out, f);
}

const char *ww_ctext_fresh(const ww_ctext *x, const char *base) {
  for (int k = 1;; k++) {
    const char *name = k == 1 ? base : ww_fmt(x->a, "%s%d", base, k);
    if (!strstr(x->s->text, name))
      return name;
    bool used = false;
    for (uint32_t i = 0; i < x->n && !used; i++)
      used = ww_tok_is(x, i, name);
    for (const ww_macro *m = x->macros.v; m - x->macros.v < x->macros.n && !used; m++)
      used = !strcmp(m->name, name);
    if (!used)
      return name;
  }
}

bool ww_is_assignment(const ww_ctext *c, uint32_t i) {
  return ww_tok_in(c, i, " = += -= *= /= %= &= |= ^= <<= >>= ++ -- ");
}

/* Behind `)` it may be a cast: who knows takes it for an address. */
bool ww_takes_address(const ww_ctext *c, uint32_t i) {
  if (!i || !ww_tok_is(c, i - 1, "&"))
    return false;
  bool operand = i > 1 && (ww_tok_word(c, i - 2) || c->t[i - 2].kind == WW_TOK_NUMBER ||
                           ww_tok_is(c, i - 2, "]"));
  return !operand || ww_tok_is(c, i - 2, "return");
}

bool ww_is_changed(const ww_ctext *c, uint32_t word, uint32_t lo, uint32_t hi) {
  for (uint32_t i = lo; i < hi && i < c->n; i++)
    if (ww_tok_same(c, i, word) &&
        (ww_is_assignment(c, i + 1) || ww_tok_in(c, i - 1, " ++ -- ") ||
         ww_takes_address(c, i)))
      return true;
  return false;
}

uint32_t
ww_fixes_find(const ww_fix_source *s, const ww_finding *f, ww_arena *a, ww_fix **out) {
  int rule = rule_named(f->rule);
  ww_ctext x;
  *out = NULL;
  if (rule < 0 || !find_fixes[rule] || !ww_ctext_open(&x, s, a))
    return 0;
  x.f = f;
  find_fixes[rule](&x);
  *out = x.out.v;
  return x.out.n;
}

/* ---- applying ---- */

char *
ww_fix_apply(const char *text, size_t bytes, const ww_fix *f, ww_arena *a, size_t *n) {
  ww_buf b = {0};
  size_t at = 0;
  for (uint32_t k = 0; k < f->n; k++) {
    ww_buf_add(&b, text + at, f->edits[k].begin - at);
    ww_buf_puts(&b, f->edits[k].text);
    at = f->edits[k].end;
  }
  ww_buf_add(&b, text + at, bytes - at);
  if (n)
    *n = b.n;
  return ww_buf_text(&b, a);
}

bool ww_fix_join(ww_fix *to, const ww_fix *add, ww_arena *a) {
  ww_edits all = {0};
  for (uint32_t k = 0; k < to->n; k++)
    ww_push(a, &all, to->edits[k]);
  for (uint32_t k = 0; k < add->n; k++)
    ww_push(a, &all, add->edits[k]);
  if (!all.n)
    return true;
  if (!sort(&all))
    return false;
  to->edits = all.v;
  to->n = all.n;
  return true;
}

const ww_fix *ww_fix_choose(const ww_fix *v, uint32_t n, bool assume) {
  for (uint32_t k = 0; k < n; k++)
    if (assume || !v[k].assumes)
      return &v[k];
  return &v[0];
}

static bool same_edit(const ww_edit *x, const ww_edit *y) {
  return x->begin == y->begin && x->end == y->end && !strcmp(x->text, y->text);
}

bool ww_fix_holds(const ww_fix *all, const ww_fix *x) {
  for (uint32_t k = 0; k < x->n; k++) {
    bool there = false;
    for (uint32_t i = 0; i < all->n; i++)
      there |= same_edit(&all->edits[i], &x->edits[k]);
    if (!there)
      return false;
  }
  return true;
}
