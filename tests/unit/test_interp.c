/* test_interp.c - control flow of the interpreter, in every combination of lanes and
 * instruction set: random programs against a plain thread-by-thread interpreter, then
 * each construct by itself.
 */
#include "rig.h"

enum { THREADS = 80 };

static uint32_t live_lanes(uint32_t t, uint32_t lanes) {
  return THREADS - t / lanes * lanes < lanes ? THREADS - t / lanes * lanes : lanes;
}

/* ---- one thread of a kernel, plainly: no lanes, no masks, no slots ---- */

typedef struct {
  rig *r;
  uint32_t tid;
  bool gone; /* exit */
  uint64_t steps;
} thread;

static void
run_plain(thread *th, const ww_fn *fn, const uint64_t *args, uint64_t *results);

static void plain_ins(thread *th, const ww_fn *fn, const ww_ins *i, uint64_t *v) {
  uint64_t a = i->a != WW_NOVAL ? v[i->a] : 0, b = i->b != WW_NOVAL ? v[i->b] : 0,
           c = i->c != WW_NOVAL ? v[i->c] : 0;
  switch (i->op) {
  case WW_OP_SREG:
    v[i->dst] = i->sub == WW_SREG_TID_X ? th->tid : 0;
    break;
  case WW_OP_LD:
    v[i->dst] = 0;
    memcpy(&v[i->dst], ww_memory_at(th->r->s.memory, a + (uint64_t)i->imm, 4), 4);
    break;
  case WW_OP_ST:
    memcpy(ww_memory_at(th->r->s.memory, a + (uint64_t)i->imm, 4), &v[fn->pool[i->ext]],
           4);
    break;
  case WW_OP_CALL:
  case WW_OP_CALLI: {
    uint64_t args[8], out[8];
    const ww_fn *callee =
        &th->r->m->fns[i->op == WW_OP_CALL ? (uint64_t)i->imm : (a - WW_FN_BASE) / 16];
    for (uint32_t n = 0; n < i->n; n++)
      args[n] = v[fn->pool[i->ext + n]];
    run_plain(th, callee, args, out);
    for (uint32_t n = 0; n < i->nres; n++)
      v[i->dst + n] = out[n];
    break;
  }
  default:
    v[i->dst] = ww_scalar(i, i->a != WW_NOVAL ? fn->vals[i->a].type : 0,
                          i->b != WW_NOVAL ? fn->vals[i->b].type : 0, a, b, c);
  }
}

static uint32_t plain_target(const ww_fn *fn, const ww_ins *t, const uint64_t *v) {
  if (t->op == WW_OP_BR)
    return (uint32_t)t->imm;
  if (t->op == WW_OP_CBR)
    return v[t->a] & 1 ? (uint32_t)t->imm : t->ext;
  for (uint32_t k = 0; k < t->n; k++)
    if (v[fn->pool[t->ext + 2 * k]] == v[t->a])
      return fn->pool[t->ext + 2 * k + 1];
  return (uint32_t)t->imm;
}

static void plain_phis(const ww_fn *fn, uint32_t from, uint32_t to, uint64_t *v) {
  const ww_block *b = &fn->blocks[to];
  uint64_t in[64];
  for (uint32_t k = 0; k < b->nphis; k++)
    for (uint32_t n = 0; n < b->phis[k].n; n++)
      if (fn->pool[b->phis[k].ext + 2 * n] == from)
        in[k] = v[fn->pool[b->phis[k].ext + 2 * n + 1]];
  for (uint32_t k = 0; k < b->nphis; k++)
    v[b->phis[k].dst] = in[k];
}

static void
run_plain(thread *th, const ww_fn *fn, const uint64_t *args, uint64_t *results) {
  uint64_t *v = calloc(fn->nvals + 1, 8);
  for (uint32_t k = 0; k < fn->nvals; k++)
    v[k] = fn->vals[k].kind == WW_VAL_PARAM ? args[fn->vals[k].ref]
           : fn->vals[k].kind == WW_VAL_FN  ? WW_FN_BASE + 16ull * fn->vals[k].ref
                                            : fn->vals[k].bits;
  for (uint32_t at = 0; !th->gone;) {
    const ww_block *b = &fn->blocks[at];
    for (uint32_t k = 0; k + 1 < b->nins && !th->gone; k++) {
      plain_ins(th, fn, &b->ins[k], v);
      th->steps++;
    }
    const ww_ins *t = &b->ins[b->nins - 1];
    if (th->gone)
      break;
    if (t->op == WW_OP_EXIT || t->op == WW_OP_RET) {
      th->gone |= t->op == WW_OP_EXIT;
      for (uint32_t n = 0; n < t->n; n++)
        results[n] = v[fn->pool[t->ext + n]];
      break;
    }
    uint32_t to = plain_target(fn, t, v);
    plain_phis(fn, at, to, v);
    at = to;
  }
  free(v);
}

/* ---- random programs over four variables ---- */

enum { VARS = 4 };

typedef struct {
  ww_buf text;
  uint32_t names, labels, depth, budget;
  char here[16];         /* current block */
  char var[VARS][16];    /* current value of each variable */
  bool kernel, callable; /* may exit; has functions to call */
} program;

static void fresh(program *p, char out[16]) {
  snprintf(out, 16, "%%v%u", p->names++);
}
static void block(program *p, const char *name) {
  ww_buf_fmt(&p->text, "@%s:\n", name);
  snprintf(p->here, sizeof p->here, "%s", name);
}
static uint32_t die(uint32_t n) {
  return (uint32_t)(rig_random() % n);
}

