/* parse.c - reads the text form that print.c writes: whole modules, so that tests need
 * no front end.
 *
 * Names come before indices: while a function is read, values and blocks are entries in
 * order of first mention; at its end they get their final indices. An index written in
 * the text (%x.7, %7) is kept; values without one follow in order of definition,
 * literals fill what is left. Everything is arena-owned. */
#include "lex.h"

#include <errno.h>
#include <stdlib.h>

/* ---- what is read so far ---- */

typedef struct {    /* a value mentioned in the function */
  const char *text; /* as written, for messages */
  ww_value v;
  uint32_t want; /* index given in the text, or WW_NOVAL */
  uint32_t line;
  bool defined;
} entry;

typedef struct {
  const char *text;
  uint32_t block, line;
} label; /* block: WW_NOBLOCK until it is seen */

typedef struct {
  ww_block b;
  WW_VEC(ww_ins) ins;
  WW_VEC(ww_phi) phis;
} draft;

typedef struct {
  ww_lex *l;
  ww_arena *a;
  ww_module *m;
  size_t max_index; /* of a value: the text's length bounds it */
  ww_dict globals;  /* name -> symbol index, or nsymbols + function index */
  ww_dict locs;
  WW_VEC(ww_symbol) symbols;
  WW_VEC(ww_fn) fns;
  WW_VEC(ww_loc) loc;
  WW_VEC(const char *) files;
  /* the current function */
  ww_fn *fn;
  ww_dict values, literals, labels;
  WW_VEC(entry) entry;
  WW_VEC(label) label;
  WW_VEC(draft) draft;
  WW_VEC(uint32_t) pool;
  WW_VEC(uint32_t) results; /* entries in order of definition */
  WW_VEC(uint32_t) groups;  /* where each instruction's results start in it */
  WW_VEC(ww_param) params;
} parser;

/* ---- small pieces ---- */

static int find_name(const char *const *names, uint32_t n, const char *s) {
  for (uint32_t k = 0; k < n; k++)
    if (!strcmp(names[k], s))
      return k;
  return -1;
}

/* The same of the word at hand. */
static int find_word(const parser *p, const char *const *names, uint32_t n) {
  return p->l->kind == TOK_WORD ? find_name(names, n, p->l->s) : -1;
}

static void expected(parser *p, const char *what) {
  ww_lex_fail(p->l, "expected %s, not '%s'", what, p->l->s);
}

/* At a word or a string: one more property. */
static bool at_property(const parser *p) {
  return p->l->kind == TOK_WORD || p->l->kind == TOK_STRING;
}

static ww_type take_type(parser *p) {
  int t = find_word(p, ww_type_names, WW_NTYPES);
  if (t < 0)
    expected(p, "a type");
  ww_lex_next(p->l);
  return t < 0 ? WW_VOID : t;
}

/* Splits "name.12" and "12": returns the index or WW_NOVAL, and the length of the name.
 */
static uint32_t split_index(const char *s, size_t *name) {
  const char *dot = strrchr(s, '.');
  const char *digits = dot ? dot + 1 : s;
  *name = strlen(s);
  if (!*digits || strspn(digits, "0123456789") != strlen(digits) || strlen(digits) > 9)
    return WW_NOVAL;
  *name = dot ? dot - s : 0;
  return strtoul(digits, NULL, 10);
}

/* The entry of the value token at hand. */
static uint32_t take_value(parser *p) {
  if (p->l->kind != TOK_VALUE) {
    expected(p, "a value");
    return 0;
  }
  uint32_t id = ww_names_get(&p->values, p->a, p->l->s, strlen(p->l->s), p->entry.n);
  if (id == p->entry.n) {
    size_t n;
    entry e = {.text = p->l->s,
               .line = p->l->at,
               .want = split_index(p->l->s, &n),
               .v.kind = WW_VAL_RESULT};
    if (n)
      e.v.name = ww_strndup(p->a, p->l->s, n);
    if (e.want != WW_NOVAL && e.want > p->max_index)
      ww_lex_fail(p->l, "index of %%%s is too large", p->l->s);
    ww_push(p->a, &p->entry, e);
  }
  ww_lex_next(p->l);
  return id;
}

static uint32_t take_block(parser *p) {
  if (p->l->kind != TOK_BLOCK) {
    expected(p, "a block");
    return 0;
  }
  uint32_t id = ww_names_get(&p->labels, p->a, p->l->s, strlen(p->l->s), p->label.n);
  if (id == p->label.n)
    ww_push(p->a, &p->label, (label){p->l->s, WW_NOBLOCK, p->l->at});
  ww_lex_next(p->l);
  return id;
}

