/* lower_address.c - addresses that differ by a constant share one register.
 *
 * Every address is a sum of products of values, times constants, plus a constant. Two
 * that differ in the constant alone are one base with two immediate offsets; two that
 * differ in one more term are one multiply-add apart. Compilers see this through
 * widening and reassociation, so widening is looked through here, and what only fed a
 * shared address is no longer computed. */
#include "lower_int.h"

enum { TERMS = 8, LOOK_BACK = 96 };

typedef struct {
  ww_val v, w;   /* v times w; w WW_NOVAL: v alone */
  uint64_t coef; /* numbers wrap, as addresses do */
} term;

typedef struct {
  uint32_t n;
  uint64_t constant;
  bool open; /* too many terms: equal to nothing */
  term t[TERMS];
} form;

static void add_term(form *f, ww_val v, ww_val w, uint64_t coef) {
  if (w != WW_NOVAL && w < v) {
    ww_val s = v;
    v = w;
    w = s;
  }
  for (uint32_t k = 0; k < f->n; k++)
    if (f->t[k].v == v && f->t[k].w == w) {
      f->t[k].coef += coef;
      if (!f->t[k].coef)
        f->t[k] = f->t[--f->n];
      return;
    }
  if (f->n == TERMS)
    f->open = true;
  else
    f->t[f->n++] = (term){v, w, coef};
}

static void add_form(form *f, const form *g, uint64_t by) {
  f->open |= g->open;
  f->constant += g->constant * by;
  for (uint32_t k = 0; k < g->n; k++)
    add_term(f, g->t[k].v, g->t[k].w, g->t[k].coef * by);
}

static bool plain(const form *f) {
  return f->n == 1 && !f->constant && f->t[0].coef == 1 && f->t[0].w == WW_NOVAL;
}

static bool linear(const form *f) {
  for (uint32_t k = 0; k < f->n; k++)
    if (f->t[k].w != WW_NOVAL)
      return false;
  return !f->open;
}

/* `narrow`: of an address of 32 bits, in which sums may wrap. */
typedef struct {
  const ww_lowering *x;
  bool narrow;
} reader;

static void form_of(const reader *r, ww_val v, uint32_t depth, form *out);

static bool product(const reader *r, const ww_ins *i, uint32_t depth, form *out) {
  form a;
  form b;
  form_of(r, i->a, depth, &a);
  form_of(r, i->b, depth, &b);
  if (!a.n || !b.n) {
    add_form(out, a.n ? &a : &b, a.n ? b.constant : a.constant);
    return true;
  }
  const form *sum = plain(&b) ? &a : &b;
  const form *one = plain(&b) ? &b : &a;
  if (!plain(one) || !linear(sum))
    return false;
  for (uint32_t k = 0; k < sum->n; k++)
    add_term(out, sum->t[k].v, one->t[0].v, sum->t[k].coef);
  if (sum->constant)
    add_term(out, one->t[0].v, WW_NOVAL, sum->constant);
  return true;
}

/* The largest number that a word can be, as ptxas knows it: it knows how many threads a
 * block has. */
static uint64_t bound_of(const ww_lowering *x, ww_val v, uint32_t depth) {
  enum { THREADS = 1024 };
  const ww_value *t = &x->fn->vals[v];
  const ww_ins *d = x->def[v];
  if (t->kind == WW_VAL_CONST)
    return t->bits & UINT32_MAX;
  if (!d || !depth)
    return UINT32_MAX;
  bool fixed = d->b != WW_NOVAL && ww_lower_literal(x, d->b);
  uint64_t by = fixed ? x->fn->vals[d->b].bits & UINT32_MAX : 0;
  uint64_t a = d->a == WW_NOVAL ? 0 : bound_of(x, d->a, depth - 1);
  switch (d->op) {
  case WW_OP_SREG:
    return d->sub <= WW_SREG_NTID_Z ? THREADS : UINT32_MAX;
  case WW_OP_AND:
    return fixed && by < a ? by : a;
  case WW_OP_LSHR:
    return fixed && by < 32 ? a >> by : a;
  case WW_OP_ADD:
    a += bound_of(x, d->b, depth - 1);
    break;
  case WW_OP_SHL:
    a = fixed && by < 32 ? a << by : UINT32_MAX;
    break;
  case WW_OP_MUL:
    a = fixed ? a * by : UINT32_MAX;
    break;
  case WW_OP_OR:
    a = fixed ? a + by : UINT32_MAX;
    break;
  default:
    return UINT32_MAX;
  }
  return a < UINT32_MAX ? a : UINT32_MAX;
}

