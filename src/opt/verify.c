/* verify.c - the runs of a case and the cases of a verdict.
 *
 * A case is one launch with its contents, run whole: the old kernel in two orders of
 * its threads, in double precision and with inputs moved by a last digit; then the new
 * one in three orders. Shared and local memory hold other bytes at the start of each
 * order, so that who reads what nobody wrote gets another result. What the old kernel
 * itself cannot do (it leaves a buffer, it does not end) is not asked of the new one.
 */
#include "verify_int.h"

#include "../base/random.h"
#include "widen.h"

#define BUDGET 50000000ull /* warp instructions over all runs */
#define CASE_PART 40       /* of it that one run of the old kernel may take */
#define WATCH_PART 4       /* of it after which races are no longer looked for */
#define MOST_BLOCKS (1u << 20)
#define MOST_BYTES (1ull << 28) /* of all buffers of a case */
#define PART_BYTES (1ull << 26) /* and of one of which some blocks run */
#define SOME_BLOCKS 12          /* that stand for a grid which is too large, */
#define FEW_BLOCKS 4            /* and where they are too long themselves */

typedef struct {
  const char *text;
  bool backwards;
  uint32_t slice, resident;
  uint8_t stale;
} order;
static const order orders[] = {
    {"blocks and warps in order", false, 0, 1, 0xff},
    {"blocks and warps backwards", true, 37, 6, 0x5a},
    {"blocks and warps by turns", false, 1, 8, 0x3c},
};

typedef struct {
  ww_plan p;
  ww_verdict *out;
  ww_module wide[1]; /* the old kernel in double precision */
  bool has_wide;
  uint32_t some_blocks; /* of a grid that run; 0: all */
  bool part;            /* some blocks of a case that is too long, beside others */
  bool atomics[2];      /* of each kernel */
  bool unordered;       /* it is nowhere defined: compared all the same */
  bool **reached[2];
  uint64_t budget;
  /* per parameter: the first case in which the new kernel has the old one's elements in
   * other places, and whether the order of threads decides places in some case */
  ww_difference *moved;
  bool *unsettled;
  const ww_case *good[2]; /* in which the old kernel is defined: small, larger */
} verifier;

typedef struct {
  verifier *v;
  ww_case *c;
  ww_arena *a;
  ww_launch launch[2];
  ww_assumed said;
  ww_setup setup[3];     /* old, new, old in double precision */
  ww_region **region[3]; /* per kept buffer */
  ww_run_spec spec[3];
  ww_watch *watch[2];
  ww_kept_all kept;
  uint8_t **contents; /* per kept buffer; NULL: as the memory makes them */
  uint64_t steps;     /* of the old kernel */
} trial;

static void note(verifier *v, const char *text) {
  ww_strings *to = &v->out->notes;
  for (uint32_t k = 0; k < to->n; k++)
    if (!strcmp(to->v[k], text))
      return;
  ww_push(v->p.a, to, ww_strdup(v->p.a, text));
}

/* ---- running ---- */

/* The blocks in the order in which they run; of a grid that is too large, the first and
 * the last. */
static uint64_t *list_blocks(
    const verifier *v, const ww_run_spec *s, bool backwards, uint32_t *n, ww_arena *a) {
  uint64_t all = ww_volume(s->grid);
  bool some = v->some_blocks && all > v->some_blocks;
  *n = some ? v->some_blocks : all;
  uint64_t *blocks = WW_NEWN(a, uint64_t, *n + 1);
  for (uint32_t k = 0; k < *n; k++) {
    uint32_t at = backwards ? *n - 1 - k : k;
    blocks[k] = some && at >= *n / 2 ? all - *n + at : at;
  }
  return blocks;
}

static ww_status
run(trial *t, int side, int o, const ww_observer *obs, uint64_t most, ww_err *e) {
  verifier *v = t->v;
  const order *by = &orders[o];
  ww_run_spec *s = &t->spec[side];
  ww_machine *m = NULL;
  ww_run_stats stats = {0};
  const ww_observer nobody = {0};
  uint32_t n;
  uint64_t *blocks = list_blocks(v, s, by->backwards, &n, t->a);
  s->backwards = by->backwards;
  s->slice = by->slice;
  s->stale = by->stale;
  s->max_steps = most;
  ww_memory_reset(s->memory);
  ww_status st = ww_machine_new(s, &m, e);
  if (!st)
    st = ww_machine_run(m, blocks, n, by->resident, obs ? obs : &nobody, &stats, t->a,
                        e);
  ww_machine_free(m);
  v->out->steps += stats.warp_instructions;
  if (side == 0 && o == 0)
    t->steps = stats.warp_instructions;
  return st;
}

