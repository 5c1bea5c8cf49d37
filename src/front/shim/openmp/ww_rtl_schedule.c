/* Loop schedules. Static ones give each thread (or team) its first chunk and the stride to the next; dynamic ones hand out
 * chunks from a counter of the team. */

enum { STATIC_CHUNK = 33, STATIC = 34, DYNAMIC = 35, GUIDED = 36, STATIC_BALANCED = 45, DISTRIBUTE_CHUNK = 91, DISTRIBUTE = 92, DISTRIBUTE_FOR = 93 };
#define PLAIN(schedule) ((schedule) & ~(3 << 29)) /* without the monotonic and nonmonotonic bits */

/* Who of how many shares the iterations; chunk 0: one contiguous piece each. Bounds are inclusive. */
#define STATIC_FOR(T, S, name)                                                                                         \
  INLINE void share_##name(T *lower, T *upper, S *stride, int32_t *last, S chunk, uint32_t who, uint32_t many) {       \
    T lb = *lower, ub = *upper, n = ub - lb + 1;                                                                       \
    if (chunk > 0) {                                                                                                   \
      T first = lb + (T)who * (T)chunk, end = first + (T)chunk - 1;                                                    \
      *stride = (S)((T)chunk * many);                                                                                  \
      *last = (n - 1) / (T)chunk % many == who;                                                                        \
      *lower = first;                                                                                                  \
      *upper = end > ub ? ub : end;                                                                                    \
      return;                                                                                                          \
    }                                                                                                                  \
    T size = n / many, left = n % many;                                                                                \
    T first = lb + who * size + ((T)who < left ? (T)who : left);                                                             \
    if ((T)who < left) size++;                                                                                            \
    *stride = (S)n;                                                                                                    \
    *last = first <= ub && first + size - 1 == ub;                                                                     \
    *lower = first;                                                                                                    \
    *upper = first + size - 1;                                                                                         \
  }                                                                                                                    \
  API void __kmpc_for_static_init_##name(ident *loc, int32_t tid, int32_t schedule, int32_t *last, T *lower, T *upper, S *stride, S incr, S chunk) { \
    uint32_t me = team_thread(), n = team_size();                                                                      \
    switch (PLAIN(schedule)) {                                                                                         \
    case STATIC_CHUNK: share_##name(lower, upper, stride, last, chunk, me, n); break;                                  \
    case STATIC_BALANCED: {                                                                                            \
      T size = (*upper - *lower + n) / n;                                                                              \
      if (chunk > 0) size = (size + chunk - 1) / chunk * chunk;                                                        \
      share_##name(lower, upper, stride, last, (S)size, me, n);                                                        \
      break;                                                                                                           \
    }                                                                                                                  \
    case DISTRIBUTE_CHUNK: share_##name(lower, upper, stride, last, chunk, team_id(), team_count()); break;            \
    case DISTRIBUTE: share_##name(lower, upper, stride, last, 0, team_id(), team_count()); break;                      \
    case DISTRIBUTE_FOR: share_##name(lower, upper, stride, last, chunk, team_id() * n + me, team_count() * n); break; \
    default: share_##name(lower, upper, stride, last, 0, me, n);                                                       \
    }                                                                                                                  \
  }                                                                                                                    \
  API void __kmpc_distribute_static_init_##name(ident *loc, int32_t tid, int32_t schedule, int32_t *last, T *lower, T *upper, S *stride, S incr, S chunk) { \
    bool chunked = PLAIN(schedule) == DISTRIBUTE_CHUNK || PLAIN(schedule) == STATIC_CHUNK;                             \
    share_##name(lower, upper, stride, last, chunked ? chunk : 0, team_id(), team_count());                            \
  }
STATIC_FOR(int32_t, int32_t, 4)
STATIC_FOR(uint32_t, int32_t, 4u)
STATIC_FOR(int64_t, int64_t, 8)
STATIC_FOR(uint64_t, int64_t, 8u)
#undef STATIC_FOR
API void __kmpc_for_static_fini(ident *loc, int32_t tid) {}
API void __kmpc_distribute_static_fini(ident *loc, int32_t tid) {}

