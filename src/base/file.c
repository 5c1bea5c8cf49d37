/* file.c - whole files, paths, and where our own files live.
 *
 * Files are opened without waiting, and what they are is asked of the descriptor: a
 * pipe, a socket or a device in a folder holds nobody, also one that took a file's
 * place a moment ago. Below a root the kernel resolves the path, so no link leads out
 * of it. What the user names on the command line alone may be a pipe: ww_read_input. */
#include "base.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLAINLY (O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)

/* ---- opening ---- */

bool ww_path_below(const char *path, const char *root) {
  size_t n = strlen(root);
  return !strcmp(root, "/") ||
         (!strncmp(path, root, n) && (path[n] == '/' || !path[n]));
}

/* No `..`, so that a path that does not exist yet cannot lead out of the folder. */
static bool plain(const char *path) {
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, "/");
    if (n == 2 && p[0] == '.' && p[1] == '.')
      return false;
    p += n + (p[n] == '/');
  }
  return *path != 0;
}

ww_status ww_path_inside(const char *root,
                         const char *path,
                         bool exists,
                         ww_arena *a,
                         const char **out,
                         ww_err *e) {
  char real[PATH_MAX];
  const char *full = path[0] == '/' || !root ? path : ww_path_join(a, root, path);
  *out = full;
  if (!root)
    return WW_OK;
  if (strlen(full) >= PATH_MAX || !plain(path) || !ww_path_below(full, root))
    return ww_fail(e, WW_EUSAGE, "'%.200s' is no path below the folder that is served",
                   path);
  /* A link may lead out: the file itself, or for one that is not there the folder it
   * would be in.
   */
  const char *check = exists || ww_file_exists(full) ? full : ww_path_dir(a, full);
  if (!realpath(check, real)) /* nor is its folder: nothing on disk can be meant */
    return exists ? ww_fail(e, WW_EIO,
                            "there is no '%.200s' in the folder that is served", path)
                  : WW_OK;
  if (!ww_path_below(real, root))
    return ww_fail(e, WW_EUSAGE, "'%.200s' is no path below the folder that is served",
                   path);
  if (exists)
    *out = ww_strdup(a, real);
  return WW_OK;
}

/* Where openat2 is missing: the file is pinned first, which neither waits nor touches a
 * device, then opened if it lies below the root. */
static int open_pinned(int folder, const char *root, const char *path) {
  char name[64];
  char real[PATH_MAX];
  char top[PATH_MAX];
  struct stat st;
  int pin = openat(folder, path, O_PATH | O_CLOEXEC);
  int fd = -1;
  int why = errno;
  if (pin < 0)
    return -1;
  snprintf(name, sizeof name, "/proc/self/fd/%d", pin);
  ssize_t n = readlink(name, real, sizeof real - 1);
  real[n > 0 ? n : 0] = 0;
  if (n <= 0 || !realpath(root, top) || fstat(pin, &st)) {
    why = EACCES; /* not to be told where it lies is not to be let in */
  } else if (!ww_path_below(real, top)) {
    why = EXDEV;
  } else {
    fd = open(name, PLAINLY);
    why = errno;
  }
  close(pin);
  errno = why;
  return fd;
}

static int open_below(const char *root, const char *path) {
  struct open_how how = {.flags = PLAINLY,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS};
  int folder = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return -1;
  int fd = syscall(SYS_openat2, folder, path, &how, sizeof how);
  int why = errno;
  /* an old kernel; a container's filter */
  if (fd < 0 && (why == ENOSYS || why == EPERM)) {
    fd = open_pinned(folder, root, path);
    why = errno;
  }
  close(folder);
  errno = why;
  return fd;
}

int ww_open_file(const char *root, const char *path, uint64_t *size, ww_err *e) {
  struct stat st;
  const char *shown = path;
  if (root && path[0] == '/') { /* as it is seen from the root */
    if (!ww_path_below(path, root))
      return ww_fail(e, WW_EUSAGE, "'%.200s' is no path below '%s'", path, root), -1;
    shown = path + (strcmp(root, "/") ? strlen(root) : 0);
    shown += strspn(shown, "/");
  }
  int fd = root ? open_below(root, *shown ? shown : ".") : open(path, PLAINLY);
  if (fd < 0 && root && errno == EXDEV)
    return ww_fail(e, WW_EUSAGE,
                   "'%.200s' is no path below the folder: a link leads out of it",
                   shown),
           -1;
  if (fd < 0 && errno == ENXIO) /* a socket, or a device without a driver */
    return ww_fail(e, WW_EIO, "'%s' is not a regular file", shown), -1;
  if (fd < 0)
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", shown, strerror(errno)), -1;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    close(fd);
    return ww_fail(e, WW_EIO,
                   S_ISDIR(st.st_mode) ? "'%s' is a directory, not a file"
                                       : "'%s' is not a regular file",
                   shown),
           -1;
  }
  *size = st.st_size;
  return fd;
}

