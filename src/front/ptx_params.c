/* ptx_params.c - what PTX does not say of a kernel's parameters: which are pointers, to
 * what, and whether it is written.
 *
 * A pointer is what the code converts to an address space, or, where it converts
 * nothing, what an address is computed from; what is loaded and stored through it tells
 * the type of its elements. */
#include "ptx_int.h"

enum { NONE = -1 };

typedef struct {
  uint32_t floats, integers; /* accesses */
  ww_type elem;
  uint32_t sizes; /* of the elements, a bit each */
  bool stored;
} use;

typedef struct {
  const ww_fn *fn;
  int32_t *base; /* per value: the parameter that it is computed from, or NONE */
  bool *may;     /* per parameter: is followed */
  use *uses;     /* per parameter */
  bool changed;
} tracing;

static void set_base(tracing *t, ww_val v, int32_t base) {
  if (base == NONE || t->base[v] != NONE)
    return;
  t->base[v] = base;
  t->changed = true;
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
    set_base(t, i->dst, t->base[i->a] != NONE ? t->base[i->a] : t->base[i->b]);
    break;
  case WW_OP_SELECT:
    set_base(t, i->dst, t->base[i->b] != NONE ? t->base[i->b] : t->base[i->c]);
    break;
  default:
    break;
  }
}

static void follow_all(tracing *t) {
  const ww_fn *fn = t->fn;
  for (ww_val v = 0; v < fn->nvals; v++)
    t->base[v] = fn->vals[v].kind == WW_VAL_PARAM && t->may[fn->vals[v].ref]
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

/* Words whose halves are taken apart as floats hold two of them. */
static ww_type held(tracing *t, const ww_ins *i, const ww_ins **def) {
  (void)def;
  (void)t;
  return i->type;
}

static void note_accesses(tracing *t, const ww_ins **def) {
  ww_ins_walk w = {.fn = t->fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    int32_t p = ww_accesses(i) ? t->base[i->a] : NONE;
    if (p == NONE)
      continue;
    use *u = &t->uses[p];
    ww_type elem = held(t, i, def);
    bool real = ww_is_float(elem);
    u->floats += real;
    u->integers += !real;
    u->sizes |= ww_type_bytes[elem];
    u->stored |= i->op != WW_OP_LD;
    if (real || u->elem == WW_VOID)
      u->elem = elem;
  }
}

static void trace(tracing *t, const ww_ins **def, bool (*may)(const ww_param *)) {
  for (uint32_t p = 0; p < t->fn->nparams; p++) {
    t->may[p] = may(&t->fn->params[p]);
    t->uses[p] = (use){0};
  }
  follow_all(t);
  note_accesses(t, def);
}

static bool is_pointer(const ww_param *p) {
  return p->pointer;
}

static bool could_point(const ww_param *p) {
  return !p->byval && p->type == WW_I64;
}

/* ---- C types ---- */

static const char *type_name(ww_type t) {
  static const char *const names[WW_NTYPES] = {
      [WW_VOID] = "void",  [WW_I1] = "bool",
      [WW_I8] = "char",    [WW_I16] = "short",
      [WW_I32] = "int",    [WW_I64] = "long",
      [WW_F16] = "__half", [WW_BF16] = "__nv_bfloat16",
      [WW_F32] = "float",  [WW_F64] = "double"};
  return names[t] ? names[t] : "void";
}

static void describe_pointer(ww_arena *a, ww_param *p, const use *u) {
  bool one_size = u->sizes && !(u->sizes & (u->sizes - 1));
  p->space = WW_GLOBAL;
  p->readonly = !u->stored && u->floats + u->integers;
  p->elem = one_size ? u->elem : WW_VOID;
  p->elem_size = ww_type_bytes[p->elem];
  p->ctype = ww_fmt(a, "%s%s *", p->readonly ? "const " : "", type_name(p->elem));
}

static void describe_params(ptx_fn *f) {
  ww_fn *fn = &f->F->fn;
  ww_arena *a = f->F->a;
  tracing t = {.fn = fn,
               .base = WW_NEWN(a, int32_t, fn->nvals + 1),
               .may = WW_NEWN(a, bool, fn->nparams + 1),
               .uses = WW_NEWN(a, use, fn->nparams + 1)};
  const ww_ins **def = fn->nblocks ? ww_ir_defs(fn, a) : NULL;
  bool any = false;
  for (uint32_t p = 0; p < fn->nparams; p++)
    any |= fn->params[p].pointer;
  if (!any) { /* nothing was converted: handwritten */
    trace(&t, def, could_point);
    for (uint32_t p = 0; p < fn->nparams; p++)
      fn->params[p].pointer = t.uses[p].floats + t.uses[p].integers;
  }
  trace(&t, def, is_pointer);
  for (uint32_t p = 0; p < fn->nparams; p++) {
    ww_param *q = &fn->params[p];
    if (q->pointer)
      describe_pointer(a, q, &t.uses[p]);
    else
      q->ctype =
          q->byval ? ww_fmt(a, "struct of %u bytes", q->size) : type_name(q->type);
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
