/* refs_hopper.c - host references for the kernels of sm_90: mbarriers, copies in bulk, tiles, products of warp groups,
 * clusters. As refs.c: what each is for, not how it does it. */
#include "refs.h"

#include <math.h>

#define F32(i) ((float *)(void *)r->arg[i])
#define F16(i) ((_Float16 *)(void *)r->arg[i])
#define I32(i) ((int32_t *)(void *)r->arg[i])
#define U32(i) ((uint32_t *)(void *)r->arg[i])
#define INT(i) ((int)r->launch->args[i].ivalue)
#define EACH(i, n) for (int i = 0; i < (int)(n); i++)

/* ---- mbarriers and copies in bulk ---- */

static void ref_mbar_ops(ref_state *r) {
  EACH(l, 32) {
    U32(0)[l] = 1 << 4; /* too early no, afterwards yes, the next phase no */
    U32(0)[32] += 40 - l;
    U32(0)[33] += 32 - l;
  }
}

static void ref_mbar_pipe(ref_state *r) {
  EACH(b, r->launch->grid[0]) EACH(t, 96) {
    double sum = 0;
    EACH(k, INT(2)) sum += F32(0)[(b * INT(2) + k) * 96 + 95 - t];
    F32(1)[b * 96 + t] = (float)sum;
  }
}

static void ref_bulk_copy(ref_state *r) {
  EACH(b, 6) EACH(t, 256) {
    float v = F32(0)[b * 256 + t];
    F32(1)[b * 256 + t] = v * 2;
    F32(2)[t] += v * 2;
    if (t < 32 && (int)(v * 100.0f) > I32(3)[t]) I32(3)[t] = (int)(v * 100.0f);
  }
}

/* ---- tiles ---- */

/* Byte of the 16-byte piece that a row's piece is exchanged with: rows of 128 bytes count. */
static uint32_t shuffled(uint32_t at, uint32_t span) {
  uint32_t row = at / 128, piece = at / 16 % (span / 16);
  uint32_t other = piece ^ row % (span / 16);
  return at - 16 * piece + 16 * other;
}

/* The element at (x, y) of the matrix, or what stands for it outside. */
static void element(const ww_tensor_map *m, const uint8_t *from, int64_t x, int64_t y, uint32_t size, uint8_t *to) {
  static const uint16_t nan = 0x7fff;
  if (x >= 0 && y >= 0 && x < (int64_t)m->dims[0] && y < (int64_t)m->dims[1])
    memcpy(to, from + y * m->strides[1] + x * size, size);
  else if (m->nan_fill)
    memcpy(to, &nan, size);
  else
    memset(to, 0, size);
}

static void ref_tma_tile(ref_state *r) {
  const ww_tensor_map *m = r->launch->args[0].map;
  uint32_t size = ww_tensor_type_named(m->type)->bytes;
  int step[2] = {m->steps[0] ? m->steps[0] : 1, m->steps[1] ? m->steps[1] : 1};
  int n[2] = {(m->box[0] + step[0] - 1) / step[0], (m->box[1] + step[1] - 1) / step[1]};
  EACH(by, r->launch->grid[1]) EACH(bx, r->launch->grid[0]) {
    uint8_t *to = r->arg[1] + (by * r->launch->grid[0] + bx) * INT(2) * 4;
    EACH(j, n[1]) EACH(i, n[0]) {
      uint32_t at = (j * n[0] + i) * size;
      if (m->swizzle) at = shuffled(at, 16u << m->swizzle);
      element(m, r->arg[0], INT(3) + bx * INT(5) + i * step[0], INT(4) + by * INT(6) + j * step[1], size, to + at);
    }
  }
}

/* A matrix of 20 x 12 in rows of 24. */
static void ref_tma_replace(ref_state *r) {
  const float *in = (const float *)(void *)r->arg[1];
  float *out = (float *)(void *)r->arg[3];
  for (int y = 0; y < 8; y++)
    for (int x = 0; x < 16; x++)
      out[y * 16 + x] = y + 6 < 12 && x + 8 < 20 ? in[(y + 6) * 24 + x + 8] : 0;
}

static void ref_tma_3d(ref_state *r) {
  EACH(z, 7) EACH(y, 10) EACH(x, 14) {
    int at = z * 160 + y * 16 + x;
    F32(1)[at] = 2.0f * F32(0)[at] + 1.0f;
    F32(2)[at] += F32(1)[at];
  }
}

/* ---- products of warp groups ---- */

