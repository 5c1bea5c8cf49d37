/* fill.c - what buffers hold: a counter-based generator, element i from (seed, i)
 * alone.
 *
 * The trace makes pages on first touch and the device gets whole buffers: both must see
 * the same bytes, on every machine, in every version. So no state, no inexact libm, no
 * contraction (-std=c17 turns it off); a test freezes the values. */
#include "launch.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>

#include "../base/random.h"

const char *const ww_fill_names[WW_NFILLS] = {
    NULL,          "zeros",    "ones", "index", "random", "uniform",
    "permutation", "monotone", "zipf", "file",  "skewed"};

typedef enum { F16, BF16, F32, F64, INT, UINT, BOOL } number_kind;

typedef struct {
  number_kind kind;
  uint32_t bytes; /* of one component */
  uint32_t lanes; /* components of an element */
} element;

static const struct {
  const char *name;
  number_kind kind;
  uint32_t bytes;
} element_names[] = {
    {"f16", F16, 2},    {"bf16", BF16, 2},     {"f32", F32, 4},     {"f64", F64, 8},
    {"i8", INT, 1},     {"u8", UINT, 1},       {"i16", INT, 2},     {"u16", UINT, 2},
    {"i32", INT, 4},    {"u32", UINT, 4},      {"i64", INT, 8},     {"u64", UINT, 8},
    {"half", F16, 2},   {"float", F32, 4},     {"double", F64, 8},  {"char", INT, 1},
    {"uchar", UINT, 1}, {"short", INT, 2},     {"ushort", UINT, 2}, {"int", INT, 4},
    {"uint", UINT, 4},  {"unsigned", UINT, 4}, {"long", INT, 8},    {"ulong", UINT, 8},
    {"bool", BOOL, 1},  {"i1", BOOL, 1},
};

/* float4, f32x4: a number behind the name is a vector length. An exact name wins (f16
 * is half, not 16 f's). */
static bool element_of(const char *type, element *out) {
  size_t n = type ? strlen(type) : 0;
  if (!type)
    return *out = (element){UINT, 1, 1}, true;
  for (int pass = 0; pass < 2; pass++) {
    for (size_t i = 0; i < WW_COUNT(element_names); i++)
      if (strlen(element_names[i].name) == n &&
          !memcmp(type, element_names[i].name, n)) {
        *out = (element){element_names[i].kind, element_names[i].bytes,
                         pass ? out->lanes : 1};
        return true;
      }
    const char *tail = type + n;
    while (n && isdigit((unsigned char)tail[-1])) {
      tail--;
      n--;
    }
    if (!*tail || strlen(tail) > 2)
      return false;
    out->lanes = 0;
    for (const char *d = tail; *d; d++)
      out->lanes = out->lanes * 10 + (uint32_t)(*d - '0');
    if (n && tail[-1] == 'x' && n > 1 && isdigit((unsigned char)tail[-2]))
      n--;
    if (out->lanes != 2 && out->lanes != 3 && out->lanes != 4 && out->lanes != 8 &&
        out->lanes != 16)
      return false;
  }
  return false;
}

uint32_t ww_elem_size(const char *type) {
  element el = {0};
  return type && element_of(type, &el) ? el.bytes * el.lanes : 0;
}

bool ww_elem_is_int(const char *type) {
  element el = {0};
  return type && element_of(type, &el) && (el.kind == INT || el.kind == UINT);
}

bool ww_elem_parts(const char *type, char *kind, uint32_t *bytes, uint32_t *lanes) {
  static const char kinds[] = "fbffii?"; /* by number_kind */
  element el = {0};
  if (!element_of(type, &el))
    return false;
  *kind = kinds[el.kind];
  *bytes = el.bytes;
  *lanes = el.lanes;
  return true;
}

/* What random64 makes of its seed: loops over elements make it once. */
static uint64_t base_of(uint64_t seed) {
  return ww_mix64(seed + WW_GOLDEN);
}
static inline uint64_t random_at(uint64_t base, uint64_t i) {
  return ww_mix64(base + i * WW_GOLDEN);
}
static uint64_t random64(uint64_t seed, uint64_t i) {
  return random_at(base_of(seed), i);
}

uint64_t ww_fill_seed(uint64_t launch_seed, uint32_t allocation) {
  return ww_mix64(launch_seed * 0xd1342543de82ef95ull + ww_mix64(allocation + 1));
}

