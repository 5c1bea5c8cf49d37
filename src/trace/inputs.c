/* inputs.c - the memory analysis: sizes and contents of buffers that nobody described.
 *
 * Sizes: the kernel runs with unbounded buffers on the blocks at the corners of the
 * grid (of the part that touches memory) and one in the middle; an address that moves
 * evenly with the block index has its extremes at corners, so the touched range is the
 * size. Contents: floats in [0, 1); integers by what the kernel does with them
 * (roles.c): indices stay inside what they index, row pointers rise, counters begin at
 * zero. Row pointers need two rounds: first how many there are, then what they lead to.
 * An analysis that runs out of range takes zeros instead; it is never the user's fault.
 */
#include "inputs.h"

#include "guess.h"

#include <math.h>

enum {
  WIDE = 1 << 30,        /* threads along x that show where the work ends */
  WIDE_BLOCKS = 65535,   /* likewise blocks along y and z */
  FITTING_STEPS = 20000, /* of a block: by then it has work */
  ANALYSIS_STEPS = 4000000,
  SHARED_ROOM = 65536,
  CHAIN = 1 << 20, /* links that one another lead along, where nothing tells */
  MOST_SMALLER = 4,
  MOST_SHRINKS = 5 /* of index ranges; then zeros */
};
#define MAX_ELEMENTS (1ull << 26)
#define USUAL_BYTES (2ull << 30) /* of buffers, beyond which sizes are made smaller */
#define MOST_BYTES (32ull << 30) /* beyond which no guess is made */
/* most of what indices name, where its size is not given */
#define TABLE_BYTES (1ull << 28)

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_launch *l;
  ww_assumed *said;
  ww_arena *a;
  ww_role *roles;
  uint64_t threads; /* of the whole grid */
  bool *sized;      /* per parameter: bytes came from the analysis */
  bool *tell;       /* per parameter: contents were assumed */
  bool *doubted;    /* per parameter: nothing at all was said of them */
  bool *recorded;   /* per parameter: chosen by its first bytes */
  uint64_t *stride; /* per parameter: bytes that its indices step over; 0: unknown */
  uint64_t *row;    /* per parameter: bytes touched where indices are zero */
  uint32_t shape;   /* blocks that were tried before */
  uint32_t smaller; /* how often sizes were made smaller */
  int shrink;       /* how often index ranges were narrowed */
  bool shared;      /* dynamic shared memory is used and nobody said how much */
  bool *local;      /* per parameter: local memory (OpenCL) of unknown size */
  ww_guess guess;   /* shape and numbers */
  bool fitted;      /* the grid is the one that the sizes ask for */
  bool fitting;     /* looks for it: only where the work ends */
  uint64_t last[3]; /* block along each axis that has work */
  const ww_until *until; /* NULL: nobody stops it */
} inputs;

bool ww_is_omp_state(const ww_module *m, const ww_fn *fn, uint32_t p) {
  return m->dialect == WW_OPENMP && p == 0 && fn->nparams &&
         !strcmp(fn->params[0].name, "dyn_ptr");
}

ww_launch_params ww_kernel_params(const ww_module *m, const ww_fn *fn, ww_arena *a) {
  const char **names = WW_NEWN(a, const char *, fn->nparams + 1);
  uint32_t *sizes = WW_NEWN(a, uint32_t, fn->nparams + 1);
  for (uint32_t p = 0; p < fn->nparams; p++) {
    names[p] = fn->params[p].name;
    sizes[p] = fn->params[p].elem_size;
  }
  return (ww_launch_params){.names = names,
                            .elem_bytes = sizes,
                            .n = fn->nparams,
                            .state_first = ww_is_omp_state(m, fn, 0)};
}

static void
assume(inputs *in, ww_assumption_kind kind, const char *name, uint64_t value) {
  const char *argument = name ? ww_strdup(in->a, name) : NULL;
  ww_push(in->a, &in->said->list, (ww_assumption){kind, argument, {value}});
}

/* ---- contents ---- */

static uint32_t elem_bytes(const inputs *in, uint32_t p) {
  const ww_arg *g = &in->l->args[p];
  if (g->kind == WW_ARG_BUFFER && g->buffer.type && ww_elem_size(g->buffer.type))
    return ww_elem_size(g->buffer.type);
  if (in->fn->params[p].elem_size)
    return in->fn->params[p].elem_size;
  return in->roles[p].elem ? ww_type_bytes[in->roles[p].elem] : 4;
}

static const char *content_type(const inputs *in, uint32_t p) {
  const char *name = ww_element_type(in->fn->params[p].elem ? in->fn->params[p].elem
                                                            : in->roles[p].elem);
  return name ? name : "i32";
}

/* Elements that an index from p may name: of the smallest buffer it reaches. An index
 * that is multiplied first (a row of a table) names rows of that many bytes. */
