/* probe_memory.c - single accesses of one warp on the real device, to hold the rules of
 * src/trace/coalesce.c against its counters.
 *
 *   probe_memory PROBES.cubin     launches them all
 *   probe_memory --list           what they are, in order, and what we count; needs no
 * device
 *
 * Each launch is one access of probes.cu: a space, a direction, a width and a pattern
 * of lane addresses. Its line in the list is `SPACE_DIRECTION_WIDTH PATTERN UNITS`,
 * where UNITS are bank passes for shared memory and sectors for global. */
#include "../../src/trace/count_int.h"
#include "driver.h"

#include <stdlib.h>

#define SPAN (32u << 10) /* bytes the lanes may touch */

typedef struct {
  uint32_t at[32], mask, never;
} lanes; /* as in probes.cu */

typedef struct {
  const char *name;
  uint32_t (*slot)(uint32_t lane, uint32_t seed); /* in units of the access width */
  uint32_t seed, mask;
} pattern;

static uint32_t stride(uint32_t l, uint32_t by) {
  return l * by;
}
static uint32_t share(uint32_t l, uint32_t by) {
  return l / by;
}
static uint32_t wrap(uint32_t l, uint32_t by) {
  return l % by;
}
static uint32_t backward(uint32_t l, uint32_t from) {
  return from - l;
}
static uint32_t swap(uint32_t l, uint32_t bits) {
  return l ^ bits;
}
static uint32_t shifted(uint32_t l, uint32_t by) {
  return l + by;
}
/* Quarter q of the warp: words of its own, far apart, the same bank. */
static uint32_t quarters(uint32_t l, uint32_t by) {
  return l / 8 * by + l % 8;
}
static uint32_t halves(uint32_t l, uint32_t by) {
  return l / 16 * by + l % 16;
}
/* Even lanes share one word, odd lanes go their own way. */
static uint32_t mixed(uint32_t l, uint32_t by) {
  return l & 1 ? l * by : 0;
}

/* For the joining of wide loads: lanes i and i^1, or i and i^2, at one place; in parts
 * of the warp or throughout. */
static uint32_t pairs2(uint32_t l, uint32_t unused) {
  (void)unused;
  return l / 4 * 2 + (l & 1);
}
static uint32_t low_pairs(uint32_t l, uint32_t unused) {
  (void)unused;
  return l < 16 ? l / 2 : l;
}
static uint32_t low_pairs_high_pairs2(uint32_t l, uint32_t by) {
  return l < 16 ? l / 2 : pairs2(l, by);
}
static uint32_t quads_of_both(uint32_t l, uint32_t unused) {
  (void)unused;
  return l / 4 * 2 + (l & 4 ? l & 1 : l >> 1 & 1);
}
static uint32_t pairs_but_one(uint32_t l, uint32_t by) {
  return l == by ? 40 : l / 2;
}

static uint32_t scatter(uint32_t l,
                        uint32_t seed) { /* seed: log2 of the range * 16 + which */
  uint64_t h = (seed * 64ull + l + 1) * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
  return (uint32_t)(h >> 40) & ((1u << (seed >> 4)) - 1);
}

static uint32_t random_pairs(uint32_t l, uint32_t seed) {
  return scatter(l / 2, seed);
}
static uint32_t random_pairs2(uint32_t l, uint32_t seed) {
  return scatter(l & ~2u, seed);
}
static uint32_t random_fours(uint32_t l, uint32_t seed) {
  return scatter(l & ~5u, seed);
} /* i^1 and i^4 */

