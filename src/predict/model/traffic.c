/* traffic.c - accesses of a launch -> what L1, L2 and DRAM see of them: the part up to
 * L1, and the sums.
 *
 * First a replay: the blocks that one SM holds together run warp by warp in small
 * turns, and their accesses go through its L1. Block b of the first wave lives on SM b
 * mod sms; an SM in the middle of the list stands for all. Loops run in full here: a
 * cache must see the accesses in their order, so a kernel too long for the budget is
 * cut off after its first part, in all warps alike. The L1: write-through, stores fetch
 * nothing but take a tag; a store hits where the tag is, a load where the sector is;
 * sectors on their way count as there, but who asks for them waits as long as who asked
 * first. Atomics go to L2.
 *
 * Then the launch. How often each memory instruction runs over it, the tally knows
 * (executions of its IR block); what one execution asks of L1 and what of it misses,
 * the replay knows. Their product, brought to the tally's own sum of sectors, is what
 * leaves the SMs, by allocation; traffic_l2.c takes it from there.
 *
 * Invariant: l1_ld_sectors and l1_st_sectors are the tally's, hits never exceed them.
 */
#include "traffic_int.h"

#include <stdlib.h>

#include "../../base/random.h"
#include "cache.h"

enum {
  /* warp instructions a turn: the order of accesses of different warps is about this
     fine */
  SLICE = 24,
  MOST_LINES = 64 * 9,  /* of one request */
  PAIR_SLOTS = 1 << 15, /* hash table of 64-byte pairs */
  ATOM_SLOTS = 1 << 13,
  FETCH_BITS = 13, /* log2 of lines that are remembered as on their way */
  /* lines in all: scattered accesses cost more than the instructions that the budget
     counts */
  MOST_LOOKUPS = 1000000,
  STORE_LINES = 6 /* that wait to be written */
};
#define BUDGET 300000ull /* warp instructions */
/* bytes of an L1 that the GPU's description does not give */
#define UNKNOWN_L1 (128 << 10)
#define BANKS_BYTES 128.0 /* of shared memory a cycle */

/* What one memory instruction did, of global and local memory. All sums over the
 * requests seen. */
typedef struct {
  const ww_fn *fn;
  const ww_ins *ins;
  uint32_t block; /* of the IR, that it stands in */
  uint8_t kind;   /* ww_access_kind */
  uint8_t space;  /* WW_GLOBAL or WW_LOCAL */
  int32_t region; /* of replay_result.regions; -1: none */
  double requests;
  double sectors, hits; /* looked up in L1 (atomics: at L2), found there */
  double partial;       /* store sectors that the request does not fill */
  /* store sectors that leave the SM together with an earlier store */
  double merged;
  double cycles;      /* of the L1's tag and data stage */
  double lanes;       /* of atomic requests */
  double slow, lines; /* requests with a miss, lines with a miss of these */
  double behind;      /* requests without one that wait for what others have missed */
  double touched;     /* lines, all */
  bool known;         /* no more to be counted: the loops' full runs have told */
} replay_ins;

/* What one allocation saw of sectors beyond L1. */
typedef struct {
  const ww_region *region;
  /* Of a sample of the pairs of neighbours (64 bytes): distinct sectors, distinct
   * pairs, and second sectors that were asked for apart from the first: by the same
   * warp later on, or by another warp. */
  double sectors, pairs, later, other;
} replay_region;

typedef struct {
  WW_VEC(replay_ins) ins; /* those seen */
  WW_VEC(replay_region) regions;
  double atomics, atomic_addresses,
      /* global operations of lanes, distinct addresses, most on one address */
      atomic_most;
  uint64_t warp_instructions;
  bool truncated; /* the budget ended it inside the first wave */
} replay_result;

typedef struct {
  uint64_t line;
  uint32_t mask;
} piece; /* sectors of one line */

/* Which warp of the SM has missed each sector of a line, and where it was on its way:
 * of the line with this hash that was missed last. */
typedef struct {
  uint64_t line;
  uint32_t warp[4]; /* + 1; 0: nobody */
  uint32_t at[4];
} fetch;

typedef struct {
  uint64_t pair; /* + 1; 0: free */
  int32_t region;
  uint8_t mask;
  uint64_t warp; /* that asked first */
} pair_slot;

typedef struct {
  uint64_t address; /* + 1 */
  double count;
} atom_slot;

typedef struct {
  ww_memory *memory;
  ww_cache *l1;
  ww_arena *a;
  replay_result *out;
  uint32_t *slot_of; /* ins_id -> index in out->ins, + 1 */
  uint32_t nslots;
  double scale; /* of the wave that runs */
  uint64_t lookups;
  uint32_t lanes;
  uint32_t warps_per_block;
  struct {
    piece what;
    uint64_t warp;       /* that stored first */
  } stored[STORE_LINES]; /* the last ones */
  uint32_t nstored;
  /* warp whose last event, and the recorder's, was a store; UINT64_MAX: none */
  uint64_t storing;
  piece pieces[MOST_LINES];
  uint32_t npieces;
  uint64_t highest; /* line among them */
  pair_slot *pairs;
  uint32_t npairs;
  atom_slot *atoms;
  uint32_t natoms;
  const uint64_t *here; /* [nhere]: the blocks that the SM holds */
  uint32_t nhere;
  uint32_t *at; /* [nhere * warps_per_block]: loads that each warp has issued */
  fetch *fetches;
} recorder;

