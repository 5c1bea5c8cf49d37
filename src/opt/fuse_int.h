/* fuse_int.h - what reading the kernels and writing the fused one share.
 *
 *   fuse_read.c   indices and conditions, what each does with its buffers: may they be
 *                 one?
 *   fuse_text.c   parameters, names, elements in variables, the text, the host code */
#ifndef WW_OPT_FUSE_INT_H
#define WW_OPT_FUSE_INT_H

#include "fuse.h"
#include "rewrite_int.h"

#define WW_MOST_FUSED_PARAMETERS 64

/* What a part does with a buffer. */
typedef struct {
  bool touched, stored, read;
  bool opaque;       /* not by plain loads and stores of one element */
  const char *index; /* normal form */
  bool elsewhere;    /* not by one index alone */
} ww_fuse_use;

/* A parameter of the fused kernel. */
typedef struct {
  const char *name;
  const char *text;  /* its declaration */
  const char *type;  /* of what it points to, without const */
  const ww_arg *arg; /* as recorded */
  const char *who;   /* what it was called first, for messages */
  ww_fuse_use of[WW_MOST_FUSED];
  const char *kept; /* variable that has the element; NULL: none */
  uint32_t kept_by; /* the part that fills it */
} ww_fuse_parameter;

typedef struct {
  ww_rewriting x;
  ww_rewrite_input in;
  uint32_t param[WW_MOST_FUSED_PARAMETERS]; /* nodes */
  uint32_t to[WW_MOST_FUSED_PARAMETERS];    /* which of the fused kernel's */
  uint32_t nparams;
  uint32_t rest; /* what is done under the conditions: braces or a statement */
  ww_strings conditions;
} ww_fuse_body;

typedef struct {
  const ww_fuse_part *asked;
  ww_fuse_body *v;
  uint32_t n;
  ww_fuse_parameter p[WW_MOST_FUSED_PARAMETERS];
  uint32_t np;
  WW_VEC(uint32_t) sites; /* launches in host code, WW_MOST_FUSED nodes each */
  const char *between;    /* why they do not follow one another there */
  ww_arena *a;
  ww_err *e;
} ww_fusing;

#define WW_FUSE_NO(f, ...) ww_fail((f)->e, WW_EUNSUPPORTED, __VA_ARGS__)

static inline const char *ww_fuse_name(const ww_fusing *f, uint32_t k) {
  return f->asked[k].kernel;
}

static inline uint32_t ww_node_over(const ww_rewriting *x, uint32_t node) {
  return x->v[node].parent < 0 ? WW_NONODE : (uint32_t)x->v[node].parent;
}

/* ---- fuse_read.c ---- */
/* Kernel k: its nodes and parameters. */
ww_status ww_fuse_open(ww_fusing *f, const ww_syntax *s, uint32_t k);
/* Behind the merging of parameters: under which conditions it does something, and what
 * with which buffers. */
ww_status ww_fuse_conditions(ww_fusing *f, uint32_t k);
void ww_fuse_uses(ww_fusing *f, uint32_t k);
/* Are the launches in order the same as one thread's parts in order? */
ww_status ww_fuse_check(ww_fusing *f);
/* Which parameter of its kernel a declaration is; -1: none. */
int ww_fuse_parameter_of(const ww_fuse_body *p, uint32_t decl);
/* Through what clang inserts and parentheses, not through casts. */
uint32_t ww_fuse_inside(const ww_rewriting *x, uint32_t node);
/* The element that a reference to a pointer is about; WW_NONODE: none. */
uint32_t ww_fuse_element_of(const ww_rewriting *x, uint32_t reference);
/* The assignment that an element is the left side of; WW_NONODE. */
uint32_t ww_fuse_store_of(const ww_rewriting *x, uint32_t element);
/* The allocation that an argument points into; NULL. */
const char *ww_fuse_buffer(const ww_arg *g);
bool ww_fuse_same_buffer(const ww_arg *x, const ww_arg *y);
/* Of what a pointer points to, whether const or not. */
const char *ww_fuse_element_type(const char *type);

#endif
