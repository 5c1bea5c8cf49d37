/* generate_pen.h - short names for the productions alone: a family reads like the code it writes. */
#ifndef WW_DATA_GENERATE_PEN_H
#define WW_DATA_GENERATE_PEN_H

#include "generate_int.h"

#define T(...) ww_gen_text(g, __VA_ARGS__)
#define L(...) ww_gen_line(g, __VA_ARGS__)
#define OPEN(...) ww_gen_open(g, __VA_ARGS__)
#define CLOSE() ww_gen_close(g)
#define TAG(t) ww_gen_tag(g, t)
#define pick(n) ww_gen_pick(g, n)
#define chance(p) ww_gen_chance(g, p)
#define fresh(stem) ww_gen_fresh(g, stem)
#define NAME(t) ww_gen_name(t)

/* ---- generate_flat.c: what several families begin or end with ---- */
/* Opens the loop or the guard over n elements; the index' name. n becomes an argument. */
const char *ww_gen_open_1d(gen *g, const char *n);
/* Reads an element into a variable of its compute type; at: "#c i". */
const char *ww_gen_load(gen *g, gen_type t, const char *buffer, const char *at);
/* The same for several inputs, made here: `count` names into vars. */
void ww_gen_inputs(gen *g, gen_type t, uint32_t count, const char *elements, const char *at, const char **vars);
const char *ww_gen_one_of(gen *g, const char *const *list, uint32_t n);

#endif
