/* build_omp.c - the OpenMP part of building an emulated program: the table of its
 * target regions.
 *
 * The names of regions hold the device and inode numbers of their file, so both sides
 * must be built from the very same file: then the names that the host's entry table has
 * are those of the front end. */
#include "emulate_int.h"

/* A captured scalar is 64 bits wide; what it holds shows in how the region unpacks it.
 */
static char letter(const ww_param *p, uint32_t at) {
  if (!at && p->name && !strcmp(p->name, "dyn_ptr"))
    return 's';
  if (p->pointer)
    return 'p';
  if (p->byval || p->type != WW_I64)
    return 'x';
  if (ww_is_float(p->elem))
    return p->elem == WW_F32 ? 'f' : p->elem == WW_F64 ? 'd' : 'x';
  return p->ctype && !strcmp(p->ctype, "int") ? 'i' : 'x';
}

static void add_region(const ww_fn *fn, const ww_omp_bounds *b, ww_buf *out) {
  ww_buf_fmt(out, "{\"%s\", {%u, %lld, %lld}, \"", fn->mangled, b->mode,
             (long long)b->min_threads, (long long)b->max_threads);
  for (uint32_t i = 0; i < fn->nparams; i++)
    ww_buf_fmt(out, "%c", letter(&fn->params[i], i));
  ww_buf_puts(out, "\"},\n");
}

static ww_omp_bounds bounds_of(const ww_unit *u, const char *kernel) {
  for (uint32_t i = 0; i < u->nregions; i++)
    if (!strcmp(u->regions[i].kernel, kernel))
      return u->regions[i].bounds;
  return (ww_omp_bounds){.mode = WW_OMP_SPMD};
}

char *ww_emulate_omp_table(const ww_unit *u, ww_arena *a) {
  ww_buf b = {0};
  ww_buf_puts(
      &b,
      "const struct {\n"
      "  const char *kernel;\n"
      "  struct { unsigned char mode; long long min_threads, max_threads; } bounds;\n"
      "  const char *params;\n"
      "} ww_omp_regions[] = {\n");
  for (uint32_t i = 0; i < u->module.nfns; i++) {
    const ww_fn *fn = &u->module.fns[i];
    if (!fn->kernel || !fn->mangled)
      continue;
    ww_omp_bounds bounds = bounds_of(u, fn->mangled);
    add_region(fn, &bounds, &b);
  }
  ww_buf_puts(&b, "{0}};\n");
  return ww_buf_text(&b, a);
}
