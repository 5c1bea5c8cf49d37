/* ptx_fn.c - a PTX function as IR: block by block in reverse post-order, values of
 * registers found by the way (Braun et al., Simple and Efficient Construction of SSA
 * Form).
 *
 * A register that is read in a block which does not write it first has the value of the
 * only block before, or, where ways meet, of a phi whose operands are found once all
 * blocks are filled. Phis of one value are replaced by it at the end. */
#include "ptx_int.h"

/* ---- values of registers ---- */

static uint64_t def_key(uint32_t block, uint32_t reg) {
  return ((uint64_t)block << 32 | reg) + 1;
}

static void define(ptx_fn *f, uint32_t block, uint32_t reg, ww_val v) {
  *ww_map_at(&f->defs, f->F->a, def_key(block, reg), NULL) = v;
}

static ww_val new_phi(ptx_fn *f, uint32_t block, uint32_t reg) {
  low_fn *F = f->F;
  uint32_t cur = F->cur;
  F->cur = f->blocks.v[block].begin;
  ptx_phi p = {.reg = reg, .block = block};
  p.v = low_new_val(F, f->s.regs.v[reg].natural);
  F->cur = cur;
  ww_push(F->a, &f->phis, p);
  return p.v;
}

/* At the end of the block, or, where nothing of it is filled yet, at its begin. */
static ww_val value_in(ptx_fn *f, uint32_t block, uint32_t reg) {
  uint32_t b = block;
  ww_val v = WW_NOVAL;
  while (v == WW_NOVAL) {
    const uint32_t *known = ww_map_find(&f->defs, def_key(b, reg));
    const ptx_numbers *pred = &f->blocks.v[b].pred;
    if (known)
      v = *known;
    else if (b == 0 && !pred->n)
      v = low_const(f->F, f->s.regs.v[reg].natural, 0); /* never written */
    else if (b == 0 || pred->n > 1)
      v = new_phi(f, b, reg);
    else
      b = pred->v[0];
  }
  for (uint32_t k = block;; k = f->blocks.v[k].pred.v[0]) {
    define(f, k, reg, v);
    if (k == b)
      return v;
  }
}

static ww_val incoming(ptx_state *s, uint32_t reg) {
  return value_in((ptx_fn *)s, s->block, reg);
}

static void written(ptx_state *s, uint32_t reg) {
  define((ptx_fn *)s, s->block, reg, s->regs.v[reg].v);
}

/* ---- variables ---- */

static ww_val local_address(ptx_fn *f, uint32_t k) {
  low_fn *F = f->F;
  const ptx_var *v = &f->vars.v[k];
  if (f->var_address[k] != WW_NOVAL)
    return f->var_address[k];
  uint32_t cur = F->cur;
  F->cur = LOW_PROLOGUE;
  f->var_address[k] = low_local(F, v->bytes, v->align);
  F->cur = cur;
  return f->var_address[k];
}

static bool variable(ptx_state *s, const char *name, ww_val *address) {
  ptx_fn *f = (ptx_fn *)s;
  size_t n = strlen(name);
  const uint32_t *own = ww_dict_find(&f->var_named, name, n);
  const uint32_t *shared = ww_dict_find(&f->p->var_named, name, n);
  ptx_var *v = own ? &f->vars.v[*own - 1] : shared ? &f->p->vars.v[*shared - 1] : NULL;
  if (own && v->space == WW_LOCAL) {
    *address = local_address(f, *own - 1);
    return true;
  }
  if (!strcmp(name, "%envreg"))
    v = &f->p->workspace;
  if (!strcmp(name, "%reserved_smem_offset_1"))
    v = &f->p->reserved;
  if (v && (v->space == WW_GLOBAL || v->space == WW_SHARED || v->space == WW_CONST)) {
    *address = low_symbol_address(f->F, ptx_symbol(f->p, v), 0);
    return true;
  }
  for (uint32_t k = 0; k < f->def->params.n && f->def->entry; k++)
    if (!strcmp(f->def->params.v[k].name, name) && f->F->fn.params[k].byval) {
      *address = k;
      return true;
    }
  if (!v && !f->def->entry && ptx_param_address(f, name, address))
    return true;
  low_fn *to = v ? NULL : ptx_want_fn(f->p, name);
  if (to)
    *address = low_fn_address(f->F, to->index, 0);
  return to;
}

/* ---- the stack ---- */

/* What alloca takes from: as much as CUDA gives a thread by itself. A register holds
 * how much of it is taken. */
enum { STACK_BYTES = 1024, STACK_ALIGN = 16 };

