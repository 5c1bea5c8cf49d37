/* cublas.c - cuBLAS for an emulated program. Operations on vectors are done, because
 * solvers take their next step by them; products of matrices are recorded and not done.
 *
 * The shim declares every function as f(...), so arguments are read as they come: the
 * handle, then whole numbers and pointers; scalars are behind pointers. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "library.h"

static int device_results; /* CUBLAS_POINTER_MODE_DEVICE: results lie there, too */

int cublasCreate_v2(void **h) {
  *h = ww_xcalloc(1, 64);
  ww_emu_note("cuBLAS: products of matrices are recorded, not computed");
  return EMU_OK;
}
WW_EMU_SAME(cublasCreate_v2) cublasCreate;
int cublasDestroy_v2(void *h) {
  free(h);
  return EMU_OK;
}
WW_EMU_SAME(cublasDestroy_v2) cublasDestroy;
int cublasSetPointerMode_v2(void *h, int mode) {
  device_results = mode;
  return EMU_OK;
}
WW_EMU_SAME(cublasSetPointerMode_v2) cublasSetPointerMode;
int cublasGetPointerMode_v2(void *h, int *mode) {
  *mode = device_results;
  return EMU_OK;
}
WW_EMU_SAME(cublasGetPointerMode_v2) cublasGetPointerMode;
int cublasGetVersion_v2(void *h, int *version) {
  *version = 120800;
  return EMU_OK;
}
WW_EMU_SAME(cublasGetVersion_v2) cublasGetVersion;
const char *cublasGetStatusString(int status) {
  return status ? "CUBLAS_STATUS_INVALID_VALUE" : "CUBLAS_STATUS_SUCCESS";
}
WW_EMU_SAME(cublasGetStatusString) cublasGetStatusName;

WW_EMU_ZERO cublasSetStream, cublasSetStream_v2, cublasSetMathMode, cublasSetWorkspace,
    cublasSetWorkspace_v2, cublasSetAtomicsMode, cublasInit, cublasShutdown;

/* Columns of `rows` elements each; the matrices are in the same memory here. */
int cublasSetMatrix(int rows, int cols, int bytes, const char *a, int lda, char *b) {
  for (int c = 0; c < cols; c++)
    memmove(b + (size_t)c * lda * bytes, a + (size_t)c * lda * bytes,
            (size_t)rows * bytes);
  return EMU_OK;
}
WW_EMU_SAME(cublasSetMatrix)
cublasGetMatrix, cublasSetMatrixAsync, cublasGetMatrixAsync;
int cublasSetVector(int n, int bytes, const char *x, int incx, char *y, int incy) {
  for (int i = 0; i < n; i++)
    memmove(y + (size_t)i * incy * bytes, x + (size_t)i * incx * bytes, bytes);
  return EMU_OK;
}
WW_EMU_SAME(cublasSetVector)
cublasGetVector, cublasSetVectorAsync, cublasGetVectorAsync;

/* ---- products of matrices ---- */

typedef struct {
  int m, n, k;
} shape;

static shape shape_of(va_list v) { /* behind the handle: two operations, m, n, k */
  va_arg(v, int);
  va_arg(v, int);
  shape s = {.m = va_arg(v, int)};
  s.n = va_arg(v, int);
  s.k = va_arg(v, int);
  return s;
}

static int gemm(const char *function, const char *type, shape s, uint64_t batch) {
  return ww_emu_library(
      function, &(ww_library_call){"cublas", "gemm", type, {s.m, s.n, s.k, batch}});
}

/* Passes over n arguments that are words. */
static void skip(va_list v, int n) {
  while (n-- > 0)
    va_arg(v, void *);
}

#define WITH_ARGUMENTS(expression) \
  va_list v;                       \
  va_start(v, h);                  \
  shape s = shape_of(v);           \
  int rc = expression;             \
  va_end(v);                       \
  return rc