/* ---- tables ---- */

static int32_t region_of(recorder *r, uint64_t address) {
  const ww_region *g = ww_memory_find(r->memory, address);
  if (!g)
    return -1;
  for (uint32_t k = 0; k < r->out->regions.n; k++)
    if (r->out->regions.v[k].region == g)
      return k;
  ww_push(r->a, &r->out->regions, (replay_region){.region = g});
  return (int32_t)r->out->regions.n - 1;
}

static uint32_t ir_block_of(const ww_fn *fn, const ww_ins *ins) {
  for (uint32_t b = 0; b < fn->nblocks; b++)
    if (ins >= fn->blocks[b].ins && ins < fn->blocks[b].ins + fn->blocks[b].nins)
      return b;
  return WW_NOBLOCK;
}

static replay_ins *row_of(recorder *r, const ww_access *a) {
  if (a->ins_id >= r->nslots) {
    uint32_t n = a->ins_id + 64;
    r->slot_of = ww_xrealloc(r->slot_of, n * sizeof *r->slot_of);
    memset(r->slot_of + r->nslots, 0, (n - r->nslots) * sizeof *r->slot_of);
    r->nslots = n;
  }
  uint32_t *k = &r->slot_of[a->ins_id];
  if (!*k) {
    uint64_t first = a->addr[__builtin_ctzll(a->lanes)];
    ww_push(r->a, &r->out->ins,
            ((replay_ins){.fn = a->fn,
                          .ins = a->ins,
                          .block = ir_block_of(a->fn, a->ins),
                          .kind = a->kind,
                          .space = a->space,
                          .region = a->space == WW_GLOBAL ? region_of(r, first) : -1}));
    *k = r->out->ins.n;
  }
  return &r->out->ins.v[*k - 1];
}

static uint64_t warp_number(const recorder *r, const ww_access *a) {
  return a->warp.block * r->warps_per_block + a->warp.warp;
}

/* Distinct pairs of sectors that leave the SM, in a sample by hash. */
static void
note_pairs(recorder *r, int32_t region, uint64_t warp, uint64_t line, uint32_t mask) {
  for (uint32_t half = 0; half < 2; half++, mask >>= 2) {
    if (!(mask & 3))
      continue;
    uint64_t pair = line * 2 + half;
    uint64_t h = (pair + 1) * WW_GOLDEN;
    if (h >> 62 || r->npairs > PAIR_SLOTS * 3 / 4)
      continue; /* one pair in four is looked at */
    uint32_t at = h >> 40 & (PAIR_SLOTS - 1);
    while (r->pairs[at].pair && r->pairs[at].pair != pair + 1)
      at = (at + 1) & (PAIR_SLOTS - 1);
    pair_slot *p = &r->pairs[at];
    if (!p->pair) {
      *p = (pair_slot){pair + 1, region, 0, warp};
      r->npairs++;
    } else if ((p->mask | (mask & 3)) != p->mask)
      *(p->warp == warp ? &r->out->regions.v[region].later
                        : &r->out->regions.v[region].other) += 1;
    p->mask |= mask & 3;
  }
}

/* ---- one request ---- */

static void add_sectors(recorder *r, uint64_t first, uint64_t last) {
  for (uint64_t s = first; s <= last; s++) {
    uint64_t line = s >> (WW_LINE_BITS - WW_SECTOR_BITS);
    uint32_t bit = 1u << (s & 3);
    uint32_t k = r->npieces;
    if (!k || line > r->highest)
      k = 0;
    else
      while (k && r->pieces[k - 1].line != line)
        k--;
    if (k)
      r->pieces[k - 1].mask |= bit;
    else if (r->npieces < MOST_LINES)
      r->pieces[r->npieces++] = (piece){line, bit};
    if (r->npieces == 1 || line > r->highest)
      r->highest = line;
  }
}

static void lay_out(recorder *r, const ww_access *a) {
  r->npieces = 0;
  uint64_t first = a->addr[__builtin_ctzll(a->lanes)];
  uint64_t extent = a->bytes - 1u;
  if (a->pattern != WW_PATTERN_ANY) {
    uint64_t pieces =
        a->pattern == WW_PATTERN_SAME ? 1 : __builtin_popcountll(a->lanes);
    add_sectors(r, first >> WW_SECTOR_BITS,
                (first + pieces * a->bytes - 1) >> WW_SECTOR_BITS);
    return;
  }
  /* atomics do not tell it */
  bool fresh = a->fresh && a->aligned && a->kind != WW_ACCESS_ATOMIC;
  for (ww_mask m = fresh ? a->fresh : a->lanes; m; m &= m - 1) {
    uint64_t p = a->addr[__builtin_ctzll(m)];
    add_sectors(r, p >> WW_SECTOR_BITS, (p + extent) >> WW_SECTOR_BITS);
  }
}

