/* translate_asm.h - PTX statements, inline or of a whole function: taken apart
 * (translate_asm.c), then lowered by opcode (translate_asm_ops.c).
 *
 * A register is renamed each time it is written. Inside assembly of a source that is
 * all there is to it; a function (ptx_fn.c) says what a register holds where a block
 * begins. */
#ifndef WW_FRONT_TRANSLATE_ASM_H
#define WW_FRONT_TRANSLATE_ASM_H

#include "emit.h"

#define PTX_NOREG UINT32_MAX

/* A register: an operand of the asm ($0 ...), or a declared one. */
typedef struct {
  const char *name;
  /* width it has; the value may be held as another type of that width */
  ww_type declared;
  ww_type natural; /* of that width: what is mostly done with it */
  bool settled;    /* its value is always of the natural type */
  bool known;      /* v is its value in `block` */
  bool once;       /* written once, and v good wherever it is read */
  bool input;      /* an operand that inline assembly only reads */
  bool unread;     /* of a function: named where it is written and nowhere else */
  uint32_t block;
  ww_val v;
  ww_type type; /* of v */
} ptx_reg;

/* %r<100>: registers by number, made when they are first named */
typedef struct {
  const char *prefix;
  uint32_t count;
  ww_type type;
} ptx_bank;

typedef struct ptx_label ptx_label; /* translate_asm_flow.c */

typedef struct ptx_state {
  low_fn *F;
  WW_VEC(ptx_reg) regs;
  WW_VEC(ptx_bank) banks;
  ww_dict names;   /* of registers that were declared one by one -> index + 1 */
  ww_map in_banks; /* bank << 32 | number, + 1 -> index + 1 */
  ww_map packed;   /* value + 1 -> place in halves of what it was put together from */
  WW_VEC(ww_val) halves;
  ww_val carry;               /* i1 of add.cc and kin, WW_NOVAL before the first */
  uint32_t block;             /* of the function; 0: there is only one */
  const char *where;          /* in refusals: "inline PTX" */
  WW_VEC(ptx_label *) labels; /* of inline assembly */
  /* block of the conditional branch that the current block is the other way of */
  uint32_t fell_from;
  bool noting; /* what is written is noted in changes, each register once */
  WW_VEC(struct ptx_change {
    uint32_t reg;
    ww_val before;
    ww_type type;
  })
  changes;
  /* Of a function, NULL for none: what a register holds where the block begins, of its
   * natural type; noting that it is written; the address of a variable. */
  ww_val (*incoming)(struct ptx_state *s, uint32_t reg);
  void (*written)(struct ptx_state *s, uint32_t reg);
  bool (*variable)(struct ptx_state *s, const char *name, ww_val *address);
} ptx_state;

/* A type suffix: .s32, .bf16x2 ... */
typedef struct {
  ww_type t;
  bool sign;
  bool pair; /* two halves packed in 32 bits; t is the half's type */
} ptx_type;

typedef struct {
  ptx_state *s;
  low_fn *F;
  const char **op; /* opcode and its dot-separated modifiers */
  const char **arg;
  uint32_t nop, narg;
  const char *predicate; /* "%p1", "!%p1", or NULL */
  const char *text;      /* the statement, for refusals */
  ww_type type;          /* its first type suffix: see ptx_type */
  bool sign, pair;
  int x; /* of the opcode's row */
} ptx_ins;

/* ---- text ---- */

typedef enum { PTX_END, PTX_OPEN, PTX_CLOSE, PTX_LABEL, PTX_STATEMENT } ptx_item;
/* The next item of a text without comments, which it cuts into pieces: a brace alone,
 * a label, or a statement without its semicolon. *at moves behind it. */
ptx_item ptx_next(char **at, char **text);
char *ptx_trim(char *s); /* in place */
/* Length of the identifier that begins here, 0: none. */
size_t ptx_word(const char *s);
bool ptx_type_named(const char *s, ptx_type *out);
/* A statement that is an instruction; text stays as it is. */
void ptx_parse(ptx_ins *i, ptx_state *s, const char *text);

/* ---- registers ---- */

void ptx_declare(ptx_state *s, const char *text); /* behind ".reg" */
uint32_t ptx_add_reg(ptx_state *s, const char *name, ww_type t);
uint32_t ptx_find_reg(ptx_state *s, const char *name); /* PTX_NOREG: none */
ww_val ptx_get(ptx_state *s, uint32_t reg, ww_type *t);
void ptx_set(ptx_state *s, uint32_t reg, ww_val v, ww_type t);
/* As another type of the same or another width. */
ww_val ptx_reshape(low_fn *F, ww_val v, ww_type from, ww_type to, bool sign);

