/* interp_memory.h - loads, stores and atomics, part of interp.c: finds how the lanes'
 * addresses lie, moves whole rows where they are contiguous or equal, single lanes
 * otherwise, and tells the observer. */

/* ---- memory ---- */

/* Host address of [addr, addr+n) in an allocation, contents made; NULL when out of
 * range. */
static inline uint8_t *in_region(ww_exec *x, const ww_code *k, u64 addr, u64 n) {
  ww_region *r = x->region_cache[k->ins_id];
  if (__builtin_expect(!r || addr - r->base >= r->size, 0)) {
    r = ww_memory_find(x->memory, addr);
    if (!r)
      return NULL;
    x->region_cache[k->ins_id] = r;
  }
  u64 off = addr - r->base;
  if (n > r->size - off)
    return NULL;
  u64 p = off / WW_PAGE, q = (off + n - 1) / WW_PAGE;
  if (__builtin_expect(!r->filled[p], 0) && !ww_region_fill_page(r, p))
    return NULL;
  if (__builtin_expect(!r->filled[q], 0) && !ww_region_fill_page(r, q))
    return NULL;
  return r->host + off;
}

static inline uint8_t space_of(const ww_exec *x, const ww_code *k, u64 addr) {
  if (addr >= WW_GLOBAL_BASE) {
    const ww_region *r = x->region_cache[k->ins_id];
    return r && addr - r->base < r->size ? r->space : WW_GLOBAL;
  }
  if (addr - WW_SHARED_BASE < 0x7000000)
    return WW_SHARED;
  return addr >= WW_LOCAL_BASE ? WW_LOCAL : WW_PARAM;
}

/* Host address of [addr, addr+n) in shared memory or the parameters; NULL when out of
 * range. */
static inline uint8_t *in_window(const ww_exec *x, u64 addr, u64 n) {
  u64 off = addr - WW_SHARED_BASE;
  if (off < x->shared.size && n <= x->shared.size - off)
    return x->shared.mem + off;
  off = addr - WW_PARAM_BASE;
  if (off < x->params_n && n <= x->params_n - off)
    return (uint8_t *)(uintptr_t)(x->params + off);
  return ww_exec_in_cluster(x, addr, n);
}

/* The same for one lane, any space. */
static inline uint8_t *
at(ww_exec *x, const ww_code *k, u64 addr, u64 n, uint32_t lane) {
  if (__builtin_expect(addr >= WW_GLOBAL_BASE, 1))
    return in_region(x, k, addr, n);
  u64 off = addr - WW_LOCAL_BASE;
  if (addr >= WW_LOCAL_BASE && off < x->local_stride && n <= x->local_stride - off)
    return x->local + (size_t)lane * x->local_stride + off;
  return in_window(x, addr, n);
}

/* The same to write to: not the parameters. */
static inline uint8_t *
writable(ww_exec *x, const ww_code *k, u64 addr, u64 n, uint32_t lane) {
  return addr >= WW_PARAM_BASE && addr < WW_LOCAL_BASE ? NULL : at(x, k, addr, n, lane);
}

/* Lowest and highest address of the active lanes. */
typedef struct {
  u64 lo, hi;
  ww_pattern pattern;
  ww_mask fresh;
  bool aligned;
  ww_mask swapped;
} lie;

/* Bit l: lane l lies in another sector than lane l-1; bit 0 is set. */
static inline ww_mask sector_changes(const u64 *ad) {
  ww_mask r = 1;
#if defined(__AVX512F__)
  for (int v = 0; v < L; v += 8) {
    __m512i a = _mm512_srli_epi64(_mm512_loadu_si512(ad + v), 5);
    __m512i b = _mm512_srli_epi64(
        v ? _mm512_loadu_si512(ad + v - 1) : _mm512_maskz_loadu_epi64(0xfe, ad - 1), 5);
    r |= (ww_mask)_mm512_cmpneq_epi64_mask(a, b) << v;
  }
#elif defined(__AVX2__)
  for (int v = 1; v + 4 <= L; v += 4) {
    __m256i a = _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(ad + v)), 5);
    __m256i b = _mm256_srli_epi64(_mm256_loadu_si256((const __m256i *)(ad + v - 1)), 5);
    r |= (ww_mask)(15u ^
                   _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))))
         << v;
  }
  for (int l = L - 3; l < L; l++)
    r |= (ww_mask)(ad[l] >> 5 != ad[l - 1] >> 5) << l;
