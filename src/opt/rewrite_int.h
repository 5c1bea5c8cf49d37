/* rewrite_int.h - what the rewrites share: looking at nodes, and offering.
 *
 *   rewrite.c         nodes, offers, the table
 *   rewrite_index.c   which element a thread works on; block, swap, stride
 *   rewrite_text.c    restrict, floats, unroll, accumulate, the fixes of findings
 *   rewrite_atomic.c  atomics
 *   fuse_*.c          several kernels as one (fuse_int.h)
 *   rewrite_jam.c     several elements a thread, side by side
 *   rewrite_share.c   several threads an element
 *   rewrite_loop.c    counted loops, and what they add up
 *   rewrite_accumulators.c  a sum in several variables
 *   rewrite_constant.c  numbers with a name
 *   rewrite_row.c     a warp or a block an element
 *   rewrite_tile.c    chunks of a loop's loads in shared memory
 *   rewrite_tree.c    trees of shared memory, their last steps by shuffles
 *   rewrite_turn.c    transposes through a tile
 *   rewrite_inline.c  kernels that only call another function
 *   rewrite_split.c   ranges of loops, split among threads
 *   rewrite_team.c    block sizes of threads that work together
 *   rewrite_vector.c  walks through memory, and their vectors
 *   rewrite_walk.c    vectors in loops and in kernels of one element a thread */
#ifndef WW_OPT_REWRITE_INT_H
#define WW_OPT_REWRITE_INT_H

#include "../base/words.h"
#include "rewrite.h"

#define WW_NONODE UINT32_MAX

typedef struct {
  const ww_rewrite_input *in;
  const ww_node *v; /* the syntax' nodes */
  const char *text;
  uint32_t kernel, body; /* nodes: the function, its braces */
  ww_arena *a;
  WW_VEC(ww_rewritten) out;
} ww_rewriting;

typedef WW_VEC(ww_edit) ww_edit_list;

/* Finds the function of that name with a body, the one at the line where there are
 * several. */
bool ww_rewrite_kernel(ww_rewriting *x);
/* What clang does not understand inside the kernel; NULL: nothing. */
const char *ww_rewrite_error(const ww_rewriting *x);

/* ---- nodes ---- */
/* The k-th child, WW_NONODE: there are fewer. */
uint32_t ww_node_child(const ww_rewriting *x, uint32_t node, uint32_t k);
uint32_t ww_node_children(const ww_rewriting *x, uint32_t node);
/* What a variable is declared with, bare; WW_NONODE: nothing. Before it the type's name
 * may stand. */
uint32_t ww_node_value(const ww_rewriting *x, uint32_t variable);
/* Through what clang inserts, parentheses and casts, to what they are about. */
uint32_t ww_node_bare(const ww_rewriting *x, uint32_t node);
bool ww_node_inside(const ww_rewriting *x, uint32_t node, uint32_t of);
/* Text as it is written. */
const char *ww_node_text(const ww_rewriting *x, uint32_t node);
/* The same text but for blanks? */
bool ww_node_reads(const ww_rewriting *x, uint32_t node, const char *text);
bool ww_node_alike(const ww_rewriting *x, uint32_t i, uint32_t j);
/* One past the statement, its `;` included. */
uint32_t ww_node_end(const ww_rewriting *x, uint32_t node);
/* The nearest node of that kind above, within the kernel; WW_NONODE. */
uint32_t ww_node_above(const ww_rewriting *x, uint32_t node, ww_node_kind kind);
/* Is it a statement of braces, with others before and behind? */
bool ww_node_in_block(const ww_rewriting *x, uint32_t node);
/* Does anything in `within` assign to what is declared there, or take its address? */
bool ww_node_changed(const ww_rewriting *x, uint32_t decl, uint32_t within);
/* The operand of an assignment, ++ or --, that is changed; WW_NONODE: it is none. */
uint32_t ww_node_target(const ww_rewriting *x, uint32_t node);
/* Does the subtree refer to it? */
bool ww_node_uses(const ww_rewriting *x, uint32_t node, uint32_t decl);
/* The function that a call calls; "" */
const char *ww_node_callee(const ww_rewriting *x, uint32_t node);
/* The declaration's node, WW_NONODE: not in this text. */
uint32_t ww_node_of_decl(const ww_rewriting *x, uint32_t decl);
/* Blanks before the line that a byte is in. */
const char *ww_text_indent(const ww_rewriting *x, uint32_t at);
/* A new line as the body's first statement has it. */
const char *ww_body_gap(const ww_rewriting *x);
/* Does a directive stand on the line above? */
bool ww_text_is_below_directive(const ww_rewriting *x, uint32_t at);
/* What stands behind a name and the template's arguments that follow it. */
const char *ww_text_behind(const char *name_end);
/* A name that the text does not have. */
const char *ww_text_fresh(const ww_rewriting *x, const char *base);

/* The bytes [begin, end) with edits that lie inside, sorted here. */
const char *
ww_text_edited(const ww_rewriting *x, uint32_t begin, uint32_t end, ww_edit_list *e);
/* Its lines but the first go in by that much; directives stay. */
const char *ww_text_deeper(const ww_rewriting *x, const char *text, const char *by);

