/* ptx_body.c - the body of a PTX function: names made unique, statements, basic blocks.
 *
 * Braces inside a body are scopes, in which assembly of the source declares registers
 * and labels under names that occur many times. Such a name gets the number of its
 * scope behind an @, which no name has, so that all that follows knows one scope alone.
 */
#include "ptx_int.h"

#include <stdlib.h>

typedef struct {
  ptx_item kind; /* PTX_LABEL or PTX_STATEMENT */
  char *text;
  uint32_t scope;
  uint32_t line;
} item;

typedef struct {
  ptx_fn *f;
  ww_arena *a;
  WW_VEC(item) items;
  WW_VEC(uint32_t) parent; /* of each scope; 0 is the function */
  ww_dict declared;        /* "name@scope", "prefix@scope@" of banks */
  ww_dict targets;         /* names in branches and lists of targets */
} body;

/* ---- scopes ---- */

static void read_items(body *b) {
  char *at = b->f->def->body;
  char *text = NULL;
  uint32_t scope = 0;
  ww_push(b->a, &b->parent, 0);
  for (ptx_item k; (k = ptx_next(&at, &text)) != PTX_END;) {
    if (k == PTX_OPEN) {
      ww_push(b->a, &b->parent, scope);
      scope = b->parent.n - 1;
    } else if (k == PTX_CLOSE)
      scope = b->parent.v[scope];
    else
      ww_push(b->a, &b->items, (item){k, text, scope, ptx_line(b->f->p, text)});
  }
}

static void declare(body *b, const char *name, size_t n, uint32_t scope, bool bank) {
  bool fresh;
  const char *key = ww_fmt(b->a, "%.*s@%u%s", (int)n, name, scope, bank ? "@" : "");
  ww_dict_at(&b->declared, b->a, key, strlen(key), &fresh);
}

static bool is_declaration(const char *text) {
  static const char *const spaces[] = {".reg", ".param", ".local", ".shared", NULL};
  return ww_begins(text, spaces);
}

/* Names that a statement of an inner scope declares: what is no directive, number or
 * size. */
static void declare_all(body *b, const item *t) {
  for (const char *c = t->text; *c && *c != '=';) {
    size_t n = ptx_word(c);
    if (*c == '.' || ww_is_digit(*c)) {
      c += 1 + ww_word_length(c + 1);
      continue;
    }
    if (n)
      declare(b, c, n, t->scope, c[n] == '<');
    c += n ? n : 1;
  }
}

/* The name's own, as it was declared in the scope or around it; NULL: the function's.
 */
static const char *renamed(body *b, const char *name, size_t n, uint32_t scope) {
  size_t digits = n;
  while (digits && ww_is_digit(name[digits - 1]))
    digits--;
  for (; scope; scope = b->parent.v[scope]) {
    char *key = ww_fmt(b->a, "%.*s@%u", (int)n, name, scope);
    if (ww_dict_find(&b->declared, key, strlen(key)))
      return key;
    bool bank = name[n] == '<';
    key = ww_fmt(b->a, "%.*s@%u@", (int)(bank ? n : digits), name, scope);
    if ((bank || digits < n) && ww_dict_find(&b->declared, key, strlen(key)))
      return bank ? key : ww_fmt(b->a, "%s%.*s", key, (int)(n - digits), name + digits);
  }
  return NULL;
}

static void rename_all(body *b, item *t) {
  ww_buf out = {0};
  for (const char *c = t->text; *c;) {
    size_t n = ptx_word(c);
    bool part = c > t->text && (c[-1] == '.' || c[-1] == ':');
    const char *own = n && !part ? renamed(b, c, n, t->scope) : NULL;
    if (own)
      ww_buf_puts(&out, own);
    else
      ww_buf_add(&out, c, n ? n : 1);
    c += n ? n : 1;
  }
  t->text = ww_buf_text(&out, b->a);
}

