/* refs.c - host references for tests/kernels, found by name in the table at the end.
 *
 * Each says what the kernel is for, not how it does it: plain loops over the whole problem, sums in double where the
 * .want states a tolerance, fmaf where the kernel asks for a single rounding. Compiled with -ffp-contract=off. */
#include "refs.h"

#include <math.h>
#include <stdlib.h>

#define F32(i) ((float *)(void *)r->arg[i])
#define F64(i) ((double *)(void *)r->arg[i])
#define F16(i) ((_Float16 *)(void *)r->arg[i])
#define I8(i) ((int8_t *)(void *)r->arg[i])
#define U8(i) ((uint8_t *)(void *)r->arg[i])
#define I16(i) ((int16_t *)(void *)r->arg[i])
#define U16(i) ((uint16_t *)(void *)r->arg[i])
#define I32(i) ((int32_t *)(void *)r->arg[i])
#define U32(i) ((uint32_t *)(void *)r->arg[i])
#define I64(i) ((int64_t *)(void *)r->arg[i])
#define U64(i) ((uint64_t *)(void *)r->arg[i])
#define INT(i) ((int)r->launch->args[i].ivalue)
#define FLT(i) ((float)r->launch->args[i].value)
#define EACH(i, n) for (int i = 0; i < (n); i++)

/* Threads of the launch along x, and in all. */
static int threads_x(const ref_state *r) { return (int)(r->launch->grid[0] * r->launch->block[0]); }
static int block_x(const ref_state *r) { return (int)r->launch->block[0]; }

static uint32_t bits_of(float f) {
  uint32_t u;
  memcpy(&u, &f, 4);
  return u;
}
static float float_of(uint32_t u) {
  float f;
  memcpy(&f, &u, 4);
  return f;
}

/* ---- elementwise and access patterns ---- */

static void axpy(float a, const float *x, float *y, int n) { EACH(i, n) y[i] = fmaf(a, x[i], y[i]); }
static void ref_saxpy(ref_state *r) { axpy(FLT(1), F32(2), F32(3), INT(0)); }
static void ref_omp_saxpy(ref_state *r) { axpy(FLT(3), F32(4), F32(2), INT(1)); }

static void ref_stride(ref_state *r) { EACH(i, INT(2)) F32(1)[i] = F32(0)[i * INT(3)] + 1.0f; }
static void ref_hip_stride(ref_state *r) { EACH(i, threads_x(r)) F32(1)[i] = F32(0)[i * INT(2)]; }
static void ref_copy_offset(ref_state *r) { EACH(i, INT(2)) F32(1)[i] = F32(0)[i + INT(3)]; }
static void ref_reverse(ref_state *r) { EACH(i, INT(2)) I32(1)[i] = I32(0)[INT(2) - 1 - i]; }
static void ref_broadcast(ref_state *r) { EACH(i, 1024) F32(2)[i] = F32(0)[i] * F32(1)[i / 128]; }
static void ref_gather_perm(ref_state *r) { EACH(i, INT(3)) F32(2)[i] = F32(1)[I32(0)[i]]; }
static void ref_scatter_perm(ref_state *r) { EACH(i, INT(3)) F32(2)[I32(0)[i]] = F32(1)[i]; }
static void ref_scatter_affine(ref_state *r) { EACH(i, 1024) I32(1)[i * 37 % 1024] = I32(0)[i]; }
static void ref_float4_scale(ref_state *r) { EACH(i, 4 * INT(2)) F32(0)[i] *= FLT(1); }
static void ref_double2_axpy(ref_state *r) {
  EACH(i, 2 * INT(3)) F64(2)[i] = fma(r->launch->args[0].value, F64(1)[i], F64(2)[i]);
}
static void ref_int4_sum(ref_state *r) {
  EACH(i, 256) EACH(k, 4) I32(1)[i] += I32(0)[4 * i + k];
}
static void ref_uchar4_luma(ref_state *r) {
  EACH(i, INT(2)) {
    const uint8_t *p = U8(0) + 4 * i;
    U8(1)[i] = (uint8_t)((77 * p[0] + 150 * p[1] + 29 * p[2]) * p[3] >> 16);
  }
}
static void ref_wide_cast(ref_state *r) {
  EACH(b, 2) EACH(t, 128) memcpy(U8(1) + 16 * (b * 128 + t), U8(0) + 16 * (b * 128 + 127 - t), 16);
}
static void ref_register_row(ref_state *r) {
  EACH(d, 64) EACH(t, 32) {
    float x = F32(0)[d * 32 + t];
    EACH(j, 4) x = fmaf(x, F32(1)[j * 64 + d], 1.0f);
    F32(2)[d * 32 + t] = x;
  }
}
static float norm2(double x, double y, double z) { return (float)(x * x + y * y + z * z); }
static void ref_aos3(ref_state *r) {
  EACH(i, 512) F32(1)[i] = norm2(F32(0)[3 * i], F32(0)[3 * i + 1], F32(0)[3 * i + 2]);
}
static void ref_soa3(ref_state *r) { EACH(i, 512) F32(3)[i] = norm2(F32(0)[i], F32(1)[i], F32(2)[i]); }

static void ref_transpose(ref_state *r) {
  int w = INT(2), h = INT(3);
  EACH(y, h) EACH(x, w) F32(1)[x * h + y] = F32(0)[y * w + x];
}

static void matmul(const float *A, const float *B, float *C, int M, int N, int K) {
  EACH(i, M) EACH(j, N) {
    double sum = 0;
    EACH(k, K) sum += (double)A[i * K + k] * B[k * N + j];
    C[i * N + j] = (float)sum;
  }
}
static void ref_matmul_naive(ref_state *r) { matmul(F32(0), F32(1), F32(2), INT(3), INT(4), INT(5)); }
static void ref_matmul_tiled(ref_state *r) { matmul(F32(0), F32(1), F32(2), 32, INT(3), INT(4)); }
static void ref_omp_matmul(ref_state *r) { matmul(F32(4), F32(5), F32(6), INT(1), INT(2), INT(3)); }

/* ---- reductions, scans, histograms ---- */

/* Sums of pieces of x, each `width` elements; exact because the contents are small integers. */
static void sum_pieces(const float *x, float *out, int n, int width) { EACH(i, n) out[i / width] += x[i]; }
static void ref_reduce_blocks(ref_state *r) { sum_pieces(F32(0), F32(1), INT(2), block_x(r)); }
static void ref_reduce_waves(ref_state *r) { sum_pieces(F32(0), F32(1), INT(2), 64); }
static void ref_reduce_atomic(ref_state *r) { sum_pieces(F32(0), F32(1), INT(2), INT(2)); }
static void ref_scan_block(ref_state *r) {
  EACH(i, INT(2)) I32(1)[i] = I32(0)[i] + (i % 128 ? I32(1)[i - 1] : 0);
}
static void ref_histogram(ref_state *r) { EACH(i, INT(2)) I32(1)[I32(0)[i] & 15]++; }
static void ref_omp_histogram(ref_state *r) { EACH(i, INT(1)) I32(2)[I32(3)[i] & 15]++; }
static void ref_cg_tile(ref_state *r) { EACH(i, 128) I32(1)[i / 16] += I32(0)[i]; }
static void ref_omp_reduction(ref_state *r) { EACH(i, INT(1)) F64(2)[0] += F64(3)[i] * F64(4)[i]; }
static void ref_cas_loop(ref_state *r) { EACH(i, INT(2)) F64(1)[0] += F64(0)[i]; }

/* ---- blocks, warps and lanes that wait for each other ---- */

