/* rewrite.c - see rewrite.h: nodes of the syntax, offers, the table of rewrites. */
#include "rewrite_int.h"

#include <ctype.h>

const ww_rewrite_info ww_rewrites[WW_NREWRITES] = {
#define REWRITE(id, name, function, what, needs) \
  [WW_REWRITE_##id] = {name, what, needs},
#include "rewrite.def"
};

static void (*const functions[WW_NREWRITES])(ww_rewriting *x) = {
#define REWRITE(id, name, function, ...) [WW_REWRITE_##id] = function,
#include "rewrite.def"
};

/* ---- nodes ---- */

uint32_t ww_node_child(const ww_rewriting *x, uint32_t node, uint32_t k) {
  for (uint32_t i = node + 1; i < x->v[node].last; i = x->v[i].last)
    if (!k--)
      return i;
  return WW_NONODE;
}

uint32_t ww_node_children(const ww_rewriting *x, uint32_t node) {
  uint32_t n = 0;
  for (uint32_t i = node + 1; i < x->v[node].last; i = x->v[i].last)
    n++;
  return n;
}

uint32_t ww_node_value(const ww_rewriting *x, uint32_t variable) {
  uint32_t n = ww_node_children(x, variable);
  return n ? ww_node_bare(x, ww_node_child(x, variable, n - 1)) : WW_NONODE;
}

uint32_t ww_node_bare(const ww_rewriting *x, uint32_t node) {
  while (node != WW_NONODE) {
    uint8_t kind = x->v[node].kind;
    uint32_t n = ww_node_children(x, node);
    bool cast = kind == WW_NODE_CAST || kind == WW_NODE_STATIC_CAST ||
                kind == WW_NODE_FUNCTIONAL_CAST;
    bool wrapper = kind == WW_NODE_UNEXPOSED || kind == WW_NODE_PARENTHESES;
    if ((!wrapper || n != 1) && (!cast || !n))
      break;
    node = ww_node_child(x, node, n - 1); /* before it a cast may name its type */
  }
  return node;
}

bool ww_node_inside(const ww_rewriting *x, uint32_t node, uint32_t of) {
  return node >= of && node < x->v[of].last;
}

const char *ww_node_text(const ww_rewriting *x, uint32_t node) {
  return ww_strndup(x->a, x->text + x->v[node].begin,
                    x->v[node].end - x->v[node].begin);
}

static bool reads(const char *p, const char *p_end, const char *q, const char *q_end) {
  for (;; p++, q++) {
    while (p < p_end && isspace((unsigned char)*p))
      p++;
    while (q < q_end && isspace((unsigned char)*q))
      q++;
    if (p == p_end || q == q_end)
      return p == p_end && q == q_end;
    if (*p != *q)
      return false;
  }
}

bool ww_node_reads(const ww_rewriting *x, uint32_t node, const char *text) {
  return reads(x->text + x->v[node].begin, x->text + x->v[node].end, text,
               text + strlen(text));
}

bool ww_node_alike(const ww_rewriting *x, uint32_t i, uint32_t j) {
  return reads(x->text + x->v[i].begin, x->text + x->v[i].end, x->text + x->v[j].begin,
               x->text + x->v[j].end);
}

uint32_t ww_node_end(const ww_rewriting *x, uint32_t node) {
  uint32_t at = x->v[node].end;
  if (at && (x->text[at - 1] == '}' || x->text[at - 1] == ';'))
    return at;
  while (isspace((unsigned char)x->text[at]))
    at++;
  return x->text[at] == ';' ? at + 1 : x->v[node].end;
}

uint32_t ww_node_above(const ww_rewriting *x, uint32_t node, ww_node_kind kind) {
  for (int32_t p = x->v[node].parent; p > (int32_t)x->kernel; p = x->v[p].parent)
    if (x->v[p].kind == kind)
      return p;
  return WW_NONODE;
}

bool ww_node_in_block(const ww_rewriting *x, uint32_t node) {
  int32_t p = x->v[node].parent;
  return p >= 0 && x->v[p].kind == WW_NODE_COMPOUND;
}

/* operator=, operator+= of a class. */
static bool is_overloaded(const ww_node *n) {
  static const char *const compare[] = {
      "operator==", "operator!=", "operator<=", "operator>=", NULL};
  if (n->kind != WW_NODE_CALL || !ww_starts(n->name, "operator") ||
      !ww_ends(n->name, "="))
    return false;
  for (int k = 0; compare[k]; k++)
    if (!strcmp(n->name, compare[k]))
      return false;
  return true;
}

uint32_t ww_node_target(const ww_rewriting *x, uint32_t node) {
  const ww_node *n = &x->v[node];
  bool step =
      n->kind == WW_NODE_UNARY && (!strcmp(n->name, "++") || !strcmp(n->name, "--"));
  bool assigns = n->kind == WW_NODE_ASSIGN || is_overloaded(n) ||
                 (n->kind == WW_NODE_BINARY && !strcmp(n->name, "="));
  return step || assigns ? ww_node_bare(x, ww_node_child(x, node, 0)) : WW_NONODE;
}

bool ww_node_uses(const ww_rewriting *x, uint32_t node, uint32_t decl) {
  for (uint32_t i = node; i < x->v[node].last; i++)
    if (x->v[i].kind == WW_NODE_REFERENCE && x->v[i].decl == decl)
      return true;
  return false;
}

bool ww_node_changed(const ww_rewriting *x, uint32_t decl, uint32_t within) {
  for (uint32_t i = within; i < x->v[within].last; i++) {
    uint32_t to = ww_node_target(x, i);
    bool address = x->v[i].kind == WW_NODE_UNARY && !strcmp(x->v[i].name, "&");
    if (address)
      to = ww_node_bare(x, ww_node_child(x, i, 0));
    if (to != WW_NONODE && x->v[to].kind == WW_NODE_REFERENCE && x->v[to].decl == decl)
      return true;
  }
  return false;
}

const char *ww_node_callee(const ww_rewriting *x, uint32_t node) {
  return x->v[node].kind == WW_NODE_CALL ? x->v[node].name : "";
}

uint32_t ww_node_of_decl(const ww_rewriting *x, uint32_t decl) {
  for (uint32_t i = 0; decl != UINT32_MAX && i < x->in->syntax->n; i++)
    if (x->v[i].decl == decl &&
        (x->v[i].kind == WW_NODE_VARIABLE || x->v[i].kind == WW_NODE_PARAMETER))
      return i;
  return WW_NONODE;
}

const char *ww_text_indent(const ww_rewriting *x, uint32_t at) {
  while (at && x->text[at - 1] != '\n')
    at--;
  return ww_strndup(x->a, x->text + at, strspn(x->text + at, " \t"));
}

const char *ww_body_gap(const ww_rewriting *x) {
  uint32_t first = ww_node_child(x, x->body, 0);
  const char *outside = ww_text_indent(x, x->v[x->body].end - 1);
  return first == WW_NONODE
             ? ww_fmt(x->a, "\n%s\v", outside)
             : ww_fmt(x->a, "\n%s", ww_text_indent(x, x->v[first].begin));
}

bool ww_text_is_below_directive(const ww_rewriting *x, uint32_t at) {
  while (at && x->text[at - 1] != '\n')
    at--;
  if (at)
    at--;
  while (at && x->text[at - 1] != '\n')
    at--;
  return x->text[at + strspn(x->text + at, " \t")] == '#';
}

const char *ww_text_behind(const char *p) {
  int depth = 0;
  for (; *p; p++) {
    if (!depth && (!strncmp(p, "<<<", 3) ||
                   (*p != '<' && *p != '>' && !isspace((unsigned char)*p))))
      return p;
    depth += (*p == '<') - (*p == '>');
    if (depth < 0 || *p == ';' || *p == '{' || *p == '}')
      return p;
  }
  return p;
}

const char *ww_text_fresh(const ww_rewriting *x, const char *base) {
  const char *name = base;
  for (int k = 2; strstr(x->text, name); k++)
    name = ww_fmt(x->a, "%s%d", base, k);
  return name;
}

/* ---- offers ---- */

void ww_edit_put(
    ww_rewriting *x, ww_edit_list *e, uint32_t begin, uint32_t end, const char *text) {
  ww_push(x->a, e, (ww_edit){begin, end, text});
}

static int by_place(const void *a, const void *b) {
  const ww_edit *p = a;
  const ww_edit *q = b;
  if (p->begin != q->begin)
    return p->begin < q->begin ? -1 : 1;
  return p->end < q->end ? -1 : p->end > q->end;
}

const char *
ww_text_edited(const ww_rewriting *x, uint32_t begin, uint32_t end, ww_edit_list *e) {
  ww_fix fix = {
      .edits = e->v,
      .n = e->n,
  };
  if (e->n)
    qsort(e->v, e->n, sizeof *e->v, by_place);
  for (uint32_t k = 0; k < e->n; k++) {
    e->v[k].begin -= begin;
    e->v[k].end -= begin;
  }
  return ww_fix_apply(x->text + begin, end - begin, &fix, x->a, NULL);
}

const char *ww_text_deeper(const ww_rewriting *x, const char *text, const char *by) {
  ww_buf b = {0};
  for (; *text; text++) {
    ww_buf_add(&b, text, 1);
    if (*text == '\n' && text[1] && !strchr("\r\n#", text[1]))
      ww_buf_puts(&b, by);
  }
  return ww_buf_text(&b, x->a);
}

/* What the kernel's lines go in by: its first statement, further than its last brace.
 */
static const char *step_of(const ww_rewriting *x) {
  const char *first = ww_body_gap(x) + 1;
  const char *outside = ww_text_indent(x, x->v[x->body].end - 1);
  const char *step = ww_starts(first, outside) ? first + strlen(outside) : "";
  return *step && *step != '\v' ? step : "  ";
}

static const char *with_steps(ww_rewriting *x, const char *text, const char *step) {
  ww_buf b = {0};
  if (!strchr(text, '\v'))
    return text;
  for (; *text; text++)
    if (*text == '\v')
      ww_buf_puts(&b, step);
    else
      ww_buf_add(&b, text, 1);
  return ww_buf_text(&b, x->a);
}

void ww_rewrite_offer(ww_rewriting *x,
                      const ww_edit_list *e,
                      const ww_rewritten *about) {
  ww_rewritten r = *about;
  const char *step = step_of(x);
  for (uint32_t k = 0; k < e->n; k++)
    e->v[k].text = with_steps(x, e->v[k].text, step);
  if (e->n)
    qsort(e->v, e->n, sizeof *e->v, by_place);
  for (uint32_t k = 1; k < e->n; k++)
    if (e->v[k].begin < e->v[k - 1].end || e->v[k].begin == e->v[k - 1].begin)
      return;
  if (r.apart && x->in->overlap)
    return;
  r.edits = e->v;
  r.n = e->n;
  ww_push(x->a, &x->out, r);
}

/* ---- the kernel ---- */

/* A template's instance is called after it: `scale<float, 4>`. */
static bool is_named(const char *kernel, const char *function) {
  size_t n = strlen(function);
  return n && !strncmp(kernel, function, n) && (!kernel[n] || kernel[n] == '<');
}

bool ww_rewrite_kernel(ww_rewriting *x) {
  const ww_syntax *s = x->in->syntax;
  uint32_t line = 1;
  uint32_t at = 0;
  bool found = false;
  for (uint32_t i = 0; i < s->n; i++) {
    const ww_node *n = &s->v[i];
    bool function = n->kind == WW_NODE_FUNCTION || n->kind == WW_NODE_TEMPLATE;
    uint32_t body = function && n->last > i + 1 ? i + 1 : WW_NONODE;
    for (uint32_t c = i + 1; function && c < n->last; c = s->v[c].last)
      body = c;
    if (!function || body == WW_NONODE || s->v[body].kind != WW_NODE_COMPOUND ||
        !is_named(x->in->kernel, n->name))
      continue;
    for (; at < n->decl && at < s->bytes; at++)
      line += s->text[at] == '\n';
    if (found && line != x->in->line)
      continue;
    x->kernel = i;
    x->body = body;
    found = true;
  }
  return found;
}

const char *ww_rewrite_error(const ww_rewriting *x) {
  const ww_syntax *s = x->in->syntax;
  const ww_node *kernel = &s->v[x->kernel];
  for (uint32_t i = 0; i < s->n; i++)
    if (s->v[i].kind == WW_NODE_ERROR && s->v[i].begin >= kernel->begin &&
        s->v[i].begin <= kernel->end)
      return s->v[i].name;
  return NULL;
}

uint32_t
ww_rewrite_all(const ww_rewrite_input *in, ww_arena *a, ww_rewritten **out, ww_err *e) {
  ww_rewriting x = {
      .in = in,
      .v = in->syntax->v,
      .text = in->syntax->text,
      .a = a,
  };
  *out = NULL;
  if (!ww_rewrite_kernel(&x)) {
    ww_fail(e, WW_EUNSUPPORTED, "the kernel's text is not in this file");
    return 0;
  }
  const char *error = ww_rewrite_error(&x);
  if (error) {
    ww_fail(e, WW_EPARSE, "libclang does not understand the kernel: %s", error);
    return 0;
  }
  for (int k = 0; k < WW_NREWRITES; k++) {
    uint32_t from = x.out.n;
    functions[k](&x);
    for (; from < x.out.n; from++)
      x.out.v[from].kind = k;
  }
  *out = x.out.v;
  return x.out.n;
}

/* ---- the launch ---- */

static void swap_axes(ww_launch *l) {
  uint64_t grid = l->grid[0];
  uint64_t block = l->block[0];
  const char *grid_expr = l->grid_expr[0];
  const char *block_expr = l->block_expr[0];
  l->grid[0] = l->grid[1];
  l->grid[1] = grid;
  l->block[0] = l->block[1];
  l->block[1] = block;
  l->grid_expr[0] = l->grid_expr[1];
  l->grid_expr[1] = grid_expr;
  l->block_expr[0] = l->block_expr[1];
  l->block_expr[1] = block_expr;
}

/* Axes that nobody gave are 1. */
static void fill_axes(ww_launch *l) {
  for (int k = 0; k < 3; k++) {
    if (!l->grid_expr[k] && !l->grid[k])
      l->grid[k] = 1;
    if (!l->block_expr[k] && !l->block[k])
      l->block[k] = 1;
  }
}

static uint32_t common_factor(uint32_t m, uint32_t n) {
  while (n) {
    uint32_t rest = m % n;
    m = n;
    n = rest;
  }
  return m;
}

/* (n+255)/256 -> n; NULL: it is not that form. */
static const char *rounded_up(const char *expr, uint32_t size, ww_arena *a) {
  const char *end = ww_fmt(a, "+%u)/%u", size - 1, size);
  size_t n = strlen(expr);
  size_t m = strlen(end);
  if (n < m + 2 || expr[0] != '(' || strcmp(expr + n - m, end) ||
      memchr(expr + 1, '(', n - m - 1) || memchr(expr + 1, ')', n - m - 1))
    return NULL;
  return ww_strndup(a, expr + 1, n - m - 1);
}

/* Blocks that cover `now` elements each where `expr` blocks covered `was`. */
static const char *cover(const char *expr, uint32_t was, uint32_t now, ww_arena *a) {
  const char *all = rounded_up(expr, was, a);
  if (all)
    return ww_fmt(a, "(%s+%u)/%u", all, now - 1, now);
  uint32_t f = common_factor(was, now);
  was /= f;
  now /= f;
  if (now == 1)
    return ww_fmt(a, "(%s)*%u", expr, was);
  return was == 1 ? ww_fmt(a, "(%s+%u)/%u", expr, now - 1, now)
                  : ww_fmt(a, "((%s)*%u+%u)/%u", expr, was, now - 1, now);
}

void ww_reshape_launch(const ww_reshape *r,
                       const ww_launch *complete,
                       ww_arena *a,
                       ww_launch *l) {
  if (!l->grid[0] && !l->grid_expr[0])
    memcpy(l->grid, complete->grid, sizeof l->grid);
  if (!l->block[0] && !l->block_expr[0])
    memcpy(l->block, complete->block, sizeof l->block);
  fill_axes(l);
  if (r->swap)
    swap_axes(l);
  for (int k = 0; k < 3; k++) {
    if (r->block[k]) {
      l->block[k] = r->block[k];
      l->block_expr[k] = NULL;
    }
    if (!r->was[k] || r->was[k] == r->now[k])
      continue;
    if (l->grid_expr[k])
      l->grid_expr[k] = cover(l->grid_expr[k], r->was[k], r->now[k], a);
    else
      l->grid[k] = (l->grid[k] * r->was[k] + r->now[k] - 1) / r->now[k];
  }
}
