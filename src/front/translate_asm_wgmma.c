/* translate_asm_wgmma.c - inline PTX: matrix products of a warp group. */
#include "translate_asm.h"

#include "../ir/mma.h"

typedef struct {
  uint32_t n;       /* columns */
  ww_type in, out;  /* of A and B; of D */
  int flags;        /* WW_F_UNSIGNED_* */
  uint32_t mode;    /* WW_WGMMA_* */
  uint32_t results; /* elements of D that a lane holds */
} shape;

/* Element types in the order D, A, B. */
static bool read_types(const ptx_ins *i, shape *s) {
  static const low_named names[] = {
      {"f16", WW_F16},   {"bf16", WW_BF16}, {"tf32", WW_F32}, {"f32", WW_F32},
      {"s8", WW_I8},     {"u8", WW_I8},     {"s32", WW_I32},  {"b1", WW_I1},
      {"e4m3", WW_E4M3}, {"e5m2", WW_E4M3}, {NULL, -1}};
  int t[3];
  uint32_t n = 0;
  for (uint32_t k = 1; k < i->nop && n < 3; k++) {
    const char *name = i->op[k];
    int found = low_value_named(names, name, strlen(name));
    if (found < 0)
      continue;
    bool other = *name == 'u' || !strcmp(name, "e5m2");
    if (n)
      s->flags |= !other ? 0 : n == 1 ? WW_F_UNSIGNED_A : WW_F_UNSIGNED_B;
    t[n++] = found;
  }
  if (n < 3 || t[1] != t[2])
    return false;
  s->out = t[0];
  s->in = t[1];
  return ww_wgmma_depth(s->in) && ww_is_float(s->out) == ww_is_float(s->in);
}

static bool read_shape(const ptx_ins *i, shape *s) {
  unsigned n = 0;
  unsigned depth = 0;
  for (uint32_t k = 1; k < i->nop && !n; k++)
    if (sscanf(i->op[k], "m64n%uk%u", &n, &depth) != 2)
      n = 0;
  if (n < 8 || n > 256 || n % 8 || !read_types(i, s) || depth != ww_wgmma_depth(s->in))
    return false;
  s->n = n;
  s->results = ww_wgmma_elements(n / 8);
  if (ptx_has(i, "satfinite"))
    s->mode |= WW_WGMMA_SATURATE;
  return true;
}

/* The immediates behind scale-d: signs of A and B, then which of them are transposed; A
 * in registers cannot be. */
static bool read_mode(ptx_ins *i, uint32_t at, bool registers, shape *s) {
  static const uint32_t all[] = {WW_WGMMA_NEGATE_A, WW_WGMMA_NEGATE_B,
                                 WW_WGMMA_TRANSPOSE_A, WW_WGMMA_TRANSPOSE_B};
  static const uint32_t without[] = {WW_WGMMA_NEGATE_A, WW_WGMMA_NEGATE_B,
                                     WW_WGMMA_TRANSPOSE_B};
  uint32_t most = registers ? 3 : 4;
  for (uint32_t k = 0; at + k < i->narg; k++) {
    uint64_t v;
    if (k >= most || !low_is_const(i->F, ptx_operand(i, at + k, WW_I32), &v))
      return false;
    bool on = k < 2 ? (int32_t)v == -1 : v == 1;
    if (on)
      s->mode |= (registers ? without : all)[k];
  }
  return true;
}

/* D's registers as its elements: halves lie two to a word. */
static bool read_d(ptx_ins *i, const shape *s, const char **part, ww_val *out) {
  bool halves = s->out == WW_F16;
  uint32_t words = halves ? s->results / 2 : s->results;
  low_comp word = low_element(WW_I32, 0);
  low_comp half[2];
  low_elements(half, WW_F16, 2);
  if (ptx_list(i, i->arg[0], part, 128) != words)
    return false;
  for (uint32_t k = 0; k < words; k++) {
    ww_val v = ptx_read(i, part[k], halves ? WW_I32 : s->out);
    if (halves)
      low_repack(i->F, &word, 1, &v, half, 2, out + 2 * k);
    else
      out[k] = v;
  }
  return true;
}

static void write_d(ptx_ins *i, const shape *s, const char **part, const ww_val *d) {
  bool halves = s->out == WW_F16;
  low_comp word = low_element(WW_I32, 0);
  low_comp half[2];
  low_elements(half, WW_F16, 2);
  for (uint32_t k = 0; k < (halves ? s->results / 2 : s->results); k++) {
    ww_val v = d[k];
    if (halves)
      low_repack(i->F, half, 2, d + 2 * k, &word, 1, &v);
    ptx_write(i, part[k], v, halves ? WW_I32 : s->out, false);
  }
}

static void
emit(low_fn *F, const shape *s, const ww_val *operand, uint32_t n, ww_val *d) {
  uint32_t ext = low_pool(F, operand, n);
  for (uint32_t k = 0; k < s->results; k++)
    d[k] = low_new_val(F, s->out);
  ww_ins *m = low_ins(F, WW_OP_WGMMA, s->out);
  m->type2 = s->in;
  m->sub = s->n / 8;
  m->flags = s->flags;
  m->n = n;
  m->ext = ext;
  m->dst = d[0];
  m->nres = s->results;
  /* of a warp: a quarter of the group's */
  m->imm = 2ll * 16 * s->n * ww_wgmma_depth(s->in);
}

/* wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {d}, a, b, scale-d, ...; a is a
 * descriptor or {four registers} */
static bool mma_async(ptx_ins *i) {
  shape s = {0};
  const char *part[128];
  const char *a[4];
  ww_val operand[7 + 128];
  ww_val d[128];
  uint32_t n = 2;
  if (i->narg < 4 || !read_shape(i, &s))
    return false;
  bool registers = *i->arg[1] == '{';
  if (!read_mode(i, 4, registers, &s))
    return false;
  uint32_t from = low_here(i->F);
  operand[0] = low_i32(i->F, s.mode);
  operand[1] = ptx_operand(i, 3, WW_I1);
  if (registers && ptx_list(i, i->arg[1], a, 4) != 4)
    return false;
  for (uint32_t k = 0; registers && k < 4; k++)
    operand[n++] = ptx_read(i, a[k], WW_I32);
  if (!registers)
    operand[n++] = ptx_operand(i, 1, WW_I64);
  operand[n++] = ptx_operand(i, 2, WW_I64);
  if (!read_d(i, &s, part, operand + n))
    return false;
  emit(i->F, &s, operand, n + s.results, d);
  write_d(i, &s, part, d);
  low_parts(i->F, from, WW_OP_WGMMA);
  return true;
}

bool ptx_wgmma(ptx_ins *i) {
  uint64_t left = 0;
  if (ptx_has(i, "mma_async"))
    return mma_async(i);
  if (ptx_has(i, "wait_group")) {
    if (!i->narg || !low_is_const(i->F, ptx_operand(i, 0, WW_I32), &left))
      return false;
    low_group(i->F, WW_GROUP_WG_WAIT, left);
    return true;
  }
  if (!ptx_has(i, "fence") && !ptx_has(i, "commit_group"))
    return false;
  low_group(i->F, ptx_has(i, "fence") ? WW_GROUP_WG_FENCE : WW_GROUP_WG_COMMIT, 0);
  return true;
}