/* Index of a function or symbol in one numbering: symbols, then functions. */
static uint32_t take_global(parser *p) {
  uint32_t id = 0;
  if (p->l->kind == TOK_GLOBAL) {
    uint32_t none = UINT32_MAX - 1;
    uint32_t had = p->globals.n;
    id = ww_names_get(&p->globals, p->a, p->l->s, strlen(p->l->s), none);
    if (p->globals.n != had || id == none)
      ww_lex_fail(p->l, "there is no function or symbol '%s'", p->l->s);
    if (id == none)
      id = 0;
  } else {
    expected(p, "a function or symbol");
  }
  ww_lex_next(p->l);
  return id;
}

static int64_t take_int64(parser *p) {
  char *end = NULL;
  errno = 0;
  int64_t v = p->l->kind == TOK_NUMBER ? strtoll(p->l->s, &end, 0) : 0;
  if (!end || *end || errno) {
    expected(p, "an integer");
    return 0;
  }
  ww_lex_next(p->l);
  return v;
}

static uint32_t take_u32(parser *p) {
  return ww_lex_uint(p->l, UINT32_MAX);
}

/* The name of a space, when it is one. */
static bool take_space(parser *p, uint8_t *space) {
  int k = find_name(ww_space_names, WW_NSPACES, p->l->s);
  if (k < 0)
    return false;
  *space = k;
  ww_lex_next(p->l);
  return true;
}

/* Into the function's operand pool. */
static void push(parser *p, uint32_t v) {
  ww_push(p->a, &p->pool, v);
}

/* "+16", "-16" or nothing, behind a symbol */
static uint64_t take_offset(parser *p) {
  if (p->l->kind == TOK_NUMBER && p->l->s[0] == '-')
    return take_int64(p);
  return ww_lex_accept(p->l, '+') ? take_int64(p) : 0;
}

/* ---- literals ---- */

static uint64_t int_bits(parser *p, const char *s, ww_type t) {
  char *end;
  uint32_t width = ww_type_bits(t);
  errno = 0;
  bool neg = s[0] == '-';
  uint64_t v = neg ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
  uint64_t mask = width == 64 ? UINT64_MAX : (1ull << width) - 1;
  bool fits = neg ? (int64_t)v >= -(int64_t)(mask / 2) - 1 : v <= mask;
  if (*end || errno || !fits)
    ww_lex_fail(p->l, "'%s' is no %s", s, ww_type_names[t]);
  return v & mask;
}

static uint64_t literal_bits(parser *p, const char *s, ww_type t) {
  char *end = NULL;
  uint64_t bits = 0;
  if (t == WW_VOID) {
    ww_lex_fail(p->l, "literal %s needs a type: write %s:i32 or the like", s, s);
    return 0;
  }
  if (!ww_is_float(t))
    return int_bits(p, s, t);
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
    bits = strtoull(s, &end, 16);
    if (ww_type_bytes[t] < 8 && bits >> (ww_type_bytes[t] * 8))
      end = NULL;
  } else if (t == WW_F32) {
    float f = strtof(s, &end);
    memcpy(&bits, &f, 4);
  } else if (t == WW_F64) {
    double d = strtod(s, &end);
    memcpy(&bits, &d, 8);
  }
  if (!end || *end)
    ww_lex_fail(p->l, "'%s' is no %s (f16 and bf16 are written as bits, 0x3c00)", s,
                ww_type_names[t]);
  return bits;
}

static uint32_t literal_entry(parser *p, const ww_value *v) {
  uint64_t key[2] = {v->bits,
                     (uint64_t)v->ref << 32 | (uint64_t)v->kind << 8 | v->type};
  uint32_t id = ww_names_get(&p->literals, p->a, key, sizeof key, p->entry.n);
  if (id == p->entry.n)
    ww_push(p->a, &p->entry,
            (entry){.text = "", .v = *v, .want = WW_NOVAL, .defined = true});
  return id;
}

static uint32_t take_operand(parser *p, ww_type dflt) {
  if (p->l->kind == TOK_VALUE)
    return take_value(p);
  ww_value v = {.kind = WW_VAL_CONST};
  const char *number = p->l->s;
  if (p->l->kind == TOK_GLOBAL) {
    uint32_t g = take_global(p);
    v.kind = g < p->symbols.cap ? WW_VAL_SYMBOL : WW_VAL_FN;
    v.ref = v.kind == WW_VAL_SYMBOL ? g : g - p->symbols.cap;
    if (v.kind == WW_VAL_SYMBOL)
      v.bits = take_offset(p);
  } else if (p->l->kind == TOK_NUMBER) {
    ww_lex_next(p->l);
  } else {
    expected(p, "an operand");
    return 0;
  }
  v.type = ww_lex_accept(p->l, ':') ? take_type(p) : dflt;
  if (v.kind == WW_VAL_CONST)
    v.bits = literal_bits(p, number, v.type);
  return literal_entry(p, &v);
}

