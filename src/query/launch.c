/* launch.c - which kernel of a source is meant, and what is known of its launch.
 *
 * Weakest first: the host code's own <<<...>>>, the comment in the source, what the
 * caller gives. Each is put over the one before. */
#include "query_int.h"

/* ---- the kernel ---- */

static ww_status
no_kernel(const ww_unit *u, const char *file, const char *asked, ww_err *e) {
  const ww_module *m = &u->module;
  ww_buf names = {0};
  uint32_t n = 0;
  ww_status st;
  for (uint32_t k = 0; k < m->nfns; k++)
    if (m->fns[k].kernel && names.n < 300)
      ww_buf_fmt(&names, "%s%s", n++ ? ", " : "", m->fns[k].name);
  if (!n) {
    const char *why = NULL; /* templates that nobody instantiates */
    for (uint32_t k = 0; k < u->ndiags && !why; k++)
      why = u->diags[k].file ? u->diags[k].message : NULL;
    st = ww_fail(e, WW_EDATA, "there is no kernel in %s%s%s", file, why ? ": " : "",
                 why ? why : "");
    if (e && !why)
      e->reason = WW_REASON_NO_KERNEL;
  } else if (asked)
    st = ww_fail(e, WW_EUSAGE,
                 "%s has no kernel `%s` (or several of that name); it has %s", file,
                 asked, names.s);
  else
    st = ww_fail(e, WW_EUSAGE, "%s has several kernels, name one with --kernel: %s",
                 file, names.s);
  ww_buf_free(&names);
  return st;
}

ww_status ww_kernel_find(
    const ww_unit *u, const char *file, const char *name, const ww_fn **fn, ww_err *e) {
  const ww_module *m = &u->module;
  uint32_t kernels = 0;
  *fn = name ? ww_ir_find(m, name) : NULL;
  for (uint32_t k = 0; !name && k < m->nfns; k++)
    if (m->fns[k].kernel && kernels++ == 0)
      *fn = &m->fns[k];
  if (*fn && kernels <= 1)
    return WW_OK;
  *fn = NULL;
  return no_kernel(u, file, name, e);
}

/* ---- the launch ---- */

/* Does it say all that can be said? Then nobody has to look for more. */
static bool is_complete(const ww_launch *l, const ww_fn *fn) {
  return (l->grid[0] || l->grid_expr[0]) && (l->block[0] || l->block_expr[0]) &&
         l->nargs >= fn->nparams;
}

/* The host code's launch of the kernel; NULL: none. */
static const ww_launch *host_launch(const ww_query_unit *r,
                                    const ww_fn *fn,
                                    ww_arena *a,
                                    ww_assumptions *said) {
  for (uint32_t k = 0; k < r->nlaunches; k++) {
    const ww_host_launch *h = &r->launches[k];
    if (strcmp(h->kernel, fn->mangled) && !ww_ir_same_internal(h->kernel, fn->mangled))
      continue;
    const char *file = ww_path_base(h->file ? h->file : fn->file);
    ww_push(a, said,
            (ww_assumption){WW_ASSUME_HOST_LAUNCH, ww_strdup(a, file), {h->line}});
    return &h->launch;
  }
  return NULL;
}

/* The kernel's `// warpwise:` comment; NULL: none. Of a kernel that stands in a header,
 * the disk's. A header that is there and cannot be read is an error: its launch would
 * be assumed. */
static ww_status comment_of(const ww_query *w,
                            const ww_query_unit *r,
                            const ww_fn *fn,
                            ww_arena *a,
                            const char **out,
                            ww_err *e) {
  const char *text = r->text;
  size_t n = strlen(text);
  *out = NULL;
  if (fn->file && strcmp(fn->file, ww_query_shown(w, r->source.path))) {
    char *header;
    bool named_by_line = !w->root && !ww_file_exists(fn->file);
    ww_status st = named_by_line
                       ? WW_EIO
                       : ww_query_text(w, fn->file, 64 << 20, a, &header, &n, e);
    if (st)
      return named_by_line || w->root ? WW_OK : st;
    text = header;
  }
  *out = ww_front_comment_in(text, n, fn->line, a);
  return WW_OK;
}

ww_status ww_query_launch(ww_query *w,
                          ww_query_unit *r,
                          double deadline,
                          ww_arena *a,
                          const ww_fn **fn,
                          ww_launch *launch,
                          ww_assumptions *said,
                          ww_err *e) {
  const char *comment = NULL;
  const ww_launch *host = NULL;
  ww_status st =
      *fn ? WW_OK : ww_kernel_find(r->unit, launch->file, launch->kernel, fn, e);
  if (st)
    return st;
  if (!is_complete(launch, *fn)) {
    st = comment_of(w, r, *fn, a, &comment, e);
    if (!st && !comment && !launch->grid[0] && !launch->grid_expr[0])
      st = ww_query_hosts(w, r, deadline, a, e);
    if (st)
      return st;
    host = host_launch(r, *fn, a, said);
  }
  ww_launch_params params = ww_kernel_params(&r->unit->module, *fn, a);
  params.root = w->root;
  bool resolve = !(*fn)->refusal && !r->source.as_written;
  return ww_launch_settle(launch, comment, host, resolve ? &params : NULL, a, e);
}

/* ---- contents ---- */

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
