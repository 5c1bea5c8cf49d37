/* contention.c - who stands in whose way at L2: atomics and stores that meet at one
 * address, or in one slice.
 *
 * Tables of cycles by address and by slice, over the blocks that are seen; what is
 * busiest bounds the launch. */
#include "chain_int.h"

/* Cycles for which atomics keep one address, or one slice of L2, busy. */
typedef struct {
  uint64_t key;
  double cycles;
} hot;
/* of what a lane takes a slice of L2 in the probe, whose warps meet at one address
 * each: what it takes in kernels */
#define MEETING_SHARE 0.83
enum { HOT = 8192 }; /* a power of two; keys beyond this many are not told apart */
enum {
  SLICE_BITS = 9
}; /* log2 of consecutive bytes of one slice, as contention on the H200 shows */

struct ww_contention {
  const ww_gpu *g;
  hot *address, *slice;
  hot *won, *freed; /* passes of those that take turns, by slice */
  double atomics;   /* cycles of all slices together */
  double nslices;
};

ww_contention *ww_contention_new(const ww_gpu *g, ww_arena *a) {
  ww_contention *c = WW_NEW(a, ww_contention);
  *c = (ww_contention){.g = g,
                       .address = WW_NEWN(a, hot, HOT),
                       .slice = WW_NEWN(a, hot, HOT),
                       .won = WW_NEWN(a, hot, HOT),
                       .freed = WW_NEWN(a, hot, HOT)};
  c->nslices =
      g->l2_gbps > 0 && g->boost_mhz > 0
          ? fmax(1, g->l2_gbps * 1e3 / g->boost_mhz / WW_FIGURE(g, l2_slice_rate))
          : 64;
  return c;
}

/* True when `key` was not among the n. */
static bool fresh(uint64_t *keys, uint32_t *n, uint64_t key) {
  for (uint32_t x = *n; x > 0; x--)
    if (keys[x - 1] == key)
      return false;
  keys[(*n)++] = key;
  return true;
}

uint32_t ww_access_lines(const ww_access *a, uint64_t *lines) {
  uint32_t n = 0;
  if (a->pattern == WW_PATTERN_SAME ||
      (a->hi - 1) >> WW_LINE_BITS == a->lo >> WW_LINE_BITS)
    return lines[0] = a->lo >> WW_LINE_BITS, 1;
  if (a->pattern == WW_PATTERN_CONTIG) {
    for (uint64_t l = a->lo >> WW_LINE_BITS; l <= (a->hi - 1) >> WW_LINE_BITS; l++)
      lines[n++] = l;
    return n;
  }
  for (ww_mask m = a->lanes; m; m &= m - 1)
    fresh(lines, &n, a->addr[__builtin_ctzll(m)] >> WW_LINE_BITS);
  return n;
}

static double *busy(hot *table, uint64_t key) {
  uint64_t at = (key + 1) * 0x9e3779b97f4a7c15ull >> 51;
  for (uint32_t k = 0; k < 16; k++) {
    hot *h = &table[(at + k) & (HOT - 1)];
    if (!h->key)
      h->key = key + 1;
    if (h->key == key + 1)
      return &h->cycles;
  }
  return &table[at & (HOT - 1)].cycles;
}

/* Cycles that a slice of L2 takes for one sector of an atomic request whose lanes do
 * not meet. */
static double sector_cycles(const ww_contention *c, const ww_ins *i) {
  const ww_gpu *g = c->g;
  double adds = WW_FIGURE(g, atom_random);
  if (i->op == WW_OP_CAS)
    return c->nslices / (g->atom_cas_spread > 0 ? g->atom_cas_spread / 8 : adds / 3);
  if (ww_type_bytes[i->type] == 8 && g->atom_f64_spread > 0)
    return c->nslices / fmin(adds, g->atom_f64_spread / 4);
  return c->nslices / adds;
}