/* Local memory lies so that a word of all lanes is one line. */
static void lay_out_local(recorder *r, const ww_access *a) {
  uint64_t warp = (warp_number(r, a) + 1) << 36;
  r->npieces = 0;
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint32_t lane = __builtin_ctzll(m);
    uint64_t word = (a->addr[lane] - WW_LOCAL_BASE) >> 2;
    uint64_t last = (a->addr[lane] + a->bytes - 1u - WW_LOCAL_BASE) >> 2;
    for (; word <= last; word++) {
      uint64_t p = warp + (word * r->lanes + lane) * 4;
      add_sectors(r, p >> WW_SECTOR_BITS, p >> WW_SECTOR_BITS);
    }
  }
}

/* Sectors of an atomic request at L2. Integer operations of a warp on one address
 * travel as one; floating-point ones do not. */
static uint32_t atomic_sectors(recorder *r, const ww_access *a) {
  bool is_float = ww_is_float(a->ins->type);
  uint32_t n = 0;
  uint32_t lanes = __builtin_popcountll(a->lanes);
  if (a->pattern == WW_PATTERN_SAME)
    return is_float ? lanes : 1;
  for (uint32_t k = 0; k < r->npieces; k++)
    n += __builtin_popcount(r->pieces[k].mask);
  if (!is_float)
    return n;
  for (ww_mask m = a->lanes; m; m &= m - 1) { /* lanes that meet an earlier one */
    uint32_t l = __builtin_ctzll(m);
    bool again = false;
    for (ww_mask o = a->lanes & ((1ull << l) - 1); o && !again; o &= o - 1)
      again = a->addr[__builtin_ctzll(o)] == a->addr[l];
    n += again;
  }
  return n;
}

static void count_addresses(recorder *r, const ww_access *a) {
  for (ww_mask m = a->lanes; m; m &= m - 1) {
    uint64_t key = a->addr[__builtin_ctzll(m)] + 1;
    uint32_t at = key * WW_GOLDEN >> 40 & (ATOM_SLOTS - 1);
    while (r->atoms[at].address && r->atoms[at].address != key)
      at = (at + 1) & (ATOM_SLOTS - 1);
    atom_slot *slot = &r->atoms[at];
    if (!slot->address) {
      if (r->natoms > ATOM_SLOTS * 3 / 4)
        continue;
      slot->address = key;
      r->natoms++;
    }
    r->out->atomic_most = fmax(r->out->atomic_most, ++slot->count);
    r->out->atomics++;
  }
}

/* The load of an asynchronous copy: what it brings goes past the data stage, straight
 * to shared memory, where the store beside it is counted. */
static bool copies_on(const ww_fn *fn, const ww_ins *i) {
  const ww_ins *next = i + 1; /* a load does not end its block */
  return i->op == WW_OP_LD && next->op == WW_OP_ST && ww_is_part(next) &&
         next->space == WW_SHARED && fn->pool[next->ext] == i->dst;
}

/* Cycles of the tag stage (four lines a cycle, of local memory one) or of the data
 * stage: 128 bytes a cycle, and lanes that meet in a bank with different words one
 * after the other, as in shared memory: corpus kernels with strides of a power of two
 * take a cycle a line. */
static double stage_cycles(const ww_access *a, uint32_t lines) {
  if (a->space == WW_LOCAL)
    return lines;
  double data = ceil((double)__builtin_popcountll(a->lanes) * a->bytes / 128);
  double tags = 0.75 + lines / 4.0;
  if (copies_on(a->fn, a->ins))
    return fmax(0, tags - data);
  if (a->pattern == WW_PATTERN_SAME)
    data = 1;
  if (a->pattern == WW_PATTERN_ANY)
    data = fmax(data, ww_shared_passes(a, NULL));
  return fmax(data, tags);
}

/* Does a store go along with one that waits? Other warps' stores of the same sectors
 * do, and the next store of the same warp when nothing lies between. */
static bool joins(recorder *r, const piece *p, uint64_t warp) {
  for (uint32_t k = 0; k < STORE_LINES; k++)
    if (r->stored[k].what.line == p->line && !(p->mask & ~r->stored[k].what.mask))
      return r->stored[k].warp != warp || r->storing == warp;
  uint32_t at = r->nstored++ % STORE_LINES;
  r->stored[at].what = *p;
  r->stored[at].warp = warp;
  return false;
}

/* The place of a block among those that the SM holds; nhere: it is not there. Other
 * blocks of its cluster run along with each of them. */
static uint32_t place_of(const recorder *r, uint64_t block) {
  uint32_t k = 0;
  while (k < r->nhere && r->here[k] != block)
    k++;
  return k;
}

/* Its number among the warps of the SM. */
static uint32_t here_of(const recorder *r, ww_warp_id w) {
  return place_of(r, w.block) * r->warps_per_block + w.warp;
}

/* Is a sector that is found one that another warp has missed, which had issued as many
 * loads then as this one now, or more? The replay runs warps in turns; on the SM they
 * go along together: one that falls behind finds what the first one waited for and
 * catches up, so all of them wait for it. */
static bool
on_the_way(recorder *r, const piece *p, uint32_t had, uint32_t warp, uint32_t at) {
  fetch *f = &r->fetches[(p->line + 1) * WW_GOLDEN >> (64 - FETCH_BITS)];
  bool waits = false;
  if (f->line != p->line)
    *f = (fetch){.line = p->line};
  for (uint32_t s = 0; s < 4; s++) {
    if (!(p->mask >> s & 1))
      continue;
    if (had >> s & 1) {
      waits |= f->warp[s] && f->warp[s] != warp + 1 && at <= f->at[s];
    } else {
      f->warp[s] = warp + 1;
      f->at[s] = at;
    }
  }
  return waits;
}

