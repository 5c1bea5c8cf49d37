/* amdgcn.h - what a compiler makes of a kernel for an AMD GPU: registers, spills. */
#ifndef WW_FRONT_AMDGCN_H
#define WW_FRONT_AMDGCN_H

#include "front.h"

/* Of one thread, by where it stands in the code. */
typedef struct {
  double spilled;  /* words stored because there are no registers left */
  double reloaded; /* the same, loaded */
  /* loaded of the same memory without a word what for: in clauses of gfx10 and newer
   * LLVM's comments get lost. Spills, or local arrays where there are some */
  double unnamed;
  double flops; /* a multiply-add counts two: how often loops run follows from these */
} ww_built_part;

/* A kernel as a compiler has built it. All zero: it was not asked. */
typedef struct {
  double registers;     /* of a thread */
  double scratch_bytes; /* of a thread: spills and local arrays */
  ww_built_part once;   /* outside loops */
  ww_built_part looped; /* in loops, each instruction counted once */
} ww_built;

/* Clang's AMD backend on the first of the files that has the kernel (mangled name).
 * WW_EUNSUPPORTED: this clang has no such backend. */
ww_status ww_front_amdgcn(const ww_front_options *o,
                          const char *architecture,
                          const char *kernel,
                          ww_arena *a,
                          ww_built *out,
                          ww_err *e);
/* The same from assembly as clang writes it. false: the kernel is not in it. All zero:
 * it calls functions, so what it takes is not known. */
bool ww_amdgcn_read(const char *text, const char *kernel, ww_arena *a, ww_built *out);

#endif