/* ---- instructions ---- */

static void define(parser *p, uint32_t id, ww_type type) {
  if (p->l->st)
    return;
  entry *e = &p->entry.v[id];
  if (e->defined)
    ww_lex_fail(p->l, "%%%s is defined twice", e->text);
  e->defined = true;
  if (e->v.type == WW_VOID)
    e->v.type = type;
  e->v.ref = p->draft.n - 1;
  ww_push(p->a, &p->results, id);
}

static void op_suffix(parser *p, ww_ins *i, const char *s) {
  ww_sub_names sub = ww_op_sub(i->op);
  int k;
  if (isdigit((unsigned char)s[0]) && strlen(s) <= 3 && atoi(s) < 256)
    i->sub = atoi(s);
  else if (sub.names && (k = find_name(sub.names, sub.n, s)) >= 0)
    i->sub = k;
  else if ((k = find_name(ww_space_names, WW_NSPACES, s)) >= 0)
    i->space = k;
  else if (!strcmp(s, "part") && i->op != WW_OP_MMA)
    i->flags |= WW_F_PART;
  else if ((k = find_name(ww_flag_names, 8, s)) >= 0)
    i->flags |= 1 << k;
  else
    ww_lex_fail(p->l, "%s knows no '.%s'", ww_ops[i->op].name, s);
}

/* op.sub.space.flags; false for "phi" */
static bool take_op(parser *p, ww_ins *i) {
  if (p->l->kind != TOK_WORD)
    expected(p, "an operation");
  if (ww_lex_keyword(p->l, "phi"))
    return false;
  char *text = ww_strdup(p->a, p->l->s);
  char *next = strchr(text, '.');
  if (next)
    *next++ = 0;
  for (i->op = 0; i->op < WW_NOPS && strcmp(ww_ops[i->op].name, text); i->op++) {}
  if (i->op == WW_NOPS) {
    ww_lex_fail(p->l, "unknown operation '%s'", text);
    i->op = WW_OP_TRAP;
    return true;
  }
  ww_sub_names sub = ww_op_sub(i->op);
  if (sub.dflt > 0)
    i->sub = sub.dflt;
  while (next) {
    char *s = next;
    if ((next = strchr(s, '.')))
      *next++ = 0;
    op_suffix(p, i, s);
  }
  ww_lex_next(p->l);
  return true;
}

/* i32, f32x4; then "from i16" */
static void take_types(parser *p, ww_ins *i) {
  bool memory = i->op == WW_OP_LD || i->op == WW_OP_ST;
  i->n = memory;
  char *x = p->l->kind == TOK_WORD ? strrchr(p->l->s, 'x') : NULL;
  if (find_word(p, ww_type_names, WW_NTYPES) >= 0) {
    i->type = take_type(p);
  } else if (memory && x) {
    char *end;
    unsigned long n = strtoul(x + 1, &end, 10);
    *x = 0; /* the token is the arena's, not the text's */
    if (*end || n > 255)
      ww_lex_fail(p->l, "bad vector width");
    i->n = n;
    i->type = take_type(p);
  }
  if (ww_lex_keyword(p->l, "from"))
    i->type2 = take_type(p);
}

static void take_list(parser *p, ww_ins *i, bool more) {
  uint32_t n = 0;
  i->ext = p->pool.n;
  for (; more && !p->l->st; n++) {
    push(p, take_operand(p, ww_ins_literal_type(i)));
    more = ww_lex_accept(p->l, ',');
  }
  if (n > 255)
    ww_lex_fail(p->l, "more than 255 operands");
  i->n = n;
}

static bool at_operand(const parser *p) {
  return p->l->kind == TOK_VALUE || p->l->kind == TOK_NUMBER ||
         p->l->kind == TOK_GLOBAL;
}

static void take_memory(parser *p, ww_ins *i) {
  ww_lex_expect(p->l, '[');
  i->a = take_operand(p, WW_I64);
  if (ww_lex_accept(p->l, '+'))
    i->imm = take_int64(p);
  else if (ww_lex_accept(p->l, '-'))
    i->imm = -ww_lex_uint(p->l, 1ull << 63);
  ww_lex_expect(p->l, ']');
  if (i->op == WW_OP_ST) {
    uint8_t width = i->n;
    ww_lex_expect(p->l, ',');
    take_list(p, i, true);
    if (i->n != width)
      ww_lex_fail(p->l, "st needs as many values as its vector is wide");
    return;
  }
  ww_val *slot[2] = {&i->b, &i->c};
  for (int k = 0; k < ww_ops[i->op].nsrc - 1; k++) {
    ww_lex_expect(p->l, ',');
    *slot[k] = take_operand(p, ww_ins_literal_type(i));
  }
}

