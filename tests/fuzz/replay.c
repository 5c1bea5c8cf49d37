/* replay.c - runs inputs through their targets without libFuzzer, in any build: `replay
 * FOLDER` with the inputs of a target in the folder of its name, or `replay FOLDER
 * TARGET`. What is wrong ends it there; else one line, `N passed, 0 failed`. */
#include "fuzz.h"

#include <dirent.h>
#include <unistd.h>

/* Nothing is mutated here, but the mutators are linked. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max) {
  (void)data;
  (void)max;
  return n;
}

static bool replay_file(const fuzz_target *t, const char *path) {
  ww_arena *a = ww_arena_new();
  ww_err e = {0};
  char *bytes;
  size_t n;
  bool ok = !ww_read_file(a, path, 1u << 24, &bytes, &n, &e);
  if (ok) {
    uint8_t *own = ww_xmalloc(n); /* of its very size: a read beyond it is seen */
    memcpy(own, bytes, n);
    fprintf(stderr, "%s\n", path); /* the last one is the one that ended it */
    alarm(20);
    t->run(own, n);
    alarm(0);
    free(own);
  } else
    fprintf(stderr, "%s\n", e.msg);
  ww_arena_free(a);
  return ok;
}

static bool replay_folder(const fuzz_target *t, const char *path, uint32_t *passed) {
  DIR *d = opendir(path);
  bool ok = true;
  char file[1024];
  for (struct dirent *f; d && ok && (f = readdir(d));) {
    if (f->d_name[0] == '.')
      continue;
    snprintf(file, sizeof file, "%s/%s", path, f->d_name);
    ok = replay_file(t, file);
    *passed += ok;
  }
  if (d)
    closedir(d);
  return ok;
}

int main(int argc, char **argv) {
  uint32_t passed = 0;
  bool ok = argc == 2 || argc == 3;
  if (!ok)
    fprintf(stderr, "usage: replay FOLDER [TARGET]\n");
  if (argc == 3) {
    const fuzz_target *t = fuzz_target_named(argv[2]);
    ok = t && replay_folder(t, argv[1], &passed);
  }
  for (const fuzz_target *t = fuzz_targets; argc == 2 && ok && t->name; t++) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", argv[1], t->name);
    ok = replay_folder(t, path, &passed);
  }
  printf("%u passed, %d failed\n", passed, !ok);
  return !ok;
}
