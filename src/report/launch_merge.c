/* launch_merge.c - several specs into one, and names into positions and numbers.
 *
 * Before it is resolved, a spec may mix arguments by position and by name. A merge that
 * cannot tell which is which writes positions as digit names; resolve, which knows the
 * kernel's parameters, puts the later of two over the earlier. */
#include "launch_int.h"

#include <ctype.h>
#include <unistd.h>

/* ---- merge ---- */

static bool all_positional(const ww_launch *l) {
  for (uint32_t i = 0; i < l->nargs; i++)
    if (l->args[i].name)
      return false;
  return true;
}

static void merge_positional(ww_launch *under, const ww_launch *over, ww_arena *a) {
  uint32_t n = under->nargs > over->nargs ? under->nargs : over->nargs;
  ww_arg *args = WW_NEWN(a, ww_arg, n);
  for (uint32_t i = 0; i < n; i++)
    if (i < over->nargs && over->args[i].kind != WW_ARG_NONE)
      args[i] = over->args[i];
    else if (i < under->nargs)
      args[i] = under->args[i];
  under->args = args;
  under->nargs = n;
}

static void add_named(ww_launch *to, const ww_launch *from, ww_arena *a) {
  for (uint32_t i = 0; i < from->nargs; i++) {
    if (from->args[i].kind == WW_ARG_NONE)
      continue;
    ww_arg *g = &to->args[to->nargs++];
    *g = from->args[i];
    if (!g->name)
      g->name = ww_fmt(a, "%u", i);
  }
}

static void merge_args(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nargs)
    return;
  if (all_positional(under) && all_positional(over))
    return merge_positional(under, over, a);
  ww_launch both = {.args = WW_NEWN(a, ww_arg, under->nargs + over->nargs)};
  add_named(&both, under, a);
  add_named(&both, over, a);
  under->args = both.args;
  under->nargs = both.nargs;
}

static void merge_symbols(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nsymbols)
    return;
  ww_symbol_arg *s = WW_NEWN(a, ww_symbol_arg, under->nsymbols + over->nsymbols);
  uint32_t n = 0;
  for (uint32_t i = 0; i < under->nsymbols; i++) {
    bool replaced = false;
    for (uint32_t k = 0; k < over->nsymbols; k++)
      replaced |= !strcmp(under->symbols[i].name, over->symbols[k].name);
    if (!replaced)
      s[n++] = under->symbols[i];
  }
  for (uint32_t k = 0; k < over->nsymbols; k++)
    s[n++] = over->symbols[k];
  under->symbols = s;
  under->nsymbols = n;
}

static void merge_flags(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (!over->nflags)
    return;
  ww_strings all = {0};
  ww_strings_add(a, &all, under->flags, under->nflags);
  ww_strings_add(a, &all, over->flags, over->nflags);
  under->flags = all.v;
  under->nflags = all.n;
}

void ww_launch_merge(ww_launch *under, const ww_launch *over, ww_arena *a) {
  if (over->file)
    under->file = over->file;
  if (over->kernel)
    under->kernel = over->kernel;
  if (over->grid[0] || over->grid_expr[0]) {
    memcpy(under->grid, over->grid, sizeof under->grid);
    memcpy(under->grid_expr, over->grid_expr, sizeof under->grid_expr);
  }
  if (over->block[0] || over->block_expr[0]) {
    memcpy(under->block, over->block, sizeof under->block);
    memcpy(under->block_expr, over->block_expr, sizeof under->block_expr);
  }
  if (over->shared_given) {
    under->shared_given = true;
    under->shared = over->shared;
    under->shared_expr = over->shared_expr;
  }
  under->warm |= over->warm;
  under->cooperative |= over->cooperative;
  if (over->binary)
    under->binary = over->binary;
  if (over->note)
    under->note = over->note;
  if (over->seed)
    under->seed = over->seed;
  if (over->count)
    under->count = over->count;
  if (over->dir)
    under->dir = over->dir;
  merge_args(under, over, a);
  merge_symbols(under, over, a);
  merge_flags(under, over, a);
}

/* ---- resolve ---- */

typedef struct {
  ww_launch *l;
  const char *const *names;
  const uint32_t *elem_bytes;
  uint32_t n;
  uint8_t *state; /* per argument: 0 untouched, 1 being evaluated, 2 done */
  ww_arena *a;
  ww_err *e;
  ww_err inner;   /* why a name had no value */
  char hint[400]; /* behind the message: what to do about it */
} resolver;

static ww_status eval(resolver *r, const char *text, const char *where, ww_number *out);

