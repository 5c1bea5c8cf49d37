/* question_walk.c - how often each part of a kernel runs in one launch, and what it does there, by the source's own arithmetic.
 *
 * No trace and no compiler: loops whose bounds are numbers, arguments or indices are counted, conditions on indices give the share of
 * threads that pass, everything else is a guess that the text marks as such ('?'). Statement by statement, device functions in place.
 * Bounded by STEPS tokens whatever the source is. */
#include <math.h>

#include "question_eval.h"

enum { STEPS = 60000, CALLS = 6, NESTED = 64 };
static const double GUESSED_TRIPS = 8, GUESSED_SHARE = 0.5, NEAR = 65536; /* bytes that L1 holds easily */

typedef struct {
  const ww_question_kernel *k;
  const ww_launch *l;
  ww_qwalk *w;
  ww_qval *value; /* [symbols] */
  ww_qline *line; /* [symbols] */
  ww_qval *start; /* [symbols]: what a variable that changes begins with */
  const ww_qpart *p;
  uint32_t part;
  const ww_qtoken *t;
  double weight; /* executions of the statement, over all threads */
  uint32_t steps, calls, nested, loops;
} walker;

static uint32_t statement(walker *w, uint32_t i, uint32_t end);

static bool op_at(const walker *w, uint32_t i, uint32_t op) { return w->t[i].kind == Q_PUNCT && w->t[i].op == op; }
static ww_qval value_of(const walker *w, uint32_t from, uint32_t to) {
  return ww_qval_range(w->t, from, to, w->value, w->line);
}

/* ---- arguments ---- */

static double half_of(uint16_t h) {
  int e = h >> 10 & 31;
  double m = h & 1023;
  return (h & 0x8000 ? -1 : 1) * (e == 31 ? NAN : e ? ldexp(1024 + m, e - 25) : ldexp(m, -24));
}

double ww_question_scalar(const ww_arg *g, char type, uint32_t bytes) {
  if (g->kind == WW_ARG_VALUE) return g->expr ? NAN : g->is_int ? (double)g->ivalue : g->value;
  if (g->kind != WW_ARG_HEX || !g->hex_n || g->hex_n > 8 || g->nptrs) return NAN;
  uint64_t raw = 0;
  uint32_t n = g->hex_n;
  for (uint32_t i = 0; i < n; i++) raw |= (uint64_t)g->hex[i] << 8 * i;
  if (type == 'f' && n == 4) {
    uint32_t low = (uint32_t)raw;
    float f;
    memcpy(&f, &low, 4);
    return f;
  }
  if (type == 'd' && n == 8) {
    double d;
    memcpy(&d, &raw, 8);
    return d;
  }
  if (type == 'h' && n == 2) return half_of((uint16_t)raw);
  if (type == 'u' || type == 'b' || (type == 'o' && bytes != n)) return (double)raw;
  return (double)((int64_t)(raw << (64 - 8 * n)) >> (64 - 8 * n));
}

/* ---- what an expression does ---- */

static void add(walker *w, ww_qcount c, double n) { w->w->count[c] += n * w->weight; }

static bool is_global(const ww_qsym *y) { return y->kind == Q_POINTER || (y->kind == Q_GLOBAL && !y->is_const); }

/* Bytes that a warp's access of so many bytes a lane moves, per lane. */
static double sectors(double stride, double bytes) {
  double lane = fabs(stride) < bytes ? (stride == 0 ? 0 : bytes) : fabs(stride);
  return fmin(fmax(lane, 1), fmax(32, bytes));
}

static bool is_atomic(const walker *w, uint32_t i) {
  return i > 2 && op_at(w, i - 1, '&') && op_at(w, i - 2, '(') && w->t[i - 3].kind == Q_WORD &&
         ww_starts(w->t[i - 3].s, "atom");
}

static double buffer_bytes(const walker *w, const ww_qsym *y) { /* NaN: not known */
  const ww_arg *g = y->param >= 0 && (uint32_t)y->param < w->l->nargs ? &w->l->args[y->param] : NULL;
  return g && g->kind == WW_ARG_BUFFER ? (double)g->buffer.bytes : NAN;
}

static bool has_zipf(const ww_launch *l) {
  for (uint32_t i = 0; i < l->nargs; i++)
    if (l->args[i].kind == WW_ARG_BUFFER && l->args[i].buffer.fill.kind == WW_FILL_ZIPF) return true;
  return false;
}

