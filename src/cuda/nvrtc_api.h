/* nvrtc_api.h - NVIDIA's runtime compiler as this project uses it: own declarations,
 * opened at run time. */
#ifndef WW_NVRTC_API_H
#define WW_NVRTC_API_H

#include "../base/base.h"

typedef struct {
  int (*version)(int *major, int *minor);
  int (*create)(void **program,
                const char *text,
                const char *name,
                int n,
                const char *const *texts,
                const char *const *names);
  int (*destroy)(void **program);
  int (*compile)(void *program, int n, const char *const *options);
  int (*cubin_size)(void *program, size_t *n);
  int (*cubin)(void *program, char *to);
  int (*log_size)(void *program, size_t *n);
  int (*log)(void *program, char *to);
  int (*add_name)(void *program, const char *expression);
  const char *(*error)(int rc);
} ww_nvrtc_api;

enum { WW_NVRTC_OK = 0, WW_NVRTC_COMPILATION = 6 };

/* Opens the library once per process. WW_EDEVICE: there is none, or it is too old, with
 * what to do.
 */
ww_status ww_nvrtc_open(const ww_nvrtc_api **out, ww_err *e);

#endif
