/* nvcc.c - what nvcc and ptxas make of kernels against what the lowering makes of them.
 *
 *   nvcc [--arch sm_90] [--show KERNEL] [--lines N] [--cache DIR] [--worst N]
 * LAUNCHES...
 *
 * LAUNCHES are measured reports or launch lines; bench/nvcc.sh gives those of the
 * corpus, of generated kernels and of the tuned ones. Each kernel is compiled and
 * disassembled, each launch predicted. How often a block of the machine's code runs
 * follows from the trace: both codes load, store and compute the same from the same
 * source lines, so what the trace says of a line's bytes and operations, divided by
 * what the block has of them, is how often it ran. Where a launch was measured, the
 * counter of warp instructions is the truth of their number, and the table says how far
 * the weighted code is from it. --lines lists, for each launch that is off, the source
 * lines of which the two codes have the least in common. */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "../src/base/jsonread.h"
#include "../src/front/front.h"
#include "../src/measure/compile.h"
#include "../src/measure/cubin.h"
#include "../src/predict/learn/score.h"
#include "../src/predict/model/lower_int.h"
#include "../src/query/predict.h"
#include "sass.h"

/* What both codes do of one source line, by kind: bytes of accesses, numbers of
 * others. */
typedef struct {
  const char *file;
  uint32_t line;
  uint8_t kind;
  double done;  /* by the launch */
  double times; /* of the IR block that does it, the most */
} anchor;

typedef struct {
  const char *family, *kernel, *file;
  double ours[SASS_KINDS], theirs[SASS_KINDS], our_total, their_total, measured;
  double registers[2], local[2];
  bool same_widths;
  const char *widths;   /* what differs */
  const char *unrolled; /* what differs */
  double loops, same_loops;
} row;

typedef WW_VEC(row) rows;

typedef struct {
  const char *arch, *show, *cache;
  uint32_t worst, lines;
  ww_gpu gpu;
  ww_params params;
  ww_arena *a;
  rows rows;
  uint32_t failed;
  const char *file, *flags; /* of the unit */
  ww_unit unit;
  ww_arena *unit_arena;
} bench;

/* ---- our code ---- */

static uint8_t kind_of(const ww_ins *i, int pipe) {
  bool load = i->op == WW_OP_LD;
  switch (pipe) {
  case WW_PIPE_FMA:
    return SASS_FP32;
  case WW_PIPE_FP64:
    return SASS_FP64;
  case WW_PIPE_HALF:
    return SASS_FP16;
  case WW_PIPE_TENSOR:
    return SASS_TENSOR;
  case WW_PIPE_CTL:
    return SASS_CONTROL;
  case WW_PIPE_LSU:
    if (ww_is_atomic(i))
      return SASS_ATOMIC;
    if (!ww_touches_memory(i))
      return SASS_WARP;
    if (i->space == WW_LOCAL)
      return SASS_LOCAL;
    if (i->space == WW_SHARED)
      return load ? SASS_LDS : SASS_STS;
    return load ? SASS_LDG : SASS_STG;
  default:
    if (i->op >= WW_OP_SITOF && i->op <= WW_OP_FCVT)
      return SASS_CONVERT;
    if (ww_ops[i->op].cls == WW_CLASS_WARP)
      return SASS_WARP;
    return pipe == WW_PIPE_XU ? SASS_SPECIAL : SASS_INT;
  }
}

/* The launch's instructions of one kind (SASS_KINDS: of all) and one line (0: of all),
 * by lowering with the others' costs taken out. */
static double our_count(const ww_module *m,
                        const ww_fn *fn,
                        ww_prediction *p,
                        uint32_t kind,
                        uint32_t line) {
  ww_lowering *x = ww_fn_code_of(p->code, fn)->lowering;
  ww_cost *all = x->cost;
  ww_arena *a = ww_arena_new();
  x->cost = WW_NEWN(a, ww_cost, x->nins + 1);
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    if (line && m->locs[i->loc].line != line)
      continue;
    for (int k = 0; k < WW_NPIPES; k++)
      if (kind == SASS_KINDS || kind_of(i, k) == kind)
        x->cost[at].inst[k] = all[at].inst[k];
  }
  /* what is not there for warps that pass a loop by is part of some lines only */
  ww_lower_loop *loops = x->loops;
  if (line || kind < SASS_KINDS) {
    x->loops = WW_NEWN(a, ww_lower_loop, fn->nloops + 1);
    memcpy(x->loops, loops, fn->nloops * sizeof *loops);
    for (uint32_t k = 0; k < fn->nloops; k++)
      x->loops[k].entry = (ww_cost){0};
  }
  ww_lowered l;
  ww_lower(p->code, fn, &p->trace.sampled.tally, &l);
  x->cost = all;
  x->loops = loops;
  ww_arena_free(a);
  return l.total;
}

