/* question_work.c - what an expression does: operations, accesses and how their lanes
 * lie; and how long one thread waits for it.
 *
 * A thread runs in order: it stops where an operand is not there yet, and a load takes
 * as long as what it lies in. Cycles are rough and the same for every GPU: they put
 * chains of loads, of arithmetic and of shared memory into one scale. */

#include "question_eval.h"

static const double NEAR = 65536, L1_HOLDS = 131072, L2_HOLDS = 3e7; /* bytes */
/* cycles of a load */
static const double L1_WAIT = 35, L2_WAIT = 300, DRAM_WAIT = 750;
static const double SHARED_WAIT = 30, TABLE_CYCLES = 3, LOCAL_LINE = 2.5,
                    ATOMIC_WAIT = 300, LINE = 128, SECTOR = 32;

const ww_qcost ww_qcosts[Q_NCOUNTS] = {
#define COUNT(name, chain, issue) {chain, issue},
#include "question_counts.def"
};

void ww_qwork_add(ww_qwalker *w, ww_qcount c, double n) {
  w->w->count[c] += n * w->runs.threads;
  w->w->issued[c] += n * w->runs.warps;
  w->w->busiest[c] += n * w->runs.busiest;
  w->now.chain += n * ww_qcosts[c].chain;
  w->now.issue += n * ww_qcosts[c].issue;
}

/* ---- accesses ---- */

static double element_bytes(const ww_qsym *y) {
  return y->bytes ? y->bytes : 4;
}

static bool is_global(const ww_qsym *y) {
  return y->kind == Q_POINTER || (y->kind == Q_GLOBAL && !y->is_const);
}

/* Bytes that a warp's access of so many bytes a lane moves, per lane. */
static double sectors(double stride, double bytes) {
  double lane = fabs(stride) < bytes ? (stride == 0 ? 0 : bytes) : fabs(stride);
  return fmin(fmax(lane, 1), fmax(SECTOR, bytes));
}

/* Different ones of n that the 32 lanes of a warp hit at random. */
static double distinct(double n) {
  return n >= 1 ? n * (1 - pow(1 - 1 / n, 32)) : isnan(n) ? 32 : 1;
}

/* Lines that a warp touches in a buffer of so many bytes. */
static double lines(double stride, double bytes, double all) {
  static const double APART =
      0.75; /* lines of one access that are not neighbours overlap a little */
  if (isnan(stride))
    return fmax(1, APART * distinct(all / LINE));
  return (fabs(stride) > bytes ? APART : 1) *
         fmin(fmax(1, fmax(fabs(stride), stride == 0 ? 0 : bytes) * 32 / LINE),
              32 * fmax(1, bytes / LINE));
}

static bool is_atomic(const ww_qwalker *w, uint32_t i) {
  return i > 2 && ww_qop_at(w, i - 1, '&') && ww_qop_at(w, i - 2, '(') &&
         w->t[i - 3].kind == Q_WORD && ww_starts(w->t[i - 3].s, "atom");
}

static double buffer_bytes(const ww_qwalker *w, const ww_qsym *y) { /* NaN: not known */
  const ww_arg *g =
      y->param >= 0 && (uint32_t)y->param < w->l->nargs ? &w->l->args[y->param] : NULL;
  return g && g->kind == WW_ARG_BUFFER ? (double)g->buffer.bytes : NAN;
}

static bool has_zipf(const ww_launch *l) {
  for (uint32_t i = 0; i < l->nargs; i++)
    if (l->args[i].kind == WW_ARG_BUFFER && l->args[i].buffer.fill.kind == WW_FILL_ZIPF)
      return true;
  return false;
}

/* Atomics that memory takes in a cycle, by the words that their addresses go over: few
 * words are few queues. */
