/* translate_asm_async.c - inline PTX of sm_90: mbarriers, bulk copies and tiles,
 * clusters.
 *
 * Orderings and scopes are dropped: the interpreter's memory is one. A form that is not
 * read (im2col, scatter and gather, byte masks) returns false and refuses by its text.
 */
#include "../report/tensormap.h"
#include "translate_asm.h"

#include <stddef.h>

static ww_val zero64(ptx_ins *i) {
  return low_const(i->F, WW_I64, 0);
}

static low_addr barrier_at(ptx_ins *i, uint32_t k) {
  return ptx_address(i, i->arg[k], ptx_space(i), 8);
}

/* The address in brackets as one value. */
static ww_val pointer(ptx_ins *i, uint32_t k) {
  return low_addr_value(i->F, ptx_address(i, i->arg[k], WW_GENERIC, 16));
}

/* ---- mbarrier ---- */

static ww_val count_or_1(ptx_ins *i, uint32_t k) {
  return k < i->narg ? ptx_operand(i, k, WW_I32) : low_i32(i->F, 1);
}

/* mbarrier.arrive[_drop][.expect_tx|.noComplete] state, [addr]{, count} */
static bool arrive(ptx_ins *i, ww_mbar what) {
  if (i->narg < 2)
    return false;
  low_addr p = barrier_at(i, 1);
  bool used = strcmp(i->arg[0], "_") != 0;
  ww_val n = low_i32(i->F, 1);
  if (ptx_has(i, "expect_tx")) { /* one instruction of the GPU, two of ours */
    low_mbar(i->F, WW_MBAR_EXPECT, p, ptx_operand(i, 2, WW_I32), false);
    low_last(i->F)->flags |= WW_F_PART;
  } else
    n = count_or_1(i, 2);
  ww_val state = low_mbar(i->F, what, p, n, used);
  if (used)
    ptx_write(i, i->arg[0], state, WW_I64, false);
  return true;
}

/* mbarrier.{try,test}_wait[.parity] done, [addr], parity or state{, time} */
static bool wait(ptx_ins *i) {
  if (i->narg < 3)
    return false;
  ww_type t = ptx_has(i, "parity") ? WW_I32 : WW_I64;
  ww_val phase = ptx_operand(i, 2, t);
  ww_val over = low_mwait(i->F, barrier_at(i, 1), phase, t);
  ptx_write(i, i->arg[0], over, WW_I1, false);
  return true;
}

bool ptx_mbarrier(ptx_ins *i) {
  static const low_named plain[] = {{"init", WW_MBAR_INIT},
                                    {"inval", WW_MBAR_INVAL},
                                    {"expect_tx", WW_MBAR_EXPECT},
                                    {"complete_tx", WW_MBAR_COMPLETE},
                                    {NULL, -1}};
  const char *what = i->nop > 1 ? i->op[1] : "";
  if (!strcmp(what, "arrive"))
    return arrive(i, WW_MBAR_ARRIVE);
  if (!strcmp(what, "arrive_drop"))
    return arrive(i, WW_MBAR_DROP);
  if (!strcmp(what, "try_wait") || !strcmp(what, "test_wait"))
    return wait(i);
  if (!strcmp(what, "pending_count") && i->narg == 2) {
    ww_val n = low_pending_count(i->F, ptx_operand(i, 1, WW_I64));
    ptx_write(i, i->arg[0], n, WW_I32, false);
    return true;
  }
  int op = low_value_named(plain, what, strlen(what));
  if (op < 0 || i->narg < 1)
    return false;
  low_mbar(i->F, op, barrier_at(i, 0), count_or_1(i, 1), false);
  return true;
}

/* st.async [to], value, [mbarrier] */
bool ptx_complete(ptx_ins *i, uint32_t bytes) {
  if (i->narg != 3)
    return false;
  low_mbar(i->F, WW_MBAR_COMPLETE, barrier_at(i, 2), low_i32(i->F, bytes), false);
  low_last(i->F)->flags |= WW_F_PART;
  return true;
}

/* ---- bulk copies ---- */

/* The k-th operand behind the fixed ones: the mask of blocks, where there is one. */
static ww_val mask_of(ptx_ins *i, uint32_t k) {
  return ptx_has(i, "multicast::cluster") ? ptx_operand(i, k, WW_I32)
                                          : low_i32(i->F, 0);
}

