/* setup.c - from a resolved launch spec to memory, symbols and parameters.
 *
 * Allocation seeds follow ww_fill_seed: by the first argument that points to it, 1000 +
 * index in the launch for symbols, so that the trace and a device see the same bytes.
 */
#include "setup.h"

#include <math.h>

#include "async.h"

#define MOST_INIT (1ull << 32) /* bytes of a symbol with initial contents */

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  const ww_launch *l;
  ww_arena *a;
  ww_setup *s;
  uint32_t gap; /* bytes behind each shared variable */
  WW_VEC(struct {
    const char *id;
    ww_region *r;
  })
  shared_ids; /* buffers of one allocation */
} maker;

const char *ww_element_type(ww_type t) {
  static const char *const names[WW_NTYPES] = {
      NULL, "u8", "i8", "i16", "i32", "i64", "f16", "bf16", "u8", "u8", "f32", "f64"};
  return names[t];
}

static ww_status read_contents(maker *k, const ww_fill *f, ww_region *r, ww_err *e) {
  char *data;
  size_t n;
  ww_status st = ww_read_packed_below(k->a, f->root, f->path, 1u << 30, &data, &n, e);
  if (st)
    return st;
  r->init = (const uint8_t *)data;
  r->init_n = n < r->size ? n : r->size;
  return WW_OK;
}

static ww_status add_region(maker *k,
                            const char *name,
                            uint8_t space,
                            const ww_buffer *b,
                            const char *type,
                            uint32_t allocation,
                            ww_region **out,
                            ww_err *e) {
  if (b->id)
    for (uint32_t i = 0; i < k->shared_ids.n; i++)
      if (!strcmp(k->shared_ids.v[i].id, b->id))
        return *out = k->shared_ids.v[i].r, WW_OK;
  ww_region *r = ww_memory_add(k->s->memory, name, space, b->bytes);
  if (!r)
    return ww_fail(e, WW_ELIMIT,
                   "no address space for `%s` of %llu bytes: raise the limit (ulimit "
                   "-v) or make it smaller",
                   name, (unsigned long long)b->bytes);
  r->fill = b->fill;
  r->type = b->type ? b->type : type;
  r->seed = ww_fill_seed(k->l->seed, allocation);
  *out = r;
  if (b->id)
    ww_push(k->a, &k->shared_ids, (__typeof__(*k->shared_ids.v)){b->id, r});
  return b->fill.kind == WW_FILL_FILE ? read_contents(k, &b->fill, r, e) : WW_OK;
}

/* ---- symbols ---- */

static void mark_symbols(const maker *k, const bool *in, bool *used) {
  for (uint32_t f = 0; f < k->m->nfns; f++)
    for (uint32_t v = 0; in[f] && v < k->m->fns[f].nvals; v++)
      if (k->m->fns[f].vals[v].kind == WW_VAL_SYMBOL)
        used[k->m->fns[f].vals[v].ref] = true;
  for (bool more = true; more;) { /* symbols that point to symbols */
    more = false;
    for (uint32_t s = 0; s < k->m->nsymbols; s++)
      for (uint32_t r = 0; used[s] && r < k->m->symbols[s].nrelocs; r++) {
        const struct ww_reloc *x = &k->m->symbols[s].relocs[r];
        if (!x->fn && !used[x->ref])
          used[x->ref] = more = true;
      }
  }
}

static uint64_t align_to(uint64_t v, uint64_t a) {
  return a > 1 ? (v + a - 1) / a * a : v;
}

static void place_shared(maker *k, const bool *used) {
  uint64_t at = 0;
  for (uint32_t s = 0; s < k->m->nsymbols; s++) {
    const ww_symbol *y = &k->m->symbols[s];
    if (!used[s] || y->space != WW_SHARED || y->dynamic)
      continue;
    at = align_to(at, y->align);
    k->s->symbol_addr[s] = at;
    at += y->size + k->gap;
  }
  for (uint32_t s = 0; s < k->m->nsymbols; s++) {
    const ww_symbol *y = &k->m->symbols[s];
    if (!used[s] || y->space != WW_SHARED || !y->dynamic)
      continue;
    if (y->align > 16)
      at = align_to(at, y->align);
    k->s->symbol_addr[s] = align_to(at, 16);
  }
  k->s->shared_static = at;
}

