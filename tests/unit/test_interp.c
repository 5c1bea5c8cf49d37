/* test_interp.c - control flow and warp operations of the interpreter, in every combination of lanes and instruction set: random
 * programs against a plain thread-by-thread interpreter, then each construct by itself. */
#include "rig.h"

enum { THREADS = 80 };

#define EVERYWHERE(body)                                   \
  for (uint32_t isa_ = 0; isa_ < 3; isa_++) {              \
    if (!rig_use_isa(rig_isas[isa_])) continue;            \
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) { body } \
  }

static uint32_t live_lanes(uint32_t t, uint32_t lanes) { return THREADS - t / lanes * lanes < lanes ? THREADS - t / lanes * lanes : lanes; }

/* ---- one thread of a kernel, plainly: no lanes, no masks, no slots ---- */

typedef struct {
  rig *r;
  uint32_t tid;
  bool gone;      /* exit */
  uint64_t steps;
} thread;

static void run_plain(thread *th, const ww_fn *fn, const uint64_t *args, uint64_t *results);

static void plain_ins(thread *th, const ww_fn *fn, const ww_ins *i, uint64_t *v) {
  uint64_t a = i->a != WW_NOVAL ? v[i->a] : 0, b = i->b != WW_NOVAL ? v[i->b] : 0, c = i->c != WW_NOVAL ? v[i->c] : 0;
  switch (i->op) {
  case WW_OP_SREG: v[i->dst] = i->sub == WW_SREG_TID_X ? th->tid : 0; break;
  case WW_OP_LD: v[i->dst] = 0; memcpy(&v[i->dst], ww_memory_at(th->r->s.memory, a + (uint64_t)i->imm, 4), 4); break;
  case WW_OP_ST: memcpy(ww_memory_at(th->r->s.memory, a + (uint64_t)i->imm, 4), &v[fn->pool[i->ext]], 4); break;
  case WW_OP_CALL: case WW_OP_CALLI: {
    uint64_t args[8], out[8];
    const ww_fn *callee = &th->r->m->fns[i->op == WW_OP_CALL ? (uint64_t)i->imm : (a - WW_FN_BASE) / 16];
    for (uint32_t n = 0; n < i->n; n++) args[n] = v[fn->pool[i->ext + n]];
    run_plain(th, callee, args, out);
    for (uint32_t n = 0; n < i->nres; n++) v[i->dst + n] = out[n];
    break;
  }
  default: v[i->dst] = ww_scalar(i, i->a != WW_NOVAL ? fn->vals[i->a].type : 0, i->b != WW_NOVAL ? fn->vals[i->b].type : 0, a, b, c);
  }
}

static uint32_t plain_target(const ww_fn *fn, const ww_ins *t, const uint64_t *v) {
  if (t->op == WW_OP_BR) return (uint32_t)t->imm;
  if (t->op == WW_OP_CBR) return v[t->a] & 1 ? (uint32_t)t->imm : t->ext;
  for (uint32_t k = 0; k < t->n; k++)
    if (v[fn->pool[t->ext + 2 * k]] == v[t->a]) return fn->pool[t->ext + 2 * k + 1];
  return (uint32_t)t->imm;
}

static void plain_phis(const ww_fn *fn, uint32_t from, uint32_t to, uint64_t *v) {
  const ww_block *b = &fn->blocks[to];
  uint64_t in[64];
  for (uint32_t k = 0; k < b->nphis; k++)
    for (uint32_t n = 0; n < b->phis[k].n; n++)
      if (fn->pool[b->phis[k].ext + 2 * n] == from) in[k] = v[fn->pool[b->phis[k].ext + 2 * n + 1]];
  for (uint32_t k = 0; k < b->nphis; k++) v[b->phis[k].dst] = in[k];
}

