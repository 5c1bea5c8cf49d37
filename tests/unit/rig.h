/* rig.h - a kernel given as IR text, its buffers and a machine that runs it: what the
 * tests of src/trace share.
 *
 * Pointer parameters get zeroed buffers of the sizes given, in order; integers their
 * value. Everything lives in `arena`. */
#ifndef WW_TEST_RIG_H
#define WW_TEST_RIG_H

#include "group.h"

#include "../../src/trace/code.h"
#include "../../src/trace/setup.h"

typedef struct {
  ww_module *m;
  const ww_fn *fn;
  ww_launch l;
  ww_setup s;
  ww_run_spec spec;
  ww_machine *mc;
  ww_run_stats stats;
  ww_err e;
} rig;

static inline ww_module *rig_parse(const char *text) {
  ww_module *m = WW_NEW(arena, ww_module);
  ww_err e = {0};
  if (ww_ir_parse(text, arena, m, &e) != WW_OK || ww_ir_check(m, &e) != WW_OK)
    fail_msg("%u: %s\n%s", e.line, e.msg, text);
  return m;
}

static inline const ww_fn *rig_kernel(const ww_module *m) {
  for (uint32_t f = 0; f < m->nfns; f++)
    if (m->fns[f].kernel)
      return &m->fns[f];
  fail_msg("no kernel");
  return NULL;
}

/* args: bytes of a buffer, or the value, for each parameter. */
static inline rig
rig_open(const char *text, uint64_t blocks, uint64_t threads, const uint64_t *args) {
  rig r = {.m = rig_parse(text)};
  r.fn = rig_kernel(r.m);
  r.l = (ww_launch){.nargs = r.fn->nparams,
                    .args = WW_NEWN(arena, ww_arg, r.fn->nparams + 1),
                    .seed = 1};
  for (uint32_t p = 0; p < r.fn->nparams; p++) {
    if (r.fn->params[p].pointer)
      r.l.args[p] =
          (ww_arg){.kind = WW_ARG_BUFFER,
                   .buffer = {.bytes = args[p], .fill = {.kind = WW_FILL_ZEROS}}};
    else if (r.fn->params[p].byval)
      r.l.args[p] = (ww_arg){.kind = WW_ARG_HEX,
                             .hex = (const uint8_t *)(uintptr_t)args[p],
                             .hex_n = r.fn->params[p].size};
    else
      r.l.args[p] = (ww_arg){.kind = WW_ARG_VALUE,
                             .is_int = true,
                             .ivalue = (int64_t)args[p],
                             .value = (double)args[p]};
  }
  if (ww_setup_make(r.m, r.fn, &r.l, arena, &r.s, &r.e))
    fail_msg("%s", r.e.msg);
  r.spec = (ww_run_spec){.module = r.m,
                         .fn = r.fn,
                         .grid = {blocks, 1, 1},
                         .block = {threads, 1, 1},
                         .shared_static = r.s.shared_static,
                         .shared = r.s.shared_dynamic,
                         .params = r.s.params,
                         .params_n = r.s.params_n,
                         .memory = r.s.memory,
                         .symbol_addr = r.s.symbol_addr,
                         .max_steps = 50000000};
  return r;
}

static inline void *rig_buffer(rig *r, uint32_t arg) {
  return ww_memory_at(r->s.memory, r->s.arg[arg]->base, r->s.arg[arg]->size);
}

/* Runs all blocks, `resident` at a time. */
static inline ww_status rig_run(rig *r, uint32_t resident, const ww_observer *obs) {
  static const ww_observer nobody;
  uint64_t n = r->spec.grid[0] * r->spec.grid[1] * r->spec.grid[2],
           *blocks = WW_NEWN(arena, uint64_t, n);
  for (uint64_t k = 0; k < n; k++)
    blocks[k] = k;
  if (!r->mc && ww_machine_new(&r->spec, &r->mc, &r->e))
    return r->e.code;
  return ww_machine_run(r->mc, blocks, (uint32_t)n, resident, obs ? obs : &nobody,
                        &r->stats, arena, &r->e);
}

static inline void rig_must(rig *r) {
  if (rig_run(r, 1, NULL) != WW_OK)
    fail_msg("%s", r->e.msg);
}

static inline void rig_close(rig *r) {
  ww_machine_free(r->mc);
  ww_setup_free(&r->s);
  r->mc = NULL;
}

/* ---- every interpreter this machine runs: lanes x instruction set ---- */

static const char *const rig_isas[] = {"base", "avx2", "avx512"};

static inline bool rig_use_isa(const char *name) {
  setenv("WARPWISE_ISA", name, 1);
  return !strcmp(ww_isa_pick(32)->name, name);
}

/* Runs the block for each; `lanes` and `isa_` say which. */
#define EVERYWHERE(...)                                 \
  for (uint32_t isa_ = 0; isa_ < 3; isa_++) {           \
    if (!rig_use_isa(rig_isas[isa_]))                   \
      continue;                                         \
    for (uint32_t lanes = 32; lanes <= 64; lanes += 32) \
      __VA_ARGS__                                       \
  }

static inline uint64_t rig_random(void) { /* splitmix64 */
  static uint64_t seed = 20240607;
  uint64_t z = seed += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static inline int rig_teardown(void **state) {
  unsetenv("WARPWISE_ISA");
  return group_teardown(state);
}

#define RIG_TEST(f) cmocka_unit_test_setup_teardown(f, group_setup, rig_teardown)

#endif
