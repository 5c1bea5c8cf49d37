/* code.h - the decoded form the interpreter runs, private to src/trace.
 *
 * decode.c turns each function into segments: straight-line code under one mask, then
 * one control step. A value lives in a slot of the frame: one row of `lanes` 32-bit or
 * 64-bit cells. Constants and parameters are slots too, written when the frame is set
 * up, so that every operand is read the same way. interp.c is compiled once per lane
 * count and instruction set; ww_isa is what each copy exports. */
#ifndef WW_CODE_H
#define WW_CODE_H

#include "trace.h"

#define WW_MAX_LANES 64
/* of a lane in a row */
#define WW_CELL_BYTES(type) (ww_type_bytes[type] == 8 ? 8u : 4u)
#define WW_MAX_DEPTH 64  /* calls */
#define WW_MAX_STACK 512 /* pending sides of divergent branches */
#define WW_NOSEG UINT32_MAX

typedef struct ww_exec ww_exec;
typedef struct ww_code ww_code;
typedef void ww_handler(ww_exec *x, const ww_code *c);

struct ww_code {
  ww_handler *fn[2];   /* [0]: every live lane takes part; [1]: only x->mask */
  uint32_t d, a, b, c; /* byte offsets of slots in the frame */
  uint32_t ins_id;     /* dense number of a memory instruction */
  uint8_t bytes;       /* memory: bytes per lane */
  uint8_t esize;       /* memory: bytes per element */
  uint8_t n;           /* memory: elements */
  uint8_t wide;        /* bits 0..3: d, a, b, c are 64-bit slots */
  bool ticket;         /* an atomic that hands out work (tickets.c) */
  int64_t imm;
  const uint32_t *slots; /* vector load results, store values, operand lists */
  const ww_ins *ins;
};

/* Copies of phi values on one edge, already in an order that respects parallel
 * semantics. */
typedef struct {
  uint32_t d, s;
  bool wide;
} ww_move;

typedef struct {
  uint32_t target; /* segment; WW_NOSEG: the lanes leave the kernel */
  uint32_t enters,
      /* 1 + steady loop that it enters from outside, outermost one it leaves; 0: none
       */
      leaves;
  uint32_t waits; /* 1 + loop of prog->spins that it enters from outside */
  bool quits;     /* leaves such a loop */
  const ww_move *moves;
  uint32_t nmoves;
} ww_edge;

typedef struct ww_prog ww_prog;

typedef struct {
  const ww_code *code;
  uint32_t n;
  uint8_t ctl;    /* ww_op; WW_OP_BR also falls into edge[0] */
  bool enter;     /* first segment of an IR block: the block event */
  bool wide;      /* a is 64 bit */
  uint32_t block; /* IR block */
  uint32_t nins;  /* IR instructions of that block */
  uint32_t ipdom; /* segment where diverged lanes meet again; WW_NOSEG: never */
  uint32_t a;     /* condition or selector slot */
  /* header of this steady loop (index into prog->steady) or WW_NOSEG */
  uint32_t loop;
  uint32_t spin; /* the same, into prog->spins */
  /* [0] taken or next, [1] not taken; switch: n_edges, the default last */
  const ww_edge *edge;
  uint32_t nedges;
  const uint64_t *cases; /* switch values */
  const ww_ins *ins;     /* the control instruction, NULL for a fall-through */
  const uint32_t *slots; /* call arguments, return values */
  const uint32_t *dsts;  /* call results */
  const ww_prog *callee;
} ww_seg;

/* A loop whose exit depends on counters alone, so that iterations can stand for others
 * (steady.c).
 */
typedef struct {
  uint32_t loop;   /* in ww_fn.loops */
  uint32_t number; /* over all programs of the machine: index of the warp's state */
  uint32_t header; /* block */
  bool innermost;
  uint32_t nphis; /* of the header */
  struct ww_steady_phi {
    uint32_t slot;
    bool wide, jumps; /* jumps: an integer that is only added to */
  } * phi;
  uint32_t a, b; /* slots of what the exit compares (values until slots are given) */
  bool cmp_wide;
  uint8_t pred; /* ww_cmp of staying in the loop */
} ww_steady;

