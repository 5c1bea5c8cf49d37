/* question_resolve.c - every word of a function becomes a symbol: parameters, variables
 * with their types, members, functions.
 *
 * Declarations are told by their form, as scan.c does: a statement that begins with two
 * words declares the second one. Scopes are not kept: a name declared again takes the
 * place of the older one from there on, which is right wherever scopes do not
 * interleave. */
#include "question_int.h"

/* ---- maps ---- */

int32_t ww_qmap_get(const ww_dict *m, const ww_qtoken *name) {
  const uint32_t *value = ww_dict_find(m, name->s, name->n);
  return value ? (int32_t)*value : -1;
}

void ww_qmap_put(ww_dict *m, ww_arena *a, const ww_qtoken *name, int32_t v) {
  bool fresh;
  *ww_dict_at(m, a, name->s, name->n, &fresh) = v;
}

int32_t ww_qsym_add(ww_qresolver *r,
                    const ww_qtoken *name,
                    ww_qsym_kind kind,
                    char type,
                    uint32_t bytes) {
  ww_qsym s = {.kind = kind,
               .type = type,
               .bytes = bytes,
               .order = r->norder[kind]++,
               .param = -1,
               .function = -1,
               .alias = -1,
               .name = *name};
  ww_push(r->k->arena, &r->k->syms, s);
  return (int32_t)r->k->syms.n - 1;
}

/* ---- types ---- */

typedef struct {
  char type;
  bool shared, pointer, is_const, is_restrict, vector,
      plain; /* plain: a number, whose type its name says */
  uint32_t bytes;
  uint32_t name; /* token of the declared name */
} declared;

typedef struct {
  ww_qresolver *r;
  ww_question_kernel *k; /* the resolver's */
  ww_qtoken *t;
  uint32_t n;
  ww_dict names;
  bool is_class;
  bool function; /* a device function's: its parameters are not the launch's */
  bool raw;      /* words: parameters may stand anywhere */
} scope;

static bool is_statement_word(const ww_qtoken *t) {
  return ww_qtoken_in(
      t, "return else goto case break continue do if for while switch new delete "
         "throw omp operator unroll public private protected");
}

/* Qualifiers and what else may stand around a type; `local` and such only before
 * another word. */
static bool is_qualifier(const scope *s, uint32_t i, declared *d) {
  static const char words[] =
      "const volatile static register constexpr inline extern __global struct "
      "__private mutable "
      "typename __device__ __constant__ __constant union class __restrict__";
  const ww_qtoken *t = &s->t[i];
  d->is_const |= ww_qtoken_in(t, "const constexpr");
  d->is_restrict |= ww_qtoken_is(t, "__restrict__");
  bool between =
      i + 1 < s->n && s->t[i + 1].kind == Q_WORD && !is_statement_word(&s->t[i + 1]);
  if (ww_qtoken_in(t, "__shared__ __local") || (between && ww_qtoken_is(t, "local"))) {
    d->shared = true;
    return true;
  }
  return ww_qtoken_in(t, words) ||
         (between && ww_qtoken_in(t, "global constant private shared"));
}

static uint32_t skip_qualifiers(const scope *s, uint32_t i, declared *d) {
  for (; i < s->n; i++) {
    if (ww_qtoken_in(&s->t[i], "__align__ alignas __attribute__") && i + 1 < s->n &&
        s->t[i + 1].op == '(')
      i = s->t[i + 1].pair;
    else if (!is_qualifier(s, i, d))
      break;
  }
  return i;
}

/* i at '<' of template arguments: one past '>', or i when there is no such thing. */
static uint32_t skip_angles(const scope *s, uint32_t i) {
  uint32_t depth = 0;
  for (uint32_t k = i; k < s->n && k < i + 64; k++) {
    const ww_qtoken *t = &s->t[k];
    if (t->op == '<')
      depth++;
    if ((t->op == '>' && !--depth) || (t->op == Q_SHR && depth >= 2 && !(depth -= 2)))
      return k + 1;
    if (ww_qop_in(t, "; {"))
      return i;
  }
  return i;
}