static uint64_t index_range(const inputs *in, uint32_t p) {
  uint64_t best = 0;
  uint64_t threads = in->threads < 1024 ? 1024 : in->threads;
  uint64_t units = ww_guess_units(&in->guess);
  uint64_t step = in->stride[p];
  if (step && units < threads) /* a table of about as many rows as are looked up */
    threads = units < 1024 ? 1024 : units;
  for (uint32_t q = 0; q < in->fn->nparams && q < 64; q++) {
    if (!(in->roles[p].targets >> q & 1))
      continue;
    const ww_arg *g = &in->l->args[q];
    uint64_t size = elem_bytes(in, q);
    uint64_t bytes = g->kind == WW_ARG_BUFFER ? g->buffer.bytes : 0;
    uint64_t ahead = in->roles[p].ahead / size;
    uint64_t n = bytes / size;
    if (n)
      n = n > ahead ? n - ahead : 1;
    if (step > size && n && !in->sized[q])
      n = bytes > in->row[q] ? (bytes - in->row[q]) / step + 1 : 1;
    else if (step > size)
      n = threads < TABLE_BYTES / step ? threads : TABLE_BYTES / step;
    if (n && (!best || n < best))
      best = n;
  }
  if (!best)
    best = in->roles[p].linked && threads < CHAIN ? CHAIN : threads;
  if (best > MAX_ELEMENTS)
    best = MAX_ELEMENTS;
  for (int k = 0; k < in->shrink; k++)
    best = (best + 3) / 4;
  return best ? best : 1;
}

/* Entries that row pointers of p lead into, where their number was given; 0: not. */
static uint64_t given_entries(const inputs *in, uint32_t p) {
  uint64_t n = 0;
  for (uint32_t q = 0; q < in->fn->nparams && q < 64; q++)
    if (in->roles[p].targets >> q & 1 && in->l->args[q].kind == WW_ARG_BUFFER &&
        !in->sized[q])
      n = in->l->args[q].buffer.bytes / elem_bytes(in, q);
  return n;
}

/* An integer argument's value; false: it is none. */
static bool integer_of(const inputs *in, uint32_t q, double *v) {
  const ww_arg *g = &in->l->args[q];
  const ww_param *t = &in->fn->params[q];
  if (t->pointer || t->byval || ww_is_float(t->type) || t->size > 8)
    return false;
  uint64_t u = 0;
  uint32_t unused = 64 - 8 * t->size;
  if (g->kind == WW_ARG_HEX && g->hex_n >= t->size)
    memcpy(&u, g->hex, t->size);
  *v = g->kind == WW_ARG_HEX ? (double)((int64_t)(u << unused) >> unused) : g->value;
  return g->kind == WW_ARG_HEX || g->kind == WW_ARG_VALUE;
}

/* What integers of p's buffer are compared with. */
static void find_compared(const inputs *in, uint32_t p, ww_unfilled *u) {
  const ww_role *r = &in->roles[p];
  double v;
  u->least = r->least <= r->most ? (double)r->least : INFINITY;
  u->most = r->least <= r->most ? (double)r->most : -INFINITY;
  for (uint32_t q = 0; r->compared && q < in->fn->nparams && q < 64; q++)
    if (r->compared >> q & 1 && integer_of(in, q, &v)) {
      u->least = fmin(u->least, v);
      u->most = fmax(u->most, v);
    }
}

static ww_unfilled unfilled(const inputs *in, uint32_t p) {
  const ww_buffer *b = &in->l->args[p].buffer;
  ww_unfilled u = {.role = &in->roles[p],
                   .buffer = b,
                   .elements = b->bytes / elem_bytes(in, p),
                   .range = index_range(in, p),
                   .entries = given_entries(in, p)};
  find_compared(in, p, &u);
  return u;
}

static ww_fill likely_fill(inputs *in, uint32_t p) {
  ww_fill f;
  if (in->l->args[p].kind == WW_ARG_TENSORMAP) /* nobody sees what becomes of it */
    return (ww_fill){.kind = WW_FILL_RANDOM};
  if (in->shrink >= MOST_SHRINKS)
    return (ww_fill){.kind = WW_FILL_ZEROS};
  ww_unfilled u = unfilled(in, p);
  in->recorded[p] = ww_likely_recorded(&u, &f);
  return in->recorded[p] ? f : ww_likely_fill(&u);
}

/* Dynamic shared memory that nobody sized gets room to show how much it needs. */
static bool find_shared(inputs *in) {
  bool any = false, dynamic = false;
  ww_setup place = {0};
  const bool *used = ww_setup_place(in->m, in->fn, in->a, &place);
  for (uint32_t s = 0; s < in->m->nsymbols; s++)
    dynamic |= used[s] && in->m->symbols[s].dynamic;
  any = in->shared = dynamic && !in->l->shared_given && !in->l->shared;
  if (in->shared)
    in->l->shared = SHARED_ROOM;
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    ww_arg *g = &in->l->args[p];
    if (!in->fn->params[p].pointer || in->fn->params[p].space != WW_SHARED)
      continue;
    if (g->kind == WW_ARG_NONE)
      *g = (ww_arg){.name = g->name, .kind = WW_ARG_BUFFER};
    if (g->kind != WW_ARG_BUFFER || g->buffer.bytes)
      continue;
    g->buffer.bytes = SHARED_ROOM / 2;
    any = in->local[p] = true;
  }
  return any;
}

/* Which buffers' contents are ours to choose: not given, or random integers whose range
 * decides where the kernel goes. */
