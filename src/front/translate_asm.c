/* translate_asm.c - PTX statements: types, registers, operands, predicates.
 *
 * Registers are renamed as they are written. A predicate on a pure instruction selects
 * between the new and the old value, on any other it branches around; labels and
 * branches of inline assembly are translate_asm_flow.c's. An unknown instruction
 * refuses, by name. */
#include "translate_asm.h"

#include <stdlib.h>

/* ---- types ---- */

bool ptx_type_named(const char *s, ptx_type *out) {
  static const low_named names[] = {
      {"pred", WW_I1},   {"b8", WW_I8},     {"u8", WW_I8},       {"s8", WW_I8},
      {"b16", WW_I16},   {"u16", WW_I16},   {"s16", WW_I16},     {"b32", WW_I32},
      {"u32", WW_I32},   {"s32", WW_I32},   {"b64", WW_I64},     {"u64", WW_I64},
      {"s64", WW_I64},   {"f16", WW_F16},   {"bf16", WW_BF16},   {"f32", WW_F32},
      {"f64", WW_F64},   {"f16x2", WW_F16}, {"bf16x2", WW_BF16}, {"s16x2", WW_I16},
      {"u16x2", WW_I16}, {NULL, -1}};
  int t = low_value_named(names, s, strlen(s));
  if (t >= 0)
    *out = (ptx_type){t, *s == 's' || ww_is_float(t), strchr(s, 'x')};
  return t >= 0;
}

bool ptx_has(const ptx_ins *i, const char *modifier) {
  for (uint32_t k = 1; k < i->nop; k++)
    if (!strcmp(i->op[k], modifier))
      return true;
  return false;
}

ptx_type ptx_nth_type(const ptx_ins *i, uint32_t n) {
  ptx_type t;
  for (uint32_t k = 1; k < i->nop; k++)
    if (ptx_type_named(i->op[k], &t) && n-- == 0)
      return t;
  return (ptx_type){WW_VOID, false, false};
}

void ptx_refuse(ptx_ins *i) {
  low_refuse(i->F, "%s: %.100s", i->s->where, i->text);
}

/* ---- text ---- */

char *ptx_trim(char *s) {
  while (ww_is_space(*s))
    s++;
  size_t n = strlen(s);
  while (n && ww_is_space(s[n - 1]))
    s[--n] = 0;
  return s;
}

size_t ptx_word(const char *s) {
  size_t n = 0;
  if (ww_is_digit(*s) || *s == '@')
    return 0;
  while (ww_is_word(s[n]) || s[n] == '$' || s[n] == '%' || s[n] == '@')
    n++;
  return n;
}

static char *skip_string(char *c) {
  for (c++; *c && *c != '"'; c++)
    c += *c == '\\' && c[1];
  return *c ? c : c - 1;
}

/* Where the statement ends: at its semicolon, or at a brace that it did not open. */
static char *statement_end(char *c) {
  bool line = ww_starts(c, ".loc ") || ww_starts(c, ".loc\t");
  for (int depth = 0; *c && (*c != ';' || depth); c++) {
    if (*c == '"')
      c = skip_string(c);
    if ((line && *c == '\n') || (*c == '}' && depth-- == 0))
      break;
    depth += *c == '{';
  }
  return c;
}

ptx_item ptx_next(char **at, char **text) {
  char *c = *at;
  while (ww_is_space(*c) || *c == ';')
    c++;
  if (!*c || *c == '{' || *c == '}') {
    *at = c + (*c != 0);
    return !*c ? PTX_END : *c == '{' ? PTX_OPEN : PTX_CLOSE;
  }
  size_t n = ptx_word(c);
  char *after = c + n;
  while (n && ww_is_space(*after))
    after++;
  if (n && *after == ':' && after[1] != ':') {
    *at = after + 1;
    c[n] = 0;
    *text = c;
    return PTX_LABEL;
  }
  char *end = statement_end(c);
  *at = end + (*end != 0);
  *end = 0;
  *text = ptx_trim(c);
  return PTX_STATEMENT;
}

