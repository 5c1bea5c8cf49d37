/* cases.c - which launches tell two kernels apart: sizes around the borders of warps,
 * blocks and tiles, then larger ones until the budget ends; and the launch of each side
 * at such a size.
 *
 * What the launch says as an expression over a size follows that size by itself. What
 * it says as a number is fitted to the sizes: a grid of 4096 blocks of 256 threads over
 * n = 2^20 is one block for each 256. Buffers whose size nobody knows are as large as
 * the old kernel touches. */
#include "verify_int.h"

#include <stdlib.h>

#include "../base/random.h"
#include "../base/units.h"
#include "../trace/sizes.h"

#define LEAST_SIZE 16 /* a number that ends nothing is a size from here on */

static uint64_t ceil_div(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static int64_t base_value(const ww_plan *p, uint32_t k) {
  return p->base.args[p->size[k]].ivalue;
}

/* ---- grids given as numbers ---- */

static bool reads_grid(const ww_fn *fn, int d) {
  ww_ins_walk w = {.fn = fn};
  for (const ww_ins *i; (i = ww_next_ins(&w));)
    if (i->op == WW_OP_SREG && i->sub == WW_SREG_NCTAID_X + d)
      return true;
  return false;
}

/* The value of a size, or the product of two, in the launch and in the case. */
static void
size_of(const ww_plan *p, const ww_case *c, uint32_t j, uint32_t k, uint64_t v[2]) {
  v[0] = base_value(p, j) * (k == j ? 1 : base_value(p, k));
  v[1] = c->value[j] * (k == j ? 1 : c->value[k]);
}

static uint64_t scaled_axis(const ww_plan *p, const ww_case *c, int side, int d) {
  uint64_t n = p->shape[side].grid[d];
  uint64_t b = p->shape[side].block[d];
  uint64_t most = 0;
  if (n == 1 && d)
    return 1;
  for (uint32_t pair = 0; pair < 2 && !most; pair++)
    for (uint32_t j = 0; j < p->nsizes; j++)
      for (uint32_t k = pair ? j + 1 : j; k < (pair ? p->nsizes : j + 1); k++) {
        uint64_t v[2];
        size_of(p, c, j, k, v);
        uint64_t each = v[0] ? ww_elements_per_block(v[0], n, b) : 0;
        if (n == 1 && each && each < b)
          each = 0; /* a block that goes over all of it */
        if (each && ceil_div(v[1], each) > most)
          most = ceil_div(v[1], each);
        if (each && !most)
          most = 1;
      }
  if (most)
    return most;
  return n > 4 && reads_grid(p->side[side]->fn, d) ? 4 : n;
}

static void scale_grid(
    const ww_plan *p, const ww_case *c, int side, const ww_launch *said, ww_launch *l) {
  for (int d = 0; d < 3; d++) {
    if (said->grid[0] && !said->grid_expr[d])
      l->grid[d] = scaled_axis(p, c, side, d);
    if (!l->grid[d] && l->grid[0])
      l->grid[d] = 1;
  }
}

/* ---- buffers given in bytes ---- */

/* Elements that the case asks for where the launch has `count`; UINT64_MAX: it has
 * nothing to do with the sizes. */
static uint64_t scaled_count(const ww_plan *p, const ww_case *c, uint64_t count) {
  uint64_t best = 0;
  uint64_t found = UINT64_MAX;
  for (uint32_t mask = 1; mask < 1u << p->nsizes; mask++) {
    uint64_t was = 1;
    uint64_t is = 1;
    for (uint32_t k = 0; k < p->nsizes; k++)
      if (mask >> k & 1) {
        was *= base_value(p, k);
        is *= c->value[k];
      }
    if (was <= best || !was)
      continue;
    if (count % was == 0 && count / was <= 64) {
      best = was;
      found = is * (count / was);
    } else if (count == was + 1) {
      best = was;
      found = is + 1;
    }
  }
  return found;
}

/* What the old kernel's launch says of a parameter, as it is written; NULL: nothing. */
static const ww_arg *written(const ww_plan *p, uint32_t q) {
  const ww_launch *l = &p->side[0]->launch;
  const char *name = p->side[0]->fn->params[q].name;
  for (uint32_t k = 0; k < l->nargs; k++)
    if (l->args[k].name ? !strcmp(l->args[k].name, name) : k == q)
      return &l->args[k];
  return NULL;
}

/* Its size is an expression over others: it follows them by itself. */
static bool follows(const ww_arg *g) {
  return g && ((g->buffer.count_expr && ww_expr_has_name(g->buffer.count_expr)) ||
               (g->buffer.bytes_expr && ww_expr_has_name(g->buffer.bytes_expr)));
}

static void scale_buffers(const ww_plan *p, const ww_case *c, ww_launch *l) {
  const ww_fn *fn = p->side[0]->fn;
  for (uint32_t q = 0; q < l->nargs && q < p->said.nargs; q++) {
    ww_buffer *b = &l->args[q].buffer;
    uint32_t size = b->type && ww_elem_size(b->type) ? ww_elem_size(b->type)
                    : fn->params[q].elem_size        ? fn->params[q].elem_size
                                                     : 4;
    if (l->args[q].kind != WW_ARG_BUFFER || fn->params[q].space == WW_SHARED ||
        !b->bytes || b->fill.kind == WW_FILL_FILE ||
        b->bytes != p->said.args[q].buffer.bytes || follows(written(p, q)))
      continue;
    uint64_t count = scaled_count(p, c, b->bytes / size);
    if (count != UINT64_MAX)
      b->bytes = count * size + b->offset;
  }
}

/* A buffer of no elements: who reads the first leaves it. */
static void keep_empty(const ww_plan *p, ww_launch *l) {
  for (uint32_t q = 0; q < l->nargs && q < p->said.nargs; q++) {
    bool given = p->said.args[q].kind == WW_ARG_BUFFER && p->said.args[q].buffer.bytes;
    if (given && !l->args[q].buffer.bytes && !l->args[q].buffer.local)
      l->args[q].buffer.bytes = 1;
  }
}

/* ---- launches ---- */

/* A fresh number for a float or a flag that nobody gave. */
static void vary_scalars(const ww_plan *p, const ww_case *c, ww_launch *l) {
  static const double floats[] = {1.5, -0.75, 2, 0.3125, 1};
  const ww_fn *fn = p->side[0]->fn;
  for (uint32_t q = 0; q < fn->nparams; q++) {
    ww_arg *g = &l->args[q];
    bool given = q < p->said.nargs && p->said.args[q].kind != WW_ARG_NONE;
    if (given || g->kind != WW_ARG_VALUE || fn->params[q].pointer)
      continue;
    uint64_t r = ww_mix64(c->seed + q);
    if (ww_is_float(fn->params[q].type))
      g->value = floats[r % WW_COUNT(floats)];
    else if (ww_type_bytes[fn->params[q].type] < 4)
      g->value = g->ivalue = r & 1;
  }
}

/* No elements ask for no block, which cannot be launched: one then. Sizes of 0 that the
 * grid does not follow leave it as it is. */
static ww_status
resolve(const ww_plan *p, int side, ww_launch *l, bool empty, ww_arena *a, ww_err *e) {
  const ww_verify_side *s = p->side[side];
  ww_launch_params params = ww_kernel_params(s->module, s->fn, a);
  ww_launch as_it_is;
  ww_err none = {0};
  params.root = p->o->root;
  ww_launch_copy(l, a, &as_it_is);
  if (empty && !ww_launch_resolve(&as_it_is, &params, a, &none)) {
    *l = as_it_is;
    return WW_OK;
  }
  for (int d = 0; d < 3; d++) {
    if (empty && l->grid_expr[d]) {
      l->grid_expr[d] = NULL;
      l->grid[d] = 1;
    }
    if (l->grid[0] && !l->grid[d] && !l->grid_expr[d])
      l->grid[d] = 1;
  }
  return ww_launch_resolve(l, &params, a, e);
}

static bool is_empty(const ww_plan *p, const ww_case *c) {
  for (uint32_t k = 0; k < p->nsizes; k++)
    if (!c->value[k])
      return true;
  return false;
}

/* Sizes put over what the launch says. */
static void put_sizes(const ww_plan *p, const ww_case *c, ww_arena *a, ww_launch *l) {
  const ww_fn *fn = p->side[0]->fn;
  ww_launch over = {.args = WW_NEWN(a, ww_arg, fn->nparams + 1)};
  for (uint32_t k = 0; k < p->nsizes; k++) {
    int64_t v = c->value[k];
    over.args[over.nargs++] = (ww_arg){.name = ww_fmt(a, "%u", p->size[k]),
                                       .kind = WW_ARG_VALUE,
                                       .is_int = true,
                                       .ivalue = v,
                                       .value = v};
  }
  ww_launch_merge(l, &over, a);
}

/* One element more in front of each buffer, or one buffer for two parameters. */
static void place_buffers(const ww_plan *p, const ww_case *c, ww_launch *l) {
  const ww_fn *fn = p->side[0]->fn;
  for (uint32_t q = 0; q < fn->nparams; q++) {
    ww_buffer *b = &l->args[q].buffer;
    uint32_t size = b->type ? ww_elem_size(b->type) : 0;
    if (l->args[q].kind != WW_ARG_BUFFER || fn->params[q].space == WW_SHARED)
      continue;
    if (size && fn->params[q].elem_size > size)
      size =
          fn->params[q].elem_size; /* float4 *, whatever the buffer is said to hold */
    if (c->offset && size && b->fill.kind != WW_FILL_FILE) {
      b->bytes += size;
      b->offset += size;
    }
  }
  if (c->alias[0] < 0)
    return;
  ww_buffer *x = &l->args[c->alias[0]].buffer;
  ww_buffer *y = &l->args[c->alias[1]].buffer;
  x->id = y->id = "overlap";
  x->bytes = y->bytes = x->bytes > y->bytes ? x->bytes : y->bytes;
}

/* The old grid with these sizes; zeros where there is none. */
static void
grid_at(const ww_plan *p, const int64_t *values, ww_arena *a, uint64_t grid[3]) {
  ww_case c = {.alias = {-1, -1}};
  ww_launch l;
  ww_err none = {0};
  memcpy(c.value, values, p->nsizes * sizeof *values);
  ww_launch_copy(&p->side[0]->launch, a, &l);
  put_sizes(p, &c, a, &l);
  memset(grid, 0, 3 * sizeof *grid);
  if (!resolve(p, 0, &l, false, a, &none))
    memcpy(grid, l.grid, sizeof l.grid);
}

/* Axes that have a block more than with one element less of size k. */
static uint8_t
axes_ending(const ww_plan *p, const int64_t *values, uint32_t k, ww_arena *a) {
  uint64_t with[3];
  uint64_t without[3];
  int64_t less[WW_MOST_SIZES];
  uint8_t axes = 0;
  memcpy(less, values, p->nsizes * sizeof *less);
  less[k]--;
  grid_at(p, values, a, with);
  grid_at(p, less, a, without);
  for (int d = 0; d < 3; d++)
    axes |= (with[d] > without[d]) << d;
  return axes;
}

/* A grid of n/256 blocks is meant for whole blocks: at the launch's own size, which it
 * covers, the last element ends one. (n+255)/256 is for any n. */
static void find_whole(ww_plan *p) {
  int64_t values[WW_MOST_SIZES];
  for (uint32_t k = 0; k < p->nsizes; k++)
    values[k] = base_value(p, k);
  for (uint32_t k = 0; k < p->nsizes; k++)
    p->whole[k] = axes_ending(p, values, k, p->a);
}

static ww_status
is_covered(const ww_plan *p, const ww_case *c, ww_arena *a, ww_err *e) {
  for (uint32_t k = 0; k < p->nsizes; k++)
    if (p->whole[k] & ~axes_ending(p, c->value, k, a))
      return ww_fail(
          e, WW_EDATA,
          "the launch's grid is for whole blocks alone, and `%s` ends within one",
          p->side[0]->fn->params[p->size[k]].name);
  return WW_OK;
}

static ww_status old_launch(const ww_plan *p,
                            const ww_case *c,
                            ww_arena *a,
                            ww_launch *l,
                            ww_assumed *said,
                            ww_err *e) {
  const ww_verify_side *s = p->side[0];
  const ww_until until = {p->o->cancelled, p->o->ctx, 0};
  ww_launch_copy(&s->launch, a, l);
  put_sizes(p, c, a, l);
  ww_status st = is_covered(p, c, a, e);
  if (!st)
    st = resolve(p, 0, l, is_empty(p, c), a, e);
  if (st)
    return st;
  scale_grid(p, c, 0, &s->launch, l);
  scale_buffers(p, c, l);
  uint64_t grid[3];
  grid_at(p, c->value, a, grid);
  if (grid[0]) /* else nobody can launch it: one block all the same, which may read */
    keep_empty(p, l);
  l->seed = c->seed;
  st = ww_inputs_complete(s->module, s->fn, l, &until, said, a, e);
  if (st)
    return st;
  vary_scalars(p, c, l);
  place_buffers(p, c, l);
  return WW_OK;
}

static bool uses_dynamic(const ww_verify_side *s, ww_arena *a) {
  ww_setup place = {0};
  const bool *used = ww_setup_place(s->module, s->fn, a, &place);
  for (uint32_t y = 0; y < s->module->nsymbols; y++)
    if (used[y] && s->module->symbols[y].dynamic)
      return true;
  return false;
}

/* The new kernel's shape with the old one's arguments. */
static ww_status new_shape(const ww_plan *p,
                           const ww_launch *old,
                           bool empty,
                           ww_arena *a,
                           ww_launch *l,
                           ww_err *e) {
  const ww_verify_side *s = p->side[1];
  bool grid = s->launch.grid[0] || s->launch.grid_expr[0];
  bool block = s->launch.block[0] || s->launch.block_expr[0];
  ww_launch_copy(&s->launch, a, l);
  l->args = WW_NEWN(a, ww_arg, old->nargs + 1);
  l->nargs = old->nargs;
  for (uint32_t q = 0; q < old->nargs; q++) {
    l->args[q] = old->args[q];
    l->args[q].name = NULL;
  }
  ww_status st = resolve(p, 1, l, empty, a, e);
  if (st)
    return st;
  for (int d = 0; d < 3; d++) {
    if (!block)
      l->block[d] = old->block[d];
    if (!l->block[d])
      l->block[d] = 1;
    if (!grid)
      l->grid[d] = ceil_div(old->grid[d] * old->block[d], l->block[d]);
    if (!l->grid[d])
      l->grid[d] = 1;
  }
  if (!grid && !block)
    memcpy(l->grid, old->grid, sizeof l->grid);
  if (!l->shared_given && !l->shared)
    l->shared = old->shared;
  l->cooperative = old->cooperative;
  return WW_OK;
}

bool ww_plan_assumes_shared(const ww_plan *p) {
  const ww_launch *l = &p->shape[1];
  return !l->shared && !l->shared_given && uses_dynamic(p->side[1], p->a);
}

static ww_status new_launch(const ww_plan *p,
                            const ww_case *c,
                            const ww_launch *old,
                            ww_arena *a,
                            ww_launch *l,
                            ww_err *e) {
  const ww_verify_side *s = p->side[1];
  ww_err none = {0};
  ww_status st = new_shape(p, old, is_empty(p, c), a, l, &none);
  if (st) /* its grid is empty there */
    st = new_shape(p, old, true, a, l, e);
  if (st)
    return st;
  scale_grid(p, c, 1, &s->launch, l);
  if (!l->shared && !l->shared_given && uses_dynamic(s, a)) {
    ww_launch found = *l;
    ww_assumed said = {0};
    if (!ww_inputs_complete(s->module, s->fn, &found, NULL, &said, a, e))
      l->shared = found.shared;
  }
  l->seed = c->seed;
  return WW_OK;
}

#define C(id, text) text,
static const char *const contents_texts[] = {WW_CONTENTS(C)};
#undef C

static const char *case_text(const ww_plan *p, const ww_case *c, ww_arena *a) {
  ww_buf b = {0};
  const ww_fn *fn = p->side[0]->fn;
  for (uint32_t k = 0; k < p->nsizes; k++)
    ww_buf_fmt(&b, "%s=%lld, ", fn->params[p->size[k]].name, (long long)c->value[k]);
  ww_buf_puts(&b, contents_texts[c->contents]);
  if (c->offset)
    ww_buf_puts(&b, ", pointers moved by one element");
  if (c->alias[0] >= 0)
    ww_buf_fmt(&b, ", `%s` and `%s` one buffer", fn->params[c->alias[0]].name,
               fn->params[c->alias[1]].name);
  const char *text = ww_strdup(a, b.s);
  ww_buf_free(&b);
  return text;
}

ww_status ww_case_launches(const ww_plan *p,
                           ww_case *c,
                           ww_arena *a,
                           ww_launch out[2],
                           ww_assumed *said,
                           ww_err *e) {
  c->text = case_text(p, c, p->a);
  ww_status st = old_launch(p, c, a, &out[0], said, e);
  return st ? st : new_launch(p, c, &out[0], a, &out[1], e);
}

/* ---- sizes ---- */

static bool is_size(const ww_plan *p, uint32_t q, const uint8_t *ends) {
  const ww_param *x = &p->side[0]->fn->params[q];
  const ww_arg *g = &p->base.args[q];
  if (x->pointer || x->byval || ww_is_float(x->type) || ww_is_float(x->elem) ||
      ww_type_bytes[x->type] < 4 || g->kind != WW_ARG_VALUE || !g->is_int)
    return false;
  return g->ivalue >= (ends[q] ? 1 : LEAST_SIZE);
}

/* Given as an expression over others: it follows them by itself. */
static bool is_derived(const ww_plan *p, uint32_t q) {
  const ww_arg *g = written(p, q);
  return g && g->expr && ww_expr_has_name(g->expr);
}

/* Those that end something come first; another of the same value may be the same one:
 * the rows of one matrix, the columns of another. */
static void find_sizes(ww_plan *p) {
  uint32_t n = p->side[0]->fn->nparams;
  uint8_t *ends = WW_NEWN(p->a, uint8_t, n + 1);
  ww_guards_find(p->side[0]->fn, p->a, ends);
  ww_guards_find(p->side[1]->fn, p->a, ends);
  for (uint32_t pass = 0; pass < 2; pass++)
    for (uint32_t q = 0; q < n && p->nsizes < WW_MOST_SIZES; q++) {
      if (!is_size(p, q, ends) || is_derived(p, q) || (ends[q] != 0) == (pass != 0))
        continue;
      p->like[p->nsizes] = -1;
      p->guarded[p->nsizes] = !pass;
      p->size[p->nsizes++] = q;
      for (uint32_t k = 0; pass && k + 1 < p->nsizes; k++)
        if (base_value(p, k) == p->base.args[q].ivalue)
          p->like[p->nsizes - 1] = k;
    }
}

/* "n=32,64" */
static ww_status take_values(ww_plan *p, const char *text, ww_err *e) {
  const char *is = strchr(text, '=');
  for (uint32_t k = 0; is && k < p->nsizes; k++) {
    const char *name = p->side[0]->fn->params[p->size[k]].name;
    if (strlen(name) != (size_t)(is - text) || strncmp(name, text, is - text))
      continue;
    const char *end = is;
    while (*end && p->nvalues[k] < WW_COUNT(p->values[k])) {
      uint64_t v;
      end++;
      if (!ww_number_read(&end, &v) || v > INT64_MAX || (*end && *end != ','))
        return ww_fail(e, WW_EUSAGE, "--size %s: whole numbers are expected", text);
      p->values[k][p->nvalues[k]++] = (int64_t)v;
    }
    return WW_OK;
  }
  return ww_fail(e, WW_EUSAGE,
                 "--size %s: `%s` has no size of that name; NAME=N[,N...] is expected",
                 text, p->side[0]->fn->name);
}

/* ---- the list ---- */

typedef WW_VEC(int64_t) numbers;

static void add_number(const ww_plan *p, numbers *v, int64_t n) {
  for (uint32_t k = 0; k < v->n; k++)
    if (v->v[k] == n)
      return;
  if (n >= 0)
    ww_push(p->a, v, n);
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a;
  int64_t y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

/* Where warps, blocks and what a block works on end. */
static void find_borders(const ww_plan *p, numbers *v) {
  add_number(p, v, 32);
  for (int s = 0; s < 2; s++) {
    add_number(p, v, ww_volume(p->shape[s].block));
    for (int d = 0; d < 3; d++) {
      add_number(p, v, p->shape[s].block[d]);
      for (uint32_t k = 0; k < p->nsizes; k++) {
        uint64_t each = ww_elements_per_block(base_value(p, k), p->shape[s].grid[d],
                                              p->shape[s].block[d]);
        if (each && p->shape[s].grid[d] > 1 && each <= 8192)
          add_number(p, v, each);
      }
    }
  }
}

/* A mask, 65535, stays one. */
static int64_t fitting(const ww_plan *p, uint32_t k, int64_t v) {
  int64_t base = base_value(p, k);
  int64_t mask = 1;
  if (p->guarded[k] || base < 3 || base & (base + 1))
    return v;
  while (mask < v)
    mask = 2 * mask + 1;
  return mask;
}

static void add_case(ww_plan *p, const int64_t *values, ww_contents contents) {
  ww_case c = {.contents = contents,
               .alias = {-1, -1},
               .seed = ww_mix64(p->o->seed + 77 * p->cases.n + 1)};
  for (uint32_t k = 0; k < p->nsizes; k++) {
    uint32_t n = p->nvalues[k];
    c.value[k] = n ? p->values[k][(p->cases.n + k) % n] : fitting(p, k, values[k]);
    if (ww_type_bytes[p->side[0]->fn->params[p->size[k]].type] == 4 &&
        c.value[k] > INT32_MAX)
      c.value[k] = INT32_MAX;
  }
  ww_push(p->a, &p->cases, c);
}

static ww_contents usual(const ww_plan *p) {
  return p->cases.n % 3; /* UNIT, SIGNED, WIDE */
}

static void add_square(ww_plan *p, int64_t n, ww_contents contents) {
  int64_t all[WW_MOST_SIZES];
  for (uint32_t k = 0; k < p->nsizes; k++)
    all[k] = n;
  add_case(p, all, contents);
}

/* Of a size that turned out to be one of the old kernel's. */
static ww_case *add_like(ww_plan *p, int which, ww_contents contents) {
  add_square(p, 0, contents);
  ww_case *c = &p->cases.v[p->cases.n - 1];
  c->like = 1 + which;
  return c;
}

static void add_small(ww_plan *p, const numbers *borders, int64_t most) {
  numbers v = {0};
  static const int64_t plain[] = {0, 1, 2, 3, 7, 17, 31, 33, 64, 97};
  for (uint32_t k = 0; k < WW_COUNT(plain); k++)
    add_number(p, &v, plain[k]);
  for (uint32_t k = 0; k < borders->n; k++)
    for (int64_t d = -1; d <= 1; d++)
      add_number(p, &v, borders->v[k] + d);
  add_number(p, &v, 3 * most);
  add_number(p, &v, 2 * most + 3);
  qsort(v.v, v.n, sizeof *v.v, by_value);
  for (uint32_t k = 1; k <= v.n; k++) /* 0 comes last */
    add_square(p, v.v[k % v.n], usual(p));
}

static void add_mixed(ww_plan *p, int64_t most) {
  const int64_t pick[] = {1, 31, 33, 17, most + 1, 5, 64, 97, 2, most - 1, 3, 40};
  const uint32_t n = WW_COUNT(pick);
  for (uint32_t j = 0; p->nsizes > 1 && j < n; j++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t k = 0; k < p->nsizes; k++)
      v[k] = j % 2 && p->like[k] >= 0 ? v[p->like[k]] : pick[(j + 5 * k) % n];
    add_case(p, v, usual(p));
  }
}

/* One of the sizes is 0 and the others are not. */
static void add_empty(ww_plan *p) {
  for (uint32_t k = 0; p->nsizes > 1 && k < p->nsizes; k++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t j = 0; j < p->nsizes; j++)
      v[j] = j == k ? 0 : 33;
    add_case(p, v, usual(p));
  }
}