/* ---- conversions to the element's bits ---- */

/* Round to nearest even into a format of `mant` stored mantissa bits and exponent bias
 * `bias`; no infinities come out. */
static uint16_t small_float(double v, int mant, int bias, uint16_t max) {
  float f = (float)v;
  uint32_t bits;
  memcpy(&bits, &f, 4);
  uint16_t sign = (uint16_t)(bits >> 31 << 15);
  int exponent = (int)(bits >> 23 & 255) - 127 + bias;
  uint32_t m = (bits & 0x7fffff) | 0x800000;
  int drop = 23 - mant;
  if ((bits & 0x7fffffff) == 0)
    return sign;
  if (exponent <= 0) { /* subnormal: no hidden bit */
    drop += 1 - exponent;
    exponent = 0;
    if (drop > 24)
      return sign;
  } else {
    m &= 0x7fffff;
  }
  uint32_t half = (uint32_t)1 << (drop - 1);
  uint32_t kept = m >> drop;
  uint32_t rest = m & (((uint32_t)1 << drop) - 1);
  kept += rest > half || (rest == half && (kept & 1));
  uint32_t out = ((uint32_t)exponent << mant) + kept;
  return sign | (uint16_t)(out > max ? max : out);
}

static void put(void *p, element el, double v) {
  if (el.kind == F64) {
    memcpy(p, &v, 8);
  } else if (el.kind == F32) {
    float f = (float)v;
    memcpy(p, &f, 4);
  } else {
    uint16_t h = el.kind == F16 ? small_float(v, 10, 15, 0x7bff)
                                : small_float(v, 7, 127, 0x7f7f);
    memcpy(p, &h, 2);
  }
}

static bool is_float(element el) {
  return el.kind <= F64;
}

/* A bound or a number of steps as an integer; what no integer holds becomes the nearest
 * that does.
 */
static int64_t whole(double v) {
  return v >= 0x1p63 ? INT64_MAX : v <= -0x1p63 ? INT64_MIN : (int64_t)v;
}
uint64_t ww_fill_steps(double lo, double hi) {
  return hi - lo >= 0x1p64 ? UINT64_MAX : hi > lo ? (uint64_t)(hi - lo) : 0;
}
static int64_t plus(double lo, uint64_t n) {
  return (int64_t)((uint64_t)whole(lo) + n);
}

static void put_int(void *p, element el, int64_t v) {
  if (is_float(el)) {
    put(p, el, (double)v);
  } else {
    /* little-endian hosts only, as the devices are */
    uint64_t bits = el.kind == BOOL ? v != 0 : (uint64_t)v;
    memcpy(p, &bits, el.bytes);
  }
}

/* ---- kinds ---- */

static uint32_t significant_bits(element el) {
  return el.kind == F64 ? 53 : el.kind == F32 ? 24 : el.kind == F16 ? 11 : 8;
}

/* Of the type, near the larger end. */
static double step_of(element el, double lo, double hi) {
  int exponent;
  frexp(fabs(lo) > fabs(hi) ? lo : hi, &exponent);
  return ldexp(1, exponent - (int)significant_bits(el));
}

/* lo .. hi without hi, also after rounding to the type. */
static inline double between(double u, double lo, double hi, double step) {
  double v = lo + u * (hi - lo);
  if (v > hi - step)
    v = hi - step;
  return v < lo ? lo : v;
}

static void put_random_int(void *p, element el, uint64_t r, double lo, double hi) {
  if (el.kind == BOOL) {
    put_int(p, el, (int64_t)(r >> 63));
  } else if (lo == 0 && hi == 0) {
    memcpy(p, &r, el.bytes);
  } else {
    uint64_t range = ww_fill_steps(lo, hi);
    put_int(p, el,
            plus(lo, (uint64_t)(((unsigned __int128)r * (range ? range : 1)) >> 64)));
  }
}

/* A bijection of [0, count): an alternating Feistel network over the next power of two,
 * walked until it lands inside. Fewer than two steps on average. */