static uint8_t *image_of(trial *t, int side) {
  uint8_t *image = ww_alloc(t->a, t->kept.bytes + 16);
  for (uint32_t k = 0; k < t->kept.n; k++) {
    const ww_kept *b = &t->kept.v[k];
    const ww_region *r = t->region[side][k];
    void *bytes = ww_memory_at(t->spec[side].memory, r->base, b->bytes);
    memcpy(image + b->at, bytes, b->bytes);
  }
  return image;
}

/* ---- memory ---- */

/* The buffer of another side that is the same argument or variable. */
static ww_region *partner(const trial *t, int side, const ww_region *r, uint32_t nth) {
  const ww_module *from = t->spec[0].module;
  const ww_module *to = t->spec[side].module;
  ww_region *x;
  for (uint32_t k = 0; (x = ww_memory_region(t->spec[side].memory, k)); k++) {
    if (r->symbol >= 0 && x->symbol >= 0 &&
        !strcmp(from->symbols[r->symbol].name, to->symbols[x->symbol].name))
      return x;
    if (r->symbol < 0 && x->symbol < 0 && x->arg == r->arg && !nth--)
      return x;
  }
  return NULL;
}

/* How many buffers of the same argument stand before it: pointers inside a struct. */
static uint32_t place_of(const trial *t, uint32_t at) {
  const ww_memory *m = t->spec[0].memory;
  uint32_t n = 0;
  for (uint32_t k = 0; k < at; k++)
    n += ww_memory_region(m, k)->arg == ww_memory_region(m, at)->arg &&
         ww_memory_region(m, k)->symbol < 0;
  return n;
}

static void keep(trial *t, uint32_t at, int sides) {
  ww_region *r = ww_memory_region(t->spec[0].memory, at);
  ww_region *with[3] = {r};
  uint32_t nth = place_of(t, at);
  if (r->space == WW_CONST && r->symbol >= 0)
    return;
  for (int s = 1; s < sides; s++) {
    with[s] = partner(t, s, r, nth);
    if (!with[s] || with[s]->size < r->size)
      return; /* a variable that one of them does not have */
  }
  uint32_t n = t->kept.n++;
  t->kept.v[n] = (ww_kept){.name = r->name,
                           .type = r->type,
                           .arg = r->arg,
                           .symbol = r->symbol,
                           .at = t->kept.bytes,
                           .bytes = r->size};
  t->kept.bytes += (r->size + 15) & ~15ull;
  bool ours = r->symbol < 0 && !r->init && t->setup[0].arg[r->arg] == r;
  if (ours)
    t->contents[n] = ww_case_contents(&t->v->p, t->c, &t->launch[0], r, t->a);
  for (int s = 0; s < sides; s++) {
    t->region[s][n] = with[s];
    if (!ours)
      continue;
    with[s]->init = t->contents[n];
    with[s]->init_n = r->size;
  }
}

static void keep_all(trial *t, int sides) {
  uint32_t n = 0;
  while (ww_memory_region(t->spec[0].memory, n))
    n++;
  t->kept.v = WW_NEWN(t->a, ww_kept, n + 1);
  t->contents = WW_NEWN(t->a, uint8_t *, n + 1);
  for (int s = 0; s < 3; s++)
    t->region[s] = WW_NEWN(t->a, ww_region *, n + 1);
  for (uint32_t k = 0; k < n; k++)
    keep(t, k, sides);
  t->kept.initial = image_of(t, 0);
}

/* Single-precision arguments as a double-precision kernel takes them. */
static bool wide_launch(const trial *t, ww_launch *l) {
  const ww_fn *fn = t->v->p.side[0]->fn;
  *l = t->launch[0];
  l->args = WW_NEWN(t->a, ww_arg, l->nargs + 1);
  for (uint32_t q = 0; q < l->nargs; q++) {
    l->args[q] = t->launch[0].args[q];
    if (fn->params[q].type != WW_F32 || fn->params[q].pointer)
      continue;
    if (l->args[q].kind != WW_ARG_VALUE)
      return false;
    l->args[q].value = (float)l->args[q].value;
  }
  return true;
}

