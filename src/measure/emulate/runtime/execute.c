/* execute.c - a kernel of an emulated program in the warp interpreter, in the program's
 * own memory.
 *
 * Allocations are lent to the interpreter at their own addresses, so that pointers
 * stored in memory are right and nothing is copied. Symbols that the host has a copy of
 * live there; the others (string constants, tables of device functions) get memory that
 * lasts as long as the program. */
#include "emu.h"

#include <stdlib.h>

#include "../../../trace/setup.h"

enum { FN_UNKNOWN = -1, FN_MISSING = -2, FN_SEVERAL = -3 }; /* ww_emu_kernel.fn */
#define CHUNK 65536u /* blocks given to the interpreter at a time */
#define SOME 64u     /* the same where the time is watched */

static struct {
  bool tried, usable;
  ww_module module;
  uint64_t *address; /* per symbol; 0: shared */
} code;

static void place_symbol(uint32_t i) {
  const ww_symbol *y = &code.module.symbols[i];
  ww_emu_symbol *known =
      ww_emu_symbol_named(y->mangled ? y->mangled : y->name, y->size);
  if (!known->address) {
    void *p = ww_emu_alloc(y->size ? y->size : 1, EMU_SYMBOL);
    if (!p)
      return;
    if (y->init)
      memcpy(p, y->init, y->size);
    known->address = (uintptr_t)p;
  }
  code.address[i] = known->address;
}

/* Addresses inside initial contents, where the program has not written yet. */
static void relocate(uint32_t i) {
  const ww_symbol *y = &code.module.symbols[i];
  for (uint32_t n = 0; code.address[i] && n < y->nrelocs; n++) {
    const struct ww_reloc *x = &y->relocs[n];
    uint8_t *at = (uint8_t *)code.address[i] + x->at;
    uint64_t v = ww_setup_address(&code.module, code.address, x);
    uint64_t was = 0;
    if (y->init)
      memcpy(&was, y->init + x->at, 8);
    if (!memcmp(at, &was, 8))
      memcpy(at, &v, 8);
  }
}

static bool load(ww_emu *s) {
  ww_err e = {0};
  char *text;
  size_t n;
  if (code.tried)
    return code.usable;
  code.tried = true;
  ww_status st =
      s->ir ? ww_read_file(s->arena, s->ir, 1u << 30, &text, &n, &e)
            : ww_fail(&e, WW_EDATA, "no kernel of the program could be translated");
  if (!st)
    st = ww_ir_parse(text, s->arena, &code.module, &e);
  if (!st)
    st = ww_ir_check(&code.module, &e);
  if (st) {
    ww_emu_note("kernels are skipped: %s", e.msg);
    return false;
  }
  code.address = WW_NEWN(s->arena, uint64_t, code.module.nsymbols + 1);
  for (uint32_t i = 0; i < code.module.nsymbols; i++)
    if (code.module.symbols[i].space != WW_SHARED)
      place_symbol(i);
  for (uint32_t i = 0; i < code.module.nsymbols; i++)
    relocate(i);
  return code.usable = true;
}

static int32_t look_up(const char *kernel) {
  ww_arena *scratch = ww_arena_new();
  int32_t found = FN_MISSING;
  for (uint32_t i = 0; i < code.module.nfns; i++) {
    const ww_fn *f = &code.module.fns[i];
    if (f->kernel && !strcmp(ww_ir_nvcc_name(f->mangled, scratch), kernel))
      found = found == FN_MISSING ? (int32_t)i : FN_SEVERAL;
  }
  ww_arena_free(scratch);
  return found;
}

static const ww_fn *function_of(ww_emu_kernel *k) {
  if (k->fn == FN_UNKNOWN)
    k->fn = look_up(k->mangled);
  return k->fn >= 0 ? &code.module.fns[k->fn] : NULL;
}

static ww_memory *lend(void) {
  const ww_emu_block *b;
  uint32_t n = ww_emu_blocks(&b);
  ww_memory *m = ww_memory_new(1);
  for (uint32_t i = 0; i < n; i++)
    ww_memory_borrow(m, (void *)b[i].base, b[i].bytes, WW_GLOBAL);
  return m;
}