/* Which way it goes: by the spaces, in the order that PTX writes them, to and from. */
static int way_of(const ptx_ins *i) {
  const char *space[2] = {"", ""};
  uint32_t n = 0;
  for (uint32_t k = 1; k < i->nop && n < 2; k++)
    if (ww_starts(i->op[k], "shared") || !strcmp(i->op[k], "global"))
      space[n++] = i->op[k];
  if (ptx_has(i, "prefetch"))
    return WW_BULK_PREFETCH;
  if (n < 2)
    return -1;
  if (!strcmp(space[0], "global"))
    return ww_starts(space[1], "shared") ? WW_BULK_STORE : -1;
  return !strcmp(space[1], "global") ? WW_BULK_LOAD : WW_BULK_CLUSTER;
}

static bool plain_bulk(ptx_ins *i, low_copy_kind *k) {
  bool prefetch = k->way == WW_BULK_PREFETCH, store = k->way == WW_BULK_STORE;
  uint32_t first = prefetch ? 0 : 1; /* operand that is read */
  uint32_t least = prefetch ? 2 : store ? 3 : 4;
  if (i->narg < least || ptx_has(i, "cp_mask"))
    return false;
  ww_val v[5] = {prefetch ? zero64(i) : pointer(i, 0), pointer(i, first),
                 ptx_operand(i, first + 1, WW_I32),
                 prefetch || store ? zero64(i) : pointer(i, 3),
                 prefetch || store ? low_i32(i->F, 0) : mask_of(i, 4)};
  low_bulk(i->F, k, v, 5);
  return true;
}

/* "[map, {c0, c1}]" taken apart; returns how many coordinates, 0: something else. */
static uint32_t
tile_operand(ptx_ins *i, const char *operand, ww_val *map, ww_val coordinate[5]) {
  char *text = ww_strdup(i->F->a, operand);
  char *list = strchr(text, '{');
  char *end = list ? strchr(list, '}') : NULL;
  char *comma = strchr(text, ',');
  const char *part[6];
  if (*text != '[' || !end || !comma || comma > list)
    return 0;
  *comma = end[1] = 0;
  *map = low_addr_value(i->F, ptx_address(i, text, WW_GENERIC, 64));
  uint32_t n = ptx_list(i, list, part, 6);
  for (uint32_t k = 0; k < n && k < 5; k++)
    coordinate[k] = ptx_read(i, part[k], WW_I32);
  return n > 5 ? 0 : n;
}

/* Of "2d"; 0: none */
static uint32_t rank_of(const ptx_ins *i) {
  for (uint32_t k = 1; k < i->nop; k++)
    if (ww_is_digit(i->op[k][0]) && !strcmp(i->op[k] + 1, "d"))
      return i->op[k][0] - '0';
  return 0;
}

static bool other_mode(const ptx_ins *i) {
  for (uint32_t k = 1; k < i->nop; k++)
    if (ww_starts(i->op[k], "im2col") || ww_starts(i->op[k], "tile::"))
      return true;
  return false;
}

static bool tensor_bulk(ptx_ins *i, low_copy_kind *k) {
  bool load = k->way == WW_BULK_LOAD;
  uint32_t at = load; /* the tile's own operand */
  ww_val v[4 + 5];
  k->tile = true;
  if (k->way == WW_BULK_CLUSTER || other_mode(i) || i->narg < (load ? 3u : at + 1))
    return false;
  uint32_t n = tile_operand(i, i->arg[at], &v[0], v + 4);
  if (!n || n != rank_of(i))
    return false;
  v[1] = k->way == WW_BULK_PREFETCH ? zero64(i) : pointer(i, !at);
  v[2] = load ? pointer(i, 2) : zero64(i);
  v[3] = load ? mask_of(i, 3) : low_i32(i->F, 0);
  low_bulk(i->F, k, v, 4 + n);
  return true;
}

/* cp.async.mbarrier.arrive[.noinc]: without noinc the arrival is one more that the
 * phase awaits, so nothing is left of the two. */