/* ---- how often their blocks run ---- */

static double ir_amount(const ww_ins *i, uint8_t *kind) {
  if (i->op == WW_OP_LD || i->op == WW_OP_ST) {
    if (i->space == WW_CONST || i->space == WW_PARAM || i->space == WW_LOCAL)
      return 0;
    if (ww_is_part(i))
      return 0;
    *kind = kind_of(i, WW_PIPE_LSU);
    return i->n * ww_type_bytes[i->type];
  }
  if (ww_is_atomic(i)) {
    *kind = SASS_ATOMIC;
    return 1;
  }
  *kind = i->type == WW_F64 ? SASS_FP64 : SASS_FP32;
  if ((i->op == WW_OP_FADD || i->op == WW_OP_FSUB || i->op == WW_OP_FMUL ||
       i->op == WW_OP_FMA) &&
      (i->type == WW_F32 || i->type == WW_F64))
    return 1;
  *kind = SASS_WARP;
  if (i->op == WW_OP_SHFL)
    return ww_type_bytes[i->type] > 4 ? 2 : 1;
  *kind = SASS_TENSOR;
  return i->op == WW_OP_MMA;
}

static double sass_amount(const sass_ins *i) {
  switch (i->kind) {
  case SASS_LDG:
  case SASS_STG:
  case SASS_LDS:
  case SASS_STS:
    return i->bytes;
  case SASS_FP32:
  case SASS_FP64:
    return ww_starts(i->op, "FCHK") || ww_starts(i->op, "DSETP") ? 0 : 1;
  case SASS_TENSOR:
  case SASS_ATOMIC:
    return 1;
  case SASS_WARP:
    return ww_starts(i->op, "SHFL");
  default:
    return 0;
  }
}

static const char *base_name(const char *path) {
  const char *slash = path ? strrchr(path, '/') : NULL;
  return slash ? slash + 1 : path ? path : "";
}

typedef struct {
  ww_arena *a;
  const ww_prediction *p;
  const sass_fn *f;
  WW_VEC(anchor) anchors;
  double *times; /* per block of theirs; -1: not known yet */
  double warps;
} weights;

static anchor *
anchor_of(weights *w, const char *file, uint32_t line, uint8_t kind, bool make) {
  for (uint32_t k = 0; k < w->anchors.n; k++) {
    anchor *t = &w->anchors.v[k];
    if (t->line == line && t->kind == kind && !strcmp(t->file, file))
      return t;
  }
  if (!make)
    return NULL;
  ww_push(w->a, &w->anchors, (anchor){.file = file, .line = line, .kind = kind});
  return &w->anchors.v[w->anchors.n - 1];
}

/* SASS_KINDS stands for the line itself. */
static void find_anchors(weights *w, const ww_module *m) {
  const ww_tally *t = &w->p->trace.sampled.tally;
  for (uint32_t k = 0; k < t->nblocks; k++) {
    const ww_block *b = &t->blocks[k].fn->blocks[t->blocks[k].block];
    for (uint32_t n = 0; n < b->nins; n++) {
      uint8_t kind;
      const ww_loc *at = &m->locs[b->ins[n].loc];
      double amount = ir_amount(&b->ins[n], &kind);
      const char *file = base_name(m->files[at->file]);
      anchor *line = anchor_of(w, file, at->line, SASS_KINDS, true);
      line->times = fmax(line->times, t->blocks[k].warps);
      if (amount <= 0)
        continue;
      anchor *x = anchor_of(w, file, at->line, kind, true);
      x->done += amount * t->blocks[k].warps;
      x->times = fmax(x->times, t->blocks[k].warps);
    }
  }
}

static double in_block(const weights *w, uint32_t b, const anchor *x) {
  double sum = 0;
  for (uint32_t k = w->f->blocks[b].first; k < w->f->blocks[b].end; k++) {
    const sass_ins *i = &w->f->ins[k];
    if (i->line == x->line && i->kind == x->kind &&
        !strcmp(base_name(i->file), x->file))
      sum += sass_amount(i);
  }
  return sum;
}