/* What the launch says of a symbol, its index in *at. */
static const ww_arg *symbol_arg(const maker *k, const ww_symbol *y, uint32_t *at) {
  for (*at = 0; *at < k->l->nsymbols; ++*at)
    if (ww_symbol_is(y, k->l->symbols[*at].name))
      return &k->l->symbols[*at].arg;
  return NULL;
}

static void put_number(const ww_arg *g, uint32_t size, bool is_float, uint8_t *to) {
  uint64_t v = g->ivalue;
  if (is_float && (size == 4 || size == 8))
    v = ww_from_double(size == 4 ? WW_F32 : WW_F64, g->value, WW_RN);
  else if (!g->is_int) /* as the hardware converts: the nearest there is */
    v = g->value >= 0x1p63    ? INT64_MAX
        : g->value <= -0x1p63 ? INT64_MIN
                              : (int64_t)g->value;
  memcpy(to, &v, size < 8 ? size : 8);
}

void ww_setup_symbol(const ww_arg *g, uint64_t size, uint8_t *to) {
  put_number(g, size, !g->is_int, to);
}

enum { VARIABLES = 1000 }; /* allocations of variables are numbered from here on */

/* Pointers among the bytes of a variable or an argument, as a recorder saw them. `who`
 * is it in messages; `allocation` of an argument is its number. */
static ww_status put_pointers(maker *k,
                              const ww_arg *g,
                              const char *who,
                              const char *name,
                              uint64_t size,
                              uint32_t allocation,
                              uint8_t *to,
                              ww_err *e) {
  for (uint32_t n = 0; n < g->nptrs; n++) {
    const ww_ptr *q = &g->ptrs[n];
    ww_region *r;
    if (q->at > size || size - q->at < 8)
      return ww_fail(e, WW_EUSAGE, "%s: a pointer at byte %u of %llu", who, q->at,
                     (unsigned long long)size);
    ww_status st =
        add_region(k, ww_fmt(k->a, "%s+%u", name, q->at), WW_GLOBAL, &q->buffer, NULL,
                   WW_ALLOCATION_PTR(allocation, n), &r, e);
    if (st)
      return st;
    if (r->arg < 0 && allocation < VARIABLES)
      r->arg = allocation;
    uint64_t v = r->origin + q->buffer.offset;
    memcpy(to + q->at, &v, 8);
  }
  return WW_OK;
}

static ww_status add_symbol(maker *k, uint32_t s, ww_err *e) {
  const ww_symbol *y = &k->m->symbols[s];
  uint32_t given;
  const ww_arg *g = symbol_arg(k, y, &given);
  ww_buffer b = {.bytes = y->size ? y->size : 1};
  if (g && g->kind == WW_ARG_BUFFER) {
    b.fill = g->buffer.fill;
    b.type = g->buffer.type;
  }
  ww_region *r;
  ww_status st = add_region(k, y->name, y->space, &b, NULL, VARIABLES + given, &r, e);
  if (st)
    return st;
  r->symbol = s;
  k->s->symbol_addr[s] = r->base;
  if (g && g->kind == WW_ARG_BUFFER)
    return WW_OK;
  if (!y->init && !y->nrelocs && !(g && g->kind != WW_ARG_NONE))
    return WW_OK; /* zeros, whatever its size */
  if (b.bytes > MOST_INIT)
    return ww_fail(e, WW_ELIMIT,
                   "symbol `%s` has %llu bytes: too many to be given contents", y->name,
                   (unsigned long long)b.bytes);
  uint8_t *init = ww_alloc(k->a, b.bytes);
  if (y->init)
    memcpy(init, y->init, y->size);
  if (g && g->kind == WW_ARG_VALUE)
    ww_setup_symbol(g, y->size, init);
  if (g && g->kind == WW_ARG_HEX)
    memcpy(init, g->hex, g->hex_n < y->size ? g->hex_n : y->size);
  r->init = init;
  r->init_n = b.bytes;
  if (!g || g->kind != WW_ARG_HEX)
    return WW_OK;
  return put_pointers(k, g, ww_fmt(k->a, "symbol `%s`", y->name), y->name, y->size,
                      VARIABLES + given, init, e);
}

