/* guess.h - shape and numbers of a launch that were not given, from what the kernel
 * does with them.
 *
 * The block is what the code's constants are written for; numbers have usual values by
 * what they end and by their names; the grid has as many blocks as have work with them
 * (inputs.c, which runs the kernel). */
#ifndef WW_GUESS_H
#define WW_GUESS_H

#include "../report/assume.h"
#include "../report/launch.h"
#include "roles.h"

enum { WW_GUESS_BLOCKS = 6 }; /* to try one after the other */
enum { WW_BY_BLOCKS = 1, WW_BY_WARPS = 2 };
enum { WW_OF_INDICES = 1, /* one that a block index is part of */ WW_OF_TURNS = 2 };
/* guards.c: what the kernel does with a parameter that is a number. */
typedef struct {
  uint8_t ends;  /* WW_ENDS_* */
  uint8_t axes;  /* bit d: what it ends is counted along axis d of the grid */
  uint8_t whole; /* not threads are counted, anywhere: WW_BY_* */
  uint8_t parts; /* as axes: threads are counted along it */
  bool loop;     /* ends a loop that each thread goes through by itself */
  uint8_t pitch; /* it multiplies an index: WW_OF_* */
  bool gathered; /* it multiplies a loaded index: the length of looked-up rows */
  bool total;    /* of what row pointers lead into, or a search goes through */
  uint8_t shift; /* divided by two to this power before it ends the grid */
  uint8_t
      power; /* 2: what it ends is a product with another size or itself; 3: of three */
} ww_size_use;
/* use: one per parameter, zeroed. */
void ww_sizes_find(const ww_fn *fn, ww_arena *a, ww_size_use *use);

/* axes.c: the kernel tells threads (index: WW_SREG_TID_X) or blocks (WW_SREG_CTAID_X)
 * apart along axis d. */
bool ww_has_axis(const ww_fn *fn, uint32_t index, int d);

/* block.c */
typedef struct {
  uint64_t threads[3]; /* 0: nothing tells */
  uint64_t
      items[3]; /* elements along an axis that a block begins at; 0: nothing tells */
} ww_block_hint;
void ww_block_find(const ww_module *m,
                   const ww_fn *fn,
                   ww_arena *a,
                   ww_block_hint *out);

typedef struct {
  const ww_module *m;
  const ww_fn *fn;
  ww_launch *l;         /* is completed */
  ww_assumptions *said; /* what was assumed is added */
  const ww_role *roles; /* per parameter */
  ww_arena *a;
  uint32_t attempt; /* how many blocks were tried before: 0 is the most likely */
  uint32_t smaller; /* how often sizes turned out too large */
  ww_size_use *use; /* per parameter */
  ww_block_hint hint;
  bool had_grid; /* somebody gave it */
  bool given;    /* what the grid covers was given: it is no guess */
  bool sized;    /* some size was assumed */
} ww_guess;

/* fields.c: bytes for a struct passed by value, and buffers behind its pointers, of a
 * kernel whose threads are along so many axes. Returns what its integers are; 0:
 * nothing of it is read. */
uint64_t ww_fields_guess(const ww_guess *g, uint32_t param, int axes, ww_arg *arg);

/* Block, numbers and a grid that is usual for them; arguments are there for all
 * parameters then. fitted: the grid in l was found by running, and is to be reported.
 */
void ww_guess_launch(ww_guess *g, bool fitted);
/* A size ends the grid: it is worth while to look where. */
bool ww_guess_is_guarded(const ww_guess *g);
/* Blocks along an axis by the sizes alone, where running shows no end; 0: nothing
 * tells. */
uint64_t ww_guess_blocks(const ww_guess *g, int axis);
/* Threads of the grid, or warps where each has a thing of its own. */
uint64_t ww_guess_units(const ww_guess *g);
/* Threads go round along this axis, by the grid's size or one that was passed. */
bool ww_guess_goes_round(const ww_guess *g, int axis);
/* They fill the GPU then: blocks along x for that. */
uint64_t ww_guess_filling(const ww_guess *g);
/* Blocks are counted in threads along this axis: blockIdx.x * blockDim.x. */
bool ww_counts_threads(const ww_fn *fn, int axis, ww_arena *a);
/* A block of so many threads in the shape of another: its first axes stay as long as
 * they are, where that divides. */
void ww_block_reshape(const uint64_t was[3], uint64_t threads, uint64_t out[3]);
/* The kernel looks at this special register. */
bool ww_reads_sreg(const ww_fn *fn, uint32_t sreg);

#endif