/* Sums, and one word a block of `each` with the flag that its sum is complete. */
static void scanned(const int32_t *in, int32_t *out, uint64_t *status, int blocks, int each) {
  uint32_t sum = 0;
  EACH(i, blocks * each) {
    sum += (uint32_t)in[i];
    out[i] = (int32_t)sum;
    status[i / each] = 2ull << 32 | sum;
  }
}
static void ref_lookback_scan(ref_state *r) { scanned(I32(0), I32(1), U64(2), (int)r->launch->grid[0], 128); }
static void ref_lookback_warp(ref_state *r) {
  scanned(I32(0), I32(1), U64(2), (int)r->launch->grid[0], 32);
  I32(3)[0] = (int)r->launch->grid[0];
}
static void ref_work_queue(ref_state *r) {
  EACH(i, 64 * INT(3)) I32(1)[i] = I32(0)[i] * 3 + i / 64;
  I32(2)[0] = INT(3) + (int)r->launch->grid[0]; /* and a draw in vain for each block */
}
static void ref_grid_barrier(ref_state *r) {
  int n = threads_x(r);
  EACH(s, INT(3)) {
    const int32_t *from = I32(s & 1);
    EACH(i, n) I32(1 - (s & 1))[i] = from[i] + from[(i + 33) % n];
  }
  U32(2)[0] = (uint32_t)INT(3) * (uint32_t)r->launch->grid[0];
}
static void ref_grid_sense(ref_state *r) {
  int n = threads_x(r);
  EACH(s, INT(1)) {
    int32_t *was = malloc((size_t)n * sizeof *was);
    memcpy(was, I32(0), (size_t)n * sizeof *was);
    EACH(i, n) I32(0)[i] = was[i] + was[(i + 33) % n];
    free(was);
  }
}
static void ref_bucket_locks(ref_state *r) {
  EACH(i, threads_x(r)) {
    I32(2)[I32(0)[i] & 7]++;
    I32(3)[I32(0)[i] & 7] += i;
  }
}
static void ref_warp_lock(ref_state *r) {
  I32(1)[0] = threads_x(r);
  EACH(w, threads_x(r) / 32) {
    I32(2)[2 * w] = 31 * 16;
    I32(2)[2 * w + 1] = -1;
  }
}
static void ref_flag_chain(ref_state *r) {
  int blocks = (int)r->launch->grid[0], sum = 0;
  for (int b = blocks - 1; b >= 0; b--) {
    I32(1)[b] = sum += I32(0)[b] * 5;
    I32(2)[b] = 1;
  }
}

/* ---- stencils, n-body, softmax, sparse ---- */

static void taps(const float *in, float *out, const float *w, int nw, int n) {
  EACH(i, n) {
    double sum = 0;
    EACH(k, nw) sum += (double)w[k] * in[i + k];
    out[i] = (float)sum;
  }
}
static void ref_stencil1d(ref_state *r) { taps(F32(0), F32(1), (const float *)(void *)r->symbol[0], 5, INT(2)); }
static void ref_cl_stencil(ref_state *r) { taps(F32(0), F32(1), F32(2), 3, INT(3)); }

static void ref_stencil2d(ref_state *r) {
  int w = INT(2), h = INT(3);
  for (int y = 1; y < h - 1; y++)
    for (int x = 1; x < w - 1; x++) {
      const float *c = F32(0) + y * w + x;
      F32(1)[y * w + x] = 0.25f * (c[-1] + c[1] + c[-w] + c[w]);
    }
}

static void ref_stencil3d(ref_state *r) {
  int nx = INT(2), ny = INT(3), nz = INT(4);
  for (int z = 1; z < nz - 1; z++)
    for (int y = 1; y < ny - 1; y++)
      for (int x = 1; x < nx - 1; x++) {
        int i = (z * ny + y) * nx + x, layer = nx * ny;
        const float *c = F32(0) + i;
        F32(1)[i] = c[-1] + c[1] + c[-nx] + c[nx] + c[-layer] + c[layer] - 6.0f * c[0];
      }
}

static void ref_nbody_tile(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    const float *me = F32(0) + 4 * i;
    double acc[3] = {0};
    EACH(j, n) {
      const float *p = F32(0) + 4 * j;
      double d[3], r2 = (double)0.01f;
      EACH(k, 3) d[k] = (double)p[k] - me[k], r2 += d[k] * d[k];
      EACH(k, 3) acc[k] += d[k] * p[3] / (r2 * sqrt(r2));
    }
    EACH(k, 3) F32(1)[4 * i + k] = (float)acc[k];
    F32(1)[4 * i + 3] = me[3];
  }
}

static void ref_softmax_row(ref_state *r) {
  int cols = INT(3);
  EACH(row, INT(2)) {
    const float *x = F32(0) + row * cols;
    double sum = 0;
    EACH(c, cols) sum += exp(x[c]);
    EACH(c, cols) F32(1)[row * cols + c] = (float)(exp(x[c]) / sum);
  }
}

static void ref_spmv_csr(ref_state *r) {
  EACH(row, INT(5)) {
    float sum = 0.0f;
    for (int j = I32(0)[row]; j < I32(0)[row + 1]; j++) sum = fmaf(F32(2)[j], F32(3)[I32(1)[j]], sum);
    F32(4)[row] = sum;
  }
}

static void ref_omp_stencil(ref_state *r) {
  for (int i = 1; i < INT(1) - 1; i++) F32(2)[i] = 0.25f * (F32(3)[i - 1] + F32(3)[i + 1]) + 0.5f * F32(3)[i];
}

/* ---- control flow ---- */

static void ref_switch_lane(ref_state *r) {
  EACH(i, 512) {
    int x = I32(0)[i];
    if (i % 4 == 0) F32(1)[i] = (float)x * 2.5f;
    if (i % 4 == 1) I16(2)[i] = (int16_t)(x + 7);
    if (i % 4 == 2) F64(3)[i] = x;
    if (i % 4 == 3) I8(4)[i] = (int8_t)(x ^ 5);
  }
}
static void ref_parity_branch(ref_state *r) {
  for (int i = 0; i < INT(2); i += 2) F32(1)[i] = F32(0)[i] * 3.0f + 1.0f;
}
static void ref_triangular(ref_state *r) {
  EACH(t, 256) EACH(a, t % 8) EACH(b, a + 1) F32(1)[t] = fmaf(F32(1)[t], 0.5f, F32(0)[b]);
}
static void ref_early_return(ref_state *r) {
  EACH(i, INT(2)) if (i % 3) F32(1)[i] = sqrtf(F32(0)[i]);
}
static void ref_collatz(ref_state *r) {
  EACH(i, INT(1)) for (uint32_t v = (uint32_t)i + 1; v != 1; v = v % 2 ? 3 * v + 1 : v / 2) I32(0)[i]++;
}
static void ref_recursion(ref_state *r) {
  static const int fib[] = {0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55};
  EACH(i, 64) I32(0)[i] = fib[i % 11], I32(1)[i] = 2 * (i % 5) + 3; /* A(2, n) = 2n + 3 */
}
static void ref_fnptr(ref_state *r) {
  EACH(i, 192) {
    float x = F32(0)[i];
    F32(1)[i] = i % 3 == 0 ? x + 1.25f : i % 3 == 1 ? x * 1.25f : fmaf(x, 1.25f, 1.25f);
  }
}
static void ref_virtual_call(ref_state *r) {
  EACH(i, 128) F32(1)[i] = F32(0)[i] * F32(0)[i] * (i % 2 ? 3.0f : 1.0f);
}
static void ref_local_array(ref_state *r) {
  EACH(i, 128) {
    int where[16], sum = 0; /* where[k]: the step that wrote slot k */
    EACH(k, 16) where[(I32(0)[k] + i) % 16] = k;
    EACH(k, 5) sum = sum * 7 + where[(i * 5 + k * k) % 16] * 3 + i;
    I32(1)[i] = sum;
  }
}

/* ---- integers ---- */

