/* test_lm_cuda.c - training on CUDA, as far as a machine without a GPU can tell: the
 * kernels in the program compile without any other file, and a machine that has no
 * device says so. What they compute is checked by tests/gpu/lm_ops.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "../../src/cuda/cuda_api.h"
#include "../../src/lm/cuda/kernel_text.h"
#include "../../src/lm/cuda/modules.h"

static const struct {
  ww_accel_unit unit;
  const char *bf16, *f32;
} kernels[] = {
#define KERNEL(unit, name) {WW_UNIT_##unit, #name "_bf16", #name "_f32"},
#define FLOATS(unit, name) {WW_UNIT_##unit, #name, #name},
#include "../../src/lm/cuda/kernels.def"
};

/* Two architectures, and the units that take NVRTC least time. */
static void test_nvrtc_compiles(void **state) {
  static const ww_accel_unit units[] = {WW_UNIT_rope, WW_UNIT_reduce, WW_UNIT_rows,
                                        WW_UNIT_adamw};
  static const char *const architectures[] = {"sm_80", "sm_90a"};
  (void)state;
  ww_arena *a = ww_arena_new();
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    char *code;
    size_t n;
    ww_err e = {0};
    ww_status st = ww_accel_compile(units[i], architectures[i % 2], a, &code, &n, &e);
    if (st == WW_EDEVICE) {
      ww_arena_free(a);
      skip();
    }
    if (st)
      fail_msg("%s", e.msg);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++) {
      if (kernels[k].unit != units[i])
        continue;
      assert_non_null(memmem(code, n, kernels[k].bf16, strlen(kernels[k].bf16)));
      assert_non_null(memmem(code, n, kernels[k].f32, strlen(kernels[k].f32)));
    }
  }
  ww_arena_free(a);
}

/* What a unit includes is in the program too. */
static void test_headers_are_there(void **state) {
  (void)state;
  for (int u = 0; u < WW_NUNITS; u++)
    for (const char *at = ww_kernel_units[u].text; (at = strstr(at, "#include "));
         at++) {
      bool known = false;
      for (int h = 0; ww_kernel_headers[h].name; h++)
        known = known || !strncmp(at + 10, ww_kernel_headers[h].name,
                                  strlen(ww_kernel_headers[h].name));
      if (!known)
        fail_msg("%s includes %.40s", ww_kernel_units[u].name, at);
    }
}

static void test_without_device(void **state) {
  const ww_cuda_api *api;
  ww_ops *o;
  ww_err e = {0};
  (void)state;
  if (!ww_cuda_open(&api, NULL))
    skip();
  assert_int_equal(ww_ops_cuda(0, WW_DTYPE_BF16, &o, &e), WW_EDEVICE);
  assert_null(o);
  assert_true(strlen(e.msg) > 0);
}

static void test_wrong_real(void **state) {
  ww_ops *o;
  ww_err e = {0};
  (void)state;
  assert_int_equal(ww_ops_cuda(0, WW_DTYPE_Q8_0, &o, &e), WW_EUSAGE);
  assert_null(o);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_nvrtc_compiles),
      cmocka_unit_test(test_headers_are_there),
      cmocka_unit_test(test_without_device),
      cmocka_unit_test(test_wrong_real),
  };
  return cmocka_run_group_tests_name("lm_cuda", tests, NULL, NULL);
}
