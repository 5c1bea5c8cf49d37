/* rewrites.h - what tests of rewrites share: the text after an offer. */
#ifndef WW_UNIT_REWRITES_H
#define WW_UNIT_REWRITES_H

#include "../../src/opt/optimize.h"
#include "../../src/query/input.h"

#define GID "blockIdx.x * blockDim.x + threadIdx.x"

static const ww_launch line256 = {.grid = {64, 1, 1}, .block = {256, 1, 1}};
__attribute__((unused)) static const ww_launch tile16 = {.grid = {8, 8, 1},
                                                         .block = {16, 16, 1}};

/* Kernels of OpenCL say so. */
static ww_dialect dialect_of(const char *text) {
  return strstr(text, "__kernel ") ? WW_OPENCL : WW_CUDA;
}

/* Of the text that was asked for last it is known already: libclang takes a fifth of a
 * second. */
static void read_syntax(const char *text, ww_syntax *out) {
  static ww_arena *kept;
  static ww_syntax last;
  if (!kept || strcmp(last.text, text) != 0) {
    ww_arena_free(kept);
    kept = ww_arena_new();
    const char *files[] = {dialect_of(text) == WW_OPENCL ? "k.cl" : "k.cu"};
    const char *texts[] = {ww_strdup(kept, text)};
    ww_front_options o = {
        .files = files, .nfiles = 1, .dialect = dialect_of(text), .texts = texts};
    ww_err e = {0};
    if (ww_syntax_read(&o, kept, &last, &e))
      fail_msg("%s", e.msg);
  }
  *out = last;
}

/* The text after the n-th offer of that kind for the kernel k; NULL: there is none. */
__attribute__((unused)) static const char *
offer(ww_arena *a, const char *text, ww_rewrite_kind kind, int n, const ww_launch *l) {
  ww_syntax syntax;
  ww_rewritten *v;
  ww_err e = {0};
  read_syntax(text, &syntax);
  ww_rewrite_input in = {.syntax = &syntax,
                         .kernel = "k",
                         .line = 1,
                         .dialect = dialect_of(text),
                         .launch = l,
                         .approximate = kind == WW_REWRITE_FAST};
  for (const char *p = text; p < strstr(text, "void k("); p++)
    in.line += *p == '\n';
  uint32_t count = ww_rewrite_all(&in, a, &v, &e);
  for (uint32_t k = 0; k < count; k++)
    if (v[k].kind == kind && !n--) {
      ww_launch now = *l;
      ww_reshape_launch(&v[k].shape, l, a, &now);
      return ww_rewrite_apply(&in, &v[k], &now, a);
    }
  return NULL;
}

#define has(a, text, kind, launch, ...)                              \
  do {                                                               \
    static const char *const wanted_[] = {__VA_ARGS__};              \
    const char *now_ = offer(a, text, WW_REWRITE_##kind, 0, launch); \
    if (!now_)                                                       \
      fail_msg("nothing is offered for %s", text);                   \
    for (size_t w_ = 0; w_ < WW_COUNT(wanted_); w_++)                \
      if (!strstr(now_, wanted_[w_]))                                \
        fail_msg("no \"%s\" in \"%s\"", wanted_[w_], now_);          \
  } while (0)
#define has_none(a, text, kind, launch) \
  assert_null(offer(a, text, WW_REWRITE_##kind, 0, launch))

#endif
