/* recorder.h - from launches as a program makes them to launch specs, one line per
 * distinct launch.
 *
 * Used inside the recorded program: by the CUDA injection library, the OpenCL
 * interposer and the emulated runtimes. No LLVM, no exit, no output but its own files.
 * Memory and output are bounded: launches beyond the bound count into the line most
 * like them, so that counts always sum up to what the program launched. Thread-safe.
 *
 * Lines are written when they are first seen and the file is written anew with its
 * counts every few seconds and at close, so that a program that crashes or is killed
 * keeps what it did. */
#ifndef WW_RECORDER_H
#define WW_RECORDER_H

#include "../../report/launch.h"

/* How the recorder sees the program's device memory. */
typedef struct {
  void *ctx;
  /* The allocation that holds `address`, its serial number as id; false: no device
   * pointer. */
  bool (*find)(
      void *ctx, uint64_t address, uint64_t *base, uint64_t *bytes, uint64_t *id);
  bool (*read)(void *ctx, uint64_t address, void *out, size_t n); /* device -> host */
} ww_recorder_memory;

typedef struct {
  const void *bytes; /* the argument's value, `size` bytes; NULL: OpenCL local memory of
                        `size` bytes */
  uint32_t size;
  /* 1: it is one pointer; 0: no pointer in it; -1: unknown, look for device pointers at
   * every 8 bytes */
  int8_t pointer;
  /* a by-value aggregate: written as hex (with ptrs), never as value or buffer */
  bool struct_;
  /* "f32", "i32" when known: scalars are then written as value; NULL: hex */
  const char *type;
} ww_raw_arg;

typedef struct {
  const char *name; /* as the source has it */
  uint64_t address, bytes;
} ww_raw_symbol;

typedef struct {
  const char *kernel; /* mangled */
  const char *file;   /* source or NULL */
  /* further files that its code comes from, NULL-terminated, or NULL */
  const char *const *more;
  const ww_library_call *library; /* in place of the program's own code, or NULL */
  const char *const *flags;       /* build options, NULL-terminated, or NULL */
  /* compiled code or NULL; stored beside by its hash, once; unchanged while recording
   * goes on */
  const void *binary;
  size_t binary_n;
  const char *binary_suffix; /* "cubin", "ptx"; "cl": source text, stored always and the
                                line's `file` */
  /* its PTX or NULL: stored always, the line's `file` where no source is named */
  const char *ptx;
  size_t ptx_n;
  uint64_t grid[3], block[3], shared;
  bool cooperative;
  const ww_raw_arg *args;
  uint32_t nargs;
  /* __constant__ and __device__ variables of its module */
  const ww_raw_symbol *symbols;
  uint32_t nsymbols;
  const char *note; /* why it cannot be replayed ("texture argument"), or NULL */
} ww_raw_launch;

typedef struct {
  const char *path;        /* launches.jsonl; contents and binaries go to <path>.d/ */
  bool contents;           /* every buffer's bytes, zstd, stored by hash */
  bool binaries;           /* the compiled code */
  uint64_t contents_limit; /* bytes before compression in all; 0: 1 GiB */
  /* bytes of an allocation, larger ones are left out without a word; 0: any */
  uint64_t contents_each;
  /* distinct launches kept per kernel and in all; 0: 64 and 10000; a kernel's first
   * always is */
  uint32_t per_kernel, most;
  const char *source; /* `file` of lines that would have none; NULL */
} ww_recorder_options;

typedef struct ww_recorder ww_recorder;
/* Both open. The process that creates the file owns it: one that finds it there (a
 * forked child, the second program of a script) writes to a file of the same name with
 * its process id before the extension. Remove old files first. */
/* From WARPWISE_RECORD (JSON, as the record command sets it); NULL when the variable is
 * not there.
 */
ww_recorder *ww_recorder_from_env(const ww_recorder_memory *m);
ww_recorder *
ww_recorder_open(const ww_recorder_options *o, const ww_recorder_memory *m, ww_err *e);
/* defaults filled in */
const ww_recorder_options *ww_recorder_asked(const ww_recorder *r);
/* Called before the launch runs, so that contents are the kernel's inputs. Never fails
 * the program.
 */
void ww_recorder_launch(ww_recorder *r, const ww_raw_launch *l);
/* What the person who records should know ("graph launches are not seen"), once each; a
 * comment line of the file. */
void ww_recorder_note(ww_recorder *r, const char *text);
/* accepts NULL; writes the counts: at the program's end, threads may still launch */
void ww_recorder_flush(ww_recorder *r);
void ww_recorder_close(ww_recorder *r); /* accepts NULL; writes the final file */

/* The value of the variable for a child that is to be recorded. */
char *ww_recorder_env(const ww_recorder_options *o, ww_arena *a);

/* ---- after the program has ended (recorded.c) ---- */

typedef struct {
  ww_launch *lines; /* in order of their first launch */
  uint32_t nlines, kernels;
  uint64_t launches; /* sum of the counts */
  const char **notes;
  uint32_t nnotes;
} ww_recorded_run;
/* Removes what an earlier recording left at path, other processes' files too; contents
 * and code beside it stay. */
void ww_recorded_clear(const char *path);
void ww_recorded_clear_parts(const char *path); /* those of other processes alone */
/* Puts the files of all processes together in the one at path, equal lines into one,
 * and reads it. No line: WW_OK. */
ww_status
ww_recorded_collect(const char *path, ww_arena *a, ww_recorded_run *out, ww_err *e);

#endif