static void statement(program *p);

static void statements(program *p) {
  for (uint32_t n = 1 + die(3); n-- && p->budget;)
    statement(p);
}

static void assign(program *p) {
  static const char *const ops[] = {"add", "sub", "xor", "mul", "and", "or", "umin"};
  uint32_t k = die(VARS), a = die(VARS), b = die(VARS);
  char d[16];
  fresh(p, d);
  if (die(4))
    ww_buf_fmt(&p->text, "  %s = %s i32 %s, %s\n", d, ops[die(7)], p->var[a],
               p->var[b]);
  else
    ww_buf_fmt(&p->text, "  %s = add i32 %s, %u\n", d, p->var[a], die(1000));
  strcpy(p->var[k], d);
}

static void permute(program *p) { /* no code: the next phis swap or rotate */
  char t[16];
  uint32_t a = die(VARS), b = die(VARS), c = die(VARS);
  memcpy(t, p->var[a], 16);
  memcpy(p->var[a], p->var[b], 16);
  memmove(p->var[b], p->var[c], 16);
  memcpy(p->var[c], t, 16);
}

/* Phis that join the variables of n predecessors. */
static void join(program *p, uint32_t n, char from[][16], char vars[][VARS][16]) {
  for (uint32_t k = 0; k < VARS; k++) {
    char d[16];
    fresh(p, d);
    ww_buf_fmt(&p->text, "  %s = phi i32", d);
    for (uint32_t i = 0; i < n; i++)
      ww_buf_fmt(&p->text, " [@%s %s]", from[i], vars[i][k]);
    ww_buf_puts(&p->text, "\n");
    strcpy(p->var[k], d);
  }
}

static void if_else(program *p) {
  char c[16], m[16], yes[16], no[16], end[16], from[2][16], vars[2][VARS][16],
      before[VARS][16];
  uint32_t id = p->labels++, leave = p->kernel && !die(12);
  snprintf(yes, 16, "y%u", id);
  snprintf(no, 16, "n%u", id);
  snprintf(end, 16, "e%u", id);
  fresh(p, m);
  fresh(p, c);
  ww_buf_fmt(&p->text,
             "  %s = and i32 %s, %u\n  %s = icmp.ne i32 %s, 0\n  cbr %s, @%s, @%s\n", m,
             p->var[die(VARS)], leave ? 7 : 1u << die(4), c, m, c, yes, no);
  memcpy(before, p->var, sizeof before);
  block(p, yes);
  statements(p);
  ww_buf_fmt(&p->text, "  br @%s\n", end);
  strcpy(from[0], p->here);
  memcpy(vars[0], p->var, sizeof before);
  memcpy(p->var, before, sizeof before);
  block(p, no);
  if (leave) {
    ww_buf_puts(&p->text, "  exit\n");
  } else {
    if (die(3))
      statements(p);
    ww_buf_fmt(&p->text, "  br @%s\n", end);
  }
  strcpy(from[1], p->here);
  memcpy(vars[1], p->var, sizeof before);
  block(p, end);
  join(p, leave ? 1 : 2, from, vars);
}

static void switch_case(program *p) {
  uint32_t id = p->labels++;
  char m[16], from[4][16], vars[4][VARS][16], before[VARS][16], name[16];
  fresh(p, m);
  ww_buf_fmt(&p->text,
             "  %s = and i32 %s, 7\n  switch i32 %s, @c%u_0, 1 @c%u_1, 2 @c%u_2, 5 "
             "@c%u_1, 6 @c%u_3\n",
             m, p->var[die(VARS)], m, id, id, id, id, id);
  memcpy(before, p->var, sizeof before);
  for (uint32_t k = 0; k < 4; k++) {
    memcpy(p->var, before, sizeof before);
    snprintf(name, 16, "c%u_%u", id, k);
    block(p, name);
    if (die(3))
      statements(p);
    else
      permute(p);
    ww_buf_fmt(&p->text, "  br @s%u\n", id);
    strcpy(from[k], p->here);
    memcpy(vars[k], p->var, sizeof before);
  }
  snprintf(name, 16, "s%u", id);
  block(p, name);
  join(p, 4, from, vars);
}

/* A loop of 1 to 4 rounds by lane; may break out of its middle. Behind it the last
 * values, and sometimes those before them, live on. */
