/* interp_memory.h - loads, stores and atomics, part of interp.c: finds how the lanes' addresses lie, moves whole rows where
 * they are contiguous or equal, single lanes otherwise, and tells the observer. */

/* ---- memory ---- */

/* Host address of [addr, addr+n) in an allocation, contents made; NULL when out of range. */
static inline uint8_t *in_region(ww_exec *x, const ww_code *k, u64 addr, u64 n) {
  ww_region *r = x->region_cache[k->ins_id];
  if (__builtin_expect(!r || addr - r->base >= r->size, 0)) {
    r = ww_memory_find(x->memory, addr);
    if (!r) return NULL;
    x->region_cache[k->ins_id] = r;
  }
  u64 off = addr - r->base;
  if (n > r->size - off) return NULL;
  u64 p = off / WW_PAGE, q = (off + n - 1) / WW_PAGE;
  if (__builtin_expect(!r->filled[p], 0)) ww_region_fill_page(r, p);
  if (__builtin_expect(!r->filled[q], 0)) ww_region_fill_page(r, q);
  return r->host + off;
}

static inline uint8_t space_of(const ww_exec *x, const ww_code *k, u64 addr) {
  if (addr >= WW_GLOBAL_BASE) {
    const ww_region *r = x->region_cache[k->ins_id];
    return r && addr - r->base < r->size ? r->space : WW_GLOBAL;
  }
  if (addr - WW_SHARED_BASE < 0x7000000) return WW_SHARED;
  if (addr >= WW_LOCAL_BASE) return WW_LOCAL;
  return WW_PARAM;
}

/* Host address of [addr, addr+n) for one lane, any space; NULL when out of range. */
static inline uint8_t *at(ww_exec *x, const ww_code *k, u64 addr, u64 n, uint32_t lane) {
  if (__builtin_expect(addr >= WW_GLOBAL_BASE, 1)) return in_region(x, k, addr, n);
  u64 off = addr - WW_SHARED_BASE;
  if (off < x->shared.size && n <= x->shared.size - off) return x->shared.mem + off;
  off = addr - WW_LOCAL_BASE;
  if (addr >= WW_LOCAL_BASE && off < x->local_stride && n <= x->local_stride - off) return x->local + (size_t)lane * x->local_stride + off;
  off = addr - WW_PARAM_BASE;
  if (off < x->params_n && n <= x->params_n - off) return (uint8_t *)(uintptr_t)(x->params + off);
  return NULL;
}

/* Addresses into x->addr; says how they lie. */
static inline ww_pattern address_all(ww_exec *x, const ww_code *k) {
  const u64 *ra = ROW(u64, k->a);
  u64 imm = (u64)k->imm, first = ra[0] + imm, step = ra[1] - ra[0], off = 0;
  u64 *restrict ad = x->addr;
  if (x->mask != ALL_LANES) { /* not every lane exists: patterns over the active ones only */
    EACH ad[l] = ra[l] + imm;
    u64 f = ad[__builtin_ctzll(x->mask)], diff = 0;
    ACTIVE(x->mask) diff |= ad[LANE] ^ f;
    return diff ? WW_PATTERN_ANY : WW_PATTERN_SAME;
  }
  if (step == 0 || step == k->bytes) {
    EACH off |= (ra[l] + imm) ^ (first + (u64)l * step);
    if (!off) {
      ad[0] = first;
      if (step == 0 && first < WW_GLOBAL_BASE && first >= WW_LOCAL_BASE) { /* each lane has its own */
        EACH ad[l] = first;
        return WW_PATTERN_ANY;
      }
      if (step) {
        EACH ad[l] = first + (u64)l * step;
        return WW_PATTERN_CONTIG;
      }
      return WW_PATTERN_SAME;
    }
  }
  EACH ad[l] = ra[l] + imm;
  return WW_PATTERN_ANY;
}

static inline void tell_access(ww_exec *x, const ww_code *k, ww_access_kind kind, ww_pattern pattern) {
  if (!x->obs->access) return;
  uint32_t first = pattern == WW_PATTERN_ANY || x->mask != ALL_LANES ? (uint32_t)__builtin_ctzll(x->mask) : 0;
  ww_access a = {.warp = x->id, .fn = x->prog->fn, .ins = k->ins, .ins_id = k->ins_id, .kind = kind,
                 .space = space_of(x, k, x->addr[first]), .bytes = k->bytes, .pattern = pattern, .lanes = x->mask,
                 .addr = x->addr, .weight = x->weight};
  if (pattern == WW_PATTERN_SAME && a.space == WW_LOCAL) a.pattern = WW_PATTERN_ANY;
  x->obs->access(x->obs->ctx, &a);
}

