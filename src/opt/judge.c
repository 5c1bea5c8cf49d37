/* judge.c - two memories after a run, element by element.
 *
 * Integers are compared bit by bit. A float may be as far from what double precision
 * gives as twice the worst of the old kernel's own floats, measured in their scale: its
 * size, and what a last digit of the inputs moves it by, so that a sum whose terms
 * cancel is measured by its terms. Where the old kernel's own result changes with the
 * order of its threads, floats get that much more room and integers are compared as a
 * set. */
#include "verify_int.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "../base/half.h"

#define FLOOR 32  /* units of the last place that are always granted */
#define ATOMICS 8 /* and for the root of the number of atomics on an element */
#define NO_GUIDE \
  0.01          /* an error beyond which double precision computes another thing */
#define LUCK 32 /* times that two moves of the inputs may be smaller than usual */
#define ALIKE 8 /* times of the usual that nine tenths stay below */
#define MOST_USUAL 16384 /* elements that are looked at for what is usual */
#define MOST_MOVED \
  1e6             /* times of what goes in and comes out that an error is measured in */
#define ROUNDED 8 /* times of what rounding changes integers of a buffer by */
#define SWAPPED 1e-3 /* relative, between two orders: places change, not roundings */

typedef struct {
  char kind; /* 'f', 'b', 'i' */
  uint32_t bytes;
  double eps;
} component;

typedef enum { BY_PLACE, AS_SET, BY_PLACE_WHERE_SURE } manner;

typedef struct {
  component c;
  manner how;
  double grant; /* of floats: of their scale */
  const uint8_t *exact;
  double usual;   /* what a moved digit does to an element in the middle of them */
  bool alike;     /* and to most of the others too */
  bool untouched; /* by the old kernel */
  bool overflows; /* all inputs are finite: what is not came by overflow */
  double largest; /* of the case's finite floats before the runs, at least 1 */
  double decided; /* the most that rounding changes an integer by */
} measure;

struct ww_yardstick {
  const ww_kept_all *k;
  measure *v; /* per buffer */
  ww_arena *a;
};

static component component_of(const char *type) {
  component c = {
      .kind = 'i',
      .bytes = 1,
  };
  uint32_t lanes;
  if (type)
    ww_elem_parts(type, &c.kind, &c.bytes, &lanes);
  if (c.kind == '?')
    c.kind = 'i';
  c.eps = c.kind == 'b'  ? 0x1p-8
          : c.bytes == 2 ? 0x1p-11
          : c.bytes == 4 ? 0x1p-24
                         : 0x1p-53;
  return c;
}

static double float_at(component c, const uint8_t *p) {
  uint16_t h;
  float f;
  double d;
  memcpy(&h, p, 2);
  if (c.bytes == 2)
    return c.kind == 'b' ? ww_bf16_to_float(h) : ww_half_to_float(h);
  if (c.bytes == 4) {
    memcpy(&f, p, 4);
    return f;
  }
  memcpy(&d, p, 8);
  return d;
}

static const char *shown(component c, const uint8_t *p, ww_arena *a) {
  int64_t v = 0;
  if (c.kind != 'i')
    return ww_fmt(a, c.bytes == 8 ? "%.17g" : "%.9g", float_at(c, p));
  memcpy(&v, p, c.bytes);
  if (c.bytes < 8 && v >> (8 * c.bytes - 1) & 1)
    v -= (int64_t)1 << 8 * c.bytes;
  return ww_fmt(a, "%lld", (long long)v);
}

/* ---- what the old kernel's own runs tell ---- */

static double moved_by(const ww_kept_all *k, component c, uint64_t at, double exact) {
  double most = 0;
  for (int m = 0; m < 2 && k->moved[m]; m++) {
    double d = fabs(float_at(c, k->moved[m] + at) - exact);
    if (isfinite(d) && d > most)
      most = d;
  }
  return most;
}

/* What the error of one float is measured in. */
static double scale_of(const ww_kept_all *k, const measure *m, uint64_t at) {
  double exact = float_at(m->c, m->exact + at);
  double s = fabs(exact);
  /* a digit of single precision moved the inputs, of double precision where there is
   * no other */
  double eps = m->c.bytes == 8 ? 0x1p-53 : 0x1p-24;
  double moved = moved_by(k, m->c, at, exact);
  double least = moved > eps * s ? moved : eps * s;
  if (moved < m->usual) /* by luck, or because it is smaller than the others */
    moved = m->alike || m->usual < LUCK * least ? m->usual : LUCK * least;
  /* the terms of a sum may be as large as the inputs are, 1e30 in some cases */
  double most = MOST_MOVED * (s + m->largest);
  s += moved / eps < most ? moved / eps : most;
  return s > FLT_MIN ? s : FLT_MIN;
}

