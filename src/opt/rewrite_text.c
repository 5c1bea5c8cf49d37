/* rewrite_text.c - rewrites of a few words: what the compiler may assume of pointers,
 * constants of the right precision, running values in registers, unrolled loops; and
 * the edits that the findings have already. */
#include "rewrite_int.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- restrict and const ---- */

/* Is anything that it points to written, or its address handed on? */
static bool written_through(const ww_rewriting *x, uint32_t decl) {
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t to = ww_node_target(x, i);
    bool address = x->v[i].kind == WW_NODE_UNARY && !strcmp(x->v[i].name, "&");
    if ((to != WW_NONODE && ww_node_uses(x, to, decl)) ||
        (address && ww_node_uses(x, i, decl)))
      return true;
    /* a copy of the pointer, or a function that gets it */
    bool copied = x->v[i].kind == WW_NODE_VARIABLE && x->v[i].type == WW_TYPE_POINTER;
    if (copied && ww_node_uses(x, i, decl))
      return true;
    if (x->v[i].kind != WW_NODE_CALL)
      continue;
    for (uint32_t c = i + 1; c < x->v[i].last; c = x->v[c].last)
      if (x->v[c].type == WW_TYPE_POINTER && ww_node_uses(x, c, decl))
        return true;
  }
  return false;
}

/* Is it declared or instantiated elsewhere too? Types of parameters have to stay as
 * they are; `__restrict__` is no part of them. */
static bool is_declared_twice(const ww_rewriting *x) {
  const ww_node *kernel = &x->v[x->kernel];
  for (const char *p = x->text; (p = ww_find_word(p, kernel->name)); p++)
    if (p != x->text + kernel->decl && *ww_text_behind(p + strlen(kernel->name)) == '(')
      return true;
  return kernel->redeclared;
}

void ww_rewrite_restrict(ww_rewriting *x) {
  bool cl = x->in->dialect == WW_OPENCL;
  bool types_stay = is_declared_twice(x);
  ww_edit_list e = {0};
  uint32_t pointers = 0;
  for (uint32_t i = x->kernel + 1; i < x->body; i++) {
    const ww_node *p = &x->v[i];
    if (p->kind != WW_NODE_PARAMETER || p->type != WW_TYPE_POINTER || p->macro)
      continue;
    pointers++;
    if (!p->is_restrict && p->decl > p->begin)
      ww_edit_put(x, &e, p->decl, p->decl, cl ? "restrict " : "__restrict__ ");
    if (!p->is_const && !p->is_volatile && !types_stay && !written_through(x, p->decl))
      ww_edit_put(x, &e, p->begin, p->begin, "const ");
  }
  if (e.n && pointers > 1)
    ww_rewrite_offer(
        x, &e,
        &(ww_rewritten){.title = "pointers restrict, inputs const", .apart = true});
}

/* ---- floats ---- */

static bool has_doubles(const ww_rewriting *x) {
  for (uint32_t i = x->kernel; i < x->v[x->kernel].last; i++) {
    const ww_node *n = &x->v[i];
    bool declared = n->kind == WW_NODE_VARIABLE || n->kind == WW_NODE_PARAMETER;
    if (declared && (n->type == WW_TYPE_DOUBLE || strstr(n->spelled, "double")))
      return true;
    if (n->kind == WW_NODE_CAST && n->type == WW_TYPE_DOUBLE)
      return true;
  }
  return false;
}

/* Instances of a template may compute in double: there a constant may change that is
 * the same number as a float. */
static bool is_exact(const ww_rewriting *x, const ww_node *n) {
  double value = strtod(ww_strndup(x->a, x->text + n->begin, n->end - n->begin), NULL);
  return value == (double)(float)value;
}

void ww_rewrite_floats(ww_rewriting *x) {
  bool template = x->v[x->kernel].kind == WW_NODE_TEMPLATE;
  ww_edit_list e = {0};
  if (has_doubles(x))
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    const ww_node *n = &x->v[i];
    if (n->kind != WW_NODE_FLOATING || n->type != WW_TYPE_DOUBLE || n->macro ||
        (template && !is_exact(x, n)))
      continue;
    char last = x->text[n->end - 1];
    if (isdigit((unsigned char)last) || last == '.')
      ww_edit_put(x, &e, n->end, n->end, "f");
  }
  if (e.n)
    ww_rewrite_offer(x, &e,
                     &(ww_rewritten){.title = ww_fmt(x->a, "%u constant%s as float",
                                                     e.n, e.n == 1 ? "" : "s")});
}

/* ---- unroll ---- */

static bool is_loop(const ww_node *n) {
  return n->kind == WW_NODE_FOR || n->kind == WW_NODE_WHILE || n->kind == WW_NODE_DO;
}

static bool is_innermost(const ww_rewriting *x, uint32_t loop) {
  for (uint32_t i = loop + 1; i < x->v[loop].last; i++)
    if (is_loop(&x->v[i]))
      return false;
  return true;
}