/* Cuts s at each `at` outside of brackets; the pieces that are not empty. Behind them
 * stand empty ones, as many as any instruction has operands: what is not there is no
 * register and no number, and so refused. */
static uint32_t split(ww_arena *a, char *s, char at, const char ***out) {
  enum { SPARE = 16 };
  uint32_t n = 1;
  for (const char *c = s; *c; c++)
    n += *c == at;
  const char **v = WW_NEWN(a, const char *, n + SPARE);
  for (uint32_t k = 0; k < n + SPARE; k++)
    v[k] = "";
  int depth = 0;
  char *start = s;
  n = 0;
  for (bool last = false; !last; s++) {
    depth += *s == '{' || *s == '[' || *s == '(';
    depth -= *s == '}' || *s == ']' || *s == ')';
    if (*s && (*s != at || depth > 0))
      continue;
    last = !*s;
    *s = 0;
    char *piece = ptx_trim(start);
    if (*piece)
      v[n++] = piece;
    start = s + 1;
  }
  *out = v;
  return n;
}

static char *parse_predicate(ptx_ins *i, char *s) {
  char *p = ptx_trim(s + 1);
  bool negated = *p == '!';
  char *name = negated ? ptx_trim(p + 1) : p;
  size_t n = ptx_word(name);
  i->predicate = ww_fmt(i->F->a, "%s%.*s", negated ? "!" : "", (int)n, name);
  return ptx_trim(name + n);
}

/* A register of 128 bits is two of 64, its low half first. */
static const char *const halves_of_128[] = {"lo$", "hi$"};

static bool is_128(const ptx_ins *i) {
  return i->nop && !strcmp(i->op[i->nop - 1], "b128");
}

static const char *as_halves(ww_arena *a, const char *reg) {
  return ww_fmt(a, "{%s%s, %s%s}", halves_of_128[0], reg, halves_of_128[1], reg);
}

void ptx_parse(ptx_ins *i, ptx_state *s, const char *text) {
  *i = (ptx_ins){.s = s, .F = s->F, .text = text};
  char *c = ww_strdup(s->F->a, text);
  if (*c == '@')
    c = parse_predicate(i, c);
  char *rest = c + strcspn(c, " \t\n\v\f\r");
  char *operands = rest + (*rest != 0);
  *rest = 0;
  i->nop = split(s->F->a, c, '.', &i->op);
  i->narg = split(s->F->a, operands, ',', &i->arg);
  for (uint32_t k = 0; k < i->narg && is_128(i); k++)
    if (ptx_word(i->arg[k]) == strlen(i->arg[k]))
      i->arg[k] = as_halves(s->F->a, i->arg[k]);
}

/* ---- registers ---- */

static uint32_t new_reg(ptx_state *s, const char *name, ww_type t, uint32_t *slot) {
  ptx_reg r = {.name = name, .declared = t, .natural = t, .type = t};
  if (!s->incoming) {
    r.v = low_const(s->F, t, 0);
    r.known = true;
  }
  ww_push(s->F->a, &s->regs, r);
  *slot = s->regs.n;
  return s->regs.n - 1;
}

uint32_t ptx_add_reg(ptx_state *s, const char *name, ww_type t) {
  bool fresh;
  char *own = ww_strdup(s->F->a, name);
  uint32_t *slot = ww_dict_at(&s->names, s->F->a, own, strlen(own), &fresh);
  return new_reg(s, own, t, slot);
}

