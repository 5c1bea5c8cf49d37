/* ir_int.h - what the files of src/ir share: the names of an instruction's `sub` field,
 * types of results and literals. */
#ifndef WW_IR_INT_H
#define WW_IR_INT_H

#include <ctype.h>

#include "ir.h"

/* What a name of the text form is made of. */
static inline bool ww_ir_word_char(char c) {
  return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* What `sub` means for an operation: one of these tables of names, a number, or
 * nothing. */
typedef struct {
  const char *const *names; /* NULL: printed as a number when it is not 0 */
  uint32_t n;
  int dflt; /* the value that is not printed; -1: always printed */
} ww_sub_names;
ww_sub_names ww_op_sub(ww_op op);

extern const char *const ww_flag_names[8]; /* bit k of ww_ins.flags */

/* Type of result k when the text does not say: see ops.def. */
ww_type ww_ins_result_type(const ww_ins *i, uint32_t k);
/* Type of an untyped literal among the operands of an instruction. */
static inline ww_type ww_ins_literal_type(const ww_ins *i) {
  return i->type2 ? i->type2 : i->type;
}

static inline const char *ww_fn_symbol(const ww_fn *f) {
  return f->mangled ? f->mangled : f->name;
}
static inline const char *ww_sym_symbol(const ww_symbol *s) {
  return s->mangled ? s->mangled : s->name;
}

#endif
