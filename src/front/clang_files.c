/* clang_files.c - the files that clang finds: those that lie in memory, the overlay
 * that puts them in place of the disk's, and what it may read of the disk. */
#include "../base/confine.h"
#include "front_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

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

uint32_t ww_memfds(const int **v) {
  *v = memory.v;
  return memory.n;
}

/* ---- the overlay ---- */

void ww_overlay_begin(ww_overlay *o, const ww_clang_job *j, ww_arena *a) {
  ww_json *w = &o->json;
  *o = (ww_overlay){.job = j, .a = a};
  ww_json_begin(w, &o->yaml); /* JSON is YAML */
  ww_json_obj(w);
  ww_json_kint(w, "version", 0);
  ww_json_kstr(w, "case-sensitive", "true");
  ww_json_kstr(w, "use-external-names", "false");
  if (j->nvisible)
    ww_json_kstr(w, "redirecting-with", "redirect-only");
  ww_json_key(w, "roots");
  ww_json_arr(w);
}

const char *ww_overlay_memory(ww_overlay *o, const char *text, size_t n) {
  const char *path = NULL;
  int fd = ww_memfd(text, n, o->a, &path);
  if (fd < 0)
    o->failed = true;
  else
    ww_push(o->a, &o->fds, fd);
  return path;
}

static void
add_entry(ww_overlay *o, const char *type, const char *name, const char *contents) {
  if (!name || !contents)
    return;
  ww_json_obj(&o->json);
  ww_json_kstr(&o->json, "type", type);
  ww_json_kstr(&o->json, "name", name);
  ww_json_kstr(&o->json, "external-contents", contents);
  ww_json_end_obj(&o->json);
}

void ww_overlay_file(ww_overlay *o, const char *path, const char *contents) {
  add_entry(o, "file", path, contents);
}

/* The names of OpenMP's kernels depend on the file's number on disk. One that is not
 * there yet is read as the memory it lies in, which has a number, and behind a #line
 * that keeps its name in all that is said of it. */
const char *
ww_overlay_main(ww_overlay *o, const char *path, const char *text, size_t n) {
  if (o->job->dialect != WW_OPENMP || ww_file_exists(path)) {
    ww_overlay_file(o, path, ww_overlay_memory(o, text, n));
    return NULL;
  }
  ww_buf whole = {0};
  ww_buf_fmt(&whole, "#line 1 \"%s\"\n", path);
  ww_buf_add(&whole, text, n);
  const char *memory_path = ww_overlay_memory(o, whole.s, whole.n);
  ww_buf_free(&whole);
  ww_overlay_file(o, memory_path, memory_path);
  return memory_path;
}

/* Nothing but these folders is there for clang, which reads every file through the
 * overlay. */
static void add_folder(ww_overlay *o, const char *path) {
  add_entry(o, "directory-remap", path, path);
}

/* clang crashes over OpenMP where it is not: there, and empty. */
static void add_cwd(ww_overlay *o) {
  const ww_clang_job *j = o->job;
  char cwd[PATH_MAX];
  if (!getcwd(cwd, sizeof cwd))
    return;
  for (uint32_t i = 0; i < j->nvisible; i++)
    if (!strcmp(cwd, j->visible[i]) ||
        ww_starts(cwd, ww_fmt(o->a, "%s/", j->visible[i])))
      return;
  ww_json_obj(&o->json);
  ww_json_kstr(&o->json, "type", "directory");
  ww_json_kstr(&o->json, "name", cwd);
  ww_json_key(&o->json, "contents");
  ww_json_arr(&o->json);
  ww_json_end_arr(&o->json);
  ww_json_end_obj(&o->json);
}

static void add_visible(ww_overlay *o) {
  ww_arena *a = o->a;
  const char *const folders[] = {
      "/usr/include", "/usr/local/include", "/usr/lib", "/usr/lib64",
      ww_shim_dir(a), WW_SHIM_ALIASES,      NULL};
  const char *cache = ww_front_cache(a);
  const char *home = ww_clang_home(o->job->clang->path, a);
  const char *own = ww_plain_path(ww_path_join(a, home, "../lib"), a);
  for (const char *const *f = folders; *f; f++)
    add_folder(o, *f);
  if (!ww_starts(own, "/usr/"))
    add_folder(o, own);
  add_folder(o, cache ? ww_plain_path(cache, a) : NULL);
  add_folder(o, o->job->sdk);
  for (uint32_t i = 0; i < o->job->nvisible; i++)
    add_folder(o, o->job->visible[i]);
  add_cwd(o);
}

const char *ww_overlay_end(ww_overlay *o, const ww_strings *missing) {
  const char *empty = ww_overlay_memory(o, "", 0);
  ww_overlay_file(o, "/warpwise-missing/.present", empty);
  for (uint32_t i = 0; i < missing->n; i++)
    ww_overlay_file(o, ww_fmt(o->a, "/warpwise-missing/%s", missing->v[i]), empty);
  if (o->job->nvisible)
    add_visible(o);
  ww_json_end_arr(&o->json);
  ww_json_end_obj(&o->json);
  const char *path = ww_overlay_memory(o, o->yaml.s, o->yaml.n);
  ww_buf_free(&o->yaml);
  return o->failed ? NULL : path;
}

void ww_overlay_close(ww_overlay *o) {
  for (uint32_t i = 0; i < o->fds.n; i++)
    ww_memfd_close(o->fds.v[i]);
  o->fds.n = 0;
}

/* ---- what it may read ---- */

void ww_clang_readable(const char *clang,
                       const ww_clang_may *may,
                       ww_arena *a,
                       ww_strings *out) {
  const char *home = ww_clang_home(clang, a);
  const char *cache = ww_front_cache(a);
  if (!may->nvisible) {
    ww_all_folders(a, out);
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
  ww_clang_readable(v.v[0], may, a, &folders);
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
