/* tensormap.c - what a tensor map may be: element types, strides, the driver's limits.
 */
#include "tensormap.h"

#include <stddef.h>
#include <string.h>

const char *const ww_swizzle_names[WW_NSWIZZLES] = {"none", "32B", "64B", "128B"};

static const ww_tensor_type types[] = {
    {"u8", 1, "u8", 0},   {"i8", 1, "i8", 0},     {"e4m3", 1, "u8", 0},
    {"e5m2", 1, "u8", 0}, {"u16", 2, "u16", 1},   {"i16", 2, "i16", 1},
    {"u32", 4, "u32", 2}, {"i32", 4, "i32", 3},   {"u64", 8, "u64", 4},
    {"i64", 8, "i64", 5}, {"f16", 2, "f16", 6},   {"f32", 4, "f32", 7},
    {"f64", 8, "f64", 8}, {"bf16", 2, "bf16", 9}, {"tf32", 4, "f32", 11},
    {NULL, 0, NULL, 0}};

const ww_tensor_type *ww_tensor_type_named(const char *name) {
  for (const ww_tensor_type *t = types; name && t->name; t++)
    if (!strcmp(t->name, name))
      return t;
  return NULL;
}

static const char *wrong(const ww_tensor_map *m, uint32_t bytes) {
  uint64_t row = (uint64_t)m->box[0] * bytes;
  for (uint32_t d = 0; d < m->rank; d++) {
    if (!m->dims[d] || m->dims[d] > 1ull << 32)
      return "each dimension has 1 to 2^32 elements";
    if (!m->box[d] || m->box[d] > 256)
      return "each side of the box has 1 to 256 elements";
    if (!m->steps[d] || m->steps[d] > 8)
      return "elem_strides are 1 to 8";
    if (d && (m->strides[d] % 16 || m->strides[d] >= 1ull << 40))
      return "strides are multiples of 16 bytes, below 2^40";
  }
  if (row % 16)
    return "a row of the box is a multiple of 16 bytes";
  if (m->swizzle && row > 16u << m->swizzle)
    return "a row of the box is no longer than what the swizzle shuffles";
  return NULL;
}

const char *ww_tensor_map_complete(ww_tensor_map *m) {
  const ww_tensor_type *t = ww_tensor_type_named(m->type);
  if (!t)
    return "its type is one of u8, i8, e4m3, e5m2, u16, i16, u32, i32, u64, i64, f16, "
           "bf16, f32, tf32, f64";
  if (m->rank < 1 || m->rank > WW_TENSOR_RANK)
    return "it has 1 to 5 dimensions";
  m->strides[0] = t->bytes;
  for (uint32_t d = 0; d < m->rank; d++) {
    if (d && !m->strides[d])
      m->strides[d] = m->strides[d - 1] * m->dims[d - 1];
    if (!m->steps[d] || !d) /* along the first there is none: the driver ignores it */
      m->steps[d] = 1;
  }
  return wrong(m, t->bytes);
}

uint64_t ww_tensor_map_bytes(const ww_tensor_map *m) {
  return m->strides[m->rank - 1] * m->dims[m->rank - 1];
}
