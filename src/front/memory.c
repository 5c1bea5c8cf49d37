/* memory.c - LLVM without memory ends the program as our own allocator does: a message
 * and an exit code, no core dump.
 *
 * LLVM's C interface has no such hook; those of C++ are looked up by their names. Where
 * they are not, LLVM aborts. */
#include <dlfcn.h>

#include "isolate.h"

#define NEW_HANDLER "_ZSt15set_new_handlerPFvvE" /* std::set_new_handler */
/* llvm::install_bad_alloc_error_handler */
#define LLVM_HANDLER "_ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_"

static void on_new(void) {
  ww_out_of_memory(0);
}

static void on_llvm(void *ctx, const char *why, bool crash) {
  (void)ctx;
  (void)why;
  (void)crash;
  ww_out_of_memory(0);
}

void ww_front_out_of_memory(void) {
  void (*(*set_new)(void (*)(void)))(void);
  void (*set_llvm)(void (*)(void *, const char *, bool), void *);
  *(void **)&set_new = dlsym(RTLD_DEFAULT, NEW_HANDLER);
  *(void **)&set_llvm = dlsym(RTLD_DEFAULT, LLVM_HANDLER);
  if (set_new)
    set_new(on_new);
  if (set_llvm)
    set_llvm(on_llvm, NULL);
}
