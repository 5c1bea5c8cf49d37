/* scalar.c - one lane of any arithmetic instruction, plainly: the reference beside the
 * vector handlers of interp.c, and what runs where no vector form exists. Values are
 * bits in a uint64_t, zero-extended. Slow and right is the job here. */
#include "code.h"

#include <fenv.h>
#include <math.h>

#include "../base/half.h"

static double bits_d(uint64_t b) {
  double d;
  memcpy(&d, &b, 8);
  return d;
}
static uint64_t d_bits(double d) {
  uint64_t u;
  memcpy(&u, &d, 8);
  return u;
}

static uint64_t mask_of(uint32_t w) {
  return w >= 64 ? ~0ull : (1ull << w) - 1;
}
static int64_t sext(uint64_t v, uint32_t w) {
  return w >= 64 ? (int64_t)v : (int64_t)(v << (64 - w)) >> (64 - w);
}

/* ---- half and bfloat16 ---- */

static double whole(double d, ww_round r) {
  switch (r) {
  case WW_RZ:
    return trunc(d);
  case WW_RD:
    return floor(d);
  case WW_RU:
    return ceil(d);
  case WW_RNA:
    return round(d);
  default:
    return nearbyint(d);
  }
}

/* Rounds a double to `mant` stored mantissa bits with smallest normal exponent emin,
 * under the current rounding mode given. */
static double round_to(double d, int mant, int emin, ww_round r) {
  if (d == 0 || !isfinite(d))
    return d;
  int e = ilogb(d);
  if (e < emin)
    e = emin;
  return ldexp(whole(ldexp(d, mant - e), r), e - mant);
}

static bool rounds_to_zero(ww_round r, double d) {
  return r == WW_RZ || (r == WW_RD && d > 0) || (r == WW_RU && d < 0);
}

static uint16_t half_bits(double d, ww_round r) {
  if (isnan(d))
    return 0x7fff;
  uint16_t h = ww_double_to_half(round_to(d, 10, -14, r));
  bool overflow = (h & 0x7fff) == 0x7c00 && isfinite(d);
  return overflow && rounds_to_zero(r, d) ? h - 1 : h;
}

static uint16_t bf16_bits(double d, ww_round r) {
  if (isnan(d))
    return 0x7fff;
  float f = round_to(d, 7, -126, r);
  if (isinf(f) && isfinite(d) && rounds_to_zero(r, d))
    return signbit(d) ? 0xff7f : 0x7f7f;
  return ww_float_bits(f) >> 16;
}

/* ---- 8-bit floats: e4m3 has no infinity, conversions to both end at the largest ----
 */

static int fp8_mantissa(ww_type t) {
  return t == WW_E4M3 ? 3 : 2;
}

static double from_fp8(ww_type t, uint8_t b) {
  int mant = fp8_mantissa(t);
  int emin = t == WW_E4M3 ? -6 : -14;
  int e = (b & 0x7f) >> mant;
  int m = b & ((1 << mant) - 1);
  if (t == WW_E4M3 ? (b & 0x7f) == 0x7f : (b & 0x7f) > 0x7c)
    return NAN;
  double v = e ? ldexp(m | 1 << mant, e - 1 + emin - mant) : ldexp(m, emin - mant);
  if (t == WW_E5M2 && (b & 0x7f) == 0x7c)
    v = INFINITY;
  return b & 0x80 ? -v : v;
}

static uint8_t to_fp8(ww_type t, double d, ww_round r) {
  int mant = fp8_mantissa(t);
  int emin = t == WW_E4M3 ? -6 : -14;
  double largest = t == WW_E4M3 ? 448 : 57344;
  if (isnan(d))
    return 0x7f;
  double a = fmin(fabs(round_to(d, mant, emin, r)), largest);
  int e = a > 0 ? ilogb(a) : emin;
  if (e < emin)
    e = emin;
  int code = (int)ldexp(a, mant - e) + ((e - emin) << mant);
  return (signbit(d) ? 0x80 : 0) | code;
}

/* ---- floats of any format as double and back ---- */