static double atomic_rate(const ww_qwalker *w, const ww_qsym *y, const ww_qval *at) {
  static const double ONE_WORD = 0.7;
  static const double FLOAT = 0.3;
  static const double PAGE = 2048;
  static const double PAGE_RATE = 2;
  static const double RANDOM = 36;
  static const double AFAR = 13;
  static const double NEIGHBOURS = 280;
  double bytes = element_bytes(y);
  double range = (fabs(at->at[3] - at->at[0]) + 1) * bytes;
  double all = buffer_bytes(w, y);
  bool known = !isnan(range);
  if (!known)
    range = isnan(all) ? PAGE : all;
  double rate = fmin(known              ? NEIGHBOURS
                     : range > L2_HOLDS ? AFAR
                                        : RANDOM,
                     PAGE_RATE * (known ? 8 : 1) * fmax(1, range / PAGE));
  double word = y->type == 'f' || y->type == 'd' ? FLOAT : ONE_WORD;
  return fmin(rate, word * fmax(1, range / bytes)) / (has_zipf(w->l) ? 1.5 : 1);
}

static void table_at(ww_qwalker *w, uint32_t i) {
  ww_qval at = ww_qvalue_of(w, i + 2, w->t[i + 1].pair);
  double elements = w->pitch[w->t[i].sym];
  if (at.at[0] == at.at[1])
    return; /* else, or not known: one word after the other */
  ww_qwork_add(w, Q_C_tables, 1);
  ww_qwork_add(w, Q_C_lines, TABLE_CYCLES * distinct(elements > 0 ? elements : NAN));
}

/* A load at token i whose index ends at `close` is waited for; one inside another's
 * index comes before it. */
static void wait_for(ww_qwalker *w, uint32_t i, uint32_t close, double cycles) {
  ww_qissue *n = &w->now;
  double all = cycles + (i < n->outer ? n->outer_load : 0);
  n->load = fmax(n->load, all);
  if (i >= n->outer || close > n->outer)
    n->outer = close;
  n->outer_load = all;
}

/* What the next iteration of the loop around adds to an index; NaN: not known. */
static double
next_iteration(ww_qwalker *w, uint32_t from, uint32_t to, const ww_qval *at) {
  if (w->loop_var < 0 || isnan(w->loop_by))
    return NAN;
  for (uint32_t i = from; w->naround && i < to;
       i++) /* a variable that is worked out anew each time */
    if (w->t[i].sym >= 0 && w->t[i].sym != w->loop_var &&
        w->around[w->naround - 1].variant[w->t[i].sym])
      return NAN;
  ww_qval kept = w->value[w->loop_var];
  for (int k = 0; k < 4; k++)
    w->value[w->loop_var].at[k] += w->loop_by;
  ww_qval next = ww_qvalue_of(w, from, to);
  w->value[w->loop_var] = kept;
  return next.at[0] - at->at[0];
}

/* Did the same statement's neighbours just bring it? */
static bool
was_seen(ww_qwalker *w, int32_t sym, double stride, double at, double bytes) {
  double reach = fabs(stride) <= bytes ? LINE : SECTOR;
  for (uint32_t k = 0; k < w->nseen && k < Q_SEEN; k++) {
    const ww_qseen *s = &w->seen[k];
    if (s->sym == sym && s->stride == stride && s->weight == w->runs.threads &&
        fabs(s->at - at) * bytes < reach)
      return true;
  }
  w->seen[w->nseen++ % Q_SEEN] = (ww_qseen){sym, stride, at, w->runs.threads};
  return false;
}

/* Bytes a lane that really go to L2, 0: L1 has it. */
static double moved_by(ww_qwalker *w,
                       int32_t sym,
                       double stride,
                       const ww_qval *at,
                       double bytes,
                       double iteration) {
  if (isnan(stride))
    return fmax(SECTOR, bytes);
  double all = sectors(stride, bytes);
  double on = fabs(iteration) * bytes;
  if (iteration == 0 || was_seen(w, sym, stride, at->at[0], bytes))
    return 0;
  return on < all ? (on < SECTOR && fabs(stride) <= bytes && stride != 0 ? fmin(all, on)
                                                                         : on)
                  : all;
}