static void put_permutation(char *p,
                            element el,
                            double lo,
                            uint64_t count,
                            uint64_t seed,
                            uint64_t first,
                            uint64_t n) {
  unsigned bits = count > 4 ? 64 - (unsigned)__builtin_clzll(count - 1) : 2;
  unsigned low = bits / 2;
  unsigned high = bits - low;
  uint64_t low_mask = ((uint64_t)1 << low) - 1;
  uint64_t high_mask = ((uint64_t)1 << high) - 1;
  uint64_t base[8];
  for (uint64_t k = 0; k < 8; k++)
    base[k] = base_of(seed + k);
  for (uint64_t k = first; k < first + n; k++, p += el.bytes) {
    uint64_t i = k;
    do {
      uint64_t l = i & low_mask;
      uint64_t h = i >> low;
      for (int round = 0; round < 8; round += 2) {
        h ^= random_at(base[round], l) & high_mask;
        l ^= random_at(base[round + 1], h) & low_mask;
      }
      i = h << low | l;
    } while (i >= count && count >= 2);
    put_int(p, el, plus(lo, count < 2 ? 0 : i));
  }
}

/* Row pointers: element i lies in the i-th of count-1 equal steps from lo to hi, at a
 * random place of it. */
static double
monotone(uint64_t seed, uint64_t i, uint64_t count, double lo, double hi) {
  if (lo == 0 && hi == 0)
    hi = count > 1 ? (double)(count - 1) : 0;
  if (i == 0 || count < 2)
    return lo;
  if (i >= count - 1)
    return hi;
  return lo + ((double)i + ww_random_unit(random64(seed, i))) *
                  ((hi - lo) / (double)(count - 1));
}

/* Row pointers of which one in SKEW rows, at a random place among them, has half of the
 * entries of all SKEW. */
static double skewed(uint64_t seed, uint64_t i, uint64_t count, double lo, double hi) {
  enum { SKEW = 32 };
  if (lo == 0 && hi == 0)
    hi = count > 1 ? (double)(count - 1) : 0;
  if (i == 0 || count < 2)
    return lo;
  if (i >= count - 1)
    return hi;
  double mean = (hi - lo) / (double)(count - 1);
  uint64_t first = i / SKEW * SKEW;
  bool behind = i - first > random64(seed, first) % SKEW;
  double v = (double)first + (double)(i - first) / 2 + (behind ? SKEW / 2 : 0);
  return fmin(lo + v * mean, hi);
}

double ww_fill_log2(double x) {
  int k = 0;
  while (x >= 2) {
    x *= 0.5;
    k++;
  }
  double t = (x - 1) / (x + 1);
  double t2 = t * t;
  double term = t;
  double sum = 0;
  for (int n = 1; n < 40; n += 2, term *= t2)
    sum += term / n;
  return k + sum * 2.885390081777926815; /* 2/ln 2 */
}

/* 0 <= x < 64, or a little above for the largest ranges */
static double exp2_exact(double x) {
  int k = x < 63 ? (int)x : 63;
  double f = (x - k) * 0.6931471805599453094;
  double term = 1;
  double sum = 1;
  for (int n = 1; n < 20; n++) {
    term *= f / n;
    sum += term;
  }
  return sum * (double)((uint64_t)1 << k);
}

/* What has the same whole part on every machine: the library's value, several times
 * faster, wherever no integer is near enough to it that its last bits would decide. */
static double exp2_whole(double x) {
  double y = exp2(x);
  bool far = y < 0x1p32 && fabs(y - (double)(int64_t)(y + 0.5)) > 1e-12 * y;
  return far ? y : exp2_exact(x);
}

/* Zipf with exponent 1 by its inverse distribution: rank = (n+1)^u - 1. */
static uint64_t zipf(uint64_t r, uint64_t n, double log2_n1) {
  uint64_t k = ww_fill_steps(1, exp2_whole(ww_random_unit(r) * log2_n1));
  return k < n ? k : n - 1;
}

static void put_zipf(char *p,
                     element el,
                     const ww_fill *f,
                     uint64_t count,
                     uint64_t seed,
                     uint64_t first,
                     uint64_t n) {
  bool given = f->hi > f->lo;
  uint64_t range = given ? ww_fill_steps(f->lo, f->hi) : count;
  if (range < 1)
    range = 1;
  double l = ww_fill_log2((double)range + 1);
  uint64_t base = base_of(seed);
  for (uint64_t i = 0; i < n; i++, p += el.bytes)
    put_int(p, el, plus(given ? f->lo : 0, zipf(random_at(base, first + i), range, l)));
}

/* The commonest contents, f32 in [0,1), without a decision per element: the same values
 * as put_random_float gives. */