static void look_up(recorder *r, replay_ins *row, const ww_access *a) {
  uint32_t hits = 0;
  uint32_t sectors = 0;
  uint32_t merged = 0;
  uint32_t missed_lines = 0;
  uint32_t bytes = __builtin_popcountll(a->lanes) * a->bytes;
  bool store = a->kind == WW_ACCESS_STORE;
  bool past = a->ins->flags & WW_F_VOLATILE;
  uint64_t warp = warp_number(r, a);
  uint32_t here = here_of(r, a->warp);
  bool behind = false;
  r->at[here] += !store;
  for (uint32_t k = 0; k < r->npieces; k++)
    sectors += __builtin_popcount(r->pieces[k].mask);
  bool full = store && bytes >= sectors * 32;
  for (uint32_t k = 0; k < r->npieces; k++) {
    piece p = r->pieces[k];
    bool present;
    uint32_t had = ww_cache_touch(r->l1, p.line, store && !full ? 0 : p.mask, &present);
    if (past) /* another SM may have written it */
      had = 0;
    if (!store)
      behind |= on_the_way(r, &p, had, here, r->at[here]);
    uint32_t hit = store ? (present ? p.mask : 0) : had;
    hits += __builtin_popcount(hit);
    missed_lines += hit != p.mask;
    if (store && joins(r, &p, warp))
      merged += __builtin_popcount(p.mask);
    if (row->region >= 0 && r->scale > 0)
      note_pairs(r, row->region, warp, p.line, store ? p.mask : p.mask & ~had);
  }
  if (row->known)
    return;
  row->sectors += r->scale * sectors;
  row->hits += r->scale * hits;
  row->merged += r->scale * merged;
  row->slow += hits < sectors ? r->scale : 0;
  row->behind += hits == sectors && behind ? r->scale : 0;
  row->lines += r->scale * missed_lines;
  row->touched += r->scale * r->npieces;
  if (store && bytes < sectors * 32)
    row->partial += r->scale * (sectors - bytes / 32);
}

/* A copy in bulk goes to L2 by itself, past L1. */
static void pass_by(recorder *r, replay_ins *row, const ww_access *a) {
  double first = a->more ? 0 : r->scale;
  lay_out(r, a);
  r->lookups += r->npieces;
  for (uint32_t k = 0; k < r->npieces; k++) {
    row->sectors += row->known ? 0 : r->scale * __builtin_popcount(r->pieces[k].mask);
    if (row->region >= 0 && r->scale > 0)
      note_pairs(r, row->region, warp_number(r, a), r->pieces[k].line,
                 r->pieces[k].mask);
  }
  if (row->known)
    return;
  row->requests += first;
  row->slow += first;
  row->lines += r->scale * r->npieces;
  row->lanes += r->scale * __builtin_popcountll(a->lanes);
}

static void on_access(void *ctx, const ww_access *a) {
  recorder *r = ctx;
  if ((a->space != WW_GLOBAL && a->space != WW_LOCAL) || !a->lanes || !a->bytes ||
      place_of(r, a->warp.block) == r->nhere)
    return;
  replay_ins *row = row_of(r, a);
  if (ww_is_bulk(a->ins)) {
    pass_by(r, row, a);
    return;
  }
  if (a->space == WW_LOCAL)
    lay_out_local(r, a);
  else
    lay_out(r, a);
  r->lookups += r->npieces;
  if (!row->known) {
    row->requests += r->scale;
    row->cycles += r->scale * stage_cycles(a, r->npieces);
  }
  if (a->kind != WW_ACCESS_ATOMIC) {
    look_up(r, row, a);
    r->storing = a->kind == WW_ACCESS_STORE ? warp_number(r, a) : UINT64_MAX;
    return;
  }
  r->storing = UINT64_MAX;
  if (row->known)
    return;
  row->sectors += r->scale * atomic_sectors(r, a);
  row->lanes += r->scale * __builtin_popcountll(a->lanes);
  for (uint32_t k = 0; row->region >= 0 && k < r->npieces; k++)
    note_pairs(r, row->region, warp_number(r, a), r->pieces[k].line, r->pieces[k].mask);
  count_addresses(r, a);
}

/* ---- waves ---- */

/* Which blocks run and what L1 they meet: GPUs that agree in these have the same
 * replay. */
typedef struct {
  uint32_t sms, resident, lines; /* blocks and L1 lines of an SM */
} replay_shape;

typedef struct {
  const ww_gpu_launch *l;
  uint64_t wave, waves; /* blocks of one, how many */
  uint32_t resident;    /* blocks of an SM */
  uint32_t lines;       /* of its L1 */
  uint64_t *blocks;     /* [resident]: those that run */
  uint64_t *next;       /* of blocks that run in order */
} plan;

/* Blocks of a cluster lie on SMs of their own: of those that fell together, one stays.
 */
static uint32_t one_of_a_cluster(const ww_run_spec *s, uint64_t *blocks, uint32_t n) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < n; k++) {
    bool again = false;
    for (uint32_t i = 0; i < kept && !again; i++)
      again = ww_cluster_first(s, blocks[i]) == ww_cluster_first(s, blocks[k]);
    if (!again)
      blocks[kept++] = blocks[k];
  }
  return kept;
}