/* An 8-bit float: `mant` bits of mantissa, smallest exponent `least`; no NaN among the contents. */
static double small_float(uint8_t code, int mant, int least) {
  int e = (code & 127) >> mant, m = code & ((1 << mant) - 1);
  double v = e ? ldexp(m | 1 << mant, e - 1 + least - mant) : ldexp(m, least - mant);
  return code & 128 ? -v : v;
}
static double number_f16(const uint8_t *p, int k) { return (double)((const _Float16 *)(const void *)p)[k]; }
static double number_bf16(const uint8_t *p, int k) {
  uint32_t u = (uint32_t)((const uint16_t *)(const void *)p)[k] << 16;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static double number_tf32(const uint8_t *p, int k) { /* 10 bits of mantissa count */
  uint32_t u = ((const uint32_t *)(const void *)p)[k] & 0xffffe000u;
  float f;
  memcpy(&f, &u, 4);
  return f;
}
static double number_e4m3(const uint8_t *p, int k) { return small_float(p[k], 3, -6); }
static double number_e5m2(const uint8_t *p, int k) { return small_float(p[k], 2, -14); }
static double number_s8(const uint8_t *p, int k) { return (int8_t)p[k]; }
static double number_u8(const uint8_t *p, int k) { return p[k]; }
static double number_b1(const uint8_t *p, int k) { return p[k / 8] >> k % 8 & 1; }

/* Element (i, j) of A * B transposed, rows of 128 bytes. */
typedef double (*number_fn)(const uint8_t *row, int k);
static double dot(const ref_state *r, int i, int j, int n, number_fn a, number_fn b) {
  double sum = 0;
  EACH(k, n) sum += a(r->arg[0] + 128 * i, k) * b(r->arg[1] + 128 * j, k);
  return sum;
}
#define PRODUCT(name, type, sign, n, a, b)                                                                   \
  static void ref_wgmma_##name(ref_state *r) {                                                               \
    EACH(i, 64) EACH(j, 16)((type *)(void *)r->arg[2])[i * 16 + j] = (type)(sign * dot(r, i, j, n, number_##a, number_##b)); \
  }
PRODUCT(f16, float, 1, 64, f16, f16)
PRODUCT(bf16, float, -1, 64, bf16, bf16)
PRODUCT(tf32, float, -1, 32, tf32, tf32)
PRODUCT(e4m3, float, 1, 128, e4m3, e5m2)
PRODUCT(s8, int32_t, 1, 128, s8, u8)
PRODUCT(b1, int32_t, 1, 1024, b1, b1)
PRODUCT(half, _Float16, 1, 64, f16, f16)

static void ref_wgmma_layout(ref_state *r) {
  EACH(i, 64) EACH(j, 32) {
    double sum = 0;
    EACH(k, 64) sum += (double)F16(0)[i * 64 + k] * (double)F16(1)[j * 64 + k];
    F32(2)[i * 32 + j] = (float)sum;
  }
}

static void ref_wgmma_gemm(ref_state *r) {
  int n = INT(3), k = INT(4), m = (int)r->launch->grid[1] * 64;
  EACH(i, m) EACH(j, n) {
    double sum = 0;
    EACH(l, k) sum += (double)F16(0)[i * k + l] * (double)F16(1)[j * k + l];
    F32(2)[i * n + j] = (float)sum;
  }
}

/* ---- clusters ---- */

static void ref_cluster_sum(ref_state *r) {
  EACH(c, 2) EACH(t, 64) {
    double sum = 0;
    EACH(b, 4) sum += F32(0)[(c * 4 + b) * 64 + t];
    F32(1)[c * 64 + t] = (float)sum;
  }
  EACH(b, 8) U32(2)[b] = b % 4 | 4 << 4 | (b % 4 ? 0 : 1 + 2 + 3 + 4) << 8;
}

static void ref_cluster_ptx(ref_state *r) {
  EACH(by, 2) EACH(bx, 4) {
    uint32_t *to = U32(0) + (by * 4 + bx) * 68, rank = by % 2 * 2 + bx % 2, next = (rank + 1) % 4, before = (rank + 3) % 4;
    int first = by / 2 * 8 + bx / 2 * 2; /* number of the cluster's first block */
    EACH(l, 32) {
      to[l] = (first + next / 2 * 4 + next % 2) * 100 + l;
      to[32 + l] = (first + before / 2 * 4 + before % 2) * 100 + l;
    }
    to[64] = rank | 4 << 4 | (bx % 2) << 8 | (by % 2) << 12 | (bx / 2) << 16 | (by / 2) << 20 | 2 << 24;
    to[65] = next;
    to[66] = rank ? 0 : 4 * 496;
    to[67] = 1;
  }
}

static void ref_tma_multicast(ref_state *r) {
  EACH(b, 4) EACH(i, 512) {
    /* what lies at a place is what the exchange of that place's piece brings there */
    U32(1)[b * 512 + i] = U32(0)[b / 2 * 512 + shuffled(4 * i, 128) / 4] + b % 2;
  }
}

#define SAME(name) {#name, ref_##name}
static const struct {
  const char *name;
  ref_fn fn;
} table[] = {
    SAME(cluster_sum), SAME(cluster_ptx), SAME(tma_multicast), SAME(mbar_ops), SAME(mbar_pipe), SAME(bulk_copy), SAME(tma_3d), SAME(tma_replace),
    {"tma_plain", ref_tma_tile}, {"tma_swizzle32", ref_tma_tile}, {"tma_swizzle64", ref_tma_tile},
    {"tma_swizzle128", ref_tma_tile}, {"tma_steps", ref_tma_tile},
    SAME(wgmma_gemm), SAME(wgmma_f16), SAME(wgmma_bf16), SAME(wgmma_tf32), SAME(wgmma_e4m3), SAME(wgmma_s8), SAME(wgmma_b1), SAME(wgmma_half),
    {"wgmma_kk16", ref_wgmma_layout}, {"wgmma_kk32", ref_wgmma_layout}, {"wgmma_kk64", ref_wgmma_layout},
    {"wgmma_kk128", ref_wgmma_layout}, {"wgmma_km128", ref_wgmma_layout}, {"wgmma_km32", ref_wgmma_layout},
    {"wgmma_mm16", ref_wgmma_layout}, {"wgmma_mm128", ref_wgmma_layout}, {"wgmma_registers", ref_wgmma_layout},
};

ref_fn ref_find_hopper(const char *name) {
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].name, name) == 0) return table[i].fn;
  return NULL;
}
