/* generate.h - kernels from a grammar, and launches of them: everything follows from
 * (version, seed, index, launch number).
 *
 * The same numbers give the same bytes on every machine: no floating point decides,
 * nothing depends on pointers, time or locale. A generated kernel is valid by
 * construction: it stays inside its buffers, its loops end, no race changes how much
 * work is done. The grammar of a version never changes (tests/unit/test_generate.c
 * freezes its output by hash); new grammar is a new version, so that shipped rows can
 * always be made again.
 *
 *   generate.c         numbers -> tree;  generate_print.c  tree -> CUDA or OpenCL,
 * plain or in another style generate_launch.c  tree + launch number + SM count -> a
 * ready launch spec */
#ifndef WW_DATA_GENERATE_H
#define WW_DATA_GENERATE_H

#include "../report/launch.h"

#define WW_GENERATOR_VERSION 2 /* the newest; all from 1 on are known */

typedef enum { WW_GEN_CUDA, WW_GEN_OPENCL } ww_gen_dialect;

typedef struct ww_gen_tree ww_gen_tree; /* the grammar's own */
typedef struct {
  uint32_t version, index;
  uint64_t seed;
  /* "g2_7_123": version, seed, index; also the entry's name (extern "C") */
  const char *name;
  const char *family; /* the main production: "gen.stencil"; splits go by it */
  /* what is in it, space-separated: "loop2 indirect shared f32 atomic" */
  const char *productions;
  /* hash of the tree without names, sizes and literal values: equal ones are
   * near-duplicates */
  uint64_t structure;
  const ww_gen_tree *tree;
} ww_gen_kernel;

/* Kernel `index` of a seed, in `a`. Always succeeds for a known version. */
ww_status ww_gen_make(uint32_t version,
                      uint64_t seed,
                      uint32_t index,
                      ww_arena *a,
                      ww_gen_kernel *out,
                      ww_err *e);

/* Some productions of a version: "gen.tree,gen.ode", also without "gen."; names NULL:
 * all of them. WW_EUSAGE names those there are. */
typedef struct {
  bool any;         /* false: all */
  bool family[128]; /* by place in generate_families.def */
} ww_gen_some;
/* A command's --grammar and --only: `wanted` NULL is the newest version. */
ww_status ww_gen_grammar(const char *wanted,
                         const char *families,
                         uint32_t *version,
                         ww_gen_some *only,
                         ww_err *e);

/* The kernels of a seed in order, without near-duplicates: what `count` of `dataset
 * generate` counts. `only` (may be NULL): kernels of other productions are passed over
 * and do not count; those that come have the index that they have in the whole
 * sequence. */
typedef struct ww_gen_stream ww_gen_stream;
ww_gen_stream *
ww_gen_stream_new(uint32_t version, uint64_t seed, const ww_gen_some *only);
/* The next one that is new; its index may skip. `a` holds it. */
ww_status
ww_gen_stream_next(ww_gen_stream *s, ww_arena *a, ww_gen_kernel *out, ww_err *e);
void ww_gen_stream_free(ww_gen_stream *s); /* accepts NULL */

/* The source text, complete (helpers and all), so that texts of several kernels of one
 * dialect can stand behind each other in one file: names of helpers depend on the
 * kernel's. style 0 is the plain one; others rename, reformat and reorder
 * (augmentation), never change the code's meaning.
 */
void ww_gen_print(const ww_gen_kernel *k,
                  ww_gen_dialect d,
                  uint32_t style,
                  ww_buf *out);
/* of the plain text */
uint64_t ww_gen_source_hash(const ww_gen_kernel *k, ww_gen_dialect d);

/* Launch `number` of a kernel for a GPU of `sms` SMs and `l2_bytes` of L2: grid, block,
 * every argument with type, size and fill; ready for ww_measure once `binary` is set,
 * and for ww_trace as it is. Launches of one kernel are spread over the regimes of the
 * grid (idle SMs 25 %, 1 to 20 blocks an SM 60 %, up to 1000 an SM 15 %) and over the
 * times they are estimated to take, log-uniform from 1.5 us to 10 ms. estimate_us (may
 * be NULL): good to a factor of three. */
ww_status ww_gen_launch(const ww_gen_kernel *k,
                        uint32_t number,
                        uint32_t sms,
                        uint64_t l2_bytes,
                        ww_arena *a,
                        ww_launch *out,
                        double *estimate_us,
                        ww_err *e);

#endif
