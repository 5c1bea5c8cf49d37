/* translate_mma.c - matrix fragments: mma, wmma and ldmatrix, and their PTX forms.
 *
 * A fragment is a list of scalar elements laid out over the lanes as ir/mma.h says, for
 * every shape. NVIDIA leaves the layout of wmma fragments open, so loads, stores and
 * products here only have to agree with each other; where the real fragment holds each
 * element several times, so does ours. A place is affine in the lane's group (lane / 4)
 * and member (lane % 4), so a load computes one lane offset and adds constants. */
#include "emit_mma.h"
#include "translate_asm.h"

uint32_t low_mma_per_word(const char *type) {
  return !strcmp(type, "s4") || !strcmp(type, "u4") ? 8 : !strcmp(type, "b1") ? 32 : 1;
}

const ww_mma_shape *low_mma_shape(const char *text, uint32_t per_word) {
  unsigned m;
  unsigned n;
  unsigned k;
  int found = sscanf(text, "m%un%uk%u", &m, &n, &k) == 3 && k % per_word == 0
                  ? ww_mma_find(m, n, k / per_word)
                  : -1;
  return found < 0 ? NULL : &ww_mma_shapes[found];
}

bool low_mma_type(const char *s, ww_type *t, bool *is_unsigned) {
  static const low_named names[] = {
      {"f16", WW_F16},   {"bf16", WW_BF16}, {"tf32", WW_F32}, {"f32", WW_F32},
      {"f64", WW_F64},   {"s8", WW_I8},     {"u8", WW_I8},    {"s32", WW_I32},
      {"s4", WW_I32},    {"u4", WW_I32},    {"b1", WW_I32},   {"e4m3", WW_E4M3},
      {"e5m2", WW_E4M3}, {NULL, -1}};
  int found = low_value_named(names, s, strlen(s));
  *t = found < 0 ? WW_VOID : found;
  *is_unsigned = *s == 'u' || !strcmp(s, "e5m2");
  return found >= 0;
}

uint32_t
low_mma_unpack(low_fn *F, const ww_val *reg, uint32_t nreg, ww_type t, ww_val out[64]) {
  uint32_t n = 0;
  for (uint32_t r = 0; r < nreg; r++) {
    low_comp from = low_element(F->vals.v[reg[r]].type, 0);
    low_comp to[8];
    uint32_t k = from.bits / ww_type_bits(t);
    if (!k || k > 8 || n + k > 64)
      return 0;
    low_repack(F, &from, 1, &reg[r], low_elements(to, t, k), k, out + n);
    n += k;
  }
  return n;
}

void low_mma_pack(
    low_fn *F, const ww_val *in, uint32_t n, ww_type t, ww_type word, ww_val *out) {
  uint32_t k = ww_type_bits(word) / ww_type_bits(t);
  low_comp from[8];
  low_comp to = low_element(word, 0);
  low_elements(from, t, k);
  for (uint32_t w = 0; w < n / k; w++)
    low_repack(F, from, k, in + w * k, &to, 1, &out[w]);
}

bool low_mma(low_fn *F, const low_product *p, ww_val v[3][64], ww_val *d) {
  const ww_mma_shape *g = p->g;
  uint32_t nc = ww_mma_elements(g, WW_MATRIX_C);
  uint32_t n = 0;
  ww_val all[192];
  for (uint32_t i = 0; i < nc; i++)
    v[WW_MATRIX_C][i] = low_convert(F, v[WW_MATRIX_C][i], p->c, p->d, WW_RN, true);
  for (ww_matrix m = WW_MATRIX_A; m <= WW_MATRIX_C; m++) {
    uint32_t count = ww_mma_elements(g, m);
    if (n + count > 192)
      return false;
    memcpy(all + n, v[m], count * sizeof *all);
    n += count;
  }
  uint32_t ext = low_pool(F, all, n);
  for (uint32_t i = 0; i < nc; i++)
    d[i] = low_new_val(F, p->d);
  ww_ins *m = low_ins(F, WW_OP_MMA, p->d);
  m->type2 = p->in;
  m->sub = g - ww_mma_shapes;
  m->flags = p->flags;
  m->n = n;
  m->ext = ext;
  m->dst = d[0];
  m->nres = nc;
  m->imm = ww_mma_flops(g) * p->per_word;
  return true;
}

/* How many of the registers, from the first or (back) the last on, hold so many bits.
 */
