/* ptx_call.c - what PTX passes in parameter space: parameters of functions, arguments
 * and results of calls.
 *
 * A scalar is one value of the IR, an aggregate a list of 32-bit words, which its
 * function and its callers take apart and put together at no cost: real code passes it
 * in registers. Arguments are written and read in the block of their call. */
#include "ptx_int.h"

#include <stdlib.h>

enum { MAX_WORDS = 200 };

/* ---- pieces ---- */

static ww_type piece_type(const ptx_var *v) {
  return v->array ? WW_I32 : v->type;
}

/* Values that a parameter is passed as. */
static uint32_t piece_count(const ptx_var *v) {
  return v->array ? (v->bytes + 3) / 4 : 1;
}

static bool fits(const ptx_var *v) {
  return v->type != WW_VOID && piece_count(v) <= MAX_WORDS;
}

static void put_piece(ptx_fn *f, ptx_passed *p, ptx_piece piece) {
  for (uint32_t k = 0; k < p->pieces.n; k++)
    if (p->pieces.v[k].at == piece.at) {
      p->pieces.v[k] = piece;
      return;
    }
  ww_push(f->F->a, &p->pieces, piece);
}

/* The bits of `piece` that lie in the value at byte `at`, at their place in it. */
static ww_val bits_of(low_fn *F, const ptx_piece *piece, uint32_t at, ww_type t) {
  ww_type it = low_int_type(ww_type_bits(t));
  ww_type from = low_int_type(8 * piece->bytes);
  ww_val v = low_bits(F, piece->v, piece->type, from);
  if (piece->at < at)
    v = low_binaryk(F, WW_OP_LSHR, from, v, 8 * (at - piece->at));
  v = low_int_to(F, v, from, it, false);
  if (piece->at > at)
    v = low_binaryk(F, WW_OP_SHL, it, v, 8 * (piece->at - at));
  return v;
}

static ww_val get_piece(ptx_fn *f, const ptx_passed *p, uint32_t at, ww_type t) {
  low_fn *F = f->F;
  uint32_t bytes = ww_type_bytes[t];
  ww_type it = low_int_type(ww_type_bits(t));
  ww_val v = WW_NOVAL;
  uint32_t here = low_here(F);
  for (uint32_t k = 0; k < p->pieces.n; k++) {
    const ptx_piece *q = &p->pieces.v[k];
    if (q->at == at && q->bytes == bytes)
      return ptx_reshape(F, q->v, q->type, t, false);
    if (q->at >= at + bytes || q->at + q->bytes <= at)
      continue;
    ww_val part = bits_of(F, q, at, t);
    v = v == WW_NOVAL ? part : low_binary(F, WW_OP_OR, it, v, part);
  }
  v = v == WW_NOVAL ? low_const(F, t, 0) : low_bits(F, v, it, t);
  low_parts(F, here, WW_NOPS);
  return v;
}

static ptx_passed *passed_named(ptx_fn *f, const char *name, size_t n) {
  const uint32_t *at = ww_dict_find(&f->passed_named, name, n);
  return at ? &f->passed.v[*at - 1] : NULL;
}

static void add_passed(ptx_fn *f, const ptx_var *v) {
  bool fresh;
  ww_push(f->F->a, &f->passed,
          (ptx_passed){.var = *v, .block = WW_NOBLOCK, .address = WW_NOVAL});
  *ww_dict_at(&f->passed_named, f->F->a, v->name, strlen(v->name), &fresh) =
      f->passed.n;
}

/* ---- the function's own ---- */

/* .param .b32 x holds a float where it is loaded into a register that does. */
static ww_type loaded_as(ptx_fn *f, const ptx_var *v) {
  size_t n = strlen(v->name);
  for (uint32_t k = 0; k < f->stmts.n && v->untyped; k++) {
    ptx_ins *i = &f->stmts.v[k].i;
    if (i->narg == 2 && !strcmp(i->op[0], "ld") && i->arg[1][0] == '[' &&
        !strncmp(i->arg[1] + 1, v->name, n) && i->arg[1][n + 1] == ']')
      return ptx_natural(i, i->arg, 1, v->type);
  }
  return v->type;
}

