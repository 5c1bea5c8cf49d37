/* machine.c - thread blocks and their warps: sets them up, lets them take turns, holds
 * them at barriers.
 *
 * A machine is built once per launch (decode, register files) and then runs any set of
 * blocks. A warp runs until it waits, ends or has used its slice; slices let kernels
 * that spin on another warp's flag get on. Register files and local memory are reserved
 * address space: only what a warp touches costs memory. */
#include "code.h"
#include "setup.h"

#include <stdlib.h>
#include <sys/mman.h>

#define MOST_SHARED (1u << 18)  /* bytes; more than any GPU has for a block */
#define MOST_LOCAL (512u << 20) /* bytes of a thread: the window of trace.h */
/* warp instructions before the next warp has its turn */
#define SLICE 65536u

typedef struct {
  ww_exec **warps;
  ww_run_end *state; /* per warp; WW_RUN_SLICE: can run */
  uint8_t *shared;
  bool done; /* all its warps are */
} thread_block;

struct ww_machine {
  ww_run_spec s;
  ww_arena *a;
  const ww_isa *isa;
  /* per module function; NULL when the kernel does not reach it */
  const ww_prog **progs;
  const ww_prog *kernel;
  uint32_t lanes, warps, n_ins, n_loops, max_phis;
  uint32_t shared_bytes;
  size_t regs_bytes;
  uint32_t local_stride;
  uint64_t heap_next;
  ww_region *heap;
  bool assumed;
  uint32_t tex_axes;
  thread_block *pool;
  uint32_t npool;
};

/* ---- set-up ---- */

extern const ww_isa ww_isa_base32, ww_isa_base64;
#if defined(__x86_64__)
extern const ww_isa ww_isa_avx232, ww_isa_avx264, ww_isa_avx51232, ww_isa_avx51264;
#endif

const ww_isa *ww_isa_pick(uint32_t lanes) {
  const char *force = getenv("WARPWISE_ISA");
#if defined(__x86_64__)
  __builtin_cpu_init();
  bool v2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  bool v4 = v2 && __builtin_cpu_supports("avx512f") &&
            __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
  if (force && !strcmp(force, "avx2"))
    v4 = false;
  if (force && !strcmp(force, "base"))
    v4 = v2 = false;
  if (v4)
    return lanes == 64 ? &ww_isa_avx51264 : &ww_isa_avx51232;
  if (v2)
    return lanes == 64 ? &ww_isa_avx264 : &ww_isa_avx232;
#endif
  (void)force;
  return lanes == 64 ? &ww_isa_base64 : &ww_isa_base32;
}

/* Does anything the kernel reaches call it again, or take its address? */
static bool calls_itself(const ww_module *mod, uint32_t kernel, const bool *in) {
  for (uint32_t f = 0; f < mod->nfns; f++) {
    const ww_fn *fn = &mod->fns[f];
    for (uint32_t v = 0; in[f] && v < fn->nvals; v++)
      if (fn->vals[v].kind == WW_VAL_FN && fn->vals[v].ref == kernel)
        return true;
    ww_ins_walk w = {.fn = fn};
    for (const ww_ins *i; in[f] && (i = ww_next_ins(&w));)
      if (i->op == WW_OP_CALL && i->imm == kernel)
        return true;
  }
  for (uint32_t s = 0; s < mod->nsymbols; s++)
    for (uint32_t r = 0; r < mod->symbols[s].nrelocs; r++)
      if (mod->symbols[s].relocs[r].fn && mod->symbols[s].relocs[r].ref == kernel)
        return true;
  return false;
}