static void find_ours(inputs *in) {
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    ww_arg *g = &in->l->args[p];
    if (g->kind == WW_ARG_TENSORMAP)
      in->tell[p] = g->buffer.fill.kind == WW_FILL_NONE;
    if (!in->fn->params[p].pointer || in->fn->params[p].space == WW_SHARED)
      continue;
    if (g->kind == WW_ARG_NONE && ww_is_omp_state(in->m, in->fn, p))
      *g = (ww_arg){.kind = WW_ARG_VALUE, .is_int = true};
    if (g->kind == WW_ARG_NONE)
      *g = (ww_arg){.name = g->name, .kind = WW_ARG_BUFFER};
    if (g->kind != WW_ARG_BUFFER)
      continue;
    const char *type = g->buffer.type ? g->buffer.type : content_type(in, p);
    const ww_role *r = &in->roles[p];
    in->tell[p] = g->buffer.fill.kind == WW_FILL_NONE ||
                  (g->buffer.fill.kind == WW_FILL_RANDOM && ww_elem_is_int(type) &&
                   (r->index || r->bound || r->rows || r->counter || r->flag));
    in->doubted[p] = g->buffer.fill.kind == WW_FILL_NONE;
    in->sized[p] = !g->buffer.bytes;
    if (!g->buffer.type)
      g->buffer.type = content_type(in, p);
  }
}

/* Its integers are indices of our choice. */
static bool our_indices(const inputs *in, uint32_t p) {
  return in->tell[p] && in->roles[p].index && !in->roles[p].rows;
}

static void choose_fills(inputs *in) {
  for (uint32_t p = 0; p < in->fn->nparams; p++)
    if (in->tell[p])
      in->l->args[p].buffer.fill = likely_fill(in, p);
}

/* ---- sizes ---- */

typedef struct {
  ww_region *last;
  /* per argument: device addresses, then offsets from its pointer; local arguments:
   * offsets in theirs */
  uint64_t *lo, *hi;
  const ww_setup *s;
  uint32_t nparams;
  uint64_t dynamic_at;  /* where dynamic shared memory begins */
  uint64_t dynamic_end; /* bytes of it touched */
  uint64_t ranges;      /* noted so far */
  uint64_t written;     /* accesses that wrote */
} extents;

static void note_range(extents *x, uint64_t from, uint64_t to) {
  x->ranges++;
  ww_region *r = x->last;
  if (!r || from - r->base >= r->size)
    r = x->last = ww_memory_find(x->s->memory, from);
  if (!r || r->arg < 0)
    return;
  ww_range_add(&x->lo[r->arg], &x->hi[r->arg], from, to);
}

/* Shared memory: which local argument, or the dynamic part. */
static void note_shared(extents *x, uint64_t to) {
  uint64_t off = to - WW_SHARED_BASE;
  int32_t at = -1;
  if (off > x->s->shared_static + x->s->shared_dynamic + 64)
    return; /* a lane that went astray: the run says so */
  for (uint32_t p = 0; p < x->nparams; p++)
    if (x->s->local_at[p] != UINT64_MAX && x->s->local_at[p] < off &&
        (at < 0 || x->s->local_at[p] > x->s->local_at[at]))
      at = p;
  if (at >= 0) {
    uint64_t end = off - x->s->local_at[at];
    x->lo[at] = 0;
    if (end > x->hi[at])
      x->hi[at] = end;
  } else if (off > x->dynamic_at && off - x->dynamic_at > x->dynamic_end)
    x->dynamic_end = off - x->dynamic_at;
}

static void on_access(void *ctx, const ww_access *a) {
  if (a->space == WW_SHARED) {
    if (((extents *)ctx)->s->shared_dynamic)
      for (ww_mask m = a->lanes; m; m &= m - 1)
        note_shared(ctx, a->addr[__builtin_ctzll(m)] + a->bytes);
    return;
  }
  if (a->space != WW_GLOBAL && a->space != WW_CONST)
    return;
  ((extents *)ctx)->written += a->kind != WW_ACCESS_LOAD;
  if (a->pattern != WW_PATTERN_ANY)
    note_range(ctx, a->lo, a->hi);
  else
    for (ww_mask m = a->lanes; m; m &= m - 1)
      note_range(ctx, a->addr[__builtin_ctzll(m)],
                 a->addr[__builtin_ctzll(m)] + a->bytes);
}

/* Parameters whose contents are ours to choose and decide this. */
static uint64_t ours_deciding(const inputs *in, uint8_t what) {
  uint64_t mask = 0;
  for (uint32_t p = 0; p < in->fn->nparams && p < 64; p++)
    if (in->tell[p] && in->roles[p].decides & what)
      mask |= 1ull << p;
  return mask;
}

typedef struct {
  ww_machine *m;
  const uint64_t *grid;
  ww_observer obs;
  extents *x;
  ww_run_stats *stats;
  ww_arena *a;
  bool fitting; /* the end of the work is looked for, no sizes */
  bool writes;  /* work is what writes */
} prober;

/* Whether the block touches memory, or writes to it. One that runs for long has work;
 * whether it would write is not known, so nothing is said of that. */
static ww_status probe_block(prober *p, const uint64_t c[3], bool *works, ww_err *e) {
  uint64_t block = ww_number_of(p->grid, c);
  uint64_t before = p->writes ? p->x->written : p->x->ranges;
  if (p->fitting)
    p->stats->warp_instructions = 0; /* the limit is each block's own */
  ww_status st = ww_machine_run(p->m, &block, 1, 1, &p->obs, p->stats, p->a, e);
  *works = (p->writes ? p->x->written : p->x->ranges) > before;
  if (p->fitting && st == WW_ELIMIT && !(p->writes && !*works)) {
    *works = true;
    st = WW_OK;
  }
  return st;
}

