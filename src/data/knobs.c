/* knobs.c - what of a known launch can move without breaking it: integers, tables, the
 * block.
 *
 * A launch whose grid and sizes are expressions over arguments says itself what depends
 * on what. Where they are plain numbers (the host code's own launch), an argument that
 * is as large as the grid is taken for what the grid covers. What is only guessed here
 * is tried by the interpreter afterwards. */

#include "../base/words.h"
#include "../measure/plan.h"
#include "sample_int.h"

#include <inttypes.h>

/* ---- expressions ---- */

static bool uses(const char *text, const char *name) {
  return text && ww_find_word(text, name);
}

static bool has_name(const char *expr) {
  return expr && ww_expr_has_name(expr);
}

static bool shape_uses(const char *const exprs[3], const char *name) {
  return uses(exprs[0], name) || uses(exprs[1], name) || uses(exprs[2], name);
}

static bool args_use(const ww_launch *l, const char *name) {
  for (uint32_t k = 0; k < l->nargs; k++) {
    const ww_arg *g = &l->args[k];
    if (uses(g->expr, name) || uses(g->buffer.bytes_expr, name) ||
        uses(g->buffer.count_expr, name) || uses(g->buffer.fill.lo_expr, name) ||
        uses(g->buffer.fill.hi_expr, name))
      return true;
  }
  return false;
}

/* Writes an expression with the numbers that mean the block (256 and 255 of
 * (n+255)/256) for another one; false: it has none. */
static bool for_block(const char *text, uint64_t old, uint64_t new, ww_buf *out) {
  char plain[24];
  char less[24];
  char word[24];
  bool found = false;
  snprintf(plain, sizeof plain, "%" PRIu64, old);
  snprintf(less, sizeof less, "%llu", (unsigned long long)old - 1);
  for (const char *at = text; *at;) {
    size_t n = 1;
    if (ww_is_word(*at))
      while (ww_is_word(at[n]) || at[n] == '.')
        n++;
    snprintf(word, sizeof word, "%.*s", (int)n, at);
    bool whole = !strcmp(word, plain), one_less = !strcmp(word, less);
    if (old > 1 && (whole || one_less))
      ww_buf_fmt(out, "%" PRIu64, new - one_less);
    else
      ww_buf_add(out, at, n);
    found |= old > 1 && whole;
    at += n;
  }
  return found;
}

static bool names_block(const char *text, uint64_t block) {
  ww_buf b = {0};
  bool yes = for_block(text, block, block, &b);
  ww_buf_free(&b);
  return yes;
}

/* ---- what the kernel asks for ---- */

static bool reads(const ww_fn *fn, ww_sreg from, ww_sreg to) {
  for (uint32_t b = 0; b < fn->nblocks; b++)
    for (uint32_t k = 0; k < fn->blocks[b].nins; k++) {
      const ww_ins *i = &fn->blocks[b].ins[k];
      if (i->op == WW_OP_SREG && i->sub >= from && i->sub <= to)
        return true;
    }
  return false;
}

static bool has_local(const ww_fn *fn) {
  for (uint32_t p = 0; p < fn->nparams; p++)
    if (fn->params[p].pointer && fn->params[p].space == WW_SHARED)
      return true;
  return false;
}

/* Another block is safe where the kernel asks how large it is and keeps nothing for it
 * in shared memory. */
static bool block_moves(const ww_knobs *k) {
  const ww_fn *fn = k->fn;
  if (fn->req_block[0] || fn->shared_bytes || k->at.shared || k->base.shared_expr ||
      has_local(fn) || !reads(fn, WW_SREG_NTID_X, WW_SREG_NTID_Z))
    return false;
  for (int d = 0; d < 3; d++) {
    const char *grid = k->base.grid_expr[d];
    if (has_name(k->base.block_expr[d]) ||
        (has_name(grid) && k->at.block[d] > 1 && !names_block(grid, k->at.block[d])))
      return false;
  }
  return true;
}

/* ---- a plain launch: what does the grid cover ---- */