/* Sectors that an atomic's index goes over, each of them a queue: by its range, else the whole buffer. */
static double queues_of(const walker *w, const ww_qsym *y, const ww_qval *at) {
  double range = (fabs(at->at[3] - at->at[0]) + 1) * (y->bytes ? y->bytes : 4), all = buffer_bytes(w, y);
  double bytes = isnan(range) ? (isnan(all) ? 4096 : all) : range, n = fmax(1, bytes / 32);
  return has_zipf(w->l) ? sqrt(n) : n;
}

static void table_at(walker *w, uint32_t i) {
  ww_qval at = value_of(w, i + 2, w->t[i + 1].pair);
  if (at.at[0] != at.at[1]) add(w, Q_C_tables, 1); /* not known, too */
}

/* p[index] at token i: load, store or both; how lanes lie. */
static void access_at(walker *w, uint32_t i, const ww_qsym *y) {
  uint32_t open = i + 1, close = w->t[open].pair, behind = close + 1;
  ww_qval at = value_of(w, open + 1, close);
  double bytes = y->bytes ? y->bytes : 4, stride = (at.at[1] - at.at[0]) * bytes;
  char mark = isnan(stride) ? '?' : stride == 0 ? '~' : fabs(stride) <= bytes ? 0 : '!';
  uint32_t slot = w->w->first[w->part] + i;
  w->w->mark[slot] = mark;
  if (behind + 1 < w->p->t.n && op_at(w, behind, '.')) behind += 2;
  const ww_qtoken *next = behind < w->p->t.n ? &w->t[behind] : NULL;
  bool plain = next && next->kind == Q_PUNCT && next->op == '=';
  bool both = next && next->kind == Q_PUNCT && next->n > 1 && next->s[next->n - 1] == '=' &&
              next->op != Q_OP2('=', '=') && next->op != Q_OP2('!', '=') && next->op != Q_OP2('<', '=') &&
              next->op != Q_OP2('>', '=');
  if (is_atomic(w, i)) {
    add(w, Q_C_conflicts, 1 / queues_of(w, y, &at));
    return;
  }
  if (!plain) add(w, Q_C_loads, 1), add(w, Q_C_load_bytes, bytes);
  if (plain || both) add(w, Q_C_store_bytes, bytes);
  bool near = buffer_bytes(w, y) < NEAR;
  if (near && mark == '?') w->w->mark[slot] = '`';
  if (near)
    add(w, Q_C_near, 1 + both); /* L1 has it */
  else
    add(w, Q_C_moved_bytes, (1 + both) * (mark == '?' ? 32 : sectors(stride, bytes)));
  if (mark == '?' && !near) add(w, Q_C_gathers, 1 + both);
  if ((plain || both) && (mark == '?' || mark == '!')) add(w, Q_C_scattered, 1);
}

static char rank(char a, char b) {
  static const char order[] = "obcsiulhfd";
  const char *x = strchr(order, a), *y = strchr(order, b);
  return (x ? x : order) > (y ? y : order) ? a : b;
}

/* The type of the operand at or behind i. */
static char operand_type(const walker *w, uint32_t i) {
  for (uint32_t k = i; k < w->p->t.n && k < i + 6; k++) {
    const ww_qtoken *t = &w->t[k];
    if (t->kind == Q_INT || t->kind == Q_FLOAT) return t->type;
    if (t->kind == Q_WORD && t->sym >= 0) return w->k->syms.v[t->sym].type;
    if (t->kind == Q_WORD && t->n && t->s[t->n - 1] == 'f') return 'f'; /* sqrtf */
    if (t->kind == Q_WORD) return 'f';
  }
  return 'i';
}

static void arithmetic(walker *w, uint32_t op, char type, uint32_t i) {
  bool real = type == 'f' || type == 'd' || type == 'h';
  if (op == '/' || op == '%') {
    bool constant = i + 1 < w->p->t.n && (w->t[i + 1].kind == Q_INT || w->t[i + 1].kind == Q_FLOAT);
    add(w, Q_C_divisions, constant ? 0.25 : 1);
    if (constant) return;
  }
  if (!real)
    add(w, Q_C_integer, 1);
  else
    add(w, type == 'd' ? Q_C_fp64 : type == 'f' ? Q_C_fp32 : Q_C_fp16, 1);
}

static bool has_prefix(const ww_qtoken *t, const char *s) { return t->n >= strlen(s) && !memcmp(t->s, s, strlen(s)); }