/* A size that does not follow the others: it ends nothing, or it is far smaller than
 * they are. A filter of 64 taps or of radius 4 is no larger for a longer signal. */
static bool stays(const ww_plan *p, uint32_t k) {
  int64_t most = 0;
  for (uint32_t j = 0; j < p->nsizes; j++)
    if (base_value(p, j) > most)
      most = base_value(p, j);
  return base_value(p, k) <= (p->guarded[k] ? 64 : 4096) &&
         (!p->guarded[k] || base_value(p, k) <= most / 8);
}

/* The sizes that the grid follows, with the others as the launch has them. */
static void add_around(ww_plan *p, int64_t most) {
  const int64_t pick[] = {33, 97, most, most + 1, 2 * most, 3 * most, 1024};
  bool any = false;
  for (uint32_t k = 0; k < p->nsizes; k++)
    any |= stays(p, k);
  for (uint32_t j = 0; any && j < WW_COUNT(pick); j++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t k = 0; k < p->nsizes; k++)
      v[k] = stays(p, k) ? base_value(p, k) : pick[j];
    add_case(p, v, usual(p));
  }
}

/* Three blocks and more along one size, next to nothing along the others: where a block
 * starts shows although all sizes together would be too long. */
static void add_strips(ww_plan *p, int64_t block, bool sparse) {
  for (uint32_t k = 0; p->nsizes > 1 && k < p->nsizes; k++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t j = 0; j < p->nsizes; j++)
      v[j] = j == k ? 3 * block + 5 : base_value(p, j) > 3 ? 3 : base_value(p, j);
    if (base_value(p, k) > v[k])
      add_case(p, v, sparse ? WW_CONTENTS_SPARSE : usual(p));
  }
}

