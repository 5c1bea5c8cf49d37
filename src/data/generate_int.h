/* generate_int.h - what the files of the generator share: the tree, and the functions
 * that build it.
 *
 * A tree is a list of lines with their nesting, in a text form between CUDA and OpenCL:
 * `$word` is what the dialects spell differently (generate_print.c has the table), `#x`
 * behind a bracket says how the lanes of a warp meet there, for the estimate: #c
 * neighbouring elements   #b one element #h as #c or #b, in L1 by now   #r anywhere #t
 * anywhere in a table, which L1 holds where it is small   #s4 every 4th element #pNAME
 * every NAME-th element   #q each lane walks over elements of its own   #k8 shared
 * memory, 8-way bank conflict   #v an array in registers: nothing A `d` in front (#dr):
 * the address waits for a load; before an atomic's `a` (#dab): its result is waited
 * for. Sizes and trip counts are texts over the arguments and the shape (TX TY TZ GX GY
 * GZ T=threads of a block G=blocks S=all), evaluated for each launch. */
#ifndef WW_DATA_GENERATE_INT_H
#define WW_DATA_GENERATE_INT_H

#include "generate.h"

/* a piece of the kernel, or the name of something in it */
typedef const char *gen_text;

typedef enum {
  GEN_F32,
  GEN_F64,
  GEN_I32,
  GEN_U32,
  GEN_I64,
  GEN_U64,
  GEN_U8,
  GEN_I8,
  GEN_I16,
  GEN_F32X2,
  GEN_F32X4,
  GEN_I32X4,
  GEN_NTYPES
} gen_type;

typedef struct {
  gen_text neutral; /* in the tree's lines */
  gen_text data;    /* in launch specs */
  gen_text zero;
  uint8_t bytes;
  bool is_float;
} gen_type_info;
extern const gen_type_info ww_gen_types[GEN_NTYPES];

typedef enum { GEN_LINE, GEN_OPEN, GEN_ELSE, GEN_CLOSE } gen_line_kind;

typedef struct {
  gen_text text;
  /* GEN_OPEN, GEN_ELSE: how often the inside runs, per run of the outside; NULL: once
   */
  gen_text weight;
  uint8_t kind;
  uint8_t only; /* 0 both dialects, 1 CUDA, 2 OpenCL */
  bool serial;  /* a loop whose loads wait for the iteration before */
  /* GEN_OPEN, GEN_ELSE: what a warp waits for inside counts by the weight as well */
  bool rare;
  uint8_t depth; /* nesting */
} gen_line;

typedef enum {
  GEN_BUFFER,
  GEN_PRIMARY, /* found for the launch's time, lo .. hi */
  GEN_DRAW,    /* log-uniform lo .. hi; stretched when the primary alone does not do */
  GEN_GRID,    /* what the grid covers: `expr`, or a little less */
  GEN_EXPR,    /* follows from other sizes */
  GEN_SCALAR   /* a float */
} gen_role;

typedef struct {
  gen_text name;
  uint8_t role; /* gen_role */
  uint8_t type; /* gen_type, of a buffer's element */
  uint8_t fill; /* ww_fill_kind */
  bool written, restricted;
  uint32_t step;   /* sizes: multiples of it; 0: 1. Buffers: unused */
  uint64_t lo, hi; /* GEN_PRIMARY, GEN_DRAW */
  uint64_t most;   /* GEN_DRAW: what it may be stretched to; 0: hi */
  gen_text expr;   /* elements of a buffer; GEN_GRID and GEN_EXPR */
  gen_text fill_lo, fill_hi;
} gen_param;

typedef struct {
  uint8_t dims;
  uint32_t fixed[3]; /* threads the code counts on; 0: free */
  uint32_t max_threads;
  bool pow2; /* threads are a power of two */
} gen_shape;

#define GEN_MAX_PARAMS 20

struct ww_gen_tree {
  /* the body; helpers and tables before it; shared arrays at its top */
  WW_VEC(gen_line)
  lines, outside, decls;
  gen_param params[GEN_MAX_PARAMS];
  uint32_t nparams;
  gen_shape shape;
  uint32_t shared;        /* static shared memory, bytes, about */
  uint32_t launch_bounds; /* 0: none */
  uint8_t type;           /* gen_type of the arithmetic */
  uint32_t family;
  bool helper; /* the OpenCL print needs its own helper: a float atomic */
  char productions[160];
  /* only while it is built */
  ww_arena *a;
  uint64_t rng;
  gen_text name;
  uint32_t fresh;
  uint8_t depth;
  uint8_t math, div; /* taste of this kernel, percent */
  gen_text iters;    /* its trip count argument once there is one */
  bool heavy;        /* wants one */
};
typedef struct ww_gen_tree gen;

/* ---- generate_build.c ----
 * In texts @T is the type of the kernel's arithmetic, @0 its zero, @f the suffix of its
 * floats (f or none), @u that of its integers (u or none), @l one of its literals,
 * @[3+14] a number from 3 to 16,
 * @[8<<6] one of the masks 7, 15, ... of 6. What is drawn is drawn in the order of the
 * text, after the arguments. */
