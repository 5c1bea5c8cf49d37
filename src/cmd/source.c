/* source.c - finds the kernel and the launch that a command is about.
 *
 * What is said of a launch, weakest first: the host code's own <<<...>>>, the comment in the
 * source, the launch spec, the options. Each is put over the one before. */
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
      return ww_fail(&c->err, WW_EUSAGE, "name a source file, or a launch spec that has one");
  }
  return st;
}

/* ---- loading ---- */

/* A ww_dialect, -1 when not given. */
static ww_status dialect_named(const char *lang, int *out, ww_err *e) {
  *out = -1;
  for (int i = 0; lang && i < WW_NDIALECTS; i++)
    if (strcmp(ww_dialect_names[i], lang) == 0)
      *out = i;
  if (lang && *out < 0)
    return ww_fail(e, WW_EUSAGE, "--lang: expected cuda, opencl, hip or openmp, not '%.40s'", lang);
  return WW_OK;
}

ww_status ww_source_front(ww_cmd *c, const ww_source_options *o, const char **files, uint32_t n,
                          const ww_launch *l, ww_front_options *out) {
  ww_strings flags = {0};
  *out = (ww_front_options){.files = files,
                            .nfiles = n,
                            .no_sdk = o->no_sdk,
                            .instantiate = o->instantiate.v,
                            .ninstantiate = o->instantiate.n};
  ww_status st = dialect_named(o->lang, &out->dialect, &c->err);
  for (uint32_t k = 0; !st && k < n; k++)
    st = ww_input_check(files[k], &c->err);
  if (!st)
    st = ww_compile_flags(files[0], o->database, c->arena, &flags, &c->err);
  for (uint32_t k = 0; l && k < l->nflags; k++)
    ww_push(c->arena, &flags, l->flags[k]);
  for (uint32_t k = 0; k < c->nrest; k++)
    ww_push(c->arena, &flags, c->rest[k]);
  out->flags = flags.v;
  out->nflags = flags.n;
  return st;
}

static const char *key_of(ww_cmd *c, const ww_front_options *f) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < f->nfiles; k++)
    ww_buf_fmt(&b, "%s\n", f->files[k]);
  for (uint32_t k = 0; k < f->nflags; k++)
    ww_buf_fmt(&b, "%s\n", f->flags[k]);
  const char *key = ww_strdup(c->arena, b.s ? b.s : "");
  ww_buf_free(&b);
  return key;
}

void ww_source_free(ww_source_cache *cache) {
  ww_arena_free(cache->arena);
  *cache = (ww_source_cache){0};
}

ww_status ww_source_load(ww_cmd *c, const ww_front_options *f, ww_arena *a, ww_unit *out) {
  const char *what = ww_fmt(c->arena, "reading %s", f->files[0]);
  ww_front_options timed = *f;
  if (c->limits.seconds > 0)
    timed.deadline = ww_now() + c->limits.seconds;
  ww_limits_begin(c, what);
  ww_status st = ww_front_load(&timed, a, out, &c->err);
  if (st == WW_ELIMIT && ww_watchdog_over(NULL))
    ww_limits_late(c, what);
  ww_limits_end(c);
  return st;
}

static ww_status load(ww_cmd *c, const ww_front_options *f, ww_source_cache *cache) {
  const char *key = key_of(c, f);
  if (cache->arena && !strcmp(cache->key, key))
    return WW_OK;
  ww_source_free(cache);
  cache->arena = ww_arena_new();
  cache->key = key;
  ww_status st = ww_source_load(c, f, cache->arena, &cache->unit);
  if (st && c->err.file)
    c->err.file = ww_strdup(c->arena, c->err.file);
  if (st)
    ww_source_free(cache);
  return st;
}

ww_status ww_source_each(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                         ww_launch **out, uint32_t *n) {
  ww_front_options f;
  ww_status st = ww_source_launches(c, o, out, n);
  if (st || o->launch || o->kernel || !c->noperands)
    return st;
  c->file = (*out)[0].file;
  st = ww_source_front(c, o, (const char **)c->operands, c->noperands, NULL, &f);
  if (!st)
    st = load(c, &f, cache);
  if (st)
    return st;
  const ww_module *m = &cache->unit.module;
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

static void host_launches(ww_cmd *c, const ww_front_options *f, ww_source_cache *cache) {
  ww_err ignored;
  if (cache->host_read)
    return;
  cache->host_read = true;
  ww_limits_begin(c, ww_fmt(c->arena, "looking for launches in %s", f->files[0]));
  if (ww_front_host_launches(f, cache->arena, &cache->host, &cache->nhost, &ignored))
    cache->nhost = 0;
  ww_limits_end(c);
}

/* The kernel's `// warpwise:` comment. A file that is there and cannot be read is an error: its
 * launch would be assumed. */
static ww_status read_comment(ww_cmd *c, const char *file, uint32_t line, const char **out) {
  char *text;
  size_t n;
  *out = NULL;
  if (!ww_file_exists(file))
    return WW_OK; /* named by a #line */
  ww_status st = ww_read_file(c->arena, file, SIZE_MAX, &text, &n, &c->err);
  if (!st)
    *out = ww_front_comment_in(text, n, line, c->arena);
  return st;
}

ww_status ww_source_kernel(ww_cmd *c, const ww_source_options *o, ww_source_cache *cache,
                           ww_launch *launch, const ww_fn **fn, ww_assumptions *said) {
  ww_front_options f;
  c->file = launch->file;
  const char **files = c->noperands ? (const char **)c->operands : &launch->file;
  ww_status st = ww_source_front(c, o, files, c->noperands ? c->noperands : 1, launch, &f);
  if (!st)
    st = load(c, &f, cache);
  if (!st)
    st = ww_answer_kernel(&cache->unit, launch->file, launch->kernel, fn, &c->err);
  if (st)
    return st;
  c->kernel = ww_strdup(c->arena, (*fn)->name); /* outlives the cache */
  if (ww_answer_complete(launch, *fn))
    return WW_OK;
  const char *comment;
  if ((st = read_comment(c, (*fn)->file ? (*fn)->file : launch->file, (*fn)->line, &comment)))
    return st;
  bool ask = !comment && !launch->grid[0] && !launch->grid_expr[0];
  if (ask)
    host_launches(c, &f, cache);
  return ww_answer_launch(*fn, comment, cache->host, ask ? cache->nhost : 0, c->arena, launch, said,
                          &c->err);
}
