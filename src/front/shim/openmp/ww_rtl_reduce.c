/* Reductions. Clang emits, per reduction, functions that combine a record of values with another lane's (shuffle), gather the
 * warps' results in warp 0 through shared memory (copy), and move records to and from a buffer of one slot per team. */

typedef void (*shuffle_fn)(void *values, int16_t lane, int16_t offset, int16_t algorithm);
typedef void (*copy_fn)(void *values, int32_t warps);
typedef void (*buffer_fn)(void *buffer, int slot, void *values);

INLINE void reduce_full_warp(void *values, shuffle_fn shuffle) {
  for (uint32_t offset = WARP / 2; offset > 0; offset /= 2) shuffle(values, 0, offset, 0);
}
/* The first n lanes, n at most 32. */
INLINE void reduce_part_warp(void *values, shuffle_fn shuffle, uint32_t n, uint32_t lane) {
  for (uint32_t offset = n / 2; offset > 0; offset = n / 2) {
    shuffle(values, lane, offset, 1);
    n = (n + 1) / 2;
  }
}
/* Thread 0 ends with the result of all n threads of the region. */
INLINE void reduce_region(void *values, shuffle_fn shuffle, copy_fn copy, uint32_t n) {
  uint32_t me = thread_id(), warps = (n + WARP - 1) / WARP;
  if (n % WARP == 0 || me / WARP < warps - 1) reduce_full_warp(values, shuffle);
  else reduce_part_warp(values, shuffle, n % WARP, me % WARP);
  if (n <= WARP) return;
  copy(values, warps);
  if (me < WARP) reduce_part_warp(values, shuffle, warps, me);
}

/* 1 in the thread that holds the team's result. */
API int32_t __kmpc_nvptx_parallel_reduce_nowait_v2(ident *loc, uint64_t bytes, void *values, shuffle_fn shuffle, copy_fn copy) {
  uint32_t n = team_size();
  if (n == 1) return 1;
  reduce_region(values, shuffle, copy, n);
  return thread_id() == 0;
}

/* Across teams: each team leaves its record in the buffer; the last one to do so combines the slots. The counter is back at
 * 0 when the kernel ends. Teams beyond the number of slots add to a slot under a lock. */
enum { BUFFER_BYTES = 1 << 18 };
static __attribute__((address_space(1), aligned(16))) char reduction_buffer[BUFFER_BYTES];
static __attribute__((address_space(1))) uint32_t teams_done, buffer_lock;
static SHARED bool last_team;

void *__kmpc_reduction_get_fixed_buffer(void) { return (void *)reduction_buffer; }

API int32_t __kmpc_nvptx_teams_reduce_nowait_v2(ident *loc, void *buffer, uint32_t slots, uint64_t bytes, void *values,
                                                                                shuffle_fn shuffle, copy_fn copy, buffer_fn put, buffer_fn add_to,
                                                                                buffer_fn get, buffer_fn add_from) {
  bool spmd = is_spmd();
  uint32_t me = spmd ? thread_id() : 0, n = spmd ? team_size() : 1, teams = team_count();
  if (!spmd && thread_id() != main_thread()) return 0;
  if ((uint64_t)slots * bytes > BUFFER_BYTES) slots = BUFFER_BYTES / bytes;
  if (me == 0) {
    uint32_t slot = team_id() % slots;
    if (teams <= slots) put(buffer, slot, values);
    else {
      omp_set_lock((uint32_t *)&buffer_lock);
      if (*(uint32_t *)&teams_done < slots) put(buffer, slot = *(uint32_t *)&teams_done, values);
      else add_to(buffer, slot, values);
    }
    __nvvm_membar_gl();
    last_team = (uint32_t)__nvvm_atom_add_gen_i((int *)&teams_done, 1) == teams - 1;
    if (teams > slots) omp_unset_lock((uint32_t *)&buffer_lock);
  }
  if (spmd) region_barrier();
  if (!last_team) return 0;

  uint32_t records = teams < slots ? teams : slots;
  if (n > records) n = records;
  if (me < n) get(buffer, me, values);
  for (uint32_t i = me + n; me < n && i < records; i += n) add_from(buffer, i, values);
  if (n > 1) reduce_region(values, shuffle, copy, n);
  if (me != 0) return 0;
  *(uint32_t *)&teams_done = 0;
  return 1;
}
