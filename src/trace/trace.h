/* trace.h - runs a kernel's IR warp by warp in a sandboxed memory and tells observers
 * what happened.
 *
 * The interpreter knows nothing of counting: observers do it. A block of the IR
 * executes under one mask from its first to its last instruction, so per-instruction
 * counts follow from block events; memory has its own event. Events carry a weight: a
 * loop iteration that stands for many (steady.c) has weight > 1. */
#ifndef WW_TRACE_H
#define WW_TRACE_H

#include "../ir/ir.h"
#include "../report/launch.h"

typedef uint64_t ww_mask; /* one bit per lane, 32 or 64 used */

/* Three axes: how many there are in all, the number of one (x fastest), and back. */
static inline uint64_t ww_volume(const uint64_t n[3]) {
  return n[0] * n[1] * n[2];
}
static inline uint64_t ww_number_of(const uint64_t n[3], const uint64_t at[3]) {
  return (at[2] * n[1] + at[1]) * n[0] + at[0];
}
static inline uint64_t ww_axis_of(const uint64_t n[3], uint64_t number, int axis) {
  return axis == 0   ? number % n[0]
         : axis == 1 ? number / n[0] % n[1]
                     : number / n[0] / n[1];
}

/* A range that encloses [from, to) as well. */
static inline void
ww_range_add(uint64_t *lo, uint64_t *hi, uint64_t from, uint64_t to) {
  if (from < *lo)
    *lo = from;
  if (to > *hi)
    *hi = to;
}

typedef struct {
  uint64_t block; /* linear block index, x fastest */
  uint32_t warp;  /* warp of the block */
} ww_warp_id;

typedef enum { WW_ACCESS_LOAD, WW_ACCESS_STORE, WW_ACCESS_ATOMIC } ww_access_kind;

/* How the active lanes' addresses lie; the interpreter finds out anyway, so it tells.
 */
typedef enum {
  WW_PATTERN_ANY,
  WW_PATTERN_SAME,  /* all lanes at addr[first active] */
  WW_PATTERN_CONTIG /* lane l at addr0 + l * bytes, all lanes of the warp active */
} ww_pattern;

typedef struct {
  ww_warp_id warp;
  const ww_fn *fn;
  const ww_ins *ins;
  /* dense index of memory instructions over the module, for tables of observers */
  uint32_t ins_id;
  uint8_t kind; /* ww_access_kind */
  /* the real one: WW_GLOBAL, WW_SHARED, WW_CONST, WW_LOCAL, WW_PARAM; of the first
   * active lane */
  uint8_t space;
  uint8_t bytes;   /* per lane */
  uint8_t pattern; /* ww_pattern */
  ww_mask lanes;
  /* per lane; lanes that take no part hold an active one's (atomics and copies:
   * anything) */
  const uint64_t *addr;
  uint64_t lo, hi; /* bytes [lo, hi) enclose it */
  /* WW_PATTERN_ANY: lanes whose 32-byte sector is not that of the lane before (lane * 0
   * always), whether active or not: a lane that takes no part holds an active * one's
   * address; 0: not known, go by `lanes` */
  ww_mask fresh;
  /* every address is a multiple of `bytes`, a power of two: no lane straddles a sector
   */
  bool aligned;
  bool more;       /* of a request that was told in parts: not the first */
  ww_mask swapped; /* lanes whose compare-and-swap changed the word */
  double weight;
} ww_access;

/* What warps do to each other through an mbarrier. */
typedef enum {
  WW_MBAR_ARRIVED, /* a warp arrives */
  WW_MBAR_COPIED,  /* it does once its asynchronous copies are there */
  WW_MBAR_FILLED,  /* bytes of a bulk copy, which it has issued now, will be there */
  WW_MBAR_AWAITED  /* its wait for a phase is over */
} ww_mbar_kind;

typedef struct {
  ww_warp_id warp;
  const ww_ins *ins;
  uint8_t kind; /* ww_mbar_kind */
  /* place of the mbarrier in the block's shared memory; UINT64_MAX: in another block's
   */
  uint64_t barrier;
  uint64_t bytes; /* of a bulk copy */
  bool ends;      /* it is the last that the phase has awaited */
  double weight;
} ww_mbar_event;

