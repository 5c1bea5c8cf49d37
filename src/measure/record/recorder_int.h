/* recorder_int.h - what the recorder's files share: the table of distinct launches, and
 * how one is found and written.
 *
 *   recorder.c        which line a launch belongs to: keys, the hash table, the bounds
 *   recorder_line.c   a launch seen for the first time -> a launch spec, with what it
 * reads from the device recorder_file.c   the files: lines, contents, compiled code;
 * the environment variable
 */
#ifndef WW_RECORDER_INT_H
#define WW_RECORDER_INT_H

#include <pthread.h>

#include "../../base/map.h"
#include "recorder.h"

/* A device pointer found in an argument. */
typedef struct {
  uint32_t arg, at; /* which argument, byte position in it */
  /* index of the first pointer of this launch into the same allocation */
  uint32_t alias;
  uint64_t address, base, bytes, id;
} ww_found;

typedef struct {
  /* in the recorder's arena; count and note are completed when it is written */
  ww_launch spec;
  /* shape, then the arguments without what differs from run to run */
  const uint64_t *key;
  uint32_t key_n; /* words */
  uint32_t next;  /* next line of the kernel + 1; 0 ends */
  uint64_t count; /* launches counted here */
  WW_VEC(uint64_t)
  at;                 /* where in the program, as in ww_launch; at most WW_RUNS pairs */
  uint64_t others;    /* of these, launches with another key, beyond the bounds */
  double log_threads; /* log2 of all threads */
} ww_line;

typedef struct {
  const char *name;          /* mangled */
  const char *file, *binary; /* as written to its lines, or NULL */
  const char **flags, **more;
  uint32_t nflags, nmore;
  uint32_t first, lines; /* first line + 1, how many */
} ww_recorded_kernel;

#define WW_CODE_CACHE 1024
/* of a line: what comes later is counted and has no place */
#define WW_RUNS 1024

struct ww_recorder {
  ww_recorder_options o;
  ww_recorder_memory memory;
  pthread_mutex_t lock;
  ww_recorder *next_open; /* all open recorders, for fork */
  bool forked;            /* this is a child's copy: it starts a file of its own */
  ww_arena *arena;        /* lifetime: until closed or forked */
  /* from here on of one file: all zero when it begins */
  bool broken; /* the file cannot be written: nothing more is tried */
  WW_VEC(ww_line) lines;
  WW_VEC(ww_recorded_kernel) kernels;
  ww_strings notes;
  ww_map line_at, kernel_at; /* from hashes to indices */
  WW_VEC(uint64_t) key;      /* of the launch at hand */
  WW_VEC(ww_found) found;    /* its pointers */
  struct {
    const void *code;
    size_t n;
    uint64_t hash;
  } codes[WW_CODE_CACHE]; /* hashes of compiled code, by address */
  /* where lines go; the folder for contents, with its name relative to the lines'
   * folder */
  const char *path, *dir;
  const char *dir_name;
  uint64_t launches;     /* so far */
  uint64_t stored, read; /* bytes of contents written and read so far */
  bool dirty;            /* counts changed since the file was written */
  /* when the file was last written, and how long that took, seconds */
  double written, cost;
};

/* The allocation around f->address. */
bool ww_recorder_find(const ww_recorder *r, ww_found *f);

/* recorder_line.c: fills line->spec; reads heads and contents from the device. */
void ww_recorder_describe(ww_recorder *r,
                          const ww_raw_launch *l,
                          const ww_recorded_kernel *k,
                          ww_line *line);

/* recorder_file.c */
ww_status ww_recorder_claim(ww_recorder *r,
                            ww_err *e); /* creates the file of lines: r->path, r->dir */
void ww_recorder_append(ww_recorder *r, const ww_line *line);
void ww_recorder_rewrite(ww_recorder *r);
/* Bytes into the folder beside the lines as <hash>.<suffix>, packed for "zst"; the name
 * to write into a spec, or NULL. */
const char *ww_recorder_store(
    ww_recorder *r, const void *data, size_t n, uint64_t hash, const char *suffix);
bool ww_recorder_has(ww_recorder *r, uint64_t hash); /* contents */
/* How a spec in r's file may name `file`: relative when it lies in the same folder or
 * below, else absolute. */
const char *ww_recorder_path_of(ww_recorder *r, const char *file);

#endif