double ww_to_double(ww_type t, uint64_t b) {
  switch (t) {
  case WW_F16:
    return ww_half_to_float(b);
  case WW_BF16:
    return ww_bf16_to_float(b);
  case WW_E4M3:
  case WW_E5M2:
    return from_fp8(t, b);
  case WW_F32:
    return ww_bits_float(b);
  default:
    return bits_d(b);
  }
}

static int c_round(ww_round r) {
  return r == WW_RZ   ? FE_TOWARDZERO
         : r == WW_RD ? FE_DOWNWARD
         : r == WW_RU ? FE_UPWARD
                      : FE_TONEAREST;
}

uint64_t ww_from_double(ww_type t, double d, ww_round r) {
  switch (t) {
  case WW_F16:
    return half_bits(d, r);
  case WW_BF16:
    return bf16_bits(d, r);
  case WW_E4M3:
  case WW_E5M2:
    return to_fp8(t, d, r);
  case WW_F32: {
    if (r == WW_RN)
      return ww_float_bits(d);
    fesetround(c_round(r));
    volatile double v = d;
    volatile float f = v;
    fesetround(FE_TONEAREST);
    return ww_float_bits(f);
  }
  default:
    return d_bits(d);
  }
}

/* Rounded to odd: what does not fit a double leaves its trace in the last bit, so that
 * a second rounding comes out right. */
static double odd(double toward_zero) {
  return fetestexcept(FE_INEXACT) && isfinite(toward_zero)
             ? bits_d(d_bits(toward_zero) | 1)
             : toward_zero;
}

/* v of x, y and z, volatile ones: it happens here, under the rounding mode that is set.
 */
#define OPERATE(op, fused) \
  switch (op) {            \
  case WW_OP_FADD:         \
    v = x + y;             \
    break;                 \
  case WW_OP_FSUB:         \
    v = x - y;             \
    break;                 \
  case WW_OP_FMUL:         \
    v = x * y;             \
    break;                 \
  case WW_OP_FDIV:         \
    v = x / y;             \
    break;                 \
  default:                 \
    v = fused(x, y, z);    \
  }

/* f32 and f64 arithmetic in their own format; the 16-bit formats through double, which
 * holds their sums, products and quotients exactly enough that one rounding follows,
 * but for the fma of bf16, whose exponents reach too far. */
static uint64_t fp_op(const ww_ins *i, uint64_t a, uint64_t b, uint64_t c) {
  ww_round r = i->sub;
  bool by_odd = i->type == WW_BF16 && i->op == WW_OP_FMA && (r == WW_RN || r == WW_RNA);
  if (by_odd) {
    fesetround(FE_TOWARDZERO);
    feclearexcept(FE_INEXACT);
  } else if (r != WW_RN)
    fesetround(c_round(r));
  uint64_t out;
  if (i->type == WW_F32) {
    volatile float x = ww_bits_float(a);
    volatile float y = ww_bits_float(b);
    volatile float z = ww_bits_float(c);
    volatile float v = 0;
    OPERATE(i->op, fmaf);
    out = ww_float_bits(v);
  } else {
    volatile double x = ww_to_double(i->type, a);
    volatile double y = ww_to_double(i->type, b);
    volatile double z = ww_to_double(i->type, c);
    volatile double v = 0;
    OPERATE(i->op, fma);
    out = i->type == WW_F64 ? d_bits(v) : 0;
    if (i->type != WW_F64) {
      double once = by_odd ? odd(v) : v;
      fesetround(FE_TONEAREST);
      out = ww_from_double(i->type, once, r);
    }
  }
  if (r != WW_RN)
    fesetround(FE_TONEAREST);
  return out;
}

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
#define RELATION(x, y) ((x) < (y) ? LESS : (x) == (y) ? EQUAL : GREATER)