/* %r12 of %r<100> */
static uint32_t find_in_banks(ptx_state *s, const char *name) {
  size_t n = strlen(name);
  size_t digits = n;
  while (digits && ww_is_digit(name[digits - 1]))
    digits--;
  if (digits == n || n - digits > 9)
    return PTX_NOREG;
  uint32_t number = strtoul(name + digits, NULL, 10);
  for (uint32_t b = s->banks.n; b-- > 0;) {
    const ptx_bank *k = &s->banks.v[b];
    if (strlen(k->prefix) != digits || memcmp(k->prefix, name, digits) ||
        number >= k->count)
      continue;
    bool fresh;
    uint32_t *slot =
        ww_map_at(&s->in_banks, s->F->a, ((uint64_t)b << 32 | number) + 1, &fresh);
    return fresh ? new_reg(s, ww_strdup(s->F->a, name), k->type, slot) : *slot - 1;
  }
  return PTX_NOREG;
}

uint32_t ptx_find_reg(ptx_state *s, const char *name) {
  const uint32_t *slot = ww_dict_find(&s->names, name, strlen(name));
  return slot && *slot ? *slot - 1 : find_in_banks(s, name);
}

static void declare(ptx_state *s, char *name, ww_type t) {
  char *lt = strchr(name, '<');
  if (!lt) {
    ptx_add_reg(s, name, t);
    return;
  }
  *lt = 0;
  ptx_bank b = {name, strtoul(lt + 1, NULL, 10), t};
  ww_push(s->F->a, &s->banks, b);
}

/* .b32 a, b;  .pred %p<3>; what has no such type stays unknown */
void ptx_declare(ptx_state *s, const char *text) {
  ptx_type t = {WW_VOID, false, false};
  bool wide = false;
  char *save = NULL;
  char *copy = ww_strdup(s->F->a, text);
  for (char *tok = strtok_r(copy, " \t\n\r,", &save); tok;
       tok = strtok_r(NULL, " \t\n\r,", &save)) {
    if (*tok == '.') {
      if (!ptx_type_named(tok + 1, &t))
        t.t = WW_VOID;
      if (t.pair)
        t.t = WW_I32;
      wide = !strcmp(tok, ".b128");
      continue;
    }
    for (int k = 0; k < 2 && wide; k++)
      declare(s, ww_fmt(s->F->a, "%s%s", halves_of_128[k], tok), WW_I64);
    if (t.t != WW_VOID)
      declare(s, tok, t.t);
  }
}

ww_val ptx_reshape(low_fn *F, ww_val v, ww_type from, ww_type to, bool sign) {
  if (from == to)
    return v;
  unsigned wf = ww_type_bits(from);
  unsigned wt = ww_type_bits(to);
  if (wf == wt)
    return low_bits(F, v, from, to);
  ww_type fi = low_int_type(wf);
  ww_type ti = low_int_type(wt);
  return low_bits(F, low_int_to(F, low_bits(F, v, from, fi), fi, ti, sign), ti, to);
}

ww_val ptx_get(ptx_state *s, uint32_t reg, ww_type *t) {
  ptx_reg *r = &s->regs.v[reg];
  if (!r->known || (!r->once && r->block != s->block)) {
    ww_val v = s->incoming(s, reg);
    r = &s->regs.v[reg];
    r->v = v;
    r->type = r->natural;
    r->known = true;
    r->block = s->block;
  }
  *t = r->type;
  return r->v;
}

static void note_change(ptx_state *s, uint32_t reg) {
  for (uint32_t k = 0; k < s->changes.n; k++)
    if (s->changes.v[k].reg == reg)
      return;
  struct ptx_change c = {.reg = reg};
  c.before = ptx_get(s, reg, &c.type);
  ww_push(s->F->a, &s->changes, c);
}

void ptx_set(ptx_state *s, uint32_t reg, ww_val v, ww_type t) {
  ptx_reg *r = &s->regs.v[reg];
  if (r->settled) {
    v = ptx_reshape(s->F, v, t, r->natural, false);
    t = r->natural;
  }
  if (s->noting)
    note_change(s, reg);
  r->v = v;
  r->type = t;
  r->known = true;
  r->block = s->block;
  if (s->written)
    s->written(s, reg);
}