/* A sum of 32 bits that may wrap is not the sum of what is widened. */
static bool may_wrap(const reader *r, const ww_ins *i) {
  return i->type == WW_I32 && !(i->flags & WW_F_NSW) && !r->narrow &&
         (i->op == WW_OP_SUB || bound_of(r->x, i->dst, 6) >= INT32_MAX);
}

/* Operations that are sums; false: v is a term of its own. */
static bool opened(const reader *r, const ww_ins *i, uint32_t depth, form *out) {
  const ww_lowering *x = r->x;
  form a;
  bool fixed = i->b != WW_NOVAL && ww_lower_literal(x, i->b);
  int64_t c = fixed ? x->fn->vals[i->b].bits : 0;
  switch (i->op) {
  case WW_OP_ADD:
  case WW_OP_SUB:
  case WW_OP_LEA:
    if (may_wrap(r, i))
      return false;
    form_of(r, i->a, depth, out);
    form_of(r, i->b, depth, &a);
    add_form(out, &a,
             i->op == WW_OP_SUB   ? UINT64_MAX
             : i->op == WW_OP_LEA ? (uint64_t)i->imm
                                  : 1);
    return true;
  case WW_OP_OR:
    if (!fixed || c < 0 || c > 63)
      return false;
    form_of(r, i->a, depth, out);
    out->constant += c;
    return true;
  case WW_OP_SHL:
    if (!fixed || c < 0 || c > 31)
      return false;
    form_of(r, i->a, depth, &a);
    add_form(out, &a, 1ull << c);
    return true;
  case WW_OP_MUL:
    return product(r, i, depth, out);
  case WW_OP_SEXT:
  case WW_OP_ZEXT:
  case WW_OP_TRUNC:
    if (ww_type_bytes[i->type] < 4 || ww_type_bytes[i->type2] < 4)
      return false;
    form_of(r, i->a, depth, out);
    return true;
  case WW_OP_MOV:
  case WW_OP_FREEZE:
    form_of(r, i->a, depth, out);
    return true;
  default:
    return false;
  }
}

static void form_of(const reader *r, ww_val v, uint32_t depth, form *out) {
  const ww_lowering *x = r->x;
  *out = (form){0};
  const ww_value *t = &x->fn->vals[v];
  if (t->kind == WW_VAL_CONST) {
    out->constant = t->type == WW_I32 ? (uint64_t)(int32_t)t->bits : t->bits;
    return;
  }
  const ww_ins *d = x->def[v];
  if (d && depth && !ww_is_float(t->type) && t->type != WW_I1 && d->nres <= 1 &&
      opened(r, d, depth - 1, out) && !out->open)
    return;
  *out = (form){0};
  add_term(out, v, WW_NOVAL, 1);
}

/* In how many terms two forms differ; 2 stands for more. `by`: the term, if it is one.
 */
static uint32_t distance(const form *f, const form *g, term *by) {
  form d = *f;
  if (f->open || g->open)
    return 2;
  add_form(&d, g, UINT64_MAX);
  *by = d.t[0];
  return d.open || d.n > 1 ? 2 : d.n;
}

/* ---- one step ---- */

