/* ops_cpu_gemm.c - the one matrix product that training on the CPU stands on, and the
 * threads it is split over.
 *
 * Panels of both matrices are copied so that the innermost kernel reads them one after
 * the other, whatever their strides: the three products of a linear layer (forward, to
 * its input, to its weight) are the same code. The kernel exists for each instruction
 * set and is chosen at run time; sums over k run in the same order on any number of
 * threads. */
#include "ops_cpu_int.h"

enum { KC = 256, MC = 96, NC = 1024, TILE = 12 * 32 };
_Static_assert(MC *KC + NC * KC + TILE <= WW_CPU_SCRATCH,
               "panels fit a thread's scratch");

/* tile[MR, NR] = panel a [K, MR] x panel b [K, NR], NR two vectors of `lanes` */
typedef void kernel_fn(float *tile, const float *a, const float *b, uint32_t K);
typedef struct {
  kernel_fn *run;
  uint32_t MR, NR;
} kernel;

#define KERNEL(name, isa, lanes, MR)                                                   \
  isa static void name(float *tile, const float *a, const float *b, uint32_t K) {      \
    typedef float vec __attribute__((vector_size((lanes)*4), may_alias, aligned(16))); \
    vec acc[MR][2];                                                                    \
    for (int i = 0; i < (MR); i++)                                                     \
      acc[i][0] = acc[i][1] = (vec){0};                                                \
    for (uint32_t k = 0; k < K; k++, a += (MR), b += 2 * (lanes)) {                    \
      const vec b0 = ((const vec *)b)[0], b1 = ((const vec *)b)[1];                    \
      _Pragma("GCC unroll 16") for (int i = 0; i < (MR); i++) {                        \
        acc[i][0] += a[i] * b0;                                                        \
        acc[i][1] += a[i] * b1;                                                        \
      }                                                                                \
    }                                                                                  \
    _Pragma("GCC unroll 16") for (int i = 0; i < (MR); i++) {                          \
      ((vec *)tile)[2 * i] = acc[i][0];                                                \
      ((vec *)tile)[2 * i + 1] = acc[i][1];                                            \
    }                                                                                  \
  }
KERNEL(kernel_base, , 4, 4)
#ifdef __x86_64__
KERNEL(kernel_avx2, __attribute__((target("avx2,fma"))), 8, 6)
#ifdef __clang__ /* which does not take the width here */
#define AVX512 "avx512f,avx512vl,fma"
#else
#define AVX512 "avx512f,avx512vl,fma,prefer-vector-width=512"
#endif
KERNEL(kernel_avx512, __attribute__((target(AVX512))), 16, 12)
#endif

static kernel choose(void) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl"))
    return (kernel){kernel_avx512, 12, 32};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return (kernel){kernel_avx2, 6, 16};
#endif
  return (kernel){kernel_base, 4, 8};
}

/* to[panel][k][R] = from(row, k), rows padded with zeros to a multiple of R */
static void pack(float *to,
                 const float *from,
                 size_t row,
                 size_t col,
                 uint32_t rows,
                 uint32_t K,
                 uint32_t R) {
  for (uint32_t at = 0; at < rows; at += R, to += (size_t)R * K) {
    uint32_t n = ww_least(rows - at, R);
    const float *p = from + at * row;
    if (row == 1) { /* neighbours lie together */
      for (uint32_t k = 0; k < K; k++) {
        for (uint32_t i = 0; i < n; i++)
          to[k * R + i] = p[k * col + i];
        for (uint32_t i = n; i < R; i++)
          to[k * R + i] = 0;
      }
      continue;
    }
    for (uint32_t i = 0; i < R; i++)
      for (uint32_t k = 0; k < K; k++)
        to[k * R + i] = i < n ? p[i * row + k * col] : 0;
  }
}

