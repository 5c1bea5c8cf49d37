/* generate_build.c - the pen of the grammar: random choices, lines, arguments.
 *
 * Every choice comes from one counter-based generator in the order of the calls, so the
 * order of calls is part of a generator version. */
#include <stdlib.h>

#include "../base/random.h"
#include "generate_int.h"

const gen_type_info ww_gen_types[GEN_NTYPES] = {
    [GEN_F32] = {"float", "f32", "0.0f", 4, true},
    [GEN_F64] = {"double", "f64", "0.0", 8, true},
    [GEN_I32] = {"int", "i32", "0", 4, false},
    [GEN_U32] = {"$u32", "u32", "0u", 4, false},
    [GEN_I64] = {"$i64", "i64", "0", 8, false},
    [GEN_U64] = {"$u64", "u64", "0u", 8, false},
    [GEN_U8] = {"$u8", "u8", "0", 1, false},
    [GEN_I8] = {"$i8", "i8", "0", 1, false},
    [GEN_I16] = {"short", "i16", "0", 2, false},
    [GEN_F32X2] = {"float2", "float2", NULL, 8, true},
    [GEN_F32X4] = {"float4", "float4", NULL, 16, true},
    [GEN_I32X4] = {"int4", "int4", NULL, 16, false},
};

uint32_t ww_gen_pick(gen *g, uint32_t n) {
  return ww_random_below(ww_random(&g->rng), n);
}
bool ww_gen_chance(gen *g, uint32_t percent) {
  return ww_gen_pick(g, 100) < percent;
}

/* What stands for @ and a letter. */
static gen_text meaning(gen *g, char letter, const gen_text *names) {
  switch (letter) {
  case 'T':
    return ww_gen_types[g->type].neutral;
  case '0':
    return ww_gen_types[g->type].zero;
  case 'f':
    return g->type == GEN_F32 ? "f" : "";
  case 'u':
    return g->type == GEN_U32 || g->type == GEN_U64 ? "u" : "";
  case 'l':
    return ww_gen_literal(g);
  default:
    return names[letter - 'a'];
  }
}

/* A number drawn for [3+14] or [8<<6]; *s is behind it then. */
static uint32_t drawn(gen *g, gen_text *s) {
  char *end;
  uint32_t least = strtoul(*s + 1, &end, 10);
  bool mask = *end == '<';
  uint32_t at = ww_gen_pick(g, strtoul(end + (mask ? 2 : 1), &end, 10));
  *s = end;
  return mask ? (least << at) - 1 : least + at;
}

#define MOST 8192 /* bytes of a text */

/* The form with every @ replaced. */
static gen_text filled(gen *g, gen_text form, const gen_text *names, char out[MOST]) {
  size_t n = 0;
  for (; *form && n < MOST; form++) {
    if (*form != '@')
      out[n++] = *form;
    else if (*++form == '[')
      n += snprintf(out + n, MOST - n, "%u", drawn(g, &form));
    else
      n += snprintf(out + n, MOST - n, "%s", meaning(g, *form, names));
  }
  out[n < MOST ? n : MOST - 1] = 0;
  return out;
}

gen_text ww_gen_form(gen *g, gen_text form, const gen_text *names) {
  char text[MOST];
  return ww_strdup(g->a, filled(g, form, names, text));
}

static gen_text text_v(gen *g, gen_text fmt, va_list ap) {
  char form[MOST];
  char text[MOST];
  if (!strpbrk(fmt, "%@"))
    return fmt;
  vsnprintf(text, sizeof text, filled(g, fmt, NULL, form), ap);
  return ww_strdup(g->a, text);
}

gen_text ww_gen_text(gen *g, gen_text fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  gen_text s = text_v(g, fmt, ap);
  va_end(ap);
  return s;
}

gen_text ww_gen_let(gen *g, gen_text stem, gen_text fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  gen_text v = ww_gen_fresh(g, stem);
  ww_gen_line(g, 0, "@T %s = %s;", v, text_v(g, fmt, ap));
  va_end(ap);
  return v;
}

static gen_text take_line(gen *g, gen_text *s) {
  size_t n = strcspn(*s, "\n");
  gen_text line = ww_strndup(g->a, *s, n);
  *s += n + ((*s)[n] == '\n');
  return line;
}

static void add_lines(gen *g, int only, gen_text s) {
  while (*s) {
    gen_text line = take_line(g, &s);
    if (!strcmp(line, "}"))
      ww_gen_close(g);
    else
      ww_push(g->a, &g->lines,
              (gen_line){.text = line, .only = only, .depth = g->depth});
  }
}

void ww_gen_line(gen *g, int only, gen_text fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  add_lines(g, only, text_v(g, fmt, ap));
  va_end(ap);
}

void ww_gen_open(gen *g, gen_text weight, gen_text fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  gen_text s = text_v(g, fmt, ap);
  va_end(ap);
  ww_push(g->a, &g->lines,
          (gen_line){.text = take_line(g, &s),
                     .weight = weight,
                     .kind = GEN_OPEN,
                     .depth = g->depth++});
  add_lines(g, 0, s);
}

