/* fuse_text.c - one kernel of several: their bodies one behind the other, parameters
 * that are one buffer or one value merged, elements handed on in variables; and the
 * host code that launches it. */
#include "fuse_int.h"

/* ---- launches in host code ---- */

/* The launch of part k that a statement is; WW_NONODE. */
static uint32_t launch_at(const ww_fusing *f, uint32_t statement, uint32_t k) {
  const ww_rewriting *x = &f->v[k].x;
  uint32_t call = ww_fuse_inside(x, statement);
  const ww_node *n = &x->v[call];
  uint32_t how = n->kind == WW_NODE_CALL ? ww_node_child(x, call, 1) : WW_NONODE;
  bool is = how != WW_NONODE && n->decl == x->v[x->kernel].decl && !n->macro &&
            ww_starts(x->text + x->v[how].begin, "<<<") &&
            ww_node_children(x, call) == f->v[k].nparams + 2;
  return is ? call : WW_NONODE;
}

static uint32_t
argument_at(const ww_fusing *f, const uint32_t *site, uint32_t k, uint32_t q) {
  return ww_node_child(&f->v[k].x, site[k], q + 2);
}

/* What touches memory in a statement between two launches; NULL: nothing known. */
static const char *memory_call(const ww_rewriting *x, uint32_t statement) {
  for (uint32_t i = statement; i < x->v[statement].last; i++) {
    const char *callee = ww_node_callee(x, i);
    if (ww_starts(callee, "cudaMem") || ww_starts(callee, "cudaFree") ||
        ww_starts(callee, "mem"))
      return callee;
  }
  return NULL;
}

/* i++ among the arguments counts as often as it is written. */
static bool changes_anything(const ww_rewriting *x, uint32_t call) {
  for (uint32_t i = call; i < x->v[call].last; i++)
    if (ww_node_target(x, i) != WW_NONODE)
      return true;
  return false;
}

/* A look at the first launch's error: the one behind the last serves all. */
static bool asks_for_error(const ww_rewriting *x, uint32_t statement) {
  const char *text = ww_node_text(x, statement);
  return strstr(text, "cudaGetLastError()") || strstr(text, "cudaPeekAtLastError()");
}

/* A launch of the first is at `statement`: do the others follow? */
static void follow(ww_fusing *f, uint32_t block, uint32_t statement) {
  const ww_rewriting *x = &f->v[0].x;
  uint32_t site[WW_MOST_FUSED] = {launch_at(f, statement, 0)};
  uint32_t at = statement;
  const char *between = NULL;
  for (uint32_t k = 1; k < f->n; k++) {
    for (at = x->v[at].last; at < x->v[block].last; at = x->v[at].last) {
      site[k] = launch_at(f, at, k);
      if (site[k] != WW_NONODE)
        break;
      const char *call = memory_call(x, at);
      if (!call && asks_for_error(x, at))
        continue;
      between = call ? ww_fmt(f->a, "%s stands between the launches of %s and %s", call,
                              ww_fuse_name(f, k - 1), ww_fuse_name(f, k))
                : between ? between
                          : "";
    }
    if (at >= x->v[block].last)
      return;
    uint32_t how[2] = {ww_node_child(x, site[0], 1), ww_node_child(x, site[k], 1)};
    if (ww_node_alike(x, how[0], how[1]))
      continue;
    uint32_t stream[2] = {ww_node_child(x, how[0], 4), ww_node_child(x, how[1], 4)};
    bool same = stream[0] == WW_NONODE || stream[1] == WW_NONODE
                    ? stream[0] == stream[1]
                    : ww_node_alike(x, stream[0], stream[1]);
    between = same ? between ? between : ""
                   : ww_fmt(f->a, "%s and %s are launched in other streams",
                            ww_fuse_name(f, 0), ww_fuse_name(f, k));
  }
  bool directive = memchr(x->text + x->v[site[0]].begin, '#',
                          x->v[site[f->n - 1]].end - x->v[site[0]].begin) != NULL;
  if (between && *between)
    f->between = between;
  bool fits = !between && !directive;
  for (uint32_t k = 0; k < f->n; k++)
    fits = fits && !changes_anything(x, site[k]);
  for (uint32_t k = 0; fits && k < WW_MOST_FUSED; k++)
    ww_push(f->a, &f->sites, site[k]);
}

