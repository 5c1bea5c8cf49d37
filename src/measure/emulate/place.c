/* place.c - a working folder for a program that must not write where its sources are.
 *
 * The folder and what lies around it (three levels up) is rebuilt in the scratch folder
 * out of links, so that relative paths lead where they led; small files of the folder
 * itself are copies, because programs like to overwrite last run's output. What a
 * program creates lands in the scratch folder. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "emulate_int.h"

#define LEVELS 3     /* folders above the working folder that are rebuilt */
#define ENTRIES 6000 /* of one folder */
#define DEPTH 2      /* folders below that are rebuilt, not linked */
#define COPY_ONE (4u << 20)
#define COPY_ALL (64u << 20)

typedef struct {
  ww_arena *a;
  uint64_t copied;
  uint32_t made;
} placing;

static bool copy_file(const char *from, const char *to, const struct stat *st) {
  int in = open(from, O_RDONLY | O_CLOEXEC);
  int out = -1;
  if (in >= 0)
    out =
        open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (st->st_mode & 0777) | 0600);
  bool ok = out >= 0;
  for (off_t left = st->st_size; ok && left > 0;) {
    ssize_t n = sendfile(out, in, NULL, left);
    ok = n > 0;
    left -= n;
  }
  if (in >= 0)
    close(in);
  if (out >= 0)
    close(out);
  return ok;
}

static void
put_entry(placing *p, const char *from, const char *to, bool own, int depth);

static void put_entries(placing *p,
                        const char *dir,
                        const char *to,
                        const char *except,
                        bool own,
                        int depth) {
  DIR *d = opendir(dir);
  uint32_t n = 0;
  for (struct dirent *f; d && n < ENTRIES && (f = readdir(d));) {
    if (!strcmp(f->d_name, ".") || !strcmp(f->d_name, "..") ||
        !strcmp(f->d_name, ".git"))
      continue;
    if (except && !strcmp(f->d_name, except))
      continue;
    put_entry(p, ww_path_join(p->a, dir, f->d_name), ww_path_join(p->a, to, f->d_name),
              own, depth);
    n++;
  }
  if (d)
    closedir(d);
}

static void
put_entry(placing *p, const char *from, const char *to, bool own, int depth) {
  struct stat st;
  if (own && !stat(from, &st)) {
    if (S_ISREG(st.st_mode) && st.st_size <= COPY_ONE &&
        p->copied + st.st_size <= COPY_ALL && copy_file(from, to, &st)) {
      p->copied += st.st_size;
      return;
    }
    if (S_ISDIR(st.st_mode) && depth < DEPTH && p->made < 64 && !mkdir(to, 0777)) {
      p->made++;
      put_entries(p, from, to, NULL, true, depth + 1);
      return;
    }
  }
  unlink(to);
  if (symlink(from, to))
    return; /* the program then does not find it, and says so */
}

/* A part of the rebuilt tree that lies inside the scratch folder itself would link to
 * itself: left as links. */
const char *
ww_emulate_place(const char *dir, const char *root, ww_arena *a, ww_err *e) {
  char real[PATH_MAX];
  placing p = {.a = a};
  if (!realpath(dir, real)) {
    ww_fail(e, WW_EIO, "cannot use the working folder '%s': %s", dir, strerror(errno));
    return NULL;
  }
  const char *parts[LEVELS + 1];
  const char *top = real; /* names below `top`, the last first */
  uint32_t n = 0;
  while (n < LEVELS && strcmp(top, "/") && strcmp(ww_path_dir(a, top), "/")) {
    parts[n++] = ww_path_base(top);
    top = ww_path_dir(a, top);
  }
  const char *to = ww_path_join(a, root, "run");
  bool ok = !mkdir(to, 0777);
  for (const char *from = top; ok && n; n--) {
    put_entries(&p, from, to, parts[n - 1], false, 0);
    from = ww_path_join(a, from, parts[n - 1]);
    to = ww_path_join(a, to, parts[n - 1]);
    ok = !mkdir(to, 0777);
  }
  if (!ok) {
    ww_fail(e, WW_EIO, "cannot make the folder '%s': %s", to, strerror(errno));
    return NULL;
  }
  put_entries(&p, real, to, NULL, true, 0);
  return to;
}