static inline u64 get_element(const uint8_t *p, uint32_t size) {
  switch (size) {
  case 1: return *p;
  case 2: { uint16_t v; memcpy(&v, p, 2); return v; }
  case 4: { u32 v; memcpy(&v, p, 4); return v; }
  default: { u64 v; memcpy(&v, p, 8); return v; }
  }
}
static inline void set_element(uint8_t *p, uint32_t size, u64 v) { memcpy(p, &v, size); }

static void load_lanes(ww_exec *x, const ww_code *k) {
  bool wide = k->esize == 8;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    const uint8_t *p = at(x, k, x->addr[lane], k->bytes, lane);
    if (__builtin_expect(!p, 0)) {
      ww_exec_bad_address(x, k, lane, x->addr[lane], "load");
      for (uint32_t e = 0; e < k->n; e++) put(x, k->slots[e], wide, lane, 0);
      continue;
    }
    for (uint32_t e = 0; e < k->n; e++) put(x, k->slots[e], wide, lane, get_element(p + e * k->esize, k->esize));
  }
}

static void splat(ww_exec *x, uint32_t off, bool wide, u64 v, bool part) {
  const i32 *m = x->m;
  if (wide) {
    u64 *d = ROW(u64, off);
    if (part) EACH d[l] = m[l] ? v : d[l];
    else EACH d[l] = v;
  } else {
    u32 *d = ROW(u32, off), w = (u32)v;
    if (part) EACH d[l] = m[l] ? w : d[l];
    else EACH d[l] = w;
  }
}

static void unpack_rows(ww_exec *x, const ww_code *k, const uint8_t *p) {
  for (uint32_t e = 0; e < k->n; e++) {
    uint32_t n = k->n;
    if (k->esize == 4) {
      u32 *d = ROW(u32, k->slots[e]);
      const u32 *s = (const u32 *)p + e;
      if (n == 1) memcpy(d, p, 4 * L);
      else EACH d[l] = s[(uint32_t)l * n];
    } else if (k->esize == 8) {
      u64 *d = ROW(u64, k->slots[e]);
      const u64 *s = (const u64 *)p + e;
      if (n == 1) memcpy(d, p, 8 * L);
      else EACH d[l] = s[(uint32_t)l * n];
    } else if (k->esize == 2) {
      u32 *d = ROW(u32, k->slots[e]);
      const uint16_t *s = (const uint16_t *)p + e;
      EACH d[l] = s[(uint32_t)l * n];
    } else {
      u32 *d = ROW(u32, k->slots[e]);
      const uint8_t *s = p + e;
      EACH d[l] = s[(uint32_t)l * n];
    }
  }
}

static void ld_any(ww_exec *x, const ww_code *k) {
  ww_pattern p = address_all(x, k);
  const uint8_t *h = NULL;
  uint32_t first = (uint32_t)__builtin_ctzll(x->mask);
  /* address 4-byte alignment of wide rows: elements are read through typed pointers, so misaligned rows go lane by lane */
  if (p == WW_PATTERN_CONTIG && x->addr[0] % k->esize == 0) h = at(x, k, x->addr[0], (u64)k->bytes * L, 0);
  if (h) unpack_rows(x, k, h);
  else if (p == WW_PATTERN_SAME && space_of(x, k, x->addr[first]) != WW_LOCAL && (h = at(x, k, x->addr[first], k->bytes, first)))
    for (uint32_t e = 0; e < k->n; e++)
      splat(x, k->slots[e], k->esize == 8, get_element(h + e * k->esize, k->esize), x->part);
  else {
    if (p == WW_PATTERN_SAME) ACTIVE(x->mask) x->addr[LANE] = x->addr[first];
    load_lanes(x, k);
    if (p == WW_PATTERN_SAME && !h) p = WW_PATTERN_ANY;
  }
  tell_access(x, k, WW_ACCESS_LOAD, p);
}

static void ld_bool(ww_exec *x, const ww_code *k) {
  ld_any(x, k);
  ACTIVE(x->mask) PUT_D(LANE, cell(x, k->d, false, LANE) & 1);
}

static void pack_rows(ww_exec *x, const ww_code *k, uint8_t *p) {
  for (uint32_t e = 0; e < k->n; e++) {
    uint32_t n = k->n;
    if (k->esize == 4) {
      const u32 *s = ROW(u32, k->slots[e]);
      u32 *d = (u32 *)p + e;
      if (n == 1) memcpy(p, s, 4 * L);
      else EACH d[(uint32_t)l * n] = s[l];
    } else if (k->esize == 8) {
      const u64 *s = ROW(u64, k->slots[e]);
      u64 *d = (u64 *)p + e;
      if (n == 1) memcpy(p, s, 8 * L);
      else EACH d[(uint32_t)l * n] = s[l];
    } else if (k->esize == 2) {
      const u32 *s = ROW(u32, k->slots[e]);
      uint16_t *d = (uint16_t *)p + e;
      EACH d[(uint32_t)l * n] = (uint16_t)s[l];
    } else {
      const u32 *s = ROW(u32, k->slots[e]);
      uint8_t *d = p + e;
      EACH d[(uint32_t)l * n] = (uint8_t)s[l];
    }
  }
}