static uint32_t
registers(low_fn *F, const ww_val *reg, uint32_t n, uint32_t bits, bool back) {
  uint32_t k = 0;
  for (uint32_t sum = 0; k < n && sum < bits; k++)
    sum += ww_type_bits(F->vals.v[reg[back ? n - 1 - k : k]].type);
  return k;
}

bool low_wmma(
    low_fn *F, const low_product *p, const ww_val *reg, uint32_t n, ww_val *d) {
  uint32_t na = ww_mma_elements(p->g, WW_MATRIX_A);
  uint32_t nb = ww_mma_elements(p->g, WW_MATRIX_B);
  uint32_t nc = ww_mma_elements(p->g, WW_MATRIX_C);
  ww_val v[3][64];
  uint32_t creg = registers(F, reg, n, nc * ww_type_bits(p->c), true);
  uint32_t ab = n - creg;
  uint32_t abits = 0;
  uint32_t need = na * ww_type_bits(p->in);
  for (uint32_t i = 0; i < ab; i++)
    abits += ww_type_bits(F->vals.v[reg[i]].type);
  if (abits != (na + nb) * ww_type_bits(p->in)) {
    /* f16 operands: 16 elements each, whatever the lane owns */
    if (p->in != WW_F16 || abits != 32 * 16)
      return false;
    need = 16 * 16;
  }
  uint32_t areg = registers(F, reg, ab, need, false);
  return low_mma_unpack(F, reg, areg, p->in, v[0]) >= na &&
         low_mma_unpack(F, reg + areg, ab - areg, p->in, v[1]) >= nb &&
         low_mma_unpack(F, reg + ab, creg, p->c, v[2]) >= nc && low_mma(F, p, v, d);
}

/* ---- fragments in memory ---- */

static ww_val add64(low_fn *F, ww_val a, ww_val b) {
  uint64_t k;
  return low_is_const(F, a, &k) ? low_add_imm(F, b, WW_I64, k)
                                : low_op64(F, WW_OP_ADD, a, b);
}

static ww_val times(low_fn *F, ww_val a, uint64_t n) {
  uint64_t k;
  if (low_is_const(F, a, &k))
    return low_const(F, WW_I64, k * n);
  return n == 1 ? a : low_op64k(F, WW_OP_MUL, a, n);
}

static ww_val mul64(low_fn *F, ww_val a, ww_val b) {
  uint64_t k;
  return low_is_const(F, b, &k) ? times(F, a, k) : low_op64(F, WW_OP_MUL, a, b);
}

/* Where an element lies, seen from the fragment's first: rows (columns) are the major
 * ones. */
typedef struct {
  uint32_t major, minor;
} cell;

static cell cell_of(const low_fragment *f, uint32_t lane, uint32_t e) {
  ww_cell_at zero = ww_mma_place(f->g, f->which, f->t, 0, 0);
  ww_cell_at at = ww_mma_place(f->g, f->which, f->t, lane, e);
  uint32_t row = at.row - zero.row;
  uint32_t col = at.col - zero.col;
  return f->col ? (cell){col, row} : (cell){row, col};
}

/* Moves the base to where element 0 of this lane lies. The lane's own offset is the
 * same for every fragment, and computed once. */
static void to_lane(low_fragment *f) {
  low_fn *F = f->F;
  uint32_t from = low_here(F);
  /* from group to group, member to member */
  cell step[2] = {cell_of(f, 4, 0), cell_of(f, 1, 0)};
  ww_val lane = low_int_to(F, low_sreg(F, WW_SREG_LANEID), WW_I32, WW_I64, false);
  ww_val part[2] = {low_op64k(F, WW_OP_LSHR, lane, 2),
                    low_op64k(F, WW_OP_AND, lane, 3)};
  ww_val at = low_const(F, WW_I64, 0);
  for (int i = 0; i < 2; i++) {
    if (step[i].major)
      at = add64(F, at, times(F, mul64(F, part[i], f->ld), step[i].major));
    if (step[i].minor)
      at = add64(F, at, times(F, part[i], step[i].minor));
  }
  low_parts(F, from, WW_NOPS);
  f->base.base = low_lea(F, f->base.base, at, ww_type_bytes[f->t]);
}