static void kernel_param(ptx_fn *f, ptx_var *v, uint32_t k) {
  ww_param p = {.name = ww_fmt(f->F->a, "arg%u", k),
                .type = v->array ? WW_I64 : loaded_as(f, v),
                .size = v->bytes,
                .align = v->align,
                .byval = v->array,
                .space = v->array ? WW_PARAM : WW_GENERIC,
                .pointer = v->pointer && v->type == WW_I64};
  if (p.type == WW_VOID) {
    low_refuse(f->F, "PTX: parameter %s has a type that is not known", v->name);
    p.type = WW_I64;
  }
  low_add_param(f->F, p);
  if (v->array)
    return;
  add_passed(f, v);
  ptx_piece whole = {0, ww_type_bytes[p.type], k, p.type};
  ww_push(f->F->a, &f->passed.v[f->passed.n - 1].pieces, whole);
}

static void function_param(ptx_fn *f, ptx_var *v) {
  ww_type t = piece_type(v);
  if (!fits(v)) {
    low_refuse(f->F, "PTX: parameter %s is not passed as others are", v->name);
    return;
  }
  add_passed(f, v);
  for (uint32_t w = 0; w < piece_count(v); w++) {
    ptx_piece one = {4 * w, ww_type_bytes[t], f->F->fn.nparams, t};
    ww_push(f->F->a, &f->passed.v[f->passed.n - 1].pieces, one);
    low_add_param(f->F, (ww_param){.name = ww_fmt(f->F->a, "arg%u", f->F->fn.nparams),
                                   .type = t,
                                   .size = one.bytes,
                                   .align = one.bytes});
  }
}

void ptx_add_params(ptx_fn *f) {
  ptx_vars *params = &f->def->params;
  ptx_vars *results = &f->def->results;
  for (uint32_t k = 0; k < params->n; k++)
    if (f->def->entry)
      kernel_param(f, &params->v[k], k);
    else
      function_param(f, &params->v[k]);
  for (uint32_t k = 0; k < results->n; k++) {
    if (!fits(&results->v[k]))
      low_refuse(f->F, "PTX: result %s is not passed as others are",
                 results->v[k].name);
    add_passed(f, &results->v[k]);
  }
  if (results->n == 1 && piece_count(results->v) == 1)
    f->F->fn.ret = piece_type(results->v);
}

/* ---- loads and stores of parameter space ---- */

static uint32_t vector_width(const ptx_ins *i) {
  return ptx_has(i, "v2") ? 2 : ptx_has(i, "v4") ? 4 : ptx_has(i, "v8") ? 8 : 1;
}

/* [name+8]: what is passed under that name, and the offset; NULL: something else. */
static ptx_passed *passed_at(ptx_fn *f, const char *operand, uint32_t *at) {
  const char *c = operand + 1;
  while (*operand == '[' && ww_is_space(*c))
    c++;
  size_t n = *operand == '[' ? ptx_word(c) : 0;
  const char *plus = c + n + strspn(c + n, " \t");
  *at = n && *plus == '+' ? strtoul(plus + 1, NULL, 0) : 0;
  return n ? passed_named(f, c, n) : NULL;
}

static void move_pieces(ptx_fn *f, ptx_ins *i, ptx_passed *p, uint32_t at, bool store) {
  const char *part[8];
  ptx_type t = ptx_nth_type(i, 0);
  uint32_t n = vector_width(i);
  if (t.t == WW_VOID || t.pair || ptx_list(i, i->arg[store], part, 8) != n) {
    ptx_refuse(i);
    return;
  }
  if (store && p->block != f->s.block) {
    p->pieces.n = 0;
    p->block = f->s.block;
  }
  for (uint32_t k = 0; k < n; k++, at += ww_type_bytes[t.t]) {
    if (store)
      put_piece(f, p,
                (ptx_piece){at, ww_type_bytes[t.t], ptx_read(i, part[k], t.t), t.t});
    else
      ptx_write(i, part[k], get_piece(f, p, at, t.t), t.t, t.sign);
  }
}

bool ptx_pass(ptx_fn *f, ptx_ins *i) {
  bool param = false, store = i->nop && !strcmp(i->op[0], "st");
  uint32_t at;
  for (uint32_t k = 1; k < i->nop; k++)
    param |= ww_starts(i->op[k], "param");
  if (!param || i->narg != 2 || (!store && strcmp(i->op[0], "ld")))
    return false;
  ptx_passed *p = passed_at(f, i->arg[!store], &at);
  if (p)
    move_pieces(f, i, p, at, store);
  return p;
}