/* A function of the language. */
static void builtin_call(walker *w, const ww_qtoken *t, uint32_t i) {
  static const char *const special[] = {"exp",   "log",      "sin",     "cos",    "tan",    "pow",   "sqrt",  "rsqrt",
                                        "tanh",  "erf",      "cbrt",    "atan",   "asin",   "acos",  "sinh",  "cosh",
                                        "hypot", "__exp",    "__log",   "__sin",  "__cos",  "__pow", "__tan", "native_",
                                        "fmod",  "__frsqrt", "__fsqrt", "lgamma", "tgamma", NULL};
  char type = operand_type(w, i + 2 < w->p->t.n ? i + 2 : i);
  for (const char *const *s = special; *s; s++)
    if (has_prefix(t, *s)) {
      add(w, Q_C_special, type == 'd' && t->s[t->n - 1] != 'f' ? 8 : 1);
      return;
    }
  if (has_prefix(t, "fma") && !has_prefix(t, "fmax"))
    add(w, t->s[t->n - 1] == 'f' || type != 'd' ? Q_C_fp32 : Q_C_fp64, 2);
  else if (has_prefix(t, "atom"))
    add(w, Q_C_atomics, 1);
  else if (has_prefix(t, "sync") || has_prefix(t, "__syncwarp"))
    add(w, Q_C_barriers, 1);
  else if (has_prefix(t, "__shfl") || has_prefix(t, "__ballot") || has_prefix(t, "sub_group") ||
           has_prefix(t, "__reduce"))
    add(w, Q_C_shuffles, 1);
  else
    add(w, type == 'd' ? Q_C_fp64 : type == 'f' ? Q_C_fp32 : Q_C_integer, 1);
}

/* ---- device functions in place ---- */

static void bind(walker *w, int32_t sym, uint32_t from, uint32_t to, ww_qval *out) {
  if (sym >= 0) *out = value_of(w, from, to);
}

/* Arguments between two brackets, to the callee's symbols; angle: template arguments. */
static void bind_list(walker *w, uint32_t from, uint32_t to, const int32_t *syms, uint32_t n, ww_qval *out) {
  uint32_t at = 0, start = from;
  for (uint32_t i = from; i <= to && at < n; i++) {
    if (i == to || op_at(w, i, ',')) {
      bind(w, syms[at], start, i, &out[at]);
      at++;
      start = i + 1;
    } else if (w->t[i].kind == Q_PUNCT && w->t[i].pair > i && w->t[i].pair < to)
      i = w->t[i].pair;
  }
}

static void user_call(walker *w, uint32_t i, const ww_qsym *y) {
  uint32_t open = i + 1, angle = 0;
  if (open < w->p->t.n && op_at(w, open, '<')) {
    while (open < w->p->t.n && open < i + 40 && !op_at(w, open, '>')) open++;
    angle = open++;
  }
  if (open >= w->p->t.n || !op_at(w, open, '(') || w->calls >= CALLS || y->function < 0) return;
  const ww_qpart *p = &w->k->parts.v[y->function];
  if (!p->body) return;
  ww_qval args[32], types[16];
  for (int k = 0; k < 32; k++) args[k] = ww_qval_of(NAN);
  for (int k = 0; k < 16; k++) types[k] = ww_qval_of(NAN);
  uint32_t nargs = p->nparams < 32 ? p->nparams : 32;
  bind_list(w, open + 1, w->t[open].pair, p->params, nargs, args);
  if (angle) bind_list(w, i + 2, angle, p->templates, p->ntemplates, types);
  for (uint32_t k = 0; k < nargs; k++)
    if (p->params[k] >= 0) w->value[p->params[k]] = w->k->syms.v[p->params[k]].assigned ? ww_qval_of(NAN) : args[k];
  for (uint32_t k = 0; k < p->ntemplates; k++) w->value[p->templates[k]] = types[k];
  walker inner = *w;
  inner.p = p, inner.part = (uint32_t)y->function, inner.t = p->t.v;
  inner.calls++;
  statement(&inner, p->body, p->body_end);
  w->steps = inner.steps;
}

/* ---- expressions ---- */

static bool is_unary(const walker *w, uint32_t i) {
  if (!i) return true;
  const ww_qtoken *p = &w->t[i - 1];
  if (p->kind != Q_PUNCT) return ww_qtoken_is(p, "return");
  return p->op != ')' && p->op != ']';
}