static double outside_of(const weights *w, uint32_t loop) {
  uint32_t parent = loop == SASS_NONE ? SASS_NONE : w->f->loops[loop].parent;
  double t = parent == SASS_NONE ? w->warps : w->times[w->f->loops[parent].header];
  return t > 0 ? t : w->warps;
}

/* One anchor's work over the loops that have it: those that do most in a round take
 * what fits whole rounds, the next the rest. `best`: per block, its estimates. */
static void spread_anchor(weights *w, const anchor *x, double *least) {
  const sass_fn *f = w->f;
  double left = x->done;
  bool *seen = WW_NEWN(w->a, bool, f->nloops + 1);
  for (;;) {
    double most = 0;
    uint32_t of = 0;
    bool others = false;
    for (uint32_t l = 0; l <= f->nloops; l++) {
      double sum = 0;
      for (uint32_t b = 0; b < f->nblocks && !seen[l]; b++)
        if (f->blocks[b].loop == (l < f->nloops ? l : SASS_NONE))
          sum += in_block(w, b, x);
      if (sum > 0 && most > 0)
        others = true;
      /* what is in no loop comes last: it has what is left over */
      if (sum > 0 && (most == 0 || (l < f->nloops && sum > most))) {
        most = sum;
        of = l;
      }
    }
    if (most == 0)
      return;
    seen[of] = true;
    uint32_t loop = of < f->nloops ? of : SASS_NONE;
    double enters = outside_of(w, loop);
    double runs = left / most;
    if (others && loop != SASS_NONE)
      runs = enters * floor(left / enters / most + 1e-6);
    left = fmax(0, left - runs * most);
    for (uint32_t b = 0; b < f->nblocks; b++)
      if (f->blocks[b].loop == loop && in_block(w, b, x) > 0)
        least[b] = least[b] < 0 ? runs : fmax(least[b], runs);
  }
}

/* By the IR block of the line: where there is nothing else to go by. */
static double by_lines(weights *w, uint32_t b, double most) {
  const sass_fn *f = w->f;
  double best = 0;
  for (uint32_t k = f->blocks[b].first; k < f->blocks[b].end; k++) {
    anchor *x =
        anchor_of(w, base_name(f->ins[k].file), f->ins[k].line, SASS_KINDS, false);
    if (x)
      best = fmax(best, x->times);
  }
  return best > 0 ? fmin(best, most) : most;
}

static void find_weights(weights *w, const ww_module *m) {
  const sass_fn *f = w->f;
  double *known = WW_NEWN(w->a, double, f->nblocks);
  w->times = WW_NEWN(w->a, double, f->nblocks);
  find_anchors(w, m);
  for (int round = 0; round < 3; round++) { /* outer loops' entries come first */
    for (uint32_t b = 0; b < f->nblocks; b++)
      known[b] = -1;
    for (uint32_t k = 0; k < w->anchors.n; k++)
      if (w->anchors.v[k].kind < SASS_KINDS)
        spread_anchor(w, &w->anchors.v[k], known);
    for (uint32_t l = 0; l < f->nloops; l++) {
      double most = -1;
      for (uint32_t b = 0; b < f->nblocks; b++)
        if (f->blocks[b].loop == l)
          most = fmax(most, known[b]);
      uint32_t h = f->loops[l].header;
      w->times[h] = most >= 0 ? most : by_lines(w, h, INFINITY);
      if (isinf(w->times[h]))
        w->times[h] = outside_of(w, l);
    }
    for (uint32_t b = 0; b < f->nblocks; b++) {
      uint32_t l = f->blocks[b].loop;
      double most = l == SASS_NONE ? w->warps : w->times[f->loops[l].header];
      if (f->blocks[b].idom == b && b)
        w->times[b] = 0; /* reached from nowhere, or a function that is called */
      else if (l == SASS_NONE || f->loops[l].header != b)
        w->times[b] = known[b] >= 0 ? fmin(known[b], most) : by_lines(w, b, most);
    }
  }
}

static void their_counts(const weights *w, row *r) {
  for (uint32_t k = 0; k < w->f->nins; k++) {
    double n = w->times[w->f->ins[k].block];
    r->theirs[w->f->ins[k].kind] += n;
    r->their_total += n;
  }
}

