/* gpu.h - GPU descriptions: gpus/<name>.json of this project, or a user's own file.
 *
 * gpu.def is the one table of figures. A figure nobody knows is NaN, a list or curve of
 * length 0: never zero, never a guess. */
#ifndef WW_GPU_H
#define WW_GPU_H

#include <math.h>

#include "../base/base.h"

typedef enum {
#define OP(name, ...) WW_GPU_OP_##name,
#include "gpu.def"
  WW_NGPU_OPS
} ww_gpu_op;

typedef enum {
#define MATH(name, ...) WW_GPU_MATH_##name,
#include "gpu.def"
  WW_NGPU_MATHS
} ww_gpu_math;

/* How far a description's figures can be trusted, ascending; from its `calibrated`. */
typedef enum {
#define GRADE(name, ...) WW_GRADE_##name,
#include "gpu.def"
  WW_NGRADES
} ww_grade;

typedef struct {
  const char *name, *text, *begins; /* begins: of `calibrated` */
  double spread; /* 90 % of |ln time| that such figures alone are off by */
  const char *meaning;
} ww_grade_info;
extern const ww_grade_info ww_grades[WW_NGRADES];

typedef struct {
  double *x, *y; /* ascending in x; a list has no y */
  uint32_t n;
  const char *source;
} ww_curve;

enum { /* one source a figure, in the order of ww_gpu_figures */
       WW_NGPU_FIGURES = 0
#define FIGURE(...) +1
#include "gpu.def"
#define OP(...) +2
#include "gpu.def"
#define MATH(...) +5
#include "gpu.def"
};

typedef struct {
  const char *name, *full_name;
  const char *vendor;       /* "nvidia" or "amd" */
  const char *architecture; /* sm_90, gfx90a */
  uint32_t lanes;           /* of a warp: 32 or 64 */
  uint32_t sms;             /* multiprocessors, compute units */
  /* the measurement that stands behind the figures; NULL: none, figures are from paper
   */
  const char *calibrated;
  const char *notes; /* or NULL */
#define FIGURE(field, ...) double field;
#include "gpu.def"
#define LIST(field, ...) ww_curve field;
#define CURVE(field, ...) ww_curve field;
#include "gpu.def"
  /* cycles of a sub-core per warp instruction, all sub-cores busy */
  double issue[WW_NGPU_OPS];
  double latency[WW_NGPU_OPS]; /* cycles until a dependent instruction can issue */
  /* warp instructions of one operation on ordinary numbers */
  double math_instructions[WW_NGPU_MATHS];
  /* FP32 operations that the counters see, per lane */
  double math_flops32[WW_NGPU_MATHS];
  double math_flops64[WW_NGPU_MATHS];
  /* as issue[] and latency[], of the whole sequence */
  double math_issue[WW_NGPU_MATHS];
  double math_latency[WW_NGPU_MATHS];
  /* where each figure comes from; NULL: not said */
  const char *source[WW_NGPU_FIGURES];
} ww_gpu;

/* What the model takes for a figure that a description lacks; NaN: it does without. */
typedef struct {
#define FIGURE(field, ...) double field;
#include "gpu.def"
} ww_gpu_defaults;
extern const ww_gpu_defaults ww_gpu_default;
#define WW_FIGURE(g, field) ((g)->field > 0 ? (g)->field : ww_gpu_default.field)

typedef struct {
  const char *path, *unit, *meaning;
  size_t at; /* of the double in ww_gpu */
  double least, most;
} ww_figure;
extern const ww_figure ww_gpu_figures[WW_NGPU_FIGURES];

typedef struct {
  const char *path, *unit_x, *unit_y, *meaning; /* unit_y NULL: a list */
  size_t at;                                    /* of the ww_curve in ww_gpu */
} ww_curve_info;
extern const ww_curve_info ww_gpu_curves[];
extern const uint32_t ww_ngpu_curves;

extern const char *const ww_gpu_op_names[WW_NGPU_OPS],
    *const ww_gpu_math_names[WW_NGPU_MATHS];

static inline double *ww_figure_at(ww_gpu *g, uint32_t i) {
  return (double *)((char *)g + ww_gpu_figures[i].at);
}
static inline double ww_figure_of(const ww_gpu *g, uint32_t i) {
  return *(const double *)((const char *)g + ww_gpu_figures[i].at);
}
static inline ww_curve *ww_curve_at(ww_gpu *g, uint32_t i) {
  return (ww_curve *)((char *)g + ww_gpu_curves[i].at);
}
int ww_figure_named(const char *path); /* index or -1 */
void ww_figure_set(ww_gpu *g, uint32_t i, double value, const char *source);

ww_grade ww_gpu_grade(const ww_gpu *g);
/* by its name or text ("paper", "from paper"); -1: there is none */
int ww_grade_named(const char *name);

/* Nothing known yet: every figure NaN. */
void ww_gpu_init(ww_gpu *g);
/* `which`: a name in any spelling ("RTX 4090", rtx-4090, h200) or the path of a
 * description. An unknown name is an error that lists the known ones; a member that is
 * missing, misspelt, of the wrong kind or out of range is one that names it. */
ww_status ww_gpu_load(const char *which, ww_arena *a, ww_gpu *out, ww_err *e);
ww_status ww_gpu_parse(const char *text, size_t n, ww_arena *a, ww_gpu *out, ww_err *e);
/* Whether a name means this GPU, case, blanks and dashes aside. */
bool ww_gpu_called(const ww_gpu *g, const char *name, ww_arena *a);
/* The names of the descriptions that came with the program, ascending. */
uint32_t ww_gpu_names(ww_arena *a, const char ***names);
/* The description that fits a device's own name ("NVIDIA H200") and number of
 * multiprocessors (0: any); NULL: none does. */
const char *ww_gpu_for_device(const char *device, uint32_t sms, ww_arena *a);

/* ---- gpu_write.c ---- */
/* of an open object: name, full_name, vendor, ..., as lists of GPUs have them */
void ww_gpu_members(const ww_gpu *g, ww_json *j);
/* what ww_gpu_parse reads back; pretty: one figure a line */
void ww_gpu_write(const ww_gpu *g, bool pretty, ww_buf *out);

/* y at x, between the points by straight lines over log x, flat outside; NaN when the
 * curve is empty. */
double ww_curve_at_x(const ww_curve *c, double x);

#endif