static void take_call(parser *p, ww_ins *i) {
  if (i->op == WW_OP_CALLI) {
    i->a = take_operand(p, WW_I64);
  } else {
    uint32_t g = take_global(p);
    if (!p->l->st && g < p->symbols.cap)
      ww_lex_fail(p->l, "call of a symbol that is no function");
    i->imm = (int64_t)g - p->symbols.cap;
  }
  ww_lex_expect(p->l, '(');
  take_list(p, i, at_operand(p));
  ww_lex_expect(p->l, ')');
}

static void take_branch(parser *p, ww_ins *i) {
  if (i->op == WW_OP_CBR) {
    i->a = take_operand(p, WW_I1);
    ww_lex_expect(p->l, ',');
  }
  i->imm = take_block(p);
  if (i->op == WW_OP_CBR) {
    ww_lex_expect(p->l, ',');
    i->ext = take_block(p);
  }
  if (ww_lex_accept(p->l, '#'))
    i->n = (uint8_t)ww_lex_uint(p->l, UINT8_MAX);
}

static void take_switch(parser *p, ww_ins *i) {
  i->a = take_operand(p, ww_ins_literal_type(i));
  ww_lex_expect(p->l, ',');
  i->imm = take_block(p);
  i->ext = p->pool.n;
  uint32_t n = 0;
  for (; ww_lex_accept(p->l, ','); n++) {
    push(p, take_operand(p, ww_ins_literal_type(i)));
    push(p, take_block(p));
  }
  if (n > 255)
    ww_lex_fail(p->l, "more than 255 cases");
  i->n = n;
}

/* a, b, c */
static void take_fixed(parser *p, ww_ins *i) {
  ww_val *slot[3] = {&i->a, &i->b, &i->c};
  int want = i->op == WW_OP_MATH ? ww_math_args[i->sub] : ww_ops[i->op].nsrc;
  int n = 0;
  for (bool more = at_operand(p); more && n < 3; more = ww_lex_accept(p->l, ','))
    *slot[n++] = take_operand(p, ww_ins_literal_type(i));
  if (n != want && !(i->op == WW_OP_BAR && n < want))
    ww_lex_fail(p->l, "%s needs %d operands, not %d", ww_ops[i->op].name, want, n);
}

static void take_sreg(parser *p, ww_ins *i) {
  int k = find_word(p, ww_sreg_names, WW_NSREGS);
  if (k < 0)
    ww_lex_fail(p->l, "unknown special register '%s'", p->l->s);
  i->sub = k < 0 ? 0 : k;
  ww_lex_next(p->l);
}

static void take_operands(parser *p, ww_ins *i) {
  switch (i->op) {
  case WW_OP_LD:
  case WW_OP_ST:
  case WW_OP_ATOM:
  case WW_OP_CAS:
  case WW_OP_MBAR:
  case WW_OP_MWAIT:
    take_memory(p, i);
    return;
  case WW_OP_CALL:
  case WW_OP_CALLI:
    take_call(p, i);
    return;
  case WW_OP_BR:
  case WW_OP_CBR:
    take_branch(p, i);
    return;
  case WW_OP_SWITCH:
    take_switch(p, i);
    return;
  case WW_OP_SREG:
    take_sreg(p, i);
    break;
  case WW_OP_PRINTF:
    i->a = take_operand(p, WW_I64);
    take_list(p, i, ww_lex_accept(p->l, ','));
    break;
  case WW_OP_RET:
  case WW_OP_MMA:
  case WW_OP_WGMMA:
  case WW_OP_BULK:
  case WW_OP_TMA:
    take_list(p, i, at_operand(p));
    break;
  default:
    take_fixed(p, i);
    break;
  }
  if (ww_lex_accept(p->l, '#'))
    i->imm = take_int64(p);
}

/* !12 or !1:12; of what was inlined !1:12!1:40, the call behind it, and so on */
static uint32_t take_loc(parser *p) {
  ww_loc chain[WW_MOST_CALLERS];
  uint32_t n = 0;
  for (; n < WW_MOST_CALLERS && ww_lex_accept(p->l, '!'); n++) {
    chain[n] = (ww_loc){0, take_u32(p), 0};
    if (ww_lex_accept(p->l, ':'))
      chain[n] = (ww_loc){chain[n].line, take_u32(p), 0};
  }
  uint32_t id = 0;
  while (n-- > 0) {
    chain[n].caller = id;
    id = ww_names_get(&p->locs, p->a, &chain[n], sizeof *chain, p->loc.n);
    if (id == p->loc.n)
      ww_push(p->a, &p->loc, chain[n]);
  }
  return id;
}