static ww_status set_up(trial *t, int side, ww_err *e) {
  verifier *v = t->v;
  const ww_verify_side *s = v->p.side[side == 1];
  const ww_module *m = side == 2 ? v->wide : s->module;
  const ww_fn *fn = &m->fns[s->fn - s->module->fns];
  ww_launch l = t->launch[side == 1];
  if (side == 2 && !wide_launch(t, &l))
    return WW_EUNSUPPORTED;
  ww_status st = ww_setup_spaced(m, fn, &l, WW_SHARED_GAP, t->a, &t->setup[side], e);
  if (st)
    return st;
  t->spec[side] = ww_setup_spec(m, fn, &l, &t->setup[side]);
  t->spec[side].cancelled = v->p.o->cancelled;
  t->spec[side].cancelled_ctx = v->p.o->ctx;
  return WW_OK;
}

static bool too_large(const trial *t) {
  uint64_t most = t->v->part ? PART_BYTES : MOST_BYTES;
  uint64_t bytes = 0;
  for (uint32_t q = 0; q < t->launch[0].nargs; q++)
    if (t->launch[0].args[q].kind == WW_ARG_BUFFER)
      bytes += t->launch[0].args[q].buffer.bytes;
  return bytes > most;
}

/* Every warp of the old kernel takes an instruction at least: a grid of so many is not
 * even set up. */
static bool has_too_many_blocks(const trial *t, uint64_t most) {
  uint32_t lanes = t->v->p.side[0]->module->warp;
  for (int s = 0; s < 2; s++) {
    const ww_launch *l = &t->launch[s];
    double blocks = (double)l->grid[0] * l->grid[1] * l->grid[2];
    uint64_t warps = (ww_volume(l->block) + lanes - 1) / lanes;
    if (blocks > MOST_BLOCKS || (!s && !t->v->some_blocks && blocks * warps > most))
      return true;
  }
  return false;
}

/* ---- sizes that the old kernel outgrows ---- */

typedef struct {
  ww_memory *m;
  uint64_t *lo, *hi; /* per argument, device addresses */
} extents;

static void on_access(void *ctx, const ww_access *a) {
  extents *x = ctx;
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint64_t at = a->addr[__builtin_ctzll(m)];
    const ww_region *r = at < WW_GLOBAL_BASE ? NULL : ww_memory_find(x->m, at);
    if (r && r->arg >= 0)
      ww_range_add(&x->lo[r->arg], &x->hi[r->arg], at, at + a->bytes);
  }
}

/* Accesses that are not regular leave the sizes which the corners of the grid gave: all
 * of the grid says what is touched. */
static ww_status size_by_running(trial *t, uint64_t most, ww_err *e) {
  uint32_t n = t->launch[0].nargs;
  extents x = {.lo = WW_NEWN(t->a, uint64_t, n + 1),
               .hi = WW_NEWN(t->a, uint64_t, n + 1)};
  memset(x.lo, 0xff, n * sizeof *x.lo);
  for (uint32_t q = 0; q < n; q++)
    if (t->said.sized[q])
      t->launch[0].args[q].buffer.bytes = t->launch[0].args[q].buffer.offset = 0;
  ww_status st = set_up(t, 0, e);
  if (st)
    return st;
  x.m = t->spec[0].memory;
  st = run(t, 0, 0, &(ww_observer){.ctx = &x, .access = on_access}, most, e);
  for (uint32_t q = 0; q < n; q++) {
    ww_buffer *b = &t->launch[0].args[q].buffer;
    const ww_region *r = t->setup[0].arg[q];
    if (!t->said.sized[q] || !r)
      continue;
    uint64_t lo = x.lo[q] < r->origin ? x.lo[q] : r->origin;
    uint64_t hi = x.hi[q] > r->origin ? x.hi[q] : r->origin + 8;
    b->offset = r->origin - lo;
    b->bytes = hi - lo;
    t->launch[1].args[q].buffer = *b;
  }
  ww_setup_free(&t->setup[0]);
  return st;
}

/* ---- the old kernel ---- */

/* Races show at small sizes, which come first, and to look for them takes more time
 * than to run. A kernel that races at some sizes itself is watched to the end. */
static const ww_observer *watched(trial *t, int side, ww_observer *obs) {
  const verifier *v = t->v;
  ww_watch_free(t->watch[side]);
  t->watch[side] =
      ww_watch_new(&t->spec[side], &t->setup[side], v->reached[side], t->a);
  if (t->c->large && v->out->steps > v->budget / WATCH_PART && !v->out->undefined)
    ww_watch_stores_alone(t->watch[side]);
  *obs = ww_watch_observer(t->watch[side]);
  return obs;
}