/* The largest distance of two images over a buffer, in the scale of its elements. */
static double distance(const ww_kept_all *k,
                       const ww_kept *b,
                       const measure *m,
                       const uint8_t *x,
                       const uint8_t *y) {
  double most = 0;
  for (uint64_t at = b->at; at + m->c.bytes <= b->at + b->bytes; at += m->c.bytes) {
    double d = fabs(float_at(m->c, x + at) - float_at(m->c, y + at));
    if (isfinite(d) && d > 0 && d / scale_of(k, m, at) > most)
      most = d / scale_of(k, m, at);
  }
  return most;
}

static int by_bits(const void *x, const void *y) {
  uint64_t a = *(const uint64_t *)x;
  uint64_t b = *(const uint64_t *)y;
  return (a > b) - (a < b);
}
static int by_size(const void *x, const void *y) {
  double a = *(const double *)x;
  double b = *(const double *)y;
  if (isnan(a) || isnan(b))
    return isnan(a) - isnan(b);
  return (a > b) - (a < b);
}

typedef union {
  uint64_t bits;
  double number;
} element;

static element *sorted(component c, const uint8_t *p, uint64_t n) {
  element *v = ww_xcalloc(n + 1, sizeof *v);
  for (uint64_t i = 0; i < n; i++)
    if (c.kind == 'i')
      memcpy(&v[i].bits, p + i * c.bytes, c.bytes);
    else
      v[i].number = float_at(c, p + i * c.bytes);
  qsort(v, n, sizeof *v, c.kind == 'i' ? by_bits : by_size);
  return v;
}

/* The first place where the sorted elements differ; n: none. */
static uint64_t
sets_differ(const ww_kept *b, const measure *m, const uint8_t *x, const uint8_t *y) {
  uint64_t n = b->bytes / m->c.bytes;
  uint64_t i = 0;
  element *v = sorted(m->c, x + b->at, n);
  element *w = sorted(m->c, y + b->at, n);
  for (; i < n; i++) {
    if (m->c.kind == 'i'
            ? v[i].bits == w[i].bits
            : (isnan(v[i].number) && isnan(w[i].number)) ||
                  v[i].number == w[i].number ||
                  fabs(v[i].number - w[i].number) <= 1e-4 * fabs(v[i].number) + 1e-6)
      continue;
    break;
  }
  free(v);
  free(w);
  return i;
}

/* Of what moved digits do, the value that half of the elements exceed; of many elements
 * some stand for all. */
static void find_usual(const ww_kept_all *k, const ww_kept *b, measure *m) {
  uint64_t n = b->bytes / m->c.bytes;
  uint64_t step = n / MOST_USUAL | 1; /* odd: not always the same column */
  uint64_t some = 0;
  double *v = ww_xcalloc(n / step + 2, sizeof *v);
  for (uint64_t i = 0; i < n; i += step) {
    uint64_t at = b->at + i * m->c.bytes;
    v[some] = moved_by(k, m->c, at, float_at(m->c, m->exact + at));
    some += v[some] > 0;
  }
  qsort(v, some, sizeof *v, by_size);
  m->usual = v[some / 2];
  m->alike = v[some * 9 / 10] <= ALIKE * m->usual;
  free(v);
}

static void note(ww_strings *notes, ww_arena *a, const char *text) {
  for (uint32_t k = 0; k < notes->n; k++)
    if (!strcmp(notes->v[k], text))
      return;
  ww_push(a, notes, text);
}

static void
note_order(ww_yardstick *y, const ww_kept *b, measure *m, ww_strings *notes) {
  const ww_kept_all *k = y->k;
  uint64_t n = b->bytes / m->c.bytes;
  bool set = sets_differ(b, m, k->old, k->other) == n;
  m->how = set ? AS_SET : BY_PLACE_WHERE_SURE;
  note(notes, y->a,
       set ? ww_fmt(y->a,
                    "`%s`: the order of the original's threads decides which element "
                    "is where; compared as a set",
                    b->name)
           : ww_fmt(y->a,
                    "`%s`: elements that change with the order of the original's "
                    "threads, or with what shared memory held before, are not compared",
                    b->name));
}

static void
measure_floats(ww_yardstick *y, const ww_kept *b, measure *m, ww_strings *notes) {
  const ww_kept_all *k = y->k;
  find_usual(k, b, m);
  double own = k->exact ? distance(k, b, m, k->old, m->exact) : 0;
  if (own > NO_GUIDE * (m->c.eps / 0x1p-24)) {
    m->exact = k->old;
    own = 0;
    note(notes, y->a,
         ww_fmt(y->a,
                "`%s`: in double precision the original computes another thing; floats "
                "are compared with its own",
                b->name));
  }
  double order = distance(k, b, m, k->old, k->other);
  if (order > SWAPPED * (m->c.eps / 0x1p-24)) {
    note_order(y, b, m, notes);
    order = 0;
  } else if (order > 0)
    note(notes, y->a,
         ww_fmt(y->a,
                "`%s`: the order of the original's threads decides its last digits; "
                "compared with that much more room",
                b->name));
  /* additions by atomics are rounded in memory, in double precision too */
  m->grant = 2 * (own + order) + (FLOOR + ATOMICS * sqrt(b->atomics)) * m->c.eps;
}