static void take_phi(parser *p, uint32_t dst, uint32_t nres) {
  ww_phi phi = {.dst = dst, .ext = p->pool.n};
  draft *d = &p->draft.v[p->draft.n - 1];
  if (nres != 1)
    ww_lex_fail(p->l, "phi has one result");
  if (d->ins.n)
    ww_lex_fail(p->l, "phi behind an instruction");
  ww_type type = take_type(p);
  for (; ww_lex_accept(p->l, '['); phi.n++) {
    push(p, take_block(p));
    push(p, take_operand(p, type));
    ww_lex_expect(p->l, ']');
  }
  if (nres == 1)
    define(p, dst, type);
  ww_push(p->a, &d->phis, phi);
}

static void take_ins(parser *p) {
  uint32_t res[256] = {0};
  uint32_t nres = 0;
  while (p->l->kind == TOK_VALUE && nres < 255) {
    res[nres] = take_value(p);
    if (ww_lex_accept(p->l, ':')) {
      ww_type t = take_type(p);
      if (!p->l->st)
        p->entry.v[res[nres]].v.type = t;
    }
    nres++;
    if (!ww_lex_accept(p->l, ','))
      break;
  }
  if (nres)
    ww_lex_expect(p->l, '=');
  ww_push(p->a, &p->groups, p->results.n);
  ww_ins i = {.dst = nres ? res[0] : WW_NOVAL,
              .a = WW_NOVAL,
              .b = WW_NOVAL,
              .c = WW_NOVAL,
              .nres = nres};
  if (!take_op(p, &i)) {
    take_phi(p, res[0], nres);
    return;
  }
  take_types(p, &i);
  take_operands(p, &i);
  if (i.op == WW_OP_SHFL || i.op == WW_OP_MATCH)
    i.n = i.nres;
  i.loc = take_loc(p);
  for (uint32_t k = 0; k < nres; k++)
    define(p, res[k], ww_ins_result_type(&i, k));
  ww_push(p->a, &p->draft.v[p->draft.n - 1].ins, i);
}

/* ---- functions ---- */

static void take_label(parser *p) {
  size_t n;
  const char *text = p->l->s;
  uint32_t id = take_block(p);
  uint32_t at = p->draft.n;
  if (p->l->st)
    return;
  label *l = &p->label.v[id];
  if (l->block != WW_NOBLOCK)
    ww_lex_fail(p->l, "block @%s is there twice", text);
  l->block = at;
  draft d = {0};
  if (split_index(text, &n) != at)
    n = strlen(text);
  if (n)
    d.b.name = ww_strndup(p->a, text, n);
  ww_push(p->a, &p->draft, d);
  ww_lex_expect(p->l, ':');
}

static void param_word(parser *p, ww_param *q) {
  ww_lex *l = p->l;
  if (l->kind == TOK_STRING)
    if (!q->name)
      q->name = ww_lex_string(l);
    else
      q->ctype = ww_lex_string(l);
  else if (ww_lex_keyword(l, "pointer"))
    q->pointer = true;
  else if (ww_lex_keyword(l, "byval"))
    q->byval = true;
  else if (ww_lex_keyword(l, "readonly"))
    q->readonly = true;
  else if (ww_lex_keyword(l, "elem"))
    q->elem = take_type(p);
  else if (ww_lex_keyword(l, "elem_size"))
    q->elem_size = take_u32(p);
  else if (ww_lex_keyword(l, "size"))
    q->size = take_u32(p);
  else if (ww_lex_keyword(l, "align"))
    q->align = take_u32(p);
  else if (!take_space(p, &q->space))
    ww_lex_fail(l, "unknown property '%s' of a parameter", l->s);
}

static void take_param(parser *p) {
  ww_param q = {0};
  uint32_t k = p->params.n;
  uint32_t id = take_value(p);
  q.type = take_type(p);
  while (at_property(p))
    param_word(p, &q);
  if (p->l->kind == TOK_END)
    return;
  entry *e = &p->entry.v[id];
  if (e->defined || (e->want != WW_NOVAL && e->want != k))
    ww_lex_fail(p->l, "parameter %%%s must be value %u, once", e->text, k);
  e->defined = true;
  e->want = k;
  e->v = (ww_value){.type = q.type, .kind = WW_VAL_PARAM, .ref = k, .name = e->v.name};
  if (!q.name)
    q.name = e->v.name ? e->v.name : ww_fmt(p->a, "arg%u", k);
  if (!q.size)
    q.size = q.align = ww_type_bytes[q.type];
  ww_push(p->a, &p->params, q);
}

