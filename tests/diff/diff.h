/* diff.h - generated kernels run by the interpreter and by a device, their memory compared.
 *
 * One kernel's memory is one block of bytes, an image: its buffers behind each other with gaps
 * between, the same layout on both sides. Kernels are taken in batches because a run of a compiler
 * costs more than a kernel does.
 *
 *   sample.c     numbers -> kernels with a small launch, their text and first image
 *   interpret.c  text -> IR -> the image after a full run, in two orders of the threads
 *   cuda.c, opencl.c  the same on a device
 *   compare.c    two images -> a verdict
 *   judge.c      verdicts of a batch -> rows;  run_diff.c  options, processes, the sum */
#ifndef WW_TESTS_DIFF_H
#define WW_TESTS_DIFF_H

#include "../../src/data/generate.h"
#include "../../src/front/front.h"

#define DIFF_BUFFERS 20  /* of a kernel, at most */
#define DIFF_GAP 256     /* bytes before, between and behind buffers */
#define DIFF_POISON 0xa5 /* what the gaps hold; a device must leave it alone */

/* How a text is compiled, by both sides. */
typedef enum {
  DIFF_PLAIN,   /* as a user would */
  DIFF_EXACT,   /* without contraction of a * b + c: every operation rounds, bits should agree */
  DIFF_RAISED,  /* the same, results of exp, sin and the like 2 ulp up: device alone */
  DIFF_LOWERED, /* and down */
  DIFF_WRAPPED, /* as DIFF_EXACT, signed integers wrap around: our side alone */
  DIFF_NVARIANTS
} diff_variant;

typedef struct {
  uint32_t arg;
  const char *type;   /* of an element, as launch specs name it */
  uint64_t at, bytes; /* in the image */
} diff_buffer;

typedef struct {
  ww_gen_kernel gen;
  ww_launch launch;
  const char *text; /* plain source */
  diff_buffer buffers[DIFF_BUFFERS];
  uint32_t nbuffers;
  uint64_t bytes;   /* of an image */
  uint8_t *initial; /* image before the run */
} diff_kernel;

/* ---- sample.c ---- */
typedef struct {
  uint32_t version, index;
  uint64_t seed;
} diff_number;
/* A kernel and the first of its launches that is small: milliseconds in the interpreter. */
ww_status diff_make(diff_number n, ww_gen_dialect d, ww_arena *a, diff_kernel *out, ww_err *e);
/* The texts of n kernels as one source of a variant. */
const char *
diff_source(const diff_kernel *const *k, uint32_t n, ww_gen_dialect d, diff_variant v, ww_arena *a);

/* ---- interpret.c ---- */
/* The IR of such a source. Kept in $WARPWISE_IR where that is set; a build without LLVM reads it
 * from there. */
ww_status diff_load(
    const char *text, ww_gen_dialect d, diff_variant v, ww_arena *a, ww_module *out, ww_err *e);
/* Runs all blocks: `image` gets what is left, `other` the same with blocks and warps in another
 * order. */
ww_status diff_interpret(const ww_module *m,
                         const diff_kernel *k,
                         uint8_t *image,
                         uint8_t *other,
                         uint64_t *steps,
                         ww_err *e);

/* ---- cuda.c, opencl.c ---- */
typedef struct diff_device diff_device;
typedef struct diff_program diff_program;
typedef struct {
  const char *name;
  ww_gen_dialect dialect;
  uint32_t together; /* kernels of a program that suit its compiler */
  /* `run` false: only compiles. */
  ww_status (*open)(bool run, ww_arena *a, diff_device **out, ww_err *e);
  ww_status (*build)(diff_device *d,
                     const diff_kernel *const *k,
                     uint32_t n,
                     diff_variant v,
                     ww_arena *a,
                     diff_program **out,
                     ww_err *e);
  /* image: before the run in, after it out. */
  ww_status (*run)(
      diff_device *d, diff_program *p, const diff_kernel *k, uint8_t *image, ww_err *e);
  void (*drop)(diff_device *d, diff_program *p); /* accepts NULL */
  void (*close)(diff_device *d);                 /* accepts NULL */
  const char *(*describe)(diff_device *d);       /* "NVIDIA H200, CUDA 13.0" */
} diff_backend;
extern const diff_backend diff_cuda, diff_opencl;

