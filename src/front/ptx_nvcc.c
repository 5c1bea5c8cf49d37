/* ptx_nvcc.c - a CUDA source by way of nvcc and its PTX.
 *
 * For what only nvcc gives: kernels that libraries instantiate (cub, thrust, CUTLASS),
 * whose headers are far beyond the stand-ins; its own decisions about unrolling and
 * inlining. It takes seconds where clang takes a tenth of one, so it is asked for, or
 * is tried where clang has lost kernels over a header. */
#include "../cuda/nvcc.h"
#include "ptx_int.h"
#include "front_int.h"

#define NVCC_LIMIT 300.0 /* seconds */

ww_status
ww_front_ptx(const ww_front_options *o, ww_arena *a, char **ptx, size_t *n, ww_err *e) {
  const char *nvcc = ww_nvcc_find(a);
  ww_strings flags = {0};
  ww_strings instances = {0};
  if (!nvcc)
    return ww_fail(
        e, WW_EDEVICE,
        "there is no nvcc: install the CUDA toolkit, or set PATH or CUDA_HOME "
        "to where it is");
  if (o->nfiles != 1)
    return ww_fail(e, WW_EUSAGE, "nvcc is given one file at a time");
  ww_strings_add(a, &flags, o->flags, o->nflags);
  ww_strings_add(a, &flags,
                 (const char *const[]){"--expt-relaxed-constexpr", "--extended-lambda"},
                 2);
  ww_strings_add(a, &instances, o->instantiate, o->ninstantiate);
  ww_nvcc_job j = {.nvcc = nvcc,
                   .form = "-ptx",
                   .file = o->files[0],
                   .text = o->texts ? o->texts[0] : NULL,
                   .flags = &flags,
                   .instances = &instances,
                   .architecture = ww_nvcc_architecture(nvcc, a),
                   .visible = o->visible,
                   .nvisible = o->nvisible,
                   .timeout_s = ww_front_left(o->deadline, NVCC_LIMIT)};
  ww_status st = ww_nvcc_run(&j, a, ptx, n, e);
  if (st == WW_EDATA && e)
    e->code = WW_EPARSE;
  return st == WW_EDATA ? WW_EPARSE : st;
}

ww_status
ww_ptx_by_nvcc(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e) {
  char *text = o->texts ? (char *)o->texts[0] : NULL;
  char *ptx;
  size_t n;
  *out = (ww_unit){0};
  ww_status st = ww_front_ptx(o, a, &ptx, &n, e);
  if (!st)
    st = ww_ptx_read(ptx, n, o->files[0], a, &out->module, e);
  size_t bytes = text ? strlen(text) : 0;
  if (!st && (text || !ww_front_read(o->files[0], a, &text, &bytes, NULL)))
    ww_ptx_take_names(text, bytes, a, &out->module);
  return st;
}

bool ww_includes_library(const ww_scan *s) {
  static const char *const folders[] = {"<cub/",     "<thrust/",   "<cuda/",
                                        "<cutlass/", "\"cutlass/", "<cute/",
                                        "\"cute/",   "<nv/",       NULL};
  for (const char *const *f = folders; *f; f++)
    if (ww_scan_has_directive(s, "include", *f))
      return true;
  return false;
}

bool ww_front_uses_library(const char *text, ww_arena *a) {
  ww_scan s;
  ww_scan_source(text, strlen(text), a, &s);
  return ww_includes_library(&s);
}

uint32_t ww_kernels_that_run(const ww_module *m) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < m->nfns; k++)
    n += m->fns[k].kernel && !m->fns[k].refusal;
  return n;
}