static ww_val stack_area(ptx_fn *f) {
  if (f->stack == WW_NOVAL) {
    uint32_t cur = f->F->cur;
    f->F->cur = LOW_PROLOGUE;
    f->stack = low_local(f->F, STACK_BYTES, STACK_ALIGN);
    f->F->cur = cur;
  }
  return f->stack;
}

/* alloca.u64 d, bytes{, align}: no address where there is no room, as the first access
 * tells. */
static bool allocate(ptx_fn *f, ptx_ins *i, uint32_t taken) {
  low_fn *F = f->F;
  ww_type t;
  uint64_t align = STACK_ALIGN;
  if (i->narg > 2 &&
      (!low_is_const(F, ptx_operand(i, 2, WW_I64), &align) || align > STACK_ALIGN))
    return false;
  ww_val bytes = ptx_operand(i, 1, WW_I64);
  ww_val from = ptx_get(&f->s, taken, &t);
  ww_val whole = low_op64k(F, WW_OP_AND, low_add_imm(F, bytes, WW_I64, STACK_ALIGN - 1),
                           -(uint64_t)STACK_ALIGN);
  ww_val to = low_op64(F, WW_OP_ADD, from, whole);
  ww_val room = low_op64(F, WW_OP_SUB, low_const(F, WW_I64, STACK_BYTES), from);
  ww_val address = low_op64(F, WW_OP_ADD, stack_area(f), from);
  address = low_select(F, WW_I64, low_cmp(F, WW_ULE, WW_I64, bytes, room), address,
                       low_const(F, WW_I64, 0));
  ptx_write(i, i->arg[0], address, WW_I64, false);
  ptx_set(&f->s, taken, to, WW_I64);
  return true;
}

static bool is_op(const ptx_ins *i, const char *name) {
  return i->nop && !strcmp(i->op[0], name);
}

/* alloca, stacksave, stackrestore; false: none of them. */
static bool of_stack(ptx_fn *f, ptx_ins *i) {
  static const char taken_name[] = "@stack"; /* no register has it */
  bool takes = is_op(i, "alloca"), saves = is_op(i, "stacksave");
  if (!takes && !saves && !is_op(i, "stackrestore"))
    return false;
  uint32_t taken = ptx_find_reg(&f->s, taken_name);
  if (taken == PTX_NOREG)
    taken = ptx_add_reg(&f->s, taken_name, WW_I64);
  ww_type t;
  if (i->predicate || i->narg < 1 + (uint32_t)takes ||
      (takes && !allocate(f, i, taken)))
    ptx_refuse(i);
  else if (saves)
    ptx_write(i, i->arg[0], ptx_get(&f->s, taken, &t), WW_I64, false);
  else if (!takes)
    ptx_set(&f->s, taken, ptx_operand(i, 0, WW_I64), WW_I64);
  return true;
}

/* ---- control ---- */

static uint32_t ir_block(const ptx_fn *f, uint32_t b) {
  return f->blocks.v[b].begin;
}

/* Where it goes on behind block b: to the next, or out of the function. */
static uint32_t block_behind(ptx_fn *f, uint32_t b) {
  if (b + 1 < f->blocks.n)
    return ir_block(f, b + 1);
  uint32_t cur = f->F->cur;
  uint32_t end = f->F->cur = low_new_block(f->F, NULL);
  ptx_return(f);
  f->F->cur = cur;
  return end;
}

static void branch(ptx_fn *f, uint32_t b, ptx_ins *i) {
  uint32_t to = f->blocks.v[b].succ.v[0];
  if (!i->predicate)
    low_br(f->F, ir_block(f, to));
  else
    low_cbr(f->F, ptx_read(i, i->predicate, WW_I1), ir_block(f, to),
            block_behind(f, b));
  if (f->blocks.v[to].no_unroll && ptx_dominates(f, to, b))
    low_cur(f->F)->ins.v[low_here(f->F) - 1].sub = 1;
}

/* brx.idx %r, list: an index behind the list is undefined, here it is the last. */
static void branch_by_index(ptx_fn *f, ptx_ins *i) {
  low_fn *F = f->F;
  const uint32_t *list = i->narg == 2 && !i->predicate
                             ? ww_dict_find(&f->lists, i->arg[1], strlen(i->arg[1]))
                             : NULL;
  const ptx_ins *l = list ? &f->stmts.v[*list - 1].i : NULL;
  uint32_t pairs[2 * 255];
  uint32_t n = l ? l->narg - 1 : UINT32_MAX;
  if (n > 255) {
    ptx_refuse(i);
    return;
  }
  ww_val index = ptx_read(i, i->arg[0], WW_I32);
  for (uint32_t k = 0; k <= n; k++) {
    const uint32_t *to = ww_dict_find(&f->labels, l->arg[k], strlen(l->arg[k]));
    uint32_t block = ir_block(f, *to - 1);
    if (k == n) {
      uint32_t ext = low_pool(F, pairs, 2 * n);
      ww_ins *s = low_ins(F, WW_OP_SWITCH, WW_I32);
      *s = (ww_ins){.op = WW_OP_SWITCH,
                    .type = WW_I32,
                    .dst = WW_NOVAL,
                    .a = index,
                    .b = WW_NOVAL,
                    .c = WW_NOVAL,
                    .imm = block,
                    .ext = ext,
                    .n = n,
                    .loc = F->loc};
      return;
    }
    pairs[2 * k] = low_i32(F, k);
    pairs[2 * k + 1] = block;
  }
}