/* The blocks that the chosen SM holds, `most` of them, when block `first` is the wave's
 * first, of those that work. */
static uint32_t choose(const plan *p, uint32_t most, uint64_t first) {
  uint64_t total = ww_sampled_working(p->l->sampled);
  uint64_t sms = p->l->g->sms;
  uint64_t sm = sms / 2;
  uint32_t n = 0;
  if (p->l->spec->in_order) {
    for (; n < most && *p->next < total; n++)
      p->blocks[n] = ww_sampled_block(p->l->sampled, p->l->spec->grid, (*p->next)++);
    return n;
  }
  if (total - first <= sm)
    sm = (total - first) / 2;
  for (uint32_t k = 0; k < most; k++) {
    uint64_t b = first + sm + k * sms;
    if (b < total)
      p->blocks[n++] = ww_sampled_block(p->l->sampled, p->l->spec->grid, b);
  }
  return one_of_a_cluster(p->l->spec, p->blocks, n);
}

static bool on_poll(void *ctx) {
  return ((recorder *)ctx)->lookups > MOST_LOOKUPS;
}

/* The chosen blocks of one wave under the recorder. WW_ELIMIT: the budget ended it. */
static ww_status
run_wave(recorder *r, ww_machine *m, const plan *p, uint32_t n, double scale) {
  ww_observer obs = {.ctx = r, .access = on_access, .cancelled = on_poll};
  ww_run_stats st;
  r->scale = scale;
  r->here = p->blocks;
  r->nhere = n;
  memset(r->at, 0, (size_t)n * r->warps_per_block * sizeof *r->at);
  memset(r->fetches, 0, (sizeof *r->fetches) << FETCH_BITS);
  ww_status rc = ww_machine_run(m, p->blocks, n, n, &obs, &st, r->a, NULL);
  r->out->warp_instructions += st.warp_instructions;
  return rc == WW_ECANCEL ? WW_ELIMIT : rc;
}

static void finish(recorder *r) {
  for (uint32_t k = 0; k < PAIR_SLOTS; k++) {
    const pair_slot *p = &r->pairs[k];
    if (!p->pair || p->region < 0)
      continue;
    r->out->regions.v[p->region].pairs++;
    r->out->regions.v[p->region].sectors += p->mask == 3 ? 2 : 1;
  }
  r->out->atomic_addresses = r->natoms;
}

/* The waves between that are not run leave the L1 full: of lines that nobody asks for
 * again. */
static void fill_up(ww_cache *l1, uint32_t lines) {
  for (uint64_t k = ww_cache_used(l1); k < lines; k++)
    ww_cache_touch(l1, (1ull << 58) + k, 0, NULL);
}

/* The first wave, cold; then the middle of the launch, first to bring the L1 there,
 * then to count.
 */
static void run_in_full(recorder *r, const ww_run_spec *s, const plan *p) {
  ww_machine *m;
  if (ww_machine_new(s, &m, NULL))
    return;
  uint64_t waves = p->waves;
  ww_status st = run_wave(r, m, p, choose(p, p->resident, 0), 1);
  r->out->truncated = st == WW_ELIMIT;
  uint64_t cost = r->out->warp_instructions;
  uint64_t touched = ww_cache_used(r->l1) * (waves / 2);
  if (waves > 2 && touched >= p->lines)
    fill_up(r->l1, p->lines);
  for (uint32_t k = 0;
       !st && waves > 1 && k < 2 && r->out->warp_instructions + cost <= BUDGET; k++) {
    bool last = k == 1 || waves == 2 || r->out->warp_instructions + 2 * cost > BUDGET;
    uint64_t at = waves == 2 ? 1 : waves / 2 + k - (waves / 2 + k >= waves);
    st = run_wave(r, m, p, choose(p, p->resident, at * p->wave), last ? waves - 1 : 0);
    if (last)
      break;
  }
  ww_machine_free(m);
}

/* The instructions behind the point where the budget ended it: reached by a run with
 * loops in part.
 */
static void run_rest(recorder *r, const ww_run_spec *s, const plan *p) {
  ww_machine *m;
  for (uint32_t k = 0; k < r->out->ins.n; k++)
    r->out->ins.v[k].known = r->out->ins.v[k].requests > 0;
  if (ww_machine_new(s, &m, NULL))
    return;
  r->lookups = 0;
  if (s->in_order) { /* those that were cut off have left the next nothing */
    ww_memory_reset(s->memory);
    *p->next = 0;
  }
  run_wave(r, m, p, choose(p, p->resident < 4 ? p->resident : 4, 0), 1);
  ww_machine_free(m);
}

static void run_waves(recorder *r, const ww_gpu_launch *l, const replay_shape *shape) {
  ww_run_spec s = *l->spec;
  plan p = {.l = l, .resident = shape->resident, .lines = shape->lines};
  p.wave = (uint64_t)shape->sms * p.resident;
  p.waves = (ww_sampled_working(l->sampled) + p.wave - 1) / p.wave;
  p.blocks = WW_NEWN(r->a, uint64_t, p.resident);
  p.next = WW_NEW(r->a, uint64_t);
  s.extrapolate = s.print = false;
  s.slice = SLICE;
  s.share /= p.resident;
  s.max_steps = BUDGET;
  run_in_full(r, &s, &p);
  s.extrapolate = true;
  if (r->out->truncated)
    run_rest(r, &s, &p);
}