/* The type's own words: builtin, template parameter, a class of the source, or any
 * word. */
static uint32_t type_word(scope *s, uint32_t i, declared *d) {
  const ww_qtoken *t = &s->t[i];
  if (i >= s->n || t->kind != Q_WORD || is_statement_word(t) || t->sym >= 0)
    return 0;
  uint32_t lanes = ww_qtype_named(t, &d->type, &d->bytes);
  if (lanes) {
    d->vector = lanes > 1;
    d->plain = lanes == 1;
    return i + 1;
  }
  int32_t known = ww_qmap_get(&s->names, t);
  bool generic = known >= 0 && s->k->syms.v[known].kind == Q_TEMPLATE;
  d->type = generic ? 'f' : 'o';
  d->bytes = 4; /* most template types are float */
  i++;
  while (i + 1 < s->n && s->t[i].op == Q_SCOPE && s->t[i + 1].kind == Q_WORD)
    i += 2;
  if (i < s->n && s->t[i].op == '<')
    i = skip_angles(s, i);
  return i;
}

/* Is a declaration here? d->name is then its first name. */
static bool parse_type(scope *s, uint32_t i, declared *d) {
  *d = (declared){0};
  i = skip_qualifiers(s, i, d);
  if (!(i = type_word(s, i, d)))
    return false;
  for (; i < s->n; i++) {
    if (s->t[i].op == '*')
      d->pointer = true;
    else if (s->t[i].op == '&')
      continue;
    else {
      uint32_t next = skip_qualifiers(s, i, d);
      if (next == i)
        break;
      i = next - 1;
    }
  }
  d->name = i;
  return i < s->n && s->t[i].kind == Q_WORD && s->t[i].sym < 0 &&
         !is_statement_word(&s->t[i]);
}

/* ---- declarations ---- */

static int32_t declare(scope *s, uint32_t at, const declared *d, ww_qsym_kind kind) {
  ww_qtoken *t = &s->t[at];
  int32_t old = ww_qmap_get(&s->names, t);
  ww_qsym *y = old < 0 ? NULL : &s->k->syms.v[old];
  if (y && y->kind == kind && y->type == d->type) {
    y->alias = -1; /* declared twice: not always the same */
    return t->sym = old;
  }
  int32_t id = ww_qsym_add(s->r, t, kind, d->type, d->bytes);
  y = &s->k->syms.v[id];
  y->vector = d->vector;
  y->is_const = d->is_const;
  y->is_restrict = d->is_restrict;
  ww_qmap_put(kind == Q_MEMBER ? &s->r->members : &s->names, s->k->arena, t, id);
  return t->sym = id;
}

static ww_qsym_kind kind_of(const scope *s, const declared *d, uint32_t at) {
  bool array = at + 1 < s->n && s->t[at + 1].op == '[';
  if (s->is_class)
    return Q_MEMBER;
  if (d->shared && !d->pointer)
    return Q_SHARED;
  return d->pointer ? Q_POINTER : array ? Q_ARRAY : Q_LOCAL;
}

/* `name = builtin` and nothing else: the name is always that builtin. */
static void note_alias(scope *s, uint32_t at, int32_t id) {
  const ww_qtoken *t = s->t + at;
  if (at + 3 >= s->n || t[1].op != '=' || t[2].sym < 0 || t[2].sym >= Q_NBUILTINS * 3 ||
      !ww_qop_in(&t[3], ", ;"))
    return;
  ww_qsym *y = &s->k->syms.v[id];
  bool fresh = y->name.s == t->s; /* declared here for the first time */
  if (fresh && (y->type == 'i' || y->type == 'u' || y->type == 'l') &&
      t[2].sym / 3 != Q_BLOCKDIM && t[2].sym / 3 != Q_GRIDDIM &&
      t[2].sym / 3 != Q_GLOBALDIM)
    y->alias = t[2].sym;
}

