/* cuda_toolkit.c - finds the CUDA toolkit's folder and its libraries; used by the
 * program and by the recorder's library. */
#include "cuda_toolkit.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

static const char *const usual[] = {"/usr/local/cuda", "/opt/cuda"};
static const char *const variables[] = {"CUDA_HOME", "CUDA_PATH"};

const char *ww_cuda_root(ww_arena *a, const char *below) {
  const char *roots[] = {getenv(variables[0]), getenv(variables[1]), usual[0],
                         usual[1]};
  for (size_t i = 0; i < WW_COUNT(roots); i++)
    if (roots[i] && *roots[i] && ww_file_exists(ww_path_join(a, roots[i], below)))
      return ww_strdup(a, roots[i]);
  return NULL;
}

static void *open_below(const char *root, const char *name) {
  static const char *const folders[] = {"lib64", "extras/CUPTI/lib64", "lib",
                                        "targets/x86_64-linux/lib",
                                        "targets/sbsa-linux/lib"};
  static const char *const files[] = {"", ".2"}; /* NCCL's may have no other name */
  char path[PATH_MAX];
  void *l = NULL;
  for (size_t i = 0; root && *root && !l && i < WW_COUNT(folders); i++)
    for (size_t v = 0; !l && v < WW_COUNT(files); v++)
      if (snprintf(path, sizeof path, "%s/%s/lib%s.so%s", root, folders[i], name,
                   files[v]) < (int)sizeof path)
        l = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  return l;
}

void *ww_cuda_library(const char *name) {
  /* of the toolkit's libraries; .2 is NCCL's */
  static const char *const versions[] = {".13", ".12", "", ".11.2", ".2"};
  char file[64];
  void *l = NULL;
  for (int i = 0; i < 2 && !l; i++)
    l = open_below(getenv(variables[i]), name);
  for (size_t i = 0; i < WW_COUNT(versions) && !l; i++)
    if (snprintf(file, sizeof file, "lib%s.so%s", name, versions[i]) < (int)sizeof file)
      l = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  for (int i = 0; i < 2 && !l; i++)
    l = open_below(usual[i], name);
  return l;
}