/* The same for each further pass over a sector, of which there are as many as lanes
 * meet at one of its words. */
static double pass_cycles(const ww_contention *c) {
  const ww_gpu *g = c->g;
  double lanes = g->atom_warp > 0 ? g->atom_warp : WW_FIGURE(g, atom_random);
  return MEETING_SHARE * c->nslices / lanes;
}

/* The most lanes that meet at one word of the sector in which the first of them is;
 * what is left are the others. */
static uint32_t passes(const ww_access *a, ww_mask *left) {
  uint64_t sector = a->addr[__builtin_ctzll(*left)] >> WW_SECTOR_BITS;
  uint8_t count[1 << (WW_SECTOR_BITS - 2)] = {0};
  uint8_t most = 0;
  for (ww_mask m = *left; m; m &= m - 1) {
    uint64_t address = a->addr[__builtin_ctzll(m)];
    if (address >> WW_SECTOR_BITS != sector)
      continue;
    uint8_t *n = &count[address >> 2 & ((1 << (WW_SECTOR_BITS - 2)) - 1)];
    *left &= ~(m & -m);
    if (++*n > most)
      most = *n;
  }
  return most;
}

/* An address takes lane after lane; a slice of L2 takes sector after sector, in passes,
 * each request longer the more of its line it is about. */
void ww_contention_atomic(ww_contention *c, const ww_access *a) {
  const ww_gpu *g = c->g;
  double one = 1 / WW_FIGURE(g, atom_f32_same);
  double next = WW_FIGURE(g, atom_next_sector);
  double sector = sector_cycles(c, a->ins);
  double further = pass_cycles(c);
  if (!ww_is_float(a->ins->type) && g->atom_same > 0)
    one = fmin(one, 1 / g->atom_same);
  uint64_t lines[64];
  uint32_t nl = 0;
  ww_mask lanes = ww_one_addition(a) ? a->lanes & -a->lanes : a->lanes;
  for (ww_mask m = lanes; m; m &= m - 1)
    *busy(c->address, a->addr[__builtin_ctzll(m)] >> 2) += one * a->weight;
  while (lanes) {
    uint64_t address = a->addr[__builtin_ctzll(lanes)];
    uint32_t n = passes(a, &lanes);
    double cycles = sector * (fresh(lines, &nl, address >> WW_LINE_BITS) ? 1 : next);
    cycles = a->weight * (cycles + (n - 1) * further);
    *busy(c->slice, address >> SLICE_BITS) += cycles;
    c->atomics += cycles / c->nslices;
  }
}

static void take_turns(hot *table, const ww_access *a, ww_mask lanes) {
  while (lanes) {
    uint64_t address = a->addr[__builtin_ctzll(lanes)];
    *busy(table, address >> SLICE_BITS) += passes(a, &lanes) * a->weight;
  }
}

void ww_contention_turns(ww_contention *c,
                         const ww_access *a,
                         ww_mask won,
                         ww_mask freed) {
  take_turns(c->won, a, won);
  take_turns(c->freed, a, freed);
}

double ww_contention_crowd(const ww_contention *c, uint64_t address) {
  return fmax(*busy(c->won, address >> SLICE_BITS),
              *busy(c->freed, address >> SLICE_BITS));
}

uint32_t ww_contention_store(ww_contention *c, const ww_access *a) {
  uint64_t lines[WW_ACCESS_LINES];
  uint32_t n = ww_access_lines(a, lines);
  for (uint32_t k = 0; k < n; k++)
    *busy(c->slice, lines[k] >> (SLICE_BITS - WW_LINE_BITS)) +=
        a->weight / WW_FIGURE(c->g, l2_slice_stores);
  return n;
}

double ww_contention_busiest(const ww_contention *c) {
  double most = c->atomics;
  for (uint32_t k = 0; k < HOT; k++)
    most = fmax(most, fmax(c->address[k].cycles, c->slice[k].cycles));
  return most;
}
