/* question_eval.h - what the files of the walk share: values of expressions under one
 * launch, and the walker.
 *
 *   question_value.c  integer expressions;  question_work.c  what an expression does
 * and how long a thread waits for it question_trips.c  how often a loop runs;
 * question_share.c  for whom a condition holds;  question_live.c  what the compiler
 * leaves out question_walk.c   statement by statement through the kernel */
#ifndef WW_PREDICT_QUESTION_EVAL_H
#define WW_PREDICT_QUESTION_EVAL_H

#include "question_int.h"

typedef struct {
  /* thread 0, thread 1 of its row, the middle, the last; NaN: not known */
  double at[4];
} ww_qval;

/* What a buffer holds as far as the launch tells: element i is about base + slope * i
 * (row pointers, indices); NaN: not known. */
typedef struct {
  double base, slope;
} ww_qline;

typedef struct {
  const ww_qtoken *t;
  uint32_t i, end;
  const ww_qval *value; /* [symbols] */
  const ww_qline *line; /* [symbols]; NULL: none */
  bool real;            /* a float took part: division is not whole */
  uint32_t depth;
} ww_qeval;

ww_qval ww_qval_of(double v);
ww_qval ww_qval_builtin(const ww_launch *l, uint32_t kind, uint32_t dim);
ww_qval ww_qval_range(const ww_qtoken *t,
                      uint32_t from,
                      uint32_t to,
                      const ww_qval *value,
                      const ww_qline *line);

/* ---- question_live.c ---- */

/* A statement without control flow, or the condition of a loop or an if. */
typedef struct {
  /* tokens: of all of it; without type and qualifiers; one past it */
  uint32_t begin, from, to;
  uint32_t value; /* what stands behind =; `from`: nothing is assigned */
  uint32_t end;   /* control: one past what it controls */
  int32_t head;   /* what controls it, -1: nothing */
  int32_t target; /* the variable that it sets, -1: none */
  bool reads;     /* the target's old value, too: x += 1, a[i] = 2 */
  bool root;      /* changes memory, or something that is not understood */
  bool none;      /* a declaration without value */
  bool control, loop, live;
  /* symbols that it reads, as far as they matter to its result */
  const int32_t *operand;
  uint32_t noperands;
} ww_qitem;
typedef WW_VEC(ww_qitem) ww_qitems;
enum { Q_ITEMS = 4000 };
uint32_t ww_qitem_at(const ww_qitems *v,
                     uint32_t token); /* the first that begins there or behind it */
void ww_qitems_of(const ww_question_kernel *k,
                  const ww_qpart *p,
                  ww_arena *a,
                  ww_qitems *out);
/* Sets `operand` and, for statements whose results reach memory and what controls them,
 * `live`. */
void ww_qlive(const ww_question_kernel *k,
              const ww_qpart *p,
              const ww_qval *value,
              ww_arena *a,
              ww_qitems *v);
/* Does this word of the language do something besides its result: atomics, barriers,
 * shuffles, jumps? */
bool ww_qword_acts(const ww_qtoken *t);
/* The loop over var (-1: not known) whose body is the tokens from .. to: which symbols
 * change in it, and which of them come out of the iteration before. False: nothing that
 * matters changes, there is no such loop in the compiled code. */
bool ww_qvariant(const ww_question_kernel *k,
                 const ww_qtoken *t,
                 const ww_qitems *v,
                 uint32_t from,
                 uint32_t to,
                 int32_t var,
                 bool *variant,
                 bool *serial);

/* ---- the walker ---- */

/* The statement that is being read, as an in-order thread runs it. */
typedef struct {
  double ready; /* when its operands are there */
  double load;  /* cycles until its slowest load is there */
  /* cycles of its operations one after the other; instructions */
  double chain, issue;
  double times[4], plus[4]; /* products and sums by type, for multiply-adds */
  /* accesses before this token lie in the index of one that takes `outer_load` */
  uint32_t outer;
  double outer_load;
  uint32_t brackets; /* tokens before this one are an index */
  /* bits of the loops around it whose iteration before it waits for */
  uint32_t serial;
  bool store;      /* to global or shared memory */
  int32_t late;    /* x of x += ..: needed at the end alone; -1 */
  uint32_t target; /* token x of x = .. */
} ww_qissue;

/* How often something runs: over all threads, over all warps, over the warps of the
 * busiest block; or by what factor. */
typedef struct {
  double threads, warps, busiest;
} ww_qtimes;
static inline ww_qtimes ww_qtimes_by(ww_qtimes a, ww_qtimes b) {
  return (ww_qtimes){a.threads * b.threads, a.warps * b.warps, a.busiest * b.busiest};
}