static void loop(program *p) {
  uint32_t id = p->labels++;
  bool leaves = !die(3);
  char n[16], m[16], c[16], head[16], entry[16], enter[VARS][16], phi[VARS][16],
      name[16], from[2][16], vars[2][VARS][16];
  fresh(p, m);
  fresh(p, n);
  ww_buf_fmt(&p->text, "  %s = and i32 %s, 3\n  %s = add i32 %s, 1\n  br @h%u\n", m,
             p->var[die(VARS)], n, m, id);
  strcpy(entry, p->here);
  memcpy(enter, p->var, sizeof enter);
  snprintf(head, 16, "h%u", id);
  block(p, head);
  size_t hole = p->text.n; /* phis come here once the latch is known */
  for (uint32_t k = 0; k < VARS; k++) {
    fresh(p, phi[k]);
    strcpy(p->var[k], phi[k]);
  }
  statements(p);
  if (!die(2))
    permute(p);
  if (leaves) {
    fresh(p, m);
    fresh(p, c);
    ww_buf_fmt(&p->text,
               "  %s = and i32 %s, 3\n  %s = icmp.eq i32 %s, 3\n  cbr %s, @x%u, @m%u\n",
               m, p->var[die(VARS)], c, m, c, id, id);
    strcpy(from[1], p->here);
    memcpy(vars[1], p->var, sizeof enter);
    snprintf(name, 16, "m%u", id);
    block(p, name);
    if (die(2))
      statements(p);
  }
  fresh(p, c);
  ww_buf_fmt(&p->text,
             "  %%i%ub = add i32 %%i%u, 1\n  %s = icmp.ult i32 %%i%ub, %s\n  cbr %s, "
             "@h%u, @x%u\n",
             id, id, c, id, n, c, id, id);
  strcpy(from[0], p->here);
  memcpy(vars[0], p->var, sizeof enter);
  ww_buf phis = {0};
  ww_buf_fmt(&phis, "  %%i%u = phi i32 [@%s 0] [@%s %%i%ub]\n", id, entry, p->here, id);
  for (uint32_t k = 0; k < VARS; k++)
    ww_buf_fmt(&phis, "  %s = phi i32 [@%s %s] [@%s %s]\n", phi[k], entry, enter[k],
               p->here, p->var[k]);
  ww_buf rest = {0};
  ww_buf_puts(&rest, p->text.s + hole);
  p->text.n = hole;
  p->text.s[hole] = 0;
  ww_buf_add(&p->text, phis.s, phis.n);
  ww_buf_add(&p->text, rest.s, rest.n);
  ww_buf_free(&phis);
  ww_buf_free(&rest);
  if (!die(3))
    strcpy(vars[0][die(VARS)], phi[die(VARS)]); /* the value before the last */
  if (!leaves && !die(3))
    snprintf(vars[0][die(VARS)], 16, die(2) ? "%%i%u" : "%%i%ub", id);
  snprintf(name, 16, "x%u", id);
  block(p, name);
  if (leaves || die(2))
    join(p, leaves ? 2 : 1, from, vars);
  else
    memcpy(p->var, vars[0], sizeof enter); /* no copies: the rows themselves must have
                                              kept what lanes that left had */
}

static void call(program *p) {
  char d[VARS][16], target[16];
  for (uint32_t k = 0; k < VARS; k++)
    fresh(p, d[k]);
  if (die(2))
    snprintf(target, 16, "$f%u", die(2));
  else {
    char m[16], c[16];
    fresh(p, m);
    fresh(p, c);
    fresh(p, target);
    ww_buf_fmt(&p->text,
               "  %s = and i32 %s, 2\n  %s = icmp.ne i32 %s, 0\n  %s = select i64 %s, "
               "$f0, $f1\n",
               m, p->var[die(VARS)], c, m, target, c);
  }
  ww_buf_fmt(&p->text, "  %s:i32, %s:i32, %s:i32, %s:i32 = %s %s(%s, %s, %s, %s)\n",
             d[0], d[1], d[2], d[3], target[0] == '$' ? "call" : "calli", target,
             p->var[0], p->var[1], p->var[2], p->var[3]);
  memcpy(p->var, d, sizeof d);
}

static void statement(program *p) {
  uint32_t kind = die(12);
  if (p->budget)
    p->budget--;
  if (p->depth > 4 || kind < 4)
    assign(p);
  else {
    p->depth++;
    if (kind < 6)
      if_else(p);
    else if (kind < 8)
      loop(p);
    else if (kind < 9)
      switch_case(p);
    else if (kind < 10)
      permute(p);
    else if (p->callable)
      call(p);
    else
      assign(p);
    p->depth--;
  }
}

static char *random_program(void) {
  program p = {0};
  ww_buf_puts(&p.text, "module cuda warp 32\n");
  for (uint32_t f = 0; f < 2; f++) {
    ww_buf_fmt(&p.text,
               "fn $f%u {\n  param %%a i32\n  param %%b i32\n  param %%c i32\n  param "
               "%%d i32\n",
               f);
    for (uint32_t k = 0; k < VARS; k++)
      snprintf(p.var[k], 16, "%%%c", "abcd"[k]);
    p.names = p.labels = 0;
    p.budget = 8;
    p.callable = false;
    p.kernel = false;
    block(&p, "entry");
    statements(&p);
    if (die(2)) { /* two returns: lanes come back one after the other */
      char m[16], c[16];
      fresh(&p, m);
      fresh(&p, c);
      ww_buf_fmt(&p.text,
                 "  %s = and i32 %s, 4\n  %s = icmp.ne i32 %s, 0\n  cbr %s, @r1, "
                 "@r2\n@r1:\n  ret "
                 "%s, %s, %s, 7:i32\n@r2:\n",
                 m, p.var[0], c, m, c, p.var[3], p.var[1], p.var[0]);
    }
    ww_buf_fmt(&p.text, "  ret %s, %s, %s, %s\n}\n", p.var[0], p.var[1], p.var[2],
               p.var[3]);
  }
  ww_buf_puts(&p.text, "fn $k kernel {\n  param %in i64 pointer global\n  param %out "
                       "i64 pointer global\n");
  p.names = p.labels = 0;
  p.budget = 25;
  p.callable = true;
  p.kernel = true;
  block(&p, "entry");
  ww_buf_puts(
      &p.text,
      "  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %pi = lea i64 %in, "
      "%j #16\n  %po = lea i64 %out, %j #16\n");
  for (uint32_t k = 0; k < VARS; k++) {
    fresh(&p, p.var[k]);
    ww_buf_fmt(&p.text, "  %s = ld.global i32 [%%pi + %u]\n", p.var[k], 4 * k);
  }
  for (int n = 0; n < 6; n++)
    statements(&p);
  for (uint32_t k = 0; k < VARS; k++)
    ww_buf_fmt(&p.text, "  st.global i32 [%%po + %u], %s\n", 4 * k, p.var[k]);
  ww_buf_puts(&p.text, "  ret\n}\n");
  char *s = ww_strdup(arena, p.text.s);
  ww_buf_free(&p.text);
  return s;
}

