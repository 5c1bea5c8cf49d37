/* likely.c - see likely.h.
 *
 * Floats are in [0, 1). Integers go by what becomes of them (roles.c): indices stay
 * inside what they index, row pointers rise, numbers that end a loop are small, numbers
 * compared with constants lie on both sides of these, counters begin at zero. None is
 * larger than its type holds. */
#include "likely.h"

#include <math.h>

enum {
  ROW_LENGTH = 16,
  LOOP_BOUND = 32,
  APART = 4,         /* other contents are so many times smaller or larger */
  FEW_ELEMENTS = 4,  /* fewer recorded ones tell nothing */
  MOST_ELEMENTS = 64 /* recorded bytes of the smallest type */
};
#define MOST_COMPARED 0x1p30
#define ANY_KEY 0x1p30 /* keys of a search or of a hash table are below it */

/* Integers of its type are below this. */
static double type_end(const ww_unfilled *c) {
  char kind;
  uint32_t bytes, lanes;
  if (!ww_elem_parts(c->buffer->type, &kind, &bytes, &lanes))
    return INT32_MAX;
  bool sign = c->role->negative || bytes >= 4;
  return ldexp(1, 8 * (int)bytes - (sign ? 1 : 0));
}

static ww_fill uniform(double lo, double hi) {
  return (ww_fill){.kind = WW_FILL_UNIFORM, .lo = lo, .hi = hi};
}

/* Integers on both sides of what they are compared with. Bytes that are not compared
 * for equality are amounts: all values occur. */
static bool around_compared(const ww_unfilled *c, ww_fill *out) {
  double end = type_end(c);
  if (!c->role->decides || c->least > c->most || c->least <= -MOST_COMPARED ||
      c->most >= MOST_COMPARED || (end <= 256 && !c->role->equals))
    return false;
  double lo = c->least < 0 ? c->least : 0;
  *out = uniform(lo, fmin(c->most > 0 ? 2 * c->most : lo + 2, end));
  return true;
}

static ww_fill rising_to(double hi) {
  return (ww_fill){.kind = WW_FILL_MONOTONE, .hi = hi};
}

static ww_fill row_pointers(const ww_unfilled *c) {
  if (!c->elements) /* rows of one entry, to see how many rows there are */
    return (ww_fill){.kind = WW_FILL_INDEX};
  return (ww_fill){.kind = WW_FILL_MONOTONE,
                   .hi = c->entries ? c->entries : (double)c->elements * ROW_LENGTH};
}

/* A list's links come to every element once, as far as the list is read for a number of
 * steps; where contents end the loop, links that lead towards the first element end it.
 */
static ww_fill indices(const ww_unfilled *c) {
  double end = fmin(c->range, type_end(c));
  if (c->role->compared && c->most > 1) /* `id < vocab`: others are turned away */
    end = fmin(end, c->most);
  if (!c->role->linked || !c->elements || c->elements > end)
    return uniform(0, end);
  if (c->role->decides & WW_DECIDES_LOOPS)
    return rising_to((double)c->elements / 2);
  return (ww_fill){.kind = WW_FILL_PERMUTATION};
}

ww_fill ww_likely_fill(const ww_unfilled *c) {
  const ww_role *r = c->role;
  ww_fill f;
  if (r->counter || r->flag || (r->stored && !r->loaded))
    return (ww_fill){.kind = WW_FILL_ZEROS};
  bool whole = ww_elem_is_int(c->buffer->type);
  if (r->searched)
    return rising_to(whole ? fmin(ANY_KEY, type_end(c)) - 1 : 1);
  if (!whole)
    return (ww_fill){.kind = WW_FILL_RANDOM};
  if (r->rows)
    return row_pointers(c);
  if (r->index)
    return indices(c);
  if (r->bound)
    return uniform(1, LOOP_BOUND);
  if (r->sought || r->decides & WW_DECIDES_ADDRESSES)
    return uniform(0, fmin(ANY_KEY, type_end(c)));
  if (around_compared(c, &f))
    return f;
  return (ww_fill){.kind = WW_FILL_RANDOM};
}

/* ---- first recorded bytes ---- */

typedef struct {
  double v[MOST_ELEMENTS], least, most;
  uint32_t n;
  bool real;          /* floating point */
  bool rises, counts; /* each is at least the one before; each is its index */
} sample;

static double integer_at(const uint8_t *p, uint32_t bytes, bool sign) {
  uint64_t u = 0;
  memcpy(&u, p, bytes);
  uint32_t unused = 64 - 8 * bytes;
  return sign ? (double)((int64_t)(u << unused) >> unused) : (double)u;
}

/* Half precision and bfloat16 are left alone: their values decide little. */
static double real_at(const uint8_t *p, uint32_t bytes) {
  float f;
  double d;
  if (bytes == 8)
    return memcpy(&d, p, 8), d;
  return memcpy(&f, p, 4), f;
}