static replay_shape shape_of(const ww_gpu *g, const ww_occupancy *occ) {
  double l1 = occ->l1_bytes > 0 ? occ->l1_bytes : UNKNOWN_L1;
  return (replay_shape){g->sms, occ->blocks ? occ->blocks : 1,
                        l1 / (1 << WW_LINE_BITS)};
}

/* Runs the blocks of one SM in the first wave (L1 cold) and in one from the middle of
 * the launch, which stands for all others, as far as a budget lasts. A kernel that
 * fails here gives an empty result: what it does is told elsewhere. */
static void run_replay(const ww_gpu_launch *l, ww_arena *a, replay_result *out) {
  const ww_run_spec *spec = l->spec;
  replay_shape shape = shape_of(l->g, l->occ);
  *out = (replay_result){0};
  recorder *r = ww_xcalloc(1, sizeof *r);
  r->memory = spec->memory;
  r->a = a;
  r->out = out;
  r->lanes = spec->lanes ? spec->lanes : spec->module->warp;
  r->warps_per_block = (ww_volume(spec->block) + r->lanes - 1) / r->lanes;
  r->l1 = ww_cache_new(shape.lines);
  r->pairs = ww_xcalloc(PAIR_SLOTS, sizeof *r->pairs);
  r->atoms = ww_xcalloc(ATOM_SLOTS, sizeof *r->atoms);
  r->at = ww_xcalloc((size_t)shape.resident * r->warps_per_block, sizeof *r->at);
  r->fetches = ww_xcalloc(1u << FETCH_BITS, sizeof *r->fetches);
  /* what other blocks wrote must not change what these do */
  ww_memory_reset(spec->memory);
  run_waves(r, l, &shape);
  finish(r);
  ww_cache_free(r->l1);
  free(r->pairs);
  free(r->atoms);
  free(r->at);
  free(r->fetches);
  free(r->slot_of);
  free(r);
}

/* ---- from one SM to the launch ---- */

static ww_flow *flow_of(ww_flows *f, const replay_result *r, int32_t region) {
  for (uint32_t k = 0; k < f->nflows; k++)
    if (region >= 0 && f->flows[k].region == r->regions.v[region].region)
      return &f->flows[k];
  return &f->flows[f->nflows]; /* local memory and what is nobody's */
}

/* Sums over the replayed instructions, each as often as the tally says. */
typedef struct {
  double ld_sectors, ld_hits, st_sectors, st_hits, local_ld, local_ld_hits, local_st,
      local_st_hits;
  double requests, slow, behind; /* of loads */
  double cycles;
  double atomic_requests, atomic_lanes; /* global */
  double local_lines;                   /* of local stores */
  double bulk_ld, bulk_st;              /* sectors that pass L1 by */
  double copied;                        /* of ld_sectors, to shared memory */
} l1_sums;

static void
add_row(ww_flows *f, const replay_result *r, const replay_ins *row, l1_sums *s) {
  if (!(row->requests > 0))
    return;
  double n = ww_tally_runs(&f->sampled->tally, row->fn, row->block) / row->requests;
  ww_flow *w = flow_of(f, r, row->region);
  double sectors = n * row->sectors;
  double hits = n * row->hits;
  s->cycles += n * row->cycles;
  if (row->kind == WW_ACCESS_ATOMIC) {
    w->atomics += sectors;
    if (ww_is_bulk(row->ins))
      return;
    s->atomic_requests += n * row->requests;
    s->atomic_lanes += n * row->lanes;
    return;
  }
  if (ww_is_bulk(row->ins)) {
    bool load = row->kind == WW_ACCESS_LOAD;
    *(load ? &s->bulk_ld : &s->bulk_st) += sectors;
    *(load ? &w->loads : &w->stores) += sectors;
    w->seen_ld += load ? sectors : 0;
    w->slow += load ? n * row->slow : 0;
    w->lines += load ? n * row->lines : 0;
    w->bulk_lines += load ? n * row->lines : 0;
    return;
  }
  bool local = row->space == WW_LOCAL;
  if (row->kind == WW_ACCESS_LOAD) {
    *(local ? &s->local_ld : &s->ld_sectors) += sectors;
    *(local ? &s->local_ld_hits : &s->ld_hits) += hits;
    s->copied += copies_on(row->fn, row->ins) ? sectors : 0;
    s->requests += n * row->requests;
    s->slow += n * row->slow;
    s->behind += n * row->behind;
    w->loads += sectors - hits;
    w->seen_ld += sectors;
    w->slow += n * row->slow;
    w->behind += n * row->behind;
    w->lines += n * row->lines;
  } else {
    *(local ? &s->local_st : &s->st_sectors) += sectors;
    *(local ? &s->local_st_hits : &s->st_hits) += hits;
    if (local)
      s->local_lines += n * row->touched;
    w->stores += sectors;
    w->partial += n * row->partial;
    w->merged += n * row->merged;
  }
}