static void test_random_programs(void **state) {
  (void)state;
  enum { PROGRAMS = 400 };
  uint64_t sizes[] = {THREADS * 16, THREADS * 16}, steps = 0;
  for (int n = 0; n < PROGRAMS; n++) {
    ww_arena *keep = arena;
    arena = ww_arena_new();
    char *text = random_program();
    rig r = rig_open(text, 1, THREADS, sizes);
    uint32_t *in = rig_buffer(&r, 0), *out = rig_buffer(&r, 1), want[THREADS * VARS];
    for (uint32_t k = 0; k < THREADS * VARS; k++)
      in[k] = (uint32_t)rig_random();
    uint64_t args[] = {r.s.arg[0]->base, r.s.arg[1]->base};
    for (uint32_t t = 0; t < THREADS; t++) {
      thread th = {.r = &r, .tid = t};
      run_plain(&th, r.fn, args, NULL);
      steps += th.steps;
    }
    memcpy(want, out, sizeof want);
    EVERYWHERE({
      memset(out, 0, sizeof want);
      r.spec.lanes = lanes;
      r.spec.max_steps = 10000000;
      if (rig_run(&r, 1, NULL))
        fail_msg("program %d: %s\n%s", n, r.e.msg, text);
      for (uint32_t k = 0; k < THREADS * VARS; k++)
        if (out[k] != want[k])
          fail_msg(
              "program %d, %u lanes, %s, thread %u, variable %u: 0x%x, not 0x%x\n%s", n,
              lanes, rig_isas[isa_], k / VARS, k % VARS, out[k], want[k], text);
      ww_machine_free(r.mc);
      r.mc = NULL;
    })
    rig_close(&r);
    ww_arena_free(arena);
    arena = keep;
  }
  assert_true(steps > 100000); /* they do run */
}

/* ---- constructs one by one ---- */

#define HEAD "module cuda warp 32\nfile \"k.cu\"\n"
#define KERNEL "fn $k kernel {\n  param %out i64 \"out\" pointer global\n"
#define THREAD \
  "  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %p = lea i64 %out, %j #4\n"

/* Runs a kernel that stores one i32 for each thread; compares with want(thread, lanes).
 */
static void expect_each(const char *text,
                        uint32_t (*want)(uint32_t t, uint32_t lanes)) {
  uint64_t size = THREADS * 4;
  EVERYWHERE({
    rig r = rig_open(text, 1, THREADS, &size);
    r.spec.lanes = lanes;
    rig_must(&r);
    uint32_t *out = rig_buffer(&r, 0);
    for (uint32_t t = 0; t < THREADS; t++)
      if (out[t] != want(t, lanes))
        fail_msg("%u lanes, %s, thread %u: %u, not %u", lanes, rig_isas[isa_], t,
                 out[t], want(t, lanes));
    rig_close(&r);
  })
}

static uint32_t want_live(uint32_t t, uint32_t lanes) {
  return live_lanes(t, lanes);
}

/* Lanes that parted, in branches and in loops, are together again behind them. */
static void test_lanes_meet_again(void **state) {
  (void)state;
  expect_each(HEAD KERNEL
              "@entry:\n" THREAD
              "  %b = and i32 %t, 1\n  %c = icmp.ne i32 %b, 0\n  cbr %c, @one, @two\n"
              "@one:\n  %d = icmp.ult i32 %t, 40\n  cbr %d, @three, @loop\n"
              "@three:\n  br @loop\n"
              "@loop:\n  %i = phi i32 [@one 0] [@three 1] [@loop %i1]\n  %i1 = add i32 "
              "%i, 1\n  %e = icmp.ult i32 %i1, %t\n  cbr %e, @loop, @two\n"
              "@two:\n  %m = activemask i64\n  %n = ctpop i64 %m\n  %n32 = trunc i32 "
              "from i64 %n\n  st.global i32 [%p], %n32\n  ret\n}\n",
              want_live);
}

static uint32_t want_switch(uint32_t t, uint32_t lanes) {
  (void)lanes;
  static const uint32_t by[8] = {100, 11, 12, 100, 100, 15, 100, 17};
  return by[t & 7] + (t & 7);
}

static void test_switch(void **state) {
  (void)state;
  expect_each(
      HEAD KERNEL
      "@entry:\n" THREAD
      "  %b = and i32 %t, 7\n  switch i32 %b, @rest, 1 @join, 2 @two, 5 @five, 7 @two\n"
      "@two:\n  %w = add i32 %b, 10\n  br @join\n@five:\n  br @join\n@rest:\n  br "
      "@join\n"
      "@join:\n  %v = phi i32 [@entry 11] [@two %w] [@five 15] [@rest 100]\n"
      "  %u = add i32 %v, %b\n  st.global i32 [%p], %u\n  ret\n}\n",
      want_switch);
}

