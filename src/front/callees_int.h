/* callees_int.h - what callees.c (dispatch, LLVM intrinsics), callees_nv.c (NVVM, libdevice),
 * callees_amd.c (amdgcn, ocml) and callees_cl.c (OpenCL) share. A callee is found by its name in
 * callees.def; its handler sees the call already taken apart. */
#ifndef WW_FRONT_CALLEES_INT_H
#define WW_FRONT_CALLEES_INT_H

#include "translate_int.h"

/* Handlers of a table share one signature; few need all of its parameters. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

enum { CALL_MAX_ARGS = 64 };

typedef struct {
  low_fn *F;
  LLVMValueRef inst;
  const char *name; /* of the callee */
  const char *tail; /* what a pattern's '*' stood for */
  uint32_t nargs;
  LLVMValueRef arg[CALL_MAX_ARGS];
  const low_type *at[CALL_MAX_ARGS];
  char sig[CALL_MAX_ARGS]; /* OpenCL: mangled type letter of each argument's element, 0 unknown */
  const low_type *rt;
  ww_val *res; /* rt->n results; left zero when a handler sets none */
} low_callee;

/* One lane of an elementwise call. */
typedef struct {
  ww_val v[4];
  ww_type t[4];
  ww_type rt;
  bool sign; /* OpenCL: the first argument is signed */
} low_lane;

typedef void (*low_whole)(low_callee *c, int x, int y);
typedef ww_val (*low_each)(low_callee *c, const low_lane *s, int x, int y);

typedef struct {
  const char *pattern; /* a trailing '*' matches any rest; the longest pattern wins */
  low_whole whole;
  low_each each;
  int x, y;
} low_row;

#define APPROX (WW_F_APPROX << 8)

static inline ww_type call_type(const low_callee *c) { /* of the first result */
  return c->rt->c[0].type;
}

/* callees.c */
ww_val call_arg(low_callee *c, uint32_t i);                          /* scalar argument */
ww_val call_arg_as(low_callee *c, uint32_t i, ww_type t, bool sign); /* widened or narrowed */
bool call_const(low_callee *c, uint32_t i, int64_t *v);
low_addr call_ptr(low_callee *c, uint32_t i, uint32_t align);
bool call_used(low_callee *c);
void call_each(low_callee *c, low_each f, int x, int y);
void call_set_int(low_callee *c, ww_val v, ww_type t,
                  bool sign);             /* the single result, converted to its type */
void call_set32(low_callee *c, ww_val v); /* of an unsigned 32-bit value */
void call_refuse(low_callee *c);
void call_copy(low_callee *c, ww_val to, ww_val from, ww_val bytes); /* run-time size */
uint32_t call_split(const char *s, char sep, char tok[][24], uint32_t max);
bool call_float_fn(low_callee *c, const char *base, size_t n,
                   int flags); /* math.def names and their kin, elementwise */
bool call_math_library(low_callee *c, const char *name,
                       int flags); /* C spelling: sinf, exp, frexp ... */
ww_val lane_bool(low_callee *c, ww_val i1, const low_lane *s); /* i1 as the result type */

void call_store(low_callee *c, uint32_t i, ww_val v, ww_type t); /* through the i-th argument */
ww_val call_norm4(low_callee *c, ww_type t); /* the sum of the squares of four arguments */
ww_val call_quotient(low_fn *F, ww_type t, ww_val a, ww_val b); /* remquo's: i32 */

/* elementwise handlers */
ww_val each_op(low_callee *c, const low_lane *s, int op, int sub_flags);
ww_val each_math(low_callee *c, const low_lane *s, int math, int flags);
ww_val each_us(low_callee *c, const low_lane *s, int sop, int uop); /* by signedness (OpenCL) */
ww_val each_count(low_callee *c, const low_lane *s, int op,
                  int y); /* counts bits at the argument's width */
ww_val each_ffs(low_callee *c, const low_lane *s, int x, int y);
ww_val each_cvt(low_callee *c, const low_lane *s, int round,
                int sign); /* any scalar conversion; sign: -1 by lane */
ww_val each_same(low_callee *c, const low_lane *s, int x, int y);
ww_val each_sat(low_callee *c, const low_lane *s, int op,
                int sign); /* WW_OP_ADD or SUB; sign: -1 by lane */
ww_val each_hadd(low_callee *c, const low_lane *s, int round_up, int sign);
ww_val each_mulhi(low_callee *c, const low_lane *s, int sign, int acc);
ww_val each_mul24(low_callee *c, const low_lane *s, int sign, int acc);
ww_val each_fclass(low_callee *c, const low_lane *s, int what, int y);
ww_val each_clamp01(low_callee *c, const low_lane *s, int x, int y);
ww_val each_fshift(low_callee *c, const low_lane *s, int op, int clamp);
ww_val each_sad(low_callee *c, const low_lane *s, int sign, int y);
ww_val each_bits(low_callee *c, const low_lane *s, int x, int y);
ww_val each_fminmax(low_callee *c, const low_lane *s, int op, int nan); /* nan: a NaN wins */
ww_val each_byte_perm(low_callee *c, const low_lane *s, int x,
                      int y); /* three bits of each selector count */
ww_val each_rcp(low_callee *c, const low_lane *s, int flags, int y);

enum {
  FC_NAN,
  FC_INF,
  FC_FINITE,
  FC_NORMAL,
  FC_SIGN,
  FC_NOT_NAN2,
  FC_NAN2,
  FC_EQ,
  FC_NE,
  FC_GT,
  FC_GE,
  FC_LT,
  FC_LE,
  FC_LG
};

/* whole-call handlers of other files */
#define W(pattern, fn, x, y) void fn(low_callee *c, int x_, int y_);
#define E(pattern, fn, x, y)
#include "callees.def"

/* callees_cl.c: an Itanium-mangled OpenCL builtin; false when it is none. */
bool call_opencl(low_callee *c);
ww_val call_axis(low_callee *c, uint32_t arg,
                 int first_sreg); /* special register of a (maybe run-time) axis, i32 */

#endif
