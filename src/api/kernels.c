/* kernels.c - sources: what is asked about, and the list of the kernels in one. The
 * list is a copy, so that it outlives the context. */

#include "api_int.h"

typedef struct {
  warpwise_kernel shown;
  warpwise_parameter *parameters;
} entry;

struct warpwise_kernels {
  ww_arena *arena;
  entry *v;
  uint32_t n;
  warpwise_diagnostic *diagnostics;
  uint32_t ndiagnostics;
};

/* ---- sources ---- */

static const char *name_for(const char *language) {
  static const char *const names[][2] = {
      {"opencl", "kernel.cl"}, {"hip", "kernel.hip"}, {"openmp", "kernel.c"}};
  for (size_t i = 0; language && i < 3; i++)
    if (!strcmp(names[i][0], language))
      return names[i][1];
  return "kernel.cu";
}

ww_status ww_api_source(const warpwise_context *c,
                        const warpwise_source *s,
                        ww_arena *a,
                        ww_source *out,
                        ww_err *e) {
  if (!s->path && !s->text)
    return ww_fail(e, WW_EUSAGE,
                   "there is no source: give its path, or its text (or a launch that "
                   "names a file)");
  *out = (ww_source){.text = s->text,
                     .lang = s->language,
                     .flags = (const char **)s->flags,
                     .nflags = s->flag_count,
                     .instantiate = (const char **)s->instantiate,
                     .ninstantiate = s->instantiate_count};
  return ww_query_path(c->workspace, s->path ? s->path : name_for(s->language),
                       !s->text, a, &out->path, e);
}

/* ---- the list ---- */

static void add_kernel(warpwise_kernels *k,
                       const ww_query *w,
                       const ww_query_unit *r,
                       const ww_fn *fn) {
  ww_arena *a = k->arena;
  entry *to = &k->v[k->n++];
  to->shown = (warpwise_kernel){.name = ww_strdup(a, fn->name),
                                .mangled = ww_strdup(a, fn->mangled),
                                .file = ww_strdup(a, fn->file),
                                .launch = ww_query_comment(w, r, fn, a),
                                .refusal = ww_strdup(a, fn->refusal),
                                .line = fn->line,
                                .parameter_count = fn->nparams};
  to->parameters = WW_NEWN(a, warpwise_parameter, fn->nparams);
  for (uint32_t i = 0; i < fn->nparams; i++) {
    const ww_param *p = &fn->params[i];
    to->parameters[i] = (warpwise_parameter){
        .name = ww_strdup(a, p->name),
        .type = ww_strdup(a, p->ctype ? p->ctype : ww_type_names[p->type]),
        .bytes = p->size,
        .pointer = p->pointer};
  }
}

static warpwise_kernels *
list_of(const ww_query *w, const ww_query_unit *r, ww_arena *a) {
  const ww_unit *u = r->unit;
  warpwise_kernels *k = WW_NEW(a, warpwise_kernels);
  *k = (warpwise_kernels){.arena = a, .v = WW_NEWN(a, entry, u->module.nfns)};
  for (uint32_t i = 0; i < u->module.nfns; i++)
    if (u->module.fns[i].kernel)
      add_kernel(k, w, r, &u->module.fns[i]);
  k->diagnostics = WW_NEWN(a, warpwise_diagnostic, u->ndiags);
  for (uint32_t i = 0; i < u->ndiags; i++) {
    const ww_diag *d = &u->diags[i];
    k->diagnostics[k->ndiagnostics++] =
        (warpwise_diagnostic){.file = ww_strdup(a, d->file),
                              .message = ww_strdup(a, d->message),
                              .line = d->line,
                              .column = d->col,
                              .is_error = d->error};
  }
  return k;
}

warpwise_status warpwise_kernels_read(warpwise_context *context,
                                      warpwise_source source,
                                      warpwise_kernels **out,
                                      warpwise_error *error) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  ww_source s;
  ww_query_unit r = {0};
  *out = NULL;
  locale_t before = ww_api_enter();
  ww_status st = ww_api_source(context, &source, a, &s, &e);
  if (!st)
    st = ww_query_read(context->workspace, &s, 0, a, &r, &e);
  if (!st) {
    *out = list_of(context->workspace, &r, a);
    ww_query_release(context->workspace, &r);
  }
  ww_api_leave(before);
  if (!st)
    return WARPWISE_OK;
  ww_api_fail(&e, error); /* what it names lies in the arena */
  ww_arena_free(a);
  return (warpwise_status)st;
}

void warpwise_kernels_free(warpwise_kernels *kernels) {
  if (kernels)
    ww_arena_free(kernels->arena);
}

uint32_t warpwise_kernel_count(const warpwise_kernels *kernels) {
  return kernels->n;
}

warpwise_kernel warpwise_kernel_at(const warpwise_kernels *kernels, uint32_t index) {
  return index < kernels->n ? kernels->v[index].shown : (warpwise_kernel){0};
}

warpwise_parameter warpwise_parameter_at(const warpwise_kernels *kernels,
                                         uint32_t kernel,
                                         uint32_t index) {
  if (kernel >= kernels->n || index >= kernels->v[kernel].shown.parameter_count)
    return (warpwise_parameter){0};
  return kernels->v[kernel].parameters[index];
}

uint32_t warpwise_diagnostic_count(const warpwise_kernels *kernels) {
  return kernels->ndiagnostics;
}

warpwise_diagnostic warpwise_diagnostic_at(const warpwise_kernels *kernels,
                                           uint32_t index) {
  return index < kernels->ndiagnostics ? kernels->diagnostics[index]
                                       : (warpwise_diagnostic){0};
}