static bool arrive_copied(ptx_ins *i) {
  if (i->narg < 1)
    return false;
  low_mbar(i->F, WW_MBAR_COPIES, barrier_at(i, 0),
           low_i32(i->F, ptx_has(i, "noinc") ? 1 : 0), false);
  return true;
}

static bool copy(ptx_ins *i, low_copy_kind *k) {
  int way = way_of(i);
  if (way < 0)
    return false;
  k->way = way;
  return ptx_has(i, "tensor") ? tensor_bulk(i, k) : plain_bulk(i, k);
}

bool ptx_bulk(ptx_ins *i) {
  uint64_t left = 0;
  if (ptx_has(i, "mbarrier"))
    return arrive_copied(i);
  if (ptx_has(i, "commit_group")) {
    low_group(i->F, WW_GROUP_BULK_COMMIT, 0);
    return true;
  }
  if (ptx_has(i, "wait_group")) {
    bool known = i->narg && low_is_const(i->F, ptx_operand(i, 0, WW_I32), &left);
    low_group(i->F, WW_GROUP_BULK_WAIT, left);
    return known;
  }
  return copy(i, &(low_copy_kind){0});
}

/* cp.reduce.async.bulk[.tensor]: the operation, and of plain memory the type, are
 * modifiers. */
bool ptx_reduce_bulk(ptx_ins *i) {
  bool tensor = ptx_has(i, "tensor");
  ww_type t = tensor ? WW_I32 : i->type;
  int rmw = -1;
  for (uint32_t k = 1; k < i->nop && rmw < 0; k++)
    rmw = low_rmw_named(i->op[k], t, i->sign);
  low_copy_kind k = {.reduces = true, .rmw = rmw, .type = t};
  return rmw >= 0 && t != WW_VOID && copy(i, &k);
}

/* ---- tensor maps ---- */

/* The value of an operand as bytes of the map, from `at` on. */
static bool put(ptx_ins *i, size_t at, uint32_t bytes, ww_val v) {
  low_addr p = ptx_address(i, i->arg[0], ptx_space(i), 8);
  low_comp c = low_element(low_int_type(8 * bytes), 0);
  p.off += at;
  v = low_int_to(i->F, v, WW_I64, c.type, false);
  low_store(i->F, p, &c, 1, &v);
  return true;
}

/* What the immediate stands for, put as a byte of the map. */
static bool put_choice(ptx_ins *i, size_t at, const uint8_t *known, uint32_t n) {
  uint64_t which;
  if (!low_is_const(i->F, ptx_operand(i, 1, WW_I32), &which) || which >= n)
    return false;
  return put(i, at, 1, low_const(i->F, WW_I64, known[which]));
}

/* The types of elements in the order of PTX; those that are flushed to zero and tf32
 * are floats here. */
static bool put_type(ptx_ins *i) {
  static const uint8_t type[] = {WW_I8,   WW_I16, WW_I32, WW_I32, WW_I64,
                                 WW_I64,  WW_F16, WW_F32, WW_F32, WW_F64,
                                 WW_BF16, WW_F32, WW_F32};
  static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  static const uint8_t sign[] = {0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0};
  return put_choice(i, offsetof(ww_tma_tensor, type), type, sizeof type) &&
         put_choice(i, offsetof(ww_tma_tensor, bytes), bytes, sizeof bytes) &&
         put_choice(i, offsetof(ww_tma_tensor, sign), sign, sizeof sign);
}

/* tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [map], dimension, value */
static bool put_of_dimension(ptx_ins *i) {
  low_fn *F = i->F;
  uint64_t d;
  bool stride = ptx_has(i, "global_stride"), size = ptx_has(i, "global_dim");
  if (i->narg != 3 || !low_is_const(F, ptx_operand(i, 1, WW_I32), &d) ||
      (d += stride) >= WW_TENSOR_RANK) /* the innermost has none */
    return false;
  ww_val v = ptx_operand(i, 2, stride ? WW_I64 : WW_I32);
  if (stride)
    return put(i, offsetof(ww_tma_tensor, strides) + d * 8, 8, v);
  v = low_int_to(F, v, WW_I32, WW_I64, false);
  if (size)
    return put(i, offsetof(ww_tma_tensor, last) + d * 4, 4,
               low_add_imm(F, v, WW_I64, -1));
  return ptx_has(i, "box_dim") && put(i, offsetof(ww_tma_tensor, box) + d * 2, 2, v);
}

