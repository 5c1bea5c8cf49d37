/* emulate_int.h - what the files that build and run an emulated program share. */
#ifndef WW_EMULATE_INT_H
#define WW_EMULATE_INT_H

#include "emulate.h"

#define WW_EMULATE_LIMIT_S 60.0

typedef struct {
  const char *program; /* the executable */
  const char *table;   /* what its runtime reads, WARPWISE_EMULATE (runtime/state.c) */
} ww_built;

/* build.c: everything goes to the folder `to`. */
ww_status ww_emulate_build(
    const ww_emulate_options *o, const char *to, ww_arena *a, ww_built *out, ww_err *e);

/* build_omp.c: the source of the table of target regions (ww_omp_built of
 * runtime/omp.h). */
char *ww_emulate_omp_table(const ww_unit *u, ww_arena *a);

/* build_absent.c: the source of those functions of NVIDIA's libraries that the linker's
 * errors say nobody defines; NULL: there are none among them. */
char *ww_emulate_absent(const char *errors, ww_arena *a);

/* table.c: one line of settings, then one per symbol and per kernel. u: NULL when the
 * front end gave nothing. */
char *ww_emulate_table(const ww_emulate_options *o,
                       const ww_unit *u,
                       const char *ir,
                       ww_arena *a);

/* sources.c: the real paths of the sources that a kernel is made of, its own first;
 * none where that is unknown. */
void ww_emulate_sources(const ww_front_options *f,
                        const ww_module *m,
                        const ww_fn *fn,
                        ww_arena *a,
                        ww_strings *out);

/* place.c: a folder below `root` that looks like `dir` and its surroundings, and can be
 * written to; its path or NULL. */
const char *ww_emulate_place(const char *dir, const char *root, ww_arena *a, ww_err *e);

typedef struct {
  const char *const *argv;
  /* "NAME=value" over the environment that it gets, NULL-terminated */
  const char *const *env;
  const char *cwd;
  const char *writable; /* the only folder it may write below */
  const char *const *readable,
      *const *runnable; /* what else it may read, and start; as in ww_confine */
  double limit_s;
  uint64_t memory; /* bytes of address space */
  uint64_t disk;   /* bytes that it may have in `writable` */
  bool off;        /* limits of time and memory only */
  int show[2];     /* descriptors that its stdout and stderr go to, -1: nowhere */
} ww_sandbox;

/* reach.c: what the program may read, as a list for ww_confine. */
const char *const *ww_emulate_reach(const ww_emulate_options *o, ww_arena *a);

/* sandbox.c */
/* Fills *out but for its launches. */
ww_status ww_sandbox_run(const ww_sandbox *s, ww_arena *a, ww_emulated *out, ww_err *e);

#endif