/* The first block at a power of two along an axis that does not work, or `high`: where
 * a product of the block's index overflows, the last one works and others do not. */
static ww_status
first_idle(prober *p, int d, uint64_t c[3], uint64_t *high, ww_err *e) {
  bool works = true;
  ww_status st = WW_OK;
  for (uint64_t n = 1; n < *high && works && !st; n *= 2) {
    c[d] = n;
    st = probe_block(p, c, &works, e);
    if (!st && !works)
      *high = n;
  }
  return st;
}

/* The last block along an axis that works: grids are often larger than their data. */
static ww_status
last_working(prober *p, int d, const uint64_t at[3], uint64_t *last, ww_err *e) {
  uint64_t c[3] = {at[0], at[1], at[2]};
  uint64_t low = at[d];
  uint64_t high = p->grid[d] - 1;
  bool works;
  *last = c[d] = high;
  ww_status st = probe_block(p, c, &works, e);
  if (!st && works && p->fitting && !p->writes) {
    st = first_idle(p, d, c, &high, e);
    works = high == p->grid[d] - 1;
  }
  if (st || works || !high)
    return st;
  c[d] = low;
  st = probe_block(p, c, &works, e);
  if (st || !works)
    return st;
  while (!st && high - low > 1) {
    c[d] = low + (high - low) / 2;
    st = probe_block(p, c, &works, e);
    if (works)
      low = c[d];
    else
      high = c[d];
  }
  *last = low;
  return st;
}

/* The same of a grid whose end is looked for: blocks behind the end may still load what
 * blocks along another axis need, but they write nothing. */
static ww_status
last_fitting(prober *p, int d, const uint64_t at[3], uint64_t *last, ww_err *e) {
  uint64_t high = p->grid[d] - 1;
  ww_status st = last_working(p, d, at, last, e);
  if (st || *last < high || !high)
    return st;
  p->writes = true;
  st = last_working(p, d, at, last, e);
  p->writes = false;
  if (st == WW_ELIMIT) {
    *last = high;
    st = WW_OK;
  }
  return st;
}

static ww_status work_axes(prober *p, uint64_t last[3], ww_err *e) {
  const uint64_t origin[3] = {0};
  ww_status st = WW_OK;
  for (int d = 0; d < 3 && !st; d++)
    st = last_working(p, d, origin, &last[d], e);
  return st;
}

/* Where to look along one axis: at the first block of the others; at the second where
 * the edge of a grid has no work. */
static ww_status find_origin(prober *p, uint64_t at[3], ww_err *e) {
  bool works;
  for (int d = 0; d < 3; d++)
    at[d] = 0;
  ww_status st = probe_block(p, at, &works, e);
  for (int d = 0; d < 3 && !st && !works; d++)
    at[d] = p->grid[d] > 2;
  return st;
}

/* Blocks on one side of a matrix's diagonal alone may have work: along an axis where
 * only the first has, others are looked at beside the last of x. */
static ww_status fit_axes(prober *p, uint64_t last[3], ww_err *e) {
  uint64_t at[3];
  ww_status st = find_origin(p, at, e);
  for (int d = 0; d < 3 && !st; d++) {
    st = last_fitting(p, d, at, &last[d], e);
    const uint64_t beside[3] = {last[0], 0, 0};
    if (!st && d && p->grid[d] > 1 && !last[d] && last[0])
      st = last_fitting(p, d, beside, &last[d], e);
  }
  return st;
}

/* Corners of what works of the grid, and the middle between them along x. edge: so many
 * blocks in from the ends of y and z. */
static ww_status
probe_corners(prober *p, const uint64_t last[3], uint64_t edge, ww_err *e) {
  ww_status st = WW_OK;
  bool works;
  for (int k = 0; k < 12 && !st; k++) {
    uint64_t x = k % 3; /* 1: the end, 2: the middle */
    bool y = k / 3 % 2;
    bool z = k / 6;
    uint64_t c[3] = {x ? last[0] / x : 0, y ? last[1] : 0, z ? last[2] : 0};
    for (int d = 1; d < 3; d++)
      if (last[d] > 2 * edge)
        c[d] += c[d] ? -edge : edge;
    if ((x && !last[0]) || (y && !last[1]) || (z && !last[2]))
      continue;
    st = probe_block(p, c, &works, e);
  }
  return st;
}

