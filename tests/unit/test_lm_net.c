/* test_lm_net.c - learning on the CPU: against PyTorch (tests/lm/fixtures), against
 * finite differences, against itself. */
#include "folder.h"

#include <stdlib.h>
#include <unistd.h>

#include "../lm/net_checks.h"

static net_checks checks = {.fixtures = "tests/lm/fixtures",
                            .logits = 1e-4,
                            .gradient = 1e-3,
                            .curve = 1e-2,
                            .steps = 200};

static int setup(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  checks.steps = 20; /* all of them would take minutes there */
#endif
  return ww_ops_cpu(&checks.o, NULL) != WW_OK;
}

static int teardown(void **state) {
  (void)state;
  const uint64_t left = checks.o->memory(checks.o);
  checks.o->close(checks.o);
  return left != 0; /* everything was given back */
}

#define CHECK(name)                       \
  static void name##_test(void **state) { \
    (void)state;                          \
    assert_true(name(&checks));           \
  }
CHECK(check_packed_fixture)
CHECK(check_curve)
CHECK(check_packing)
CHECK(check_accumulation)
CHECK(check_lora)
CHECK(check_not_finite)
CHECK(check_repeat)
CHECK(check_slopes)
CHECK(check_dropout)
CHECK(check_lora_slopes)

static void every_op(void **state) {
  (void)state;
  assert_int_equal(check_ops(checks.o), 0);
}

static void fixtures(void **state) {
  (void)state;
  static const char *const names[] = {"llama3", "tied", "qwen2", "linear"};
  int bad = 0;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    bad += !check_fixture(&checks, names[i]);
  assert_int_equal(bad, 0);
}

/* The path of the GPU: two bytes a value, fp32 masters. The curve is PyTorch's under
 * bf16 autocast.
 */
static void the_same_in_bf16(void **state) {
  (void)state;
  static const char *const names[] = {"llama3", "tied", "qwen2", "linear"};
  net_checks half = checks;
  half.logits = 2e-2;
  half.gradient = 1e-1;
  int bad = half_ops_new(&half.o, NULL) != WW_OK;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    bad += !check_fixture(&half, names[i]);
  bad += !check_packed_fixture(&half) + !check_packing(&half) +
         !check_accumulation(&half) + !check_lora(&half) + !check_not_finite(&half) +
         !check_repeat(&half) + !check_curve(&half);
  assert_int_equal(half.o->memory(half.o), 0);
  half.o->close(half.o);
  assert_int_equal(bad, 0);
}

static void lora_files(void **state) {
  const char *dir = folder_new(*state);
  const bool ok = check_lora_files(&checks, dir);
  folder_drop(dir);
  assert_true(ok);
}

static ww_lm_config tiny(void) {
  return (ww_lm_config){.arch = WW_LM_LLAMA,
                        .vocab = 32,
                        .width = 16,
                        .layers = 1,
                        .heads = 2,
                        .kv_heads = 1,
                        .head_size = 8,
                        .hidden = 16,
                        .context = 64,
                        .norm_eps = 1e-5f,
                        .tied = true,
                        .rope_theta = 10000,
                        .bos = -1};
}

static void bad_batches_are_refused(void **state) {
  (void)state;
  const ww_lm_config c = tiny();
  ww_net *net = NULL;
  ww_err e = {0};
  assert_int_equal(ww_net_new(checks.o, &c, &(ww_net_options){0}, 1, 4, &net, &e),
                   WW_OK);
  int32_t token[4] = {1, 2, 3, 4}, target[4] = {2, 3, 4, -1}, first[4] = {0, 0, 2, 2},
          at = 4;
  ww_lm_batch b = {.B = 1, .T = 4, .token = token, .target = target, .first = first};
  assert_int_equal(ww_net_learn(net, &b, 3, 0, &e), WW_OK);
  token[2] = 32;
  assert_int_equal(ww_net_learn(net, &b, 3, 0, &e), WW_EDATA);
  token[2] = 3;
  target[1] = 99;
  assert_int_equal(ww_net_learn(net, &b, 3, 0, &e), WW_EDATA);
  target[1] = 3;
  first[1] = 2;
  assert_int_equal(ww_net_learn(net, &b, 3, 0, &e), WW_EDATA);
  first[1] = 0;
  b.asked = 1;
  b.ask_at = &at;
  assert_int_equal(ww_net_learn(net, &b, 3, 1, &e), WW_EDATA);
  b.asked = 0;
  b.T = 5;
  assert_int_equal(ww_net_learn(net, &b, 3, 0, &e), WW_EUSAGE);
  ww_net_free(net);
}