/* The recorded elements; false where they are too few or no numbers of that type. */
static bool sample_of(const ww_unfilled *c, sample *s) {
  const ww_buffer *b = c->buffer;
  char kind;
  uint32_t bytes, lanes;
  if (b->offset || !ww_elem_parts(b->type, &kind, &bytes, &lanes))
    return false;
  bool real = kind == 'f' && bytes >= 4;
  *s = (sample){.n = b->head_n / bytes, .real = real, .rises = lanes == 1};
  if ((kind != 'i' && !real) || s->n < FEW_ELEMENTS)
    return false;
  s->counts = s->rises;
  for (uint32_t k = 0; k < s->n; k++) {
    const uint8_t *p = b->head + k * bytes;
    double v = real ? real_at(p, bytes)
                    : integer_at(p, bytes, bytes >= 4 || c->role->negative);
    if (real && (!isfinite(v) || fabs(v) > 1e30 || (v != 0 && fabs(v) < 1e-30)))
      return false;
    s->least = k ? fmin(s->least, v) : v;
    s->most = k ? fmax(s->most, v) : v;
    s->rises &= !k || v >= s->v[k - 1];
    s->counts &= v == k;
    s->v[k] = v;
  }
  return true;
}

/* The line through the recorded elements, up to the last element. */
static ww_fill rising(const ww_unfilled *c, const sample *s) {
  double slope = (s->most - s->least) / (s->n - 1);
  double hi = s->least + slope * ((double)c->elements - 1);
  if (c->role->rows && c->entries && s->least >= 0)
    hi = c->entries;
  else if (c->role->index && !c->role->rows)
    hi = fmin(hi, (double)c->range - 1);
  if (!s->real)
    hi = fmin(hi, type_end(c) - 1);
  return (ww_fill){.kind = WW_FILL_MONOTONE, .lo = s->least, .hi = fmax(hi, s->least)};
}

static ww_fill scattered(const ww_unfilled *c, const sample *s) {
  double hi = s->most + (s->most - s->least) / s->n + !s->real;
  if (s->real && s->least >= 0 && s->most < 1 && s->most > 0.5)
    return (ww_fill){.kind = WW_FILL_RANDOM};
  if (c->role->index && s->least >= 0 && s->most < c->range)
    return uniform(s->most < (double)c->range / MOST_ELEMENTS ? s->least : 0,
                   s->most < (double)c->range / MOST_ELEMENTS ? hi : c->range);
  return uniform(s->least, s->real ? hi : fmin(hi, type_end(c)));
}

bool ww_likely_recorded(const ww_unfilled *c, ww_fill *out) {
  sample s;
  if (!c->buffer->head_n || !sample_of(c, &s))
    return false;
  if (s.least == s.most && s.least == 0)
    *out = (ww_fill){.kind = WW_FILL_ZEROS};
  else if (s.least == s.most)
    *out = uniform(s.least, s.least + !s.real);
  else if (s.counts && !(c->role->rows && c->entries))
    *out = (ww_fill){.kind = WW_FILL_INDEX};
  else if (s.rises && c->elements > s.n)
    *out = rising(c, &s);
  else if (!c->role->rows)
    *out = scattered(c, &s);
  else
    return false;
  return true;
}

/* ---- what else it might hold ---- */

/* Rows of the same number of entries each, of very different ones, or fewer and more.
 */
static uint32_t other_rows(const ww_unfilled *c, const ww_fill *f, ww_fill *out) {
  uint32_t n = 0;
  out[n++] = (ww_fill){.kind = WW_FILL_SKEWED, .lo = f->lo, .hi = f->hi};
  if (c->entries)
    return n;
  out[n++] = (ww_fill){.kind = WW_FILL_MONOTONE, .lo = f->lo, .hi = f->hi / APART};
  out[n++] = (ww_fill){.kind = WW_FILL_MONOTONE, .lo = f->lo, .hi = f->hi * APART};
  return n;
}

uint32_t
ww_likely_others(const ww_unfilled *c, const ww_fill *f, ww_fill out[WW_OTHER_FILLS]) {
  const ww_role *r = c->role;
  uint32_t n = 0;
  if (!r->decides || r->counter || r->flag || (r->stored && !r->loaded))
    return 0;
  if (r->rows)
    return f->kind == WW_FILL_MONOTONE ? other_rows(c, f, out) : 0;
  bool whole = ww_elem_is_int(c->buffer->type);
  double end = fmin(r->index ? c->range : ANY_KEY, type_end(c));
  if (!whole) {
    out[n++] = rising_to(1);
    if (r->searched)
      out[n - 1] = (ww_fill){.kind = WW_FILL_RANDOM};
    out[n++] = uniform(-1, 1);
    out[n++] = (ww_fill){.kind = WW_FILL_ZEROS};
  } else if (r->decides & WW_DECIDES_ADDRESSES) {
    if (f->kind != WW_FILL_MONOTONE)
      out[n++] = rising_to(end - 1);
    if (f->kind != WW_FILL_UNIFORM)
      out[n++] = uniform(0, end);
    out[n++] = (ww_fill){.kind = WW_FILL_ZIPF, .hi = end};
  } else if (r->bound) {
    out[n++] = uniform(1, LOOP_BOUND / APART);
    out[n++] = uniform(1, LOOP_BOUND * APART);
  } else {
    out[n++] = (ww_fill){.kind = WW_FILL_ZEROS};
    out[n++] = (ww_fill){.kind = WW_FILL_ONES};
    out[n++] = rising_to(f->kind == WW_FILL_UNIFORM ? f->hi - 1 : end - 1);
  }
  return n;
}