/* ---- reading ---- */

static ww_status read_all(int fd, const char *path, size_t max, ww_buf *b, ww_err *e) {
  char chunk[65536];
  for (;;) {
    ssize_t got = read(fd, chunk, sizeof chunk);
    if (got == 0)
      return WW_OK;
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return ww_fail(e, WW_EIO, "cannot read '%s': %s", path, strerror(errno));
    if (b->n + got > max)
      return ww_fail(e, WW_ELIMIT, "'%s' is larger than %zu bytes", path, max);
    ww_buf_add(b, chunk, got);
  }
}

/* Takes the descriptor. */
static ww_status read_whole(ww_arena *a,
                            int fd,
                            const char *path,
                            size_t max,
                            char **data,
                            size_t *n,
                            ww_err *e) {
  ww_buf b = {0};
  ww_status rc = read_all(fd, path, max, &b, e);
  close(fd);
  if (!rc) {
    *data = ww_strndup(a, b.s ? b.s : "", b.n);
    if (n)
      *n = b.n;
  }
  ww_buf_free(&b);
  return rc;
}

ww_status ww_read_below(ww_arena *a,
                        const char *root,
                        const char *path,
                        size_t max,
                        char **data,
                        size_t *n,
                        ww_err *e) {
  uint64_t size;
  ww_err why = {0};
  int fd = ww_open_file(root, path, &size, &why);
  if (fd < 0)
    return ww_fail(e, why.code, "%s", why.msg);
  if (size <= max)
    return read_whole(a, fd, path, max, data, n, e);
  close(fd);
  return ww_fail(e, WW_ELIMIT, "'%s' is larger than %zu bytes", path, max);
}

ww_status ww_read_file(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  return ww_read_below(a, NULL, path, max, data, n, e);
}

ww_status ww_read_input(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
  if (fd < 0)
    return ww_fail(e, WW_EIO, "cannot open '%s': %s", path, strerror(errno));
  if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
    return read_whole(a, fd, path, max, data, n, e);
  close(fd);
  return ww_fail(e, WW_EIO, "'%s' is a directory, not a file", path);
}

/* ---- writing ---- */

bool ww_write_all(int fd, const void *data, size_t n) {
  const char *p = data;
  while (n) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR)
      continue;
    if (done < 0)
      return false;
    p += done;
    n -= done;
  }
  return true;
}

/* A device or a pipe: the name stays what it is, renaming a file over /dev/null would
 * take it away.
 */
static ww_status
write_through(const char *path, const void *data, size_t n, ww_err *e) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  bool ok = fd >= 0 && ww_write_all(fd, data, n);
  int why = errno;
  if (fd >= 0)
    close(fd);
  return ok ? WW_OK : ww_fail(e, WW_EIO, "cannot write '%s': %s", path, strerror(why));
}

ww_status
ww_write_file_atomic(const char *path, const void *data, size_t n, ww_err *e) {
  char temp[PATH_MAX];
  struct stat there;
  if (!stat(path, &there) && !S_ISREG(there.st_mode))
    return write_through(path, data, n, e);
  if (snprintf(temp, sizeof temp, "%s.XXXXXX", path) >= (int)sizeof temp)
    return ww_fail(e, WW_EIO, "cannot write '%s': path too long", path);
  int slot;
  int fd = ww_temp_file(temp, &slot);
  if (fd < 0)
    return ww_fail(e, WW_EIO, "cannot write '%s': %s", path, strerror(errno));
  bool ok = ww_write_all(fd, data, n);
  ok = !close(fd) && ok && !rename(temp, path);
  int why = errno;
  if (!ok)
    unlink(temp);
  ww_cleanup_forget(slot);
  return ok ? WW_OK : ww_fail(e, WW_EIO, "cannot write '%s': %s", path, strerror(why));
}

/* ---- paths ---- */