typedef struct {
  bool load, store;
} direction;

static direction direction_of(const ww_qwalker *w, uint32_t behind) {
  if (behind + 1 < w->ntokens && ww_qop_at(w, behind, '.'))
    behind += 2;
  const ww_qtoken *next = behind < w->ntokens ? &w->t[behind] : NULL;
  bool store = next && ww_qassigns(next);
  return (direction){!store || next->op != '=', store};
}

/* p[index] at token i: load, store or both; how lanes lie. */
static void access_at(ww_qwalker *w, uint32_t i, const ww_qsym *y) {
  uint32_t open = i + 1;
  uint32_t close = w->t[open].pair;
  int32_t sym = w->t[i].sym;
  ww_qval at = ww_qvalue_of(w, open + 1, close);
  double bytes = element_bytes(y);
  double stride = (at.at[1] - at.at[0]) * bytes;
  double all = buffer_bytes(w, y);
  char mark = isnan(stride) ? '?' : stride == 0 ? '~' : fabs(stride) <= bytes ? 0 : '!';
  uint32_t slot = w->w->first[w->part] + i;
  w->w->mark[slot] = mark;
  if (is_atomic(w, i)) {
    ww_qwork_add(w, Q_C_conflicts, 1 / atomic_rate(w, y, &at));
    return;
  }
  direction d = direction_of(w, close + 1);
  double n = d.load + d.store;
  w->asked[sym] += n * bytes * w->runs.threads;
  if (d.load) {
    ww_qwork_add(w, Q_C_loads, 1);
    ww_qwork_add(w, Q_C_load_bytes, bytes);
  }
  if (d.store)
    ww_qwork_add(w, Q_C_store_bytes, bytes);
  bool near = all < NEAR;
  if (near && mark == '?')
    w->w->mark[slot] = '`';
  double iteration = isnan(stride) ? NAN : next_iteration(w, open + 1, close, &at);
  double moved = near ? 0 : moved_by(w, sym, stride, &at, bytes, iteration);
  if (moved == 0)
    ww_qwork_add(w, Q_C_near, n);
  else {
    ww_qwork_add(w, Q_C_moved_bytes, n * moved);
    w->moved[sym] += n * moved * w->runs.threads;
  }
  ww_qwork_add(w, Q_C_lines, n * lines(stride, bytes, all));
  if (mark == '?' && !near)
    ww_qwork_add(w, Q_C_gathers, n);
  if (d.store && moved >= SECTOR)
    ww_qwork_add(w, Q_C_scattered, 1);
  double first = w->l->warm || !(all < L2_HOLDS) ? all > L2_HOLDS : w->first[sym];
  double wait = near         ? L1_WAIT + w->first[sym] * (L2_WAIT - L1_WAIT)
                : moved == 0 ? L1_WAIT
                             : L2_WAIT + first * (DRAM_WAIT - L2_WAIT);
  if (d.load)
    wait_for(w, i, close, wait);
  w->now.store |= d.store;
}

/* Ways of a bank conflict, by how many words a lane is apart from its neighbour. */
static double ways(double stride, double bytes) {
  if (isnan(stride))
    return 3;
  double words = fmod(fabs(stride) * bytes / 4, 32);
  if (stride == 0 || words != floor(words))
    return 1;
  if (words == 0)
    return 32;
  uint32_t a = words;
  uint32_t b = 32;
  while (a) {
    uint32_t r = b % a;
    b = a;
    a = r;
  }
  return fmax(b, fmax(1, bytes / 4));
}

