/* translate_asm_video.c - PTX video instructions: an operation on words or their parts,
 * extended and exact, then saturated, then added to (or compared with) a third word, or
 * put into a part of it; and the same on all halves or bytes at once.
 *
 * ptxas has no instructions of the machine for them since long and does it in steps, as
 * is done here. */
#include "translate_asm.h"

/* An operand taken apart: -%r1.b2 */
typedef struct {
  const char *name;
  const char *part; /* behind the point; "" */
  bool minus;
} named;

static named take_apart(ptx_ins *i, uint32_t k) {
  named n = {.part = ""};
  char *text = ww_strdup(i->F->a, k < i->narg ? i->arg[k] : "");
  n.minus = *text == '-' && !ww_is_digit(text[1]);
  n.name = text + n.minus;
  char *point = strchr(n.name, '.');
  if (point) {
    *point = 0;
    n.part = point + 1;
  }
  return n;
}

/* Bits of the part that is named by one number, b2 or h0; 0: none is named, or not so.
 */
static uint32_t bits_of_part(const char *part, uint32_t *at) {
  uint32_t bits = *part == 'b' ? 8 : *part == 'h' ? 16 : 0;
  *at = bits && part[1] >= '0' && !part[2] ? part[1] - '0' : 4;
  return *at < (bits ? 32 / bits : 0) ? bits : 0;
}

static ww_val extended(low_fn *F, ww_val v, uint32_t at, uint32_t bits, bool sign) {
  if (bits)
    v = low_op(F, sign ? WW_OP_BFES : WW_OP_BFEU, WW_I32, v, low_i32(F, at * bits),
               low_i32(F, bits));
  return low_int_to(F, v, WW_I32, WW_I64, sign);
}

static ww_val source(ptx_ins *i, uint32_t k, bool sign, bool *known) {
  uint32_t at;
  named n = take_apart(i, k);
  uint32_t bits = bits_of_part(n.part, &at);
  *known &= k < i->narg && (bits || !*n.part);
  return extended(i->F, ptx_read(i, n.name, WW_I32), at, bits, sign);
}

static ww_val clamped(low_fn *F, ww_val v, uint32_t bits, bool sign) {
  int64_t most = (1ll << (bits - sign)) - 1;
  return low_op64k(F, WW_OP_SMIN, low_op64k(F, WW_OP_SMAX, v, sign ? -most - 1 : 0),
                   most);
}

/* x of the row: an operation of the IR, or what stands for one. */
static ww_val compute(ptx_ins *i, ww_val a, ww_val b) {
  static const low_named compares[] = {{"eq", WW_EQ},  {"ne", WW_NE},  {"lt", WW_SLT},
                                       {"le", WW_SLE}, {"gt", WW_SGT}, {"ge", WW_SGE},
                                       {NULL, -1}};
  low_fn *F = i->F;
  int how = -1;
  ww_val sum;
  switch (i->x) {
  case WW_OP_IABS:
    return low_unary(F, WW_OP_IABS, WW_I64, low_op64(F, WW_OP_SUB, a, b));
  case WW_OP_SHL:
  case WW_OP_ASHR:
    b = ptx_has(i, "wrap") ? low_op64k(F, WW_OP_AND, b, 31)
                           : low_op64k(F, WW_OP_UMIN, b, 32);
    return low_binary(F, i->x, WW_I64, a, low_int_to(F, b, WW_I64, WW_I32, false));
  case WW_OP_ICMP:
    for (uint32_t k = 1; k < i->nop && how < 0; k++)
      how = low_value_named(compares, i->op[k], strlen(i->op[k]));
    if (how < 0)
      ptx_refuse(i);
    return low_int_to(F, low_cmp(F, how < 0 ? WW_EQ : how, WW_I64, a, b), WW_I1, WW_I64,
                      false);
  case WW_OP_LEA: /* an average, halves away from zero */
    sum = low_op64(F, WW_OP_ADD, a, b);
    a = low_int_to(F, low_cmpk(F, WW_SGE, WW_I64, sum, 0), WW_I1, WW_I64, false);
    return low_binary(F, WW_OP_ASHR, WW_I64, low_op64(F, WW_OP_ADD, sum, a),
                      low_i32(F, 1));
  default:
    return low_op64(F, i->x, a, b);
  }
}

/* v in place of bits [at, at + bits) of a word. */
static ww_val inserted(low_fn *F, ww_val word, ww_val v, uint32_t at, uint32_t bits) {
  uint32_t mask = (uint32_t)((1ull << bits) - 1) << at;
  v = low_op32k(F, WW_OP_AND, low_op32k(F, WW_OP_SHL, v, at), mask);
  return low_op32(F, WW_OP_OR, low_op32k(F, WW_OP_AND, word, ~mask), v);
}

typedef struct {
  bool d, a, b; /* whether they are signed */
} signs;

/* vset has no type of its result, which is 0 or 1. */
static signs signs_of(const ptx_ins *i) {
  uint32_t k = i->x != WW_OP_ICMP;
  return (signs){k && ptx_nth_type(i, 0).sign, ptx_nth_type(i, k).sign,
                 ptx_nth_type(i, k + 1).sign};
}