static bool compare(ww_cmp p, ww_type t, uint64_t a, uint64_t b) {
  enum { NOT_EQUAL = LESS | GREATER, UP_TO = LESS | EQUAL, FROM = GREATER | EQUAL };
  enum { ORDERED = NOT_EQUAL | EQUAL };
  static const uint8_t holds[] = {
      EQUAL,
      NOT_EQUAL,
      LESS,
      UP_TO,
      GREATER,
      FROM, /* EQ .. SGE */
      LESS,
      UP_TO,
      GREATER,
      FROM, /* ULT .. UGE */
      EQUAL,
      NOT_EQUAL,
      LESS,
      UP_TO,
      GREATER,
      FROM,
      ORDERED, /* FOEQ .. FORD */
      EQUAL | UNORDERED,
      NOT_EQUAL | UNORDERED,
      LESS | UNORDERED,
      UP_TO | UNORDERED,
      GREATER | UNORDERED,
      FROM | UNORDERED,
      UNORDERED /* FUEQ .. FUNO */
  };
  if (p >= WW_FOEQ) {
    double x = ww_to_double(t, a);
    double y = ww_to_double(t, b);
    /* cppcheck-suppress arrayIndexOutOfBoundsCond */
    return holds[p] & (isnan(x) || isnan(y) ? UNORDERED : RELATION(x, y));
  }
  int64_t x = sext(a, ww_type_bits(t));
  int64_t y = sext(b, ww_type_bits(t));
  return holds[p] & (p >= WW_SLT && p <= WW_SGE ? RELATION(x, y) : RELATION(a, b));
}

static uint64_t reverse_bits(uint64_t v, uint32_t w) {
  uint64_t r = 0;
  for (uint32_t k = 0; k < w; k++)
    r |= (v >> k & 1) << (w - 1 - k);
  return r;
}

static uint64_t prmt(uint32_t a, uint32_t b, uint32_t sel) {
  uint64_t both = (uint64_t)b << 32 | a;
  uint32_t r = 0;
  for (int k = 0; k < 4; k++) {
    uint32_t s = sel >> (4 * k) & 15;
    uint32_t byte = both >> (8 * (s & 7)) & 255;
    if (s & 8)
      byte = byte & 128 ? 255 : 0;
    r |= byte << (8 * k);
  }
  return r;
}

static uint64_t bfe(uint64_t a, uint32_t start, uint32_t len, uint32_t w, bool sign) {
  start &= 255;
  len &= 255;
  if (!len)
    return 0;
  uint64_t msb = start + len - 1 < w - 1 ? start + len - 1 : w - 1;
  uint64_t s = sign ? a >> msb & 1 : 0;
  uint64_t r = 0;
  for (uint32_t k = 0; k < w; k++)
    r |= (k < len && start + k < w ? a >> (start + k) & 1 : s) << k;
  return r;
}

/* Number k of those of `bits` bits that a word packs. */
static int64_t packed(uint32_t word, uint32_t k, uint32_t bits, bool sign) {
  uint64_t v = word >> k * bits & mask_of(bits);
  return sign ? sext(v, bits) : (int64_t)v;
}

/* dp4a, dp2a: n numbers of a by n bytes of b. */
static uint64_t dot(uint32_t a, uint32_t b, uint32_t c, uint32_t n, uint8_t sub) {
  for (uint32_t k = 0; k < n; k++)
    c += packed(a, k, 32 / n, sub & 1) * packed(b, sub & 4 ? k + 2 : k, 8, sub & 2);
  return c;
}

