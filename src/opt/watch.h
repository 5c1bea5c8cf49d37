/* watch.h - what a run of a kernel does that no GPU allows or promises: races, accesses
 * between variables of shared memory, reads of what nobody wrote, odd addresses; and
 * which blocks of the IR it reaches, and which line wrote what. */
#ifndef WW_OPT_WATCH_H
#define WW_OPT_WATCH_H

#include "../trace/setup.h"

typedef enum {
  WW_MISHAP_SHARED_RACE,
  WW_MISHAP_GLOBAL_RACE,
  WW_MISHAP_SHARED_GAP, /* outside of every variable in shared memory */
  WW_MISHAP_MISALIGNED,
  WW_MISHAP_STALE, /* read of shared memory that nobody of the block wrote */
  WW_MISHAP_COPY,  /* access to what an asynchronous copy may not have brought yet */
  WW_MISHAP_LANES, /* a lane reads what another one of its warp wrote, no syncwarp
                    * between
                    */
  WW_NMISHAPS
} ww_mishap_kind;

/* The first of a kind. */
typedef struct {
  bool seen;
  uint32_t loc, other_loc; /* in module->locs: of the access; of the one it meets */
  const char *name;        /* of the buffer or the shared variable, or NULL */
  uint64_t at;             /* byte of it */
  uint64_t block;
} ww_mishap;

#define WW_SHARED_GAP 256 /* bytes that ww_setup_spaced leaves for the watcher */

typedef struct ww_watch ww_watch;
/* Of a launch set up with WW_SHARED_GAP; all are kept by reference. reached: per
 * function of the module and block, to be set; NULL: not asked for. */
ww_watch *
ww_watch_new(const ww_run_spec *spec, const ww_setup *s, bool **reached, ww_arena *a);
void ww_watch_free(ww_watch *w); /* accepts NULL */
/* From here on it only keeps who wrote what, and atomics: several times as fast. */
void ww_watch_stores_alone(ww_watch *w);
ww_observer ww_watch_observer(ww_watch *w);
const ww_mishap *ww_watch_mishaps(const ww_watch *w); /* WW_NMISHAPS of them */
/* The place in the source that wrote this byte of global memory last; 0: nobody, or
 * not known. */
uint32_t ww_watch_writer(const ww_watch *w, const ww_region *r, uint64_t at);

/* How many atomics met on the place in a buffer that had most of them. */
uint64_t ww_watch_atomics(const ww_watch *w, const ww_region *r);

#endif