static ww_status probe(inputs *in, extents *x, bool *assumed_fault, ww_err *e) {
  ww_setup s;
  ww_machine *mc = NULL;
  *assumed_fault = false;
  ww_status st = ww_setup_make(in->m, in->fn, in->l, in->a, &s, e);
  if (st)
    return st;
  ww_region *r;
  for (uint32_t k = 0; (r = ww_memory_region(s.memory, k)); k++)
    r->assumed = r->arg >= 0 && (in->tell[r->arg] || in->sized[r->arg]);
  ww_run_spec spec = ww_setup_spec(in->m, in->fn, in->l, &s);
  spec.max_steps = in->fitting ? FITTING_STEPS : ANALYSIS_STEPS;
  spec.extrapolate = spec.counts_only = spec.pass_waits = true;
  spec.share = ww_volume(spec.grid);
  if (in->shrink > MOST_SHRINKS) {
    spec.assumed_addresses = ours_deciding(in, WW_DECIDES_ADDRESSES);
    spec.assumed_paths = ours_deciding(in, WW_DECIDES_LOOPS | WW_DECIDES_BRANCHES);
  }
  if (in->until) {
    spec.cancelled = in->until->cancelled;
    spec.cancelled_ctx = in->until->ctx;
    ww_memory_limit(s.memory, in->until->bytes);
  }
  *x = (extents){.lo = WW_NEWN(in->a, uint64_t, in->fn->nparams + 1),
                 .hi = WW_NEWN(in->a, uint64_t, in->fn->nparams + 1),
                 .s = &s,
                 .nparams = in->fn->nparams,
                 .dynamic_at = (s.shared_static + 15) & ~15ull};
  memset(x->lo, 0xff, in->fn->nparams * sizeof *x->lo); /* UINT64_MAX */
  ww_observer obs = {.ctx = x, .access = on_access};
  ww_run_stats stats = {0};
  st = ww_machine_new(&spec, &mc, e);
  prober p = {mc, in->l->grid, obs, x, &stats, in->a, in->fitting, false};
  for (int d = 0; d < 3; d++)
    in->last[d] = in->l->grid[d] - 1;
  if (!st)
    st = in->fitting ? fit_axes(&p, in->last, e) : work_axes(&p, in->last, e);
  if (!st && !in->fitting)
    st = probe_corners(&p, in->last, 0, e);
  if (!st && !in->fitting && !x->ranges) /* the first and the last plane are an edge */
    st = probe_corners(&p, in->last, 1, e);
  if (st == WW_ELIMIT)
    st = WW_OK; /* long enough to have seen the ranges */
  if (st == WW_EDATA)
    *assumed_fault = stats.fault_assumed;
  if (ww_memory_exhausted(s.memory))
    st = ww_memory_too_small(in->until->bytes, e);
  for (uint32_t k = 0; k < in->fn->nparams; k++) /* to offsets from the pointer */
    if (x->lo[k] < x->hi[k] && s.arg[k]) {
      x->lo[k] -= s.arg[k]->origin;
      x->hi[k] -= s.arg[k]->origin;
    }
  ww_machine_free(mc);
  ww_setup_free(&s);
  return st;
}

/* Probes; while the assumed contents lead out of a buffer, narrows them. Where even
 * zeros do, accesses that depend on contents are taken inside it. */
static ww_status probe_until_fits(inputs *in, extents *x, ww_err *e) {
  for (;;) {
    bool assumed;
    choose_fills(in);
    ww_status st = probe(in, x, &assumed, e);
    if (st != WW_EDATA || !assumed || in->shrink > MOST_SHRINKS)
      return st;
    in->shrink++;
  }
}

/* Bytes of p's buffer from its pointer on. */
static uint64_t reached(const extents *x, uint32_t p) {
  return x->lo[p] != UINT64_MAX && (int64_t)x->hi[p] > 0 ? x->hi[p] : 0;
}

/* How far an index leads that is multiplied on its way to an address: what is touched
 * where all are zero, and how much farther it is where those of one buffer are one. */
static void find_strides(inputs *in) {
  extents zero, one;
  bool fault;
  ww_err unsaid = {0};
  bool any = false;
  for (uint32_t p = 0; p < in->fn->nparams; p++)
    any |= our_indices(in, p) && in->roles[p].scaled;
  if (!any)
    return;
  choose_fills(in);
  for (uint32_t p = 0; p < in->fn->nparams; p++)
    if (our_indices(in, p))
      in->l->args[p].buffer.fill = (ww_fill){.kind = WW_FILL_ZEROS};
  if (probe(in, &zero, &fault, &unsaid))
    return;
  for (uint32_t q = 0; q < in->fn->nparams; q++)
    in->row[q] = reached(&zero, q);
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    if (!our_indices(in, p) || !in->roles[p].scaled)
      continue;
    in->l->args[p].buffer.fill.kind = WW_FILL_ONES;
    ww_status st = probe(in, &one, &fault, &unsaid);
    in->l->args[p].buffer.fill.kind = WW_FILL_ZEROS;
    for (uint32_t q = 0; !st && q < in->fn->nparams && q < 64; q++)
      if (in->roles[p].targets >> q & 1 && reached(&one, q) > in->row[q] &&
          reached(&one, q) - in->row[q] > in->stride[p])
        in->stride[p] = reached(&one, q) - in->row[q];
  }
}

static void take_shared(inputs *in, const extents *x) {
  if (in->shared) {
    in->l->shared = (x->dynamic_end + 3) & ~3ull;
    assume(in, WW_ASSUME_SHARED_BYTES, NULL, in->l->shared);
  }
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    if (!in->local[p])
      continue;
    in->l->args[p].buffer.bytes = x->hi[p] ? (x->hi[p] + 3) & ~3ull : 4;
    assume(in, WW_ASSUME_LOCAL_BYTES, in->fn->params[p].name,
           in->l->args[p].buffer.bytes);
  }
}

