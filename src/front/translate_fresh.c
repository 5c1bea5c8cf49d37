/* translate_fresh.c - whether LLVM takes a module for another one that it saw before at
 * the same address.
 *
 * LLVM's NVPTX passes (version 19) remember what nvvm.annotations says of a function
 * (whether it is a kernel, its launch bounds) by the addresses of module and function,
 * and forget it only when code is written. A module read into memory that another one
 * gave back can so get the other's launch bounds, and with them ranges of threadIdx
 * that do not hold. LLVM's memory cannot be reached from here, so what it has seen is
 * written down beside it: a module is fresh when no function of it stands where one
 * with other annotations stood. Entries stay for the life of the process, as LLVM's do:
 * some 24 bytes for each kernel that was lowered. */
#include <pthread.h>

#include "translate_int.h"

static struct {
  pthread_mutex_t lock;
  ww_map seen; /* hash of module and function -> hash of its annotations */
} memory = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the table; the lock is held ---- */

static uint64_t key_of(const void *module, const void *function) {
  const void *key[2] = {module, function};
  return ww_hash(key, sizeof key, 0) | 1;
}

/* ---- a module's annotations ---- */

/* One operand: {function, key, value, key, value ...}; a function may have several. */
static void add_annotation(ww_map *of, ww_arena *a, low_nodes op) {
  uint32_t *hash = low_map_at(a, of, op.v[0], NULL);
  for (unsigned k = 1; k < op.n; k++) {
    LLVMValueRef v = op.v[k];
    const char *text = low_node_string(v);
    uint64_t number = v && LLVMIsAConstantInt(v) ? LLVMConstIntGetZExtValue(v) : 0;
    *hash = text ? ww_hash(text, strlen(text), *hash)
                 : ww_hash(&number, sizeof number, *hash);
  }
  *hash |= 1; /* 0 is none */
}

/* LLVM function -> hash of what is said of it. */
static ww_map annotations_of(LLVMModuleRef m, ww_arena *a) {
  ww_map of = {0};
  low_nodes all = low_named_nodes(a, m, "nvvm.annotations");
  for (unsigned i = 0; i < all.n; i++) {
    low_nodes op = low_operands(a, all.v[i]);
    if (op.n && op.v[0] && LLVMIsAFunction(op.v[0]))
      add_annotation(&of, a, op);
  }
  return of;
}

bool low_fresh(LLVMModuleRef m, ww_arena *a) {
  ww_map of = annotations_of(m, a);
  bool fresh = true;
  pthread_mutex_lock(&memory.lock);
  for (LLVMValueRef f = LLVMGetFirstFunction(m); fresh && f;
       f = LLVMGetNextFunction(f)) {
    const uint32_t *seen = ww_map_find(&memory.seen, key_of(m, f));
    fresh = !seen || *seen == low_map_get(&of, f, 0);
  }
  for (LLVMValueRef f = LLVMGetFirstFunction(m); fresh && f; f = LLVMGetNextFunction(f))
    if (low_map_get(&of, f, 0))
      *ww_map_at(&memory.seen, NULL, key_of(m, f), NULL) = low_map_get(&of, f, 0);
  pthread_mutex_unlock(&memory.lock);
  return fresh;
}
