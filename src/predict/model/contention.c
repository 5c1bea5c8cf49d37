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
enum { HOT = 8192 }; /* a power of two; keys beyond this many are not told apart */
enum {
  SLICE_BITS = 9
}; /* log2 of consecutive bytes of one slice, as contention on the H200 shows */

struct ww_contention {
  const ww_gpu *g;
  hot *address, *slice;
  double atomics; /* cycles of all slices together */
  double nslices;
};

ww_contention *ww_contention_new(const ww_gpu *g, ww_arena *a) {
  ww_contention *c = WW_NEW(a, ww_contention);
  *c = (ww_contention){
      .g = g, .address = WW_NEWN(a, hot, HOT), .slice = WW_NEWN(a, hot, HOT)};
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

/* Cycles that a slice of L2 takes for one sector of an atomic request, however many of
 * its lanes meet there. */
static double sector_cycles(const ww_contention *c, const ww_ins *i) {
  const ww_gpu *g = c->g;
  double adds = WW_FIGURE(g, atom_random);
  if (i->op == WW_OP_CAS)
    return c->nslices / (g->atom_cas_spread > 0 ? g->atom_cas_spread / 8 : adds / 3);
  if (ww_type_bytes[i->type] == 8 && g->atom_f64_spread > 0)
    return c->nslices / fmin(adds, g->atom_f64_spread / 4);
  return c->nslices / adds;
}

/* The compiler makes one addition of a warp's where all lanes add the same constant to
 * one address.
 */
static bool one_addition(const ww_access *a) {
  if (a->ins->op != WW_OP_ATOM || a->ins->sub != WW_RMW_ADD ||
      ww_is_float(a->ins->type) || a->fn->vals[a->ins->b].kind != WW_VAL_CONST)
    return false;
  uint64_t first = a->addr[__builtin_ctzll(a->lanes)];
  for (ww_mask m = a->lanes; m; m &= m - 1)
    if (a->addr[__builtin_ctzll(m)] != first)
      return false;
  return true;
}

/* An address takes lane after lane; a slice of L2 takes request after request, each
 * longer the more of its line it is about. */
void ww_contention_atomic(ww_contention *c, const ww_access *a) {
  const ww_gpu *g = c->g;
  double one = 1 / WW_FIGURE(g, atom_f32_same);
  double next = WW_FIGURE(g, atom_next_sector);
  double sector = sector_cycles(c, a->ins) * a->weight;
  if (!ww_is_float(a->ins->type) && g->atom_same > 0)
    one = fmin(one, 1 / g->atom_same);
  uint64_t sectors[64];
  uint64_t lines[64];
  uint32_t ns = 0;
  uint32_t nl = 0;
  ww_mask lanes = one_addition(a) ? a->lanes & -a->lanes : a->lanes;
  for (ww_mask m = lanes; m; m &= m - 1) {
    uint64_t address = a->addr[__builtin_ctzll(m)];
    *busy(c->address, address >> 2) += one * a->weight;
    if (!fresh(sectors, &ns, address >> WW_SECTOR_BITS))
      continue;
    double cycles = sector * (fresh(lines, &nl, address >> WW_LINE_BITS) ? 1 : next);
    *busy(c->slice, address >> SLICE_BITS) += cycles;
    c->atomics += cycles / c->nslices;
  }
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
