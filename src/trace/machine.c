/* machine.c - a machine: the decoded kernel, thread blocks and their warps.
 *
 * Built once per launch (decode, register files); schedule.c then runs any set of
 * blocks on it. Register files and local memory are reserved address space: only what a
 * warp touches costs memory. */
#include "machine_int.h"

#include "setup.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

#define MOST_SHARED (1u << 18)  /* bytes; more than any GPU has for a block */
#define MOST_LOCAL (512u << 20) /* bytes of a thread: the window of trace.h */
/* warp instructions before the next warp has its turn */
#define SLICE 65536u

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

/* What the kernel waits for: warps of other blocks or its own (result), and whether
 * lanes of a warp can wait for each other. */
static bool finds_waits(const ww_machine *m, const bool *in, bool *lanes) {
  const ww_module *mod = m->s.module;
  bool any = false;
  ww_arena *a = ww_arena_new();
  for (uint32_t f = 0; f < mod->nfns; f++) {
    const ww_fn *fn = &mod->fns[f];
    ww_spin *s;
    uint32_t n = 0;
    any |= in[f] && ww_fn_has(fn, WW_OP_GRIDSYNC);
    *lanes |= in[f] && ww_fn_has(fn, WW_OP_MWAIT);
    if (!in[f] || !fn->nloops)
      continue;
    ww_spin_find(fn, ww_ir_defs(fn, a), a, &s, &n);
    for (uint32_t k = 0; k < n; k++) {
      any |= s[k].polls;
      *lanes |= s[k].polls && !s[k].meets;
    }
  }
  ww_arena_free(a);
  return any;
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
  bool split = false;
  m->waits = finds_waits(m, in, &split);
  m->idle_values = m->s.counts_only && ww_values_idle(mod, in);
  m->splits = split && m->lanes == 32; /* wider warps are AMD's, in lock step */
  const ww_decoding with = {mod,      m->lanes, m->isa,    m->s.symbol_addr,
                            m->progs, m->a,     &m->n_ins, m->splits};
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
    for (uint32_t s = 0; s < p->nspins; s++) {
      p->spins[s].number = m->n_spins++;
      if (p->spins[s].nphis > m->max_phis)
        m->max_phis = p->spins[s].nphis;
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

void ww_module_place(const ww_module *m, uint32_t loc, ww_err *e) {
  if (!e || !loc || loc >= m->nlocs)
    return;
  if (m->nfiles)
    e->file = m->files[m->locs[loc].file];
  e->line = m->locs[loc].line;
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

static void free_warp(ww_machine *m, ww_exec *x) {
  if (!x)
    return;
  if (x->frames[0].frame)
    munmap(x->frames[0].frame, m->regs_bytes);
  if (x->local && !x->borrows)
    munmap(x->local, (size_t)m->local_stride * m->lanes);
  for (uint32_t l = 0; x->loops && l < m->n_loops; l++) {
    free(x->loops[l].prev);
    free(x->loops[l].affine);
  }
  for (uint32_t s = 0; x->spins && s < m->n_spins; s++)
    free(x->spins[s].prev);
  free(x->loops);
  free(x->spins);
  free(x->look);
  free(x->region_cache);
  free(x);
}

ww_exec *ww_machine_warp(ww_machine *m, uint32_t warp, bool borrows, ww_err *e) {
  ww_exec *x = ww_xcalloc(1, sizeof *x);
  x->machine = m;
  x->idle_values = m->idle_values;
  x->spec = &m->s;
  x->lanes = m->lanes;
  x->memory = m->s.memory;
  x->params = m->s.params;
  x->params_n = m->s.params_n;
  x->local_stride = m->local_stride;
  x->borrows = borrows;
  x->tid0 = warp * m->lanes;
  for (int d = 0; d < 3; d++)
    for (uint32_t l = 0; l < m->lanes; l++)
      x->tid[d][l] = ww_axis_of(m->s.block, x->tid0 + l, d);
  x->region_cache = ww_xcalloc(m->n_ins + 1, sizeof *x->region_cache);
  x->frames[0].frame = ww_reserve(m->regs_bytes);
  if (m->local_stride && !borrows)
    x->local = ww_reserve((size_t)m->local_stride * m->lanes);
  if (!x->frames[0].frame || (m->local_stride && !borrows && !x->local)) {
    ww_fail(e, WW_ELIMIT,
            "no address space for the registers and local memory of a warp");
    free_warp(m, x);
    return NULL;
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
  x->spins = ww_xcalloc(m->n_spins + 1, sizeof *x->spins);
  for (uint32_t s = 0; s < m->n_spins; s++)
    x->spins[s].prev = ww_xcalloc(rows, sizeof(uint64_t));
  return x;
}

static void free_block(ww_machine *m, thread_block *b) {
  for (uint32_t w = 0; w < b->n; w++)
    free_warp(m, b->warps[w]);
  free(b->warps);
  free(b->state);
  free(b->shared);
  free(b->cluster);
}

/* How many axes of textures the kernel asks for, from the constants it asks with;
 * behind the third come flags. */
static uint32_t texture_axes(const ww_machine *m) {
  uint32_t axes = 1;
  for (uint32_t f = 0; f < m->s.module->nfns; f++) {
    const ww_fn *fn = &m->s.module->fns[f];
    ww_ins_walk w = {.fn = fn};
    for (const ww_ins *i; m->progs[f] && (i = ww_next_ins(&w));)
      if (i->op == WW_OP_TEXDIM && fn->vals[i->b].kind == WW_VAL_CONST &&
          fn->vals[i->b].bits < 3 && fn->vals[i->b].bits + 1 > axes)
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
  if (ww_cluster_size(s) > WW_MAX_CLUSTER || !ww_cluster_size(s))
    return ww_fail(e, WW_EUSAGE, "a cluster of %llu blocks: a GPU runs 1 to %u",
                   (unsigned long long)ww_cluster_size(s), WW_MAX_CLUSTER);
  for (int d = 0; s->cluster[0] && d < 3; d++)
    if (s->grid[d] % s->cluster[d])
      return ww_fail(
          e, WW_EUSAGE,
          "a grid of %llu blocks along %c is no multiple of clusters of %llu",
          (unsigned long long)s->grid[d], 'x' + d, (unsigned long long)s->cluster[d]);
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
ww_status ww_machine_pool(ww_machine *m, uint32_t n, ww_err *e) {
  if (n <= m->npool)
    return WW_OK;
  m->pool = ww_xrealloc(m->pool, n * sizeof *m->pool);
  while (m->npool < n) {
    thread_block *b = &m->pool[m->npool];
    *b = (thread_block){.warps = ww_xcalloc(m->warps, sizeof *b->warps),
                        .state = ww_xcalloc(m->warps, sizeof *b->state),
                        .shared = ww_xcalloc(m->shared_bytes + 16, 1),
                        .cluster = ww_xcalloc(1, sizeof *b->cluster)};
    for (; b->n < m->warps; b->n++) {
      b->warps[b->n] = ww_machine_warp(m, b->n, false, e);
      if (b->warps[b->n])
        continue;
      free_block(m, b);
      return WW_ELIMIT;
    }
    m->npool++;
  }
  return WW_OK;
}

static void start_warp(const ww_machine *m, ww_exec *x, const ww_observer *obs) {
  uint64_t left = ww_volume(m->s.block) - x->tid0;
  ww_spin_start(x, obs);
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
  x->part = x->cancelled = x->extrapolated = x->split = false;
  x->bar = NULL;
  x->timed_out = false;
  x->timeouts = 0;
  x->fault = NULL;
  x->moved = false;
}

void ww_block_start(ww_machine *m,
                    thread_block *b,
                    uint64_t index,
                    const ww_observer *obs) {
  memset(b->shared, m->s.stale, m->shared_bytes);
  b->index = index;
  b->done = false;
  memset(b->arrived, 0, sizeof b->arrived);
  for (uint32_t w = 0; w < b->n; w++) {
    b->state[w] = w < m->warps ? WW_RUN_SLICE : WW_RUN_DONE;
    if (w >= m->warps)
      continue;
    ww_exec *x = b->warps[w];
    if (m->s.stale && x->local)
      memset(x->local, m->s.stale, (size_t)m->local_stride * m->lanes);
    x->id = (ww_warp_id){index, w};
    for (int d = 0; d < 3; d++)
      x->ctaid[d] = ww_axis_of(m->s.grid, index, d);
    x->shared = (ww_shared_mem){b->shared, m->shared_bytes};
    start_warp(m, x, obs);
  }
  if (obs->block_start)
    obs->block_start(obs->ctx, index);
}

/* ---- clusters ---- */

uint64_t ww_cluster_first(const ww_run_spec *s, uint64_t block) {
  uint64_t at[3];
  for (int d = 0; d < 3; d++) {
    at[d] = ww_axis_of(s->grid, block, d);
    at[d] -= s->cluster[0] ? at[d] % s->cluster[d] : 0;
  }
  return ww_number_of(s->grid, at);
}

uint64_t ww_cluster_block(const ww_run_spec *s, uint64_t first, uint32_t rank) {
  uint64_t at[3];
  for (int d = 0; d < 3; d++)
    at[d] = ww_axis_of(s->grid, first, d) +
            (s->cluster[0] ? ww_axis_of(s->cluster, rank, d) : 0);
  return ww_number_of(s->grid, at);
}

void ww_cluster_start(ww_machine *m, const uint32_t *place, uint32_t n) {
  ww_cluster *c = m->pool[place[0]].cluster;
  c->n = n;
  for (uint32_t r = 0; r < n; r++) {
    thread_block *b = &m->pool[place[r]];
    c->place[r] = place[r];
    c->shared[r] = (ww_shared_mem){b->shared, m->shared_bytes};
    for (uint32_t w = 0; w < m->warps; w++) {
      b->warps[w]->cluster = c;
      b->warps[w]->rank = r;
      b->warps[w]->cluster_arrived = 0;
    }
  }
}

uint8_t *ww_exec_in_cluster(const ww_exec *x, uint64_t addr, uint64_t n) {
  uint64_t rank = (addr - WW_CLUSTER_BASE) / WW_CLUSTER_STRIDE;
  uint64_t off = (addr - WW_CLUSTER_BASE) % WW_CLUSTER_STRIDE;
  if (addr < WW_CLUSTER_BASE || rank >= x->cluster->n)
    return NULL;
  const ww_shared_mem *s = &x->cluster->shared[rank];
  return off < s->size && n <= s->size - off ? s->mem + off : NULL;
}

bool ww_exec_cluster_came(const ww_exec *x) {
  for (uint32_t r = 0; r < x->cluster->n; r++) {
    const thread_block *b = &x->machine->pool[x->cluster->place[r]];
    for (uint32_t w = 0; w < b->n; w++)
      if (b->state[w] != WW_RUN_DONE &&
          b->warps[w]->cluster_arrived < x->cluster_arrived)
        return false;
  }
  return true;
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

void ww_exec_bad_address(
    ww_exec *x, const ww_code *c, uint32_t lane, uint64_t addr, const char *what) {
  ww_exec_bad_span(x, c->ins, lane, addr, c->bytes, what);
}

/* Names the allocation the address was probably meant for: the one it overshoots by the
 * least. */
void ww_exec_bad_span(ww_exec *x,
                      const ww_ins *i,
                      uint32_t lane,
                      uint64_t addr,
                      uint64_t n,
                      const char *what) {
  if (x->fault)
    return;
  unsigned long long bytes = n;
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
    ww_exec_fault(x, i,
                  "%s of %llu bytes at shared memory offset %llu, which has %u bytes",
                  what, bytes, addr - WW_SHARED_BASE, x->shared.size);
  else if (addr < 4096)
    ww_exec_fault(x, i, "%s of %llu bytes through a null pointer (address %llu)", what,
                  bytes, (unsigned long long)addr);
  else if (best && addr >= WW_GLOBAL_BASE)
    ww_exec_fault(x, i, "%s of %llu bytes at byte %lld of `%s`, which has %llu bytes",
                  what, bytes, (long long)(addr - best->base),
                  best->name ? best->name : "?", (unsigned long long)best->size);
  else
    ww_exec_fault(x, i, "%s of %llu bytes at address 0x%llx, where nothing is", what,
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

/* As if all blocks that this one stands for drew together, in their order. */
uint64_t ww_exec_draw(ww_exec *x, uint8_t *word, uint32_t bytes, uint64_t sum) {
  ww_machine *m = x->machine;
  uint64_t was = 0;
  memcpy(&was, word, bytes);
  bool known = false;
  for (uint32_t k = 0; k < m->drawn.n; k++)
    known |= m->drawn.v[k].word == word;
  if (!known)
    ww_push(m->a, &m->drawn, (drawn_word){word, bytes, was});
  uint64_t now = was + m->s.share * sum;
  memcpy(word, &now, bytes);
  x->changes++;
  return was + x->id.block % m->s.share * sum;
}

void ww_machine_put_back(ww_machine *m) {
  for (uint32_t k = 0; k < m->drawn.n; k++)
    memcpy(m->drawn.v[k].word, &m->drawn.v[k].was, m->drawn.v[k].bytes);
  m->drawn.n = 0;
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
 * cube of its elements, without flags: coordinates are not normalised. */
uint64_t ww_exec_texdim(ww_exec *x, uint64_t handle, uint32_t axis, uint32_t esize) {
  ww_region *r = ww_memory_find(x->memory, handle);
  if (axis > 2)
    return 0;
  if (!r)
    return 1;
  uint64_t n = (r->unbounded ? 1ull << 26 : r->size) / (esize ? esize : 4);
  uint32_t axes = x->machine->tex_axes;
  if (axes == 1)
    return n;
  /* half an element more: a root that is whole may come out a little below itself */
  uint64_t side = axes == 2 ? sqrt((double)n + 0.5) : cbrt((double)n + 0.5);
  side = side ? side : 1;
  return axis + 1 < axes ? side : axes == 2 ? n / side : n / side / side;
}
