/* clang_run.c - starts clang, confined: the only place that does.
 *
 * clang works on sources and flags of people we do not know, and is far too large to be
 * trusted with that. It may read files, write what the caller names, and start nothing
 * but itself (the driver), or the linker where a program is linked. It has no network,
 * no environment, and of our descriptors the memory files of the calling thread alone.
 * Devices, and what the kernel shows of others, cannot be read. Where a root is set
 * (serve, mcp) it reads nothing but files that really are below the root, our own
 * headers and the system's: a link that leads elsewhere is not followed.
 *
 * WARPWISE_CLANG may name a script around clang: that is the user's own word, so it may
 * start programs of the system. */
#include "../base/confine.h"
#include "front_int.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* of address space; where a server sets less, that counts */
#define MEMORY ((uint64_t)8 << 30)
/* without using the processor: it waits for a pipe that nobody writes to */
#define IDLE_S 10.0

/* ---- memory files ---- */

/* Those of this thread that are open. Freed when there are none. */
static _Thread_local struct {
  int *v;
  uint32_t n;
} memory;

int ww_memfd(const void *data, size_t n, ww_arena *a, const char **path) {
  int fd = memfd_create("warpwise", MFD_CLOEXEC);
  if (fd < 0)
    return -1;
  if (!ww_write_all(fd, data, n)) {
    close(fd);
    return -1;
  }
  memory.v = ww_xrealloc(memory.v, (memory.n + 1) * sizeof *memory.v);
  memory.v[memory.n++] = fd;
  *path =
      ww_fmt(a, "/proc/self/fd/%d", fd); /* the child has it under the same number */
  return fd;
}

void ww_memfd_close(int fd) {
  for (uint32_t i = 0; i < memory.n; i++)
    if (memory.v[i] == fd)
      memory.v[i--] = memory.v[--memory.n];
  if (!memory.n) {
    free(memory.v);
    memory.v = NULL;
  }
  close(fd);
}

/* ---- what it may read and start ---- */

/* Every folder of the machine but those of devices and of the kernel. */
static void add_all_folders(ww_arena *a, ww_strings *out) {
  DIR *d = opendir("/");
  for (struct dirent *f; d && (f = readdir(d));) {
    static const char *const apart[] = {".", "..", "dev", "proc", "sys", NULL};
    if (!ww_one_of(f->d_name, apart))
      ww_push(a, out, ww_fmt(a, "/%s", f->d_name));
  }
  if (d)
    closedir(d);
  ww_push(a, out, "/dev/shm");
}

const char *ww_clang_home(const char *clang, ww_arena *a) {
  char real[PATH_MAX];
  return realpath(clang, real) ? ww_path_dir(a, ww_strdup(a, real))
                               : ww_path_dir(a, clang);
}

static void
add_readable(const char *clang, const ww_clang_may *may, ww_arena *a, ww_strings *out) {
  const char *home = ww_clang_home(clang, a);
  const char *cache = ww_front_cache(a);
  if (!may->nvisible) {
    add_all_folders(a, out);
  } else {
    for (uint32_t i = 0; i < may->nvisible; i++)
      ww_push(a, out, may->visible[i]);
    ww_push(a, out, ww_shim_dir(a));
    if (cache)
      ww_push(a, out, cache);
    if (may->sdk)
      ww_push(a, out, may->sdk);
    ww_push(a, out, ww_path_join(a, home, "../lib")); /* its own headers */
  }
  ww_push(a, out, NULL);
}

static bool is_script(const char *path) {
  char begin[2] = "";
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t n = fd < 0 ? 0 : read(fd, begin, 2);
  if (fd >= 0)
    close(fd);
  return n == 2 && !memcmp(begin, "#!", 2);
}

static void add_programs(const char *clang,
                         const ww_clang_may *may,
                         bool script,
                         ww_arena *a,
                         ww_strings *out) {
  static const char *const linkers[] = {
      "/usr/bin/ld",           "/usr/bin/ld.bfd",        "/usr/bin/ld.gold",
      "/usr/bin/ld.lld",       "/usr/bin/ld.mold",       "/usr/local/bin/ld",
      "/usr/local/bin/ld.lld", "/usr/local/bin/ld.mold", NULL};
  static const char *const system[] = {"/bin",     "/usr/bin", "/usr/local/bin",
                                       "/usr/lib", "/opt",     NULL};
  ww_push(a, out, clang);
  if (may->starts)
    ww_push(a, out, ww_clang_home(clang, a));
  if (may->starts == WW_STARTS_LINKER)
    ww_strs_add(a, out, linkers);
  if (script)
    ww_strs_add(a, out, system);
  ww_push(a, out, NULL);
}

/* ---- a folder for temporary files ---- */

static const char *make_folder(ww_arena *a, ww_err *e) {
  const char *tmp = getenv("TMPDIR");
  char *dir = ww_fmt(a, "%s/warpwise-XXXXXX", tmp && *tmp == '/' ? tmp : "/tmp");
  if (mkdtemp(dir))
    return dir;
  ww_fail(e, WW_EIO, "cannot make the folder '%s': %s: set TMPDIR", dir,
          strerror(errno));
  return NULL;
}

/* ---- running ---- */

/* What this system cannot enforce is reported once. */
static void report_missing(void) {
  static atomic_flag reported = ATOMIC_FLAG_INIT;
  const char *missing = ww_confine_missing();
  if (missing && !ww_is_quiet() && !atomic_flag_test_and_set(&reported))
    fprintf(stderr,
            "warpwise: note: this kernel cannot confine %s: clang reads sources with "
            "all your "
            "rights here, so read none "
            "that you do not trust\n",
            missing);
}

