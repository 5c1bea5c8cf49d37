/* emit_module.c - a module of functions that are made: what spreads over calls, and the
 * check of all of it. */
#include "emit.h"

void low_begin(low_module *m) {
  ww_push(m->a, &m->loc_list, (ww_loc){0});
  ww_push(m->a, &m->file_list, "");
}

low_fn *low_add_fn(low_module *m) {
  low_fn *F = WW_NEW(m->a, low_fn);
  F->m = m;
  F->a = m->a;
  F->index = m->list.n;
  ww_push(m->a, &m->list, F);
  return F;
}

uint32_t low_add_symbol(low_module *m, ww_symbol s, const char *refusal) {
  ww_push(m->a, &m->sym_list, s);
  ww_push(m->a, &m->sym_refusal, refusal);
  return m->sym_list.n - 1;
}

uint32_t low_add_file(low_module *m, const char *path) {
  for (uint32_t i = 0; i < m->file_list.n; i++)
    if (!strcmp(m->file_list.v[i], path))
      return i;
  ww_push(m->a, &m->file_list, path);
  return m->file_list.n - 1;
}

uint32_t low_add_loc(low_module *m, ww_loc at) {
  ww_loc *last = m->loc_list.n > 1 ? &m->loc_list.v[m->loc_list.n - 1] : NULL;
  if (last && last->file == at.file && last->line == at.line &&
      last->caller == at.caller)
    return m->loc_list.n - 1;
  ww_push(m->a, &m->loc_list, at);
  return m->loc_list.n - 1;
}

/* A header that the user did not write: shims, clang's own, the system's. */
bool low_foreign_file(const char *path) {
  static const char *const parts[] = {"/shim/",     "/lib/clang/",      "/usr/include/",
                                      "/usr/lib/",  "/usr/local/cuda",  "/opt/rocm",
                                      "<built-in>", "/.cache/warpwise/"};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    if (strstr(path, parts[i]))
      return true;
  return ww_starts(ww_path_base(path), "ww_");
}

/* ---- what spreads over calls: refusals and shared memory ---- */

void low_note(ww_arena *a, low_numbers *list, uint32_t number) {
  for (uint32_t i = 0; i < list->n; i++)
    if (list->v[i] == number)
      return;
  ww_push(a, list, number);
}

static void address_taken(low_module *m, low_numbers *taken) {
  for (uint32_t s = 0; s < m->sym_list.n; s++)
    for (uint32_t r = 0; r < m->sym_list.v[s].nrelocs; r++)
      if (m->sym_list.v[s].relocs[r].fn)
        low_note(m->a, taken, m->sym_list.v[s].relocs[r].ref);
  for (uint32_t f = 0; f < m->list.n; f++)
    for (uint32_t v = 0; v < m->list.v[f]->vals.n; v++)
      if (m->list.v[f]->vals.v[v].kind == WW_VAL_FN)
        low_note(m->a, taken, m->list.v[f]->vals.v[v].ref);
}

static void spread_refusals(low_module *m) {
  for (bool again = true; again;) {
    again = false;
    for (uint32_t f = 0; f < m->list.n; f++) {
      low_fn *F = m->list.v[f];
      for (uint32_t i = 0; i < F->callees.n && !F->fn.refusal; i++) {
        const low_fn *callee = m->list.v[F->callees.v[i]];
        const ww_fn *g = &callee->fn;
        if (!g->refusal)
          continue;
        F->fn.refusal = callee->callee_refused /* one function named is enough */
                            ? g->refusal
                            : ww_fmt(m->a, "calls %s: %s", g->name, g->refusal);
        F->callee_refused = true;
        again = true;
      }
    }
  }
}

static void reach(low_module *m, uint32_t f, bool *fns, bool *syms) {
  if (fns[f])
    return;
  fns[f] = true;
  low_fn *F = m->list.v[f];
  for (uint32_t i = 0; i < F->symbols.cap; i++)
    if (F->symbols.slots[i].key)
      syms[F->symbols.slots[i].key - 1] = true;
  for (uint32_t i = 0; i < F->callees.n; i++)
    reach(m, F->callees.v[i], fns, syms);
}

static void shared_sizes(low_module *m) {
  bool *fns = WW_NEWN(m->a, bool, m->list.n + 1),
       *syms = WW_NEWN(m->a, bool, m->sym_list.n + 1);
  for (uint32_t f = 0; f < m->list.n; f++) {
    uint64_t bytes = 0;
    memset(fns, 0, m->list.n);
    memset(syms, 0, m->sym_list.n);
    reach(m, f, fns, syms);
    for (uint32_t s = 0; s < m->sym_list.n; s++) {
      const ww_symbol *y = &m->sym_list.v[s];
      if (!syms[s] || y->space != WW_SHARED || y->dynamic)
        continue;
      uint32_t align = y->align ? y->align : 1;
      bytes = (bytes + align - 1) / align * align + y->size;
    }
    m->list.v[f]->fn.shared_bytes = bytes;
  }
}

/* ---- delivery ---- */

static void deliver(low_module *m) {
  ww_module *out = m->out;
  *out = (ww_module){.dialect = m->dialect,
                     .warp = m->warp,
                     .compiled = m->compiled,
                     .nfns = m->list.n,
                     .fns = WW_NEWN(m->a, ww_fn, m->list.n + 1),
                     .symbols = m->sym_list.v,
                     .nsymbols = m->sym_list.n,
                     .locs = m->loc_list.v,
                     .nlocs = m->loc_list.n,
                     .files = m->file_list.v,
                     .nfiles = m->file_list.n};
  for (uint32_t i = 0; i < m->list.n; i++) {
    ww_fn *fn = &out->fns[i];
    *fn = m->list.v[i]->fn;
    if (fn->refusal) {
      fn->blocks = NULL;
      fn->nblocks = 0;
      fn->vals = m->list.v[i]->vals.v;
      fn->nvals = fn->nparams;
      fn->npool = 0;
    } else {
      ww_ir_split_exits(fn, m->a);
      ww_ir_flow(fn, m->a);
    }
  }
}

/* A function that breaks an invariant is our bug; the rest of the module need not
 * suffer from it.
 */
static void refuse_broken(low_module *m) {
  ww_module alone = *m->out;
  ww_err e = {0};
  alone.fns = WW_NEWN(m->a, ww_fn, m->out->nfns + 1);
  for (uint32_t f = 0; f < alone.nfns; f++) {
    memcpy(alone.fns, m->out->fns, alone.nfns * sizeof *alone.fns);
    for (uint32_t g = 0; g < alone.nfns; g++)
      if (g != f)
        alone.fns[g].refusal = "-";
    if (m->out->fns[f].refusal || !ww_ir_check(&alone, &e))
      continue;
    m->list.v[f]->fn.refusal = ww_fmt(m->a, "a defect of this program: %s", e.msg);
  }
  spread_refusals(m);
  deliver(m);
}

static void call_indirectly(low_module *m) {
  low_numbers taken = {0};
  address_taken(m, &taken);
  for (uint32_t i = 0; i < m->list.n; i++)
    for (uint32_t t = 0; m->list.v[i]->indirect && t < taken.n; t++)
      low_note(m->a, &m->list.v[i]->callees, taken.v[t]);
}

ww_status low_deliver(low_module *m, ww_err *e) {
  call_indirectly(m);
  spread_refusals(m);
  shared_sizes(m);
  deliver(m);
  ww_status st = ww_ir_check(m->out, e);
  if (!st)
    return st;
  refuse_broken(m);
  return ww_ir_check(m->out, e);
}