uint32_t ww_gen_pick(gen *g, uint32_t n); /* 0 .. n-1 */
bool ww_gen_chance(gen *g, uint32_t percent);
gen_text ww_gen_text(gen *g, gen_text fmt, ...) __attribute__((format(printf, 2, 3)));
/* The same without a format: @a to @e are the names. */
gen_text ww_gen_form(gen *g, gen_text form, const gen_text *names);
/* A line or several; one that is } closes what was opened. only: 0 both dialects, 1
 * CUDA, 2 OpenCL
 */
void ww_gen_line(gen *g, int only, gen_text fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The first line opens a block, the others are in it. */
void ww_gen_open(gen *g, gen_text weight, gen_text fmt, ...)
    __attribute__((format(printf, 3, 4)));
void ww_gen_loop(gen *g, gen_text k, gen_text trips); /* over k from 0 on */
/* the loop just opened waits for itself */
void ww_gen_serial(gen *g);
void ww_gen_rare(gen *g); /* the branch just opened is often passed by */
void ww_gen_else(gen *g, gen_text weight);
void ww_gen_close(gen *g);
void ww_gen_close_all(gen *g, uint32_t to_depth);
void ww_gen_shared(gen *g,
                   gen_type t,
                   gen_text name,
                   gen_text dims,
                   uint32_t elements);         /* declares it */
void ww_gen_tag(gen *g, gen_text productions); /* one or more, with spaces between */
gen_text ww_gen_fresh(gen *g, gen_text stem);
/* A new variable of the kernel's type with this value; its name. */
gen_text ww_gen_let(gen *g, gen_text stem, gen_text fmt, ...)
    __attribute__((format(printf, 3, 4)));
gen_param *ww_gen_buffer(gen *g, gen_text name, gen_type t, gen_text count);
gen_param *ww_gen_output(gen *g, gen_text name, gen_type t, gen_text count);
void ww_gen_indices(gen_param *p, ww_fill_kind fill, gen_text lo, gen_text hi);
gen_param *ww_gen_size(
    gen *g, gen_text name, gen_role role, uint64_t lo, uint64_t hi, gen_text expr);
gen_text ww_gen_iters(gen *g); /* the trip count argument, made on first use */
static inline bool ww_gen_is_float(gen_type t) {
  return ww_gen_types[t].is_float;
}

/* where the first argument of it is; -1: none */
int ww_gen_role(const gen *g, gen_role role);

/* ---- generate_expr.c: arithmetic in the kernel's type that all productions share ----
 */
gen_type ww_gen_any_type(gen *g);    /* float or integer, as kernels have them */
gen_type ww_gen_compute(gen_type t); /* what values of t are computed in */
gen_text ww_gen_literal(gen *g);
gen_text ww_gen_expr(gen *g, const gen_text *vars, uint32_t n, uint32_t depth);
/* The same with every one of vars in it: what is loaded is used. */
gen_text ww_gen_all(gen *g, const gen_text *vars, uint32_t n, uint32_t depth);
/* A statement `acc = ...` that keeps floats bounded however often it runs. */
void ww_gen_step(gen *g, gen_text acc, const gen_text *vars, uint32_t n);
void ww_gen_steps(
    gen *g, uint32_t count, gen_text acc, const gen_text *vars, uint32_t n);
/* A condition: uniform over the grid, over a block, divergent, or by data. *weight gets
 * how often it holds. */
gen_text ww_gen_condition(
    gen *g, gen_text index, const gen_text *vars, uint32_t n, gen_text *weight);
/* Statements on the values `vars`; the result's name. `index`: an integer that differs
 * between threads. */
gen_text ww_gen_work(gen *g, gen_text index, const gen_text *vars, uint32_t n);

/* ---- productions ---- */
typedef struct {
  gen_text name;
  void (*make)(gen *g);
  uint32_t since; /* the version that brought it: earlier ones do not draw it */
  uint32_t weight;
  float factor; /* what the estimate is multiplied by */
} gen_family;
extern const gen_family ww_gen_families[];
extern const uint32_t ww_gen_nfamilies;
#define GEN_FAMILY(name) void ww_gen_##name(gen *g)
#define FAMILY(name, make, ...) GEN_FAMILY(make);
#include "generate_families.def"
#undef FAMILY

/* ---- generate_print.c ---- */
void ww_gen_function_cost(const char *word,
                          size_t n,
                          double *issue,
                          double *latency); /* of a `$word`; of another one they stay */
/* Next token of a line's text: its length; 0 at the end. */
size_t ww_gen_token(const char *s);

/* ---- generate_cost.c ---- */
typedef struct {
  double value[GEN_MAX_PARAMS]; /* of sizes; elements of buffers */
  uint64_t grid[3], block[3];
  uint32_t sms;
  uint64_t l2;
} gen_sizes;
static inline uint64_t ww_gen_volume(const uint64_t sides[3]) {
  return sides[0] * sides[1] * sides[2];
}
typedef struct gen_cost gen_cost;
double ww_gen_eval(const gen *g, gen_text expr, const gen_sizes *z);
void ww_gen_counts(const gen *g, gen_sizes *z); /* buffers' elements from sizes */
double ww_gen_bytes(const gen *g, const gen_sizes *z);
gen_cost *ww_gen_cost_new(const gen *g, ww_arena *a);
double ww_gen_cost_us(const gen_cost *c, const gen_sizes *z);

#endif
