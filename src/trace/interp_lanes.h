/* interp_lanes.h - instructions that go lane by lane or look across lanes, part of
 * interp.c. */

/* ---- lane by lane ---- */

#define CELL_A(lane) ww_cell_of(x, k->a, k->wide & 2, lane)
#define CELL_B(lane) ww_cell_of(x, k->b, k->wide & 4, lane)
#define CELL_C(lane) ww_cell_of(x, k->c, k->wide & 8, lane)
#define PUT_D(lane, v) ww_cell_put(x, k->d, k->wide & 1, lane, v)

/* Any arithmetic: the types of a and b travel in k->n and k->esize. */
static void scalar_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask)
  PUT_D(LANE,
        ww_scalar(k->ins, k->n, k->esize, CELL_A(LANE), CELL_B(LANE), CELL_C(LANE)));
}

/* Special registers that differ from lane to lane, thread indices apart. */
static u64 lane_sreg(ww_sreg s, uint32_t lane) {
  u64 bit = 1ull << lane;
  switch (s) {
  case WW_SREG_LANEMASK_EQ:
    return bit;
  case WW_SREG_LANEMASK_LT:
    return bit - 1;
  case WW_SREG_LANEMASK_LE:
    return bit | (bit - 1);
  case WW_SREG_LANEMASK_GT:
    return ALL_LANES & ~(bit | (bit - 1));
  case WW_SREG_LANEMASK_GE:
    return ALL_LANES & ~(bit - 1);
  default:
    return lane;
  }
}

/* Without clusters every block is one. */
static u64 cluster_sreg(const ww_exec *x, ww_sreg s) {
  const uint64_t *size = x->spec->cluster;
  int d = (s - WW_SREG_CLUSTERID_X) % 3;
  uint64_t n = size[0] ? size[d] : 1;
  switch (s) {
  case WW_SREG_CLUSTER_CTARANK:
    return x->rank;
  case WW_SREG_CLUSTER_NCTARANK:
    return x->cluster->n;
  case WW_SREG_CLUSTER_EXPLICIT:
    return size[0] != 0;
  default:
    break;
  }
  return s <= WW_SREG_CLUSTERID_Z       ? x->ctaid[d] / n
         : s <= WW_SREG_NCLUSTERID_Z    ? x->spec->grid[d] / n
         : s <= WW_SREG_CLUSTER_CTAID_Z ? x->ctaid[d] % n
                                        : n;
}

static u64 warp_sreg(const ww_exec *x, ww_sreg s) {
  const uint64_t *const axes[] = {x->spec->block, x->ctaid, x->spec->grid};
  if (s >= WW_SREG_NTID_X && s <= WW_SREG_NCTAID_Z)
    return axes[s / 3 - 1][s % 3];
  if (s >= WW_SREG_CLUSTERID_X && s <= WW_SREG_CLUSTER_EXPLICIT)
    return cluster_sreg(x, s);
  switch (s) {
  case WW_SREG_WARPID:
    return x->id.warp;
  case WW_SREG_NWARPID:
    return (ww_volume(x->spec->block) + L - 1) / L;
  case WW_SREG_WARPSIZE:
    return L;
  case WW_SREG_NSMID:
    return x->spec->sms;
  case WW_SREG_SMID:
    return x->id.block % x->spec->sms;
  case WW_SREG_DYNSHARED:
    return x->spec->shared;
  case WW_SREG_WORKDIM:
    return x->spec->grid[2] * x->spec->block[2] > 1   ? 3
           : x->spec->grid[1] * x->spec->block[1] > 1 ? 2
                                                      : 1;
  default:
    return 0;
  }
}

#define SPLAT(T)                   \
  {                                \
    T *d = ROW(T, off), w = v;     \
    if (part)                      \
      EACH d[l] = m[l] ? w : d[l]; \
    else                           \
      EACH d[l] = w;               \
  }

/* One value to all active lanes. */
static void splat(ww_exec *x, uint32_t off, bool wide, u64 v, bool part) {
  const i32 *m = x->m;
  if (wide)
    SPLAT(u64)
  else
    SPLAT(u32)
}

