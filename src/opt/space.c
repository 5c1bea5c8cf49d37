/* space.c - axes, conditions and configurations.
 *
 * Conditions are looked at as soon as the axes that they name have a value, so that a
 * space of many millions of which few are valid is still gone through; what is larger
 * is drawn from. */
#include "space.h"

#include <math.h>

#include "../base/random.h"
#include "../base/units.h"
#include "../base/words.h"

#define MOST_VALUES 4096
#define ALL 4e6       /* configurations that are gone through, before conditions */
#define TRIES 1000000 /* draws until so many are found */

const char *const ww_axis_kind_names[WW_NAXIS_KINDS] = {
    "launch", "macro", "text", "constant", "template", "shape", "launch bounds"};

/* ---- axes ---- */

ww_status
ww_space_add(ww_axes *s, const char *name, const double *v, uint32_t n, ww_err *e) {
  if (ww_space_find(s, name) >= 0)
    return ww_fail(e, WW_EUSAGE, "%.60s is given twice", name);
  if (s->n == WW_MOST_AXES)
    return ww_fail(e, WW_ELIMIT, "more than %d parameters", WW_MOST_AXES);
  if (!n || n > MOST_VALUES)
    return ww_fail(e, WW_EUSAGE, "%.60s: expected 1 to %d values", name, MOST_VALUES);
  ww_axis *x = &s->axes[s->n++];
  *x = (ww_axis){.name = ww_strdup(s->a, name),
                 .v = WW_NEWN(s->a, double, n),
                 .n = n,
                 .original = NAN};
  memcpy(x->v, v, n * sizeof *v);
  return WW_OK;
}

static bool number_at(const char **p, double *out) {
  char *end;
  *out = strtod(*p, &end);
  if (end == *p || !isfinite(*out))
    return false;
  if (end[-1] == '.' && *end == '.')
    end--; /* of a range: 1..8 */
  int shift = ww_unit_shift(*end);
  *out *= 1ull << shift;
  end += shift > 0;
  *p = end;
  return true;
}

/* What follows "a..": b, b:x2, b:+s. */
static uint32_t range(const char *p, double from, double *v) {
  double to;
  double step = 1;
  bool times = false;
  uint32_t n = 0;
  if (!number_at(&p, &to))
    return 0;
  if (*p == ':') {
    times = p[1] == 'x' || p[1] == '*';
    if (!times && p[1] != '+')
      return 0;
    p += 2;
    if (!number_at(&p, &step))
      return 0;
  }
  bool moves = times ? step > 1 && from > 0 : step > 0;
  if (*p || !moves)
    return 0;
  for (double x = from; x <= to * (1 + 1e-12) && n < MOST_VALUES; n++) {
    v[n] = x;
    x = times ? x * step : x + step;
  }
  return n;
}

static uint32_t list(const char *p, double *v) {
  uint32_t n = 0;
  for (;; p++) {
    if (n == MOST_VALUES || !number_at(&p, &v[n++]))
      return 0;
    if (*p != ',')
      return *p ? 0 : n;
  }
}

ww_status ww_space_axis(ww_axes *s, const char *text, ww_err *e) {
  double *v = WW_NEWN(s->a, double, MOST_VALUES);
  double from;
  size_t name = strcspn(text, "=");
  const char *p = text + name + 1;
  bool word = name && (ww_is_word(*text) && (*text < '0' || *text > '9'));
  for (size_t k = 0; k < name; k++)
    word = word && (ww_is_word(text[k]) || text[k] == '.');
  if (!word || !text[name])
    return ww_fail(e, WW_EUSAGE,
                   "expected NAME=VALUES, as BX=32..1024:x2 or TILE=1,2,4, not '%.80s'",
                   text);
  const char *q = p;
  bool ranges = number_at(&q, &from) && ww_starts(q, "..");
  uint32_t n = ranges ? range(q + 2, from, v) : list(p, v);
  if (!n)
    return ww_fail(e, WW_EUSAGE,
                   "%.80s: expected a list (1,2,4), a range (1..8), by a factor "
                   "(32..1024:x2) or by steps (0..64:+16)",
                   text);
  return ww_space_add(s, ww_strndup(s->a, text, name), v, n, e);
}