static uint32_t want_early(uint32_t t, uint32_t lanes) {
  (void)lanes;
  return t % 3 == 0 ? 0
         : t >= 64  ? 1
                    : 42; /* threads below 64 that are no multiple of 3 */
}

/* Threads that left are not waited for, and not counted. */
static void test_early_exits(void **state) {
  (void)state;
  expect_each(
      HEAD KERNEL
      "@entry:\n" THREAD
      "  %m = urem i32 %t, 3\n  %c = icmp.eq i32 %m, 0\n  cbr %c, @gone, @stay\n"
      "@gone:\n  exit\n"
      "@stay:\n  %d = icmp.uge i32 %t, 64\n  cbr %d, @home, @wait\n"
      "@home:\n  st.global i32 [%p], 1\n  ret\n"
      "@wait:\n  %n = bar.popc i32 1:i1\n  st.global i32 [%p], %n\n  ret\n}\n",
      want_early);
}

/* Both compared operands of a swap, and a rotation of three, the rows being 32 and 64
 * bits wide; Fibonacci through a swapped pair. */
static uint32_t want_rotation(uint32_t t, uint32_t lanes) {
  (void)lanes;
  uint32_t a = 1, b = 2, c = 3, x = t, y = 1000 + t;
  for (uint32_t i = 0; i <= t % 7; i++) {
    uint32_t o = a;
    a = b;
    b = c;
    c = o;
    o = x;
    x = y;
    y = o;
  }
  return a * 10000 + b * 1000 + c * 100 + (x - t) % 97 + y / 1000;
}

static void test_parallel_copies(void **state) {
  (void)state;
  expect_each(
      HEAD KERNEL
      "@entry:\n" THREAD "  %n = urem i32 %t, 7\n  %y0 = add i64 %j, 1000\n  br @loop\n"
      "@loop:\n  %a = phi i32 [@entry 1] [@loop %b]\n  %b = phi i32 [@entry 2] [@loop "
      "%c]\n  %c = "
      "phi i32 [@entry 3] [@loop %a]\n"
      "  %x = phi i64 [@entry %j] [@loop %y]\n  %y = phi i64 [@entry %y0] [@loop %x]\n "
      " %i = phi "
      "i32 [@entry 0] [@loop %i1]\n"
      "  %i1 = add i32 %i, 1\n  %e = icmp.ule i32 %i1, %n\n  cbr %e, @loop, @out\n"
      /* one more turn happens after the compare: a' = b ... */
      "@out:\n  %a4 = mul i32 %b, 10000\n  %b3 = mul i32 %c, 1000\n  %c2 = mul i32 %a, "
      "100\n  %s = "
      "add i32 %a4, %b3\n  %s2 = add i32 %s, %c2\n"
      "  %x32 = trunc i32 from i64 %y\n  %xt = sub i32 %x32, %t\n  %xm = urem i32 %xt, "
      "97\n  %y32 "
      "= trunc i32 from i64 %x\n  %yd = udiv i32 %y32, 1000\n"
      "  %s3 = add i32 %s2, %xm\n  %s4 = add i32 %s3, %yd\n  st.global i32 [%p], %s4\n "
      " ret\n}\n",
      want_rotation);
}

/* A counter and its next value, both used behind the loop: they must not share a row;
 * the sum may.
 */
static uint32_t want_counter(uint32_t t, uint32_t lanes) {
  (void)lanes;
  uint32_t n = t % 5 + 1;
  return 100 * (n - 1) + n + 10000 * (n * (n - 1) / 2);
}

static void test_counters_live_behind_the_loop(void **state) {
  (void)state;
  expect_each(
      HEAD KERNEL
      "@entry:\n" THREAD "  %m = urem i32 %t, 5\n  %n = add i32 %m, 1\n  br @loop\n"
      "@loop:\n  %i = phi i32 [@entry 0] [@loop %i1]\n  %s = phi i32 [@entry 0] [@loop "
      "%s1]\n  %s1 = add i32 %s, %i\n  %i1 = add i32 %i, 1\n"
      "  %e = icmp.ult i32 %i1, %n\n  cbr %e, @loop, @out\n"
      "@out:\n  %h = mul i32 %i, 100\n  %h1 = add i32 %h, %i1\n  %k = mul i32 %s1, "
      "10000\n "
      " %v = add i32 %h1, %k\n  st.global i32 [%p], %v\n  ret\n}\n",
      want_counter);
}

#define FACTORIAL                                                                      \
  "fn $fact ret i32 local 16 {\n  param %n i32\n@entry:\n  %l = localaddr i64 #4\n  "  \
  "st.local i32 "                                                                      \
  "[%l], %n\n  %c = icmp.ule i32 %n, 1\n  cbr %c, @one, @more\n"                       \
  "@one:\n  ret 1:i32\n@more:\n  %m = sub i32 %n, 1\n  %r = call i32 $fact(%m)\n  %k " \
  "= ld.local "                                                                        \
  "i32 [%l]\n  %v = mul i32 %r, %k\n  ret %v\n}\n"

static uint32_t want_factorial(uint32_t t, uint32_t lanes) {
  (void)lanes;
  uint32_t v = 1;
  for (uint32_t k = 2; k <= t % 13; k++)
    v *= k;
  return v;
}

/* Each depth has its own local frame. */
static void test_recursion(void **state) {
  (void)state;
  expect_each(HEAD FACTORIAL KERNEL "@entry:\n" THREAD
                                    "  %n = urem i32 %t, 13\n  %v = call i32 "
                                    "$fact(%n)\n  st.global i32 [%p], %v\n  ret\n}\n",
              want_factorial);
}

