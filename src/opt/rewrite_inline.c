/* rewrite_inline.c - a kernel that only calls another function gets that function's
 * body, so that rewrites can see and change it without changing it for others.
 *
 * `__global__ void k(...) { work<4>(...); }`: template arguments become constants and
 * type names, arguments variables where they are named otherwise. */
#include "rewrite_int.h"

#include <ctype.h>

#define MOST_ARGUMENTS 32

typedef struct {
  ww_rewriting x;
  uint32_t call, function, body; /* nodes: the call, whom it calls, its braces */
  uint32_t args[MOST_ARGUMENTS], params[MOST_ARGUMENTS];
  uint32_t n;
} wrapper;

/* The function of this text that a call means, with a body; WW_NONODE. */
static uint32_t function_of(const ww_rewriting *x, uint32_t decl, uint32_t *body) {
  for (uint32_t f = 0; decl != UINT32_MAX && f < x->in->syntax->n; f++) {
    const ww_node *n = &x->v[f];
    if ((n->kind != WW_NODE_FUNCTION && n->kind != WW_NODE_TEMPLATE) || n->decl != decl)
      continue;
    uint32_t children = ww_node_children(x, f);
    *body = children ? ww_node_child(x, f, children - 1) : WW_NONODE;
    if (*body != WW_NONODE && x->v[*body].kind == WW_NODE_COMPOUND && !n->macro)
      return f;
  }
  return WW_NONODE;
}

/* Its text from the first byte to its name has `void`, and no pointer to it. */
static bool returns_nothing(const ww_rewriting *x, uint32_t function) {
  const ww_node *n = &x->v[function];
  const char *head = ww_strndup(x->a, x->text + n->begin, n->decl - n->begin);
  const char *type = strstr(head, "void");
  return type && !strchr(type, '*');
}

static bool find_wrapper(wrapper *w) {
  ww_rewriting *x = &w->x;
  if (ww_node_children(x, x->body) != 1)
    return false;
  w->call = ww_node_bare(x, ww_node_child(x, x->body, 0));
  if (x->v[w->call].kind != WW_NODE_CALL || x->v[w->call].macro)
    return false;
  w->function = function_of(x, x->v[w->call].decl, &w->body);
  if (w->function == WW_NONODE || w->function == x->kernel ||
      !returns_nothing(x, w->function))
    return false;
  for (uint32_t i = ww_node_child(x, w->function, 0); i < w->body; i = x->v[i].last)
    if (x->v[i].kind == WW_NODE_PARAMETER && w->n < MOST_ARGUMENTS)
      w->params[w->n++] = i;
  for (uint32_t k = 0; k < w->n; k++) {
    w->args[k] = ww_node_child(x, w->call, k + 1);
    if (w->args[k] == WW_NONODE || x->v[w->params[k]].decl <= x->v[w->params[k]].begin)
      return false;
  }
  return ww_node_children(x, w->call) == w->n + 1;
}

/* ---- template arguments ---- */

/* The k-th of those that the call names; NULL: it names fewer. */
static const char *named_argument(const wrapper *w, uint32_t k) {
  const ww_rewriting *x = &w->x;
  const char *p = x->text + x->v[w->call].begin;
  const char *end = x->text + x->v[w->call].end;
  while (p < end && *p != '<' && *p != '(')
    p++;
  int depth = 0;
  const char *from = p + 1;
  for (; p < end && *from; p++) {
    depth += *p == '<' || *p == '(';
    depth -= *p == '>' || *p == ')';
    bool closes = !depth;
    if (!closes && !(depth == 1 && *p == ','))
      continue;
    if (!k--)
      return *(from - 1) == '(' && closes ? NULL : ww_strndup(x->a, from, p - from);
    if (closes)
      return NULL;
    from = p + 1;
  }
  return NULL;
}

/* What a type stands for, by a parameter that is it or points to it; NULL. */
static const char *deduced(const wrapper *w, const char *type) {
  const ww_rewriting *x = &w->x;
  for (uint32_t k = 0; k < w->n; k++) {
    const char *own = x->v[w->params[k]].spelled;
    const char *given = x->v[w->args[k]].spelled;
    own += ww_starts(own, "const ") ? strlen("const ") : 0;
    given += ww_starts(given, "const ") ? strlen("const ") : 0;
    if ((!strcmp(own, type) || ww_starts(own, "type-parameter-")) && *given &&
        strstr(ww_node_text(x, w->params[k]), type))
      return given;
  }
  return NULL;
}

/* Lines that make template parameters names of the body; NULL: one is not known. */
static const char *template_text(const wrapper *w, const char *indent) {
  const ww_rewriting *x = &w->x;
  const char *out = "";
  uint32_t k = 0;
  for (uint32_t i = ww_node_child(x, w->function, 0); i < w->body; i = x->v[i].last) {
    const ww_node *n = &x->v[i];
    bool inside = x->v[w->function].kind == WW_NODE_TEMPLATE &&
                  n->kind == WW_NODE_OTHER && n->end < x->v[w->function].decl &&
                  n->decl >= n->begin && n->decl < n->end && *n->name;
    if (!inside)
      continue;
    const char *text = ww_node_text(x, i);
    bool type = ww_starts(text, "typename") || ww_starts(text, "class");
    const char *value = named_argument(w, k++);
    if (!value && type)
      value = deduced(w, n->name);
    if (!value || strchr(text, '='))
      return NULL;
    out = type ? ww_fmt(x->a, "%s%susing %s = %s;\n", out, indent, n->name, value)
               : ww_fmt(x->a, "%s%sconstexpr %s = %s;\n", out, indent, text, value);
  }
  return out;
}

/* ---- arguments ---- */

/* The same name already means it. */
static bool is_passed_on(const wrapper *w, uint32_t k) {
  const ww_rewriting *x = &w->x;
  uint32_t arg = ww_node_bare(x, w->args[k]);
  return x->v[arg].kind == WW_NODE_REFERENCE &&
         !strcmp(x->v[arg].name, x->v[w->params[k]].name);
}

static const char *argument_text(const wrapper *w, const char *indent) {
  const ww_rewriting *x = &w->x;
  const char *out = "";
  for (uint32_t k = 0; k < w->n; k++)
    if (!is_passed_on(w, k))
      out = ww_fmt(x->a, "%s%s%s = %s;\n", out, indent, ww_node_text(x, w->params[k]),
                   ww_node_text(x, w->args[k]));
  return out;
}

const char *ww_rewrite_inlined(const ww_rewrite_input *in, ww_arena *a) {
  wrapper w = {.x = {.in = in, .v = in->syntax->v, .text = in->syntax->text, .a = a}};
  if (!ww_rewrite_kernel(&w.x) || !find_wrapper(&w))
    return NULL;
  const ww_rewriting *x = &w.x;
  uint32_t first = ww_node_child(x, w.body, 0);
  const char *indent = first == WW_NONODE ? "  " : ww_text_indent(x, x->v[first].begin);
  const char *constants = template_text(&w, indent);
  if (!constants)
    return NULL;
  const char *body = ww_node_text(x, w.body) + 1; /* behind the brace */
  ww_edit_list e = {0};
  ww_edit_put(&w.x, &e, x->v[x->body].begin, x->v[x->body].end,
              ww_fmt(a, "{\n%s%s%s", constants, argument_text(&w, indent),
                     body + strspn(body, "\n")));
  return ww_text_edited(x, 0, in->syntax->bytes, &e);
}
