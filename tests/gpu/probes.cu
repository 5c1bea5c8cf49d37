// One warp, one access: lane t goes to at[t] of a table, lanes outside the mask stay away. The table is a parameter, so
// that nothing else reaches global or shared memory; what is loaded is stored only if it is a value that never comes.
typedef unsigned u32;
typedef unsigned long long u64;
struct lanes {
  u32 at[32], mask, never; // never: known at run time only, or narrow loads would be removed
};

extern __shared__ __align__(1024) char window[];
__device__ u32 shared_at(const lanes &l, const char *) { return (u32)__cvta_generic_to_shared(window) + l.at[threadIdx.x]; }
__device__ u64 global_at(const lanes &l, const char *memory) { return (u64)memory + l.at[threadIdx.x]; }

#define KERNEL(SPACE, OP, ...)                                                                                          \
  extern "C" __global__ void SPACE##_##OP(lanes l, char *memory, u32 *out) {                                            \
    if (!(l.mask >> threadIdx.x & 1)) return;                                                                           \
    auto p = SPACE##_at(l, memory);                                                                                     \
    u32 v = threadIdx.x, w = 0, x = 0, y = 0;                                                                           \
    asm volatile(__VA_ARGS__);                                                                                          \
    if ((v ^ w ^ x ^ y) == l.never) *out = v;                                                                             \
  }
#define PROBES(SPACE, P) /* P: constraint of an address */                                                              \
  KERNEL(SPACE, ld_1, "ld." #SPACE ".u8 %0, [%1];" : "=r"(v) : P(p))                                                    \
  KERNEL(SPACE, ld_2, "{.reg .u16 h; ld." #SPACE ".u16 h, [%1]; cvt.u32.u16 %0, h;}" : "=r"(v) : P(p))                  \
  KERNEL(SPACE, ld_4, "ld." #SPACE ".u32 %0, [%1];" : "=r"(v) : P(p))                                                   \
  KERNEL(SPACE, ld_8, "ld." #SPACE ".v2.u32 {%0,%1}, [%2];" : "=r"(v), "=r"(w) : P(p))                                  \
  KERNEL(SPACE, ld_16, "ld." #SPACE ".v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : P(p))         \
  KERNEL(SPACE, st_1, "st." #SPACE ".u8 [%0], %1;" ::P(p), "r"(v) : "memory")                                           \
  KERNEL(SPACE, st_2, "{.reg .u16 h; cvt.u16.u32 h, %1; st." #SPACE ".u16 [%0], h;}" ::P(p), "r"(v) : "memory")         \
  KERNEL(SPACE, st_4, "st." #SPACE ".u32 [%0], %1;" ::P(p), "r"(v) : "memory")                                          \
  KERNEL(SPACE, st_8, "st." #SPACE ".v2.u32 [%0], {%1,%2};" ::P(p), "r"(v), "r"(v) : "memory")                          \
  KERNEL(SPACE, st_16, "st." #SPACE ".v4.u32 [%0], {%1,%2,%3,%4};" ::P(p), "r"(v), "r"(v), "r"(v), "r"(v) : "memory")   \
  KERNEL(SPACE, atom_4, "atom." #SPACE ".add.u32 %0, [%1], %2;" : "=r"(v) : P(p), "r"(threadIdx.x) : "memory")          \
  KERNEL(SPACE, red_4, "red." #SPACE ".add.u32 [%0], %1;" ::P(p), "r"(threadIdx.x) : "memory")
PROBES(shared, "r")
PROBES(global, "l")