/* What double precision gives, and what it gives of inputs that are a digit off. */
static void run_wide(trial *t, uint64_t most) {
  ww_kept_all *k = &t->kept;
  const ww_plan *p = &t->v->p;
  ww_err ignored = {0};
  int side = t->spec[2].memory ? 2 : 0;
  /* few terms are large there: two of them that move against each other would leave
   * nothing to see */
  bool few_large = t->c->contents == WW_CONTENTS_HUGE;
  if (side == 2 && !run(t, 2, 0, NULL, most, &ignored))
    k->exact = image_of(t, 2);
  for (int m = 0; m < 2; m++) {
    for (uint32_t b = 0; b < k->n; b++) {
      ww_region *r = t->region[side][b];
      if (!t->contents[b] || !p->roles[r->arg].loaded)
        continue;
      uint8_t *bytes = ww_alloc(t->a, k->v[b].bytes + 16);
      memcpy(bytes, t->contents[b], k->v[b].bytes);
      ww_perturb(k->v[b].type, bytes, k->v[b].bytes, m && few_large, t->c->seed + m);
      r->init = bytes;
    }
    if (!run(t, side, 0, NULL, most, &ignored))
      k->moved[m] = image_of(t, side);
  }
  for (uint32_t b = 0; b < k->n; b++)
    if (t->contents[b])
      t->region[side][b]->init = t->contents[b];
}

static bool has_floats(const trial *t) {
  for (uint32_t k = 0; k < t->kept.n; k++)
    if (t->kept.v[k].type && !ww_elem_is_int(t->kept.v[k].type))
      return true;
  return false;
}

static uint64_t most_steps(const trial *t) {
  return 40 * t->steps + 2000000;
}

/* A race of the old kernel that decides nothing, in none of the orders: pointers jump
 * to the same roots whoever jumps first. */
static bool is_harmless(trial *t) {
  ww_err ignored = {0};
  return t->c->alias[0] < 0 && !memcmp(t->kept.old, t->kept.other, t->kept.bytes) &&
         !run(t, 0, 2, NULL, most_steps(t), &ignored) &&
         !memcmp(t->kept.old, image_of(t, 0), t->kept.bytes);
}

/* Where the order of its threads decides what the old kernel computes, nothing is asked
 * of the new one; atomics may make such an order a part of it. */
static bool is_defined(trial *t, const ww_yardstick *y) {
  const ww_mishap *m = ww_watch_mishaps(t->watch[0]);
  bool races = m[WW_MISHAP_GLOBAL_RACE].seen || m[WW_MISHAP_SHARED_RACE].seen;
  if (t->v->unordered)
    return t->c->alias[0] < 0;
  if (t->c->alias[0] >= 0 && memcmp(t->kept.old, t->kept.other, t->kept.bytes))
    return false;
  if (races)
    return is_harmless(t);
  return t->v->atomics[0] || ww_judge_settled(y);
}

static ww_status run_old(trial *t, uint64_t most, ww_err *e) {
  ww_observer obs;
  ww_status st = run(t, 0, 0, watched(t, 0, &obs), most, e);
  if (st)
    return st;
  t->kept.old = image_of(t, 0);
  for (uint32_t k = 0; k < t->kept.n; k++)
    t->kept.v[k].atomics = ww_watch_atomics(t->watch[0], t->region[0][k]);
  st = run(t, 0, 1, NULL, 2 * most, e);
  if (st)
    return st;
  t->kept.other = image_of(t, 0);
  if (has_floats(t))
    run_wide(t, 2 * most);
  return WW_OK;
}

/* ---- the new kernel ---- */

static void put_place(const trial *t, uint32_t loc, const char **file, uint32_t *line) {
  const ww_module *m = t->spec[1].module;
  if (!loc || loc >= m->nlocs)
    return;
  *line = m->locs[loc].line;
  if (file && m->nfiles)
    *file = ww_strdup(t->v->p.a, m->files[m->locs[loc].file]);
}

static ww_difference *differ(trial *t, ww_difference_kind kind, int o) {
  ww_verdict *out = t->v->out;
  out->same = false;
  out->first = (ww_difference){
      .kind = kind, .at = t->c->text, .order = o >= 0 ? orders[o].text : NULL};
  return &out->first;
}

static bool new_mishap(const trial *t, ww_mishap_kind kind) {
  return ww_watch_mishaps(t->watch[1])[kind].seen &&
         !ww_watch_mishaps(t->watch[0])[kind].seen;
}

static void note_stale(const trial *t, ww_difference *d) {
  const ww_mishap *m = &ww_watch_mishaps(t->watch[1])[WW_MISHAP_STALE];
  if (!new_mishap(t, WW_MISHAP_STALE))
    return;
  d->stale = true;
  put_place(t, m->loc, NULL, &d->stale_line);
}

/* Something that the new kernel does and the old one does not, although both may end up
 * with the same result here. */
