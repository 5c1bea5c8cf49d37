/* emit.c - building a function of the IR: values and constants, blocks, instructions,
 * bit repacking, finishing.
 *
 * Invariant: every emitter leaves integers below their container's width zero-extended.
 * Emission goes to the current block; once a block has its terminator, what follows is
 * dropped (it cannot be reached). */
#include "emit.h"

#include "../base/half.h"

void low_refuse(low_fn *F, const char *fmt, ...) {
  if (F->fn.refusal)
    return;
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  F->fn.refusal = ww_strdup(F->a, text);
}

/* ---- types ---- */

ww_type low_int_type(unsigned bits) {
  return bits <= 1    ? WW_I1
         : bits <= 8  ? WW_I8
         : bits <= 16 ? WW_I16
         : bits <= 32 ? WW_I32
                      : WW_I64;
}

low_comp low_element(ww_type t, uint32_t k) {
  uint8_t size = ww_type_bytes[t];
  return (low_comp){t, size, ww_type_bits(t), k * size};
}

const low_comp *low_elements(low_comp *c, ww_type t, uint32_t n) {
  for (uint32_t i = 0; i < n; i++)
    c[i] = low_element(t, i);
  return c;
}

/* ---- scalar constants of a function, each once ---- */

static ww_val intern(low_fn *F, ww_value v) {
  uint64_t h = ww_hash(&v.bits, sizeof v.bits,
                       (uint64_t)v.type << 40 | (uint64_t)v.kind << 32 | v.ref) |
               1;
  for (;; h += 2) {
    bool fresh;
    uint32_t *at = ww_map_at(&F->consts, F->a, h, &fresh);
    if (fresh) {
      *at = F->vals.n;
      ww_push(F->a, &F->vals, v);
      return *at;
    }
    const ww_value *o = &F->vals.v[*at];
    if (o->type == v.type && o->kind == v.kind && o->ref == v.ref && o->bits == v.bits)
      return *at;
  }
}

ww_val low_const(low_fn *F, ww_type t, uint64_t bits) {
  unsigned w = ww_type_bits(t);
  if (w < 64)
    bits &= (1ull << w) - 1;
  return intern(F, (ww_value){.type = t, .kind = WW_VAL_CONST, .bits = bits});
}

uint64_t low_float_bits(ww_type t, double v) {
  uint64_t b64;
  memcpy(&b64, &v, 8);
  switch (t) {
  case WW_F16:
    return ww_double_to_half(v);
  case WW_BF16:
    return isnan(v) ? 0x7fc0 : ww_float_to_bf16(v);
  case WW_F32:
    return ww_float_bits(v);
  default:
    return b64;
  }
}

ww_val low_i32(low_fn *F, uint64_t k) {
  return low_const(F, WW_I32, k);
}

ww_val low_fconst(low_fn *F, ww_type t, double v) {
  return low_const(F, t, low_float_bits(t, v));
}

bool low_is_const(const low_fn *F, ww_val v, uint64_t *bits) {
  if (v == WW_NOVAL || F->vals.v[v].kind != WW_VAL_CONST)
    return false;
  *bits = F->vals.v[v].bits;
  return true;
}

ww_val low_fn_address(low_fn *F, uint32_t f, int64_t off) {
  low_note(F->a, &F->callees, f);
  return intern(F,
                (ww_value){.type = WW_I64, .kind = WW_VAL_FN, .ref = f, .bits = off});
}

ww_val low_symbol_address(low_fn *F, uint32_t s, int64_t off) {
  if (F->m->sym_refusal.v[s])
    low_refuse(F, "%s", F->m->sym_refusal.v[s]);
  ww_map_at(&F->symbols, F->a, s + 1ull, NULL);
  return intern(F, (ww_value){.type = WW_I64,
                              .kind = WW_VAL_SYMBOL,
                              .ref = s,
                              .bits = off,
                              .name = F->m->sym_list.v[s].name});
}

