/* contents.c - what buffers hold before the runs of a case.
 *
 * What the launch says of contents stays as it says. What the old kernel only writes is
 * poison: random bytes, so that a result nobody wrote is seen. Numbers that nothing is
 * known of are spread as the case asks, with NaN, infinities or denormals among them.
 */
#include "verify_int.h"

#include <math.h>
#include <time.h>
#include <unistd.h>

#include "../base/half.h"
#include "../base/random.h"

#define FEW 8            /* elements of a sparse buffer */
#define JUMPS 4          /* of row pointers */
#define SPECIAL_EVERY 11 /* elements, of those that are special */

static double special(ww_contents contents, uint64_t r) {
  static const double tiny[] = {0, -0.0, 1e-40, -1e-40, 1e-38, -3e-39};
  switch (contents) {
  case WW_CONTENTS_TINY:
    return tiny[r % WW_COUNT(tiny)];
  case WW_CONTENTS_HUGE:
    return r & 1 ? 1e30 : -1e30;
  case WW_CONTENTS_NAN:
    return NAN;
  default:
    return r & 1 ? INFINITY : -INFINITY;
  }
}

static void put_float(char kind, uint32_t bytes, double v, uint8_t *to) {
  float f = v;
  uint16_t h = kind == 'b' ? ww_float_to_bf16(f) : ww_float_to_half(f);
  if (bytes == 2)
    memcpy(to, &h, 2);
  else if (bytes == 4)
    memcpy(to, &f, 4);
  else
    memcpy(to, &v, 8);
}

static void
put_specials(const ww_case *c, const char *type, uint8_t *bytes, uint64_t n) {
  char kind;
  uint32_t size;
  uint32_t lanes;
  if (c->contents < WW_CONTENTS_TINY || c->contents > WW_CONTENTS_INF ||
      !ww_elem_parts(type, &kind, &size, &lanes) || (kind != 'f' && kind != 'b'))
    return;
  for (uint64_t i = 0; i < n / size; i++) {
    uint64_t r = ww_mix64(c->seed ^ (i * WW_GOLDEN));
    if (r % SPECIAL_EVERY == 0)
      put_float(kind, size, special(c->contents, r >> 32), bytes + i * size);
  }
}

/* Numbers whose range nobody gave. */
static ww_fill spread(const ww_case *c, const char *type) {
  bool integer = ww_elem_is_int(type);
  switch (c->contents) {
  case WW_CONTENTS_UNIT:
    return (ww_fill){.kind = WW_FILL_RANDOM};
  case WW_CONTENTS_WIDE:
    if (integer)
      return (ww_fill){.kind = WW_FILL_UNIFORM, .lo = -0x1p30, .hi = 0x1p30};
    return (ww_fill){.kind = WW_FILL_UNIFORM, .lo = -100, .hi = 100};
  default:
    if (integer)
      return (ww_fill){.kind = WW_FILL_UNIFORM, .lo = -8, .hi = 9};
    return (ww_fill){.kind = WW_FILL_UNIFORM, .lo = -1, .hi = 1};
  }
}

/* Of integers too narrow or unsigned for a range: all their bits. */
static bool any_bits(const char *type, const ww_fill *f) {
  char kind;
  uint32_t size;
  uint32_t lanes;
  return f->kind == WW_FILL_UNIFORM && ww_elem_parts(type, &kind, &size, &lanes) &&
         kind == 'i' && (size < 4 || type[0] == 'u') && f->lo < 0;
}

static void random_bytes(uint64_t seed, uint8_t *to, uint64_t n) {
  for (uint64_t at = 0; at < n; at += 8) {
    uint64_t r = ww_random(&seed);
    memcpy(to + at, &r, n - at < 8 ? n - at : 8);
  }
}

/* All are the least but for about eight, which have a bit more, or all are the largest
 * but for about eight: what is lost of a union, a count, a minimum or a search shows.
 * Few elements have no exceptions; in small cases all buffers are low or all are high,
 * so that a pattern is found in a text.
 */
static void put_sparse(const ww_fill *f,
                       const char *type,
                       bool low,
                       uint64_t seed,
                       uint8_t *to,
                       uint64_t n) {
  ww_fill most = {
      .kind = WW_FILL_UNIFORM,
      .lo = low ? f->lo : f->hi - 1,
  };
  most.hi = most.lo + 1;
  uint32_t size = ww_elem_size(type);
  uint64_t count = n / size;
  ww_fill_bytes(&most, type, count, seed, 0, count, to);
  for (uint64_t k = 0; k < FEW && k < count / FEW; k++) {
    uint64_t r = ww_random(&seed);
    double more = low ? (double)(1ull << (r >> 32) % 32) : 0;
    ww_fill one = {
        .kind = WW_FILL_UNIFORM,
        .lo = f->lo + more,
    };
    one.hi = one.lo + 1;
    if (one.hi <= f->hi)
      ww_fill_bytes(&one, type, 1, seed, 0, 1, to + r % count * size);
  }
}