typedef struct {
  void *ctx; /* any member may be NULL */
  void (*block)(void *ctx,
                ww_warp_id w,
                const ww_fn *fn,
                uint32_t block,
                ww_mask lanes,
                double weight);
  void (*access)(void *ctx, const ww_access *a);
  void (*mbarrier)(void *ctx, const ww_mbar_event *b); /* behind its block's event */
  void (*block_start)(void *ctx, uint64_t block);      /* a thread block begins */
  void (*block_end)(void *ctx, uint64_t block);
  void (*diverge)(void *ctx,
                  ww_warp_id w,
                  const ww_fn *fn,
                  uint32_t block,
                  double weight); /* its branch split the mask */
  /* A barrier lets these warps (a bit each) of a block go on, those included that have
   * arrived there without waiting; UINT64_MAX: one of the grid lets go on all that run.
   */
  void (*sync)(void *ctx, uint64_t block, uint64_t warps);
  /* What orders a warp's own accesses: syncwarp, groups of asynchronous work. */
  void (*order)(void *ctx, ww_warp_id w, const ww_ins *i);
  bool (*cancelled)(void *ctx); /* polled now and then */
} ww_observer;

/* ---- memory (memory.c): the sandboxed address space ---- 32-bit windows for shared,
 * local and parameter space, so that truncated addresses stay valid; allocations above
 * 4 GiB, 256-byte aligned, each with a guard gap. Pages are reserved, filled with their
 * contents on first touch. */

#define WW_SHARED_BASE 0x01000000ull /* + up to 16 MiB */
/* shared memory of the blocks of a cluster, by rank; the own one is there twice */
#define WW_CLUSTER_BASE 0x02000000ull
#define WW_CLUSTER_STRIDE 0x00400000ull
#define WW_MAX_CLUSTER 16u
#define WW_PARAM_BASE 0x08000000ull /* kernel parameters, constant for the launch */
#define WW_LOCAL_BASE 0x20000000ull /* per lane; + up to 512 MiB */
#define WW_GLOBAL_BASE 0x100000000ull

typedef struct ww_memory ww_memory;

typedef struct {
  uint64_t base, size; /* device addresses [base, base+size) */
  uint8_t *host;       /* the bytes, mmapped without reserve */
  uint8_t space;       /* WW_GLOBAL or WW_CONST */
  int32_t arg;         /* kernel argument it came with, or -1 */
  int32_t symbol;      /* module symbol, or -1 */
  /* size not given: a huge window around `origin`, to find what is touched */
  bool unbounded;
  bool assumed;    /* contents were not given by the user */
  uint64_t moved;  /* accesses that were taken inside it (inside.c) */
  uint64_t origin; /* device address the argument's pointer has */
  const char *name;
  ww_fill fill;        /* contents of untouched pages */
  const char *type;    /* element type name for the fill */
  const uint8_t *init; /* the first init_n bytes, before the fill; NULL: none */
  uint64_t init_n;
  uint8_t *filled; /* one byte per page of WW_PAGE: contents made */
  /* pages made since the last reset lie in [lo, hi); of a borrowed one, all are there
   */
  uint64_t filled_lo, filled_hi;
  uint64_t seed;        /* of the contents generator */
  bool borrowed;        /* host is not ours to unmap */
  uint64_t *pages_left; /* of its memory, that may still be made */
} ww_region;

#define WW_PAGE 4096u

ww_memory *ww_memory_new(uint64_t seed);
void ww_memory_free(ww_memory *m); /* accepts NULL */
/* address space that costs what is touched of it, or NULL */
void *ww_reserve(uint64_t bytes);
/* Adds an allocation; bytes 0 makes an unbounded one. The region stays valid until
 * ww_memory_free.
 */
ww_region *ww_memory_add(ww_memory *m, const char *name, uint8_t space, uint64_t bytes);
/* Memory that others own as an allocation at its own address (above 4 GiB), contents
 * and all; NULL: its place is taken. */
ww_region *ww_memory_borrow(ww_memory *m, void *host, uint64_t bytes, uint8_t space);
ww_region *ww_memory_find(ww_memory *m, uint64_t addr); /* NULL: none */
/* by address; NULL: no more */
ww_region *ww_memory_region(const ww_memory *m, uint32_t k);
/* makes the contents of one page; page < pages. False: the limit is reached */
bool ww_region_fill_page(ww_region *r, uint64_t page);
/* of contents made since the last reset; 0: none */
void ww_memory_limit(ww_memory *m, uint64_t bytes);
bool ww_memory_exhausted(const ww_memory *m);             /* the limit was met */
ww_status ww_memory_too_small(uint64_t bytes, ww_err *e); /* the error that says so */
/* Host bytes of [addr, addr+n) with contents made; NULL when out of range. */
void *ww_memory_at(ww_memory *m, uint64_t addr, uint64_t n);
/* forget writes and touched ranges: contents as at the start */
void ww_memory_reset(ww_memory *m);

/* ---- running (machine.c) ---- */

