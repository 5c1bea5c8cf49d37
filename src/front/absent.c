/* absent.c - the front end of a build without LLVM: reads PTX, and says that it reads
 * no source. */
#include "amdgcn.h"
#include "front_int.h"
#include "syntax.h"

/* Nothing here is used. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static ww_status absent(ww_err *e) {
  return ww_fail(
      e, WW_EUNSUPPORTED,
      "this warpwise was built without LLVM and reads no source: give a ready launch "
      "(made by `warpwise "
      "measure --plan` where LLVM is), or build it with LLVM");
}

ww_status
ww_front_load(const ww_front_options *o, ww_arena *a, ww_unit *out, ww_err *e) {
  *out = (ww_unit){0};
  return ww_ptx_given(o)         ? ww_ptx_load(o, a, out, e)
         : o->via == WW_VIA_NVCC ? ww_ptx_by_nvcc(o, a, out, e)
                                 : absent(e);
}

double ww_front_left(double deadline, double otherwise) {
  double left = deadline - ww_now();
  return deadline <= 0 ? otherwise : left > 0.001 ? left : 0.001;
}

ww_status ww_front_host_launches(const ww_front_options *o,
                                 ww_arena *a,
                                 ww_host_launch **out,
                                 uint32_t *n,
                                 ww_err *e) {
  *n = 0;
  return ww_ptx_given(o) ? WW_OK : absent(e);
}

ww_status
ww_syntax_read(const ww_front_options *o, ww_arena *a, ww_syntax *out, ww_err *e) {
  *out = (ww_syntax){0};
  return absent(e);
}

ww_status ww_front_amdgcn(const ww_front_options *o,
                          const char *architecture,
                          const char *kernel,
                          ww_arena *a,
                          ww_built *out,
                          ww_err *e) {
  *out = (ww_built){0};
  return absent(e);
}

void ww_front_precompile(const ww_front_options *o) {}

const char *ww_front_clang(ww_arena *a, int *version, ww_err *e) {
  absent(e);
  return NULL;
}

const char *ww_front_libraries(ww_arena *a) {
  return NULL;
}

void ww_front_link_words(const char *clang, ww_arena *a, ww_strings *v) {}

ww_status ww_front_host_object(const ww_front_options *o,
                               uint32_t which,
                               const char *object,
                               ww_arena *a,
                               ww_err *e) {
  return absent(e);
}

ww_status ww_front_run_clang(const char *const *argv,
                             const char *folder,
                             double timeout_s,
                             ww_run_result *r,
                             ww_err *e) {
  *r = (ww_run_result){0};
  return absent(e);
}

int ww_front_dialect_of(const ww_front_options *o, ww_arena *a) {
  return -1;
}
