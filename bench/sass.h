/* sass.h - the code of one kernel as nvdisasm prints it: instructions with source
 * lines, basic blocks, loops. */
#ifndef WW_BENCH_SASS_H
#define WW_BENCH_SASS_H

#include "../src/base/base.h"

typedef enum {
#define KIND(name, text) SASS_##name,
#include "sass.def"
  SASS_KINDS
} sass_kind;
extern const char *const sass_kind_names[SASS_KINDS];

enum { SASS_NONE = UINT32_MAX };

typedef struct {
  const char *text; /* predicate, operation, operands */
  const char *op;   /* with its modifiers */
  const char *file; /* of the source line; NULL: unknown */
  uint32_t line, block;
  uint32_t bytes;     /* that a lane loads or stores; 0: it does not */
  uint32_t target;    /* of a branch: instruction; SASS_NONE: none */
  const char *callee; /* of a call */
  uint8_t kind;       /* sass_kind */
  bool guarded;       /* by a predicate */
} sass_ins;

typedef struct {
  uint32_t first, end; /* instructions */
  uint32_t *succ, nsucc;
  uint32_t idom; /* its own index: reached from nowhere, or the entry */
  uint32_t loop; /* innermost, or SASS_NONE */
} sass_block;

typedef struct {
  uint32_t header, parent;
} sass_loop;

typedef struct {
  sass_ins *ins;
  uint32_t nins;
  sass_block *blocks;
  uint32_t nblocks;
  sass_loop *loops;
  uint32_t nloops;
} sass_fn;

/* `text`: of `nvdisasm -g -c`; false: it has no such kernel. */
bool sass_read(const char *text, const char *kernel, ww_arena *a, sass_fn *out);
bool sass_in_loop(const sass_fn *f, uint32_t block, uint32_t loop);

#endif