static double truth(const row *r) {
  return r->measured > 0 ? r->measured : r->their_total;
}

/* ---- lines ---- */

typedef struct {
  uint32_t line;
  double off;
} line_off;

static double their_count(const weights *w, uint32_t kind, uint32_t line) {
  double sum = 0;
  for (uint32_t k = 0; k < w->f->nins; k++) {
    const sass_ins *i = &w->f->ins[k];
    if (i->line == line && (kind == SASS_KINDS || i->kind == kind))
      sum += w->times[i->block];
  }
  return sum;
}

static int largest_first(const void *a, const void *b) {
  double d = fabs(((const line_off *)b)->off) - fabs(((const line_off *)a)->off);
  return d < 0 ? -1 : d > 0;
}

static void show_lines(
    const bench *x, const ww_fn *fn, ww_prediction *p, const weights *w, const row *r) {
  const ww_module *m = &x->unit.module;
  WW_VEC(line_off) all = {0};
  uint32_t last = 0;
  for (uint32_t k = 0; k < w->f->nins; k++)
    last = w->f->ins[k].line > last ? w->f->ins[k].line : last;
  for (uint32_t line = 1; line <= last; line++) {
    double d = our_count(m, fn, p, SASS_KINDS, line) - their_count(w, SASS_KINDS, line);
    if (fabs(d) > 0.01 * r->their_total)
      ww_push(w->a, &all, (line_off){line, d});
  }
  qsort(all.v, all.n, sizeof *all.v, largest_first);
  for (uint32_t k = 0; k < all.n && k < x->lines; k++) {
    printf("    line %u: %+.1f %%", all.v[k].line, 100 * all.v[k].off / r->their_total);
    for (uint32_t kind = 0; kind < SASS_KINDS; kind++) {
      double ours = our_count(m, fn, p, kind, all.v[k].line) / w->warps;
      double theirs = their_count(w, kind, all.v[k].line) / w->warps;
      if (fabs(ours - theirs) * w->warps > 0.005 * r->their_total)
        printf("  %s %.4g/%.4g", sass_kind_names[kind], ours, theirs);
    }
    printf("\n");
  }
}

/* ---- widths: the widest access of a line, by kind ---- */

static uint32_t our_width(const ww_lowering *x, const ww_module *m, const anchor *of) {
  uint32_t most = 0;
  for (uint32_t at = 0; at < x->nins; at++) {
    const ww_ins *i = ww_lower_ins(x, at);
    uint8_t kind;
    if (m->locs[i->loc].line != of->line || ir_amount(i, &kind) <= 0 ||
        kind != of->kind)
      continue;
    uint32_t bytes = i->n * ww_type_bytes[i->type];
    if (bytes > most)
      most = bytes;
  }
  return most;
}

static void
compare_widths(const weights *w, const ww_module *m, const ww_lowering *x, row *r) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < w->anchors.n; k++) {
    const anchor *t = &w->anchors.v[k];
    uint32_t theirs = 0;
    if (t->kind < SASS_LDG || t->kind > SASS_STS)
      continue;
    for (uint32_t i = 0; i < w->f->nins; i++) {
      const sass_ins *s = &w->f->ins[i];
      if (s->line == t->line && s->kind == t->kind && s->bytes > theirs &&
          !strcmp(base_name(s->file), t->file))
        theirs = s->bytes;
    }
    uint32_t ours = our_width(x, m, t);
    if (theirs && ours && theirs != ours)
      ww_buf_fmt(&b, " %s line %u: %u, not %u", sass_kind_names[t->kind], t->line,
                 theirs, ours);
  }
  r->same_widths = !b.n;
  r->widths = b.n ? ww_strdup(w->a, b.s) : "";
  ww_buf_free(&b);
}

/* ---- unrolling: iterations of the source in one of each innermost loop ---- */

/* What a loop of the IR does of an anchor in one iteration of its own. */
static double
in_our_loop(const ww_fn *fn, const ww_module *m, uint32_t loop, const anchor *x) {
  double sum = 0;
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins && fn->blocks[b].loop == loop; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      uint8_t kind;
      double amount = ir_amount(i, &kind);
      if (amount > 0 && kind == x->kind && m->locs[i->loc].line == x->line)
        sum += amount;
    }
  return sum;
}

