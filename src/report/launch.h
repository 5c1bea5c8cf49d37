/* launch.h - the launch spec: which kernel, which shape, which arguments with which
 * contents.
 *
 * One JSON object per launch, exactly as docs/launch.md says; every command reads it,
 * `record` writes it. Parsing keeps what was not given as "not given": later stages
 * fill it and list what they assumed.
 *
 * The life of a spec: parse (JSON, comment, --arg) -> merge, strong over weak ->
 * resolve against the kernel's parameters (names to positions, expressions to numbers).
 * Only a resolved spec may be read position by position. */
#ifndef WW_LAUNCH_H
#define WW_LAUNCH_H

#include "../base/base.h"
#include "tensormap.h"

typedef enum {
  WW_FILL_NONE, /* not given */
  WW_FILL_ZEROS,
  WW_FILL_ONES,
  WW_FILL_INDEX,
  WW_FILL_RANDOM,
  WW_FILL_UNIFORM, /* lo .. hi, hi exclusive */
  WW_FILL_PERMUTATION,
  WW_FILL_MONOTONE, /* row pointers: non-decreasing, first is lo, last is hi */
  WW_FILL_ZIPF,     /* lo .. hi, hi exclusive; lo the most frequent */
  WW_FILL_FILE,
  WW_FILL_SKEWED, /* as monotone, but few rows have most of the entries */
  WW_NFILLS
} ww_fill_kind;

/* Row pointers: what they hold depends on how many there are. */
static inline bool ww_fill_is_rows(uint8_t kind) {
  return kind == WW_FILL_MONOTONE || kind == WW_FILL_SKEWED;
}

typedef struct {
  uint8_t kind;  /* ww_fill_kind */
  double lo, hi; /* both 0: not given, the kind's default */
  /* given as expressions over arguments; NULL once resolved */
  const char *lo_expr, *hi_expr;
  const char *path; /* WW_FILL_FILE, resolved */
  /* the folder that it must lie below when it is read; NULL: anywhere */
  const char *root;
} ww_fill;

typedef struct {
  uint64_t bytes; /* size of the allocation; 0 not given */
  /* the same as an expression over arguments; NULL once resolved */
  const char *bytes_expr;
  /* size in elements of `type`, else of the parameter's pointee; NULL once resolved */
  const char *count_expr;
  uint64_t offset; /* where the pointer points inside it, bytes */
  /* buffers with the same id are one allocation; NULL: its own */
  const char *id;
  const char *type; /* "f32", "i32", ... or NULL */
  /* OpenCL's local memory: `bytes` per work-group, no contents */
  bool local;
  ww_fill fill;
  uint8_t head[64]; /* first bytes as recorded */
  uint32_t head_n;
} ww_buffer;

typedef enum {
  WW_ARG_NONE,
  WW_ARG_VALUE,
  WW_ARG_BUFFER,
  WW_ARG_HEX,
  WW_ARG_TENSORMAP /* of `buffer`, described by `map` */
} ww_arg_kind;

typedef struct {
  uint32_t at; /* byte position of the pointer in the aggregate */
  ww_buffer buffer;
} ww_ptr;

typedef struct {
  const char *name; /* when given by name (--arg n=4, "name":"n"), else NULL; all
                       digits: a position */
  uint8_t kind;     /* ww_arg_kind */
  /* value was written as an integer; ivalue holds it, of 2^63 .. 2^64-1 the bits */
  bool is_int;
  int64_t ivalue;
  double value; /* always the value */
  /* value given as an expression over other arguments ("n*4"), unevaluated; NULL once
   * resolved */
  const char *expr;
  ww_buffer buffer;
  ww_tensor_map *map;
  const uint8_t *hex; /* raw little-endian bytes */
  uint32_t hex_n;
  ww_ptr *ptrs;
  uint32_t nptrs;
} ww_arg;

typedef struct {
  const char *name;
  ww_arg arg;
} ww_symbol_arg;

#define WW_LIBRARY_SIZES 4

/* A call of a library whose kernels are the vendor's: what it does is known, its code
 * is not. */
typedef struct {
  const char *name, *call; /* "cublas", "gemm": a row of predict/model/library.def */
  const char *type;        /* of an element: "f32" */
  uint64_t size[WW_LIBRARY_SIZES]; /* as the row says: m, n, k, batch; 1: not given */
} ww_library_call;