/* A loop that no counter of its own ends: it may wait for others (spin.c). */
typedef struct {
  uint32_t loop;   /* in ww_fn.loops */
  uint32_t number; /* over all programs of the machine: index of the warp's state */
  uint32_t header; /* block */
  uint32_t nphis;  /* of the header */
  struct ww_spin_phi {
    uint32_t slot;
    bool wide;
  } * phi;
  bool polls; /* reads what other warps may write */
  bool locks; /* by atomics */
  bool meets; /* has barriers or calls inside: a warp that waits there is not alone */
  /* writes nothing, and nothing that it computes is used behind it: all that it does is
   * wait */
  bool pure;
} ww_spin;

struct ww_prog {
  const ww_fn *fn;
  ww_seg *segs;
  uint32_t nsegs;
  uint32_t frame; /* bytes */
  /* of them, constants at the start: copied when a frame is set up */
  uint32_t fixed;
  const uint8_t *image;  /* `fixed` bytes */
  const uint32_t *slots; /* per value: parameters come first */
  uint32_t shared_rows;  /* from here on, rows that several blocks use for their own */
  ww_steady *steady;
  uint32_t nsteady;
  ww_spin *spins;
  uint32_t nspins;
};

typedef struct {
  uint32_t pc, rpc;
  ww_mask mask;
  double weight;
} ww_pending;

typedef struct {
  const ww_prog *prog;
  const ww_seg *call; /* the segment that called; NULL in the kernel's own frame */
  uint8_t *frame;
  uint32_t ret_pc, ret_rpc;
  uint32_t stack; /* height of the divergence stack at entry */
  ww_mask mask;   /* lanes that called */
  uint32_t local; /* local memory in use below this frame */
} ww_frame;

typedef enum {
  WW_RUN_SLICE,
  WW_RUN_BARRIER,
  WW_RUN_DONE,
  WW_RUN_FAULT,
  WW_RUN_GRIDSYNC,
  /* what it waits for has not happened; it looks again when it is next run */
  WW_RUN_WAIT,
  WW_RUN_MEET /* waits for lanes of its warp that go their own way (split.c) */
} ww_run_end;

/* What one warp remembers of one steady loop. */
typedef struct {
  uint32_t iteration; /* since entry, executed ones */
  /* consecutive iterations whose counters moved by the same step */
  uint32_t linear;
  uint32_t left;     /* iterations of the window still to run with weight */
  uint32_t segments; /* segments planned but not begun */
  /* iterations a segment stands for; to skip once its window is run */
  uint64_t span, skip_after;
  ww_mask mask; /* lanes when the plan was made */
  bool planned; /* for this mask, even if the plan is to run in full */
  /* [nphis]: iterations in a row that moved it by the same step */
  uint8_t *affine;
  double weight_in; /* weight outside */
  /* [nphis + 2][lanes]: counters and the exit's operands at the last iteration, and
   * their movement */
  uint64_t *prev, *step;
} ww_loop_state;

/* What one warp remembers of one loop that may wait. */
typedef struct {
  bool inside;
  ww_mask mask;     /* of the last iteration */
  uint64_t changes; /* ww_exec.changes at that time */
  uint64_t *prev;   /* [nphis][lanes]: the header's values */
} ww_spin_state;
typedef struct ww_look ww_look;

typedef struct {
  uint8_t *mem;
  uint32_t size; /* static and dynamic shared memory, bytes */
} ww_shared_mem;

/* Blocks that run together and see each other's shared memory. */
typedef struct {
  uint32_t n;
  ww_shared_mem shared[WW_MAX_CLUSTER]; /* by rank */
  uint32_t place[WW_MAX_CLUSTER];       /* in the machine's pool */
} ww_cluster;