static ww_status decode_all(ww_machine *m, ww_err *e) {
  const ww_module *mod = m->s.module;
  uint32_t kernel = m->s.fn - mod->fns, frames = 0, locals = 0;
  bool *in = WW_NEWN(m->a, bool, mod->nfns + 1);
  ww_reach(mod, m->s.fn, in);
  m->progs = WW_NEWN(m->a, const ww_prog *, mod->nfns + 1);
  for (uint32_t f = 0; f < mod->nfns; f++)
    if (in[f])
      m->progs[f] = WW_NEW(m->a, ww_prog);
  const ww_decoding with = {mod,      m->lanes, m->isa,   m->s.symbol_addr,
                            m->progs, m->a,     &m->n_ins};
  for (uint32_t f = 0; f < mod->nfns; f++) {
    if (!in[f])
      continue;
    if (mod->fns[f].refusal)
      return ww_fail(e, WW_EUNSUPPORTED, "%s cannot be interpreted: %s",
                     mod->fns[f].name, mod->fns[f].refusal);
    ww_prog *p = (ww_prog *)m->progs[f];
    ww_status st = ww_decode(&with, f, p, e);
    if (st)
      return st;
    for (uint32_t s = 0; s < p->nsteady; s++) {
      p->steady[s].number = m->n_loops++;
      if (p->steady[s].nphis > m->max_phis)
        m->max_phis = p->steady[s].nphis;
    }
    if (f == kernel && !calls_itself(mod, kernel, in))
      continue;
    if (p->frame > frames)
      frames = p->frame;
    if (p->fn->local_bytes > locals)
      locals = p->fn->local_bytes;
  }
  m->kernel = m->progs[kernel];
  m->regs_bytes = m->kernel->frame + (size_t)frames * (WW_MAX_DEPTH - 1) + 4096;
  uint64_t own = m->kernel->fn->local_bytes,
           local = own + (uint64_t)locals * (frames ? WW_MAX_DEPTH - 1 : 0);
  if (own > MOST_LOCAL)
    return ww_fail(
        e, WW_ELIMIT,
        "%s has %llu bytes of local memory per thread: at most %u can be addressed",
        m->s.fn->name, (unsigned long long)own, MOST_LOCAL);
  m->local_stride = ((uint32_t)(local < MOST_LOCAL ? local : MOST_LOCAL) + 15) & ~15u;
  return WW_OK;
}

void ww_param_offsets(const ww_fn *fn, uint32_t *off, uint32_t *total) {
  uint32_t at = 0;
  for (uint32_t p = 0; p < fn->nparams; p++) {
    uint32_t align = fn->params[p].align ? fn->params[p].align : 1;
    at = (at + align - 1) / align * align;
    off[p] = at;
    at += fn->params[p].size;
  }
  *total = at;
}

/* The kernel's frame: constants from the image, parameters from the buffer, the same in
 * every lane.
 */
static void set_kernel_frame(const ww_machine *m, uint8_t *frame) {
  const ww_fn *fn = m->s.fn;
  uint32_t off[fn->nparams + 1], total;
  ww_param_offsets(fn, off, &total);
  memcpy(frame, m->kernel->image, m->kernel->fixed);
  for (uint32_t p = 0; p < fn->nparams; p++) {
    const ww_param *q = &fn->params[p];
    uint32_t bytes = WW_CELL_BYTES(q->type);
    uint64_t v = 0;
    if (q->byval)
      v = WW_PARAM_BASE + off[p];
    else if (off[p] + q->size <= m->s.params_n)
      memcpy(&v, m->s.params + off[p], q->size < 8 ? q->size : 8);
    if (q->type == WW_I1)
      v &= 1;
    for (uint32_t l = 0; l < m->lanes; l++)
      memcpy(frame + m->kernel->slots[p] + bytes * l, &v, bytes);
  }
}

static ww_exec *new_warp(ww_machine *m, uint32_t warp, ww_err *e) {
  ww_exec *x = ww_xcalloc(1, sizeof *x);
  x->machine = m;
  x->spec = &m->s;
  x->lanes = m->lanes;
  x->memory = m->s.memory;
  x->params = m->s.params;
  x->params_n = m->s.params_n;
  x->local_stride = m->local_stride;
  x->tid0 = warp * m->lanes;
  for (int d = 0; d < 3; d++)
    for (uint32_t l = 0; l < m->lanes; l++)
      x->tid[d][l] = ww_axis_of(m->s.block, x->tid0 + l, d);
  x->region_cache = ww_xcalloc(m->n_ins + 1, sizeof *x->region_cache);
  x->frames[0].frame = ww_reserve(m->regs_bytes);
  if (m->local_stride)
    x->local = ww_reserve((size_t)m->local_stride * m->lanes);
  if (!x->frames[0].frame || (m->local_stride && !x->local)) {
    ww_fail(e, WW_ELIMIT,
            "no address space for the registers and local memory of a warp");
    return x;
  }
  x->frames[0].prog = m->kernel;
  set_kernel_frame(m, x->frames[0].frame);
  size_t rows = (size_t)(m->max_phis + 2) * m->lanes;
  x->loops = ww_xcalloc(m->n_loops + 1, sizeof *x->loops);
  for (uint32_t l = 0; l < m->n_loops; l++) {
    x->loops[l].prev = ww_xcalloc(2 * rows, sizeof(uint64_t));
    x->loops[l].step = x->loops[l].prev + rows;
    x->loops[l].affine = ww_xcalloc(m->max_phis + 1, 1);
  }
  return x;
}