void ww_gen_loop(gen *g, gen_text k, gen_text trips) {
  ww_gen_open(g, trips, "for (int %s = 0; %s < %s; %s++)", k, k, trips, k);
}

void ww_gen_serial(gen *g) {
  g->lines.v[g->lines.n - 1].serial = true;
}

void ww_gen_rare(gen *g) {
  g->lines.v[g->lines.n - 1].rare = true;
}

void ww_gen_else(gen *g, gen_text weight) {
  ww_push(g->a, &g->lines,
          (gen_line){.text = "",
                     .weight = weight,
                     .kind = GEN_ELSE,
                     .depth = (uint8_t)(g->depth - 1)});
}

void ww_gen_close(gen *g) {
  ww_push(g->a, &g->lines,
          (gen_line){.text = "", .kind = GEN_CLOSE, .depth = --g->depth});
}

void ww_gen_close_all(gen *g, uint32_t to_depth) {
  while (g->depth > to_depth)
    ww_gen_close(g);
}

void ww_gen_shared(
    gen *g, gen_type t, gen_text name, gen_text dims, uint32_t elements) {
  ww_push(g->a, &g->decls,
          (gen_line){.text = ww_gen_text(g, "$shared %s %s%s;", ww_gen_types[t].neutral,
                                         name, dims),
                     .depth = 1});
  g->shared += elements * ww_gen_types[t].bytes;
  ww_gen_tag(g, "shared");
}

/* m: the length of the tag. */
static void add_tag(gen *g, gen_text tag, size_t m) {
  size_t n = strlen(g->productions);
  for (gen_text p = g->productions; *p; p += strcspn(p, " "), p += *p == ' ')
    if (strcspn(p, " ") == m && !memcmp(p, tag, m))
      return;
  if (n + m + 2 <= sizeof g->productions)
    sprintf(g->productions + n, "%s%.*s", n ? " " : "", (int)m, tag);
}

void ww_gen_tag(gen *g, gen_text productions) {
  for (size_t n; *productions; productions += n + (productions[n] == ' ')) {
    n = strcspn(productions, " ");
    add_tag(g, productions, n);
  }
}

gen_text ww_gen_fresh(gen *g, gen_text stem) {
  return ww_gen_text(g, "%s%u", stem, g->fresh++);
}

static gen_param *add_param(gen *g, gen_text name, uint8_t role) {
  gen_param *p =
      &g->params[g->nparams < GEN_MAX_PARAMS ? g->nparams++ : GEN_MAX_PARAMS - 1];
  *p = (gen_param){.name = name, .role = role};
  return p;
}

/* Floats in [0,1), integers small and not negative: no value of the contents makes a
 * loop or a branch run away. */
gen_param *ww_gen_buffer(gen *g, gen_text name, gen_type t, gen_text count) {
  gen_param *p = add_param(g, name, GEN_BUFFER);
  p->type = t;
  p->expr = count;
  p->fill = WW_FILL_RANDOM;
  if (t == GEN_I32 || t == GEN_I64 || t == GEN_I32X4) {
    p->fill = WW_FILL_UNIFORM;
    p->fill_hi = "1000";
  }
  p->restricted = ww_gen_chance(g, 75);
  return p;
}

gen_param *ww_gen_output(gen *g, gen_text name, gen_type t, gen_text count) {
  gen_param *p = ww_gen_buffer(g, name, t, count);
  p->written = true;
  p->fill = WW_FILL_ZEROS;
  p->fill_hi = NULL;
  return p;
}

void ww_gen_indices(gen_param *p, ww_fill_kind fill, gen_text lo, gen_text hi) {
  p->fill = fill;
  p->fill_lo = lo;
  p->fill_hi = hi;
}

gen_param *ww_gen_size(
    gen *g, gen_text name, gen_role role, uint64_t lo, uint64_t hi, gen_text expr) {
  gen_param *p = add_param(g, name, role);
  p->type = GEN_I32;
  p->lo = lo;
  p->hi = hi;
  p->expr = expr;
  return p;
}

int ww_gen_role(const gen *g, gen_role role) {
  for (uint32_t i = 0; i < g->nparams; i++)
    if (g->params[i].role == role)
      return i;
  return -1;
}

gen_text ww_gen_iters(gen *g) {
  static const gen_text names[] = {"iters", "steps", "rounds",
                                   "reps",  "trips", "count"};
  if (g->iters)
    return g->iters;
  g->iters = names[ww_gen_pick(g, 6)];
  bool primary = ww_gen_role(g, GEN_PRIMARY) < 0;
  ww_gen_size(g, g->iters, primary ? GEN_PRIMARY : GEN_DRAW, 1, primary ? 1 << 22 : 128,
              NULL)
      ->most = 1 << 22;
  return g->iters;
}