/* A replay that was cut off has not seen every instruction: the tally's sums are right.
 */
static void bring_to_tally(ww_flows *f, l1_sums *s, const ww_counts *c) {
  double all_ld = s->ld_sectors + s->bulk_ld;
  double all_st = s->st_sectors + s->bulk_st;
  double ld = all_ld > 0 ? (c->global_ld_sectors + c->bulk_ld_sectors) / all_ld : 1;
  double st = all_st > 0 ? (c->global_st_sectors + c->bulk_st_sectors) / all_st : 1;
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    w->loads *= ld;
    w->slow *= ld;
    w->behind *= ld;
    w->lines *= ld;
    w->bulk_lines *= ld;
    w->stores *= st;
    w->partial *= st;
    w->merged *= st;
  }
  s->copied *= s->ld_sectors > 0 ? c->global_ld_sectors / s->ld_sectors : 1;
  s->ld_hits *= s->ld_sectors > 0 ? c->global_ld_sectors / s->ld_sectors : 1;
  s->st_hits *= s->st_sectors > 0 ? c->global_st_sectors / s->st_sectors : 1;
  s->ld_sectors = s->ld_sectors > 0 ? c->global_ld_sectors : 0;
  s->st_sectors = s->st_sectors > 0 ? c->global_st_sectors : 0;
}

/* What the replay did not reach of an allocation: nothing of it hits. */
static void add_unseen(ww_flows *f, l1_sums *s) {
  for (uint32_t k = 0; k < f->nflows; k++) {
    ww_flow *w = &f->flows[k];
    const ww_arg_counts *c = w->counts;
    if (w->seen_ld == 0 && c->ld_sectors > 0) {
      w->loads = w->lines = c->ld_sectors;
      w->slow = c->ld_requests;
      s->ld_sectors += w->loads;
      s->requests += w->slow;
      s->slow += w->slow;
    }
    if (w->stores == 0 && c->st_sectors > 0) {
      w->stores = c->st_sectors;
      s->st_sectors += w->stores;
    }
    if (w->atomics == 0)
      w->atomics = c->atomics;
  }
}

/* One flow for each allocation of the tally, and one for the rest behind them. */
static void make_flows(ww_flows *f, const replay_result *r, ww_arena *a) {
  const ww_tally *t = &f->sampled->tally;
  f->flows = WW_NEWN(a, ww_flow, t->nargs + 1);
  for (uint32_t k = 0; k < t->nargs; k++) {
    const ww_arg_counts *c = &t->args[k];
    if (c->ld_sectors + c->st_sectors + c->atomics <= 0)
      continue;
    ww_flow *w = &f->flows[f->nflows++];
    *w = (ww_flow){.counts = c, .pair = 1};
    const ww_region *g;
    for (uint32_t i = 0; !w->region && (g = ww_memory_region(f->spec->memory, i)); i++)
      if (g->arg == c->arg && g->symbol == c->symbol &&
          !strcmp(c->name, g->name ? g->name : ""))
        w->region = g;
    if (w->region && w->region->space == WW_CONST) { /* the constant cache's */
      f->nflows--;
      continue;
    }
    for (uint32_t i = 0; i < r->regions.n; i++)
      if (r->regions.v[i].region == w->region && r->regions.v[i].sectors > 0) {
        const replay_region *x = &r->regions.v[i];
        w->scattered = fmin(1, fmax(0, 2 * x->pairs / x->sectors - 1));
        w->later = x->later / x->sectors;
        w->other = x->other / x->sectors;
      }
  }
  f->flows[f->nflows] = (ww_flow){.pair = 1};
}

/* Of requests that miss L1, with `lines` lines each, those of which one waits for DRAM.
 * What L2 has lost is missed by each line for itself: 1 - (1 - p)^n of the requests.
 * What nobody has fetched yet is missed at the beginning, by many lines of a request at
 * a time: where lines are drawn at random, the last of n is found after 1 + 1/2 + .. +
 * 1/n times as long as the first. */
static double waits_for_dram(const ww_flows *f, const ww_flow *w, double lines) {
  if (!(w->loads > 0))
    return 0;
  double fetched = fmin(1, fmin(w->first, w->misses) / w->loads);
  double lost = fmin(1, w->misses / w->loads) - fetched;
  double cold = fmin(1 - lost, fmax(fetched, ww_flow_cold(f, w)));
  double n = fmax(1, lines);
  double harmonic = fmax(1, log(n) + 0.577 + 0.5 / n);
  return fmin(1, cold * harmonic + 1 - pow(1 - fmax(0, lost), n));
}

/* Where the slowest sector of a load request comes from. */
static void origins(const ww_flows *f, const l1_sums *s, ww_traffic *out) {
  double dram = 0;
  double slow = ww_ratio(s->slow + s->behind, s->requests);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_flow *w = &f->flows[k];
    dram += w->slow > 0
                ? (w->slow + w->behind) * waits_for_dram(f, w, w->lines / w->slow)
                : 0;
  }
  dram = ww_ratio(dram, s->requests);
  out->from_dram = fmin(dram, slow);
  out->from_l2 = slow - out->from_dram;
  out->from_l1 = 1 - slow;
}