static void take_sizes(inputs *in, const extents *x, bool rows_only) {
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    if (!in->sized[p] || in->l->args[p].kind != WW_ARG_BUFFER ||
        (rows_only && !in->roles[p].rows))
      continue;
    ww_buffer *b = &in->l->args[p].buffer;
    uint32_t size = elem_bytes(in, p);
    int64_t lo = x->lo[p] == UINT64_MAX ? 0 : x->lo[p];
    int64_t hi = x->lo[p] == UINT64_MAX ? 0 : x->hi[p];
    if (lo > 0)
      lo = 0;
    if (hi < 0)
      hi = 0; /* the pointer itself counts as inside */
    for (uint32_t q = 0; p < 64 && q < in->fn->nparams && q < 64; q++) {
      const ww_role *r = &in->roles[q];
      /* what an index may name, or each thread puts into a queue, is touched */
      uint64_t most = 0;
      if (our_indices(in, q))
        most = in->stride[q] > size
                   ? (index_range(in, q) - 1) * in->stride[q] + in->row[p]
                   : index_range(in, q) * size + r->ahead;
      if (r->counter && in->threads * size > most)
        most = in->threads * size;
      if (r->targets >> p & 1 && hi < (int64_t)most)
        hi = most;
    }
    uint64_t bytes = hi - lo;
    b->bytes = bytes ? (bytes + size - 1) / size * size : size;
    b->offset = -lo;
  }
}

/* ---- */

static void assume_range(
    inputs *in, ww_assumption_kind kind, const char *name, double lo, double hi) {
  assume(in, kind, name, (uint64_t)(int64_t)floor(lo));
  in->said->list.v[in->said->list.n - 1].value[1] = (uint64_t)(int64_t)ceil(hi);
}

static void
assume_recorded(inputs *in, const char *name, const ww_buffer *b, uint32_t size) {
  const ww_fill *f = &b->fill;
  if (f->kind == WW_FILL_ZEROS)
    assume(in, WW_ASSUME_RECORDED_ZEROS, name, 0);
  else if (f->kind == WW_FILL_INDEX)
    assume_range(in, WW_ASSUME_RECORDED_RISING, name, 0, (double)(b->bytes / size) - 1);
  else if (ww_fill_is_rows(f->kind))
    assume_range(in, WW_ASSUME_RECORDED_RISING, name, f->lo, f->hi);
  else
    assume_range(in, WW_ASSUME_RECORDED_RANGE, name, f->lo,
                 f->kind == WW_FILL_RANDOM ? 1 : f->hi);
}

/* Nobody could tell whether it ran: it was given something, and hands nothing on. */
static bool stores_nothing(const ww_fn *fn) {
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));) {
    uint8_t cls = ww_ops[i->op].cls;
    bool own = i->space == WW_SHARED || i->space == WW_LOCAL;
    if (((cls == WW_CLASS_STORE || cls == WW_CLASS_ATOMIC) && !own) ||
        cls == WW_CLASS_MISC || i->op == WW_OP_CALL || i->op == WW_OP_CALLI ||
        i->op == WW_OP_TRAP)
      return false;
  }
  return fn->nparams;
}

static void assume_contents(inputs *in) {
  if (stores_nothing(in->fn))
    assume(in, WW_ASSUME_STORES_NOTHING, in->fn->name, 0);
  for (uint32_t p = 0; p < in->fn->nparams; p++) {
    const ww_arg *g = &in->l->args[p];
    const char *name = in->fn->params[p].name;
    bool buffer = g->kind == WW_ARG_BUFFER && in->fn->params[p].space != WW_SHARED;
    for (uint32_t k = 0; g->kind == WW_ARG_HEX && k < g->nptrs; k++)
      if (g->ptrs[k].buffer.fill.kind == WW_FILL_NONE)
        assume(in, WW_ASSUME_ZEROS, ww_fmt(in->a, "%s+%u", name, g->ptrs[k].at), 0);
    if (!buffer && g->kind != WW_ARG_TENSORMAP)
      continue;
    if (in->sized[p])
      assume(in, WW_ASSUME_BUFFER_BYTES, name, g->buffer.bytes);
    if (!in->tell[p])
      continue;
    const ww_fill *f = &g->buffer.fill;
    if (in->recorded[p]) {
      assume_recorded(in, name, &g->buffer, elem_bytes(in, p));
      continue;
    }
    switch (f->kind) {
    case WW_FILL_ZEROS:
      if (in->roles[p].counter)
        assume(in, WW_ASSUME_COUNTER, name, 0);
      else if (in->roles[p].flag)
        assume(in, WW_ASSUME_FLAGS, name, 0);
      else if (in->roles[p].loaded)
        assume(in, WW_ASSUME_ZEROS, name, 0);
      break;
    case WW_FILL_MONOTONE:
      assume(in, in->roles[p].rows ? WW_ASSUME_ROW_POINTERS : WW_ASSUME_RISING, name,
             f->hi);
      break;
    case WW_FILL_UNIFORM:
      assume_range(in,
                   in->roles[p].index   ? WW_ASSUME_INDICES
                   : in->roles[p].bound ? WW_ASSUME_LOOP_ENDS
                   : in->roles[p].sought || in->roles[p].decides & WW_DECIDES_ADDRESSES
                       ? WW_ASSUME_INTEGERS
                       : WW_ASSUME_COMPARED,
                   name, f->lo, f->hi);
      break;
    case WW_FILL_RANDOM:
      assume(in,
             ww_elem_is_int(g->buffer.type) ? WW_ASSUME_RANDOM_INTEGERS
                                            : WW_ASSUME_RANDOM_NUMBERS,
             name, 0);
      break;
    default:
      break;
    }
  }
}