/* One size as the launch has it, the others small: long rows, few of them. */
static void add_long(ww_plan *p) {
  for (uint32_t k = 0; p->nsizes > 1 && k < p->nsizes; k++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t j = 0; j < p->nsizes; j++)
      v[j] = j == k || base_value(p, j) <= 64 ? base_value(p, j) : 3;
    if (base_value(p, k) >= 256)
      add_case(p, v, usual(p));
  }
}

/* Whole powers, primes, the launch's own size: each until it is too long. */
static void add_large(ww_plan *p) {
  static const int64_t sizes[] = {128,   251,    256,    509,    512,     1021,   1024,
                                  2048,  2053,   4096,   4099,   8192,    16411,  65536,
                                  65539, 131101, 262147, 524309, 1048576, 1048583};
  /* of 64, smallest first; three quarters where the whole does not fit into memory */
  static const int64_t parts[WW_OWN_SIZES] = {1, 4, 16, 32, 48, 64};
  uint32_t from = p->cases.n;
  for (uint32_t k = 0; k < WW_COUNT(sizes); k++)
    add_square(p, sizes[k], k % 3 ? usual(p) : WW_CONTENTS_SPARSE);
  for (uint32_t j = 0; j < WW_OWN_SIZES; j++) {
    int64_t v[WW_MOST_SIZES];
    for (uint32_t k = 0; k < p->nsizes; k++) {
      int64_t part = base_value(p, k) * parts[j] / 64;
      v[k] = part ? part : base_value(p, k);
    }
    add_case(p, v, usual(p));
  }
  for (uint32_t k = from; k < p->cases.n; k++)
    p->cases.v[k].large = true;
}