static void put_random_f32(float *p, uint64_t seed, uint64_t first, uint64_t n) {
  uint64_t base = base_of(seed);
  for (uint64_t i = 0; i < n; i++)
    p[i] = (float)(uint32_t)(random_at(base, first + i) >> 40) * 0x1p-24f;
}

/* Integers of four bytes, as put_random_int gives them. */
static void put_random_i32(
    char *p, double lo, double hi, uint64_t seed, uint64_t first, uint64_t n) {
  uint64_t base = base_of(seed);
  uint64_t range = ww_fill_steps(lo, hi);
  uint64_t from = (uint64_t)whole(lo);
  bool given = lo != 0 || hi != 0;
  if (!range)
    range = 1;
  for (uint64_t i = 0; i < n; i++) {
    uint64_t r = random_at(base, first + i);
    uint32_t v =
        (uint32_t)(given ? from + (uint64_t)(((unsigned __int128)r * range) >> 64) : r);
    memcpy(p + 4 * i, &v, 4);
  }
}

/* Without a range: multiples of the type's own step in [0,1), so that rounding never
 * reaches 1. */
static void put_random_float(char *p,
                             element el,
                             double lo,
                             double hi,
                             uint64_t seed,
                             uint64_t first,
                             uint64_t n) {
  uint64_t base = base_of(seed);
  uint32_t drop = 64 - significant_bits(el);
  double scale = ldexp(1, -(int)significant_bits(el));
  double step = step_of(el, lo, hi);
  bool given = lo != 0 || hi != 0;
  for (uint64_t i = 0; i < n; i++, p += el.bytes) {
    double u = (double)(random_at(base, first + i) >> drop) * scale;
    put(p, el, given ? between(u, lo, hi, step) : u);
  }
}

static void put_each(char *p,
                     element el,
                     const ww_fill *f,
                     uint64_t count,
                     uint64_t seed,
                     uint64_t first,
                     uint64_t n) {
  for (uint64_t i = first; i < first + n; i++, p += el.bytes) {
    switch (f->kind) {
    case WW_FILL_ONES:
      put_int(p, el, 1);
      break;
    case WW_FILL_INDEX:
      put_int(p, el, (int64_t)i);
      break;
    case WW_FILL_SKEWED:
    case WW_FILL_MONOTONE: {
      double v = f->kind == WW_FILL_SKEWED ? skewed(seed, i, count, f->lo, f->hi)
                                           : monotone(seed, i, count, f->lo, f->hi);
      if (is_float(el))
        put(p, el, v);
      else
        put_int(p, el, whole(v));
      break;
    }
    default:
      put_random_int(p, el, random64(seed, i), f->lo, f->hi);
    }
  }
}

void ww_fill_bytes(const ww_fill *f,
                   const char *type,
                   uint64_t count,
                   uint64_t seed,
                   uint64_t first_elem,
                   uint64_t n_elems,
                   void *out) {
  element el = {0};
  bool known = element_of(type, &el);
  assert(f->kind != WW_FILL_FILE && "contents of files are read with ww_read_packed");
  assert(known && "element types are checked where they are read");
  if (!known)
    return;
  count *= el.lanes;
  first_elem *= el.lanes;
  n_elems *= el.lanes;
  bool random = f->kind == WW_FILL_NONE || f->kind == WW_FILL_RANDOM ||
                f->kind == WW_FILL_UNIFORM;
  if (f->kind == WW_FILL_ZEROS)
    memset(out, 0, n_elems * el.bytes);
  else if (f->kind == WW_FILL_RANDOM && el.kind == F32 && f->lo == 0 && f->hi == 0 &&
           (uintptr_t)out % 4 == 0)
    put_random_f32(out, seed, first_elem, n_elems);
  else if (random && (el.kind == INT || el.kind == UINT) && el.bytes == 4)
    put_random_i32(out, f->lo, f->hi, seed, first_elem, n_elems);
  else if (random && is_float(el))
    put_random_float(out, el, f->lo, f->hi, seed, first_elem, n_elems);
  else if (f->kind == WW_FILL_PERMUTATION)
    put_permutation(out, el, f->lo, count, seed, first_elem, n_elems);
  else if (f->kind == WW_FILL_ZIPF)
    put_zipf(out, el, f, count, seed, first_elem, n_elems);
  else
    put_each(out, el, f, count, seed, first_elem, n_elems);
}
