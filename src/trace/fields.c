/* fields.c - what a struct that is passed by value holds when nobody says.
 *
 * Zeros would make most kernels end at once: sizes and pointers are in there. The loads
 * of the parameter tell where its fields lie and what they are: one that an address is
 * made from is a pointer. */
#include "guess.h"

enum {
  DEEP = 16,
  LENGTH = 1 << 20, /* a struct's only integer, of threads along one axis */
  SIDE = 1024,      /* one of two, or of two axes */
  CUBE_SIDE = 128,  /* of more */
  MOST_FIELDS = 32
};
#define POINTED \
  (64.0 * (1 << 20)) /* bytes: of a plane or a cube of that size, enough */

typedef struct {
  uint32_t at;
  ww_type type;
  bool pointer;
} field;

typedef struct {
  const ww_fn *fn;
  uint32_t param;
  field v[MOST_FIELDS];
  uint32_t n;
} fields;

static bool loads_param(const fields *f, const ww_ins *i) {
  const ww_value *from =
      i->op == WW_OP_LD && i->space == WW_PARAM ? &f->fn->vals[i->a] : NULL;
  return from && from->kind == WW_VAL_PARAM && from->ref == f->param;
}

static field *field_at(fields *f, uint32_t at, ww_type type) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->v[k].at == at)
      return &f->v[k];
  if (f->n == MOST_FIELDS)
    return NULL;
  f->v[f->n] = (field){.at = at, .type = type};
  return &f->v[f->n++];
}

static const ww_phi *phi_of(const ww_fn *fn, ww_val v) {
  const ww_block *b =
      fn->vals[v].kind == WW_VAL_RESULT ? &fn->blocks[fn->vals[v].ref] : NULL;
  for (uint32_t k = 0; b && k < b->nphis; k++)
    if (b->phis[k].dst == v)
      return &b->phis[k];
  return NULL;
}

/* The field that an address is an offset from. */
static void mark_base(fields *f, const ww_ins *const *def, ww_val v, uint32_t deep) {
  const ww_ins *i = def[v];
  const ww_phi *p = i || !deep ? NULL : phi_of(f->fn, v);
  for (uint32_t n = 0; p && n < p->n && n < 2; n++)
    mark_base(f, def, ww_phi_value(f->fn, p, n), deep / 2);
  if (!i || !deep)
    return;
  if (loads_param(f, i) && i->type == WW_I64) {
    field *x = field_at(f, (uint32_t)i->imm + 8 * (v - i->dst), WW_I64);
    if (x)
      x->pointer = true;
  } else if (i->op == WW_OP_LEA || i->op == WW_OP_ADD || i->op == WW_OP_MOV) {
    mark_base(f, def, i->a, deep - 1);
    if (i->op == WW_OP_ADD)
      mark_base(f, def, i->b, deep - 1);
  }
}

static void find(fields *f, ww_arena *a) {
  const ww_ins **def = ww_ir_defs(f->fn, a);
  ww_ins_walk w = {.fn = f->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    if (loads_param(f, i))
      for (uint32_t r = 0; r < i->nres; r++)
        field_at(f, (uint32_t)i->imm + r * ww_type_bytes[i->type], i->type);
    else if (ww_accesses(i))
      mark_base(f, def, i->a, DEEP);
  }
}

static bool is_number(const field *x) {
  return !x->pointer && !ww_is_float(x->type) && ww_type_bytes[x->type] >= 4;
}

static void put_real(ww_type type, uint8_t *to) {
  float f = 1;
  double d = 1;
  if (type == WW_F64)
    memcpy(to, &d, sizeof d);
  else if (type == WW_F32)
    memcpy(to, &f, sizeof f);
}

uint64_t ww_fields_guess(const ww_guess *g, uint32_t param, int axes, ww_arg *arg) {
  fields f = {.fn = g->fn, .param = param};
  uint32_t size = g->fn->params[param].size;
  uint8_t *bytes = WW_NEWN(g->a, uint8_t, size + 8);
  int numbers = 0;
  find(&f, g->a);
  for (uint32_t k = 0; k < f.n; k++)
    numbers += is_number(&f.v[k]);
  int sides = numbers > axes ? numbers : axes;
  uint64_t n = (sides < 2 ? LENGTH : sides == 2 ? SIDE : CUBE_SIDE) >> 2 * g->smaller;
  n = n ? n : 1;
  *arg = (ww_arg){.name = arg->name, .kind = WW_ARG_HEX, .hex = bytes, .hex_n = size};
  arg->ptrs = WW_NEWN(g->a, ww_ptr, f.n + 1);
  for (uint32_t k = 0; k < f.n; k++) {
    const field *x = &f.v[k];
    if (x->at > size || size - x->at < ww_type_bytes[x->type])
      continue;
    if (x->pointer)
      arg->ptrs[arg->nptrs++] = (ww_ptr){x->at, {.bytes = POINTED}};
    else if (is_number(x))
      memcpy(bytes + x->at, &n, ww_type_bytes[x->type]);
    else
      put_real(x->type, bytes + x->at);
  }
  return f.n ? n : 0;
}
