/* The C library headers that nvcc's cuda_runtime.h pulls in, and the device side of printf, malloc,
 * assert and abort. C++ headers stay few: clang's device math overloads join namespace std in <cmath>,
 * <cstdlib> and <limits>; std::min, std::max, std::swap and placement new are there without an include in nvcc too. */
#ifndef WW_LIBC_H
#define WW_LIBC_H
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <limits.h>
#include <float.h>
#include <time.h>
#include <assert.h>
#include <sys/time.h>
#include <sys/types.h> /* uint, ushort, ulong */
#include "ww_attr.h"

/* Before <new>: clang's wrapper of it calls the device malloc and free. */
extern "C" {
__device__ void *malloc(size_t) __attribute__((nothrow, malloc));
__device__ void free(void *) __attribute__((nothrow));
/* clang turns printf(fmt, ...) in device code into vprintf(fmt, &packed_arguments). */
__device__ int vprintf(const char *, const char *);
__device__ int printf(const char *, ...);
__device__ void __assertfail(const char *message, const char *file, unsigned line, const char *function,
                             size_t char_size);
WW_D void __assert_fail(const char *message, const char *file, unsigned line, const char *function) {
  __assertfail(message, file, line, function, sizeof(char));
}
WW_D void abort(void) { __builtin_trap(); }
WW_D void exit(int) { __builtin_trap(); }
}

#include <cmath>
#include <cstdlib>
#include <math.h> /* isfinite ... in the global namespace */
#include <limits>
#include <new>
#include <utility>
#include <bits/stl_algobase.h>

namespace std {
WW_D void free(void *p) { ::free(p); }
WW_D void *malloc(size_t n) { return ::malloc(n); }
}

typedef uint32_t cuuint32_t;
typedef uint64_t cuuint64_t;
#endif