static void shared_at(ww_qwalker *w, uint32_t i, const ww_qsym *y) {
  uint32_t close = w->t[i + 1].pair;
  ww_qval at = ww_qvalue_of(w, i + 2, close);
  double stride = at.at[1] - at.at[0];
  double pitch = w->pitch[w->t[i].sym];
  if (close + 1 < w->ntokens && ww_qop_at(w, close + 1, '[')) { /* t[row][column] */
    uint32_t end = w->t[close + 1].pair;
    ww_qval column = ww_qvalue_of(w, close + 2, end);
    stride = stride * (pitch > 0 ? pitch : NAN) + (column.at[1] - column.at[0]);
    if (at.at[1] == at.at[0])
      stride = column.at[1] - column.at[0];
    close = end;
  }
  direction d = direction_of(w, close + 1);
  double n = d.load + d.store;
  ww_qwork_add(w, Q_C_shared, n);
  ww_qwork_add(w, Q_C_lines, n * ways(stride, element_bytes(y)));
  if (d.load)
    wait_for(w, i, close, SHARED_WAIT);
  w->now.store |= d.store;
}

/* An array of the thread: in registers, unless one of its indices comes from memory. */
static void array_at(ww_qwalker *w, uint32_t i) {
  uint32_t close = w->t[i + 1].pair;
  int32_t sym = w->t[i].sym;
  bool unknown = isnan(ww_qvalue_of(w, i + 2, close).at[0]);
  w->dynamic[sym] |= unknown;
  if (!w->dynamic[sym])
    return;
  direction d = direction_of(w, close + 1);
  double n = d.load + d.store;
  double bytes = element_bytes(&w->k->syms.v[sym]);
  double elements = w->pitch[sym];
  double all = elements * bytes * w->resident;
  ww_qwork_add(w, Q_C_locals, n);
  ww_qwork_add(w, Q_C_lines,
               n * (unknown ? LOCAL_LINE * distinct(elements) : 1) *
                   fmax(1, bytes / 4));
  if (all > L1_HOLDS)
    ww_qwork_add(w, Q_C_moved_bytes, n * (unknown ? SECTOR : bytes));
  if (d.load)
    wait_for(w, i, close, all > L1_HOLDS ? L2_WAIT : L1_WAIT);
}

/* ---- operations ---- */

static char rank(char a, char b) {
  static const char order[] = "obcsiulhfd";
  const char *x = strchr(order, a);
  const char *y = strchr(order, b);
  return (x ? x : order) > (y ? y : order) ? a : b;
}

/* The type of the operand at or behind i. */
static char operand_type(const ww_qwalker *w, uint32_t i) {
  for (uint32_t k = i; k < w->ntokens && k < i + 6; k++) {
    const ww_qtoken *t = &w->t[k];
    if (t->kind == Q_INT || t->kind == Q_FLOAT)
      return t->type;
    if (t->sym >= 0)
      return w->k->syms.v[t->sym].type;
    if (t->kind == Q_WORD)
      return 'f';
  }
  return 'i';
}

static const ww_qcount kinds[4] = {Q_C_fp32, Q_C_fp64, Q_C_fp16, Q_C_integer};

static void arithmetic(ww_qwalker *w, uint32_t op, char type, uint32_t i) {
  int kind = type == 'f' ? 0 : type == 'd' ? 1 : type == 'h' ? 2 : 3;
  int e;
  if (op == '/' || op == '%') {
    static const double units[4] = {0.8, 2, 1, 1.5};
    const ww_qtoken *by = i + 1 < w->ntokens ? &w->t[i + 1] : &w->t[i];
    bool constant = by->kind == Q_INT || by->kind == Q_FLOAT ||
                    (by->kind == Q_WORD && by->sym < 0 && kind == 3);
    bool power = constant && frexp(by->value, &e) == 0.5;
    ww_qwork_add(w, Q_C_divisions,
                 (power                   ? 0.1
                  : constant && kind == 3 ? 0.3
                                          : units[kind]) *
                     (type == 'l' ? 3 : 1));
    return;
  }
  /* most of an address is worked out once, or goes into the instruction */
  bool index = i < w->now.brackets;
  ww_qwork_add(w, kinds[kind],
               index         ? 0.4
               : type != 'l' ? 1
               : op == '*'   ? 4
                             : 2); /* 64 bits are two words */
  if (index)
    return;
  if (op == '*')
    w->now.times[kind]++;
  if (op == '+' || op == '-')
    w->now.plus[kind]++;
}

