/* emit.h - building the IR, whoever reads the input: LLVM's bitcode (translate*.c,
 * callees*.c) or PTX (ptx*.c).
 *
 * Nothing here knows LLVM. A function is built block by block into a low_fn, which
 * low_finish turns into a ww_fn; a module of them is checked by low_deliver. */
#ifndef WW_FRONT_EMIT_H
#define WW_FRONT_EMIT_H

#include <math.h>

#include "../base/map.h"
#include "../base/words.h"
#include "../ir/ir.h"

typedef struct {
  uint8_t type; /* ww_type of the scalar */
  uint8_t mem;  /* bytes in memory */
  /* width of an integer; below the container's width the upper bits are kept zero */
  uint16_t bits;
  uint32_t off; /* byte offset in the aggregate */
} low_comp;

/* ---- modules (emit_module.c) ---- */

typedef struct {
  ww_arena *a;
  ww_module *out;
  ww_dialect dialect;
  uint32_t warp;
  bool compiled; /* as ww_module's */
  WW_VEC(struct low_fn *) list;
  WW_VEC(ww_loc) loc_list;
  WW_VEC(const char *) file_list;
  WW_VEC(ww_symbol) sym_list;
  /* beside sym_list: a variable without a definition */
  WW_VEC(const char *) sym_refusal;
} low_module;

void low_begin(low_module *m);
struct low_fn *low_add_fn(low_module *m);
/* refusal: of those who use it, or NULL */
uint32_t low_add_symbol(low_module *m, ww_symbol s, const char *refusal);
uint32_t low_add_file(low_module *m, const char *path);
uint32_t low_add_loc(low_module *m, ww_loc at);
bool low_foreign_file(const char *path);
/* Fills out; refusals spread to callers. Fails only where a check fails that refusing
 * single functions does not help. */
ww_status low_deliver(low_module *m, ww_err *e);

/* ---- names (emit_names.c) ---- */

/* The <length><name> of a mangled name at s: where the name begins; NULL: it is cut
 * off. */
const char *low_mangled(const char *s, size_t *n);
/* The first component of an Itanium name, "_Z4axpyPf" -> "axpy". */
const char *low_plain_name(ww_arena *a, const char *mangled);
/* Namespaced and function-local variables keep their last name: _ZN3cfg4coefE,
 * _ZZ4kernvE4tile, _ZL1n; else as it is. */
const char *low_variable_name(low_module *m, const char *mangled);

/* ---- functions (emit.c) ---- */

typedef struct {
  WW_VEC(ww_ins) ins;
  WW_VEC(ww_phi) phis;
  const char *name;
  bool ended; /* has its terminator */
} low_block;

typedef WW_VEC(uint32_t) low_numbers; /* each once */
void low_note(ww_arena *a, low_numbers *list, uint32_t number);

typedef struct low_fn {
  low_module *m;
  ww_arena *a;           /* m's */
  struct low *L;         /* translate_int.h; NULL: it does not come from LLVM */
  struct low_source *of; /* the same */
  uint32_t index;        /* in m->list and in the module */
  ww_fn fn;              /* what comes out */
  WW_VEC(ww_value) vals;
  WW_VEC(uint32_t) pool;
  WW_VEC(low_block) blocks;
  /* block being filled; LOW_PROLOGUE: before the entry's first instruction */
  uint32_t cur;
  uint32_t loc; /* of the instructions being made */
  low_block prologue;
  ww_map consts;       /* hash of (type, bits) -> value, chained by probing */
  uint32_t frame;      /* bytes of local memory so far */
  ww_map widened;      /* result of a zext or sext + 1 -> its operand */
  low_numbers callees; /* function indices called or referenced */
  ww_map symbols;      /* symbol index used + 1 */
  bool indirect;       /* calls through a pointer */
  bool callee_refused; /* its refusal names the function that it calls */
  bool is_kernel;
} low_fn;

#define LOW_PROLOGUE UINT32_MAX

void low_refuse(low_fn *F, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));   /* keeps the first reason */
low_comp low_element(ww_type t, uint32_t k); /* the k-th of an array of scalars */
/* The first n of them, for which c has room: c. */
const low_comp *low_elements(low_comp *c, ww_type t, uint32_t n);
ww_type low_int_type(unsigned bits);
uint32_t low_new_block(low_fn *F, const char *name);
low_block *low_cur(low_fn *F);
ww_val low_new_val(low_fn *F, ww_type t);
ww_ins *low_ins(low_fn *F, ww_op op, ww_type t); /* valid until the next emission */
/* the next instruction's place in its block */
uint32_t low_here(low_fn *F);
/* What was emitted since then is one instruction of the GPU: the first `one`, the rest
 * parts of it.
 */
