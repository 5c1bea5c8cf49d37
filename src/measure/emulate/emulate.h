/* emulate.h - records the launches of an unmodified CUDA or OpenMP program on a machine
 * without a GPU.
 *
 *   build.c    the program's host side, by clang, against our own runtime
 * (src/measure/emulate/runtime/, in libwarpwise.a); kernels' parameters from the front
 * end, handed to the runtime as a table (and their IR, for --execute) place.c    its
 * working folder: a copy made of links, so that it reads what it always read and writes
 * nowhere else reach.c    what it may read: its project, its sources, the files that
 * its arguments name sandbox.c  runs it: own scratch folder for what it writes, no
 * network, limits on time, memory and disk runtime/   the stand-ins: cudart.c
 * (allocations, copies, streams, events, properties, launches), omp.c (the
 * __tgt_ entry points); each launch goes to the recorder, and with --execute to the
 * warp interpreter
 *
 * Device memory is host memory of the program, so copies are memcpy and contents are
 * there to be recorded. */
#ifndef WW_EMULATE_H
#define WW_EMULATE_H

#include "../../front/front.h"
#include "../record/recorder.h"

/* Kernels are skipped, run in the interpreter, or run where the program looks at what
 * they did before it goes on (runtime/defer.c). */
typedef enum { WW_EXECUTE_NONE, WW_EXECUTE_ALL, WW_EXECUTE_AUTO } ww_execute;

typedef struct {
  /* the program's sources, device and host, with their flags (-I -D -std -O -l...) */
  ww_front_options front;
  const char *const
      *objects; /* .o, .a and .so files of its host side, for the linker as they are */
  uint32_t nobjects;
  const char *const *args; /* the program's own, NULL-terminated */
  const char *gpu;         /* whose properties the program sees; NULL: h200 */
  ww_execute execute;
  ww_recorder_options record;
  /* the program's working folder; NULL: the current one (it is not written to) */
  const char *dir;
  const char *const *read; /* further files and folders that it may read */
  uint32_t nread;
  const char *const *env; /* "NAME=value" in its environment, before the caller's */
  uint32_t nenv;
  double limit_s; /* of the program's run; 0: 60 */
  /* bytes it may allocate; 0: 16 GiB of address space beyond what it needs to start */
  uint64_t memory;
  uint64_t disk; /* bytes it may write; 0: 8 GiB */
  bool no_sandbox;
  int show_out,
      show_err; /* descriptors for what it prints; 0: it is kept for messages */
} ww_emulate_options;

typedef struct {
  int exit_code; /* of the program; 128 + signal */
  bool timed_out;
  bool disk_full;     /* it wrote more than the sandbox has room for, and was ended */
  uint64_t launches;  /* in all; 0 with a note says why */
  const char *output; /* end of what it printed, for messages */
  /* which protection of the sandbox this system does not have, or NULL */
  const char *weaker;
} ww_emulated;

/* Fails when the program cannot be built (the compiler's first error is in e); a
 * program that fails is a result. */
ww_status
ww_emulate(const ww_emulate_options *o, ww_arena *a, ww_emulated *out, ww_err *e);

#endif
