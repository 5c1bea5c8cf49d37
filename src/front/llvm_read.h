/* llvm_read.h - what LLVM-C says in several calls: names, and the operands of metadata.
 */
#ifndef WW_FRONT_LLVM_READ_H
#define WW_FRONT_LLVM_READ_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>

#include "../base/base.h"

/* NUL-terminated, "" when it has none. */
static inline const char *low_name(LLVMValueRef v) {
  size_t n;
  const char *s = LLVMGetValueName2(v, &n);
  return n ? s : "";
}

typedef struct {
  LLVMValueRef *v; /* some may be NULL */
  unsigned n;
} low_nodes;

/* Operands of a node; NULL has none. */
static inline low_nodes low_operands(ww_arena *a, LLVMValueRef node) {
  low_nodes out = {.n = node ? LLVMGetMDNodeNumOperands(node) : 0};
  out.v = WW_NEWN(a, LLVMValueRef, out.n + 1);
  if (out.n)
    LLVMGetMDNodeOperands(node, out.v);
  return out;
}

/* The nodes of the module under a name. */
static inline low_nodes
low_named_nodes(ww_arena *a, LLVMModuleRef m, const char *name) {
  low_nodes out = {.n = LLVMGetNamedMetadataNumOperands(m, name)};
  out.v = WW_NEWN(a, LLVMValueRef, out.n + 1);
  LLVMGetNamedMetadataOperands(m, name, out.v);
  return out;
}

/* Operand i of a getelementptr into *t, which becomes what it leads to: adds a constant
 * index to *fixed; false: another one, which counts *scale bytes each.
 * (translate_const.c) */
bool low_gep_step(LLVMTargetDataRef td,
                  LLVMTypeRef *t,
                  int i,
                  LLVMValueRef index,
                  int64_t *scale,
                  int64_t *fixed);

/* A text that LLVM has made; it has none only where memory is out. */
static inline char *low_made(char *text) {
  if (!text)
    ww_out_of_memory(0);
  return text;
}

/* NULL: it is no string. */
static inline const char *low_node_string(LLVMValueRef v) {
  unsigned n;
  return v && LLVMIsAMDString(v) ? LLVMGetMDString(v, &n) : NULL;
}

#endif