static void resolve_scopes(body *b) {
  for (uint32_t k = 0; k < b->items.n; k++) {
    const item *t = &b->items.v[k];
    if (!t->scope)
      continue;
    if (t->kind == PTX_LABEL)
      declare(b, t->text, strlen(t->text), t->scope, false);
    else if (is_declaration(t->text))
      declare_all(b, t);
  }
  for (uint32_t k = 0; k < b->items.n; k++)
    if (b->items.v[k].scope)
      rename_all(b, &b->items.v[k]);
}

/* ---- labels ---- */

static bool is_list(const char *text) {
  return ww_starts(text, ".branchtargets") || ww_starts(text, ".call");
}

/* Where something goes: debuggers have labels everywhere, which end no block. */
static void find_targets(body *b) {
  for (uint32_t k = 0; k < b->items.n; k++) {
    const char *c = b->items.v[k].text;
    const char *bra = b->items.v[k].kind == PTX_STATEMENT ? strstr(c, "bra") : NULL;
    bool fresh;
    if (!bra || *c == '"')
      continue;
    for (c = bra; *c;) {
      size_t n = ptx_word(c);
      if (n)
        ww_dict_at(&b->targets, b->a, c, n, &fresh);
      c += n ? n : 1;
    }
  }
}

/* ---- statements ---- */

static void add_var(ptx_fn *f, ptx_var v) {
  bool fresh;
  ww_arena *a = f->F->a;
  if (v.space == WW_PARAM) { /* for a call */
    ww_push(a, &f->passed, (ptx_passed){.var = v, .block = WW_NOBLOCK});
    *ww_dict_at(&f->passed_named, a, v.name, strlen(v.name), &fresh) = f->passed.n;
    return;
  }
  ww_push(a, &f->vars, v);
  *ww_dict_at(&f->var_named, a, v.name, strlen(v.name), &fresh) = f->vars.n;
}

/* .local .align 16 .b8 depot[64], .shared ..., .param .b32 x */
static void declare_vars(ptx_fn *f, char *text) {
  ptx_var like = {0};
  char *c = text + 1 + ww_word_length(text + 1);
  for (int s = WW_GENERIC + 1; s < WW_NSPACES; s++)
    if (!strncmp(text + 1, ww_space_names[s], strlen(ww_space_names[s])))
      like.space = s;
  for (bool more = true; more;) {
    ptx_var v = like;
    more = false;
    if (!ptx_parse_var(f->F->a, &c, &v)) {
      low_refuse(f->F, "PTX: %.100s", text);
      return;
    }
    add_var(f, v);
    like.type = v.type;
    like.align = v.align;
    like.bytes = ww_type_bytes[v.type];
    c += strspn(c, " \t\n\r");
    if (*c == ',') {
      c++;
      more = true;
    }
  }
}

/* "list: .branchtargets a, b" and "proto: .callprototype ..." are statements as well,
 * found by their label. */
static void add_list(ptx_fn *f, const char *label, const char *text) {
  bool fresh;
  ptx_stmt s = {0};
  ptx_parse(&s.i, &f->s, text);
  ww_push(f->F->a, &f->stmts, s);
  *ww_dict_at(&f->lists, f->F->a, label, strlen(label), &fresh) = f->stmts.n;
}

static ptx_block *new_block(ptx_fn *f) {
  ptx_block b = {.first = f->stmts.n, .order = UINT32_MAX};
  ww_push(f->F->a, &f->blocks, b);
  return &f->blocks.v[f->blocks.n - 1];
}

static bool ends_block(const ptx_ins *i) {
  static const char *const ends[] = {"bra", "brx", "ret", "exit", "trap", NULL};
  return i->nop && ww_one_of(i->op[0], ends) &&
         (!i->predicate || !strcmp(i->op[0], "bra"));
}

static void add_label(ptx_fn *f, const char *name) {
  bool fresh;
  if (f->blocks.v[f->blocks.n - 1].n)
    new_block(f);
  *ww_dict_at(&f->labels, f->F->a, name, strlen(name), &fresh) = f->blocks.n;
}