#else
  for (int l = 1; l < L; l++)
    r |= (ww_mask)(ad[l] >> 5 != ad[l - 1] >> 5) << l;
#endif
  return r;
}

/* Addresses into x->addr (lanes that take no part get an active one's), and how they
 * lie. */
static inline lie addresses(ww_exec *x, const ww_code *k) {
  const u64 *ra = ROW(u64, k->a);
  u64 imm = k->imm, *restrict ad = x->addr;
  if (x->mask == ALL_LANES)
    EACH ad[l] = ra[l] + imm;
  else {
    u64 first = ra[__builtin_ctzll(x->mask)];
    ww_mask mask = x->mask;
    EACH ad[l] = (mask >> l & 1 ? ra[l] : first) + imm;
  }
  i64 lo = ad[0],
      /* addresses are far below 2^63, garbage ones fail the look-up either way */
      hi = ad[0];
  u64 first = ad[0], step = k->bytes, off = 0, low = 0;
  EACH {
    i64 v = ad[l];
    lo = v < lo ? v : lo;
    hi = v > hi ? v : hi;
    off |= ad[l] ^ (first + l * step);
    low |= ad[l];
  }
  ww_pattern p = lo == hi                       ? WW_PATTERN_SAME
                 : !off && x->mask == ALL_LANES ? WW_PATTERN_CONTIG
                                                : WW_PATTERN_ANY;
  bool aligned = !(step & (step - 1)) && !(low & (step - 1));
  return (lie){lo, hi, p, p == WW_PATTERN_ANY ? sector_changes(ad) : 1, aligned, 0};
}

/* Host address of everything between the lowest and the highest lane, when it lies in
 * one piece of memory; NULL otherwise, and for local memory, where each lane has its
 * own. */
static inline uint8_t *whole(ww_exec *x, const ww_code *k, const lie *w) {
  u64 n = w->hi - w->lo + k->bytes;
  if (__builtin_expect(w->lo >= WW_GLOBAL_BASE, 1)) {
    uint8_t *h = in_region(x, k, w->lo, n);
    if (n <= WW_PAGE || !h)
      return h; /* the first and the last page have their contents */
    ww_region *r = x->region_cache[k->ins_id];
    u64 p = (w->lo - r->base) / WW_PAGE, q = (w->hi - r->base) / WW_PAGE;
    if (q - p > 64)
      return NULL; /* wide apart: lane by lane, making only the pages touched */
    for (p++; p < q; p++)
      if (!r->filled[p] && !ww_region_fill_page(r, p))
        return NULL;
    return h;
  }
  return in_window(x, w->lo, n);
}

static inline void
tell_access(ww_exec *x, const ww_code *k, ww_access_kind kind, const lie *w) {
  if (!x->obs->access)
    return;
  ww_access a = {.warp = x->id,
                 .fn = x->prog->fn,
                 .ins = k->ins,
                 .ins_id = k->ins_id,
                 .kind = kind,
                 .space = space_of(x, k, x->addr[__builtin_ctzll(x->mask)]),
                 .bytes = k->bytes,
                 .pattern = w->pattern,
                 .lanes = x->mask,
                 .addr = x->addr,
                 .lo = w->lo,
                 .hi = w->hi + k->bytes,
                 .fresh = w->fresh,
                 .aligned = w->aligned,
                 .swapped = w->swapped,
                 .weight = x->weight};
  x->obs->access(x->obs->ctx, &a);
}

static inline u64 get_element(const uint8_t *p, uint32_t size) {
  switch (size) {
  case 1:
    return *p;
  case 2: {
    uint16_t v;
    memcpy(&v, p, 2);
    return v;
  }
  case 4: {
    u32 v;
    memcpy(&v, p, 4);
    return v;
  }
  default: {
    u64 v;
    memcpy(&v, p, 8);
    return v;
  }
  }
}
/* Writes, and notes whether that changes anything. */
static inline void put_element(ww_exec *x, uint8_t *p, uint32_t size, u64 v) {
  x->changes += (get_element(p, size) ^ v) << (64 - 8 * size) != 0;
  memcpy(p, &v, size);
}