/* Functions of many instructions, in units of an exp; 0: another one. */
static double special_of(const ww_qtoken *t) {
  static const struct {
    const char *names;
    double units;
  } rows[] = {{"__exp __log __sin __cos native_", 0.3},
              {"__pow __tan", 0.6},
              {"rsqrt __frsqrt", 0.7},
              {"exp sqrt __fsqrt", 1},
              {"log", 1.2},
              {"tanh", 1.5}, /* before tan */
              {"sin cos asin acos atan cbrt hypot", 2},
              {"erf", 2.5},
              {"tan fmod", 3},
              {"pow", 4},
              {"lgamma tgamma", 6}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (ww_qtoken_begins(t, rows[i].names))
      return rows[i].units;
  return 0;
}

/* A function of the language. */
static void builtin_call(ww_qwalker *w, const ww_qtoken *t, uint32_t i) {
  static const double DOUBLE = 4; /* as many instructions, and they are of FP64 */
  char type = operand_type(w, i + 2 < w->ntokens ? i + 2 : i);
  bool wide = type == 'd' && t->s[t->n - 1] != 'f';
  double special = special_of(t);
  if (special > 0) {
    ww_qwork_add(w, Q_C_special, special * (wide ? DOUBLE : 1));
    if (wide)
      ww_qwork_add(w, Q_C_fp64, 15 * special);
    return;
  }
  if (ww_qtoken_begins(t, "fma") && !ww_qtoken_begins(t, "fmax"))
    ww_qwork_add(w, wide ? Q_C_fp64 : Q_C_fp32, 1);
  else if (ww_qtoken_begins(t, "atom")) {
    ww_qwork_add(w, Q_C_atomics, 1);
    if (i > 0 && ww_qop_in(&w->t[i - 1], "= ( [")) /* its result is used */
      w->now.load = fmax(w->now.load, ATOMIC_WAIT);
  } else if (ww_qtoken_begins(t, "sync __syncwarp"))
    ww_qwork_add(w, Q_C_barriers, 1);
  else if (ww_qtoken_begins(t, "__shfl __ballot sub_group __reduce"))
    ww_qwork_add(w, Q_C_shuffles, 1);
  else
    ww_qwork_add(w, type == 'd' ? Q_C_fp64 : type == 'f' ? Q_C_fp32 : Q_C_integer, 1);
}

static bool is_unary(const ww_qwalker *w, uint32_t i) {
  if (!i)
    return true;
  const ww_qtoken *p = &w->t[i - 1];
  if (p->kind != Q_PUNCT)
    return ww_qtoken_is(p, "return");
  return !ww_qop_in(p, ") ]");
}

static void operator_at(ww_qwalker *w, uint32_t i, char last) {
  const ww_qtoken *t = &w->t[i];
  if (t->op == '?')
    ww_qwork_add(w, Q_C_branches, 0.5);
  else if (ww_qop_in(t, "+= -= *= /=") ||
           (ww_qop_in(t, "+ - * / %") && !is_unary(w, i)))
    arithmetic(w, t->op & 255, rank(last, operand_type(w, i + 1)), i);
  else if (ww_qop_in(t, "^ | & << >> ^= |= &= <<= >>= ++ --") && !is_unary(w, i))
    ww_qwork_add(w, Q_C_integer, i < w->now.brackets ? 0.4 : last == 'l' ? 2 : 1);
}

/* ---- expressions ---- */

/* Functions that branch inside are not moved out of loops. */
static bool stays(const ww_qwalker *w, uint32_t i) {
  const ww_qtoken *t = &w->t[i];
  double units = special_of(t);
  if (ww_qtoken_begins(t, "sqrt rsqrt __ native_ cbrt") || units == 0 ||
      i + 2 >= w->ntokens)
    return false;
  bool wide = t->s[t->n - 1] != 'f' && operand_type(w, i + 2) == 'd';
  return wide || units > 1.9;
}

bool ww_qwork_changes(const ww_qwalker *w,
                      const ww_qaround *loop,
                      uint32_t from,
                      uint32_t to) {
  for (uint32_t i = from; i < to; i++) {
    const ww_qtoken *t = &w->t[i];
    if (t->kind != Q_WORD)
      continue;
    const ww_qsym *y = ww_qsym_of(w->k, t->sym);
    bool memory = y && (y->kind == Q_SHARED || (is_global(y) && !y->is_const));
    if (y ? loop->variant[t->sym] || memory || y->kind == Q_FUNCTION
          : ww_qword_acts(t) || stays(w, i))
      return true;
  }
  return false;
}

static bool changes(const ww_qwalker *w, uint32_t from, uint32_t to) {
  return !w->naround || ww_qwork_changes(w, &w->around[w->naround - 1], from, to);
}

/* The operand that ends at i, or begins there. */
static bool operand_changes(const ww_qwalker *w, uint32_t i, bool left) {
  while (left && i > 1 && ww_qop_at(w, i - 1, '.'))
    i -= 2; /* v of v.x */
  const ww_qtoken *t = &w->t[i];
  if (t->kind != Q_PUNCT) {
    uint32_t to = i + 1;
    if (!left && to < w->ntokens && ww_qop_in(&w->t[to], "( ["))
      to = w->t[to].pair + 1;
    return changes(w, i, to);
  }
  if (left && t->pair < i)
    return changes(w, t->pair ? t->pair - 1 : 0, i);
  if (!left && t->pair > i)
    return changes(w, i, t->pair);
  return true;
}

/* Both operands are the same in every iteration: worked out before the loop. */
static bool hoisted(const ww_qwalker *w, uint32_t i) {
  return w->naround && i && i + 1 < w->ntokens && !operand_changes(w, i - 1, true) &&
         !operand_changes(w, i + 1, false);
}

/* (..) at i, with the function before it: the same in every iteration. */
static bool group_hoisted(const ww_qwalker *w, uint32_t i, uint32_t to) {
  return w->naround && w->t[i].pair > i && w->t[i].pair < to &&
         !changes(w, i, w->t[i].pair);
}

static void word_at(ww_qwalker *w, uint32_t i, uint32_t to) {
  const ww_qtoken *t = &w->t[i];
  const ww_qsym *y = ww_qsym_of(w->k, t->sym);
  bool element = i + 1 < to && ww_qop_at(w, i + 1, '['),
       call = i + 1 < to && ww_qop_at(w, i + 1, '(');
  if (!y) {
    if (call)
      builtin_call(w, t, i);
    return;
  }
  if (t->sym != w->now.late && i != w->now.target) {
    w->now.ready = fmax(w->now.ready, w->ready[t->sym]);
    for (uint32_t n = 0; n < w->naround; n++)
      w->now.serial |= (uint32_t)w->around[n].serial[t->sym] << n;
  }
  if (element && is_global(y))
    access_at(w, i, y);
  else if (element && y->kind == Q_SHARED)
    shared_at(w, i, y);
  else if (element && y->kind == Q_ARRAY)
    array_at(w, i);
  else if (element && y->kind == Q_GLOBAL)
    table_at(w, i);
  else if (is_global(y) && i > 1 && ww_qop_at(w, i - 1, '(') &&
           ww_starts(w->t[i - 2].s, "atom"))
    ww_qwork_add(w, Q_C_conflicts, 1.4);
  if (y->kind == Q_FUNCTION)
    ww_qwalk_call(w, i, y);
}

/* a * b + c is one instruction. */
static void fuse(ww_qwalker *w) {
  for (int k = 0; k < 4; k++)
    ww_qwork_add(w, kinds[k], -fmin(w->now.times[k], w->now.plus[k]));
}

/* x of x += .., which the rest does not wait for. */
static int32_t late_of(const ww_qwalker *w, uint32_t from, uint32_t to) {
  int32_t sym = from + 1 < to ? w->t[from].sym : -1;
  if (sym < 0)
    return -1;
  const ww_qtoken *op = &w->t[from + 1];
  uint32_t at = from + 2; /* x = x + .., x = fmaxf(x, ..) */
  if (at + 1 < to && w->t[at].kind == Q_WORD && w->t[at].sym < 0 &&
      ww_qop_at(w, at + 1, '(') && special_of(&w->t[at]) == 0)
    at += 2;
  if (op->op == '=' && at < to && w->t[at].sym == sym) {
    for (uint32_t i = at + 1; i < to; i++)
      if (w->t[i].sym == sym)
        return -1; /* more than once */
    return sym;
  }
  /* a loop's counter is not waited for either */
  bool compared = ww_qop_in(op, "<= >=");
  return (ww_qassigns(op) && op->n > 1) || compared ? sym : -1;
}

void ww_qwork(ww_qwalker *w, uint32_t from, uint32_t to) {
  char last = 'i';
  char kept[Q_NESTED];
  uint32_t depth = 0;
  while (from < to && w->t[from].skip)
    from++;
  w->now = (ww_qissue){.late = late_of(w, from, to), .target = UINT32_MAX};
  if (from + 1 < to && ww_qop_at(w, from + 1, '='))
    w->now.target = from;
  for (uint32_t i = from; i < to && w->steps < Q_STEPS; i++, w->steps++) {
    const ww_qtoken *t = &w->t[i];
    if (t->kind == Q_INT || t->kind == Q_FLOAT) {
      last = t->type;
    } else if (t->kind == Q_WORD) {
      if (t->sym >= 0)
        last = w->k->syms.v[t->sym].type;
      bool call = i + 1 < to && t->sym < 0 && ww_qop_at(w, i + 1, '(');
      if (call && group_hoisted(w, i + 1, to) && !changes(w, i, i + 1)) {
        i = w->t[i + 1].pair;
        continue;
      }
      word_at(w, i, to);
    } else if (ww_qop_in(t, "( [")) {
      if (t->op == '[' && t->pair > w->now.brackets)
        w->now.brackets = t->pair;
      if (depth < Q_NESTED)
        kept[depth] = last;
      depth++;
    } else if (ww_qop_in(t, ") ]") && depth) {
      depth--;
      if (t->op == ']' && depth < Q_NESTED)
        last = kept[depth];
    } else if (!hoisted(w, i))
      operator_at(w, i, last);
  }
  fuse(w);
}

/* Iterations that do not wait for each other overlap, as far as the compiler unrolls.
 */
static double overlap(const ww_qwalker *w) {
  static const double MOST = 24;
  double all = 1;
  for (uint32_t n = w->naround; n > 0; n--) {
    if (!(w->now.serial >> (n - 1) & 1))
      all *= w->around[n - 1].unroll;
    if (!w->around[n - 1].written_out)
      break;
  }
  return fmin(all, MOST);
}

double ww_qwork_done(ww_qwalker *w) {
  static const double DEPTH = 0.6;
  /* of an expression's operations stand one behind the other; cycles of the last one */
  static const double LATE = 5;
  const ww_qissue *n = &w->now;
  double start = fmax(w->clock, n->ready);
  double over = overlap(w);
  double done = start + (n->load + DEPTH * fmax(n->chain, 0)) / over;
  w->clock = start + fmax(n->issue, 0);
  if (n->store)
    w->stored = fmax(w->stored, done);
  return n->late >= 0 ? fmax(done, w->ready[n->late] + LATE / over) : done;
}