static void ref_divmod(ref_state *r) {
  EACH(i, 512) {
    int n = (I32(0)[i] - 256) * 7919, d = i % 13 - 6;
    if (d == 0) d = 17;
    I32(1)[i] = n / d;
    I32(2)[i] = n % d;
    U32(3)[i] = (uint32_t)n / (uint32_t)(i + 1);
    I64(4)[i] = n * 1000003LL / (d * 11LL) + n * 999983LL % 1234567LL;
    I32(5)[i] = n / 7 - n % 7;
    I32(6)[i] = n / 16 + n % 16;
  }
}
static void ref_mulhi(ref_state *r) {
  EACH(i, 256) {
    uint64_t a = U64(0)[i] * 0x9E3779B97F4A7C15ull, b = ~a ^ 0x123456789ABCDEFull;
    U64(1)[i] = (uint64_t)(((unsigned __int128)a * b) >> 64);
    I64(2)[i] = (int64_t)(((__int128)(int64_t)a * (int64_t)b) >> 64);
    U32(3)[i] = (uint32_t)((uint64_t)(uint32_t)a * (b >> 32) >> 32);
    I32(4)[i] = (int32_t)((int64_t)(int32_t)a * (int32_t)(b >> 32) >> 32);
  }
}

static uint64_t reversed(uint64_t v, int width) {
  uint64_t out = 0;
  EACH(b, width) out |= (v >> b & 1) << (width - 1 - b);
  return out;
}
static int lead(uint64_t v, int width) { /* zeros above the top bit */
  int n = 0;
  while (n < width && !(v >> (width - 1 - n) & 1)) n++;
  return n;
}
static int first_set(uint64_t v) { /* 1 for bit 0; 0 for none */
  EACH(b, 64) if (v >> b & 1) return b + 1;
  return 0;
}
static int ones(uint64_t v) {
  int n = 0;
  EACH(b, 64) n += (int)(v >> b & 1);
  return n;
}
static void ref_bits(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    uint32_t x = U32(0)[i], a = x * 2654435761u, sel = 0x3715;
    uint64_t b = (uint64_t)a * a + x, pair = (uint64_t)~a << 32 | a;
    int32_t *out = I32(1) + i;
    out[0 * n] = ones(a);
    out[1 * n] = lead(a >> (i % 32), 32);
    out[2 * n] = (int32_t)reversed(a, 32);
    out[3 * n] = first_set((uint32_t)(a << (i % 32)));
    out[4 * n] = ones(b);
    out[5 * n] = lead(b >> (i % 64), 64);
    out[6 * n] = first_set(b << (i % 64));
    out[7 * n] = (int32_t)(reversed(b, 64) >> 13);
    uint32_t perm = 0;
    EACH(k, 4) perm |= (uint32_t)(pair >> (8 * (sel >> (4 * k) & 7)) & 255) << (8 * k);
    out[8 * n] = (int32_t)perm;
    out[9 * n] = (int32_t)(uint32_t)((((uint64_t)x << 32 | a) << (i % 32)) >> 32);
    out[10 * n] = (int32_t)(uint32_t)(((uint64_t)~x << 32 | a) >> (i % 32));
  }
}
static int32_t nth_bit(uint32_t mask, int at, int n) {
  int step = n < 0 ? -1 : 1, left = n ? abs(n) - 1 : 0;
  for (; at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && left-- == 0)
      return at;
    else if (n == 0)
      return -1;
  return -1;
}
static void ref_nth_bit(ref_state *r) {
  EACH(i, 256) I32(1)[i] = nth_bit(U32(0)[i] * 2654435761u, i % 32, i / 4 % 13 - 6);
}
static void ref_int_wrap(ref_state *r) {
  EACH(i, 256) {
    uint32_t v = U32(0)[i] * 0x85ebca6bu + 0xc2b2ae35u, w = v;
    EACH(k, 5) w = w * 1664525u + 1013904223u;
    U32(1)[i] = w - v;
    I32(2)[i] = (int32_t)(v * v - (w >> 1));
    U64(3)[i] = (uint64_t)v * w * 0xff51afd7ed558ccdull;
  }
}
static void ref_shifts(ref_state *r) {
  EACH(i, 256) {
    int v = (I32(0)[i] - 100) * 40503, s = i % 32;
    I32(1)[i] = v >> s;
    U32(2)[i] = (uint32_t)v >> s;
    I32(3)[i] = (int32_t)((uint32_t)v << s);
    I64(4)[i] = ((int64_t)v * 131072) >> (i % 64);
  }
}
static void ref_char_short(ref_state *r) {
  EACH(i, INT(6)) {
    int x = I8(0)[i], y = I16(1)[i];
    I8(2)[i] = (int8_t)(x * 3 + y);
    U8(3)[i] = (uint8_t)(x - y);
    I16(4)[i] = (int16_t)(y * y * 5 - x);
    U16(5)[i] = (uint16_t)((x * 16) ^ (y >> 2));
  }
}

/* ---- floating point ---- */

static void ref_half2_fma(ref_state *r) {
  EACH(i, 400) {
    _Float16 x = F16(0)[i], y = F16(1)[i], yy = (_Float16)((double)y * y), t = (_Float16)((double)x + yy);
    F16(2)[i] = (_Float16)((double)x * y + t);
  }
}
static void ref_half_scalar(ref_state *r) {
  EACH(i, 256) F16(1)[i] = (_Float16)((double)F16(0)[i] * F16(0)[i]), F32(2)[i] = (float)F16(0)[i] * 0.5f;
}
static uint16_t to_bf16(double v) { /* exact in f32 here: 8-bit mantissas give 16-bit products */
  uint32_t u = bits_of((float)v);
  return (uint16_t)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
static double of_bf16(uint16_t b) { return (double)float_of((uint32_t)b << 16); }
static void ref_bf16_fma(ref_state *r) {
  EACH(i, 256) {
    double a = of_bf16(U16(0)[i]), b = of_bf16(U16(1)[i]);
    U16(2)[i] = to_bf16(a * b + b);
  }
}
static void ref_poly_f64(ref_state *r) {
  static const double c[] = {1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0};
  EACH(i, INT(2)) {
    double v = F64(0)[i], p = 1.0 / 720.0;
    EACH(k, 6) p = fma(p, v, c[k]);
    F64(1)[i] = p / (v + 2.0);
  }
}

static double of_pow_self(double x) { return pow(x, x); }
static double of_atan2(double x) { return atan2(x, (double)0.7f); }
static double of_rsqrt(double x) { return 1.0 / sqrt(x); }
static double of_fmod(double x) { return fmod(x, (double)0.3f); }
static double of_hypot(double x) { return hypot(x, (double)0.4f); }
static double of_pow13(double x) { return pow(x, 1.3); }
static double of_pow17(double x) { return pow(x, (double)1.7f); }
static double of_lgamma3(double x) { return lgamma(x + 3.0); }
typedef double (*fn1)(double);

static void rows_f32(const float *x, float *out, int n, const fn1 *f, int nf) {
  EACH(k, nf) EACH(i, n) out[k * n + i] = (float)f[k](x[i]);
}
static void ref_math_f32(ref_state *r) {
  static const fn1 f[] = {sin, cos,  exp,  log,     of_pow_self, erf,     tanh, of_atan2,
                          cbrt, exp2, log2, of_rsqrt, of_fmod,    of_hypot, sqrt};
  rows_f32(F32(0), F32(1), INT(2), f, 15);
}
static void ref_cl_math(ref_state *r) {
  static const fn1 f[] = {exp, log, sin, cos, of_pow17, sqrt, of_rsqrt, erf};
  rows_f32(F32(0), F32(1), INT(2), f, 8);
}
static void ref_math_f64(ref_state *r) {
  static const fn1 f[] = {sin, exp, log, of_pow13, sqrt, erf, tgamma, of_lgamma3, cbrt, log1p, expm1, atan};
  EACH(k, 12) EACH(i, INT(2)) F64(1)[k * INT(2) + i] = f[k](F64(0)[i]);
}
static void ref_fast_math(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    float v = F32(0)[i], *out = F32(1) + i;
    out[0 * n] = (float)sin(v);
    out[1 * n] = (float)exp(v);
    out[2 * n] = (float)log(v + 1.5f);
    out[3 * n] = v / 3.0f;
    out[4 * n] = (float)pow(v + 1.0f, 1.5);
    out[5 * n] = v * 1.5f > 1.0f ? 1.0f : v * 1.5f;
  }
}
static void ref_minmax_nan(ref_state *r) {
  EACH(i, 256) {
    bool na = i % 5 == 0, nb = i % 7 == 0;
    float a = na ? NAN : F32(0)[i], b = nb ? NAN : 0.5f;
    F32(1)[i] = na ? b : nb ? a : a < b ? a : b;
    F32(2)[i] = na ? b : nb ? a : a > b ? a : b;
    int flags = (nb ? 0 : 32) | (na ? 16 : 0);
    if (na || nb)
      flags |= 8;
    else
      flags |= (a < b) | (a > b) << 1 | (a == b) << 2 | (a != b) << 3;
    I32(3)[i] = flags;
  }
}