static void sreg_any(ww_exec *x, const ww_code *k) {
  ww_sreg s = k->ins->sub;
  if (s <= WW_SREG_TID_Z && !x->part && !(k->wide & 1))
    memcpy(ROW(u32, k->d), x->tid[s], sizeof(u32) * L);
  else if (s <= WW_SREG_TID_Z)
    ACTIVE(x->mask) PUT_D(LANE, x->tid[s][LANE]);
  else if (s == WW_SREG_LANEID ||
           (s >= WW_SREG_LANEMASK_EQ && s <= WW_SREG_LANEMASK_GE))
    ACTIVE(x->mask) PUT_D(LANE, lane_sreg(s, LANE));
  else
    splat(x, k->d, k->wide & 1, warp_sreg(x, s), x->part);
}

static void localaddr_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask) PUT_D(LANE, WW_LOCAL_BASE + x->frames[x->depth - 1].local + k->imm);
}

static void clock_any(ww_exec *x, const ww_code *k) {
  x->changes++; /* who reads the time again reads another */
  ACTIVE(x->mask) PUT_D(LANE, x->steps);
}
static void nothing(ww_exec *x, const ww_code *k) {
  (void)x;
  (void)k;
}
static void order_any(ww_exec *x, const ww_code *k) {
  if (x->obs->order)
    x->obs->order(x->obs->ctx, x->id, k->ins);
}
static void clusterbar_any(ww_exec *x, const ww_code *k) {
  (void)k;
  x->cluster_arrived++;
}
/* Bytes from the begin of a block's shared memory, and whose it is. */
static u64 shared_offset(const ww_exec *x, u64 addr, u64 *rank) {
  *rank = x->rank;
  if (addr < WW_CLUSTER_BASE)
    return addr - WW_SHARED_BASE;
  *rank = (addr - WW_CLUSTER_BASE) / WW_CLUSTER_STRIDE;
  return (addr - WW_CLUSTER_BASE) % WW_CLUSTER_STRIDE;
}
static void mapa_any(ww_exec *x, const ww_code *k) {
  u64 rank;
  ACTIVE(x->mask)
  PUT_D(LANE, WW_CLUSTER_BASE + CELL_B(LANE) * WW_CLUSTER_STRIDE +
                  shared_offset(x, CELL_A(LANE), &rank));
}
static void ctarank_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask) {
    u64 rank;
    shared_offset(x, CELL_A(LANE), &rank);
    PUT_D(LANE, rank);
  }
}
static void malloc_any(ww_exec *x, const ww_code *k) {
  x->changes++;
  ACTIVE(x->mask) PUT_D(LANE, ww_exec_malloc(x, CELL_A(LANE)));
}
static void texdim_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask) PUT_D(LANE, ww_exec_texdim(x, CELL_A(LANE), CELL_B(LANE), k->imm));
}
static void printf_any(ww_exec *x, const ww_code *k) {
  x->changes++;
  if (x->spec->print)
    ACTIVE(x->mask) ww_exec_printf(x, k, LANE);
}

/* ---- warp operations ---- */

/* Source lane of a shuffle as PTX defines it: c packs the segment mask (bits 8..12) and
 * the clamp (bits 0..4). */
static bool shfl_source(ww_shfl mode, uint32_t lane, u32 b, u32 c, uint32_t *src) {
  u32 w = L - 1, seg = c >> 8 & w, clamp = c & w, bval = b & w;
  u32 top = (lane & seg) | (clamp & ~seg), low = lane & seg;
  int32_t j;
  switch (mode) {
  case WW_SHFL_UP:
    j = lane - bval;
    break;
  case WW_SHFL_DOWN:
    j = lane + bval;
    break;
  case WW_SHFL_BFLY:
    j = lane ^ bval;
    break;
  default:
    j = low | (bval & ~seg);
  }
  bool ok = mode == WW_SHFL_UP ? j >= (int32_t)top : j <= (int32_t)top;
  *src = ok ? (uint32_t)j : lane;
  return ok;
}