static bool replace(ptx_ins *i) {
  static const uint8_t swizzles[] = {WW_SWIZZLE_NONE, WW_SWIZZLE_32B, WW_SWIZZLE_64B,
                                     WW_SWIZZLE_128B};
  static const uint8_t fills[] = {false, true};
  if (i->narg != 2)
    return put_of_dimension(i);
  if (ptx_has(i, "global_address"))
    return put(i, offsetof(ww_tma_tensor, base), 8, ptx_operand(i, 1, WW_I64));
  if (ptx_has(i, "rank"))
    return put(
        i, offsetof(ww_tma_tensor, rank), 1,
        low_add_imm(i->F,
                    low_int_to(i->F, ptx_operand(i, 1, WW_I32), WW_I32, WW_I64, false),
                    WW_I64, 1));
  if (ptx_has(i, "swizzle_mode"))
    return put_choice(i, offsetof(ww_tma_tensor, swizzle), swizzles, sizeof swizzles);
  if (ptx_has(i, "fill_mode"))
    return put_choice(i, offsetof(ww_tma_tensor, nan_fill), fills, sizeof fills);
  uint64_t layout;
  if (ptx_has(i, "interleave_layout")) /* none, as here always */
    return low_is_const(i->F, ptx_operand(i, 1, WW_I32), &layout) && !layout;
  return ptx_has(i, "elemtype") && put_type(i);
}

/* tensormap.cp_fenceproxy ... [to], [from], 128: the warp copies it once */
static bool copy_map(ptx_ins *i) {
  low_fn *F = i->F;
  uint64_t bytes;
  if (i->narg != 3 || !low_is_const(F, ptx_operand(i, 2, WW_I32), &bytes) ||
      bytes != WW_TENSOR_MAP_BYTES)
    return false;
  low_addr to = ptx_address(i, i->arg[0], WW_GLOBAL, 16);
  low_addr from = ptx_address(i, i->arg[1], WW_SHARED, 16);
  uint32_t copies = low_new_block(F, NULL);
  uint32_t join = low_new_block(F, NULL);
  low_cbr(F, low_cmpk(F, WW_EQ, WW_I32, low_sreg(F, WW_SREG_LANEID), 0), copies, join);
  F->cur = copies;
  low_copy(F, to, from, bytes);
  low_br(F, join);
  F->cur = join;
  return true;
}

bool ptx_tensormap(ptx_ins *i) {
  return ptx_has(i, "replace")         ? replace(i)
         : ptx_has(i, "cp_fenceproxy") ? copy_map(i)
                                       : false;
}

/* ---- clusters ---- */

bool ptx_cluster_barrier(ptx_ins *i) {
  bool wait_there = ptx_has(i, "wait");
  if (!wait_there && !ptx_has(i, "arrive"))
    return false;
  low_cluster_barrier(i->F, wait_there);
  return true;
}

/* mapa[.shared::cluster].u32 d, a, rank */
bool ptx_mapa(ptx_ins *i) {
  if (i->narg < 3)
    return false;
  ww_val a = ptx_operand(i, 1, WW_I64);
  ww_val at = low_binary(i->F, WW_OP_MAPA, WW_I64, a, ptx_operand(i, 2, WW_I32));
  ptx_write(i, i->arg[0], at, WW_I64, false);
  return true;
}

bool ptx_getctarank(ptx_ins *i) {
  if (i->narg < 2)
    return false;
  ww_val a = ptx_operand(i, 1, WW_I64);
  ptx_write(i, i->arg[0], low_unary(i->F, WW_OP_CTARANK, WW_I32, a), WW_I32, false);
  return true;
}

/* elect.sync d|p, mask */
bool ptx_elect(ptx_ins *i) {
  ww_val leader;
  if (i->narg < 2)
    return false;
  ww_val is = low_elect(i->F, ptx_operand(i, 1, WW_I32), &leader);
  ptx_write_results(i, leader, WW_I32, is);
  return true;
}

bool ptx_setmaxnreg(ptx_ins *i) {
  uint64_t n;
  if (!i->narg || !low_is_const(i->F, ptx_operand(i, 0, WW_I32), &n))
    return false;
  low_max_registers(i->F, n);
  return true;
}