/* ---- operands ---- */

/* 0f3f800000 and 0d3ff0000000000000: a float or double by its bits. */
static bool hex_float(const char *s, double *value, uint64_t *bits) {
  bool single = ww_starts(s, "0f") || ww_starts(s, "0F");
  if ((!single && !ww_starts(s, "0d") && !ww_starts(s, "0D")) ||
      strlen(s) != (single ? 10 : 18))
    return false;
  *bits = strtoull(s + 2, NULL, 16);
  float f;
  uint32_t word = *bits;
  memcpy(&f, &word, 4);
  memcpy(value, bits, 8);
  if (single)
    *value = f;
  return true;
}

/* A float's bits stay as they are where the type has the same width: NaNs too. */
static uint64_t as_type(double f, uint64_t bits, bool single, ww_type t) {
  if (!ww_is_float(t) || ww_type_bits(t) == (single ? 32 : 64))
    return bits;
  return low_float_bits(t, f);
}

bool ptx_immediate(const char *s, ww_type t, uint64_t *bits) {
  bool neg = *s == '-';
  const char *d = s + neg;
  double f;
  uint64_t b;
  if (!ww_is_digit(*d))
    return false;
  if (hex_float(d, &f, &b)) {
    bool single = d[1] == 'f' || d[1] == 'F';
    *bits = as_type(f, b, single, t);
    if (neg)
      *bits ^= 1ull << (ww_type_bits(t) - 1);
    return true;
  }
  if (strpbrk(d, ".") && !ww_starts(d, "0x")) {
    f = strtod(s, NULL);
    *bits = ww_is_float(t)   ? low_float_bits(t, f)
            : fabs(f) < 9e18 ? (uint64_t)(int64_t)f
                             : 0;
    return true;
  }
  bool binary = ww_starts(d, "0b") || ww_starts(d, "0B");
  uint64_t v = strtoull(binary ? d + 2 : d, NULL, binary ? 2 : 0);
  if (neg)
    v = (uint64_t)-v;
  *bits = v;
  if (ww_is_float(t) && ww_type_bits(t) == 32 && v < 16)
    *bits = low_float_bits(t, (double)(int64_t)v);
  return true;
}

/* %envreg1 and %envreg2: halves of the address of what a grid-wide barrier counts in */
static bool workspace(ptx_ins *i, const char *s, ww_type t, ww_val *out) {
  bool upper = !strcmp(s, "%envreg1");
  if ((!upper && strcmp(s, "%envreg2")) || !i->s->variable ||
      !i->s->variable(i->s, "%envreg", out))
    return false;
  if (upper)
    *out = low_op64k(i->F, WW_OP_LSHR, *out, 32);
  *out = low_int_to(i->F, *out, WW_I64, WW_I32, false);
  *out = ptx_reshape(i->F, *out, WW_I32, t, false);
  return true;
}

/* %tid.x, %lanemask_lt, %clock64 ...: PTX writes an underscore where NVVM has a dot */
static bool special(ptx_ins *i, const char *s, ww_type t, ww_val *out) {
  char name[40];
  ww_type from = WW_I32;
  bool warp = !strcmp(s, "WARP_SZ");
  if (*s != '%' && !warp)
    return false;
  snprintf(name, sizeof name, "%s", s + 1);
  if (ww_starts(name, "lanemask_"))
    name[8] = '.';
  if (ww_starts(name, "cluster_"))
    name[7] = '.';
  if (!strcmp(name, "is_explicit_cluster"))
    snprintf(name, sizeof name, "cluster.explicit");
  if (!strcmp(name, "dynamic_smem_size"))
    snprintf(name, sizeof name, "dynamic.smem.size");
  if (!strcmp(name, "current_graph_exec")) { /* no graph has launched it */
    *out = low_const(i->F, t, 0);
    return true;
  }
  bool clock = ww_starts(name, "clock") || ww_starts(name, "globaltimer");
  int r = low_nv_sreg(name);
  if (!warp && !clock && r < 0)
    return false;
  if (clock && t == WW_I64)
    from = WW_I64;
  ww_val v = warp    ? low_i32(i->F, 32)
             : clock ? low_nullary(i->F, WW_OP_CLOCK, from)
                     : low_sreg(i->F, r);
  *out = ptx_reshape(i->F, v, from, t, false);
  return true;
}