/* ---- statements ---- */

/* A conversion to a generic address, or from one, of a parameter: it is a pointer. */
static void note_pointer(ptx_fn *f, ptx_ins *i) {
  uint32_t reg =
      is_op(i, "cvta") && i->narg > 1 ? ptx_find_reg(&f->s, i->arg[1]) : PTX_NOREG;
  ww_type t;
  if (reg == PTX_NOREG)
    return;
  ww_val got = ptx_get(&f->s, reg, &t); /* may add a value: first, the list moves */
  const ww_value *v = &f->F->vals.v[got];
  if (v->kind == WW_VAL_PARAM && f->F->is_kernel)
    f->F->fn.params[v->ref].pointer = true;
}

/* What a function does that inline assembly cannot; false: anything else. */
static bool of_functions(ptx_fn *f, uint32_t b, ptx_ins *i) {
  if (is_op(i, "bra"))
    branch(f, b, i);
  else if (is_op(i, "brx"))
    branch_by_index(f, i);
  else if (is_op(i, "ret"))
    ptx_return(f);
  else if (is_op(i, "call"))
    ptx_call(f, i);
  else
    return of_stack(f, i) || ptx_pass(f, i);
  return true;
}

/* A call or return under a predicate: a branch around it. Their results are memory's,
 * not registers': nothing merges. */
static void run_predicated(ptx_fn *f, uint32_t b, ptx_ins *i) {
  low_fn *F = f->F;
  uint32_t yes = low_new_block(F, NULL);
  uint32_t join = low_new_block(F, NULL);
  low_cbr(F, ptx_read(i, i->predicate, WW_I1), yes, join);
  F->cur = yes;
  of_functions(f, b, i);
  low_br(F, join);
  F->cur = join;
}

static void run(ptx_fn *f, uint32_t b, ptx_ins *i) {
  note_pointer(f, i);
  if (i->predicate && is_op(i, "ret"))
    run_predicated(f, b, i);
  else if (i->predicate && (is_op(i, "call") || ptx_has(i, "param")))
    ptx_refuse(i);
  else if (!of_functions(f, b, i))
    ptx_run(i);
}

static void fill_block(ptx_fn *f, uint32_t b) {
  ptx_block *t = &f->blocks.v[b];
  low_fn *F = f->F;
  F->cur = t->begin;
  f->s.block = b;
  f->s.carry = WW_NOVAL;
  for (uint32_t k = t->first; k < t->first + t->n && !F->fn.refusal; k++) {
    F->loc = f->stmts.v[k].loc;
    run(f, b, &f->stmts.v[k].i);
  }
  if (!low_cur(F)->ended)
    low_br(F, block_behind(f, b));
  t->end = F->cur;
}

/* ---- phis ---- */

static void complete_phis(ptx_fn *f) {
  for (uint32_t k = 0; k < f->phis.n; k++) { /* grows */
    uint32_t block = f->phis.v[k].block;
    uint32_t reg = f->phis.v[k].reg;
    const ptx_numbers *pred = &f->blocks.v[block].pred;
    ptx_numbers from = {0};
    for (uint32_t e = 0; e < pred->n; e++)
      ww_push(f->F->a, &from, value_in(f, pred->v[e], reg));
    if (block == 0) /* the way in */
      ww_push(f->F->a, &from, low_const(f->F, f->s.regs.v[reg].natural, 0));
    f->phis.v[k].from = from;
  }
}

static ww_val resolved(uint32_t *same, ww_val v) {
  while (v != WW_NOVAL && same[v] != v)
    v = same[v] = same[same[v]];
  return v;
}

/* A phi of one value is that value. Rounds settle what depends on what; a phi that is
 * left over is still right. */