static void store(float *out,
                  size_t ldo,
                  const float *tile,
                  uint32_t NR,
                  uint32_t m,
                  uint32_t n,
                  bool add) {
  for (uint32_t i = 0; i < m; i++) {
    float *to = out + i * ldo;
    const float *from = tile + i * NR;
    if (add)
      for (uint32_t j = 0; j < n; j++)
        to[j] += from[j];
    else
      for (uint32_t j = 0; j < n; j++)
        to[j] = from[j];
  }
}

/* One thread's part: packs b [kc, nc] and a [mc, kc], then tile after tile. */
static void product(const ww_gemm *g, float *scratch) {
  kernel k = choose();
  float *tile = scratch;
  float *pa = tile + TILE;
  float *pb = pa + MC * KC;
  for (uint32_t j0 = 0; j0 < g->N; j0 += NC)
    for (uint32_t k0 = 0; k0 < g->K; k0 += KC) {
      uint32_t nc = ww_least(g->N - j0, NC);
      uint32_t kc = ww_least(g->K - k0, KC);
      bool add = g->add || k0;
      pack(pb, g->b + k0 * g->b_row + j0 * g->b_col, g->b_col, g->b_row, nc, kc, k.NR);
      for (uint32_t i0 = 0; i0 < g->M; i0 += MC) {
        uint32_t mc = ww_least(g->M - i0, MC);
        pack(pa, g->a + i0 * g->a_row + k0 * g->a_col, g->a_row, g->a_col, mc, kc,
             k.MR);
        for (uint32_t j = 0; j < nc; j += k.NR)
          for (uint32_t i = 0; i < mc; i += k.MR) {
            k.run(tile, pa + (size_t)i * kc, pb + (size_t)j * kc, kc);
            store(g->out + (i0 + i) * g->ldo + j0 + j, g->ldo, tile, k.NR,
                  ww_least(mc - i, k.MR), ww_least(nc - j, k.NR), add);
          }
      }
    }
}

static void some_rows(const void *ctx, ww_cpu_part p) {
  ww_gemm g = *(const ww_gemm *)ctx;
  g.out += p.from * g.ldo;
  g.a += p.from * g.a_row;
  g.M = p.to - p.from;
  product(&g, p.scratch);
}

static void some_columns(const void *ctx, ww_cpu_part p) {
  ww_gemm g = *(const ww_gemm *)ctx;
  g.out += p.from;
  g.b += p.from * g.b_col;
  g.N = p.to - p.from;
  product(&g, p.scratch);
}

void ww_cpu_gemm(ww_ops *o, const ww_gemm *g) {
  double cost = 2.0 * g->M * g->N * g->K;
  if (g->M >= g->N)
    ww_cpu_split(o, some_rows, g, g->M, 12, cost);
  else
    ww_cpu_split(o, some_columns, g, g->N, 32, cost);
}

/* ---- threads ---- */

typedef struct {
  ww_ops_cpu_state *s;
  ww_cpu_work *fn;
  const void *ctx;
  uint64_t n, step;
} split;

/* Thread `rank` works on its share, in whole steps. */
static void share(void *ctx, uint32_t rank, uint32_t size) {
  const split *p = ctx;
  uint64_t steps = (p->n + p->step - 1) / p->step;
  uint64_t from = steps * rank / size * p->step;
  uint64_t to = steps * (rank + 1) / size * p->step;
  if (from < to)
    p->fn(p->ctx, (ww_cpu_part){p->s->scratch[rank], from, ww_least(to, p->n)});
}

void ww_cpu_split(ww_ops *o,
                  ww_cpu_work *fn,
                  const void *ctx,
                  uint64_t n,
                  uint64_t step,
                  double cost) {
  ww_ops_cpu_state *s = (ww_ops_cpu_state *)o;
  if (!n)
    return;
  if (cost < 1e6 || n <= step)
    fn(ctx, (ww_cpu_part){s->scratch[0], 0, n});
  else
    ww_team_run(s->team, share, &(split){s, fn, ctx, n, step});
}