/* One that the disk fails to show is there: who reads it says what is wrong. */
static bool unseen(void) {
  return errno == EIO || errno == ENOMEM;
}

bool ww_file_exists(const char *path) {
  return !access(path, F_OK) || unseen();
}

bool ww_file_regular(const char *path) {
  struct stat st;
  return !stat(path, &st) ? S_ISREG(st.st_mode) : unseen();
}

const char *ww_path_join(ww_arena *a, const char *dir, const char *name) {
  if (name[0] == '/' || !dir || !*dir || !strcmp(dir, "."))
    return ww_strdup(a, name);
  return ww_fmt(a, "%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
}

const char *ww_path_dir(ww_arena *a, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash)
    return ".";
  return slash == path ? "/" : ww_strndup(a, path, slash - path);
}

const char *ww_path_base(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

bool ww_make_dirs(char *path) {
  for (char *p = path + 1; (p = strchr(p, '/')); p++) {
    *p = 0;
    bool ok = !mkdir(path, 0777) || errno == EEXIST;
    *p = '/';
    if (!ok)
      return false;
  }
  return !mkdir(path, 0777) || errno == EEXIST;
}

const char *ww_cache_dir(ww_arena *a) {
  const char *xdg = getenv("XDG_CACHE_HOME");
  const char *home = getenv("HOME");
  char *dir = xdg && xdg[0] == '/'     ? ww_fmt(a, "%s/warpwise", xdg)
              : home && home[0] == '/' ? ww_fmt(a, "%s/.cache/warpwise", home)
                                       : NULL;
  return dir && ww_make_dirs(dir) && !access(dir, W_OK) ? dir : NULL;
}

const char *ww_self_path(ww_arena *a) {
  char exe[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
  return n > 0 ? ww_strndup(a, exe, n) : "warpwise";
}

/* Of what this code is part of: libwarpwise.so where a program has loaded it, else the
 * program. */
static const char *own_path(ww_arena *a) {
  static const char here;
  Dl_info info;
  struct link_map *object = NULL;
  char path[PATH_MAX];
  bool loaded = dladdr1(&here, &info, (void **)&object, RTLD_DL_LINKMAP) && object &&
                object->l_name[0];
  return loaded && realpath(object->l_name, path) ? ww_strdup(a, path)
                                                  : ww_self_path(a);
}

/* Beside what runs, bin/ or lib/ or lib/<machine>/ of an installed tree; the folder
 * itself or up to two above it (a build's, tests live in build/tests/unit); the prefix.
 */
const char *ww_data_dir(ww_arena *a) {
  static const char *const share[] = {"../share/warpwise", "../../share/warpwise"};
  const char *env = getenv("WARPWISE_DATA");
  if (env && *env)
    return ww_strdup(a, env);
  const char *dir = ww_path_dir(a, own_path(a));
  const char *perhaps = WW_PREFIX "/share/warpwise";
  for (int i = 0; i < 5; i++) {
    const char *here = i < 2 ? ww_fmt(a, "%s/%s", dir, share[i]) : dir;
    if (!access(ww_path_join(a, here, "shim"), F_OK))
      return here;
    if (unseen())
      perhaps = here;
    if (i >= 2)
      dir = ww_path_dir(a, dir);
  }
  return perhaps;
}

const char *ww_path_real(ww_arena *a, const char *path) {
  char real[PATH_MAX];
  return path && realpath(path, real) ? ww_strdup(a, real) : path;
}

const char *ww_path_from_here(const char *path, ww_arena *a) {
  char *here = getcwd(NULL, 0);
  size_t n = here ? strlen(here) : 0;
  const char *out = path;
  if (n > 1 && !strncmp(path, here, n) && path[n] == '/')
    out = ww_strdup(a, path + n + 1);
  free(here);
  return ww_starts(out, "./") ? out + 2 : out;
}

void ww_all_folders(ww_arena *a, ww_strings *out) {
  DIR *d = opendir("/");
  for (struct dirent *f; d && (f = readdir(d));) {
    static const char *const apart[] = {".", "..", "dev", "proc", "sys"};
    bool other = true;
    for (size_t k = 0; k < WW_COUNT(apart); k++)
      other &= strcmp(f->d_name, apart[k]) != 0;
    if (other)
      ww_push(a, out, ww_fmt(a, "/%s", f->d_name));
  }
  if (d)
    closedir(d);
  ww_push(a, out, "/dev/shm");
}