int ww_space_find(const ww_axes *s, const char *name) {
  for (uint32_t k = 0; k < s->n; k++)
    if (!strcmp(s->axes[k].name, name))
      return k;
  return -1;
}

/* ---- conditions ---- */

typedef struct {
  const ww_axes *s;
  const uint16_t *c; /* NULL: any value */
  int last;          /* the last axis that was asked for */
} lookup;

static bool value_of(void *ctx, const char *name, size_t n, double *value) {
  lookup *l = ctx;
  for (uint32_t k = 0; k < l->s->n; k++) {
    const ww_axis *x = &l->s->axes[k];
    if (strncmp(x->name, name, n) || x->name[n])
      continue;
    *value = x->v[l->c ? l->c[k] : 0];
    if ((int)k > l->last)
      l->last = k;
    return true;
  }
  return false;
}

/* Names are only known to be none of ours by asking; the rest is the form. */
static bool names_known(const ww_axes *s, const char *text, char unknown[64]) {
  for (const char *p = text; *p;) {
    size_t n = 0;
    double v;
    while (ww_is_word(p[n]) || p[n] == '.')
      n++;
    bool name = n && (*p == '_' || (*p | 32) >= 'a');
    static const char *const own[] = {"and", "or", "not", "min", "max"};
    bool word = false;
    for (uint32_t k = 0; k < WW_COUNT(own); k++)
      word |= n == strlen(own[k]) && !strncmp(p, own[k], n);
    if (name && !word && !value_of(&(lookup){s, NULL, -1}, p, n, &v)) {
      snprintf(unknown, 64, "%.*s", (int)(n < 60 ? n : 60), p);
      return false;
    }
    p += n ? n : 1;
  }
  return true;
}

ww_status ww_space_where(ww_axes *s, const char *text, ww_err *e) {
  ww_number out;
  char unknown[64];
  if (!names_known(s, text, unknown))
    return ww_fail(e, WW_EUSAGE, "in \"%.100s\": \"%s\" is no parameter", text,
                   unknown);
  if (ww_expr_number(text, ww_expr_any, NULL, &out, e))
    return e->code = WW_EUSAGE;
  ww_push(s->a, &s->where, ww_strdup(s->a, text));
  return WW_OK;
}

/* A condition that has no value for these numbers (a division by zero) is not met. */
static bool met(const ww_axes *s, const char *text, const uint16_t *c) {
  ww_number out;
  ww_err ignored;
  lookup l = {s, c, -1};
  return !ww_expr_number(text, value_of, &l, &out, &ignored) && out.f != 0;
}

bool ww_space_valid(const ww_axes *s, const ww_config c) {
  for (uint32_t k = 0; k < s->where.n; k++)
    if (!met(s, s->where.v[k], c))
      return false;
  return true;
}

/* ---- configurations ---- */

double ww_space_size(const ww_axes *s) {
  double n = 1;
  for (uint32_t k = 0; k < s->n; k++)
    n *= s->axes[k].n;
  return n;
}

/* The axis behind which a condition can be looked at. */
static uint32_t *depths(const ww_axes *s) {
  uint32_t *at = WW_NEWN(s->a, uint32_t, s->where.n + 1);
  for (uint32_t k = 0; k < s->where.n; k++)
    for (uint32_t x = 0; x < s->n; x++)
      if (ww_find_word(s->where.v[k], s->axes[x].name))
        at[k] = x;
  return at;
}

typedef struct {
  const ww_axes *s;
  const uint32_t *depth;
  ww_config c;
  ww_config *out;
  uint32_t n, cap;
} walk;

static void descend(walk *w, uint32_t axis) {
  const ww_axes *s = w->s;
  if (axis == s->n) {
    if (w->n == w->cap) {
      w->cap = w->cap ? 2 * w->cap : 256;
      w->out = ww_grow(s->a, w->out, w->n * sizeof *w->out, w->cap * sizeof *w->out);
    }
    memcpy(w->out[w->n++], w->c, sizeof w->c);
    return;
  }
  for (uint32_t k = 0; k < s->axes[axis].n; k++) {
    bool good = true;
    w->c[axis] = k;
    for (uint32_t x = 0; good && x < s->where.n; x++)
      good = w->depth[x] != axis || met(s, s->where.v[x], w->c);
    if (good)
      descend(w, axis + 1);
  }
}