static uint64_t int_op(const ww_ins *i, uint64_t a, uint64_t b, uint64_t c) {
  uint32_t w = ww_type_bits(i->type);
  int64_t x = sext(a, w);
  int64_t y = sext(b, w);
  switch (i->op) {
  case WW_OP_ADD:
    return a + b;
  case WW_OP_SUB:
    return a - b;
  case WW_OP_MUL:
    return a * b;
  case WW_OP_MULHS:
    return w == 64 ? (__int128)x * y >> 64 : x * y >> w;
  case WW_OP_MULHU:
    return w == 64 ? (unsigned __int128)a * b >> 64 : a * b >> w;
  case WW_OP_SDIV:
    return !b ? ~0ull : y == -1 ? 0 - (uint64_t)x : (uint64_t)(x / y);
  case WW_OP_UDIV:
    return !b ? ~0ull : a / b;
  case WW_OP_SREM:
    return !b ? a : y == -1 ? 0 : (uint64_t)(x % y);
  case WW_OP_UREM:
    return !b ? a : a % b;
  case WW_OP_AND:
    return a & b;
  case WW_OP_OR:
    return a | b;
  case WW_OP_XOR:
    return a ^ b;
  case WW_OP_SHL:
    return b >= w ? 0 : a << b;
  case WW_OP_LSHR:
    return b >= w ? 0 : a >> b;
  case WW_OP_ASHR:
    return x >> (b >= w ? w - 1 : b);
  case WW_OP_SMIN:
    return x < y ? a : b;
  case WW_OP_SMAX:
    return x > y ? a : b;
  case WW_OP_UMIN:
    return a < b ? a : b;
  case WW_OP_UMAX:
    return a > b ? a : b;
  case WW_OP_IABS:
    return x < 0 ? 0 - (uint64_t)x : a;
  case WW_OP_CTPOP:
    return __builtin_popcountll(a);
  case WW_OP_CTLZ:
    return a ? (uint64_t)__builtin_clzll(a) - (64 - w) : w;
  case WW_OP_CTTZ:
    return a ? (uint64_t)__builtin_ctzll(a) : w;
  case WW_OP_BREV:
    return reverse_bits(a, w);
  case WW_OP_BSWAP:
    return __builtin_bswap64(a) >> (64 - w);
  case WW_OP_FSHL:
    c %= w;
    return c ? a << c | b >> (w - c) : a;
  case WW_OP_FSHR:
    c %= w;
    return c ? b >> c | a << (w - c) : b;
  case WW_OP_PRMT:
    return prmt(a, b, c);
  case WW_OP_BFEU:
    return bfe(a, b, c, w, false);
  case WW_OP_BFES:
    return bfe(a, b, c, w, true);
  case WW_OP_DP4A:
    return dot(a, b, c, 4, i->sub & 3);
  case WW_OP_DP2A:
    return dot(a, b, c, 2, i->sub);
  case WW_OP_SAD:
    return (i->sub  ? (x > y ? x - (uint64_t)y : y - (uint64_t)x)
            : a > b ? a - b
                    : b - a) +
           c;
  case WW_OP_LEA:
    return a + b * i->imm;
  default:
    return 0;
  }
}

static uint64_t to_int(const ww_ins *i, uint64_t a) {
  double d = ww_to_double(i->type2, a);
  uint32_t w = ww_type_bits(i->type);
  if (isnan(d))
    return i->type2 == WW_F64 || w == 64 ? 1ull << (w - 1) : 0; /* as PTX has it */
  d = whole(d, i->sub);
  bool sign = i->op == WW_OP_FTOSI;
  double top = ldexp(1, w - sign);
  if (sign)
    return d >= top   ? mask_of(w - 1)
           : d < -top ? 1ull << (w - 1)
                      : (uint64_t)(int64_t)d;
  return d >= top ? mask_of(w) : d <= 0 ? 0 : (uint64_t)d;
}

/* 64-bit integers to f32: directly, since going through double would round twice. */
static uint64_t from_int(const ww_ins *i, uint64_t a) {
  bool sign = i->op == WW_OP_SITOF;
  volatile int64_t vs = sext(a, ww_type_bits(i->type2));
  volatile uint64_t vu = a;
  ww_round r = i->sub;
  if (i->type == WW_F32 || i->type == WW_F64) {
    if (r != WW_RN)
      fesetround(c_round(r));
    uint64_t out = i->type == WW_F32 ? ww_float_bits(sign ? vs : (float)vu)
                                     : d_bits(sign ? vs : (double)vu);
    if (r != WW_RN)
      fesetround(FE_TONEAREST);
    return out;
  }
  fesetround(FE_TOWARDZERO);
  feclearexcept(FE_INEXACT);
  volatile double v = sign ? vs : (double)vu;
  double once = odd(v);
  fesetround(FE_TONEAREST);
  return ww_from_double(i->type, once, r);
}

/* ---- math functions ---- */