/* Arguments whose contents were assumed and decide how the kernel runs. What a
 * recording told of them is not doubted. */
static void find_deciding(inputs *in) {
  for (uint32_t p = 0; p < in->fn->nparams && p < 64; p++) {
    const ww_role *r = &in->roles[p];
    if (!in->doubted[p] || in->recorded[p] || !r->decides)
      continue;
    ww_unfilled u = unfilled(in, p);
    ww_deciding d = {.arg = p, .decides = r->decides, .targets = r->targets};
    d.nfills = ww_likely_others(&u, &in->l->args[p].buffer.fill, d.fill);
    if (d.nfills)
      ww_push(in->a, &in->said->deciding, d);
  }
  in->said->loops = ours_deciding(in, WW_DECIDES_LOOPS);
  in->said->addresses = ours_deciding(in, WW_DECIDES_ADDRESSES);
  in->said->paths = ours_deciding(in, WW_DECIDES_LOOPS | WW_DECIDES_BRANCHES);
}

/* Shape and scalars, and what is to be found out of the buffers; the launch's arguments
 * are a copy from now on. */
static void begin(inputs *in) {
  uint32_t n = in->fn->nparams + 1;
  in->roles = WW_NEWN(in->a, ww_role, n);
  in->sized = WW_NEWN(in->a, bool, n);
  in->tell = WW_NEWN(in->a, bool, n);
  in->doubted = WW_NEWN(in->a, bool, n);
  in->recorded = WW_NEWN(in->a, bool, n);
  in->stride = WW_NEWN(in->a, uint64_t, n);
  in->row = WW_NEWN(in->a, uint64_t, n);
  in->local = WW_NEWN(in->a, bool, n);
  ww_roles_find(in->fn, in->a, in->roles);
  in->guess = (ww_guess){.m = in->m,
                         .fn = in->fn,
                         .l = in->l,
                         .said = &in->said->list,
                         .roles = in->roles,
                         .a = in->a,
                         .attempt = in->shape,
                         .smaller = in->smaller};
  ww_guess_launch(&in->guess, in->fitted);
  in->threads = ww_volume(in->l->grid) * ww_volume(in->l->block);
  find_ours(in);
}

/* Blocks along an axis: as many as have work; where none ends, by the sizes alone;
 * along which threads go round, as many as fill the GPU. 0: as it is usual. */
static uint64_t blocks_along(const inputs *in, int d, uint64_t usual, uint64_t wide) {
  uint64_t n = in->last[d] + 1;
  if (n >= wide)
    n = ww_guess_blocks(&in->guess, d);
  return n > usual && ww_guess_goes_round(&in->guess, d) ? 0 : n;
}

/* The grid that the sizes ask for. */
static bool fit_grid(inputs in, uint64_t grid[3]) {
  ww_launch l = *in.l;
  ww_assumed unsaid = {0};
  extents x;
  ww_err e = {0};
  l.args = WW_NEWN(in.a, ww_arg, l.nargs + 1);
  for (uint32_t p = 0; p < l.nargs; p++)
    l.args[p] = in.l->args[p];
  in.l = &l;
  in.said = &unsaid;
  in.fitting = true;
  begin(&in);
  if (!ww_guess_is_guarded(&in.guess))
    return false;
  find_shared(&in);
  memcpy(grid, l.grid, sizeof l.grid);
  uint64_t wide[3];
  for (int d = 0; d < 3; d++) {
    wide[d] = d ? WIDE_BLOCKS : WIDE / l.block[0];
    l.grid[d] = grid[d] > 1 ? wide[d] : 1;
  }
  if (probe_until_fits(&in, &x, &e))
    return false;
  bool found = false;
  for (int d = 0; d < 3; d++) {
    uint64_t n = grid[d] > 1 ? blocks_along(&in, d, grid[d], wide[d]) : 0;
    grid[d] = n ? n : grid[d];
    found |= n > 0;
  }
  return found;
}

/* What is to be said of a guess. */
typedef struct {
  bool sized;     /* sizes were assumed, so others can be */
  bool idle;      /* the kernel touched nothing */
  uint64_t bytes; /* of buffers whose sizes follow from them */
} verdict;

static verdict judge(const inputs *in, const extents *x) {
  verdict v = {.sized = in->guess.sized, .idle = !x->ranges};
  for (uint32_t p = 0; p < in->fn->nparams; p++)
    if (in->sized[p])
      v.bytes += in->l->args[p].buffer.bytes;
  return v;
}