/* ---- blocks and values ---- */

uint32_t low_new_block(low_fn *F, const char *name) {
  ww_push(F->a, &F->blocks, (low_block){.name = name});
  return F->blocks.n - 1;
}

low_block *low_cur(low_fn *F) {
  return F->cur == LOW_PROLOGUE ? &F->prologue : &F->blocks.v[F->cur];
}

ww_val low_new_val(low_fn *F, ww_type t) {
  uint32_t block = F->cur == LOW_PROLOGUE ? 0 : F->cur;
  ww_push(F->a, &F->vals, (ww_value){.type = t, .kind = WW_VAL_RESULT, .ref = block});
  return F->vals.n - 1;
}

static _Thread_local ww_ins dropped; /* what follows a terminator */

ww_ins *low_last(low_fn *F) {
  low_block *b = low_cur(F);
  return b->ended ? &dropped : &b->ins.v[b->ins.n - 1];
}

ww_val *low_values(low_fn *F, uint32_t n) {
  return WW_NEWN(F->a, ww_val, n + 1);
}

ww_ins *low_ins(low_fn *F, ww_op op, ww_type t) {
  ww_ins i = {.op = op,
              .type = t,
              .dst = WW_NOVAL,
              .a = WW_NOVAL,
              .b = WW_NOVAL,
              .c = WW_NOVAL,
              .loc = F->loc};
  low_block *b = low_cur(F);
  if (b->ended) {
    dropped = i;
    return &dropped;
  }
  ww_push(F->a, &b->ins, i);
  if (ww_ends_block(op))
    b->ended = true;
  return &b->ins.v[b->ins.n - 1];
}

uint32_t low_here(low_fn *F) {
  return low_cur(F)->ins.n;
}

void low_parts(low_fn *F, uint32_t from, ww_op one) {
  low_block *b = low_cur(F);
  bool found = false;
  for (uint32_t k = from; k < b->ins.n; k++) {
    if (found || b->ins.v[k].op != one)
      b->ins.v[k].flags |= WW_F_PART;
    else
      found = true;
  }
}

ww_val low_opx(
    low_fn *F, ww_op op, ww_type t, int sub, int flags, ww_val a, ww_val b, ww_val c) {
  ww_val dst = low_new_val(F, op == WW_OP_ICMP || op == WW_OP_FCMP ? WW_I1 : t);
  ww_ins *i = low_ins(F, op, t);
  i->dst = dst;
  i->nres = 1;
  i->a = a;
  i->b = b;
  i->c = c;
  i->sub = sub;
  i->flags = flags;
  return dst;
}

ww_val low_op(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b, ww_val c) {
  return low_opx(F, op, t, 0, 0, a, b, c);
}

ww_val low_binary(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b) {
  return low_op(F, op, t, a, b, WW_NOVAL);
}

ww_val low_unary(low_fn *F, ww_op op, ww_type t, ww_val a) {
  return low_binary(F, op, t, a, WW_NOVAL);
}

ww_val low_nullary(low_fn *F, ww_op op, ww_type t) {
  return low_unary(F, op, t, WW_NOVAL);
}

ww_val low_op32(low_fn *F, ww_op op, ww_val a, ww_val b) {
  return low_binary(F, op, WW_I32, a, b);
}

ww_val low_binaryk(low_fn *F, ww_op op, ww_type t, ww_val a, uint64_t k) {
  return low_binary(F, op, t, a, low_const(F, t, k));
}

ww_val low_op32k(low_fn *F, ww_op op, ww_val a, uint64_t k) {
  return low_binaryk(F, op, WW_I32, a, k);
}

ww_val low_op64k(low_fn *F, ww_op op, ww_val a, uint64_t k) {
  return low_binaryk(F, op, WW_I64, a, k);
}

ww_val low_op64(low_fn *F, ww_op op, ww_val a, ww_val b) {
  return low_binary(F, op, WW_I64, a, b);
}