static void operator_at(walker *w, uint32_t i, char last) {
  uint32_t op = w->t[i].op;
  switch (op) {
  case '+':
  case '-':
  case '*':
  case '/':
  case '%':
    if (!is_unary(w, i)) arithmetic(w, op, rank(last, operand_type(w, i + 1)), i);
    break;
  case Q_OP2('+', '='):
  case Q_OP2('-', '='):
  case Q_OP2('*', '='):
  case Q_OP2('/', '='): arithmetic(w, op & 255, rank(last, operand_type(w, i + 1)), i); break;
  case '^':
  case '|':
  case '&':
  case Q_OP2('<', '<'):
  case Q_OP2('>', '>'):
  case Q_OP2('^', '='):
  case Q_OP2('|', '='):
  case Q_OP2('&', '='):
  case Q_OP3('<', '<', '='):
  case Q_OP3('>', '>', '='):
  case Q_OP2('+', '+'):
  case Q_OP2('-', '-'):
    if (!is_unary(w, i)) add(w, Q_C_integer, 1);
    break;
  case '?': add(w, Q_C_branches, 0.5); break;
  default: break;
  }
}

/* Counts what the tokens from .. to do. */
static void expression(walker *w, uint32_t from, uint32_t to) {
  char last = 'i', kept[NESTED];
  uint32_t depth = 0;
  for (uint32_t i = from; i < to && w->steps < STEPS; i++, w->steps++) {
    const ww_qtoken *t = &w->t[i];
    if (t->kind == Q_INT || t->kind == Q_FLOAT) {
      last = t->type;
    } else if (t->kind == Q_WORD) {
      const ww_qsym *y = t->sym >= 0 ? &w->k->syms.v[t->sym] : NULL;
      bool element = i + 1 < to && op_at(w, i + 1, '[');
      if (y) last = y->type;
      if (y && is_global(y) && element) access_at(w, i, y);
      if (y && y->kind == Q_SHARED && element) add(w, Q_C_shared, 1);
      if (y && y->kind == Q_GLOBAL && y->is_const && element) table_at(w, i);
      if (y && is_global(y) && !element && i > 1 && op_at(w, i - 1, '(') && ww_starts(w->t[i - 2].s, "atom"))
        add(w, Q_C_conflicts, 1);
      if (y && y->kind == Q_FUNCTION) user_call(w, i, y);
      if (!y && i + 1 < to && op_at(w, i + 1, '(')) builtin_call(w, t, i);
    } else if (t->op == '(' || t->op == '[') {
      if (depth < NESTED) kept[depth] = last;
      depth++;
    } else if ((t->op == ')' || t->op == ']') && depth) {
      depth--;
      if (t->op == ']' && depth < NESTED) last = kept[depth];
    } else
      operator_at(w, i, last);
  }
}

/* Values of what a statement declares: `int a = x, b = y;`. */
static void declarations(walker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    const ww_qtoken *t = &w->t[i];
    if (t->kind == Q_PUNCT && t->pair > i && t->pair < to) i = t->pair;
    if (t->kind != Q_WORD || t->sym < 0 || !op_at(w, i + 1, '=')) continue;
    const ww_qsym *y = &w->k->syms.v[t->sym];
    if (y->kind != Q_LOCAL) continue;
    uint32_t end = i + 2;
    while (end < to && !op_at(w, end, ','))
      end = w->t[end].kind == Q_PUNCT && w->t[end].pair > end ? w->t[end].pair + 1 : end + 1;
    if (end > to) end = to;
    w->start[t->sym] = value_of(w, i + 2, end);
    w->value[t->sym] = y->assigned ? ww_qval_of(NAN) : w->start[t->sym];
    i = end - 1;
  }
}

/* ---- loops ---- */

typedef struct {
  uint32_t init, cond, step, end; /* tokens: begin of each part, and ')' */
} loop_head;

static bool split_head(const walker *w, uint32_t open, loop_head *h) {
  uint32_t close = w->t[open].pair, found = 0;
  *h = (loop_head){.init = open + 1, .end = close};
  for (uint32_t i = open + 1; i < close; i++) {
    if (op_at(w, i, ';')) {
      if (found++ == 0)
        h->cond = i + 1;
      else
        h->step = i + 1;
    } else if (w->t[i].kind == Q_PUNCT && w->t[i].pair > i && w->t[i].pair < close)
      i = w->t[i].pair;
  }
  return found == 2;
}

