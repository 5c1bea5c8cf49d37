/* ptx_params.c - what PTX does not say of a kernel's parameters: which are pointers, to
 * what, and whether it is written.
 *
 * A pointer is what the code converts to an address space, or what an address is
 * computed from; what is loaded and stored through it tells the type of its elements.
 */
#include "ptx_int.h"

enum { NONE = -1 };

typedef struct {
  uint32_t floats, integers; /* accesses */
  ww_type elem;
  uint32_t sizes; /* of the elements, a bit each */
  bool stored, copied;
} use;

typedef struct {
  const ww_fn *fn;
  int32_t *base; /* per value: the parameter that it is computed from, or NONE */
  use *uses;     /* per parameter */
  const ww_ins **def;
  uint8_t *half; /* per value of 32 bits: the type of the floats in it, or WW_VOID */
  bool changed;
} tracing;

static void set_base(tracing *t, ww_val v, int32_t base) {
  if (base == NONE || t->base[v] != NONE)
    return;
  t->base[v] = base;
  t->changed = true;
}

/* Of two that a sum or choice is made of: a parameter that is known to point. Another
 * one counts where what is added to it is no address itself. */
static int32_t base_of(const tracing *t, ww_val a, ww_val b) {
  ww_val v =
      t->base[a] == NONE || (t->base[b] != NONE && t->fn->params[t->base[b]].pointer)
          ? b
          : a;
  ww_val other = v == a ? b : a;
  const ww_ins *d = t->def[other];
  bool address = t->base[other] == NONE && d && d->op == WW_OP_LD;
  return t->base[v] != NONE && !t->fn->params[t->base[v]].pointer && address
             ? NONE
             : t->base[v];
}

static void follow(tracing *t, const ww_ins *i) {
  if (i->dst == WW_NOVAL || i->nres != 1 || t->fn->vals[i->dst].type != WW_I64)
    return;
  switch (i->op) {
  case WW_OP_MOV:
  case WW_OP_FREEZE:
  case WW_OP_SUB:
  case WW_OP_LEA:
    set_base(t, i->dst, t->base[i->a]);
    break;
  case WW_OP_ADD:
    set_base(t, i->dst, base_of(t, i->a, i->b));
    break;
  case WW_OP_SELECT:
    set_base(t, i->dst, base_of(t, i->b, i->c));
    break;
  default:
    break;
  }
}

static void follow_all(tracing *t) {
  const ww_fn *fn = t->fn;
  for (ww_val v = 0; v < fn->nvals; v++)
    t->base[v] = fn->vals[v].kind == WW_VAL_PARAM && fn->vals[v].type == WW_I64 &&
                         !fn->params[fn->vals[v].ref].byval
                     ? (int32_t)fn->vals[v].ref
                     : NONE;
  for (t->changed = true; t->changed;) {
    t->changed = false;
    for (uint32_t b = 0; b < fn->nblocks; b++) {
      for (uint32_t p = 0; p < fn->blocks[b].nphis; p++) {
        const ww_phi *phi = &fn->blocks[b].phis[p];
        for (uint32_t e = 0; e < phi->n && fn->vals[phi->dst].type == WW_I64; e++)
          set_base(t, phi->dst, t->base[ww_phi_value(fn, phi, e)]);
      }
      for (uint32_t k = 0; k < fn->blocks[b].nins; k++)
        follow(t, &fn->blocks[b].ins[k]);
    }
  }
}

/* ---- words that hold two floats ---- */

/* The word that v, of 16 bits, is a half of; WW_NOVAL: of none. */
static ww_val word_of(const tracing *t, ww_val v) {
  const ww_ins *d = t->def[v];
  if (!d || d->op != WW_OP_TRUNC || d->type2 != WW_I32)
    return WW_NOVAL;
  const ww_ins *upper = t->def[d->a];
  return upper && upper->op == WW_OP_LSHR ? upper->a : d->a;
}

/* Words of which halves are taken as floats; whatever else is done with one, it is not
 * counted by its other halves. */
static void find_halves(tracing *t) {
  ww_ins_walk w = {.fn = t->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    ww_val v = i->op == WW_OP_MOV && ww_is_float(i->type) && i->type2 == WW_I16
                   ? word_of(t, i->a)
                   : WW_NOVAL;
    if (v != WW_NOVAL)
      t->half[v] = i->type;
  }
}

/* What a stored word was put together from: the first of its halves. */
static ww_type packed_type(const tracing *t, ww_val v) {
  const ww_ins *d = t->def[v];
  for (int steps = 0; steps < 3 && d; steps++) {
    if (d->op == WW_OP_MOV && ww_is_float(d->type2) && ww_type_bytes[d->type2] == 2)
      return d->type2;
    d = d->op == WW_OP_PRMT || d->op == WW_OP_ZEXT ? t->def[d->a] : NULL;
  }
  return WW_VOID;
}

static ww_type held(const tracing *t, const ww_ins *i) {
  ww_type half = WW_VOID;
  if (i->type == WW_I32 && i->op == WW_OP_LD)
    half = t->half[i->dst];
  if (i->type == WW_I32 && i->op == WW_OP_ST)
    half = packed_type(t, t->fn->pool[i->ext]);
  return half ? half : i->type;
}

/* Copies of many bytes have addresses among their operands; they tell no type. */
static void note_copy(tracing *t, const ww_ins *i) {
  ww_val of[16];
  uint32_t n = ww_ins_uses(t->fn, i, of, 16);
  for (uint32_t k = 0; k < n; k++)
    if (t->base[of[k]] != NONE) {
      t->uses[t->base[of[k]]].copied = true;
      t->uses[t->base[of[k]]].stored |= k == 0;
    }
}

