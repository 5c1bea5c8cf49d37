/* missing.c - a kernel that was asked for and that the source as it stands has not.
 *
 * An instance of a template that nothing there instantiates (`tk<float>`, plain or
 * mangled) is instantiated; a kernel that cub, thrust or CUTLASS instantiates is looked
 * for in what nvcc makes of the source, where it is installed. Each costs one more
 * reading, so it is tried only after the name was not found. */
#include <ctype.h>

#include "../cuda/nvcc.h"
#include "../front/scan.h"
#include "query_int.h"

/* Characters of a name expression; what else stands in a name is none. */
static bool is_expression(const char *name) {
  for (const char *c = name; *c; c++)
    if (!isalnum((unsigned char)*c) && !strchr("_<>:, *&()-.", *c))
      return false;
  return true;
}

/* `kern<float, 4>` of it, plain or mangled; NULL: no instance of a template. */
static const char *instance_of(const char *name, ww_arena *a) {
  static const char unnamed[] = "(anonymous namespace)::";
  ww_strings params = {0};
  const char *plain =
      ww_starts(name, "_Z") ? ww_ir_demangle_full(name, a, &params) : name;
  if (!plain)
    return NULL;
  if (ww_starts(plain, unnamed))
    plain += sizeof unnamed - 1;
  return strchr(plain, '<') && is_expression(plain) ? plain : NULL;
}

/* kern<float> of ns::kern<float>: what the unit calls it. */
static const char *without_namespaces(const char *instance) {
  const char *p = instance + strcspn(instance, "< ");
  while (p > instance && p[-1] != ':')
    p--;
  return p;
}

/* It is of one of the text's kernel templates. */
static bool declares(const char *text, const char *instance, ww_arena *a) {
  ww_scan s;
  const char *name = without_namespaces(instance);
  ww_scan_source(text, strlen(text), a, &s);
  return ww_scan_kernel(&s, name, strcspn(name, "< "));
}

/* *r becomes the source read in the other way, if that has the kernel. */
static ww_status read_again(ww_query *w,
                            const ww_source *s,
                            double deadline,
                            ww_arena *a,
                            ww_query_unit *r,
                            const char *name,
                            const ww_fn **fn,
                            ww_err *e) {
  ww_status st = ww_query_read(w, s, deadline, a, r, e);
  return st ? st : ww_kernel_find(r->unit, ww_query_shown(w, s->path), name, fn, e);
}

static ww_source with_instance(const ww_source *s, const char *instance, ww_arena *a) {
  ww_source out = *s;
  ww_strings all = {0};
  ww_strings_add(a, &all, s->instantiate, s->ninstantiate);
  ww_push(a, &all, instance);
  out.instantiate = all.v;
  out.ninstantiate = all.n;
  return out;
}

/* A command's question may take nvcc's seconds, a server's not. */
static bool may_ask_nvcc(const ww_query *w, const ww_query_unit *r, ww_arena *a) {
  const ww_source *s = &r->source;
  return !w && !s->via && !s->nmore && !s->no_sdk &&
         r->unit->module.dialect == WW_CUDA && ww_front_uses_library(r->text, a) &&
         ww_nvcc_find(a);
}

ww_status ww_query_kernel_in(ww_query *w,
                             ww_query_unit *r,
                             double deadline,
                             ww_arena *a,
                             const char *name,
                             const ww_fn **fn,
                             ww_err *e) {
  const ww_source s = r->source;
  ww_dialect dialect = r->unit->module.dialect;
  ww_status st = ww_kernel_find(r->unit, ww_query_shown(w, s.path), name, fn, e);
  if (!st || !name || (dialect != WW_CUDA && dialect != WW_HIP))
    return st;
  const char *instance = instance_of(name, a);
  bool ours = instance && declares(r->text, instance, a);
  bool nvcc = may_ask_nvcc(w, r, a);
  ww_err why = {0};
  if (instance) {
    ww_source more = with_instance(&s, instance, a);
    const char *called = without_namespaces(instance);
    ww_status again = read_again(w, &more, deadline, a, r, called, fn, &why);
    if (again && ours && e)
      *e = why;
    if (!again || ours)
      return again;
  }
  if (nvcc) {
    ww_source other = s;
    other.via = "nvcc";
    if (!read_again(w, &other, deadline, a, r, name, fn, &why))
      return WW_OK;
  }
  return st;
}
