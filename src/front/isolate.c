/* isolate.c - where LLVM runs: in this process, in children forked from it, or in this
 * program called again. */
#include "isolate.h"

#include <pthread.h>

static const char *self;

static bool forks;
static uint64_t fork_bytes;
static pthread_mutex_t llvm = PTHREAD_MUTEX_INITIALIZER;

void ww_isolate_by(const char *program) {
  self = program;
}
const char *ww_isolate_program(void) {
  return self;
}
bool ww_isolated(void) {
  return self || forks;
}

void ww_isolate_enter(void) {
  pthread_mutex_lock(&llvm);
}
void ww_isolate_leave(void) {
  pthread_mutex_unlock(&llvm);
}

void ww_isolate_fork(uint64_t bytes) {
  if (!forks)
    pthread_atfork(ww_isolate_enter, ww_isolate_leave, ww_isolate_leave);
  forks = true;
  fork_bytes = bytes;
}

/* LLVM needs nothing but the bitcode, which it did not ask the author of. */
ww_child ww_isolate_child(double deadline) {
  return (ww_child){.deadline = deadline, .bytes = fork_bytes, .confined = true};
}