static ww_status find_sites(ww_fusing *f) {
  const ww_rewriting *x = &f->v[0].x;
  for (uint32_t b = 0; b < x->in->syntax->n; b++)
    for (uint32_t i = b + 1; x->v[b].kind == WW_NODE_COMPOUND && i < x->v[b].last;
         i = x->v[i].last)
      if (launch_at(f, i, 0) != WW_NONODE)
        follow(f, b, i);
  return f->between && !f->sites.n ? WW_FUSE_NO(f, "%s", f->between) : WW_OK;
}

/* ---- parameters ---- */

static bool same_value(const ww_arg *x, const ww_arg *y) {
  if (x->kind == WW_ARG_HEX && y->kind == WW_ARG_HEX)
    return !x->nptrs && !y->nptrs && x->hex_n == y->hex_n &&
           !memcmp(x->hex, y->hex, x->hex_n);
  return x->kind == WW_ARG_VALUE && y->kind == WW_ARG_VALUE && x->value == y->value &&
         x->ivalue == y->ivalue;
}

/* The texts of two arguments in a site; true where there is no site. */
static bool alike_at(
    const ww_fusing *f, uint32_t site, uint32_t k, uint32_t q, uint32_t l, uint32_t r) {
  const uint32_t *calls = &f->sites.v[site];
  return ww_node_alike(&f->v[0].x, argument_at(f, calls, k, q),
                       argument_at(f, calls, l, r));
}

/* Is it parameter r of part l as well? A pointer by the recording; a number by the host
 * code, or by its name where that does not show the launches. */
static bool merges(const ww_fusing *f, uint32_t k, uint32_t q, uint32_t l, uint32_t r) {
  const ww_node *m = &f->v[k].x.v[f->v[k].param[q]];
  const ww_node *n = &f->v[l].x.v[f->v[l].param[r]];
  const ww_arg *x = &f->asked[k].launch->args[q];
  const ww_arg *y = &f->asked[l].launch->args[r];
  bool pointer = m->type == WW_TYPE_POINTER;
  if (m->type != n->type ||
      strcmp(ww_fuse_element_type(m->spelled), ww_fuse_element_type(n->spelled)))
    return false;
  if (pointer)
    return ww_fuse_same_buffer(x, y) && x->buffer.offset == y->buffer.offset;
  bool named = !strcmp(m->name, n->name);
  if (!same_value(x, y))
    return false;
  if (!f->sites.n)
    return named;
  const ww_node *text = &f->v[k].x.v[argument_at(f, f->sites.v, k, q)];
  bool literal = strchr("0123456789.-", f->v[k].x.text[text->begin]) != NULL;
  return alike_at(f, 0, k, q, l, r) && (named || !literal);
}

/* Before parameters are made: pointers that are one buffer are to be one expression in
 * the host code, too. Behind: all that is one, and nothing else that was not one
 * buffer.
 */
static bool
is_true_at(const ww_fusing *f, uint32_t s, bool made, uint32_t k, uint32_t l) {
  for (uint32_t q = 0; q < f->v[k].nparams; q++)
    for (uint32_t r = 0; r < f->v[l].nparams; r++) {
      bool pointer = f->v[l].x.v[f->v[l].param[r]].type == WW_TYPE_POINTER;
      bool one =
          made ? f->v[k].to[q] == f->v[l].to[r] : pointer && merges(f, k, q, l, r);
      bool alike = alike_at(f, s, k, q, l, r);
      bool other = made && pointer && !one && (k != l || q != r) &&
                   !ww_fuse_same_buffer(&f->asked[k].launch->args[q],
                                        &f->asked[l].launch->args[r]);
      if ((one && !alike) || (other && alike))
        return false;
    }
  return true;
}

static void drop_sites(ww_fusing *f, bool made) {
  uint32_t kept = 0;
  for (uint32_t s = 0; s < f->sites.n; s += WW_MOST_FUSED) {
    bool fits = true;
    for (uint32_t k = 0; k < f->n; k++)
      for (uint32_t l = 0; l < k + made; l++)
        fits = fits && is_true_at(f, s, made, k, l);
    if (fits) {
      memmove(&f->sites.v[kept], &f->sites.v[s], WW_MOST_FUSED * sizeof *f->sites.v);
      kept += WW_MOST_FUSED;
    }
  }
  f->sites.n = kept;
}

