/* fuzz.h - what the fuzz targets share: the table's entry, the input as text or as a
 * file, and mutators that know a syntax.
 *
 * A target is one function in a file of its own: any bytes in; it returns 0, or -1
 * where libFuzzer should not go on from them. What must hold it checks itself and
 * aborts otherwise. targets.def lists them, fuzz.c is the program that libFuzzer
 * drives, replay.c the one that runs files. */
#ifndef WW_FUZZ_H
#define WW_FUZZ_H

#include <stdlib.h>

#include "../../src/base/base.h"

typedef struct {
  const char *name;
  int (*run)(const uint8_t *data, size_t n);
  size_t (*mutate)(uint8_t *data, size_t n, size_t max, unsigned seed);
} fuzz_target;
extern const fuzz_target fuzz_targets[]; /* ends with a NULL name */
const fuzz_target *
fuzz_target_named(const char *name); /* NULL: none, and stderr has the names */

#define TARGET(name, mutate, ...) int fuzz_##name(const uint8_t *data, size_t n);
#include "targets.def"

/* A NUL-terminated copy: what the parsers take. */
char *fuzz_text(const uint8_t *data, size_t n);
/* The bytes as a file of that name in a folder of this process (in $TMPDIR); the path
 * stays valid.
 */
const char *fuzz_file(const char *name, const void *data, size_t n);
void fuzz_remove(const char *name);
const char *fuzz_folder(void);
/* Ends the run as a finding unless it holds. */
#define fuzz_must(holds)                                                         \
  do {                                                                           \
    if (!(holds)) {                                                              \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds); \
      abort();                                                                   \
    }                                                                            \
  } while (0)

/* ---- mutators ---- */
size_t LLVMFuzzerMutate(uint8_t *data, size_t n, size_t max);
uint32_t fuzz_random(uint32_t *seed, uint32_t below);

size_t fuzz_bytes_mutate(uint8_t *data,
                         size_t n,
                         size_t max,
                         unsigned seed); /* libFuzzer's own */
size_t fuzz_json_mutate(uint8_t *data,
                        size_t n,
                        size_t max,
                        unsigned seed); /* values in each other's place */
size_t fuzz_source_mutate(uint8_t *data,
                          size_t n,
                          size_t max,
                          unsigned seed); /* tokens and lines of C */
size_t fuzz_ir_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t fuzz_ptx_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t fuzz_launch_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t fuzz_config_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t fuzz_tokenizer_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);
size_t fuzz_packed_mutate(uint8_t *data, size_t n, size_t max, unsigned seed);

/* Changes some tokens: to another word of their group (groups end with a NULL), for
 * numbers to one of the group of "0", for others to one of their kind that stands a
 * little before (whose definition probably reaches here). */
size_t fuzz_swap(uint8_t *data,
                 size_t n,
                 size_t max,
                 unsigned seed,
                 const char *const *words,
                 uint32_t nwords);
/* One change of a C source, without libFuzzer. */
size_t fuzz_source_change(uint8_t *data, size_t n, size_t max, uint32_t *seed);

#endif
