/* emu.h - what the stand-ins for GPU runtimes share; linked into the emulated program,
 * not used by warpwise itself.
 *
 *   state.c    what the parent wrote down (kernels, symbols, GPU), the recorder, errors
 *   heap.c     the program's device memory: ordinary memory with a map from addresses
 * to allocations launch.c   one launch: checked, recorded, run when asked for execute.c
 * a kernel in the warp interpreter, in the program's own memory cudart.c, copy.c,
 * stream.c, texture.c, driver.c, curand.c, hostmath.c   the CUDA API; omp.c   OpenMP's
 *
 * One lock guards the map and the tables; API calls may come from any thread of the
 * program. */
#ifndef WW_EMU_H
#define WW_EMU_H

#include "../../../base/base.h"
#include "../../record/recorder.h"

/* Numbers of the CUDA API's errors, as far as the stand-in returns them. */
enum {
  EMU_OK = 0,
  EMU_INVALID_VALUE = 1,
  EMU_OUT_OF_MEMORY = 2,
  EMU_INVALID_CONFIGURATION = 9,
  EMU_INVALID_PITCH = 12,
  EMU_INVALID_SYMBOL = 13,
  EMU_INVALID_DIRECTION = 21,
  EMU_MISSING_CONFIGURATION = 52,
  EMU_INVALID_FUNCTION = 98,
  EMU_INVALID_DEVICE = 101,
  EMU_INVALID_HANDLE = 400,
  EMU_NOT_FOUND = 500,
  EMU_ILLEGAL_ADDRESS = 700,
  EMU_OUT_OF_RESOURCES = 701,
  EMU_COOPERATIVE_TOO_LARGE = 720,
  EMU_NOT_SUPPORTED = 801
};

/* ---- state.c ---- */

typedef struct {
  uint32_t size; /* bytes */
  bool pointer, byval, readonly;
  const char *type; /* "f32", "i32"; NULL: not a plain number */
} ww_emu_param;

typedef struct ww_emu_symbol ww_emu_symbol;

typedef struct {
  const char *mangled, *name, *file;
  const char *const *more; /* further files of its code, NULL-terminated, or NULL */
  bool known;              /* the front end listed it, else only its name is known */
  ww_emu_param *params;
  uint32_t nparams;
  ww_emu_symbol **symbols; /* those it reaches */
  uint32_t nsymbols;
  uint32_t shared_static, max_threads;
  uint32_t shared_allowed; /* cudaFuncAttributeMaxDynamicSharedMemorySize, 0: not set */
  /* its function in the parsed module, -1: not looked up yet, -2: not there, -3:
   * several */
  int32_t fn;
} ww_emu_kernel;

struct ww_emu_symbol {
  const char *name, *mangled;
  uint64_t bytes, address; /* address 0: not there yet */
  const char *init_hex;    /* initial contents, or NULL for zeros */
  bool texture;            /* a texture or surface reference */
  bool written;            /* kernels can write to it: no __constant__ */
};

typedef struct {
  ww_arena *arena; /* of the process */
  ww_recorder *recorder;
  enum { WW_EMU_SKIP, WW_EMU_ALL, WW_EMU_AUTO } execute; /* as ww_execute */
  double execute_s;         /* seconds that kernels may run by need */
  const char *ir;           /* path of the modules' text, for execute.c */
  const char *const *flags; /* the build's, for launch specs */
  /* the GPU the program sees */
  const char *gpu_name;
  int major, minor;
  uint32_t sms, lanes, threads_sm, blocks_sm;
  uint64_t memory, shared_sm, shared_block, l2, clock_khz, memory_clock_khz, bus_bits;
} ww_emu;

ww_emu *ww_emu_get(void); /* made on first use; never NULL */
void ww_emu_lock(void);   /* recursive */
void ww_emu_unlock(void);
int ww_emu_error(int code); /* remembers it when it is one; returns it */
int ww_emu_last_error(bool clear);
/* once per text, on stderr and in the record */
void ww_emu_note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Made when unknown; `mangled` may be clang's name, nvcc's is kept. */
ww_emu_kernel *ww_emu_kernel_named(const char *mangled);
ww_emu_symbol *ww_emu_symbol_named(const char *mangled, uint64_t bytes);
/* The symbol lives at `address`, `bytes` long: gets its initial contents and a place in
 * the map. */
void ww_emu_symbol_place(ww_emu_symbol *s, void *address, uint64_t bytes);

/* ---- heap.c ---- */

typedef enum {
  EMU_DEVICE,
  EMU_MANAGED,
  EMU_PINNED,
  EMU_REGISTERED,
  EMU_SYMBOL,
  EMU_ARRAY
} ww_emu_kind;