/* ---- warps ---- */

static void ref_vote(ref_state *r) {
  EACH(i, 192) {
    uint32_t ballot = 0;
    bool any = false, all = true;
    EACH(l, 32) {
      int v = I32(0)[i / 32 * 32 + l];
      ballot |= (uint32_t)(v % 3 == 0) << l;
      any |= v == 40;
      all &= v < 96;
    }
    U32(1)[i] = ballot, I32(2)[i] = any, I32(3)[i] = all;
  }
}
static void ref_match_reduce(ref_state *r) {
  EACH(i, 128) {
    uint32_t same = 0, low = UINT32_MAX;
    int sum = 0;
    EACH(l, 32) {
      int v = I32(0)[i / 32 * 32 + l];
      same |= (uint32_t)(v % 5 == I32(0)[i] % 5) << l;
      sum += v - 50;
      if ((uint32_t)(v ^ 21) < low) low = (uint32_t)(v ^ 21);
    }
    U32(1)[i] = same, I32(2)[i] = sum, U32(3)[i] = low;
  }
}
static void ref_shfl_modes(ref_state *r) {
  EACH(i, 128) {
    int lane = i % 32, in16 = i % 16;
    I32(1)[i] = I32(0)[i - in16 + i * 3 % 16];
    I32(2)[i] = I32(0)[in16 >= 3 ? i - 3 : i];
    I32(3)[i] = I32(0)[lane + 5 < 32 ? i + 5 : i];
    I32(4)[i] = I32(0)[i ^ 9];
  }
}
static void ref_hip_shfl(ref_state *r) {
  EACH(i, 256) {
    I32(1)[i] = I32(0)[i / 64 * 64 + i * 5 % 64];
    I32(2)[i] = I32(0)[i ^ 33];
    I32(3)[i] = I32(0)[i % 32 >= 7 ? i - 7 : i];
  }
}
static void ref_hip_ballot(ref_state *r) {
  EACH(i, 256) {
    bool mine = I32(0)[i] % 3 == 0;
    U64(1)[i / 64] |= (uint64_t)mine << (i % 64);
    for (int j = i / 64 * 64; j < i; j++) I32(2)[i] += I32(0)[j] % 3 == 0;
  }
}

/* ---- atomics, memory spaces, parameters, grids ---- */

static void ref_atomics_mixed(ref_state *r) {
  int n = INT(5);
  EACH(i, n) {
    int v = I32(0)[i], *s = I32(1);
    uint32_t *u = U32(2);
    if (v - 77 < s[0]) s[0] = v - 77;
    if (v * 3 > s[1]) s[1] = v * 3;
    s[2] -= v;
    u[0] |= 1u << (v % 32);
    u[1] &= ~(1u << (v % 8));
    u[2] ^= (uint32_t)v;
    u[3] = u[3] >= 16 ? 0 : u[3] + 1;
    I32(3)[i] = I32(3)[n + i];
    I32(3)[n + i] = v + 1;
    U64(4)[v % 2] += 0x100000001ull;
  }
}
static void ref_dyn_shared(ref_state *r) {
  EACH(i, 288) {
    int first = i / 96 * 96, t = i % 96;
    I32(1)[i] = I32(0)[first + 95 - t] + 10 * I32(0)[first + (t ^ 1)];
  }
}
static void ref_hip_dyn_shared(ref_state *r) {
  EACH(i, 384) I32(1)[i] = 2 * I32(0)[i / 128 * 128 + 127 - i % 128] + 64;
}
static void ref_symbols(ref_state *r) { /* scale, offsets, table, counter */
  static const float offsets[] = {10, 20, 30, 40};
  float *table = (float *)(void *)r->symbol[2];
  int32_t *counter = (int32_t *)(void *)r->symbol[3];
  EACH(i, 64) {
    float v = table[i] + 1.5f;
    F32(0)[i] = v - offsets[i % 4];
    table[i] = v * 2.0f;
    *counter += 2;
  }
}
static void ref_struct_index(ref_state *r) {
  EACH(i, 128) {
    int v[40];
    EACH(k, 40) v[k] = I32(0)[i] * (k + 1);
    v[(i + 5) % 40] += i;
    I32(1)[i] = v[i % 40] + v[i * 7 % 40];
  }
}
static void ref_struct_param(ref_state *r) { EACH(i, 200) F32(1)[i] = 1.5f * (float)i + 1.0f; }
static void ref_struct_out(ref_state *r) {
  const int32_t *x = (const int32_t *)(void *)r->ptr[0];
  int32_t *y = (int32_t *)(void *)r->ptr[1];
  EACH(i, 100) y[i] = x[99 - i] * 7, I32(1)[i] = y[i] - 1;
}
static void ref_torch_rows(ref_state *r) {
  const _Float16 *in = (const _Float16 *)(void *)r->ptr[0];
  float *out = (float *)(void *)r->ptr[1];
  EACH(row, 4) EACH(col, 40) {
    float v = (float)in[row * 48 + col];
    out[row * 40 + col] = (float)(_Float16)((float)(_Float16)(v * v) + 1.0f);
  }
}
static void ref_alias_halves(ref_state *r) { EACH(i, 512) I32(1)[i] = I32(0)[i] * 2 + 1; }
static void ref_template_axpy(ref_state *r) { EACH(i, 256) F64(2)[i] += 0.5 * F64(1)[i]; }

/* Thread (x, y, z) of a 10 x 12 x 6 launch in blocks of 5 x 4 x 3. */
static void ref_grid3d(ref_state *r) {
  EACH(z, 6) EACH(y, 12) EACH(x, 10) I32(0)[(z * 12 + y) * 10 + x] = x | y << 8 | z << 16 | (z / 3) << 24;
}
static void ref_cl_ids(ref_state *r) {
  EACH(z, 6) EACH(y, 12) EACH(x, 10)
  I32(0)[(z * 12 + y) * 10 + x] =
      x % 5 | (y % 4) << 4 | (z % 3) << 8 | (x / 5) << 12 | (y / 4) << 16 | (z / 3) << 20 | 3 << 24 | 3 << 28;
}
static void ref_inline_ptx(ref_state *r) {
  EACH(i, 64) {
    uint32_t v = U32(0)[i] * 2654435761u;
    U32(1)[i] = (uint32_t)i % 32;
    U32(2)[i] = v >> 5 & 0x7ff;
    I32(3)[i] = (int32_t)(v << 20) >> 23;
    U32(4)[i] = v * 17 + (uint32_t)i % 32;
    U32(5)[i] = i < 32 ? v << i : 0;
  }
}