static double normcdfinv(double p);
static double bessel_i(int n, double x) {
  double term = n ? x / 2 : 1;
  double sum = term;
  double q = x * x / 4;
  for (int k = 1; k < 500 && fabs(term) > 1e-17 * fabs(sum); k++)
    sum += term *= q / ((double)k * (k + n));
  return sum;
}

static double erfinv_(double y) { /* near 0 by its series: (y + 1) / 2 would lose y */
  double q = M_PI * y * y;
  if (fabs(y) < 1e-3)
    return y * sqrt(M_PI) / 2 * (1 + q / 12 * (1 + q * 7 / 40));
  return normcdfinv((y + 1) / 2) / M_SQRT2;
}

static double erfcinv_(double y) {
  return y < 0.5 ? -normcdfinv(y / 2) / M_SQRT2 : erfinv_(1 - y);
}

/* far out by its asymptotic series: exp(x * x) overflows */
static double erfcx_(double x) {
  if (x < 12)
    return exp(x * x) * erfc(x);
  double sum = 1;
  double term = 1;
  for (int k = 1; k < 30 && fabs(term) > 1e-17; k++)
    sum += term *= -(2 * k - 1) / (2 * x * x);
  return sum / (x * sqrt(M_PI));
}

/* Exact at multiples of a half, as the device functions are. */
static double sinpi_(double x) {
  double r = remainder(x, 2); /* -1 .. 1 */
  if (fabs(r) > 0.5)
    r = copysign(1, r) - r;
  return sin(M_PI * r);
}

static double cospi_(double x) {
  return sinpi_(0.5 - fabs(remainder(x, 2)));
}

/* Inverse of the normal CDF: rational start (Acklam), then Newton steps on erfc. */
static double normcdfinv(double p) {
  if (p <= 0)
    return p == 0 ? -INFINITY : NAN;
  if (p >= 1)
    return p == 1 ? INFINITY : NAN;
  double q = p < 0.5 ? p : 1 - p;
  double t = sqrt(-2 * log(q));
  double x = -(t - (2.515517 + 0.802853 * t + 0.010328 * t * t) /
                       (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t));
  for (int k = 0; k < 4; k++) {
    double err = 0.5 * erfc(-x / M_SQRT2) - q;
    double pdf = exp(-x * x / 2) / sqrt(2 * M_PI);
    double u = err / pdf;
    x -= u / (1 + x * u / 2);
  }
  return p < 0.5 ? x : -x;
}

static double math_double(ww_math f, double x, double y, double z) {
  switch (f) {
#define MATH(name, text, n, value) \
  case WW_MATH_##name:             \
    return value;
#include "../ir/math.def"
  default:
    return NAN;
  }
}

/* Square root and reciprocal under the rounding mode in imm. */
static uint64_t rounded(const ww_ins *i, double x) {
  bool root = i->sub == WW_MATH_SQRT;
  uint64_t out;
  fesetround(c_round(i->imm));
  if (i->type == WW_F32) {
    volatile float v = x;
    volatile float r = root ? sqrtf(v) : 1 / v;
    out = ww_float_bits(r);
  } else {
    volatile double v = x;
    volatile double r = root ? sqrt(v) : 1 / v;
    out = d_bits(r);
  }
  fesetround(FE_TONEAREST);
  return out;
}

/* Single-precision functions whose f32 form is not the rounded double, and the exponent
 * functions with integer results. */
static uint64_t
math_op(const ww_ins *i, ww_type ta, ww_type tb, uint64_t a, uint64_t b, uint64_t c) {
  double x = ww_is_float(ta) ? ww_to_double(ta, a) : (int32_t)a;
  double y = ww_is_float(tb) ? ww_to_double(tb, b) : (int32_t)b;
  switch (i->sub) {
  case WW_MATH_ILOGB:
    return (uint32_t)ilogb(x);
  case WW_MATH_FREXP_EXP: {
    int e = 0;
    if (isfinite(x))
      frexp(x, &e);
    return (uint32_t)e;
  }
  case WW_MATH_NEXTAFTER:
    if (i->type == WW_F32)
      return ww_float_bits(nextafterf(x, y));
    break;
  case WW_MATH_FRACT:
    if (i->type == WW_F32)
      return ww_float_bits(fminf((float)x - floorf(x), 0x1.fffffep-1f));
    break;
  case WW_MATH_SQRT:
  case WW_MATH_RCP:
    if (i->imm != WW_RN)
      return rounded(i, x);
    break;
  default:
    break;
  }
  return ww_from_double(i->type, math_double(i->sub, x, y, ww_to_double(i->type, c)),
                        WW_RN);
}

