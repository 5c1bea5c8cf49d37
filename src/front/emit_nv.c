/* emit_nv.c - what NVIDIA's names stand for, and its operations of warps and blocks, as
 * NVVM's intrinsics and PTX have them. */
#include "emit.h"

/* As in trace/trace.h: where the interpreter's memory keeps each space. */
enum {
  SHARED_BASE = 0x01000000,
  SHARED_SIZE = 0x01000000,
  LOCAL_BASE = 0x20000000,
  LOCAL_SIZE = 0x20000000
};

/* ---- names ---- */

const low_named low_rounds[] = {{"rn", WW_RN},   {"rz", WW_RZ},  {"rzi", WW_RZ},
                                {"rm", WW_RD},   {"rmi", WW_RD}, {"rd", WW_RD},
                                {"rp", WW_RU},   {"rpi", WW_RU}, {"ru", WW_RU},
                                {"rna", WW_RNA}, {NULL, -1}};
const low_named low_shuffles[] = {{"idx", WW_SHFL_IDX},
                                  {"up", WW_SHFL_UP},
                                  {"down", WW_SHFL_DOWN},
                                  {"bfly", WW_SHFL_BFLY},
                                  {NULL, -1}};
const low_named low_votes[] = {{"all", WW_VOTE_ALL},       {"any", WW_VOTE_ANY},
                               {"uni", WW_VOTE_UNI},       {"eq", WW_VOTE_UNI},
                               {"ballot", WW_VOTE_BALLOT}, {NULL, -1}};

int low_value_named(const low_named *row, const char *name, size_t n) {
  while (row->name && (strlen(row->name) != n || memcmp(row->name, name, n)))
    row++;
  return row->value;
}

int low_pick(const low_kinds *row, const char *name, ww_type t, bool sign) {
  for (; row->name; row++)
    if (!strcmp(row->name, name))
      return ww_is_float(t) ? row->f : sign ? row->s : row->u;
  return -1;
}

int low_arith_named(const char *name, ww_type t, bool sign) {
  static const low_kinds rows[] = {{"add", WW_OP_ADD, WW_OP_ADD, WW_OP_FADD},
                                   {"sub", WW_OP_SUB, WW_OP_SUB, WW_OP_FSUB},
                                   {"mul", WW_OP_MUL, WW_OP_MUL, WW_OP_FMUL},
                                   {"div", WW_OP_SDIV, WW_OP_UDIV, WW_OP_FDIV},
                                   {"rem", WW_OP_SREM, WW_OP_UREM, 0},
                                   {"min", WW_OP_SMIN, WW_OP_UMIN, WW_OP_FMIN},
                                   {"max", WW_OP_SMAX, WW_OP_UMAX, WW_OP_FMAX},
                                   {"and", WW_OP_AND, WW_OP_AND, WW_OP_AND},
                                   {"or", WW_OP_OR, WW_OP_OR, WW_OP_OR},
                                   {"xor", WW_OP_XOR, WW_OP_XOR, WW_OP_XOR},
                                   {NULL, -1, -1, -1}};
  return low_pick(rows, name, t, sign);
}

