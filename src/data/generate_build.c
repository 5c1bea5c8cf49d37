/* generate_build.c - the pen of the grammar: random choices, lines, arguments.
 *
 * Every choice comes from one counter-based generator in the order of the calls, so the order of
 * calls is part of a generator version. */
#include "../base/random.h"
#include "generate_int.h"

const gen_type_info ww_gen_types[GEN_NTYPES] = {
    [GEN_F32] = {"float", "float", "float", "f32", 4, true},
    [GEN_F64] = {"double", "double", "double", "f64", 8, true},
    [GEN_I32] = {"int", "int", "int", "i32", 4, false},
    [GEN_U32] = {"$u32", "unsigned int", "uint", "u32", 4, false},
    [GEN_I64] = {"$i64", "long long", "long", "i64", 8, false},
    [GEN_U64] = {"$u64", "unsigned long long", "ulong", "u64", 8, false},
    [GEN_U8] = {"$u8", "unsigned char", "uchar", "u8", 1, false},
    [GEN_I8] = {"$i8", "signed char", "char", "i8", 1, false},
    [GEN_I16] = {"short", "short", "short", "i16", 2, false},
    [GEN_F32X2] = {"float2", "float2", "float2", "float2", 8, true},
    [GEN_F32X4] = {"float4", "float4", "float4", "float4", 16, true},
    [GEN_I32X4] = {"int4", "int4", "int4", "int4", 16, false},
};

uint32_t ww_gen_pick(gen *g, uint32_t n) {
  return ww_random_below(ww_random(&g->rng), n);
}
bool ww_gen_chance(gen *g, uint32_t percent) {
  return ww_gen_pick(g, 100) < percent;
}

/* vsnprintf once, into the arena. */
static const char *text_v(gen *g, const char *fmt, va_list ap) {
  char line[4096];
  if (!strchr(fmt, '%'))
    return fmt;
  int n = vsnprintf(line, sizeof line, fmt, ap);
  return ww_strndup(g->a, line, n < (int)sizeof line ? (size_t)n : sizeof line - 1);
}

const char *ww_gen_text(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  const char *s = text_v(g, fmt, ap);
  va_end(ap);
  return s;
}

void ww_gen_line(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  ww_push(g->a, &g->lines, (gen_line){.text = text_v(g, fmt, ap), .depth = g->depth});
  va_end(ap);
}

void ww_gen_only(gen *g, int only, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  ww_push(g->a, &g->lines,
          (gen_line){.text = text_v(g, fmt, ap), .only = (uint8_t)only, .depth = g->depth});
  va_end(ap);
}

void ww_gen_open(gen *g, const char *weight, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  ww_push(g->a, &g->lines,
          (gen_line){
              .text = text_v(g, fmt, ap), .weight = weight, .kind = GEN_OPEN, .depth = g->depth++});
  va_end(ap);
}

void ww_gen_serial(gen *g) {
  g->lines.v[g->lines.n - 1].serial = true;
}

void ww_gen_rare(gen *g) {
  g->lines.v[g->lines.n - 1].rare = true;
}

void ww_gen_else(gen *g, const char *weight) {
  ww_push(
      g->a, &g->lines,
      (gen_line){.text = "", .weight = weight, .kind = GEN_ELSE, .depth = (uint8_t)(g->depth - 1)});
}

void ww_gen_close(gen *g) {
  ww_push(g->a, &g->lines, (gen_line){.text = "", .kind = GEN_CLOSE, .depth = --g->depth});
}

void ww_gen_close_all(gen *g, uint32_t to_depth) {
  while (g->depth > to_depth)
    ww_gen_close(g);
}

void ww_gen_outside(gen *g, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  ww_push(g->a, &g->outside, (gen_line){.text = text_v(g, fmt, ap)});
  va_end(ap);
}

void ww_gen_shared(gen *g, gen_type t, const char *name, const char *dims, uint32_t elements) {
  ww_push(g->a, &g->decls,
          (gen_line){.text = ww_gen_text(g, "$shared %s %s%s;", ww_gen_name(t), name, dims),
                     .depth = 1});
  g->shared += elements * ww_gen_types[t].bytes;
  ww_gen_tag(g, "shared");
}

void ww_gen_tag(gen *g, const char *production) {
  size_t n = strlen(g->productions), m = strlen(production);
  for (const char *p = g->productions; (p = strstr(p, production)); p += m)
    if ((p == g->productions || p[-1] == ' ') && (!p[m] || p[m] == ' '))
      return;
  if (n + m + 2 > sizeof g->productions)
    return;
  if (n)
    g->productions[n++] = ' ';
  memcpy(g->productions + n, production, m + 1);
}

const char *ww_gen_fresh(gen *g, const char *stem) {
  return ww_gen_text(g, "%s%u", stem, g->fresh++);
}

static gen_param *add_param(gen *g, const char *name, uint8_t role) {
  gen_param *p = &g->params[g->nparams < GEN_MAX_PARAMS ? g->nparams++ : GEN_MAX_PARAMS - 1];
  *p = (gen_param){.name = name, .role = role};
  return p;
}

/* Floats in [0,1), integers small and not negative: no value of the contents makes a loop or a
 * branch run away. */
gen_param *ww_gen_buffer(gen *g, const char *name, gen_type t, const char *count) {
  gen_param *p = add_param(g, name, GEN_BUFFER);
  p->type = (uint8_t)t;
  p->expr = count;
  p->fill = WW_FILL_RANDOM;
  if (t == GEN_I32 || t == GEN_I64 || t == GEN_I32X4) {
    p->fill = WW_FILL_UNIFORM;
    p->fill_hi = "1000";
  }
  p->restricted = ww_gen_chance(g, 75);
  return p;
}

gen_param *ww_gen_output(gen *g, const char *name, gen_type t, const char *count) {
  gen_param *p = ww_gen_buffer(g, name, t, count);
  p->written = true;
  p->fill = WW_FILL_ZEROS;
  p->fill_hi = NULL;
  return p;
}

void ww_gen_indices(gen_param *p, ww_fill_kind fill, const char *lo, const char *hi) {
  p->fill = (uint8_t)fill;
  p->fill_lo = lo;
  p->fill_hi = hi;
}

gen_param *ww_gen_size(gen *g, const char *name, gen_role role, uint64_t lo, uint64_t hi,
                       const char *expr) {
  gen_param *p = add_param(g, name, (uint8_t)role);
  p->type = GEN_I32;
  p->lo = lo;
  p->hi = hi;
  p->expr = expr;
  return p;
}

void ww_gen_scalar(gen *g, const char *name, gen_type t) {
  add_param(g, name, GEN_SCALAR)->type = (uint8_t)t;
}

const char *ww_gen_iters(gen *g) {
  static const char *const names[] = {"iters", "steps", "rounds", "reps", "trips", "count"};
  if (g->iters)
    return g->iters;
  g->iters = names[ww_gen_pick(g, 6)];
  bool primary = true;
  for (uint32_t i = 0; i < g->nparams; i++)
    primary = primary && g->params[i].role != GEN_PRIMARY;
  ww_gen_size(g, g->iters, primary ? GEN_PRIMARY : GEN_DRAW, 1, primary ? 1 << 22 : 128, NULL)
      ->most = 1 << 22;
  return g->iters;
}
