/* clang_find.c - which clang is used, and where its files and ours are. */
#include "front_int.h"

#include <errno.h>
#include <limits.h>
#include <llvm/Config/llvm-config.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define OLDEST 17
#define NEWEST 30
#ifdef __aarch64__
#define MULTIARCH "aarch64-linux-gnu"
#define LOADER "ld-linux-aarch64.so.1"
#else
#define MULTIARCH "x86_64-linux-gnu"
#define LOADER "ld-linux-x86-64.so.2"
#endif

static const char *absolute(const char *path, ww_arena *a) {
  char cwd[PATH_MAX];
  return *path == '/' || !getcwd(cwd, sizeof cwd)
             ? ww_strdup(a, path)
             : ww_path_join(a, ww_strdup(a, cwd), path);
}

static const char *search_path(const char *name, ww_arena *a) {
  if (strchr(name, '/'))
    return access(name, X_OK) == 0 ? absolute(name, a) : NULL;
  const char *path = getenv("PATH");
  char real[PATH_MAX];
  for (const char *p = path ? path : "/usr/local/bin:/usr/bin:/bin"; *p;) {
    size_t n = strcspn(p, ":");
    const char *file = ww_fmt(a, "%.*s/%s", (int)n, p, name);
    bool there = n && *file == '/' && access(file, X_OK) == 0;
    if (there && !(realpath(file, real) && !strcmp(ww_path_base(real), "ccache")))
      return file; /* the one behind it */
    p += n + (p[n] == ':');
  }
  return NULL;
}

static const char *file_id(const char *path, ww_arena *a) {
  struct stat st;
  char real[PATH_MAX];
  if (!realpath(path, real) || stat(real, &st))
    return path;
  return ww_fmt(a, "%s %lld.%ld %lld", real, (long long)st.st_mtim.tv_sec,
                st.st_mtim.tv_nsec, (long long)st.st_size);
}

/* "clang version 19.1.7" somewhere in the first line, also behind a vendor's name. 0:
 * not clang. */
static int ask_version(const char *path) {
  ww_run_result r;
  int version = 0;
  const char *const argv[] = {path, "--no-default-config", "--version", NULL};
  if (!ww_clang_run(argv, &(ww_clang_may){0}, 10, &r, NULL) && r.exit_code == 0) {
    const char *at = strstr(r.out.s, "clang version ");
    if (at)
      version = atoi(at + strlen("clang version "));
  }
  ww_run_free(&r);
  return version;
}

static bool accept(const char *name, int version, ww_arena *a, ww_clang *out) {
  const char *path = search_path(name, a);
  if (!path && version)
    path = search_path(ww_fmt(a, "/usr/lib/llvm-%d/bin/clang", version), a);
  if (!path)
    return false;
  if (!version)
    version = ask_version(path);
  if (version < OLDEST)
    return false;
  *out = (ww_clang){.path = path, .id = file_id(path, a), .version = version};
  return true;
}

/* Newest first, but beginning with the version of the LLVM library that will read the
 * bitcode: that pair always fits, a library may refuse what a newer clang writes. */
ww_status ww_clang_find(ww_arena *a, ww_clang *out, ww_err *e) {
  const char *env = getenv("WARPWISE_CLANG");
  if (env && *env) {
    if (accept(env, 0, a, out))
      return WW_OK;
    return ww_fail(e, WW_EUNSUPPORTED, "WARPWISE_CLANG=%s is not clang %d or newer",
                   env, OLDEST);
  }
  /* the one that came with this program, in its bundle */
  const char *own = ww_fmt(a, "%s/../../lib/warpwise/llvm/bin/clang-%d", ww_data_dir(a),
                           LLVM_VERSION_MAJOR);
  if (accept(ww_plain_path(own, a), LLVM_VERSION_MAJOR, a, out))
    return WW_OK;
  for (int v = LLVM_VERSION_MAJOR; v >= OLDEST; v--)
    if (accept(ww_fmt(a, "clang-%d", v), v, a, out))
      return WW_OK;
  for (int v = NEWEST; v > LLVM_VERSION_MAJOR; v--)
    if (accept(ww_fmt(a, "clang-%d", v), v, a, out))
      return WW_OK;
  if (accept("clang", 0, a, out))
    return WW_OK;
  return ww_fail(
      e, WW_EUNSUPPORTED,
      "clang %d or newer is needed: install it (Debian: apt install clang-%d) or set "
      "WARPWISE_CLANG",
      OLDEST, LLVM_VERSION_MAJOR);
}