static void run_plain(thread *th, const ww_fn *fn, const uint64_t *args, uint64_t *results) {
  uint64_t *v = calloc(fn->nvals + 1, 8);
  for (uint32_t k = 0; k < fn->nvals; k++)
    v[k] = fn->vals[k].kind == WW_VAL_PARAM ? args[fn->vals[k].ref] : fn->vals[k].kind == WW_VAL_FN ? WW_FN_BASE + 16ull * fn->vals[k].ref : fn->vals[k].bits;
  for (uint32_t at = 0; !th->gone;) {
    const ww_block *b = &fn->blocks[at];
    for (uint32_t k = 0; k + 1 < b->nins && !th->gone; k++) plain_ins(th, fn, &b->ins[k], v), th->steps++;
    const ww_ins *t = &b->ins[b->nins - 1];
    if (th->gone) break;
    if (t->op == WW_OP_EXIT || t->op == WW_OP_RET) {
      th->gone |= t->op == WW_OP_EXIT;
      for (uint32_t n = 0; n < t->n; n++) results[n] = v[fn->pool[t->ext + n]];
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

static void fresh(program *p, char out[16]) { snprintf(out, 16, "%%v%u", p->names++); }
static void block(program *p, const char *name) {
  ww_buf_fmt(&p->text, "@%s:\n", name);
  snprintf(p->here, sizeof p->here, "%s", name);
}
static uint32_t die(uint32_t n) { return (uint32_t)(rig_random() % n); }

static void statement(program *p);

static void statements(program *p) {
  for (uint32_t n = 1 + die(3); n-- && p->budget;) statement(p);
}

static void assign(program *p) {
  static const char *const ops[] = {"add", "sub", "xor", "mul", "and", "or", "umin"};
  uint32_t k = die(VARS), a = die(VARS), b = die(VARS);
  char d[16];
  fresh(p, d);
  if (die(4)) ww_buf_fmt(&p->text, "  %s = %s i32 %s, %s\n", d, ops[die(7)], p->var[a], p->var[b]);
  else ww_buf_fmt(&p->text, "  %s = add i32 %s, %u\n", d, p->var[a], die(1000));
  strcpy(p->var[k], d);
}

static void permute(program *p) { /* no code: the next phis swap or rotate */
  char t[16];
  uint32_t a = die(VARS), b = die(VARS), c = die(VARS);
  memcpy(t, p->var[a], 16), memcpy(p->var[a], p->var[b], 16), memmove(p->var[b], p->var[c], 16), memcpy(p->var[c], t, 16);
}

/* Phis that join the variables of n predecessors. */
static void join(program *p, uint32_t n, char from[][16], char vars[][VARS][16]) {
  for (uint32_t k = 0; k < VARS; k++) {
    char d[16];
    fresh(p, d);
    ww_buf_fmt(&p->text, "  %s = phi i32", d);
    for (uint32_t i = 0; i < n; i++) ww_buf_fmt(&p->text, " [@%s %s]", from[i], vars[i][k]);
    ww_buf_puts(&p->text, "\n");
    strcpy(p->var[k], d);
  }
}

static void if_else(program *p) {
  char c[16], m[16], yes[16], no[16], end[16], from[2][16], vars[2][VARS][16], before[VARS][16];
  uint32_t id = p->labels++, leave = p->kernel && !die(12);
  snprintf(yes, 16, "y%u", id), snprintf(no, 16, "n%u", id), snprintf(end, 16, "e%u", id);
  fresh(p, m), fresh(p, c);
  ww_buf_fmt(&p->text, "  %s = and i32 %s, %u\n  %s = icmp.ne i32 %s, 0\n  cbr %s, @%s, @%s\n", m, p->var[die(VARS)], leave ? 7 : 1u << die(4), c, m, c, yes, no);
  memcpy(before, p->var, sizeof before);
  block(p, yes);
  statements(p);
  ww_buf_fmt(&p->text, "  br @%s\n", end);
  strcpy(from[0], p->here), memcpy(vars[0], p->var, sizeof before);
  memcpy(p->var, before, sizeof before);
  block(p, no);
  if (leave) {
    ww_buf_puts(&p->text, "  exit\n");
  } else {
    if (die(3)) statements(p);
    ww_buf_fmt(&p->text, "  br @%s\n", end);
  }
  strcpy(from[1], p->here), memcpy(vars[1], p->var, sizeof before);
  block(p, end);
  join(p, leave ? 1 : 2, from, vars);
}

static void switch_case(program *p) {
  uint32_t id = p->labels++;
  char m[16], from[4][16], vars[4][VARS][16], before[VARS][16], name[16];
  fresh(p, m);
  ww_buf_fmt(&p->text, "  %s = and i32 %s, 7\n  switch i32 %s, @c%u_0, 1 @c%u_1, 2 @c%u_2, 5 @c%u_1, 6 @c%u_3\n", m, p->var[die(VARS)], m, id, id, id, id, id);
  memcpy(before, p->var, sizeof before);
  for (uint32_t k = 0; k < 4; k++) {
    memcpy(p->var, before, sizeof before);
    snprintf(name, 16, "c%u_%u", id, k);
    block(p, name);
    if (die(3)) statements(p);
    else permute(p);
    ww_buf_fmt(&p->text, "  br @s%u\n", id);
    strcpy(from[k], p->here), memcpy(vars[k], p->var, sizeof before);
  }
  snprintf(name, 16, "s%u", id);
  block(p, name);
  join(p, 4, from, vars);
}

/* A loop of 1 to 4 rounds by lane; may break out of its middle. Behind it the last values, and sometimes those before them, live on. */
static void loop(program *p) {
  uint32_t id = p->labels++;
  bool leaves = !die(3);
  char n[16], m[16], c[16], head[16], entry[16], enter[VARS][16], phi[VARS][16], name[16], from[2][16], vars[2][VARS][16];
  fresh(p, m), fresh(p, n);
  ww_buf_fmt(&p->text, "  %s = and i32 %s, 3\n  %s = add i32 %s, 1\n  br @h%u\n", m, p->var[die(VARS)], n, m, id);
  strcpy(entry, p->here), memcpy(enter, p->var, sizeof enter);
  snprintf(head, 16, "h%u", id);
  block(p, head);
  size_t hole = p->text.n; /* phis come here once the latch is known */
  for (uint32_t k = 0; k < VARS; k++) fresh(p, phi[k]), strcpy(p->var[k], phi[k]);
  statements(p);
  if (!die(2)) permute(p);
  if (leaves) {
    fresh(p, m), fresh(p, c);
    ww_buf_fmt(&p->text, "  %s = and i32 %s, 3\n  %s = icmp.eq i32 %s, 3\n  cbr %s, @x%u, @m%u\n", m, p->var[die(VARS)], c, m, c, id, id);
    strcpy(from[1], p->here), memcpy(vars[1], p->var, sizeof enter);
    snprintf(name, 16, "m%u", id);
    block(p, name);
    if (die(2)) statements(p);
  }
  fresh(p, c);
  ww_buf_fmt(&p->text, "  %%i%ub = add i32 %%i%u, 1\n  %s = icmp.ult i32 %%i%ub, %s\n  cbr %s, @h%u, @x%u\n", id, id, c, id, n, c, id, id);
  strcpy(from[0], p->here), memcpy(vars[0], p->var, sizeof enter);
  ww_buf phis = {0};
  ww_buf_fmt(&phis, "  %%i%u = phi i32 [@%s 0] [@%s %%i%ub]\n", id, entry, p->here, id);
  for (uint32_t k = 0; k < VARS; k++) ww_buf_fmt(&phis, "  %s = phi i32 [@%s %s] [@%s %s]\n", phi[k], entry, enter[k], p->here, p->var[k]);
  ww_buf rest = {0};
  ww_buf_puts(&rest, p->text.s + hole);
  p->text.n = hole, p->text.s[hole] = 0;
  ww_buf_add(&p->text, phis.s, phis.n);
  ww_buf_add(&p->text, rest.s, rest.n);
  ww_buf_free(&phis), ww_buf_free(&rest);
  if (!die(3)) strcpy(vars[0][die(VARS)], phi[die(VARS)]); /* the value before the last */
  if (!leaves && !die(3)) snprintf(vars[0][die(VARS)], 16, die(2) ? "%%i%u" : "%%i%ub", id);
  snprintf(name, 16, "x%u", id);
  block(p, name);
  join(p, leaves ? 2 : 1, from, vars);
}

static void call(program *p) {
  char d[VARS][16], target[16];
  for (uint32_t k = 0; k < VARS; k++) fresh(p, d[k]);
  if (die(2)) snprintf(target, 16, "$f%u", die(2));
  else {
    char m[16], c[16];
    fresh(p, m), fresh(p, c), fresh(p, target);
    ww_buf_fmt(&p->text, "  %s = and i32 %s, 2\n  %s = icmp.ne i32 %s, 0\n  %s = select i64 %s, $f0, $f1\n", m, p->var[die(VARS)], c, m, target, c);
  }
  ww_buf_fmt(&p->text, "  %s:i32, %s:i32, %s:i32, %s:i32 = %s %s(%s, %s, %s, %s)\n", d[0], d[1], d[2], d[3], target[0] == '$' ? "call" : "calli", target, p->var[0],
             p->var[1], p->var[2], p->var[3]);
  memcpy(p->var, d, sizeof d);
}

static void statement(program *p) {
  uint32_t kind = die(12);
  if (p->budget) p->budget--;
  if (p->depth > 4 || kind < 4) assign(p);
  else {
    p->depth++;
    if (kind < 6) if_else(p);
    else if (kind < 8) loop(p);
    else if (kind < 9) switch_case(p);
    else if (kind < 10) permute(p);
    else if (p->callable) call(p);
    else assign(p);
    p->depth--;
  }
}

static char *random_program(void) {
  program p = {0};
  ww_buf_puts(&p.text, "module cuda warp 32\n");
  for (uint32_t f = 0; f < 2; f++) {
    ww_buf_fmt(&p.text, "fn $f%u {\n  param %%a i32\n  param %%b i32\n  param %%c i32\n  param %%d i32\n", f);
    for (uint32_t k = 0; k < VARS; k++) snprintf(p.var[k], 16, "%%%c", "abcd"[k]);
    p.names = p.labels = 0, p.budget = 8, p.callable = false, p.kernel = false;
    block(&p, "entry");
    statements(&p);
    if (die(2)) { /* two returns: lanes come back one after the other */
      char m[16], c[16];
      fresh(&p, m), fresh(&p, c);
      ww_buf_fmt(&p.text, "  %s = and i32 %s, 4\n  %s = icmp.ne i32 %s, 0\n  cbr %s, @r1, @r2\n@r1:\n  ret %s, %s, %s, 7:i32\n@r2:\n", m, p.var[0], c, m, c, p.var[3], p.var[1], p.var[0]);
    }
    ww_buf_fmt(&p.text, "  ret %s, %s, %s, %s\n}\n", p.var[0], p.var[1], p.var[2], p.var[3]);
  }
  ww_buf_puts(&p.text, "fn $k kernel {\n  param %in i64 pointer global\n  param %out i64 pointer global\n");
  p.names = p.labels = 0, p.budget = 25, p.callable = true, p.kernel = true;
  block(&p, "entry");
  ww_buf_puts(&p.text, "  %t = sreg i32 tid.x\n  %j = zext i64 from i32 %t\n  %pi = lea i64 %in, %j #16\n  %po = lea i64 %out, %j #16\n");
  for (uint32_t k = 0; k < VARS; k++) fresh(&p, p.var[k]), ww_buf_fmt(&p.text, "  %s = ld.global i32 [%%pi + %u]\n", p.var[k], 4 * k);
  for (int n = 0; n < 6; n++) statements(&p);
  for (uint32_t k = 0; k < VARS; k++) ww_buf_fmt(&p.text, "  st.global i32 [%%po + %u], %s\n", 4 * k, p.var[k]);
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
    for (uint32_t k = 0; k < THREADS * VARS; k++) in[k] = (uint32_t)rig_random();
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
      if (rig_run(&r, 1, NULL)) fail_msg("program %d: %s\n%s", n, r.e.msg, text);
      for (uint32_t k = 0; k < THREADS * VARS; k++)
        if (out[k] != want[k]) fail_msg("program %d, %u lanes, %s, thread %u, variable %u: 0x%x, not 0x%x\n%s", n, lanes, rig_isas[isa_], k / VARS, k % VARS, out[k], want[k], text);
      ww_machine_free(r.mc);
      r.mc = NULL;
    })
    rig_close(&r);
    ww_arena_free(arena);
    arena = keep;
  }
  assert_true(steps > 100000); /* they do run */
}

