/* input.c - looks at a source file before clang does, so that the message is about the file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd.h"

#define SOURCE_MAX ((off_t)64 << 20)

static ww_status check_text(int fd, const char *path, ww_err *e) {
  static const size_t look = 65536;
  char *head = ww_xmalloc(look);
  size_t n = 0;
  for (ssize_t got; n < look && (got = read(fd, head + n, look - n)) > 0;) n += (size_t)got;
  bool binary = memchr(head, 0, n) != NULL, empty = n == 0;
  free(head);
  if (empty) return ww_fail(e, WW_EDATA, "'%s' is empty", path);
  if (binary) return ww_fail(e, WW_EDATA, "'%s' is a binary file, not source text (UTF-8 is expected)", path);
  return WW_OK;
}

ww_status ww_input_check(const char *path, ww_err *e) {
  struct stat st;
  if (stat(path, &st) != 0) return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode)) return ww_fail(e, WW_EIO, "'%s' is a directory; name the files in it", path);
  if (!S_ISREG(st.st_mode)) return ww_fail(e, WW_EIO, "'%s' is not a regular file", path);
  if (st.st_size > SOURCE_MAX)
    return ww_fail(e, WW_ELIMIT, "'%s' has %lld MiB; source files of more than 64 MiB are not read", path,
                   (long long)(st.st_size >> 20));
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
  ww_status rc = check_text(fd, path, e);
  close(fd);
  return rc;
}