static void take_three(parser *p, uint32_t out[3]) {
  for (int k = 0; k < 3; k++)
    out[k] = take_u32(p);
}

static void fn_word(parser *p, ww_fn *f) {
  ww_lex *l = p->l;
  if (l->kind == TOK_STRING)
    f->name = ww_lex_string(l);
  else if (ww_lex_keyword(l, "kernel"))
    f->kernel = true;
  else if (ww_lex_keyword(l, "ret"))
    f->ret = take_type(p);
  else if (ww_lex_keyword(l, "file"))
    f->file = ww_lex_string(l);
  else if (ww_lex_keyword(l, "line"))
    f->line = take_u32(p);
  else if (ww_lex_keyword(l, "local"))
    f->local_bytes = take_u32(p);
  else if (ww_lex_keyword(l, "shared"))
    f->shared_bytes = take_u32(p);
  else if (ww_lex_keyword(l, "refusal"))
    f->refusal = ww_lex_string(l);
  else if (ww_lex_keyword(l, "bounds")) {
    f->max_threads = take_u32(p);
    f->min_blocks = take_u32(p);
  } else if (ww_lex_keyword(l, "reqd"))
    take_three(p, f->req_block);
  else if (ww_lex_keyword(l, "cluster"))
    take_three(p, f->cluster);
  else
    ww_lex_fail(l, "unknown property '%s' of a function", l->s);
}

/* ---- final indices ---- */

static void name_clash(parser *p, const entry *e) {
  p->l->at = e->line;
  ww_lex_fail(
      p->l,
      "%%%s: its index is taken, or results of one instruction are not in sequence",
      e->text);
}

static bool
occupy(parser *p, uint32_t *owner, uint32_t cap, uint32_t index, uint32_t e) {
  if (index >= cap || owner[index]) {
    name_clash(p, &p->entry.v[e]);
    return false;
  }
  owner[index] = e + 1;
  p->entry.v[e].want = index;
  return true;
}

/* Gives every entry its index (entry.want) and fills fn->vals. */
static void number_values(parser *p) {
  entry *e = p->entry.v;
  uint32_t top = p->params.n;
  uint32_t free = 0;
  uint32_t *owner;
  uint32_t cap;
  for (uint32_t k = 0; k < p->entry.n; k++)
    if (e[k].want != WW_NOVAL && e[k].want >= top)
      top = e[k].want + 1;
  cap = top + p->entry.n;
  owner = WW_NEWN(p->a, uint32_t, cap);
  for (uint32_t k = 0; k < p->entry.n; k++)
    if (e[k].want != WW_NOVAL && !occupy(p, owner, cap, e[k].want, k))
      return;
  ww_push(p->a, &p->groups, p->results.n);
  for (uint32_t g = 0; g + 1 < p->groups.n; g++) {
    uint32_t from = p->groups.v[g];
    uint32_t to = p->groups.v[g + 1];
    uint32_t first = from < to ? e[p->results.v[from]].want : 0;
    for (uint32_t k = from; k < to; k++) {
      uint32_t id = p->results.v[k];
      uint32_t want = e[id].want;
      uint32_t index = first == WW_NOVAL ? top : first + (k - from);
      if (want != WW_NOVAL && want != index)
        name_clash(p, &e[id]);
      if (want == WW_NOVAL && !occupy(p, owner, cap, index, id))
        return;
      if (index >= top)
        top = index + 1;
    }
  }
  for (uint32_t k = 0; k < p->entry.n; k++) { /* literals */
    if (e[k].want != WW_NOVAL)
      continue;
    while (owner[free])
      free++;
    occupy(p, owner, cap, free, k);
    if (free >= top)
      top = free + 1;
  }
  p->fn->nvals = top;
  p->fn->vals = WW_NEWN(p->a, ww_value, top);
  for (uint32_t k = 0; k < top; k++)
    p->fn->vals[k] =
        owner[k] ? e[owner[k] - 1].v : (ww_value){.type = WW_I32, .kind = WW_VAL_CONST};
}