ww_val low_not(low_fn *F, ww_val a) {
  return low_binaryk(F, WW_OP_XOR, WW_I1, a, 1);
}

ww_val low_nonzero(low_fn *F, ww_val a) {
  return low_cmpk(F, WW_NE, WW_I32, a, 0);
}

ww_val low_relu(low_fn *F, ww_type t, ww_val a) {
  return low_binary(F, WW_OP_FMAX, t, a, low_fconst(F, t, 0));
}

ww_val low_clamp01(low_fn *F, ww_type t, ww_val a) {
  a = low_relu(F, t, a);
  return low_binary(F, WW_OP_FMIN, t, a, low_fconst(F, t, 1));
}

ww_val low_cvt(low_fn *F, ww_op op, ww_type to, ww_type from, int round, ww_val a) {
  if (op == WW_OP_TRUNC) { /* of a widened value: what it was widened from */
    const uint32_t *was = ww_map_find(&F->widened, a + 1ull);
    if (was && F->vals.v[*was].type == to)
      return *was;
  }
  ww_val dst = low_opx(F, op, to, round, 0, a, WW_NOVAL, WW_NOVAL);
  low_last(F)->type2 = from;
  if (op == WW_OP_ZEXT || op == WW_OP_SEXT)
    *ww_map_at(&F->widened, F->a, dst + 1ull, NULL) = a;
  return dst;
}

ww_val low_cmp(low_fn *F, ww_cmp p, ww_type t, ww_val a, ww_val b) {
  return low_opx(F, p >= WW_FOEQ ? WW_OP_FCMP : WW_OP_ICMP, t, p, 0, a, b, WW_NOVAL);
}

ww_val low_cmpk(low_fn *F, ww_cmp p, ww_type t, ww_val a, uint64_t k) {
  return low_cmp(F, p, t, a, low_const(F, t, k));
}

ww_val low_select(low_fn *F, ww_type t, ww_val c, ww_val a, ww_val b) {
  uint64_t k;
  if (a == b)
    return a;
  if (low_is_const(F, c, &k))
    return k & 1 ? a : b;
  return low_op(F, WW_OP_SELECT, t, c, a, b);
}

ww_val
low_math(low_fn *F, ww_math m, ww_type t, int flags, ww_val a, ww_val b, ww_val c) {
  ww_val v = low_opx(F, WW_OP_MATH, t, m, flags, a, b, c);
  low_last(F)->n = ww_math_args[m];
  return v;
}

ww_val low_math1(low_fn *F, ww_math m, ww_type t, int flags, ww_val a) {
  return low_math(F, m, t, flags, a, WW_NOVAL, WW_NOVAL);
}

void low_math_round(low_fn *F, ww_math m, int round) {
  if (m == WW_MATH_SQRT || m == WW_MATH_RCP)
    low_last(F)->imm = round;
}

ww_val low_int_to(low_fn *F, ww_val a, ww_type from, ww_type to, bool sign) {
  uint64_t k;
  if (from == to)
    return a;
  unsigned wf = ww_type_bits(from);
  unsigned wt = ww_type_bits(to);
  if (low_is_const(F, a, &k)) {
    if (sign && wf < 64)
      k = (int64_t)(k << (64 - wf)) >> (64 - wf);
    return low_const(F, to, k);
  }
  return low_cvt(F,
                 wt < wf ? WW_OP_TRUNC
                 : sign  ? WW_OP_SEXT
                         : WW_OP_ZEXT,
                 to, from, 0, a);
}

ww_val
low_convert(low_fn *F, ww_val a, ww_type from, ww_type to, int round, bool sign) {
  bool from_float = ww_is_float(from), to_float = ww_is_float(to);
  if (from == to || (!from_float && !to_float))
    return low_int_to(F, a, from, to, sign);
  ww_op op = from_float && to_float ? WW_OP_FCVT
             : from_float           ? (sign ? WW_OP_FTOSI : WW_OP_FTOUI)
                                    : (sign ? WW_OP_SITOF : WW_OP_UITOF);
  return low_cvt(F, op, to, from, round, a);
}

