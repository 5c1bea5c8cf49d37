/* translate_asm.h - inline PTX: statements taken apart (translate_asm.c), then lowered
 * by opcode (translate_asm_ops.c). */
#ifndef WW_FRONT_TRANSLATE_ASM_H
#define WW_FRONT_TRANSLATE_ASM_H

#include "emit.h"

enum { PTX_MAX_TOKENS = 12, PTX_MAX_OPERANDS = 16, PTX_NAME = 40 };

/* A register: an operand of the asm ($0 ...) or one declared inside it. SSA: `v` is its
 * value now.
 */
typedef struct {
  char name[PTX_NAME];
  /* width it has; the value may be held as another type of that width */
  ww_type declared;
  ww_val v;
  ww_type type; /* of v */
} ptx_reg;

typedef struct {
  low_fn *F;
  WW_VEC(ptx_reg) regs;
  ww_val carry; /* i1 of add.cc and kin, WW_NOVAL before the first */
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
  char op[PTX_MAX_TOKENS][16]; /* opcode and its dot-separated modifiers */
  uint32_t nop;
  const char *arg[PTX_MAX_OPERANDS];
  uint32_t narg;
  const char *text; /* the statement, for refusals */
  ww_type type;     /* its first type suffix: see ptx_type */
  bool sign, pair;
  int x; /* of the opcode's row */
} ptx_ins;

void ptx_add_reg(ptx_state *s, const char *name, ww_type t);
/* As another type of the same or another width. */
ww_val ptx_reshape(low_fn *F, ww_val v, ww_type from, ww_type to, bool sign);
char *ptx_trim(char *s); /* in place */
void ptx_statements(ptx_state *s, char *text);

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
void ptx_refuse(ptx_ins *i);

/* Lowers one unpredicated instruction; false: unknown. */
bool ptx_execute(ptx_ins *i);
/* no memory, no control: a predicate can select afterwards */
bool ptx_is_pure(const ptx_ins *i);

/* translate_mma.c */
bool ptx_mma(ptx_ins *i);
bool ptx_ldmatrix(ptx_ins *i);

#endif
