/* input.c - files that the user named: a source is looked at before clang does, so that
 * the message is about the file; others may be pipes, /dev/stdin or <(...). */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../cuda/fatbin.h"
#include "input.h"

#define SOURCE_MAX ((uint64_t)64 << 20)

static ww_status check_text(int fd, const char *path, ww_err *e) {
  static const size_t look = 65536;
  char *head = ww_xmalloc(look);
  size_t n = 0;
  for (ssize_t got; n < look && (got = read(fd, head + n, look - n)) > 0;)
    n += got;
  bool empty = n == 0;
  bool binary = memchr(head, 0, n) && !ww_fatbin_given(head, n);
  free(head);
  if (empty)
    return ww_fail(e, WW_EDATA, "'%s' is empty", path);
  if (binary)
    return ww_fail(e, WW_EDATA,
                   "'%s' is a binary file, not source text (UTF-8 is expected)", path);
  return WW_OK;
}

const char *ww_input_file(const char *path, ww_arena *a) {
  struct stat st;
  DIR *d = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? opendir(path) : NULL;
  const char *found = path;
  uint32_t n = 0;
  for (struct dirent *f; d && (f = readdir(d));)
    if (ww_ends(f->d_name, ".ptx") && !n++)
      found = ww_path_join(a, path, f->d_name);
  if (d)
    closedir(d);
  return n == 1 ? found : path;
}

ww_status ww_input_check(const char *path, ww_err *e) {
  struct stat st;
  uint64_t size;
  if (stat(path, &st) != 0)
    return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
  if (S_ISDIR(st.st_mode))
    return ww_fail(e, WW_EIO, "'%s' is a directory; name the files in it", path);
  ww_err why = {0};
  int fd = ww_open_file(NULL, path, &size, &why);
  if (fd < 0)
    return ww_fail(e, why.code, "%s", why.msg);
  ww_status rc =
      size > SOURCE_MAX
          ? ww_fail(e, WW_ELIMIT,
                    "'%s' has %llu MiB; source files of more than 64 MiB are not read",
                    path, (unsigned long long)(size >> 20))
          : check_text(fd, path, e);
  close(fd);
  return rc;
}

ww_status ww_input_packed(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  return ww_file_regular(path) ? ww_read_packed(a, path, max, data, n, e)
                               : ww_read_input(a, path, max, data, n, e);
}

ww_status ww_input_launches(
    ww_arena *a, const char *path, ww_launch **out, uint32_t *n, ww_err *e) {
  char *text;
  size_t bytes;
  ww_status st = ww_read_input(a, path, 1 << 30, &text, &bytes, e);
  return st ? st : ww_launch_read_text(text, bytes, path, a, out, n, e);
}
