/* sanitized_fork.c - linked into the program of the sanitizers' build: fork() beside
 * other threads.
 *
 * glibc holds its allocator's locks over a fork, AddressSanitizer's allocator before
 * LLVM 18 (so that of every gcc up to 14) does not: a child forked while another thread
 * allocates waits for ever. Here they are held, by the runtime's own functions; a
 * runtime that has none of them does it itself. They are reached in a static runtime
 * alone: -static-libasan. */
#include <pthread.h>

#define RUNTIME(name, symbol) __attribute__((weak)) void name(void) __asm__(symbol)
RUNTIME(lock_threads, "_ZN6__lsan18LockThreadRegistryEv"); /* gcc 12 */
RUNTIME(unlock_threads, "_ZN6__lsan20UnlockThreadRegistryEv");
RUNTIME(lock_threads_14, "_ZN6__lsan11LockThreadsEv"); /* gcc 14 */
RUNTIME(unlock_threads_14, "_ZN6__lsan13UnlockThreadsEv");
RUNTIME(lock_allocator, "_ZN6__lsan13LockAllocatorEv");
RUNTIME(unlock_allocator, "_ZN6__lsan15UnlockAllocatorEv");
RUNTIME(lock_stacks, "_ZN11__sanitizer17StackDepotLockAllEv");
RUNTIME(unlock_stacks, "_ZN11__sanitizer19StackDepotUnlockAllEv");

static void call(void (*f)(void)) {
  if (f)
    f();
}

static void before(void) {
  call(lock_threads);
  call(lock_threads_14);
  call(lock_allocator);
  call(lock_stacks);
}

static void after(void) {
  call(unlock_stacks);
  call(unlock_allocator);
  call(unlock_threads_14);
  call(unlock_threads);
}

__attribute__((constructor)) static void watch_forks(void) {
  pthread_atfork(before, after, after);
}