uint64_t ww_setup_address(const ww_module *m,
                          const uint64_t *symbol_addr,
                          const struct ww_reloc *x) {
  if (x->fn)
    return WW_FN_BASE + 16ull * x->ref;
  return symbol_addr[x->ref] + x->add +
         (m->symbols[x->ref].space == WW_SHARED ? WW_SHARED_BASE : 0);
}

static void relocate(maker *k, const bool *used) {
  for (uint32_t s = 0; s < k->m->nsymbols; s++) {
    const ww_symbol *y = &k->m->symbols[s];
    ww_region *r = used[s] && y->space != WW_SHARED
                       ? ww_memory_find(k->s->memory, k->s->symbol_addr[s])
                       : NULL;
    if (!r || !r->init)
      continue;
    for (uint32_t n = 0; n < y->nrelocs; n++) {
      uint64_t v = ww_setup_address(k->m, k->s->symbol_addr, &y->relocs[n]);
      memcpy((uint8_t *)r->init + y->relocs[n].at, &v, 8);
    }
  }
}

static const bool *place(maker *k) {
  const ww_module *m = k->m;
  bool *in = WW_NEWN(k->a, bool, m->nfns + 1);
  bool *used = WW_NEWN(k->a, bool, m->nsymbols + 1);
  ww_reach(m, k->fn, in);
  mark_symbols(k, in, used);
  k->s->symbol_addr = WW_NEWN(k->a, uint64_t, m->nsymbols + 1);
  /* UINT64_MAX */
  memset(k->s->symbol_addr, 0xff, m->nsymbols * sizeof *k->s->symbol_addr);
  place_shared(k, used);
  return used;
}

const bool *
ww_setup_place(const ww_module *m, const ww_fn *fn, ww_arena *a, ww_setup *out) {
  return place(&(maker){.m = m, .fn = fn, .a = a, .s = out});
}

static ww_status make_symbols(maker *k, ww_err *e) {
  const bool *used = place(k);
  for (uint32_t i = 0; i < k->l->nsymbols; i++) {
    bool found = false;
    uint32_t at;
    for (uint32_t s = 0; s < k->m->nsymbols && !found; s++)
      found = symbol_arg(k, &k->m->symbols[s], &at) == &k->l->symbols[i].arg;
    if (!found)
      return ww_fail(
          e, WW_EUSAGE,
          "the launch sets a symbol `%s`, but the source has none of that name",
          k->l->symbols[i].name);
  }
  for (uint32_t s = 0; s < k->m->nsymbols; s++) {
    if (!used[s] || k->m->symbols[s].space == WW_SHARED)
      continue;
    ww_status st = add_symbol(k, s, e);
    if (st)
      return st;
  }
  relocate(k, used);
  return WW_OK;
}

/* ---- arguments ---- */

static const char *type_of(const ww_param *q) {
  return q->ctype ? q->ctype : ww_type_names[q->type];
}

static ww_status
put_pointer(maker *k, uint32_t p, const ww_buffer *b, uint8_t *to, ww_err *e) {
  const ww_param *q = &k->fn->params[p];
  if (q->space == WW_SHARED) { /* OpenCL's local memory, sized by the host */
    uint64_t at =
        align_to(k->s->shared_static, 16) + align_to(k->s->shared_dynamic, 16);
    uint64_t v = WW_SHARED_BASE + at;
    if (!b->bytes)
      return ww_fail(
          e, WW_EUSAGE,
          "argument %u (`%s`) is local memory: give its size, e.g. --arg %s=f32[256]",
          p, q->name, q->name);
    k->s->shared_dynamic = align_to(k->s->shared_dynamic, 16) + b->bytes;
    k->s->local_at[p] = at;
    memcpy(to, &v, q->size < 8 ? q->size : 8);
    return WW_OK;
  }
  ww_region *r;
  ww_status st = add_region(k, q->name, q->space == WW_CONST ? WW_CONST : WW_GLOBAL, b,
                            ww_element_type(q->elem), p, &r, e);
  if (st)
    return st;
  if (r->arg < 0)
    r->arg = p;
  uint64_t v = r->origin + b->offset;
  if (b->bytes && b->offset > b->bytes)
    return ww_fail(
        e, WW_EUSAGE, "argument %u (`%s`): offset %llu lies outside its %llu bytes", p,
        q->name, (unsigned long long)b->offset, (unsigned long long)b->bytes);
  k->s->arg[p] = r;
  memcpy(to, &v, 8);
  return WW_OK;
}