static void free_warp(ww_machine *m, ww_exec *x) {
  if (!x)
    return;
  if (x->frames[0].frame)
    munmap(x->frames[0].frame, m->regs_bytes);
  if (x->local)
    munmap(x->local, (size_t)m->local_stride * m->lanes);
  for (uint32_t l = 0; x->loops && l < m->n_loops; l++) {
    free(x->loops[l].prev);
    free(x->loops[l].affine);
  }
  free(x->loops);
  free(x->region_cache);
  free(x);
}

static void free_block(ww_machine *m, thread_block *b) {
  for (uint32_t w = 0; b->warps && w < m->warps; w++)
    free_warp(m, b->warps[w]);
  free(b->warps);
  free(b->state);
  free(b->shared);
}

/* How many axes of textures the kernel asks for, from the constants it asks with. */
static uint32_t texture_axes(const ww_machine *m) {
  uint32_t axes = 1;
  for (uint32_t f = 0; f < m->s.module->nfns; f++) {
    const ww_fn *fn = &m->s.module->fns[f];
    ww_ins_walk w = {.fn = fn};
    for (const ww_ins *i; m->progs[f] && (i = ww_next_ins(&w));)
      if (i->op == WW_OP_TEXDIM && fn->vals[i->b].kind == WW_VAL_CONST &&
          fn->vals[i->b].bits + 1 > axes)
        axes = fn->vals[i->b].bits + 1;
  }
  return axes;
}

ww_status ww_machine_new(const ww_run_spec *s, ww_machine **out, ww_err *e) {
  *out = NULL;
  uint64_t threads = ww_volume(s->block);
  if (!threads || threads > 1024)
    return ww_fail(e, WW_EUSAGE, "a block of %llu threads: a GPU runs 1 to 1024",
                   (unsigned long long)threads);
  if (!s->grid[0] || !s->grid[1] || !s->grid[2])
    return ww_fail(e, WW_EUSAGE, "an empty grid");
  if (s->shared_static > MOST_SHARED || s->shared > MOST_SHARED - s->shared_static)
    return ww_fail(e, WW_EUSAGE,
                   "%llu bytes of shared memory: no GPU gives a block more than %u",
                   (unsigned long long)(s->shared_static + s->shared), MOST_SHARED);
  ww_machine *m = ww_xcalloc(1, sizeof *m);
  m->s = *s;
  if (!s->sms)
    m->s.sms = 132;
  if (!s->max_steps)
    m->s.max_steps = UINT64_MAX;
  if (!s->slice)
    m->s.slice = SLICE;
  m->a = ww_arena_new();
  m->lanes = s->lanes ? s->lanes : s->module->warp;
  m->isa = ww_isa_pick(m->lanes);
  m->warps = (threads + m->lanes - 1) / m->lanes;
  m->shared_bytes = ((s->shared_static + 15) & ~15ull) + s->shared;
  const ww_region *r;
  for (uint32_t k = 0; (r = ww_memory_region(s->memory, k)); k++)
    m->assumed |= r->assumed || r->unbounded;
  ww_status st = decode_all(m, e);
  if (st) {
    ww_machine_free(m);
    return st;
  }
  m->tex_axes = texture_axes(m);
  *out = m;
  return WW_OK;
}

void ww_machine_free(ww_machine *m) {
  if (!m)
    return;
  for (uint32_t b = 0; b < m->npool; b++)
    free_block(m, &m->pool[b]);
  free(m->pool);
  ww_arena_free(m->a);
  free(m);
}

/* ---- one thread block ---- */

/* A block that could not be made whole is not in the pool: the next run would take it.
 */
static ww_status grow_pool(ww_machine *m, uint32_t n, ww_err *e) {
  if (n <= m->npool)
    return WW_OK;
  m->pool = ww_xrealloc(m->pool, n * sizeof *m->pool);
  while (m->npool < n) {
    thread_block *b = &m->pool[m->npool];
    *b = (thread_block){.warps = ww_xcalloc(m->warps, sizeof *b->warps),
                        .state = ww_xcalloc(m->warps, sizeof *b->state),
                        .shared = ww_xcalloc(m->shared_bytes + 16, 1)};
    for (uint32_t w = 0; w < m->warps; w++) {
      b->warps[w] = new_warp(m, w, e);
      if (b->warps[w]->loops)
        continue;
      free_block(m, b);
      return WW_ELIMIT;
    }
    m->npool++;
  }
  return WW_OK;
}