/* Address of element e, and how many elements from e on lie side by side in memory. */
static low_addr element_at(low_fragment *f, uint32_t e, uint32_t n, uint32_t *run) {
  cell c = cell_of(f, 0, e);
  uint32_t size = ww_type_bytes[f->t];
  low_addr p = f->base;
  if (c.major && c.major != f->major) { /* neighbours share their row */
    f->major = c.major;
    f->row = low_lea(f->F, p.base, times(f->F, f->ld, c.major), size);
  }
  if (c.major)
    p.base = f->row;
  p.off += (int64_t)c.minor * size;
  /* elements of one register, or a pair of the accumulator's */
  uint32_t most = size < 2 ? 4 : 2;
  for (*run = 1; e + *run < n && *run < most; (*run)++) {
    cell next = cell_of(f, 0, e + *run);
    if (next.major != c.major || next.minor != c.minor + *run)
      break;
  }
  if (*run & (*run - 1))
    *run = 1;
  p.align = *run * size;
  return p;
}

void low_fragment_access(low_fragment *f, bool store, ww_val *v) {
  uint32_t n = ww_mma_elements(f->g, f->which);
  uint32_t run;
  to_lane(f);
  for (uint32_t e = 0; e < n; e += run) {
    low_addr p = element_at(f, e, n, &run);
    low_comp c[8];
    low_elements(c, f->t, run);
    if (store)
      low_store(f->F, p, c, run, v + e);
    else
      low_load(f->F, p, c, run, v + e);
  }
}

/* ---- ldmatrix: row addresses come from the lanes 8 * matrix .. 8 * matrix + 7 ---- */

static ww_val row_address(low_fn *F,
                          ww_val addr32,
                          ww_val lane) { /* of another lane, as a 64-bit address */
  ww_val v =
      low_opx(F, WW_OP_SHFL, WW_I32, WW_SHFL_IDX, 0, addr32, lane, low_i32(F, 31));
  low_last(F)->n = 1;
  return low_int_to(F, v, WW_I32, WW_I64, false);
}

/* The 32-bit register of matrix i: (row, 2 col) and its neighbour; transposed, two
 * elements of one column. */
ww_val low_matrix_word(low_fn *F, ww_val addr32, uint32_t i, bool trans) {
  low_comp word = low_element(WW_I32, 0);
  low_comp half[2];
  low_elements(half, WW_I16, 2);
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  ww_val group = low_op32k(F, WW_OP_LSHR, lane, 2);
  ww_val member = low_op32k(F, WW_OP_AND, lane, 3);
  ww_val out;
  low_addr p = {.space = WW_SHARED, .align = 4};
  if (!trans) {
    p.base = low_lea(F, row_address(F, addr32, low_op32k(F, WW_OP_ADD, group, 8 * i)),
                     low_int_to(F, member, WW_I32, WW_I64, false), 4);
    low_load(F, p, &word, 1, &out);
    return out;
  }
  ww_val v[2];
  ww_val row = low_op32k(F, WW_OP_ADD, low_op32k(F, WW_OP_SHL, member, 1), 8 * i);
  p.align = 2;
  for (uint32_t k = 0; k < 2; k++) {
    p.base = low_lea(F, row_address(F, addr32, low_op32k(F, WW_OP_ADD, row, k)),
                     low_int_to(F, group, WW_I32, WW_I64, false), 2);
    low_load(F, p, &half[0], 1, &v[k]);
  }
  low_repack(F, half, 2, v, &word, 1, &out);
  return out;
}

/* ---- inline PTX ---- */

static uint32_t per_word(const ptx_ins *i) {
  uint32_t n = 1;
  for (uint32_t m = 1; m < i->nop && n == 1; m++)
    n = low_mma_per_word(i->op[m]);
  return n;
}

/* mma.m8n8k4 of halves, by the layouts of A and B; C has to lie as D does. */
static bool take_pairs(const ptx_ins *i, low_product *p) {
  uint32_t order[2] = {0, 0};
  uint32_t n = 0;
  for (uint32_t m = 1; m < i->nop && n < 2; m++)
    if (!strcmp(i->op[m], "row") || !strcmp(i->op[m], "col"))
      order[n++] = *i->op[m] == 'c';
  p->g = &ww_mma_shapes[WW_MMA_PAIRS + 2 * order[0] + !order[1]];
  return n == 2 && p->c == p->d;
}

/* Two types are those of D and C around f16 operands, four those of D, A, B and C;
 * returns how many, 0: not what is multiplied here. */
