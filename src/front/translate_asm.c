/* translate_asm.c - inline PTX: operands, registers, statements, predicates.
 *
 * Straight-line code only: registers are renamed as they are written. A predicate on a
 * pure instruction selects between the new and the old value, on any other it branches
 * around. Labels and branches refuse, as does any unknown instruction, by name. */
#include "translate_asm.h"

#include <stdlib.h>

/* ---- types ---- */

static bool type_named(const char *s, ptx_type *out) {
  static const low_named names[] = {
      {"pred", WW_I1}, {"b8", WW_I8},     {"u8", WW_I8},       {"s8", WW_I8},
      {"b16", WW_I16}, {"u16", WW_I16},   {"s16", WW_I16},     {"b32", WW_I32},
      {"u32", WW_I32}, {"s32", WW_I32},   {"b64", WW_I64},     {"u64", WW_I64},
      {"s64", WW_I64}, {"f16", WW_F16},   {"bf16", WW_BF16},   {"f32", WW_F32},
      {"f64", WW_F64}, {"f16x2", WW_F16}, {"bf16x2", WW_BF16}, {NULL, -1}};
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
    if (type_named(i->op[k], &t) && n-- == 0)
      return t;
  return (ptx_type){WW_VOID, false, false};
}

void ptx_refuse(ptx_ins *i) {
  low_refuse(i->F, "inline PTX: %.100s", i->text);
}

/* ---- registers and operands ---- */

static ptx_reg *find_reg(ptx_state *s, const char *name) {
  for (uint32_t i = s->regs.n; i-- > 0;)
    if (!strcmp(s->regs.v[i].name, name))
      return &s->regs.v[i];
  return NULL;
}

