/* check.c - the invariants of the IR. Everything behind the front end relies on them
 * without checking again.
 *
 * Structure first (indices, pool ranges, terminators), because the later parts walk it;
 * then types; then flow: what ww_ir_flow filled in must be what it would fill in now,
 * and definitions must dominate their uses. Functions with a refusal may be half made:
 * only their head is looked at. */
#include "ir_int.h"
#include "mma.h"

#include <stdlib.h>

#define UNDEFINED INT64_MAX

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_err *e;
  ww_status st;
  uint32_t block;    /* WW_NOBLOCK: the head */
  int64_t at;        /* instruction of the block, -1 - k for phi k */
  const ww_ins *ins; /* or NULL */
  ww_arena *a;
  int64_t *defined; /* per value: as `at`, in its block; UNDEFINED: nowhere */
  /* for the definitions of what is used: */
  ww_fn now; /* with its control flow found again */
  /* preorder and postorder numbers of the dominator tree: a dominates b when b's
   * interval lies in a's */
  uint32_t *in, *out;
  uint32_t *npreds, *seen; /* per block; the last phi that had it, + 1 */
} checker;

static void bad(checker *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void bad(checker *c, const char *fmt, ...) {
  if (c->st)
    return;
  char msg[256];
  char where[128] = "";
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(msg, sizeof msg, fmt, ap);
  va_end(ap);
  if (c->block != WW_NOBLOCK) {
    const char *name = c->fn->blocks[c->block].name;
    if (c->at < 0)
      snprintf(where, sizeof where, ", block %u (%s), phi %d", c->block,
               name ? name : "", (int)(-1 - c->at));
    else
      snprintf(where, sizeof where, ", block %u (%s), instruction %d (%s)", c->block,
               name ? name : "", (int)c->at,
               c->ins && c->ins->op < WW_NOPS ? ww_ops[c->ins->op].name : "?");
  }
  const char *fn = c->fn ? ww_fn_symbol(c->fn) : NULL;
  c->st =
      ww_fail(c->e, WW_EDATA, "bad IR in %s%s: %s", fn ? fn : "the module", where, msg);
}

/* All phis, where somebody looks at them, and all instructions of the function. */
static void
walk(checker *c, void (*on_phi)(checker *, const ww_phi *), void (*on_ins)(checker *)) {
  for (c->block = 0; c->block < c->fn->nblocks && !c->st; c->block++) {
    const ww_block *b = &c->fn->blocks[c->block];
    c->ins = NULL;
    for (uint32_t k = 0; on_phi && k < b->nphis && !c->st; k++) {
      c->at = -1 - (int64_t)k;
      on_phi(c, &b->phis[k]);
    }
    c->at = 0;
    if (!b->nins)
      bad(c, "the block is empty");
    for (uint32_t k = 0; k < b->nins && !c->st; k++) {
      c->at = k;
      c->ins = &b->ins[k];
      on_ins(c);
    }
  }
}

/* ---- types ---- */

static ww_type val_type(const checker *c, ww_val v) {
  return c->fn->vals[v].type;
}
static bool is_int(ww_type t) {
  return t >= WW_I1 && t <= WW_I64;
}

static bool type_allowed(char kind, ww_type t) {
  switch (kind) {
  case 'I':
    return is_int(t);
  case 'F':
    return ww_is_float(t);
  case 'W':
    return t == WW_I32 || t == WW_I64;
  case 'A':
    return t != WW_VOID;
  default:
    return true;
  }
}

static bool operand_fits(char want, ww_type t, const ww_ins *i) {
  switch (want) {
  case 'T':
    return t == i->type;
  case 'S':
    return t == i->type2;
  case 'b':
    return t == WW_I1;
  case 'w':
    return t == WW_I32;
  case 'l':
    return t == WW_I64;
  case 'i':
    return is_int(t);
  case 'm':
    return t == WW_I32 || t == WW_I64;
  case '=':
    return ww_type_bits(t) == ww_type_bits(i->type);
  default:
    return t != WW_VOID;
  }
}

static void check_operand(checker *c, char want, ww_val v, uint32_t k) {
  ww_type t = val_type(c, v);
  if (!operand_fits(want, t, c->ins))
    bad(c, "operand %u has type %s", k, ww_type_names[t]);
}

static void check_results(checker *c, char want) {
  const ww_ins *i = c->ins;
  bool none = i->dst == WW_NOVAL;
  if (none != !i->nres)
    bad(c, "dst and nres disagree");
  if (want == '*')
    return; /* counted by code */
  if (want == '-' ? !none : want == '?' ? i->nres > 1 : i->nres != 1)
    bad(c, "has %u results", i->nres);
  if (none || c->st)
    return;
  ww_type t = val_type(c, i->dst);
  ww_type is = want == 'b' ? WW_I1 : want == 'l' ? WW_I64 : i->type;
  if (i->op == WW_OP_PRINTF)
    is = WW_I32;
  if (t != is)
    bad(c, "result has type %s, not %s", ww_type_names[t], ww_type_names[is]);
}

static void same_type_results(checker *c, uint32_t n) {
  const ww_ins *i = c->ins;
  if (i->nres != n)
    bad(c, "has %u results, not %u", i->nres, n);
  for (uint32_t k = 0; k < n && !c->st; k++)
    if (val_type(c, i->dst + k) != ww_ins_result_type(i, k))
      bad(c, "result %u has type %s", k, ww_type_names[val_type(c, i->dst + k)]);
}

static void check_conversion(checker *c) {
  const ww_ins *i = c->ins;
  ww_type from = i->type2;
  ww_type to = i->type;
  uint32_t bits = ww_type_bits(from);
  bool ok = i->op >= WW_OP_FTOSI ? ww_is_float(from) : is_int(from);
  if (i->op == WW_OP_TRUNC)
    ok &= bits > ww_type_bits(to);
  if (i->op == WW_OP_ZEXT || i->op == WW_OP_SEXT)
    ok &= bits < ww_type_bits(to);
  if (!ok)
    bad(c, "converts %s to %s", ww_type_names[from], ww_type_names[to]);
}

static void check_math(checker *c) {
  const ww_ins *i = c->ins;
  const ww_val v[3] = {i->a, i->b, i->c};
  bool int_result = i->sub == WW_MATH_ILOGB || i->sub == WW_MATH_FREXP_EXP;
  if (int_result ? i->type != WW_I32 : !ww_is_float(i->type))
    bad(c, "math.%s gives no %s", ww_math_names[i->sub], ww_type_names[i->type]);
  for (uint32_t k = 0; k < ww_math_args[i->sub] && !c->st; k++) {
    bool int_arg = (k == 1 && (i->sub == WW_MATH_POWI || i->sub == WW_MATH_LDEXP)) ||
                   (k == 0 && (i->sub == WW_MATH_JN || i->sub == WW_MATH_YN));
    ww_type t = val_type(c, v[k]);
    if (int_arg ? t != WW_I32 : int_result ? !ww_is_float(t) : t != i->type)
      bad(c, "operand %u has type %s", k, ww_type_names[t]);
  }
}

static void check_vector(checker *c) {
  const ww_ins *i = c->ins;
  if (!i->n || i->n * ww_type_bytes[i->type] > 16)
    bad(c, "%u elements of %s: 1 to 16 bytes are allowed", i->n,
        ww_type_names[i->type]);
  if (i->op == WW_OP_LD)
    same_type_results(c, i->n);
  if (i->op == WW_OP_LD || c->st)
    return;
  check_operand(c, 'l', i->a, 0);
  for (uint32_t k = 0; k < i->n; k++)
    check_operand(c, 'T', c->fn->pool[i->ext + k], k + 1);
}

static void check_bar(checker *c) {
  const ww_ins *i = c->ins;
  bool reduces = ww_bar_reduces(i);
  if (reduces && (i->a == WW_NOVAL || val_type(c, i->a) != WW_I1))
    bad(c, "needs an i1 to reduce");
  if (!reduces && i->a != WW_NOVAL && val_type(c, i->a) != WW_I32)
    bad(c, "has an id that is no i32");
  if (i->b != WW_NOVAL && (i->a == WW_NOVAL || val_type(c, i->b) != WW_I32))
    bad(c, "has a number of threads that is no i32");
  if (i->sub == WW_BAR_ARRIVE && i->b == WW_NOVAL)
    bad(c, "does not say how many threads it is for");
  same_type_results(c, reduces);
  if (reduces && i->type != (i->sub == WW_BAR_POPC ? WW_I32 : WW_I1))
    bad(c, "gives no %s", ww_type_names[i->type]);
}

static void check_switch(checker *c) {
  const ww_ins *i = c->ins;
  ww_type t = val_type(c, i->a);
  if (!is_int(t))
    bad(c, "on a %s", ww_type_names[t]);
  for (uint32_t k = 0; k < i->n && !c->st; k++) {
    const ww_value *v = &c->fn->vals[c->fn->pool[i->ext + 2 * k]];
    if (v->kind != WW_VAL_CONST || v->type != t)
      bad(c, "case %u is no %s constant", k, ww_type_names[t]);
  }
}

/* ---- asynchronous work ---- */

/* The first operands of a list have these types, a letter each: see ops.def. */
static void check_list(checker *c, const char *want) {
  for (uint32_t k = 0; k < c->ins->n && want[k] && !c->st; k++)
    check_operand(c, want[k], c->fn->pool[c->ins->ext + k], k);
}

static void check_bulk(checker *c) {
  const ww_ins *i = c->ins;
  bool tma = i->op == WW_OP_TMA;
  if (i->imm < 0 || i->imm > WW_NRMWS)
    bad(c, "reduction %lld is unknown", (long long)i->imm);
  if (tma ? i->n < 5 || i->n > 9 : i->n != 5)
    bad(c, "has %u operands", i->n);
  if (!c->st)
    check_list(c, tma ? "lllwwwwww" : "llwlw");
}

static void check_mbar(checker *c) {
  const ww_ins *i = c->ins;
  if (i->type != WW_I64)
    bad(c, "cannot have type %s", ww_type_names[i->type]);
  if (i->nres && i->sub != WW_MBAR_ARRIVE && i->sub != WW_MBAR_DROP)
    bad(c, "has %u results", i->nres);
}

static void check_wgmma(checker *c) {
  const ww_ins *i = c->ins;
  uint32_t nc = ww_wgmma_elements(i->sub);
  uint32_t a = i->n - nc - 3; /* words, or the descriptor, of A */
  if (i->sub < 1 || i->sub > 32 || i->n < nc + 4 || (a != 1 && a != 4))
    bad(c, "%u operands do not fit n = %u", i->n, 8 * i->sub);
  if (!ww_wgmma_depth(i->type2))
    bad(c, "cannot multiply %s", ww_type_names[i->type2]);
  if (c->st)
    return;
  check_list(c, a == 1 ? "wbll" : "wbwwwwl");
  for (uint32_t k = 0; k < nc && !c->st; k++)
    check_operand(c, 'T', c->fn->pool[i->ext + i->n - nc + k], i->n - nc + k);
  same_type_results(c, nc);
}

/* ---- calls and returns ---- */

/* The first return of a function: all others must be alike. NULL: it never returns. */
static const ww_ins *first_return(const ww_fn *f) {
  for (uint32_t b = 0; b < f->nblocks; b++)
    if (f->blocks[b].nins && ww_terminator(&f->blocks[b])->op == WW_OP_RET)
      return ww_terminator(&f->blocks[b]);
  return NULL;
}

static void check_return(checker *c) {
  const ww_ins *i = c->ins;
  const ww_ins *first = first_return(c->fn);
  const uint32_t *pool = c->fn->pool;
  if (i->n != first->n)
    bad(c, "returns %u values, another ret %u", i->n, first->n);
  if ((i->n == 1) != (c->fn->ret != WW_VOID))
    bad(c, "returns %u values from a function of type %s", i->n,
        ww_type_names[c->fn->ret]);
  for (uint32_t k = 0; k < i->n && !c->st; k++) {
    ww_type want = i->n == 1 ? c->fn->ret : val_type(c, pool[first->ext + k]);
    ww_type t = val_type(c, pool[i->ext + k]);
    if (t != want)
      bad(c, "value %u has type %s, not %s", k, ww_type_names[t], ww_type_names[want]);
  }
}

static void check_call(checker *c) {
  const ww_ins *i = c->ins;
  const ww_fn *f = &c->m->fns[i->imm];
  const ww_ins *ret;
  if (i->n != f->nparams)
    bad(c, "passes %u arguments to %s, which takes %u", i->n, ww_fn_symbol(f),
        f->nparams);
  for (uint32_t k = 0; k < i->n && !c->st; k++) {
    ww_type t = val_type(c, c->fn->pool[i->ext + k]);
    if (t != f->params[k].type)
      bad(c, "argument %u has type %s, not %s", k, ww_type_names[t],
          ww_type_names[f->params[k].type]);
  }
  if (f->refusal || !(ret = first_return(f)))
    return;
  if (i->nres && i->nres != ret->n)
    bad(c, "takes %u results of %s, which gives %u", i->nres, ww_fn_symbol(f), ret->n);
  if (i->nres == 1 && !c->st && val_type(c, i->dst) != f->ret)
    bad(c, "result has type %s, not %s", ww_type_names[val_type(c, i->dst)],
        ww_type_names[f->ret]);
}

static void check_types(checker *c) {
  const ww_ins *i = c->ins;
  const char *types = ww_ops[i->op].types;
  const ww_val v[3] = {i->a, i->b, i->c};
  if (!type_allowed(types[0], i->type))
    bad(c, "cannot have type %s", ww_type_names[i->type]);
  check_results(c, types[1]);
  for (uint32_t k = 0; types[2 + k] && !c->st; k++)
    check_operand(c, types[2 + k], v[k], k);
  if (c->st)
    return;
  if (ww_ops[i->op].cls == WW_CLASS_CVT)
    check_conversion(c);
  switch (i->op) {
  case WW_OP_ICMP:
    if (i->sub > WW_UGE)
      bad(c, "has a floating-point predicate");
    break;
  case WW_OP_FCMP:
    if (i->sub < WW_FOEQ)
      bad(c, "has an integer predicate");
    break;
  case WW_OP_MATH:
    check_math(c);
    break;
  case WW_OP_LD:
  case WW_OP_ST:
    check_vector(c);
    break;
  case WW_OP_SHFL:
  case WW_OP_MATCH:
    same_type_results(c, i->nres > 1 ? 2 : 1);
    break;
  case WW_OP_BAR:
    check_bar(c);
    break;
  case WW_OP_SWITCH:
    check_switch(c);
    break;
  case WW_OP_BULK:
  case WW_OP_TMA:
    check_bulk(c);
    break;
  case WW_OP_MBAR:
    check_mbar(c);
    break;
  case WW_OP_WGMMA:
    check_wgmma(c);
    break;
  case WW_OP_CALL:
    check_call(c);
    break;
  case WW_OP_CALLI:
  case WW_OP_PRINTF:
    check_operand(c, 'l', i->a, 0);
    break;
  case WW_OP_RET:
    check_return(c);
    break;
  default:
    break;
  }
}

/* ---- structure ---- */

static bool pool_range(const checker *c, uint64_t at, uint64_t n) {
  return at + n <= c->fn->npool;
}

static void check_sub(checker *c) {
  ww_sub_names s = ww_op_sub(c->ins->op);
  if (s.names && c->ins->sub >= s.n)
    bad(c, "sub %u is unknown", c->ins->sub);
}

static void check_blocks_named(checker *c) {
  const ww_ins *i = c->ins;
  uint32_t n = c->fn->nblocks;
  bool branch = i->op == WW_OP_BR || i->op == WW_OP_CBR || i->op == WW_OP_SWITCH;
  if (branch && (i->imm < 0 || i->imm >= n))
    bad(c, "no block %lld", (long long)i->imm);
  if (i->op == WW_OP_CBR && i->ext >= n)
    bad(c, "no block %u", i->ext);
  for (uint32_t k = 0; i->op == WW_OP_SWITCH && k < i->n && !c->st; k++)
    if (c->fn->pool[i->ext + 2 * k + 1] >= n)
      bad(c, "no block %u", c->fn->pool[i->ext + 2 * k + 1]);
  if (i->op == WW_OP_CALL && (i->imm < 0 || i->imm >= c->m->nfns))
    bad(c, "no function %lld", (long long)i->imm);
}

static void define(checker *c, ww_val v) {
  if (v >= c->fn->nvals) {
    bad(c, "defines value %u of %u", v, c->fn->nvals);
    return;
  }
  const ww_value *val = &c->fn->vals[v];
  if (val->kind != WW_VAL_RESULT)
    bad(c, "defines value %u, which is no result", v);
  else if (val->ref != c->block)
    bad(c, "value %u says it is defined in block %u", v, val->ref);
  if (c->defined[v] != UNDEFINED)
    bad(c, "defines value %u again", v);
  c->defined[v] = c->at;
}

static void check_ins_structure(checker *c) {
  const ww_ins *i = c->ins;
  bool last = i == ww_terminator(&c->fn->blocks[c->block]);
  if (i->op >= WW_NOPS || i->type >= WW_NTYPES || i->type2 >= WW_NTYPES ||
      i->space >= WW_NSPACES) {
    bad(c, "op, type or space out of range");
    return;
  }
  check_sub(c);
  if (ww_ends_block(i->op) != last)
    bad(c, last ? "does not end the block" : "ends the block too early");
  if (i->loc && i->loc >= c->m->nlocs)
    bad(c, "location %u of %u", i->loc, c->m->nlocs);
  if (c->st)
    return;
  ww_operands o = ww_ins_operands(i);
  if (o.n && !pool_range(c, o.ext, (uint64_t)o.n * o.stride)) {
    bad(c, "operands outside the pool");
    return;
  }
  const ww_val v[3] = {i->a, i->b, i->c};
  for (uint32_t k = 0; k < o.fixed + o.n; k++) {
    ww_val u = k < o.fixed ? v[k] : c->fn->pool[o.ext + (k - o.fixed) * o.stride];
    if (u >= c->fn->nvals)
      bad(c, "operand %u is value %u of %u", k, u, c->fn->nvals);
  }
  check_blocks_named(c);
  for (uint32_t k = 0; i->dst != WW_NOVAL && k < i->nres; k++)
    define(c, i->dst + k);
}

static void check_phi_structure(checker *c, const ww_phi *phi) {
  const ww_fn *f = c->fn;
  if (!pool_range(c, phi->ext, 2ull * phi->n))
    bad(c, "pairs outside the pool");
  define(c, phi->dst);
  for (uint32_t k = 0; k < phi->n && !c->st; k++) {
    uint32_t from = ww_phi_from(f, phi, k);
    uint32_t v = ww_phi_value(f, phi, k);
    if (from >= f->nblocks || v >= f->nvals)
      bad(c, "pair %u out of range", k);
    else if (f->vals[v].type != f->vals[phi->dst].type)
      bad(c, "pair %u has type %s", k, ww_type_names[f->vals[v].type]);
  }
}

/* ---- flow ---- */

/* Compares what ww_ir_flow stored with what it finds now. Returns the fresh copy. */
static ww_fn check_flow(checker *c) {
  ww_fn now = *c->fn;
  now.blocks = WW_NEWN(c->a, ww_block, now.nblocks);
  memcpy(now.blocks, c->fn->blocks, now.nblocks * sizeof *now.blocks);
  ww_ir_flow(&now, c->a);
  for (uint32_t b = 0; b < now.nblocks && !c->st; b++) {
    const ww_block *is = &c->fn->blocks[b];
    const ww_block *want = &now.blocks[b];
    c->block = b;
    c->at = is->nins - 1;
    c->ins = ww_terminator(is);
    if (want->idom == WW_NOBLOCK)
      bad(c, "the block cannot be reached");
    bool same = is->nsucc == want->nsucc && is->idom == want->idom &&
                is->ipdom == want->ipdom && is->loop == want->loop;
    if (!same ||
        (is->nsucc && memcmp(is->succ, want->succ, is->nsucc * sizeof *is->succ)))
      bad(c, "control flow is stale: run ww_ir_flow");
  }
  if (now.nloops != c->fn->nloops)
    bad(c, "loops are stale: run ww_ir_flow");
  return now;
}

static void number_tree(checker *c) {
  uint32_t n = c->now.nblocks;
  uint32_t depth = 0;
  uint32_t clock = 0;
  uint32_t *child = WW_NEWN(c->a, uint32_t, n);
  uint32_t *next = WW_NEWN(c->a, uint32_t, n);
  uint32_t *stack = WW_NEWN(c->a, uint32_t, n);
  for (uint32_t b = 1; b < n; b++) { /* child: first child + 1, next: sibling + 1 */
    next[b] = child[c->now.blocks[b].idom];
    child[c->now.blocks[b].idom] = b + 1;
  }
  stack[depth++] = 0;
  c->in[0] = clock++;
  while (depth) {
    uint32_t b = stack[depth - 1];
    uint32_t k = child[b];
    if (!k) {
      c->out[b] = clock++;
      depth--;
      continue;
    }
    child[b] = next[k - 1];
    c->in[k - 1] = clock++;
    stack[depth++] = k - 1;
  }
}

/* Is v known at instruction `at` of block b? */
static bool available(const checker *c, ww_val v, uint32_t b, int64_t at) {
  if (c->fn->vals[v].kind != WW_VAL_RESULT)
    return true;
  uint32_t d = c->fn->vals[v].ref;
  if (c->defined[v] == UNDEFINED || d == b)
    return c->defined[v] < at;
  return c->in[d] <= c->in[b] && c->out[b] <= c->out[d];
}

static bool has_succ(const ww_block *b, uint32_t to) {
  for (uint32_t k = 0; k < b->nsucc; k++)
    if (b->succ[k] == to)
      return true;
  return false;
}

static void check_phi_edges(checker *c, const ww_phi *phi) {
  const ww_fn *f = &c->now;
  if (phi->n != c->npreds[c->block])
    bad(c, "has %u pairs for %u predecessors", phi->n, c->npreds[c->block]);
  for (uint32_t k = 0; k < phi->n && !c->st; k++) {
    uint32_t from = ww_phi_from(f, phi, k);
    uint32_t v = ww_phi_value(f, phi, k);
    if (!has_succ(&f->blocks[from], c->block))
      bad(c, "block %u is no predecessor", from);
    if (c->seen[from] == phi->dst + 1)
      bad(c, "block %u is there twice", from);
    c->seen[from] = phi->dst + 1;
    if (!available(c, v, from, INT64_MAX))
      bad(c, "value %u does not dominate the end of block %u", v, from);
  }
}

static void check_ins_uses(checker *c) {
  ww_val v[3 + 255];
  uint32_t n = ww_ins_uses(c->fn, c->ins, v, 3 + 255);
  for (uint32_t u = 0; u < n; u++)
    if (!available(c, v[u], c->block, c->at))
      bad(c, "uses value %u, whose definition does not dominate it", v[u]);
}

static void check_uses(checker *c) {
  uint32_t **const tables[] = {&c->in, &c->out, &c->npreds, &c->seen};
  for (int k = 0; k < 4; k++)
    *tables[k] = WW_NEWN(c->a, uint32_t, c->now.nblocks);
  number_tree(c);
  for (const ww_block *b = c->now.blocks; b && b < c->now.blocks + c->now.nblocks; b++)
    for (uint32_t k = 0; k < b->nsucc; k++)
      c->npreds[b->succ[k]]++;
  walk(c, check_phi_edges, check_ins_uses);
}

/* ---- functions and modules ---- */

static void check_value(checker *c, uint32_t k) {
  const ww_value *v = &c->fn->vals[k];
  if (v->type == WW_VOID || v->type >= WW_NTYPES || v->kind > WW_VAL_RESULT) {
    bad(c, "value %u has no type", k);
    return;
  }
  uint32_t w = ww_type_bits(v->type);
  bool param = v->kind == WW_VAL_PARAM;
  if (param != (k < c->fn->nparams) ||
      (param && (v->ref != k || v->type != c->fn->params[k].type)))
    bad(c, "value %u does not match the parameters", k);
  if (v->kind == WW_VAL_CONST && w < 64 && v->bits >> w)
    bad(c, "constant %u has bits outside its type", k);
  if (v->kind == WW_VAL_SYMBOL && (v->ref >= c->m->nsymbols || v->type != WW_I64))
    bad(c, "value %u is no symbol's address", k);
  if (v->kind == WW_VAL_FN && (v->ref >= c->m->nfns || v->type != WW_I64))
    bad(c, "value %u is no function's address", k);
}

static void check_fn(checker *c, const ww_fn *fn) {
  c->fn = fn;
  c->block = WW_NOBLOCK;
  c->ins = NULL;
  if (!ww_fn_symbol(fn))
    bad(c, "it has no name");
  if (fn->ret >= WW_NTYPES)
    bad(c, "bad result type");
  for (uint32_t k = 0; k < fn->nparams; k++)
    if (!type_allowed('A', fn->params[k].type) || fn->params[k].type >= WW_NTYPES)
      bad(c, "parameter %u has no type", k);
  if (fn->refusal || c->st)
    return;
  if (!fn->nblocks)
    bad(c, "it has neither a body nor a refusal");
  if (fn->nvals < fn->nparams)
    bad(c, "parameters are not the first values");
  for (uint32_t k = 0; k < fn->nvals && !c->st; k++)
    check_value(c, k);
  if (c->st)
    return;
  c->a = ww_arena_new();
  c->defined = WW_NEWN(c->a, int64_t, fn->nvals);
  for (uint32_t k = 0; k < fn->nvals; k++)
    c->defined[k] = UNDEFINED;
  walk(c, check_phi_structure, check_ins_structure);
  if (!c->st)
    walk(c, NULL, check_types);
  if (!c->st) {
    c->now = check_flow(c);
    if (!c->st)
      check_uses(c);
  }
  ww_arena_free(c->a);
}

static void check_symbol(checker *c, const ww_symbol *s) {
  const char *name = ww_sym_symbol(s) ? ww_sym_symbol(s) : "?";
  bool space = s->space == WW_GLOBAL || s->space == WW_SHARED || s->space == WW_CONST;
  if (!space)
    bad(c, "symbol %s: space %u", name, s->space);
  if (!s->align || s->align & (s->align - 1))
    bad(c, "symbol %s: alignment %u is no power of two", name, s->align);
  if (s->dynamic && s->space != WW_SHARED)
    bad(c, "symbol %s: only shared memory is dynamic", name);
  if (s->init && s->space == WW_SHARED)
    bad(c, "symbol %s: shared memory has no initial contents", name);
  for (uint32_t k = 0; k < s->nrelocs; k++) {
    const struct ww_reloc *r = &s->relocs[k];
    if (s->size < 8 || r->at > s->size - 8)
      bad(c, "symbol %s: relocation %u outside of it", name, k);
    if (r->ref >= (r->fn ? c->m->nfns : c->m->nsymbols))
      bad(c, "symbol %s: relocation %u to nothing", name, k);
  }
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void check_names(checker *c) {
  uint32_t n = 0;
  uint32_t total = c->m->nfns + c->m->nsymbols;
  const char **names = ww_xmalloc((total + 1) * sizeof *names);
  for (uint32_t k = 0; k < total; k++) {
    names[n] = k < c->m->nfns ? ww_fn_symbol(&c->m->fns[k])
                              : ww_sym_symbol(&c->m->symbols[k - c->m->nfns]);
    n += names[n] != NULL;
  }
  qsort(names, n, sizeof *names, by_text);
  for (uint32_t k = 1; k < n; k++)
    if (!strcmp(names[k - 1], names[k]))
      bad(c, "two functions or symbols are called %s", names[k]);
  free(names);
}

ww_status ww_ir_check(const ww_module *m, ww_err *e) {
  checker c = {.m = m, .e = e, .block = WW_NOBLOCK};
  if (m->warp != 32 && m->warp != 64)
    bad(&c, "a warp of %u lanes", m->warp);
  for (uint32_t k = 1; k < m->nlocs; k++)
    if (m->locs[k].caller >= k)
      bad(&c, "location %u: caller %u", k, m->locs[k].caller);
  for (uint32_t k = 1; k < m->nlocs; k++)
    if (m->nfiles && m->locs[k].file >= m->nfiles)
      bad(&c, "location %u: file %u of %u", k, m->locs[k].file, m->nfiles);
  check_names(&c);
  for (uint32_t k = 0; k < m->nsymbols; k++)
    check_symbol(&c, &m->symbols[k]);
  for (uint32_t k = 0; k < m->nfns && !c.st; k++)
    check_fn(&c, &m->fns[k]);
  return c.st;
}
