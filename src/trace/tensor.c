/* tensor.c - tensor maps: encoded for the kernel's parameters, and a tile walked run by
 * run.
 *
 * Only tiles of up to five dimensions without interleaving; elements outside the tensor
 * are part of the tile and of its bytes. A run is a row of dimension 0. */
#include "async.h"

#include <stddef.h>

#define MARK 0x50414d54u /* "TMAP" */

/* What the interpreter takes an element for. */
static ww_type type_named(const char *name) {
  static const struct {
    const char *name;
    uint8_t type;
  } types[] = {{"f16", WW_F16},  {"bf16", WW_BF16}, {"f32", WW_F32},  {"f64", WW_F64},
               {"tf32", WW_F32}, {"e4m3", WW_E4M3}, {"e5m2", WW_E5M2}};
  static const uint8_t by_bytes[] = {
      [1] = WW_I8, [2] = WW_I16, [4] = WW_I32, [8] = WW_I64};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (!strcmp(types[k].name, name))
      return types[k].type;
  return by_bytes[ww_tensor_type_named(name)->bytes];
}

const char *
ww_tensor_encode(const ww_tensor_map *m, uint64_t base, uint8_t out[static 128]) {
  ww_tensor_map full = *m;
  const char *why = ww_tensor_map_complete(&full);
  if (why)
    return why;
  if (base % 16)
    return "its buffer begins at a multiple of 16 bytes";
  ww_tma_tensor t = {.mark = MARK,
                     .rank = full.rank,
                     .type = type_named(full.type),
                     .sign = *full.type == 'i',
                     .swizzle = full.swizzle,
                     .base = base,
                     .nan_fill = full.nan_fill};
  t.bytes = ww_type_bytes[t.type];
  for (uint32_t d = 0; d < full.rank; d++) {
    t.last[d] = full.dims[d] - 1;
    t.steps[d] = full.steps[d];
    t.box[d] = (full.box[d] + t.steps[d] - 1) / t.steps[d];
    t.strides[d] = full.strides[d];
  }
  memset(out, 0, WW_TENSOR_MAP_BYTES);
  memcpy(out, &t, sizeof t);
  return NULL;
}

/* What a kernel has made of it may be anything. */
bool ww_tensor_decode(const uint8_t *from, ww_tma_tensor *out) {
  enum { MOST_BOX = 256, MOST_BYTES = 1 << 18 };
  bool flags = from[offsetof(ww_tma_tensor, nan_fill)] < 2 &&
               from[offsetof(ww_tma_tensor, sign)] < 2;
  if (!flags)
    return false;
  memcpy(out, from, sizeof *out);
  bool good = out->mark == MARK && out->rank >= 1 && out->rank <= WW_TENSOR_RANK &&
              out->type < WW_NTYPES && out->bytes &&
              out->bytes == ww_type_bytes[out->type] && out->swizzle < WW_NSWIZZLES;
  uint64_t tile = out->bytes;
  for (uint32_t d = 0; good && d < out->rank; d++) {
    tile *= out->box[d];
    good = out->box[d] && out->box[d] <= MOST_BOX && tile <= MOST_BYTES;
  }
  return good;
}

uint64_t ww_tensor_tile_bytes(const ww_tma_tensor *t) {
  uint64_t n = t->bytes;
  for (uint32_t d = 0; d < t->rank; d++)
    n *= t->box[d];
  return n;
}

/* On to the next row. */
static void advance(ww_tile_walk *w) {
  uint32_t d = 1;
  while (d < w->t->rank && ++w->row[d] == w->t->box[d])
    w->row[d++] = 0;
  w->done = d == w->t->rank;
}

bool ww_tile_next(ww_tile_walk *w, ww_tile_run *out) {
  const ww_tma_tensor *t = w->t;
  if (w->done)
    return false;
  bool in = true;
  int64_t from = w->at[0] < 0 ? -(int64_t)w->at[0] : 0;
  int64_t to = (int64_t)t->last[0] + 1 - w->at[0];
  uint64_t row = t->base + w->at[0] * (int64_t)t->bytes;
  for (uint32_t d = 1; d < t->rank; d++) {
    int64_t c = w->at[d] + (int64_t)w->row[d] * t->steps[d];
    in &= c >= 0 && c <= t->last[d];
    row += c * t->strides[d];
  }
  if (from > t->box[0] || !in)
    from = t->box[0];
  if (to > t->box[0])
    to = t->box[0];
  *out = (ww_tile_run){.global = row,
                       .shared = w->shared,
                       .bytes = t->box[0] * t->bytes,
                       .before = from * t->bytes,
                       .here = to > from ? (to - from) * t->bytes : 0};
  w->shared += out->bytes;
  advance(w);
  return true;
}
