/* space.h - a space of variants of one kernel: axes with their values, conditions, and
 * what a value changes: a macro, the source's text, the kernel's template arguments,
 * the launch.
 *
 * A configuration is one value of each axis, as indices. Names of axes may stand in
 * launch expressions and in the kernel's name (scale<float, TILE>). */
#ifndef WW_OPT_SPACE_H
#define WW_OPT_SPACE_H

#include "../report/launch.h"

#define WW_MOST_AXES 32

/* What a value changes. */
typedef enum {
  WW_AXIS_LAUNCH,   /* expressions of the launch, the kernel's name: nothing else */
  WW_AXIS_MACRO,    /* -DNAME=value */
  WW_AXIS_TEXT,     /* the number behind `#define NAME` or `NAME =` */
  WW_AXIS_CONSTANT, /* constexpr int NAME in front: nvcc wants one in #pragma unroll */
  WW_AXIS_TEMPLATE, /* an argument in the kernel's name */
  WW_AXIS_SHAPE,    /* block.x, ..., grid.z, shared: that part of the launch */
  WW_AXIS_BOUNDS,   /* launch_bounds: blocks of __launch_bounds__; 0: none */
  WW_NAXIS_KINDS
} ww_axis_kind;
extern const char *const ww_axis_kind_names[WW_NAXIS_KINDS];

typedef struct {
  const char *name;
  double *v;
  uint32_t n;
  ww_axis_kind kind;
  /* where the number stands in the text, end 0: nowhere; BOUNDS: where they go */
  size_t at, end;
  double original; /* what the source has; NaN: nothing */
} ww_axis;

typedef struct {
  ww_axis axes[WW_MOST_AXES];
  uint32_t n;
  WW_VEC(const char *) where;
  const char
      *kernel; /* its name, with template arguments over the axes; NULL: as given */
  ww_arena *a;
} ww_axes;

typedef uint16_t ww_config[WW_MOST_AXES];

/* ---- space.c ---- */
/* "BX=32..1024:x2", "K=0..8:+2", "K=1..8" (by one), "TILE=1,2,4,8"; adds an axis. */
ww_status ww_space_axis(ww_axes *s, const char *text, ww_err *e);
ww_status
ww_space_add(ww_axes *s, const char *name, const double *v, uint32_t n, ww_err *e);
/* A condition over the names of axes; its form and names are checked. */
ww_status ww_space_where(ww_axes *s, const char *text, ww_err *e);
int ww_space_find(const ww_axes *s, const char *name); /* an axis, or -1 */
bool ww_space_valid(const ww_axes *s, const ww_config c);
double ww_space_size(const ww_axes *s); /* without conditions */
/* All that are valid, in order; where there are more than `most`, that many drawn by
 * the seed. */
ww_config *
ww_space_configs(const ww_axes *s, uint32_t most, uint64_t seed, uint32_t *n);
/* "BX=32 TILE=4": those axes that have a choice; of a space without any, all. */
const char *ww_space_label(const ww_axes *s, const ww_config c, ww_arena *a);
/* Names of axes in the text replaced by their values. */
const char *
ww_space_put(const ww_axes *s, const ww_config c, const char *text, ww_arena *a);
/* The values as numbers between 0 and 1, by their logarithms where all are above 0. */
double ww_space_place(const ww_axis *x, uint32_t k);
/* The configuration nearest to what the source has, axis by axis. */
void ww_space_original(const ww_axes *s, ww_config out);

/* ---- space_source.c ---- */
/* Finds out what each axis changes in a source. */
ww_status ww_space_bind(ww_axes *s, const char *text, const char *kernel, ww_err *e);
/* Axes that the source itself offers: macros that are only set where nobody has set
 * them, named constants in dimensions of shared memory, loop bounds and unrolling,
 * integer template parameters, launch bounds. `block`: the launch's own, where it is a
 * number. */
ww_status ww_space_propose(ww_axes *s,
                           const char *text,
                           const char *kernel,
                           const uint64_t block[3],
                           ww_err *e);
/* One variant: flags (added), the text, the kernel's name. */
typedef struct {
  const char *text;   /* as given where nothing in it changes */
  const char *kernel; /* NULL: as given */
  ww_strings flags;
} ww_variant;
void ww_space_variant(const ww_axes *s,
                      const ww_config c,
                      const char *text,
                      ww_arena *a,
                      ww_variant *out);
/* Names of axes in the launch's expressions replaced by values. */
void ww_space_launch(const ww_axes *s, const ww_config c, ww_arena *a, ww_launch *l);
/* Of a resolved launch: block.x and the like set; where the block changes and no axis
 * is its grid, as many threads as before. */
void ww_space_shape(const ww_axes *s, const ww_config c, ww_launch *l);
/* The same of one that is not: expressions stay expressions. */
void ww_space_shape_written(const ww_axes *s,
                            const ww_config c,
                            ww_arena *a,
                            ww_launch *l);
/* A key of what the compiler sees: equal ones need one run of clang. */
uint64_t ww_space_code_key(const ww_axes *s, const ww_config c);

/* ---- space_tuner.c: Kernel Tuner's files ---- */
typedef struct {
  ww_config c;
  double ms;         /* the smallest that was recorded; NaN: it failed */
  double each[2];    /* the first two records; NaN: there is none */
  uint32_t records;  /* that have a time */
  const char *error; /* how it failed: "RuntimeFailedConfig"; NULL: it did not */
} ww_recorded;
typedef struct {
  const char *kernel, *file, *device; /* NULL: not said */
  const char *grid[3], *block[3];     /* expressions; NULL: not said */
  ww_strings args;                    /* of a T1 file: as --arg takes them, in order */
  ww_strings flags;
  bool recorded; /* it has measurements */
  WW_VEC(ww_recorded) v;
} ww_tuner_file;
/* A T1 file (a space and its kernel) or a cache file (a space and its measurements).
 * Axes are added where the space has none; a second file brings more measurements. */
ww_status ww_tuner_read(const char *path, ww_axes *s, ww_tuner_file *out, ww_err *e);

#endif