struct ww_exec {
  /* hot */
  uint8_t *F; /* current frame */
  ww_mask mask, live;
  bool part;                   /* live lanes outside the mask exist */
  int32_t m[WW_MAX_LANES];     /* 0 / -1 per lane, valid when part */
  uint64_t addr[WW_MAX_LANES]; /* addresses of the memory instruction at hand */
  double weight;
  const ww_observer *obs;
  ww_memory *memory;
  ww_region **region_cache; /* per ins_id: the region it last hit */
  ww_shared_mem shared;
  const uint8_t *params;
  uint32_t params_n;
  /* control */
  const ww_prog *prog;
  uint32_t pc, rpc;
  ww_pending stack[WW_MAX_STACK];
  uint32_t sp;
  ww_frame frames[WW_MAX_DEPTH];
  uint32_t depth;
  uint64_t steps, slice; /* warp instructions run; stop when steps reaches slice */
  /* who we are */
  ww_warp_id id;
  uint64_t ctaid[3];
  const ww_cluster *cluster;
  uint32_t rank;            /* in it */
  uint64_t cluster_arrived; /* times at its barrier */
  uint32_t lanes;
  uint32_t tid0;                 /* linear thread index of lane 0 */
  uint32_t tid[3][WW_MAX_LANES]; /* thread index per axis; fixed for the warp */
  /* local memory: one contiguous piece per lane */
  uint8_t *local;
  uint32_t local_stride, local_top;
  /* barrier */
  const ww_seg *bar;
  uint32_t bar_id, bar_threads; /* threads it waits for; 0: all of the block */
  uint32_t bar_result;
  /* at an mbarrier: the wait is given up, once; times in a row that it was */
  bool timed_out;
  uint32_t timeouts;
  /* machine */
  struct ww_machine *machine;
  bool idle_values;        /* copies and products need not be made */
  const ww_run_spec *spec; /* the machine's, every figure given */
  ww_loop_state *loops;    /* per steady loop of the module */
  bool extrapolated;
  /* waiting (spin.c): per loop that may wait; NULL: the kernel has none */
  ww_spin_state *spins;
  uint64_t changes;        /* of memory, by this warp */
  uint32_t in_vain;        /* iterations in a row that changed nothing */
  const ww_spin *vain;     /* of this loop */
  bool leaves;             /* it is to leave that loop when it next comes round */
  bool paused;             /* at the header of a loop, for others to go on */
  ww_look *look;           /* what it looks at while it waits; NULL: never did */
  const ww_observer *told; /* what obs is when it is not waiting */
  const ww_edge *way_out;  /* of a wait that is over, to be taken next */
  bool split;              /* other lanes of the same warp go their own way */
  bool borrows;            /* its local memory is that of another */
  /* fault */
  const char *fault; /* static text or fault_msg */
  char fault_msg[256];
  const ww_ins *fault_ins;
  bool fault_assumed;
  bool cancelled; /* it was no fault */
  bool moved;     /* lanes' addresses were changed since it was last cleared */
};

static inline uint64_t
ww_cell_of(const ww_exec *x, uint32_t slot, bool wide, uint32_t lane) {
  return wide ? *(const uint64_t *)(x->F + slot + 8 * lane)
              : *(const uint32_t *)(x->F + slot + 4 * lane);
}
static inline void
ww_cell_put(ww_exec *x, uint32_t slot, bool wide, uint32_t lane, uint64_t v) {
  if (wide)
    *(uint64_t *)(x->F + slot + 8 * lane) = v;
  else
    *(uint32_t *)(x->F + slot + 4 * lane) = v;
}

/* One copy of the interpreter. */
typedef struct {
  const char *name;
  uint32_t lanes;
  void (*resolve)(const ww_ins *i,
                  bool by_scalar,
                  ww_handler *out[2]); /* straight-line handlers of an instruction */
  ww_run_end (*run)(ww_exec *x);
} ww_isa;
/* the best this machine runs; WARPWISE_ISA=base|avx2|avx512 forces one */
const ww_isa *ww_isa_pick(uint32_t lanes);

/* scalar.c: one lane of any arithmetic instruction; the reference for the vector
 * handlers. Operands zero-extended bits. */
uint64_t
ww_scalar(const ww_ins *i, ww_type ta, ww_type tb, uint64_t a, uint64_t b, uint64_t c);
double ww_to_double(ww_type t, uint64_t bits); /* a float of any format */
uint64_t ww_from_double(ww_type t, double d, ww_round r);
/* The new value of an atomic. */
uint64_t ww_rmw_apply(uint8_t rmw, uint8_t type, uint64_t old, uint64_t b);

/* Host address of [addr, addr+n) in the shared memory of a block of the cluster; NULL:
 * there is none. */