/* The product of 64 bits that an address is computed with; WW_NOVAL: none. */
static ww_val product_in(const ww_lowering *x, ww_val address) {
  enum { SUMS = 4 };
  for (const ww_ins *d; (d = ww_lower_def(x, address)) && d->op == WW_OP_LEA;) {
    ww_val v = d->b;
    for (uint32_t depth = 0; depth < SUMS; depth++) {
      const ww_ins *s = ww_lower_def(x, v);
      if (!s || s->type != WW_I64)
        break;
      if (s->op == WW_OP_MUL && !ww_lower_literal(x, s->b))
        return v;
      if (s->op != WW_OP_ADD && s->op != WW_OP_SUB)
        break;
      const ww_ins *second = s->op == WW_OP_ADD ? ww_lower_def(x, s->b) : NULL;
      v = second && second->op == WW_OP_MUL ? s->b : s->a;
    }
    address = d->a;
  }
  return WW_NOVAL;
}

static bool unrolled(const ww_fn *fn, uint32_t block) {
  uint32_t l = fn->blocks[block].loop;
  uint32_t latch = l == WW_NOBLOCK ? WW_NOBLOCK : fn->loops[l].latch;
  return latch != WW_NOBLOCK && ww_block_end(fn, latch)->n > 1;
}

/* A sum of words, one of them a product of two that vary. */
static bool sums_product(const ww_lowering *x, ww_val v) {
  const ww_ins *s = ww_lower_def(x, v);
  for (uint32_t k = 0; s && s->op == WW_OP_ADD && k < 2; k++) {
    const ww_ins *d = ww_lower_def(x, k ? s->b : s->a);
    if (d && d->op == WW_OP_MUL && !ww_lower_literal(x, d->b))
      return true;
  }
  return false;
}

/* Whether the last addition of an address is the term itself. */
static bool adds_term(const reader *r, const ww_ins *d, const term *by) {
  form f;
  form_of(r, d->b, 12, &f);
  uint64_t scale = d->op == WW_OP_LEA ? (uint64_t)d->imm : 1;
  return f.n == 1 && !f.constant && f.t[0].v == by->v && f.t[0].w == by->w &&
         f.t[0].coef * scale == by->coef;
}

/* Instructions from an address to v, one term further; 0: v is computed for itself.
 * nvcc adds what is added to an index in the source to the address instead: a word by
 * one multiply-add, 64 bits by two shift-adds, and in unrolled loops the stride by two
 * additions, in those that vanish by one. What is subtracted changes the index, and is
 * scaled again; another row, (y + 1) * n, is another product. */
static float step_of(const reader *r, ww_val v, ww_val from, const term *by) {
  const ww_lowering *x = r->x;
  const ww_ins *d = x->def[v];
  if (r->narrow)
    return 1;
  bool word = by->w == WW_NOVAL && ww_type_bytes[x->fn->vals[by->v].type] <= 4;
  bool added = (int64_t)by->coef > 0;
  if (added && adds_term(r, d, by))
    return word ? 1 : 2;
  ww_val row = product_in(x, v);
  if (unrolled(x->fn, x->fn->vals[v].ref))
    return row != WW_NOVAL ? 2 : ww_lower_coefs.one_step;
  if (row != product_in(x, from)) /* one line: a loop that was unrolled in full */
    return !added || !d->loc || d->loc != x->def[from]->loc ? 0 : word ? 1 : 2;
  ww_val index = ww_lower_widened(x, ww_lower_scaled(x, d->b));
  if (index == WW_NOVAL)
    return added ? (word ? 1 : 2) : 4;
  return added && !sums_product(x, index) ? 1 : 2;
}

/* ---- addresses ---- */

typedef struct {
  form f;
  ww_val v;
  uint32_t block;
} place;

typedef struct {
  ww_lowering *x;
  place *seen;
  uint32_t n;
} places;

static bool known_place(const places *p, ww_val v) {
  for (uint32_t k = p->n; k-- > 0 && p->n - k < LOOK_BACK;)
    if (p->seen[k].v == v)
      return true;
  return false;
}

static uint32_t index_uses(const ww_lowering *x, ww_val v) {
  const ww_ins *d = x->def[v];
  bool index = d && d->b != WW_NOVAL && !ww_lower_literal(x, d->b);
  return index ? ww_lower_nuses(x, d->b) : 0;
}

