/* ranks_int.h - what ranks.c (exchange, sums) and ranks_meet.c (how ranks find one
 * another) share. */
#ifndef WW_LM_RANKS_INT_H
#define WW_LM_RANKS_INT_H

#include <pthread.h>
#include <stdatomic.h>

#include "ranks.h"

typedef struct {
  int fd;       /* -1: none, or closed */
  char who[96]; /* "rank 1 (node7)" */
} ww_rank_peer;

struct ww_ranks {
  ww_ranks_plan plan; /* folder: NULL after the start */
  ww_rank_peer *peer; /* [size]; rank 0 has all others, they have rank 0 alone */
  char by[40];
  bool joined;   /* the device sums */
  float *mine;   /* a piece of a sum by sockets; NULL until the first */
  float *other;  /* the same of another rank */
  uint64_t turn; /* exchanges so far: who is at another one is out of step */
  /* of ww_ranks_watch */
  void (*broken)(void *ctx);
  void *ctx;
  pthread_t thread;
  bool watching;
  atomic_bool stop;
  _Atomic double since; /* the last sum that may not be over; 0: none */
};

/* Connects all ranks, or says which did not come. */
ww_status ww_ranks_meet(ww_ranks *r, ww_err *e);
/* n bytes, all of them, until `end` (ww_now); errno ETIMEDOUT then, 0 at the other's
 * end. */
bool ww_ranks_send_bytes(int fd, const void *bytes, size_t n, double end);
bool ww_ranks_take_bytes(int fd, void *bytes, size_t n, double end);

#endif