/* The variable that the step changes, by how much: added (1), multiplied (2). 0: not told. */
static int step_of(walker *w, const loop_head *h, int32_t *var, double *by) {
  for (uint32_t i = h->step; i < h->end; i++) {
    const ww_qtoken *t = &w->t[i];
    if (t->kind != Q_WORD || t->sym < 0) continue;
    const ww_qtoken *next = &w->t[i + 1], *before = &w->t[i - 1];
    *var = t->sym;
    if (next->op == Q_OP2('+', '+') || before->op == Q_OP2('+', '+')) return *by = 1, 1;
    if (next->op == Q_OP2('-', '-') || before->op == Q_OP2('-', '-')) return *by = -1, 1;
    uint32_t to = i + 2;
    while (to < h->end && !op_at(w, to, ',')) to++;
    uint32_t op = next->op, from = i + 2;
    if (op == '=' && i + 4 < h->end && w->t[i + 2].sym == t->sym && w->t[i + 3].kind == Q_PUNCT) /* v = v + e */
      op = w->t[i + 3].op | Q_OP1('=') << (w->t[i + 3].n == 2 ? 16 : 8), from = i + 4;
    *by = value_of(w, from, to).at[0];
    if (op == Q_OP2('+', '=')) return 1;
    if (op == Q_OP2('-', '=')) return *by = -*by, 1;
    if (op == Q_OP2('*', '=')) return 2;
    if (op == Q_OP2('/', '=')) return *by = 1 / *by, 2;
    if (op == Q_OP3('<', '<', '=')) return *by = exp2(*by), 2;
    if (op == Q_OP3('>', '>', '=')) return *by = exp2(-*by), 2;
    return 0;
  }
  return 0;
}

/* The bound that the condition compares the variable with. */
static ww_qval bound_of(const walker *w, const loop_head *h, int32_t var, bool *inclusive) {
  uint32_t op_i = 0, end = h->step - 1, from = h->cond;
  for (uint32_t i = from; i < end; i++) {
    uint32_t op = w->t[i].kind == Q_PUNCT ? w->t[i].op : 0;
    if (op == Q_OP2('&', '&')) { /* the part that has the variable */
      if (op_i)
        end = i;
      else
        from = i + 1;
    } else if (op == '<' || op == '>' || op == Q_OP2('<', '=') || op == Q_OP2('>', '=') || op == Q_OP2('!', '=')) {
      if (!op_i) op_i = i;
    } else if (w->t[i].kind == Q_PUNCT && w->t[i].pair > i && w->t[i].pair < end)
      i = w->t[i].pair;
  }
  if (!op_i && from < end && w->t[from].sym == var) return ww_qval_of(0); /* for (s = n; s; s /= 2) */
  if (!op_i) return ww_qval_of(NAN);
  *inclusive = w->t[op_i].n == 2 && w->t[op_i].op != Q_OP2('!', '=');
  bool left = false;
  for (uint32_t i = from; i < op_i; i++) left |= w->t[i].sym == var;
  ww_qval shift = ww_qval_of(0), bound = left ? value_of(w, op_i + 1, end) : value_of(w, from, op_i);
  ww_qval *value = w->value;
  ww_qval kept = value[var];
  value[var] = shift; /* i + 4 <= n: the bound is n - 4 */
  shift = left ? value_of(w, from, op_i) : value_of(w, op_i + 1, end);
  value[var] = kept;
  for (int k = 0; k < 4; k++) bound.at[k] -= isnan(shift.at[k]) ? 0 : shift.at[k];
  return bound;
}