static bool is_taken(const ww_fusing *f, const char *name) {
  for (uint32_t k = 0; k < f->np; k++)
    if (f->p[k].name && !strcmp(f->p[k].name, name))
      return true;
  for (uint32_t k = 0; k < f->n; k++) {
    const ww_rewriting *x = &f->v[k].x;
    for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
      const ww_node *n = &x->v[i];
      bool other =
          n->kind == WW_NODE_VARIABLE ||
          (n->kind == WW_NODE_REFERENCE && ww_fuse_parameter_of(&f->v[k], n->decl) < 0);
      if (other && !strcmp(n->name, name))
        return true;
    }
  }
  return false;
}

static const char *free_name(const ww_fusing *f, const char *name, const char *kernel) {
  const char *with = ww_fmt(f->a, "%s_%s", kernel, name);
  if (!is_taken(f, name))
    return name;
  name = with;
  for (int k = 2; is_taken(f, name); k++)
    name = ww_fmt(f->a, "%s%d", with, k);
  return name;
}

static const char *declared(const ww_fuse_body *p, uint32_t q, const char *name) {
  const ww_rewriting *x = &p->x;
  const ww_node *n = &x->v[p->param[q]];
  return ww_fmt(x->a, "%.*s%s%.*s", (int)(n->decl - n->begin), x->text + n->begin, name,
                (int)(n->end - n->decl - strlen(n->name)),
                x->text + n->decl + strlen(n->name));
}

static ww_status add_parameter(ww_fusing *f, uint32_t k, uint32_t q) {
  ww_fuse_body *p = &f->v[k];
  const ww_node *n = &p->x.v[p->param[q]];
  const ww_arg *g = &f->asked[k].launch->args[q];
  if (n->type == WW_TYPE_POINTER && !ww_fuse_buffer(g))
    return WW_FUSE_NO(f, "the recording does not say which buffer `%s` of %s is",
                      n->name, ww_fuse_name(f, k));
  for (uint32_t l = 0; l < k; l++)
    for (uint32_t r = 0; r < f->v[l].nparams; r++) {
      if (!merges(f, k, q, l, r))
        continue;
      ww_fuse_parameter *to = &f->p[p->to[q] = f->v[l].to[r]];
      const ww_node *had = &f->v[l].x.v[f->v[l].param[r]];
      if (had->is_const && !n->is_const)
        to->text = declared(p, q, to->name);
      return WW_OK;
    }
  if (f->np == WW_MOST_FUSED_PARAMETERS)
    return WW_FUSE_NO(f, "they have more than %u parameters", WW_MOST_FUSED_PARAMETERS);
  const char *name = free_name(f, n->name, ww_fuse_name(f, k));
  f->p[p->to[q] = f->np++] =
      (ww_fuse_parameter){.name = name,
                          .text = declared(p, q, name),
                          .type = ww_fuse_element_type(n->spelled),
                          .arg = g,
                          .who = n->name};
  return WW_OK;
}

static ww_status make_parameters(ww_fusing *f) {
  drop_sites(f, false);
  for (uint32_t k = 0; k < f->n; k++)
    for (uint32_t q = 0; q < f->v[k].nparams; q++)
      if (add_parameter(f, k, q))
        return f->e->code;
  drop_sites(f, true);
  return WW_OK;
}

/* ---- elements in registers ---- */

typedef struct {
  uint32_t element, store; /* nodes; store WW_NONODE: it is read */
} access;
typedef WW_VEC(access) accesses;

static void list_accesses(const ww_fusing *f, uint32_t k, uint32_t j, accesses *out) {
  const ww_fuse_body *p = &f->v[k];
  const ww_rewriting *x = &p->x;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    int q =
        x->v[i].kind == WW_NODE_REFERENCE ? ww_fuse_parameter_of(p, x->v[i].decl) : -1;
    if (q < 0 || p->to[q] != j)
      continue;
    uint32_t element = ww_fuse_element_of(x, i);
    ww_push(f->a, out, (access){element, ww_fuse_store_of(x, element)});
  }
}