static void ref_permute_ptx(ref_state *r) {
  EACH(i, 64) {
    uint32_t a = (uint32_t)i * 2654435761u, n = i % 4, from = i % 32, len = i * 7 % 32;
    uint64_t both = (uint64_t)(~a * 40503u) << 32 | a;
    for (uint32_t j = 0; j < 4; j++) {
      uint32_t byte[6] = {n + j, (n - j) & 7, n, n > j ? n : j, n < j ? n : j, n % 2 * 2 + j % 2};
      EACH(m, 6) U32(1)[m * 64 + i] |= (uint32_t)(both >> 8 * byte[m] & 255) << 8 * j;
    }
    U32(1)[384 + i] = (uint32_t)(((1ull << len) - 1) << from);
    U32(1)[448 + i] = i > 31 ? 0 : (uint32_t)((i * 7 > 31 ? ~0ull : (1ull << i * 7) - 1) << i);
  }
}

/* To `bits` bits of mantissa, halves to the even one, away from zero or (rn < 0) nowhere; not beyond the greatest. */
static float rounded(float x, int bits, int rn, float most) {
  int e;
  double m = ldexp(frexp(fabsf(x), &e), bits + 1), whole = floor(m), rest = m - whole;
  if (!isfinite(x)) return copysignf(most, x);
  if (rn >= 0 && (rest > 0.5 || (rest == 0.5 && (rn == 0 || fmod(whole, 2) != 0)))) whole++;
  double r = ldexp(whole, e - bits - 1);
  return copysignf(r > most ? most : (float)r, x);
}
static int32_t clamped(int64_t v) { return (int32_t)(v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : v); }
static void ref_rare_ptx(ref_state *r) {
  uint32_t *out = U32(1);
  EACH(i, 64) {
    uint32_t c = (uint32_t)i, a = c * 2654435761u, b = ~a * 40503u;
    static const uint32_t special[6] = {0, 1, 0x7fffff, 0, 0x7f800000, 0x7fc00000};
    uint32_t m = i % 6 == 3 ? a >> 4 | 0x800000 : special[i % 6];
    bool number = i % 6 != 5, both = (i & 1) ^ (b >> 31);
    float x = fabsf(float_of(m)), y = fabsf(float_of(0x3f800000)), least = number && x < y ? x : y, most = number && x > y ? x : y;
    int64_t signs = (int64_t)((int32_t)(a << 8) >> 8) * ((int32_t)(b << 8) >> 8), plus = (int32_t)(0x7fffff00 ^ (a & 0x80000000));
    uint32_t other = c & 1 ? c : b, l = i % 32, half[2];
    out[i] = !(c & 1) || a == 0;
    out[64 + i] = (uint32_t)(signs >> 16);
    out[128 + i] = (uint32_t)((uint64_t)(a & 0xffffff) * (b & 0xffffff) >> 16);
    out[192 + i] = (uint32_t)clamped((int32_t)(signs >> 16) + plus);
    out[256 + i] = (uint32_t)clamped(((int64_t)(int32_t)a * (int32_t)b >> 32) + plus);
    out[320 + i] = c ^ other;
    out[384 + i] = c != other || c & 4;
    out[448 + i] = c && c & 4;
    out[512 + i] = bits_of(least) | (uint32_t)both << 31;
    out[576 + i] = bits_of(most) | (uint32_t)both << 31;
    out[640 + i] = m == 0 || (m >= 0x800000 && m < 0x7f800000);
    out[704 + i] = m && m < 0x800000;
    /* row, column of the halves that a lane gets: word row * 8 + column of what its warp has from 64 * warp on */
    EACH(k, 2) half[k] = (2 * (l % 4) + k) * 8 + l / 4 + 64 * (i / 32);
    out[768 + i] = half[0] | half[1] << 16;
    EACH(k, 2) out[832 + i] += (c & 4 || (a >> 16 * k & 0x3fff) < (b >> 16 * k & 0x3fff)) ? 1u << k : 0;
    uint32_t from = 63 - c, fa = from * 2654435761u, fb = ~fa * 40503u;
    out[896 + i] = fa + fb - fa;
    uint32_t first = c / 4 * 4;
    static const float big[8] = {65503, 65520, -70000, 1e38f, -3.4e38f, INFINITY, 0x1.003p0f, 0x1.001p0f};
    float w = big[i % 8] * (i & 8 ? 1 : 0x1p-3f), inf = (float)INFINITY, tf = 0x1.ffcp127f, ax = i % 6 == 4 ? 65504 : i % 6 == 3 ? float_of(m) : 0;
    ax = copysignf(ax, i & 1 ? -1.0f : 1.0f);
    uint16_t h[2];
    _Float16 hw = (_Float16)fmaxf(-65504, fminf(65504, w)), hx = (_Float16)fmaxf(-65504, fminf(65504, ax));
    memcpy(&h[1], &hw, 2), memcpy(&h[0], &hx, 2);
    out[1024 + i] = (uint32_t)h[1] << 16 | (i % 6 == 5 ? 0 : h[0]);
    uint32_t bf = w < 0 ? 0 : bits_of(rounded(w, 7, 1, 0x1.fep127f)) >> 16;
    out[1088 + i] = bf << 16 | bf;
    out[1152 + i] = bits_of(rounded(w, 10, 1, inf));
    out[1216 + i] = w < 0 ? 0 : bits_of(rounded(w, 10, -1, inf));
    out[1280 + i] = bits_of(rounded(w, 10, 0, tf));
    EACH(k, 4) out[960 + i] += (c % 3 * 2 > (uint32_t)k ? first + k : 0) * (uint32_t[]){1, 100, 10000, 1000000}[k];
  }
}

static void ref_cube_ptx(ref_state *r) { memcpy(r->arg[1], r->arg[0], 6144); }

static int64_t bounded(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : v > hi ? hi : v; }
static uint32_t bytes4(uint32_t c, int k, int64_t v) { return (c & ~(255u << 8 * k)) | ((uint32_t)v & 255) << 8 * k; }
static uint32_t halves2(uint32_t c, int k, int64_t v) { return (c & ~(65535u << 16 * k)) | ((uint32_t)v & 65535) << 16 * k; }
static void ref_video_ptx(ref_state *r) {
  EACH(i, 64) {
    uint32_t *out = U32(1) + i, x = (uint32_t)i * 2654435761u, y = ~x * 40503u, z = x ^ y * 69069u;
    int64_t sx = (int32_t)x, sy = (int32_t)y, sz = (int32_t)z, m;
    int64_t sum = (int64_t)(x >> 8 & 255) + (int16_t)(y >> 16);
    out[0] = (uint32_t)(sum > sz ? sum : sz);
    out[64] = halves2(z, 1, bounded(sx - sy, 0, 65535));
    m = sx - (y >> 24);
    out[128] = (uint32_t)(m < 0 ? -m : m) + z;
    out[192] = (uint32_t)(sx < y ? sx : y);
    out[256] = (uint32_t)bounded(x > sy ? x : sy, 0, UINT32_MAX);
    m = y & 255;
    out[320] = (uint32_t)bounded((int64_t)(int16_t)(x >> 16) * (1ll << (m > 32 ? 32 : m)), INT32_MIN, INT32_MAX);
    out[384] = (uint32_t)(sx >> (y & 31)) + z;
    out[448] = (uint32_t)bounded((sx * (y >> 16) - sz) >> 7, INT32_MIN, INT32_MAX);
    out[512] = (uint32_t)(((uint64_t)x * y + z + 1) >> 15);
    out[576] = ((int16_t)x < (int64_t)(y >> 8 & 255)) + z;
    out[640] = bytes4(z, 2, x >= y);
    out[704] = out[768] = out[832] = out[1024] = out[1088] = out[1216] = z;
    out[896] = out[960] = z;
    EACH(k, 4) {
      uint32_t p = x >> 8 * k & 255, q = y >> 8 * k & 255;
      int32_t sp = (int8_t)p, sq = (int8_t)q, both = sp + sq, far = sp - (int32_t)q;
      out[704] = bytes4(out[704], k, bounded(sp + (int32_t)q, -128, 127));
      out[832] = bytes4(out[832], k, (both + (both >= 0)) >> 1);
      out[960] += (uint32_t)((int32_t)p > sq ? (int32_t)p : sq);
      out[1088] = bytes4(out[1088], k, sp <= sq);
      out[1216] = bytes4(out[1216], k, bounded(far < 0 ? -far : far, -128, 127));
    }
    EACH(k, 2) {
      uint32_t p = x >> 16 * k & 65535, q = y >> 16 * k & 65535;
      out[768] = halves2(out[768], k, bounded((int64_t)p - q, 0, 65535));
      out[896] += (p + q + 1) >> 1;
      out[1024] = halves2(out[1024], k, (int16_t)p < (int16_t)q ? p : q);
    }
    /* only the upper half: half 0 of both words, x's lower one, and half 2, y's lower one */
    out[1152] = halves2(z, 1, (x & 65535) + (y & 65535));
  }
}