/* It reads floats, or integers. */
static bool reads(const ww_plan *p, bool integers) {
  for (uint32_t q = 0; q < p->base.nargs; q++) {
    const ww_arg *g = &p->base.args[q];
    if (g->kind == WW_ARG_BUFFER && g->buffer.type && p->roles[q].loaded &&
        ww_elem_is_int(g->buffer.type) == integers)
      return true;
  }
  return false;
}

/* A buffer that is written and one of the same size that is read may be one, where the
 * old kernel does not rule it out. */
static void add_overlaps(ww_plan *p) {
  const ww_fn *fn = p->side[0]->fn;
  for (uint32_t x = 0; x < fn->nparams; x++)
    for (uint32_t y = 0; y < fn->nparams; y++) {
      const ww_param *q[2] = {&fn->params[x], &fn->params[y]};
      bool fits = x != y && p->roles[x].stored && p->roles[y].loaded &&
                  !(p->roles[y].stored && y > x);
      for (int k = 0; k < 2; k++)
        fits = fits && q[k]->pointer && q[k]->space != WW_SHARED &&
               !(q[k]->ctype && strstr(q[k]->ctype, "restrict")) &&
               q[k]->elem == q[0]->elem;
      if (!fits || p->base.args[x].kind != WW_ARG_BUFFER ||
          p->base.args[y].kind != WW_ARG_BUFFER ||
          p->base.args[x].buffer.bytes != p->base.args[y].buffer.bytes)
        continue;
      ww_case *c = add_like(p, 1, WW_CONTENTS_SIGNED);
      c->alias[0] = x;
      c->alias[1] = y;
    }
}