/* Where a lane goes that is nowhere in memory; NULL: that is a fault. */
static uint8_t *moved(ww_exec *x, const ww_code *k, uint32_t lane) {
  u64 to = ww_exec_inside(x, k, x->addr[lane]);
  if (!to)
    return NULL;
  x->addr[lane] = to;
  return at(x, k, to, k->bytes, lane);
}

/* How the addresses lie after some were changed. */
static lie lie_again(ww_exec *x, const ww_code *k) {
  u64 *ad = x->addr, first = ad[__builtin_ctzll(x->mask)], low = 0;
  lie w = {.lo = first, .hi = first, .pattern = WW_PATTERN_ANY};
  EACH {
    ad[l] = x->mask >> l & 1 ? ad[l] : first;
    w.lo = ad[l] < w.lo ? ad[l] : w.lo;
    w.hi = ad[l] > w.hi ? ad[l] : w.hi;
    low |= ad[l];
  }
  w.fresh = sector_changes(ad);
  w.aligned = !(k->bytes & (k->bytes - 1)) && !(low & (k->bytes - 1));
  x->moved = false;
  return w;
}

static void load_lanes(ww_exec *x, const ww_code *k) {
  bool wide = k->esize == 8;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    const uint8_t *p = at(x, k, x->addr[lane], k->bytes, lane);
    if (__builtin_expect(!p, 0))
      p = moved(x, k, lane);
    if (__builtin_expect(!p, 0))
      ww_exec_bad_address(x, k, lane, x->addr[lane], "load");
    for (uint32_t e = 0; e < k->n; e++)
      ww_cell_put(x, k->slots[e], wide, lane,
                  p ? get_element(p + e * k->esize, k->esize) : 0);
  }
}

#define GATHER(TD, TS)                          \
  for (uint32_t e = 0; e < k->n; e++) {         \
    TD *d = ROW(TD, k->slots[e]);               \
    const uint8_t *p = h - lo + e * sizeof(TS); \
    if (x->part)                                \
      EACH {                                    \
        TS v;                                   \
        memcpy(&v, p + ad[l], sizeof v);        \
        d[l] = m[l] ? (TD)v : d[l];             \
      }                                         \
    else                                        \
      EACH {                                    \
        TS v;                                   \
        memcpy(&v, p + ad[l], sizeof v);        \
        d[l] = v;                               \
      }                                         \
  }

/* Every lane from its place in one piece of host memory. */
static void gather(ww_exec *x, const ww_code *k, const uint8_t *h, u64 lo) {
  const u64 *ad = x->addr;
  const i32 *m = x->m;
  switch (k->esize) {
  case 1:
    GATHER(u32, uint8_t) break;
  case 2:
    GATHER(u32, uint16_t) break;
  case 4:
    GATHER(u32, u32) break;
  default:
    GATHER(u64, u64) break;
  }
}

static void ld_any(ww_exec *x, const ww_code *k) {
  lie w = addresses(x, k);
  const uint8_t *h = whole(x, k, &w);
  if (!h)
    load_lanes(x, k);
  else if (w.pattern == WW_PATTERN_SAME)
    for (uint32_t e = 0; e < k->n; e++)
      splat(x, k->slots[e], k->esize == 8, get_element(h + e * k->esize, k->esize),
            x->part);
  else if (w.pattern == WW_PATTERN_CONTIG && k->n == 1 && k->esize >= 4)
    memcpy(ROW(u8, k->slots[0]), h, (size_t)k->esize * L);
  else
    gather(x, k, h, w.lo);
  if (__builtin_expect(x->moved, 0))
    w = lie_again(x, k);
  tell_access(x, k, WW_ACCESS_LOAD, &w);
}

static void ld_bool(ww_exec *x, const ww_code *k) {
  ld_any(x, k);
  ACTIVE(x->mask) PUT_D(LANE, ww_cell_of(x, k->d, false, LANE) & 1);
}