static void add_statement(ptx_fn *f, const item *t, uint32_t loc) {
  ptx_block *b = &f->blocks.v[f->blocks.n - 1];
  ptx_stmt s = {.loc = loc, .line = t->line};
  ptx_parse(&s.i, &f->s, t->text);
  if (b->n && ends_block(&f->stmts.v[f->stmts.n - 1].i))
    b = new_block(f);
  ww_push(f->F->a, &f->stmts, s);
  b->n++;
}

static void add_directive(ptx_fn *f, const item *t) {
  if (ww_starts(t->text, ".reg"))
    ptx_declare(&f->s, t->text + 4);
  else if (is_declaration(t->text))
    declare_vars(f, t->text);
  else if (ww_starts(t->text, ".pragma") && strstr(t->text, "nounroll")) {
    if (f->blocks.v[f->blocks.n - 1].n)
      new_block(f);
    f->blocks.v[f->blocks.n - 1].no_unroll = true;
  }
}

static void add_items(ptx_fn *f, const body *b) {
  uint32_t loc = 0;
  new_block(f);
  for (uint32_t k = 0; k < b->items.n; k++) {
    const item *t = &b->items.v[k];
    const item *next = k + 1 < b->items.n ? t + 1 : t;
    if (t->kind == PTX_LABEL) {
      if (!is_list(next->text) && ww_dict_find(&b->targets, t->text, strlen(t->text)))
        add_label(f, t->text);
    } else if (ww_starts(t->text, ".loc") && ww_is_space(t->text[4])) {
      loc = ptx_loc(f->p, t->text + 4, 0);
      f->place = f->place ? f->place : loc;
    } else if (*t->text == '.')
      add_directive(f, t);
    else
      add_statement(f, t, f->p->has_lines ? loc : ptx_loc(f->p, NULL, t->line));
  }
  for (uint32_t k = 0; k + 1 < b->items.n; k++) {
    const item *t = &b->items.v[k];
    if (t->kind == PTX_LABEL && is_list(t[1].text))
      add_list(f, t->text, t[1].text);
  }
}

/* ---- edges ---- */

static void add_edge(ptx_fn *f, uint32_t from, uint32_t to) {
  ptx_block *b = &f->blocks.v[from];
  for (uint32_t k = 0; k < b->succ.n; k++)
    if (b->succ.v[k] == to)
      return;
  ww_push(f->F->a, &b->succ, to);
  ww_push(f->F->a, &f->blocks.v[to].pred, from);
}

static void add_target(ptx_fn *f, uint32_t from, ptx_ins *i, const char *label) {
  const uint32_t *to = ww_dict_find(&f->labels, label, strlen(label));
  if (to)
    add_edge(f, from, *to - 1);
  else
    ptx_refuse(i);
}

static void add_edges(ptx_fn *f, uint32_t b) {
  ptx_block *t = &f->blocks.v[b];
  ptx_ins *i = t->n ? &f->stmts.v[t->first + t->n - 1].i : NULL;
  bool ends = i && ends_block(i);
  if (ends && !strcmp(i->op[0], "bra") && i->narg == 1)
    add_target(f, b, i, i->arg[0]);
  else if (ends && !strcmp(i->op[0], "brx") && i->narg == 2) {
    const uint32_t *list = ww_dict_find(&f->lists, i->arg[1], strlen(i->arg[1]));
    const ptx_ins *l = list ? &f->stmts.v[*list - 1].i : NULL;
    for (uint32_t k = 0; l && k < l->narg; k++)
      add_target(f, b, i, l->arg[k]);
    if (!l)
      ptx_refuse(i);
  } else if (ends && (!strcmp(i->op[0], "bra") || !strcmp(i->op[0], "brx")))
    ptx_refuse(i);
  if ((!ends || i->predicate) && b + 1 < f->blocks.n)
    add_edge(f, b, b + 1);
}

/* ---- order and dominators ---- */