static void list_cases(ww_plan *p) {
  numbers borders = {0};
  int64_t most = 0;
  find_borders(p, &borders);
  for (uint32_t k = 0; k < borders.n; k++)
    if (borders.v[k] > most && borders.v[k] <= 1024)
      most = borders.v[k];
  int64_t block = most;
  if (p->nsizes > 1 && most > 64)
    most = 33; /* of several sizes the products count */
  add_strips(p, block, false);
  if (p->nsizes)
    add_small(p, &borders, most);
  else
    for (int k = 0; k < 6; k++)
      add_square(p, 0, usual(p));
  add_mixed(p, most);
  add_empty(p);
  add_around(p, block);
  add_long(p);
  if (reads(p, true))
    add_strips(p, block, true);
  for (int k = WW_CONTENTS_TINY; reads(p, false) && k <= WW_CONTENTS_INF; k++)
    for (int twice = 0; twice < 2; twice++)
      if (!p->o->finite || k < WW_CONTENTS_NAN)
        add_like(p, twice, k);
  add_like(p, 1, WW_CONTENTS_SIGNED)->offset = true;
  if (!p->o->apart)
    add_overlaps(p);
  if (p->nsizes)
    add_large(p);
}

/* ---- the plan ---- */

bool ww_side_has_atomics(const ww_verify_side *s, ww_arena *a) {
  bool *in = WW_NEWN(a, bool, s->module->nfns + 1);
  ww_reach(s->module, s->fn, in);
  for (uint32_t f = 0; f < s->module->nfns; f++) {
    ww_ins_walk w = {.fn = &s->module->fns[f]};
    for (const ww_ins *i; in[f] && (i = ww_next_ins(&w));)
      if (ww_is_atomic(i))
        return true;
  }
  return false;
}

