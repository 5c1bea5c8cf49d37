/* callees_asm.c - inline assembly: its operands become registers of the PTX in it
 * (translate_asm.c). */
#include "translate_asm.h"
#include "translate_int.h"

/* "$0" -> "$0", "$$" -> "$", "${0:x}" -> "$0"; comments out */
static char *plain_text(ww_arena *a, const char *s, size_t n) {
  char *out = ww_alloc(a, n + 1);
  char *o = out;
  for (size_t i = 0; i < n; i++) {
    char c = s[i];
    char next = i + 1 < n ? s[i + 1] : 0;
    if (c == '/' && next == '/') {
      while (i < n && s[i] != '\n')
        i++;
      *o++ = ' ';
    } else if (c == '/' && next == '*') {
      for (i += 2; i + 1 < n && (s[i] != '*' || s[i + 1] != '/'); i++) {}
      i++;
      *o++ = ' ';
    } else if (c == '$' && next == '{') {
      *o++ = '$';
      for (i += 2; i < n && s[i] != '}'; i++)
        if (ww_is_digit(s[i]))
          *o++ = s[i];
    } else if (c == '$' && next == '$') {
      *o++ = '%';
      i++;
    } else
      *o++ = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  }
  return out;
}

/* Binds $0 .. to outputs, then inputs; returns the number of outputs. */
static uint32_t
bind(ptx_state *s, LLVMValueRef inst, char *constraints, const low_type *rt) {
  low_fn *F = s->F;
  uint32_t k = 0;
  uint32_t outs = 0;
  uint32_t in = 0;
  char *save = NULL;
  char name[16];
  for (char *c = strtok_r(constraints, ",", &save); c; c = strtok_r(NULL, ",", &save)) {
    if (*c == '~')
      continue;
    snprintf(name, sizeof name, "$%u", k++);
    if (*c == '=') {
      if (strchr(c, '*') || outs >= rt->n) {
        low_refuse(F, "inline PTX with an output in memory");
        return 0;
      }
      ptx_add_reg(s, name, rt->c[outs++].type);
      continue;
    }
    if (in >= LLVMGetNumArgOperands(inst))
      break;
    LLVMValueRef v = LLVMGetOperand(inst, in++);
    const low_type *t = low_type_of(F, v);
    if (t->n != 1) {
      low_refuse(F, "inline PTX with an aggregate operand");
      return 0;
    }
    ptx_add_reg(s, name, t->c[0].type);
    s->regs.v[s->regs.n - 1].v = low_scalar(F, v);
    s->regs.v[s->regs.n - 1].input = true;
    if (ww_is_digit(*c)) { /* tied to an output: its start value */
      ptx_reg *o = &s->regs.v[atoi(c)];
      o->v = s->regs.v[s->regs.n - 1].v;
      o->type = t->c[0].type;
    }
  }
  return outs;
}

void low_asm(low_fn *F, LLVMValueRef inst, LLVMValueRef inline_asm) {
#if LLVM_VERSION_MAJOR >= 18
  size_t n;
  size_t nc;
  const low_type *rt = low_type_of(F, inst);
  const char *raw = LLVMGetInlineAsmAsmString(inline_asm, &n);
  const char *constraints = LLVMGetInlineAsmConstraintString(inline_asm, &nc);
  char *text = plain_text(F->a, raw, n);
  ptx_state s = {
      .F = F, .carry = WW_NOVAL, .where = "inline PTX", .fell_from = WW_NOBLOCK};
  if (F->L->target != LOW_NVPTX) {
    if (*ptx_trim(text))
      low_refuse(F, "inline assembly: %.100s", ptx_trim(text));
    if (rt->n && !F->fn.refusal && LLVMGetNumArgOperands(inst) == 1)
      low_set(F, inst, low_get(F, LLVMGetOperand(inst, 0))->v, rt->n);
    return;
  }
  uint32_t outs = bind(&s, inst, ww_strndup(F->a, constraints, nc), rt);
  if (!F->fn.refusal)
    ptx_statements(&s, text);
  ptx_end_flow(&s, outs);
  ww_val *out = low_define(F, inst);
  for (uint32_t k = 0; k < rt->n; k++)
    out[k] = k < outs
                 ? ptx_reshape(F, s.regs.v[k].v, s.regs.v[k].type, rt->c[k].type, false)
                 : low_const(F, rt->c[k].type, 0);
#else
  (void)inst;
  (void)inline_asm;
  low_refuse(
      F,
      "inline PTX, which this build's LLVM (%d) cannot show; version 18 or later can",
      LLVM_VERSION_MAJOR);
#endif
}