static ww_status
put_bytes(maker *k, uint32_t p, const ww_arg *g, uint8_t *to, ww_err *e) {
  const ww_param *q = &k->fn->params[p];
  if (g->hex_n != q->size && !(g->hex_n > q->size && !q->byval))
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`) takes %u bytes, the hex given has %u", p,
                   q->name, q->size, g->hex_n);
  memcpy(to, g->hex, q->size);
  return put_pointers(k, g, ww_fmt(k->a, "argument %u (`%s`)", p, q->name), q->name,
                      q->size, p, to, e);
}

static ww_status
put_map(maker *k, uint32_t p, const ww_arg *g, uint8_t *to, ww_err *e) {
  const ww_param *q = &k->fn->params[p];
  if (!q->byval || q->size != WW_TENSOR_MAP_BYTES)
    return ww_fail(
        e, WW_EUSAGE,
        "argument %u (`%s`) is %s, not a CUtensorMap by value, but a tensor map "
        "is given for it",
        p, q->name, type_of(q));
  ww_region *r;
  ww_status st = add_region(k, q->name, WW_GLOBAL, &g->buffer, NULL, p, &r, e);
  if (st)
    return st;
  if (r->arg < 0)
    r->arg = p;
  if (g->buffer.offset + ww_tensor_map_bytes(g->map) > r->size)
    return ww_fail(
        e, WW_EUSAGE,
        "argument %u (`%s`): the tensor of %llu bytes does not fit its buffer "
        "of %llu",
        p, q->name, (unsigned long long)ww_tensor_map_bytes(g->map),
        (unsigned long long)r->size);
  k->s->arg[p] = r;
  const char *why = ww_tensor_encode(g->map, r->origin + g->buffer.offset, to);
  return why ? ww_fail(e, WW_EUSAGE,
                       "argument %u (`%s`): the tensor map is impossible: %s", p,
                       q->name, why)
             : WW_OK;
}

static void put_value(const ww_param *q, const ww_arg *g, uint8_t *to) {
  ww_type t = q->type == WW_I64 && ww_is_float(q->elem)
                  ? q->elem
                  : q->type; /* OpenMP passes floats as integers */
  if (q->type == WW_F16 || q->type == WW_BF16) {
    double v = q->type == WW_F16 ? g->value : (float)g->value;
    uint16_t h = ww_from_double(q->type, v, WW_RN);
    memcpy(to, &h, 2);
    return;
  }
  put_number(g, ww_is_float(t) ? ww_type_bytes[t] : q->size, ww_is_float(t), to);
}

/* An integer argument takes a whole number that its bytes can hold, signed or not. */
static ww_status
check_value(const ww_param *q, uint32_t p, const ww_arg *g, ww_err *e) {
  if (ww_is_float(q->type) || ww_is_float(q->elem) || q->byval || q->pointer)
    return WW_OK;
  if (!g->is_int && g->value != trunc(g->value))
    return ww_fail(e, WW_EDATA,
                   "argument %u (`%s`) is %s and takes a whole number, not %g", p,
                   q->name, type_of(q), g->value);
  double span = ldexp(1, 8 * (int)q->size);
  if (q->size < 8 && (g->value < -span / 2 || g->value >= span))
    return ww_fail(e, WW_EDATA,
                   "argument %u (`%s`) is %s of %u bytes and cannot hold %.17g", p,
                   q->name, type_of(q), q->size, g->value);
  return WW_OK;
}

ww_status
ww_setup_scalar(const ww_fn *fn, uint32_t p, const ww_arg *g, uint8_t *to, ww_err *e) {
  const ww_param *q = &fn->params[p];
  if (q->byval && q->size > 8)
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`) is a struct of %u bytes: give it as hex", p,
                   q->name, q->size);
  if (q->pointer && g->value != 0)
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`) is a pointer: give a buffer, e.g. --arg %s=[n], "
                   "or 0 for null",
                   p, q->name, q->name);
  ww_status st = check_value(q, p, g, e);
  if (!st)
    put_value(q, g, to);
  return st;
}

static ww_status make_params(maker *k, ww_err *e) {
  const ww_fn *fn = k->fn;
  uint32_t *off = WW_NEWN(k->a, uint32_t, fn->nparams + 1);
  ww_param_offsets(fn, off, &k->s->params_n);
  k->s->params = ww_alloc(k->a, k->s->params_n + 64);
  k->s->arg = WW_NEWN(k->a, ww_region *, fn->nparams + 1);
  k->s->local_at = WW_NEWN(k->a, uint64_t, fn->nparams + 1);
  memset(k->s->local_at, 0xff, fn->nparams * sizeof *k->s->local_at); /* UINT64_MAX */
  for (uint32_t p = 0; p < fn->nparams; p++) {
    const ww_param *q = &fn->params[p];
    const ww_arg none = {0};
    const ww_arg *g = p < k->l->nargs ? &k->l->args[p] : &none;
    uint8_t *to = k->s->params + off[p];
    ww_status st = WW_OK;
    switch (g->kind) {
    case WW_ARG_BUFFER:
      if (!q->pointer)
        return ww_fail(
            e, WW_EUSAGE,
            "argument %u (`%s`) is %s, not a pointer, but a buffer is given for it", p,
            q->name, type_of(q));
      st = put_pointer(k, p, &g->buffer, to, e);
      break;
    case WW_ARG_HEX:
      st = put_bytes(k, p, g, to, e);
      break;
    case WW_ARG_TENSORMAP:
      st = put_map(k, p, g, to, e);
      break;
    case WW_ARG_VALUE:
      st = ww_setup_scalar(fn, p, g, to, e);
      break;
    default:
      if (q->pointer)
        st = put_pointer(k, p, &none.buffer, to, e);
    }
    if (st)
      return st;
  }
  return WW_OK;
}

ww_status ww_setup_spaced(const ww_module *m,
                          const ww_fn *fn,
                          const ww_launch *l,
                          uint32_t gap,
                          ww_arena *a,
                          ww_setup *out,
                          ww_err *e) {
  *out = (ww_setup){.memory = ww_memory_new(l->seed)};
  maker k = {.m = m, .fn = fn, .l = l, .a = a, .s = out, .gap = gap};
  out->shared_dynamic = l->shared;
  ww_status st =
      l->nargs > fn->nparams
          ? ww_fail(e, WW_EUSAGE, "%s takes %u arguments, the launch gives %u",
                    fn->name, fn->nparams, l->nargs)
          : make_symbols(&k, e);
  if (!st)
    st = make_params(&k, e);
  if (st)
    ww_setup_free(out);
  return st;
}

ww_status ww_setup_make(const ww_module *m,
                        const ww_fn *fn,
                        const ww_launch *l,
                        ww_arena *a,
                        ww_setup *out,
                        ww_err *e) {
  return ww_setup_spaced(m, fn, l, 0, a, out, e);
}

void ww_setup_free(ww_setup *s) {
  ww_memory_free(s->memory);
  s->memory = NULL;
}

ww_run_spec ww_setup_spec(const ww_module *m,
                          const ww_fn *fn,
                          const ww_launch *l,
                          const ww_setup *s) {
  ww_run_spec spec = {.module = m,
                      .fn = fn,
                      .shared_static = s->shared_static,
                      .shared = s->shared_dynamic,
                      .params = s->params,
                      .params_n = s->params_n,
                      .memory = s->memory,
                      .symbol_addr = s->symbol_addr};
  memcpy(spec.grid, l->grid, sizeof spec.grid);
  memcpy(spec.block, l->block, sizeof spec.block);
  for (int d = 0; d < 3; d++)
    spec.cluster[d] = l->cluster[0] ? l->cluster[d] : fn->cluster[d];
  return spec;
}
