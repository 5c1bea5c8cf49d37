/* plan.c - from a launch spec and a kernel's IR to a ready spec.
 *
 * A device that runs a ready spec has compiled code but no IR: it cannot know that
 * parameter 2 is a half, that a buffer without a type holds floats, or what a symbol is
 * called in the object file. Everything of that kind is written down here, by the same
 * functions that make the trace's memory (trace/setup.c), so that both see the same
 * bytes. */
#include "plan.h"

/* What setup.c takes where neither the spec nor the parameter says what a buffer holds.
 */
static const char *const untyped = "i32";

static void plan_buffer(ww_buffer *b, const char *type) {
  if (!b->type)
    b->type = type ? type : untyped;
  if (b->fill.kind == WW_FILL_NONE)
    b->fill.kind = WW_FILL_ZEROS;
}

static void as_hex(ww_arg *g, const uint8_t *bytes, uint32_t n) {
  *g = (ww_arg){.name = g->name,
                .kind = WW_ARG_HEX,
                .hex = bytes,
                .hex_n = n,
                .ptrs = g->ptrs,
                .nptrs = g->nptrs};
}

static ww_status plan_pointer(const ww_fn *fn, uint32_t p, ww_arg *g, ww_err *e) {
  const ww_param *q = &fn->params[p];
  ww_buffer *b = &g->buffer;
  if (!q->pointer)
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`) is not a pointer, but a buffer is given for it",
                   p, q->name);
  if (!b->bytes)
    return ww_fail(
        e, WW_EUSAGE,
        "argument %u (`%s`): its size is not known; give it, e.g. --arg %s=[n]", p,
        q->name, q->name);
  if (b->offset > b->bytes)
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`): offset %lu lies outside its %lu bytes", p,
                   q->name, b->offset, b->bytes);
  if (q->space == WW_SHARED) {
    *b = (ww_buffer){.bytes = b->bytes, .local = true};
    return WW_OK;
  }
  b->local = false;
  plan_buffer(b, ww_element_type(q->elem));
  return WW_OK;
}

static ww_status plan_bytes(const ww_fn *fn, uint32_t p, ww_arg *g, ww_err *e) {
  const ww_param *q = &fn->params[p];
  if (g->hex_n != q->size && !(g->hex_n > q->size && !q->byval))
    return ww_fail(e, WW_EUSAGE,
                   "argument %u (`%s`) takes %u bytes, the hex given has %u", p,
                   q->name, q->size, g->hex_n);
  g->hex_n = q->size;
  for (uint32_t n = 0; n < g->nptrs; n++) {
    if (g->ptrs[n].at > q->size || q->size - g->ptrs[n].at < 8)
      return ww_fail(e, WW_EUSAGE, "argument %u (`%s`): a pointer at byte %u of %u", p,
                     q->name, g->ptrs[n].at, q->size);
    if (!g->ptrs[n].buffer.bytes)
      return ww_fail(e, WW_EUSAGE,
                     "argument %u (`%s`): the pointer at byte %u needs \"bytes\"", p,
                     q->name, g->ptrs[n].at);
    plan_buffer(&g->ptrs[n].buffer, NULL);
  }
  return WW_OK;
}

static ww_status
plan_arg(const ww_fn *fn, uint32_t p, ww_arg *g, ww_arena *a, ww_err *e) {
  const ww_param *q = &fn->params[p];
  if (g->kind == WW_ARG_BUFFER || (g->kind == WW_ARG_NONE && q->pointer)) {
    g->kind = WW_ARG_BUFFER;
    return plan_pointer(fn, p, g, e);
  }
  if (g->kind == WW_ARG_TENSORMAP) {
    plan_buffer(&g->buffer, NULL);
    return WW_OK;
  }
  if (g->kind == WW_ARG_HEX)
    return plan_bytes(fn, p, g, e);
  uint8_t *bytes = ww_alloc(a, q->size + 8);
  ww_status st = g->kind == WW_ARG_VALUE ? ww_setup_scalar(fn, p, g, bytes, e) : WW_OK;
  if (!st)
    as_hex(g, bytes, q->size);
  return st;
}

static const ww_symbol *symbol_of(const ww_module *m, const char *name) {
  for (uint32_t s = 0; s < m->nsymbols; s++)
    if (!strcmp(m->symbols[s].name, name) ||
        (m->symbols[s].mangled && !strcmp(m->symbols[s].mangled, name)))
      return &m->symbols[s];
  return NULL;
}

static ww_status
plan_symbol(const ww_module *m, ww_symbol_arg *s, ww_arena *a, ww_err *e) {
  const ww_symbol *y = symbol_of(m, s->name);
  if (!y)
    return ww_fail(
        e, WW_EUSAGE,
        "the launch sets a symbol `%s`, but the source has none of that name", s->name);
  if (y->mangled)
    s->name = y->mangled;
  if (s->arg.kind == WW_ARG_BUFFER) {
    s->arg.buffer.bytes = y->size;
    s->arg.buffer.offset = 0;
    plan_buffer(&s->arg.buffer, NULL);
  } else if (s->arg.kind == WW_ARG_VALUE) {
    uint8_t *bytes = ww_alloc(a, y->size + 8);
    if (y->init)
      memcpy(bytes, y->init, y->size);
    ww_setup_symbol(&s->arg, y->size, bytes);
    as_hex(&s->arg, bytes, y->size < 8 ? y->size : 8);
  } else if (s->arg.kind == WW_ARG_HEX && s->arg.hex_n > y->size) {
    s->arg.hex_n = y->size;
  }
  return WW_OK;
}

ww_status ww_plan(const ww_module *m,
                  const ww_fn *fn,
                  ww_launch *launch,
                  ww_assumed *assumed,
                  ww_arena *a,
                  ww_err *e) {
  ww_launch l = *launch;
  ww_launch_params params = ww_kernel_params(m, fn, a);
  ww_status st = ww_launch_resolve(&l, &params, a, e);
  if (st || (st = ww_inputs_complete(m, fn, &l, NULL, assumed, a, e)))
    return st;
  if (l.nargs > fn->nparams)
    return ww_fail(e, WW_EUSAGE, "%s takes %u arguments, the launch gives %u", fn->name,
                   fn->nparams, l.nargs);
  for (uint32_t p = 0; p < l.nargs && !st; p++)
    st = plan_arg(fn, p, &l.args[p], a, e);
  for (uint32_t i = 0; i < l.nsymbols && !st; i++)
    st = plan_symbol(m, &l.symbols[i], a, e);
  if (st)
    return st;
  l.kernel = fn->mangled ? fn->mangled : fn->name;
  *launch = l;
  return WW_OK;
}