static uint32_t *find_trivial(ptx_fn *f) {
  enum { ROUNDS = 64 };
  uint32_t *same = WW_NEWN(f->F->a, uint32_t, f->F->vals.n);
  for (ww_val v = 0; v < f->F->vals.n; v++)
    same[v] = v;
  bool changed = true;
  for (int round = 0; changed && round < ROUNDS; round++) {
    changed = false;
    for (uint32_t k = 0; k < f->phis.n; k++) {
      ptx_phi *p = &f->phis.v[k];
      ww_val one = WW_NOVAL;
      bool several = same[p->v] != p->v;
      for (uint32_t e = 0; e < p->from.n && !several; e++) {
        ww_val v = resolved(same, p->from.v[e]);
        if (v == p->v)
          continue;
        several = one != WW_NOVAL && v != one;
        one = v;
      }
      if (several || one == WW_NOVAL)
        continue;
      same[p->v] = one;
      changed = true;
    }
  }
  return same;
}

static void rewrite_operands(low_fn *F, ww_ins *i, uint32_t *same) {
  ww_operands o = ww_ins_operands(i);
  ww_val *fixed[3] = {&i->a, &i->b, &i->c};
  for (uint32_t k = 0; k < o.fixed; k++)
    *fixed[k] = resolved(same, *fixed[k]);
  for (uint32_t k = 0; k < o.n; k++) {
    uint32_t *v = &F->pool.v[o.ext + k * o.stride];
    *v = resolved(same, *v);
  }
}

/* Also the phis of branches around an instruction. */
void ptx_replace(low_fn *F, uint32_t *same) {
  for (uint32_t b = 0; b < F->blocks.n; b++) {
    low_block *t = &F->blocks.v[b];
    for (uint32_t k = 0; k < t->ins.n; k++)
      rewrite_operands(F, &t->ins.v[k], same);
    for (uint32_t p = 0; p < t->phis.n; p++)
      for (uint32_t e = 0; e < t->phis.v[p].n; e++) {
        uint32_t *v = &F->pool.v[t->phis.v[p].ext + 2 * e + 1];
        *v = resolved(same, *v);
      }
  }
}

static void place_phis(ptx_fn *f, uint32_t entry, uint32_t *same) {
  low_fn *F = f->F;
  for (uint32_t k = 0; k < f->phis.n; k++) {
    const ptx_phi *p = &f->phis.v[k];
    const ptx_block *b = &f->blocks.v[p->block];
    if (same[p->v] != p->v)
      continue;
    ww_phi out = {p->v, F->pool.n, p->from.n};
    for (uint32_t e = 0; e < p->from.n; e++) {
      uint32_t from = e < b->pred.n ? f->blocks.v[b->pred.v[e]].end : entry;
      ww_push(F->a, &F->pool, from);
      ww_push(F->a, &F->pool, resolved(same, p->from.v[e]));
    }
    ww_push(F->a, &F->blocks.v[b->begin].phis, out);
  }
}

/* ---- the function ---- */

/* Block 0 of the IR is entered from nowhere else. */
static uint32_t make_blocks(ptx_fn *f) {
  uint32_t entry = WW_NOBLOCK;
  if (f->blocks.v[0].pred.n)
    entry = low_new_block(f->F, "entry");
  for (uint32_t k = 0; k < f->order.n; k++)
    f->blocks.v[f->order.v[k]].begin = low_new_block(f->F, NULL);
  if (entry != WW_NOBLOCK) {
    f->F->cur = entry;
    low_br(f->F, f->blocks.v[0].begin);
  }
  return entry;
}

static void emit(ptx_fn *f) {
  uint32_t entry = make_blocks(f);
  for (uint32_t k = 0; k < f->order.n && !f->F->fn.refusal; k++)
    fill_block(f, f->order.v[k]);
  if (f->F->fn.refusal)
    return;
  complete_phis(f);
  uint32_t *same = find_trivial(f);
  ptx_replace(f->F, same);
  place_phis(f, entry, same);
  ptx_fold(f->F);
  low_finish(f->F);
}

void ptx_lower_fn(ptx_module *p, ptx_function *def) {
  ptx_fn *f = WW_NEW(p->a, ptx_fn);
  low_fn *F = p->m.list.v[def->made - 1];
  *f = (ptx_fn){.p = p, .def = def, .F = F, .stack = WW_NOVAL};
  f->s = (ptx_state){.F = F,
                     .carry = WW_NOVAL,
                     .where = "PTX",
                     .incoming = incoming,
                     .written = written,
                     .variable = variable};
  ptx_read_body(f);
  ptx_study_registers(f);
  f->var_address = WW_NEWN(p->a, ww_val, f->vars.n + 1);
  for (uint32_t k = 0; k < f->vars.n; k++)
    f->var_address[k] = WW_NOVAL;
  ptx_add_params(f);
  if (!F->fn.refusal)
    emit(f);
  ptx_describe(f);
}
