/* fixes_shared.c - bank conflicts: a row of the shared array gets a word more, so that
 * rows begin in different banks.
 *
 * Right where the array is only ever used with all its subscripts: then nothing knows
 * how long a row is. Worth it where the threads of a warp differ in the row (the
 * subscript before the last) and the row is a whole even number of words now. */
#include "fixes_int.h"

typedef struct {
  ww_ctext *x;
  const ww_scope *s;
  const ww_name *array;
  uint32_t steps; /* tokens looked at: a text may be hostile */
} pad;

enum { MOST_STEPS = 100000 };

/* ---- who varies with the thread ---- */

static bool is_lane(const ww_ctext *c, uint32_t i) {
  if (ww_tok_is(c, i, "threadIdx"))
    return ww_tok_is(c, i + 1, ".") && ww_tok_is(c, i + 2, "x");
  return ww_tok_in(c, i, " get_local_id get_global_id ") && ww_tok_is(c, i + 1, "(") &&
         ww_tok_is(c, i + 2, "0");
}

/* Do the tokens depend on threadIdx.x, directly or through variables that are set from
 * it? What comes from memory makes *data true. */
static bool varies(pad *p, uint32_t lo, uint32_t hi, int depth, bool *data) {
  const ww_ctext *x = p->x;
  bool found = false;
  for (uint32_t i = lo; i < hi; i++) {
    found |= is_lane(x, i);
    *data |= ww_tok_in(x, i, " [ -> ");
    if (++p->steps > MOST_STEPS)
      *data = true;
    uint32_t from;
    uint32_t end;
    if (depth < 4 && !*data && ww_scope_initial(x, p->s, i, &from, &end))
      found |= varies(p, from, end, depth + 1, data);
  }
  return found;
}

/* ---- uses ---- */

static bool uses(const pad *p, uint32_t i) {
  return ww_tok_same(p->x, i, p->array->tok) && i != p->array->tok;
}

/* The last '[' of a use with all its subscripts, WW_NOTOK: it is used in another way.
 */
static uint32_t full_use(const pad *p, uint32_t i) {
  const ww_ctext *x = p->x;
  uint32_t at = i + 1;
  uint32_t last = WW_NOTOK;
  for (uint32_t k = 0; k < p->array->ndims; k++) {
    if (!ww_tok_opens(x, at, "["))
      return WW_NOTOK;
    last = at;
    at = x->t[at].pair + 1;
  }
  if (ww_takes_address(x, i)) {
    bool atomic = i > 2 && ww_tok_is(x, i - 2, "(") && ww_tok_word(x, i - 3) &&
                  !memcmp(ww_tok_at(x, i - 3), "atom", 4);
    /* its address goes elsewhere: vector accesses, asynchronous copies */
    if (!atomic)
      return WW_NOTOK;
  }
  return last;
}

static bool used_plainly(const pad *p) {
  const ww_ctext *x = p->x;
  if (ww_ctext_directives(x, p->array->tok))
    return false; /* a macro may do anything with it */
  for (uint32_t i = p->s->lo; i < p->s->hi; i++) {
    bool member = ww_tok_in(x, i - 1, " . -> ");
    if (uses(p, i) && !member && full_use(p, i) == WW_NOTOK)
      return false;
  }
  return true;
}

/* Is a use on the finding's line one where padding helps: threads differ in the row, by
 * numbers that memory does not hold, and not in the column? */
static bool used_by_rows(pad *p, uint32_t line) {
  const ww_ctext *x = p->x;
  for (uint32_t i = p->s->lo; i < p->s->hi; i++) {
    if (!uses(p, i) || (line && ww_ctext_line(x, i) != line))
      continue;
    uint32_t last = full_use(p, i);
    if (last == WW_NOTOK || last == 0 || x->t[last - 1].pair == WW_NOTOK)
      continue;
    uint32_t close = last - 1;
    bool data = false, row = varies(p, x->t[close].pair + 1, close, 0, &data),
         column = varies(p, last + 1, x->t[last].pair, 0, &data);
    if (row && !column && !data)
      return true;
  }
  return false;
}