/* ---- offers ----
 *
 * In the text of an edit \v is a step to the right: the kernel's own when it is
 * offered. */
void ww_edit_put(
    ww_rewriting *x, ww_edit_list *e, uint32_t begin, uint32_t end, const char *text);
/* Dropped where edits meet, touch a macro, or there is nothing to change. */
void ww_rewrite_offer(ww_rewriting *x,
                      const ww_edit_list *e,
                      const ww_rewritten *about);

/* ---- rewrite_index.c ---- */
typedef enum {
  WW_INDEX_THREAD,
  WW_INDEX_BLOCK,
  WW_INDEX_BLOCK_SIZE,
  WW_INDEX_GRID_SIZE,
  WW_INDEX_GLOBAL /* OpenCL's get_global_id */
} ww_index_kind;
/* An index that the hardware gives, -1: it is none. *axis: 0 to 2. */
int ww_index_of(const ww_rewriting *x, uint32_t node, uint32_t *axis);
/* How a kernel of this dialect writes it, all but WW_INDEX_GLOBAL; and the words for
 * shared memory (of OpenCL only in the body itself) and its barrier. */
const char *ww_text_index(const ww_rewriting *x, int kind, uint32_t axis);
const char *ww_text_shared(const ww_rewriting *x);
const char *ww_text_barrier(const ww_rewriting *x);
/* Does the value differ between threads of a block? Looks through local variables. */
bool ww_index_varies(const ww_rewriting *x, uint32_t node, int depth);
/* No shared memory, barriers, shuffles, votes, inline assembly. */
bool ww_index_independent(const ww_rewriting *x);
/* Is this node one of those? */
bool ww_node_knows_others(const ww_rewriting *x, uint32_t node);

/* The only use of an axis: blockIdx * size + threadIdx, or OpenCL's get_global_id.
 * `size` its constant, WW_NONODE: blockDim. WW_NONODE: it is used in another way. */
uint32_t ww_index_global(ww_rewriting *x, uint32_t axis, uint32_t *size);
/* The parameter that as many threads are launched along the axis for as it says;
 * WW_NONODE. `variable` holds the index. */
uint32_t ww_index_bound(const ww_rewriting *x, uint32_t axis, uint32_t variable);
/* A thread goes on by the whole grid: the edits, and what has to stand at the end of
 * the body. False: the kernel is not of that form. */
bool ww_stride_edits(ww_rewriting *x, ww_edit_list *e, const char **close);
/* Takes `const` from a variable that the new code changes; false: a type's name has it.
 */
bool ww_put_mutable(ww_rewriting *x, uint32_t variable, ww_edit_list *e);
/* Where lines go that stand last in the body; and lines there. */
uint32_t ww_body_close(const ww_rewriting *x);
void ww_put_at_close(ww_rewriting *x, ww_edit_list *e, const char *text);

/* ---- rewrite_loop.c ---- */
/* for (int k = start; k < end; k++), k <= end, k += by; k is not changed inside. */
typedef struct {
  uint32_t loop, counter;     /* nodes: the for, the variable's declaration */
  uint32_t start, step, body; /* nodes */
  uint32_t below, end;        /* nodes: of the condition `below < end` */
  bool inclusive;             /* below <= end */
  const char *by;             /* what it goes on by; NULL: 1 */
} ww_counted_loop;
bool ww_loop_read(const ww_rewriting *x, uint32_t loop, ww_counted_loop *c);

#define WW_MOST_REDUCTIONS 8
typedef struct {
  uint32_t variable; /* node of its declaration; of an element its first use */
  bool element;      /* of an array in memory, the same in all rounds */
  uint32_t uses;     /* in the loop */
  /* + * | & ^, the name of a function (fmaxf), or > and <: the larger, the smaller */
  const char *op;
} ww_reduction;
typedef struct {
  ww_reduction of[WW_MOST_REDUCTIONS];
  uint32_t n;
  bool stores, atomics; /* in memory that others see, each round at places of its own */
} ww_loop_work;
/* What the rounds do together; false: one depends on what another did. */
bool ww_loop_work_of(const ww_rewriting *x, const ww_counted_loop *c, ww_loop_work *w);
/* Value of a variable that does not count in its reduction; NULL: any may count twice.
 */
const char *ww_reduction_neutral(const char *op);
/* The statement by which `into` becomes what it and `from` are together. */
const char *
ww_reduction_combined(ww_arena *a, const char *op, const char *into, const char *from);

/* The variable that an lvalue is part of; WW_NONODE: it is reached by a pointer. */
uint32_t ww_node_variable(const ww_rewriting *x, uint32_t node);
/* Is the same value in every round of a loop: names that the loop neither declares nor
 * changes, no call, no element of an array but itself. */
bool ww_node_invariant(const ww_rewriting *x, uint32_t node, uint32_t loop);
/* Does it write memory that others see, itself? */
bool ww_node_stores(const ww_rewriting *x, uint32_t node);
/* Does it leave by return, break, goto; or holds assembly? */
bool ww_node_jumps(const ww_rewriting *x, uint32_t node);

#define REWRITE(id, name, function, ...) void function(ww_rewriting *x);
#include "rewrite.def"

#endif