static void
start_block(ww_machine *m, thread_block *b, uint64_t index, const ww_observer *obs) {
  memset(b->shared, 0, m->shared_bytes);
  b->done = false;
  for (uint32_t w = 0; w < m->warps; w++) {
    ww_exec *x = b->warps[w];
    uint64_t left = ww_volume(m->s.block) - b->warps[w]->tid0;
    x->id = (ww_warp_id){index, w};
    for (int d = 0; d < 3; d++)
      x->ctaid[d] = ww_axis_of(m->s.grid, index, d);
    x->obs = obs;
    x->shared = (ww_shared_mem){b->shared, m->shared_bytes};
    x->prog = m->kernel;
    x->F = x->frames[0].frame;
    x->pc = x->sp = x->frames[0].stack = 0;
    x->rpc = WW_NOSEG;
    x->depth = 1;
    x->local_top = m->kernel->fn->local_bytes;
    x->weight = 1;
    x->steps = 0;
    x->live = left >= 64 ? ~0ull : (1ull << left) - 1;
    if (m->lanes < 64)
      x->live &= (1ull << m->lanes) - 1;
    x->mask = x->live;
    x->part = x->cancelled = x->extrapolated = false;
    x->bar = NULL;
    x->fault = NULL;
    b->state[w] = WW_RUN_SLICE;
  }
  if (obs->block_start)
    obs->block_start(obs->ctx, index);
}

static bool waits(const thread_block *b, uint32_t w, ww_run_end what, int64_t id) {
  return b->state[w] == what &&
         (what != WW_RUN_BARRIER || b->warps[w]->bar->ins->imm == id);
}

/* The warps that wait there go on. */
static void release(ww_machine *m, thread_block *b, ww_run_end what, int64_t id) {
  uint32_t total = 0, count = 0;
  for (uint32_t w = 0; w < m->warps; w++)
    if (waits(b, w, what, id)) {
      total += b->warps[w]->bar_result;
      count += __builtin_popcountll(b->warps[w]->mask);
    }
  for (uint32_t w = 0; w < m->warps; w++) {
    ww_exec *x = b->warps[w];
    if (!waits(b, w, what, id))
      continue;
    uint8_t sub = x->bar->ins->sub;
    x->bar_result = sub == 2 ? total == count : sub == 3 ? total > 0 : total;
    b->state[w] = WW_RUN_SLICE;
  }
}

/* Lets the warps at one barrier go on when enough have come: as many as it names, else
 * all that still run. When everyone waits and no barrier has enough, the lowest id
 * other than 0 gives way.
 */
static void
release_barrier(ww_machine *m, thread_block *b, uint32_t live, uint32_t waiting) {
  int64_t low = -1;
  for (uint32_t w = 0; w < m->warps; w++) {
    if (b->state[w] != WW_RUN_BARRIER)
      continue;
    const ww_ins *i = b->warps[w]->bar->ins;
    uint32_t here = 0, need = i->ext ? (i->ext + m->lanes - 1) / m->lanes : live;
    for (uint32_t v = 0; v < m->warps; v++)
      here += waits(b, v, WW_RUN_BARRIER, i->imm);
    if (here >= need) {
      release(m, b, WW_RUN_BARRIER, i->imm);
      return;
    }
    if (low <= 0 || (i->imm && i->imm < low))
      low = i->imm;
  }
  if (waiting == live)
    release(m, b, WW_RUN_BARRIER, low);
}

/* ---- running ---- */

typedef struct {
  uint64_t steps; /* warp instructions of blocks that ended */
  uint32_t running;
} progress;

static ww_status report_fault(
    const ww_machine *m, const ww_exec *x, ww_run_stats *st, ww_arena *a, ww_err *e) {
  const ww_module *mod = m->s.module;
  st->fault = ww_strdup(a, x->fault);
  st->fault_loc = x->fault_ins ? x->fault_ins->loc : 0;
  st->fault_assumed = x->fault_assumed;
  ww_status s = ww_fail(e, WW_EDATA, "%s (block %llu, warp %u)", st->fault,
                        (unsigned long long)x->id.block, x->id.warp);
  if (e && st->fault_loc && st->fault_loc < mod->nlocs) {
    if (mod->nfiles)
      e->file = mod->files[mod->locs[st->fault_loc].file];
    e->line = mod->locs[st->fault_loc].line;
  }
  return s;
}

