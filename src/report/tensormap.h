/* tensormap.h - a tensor map of a launch: how a tile of a tensor in global memory lies
 * in shared memory, as cuTensorMapEncodeTiled is told.
 *
 * The launch spec describes it (docs/launch.md), the interpreter reads tiles by it, and
 * on a device the driver makes its own 128 bytes of it. Dimension 0 varies fastest. */
#ifndef WW_TENSORMAP_H
#define WW_TENSORMAP_H

#include <stdbool.h>
#include <stdint.h>

enum { WW_TENSOR_RANK = 5, WW_TENSOR_MAP_BYTES = 128 };

/* Bytes that a row of the tile is shuffled within; the order is the driver's. */
typedef enum {
  WW_SWIZZLE_NONE,
  WW_SWIZZLE_32B,
  WW_SWIZZLE_64B,
  WW_SWIZZLE_128B,
  WW_NSWIZZLES
} ww_swizzle;
extern const char *const ww_swizzle_names[WW_NSWIZZLES];

typedef struct {
  const char *name;
  uint8_t bytes;
  const char *fill; /* the type that contents of a buffer are made of */
  uint8_t driver;   /* CUtensorMapDataType */
} ww_tensor_type;
/* NULL: no such type */
const ww_tensor_type *ww_tensor_type_named(const char *name);

typedef struct {
  const char *type; /* of an element: ww_tensor_type */
  uint32_t rank;
  uint64_t dims[WW_TENSOR_RANK];    /* elements */
  uint64_t strides[WW_TENSOR_RANK]; /* bytes; 0 not given: what is below is packed */
  /* the two as expressions over arguments; NULL once resolved */
  const char *dims_expr[WW_TENSOR_RANK], *strides_expr[WW_TENSOR_RANK];
  uint32_t box[WW_TENSOR_RANK];   /* elements of a tile */
  uint32_t steps[WW_TENSOR_RANK]; /* every so many elements; of dimension 0, each */
  uint8_t swizzle;                /* ww_swizzle */
  bool nan_fill;                  /* what lies outside is NaN, not zero */
} ww_tensor_map;

/* A tensor map as the interpreter keeps it in the 128 bytes that a kernel gets, which
 * tensormap.replace changes. */
typedef struct {
  uint32_t mark; /* that it is one */
  uint8_t rank, type /* ww_type */, bytes /* of an element */, swizzle;
  uint64_t base;
  uint64_t strides[WW_TENSOR_RANK]; /* bytes, of every dimension */
  uint32_t last[WW_TENSOR_RANK];    /* element of each dimension */
  uint16_t box[WW_TENSOR_RANK];     /* elements that come, steps already taken */
  uint8_t steps[WW_TENSOR_RANK];
  bool nan_fill, sign; /* sign: of integers */
} ww_tma_tensor;
_Static_assert(sizeof(ww_tma_tensor) <= WW_TENSOR_MAP_BYTES,
               "a tensor map has 128 bytes");

/* Fills in the strides that were not given. NULL, or what of the map the driver would
 * refuse. */
const char *ww_tensor_map_complete(ww_tensor_map *m);
uint64_t ww_tensor_map_bytes(const ww_tensor_map *m); /* of the whole tensor */

/* Where byte `at` of a tile lies once it is shuffled; `at` counts from an address that
 * is a multiple of 1024. */
static inline uint64_t ww_swizzled(ww_swizzle s, uint64_t at) {
  return at ^ (at >> 3 & ((1u << s) - 1) << 4);
}

#endif