/* Lanes in order: where several write one place, the highest wins. */
static void store_lanes(ww_exec *x, const ww_code *k) {
  bool wide = k->esize == 8;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    uint8_t *p = writable(x, k, x->addr[lane], k->bytes, lane);
    if (__builtin_expect(!p, 0))
      p = moved(x, k, lane);
    if (__builtin_expect(!p, 0)) {
      ww_exec_bad_address(x, k, lane, x->addr[lane], "store");
      continue;
    }
    for (uint32_t e = 0; e < k->n; e++)
      put_element(x, p + e * k->esize, k->esize,
                  ww_cell_of(x, k->slots[e], wide, lane));
  }
}

/* Lanes in order through one piece of host memory. */
static void scatter(ww_exec *x, const ww_code *k, uint8_t *h, u64 lo) {
  bool wide = k->esize == 8;
  for (uint32_t e = 0; e < k->n; e++)
    ACTIVE(x->mask)
  put_element(x, h + (x->addr[LANE] - lo) + e * k->esize, k->esize,
              ww_cell_of(x, k->slots[e], wide, LANE));
}

static void st_any(ww_exec *x, const ww_code *k) {
  lie w = addresses(x, k);
  bool constant = w.lo >= WW_PARAM_BASE && w.lo < WW_LOCAL_BASE;
  uint8_t *h = constant ? NULL : whole(x, k, &w);
  if (!h)
    store_lanes(x, k);
  else if (w.pattern == WW_PATTERN_CONTIG && k->n == 1 && k->esize >= 4) {
    x->changes += memcmp(h, ROW(u8, k->slots[0]), (size_t)k->esize * L) != 0;
    memcpy(h, ROW(u8, k->slots[0]), (size_t)k->esize * L);
  } else
    scatter(x, k, h, w.lo);
  if (__builtin_expect(x->moved, 0))
    w = lie_again(x, k);
  tell_access(x, k, WW_ACCESS_STORE, &w);
}

/* All active lanes draw from one counter, with the blocks that this one stands for.
 */
static bool draw_any(ww_exec *x, const ww_code *k) {
  uint32_t first = __builtin_ctzll(x->mask);
  uint8_t *p = writable(x, k, x->addr[first], k->bytes, first);
  bool down = k->ins->sub == WW_RMW_SUB;
  u64 sum = 0;
  if (!p)
    return false;
  ACTIVE(x->mask) sum += CELL_B(LANE);
  u64 at = ww_exec_draw(x, p, k->bytes, down ? -sum : sum);
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    PUT_D(lane, at);
    at += down ? -CELL_B(lane) : CELL_B(lane);
  }
  return true;
}

static void atom_any(ww_exec *x, const ww_code *k) {
  lie w = addresses(x, k);
  bool cas = k->ins->op == WW_OP_CAS;
  bool drawn = k->ticket && x->spec->share > 1 && w.lo == w.hi && draw_any(x, k);
  ACTIVE(drawn ? 0 : x->mask) {
    uint32_t lane = LANE;
    uint8_t *p = writable(x, k, x->addr[lane], k->bytes, lane);
    if (!p)
      p = moved(x, k, lane);
    if (!p) {
      ww_exec_bad_address(x, k, lane, x->addr[lane], "atomic");
      if (k->ins->dst != WW_NOVAL)
        PUT_D(lane, 0);
      continue;
    }
    u64 old = get_element(p, k->bytes), b = CELL_B(lane);
    if (!cas)
      put_element(x, p, k->bytes, ww_rmw_apply(k->ins->sub, k->ins->type, old, b));
    else if (old == b) {
      put_element(x, p, k->bytes, CELL_C(lane));
      w.swapped |= (u64)(CELL_C(lane) != old) << lane;
    }
    if (k->ins->dst != WW_NOVAL)
      PUT_D(lane, old);
  }
  if (__builtin_expect(x->moved, 0)) {
    ww_mask swapped = w.swapped;
    w = lie_again(x, k);
    w.swapped = swapped;
  }
  w.pattern = WW_PATTERN_ANY;
  /* lanes that take no part hold anything: observers look at the active ones */
  w.fresh = 0;
  tell_access(x, k, WW_ACCESS_ATOMIC, &w);
}