/* alpha, A, lda, B, ldb, beta, C, ldc; with strides behind each ld; then the batch */
static uint64_t last_of(va_list v, int before) {
  skip(v, before);
  return va_arg(v, int);
}
#define GEMM(L, type)                                                                \
  int cublas##L##gemm_v2(void *h, ...) {                                             \
    WITH_ARGUMENTS(gemm("cublas" #L "gemm", type, s, 1));                            \
  }                                                                                  \
  WW_EMU_SAME(cublas##L##gemm_v2) cublas##L##gemm;                                   \
  int cublas##L##gemmBatched(void *h, ...) {                                         \
    WITH_ARGUMENTS(gemm("cublas" #L "gemmBatched", type, s, last_of(v, 8)));         \
  }                                                                                  \
  int cublas##L##gemmStridedBatched(void *h, ...) {                                  \
    WITH_ARGUMENTS(gemm("cublas" #L "gemmStridedBatched", type, s, last_of(v, 11))); \
  }
GEMM(S, "f32")
GEMM(D, "f64")
GEMM(C, "c32")
GEMM(Z, "c64")
GEMM(H, "f16")

/* alpha, A, type of A */
static const char *type_behind(va_list v) {
  skip(v, 2);
  return ww_emu_type_of(va_arg(v, int));
}
int cublasGemmEx(void *h, ...) {
  WITH_ARGUMENTS(gemm("cublasGemmEx", type_behind(v), s, 1));
}
WW_EMU_SAME(cublasGemmEx) cublasSgemmEx;
/* lda, strideA, B, type, ldb, strideB, beta, C, type, ldc, strideC */
int cublasGemmStridedBatchedEx(void *h, ...) {
  const char *type;
  WITH_ARGUMENTS((type = type_behind(v),
                  gemm("cublasGemmStridedBatchedEx", type, s, last_of(v, 11))));
}
/* lda, B, type, ldb, beta, C, type, ldc */
int cublasGemmBatchedEx(void *h, ...) {
  const char *type;
  WITH_ARGUMENTS(
      (type = type_behind(v), gemm("cublasGemmBatchedEx", type, s, last_of(v, 8))));
}

/* ---- a matrix and vectors: (h, operation, m, n, ...), (h, m, n, ...) ---- */

static int two(const char *function, const char *call, const char *type, int m, int n) {
  return ww_emu_library(function, &(ww_library_call){"cublas", call, type, {m, n}});
}
#define MATRIX(L, type)                                                          \
  int cublas##L##gemv_v2(void *h, int operation, int m, int n) {                 \
    return two("cublas" #L "gemv", "gemv", type, m, n);                          \
  }                                                                              \
  WW_EMU_SAME(cublas##L##gemv_v2) cublas##L##gemv;                               \
  int cublas##L##ger_v2(void *h, int m, int n) {                                 \
    return two("cublas" #L "ger", "ger", type, m, n);                            \
  }                                                                              \
  WW_EMU_SAME(cublas##L##ger_v2) cublas##L##ger;                                 \
  int cublas##L##geam(void *h, int a, int b, int m, int n) {                     \
    return two("cublas" #L "geam", "geam", type, m, n);                          \
  }                                                                              \
  int cublas##L##syrk_v2(void *h, int fill, int o, int n, int k) {               \
    return gemm("cublas" #L "syrk", type, (shape){n, n, (k + 1) / 2}, 1);        \
  }                                                                              \
  WW_EMU_SAME(cublas##L##syrk_v2) cublas##L##syrk;                               \
  int cublas##L##trsm_v2(void *h, int side, int u, int o, int d, int m, int n) { \
    int k = (side ? n : m) / 2;                                                  \
    return gemm("cublas" #L "trsm", type, (shape){m, n, k}, 1);                  \
  }                                                                              \
  WW_EMU_SAME(cublas##L##trsm_v2) cublas##L##trsm;
MATRIX(S, "f32")
MATRIX(D, "f64")

/* ---- vectors ---- */

static int told(const char *function, const char *call, const char *type, int n) {
  return ww_emu_library(function, &(ww_library_call){"cublas", call, type, {n}});
}
#define VECTOR(L, l, T, type)                                                   \
  int cublas##L##axpy_v2(void *h, int n, const T *a, const T *x, int dx, T *y,  \
                         int dy) {                                              \
    for (int i = 0; i < n; i++)                                                 \
      y[(size_t)i * dy] += *a * x[(size_t)i * dx];                              \
    return told("cublas" #L "axpy", "axpy", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##axpy_v2) cublas##L##axpy;                              \
  int cublas##L##dot_v2(void *h, int n, const T *x, int dx, const T *y, int dy, \
                        T *to) {                                                \
    double sum = 0;                                                             \
    for (int i = 0; i < n; i++)                                                 \
      sum += (double)x[(size_t)i * dx] * y[(size_t)i * dy];                     \
    *to = (T)sum;                                                               \
    return told("cublas" #L "dot", "dot", type, n);                             \
  }                                                                             \
  WW_EMU_SAME(cublas##L##dot_v2) cublas##L##dot;                                \
  int cublas##L##nrm2_v2(void *h, int n, const T *x, int dx, T *to) {           \
    double sum = 0;                                                             \
    for (int i = 0; i < n; i++)                                                 \
      sum += (double)x[(size_t)i * dx] * x[(size_t)i * dx];                     \
    *to = (T)sqrt(sum);                                                         \
    return told("cublas" #L "nrm2", "nrm2", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##nrm2_v2) cublas##L##nrm2;                              \
  int cublas##L##asum_v2(void *h, int n, const T *x, int dx, T *to) {           \
    double sum = 0;                                                             \
    for (int i = 0; i < n; i++)                                                 \
      sum += fabs((double)x[(size_t)i * dx]);                                   \
    *to = (T)sum;                                                               \
    return told("cublas" #L "asum", "asum", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##asum_v2) cublas##L##asum;                              \
  int cublasI##l##amax_v2(void *h, int n, const T *x, int dx, int *to) {        \
    int at = 0;                                                                 \
    for (int i = 1; i < n; i++)                                                 \
      if (fabs((double)x[(size_t)i * dx]) > fabs((double)x[(size_t)at * dx]))   \
        at = i;                                                                 \
    *to = n > 0 ? at + 1 : 0;                                                   \
    return told("cublasI" #l "amax", "amax", type, n);                          \
  }                                                                             \
  WW_EMU_SAME(cublasI##l##amax_v2) cublasI##l##amax;                            \
  int cublas##L##scal_v2(void *h, int n, const T *a, T *x, int dx) {            \
    for (int i = 0; i < n; i++)                                                 \
      x[(size_t)i * dx] *= *a;                                                  \
    return told("cublas" #L "scal", "scal", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##scal_v2) cublas##L##scal;                              \
  int cublas##L##copy_v2(void *h, int n, const T *x, int dx, T *y, int dy) {    \
    for (int i = 0; i < n; i++)                                                 \
      y[(size_t)i * dy] = x[(size_t)i * dx];                                    \
    return told("cublas" #L "copy", "copy", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##copy_v2) cublas##L##copy;                              \
  int cublas##L##swap_v2(void *h, int n, T *x, int dx, T *y, int dy) {          \
    for (int i = 0; i < n; i++) {                                               \
      T t = x[(size_t)i * dx];                                                  \
      x[(size_t)i * dx] = y[(size_t)i * dy];                                    \
      y[(size_t)i * dy] = t;                                                    \
    }                                                                           \
    return told("cublas" #L "swap", "swap", type, n);                           \
  }                                                                             \
  WW_EMU_SAME(cublas##L##swap_v2) cublas##L##swap;
/* Of any types: recorded, and the result is zero. */
int cublasDotEx(void *h, int n, const void *x, int type, ...) {
  static const uint8_t bytes[] = {
      [0] = 4, [1] = 8, [2] = 2, [4] = 8, [5] = 16, [14] = 2};
  va_list v;
  va_start(v, type);
  skip(v, 4); /* incx, y, its type, incy */
  void *to = va_arg(v, void *);
  unsigned of = va_arg(v, unsigned);
  va_end(v);
  if (of < WW_COUNT(bytes))
    memset(to, 0, bytes[of]);
  return told("cublasDotEx", "dot", ww_emu_type_of(type), n);
}
VECTOR(S, s, float, "f32")
VECTOR(D, d, double, "f64")