/* Of two that share, the one whose index others need anyway is the base. */
static void prefer(ww_lowering *x, ww_val v, ww_val base) {
  if (x->shares[base] || index_uses(x, v) <= index_uses(x, base) ||
      x->fn->vals[v].ref != x->fn->vals[base].ref)
    return;
  x->shares[v] = WW_ALONE;
  x->shares[base] = WW_SAME;
  x->base[base] = v;
}

/* An address: shares another's register, is one step away from it, or stands alone. */
static void visit(places *p, ww_val v) {
  ww_lowering *x = p->x;
  const ww_ins *d = ww_lower_def(x, v);
  if (!d || (d->op != WW_OP_LEA && d->op != WW_OP_ADD) || known_place(p, v))
    return;
  place *now = &p->seen[p->n];
  *now = (place){.v = v, .block = x->fn->vals[v].ref};
  bool narrow = ww_lower_short(x, v);
  reader r = {x, narrow};
  form_of(&r, v, 12, &now->f);
  for (uint32_t k = p->n; k-- > 0 && p->n - k < LOOK_BACK;) {
    const place *q = &p->seen[k];
    /* Addresses of shared memory are cheap enough to be computed before the ways part.
     */
    bool above = ww_ir_dominates(x->fn, q->block, now->block);
    if (!above && !(narrow && ww_lower_short(x, q->v)))
      continue;
    /* A place before the loop is no base inside it: what moves is not in both. */
    if (x->fn->blocks[q->block].loop != x->fn->blocks[now->block].loop)
      continue;
    term by;
    uint32_t far = distance(&now->f, &q->f, &by);
    if (far == 2 || (far == 1 && (x->shares[v] || !above)))
      continue;
    float step = far ? step_of(&r, v, q->v, &by) : 0;
    if (far && !step)
      continue;
    x->shares[v] = far ? WW_ONE_STEP : WW_SAME;
    x->step[v] = step;
    x->base[v] = x->shares[q->v] == WW_SAME ? x->base[q->v] : q->v;
    if (!far) {
      prefer(x, v, x->base[v]);
      break;
    }
  }
  p->n++;
}

static void drop(ww_lowering *x, ww_val v, uint32_t *need);

static void release(ww_lowering *x, const ww_ins *i, uint32_t *need) {
  ww_val of[16];
  uint32_t n = ww_ins_uses(x->fn, i, of, 16);
  for (uint32_t k = 0; k < n; k++)
    drop(x, of[k], need);
}

/* One user less; with the last one its computation goes. */
static void drop(ww_lowering *x, ww_val v, uint32_t *need) {
  const ww_ins *d = ww_lower_def(x, v);
  if (!d || !need[v] || --need[v] || d->nres > 1)
    return;
  uint8_t cls = ww_ops[d->op].cls;
  if ((cls != WW_CLASS_INT && cls != WW_CLASS_CVT && cls != WW_CLASS_MOV) ||
      ww_is_float(d->type))
    return;
  x->dead[v] = true;
  if (!x->shares[v])
    release(x, d, need);
}

/* ---- rows: p + (long)y * n + u for several u ---- */

/* A product of two widened words. */
static bool word_product(const ww_lowering *x, ww_val v) {
  const ww_ins *d = ww_lower_def(x, v);
  return d && d->op == WW_OP_MUL && d->type == WW_I64 &&
         ww_lower_widened(x, d->a) != WW_NOVAL && ww_lower_widened(x, d->b) != WW_NOVAL;
}

static bool in_row(const ww_lowering *x, ww_val row, ww_val v) {
  const ww_ins *u = ww_lower_def(x, v);
  return u && u->op == WW_OP_LEA && u->a == row && x->shares[v] != WW_ONE_STEP &&
         ww_lower_widened(x, u->b) != WW_NOVAL &&
         x->fn->blocks[x->fn->vals[v].ref].loop ==
             x->fn->blocks[x->fn->vals[row].ref].loop;
}