static void note_accesses(tracing *t) {
  ww_ins_walk w = {.fn = t->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    int32_t p = ww_accesses(i) ? t->base[i->a] : NONE;
    if (!ww_accesses(i) && ww_touches_memory(i))
      note_copy(t, i);
    if (p == NONE)
      continue;
    use *u = &t->uses[p];
    ww_type elem = held(t, i);
    bool real = ww_is_float(elem);
    u->floats += real;
    u->integers += !real;
    u->sizes |= ww_type_bytes[elem];
    u->stored |= i->op != WW_OP_LD;
    if (real || u->elem == WW_VOID)
      u->elem = elem;
  }
}

/* ---- C types ---- */

static const struct {
  const char *name;
  ww_type type;
} c_types[] = {{"void", WW_VOID},
               {"bool", WW_I8},
               {"char", WW_I8},
               {"short", WW_I16},
               {"int", WW_I32},
               {"long", WW_I64},
               {"__half", WW_F16},
               {"__nv_bfloat16", WW_BF16},
               {"float", WW_F32},
               {"double", WW_F64},
               {"signed char", WW_I8},
               {"unsigned char", WW_I8},
               {"unsigned short", WW_I16},
               {"unsigned int", WW_I32},
               {"unsigned", WW_I32},
               {"unsigned long", WW_I64},
               {"long long", WW_I64},
               {"unsigned long long", WW_I64},
               {"half", WW_F16},
               {"_Float16", WW_F16},
               {"__bf16", WW_BF16},
               {"int8_t", WW_I8},
               {"uint8_t", WW_I8},
               {"int16_t", WW_I16},
               {"uint16_t", WW_I16},
               {"int32_t", WW_I32},
               {"uint32_t", WW_I32},
               {"int64_t", WW_I64},
               {"uint64_t", WW_I64},
               {"size_t", WW_I64}};

/* The shortest name of a type. */
static const char *type_name(ww_type t) {
  for (size_t k = 0; k < WW_COUNT(c_types); k++)
    if (c_types[k].type == t)
      return c_types[k].name;
  return "void";
}

/* float4, uchar2, __half2 ...: its bytes, 0: no vector */
static uint32_t vector_bytes(const char *s, size_t n) {
  static const struct {
    const char *name;
    uint8_t bytes;
  } of[] = {{"char", 1},     {"uchar", 1},     {"short", 2},        {"ushort", 2},
            {"int", 4},      {"uint", 4},      {"long", 8},         {"ulong", 8},
            {"longlong", 8}, {"ulonglong", 8}, {"float", 4},        {"double", 8},
            {"__half", 2},   {"half", 2},      {"__nv_bfloat16", 2}};
  if (n < 2 || s[n - 1] < '1' || s[n - 1] > '4')
    return 0;
  for (size_t k = 0; k < WW_COUNT(of); k++)
    if (strlen(of[k].name) == n - 1 && !memcmp(of[k].name, s, n - 1))
      return of[k].bytes * (uint32_t)(s[n - 1] - '0');
  return 0;
}

void ptx_take_type(ww_param *p, const char *ctype) {
  const char *s = ctype;
  p->ctype = ctype;
  const char *star = strchr(s, '*');
  if (!p->pointer || !star || strchr(star + 1, '*'))
    return;
  if (ww_starts(s, "const ")) {
    p->readonly = true;
    s += strlen("const ");
  }
  while (star > s && ww_is_space(star[-1]))
    star--;
  if (vector_bytes(s, star - s))
    p->elem_size = vector_bytes(s, star - s);
  for (size_t k = 0; k < WW_COUNT(c_types); k++)
    if (c_types[k].type && strlen(c_types[k].name) == (size_t)(star - s) &&
        !memcmp(c_types[k].name, s, star - s)) {
      p->elem = c_types[k].type;
      p->elem_size = ww_type_bytes[p->elem];
    }
}

static void describe_pointer(ww_arena *a, ww_param *p, const use *u) {
  bool one_size = u->sizes && !(u->sizes & (u->sizes - 1));
  p->space = WW_GLOBAL;
  p->readonly = !u->stored && (u->floats + u->integers || u->copied);
  p->elem = one_size ? u->elem : WW_VOID;
  p->elem_size = ww_type_bytes[p->elem];
  p->ctype = ww_fmt(a, "%s%s *", p->readonly ? "const " : "", type_name(p->elem));
}

static void describe_params(ptx_fn *f) {
  ww_fn *fn = &f->F->fn;
  ww_arena *a = f->F->a;
  tracing t = {.fn = fn,
               .base = WW_NEWN(a, int32_t, fn->nvals + 1),
               .uses = WW_NEWN(a, use, fn->nparams + 1),
               .def = ww_ir_defs(fn, a),
               .half = WW_NEWN(a, uint8_t, fn->nvals + 1)};
  find_halves(&t);
  follow_all(&t);
  note_accesses(&t);
  for (uint32_t p = 0; p < fn->nparams; p++)
    fn->params[p].pointer |=
        t.uses[p].floats + t.uses[p].integers > 0 || t.uses[p].copied;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_param *q = &fn->params[p];
    if (q->pointer)
      describe_pointer(a, q, &t.uses[p]);
    else
      q->ctype =
          q->byval ? ww_fmt(a, "struct of %u bytes", q->size) : type_name(q->type);
    if (f->def->types.n == fn->nparams)
      ptx_take_type(q, f->def->types.v[p]);
  }
}

void ptx_describe(ptx_fn *f) {
  ww_fn *fn = &f->F->fn;
  const ww_loc *at = &f->p->m.loc_list.v[f->place];
  if (f->place) {
    fn->file = f->p->m.file_list.v[at->file];
    fn->line = at->line;
  }
  if (fn->kernel)
    describe_params(f);
}