static bool read_from(const ww_fusing *f, uint32_t j, uint32_t k) {
  bool any = false;
  for (; k < f->n; k++)
    any |= f->p[j].of[k].read;
  return any;
}

/* The first part that stores it whatever else happens, if a later one reads it. */
static void keep(ww_fusing *f, uint32_t j) {
  ww_fuse_parameter *p = &f->p[j];
  bool opaque = false;
  uint32_t k = 0;
  for (uint32_t l = 0; l < f->n; l++)
    opaque |= p->of[l].opaque;
  while (k < f->n && !p->of[k].stored)
    k++;
  if (opaque || k == f->n || !read_from(f, j, k + 1))
    return;
  accesses v = {0};
  uint32_t first = WW_NONODE;
  list_accesses(f, k, j, &v);
  for (uint32_t i = 0; i < v.n && first == WW_NONODE; i++)
    first = v.v[i].store;
  const ww_rewriting *x = &f->v[k].x;
  if (first == WW_NONODE ||
      (first != f->v[k].rest && ww_node_over(x, first) != f->v[k].rest))
    return;
  p->kept = free_name(f, ww_fmt(f->a, "%s_here", p->name), ww_fuse_name(f, k));
  p->kept_by = k;
}

/* Is the element looked at after this store, in the variable? */
static bool used_after(
    const ww_fusing *f, uint32_t k, uint32_t j, const accesses *v, uint32_t store) {
  const ww_rewriting *x = &f->v[k].x;
  bool any = read_from(f, j, k + 1);
  bool loop = ww_node_above(x, store, WW_NODE_FOR) != WW_NONODE ||
              ww_node_above(x, store, WW_NODE_WHILE) != WW_NONODE ||
              ww_node_above(x, store, WW_NODE_DO) != WW_NONODE;
  for (uint32_t i = 0; k > f->p[j].kept_by && i < v->n; i++)
    any |= v->v[i].store == WW_NONODE &&
           (loop || x->v[v->v[i].element].begin >= x->v[store].end);
  return any;
}

static void keep_edits(ww_fusing *f, uint32_t k, uint32_t j, ww_edit_list *e) {
  ww_rewriting *x = &f->v[k].x;
  const ww_fuse_parameter *p = &f->p[j];
  accesses v = {0};
  if (!p->kept || k < p->kept_by)
    return;
  list_accesses(f, k, j, &v);
  for (uint32_t i = 0; i < v.n; i++) {
    const ww_node *n = &x->v[v.v[i].element];
    uint32_t store = v.v[i].store;
    bool adds = store != WW_NONODE && x->v[store].kind == WW_NODE_ASSIGN;
    if (store == WW_NONODE && k > p->kept_by)
      ww_edit_put(x, e, n->begin, n->end, p->kept);
    else if (store != WW_NONODE && adds && k == p->kept_by)
      ww_edit_put(x, e, n->begin, n->begin, ww_fmt(f->a, "%s = ", p->kept));
    else if (store != WW_NONODE && (adds || used_after(f, k, j, &v, store)))
      ww_edit_put(x, e, n->end, n->end, ww_fmt(f->a, " = %s", p->kept));
  }
}

/* ---- the text ---- */

static bool is_edited(const ww_edit_list *e, const ww_node *n) {
  for (uint32_t k = 0; k < e->n; k++)
    if (e->v[k].begin <= n->begin && e->v[k].end >= n->end)
      return true;
  return false;
}

/* A body with the fused kernel's names, its elements in variables if that is asked for;
 * NULL: a name comes out of a macro. */
static const char *body_text(ww_fusing *f, uint32_t k, bool kept) {
  ww_fuse_body *p = &f->v[k];
  ww_rewriting *x = &p->x;
  ww_edit_list e = {0};
  for (uint32_t j = 0; kept && j < f->np; j++)
    keep_edits(f, k, j, &e);
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    const ww_node *n = &x->v[i];
    int q = n->kind == WW_NODE_REFERENCE ? ww_fuse_parameter_of(p, n->decl) : -1;
    const char *name = q < 0 ? n->name : f->p[p->to[q]].name;
    if (q < 0 || !strcmp(name, n->name) || is_edited(&e, n))
      continue;
    if (n->macro)
      return NULL;
    ww_edit_put(x, &e, n->begin, n->end, name);
  }
  return ww_text_edited(x, x->v[x->body].begin, x->v[x->body].end, &e);
}

