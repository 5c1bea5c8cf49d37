/* evil.c - a shared object that leaves a mark where code of it runs: MARK is the file.
 */
#include <stdio.h>

__attribute__((constructor)) static void run(void) {
  FILE *f = fopen(MARK, "a");
  if (!f)
    return;
  fputs("ran\n", f);
  fclose(f);
}

int onload(void *info) { /* a linker's plugin */
  (void)info;
  run();
  return 0;
}