/* Its pieces are values that come with the call: they are stored as it begins. */
bool ptx_param_address(ptx_fn *f, const char *name, ww_val *address) {
  low_fn *F = f->F;
  ptx_passed *p = passed_named(f, name, strlen(name));
  if (!p || p >= f->passed.v + f->def->params.n)
    return false;
  if (p->address == WW_NOVAL) {
    uint32_t cur = F->cur;
    F->cur = LOW_PROLOGUE;
    p->address = low_local(F, p->var.bytes, p->var.align);
    for (uint32_t k = 0; k < p->pieces.n; k++) {
      const ptx_piece *q = &p->pieces.v[k];
      low_comp c = low_element(q->type, 0);
      low_addr at = {
          .base = p->address, .off = q->at, .space = WW_LOCAL, .align = q->bytes};
      low_store(F, at, &c, 1, &q->v);
    }
    F->cur = cur;
  }
  *address = p->address;
  return true;
}

/* ---- calls ---- */

/* What is passed, as the values that the callee takes; false: not all is known. */
static bool
gather(ptx_fn *f, const ptx_passed *p, const ptx_var *as, ptx_numbers *out) {
  ww_type t = piece_type(as);
  if (!fits(as) || (p->pieces.n && p->block != f->s.block))
    return false;
  for (uint32_t w = 0; w < piece_count(as); w++)
    ww_push(f->F->a, out, get_piece(f, p, 4 * w, t));
  return true;
}

/* The names in "(a, b)". */
static uint32_t names_in(ptx_fn *f, const char *list, ptx_passed *out[64]) {
  uint32_t n = 0;
  for (const char *c = list; *c;) {
    size_t len = ptx_word(c);
    ptx_passed *p = len ? passed_named(f, c, len) : NULL;
    if (len && (!p || n == 64))
      return UINT32_MAX;
    if (len)
      out[n++] = p;
    c += len ? len : 1;
  }
  return n;
}

typedef struct {
  const char *target; /* a name or a register */
  ptx_passed *args[64], *results[64];
  uint32_t nargs, nresults;
  const char *prototype; /* or NULL */
} site;

static bool parse_call(ptx_fn *f, ptx_ins *i, site *c) {
  uint32_t k = 0;
  *c = (site){0};
  if (k < i->narg && *i->arg[k] == '(')
    c->nresults = names_in(f, i->arg[k++], c->results);
  if (k < i->narg)
    c->target = i->arg[k++];
  if (k < i->narg && *i->arg[k] == '(')
    c->nargs = names_in(f, i->arg[k++], c->args);
  if (k < i->narg)
    c->prototype = i->arg[k++];
  return c->target && c->nargs != UINT32_MAX && c->nresults != UINT32_MAX;
}

/* proto: .callprototype (.param .b32 _) _ (.param .b32 _) */
static bool find_prototype(ptx_fn *f, const char *name, ptx_function *out) {
  const uint32_t *at = name ? ww_dict_find(&f->lists, name, strlen(name)) : NULL;
  char *c = at ? ww_strdup(f->F->a, f->stmts.v[*at - 1].i.text) : NULL;
  if (!c || !ww_starts(c, ".callprototype"))
    return false;
  *out = (ptx_function){0};
  c += strlen(".callprototype");
  c += strspn(c, " \t\n\r");
  if (*c == '(' && !ptx_parse_params(f->F->a, &c, &out->results))
    return false;
  c += strspn(c, " \t\n\r_");
  return *c != '(' || ptx_parse_params(f->F->a, &c, &out->params);
}

static void deliver_results(ptx_fn *f, const site *c, const ptx_vars *as, ww_val *v) {
  for (uint32_t k = 0; k < as->n && k < c->nresults; k++) {
    ptx_passed *p = c->results[k];
    ww_type t = piece_type(&as->v[k]);
    p->pieces.n = 0;
    p->block = f->s.block;
    for (uint32_t w = 0; w < piece_count(&as->v[k]); w++)
      put_piece(f, p, (ptx_piece){4 * w, ww_type_bytes[t], *v++, t});
  }
}