static const char *names(const ww_fusing *f, const char *by) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < f->n; k++)
    ww_buf_fmt(&b, "%s%s", k ? by : "", ww_fuse_name(f, k));
  return ww_buf_text(&b, f->a);
}

/* `__global__ void NAME(PARAMETERS) {`, in lines of 100 columns. */
static void put_head(const ww_fusing *f, const char *name, ww_buf *b) {
  size_t line = b->n;
  ww_buf_fmt(b, "__global__ void %s(", name);
  size_t indent = b->n - line;
  for (uint32_t j = 0; j < f->np; j++) {
    bool full = b->n - line + strlen(f->p[j].text) > 98;
    if (j && full) {
      ww_buf_fmt(b, ",\n%*s", (int)indent, "");
      line = b->n - indent;
    } else if (j)
      ww_buf_puts(b, ", ");
    ww_buf_puts(b, f->p[j].text);
  }
  ww_buf_puts(b, ") {\n");
}

static const char *indent_of(const ww_fusing *f) {
  const ww_rewriting *x = &f->v[0].x;
  const char *own = ww_text_indent(x, x->v[x->body].begin);
  const char *in =
      ww_text_indent(x, x->v[x->body + (x->v[x->body].last > x->body + 1)].begin);
  return strlen(in) > strlen(own) ? in : "  ";
}

static const char *kernel_text(ww_fusing *f, const char *name) {
  const char *in = indent_of(f);
  ww_buf b = {0};
  ww_buf_fmt(&b, "\n\n/* %s in one launch. */\n", names(f, ", "));
  put_head(f, name, &b);
  for (uint32_t j = 0; j < f->np; j++)
    if (f->p[j].kept)
      ww_buf_fmt(&b, "%s%s %s;\n", in, f->p[j].type, f->p[j].kept);
  for (uint32_t k = 0; k < f->n; k++) {
    const char *body = body_text(f, k, true);
    if (!body)
      return NULL;
    ww_buf_fmt(&b, "%s%s\n", in, ww_text_deeper(&f->v[k].x, body, in));
  }
  ww_buf_puts(&b, "}");
  return ww_buf_text(&b, f->a);
}

/* All launches in their order: between two of them the whole grid is done. */
static const char *original_text(ww_fusing *f, const char *name) {
  ww_buf b = {0};
  ww_buf_puts(&b, "\n\nextern \"C\" __device__ void __ww_grid_sync(void);\n");
  put_head(f, name, &b);
  for (uint32_t k = 0; k < f->n; k++)
    ww_buf_fmt(&b, "%s[&]() %s();\n", k ? "__ww_grid_sync();\n" : "",
               body_text(f, k, false));
  ww_buf_puts(&b, "}");
  return ww_buf_text(&b, f->a);
}

/* NAME<<<as before>>>(each argument once) */
static const char *
launch_text(const ww_fusing *f, const uint32_t *site, const char *name) {
  const ww_rewriting *x = &f->v[0].x;
  const ww_node *how = &x->v[ww_node_child(x, site[0], 1)];
  const ww_node *call = &x->v[site[0]];
  ww_buf b = {0};
  uint32_t end = how->begin; /* `space::kernel<<<`: the space stays */
  while (end > call->begin && x->text[end - 1] != ':')
    end--;
  ww_buf_fmt(&b, "%.*s%s%.*s(", (int)(end - call->begin), x->text + call->begin, name,
             (int)(how->end - how->begin), x->text + how->begin);
  for (uint32_t j = 0, k = 0, q = 0; j < f->np; q++) {
    if (q == f->v[k].nparams) {
      k++;
      q = 0;
    }
    if (f->v[k].to[q] == j)
      ww_buf_fmt(&b, "%s%s", j++ ? ", " : "",
                 ww_node_text(x, argument_at(f, site, k, q)));
  }
  ww_buf_puts(&b, ")");
  return ww_buf_text(&b, f->a);
}