static bool find_mishap(trial *t) {
  static const struct {
    ww_mishap_kind kind;
    ww_difference_kind as;
  } bad[] = {{WW_MISHAP_SHARED_GAP, WW_DIFFERS_SHARED_GAP},
             {WW_MISHAP_COPY, WW_DIFFERS_COPY},
             {WW_MISHAP_SHARED_RACE, WW_DIFFERS_SHARED_RACE},
             {WW_MISHAP_GLOBAL_RACE, WW_DIFFERS_GLOBAL_RACE},
             {WW_MISHAP_MISALIGNED, WW_DIFFERS_MISALIGNED}};
  ww_arena *a = t->v->p.a;
  for (uint32_t k = 0; k < WW_COUNT(bad); k++) {
    const ww_mishap *m = &ww_watch_mishaps(t->watch[1])[bad[k].kind];
    if (!new_mishap(t, bad[k].kind))
      continue;
    if (bad[k].kind == WW_MISHAP_MISALIGNED && t->c->offset) {
      note(t->v, "the new kernel needs pointers that are aligned to more than one "
                 "element, the original does not");
      continue;
    }
    ww_difference *d = differ(t, bad[k].as, -1);
    d->buffer = m->name ? ww_strdup(a, m->name) : NULL;
    d->index = m->at;
    put_place(t, m->loc, &d->file, &d->line);
    put_place(t, m->other_loc, NULL, &d->other_line);
    return true;
  }
  return false;
}

/* Lanes of a warp run in lock step here, so that no result can differ. */
static void note_lanes(const trial *t) {
  uint32_t line = 0;
  if (!new_mishap(t, WW_MISHAP_LANES))
    return;
  put_place(t, ww_watch_mishaps(t->watch[1])[WW_MISHAP_LANES].loc, NULL, &line);
  note(t->v,
       ww_fmt(t->v->p.a,
              "line %u: a lane of the new kernel reads shared memory that another "
              "lane of its warp wrote, with no __syncwarp between; the original "
              "has no such place, and here lanes run in lock step",
              line));
}

static void result_differs(trial *t, const ww_discrepancy *f, int o) {
  ww_arena *a = t->v->p.a;
  bool output = f->buffer->arg >= 0 && t->v->p.roles[f->buffer->arg].stored;
  ww_difference_kind kind = f->input && !output ? WW_DIFFERS_INPUT
                            : o                 ? WW_DIFFERS_ORDER
                                                : WW_DIFFERS_RESULT;
  ww_difference *d = differ(t, kind, o);
  uint32_t size = ww_elem_size(f->buffer->type ? f->buffer->type : "u8");
  char unit;
  uint32_t bytes;
  uint32_t lanes;
  if (f->buffer->type && ww_elem_parts(f->buffer->type, &unit, &bytes, &lanes))
    size = bytes;
  d->buffer = ww_strdup(a, f->buffer->name ? f->buffer->name : "?");
  d->index = f->index;
  d->old_value = ww_strdup(a, f->old_value);
  d->new_value = ww_strdup(a, f->new_value);
  d->exact = f->exact ? ww_strdup(a, f->exact) : NULL;
  const ww_region *r = t->region[1][f->buffer - t->kept.v];
  uint32_t loc = ww_watch_writer(t->watch[1], r, f->index * size);
  put_place(t, loc, &d->file, &d->line);
  note_stale(t, d);
}

static ww_status new_fails(trial *t, ww_status st, int o, ww_err *e) {
  if (st != WW_EDATA && st != WW_ELIMIT)
    return st;
  ww_difference *d =
      differ(t, st == WW_EDATA ? WW_DIFFERS_FAULT : WW_DIFFERS_ENDLESS, o);
  d->what = ww_strdup(t->v->p.a, e->msg);
  d->file = e->file ? ww_strdup(t->v->p.a, e->file) : NULL;
  d->line = e->line;
  *e = (ww_err){0};
  return WW_OK;
}

/* A queue that one warp fills has an order, and where several do it has none: who has
 * the same elements in other places waits for a case that tells. */
static bool may_move(
    trial *t, const ww_yardstick *y, const ww_discrepancy *f, int o, uint8_t *image) {
  verifier *v = t->v;
  int32_t arg = f->buffer->arg;
  if (!v->atomics[0] || arg < 0 || !ww_judge_permuted(y, f->buffer, image))
    return false;
  result_differs(t, f, o);
  if (!v->moved[arg].at)
    v->moved[arg] = v->out->first;
  v->out->same = true;
  v->out->first = (ww_difference){0};
  return true;
}