typedef struct {
  /* NULL when not given; file resolved against the spec's folder */
  const char *file, *kernel;
  /* further files of the program that the kernel's code comes from */
  const char **more;
  uint32_t nmore;
  const ww_library_call *library; /* in place of a kernel of the program; or NULL */
  uint64_t grid[3], block[3];     /* blocks, threads; 0 when not given */
  /* given as expressions ("n/256"); NULL once resolved */
  const char *grid_expr[3], *block_expr[3];
  /* of a block in all, in the shape that the launch has otherwise, with as many threads
   * in the grid; 0: as `block` says */
  uint64_t threads;
  uint64_t cluster[3]; /* blocks of a cluster; 0 when not given */
  uint64_t shared;     /* dynamic shared memory, bytes */
  const char *shared_expr;
  bool shared_given;
  bool warm;        /* "cache":"warm" */
  bool cooperative; /* all blocks resident at once, grid-wide barriers allowed */
  /* compiled code (.cubin, .ptx, .fatbin) that a device runs instead of compiling
   * `file`; NULL */
  const char *binary;
  ww_arg *args;
  uint32_t nargs;
  ww_symbol_arg *symbols;
  uint32_t nsymbols;
  const char **flags;
  uint32_t nflags;
  /* contents generator; 0 not given, 1 once parsed from JSON or resolved */
  uint64_t seed;
  uint64_t count; /* launches this line stands for; 0 and 1 as with seed */
  /* where in the program's order they ran, as pairs: from which launch on, counted from
   * 0, how many in a row; NULL: not known */
  const uint64_t *at;
  uint32_t nat;     /* numbers, two a pair */
  const char *note; /* what a recorder has to say about it; passed on, not read */
  const char *dir;  /* folder the spec's paths resolve against */
} ww_launch;

/* ---- launch_parse.c ---- */
/* One spec from JSON text; dir resolves relative paths. Unknown members are an error
 * that names them. */
ww_status ww_launch_parse(
    const char *json, const char *dir, ww_arena *a, ww_launch *out, ww_err *e);
/* A file of one spec or of one spec per line (empty lines and lines that start with #
 * are skipped).
 */
ww_status
ww_launch_read(const char *path, ww_arena *a, ww_launch **out, uint32_t *n, ww_err *e);
/* The same of its text, which is cut up; `file` is for messages and relative paths. */
ww_status ww_launch_read_text(char *text,
                              size_t bytes,
                              const char *file,
                              ww_arena *a,
                              ww_launch **out,
                              uint32_t *n,
                              ww_err *e);

/* ---- launch_write.c ---- */
void ww_launch_write(const ww_launch *l, ww_json *j);

/* ---- copy.c ---- */
/* stands on its own */
void ww_launch_copy(const ww_launch *l, ww_arena *a, ww_launch *out);
/* Calls `each` for every buffer of the launch's arguments and symbols, until one fails.
 */
typedef ww_status ww_buffer_visit(void *ctx, ww_buffer *b, ww_err *e);
ww_status ww_launch_buffers(ww_launch *l, ww_buffer_visit *each, void *ctx, ww_err *e);
/* A copy whose paths, which were relative to `dir`, are found from here: of the source,
 * the binary, contents. */
void ww_launch_locate(const ww_launch *given,
                      const char *dir,
                      ww_arena *a,
                      ww_launch *out);

/* ---- launch_merge.c ---- */
/* The short forms; all add to *out, which starts zeroed. */
/* The `// warpwise: grid=n/256 block=256 n=1<<20 x=[n]` form, with or without what
 * stands before grid=. */
ww_status ww_launch_comment(const char *text, ww_arena *a, ww_launch *out, ww_err *e);
/* One `name=value` of --arg: a number, an expression, [n], f32[n], [n]:fill, hex:0a0b.
 */
ww_status ww_launch_arg(const char *text, ww_arena *a, ww_launch *out, ww_err *e);
/* "4096", "n/256", "64,64" or "[64,64]" into grid or block; `what` names it in
 * messages. */
ww_status ww_launch_shape(const char *text,
                          const char *what,
                          ww_arena *a,
                          uint64_t dims[3],
                          const char *exprs[3],
                          ww_err *e);