/* The strongest thing said of parameter p; NULL: nothing. */
static ww_arg *said_of(const ww_launch *l, const ww_fn *fn, uint32_t p) {
  char digits[16];
  snprintf(digits, sizeof digits, "%u", p);
  for (uint32_t k = l->nargs; k-- > 0;) {
    ww_arg *g = &l->args[k];
    if (g->kind == WW_ARG_NONE)
      continue;
    if (g->name ? !strcmp(g->name, fn->params[p].name) || !strcmp(g->name, digits)
                : k == p)
      return g;
  }
  return NULL;
}

static void own_args(ww_launch *l, ww_arena *a) {
  ww_arg *args = WW_NEWN(a, ww_arg, l->nargs + 1);
  if (l->nargs)
    memcpy(args, l->args, l->nargs * sizeof *args);
  l->args = args;
}

/* The extent of axis d becomes an expression of the first argument that is just as
 * large, and so do its equals. */
static void couple_axis(ww_knobs *k, int d, ww_arena *a) {
  uint64_t block = k->at.block[d];
  uint64_t covered = k->base.grid[d] * block;
  const char *by = NULL;
  if (k->base.grid[d] < 2 || k->base.grid_expr[d])
    return;
  for (uint32_t p = 0; p < k->fn->nparams; p++) {
    ww_arg *g = said_of(&k->base, k->fn, p);
    if (!g || g->kind != WW_ARG_VALUE || g->expr || !g->is_int || g->ivalue < 32)
      continue;
    if ((uint64_t)g->ivalue > covered || g->ivalue + block <= covered)
      continue;
    if (by) {
      g->expr = by;
      continue;
    }
    by = k->fn->params[p].name;
    k->base.grid_expr[d] = ww_fmt(a, "(%s+%" PRIu64 ")/%" PRIu64, by, block - 1, block);
  }
}

/* ---- integers and tables ---- */

static bool mask_like(int64_t v) {
  return v >= 15 && ((uint64_t)v & ((uint64_t)v + 1)) == 0;
}

static void add_integer(ww_knobs *k, uint32_t p, int64_t value) {
  const ww_launch *l = &k->base;
  const char *name = k->fn->params[p].name;
  ww_knob v = {.param = p,
               .name = name,
               .value = value,
               .kind = WW_KNOB_WORK,
               .mask = mask_like(value)};
  bool grid = shape_uses(l->grid_expr, name);
  if (shape_uses(l->block_expr, name) || uses(l->shared_expr, name))
    v.kind = WW_KNOB_SMALL;
  else if (grid || args_use(l, name))
    v.kind = WW_KNOB_SIZE;
  else if (value < 4 || value > 1 << 22 || strstr(name, "seed"))
    return; /* flags, levels, moduli */
  if (grid && v.kind == WW_KNOB_SIZE)
    k->moves_grid = true;
  k->v[k->n++] = v;
}

static bool names_size(const ww_buffer *b) {
  return has_name(b->count_expr) || has_name(b->bytes_expr);
}

static void add_table(ww_knobs *k, uint32_t p, const ww_arg *g) {
  const ww_buffer *b = &g->buffer;
  uint32_t elem = b->type ? ww_elem_size(b->type) : k->fn->params[p].elem_size;
  if (b->fill.kind != WW_FILL_PERMUTATION || names_size(b) || !elem ||
      !k->at.args[p].buffer.bytes)
    return;
  k->v[k->n++] = (ww_knob){.param = p,
                           .kind = WW_KNOB_TABLE,
                           .name = k->fn->params[p].name,
                           .value = k->at.args[p].buffer.bytes / elem,
                           .elem = elem};
}

static void find_arguments(ww_knobs *k) {
  for (uint32_t p = 0; p < k->fn->nparams && k->n < WW_KNOBS_MAX; p++) {
    ww_arg *g = said_of(&k->base, k->fn, p);
    if (!g)
      continue;
    if (g->kind == WW_ARG_BUFFER)
      add_table(k, p, g);
    if (g->kind != WW_ARG_VALUE || has_name(g->expr))
      continue;
    ww_number v = {
        .is_int = g->is_int,
        .i = g->ivalue,
    };
    ww_err ignored;
    if (g->expr && ww_expr_number(g->expr, NULL, NULL, &v, &ignored))
      continue;
    if (v.is_int && v.i > 0)
      add_integer(k, p, v.i);
  }
}