static bool among(ww_config *v, uint32_t n, const ww_config c) {
  for (uint32_t k = 0; k < n; k++)
    if (!memcmp(v[k], c, sizeof(ww_config)))
      return true;
  return false;
}

static ww_config *draw(const ww_axes *s, uint32_t most, uint64_t seed, uint32_t *n) {
  ww_config *out = ww_alloc(s->a, (most + 1) * sizeof *out);
  uint64_t state = seed * 2 + 1;
  *n = 0;
  for (uint64_t k = 0; k < TRIES && *n < most; k++) {
    ww_config c = {0};
    for (uint32_t x = 0; x < s->n; x++)
      c[x] = ww_random(&state) % s->axes[x].n;
    if (ww_space_valid(s, c) && !among(out, *n, c))
      memcpy(out[(*n)++], c, sizeof c);
  }
  return out;
}

ww_config *
ww_space_configs(const ww_axes *s, uint32_t most, uint64_t seed, uint32_t *n) {
  if (ww_space_size(s) > ALL)
    return draw(s, most, seed, n);
  walk w = {
      .s = s,
      .depth = depths(s),
  };
  uint64_t state = seed * 2 + 1;
  descend(&w, 0);
  *n = w.n;
  if (w.n <= most)
    return w.out;
  for (uint32_t k = 0; k < most; k++) {
    ww_config c;
    uint32_t with = k + ww_random(&state) % (w.n - k);
    memcpy(c, w.out[k], sizeof c);
    memcpy(w.out[k], w.out[with], sizeof c);
    memcpy(w.out[with], c, sizeof c);
  }
  *n = most;
  return w.out;
}

/* ---- words and places ---- */

static const char *shown(double v, ww_arena *a) {
  return ww_fmt(a, "%.15g", v);
}

const char *ww_space_label(const ww_axes *s, const ww_config c, ww_arena *a) {
  ww_buf b = {0};
  bool any = false;
  for (uint32_t k = 0; k < s->n; k++)
    any |= s->axes[k].n > 1;
  for (uint32_t k = 0; k < s->n; k++)
    if (s->axes[k].n > 1 || !any)
      ww_buf_fmt(&b, "%s%s=%s", b.n ? " " : "", s->axes[k].name,
                 shown(s->axes[k].v[c[k]], a));
  if (!b.n)
    ww_buf_puts(&b, "");
  return ww_buf_text(&b, a);
}

const char *
ww_space_put(const ww_axes *s, const ww_config c, const char *text, ww_arena *a) {
  ww_buf b = {0};
  if (!text)
    return NULL;
  ww_buf_puts(&b, "");
  for (const char *p = text; *p;) {
    size_t n = 0;
    double v;
    while (ww_is_word(p[n]))
      n++;
    bool name = n && (*p == '_' || (*p | 32) >= 'a');
    if (name && value_of(&(lookup){s, c, -1}, p, n, &v))
      ww_buf_puts(&b, shown(v, a));
    else
      ww_buf_add(&b, p, n ? n : 1);
    p += n ? n : 1;
  }
  return ww_buf_text(&b, a);
}

double ww_space_place(const ww_axis *x, uint32_t k) {
  double least = x->v[0];
  double most = x->v[0];
  for (uint32_t i = 1; i < x->n; i++) {
    least = fmin(least, x->v[i]);
    most = fmax(most, x->v[i]);
  }
  if (!(most > least))
    return 0;
  return least > 0 ? log(x->v[k] / least) / log(most / least)
                   : (x->v[k] - least) / (most - least);
}

void ww_space_original(const ww_axes *s, ww_config out) {
  memset(out, 0, sizeof(ww_config));
  for (uint32_t k = 0; k < s->n; k++) {
    const ww_axis *x = &s->axes[k];
    for (uint32_t i = 1; i < x->n && isfinite(x->original); i++)
      if (fabs(x->v[i] - x->original) < fabs(x->v[out[k]] - x->original))
        out[k] = i;
  }
}
