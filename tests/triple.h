/* triple.h - one kernel / launch / want triple of tests/kernels: reading it, running
 * it, comparing what it left.
 *
 * Shared by run_kernels.c (our program against the host references), cross/run_cross.c
 * (other OpenCL runtimes) and gpu/ (the real device). A triple collects its failures as
 * lines; none means it passed. */
#ifndef WW_TRIPLE_H
#define WW_TRIPLE_H

#include "kernels/refs.h"

#include <cjson/cJSON.h>

typedef struct {
  const char *name;
  const char *spec; /* path of NAME.launch */
  ww_arena *a;
  ww_launch *launch; /* one */
  cJSON *want;
  double ulps, abs; /* ulps < 0: exact */
  ww_buf lines;     /* "FAIL name what" each */
} triple;

bool triple_open(triple *t,
                 const char *dir,
                 const char *name); /* false: lines say why; close it all the same */
void triple_close(triple *t);
void triple_fail(triple *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* `program trace ... --full --json --dump dump`; the report, NULL when it failed (lines
 * say why). cJSON_Delete it. */
cJSON *triple_trace(triple *t, const char *program, const char *dump);
/* An allocation as the launch spec gives it: first its initial contents, then what the
 * reference makes of them. */
typedef struct {
  const char *file, *type,
      *id; /* file: its name in dumps and messages; NULL: not compared (local memory) */
  uint8_t *base;
  uint64_t bytes;
} triple_region;

typedef struct {
  triple_region v[2 * REF_MAX];
  uint32_t n;
} triple_memory;

/* Fills both; pointers in r lie in m's regions. They live as long as the triple. */
void triple_initial_memory(triple *t, triple_memory *m, ref_state *r);
/* `bytes` bytes with the triple's tolerance; `what` names them in the failure line. */
void triple_compare(triple *t,
                    const char *what,
                    const char *type,
                    const uint8_t *want,
                    const uint8_t *got,
                    uint64_t bytes);

/* Dumped buffers and symbols against the host reference; `who` (may be NULL) made the
 * dump, for messages. */
void triple_check_reference(triple *t, const char *dump, const char *who);
/* Dumped buffers of two runs against each other; the names go into messages. */
void triple_check_dumps(triple *t,
                        const char *want_dump,
                        const char *want_name,
                        const char *got_dump,
                        const char *got_name);

/* A list of the names with a .want in dir that contain `only` (NULL: all) and start
 * with `prefix`, sorted. */
char **triple_names(const char *dir, const char *prefix, const char *only, uint32_t *n);
void triple_names_free(char **names, uint32_t n);
void triple_remove_dump(const char *dir); /* a folder of plain files */

#endif