/* Nothing but blanks before it on its line, and no directive above. */
static bool takes_pragma(const ww_rewriting *x, uint32_t loop, uint32_t *line) {
  uint32_t at = x->v[loop].begin;
  while (at && strchr(" \t", x->text[at - 1]))
    at--;
  if (at && x->text[at - 1] != '\n')
    return false;
  *line = at;
  for (at = at ? at - 1 : 0; at && x->text[at - 1] != '\n';)
    at--;
  return x->text[at + strspn(x->text + at, " \t")] != '#';
}

/* One comparison ends it: of others a compiler cannot bring the loads of several rounds
 * together, and where it is asked to unroll them it does not do its own form of it. */
static bool is_ended_once(const ww_rewriting *x, uint32_t loop) {
  uint32_t n = ww_node_children(x, loop);
  for (uint32_t k = 0; k + 1 < n; k++) {
    uint32_t part = ww_node_bare(x, ww_node_child(x, loop, k));
    if (x->v[part].kind == WW_NODE_BINARY &&
        (!strcmp(x->v[part].name, "&&") || !strcmp(x->v[part].name, "||")))
      return false;
  }
  return n && !ww_node_jumps(x, ww_node_child(x, loop, n - 1));
}

static const char *first_words(const ww_rewriting *x, uint32_t node) {
  const char *text = ww_node_text(x, node);
  return ww_strndup(x->a, text, strcspn(text, ")\n"));
}

void ww_rewrite_unroll(ww_rewriting *x) {
  static const uint32_t factors[] = {4, 8};
  uint32_t loops = 0;
  for (uint32_t i = x->body; i < x->v[x->body].last && loops < 4; i++) {
    uint32_t line;
    if (x->v[i].kind != WW_NODE_FOR || !is_innermost(x, i) || !is_ended_once(x, i) ||
        !takes_pragma(x, i, &line))
      continue;
    loops++;
    for (uint32_t k = 0; k < WW_COUNT(factors); k++) {
      ww_edit_list e = {0};
      ww_edit_put(
          x, &e, line, line,
          ww_fmt(x->a, "%s#pragma unroll %u\n", ww_text_indent(x, line), factors[k]));
      ww_rewrite_offer(x, &e,
                       &(ww_rewritten){.title = ww_fmt(x->a, "unroll %u of `%s)`",
                                                       factors[k], first_words(x, i))});
    }
  }
}

/* ---- accumulate ---- */

bool ww_node_invariant(const ww_rewriting *x, uint32_t node, uint32_t loop) {
  for (uint32_t i = node; i < x->v[node].last; i++) {
    const ww_node *n = &x->v[i];
    uint32_t axis;
    if ((n->kind == WW_NODE_CALL && ww_index_of(x, i, &axis) < 0) ||
        (n->kind == WW_NODE_SUBSCRIPT && i != node) ||
        ww_node_target(x, i) != WW_NONODE)
      return false;
    if (n->kind != WW_NODE_REFERENCE)
      continue;
    uint32_t d = ww_node_of_decl(x, n->decl);
    if (d != WW_NONODE &&
        (ww_node_inside(x, d, loop) || ww_node_changed(x, n->decl, loop)))
      return false;
  }
  return true;
}

/* Nothing in the loop leaves it, waits for others or calls what may touch memory; the
 * array is used by this element alone. */
static bool keeps_to(const ww_rewriting *x, uint32_t loop, uint32_t element) {
  static const char *const stops[] = {"__sync", "atomic", "__threadfence", "barrier",
                                      NULL};
  uint32_t array = ww_node_bare(x, ww_node_child(x, element, 0));
  for (uint32_t i = loop; i < x->v[loop].last; i++) {
    const ww_node *n = &x->v[i];
    if (n->kind == WW_NODE_RETURN || n->kind == WW_NODE_GOTO || n->kind == WW_NODE_ASM)
      return false;
    for (int k = 0; n->kind == WW_NODE_CALL && stops[k]; k++)
      if (ww_starts(n->name, stops[k]) || n->decl != UINT32_MAX)
        return false;
    if (n->kind != WW_NODE_REFERENCE || n->decl != x->v[array].decl)
      continue;
    uint32_t use = ww_node_above(x, i, WW_NODE_SUBSCRIPT);
    if (use == WW_NONODE || !ww_node_inside(x, use, loop) || x->v[use].macro ||
        ww_node_bare(x, ww_node_child(x, use, 0)) != i ||
        !ww_node_alike(x, use, element))
      return false;
  }
  return true;
}

/* The outermost loop in which the element stays the same. */
static uint32_t loop_around(const ww_rewriting *x, uint32_t element) {
  uint32_t found = WW_NONODE;
  for (int32_t p = x->v[element].parent; p > (int32_t)x->body; p = x->v[p].parent)
    if (is_loop(&x->v[p])) {
      if (!ww_node_invariant(x, element, p) || !keeps_to(x, p, element))
        break;
      if (ww_node_in_block(x, p) && !x->v[p].macro)
        found = p;
    }
  return found;
}

