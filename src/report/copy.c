/* copy.c - launches and reports that stand on their own: every text and array they point to is
 * copied too. */
#include "report.h"

/* The text becomes one of its own; NULL stays NULL. */
static void own(const char **text, ww_arena *a) {
  if (*text)
    *text = ww_strdup(a, *text);
}

#define COPY_ARRAY(a, v, n) copy_array(a, v, n, sizeof *(v))
static void *copy_array(ww_arena *a, const void *v, size_t n, size_t size) {
  if (!n)
    return NULL;
  return memcpy(ww_alloc(a, n * size), v, n * size);
}

static void copy_buffer(ww_buffer *b, ww_arena *a) {
  own(&b->bytes_expr, a);
  own(&b->count_expr, a);
  own(&b->id, a);
  own(&b->type, a);
  own(&b->fill.lo_expr, a);
  own(&b->fill.hi_expr, a);
  own(&b->fill.path, a);
  own(&b->fill.root, a);
}

static void copy_arg(ww_arg *x, ww_arena *a) {
  own(&x->name, a);
  own(&x->expr, a);
  x->hex = COPY_ARRAY(a, x->hex, x->hex_n);
  x->ptrs = COPY_ARRAY(a, x->ptrs, x->nptrs);
  copy_buffer(&x->buffer, a);
  for (uint32_t k = 0; k < x->nptrs; k++)
    copy_buffer(&x->ptrs[k].buffer, a);
}

void ww_launch_copy(const ww_launch *l, ww_arena *a, ww_launch *out) {
  *out = *l;
  own(&out->file, a);
  own(&out->kernel, a);
  for (int k = 0; k < 3; k++) {
    own(&out->grid_expr[k], a);
    own(&out->block_expr[k], a);
  }
  own(&out->shared_expr, a);
  own(&out->binary, a);
  own(&out->note, a);
  own(&out->dir, a);
  out->args = COPY_ARRAY(a, l->args, l->nargs);
  for (uint32_t k = 0; k < l->nargs; k++)
    copy_arg(&out->args[k], a);
  out->symbols = COPY_ARRAY(a, l->symbols, l->nsymbols);
  for (uint32_t k = 0; k < l->nsymbols; k++) {
    own(&out->symbols[k].name, a);
    copy_arg(&out->symbols[k].arg, a);
  }
  out->flags = COPY_ARRAY(a, l->flags, l->nflags);
  for (uint32_t k = 0; k < l->nflags; k++)
    own(&out->flags[k], a);
}

static void copy_findings(ww_report *r, ww_arena *a) {
  r->findings = COPY_ARRAY(a, r->findings, r->nfindings);
  for (uint32_t k = 0; k < r->nfindings; k++) {
    ww_finding *f = &r->findings[k];
    own(&f->file, a);
    own(&f->rule, a);
    own(&f->message, a);
  }
}

static void copy_terms(ww_report *r, ww_arena *a) {
  r->terms = COPY_ARRAY(a, r->terms, r->nterms);
  for (uint32_t k = 0; k < r->nterms; k++) {
    ww_report_term *t = &r->terms[k];
    own(&t->stage, a);
    own(&t->group, a);
    own(&t->name, a);
    own(&t->word, a);
  }
}

void ww_report_copy(const ww_report *r, ww_arena *a, ww_report *out) {
  *out = *r;
  own(&out->file, a);
  own(&out->kernel, a);
  own(&out->gpu, a);
  own(&out->roofline_class, a);
  own(&out->bottleneck, a);
  own(&out->error.file, a);
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
    own(&out->lines[k].file, a);
  copy_terms(out, a);
}