/* ---- shared memory, barriers, warps under branches ---- */

static void ref_named_barrier(ref_state *r) {
  for (int t = 0; t < INT(2); t++) {
    int many = 0;
    EACH(l, 64) many += I32(0)[t * 64 + l] + t > 100;
    EACH(l, 64) I32(1)[t * 64 + l] = (I32(0)[t * 64 + 63 - l] + t) * 1000 + many;
  }
}

static void ref_bank_stride(ref_state *r) { EACH(t, 64) I32(1)[t] = I32(0)[t ^ 1]; }
static void ref_bank_double(ref_state *r) {
  EACH(t, 64) F64(1)[t] = t < 32 ? F64(0)[2 * t] : 2.0 * F64(0)[2 * t - 64];
}
static void ref_odd_block(ref_state *r) { EACH(i, 150) I32(1)[i] = I32(0)[i] * 2 + 50; }
static void ref_grid_stride(ref_state *r) { EACH(i, INT(2)) F32(1)[i] = F32(0)[i] - 0.5f; }
static void ref_barrier_exit(ref_state *r) {
  EACH(b, 2) EACH(t, 64) I32(1)[b * 64 + t] = I32(0)[b * 128 + 63 - t];
}
static void ref_syncwarp(ref_state *r) { /* slot l sums lanes l and up: each step adds what lies k further */
  EACH(t, 64) for (int j = t; j <= (t | 31); j++) I32(1)[t] += I32(0)[j];
}
static void ref_shfl_divergent(ref_state *r) {
  EACH(i, 64) {
    int lane = i % 32, first = i - lane, pair = lane ^ 1;
    I32(1)[i] = lane >= 20 ? I32(0)[i] : I32(0)[first + (lane + 7) % 20] + I32(0)[first + (pair + 7) % 20];
  }
}
static int break_continue(int x, int n) {
  int sum = 0;
  EACH(k, n) {
    int v = (x * 31 + k * 17) % 64;
    if (v == 0) return sum;
    for (int j = v; v % 2 == 0 && j > 0; j -= 16) {
      if (sum > 400) return sum;
      sum += j;
    }
  }
  return sum;
}
static void ref_break_continue(ref_state *r) { EACH(i, 128) I32(1)[i] = break_continue(I32(0)[i], INT(2)); }
static void ref_const_init(ref_state *r) {
  static const int primes[] = {2, 3, 5, 7, 11, 13, 17, 19};
  static const float weights[] = {0.5f, 1, 2, 4, 8, 16};
  EACH(i, 64) F32(0)[i] = (float)primes[i % 8] * weights[i % 2 * 3 + i % 3];
}
static void ref_two_shared(ref_state *r) { EACH(t, 64) I32(1)[t] = I32(0)[63 - t] + 100 * I32(0)[t ^ 2]; }
static void ref_bitonic(ref_state *r) { EACH(t, 128) I32(1)[t] = t; } /* a permutation, sorted */

/* ---- tensor cores, packed bytes, conversions, roundings ---- */

/* C = A B, A row-major m x k, B column-major k x n. */
static void half_product(const _Float16 *A, const _Float16 *B, float *C, int m, int n, int k) {
  EACH(i, m) EACH(j, n) {
    double sum = 0;
    EACH(l, k) sum += (double)A[i * k + l] * (double)B[j * k + l];
    C[i * n + j] = (float)sum;
  }
}
static void ref_wmma(ref_state *r) {
  EACH(b, 2) half_product(F16(0) + 256 * b, F16(1) + 256 * b, F32(2) + 256 * b, 16, 16, 16);
}
static void ref_mma_ptx(ref_state *r) { half_product(F16(0), F16(1), F32(2), 16, 8, 16); }

/* Four products of 8 x 8 x 4, in float and in halves, by each of the four orders in which lanes hold A and B. */
static void ref_mma_volta(ref_state *r) {
  EACH(order, 4) EACH(p, 4) {
    half_product(F16(0) + p * 32, F16(1) + p * 32, F32(2) + (order * 4 + p) * 64, 8, 8, 4);
    EACH(i, 64) F16(3)[(order * 4 + p) * 64 + i] = (_Float16)F32(2)[(order * 4 + p) * 64 + i];
  }
}
/* Element k of a row of words: of `bits` bits, signed or not. */
static int32_t packed(const uint32_t *row, int k, int bits, bool sign) {
  uint32_t v = row[k * bits / 32] >> k * bits % 32 & ((1u << bits) - 1);
  return sign && v >> (bits - 1) ? (int32_t)v - (1 << bits) : (int32_t)v;
}
/* 2 ** (e - bias) * 1.m, normal ones alone */
static double float8(uint32_t byte, int mantissa, int bias) {
  double m = 1 + (byte & ((1u << mantissa) - 1)) / (double)(1 << mantissa);
  return (byte & 128 ? -1 : 1) * ldexp(m, (int)(byte >> mantissa & (127 >> mantissa)) - bias);
}
static void ref_mma_small(ref_state *r) {
  uint32_t *w = U32(1), *b = w + 128;
  int32_t *out = I32(2);
  EACH(i, 192) w[i] = (uint32_t)i * 2654435761u + 12345u;
  EACH(row, 16) EACH(col, 8) {
    int32_t *d = out + row * 8 + col, c = row * 8 + col;
    const uint32_t *x = w + row * 8, *y = b + col * 8;
    int64_t big = INT32_MAX - 9000;
    double eighths = 0;
    d[0] = d[128] = d[256] = c;
    EACH(k, 64) d[0] += packed(x, k, 4, true) * packed(y, k, 4, false);
    EACH(k, 256) d[128] += packed(x, k, 1, false) & packed(y, k, 1, false);
    EACH(k, 256) d[256] += packed(x, k, 1, false) ^ packed(y, k, 1, false);
    EACH(k, 32) big += packed(x, k, 8, true) * packed(y, k, 8, true);
    d[384] = (int32_t)(big > INT32_MAX ? INT32_MAX : big);
    EACH(k, 32)
    eighths += float8((packed(x, k, 8, false) & 0x8f) | 0x30, 3, 7) * float8((packed(y, k, 8, false) & 0x8f) | 0x30, 2, 15);
    float f = (float)eighths;
    memcpy(d + 512, &f, 4);
  }
  EACH(row, 8) EACH(col, 8) {
    int32_t *d = out + 640 + row * 8 + col;
    EACH(k, 32) d[0] += packed(w + row * 4, k, 4, false) * packed(b + col * 4, k, 4, false);
    EACH(k, 128) d[64] += packed(w + row * 4, k, 1, false) ^ packed(b + col * 4, k, 1, false);
  }
}