/* Lanes in order: where several write one place, the highest wins. */
static void store_lanes(ww_exec *x, const ww_code *k) {
  bool wide = k->esize == 8;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    uint8_t *p = at(x, k, x->addr[lane], k->bytes, lane);
    if (__builtin_expect(!p || (x->addr[lane] >= WW_PARAM_BASE && x->addr[lane] < WW_LOCAL_BASE), 0)) {
      ww_exec_bad_address(x, k, lane, x->addr[lane], "store");
      continue;
    }
    for (uint32_t e = 0; e < k->n; e++) set_element(p + e * k->esize, k->esize, cell(x, k->slots[e], wide, lane));
  }
}

static void st_any(ww_exec *x, const ww_code *k) {
  ww_pattern p = address_all(x, k);
  uint8_t *h = NULL;
  if (p == WW_PATTERN_CONTIG && x->addr[0] % k->esize == 0) h = at(x, k, x->addr[0], (u64)k->bytes * L, 0);
  if (h) pack_rows(x, k, h);
  else {
    if (p == WW_PATTERN_SAME) {
      u64 a = x->addr[__builtin_ctzll(x->mask)];
      ACTIVE(x->mask) x->addr[LANE] = a;
    }
    store_lanes(x, k);
  }
  tell_access(x, k, WW_ACCESS_STORE, p);
}

static void atom_any(ww_exec *x, const ww_code *k) {
  const u64 *ra = ROW(u64, k->a);
  EACH x->addr[l] = ra[l] + (u64)k->imm;
  bool cas = k->ins->op == WW_OP_CAS;
  ACTIVE(x->mask) {
    uint32_t lane = LANE;
    uint8_t *p = at(x, k, x->addr[lane], k->bytes, lane);
    if (!p) {
      ww_exec_bad_address(x, k, lane, x->addr[lane], "atomic");
      if (k->ins->dst != WW_NOVAL) PUT_D(lane, 0);
      continue;
    }
    u64 old = get_element(p, k->bytes), b = CELL_B(lane);
    if (!cas) set_element(p, k->bytes, ww_rmw_apply(k->ins->sub, k->ins->type, old, b));
    else if (old == b) set_element(p, k->bytes, CELL_C(lane));
    if (k->ins->dst != WW_NOVAL) PUT_D(lane, old);
  }
  tell_access(x, k, WW_ACCESS_ATOMIC, WW_PATTERN_ANY);
}

/* What the front end could not expand: byte by byte in pieces of up to 16, each an access of its own. */
static void bulk_any(ww_exec *x, const ww_code *k) {
  bool copy = k->ins->op == WW_OP_MEMCPY;
  u64 longest = 0;
  ACTIVE(x->mask) longest = CELL_C(LANE) > longest ? CELL_C(LANE) : longest;
  ww_mask all = x->mask;
  for (u64 done = 0; done < longest && !x->fault; done += 4) {
    ww_mask now = 0;
    ww_code piece = *k;
    ACTIVE(all) {
      uint32_t lane = LANE;
      u64 total = CELL_C(lane), left = total > done ? total - done : 0, n = left < 4 ? left : 4;
      if (!n) continue;
      now |= 1ull << lane;
      u64 da = CELL_A(lane) + done;
      x->addr[lane] = da;
      uint8_t *d = at(x, k, da, n, lane), *s = copy ? at(x, k, CELL_B(lane) + done, n, lane) : NULL;
      if (!d || (copy && !s)) {
        ww_exec_bad_address(x, k, lane, d ? CELL_B(lane) + done : da, copy ? "memcpy" : "memset");
        continue;
      }
      if (copy) memmove(d, s, n);
      else memset(d, (int)CELL_B(lane), n);
    }
    x->mask = now;
    piece.bytes = 4;
    x->steps++;
    tell_access(x, &piece, WW_ACCESS_STORE, WW_PATTERN_ANY);
    if (copy) {
      ACTIVE(now) x->addr[LANE] = CELL_B(LANE) + done;
      tell_access(x, &piece, WW_ACCESS_LOAD, WW_PATTERN_ANY);
    }
    x->mask = all;
  }
}