/* "zeros", "uniform(0,10)", "monotone(0,nnz)", "file(x.bin)". */
ww_status
ww_launch_fill(const char *text, const char *dir, ww_arena *a, ww_fill *out, ww_err *e);
/* Puts what `over` gives over what `under` gives (strong over weak). */
void ww_launch_merge(ww_launch *under, const ww_launch *over, ww_arena *a);

/* What a spec is resolved against: the kernel's parameters. */
typedef struct {
  const char *const *names;
  /* what each points to, bytes; 0 or NULL unknown: a size in elements is then an error
   */
  const uint32_t *elem_bytes;
  uint32_t n;
  /* the first is the runtime's own, which no source names (OpenMP) */
  bool state_first;
  /* folder that files with contents have to lie below; NULL: anywhere */
  const char *root;
} ww_launch_params;
/* Names to positions, expressions to numbers, seed and count to their defaults.
 * Afterwards args[i] is parameter i (kind WW_ARG_NONE where nothing was given) and no
 * *_expr is left. Grid and block may stay "not given". The lists of *l are new ones. */
ww_status
ww_launch_resolve(ww_launch *l, const ww_launch_params *p, ww_arena *a, ww_err *e);
/* All of it: *l over what the kernel's comment says, over what the host code says
 * (NULL: nothing), resolved (p NULL: not). */
ww_status ww_launch_settle(ww_launch *l,
                           const char *comment,
                           const ww_launch *host,
                           const ww_launch_params *p,
                           ww_arena *a,
                           ww_err *e);

/* ---- expr.c ---- */
/* Integer and float expressions: + - * / % ** << >> comparisons && || ! ?: min max ( )
 * numbers (1e6, 0x10, 1.5), names by callback. */
typedef bool (*ww_expr_lookup)(void *ctx, const char *name, size_t n, double *value);
typedef struct {
  bool is_int;
  int64_t i; /* exact when is_int; a lone literal of 2^63 .. 2^64-1 gives its bits */
  double f;  /* always the value */
} ww_number;
ww_status ww_expr_number(
    const char *text, ww_expr_lookup lookup, void *ctx, ww_number *out, ww_err *e);
bool ww_expr_has_name(const char *text); /* needs a lookup */
/* A lookup that checks the syntax alone: names stand for any value, so a division by
 * zero or a shift too far is no error. */
bool ww_expr_any(void *ctx, const char *name, size_t n, double *value);

/* ---- fill.c ---- */
/* The seeded counter-based contents generator: element i of an allocation, the same
 * bytes in trace and on the device. type: element type name ("f32", "f64", "f16",
 * "bf16", "i8", "u8", "i16", "i32", "u32", "i64", "float4", ...), NULL: "u8". `count`
 * is the number of elements of the allocation (permutation, monotone and zipf need it).
 * Any split of an allocation into calls gives the same bytes. */
void ww_fill_bytes(const ww_fill *f,
                   const char *type,
                   uint64_t count,
                   uint64_t seed,
                   uint64_t first_elem,
                   uint64_t n_elems,
                   void *out);
/* The seed of one allocation of a launch: by the first kernel argument that points to
 * it, 1000 + index in the launch's symbols, or WW_ALLOCATION_PTR for pointer n (of
 * ptrs) inside argument p. */
#define WW_ALLOCATION_PTR(p, n) ((p)*64u + (n) + 4096u)
uint64_t ww_fill_seed(uint64_t launch_seed, uint32_t allocation);
/* What fills count with: whole numbers from lo to below hi; log2 of x >= 1 without
 * libm, whose bits are the same everywhere. */
uint64_t ww_fill_steps(double lo, double hi);
double ww_fill_log2(double x);
uint32_t ww_elem_size(const char *type); /* bytes, 0 unknown name */
/* i8 .. u64, their C names and vectors of them; not bool */
bool ww_elem_is_int(const char *type);
/* Its components: kind 'f' float, 'b' bfloat16, 'i' integer, '?' bool; bytes of one,
 * how many. False: unknown name. */
bool ww_elem_parts(const char *type, char *kind, uint32_t *bytes, uint32_t *lanes);
/* "zeros", ...; NULL for WW_FILL_NONE */
extern const char *const ww_fill_names[WW_NFILLS];

#endif