static ww_status complete(inputs in, verdict *v, ww_err *e) {
  const ww_fn *fn = in.fn;
  begin(&in);
  *v = (verdict){.sized = in.guess.sized};
  bool any_shared = find_shared(&in), any_size = false, any_index = false, rows = false;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    any_size |= in.sized[p];
    any_index |= in.tell[p] && (in.roles[p].index || in.roles[p].rows);
    rows |= in.sized[p] && in.roles[p].rows;
  }
  ww_status st = WW_OK;
  if (any_size || any_index || any_shared) {
    extents x;
    find_strides(&in);
    st = probe_until_fits(&in, &x, e);
    if (!st && rows) {
      take_sizes(&in, &x, true);
      st = probe_until_fits(&in, &x, e);
    }
    if (!st && any_size)
      take_sizes(&in, &x, false);
    if (!st)
      take_shared(&in, &x);
    if (!st && any_size)
      *v = judge(&in, &x);
  }
  choose_fills(&in);
  assume_contents(&in);
  in.said->args = WW_NEWN(in.a, bool, fn->nparams + 1);
  in.said->sized = in.sized;
  find_deciding(&in);
  for (uint32_t p = 0; p < fn->nparams; p++)
    in.said->args[p] = in.tell[p] || in.sized[p];
  return st;
}

static bool has_symbol(const ww_module *m, const char *name) {
  for (uint32_t s = 0; s < m->nsymbols; s++)
    if (ww_symbol_is(&m->symbols[s], name))
      return true;
  return false;
}

/* A recorded launch sets every variable of its module; the IR has only those that some
 * kernel uses. Says the others. */
static ww_assumptions drop_symbols(const ww_module *m, ww_launch *l, ww_arena *a) {
  ww_assumptions dropped = {0};
  ww_symbol_arg *kept = WW_NEWN(a, ww_symbol_arg, l->nsymbols + 1);
  uint32_t n = 0;
  for (uint32_t i = 0; i < l->nsymbols; i++)
    if (has_symbol(m, l->symbols[i].name))
      kept[n++] = l->symbols[i];
    else
      ww_push(a, &dropped,
              (ww_assumption){WW_ASSUME_UNUSED_SYMBOL, l->symbols[i].name, {0}});
  l->symbols = kept;
  l->nsymbols = n;
  return dropped;
}

/* One guess: with the block that is the `shape`th to try, and sizes made smaller so
 * many times. */
static ww_status
guess_once(const inputs *base, const ww_launch *given, verdict *v, ww_err *e) {
  inputs in = *base;
  uint64_t grid[3];
  *in.l = *given;
  in.l->args = WW_NEWN(in.a, ww_arg, given->nargs + 1);
  if (given->nargs)
    memcpy(in.l->args, given->args, given->nargs * sizeof *in.l->args);
  in.said->list.n = in.said->deciding.n = 0;
  in.fitted = !in.l->grid[0] && fit_grid(in, grid);
  if (in.fitted)
    memcpy(in.l->grid, grid, sizeof grid);
  return complete(in, v, e);
}

/* The first block of those to try that the kernel can run in. */
static ww_status
guess_block(inputs *in, const ww_launch *given, verdict *v, ww_err *e) {
  bool free_shape = !given->block[0] && !in->fn->req_block[0];
  ww_err why = {0};
  for (in->shape = 0; in->shape < (free_shape ? WW_GUESS_BLOCKS : 1u); in->shape++) {
    ww_err one = {0};
    ww_status st = guess_once(in, given, v, &one);
    if (st && st != WW_EDATA && e)
      *e = one;
    if (st != WW_EDATA)
      return st;
    if (!in->shape)
      why = one;
  }
  if (e)
    *e = why; /* none fits: what was wrong with the first */
  return WW_EDATA;
}

/* Which sizes would have to be given. */
static ww_status refuse(const inputs *in, uint64_t bytes, ww_err *e) {
  const char *names = "";
  for (uint32_t p = 0; p < in->fn->nparams; p++)
    for (uint32_t k = 0; k < in->said->list.n; k++) {
      const ww_assumption *x = &in->said->list.v[k];
      const char *name = in->fn->params[p].name;
      if (!in->fn->params[p].pointer && x->argument && !strcmp(x->argument, name))
        names = ww_fmt(in->a, "%s --arg %s=...", names, name);
    }
  return ww_fail(e, WW_EUSAGE,
                 "its sizes are not known, and with usual ones its buffers would take "
                 "%llu GB; give them:%.200s",
                 (unsigned long long)(bytes >> 30), names);
}

ww_status ww_inputs_complete(const ww_module *m,
                             const ww_fn *fn,
                             ww_launch *l,
                             const ww_until *until,
                             ww_assumed *said,
                             ww_arena *a,
                             ww_err *e) {
  ww_launch given = *l;
  const ww_assumptions dropped = drop_symbols(m, &given, a);
  inputs in = {.m = m, .fn = fn, .l = l, .said = said, .a = a, .until = until};
  verdict v = {0};
  ww_err why = {0};
  ww_status st = guess_block(&in, &given, &v, &why);
  for (; v.sized && (st == WW_EDATA || v.idle || v.bytes > USUAL_BYTES) &&
         in.smaller < MOST_SMALLER;) {
    in.smaller++;
    ww_err ignored = {0};
    st = guess_block(&in, &given, &v, &ignored);
  }
  /* smaller sizes did not help: what the usual ones gave */
  bool better = !st && !v.idle;
  if (in.smaller && !better && !(v.bytes > MOST_BYTES)) {
    in.smaller = 0;
    st = guess_block(&in, &given, &v, &why);
  }
  if (st && e)
    *e = why;
  if (!st && v.sized && v.bytes > MOST_BYTES)
    st = refuse(&in, v.bytes, e);
  ww_assumptions_add(&said->list, &dropped, a);
  return st;
}