#define ALL 0xffffffffu
static const pattern patterns[] = {
    {"same", share, 32, ALL},
    {"contiguous", stride, 1, ALL},
    {"stride2", stride, 2, ALL},
    {"stride3", stride, 3, ALL},
    {"stride4", stride, 4, ALL},
    {"stride5", stride, 5, ALL},
    {"stride8", stride, 8, ALL},
    {"stride16", stride, 16, ALL},
    {"stride32", stride, 32, ALL},
    {"stride33", stride, 33, ALL},
    {"reverse", backward, 31, ALL},
    {"shift1", shifted, 1, ALL},
    {"pairs", share, 2, ALL},
    {"fours", share, 4, ALL},
    {"eights", share, 8, ALL},
    {"halves_two", share, 16, ALL},
    {"wrap2", wrap, 2, ALL},
    {"wrap4", wrap, 4, ALL},
    {"wrap8", wrap, 8, ALL},
    {"wrap16", wrap, 16, ALL},
    {"swap1", swap, 1, ALL},
    {"swap9", swap, 9, ALL},
    {"swap24", swap, 24, ALL},
    {"quarters32", quarters, 32, ALL},
    {"quarters4", quarters, 4, ALL},
    {"quarters12", quarters, 12, ALL},
    {"halves64", halves, 64, ALL},
    {"halves8", halves, 8, ALL},
    {"mixed1", mixed, 1, ALL},
    {"mixed32", mixed, 32, ALL},
    {"random5a", scatter, 0x50, ALL},
    {"random5b", scatter, 0x51, ALL},
    {"random6a", scatter, 0x60, ALL},
    {"random6b", scatter, 0x61, ALL},
    {"random8a", scatter, 0x80, ALL},
    {"random8b", scatter, 0x81, ALL},
    {"random11a", scatter, 0xb0, ALL},
    {"random11b", scatter, 0xb1, ALL},
    {"random3", scatter, 0x30, ALL},
    {"one_lane", stride, 1, 0x100},
    {"low_half", stride, 1, 0xffff},
    {"high_half", stride, 1, 0xffff0000},
    {"even", stride, 1, 0x55555555},
    {"quarter", stride, 1, 0xff00},
    {"fourth", stride, 1, 0x11111111},
    {"eighth", stride, 1, 0x01010101},
    {"even2", stride, 2, 0x55555555},
    {"even32", stride, 32, 0x55555555},
    {"random8m", scatter, 0x82, 0x0ff0f00f},
};

/* For 8- and 16-byte accesses of shared memory (when are two phases served as one?) and
 * global atomics. */
static const pattern wide_patterns[] = {
    {"pairs2", pairs2, 0, ALL},
    {"low_pairs", low_pairs, 0, ALL},
    {"low_high", low_pairs_high_pairs2, 0, ALL},
    {"quads", quads_of_both, 0, ALL},
    {"but_31", pairs_but_one, 31, ALL},
    {"but_3", pairs_but_one, 3, ALL},
    {"half_even", share, 2, 0x55555555},
    {"quarter_4th", share, 4, 0x11111111},
    {"pairs2_m", pairs2, 0, 0x33333333},
    {"eights_m", quarters, 4, 0x0f0f0f0f},
    {"holes", share, 2, 0xdeadbeef},
    {"low_holes", low_pairs, 0, 0x5555b7d5},
    {"but_31m", pairs_but_one, 31, 0xbfffffff},
    {"rpairs5", random_pairs, 0x50, ALL},
    {"rpairs6", random_pairs, 0x60, ALL},
    {"rpairs8", random_pairs, 0x80, ALL},
    {"rpairs8m", random_pairs, 0x81, 0x7ebd3c9f},
    {"rpairs2_5", random_pairs2, 0x52, ALL},
    {"rpairs2_6", random_pairs2, 0x62, ALL},
    {"rpairs2_8", random_pairs2, 0x83, ALL},
    {"rpairs2_8m", random_pairs2, 0x84, 0x7ebd3c9f},
    {"rfours6", random_fours, 0x63, ALL},
    {"reven8", scatter, 0x85, 0x55555555},
    {"r33_8", scatter, 0x86, 0x33333333},
    {"rc3_8", scatter, 0x87, 0xa5c33c5a},
    {"rlow", scatter, 0x88, 0x5555ffff},
};

static const char *const kinds[] = {"shared_ld", "shared_st", "global_ld", "global_st"};
static const char *const atomics[] = {"shared_atom", "shared_red", "global_atom",
                                      "global_red"};

static void place(lanes *l, const pattern *p, uint32_t width) {
  l->mask = p->mask;
  for (uint32_t i = 0; i < 32; i++)
    l->at[i] = p->slot(i, p->seed) * width % SPAN;
}

/* Atomics are no sectors or passes of ours; the rules that hold for them, for when a
 * model needs them: a global one takes each sector as often as the most lanes meet at
 * one of its words, a shared one takes as many passes as the fullest bank has lanes. */