static uint32_t want_indirect(uint32_t t, uint32_t lanes) {
  return (t % 3 == 0   ? t + 1
          : t % 3 == 1 ? 2 * t
                       : want_factorial(t, lanes)) +
         (t % 2 ? 0 : live_lanes(t, lanes));
}

/* Functions by a table in memory; behind the calls all lanes are together. */
static void test_indirect_calls(void **state) {
  (void)state;
  expect_each(
      HEAD "symbol $table const size 24 align 8 reloc 0 $inc reloc 8 $twice reloc 16 "
           "$fact13\n"
           "fn $inc ret i32 {\n  param %x i32\n@a:\n  %y = add i32 %x, 1\n  ret %y\n}\n"
           "fn $twice ret i32 {\n  param %x i32\n@a:\n  %y = add i32 %x, %x\n  ret "
           "%y\n}\n" FACTORIAL "fn $fact13 ret i32 {\n  param %x i32\n@a:\n  %n = urem "
           "i32 %x, 13\n  %y = call i32 "
           "$fact(%n)\n  ret %y\n}\n" KERNEL "@entry:\n" THREAD
           "  %m = urem i32 %t, 3\n  %m64 = zext i64 from i32 %m\n  %q = lea i64 "
           "$table, %m64 #8\n  %f "
           "= ld.const i64 [%q]\n  %v = calli i32 %f(%t)\n"
           "  %mask = activemask i64\n  %c = ctpop i64 %mask\n  %c32 = trunc i32 from "
           "i64 %c\n  %o = "
           "and i32 %t, 1\n  %even = icmp.eq i32 %o, 0\n"
           "  %w = select i32 %even, %c32, 0\n  %u = add i32 %v, %w\n  st.global i32 "
           "[%p], %u\n  "
           "ret\n}\n",
      want_indirect);
}

/* A loop without an end in which something changes. */
#define ENDLESS                                                                    \
  "@entry:\n  br @loop\n@loop:\n  %i = phi i32 [@entry 0] [@loop %n]\n  %n = add " \
  "i32 %i, 1  !3\n  br @loop\n}\n"

/* Runs a kernel that must fail; returns the message. */
static const char *failure(const char *text, ww_status want, uint32_t *line) {
  uint64_t sizes[] = {THREADS * 4, 64};
  rig r = rig_open(text, 1, THREADS, sizes);
  r.spec.max_steps = 300000;
  ww_status st = rig_run(&r, 1, NULL);
  if (st != want)
    fail_msg("status %s (%s), not %s", ww_status_name(st), r.e.msg,
             ww_status_name(want));
  const char *msg = ww_strdup(arena, r.e.msg);
  if (line)
    *line = r.e.line;
  rig_close(&r);
  return msg;
}

static void
expect_failure(const char *text, ww_status want, const char *part, uint32_t want_line) {
  uint32_t line = 0;
  const char *msg = failure(text, want, &line);
  if (!strstr(msg, part))
    fail_msg("`%s` does not say `%s`", msg, part);
  if (line != want_line)
    fail_msg("`%s` is said of line %u, not %u", msg, line, want_line);
}

static void test_failures(void **state) {
  (void)state;
  expect_failure(HEAD "fn $f {\n@a:\n  call $f()  !7\n  ret\n}\n" KERNEL
                      "@entry:\n  call $f()  !9\n  ret\n}\n",
                 WW_EDATA, "calls nest deeper than 64", 7);
  expect_failure(HEAD KERNEL "@entry:\n  br @loop\n@loop:\n  br @loop  !3\n}\n",
                 WW_ELIMIT, "nothing changes from one iteration to the next", 3);
  expect_failure(HEAD KERNEL ENDLESS, WW_ELIMIT, "stopped after", 3);
  expect_failure(HEAD KERNEL "@entry:\n" THREAD
                             "  %c = icmp.eq i32 %t, 70\n  cbr %c, @bad, @ok  "
                             "!3\n@bad:\n  trap #1  !4\n@ok:\n  ret\n}\n",
                 WW_EDATA, "an assertion of the kernel failed", 4);
  expect_failure(HEAD KERNEL "@entry:\n  trap  !4\n}\n", WW_EDATA, "trap", 4);
  expect_failure(HEAD KERNEL "@entry:\n  trap #2  !5\n}\n", WW_EDATA, "unreachable", 5);
  expect_failure(HEAD KERNEL "@entry:\n  %v = calli i32 %out(1:i32)  !6\n  ret\n}\n",
                 WW_EDATA, "call through a pointer that is no function", 6);
}

static void test_limits_of_a_launch(void **state) {
  (void)state;
  uint64_t size = 4096;
  ww_machine *m;
  rig r = rig_open(HEAD KERNEL "@entry:\n  ret\n}\n", 1, 32, &size);
  r.spec.block[0] = 1025;
  assert_int_equal(ww_machine_new(&r.spec, &m, &r.e), WW_EUSAGE);
  r.spec.block[0] = 0;
  assert_int_equal(ww_machine_new(&r.spec, &m, &r.e), WW_EUSAGE);
  r.spec.block[0] = 32;
  r.spec.grid[1] = 0;
  assert_int_equal(ww_machine_new(&r.spec, &m, &r.e), WW_EUSAGE);
  rig_close(&r);
}