static void ref_dp4a(ref_state *r) {
  EACH(i, 128) {
    uint32_t x = U32(0)[i] * 0x01234567u, y = U32(1)[i] * 0x07654321u;
    I32(2)[i] = i;
    U32(3)[i] = 5;
    for (int b = 0; b < 32; b += 8) {
      I32(2)[i] += (int8_t)(x >> b) * (int8_t)(y >> b);
      U32(3)[i] += (x >> b & 255) * (y >> b & 255);
    }
  }
}
static void ref_simd_video(ref_state *r) {
  EACH(i, 128) {
    uint32_t x = U32(0)[i] * 2654435761u, y = U32(0)[i] * 40503u + 12345u;
    for (int b = 0; b < 32; b += 8) {
      uint32_t p = x >> b & 255, q = y >> b & 255;
      U32(1)[i] |= ((p + q) & 255) << b;
      U32(2)[i] |= (p > q ? p - q : q - p) << b;
      U32(3)[i] |= (p > q ? p : q) << b;
      U32(4)[i] |= ((p + q + 1) >> 1) << b;
    }
  }
}
static void ref_convert(ref_state *r) {
  EACH(i, 128) {
    float v = (F32(0)[i] - 64.0f) * 0.375f, big = v * 1e9f;
    I32(1)[i] = (int)rint(v);
    I32(2)[i] = (int)trunc(v);
    I32(3)[i] = (int)ceil(v);
    I32(4)[i] = (int)floor(v);
    U32(5)[i] = i == 0 || big <= 0 ? 0 : big >= 4294967296.0f ? UINT32_MAX : (uint32_t)big;
    F32(6)[i] = (float)(16777217 + i * 3);
    F32(7)[i] = (float)(1.0 + i * 1e-9);
    I64(8)[i] = (int64_t)(v * 1e12);
  }
}
static void ref_denormal(ref_state *r) {
  EACH(i, 64) {
    float v = F32(0)[i] * 1e-38f;
    F32(1)[i] = v * 0.01f;
    F32(2)[i] = v * 0.01f + 1e-40f;
    F32(3)[i] = sqrtf(F32(1)[i]) * 1e20f;
  }
}
/* v rounded to f32 toward zero (0), up (1) or down (-1); v itself is exact, or wide enough not to lie on an edge. */
static float directed(double v, int to) {
  float f = (float)v;
  if (to == 0) to = v > 0 ? -1 : 1;
  if (to > 0 && (double)f < v) return nextafterf(f, INFINITY);
  if (to < 0 && (double)f > v) return nextafterf(f, -INFINITY);
  return f;
}
static void ref_rounding(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    float a = F32(0)[i] + 0.1f, bf = 1.0f / 3.0f, *out = F32(1) + i;
    double b = bf;
    out[0 * n] = directed(a + b, 0);
    out[1 * n] = directed(a + b, 1);
    out[2 * n] = directed(a * b, -1);
    out[3 * n] = directed(a * b, 1);
    out[4 * n] = directed(a / 3.0, 0);
    out[5 * n] = directed(a * b - (double)0.7f, -1);
    out[6 * n] = directed(sqrt(a), 1);
    out[7 * n] = (float)(a * b) + -0.05f;
  }
}

/* ---- contents, chains, more atomics ---- */

static void ref_monotone_rows(ref_state *r) { EACH(i, INT(2)) I32(1)[i] = I32(0)[i + 1] - I32(0)[i]; }
static void ref_zipf_histogram(ref_state *r) { EACH(i, INT(2)) I32(1)[I32(0)[i]]++; }
static void ref_perm_pages(ref_state *r) { EACH(i, 20000) F32(2)[i] = F32(1)[I32(0)[i]]; }
static void ref_pointer_chase(ref_state *r) {
  EACH(i, 64) {
    int p = i * 16;
    EACH(k, INT(2)) p = I32(0)[p];
    I32(1)[i] = p;
  }
}
static void ref_cg_reduce(ref_state *r) {
  EACH(i, 128) {
    int v = I32(0)[i] ^ 19, w = i / 32;
    I32(1)[w] += I32(0)[i];
    if (i % 32 == 0 || v > I32(2)[w]) I32(2)[w] = v;
  }
}
static void ref_double_atomic(ref_state *r) {
  EACH(i, 128) F64(1)[0] += F64(0)[i], F32(2)[i] = 10.0f * F32(2)[i];
  U64(3)[0] = 127ull << 32;
}
static void ref_mandelbrot(ref_state *r) {
  int w = INT(1);
  EACH(py, INT(2)) EACH(px, w) {
    float cx = -2.0f + 0.0625f * (float)px, cy = -1.0f + 0.0625f * (float)py, x = 0, y = 0;
    int k = 0;
    for (; k < 50 && x * x + y * y < 4.0f; k++) {
      float t = fmaf(x, x, -(y * y)) + cx;
      y = fmaf(2.0f * x, y, cy);
      x = t;
    }
    I32(0)[py * w + px] = k;
  }
}

/* ---- OpenCL ---- */

static void ref_cl_dot4(ref_state *r) {
  EACH(i, 256) {
    double sum = 0;
    EACH(k, 4) sum += (double)F32(0)[4 * i + k] * F32(1)[4 * i + k];
    F32(2)[i] = (float)sum;
  }
}
static void ref_cl_swizzle(ref_state *r) {
  EACH(i, 128) {
    const int32_t *v = I32(0) + 4 * i;
    int w[4] = {v[3] + v[2], v[2] * 10, v[1] * 100 + v[3], v[0] * 1000};
    const int add[4] = {v[3], v[1], v[0], v[2]};
    EACH(k, 4) I32(1)[4 * i + k] = w[k] + add[k];
    I32(2)[2 * i] = v[1] - w[0];
    I32(2)[2 * i + 1] = v[3] - w[1];
  }
}
static void ref_cl_local_arg(ref_state *r) {
  EACH(i, 256) {
    int first = i / 64 * 64, t = i % 64;
    I32(1)[i] = I32(0)[first + 63 - t] - I32(0)[first + (t + 1) % 64];
  }
}
static int64_t clamp64(int64_t v, int64_t lo, int64_t hi) { return v < lo ? lo : v > hi ? hi : v; }
static void ref_cl_int(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    uint32_t u = U32(0)[i] * 2654435761u, s = (uint32_t)i % 32;
    int32_t v = (int32_t)u, w = (int32_t)(u * 40503u + 17u), *out = I32(1) + i;
    int64_t sum = (int64_t)v + w, diff = (int64_t)v - w;
    out[0 * n] = (int32_t)((int64_t)v * w >> 32);
    out[1 * n] = (int32_t)(s ? u << s | u >> (32 - s) : u);
    out[2 * n] = lead(u >> s, 32);
    out[3 * n] = ones(u);
    out[4 * n] = (int32_t)(uint32_t)((int64_t)(v >> 18) * (w >> 16) + i);
    out[5 * n] = (int32_t)(sum >> 1);
    out[6 * n] = (int32_t)(uint32_t)(diff < 0 ? -diff : diff);
    out[7 * n] = (int32_t)clamp64(sum, INT32_MIN, INT32_MAX);
    out[8 * n] = (int32_t)(u > (uint32_t)w ? u - (uint32_t)w : 0);
    out[9 * n] = (int32_t)clamp64(v, -1000000, 2000000);
    out[10 * n] = v;
    out[11 * n] = (int32_t)((sum + 1) >> 1);
  }
}
static void ref_cl_common(ref_state *r) {
  int n = INT(2);
  EACH(i, n) {
    float v = F32(0)[i] * 4.0f - 2.0f, *out = F32(1) + i;
    out[0 * n] = v < -1.0f ? -1.0f : v > 1.0f ? 1.0f : v;
    out[1 * n] = v < 0.25f ? v : 0.25f;
    out[2 * n] = v;
    out[3 * n] = fabsf(v);
    out[4 * n] = v > 0 ? 1.0f : v < 0 ? -1.0f : v;
    out[5 * n] = v < 0.5f ? 0.0f : 1.0f;
    out[6 * n] = floorf(v * 3.0f);
    out[7 * n] = rintf(v * 8.0f);
    out[8 * n] = signbit(v) ? -1.5f : 1.5f;
    out[9 * n] = truncf(v * 3.0f);
    out[10 * n] = v > 0.5f ? 2.0f : 3.0f;
  }
}
static void ref_cl_convert(ref_state *r) { /* x = i: all values are whole */
  EACH(i, 256) {
    int v = i * 600 - 150;
    U8(1)[i] = (uint8_t)clamp64(v, 0, 255);
    I32(2)[i] = v;
    I32(3)[i] = (int32_t)bits_of((float)i);
    I16(4)[i] = (int16_t)clamp64(v * 1000LL, INT16_MIN, INT16_MAX);
  }
}
static void ref_cl_vload(ref_state *r) {
  EACH(i, 128) {
    const float *v = F32(0) + 1 + 4 * i, *w = F32(0) + 3 * i;
    EACH(k, 4) F32(1)[4 * i + k] = v[(k + 1) % 4] + (k < 3 ? w[k] : 0.0f);
  }
}
static void ref_cl_double(ref_state *r) {
  EACH(i, INT(2)) F64(1)[i] = fma(F64(0)[2 * i], F64(0)[2 * i + 1], F64(0)[2 * i]) / (F64(0)[2 * i + 1] + 1.0);
}
static void ref_cl_select(ref_state *r) {
  EACH(i, 128) {
    int greater = 0, less = 0;
    EACH(k, 4) {
      int p = I32(0)[4 * i + k], q = I32(1)[4 * i + k] * 3 - 100;
      I32(2)[4 * i + k] = (p < q ? q : p) - (p == q); /* a true vector lane is -1 */
      greater += p > q, less += p < q;
    }
    I32(3)[i] = (greater > 0) + 2 * (less == 4);
  }
}