/* ---- the dispatcher ---- */

static uint64_t minmax(const ww_ins *i, uint64_t a, uint64_t b) {
  double x = ww_to_double(i->type, a);
  double y = ww_to_double(i->type, b);
  if (isnan(x))
    return b;
  if (isnan(y))
    return a;
  bool below = x == y ? signbit(x) : x < y; /* -0 below +0 */
  return (i->op == WW_OP_FMIN) == below ? a : b;
}

uint64_t
ww_scalar(const ww_ins *i, ww_type ta, ww_type tb, uint64_t a, uint64_t b, uint64_t c) {
  uint32_t w = ww_type_bits(i->type);
  uint64_t sign = 1ull << (w - 1);
  switch (i->op) {
  case WW_OP_MOV:
  case WW_OP_FREEZE:
  case WW_OP_TRUNC:
    return a & mask_of(w);
  case WW_OP_SELECT:
    return a & 1 ? b : c;
  case WW_OP_ICMP:
  case WW_OP_FCMP:
    return compare(i->sub, i->type, a, b);
  case WW_OP_ZEXT:
    return a;
  case WW_OP_SEXT:
    return sext(a, ww_type_bits(i->type2)) & mask_of(w);
  case WW_OP_SITOF:
  case WW_OP_UITOF:
    return from_int(i, a);
  case WW_OP_FTOSI:
  case WW_OP_FTOUI:
    return to_int(i, a) & mask_of(w);
  case WW_OP_FCVT:
    return ww_from_double(i->type, ww_to_double(i->type2, a), i->sub);
  case WW_OP_FADD:
  case WW_OP_FSUB:
  case WW_OP_FMUL:
  case WW_OP_FDIV:
  case WW_OP_FMA:
    return fp_op(i, a, b, c);
  case WW_OP_FNEG:
    return (a ^ sign) & mask_of(w);
  case WW_OP_FABS:
    return a & ~sign & mask_of(w);
  case WW_OP_FMIN:
  case WW_OP_FMAX:
    return minmax(i, a, b);
  case WW_OP_MATH:
    return math_op(i, ta, tb, a, b, c);
  default:
    return int_op(i, a, b, c) & mask_of(w);
  }
}

uint64_t ww_rmw_apply(uint8_t rmw, uint8_t type, uint64_t old, uint64_t b) {
  static const uint8_t ops[] = {[WW_RMW_ADD] = WW_OP_ADD,   [WW_RMW_SUB] = WW_OP_SUB,
                                [WW_RMW_AND] = WW_OP_AND,   [WW_RMW_OR] = WW_OP_OR,
                                [WW_RMW_XOR] = WW_OP_XOR,   [WW_RMW_SMIN] = WW_OP_SMIN,
                                [WW_RMW_SMAX] = WW_OP_SMAX, [WW_RMW_UMIN] = WW_OP_UMIN,
                                [WW_RMW_UMAX] = WW_OP_UMAX, [WW_RMW_FADD] = WW_OP_FADD,
                                [WW_RMW_FSUB] = WW_OP_FSUB, [WW_RMW_FMIN] = WW_OP_FMIN,
                                [WW_RMW_FMAX] = WW_OP_FMAX};
  switch (rmw) {
  case WW_RMW_XCHG:
    return b;
  case WW_RMW_NAND:
    return ~(old & b) & mask_of(ww_type_bits(type));
  case WW_RMW_INC:
    return old >= b ? 0 : old + 1;
  case WW_RMW_DEC:
    return old == 0 || old > b ? b : old - 1;
  default:
    return ww_scalar(&(ww_ins){.op = ops[rmw], .type = type}, type, type, old, b, 0);
  }
}