static lie bulk_lie(const ww_exec *x) {
  lie w = {.lo = UINT64_MAX, .pattern = WW_PATTERN_ANY, .fresh = ALL_LANES};
  ACTIVE(x->mask) {
    u64 v = x->addr[LANE];
    w.lo = v < w.lo ? v : w.lo;
    w.hi = v > w.hi ? v : w.hi;
  }
  return w;
}

/* How many of the n bytes from addr on lie in memory, by allocations, however many
 * bytes they are.
 */
static u64 bulk_room(ww_exec *x, u64 addr, u64 n) {
  u64 room = 0, off = addr - WW_SHARED_BASE;
  if (addr < WW_GLOBAL_BASE) {
    if (off < x->shared.size)
      return x->shared.size - off;
    off = addr - WW_LOCAL_BASE;
    if (addr >= WW_LOCAL_BASE)
      return off < x->local_stride ? x->local_stride - off : 0;
    off = addr - WW_PARAM_BASE;
    return off < x->params_n ? x->params_n - off : 0;
  }
  while (room < n) { /* allocations may follow each other without a gap */
    const ww_region *r = ww_memory_find(x->memory, addr + room);
    if (!r)
      break;
    room += r->size - (addr + room - r->base);
  }
  return room;
}

/* The fault that the pieces would come to, found before the first of them: lengths are
 * anything up to 2^64. */
static bool bulk_fits(ww_exec *x, const ww_code *k, bool copy) {
  u64 first = UINT64_MAX, where = 0;
  uint32_t who = 0;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    u64 n = CELL_C(lane), to = CELL_A(lane), room = bulk_room(x, to, n),
        from = copy ? CELL_B(lane) : to;
    if (to >= WW_PARAM_BASE && to < WW_LOCAL_BASE)
      room = 0; /* not to be written */
    u64 also = copy ? bulk_room(x, from, n) : n, least = also < room ? also : room;
    if (least >= n || least / 4 * 4 >= first)
      continue;
    first = least / 4 * 4;
    who = lane;
    where = (room / 4 * 4 <= also / 4 * 4 ? to : from) + first;
  }
  if (first == UINT64_MAX)
    return true;
  ww_exec_bad_address(x, k, who, where, copy ? "memcpy" : "memset");
  return false;
}

/* What the front end could not expand: byte by byte in pieces of 4, each an access of
 * its own. */
static void bulk_any(ww_exec *x, const ww_code *k) {
  bool copy = k->ins->op == WW_OP_MEMCPY;
  u64 longest = 0;
  if (!bulk_fits(x, k, copy))
    return;
  ACTIVE(x->mask) longest = CELL_C(LANE) > longest ? CELL_C(LANE) : longest;
  ww_mask all = x->mask;
  x->changes++;
  for (u64 done = 0; done < longest && !x->fault && x->steps <= x->spec->max_steps;
       done += 4) {
    if (done % 16384 == 0 && ww_exec_cancelled(x))
      break;
    ww_mask now = 0;
    ww_code piece = *k;
    ACTIVE(all) {
      uint32_t lane = LANE;
      u64 total = CELL_C(lane), left = total > done ? total - done : 0,
          n = left < 4 ? left : 4;
      if (!n)
        continue;
      now |= 1ull << lane;
      u64 da = CELL_A(lane) + done;
      x->addr[lane] = da;
      uint8_t *d = writable(x, k, da, n, lane),
              *s = copy ? at(x, k, CELL_B(lane) + done, n, lane) : NULL;
      if (!d || (copy && !s)) {
        ww_exec_bad_address(x, k, lane, d ? CELL_B(lane) + done : da,
                            copy ? "memcpy" : "memset");
        continue;
      }
      if (copy)
        memmove(d, s, n);
      else
        memset(d, CELL_B(lane), n);
    }
    x->mask = now;
    piece.bytes = 4;
    x->steps++;
    lie w = bulk_lie(x);
    tell_access(x, &piece, WW_ACCESS_STORE, &w);
    if (copy) {
      ACTIVE(now) x->addr[LANE] = CELL_B(LANE) + done;
      w = bulk_lie(x);
      tell_access(x, &piece, WW_ACCESS_LOAD, &w);
    }
    x->mask = all;
  }
}
