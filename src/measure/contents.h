/* contents.h - what a ready launch needs on a device, the same for every backend: its
 * allocations with their contents, its pointers, its scalars.
 *
 * The bytes are those of the trace (src/trace/setup.c): an allocation's seed comes from
 * the first argument that points to it, a pointer inside a struct counts as argument *
 * 64 + n + 4096, the i-th symbol of the spec as 1000 + i. Contents without a type are
 * i32; what no element reaches, and buffers without a fill, are zeros. */
#ifndef WW_MEASURE_CONTENTS_H
#define WW_MEASURE_CONTENTS_H

#include "../report/launch.h"
#include "cuda/fill_core.h"

#define WW_SYMBOL_ARG 1000 /* `arg` of what belongs to symbol i: WW_SYMBOL_ARG + i */

typedef struct {
  const char *label; /* for messages: "argument 2", "argument 0, pointer at byte 8",
                        "symbol `coef`" */
  const char *id;    /* NULL: of one pointer alone */
  ww_fill fill;
  const char *type; /* never NULL */
  uint64_t bytes;   /* of the allocation: the largest that its buffers ask for */
  /* bytes that have contents, as the first of its buffers says; zeros behind */
  uint64_t filled;
  uint64_t seed;
} ww_allocation;

typedef struct {
  uint32_t arg; /* parameter, or WW_SYMBOL_ARG + symbol */
  /* byte of the parameter where the address stands; 0 for a plain pointer */
  uint32_t at;
  uint32_t allocation; /* index into ww_buffer_contents.v */
  uint64_t offset;     /* bytes into the allocation */
  /* the argument is the pointer; else it stands inside a struct or a symbol */
  bool plain;
} ww_pointer;

typedef struct {
  ww_allocation *v;
  uint32_t n;
  ww_pointer *pointers;
  uint32_t npointers;
} ww_buffer_contents;

/* The allocations and pointers of a ready spec; a buffer without a size or with an
 * unknown type is an error. Local memory (OpenCL) is not among them. */
ww_status
ww_contents_plan(const ww_launch *l, ww_arena *a, ww_buffer_contents *out, ww_err *e);

/* The contents of one allocation, `bytes` long, made by up to `threads` threads (0: one
 * per core, 16 at most). */
ww_status ww_contents_make(const ww_fill *f,
                           const char *type,
                           uint64_t bytes,
                           uint64_t seed,
                           uint32_t threads,
                           void *out,
                           ww_err *e);

/* The same as a job for the device's generator; false where the host must make them
 * (files, unknown types). */
bool ww_contents_job(const ww_fill *f,
                     const char *type,
                     uint64_t bytes,
                     uint64_t seed,
                     ww_fill_job *out);

/* A scalar as `size` bytes: written as an integer it is one, else a float of that size.
 * `what` takes it: "argument 3". */
ww_status ww_contents_scalar(
    const ww_arg *g, const char *what, uint64_t size, void *to, ww_err *e);

#endif