static void fix_ins(parser *p, ww_ins *i) {
  ww_operands o = ww_ins_operands(i);
  ww_val *fixed[3] = {&i->a, &i->b, &i->c};
  if (i->dst != WW_NOVAL)
    i->dst = p->entry.v[i->dst].want;
  for (uint32_t k = 0; k < o.fixed; k++)
    *fixed[k] = p->entry.v[*fixed[k]].want;
  for (uint32_t k = 0; k < o.n; k++) {
    uint32_t *slot = p->pool.v + o.ext + k * o.stride;
    *slot = p->entry.v[*slot].want;
    if (i->op == WW_OP_SWITCH)
      slot[1] = p->label.v[slot[1]].block;
  }
  if (i->op == WW_OP_BR || i->op == WW_OP_CBR || i->op == WW_OP_SWITCH)
    i->imm = p->label.v[i->imm].block;
  if (i->op == WW_OP_CBR)
    i->ext = p->label.v[i->ext].block;
}

static void fix_phi(parser *p, ww_phi *phi) {
  phi->dst = p->entry.v[phi->dst].want;
  for (uint32_t k = 0; k < phi->n; k++) {
    uint32_t *pair = p->pool.v + phi->ext + 2 * k;
    pair[0] = p->label.v[pair[0]].block;
    pair[1] = p->entry.v[pair[1]].want;
  }
}

static void finish_fn(parser *p) {
  ww_fn *f = p->fn;
  for (const label *l = p->label.v; l && l < p->label.v + p->label.n; l++)
    if (l->block == WW_NOBLOCK) {
      p->l->at = l->line;
      ww_lex_fail(p->l, "there is no block @%s", l->text);
    }
  for (const entry *e = p->entry.v; e && e < p->entry.v + p->entry.n; e++)
    if (!e->defined) {
      p->l->at = e->line;
      ww_lex_fail(p->l, "%%%s is never defined", e->text);
    }
  if (!p->l->st)
    number_values(p);
  if (p->l->st)
    return;
  f->params = p->params.v;
  f->nparams = p->params.n;
  f->nblocks = p->draft.n;
  f->blocks = WW_NEWN(p->a, ww_block, f->nblocks);
  for (uint32_t b = 0; b < f->nblocks; b++) {
    draft *d = &p->draft.v[b];
    for (uint32_t k = 0; k < d->ins.n; k++)
      fix_ins(p, &d->ins.v[k]);
    for (uint32_t k = 0; k < d->phis.n; k++)
      fix_phi(p, &d->phis.v[k]);
    d->b.ins = d->ins.v;
    d->b.nins = d->ins.n;
    d->b.phis = d->phis.v;
    d->b.nphis = d->phis.n;
    f->blocks[b] = d->b;
  }
  f->pool = p->pool.v;
  f->npool = p->pool.n;
  ww_ir_flow(f, p->a);
}

static void take_fn(parser *p) {
  ww_fn *f = p->fn = &p->fns.v[p->fns.n++];
  f->mangled = f->name = p->l->s;
  ww_lex_next(p->l);
  while (at_property(p))
    fn_word(p, f);
  ww_lex_expect(p->l, '{');
  ww_lex_end_line(p->l);
  p->values = p->literals = p->labels = (ww_dict){0};
  memset(&p->params, 0, sizeof p->params);
  memset(&p->pool, 0, sizeof p->pool);
  p->entry.n = p->label.n = p->draft.n = p->results.n = p->groups.n = 0;
  while (p->l->kind != TOK_END && !ww_lex_punct(p->l, '}')) {
    if (p->l->kind == TOK_NEWLINE) {
    } else if (p->l->kind == TOK_BLOCK)
      take_label(p);
    else if (!p->draft.n && ww_lex_keyword(p->l, "param"))
      take_param(p);
    else if (!p->draft.n)
      expected(p, "a parameter or a block");
    else
      take_ins(p);
    ww_lex_end_line(p->l);
  }
  ww_lex_expect(p->l, '}');
  finish_fn(p);
}

/* ---- modules ---- */

static void take_init(parser *p, ww_symbol *s) {
  const char *hex = ww_lex_string(p->l);
  size_t n = strlen(hex);
  if (s->size > 1ull << 32 || n > 2 * s->size || n % 2 ||
      strspn(hex, "0123456789abcdef") != n) {
    ww_lex_fail(p->l, "init of $%s is no hexadecimal text of its size", s->name);
    return;
  }
  uint8_t *init = ww_alloc(p->a, s->size ? s->size : 1);
  for (size_t k = 0; k < n; k += 2)
    init[k / 2] = strtoul((char[]){hex[k], hex[k + 1], 0}, NULL, 16);
  s->init = init;
}