/* ---- the row ---- */

/* Elements of one more word; 0: no telling. */
static uint32_t padding(const pad *p) {
  uint32_t bytes = ww_name_bytes(p->x, p->array);
  if (!bytes) { /* the T of a template is likely a word */
    const ww_decl *d = p->s->fn;
    const char *head =
        ww_tok_text(p->x, ww_tok_from(p->x, d->begin), ww_tok_from(p->x, d->params));
    const char *element =
        p->array->type == WW_NOTOK ? "" : ww_tok_name(p->x, p->array->type);
    return d->tmpl && strstr(head, ww_fmt(p->x->a, "typename %s", element));
  }
  return bytes >= 4 ? 1 : 4 / bytes;
}

static bool too_large(const pad *p, int64_t row, uint32_t more) {
  int64_t bytes = ww_name_bytes(p->x, p->array);
  int64_t v;
  for (uint32_t k = 0; k + 1 < p->array->ndims && k < 4; k++) {
    uint32_t open = p->array->dim[k];
    if (!ww_ctext_value(p->x, p->s, open + 1, p->x->t[open].pair, &v) || v < 1 ||
        v > 1 << 20)
      return false;
    bytes *= v;
    if (bytes > 1 << 24)
      return true;
  }
  return bytes * (row + more) > 48 << 10;
}

static void widen(const pad *p) {
  ww_ctext *x = p->x;
  uint32_t open = p->array->dim[p->array->ndims - 1];
  uint32_t close = x->t[open].pair;
  uint32_t more = padding(p);
  uint32_t bytes = ww_name_bytes(x, p->array);
  int64_t row;
  if (!more || close == open + 1)
    return;
  const char *was = ww_tok_text(x, open + 1, close);
  const char *now;
  if (strchr(was, '\n') || strstr(was, "/*"))
    return;
  bool known = ww_ctext_value(x, p->s, open + 1, close, &row);
  if (known && (row < 2 || row > 1 << 20 || row * (bytes ? bytes : 4) % 8 != 0 ||
                too_large(p, row, more)))
    return;
  if (!known && strchr(was, '+'))
    return; /* somebody has padded it */
  bool literal = close == open + 2 && x->t[open + 1].kind == WW_TOK_NUMBER && known;
  if (literal && strspn(was, "0123456789") == strlen(was))
    now = ww_fmt(x->a, "%lld", (long long)row + more);
  else if (strpbrk(was, "<>?&|^"))
    now = ww_fmt(x->a, "(%s) + %u", was, more);
  else
    now = ww_fmt(x->a, "%s + %u", was, more);
  ww_edits e = {0};
  ww_edit_tokens(x, &e, open + 1, close, now);
  const char *name = ww_tok_name(x, p->array->tok);
  ww_fix_offer(
      x, &e,
      &(ww_fix){.title = ww_fmt(x->a, "Pad the rows of %s: [%s] instead of [%s]", name,
                                now, was),
                .preferred = known});
}

/* ---- rows in a row: t[32 * 32], t[row * 32 + column] ---- */

/* The token of the row's length in a term `row * length`, either way round; WW_NOTOK:
 * it is no such term. *row, *row_end: the other factor. */
static uint32_t length_in(const ww_ctext *c,
                          uint32_t i,
                          uint32_t end,
                          uint32_t length,
                          uint32_t *row,
                          uint32_t *row_end) {
  uint32_t star = WW_NOTOK;
  for (uint32_t k = i; k < end; k = ww_tok_skip(c, k))
    if (ww_tok_is(c, k, "*")) {
      if (star != WW_NOTOK)
        return WW_NOTOK;
      star = k;
    } else if (ww_tok_in(c, k, " / % < > & | ^ ? ~ "))
      return WW_NOTOK;
  if (star == WW_NOTOK)
    return WW_NOTOK;
  bool behind = star + 2 == end && ww_tok_same(c, star + 1, length),
       before = star == i + 1 && ww_tok_same(c, i, length);
  *row = behind ? i : star + 1;
  *row_end = behind ? star : end;
  return behind ? star + 1 : before ? i : WW_NOTOK;
}