static double most_in_their_loops(const weights *w, const anchor *x) {
  double most = 0;
  for (uint32_t l = 0; l < w->f->nloops; l++) {
    double sum = 0;
    bool inner = true;
    for (uint32_t k = 0; k < w->f->nloops; k++)
      inner &= w->f->loops[k].parent != l;
    for (uint32_t b = 0; inner && b < w->f->nblocks; b++)
      if (w->f->blocks[b].loop == l)
        sum += in_block(w, b, x);
    most = fmax(most, sum);
  }
  return most;
}

/* 0: in full. */
static void
compare_unrolling(const weights *w, const ww_module *m, const ww_lowering *x, row *r) {
  const ww_fn *fn = x->fn;
  ww_buf b = {0};
  for (uint32_t l = 0; l < fn->nloops; l++) {
    const char *name = fn->blocks[fn->loops[l].header].name;
    bool inner = !name || !(strstr(name, ".epil") || strstr(name, ".prol"));
    for (uint32_t k = 0; k < fn->nloops; k++)
      inner &= fn->loops[k].parent != l;
    for (uint32_t k = 0; inner && k < w->anchors.n; k++) {
      const anchor *t = &w->anchors.v[k];
      double here = t->line && t->kind < SASS_KINDS ? in_our_loop(fn, m, l, t) : 0;
      if (here <= 0)
        continue;
      uint32_t before = x->loops[l].before ? x->loops[l].before : 1;
      double ours = x->vanishes[l] ? 0 : before * x->loops[l].unrolled;
      double theirs = most_in_their_loops(w, t) / (here / before);
      r->loops++;
      r->same_loops += ours == theirs;
      if (ours != theirs)
        ww_buf_fmt(&b, " loop at line %u of %.0f: %.4g, not %.4g", t->line,
                   x->loops[l].size, theirs, ours);
      break;
    }
  }
  r->unrolled = b.n ? ww_strdup(w->a, b.s) : "";
  ww_buf_free(&b);
}

/* ---- one launch ---- */

static void show_loop(const ww_lowering *x, uint32_t loop) {
  const ww_lower_loop *l = &x->loops[loop];
  printf(", unrolled %u (before %u)%s, size %.1f (nvcc %.1f), arithmetic %.1f, loads "
         "%.1f shared %.1f, pointers %u + %u%s%s",
         l->unrolled, l->before, x->vanishes[loop] ? ", vanishes" : "", l->size,
         l->nvcc_size, l->arithmetic, l->loads, l->shared, l->pointers,
         l->narrow_pointers, l->leaps ? ", leaps" : "",
         l->counted ? "" : ", not counted");
}

static void show(const bench *x, const ww_fn *fn, ww_prediction *p, const weights *w) {
  const ww_module *m = &x->unit.module;
  printf("---- their code: times a warp, line\n");
  for (uint32_t k = 0; k < w->f->nins; k++) {
    const sass_ins *i = &w->f->ins[k];
    if (k == w->f->blocks[i->block].first)
      printf("  block %u, loop %d\n", i->block, (int)w->f->blocks[i->block].loop);
    printf("%10.2f %5u  %s\n", w->times[i->block] / w->warps, i->line, i->text);
  }
  printf("---- our code: instructions a warp, times, line\n");
  const ww_lowering *l = ww_fn_code_of(p->code, fn)->lowering;
  for (uint32_t b = 0; b < fn->nblocks; b++) {
    double runs = ww_tally_runs(&p->trace.sampled.tally, fn, b) / w->warps;
    uint32_t loop = fn->blocks[b].loop;
    printf("  block %u %s, %.2f times a warp, loop %d%s", b, fn->blocks[b].name, runs,
           (int)loop, l->predicated[b] ? ", predicated" : "");
    if (loop != WW_NOBLOCK)
      show_loop(l, loop);
    printf("\n");
    for (uint32_t at = l->first[b]; at < l->first[b + 1]; at++) {
      const ww_ins *i = ww_lower_ins(l, at);
      double n = 0;
      for (int k = 0; k < WW_NPIPES; k++)
        n += l->cost[at].inst[k];
      printf("%10.2f %5u  %%%d = %s.%s %%%d %%%d %%%d imm %lld n %u%s%s\n", n,
             m->locs[i->loc].line, (int)i->dst, ww_ops[i->op].name,
             ww_type_names[i->type], (int)i->a, (int)i->b, (int)i->c, (long long)i->imm,
             i->n, l->gone[at] ? " (folded)" : "",
             i->dst != WW_NOVAL && l->uniform[i->dst] ? " (uniform)" : "");
    }
  }
}