uint32_t ptx_list(ptx_ins *i, const char *operand, const char **out, uint32_t max) {
  uint32_t n = 0;
  if (*operand != '{') {
    out[0] = operand;
    return 1;
  }
  for (char *rest, *tok = strtok_r(ww_strdup(i->F->a, operand + 1), ",} \t\n\r", &rest);
       tok && n < max; tok = strtok_r(NULL, ",} \t\n\r", &rest))
    out[n++] = tok;
  return n;
}

/* The registers of {lo, hi}, which are one value of type t, and the integers that they
 * hold. */
static uint32_t vector_parts(
    ptx_ins *i, const char *operand, ww_type t, const char *part[8], low_comp c[8]) {
  uint32_t n = ptx_list(i, operand, part, 8);
  low_elements(c, low_int_type(n ? ww_type_bits(t) / n : 0), n);
  if (!n || c->bits * n != ww_type_bits(t))
    ptx_refuse(i);
  return n;
}

/* Two words are a pair of registers: nothing is done to put them together. */
static void free_of_cost(low_fn *F, uint32_t from, const low_comp *part) {
  if (part->bits == 32)
    low_parts(F, from, WW_NOPS);
}

bool ptx_halves(ptx_state *s, ww_val packed, ww_type t, ww_val out[2]) {
  const uint32_t *at = ww_map_find(&s->packed, packed + 1ull);
  for (int k = 0; at && k < 2; k++) {
    ww_val v = s->halves.v[*at + k];
    out[k] = ptx_reshape(s->F, v, s->F->vals.v[v].type, t, false);
  }
  return at;
}

void ptx_note_halves(ptx_state *s, ww_val packed, const ww_val half[2]) {
  *ww_map_at(&s->packed, s->F->a, packed + 1ull, NULL) = s->halves.n;
  ww_append(s->F->a, &s->halves, half, 2);
}

static ww_val read_vector(ptx_ins *i, const char *operand, ww_type t) {
  const char *part[8];
  low_comp from[8];
  low_comp to = low_element(t, 0);
  uint32_t n = vector_parts(i, operand, t, part, from);
  ww_val v[8];
  ww_val out;
  for (uint32_t k = 0; k < n; k++)
    v[k] = ptx_read(i, part[k], from->type);
  uint32_t here = low_here(i->F);
  low_repack(i->F, from, n, v, &to, 1, &out);
  free_of_cost(i->F, here, from);
  if (n == 2)
    ptx_note_halves(i->s, out, v);
  return out;
}

/* table, table+16 */
static bool variable(ptx_ins *i, const char *operand, ww_type t, ww_val *out) {
  size_t n = ptx_word(operand);
  const char *rest = operand + n + strspn(operand + n, " \t");
  uint64_t offset = 0;
  if (!n || !i->s->variable || (*rest && *rest != '+' && *rest != '-'))
    return false;
  if (*rest && !ptx_immediate(ptx_trim(ww_strdup(i->F->a, rest + (*rest == '+'))),
                              WW_I64, &offset))
    return false;
  if (!i->s->variable(i->s, ww_strndup(i->F->a, operand, n), out))
    return false;
  *out = low_add_imm(i->F, *out, WW_I64, offset);
  *out = ptx_reshape(i->F, *out, WW_I64, t, false);
  return true;
}

