/* generate_pen.h - short names for the productions alone: a family reads like the code
 * it writes.
 */
#ifndef WW_DATA_GENERATE_PEN_H
#define WW_DATA_GENERATE_PEN_H

#include "generate_int.h"

#define T(...) ww_gen_text(g, __VA_ARGS__)
#define NUM(n) ww_gen_text(g, "%u", n)
#define L(...) ww_gen_line(g, 0, __VA_ARGS__)
#define LINE(form, ...) L("%s", FORM(form, __VA_ARGS__))
#define CUDA(...) ww_gen_line(g, 1, __VA_ARGS__)
#define OPENCL(...) ww_gen_line(g, 2, __VA_ARGS__)
#define FORM(form, ...) ww_gen_form(g, form, (const gen_text[]){__VA_ARGS__})
#define OPEN(...) ww_gen_open(g, __VA_ARGS__)
#define OPEN_1D(n) ww_gen_open_1d(g, n)
#define LOOP(k, trips) ww_gen_loop(g, k, trips)
#define SERIAL() ww_gen_serial(g)
#define RARE() ww_gen_rare(g)
#define ELSE(weight) ww_gen_else(g, weight)
#define CLOSE() ww_gen_close(g)
#define CLOSE_ALL(to_depth) ww_gen_close_all(g, to_depth)
#define UNROLL(percent) ww_gen_unroll(g, percent)
#define TAG(t) ww_gen_tag(g, t)
#define pick(n) ww_gen_pick(g, n)
#define chance(p) ww_gen_chance(g, p)
#define fresh(stem) ww_gen_fresh(g, stem)
#define LET(...) ww_gen_let(g, __VA_ARGS__)
#define NAME(t) (ww_gen_types[t].neutral)
#define FLOATS ww_gen_is_float(g->type)

/* Arguments. */
#define BUFFER(...) ww_gen_buffer(g, __VA_ARGS__)
#define OUTPUT(...) ww_gen_output(g, __VA_ARGS__)
/* of the kernel's own type */
#define READS(name, count) ww_gen_buffer(g, name, g->type, count)
#define WRITES(name, count) ww_gen_output(g, name, g->type, count)
#define GRID(name, expr) ww_gen_size(g, name, GEN_GRID, 0, 0, expr)
#define FOLLOWS(name, expr) ww_gen_size(g, name, GEN_EXPR, 0, 0, expr)
#define PRIMARY(name, lo, hi) ww_gen_size(g, name, GEN_PRIMARY, lo, hi, NULL)
#define DRAW(name, lo, hi) ww_gen_size(g, name, GEN_DRAW, lo, hi, NULL)
#define UNIFORM(name, t, count, lo, hi) \
  ww_gen_indices(ww_gen_buffer(g, name, t, count), WW_FILL_UNIFORM, lo, hi)
#define PERMUTATION(name, count)                                                    \
  ww_gen_indices(ww_gen_buffer(g, name, GEN_I32, count), WW_FILL_PERMUTATION, NULL, \
                 NULL)
#define SHARED(name, n) ww_gen_shared(g, g->type, name, ww_gen_text(g, "[%u]", n), n)
#define INPUTS(...) ww_gen_inputs(g, __VA_ARGS__)
#define LOAD(...) ww_gen_load(g, __VA_ARGS__)
#define RESULT(...) ww_gen_result(g, __VA_ARGS__)
#define PUT(...) ww_gen_put(g, __VA_ARGS__)
#define VALUE(percent_float) ww_gen_value(g, percent_float)
#define NARROW_VALUE(percent_float, percent_f32) \
  ww_gen_narrow_value(g, percent_float, percent_f32)
#define THREADS(least, sizes) ww_gen_threads(g, least, sizes)
#define ITERS() ww_gen_iters(g)

/* Arithmetic. NAMES: some names where a list and its length are wanted. */
#define NAMES(...)                 \
  (const gen_text[]){__VA_ARGS__}, \
      sizeof(const gen_text[]){__VA_ARGS__} / sizeof(gen_text)
#define LITERAL() ww_gen_literal(g)
#define EXPR(...) ww_gen_expr(g, __VA_ARGS__)
#define ALL(...) ww_gen_all(g, __VA_ARGS__)
#define STEP(...) ww_gen_step(g, __VA_ARGS__)
#define STEPS(...) ww_gen_steps(g, __VA_ARGS__)
#define CONDITION(...) ww_gen_condition(g, __VA_ARGS__)
#define WORK(...) ww_gen_work(g, __VA_ARGS__)
#define PERHAPS_WORK(...) ww_gen_perhaps_work(g, __VA_ARGS__)
#define BEND(v) ww_gen_bend(g, v)
#define SUM(...) ww_gen_sum(g, __VA_ARGS__)
#define STIR(acc, k) ww_gen_stir(g, acc, k)

/* ---- generate_flat.c, generate_pen.c: what many families begin or end with ---- */
/* Opens the loop or the guard over n elements; the index' name. n becomes an argument.
 */
gen_text ww_gen_open_1d(gen *g, gen_text n);
/* Reads an element into a variable of its compute type; at: "#c i". */
gen_text ww_gen_load(gen *g, gen_type t, gen_text buffer, gen_text at);
/* The same for several inputs, made here: `count` names into vars. */
void ww_gen_inputs(
    gen *g, gen_type t, uint32_t count, gen_text elements, gen_text at, gen_text *vars);
/* float, double, int, unsigned; the kernel's type from then on. narrow: never of 64
 * bits as an integer. */
gen_type ww_gen_value(gen *g, uint32_t percent_float);
gen_type ww_gen_narrow_value(gen *g, uint32_t percent_float, uint32_t percent_f32);
void ww_gen_fix(gen *g, uint32_t x, uint32_t y); /* the block's threads */
/* fixes the block: least, twice that, ... */
uint32_t ww_gen_threads(gen *g, uint32_t least, uint32_t sizes);
/* perhaps a pragma before the loop that comes */
void ww_gen_unroll(gen *g, uint32_t percent);
void ww_gen_stir(gen *g,
                 gen_text acc,
                 gen_text k); /* integers: no closed form of the loop over k */
/* Something of one value in which it cannot cancel out. */
gen_text ww_gen_bend(gen *g, gen_text v);
gen_text ww_gen_sum(gen *g, const gen_text *parts, uint32_t n);
void ww_gen_atomic_add(
    gen *g, gen_text buffer, gen_text mark, gen_text at, gen_text value);
gen_text ww_gen_perhaps_work(gen *g, uint32_t percent, gen_text index, gen_text v);
/* Into element i of an output made here: `out`, or one with any name. */
void ww_gen_result(gen *g, gen_text count, gen_text i, gen_text value);
void ww_gen_put(gen *g, gen_text count, gen_text i, gen_text value);

#endif