typedef struct {
  uint64_t base, bytes, id;
  uint8_t kind; /* ww_emu_kind */
  bool unknown; /* a kernel that was not run may have written to it */
  /* what to give back: munmap of `mapped` bytes, or free when mapped is 0; NULL: not
   * ours */
  void *map;
  size_t mapped;
} ww_emu_block;

/* Zeroed, aligned to 256 bytes, apart from its neighbours; NULL when the GPU's memory
 * is used up (pinned memory is the host's). */
void *ww_emu_alloc(uint64_t bytes, ww_emu_kind kind);
/* memory that others own */
void ww_emu_adopt(void *address, uint64_t bytes, ww_emu_kind kind);
bool ww_emu_free(void *address,
                 bool pinned); /* false: not the start of an allocation of that sort */
bool ww_emu_find(uint64_t address, ww_emu_block *out);
uint32_t ww_emu_blocks(const ww_emu_block **out); /* by address; under the lock */
/* The allocation around the address, if there is one. */
void ww_emu_set_unknown(uint64_t address, bool unknown);
uint64_t ww_emu_used(void); /* bytes of device memory */

/* ---- launch.c ---- */

typedef struct {
  ww_emu_kernel *kernel;
  uint64_t grid[3], block[3], shared;
  bool cooperative;
  const void *const *values; /* per argument */
  const uint32_t *sizes;
  uint32_t nargs;
  const char *note;
} ww_emu_launch;

/* checks, records, runs; an EMU_ error */
int ww_emu_launch_now(const ww_emu_launch *l);
/* Whether what its memory holds is known no more, or again. */
void ww_emu_doubt(const ww_emu_launch *l, bool unknown);
/* with copies of the arguments, by malloc */
void ww_emu_launch_copy(const ww_emu_launch *l, ww_emu_launch *out);

/* ---- cudart.c ---- */

#define WW_EMU_MOST_ARGS 1024

typedef struct {
  unsigned x, y, z;
} dim3;

/* The launch of the host's function fn. */
int ww_emu_stub_launch(const void *fn,
                       dim3 grid,
                       dim3 block,
                       size_t shared,
                       void **args,
                       uint32_t sizes[WW_EMU_MOST_ARGS],
                       ww_emu_launch *l);

/* ---- stream.c: graphs ---- */

int ww_emu_graph_operation(void **node,
                           void *graph,
                           void (*fn)(void *),
                           const void *data,
                           size_t n); /* data is copied */

/* While a stream is captured its operations are kept instead of done. True: it was
 * kept. */
bool ww_emu_capture_launch(const ww_emu_launch *l);
bool ww_emu_capture_call(void (*fn)(void *),
                         const void *data,
                         size_t n); /* data is copied; fn gets the copy */

/* ---- execute.c ---- */

/* deadline: of ww_now's clock, blocks beyond it are left out; 0: none */
int ww_emu_execute(const ww_emu_launch *l, double deadline);

/* ---- defer.c: kernels that run by need ---- */

void ww_emu_defer(const ww_emu_launch *l);       /* under the lock */
void ww_emu_read(const void *p, uint64_t bytes); /* the program reads it now */
void ww_emu_written(const void *p);              /* it is written, or given back */
void ww_emu_waited(void);                        /* for the device */

/* ---- texture.c ---- */

bool ww_emu_is_texture(uint64_t handle);

/* ---- exported functions ---- */

/* Most of what a program passes makes no difference here. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What a file defines behind this header without `static` can be called by the program
 * and its libraries. */
#pragma GCC visibility push(default)

/* Callers pass more arguments than functions here take: those behind the last one that
 * is looked at are left out, which is harmless in the calling conventions of x86-64,
 * AArch64, POWER and RISC-V.
 */
/* Other names of a function of the same file: WW_EMU_SAME(cudaFree) cudaFreeAsync,
 * cuMemFree; */
#define WW_EMU_SAME(function) \
  extern __attribute__((alias(#function))) __typeof__(function)
/* Functions with one answer, whatever the arguments: as the result, or in the first
 * argument. */
#define WW_EMU_ALWAYS(name, value) \
  int name(void) {                 \
    return value;                  \
  }
#define WW_EMU_ANSWER(name, type, value) \
  int name(type *answer) {               \
    *answer = value;                     \
    return EMU_OK;                       \
  }
/* Those with the answers 0, which is EMU_OK too, and 1: WW_EMU_ZERO cudaProfilerStart,
 * cuInit; */
static __attribute__((unused)) int ww_emu_zero(void) {
  return 0;
}
static __attribute__((unused)) int ww_emu_one(void) {
  return 1;
}
#define WW_EMU_ZERO WW_EMU_SAME(ww_emu_zero)
#define WW_EMU_ONE WW_EMU_SAME(ww_emu_one)

#endif