/* One use: *at is the token of the length; *helps: threads differ in the row alone. */
static bool flat_use(pad *p, uint32_t i, uint32_t length, uint32_t *at, bool *helps) {
  const ww_ctext *x = p->x;
  uint32_t open = full_use(p, i);
  uint32_t close;
  uint32_t row;
  uint32_t row_end;
  bool data = false, rows = false, columns = false;
  *at = WW_NOTOK;
  if (open == WW_NOTOK)
    return false;
  close = x->t[open].pair;
  for (uint32_t k = open + 1; k < close;) {
    uint32_t end = k;
    while (end < close && !(ww_tok_is(x, end, "+") && end > k)) {
      if (ww_tok_is(x, end, "-") && end > k)
        return false;
      end = ww_tok_skip(x, end);
    }
    uint32_t found = length_in(x, k, end, length, &row, &row_end);
    if (found != WW_NOTOK) {
      if (*at != WW_NOTOK)
        return false;
      *at = found;
      rows = varies(p, row, row_end, 0, &data);
    } else
      columns |= varies(p, k, end, 0, &data);
    k = end + 1;
  }
  *helps = rows && !columns && !data;
  return *at != WW_NOTOK;
}

static void widen_flat(pad *p) {
  ww_ctext *x = p->x;
  uint32_t open = p->array->dim[0];
  uint32_t close = x->t[open].pair;
  uint32_t length = open + 3;
  uint32_t more = padding(p);
  uint32_t at;
  int64_t row;
  int64_t rows;
  bool worth = false, helps;
  ww_edits e = {0};
  if (close != open + 4 || !ww_tok_is(x, open + 2, "*") || !more ||
      ww_ctext_directives(x, p->array->tok))
    return;
  if (!ww_ctext_value(x, p->s, length, close, &row) ||
      !ww_ctext_value(x, p->s, open + 1, open + 2, &rows))
    return;
  uint32_t bytes = ww_name_bytes(x, p->array);
  if (row < 2 || rows < 2 || row > 4096 || rows > 4096 || row * bytes % 8 ||
      rows * (row + more) * bytes > 48 << 10)
    return;
  const char *was = ww_tok_name(x, length);
  const char *now = x->t[length].kind == WW_TOK_NUMBER
                        ? ww_fmt(x->a, "%lld", (long long)row + more)
                        : ww_fmt(x->a, "(%s + %u)", was, more);
  for (uint32_t i = p->s->lo; i < p->s->hi; i++) {
    if (!uses(p, i))
      continue;
    if (!flat_use(p, i, length, &at, &helps))
      return;
    worth |= helps && ww_ctext_line(x, i) == x->f->line;
    ww_edit_tokens(x, &e, at, at + 1, now);
  }
  if (!worth)
    return;
  ww_edit_tokens(x, &e, length, length + 1, now);
  const char *name = ww_tok_name(x, p->array->tok);
  ww_fix_offer(
      x, &e,
      &(ww_fix){
          .title = ww_fmt(
              x->a,
              "Pad the rows of %s: %s elements instead of %s (if no column reaches %s)",
              name, now, was, was),
          .assumes = ww_fmt(x->a, "no column index of %s reaches %s", name, was)});
}

void ww_fix_pad(ww_ctext *x) {
  ww_scope s;
  ww_scope_at_finding(x, &s);
  for (uint32_t k = 0; k < s.names.n; k++) {
    ww_name *v = &s.names.v[k];
    pad p = {.x = x, .s = &s, .array = v};
    if (!v->shared || v->dynamic || v->twice || v->parameter || v->ndims < 1 ||
        v->ndims > 4)
      continue;
    if (v->ndims == 1)
      widen_flat(&p);
    else if (used_plainly(&p) && used_by_rows(&p, x->f->line))
      widen(&p);
  }
}