static void too_much_memory_is_told(void **state) {
  (void)state;
#ifdef __SANITIZE_ADDRESS__
  skip(); /* its allocator ends the program instead of returning NULL */
#endif
  ww_lm_config c = tiny();
  ww_net *net = NULL;
  ww_err e = {0};
  c.width = 65536;
  c.heads = c.kv_heads = 512;
  c.head_size = 128;
  c.hidden = 262144;
  c.layers = 200;
  assert_int_equal(
      ww_net_new(checks.o, &c, &(ww_net_options){0}, 1 << 14, 1 << 14, &net, &e),
      WW_ELIMIT);
  assert_non_null(strstr(e.msg, "GB"));
  c.heads = c.kv_heads =
      4096; /* the largest there may be: all of it together does not fit 64 bits */
  c.head_size = WW_LM_MAX_HEAD;
  c.hidden = 1 << 20;
  c.layers = 1024;
  assert_int_equal(
      ww_net_new(checks.o, &c, &(ww_net_options){0}, 1 << 15, 1 << 14, &net, &e),
      WW_ELIMIT);
  assert_null(net);
}

/* A batch where nothing has a target leaves no gradient and no loss; init gives a loss
 * of about log(vocab). */
static void init_and_nothing_asked(void **state) {
  (void)state;
  const ww_lm_config c = tiny();
  ww_net *net = NULL;
  ww_err e = {0};
  ww_net_loss loss;
  assert_int_equal(ww_net_new(checks.o, &c, &(ww_net_options){0}, 1, 4, &net, &e),
                   WW_OK);
  ww_net_init(net, 1);
  int32_t token[4] = {1, 2, 3, 4}, target[4] = {-1, -1, -1, -1}, first[4] = {0};
  ww_lm_batch b = {.B = 1, .T = 4, .token = token, .target = target, .first = first};
  assert_int_equal(ww_net_learn(net, &b, 1, 0, &e), WW_OK);
  ww_net_update(net, &(ww_net_update_options){1e-3f, 0.9f, 0.95f, 1e-8f, 0, 1, 1});
  assert_true(ww_net_norm(net) == 0);
  target[1] = 3;
  assert_int_equal(ww_net_forward(net, &b, NULL, NULL, &e), WW_OK);
  assert_int_equal(ww_net_losses(net, &loss, &e), WW_OK);
  assert_int_equal(loss.tokens, 1);
  assert_true(loss.token_loss > 3.3 && loss.token_loss < 3.7); /* log 32 = 3.47 */
  ww_net_free(net);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      TEST(every_op),
      TEST(fixtures),
      TEST(check_packed_fixture_test),
      TEST(check_curve_test),
      TEST(check_packing_test),
      TEST(check_accumulation_test),
      TEST(check_lora_test),
      TEST(lora_files),
      TEST(check_not_finite_test),
      TEST(check_repeat_test),
      TEST(check_slopes_test),
      TEST(check_dropout_test),
      TEST(check_lora_slopes_test),
      TEST(the_same_in_bf16),
      TEST(bad_batches_are_refused),
      TEST(too_much_memory_is_told),
      TEST(init_and_nothing_asked),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}