static void list_names(const resolver *r, char list[300]) {
  size_t at = 0;
  list[0] = 0;
  for (uint32_t i = 0; i < r->n && at < 300; i++)
    at += snprintf(list + at, 300 - at, "%s%s", i ? ", " : "", r->names[i]);
}

static void set_value(ww_arg *g, const ww_number *v) {
  g->is_int = v->is_int;
  g->ivalue = v->i;
  g->value = v->f;
  g->expr = NULL;
}

static bool value_of(resolver *r, uint32_t i) {
  ww_arg *g = &r->l->args[i];
  if (g->kind != WW_ARG_VALUE)
    return false;
  if (!g->expr)
    return true;
  if (r->state[i] == 1) {
    ww_fail(&r->inner, WW_EPARSE, "\"%s\" depends on itself", r->names[i]);
    return false;
  }
  r->state[i] = 1;
  ww_number v;
  if (eval(r, g->expr, r->names[i], &v))
    return false;
  set_value(g, &v);
  r->state[i] = 2;
  return true;
}

static bool lookup(void *ctx, const char *name, size_t n, double *value) {
  resolver *r = ctx;
  for (uint32_t i = 0; i < r->n; i++) {
    const ww_arg *g = &r->l->args[i];
    if (strlen(r->names[i]) != n || memcmp(r->names[i], name, n) != 0)
      continue;
    bool known = value_of(r, i);
    if (known)
      *value = g->value;
    else if (g->kind == WW_ARG_NONE)
      snprintf(r->hint, sizeof r->hint, "; give one, e.g. --arg %.60s=1024",
               r->names[i]);
    return known;
  }
  char list[300];
  list_names(r, list);
  if (r->n)
    snprintf(r->hint, sizeof r->hint, "; the kernel's arguments are %s", list);
  return false;
}

static ww_status
eval(resolver *r, const char *text, const char *where, ww_number *out) {
  ww_err own = {0};
  ww_status rc = ww_expr_number(text, lookup, r, out, &own);
  if (!rc)
    return rc;
  if (!r->inner.code)
    ww_fail(&r->inner, WW_EPARSE, "%.60s: %.400s%s", where, own.msg, r->hint);
  return ww_fail(r->e, WW_EPARSE, "%s", r->inner.msg);
}

static ww_status whole(resolver *r,
                       const char *text,
                       const char *where,
                       double lo,
                       double hi,
                       uint64_t *out) {
  ww_number v;
  ww_status rc = eval(r, text, where, &v);
  if (rc)
    return rc;
  if (!v.is_int || v.f < lo || v.f > hi)
    return ww_fail(r->e, WW_EPARSE,
                   "%s: \"%s\" is %.17g; a whole number from %.0f to %.0f is expected",
                   where, text, v.f, lo, hi);
  *out = v.i;
  return WW_OK;
}

static ww_status bound(resolver *r, const char **expr, const char *where, double *out) {
  if (!*expr)
    return WW_OK;
  ww_number v = {0};
  ww_status rc = eval(r, *expr, where, &v);
  *out = v.f;
  *expr = NULL;
  return rc;
}

static ww_status resolve_fill(resolver *r, ww_fill *f, const char *where) {
  bool had = f->lo_expr || f->hi_expr;
  ww_status rc = bound(r, &f->lo_expr, where, &f->lo);
  if (!rc)
    rc = bound(r, &f->hi_expr, where, &f->hi);
  if (!rc && had)
    rc = ww_fill_check(f, where, r->e);
  if (!rc && f->kind == WW_FILL_FILE && access(f->path, R_OK) != 0)
    return ww_fail(r->e, WW_EIO, "%s: cannot read '%s', the file with its contents",
                   where, f->path);
  return rc;
}

static ww_status
resolve_buffer(resolver *r, ww_buffer *b, uint32_t elem, const char *where) {
  ww_status rc = WW_OK;
  if (b->bytes_expr)
    rc = whole(r, b->bytes_expr, where, 0, WW_SIZE_MAX, &b->bytes);
  if (!rc && b->count_expr) {
    if (b->type)
      elem = ww_elem_size(b->type);
    uint64_t count;
    if (!elem)
      return ww_fail(
          r->e, WW_EPARSE,
          "%s: how large an element is, is not known; write type[n], e.g. f32[%s]",
          where, b->count_expr);
    rc = whole(r, b->count_expr, where, 0, WW_SIZE_MAX / elem, &count);
    if (!rc)
      b->bytes = count * elem;
  }
  b->bytes_expr = b->count_expr = NULL;
  return !rc ? resolve_fill(r, &b->fill, where) : rc;
}