static void
invoke(ptx_fn *f, ptx_ins *i, const site *c, const ptx_function *as, ww_val target) {
  ptx_numbers args = {0};
  WW_VEC(ww_type) types = {0};
  bool ok = c->nargs == as->params.n && c->nresults == as->results.n;
  for (uint32_t k = 0; ok && k < c->nargs; k++)
    ok = gather(f, c->args[k], &as->params.v[k], &args);
  for (uint32_t k = 0; ok && k < as->results.n; k++) {
    ok = fits(&as->results.v[k]);
    for (uint32_t w = 0; ok && w < piece_count(&as->results.v[k]); w++)
      ww_push(f->F->a, &types, piece_type(&as->results.v[k]));
  }
  if (!ok) {
    ptx_refuse(i);
    return;
  }
  low_invocation call = {.target = target,
                         .index = target == WW_NOVAL ? as->made - 1 : 0,
                         .args = args.v,
                         .nargs = args.n,
                         .types = types.v,
                         .nres = types.n};
  ww_val *results = WW_NEWN(f->F->a, ww_val, types.n + 1);
  low_invoke(f->F, &call, results);
  deliver_results(f, c, &as->results, results);
}

/* Functions of the runtime, which have no body anywhere; false: none of these. */
static bool runtime(ptx_fn *f, const site *c) {
  low_fn *F = f->F;
  ww_val result = low_i32(F, 0);
  ww_type t = WW_I32;
  if (!strcmp(c->target, "vprintf") && c->nargs == 2) {
    ww_val format = get_piece(f, c->args[0], 0, WW_I64);
    ww_val packed = get_piece(f, c->args[1], 0, WW_I64);
    uint32_t ext = low_pool(F, &packed, 1);
    ww_ins *p = low_ins(F, WW_OP_PRINTF, WW_VOID);
    p->a = format;
    p->ext = ext;
    p->n = p->sub = 1;
  } else if (!strcmp(c->target, "__assertfail")) {
    low_ins(F, WW_OP_TRAP, WW_VOID)->imm = 1;
    F->cur = low_new_block(F, NULL); /* what follows is never reached */
  } else if (!strcmp(c->target, "malloc") && c->nargs == 1) {
    t = WW_I64;
    result = low_unary(F, WW_OP_MALLOC, t, get_piece(f, c->args[0], 0, WW_I64));
  } else if (strcmp(c->target, "free"))
    return false;
  if (c->nresults == 1) {
    c->results[0]->pieces.n = 0;
    c->results[0]->block = f->s.block;
    put_piece(f, c->results[0], (ptx_piece){0, ww_type_bytes[t], result, t});
  }
  return true;
}

void ptx_call(ptx_fn *f, ptx_ins *i) {
  site c;
  ptx_function as;
  if (!parse_call(f, i, &c)) {
    ptx_refuse(i);
    return;
  }
  if (ptx_find_reg(&f->s, c.target) != PTX_NOREG) {
    if (find_prototype(f, c.prototype, &as))
      invoke(f, i, &c, &as, ptx_read(i, c.target, WW_I64));
    else
      ptx_refuse(i);
    return;
  }
  low_fn *to = ptx_want_fn(f->p, c.target);
  const ptx_function *def = to ? ptx_function_of(f->p, c.target) : NULL;
  if (to)
    invoke(f, i, &c, def, WW_NOVAL);
  else if (!runtime(f, &c))
    low_refuse(f->F, "calls %s, which has no definition", c.target);
}

void ptx_return(ptx_fn *f) {
  ptx_numbers v = {0};
  for (uint32_t k = 0; k < f->def->results.n && !f->def->entry; k++) {
    const ptx_var *as = &f->def->results.v[k];
    const ptx_passed *p = passed_named(f, as->name, strlen(as->name));
    if (!p || !gather(f, p, as, &v)) {
      low_refuse(f->F, "PTX: a result is not passed where the function returns");
      return;
    }
  }
  uint32_t ext = low_pool(f->F, v.v, v.n);
  ww_ins *r = low_ins(f->F, WW_OP_RET, WW_VOID);
  r->n = v.n;
  r->ext = v.n ? ext : 0;
}
