/* Synchronisation: barriers, fences, critical sections, locks, single, masked, warp functions. */

API void __kmpc_barrier(ident *loc, int32_t tid) { region_barrier(); }
int32_t __kmpc_cancel_barrier(ident *loc, int32_t tid) { region_barrier(); return 0; }
int32_t __kmpc_cancel(ident *loc, int32_t tid, int32_t kind) { return 0; }
int32_t __kmpc_cancellationpoint(ident *loc, int32_t tid, int32_t kind) { return 0; }
void __kmpc_flush(ident *loc) { __nvvm_membar_gl(); }
void __kmpc_flush_acquire(ident *loc) { __nvvm_membar_gl(); }
void __kmpc_flush_release(ident *loc) { __nvvm_membar_gl(); }
void __kmpc_flush_acqrel(ident *loc) { __nvvm_membar_gl(); }
void __kmpc_syncwarp(uint64_t mask) { __nvvm_bar_warp_sync((uint32_t)mask); }

/* delta lanes down, inside segments of `size` lanes */
INLINE int32_t shuffle_down(int32_t v, int16_t delta, int16_t size) {
  return __nvvm_shfl_sync_down_i32(ALL_LANES, v, delta, (WARP - size) << 8 | (WARP - 1));
}
API int32_t __kmpc_shuffle_int32(int32_t v, int16_t delta, int16_t size) { return shuffle_down(v, delta, size); }
API int64_t __kmpc_shuffle_int64(int64_t v, int16_t delta, int16_t size) {
  uint32_t lo = shuffle_down((int32_t)v, delta, size), hi = shuffle_down((int32_t)(v >> 32), delta, size);
  return (int64_t)((uint64_t)hi << 32 | lo);
}

/* One thread of the region; all of them where there is one. */
int32_t __kmpc_master(ident *loc, int32_t tid) { return team_thread() == 0; }
void __kmpc_end_master(ident *loc, int32_t tid) {}
int32_t __kmpc_masked(ident *loc, int32_t tid, int32_t filter) { return (int32_t)team_thread() == filter; }
void __kmpc_end_masked(ident *loc, int32_t tid) {}
int32_t __kmpc_single(ident *loc, int32_t tid) { return team_thread() == 0; }
void __kmpc_end_single(ident *loc, int32_t tid) {}
void __kmpc_ordered(ident *loc, int32_t tid) {}
void __kmpc_end_ordered(ident *loc, int32_t tid) {}

/* Locks: a word, 0 free. Clang lets the lanes of a warp enter a critical section one after the other, so a lane never
 * waits for another lane of its own warp there. */
void omp_init_lock(uint32_t *lock) { __atomic_store_n(lock, 0, __ATOMIC_RELAXED); }
void omp_destroy_lock(uint32_t *lock) {}
int omp_test_lock(uint32_t *lock) { return __nvvm_atom_xchg_gen_i((int *)lock, 1) == 0; }
void omp_set_lock(uint32_t *lock) {
  while (!omp_test_lock(lock)) {}
  __nvvm_membar_gl();
}
void omp_unset_lock(uint32_t *lock) {
  __nvvm_membar_gl();
  __nvvm_atom_xchg_gen_i((int *)lock, 0);
}
void __kmpc_critical(ident *loc, int32_t tid, uint32_t *name) { omp_set_lock(name); }
void __kmpc_critical_with_hint(ident *loc, int32_t tid, uint32_t *name, uint32_t hint) { omp_set_lock(name); }
void __kmpc_end_critical(ident *loc, int32_t tid, uint32_t *name) { omp_unset_lock(name); }
