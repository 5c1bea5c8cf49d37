/* inside.c - accesses that assumed contents lead out of memory, taken inside it.
 *
 * An index that nobody gave may be anything, and an answer about where it leads is not
 * worth losing all others for: the lane goes to the same place modulo the size of the
 * buffer that its address was made for, and the buffer counts it. Only where the
 * address or the way to it depends on contents that were assumed: what was given and
 * leads outside is an error of the launch. */
#include "machine_int.h"
#include "roles.h"

/* Elements of n bytes each follow each other again from the start. */
static uint64_t wrapped(uint64_t base, uint64_t size, uint64_t addr, uint32_t n) {
  return size < n ? 0 : base + (addr - base) / n % (size / n) * n;
}

static bool may_move(ww_machine *m, const ww_exec *x, const ww_code *c) {
  const ww_run_spec *s = &m->s;
  if (!s->assumed_paths && !s->assumed_addresses)
    return false;
  if (!m->origins.base)
    m->origins = ww_origins_find(s->fn, m->a);
  return s->assumed_paths || x->prog->fn != s->fn ||
         m->origins.holds[c->ins->a] & s->assumed_addresses;
}

/* The buffer that an address was made for: by the parameter it comes from, by what the
 * instruction touched last, else (a pointer that was loaded) the largest. */
static ww_region *meant(ww_machine *m, const ww_exec *x, const ww_code *c) {
  int32_t arg = x->prog->fn == m->s.fn ? m->origins.base[c->ins->a] : -1;
  ww_region *best = NULL;
  ww_region *r;
  for (uint32_t k = 0; (r = ww_memory_region(m->s.memory, k)); k++) {
    if (arg >= 0 && r->arg == arg)
      return r;
    if (r->arg >= 0 && (!best || r->size > best->size))
      best = r;
  }
  return x->region_cache[c->ins_id] ? x->region_cache[c->ins_id] : best;
}

uint64_t ww_exec_inside(ww_exec *x, const ww_code *c, uint64_t addr) {
  ww_machine *m = x->machine;
  if (!may_move(m, x, c))
    return 0;
  x->moved = true;
  uint8_t space = c->ins->space;
  if (space == WW_GENERIC && addr >= WW_SHARED_BASE && addr < WW_GLOBAL_BASE)
    space = addr < WW_LOCAL_BASE ? WW_SHARED : WW_LOCAL;
  if (space == WW_LOCAL)
    return wrapped(WW_LOCAL_BASE, x->local_stride, addr, c->bytes);
  if (space == WW_SHARED) {
    m->moved_shared++;
    return wrapped(WW_SHARED_BASE, x->shared.size, addr, c->bytes);
  }
  ww_region *r = meant(m, x, c);
  if (!r)
    return 0;
  r->moved++;
  return r->unbounded ? r->origin : wrapped(r->base, r->size, addr, c->bytes);
}

uint64_t ww_machine_moved_shared(const ww_machine *m) {
  return m->moved_shared;
}

void ww_machine_take_inside(ww_machine *m, const ww_run_spec *s) {
  m->s.assumed_addresses = s->assumed_addresses;
  m->s.assumed_paths = s->assumed_paths;
}
