/* targets.c - the table of fuzz targets. */
#include "fuzz.h"

const fuzz_target fuzz_targets[] = {
#define TARGET(name, mutate, ...) {#name, fuzz_##name, fuzz_##mutate##_mutate},
#include "targets.def"
    {0},
};

const fuzz_target *fuzz_target_named(const char *name) {
  for (const fuzz_target *t = fuzz_targets; name && t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  fprintf(stderr, "fuzz: there is no target '%s'; there are", name ? name : "");
  for (const fuzz_target *t = fuzz_targets; t->name; t++)
    fprintf(stderr, " %s", t->name);
  fprintf(stderr, "\n");
  return NULL;
}