const char *ww_front_clang(ww_arena *a, int *version, ww_err *e) {
  ww_clang c;
  if (ww_clang_find(a, &c, e))
    return NULL;
  if (version)
    *version = c.version;
  return c.path;
}

/* ---- a clang that brings a C library: sysroot/, glibc/ and shared libraries in its
 * lib/
 * ---- */

static const char *own_libraries(const char *clang, ww_arena *a) {
  const char *lib =
      ww_plain_path(ww_path_join(a, ww_clang_home(clang, a), "../lib"), a);
  return ww_file_exists(ww_path_join(a, lib, "sysroot")) ? lib : NULL;
}

const char *ww_front_libraries(ww_arena *a) {
  ww_err e;
  const char *clang = ww_front_clang(a, NULL, &e);
  return clang ? own_libraries(clang, a) : NULL;
}

/* Headers of other packages come from the system, after all of its own. */
void ww_clang_system_words(const char *clang, ww_arena *a, ww_strings *v) {
  static const char *const others[] = {"/usr/local/include",
                                       ("/usr/include/" MULTIARCH), /* one text */
                                       "/usr/include"};
  const char *lib = own_libraries(clang, a);
  if (!lib)
    return;
  ww_push(a, v, ww_fmt(a, "--sysroot=%s/sysroot", lib));
  for (size_t i = 0; i < WW_COUNT(others); i++)
    WW_ADD(a, v, "-idirafter", others[i]);
}

/* The program starts by the loader of the C library that it was linked with. */
void ww_front_link_words(const char *clang, ww_arena *a, ww_strings *v) {
  const char *lib = own_libraries(clang, a);
  if (!lib)
    return;
  WW_ADD(a, v, ww_fmt(a, "--sysroot=%s/sysroot", lib), "-fuse-ld=lld",
         ww_fmt(a, "-L%s", lib), ww_fmt(a, "-L%s/glibc", lib),
         ww_fmt(a, "-Wl,--dynamic-linker=%s/glibc/" LOADER, lib),
         ww_fmt(a, "-Wl,-rpath,%s/glibc,-rpath,%s", lib, lib));
}

/* ---- places ---- */

const char *ww_shim_dir(ww_arena *a) {
  char real[PATH_MAX];
  const char *dir = ww_path_join(a, ww_data_dir(a), "shim");
  return realpath(dir, real) ? ww_strdup(a, real)
                             : dir; /* build/shim is a link: one path, one cache key */
}

const char *ww_front_cache(ww_arena *a) {
  const char *dir = ww_cache_dir(a);
  if (!dir)
    return NULL;
  dir = ww_path_join(a, dir, "front");
  if (mkdir(dir, 0777) && errno != EEXIST)
    return NULL;
  return access(dir, W_OK) == 0 ? dir : NULL;
}

const char *ww_clang_home(const char *clang, ww_arena *a) {
  char real[PATH_MAX];
  return realpath(clang, real) ? ww_path_dir(a, ww_strdup(a, real))
                               : ww_path_dir(a, clang);
}

const char *ww_plain_path(const char *path, ww_arena *a) {
  char cwd[PATH_MAX] = "/";
  if (path[0] != '/' && !getcwd(cwd, sizeof cwd))
    return path;
  const char *in = path[0] == '/' ? path : ww_fmt(a, "%s/%s", cwd, path);
  char *out = ww_alloc(a, strlen(in) + 2);
  char *o = out;
  while (*in) {
    in += strspn(in, "/");
    size_t n = strcspn(in, "/");
    if (n == 2 && in[0] == '.' && in[1] == '.') {
      while (o > out && *--o != '/') {}
    } else if (n && !(n == 1 && in[0] == '.')) {
      *o++ = '/';
      memcpy(o, in, n);
      o += n;
    }
    in += n;
  }
  *o = 0;
  return out;
}