static ww_status same_parameters(const ww_plan *p, ww_err *e) {
  const ww_fn *x = p->side[0]->fn;
  const ww_fn *y = p->side[1]->fn;
  if (x->nparams != y->nparams)
    return ww_fail(e, WW_EUSAGE,
                   "`%s` has %u parameters, `%s` has %u: kernels are compared under "
                   "the same arguments",
                   x->name, x->nparams, y->name, y->nparams);
  for (uint32_t q = 0; q < x->nparams; q++)
    if (x->params[q].pointer != y->params[q].pointer ||
        x->params[q].byval != y->params[q].byval ||
        (x->params[q].byval && x->params[q].size != y->params[q].size) ||
        (!x->params[q].pointer &&
         ww_is_float(x->params[q].type) != ww_is_float(y->params[q].type)))
      return ww_fail(e, WW_EUSAGE, "parameter %u is `%s` in `%s` and `%s` in `%s`", q,
                     x->params[q].ctype ? x->params[q].ctype : "?", x->name,
                     y->params[q].ctype ? y->params[q].ctype : "?", y->name);
  return WW_OK;
}

/* The launch as it stands, of each side. */
static ww_status base_launches(ww_plan *p, ww_err *e) {
  const ww_verify_side *old = p->side[0];
  const ww_until until = {p->o->cancelled, p->o->ctx, 0};
  ww_status st = same_parameters(p, e);
  if (st)
    return st;
  ww_launch_copy(&old->launch, p->a, &p->said);
  st = resolve(p, 0, &p->said, false, p->a, e);
  p->base = p->said;
  if (!st)
    st = ww_inputs_complete(old->module, old->fn, &p->base, &until, &p->assumed, p->a,
                            e);
  p->shape[0] = p->base;
  return st ? st : new_shape(p, &p->base, false, p->a, &p->shape[1], e);
}

ww_status ww_verify_launches(const ww_verify_side *old,
                             const ww_verify_side *new,
                             ww_arena *a,
                             ww_launch out[2],
                             ww_err *e) {
  const ww_verify_options none = {0};
  ww_plan p = {.side = {old, new}, .o = &none, .a = a};
  ww_status st = base_launches(&p, e);
  memcpy(out, p.shape, sizeof p.shape);
  return st;
}

ww_status ww_plan_make(ww_plan *p, ww_err *e) {
  const ww_fn *old = p->side[0]->fn;
  for (int s = 0; s < 2; s++)
    if (p->side[s]->fn->refusal)
      return ww_fail(e, WW_EUNSUPPORTED, "%s cannot be interpreted: %s",
                     p->side[s]->fn->name, p->side[s]->fn->refusal);
  ww_status st = base_launches(p, e);
  if (st)
    return st;
  p->roles = WW_NEWN(p->a, ww_role, old->nparams + 1);
  ww_roles_find(old, p->a, p->roles);
  find_sizes(p);
  find_whole(p);
  for (uint32_t k = 0; !st && k < p->o->sizes.n; k++)
    st = take_values(p, p->o->sizes.v[k], e);
  if (!st)
    list_cases(p);
  return st;
}
