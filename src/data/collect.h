/* collect.h - a campaign: which launches, what they will cost, and measuring those that the store does not have yet.
 *
 * A campaign is a list of launches that follows from its options alone, so that every rank and every restart sees the same one; rank r of n
 * takes every n-th kernel. Work goes in chunks of kernels: make (generate, sample), compile (in processes, the next chunk while this one
 * is measured), measure (ww_measure: children), put, commit. Needs no front end: generated launches are ready by construction, corpus and imported ones come
 * planned (`measure --plan`). */
#ifndef WW_DATA_COLLECT_H
#define WW_DATA_COLLECT_H

#include "../measure/measure.h"
#include "generate.h"
#include "store.h"

typedef struct {
  uint32_t rank, size;
  const char *from; /* which launcher said so: "OMPI_COMM_WORLD_RANK", NULL alone */
} ww_rank;
/* OpenMPI, MPICH/PMI, Slurm, an indexed Kubernetes job (JOB_COMPLETION_INDEX), WARPWISE_RANK/WARPWISE_SIZE. A rank without a size is an error. */
ww_status ww_rank_find(ww_rank *out, ww_err *e);

typedef struct {
  uint32_t version;      /* of the generator; 0: none generated */
  uint64_t seed;
  uint32_t first, count; /* kernels of the seed's stream */
  uint32_t launches;     /* of a kernel */
  double counters;       /* of the launches, the share that gets all counters; which ones follows from seed and index */
  const char *ready;     /* file of ready specs with member `note` "corpus/<family>/..." (see dataset plan), or NULL */
  const char *device;    /* as ww_measure_options */
  uint32_t processes;    /* for compiling; 0: all cores but two */
  double seconds;        /* stop taking new chunks after that; 0: no limit */
  bool again;            /* a repeat campaign: only launches that `of` has */
  const char *of;
  uint32_t sample;       /* of them, that many at random (seed); 0 all */
} ww_campaign;

typedef struct {
  uint64_t kernels, launches, with_counters; /* of this rank, in all */
  uint64_t held;                             /* launches the store has already */
  double device_s;                           /* estimated, of what is left */
} ww_campaign_plan;
ww_status ww_campaign_plan_make(const ww_campaign *c, const ww_rank *r, ww_store *s, ww_campaign_plan *out, ww_err *e);

typedef struct {
  uint64_t done, failed, total;
  double elapsed_s, left_s, device_s; /* device_s: spent measuring */
} ww_campaign_state;
typedef struct {
  void *ctx;
  void (*progress)(void *ctx, const ww_campaign_state *s);
  bool (*stop)(void *ctx); /* asked between chunks */
} ww_campaign_sink;
ww_status ww_campaign_run(const ww_campaign *c, const ww_rank *r, ww_store *s, const char *self, const ww_campaign_sink *sink, ww_err *e);

#endif