/* A word that begins so would be taken for the name of a file of further words. */
static ww_status check_words(const char *const *argv, ww_err *e) {
  for (; *argv; argv++)
    if (**argv == '@')
      return ww_fail(e, WW_EUSAGE,
                     "'%.200s' cannot be given to clang: it begins with @", *argv);
  return WW_OK;
}

ww_status ww_clang_run(const char *const *argv,
                       const ww_clang_may *may,
                       double timeout_s,
                       ww_run_result *r,
                       ww_err *e) {
  ww_arena *a = ww_arena_new();
  ww_strings read = {0};
  ww_strings run = {0};
  const char *folder = NULL;
  const char *libraries = getenv("LD_LIBRARY_PATH");
  bool script = is_script(argv[0]);
  *r = (ww_run_result){0};
  ww_status rc = check_words(argv, e);
  if (!rc && may->temporary && !(folder = make_folder(a, e)))
    rc = WW_EIO;
  const char *write[] = {folder ? folder : may->write, folder ? may->write : NULL,
                         NULL};
  report_missing();
  add_readable(argv[0], may, a, &read);
  add_programs(argv[0], may, script, a, &run);
  ww_confine confine = {
      .read = read.v, .write = write, .run = run.v, .processes = may->starts || script};
  ww_run_watch w = {.confine = &confine,
                    .keep = memory.v,
                    .nkeep = memory.n,
                    .idle_s = IDLE_S,
                    .memory = MEMORY};
  if (folder)
    w.env = ww_fmt(a, "TMPDIR=%s", folder);
  else if (may->starts == WW_STARTS_LINKER)
    w.env = "PATH=/usr/local/bin:/usr/bin:/bin";
  else if (libraries && *libraries)
    w.env = ww_fmt(a, "LD_LIBRARY_PATH=%s", libraries);
  if (!rc)
    rc = ww_run_watched(argv, NULL, 0, timeout_s, &w, r, e);
  if (folder)
    ww_remove_tree(folder);
  ww_arena_free(a);
  return rc;
}

/* ---- without Landlock ---- */

/* Blanks in names are escaped. */
void ww_rule_files(const char *rule, ww_arena *a, ww_strings *out) {
  const char *colon = strchr(rule, ':');
  const char *p = colon ? colon + 1 : "";
  while (*p) {
    p += strspn(p, " \n");
    if (*p == '\\' && p[1] == '\n') {
      p += 2;
      continue;
    }
    char *name = ww_alloc(a, strcspn(p, "\n") + 1);
    char *to = name;
    for (; *p && *p != ' ' && *p != '\n'; p++) {
      if (*p == '\\' && p[1] == ' ')
        p++;
      *to++ = *p;
    }
    if (to > name)
      ww_push(a, out, name);
  }
}

static bool is_below(const char *path, const char *dir) {
  char real[PATH_MAX];
  size_t n = realpath(dir, real) ? strlen(real) : 0;
  return n && !strncmp(path, real, n) && (!path[n] || path[n] == '/');
}

static bool is_below_one(const char *path, const char *const *folders) {
  while (*folders && !is_below(path, *folders))
    folders++;
  return *folders;
}

static bool may_read(const char *file, const char *const *folders) {
  static const char *const system[] = {"/usr", "/lib", "/lib64", NULL};
  char real[PATH_MAX];
  /* memory, or not there */
  return ww_starts(file, "/proc/self/fd/") || !realpath(file, real) ||
         is_below_one(real, system) || is_below_one(real, folders);
}

ww_status ww_clang_check_reads(const char *const *argv,
                               const ww_clang_may *may,
                               double timeout_s,
                               ww_arena *a,
                               ww_err *e) {
  const char *missing = may->nvisible ? ww_confine_missing() : NULL;
  const char *list;
  ww_strings v = {0};
  ww_strings folders = {0};
  ww_strings files = {0};
  ww_run_result r;
  char *rule;
  if (!missing || !strstr(missing, "Landlock"))
    return WW_OK;
  if (may->starts)
    return ww_fail(
        e, WW_EUNSUPPORTED,
        "this kernel has no Landlock, and clang's driver is not run without");
  int fd = ww_memfd("", 0, a, &list);
  if (fd < 0)
    return ww_fail(e, WW_EIO, "cannot make an anonymous file: %s", strerror(errno));
  for (; argv[1]; argv++)
    if (!ww_starts(*argv, "-emit-"))
      ww_push(a, &v, *argv); /* it may be asked for one thing only */
  WW_ADD(a, &v, "-Eonly", "-dependency-file", list, "-MT", "x", "-MG",
         "-sys-header-deps");
  ww_push(a, &v, *argv); /* the input */
  ww_push(a, &v, NULL);
  add_readable(v.v[0], may, a, &folders);
  ww_status rc = ww_clang_run(v.v, may, timeout_s, &r, e);
  if (!rc && !ww_read_file(a, list, 16 << 20, &rule, NULL, NULL))
    ww_rule_files(rule, a, &files);
  if (!rc && !files.n)
    rc = ww_fail(e, WW_EDATA, "clang does not say which files it reads");
  for (uint32_t i = 0; !rc && i < files.n; i++)
    if (!may_read(files.v[i], folders.v) ||
        !may_read(ww_plain_path(files.v[i], a), folders.v))
      rc = ww_fail(e, WW_EPARSE, "'%.200s' leads outside of the folder that is served",
                   ww_path_base(files.v[i]));
  ww_run_free(&r);
  ww_memfd_close(fd);
  return rc;
}

ww_status ww_front_run_clang(const char *const *argv,
                             const char *folder,
                             double timeout_s,
                             ww_run_result *r,
                             ww_err *e) {
  return ww_clang_run(argv,
                      &(ww_clang_may){.write = folder, .starts = WW_STARTS_LINKER},
                      timeout_s, r, e);
}
