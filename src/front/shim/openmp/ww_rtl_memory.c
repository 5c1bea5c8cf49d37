/* Memory that threads of a team share although their source declares it local, and device allocation. */

void *malloc(size_t);
void free(void *);
int vprintf(const char *, void *);

/* The main thread of a generic kernel takes what its workers will see from a stack in shared memory; whatever does not fit, and
 * any other thread's request, comes from the device heap. Frees come in reverse order, as clang emits them. */
enum { STACK_BYTES = 2048 };
static SHARED __attribute__((aligned(16))) char stack[STACK_BYTES];

INLINE bool owns_stack(void) { return !is_spmd() && thread_id() == main_thread(); }
KEEP void *__kmpc_alloc_shared(uint64_t bytes) {
  if (!owns_stack()) return malloc(bytes);
  uint32_t size = (bytes + 15) & ~15ull, at = team.stack_used;
  if (size > STACK_BYTES - at) return malloc(bytes);
  team.stack_used = at + size;
  return (void *)(stack + at);
}
KEEP void __kmpc_free_shared(void *p, uint64_t bytes) {
  uint32_t size = (bytes + 15) & ~15ull;
  char *base = (char *)stack;
  if ((char *)p >= base && (char *)p < base + STACK_BYTES) team.stack_used -= size;
  else free(p);
}
void *omp_alloc(size_t bytes, uintptr_t allocator) { return malloc(bytes); }
void omp_free(void *p, uintptr_t allocator) { free(p); }

/* printf: clang packs the arguments. */
int32_t __llvm_omp_vprintf(const char *format, void *args, uint32_t bytes) { return vprintf(format, args); }
