/* folder.h - a folder of a test's own. */
#ifndef WW_TEST_FOLDER_H
#define WW_TEST_FOLDER_H

#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>

#include "unit.h"

static inline char *folder_new(ww_arena *a) {
  char *dir = ww_strdup(a, "/tmp/warpwise-unit-XXXXXX");
  assert_non_null(mkdtemp(dir));
  return dir;
}

static inline int
folder_drop_one(const char *path, const struct stat *st, int kind, struct FTW *at) {
  (void)st;
  (void)kind;
  (void)at;
  return remove(path);
}

/* It and all that is in it; need not be there. */
static inline void folder_drop(const char *dir) {
  nftw(dir, folder_drop_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Files in it that are not hidden. */
static inline uint32_t folder_files(const char *dir) {
  uint32_t n = 0;
  DIR *d = opendir(dir);
  assert_non_null(d);
  for (struct dirent *f; (f = readdir(d));)
    n += f->d_name[0] != '.';
  closedir(d);
  return n;
}

#endif