static double whole_at(component c, const uint8_t *p) {
  uint64_t v = 0;
  uint32_t above = 64 - 8 * c.bytes;
  memcpy(&v, p, c.bytes);
  return (double)((int64_t)(v << above) >> above);
}

static double apart(component c, const uint8_t *x, const uint8_t *y) {
  return fabs(whole_at(c, x) - whole_at(c, y));
}

/* How far an integer of the old kernel moves with the last digits of floats. */
static double changed_by_rounding(const ww_kept_all *k, component c, uint64_t at) {
  const uint8_t *runs[] = {k->exact, k->moved[0], k->moved[1]};
  double most = 0;
  for (uint32_t r = 0; k->exact && r < WW_COUNT(runs); r++)
    if (runs[r])
      most = fmax(most, apart(c, k->old + at, runs[r] + at));
  return most;
}

static void measure_integers(const ww_kept_all *k, const ww_kept *b, measure *m) {
  for (uint64_t at = b->at; at + m->c.bytes <= b->at + b->bytes; at += m->c.bytes)
    m->decided = fmax(m->decided, changed_by_rounding(k, m->c, at));
}

/* Are all floats of the buffers that the old kernel only read? */
static bool inputs_are_finite(const ww_yardstick *y) {
  for (uint32_t i = 0; i < y->k->n; i++) {
    const ww_kept *b = &y->k->v[i];
    const component *c = &y->v[i].c;
    if (!y->v[i].untouched || c->kind == 'i')
      continue;
    for (uint64_t at = b->at; at + c->bytes <= b->at + b->bytes; at += c->bytes)
      if (!isfinite(float_at(*c, y->k->old + at)))
        return false;
  }
  return true;
}

static double largest_float(const ww_kept_all *k) {
  double most = 1;
  for (uint32_t i = 0; i < k->n; i++) {
    const ww_kept *b = &k->v[i];
    component c = component_of(b->type);
    if (c.kind == 'i')
      continue;
    for (uint64_t at = b->at; at + c.bytes <= b->at + b->bytes; at += c.bytes) {
      double f = fabs(float_at(c, k->initial + at));
      if (isfinite(f) && f > most)
        most = f;
    }
  }
  return most;
}

ww_yardstick *ww_judge_open(const ww_kept_all *k, ww_arena *a, ww_strings *notes) {
  ww_yardstick *y = WW_NEW(a, ww_yardstick);
  *y = (ww_yardstick){.k = k, .v = WW_NEWN(a, measure, k->n + 1), .a = a};
  double largest = largest_float(k);
  for (uint32_t i = 0; i < k->n; i++) {
    const ww_kept *b = &k->v[i];
    measure *m = &y->v[i];
    *m = (measure){.c = component_of(b->type),
                   .exact = k->exact ? k->exact : k->old,
                   .largest = largest};
    m->untouched = !memcmp(k->initial + b->at, k->old + b->at, b->bytes);
    if (m->c.kind != 'i')
      measure_floats(y, b, m, notes);
    else
      measure_integers(k, b, m);
    if (m->c.kind == 'i' && memcmp(k->old + b->at, k->other + b->at, b->bytes))
      note_order(y, b, m, notes);
  }
  bool finite = inputs_are_finite(y);
  for (uint32_t i = 0; i < k->n; i++)
    y->v[i].overflows = finite;
  return y;
}

bool ww_judge_settled(const ww_yardstick *y) {
  for (uint32_t i = 0; i < y->k->n; i++)
    if (y->v[i].how != BY_PLACE)
      return false;
  return true;
}

bool ww_judge_by_place(const ww_yardstick *y, uint32_t buffer) {
  return y->v[buffer].how == BY_PLACE;
}

/* ---- the new kernel's ---- */

bool ww_judge_permuted(const ww_yardstick *y, const ww_kept *b, uint8_t *image) {
  const measure *m = &y->v[b - y->k->v];
  if (sets_differ(b, m, y->k->old, image) != b->bytes / m->c.bytes)
    return false;
  memcpy(image + b->at, y->k->old + b->at, b->bytes);
  return true;
}