/* ---- barriers and waiting ---- */

static uint32_t want_reversed(uint32_t t, uint32_t lanes) {
  (void)lanes;
  return (THREADS - 1 - t) * 3 + 1;
}

static void test_barrier_orders_shared_memory(void **state) {
  (void)state;
  expect_each(
      HEAD
      "symbol $tile shared size 320 align 4\n" KERNEL "@entry:\n" THREAD
      "  %v = mul i32 %t, 3\n  %v1 = add i32 %v, 1\n  %s = lea i64 $tile, %j #4\n  "
      "st.shared i32 [%s], %v1\n  bar\n"
      "  %b = sub i32 79, %t\n  %b64 = zext i64 from i32 %b\n  %q = lea i64 $tile, "
      "%b64 #4\n  %w = ld.shared i32 [%q]\n  st.global i32 [%p], %w\n  ret\n}\n",
      want_reversed);
}

static uint32_t want_reductions(uint32_t t, uint32_t lanes) {
  (void)t;
  (void)lanes;
  return 27 * 10000 + 1 * 1000 + 0 * 100 + 1 * 10 + 0;
}

static void test_barrier_reductions(void **state) {
  (void)state;
  expect_each(HEAD KERNEL
              "@entry:\n" THREAD
              "  %m = urem i32 %t, 3\n  %c = icmp.eq i32 %m, 0\n  %all = icmp.ult i32 "
              "%t, 80\n  %none = icmp.ugt i32 %t, 80\n"
              "  %n = bar.popc i32 %c\n  %a1 = bar.and i1 %all\n  %a0 = bar.and i1 "
              "%c\n  %o1 = bar.or i1 "
              "%c\n  %o0 = bar.or i1 %none\n"
              "  %x4 = mul i32 %n, 10000\n  %z3 = zext i32 from i1 %a1\n  %x3 = mul "
              "i32 %z3, 1000\n  %z2 = "
              "zext i32 from i1 %a0\n  %x2 = mul i32 %z2, 100\n"
              "  %z1 = zext i32 from i1 %o1\n  %x1 = mul i32 %z1, 10\n  %x0 = zext i32 "
              "from i1 %o0\n"
              "  %s1 = add i32 %x4, %x3\n  %s2 = add i32 %s1, %x2\n  %s3 = add i32 "
              "%s2, %x1\n  %s4 = add "
              "i32 %s3, %x0\n  st.global i32 [%p], %s4\n  ret\n}\n",
              want_reductions);
}

/* Warps 0 and 1 meet at barrier 1, the last at barrier 2, all at barrier 0: nobody
 * waits for who is elsewhere. */
static void test_named_barriers(void **state) {
  (void)state;
  uint64_t size = 96 * 4;
  rig r = rig_open(
      HEAD KERNEL
      "@entry:\n" THREAD
      "  %w = sreg i32 warpid\n  %c = icmp.ult i32 %w, 2\n  cbr %c, @first, @second\n"
      "@first:\n  %a = bar.popc i32 1:i1 #1\n  br @meet\n@second:\n  %b = bar.popc i32 "
      "1:i1 #2\n  br @meet\n"
      "@meet:\n  %n = phi i32 [@first %a] [@second %b]\n  %m = bar.popc i32 1:i1\n  %h "
      "= mul i32 %n, 1000\n  %s = add i32 %h, %m\n  st.global i32 [%p], %s\n  ret\n}\n",
      1, 96, &size);
  rig_must(&r);
  for (uint32_t t = 0; t < 96; t++)
    assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[t], (t < 64 ? 64000 : 32000) + 96);
  rig_close(&r);
}

static void test_grid_barrier(void **state) {
  (void)state;
  uint64_t size = 4 * 5 * THREADS + 4;
  EVERYWHERE({
    rig r = rig_open(
        HEAD KERNEL
        "@entry:\n  %t = sreg i32 tid.x\n  %b = sreg i32 ctaid.x\n  %x = mul i32 %b, "
        "80\n  %y = add i32 %x, %t\n  %j = zext i64 from i32 %y\n"
        "  %p = lea i64 %out, %j #4\n  atom.add.global i32 [%out], 1\n  gridsync\n  %n "
        "= ld.global i32 [%out]\n  gridsync\n  st.global i32 [%p + 4], %n\n  ret\n}\n",
        5, THREADS, &size);
    r.spec.lanes = lanes;
    if (rig_run(&r, 5, NULL))
      fail_msg("%s", r.e.msg);
    for (uint32_t t = 0; t < 5 * THREADS; t++)
      assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[t + 1], 5 * THREADS);
    rig_close(&r);
  })
}

#define SPIN(who)                                                                     \
  HEAD KERNEL "@entry:\n  %w = sreg i32 " who                                         \
              "\n  %c = icmp.eq i32 %w, 2\n  cbr %c, @set, @spin\n"                   \
              "@set:\n  st.global.volatile i32 [%out], 1\n  br @done\n"               \
              "@spin:\n  %f = ld.global.volatile i32 [%out]\n  %z = icmp.eq i32 %f, " \
              "0\n  cbr %z, "                                                         \
              "@spin, @done\n"                                                        \
              "@done:\n  atom.add.global i32 [%out + 8], 1\n  ret\n}\n"

/* The first warp waits for the last one's flag, the first block for the last block's.
 */
