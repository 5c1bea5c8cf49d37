/* machine_int.h - a machine, its blocks and their warps, for machine.c, schedule.c and
 * split.c. */
#ifndef WW_MACHINE_INT_H
#define WW_MACHINE_INT_H

#include "code.h"
#include "roles.h"

typedef struct {
  uint64_t index; /* of the grid */
  /* [n]: the machine's `warps`, then parts of them that go their own ways (split.c) */
  ww_exec **warps;
  ww_run_end *state; /* per warp; WW_RUN_SLICE: can run */
  uint32_t n;
  uint8_t *shared;
  bool done; /* all its warps are */
  struct {
    uint32_t lanes;
    uint64_t warps;    /* a bit each */
  } arrived[16];       /* at its barriers, of warps that did not wait there */
  ww_cluster *cluster; /* that it is the first of */
} thread_block;

/* A counter that blocks drew from, as it was before. */
typedef struct {
  uint8_t *word;
  uint32_t bytes;
  uint64_t was;
} drawn_word;

struct ww_machine {
  ww_run_spec s;
  ww_arena *a;
  const ww_isa *isa;
  /* per module function; NULL when the kernel does not reach it */
  const ww_prog **progs;
  const ww_prog *kernel;
  uint32_t lanes, warps, n_ins, n_loops, n_spins, max_phis;
  bool
      waits; /* the kernel has loops that wait for other warps, or grid-wide barriers */
  bool splits; /* lanes of a warp may go their own ways */
  bool idle_values;
  uint32_t shared_bytes;
  size_t regs_bytes;
  uint32_t local_stride;
  uint64_t heap_next;
  ww_region *heap;
  bool assumed;
  uint32_t tex_axes;
  ww_origins origins;    /* of the kernel, once something was taken inside (inside.c) */
  uint64_t moved_shared; /* accesses to shared memory that were */
  thread_block *pool;
  uint32_t npool;
  WW_VEC(drawn_word) drawn;
};

/* Room for so many blocks at a time. */
ww_status ww_machine_pool(ww_machine *m, uint32_t n, ww_err *e);
void ww_block_start(ww_machine *m,
                    thread_block *b,
                    uint64_t index,
                    const ww_observer *obs);
/* Makes the started blocks at these places of the pool, by rank, one cluster. */
void ww_cluster_start(ww_machine *m, const uint32_t *place, uint32_t n);
/* What blocks drew of a queue goes back to it (ww_run_spec.share). */
void ww_machine_put_back(ww_machine *m);
/* A warp of no block yet; `borrows`: without local memory. NULL: no room for it. */
ww_exec *ww_machine_warp(ww_machine *m, uint32_t warp, bool borrows, ww_err *e);

/* split.c */
/* The lanes that do not run now become a warp of their own; false: there are none. */
bool ww_split(ww_machine *m, thread_block *b, uint32_t w, ww_err *e);
/* Parts of a warp that have all come to where they meet go on, those at one place as
 * one; `now`: those that have come do, whether others are missing or not. True when
 * some that had waited go on. */
bool ww_split_meet(ww_machine *m, thread_block *b, bool now);

#endif