/* An access that was counted: one beside it comes from L1. */
typedef struct {
  int32_t sym;
  double stride, at, weight;
} ww_qseen;

/* A loop around the statement. */
typedef struct {
  bool *variant, *serial; /* [symbols] */
  ww_qtimes trips;
  double unroll;    /* iterations that the compiler lets overlap */
  bool written_out; /* all of them: the loop around it may overlap, too */
} ww_qaround;

enum { Q_LOOPS = 8, Q_STEPS = 120000, Q_CALLS = 6, Q_NESTED = 64, Q_SEEN = 16 };

typedef struct {
  const ww_question_kernel *k;
  const ww_launch *l;
  ww_qwalk *w;
  ww_qval *value; /* [symbols] */
  ww_qline *line; /* [symbols] */
  ww_qval *start; /* [symbols]: what a variable that changes begins with */
  double *ready;  /* [symbols]: when the busiest thread has it, in cycles */
  double *moved;  /* [symbols]: bytes of a buffer */
  double *asked;  /* [symbols]: bytes of it that threads load or store */
  /* [symbols]: the share of what moves that nobody has read before; of a small buffer,
   * of what an SM asks for */
  double *first;
  /* [symbols]: elements of a row of a shared array, of all of a thread's array or table
   */
  double *pitch;
  /* [symbols]: an array of the thread that is indexed by what the source does not tell
   */
  bool *dynamic;
  const ww_qpart *p;
  uint32_t part;
  const ww_qtoken *t;
  uint32_t ntokens; /* of the part */
  ww_qtimes runs;   /* of the statement */
  /* threads that an SM holds; blocks; warps of one */
  double resident, blocks, block_warps;
  double clock;    /* of the busiest thread */
  double returned; /* when a device function's result is there */
  /* when what it has stored so far was there to be stored: barriers wait for that */
  double stored;
  ww_qissue now;
  ww_qseen seen[Q_SEEN];
  uint32_t nseen;
  int32_t loop_var; /* of the loop around it, -1 none; by how much it goes on */
  double loop_by;
  double pragma;   /* iterations that the source wants unrolled, -1: it does not say */
  ww_qitems items; /* of the kernel; empty inside device functions */
  bool *dead;      /* [tokens of the kernel] */
  ww_qaround around[Q_LOOPS];
  uint32_t naround;
  uint32_t steps, calls, nested, loops;
  bool again; /* the second time through a loop's body: for the clock alone */
} ww_qwalker;

static inline bool ww_qop_at(const ww_qwalker *w, uint32_t i, uint32_t op) {
  return w->t[i].op == op;
}
static inline ww_qval ww_qvalue_of(const ww_qwalker *w, uint32_t from, uint32_t to) {
  return ww_qval_range(w->t, from, to, w->value, w->line);
}

/* ---- question_work.c ---- */
void ww_qwork_add(ww_qwalker *w, ww_qcount c, double n);
/* Does the loop change anything that these tokens read? */
bool ww_qwork_changes(const ww_qwalker *w,
                      const ww_qaround *loop,
                      uint32_t from,
                      uint32_t to);
/* What the tokens from .. to do goes into the counts and into w->now, which it begins
 * anew. */
void ww_qwork(ww_qwalker *w, uint32_t from, uint32_t to);
/* The clock goes on behind that statement; returns when its result is there. */
double ww_qwork_done(ww_qwalker *w);
/* A device function in place (question_walk.c). */
void ww_qwalk_call(ww_qwalker *w, uint32_t i, const ww_qsym *y);
void ww_qwalk_declare(ww_qwalker *w, uint32_t from, uint32_t to);

/* ---- question_share.c ---- */
typedef struct {
  /* threads for which it holds; warps with one; the same of the block with most */
  ww_qtimes of;
  bool divergent; /* lanes of a warp may differ */
} ww_qshare;
ww_qshare ww_qshare_of(const ww_qwalker *w,
                       uint32_t from,
                       uint32_t to); /* of the condition in these tokens */
ww_qshare ww_qshare_not(ww_qshare a);

/* ---- question_trips.c ---- */
typedef struct {
  uint32_t init, cond, step, end; /* tokens: begin of each part, and ')' */
} ww_qloop_head;
typedef struct {
  ww_qtimes mean; /* NaN: not known */
  double most;    /* of the busiest thread */
  bool same;      /* for all threads */
  bool constant;  /* the step is a number of the source */
} ww_qtrips;
extern const ww_qtrips ww_qtrips_unknown;
bool ww_qloop_split(const ww_qwalker *w, uint32_t open, ww_qloop_head *h);
ww_qtrips ww_qloop_for(ww_qwalker *w, const ww_qloop_head *h);
ww_qtrips ww_qloop_while(const ww_qwalker *w, uint32_t open, uint32_t end);

#endif