/* All names of one declaration: `float a = 1, b[4], *p;`. Qualifiers and plain types
 * are not written. */
static void declare_all(scope *s, uint32_t from, const declared *d) {
  uint32_t i = d->name;
  for (uint32_t k = from; k < i; k++) {
    declared none = {0};
    const ww_qtoken *t = &s->t[k];
    bool qualifier = is_qualifier(s, k, &none) && !ww_qtoken_is(t, "volatile");
    if (d->plain || qualifier)
      s->t[k].skip = true;
  }
  const ww_qtoken *t = s->t;
  do {
    declared one = *d;
    for (; i < s->n && ww_qop_in(&t[i], "* &"); i++)
      one.pointer |= t[i].op == '*';
    if (i >= s->n || t[i].kind != Q_WORD)
      return;
    note_alias(s, i, declare(s, i, &one, kind_of(s, &one, i)));
    i = ww_qbehind(t, i, s->n, ", ; )");
  } while (i < s->n && t[i++].op == ',');
}

static bool begins_statement(const scope *s, uint32_t i) {
  const ww_qtoken *t = &s->t[i];
  if (s->raw && i && ww_qop_in(&t[-1], "( ,"))
    return true;
  if (i && t[-1].op == '(')
    return i > 1 && ww_qtoken_is(&t[-2], "for");
  return !i || ww_qop_in(&t[-1], "; { } \n :");
}

static void try_declaration(scope *s, uint32_t i) {
  declared d;
  if (s->t[i].kind != Q_WORD || !begins_statement(s, i) || !parse_type(s, i, &d))
    return;
  uint32_t next = d.name + 1 < s->n ? s->t[d.name + 1].op : 0;
  if (!next || !strchr("=;,[({:", next & 127) || next > 127)
    return;
  if (next == '(' && s->is_class)
    return; /* a method */
  declare_all(s, i, &d);
}

/* ---- words ---- */

/* Changed behind its declaration, or its address is taken. */
static void note_assigned(scope *s, uint32_t i, int32_t id) {
  const ww_qtoken *t = s->t;
  bool after = i + 1 < s->n && (ww_qassigns(&t[i + 1]) || ww_qsteps(&t[i + 1]));
  bool before = i && ww_qsteps(&t[i - 1]);
  bool address = i > 1 && t[i - 1].op == '&' && ww_qop_in(&t[i - 2], "( , =");
  if (after || before || address)
    s->k->syms.v[id].assigned = true;
}

static int32_t member(scope *s, const ww_qtoken *t) {
  int32_t id = ww_qmap_get(&s->r->members, t);
  if (t->n == 1 && strchr("xyzw", *t->s))
    return -1;
  if (id < 0) {
    id = ww_qsym_add(s->r, t, Q_MEMBER, 'o', 4);
    ww_qmap_put(&s->r->members, s->k->arena, t, id);
  }
  return id;
}

static void resolve_word(scope *s, uint32_t i) {
  ww_qtoken *t = &s->t[i];
  if (t->kind != Q_WORD || t->sym >= 0)
    return;
  if (i && ww_qop_in(&s->t[i - 1], ". ->")) {
    t->sym = member(s, t);
    return;
  }
  int32_t id = ww_qmap_get(&s->names, t);
  if (id < 0)
    id = ww_qmap_get(&s->r->globals, t);
  if (id < 0 && s->is_class)
    id = ww_qmap_get(&s->r->members, t);
  if (id < 0)
    id = s->r->unknown(s->r->ctx, t);
  t->sym = id;
  if (id >= 0)
    note_assigned(s, i, id);
}