/* One turn for every warp of a block that can run. */
static ww_status turn(ww_machine *m,
                      thread_block *b,
                      progress *p,
                      ww_run_stats *st,
                      ww_arena *a,
                      ww_err *e) {
  uint32_t live = 0, bars = 0, grids = 0;
  for (uint32_t k = 0; k < m->warps; k++) {
    uint32_t w = m->s.backwards ? m->warps - 1 - k : k;
    ww_exec *x = b->warps[w];
    if (b->state[w] == WW_RUN_SLICE) {
      x->slice = x->steps + m->s.slice;
      b->state[w] = m->isa->run(x);
      if (x->cancelled)
        return ww_fail(e, WW_ECANCEL, "cancelled");
      if (b->state[w] == WW_RUN_FAULT)
        return report_fault(m, x, st, a, e);
      if (b->state[w] == WW_RUN_DONE) {
        p->steps += x->steps;
        st->extrapolated |= x->extrapolated;
      }
    }
    live += b->state[w] != WW_RUN_DONE;
    bars += b->state[w] == WW_RUN_BARRIER;
    grids += b->state[w] == WW_RUN_GRIDSYNC;
  }
  if (bars)
    release_barrier(m, b, live, bars + grids);
  b->done = !live;
  p->running -= b->done;
  return WW_OK;
}

static uint64_t steps_so_far(const ww_machine *m, uint32_t n, const progress *p) {
  uint64_t s = p->steps;
  for (uint32_t b = 0; b < n; b++)
    for (uint32_t w = 0; w < m->warps; w++)
      if (m->pool[b].state[w] != WW_RUN_DONE)
        s += m->pool[b].warps[w]->steps;
  return s;
}

/* Every warp that is not done waits for the whole grid: as much of it as runs together
 * goes on. */
static void release_grid(ww_machine *m, uint32_t n) {
  for (uint32_t b = 0; b < n; b++)
    for (uint32_t w = 0; w < m->warps; w++)
      if (m->pool[b].state[w] != WW_RUN_DONE && m->pool[b].state[w] != WW_RUN_GRIDSYNC)
        return;
  for (uint32_t b = 0; b < n; b++)
    release(m, &m->pool[b], WW_RUN_GRIDSYNC, 0);
}

static ww_status run_together(ww_machine *m,
                              const uint64_t *blocks,
                              uint32_t n,
                              const ww_observer *obs,
                              progress *p,
                              ww_run_stats *st,
                              ww_arena *a,
                              ww_err *e) {
  uint64_t before = st->warp_instructions;
  p->running = n;
  for (uint32_t b = 0; b < n; b++)
    start_block(m, &m->pool[b], blocks[b], obs);
  while (p->running) {
    for (uint32_t b = 0; b < n; b++) {
      thread_block *t = &m->pool[b];
      if (t->done)
        continue;
      if (m->s.cancelled && m->s.cancelled(m->s.cancelled_ctx))
        return ww_fail(e, WW_ECANCEL, "cancelled");
      ww_status s = turn(m, t, p, st, a, e);
      if (s)
        return s;
      if (t->done && obs->block_end)
        obs->block_end(obs->ctx, blocks[b]);
    }
    release_grid(m, n);
    if (obs->cancelled && obs->cancelled(obs->ctx))
      return ww_fail(e, WW_ECANCEL, "cancelled");
    unsigned long long steps = before + steps_so_far(m, n, p);
    if (steps > m->s.max_steps)
      return ww_fail(
          e, WW_ELIMIT,
          "stopped after %llu warp instructions: an endless loop, or raise --max-steps",
          steps);
  }
  return WW_OK;
}

ww_status ww_machine_run(ww_machine *m,
                         const uint64_t *blocks,
                         uint32_t n,
                         uint32_t resident,
                         const ww_observer *obs,
                         ww_run_stats *stats,
                         ww_arena *a,
                         ww_err *e) {
  ww_run_stats none;
  if (!stats)
    stats = &none;
  *stats = (ww_run_stats){0};
  if (!resident)
    resident = 1;
  ww_status st = WW_OK;
  for (uint32_t at = 0; at < n && !st; at += resident) {
    uint32_t k = n - at < resident ? n - at : resident;
    progress p = {0};
    st = grow_pool(m, k, e);
    if (!st)
      st = run_together(m, blocks + at, k, obs, &p, stats, a, e);
    stats->warp_instructions += p.steps;
  }
  return st;
}