/* Mean trips over the threads. Steps of a block or grid start at the first thread; steps of one in the middle. */
static double trips_of(walker *w, const loop_head *h) {
  int32_t var = -1;
  double by = NAN;
  bool inclusive = false;
  declarations(w, h->init, h->cond - 1);
  int kind = h->step < h->end ? step_of(w, h, &var, &by) : 0;
  if (!kind || isnan(by) || by == 0) return NAN;
  ww_qval from = w->start[var], to = bound_of(w, h, var, &inclusive);
  for (uint32_t i = h->init; i + 1 < h->cond; i++)
    if (w->t[i].kind == Q_WORD && w->t[i].sym == var && op_at(w, i + 1, '=')) {
      uint32_t end = i + 2;
      while (end + 1 < h->cond && !op_at(w, end, ','))
        end = w->t[end].kind == Q_PUNCT && w->t[end].pair > end ? w->t[end].pair + 1 : end + 1;
      from = value_of(w, i + 2, end);
    }
  bool wide = kind == 1 && fabs(by) > 1.5;
  uint32_t place = wide ? 0 : 2;
  double a = from.at[place], b = to.at[place], n = (b - a) / by + (inclusive ? fabs(1 / by) : 0);
  if (kind == 2) n = a > 0 || b > 0 ? log2(fmax(b, 1) / fmax(a, 1)) / log2(by) + (inclusive || (by < 1 && b < 1)) : NAN;
  ww_qval *v = &w->value[var];
  *v = from;
  double middle = kind == 1 ? (b - a) / 2 : 0;
  for (int k = 0; k < 4; k++) v->at[k] += isnan(middle) ? 0 : fmin(middle, 1e15);
  if (w->k->openmp && w->loops + 1 == w->k->collapse) v->at[1] += by; /* its iterations are the threads */
  return isnan(n) ? NAN : fmax(n, 0);
}

/* The body so often; what it does is the loop's. Returns one past it. */
static uint32_t body(walker *w, uint32_t keyword, uint32_t at, uint32_t end, double trips) {
  uint32_t slot = w->w->first[w->part] + keyword;
  double before = w->weight, n = isnan(trips) ? GUESSED_TRIPS : trips;
  w->w->unknown += isnan(trips);
  w->weight = before * n;
  w->w->trips[slot] = isnan(trips) ? -1 : (float)trips;
  w->w->weight[slot] = (float)fmax(w->w->weight[slot], w->weight);
  w->loops++;
  if (w->weight > w->w->heaviest) w->w->heaviest = w->weight, w->w->depth = w->loops;
  add(w, Q_C_integer, 1);
  add(w, Q_C_branches, 1);
  uint32_t next = statement(w, at, end);
  w->loops--;
  w->weight = before;
  return next;
}

static uint32_t for_loop(walker *w, uint32_t i, uint32_t end) {
  loop_head h;
  uint32_t open = i + 1;
  if (open >= end || !op_at(w, open, '(')) return i + 1;
  double trips = split_head(w, open, &h) ? trips_of(w, &h) : NAN;
  if (h.cond && h.step) {
    expression(w, h.init, h.cond - 1);
    double before = w->weight;
    w->weight *= isnan(trips) ? GUESSED_TRIPS : trips;
    expression(w, h.cond, h.step - 1); /* loads in the condition, say */
    w->weight = before;
  }
  return body(w, i, w->t[open].pair + 1, end, trips);
}

static bool is_variable(const walker *w, uint32_t i) {
  return w->t[i].kind == Q_WORD && w->t[i].sym >= 0 && w->k->syms.v[w->t[i].sym].kind <= Q_LOCAL;
}

/* A while loop's body from .. to: does it halve something, and what does it add to the variable? */
static bool halves(const walker *w, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    bool shift = w->t[i].op == Q_OP2('>', '>') || w->t[i].op == '/';
    if (shift && w->t[i + 1].kind == Q_INT && w->t[i + 1].value <= 2) return true;
  }
  return false;
}

static double added(const walker *w, int32_t var, uint32_t from, uint32_t to) {
  for (uint32_t i = from; i + 1 < to; i++) {
    if (w->t[i].kind != Q_WORD || w->t[i].sym != var) continue;
    if (w->t[i + 1].op == Q_OP2('+', '+') || (i && w->t[i - 1].op == Q_OP2('+', '+'))) return 1;
    if (w->t[i + 1].op != Q_OP2('+', '=')) continue;
    uint32_t end = i + 2;
    while (end < to && !op_at(w, end, ';')) end++;
    return value_of(w, i + 2, end).at[0];
  }
  return NAN;
}

/* while (a < b): a binary search, or a counter that the body moves on. */
static double while_trips(const walker *w, uint32_t open, uint32_t end) {
  uint32_t close = w->t[open].pair, a = open + 1, to = close + 1;
  if (a + 2 >= close || close + 1 >= end || !is_variable(w, a)) return NAN;
  if (w->t[a + 1].kind != Q_PUNCT || (w->t[a + 1].op & 255) != '<' || w->t[a + 1].op == Q_OP2('<', '<')) return NAN;
  if (op_at(w, to, '{')) to = w->t[to].pair;
  uint32_t behind = a + 2;
  while (behind < close && !op_at(w, behind, Q_OP2('&', '&'))) behind++;
  bool moving = behind == a + 3 && is_variable(w, a + 2) && w->k->syms.v[w->t[a + 2].sym].assigned;
  double from = w->start[w->t[a].sym].at[0];
  double bound = moving ? w->start[w->t[a + 2].sym].at[0] : value_of(w, a + 2, behind).at[0];
  if (isnan(bound - from)) return NAN;
  if (halves(w, close + 1, to)) return log2(fmax(bound - from, 1)) + 1;
  double by = moving ? NAN : added(w, w->t[a].sym, close + 1, to);
  return by > 0 ? fmax((bound - from) / by, 0) : NAN;
}