/* ---- compare.c ---- */
typedef enum {
  DIFF_SAME,
  DIFF_NEAR,
  DIFF_FAR
} diff_verdict; /* bits; within the tolerance; neither */
typedef struct {
  uint8_t verdict;     /* the worst of the elements' */
  uint64_t elements;   /* compared */
  uint64_t other, far; /* not the same bits; beyond the tolerance */
  double worst;        /* largest relative difference of a float */
  uint32_t arg;        /* where the first of the worst stands ... */
  uint64_t index;      /* ... component of the buffer */
  char ours[32], theirs[32];
} diff_comparison;
/* sorted: elements of a buffer in any order. */
void diff_compare(const diff_kernel *k,
                  const uint8_t *ours,
                  const uint8_t *theirs,
                  bool sorted,
                  diff_comparison *out);
bool diff_gaps_intact(const diff_kernel *k, const uint8_t *image);

/* ---- judge.c ---- */
#define DIFF_CLASSES(C)                                                                         \
  C(EQUAL, "equal", "same bits")                                                                \
  C(EXACT, "exact",                                                                             \
    "same bits when neither side contracts a * b + c, within the tolerance otherwise")          \
  C(NEAR, "near", "within the tolerance")                                                       \
  C(CONTRACTION, "contraction",                                                                 \
    "beyond it as compiled by default, not when neither side contracts")                        \
  C(MATH, "math",                                                                               \
    "beyond it, and the device is as far from itself when exp, sin and the like are 2 ulp off") \
  C(OVERFLOW, "overflow",                                                                       \
    "a signed integer overflows, which C leaves open: ours changes too when it wraps")          \
  C(ORDER, "order",                                                                             \
    "depends on the order of threads; equal as a set of values, or within the tolerance")       \
  C(ORDER_SET, "order-set",                                                                     \
    "which values are left depends on it, between our own two orders as well")                  \
  C(ORDER_FAR, "order-far", "depends on the order of threads, and differs")                     \
  C(FAR, "differs", "beyond the tolerance without an explanation")                              \
  C(REFUSED, "refused", "the interpreter did not run it")                                       \
  C(LAUNCH, "launch", "not compared: the device has too few registers for so large a block")    \
  C(DEVICE, "device", "the device did not run it, or wrote outside its buffers")                \
  C(COMPILED, "compiled", "compiled alone: no device was asked for")
typedef enum {
#define C(id, name, text) CLASS_##id,
  DIFF_CLASSES(C)
#undef C
      DIFF_NCLASSES
} diff_class;
extern const char *const diff_class_names[DIFF_NCLASSES], *const diff_class_texts[DIFF_NCLASSES];

typedef struct {
  const diff_backend *backend;
  diff_device *device;
  bool run;   /* false: compile alone */
  bool spoil; /* one element of our result is changed, to see that it is noticed */
  void (*at)(void *ctx, uint32_t kernel); /* told before a step that might end the process */
  bool (*skip)(void *ctx, uint32_t kernel, const char **why); /* it did end one */
  void (*row)(void *ctx, const diff_kernel *k, diff_class c, const char *json);
  void *ctx;
} diff_judge;
/* Every kernel of the batch gets one row. Fails only when nothing can be compared at all. */
ww_status diff_batch(const diff_judge *j, const diff_number *numbers, uint32_t n, ww_err *e);
/* Only the IR that such a batch needs, into $WARPWISE_IR. */
ww_status diff_prepare(const diff_number *numbers, uint32_t n, ww_gen_dialect d, ww_err *e);

#endif
