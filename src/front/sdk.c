/* sdk.c - where an installed CUDA toolkit is, if there is one. Its headers are a
 * fallback, never a need: see front.c. */
#include "front_int.h"

#include <stdlib.h>
#include <unistd.h>

static bool has_headers(const char *root, ww_arena *a) {
  return root && *root &&
         access(ww_path_join(a, root, "include/cuda_runtime.h"), R_OK) == 0 &&
         access(ww_path_join(a, root, "include/crt/host_defines.h"), R_OK) == 0;
}

const char *ww_sdk_cuda(ww_arena *a) {
  const char *roots[] = {getenv("CUDA_HOME"), getenv("CUDA_PATH"), "/usr/local/cuda",
                         "/opt/cuda"};
  for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
    if (has_headers(roots[i], a))
      return ww_strdup(a, roots[i]);
  return NULL;
}