static ww_status
resolve_shape(resolver *r, const char *what, uint64_t dims[3], const char *exprs[3]) {
  for (int i = 0; i < 3; i++) {
    if (!exprs[i])
      continue;
    ww_status rc = whole(r, exprs[i], what, 1, WW_DIM_MAX, &dims[i]);
    if (rc)
      return rc;
    exprs[i] = NULL;
  }
  return WW_OK;
}

static ww_status no_such_argument(resolver *r, const char *name) {
  char list[300];
  list_names(r, list);
  if (r->n == 0)
    return ww_fail(r->e, WW_EPARSE,
                   "the kernel has no argument \"%.60s\", it takes none", name);
  return ww_fail(r->e, WW_EPARSE, "the kernel has no argument \"%.60s\"; it has: %s",
                 name, list);
}

static bool index_of(resolver *r, const ww_arg *g, uint32_t place, uint32_t *out) {
  if (!g->name) {
    *out = place;
    return place < r->n;
  }
  for (*out = 0; *out < r->n; ++*out)
    if (!strcmp(r->names[*out], g->name))
      return true;
  uint64_t position = 0;
  for (const char *p = g->name; *p; p++) {
    if (!isdigit((unsigned char)*p) || position > 1000000)
      return false;
    position = position * 10 + (*p - '0');
  }
  *out = position;
  return *g->name && position < r->n;
}

static ww_status place_args(resolver *r) {
  ww_arg *placed = WW_NEWN(r->a, ww_arg, r->n ? r->n : 1);
  for (uint32_t i = 0; i < r->l->nargs; i++) {
    const ww_arg *g = &r->l->args[i];
    uint32_t at;
    if (g->kind == WW_ARG_NONE)
      continue;
    if (!index_of(r, g, i, &at)) {
      if (g->name && !isdigit((unsigned char)*g->name))
        return no_such_argument(r, g->name);
      return ww_fail(r->e, WW_EPARSE, "args[%s]: the kernel takes %u arguments",
                     g->name ? g->name : ww_fmt(r->a, "%u", i), r->n);
    }
    placed[at] = *g;
    placed[at].name = NULL;
  }
  r->l->args = placed;
  r->l->nargs = r->n;
  return WW_OK;
}

static ww_status resolve_arg(resolver *r, ww_arg *g, uint32_t elem, const char *where) {
  ww_status rc = WW_OK;
  if (g->kind == WW_ARG_BUFFER)
    rc = resolve_buffer(r, &g->buffer, elem, where);
  for (uint32_t k = 0; !rc && k < g->nptrs; k++)
    rc = resolve_buffer(r, &g->ptrs[k].buffer, 0, where);
  return rc;
}

static ww_status resolve_symbols(resolver *r) {
  for (uint32_t i = 0; i < r->l->nsymbols; i++) {
    ww_symbol_arg *s = &r->l->symbols[i];
    ww_number v;
    ww_status rc = s->arg.expr ? eval(r, s->arg.expr, s->name, &v) : WW_OK;
    if (!rc && s->arg.expr)
      set_value(&s->arg, &v);
    if (!rc)
      rc = resolve_arg(r, &s->arg, 0, s->name);
    if (rc)
      return rc;
  }
  return WW_OK;
}

ww_status ww_launch_resolve(ww_launch *l,
                            const char *const *names,
                            const uint32_t *elem_bytes,
                            uint32_t nparams,
                            ww_arena *a,
                            ww_err *e) {
  resolver r = {
      .l = l, .names = names, .elem_bytes = elem_bytes, .n = nparams, .a = a, .e = e};
  r.state = ww_alloc(a, nparams + 1);
  ww_status rc = place_args(&r);
  for (uint32_t i = 0; !rc && i < nparams; i++) {
    if (l->args[i].kind == WW_ARG_VALUE && !value_of(&r, i))
      rc = ww_fail(e, WW_EPARSE, "%s", r.inner.msg);
    else
      rc = resolve_arg(&r, &l->args[i], elem_bytes ? elem_bytes[i] : 0, names[i]);
  }
  if (!rc)
    rc = resolve_shape(&r, "grid", l->grid, l->grid_expr);
  if (!rc)
    rc = resolve_shape(&r, "block", l->block, l->block_expr);
  if (!rc && l->shared_expr)
    rc = whole(&r, l->shared_expr, "shared", 0, 1 << 30, &l->shared);
  if (!rc)
    rc = resolve_symbols(&r);
  l->shared_expr = NULL;
  if (!l->seed)
    l->seed = 1;
  if (!l->count)
    l->count = 1;
  return rc;
}