static uint32_t types_of_product(const ptx_ins *i, low_product *p) {
  ww_type t[4];
  bool u[4];
  uint32_t k = 0;
  *p = (low_product){.per_word = per_word(i)};
  for (uint32_t m = 1; m < i->nop; m++)
    if (!p->g && (p->g = low_mma_shape(i->op[m], p->per_word)))
      continue;
    else if (k < 4 && low_mma_type(i->op[m], &t[k], &u[k]))
      k++;
  if (!p->g || (k != 2 && k != 4) || ww_is_float(t[0]) != ww_is_float(t[k - 1]))
    return 0;
  bool saturates = ptx_has(i, "satfinite");
  p->d = t[0];
  p->c = t[k - 1];
  p->in = k == 2 ? WW_F16 : t[1];
  if (p->per_word == 32)
    p->flags = ptx_has(i, "xor") ? WW_F_UNSIGNED_A : 0;
  else if (k == 4)
    p->flags = (u[1] ? WW_F_UNSIGNED_A : 0) | (u[2] ? WW_F_UNSIGNED_B : 0);
  p->flags |= saturates ? WW_F_NSW : 0;
  return saturates && ww_is_float(p->d) ? 0 : k;
}

/* mma.sync.aligned.m16n8k16.row.col.dtype.atype.btype.ctype {d}, {a}, {b}, {c}; */
bool ptx_mma(ptx_ins *i) {
  low_fn *F = i->F;
  low_product p;
  if (types_of_product(i, &p) != 4 || i->narg != 4 ||
      (ptx_has(i, "m8n8k4") && p.in == WW_F16 && !take_pairs(i, &p)))
    return false;
  ww_val v[3][64];
  ww_val d[64];
  ww_val word[64];
  uint32_t from = low_here(F);
  for (uint32_t o = 0; o < 3; o++) {
    const char *part[32];
    ww_val reg[32];
    ww_type et = o == 2 ? p.c : p.in;
    ww_type wt = ww_type_bits(et) < 32 ? WW_I32 : et;
    uint32_t n = ptx_list(i, i->arg[o + 1], part, 32);
    for (uint32_t r = 0; r < n; r++)
      reg[r] = ptx_read(i, part[r], wt);
    if (low_mma_unpack(F, reg, n, et, v[o]) != ww_mma_elements(p.g, o))
      return false;
  }
  uint32_t nc = ww_mma_elements(p.g, WW_MATRIX_C);
  if (!low_mma(F, &p, v, d))
    return false;
  ww_type wt = ww_type_bits(p.d) < 32 ? WW_I32 : p.d;
  const char *part[32];
  uint32_t n = ptx_list(i, i->arg[0], part, 32);
  if (n != nc * ww_type_bits(p.d) / ww_type_bits(wt))
    return false;
  low_mma_pack(F, d, nc, p.d, wt, word);
  low_parts(F, from, WW_OP_MMA);
  for (uint32_t r = 0; r < n; r++)
    ptx_write(i, part[r], word[r], wt, false);
  return true;
}

/* ldmatrix.sync.aligned.m8n8.x4[.trans].shared.b16 {r0, r1, r2, r3}, [addr]; */
bool ptx_ldmatrix(ptx_ins *i) {
  const char *part[4];
  if (i->narg < 2 || !ptx_has(i, "m8n8") || !ptx_has(i, "b16"))
    return false;
  uint32_t n = ptx_list(i, i->arg[0], part, 4);
  low_addr p = ptx_address(i, i->arg[1], WW_SHARED, 4);
  ww_val a = low_int_to(i->F, low_addr_value(i->F, p), WW_I64, WW_I32, false);
  ww_val v[4];
  uint32_t from = low_here(i->F);
  for (uint32_t k = 0; k < n; k++)
    v[k] = low_matrix_word(i->F, a, k, ptx_has(i, "trans"));
  low_parts(i->F, from, WW_OP_LD);
  for (uint32_t k = 0; k < n; k++)
    ptx_write(i, part[k], v[k], WW_I32, false);
  return true;
}

/* The inverse: register i of each lane to row 8 * i + ..., whose address lane 8 * i +
 * ... has. */