/* ---- OpenMP ---- */

static void ref_omp_few_teams(ref_state *r) { EACH(i, INT(1)) I32(2)[i] = I32(3)[INT(1) - 1 - i] * 3; }
static void ref_omp_math(ref_state *r) {
  EACH(i, INT(1)) {
    float sum = 0;
    for (int round = 0; round < 200; round++)
      sum = sum * 0.5f + sqrtf(F32(2)[i]);
    F32(3)[i] = sum;
  }
}
static void ref_omp_collapse(ref_state *r) {
  int h = INT(1), w = INT(2);
  EACH(i, h) EACH(j, w) F32(3)[i * w + j] = F32(4)[j * h + i] + 0.5f;
}

#define SAME(name) {#name, ref_##name}
static const struct {
  const char *name;
  ref_fn fn;
} table[] = {
    /* triples with a reference of their own */
    SAME(saxpy), SAME(copy_offset), SAME(reverse), SAME(broadcast), SAME(gather_perm), SAME(scatter_perm),
    SAME(scatter_affine), SAME(float4_scale), SAME(double2_axpy), SAME(int4_sum), SAME(uchar4_luma), SAME(aos3), SAME(wide_cast), SAME(register_row),
    SAME(soa3), SAME(matmul_naive), SAME(matmul_tiled), SAME(reduce_atomic), SAME(scan_block), SAME(stencil1d),
    SAME(stencil2d), SAME(stencil3d), SAME(nbody_tile), SAME(softmax_row), SAME(spmv_csr), SAME(switch_lane),
    SAME(parity_branch), SAME(triangular), SAME(early_return), SAME(collatz), SAME(recursion), SAME(fnptr),
    SAME(virtual_call), SAME(local_array), SAME(divmod), SAME(mulhi), SAME(bits), SAME(nth_bit), SAME(half2_fma),
    SAME(half_scalar), SAME(bf16_fma), SAME(poly_f64), SAME(math_f32), SAME(math_f64), SAME(fast_math),
    SAME(int_wrap), SAME(shifts), SAME(char_short), SAME(minmax_nan), SAME(vote), SAME(match_reduce),
    SAME(shfl_modes), SAME(cg_tile), SAME(cas_loop), SAME(atomics_mixed), SAME(dyn_shared), SAME(symbols),
    SAME(struct_index), SAME(struct_param), SAME(struct_out), SAME(torch_rows), SAME(alias_halves), SAME(template_axpy), SAME(grid3d),
    SAME(inline_ptx), SAME(permute_ptx), SAME(video_ptx), SAME(cube_ptx), SAME(rare_ptx), SAME(named_barrier),
    SAME(bank_double), SAME(odd_block), SAME(grid_stride), SAME(barrier_exit), SAME(syncwarp), SAME(shfl_divergent),
    SAME(break_continue), SAME(const_init), SAME(two_shared), SAME(bitonic), SAME(wmma), SAME(mma_ptx), SAME(mma_small), SAME(mma_volta), SAME(dp4a),
    SAME(simd_video), SAME(convert), SAME(denormal), SAME(rounding), SAME(monotone_rows), SAME(zipf_histogram),
    SAME(perm_pages), SAME(pointer_chase), SAME(cg_reduce), SAME(double_atomic), SAME(mandelbrot), SAME(cl_dot4),
    SAME(cl_swizzle), SAME(cl_local_arg), SAME(cl_stencil), SAME(cl_int), SAME(cl_math), SAME(cl_common),
    SAME(cl_convert), SAME(cl_vload), SAME(cl_ids), SAME(cl_double), SAME(cl_select), SAME(hip_stride),
    SAME(hip_shfl), SAME(hip_ballot), SAME(hip_dyn_shared), SAME(omp_saxpy), SAME(omp_few_teams), SAME(omp_math),
    SAME(omp_collapse), SAME(omp_stencil), SAME(omp_matmul), SAME(omp_reduction), SAME(omp_histogram),
    SAME(lookback_scan), SAME(lookback_warp), SAME(work_queue), SAME(grid_barrier), SAME(grid_sense),
    SAME(bucket_locks), SAME(warp_lock), SAME(flag_chain),
    /* those that compute what another does */
    {"stride2", ref_stride}, {"stride4", ref_stride}, {"stride8", ref_stride}, {"stride32", ref_stride},
    {"transpose_naive", ref_transpose}, {"transpose_tiled", ref_transpose}, {"transpose_padded", ref_transpose},
    {"reduce_shared", ref_reduce_blocks}, {"reduce_shuffle", ref_reduce_blocks},
    {"histogram_global", ref_histogram}, {"histogram_shared", ref_histogram}, {"bank_stride2", ref_bank_stride},
    {"bank_stride3", ref_bank_stride}, {"bank_stride8", ref_bank_stride}, {"cl_saxpy", ref_saxpy},
    {"cl_transpose", ref_transpose}, {"cl_reduce", ref_reduce_blocks}, {"cl_matmul", ref_matmul_tiled},
    {"cl_histogram", ref_histogram}, {"hip_saxpy", ref_saxpy}, {"hip_shfl_reduce", ref_reduce_waves},
    {"hip_transpose", ref_transpose}, {"hip_float4", ref_float4_scale}, {"hip_histogram", ref_histogram},
};

ref_fn ref_find(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].fn;
  return ref_find_hopper(name);
}