ww_val ptx_read(ptx_ins *i, const char *operand, ww_type t) {
  uint64_t bits;
  ww_val v;
  ww_type from;
  if (t == WW_VOID) {
    ptx_refuse(i);
    return low_i32(i->F, 0);
  }
  if (*operand == '{')
    return read_vector(i, operand, t);
  if (*operand == '!')
    return low_not(i->F, ptx_read(i, operand + 1, WW_I1));
  uint32_t reg = ptx_find_reg(i->s, operand);
  if (reg != PTX_NOREG) {
    v = ptx_get(i->s, reg, &from);
    return ptx_reshape(i->F, v, from, t, false);
  }
  if (ptx_immediate(operand, t, &bits))
    return low_const(i->F, t, bits);
  if (special(i, operand, t, &v) || workspace(i, operand, t, &v) ||
      variable(i, operand, t, &v))
    return v;
  ptx_refuse(i);
  return low_const(i->F, t, 0);
}

static void write_vector(ptx_ins *i, const char *operand, ww_val v, ww_type t) {
  const char *part[8];
  low_comp to[8];
  low_comp from = low_element(t, 0);
  uint32_t n = vector_parts(i, operand, t, part, to);
  ww_val out[8];
  uint32_t here = low_here(i->F);
  if (n != 2 || !ptx_halves(i->s, v, to->type, out))
    low_repack(i->F, &from, 1, &v, to, n, out);
  free_of_cost(i->F, here, to);
  for (uint32_t k = 0; k < n; k++)
    ptx_write(i, part[k], out[k], to->type, false);
}

void ptx_write(ptx_ins *i, const char *operand, ww_val v, ww_type t, bool sign) {
  if (!strcmp(operand, "_"))
    return;
  if (*operand == '{') {
    write_vector(i, operand, v, t);
    return;
  }
  uint32_t reg = ptx_find_reg(i->s, operand);
  bool input = reg != PTX_NOREG && i->s->regs.v[reg].input && i->s->labels.n;
  if (reg == PTX_NOREG || v == WW_NOVAL || input) {
    ptx_refuse(i); /* NOVAL: it has no such result */
    return;
  }
  ww_type declared = i->s->regs.v[reg].declared;
  if (ww_type_bits(declared) != ww_type_bits(t)) {
    v = ptx_reshape(i->F, v, t, declared, sign);
    t = declared;
  }
  ptx_set(i->s, reg, v, t);
}

bool ptx_untyped(const ptx_ins *i) {
  ptx_type t;
  for (uint32_t k = 1; k < i->nop; k++)
    if (ptx_type_named(i->op[k], &t) && !ww_is_float(t.t))
      return i->op[k][0] == 'b' || ww_type_bits(t.t) == 16;
  return false;
}

ww_type ptx_natural(ptx_ins *i, const char *const *operands, uint32_t n, ww_type t) {
  ww_type all = t;
  for (uint32_t k = 0; k < n; k++) {
    uint32_t reg = ptx_find_reg(i->s, operands[k]);
    ww_type is = reg == PTX_NOREG ? t : i->s->regs.v[reg].natural;
    if (ww_type_bits(is) != ww_type_bits(t) || (k && is != all))
      return t;
    all = is;
  }
  return all;
}

/* [reg], [reg+imm], [reg + -4], [variable+8] */
low_addr ptx_address(ptx_ins *i, const char *operand, ww_space space, uint32_t align) {
  low_addr p = {.space = space, .align = align};
  char *s = ww_alloc(i->F->a, strlen(operand) + 1);
  size_t n = 0;
  for (const char *c = operand; *c; c++)
    if (*c != '[' && *c != ']' && !ww_is_space(*c))
      s[n++] = *c;
  char *plus = n ? strpbrk(s + 1, "+-") : NULL;
  if (plus) {
    p.off = strtoll(*plus == '+' ? plus + 1 : plus, NULL, 0);
    *plus = 0;
  }
  p.base = ptx_read(i, s, WW_I64);
  return p;
}