void ptx_add_reg(ptx_state *s, const char *name, ww_type t) {
  ptx_reg r = {.declared = t, .type = t, .v = low_const(s->F, t, 0)};
  snprintf(r.name, sizeof r.name, "%s", name);
  ww_push(s->F->a, &s->regs, r);
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

static bool immediate(const char *s, ww_type t, uint64_t *bits) {
  bool neg = *s == '-';
  const char *d = s + neg;
  double f;
  uint64_t b;
  if (!ww_is_digit(*d))
    return false;
  if (hex_float(d, &f, &b)) {
    *bits = ww_is_float(t) ? low_float_bits(t, neg ? -f : f) : b;
    return true;
  }
  if (strpbrk(d, ".") && !ww_starts(d, "0x")) {
    f = strtod(s, NULL);
    *bits = ww_is_float(t) ? low_float_bits(t, f) : (uint64_t)(int64_t)f;
    return true;
  }
  uint64_t v = strtoull(d, NULL, 0);
  if (neg)
    v = (uint64_t)-v;
  *bits = v;
  if (ww_is_float(t) && ww_type_bits(t) == 32 && v < 16)
    *bits = low_float_bits(t, (double)(int64_t)v);
  return true;
}

/* %tid.x, %lanemask_lt, %clock64 ...: PTX writes an underscore where NVVM has a dot */
static bool special(ptx_ins *i, const char *s, ww_type t, ww_val *out) {
  char name[PTX_NAME];
  ww_type from = WW_I32;
  bool warp = !strcmp(s, "WARP_SZ");
  if (*s != '%' && !warp)
    return false;
  snprintf(name, sizeof name, "%s", s + 1);
  if (ww_starts(name, "lanemask_"))
    name[8] = '.';
  if (!strcmp(name, "dynamic_smem_size"))
    snprintf(name, sizeof name, "dynamic.smem.size");
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
  for (char *rest, *tok = strtok_r(ww_strdup(i->F->a, operand + 1), ",} \t", &rest);
       tok && n < max; tok = strtok_r(NULL, ",} \t", &rest))
    out[n++] = tok;
  return n;
}

/* The registers of {lo, hi}, which are one value of type t, and the integers that they
 * hold. */
static uint32_t vector_parts(
    ptx_ins *i, const char *operand, ww_type t, const char *part[8], low_comp c[8]) {
  uint32_t n = ptx_list(i, operand, part, 8);
  low_elements(c, low_int_type(n ? ww_type_bits(t) / n : 0), n);
  return n;
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
  low_repack(i->F, from, n, v, &to, 1, &out);
  return out;
}

ww_val ptx_read(ptx_ins *i, const char *operand, ww_type t) {
  uint64_t bits;
  ww_val v;
  if (t == WW_VOID) {
    ptx_refuse(i);
    return low_i32(i->F, 0);
  }
  if (*operand == '{')
    return read_vector(i, operand, t);
  if (*operand == '!')
    return low_not(i->F, ptx_read(i, operand + 1, WW_I1));
  ptx_reg *r = find_reg(i->s, operand);
  if (r)
    return ptx_reshape(i->F, r->v, r->type, t, false);
  if (immediate(operand, t, &bits))
    return low_const(i->F, t, bits);
  if (special(i, operand, t, &v))
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
  low_repack(i->F, &from, 1, &v, to, n, out);
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
  ptx_reg *r = find_reg(i->s, operand);
  if (!r) {
    ptx_refuse(i);
    return;
  }
  if (ww_type_bits(r->declared) != ww_type_bits(t)) {
    v = ptx_reshape(i->F, v, t, r->declared, sign);
    t = r->declared;
  }
  r->v = v;
  r->type = t;
}

/* [reg], [reg+imm], [reg + -4] */
low_addr ptx_address(ptx_ins *i, const char *operand, ww_space space, uint32_t align) {
  char s[80];
  low_addr p = {.space = space, .align = align};
  size_t n = 0;
  for (const char *c = operand; *c && n + 1 < sizeof s; c++)
    if (*c != '[' && *c != ']' && !ww_is_space(*c))
      s[n++] = *c;
  s[n] = 0;
  char *plus = strpbrk(s + 1, "+-");
  if (plus) {
    p.off = strtoll(*plus == '+' ? plus + 1 : plus, NULL, 0);
    *plus = 0;
  }
  p.base = ptx_read(i, s, WW_I64);
  return p;
}

/* ---- statements ---- */

char *ptx_trim(char *s) {
  while (ww_is_space(*s))
    s++;
  size_t n = strlen(s);
  while (n && ww_is_space(s[n - 1]))
    s[--n] = 0;
  return s;
}

/* .reg .b32 a, b; .reg .pred %p<3>; */
static void declare(ptx_state *s, char *text) {
  ptx_type t = {WW_I32, false, false};
  char *save = NULL;
  for (char *tok = strtok_r(text, " \t\n,", &save); tok;
       tok = strtok_r(NULL, " \t\n,", &save)) {
    if (*tok == '.') {
      if (!type_named(tok + 1, &t) || t.pair)
        t.t = WW_I32;
      continue;
    }
    char *lt = strchr(tok, '<');
    if (!lt) {
      ptx_add_reg(s, tok, t.t);
      continue;
    }
    int n = atoi(lt + 1);
    *lt = 0;
    for (int k = 0; k < n && k < 64; k++) {
      char name[PTX_NAME];
      snprintf(name, sizeof name, "%.30s%d", tok, k);
      ptx_add_reg(s, name, t.t);
    }
  }
}

static void split_operands(ptx_ins *i, char *s) {
  int depth = 0;
  char *start = s;
  for (;; s++) {
    if (*s == '{' || *s == '[')
      depth++;
    if (*s == '}' || *s == ']')
      depth--;
    if (*s && (*s != ',' || depth))
      continue;
    bool last = !*s;
    *s = 0;
    char *o = ptx_trim(start);
    if (*o && i->narg < PTX_MAX_OPERANDS)
      i->arg[i->narg++] = o;
    if (last)
      break;
    start = s + 1;
  }
}

static void parse(ptx_ins *i, char *s) {
  size_t n = strcspn(s, " \t\n\v\f\r");
  for (size_t k = 0; k < n && i->nop < PTX_MAX_TOKENS;) {
    size_t e = k + strcspn(s + k, ". \t\n\v\f\r");
    snprintf(i->op[i->nop++], sizeof i->op[0], "%.*s", (int)(e - k < 15 ? e - k : 15),
             s + k);
    k = e + 1;
    while (k < n && s[k] == ':')
      k++; /* .shared::cluster keeps its parts apart */
  }
  split_operands(i, s + n);
}

/* ---- predicates ---- */

static ptx_reg *copy_of(const ptx_state *s) {
  ptx_reg *copy = WW_NEWN(s->F->a, ptx_reg, s->regs.n + 1);
  return memcpy(copy, s->regs.v, s->regs.n * sizeof *copy);
}

static void execute(ptx_ins *i) {
  if (!ptx_execute(i))
    ptx_refuse(i);
}

static void predicated_select(ptx_ins *i, ww_val p) {
  ptx_state *s = i->s;
  uint32_t n = s->regs.n;
  const ptx_reg *before = copy_of(s);
  execute(i);
  for (uint32_t k = 0; k < n && !i->F->fn.refusal; k++) {
    ptx_reg *r = &s->regs.v[k];
    if (r->v == before[k].v)
      continue;
    ww_val old = ptx_reshape(i->F, before[k].v, before[k].type, r->type, false);
    r->v = low_select(i->F, r->type, p, r->v, old);
  }
}

/* The value in the type that the register was declared with. */
static void settle(low_fn *F, ptx_reg *r) {
  r->v = ptx_reshape(F, r->v, r->type, r->declared, false);
  r->type = r->declared;
}

static void predicated_branch(ptx_ins *i, ww_val p) {
  low_fn *F = i->F;
  ptx_state *s = i->s;
  uint32_t n = s->regs.n;
  uint32_t yes = low_new_block(F, NULL);
  uint32_t join = low_new_block(F, NULL);
  uint32_t from = F->cur;
  for (uint32_t k = 0; k < n; k++) /* the old value in the type the join will have */
    settle(F, &s->regs.v[k]);
  const ptx_reg *before = copy_of(s);
  low_cbr(F, p, yes, join);
  F->cur = yes;
  execute(i);
  bool falls = !low_cur(F)->ended;
  for (uint32_t k = 0; k < n && falls; k++)
    if (s->regs.v[k].v != before[k].v)
      settle(F, &s->regs.v[k]);
  uint32_t end = F->cur;
  low_br(F, join);
  F->cur = join;
  for (uint32_t k = 0; k < n; k++) {
    ptx_reg *r = &s->regs.v[k];
    if (r->v != before[k].v)
      r->v = falls ? low_phi2(F, r->type, from, before[k].v, end, r->v) : before[k].v;
  }
}

static void statement(ptx_state *s, char *text) {
  ptx_ins i = {.s = s, .F = s->F, .text = ww_strdup(s->F->a, text)};
  if (ww_starts(text, ".reg")) {
    declare(s, text + 4);
    return;
  }
  if (ww_starts(text, ".pragma"))
    return;
  char *p = NULL;
  if (*text == '@') {
    size_t n = strcspn(text, " \t\n\v\f\r");
    p = ww_strndup(s->F->a, text + 1, n - 1);
    text = ptx_trim(text + n);
  }
  parse(&i, text);
  if (!i.nop || strchr(text, ':') == text + strlen(i.op[0])) {
    ptx_refuse(&i);
    return;
  }
  if (!p) {
    execute(&i);
    return;
  }
  ww_val cond = ptx_read(&i, p, WW_I1);
  if (ptx_is_pure(&i))
    predicated_select(&i, cond);
  else
    predicated_branch(&i, cond);
}

void ptx_statements(ptx_state *s, char *text) {
  /* scope braces stand alone at the start of a statement */
  for (char *c = text; *c; c++) {
    char *start = c;
    while (ww_is_space(*c) || *c == ';')
      c++;
    if (*c == '{' || *c == '}')
      continue;
    start = c;
    int depth = 0;
    while (*c && (*c != ';' || depth)) {
      if (*c == '{')
        depth++;
      if (*c == '}' && depth-- == 0)
        break;
      c++;
    }
    char end = *c;
    *c = 0;
    char *one = ptx_trim(start);
    if (*one && !s->F->fn.refusal)
      statement(s, one);
    if (!end)
      break;
  }
}
