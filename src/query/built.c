/* built.c - registers and spills of a kernel as clang's AMD backend has them. */
#include "query.h"

ww_built ww_query_built(const ww_query_unit *u,
                        const ww_fn *fn,
                        const ww_gpu *g,
                        ww_arena *a,
                        ww_assumptions *said) {
  ww_built b = {0};
  ww_err e = {0};
  ww_front_options o;
  if (u->unit->module.dialect != WW_HIP || strcmp(g->vendor, "amd"))
    return b;
  const char *kernel = fn->mangled ? fn->mangled : fn->name;
  if (ww_query_front(&u->source, a, &o, &e) ||
      ww_front_amdgcn(&o, g->architecture, kernel, a, &b, &e))
    ww_push(a, said, (ww_assumption){WW_ASSUME_REGISTERS, ww_strdup(a, e.msg), {0}});
  return b;
}
