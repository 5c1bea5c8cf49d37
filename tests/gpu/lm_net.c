/* lm_net.c - the checks of learning (tests/lm/net_checks.h) on the GPU, in fp32 and in
 * bf16.
 *
 *   lm_net [--fixtures DIR] [--write DIR] [--cpu]
 *
 * --write DIR: what Warpwise writes of each fixture goes to DIR/NAME, for `fixtures.py
 * --check`.
 * --cpu: the same checks on the CPU. Without a GPU the checks are skipped, which is
 * said. */
#include <stdlib.h>

#include "../lm/net_checks.h"

static int passed, failed;
static void count(bool ok) {
  ok ? passed++ : failed++;
}

static void run(const net_checks *k) {
  static const char *const names[] = {"llama3", "tied", "qwen2", "linear"};
  printf("# %s\n", k->o->name);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    count(check_fixture(k, names[i]));
  count(check_packed_fixture(k));
  count(check_packing(k));
  count(check_accumulation(k));
  count(check_lora(k));
  count(check_not_finite(k));
  count(check_repeat(k));
  count(check_curve(k));
  if (k->o->real != WW_DTYPE_F32)
    return;
  count(check_slopes(k));
  count(check_dropout(k));
  count(check_lora_slopes(k));
  count(check_ops(k->o) == 0);
}

static ww_status on_device(ww_dtype real, net_checks *k, const char *write, ww_err *e) {
  ww_status s = ww_ops_cuda(0, real, &k->o, e);
  if (s != WW_OK)
    return s;
  run(k);
  if (write && real == WW_DTYPE_F32)
    count(write_fixtures(k, write));
  s = k->o->finish(k->o, e);
  if (s != WW_OK)
    count(tell(false, "%s: %s", k->o->name, e->msg));
  k->o->close(k->o);
  return WW_OK;
}

int main(int argc, char **argv) {
  ww_err e = {0};
  const char *write = NULL;
  net_checks k = {.fixtures = "tests/lm/fixtures",
                  .logits = 1e-4,
                  .gradient = 1e-3,
                  .curve = 1e-2,
                  .steps = 200};
  bool cpu = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--fixtures") == 0 && i + 1 < argc)
      k.fixtures = argv[++i];
    else if (strcmp(argv[i], "--write") == 0 && i + 1 < argc)
      write = argv[++i];
    else if (strcmp(argv[i], "--cpu") == 0)
      cpu = true;
    else
      return fprintf(stderr, "usage: lm_net [--fixtures DIR] [--write DIR] [--cpu]\n"),
             2;
  }
  if (cpu) {
    if (ww_ops_cpu(&k.o, &e) != WW_OK)
      return 1;
    run(&k);
    if (write)
      count(write_fixtures(&k, write));
    k.o->close(k.o);
  } else if (on_device(WW_DTYPE_F32, &k, write, &e) != WW_OK) {
    printf("ok - learning on the GPU # SKIP %s\n", e.msg);
  } else {
    k.logits = 2e-2;
    k.gradient = 1e-1;
    if (on_device(WW_DTYPE_BF16, &k, NULL, &e) != WW_OK)
      count(tell(false, "bf16: %s", e.msg));
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