int low_rmw_named(const char *name, ww_type t, bool sign) {
  static const low_kinds rows[] = {{"add", WW_RMW_ADD, WW_RMW_ADD, WW_RMW_FADD},
                                   {"sub", WW_RMW_SUB, WW_RMW_SUB, WW_RMW_FSUB},
                                   {"exch", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
                                   {"xchg", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
                                   {"exchange", WW_RMW_XCHG, WW_RMW_XCHG, WW_RMW_XCHG},
                                   {"min", WW_RMW_SMIN, WW_RMW_UMIN, WW_RMW_FMIN},
                                   {"max", WW_RMW_SMAX, WW_RMW_UMAX, WW_RMW_FMAX},
                                   {"and", WW_RMW_AND, WW_RMW_AND, -1},
                                   {"or", WW_RMW_OR, WW_RMW_OR, -1},
                                   {"xor", WW_RMW_XOR, WW_RMW_XOR, -1},
                                   {"inc", WW_RMW_INC, WW_RMW_INC, -1},
                                   {"dec", WW_RMW_DEC, WW_RMW_DEC, -1},
                                   {NULL, -1, -1, -1}};
  return low_pick(rows, name, t, sign);
}

int low_nv_sreg(const char *s) {
  for (int r = 0; r < WW_SREG_DYNSHARED; r++)
    if (!strcmp(ww_sreg_names[r], s))
      return r;
  return !strcmp(s, "dynamic.smem.size") ? WW_SREG_DYNSHARED
         : !strcmp(s, "WARP_SZ")         ? WW_SREG_WARPSIZE
                                         : -1;
}

/* ---- warps and blocks ---- */

ww_val low_bar(low_fn *F, ww_bar sub, ww_val p, ww_val id, ww_val threads) {
  bool reduces = p != WW_NOVAL;
  ww_type t = !reduces ? WW_VOID : sub == WW_BAR_POPC ? WW_I32 : WW_I1;
  ww_val dst = reduces ? low_new_val(F, t) : WW_NOVAL;
  uint64_t known = 0;
  bool named = id != WW_NOVAL && !low_is_const(F, id, &known);
  if (reduces && named)
    low_refuse(F, "a barrier that reduces, whose id is not constant");
  ww_ins *i = low_ins(F, WW_OP_BAR, t);
  i->a = reduces ? p : named || threads != WW_NOVAL ? id : WW_NOVAL;
  i->b = threads;
  i->sub = sub;
  i->imm = i->a == id ? 0 : known;
  i->dst = dst;
  i->nres = reduces;
  return dst;
}

void low_shfl(
    low_fn *F, ww_shfl mode, ww_type t, const ww_val in[3], bool flag, ww_val out[2]) {
  out[0] = low_new_val(F, t);
  out[1] = flag ? low_new_val(F, WW_I1) : WW_NOVAL;
  ww_ins *i = low_ins(F, WW_OP_SHFL, t);
  i->dst = out[0];
  i->nres = i->n = flag ? 2 : 1;
  i->a = in[0];
  i->b = in[1];
  i->c = in[2];
  i->sub = mode;
}

/* Whether the mask may leave out lanes that run along: tiles of cooperative groups vote
 * side by side. A constant mask, or one just taken from the active lanes, names all
 * that are there. */
static bool partial_mask(low_fn *F, ww_val mask) {
  uint64_t k;
  if (mask == WW_NOVAL || low_is_const(F, mask, &k))
    return false;
  for (uint32_t b = 0; b < F->blocks.n; b++)
    for (uint32_t i = 0; i < F->blocks.v[b].ins.n; i++)
      if (F->blocks.v[b].ins.v[i].dst == mask)
        return F->blocks.v[b].ins.v[i].op != WW_OP_ACTIVEMASK;
  return true;
}

static ww_val ballot(low_fn *F, ww_val p, ww_val mask) {
  ww_val all = low_opx(F, WW_OP_VOTE, WW_I32, WW_VOTE_BALLOT, 0, p, WW_NOVAL, WW_NOVAL);
  return low_op32(F, WW_OP_AND, all, mask);
}

ww_val low_vote(low_fn *F, ww_vote mode, ww_val p, ww_val mask, ww_type t) {
  if (!partial_mask(F, mask))
    return low_opx(F, WW_OP_VOTE, t, mode, 0, p, WW_NOVAL, WW_NOVAL);
  ww_val zero = low_i32(F, 0);
  ww_val one = low_const(F, WW_I1, 1);
  ww_val yes = ballot(F, p, mask);
  if (mode == WW_VOTE_BALLOT)
    return yes;
  if (mode == WW_VOTE_ANY)
    return low_nonzero(F, yes);
  ww_val all = low_cmp(F, WW_EQ, WW_I32,
                       ballot(F, low_binary(F, WW_OP_XOR, WW_I1, p, one), mask), zero);
  return mode == WW_VOTE_ALL ? all
                             : low_binary(F, WW_OP_OR, WW_I1, all,
                                          low_cmp(F, WW_EQ, WW_I32, yes, zero));
}

/* out[1] (all lanes agree) only for match.all */
void low_match(low_fn *F, ww_val v, ww_val mask, bool all, ww_val out[2]) {
  bool partial = partial_mask(F, mask), flag = all && !partial;
  out[0] = low_new_val(F, WW_I32);
  out[1] = flag ? low_new_val(F, WW_I1) : WW_NOVAL;
  ww_ins *i = low_ins(F, WW_OP_MATCH, WW_I32);
  i->a = v;
  i->sub = flag;
  i->dst = out[0];
  i->nres = i->n = 1 + flag;
  if (!partial)
    return;
  ww_val same = out[0] = low_op32(F, WW_OP_AND, out[0], mask);
  if (!all)
    return;
  ww_val here = low_op32(F, WW_OP_AND, low_nullary(F, WW_OP_ACTIVEMASK, WW_I32), mask);
  out[1] = low_cmp(F, WW_EQ, WW_I32, same, here);
  out[0] = low_select(F, WW_I32, out[1], same, low_i32(F, 0));
}

/* ---- memory ---- */

static ww_val in_window(low_fn *F, ww_val a, uint64_t base, uint64_t size) {
  ww_val offset = low_add_imm(F, a, WW_I64, -base);
  return low_cmpk(F, WW_ULT, WW_I64, offset, size);
}

ww_val low_in_space(low_fn *F, ww_val address, ww_space s) {
  switch (s) {
  case WW_SHARED:
    return in_window(F, address, SHARED_BASE, SHARED_SIZE);
  case WW_LOCAL:
    return in_window(F, address, LOCAL_BASE, LOCAL_SIZE);
  case WW_GLOBAL:
    return low_cmpk(F, WW_UGE, WW_I64, address, 1ull << 32);
  default:
    return low_const(F, WW_I1, 0);
  }
}

/* Zeros, and src_bytes of the source over them: one instruction of the GPU. */
static void
copy_some(low_fn *F, low_addr to, low_addr from, ww_val src_bytes, uint32_t bytes) {
  low_fill(F, to, low_const(F, WW_I8, 0), bytes);
  uint32_t here = low_here(F);
  low_sized(F, WW_OP_MEMCPY, to, low_addr_value(F, from), from.space,
            low_int_to(F, src_bytes, WW_I32, WW_I64, false));
  low_parts(F, here, WW_NOPS);
}

/* Copies `bytes`; where src_bytes are fewer, these, and zeros behind them. */
void low_copy_or_zero(
    low_fn *F, low_addr to, low_addr from, ww_val src_bytes, uint32_t bytes) {
  uint64_t k;
  if (low_is_const(F, src_bytes, &k)) {
    if (k >= bytes)
      low_copy_async(F, to, from, bytes);
    else
      copy_some(F, to, from, src_bytes, bytes);
    return;
  }
  uint32_t copy = low_new_block(F, NULL);
  uint32_t clear = low_new_block(F, NULL);
  uint32_t join = low_new_block(F, NULL);
  low_cbr(F, low_cmpk(F, WW_UGE, WW_I32, src_bytes, bytes), copy, clear);
  F->cur = copy;
  low_copy_async(F, to, from, bytes);
  low_br(F, join);
  F->cur = clear;
  copy_some(F, to, from, src_bytes, bytes);
  low_br(F, join);
  F->cur = join;
}
