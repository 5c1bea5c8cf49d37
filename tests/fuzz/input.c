/* input.c - the input of a fuzz target as a text or a file. */
#include "fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

char *fuzz_text(const uint8_t *data, size_t n) {
  char *s = ww_xmalloc(n + 1);
  if (n)
    memcpy(s, data, n);
  s[n] = 0;
  return s;
}

/* ---- files ---- */

static struct {
  char path[256];
  int fd;
} files[32];
static char folder[192];

static void remove_files(void) {
  for (size_t k = 0; k < sizeof files / sizeof *files && files[k].path[0]; k++)
    unlink(files[k].path);
  rmdir(folder);
}

static void give_up(const char *what) {
  fprintf(stderr, "fuzz: %s: %s; $TMPDIR names a folder for files\n", what,
          strerror(errno));
  _exit(2);
}

const char *fuzz_folder(void) {
  if (folder[0])
    return folder;
  const char *tmp = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/ww_fuzz_XXXXXX", tmp && *tmp ? tmp : "/tmp");
  if (!mkdtemp(folder))
    give_up(folder);
  atexit(remove_files);
  return folder;
}

const char *fuzz_file(const char *name, const void *data, size_t n) {
  size_t k = 0, at = strlen(fuzz_folder()) + 1;
  while (k < sizeof files / sizeof *files && files[k].path[0] &&
         strcmp(files[k].path + at, name) != 0)
    k++;
  fuzz_must(k < sizeof files / sizeof *files);
  if (!files[k].path[0] || files[k].fd < 0) {
    snprintf(files[k].path, sizeof files[k].path, "%s/%s", folder, name);
    files[k].fd = open(files[k].path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (files[k].fd < 0)
      give_up(files[k].path);
  }
  if (ftruncate(files[k].fd, 0) || (n && pwrite(files[k].fd, data, n, 0) != (ssize_t)n))
    give_up(files[k].path);
  return files[k].path;
}

void fuzz_remove(const char *name) {
  size_t at = strlen(fuzz_folder()) + 1;
  for (size_t k = 0; k < sizeof files / sizeof *files && files[k].path[0]; k++)
    if (!strcmp(files[k].path + at, name) && files[k].fd >= 0) {
      unlink(files[k].path);
      close(files[k].fd);
      files[k].fd = -1;
    }
}
