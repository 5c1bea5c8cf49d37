/* store.h - measurements in an SQLite file: one row per launch and GPU, normalised,
 * crash-safe, mergeable.
 *
 * Written by one process at a time (a rank has a store of its own), read by many: WAL,
 * STRICT tables, one transaction per batch of rows; what was put is there after a
 * crash. A launch of a GPU is measured once: putting it again replaces a failure or
 * fills in counters, and never replaces a good row. The shipped table is the same file,
 * packed with zstd, read into memory and never written. */
#ifndef WW_DATA_STORE_H
#define WW_DATA_STORE_H

#include "../report/report.h"

typedef enum {
  WW_ORIGIN_CORPUS,
  WW_ORIGIN_GENERATED,
  WW_ORIGIN_IMPORTED,
  WW_NORIGINS
} ww_origin;
extern const char *const ww_origin_names[WW_NORIGINS];
/* Of imported kernels whose file stands in no folder. */
#define WW_FAMILY_IMPORT "import"
typedef enum {
  WW_SPLIT_TRAIN,
  WW_SPLIT_VALIDATION,
  WW_SPLIT_TEST,
  WW_NSPLITS
} ww_split; /* src/data/split.h says which */

typedef struct {
  /* unique: "g1/7/123" ("g1/7/123.cl": the same in OpenCL),
   * "corpus/gemm/gemm.cu:gemm_tiled16", "import/<hash>/<file>:<kernel>" */
  const char *key;
  ww_origin origin;
  const char *family; /* "gemm", "gen.stencil" */
  const char *name;   /* the kernel's, as a launch spec names it */
  /* of a corpus or imported kernel, relative to the corpus or the imported folder; NULL
   * generated */
  const char *file;
  const char *dialect;     /* "cuda", "opencl", "openmp", "hip" */
  uint32_t version, index; /* generated */
  uint64_t seed;
  uint64_t source_hash; /* ww_hash of its text (generated), of its file */
  uint64_t structure;   /* generated: the tree's; else of the IR; 0 unknown */
} ww_store_kernel;

/* "g1/7/123" or "g1/7/123.cl" */
void ww_store_gen_key(
    char out[64], uint32_t version, uint64_t seed, uint32_t index, const char *dialect);

/* One launch of one kernel on one GPU. */
typedef struct {
  ww_store_kernel kernel;
  /* generated: what ww_gen_launch takes (with sms of the machine); else its line or
   * order */
  uint32_t number;
  /* The launch: as JSON, or, of a report, read; neither: made again from kernel and
   * number. */
  const char *spec;
  const ww_launch *launch;
  uint64_t grid[3], block[3];
  const char *gpu, *device, *driver, *versions,
      *compiler; /* which machine; gpu: the description's name, else the device's */
  uint32_t sms;  /* of it: with l2_bytes what ww_gen_launch took */
  uint64_t l2_bytes;
  ww_status status;  /* WW_OK: measured */
  const char *error; /* its message, NULL */
  /* NaN unknown; time_us always there when status is WW_OK. dram_gbps, gflops and ai
   * follow from the others */
  double m[WW_NMETRICS];
  double iqr_us;            /* spread of the timed runs */
  uint32_t samples, passes; /* timed runs; passes of the counters, 0: time alone */
  bool accumulates;
} ww_store_row;

typedef struct ww_store ww_store;
typedef enum { WW_STORE_READ, WW_STORE_WRITE } ww_store_mode; /* write creates */
/* A path that ends in .zst is unpacked into memory: read only. NULL: the shipped table
 * of the data folder. */
ww_status
ww_store_open(const char *path, ww_store_mode mode, ww_store **out, ww_err *e);
void ww_store_close(ww_store *s); /* commits; accepts NULL */

/* inside a transaction; see commit */
ww_status ww_store_put(ww_store *s, const ww_store_row *r, ww_err *e);
/* what was put so far survives from here on */
ww_status ww_store_commit(ww_store *s, ww_err *e);
typedef enum { WW_HELD_NOT, WW_HELD_FAILED, WW_HELD_TIME, WW_HELD_COUNTERS } ww_held;
ww_held ww_store_has(ww_store *s, const char *key, uint32_t number, const char *gpu);
const char *ww_store_path(const ww_store *s);

/* Rows in the order of (kernel's key parts, number, gpu); the row lives until the
 * callback returns. Not WW_OK from it ends the walk. */
typedef struct {
  const char *gpu, *family; /* NULL: any */
  int origin;               /* ww_origin, -1 any */
  bool failed;              /* failures too */
  bool counters;            /* only rows with counters */
} ww_store_filter;
typedef ww_status (*ww_store_row_fn)(void *ctx, const ww_store_row *r, ww_err *e);
ww_status ww_store_each(
    ww_store *s, const ww_store_filter *f, ww_store_row_fn row, void *ctx, ww_err *e);
ww_status
ww_store_count(ww_store *s, const ww_store_filter *f, uint64_t *out, ww_err *e);

/* Adds the rows of another store; duplicates by the rule above. */
ww_status ww_store_merge(
    ww_store *into, const char *path, uint64_t *added, uint64_t *duplicates, ww_err *e);
/* The whole store, in order, as one packed file. Values are rounded to what was
 * measured (16 significant bits; spreads 8). */
ww_status ww_store_pack(ww_store *s, const char *path, ww_err *e);

#endif