/* Dynamic loops of the team: iterations numbered from 0, handed out by `next`. A thread in a serialised region has the whole
 * loop to itself; it is given out as one chunk, remembered per thread. */
typedef struct {
  int64_t next, count, lower, stride;
  uint64_t chunk;
  bool guided;
} dispatch_state;
static SHARED dispatch_state loop;
static SHARED int64_t serial_lower[MAX_THREADS], serial_upper[MAX_THREADS];

INLINE void dispatch_init(int32_t schedule, int64_t lb, int64_t ub, int64_t stride, int64_t chunk, uint64_t count) {
  if (!in_parallel()) {
    serial_lower[thread_id()] = lb;
    serial_upper[thread_id()] = ub;
    return;
  }
  region_barrier(); /* the previous loop is over for everybody */
  if (team_thread() == 0) {
    int32_t kind = PLAIN(schedule);
    loop = (dispatch_state){.next = 0, .count = (int64_t)count, .lower = lb, .stride = stride, .chunk = chunk > 0 ? chunk : 1, .guided = kind == GUIDED};
    if (kind == STATIC || (kind != DYNAMIC && kind != GUIDED && chunk <= 0)) loop.chunk = (count + team.size - 1) / team.size;
    if (loop.chunk == 0) loop.chunk = 1;
  }
  region_barrier();
}
/* The next chunk as inclusive bounds; false when there is none. */
INLINE bool dispatch_next(int32_t *last, int64_t *lower, int64_t *upper, int64_t *stride) {
  if (!in_parallel()) {
    int64_t lb = serial_lower[thread_id()], ub = serial_upper[thread_id()];
    serial_lower[thread_id()] = 1;
    serial_upper[thread_id()] = 0;
    *lower = lb, *upper = ub, *stride = 1, *last = 1;
    return lb <= ub;
  }
  int64_t *next = (int64_t *)&loop.next, size = loop.chunk, first;
  if (loop.guided) {
    first = __atomic_load_n(next, __ATOMIC_RELAXED);
    do {
      int64_t left = loop.count - first, part = left / (2 * (int64_t)team.size);
      if (left <= 0) return false;
      size = part > (int64_t)loop.chunk ? part : (int64_t)loop.chunk;
    } while (!__atomic_compare_exchange_n(next, &first, first + size, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
  } else first = __atomic_fetch_add(next, size, __ATOMIC_RELAXED);
  if (first >= loop.count) return false;
  int64_t end = first + size < loop.count ? first + size : loop.count;
  *lower = loop.lower + first * loop.stride;
  *upper = loop.lower + (end - 1) * loop.stride;
  *stride = loop.stride;
  *last = end == loop.count;
  return true;
}
#define DISPATCH(T, S, name)                                                                                           \
  void __kmpc_dispatch_init_##name(ident *loc, int32_t tid, int32_t schedule, T lb, T ub, S stride, S chunk) {    \
    uint64_t count = lb > ub ? 0 : ((uint64_t)ub - (uint64_t)lb) / (stride ? (uint64_t)stride : 1) + 1;                \
    dispatch_init(schedule, (int64_t)lb, (int64_t)ub, stride, chunk, count);                                           \
  }                                                                                                                    \
  int32_t __kmpc_dispatch_next_##name(ident *loc, int32_t tid, int32_t *last, T *lower, T *upper, S *stride) {    \
    int64_t lb, ub, st;                                                                                                \
    int32_t is_last;                                                                                                   \
    if (!dispatch_next(&is_last, &lb, &ub, &st)) return 0;                                                             \
    *lower = (T)lb, *upper = (T)ub, *stride = (S)st, *last = is_last;                                                  \
    return 1;                                                                                                          \
  }                                                                                                                    \
  void __kmpc_dispatch_fini_##name(ident *loc, int32_t tid) {}
DISPATCH(int32_t, int32_t, 4)
DISPATCH(uint32_t, int32_t, 4u)
DISPATCH(int64_t, int64_t, 8)
DISPATCH(uint64_t, int64_t, 8u)
#undef DISPATCH
void __kmpc_dispatch_deinit(ident *loc, int32_t tid) {}