static uint32_t atomic_units(const lanes *l, bool shared) {
  uint32_t sum = 0, most = 0, by_bank[32] = {0}, by_word[SPAN / 4] = {0};
  for (uint32_t i = 0; i < 32; i++)
    if (l->mask >> i & 1) {
      by_bank[l->at[i] / 4 % 32]++;
      by_word[l->at[i] / 4]++;
    }
  for (uint32_t b = 0; b < 32; b++)
    most = by_bank[b] > most ? by_bank[b] : most;
  for (uint32_t s = 0; s < SPAN / 32; s++) {
    uint32_t times = 0;
    for (uint32_t w = 8 * s; w < 8 * s + 8; w++)
      times = by_word[w] > times ? by_word[w] : times;
    sum += times;
  }
  return shared ? most : sum;
}

/* What src/trace counts for it, by the general path: no pattern is told. */
static uint32_t units(const lanes *l, uint32_t width, const char *kind) {
  uint64_t addr[32];
  bool shared = kind[0] == 's';
  if (strstr(kind, "_atom") || strstr(kind, "_red"))
    return atomic_units(l, shared);
  for (uint32_t i = 0; i < 32; i++)
    addr[i] = WW_SHARED_BASE + l->at[i];
  ww_access a = {.kind = strstr(kind, "_ld") ? WW_ACCESS_LOAD : WW_ACCESS_STORE,
                 .space = shared ? WW_SHARED : WW_GLOBAL,
                 .bytes = (uint8_t)width,
                 .lanes = l->mask,
                 .addr = addr};
  return shared ? ww_shared_passes(&a, NULL) : ww_coalesce(&a).sectors;
}

typedef struct {
  gpu_module module;
  gpu_ptr memory;
  FILE *list; /* NULL: launch */
} prober;

static bool probe(const prober *b, const char *kind, uint32_t width, const pattern *p) {
  char name[32];
  lanes l = {.never = 0x9e3779b9};
  gpu_kernel k;
  gpu_ptr memory = b->memory, out = memory + SPAN;
  void *params[] = {&l, &memory, &out};
  place(&l, p, width);
  snprintf(name, sizeof name, "%s_%u", kind, width);
  if (b->list)
    return fprintf(b->list, "%s %s %u\n", name, p->name, units(&l, width, kind)) > 0;
  return gpu_find(&k, b->module, name) &&
         gpu_launch(k, (uint64_t[]){1, 1, 1}, (uint64_t[]){32, 1, 1},
                    kind[0] == 's' ? SPAN : 0, params);
}

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool probe_all(const prober *b) {
  static const uint32_t widths[] = {1, 2, 4, 8, 16};
  bool ok = true;
  for (size_t p = 0; p < COUNT_OF(patterns); p++) {
    for (size_t k = 0; k < 4; k++)
      for (size_t w = 0; w < 5; w++)
        if (widths[w] != 2 || p % 8 == 1)
          ok = ok && probe(b, kinds[k], widths[w], &patterns[p]);
    for (size_t k = 0; k < 4 && p % 3 == 0; k++)
      ok = ok && probe(b, atomics[k], 4, &patterns[p]);
  }
  for (size_t p = 0; p < COUNT_OF(wide_patterns); p++) {
    for (size_t k = 0; k < 2; k++)
      for (size_t w = 3; w < 5; w++)
        ok = ok && probe(b, kinds[k], widths[w], &wide_patterns[p]);
    ok = ok && probe(b, "global_red", 4, &wide_patterns[p]);
  }
  return ok;
}

static bool on_device(const char *cubin) {
  prober b = {0};
  if (!gpu_open() || !gpu_load(&b.module, cubin) || !gpu_alloc(&b.memory, SPAN + 64))
    return false;
  void *zeros = ww_xmalloc(SPAN + 64);
  memset(zeros, 0, SPAN + 64);
  bool ok = gpu_put(b.memory, zeros, SPAN + 64) && probe_all(&b);
  free(zeros);
  gpu_free(b.memory);
  gpu_unload(b.module);
  return ok;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0)
    return !probe_all(&(prober){.list = stdout});
  if (argc == 2)
    return on_device(argv[1]) ? 0 : 4;
  fprintf(stderr, "usage: %s PROBES.cubin | --list\n", argv[0]);
  return 2;
}