static void find_order(ptx_fn *f) {
  ww_arena *a = f->F->a;
  uint32_t n = f->blocks.n;
  uint32_t *stack = WW_NEWN(a, uint32_t, n + 1);
  uint32_t *next = WW_NEWN(a, uint32_t, n + 1);
  bool *seen = WW_NEWN(a, bool, n + 1);
  uint32_t depth = 1; /* the entry, block 0 */
  ptx_numbers post = {0};
  seen[0] = true;
  while (depth) {
    uint32_t b = stack[depth - 1];
    const ptx_numbers *succ = &f->blocks.v[b].succ;
    if (next[b] == succ->n) {
      ww_push(a, &post, b);
      depth--;
      continue;
    }
    uint32_t to = succ->v[succ->n - 1 - next[b]++]; /* what follows comes first */
    if (!seen[to]) {
      seen[to] = true;
      stack[depth++] = to;
    }
  }
  for (uint32_t k = post.n; k-- > 0;) {
    f->blocks.v[post.v[k]].order = f->order.n;
    ww_push(a, &f->order, post.v[k]);
  }
}

static uint32_t meet(const ptx_fn *f, uint32_t a, uint32_t b) {
  while (a != b) {
    while (f->blocks.v[a].order > f->blocks.v[b].order)
      a = f->blocks.v[a].idom;
    while (f->blocks.v[b].order > f->blocks.v[a].order)
      b = f->blocks.v[b].idom;
  }
  return a;
}

static void find_dominators(ptx_fn *f) {
  for (uint32_t b = 0; b < f->blocks.n; b++)
    f->blocks.v[b].idom = UINT32_MAX;
  f->blocks.v[0].idom = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t k = 1; k < f->order.n; k++) {
      ptx_block *b = &f->blocks.v[f->order.v[k]];
      uint32_t idom = UINT32_MAX;
      for (uint32_t j = 0; j < b->pred.n; j++) {
        uint32_t p = b->pred.v[j];
        if (f->blocks.v[p].idom != UINT32_MAX)
          idom = idom == UINT32_MAX ? p : meet(f, idom, p);
      }
      changed |= b->idom != idom;
      b->idom = idom;
    }
  }
}

/* Blocks are numbered so that those which one dominates follow it. */
static void number_tree(ptx_fn *f) {
  uint32_t *next = WW_NEWN(f->F->a, uint32_t, f->blocks.n);
  for (uint32_t k = f->order.n; k-- > 0;) {
    ptx_block *b = &f->blocks.v[f->order.v[k]];
    b->tree_size++;
    if (k)
      f->blocks.v[b->idom].tree_size += b->tree_size;
  }
  for (uint32_t k = 0; k < f->order.n; k++) {
    ptx_block *b = &f->blocks.v[f->order.v[k]];
    if (k) {
      b->tree_at = next[b->idom];
      next[b->idom] += b->tree_size;
    }
    next[f->order.v[k]] = b->tree_at + 1;
  }
}

bool ptx_dominates(const ptx_fn *f, uint32_t a, uint32_t b) {
  return f->blocks.v[b].tree_at - f->blocks.v[a].tree_at < f->blocks.v[a].tree_size;
}

/* Ways that nothing takes are no ways. */
static void drop_dead_ways(ptx_fn *f) {
  for (uint32_t b = 0; b < f->blocks.n; b++) {
    ptx_numbers *pred = &f->blocks.v[b].pred;
    uint32_t n = 0;
    for (uint32_t k = 0; k < pred->n; k++)
      if (f->blocks.v[pred->v[k]].order != UINT32_MAX)
        pred->v[n++] = pred->v[k];
    pred->n = n;
  }
}

void ptx_read_body(ptx_fn *f) {
  body b = {.f = f, .a = f->F->a};
  read_items(&b);
  resolve_scopes(&b);
  find_targets(&b);
  add_items(f, &b);
  for (uint32_t k = 0; k < f->blocks.n; k++)
    add_edges(f, k);
  find_order(f);
  drop_dead_ways(f);
  find_dominators(f);
  number_tree(f);
}