static const char *sass_of(bench *x,
                           const ww_launch *l,
                           const ww_fn *fn,
                           ww_arena *a,
                           ww_compile_job *job,
                           ww_err *e) {
  *job = (ww_compile_job){.file = l->file,
                          .kernel = fn->mangled ? fn->mangled : fn->name,
                          .flags = l->flags,
                          .nflags = l->nflags};
  ww_compile_options how = {.architecture = x->arch, .processes = 1, .cache = x->cache};
  if (ww_compile(job, 1, &how, a, e))
    return NULL;
  if (job->error.code) {
    *e = job->error;
    return NULL;
  }
  const char *text = ww_fmt(a, "%s.sass", job->binary);
  char *s;
  size_t n;
  if (!ww_read_file(a, text, 1u << 28, &s, &n, NULL))
    return s;
  const char *tool = getenv("NVDISASM");
  const char *argv[] = {tool ? tool : "nvdisasm", "-g", "-c", job->binary, NULL};
  ww_run_result r = {0};
  if (ww_run(argv, NULL, 0, 120, &r, e))
    return NULL;
  s = r.exit_code ? NULL : ww_strndup(a, r.out.s, r.out.n);
  if (r.exit_code)
    ww_fail(e, WW_EDATA, "nvdisasm: %.200s", r.err.s);
  else
    (void)ww_write_file_atomic(text, s, r.out.n, NULL);
  ww_run_free(&r);
  return s;
}

static ww_status load(bench *x, const ww_launch *l, ww_err *e) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < l->nflags; k++)
    ww_buf_fmt(&b, "%s ", l->flags[k]);
  const char *flags = b.n ? b.s : "";
  if (x->file && !strcmp(x->file, l->file) && !strcmp(x->flags, flags)) {
    ww_buf_free(&b);
    return WW_OK;
  }
  ww_arena_free(x->unit_arena);
  x->unit_arena = ww_arena_new();
  x->file = ww_strdup(x->unit_arena, l->file);
  x->flags = ww_strdup(x->unit_arena, flags);
  ww_buf_free(&b);
  ww_front_options o = {.files = &x->file,
                        .nfiles = 1,
                        .dialect = -1,
                        .flags = l->flags,
                        .nflags = l->nflags};
  ww_status st = ww_front_load(&o, x->unit_arena, &x->unit, e);
  if (st)
    x->file = NULL;
  return st;
}

static double metric(const cJSON *j, const char *name) {
  const cJSON *m = cJSON_GetObjectItem(cJSON_GetObjectItem(j, "metrics"), name);
  const cJSON *v = cJSON_GetObjectItem(m, "value");
  return v ? v->valuedouble : 0;
}

static ww_status
compare(bench *x, const cJSON *j, ww_launch *l, row *r, ww_arena *a, ww_err *e) {
  ww_prediction p;
  ww_compile_job job;
  sass_fn f;
  ww_cubin_resources theirs;
  char *image;
  size_t n;
  ww_status st = load(x, l, e);
  const ww_module *m = &x->unit.module;
  const ww_fn *fn = st ? NULL : ww_ir_find(m, l->kernel);
  if (!st && !fn)
    st = ww_fail(e, WW_EDATA, "no kernel %s in %s", l->kernel, l->file);
  ww_query_targets q = {.gpus = &x->gpu, .n = 1, .params = &x->params};
  if (st || (st = ww_query_predict(&x->unit, fn, l, &q, NULL, a, &p, e)))
    return st;
  const char *text = sass_of(x, l, fn, a, &job, e);
  if (!text || ww_read_file(a, job.binary, 1u << 28, &image, &n, e))
    return e->code;
  if (!sass_read(text, job.entry, a, &f))
    return ww_fail(e, WW_EDATA, "nvdisasm shows no code of %s", job.entry);
  weights w = {.a = a, .p = &p, .f = &f, .warps = p.trace.sampled.tally.c.warps};
  find_weights(&w, m);
  r->our_total = our_count(m, fn, &p, SASS_KINDS, 0);
  for (uint32_t k = 0; k < SASS_KINDS; k++)
    r->ours[k] = our_count(m, fn, &p, k, 0);
  their_counts(&w, r);
  compare_widths(&w, m, ww_fn_code_of(p.code, fn)->lowering, r);
  compare_unrolling(&w, m, ww_fn_code_of(p.code, fn)->lowering, r);
  r->registers[0] = ww_report_value(&p.report, WW_M_registers);
  ww_cubin_resources_of(image, n, job.entry, &theirs);
  r->registers[1] = theirs.registers;
  r->local[0] = ww_report_value(&p.report, WW_M_local_bytes);
  r->local[1] = theirs.local_bytes;
  r->measured = j ? metric(j, "warp_instructions") : 0;
  if (x->lines && fabs(r->our_total / truth(r) - 1) > 0.1) {
    printf("%s %s: %.3f of the counter, %.3f of their code\n", base_name(l->file),
           l->kernel, r->our_total / truth(r), r->our_total / r->their_total);
    show_lines(x, fn, &p, &w, r);
  }
  if (x->show)
    show(x, fn, &p, &w);
  return WW_OK;
}