static void judge_moved(verifier *v) {
  for (uint32_t q = 0; v->out->same && q < v->p.side[0]->fn->nparams; q++) {
    if (!v->moved[q].at || v->unsettled[q])
      continue;
    v->out->same = false;
    v->out->first = v->moved[q];
  }
}

/* In another order than the first: does the old kernel differ from itself there, by the
 * same measure? A table that is nearly full loses other keys in each order, and shared
 * memory that nobody wrote holds other bytes. */
static bool old_differs_too(trial *t, const ww_yardstick *y, int o, uint64_t most) {
  ww_discrepancy own;
  ww_err ignored = {0};
  double error = 0;
  uint64_t compared = 0;
  if (!o || (o > 1 && run(t, 0, o, NULL, most, &ignored)))
    return false;
  ww_judge(y, o > 1 ? image_of(t, 0) : t->kept.other, &own, &error, &compared);
  return own.buffer != NULL;
}

static ww_status run_new(trial *t, const ww_yardstick *y, ww_err *e) {
  ww_verdict *out = t->v->out;
  uint64_t most = most_steps(t);
  for (int o = 0; o < (int)WW_COUNT(orders) && out->same; o++) {
    ww_observer obs;
    ww_discrepancy f;
    ww_status st = run(t, 1, o, o ? NULL : watched(t, 1, &obs), most, e);
    if (st)
      return new_fails(t, st, o, e);
    if (!o && find_mishap(t))
      return WW_OK;
    if (!o)
      note_lanes(t);
    uint8_t *image = image_of(t, 1);
    if (t->v->part)
      ww_judge_common(y, image);
    do
      ww_judge(y, image, &f, &out->error, &out->compared);
    while (f.buffer && may_move(t, y, &f, o, image));
    if (f.buffer && !old_differs_too(t, y, o, most))
      result_differs(t, &f, o);
  }
  return WW_OK;
}

/* ---- a case ---- */

static void close_trial(trial *t) {
  for (int s = 0; s < 2; s++)
    ww_watch_free(t->watch[s]);
  for (int s = 0; s < 3; s++)
    ww_setup_free(&t->setup[s]);
  ww_arena_free(t->a);
}

static void count_sizes(ww_verdict *out, const ww_plan *p, const ww_case *c) {
  for (uint32_t k = 0; k < p->nsizes; k++) {
    struct ww_size *s = &out->sizes[k];
    if (!out->cases || c->value[k] < s->least)
      s->least = c->value[k];
    if (!out->cases || c->value[k] > s->most)
      s->most = c->value[k];
  }
}

/* What the old kernel's failure means for the case: it is left out. */
static ww_status old_fails(trial *t, ww_status st, ww_err *e) {
  ww_verdict *out = t->v->out;
  if (st == WW_ECANCEL)
    return st;
  if (st == WW_ELIMIT)
    out->too_long++;
  else {
    out->refused++;
    if (!out->refusal)
      out->refusal = ww_fmt(t->v->p.a, "%s: %s", t->c->text ? t->c->text : "?", e->msg);
  }
  *e = (ww_err){0};
  return st == WW_ELIMIT ? WW_ELIMIT : WW_EDATA;
}

static ww_status try_old(trial *t, uint64_t most, ww_err *e) {
  verifier *v = t->v;
  ww_err ignored = {0};
  ww_status st = set_up(t, 0, e);
  if (!st)
    st = set_up(t, 1, e);
  int sides = 2;
  if (!st && v->has_wide && !set_up(t, 2, &ignored))
    sides = 3;
  if (st)
    return st;
  for (int s = 0; s < sides; s++)
    ww_memory_limit(t->spec[s].memory, MOST_BYTES);
  keep_all(t, sides);
  return run_old(t, most, e);
}

static bool any_sized(const trial *t) {
  for (uint32_t q = 0; q < t->launch[0].nargs; q++)
    if (t->said.sized && t->said.sized[q])
      return true;
  return false;
}

static void add_notes(verifier *v, const ww_strings *notes) {
  for (uint32_t k = 0; k < notes->n; k++)
    note(v, notes->v[k]);
}

/* A size at which the old kernel is defined: others are tried with it. */
static void remember(verifier *v, const ww_case *c) {
  bool small = false;
  for (uint32_t k = 0; k < v->p.nsizes; k++)
    small |= c->value[k] < 17;
  if (c->like || c->large || (small && v->good[1]))
    return;
  if (!v->good[0] || !small)
    v->good[1] = c;
  if (!v->good[0] || (!small && v->good[0]->value[0] < 17))
    v->good[0] = c;
}