void low_parts(low_fn *F, uint32_t from, ww_op one);
/* the one just made, unless it ends its block */
ww_ins *low_last(low_fn *F);
ww_val *low_values(low_fn *F, uint32_t n); /* room for them, in the arena */
ww_val low_nullary(low_fn *F, ww_op op, ww_type t);
ww_val low_unary(low_fn *F, ww_op op, ww_type t, ww_val a);
ww_val low_binary(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b);
ww_val low_op32(low_fn *F, ww_op op, ww_val a, ww_val b); /* of WW_I32 */
ww_val low_op64(low_fn *F, ww_op op, ww_val a, ww_val b);
/* The same with a constant of the operation's type. */
ww_val low_binaryk(low_fn *F, ww_op op, ww_type t, ww_val a, uint64_t k);
ww_val low_op32k(low_fn *F, ww_op op, ww_val a, uint64_t k);
ww_val low_op64k(low_fn *F, ww_op op, ww_val a, uint64_t k);
ww_val low_op(low_fn *F, ww_op op, ww_type t, ww_val a, ww_val b, ww_val c);
ww_val low_opx(
    low_fn *F, ww_op op, ww_type t, int sub, int flags, ww_val a, ww_val b, ww_val c);
ww_val low_cvt(low_fn *F, ww_op op, ww_type to, ww_type from, int round, ww_val a);
ww_val low_cmp(low_fn *F, ww_cmp p, ww_type t, ww_val a, ww_val b);
ww_val low_cmpk(low_fn *F, ww_cmp p, ww_type t, ww_val a, uint64_t k);
ww_val low_nonzero(low_fn *F, ww_val a); /* of an i32 */
ww_val low_not(low_fn *F, ww_val a);     /* of an i1 */
ww_val low_select(low_fn *F, ww_type t, ww_val c, ww_val a, ww_val b);
ww_val low_math1(low_fn *F, ww_math m, ww_type t, int flags, ww_val a);
ww_val
low_math(low_fn *F, ww_math m, ww_type t, int flags, ww_val a, ww_val b, ww_val c);
/* of the math function just emitted; sqrt and rcp have one */
void low_math_round(low_fn *F, ww_math m, int round);
ww_val low_int_to(low_fn *F,
                  ww_val a,
                  ww_type from,
                  ww_type to,
                  bool sign); /* widens, narrows or nothing */
ww_val low_convert(low_fn *F,
                   ww_val a,
                   ww_type from,
                   ww_type to,
                   int round,
                   bool sign); /* integers and floats; sign: of the integer */
ww_val low_relu(low_fn *F, ww_type t, ww_val a);
ww_val low_clamp01(low_fn *F, ww_type t, ww_val a);
ww_val low_24(low_fn *F, ww_val a, bool sign); /* the low 24 bits of an i32, extended */
/* a + b, or a - b, and the carry in *carry (WW_NOVAL: none), which becomes the one that
 * goes out */
ww_val low_carry(low_fn *F, ww_type t, bool sub, ww_val a, ww_val b, ww_val *carry);
/* same width, other type */
ww_val low_bits(low_fn *F, ww_val a, ww_type from, ww_type to);
/* clears what is above bits */
ww_val low_mask(low_fn *F, ww_val a, ww_type t, unsigned bits);
ww_val low_signed(low_fn *F,
                  ww_val a,
                  ww_type t,
                  unsigned bits); /* sign-extends bits within the container */
ww_val low_lea(low_fn *F, ww_val base, ww_val index, int64_t scale);
ww_val low_add_imm(low_fn *F, ww_val a, ww_type t, int64_t k);
ww_val low_sreg(low_fn *F, ww_sreg s);
void low_br(low_fn *F, uint32_t to);
void low_cbr(low_fn *F, ww_val c, uint32_t yes, uint32_t no);
uint32_t low_pool(low_fn *F, const ww_val *v, uint32_t n);
/* in the current, still empty block */
ww_val
low_phi2(low_fn *F, ww_type t, uint32_t pred1, ww_val v1, uint32_t pred2, ww_val v2);
/* address of new local memory */
ww_val low_local(low_fn *F, uint64_t bytes, uint32_t align);
bool low_removable(const ww_ins *i); /* unless somebody uses its result */
void low_finish(low_fn *F);
void low_repack(low_fn *F,
                const low_comp *from,
                uint32_t nfrom,
                const ww_val *in,
                const low_comp *to,
                uint32_t nto,
                ww_val *out);
