/* fuzz.c - the program that libFuzzer drives: `fuzz TARGET [its options] [folders of
 * inputs]`.
 *
 * One program for all targets: it is linked once, and can be carried to another
 * machine. The name goes on in the environment, because libFuzzer starts itself again
 * for -merge=1 and -fork=N, with the options alone. */
#include "fuzz.h"

#include <sys/random.h>

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed);

/* What libstdc++'s archive asks for and the C library has since 2.36: the program runs
 * on older systems too. */
uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t v = 4;
  if (getrandom(&v, sizeof v, 0) < 0)
    return 4;
  return v;
}

static const fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  char **v = *argv;
  if (*argc > 1 && v[1][0] != '-' && !getenv("WW_FUZZ_TARGET")) {
    setenv("WW_FUZZ_TARGET", v[1], 1);
    v[1] = v[0];
    ++*argv;
    --*argc;
  }
  target = fuzz_target_named(getenv("WW_FUZZ_TARGET"));
  if (!target)
    exit(2);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
  return target->run(data, n);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t max, unsigned seed) {
  return target->mutate(data, n, max, seed);
}
