/* count.c - nanoseconds per event of the counting observer, by kind of access: the budget is a warp instruction's 33 ns.
 * bench/count.sh builds and runs it. */
#include "../src/trace/count.h"

#include <time.h>

static const char text[] =
    "fn $k kernel {\n  param %p i64\n@a:\n  %x = ld.global f32 [%p]\n  st.global f32 [%p], %x\n  ret\n}\n";

static uint64_t addr[64];
static uint32_t seed = 1;

static double now(void) { /* processor time: other work on the machine does not count */
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t next_random(void) { return (seed = seed * 1664525 + 1013904223) >> 8; }

static void fill(int how, uint64_t base) {
  for (uint32_t l = 0; l < 32; l++) switch (how) {
    case 0: addr[l] = base; break;
    case 1: addr[l] = base + 4 * l; break;
    case 2: addr[l] = base + 1024 * l; break;
    case 3: addr[l] = base + 4 * l + 64 * (l / 7); break;
    default: addr[l] = base + next_random() % (1 << 20) * 4;
    }
}

int main(void) {
  static const struct {
    const char *name;
    int how, pattern, space, bytes;
    ww_mask lanes;
  } cases[] = {
      {"global uniform", 0, WW_PATTERN_SAME, WW_GLOBAL, 4, 0xffffffff},
      {"global contiguous", 1, WW_PATTERN_CONTIG, WW_GLOBAL, 4, 0xffffffff},
      {"global strided", 2, WW_PATTERN_ANY, WW_GLOBAL, 4, 0xffffffff},
      {"global ascending", 3, WW_PATTERN_ANY, WW_GLOBAL, 4, 0xffffffff},
      {"global random", 4, WW_PATTERN_ANY, WW_GLOBAL, 4, 0xffffffff},
      {"global, half the lanes", 1, WW_PATTERN_ANY, WW_GLOBAL, 4, 0x55555555},
      {"shared contiguous", 1, WW_PATTERN_CONTIG, WW_SHARED, 4, 0xffffffff},
      {"shared strided", 2, WW_PATTERN_ANY, WW_SHARED, 4, 0xffffffff},
      {"shared random", 4, WW_PATTERN_ANY, WW_SHARED, 4, 0xffffffff},
  };
  ww_arena *a = ww_arena_new();
  ww_module m;
  ww_err e = {0};
  if (ww_ir_parse(text, a, &m, &e)) return fprintf(stderr, "%s\n", e.msg), 1;
  ww_memory *mem = ww_memory_new(1);
  uint64_t base = ww_memory_add(mem, "x", WW_GLOBAL, 64 << 20)->base;
  ww_counter *c = ww_counter_new(&m, mem, 32);
  ww_observer o = ww_counter_observer(c);
  const long n = 3000000;
  double t = now();
  for (long k = 0; k < n; k++) o.block(o.ctx, (ww_warp_id){(uint64_t)k, 1}, m.fns, 0, 0xffffffff, 1);
  printf("%-24s %6.1f ns\n", "block", (now() - t) / (double)n * 1e9);
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    ww_access x = {.fn = m.fns,
                   .ins = m.fns[0].blocks[0].ins,
                   .space = (uint8_t)cases[k].space,
                   .bytes = (uint8_t)cases[k].bytes,
                   .pattern = (uint8_t)cases[k].pattern,
                   .lanes = cases[k].lanes,
                   .addr = addr,
                   .weight = 1};
    fill(cases[k].how, cases[k].space == WW_SHARED ? WW_SHARED_BASE : base);
    t = now();
    for (long r = 0; r < n; r++) o.access(o.ctx, &x);
    printf("%-24s %6.1f ns\n", cases[k].name, (now() - t) / (double)n * 1e9);
  }
  ww_counter_free(c);
  ww_memory_free(mem);
  ww_arena_free(a);
  return 0;
}