static void symbol_word(parser *p, ww_symbol *s) {
  ww_lex *l = p->l;
  if (l->kind == TOK_STRING)
    s->name = ww_lex_string(l);
  else if (ww_lex_keyword(l, "dynamic"))
    s->dynamic = true;
  else if (ww_lex_keyword(l, "size"))
    s->size = ww_lex_uint(l, UINT64_MAX);
  else if (ww_lex_keyword(l, "align"))
    s->align = take_u32(p);
  else if (ww_lex_keyword(l, "init"))
    take_init(p, s);
  else if (ww_lex_keyword(l, "reloc")) {
    struct ww_reloc r = {.at = ww_lex_uint(l, UINT64_MAX)};
    uint32_t g = take_global(p);
    r.fn = g >= p->symbols.cap;
    r.ref = r.fn ? g - p->symbols.cap : g;
    r.add = take_offset(p);
    s->relocs =
        ww_grow(p->a, s->relocs, s->nrelocs * sizeof r, (s->nrelocs + 1) * sizeof r);
    s->relocs[s->nrelocs++] = r;
  } else if (!take_space(p, &s->space))
    ww_lex_fail(l, "unknown property '%s' of a symbol", l->s);
}

static void take_symbol(parser *p) {
  ww_symbol *s = &p->symbols.v[p->symbols.n++];
  s->mangled = s->name = p->l->s;
  s->align = 1;
  ww_lex_next(p->l);
  while (at_property(p))
    symbol_word(p, s);
}

/* Gives every symbol and function its number before anything refers to it. symbols.cap
 * becomes exact. */
static void find_globals(parser *p) {
  ww_lex start = *p->l;
  for (int pass = 0; pass < 2 && !p->l->st; pass++) { /* symbols, then functions */
    *p->l = start;
    uint32_t n = 0;
    uint32_t base = pass ? p->symbols.cap : 0;
    bool line = true; /* at the start of one */
    for (ww_lex_next(p->l); p->l->kind != TOK_END; ww_lex_next(p->l)) {
      bool word = line && ww_lex_is(p->l, TOK_WORD, pass ? "fn" : "symbol");
      line = p->l->kind == TOK_NEWLINE;
      if (!word)
        continue;
      ww_lex_next(p->l);
      if (p->l->kind != TOK_GLOBAL)
        expected(p, "a name like $f");
      else if (ww_names_get(&p->globals, p->a, p->l->s, strlen(p->l->s), base + n) !=
               base + n)
        ww_lex_fail(p->l, "$%s is there twice", p->l->s);
      n++;
    }
    if (pass)
      p->fns.v = WW_NEWN(p->a, ww_fn, n + 1);
    else {
      p->symbols.cap = n;
      p->symbols.v = WW_NEWN(p->a, ww_symbol, n + 1);
    }
  }
  if (!p->l->st)
    *p->l = start;
}

static void take_module(parser *p) {
  int d = 0;
  if (ww_lex_keyword(p->l, "module")) {
    d = find_name(ww_dialect_names, WW_NDIALECTS, p->l->s);
    if (d < 0)
      ww_lex_fail(p->l, "unknown dialect '%s'", p->l->s);
    ww_lex_next(p->l);
    if (ww_lex_keyword(p->l, "warp"))
      p->m->warp = ww_lex_uint(p->l, 64);
    p->m->compiled = ww_lex_keyword(p->l, "compiled");
  } else if (ww_lex_keyword(p->l, "file")) {
    const char *name = ww_lex_string(p->l);
    ww_push(p->a, &p->files, name);
  } else if (ww_lex_keyword(p->l, "symbol"))
    take_symbol(p);
  else if (ww_lex_keyword(p->l, "fn"))
    take_fn(p);
  else if (p->l->kind != TOK_NEWLINE)
    expected(p, "module, file, symbol or fn");
  if (d > 0)
    p->m->dialect = d;
  ww_lex_end_line(p->l);
}

ww_status ww_ir_parse(const char *text, ww_arena *a, ww_module *out, ww_err *e) {
  parser *p = WW_NEW(a, parser);
  *out = (ww_module){.dialect = WW_CUDA, .warp = 32};
  p->a = a;
  p->m = out;
  p->max_index = 65536 + 4 * strlen(text);
  p->l = &(ww_lex){.a = a, .e = e, .p = text, .line = 1};
  ww_push(a, &p->loc, (ww_loc){0});
  find_globals(p);
  for (ww_lex_next(p->l); p->l->kind != TOK_END;)
    take_module(p);
  out->fns = p->fns.v;
  out->nfns = p->fns.n;
  out->symbols = p->symbols.v;
  out->nsymbols = p->symbols.n;
  out->locs = p->loc.v;
  out->nlocs = p->loc.n;
  out->files = p->files.v;
  out->nfiles = p->files.n;
  return p->l->st;
}