static void
store_matrix_word(low_fn *F, ww_val addr32, uint32_t i, bool trans, ww_val v) {
  low_comp word = low_element(WW_I32, 0);
  low_comp half[2];
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  ww_val group = low_op32k(F, WW_OP_LSHR, lane, 2);
  ww_val member = low_op32k(F, WW_OP_AND, lane, 3);
  low_addr p = {.space = WW_SHARED, .align = 4};
  if (!trans) {
    p.base = low_lea(F, row_address(F, addr32, low_op32k(F, WW_OP_ADD, group, 8 * i)),
                     low_int_to(F, member, WW_I32, WW_I64, false), 4);
    low_store(F, p, &word, 1, &v);
    return;
  }
  ww_val h[2];
  low_repack(F, &word, 1, &v, low_elements(half, WW_I16, 2), 2, h);
  ww_val row = low_op32k(F, WW_OP_ADD, low_op32k(F, WW_OP_SHL, member, 1), 8 * i);
  p.align = 2;
  for (uint32_t k = 0; k < 2; k++) {
    p.base = low_lea(F, row_address(F, addr32, low_op32k(F, WW_OP_ADD, row, k)),
                     low_int_to(F, group, WW_I32, WW_I64, false), 2);
    low_store(F, p, &half[0], 1, &h[k]);
  }
}

/* stmatrix.sync.aligned.m8n8.x4[.trans].shared.b16 [addr], {r0, r1, r2, r3}; */
bool ptx_stmatrix(ptx_ins *i) {
  const char *part[4];
  if (i->narg < 2 || !ptx_has(i, "m8n8") || !ptx_has(i, "b16"))
    return false;
  low_addr p = ptx_address(i, i->arg[0], WW_SHARED, 4);
  uint32_t n = ptx_list(i, i->arg[1], part, 4);
  ww_val a = low_int_to(i->F, low_addr_value(i->F, p), WW_I64, WW_I32, false);
  uint32_t from = low_here(i->F);
  for (uint32_t k = 0; k < n; k++)
    store_matrix_word(i->F, a, k, ptx_has(i, "trans"), ptx_read(i, part[k], WW_I32));
  low_parts(i->F, from, WW_OP_ST);
  return true;
}

/* movmatrix.sync.aligned.m8n8.trans.b16 d, a: what lies in a row comes from a column,
 * of which the lanes 4 * row + column / 2 have a half */
bool ptx_movmatrix(ptx_ins *i) {
  low_fn *F = i->F;
  if (i->narg != 2 || !ptx_has(i, "m8n8") || !ptx_has(i, "trans"))
    return false;
  ww_val a = ptx_read(i, i->arg[1], WW_I32);
  uint32_t here = low_here(F);
  ww_val lane = low_sreg(F, WW_SREG_LANEID);
  ww_val group = low_op32k(F, WW_OP_LSHR, lane, 2);
  ww_val from = low_op32k(F, WW_OP_SHL, low_op32k(F, WW_OP_AND, lane, 3), 3);
  from = low_op32(F, WW_OP_ADD, from, low_op32k(F, WW_OP_LSHR, group, 1));
  ww_val v[2];
  for (uint32_t k = 0; k < 2; k++) {
    ww_val at = low_op32k(F, WW_OP_ADD, from, 4 * k);
    v[k] = low_opx(F, WW_OP_SHFL, WW_I32, WW_SHFL_IDX, 0, a, at, low_i32(F, 31));
    low_last(F)->n = 1;
  }
  ww_val odd = low_cmpk(F, WW_NE, WW_I32, low_op32k(F, WW_OP_AND, group, 1), 0);
  ww_val halves = low_select(F, WW_I32, odd, low_i32(F, 0x7632), low_i32(F, 0x5410));
  ww_val r = low_op(F, WW_OP_PRMT, WW_I32, v[0], v[1], halves);
  low_parts(F, here, WW_OP_SHFL);
  ptx_write(i, i->arg[0], r, WW_I32, false);
  return true;
}

/* ---- wmma: fragments of a warp, in memory and multiplied ---- */

static ww_type register_type(ww_type element) {
  return ww_type_bits(element) < 32 ? WW_I32 : element;
}

/* wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {r}, [p], stride */
static bool wmma_fragment(ptx_ins *i, bool store, low_fragment *f) {
  bool is_unsigned;
  char which = i->nop > 2 ? *i->op[2] : 0;
  *f = (low_fragment){.F = i->F, .col = ptx_has(i, "col")};
  f->which = which == 'a' ? WW_MATRIX_A : which == 'b' ? WW_MATRIX_B : WW_MATRIX_C;
  uint32_t elements = per_word(i);
  for (uint32_t k = 3; k < i->nop && !f->g; k++)
    f->g = low_mma_shape(i->op[k], elements);
  for (uint32_t k = 3; k < i->nop && !f->g && f->which == WW_MATRIX_C; k++)
    f->g = low_mma_shape(i->op[k], 8); /* of sums, whose k is no matter */
  if (!f->g || i->narg < 2 || i->narg > 3 || !strchr("abcd", which) ||
      !low_mma_type(i->op[i->nop - 1], &f->t, &is_unsigned))
    return false;
  ww_space space = ptx_has(i, "global")                                ? WW_GLOBAL
                   : ptx_has(i, "shared") || ptx_has(i, "shared::cta") ? WW_SHARED
                                                                       : WW_GENERIC;
  f->base = ptx_address(i, i->arg[!store], space, ww_type_bytes[f->t]);
  f->base.base = low_addr_value(i->F, f->base);
  f->base.off = 0;
  if (i->narg == 2) { /* rows (columns) lie one behind the other */
    uint32_t rows = f->which == WW_MATRIX_B ? f->g->k : f->g->m;
    uint32_t cols = f->which == WW_MATRIX_A ? f->g->k : f->g->n;
    f->ld = low_const(i->F, WW_I64, f->col ? rows : cols);
    return true;
  }
  f->ld = low_int_to(i->F, ptx_read(i, i->arg[2], WW_I32), WW_I32, WW_I64, true);
  if (elements > 1)
    f->ld = low_op64k(i->F, WW_OP_LSHR, f->ld, __builtin_ctz(elements));
  return true;
}

static bool wmma_load(ptx_ins *i) {
  low_fragment f;
  const char *part[32];
  ww_val v[64];
  ww_val word[64];
  if (!wmma_fragment(i, false, &f))
    return false;
  uint32_t n = ptx_list(i, i->arg[0], part, 32);
  ww_type wt = register_type(f.t);
  uint32_t count = ww_mma_elements(f.g, f.which);
  uint32_t want = n * (ww_type_bits(wt) / ww_type_bits(f.t));
  if (want < count || want > 64)
    return false;
  low_fragment_access(&f, false, v);
  for (uint32_t k = count; k < want; k++)
    v[k] = v[k % count]; /* the real fragment has each several times */
  uint32_t here = low_here(i->F);
  low_mma_pack(i->F, v, want, f.t, wt, word);
  low_parts(i->F, here, WW_NOPS);
  for (uint32_t k = 0; k < n; k++)
    ptx_write(i, part[k], word[k], wt, false);
  return true;
}

static uint32_t read_registers(ptx_ins *i, uint32_t k, ww_type t, ww_val *out) {
  const char *part[32];
  uint32_t n = ptx_list(i, i->arg[k], part, 32);
  for (uint32_t r = 0; r < n; r++)
    out[r] = ptx_read(i, part[r], t);
  return n;
}

static bool wmma_store(ptx_ins *i) {
  low_fragment f;
  ww_val reg[32];
  ww_val v[64];
  if (!wmma_fragment(i, true, &f))
    return false;
  uint32_t n = read_registers(i, 1, register_type(f.t), reg);
  uint32_t here = low_here(i->F);
  if (low_mma_unpack(i->F, reg, n, f.t, v) < ww_mma_elements(f.g, f.which))
    return false;
  low_parts(i->F, here, WW_NOPS);
  low_fragment_access(&f, true, v);
  return true;
}

static bool wmma_multiply(ptx_ins *i) {
  low_product p;
  ww_val reg[96];
  ww_val d[64];
  ww_val word[64];
  const char *part[32];
  if (i->narg != 4 || !types_of_product(i, &p))
    return false;
  uint32_t here = low_here(i->F);
  uint32_t n = read_registers(i, 1, register_type(p.in), reg);
  n += read_registers(i, 2, register_type(p.in), reg + n);
  n += read_registers(i, 3, register_type(p.c), reg + n);
  if (!low_wmma(i->F, &p, reg, n, d))
    return false;
  uint32_t nd = ptx_list(i, i->arg[0], part, 32);
  uint32_t nc = ww_mma_elements(p.g, WW_MATRIX_C);
  ww_type wt = register_type(p.d);
  if (nd != nc * ww_type_bits(p.d) / ww_type_bits(wt))
    return false;
  low_mma_pack(i->F, d, nc, p.d, wt, word);
  low_parts(i->F, here, WW_OP_MMA);
  for (uint32_t k = 0; k < nd; k++)
    ptx_write(i, part[k], word[k], wt, false);
  return true;
}

bool ptx_wmma(ptx_ins *i) {
  const char *what = i->nop > 1 ? i->op[1] : "";
  return !strcmp(what, "load")    ? wmma_load(i)
         : !strcmp(what, "store") ? wmma_store(i)
         : !strcmp(what, "mma")   ? wmma_multiply(i)
                                  : false;
}
