/* Tasks run at once, in the thread that creates them. */

typedef struct {
  void *shareds;
  int32_t (*entry)(int32_t, void *);
  int32_t part;
} task;

/* A task descriptor, followed by the variables it shares. */
task *__kmpc_omp_task_alloc(ident *loc, int32_t tid, int32_t flags, size_t task_bytes, size_t shareds_bytes, void *entry) {
  size_t size = (task_bytes + 15) & ~(size_t)15;
  task *t = malloc(size + shareds_bytes);
  t->shareds = shareds_bytes ? (char *)t + size : NULL;
  t->entry = (int32_t (*)(int32_t, void *))entry;
  return t;
}
int32_t __kmpc_omp_task(ident *loc, int32_t tid, task *t) {
  t->entry(0, t);
  free(t);
  return 0;
}
int32_t __kmpc_omp_task_with_deps(ident *loc, int32_t tid, task *t, int32_t n, void *deps, int32_t m, void *weak) { return __kmpc_omp_task(loc, tid, t); }
void __kmpc_omp_task_begin_if0(ident *loc, int32_t tid, task *t) {}
void __kmpc_omp_task_complete_if0(ident *loc, int32_t tid, task *t) { free(t); }
void __kmpc_omp_wait_deps(ident *loc, int32_t tid, int32_t n, void *deps, int32_t m, void *weak) {}
void __kmpc_taskgroup(ident *loc, int32_t tid) {}
void __kmpc_end_taskgroup(ident *loc, int32_t tid) {}
int32_t __kmpc_omp_taskwait(ident *loc, int32_t tid) { return 0; }
int32_t __kmpc_omp_taskyield(ident *loc, int32_t tid, int end) { return 0; }
/* The whole loop as one task: its bounds are already in the descriptor. */
void __kmpc_taskloop(ident *loc, uint32_t tid, task *t, int32_t if_clause, uint64_t *lb, uint64_t *ub, int64_t stride, int32_t nogroup, int32_t schedule, uint64_t grain, void *duplicate) {
  __kmpc_omp_task(loc, tid, t);
}