uint8_t *ww_exec_in_cluster(const ww_exec *x, uint64_t addr, uint64_t n);
/* Every warp of the cluster has arrived at its barrier as often as this one. */
bool ww_exec_cluster_came(const ww_exec *x);

/* mma.c */
void ww_exec_mma(ww_exec *x, const ww_code *k);

/* machine-side helpers of the interpreter (machine.c) */
/* the launch is given up: the warp ends as with a fault */
bool ww_exec_cancelled(ww_exec *x);
void ww_exec_fault(ww_exec *x, const ww_ins *i, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Where an access at addr goes instead, where assumed contents led it out of memory; 0:
 * they did not. (inside.c) */
uint64_t ww_exec_inside(ww_exec *x, const ww_code *c, uint64_t addr);
void ww_exec_bad_address(
    ww_exec *x, const ww_code *c, uint32_t lane, uint64_t addr, const char *what);
/* The same of any number of bytes. */
void ww_exec_bad_span(ww_exec *x,
                      const ww_ins *i,
                      uint32_t lane,
                      uint64_t addr,
                      uint64_t bytes,
                      const char *what);
const ww_prog *ww_exec_callee(ww_exec *x, uint64_t address);
/* A draw of a ticket by all active lanes at one address, and those of the blocks that
 * this one stands for; the word there as it was. */
uint64_t ww_exec_draw(ww_exec *x, uint8_t *word, uint32_t bytes, uint64_t sum);
uint64_t ww_exec_malloc(ww_exec *x, uint64_t bytes);
uint64_t ww_exec_texdim(ww_exec *x, uint64_t handle, uint32_t axis, uint32_t esize);
void ww_exec_printf(ww_exec *x, const ww_code *c, uint32_t lane);

/* steady.c */
/* Which loops qualify; slots not set yet. def: ww_ir_defs, where there are any. */
void ww_steady_find(
    const ww_fn *fn, const ww_ins **def, ww_arena *a, ww_steady **out, uint32_t *n);
/* at each entry of the loop's header */
void ww_steady_iteration(ww_exec *x, const ww_steady *s);

/* spin.c */
typedef struct {
  const ww_ins *ins;
  uint8_t space; /* WW_GLOBAL or WW_SHARED */
  uint64_t addr;
  uint32_t bytes;
  const uint8_t *host;
} ww_spin_place;
/* Which loops may wait; slots not set yet. def: ww_ir_defs. */
void ww_spin_find(
    const ww_fn *fn, const ww_ins **def, ww_arena *a, ww_spin **out, uint32_t *n);
/* At each entry of the loop's header: true when the warp is to give its turn away. */
bool ww_spin_iteration(ww_exec *x, const ww_spin *s);
void ww_spin_follow(ww_exec *x); /* at each segment while it looks */
/* Of a warp that has paused: something that it reads has changed. */
bool ww_spin_wakes(const ww_exec *x);
/* The loop in which a warp has paused, and the last thing it reads there; NULL: none */
const ww_spin *ww_spin_of(const ww_exec *x);
const ww_spin_place *ww_spin_reads(const ww_exec *x);
/* What it waits for is taken to have happened: its lanes leave the loop. False: it has
 * no way out. */
bool ww_spin_leave(ww_exec *x);
void ww_spin_start(ww_exec *x, const ww_observer *obs); /* of a warp */

/* idle.c */
/* The functions in[] copy in bulk or multiply warp group by warp group, and neither
 * what they copy nor what they compute decides what they do. */
bool ww_values_idle(const ww_module *m, const bool *in);

/* decode.c */
typedef struct {
  const ww_module *m;
  uint32_t lanes;
  const ww_isa *isa;
  const uint64_t *symbol_addr; /* per symbol of the module */
  const ww_prog *const *progs; /* per function: what calls go to */
  ww_arena *a;
  uint32_t *next_ins_id; /* counts memory instructions over all functions */
  bool meets; /* lanes that go their own ways wait before what names the whole warp */
} ww_decoding;
ww_status ww_decode(const ww_decoding *with, uint32_t fn, ww_prog *out, ww_err *e);

#define WW_FN_BASE 0x10000000ull /* addresses of functions: WW_FN_BASE + 16 * index */

#endif
