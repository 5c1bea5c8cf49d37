/* base.h - what every module stands on: status and error, arena, vector, string buffer,
 * JSON writer, files, child processes.
 *
 * Depends on nothing of ours. Out of memory ends the program in the allocator;
 * everything the world can cause returns a ww_status and fills a ww_err. Arenas are
 * named by lifetime (process, document, request) and always passed. */
#ifndef WW_BASE_H
#define WW_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

/* ---- errors (error.c) ---- */

typedef enum {
  WW_OK,
  WW_EUSAGE,
  WW_EIO,
  WW_EPARSE,
  WW_EUNSUPPORTED,
  WW_ELIMIT,
  WW_ECANCEL,
  WW_EDEVICE,
  WW_EDATA
} ww_status;

/* What code that handles an error has to know beyond its status. */
typedef enum {
  WW_REASON_NONE,
  WW_REASON_NO_KERNEL /* the file has none, not even one that could not be read */
} ww_err_reason;

typedef struct {
  ww_status code;
  ww_err_reason reason;
  /* source file the message is about, or NULL; arena- or static-owned */
  const char *file;
  uint32_t line, col;
  char msg[512];
} ww_err;

/* Fills *e (may be NULL) and returns code. A message says what to do next. */
ww_status ww_fail(ww_err *e, ww_status code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* 0 ok, 1 threshold, 2 usage, 3 bad input, 4 model or device missing */
int ww_exit_code(ww_status code);
/* "ok", "usage", "io", "parse", "unsupported", ... as in a report's error.code */
const char *ww_status_name(ww_status code);

/* ---- arena (arena.c): bump allocation, zeroed, freed all at once ---- */

typedef struct ww_arena ww_arena;
ww_arena *ww_arena_new(void);
void ww_arena_free(ww_arena *a);           /* accepts NULL */
size_t ww_arena_bytes(const ww_arena *a);  /* taken so far */
void *ww_alloc(ww_arena *a, size_t bytes); /* zeroed, 16-byte aligned, never NULL */
/* copies; extends in place when last. a NULL: as realloc */
void *ww_grow(ww_arena *a, void *old, size_t old_bytes, size_t new_bytes);
char *ww_strdup(ww_arena *a, const char *s); /* NULL stays NULL */
char *ww_strndup(ww_arena *a, const char *s, size_t n);
char *ww_fmt(ww_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define WW_NEW(a, T) ((T *)ww_alloc((a), sizeof(T)))
#define WW_NEWN(a, T, n) ((T *)ww_alloc((a), sizeof(T) * (size_t)(n)))

/* malloc family that ends the program when memory is out; for long-lived mutable things
 */
void *ww_xmalloc(size_t bytes);
void *ww_xcalloc(size_t n, size_t bytes);
void *ww_xrealloc(void *p, size_t bytes);
char *ww_xstrdup(const char *s);

/* ---- vector: WW_VEC(T) name; ww_push(arena, &name, item); without an arena name.v is
 * malloc's, and freed by free(name.v) ---- */

#define WW_VEC(T)    \
  struct {           \
    T *v;            \
    uint32_t n, cap; \
  }
#define ww_push(a, vec, ...)                                           \
  do {                                                                 \
    if ((vec)->n == (vec)->cap) {                                      \
      uint32_t cap_ = (vec)->cap ? (vec)->cap * 2 : 8;                 \
      (vec)->v = ww_grow((a), (vec)->v, (vec)->cap * sizeof *(vec)->v, \
                         cap_ * sizeof *(vec)->v);                     \
      (vec)->cap = cap_;                                               \
    }                                                                  \
    (vec)->v[(vec)->n++] = (__VA_ARGS__);                              \
  } while (0)

/* All of from[0 .. count). */
#define ww_append(a, vec, from, count)      \
  do {                                      \
    for (size_t i_ = 0; i_ < (count); i_++) \
      ww_push((a), (vec), (from)[i_]);      \
  } while (0)

typedef WW_VEC(const char *) ww_strings; /* texts that live elsewhere */
void ww_strings_add(ww_arena *a, ww_strings *to, const char *const *v, uint32_t n);

#define WW_COUNT(array) (sizeof(array) / sizeof *(array)) /* of elements */

/* Takes `item` out of a list, where it is, that goes on by `next`. */
#define ww_unlink(list, item)        \
  do {                               \
    __typeof__(list) *at_ = &(list); \
    while (*at_ != (item))           \
      at_ = &(*at_)->next;           \
    *at_ = (item)->next;             \
  } while (0)

static inline bool ww_starts(const char *s, const char *with) {
  return strncmp(s, with, strlen(with)) == 0;
}
/* Whether the name has this ending, and something in front of it. */
static inline bool ww_ends(const char *s, const char *with) {
  size_t n = strlen(s), m = strlen(with);
  return n > m && !strcmp(s + n - m, with);
}

static inline bool ww_strings_have(const ww_strings *list, const char *s) {
  for (uint32_t i = 0; i < list->n; i++)
    if (!strcmp(list->v[i], s))
      return true;
  return false;
}

/* ---- whole numbers ---- */

static inline uint64_t ww_least(uint64_t a, uint64_t b) {
  return a < b ? a : b;
}
static inline uint64_t ww_most(uint64_t a, uint64_t b) {
  return a > b ? a : b;
}
/* To a multiple of `to`. */
static inline uint64_t ww_round_up(uint64_t n, uint64_t to) {
  return (n + to - 1) / to * to;
}

/* ---- growing string (buf.c), always NUL-terminated; malloc-owned ---- */

typedef struct {
  char *s;
  size_t n, cap;
} ww_buf;
void ww_buf_add(ww_buf *b, const void *bytes, size_t n);
void ww_buf_puts(ww_buf *b, const char *s);
/* At most n bytes of a stranger's text, on one line, with '?' for what would move a
 * terminal's cursor or change its colours. */
void ww_buf_printable(ww_buf *b, const char *s, size_t n);
void ww_buf_fmt(ww_buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void ww_buf_free(ww_buf *b);
/* its text, from now on the arena's; frees it */
char *ww_buf_text(ww_buf *b, ww_arena *a);

/* ---- streaming JSON writer (json.c): the only place that prints JSON ---- */

typedef struct {
  ww_buf *out; /* NULL: `own` */
  ww_buf own;  /* who takes the text frees it */
  int depth;
  bool comma[32]; /* whether the open container already has a member */
  bool after_key; /* the next value belongs to a key just written */
  bool pretty;    /* one member a line; kept by ww_json_begin */
} ww_json;
void ww_json_begin(ww_json *j, ww_buf *out);   /* j zeroed, or used before */
void ww_json_key(ww_json *j, const char *key); /* before each value inside an object */
void ww_json_obj(ww_json *j);
void ww_json_end_obj(ww_json *j);
void ww_json_arr(ww_json *j);
void ww_json_end_arr(ww_json *j);
/* NULL prints null; bytes that are not UTF-8 become \ufffd */
void ww_json_str(ww_json *j, const char *s);
/* shortest round-trip form; NaN and infinities print null */
void ww_json_num(ww_json *j, double v);
void ww_json_int(ww_json *j, int64_t v);
void ww_json_uint(ww_json *j, uint64_t v);
void ww_json_bool(ww_json *j, bool v);
void ww_json_raw(ww_json *j, const char *json);
/* key + value in one call */
void ww_json_kstr(ww_json *j, const char *key, const char *s);
void ww_json_knum(ww_json *j, const char *key, double v);
void ww_json_kint(ww_json *j, const char *key, int64_t v);
void ww_json_kuint(ww_json *j, const char *key, uint64_t v);
void ww_json_kbool(ww_json *j, const char *key, bool v);

/* ---- files (file.c) ---- */

/* Reads a whole regular file of at most max bytes into the arena, NUL-terminated.
 * Pipes, sockets and devices are refused without waiting for anybody: what lies in a
 * folder may be anything. */
ww_status ww_read_file(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e);
/* The same of a path below the root, absolute or as seen from there; no link leads out
 * (WW_EUSAGE). NULL: anywhere. */
ww_status ww_read_below(ww_arena *a,
                        const char *root,
                        const char *path,
                        size_t max,
                        char **data,
                        size_t *n,
                        ww_err *e);
/* The same of what the user named on the command line, which may be a pipe. */
ww_status ww_read_input(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e);
/* Opened as these do: a regular file, or -1. */
int ww_open_file(const char *root, const char *path, uint64_t *size, ww_err *e);
bool ww_path_below(const char *path,
                   const char *root); /* by its words alone: both are real paths */
/* A path that is not trusted, as seen from the root -> an absolute one. WW_EUSAGE: it
 * leads outside. `exists`: it has to be there, links are followed. root NULL: any. */
ww_status ww_path_inside(const char *root,
                         const char *path,
                         bool exists,
                         ww_arena *a,
                         const char **out,
                         ww_err *e);
ww_status ww_write_file_atomic(const char *path,
                               const void *data,
                               size_t n,
                               ww_err *e); /* temp + rename */
/* The same of a file that may be packed: one whose name ends in .zst is unpacked
 * (zstd.c); max is of the unpacked bytes. Checksums that it has are checked. */
ww_status ww_read_packed(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e);
/* The same where damage must not go unseen: a packed file without a checksum is
 * refused. */
ww_status ww_read_checked(
    ww_arena *a, const char *path, size_t max, char **data, size_t *n, ww_err *e);
ww_status ww_read_packed_below(ww_arena *a,
                               const char *root,
                               const char *path,
                               size_t max,
                               char **data,
                               size_t *n,
                               ww_err *e);
ww_status ww_write_packed(const char *path,
                          const void *data,
                          size_t n,
                          int level,
                          ww_err *e); /* zstd, temp + rename */
/* all of it, or false with errno */
bool ww_write_all(int fd, const void *data, size_t n);
bool ww_file_exists(const char *path);
/* Every folder of the machine but those of devices and of the kernel. */
void ww_all_folders(ww_arena *a, ww_strings *out);
/* there, and no pipe or device: reading it does not wait for anybody */
bool ww_file_regular(const char *path);
/* $XDG_CACHE_HOME/warpwise or ~/.cache/warpwise, created; NULL if impossible */
const char *ww_cache_dir(ww_arena *a);
/* of the running program, to be run again; "warpwise" where the system does not tell */
const char *ww_self_path(ww_arena *a);
/* where shim/, gpus/ live: $WARPWISE_DATA, else beside the binary, else
 * PREFIX/share/warpwise */
const char *ww_data_dir(ww_arena *a);
bool ww_make_dirs(char *path); /* the folder and those above it */
const char *ww_path_join(ww_arena *a, const char *dir, const char *name);
const char *ww_path_dir(ww_arena *a, const char *path);
const char *ww_path_base(const char *path);
/* without links, from the root; as it is where it leads nowhere, or is NULL */
const char *ww_path_real(ww_arena *a, const char *path);
/* As it is seen from the current folder: what a patch calls the file. */
const char *ww_path_from_here(const char *path, ww_arena *a);

/* ---- what must not outlive the program (cleanup.c) ---- */

/* Lists it and gives its slot; -1 when the list is full, which every function takes.
 * Forget what is gone, or is to stay. */
int ww_cleanup_file(const char *path);
int ww_cleanup_tree(const char *path); /* a folder with all that is in it */
int ww_cleanup_group(pid_t leader);    /* a child's process group: killed */
int ww_cleanup_process(pid_t pid);     /* a child: asked to end */
void ww_cleanup_forget(int slot);
pid_t ww_fork(void); /* fork; the child ends when its parent does */
/* mkostemp, listed at once; a descriptor, -1 with errno */
int ww_temp_file(char *name, int *slot);
/* mkdtemp, listed at once; false with errno */
bool ww_temp_folder(char *name, int *slot);
/* a folder with all that is in it; signal handlers may call it */
bool ww_remove_tree(const char *path);
/* takes away all that is listed; signal handlers may call it */
void ww_cleanup_now(void);
/* main: INT, TERM and HUP clean up, then end the program */
void ww_end_on_signals(void);
void ww_end_by_signal(int number); /* cleans up and ends by that signal; for handlers */
/* says so, cleans up, ends; aborts in somebody else's program */
_Noreturn void ww_out_of_memory(size_t bytes);

/* ---- hashing (hash.c) ---- */
uint64_t ww_hash(const void *data,
                 size_t n,
                 uint64_t seed); /* stable across machines and versions */

/* ---- child processes (process.c) ---- */

typedef struct {
  ww_buf out, err; /* captured stdout and stderr; free with ww_run_free */
  int exit_code;   /* 128 + signal when killed */
  bool timed_out;
} ww_run_result;
/* Runs argv (NULL-terminated, argv[0] searched in PATH), feeding `input` (may be NULL).
 * Kills the whole group after timeout_s (0: none). Caps captured output at 1 GiB. */
ww_status ww_run(const char *const *argv,
                 const void *input,
                 size_t input_n,
                 double timeout_s,
                 ww_run_result *r,
                 ww_err *e);
/* The same while somebody watches; any member may be 0. */
typedef struct {
  const char *dir; /* its working folder; else ours */
  const char *env; /* NAME=VALUE on top of our environment */
  bool own_memory; /* ww_run_memory does not count */
  /* What it may do (confine.h). Its program is then an absolute path, its environment
   * `env` alone, and of our descriptors it has those of `keep`, at the same numbers. */
  const struct ww_confine *confine;
  const int *keep;
  uint32_t nkeep;
  /* bytes of address space for a confined one, where ww_run_memory sets no limit */
  uint64_t memory;
  /* a child that sleeps so long without using the processor is ended, as after
   * timeout_s */
  double idle_s;
  void (*line)(void *ctx, const char *line); /* each line of its stderr, as it comes */
  /* asked several times a second; true ends it with WW_ECANCEL */
  bool (*cancelled)(void *ctx);
  void *ctx;
} ww_run_watch;
ww_status ww_run_watched(const char *const *argv,
                         const void *input,
                         size_t input_n,
                         double timeout_s,
                         const ww_run_watch *watch,
                         ww_run_result *r,
                         ww_err *e);
void ww_run_free(ww_run_result *r);
/* of address space that each child started from now on may have; 0: no limit */
void ww_run_memory(uint64_t bytes);
/* from now on every child that runs or is started ends with WW_ECANCEL: a server ends
 */
void ww_run_stop(void);

double ww_now(void); /* monotonic seconds */
double ww_cpu(void); /* processor seconds of this thread */

/* ---- terminal (term.c): colour and progress, both silent when stderr/stdout is not a
 * terminal or NO_COLOR is set ---- */
bool ww_color_on(FILE *f);
void ww_set_color(int mode); /* -1 auto, 0 never, 1 always */
void ww_set_quiet(bool quiet);
bool ww_is_quiet(void);
/* total 0: count only; done == total clears the line. Under WARPWISE_PROGRESS=lines a
 * line `progress: WHAT DONE/TOTAL` on stderr instead. */
void ww_progress(const char *what, uint64_t done, uint64_t total);

#endif