ww_val low_bits(low_fn *F, ww_val a, ww_type from, ww_type to) {
  uint64_t k;
  if (from == to)
    return a;
  if (low_is_const(F, a, &k))
    return low_const(F, to, k);
  return low_cvt(F, WW_OP_MOV, to, from, 0, a);
}

ww_val low_mask(low_fn *F, ww_val a, ww_type t, unsigned bits) {
  if (bits >= ww_type_bits(t) || ww_is_float(t))
    return a;
  return low_binaryk(F, WW_OP_AND, t, a, (1ull << bits) - 1);
}

ww_val low_signed(low_fn *F, ww_val a, ww_type t, unsigned bits) {
  unsigned w = ww_type_bits(t);
  if (bits >= w)
    return a;
  ww_val k = low_const(F, t, w - bits);
  return low_binary(F, WW_OP_ASHR, t, low_binary(F, WW_OP_SHL, t, a, k), k);
}

ww_val low_24(low_fn *F, ww_val a, bool sign) {
  return sign ? low_signed(F, a, WW_I32, 24) : low_mask(F, a, WW_I32, 24);
}

ww_val low_add_imm(low_fn *F, ww_val a, ww_type t, int64_t k) {
  uint64_t bits;
  if (!k)
    return a;
  if (low_is_const(F, a, &bits))
    return low_const(F, t, bits + k);
  return low_binaryk(F, WW_OP_ADD, t, a, k);
}

ww_val low_lea(low_fn *F, ww_val base, ww_val index, int64_t scale) {
  uint64_t k;
  if (!scale)
    return base;
  if (low_is_const(F, index, &k))
    return low_add_imm(F, base, WW_I64, k * scale);
  if (scale == 1)
    return low_binary(F, WW_OP_ADD, WW_I64, base, index);
  ww_val v = low_binary(F, WW_OP_LEA, WW_I64, base, index);
  low_last(F)->imm = scale;
  return v;
}

ww_val low_sreg(low_fn *F, ww_sreg s) {
  return low_opx(F, WW_OP_SREG, WW_I32, s, 0, WW_NOVAL, WW_NOVAL, WW_NOVAL);
}

void low_br(low_fn *F, uint32_t to) {
  low_ins(F, WW_OP_BR, WW_VOID)->imm = to;
}

void low_cbr(low_fn *F, ww_val c, uint32_t yes, uint32_t no) {
  if (yes == no) {
    low_br(F, yes);
    return;
  }
  ww_ins *i = low_ins(F, WW_OP_CBR, WW_VOID);
  i->a = c;
  i->imm = yes;
  i->ext = no;
}

uint32_t low_pool(low_fn *F, const ww_val *v, uint32_t n) {
  uint32_t at = F->pool.n;
  for (uint32_t i = 0; i < n; i++)
    ww_push(F->a, &F->pool, v[i]);
  return at;
}

ww_val
low_phi2(low_fn *F, ww_type t, uint32_t pred1, ww_val v1, uint32_t pred2, ww_val v2) {
  ww_val dst = low_new_val(F, t);
  uint32_t pairs[4] = {pred1, v1, pred2, v2};
  ww_phi p = {dst, low_pool(F, pairs, 4), 2};
  ww_push(F->a, &F->blocks.v[F->cur].phis, p);
  return dst;
}

void low_add_param(low_fn *F, ww_param p) {
  ww_param *grown = ww_grow(F->a, F->fn.params, F->fn.nparams * sizeof p,
                            (F->fn.nparams + 1) * sizeof p);
  F->fn.params = grown;
  grown[F->fn.nparams] = p;
  ww_push(
      F->a, &F->vals,
      (ww_value){
          .type = p.type, .kind = WW_VAL_PARAM, .ref = F->fn.nparams, .name = p.name});
  F->fn.nparams++;
}

