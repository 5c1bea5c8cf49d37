/* collect_int.h - what the files of a campaign share.
 *
 *   collect_work.c   which kernels, which launches of them, and what that will take
 *   collect_chunk.c  kernels made, launches sampled, code compiled
 *   collect_try.c    strangers' kernels run once, before they are counted
 *   collect.c        chunks measured, rows put, the next chunk made meanwhile
 */
#ifndef WW_DATA_COLLECT_INT_H
#define WW_DATA_COLLECT_INT_H

#include <pthread.h>

#include "collect.h"

typedef struct {
  uint32_t number;
  bool counters;
  const ww_launch *ready; /* corpus, imported: the spec; lives as long as the works.
                             NULL: generated */
  double us;              /* estimated; NaN unknown */
} ww_wanted;

/* A kernel and those of its launches that are still to be measured. */
typedef struct {
  ww_store_kernel kernel;
  ww_gen_kernel gen; /* of a generated one */
  ww_wanted *v;
  uint32_t n;
  uint32_t all, all_counters; /* with those that are held */
} ww_collect_work;

/* What a campaign consists of, kernel by kernel. */
typedef struct ww_works ww_works;
/* `lock` (may be NULL) is held around each look into the store. */
ww_status ww_works_open(const ww_campaign *c,
                        const ww_rank *r,
                        const ww_target *t,
                        ww_store *s,
                        pthread_mutex_t *lock,
                        ww_works **out,
                        ww_err *e);
/* The next kernel of this rank, in `a`; *more false: there is none. */
ww_status
ww_works_next(ww_works *w, ww_arena *a, ww_collect_work *out, bool *more, ww_err *e);
void ww_works_close(ww_works *w); /* accepts NULL */

/* Estimated seconds of the device for one launch. */
double ww_launch_device_s(double us, bool counters);

/* One launch on its way. */
typedef struct {
  ww_launch l;
  const ww_store_kernel *kernel;
  uint32_t number;
  bool counters;
  double us;
  const char *spec;     /* JSON, of corpus and imported ones */
  const char *compiler; /* "NVRTC 13.0" */
  ww_err error;         /* it cannot be compiled */
} ww_collect_item;

typedef struct {
  ww_arena *a;              /* holds all of it, but for */
  WW_VEC(ww_arena *) owned; /* the kernels, each in its own */
  WW_VEC(ww_collect_item) v;
  ww_strings files; /* compiled code, to be removed */
  bool last;        /* nothing comes behind it */
} ww_chunk;

typedef struct {
  const ww_campaign *c;
  const ww_target *t;
  const char *self;
  const char *work; /* folder for code */
  _Atomic bool cancel;
} ww_maker;
/* At most `kernels` kernels, ready for the device. */
ww_status ww_chunk_make(
    const ww_maker *m, ww_works *w, uint32_t kernels, ww_chunk **out, ww_err *e);
/* Runs its imported launches once: those that fail get their `error`. Ends as s->stop
 * says. */
ww_status
ww_chunk_try(const ww_maker *m, ww_chunk *c, const ww_measure_sink *s, ww_err *e);
void ww_chunk_free(ww_chunk *c); /* removes its files; accepts NULL */

#endif