static const char *why_not(const ww_emu_launch *l, const ww_fn *fn) {
  if (!fn && l->kernel->fn == FN_SEVERAL)
    return "several files have a static kernel of that name";
  if (!fn)
    return "its device code was not found";
  if (fn->refusal)
    return fn->refusal;
  return fn->nparams == l->nargs ? NULL : "its parameters are not those of the call";
}

/* Of a cluster, the first block brings the others along. */
static ww_status run_blocks(ww_machine *m,
                            const ww_run_spec *spec,
                            const ww_emu_launch *l,
                            double deadline,
                            ww_run_stats *stats,
                            ww_arena *a,
                            ww_err *e) {
  uint64_t total = l->grid[0] * l->grid[1] * l->grid[2];
  uint32_t most = l->cooperative ? total : deadline > 0 ? SOME : CHUNK;
  uint64_t *blocks = ww_xmalloc((total < most ? total : most) * sizeof *blocks);
  const ww_observer silent = {0};
  ww_status st = WW_OK;
  for (uint64_t at = 0; at < total && !st && !stats->fault; at += most) {
    uint32_t n = 0;
    if (at && deadline > 0 && ww_now() > deadline) {
      ww_emu_note("%s was run for %lu of its %lu blocks", l->kernel->name, at, total);
      break;
    }
    for (uint64_t b = at; b < at + most && b < total; b++)
      if (ww_cluster_first(spec, b) == b)
        blocks[n++] = b;
    st = ww_machine_run(m, blocks, n, 1, &silent, stats, a, e);
  }
  free(blocks);
  return st;
}

static ww_status run(const ww_emu_launch *l,
                     const ww_fn *fn,
                     double deadline,
                     ww_run_stats *stats,
                     ww_arena *a,
                     ww_err *e) {
  ww_setup s = {0};
  const bool *used = ww_setup_place(&code.module, fn, a, &s);
  for (uint32_t i = 0; i < code.module.nsymbols; i++)
    if (used[i] && code.module.symbols[i].space != WW_SHARED)
      s.symbol_addr[i] = code.address[i];
  uint32_t *off = WW_NEWN(a, uint32_t, fn->nparams + 1);
  ww_param_offsets(fn, off, &s.params_n);
  s.params = ww_alloc(a, s.params_n + 64);
  for (uint32_t i = 0; i < l->nargs; i++)
    memcpy(s.params + off[i], l->values[i],
           fn->params[i].size < l->sizes[i] ? fn->params[i].size : l->sizes[i]);
  s.memory = lend();
  ww_run_spec spec = {.module = &code.module,
                      .fn = fn,
                      .cluster = {fn->cluster[0], fn->cluster[1], fn->cluster[2]},
                      .shared_static = s.shared_static,
                      .shared = l->shared,
                      .params = s.params,
                      .params_n = s.params_n,
                      .memory = s.memory,
                      .symbol_addr = s.symbol_addr,
                      .sms = ww_emu_get()->sms,
                      .print = true};
  memcpy(spec.grid, l->grid, sizeof spec.grid);
  memcpy(spec.block, l->block, sizeof spec.block);
  ww_machine *m = NULL;
  ww_status st = ww_machine_new(&spec, &m, e);
  if (!st)
    st = run_blocks(m, &spec, l, deadline, stats, a, e);
  ww_machine_free(m);
  ww_memory_free(s.memory);
  return st;
}

int ww_emu_execute(const ww_emu_launch *l, double deadline) {
  ww_emu *s = ww_emu_get();
  if (!load(s))
    return EMU_OK;
  const ww_fn *fn = function_of(l->kernel);
  const char *why = why_not(l, fn);
  if (why) {
    ww_emu_note("%s is skipped: %s", l->kernel->name, why);
    return EMU_OK;
  }
  ww_arena *a = ww_arena_new();
  ww_run_stats stats = {0};
  ww_err e = {0};
  ww_status st = run(l, fn, deadline, &stats, a, &e);
  bool failed = st || stats.fault;
  if (failed)
    ww_emu_note("%s: %s", l->kernel->name, stats.fault ? stats.fault : e.msg);
  ww_arena_free(a);
  return failed && st != WW_EUNSUPPORTED ? EMU_ILLEGAL_ADDRESS : EMU_OK;
}