/* ---- operands ---- */

bool ptx_has(const ptx_ins *i, const char *modifier);
/* n-th type suffix; WW_VOID when absent */
ptx_type ptx_nth_type(const ptx_ins *i, uint32_t n);
ww_val ptx_read(ptx_ins *i, const char *operand, ww_type t);
void ptx_write(ptx_ins *i, const char *operand, ww_val v, ww_type t, bool sign);
uint32_t ptx_list(ptx_ins *i,
                  const char *operand,
                  const char **out,
                  uint32_t max); /* {a, b} or one */
low_addr ptx_address(ptx_ins *i, const char *operand, ww_space space, uint32_t align);
bool ptx_immediate(const char *s, ww_type t, uint64_t *bits);
/* What a word was put together from, as halves of type t, where that is known. */
bool ptx_halves(ptx_state *s, ww_val packed, ww_type t, ww_val out[2]);
void ptx_note_halves(ptx_state *s, ww_val packed, const ww_val half[2]);
/* Its suffix says how many bits are moved, not what they are: .b32, of 16 any. */
bool ptx_untyped(const ptx_ins *i);
/* The type in which n registers of `t` are best loaded: what they hold. */
ww_type ptx_natural(ptx_ins *i, const char *const *operands, uint32_t n, ww_type t);
void ptx_refuse(ptx_ins *i);
/* Operand k as a value of type t; a refusal where it is missing. */
ww_val ptx_operand(ptx_ins *i, uint32_t k, ww_type t);
ww_space ptx_space(const ptx_ins *i); /* of the first modifier that names one */
/* `d|p`: v to d, and p, an i1, to what is behind the bar, where there is one. */
void ptx_write_results(ptx_ins *i, ww_val v, ww_type t, ww_val p);

/* ---- labels and branches of inline assembly (translate_asm_flow.c) ---- */

void ptx_place_label(ptx_state *s, const char *name);
/* cond may be WW_NOVAL: always */
void ptx_branch(ptx_state *s, const char *name, ww_val cond);
/* Behind the last statement; the first registers are outputs. */
void ptx_end_flow(ptx_state *s, uint32_t outputs);
/* Values in the types that the registers were declared with: of all ways alike. */
void ptx_settle_all(ptx_state *s);

/* ---- instructions ---- */

void ptx_run(ptx_ins *i);                      /* one, with its predicate */
void ptx_statements(ptx_state *s, char *text); /* of inline assembly */
/* Lowers one unpredicated instruction; false: unknown. */
bool ptx_execute(ptx_ins *i);
/* no memory, no control: a predicate can select afterwards */
bool ptx_is_pure(const ptx_ins *i);

/* translate_mma.c */
bool ptx_mma(ptx_ins *i);
bool ptx_ldmatrix(ptx_ins *i);
bool ptx_stmatrix(ptx_ins *i);
bool ptx_movmatrix(ptx_ins *i);
bool ptx_wmma(ptx_ins *i);

/* translate_asm_async.c: mbarriers, bulk copies, clusters */
bool ptx_mbarrier(ptx_ins *i);
bool ptx_bulk(ptx_ins *i); /* cp.async.bulk ... and cp.async.mbarrier ... */
bool ptx_reduce_bulk(ptx_ins *i);
bool ptx_tensormap(ptx_ins *i);
/* The end of st.async and red.async: bytes, that the mbarrier awaits, are there. */
bool ptx_complete(ptx_ins *i, uint32_t bytes);
bool ptx_cluster_barrier(ptx_ins *i);
bool ptx_mapa(ptx_ins *i);
bool ptx_getctarank(ptx_ins *i);
bool ptx_elect(ptx_ins *i);
bool ptx_setmaxnreg(ptx_ins *i);

/* translate_asm_wgmma.c */
bool ptx_wgmma(ptx_ins *i);

/* translate_asm_simd.c */
bool ptx_vabsdiff(ptx_ins *i);
bool ptx_prmt(ptx_ins *i);
bool ptx_bmsk(ptx_ins *i);
bool ptx_szext(ptx_ins *i);
bool ptx_cvt_pack(ptx_ins *i);
bool ptx_fns(ptx_ins *i);

/* translate_asm_video.c */
bool ptx_video(ptx_ins *i);       /* x: see there */
bool ptx_video_parts(ptx_ins *i); /* of all halves or bytes */
bool ptx_vmad(ptx_ins *i);

/* translate_asm_tex.c */
bool ptx_tex(ptx_ins *i);
bool ptx_gather(ptx_ins *i);
bool ptx_surface(ptx_ins *i); /* x: a store */
bool ptx_image_query(ptx_ins *i);

#endif