/* ---- what the interpreter asks for ---- */

bool ww_exec_cancelled(ww_exec *x) {
  const ww_run_spec *s = x->spec;
  if (!s->cancelled || !s->cancelled(s->cancelled_ctx))
    return false;
  x->fault = "cancelled";
  return x->cancelled = true;
}

void ww_exec_fault(ww_exec *x, const ww_ins *i, const char *fmt, ...) {
  if (x->fault)
    return;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(x->fault_msg, sizeof x->fault_msg, fmt, ap);
  va_end(ap);
  x->fault = x->fault_msg;
  x->fault_ins = i;
  x->fault_assumed = false;
}

/* Names the allocation the address was probably meant for: the one it overshoots by the
 * least. */
void ww_exec_bad_address(
    ww_exec *x, const ww_code *c, uint32_t lane, uint64_t addr, const char *what) {
  if (x->fault)
    return;
  unsigned bytes = c->bytes;
  const ww_region *r, *best = NULL;
  uint64_t gap = 1ull << 40;
  for (uint32_t k = 0; (r = ww_memory_region(x->memory, k)); k++) {
    uint64_t end = r->base + r->size, d = addr < r->base ? r->base - addr
                                          : addr < end   ? 0
                                                         : addr - end;
    if (d < gap) {
      gap = d;
      best = r;
    }
  }
  if (addr - WW_SHARED_BASE < 0x7000000)
    ww_exec_fault(x, c->ins,
                  "%s of %u bytes at shared memory offset %llu, which has %u bytes",
                  what, bytes, addr - WW_SHARED_BASE, x->shared.size);
  else if (addr < 4096)
    ww_exec_fault(x, c->ins, "%s of %u bytes through a null pointer (address %llu)",
                  what, bytes, (unsigned long long)addr);
  else if (best && addr >= WW_GLOBAL_BASE)
    ww_exec_fault(x, c->ins,
                  "%s of %u bytes at byte %lld of `%s`, which has %llu bytes", what,
                  bytes, (long long)(addr - best->base), best->name ? best->name : "?",
                  (unsigned long long)best->size);
  else
    ww_exec_fault(x, c->ins, "%s of %u bytes at address 0x%llx, where nothing is", what,
                  bytes, (unsigned long long)addr);
  size_t at = strlen(x->fault_msg);
  snprintf(x->fault_msg + at, sizeof x->fault_msg - at, ", thread %u", x->tid0 + lane);
  x->fault_assumed = x->machine->assumed;
}

const ww_prog *ww_exec_callee(ww_exec *x, uint64_t address) {
  uint64_t k = (address - WW_FN_BASE) / 16;
  if (address < WW_FN_BASE || address % 16 || k >= x->machine->s.module->nfns)
    return NULL;
  return x->machine->progs[k];
}

#define HEAP_BYTES (1ull << 30)

uint64_t ww_exec_malloc(ww_exec *x, uint64_t bytes) {
  ww_machine *m = x->machine;
  if (!m->heap &&
      !(m->heap = ww_memory_add(m->s.memory, "device heap", WW_GLOBAL, HEAP_BYTES)))
    return 0;
  uint64_t at = m->heap_next;
  if (bytes > HEAP_BYTES - at)
    return 0; /* as malloc on the device does */
  m->heap_next = (at + bytes + 15) & ~15ull;
  return m->heap->base + at;
}

/* The shape of the array behind a texture handle is not in the launch: a square or a
 * cube of its elements. */
uint64_t ww_exec_texdim(ww_exec *x, uint64_t handle, uint32_t axis, uint32_t esize) {
  ww_region *r = ww_memory_find(x->memory, handle);
  if (!r)
    return 1;
  uint64_t n = (r->unbounded ? 1ull << 26 : r->size) / (esize ? esize : 4), side = 1;
  uint32_t axes = x->machine->tex_axes;
  if (axes == 1)
    return n;
  while ((side + 1) * (side + 1) * (axes == 2 ? 1 : side + 1) <= n)
    side++;
  return axis + 1 < axes ? side : axes == 2 ? n / side : n / side / side;
}