/* ---- predicates ---- */

static void execute(ptx_ins *i) {
  if (!ptx_execute(i))
    ptx_refuse(i);
}

static void execute_noting(ptx_ins *i) {
  i->s->changes.n = 0;
  i->s->noting = true;
  execute(i);
  i->s->noting = false;
}

static void predicated_select(ptx_ins *i, ww_val p) {
  ptx_state *s = i->s;
  execute_noting(i);
  for (uint32_t k = 0; k < s->changes.n && !i->F->fn.refusal; k++) {
    struct ptx_change c = s->changes.v[k];
    ww_type t;
    ww_val now = ptx_get(s, c.reg, &t);
    ww_val old = ptx_reshape(i->F, c.before, c.type, t, false);
    ptx_set(s, c.reg, low_select(i->F, t, p, now, old), t);
  }
}

void ptx_settle_all(ptx_state *s) {
  for (uint32_t k = 0; k < s->regs.n && !s->incoming; k++) {
    ptx_reg *r = &s->regs.v[k];
    r->v = ptx_reshape(s->F, r->v, r->type, r->declared, false);
    r->type = r->declared;
  }
}

static void predicated_branch(ptx_ins *i, ww_val p) {
  low_fn *F = i->F;
  ptx_state *s = i->s;
  uint32_t yes = low_new_block(F, NULL);
  uint32_t join = low_new_block(F, NULL);
  uint32_t from = F->cur;
  uint64_t known;
  ptx_settle_all(s);
  low_cbr(F, p, yes, join);
  if (!low_is_const(F, p, &known))
    low_cur(F)->ins.v[low_here(F) - 1].flags |= WW_F_PART;
  F->cur = yes;
  execute_noting(i);
  bool falls = !low_cur(F)->ended;
  for (uint32_t k = 0; k < s->changes.n && falls; k++) {
    ptx_reg *r = &s->regs.v[s->changes.v[k].reg];
    r->v = ptx_reshape(F, r->v, r->type, s->changes.v[k].type, false);
    r->type = s->changes.v[k].type;
  }
  uint32_t end = F->cur;
  low_br(F, join);
  F->cur = join;
  for (uint32_t k = 0; k < s->changes.n; k++) {
    struct ptx_change c = s->changes.v[k];
    ww_val now = s->regs.v[c.reg].v;
    ptx_set(s, c.reg, falls ? low_phi2(F, c.type, from, c.before, end, now) : c.before,
            c.type);
  }
}

void ptx_run(ptx_ins *i) {
  uint64_t known;
  if (!i->nop) {
    ptx_refuse(i);
    return;
  }
  if (!i->predicate) {
    execute(i);
    return;
  }
  ww_val cond = ptx_read(i, i->predicate, WW_I1);
  bool pure = ptx_is_pure(i);
  if (pure && low_is_const(i->F, cond, &known)) {
    if (known & 1)
      execute(i);
  } else if (pure)
    predicated_select(i, cond);
  else
    predicated_branch(i, cond);
}

/* ---- inline assembly ---- */

void ptx_statements(ptx_state *s, char *text) {
  char *one = NULL;
  ptx_ins i;
  for (ptx_item k; (k = ptx_next(&text, &one)) != PTX_END && !s->F->fn.refusal;) {
    if (k == PTX_OPEN || k == PTX_CLOSE)
      continue;
    ptx_parse(&i, s, one);
    bool branches = i.nop && !strcmp(i.op[0], "bra") && i.narg == 1;
    if (k == PTX_LABEL)
      ptx_place_label(s, one);
    else if (branches)
      ptx_branch(s, i.arg[0],
                 i.predicate ? ptx_read(&i, i.predicate, WW_I1) : WW_NOVAL);
    else if (ww_starts(one, ".reg"))
      ptx_declare(s, one + 4);
    else if (!ww_starts(one, ".pragma"))
      ptx_run(&i);
  }
}