ww_val low_local(low_fn *F, uint64_t bytes, uint32_t align) {
  if (align < 1)
    align = 1;
  uint64_t at = (F->frame + (uint64_t)align - 1) / align * align;
  ww_val v = low_nullary(F, WW_OP_LOCALADDR, WW_I64);
  low_last(F)->imm = at;
  if (at + bytes > 1u << 24)
    low_refuse(F, "local memory of more than 16 MiB a thread");
  else
    F->frame = at + bytes;
  return v;
}

void low_invoke(low_fn *F, const low_invocation *c, ww_val *results) {
  if (c->nargs > 255 || c->nres > 255)
    low_refuse(F, "a call with more than 255 values");
  bool direct = c->target == WW_NOVAL;
  uint32_t ext = low_pool(F, c->args, c->nargs);
  for (uint32_t i = 0; i < c->nres; i++)
    results[i] = low_new_val(F, c->types[i]);
  ww_ins *i = low_ins(F, direct ? WW_OP_CALL : WW_OP_CALLI, WW_VOID);
  i->a = c->target;
  i->imm = c->index;
  i->ext = ext;
  i->n = c->nargs;
  i->nres = c->nres;
  i->dst = c->nres ? results[0] : WW_NOVAL;
  if (direct)
    low_note(F->a, &F->callees, c->index);
  else
    F->indirect = true;
}

/* ---- bit repacking: the same bits as another list of scalars ---- */

/* Little-endian bit cursor over the input components, 1 to 64 bits at a time, as a
 * value of type t.
 */
static ww_val take_bits(low_fn *F,
                        const low_comp *from,
                        uint32_t n,
                        const ww_val *in,
                        uint64_t at,
                        unsigned bits,
                        ww_type t) {
  ww_val acc = WW_NOVAL;
  uint64_t next = 0;
  for (uint32_t i = 0; i < n; i++) {
    uint64_t pos = next;
    next += from[i].bits;
    if (next <= at || pos >= at + bits)
      continue;
    ww_type it = low_int_type(from[i].bits);
    ww_val v = low_bits(F, in[i], from[i].type, it);
    if (pos < at)
      v = low_binaryk(F, WW_OP_LSHR, it, v, at - pos);
    v = low_int_to(F, v, it, t, false);
    if (pos > at)
      v = low_binaryk(F, WW_OP_SHL, t, v, pos - at);
    acc = acc == WW_NOVAL ? v : low_binary(F, WW_OP_OR, t, acc, v);
  }
  return acc == WW_NOVAL ? low_const(F, t, 0) : low_mask(F, acc, t, bits);
}

/* Two 16-bit halves into 32 bits is one byte permute. */
static bool pack_halves(low_fn *F,
                        const low_comp *from,
                        uint32_t nfrom,
                        const ww_val *in,
                        const low_comp *to,
                        ww_val *out) {
  if (nfrom != 2 || from[0].bits != 16 || from[1].bits != 16 || to->bits != 32)
    return false;
  ww_val half[2];
  for (int k = 0; k < 2; k++)
    half[k] =
        low_int_to(F, low_bits(F, in[k], from[k].type, WW_I16), WW_I16, WW_I32, false);
  ww_val v = low_op(F, WW_OP_PRMT, WW_I32, half[0], half[1], low_i32(F, 0x5410));
  *out = low_bits(F, v, WW_I32, to->type);
  return true;
}

void low_repack(low_fn *F,
                const low_comp *from,
                uint32_t nfrom,
                const ww_val *in,
                const low_comp *to,
                uint32_t nto,
                ww_val *out) {
  uint64_t next = 0;
  if (nto == 1 && pack_halves(F, from, nfrom, in, to, out))
    return;
  for (uint32_t i = 0; i < nto; i++) {
    uint64_t at = next;
    uint64_t pos = 0;
    next += to[i].bits;
    uint32_t j = 0;
    while (j < nfrom && pos < at)
      pos += from[j++].bits;
    if (j < nfrom && pos == at && from[j].bits == to[i].bits) {
      out[i] = low_bits(F, in[j], from[j].type, to[i].type);
      continue;
    }
    ww_type it = low_int_type(to[i].bits);
    out[i] =
        low_bits(F, take_bits(F, from, nfrom, in, at, to[i].bits, it), it, to[i].type);
  }
}

