/* lm.h - what the commands of `warpwise lm` share. */
#ifndef WW_CMD_LM_H
#define WW_CMD_LM_H

#include "../lm/generate.h"
#include "cmd.h"

/* A number option from 0 to high, such as --temperature 0.7; NULL: `otherwise`. */
ww_status ww_lm_real(ww_cmd *c,
                     const char *text,
                     const char *option,
                     double high,
                     double otherwise,
                     double *out);
/* The type of that name, one of the first n. */
bool ww_lm_dtype(const char *name, int n, ww_dtype *out);
/* The text of an operand: itself, or stdin where it is "-" or missing. */
ww_status ww_lm_text(ww_cmd *c, uint32_t operand, const char **text, size_t *n);
/* Who reads or writes text needs one; `path` is the model's, for the message. */
ww_status ww_lm_need_tokenizer(const ww_lm *m, const char *path, ww_err *e);

#endif