/* ---- conditions ---- */

/* The share of threads for which it holds. */
static double share_of(const walker *w, uint32_t from, uint32_t to) {
  double share = 1;
  uint32_t op_i = 0;
  for (uint32_t i = from; i <= to; i++) {
    uint32_t op = i < to && w->t[i].kind == Q_PUNCT ? w->t[i].op : 0;
    if (op == Q_OP2('|', '|') || op == '?') return GUESSED_SHARE;
    if (op == '<' || op == '>' || op == Q_OP2('<', '=') || op == Q_OP2('>', '=') || op == Q_OP2('=', '=') ||
        op == Q_OP2('!', '='))
      op_i = i;
    else if (i == to || op == Q_OP2('&', '&')) {
      if (!op_i) return share * GUESSED_SHARE;
      ww_qval a = value_of(w, from, op_i), b = value_of(w, op_i + 1, i);
      uint32_t what = w->t[op_i].op;
      double lo = a.at[0] - b.at[0], hi = a.at[3] - b.at[3], inside;
      if (isnan(lo) || isnan(hi)) return share * GUESSED_SHARE;
      if (lo > hi) inside = lo, lo = hi, hi = inside;
      double span = hi - lo + 1; /* where a - b lies, evenly */
      inside = what == Q_OP2('=', '=')   ? (lo <= 0 && hi >= 0) / span
               : what == Q_OP2('!', '=') ? 1 - (lo <= 0 && hi >= 0) / span
               : (what & 255) == '<'     ? fmin(fmax(-lo / span, 0), 1)
                                         : fmin(fmax((hi + 1) / span, 0), 1);
      if (a.at[0] > a.at[3] && (what & 255) != '=' && (what & 255) != '!') inside = GUESSED_SHARE;
      share *= inside;
      from = i + 1;
      op_i = 0;
    } else if (i < to && w->t[i].kind == Q_PUNCT && w->t[i].pair > i && w->t[i].pair < to)
      i = w->t[i].pair;
  }
  return share;
}

static bool leaves(const walker *w, uint32_t at) {
  if (op_at(w, at, '{')) at++;
  return at < w->p->t.n && ww_qtoken_is(&w->t[at], "return");
}

static uint32_t condition(walker *w, uint32_t i, uint32_t end) {
  uint32_t open = i + 1;
  if (open < end && ww_qtoken_is(&w->t[open], "constexpr")) open++;
  if (open >= end || !op_at(w, open, '(')) return i + 1;
  uint32_t close = w->t[open].pair;
  double before = w->weight, share = share_of(w, open + 1, close);
  expression(w, open + 1, close);
  add(w, Q_C_branches, 1);
  bool out = close + 1 < end && leaves(w, close + 1);
  w->weight = before * share;
  uint32_t next = statement(w, close + 1, end);
  w->weight = before * (1 - share);
  if (next < end && ww_qtoken_is(&w->t[next], "else")) next = statement(w, next + 1, end);
  w->weight = out ? before * (1 - share) : before; /* those that are left */
  return next;
}

/* ---- statements ---- */

static uint32_t block(walker *w, uint32_t i, uint32_t end) {
  uint32_t close = w->t[i].pair;
  double before = w->weight;
  bool outer = w->nested == 1 && !w->calls; /* an early return of the kernel lasts */
  if (close > end) close = end;
  for (i++; i < close && w->steps < STEPS;) {
    uint32_t next = statement(w, i, close);
    i = next > i ? next : i + 1;
  }
  if (!outer) w->weight = before;
  return close + 1;
}

static uint32_t simple(walker *w, uint32_t i, uint32_t end) {
  uint32_t to = i;
  while (to < end && !op_at(w, to, ';') && !op_at(w, to, '\n'))
    to = w->t[to].kind == Q_PUNCT && w->t[to].pair > to ? w->t[to].pair + 1 : to + 1;
  if (to > end) to = end;
  expression(w, i, to);
  declarations(w, i, to);
  return to + 1;
}

