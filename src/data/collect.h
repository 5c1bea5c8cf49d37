/* collect.h - a campaign: which launches, what they will cost, and measuring those that
 * the store does not have yet.
 *
 * A campaign is a list of launches that follows from its options alone, so that every
 * rank and every restart sees the same one; rank r of n takes every n-th kernel. Work
 * goes in chunks of kernels: make (generate, sample), compile (in processes, the next
 * chunk while this one is measured), measure (ww_measure: children), put, commit. Needs
 * no front end: generated launches are ready by construction, corpus and imported ones
 * come planned (`dataset plan`, `measure
 * --plan`). */
#ifndef WW_DATA_COLLECT_H
#define WW_DATA_COLLECT_H

#include "../measure/measure.h"
#include "generate.h"
#include "store.h"

typedef struct {
  uint32_t rank, size;
  const char *from; /* which launcher said so: "OMPI_COMM_WORLD_RANK", NULL alone */
} ww_rank;
/* OpenMPI, MPICH/PMI, Slurm, an indexed Kubernetes job (JOB_COMPLETION_INDEX),
 * WARPWISE_RANK/WARPWISE_SIZE. A rank without a size is an error. */
ww_status ww_rank_find(ww_rank *out, ww_err *e);

typedef struct {
  uint32_t version; /* of the generator; 0: none generated */
  ww_gen_some only; /* of its productions; `first` and `count` count those alone */
  uint64_t seed;
  uint32_t first, count; /* kernels of the seed's stream */
  uint32_t launches;     /* of a kernel */
  /* of the launches, the share that gets all counters; which ones follows from seed and
   * kernel */
  double counters;
  /* file of ready specs whose `note` (note.h) says which kernel it is (see dataset
   * plan), or NULL */
  const char *ready;
  const char *device;  /* as ww_measure_options */
  const char *dialect; /* of generated kernels: "cuda", "opencl"; NULL: cuda where such
                          a device is */
  uint32_t processes;  /* for compiling; 0: all cores but two */
  uint32_t batch;      /* launches on the device at once; 0: 256, with counters 512 */
  double seconds;      /* to be done by then; 0: no limit */
  bool retry;          /* failures too */
  /* a store: a repeat campaign, of launches that it has; corpus ones must be in `ready`
   */
  const char *again;
  uint32_t sample; /* of them, that many at random (seed); 0 all */
} ww_campaign;

/* What a campaign runs on. SMs and L2 are the GPU description's where there is one:
 * launches are made again from them. */
typedef struct {
  const char *gpu; /* the description's name, else the device's */
  bool opencl;
  uint32_t sms;
  uint64_t l2_bytes;
  char architecture[16]; /* "sm_90"; "" opencl */
  ww_device_info info;   /* device NULL: planned for a description alone */
} ww_target;
/* The device of the campaign, or with `gpu` a description, to plan for without having
 * it. */
ww_status ww_target_find(
    const ww_campaign *c, const char *gpu, ww_arena *a, ww_target *out, ww_err *e);
/* Whether the launcher says that all ranks are on this machine. */
bool ww_rank_one_node(const ww_rank *r);
/* Where a node has several GPUs and runs several ranks: each of them sees its own. */
void ww_rank_device(const ww_rank *r);

typedef struct {
  uint64_t kernels, launches, with_counters; /* of this rank, in all */
  /* launches the store has already, and failures that are not tried again */
  uint64_t held;
  /* ready specs for another kind of device, or that are no kernel of corpus or import
   */
  uint64_t skipped;
  double device_s; /* estimated, of what is left */
} ww_campaign_plan;
/* s NULL: nothing is held. */
ww_status ww_campaign_plan_make(const ww_campaign *c,
                                const ww_rank *r,
                                const ww_target *t,
                                ww_store *s,
                                ww_campaign_plan *out,
                                ww_err *e);

typedef struct {
  ww_status code;
  char text[96]; /* numbers in it are #, so that alike ones count as one */
  uint64_t n;
} ww_campaign_cause;

typedef struct {
  uint64_t done, failed, total, with_counters; /* rows; done counts failures too */
  /* device_s: spent measuring; left_s NaN: not known yet */
  double elapsed_s, left_s, device_s;
  double waited_s;           /* for the compilers, with the device idle */
  ww_campaign_cause *causes; /* most frequent first, at the end */
  uint32_t ncauses;
} ww_campaign_state;
typedef struct {
  void *ctx;
  void (*progress)(void *ctx, const ww_campaign_state *s);
  int (*stop)(void *ctx); /* 0 go on, 1 end with the batch in hand, 2 end now */
} ww_campaign_sink;
typedef struct {
  const ww_campaign *campaign;
  const ww_rank *rank;
  const ww_target *target;
  const ww_campaign_plan *plan;
  ww_store *store;
  const char *self; /* the program, to be run again as workers */
  const ww_campaign_sink *sink;
} ww_campaign_job;
/* Measures what is left of the plan; WW_ECANCEL when it was stopped, or its time was
 * over, with everything committed. */
ww_status ww_campaign_run(const ww_campaign_job *j,
                          ww_arena *a,
                          ww_campaign_state *end,
                          ww_err *e);

#endif