/* ---- finishing: prologue in front, unreachable blocks out ---- */

static void mark(low_fn *F, bool *seen) {
  uint32_t *stack = WW_NEWN(F->a, uint32_t, F->blocks.n + 1);
  uint32_t n = 1; /* the entry */
  seen[0] = true;
  while (n) {
    low_block *blk = &F->blocks.v[stack[--n]];
    if (!blk->ins.n)
      continue;
    const ww_ins *t = &blk->ins.v[blk->ins.n - 1];
    bool many = t->op == WW_OP_SWITCH, two = t->op == WW_OP_CBR;
    uint32_t nto = many ? t->n + 1 : two ? 2 : t->op == WW_OP_BR;
    for (uint32_t i = 0; i < nto; i++) {
      uint32_t to = !i ? t->imm : two ? t->ext : F->pool.v[t->ext + 2 * i - 1];
      if (!seen[to])
        seen[stack[n++] = to] = true;
    }
  }
}

static void renumber(low_fn *F, ww_ins *t, const uint32_t *new_of) {
  if (t->op == WW_OP_BR || t->op == WW_OP_CBR || t->op == WW_OP_SWITCH)
    t->imm = new_of[t->imm];
  if (t->op == WW_OP_CBR)
    t->ext = new_of[t->ext];
  for (uint32_t i = 0; t->op == WW_OP_SWITCH && i < t->n; i++) {
    uint32_t *c = &F->pool.v[t->ext + 2 * i + 1];
    *c = new_of[*c];
  }
}

static void
drop_dead_edges(low_fn *F, low_block *b, const bool *seen, const uint32_t *new_of) {
  for (uint32_t p = 0; p < b->phis.n; p++) {
    ww_phi *phi = &b->phis.v[p];
    uint32_t k = 0;
    uint32_t *pairs = &F->pool.v[phi->ext];
    for (uint32_t i = 0; i < phi->n; i++) {
      if (pairs[2 * i] == WW_NOBLOCK || !seen[pairs[2 * i]])
        continue;
      pairs[2 * k] = new_of[pairs[2 * i]];
      pairs[2 * k++ + 1] = pairs[2 * i + 1];
    }
    phi->n = k;
  }
}

static void prepend(low_fn *F) {
  low_block *b = &F->blocks.v[0];
  uint32_t n = F->prologue.ins.n;
  if (!n)
    return;
  ww_ins *all = WW_NEWN(F->a, ww_ins, n + b->ins.n);
  memcpy(all, F->prologue.ins.v, n * sizeof *all);
  memcpy(all + n, b->ins.v, b->ins.n * sizeof *all);
  b->ins.v = all;
  b->ins.n = b->ins.cap = n + b->ins.n;
}

/* ---- unused results: expansions leave some behind ---- */

bool low_removable(const ww_ins *i) {
  uint8_t c = ww_ops[i->op].cls;
  bool pure = c == WW_CLASS_MOV || c == WW_CLASS_INT || c == WW_CLASS_CMP ||
              c == WW_CLASS_CVT || c == WW_CLASS_FP || c == WW_CLASS_FPX ||
              c == WW_CLASS_MATH;
  return (pure || i->op == WW_OP_SREG) && i->dst != WW_NOVAL && i->nres == 1;
}

static void add_uses(low_fn *F, const ww_ins *i, uint32_t *uses, int more) {
  ww_val v[3 + 2 * 255];
  uint32_t n = ww_ins_uses(&F->fn, i, v, sizeof v / sizeof *v);
  for (uint32_t u = 0; u < n; u++)
    uses[v[u]] += more;
}