static bool is_row(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  uint32_t n = i->dst == WW_NOVAL ? 0 : ww_lower_nuses(x, i->dst);
  if (i->op != WW_OP_LEA || x->gone[at] || n < 2 || x->shares[i->dst] ||
      ww_lower_short(x, i->dst) || !word_product(x, i->b) ||
      (ww_lower_loop_of(x, at) != WW_NOBLOCK && x->moves[i->dst] != WW_MOVES))
    return false;
  for (uint32_t k = 0; k < n; k++) {
    const ww_ins *u = ww_lower_user(x, i->dst, k);
    if (!u || !in_row(x, i->dst, u->dst))
      return false;
  }
  return true;
}

/* Where in memory a row begins, computed before the loop. */
static bool row_before(const ww_lowering *x, ww_val v, uint32_t loop) {
  const ww_ins *d = ww_lower_def(x, v);
  return d && d->op == WW_OP_LEA && !ww_lower_constant(x, d->b) &&
         !ww_ir_in_loop(x->fn, x->fn->vals[v].ref, loop);
}

bool ww_lower_walks_row(const ww_lowering *x, uint32_t at) {
  const ww_ins *i = ww_lower_ins(x, at);
  uint32_t loop = ww_lower_loop_of(x, at);
  if (i->op != WW_OP_LEA || loop == WW_NOBLOCK || x->gone[at] || x->share[at] != 1 ||
      x->shares[i->dst] || ww_lower_short(x, i->dst))
    return false;
  return ww_lower_widened(x, i->b) != WW_NOVAL && x->moves[i->b] != WW_STEADY &&
         ww_lower_all_users(x, i->dst, ww_touches_memory) &&
         ww_ir_in_loop(x->fn, x->fn->vals[i->b].ref, loop) && row_before(x, i->a, loop);
}

/* A row whose begin nobody needs but addresses that walk along it. */
static bool only_walked(const ww_lowering *x, ww_val row) {
  for (uint32_t k = 0; k < ww_lower_nuses(x, row); k++) {
    uint32_t at = x->uses[x->uses_at[row] + k];
    if (at & WW_PHI || !ww_lower_walks_row(x, at))
      return false;
  }
  return !x->shares[row];
}

/* clang computes where a row begins once; nvcc adds the column to the product, in one
 * instruction, and scales the sum, for every address again. */
void ww_lower_rows(ww_lowering *x) {
  for (uint32_t at = 0; at < x->nins; at++) {
    if (!is_row(x, at))
      continue;
    ww_val product = ww_lower_ins(x, at)->b;
    x->gone[at] = true;
    x->gone[ww_lower_at(x, product)] |= ww_lower_nuses(x, product) == 1;
  }
  for (uint32_t at = 0; at < x->nins; at++)
    if (ww_lower_walks_row(x, at) && only_walked(x, ww_lower_ins(x, at)->a))
      x->gone[ww_lower_at(x, ww_lower_ins(x, at)->a)] = true;
}

bool ww_lower_in_row(const ww_lowering *x, const ww_ins *i) {
  const ww_ins *row = ww_lower_def(x, i->a);
  return row && row->op == WW_OP_LEA && x->gone[ww_lower_at(x, i->a)] &&
         word_product(x, row->b) && in_row(x, i->a, i->dst);
}

bool ww_lower_word_row(const ww_lowering *x, const ww_ins *i) {
  return word_product(x, x->def[i->a]->b);
}

void ww_lower_addresses(ww_lowering *x) {
  const ww_fn *fn = x->fn;
  places p = {x, WW_NEWN(x->arena, place, x->nins + 1), 0};
  x->shares = WW_NEWN(x->arena, uint8_t, fn->nvals);
  x->base = WW_NEWN(x->arena, ww_val, fn->nvals);
  x->step = WW_NEWN(x->arena, float, fn->nvals);
  x->dead = WW_NEWN(x->arena, bool, fn->nvals);
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (ww_accesses(i))
      visit(&p, i->a);
  }
  uint32_t *need = WW_NEWN(x->arena, uint32_t, fn->nvals);
  for (ww_val v = 0; v < fn->nvals; v++)
    need[v] = ww_lower_nuses(x, v);
  for (ww_val v = 0; v < fn->nvals; v++)
    if (x->shares[v] && x->def[v])
      release(x, x->def[v], need);
}
