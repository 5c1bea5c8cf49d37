/* callees_int.h - what callees.c (dispatch, LLVM intrinsics), callees_nv.c (NVVM,
 * libdevice), callees_amd.c (amdgcn, ocml) and callees_cl.c (OpenCL) share. A callee is
 * found by its name in callees.def; its handler sees the call already taken apart. */
#ifndef WW_FRONT_CALLEES_INT_H
#define WW_FRONT_CALLEES_INT_H

#include "translate_int.h"

enum { CALL_MAX_ARGS = 64 };

typedef struct {
  low_fn *F;
  LLVMValueRef inst;
  const char *name; /* of the callee */
  const char *tail; /* what a pattern's '*' stood for */
  uint32_t nargs;
  LLVMValueRef arg[CALL_MAX_ARGS];
  const low_type *at[CALL_MAX_ARGS];
  /* OpenCL: mangled type letter of each argument's element, 0 unknown */
  char sig[CALL_MAX_ARGS];
  const low_type *rt;
  ww_val *res; /* rt->n results; left zero when a handler sets none */
  int x, y;    /* of its row: what they mean is the handler's */
} low_callee;

/* One lane of an elementwise call. */
typedef struct {
  ww_val a, b, c;     /* arguments; WW_NOVAL where there are fewer */
  ww_type ta, tb, tc; /* their types */
  ww_type rt;
  bool sign; /* OpenCL: the first argument is signed */
  low_callee *call;
  low_fn *F;
  int x, y; /* of the row */
} low_lane;

typedef void (*low_whole)(low_callee *c);
typedef ww_val (*low_each)(const low_lane *s);

typedef struct {
  const char *pattern; /* a trailing '*' matches any rest; the longest pattern wins */
  low_whole whole;
  low_each each;
  int x, y;
} low_row;
/* The row of the longest pattern that matches; NULL: none. */
const low_row *call_find(const low_row *rows, size_t n, const char *name);
void call_run(low_callee *c, const low_row *r);

#define APPROX (WW_F_APPROX << 8)

static inline ww_type call_type(const low_callee *c) { /* of the first result */
  return c->rt->c[0].type;
}

/* OpenCL: whether the first argument is signed */
static inline bool call_signed(const low_callee *c) {
  return c->sig[0] && strchr("cslxia", c->sig[0]);
}

/* An operation at the result's type. */
static inline ww_val lane_op(const low_lane *s, ww_op op, ww_val a, ww_val b) {
  return low_binary(s->F, op, s->rt, a, b);
}

/* The same with a constant. */
static inline ww_val lane_opk(const low_lane *s, ww_op op, ww_val a, uint64_t k) {
  return low_binaryk(s->F, op, s->rt, a, k);
}

/* callees.c */
/* component of an argument */
ww_val call_comp(low_callee *c, uint32_t arg, uint32_t i);
/* scalar argument */
ww_val call_arg(low_callee *c, uint32_t i);
/* widened or narrowed */
ww_val call_arg_as(low_callee *c, uint32_t i, ww_type t, bool sign);
bool call_const(low_callee *c, uint32_t i, int64_t *v);
low_addr call_ptr(low_callee *c, uint32_t i, uint32_t align);
bool call_used(low_callee *c);
void call_each(low_callee *c, low_each f, int x, int y);
void call_set(low_callee *c, ww_val v); /* the single result */
void call_set_int(low_callee *c,
                  ww_val v,
                  ww_type t,
                  bool sign);             /* the single result, converted to its type */
void call_set32(low_callee *c, ww_val v); /* of an unsigned 32-bit value */
/* of the tail */
uint32_t call_tokens(const low_callee *c, char tok[][24], uint32_t max);
/* math.def names and their kin, elementwise */
bool call_float_fn(low_callee *c, const char *base, size_t n, int flags);
bool call_class(low_callee *c, const char *name); /* isnan, signbit ... */
bool call_math_library(low_callee *c,
                       const char *name,
                       int flags); /* C spelling: sinf, exp, frexp ... */
/* OpenCL's and ROCm's _rte _rtz _rtn _rtp, by the last letter */
int call_rounding(char c);
/* of the sum of the squares of four arguments */
void call_norm4(low_callee *c, ww_math root);
ww_val call_quotient(low_fn *F, ww_type t, ww_val a, ww_val b); /* remquo's: i32 */
/* Functions whose second result goes through their last argument, a pointer. */
enum { P_SINCOS, P_SINCOSPI, P_FRACT, P_WHOLE, P_MODF, P_FREXP, P_REMQUO };
void call_two(low_callee *c); /* x: which */

/* Classes of floats as llvm.is.fpclass has them, for each_fclass; 0 stands for the sign
 * bit. */
enum { FC_SIGN, FC_NAN = 3, FC_INF = 516, FC_FINITE = 0x1f8, FC_NORMAL = 264 };
ww_val lane_bool(const low_lane *s, ww_val i1); /* as the result type */

/* handlers */
#define W(pattern, fn, x, y) void fn(low_callee *c);
#define E(pattern, fn, x, y) ww_val fn(const low_lane *s);
#include "callees.def"

/* callees_cl.c: an Itanium-mangled OpenCL builtin; false when it is none. */
bool call_opencl(low_callee *c);
ww_val call_axis(low_callee *c,
                 uint32_t arg,
                 int first_sreg); /* special register of a (maybe run-time) axis, i32 */

#endif