static void count_uses(low_fn *F, uint32_t *uses) {
  for (uint32_t b = 0; b < F->blocks.n; b++) {
    low_block *blk = &F->blocks.v[b];
    for (uint32_t k = 0; k < blk->ins.n; k++)
      add_uses(F, &blk->ins.v[k], uses, 1);
    for (uint32_t p = 0; p < blk->phis.n; p++)
      for (uint32_t e = 0; e < blk->phis.v[p].n; e++)
        uses[F->pool.v[blk->phis.v[p].ext + 2 * e + 1]]++;
  }
}

/* Backwards through each block, so that chains go in one sweep; across blocks they are
 * rare. */
static void drop_unused(low_fn *F) {
  uint32_t *uses = WW_NEWN(F->a, uint32_t, F->vals.n + 1);
  count_uses(F, uses);
  for (uint32_t b = F->blocks.n; b-- > 0;) {
    low_block *blk = &F->blocks.v[b];
    for (uint32_t k = blk->ins.n; k-- > 0;) {
      ww_ins *i = &blk->ins.v[k];
      if (!low_removable(i) || uses[i->dst])
        continue;
      add_uses(F, i, uses, -1);
      i->op = WW_NOPS;
    }
    uint32_t keep = 0;
    for (uint32_t k = 0; k < blk->ins.n; k++)
      if (blk->ins.v[k].op != WW_NOPS)
        blk->ins.v[keep++] = blk->ins.v[k];
    blk->ins.n = keep;
  }
}

void low_finish(low_fn *F) {
  ww_arena *a = F->a;
  bool *seen = WW_NEWN(a, bool, F->blocks.n);
  uint32_t *new_of = WW_NEWN(a, uint32_t, F->blocks.n);
  uint32_t n = 0;
  prepend(F);
  F->fn.vals = F->vals.v;
  F->fn.nvals = F->vals.n;
  F->fn.pool = F->pool.v;
  F->fn.npool = F->pool.n;
  drop_unused(F);
  mark(F, seen);
  for (uint32_t i = 0; i < F->blocks.n; i++)
    new_of[i] = seen[i] ? n++ : WW_NOBLOCK;
  F->fn.blocks = WW_NEWN(a, ww_block, n);
  F->fn.nblocks = n;
  for (uint32_t i = 0; i < F->blocks.n; i++) {
    if (!seen[i])
      continue;
    low_block *b = &F->blocks.v[i];
    drop_dead_edges(F, b, seen, new_of);
    renumber(F, &b->ins.v[b->ins.n - 1], new_of);
    F->fn.blocks[new_of[i]] = (ww_block){.phis = b->phis.v,
                                         .nphis = b->phis.n,
                                         .ins = b->ins.v,
                                         .nins = b->ins.n,
                                         .name = b->name};
  }
  for (uint32_t v = 0; v < F->vals.n; v++)
    if (F->vals.v[v].kind == WW_VAL_RESULT)
      F->vals.v[v].ref = new_of[F->vals.v[v].ref];
  F->fn.local_bytes = (F->frame + 15) / 16 * 16;
}

ww_val low_carry(low_fn *F, ww_type t, bool sub, ww_val a, ww_val b, ww_val *carry) {
  ww_op op = sub ? WW_OP_SUB : WW_OP_ADD;
  ww_val r = low_binary(F, op, t, a, b);
  ww_val out = low_cmp(F, WW_ULT, t, sub ? a : r, sub ? b : a);
  if (*carry != WW_NOVAL) {
    ww_val in = low_int_to(F, *carry, WW_I1, t, false);
    ww_val r2 = low_binary(F, op, t, r, in);
    ww_val more = low_cmp(F, WW_ULT, t, sub ? r : r2, sub ? in : r);
    out = low_binary(F, WW_OP_OR, WW_I1, out, more);
    r = r2;
  }
  *carry = out;
  return r;
}
