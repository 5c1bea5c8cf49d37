/* generate_pen.h - short names for the productions alone: a family reads like the code it writes.
 */
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
void ww_gen_inputs(gen *g, gen_type t, uint32_t count, const char *elements, const char *at,
                   const char **vars);
const char *ww_gen_one_of(gen *g, const char *const *list, uint32_t n);

/* ---- generate_pen.c: the same for productions since version 2 ---- */
const char *ww_gen_zero(gen_type t);
gen_type ww_gen_value(
    gen *g,
    uint32_t percent_float); /* float, double, int, unsigned; the kernel's type from then on */
uint32_t ww_gen_threads(gen *g, uint32_t least,
                        uint32_t sizes);      /* fixes the block: least, twice that, ... */
void ww_gen_unroll(gen *g, uint32_t percent); /* perhaps a pragma before the loop that comes */
void ww_gen_stir(gen *g, gen_type t, const char *acc,
                 const char *k); /* integers: no closed form of the loop over k */
/* Something of one value in which it cannot cancel out. */
const char *ww_gen_bend(gen *g, gen_type t, const char *v);
const char *ww_gen_sum(gen *g, gen_type t, const char *const *parts, uint32_t n);
void ww_gen_put(gen *g, gen_type t, const char *count, const char *at,
                const char *value); /* into an output made here */

#endif