static void offer_register(ww_rewriting *x, uint32_t loop, uint32_t element) {
  const ww_node *n = &x->v[element];
  const char *name = ww_text_fresh(x, "sum");
  const char *what = ww_node_text(x, element);
  uint32_t begin = x->v[loop].begin;
  uint32_t end = ww_node_end(x, loop);
  const char *gap = ww_fmt(x->a, "\n%s", ww_text_indent(x, begin));
  ww_edit_list e = {0};
  ww_edit_put(x, &e, begin, begin,
              ww_fmt(x->a, "%s %s = %s;%s", n->spelled, name, what, gap));
  for (uint32_t i = loop; i < x->v[loop].last; i++)
    if (x->v[i].kind == WW_NODE_SUBSCRIPT && ww_node_alike(x, i, element))
      ww_edit_put(x, &e, x->v[i].begin, x->v[i].end, name);
  ww_edit_put(x, &e, end, end, ww_fmt(x->a, "%s%s = %s;", gap, what, name));
  ww_rewrite_offer(x, &e,
                   &(ww_rewritten){.title = ww_fmt(x->a, "`%s` in a register", what),
                                   .apart = true});
}

/* Is an array element in memory that others share, reached by a name alone? */
static bool is_element(const ww_rewriting *x, uint32_t node) {
  if (node == WW_NONODE || x->v[node].kind != WW_NODE_SUBSCRIPT || x->v[node].macro ||
      x->v[node].is_volatile ||
      (x->v[node].type != WW_TYPE_FLOAT && x->v[node].type != WW_TYPE_DOUBLE &&
       x->v[node].type != WW_TYPE_INT))
    return false;
  uint32_t array = ww_node_bare(x, ww_node_child(x, node, 0));
  if (array == WW_NONODE || x->v[array].kind != WW_NODE_REFERENCE)
    return false;
  uint32_t d = ww_node_of_decl(x, x->v[array].decl);
  return d != WW_NONODE && x->v[d].type == WW_TYPE_POINTER;
}

void ww_rewrite_accumulate(ww_rewriting *x) {
  uint32_t last = WW_NONODE;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    uint32_t element = ww_node_target(x, i);
    if (!is_element(x, element))
      continue;
    uint32_t loop = loop_around(x, element);
    if (loop != WW_NONODE && loop != last)
      offer_register(x, loop, element);
    last = loop;
  }
}

/* ---- fast math ---- */

/* The intrinsic of less precision; NULL: there is none. */
static const char *fast_name(const char *name) {
  static const char *const names[][2] = {
      {"expf", "__expf"}, {"exp", "__expf"},          {"logf", "__logf"},
      {"log", "__logf"},  {"log2f", "__log2f"},       {"log10f", "__log10f"},
      {"sinf", "__sinf"}, {"sin", "__sinf"},          {"cosf", "__cosf"},
      {"cos", "__cosf"},  {"tanf", "__tanf"},         {"powf", "__powf"},
      {"pow", "__powf"},  {"fdividef", "__fdividef"}, {"exp10f", "__exp10f"}};
  for (size_t k = 0; k < WW_COUNT(names); k++)
    if (!strcmp(name, names[k][0]))
      return names[k][1];
  return NULL;
}

void ww_rewrite_fast(ww_rewriting *x) {
  ww_edit_list e = {0};
  if (!x->in->approximate || x->in->dialect != WW_CUDA)
    return;
  for (uint32_t i = x->body; i < x->v[x->body].last; i++) {
    const ww_node *n = &x->v[i];
    const char *fast = fast_name(ww_node_callee(x, i));
    if (fast && n->type == WW_TYPE_FLOAT && !n->macro && n->decl == UINT32_MAX &&
        !strncmp(x->text + n->begin, n->name, strlen(n->name)))
      ww_edit_put(x, &e, n->begin, n->begin + strlen(n->name), fast);
  }
  if (e.n)
    ww_rewrite_offer(x, &e,
                     &(ww_rewritten){.title = ww_fmt(x->a, "%u call%s of fast math",
                                                     e.n, e.n == 1 ? "" : "s")});
}

/* ---- the edits of findings ---- */

void ww_rewrite_fixes(ww_rewriting *x) {
  const ww_report *r = x->in->report;
  ww_fix_source s = {.text = x->text,
                     .n = x->in->syntax->bytes,
                     .dialect = x->in->dialect,
                     .kernel = x->in->kernel,
                     .line = x->in->line,
                     .launch = x->in->launch};
  for (uint32_t k = 0; r && k < r->nfindings; k++) {
    ww_fix *v;
    uint32_t n = ww_fixes_find(&s, &r->findings[k], x->a, &v);
    for (uint32_t i = 0; i < n; i++) {
      ww_edit_list e = {0};
      for (uint32_t j = 0; j < v[i].n; j++)
        ww_push(x->a, &e, v[i].edits[j]);
      if (!v[i].launch) /* what changes the launch has a rewrite of its own */
        ww_rewrite_offer(
            x, &e,
            &(ww_rewritten){.title = ww_fmt(x->a, "%s: %s", v[i].rule, v[i].title),
                            .apart = v[i].assumes});
    }
  }
}
