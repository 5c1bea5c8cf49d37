/* chain_int.h - what the files of the chain share. */
#ifndef WW_CHAIN_INT_H
#define WW_CHAIN_INT_H

#include "chain.h"

/* What can lie on a warp's longest way: cycles of arithmetic, waits of each kind. */
enum {
  WW_WAY_ALU,
  WW_WAY_WAITS,
  WW_WAY_BEYOND_L1, /* of the waits */
  WW_WAY_BEYOND_L2,
  WW_WAY_FIRST,
  WW_WAY_SHARED,
  WW_WAY_ATOMIC,
  WW_WAY_BARRIER,
  WW_WAY_CONSTANT,
  WW_WAY_BACK,  /* for a store to be in L2 */
  WW_WAY_FIXED, /* cycles of what goes on beside the instructions */
  WW_WAY_PARTS
};

/* A point of time of one warp, and what lies on the longest way to it. */
typedef struct {
  double t; /* nominal cycles; the order is by this */
  double on_way[WW_WAY_PARTS];
} ww_point;

static inline void ww_later(ww_point *p, const ww_point *q) {
  if (q->t > p->t)
    *p = *q;
}
static inline ww_point ww_plus_alu(ww_point p, double cycles) {
  p.t += cycles;
  p.on_way[WW_WAY_ALU] += cycles;
  return p;
}
static inline ww_point ww_plus_fixed(ww_point p, double cycles) {
  p.t += cycles;
  p.on_way[WW_WAY_FIXED] += cycles;
  return p;
}
static inline ww_point ww_plus_wait(ww_point p, double cycles, int part) {
  p.t += cycles;
  p.on_way[part]++;
  return p;
}

/* chain_async.c: what one warp has in flight beside its instructions, and the mbarriers
 * of a block. */
enum { WW_FLIGHT_GROUPS = 16 }; /* remembered; a wait leaves at most 7 */
typedef struct {
  ww_point matrix; /* when its matrix products are done */
  ww_point stores; /* when its bulk copies out of shared memory are */
  ww_point copied; /* when what was copied asynchronously is there */
  ww_point group[WW_FLIGHT_GROUPS];
  uint32_t ngroups; /* of products, committed */
  ww_point copies[WW_FLIGHT_GROUPS];
  uint32_t ncopies; /* of cp.async, committed */
} ww_flight;
/* What an instruction that issues at p waits for, of what is in flight; and what it
 * sends. `cycles`: for which it keeps its matrix unit. */
ww_point ww_flight_issue(
    ww_flight *f, const ww_ins *i, const ww_gpu *g, double cycles, ww_point p);

typedef struct ww_barriers ww_barriers;
ww_barriers *ww_barriers_new(const ww_gpu *g, ww_arena *a);
void ww_barriers_start(ww_barriers *b); /* a block begins */
/* A warp arrives, or bytes come, at `there`. */
void ww_barriers_event(ww_barriers *b, const ww_mbar_event *e, const ww_point *there);
/* Where a warp at `now` goes on that has waited. */
ww_point ww_barriers_waited(ww_barriers *b, uint64_t barrier, ww_point now);
/* When a bulk copy that is issued at p has left the engine, alone. */
ww_point ww_barriers_copy(ww_barriers *b, uint64_t bytes, ww_point p);

/* contention.c: what atomics and stores keep busy at L2. */
typedef struct ww_contention ww_contention;
ww_contention *ww_contention_new(const ww_gpu *g, ww_arena *a);
void ww_contention_atomic(ww_contention *c, const ww_access *a);
/* lanes that take their turn at a word, and that leave it */
void ww_contention_turns(ww_contention *c,
                         const ww_access *a,
                         ww_mask won,
                         ww_mask freed);
/* passes of them over sectors in the slice of the address */
double ww_contention_crowd(const ww_contention *c, uint64_t address);
/* lines that it touches */
uint32_t ww_contention_store(ww_contention *c, const ww_access *a);
double ww_contention_busiest(
    const ww_contention *c); /* cycles of the busiest address, slice, or all slices */

/* serial.c: what threads of the launch do one after the other. */
typedef struct ww_serial ww_serial;
typedef struct {
  double won;  /* compare-and-swaps that are tried until they succeed, on the busiest
                  word */
  uint64_t at; /* that word */
  bool locks;  /* it is a lock */
  double held; /* cycles of a locked section; 0: there is none */
  /* cycles from a block's look at another's flag to its own that a third looks at, how
   * many blocks apart these are, how often that was seen */
  double link, apart, links;
  double backs, reach; /* looks back over blocks that go on, words of one look */
} ww_serial_sums;
ww_serial *ww_serial_new(ww_arena *a);
void ww_serial_start(ww_serial *s); /* of a block */
/* Lanes that take their turn at a word: by a compare-and-swap that goes on until it
 * succeeds; and that free the lock which such a word is. */
typedef struct {
  ww_mask won, freed;
} ww_chain_turns;
/* now: the warp's clock in cycles; < 0: it is not followed */
ww_chain_turns ww_serial_access(ww_serial *s, const ww_access *a, double now);
ww_serial_sums ww_serial_result(const ww_serial *s);

#define WW_ACCESS_LINES 129
uint32_t ww_access_lines(const ww_access *a,
                         uint64_t *lines); /* of 128 bytes, that one request touches */

#endif