static const char *by_hand(const ww_fusing *f, const char *name) {
  ww_buf b = {0};
  ww_buf_fmt(&b,
             "launch %s in place of %s, where nothing in between reads or writes "
             "their buffers:",
             name, names(f, ", "));
  for (uint32_t j = 0; j < f->np; j++) {
    ww_buf_fmt(&b, "%s `%s` is", j ? "," : "", f->p[j].name);
    const char *before = "";
    for (uint32_t k = 0; k < f->n; k++)
      for (uint32_t q = 0; q < f->v[k].nparams; q++)
        if (f->v[k].to[q] == j) {
          ww_buf_fmt(&b, "%s `%s` of %s", before, f->v[k].x.v[f->v[k].param[q]].name,
                     ww_fuse_name(f, k));
          before = " and";
        }
  }
  return ww_buf_text(&b, f->a);
}

static const char *registers(const ww_fusing *f) {
  ww_buf b = {0};
  for (uint32_t j = 0; j < f->np; j++)
    if (f->p[j].kept)
      ww_buf_fmt(&b, "%s`%s`", b.n ? ", " : "", f->p[j].name);
  return b.n ? ww_buf_text(&b, f->a) : "";
}

static void make_launch(const ww_fusing *f, const char *name, ww_launch *l) {
  ww_launch_copy(f->asked[0].launch, f->a, l);
  l->kernel = name;
  l->binary = NULL;
  l->at = NULL;
  l->nat = 0;
  l->nargs = f->np;
  l->args = WW_NEWN(f->a, ww_arg, f->np + 1);
  for (uint32_t j = 0; j < f->np; j++)
    l->args[j] = *f->p[j].arg;
}

static ww_status make_text(ww_fusing *f, ww_fused_text *out) {
  ww_rewriting *x = &f->v[0].x;
  ww_edit_list e = {0};
  uint32_t at = 0; /* behind the last of them */
  *out = (ww_fused_text){.name = ww_text_fresh(x, names(f, "_")),
                         .registers = registers(f)};
  out->original = ww_text_fresh(x, ww_fmt(f->a, "%s_in_order", out->name));
  const char *kernel = kernel_text(f, out->name);
  if (!kernel)
    return WW_FUSE_NO(f, "a macro names a parameter");
  for (uint32_t k = 0; k < f->n; k++)
    if (x->v[f->v[k].x.kernel].end > at)
      at = x->v[f->v[k].x.kernel].end;
  ww_edit_put(x, &e, at, at,
              ww_fmt(f->a, "%s%s", kernel, original_text(f, out->original)));
  out->judged = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  e.v[0].text = kernel;
  out->kernel = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  for (uint32_t s = 0; s < f->sites.n; s += WW_MOST_FUSED) {
    const uint32_t *site = &f->sites.v[s];
    if (x->v[site[0]].begin < at)
      continue;
    ww_edit_put(x, &e, x->v[site[0]].begin, x->v[site[f->n - 1]].end,
                launch_text(f, site, out->name));
    out->sites++;
  }
  out->text = ww_text_edited(x, 0, x->in->syntax->bytes, &e);
  out->by_hand = out->sites ? NULL : by_hand(f, out->name);
  make_launch(f, out->name, &out->launch);
  return WW_OK;
}

ww_status ww_fuse_text(const ww_syntax *s,
                       const ww_fuse_part *parts,
                       uint32_t n,
                       ww_arena *a,
                       ww_fused_text *out,
                       ww_err *e) {
  ww_fusing *f = WW_NEW(a, ww_fusing);
  *f = (ww_fusing){
      .asked = parts, .v = WW_NEWN(a, ww_fuse_body, n + 1), .n = n, .a = a, .e = e};
  for (uint32_t k = 0; k < n; k++)
    if (ww_fuse_open(f, s, k))
      return e->code;
  if (find_sites(f) || make_parameters(f))
    return e->code;
  for (uint32_t k = 0; k < n; k++) {
    if (ww_fuse_conditions(f, k))
      return e->code;
    ww_fuse_uses(f, k);
  }
  if (ww_fuse_check(f))
    return e->code;
  for (uint32_t j = 0; j < f->np; j++)
    keep(f, j);
  return make_text(f, out);
}