typedef struct {
  const ww_module *module;
  const ww_fn *fn;
  uint64_t grid[3], block[3];
  uint64_t cluster[3];    /* blocks of a cluster; 0: the launch has none */
  uint64_t shared_static; /* bytes */
  uint64_t shared;        /* dynamic, bytes; starts 16-byte aligned behind the static */
  const uint8_t *params; /* the parameter buffer: arguments at ww_param offsets, natural
                            alignment */
  uint32_t params_n;
  ww_memory *memory;
  const uint64_t *symbol_addr; /* device address per module symbol (shared ones: offset
                                  from WW_SHARED_BASE) */
  uint32_t lanes;              /* 32 or 64; 0: the module's */
  uint32_t sms;       /* multiprocessors, for kernels that ask; 0: 132, an H200's */
  uint64_t max_steps; /* warp instructions before WW_ELIMIT; 0: none */
  /* warp instructions before the next warp has its turn; 0: 65536 */
  uint32_t slice;
  /* the last warp of a block has its turn first: what changes depends on an order that
   * no GPU promises */
  bool backwards;
  /* every byte of shared and local memory when a block starts; no GPU promises one */
  uint8_t stale;
  bool extrapolate; /* steady loops are run in part, with weights */
  /* counts alone are asked for: what does not decide them need not be computed */
  bool counts_only;
  /* a wait for threads that do not run is taken to be over, where nothing but the wait
   * is lost */
  bool pass_waits;
  /* blocks that each one which runs stands for when they draw pieces of work
   * (tickets.c); what it drew is put back when it has ended; 0: itself alone */
  uint64_t share;
  /* parameters (bit p, p < 64) whose contents nobody gave and that decide addresses, or
   * which way threads go: what they lead out of memory is taken inside (inside.c) */
  uint64_t assumed_addresses, assumed_paths;
  /* blocks need what those before them leave: samples are the first ones, in order */
  bool in_order;
  bool print; /* printf reaches stdout */
  /* polled now and then beside the observer's; NULL: never */
  bool (*cancelled)(void *ctx);
  void *cancelled_ctx;
} ww_run_spec;

typedef struct {
  uint64_t warp_instructions; /* really executed */
  bool extrapolated;          /* some loop was weighted */
  const char *fault;          /* NULL, or what went wrong first, arena-owned */
  uint32_t fault_loc;         /* index into module->locs */
  bool fault_assumed;         /* the fault depends on contents nobody gave */
  bool stuck;                 /* every warp waits for what none of them does */
  const ww_region *passed;    /* what a wait that was passed is for; NULL: none was */
  uint32_t passed_loc;
} ww_run_stats;

/* Says in an error where in the source it is; loc: index into module->locs. */
void ww_module_place(const ww_module *m, uint32_t loc, ww_err *e);

/* Blocks of a cluster, 1 without; the first one's number, and that of rank r. */
static inline uint64_t ww_cluster_size(const ww_run_spec *s) {
  return s->cluster[0] ? ww_volume(s->cluster) : 1;
}
uint64_t ww_cluster_first(const ww_run_spec *s, uint64_t block);
uint64_t ww_cluster_block(const ww_run_spec *s, uint64_t first, uint32_t rank);

/* Byte offset of each parameter in the parameter buffer, and its size. */
void ww_param_offsets(const ww_fn *fn, uint32_t *off, uint32_t *total);

typedef struct ww_machine ww_machine;
/* Decodes the kernel and everything it calls, once; runs any number of blocks. The spec
 * is kept by reference. */
ww_status ww_machine_new(const ww_run_spec *s, ww_machine **out, ww_err *e);
void ww_machine_free(ww_machine *m); /* accepts NULL */
/* Accesses to shared memory that were taken inside it (inside.c). */
uint64_t ww_machine_moved_shared(const ww_machine *m);
/* From now on as this spec says. */
void ww_machine_take_inside(ww_machine *m, const ww_run_spec *s);
/* Is an access, a load or a compare-and-swap, repeated until what it finds is as
 * wanted, at one address or at one after the other? (spin.c) */
typedef enum { WW_REPEATS_NOT, WW_REPEATS_HERE, WW_REPEATS_ALONG } ww_repeats;
ww_repeats ww_repeats_how(const ww_fn *fn, const ww_ins *i, ww_arena *a);
/* Does the instruction hand out pieces of work to a loop that ends when there are no
 * more? (tickets.c) */
bool ww_is_ticket(const ww_fn *fn, uint32_t block, const ww_ins *i, ww_arena *a);
/* Does the kernel wait for other warps, in loops or at grid-wide barriers? */
bool ww_machine_waits(const ww_machine *m);
/* Runs the given thread blocks (linear indices, x fastest), each with the other blocks
 * of its cluster (so none of these is given), `resident` of them interleaved at a time
 * (0: 1), more when these wait for others. (schedule.c) */
ww_status ww_machine_run(ww_machine *m,
                         const uint64_t *blocks,
                         uint32_t n,
                         uint32_t resident,
                         const ww_observer *obs,
                         ww_run_stats *stats,
                         ww_arena *a,
                         ww_err *e);

#endif