ww_status ww_knobs_find(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *base,
                        ww_arena *a,
                        ww_knobs *out,
                        ww_err *e) {
  *out = (ww_knobs){.m = m, .fn = fn, .base = *base, .at = *base};
  ww_assumed said = {0};
  ww_launch_params params = ww_kernel_params(m, fn, a);
  ww_status st = ww_launch_resolve(&out->at, &params, a, e);
  if (!st)
    st = ww_inputs_complete(m, fn, &out->at, NULL, &said, a, e);
  if (st)
    return st;
  own_args(&out->base, a);
  for (int d = 0; d < 3; d++) {
    couple_axis(out, d, a);
    out->axis[d] = reads(fn, WW_SREG_CTAID_X + d, WW_SREG_CTAID_X + d);
  }
  find_arguments(out);
  out->strides = reads(fn, WW_SREG_NCTAID_X, WW_SREG_NCTAID_Z);
  out->block_free = block_moves(out);
  return WW_OK;
}

/* ---- turning them ---- */

static ww_arg set_to(const ww_knobs *k, uint32_t i, int64_t value) {
  const ww_knob *v = &k->v[i];
  ww_arg g = {.name = v->name,
              .kind = WW_ARG_VALUE,
              .is_int = true,
              .ivalue = value,
              .value = value};
  if (v->kind != WW_KNOB_TABLE)
    return g;
  g = (ww_arg){
      .name = v->name, .kind = WW_ARG_BUFFER, .buffer = k->at.args[v->param].buffer};
  g.buffer.bytes = (uint64_t)value * v->elem;
  return g;
}

ww_status ww_knobs_turn(const ww_knobs *k,
                        const ww_knob_setting *s,
                        ww_arena *a,
                        ww_launch *out,
                        ww_err *e) {
  ww_launch over = {.args = WW_NEWN(a, ww_arg, k->n + 1)};
  for (uint32_t i = 0; i < k->n; i++)
    if (s->value[i] != k->v[i].value)
      over.args[over.nargs++] = set_to(k, i, s->value[i]);
  *out = k->base;
  ww_launch_merge(out, &over, a);
  for (int d = 0; s->block[0] && d < 3; d++) {
    ww_buf grid = {0};
    if (out->grid_expr[d] &&
        for_block(out->grid_expr[d], k->at.block[d], s->block[d], &grid))
      out->grid_expr[d] = ww_strdup(a, grid.s);
    ww_buf_free(&grid);
    out->block[d] = s->block[d];
    out->block_expr[d] = NULL;
  }
  ww_launch_params params = ww_kernel_params(k->m, k->fn, a);
  ww_status st = ww_launch_resolve(out, &params, a, e);
  /* given, so that missing axes are 1 */
  bool grid = out->grid[0], block = out->block[0];
  for (int d = 0; !st && d < 3; d++) {
    if (!out->block[d])
      out->block[d] = block ? 1 : k->at.block[d];
    if (!out->grid[d])
      out->grid[d] = grid ? 1 : k->at.grid[d];
  }
  return st;
}

void ww_knobs_free_sizes(const ww_knobs *k, ww_launch *l) {
  if (ww_blocks(l) * ww_block_threads(l) <=
      ww_blocks(&k->at) * ww_block_threads(&k->at))
    return;
  for (uint32_t p = 0; p < k->fn->nparams; p++) {
    const ww_arg *g = said_of(&k->base, k->fn, p);
    ww_arg *to = &l->args[p];
    if (!g || g->kind != WW_ARG_BUFFER || to->kind != WW_ARG_BUFFER || to->buffer.local)
      continue;
    const ww_buffer *b = &g->buffer;
    uint8_t fill = b->fill.kind;
    if (names_size(b) || b->id || fill == WW_FILL_PERMUTATION ||
        ww_fill_is_rows(fill) || fill == WW_FILL_FILE)
      continue;
    to->buffer.bytes = to->buffer.offset = 0;
  }
}
