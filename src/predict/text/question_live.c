/* question_live.c - what the compiler leaves out: statements whose results reach no
 * memory, and what does not change from one iteration of a loop to the next.
 *
 * That `x + (23 - x)` does not depend on x is found by trying: the expression is worked
 * out for several values of x. */

#include "question_eval.h"

/* ---- statements ---- */

typedef struct {
  const ww_question_kernel *k;
  const ww_qtoken *t;
  ww_arena *a;
  ww_qitems *out;
  uint32_t depth;
} collector;

/* One statement without control flow. */
static void simple(collector *c, uint32_t from, uint32_t to, int32_t head) {
  ww_qitem m = {.from = from, .to = to, .head = head, .target = -1, .begin = from};
  while (m.from < to && (c->t[m.from].skip || ww_qsteps(&c->t[m.from])))
    m.from++;
  if (m.from >= to)
    return;
  const ww_qtoken *t = &c->t[m.from];
  const ww_qsym *y = ww_qsym_of(c->k, t->sym);
  uint32_t next = m.from + 1;
  while (next < to && ww_qop_in(&c->t[next], "[ ."))
    next = c->t[next].op == '.' ? next + 2 : c->t[next].pair + 1;
  const ww_qtoken *op = next < to ? &c->t[next] : NULL; /* NULL: it stands alone */
  bool assigns = op && ww_qassigns(op);
  bool own = y && (y->kind == Q_LOCAL || y->kind == Q_SCALAR || y->kind == Q_ARRAY);
  if (own && (!op || assigns || ww_qsteps(op))) {
    m.target = t->sym;
    m.reads = next > m.from + 1 || (op && op->op != '=') ||
              (m.from > from && ww_qsteps(&c->t[m.from - 1]));
    m.none = !op && c->t[from].skip; /* a declaration */
  } else
    m.root = true;
  m.value = assigns ? next + 1 : m.from;
  ww_push(c->a, c->out, m);
}

/* Declarations and the heads of loops have several, with commas between them. */
static void several(collector *c, uint32_t from, uint32_t to, int32_t head) {
  for (uint32_t end; from < to; from = end + 1) {
    end = ww_qcomma(c->t, from, to);
    if (from < end)
      simple(c, from, end, head);
  }
}

static int32_t
add_head(collector *c, uint32_t begin, uint32_t from, uint32_t to, int32_t head) {
  ww_qitem m = {.begin = begin,
                .from = from,
                .to = to,
                .value = from,
                .head = head,
                .target = -1,
                .control = true};
  m.loop = !ww_qtoken_in(&c->t[begin], "if switch");
  ww_push(c->a, c->out, m);
  return c->out->n - 1;
}

static uint32_t collect(collector *c, uint32_t i, uint32_t end, int32_t head);

static uint32_t controlled(collector *c, uint32_t i, uint32_t end, int32_t head) {
  uint32_t open = i + 1;
  if (open < end && ww_qtoken_is(&c->t[open], "constexpr"))
    open++;
  if (open >= end || c->t[open].op != '(')
    return i + 1;
  uint32_t close = c->t[open].pair;
  uint32_t parts[4] = {open + 1, close, close, close};
  uint32_t n = 0;
  for (uint32_t k = open + 1; k < close; k++)
    if (c->t[k].op == ';' && n < 2)
      parts[++n] = k + 1;
    else
      k = ww_qclose(c->t, k);
  bool loop = n == 2;
  int32_t own =
      add_head(c, i, loop ? parts[1] : open + 1, loop ? parts[2] - 1 : close, head);
  if (loop) {
    several(c, parts[0], parts[1] - 1, own);
    several(c, parts[2], close, own);
  }
  uint32_t next = collect(c, close + 1, end, own);
  while (next < end && ww_qtoken_is(&c->t[next], "else"))
    next = collect(c, next + 1, end, own);
  c->out->v[own].end = next;
  return next;
}