/* Where all declarations of a statement are inlined nothing of it is written. */
static void drop_aliases(scope *s) {
  const ww_qsym *syms = s->k->syms.v;
  for (uint32_t i = 0; i < s->n; i++) {
    ww_qtoken *t = &s->t[i];
    int32_t alias = t->sym >= 0 && !syms[t->sym].assigned ? syms[t->sym].alias : -1;
    if (alias < 0)
      continue;
    bool here = t->s == syms[t->sym].name.s; /* its declaration */
    t->sym = alias;
    if (!here || i + 3 >= s->n)
      continue;
    t[0].skip = t[1].skip = t[2].skip = true;
    uint32_t k = i; /* something of the statement before it is written */
    while (k && s->t[k - 1].skip)
      k--;
    bool first = !k || (s->t[k - 1].op && s->t[k - 1].op != ',');
    if (t[3].op == ',')
      t[3].skip = true;
    else if (first)
      t[3].skip = k == 0 || s->t[k - 1].op != '(';
    else
      s->t[k - 1].skip = true;
  }
}

/* ---- parameters ---- */

static void one_param(scope *s, uint32_t from, uint32_t to, ww_qpart *p, uint32_t at) {
  declared d;
  uint32_t n = s->n;
  s->n = to;
  bool named = parse_type(s, from, &d);
  if (named) {
    d.pointer |= d.name + 1 < to && s->t[d.name + 1].op == '[';
    p->params[at] = declare(s, d.name, &d, d.pointer ? Q_POINTER : Q_SCALAR);
    ww_qsym *y = &s->k->syms.v[p->params[at]];
    if (!s->function)
      y->param = at;
    if (d.shared && d.pointer)
      y->kind = Q_SHARED;
    for (uint32_t k = from; k < d.name; k++)
      s->t[k].skip = d.plain; /* the name says it */
  } else
    p->params[at] = -1;
  s->n = n;
}

static void resolve_params(scope *s, ww_qpart *p) {
  uint32_t end = s->t[0].pair;
  uint32_t from = 1;
  uint32_t count = 1;
  for (uint32_t i = 1; i < end; i++)
    count += s->t[i].op == ',';
  p->params = WW_NEWN(s->k->arena, int32_t, count);
  for (uint32_t i = 1; i <= end && i < s->n; i++) {
    bool comma = s->t[i].op == ',';
    if (comma || i == end) {
      bool none = i == from || (i == from + 1 && ww_qtoken_is(&s->t[from], "void"));
      if (!none)
        one_param(s, from, i, p, p->nparams++);
      from = i + 1;
    } else if (s->t[i].op == '<') {
      uint32_t k = skip_angles(s, i);
      i = k > i ? k - 1 : i;
    } else
      i = ww_qclose(s->t, i);
  }
}

void ww_qresolve(ww_qresolver *r, uint32_t part, bool is_class) {
  ww_qpart p = r->k->parts.v[part];
  scope s = {.r = r,
             .k = r->k,
             .t = p.t.v,
             .n = p.t.n,
             .is_class = is_class,
             .function = part > 0,
             .raw = r->k->raw && !part};
  uint32_t i = 0;
  for (uint32_t k = 0; k < p.ntemplates; k++) {
    int32_t id = p.templates[k];
    ww_qmap_put(&s.names, r->k->arena, &r->k->syms.v[id].name, id);
  }
  for (int k = 0; k <= Q_SHARED; k++)
    r->norder[k] = 0;
  if (p.body && s.n) {
    resolve_params(&s, &p);
    i = p.body;
    for (uint32_t k = 0; k < i; k++)
      if (p.t.v[k].sym < 0)
        resolve_word(&s, k); /* types of parameters */
  }
  for (; i < s.n; i++) {
    try_declaration(&s, i);
    resolve_word(&s, i);
  }
  if (!is_class)
    drop_aliases(&s);
  p.t = r->k->parts.v[part].t; /* parts may have moved; its tokens have not */
  r->k->parts.v[part].params = p.params;
  r->k->parts.v[part].nparams = p.nparams;
}