static void ways_of(ww_flows *f,
                    const replay_result *r,
                    const ww_traffic *t,
                    ww_arena *a,
                    ww_ways *out) {
  *out = (ww_ways){WW_NEWN(a, ww_way, r->ins.n + 1), 0, 1 - t->from_l1, t->from_dram};
  for (uint32_t k = 0; k < r->ins.n; k++) {
    const replay_ins *row = &r->ins.v[k];
    if (row->kind != WW_ACCESS_LOAD || row->space != WW_GLOBAL || !(row->requests > 0))
      continue;
    ww_flow *w = flow_of(f, r, row->region);
    double slow = (row->slow + row->behind) / row->requests;
    double lines = ww_ratio(row->lines, row->slow);
    double deep = slow > 0 ? slow * waits_for_dram(f, w, lines) : 0;
    out->v[out->n++] = (ww_way){row->ins, slow, deep};
  }
}

/* Operations on the most contended address: what the replay saw, as far as the launch
 * goes on to meet the same addresses. The most of many counts lies above their mean by
 * chance alone, about sqrt(2 ln n) deviations; only what is beyond that is contention.
 */
static double contention(const ww_flows *f, const replay_result *r, const l1_sums *s) {
  if (!(r->atomics > 0))
    return 0;
  double unique = 0;
  double n = fmax(1, r->atomic_addresses);
  double mean = r->atomics / n;
  for (uint32_t k = 0; k < f->nflows; k++)
    if (f->flows[k].atomics > 0)
      unique += f->flows[k].unique;
  double most = mean + fmax(0, r->atomic_most - mean - sqrt(2 * mean * log(n)));
  /* sectors against addresses: at least the addresses seen */
  double spread = fmax(1, unique / n);
  return fmax(1, most * fmax(1, s->atomic_lanes / r->atomics) / spread);
}

static double pages(const ww_flows *f) {
  double n = 0;
  double page = WW_FIGURE(f->g, page_bytes);
  for (uint32_t k = 0; k < f->nflows; k++) {
    const ww_arg_counts *c = f->flows[k].counts;
    double extent = c->hi - c->lo;
    n += fmin(f->flows[k].unique, ceil(extent / page) + (extent > page / 2));
  }
  return n;
}

static void fill_l1(const l1_sums *s, const ww_counts *c, ww_traffic *out) {
  out->l1_ld_sectors = s->ld_sectors + s->local_ld;
  out->l1_ld_hits = s->ld_hits + s->local_ld_hits;
  out->l1_st_sectors = s->st_sectors + s->local_st;
  out->l1_st_hits = s->st_hits + s->local_st_hits;
  out->l1_wavefronts = s->cycles;
  out->local_lines = s->local_lines;
  out->const_words = fmax(0, c->const_words - c->const_requests);
  out->bulk_requests = c->bulk_ld_requests + c->bulk_st_requests;
  out->bulk_bytes = c->bulk_ld_bytes + c->bulk_st_bytes;
  out->copied = ww_ratio(s->copied + s->bulk_ld, s->ld_sectors + s->bulk_ld);
  out->shared_cycles = c->shared_ld_passes + c->shared_st_passes +
                       c->shared_atomic_lanes +
                       (c->matrix_shared_bytes + out->bulk_bytes) / BANKS_BYTES;
}

/* From what one SM's blocks asked of its L1 to the launch. */
static void traffic_of(const replay_result *r,
                       const ww_gpu_launch *l,
                       ww_arena *a,
                       ww_traffic *out,
                       ww_ways *ways) {
  const ww_counts *counts = &l->sampled->tally.c;
  *out = (ww_traffic){0};
  ww_flows f = {.spec = l->spec,
                .sampled = l->sampled,
                .g = l->g,
                .occ = l->occ,
                .warm = l->warm};
  double resident = (double)l->g->sms * (l->occ->blocks ? l->occ->blocks : 1);
  f.waves = fmax(1, ww_sampled_working(l->sampled) / resident);
  l1_sums s = {0};
  make_flows(&f, r, a);
  for (uint32_t k = 0; k < r->ins.n; k++)
    add_row(&f, r, &r->ins.v[k], &s);
  add_unseen(&f, &s);
  bring_to_tally(&f, &s, counts);
  fill_l1(&s, counts, out);
  ww_traffic_l2(&f, out);
  origins(&f, &s, out);
  out->atomics_same = contention(&f, r, &s);
  out->pages = pages(&f);
  ways_of(&f, r, out, a, ways);
}

/* The first of the launches up to k that has k's replay. */
static uint32_t same_replay(const ww_gpu_launch *l, uint32_t k) {
  replay_shape mine = shape_of(l[k].g, l[k].occ);
  for (uint32_t i = 0; i < k; i++) {
    replay_shape other = shape_of(l[i].g, l[i].occ);
    if (!memcmp(&other, &mine, sizeof mine))
      return i;
  }
  return k;
}

void ww_traffic_of(
    const ww_gpu_launch *l, uint32_t n, ww_arena *a, ww_traffic *out, ww_ways *ways) {
  replay_result *replays = WW_NEWN(a, replay_result, n);
  for (uint32_t k = 0; k < n; k++) {
    uint32_t r = same_replay(l, k);
    if (r == k)
      run_replay(&l[k], a, &replays[k]);
    traffic_of(&replays[r], &l[k], a, &out[k], &ways[k]);
  }
}