static void one(bench *x, const char *line, const char *dir) {
  ww_err e = {0};
  ww_arena *a = ww_arena_new();
  cJSON *j = ww_json_read(line, strlen(line), &e);
  const cJSON *inner = cJSON_GetObjectItem(j, "launch");
  char *text = j ? cJSON_PrintUnformatted(inner ? inner : j) : NULL;
  ww_launch l = {0};
  row r = {0};
  ww_status st = text ? ww_launch_parse(text, dir, a, &l, &e) : WW_EPARSE;
  free(text);
  if (!st && x->show && !strstr(l.kernel, x->show)) {
    ww_arena_free(a);
    cJSON_Delete(j);
    return;
  }
  if (!st)
    st = compare(x, inner ? j : NULL, &l, &r, a, &e);
  if (st) {
    fprintf(stderr, "%s: %s: %s\n", l.file ? l.file : "?", l.kernel ? l.kernel : "?",
            e.msg);
    x->failed++;
  } else {
    const cJSON *family = cJSON_GetObjectItem(j, "family");
    r.family = ww_strdup(x->a, family ? family->valuestring : base_name(l.file));
    r.kernel = ww_strdup(x->a, l.kernel);
    r.file = ww_strdup(x->a, base_name(l.file));
    r.widths = ww_strdup(x->a, r.widths);
    r.unrolled = ww_strdup(x->a, r.unrolled);
    ww_push(x->a, &x->rows, r);
  }
  cJSON_Delete(j);
  ww_arena_free(a);
}

/* ---- tables ---- */

static double off(const row *r) {
  return fabs(r->our_total / truth(r) - 1);
}

typedef struct {
  const char *family;
  double n, ten, widths, local, registers, yard, measured, loops, same_loops;
  double ours[SASS_KINDS], theirs[SASS_KINDS];
} sums;

static void add(sums *s, const row *r) {
  s->n++;
  s->ten += off(r) <= 0.1;
  s->widths += r->same_widths;
  s->local += r->local[0] == r->local[1];
  s->registers += fabs(r->registers[0] - r->registers[1]) <= 8;
  s->measured += r->measured > 0;
  s->loops += r->loops;
  s->same_loops += r->same_loops;
  s->yard += r->measured > 0 && fabs(r->their_total / r->measured - 1) <= 0.1;
  for (int k = 0; k < SASS_KINDS; k++) { /* each launch weighs the same */
    s->ours[k] += r->ours[k] / r->their_total;
    s->theirs[k] += r->theirs[k] / r->their_total;
  }
}

static int worst_first(const void *a, const void *b) {
  const sums *x = a, *y = b;
  double d = x->ten / x->n - y->ten / y->n;
  return d < 0 ? -1 : d > 0;
}

static int furthest_first(const void *a, const void *b) {
  double d = off(b) - off(a);
  return d < 0 ? -1 : d > 0;
}

static void print_sums(const sums *s) {
  printf("%-16s %5.0f %5.1f %6.1f %6.1f %6.1f %6.1f %6.1f ", s->family, s->n,
         100 * s->ten / s->n, 100 * s->widths / s->n, 100 * s->local / s->n,
         100 * s->registers / s->n, s->loops ? 100 * s->same_loops / s->loops : NAN,
         s->measured ? 100 * s->yard / s->measured : NAN);
  for (int k = 0; k < SASS_KINDS; k++)
    printf(" %3.0f/%-3.0f", 100 * s->ours[k] / s->n, 100 * s->theirs[k] / s->n);
  printf("\n");
}

