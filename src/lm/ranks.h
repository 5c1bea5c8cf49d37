/* ranks.h - the processes that train one model together: how they find one another,
 * exchange a few numbers and sum their gradients.
 *
 * All ranks call the same functions in the same order. Rank 0 listens on a TCP port,
 * the others connect to it; where it is reached stands in a file of a folder that all
 * of them see. Gradients are summed by the device's own means where it has some (NCCL
 * on a GPU), else by rank 0, in the order of ranks: every rank gets the same bits. A
 * rank that ends early, or is silent for too long, is an error of all others that names
 * it: nobody waits for ever. Everywhere a NULL ww_ranks is a process alone. */
#ifndef WW_LM_RANKS_H
#define WW_LM_RANKS_H

#include "ops.h"

typedef struct {
  uint32_t rank, size;
  const char *folder; /* that all ranks see; made where it is not there */
  uint64_t key;       /* of the parallel job: which of the folder's files is its */
  double wait_s;      /* the longest silence of another rank */
  bool one_node;      /* all ranks run on this machine: no other is listened to */
} ww_ranks_plan;

typedef struct ww_ranks ww_ranks;
/* Waits until all ranks have come. */
ww_status ww_ranks_open(const ww_ranks_plan *p, ww_ranks **out, ww_err *e);
/* why: what ended this rank, which the others are told; NULL or of code WW_OK: all went
 * well. Before the device is closed. Accepts NULL. */
void ww_ranks_close(ww_ranks *r, const ww_err *why);

uint32_t ww_ranks_rank(const ww_ranks *r);
uint32_t ww_ranks_size(const ww_ranks *r);
const char *ww_ranks_by(const ww_ranks *r); /* "NCCL 2.28.9", "sockets" */

/* How gradients are summed. AUTO: as the device can. */
typedef enum { WW_RANKS_AUTO, WW_RANKS_NCCL, WW_RANKS_SOCKETS } ww_ranks_way;
/* Once, before the first sum. Refuses ranks on devices of different kinds. */
ww_status ww_ranks_join(ww_ranks *r, ww_ops *o, ww_ranks_way way, ww_err *e);

/* all [size][n]: the n bytes of every rank, in order. */
ww_status
ww_ranks_gather(ww_ranks *r, const void *mine, size_t n, void *all, ww_err *e);
/* x [n] on the device becomes its sum over the ranks; may not be over on return. */
ww_status ww_ranks_sum(ww_ranks *r, ww_ops *o, float *x, uint64_t n, ww_err *e);
/* Waits for all ranks; none of them sums from now on. */
ww_status ww_ranks_end(ww_ranks *r, ww_err *e);

/* For a device that waits for others without us: `broken` is called, on a thread of its
 * own, when a sum is under way and a rank has gone or is silent; also by ww_ranks_close
 * after a failure. It must end the device's waiting. `by` is what ww_ranks_by says. */
void ww_ranks_watch(ww_ranks *r, const char *by, void (*broken)(void *ctx), void *ctx);

#endif