/* Rounding decides this integer in the old kernel too, by about as much. */
static bool
is_unsure(const ww_kept_all *k, const measure *m, uint64_t at, const uint8_t *image) {
  return changed_by_rounding(k, m->c, at) > 0 &&
         apart(m->c, k->old + at, image + at) <= ROUNDED * m->decided;
}

static bool same_float(const ww_kept_all *k,
                       const measure *m,
                       uint64_t at,
                       const uint8_t *image,
                       double *error) {
  double old = float_at(m->c, k->old + at);
  double new = float_at(m->c, image + at);
  double exact = float_at(m->c, m->exact + at);
  if (old == new || (isnan(old) && isnan(new)))
    return true;
  /* it overflowed: whether a part did with the other sign is a matter of order */
  if (m->overflows && !isfinite(old) && !isfinite(new))
    return true;
  if (!isfinite(exact) || !isfinite(new))
    return false;
  double off = fabs(new - exact) / scale_of(k, m, at);
  if (off / m->grant > *error)
    *error = off / m->grant;
  return off <= m->grant;
}

static bool same_element(const ww_kept_all *k,
                         const measure *m,
                         uint64_t at,
                         const uint8_t *image,
                         double *error) {
  if (!memcmp(image + at, k->old + at, m->c.bytes))
    return true;
  if (m->how == BY_PLACE_WHERE_SURE && memcmp(k->other + at, k->old + at, m->c.bytes))
    return true;
  if (m->c.kind == 'i')
    return is_unsure(k, m, at, image);
  return same_float(k, m, at, image, error);
}

/* Index of the first element that differs; the number of elements: none. */
static uint64_t differs(const ww_kept_all *k,
                        const ww_kept *b,
                        const measure *m,
                        const uint8_t *image,
                        double *error) {
  uint64_t n = b->bytes / m->c.bytes;
  if (m->how == AS_SET)
    return sets_differ(b, m, k->old, image);
  if (m->untouched && !memcmp(k->initial + b->at, image + b->at, b->bytes))
    return n;
  for (uint64_t i = 0; i < n; i++) {
    double now = 0;
    if (m->untouched && !memcmp(image + b->at + i * m->c.bytes,
                                k->initial + b->at + i * m->c.bytes, m->c.bytes))
      continue;
    if (m->untouched)
      return i;
    bool same = same_element(k, m, b->at + i * m->c.bytes, image, &now);
    if (!same)
      return i;
    if (now > *error)
      *error = now;
  }
  return n;
}

/* Which elements of all buffers the new kernel wrote of some blocks: some of those that
 * the old one did, and others. */
static void
count_written(const ww_yardstick *y, const uint8_t *image, bool *some, bool *others) {
  const ww_kept_all *k = y->k;
  for (uint32_t i = 0; i < k->n; i++) {
    const ww_kept *b = &k->v[i];
    uint32_t n = y->v[i].c.bytes;
    for (uint64_t at = b->at; at + n <= b->at + b->bytes; at += n) {
      if (!memcmp(image + at, k->initial + at, n))
        continue;
      bool both = memcmp(k->old + at, k->initial + at, n) != 0;
      *some |= both;
      *others |= !both;
    }
  }
}

void ww_judge_common(const ww_yardstick *y, uint8_t *image) {
  const ww_kept_all *k = y->k;
  bool some = false;
  bool others = false;
  count_written(y, image, &some, &others);
  /* its blocks have the same places, and not all of them: nobody else will write them
   */
  if (some && !others)
    return;
  for (uint32_t i = 0; i < k->n; i++) {
    const ww_kept *b = &k->v[i];
    uint32_t n = y->v[i].c.bytes;
    for (uint64_t at = b->at; at + n <= b->at + b->bytes; at += n)
      if (!memcmp(k->old + at, k->initial + at, n) ||
          !memcmp(image + at, k->initial + at, n))
        memcpy(image + at, k->old + at, n);
  }
}

void ww_judge(const ww_yardstick *y,
              const uint8_t *image,
              ww_discrepancy *out,
              double *error,
              uint64_t *compared) {
  const ww_kept_all *k = y->k;
  *out = (ww_discrepancy){0};
  for (uint32_t i = 0; i < k->n; i++) {
    const ww_kept *b = &k->v[i];
    const measure *m = &y->v[i];
    uint64_t n = b->bytes / m->c.bytes;
    uint64_t at = differs(k, b, m, image, error);
    *compared += n;
    if (at == n)
      continue;
    uint64_t byte = b->at + at * m->c.bytes;
    *out = (ww_discrepancy){.buffer = b,
                            .index = at,
                            .old_value = shown(m->c, k->old + byte, y->a),
                            .new_value = shown(m->c, image + byte, y->a),
                            .input = m->untouched};
    if (m->c.kind != 'i' && k->exact)
      out->exact = shown(m->c, k->exact + byte, y->a);
    return;
  }
}
