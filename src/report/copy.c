/* copy.c - launches and reports that stand on their own: every text and array they
 * point to is copied too. */
#include "report.h"

/* The texts become ones of their own. */
#define OWN(a, ...) own_texts(a, (const char **const[]){__VA_ARGS__, NULL})
static void own_texts(ww_arena *a, const char **const *texts) {
  for (; *texts; texts++)
    **texts = ww_strdup(a, **texts);
}

#define COPY_ARRAY(a, v, n) copy_array(a, v, n, sizeof *(v))
static void *copy_array(ww_arena *a, const void *v, size_t n, size_t size) {
  if (!n)
    return NULL;
  return memcpy(ww_alloc(a, n * size), v, n * size);
}

static void copy_buffer(ww_buffer *b, ww_arena *a) {
  ww_fill *f = &b->fill;
  OWN(a, &b->bytes_expr, &b->count_expr, &b->id, &b->type);
  OWN(a, &f->lo_expr, &f->hi_expr, &f->path, &f->root);
}

static void copy_map(ww_arg *x, ww_arena *a) {
  if (!x->map)
    return;
  x->map = COPY_ARRAY(a, x->map, 1);
  OWN(a, &x->map->type);
  for (int d = 0; d < WW_TENSOR_RANK; d++)
    OWN(a, &x->map->dims_expr[d], &x->map->strides_expr[d]);
}

static void copy_arg(ww_arg *x, ww_arena *a) {
  OWN(a, &x->name, &x->expr);
  x->hex = COPY_ARRAY(a, x->hex, x->hex_n);
  x->ptrs = COPY_ARRAY(a, x->ptrs, x->nptrs);
  copy_buffer(&x->buffer, a);
  copy_map(x, a);
  for (uint32_t k = 0; k < x->nptrs; k++)
    copy_buffer(&x->ptrs[k].buffer, a);
}

void ww_launch_copy(const ww_launch *l, ww_arena *a, ww_launch *out) {
  *out = *l;
  OWN(a, &out->file, &out->kernel, &out->shared_expr, &out->binary, &out->note,
      &out->dir);
  for (int k = 0; k < 3; k++)
    OWN(a, &out->grid_expr[k], &out->block_expr[k]);
  out->args = COPY_ARRAY(a, l->args, l->nargs);
  for (uint32_t k = 0; k < l->nargs; k++)
    copy_arg(&out->args[k], a);
  out->symbols = COPY_ARRAY(a, l->symbols, l->nsymbols);
  for (uint32_t k = 0; k < l->nsymbols; k++) {
    OWN(a, &out->symbols[k].name);
    copy_arg(&out->symbols[k].arg, a);
  }
  out->more = COPY_ARRAY(a, l->more, l->nmore);
  for (uint32_t k = 0; k < l->nmore; k++)
    OWN(a, &out->more[k]);
  if (l->library) {
    ww_library_call *c = WW_NEW(a, ww_library_call);
    *c = *l->library;
    OWN(a, &c->name);
    OWN(a, &c->call);
    OWN(a, &c->type);
    out->library = c;
  }
  out->at = COPY_ARRAY(a, l->at, l->nat);
  out->flags = COPY_ARRAY(a, l->flags, l->nflags);
  for (uint32_t k = 0; k < l->nflags; k++)
    OWN(a, &out->flags[k]);
}

static void copy_findings(ww_report *r, ww_arena *a) {
  r->findings = COPY_ARRAY(a, r->findings, r->nfindings);
  for (uint32_t k = 0; k < r->nfindings; k++) {
    ww_finding *f = &r->findings[k];
    OWN(a, &f->file, &f->rule, &f->message, &f->cause, &f->remedy);
  }
}

static void copy_terms(ww_report *r, ww_arena *a) {
  r->terms = COPY_ARRAY(a, r->terms, r->nterms);
  for (uint32_t k = 0; k < r->nterms; k++) {
    ww_report_term *t = &r->terms[k];
    OWN(a, &t->stage, &t->group, &t->name, &t->word);
  }
}

void ww_report_copy(const ww_report *r, ww_arena *a, ww_report *out) {
  *out = *r;
  OWN(a, &out->file, &out->kernel, &out->gpu, &out->grade, &out->roofline_class,
      &out->bottleneck, &out->held, &out->error.file);
  if (r->launch) {
    ww_launch *l = WW_NEW(a, ww_launch);
    ww_launch_copy(r->launch, a, l);
    out->launch = l;
  }
  out->assumed = (ww_assumptions){0};
  ww_assumptions_add(&out->assumed, &r->assumed, a);
  copy_findings(out, a);
  out->lines = COPY_ARRAY(a, r->lines, r->nlines);
  for (uint32_t k = 0; k < r->nlines; k++)
    OWN(a, &out->lines[k].file);
  copy_terms(out, a);
  out->measured = NULL;
}

/* ---- paths ---- */

static ww_status arg_buffers(ww_arg *g, ww_buffer_visit *each, void *ctx, ww_err *e) {
  ww_status st = each(ctx, &g->buffer, e);
  for (uint32_t k = 0; !st && k < g->nptrs; k++)
    st = each(ctx, &g->ptrs[k].buffer, e);
  return st;
}

ww_status ww_launch_buffers(ww_launch *l, ww_buffer_visit *each, void *ctx, ww_err *e) {
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < l->nargs; k++)
    st = arg_buffers(&l->args[k], each, ctx, e);
  for (uint32_t k = 0; !st && k < l->nsymbols; k++)
    st = arg_buffers(&l->symbols[k].arg, each, ctx, e);
  return st;
}

typedef struct {
  const char *dir;
  ww_arena *a;
} place;

static ww_status locate_buffer(void *ctx, ww_buffer *b, ww_err *e) {
  const place *p = ctx;
  (void)e;
  if (b->fill.path)
    b->fill.path = ww_path_join(p->a, p->dir, b->fill.path);
  return WW_OK;
}

void ww_launch_locate(const ww_launch *given,
                      const char *dir,
                      ww_arena *a,
                      ww_launch *out) {
  ww_launch_copy(given, a, out);
  if (out->file)
    out->file = ww_path_join(a, dir, out->file);
  if (out->binary)
    out->binary = ww_path_join(a, dir, out->binary);
  out->dir = dir;
  ww_launch_buffers(out, locate_buffer, &(place){dir, a}, NULL);
}