static void shfl_any(ww_exec *x, const ww_code *k) {
  u64 v[L];
  bool wide = k->wide & 2;
  for (uint32_t l = 0; l < L; l++)
    v[l] = ww_cell_of(x, k->a, wide, l);
  u64 out[L];
  u32 okay[L];
  ACTIVE(x->mask) {
    uint32_t s;
    okay[LANE] = shfl_source(k->ins->sub, LANE, CELL_B(LANE), CELL_C(LANE), &s);
    out[LANE] = v[s];
  }
  ACTIVE(x->mask) PUT_D(LANE, out[LANE]);
  if (k->n == 2)
    ACTIVE(x->mask) ww_cell_put(x, k->slots[1], false, LANE, okay[LANE]);
}

static void vote_any(ww_exec *x, const ww_code *k) {
  ww_mask t = bits_of(ROW(u32, k->a)) & x->mask;
  u64 r;
  switch (k->ins->sub) {
  case WW_VOTE_ALL:
    r = t == x->mask;
    break;
  case WW_VOTE_ANY:
    r = t != 0;
    break;
  case WW_VOTE_UNI:
    r = t == 0 || t == x->mask;
    break;
  default:
    r = t;
    break;
  }
  ACTIVE(x->mask) PUT_D(LANE, r);
}

static void match_any(ww_exec *x, const ww_code *k) {
  u64 v[L];
  ACTIVE(x->mask) v[LANE] = CELL_A(LANE);
  bool all = true;
  u64 first = v[__builtin_ctzll(x->mask)];
  ACTIVE(x->mask) all &= v[LANE] == first;
  for (ww_mask o = x->mask; o; o &= o - 1) {
    uint32_t me = __builtin_ctzll(o);
    ww_mask same = 0;
    if (k->ins->sub)
      same = all ? x->mask : 0;
    else
      ACTIVE(x->mask) same |= (ww_mask)(v[LANE] == v[me]) << LANE;
    PUT_D(me, same);
    if (k->n == 2)
      ww_cell_put(x, k->slots[1], false, me, all);
  }
}

static ww_mask own_mask(const ww_exec *x, const ww_code *k, uint32_t lane) {
  u64 v = CELL_B(lane);
  return (k->wide & 4 ? v : (u64)(i64)(i32)v) & x->mask;
}

static void redux_any(ww_exec *x, const ww_code *k) {
  for (ww_mask left = x->mask; left;) { /* lanes that name the same mask go together */
    ww_mask group = 0, who = own_mask(x, k, __builtin_ctzll(left));
    u64 r = 0;
    bool first = true;
    ACTIVE(left) group |= (ww_mask)(own_mask(x, k, LANE) == who) << LANE;
    ACTIVE(who) {
      u64 v = CELL_A(LANE);
      r = first ? v : ww_rmw_apply(k->ins->sub, k->ins->type, r, v);
      first = false;
    }
    ACTIVE(group) PUT_D(LANE, r);
    left &= ~group;
  }
}

static void activemask_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask) PUT_D(LANE, x->mask);
}

static void lane_read(ww_exec *x, const ww_code *k) {
  u64 v[L], out[L];
  uint8_t op = k->ins->op;
  bool value_is_b = op == WW_OP_BPERMUTE;
  for (uint32_t l = 0; l < L; l++)
    v[l] = value_is_b ? CELL_B(l) : CELL_A(l);
  uint32_t first = __builtin_ctzll(x->mask);
  ACTIVE(x->mask) {
    uint32_t src = op == WW_OP_READFIRST  ? first
                   : op == WW_OP_READLANE ? CELL_B(LANE)
                                          : (uint32_t)CELL_A(LANE) >> 2;
    out[LANE] = v[src & (L - 1)];
  }
  ACTIVE(x->mask) PUT_D(LANE, out[LANE]);
}

/* push: lane writes to the lane its address names */
static void permute_any(ww_exec *x, const ww_code *k) {
  u64 out[L] = {0};
  ACTIVE(x->mask) out[(CELL_A(LANE) >> 2) & (L - 1)] = CELL_B(LANE);
  ACTIVE(x->mask) PUT_D(LANE, out[LANE]);
}

static void mbcnt_any(ww_exec *x, const ww_code *k) {
  ACTIVE(x->mask) {
    uint32_t lane = LANE, base = k->imm ? 32 : 0;
    u32 below = lane <= base ? 0 : lane - base >= 32 ? ~0u : (1u << (lane - base)) - 1;
    PUT_D(lane, __builtin_popcount(CELL_A(lane) & below) + CELL_B(lane));
  }
}
