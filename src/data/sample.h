/* sample.h - launches of a kernel that nobody listed: sizes, grids and blocks around
 * one that is known to work.
 *
 * A known launch (the comment above the kernel, the host code's own, or nothing but the
 * memory analysis) is varied: sizes so that the grid falls into one of three regimes of
 * the GPU's SM count, or so that the buffers reach from a corner of L2 to many times
 * its size; the grid apart from the sizes where the kernel allows it; blocks, where the
 * kernel asks for their size. Every variant is run by the interpreter: what leaves its
 * buffers is dropped, what remains has an estimated time. Of more variants than wanted
 * those are kept that spread evenly over the logarithm of the time, so that the middle
 * half of them spans half of what the kernel can reach. The same seed gives the same
 * launches, as far as the time suffices. */
#ifndef WW_DATA_SAMPLE_H
#define WW_DATA_SAMPLE_H

#include "../query/predict.h"

/* By blocks an SM: some SMs idle; 1 to 20; more, to 1000. */
typedef enum { WW_REGIME_IDLE, WW_REGIME_UNDER, WW_REGIME_FULL, WW_NREGIMES } ww_regime;
extern const char *const ww_regime_names[WW_NREGIMES];
ww_regime ww_regime_of(uint64_t blocks, uint32_t sms);

typedef struct {
  const ww_gpu *gpu;
  const ww_params *params; /* of the machine model */
  uint32_t launches;       /* wanted */
  uint64_t seed;
  uint64_t budget;   /* warp instructions behind an estimate; 0: 50000 */
  double most_bytes; /* of a launch's buffers; 0: 8 times L2 */
  double most_us;    /* estimated; 0: 10 ms */
  /* of processor time; no new variant is tried after that: a kernel that is slow to
   * interpret gets fewer; 0: 3 */
  double seconds;
  const uint64_t *known; /* identities of launches that are not wanted again */
  uint32_t nknown;
} ww_variants_options;

typedef struct {
  const char *json; /* the launch spec: ready but for file, code and note; `kernel` is
                       the mangled name */
  double us;        /* estimated; NaN: the kernel cannot be interpreted */
  uint64_t blocks, threads;
  double bytes;      /* of its buffers */
  uint64_t identity; /* equal launches have equal ones */
} ww_sample_variant;

/* What became of the variants that were tried. */
typedef struct {
  uint32_t tried, kept, fault, slow, large, same;
} ww_variants_count;

/* One launch, completed and estimated. Fails where the interpreter does: it leaves its
 * buffers, or never ends. */
ww_status ww_variant_make(const ww_unit *u,
                          const ww_fn *fn,
                          const ww_launch *l,
                          const ww_variants_options *o,
                          ww_arena *a,
                          ww_sample_variant *out,
                          ww_err *e);
typedef struct {
  ww_sample_variant *v;
  uint32_t n;
  ww_variants_count count;
} ww_variants_found;
/* At most o->launches around `base` (not resolved: its expressions say what depends on
 * what), none equal to one of o->known. Fails only when the base itself does. */
ww_status ww_variants(const ww_unit *u,
                      const ww_fn *fn,
                      const ww_launch *base,
                      const ww_variants_options *o,
                      ww_arena *a,
                      ww_variants_found *out,
                      ww_err *e);

#endif
