/* source.c - finds the kernel and the launch that a command is about: its options are put over the
 * launch spec, and src/query puts both over what the source says. */
#include "source.h"

#include "../base/watchdog.h"
#include "limits.h"

static ww_status from_options(const ww_source_options *o, ww_arena *a, ww_launch *l, ww_err *e) {
  ww_status st = WW_OK;
  if (o->grid)
    st = ww_launch_shape(o->grid, "--grid", a, l->grid, l->grid_expr, e);
  if (!st && o->block)
    st = ww_launch_shape(o->block, "--block", a, l->block, l->block_expr, e);
  for (uint32_t k = 0; !st && k < o->args.n; k++)
    st = ww_launch_arg(o->args.v[k], a, l, e);
  if (!st && o->shared) {
    l->shared_expr = o->shared;
    l->shared_given = true;
  }
  if (o->kernel)
    l->kernel = o->kernel;
  return st ? e->code = WW_EUSAGE : WW_OK; /* the command line's own words, not a file's */
}

ww_status ww_source_over(ww_cmd *c, const ww_source_options *o, ww_launch *over) {
  *over = (ww_launch){0};
  return from_options(o, c->arena, over, &c->err);
}

ww_status ww_source_launches(ww_cmd *c, const ww_source_options *o, ww_launch **out, uint32_t *n) {
  ww_launch over = {0};
  ww_status st = from_options(o, c->arena, &over, &c->err);
  if (st)
    return st;
  *n = 1;
  *out = WW_NEW(c->arena, ww_launch);
  if (o->launch)
    st = ww_input_launches(c->arena, o->launch, out, n, &c->err);
  for (uint32_t k = 0; !st && k < *n; k++) {
    ww_launch_merge(&(*out)[k], &over, c->arena);
    if (c->noperands)
      (*out)[k].file = c->operands[0];
    if (!(*out)[k].file)
      return ww_usage(c, "name a source file, or a launch spec that has one");
  }
  return st;
}

/* ---- loading ---- */

ww_status ww_source_of(ww_cmd *c, const ww_source_options *o, const char **files, uint32_t n,
                       const ww_launch *l, ww_source *out) {
  ww_strings flags = {0};
  ww_status st = WW_OK;
  for (uint32_t k = 0; !st && k < n; k++)
    st = ww_input_check(files[k], &c->err);
  if (!st)
    st = ww_compile_flags(files[0], o->database, c->arena, &flags, &c->err);
  for (uint32_t k = 0; l && k < l->nflags; k++)
    ww_push(c->arena, &flags, l->flags[k]);
  for (uint32_t k = 0; k < c->nrest; k++)
    ww_push(c->arena, &flags, c->rest[k]);
  *out = (ww_source){.path = files[0],
                     .more = files + 1,
                     .nmore = n - 1,
                     .once = true,
                     .lang = o->lang,
                     .no_sdk = o->no_sdk,
                     .flags = flags.v,
                     .nflags = flags.n,
                     .instantiate = o->instantiate.v,
                     .ninstantiate = o->instantiate.n};
  return st;
}

void ww_source_free(ww_source_cache *cache) {
  if (cache->query)
    ww_query_release(cache->query, &cache->read);
  ww_query_free(cache->query);
  *cache = (ww_source_cache){0};
}

static double deadline(const ww_cmd *c) {
  return c->limits.seconds > 0 ? ww_now() + c->limits.seconds : 0;
}

ww_status ww_source_read(ww_cmd *c, const ww_source *s, ww_source_cache *cache) {
  if (!cache->query)
    cache->query = ww_query_new(&(ww_query_options){.sources = true, .units = 1}, &c->err);
  if (!cache->query)
    return c->err.code;
  const char *what = ww_fmt(c->arena, "reading %s", s->path);
  ww_query_release(cache->query, &cache->read);
  ww_limits_begin(c, what);
  ww_status st = ww_query_read(cache->query, s, deadline(c), c->arena, &cache->read, &c->err);
  if (st == WW_ELIMIT && ww_watchdog_over(NULL))
    ww_limits_late(c, what);
  ww_limits_end(c);
  return st;
}

ww_status ww_source_each(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                         ww_launch **out, uint32_t *n) {
  ww_source s;
  ww_status st = ww_source_launches(c, o, out, n);
  if (st || o->launch || o->kernel || !c->noperands)
    return st;
  c->file = (*out)[0].file;
  st = ww_source_of(c, o, (const char **)c->operands, c->noperands, NULL, &s);
  if (!st)
    st = ww_source_read(c, &s, cache);
  if (st)
    return st;
  const ww_module *m = &cache->read.unit->module;
  ww_launch *each = WW_NEWN(c->arena, ww_launch, m->nfns + 1);
  uint32_t kernels = 0;
  for (uint32_t k = 0; k < m->nfns; k++) {
    if (!m->fns[k].kernel)
      continue;
    each[kernels] = (*out)[0];
    each[kernels++].kernel = ww_strdup(c->arena, m->fns[k].mangled);
  }
  if (kernels < 2)
    return WW_OK; /* none: the message of those who look for one says why */
  *out = each;
  *n = kernels;
  return WW_OK;
}

/* ---- the kernel and its launch ---- */

ww_status ww_source_kernel(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                           ww_launch *launch, const ww_fn **fn, ww_assumptions *said) {
  ww_source s;
  c->file = launch->file;
  const char **files = c->noperands ? (const char **)c->operands : &launch->file;
  ww_status st = ww_source_of(c, o, files, c->noperands ? c->noperands : 1, launch, &s);
  if (!st)
    st = ww_source_read(c, &s, cache);
  if (!st)
    st = ww_query_kernel(cache->read.unit, launch->file, launch->kernel, fn, &c->err);
  if (st)
    return st;
  c->kernel = ww_strdup(c->arena, (*fn)->name); /* outlives the cache */
  ww_limits_begin(c, ww_fmt(c->arena, "looking for launches in %s", s.path));
  st = ww_query_launch(cache->query, &s, &cache->read, *fn, 0, c->arena, launch, said, &c->err);
  ww_limits_end(c);
  return st;
}