static void print_table(bench *x) {
  WW_VEC(sums) all = {0};
  sums total = {.family = "all"};
  for (uint32_t k = 0; k < x->rows.n; k++) {
    row *r = &x->rows.v[k];
    uint32_t s = 0;
    while (s < all.n && strcmp(all.v[s].family, r->family))
      s++;
    if (s == all.n)
      ww_push(x->a, &all, (sums){.family = r->family});
    add(&all.v[s], r);
    add(&total, r);
  }
  qsort(all.v, all.n, sizeof *all.v, worst_first);
  printf("launches with: warp instructions within 10 %%, equal widths, equal local "
         "bytes, registers within 8 (percent);\n"
         "yard: their code, weighted by the trace, within 10 %% of the counter; then "
         "ours / theirs of 100 instructions of theirs\n");
  printf("%-16s %5s %5s %6s %6s %6s %6s %6s ", "family", "n", "10 %", "widths", "local",
         "regs", "loops", "yard");
  for (int k = 0; k < SASS_KINDS; k++)
    printf(" %7s", sass_kind_names[k]);
  printf("\n");
  for (uint32_t s = 0; s < all.n; s++)
    print_sums(&all.v[s]);
  if (total.n)
    print_sums(&total);
  qsort(x->rows.v, x->rows.n, sizeof *x->rows.v, furthest_first);
  for (uint32_t k = 0; k < x->rows.n && k < x->worst; k++) {
    const row *r = &x->rows.v[k];
    printf("%-14s %-28s ours %.3g of %.3g (%.2f; by its code %.2f), registers %.0f of "
           "%.0f, local %.0f of %.0f%s%s",
           r->family, r->kernel, r->our_total, truth(r), r->our_total / truth(r),
           r->our_total / r->their_total, r->registers[0], r->registers[1], r->local[0],
           r->local[1], r->widths, r->unrolled);
    for (int i = 0; i < SASS_KINDS; i++)
      if (fabs(r->ours[i] - r->theirs[i]) > 0.02 * r->their_total)
        printf("  %s %.0f/%.0f", sass_kind_names[i], 100 * r->ours[i] / r->their_total,
               100 * r->theirs[i] / r->their_total);
    printf("\n");
  }
  if (x->failed)
    printf("%u launches could not be compared\n", x->failed);
}

static ww_status read_all(bench *x, const char *path, ww_err *e) {
  char *text;
  size_t n;
  ww_status st = ww_read_packed(x->a, path, 1u << 30, &text, &n, e);
  if (st)
    return st;
  const char *dir = ww_path_dir(x->a, path);
  for (char *at = NULL, *line = strtok_r(text, "\n", &at); line;
       line = strtok_r(NULL, "\n", &at))
    one(x, line, dir);
  return WW_OK;
}

int main(int argc, char **argv) {
  bench x = {.arch = "sm_90", .worst = 20, .a = ww_arena_new()};
  ww_err e = {0};
  ww_status st = ww_gpu_load("h200", x.a, &x.gpu, &e);
  if (!st)
    st = ww_params_load(x.a, &x.params, &e);
  for (int k = 1; k < argc && !st; k++) {
    if (!strcmp(argv[k], "--arch") && k + 1 < argc)
      x.arch = argv[++k];
    else if (!strcmp(argv[k], "--show") && k + 1 < argc)
      x.show = argv[++k];
    else if (!strcmp(argv[k], "--cache") && k + 1 < argc)
      x.cache = argv[++k];
    else if (!strcmp(argv[k], "--lines") && k + 1 < argc)
      x.lines = atoi(argv[++k]);
    else if (!strcmp(argv[k], "--worst") && k + 1 < argc)
      x.worst = atoi(argv[++k]);
    else
      st = read_all(&x, argv[k], &e);
  }
  if (st) {
    fprintf(stderr, "nvcc: %s\n", e.msg);
    return ww_exit_code(st);
  }
  print_table(&x);
  ww_arena_free(x.unit_arena);
  ww_arena_free(x.a);
  return 0;
}