static uint32_t collect(collector *c, uint32_t i, uint32_t end, int32_t head) {
  const ww_qtoken *t = &c->t[i];
  if (i >= end || c->out->n > Q_ITEMS || c->depth > Q_NESTED)
    return end;
  uint32_t next = i;
  c->depth++;
  if (t->op == '{') {
    uint32_t close = t->pair < end ? t->pair : end;
    for (uint32_t k = i + 1; k < close;) {
      uint32_t on = collect(c, k, close, head);
      k = on > k ? on : k + 1;
    }
    next = close + 1;
  } else if (ww_qtoken_in(t, "for while if switch"))
    next = controlled(c, i, end, head);
  else if (ww_qtoken_is(t, "do")) {
    int32_t own = add_head(c, i, i, i, head);
    next = collect(c, i + 1, end, own);
    c->out->v[own].root = true; /* its condition stands behind it */
    c->out->v[own].end = next;
  } else if (ww_qtoken_in(t, "unroll omp")) {
    next = ww_qfind(c->t, next, end, "\n") + 1;
  } else {
    next = ww_qstatement_end(c->t, i, end);
    several(c, i, next, head);
    next++;
  }
  c->depth--;
  return next > i ? next : i + 1;
}

void ww_qitems_of(const ww_question_kernel *k,
                  const ww_qpart *p,
                  ww_arena *a,
                  ww_qitems *out) {
  collector c = {.k = k, .t = p->t.v, .a = a, .out = out};
  *out = (ww_qitems){0};
  if (p->body)
    collect(&c, p->body, p->body_end, -1);
}

