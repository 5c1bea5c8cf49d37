/* copy.c - launches and reports that stand on their own: every text and array they point to is
 * copied too. */
#include "report.h"

static const char *copy_text(const char *s, ww_arena *a) {
  return s ? ww_strdup(a, s) : NULL;
}

#define COPY_ARRAY(a, v, n) copy_array(a, v, n, sizeof *(v))
static void *copy_array(ww_arena *a, const void *v, size_t n, size_t size) {
  if (!n)
    return NULL;
  return memcpy(ww_alloc(a, n * size), v, n * size);
}

static void copy_buffer(ww_buffer *b, ww_arena *a) {
  b->bytes_expr = copy_text(b->bytes_expr, a);
  b->count_expr = copy_text(b->count_expr, a);
  b->id = copy_text(b->id, a);
  b->type = copy_text(b->type, a);
  b->fill.lo_expr = copy_text(b->fill.lo_expr, a);
  b->fill.hi_expr = copy_text(b->fill.hi_expr, a);
  b->fill.path = copy_text(b->fill.path, a);
  b->fill.root = copy_text(b->fill.root, a);
}

static void copy_arg(ww_arg *x, ww_arena *a) {
  x->name = copy_text(x->name, a);
  x->expr = copy_text(x->expr, a);
  x->hex = COPY_ARRAY(a, x->hex, x->hex_n);
  x->ptrs = COPY_ARRAY(a, x->ptrs, x->nptrs);
  copy_buffer(&x->buffer, a);
  for (uint32_t k = 0; k < x->nptrs; k++)
    copy_buffer(&x->ptrs[k].buffer, a);
}

void ww_launch_copy(const ww_launch *l, ww_arena *a, ww_launch *out) {
  *out = *l;
  out->file = copy_text(l->file, a);
  out->kernel = copy_text(l->kernel, a);
  for (int k = 0; k < 3; k++) {
    out->grid_expr[k] = copy_text(l->grid_expr[k], a);
    out->block_expr[k] = copy_text(l->block_expr[k], a);
  }
  out->shared_expr = copy_text(l->shared_expr, a);
  out->binary = copy_text(l->binary, a);
  out->note = copy_text(l->note, a);
  out->dir = copy_text(l->dir, a);
  out->args = COPY_ARRAY(a, l->args, l->nargs);
  for (uint32_t k = 0; k < l->nargs; k++)
    copy_arg(&out->args[k], a);
  out->symbols = COPY_ARRAY(a, l->symbols, l->nsymbols);
  for (uint32_t k = 0; k < l->nsymbols; k++) {
    out->symbols[k].name = copy_text(l->symbols[k].name, a);
    copy_arg(&out->symbols[k].arg, a);
  }
  out->flags = COPY_ARRAY(a, l->flags, l->nflags);
  for (uint32_t k = 0; k < l->nflags; k++)
    out->flags[k] = copy_text(l->flags[k], a);
}

static void copy_findings(ww_report *r, ww_arena *a) {
  r->findings = COPY_ARRAY(a, r->findings, r->nfindings);
  for (uint32_t k = 0; k < r->nfindings; k++) {
    ww_finding *f = &r->findings[k];
    f->file = copy_text(f->file, a);
    f->rule = copy_text(f->rule, a);
    f->message = copy_text(f->message, a);
  }
}

static void copy_terms(ww_report *r, ww_arena *a) {
  r->terms = COPY_ARRAY(a, r->terms, r->nterms);
  for (uint32_t k = 0; k < r->nterms; k++) {
    ww_report_term *t = &r->terms[k];
    t->stage = copy_text(t->stage, a);
    t->group = copy_text(t->group, a);
    t->name = copy_text(t->name, a);
    t->word = copy_text(t->word, a);
  }
}

void ww_report_copy(const ww_report *r, ww_arena *a, ww_report *out) {
  *out = *r;
  out->file = copy_text(r->file, a);
  out->kernel = copy_text(r->kernel, a);
  out->gpu = copy_text(r->gpu, a);
  out->roofline_class = copy_text(r->roofline_class, a);
  out->bottleneck = copy_text(r->bottleneck, a);
  out->error.file = copy_text(r->error.file, a);
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
    out->lines[k].file = copy_text(r->lines[k].file, a);
  copy_terms(out, a);
}
