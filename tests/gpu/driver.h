/* driver.h - the few calls of the CUDA driver that the hardware check needs, opened at
 * run time.
 *
 * Own declarations: nothing of the CUDA toolkit is needed to build. A call that fails
 * says so on stderr. */
#ifndef WW_GPU_DRIVER_H
#define WW_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t gpu_ptr;
typedef struct CUmod_st *gpu_module;
typedef struct CUfunc_st *gpu_kernel;

bool gpu_open(void); /* the first device's primary context; false: no driver or no
                        device, said on stderr */
bool gpu_load(gpu_module *m, const char *cubin);
void gpu_unload(gpu_module m);
bool gpu_find(gpu_kernel *k, gpu_module m, const char *mangled);
bool gpu_symbol(gpu_ptr *p, size_t *bytes, gpu_module m, const char *name);
bool gpu_alloc(gpu_ptr *p, size_t bytes);
void gpu_free(gpu_ptr p);
bool gpu_put(gpu_ptr to, const void *from, size_t bytes);
bool gpu_get(void *to, gpu_ptr from, size_t bytes);
/* One launch, waited for. params[i] points to the value of parameter i. */
bool gpu_launch(gpu_kernel k,
                const uint64_t grid[3],
                const uint64_t block[3],
                uint64_t shared,
                void **params);

#endif