static ww_status compare(trial *t, ww_err *e) {
  verifier *v = t->v;
  ww_strings notes = {0};
  const ww_yardstick *y = ww_judge_open(&t->kept, t->a, &notes);
  if (!is_defined(t, y)) {
    v->out->undefined += t->c->alias[0] < 0;
    return WW_OK;
  }
  add_notes(v, &notes);
  for (uint32_t k = 0; k < t->kept.n; k++)
    if (t->kept.v[k].arg >= 0 && !ww_judge_by_place(y, k))
      v->unsettled[t->kept.v[k].arg] = true;
  if (!v->part) {
    remember(v, t->c);
    count_sizes(v->out, &v->p, t->c);
  }
  ww_status st = run_new(t, y, e);
  v->out->cases += !st;
  t->c->ran = !st;
  return st;
}

static bool same_shape(const ww_launch l[2]) {
  return !memcmp(l[0].grid, l[1].grid, sizeof l->grid) &&
         !memcmp(l[0].block, l[1].block, sizeof l->block);
}

/* WW_EDATA, WW_ELIMIT: the case is left out; others end the verdict. */
static ww_status one_case(verifier *v, ww_case *c, ww_err *e) {
  trial t = {
      .v = v,
      .c = c,
      .a = ww_arena_new(),
  };
  uint64_t most = v->budget / CASE_PART;
  ww_status st = ww_case_launches(&v->p, c, t.a, t.launch, &t.said, e);
  if (!st && too_large(&t))
    st = ww_fail(e, WW_ELIMIT, "the buffers are too large");
  if (!st && has_too_many_blocks(&t, most))
    st = ww_fail(e, WW_ELIMIT, "it has too many blocks");
  if (!st && v->part && !same_shape(t.launch))
    st = ww_fail(e, WW_ELIMIT, "their blocks are not the same ones");
  if (!st)
    st = try_old(&t, most, e);
  if (st == WW_EDATA && any_sized(&t) && t.spec[0].memory) {
    for (int s = 0; s < 3; s++)
      ww_setup_free(&t.setup[s]);
    t.spec[2].memory = NULL;
    t.kept = (ww_kept_all){0};
    st = size_by_running(&t, most, e);
    if (!st)
      st = try_old(&t, most, e);
  }
  if (st)
    st = old_fails(&t, st, e);
  else
    st = compare(&t, e);
  close_trial(&t);
  return st;
}

/* ---- the verdict ---- */

static void open_verdict(verifier *v) {
  ww_verdict *out = v->out;
  out->nsizes = v->p.nsizes;
  out->sizes = WW_NEWN(v->p.a, struct ww_size, out->nsizes + 1);
  for (uint32_t k = 0; k < out->nsizes; k++) {
    uint32_t q = v->p.size[k];
    out->sizes[k].name = v->p.side[0]->fn->params[q].name;
    out->sizes[k].given = v->p.base.args[q].ivalue;
  }
  out->assumed = v->p.assumed.list;
  v->moved = WW_NEWN(v->p.a, ww_difference, v->p.side[0]->fn->nparams + 1);
  v->unsettled = WW_NEWN(v->p.a, bool, v->p.side[0]->fn->nparams + 1);
  for (int s = 0; s < 2; s++)
    v->reached[s] = ww_cover_open(&v->p, s);
}

static ww_status all_cases(verifier *v, ww_err *e) {
  ww_verdict *out = v->out;
  ww_status st = WW_OK;
  bool grown = false;
  for (uint32_t k = 0; k < v->p.cases.n && out->same; k++) {
    ww_case *c = &v->p.cases.v[k];
    bool own =
        k + WW_OWN_SIZES >= v->p.cases.n; /* of the launch: not along the same line */
    if (v->p.o->cancelled && v->p.o->cancelled(v->p.o->ctx))
      return ww_fail(e, WW_ECANCEL, "cancelled");
    if (out->steps > v->budget || (c->large && grown && !own)) {
      out->too_long++;
      continue;
    }
    if (c->like && !v->good[c->like - 1])
      continue;
    if (c->like)
      memcpy(c->value, v->good[c->like - 1]->value, sizeof c->value);
    st = one_case(v, c, e);
    grown |= c->large && st == WW_ELIMIT;
    if (st && st != WW_EDATA && st != WW_ELIMIT)
      return st;
    ww_progress("cases", k + 1, v->p.cases.n);
  }
  return WW_OK;
}

/* Nothing but the launch as it is can run, and that is too long: its first and last
 * blocks, where both kernels have the same ones. */
static bool can_thin_out(const verifier *v) {
  return !v->out->cases && v->out->too_long && !v->some_blocks &&
         same_shape(v->p.shape);
}

