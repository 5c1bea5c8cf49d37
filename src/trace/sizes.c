/* sizes.c - a launch of numbers at another size: which of its arguments are sizes, and
 * what follows them.
 *
 * A size ends the work of the grid (`if (i < n)`), or the grid has one block for so
 * many of it. Buffers that hold a product of sizes follow; the others keep their size,
 * or grow by the factor where the launch grows: more than is touched costs nothing. */
#include "sizes.h"

#include <math.h>

#include "roles.h"

enum { MOST = 6, LEAST = 16, FEW = 64 };

typedef struct {
  uint32_t arg;
  uint64_t was, is;
  bool product; /* of two others: it follows them */
} size;

typedef struct {
  const ww_fn *fn;
  const ww_launch *l;
  double f;
  size v[MOST];
  uint32_t n;
} sizes;

static uint64_t ceil_div(uint64_t a, uint64_t b) {
  return a / b + (a % b != 0);
}

uint64_t ww_elements_per_block(uint64_t v, uint64_t n, uint64_t b) {
  static const uint16_t times[] = {1, 2, 4, 8, 16, 32, 3, 5, 6, 7};
  static const uint16_t plain[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024};
  for (uint32_t k = 0; k < WW_COUNT(times); k++)
    if (ceil_div(v, b * times[k]) == n)
      return b * times[k];
  for (uint32_t k = 0; k < WW_COUNT(plain); k++)
    if (ceil_div(v, plain[k]) == n)
      return plain[k];
  return 0;
}

/* ---- which arguments ---- */

/* The whole number that an argument is; 0: it is none. */
static uint64_t number_of(const ww_param *p, const ww_arg *g) {
  uint32_t bytes = ww_type_bytes[p->type];
  uint64_t v = 0;
  if (p->pointer || p->byval || ww_is_float(p->type) || ww_is_float(p->elem) ||
      bytes < 4 || bytes > 8)
    return 0;
  if (g->kind == WW_ARG_VALUE && g->is_int && g->ivalue > 0)
    return g->ivalue;
  if (g->kind == WW_ARG_HEX && g->hex_n == bytes)
    memcpy(&v, g->hex, bytes);
  return v < 1ull << (8 * bytes - 1) ? v : 0;
}

static bool divided(const ww_launch *l, uint64_t v) {
  for (int d = 0; d < 3; d++)
    if (l->grid[d] > 1 && ww_elements_per_block(v, l->grid[d], l->block[d]))
      return true;
  return false;
}

static void find(sizes *s, ww_arena *a) {
  uint8_t *ends = WW_NEWN(a, uint8_t, s->fn->nparams + 1);
  ww_guards_find(s->fn, a, ends);
  for (uint32_t q = 0; q < s->fn->nparams && q < s->l->nargs && s->n < MOST; q++) {
    uint64_t v = number_of(&s->fn->params[q], &s->l->args[q]);
    if (v >= LEAST && (ends[q] & WW_ENDS_GRID || divided(s->l, v)))
      s->v[s->n++] = (size){q, v, llround(v * s->f), false};
  }
}

/* n = rows * cols grows with both. */
static void find_products(sizes *s) {
  for (uint32_t k = 0; k < s->n; k++)
    for (uint32_t i = 0; i < s->n; i++)
      for (uint32_t j = 0; j < s->n; j++)
        if (i != k && j != k && i != j && s->v[i].was * s->v[j].was == s->v[k].was) {
          s->v[k].is = s->v[i].is * s->v[j].is;
          s->v[k].product = true;
        }
}

/* ---- what follows them ---- */

static uint64_t scaled_axis(const sizes *s, int d) {
  uint64_t n = s->l->grid[d];
  uint64_t most = 0;
  if (n <= 1)
    return n;
  for (uint32_t pair = 0; pair < 2 && !most; pair++)
    for (uint32_t j = 0; j < s->n; j++)
      for (uint32_t k = pair ? j + 1 : j; k < (pair ? s->n : j + 1); k++) {
        uint64_t was = s->v[j].was * (pair ? s->v[k].was : 1);
        uint64_t is = s->v[j].is * (pair ? s->v[k].is : 1);
        uint64_t each = ww_elements_per_block(was, n, s->l->block[d]);
        uint64_t blocks = each ? ceil_div(is, each) : 0;
        most = blocks > most ? blocks : most;
      }
  return most ? most : n;
}

/* Of a buffer of `count` elements, the factor by which it follows: of the largest
 * product of sizes, each up to three times, that is in it a few times. */
static double scaled_count(const sizes *s, double count) {
  double best = 0;
  double factor = s->f > 1 ? s->f : 1;
  for (uint32_t i = 0; i < s->n; i++)
    for (uint32_t j = 0; j <= s->n; j++)
      for (uint32_t k = 0; k <= s->n; k++) {
        uint32_t at[] = {i, j, k};
        double was = 1;
        double is = 1;
        for (int d = 0; d < 3; d++)
          if (at[d] < s->n) {
            was *= s->v[at[d]].was;
            is *= s->v[at[d]].is;
          }
        double times = floor(count / was);
        if (was > best && times >= 1 && times <= FEW && count - times * was <= 2) {
          best = was;
          factor = is / was;
        }
      }
  return factor;
}

static bool scale_buffer(const sizes *s, const ww_param *p, ww_buffer *b) {
  uint32_t elem = b->type && ww_elem_size(b->type) ? ww_elem_size(b->type)
                  : p->elem_size                   ? p->elem_size
                                                   : 4;
  if (b->fill.kind == WW_FILL_FILE)
    return false;
  if (p->space == WW_SHARED || b->local || !b->bytes)
    return true;
  double by = scaled_count(s, (double)b->bytes / elem);
  b->bytes = (ceil(b->bytes / elem * by) + 2) * elem + b->offset;
  if (b->fill.hi >= LEAST) /* indices stay within what they index */
    b->fill.hi = floor(b->fill.hi * s->f);
  return true;
}

static void put(const sizes *s, ww_launch *out) {
  for (uint32_t k = 0; k < s->n; k++)
    out->args[s->v[k].arg] = (ww_arg){.name = out->args[s->v[k].arg].name,
                                      .kind = WW_ARG_VALUE,
                                      .is_int = true,
                                      .ivalue = s->v[k].is,
                                      .value = s->v[k].is};
}

static const char *names_of(const sizes *s, ww_arena *a) {
  ww_buf b = {0};
  for (uint32_t k = 0; k < s->n; k++)
    if (!s->v[k].product)
      ww_buf_fmt(&b, "%s%s", b.n ? ", " : "", s->fn->params[s->v[k].arg].name);
  return ww_buf_text(&b, a);
}

bool ww_launch_scale(const ww_fn *fn,
                     const ww_launch *l,
                     double f,
                     ww_arena *a,
                     ww_launch *out,
                     const char **names) {
  sizes s = {.fn = fn, .l = l, .f = f};
  find(&s, a);
  if (!s.n)
    return false;
  find_products(&s);
  ww_launch_copy(l, a, out);
  for (int d = 0; d < 3; d++)
    out->grid[d] = scaled_axis(&s, d);
  put(&s, out);
  for (uint32_t q = 0; q < fn->nparams && q < out->nargs; q++) {
    ww_arg *g = &out->args[q];
    if (g->kind == WW_ARG_TENSORMAP ||
        (g->kind == WW_ARG_BUFFER && !scale_buffer(&s, &fn->params[q], &g->buffer)))
      return false;
  }
  *names = names_of(&s, a);
  return true;
}