uint32_t ww_qitem_at(const ww_qitems *v, uint32_t token) {
  uint32_t lo = 0;
  uint32_t hi = v->n;
  while (lo < hi) {
    uint32_t mid = (lo + hi) / 2;
    if (v->v[mid].begin < token)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

/* ---- what is alive ---- */

typedef struct {
  const ww_question_kernel *k;
  const ww_qtoken *t;
  ww_qval *shadow; /* [symbols]: numbers to try with, where nothing is known */
} liveness;

static double trial(uint32_t seed, int place) {
  static const double range[] = {40, 3000, 1e6, 60};
  uint32_t h = seed * 2654435761u ^ (place + 1) * 40503u * 65599u;
  h ^= h >> 15;
  h *= 2246822519u;
  h ^= h >> 13;
  double v = floor((h % 65536) / 65536.0 * range[place]);
  return place == 3 ? -v : v;
}

static bool whole(const liveness *l, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    const ww_qtoken *t = &l->t[i];
    if (t->kind == Q_FLOAT || t->kind == Q_TEXT || ww_qop_in(t, "[ .") ||
        (t->sym >= 0 && !strchr("iulscb", l->k->syms.v[t->sym].type)))
      return false;
  }
  return true;
}

/* Does the expression change with the symbol? */
static bool depends(const liveness *l, uint32_t from, uint32_t to, int32_t sym) {
  ww_qval kept = l->shadow[sym];
  bool same = true;
  for (uint32_t round = 0; round < 4 && same; round++) {
    for (int k = 0; k < 4; k++)
      l->shadow[sym].at[k] = trial((uint32_t)sym * 31 + round, k);
    ww_qval a = ww_qval_range(l->t, from, to, l->shadow, NULL);
    for (int k = 0; k < 4; k++)
      l->shadow[sym].at[k] = trial((uint32_t)sym * 31 + round + 77, (k + 1) % 4);
    ww_qval b = ww_qval_range(l->t, from, to, l->shadow, NULL);
    for (int k = 0; k < 4; k++)
      same &= a.at[k] == b.at[k]; /* not where one is not known */
  }
  l->shadow[sym] = kept;
  return !same;
}

/* What the item reads, as far as it matters to its result. */
static void operands(const liveness *l, ww_qitem *m, ww_arena *a) {
  WW_VEC(int32_t) v = {0};
  bool tried = !m->control && m->value > m->from && whole(l, m->value, m->to);
  for (uint32_t i = m->from; i < m->to; i++) {
    int32_t sym = l->t[i].sym;
    bool target = i == m->from && sym == m->target && !m->reads;
    if (sym < 0 || target ||
        (tried && i >= m->value && !depends(l, m->value, m->to, sym)))
      continue;
    ww_push(a, &v, sym);
  }
  m->operand = v.v;
  m->noperands = v.n;
}

typedef struct {
  ww_qitems *v;
  uint32_t nsyms, steps;
  ww_arena *a;
} backward;

enum { LIVE_STEPS = 20000, VARIANT_ITEMS = 300 };

static void wake(const ww_qitem *m, bool *alive) {
  for (uint32_t i = 0; i < m->noperands; i++)
    alive[m->operand[i]] = true;
}

static bool
sequence(backward *b, uint32_t first, uint32_t last, bool straight, bool *alive);

/* Backwards through what an if or a loop controls: it may run or not, and a loop's end
 * comes before its beginning. */
static bool control(backward *b, uint32_t at, uint32_t last, bool *alive) {
  ww_qitem *m = &b->v->v[at];
  if (b->steps > LIVE_STEPS)
    return true;
  bool any = m->root || m->live, *inside = WW_NEWN(b->a, bool, b->nsyms + 1);
  b->steps += 1 + b->nsyms / 64;
  for (int round = 0; round < (m->loop ? 3 : 1); round++) {
    memcpy(inside, alive, b->nsyms);
    any |= sequence(b, at + 1, last, m->loop, inside);
    if (any)
      wake(m, inside);
    for (uint32_t i = 0; i < b->nsyms; i++)
      alive[i] |= inside[i];
  }
  return m->live = any;
}

/* Backwards through statements one after the other; straight: each of them runs. Is one
 * of them alive? */
static bool
sequence(backward *b, uint32_t first, uint32_t last, bool straight, bool *alive) {
  WW_VEC(uint32_t) own = {0};
  bool any = false;
  for (uint32_t i = first; i < last;) {
    ww_push(b->a, &own, i);
    uint32_t end = b->v->v[i].control ? b->v->v[i].end : 0;
    for (i++; i < last && b->v->v[i].begin < end;)
      i++;
  }
  for (uint32_t n = own.n; n-- > 0;) {
    uint32_t i = own.v[n];
    uint32_t next = n + 1 < own.n ? own.v[n + 1] : last;
    ww_qitem *m = &b->v->v[i];
    if (b->steps++ > LIVE_STEPS)
      return true;
    if (m->control)
      any |= control(b, i, next, alive);
    else if (m->root || (m->target >= 0 && alive[m->target])) {
      any = m->live = true;
      if (m->target >= 0 && straight && !m->reads && !m->none)
        alive[m->target] = false;
      wake(m, alive);
    }
  }
  return any;
}

void ww_qlive(const ww_question_kernel *k,
              const ww_qpart *p,
              const ww_qval *value,
              ww_arena *a,
              ww_qitems *v) {
  liveness l = {.k = k, .t = p->t.v, .shadow = WW_NEWN(a, ww_qval, k->syms.n + 1)};
  for (uint32_t i = 0; i < k->syms.n; i++)
    for (int n = 0; n < 4; n++) {
      bool fixed = value[i].at[0] == value[i].at[3];
      l.shadow[i].at[n] = fixed ? value[i].at[0] : trial(i * 31 + 555, n);
    }
  for (uint32_t i = 0; i < v->n; i++)
    operands(&l, &v->v[i], a);
  backward b = {.v = v, .nsyms = k->syms.n, .a = a};
  sequence(&b, 0, v->n, true, WW_NEWN(a, bool, k->syms.n + 1));
  for (uint32_t i = 0; b.steps > LIVE_STEPS && i < v->n; i++)
    v->v[i].live = true; /* too much to tell */
}

/* ---- what changes in a loop ---- */

bool ww_qword_acts(const ww_qtoken *t) {
  static const char words[] =
      "atom sync __s __b barrier mem_fence __threadfence work_group sub_group printf";
  return (t->sym < 0 && ww_qtoken_begins(t, words)) ||
         ww_qtoken_in(t, "break continue return");
}

static bool reads_variant(const ww_question_kernel *k,
                          const ww_qtoken *t,
                          const ww_qitem *m,
                          const bool *variant) {
  for (uint32_t i = m->from + (m->target >= 0 && !m->reads); i < m->to; i++) {
    if (t[i].kind != Q_WORD)
      continue;
    const ww_qsym *y = ww_qsym_of(k, t[i].sym);
    bool memory =
        y && (y->kind == Q_SHARED ||
              ((y->kind == Q_POINTER || y->kind == Q_GLOBAL) && !y->is_const));
    if (y ? variant[t[i].sym] || memory : ww_qword_acts(&t[i]))
      return true;
  }
  return false;
}

static bool reads(const ww_qtoken *t, const ww_qitem *m, int32_t sym) {
  for (uint32_t i = m->from + (m->target >= 0 && !m->reads); i < m->to; i++)
    if (t[i].sym == sym)
      return true;
  return false;
}

/* Does the value of item i's target come out of the iteration before: is it read before
 * it is surely written? */
static bool carried(const ww_qitems *v,
                    const ww_qtoken *t,
                    uint32_t first,
                    uint32_t i,
                    int32_t outside) {
  int32_t sym = v->v[i].target;
  for (uint32_t n = first; n <= i; n++) {
    const ww_qitem *m = &v->v[n];
    if ((m->reads && m->target == sym) || reads(t, m, sym))
      return true;
    if (m->target != sym || m->none)
      continue;
    int32_t head = m->head;
    while (head != outside && head >= 0 && v->v[head].loop)
      head = v->v[head].head;
    if (head == outside)
      return false;
  }
  return true;
}

static bool reads_any(const ww_qitem *m, const bool *of) {
  for (uint32_t i = 0; i < m->noperands; i++)
    if (of[m->operand[i]])
      return true;
  return false;
}

bool ww_qvariant(const ww_question_kernel *k,
                 const ww_qtoken *t,
                 const ww_qitems *v,
                 uint32_t from,
                 uint32_t to,
                 int32_t var,
                 bool *variant,
                 bool *serial) {
  uint32_t first = ww_qitem_at(v, from);
  uint32_t last = ww_qitem_at(v, to);
  bool much = last > first + VARIANT_ITEMS; /* to tell: anything may change */
  memset(variant, much, k->syms.n);
  memset(serial, much, k->syms.n);
  if (much)
    return true;
  if (var >= 0)
    variant[var] = true;
  int32_t outside = first < v->n ? v->v[first].head : -1;
  for (uint32_t i = first; i < last; i++) {
    const ww_qitem *m = &v->v[i];
    if (m->target < 0 || m->none || variant[m->target] ||
        !carried(v, t, first, i, outside))
      continue;
    variant[m->target] = true;
    serial[m->target] = m->target != var;
  }
  bool changed = true, any = false;
  while (changed) {
    changed = false;
    for (uint32_t i = first; i < last; i++) {
      const ww_qitem *m = &v->v[i];
      if (m->target < 0 || (variant[m->target] && serial[m->target]))
        continue;
      if (!variant[m->target] && reads_variant(k, t, m, variant))
        variant[m->target] = changed = true;
      if (!serial[m->target] && m->target != var && reads_any(m, serial))
        serial[m->target] = changed = true;
    }
  }
  for (uint32_t i = first; i < last; i++) {
    const ww_qitem *m = &v->v[i];
    any |= m->live && !m->none &&
           (m->root || m->control || (m->target >= 0 && variant[m->target]));
  }
  return any;
}