/* The launch's own size, or as much of it as fits: what a block does only where there
 * is much to do. Where blocks meet in atomics, some of them give half of a result. */
static ww_status own_size(verifier *v, ww_err *e) {
  ww_verdict *out = v->out;
  uint32_t n = v->p.cases.n;
  uint32_t left_out[] = {out->refused, out->undefined, out->too_long};
  ww_status st = WW_ELIMIT;
  if (!out->same || v->some_blocks || !v->p.nsizes || n < WW_OWN_SIZES ||
      v->atomics[0] || v->atomics[1] || !same_shape(v->p.shape))
    return WW_OK;
  v->part = true;
  for (uint32_t k = 2; k < 2 * WW_OWN_SIZES + 2 && st; k++) {
    ww_case *c = &v->p.cases.v[n - k / 2];
    v->some_blocks = k % 2 ? FEW_BLOCKS : SOME_BLOCKS;
    if (c->ran)
      break;
    st = one_case(v, c, e);
    if (st && st != WW_EDATA && st != WW_ELIMIT)
      return st;
    if (!st && c->ran)
      note(v, ww_fmt(v->p.a, "%s: the first and last blocks alone", c->text));
  }
  out->refused = left_out[0];
  out->undefined = left_out[1];
  out->too_long = left_out[2];
  return WW_OK;
}

/* Numbers that a recording holds as bytes are numbers: sizes among them vary. */
static ww_verify_side with_values(const ww_verify_side *s, ww_arena *a) {
  ww_verify_side out = *s;
  ww_launch_copy(&s->launch, a, &out.launch);
  for (uint32_t q = 0; q < out.launch.nargs && q < s->fn->nparams; q++) {
    const ww_param *x = &s->fn->params[q];
    ww_arg *g = &out.launch.args[q];
    bool whole = x->type == WW_I32 || x->type == WW_I64;
    if (g->kind != WW_ARG_HEX || g->nptrs || x->pointer || x->byval || !whole ||
        g->hex_n != ww_type_bytes[x->type])
      continue;
    uint64_t bits = 0;
    memcpy(&bits, g->hex, g->hex_n);
    bool negative = g->hex_n == 4 && x->ctype && !ww_starts(x->ctype, "unsigned");
    g->ivalue = negative ? (int32_t)bits : (int64_t)bits;
    g->value = g->ivalue;
    g->is_int = true;
    g->kind = WW_ARG_VALUE;
  }
  return out;
}

ww_status ww_verify(const ww_verify_side *one,
                    const ww_verify_side *other,
                    const ww_verify_options *o,
                    ww_arena *a,
                    ww_verdict *out,
                    ww_err *e) {
  const ww_verify_side sides[2] = {with_values(one, a), with_values(other, a)};
  const ww_verify_side *old = &sides[0];
  const ww_verify_side *new = &sides[1];
  verifier v = {.p = {.side = {old, new}, .o = o, .a = a}, .out = out};
  *out = (ww_verdict){.same = true, .seed = o->seed};
  v.budget = o->budget ? o->budget : BUDGET;
  ww_status st = ww_plan_make(&v.p, e);
  if (st)
    return st;
  v.has_wide = ww_widen(old->module, old->fn, a, v.wide);
  if (!v.has_wide)
    ww_push(a, &out->notes,
            "the original uses matrix instructions: floats are compared with its own "
            "results, not with double precision");
  if (ww_plan_assumes_shared(&v.p))
    ww_push(a, &out->notes,
            "no launch gives the new kernel dynamic shared memory: as much as it "
            "touches; --new-shared says how much there is");
  open_verdict(&v);
  v.atomics[0] = ww_side_has_atomics(old, a);
  v.atomics[1] = ww_side_has_atomics(new, a);
  st = all_cases(&v, e);
  judge_moved(&v);
  if (!st && out->cases)
    st = own_size(&v, e);
  if (!st && !out->cases && out->undefined) {
    v.unordered = true;
    out->undefined = out->refused = 0;
    st = all_cases(&v, e);
  }
  if (!st && can_thin_out(&v)) {
    v.some_blocks = SOME_BLOCKS;
    out->too_long = 0;
    ww_push(a, &out->notes,
            "the grid is too large to run whole: its first and last "
            "blocks were compared");
    st = all_cases(&v, e);
  }
  if (!st && !out->cases)
    st = ww_fail(e, WW_EDATA,
                 "nothing to compare: the original runs in no case (%.300s)",
                 out->refusal ? out->refusal : "all are too long; raise --budget");
  if (st)
    return st;
  ww_cover_close(&v.p, v.reached, out);
  return WW_OK;
}