static void test_spinning_on_a_flag(void **state) {
  (void)state;
  uint64_t size = 64;
  for (int by_block = 0; by_block < 2; by_block++) {
    const char *text = by_block ? SPIN("ctaid.x") : SPIN("warpid");
    rig r = rig_open(text, by_block ? 3 : 1, by_block ? 32 : 96, &size);
    if (rig_run(&r, 3, NULL))
      fail_msg("%s", r.e.msg);
    assert_int_equal(((uint32_t *)rig_buffer(&r, 0))[2], 96);
    rig_close(&r);
  }
}

static bool never(void *ctx) {
  return ++*(int *)ctx > 3;
}

static void test_cancelling(void **state) {
  (void)state;
  uint64_t size = 64;
  int asked = 0;
  rig r = rig_open(HEAD KERNEL ENDLESS, 1, 32, &size);
  ww_observer obs = {.ctx = &asked, .cancelled = never};
  r.spec.max_steps = 0;
  assert_int_equal(rig_run(&r, 1, &obs), WW_ECANCEL);
  assert_int_equal(asked, 4);
  rig_close(&r);
}

/* ---- special registers ---- */

static void test_special_registers(void **state) {
  (void)state;
  static const uint8_t regs[] = {
      WW_SREG_TID_X,       WW_SREG_TID_Y,       WW_SREG_TID_Z,
      WW_SREG_NTID_X,      WW_SREG_NTID_Y,      WW_SREG_NTID_Z,
      WW_SREG_CTAID_X,     WW_SREG_CTAID_Y,     WW_SREG_CTAID_Z,
      WW_SREG_NCTAID_X,    WW_SREG_NCTAID_Y,    WW_SREG_NCTAID_Z,
      WW_SREG_LANEID,      WW_SREG_WARPID,      WW_SREG_NWARPID,
      WW_SREG_WARPSIZE,    WW_SREG_LANEMASK_EQ, WW_SREG_LANEMASK_LT,
      WW_SREG_LANEMASK_LE, WW_SREG_LANEMASK_GT, WW_SREG_LANEMASK_GE,
      WW_SREG_DYNSHARED};
  enum { N = sizeof regs, BX = 5, BY = 4, BZ = 4, GX = 3, GY = 2, GZ = 2 };
  ww_buf b = {0};
  ww_buf_puts(
      &b, HEAD KERNEL
      "@entry:\n  %id = atom.add.global i32 [%out], 1\n  %j = zext i64 from i32 %id\n");
  ww_buf_fmt(&b, "  %%p = lea i64 %%out, %%j #%d\n", 8 * N);
  for (uint32_t k = 0; k < N; k++)
    ww_buf_fmt(&b, "  %%s%u = sreg i64 %s\n  st.global i64 [%%p + %u], %%s%u\n", k,
               ww_sreg_names[regs[k]], 8 * k + 8, k);
  ww_buf_puts(&b, "  ret\n}\n");
  uint64_t size = 8 + (uint64_t)BX * BY * BZ * GX * GY * GZ * 8 * N;
  EVERYWHERE({
    rig r = rig_open(b.s, 1, 1, &size);
    memcpy(r.spec.block, (uint64_t[]){BX, BY, BZ}, 24);
    memcpy(r.spec.grid, (uint64_t[]){GX, GY, GZ}, 24);
    r.spec.lanes = lanes;
    r.spec.shared = 48;
    rig_must(&r);
    const uint64_t *v = (const uint64_t *)rig_buffer(&r, 0) + 1;
    uint64_t all = lanes == 64 ? ~0ull : 0xffffffff;
    for (uint64_t n = 0; n < BX * BY * BZ * GX * GY * GZ; n++, v += N) {
      uint64_t t = n % (BX * BY * BZ), g = n / (BX * BY * BZ), l = t % lanes,
               bit = 1ull << l;
      uint64_t want[N] = {t % BX,
                          t / BX % BY,
                          t / BX / BY,
                          BX,
                          BY,
                          BZ,
                          g % GX,
                          g / GX % GY,
                          g / GX / GY,
                          GX,
                          GY,
                          GZ,
                          l,
                          t / lanes,
                          (BX * BY * BZ + lanes - 1) / lanes,
                          lanes,
                          bit,
                          bit - 1,
                          bit | (bit - 1),
                          all & ~(bit | (bit - 1)),
                          all & ~(bit - 1),
                          48};
      for (uint32_t k = 0; k < N; k++)
        if (v[k] != want[k])
          fail_msg("%u lanes: %s of thread %llu is %llu, not %llu", lanes,
                   ww_sreg_names[regs[k]], (unsigned long long)n,
                   (unsigned long long)v[k], (unsigned long long)want[k]);
    }
    rig_close(&r);
  })
  ww_buf_free(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      RIG_TEST(test_random_programs),
      RIG_TEST(test_lanes_meet_again),
      RIG_TEST(test_switch),
      RIG_TEST(test_early_exits),
      RIG_TEST(test_parallel_copies),
      RIG_TEST(test_counters_live_behind_the_loop),
      RIG_TEST(test_recursion),
      RIG_TEST(test_indirect_calls),
      RIG_TEST(test_failures),
      RIG_TEST(test_limits_of_a_launch),
      RIG_TEST(test_barrier_orders_shared_memory),
      RIG_TEST(test_barrier_reductions),
      RIG_TEST(test_named_barriers),
      RIG_TEST(test_grid_barrier),
      RIG_TEST(test_spinning_on_a_flag),
      RIG_TEST(test_cancelling),
      RIG_TEST(test_special_registers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