/* vadd.s32.u32.s32.sat.max d.b1, a.h0, b, c */
bool ptx_video(ptx_ins *i) {
  low_fn *F = i->F;
  signs s = signs_of(i);
  bool known = true;
  uint32_t at;
  named d = take_apart(i, 0);
  uint32_t bits = bits_of_part(d.part, &at);
  ww_val a = source(i, 1, s.a, &known);
  ww_val b = source(i, 2, s.b, &known);
  ww_val v = compute(i, a, b);
  if (ptx_has(i, "sat"))
    v = clamped(F, v, bits ? bits : 32, s.d);
  v = low_int_to(F, v, WW_I64, WW_I32, false);
  int second = ptx_has(i, "add")   ? WW_OP_ADD
               : ptx_has(i, "min") ? (s.d ? WW_OP_SMIN : WW_OP_UMIN)
               : ptx_has(i, "max") ? (s.d ? WW_OP_SMAX : WW_OP_UMAX)
                                   : -1;
  if (!known || (*d.part && !bits) || i->narg != 3u + (bits || second >= 0))
    return false;
  if (i->narg == 4) {
    ww_val c = ptx_operand(i, 3, WW_I32);
    v = bits ? inserted(F, c, v, at * bits, bits) : low_op32(F, second, v, c);
  }
  ptx_write(i, d.name, v, WW_I32, false);
  return true;
}

/* vmad.u32.s32.u32.sat.shr7 d, a.b0, b, -c; .po: one more */
bool ptx_vmad(ptx_ins *i) {
  low_fn *F = i->F;
  signs s = signs_of(i);
  bool known = true;
  ww_val a = source(i, 1, s.a, &known);
  ww_val b = source(i, 2, s.b, &known);
  bool minus = take_apart(i, 1).minus != take_apart(i, 2).minus;
  named c = take_apart(i, 3);
  bool sign = s.a || s.b || minus || c.minus;
  if (!known || i->narg != 4 || *c.part)
    return false;
  ww_val v = low_op64(F, WW_OP_MUL, a, b);
  ww_val more = low_int_to(F, ptx_read(i, c.name, WW_I32), WW_I32, WW_I64, sign);
  if (minus)
    v = low_op64(F, WW_OP_SUB, more, v);
  else
    v = low_op64(F, c.minus ? WW_OP_SUB : WW_OP_ADD, v, more);
  if (ptx_has(i, "po"))
    v = low_add_imm(F, v, WW_I64, 1);
  uint32_t scale = ptx_has(i, "shr7") ? 7 : ptx_has(i, "shr15") ? 15 : 0;
  v = low_binary(F, sign ? WW_OP_ASHR : WW_OP_LSHR, WW_I64, v, low_i32(F, scale));
  if (ptx_has(i, "sat"))
    v = sign ? clamped(F, v, 32, true) : low_op64k(F, WW_OP_UMIN, v, UINT32_MAX);
  ptx_write(i, i->arg[0], low_int_to(F, v, WW_I64, WW_I32, false), WW_I32, false);
  return true;
}

/* Part k of what is selected, b3210 or h10, of the two words one behind the other; the
 * first is selected where nothing is said, or the second. */
static bool selected(
    const char *part, char kind, uint32_t n, uint32_t k, bool second, uint32_t *out) {
  *out = second * n + k;
  if (!*part)
    return true;
  if (*part != kind || strlen(part) != n + 1)
    return false;
  *out = part[n - k] - '0';
  return *out < 2 * n;
}

/* vadd4.s32.u32.s32.sat d.b10, a.b3120, b, c: parts that the mask behind the result
 * does not name are c's; .add: the sum of those and c */
bool ptx_video_parts(ptx_ins *i) {
  low_fn *F = i->F;
  const char *op = i->op[0];
  uint32_t n = op[strlen(op) - 1] - '0';
  uint32_t bits = 32 / n;
  char kind = n == 2 ? 'h' : 'b';
  signs s = signs_of(i);
  named d = take_apart(i, 0);
  named from[2] = {take_apart(i, 1), take_apart(i, 2)};
  if (i->narg != 4 || (*d.part && *d.part != kind))
    return false;
  ww_val word[2] = {ptx_read(i, from[0].name, WW_I32),
                    ptx_read(i, from[1].name, WW_I32)};
  ww_val r = ptx_operand(i, 3, WW_I32);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t at[2];
    if (!selected(from[0].part, kind, n, k, false, &at[0]) ||
        !selected(from[1].part, kind, n, k, true, &at[1]))
      return false;
    if (*d.part && !strchr(d.part + 1, '0' + (int)k))
      continue;
    ww_val v = compute(i, extended(F, word[at[0] / n], at[0] % n, bits, s.a),
                       extended(F, word[at[1] / n], at[1] % n, bits, s.b));
    if (ptx_has(i, "sat"))
      v = clamped(F, v, bits, s.d);
    v = low_int_to(F, v, WW_I64, WW_I32, false);
    r = ptx_has(i, "add") ? low_op32(F, WW_OP_ADD, r, v)
                          : inserted(F, r, v, k * bits, bits);
  }
  ptx_write(i, d.name, r, WW_I32, false);
  return true;
}