/* Row pointers of which few rows have all: longer than any block is wide. */
static void put_jumps(
    const ww_fill *f, const char *type, uint64_t seed, uint8_t *to, uint64_t count) {
  uint64_t at = 0;
  for (int k = 0; k <= JUMPS && at < count; k++) {
    uint64_t next = at + 1 + ww_random(&seed) % (count / JUMPS + 1);
    ww_fill same = {.kind = WW_FILL_UNIFORM};
    if (k == JUMPS || next > count)
      next = count;
    same.lo = f->lo + floor((f->hi - f->lo) * k / JUMPS);
    if (at && next == count) /* however few there are: the last one is the end */
      same.lo = f->hi;
    same.hi = same.lo + 1;
    ww_fill_bytes(&same, type, next - at, seed, 0, next - at,
                  to + at * ww_elem_size(type));
    at = next;
  }
}

/* Floats that no sum is spoiled by: atomics may add to them. */
static void
poison(const ww_case *c, const char *type, uint64_t seed, uint8_t *to, uint64_t n) {
  ww_fill f = {
      .kind = WW_FILL_UNIFORM,
      .lo = -2,
      .hi = 2,
  };
  (void)c;
  uint32_t size = ww_elem_size(type);
  if (ww_elem_is_int(type) || !size)
    random_bytes(seed, to, n);
  else
    ww_fill_bytes(&f, type, n / size, seed, 0, n / size, to);
}

uint8_t *ww_case_contents(const ww_plan *p,
                          const ww_case *c,
                          const ww_launch *l,
                          const ww_region *r,
                          ww_arena *a) {
  uint32_t q = r->arg;
  const char *type = r->type && ww_elem_size(r->type) ? r->type : "u8";
  uint64_t count = r->size / ww_elem_size(type);
  uint8_t *to = ww_alloc(a, r->size + 16);
  /* what a moved pointer points at comes first: row pointers begin with 0 */
  uint64_t lead = c->offset ? l->args[q].buffer.offset : 0;
  bool given = q < p->said.nargs && p->said.args[q].kind == WW_ARG_BUFFER &&
               p->said.args[q].buffer.fill.kind != WW_FILL_NONE;
  ww_fill f = l->args[q].buffer.fill;
  bool written = p->roles[q].stored && !p->roles[q].loaded && !p->roles[q].counter;
  if (written && !given && c->alias[0] != (int32_t)q && c->alias[1] != (int32_t)q) {
    poison(c, type, r->seed, to, r->size);
    return to;
  }
  bool free = f.kind == WW_FILL_RANDOM || (written && !given);
  if (free)
    f = spread(c, type);
  if (free && any_bits(type, &f))
    random_bytes(r->seed, to, r->size);
  else {
    count -= lead / ww_elem_size(type);
    random_bytes(r->seed, to, lead);
    if (c->contents == WW_CONTENTS_SPARSE && f.kind == WW_FILL_UNIFORM && f.lo < f.hi &&
        ww_elem_is_int(type))
      put_sparse(&f, type, (c->large ? r->seed : c->seed) & 1, r->seed, to + lead,
                 r->size - lead);
    else if (c->contents == WW_CONTENTS_SPARSE && f.kind == WW_FILL_MONOTONE &&
             ww_elem_is_int(type))
      put_jumps(&f, type, r->seed, to + lead, count);
    else
      ww_fill_bytes(&f, type, count, r->seed, 0, count, to + lead);
  }
  if (free)
    put_specials(c, type, to, r->size);
  return to;
}

void ww_perturb(
    const char *type, uint8_t *bytes, uint64_t n, bool all_up, uint64_t seed) {
  char kind;
  uint32_t size;
  uint32_t lanes;
  if (!ww_elem_parts(type, &kind, &size, &lanes) || kind != 'f' || size < 4)
    return;
  for (uint64_t i = 0; i < n / size; i++) {
    bool up = all_up || ww_random(&seed) & 1;
    if (size == 4) {
      float f;
      memcpy(&f, bytes + 4 * i, 4);
      f = nextafterf(f, up ? INFINITY : -INFINITY);
      memcpy(bytes + 4 * i, &f, 4);
    } else {
      double d;
      memcpy(&d, bytes + 8 * i, 8);
      d = nextafter(d, up ? INFINITY : -INFINITY);
      memcpy(bytes + 8 * i, &d, 8);
    }
  }
}

uint64_t ww_verify_fresh_seed(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return ww_mix64(t.tv_nsec + 1000003 * t.tv_sec + getpid()) >> 33; /* to be typed */
}