static uint32_t statement(walker *w, uint32_t i, uint32_t end) {
  if (i >= end || w->steps++ > STEPS || w->nested > NESTED) return end;
  const ww_qtoken *t = &w->t[i];
  uint32_t next;
  w->nested++;
  if (op_at(w, i, '{'))
    next = block(w, i, end);
  else if (ww_qtoken_is(t, "for"))
    next = for_loop(w, i, end);
  else if (ww_qtoken_is(t, "while") && i + 1 < end && op_at(w, i + 1, '(')) {
    expression(w, i + 2, w->t[i + 1].pair);
    next = body(w, i, w->t[i + 1].pair + 1, end, while_trips(w, i + 1, end));
  } else if (ww_qtoken_is(t, "do"))
    next = body(w, i, i + 1, end, NAN);
  else if (ww_qtoken_is(t, "if"))
    next = condition(w, i, end);
  else if (ww_qtoken_is(t, "unroll") || ww_qtoken_is(t, "omp") || ww_qtoken_is(t, "switch"))
    for (next = i + 1; next < end && !op_at(w, next, '\n') && !op_at(w, next, '{');) next++;
  else
    next = simple(w, i, end);
  w->nested--;
  return next > i ? next : i + 1;
}

/* ---- the whole launch ---- */

static ww_qline line_of(const ww_buffer *u, uint32_t bytes) {
  double n = (double)u->bytes / (bytes ? bytes : 4) - 1;
  if (u->fill.kind == WW_FILL_INDEX) return (ww_qline){0, 1};
  if (u->fill.kind != WW_FILL_MONOTONE || n < 1 || !(u->fill.hi > u->fill.lo)) return (ww_qline){NAN, NAN};
  return (ww_qline){u->fill.lo, (u->fill.hi - u->fill.lo) / n};
}

static void set_values(walker *w) {
  const ww_question_kernel *k = w->k;
  const ww_qpart *p = w->p;
  for (uint32_t i = 0; i < k->syms.n; i++)
    w->value[i] = i < Q_NBUILTINS * 3 ? ww_qval_builtin(w->l, i / 3, i % 3) : ww_qval_of(k->constant[i]);
  for (uint32_t i = 0; i < k->syms.n; i++) w->line[i] = (ww_qline){NAN, NAN};
  for (uint32_t i = 0; i < p->nparams && i < w->l->nargs; i++) {
    const ww_qsym *y = p->params[i] >= 0 ? &k->syms.v[p->params[i]] : NULL;
    if (y && w->l->args[i].kind == WW_ARG_BUFFER) w->line[p->params[i]] = line_of(&w->l->args[i].buffer, y->bytes);
    if (y && y->kind == Q_SCALAR && !y->assigned)
      w->value[p->params[i]] = ww_qval_of(ww_question_scalar(&w->l->args[i], y->type, y->bytes));
  }
}

void ww_question_walk(const ww_question_kernel *k, const ww_launch *l, ww_arena *a, ww_qwalk *out) {
  uint32_t total = 0;
  double threads = 1;
  *out = (ww_qwalk){.first = WW_NEWN(a, uint32_t, k->parts.n)};
  for (uint32_t i = 0; i < k->parts.n; i++) {
    out->first[i] = total;
    total += k->parts.v[i].t.n;
  }
  out->trips = WW_NEWN(a, float, total + 1);
  out->weight = WW_NEWN(a, float, total + 1);
  out->mark = WW_NEWN(a, char, total + 1);
  for (int d = 0; d < 3; d++)
    threads *= (double)(l->grid[d] ? l->grid[d] : 1) * (double)(l->block[d] ? l->block[d] : 1);
  walker w = {.k = k, .l = l, .w = out, .p = &k->parts.v[0], .t = k->parts.v[0].t.v, .weight = k->openmp ? 1 : threads};
  w.value = WW_NEWN(a, ww_qval, k->syms.n + 1);
  w.line = WW_NEWN(a, ww_qline, k->syms.n + 1);
  w.start = WW_NEWN(a, ww_qval, k->syms.n + 1);
  for (uint32_t i = 0; i < k->syms.n; i++) w.start[i] = ww_qval_of(NAN);
  set_values(&w);
  out->heaviest = w.weight;
  if (w.p->body) statement(&w, w.p->body, w.p->body_end);
}
