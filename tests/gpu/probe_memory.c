/* probe_memory.c - single accesses of one warp on the real device, to hold the rules of src/trace/coalesce.c against
 * its counters.
 *
 *   probe_memory PROBES.cubin     launches them all
 *   probe_memory --list           what they are, in order, and what we count; needs no device
 *
 * Each launch is one access of probes.cu: a space, a direction, a width and a pattern of lane addresses. Its line in the
 * list is `SPACE_DIRECTION_WIDTH PATTERN UNITS`, where UNITS are bank passes for shared memory, sectors for global, the
 * most lanes at one address for shared atomics. */
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

static uint32_t stride(uint32_t l, uint32_t by) { return l * by; }
static uint32_t share(uint32_t l, uint32_t by) { return l / by; }
static uint32_t wrap(uint32_t l, uint32_t by) { return l % by; }
static uint32_t backward(uint32_t l, uint32_t from) { return from - l; }
static uint32_t swap(uint32_t l, uint32_t bits) { return l ^ bits; }
static uint32_t shifted(uint32_t l, uint32_t by) { return l + by; }
/* Quarter q of the warp: words of its own, far apart, the same bank. */
static uint32_t quarters(uint32_t l, uint32_t by) { return l / 8 * by + l % 8; }
static uint32_t halves(uint32_t l, uint32_t by) { return l / 16 * by + l % 16; }
/* Even lanes share one word, odd lanes go their own way. */
static uint32_t mixed(uint32_t l, uint32_t by) { return l & 1 ? l * by : 0; }

static uint32_t scatter(uint32_t l, uint32_t seed) { /* seed: log2 of the range * 16 + which */
  uint64_t h = (seed * 64ull + l + 1) * 0x9e3779b97f4a7c15ull;
  h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9ull;
  return (uint32_t)(h >> 40) & ((1u << (seed >> 4)) - 1);
}

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

static const char *const kinds[] = {"shared_ld", "shared_st", "global_ld", "global_st"};
static const char *const atomics[] = {"shared_atom", "shared_red", "global_atom", "global_red"};

static void place(lanes *l, const pattern *p, uint32_t width) {
  l->mask = p->mask;
  for (uint32_t i = 0; i < 32; i++) l->at[i] = p->slot(i, p->seed) * width % SPAN;
}

/* What src/trace counts for it, by the general path: no pattern is told. */
static uint32_t units(const lanes *l, uint32_t width, const char *kind) {
  uint64_t addr[32];
  for (uint32_t i = 0; i < 32; i++) addr[i] = WW_SHARED_BASE + l->at[i];
  ww_access a = {
      .space = kind[0] == 's' ? WW_SHARED : WW_GLOBAL, .bytes = (uint8_t)width, .lanes = l->mask, .addr = addr};
  bool atomic = strstr(kind, "_atom") || strstr(kind, "_red");
  return kind[0] == 'g' ? ww_coalesce(&a).sectors : atomic ? ww_most_same(&a) : ww_shared_passes(&a, NULL);
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
  if (b->list) return fprintf(b->list, "%s %s %u\n", name, p->name, units(&l, width, kind)) > 0;
  return gpu_find(&k, b->module, name) &&
         gpu_launch(k, (uint64_t[]){1, 1, 1}, (uint64_t[]){32, 1, 1}, kind[0] == 's' ? SPAN : 0, params);
}

static bool probe_all(const prober *b) {
  static const uint32_t widths[] = {1, 2, 4, 8, 16};
  bool ok = true;
  for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
    for (size_t k = 0; k < 4; k++)
      for (size_t w = 0; w < 5; w++)
        if (widths[w] != 2 || p % 8 == 1) ok = ok && probe(b, kinds[k], widths[w], &patterns[p]);
    for (size_t k = 0; k < 4 && p % 3 == 0; k++) ok = ok && probe(b, atomics[k], 4, &patterns[p]);
  }
  return ok;
}

static bool on_device(const char *cubin) {
  prober b = {0};
  if (!gpu_open() || !gpu_load(&b.module, cubin) || !gpu_alloc(&b.memory, SPAN + 64)) return false;
  void *zeros = ww_xmalloc(SPAN + 64);
  memset(zeros, 0, SPAN + 64);
  bool ok = gpu_put(b.memory, zeros, SPAN + 64) && probe_all(&b);
  free(zeros);
  gpu_free(b.memory);
  gpu_unload(b.module);
  return ok;
}

int main(int argc, char **argv) {
  if (argc == 2 && strcmp(argv[1], "--list") == 0) return !probe_all(&(prober){.list = stdout});
  if (argc == 2) return on_device(argv[1]) ? 0 : 4;
  fprintf(stderr, "usage: %s PROBES.cubin | --list\n", argv[0]);
  return 2;
}