void low_add_param(low_fn *F, ww_param p);
typedef struct {
  ww_val target;  /* an address; WW_NOVAL: function `index` */
  uint32_t index; /* of the module */
  const ww_val *args;
  uint32_t nargs, nres;
  ww_type *types; /* of the results */
} low_invocation;
void low_invoke(low_fn *F, const low_invocation *c, ww_val *results);
ww_val low_const(low_fn *F, ww_type t, uint64_t bits);
ww_val low_i32(low_fn *F, uint64_t k);
ww_val low_fconst(low_fn *F, ww_type t, double v);
bool low_is_const(const low_fn *F, ww_val v, uint64_t *bits);
uint64_t low_float_bits(ww_type t, double v);
ww_val low_fn_address(low_fn *F, uint32_t f, int64_t off);
ww_val low_symbol_address(low_fn *F, uint32_t symbol, int64_t off);

/* ---- memory (emit_mem.c) ---- */

typedef struct {
  ww_val base;
  int64_t off;
  ww_space space;
  uint32_t align;
  int flags; /* WW_F_* */
} low_addr;
ww_val low_addr_value(low_fn *F, low_addr p); /* the address as one value */
void low_load(low_fn *F, low_addr p, const low_comp *c, uint32_t n, ww_val *out);
void low_store(low_fn *F, low_addr p, const low_comp *c, uint32_t n, const ww_val *in);
void low_copy(low_fn *F, low_addr to, low_addr from, uint64_t bytes);
/* cp.async */
void low_copy_async(low_fn *F, low_addr to, low_addr from, uint32_t bytes);
void low_fill(low_fn *F, low_addr to, ww_val byte, uint64_t bytes);
/* A copy or fill of run-time size; b: the address to copy from, or the byte. */
void low_sized(low_fn *F, ww_op op, low_addr to, ww_val b, ww_space from, ww_val bytes);
ww_val low_atom(low_fn *F, ww_rmw op, ww_type t, low_addr p, ww_val b, bool used);
ww_val low_cas(low_fn *F, ww_type t, low_addr p, ww_val cmp, ww_val with);

/* ---- NVIDIA (emit_nv.c) ---- */

typedef struct {
  const char *name; /* NULL ends a table */
  int16_t value;
} low_named;
/* the last row's: none */
int low_value_named(const low_named *rows, const char *name, size_t n);
/* as PTX and NVVM write them */
extern const low_named low_rounds[], low_shuffles[], low_votes[];

/* p: reduced over the block, id: NOVAL for 0, threads it waits for: NOVAL for all. Its
 * result, NOVAL where nothing is reduced. */
ww_val low_bar(low_fn *F, ww_bar sub, ww_val p, ww_val id, ww_val threads);
/* out[1]: i1, whether there is such a lane; only with `flag` */
void low_shfl(
    low_fn *F, ww_shfl mode, ww_type t, const ww_val in[3], bool flag, ww_val out[2]);
ww_val low_vote(low_fn *F,
                ww_vote mode,
                ww_val p,
                ww_val mask,
                ww_type t); /* mask may be WW_NOVAL: all that run */
void low_match(low_fn *F, ww_val v, ww_val mask, bool all, ww_val out[2]);
/* where src_bytes are fewer than bytes, zeros behind them */
void low_copy_or_zero(
    low_fn *F, low_addr to, low_addr from, ww_val src_bytes, uint32_t bytes);
/* i1: whether it points there */
ww_val low_in_space(low_fn *F, ww_val address, ww_space s);
/* What a name stands for on signed and unsigned integers and on floats; -1: nothing. */
typedef struct {
  const char *name; /* NULL ends a table */
  int16_t s, u, f;
} low_kinds;
int low_pick(const low_kinds *rows, const char *name, ww_type t, bool sign);
/* ww_op of "add", "min" ..., or -1 */
int low_arith_named(const char *name, ww_type t, bool sign);
/* ww_rmw of "add", "exch" ..., or -1 */
int low_rmw_named(const char *name, ww_type t, bool sign);
/* ww_sreg of "tid.x" ..., or -1 */
int low_nv_sreg(const char *name);

/* ---- asynchronous work of sm_90 (emit_async.c) ---- */

/* The mbarrier's state before, where it is used. */
ww_val low_mbar(low_fn *F, ww_mbar what, low_addr p, ww_val n, bool used);
/* phase: a parity (i32) or a state (i64) */
ww_val low_mwait(low_fn *F, low_addr p, ww_val phase, ww_type t);
ww_val low_pending_count(low_fn *F, ww_val state);
typedef struct {
  ww_bulk way;
  bool tile, reduces;
  ww_rmw rmw; /* of a reduction; elements of type */
  ww_type type;
} low_copy_kind;
/* v: the operands as ops.def has them */
void low_bulk(low_fn *F, const low_copy_kind *k, const ww_val *v, uint32_t n);
void low_group(low_fn *F, ww_async_group what, int64_t left);
void low_cluster_barrier(low_fn *F, bool wait);
/* i1: whether the lane is the elected one of the mask; its number */
ww_val low_elect(low_fn *F, ww_val mask, ww_val *leader);
void low_max_registers(low_fn *F, int64_t n);

#endif
